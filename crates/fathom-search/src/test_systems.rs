//! Systems for tests: a graph written down, and a machine with intervals for regions.

use std::sync::{Arc, Mutex};

use fathom_model::{Fault, NoRegion, PropertyId, Region, Steps, System};

/// A graph whose states are numbers. A label is the number of the state reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) initial: Vec<u32>,
    /// By state; states without a row have no steps.
    pub(crate) edges: Vec<Vec<u32>>,
    /// Findings about states, and what went wrong.
    pub(crate) findings: Vec<(u32, PropertyId, Option<Fault>)>,
    /// Findings before the first step.
    pub(crate) initial_findings: Vec<PropertyId>,
    /// States in the order of their expansion, filled only when there is a log at all.
    pub(crate) log: Option<Arc<Mutex<Vec<u32>>>>,
}

impl Graph {
    /// 0 → 1 → … → `last`, with a finding about property 0 at the end.
    pub(crate) fn chain(last: u32) -> Graph {
        let edges = (0..last).map(|state| vec![state + 1]).collect();
        Graph {
            initial: vec![0],
            edges,
            findings: vec![(last, PropertyId(0), Some(Fault::Assertion))],
            ..Graph::default()
        }
    }

    /// The bytes of a state: as few as possible, so that states differ in length.
    pub(crate) fn encode(state: u32) -> ([u8; 4], usize) {
        (state.to_le_bytes(), 4 - state.leading_zeros() as usize / 8)
    }

    pub(crate) fn decode(bytes: &[u8]) -> u32 {
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
    }

    pub(crate) fn edges(&self, state: u32) -> &[u32] {
        self.edges.get(state as usize).map_or(&[], Vec::as_slice)
    }

    /// What the log has collected, which is empty after that.
    pub(crate) fn take_log(&self) -> Vec<u32> {
        std::mem::take(&mut self.log.as_ref().unwrap().lock().unwrap())
    }

    /// All properties of findings about states, each once.
    pub(crate) fn properties(&self) -> Vec<PropertyId> {
        let mut properties: Vec<PropertyId> =
            self.findings.iter().map(|(_, property, _)| *property).collect();
        properties.sort();
        properties.dedup();
        properties
    }
}

impl System for Graph {
    type Region = NoRegion;
    type Label = u32;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, _: &mut (), out: &mut Steps<NoRegion, u32>) {
        for &property in &self.initial_findings {
            out.find(property, None, &[77]);
        }
        for &state in &self.initial {
            let (bytes, length) = Graph::encode(state);
            out.push(&bytes[..length], NoRegion, &[state]);
        }
    }

    fn successors(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, u32>) {
        let state = Graph::decode(state);
        if let Some(log) = &self.log {
            log.lock().unwrap().push(state);
        }
        for (_, property, fault) in self.findings.iter().filter(|(found, _, _)| *found == state) {
            out.find(*property, fault.clone(), &[]);
        }
        for &target in self.edges(state) {
            let (bytes, length) = Graph::encode(target);
            out.push(&bytes[..length], NoRegion, &[target]);
        }
    }
}

/// All whole numbers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub(crate) low: i32,
    pub(crate) high: i32,
}

impl Interval {
    pub(crate) fn new(low: i32, high: i32) -> Interval {
        Interval { low, high }
    }

    fn intersect(self, other: Interval) -> Option<Interval> {
        let both = Interval::new(self.low.max(other.low), self.high.min(other.high));
        (both.low <= both.high).then_some(both)
    }

    pub(crate) fn contains(self, value: i32) -> bool {
        self.low <= value && value <= self.high
    }
}

impl Region for Interval {
    fn includes(&self, other: &Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    fn assert_valid(&self) {
        assert!(self.low <= self.high);
    }
}

/// Values that a counter can have; a step that leaves them is cut to them.
pub(crate) const VALUES: Interval = Interval { low: 0, high: 15 };

/// One edge of a counter machine: if the counter is within the guard, any number within `change` is added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CounterEdge {
    pub(crate) from: u8,
    pub(crate) guard: Interval,
    pub(crate) change: Interval,
    pub(crate) to: u8,
}

/// A machine with one counter: the explicit part is the location, the region a set of counter values. There
/// is a property for each location and value, with evidence when the counter can have the value there.
#[derive(Clone, Debug)]
pub(crate) struct CounterMachine {
    pub(crate) initial: Vec<(u8, Interval)>,
    pub(crate) edges: Vec<CounterEdge>,
}

impl CounterMachine {
    pub(crate) fn property(location: u8, value: i32) -> PropertyId {
        PropertyId(u32::from(location) * 100 + value as u32)
    }
}

impl System for CounterMachine {
    type Region = Interval;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, _: &mut (), out: &mut Steps<Interval, ()>) {
        for &(location, values) in &self.initial {
            out.push(&[location], values, &[]);
        }
    }

    fn successors(&self, state: &[u8], values: &Interval, _: &mut (), out: &mut Steps<Interval, ()>) {
        for value in values.low..=values.high {
            out.find(CounterMachine::property(state[0], value), None, &[]);
        }
        for edge in self.edges.iter().filter(|edge| edge.from == state[0]) {
            let Some(enabled) = values.intersect(edge.guard) else {
                continue;
            };
            let after = Interval::new(enabled.low + edge.change.low, enabled.high + edge.change.high);
            if let Some(after) = after.intersect(VALUES) {
                out.push(&[edge.to], after, &[]);
            }
        }
    }
}
