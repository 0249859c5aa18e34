//! Strongly connected components of a part of the graph.
//!
//! Tarjan (1972), without recursion. One number for each state: the lowest index that it is known to get back to while it is on the
//! stack, and a mark before and after.

use super::graph::{Graph, StateSet};

const UNSEEN: u32 = u32::MAX;
const DONE: u32 = u32::MAX - 1;

/// Shows the components of the graph within a set, those first from which the others cannot be reached any more. A component
/// comes with whether it has a step inside: one state without a step to itself has none.
pub(crate) fn for_each_component(graph: &Graph<'_>, within: &StateSet, mut see: impl FnMut(&[u32], bool)) {
    let mut low = vec![UNSEEN; graph.n_states()];
    let mut stack: Vec<u32> = Vec::new();
    // A state with its index and the number of its steps that were looked at.
    let mut path: Vec<(u32, u32, usize)> = Vec::new();
    let mut n_seen = 0;
    for root in within.iter() {
        if low[root as usize] != UNSEEN {
            continue;
        }
        low[root as usize] = n_seen;
        path.push((root, n_seen, 0));
        stack.push(root);
        n_seen += 1;
        while let Some(&mut (state, index, ref mut looked)) = path.last_mut() {
            if let Some(&next) = graph.successors(state).get(*looked) {
                *looked += 1;
                if !within.contains(next) || low[next as usize] == DONE {
                    continue;
                }
                if low[next as usize] == UNSEEN {
                    low[next as usize] = n_seen;
                    path.push((next, n_seen, 0));
                    stack.push(next);
                    n_seen += 1;
                } else {
                    low[state as usize] = low[state as usize].min(low[next as usize]);
                }
                continue;
            }
            path.pop();
            if let Some(&(before, ..)) = path.last() {
                low[before as usize] = low[before as usize].min(low[state as usize]);
            }
            if low[state as usize] == index {
                let start = stack.iter().rposition(|&other| other == state).expect("it is on the stack");
                let component = &stack[start..];
                let is_cyclic = component.len() > 1 || graph.successors(state).contains(&state);
                see(component, is_cyclic);
                component.iter().for_each(|&member| low[member as usize] = DONE);
                stack.truncate(start);
            }
        }
    }
}
