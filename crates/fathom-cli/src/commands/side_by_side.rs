//! Explicit states and sets of values side by side: what `check` does with SMV when nobody says how to search.
//!
//! A synchronous model may have few states that are dear to tell apart by diagrams, or more states than can be listed that are one small
//! diagram, and nothing in its text says which. So three searches run at the same time: on explicit states, with everything a set of values, and with
//! the partition that `auto` makes. Whoever answers everything first ends it. That is never much slower than the best of the three, where
//! the others may take for ever; it costs the threads and two thirds of the memory. Explicit states get a start of [`HEAD_START`] and a search of
//! [`FEW_STATES`] before that, so that small models are answered in the same way every time.
//!
//! Verdicts are those of complete engines whoever wins; which trace is shown may depend on who does. The command that reproduces a run
//! names the winner. Diagrams may not hear for a while that they are not needed any more: they have threads that nobody waits for.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use fathom_core::model::{Answer, Listing, Model, Statistics, Stop};
use fathom_core::search::{Monitor, Progress, StoreKind};
use fathom_core::symbolic::Partition;
use fathom_core::{CheckOptions, Code, Fairness, Language, Report};

use super::check::CheckArguments;
use super::run_arguments::RunConfig;
use crate::STACK_BYTES;
use crate::monitor::{Interrupt, Watch};

/// States of the first search.
const FEW_STATES: u64 = 4096;
/// How long diagrams wait for it.
const HEAD_START: Duration = Duration::from_millis(250);
/// Time between two looks at the clock while diagrams alone are at work.
const INTERVAL: Duration = Duration::from_millis(20);
/// How many such times are waited for diagrams after the time is over.
const N_MORE: u32 = 25;

/// Whose answers a report has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Explicit states.
    Explicit,
    /// Sets of values, of all variables.
    Symbolic,
    /// Sets of the values of some variables.
    Partitioned,
    /// Some are of one search, some of another.
    Several,
}

impl Side {
    /// The value of `--engine` that repeats it.
    pub fn engine(self) -> &'static str {
        match self {
            Side::Explicit | Side::Partitioned => "bfs",
            Side::Symbolic => "symbolic",
            Side::Several => "auto",
        }
    }

    /// The value of `--partition` that repeats it.
    pub fn partition(self) -> Option<&'static str> {
        (self == Side::Partitioned).then_some("auto")
    }
}

/// Whether nothing was said about how to search a model for which both make sense.
pub fn is_meant(arguments: &CheckArguments, config: &RunConfig) -> bool {
    let CheckArguments { run, partition, insight, symmetry, .. } = arguments;
    let search = &run.search;
    let is_plain = search.engine == "auto"
        && config.store == StoreKind::Exact
        && config.code == Code::Native
        && config.asked_reductions.is_none()
        && config.fairness == Fairness::None;
    let is_counted =
        search.continue_after_all || search.profile || insight.vacuity || !insight.states_of.is_empty();
    let is_limited = run.limits.max_states.is_some() || run.limits.max_depth.is_some();
    config.model.language == Language::Smv
        && config.threads > 1
        && is_plain
        && !is_counted
        && !is_limited
        && !partition.is_given()
        && symmetry.symmetry.is_none()
}

/// Answers the properties on explicit states and on sets of values, whichever comes first. The watch has to hear `rest`.
pub fn check(model: &Model, options: &CheckOptions, watch: &mut Watch, rest: &Interrupt) -> (Report, Side) {
    let share = options.max_bytes.map(|n_bytes| n_bytes / 3);
    let sets = CheckOptions { threads: 1, max_bytes: share, ..options.clone() };
    let mut diagrams = Diagrams::start(model, &sets, watch.left(), rest);
    let few = CheckOptions { max_states: Some(FEW_STATES), threads: 1, ..options.clone() };
    let mut report = fathom_core::check(model, &few, watch);
    let mut side = Side::Explicit;
    if n_open(&report) > 0 && watch.poll(&so_far(&report)).is_none() {
        diagrams.begin();
        let threads = options.threads.saturating_sub(diagrams.threads.len()).max(1);
        let explicit = CheckOptions { threads, max_bytes: share, ..options.clone() };
        report = fathom_core::check(model, &explicit, watch);
    }
    let mut n_more = N_MORE;
    while n_open(&report) > 0 {
        match diagrams.answers.recv_timeout(INTERVAL) {
            Ok(answer) => (report, side) = join((report, side), answer),
            Err(RecvTimeoutError::Timeout) => match watch.poll(&so_far(&report)) {
                None => (),
                // They are about to end, too, with what they have found.
                Some(Stop::Time) if n_more > 0 => n_more -= 1,
                Some(_) => break,
            },
            Err(RecvTimeoutError::Disconnected) => {
                diagrams.end();
                break;
            }
        }
    }
    (report, side)
}

/// What explicit states have come to, to be shown while diagrams alone are at work.
fn so_far(report: &Report) -> Progress {
    let Statistics { states, transitions, max_depth, store_bytes, .. } = report.statistics;
    Progress { states, transitions, depth: max_depth, pending: 0, bytes: store_bytes }
}

/// Number of properties without an answer.
fn n_open(report: &Report) -> usize {
    report.verdicts.iter().filter(|verdict| verdict.answer == Answer::Inconclusive).count()
}

/// The answers of two searches for the same properties; what it cost is told of the one with more of them.
fn join((one, side): (Report, Side), (other, other_side): (Report, Side)) -> (Report, Side) {
    let (mut best, best_side, rest) = match n_open(&other) <= n_open(&one) {
        true => (other, other_side, one),
        false => (one, side, other),
    };
    let mut is_joined = false;
    for (index, verdict) in rest.verdicts.into_iter().enumerate() {
        let open = &mut best.verdicts[index];
        if open.answer == Answer::Inconclusive && verdict.answer != Answer::Inconclusive {
            best.insights.retain(|insight| insight.property != verdict.property);
            best.insights
                .extend(rest.insights.iter().filter(|insight| insight.property == verdict.property).cloned());
            best.engines[index] = rest.engines[index];
            *open = verdict;
            is_joined = true;
        }
    }
    (best, if is_joined { Side::Several } else { best_side })
}

/// The searches on diagrams.
struct Diagrams {
    threads: Vec<JoinHandle<()>>,
    /// What they found, as soon as they are done.
    answers: Receiver<(Report, Side)>,
    /// Dropped when they are not to wait any longer.
    waiting: Vec<Sender<()>>,
    /// Told when they are not needed any more.
    cancelled: Interrupt,
}

impl Diagrams {
    /// Starts them, each on a thread of its own, with a limit of time. The one that answers everything asks for `rest`.
    fn start(model: &Model, options: &CheckOptions, limit: Option<Duration>, rest: &Interrupt) -> Diagrams {
        let auto = Partition::auto(model);
        let has_sides = |symbolic| auto.sides().iter().any(|side| side.symbolic == symbolic);
        let partitioned = has_sides(true) && has_sides(false);
        let sides = [(Side::Symbolic, Partition::symbolic(model))]
            .into_iter()
            .chain(partitioned.then_some((Side::Partitioned, auto)));
        let (found, answers) = channel();
        let mut diagrams =
            Diagrams { threads: Vec::new(), answers, waiting: Vec::new(), cancelled: Interrupt::default() };
        for (side, partition) in sides {
            let (wait, is_over) = channel::<()>();
            let (found, cancelled, rest) = (found.clone(), diagrams.cancelled.clone(), rest.clone());
            // Outcomes that are left out there are left out there only.
            let model = Model { listing: Listing::default(), ..model.clone() };
            let options = CheckOptions { partition: Some(partition), ..options.clone() };
            let mut watch = Watch::start(limit, cancelled.clone(), true);
            let work = move || {
                let _ = is_over.recv_timeout(HEAD_START);
                if cancelled.is_asked() {
                    return;
                }
                let report = fathom_core::check(&model, &options, &mut watch);
                let is_done = n_open(&report) == 0;
                // Nobody may be there to hear it.
                let _ = found.send((report, side));
                if is_done {
                    rest.ask();
                }
            };
            // Without a thread, there is a search less.
            diagrams.threads.extend(Builder::new().stack_size(STACK_BYTES).spawn(work));
            diagrams.waiting.push(wait);
        }
        diagrams
    }

    /// Lets those go on that wait.
    fn begin(&mut self) {
        self.waiting.clear();
    }

    /// The end of searches that are all over. A bug is one, wherever it shows.
    fn end(&mut self) {
        for thread in self.threads.drain(..) {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

impl Drop for Diagrams {
    fn drop(&mut self) {
        self.cancelled.ask();
    }
}

#[cfg(test)]
mod tests {
    use fathom_core::source::MemoryLoader;
    use fathom_core::{Engine, default_properties, load};

    use super::*;

    const TEXT: &str = "MODULE main VAR x : 0..9; ASSIGN init(x) := 0; next(x) := (x + 1) mod 10;
        INVARSPEC x < 9 INVARSPEC x < 10 CTLSPEC AG EF x = 0";

    fn model() -> Model {
        let loader = MemoryLoader::new().with("m.smv", TEXT);
        load("m.smv", Language::Smv, &loader, &[])
            .expect("it can be read")
            .model
            .expect("a model without errors")
    }

    fn report(model: &Model, max_states: Option<u64>) -> Report {
        let options = CheckOptions {
            engine: Engine::BreadthFirst,
            properties: default_properties(model),
            max_states,
            ..CheckOptions::default()
        };
        fathom_core::check(model, &options, &mut fathom_core::search::NoMonitor)
    }

    #[test]
    fn answers_of_two_searches_are_put_together() {
        let model = model();
        let (all, few) = (report(&model, None), report(&model, Some(3)));
        assert!(n_open(&all) == 0 && n_open(&few) > 0);
        let answers =
            |report: &Report| report.verdicts.iter().map(|verdict| verdict.answer).collect::<Vec<_>>();
        let (best, side) = join((few.clone(), Side::Explicit), (all.clone(), Side::Symbolic));
        assert_eq!((answers(&best), side), (answers(&all), Side::Symbolic));
        let (best, side) = join((all.clone(), Side::Explicit), (few, Side::Symbolic));
        assert_eq!((answers(&best), side), (answers(&all), Side::Explicit));
        // Each has something that the other one does not have.
        let (mut one, mut other) = (all.clone(), all.clone());
        one.verdicts[0].answer = Answer::Inconclusive;
        other.verdicts[1].answer = Answer::Inconclusive;
        let (best, side) = join((one, Side::Explicit), (other, Side::Symbolic));
        assert_eq!((answers(&best), side), (answers(&all), Side::Several));
    }

    #[test]
    fn diagrams_answer_while_explicit_states_go_on() {
        let model = model();
        let properties = default_properties(&model);
        let options = CheckOptions { properties, threads: 2, ..CheckOptions::default() };
        let rest = Interrupt::default();
        let mut diagrams = Diagrams::start(&model, &options, None, &rest);
        diagrams.begin();
        let (found, _) = diagrams.answers.recv().expect("an answer");
        assert_eq!(n_open(&found), 0);
        diagrams.end();
        assert!(rest.is_asked(), "whoever has answered everything asks for rest");
    }
}
