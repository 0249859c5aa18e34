//! Strongly connected components (Tarjan, 1972), without recursion.

/// The components of the part of a graph that can be reached from `root`.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of every state; none if it cannot be reached. Successors have smaller or equal numbers.
    pub of: Vec<Option<usize>>,
    /// The states of every component.
    pub members: Vec<Vec<usize>>,
}

impl Components {
    /// Finds the components of a graph with `n_states` states.
    pub fn find(n_states: usize, root: usize, successors: impl Fn(usize) -> Vec<usize>) -> Components {
        const UNSEEN: usize = usize::MAX;
        let mut components = Components { of: vec![None; n_states], members: Vec::new() };
        let mut order = vec![UNSEEN; n_states];
        let mut low = vec![0; n_states];
        let mut open = Vec::new();
        let mut n_seen = 0;
        let mut calls: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter =
            |state: usize, order: &mut Vec<usize>, low: &mut Vec<usize>, open: &mut Vec<usize>| {
                order[state] = n_seen;
                low[state] = n_seen;
                n_seen += 1;
                open.push(state);
                (state, successors(state))
            };
        calls.push(enter(root, &mut order, &mut low, &mut open));
        while let Some((state, rest)) = calls.last_mut() {
            let state = *state;
            if let Some(target) = rest.pop() {
                if order[target] == UNSEEN {
                    calls.push(enter(target, &mut order, &mut low, &mut open));
                } else if components.of[target].is_none() {
                    low[state] = low[state].min(order[target]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[state]);
            }
            if low[state] == order[state] {
                let start = open.iter().rposition(|&member| member == state).unwrap_or(0);
                let members: Vec<usize> = open.drain(start..).collect();
                for &member in &members {
                    components.of[member] = Some(components.members.len());
                }
                components.members.push(members);
            }
        }
        components
    }

    /// Whether both states are in one component.
    pub fn together(&self, one: usize, other: usize) -> bool {
        self.of[one].is_some() && self.of[one] == self.of[other]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_with_sinks_first() {
        let graph = [vec![1], vec![2, 3], vec![1], vec![3], vec![0]];
        let found = Components::find(5, 0, |state| graph[state].clone());
        assert_eq!(found.of, [Some(2), Some(1), Some(1), Some(0), None]);
        assert!(found.together(1, 2) && !found.together(0, 1) && !found.together(4, 4));
    }
}
