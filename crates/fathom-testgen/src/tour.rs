//! Tours: tests that take every step of an explored graph, with as few steps as possible.
//!
//! The directed postman problem (Edmonds and Johnson, "Matching, Euler tours and the Chinese postman", 1973): steps are repeated until every state is
//! left as often as it is entered, at the least price, which is a flow of minimum cost; then there is a closed walk over all of them. A
//! reset leads from every state to the initial one. It costs as much as the caller says and ends a test; so a graph need not be strongly connected.
//!
//! The flow is found by shortest augmenting paths, one unit of imbalance at a time: exact, and meant for graphs of some ten thousand steps.

use std::collections::VecDeque;

/// A tour of a graph: tests, each a list of steps from the initial state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tour {
    /// Indices of steps in the list that was given.
    pub tests: Vec<Vec<usize>>,
    /// Number of steps of all tests.
    pub n_steps: usize,
}

/// A tour over all steps, given by the states that they lead from and to; every state can be reached from `initial`. A reset costs as much
/// as `reset` steps.
pub fn tour(n_states: usize, steps: &[(usize, usize)], initial: usize, reset: u32) -> Tour {
    if steps.is_empty() {
        return Tour::default();
    }
    let mut network = Flow::new(n_states, steps, initial, reset);
    network.balance(steps);
    let walk = network.closed_walk(initial);
    // A test that only waits to be reset is none.
    let mut tests: Vec<Vec<usize>> = walk
        .split(|&step| step >= steps.len())
        .map(<[usize]>::to_vec)
        .filter(|test| !test.is_empty())
        .collect();
    cut_repeated_ends(&mut tests, steps.len());
    let n_steps = tests.iter().map(Vec::len).sum();
    Tour { tests, n_steps }
}

/// The last test need not come back: steps at its end that were taken before are of no use. The same holds for every test.
fn cut_repeated_ends(tests: &mut Vec<Vec<usize>>, n_steps: usize) {
    let mut times = vec![0; n_steps];
    tests.iter().flatten().for_each(|&step| times[step] += 1);
    for test in tests.iter_mut() {
        while test.last().is_some_and(|&step| times[step] > 1) {
            times[test.pop().expect("there is a last step")] -= 1;
        }
    }
    tests.retain(|test| !test.is_empty());
}

/// Arcs with a price: those of the graph, and a reset for each state.
struct Flow {
    arcs: Vec<(usize, usize, u32)>,
    /// By state: the arcs that leave it, and those that enter it.
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
    /// How often each arc is repeated beyond what has to be taken.
    repeated: Vec<u32>,
    required: usize,
}

impl Flow {
    fn new(n_states: usize, steps: &[(usize, usize)], initial: usize, reset: u32) -> Flow {
        let mut arcs: Vec<(usize, usize, u32)> = steps.iter().map(|&(from, to)| (from, to, 1)).collect();
        arcs.extend((0..n_states).filter(|&state| state != initial).map(|state| (state, initial, reset)));
        let (mut leaving, mut entering) = (vec![Vec::new(); n_states], vec![Vec::new(); n_states]);
        for (index, &(from, to, _)) in arcs.iter().enumerate() {
            leaving[from].push(index);
            entering[to].push(index);
        }
        let repeated = vec![0; arcs.len()];
        Flow { arcs, leaving, entering, repeated, required: steps.len() }
    }

    /// Repeats arcs until every state is left as often as it is entered.
    fn balance(&mut self, steps: &[(usize, usize)]) {
        let mut surplus = vec![0i64; self.leaving.len()];
        for &(from, to) in steps {
            surplus[to] += 1;
            surplus[from] -= 1;
        }
        for state in 0..surplus.len() {
            while surplus[state] > 0 {
                let end = self.augment(state, &surplus).expect("a reset leads to every state");
                surplus[state] -= 1;
                surplus[end] += 1;
            }
        }
    }

    /// Sends one unit from a state to the cheapest one that lacks some, by Bellman and Ford's method with a queue: repetitions can be
    /// taken back, which makes some prices negative.
    fn augment(&mut self, from: usize, surplus: &[i64]) -> Option<usize> {
        let n = self.leaving.len();
        let mut price = vec![i64::MAX; n];
        let mut way: Vec<Option<(usize, bool)>> = vec![None; n];
        let mut is_open = vec![false; n];
        let mut open = VecDeque::from([from]);
        price[from] = 0;
        while let Some(state) = open.pop_front() {
            is_open[state] = false;
            let forward = self.leaving[state].iter().map(|&arc| (arc, true));
            let back =
                self.entering[state].iter().filter(|&&arc| self.repeated[arc] > 0).map(|&arc| (arc, false));
            for (arc, is_forward) in forward.chain(back) {
                let (source, target, cost) = self.arcs[arc];
                let (next, cost) =
                    if is_forward { (target, i64::from(cost)) } else { (source, -i64::from(cost)) };
                if price[state] + cost < price[next] {
                    price[next] = price[state] + cost;
                    way[next] = Some((arc, is_forward));
                    if !std::mem::replace(&mut is_open[next], true) {
                        open.push_back(next);
                    }
                }
            }
        }
        let end = (0..n).filter(|&it| surplus[it] < 0 && price[it] < i64::MAX).min_by_key(|&it| price[it])?;
        let mut at = end;
        while at != from {
            let (arc, is_forward) = way[at].expect("every state with a price has a way");
            if is_forward {
                self.repeated[arc] += 1;
                at = self.arcs[arc].0;
            } else {
                self.repeated[arc] -= 1;
                at = self.arcs[arc].1;
            }
        }
        Some(end)
    }

    /// A closed walk from a state that takes every arc as often as it has to (Hierholzer).
    fn closed_walk(&self, initial: usize) -> Vec<usize> {
        let times = |arc: usize| self.repeated[arc] + u32::from(arc < self.required);
        let mut left: Vec<u32> = (0..self.arcs.len()).map(times).collect();
        let mut next = vec![0; self.leaving.len()];
        let mut stack = vec![(initial, None)];
        let mut walk = Vec::new();
        while let Some(&(state, arrived)) = stack.last() {
            let leaving = &self.leaving[state];
            while next[state] < leaving.len() && left[leaving[next[state]]] == 0 {
                next[state] += 1;
            }
            match leaving.get(next[state]) {
                Some(&arc) => {
                    left[arc] -= 1;
                    stack.push((self.arcs[arc].1, Some(arc)));
                }
                None => {
                    walk.extend(arrived);
                    stack.pop();
                }
            }
        }
        walk.reverse();
        walk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(n_states: usize, steps: &[(usize, usize)]) -> Tour {
        let tour = tour(n_states, steps, 0, 1);
        let mut seen = vec![false; steps.len()];
        for test in &tour.tests {
            let mut at = 0;
            for &step in test {
                assert_eq!(steps[step].0, at, "a step that does not leave where the test is");
                at = steps[step].1;
                seen[step] = true;
            }
        }
        assert!(seen.iter().all(|&seen| seen), "{seen:?}");
        tour
    }

    #[test]
    fn a_circle_with_a_chord_repeats_the_common_part_at_most_once() {
        // 0 → 1 → 2 → 0 and 1 → 0: the walk 0 1 2 0 1 0 takes five steps.
        let tour = check(3, &[(0, 1), (1, 2), (2, 0), (1, 0)]);
        assert_eq!((tour.tests.len(), tour.n_steps), (1, 5));
    }

    #[test]
    fn branches_that_do_not_come_back_are_tests_of_their_own() {
        let tour = check(3, &[(0, 1), (0, 2)]);
        assert_eq!((tour.tests.len(), tour.n_steps), (2, 2));
    }

    #[test]
    fn all_small_graphs_are_toured() {
        // Every graph over three states that are all reachable, as a set of arcs.
        let arcs: Vec<(usize, usize)> = (0..9).map(|arc| (arc / 3, arc % 3)).collect();
        for set in 1..512u32 {
            let steps: Vec<(usize, usize)> =
                (0..9).filter(|arc| set >> arc & 1 == 1).map(|arc| arcs[arc]).collect();
            let mut reached = [true, false, false];
            for _ in 0..3 {
                for &(from, to) in &steps {
                    reached[to] |= reached[from];
                }
            }
            if steps.iter().all(|step| reached[step.0]) {
                check(3, &steps);
            }
        }
    }
}
