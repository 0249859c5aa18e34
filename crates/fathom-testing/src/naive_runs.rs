//! The graph of a small model, and infinite runs through graphs: slow and obvious.

use std::collections::HashMap;

use fathom_core::model::{Interpreter, Move, NoRegion, Steps, System};

/// A state of the model.
pub(crate) struct Node {
    /// Where its steps lead, and the processes that move.
    pub steps: Vec<(usize, Vec<u32>)>,
    /// The processes that can move by themselves.
    pub able: Vec<u32>,
    pub state: Vec<u8>,
}

/// The model as a graph in which every state has a step; none when it has more states than this.
pub(crate) fn graph(interpreter: &Interpreter<'_>, most: usize) -> Option<Vec<Node>> {
    let mut scratch = interpreter.scratch();
    let mut steps: Steps<NoRegion, Move> = Steps::recording();
    interpreter.initial(&mut scratch, &mut steps);
    let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut nodes = vec![Node { steps: Vec::new(), able: Vec::new(), state: steps.state(0).to_vec() }];
    numbers.insert(nodes[0].state.clone(), 0);
    let mut at = 0;
    while at < nodes.len() {
        steps.clear();
        interpreter.successors(&nodes[at].state, &NoRegion, &mut scratch, &mut steps);
        for index in 0..steps.len() {
            let target = *numbers.entry(steps.state(index).to_vec()).or_insert_with_key(|state| {
                nodes.push(Node { steps: Vec::new(), able: Vec::new(), state: state.clone() });
                nodes.len() - 1
            });
            let labels = steps.labels(index);
            let moved = labels.iter().flat_map(|label| {
                [Some(label.process), label.partner.map(|partner| partner.process)].into_iter().flatten()
            });
            nodes[at].steps.push((target, moved.collect()));
            nodes[at].able.extend(labels.first().map(|label| label.process));
        }
        if steps.is_empty() {
            nodes[at].steps.push((at, Vec::new()));
        }
        if nodes.len() > most {
            return None;
        }
        at += 1;
    }
    Some(nodes)
}

/// A graph of states of the model beside something else.
pub(crate) struct Product<'a> {
    /// The processes that can move by themselves.
    pub able: &'a dyn Fn(usize) -> &'a [u32],
    /// Where the steps of each node lead, and the processes that move.
    pub successors: Vec<Vec<(usize, &'a [u32])>>,
}

impl Product<'_> {
    /// Whether there is a run from one of some nodes that goes round in a component that is accepted; if only fair runs count, one on which no process
    /// that can always move waits for ever.
    pub(crate) fn has_run(
        &self,
        starts: &[usize],
        is_accepted: &dyn Fn(&[usize]) -> bool,
        is_fair: bool,
    ) -> bool {
        let successors = &self.successors;
        let is_just = |members: &[usize], inside: &dyn Fn(usize) -> bool| {
            (self.able)(members[0]).iter().all(|process| {
                members.iter().any(|&member| {
                    !(self.able)(member).contains(process)
                        || successors[member].iter().any(|(to, moved)| inside(*to) && moved.contains(process))
                })
            })
        };
        let components = components(successors, starts);
        let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
        for (node, component) in components.iter().enumerate() {
            if let Some(component) = component {
                members.entry(*component).or_default().push(node);
            }
        }
        (0..successors.len()).filter_map(|number| members.get(&number)).any(|members| {
            let inside = |node: usize| components[node] == components[members[0]];
            let has_cycle =
                members.iter().any(|&member| successors[member].iter().any(|(to, _)| inside(*to)));
            has_cycle && is_accepted(members) && (!is_fair || is_just(members, &inside))
        })
    }
}

/// The strongly connected component of each node that can be reached, by number (Kosaraju and Sharir, 1981).
fn components(successors: &[Vec<(usize, &[u32])>], starts: &[usize]) -> Vec<Option<usize>> {
    let mut order = Vec::new();
    let mut is_seen = vec![false; successors.len()];
    for &start in starts {
        let mut path = vec![(start, 0)];
        if std::mem::replace(&mut is_seen[start], true) {
            continue;
        }
        while let Some((node, next)) = path.last_mut() {
            if let Some((to, _)) = successors[*node].get(*next) {
                *next += 1;
                if !std::mem::replace(&mut is_seen[*to], true) {
                    path.push((*to, 0));
                }
            } else {
                order.push(*node);
                path.pop();
            }
        }
    }
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); successors.len()];
    for &node in &order {
        for (to, _) in &successors[node] {
            predecessors[*to].push(node);
        }
    }
    let mut component = vec![None; successors.len()];
    for (number, &root) in order.iter().rev().enumerate() {
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            if component[node].is_none() {
                component[node] = Some(number);
                pending.extend(predecessors[node].iter().copied());
            }
        }
    }
    component
}
