//! `fathom test`: tests that cover what is wanted of a model.

use std::time::Instant;

use clap::Args;
use fathom_core::model::{PropertyId, Stop};
use fathom_core::source::SourceMap;
use fathom_core::testgen::{Criterion, GenerateOptions, Guide, Shape, TestEngine};
use fathom_core::{
    Asked, Shortening, TestError, TestOptions, TestReport, generate_tests, generate_timed_tests, value_traps,
};
use fathom_coverage::parse_criterion;

use super::check_timed;
use super::run_arguments::{DEFAULT_SEED, LimitArguments};
use super::test_program;
use super::test_report::{self, Written};
use crate::arguments::{ModelArguments, ModelConfig, OutputArguments};
use crate::failure::Failure;
use crate::memory;
use crate::monitor::{Interrupt, Watch};
use crate::output;
use crate::program::from_file;
use crate::session::Session;

/// The flags of `test`.
#[derive(Debug, Args)]
#[command(
    after_help = "Every test is followed on the reference interpreter and its goals are counted again, independently.\n\
                        Exit status: 0 every goal is covered or proved infeasible, 2 could not run, 3 some goal was not found."
)]
pub struct TestArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub flags: TestFlags,
}

/// The flags of `test` that do not depend on where the model comes from.
#[derive(Debug, Args)]
pub struct TestFlags {
    #[command(flatten)]
    pub goals: GoalArguments,
    #[command(flatten)]
    pub search: TestSearchArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub written: WrittenArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What to cover.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to cover")]
pub struct GoalArguments {
    /// What tests should reach: locations, transitions, N-switch (every sequence of N+1 transitions of a process), def-use,
    /// requirements (labels and locations named req_…, `[Requirement]` in C#), values (of truth values and enumerations); transitions by default, values for SMV
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub cover: Vec<String>,
    /// Reach a state in which this expression is true, too
    #[arg(long, value_name = "E")]
    pub trap: Vec<String>,
    /// Fulfil this, in the coverage language, too
    #[arg(long, value_name = "CRITERION")]
    pub goal: Option<String>,
}

/// How to look for tests.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to search")]
pub struct TestSearchArguments {
    /// The engine: bfs (the nearest goal first), dfs, best (the state that looks nearest), isr (pruned searches in tiny memory)
    #[arg(long, value_name = "ENGINE", default_value = "bfs", value_parser = ["bfs", "dfs", "best", "isr"])]
    pub engine: String,
    /// Which steps are tried first: none (the order of the model), uniform (those that reach something new), tuned (then those that
    /// drive a loop which a goal waits for), distance (those nearest to a goal); by default distance for isr, none otherwise
    #[arg(long, value_name = "GUIDE", value_parser = ["none", "uniform", "tuned", "distance"])]
    pub guide: Option<String>,
    /// The form of tests: long (each goes on as long as it reaches anything new), short (each ends where it does), or tour (they
    /// take every step of every state with as few steps as possible)
    #[arg(long, value_name = "FORM", default_value = "long", value_parser = ["long", "short", "tour"])]
    pub tests: String,
    /// Then look for one sequence that reaches as much with fewer steps, with this engine; bfs finds the shortest where memory lasts
    #[arg(long, value_name = "ENGINE", value_parser = ["bfs", "dfs", "best", "isr"])]
    pub shorten: Option<String>,
    /// With --shorten isr: go on for shorter sequences until the time is over
    #[arg(long, requires = "shorten")]
    pub refine: bool,
    /// The seed of the order of steps that look alike, and of pruned searches
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
}

/// What else to write.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct WrittenArguments {
    /// Draw the processes with what tests cover, as SVG or, with the extension dot, for Graphviz
    #[arg(long, value_name = "FILE")]
    pub picture: Option<String>,
    /// Write tests as source code with this template: rust, python, c, or a file
    #[arg(long, value_name = "TEMPLATE", requires = "code")]
    pub template: Option<String>,
    /// The file for the source code
    #[arg(long, value_name = "FILE", requires = "template")]
    pub code: Option<String>,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    /// Show the messages of tests as charts, one column for each process
    #[arg(long)]
    pub msc: bool,
    /// Show all steps of long tests
    #[arg(long)]
    pub full: bool,
}

/// Runs the command.
pub fn run(arguments: &TestArguments) -> Result<u8, Failure> {
    let config = arguments.model.validate()?;
    let arguments = &arguments.flags;
    if config.language.is_program() {
        let started = Instant::now();
        let (program, source) = from_file::open(&config, arguments.output.quiet)?;
        return test_program::run(&program, &source, arguments, started);
    }
    if arguments.written.msc && config.is_timed() {
        return Err(Failure::new("--msc is not available for timed automata"));
    }
    arguments.written.claim()?;
    let is_smv = config.language == fathom_core::Language::Smv;
    let goals = arguments.goals.validate(is_smv, !config.is_timed())?;
    let interrupt = Interrupt::listen();
    if config.is_timed() {
        return run_on_network(arguments, &config, &goals, interrupt);
    }
    let mut session = Session::open(config.clone())?;
    let mut traps = Vec::new();
    for text in &arguments.goals.trap {
        traps.push(session.ask_reach("--trap", text)?);
    }
    if !arguments.output.quiet {
        session.show_warnings();
    }
    let mut model = session.model().clone();
    if goals.values {
        traps.extend(value_traps(&mut model));
    }
    let options = arguments.to_options(&goals, traps);
    let mut watch = Watch::start(arguments.limits.time, interrupt, arguments.output.quiet);
    let report = generate_tests(&model, &options, &mut watch).map_err(|error| goals.failure(error))?;
    let seconds = watch.finish().as_secs_f64();
    let charts =
        if arguments.written.msc { test_report::message_charts(&model, &report)? } else { Vec::new() };
    let name = |id: PropertyId| model.properties[id.index()].name.clone();
    let trap_text =
        |id: PropertyId| trap_words(&session, &model.properties[id.index()]).unwrap_or_else(|| name(id));
    let written = Written {
        arguments,
        file: &config.file,
        language: config.language.name(),
        goals: &goals,
        options: &options,
        report: &report,
        sources: session.sources(),
        trap_text: &trap_text,
        seconds,
        setup_seconds: session.setup_seconds,
        charts,
    };
    test_report::publish(&written)
}

/// The text of a trap that was given as text.
fn trap_words(session: &Session, property: &fathom_core::model::Property) -> Option<String> {
    let span = property.span?;
    Some(session.sources().file(span.file).text()[span.start as usize..span.end as usize].to_owned())
}

fn run_on_network(
    arguments: &TestFlags,
    config: &ModelConfig,
    goals: &WantedGoals,
    interrupt: Interrupt,
) -> Result<u8, Failure> {
    let started = Instant::now();
    let mut loaded = check_timed::load(config)?;
    let mut traps = Vec::new();
    for text in &arguments.goals.trap {
        let asked = loaded.ask(Asked::Reach, text).map_err(|diagnostics| {
            let message = format!("cannot understand --trap {}", output::quoted(text));
            Failure::of_diagnostics(message, &loaded.sources, &diagnostics)
        });
        traps.push(asked?);
    }
    if !arguments.output.quiet {
        check_timed::show_warnings(&loaded);
    }
    let Some(network) = &loaded.network else { return Err(Failure::new("there is no network")) };
    let options = arguments.to_options(goals, traps);
    let setup_seconds = started.elapsed().as_secs_f64();
    let mut watch = Watch::start(arguments.limits.time, interrupt, arguments.output.quiet);
    let report = generate_timed_tests(network, &loaded.properties, &loaded.sources, &options, &mut watch)
        .map_err(|error| goals.failure(error))?;
    let seconds = watch.finish().as_secs_f64();
    let texts: Vec<String> = arguments.goals.trap.clone();
    let first = options.traps.first().map_or(0, |first| first.index());
    let trap_text = |id: PropertyId| texts[id.index() - first].clone();
    let written = Written {
        arguments,
        file: &config.file,
        language: config.language.name(),
        goals,
        options: &options,
        report: &report,
        sources: &loaded.sources,
        trap_text: &trap_text,
        seconds,
        setup_seconds,
        charts: Vec::new(),
    };
    test_report::publish(&written)
}

/// What to cover, validated.
pub(super) struct WantedGoals {
    pub criteria: Vec<Criterion>,
    pub values: bool,
    pub counted: Option<Counted>,
}

/// A criterion of the coverage language, with its text.
pub(super) struct Counted {
    pub criterion: fathom_coverage::Criterion,
    pub sources: SourceMap,
}

impl Counted {
    fn read(text: &str) -> Result<Counted, Failure> {
        let mut sources = SourceMap::new();
        let file = sources.add("<goal>", text);
        match parse_criterion(file, &sources) {
            Ok(criterion) => Ok(Counted { criterion, sources }),
            Err(problem) => {
                let message = format!("cannot understand --goal {}", output::quoted(text));
                Err(Failure::of_diagnostics(message, &sources, &[*problem]))
            }
        }
    }
}

impl WantedGoals {
    /// The names, as the user would give them.
    pub fn names(&self) -> Vec<String> {
        let values = self.values.then(|| Criterion::Values.name());
        self.criteria.iter().map(|criterion| criterion.name()).chain(values).collect()
    }

    /// Why there are no tests.
    pub(super) fn failure(&self, error: TestError) -> Failure {
        match (&self.counted, error) {
            (Some(counted), TestError::Criterion(problems)) => {
                Failure::of_diagnostics("the goal cannot be covered", &counted.sources, &problems)
            }
            (_, error) => Failure::new(error.to_string()),
        }
    }
}

impl GoalArguments {
    /// What to cover: values of variables of processes are questions about states, others are not.
    pub(super) fn validate(&self, is_smv: bool, has_processes: bool) -> Result<WantedGoals, Failure> {
        let counted = self.goal.as_deref().map(Counted::read).transpose()?;
        if self.cover.is_empty() && self.trap.is_empty() && counted.is_none() {
            let criteria = if is_smv { Vec::new() } else { vec![Criterion::Transitions] };
            return Ok(WantedGoals { criteria, values: is_smv, counted });
        }
        let mut wanted = WantedGoals { criteria: Vec::new(), values: false, counted };
        for name in &self.cover {
            match Criterion::named(name) {
                Some(Criterion::Values) if has_processes => wanted.values = true,
                Some(criterion) => wanted.criteria.push(criterion),
                None => {
                    return Err(Failure::new(format!(
                        "unknown criterion '{name}' for --cover, expected locations, transitions, 1-switch, 2-switch and so on \
                         up to 8-switch, def-use, requirements or values"
                    )));
                }
            }
        }
        Ok(wanted)
    }
}

impl WrittenArguments {
    /// Checks before any work is done that files can be written.
    pub(super) fn claim(&self) -> Result<(), Failure> {
        for path in self.picture.iter().chain(&self.code) {
            output::claim_file(path, self.force)?;
        }
        Ok(())
    }
}

impl TestFlags {
    pub(super) fn to_options(&self, goals: &WantedGoals, traps: Vec<PropertyId>) -> TestOptions {
        let engine = engine_named(&self.search.engine);
        let guide = match self.search.guide.as_deref() {
            None if engine == TestEngine::Isr || self.search.shorten.as_deref() == Some("isr") => {
                Guide::Distance
            }
            None => Guide::None,
            Some(name) => guide_named(name),
        };
        TestOptions {
            criteria: goals.criteria.clone(),
            traps,
            generate: GenerateOptions {
                engine,
                // Breadth-first search for the next goal has an order of its own.
                guide: if engine == TestEngine::BreadthFirst { Guide::None } else { guide },
                shape: match self.search.tests.as_str() {
                    "short" => Shape::Short,
                    "tour" => Shape::Tour,
                    _ => Shape::Long,
                },
                max_states: self.limits.max_states,
                max_bytes: self.limits.memory.or_else(memory::default_limit),
                max_depth: self.limits.max_depth,
                seed: self.search.seed,
                ..GenerateOptions::default()
            },
            shorten: self.search.shorten.as_deref().map(|engine| Shortening {
                engine: engine_named(engine),
                guide,
                refine: self.search.refine,
            }),
            counted: goals.counted.as_ref().map(|counted| counted.criterion.clone()),
        }
    }
}

fn engine_named(name: &str) -> TestEngine {
    match name {
        "dfs" => TestEngine::DepthFirst,
        "best" => TestEngine::BestFirst,
        "isr" => TestEngine::Isr,
        _ => TestEngine::BreadthFirst,
    }
}

fn guide_named(name: &str) -> Guide {
    match name {
        "uniform" => Guide::Uniform,
        "tuned" => Guide::Tuned,
        "distance" => Guide::Distance,
        _ => Guide::None,
    }
}

/// Whether every goal has an answer.
pub(super) fn is_settled(report: &TestReport) -> bool {
    let is_counted =
        report.counted.as_ref().is_none_or(|counted| matches!(counted.stop, Stop::Found | Stop::Exhausted));
    is_counted && report.n_covered() + report.n_infeasible() == report.goals.len()
}
