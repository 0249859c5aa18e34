//! A small state space as a graph: breadth-first from the initial state, up to a number of states.

use std::collections::HashMap;

use fathom_core::model::explain::DescribedState;
use fathom_core::model::{Interpreter, Move, NoRegion, Question, Steps, System, VariableRole};

use super::{Arrow, Color, Graph, Node, Shape, short};
use crate::session::Session;
use crate::story::{describe, process_name};

/// The states reached, at most `max_states`. States whose steps were not all drawn are marked as open.
pub fn state_graph(session: &Session, max_states: usize) -> Graph {
    let asked = session.safety_properties();
    let interpreter = Interpreter::new(session.model(), &asked);
    let mut builder = Builder {
        session,
        interpreter: &interpreter,
        max_states,
        known: HashMap::new(),
        states: Vec::new(),
        graph: Graph { name: "states".to_owned(), nodes: Vec::new(), arrows: Vec::new() },
    };
    builder.explore();
    builder.graph
}

struct Builder<'a> {
    session: &'a Session,
    interpreter: &'a Interpreter<'a>,
    max_states: usize,
    known: HashMap<Vec<u8>, usize>,
    states: Vec<Vec<u8>>,
    graph: Graph,
}

impl Builder<'_> {
    fn explore(&mut self) {
        let mut scratch = self.interpreter.scratch();
        let mut steps: Steps<NoRegion, Move> = Steps::recording();
        self.interpreter.initial(&mut scratch, &mut steps);
        for index in 0..steps.len() {
            if let Some(node) = self.node_of(steps.state(index)) {
                self.graph.nodes[node].shape = Shape::Initial;
            }
        }
        let mut next = 0;
        while next < self.states.len() {
            steps.clear();
            self.interpreter.successors(&self.states[next], &NoRegion, &mut scratch, &mut steps);
            self.mark_findings(next, &steps);
            for index in 0..steps.len() {
                match self.node_of(steps.state(index)) {
                    Some(to) => {
                        let label = self.label_of(steps.labels(index));
                        self.graph.arrows.push(Arrow {
                            from: next,
                            to,
                            label,
                            dashed: false,
                            color: Color::Plain,
                        });
                    }
                    None => self.graph.nodes[next].shape = Shape::Open,
                }
            }
            next += 1;
        }
    }

    /// The node of a state; none when there is no room for a new one.
    fn node_of(&mut self, state: &[u8]) -> Option<usize> {
        if let Some(&node) = self.known.get(state) {
            return Some(node);
        }
        if self.states.len() >= self.max_states {
            return None;
        }
        let node = self.states.len();
        self.known.insert(state.to_vec(), node);
        self.states.push(state.to_vec());
        let described = describe(self.interpreter, state);
        let is_end = described.processes.iter().all(|process| process.end);
        self.graph.nodes.push(Node {
            label: state_label(node, &described),
            shape: if is_end { Shape::End } else { Shape::Plain },
        });
        Some(node)
    }

    fn mark_findings(&mut self, node: usize, steps: &Steps<NoRegion, Move>) {
        for finding in steps.findings() {
            let property = &self.session.model().properties[finding.property.index()];
            if matches!(property.question, Question::Reach(_)) {
                continue;
            }
            let text = finding.fault.as_ref().map_or(property.name.clone(), ToString::to_string);
            let node = &mut self.graph.nodes[node];
            node.shape = Shape::Bad;
            node.label += &format!("\n*** {text}");
        }
    }

    fn label_of(&self, moves: &[Move]) -> String {
        let Some(first) = moves.first() else { return String::new() };
        let template = self.session.model().template(first.template);
        let more = if moves.len() > 1 { format!(" (+{})", moves.len() - 1) } else { String::new() };
        let text = short(&template.edge(first.edge).text);
        format!("{}: {text}{more}", process_name(&template.name, first.process))
    }
}

/// Processes by location, then values that are not 0.
fn state_label(number: usize, described: &DescribedState) -> String {
    let processes = described.processes.iter().map(|process| {
        let location = process.labels.first().cloned().unwrap_or_else(|| process.location.0.to_string());
        format!("{}@{location}", process_name(&process.name, process.number))
    });
    let mut label = format!("{number}\n{}", processes.collect::<Vec<_>>().join(" "));
    let shown = |value: &&fathom_core::model::explain::NamedValue| {
        value.number != 0
            && value.role != VariableRole::Internal
            && value.ty.kind != fathom_core::model::ScalarKind::Channel
    };
    let values: Vec<String> = described
        .values
        .iter()
        .filter(shown)
        .map(|value| format!("{}={}", value.name, value.value))
        .collect();
    if !values.is_empty() {
        label += &format!("\n{}", short(&values.join(" ")));
    }
    for channel in described.channels.iter().filter(|channel| !channel.messages.is_empty()) {
        label += &format!("\n{}", short(&format!("{}: [{}]", channel.name, channel.messages.join("] ["))));
    }
    label
}
