//! The states of a model of processes as a graph: all of them, or those that stand for a class of states that differ in names only.

use fathom_core::model::explain::DescribedState;
use fathom_core::model::{Interpreter, Move, NoRegion, Question, Steps, System, VariableRole};
use fathom_core::{ModelSymmetry, Quotient, find_symmetry};

use super::explore::{DrawLimits, Portrait, explore};
use super::{Graph, Node, Role};
use crate::commands::graph::PictureArguments;
use crate::output;
use crate::session::Session;
use crate::story::{describe, process_name};

/// What becomes of states that differ in names only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Likeness {
    /// They are states of their own.
    Apart,
    /// One of them is drawn.
    Together,
    /// All are drawn, one is expanded.
    Twins,
}

/// How the states of a model are drawn.
pub struct StateDrawing<'a> {
    session: &'a Session,
    interpreter: Interpreter<'a>,
    symmetry: Option<ModelSymmetry>,
    likeness: Likeness,
    picture: &'a PictureArguments,
}

impl<'a> StateDrawing<'a> {
    /// Prepares a drawing, and says so when nothing in the model is alike.
    pub fn new(session: &'a Session, likeness: Likeness, picture: &'a PictureArguments) -> StateDrawing<'a> {
        let asked = session.safety_properties();
        let symmetry = match likeness {
            Likeness::Apart => None,
            Likeness::Together | Likeness::Twins => find_symmetry(session.model(), &asked),
        };
        if likeness != Likeness::Apart && symmetry.is_none() {
            output::note("nothing in the model may be exchanged: every state is drawn");
        }
        let interpreter = Interpreter::new(session.model(), &asked);
        StateDrawing { session, interpreter, symmetry, likeness, picture }
    }

    /// The states reached.
    pub fn draw(&self, limits: DrawLimits) -> Graph {
        match (&self.symmetry, self.likeness) {
            (Some(symmetry), Likeness::Together) => {
                let quotient = Quotient::of(self.interpreter.clone(), symmetry.clone());
                explore("states", &quotient, self, limits)
            }
            _ => explore("states", &self.interpreter, self, limits),
        }
    }
}

impl<S: System<Region = NoRegion, Label = Move>> Portrait<S> for StateDrawing<'_> {
    fn label(&self, state: &[u8], _: &NoRegion) -> String {
        state_label(&describe(&self.interpreter, state), self.picture)
    }

    fn step_label(&self, moves: &[Move]) -> String {
        let Some(first) = moves.first() else { return String::new() };
        let template = self.session.model().template(first.template);
        let more = if moves.len() > 1 { format!(" (+{})", moves.len() - 1) } else { String::new() };
        let text = self.picture.fit(&template.edge(first.edge).text);
        format!("{}: {text}{more}", process_name(&template.name, first.process))
    }

    fn mark(&self, state: &[u8], _: &NoRegion, steps: &Steps<NoRegion, Move>, node: &mut Node) {
        let described = describe(&self.interpreter, state);
        node.roles.set(Role::Accepting, described.processes.iter().all(|process| process.end));
        for finding in steps.findings() {
            let property = &self.session.model().properties[finding.property.index()];
            let text = finding.fault.as_ref().map_or(property.name.clone(), ToString::to_string);
            let role = match property.question {
                Question::Reach(_) => Role::Goal,
                Question::Deadlock => Role::Deadlock,
                _ => Role::Unsafe,
            };
            node.roles.add(role);
            if role != Role::Goal {
                node.note(&format!("*** {text}"));
            }
        }
    }

    fn class_of(&self, state: &[u8]) -> Option<Vec<u8>> {
        let symmetry = self.symmetry.as_ref().filter(|_| self.likeness == Likeness::Twins);
        symmetry.map(|symmetry| symmetry.canonical(state))
    }
}

/// Processes by location, then values that are not 0.
fn state_label(described: &DescribedState, picture: &PictureArguments) -> String {
    let processes = described.processes.iter().map(|process| {
        let location = process.labels.first().cloned().unwrap_or_else(|| process.location.0.to_string());
        format!("{}@{location}", process_name(&process.name, process.number))
    });
    let mut lines = vec![processes.collect::<Vec<_>>().join(" ")];
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
        lines.push(picture.fit(&values.join(" ")));
    }
    for channel in described.channels.iter().filter(|channel| !channel.messages.is_empty()) {
        lines.push(picture.fit(&format!("{}: [{}]", channel.name, channel.messages.join("] ["))));
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}
