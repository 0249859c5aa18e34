//! Systems with intervals for regions.

use fathom_model::{PropertyId, Region, Steps, System};

use super::GOAL;

/// All whole numbers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The smallest.
    pub low: i32,
    /// The largest.
    pub high: i32,
}

impl Interval {
    /// From one number to another.
    pub fn new(low: i32, high: i32) -> Interval {
        Interval { low, high }
    }

    fn intersect(self, other: Interval) -> Option<Interval> {
        let both = Interval::new(self.low.max(other.low), self.high.min(other.high));
        (both.low <= both.high).then_some(both)
    }

    /// Whether a number is one of them.
    pub fn contains(self, value: i32) -> bool {
        self.low <= value && value <= self.high
    }
}

impl Region for Interval {
    fn includes(&self, other: &Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    fn fingerprint(&self) -> u64 {
        u64::from(self.low as u32) << 32 | u64::from(self.high as u32)
    }

    fn assert_valid(&self) {
        assert!(self.low <= self.high);
    }
}

/// Values that a counter can have; a step that leaves them is cut to them.
pub const VALUES: Interval = Interval { low: 0, high: 15 };

/// One edge of a counter machine: if the counter is within the guard, any number within `change` is added.
#[derive(Clone, Copy, Debug)]
pub struct CounterEdge {
    /// Where it leaves.
    pub from: u8,
    /// When.
    pub guard: Interval,
    /// What is added.
    pub change: Interval,
    /// Where it leads.
    pub to: u8,
}

/// A machine with one counter: the explicit part is the location, the region a set of counter values. There
/// is a property for each location and value, with evidence when the counter can have the value there.
#[derive(Clone, Debug)]
pub struct CounterMachine {
    /// Locations with values.
    pub initial: Vec<(u8, Interval)>,
    /// The edges.
    pub edges: Vec<CounterEdge>,
}

impl CounterMachine {
    /// The property of a location and a value.
    pub fn property(location: u8, value: i32) -> PropertyId {
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

/// A counter whose value is known to lie in an interval: all of the state is in the region. It is raised or
/// doubled; the goal is a value that lies in the interval.
#[derive(Clone, Copy, Debug)]
pub struct Growing {
    /// The value that is looked for.
    pub goal: i32,
}

impl System for Growing {
    type Region = Interval;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, _: &mut (), out: &mut Steps<Interval, ()>) {
        out.push(&[7], Interval { low: 1, high: 1 }, &[]);
    }

    fn successors(&self, state: &[u8], region: &Interval, _: &mut (), out: &mut Steps<Interval, ()>) {
        let Interval { low, high } = *region;
        if low <= self.goal && self.goal <= high {
            out.find(GOAL, None, &[]);
        }
        if high < 1000 {
            out.push(state, Interval { low: low + 2, high: high + 2 }, &[]);
            out.push(state, Interval { low: low * 2, high: high * 2 }, &[]);
        }
    }
}
