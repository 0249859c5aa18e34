//! Local control distance: how many edges a process is away from a location, whatever the guards say.
//!
//! Source: Bui, *Guided Random-Walk Based Model Checking* (2009), the heuristic h0: a backward breadth-first search
//! over the control-flow graph of one process. There the goal locations are picked by hand; here they come from the
//! property.
//!
//! Edges inside an indivisible sequence are part of one step and cost nothing, so that the distance never exceeds the
//! number of steps. Beside the distance there are the *gates*: the guards that have to be passed last. Most models
//! say in the guard before the goal what it takes to get there, and only that is worth measuring.

use std::collections::VecDeque;

use fathom_model::{Edge, Expr, Guard, LocationId, Model, Template, TemplateId};

/// In place of a distance: there is no way.
pub(crate) const NEVER: u32 = u32::MAX;

/// How far it is to some locations of a template.
#[derive(Clone, Debug)]
pub(crate) struct LocalGoal {
    pub template: TemplateId,
    /// By location.
    steps: Vec<u32>,
    /// Whether a location lies behind the gates, by location.
    is_inside: Vec<bool>,
    /// What has to hold before the last free run: indices of edges.
    gates: Vec<usize>,
}

impl LocalGoal {
    /// Measures the distance to locations.
    pub fn new(model: &Model, template: TemplateId, goals: &[LocationId]) -> LocalGoal {
        let body = model.template(template);
        let incoming = incoming(body);
        let (is_inside, gates) = gates(body, &incoming, goals);
        LocalGoal { template, steps: distances(body, &incoming, goals), is_inside, gates }
    }

    /// Steps from a location at least; [`NEVER`] when there is no way.
    pub fn steps(&self, location: LocationId) -> u32 {
        self.steps[location.index()]
    }

    /// Whether nothing but free edges lies between a location and the goal.
    pub fn is_inside(&self, location: LocationId) -> bool {
        self.is_inside[location.index()]
    }

    /// The guards before the goal.
    pub fn gates<'m>(&self, model: &'m Model) -> impl Iterator<Item = &'m Expr> {
        let edges = &model.template(self.template).edges;
        self.gates.iter().filter_map(|&edge| match &edges[edge].guard {
            Guard::When(expr) => Some(expr),
            _ => None,
        })
    }
}

/// Edges that lead to each location, with the locations that they leave.
fn incoming(template: &Template) -> Vec<Vec<(usize, usize)>> {
    let mut incoming = vec![Vec::new(); template.locations.len()];
    for (source, location) in template.locations.iter().enumerate() {
        for edge in location.groups.iter().flatten() {
            incoming[template.edge(*edge).target.index()].push((source, edge.index()));
        }
    }
    incoming
}

/// Whether another edge of the process follows in the same step.
fn goes_on(template: &Template, edge: &Edge) -> bool {
    edge.atomic || template.location(edge.target).deterministic
}

fn distances(template: &Template, incoming: &[Vec<(usize, usize)>], goals: &[LocationId]) -> Vec<u32> {
    let mut steps = vec![NEVER; template.locations.len()];
    let mut waiting: VecDeque<(usize, u32)> = goals.iter().map(|goal| (goal.index(), 0)).collect();
    while let Some((location, distance)) = waiting.pop_front() {
        if steps[location] <= distance {
            continue;
        }
        steps[location] = distance;
        for &(source, edge) in &incoming[location] {
            match goes_on(template, &template.edges[edge]) {
                true => waiting.push_front((source, distance)),
                false => waiting.push_back((source, distance + 1)),
            }
        }
    }
    steps
}

/// The locations from which the goal is reached freely, and the edges that lead into them.
fn gates(
    template: &Template,
    incoming: &[Vec<(usize, usize)>],
    goals: &[LocationId],
) -> (Vec<bool>, Vec<usize>) {
    let mut is_inside = vec![false; template.locations.len()];
    let mut gates = Vec::new();
    let mut waiting: Vec<usize> = goals.iter().map(|goal| goal.index()).collect();
    while let Some(location) = waiting.pop() {
        if std::mem::replace(&mut is_inside[location], true) {
            continue;
        }
        for &(source, edge) in &incoming[location] {
            match &template.edges[edge] {
                Edge { guard: Guard::Always, sync: None, .. } => waiting.push(source),
                _ => gates.push(edge),
            }
        }
    }
    gates.sort_unstable();
    gates.dedup();
    (is_inside, gates)
}

/// The locations where a process stays for ever although it may not rest there. A location without edges is where a
/// process is when it has ended.
pub(crate) fn traps(template: &Template) -> Vec<LocationId> {
    let is_shut = |edge: &Edge| edge.guard == Guard::When(Expr::Const(0));
    let is_trap = |index: &usize| {
        let location = &template.locations[*index];
        !location.end
            && !location.deterministic
            && !location.groups.iter().all(Vec::is_empty)
            && location.groups.iter().flatten().all(|edge| is_shut(template.edge(*edge)))
    };
    (0..template.locations.len()).filter(is_trap).map(LocationId::from).collect()
}
