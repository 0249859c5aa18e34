//! Doing again what a log says.

use crate::explored::Explored;
use crate::log::{RunLog, Stimulus, stimuli};
use crate::stepper::Stepper;
use crate::turn::{Counters, Run, Turn};
use crate::verdict::TestVerdict;

/// Does these things in a new run, whatever the implementation answers; what the model does not allow in the situation that comes about is
/// left out.
pub fn follow(explored: &Explored<'_>, stepper: &mut dyn Stepper, script: &[Stimulus]) -> RunLog {
    carry_out(explored, stepper, script, WhenImpossible::LeaveOut)
}

/// Does again what was done in a run. Inconclusive where the implementation went another way, so that the model no longer allows what comes next.
pub fn replay(explored: &Explored<'_>, stepper: &mut dyn Stepper, log: &RunLog) -> RunLog {
    carry_out(explored, stepper, &stimuli(&log.entries), WhenImpossible::Stop)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenImpossible {
    LeaveOut,
    Stop,
}

fn carry_out(
    explored: &Explored<'_>,
    stepper: &mut dyn Stepper,
    script: &[Stimulus],
    rule: WhenImpossible,
) -> RunLog {
    let mut run = match Run::begin(explored, stepper, Counters::default()) {
        Ok(run) => run,
        Err(verdict) => return RunLog { entries: Vec::new(), verdict },
    };
    let mut turns = Ok(());
    for stimulus in script {
        turns = take(&mut run, stimulus, rule);
        if turns.is_err() {
            break;
        }
    }
    let verdict = turns.and_then(|()| run.listen()).err().unwrap_or(TestVerdict::Pass);
    RunLog { entries: run.entries, verdict }
}

fn take(run: &mut Run<'_, '_>, stimulus: &Stimulus, rule: WhenImpossible) -> Turn {
    run.drain()?;
    match stimulus {
        Stimulus::Do(action) => {
            let enabled = run.enabled();
            match enabled.controllable.iter().find(|(possible, _)| possible == action) {
                Some((action, role)) => run.perform(action, *role),
                None if rule == WhenImpossible::LeaveOut => Ok(()),
                None => Err(TestVerdict::Inconclusive(format!(
                    "the implementation went another way: the model does not allow {action} here"
                ))),
            }
        }
        // After silence there is nothing to wait for.
        Stimulus::Wait if run.is_silent && rule == WhenImpossible::LeaveOut => Ok(()),
        Stimulus::Wait | Stimulus::Tick => run.wait(),
    }
}
