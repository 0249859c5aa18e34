//! Best-first search, A*, weighted A*, random best depth-first: the state that looks nearest comes next.
//!
//! The frontier is a heap of states that were reached and not expanded. Best-first takes the smallest estimate h; A*
//! the smallest g + h, where g is the number of steps to the state; weighted A* the smallest g + w·h (Pohl,
//! "Heuristic search viewed as path finding in a graph", Artificial Intelligence 1, 1970). All explore everything when
//! there is nothing to be found, so that their answers are as good as those of breadth-first search.
//!
//! A state that comes back on a shorter way is expanded again (*reopened*): the store keeps depths and says that it is
//! new. So with estimates that never exceed the true distance the first finding of A* is at a smallest distance, and
//! that of weighted A* at most w times as far; the estimates need not be consistent. Best-first cares for no length
//! and never reopens, unless there is a bound on depth. With regions there is no reopening: a covered state must stay
//! readable here.
//!
//! Random best depth-first goes on from what was reached last, to the state that looks nearest, and at random where
//! several do: as deep as depth-first search, and less bound to the order in which the model was written.
//!
//! Estimates come in as a function, so that this crate knows nothing of models.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fathom_model::{Region, System};
use fathom_store::{ExactStore, Keep, PackedStore};

use crate::options::{Monitor, Options};
use crate::ordered::{Arrival, Ordered, TakesTurns};
use crate::outcome::Outcome;
use crate::random::Random;
use crate::sample::fit_to_sample;
use crate::search::search;

/// An estimate of the distance from a composite state to what is looked for. The first argument is the explicit part
/// of the state from which it was reached, unless it is an initial one.
pub type Estimate<'h, R> = dyn Fn(Option<&[u8]>, &[u8], &R) -> u32 + 'h;

/// Which state comes next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Priority {
    /// The one with the smallest estimate.
    Best,
    /// The one with the smallest sum of steps and weighted estimate; 1 is A*.
    Sum {
        /// The weight of the estimate, at least 0.
        weight: f64,
    },
    /// Of the states reached last the one with the smallest estimate, and of equals any.
    Deepest {
        /// The seed.
        seed: u64,
    },
}

impl Priority {
    /// The place in the order; small comes first. Lengths are told apart to a thousandth.
    fn of(self, depth: u32, estimate: u32) -> u64 {
        match self {
            Priority::Best => u64::from(estimate),
            Priority::Sum { weight } => {
                let weighted = (f64::from(estimate) * weight.max(0.0) * 1000.0) as u64;
                weighted.saturating_add(u64::from(depth) * 1000)
            }
            Priority::Deepest { .. } => u64::from(u32::MAX - depth) << 32 | u64::from(estimate),
        }
    }
}

/// Explores in the order of estimates, always with an exact store.
pub fn best_first<S: System>(
    system: &S,
    estimate: &Estimate<'_, S::Region>,
    priority: Priority,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    let reopens = matches!(priority, Priority::Sum { .. }) || options.max_depth.is_some();
    if size_of::<S::Region>() == 0 && !reopens {
        let mut store: PackedStore<S::Region> = PackedStore::new();
        fit_to_sample(system, options, &mut store);
        return search(
            system,
            &mut store,
            &mut Ordered::new(Heap::new(estimate, priority)),
            options,
            monitor,
        );
    }
    let keep = if size_of::<S::Region>() == 0 { Keep::Depths } else { Keep::Covered };
    let mut store: ExactStore<S::Region> = ExactStore::new(keep);
    fit_to_sample(system, options, &mut store);
    search(system, &mut store, &mut Ordered::new(Heap::new(estimate, priority)), options, monitor)
}

/// A heap of states.
pub struct Heap<'h, R: Region> {
    estimate: &'h Estimate<'h, R>,
    priority: Priority,
    /// Where equals are taken at random.
    random: Option<Random>,
    /// Place in the order, estimate or something random, and for equals the later one.
    open: BinaryHeap<(Reverse<(u64, u32)>, u32)>,
}

impl<'h, R: Region> Heap<'h, R> {
    /// An empty heap.
    pub fn new(estimate: &'h Estimate<'h, R>, priority: Priority) -> Heap<'h, R> {
        let random = match priority {
            Priority::Deepest { seed } => Some(Random::new(seed)),
            _ => None,
        };
        Heap { estimate, priority, random, open: BinaryHeap::new() }
    }
}

impl<R: Region> TakesTurns<R> for Heap<'_, R> {
    const LOOKS_BACK: bool = true;

    fn put(&mut self, number: u32, reached: Arrival<'_, R>) {
        let estimate = (self.estimate)(reached.from, reached.state, reached.region);
        let tie = self.random.as_mut().map_or(estimate, |random| random.below(1 << 31) as u32);
        self.open.push((Reverse((self.priority.of(reached.depth, estimate), tie)), number));
    }

    fn take(&mut self) -> Option<u32> {
        self.open.pop().map(|(_, number)| number)
    }

    fn n_waiting(&self) -> usize {
        self.open.len()
    }

    fn bytes(&self) -> usize {
        self.open.capacity() * size_of::<(Reverse<(u64, u32)>, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoMonitor, Random, breadth_first, replay};
    use fathom_model::{NoRegion, PropertyId};
    use fathom_testing::systems::Graph;

    /// A random graph with a goal, and the distance of each state to it.
    fn random_graph(random: &mut Random) -> (Graph, Vec<u32>) {
        let n_states = 2 + random.below(60) as u32;
        let edges: Vec<Vec<u32>> = (0..n_states)
            .map(|_| (0..random.below(4)).map(|_| random.below(n_states as usize) as u32).collect())
            .collect();
        let goal = random.below(n_states as usize) as u32;
        let mut distances = vec![u32::MAX; n_states as usize];
        distances[goal as usize] = 0;
        for distance in 0..n_states {
            for state in 0..n_states as usize {
                let is_next = edges[state].iter().any(|&next| distances[next as usize] == distance);
                if distances[state] == u32::MAX && is_next {
                    distances[state] = distance + 1;
                }
            }
        }
        let findings = vec![(goal, PropertyId(0), None)];
        (Graph { initial: vec![0], edges, findings, ..Graph::default() }, distances)
    }

    fn options() -> Options {
        Options { properties: vec![PropertyId(0)], ..Options::default() }
    }

    #[test]
    fn every_order_agrees_with_breadth_first_and_a_star_finds_the_same_length() {
        let mut random = Random::new(5);
        let mut n_found = 0;
        for _ in 0..400 {
            let (graph, distances) = random_graph(&mut random);
            let parts: Vec<u32> = distances.iter().map(|_| random.below(4) as u32).collect();
            // Never too large, and not consistent: states are reopened.
            let lower = |_: Option<&[u8]>, state: &[u8], _: &NoRegion| {
                let state = Graph::decode(state) as usize;
                if distances[state] == u32::MAX { parts[state] } else { distances[state] * parts[state] / 3 }
            };
            let expected = breadth_first(&graph, &options(), &mut NoMonitor);
            let shortest = expected.evidence[0].1.as_ref().map(|trace| trace.choices.len());
            for weight in [0.0, 1.0, 2.5] {
                let priority = Priority::Sum { weight };
                let outcome = best_first(&graph, &lower, priority, &options(), &mut NoMonitor);
                let trace = outcome.evidence[0].1.as_ref();
                assert_eq!(trace.is_some(), shortest.is_some());
                assert_eq!(outcome.stop, expected.stop);
                if let (Some(trace), Some(shortest)) = (trace, shortest) {
                    n_found += 1;
                    replay(&graph, trace).unwrap();
                    let most = shortest as f64 * weight.max(1.0);
                    assert!(trace.choices.len() as f64 <= most + 1e-9, "weight {weight}");
                }
            }
            for priority in [Priority::Best, Priority::Deepest { seed: 3 }] {
                let best = best_first(&graph, &lower, priority, &options(), &mut NoMonitor);
                assert_eq!(best.evidence[0].1.is_some(), shortest.is_some());
                if shortest.is_none() {
                    assert_eq!(best.statistics.states, expected.statistics.states);
                }
            }
        }
        assert!(n_found > 300);
    }

    #[test]
    fn a_good_estimate_goes_straight_to_the_goal() {
        // A square of numbers with a goal in the far corner.
        let side = 40;
        let edges = (0..side * side)
            .map(|state: u32| {
                let right = (state % side + 1 < side).then_some(state + 1);
                let down = (state + side < side * side).then_some(state + side);
                right.into_iter().chain(down).collect()
            })
            .collect();
        let findings = vec![(side * side - 1, PropertyId(0), None)];
        let graph = Graph { initial: vec![0], edges, findings, ..Graph::default() };
        let exact = |_: Option<&[u8]>, state: &[u8], _: &NoRegion| {
            let state = Graph::decode(state);
            2 * (side - 1) - state % side - state / side
        };
        let plain = breadth_first(&graph, &options(), &mut NoMonitor);
        assert_eq!(plain.statistics.states, 1600);
        for priority in [Priority::Best, Priority::Sum { weight: 1.0 }] {
            let outcome = best_first(&graph, &exact, priority, &options(), &mut NoMonitor);
            assert_eq!(outcome.evidence[0].1.as_ref().unwrap().choices.len(), 78);
            assert!(outcome.statistics.states < 200, "{priority:?}: {:?}", outcome.statistics);
        }
    }

    #[test]
    fn estimates_see_where_a_state_was_reached_from() {
        let edges = vec![vec![1, 2], vec![3], vec![3], vec![]];
        let graph = Graph { initial: vec![0], edges, ..Graph::default() };
        let seen = std::cell::RefCell::new(Vec::new());
        let estimate = |from: Option<&[u8]>, state: &[u8], _: &NoRegion| {
            seen.borrow_mut().push((from.map(Graph::decode), Graph::decode(state)));
            0
        };
        best_first(&graph, &estimate, Priority::Best, &options(), &mut NoMonitor);
        assert_eq!(seen.into_inner(), [(None, 0), (Some(0), 1), (Some(0), 2), (Some(2), 3)]);
    }

    #[test]
    fn random_best_depth_first_goes_deep_and_depends_on_its_seed() {
        // A comb: from every state of the back one step to a tooth and one along the back.
        let n_teeth = 50;
        let edges = (0..2 * n_teeth)
            .map(|state: u32| match state {
                back if back + 1 < n_teeth => vec![back + 1, n_teeth + back],
                _ => vec![],
            })
            .collect();
        let graph = Graph { initial: vec![0], edges, ..Graph::default() };
        let flat = |_: Option<&[u8]>, _: &[u8], _: &NoRegion| 0;
        let run = |seed| best_first(&graph, &flat, Priority::Deepest { seed }, &options(), &mut NoMonitor);
        assert_eq!(run(1).statistics.max_depth, u64::from(n_teeth) - 1);
        assert_eq!(run(1).statistics, run(1).statistics);
    }

    #[test]
    fn a_bound_on_depth_is_kept_and_misses_nothing_within() {
        let mut random = Random::new(9);
        for _ in 0..200 {
            let (graph, _) = random_graph(&mut random);
            let estimate = |_: Option<&[u8]>, state: &[u8], _: &NoRegion| Graph::decode(state) * 7 % 5;
            for max_depth in [1, 3, 6] {
                let bounded = Options { max_depth: Some(max_depth), ..options() };
                let expected = breadth_first(&graph, &bounded, &mut NoMonitor);
                let outcome = best_first(&graph, &estimate, Priority::Best, &bounded, &mut NoMonitor);
                let trace = outcome.evidence[0].1.as_ref();
                assert_eq!(trace.is_some(), expected.evidence[0].1.is_some());
                assert!(trace.is_none_or(|trace| trace.choices.len() <= max_depth as usize));
            }
        }
    }
}
