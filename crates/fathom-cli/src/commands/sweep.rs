//! `fathom sweep`: runs a model again and again over a range of a parameter.
//!
//! Sampled engines are judged by curves: how many table sizes hit, how time and length of a trace grow with the
//! model. Ernits (2007) and Bui (2009) made theirs with scripts around their tools; here it is one command, with every run
//! made in the same process under the same limits.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use fathom_core::hunting::Sizes;
use fathom_core::model::{Answer, Evidence, Question, Trace, Trust};
use fathom_core::{CheckOptions, Code, Engine, HeuristicChoice, HuntOptions, Report};

use super::guide_arguments::GuideArguments;
use super::run_arguments::{RunArguments, RunConfig, SYMBOLIC, choose_properties};
use super::sweep_report::{PlotFormat, files, summarize, to_text};
use super::sweep_values::{Over, Parameter, parse_over};
use crate::arguments::Format;
use crate::failure::{self, Failure};
use crate::monitor::{Interrupt, Watch};
use crate::output;
use crate::session::Session;
use crate::wire::{self, SweepReport, SweepRun};

/// The flags of `sweep`.
#[derive(Debug, Args)]
#[command(after_help = "Limits are those of one run; one thread runs unless --threads says otherwise.\n\
                        Exit status: 0 every property holds in every run, 1 some run found something, 2 could not run, \
                        3 inconclusive.")]
pub struct SweepArguments {
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub sweep: OverArguments,
}

/// What to go over, and where the results go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Sweep")]
pub struct OverArguments {
    /// The parameter and its values: table (bytes of the table of isr), seed, depth, or a parameter of the model; values
    /// are numbers and ranges, such as N=3..9, table=1..700, N=10..100:10, N=1..4096*2
    #[arg(long, value_name = "NAME=VALUES", value_parser = parse_over)]
    pub over: Over,
    /// Runs for each value, each with a seed of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Write all runs and the summary as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write all runs as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw hits, time and length of traces over the values, as .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
}

/// Runs the command.
pub fn run(arguments: &SweepArguments) -> Result<u8, Failure> {
    let config = arguments.validate()?;
    let interrupt = Interrupt::listen();
    let over = &arguments.sweep.over;
    let mut runs = Vec::new();
    let mut is_whole = true;
    let mut sweeping = Sweeping { config: &config, interrupt: &interrupt, chosen: None };
    'values: for (number, &value) in over.values.iter().enumerate() {
        for repeat in 0..arguments.sweep.repeat {
            if interrupt.is_asked() {
                is_whole = false;
                break 'values;
            }
            let run = arguments.run_once(&mut sweeping, value, repeat)?;
            if !arguments.run.output.quiet {
                output::note(&progress_line(over, number, &run));
            }
            runs.push(run);
        }
    }
    let report = SweepReport {
        fathom: wire::VERSION.to_owned(),
        file: config.model.file.clone(),
        engine: arguments.engine_name().to_owned(),
        parameter: over.parameter.to_string(),
        values: summarize(&runs),
        hit_percent: wire::percent(runs.iter().filter(|run| run.hit).count(), runs.len()),
        complete: is_whole,
        runs,
    };
    // The answer comes first: a disk that is full must not hide it.
    match config.format {
        Format::Json => output::print_json(&report)?,
        Format::Text => output::print(&to_text(&report))?,
    }
    for (path, content) in files(&arguments.sweep, &report)? {
        output::write_file(path, content, arguments.sweep.force)?;
    }
    Ok(exit_status(&report))
}

fn exit_status(report: &SweepReport) -> u8 {
    if report.runs.iter().any(|run| run.verdict == Answer::Violated.word()) {
        return failure::VIOLATED;
    }
    let is_proved =
        |run: &SweepRun| run.verdict == Answer::Holds.word() && run.trust == Trust::Complete.word();
    let is_all = report.complete && report.runs.iter().all(is_proved);
    if is_all { failure::HOLDS } else { failure::INCONCLUSIVE }
}

fn progress_line(over: &Over, number: usize, run: &SweepRun) -> String {
    let found = match run.length {
        Some(length) => format!("{length} steps"),
        None => run.verdict.clone(),
    };
    let n_values = over.values.len();
    format!(
        "{} of {n_values}: {}={}, seed {}: {found}, {:.3} s",
        number + 1,
        over.parameter,
        run.value,
        run.seed,
        run.seconds
    )
}

/// A sweep under way.
struct Sweeping<'a> {
    config: &'a RunConfig,
    interrupt: &'a Interrupt,
    /// The heuristic of the last run, with the definitions of its model: it may take longer to make than to use.
    chosen: Option<(Vec<(String, String)>, HeuristicChoice)>,
}

impl Sweeping<'_> {
    fn choice(&mut self, session: &Session, guide: &GuideArguments) -> Result<HeuristicChoice, Failure> {
        let defines = &session.config().defines;
        if let Some((_, choice)) = self.chosen.as_ref().filter(|(known, _)| known == defines) {
            return Ok(choice.clone());
        }
        let mut watch = Watch::start(None, self.interrupt.clone(), true);
        let choice = guide.choice(session, self.config, &mut watch)?.choice;
        self.chosen = Some((defines.clone(), choice.clone()));
        Ok(choice)
    }
}

/// The engine that hunts with all engines.
const HUNT: &str = "hunt";

/// Time of a hunt, unless said otherwise.
const HUNT_TIME: Duration = Duration::from_secs(60);

impl SweepArguments {
    /// Tables belong to isr; otherwise the engine is the one that is said.
    fn engine_name(&self) -> &str {
        match (&self.sweep.over.parameter, self.run.search.engine.as_str()) {
            (Parameter::Table, "auto") => Engine::Isr.name(),
            (_, "auto") => Engine::BreadthFirst.name(),
            (_, name) => name,
        }
    }

    /// Checks flags and files before any work is done.
    fn validate(&self) -> Result<RunConfig, Failure> {
        let is_hunt = self.run.search.engine == HUNT;
        if self.run.search.engine == SYMBOLIC {
            return Err(Failure::new("--engine symbolic is for check only"));
        }
        let engine = if is_hunt { Engine::BreadthFirst } else { self.run.search.engine()? };
        let mut config = RunConfig {
            threads: self.run.threads.threads.map_or(1, |threads| threads as usize),
            ..self.run.validate_with(engine)?
        };
        if self.sweep.over.parameter == Parameter::Table {
            if self.run.search.engine == "auto" {
                config.engine = Engine::Isr;
            } else if config.engine != Engine::Isr || is_hunt {
                return Err(Failure::new("--over table needs --engine isr"));
            }
        }
        let sweep = &self.sweep;
        let named: Vec<&PathBuf> = [&sweep.json, &sweep.csv, &sweep.plot].into_iter().flatten().collect();
        for (index, path) in named.iter().enumerate() {
            if named[..index].contains(path) {
                return Err(Failure::new(format!("{} is named twice", path.display())));
            }
            output::claim_file(path, sweep.force)?;
        }
        sweep.plot.as_deref().map(PlotFormat::of).transpose()?;
        Ok(config)
    }

    /// One run with one value.
    fn run_once(&self, sweeping: &mut Sweeping<'_>, value: u64, repeat: u32) -> Result<SweepRun, Failure> {
        let Sweeping { config, interrupt, .. } = *sweeping;
        let mut model = config.model.clone();
        let mut seed = config.seed.wrapping_add(u64::from(repeat));
        match &self.sweep.over.parameter {
            Parameter::Define(name) => {
                model.defines.retain(|(other, _)| other != name);
                model.defines.push((name.clone(), value.to_string()));
            }
            Parameter::Seed => seed = value.wrapping_add(u64::from(repeat)),
            Parameter::Table | Parameter::Depth => {}
        }
        let mut session = Session::open(model)?;
        let properties = choose_properties(config, &mut session)?;
        let choice = sweeping.choice(&session, &self.run.guide)?;
        let mut guidance = self.run.sample.guidance(&self.run.guide, seed, &session, config, choice)?;
        let mut options = CheckOptions { ..self.run.to_options(config, properties) };
        match self.sweep.over.parameter {
            Parameter::Table => guidance.isr.sizes = Sizes::one(value),
            Parameter::Depth => options.max_depth = Some(value as u32),
            _ => {}
        }
        if options.random_order.is_some() {
            options.random_order = Some(seed);
        }
        options.guidance = guidance;
        let report = match self.run.search.engine == HUNT {
            true => self.hunt(&options, &session, interrupt),
            false => {
                let mut watch = Watch::start(self.run.limits.time, interrupt.clone(), true);
                let mut report = fathom_core::check(session.model(), &options, &mut watch);
                report.statistics.seconds = watch.finish().as_secs_f64();
                report
            }
        };
        Ok(to_run(&session, value, seed, &report))
    }

    fn hunt(&self, options: &CheckOptions, session: &Session, interrupt: &Interrupt) -> Report {
        let hunted = HuntOptions {
            properties: options.properties.clone(),
            all: false,
            guidance: options.guidance.clone(),
            code: Code::Native,
            max_states: options.max_states,
            max_bytes: options.max_bytes,
            threads: options.threads,
            symbolic: false,
        };
        let limit = self.run.limits.time.unwrap_or(HUNT_TIME);
        let mut watch = super::hunt::HuntWatch::start(limit, interrupt.clone(), true, options.threads);
        let mut report = fathom_core::hunt(session.model(), &hunted, &mut watch).report;
        report.statistics.seconds = watch.finish().as_secs_f64();
        report
    }
}

/// A run in a few numbers. The first property that has a trace counts, else the first that is open.
fn to_run(session: &Session, value: u64, seed: u64, report: &Report) -> SweepRun {
    let question = |index: usize| &session.model().properties[index].question;
    let is_hit = |verdict: &&fathom_core::model::Verdict| {
        verdict.trace.is_some()
            && (verdict.answer == Answer::Violated
                || matches!(question(verdict.property.index()), Question::Reach(_)))
    };
    let hit = report.verdicts.iter().find(is_hit);
    let open = report.verdicts.iter().find(|verdict| verdict.answer != Answer::Holds);
    let shown = hit.or(open).or(report.verdicts.first());
    let property = shown.map(|verdict| session.model().properties[verdict.property.index()].name.clone());
    let statistics = &report.statistics;
    SweepRun {
        value,
        seed,
        hit: hit.is_some(),
        property,
        verdict: shown.map_or(Answer::Inconclusive, |verdict| verdict.answer).word().to_owned(),
        trust: shown.map_or(Trust::Sampled, |verdict| verdict.trust).word().to_owned(),
        stop: shown.map_or(report.stop, |verdict| verdict.stop).word().to_owned(),
        length: hit.and_then(|verdict| verdict.trace.as_ref()).map(n_steps),
        attempts: report.sample.as_ref().map(|sample| sample.n_attempts),
        seconds: statistics.seconds,
        setup_seconds: session.setup_seconds,
        states: statistics.states,
        transitions: statistics.transitions,
        max_depth: statistics.max_depth,
    }
}

/// Steps of a trace as `check` counts them: with the one that an error cuts short, which is none of the choices.
fn n_steps(trace: &Trace) -> usize {
    let is_cut_short = matches!(trace.evidence, Evidence::Finding { fault: Some(_), .. });
    trace.choices.len() + usize::from(is_cut_short)
}
