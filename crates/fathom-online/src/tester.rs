//! The tester: runs against an implementation, one after the other.

use fathom_coverage::{Kind, Pattern, Rate};

use crate::earlier::remember;
use crate::estimate::Enabled;
use crate::explored::Explored;
use crate::log::{Entry, RunLog};
use crate::stepper::Stepper;
use crate::strategy::{Choice, Chooser, Strategy, Visits};
use crate::tracker::Tracker;
use crate::turn::{Counters, Run, Turn};
use crate::verdict::TestVerdict;

/// How runs end.
#[derive(Clone, Debug, Default)]
pub struct EndRule {
    /// A run has to end where the model says that it may.
    pub must_be_allowed: bool,
    /// Actions that lead to such a state, by patterns: nothing else is done once a run has had its steps.
    pub cleanup: Vec<Pattern>,
}

/// How to test.
#[derive(Clone, Debug)]
pub struct TestOptions {
    /// Most runs.
    pub runs: usize,
    /// Most steps in a run, cleaning up not counted.
    pub steps: usize,
    /// What random choices are determined by.
    pub seed: u64,
    /// How to choose.
    pub strategy: Strategy,
    /// How runs end.
    pub end: EndRule,
    /// The test ends as soon as the goal is covered.
    pub stops_when_covered: bool,
    /// A test that ends before is inconclusive.
    pub needs_goal: bool,
    /// What happened in earlier tests: it counts as done, so that this test does other things first.
    pub earlier: Vec<Vec<Entry>>,
}

impl Default for TestOptions {
    fn default() -> TestOptions {
        TestOptions {
            runs: 1,
            steps: 1000,
            seed: 1,
            strategy: Strategy::Random,
            end: EndRule::default(),
            stops_when_covered: false,
            needs_goal: false,
            earlier: Vec::new(),
        }
    }
}

/// What came of a test.
#[derive(Clone, Debug)]
pub struct TestReport {
    /// The answer.
    pub verdict: TestVerdict,
    /// The runs; the last has the failure, if there is one.
    pub runs: Vec<RunLog>,
    /// Actions that were done and observed.
    pub n_steps: usize,
    /// The same, when the goal was covered.
    pub covered_after: Option<usize>,
    /// How much of the goal is covered, if there is one.
    pub rate: Option<Rate>,
}

/// Says when to stop, and hears how it goes.
pub trait Watch {
    /// Whether to stop: time is over, or somebody asks.
    fn is_over(&mut self) -> bool;

    /// After every turn.
    fn step(&mut self, n_runs: usize, n_steps: usize, rate: Option<Rate>) {
        let _ = (n_runs, n_steps, rate);
    }
}

/// Never stops.
impl Watch for () {
    fn is_over(&mut self) -> bool {
        false
    }
}

/// Turns in a run for each step that it may have: silence and time are no steps, and must come to an end, too.
const TURNS_FOR_A_STEP: usize = 10;

/// Turns for cleaning up.
const MOST_CLEANUP: usize = 1000;

/// Tests an implementation.
pub fn test(
    explored: &Explored<'_>,
    stepper: &mut dyn Stepper,
    options: &TestOptions,
    mut tracker: Option<&mut Tracker>,
    watch: &mut dyn Watch,
) -> TestReport {
    let mut report = TestReport {
        verdict: TestVerdict::Pass,
        runs: Vec::new(),
        n_steps: 0,
        covered_after: None,
        rate: None,
    };
    let mut visits = Visits::default();
    for entries in &options.earlier {
        remember(explored, entries, &mut visits, tracker.as_deref_mut());
    }
    let mut chooser = Chooser::new(options.strategy, options.seed);
    for _ in 0..options.runs {
        let mut test = Test { options, chooser: &mut chooser, watch, report: &mut report, is_ended: false };
        let counters = Counters { tracker: tracker.as_deref_mut(), visits: Some(&mut visits) };
        let log = test.run(explored, stepper, counters);
        let is_ended = test.is_ended;
        let verdict = log.verdict.clone();
        report.runs.push(log);
        if verdict != TestVerdict::Pass {
            report.verdict = verdict;
            break;
        }
        if is_ended {
            break;
        }
    }
    report.rate = tracker.map(|tracker| tracker.coverage().rate());
    if let (TestVerdict::Pass, Some(rate)) = (&report.verdict, report.rate)
        && options.needs_goal
        && !rate.is_full()
    {
        report.verdict = TestVerdict::Inconclusive(format!("the goal is covered to {rate} only"));
    }
    report
}

struct Test<'t> {
    options: &'t TestOptions,
    chooser: &'t mut Chooser,
    watch: &'t mut dyn Watch,
    report: &'t mut TestReport,
    /// No other run is to follow.
    is_ended: bool,
}

impl Test<'_> {
    fn run(&mut self, explored: &Explored<'_>, stepper: &mut dyn Stepper, counters: Counters<'_>) -> RunLog {
        let mut run = match Run::begin(explored, stepper, counters) {
            Ok(run) => run,
            Err(verdict) => return RunLog { entries: Vec::new(), verdict },
        };
        let turns = self.turns(&mut run).and_then(|()| self.clean_up(&mut run)).and_then(|()| run.listen());
        let verdict = turns.err().unwrap_or(TestVerdict::Pass);
        self.report.n_steps += n_steps(&run.entries);
        RunLog { entries: run.entries, verdict }
    }

    fn turns(&mut self, run: &mut Run<'_, '_>) -> Turn {
        let (mut n_done, mut n_counted) = (0, 0);
        for _ in 0..self.options.steps.saturating_mul(TURNS_FOR_A_STEP) {
            run.drain()?;
            // The log only grows: count what is new.
            n_done += n_steps(&run.entries[n_counted..]);
            n_counted = run.entries.len();
            let rate = run.counters.tracker.as_ref().map(|tracker| tracker.coverage().rate());
            let is_covered = rate.is_some_and(Rate::is_full);
            if is_covered && self.report.covered_after.is_none() {
                self.report.covered_after = Some(self.report.n_steps + n_done);
            }
            self.watch.step(self.report.runs.len() + 1, self.report.n_steps + n_done, rate);
            self.is_ended = self.watch.is_over() || is_covered && self.options.stops_when_covered;
            if self.is_ended || n_done >= self.options.steps {
                return Ok(());
            }
            let choices = choices(run, &run.enabled());
            if choices.is_empty() {
                return Ok(());
            }
            let Counters { tracker, visits } = &mut run.counters;
            let visits = visits.as_deref_mut().expect("a test counts visits");
            let chosen =
                self.chooser.choose(run.explored, &run.estimate, &choices, tracker.as_deref_mut(), visits);
            let chosen = match chosen {
                Some(place) => &choices[place],
                // Nothing to gain here: the next run may do better, unless this one has only begun.
                None if n_done > 0 => return Ok(()),
                None => &choices[self.chooser.random.below(choices.len())],
            };
            match chosen {
                Choice::Do(action, role) => run.perform(action, *role)?,
                Choice::Wait => {
                    visits.count_wait(&run.estimate);
                    run.wait()?;
                }
            }
        }
        Ok(())
    }

    /// Leads the run to where it may end.
    fn clean_up(&mut self, run: &mut Run<'_, '_>) -> Turn {
        if !self.options.end.must_be_allowed {
            return Ok(());
        }
        let is_cleanup =
            |key: &str| self.options.end.cleanup.iter().any(|pattern| pattern.matches(Kind::Actions, key));
        for _ in 0..MOST_CLEANUP {
            run.drain()?;
            if run.may_end() {
                return Ok(());
            }
            let enabled = run.enabled();
            let cleanup: Vec<Choice> = choices(run, &enabled)
                .into_iter()
                .filter(|choice| match choice {
                    Choice::Do(action, _) => is_cleanup(action.key()) || is_cleanup(action.shown()),
                    Choice::Wait => true,
                })
                .collect();
            if cleanup.is_empty() {
                break;
            }
            // What has to happen by itself comes first.
            let place = cleanup.iter().position(|choice| *choice == Choice::Wait && !enabled.may_be_silent);
            let place = place.unwrap_or_else(|| self.chooser.random.below(cleanup.len()));
            match &cleanup[place] {
                Choice::Do(action, role) => run.perform(action, *role)?,
                Choice::Wait => run.wait()?,
            }
        }
        if run.may_end() {
            return Ok(());
        }
        let message = format!("the run ended after {} steps where runs may not end", n_steps(&run.entries));
        Err(TestVerdict::Inconclusive(message))
    }
}

/// Actions that were done and observed.
fn n_steps(entries: &[Entry]) -> usize {
    entries.iter().filter(|entry| matches!(entry, Entry::Did { .. } | Entry::Observed { .. })).count()
}

/// The ways to go on: waiting is one of them where it can make a difference.
fn choices(run: &Run<'_, '_>, enabled: &Enabled) -> Vec<Choice> {
    let is_timed = run.explored.model().is_timed();
    let may_wait = match is_timed {
        true => enabled.may_tick || !enabled.observable.is_empty(),
        false => !enabled.observable.is_empty() && !run.is_silent,
    };
    let controllable = enabled.controllable.iter();
    let controllable = controllable.map(|(action, role)| Choice::Do(action.clone(), *role));
    controllable.chain(may_wait.then_some(Choice::Wait)).collect()
}
