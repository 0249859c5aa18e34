//! `fathom check`: answers the properties of a model.

use std::time::Instant;

use clap::Args;
use fathom_core::model::PropertyId;
use fathom_core::{CheckOptions, Fairness, Report};

use super::check_report;
use super::check_timed::{self, ZoneArguments};
use super::overdue::{self, Over};
use super::partition_arguments::PartitionArguments;
use super::run_arguments::{RunArguments, RunConfig, SYMBOLIC, Words, choose_properties, run_summary};
use super::side_by_side::{self, Side};
use crate::arguments::Format;
use crate::exit_status;
use crate::failure::Failure;
use crate::monitor::{Interrupt, Watch};
use crate::program::{SymmetryArguments, from_file};
use crate::session::{PROCESSES, Session};
use crate::trace_file::{TraceFileArguments, TraceNames};

/// The flags of `check`.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 every property holds, 1 some property is violated, 2 could not run, \
                        3 inconclusive.")]
pub struct CheckArguments {
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub partition: PartitionArguments,
    #[command(flatten)]
    pub insight: InsightArguments,
    #[command(flatten)]
    pub trace: TraceArguments,
    #[command(flatten)]
    pub zones: ZoneArguments,
    #[command(flatten)]
    pub symmetry: SymmetryArguments,
}

/// What else to say about formulas.
#[derive(Debug, Args)]
#[command(next_help_heading = "More about formulas")]
pub struct InsightArguments {
    /// Say which parts of formulas that hold do not matter, and which propositions never change
    #[arg(long)]
    pub vacuity: bool,
    /// A formula of computation tree logic holds when it is true in some initial state; by default, in all
    #[arg(long)]
    pub some_initial: bool,
    /// List the states that satisfy this formula of computation tree logic, and count those of each part
    #[arg(long, value_name = "F")]
    pub states_of: Vec<String>,
    /// How many of the nearest states to list with --states-of
    #[arg(long, value_name = "N", default_value_t = 5, requires = "states_of")]
    pub show_states: usize,
}

impl InsightArguments {
    /// Checks the flags together with those of the run.
    fn validate(&self, run: &RunArguments, config: &RunConfig) -> Result<(), Failure> {
        let has_states = !self.states_of.is_empty();
        if !run.asked.formulas.fair_ctl.is_empty() && run.asked.formulas.ctl.is_empty() && !has_states {
            return Err(Failure::new("--fair-ctl needs --ctl or --states-of"));
        }
        if config.engine.is_for_hunting() && (self.vacuity || has_states) {
            let name = config.engine.name();
            return Err(Failure::new(format!(
                "--vacuity and --states-of have no meaning for --engine {name}"
            )));
        }
        Ok(())
    }

    /// Adds them to the command that reproduces a run.
    fn add_to(&self, run: &RunArguments, words: &mut Words) {
        for text in &self.states_of {
            words.value("--states-of", text);
        }
        if !self.states_of.is_empty() {
            words.value("--show-states", self.show_states);
            // With formulas to check they are there already.
            for constraint in run.asked.formulas.fair_ctl.iter().filter(|_| run.asked.formulas.ctl.is_empty())
            {
                words.value("--fair-ctl", constraint);
            }
        }
        words.switch("--vacuity", self.vacuity);
        words.switch("--some-initial", self.some_initial);
    }
}

/// What to do with traces.
#[derive(Debug, Args)]
#[command(next_help_heading = "Traces")]
pub struct TraceArguments {
    #[command(flatten)]
    pub file: TraceFileArguments,
    /// Show the messages of traces as a chart, one column for each process
    #[arg(long)]
    pub msc: bool,
}

impl TraceArguments {
    /// Checks before any work is done that the traces of these properties can be written, if they are wanted.
    pub fn claim(&self, session: &Session, properties: &[PropertyId]) -> Result<Option<TraceNames>, Failure> {
        let name = |id: &PropertyId| session.model().properties[id.index()].name.clone();
        let names: Vec<String> = properties.iter().map(name).collect();
        self.file.claim(&names)
    }
}

/// Whether paths are to be fair to processes.
fn is_fair_to_processes(run: &RunArguments) -> bool {
    run.asked.formulas.fair_ctl.iter().any(|constraint| constraint == PROCESSES)
}

/// Runs the command.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let CheckArguments { run, partition, insight, trace, zones, symmetry } = arguments;
    let model = run.model.validate()?;
    if model.language.is_program() {
        return from_file::check(arguments, &model);
    }
    if model.is_timed() {
        if zones.no_symmetry && symmetry.symmetry.is_some() {
            return Err(Failure::new("--no-symmetry and --symmetry exclude each other"));
        }
        if partition.is_given() {
            return Err(Failure::new(
                "--symbolic, --explicit and --partition have no meaning for timed automata",
            ));
        }
        return check_timed::run(arguments, &model);
    }
    if zones.is_given() {
        return Err(Failure::new("--extrapolation and --cover have a meaning for timed automata only"));
    }
    let mut config = RunConfig { msc: trace.msc, ..run.validate()? };
    if let Some(wanted) = symmetry.of_model()? {
        config.reductions.symmetry = wanted;
    }
    insight.validate(run, &config)?;
    let interrupt = Interrupt::listen();
    let mut session = Session::open(config.model.clone())?;
    let states_of = insight
        .states_of
        .iter()
        .map(|text| session.ask_states_of(text, &run.asked.formulas.fair_ctl))
        .collect::<Result<Vec<PropertyId>, Failure>>()?;
    let asks_states_only = config.named.is_empty() && config.asked.is_empty() && !states_of.is_empty();
    let properties = match asks_states_only {
        true => Vec::new(),
        false => choose_properties(&config, &mut session)?,
    };
    if !run.output.quiet {
        session.show_warnings();
    }
    let traces = trace.claim(&session, &properties)?;
    let mut patient = Watch::start(run.limits.time, interrupt.clone(), true);
    let chosen = run.guide.choice(&session, &config, &mut patient)?;
    let spent = patient.finish();
    let all_symbolic = run.search.engine == SYMBOLIC;
    let options = CheckOptions {
        partition: partition.choose(session.model(), config.engine, config.store, all_symbolic)?,
        fair_processes: is_fair_to_processes(run),
        vacuity: insight.vacuity,
        some_initial: insight.some_initial,
        states_of,
        n_states_shown: insight.show_states,
        guidance: run.sample.guidance(&run.guide, config.seed, &session, &config, chosen.choice.clone())?,
        ..run.to_options(&config, properties)
    };
    run.guide.check_files(&chosen, &session, &config, &options, &interrupt, trace.file.force)?;
    let left = run.limits.time.map(|time| time.saturating_sub(spent));
    let publish = |report: &Report, side: Option<Side>| {
        let engine = side.map_or_else(|| run.engine_word(&config), Side::engine);
        let mut words = run.to_words(&config, report, engine);
        insight.add_to(run, &mut words);
        partition.add_to(&mut words);
        words.optional("--partition", side.and_then(Side::partition));
        let answered = check_report::Answered {
            config: &config,
            session: &session,
            asked: &options.properties,
            report,
            run: run_summary(&config, report),
            command: words.to_command(),
            is_fair_to_processes: options.fair_processes || options.fairness != Fairness::None,
            arms: Vec::new(),
        };
        check_report::publish(&answered, traces.as_ref())
    };
    let started = Instant::now();
    let rest = Interrupt::default();
    let mut watch = Watch::start(left, interrupt.or(&rest), run.output.quiet);
    if side_by_side::is_meant(arguments, &config) {
        let (mut report, side) = side_by_side::check(session.model(), &options, &mut watch, &rest);
        report.statistics.seconds = watch.finish().as_secs_f64();
        return publish(&report, Some(side));
    }
    let curtain = watch.curtain();
    let give_up = || {
        let mut report = fathom_core::check(session.model(), &options, &mut Over);
        report.statistics.seconds = started.elapsed().as_secs_f64();
        curtain.close();
        std::process::exit(exit_status(publish(&report, None), config.format == Format::Json).into())
    };
    let mut report = overdue::within(left.filter(|_| overdue::has_diagrams(&options)), give_up, || {
        fathom_core::check(session.model(), &options, &mut watch)
    });
    report.statistics.seconds = watch.finish().as_secs_f64();
    publish(&report, None)
}
