//! The best steps after a bounded look-ahead.
//!
//! `NextStep` of Katara and Kervinen (HVC 2006) tries every sequence of a given length and keeps the first steps of those with the best
//! rate. Where the implementation may choose, the rate is the average over its choices. With `and` as the least of two, single steps
//! often leave the rate as it is; so equals are told apart by the progress of all parts, and then by how early it is made.

use std::cmp::Ordering;

use crate::estimate::Estimate;
use crate::explored::Explored;
use crate::model::Role;
use crate::strategy::Choice;
use crate::tracker::Tracker;

/// Steps that one look-ahead tries: past that, deeper ones count as they stand.
const MOST_TRIALS: usize = 20_000;

/// Rate, progress, and progress summed up over the way.
type Worth = [f64; 3];

fn compare(left: &Worth, right: &Worth) -> Ordering {
    for (left, right) in left.iter().zip(right) {
        if (left - right).abs() > 1e-12 {
            return left.total_cmp(right);
        }
    }
    Ordering::Equal
}

/// The places of the choices that are best so many steps ahead.
pub(crate) fn next_step(
    explored: &Explored<'_>,
    estimate: &Estimate,
    choices: &[Choice],
    depth: usize,
    tracker: &mut Tracker,
) -> Vec<usize> {
    let mut look = LookAhead { explored, tracker, n_trials: 0 };
    let mut best: Option<Worth> = None;
    let mut places = Vec::new();
    for (place, choice) in choices.iter().enumerate() {
        let worth = look.worth_of(estimate, choice, depth.max(1));
        let order = best.map_or(Ordering::Greater, |best| compare(&worth, &best));
        if order == Ordering::Greater {
            best = Some(worth);
            places.clear();
        }
        if order != Ordering::Less {
            places.push(place);
        }
    }
    places
}

struct LookAhead<'l, 'm> {
    explored: &'l Explored<'m>,
    tracker: &'l mut Tracker,
    n_trials: usize,
}

impl LookAhead<'_, '_> {
    fn now(&self) -> Worth {
        let (rate, progress) = self.tracker.measure();
        [rate, progress, 0.0]
    }

    fn worth_of(&mut self, estimate: &Estimate, choice: &Choice, depth: usize) -> Worth {
        match choice {
            Choice::Do(action, role) => match self.explored.after(estimate, action, *role) {
                Ok(to) => self.worth_of_step(estimate, action, &to, depth),
                Err(_) => self.now(),
            },
            Choice::Wait => self.worth_of_waiting(estimate, depth),
        }
    }

    fn worth_of_step(
        &mut self,
        from: &Estimate,
        action: &crate::action::Action,
        to: &Estimate,
        depth: usize,
    ) -> Worth {
        self.n_trials += 1;
        self.tracker.try_step(self.explored, from, action, to);
        let worth = self.best(to, depth - 1);
        self.tracker.take_back();
        worth
    }

    /// The average over what may happen: each observation, and the passing of time.
    fn worth_of_waiting(&mut self, estimate: &Estimate, depth: usize) -> Worth {
        let mut all: Vec<Worth> = Vec::new();
        for action in self.explored.enabled(estimate).observable {
            if let Ok(to) = self.explored.after(estimate, &action, Role::Observable) {
                all.push(self.worth_of_step(estimate, &action, &to, depth));
            }
        }
        if let Ok(later) = self.explored.after_tick(estimate)
            && !later.is_empty()
        {
            self.n_trials += 1;
            self.tracker.try_time(self.explored, &later);
            all.push(self.best(&later, depth - 1));
            self.tracker.take_back();
        }
        if all.is_empty() {
            return self.now();
        }
        let n = all.len() as f64;
        [0, 1, 2].map(|part| all.iter().map(|worth| worth[part]).sum::<f64>() / n)
    }

    /// The best that can be made of a situation.
    fn best(&mut self, estimate: &Estimate, depth: usize) -> Worth {
        let now = self.now();
        let is_over = depth == 0 || self.tracker.coverage().rate().is_full() || self.n_trials > MOST_TRIALS;
        let mut best: Option<Worth> = None;
        if !is_over {
            let enabled = self.explored.enabled(estimate);
            let waits = enabled.may_tick || !enabled.observable.is_empty();
            let choices = enabled.controllable.into_iter().map(|(action, role)| Choice::Do(action, role));
            for choice in choices.chain(waits.then_some(Choice::Wait)) {
                let worth = self.worth_of(estimate, &choice, depth);
                if best.is_none_or(|best| compare(&worth, &best) == Ordering::Greater) {
                    best = Some(worth);
                }
            }
        }
        // A way that is over early keeps what it has, so that it compares with longer ones.
        let mut best = best.unwrap_or([now[0], now[1], now[1] * depth as f64]);
        best[2] += now[1];
        best
    }
}
