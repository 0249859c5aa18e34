//! `fathom hunt`: looks for errors where no search comes to an end.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use clap::Args;
use fathom_core::hunting::{ArmRow, HuntMonitor};
use fathom_core::model::Stop;
use fathom_core::search::{Progress, StoreKind};
use fathom_core::{CheckOptions, Code, Engine, Guidance, HuntOptions, HuntReport, Reductions};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::check::TraceArguments;
use super::check_report;
use super::guide_arguments::GuideArguments;
use super::hunt_timed;
use super::overdue;
use super::run_arguments::{
    AskedArguments, DEFAULT_SEED, RunConfig, Words, available_threads, choose_properties,
};
use crate::arguments::{Format, ModelArguments, OutputArguments};
use crate::exit_status;
use crate::failure::Failure;
use crate::memory;
use crate::monitor::{Interrupt, Watch};
use crate::output;
use crate::program::{SymmetryArguments, from_file};
use crate::session::Session;
use crate::units::{parse_size, parse_time};
use crate::wire::{ArmForm, RunSummary};

/// Time between two lines when standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// Time between two changes of the live table.
const LIVE_INTERVAL: Duration = Duration::from_millis(200);

/// The flags of `hunt`.
#[derive(Debug, Args)]
#[command(
    after_help = "A hunt never proves anything, unless a short complete attempt explores everything.\n\
                        Exit status: 0 every property holds, 1 some property is violated, 2 could not run, \
                        3 inconclusive."
)]
pub struct HuntArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub asked: AskedArguments,
    #[command(flatten)]
    pub guide: GuideArguments,
    #[command(flatten)]
    pub limits: HuntLimits,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    pub trace: TraceArguments,
    #[command(flatten)]
    pub symmetry: SymmetryArguments,
    /// Hunt on sets of values, too: guided search over decision diagrams, and walks through sets of successors
    #[arg(long, help_heading = "Sets of values")]
    pub symbolic: bool,
}

/// How far to go.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct HuntLimits {
    /// Most time: 500ms, 60s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "60s")]
    pub time: Duration,
    /// Threads to use; default: one for each core. With one thread, a seed reproduces a hunt
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Most memory for searches that remember what they saw: 512M, 8G; default: at most 512M
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// Most states of all engines together
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    /// Go on until there is evidence about every property
    #[arg(long)]
    pub all: bool,
    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
}

/// Runs the command.
pub fn run(arguments: &HuntArguments) -> Result<u8, Failure> {
    let model = arguments.model.validate()?;
    if model.language.is_program() {
        if arguments.symbolic {
            return Err(Failure::new("--symbolic has no meaning for model programs"));
        }
        return from_file::hunt(arguments, &model);
    }
    if arguments.symmetry.symmetry.is_some() && !model.is_timed() {
        return Err(Failure::new("--symmetry has a meaning for model programs and timed automata only"));
    }
    if arguments.symbolic && model.is_timed() {
        return Err(Failure::new("--symbolic has no meaning for timed automata"));
    }
    if model.is_timed() {
        return hunt_timed::run(arguments, &model);
    }
    let config = arguments.validate()?;
    let interrupt = Interrupt::listen();
    let mut session = Session::open(config.model.clone())?;
    let properties = choose_properties(&config, &mut session)?;
    if !arguments.output.quiet {
        session.show_warnings();
    }
    let traces = arguments.trace.claim(&session, &properties)?;
    let mut patient = Watch::start(Some(arguments.limits.time), interrupt.clone(), true);
    let chosen = arguments.guide.choice(&session, &config, &mut patient)?;
    let guidance = Guidance {
        heuristic: chosen.choice.clone(),
        pattern: arguments.guide.pattern_beside(&session, &config, &mut patient),
        reversed: arguments.guide.reverse_heuristic,
        seed: config.seed,
        ..Guidance::default()
    };
    let described = CheckOptions {
        engine: Engine::Best,
        properties: properties.clone(),
        guidance: guidance.clone(),
        ..CheckOptions::default()
    };
    arguments.guide.check_files(
        &chosen,
        &session,
        &config,
        &described,
        &interrupt,
        arguments.trace.file.force,
    )?;
    let options = HuntOptions {
        properties,
        all: arguments.limits.all,
        guidance,
        code: Code::Native,
        max_states: arguments.limits.max_states,
        max_bytes: arguments.limits.memory.or_else(memory::default_limit),
        threads: config.threads,
        symbolic: arguments.symbolic,
    };
    let left = arguments.limits.time.saturating_sub(patient.finish());
    let publish = |mut hunted: HuntReport, seconds: f64| {
        hunted.report.statistics.seconds = seconds;
        hunted.report.note = Some(summary(&hunted));
        let answered = check_report::Answered {
            config: &config,
            session: &session,
            asked: &options.properties,
            report: &hunted.report,
            run: RunSummary {
                engine: "hunt".to_owned(),
                store: "none".to_owned(),
                reductions: hunted.report.reductions.names().into_iter().map(str::to_owned).collect(),
                threads: hunted.report.threads,
                seed: config.seed,
            },
            command: arguments.to_command(&config),
            is_fair_to_processes: false,
            arms: hunted.arms.iter().map(to_wire).collect(),
        };
        check_report::publish(&answered, traces.as_ref())
    };
    let started = Instant::now();
    let mut watch = HuntWatch::start(left, interrupt, arguments.output.quiet, config.threads);
    let live = watch.live.clone();
    let give_up = || {
        let plain = HuntOptions { symbolic: false, ..options.clone() };
        let mut over = HuntWatch::start(Duration::ZERO, Interrupt::default(), true, 1);
        let hunted = fathom_core::hunt(session.model(), &plain, &mut over);
        live.iter().for_each(ProgressBar::finish_and_clear);
        let published = publish(hunted, started.elapsed().as_secs_f64());
        std::process::exit(exit_status(published, config.format == Format::Json).into())
    };
    let hunted = overdue::within(Some(left).filter(|_| options.symbolic), give_up, || {
        fathom_core::hunt(session.model(), &options, &mut watch)
    });
    publish(hunted, watch.finish().as_secs_f64())
}

impl HuntArguments {
    fn validate(&self) -> Result<RunConfig, Failure> {
        Ok(RunConfig {
            model: self.guide.with_param(self.model.validate()?),
            engine: Engine::default(),
            guided: true,
            code: Code::Native,
            reductions: Reductions::NONE,
            fairness: fathom_core::Fairness::None,
            asked_reductions: None,
            store: StoreKind::Exact,
            threads: self.limits.threads.map_or_else(available_threads, |threads| threads as usize),
            seed: self.limits.seed,
            named: self.asked.property.clone(),
            asked: self.asked.to_properties()?,
            ignored: self.asked.ignore.clone(),
            format: self.output.format,
            msc: self.trace.msc,
        })
    }

    /// The command that reproduces the run.
    fn to_command(&self, config: &RunConfig) -> String {
        let mut words = Words::asking("hunt", config);
        words.flags(self.guide.to_words());
        words.value("--time", format!("{}s", self.limits.time.as_secs_f64()));
        words.value("--threads", config.threads);
        words.value("--seed", config.seed);
        words.optional("--max-states", self.limits.max_states);
        words.optional("--memory", self.limits.memory);
        words.switch("--all", self.limits.all);
        words.switch("--symbolic", self.symbolic);
        words.to_command()
    }
}

pub(crate) fn to_wire(row: &ArmRow) -> ArmForm {
    ArmForm {
        name: row.name.clone(),
        slices: row.n_slices,
        states: row.states,
        transitions: row.transitions,
        depth: row.depth,
        best: row.best,
    }
}

/// Who did what, for people.
fn summary(hunted: &HuntReport) -> String {
    let is_found = hunted.report.verdicts.iter().any(|verdict| verdict.trace.is_some());
    who_did_what(&hunted.heuristics, is_found, &hunted.found_by, &hunted.arms)
}

/// The heuristics, who found something, and the arms.
pub(crate) fn who_did_what(
    heuristics: &[&str],
    is_found: bool,
    found_by: &[Option<String>],
    arms: &[ArmRow],
) -> String {
    let heuristics = match heuristics {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    let mut text = format!("heuristics: {heuristics}\n");
    let finders: Vec<&str> = found_by.iter().flatten().map(String::as_str).collect();
    if !finders.is_empty() {
        text += &format!("found by: {}\n", finders.join("; "));
    } else if is_found || arms.is_empty() {
        text += "answered by the complete attempt\n";
    }
    if !arms.is_empty() {
        text += &table(arms);
    }
    text
}

/// The arms, one line each.
fn table(arms: &[ArmRow]) -> String {
    let width = arms.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(3);
    let mut text =
        format!("{:<width$}  {:>6}  {:>13}  {:>9}  {:>8}\n", "arm", "slices", "states", "depth", "shortest");
    for row in arms {
        let best = row.best.map_or("-".to_owned(), |best| best.to_string());
        let mark = if row.is_working { " *" } else { "" };
        text += &format!(
            "{:<width$}  {:>6}  {:>13}  {:>9}  {best:>8}{mark}\n",
            row.name,
            row.n_slices,
            HumanCount(row.states).to_string(),
            row.depth
        );
    }
    text
}

/// The live table with a line below it, for a terminal of so many rows and columns. Where not all arms fit, those that have
/// done nothing yet are left out first, then those that have found nothing; lines that would be wrapped are cut.
fn live_text(arms: &[ArmRow], line: &str, (rows, columns): (u16, u16)) -> String {
    // The header, the line below, one for what is left out, and one that stays free.
    let n_fitting = usize::from(rows).saturating_sub(4);
    let mut ranked: Vec<usize> = (0..arms.len()).collect();
    if arms.len() > n_fitting {
        let is_dull = |row: &ArmRow| (row.best.is_none() && !row.is_working, row.n_slices == 0);
        ranked.sort_by_key(|&index| is_dull(&arms[index]));
        ranked.truncate(n_fitting);
        ranked.sort_unstable();
    }
    let shown: Vec<ArmRow> = ranked.iter().map(|&index| arms[index].clone()).collect();
    let mut text = if shown.is_empty() { String::new() } else { table(&shown) };
    if !shown.is_empty() && shown.len() < arms.len() {
        text += &format!("and {} more\n", arms.len() - shown.len());
    }
    text += line;
    let width = usize::from(columns).saturating_sub(1);
    let cut: Vec<String> = text.lines().map(|line| line.chars().take(width).collect()).collect();
    cut.join("\n")
}

/// Time for shorter traces after the first one, at least; and for making the best one shorter.
const LEAST_REST: Duration = Duration::from_secs(3);

/// Time that is added at most for engines that had no turn yet.
const LONGEST_TURN: Duration = Duration::from_secs(10);

/// What a hunt does at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Looks for a first trace.
    Seek,
    /// Looks for shorter ones until then.
    Improve(Instant),
    /// Makes the best one shorter until then.
    Shorten(Instant),
}

/// Watches a hunt: the deadline, Ctrl-C, and the live table. Looking for shorter traces may take as long as it took
/// to find the first.
pub(crate) struct HuntWatch {
    phase: Phase,
    started: Instant,
    /// When the hunt for the question at hand began, and when its share of the time is over.
    begun: Instant,
    share_ends: Option<Instant>,
    shown: Instant,
    limit: Duration,
    interrupt: Interrupt,
    live: Option<ProgressBar>,
    is_quiet: bool,
    /// Whether phases are counted in states by the hunt itself, so that the clock has no say in them.
    is_counted: bool,
}

impl HuntWatch {
    /// Starts the clock of a hunt with so many threads.
    pub(crate) fn start(limit: Duration, interrupt: Interrupt, is_quiet: bool, threads: usize) -> HuntWatch {
        let live = (!is_quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{msg}") {
                bar.set_style(style);
            }
            bar
        });
        let started = Instant::now();
        HuntWatch {
            phase: Phase::Seek,
            started,
            begun: started,
            share_ends: None,
            shown: started,
            limit,
            interrupt,
            live,
            is_quiet,
            is_counted: threads <= 1,
        }
    }

    /// Removes the table and says how long the hunt took.
    pub(crate) fn finish(self) -> Duration {
        if let Some(bar) = &self.live {
            bar.finish_and_clear();
        }
        self.started.elapsed()
    }

    /// A reason to end a phase, if it is over.
    fn next_phase(&mut self, arms: &[ArmRow]) -> Option<Stop> {
        let rest = |started: Instant| Instant::now() + started.elapsed().max(LEAST_REST);
        match self.phase {
            Phase::Seek if arms.iter().any(|row| row.best.is_some()) => {
                self.phase = Phase::Improve(rest(self.begun));
                None
            }
            // Every engine gets its turn, unless that takes far too long.
            Phase::Improve(end)
                if Instant::now() >= end + self.begun.elapsed().min(LONGEST_TURN)
                    || Instant::now() >= end && arms.iter().all(|row| row.n_slices > 0) =>
            {
                self.phase = Phase::Shorten(rest(self.begun));
                Some(Stop::Found)
            }
            Phase::Shorten(end) if Instant::now() >= end => Some(Stop::Found),
            _ => None,
        }
    }

    fn show(&mut self, progress: &Progress, arms: &[ArmRow]) {
        let interval = if self.live.is_some() { LIVE_INTERVAL } else { LINE_INTERVAL };
        if self.is_quiet || self.shown.elapsed() < interval {
            return;
        }
        self.shown = Instant::now();
        let best = arms.iter().filter_map(|row| row.best).min();
        let best = best.map_or("nothing found yet".to_owned(), |best| format!("shortest trace {best} steps"));
        let seconds = self.started.elapsed().as_secs_f64();
        let line = format!(
            "{} states, depth {}, {best}, {seconds:.1} s",
            HumanCount(progress.states),
            progress.depth
        );
        match &self.live {
            Some(bar) => bar.set_message(live_text(arms, &line, console::Term::stderr().size())),
            None => output::note(&line),
        }
    }
}

impl HuntMonitor for HuntWatch {
    fn poll(&mut self, progress: &Progress, arms: &[ArmRow]) -> Option<Stop> {
        if self.interrupt.is_asked() {
            return Some(Stop::Cancelled);
        }
        let is_over = self.share_ends.is_some_and(|end| Instant::now() >= end);
        if is_over || self.started.elapsed() >= self.limit {
            return Some(Stop::Time);
        }
        self.show(progress, arms);
        if self.is_counted { None } else { self.next_phase(arms) }
    }

    /// Each question gets the same share of what is left.
    fn begin(&mut self, n_left: usize) {
        self.phase = Phase::Seek;
        self.begun = Instant::now();
        let left = self.limit.saturating_sub(self.started.elapsed());
        self.share_ends = (n_left > 1).then(|| self.begun + left / n_left as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> ArmRow {
        ArmRow {
            name: "trail".to_owned(),
            n_slices: 3,
            states: 12_345,
            transitions: 20_000,
            depth: 77,
            best: Some(9),
            gain: 1.0,
            is_working: true,
            is_exhausted: false,
        }
    }

    #[test]
    fn a_table_has_a_line_for_each_arm_and_says_who_works() {
        let idle = ArmRow { best: None, is_working: false, ..row() };
        let text = table(&[row(), idle]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>(), ["trail", "3", "12,345", "77", "9", "*"]);
        assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["trail", "3", "12,345", "77", "-"]);
    }

    #[test]
    fn a_live_table_fits_the_terminal_and_keeps_what_matters() {
        let named = |name: &str, n_slices, best, is_working| {
            let name = name.to_owned();
            ArmRow { name, n_slices, best, is_working, ..row() }
        };
        let arms = [
            named("waits", 0, None, false),
            named("looked", 1, None, false),
            named("works", 0, None, true),
            named("found", 2, Some(7), false),
        ];
        let names = |size| -> Vec<String> {
            let text = live_text(&arms, "5 states", size);
            assert!(text.lines().count() < usize::from(size.0).max(2), "{text}");
            assert!(text.lines().all(|line| line.chars().count() < usize::from(size.1)), "{text}");
            let words = text.lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned());
            words.collect()
        };
        assert_eq!(names((24, 80)), ["arm", "waits", "looked", "works", "found", "5"]);
        assert_eq!(names((7, 80)), ["arm", "looked", "works", "found", "and", "5"]);
        assert_eq!(names((6, 30)), ["arm", "works", "found", "and", "5"]);
        assert_eq!(names((2, 80)), ["5"]);
    }

    #[test]
    fn the_deadline_and_the_user_stop_a_hunt() {
        let progress = Progress { states: 1, transitions: 0, depth: 0, pending: 0, bytes: 0 };
        let mut patient = HuntWatch::start(Duration::from_secs(100), Interrupt::default(), true, 2);
        let mut hasty = HuntWatch::start(Duration::ZERO, Interrupt::default(), true, 2);
        assert_eq!(patient.poll(&progress, &[]), None);
        assert_eq!(hasty.poll(&progress, &[]), Some(Stop::Time));
        patient.begin(3);
        assert_eq!(patient.poll(&progress, &[]), None);
        patient.limit = Duration::ZERO;
        patient.begin(2);
        assert_eq!(patient.poll(&progress, &[]), Some(Stop::Time), "a share of nothing is nothing");
    }
}
