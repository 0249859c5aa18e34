//! A state space as a graph: breadth-first from the initial states, as far as limits let it. The same for every language; a
//! [`Portrait`] says what is particular.

use std::collections::HashMap;

use fathom_core::model::{Region, Steps, System};

use super::{Arrow, Color, Graph, Node, Role};

/// How much is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawLimits {
    /// Most states.
    pub states: usize,
    /// Most steps.
    pub transitions: usize,
}

/// How states and steps are shown.
pub trait Portrait<S: System> {
    /// What stands in the node of a state, below its number.
    fn label(&self, state: &[u8], region: &S::Region) -> String;

    /// What stands at a step.
    fn step_label(&self, labels: &[S::Label]) -> String;

    /// Marks a state that was expanded, by what it is and by what was found.
    fn mark(&self, state: &[u8], region: &S::Region, steps: &Steps<S::Region, S::Label>, node: &mut Node);

    /// The class of a state, where all states are drawn, one of each class is expanded, and the others point to that one.
    fn class_of(&self, state: &[u8]) -> Option<Vec<u8>> {
        let _ = state;
        None
    }
}

/// The states reached. States whose steps were not all drawn are marked as open. A state within one that is drawn is that one.
pub fn explore<S: System>(name: &str, system: &S, portrait: &dyn Portrait<S>, limits: DrawLimits) -> Graph {
    let mut drawing = Drawing {
        portrait,
        limits,
        known: HashMap::new(),
        standing: HashMap::new(),
        places: Vec::new(),
        frontier: Vec::new(),
        twins: Vec::new(),
        graph: Graph { name: name.to_owned(), nodes: Vec::new(), arrows: Vec::new() },
    };
    let (mut scratch, mut steps) = (system.scratch(), Steps::recording());
    system.initial(&mut scratch, &mut steps);
    for index in 0..steps.len() {
        if let Some(node) = drawing.node_of(steps.state(index), steps.region(index)) {
            drawing.graph.nodes[node].roles.add(Role::Initial);
        }
    }
    let (mut next, mut n_steps) = (0, 0);
    while next < drawing.frontier.len() {
        let from = drawing.frontier[next];
        next += 1;
        let (state, region) = drawing.places[from].clone();
        steps.clear();
        system.successors(&state, &region, &mut scratch, &mut steps);
        portrait.mark(&state, &region, &steps, &mut drawing.graph.nodes[from]);
        for index in 0..steps.len() {
            let has_room = n_steps < limits.transitions;
            match has_room.then(|| drawing.node_of(steps.state(index), steps.region(index))).flatten() {
                Some(to) => {
                    let label = portrait.step_label(steps.labels(index));
                    let arrow = Arrow { from, to, label, dashed: false, color: Color::Plain };
                    drawing.graph.arrows.push(arrow);
                    n_steps += 1;
                }
                None => drawing.graph.nodes[from].roles.add(Role::Open),
            }
        }
    }
    for &(node, twin) in &drawing.twins {
        let roles = drawing.graph.nodes[twin].roles;
        for role in [Role::Unsafe, Role::Deadlock, Role::Goal, Role::Accepting]
            .into_iter()
            .filter(|&role| roles.has(role))
        {
            drawing.graph.nodes[node].roles.add(role);
        }
    }
    drawing.graph
}

struct Drawing<'a, S: System> {
    portrait: &'a dyn Portrait<S>,
    limits: DrawLimits,
    /// The nodes with this explicit part.
    known: HashMap<Vec<u8>, Vec<usize>>,
    /// The node that stands for a class.
    standing: HashMap<Vec<u8>, usize>,
    /// By node.
    places: Vec<(Vec<u8>, S::Region)>,
    /// Nodes to be expanded, in this order.
    frontier: Vec<usize>,
    /// Nodes that are not expanded, with the one that stands for each.
    twins: Vec<(usize, usize)>,
    graph: Graph,
}

impl<S: System> Drawing<'_, S> {
    /// The node of a state; none when there is no room for a new one.
    fn node_of(&mut self, state: &[u8], region: &S::Region) -> Option<usize> {
        let same = self.known.get(state).map_or(&[][..], Vec::as_slice);
        if let Some(&node) = same.iter().find(|&&node| self.places[node].1.includes(region)) {
            return Some(node);
        }
        let node = self.places.len();
        if node >= self.limits.states {
            return None;
        }
        self.known.entry(state.to_vec()).or_default().push(node);
        self.places.push((state.to_vec(), region.clone()));
        let label = self.portrait.label(state, region);
        let gap = if label.is_empty() { "" } else { "\n" };
        self.graph.nodes.push(Node::new(format!("{node}{gap}{label}")));
        let class = self.portrait.class_of(state);
        match class.map(|class| *self.standing.entry(class).or_insert(node)) {
            Some(twin) if twin != node => {
                let arrow =
                    Arrow { from: node, to: twin, label: String::new(), dashed: true, color: Color::Plain };
                self.graph.arrows.push(arrow);
                self.twins.push((node, twin));
            }
            _ => self.frontier.push(node),
        }
        Some(node)
    }
}
