//! One run as it happens: the tester's turns, and what the implementation makes of them.

use crate::action::Action;
use crate::estimate::{Enabled, Estimate, TooManyStates};
use crate::explored::Explored;
use crate::log::Entry;
use crate::model::Role;
use crate::stepper::{Broken, Outcome, Stepper, Ticked};
use crate::strategy::Visits;
use crate::tracker::Tracker;
use crate::verdict::{Failure, TestVerdict};

/// A turn that ends the run says how.
pub(crate) type Turn = Result<(), TestVerdict>;

/// Observations taken in at the end of a run, where an implementation may go on for ever.
const MOST_AT_THE_END: usize = 100;

/// Who counts what happens.
#[derive(Default)]
pub(crate) struct Counters<'r> {
    pub(crate) tracker: Option<&'r mut Tracker>,
    pub(crate) visits: Option<&'r mut Visits>,
}

/// A run that is under way.
pub(crate) struct Run<'r, 'm> {
    pub(crate) explored: &'r Explored<'m>,
    stepper: &'r mut dyn Stepper,
    pub(crate) counters: Counters<'r>,
    pub(crate) estimate: Estimate,
    pub(crate) entries: Vec<Entry>,
    /// Whether the implementation was silent since the last thing that happened.
    pub(crate) is_silent: bool,
}

impl From<TooManyStates> for TestVerdict {
    fn from(problem: TooManyStates) -> TestVerdict {
        TestVerdict::Inconclusive(problem.to_string())
    }
}

impl<'r, 'm> Run<'r, 'm> {
    /// Brings model and implementation to the beginning.
    pub(crate) fn begin(
        explored: &'r Explored<'m>,
        stepper: &'r mut dyn Stepper,
        mut counters: Counters<'r>,
    ) -> Result<Run<'r, 'm>, TestVerdict> {
        let estimate = explored.begin()?;
        if estimate.is_empty() {
            return Err(TestVerdict::Inconclusive("the model has no initial state".to_owned()));
        }
        stepper.reset()?;
        if let Some(tracker) = &mut counters.tracker {
            tracker.begin_run(explored, &estimate);
        }
        Ok(Run { explored, stepper, counters, estimate, entries: Vec::new(), is_silent: false })
    }

    pub(crate) fn enabled(&self) -> Enabled {
        self.explored.enabled(&self.estimate)
    }

    /// The model takes a step that is possible.
    fn advance(&mut self, action: &Action, to: Estimate) {
        if let Some(visits) = &mut self.counters.visits {
            visits.count(&self.estimate, action);
        }
        if let Some(tracker) = &mut self.counters.tracker {
            tracker.step(self.explored, &self.estimate, action, &to);
        }
        self.estimate = to;
        self.is_silent = false;
    }

    /// The implementation did something.
    fn observe(&mut self, action: &Action, is_awaited: bool) -> Turn {
        let to = self.explored.after(&self.estimate, action, Role::Observable)?;
        self.entries.push(Entry::Observed { action: action.clone(), is_awaited });
        if to.is_empty() {
            let expected = self.enabled().observable;
            return Err(Failure::Unexpected { action: action.clone(), expected }.into());
        }
        self.advance(action, to);
        Ok(())
    }

    fn did(&mut self, action: &Action, is_sent: bool) {
        self.entries.push(Entry::Did { action: action.clone(), is_sent });
    }

    /// Takes in what has been done in the meantime, and the time that has passed.
    pub(crate) fn drain(&mut self) -> Turn {
        loop {
            while let Some(action) = self.stepper.poll()? {
                self.observe(&action, false)?;
            }
            let is_late = self.explored.model().is_timed() && self.stepper.is_behind();
            if !is_late || !self.enabled().may_tick {
                return Ok(());
            }
            self.tick()?;
        }
    }

    /// Does something that the model allows.
    pub(crate) fn perform(&mut self, action: &Action, role: Role) -> Turn {
        if role == Role::Unsent {
            let to = self.explored.after(&self.estimate, action, role)?;
            self.did(action, false);
            self.advance(action, to);
            return Ok(());
        }
        let answer = match self.stepper.perform(action) {
            Ok(answer) => answer,
            Err(broken) => {
                self.did(action, true);
                return Err(broken.into());
            }
        };
        match answer.outcome {
            Outcome::Done(later) => self.take_in(&answer.earlier, action, &later),
            Outcome::Refused(why) => {
                for earlier in &answer.earlier {
                    self.observe(earlier, false)?;
                }
                let is_possible = self.enabled().controllable.iter().any(|(possible, _)| possible == action);
                if !is_possible && !answer.earlier.is_empty() {
                    // What the implementation did in the meantime made it impossible.
                    return Ok(());
                }
                self.did(action, true);
                Err(Failure::Refused { action: action.clone(), why }.into())
            }
            Outcome::Failed(why) => {
                for earlier in &answer.earlier {
                    self.observe(earlier, false)?;
                }
                self.did(action, true);
                Err(Failure::Failed { action: action.clone(), why }.into())
            }
        }
    }

    /// An action that was done, with observations before and after. Those before may have been on their way when it was sent, and then the
    /// model may know them in either order.
    fn take_in(&mut self, earlier: &[Action], action: &Action, later: &[Action]) -> Turn {
        let mut estimate = Some(self.estimate.clone());
        for (event, role) in
            earlier.iter().map(|event| (event, Role::Observable)).chain([(action, Role::Controllable)])
        {
            if let Some(before) = estimate {
                let after = self.explored.after(&before, event, role)?;
                estimate = (!after.is_empty()).then_some(after);
            }
        }
        let is_first = estimate.is_none();
        if is_first {
            self.did_step(action)?;
        }
        for event in earlier {
            self.observe(event, false)?;
        }
        if !is_first {
            self.did_step(action)?;
        }
        later.iter().try_for_each(|event| self.observe(event, false))
    }

    fn did_step(&mut self, action: &Action) -> Turn {
        let to = self.explored.after(&self.estimate, action, Role::Controllable)?;
        self.did(action, true);
        self.advance(action, to);
        Ok(())
    }

    /// Waits for the implementation, or lets time pass where there is time.
    pub(crate) fn wait(&mut self) -> Turn {
        if self.explored.model().is_timed() {
            return self.tick();
        }
        if let Some(action) = self.stepper.wait()? {
            return self.observe(&action, true);
        }
        let quiet = self.explored.after_silence(&self.estimate);
        self.entries.push(Entry::Silence);
        if quiet.is_empty() {
            return Err(Failure::Missing { expected: self.enabled().observable }.into());
        }
        self.estimate = quiet;
        self.is_silent = true;
        Ok(())
    }

    fn tick(&mut self) -> Turn {
        let after = self.explored.after_tick(&self.estimate)?;
        if after.is_empty() {
            return match self.stepper.due()? {
                Some(action) => self.observe(&action, true),
                None => {
                    self.entries.push(Entry::Silence);
                    Err(Failure::Missing { expected: self.enabled().observable }.into())
                }
            };
        }
        match self.stepper.tick()? {
            Ticked::Heard(action) => self.observe(&action, true),
            Ticked::Passed(actions) => {
                self.pass_time(after);
                actions.iter().try_for_each(|action| self.observe(action, false))
            }
            Ticked::Nearly(action) => {
                let now = self.explored.after(&self.estimate, &action, Role::Observable)?;
                let is_now = !now.is_empty() && !self.explored.after_tick(&now)?.is_empty();
                if is_now {
                    self.observe(&action, true)?;
                    let after = self.explored.after_tick(&self.estimate)?;
                    self.pass_time(after);
                    return Ok(());
                }
                self.pass_time(after);
                self.observe(&action, true)
            }
        }
    }

    fn pass_time(&mut self, after: Estimate) {
        self.entries.push(Entry::Tick);
        if let Some(tracker) = &mut self.counters.tracker {
            tracker.pass_time(self.explored, &after);
        }
        self.estimate = after;
    }

    /// Listens for what is still to come.
    pub(crate) fn listen(&mut self) -> Turn {
        self.drain()?;
        if self.explored.model().is_timed() {
            return Ok(());
        }
        for _ in 0..MOST_AT_THE_END {
            if self.is_silent {
                return Ok(());
            }
            self.wait()?;
        }
        Ok(())
    }

    /// Whether every state that the model may be in is one where a run may end.
    pub(crate) fn may_end(&self) -> bool {
        self.estimate.states().all(|state| self.explored.model().may_end(state))
    }
}

/// For `?` on what a stepper says.
impl From<Broken> for Failure {
    fn from(broken: Broken) -> Failure {
        Failure::Broken(broken)
    }
}
