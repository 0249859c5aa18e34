//! Leaving out steps: does the rest still lead there?
//!
//! A random walk of many processes is full of detours that have nothing to do with the error: a process goes once
//! round and is where it was. Some steps of some portions (processes) are left out, the others are followed as they
//! are, and those that are not possible any more are left out, too. When the evidence is at the end, the shorter way
//! replaces the longer one.
//!
//! This is delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE
//! 2002) of a schedule, with the windows laid along processes and not along time. First all processes at once are
//! allowed no more than a few steps each, and where that is too few, half of them, a quarter, and so on: thousands
//! of processes are dealt with in a few trials when they are alike. Then single processes lose windows of steps.

use fathom_model::System;

use crate::race::{Done, Watch};
use crate::shorten::has_evidence;
use crate::way::{Follower, Hop, Way};

/// Most steps of a portion that are left out at all places; longer windows begin at the ends only.
const SHORT: usize = 12;

/// Processes are first allowed so many steps each, from none on.
const FEW_STEPS: usize = 8;

/// Trials with groups of processes for each number of steps allowed, after one with all of them.
const GROUP_TRIALS: u32 = 48;

/// Leaves out steps as long as that works, and as long as the budget, counted in bytes of states, is not used up.
pub(crate) fn leave_out<S: System>(system: &S, way: &mut Way, budget: &mut u64, watch: &Watch<'_>) {
    divide(system, way);
    let mut leaving = Leaving { follower: Follower::new(system), way, budget, watch };
    let n_portions = leaving.places().len();
    if n_portions < 2 {
        // All steps are of one process: there is no rest to follow.
        return;
    }
    for n_trials in [1, GROUP_TRIALS] {
        for n_allowed in 0..FEW_STEPS {
            for side in [Side::First, Side::Last] {
                let portions: Vec<u32> = leaving.places().into_iter().map(|(portion, _)| portion).collect();
                leaving.allow_few(&portions, n_allowed, side, &mut n_trials.clone());
            }
        }
    }
    let portions: Vec<u32> = leaving.places().into_iter().map(|(portion, _)| portion).collect();
    for portion in portions {
        while leaving.goes_on() && leaving.shorten_portion(portion) {}
    }
}

/// Which steps of a process are kept.
#[derive(Clone, Copy)]
enum Side {
    First,
    Last,
}

/// A leaving out under way.
struct Leaving<'a, 's, S: System> {
    follower: Follower<'s, S>,
    way: &'a mut Way,
    budget: &'a mut u64,
    watch: &'a Watch<'a>,
}

impl<S: System> Leaving<'_, '_, S> {
    /// The places of the steps of each portion.
    fn places(&self) -> Vec<(u32, Vec<usize>)> {
        let mut places = std::collections::BTreeMap::<u32, Vec<usize>>::new();
        for (place, hop) in self.way.hops.iter().enumerate() {
            places.entry(hop.portion).or_default().push(place);
        }
        places.into_iter().collect()
    }

    fn goes_on(&self) -> bool {
        *self.budget > 0 && self.watch.goes_on(Done::default())
    }

    /// Leaves all but a few steps of each of these portions out; where that does not work, of half of them.
    fn allow_few(&mut self, portions: &[u32], n_allowed: usize, side: Side, n_trials: &mut u32) {
        let mut left_out = Vec::new();
        for (portion, places) in self.places() {
            if portions.binary_search(&portion).is_ok() && places.len() > n_allowed {
                left_out.extend(match side {
                    Side::First => &places[n_allowed..],
                    Side::Last => &places[..places.len() - n_allowed],
                });
            }
        }
        left_out.sort_unstable();
        if left_out.is_empty() || *n_trials == 0 || !self.goes_on() {
            return;
        }
        *n_trials -= 1;
        if !self.try_without(&left_out) && portions.len() > 1 {
            let (one, other) = portions.split_at(portions.len() / 2);
            self.allow_few(one, n_allowed, side, n_trials);
            self.allow_few(other, n_allowed, side, n_trials);
        }
    }

    /// Leaves consecutive steps of one portion out, the most that is possible. Says whether any.
    fn shorten_portion(&mut self, portion: u32) -> bool {
        let places: Vec<usize> =
            (0..self.way.len()).filter(|&place| self.way.hops[place].portion == portion).collect();
        let mut size = places.len();
        while size > 0 {
            let n_windows = places.len() - size + 1;
            for start in 0..n_windows {
                let at_an_end = start == 0 || start + 1 == n_windows;
                if size > SHORT && !at_an_end {
                    continue;
                }
                if !self.goes_on() {
                    return false;
                }
                if self.try_without(&places[start..start + size]) {
                    return true;
                }
            }
            size = if size > SHORT * 2 { size / 2 } else { size - 1 };
        }
        false
    }

    /// Replaces the way by the one without these steps, and without those that are not possible then, if it still
    /// shows its evidence.
    fn try_without(&mut self, left_out: &[usize]) -> bool {
        if !self.follower.start(self.way.initial) {
            return false;
        }
        let cost = (self.way.len() as u64).saturating_mul(256 + self.follower.state.len() as u64);
        *self.budget = self.budget.saturating_sub(cost);
        let done = Done { n_states: self.way.len() as u64, ..Done::default() };
        self.watch.goes_on(done);
        let mut hops = Vec::with_capacity(self.way.len() - left_out.len());
        for (place, &hop) in self.way.hops.iter().enumerate() {
            if left_out.binary_search(&place).is_err() && self.follower.take(hop) {
                hops.push(hop);
            }
        }
        let is_evidence = has_evidence(&mut self.follower, self.way);
        if is_evidence {
            self.way.hops = hops;
        }
        is_evidence
    }
}

/// Names all steps by their portions, as far as they have one.
fn divide<S: System>(system: &S, way: &mut Way) {
    if way.hops.iter().all(|hop| hop.portion != Hop::ALL) {
        return;
    }
    let mut follower = Follower::new(system);
    if !follower.start(way.initial) {
        return;
    }
    for hop in &mut way.hops {
        if hop.portion == Hop::ALL {
            *hop = follower.hop_of_index(hop.index).unwrap_or(*hop);
        }
        if !follower.take(*hop) {
            return;
        }
    }
}
