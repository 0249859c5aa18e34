//! Systems for tests: a graph written down, dining philosophers in one word, and counters with intervals.

use std::ops::Range;

use fathom_model::{Fault, NoRegion, PropertyId, Region, Steps, System};

/// The property that tests ask about.
pub(crate) const GOAL: PropertyId = PropertyId(0);

/// A graph whose states are numbers of four bytes; each step of a state is a portion of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) initial: Vec<u32>,
    /// By state; states without a row have no steps.
    pub(crate) edges: Vec<Vec<u32>>,
    /// States with a finding about [`GOAL`].
    pub(crate) goals: Vec<u32>,
    /// Whether there is one portion only.
    pub(crate) is_undivided: bool,
}

impl Graph {
    /// 0 → 1 → … → `last`, with a finding at the end.
    pub(crate) fn chain(last: u32) -> Graph {
        Graph {
            initial: vec![0],
            edges: (0..last).map(|state| vec![state + 1]).collect(),
            goals: vec![last],
            is_undivided: false,
        }
    }

    pub(crate) fn decode(state: &[u8]) -> u32 {
        u32::from_le_bytes(state.try_into().expect("four bytes"))
    }

    pub(crate) fn row(&self, state: u32) -> &[u32] {
        self.edges.get(state as usize).map_or(&[], Vec::as_slice)
    }

    fn look(&self, state: u32, out: &mut Steps<NoRegion, u32>) {
        if self.goals.contains(&state) {
            out.find(GOAL, Some(Fault::Assertion), &[]);
        }
    }
}

impl System for Graph {
    type Region = NoRegion;
    type Label = u32;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, _: &mut (), out: &mut Steps<NoRegion, u32>) {
        for &state in &self.initial {
            out.push(&state.to_le_bytes(), NoRegion, &[state]);
        }
    }

    fn successors(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, u32>) {
        let state = Graph::decode(state);
        self.look(state, out);
        for &target in self.row(state) {
            out.push(&target.to_le_bytes(), NoRegion, &[target]);
        }
    }

    fn portions(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, u32>) -> usize {
        if self.is_undivided {
            return 1;
        }
        let state = Graph::decode(state);
        self.look(state, out);
        // One more than there are steps: portions may be empty.
        self.row(state).len() + 1
    }

    fn portion(
        &self,
        among: Range<usize>,
        state: &[u8],
        region: &NoRegion,
        scratch: &mut (),
        out: &mut Steps<NoRegion, u32>,
    ) -> usize {
        if self.is_undivided {
            self.successors(state, region, scratch, out);
            return among.end;
        }
        let row = self.row(Graph::decode(state));
        // The first portion is the empty one.
        match among.clone().find(|&portion| portion > 0) {
            Some(portion) => {
                out.push(&row[portion - 1].to_le_bytes(), NoRegion, &[row[portion - 1]]);
                portion + 1
            }
            None => among.end,
        }
    }
}

/// Three dining philosophers in the word of the source: from the most significant bit, philosopher 1 (two bits),
/// the fork between 1 and 2, philosopher 2, the fork between 2 and 3, philosopher 3, the fork between 3 and 1. The
/// steps are in the order that gives the published numbers: by action, and then philosophers 1, 3, 2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Philosophers;

impl Philosophers {
    /// The numbers that the source gives to the words.
    pub(crate) const NUMBERED: [u16; 26] = [
        0, 129, 10, 80, 13, 139, 90, 7, 93, 219, 87, 321, 209, 448, 331, 458, 461, 455, 233, 104, 56, 185,
        111, 63, 377, 504,
    ];

    fn steps(word: u16) -> Vec<u16> {
        // By philosopher: the place of the two bits, of the left fork, of the right fork.
        let places = [(7, 0, 6), (4, 6, 3), (1, 3, 0)];
        let mut steps = Vec::new();
        for action in 0..4 {
            for philosopher in [0, 2, 1] {
                let (at, left, right): (u16, u16, u16) = places[philosopher];
                let fork = if action == 0 || action == 2 { left } else { right };
                let takes = action < 2;
                if word >> at & 3 == action && (word >> fork & 1 == 0) == takes {
                    let moved = word & !(3 << at) | ((action + 1) % 4) << at;
                    steps.push(moved ^ 1 << fork);
                }
            }
        }
        steps
    }
}

impl System for Philosophers {
    type Region = NoRegion;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, _: &mut (), out: &mut Steps<NoRegion, ()>) {
        out.push(&[0, 0], NoRegion, &[]);
    }

    fn successors(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, ()>) {
        let steps = Philosophers::steps(u16::from_le_bytes([state[0], state[1]]));
        if steps.is_empty() {
            out.find(GOAL, None, &[]);
        }
        for step in steps {
            out.push(&step.to_le_bytes(), NoRegion, &[]);
        }
    }
}

/// A set of numbers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub(crate) low: u32,
    pub(crate) high: u32,
}

impl Region for Interval {
    fn includes(&self, other: &Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    fn fingerprint(&self) -> u64 {
        u64::from(self.low) << 32 | u64::from(self.high)
    }
}

/// A counter whose value is known to lie in an interval: all of the state is in the region. It is raised or
/// doubled; the goal is a value that lies in the interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growing {
    pub(crate) goal: u32,
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
