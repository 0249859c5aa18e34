//! Branch and bound: of all evidence the cheapest.
//!
//! A first trace is looked for as in best-first search. Its cost is the bound: what costs as much already is not
//! expanded any more, every cheaper trace lowers the bound, and when nothing is left the last one is the cheapest.
//! Source: Land and Doig, "An automatic method of solving discrete programming problems" (1960).
//!
//! Cost is the number of steps, or the value of a state that the user names, which must never become less along a way;
//! when it does, what was cut off may have been cheaper in the end, and nothing is claimed. With steps as the cost a
//! state that comes back on a shorter way is expanded again, and an estimate that is a lower bound is added to the
//! steps so far. With a value of the state there is nothing to reopen: the same state costs the same.
//!
//! It has a loop of its own because findings change what is explored, and do not end it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fathom_model::{Finding, Statistics, Steps, Stop, System, Trace};
use fathom_store::{ExactStore, Insert, Keep, Store};

use crate::best_first::Estimate;
use crate::options::{Monitor, Options, Progress};
use crate::ordered::{Node, way_to};
use crate::outcome::Outcome;
use crate::pace::Pace;
use crate::sample::fit_to_sample;
use crate::search::trace_to;

/// What a trace costs.
pub enum Cost<'c, R> {
    /// The number of its steps; estimates may be lower bounds of what is left.
    Steps {
        /// Whether estimates never exceed the true distance.
        is_lower_bound: bool,
    },
    /// The value of its last state.
    Value(&'c dyn Fn(&[u8], &R) -> i64),
}

/// What is known about the cost.
#[derive(Clone, Debug)]
pub struct Cheapest {
    /// What was seen.
    pub outcome: Outcome,
    /// The cost of the trace of each property, in the order of the options.
    pub costs: Vec<Option<i64>>,
    /// Whether nothing cheaper is possible: everything cheaper was explored, and the cost never became less.
    pub is_proved: bool,
    /// Whether a step made the cost less.
    pub has_decreased: bool,
}

/// Expansions between two looks at the monitor.
const EXPANSIONS_BETWEEN_POLLS: u32 = 500;

/// Looks for the cheapest evidence about each property.
pub fn branch_and_bound<S: System>(
    system: &S,
    estimate: &Estimate<'_, S::Region>,
    cost: &Cost<'_, S::Region>,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Cheapest {
    let keep = match (size_of::<S::Region>(), cost) {
        (0, Cost::Steps { .. }) => Keep::Depths,
        (0, Cost::Value(_)) if options.max_depth.is_some() => Keep::Depths,
        _ => Keep::Covered,
    };
    let mut store: ExactStore<S::Region> = ExactStore::new(keep);
    fit_to_sample(system, options, &mut store);
    store.set_limits(options.max_states.unwrap_or(u64::MAX), options.max_bytes.unwrap_or(u64::MAX));
    let mut bounding = Bounding {
        system,
        estimate,
        cost,
        options,
        store,
        scratch: system.scratch(),
        steps: Steps::new(),
        open: BinaryHeap::new(),
        nodes: Vec::new(),
        costs_of_nodes: Vec::new(),
        best: vec![None; options.properties.len()],
        has_decreased: false,
        depth_cut: false,
        statistics: Statistics::default(),
    };
    let stop = bounding.explore(monitor).err().unwrap_or(Stop::Exhausted);
    bounding.into_result(stop)
}

struct Bounding<'a, S: System> {
    system: &'a S,
    estimate: &'a Estimate<'a, S::Region>,
    cost: &'a Cost<'a, S::Region>,
    options: &'a Options,
    store: ExactStore<S::Region>,
    scratch: S::Scratch,
    steps: Steps<S::Region, S::Label>,
    /// Estimate and cost, small first, and of equals the later one.
    open: BinaryHeap<(Reverse<(u32, i64)>, u32)>,
    nodes: Vec<Node>,
    /// What a trace through each node costs at least.
    costs_of_nodes: Vec<i64>,
    best: Vec<Option<(i64, Trace)>>,
    has_decreased: bool,
    depth_cut: bool,
    statistics: Statistics,
}

impl<S: System> Bounding<'_, S> {
    fn explore(&mut self, monitor: &mut dyn Monitor) -> Result<(), Stop> {
        self.system.initial(&mut self.scratch, &mut self.steps);
        self.note(None);
        self.add(None, &[], 0)?;
        let mut opened = Default::default();
        let mut from = Vec::new();
        let mut pace = Pace::from_now(EXPANSIONS_BETWEEN_POLLS);
        while let Some((_, number)) = self.open.pop() {
            if pace.is_due() || self.options.is_alarmed() {
                self.poll(monitor)?;
            }
            let Node { id, depth, .. } = self.nodes[number as usize];
            if self.costs_of_nodes[number as usize] >= self.bound() || self.store.is_covered(id) {
                pace.count(0, &self.steps);
                continue;
            }
            self.steps.clear();
            let (state, region) = self.store.open(id, &mut opened);
            from.clear();
            from.extend_from_slice(state);
            self.system.successors(state, region, &mut self.scratch, &mut self.steps);
            pace.count(self.steps.len(), &self.steps);
            self.statistics.transitions += self.steps.len() as u64;
            self.note(Some(number));
            if self.options.max_depth.is_some_and(|max_depth| depth >= max_depth) {
                self.depth_cut |= !self.steps.is_empty();
                continue;
            }
            self.add(Some(number), &from, depth + 1)?;
        }
        Ok(())
    }

    /// From this cost on nothing is of interest: there is evidence about every property, and none costs more.
    fn bound(&self) -> i64 {
        let costs = self.best.iter().map(|best| best.as_ref().map_or(i64::MAX, |(cost, _)| *cost));
        costs.max().unwrap_or(i64::MAX)
    }

    /// What the state of a node costs itself.
    fn own_cost(&self, number: u32) -> i64 {
        match self.cost {
            Cost::Steps { .. } => i64::from(self.nodes[number as usize].depth),
            Cost::Value(_) => self.costs_of_nodes[number as usize],
        }
    }

    fn note(&mut self, node: Option<u32>) {
        let cost = node.map_or(0, |number| self.own_cost(number));
        let mut better: Vec<(usize, Finding)> = Vec::new();
        for finding in self.steps.findings() {
            let asked = self.options.properties.iter().position(|&property| property == finding.property);
            let Some(index) = asked else { continue };
            let is_better = self.best[index].as_ref().is_none_or(|(old, _)| cost < *old);
            if is_better && !better.iter().any(|(known, _)| *known == index) {
                better.push((index, finding.clone()));
            }
        }
        if !better.is_empty() {
            let way = way_to(&self.nodes, node);
            for (index, finding) in better {
                self.best[index] = Some((cost, trace_to(&finding, &way)));
            }
        }
    }

    fn add(&mut self, parent: Option<u32>, from: &[u8], depth: u32) -> Result<(), Stop> {
        let bound = self.bound();
        let mut opened = Default::default();
        for index in 0..self.steps.len() {
            let (state, region) = (self.steps.state(index), self.steps.region(index));
            let estimate = (self.estimate)(parent.map(|_| from), state, region);
            let cost = match self.cost {
                Cost::Steps { is_lower_bound: true } => i64::from(depth) + i64::from(estimate),
                Cost::Steps { is_lower_bound: false } => i64::from(depth),
                Cost::Value(value) => value(state, region),
            };
            if let (Cost::Value(_), Some(parent)) = (self.cost, parent) {
                self.has_decreased |= cost < self.costs_of_nodes[parent as usize];
            }
            if cost >= bound {
                continue;
            }
            let key = self.store.key(state, &mut opened).ok_or(Stop::Memory)?;
            let id = match self.store.insert(key, state, region, depth) {
                Insert::New(id) => id,
                Insert::Known => {
                    self.statistics.matched += 1;
                    continue;
                }
                Insert::Full
                    if self.options.max_states.is_some_and(|most| self.store.len() as u64 >= most) =>
                {
                    return Err(Stop::States);
                }
                Insert::Full => return Err(Stop::Memory),
            };
            let number = u32::try_from(self.nodes.len()).map_err(|_| Stop::Memory)?;
            self.nodes.push(Node {
                id,
                parent: parent.map_or(0, |parent| parent + 1),
                choice: index as u32,
                depth,
            });
            self.costs_of_nodes.push(cost);
            self.open.push((Reverse((estimate, cost)), number));
            self.statistics.max_depth = self.statistics.max_depth.max(u64::from(depth));
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let frontier = self.nodes.capacity() * (size_of::<Node>() + size_of::<i64>())
            + self.open.capacity() * size_of::<(Reverse<(u32, i64)>, u32)>();
        (Store::<S::Region>::bytes(&self.store) + frontier) as u64
    }

    fn poll(&mut self, monitor: &mut dyn Monitor) -> Result<(), Stop> {
        let bytes = self.bytes();
        let progress = Progress {
            states: self.store.len() as u64,
            transitions: self.statistics.transitions,
            depth: self.statistics.max_depth,
            pending: self.open.len() as u64,
            bytes,
        };
        match monitor.poll(&progress) {
            Some(stop) => Err(stop),
            None if self.options.max_bytes.is_some_and(|most| bytes > most) => Err(Stop::Memory),
            None => Ok(()),
        }
    }

    fn into_result(self, stop: Stop) -> Cheapest {
        let costs = self.best.iter().map(|best| best.as_ref().map(|(cost, _)| *cost)).collect();
        let is_proved = stop == Stop::Exhausted && !self.depth_cut && !self.has_decreased;
        let store_bytes = self.bytes();
        let statistics = Statistics { states: self.store.len() as u64, store_bytes, ..self.statistics };
        let is_found = self.best.iter().all(Option::is_some);
        let evidence = self.best.into_iter().map(|best| best.map(|(_, trace)| trace));
        let outcome = Outcome {
            evidence: self.options.properties.iter().copied().zip(evidence).collect(),
            stop: match stop {
                // With evidence about everything, states that cost too much were left out.
                Stop::Exhausted if is_found => Stop::Found,
                stop => stop,
            },
            depth_cut: self.depth_cut,
            trust: Store::<S::Region>::trust(&self.store),
            expected_omissions: 0.0,
            profile: None,
            statistics,
        };
        Cheapest { outcome, costs, is_proved, has_decreased: self.has_decreased }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoMonitor, Random, breadth_first, replay};
    use fathom_model::{NoRegion, PropertyId};
    use fathom_testing::systems::Graph;

    fn options() -> Options {
        Options { properties: vec![PropertyId(0)], ..Options::default() }
    }

    fn random_graph(random: &mut Random, n_goals: usize) -> Graph {
        let n_states = 2 + random.below(60) as u32;
        let mut any = || random.below(n_states as usize) as u32;
        let edges =
            (0..n_states).map(|_| (0..any() % 4).map(|_| 0).collect::<Vec<u32>>()).collect::<Vec<_>>();
        let edges = edges.into_iter().map(|list| list.into_iter().map(|_| any()).collect()).collect();
        let findings = (0..n_goals).map(|_| (any(), PropertyId(0), None)).collect();
        Graph { initial: vec![0], edges, findings, ..Graph::default() }
    }

    #[test]
    fn with_steps_as_the_cost_the_trace_is_a_shortest_one() {
        let mut random = Random::new(11);
        let mut n_found = 0;
        for _ in 0..300 {
            let graph = random_graph(&mut random, 2);
            // Misleading on purpose: states are reopened.
            let estimate = |_: Option<&[u8]>, state: &[u8], _: &NoRegion| Graph::decode(state) * 7 % 11;
            let expected = breadth_first(&graph, &options(), &mut NoMonitor);
            let cost = Cost::Steps { is_lower_bound: false };
            let found = branch_and_bound(&graph, &estimate, &cost, &options(), &mut NoMonitor);
            assert!(found.is_proved);
            let length = |trace: &Option<Trace>| trace.as_ref().map(|trace| trace.choices.len());
            assert_eq!(length(&found.outcome.evidence[0].1), length(&expected.evidence[0].1));
            if let Some(trace) = &found.outcome.evidence[0].1 {
                replay(&graph, trace).unwrap();
                n_found += 1;
            } else {
                assert_eq!(found.outcome.stop, Stop::Exhausted);
            }
        }
        assert!(n_found > 50, "{n_found}");
    }

    #[test]
    fn the_cheapest_goal_is_found_and_a_cost_that_falls_proves_nothing() {
        // Two ways: a short one to 3, which costs 30, a long one to 6, which costs 6.
        let edges = vec![vec![1, 2], vec![3], vec![4], vec![], vec![5], vec![6], vec![]];
        let findings = vec![(3, PropertyId(0), None), (6, PropertyId(0), None)];
        let graph = Graph { initial: vec![0], edges, findings, ..Graph::default() };
        let flat = |_: Option<&[u8]>, _: &[u8], _: &NoRegion| 0;
        let rising = |state: &[u8], _: &NoRegion| match Graph::decode(state) {
            3 => 30,
            other => i64::from(other),
        };
        let found = branch_and_bound(&graph, &flat, &Cost::Value(&rising), &options(), &mut NoMonitor);
        assert_eq!((found.costs[0], found.is_proved), (Some(6), true));
        assert_eq!(found.outcome.evidence[0].1.as_ref().unwrap().choices.len(), 4);
        let falling = |state: &[u8], _: &NoRegion| 10 - i64::from(Graph::decode(state));
        let found = branch_and_bound(&graph, &flat, &Cost::Value(&falling), &options(), &mut NoMonitor);
        assert!(found.has_decreased && !found.is_proved);
    }
}
