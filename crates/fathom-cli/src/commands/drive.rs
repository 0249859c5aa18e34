//! `fathom drive`: tests an implementation against a model, on-line.

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use fathom_adapter::{Clock, Launch, Messages, Remote, Timing, log_file};
use fathom_coverage::{
    Coverage, Criterion, Pattern, Rate, UseCase, criterion_of, parse_criterion, parse_use_cases,
};
use fathom_online::{
    EndRule, Entry, Expansion, Explored, Roles, RunLog, Shortened, Strategy, TestModel, TestOptions,
    TestReport, TestVerdict, Tracker, Watch, expand, replay, shorten, test, universe,
};
use fathom_source::SourceMap;

use super::drive_report::{Driven, GoalReport, publish, publish_expansions};
use super::run_arguments::DEFAULT_SEED;
use crate::arguments::{ModelArguments, OutputArguments};
use crate::failure::{self, Failure};
use crate::monitor::Interrupt;
use crate::output;
use crate::program::Source;
use crate::units::parse_time;

/// The flags of `drive`.
#[derive(Debug, Args)]
#[command(
    after_help = "The implementation is a program that talks lines of JSON on standard input and output, or a socket (--connect). \
                        `fathom specimen buffer` is one to try.\n\n\
                        Exit status: 0 pass, 1 fail, 2 could not run, 3 inconclusive."
)]
pub struct DriveArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// For models of processes: the process that stands for the tester; what it sends is controllable, what it receives observable
    #[arg(long, value_name = "NAME", default_value = "environment")]
    pub environment: String,
    #[command(flatten)]
    pub drive: DriveOptions,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What a test is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Mode {
    /// A short look at everything: what was done least often comes first, until time is over
    Smoke,
    /// Until the goal is covered; anything less is inconclusive
    Requirements,
    /// For as long as there is time, by way of the goal and beyond
    BugHunt,
}

/// The flags of `drive` that do not depend on where the model comes from.
#[derive(Clone, Debug, Args)]
pub struct DriveOptions {
    /// Actions that the implementation decides about, by a regular expression for the action or its name
    #[arg(long, value_name = "PATTERN")]
    pub observable: Vec<String>,
    /// Actions of the implementation that nobody hears of
    #[arg(long, value_name = "PATTERN")]
    pub internal: Vec<String>,
    /// Actions of the tester that the implementation does not hear of: plans, such as action words above keywords
    #[arg(long, value_name = "PATTERN")]
    pub unsent: Vec<String>,
    /// Actions each of which is one unit of time
    #[arg(long, value_name = "PATTERN")]
    pub tick: Vec<String>,
    /// Actions that lead to where a run may end, once it has had its steps
    #[arg(long, value_name = "PATTERN")]
    pub cleanup: Vec<String>,
    /// What is to be covered, in the coverage language
    #[arg(long, value_name = "CRITERION")]
    pub goal: Option<String>,
    /// What is to be covered, as use cases in a file
    #[arg(long, value_name = "FILE", conflicts_with = "goal")]
    pub use_cases: Option<String>,
    /// Show how the model carries out the use cases, and test nothing
    #[arg(long, requires = "use_cases")]
    pub expand: bool,
    /// What the test is for; by default requirements if there is a goal, and a fixed number of steps otherwise
    #[arg(long, value_enum)]
    pub mode: Option<Mode>,
    /// How to choose: random, least-visited, coverage (bounded look-ahead), guided (shortest way to what is not covered)
    #[arg(long, value_name = "STRATEGY", value_parser = ["random", "least-visited", "coverage", "guided"])]
    pub strategy: Option<String>,
    /// Steps that --strategy coverage looks ahead
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub depth: usize,
    /// Most runs
    #[arg(long, value_name = "N")]
    pub runs: Option<usize>,
    /// Most steps in a run
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub steps: usize,
    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// Most time for the whole test
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// States of the model to look at for what there is to cover
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub max_states: usize,
    /// Time for an answer; longer means that the implementation hangs
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_time)]
    pub timeout: Duration,
    /// Time after which an implementation that does nothing is called silent
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = parse_time)]
    pub silence: Duration,
    /// One unit of time on a real clock; without it the clock is virtual, and the implementation is told of each tick
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub unit: Option<Duration>,
    /// Ticks in a unit of time, for timed automata: the finer, the smaller the deviations that are found
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub grain: u32,
    /// How far clocks and messages may be off, with --unit
    #[arg(long, value_name = "TIME", default_value = "20ms", value_parser = parse_time)]
    pub tolerance: Duration,
    /// Write what happened to this file
    #[arg(long, value_name = "FILE")]
    pub log: Option<String>,
    /// Overwrite the log
    #[arg(long)]
    pub force: bool,
    /// With --mode bug-hunt: a log of an earlier test; what was done then comes last now
    #[arg(long, value_name = "LOG")]
    pub earlier: Vec<String>,
    /// Do again what a log says, and see whether it comes out the same
    #[arg(long, value_name = "LOG")]
    pub replay: Option<String>,
    /// Runs for making a failing one shorter; 0 leaves it as it is
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub shorten: usize,
    /// Connect to an implementation at this address instead of starting one
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "implementation")]
    pub connect: Option<String>,
    /// The implementation: a program and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub implementation: Vec<String>,
}

fn patterns(flag: &str, texts: &[String]) -> Result<Vec<Pattern>, Failure> {
    let read = |text: &String| {
        Pattern::new(text).map_err(|error| Failure::new(format!("{flag} {}: {error}", output::quoted(text))))
    };
    texts.iter().map(read).collect()
}

impl DriveOptions {
    /// Who decides about which action.
    pub fn roles(&self) -> Result<Roles, Failure> {
        Ok(Roles {
            observable: patterns("--observable", &self.observable)?,
            internal: patterns("--internal", &self.internal)?,
            unsent: patterns("--unsent", &self.unsent)?,
            time: patterns("--tick", &self.tick)?,
        })
    }

    fn launch(&self, is_quiet: bool) -> Result<Launch, Failure> {
        match &self.connect {
            Some(address) => Ok(Launch::Socket(address.clone())),
            None if self.implementation.is_empty() => {
                Err(Failure::new("no implementation is given: add -- PROGRAM, or --connect HOST:PORT"))
            }
            None => {
                let messages = if is_quiet { Messages::Dropped } else { Messages::Shown };
                Ok(Launch::Program { words: self.implementation.clone(), messages })
            }
        }
    }

    /// Real clocks are for models in which time passes.
    fn timing(&self, is_timed: bool) -> Timing {
        let clock = match self.unit.filter(|_| is_timed) {
            Some(unit) => Clock::Real { unit: unit / self.grain.max(1), tolerance: self.tolerance },
            None => Clock::Virtual,
        };
        Timing { answer: self.timeout, silence: self.silence, clock }
    }

    fn mode(&self, has_goal: bool) -> Option<Mode> {
        self.mode.or(has_goal.then_some(Mode::Requirements))
    }

    fn strategy(&self, has_goal: bool) -> Strategy {
        const MOST_STATES: usize = 5000;
        match (self.strategy.as_deref(), self.mode(has_goal)) {
            (Some("random"), _) => Strategy::Random,
            (Some("least-visited"), _) | (None, Some(Mode::Smoke)) => Strategy::LeastVisited,
            (Some("coverage"), _) => Strategy::Coverage { depth: self.depth },
            (Some(_), _) => Strategy::Guided { most_states: MOST_STATES },
            (None, _) if has_goal => Strategy::Guided { most_states: MOST_STATES },
            (None, Some(_)) => Strategy::LeastVisited,
            (None, None) => Strategy::Random,
        }
    }

    fn limit(&self, mode: Option<Mode>) -> Option<Duration> {
        let usual = match mode {
            Some(Mode::Smoke) => Some(Duration::from_secs(10)),
            Some(Mode::BugHunt) => Some(Duration::from_secs(60)),
            Some(Mode::Requirements) | None => None,
        };
        self.time.or(usual)
    }

    fn test_options(&self, has_goal: bool) -> Result<TestOptions, Failure> {
        let mode = self.mode(has_goal);
        let is_requirements = mode == Some(Mode::Requirements);
        let usual_runs = match mode {
            Some(Mode::Smoke | Mode::BugHunt) => usize::MAX,
            Some(Mode::Requirements) => 100,
            None => 1,
        };
        let cleanup = patterns("--cleanup", &self.cleanup)?;
        Ok(TestOptions {
            runs: self.runs.unwrap_or(usual_runs),
            steps: self.steps,
            seed: self.seed,
            strategy: self.strategy(has_goal),
            end: EndRule { must_be_allowed: !cleanup.is_empty(), cleanup },
            stops_when_covered: is_requirements && has_goal,
            needs_goal: is_requirements && has_goal,
            earlier: Vec::new(),
        })
    }

    /// What happened in earlier tests.
    fn earlier_runs(&self) -> Result<Vec<Vec<Entry>>, Failure> {
        if !self.earlier.is_empty() && self.mode != Some(Mode::BugHunt) {
            return Err(Failure::new("--earlier needs --mode bug-hunt"));
        }
        let mut all = Vec::new();
        for path in &self.earlier {
            let (_, runs) = log_file::read(&read_text(path)?)
                .map_err(|problem| Failure::new(format!("{path}: {problem}")))?;
            all.extend(runs.into_iter().map(|run| run.entries));
        }
        Ok(all)
    }
}

/// The clock and Ctrl-C.
struct Deadline {
    started: Instant,
    limit: Option<Duration>,
    interrupt: Interrupt,
}

impl Watch for Deadline {
    fn is_over(&mut self) -> bool {
        self.interrupt.is_asked() || self.limit.is_some_and(|limit| self.started.elapsed() >= limit)
    }
}

/// What is to be covered.
struct Goal {
    criterion: Criterion,
    use_cases: Vec<UseCase>,
    sources: SourceMap,
}

fn read_goal(options: &DriveOptions) -> Result<Option<Goal>, Failure> {
    let mut sources = SourceMap::new();
    if let Some(text) = &options.goal {
        let file = sources.add("<goal>", text);
        let criterion = parse_criterion(file, &sources).map_err(|problem| {
            let message = format!("cannot understand --goal {}", output::quoted(text));
            Failure::of_diagnostics(message, &sources, &[*problem])
        })?;
        return Ok(Some(Goal { criterion, use_cases: Vec::new(), sources }));
    }
    let Some(path) = &options.use_cases else { return Ok(None) };
    let text = read_text(path)?;
    let file = sources.add(path, text);
    let use_cases = parse_use_cases(file, &sources).map_err(|problems| {
        Failure::of_diagnostics(format!("cannot understand {path}"), &sources, &problems)
    })?;
    let criterion = criterion_of(&use_cases);
    Ok(criterion.map(|criterion| Goal { criterion, use_cases, sources }))
}

fn read_text(path: &str) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::new(format!("cannot read {path}: {error}")))
}

/// Tests an implementation against a model.
pub fn drive(
    model: &dyn TestModel,
    source: &Source,
    options: &DriveOptions,
    output: &OutputArguments,
) -> Result<u8, Failure> {
    let explored = Explored::new(model);
    let goal = read_goal(options)?;
    if let (true, Some(goal)) = (options.expand, &goal) {
        return expand_use_cases(&explored, goal, options, output);
    }
    let mut test_options = options.test_options(goal.is_some())?;
    test_options.earlier = options.earlier_runs()?;
    let grain = model.is_timed().then_some(options.grain);
    let mut remote = Remote::new(options.launch(output.quiet)?, options.timing(model.is_timed()));
    if let Some(path) = &options.replay {
        return replay_log(&explored, &mut remote, path, grain, output);
    }
    if let Some(path) = &options.log {
        output::claim_file(path, options.force)?;
    }
    let known = goal.as_ref().map(|goal| {
        let asks = goal.criterion.leaves().iter().any(|leaf| leaf.kind != fathom_coverage::Kind::Actions);
        universe(&explored, options.max_states, asks)
    });
    let mut tracker = match (&goal, &known) {
        (Some(goal), Some(known)) => {
            Some(Tracker::new(Coverage::new(&goal.criterion, known).map_err(|problems| {
                Failure::of_diagnostics("the goal cannot be covered", &goal.sources, &problems)
            })?))
        }
        _ => None,
    };
    let mode = options.mode(goal.is_some());
    let started = Instant::now();
    let mut watch = Deadline { started, limit: options.limit(mode), interrupt: Interrupt::listen() };
    let report = test(&explored, &mut remote, &test_options, tracker.as_mut(), &mut watch);
    if let Some(failure) = unreachable(&report.verdict) {
        return Err(failure);
    }
    let shortened = shortened(&explored, &mut remote, &report, options, &mut watch);
    drop(remote);
    if let Some(path) = &options.log {
        let logged: Vec<RunLog> = match &shortened {
            // The last run of a log is the one that is replayed.
            Some(shortened) => report.runs.iter().cloned().chain([shortened.log.clone()]).collect(),
            None => report.runs.clone(),
        };
        let about = serde_json::json!({
            "model": source.name, "seed": options.seed, "strategy": test_options.strategy.name(),
        });
        output::write_file(path, log_file::write(&about, &logged, grain), options.force)?;
    }
    let goal = goal.as_ref().zip(tracker.as_ref()).map(|(goal, tracker)| GoalReport {
        criterion: goal.criterion.to_string(),
        rate: tracker.coverage().rate(),
        covered_after: report.covered_after,
        parts: tracker.coverage().details(),
        use_cases: goal.use_cases.iter().map(|case| (case, rate_of(case, &report))).collect(),
    });
    let driven = Driven {
        source,
        strategy: test_options.strategy,
        seed: options.seed,
        report: &report,
        goal,
        shortened: shortened.as_ref(),
        grain,
        seconds: started.elapsed().as_secs_f64(),
    };
    publish(&driven, output.format)?;
    Ok(exit_status(&report.verdict))
}

/// An implementation that cannot be reached means that nothing could run.
fn unreachable(verdict: &TestVerdict) -> Option<Failure> {
    match verdict {
        TestVerdict::Inconclusive(why) if why.starts_with("the implementation cannot be reached") => {
            Some(Failure::new(why.clone()))
        }
        _ => None,
    }
}

fn exit_status(verdict: &TestVerdict) -> u8 {
    match verdict {
        TestVerdict::Pass => failure::HOLDS,
        TestVerdict::Fail(_) => failure::VIOLATED,
        TestVerdict::Inconclusive(_) => failure::INCONCLUSIVE,
    }
}

fn shortened(
    explored: &Explored<'_>,
    remote: &mut Remote,
    report: &TestReport,
    options: &DriveOptions,
    watch: &mut Deadline,
) -> Option<Shortened> {
    let failed = report.runs.last().filter(|run| run.verdict.failure().is_some())?;
    if options.shorten == 0 {
        return None;
    }
    // A limit on testing is none on explaining what was found; the number of runs is.
    watch.limit = None;
    shorten(explored, remote, failed, options.shorten, watch)
}

/// How much of a use case a test has covered.
fn rate_of(use_case: &UseCase, report: &TestReport) -> Rate {
    use fathom_coverage::{Kind, Universe, reference};
    let event = |entry: &Entry| match entry {
        Entry::Did { action, .. } | Entry::Observed { action, .. } => Some(reference::Event {
            items: vec![(Kind::Actions, action.shown().to_owned())],
            values: Vec::new(),
        }),
        Entry::Silence | Entry::Tick => None,
    };
    let nothing = Universe::default();
    let Ok(mut coverage) = Coverage::new(&use_case.criterion(), &nothing) else { return Rate::NONE };
    for event in report.runs.iter().flat_map(|run| &run.entries).filter_map(event) {
        let happened = coverage.number(&event);
        coverage.mark(&happened);
    }
    coverage.rate()
}

fn expand_use_cases(
    explored: &Explored<'_>,
    goal: &Goal,
    options: &DriveOptions,
    output: &OutputArguments,
) -> Result<u8, Failure> {
    let expansions: Vec<(&UseCase, Expansion)> = goal
        .use_cases
        .iter()
        .map(|use_case| (use_case, expand(explored, &use_case.events, options.max_states)))
        .collect();
    publish_expansions(&expansions, output.format)?;
    let has = |wanted: fn(&Expansion) -> bool| expansions.iter().any(|(_, expansion)| wanted(expansion));
    if has(|expansion| matches!(expansion, Expansion::Impossible(_))) {
        return Ok(failure::VIOLATED);
    }
    let is_cut = has(|expansion| matches!(expansion, Expansion::TooFar(_)));
    Ok(if is_cut { failure::INCONCLUSIVE } else { failure::HOLDS })
}

/// Follows the last run of a log; the exit status is that of its verdict, or inconclusive when it does not come out the same.
fn replay_log(
    explored: &Explored<'_>,
    remote: &mut Remote,
    path: &str,
    grain: Option<u32>,
    output: &OutputArguments,
) -> Result<u8, Failure> {
    let (_, runs) =
        log_file::read(&read_text(path)?).map_err(|problem| Failure::new(format!("{path}: {problem}")))?;
    let recorded = runs.last().ok_or_else(|| Failure::new(format!("{path}: the log has no runs")))?;
    let log = RunLog { entries: recorded.entries.clone(), verdict: TestVerdict::Pass };
    let again = replay(explored, remote, &log);
    if let Some(failure) = unreachable(&again.verdict) {
        return Err(failure);
    }
    let is_same = recorded.agrees_with(&again.verdict);
    super::drive_report::publish_replay(&again, &recorded.verdict, is_same, grain, output.format)?;
    Ok(if is_same { exit_status(&again.verdict) } else { failure::INCONCLUSIVE })
}
