//! Shorter ways to the same failure, by delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002).
//!
//! What the tester did is cut into parts; parts are left out as long as the restarted implementation still fails in the same way. An action
//! that the model does not allow any more, because one before it is missing, is left out, too, so that every trial is a test. The result is
//! *1-minimal* if trials last: no single stimulus can be left out.

use crate::explored::Explored;
use crate::log::{RunLog, Stimulus, stimuli};
use crate::replay::follow;
use crate::stepper::Stepper;
use crate::tester::Watch;

/// A shorter log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shortened {
    /// The shortest failing run that was found.
    pub log: RunLog,
    /// Runs that it took.
    pub n_trials: usize,
    /// Whether nothing more can be left out, one at a time.
    pub is_minimal: bool,
}

/// Makes a failing run shorter. None when the failure does not come again: the implementation has a will of its own.
pub fn shorten(
    explored: &Explored<'_>,
    stepper: &mut dyn Stepper,
    failed: &RunLog,
    most_trials: usize,
    watch: &mut dyn Watch,
) -> Option<Shortened> {
    let kind = failed.verdict.failure()?.kind();
    let mut trials = Trials { explored, stepper, kind, n: 0, most: most_trials, watch };
    let mut log = trials.fails(&stimuli(&failed.entries))?;
    let mut script = stimuli(&log.entries);
    let mut n_parts = 2;
    while script.len() >= 2 && !trials.are_over() {
        let size = script.len().div_ceil(n_parts);
        let starts: Vec<usize> = (0..script.len()).step_by(size).collect();
        // From the end: what comes last is needed least often, but for the very last.
        let found = starts.into_iter().rev().find_map(|start| {
            let end = (start + size).min(script.len());
            let rest: Vec<Stimulus> = [&script[..start], &script[end..]].concat();
            let shorter = trials.fails(&rest)?;
            (stimuli(&shorter.entries).len() < script.len()).then_some(shorter)
        });
        match found {
            Some(shorter) => {
                script = stimuli(&shorter.entries);
                log = shorter;
                n_parts = n_parts.saturating_sub(1).max(2);
            }
            None if size == 1 => break,
            None => n_parts = (n_parts * 2).min(script.len()),
        }
    }
    let is_minimal = !trials.are_over();
    Some(Shortened { log, n_trials: trials.n, is_minimal })
}

struct Trials<'t, 'm> {
    explored: &'t Explored<'m>,
    stepper: &'t mut dyn Stepper,
    kind: &'static str,
    n: usize,
    most: usize,
    watch: &'t mut dyn Watch,
}

impl Trials<'_, '_> {
    fn are_over(&mut self) -> bool {
        self.n >= self.most || self.watch.is_over()
    }

    /// The log of a run that fails in the same way.
    fn fails(&mut self, script: &[Stimulus]) -> Option<RunLog> {
        if self.n > 0 && self.are_over() {
            return None;
        }
        self.n += 1;
        let log = follow(self.explored, self.stepper, script);
        let is_same = log.verdict.failure().is_some_and(|failure| failure.kind() == self.kind);
        is_same.then_some(log)
    }
}
