//! `graph` on model programs: the states, or the classes of states that symmetry takes for one; collapsed, or pruned with the
//! states that were taken for others still there (Ernits 2007 has both views).

use fathom_core::model::{NoRegion, Steps, System};
use fathom_core::program::{Asked, Call, Form, Opened, Runnable, Symmetry};

use super::ProgramGraphArguments;
use crate::commands::graph::PictureArguments;
use crate::failure::Failure;
use crate::graph::explore::{DrawLimits, Portrait, explore};
use crate::graph::{Graph, Node, Role};
use crate::output::note;

/// Draws the states of a program.
pub fn draw(program: &dyn Runnable, arguments: &ProgramGraphArguments) -> Result<u8, Failure> {
    let graph = arguments.picture.bounded(arguments.max_states, arguments.max_transitions, |limits| {
        state_graph(program, arguments, limits)
    });
    arguments.picture.publish(program.title(), &[graph])
}

fn state_graph(program: &dyn Runnable, arguments: &ProgramGraphArguments, limits: DrawLimits) -> Graph {
    let quotient = program.open(arguments.symmetry.kind(), Form::InFull);
    let plain = program.open(Symmetry::None, Form::InFull);
    let draw = |opened: &dyn Opened, classes: Option<&dyn Opened>| {
        let picture = &arguments.picture;
        let drawing = ProgramDrawing { opened, classes, asked: program.asked(), picture };
        explore("states", &opened.system(), &drawing, limits)
    };
    let mut graph = match quotient.asks_for_names() {
        true => None,
        false if arguments.twins => Some(draw(&*plain, Some(&*quotient))),
        false => Some(draw(&*quotient, None)).filter(|_| !quotient.was_unfit()),
    }
    .unwrap_or_else(|| {
        note("the program asks for the names of objects: it is drawn without symmetry");
        draw(&*plain, None)
    });
    leave_out_ends_everywhere(&mut graph);
    graph
}

/// Where a run may end in any state, because nothing says where, only states are marked that nothing follows.
fn leave_out_ends_everywhere(graph: &mut Graph) {
    if graph.nodes.iter().any(|node| !node.roles.has(Role::Accepting)) {
        return;
    }
    for arrow in &graph.arrows {
        graph.nodes[arrow.from].roles.set(Role::Accepting, false);
    }
}

/// How the states of a program are drawn.
struct ProgramDrawing<'a> {
    opened: &'a dyn Opened,
    /// What finds the classes of states, when states that are taken for others are drawn too.
    classes: Option<&'a dyn Opened>,
    asked: Vec<Asked>,
    picture: &'a PictureArguments,
}

impl<S: System<Region = NoRegion, Label = Call>> Portrait<S> for ProgramDrawing<'_> {
    fn label(&self, state: &[u8], _: &NoRegion) -> String {
        let lines = self.opened.variables(state).into_iter();
        lines
            .map(|(name, value)| self.picture.fit(&format!("{name} = {value}")))
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn step_label(&self, calls: &[Call]) -> String {
        self.picture.fit(&calls.join(", "))
    }

    fn mark(&self, state: &[u8], _: &NoRegion, steps: &Steps<NoRegion, Call>, node: &mut Node) {
        let may_end = self.opened.may_end(state);
        node.roles.set(Role::Accepting, may_end);
        // Where deadlocks are asked about, what was found knows better: bounds and faults leave out steps, too.
        let is_asked = self.asked.iter().any(|asked| asked.kind == "deadlock");
        node.roles.set(Role::Deadlock, !is_asked && steps.is_empty() && !may_end);
        for finding in steps.findings() {
            let asked = &self.asked[finding.property.index()];
            match asked.kind {
                "reach" => node.roles.add(Role::Goal),
                "deadlock" => node.roles.add(Role::Deadlock),
                _ => {
                    node.roles.add(Role::Unsafe);
                    let text = finding.fault.as_ref().map_or(asked.name.clone(), ToString::to_string);
                    node.note(&self.picture.fit(&format!("*** {text}")));
                }
            }
        }
        if node.roles.has(Role::Deadlock) {
            node.note("*** deadlock");
        }
    }

    fn class_of(&self, state: &[u8]) -> Option<Vec<u8>> {
        self.classes.map(|classes| classes.class_of(state))
    }
}
