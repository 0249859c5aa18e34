//! The largest or the least value that something has: what `sup` and `inf` ask about.
//!
//! All states are explored. For an integer the answer is the largest value met. The values of a clock in a zone are known up to the largest constant
//! that counts for the extrapolation; beyond that, zones say only that it is larger. So that constant is made larger until
//! the answer is below it. When time can pass without bound in a state that counts, there is no largest value. A clock that grows
//! without bound in other ways, by steps, ends the attempts without an answer.

use std::collections::HashMap;

use fathom_model::{Region, Steps, System};
use fathom_zone::Zone;

use crate::expr::Expr;
use crate::layout::Valuation;
use crate::network::{ClockConstraint, ClockPlace, Network};
use crate::property::Conjunct;
use crate::ready::{clock_of, constraint_in, holds};
use crate::statement::MOST_CLOCK_VALUE;
use crate::symmetry::Symmetry;
use crate::zone_options::{Extrapolation, ZoneOptions};
use crate::zone_region::{Cover, ZoneRegion};
use crate::zone_system::ZoneSystem;

/// What a value is asked of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Measured {
    /// A clock.
    Clock(ClockPlace),
    /// An integer.
    Integer(Expr),
}

impl Measured {
    /// Something that is the same after an exchange of names exactly if this is.
    pub(crate) fn as_conjunct(&self) -> Conjunct {
        match self {
            Measured::Integer(expr) => Conjunct { conditions: vec![expr.clone()], ..Conjunct::default() },
            Measured::Clock(clock) => {
                let (left, bound) = (Some(clock.clone()), Expr::Constant(0));
                let clocks = vec![ClockConstraint { left, right: None, bound, is_strict: false }];
                Conjunct { clocks, ..Conjunct::default() }
            }
        }
    }
}

/// A question for the largest or the least value of something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extremum {
    /// Whether the largest value is asked for.
    pub is_largest: bool,
    /// The states that count: those in which one of these is true.
    pub among: Vec<Conjunct>,
    /// What is measured.
    pub measured: Measured,
}

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtremumAnswer {
    /// This value, and whether it is only approached.
    Value(i64, bool),
    /// There is no largest value.
    Unbounded,
    /// No state counts.
    Nowhere,
    /// Not found out: the value is at least this, as far as was seen.
    AtLeast(i64),
    /// Someone wanted the search to stop.
    Cut,
}

/// The largest or least value, with states that are alike taken as one. `may_go_on` is asked from time to time with the number of zones; gives that number, too.
pub fn find_extremum(
    network: &Network,
    asked: &Extremum,
    symmetry: Option<&Symmetry>,
    may_go_on: &mut dyn FnMut(u64) -> bool,
) -> (ExtremumAnswer, u64) {
    let mut n_states = 0;
    let mut limit: i64 = 64;
    loop {
        let mut search =
            Search { network, asked, symmetry, limit, best: None, is_beyond: false, is_unbounded: false };
        let is_done = search.explore(&mut n_states, may_go_on);
        if !is_done {
            return (ExtremumAnswer::Cut, n_states);
        }
        if search.is_unbounded {
            return (ExtremumAnswer::Unbounded, n_states);
        }
        if !search.is_beyond {
            let answer = match search.best {
                Some((value, is_strict)) => ExtremumAnswer::Value(value, is_strict),
                None => ExtremumAnswer::Nowhere,
            };
            return (answer, n_states);
        }
        if limit * 8 > i64::from(MOST_CLOCK_VALUE) {
            return (ExtremumAnswer::AtLeast(limit), n_states);
        }
        limit *= 8;
    }
}

struct Search<'a> {
    network: &'a Network,
    asked: &'a Extremum,
    symmetry: Option<&'a Symmetry>,
    /// The largest value of a clock that zones tell apart.
    limit: i64,
    /// The value, and whether it is only approached.
    best: Option<(i64, bool)>,
    is_beyond: bool,
    is_unbounded: bool,
}

impl Search<'_> {
    /// False when someone wanted it to stop.
    fn explore(&mut self, n_states: &mut u64, may_go_on: &mut dyn FnMut(u64) -> bool) -> bool {
        let mut constants = self.asked.among.clone();
        if let Measured::Clock(clock) = &self.asked.measured {
            let side = |is_upper: bool| ClockConstraint {
                left: is_upper.then(|| clock.clone()),
                right: (!is_upper).then(|| clock.clone()),
                bound: Expr::Constant(if is_upper { self.limit } else { -self.limit }),
                is_strict: false,
            };
            constants.push(Conjunct { clocks: vec![side(true), side(false)], ..Conjunct::default() });
        }
        let options = ZoneOptions { extrapolation: Extrapolation::MaxPlus, cover: Cover::Inclusion };
        let system = ZoneSystem::new(self.network, &[], &[], options)
            .restricted_to(&[Conjunct::default()], &constants)
            .with_symmetry(self.symmetry.cloned());
        let (mut scratch, mut steps) = (system.scratch(), Steps::new());
        system.initial(&mut scratch, &mut steps);
        let mut known: Vec<(Vec<u8>, ZoneRegion)> = Vec::new();
        let mut by_state: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        let mut next = 0;
        loop {
            for index in 0..steps.len() {
                let (state, region) = (steps.state(index), steps.region(index));
                let others = by_state.entry(state.to_vec()).or_default();
                if others.iter().any(|&other| known[other].1.includes(region)) {
                    continue;
                }
                others.push(known.len());
                known.push((state.to_vec(), region.clone()));
                *n_states += 1;
                if n_states.is_multiple_of(256) && !may_go_on(*n_states) {
                    return false;
                }
            }
            let Some((state, region)) = known.get(next) else { return true };
            self.measure(&system, state, region);
            next += 1;
            steps.clear();
            system.successors(state, region, &mut scratch, &mut steps);
        }
    }

    /// Takes the values of a state into account.
    fn measure(&mut self, system: &ZoneSystem<'_>, state: &[u8], region: &ZoneRegion) {
        let mut valuation = Valuation::default();
        system.layout().decode(state, &mut valuation);
        let mut source = region.bounds().to_vec();
        if !system.constrain_to_invariants(&valuation, &mut source).unwrap_or(false) {
            return;
        }
        let environment = system.environment(&valuation);
        for conjunct in &self.asked.among {
            if !holds(&conjunct.conditions, &environment).unwrap_or(false) {
                continue;
            }
            let Some(mut zone) = Zone::from_bounds(self.network.dim(), &source) else { continue };
            let is_possible = conjunct.clocks.iter().all(|one| match constraint_in(one, &environment) {
                Ok(Some(one)) => zone.constrain(one.left, one.right, one.bound),
                Ok(None) => true,
                Err(_) => false,
            });
            if !is_possible {
                continue;
            }
            match &self.asked.measured {
                Measured::Integer(expr) => {
                    if let Ok(value) = expr.evaluate(&environment) {
                        self.note(value, false);
                    }
                }
                Measured::Clock(clock) => {
                    if let Ok(clock) = clock_of(Some(clock), &environment) {
                        self.note_clock(system, &valuation, conjunct, &zone, clock);
                    }
                }
            }
        }
    }

    fn note_clock(
        &mut self,
        system: &ZoneSystem<'_>,
        valuation: &Valuation,
        conjunct: &Conjunct,
        zone: &Zone,
        clock: usize,
    ) {
        let bound = if self.asked.is_largest { zone.bound(clock, 0) } else { zone.bound(0, clock) };
        match bound.constant() {
            Some(constant) => {
                let value = if self.asked.is_largest { i64::from(constant) } else { -i64::from(constant) };
                self.is_beyond |= value > self.limit
                    || (value == self.limit && bound.is_strict() && !self.asked.is_largest);
                self.note(value, bound.is_strict());
            }
            None => {
                let waits = conjunct.clocks.iter().all(|one| one.left.is_none() || one.right.is_some());
                self.is_beyond = true;
                self.is_unbounded |= waits && system.can_wait_for_ever(valuation, zone.bounds());
            }
        }
    }

    fn note(&mut self, value: i64, is_strict: bool) {
        let is_better = |(best, was_strict): (i64, bool)| match self.asked.is_largest {
            true => value > best || (value == best && was_strict && !is_strict),
            false => value < best || (value == best && was_strict && !is_strict),
        };
        if self.best.is_none_or(is_better) {
            self.best = Some((value, is_strict));
        }
    }
}
