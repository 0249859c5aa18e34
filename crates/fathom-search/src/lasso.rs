//! A short lasso in a component that is known to have one.
//!
//! The way into the component is a shortest one among the states that the search has stored, found breadth-first. Inside,
//! the loop goes breadth-first to the nearest step with marks that are still missing, again and again, and then back to
//! where it began; it begins where the component is entered, or later, at the first step with marks that
//! counts, whichever is shorter. Steps that the entry does not need are left out of the loop.
//!
//! That is not the shortest lasso there is, which is hard to find with several sets (Clarke, Grumberg, McMillan
//! and Zhao, DAC 1995), but it costs little more than the states near it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use fathom_model::{Accepting, Evidence, NoRegion, Steps, Trace};
use fathom_store::{NumberedStore, Opened};

/// Most states that a search for a shorter way into the component looks at.
const MOST_LOOKED_AT: usize = 2_000_000;

/// States by key.
type ByKey<T> = HashMap<u64, T, BuildHasherDefault<Mixed>>;

/// A hash of a key: its product with an odd number, both halves together.
#[derive(Default, Debug)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15_u128;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

/// Looks for lassos in a component.
pub(crate) struct Lassos<'a, S: Accepting<Region = NoRegion>> {
    system: &'a S,
    store: &'a mut NumberedStore,
    /// The numbers of the states of the component.
    numbers: Range<u32>,
    scratch: S::Scratch,
    steps: Steps<NoRegion, S::Label>,
    opened: Opened,
}

/// How a breadth-first search came to a state.
#[derive(Clone, Copy, Debug)]
struct Came {
    /// The state before; none where the search began.
    from: Option<u64>,
    choice: u32,
}

/// A way through the component.
#[derive(Clone, Default, Debug)]
struct Way {
    choices: Vec<u32>,
    /// The marks on the way, the last step included.
    marks: u64,
    /// The state before the last step, and the one after it.
    last: Option<(u64, u64)>,
}

/// A step, with what is known of it.
#[derive(Clone, Copy, Debug)]
struct Step {
    key: u64,
    choice: u32,
    marks: u64,
}

impl<'a, S: Accepting<Region = NoRegion>> Lassos<'a, S> {
    /// For the component of the states with these numbers.
    pub(crate) fn new(system: &'a S, store: &'a mut NumberedStore, numbers: Range<u32>) -> Lassos<'a, S> {
        let (scratch, steps, opened) = (system.scratch(), Steps::new(), Opened::default());
        Lassos { system, store, numbers, scratch, steps, opened }
    }

    /// A lasso through the component. A way to one of its states is known: the initial state, then choices.
    pub(crate) fn short_lasso(&mut self, root: u64, way: &[u32]) -> Trace {
        let (entry, way) = self.shortest_entry().unwrap_or_else(|| (root, way.to_vec()));
        let through_entry = self.closed_walk(entry);
        // The way to the first mark need not be walked again each time round.
        let best = match self.way_to(entry, |step| step.marks != 0) {
            Some(Way { choices, last: Some((from, _)), .. }) if from != entry => {
                let later = self.closed_walk(from);
                let n_before = choices.len() - 1;
                (n_before + later.len() < through_entry.len()).then(|| (choices[..n_before].to_vec(), later))
            }
            _ => None,
        };
        let (before, around) = best.unwrap_or((Vec::new(), through_entry));
        let (initial, rest) = way.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
        let mut choices = rest.to_vec();
        choices.extend(before);
        let loop_at = choices.len();
        choices.extend(around);
        Trace { initial, choices, evidence: Evidence::State, loop_at: Some(loop_at) }
    }

    fn is_inside(&self, key: u64) -> bool {
        self.store.number(key).is_some_and(|number| self.numbers.contains(&number))
    }

    /// The steps that leave a state and lead to stored states; those of the initial states without a state.
    fn expand(&mut self, key: Option<u64>) -> Vec<Step> {
        self.steps.clear();
        let mut state = Vec::new();
        match key {
            None => self.system.initial(&mut self.scratch, &mut self.steps),
            Some(key) => {
                state.extend_from_slice(self.store.open(key, &mut self.opened));
                self.system.successors(&state, &NoRegion, &mut self.scratch, &mut self.steps);
            }
        }
        let mut found = Vec::with_capacity(self.steps.len());
        for index in 0..self.steps.len() {
            let Some(reached) = self.store.key(self.steps.state(index), &mut self.opened) else { continue };
            let reached = self.store.renewed(reached);
            if self.store.number(reached).is_some() {
                let marks = key.map_or(0, |_| self.system.marks(&state, &self.scratch, index));
                found.push(Step { key: reached, choice: index as u32, marks });
            }
        }
        found
    }

    /// The nearest state of the component, with the way to it. None when too many others are nearer.
    fn shortest_entry(&mut self) -> Option<(u64, Vec<u32>)> {
        let mut came: ByKey<Came> = ByKey::default();
        let mut queue = Vec::new();
        let mut from = None;
        let mut at = 0;
        loop {
            for step in self.expand(from) {
                if came.contains_key(&step.key) {
                    continue;
                }
                came.insert(step.key, Came { from, choice: step.choice });
                if self.is_inside(step.key) {
                    return Some((step.key, way_back(&came, step.key)));
                }
                queue.push(step.key);
            }
            if queue.len() > MOST_LOOKED_AT {
                return None;
            }
            from = Some(*queue.get(at)?);
            at += 1;
        }
    }

    /// The shortest way inside the component from a state up to and including a step that is wanted.
    fn way_to(&mut self, start: u64, is_wanted: impl Fn(Step) -> bool) -> Option<Way> {
        let mut came: ByKey<Came> = ByKey::default();
        came.insert(start, Came { from: None, choice: 0 });
        let mut queue = vec![start];
        let mut at = 0;
        while let Some(&from) = queue.get(at) {
            at += 1;
            for step in self.expand(Some(from)) {
                if !self.is_inside(step.key) {
                    continue;
                }
                if is_wanted(step) {
                    let mut choices = way_back(&came, from).split_off(1);
                    choices.push(step.choice);
                    return Some(Way { choices, marks: step.marks, last: Some((from, step.key)) });
                }
                came.entry(step.key).or_insert_with(|| {
                    queue.push(step.key);
                    Came { from: Some(from), choice: step.choice }
                });
            }
        }
        None
    }

    /// A walk inside the component from a state back to it, by way of all sets.
    fn closed_walk(&mut self, start: u64) -> Vec<u32> {
        let all = self.system.all_marks();
        let mut choices = Vec::new();
        let (mut at, mut marks) = (start, 0);
        while marks != all {
            let missing = all & !marks;
            let Some(way) = self.way_to(at, |step| step.marks & missing != 0) else { break };
            choices.extend(way.choices);
            marks |= way.marks;
            at = way.last.map_or(at, |(_, to)| to);
        }
        if at != start || choices.is_empty() {
            let home = self.way_to(at, |step| step.key == start);
            choices.extend(home.into_iter().flat_map(|way| way.choices));
        }
        choices
    }
}

/// The choices that led to a state, those of the start included.
fn way_back(came: &ByKey<Came>, to: u64) -> Vec<u32> {
    let mut choices = Vec::new();
    let mut at = Some(to);
    while let Some(step) = at.and_then(|key| came.get(&key)) {
        choices.push(step.choice);
        at = step.from;
    }
    choices.reverse();
    choices
}
