//! Where the time of a search goes.
//!
//! A search does four things in turn: it makes successors, makes keys of them, looks these up in the store, and
//! takes care of what is still to be expanded. With a clock, every change from one to the next is timed. Reading a
//! clock takes time itself, a few dozen nanoseconds, so that a search that is watched is slower, and short stages
//! look longer than they are.

/// A clock: nanoseconds since some moment.
pub type Clock = fn() -> u64;

/// What a search does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Making successors.
    Successors,
    /// Making keys of states: packing or hashing them.
    Keys,
    /// Looking keys up and adding them.
    Store,
    /// Taking the next state to expand and reading it.
    Frontier,
}

/// The stages, in the order of a profile.
pub const STAGES: [Stage; 4] = [Stage::Successors, Stage::Keys, Stage::Store, Stage::Frontier];

/// Nanoseconds spent in each stage.
pub type Profile = [u64; STAGES.len()];

/// A clock that knows what a search is doing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    clock: Clock,
    stage: Stage,
    since: u64,
    profile: Profile,
}

impl Stopwatch {
    /// Starts, with the frontier.
    pub(crate) fn start(clock: Clock) -> Stopwatch {
        Stopwatch { clock, stage: Stage::Frontier, since: clock(), profile: Profile::default() }
    }

    /// Another stage begins.
    pub(crate) fn enter(&mut self, stage: Stage) {
        let now = (self.clock)();
        self.profile[self.stage as usize] += now.saturating_sub(self.since);
        (self.stage, self.since) = (stage, now);
    }

    /// What there is so far.
    pub(crate) fn profile(mut self) -> Profile {
        self.enter(Stage::Frontier);
        self.profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn time_is_counted_for_the_stage_in_which_it_passes() {
        static NOW: AtomicU64 = AtomicU64::new(0);
        let mut stopwatch = Stopwatch::start(|| NOW.load(Ordering::Relaxed));
        for (stage, duration) in [(Stage::Successors, 5), (Stage::Store, 7), (Stage::Successors, 100)] {
            stopwatch.enter(stage);
            NOW.fetch_add(duration, Ordering::Relaxed);
        }
        assert_eq!(stopwatch.profile(), [105, 0, 7, 0]);
    }
}
