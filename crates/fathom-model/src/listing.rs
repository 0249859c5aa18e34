//! How far the outcomes of one effect are listed, and steps are followed.
//!
//! An effect that chooses values may have more outcomes than there is room or time for, and a step may have more moves than anybody waits for. Then some
//! are left out, and whoever made claims
//! about all states must know: a [`Listing`] counts how often that happened, and hears when the time is over. It belongs to a model, and to
//! all copies of it, because many systems are made of one model in the course of one check.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Most outcomes of one effect that are listed.
const MOST_OUTCOMES: u32 = 1 << 22;

/// Outcomes between two looks at the alarm; a power of two.
const PACE: u32 = 1 << 10;

/// What listing the outcomes of effects has come to.
#[derive(Clone, Default, Debug)]
pub struct Listing(Arc<Shared>);

#[derive(Default, Debug)]
struct Shared {
    alarm: Mutex<Option<Arc<AtomicBool>>>,
    n_cuts: AtomicU64,
    n_given_up: AtomicU64,
}

impl Listing {
    /// Ends lists of outcomes as soon as a flag is set.
    pub fn heed(&self, alarm: Option<Arc<AtomicBool>>) {
        *self.0.alarm.lock().unwrap_or_else(PoisonError::into_inner) = alarm;
    }

    /// How often outcomes were left out, since the model was made.
    pub fn n_cuts(&self) -> u64 {
        self.0.n_cuts.load(Ordering::Acquire)
    }

    /// How often a step was given up after too many moves, since the model was made.
    pub fn n_given_up(&self) -> u64 {
        self.0.n_given_up.load(Ordering::Acquire)
    }

    /// Notes that a step was given up after too many moves: nobody knows where it leads.
    pub fn give_up_step(&self) {
        self.0.n_given_up.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether no more outcomes are listed after so many; then it is noted that some may have been left out. Whoever follows a trace wants
    /// what was found in time, also when it is late by then: it hears no alarm.
    pub(crate) fn ends_after(&self, n_outcomes: u32, hears: bool) -> bool {
        let is_due = hears && n_outcomes % PACE == PACE - 1;
        let is_over = n_outcomes >= MOST_OUTCOMES || (is_due && self.is_alarmed());
        if is_over {
            self.0.n_cuts.fetch_add(1, Ordering::AcqRel);
        }
        is_over
    }

    fn is_alarmed(&self) -> bool {
        let alarm = self.0.alarm.lock().unwrap_or_else(PoisonError::into_inner);
        alarm.as_ref().is_some_and(|alarm| alarm.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_when_they_are_too_long_or_the_time_is_over_and_that_is_counted() {
        let listing = Listing::default();
        assert!((0..MOST_OUTCOMES).all(|n_outcomes| !listing.ends_after(n_outcomes, true)));
        assert_eq!(listing.n_cuts(), 0);
        assert!(listing.clone().ends_after(MOST_OUTCOMES, false));
        assert_eq!(listing.n_cuts(), 1, "a copy counts for all");
        listing.heed(Some(Arc::new(AtomicBool::new(true))));
        assert!(!listing.ends_after(1, true));
        assert!(
            (0..2 * PACE).all(|n_outcomes| !listing.ends_after(n_outcomes, false)),
            "a trace is followed"
        );
        assert!((0..2 * PACE).any(|n_outcomes| listing.ends_after(n_outcomes, true)));
    }
}
