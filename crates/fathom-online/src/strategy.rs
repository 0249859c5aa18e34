//! Strategies: which action comes next.

use std::hash::{Hash, Hasher};

use fathom_search::Random;
use rustc_hash::{FxHashMap, FxHasher};

use crate::action::Action;
use crate::estimate::Estimate;
use crate::explored::Explored;
use crate::model::Role;
use crate::nearest::{Nearest, Plan, nearest};
use crate::next_step::next_step;
use crate::tracker::Tracker;

/// How the tester chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Anything that is possible, with equal chances; where the implementation may act, it gets every second turn. Where time passes, a
    /// wait has a random length.
    Random,
    /// What was done least often in the present situation.
    LeastVisited,
    /// What gives the best rate so many steps ahead (`NextStep` of Katara and Kervinen, HVC 2006); the least visited of equals.
    Coverage {
        /// How many steps.
        depth: usize,
    },
    /// The first step of a shortest way to something that brings the goal nearer.
    Guided {
        /// How many situations are looked at.
        most_states: usize,
    },
}

impl Strategy {
    /// The word for it on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Random => "random",
            Strategy::LeastVisited => "least-visited",
            Strategy::Coverage { .. } => "coverage",
            Strategy::Guided { .. } => "guided",
        }
    }
}

/// One way to go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Do this.
    Do(Action, Role),
    /// Leave it to the implementation, or to time.
    Wait,
}

/// How often what was done where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visits(FxHashMap<(u64, Action), u64>);

fn fingerprint(estimate: &Estimate) -> u64 {
    let mut hasher = FxHasher::default();
    estimate.hash(&mut hasher);
    hasher.finish()
}

/// What waiting is called among visits.
fn waiting() -> Action {
    Action::new("(wait)")
}

impl Visits {
    pub(crate) fn count(&mut self, estimate: &Estimate, action: &Action) {
        *self.0.entry((fingerprint(estimate), action.clone())).or_default() += 1;
    }

    pub(crate) fn count_wait(&mut self, estimate: &Estimate) {
        self.count(estimate, &waiting());
    }

    fn of(&self, estimate: &Estimate, choice: &Choice) -> u64 {
        let action = match choice {
            Choice::Do(action, _) => action.clone(),
            Choice::Wait => waiting(),
        };
        self.0.get(&(fingerprint(estimate), action)).copied().unwrap_or(0)
    }
}

/// A strategy with what it remembers.
#[derive(Debug)]
pub(crate) struct Chooser {
    strategy: Strategy,
    pub(crate) random: Random,
    plan: Plan,
    /// Turns to go before another search, after one that ran into its bound.
    patience: usize,
    /// Ticks still to be waited for, by a random choice of a delay.
    delay: usize,
}

/// Turns between searches that find nothing within their bound.
const TURNS_BETWEEN_SEARCHES: usize = 20;

/// Random delays are powers of two: so many different ones.
const LONGEST_DELAY: usize = 6;

impl Chooser {
    pub(crate) fn new(strategy: Strategy, seed: u64) -> Chooser {
        Chooser { strategy, random: Random::new(seed), plan: Plan::new(), patience: 0, delay: 0 }
    }

    /// The place of the choice to take; none when a new run is better than to go on.
    pub(crate) fn choose(
        &mut self,
        explored: &Explored<'_>,
        estimate: &Estimate,
        choices: &[Choice],
        tracker: Option<&mut Tracker>,
        visits: &Visits,
    ) -> Option<usize> {
        match (self.strategy, tracker) {
            (Strategy::Random, _) if explored.model().is_timed() => Some(self.any_in_time(choices)),
            (Strategy::Random, _) => Some(self.any(choices)),
            (Strategy::Coverage { depth }, Some(tracker)) if !tracker.coverage().rate().is_full() => {
                let best = next_step(explored, estimate, choices, depth, tracker);
                let rarest = self.rarest(estimate, choices, &best, visits);
                Some(rarest)
            }
            (Strategy::Guided { most_states }, Some(tracker)) if !tracker.coverage().rate().is_full() => {
                self.follow(explored, estimate, choices, tracker, visits, most_states)
            }
            _ => {
                let all: Vec<usize> = (0..choices.len()).collect();
                Some(self.rarest(estimate, choices, &all, visits))
            }
        }
    }

    /// The same where time passes: a wait is one of 1, 2, 4 or more ticks, so that late moments get their turn, too.
    fn any_in_time(&mut self, choices: &[Choice]) -> usize {
        let wait = choices.iter().position(|choice| *choice == Choice::Wait);
        if let (Some(place), true) = (wait, self.delay > 0) {
            self.delay -= 1;
            return place;
        }
        self.delay = 0;
        let place = self.any(choices);
        if Some(place) == wait {
            self.delay = (1 << self.random.below(LONGEST_DELAY)) - 1;
        }
        place
    }

    fn any(&mut self, choices: &[Choice]) -> usize {
        let wait = choices.iter().position(|choice| *choice == Choice::Wait);
        match wait {
            Some(place) if choices.len() > 1 && self.random.below(2) == 0 => place,
            Some(place) if choices.len() > 1 => {
                let other = self.random.below(choices.len() - 1);
                if other >= place { other + 1 } else { other }
            }
            _ => self.random.below(choices.len()),
        }
    }

    /// One of the least visited among these.
    fn rarest(&mut self, estimate: &Estimate, choices: &[Choice], among: &[usize], visits: &Visits) -> usize {
        let counts: Vec<u64> = among.iter().map(|place| visits.of(estimate, &choices[*place])).collect();
        let least = counts.iter().min().copied().unwrap_or(0);
        let rarest: Vec<usize> = among
            .iter()
            .zip(&counts)
            .filter(|(_, count)| **count == least)
            .map(|(place, _)| *place)
            .collect();
        rarest[self.random.below(rarest.len())]
    }

    /// The next step of the plan, or of a new one where reality went another way.
    fn follow(
        &mut self,
        explored: &Explored<'_>,
        estimate: &Estimate,
        choices: &[Choice],
        tracker: &mut Tracker,
        visits: &Visits,
        most_states: usize,
    ) -> Option<usize> {
        if self.plan.front().is_none_or(|(expected, _)| expected != estimate) {
            self.plan.clear();
            if self.patience > 0 {
                self.patience -= 1;
            } else {
                match nearest(explored, estimate, tracker, most_states) {
                    Nearest::Found(plan) => self.plan = plan,
                    Nearest::Exhausted => return None,
                    Nearest::TooFar => self.patience = TURNS_BETWEEN_SEARCHES,
                }
            }
        }
        let planned = self.plan.pop_front().map(|(_, choice)| choice);
        let place = planned.and_then(|planned| choices.iter().position(|choice| *choice == planned));
        let all: Vec<usize> = (0..choices.len()).collect();
        Some(place.unwrap_or_else(|| self.rarest(estimate, choices, &all, visits)))
    }
}
