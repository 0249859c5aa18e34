//! `fathom check` for networks of timed automata.

use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Instant;

use clap::Args;
use fathom_core::logic::{read_formula, read_psl};
use fathom_core::model::{Answer, AskedOfRuns, PropertyId};
use fathom_core::search::StoreKind;
use fathom_core::timed_automata::extremum::ExtremumAnswer;
use fathom_core::timed_automata::liveness::ForEver;
use fathom_core::timed_automata::symmetry::SymmetryUse;
use fathom_core::timed_automata::{Cover, Extrapolation, Network, TimedQuestion, ZoneOptions};
use fathom_core::{
    Asked, BestWitness, Language, LoadedTimed, Optimality, TimedAnswer, TimedEngine, TimedOptions,
    TimedReport, check_timed, load_timed_with,
};
use fathom_source::{Diagnostic, render_text};

use super::check::CheckArguments;
use super::check_report::write_formula;
use super::run_arguments::AskedArguments;
use crate::arguments::{Format, ModelConfig};
use crate::failure::{self, Failure};
use crate::files::{DiskLoader, read_text};
use crate::monitor::{Interrupt, Watch};
use crate::session::run_end;
use crate::timed::forms::{duration, fault_text, for_ever_text, fraction, run_form, summary, write_run};
use crate::timed::replay;
use crate::trace_file::{TraceNames, written_text};
use crate::units::{counted, display_size};
use crate::{memory, output, profile, wire};

/// How zones are made and compared.
#[derive(Debug, Args)]
#[command(next_help_heading = "Timed automata")]
pub struct ZoneArguments {
    /// How zones are made larger, so that there are finitely many: none, max, max-plus, lu or lu-plus
    #[arg(long, value_name = "KIND")]
    pub extrapolation: Option<String>,
    /// When a zone counts as known: equality, inclusion, or simulation (as far as guards can tell)
    #[arg(long, value_name = "KIND")]
    pub cover: Option<String>,
    /// The witness that is shown: some, shortest (fewest steps), fastest (least time) or cheapest (least cost); cheapest is the
    /// default for models with a cost
    #[arg(long, value_name = "KIND")]
    pub witness: Option<String>,
    /// Shows with each step of a run what the clocks satisfy there, whatever the delays
    #[arg(long)]
    pub trace_zones: bool,
    /// Explores states one by one that differ in names of elements of scalar sets only
    #[arg(long)]
    pub no_symmetry: bool,
}

impl ZoneArguments {
    /// Whether a flag was given that has a meaning for timed automata only.
    pub fn is_given(&self) -> bool {
        self.extrapolation.is_some()
            || self.cover.is_some()
            || self.witness.is_some()
            || self.trace_zones
            || self.no_symmetry
    }

    /// The witness that is wanted, and whether it has the fewest steps.
    fn best(&self, network: &Network) -> Result<(Option<BestWitness>, bool), Failure> {
        match self.witness.as_deref() {
            None if network.cost.is_some() => Ok((Some(BestWitness::Cheapest), false)),
            None | Some("some") => Ok((None, false)),
            Some("shortest") => Ok((None, true)),
            Some("fastest") => Ok((Some(BestWitness::Fastest), false)),
            Some("cheapest") if network.cost.is_some() => Ok((Some(BestWitness::Cheapest), false)),
            Some("cheapest") => Err(Failure::new("--witness cheapest: the model has no cost")),
            Some(other) => Err(Failure::new(format!(
                "unknown value '{other}' for --witness, expected one of some, shortest, fastest, cheapest"
            ))),
        }
    }

    fn to_options(&self) -> Result<ZoneOptions, Failure> {
        use Extrapolation::{Lu, LuPlus, Max, MaxPlus, None};
        let extrapolation = pick(
            "--extrapolation",
            self.extrapolation.as_deref(),
            &[None, Max, MaxPlus, Lu, LuPlus],
            |kind| kind.name(),
        )?;
        let cover = pick(
            "--cover",
            self.cover.as_deref(),
            &[Cover::Equality, Cover::Inclusion, Cover::Simulation],
            |kind| kind.name(),
        )?;
        Ok(ZoneOptions { extrapolation, cover })
    }
}

/// The kind with a name; the default without one.
fn pick<T: Copy + Default>(
    flag: &str,
    name: Option<&str>,
    kinds: &[T],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, Failure> {
    let Some(name) = name else { return Ok(T::default()) };
    kinds.iter().copied().find(|&kind| name_of(kind) == name).ok_or_else(|| {
        let known: Vec<&str> = kinds.iter().map(|&kind| name_of(kind)).collect();
        Failure::new(format!("unknown value '{name}' for {flag}, expected one of {}", known.join(", ")))
    })
}

/// Everything that the report is about.
pub(super) struct Answered<'a> {
    pub config: &'a ModelConfig,
    pub loaded: &'a LoadedTimed,
    pub network: &'a Network,
    /// What was asked by text.
    pub asked: &'a [wire::AskedProperty],
    pub engine: &'static str,
    pub zones: ZoneOptions,
    pub store: &'static str,
    pub threads: usize,
    pub seed: u64,
    pub report: &'a TimedReport,
    pub setup_seconds: f64,
    pub command: String,
    /// Whether zones are shown with the steps of runs.
    pub trace_zones: bool,
    /// What else there is to say.
    pub note: Option<String>,
    /// Of a hunt: what each arm did, and what is known about the number of steps.
    pub hunt: Option<(Vec<wire::ArmForm>, Optimality)>,
}

/// Writes trace files, shows the report, and gives the exit status.
pub(super) fn publish(
    answered: &Answered<'_>,
    traces: Option<&TraceNames>,
    format: Format,
) -> Result<u8, Failure> {
    let files = traces.map_or(Ok(Vec::new()), |names| write_traces(answered, names))?;
    match format {
        Format::Json => output::print_json(&to_wire(answered, &files))?,
        Format::Text => output::print(&to_text(answered, &files))?,
    }
    let verdicts = answered.report.answers.iter().map(|answer| &answer.verdict);
    Ok(failure::status(verdicts, answered.report.stop))
}

/// Loads a network without errors.
pub fn load(config: &ModelConfig) -> Result<LoadedTimed, Failure> {
    if !config.defines.is_empty() && config.language == Language::TChecker {
        return Err(Failure::new("-D is not available for the language of TChecker"));
    }
    let loader = DiskLoader::default();
    let loaded = load_timed_with(&config.file, config.language, &loader, &config.defines)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", config.file)))?;
    if loaded.network.is_none() {
        let n_errors = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        let message = format!("{}: {}", config.file, counted(n_errors as u64, "error"));
        return Err(Failure::of_diagnostics(message, &loaded.sources, &loaded.diagnostics));
    }
    Ok(loaded)
}

/// Shows the warnings about a network on standard error.
pub fn show_warnings(loaded: &LoadedTimed) {
    let text = render_text(&loaded.sources, &loaded.diagnostics, std::io::stderr().is_terminal());
    if !text.is_empty() {
        output::note(text.trim_end());
    }
}

/// Runs the command.
pub fn run(arguments: &CheckArguments, config: &ModelConfig) -> Result<u8, Failure> {
    let CheckArguments { run, zones, .. } = arguments;
    let engine = engine(arguments)?;
    refuse_others(arguments, config)?;
    let interrupt = Interrupt::listen();
    let started = Instant::now();
    let mut loaded = load(config)?;
    let properties = choose_properties(&run.asked, &mut loaded)?;
    let asked = asked_by_text(&run.asked)?;
    let traces = arguments.trace.file.claim(&names_of(&loaded, &properties))?;
    if !run.output.quiet {
        show_warnings(&loaded);
    }
    let Some(network) = &loaded.network else { return Err(Failure::new("there is no network")) };
    let asks_deadlock =
        properties.iter().any(|id| matches!(loaded.properties[id.index()].question, TimedQuestion::Deadlock));
    let (best, is_shortest) = zones.best(network)?;
    if is_shortest && engine != TimedEngine::BreadthFirst {
        return Err(Failure::new("--witness shortest needs --engine bfs"));
    }
    let store = store(arguments, engine, best.is_some(), &properties, &loaded)?;
    let is_linear =
        |id: &PropertyId| matches!(loaded.properties[id.index()].question, TimedQuestion::Linear(_));
    let options = TimedOptions {
        engine,
        best,
        zones: match asks_deadlock {
            // What the search of runs takes, so that the report says it.
            _ if !properties.is_empty() && properties.iter().all(is_linear) => {
                ZoneOptions { extrapolation: Extrapolation::MaxPlus, cover: Cover::Equality }
            }
            true => zones.to_options()?.for_deadlocks(),
            false => zones.to_options()?,
        },
        properties,
        store,
        continue_after_all: run.search.continue_after_all,
        max_states: run.limits.max_states,
        max_depth: run.limits.max_depth,
        max_bytes: run.limits.memory.or_else(memory::default_limit),
        random_order: run.search.random_order.then_some(run.search.seed),
        clock: run.search.profile.then_some(profile::nanoseconds),
        threads: run.threads.threads.map_or(1, |threads| threads as usize),
        seed: run.search.seed,
        symmetry: if zones.no_symmetry { SymmetryUse::None } else { arguments.symmetry.of_network()? },
        fewest_steps: is_shortest,
    };
    let setup_seconds = started.elapsed().as_secs_f64();
    let mut watch = Watch::start(run.limits.time, interrupt, run.output.quiet);
    let mut report = check_timed(network, &loaded.properties, &options, &mut watch);
    report.statistics.seconds = watch.finish().as_secs_f64();
    let command = command(arguments, config, &options);
    let answered = Answered {
        config,
        loaded: &loaded,
        network,
        asked: &asked,
        engine: match &report.answers[..] {
            [only] => only.engine.unwrap_or(options.engine.name()),
            _ => options.engine.name(),
        },
        zones: options.zones,
        store: options.store.name(),
        threads: options.n_threads(&loaded.properties),
        seed: run.search.seed,
        report: &report,
        setup_seconds,
        command,
        trace_zones: zones.trace_zones,
        note: None,
        hunt: None,
    };
    publish(&answered, traces.as_ref(), run.output.format)
}

/// How zones are remembered. A lossy store is for searches that look for single states, zone by zone.
fn store(
    arguments: &CheckArguments,
    engine: TimedEngine,
    is_best: bool,
    properties: &[PropertyId],
    loaded: &LoadedTimed,
) -> Result<StoreKind, Failure> {
    let store = arguments.run.search.store.kind(arguments.run.search.seed)?;
    if matches!(store, StoreKind::Exact | StoreKind::Plain) {
        return Ok(store);
    }
    if !matches!(engine, TimedEngine::BreadthFirst | TimedEngine::DepthFirst) {
        return Err(Failure::new(format!("--store {} needs --engine bfs or dfs", store.name())));
    }
    let is_apart = |id: &PropertyId| loaded.properties[id.index()].question.is_apart();
    if is_best || properties.iter().any(is_apart) {
        return Err(Failure::new(format!(
            "--store {} is for questions about single states: E<> p, A[] p, --reach, --invariant, deadlocks and run-time errors",
            store.name()
        )));
    }
    Ok(store)
}

fn engine(arguments: &CheckArguments) -> Result<TimedEngine, Failure> {
    match arguments.run.search.engine.as_str() {
        "auto" | "bfs" => Ok(TimedEngine::BreadthFirst),
        "lifo" => Ok(TimedEngine::LastFirst),
        "dfs" => Ok(TimedEngine::DepthFirst),
        "isr" => Ok(TimedEngine::Isr),
        "walk" => Ok(TimedEngine::Walk),
        other => Err(Failure::new(format!(
            "--engine {other} is not available for timed automata yet, expected auto, bfs, dfs, lifo, isr or walk"
        ))),
    }
}

/// Flags that would be silently without effect are refused.
fn refuse_others(arguments: &CheckArguments, config: &ModelConfig) -> Result<(), Failure> {
    let CheckArguments { run, insight, trace, .. } = arguments;
    let given = [
        ("-D", !config.defines.is_empty() && config.language == Language::TChecker),
        ("--reduce", run.search.reduce.is_some()),
        ("--fair", run.search.fair != "none"),
        ("--ignore", !run.asked.ignore.is_empty()),
        ("--states-of", !insight.states_of.is_empty()),
        ("--vacuity", insight.vacuity),
        ("--msc", trace.msc),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => Err(Failure::new(format!("{flag} is not available for timed automata yet"))),
        None if run.search.random_order && run.search.engine != "dfs" => {
            Err(Failure::new("--random-order needs --engine dfs"))
        }
        None => Ok(()),
    }
}

/// What is asked by name and by text; when nothing is, everything in the file.
pub fn choose_properties(
    arguments: &AskedArguments,
    loaded: &mut LoadedTimed,
) -> Result<Vec<PropertyId>, Failure> {
    let mut chosen = Vec::new();
    for name in &arguments.property {
        let found = loaded.properties.iter().position(|property| property.name == *name);
        let Some(found) = found else {
            let known: Vec<&str> = loaded.properties.iter().map(|property| property.name.as_str()).collect();
            return Err(Failure::new(format!(
                "there is no property '{name}'; there are {}",
                known.join(", ")
            )));
        };
        chosen.push(PropertyId::from(found));
    }
    let asked = asked_by_text(arguments)?;
    for asked in &asked {
        chosen.extend(ask(loaded, asked)?);
    }
    if arguments.property.is_empty() && asked.is_empty() {
        let is_asked = |index: &usize| !loaded.properties[*index].question.is_on_request();
        return Ok((0..loaded.properties.len()).filter(is_asked).map(PropertyId::from).collect());
    }
    Ok(chosen)
}

/// A file of queries, among what is asked by text.
const QUERIES: &str = "queries";

/// What is asked by text, with the text of files of queries.
pub(super) fn asked_by_text(arguments: &AskedArguments) -> Result<Vec<wire::AskedProperty>, Failure> {
    let mut asked = arguments.to_properties()?;
    for path in &arguments.query_file {
        asked.push(wire::AskedProperty {
            kind: QUERIES.to_owned(),
            text: read_text(path)?,
            fairness: Vec::new(),
            end: None,
            file: Some(path.clone()),
        });
    }
    Ok(asked)
}

/// Asks something that is given as text.
pub fn ask(loaded: &mut LoadedTimed, asked: &wire::AskedProperty) -> Result<Vec<PropertyId>, Failure> {
    let wrong = |message: String, loaded: &LoadedTimed, diagnostics: Vec<Diagnostic>| {
        Failure::of_diagnostics(message, &loaded.sources, &diagnostics)
    };
    if asked.kind == QUERIES {
        let path = asked.file.as_deref().unwrap_or("<queries>");
        let found = loaded.ask_queries(path, &asked.text);
        let message = format!("cannot understand the queries of {path}");
        return found.map_err(|diagnostics| wrong(message, loaded, diagnostics));
    }
    let kind = match asked.kind.as_str() {
        "invariant" => Asked::Invariant,
        "reach" => Asked::Reach,
        "query" => Asked::Query,
        "ltl" => Asked::Ltl,
        "pattern" => Asked::Pattern,
        "psl" => Asked::Psl(run_end(asked.end.as_deref())?),
        kind => {
            return Err(Failure::new(format!(
                "--{kind} is not available for timed automata yet; there are --ltl, --psl and --pattern, and --query with A[] p, E<> p, E[] p, A<> p and p --> q"
            )));
        }
    };
    let found = match kind {
        Asked::Query if loaded.language != Language::TChecker => loaded.ask_queries("<query>", &asked.text),
        kind => loaded.ask(kind, &asked.text).map(|property| vec![property]),
    };
    let message = format!("cannot understand --{} {}", asked.kind, output::quoted(&asked.text));
    found.map_err(|diagnostics| wrong(message, loaded, diagnostics))
}

/// Names of properties.
pub(super) fn names_of(loaded: &LoadedTimed, properties: &[PropertyId]) -> Vec<String> {
    properties.iter().map(|id| loaded.properties[id.index()].name.clone()).collect()
}

/// Writes the runs, violations first, and gives the files by the place of their answers.
fn write_traces(answered: &Answered<'_>, names: &TraceNames) -> Result<Vec<Option<String>>, Failure> {
    let answers = &answered.report.answers;
    let mut files = vec![None; answers.len()];
    let mut order: Vec<usize> = (0..answers.len()).filter(|&index| answers[index].run.is_some()).collect();
    order.sort_by_key(|&index| answers[index].verdict.answer != Answer::Violated);
    for (rank, index) in order.into_iter().enumerate() {
        let property = &answered.loaded.properties[answers[index].verdict.property.index()];
        let path = if rank == 0 { names.first() } else { names.for_property(&property.name) };
        let file = replay::to_file(answered.config, answered.loaded, answered.asked, &answers[index]);
        names.write(&path, &file)?;
        files[index] = Some(path.to_string_lossy().into_owned());
    }
    Ok(files)
}

/// The words of a command that asks the same of the same network.
pub(super) fn asking(verb: &str, config: &ModelConfig, asked: &AskedArguments) -> Vec<String> {
    let mut words = vec!["fathom".to_owned(), verb.to_owned(), output::quoted(&config.file)];
    let mut value = |name: &str, value: &str| words.extend([name.to_owned(), output::quoted(value)]);
    value("--lang", config.language.name());
    for (name, given) in &config.defines {
        value("-D", &format!("{name}={given}"));
    }
    for name in &asked.property {
        value("--property", name);
    }
    for asked in asked.to_properties().unwrap_or_default() {
        value(&format!("--{}", asked.kind), &asked.text);
    }
    if let Some(end) = &asked.formulas.psl_end {
        value("--psl-end", end);
    }
    for path in &asked.query_file {
        value("--query-file", path);
    }
    words
}

/// The command that reproduces the run.
fn command(arguments: &CheckArguments, config: &ModelConfig, options: &TimedOptions) -> String {
    let run = &arguments.run;
    let mut words = asking("check", config, &run.asked);
    let mut value = |name: &str, value: &str| words.extend([name.to_owned(), output::quoted(value)]);
    value("--engine", options.engine.name());
    value("--extrapolation", options.zones.extrapolation.name());
    value("--cover", options.zones.cover.name());
    value("--seed", &run.search.seed.to_string());
    if options.store != StoreKind::Exact {
        for (name, given) in run.search.store.to_words(options.store) {
            value(name, given.as_deref().unwrap_or_default());
        }
    }
    if let Some(time) = run.limits.time {
        value("--time", &format!("{}s", time.as_secs_f64()));
    }
    for (name, limit) in [
        ("--memory", run.limits.memory),
        ("--max-states", run.limits.max_states),
        ("--max-depth", run.limits.max_depth.map(u64::from)),
        ("--threads", run.threads.threads.map(u64::from)),
    ] {
        if let Some(limit) = limit {
            value(name, &limit.to_string());
        }
    }
    if let Some(kind) = &arguments.symmetry.symmetry {
        words.extend(["--symmetry".to_owned(), kind.clone()]);
    }
    if let Some(witness) = &arguments.zones.witness {
        words.extend(["--witness".to_owned(), witness.clone()]);
    }
    for (name, is_given) in [
        ("--random-order", run.search.random_order),
        ("--continue", run.search.continue_after_all),
        ("--trace-zones", arguments.zones.trace_zones),
        ("--no-symmetry", arguments.zones.no_symmetry),
    ] {
        if is_given {
            words.push(name.to_owned());
        }
    }
    words.join(" ")
}

/// The value that was asked for, or the cost of the witness.
fn value_text(answer: &TimedAnswer) -> Option<String> {
    let approached = |value: i64, is_strict: bool| match is_strict {
        true => format!("{value}, not reached"),
        false => value.to_string(),
    };
    match (answer.value, answer.cost) {
        (Some(ExtremumAnswer::Value(value, is_strict)), _) => Some(approached(value, is_strict)),
        (Some(ExtremumAnswer::Unbounded), _) => Some("no bound".to_owned()),
        (Some(ExtremumAnswer::Nowhere), _) => Some("no such state".to_owned()),
        (Some(ExtremumAnswer::AtLeast(value)), _) => Some(format!("more than {value}")),
        (Some(ExtremumAnswer::Cut), _) => None,
        (None, Some((cost, is_strict))) => Some(approached(cost, is_strict)),
        (None, None) => None,
    }
}

fn statistics(answered: &Answered<'_>) -> wire::StatisticsReport {
    let cost = &answered.report.statistics;
    let ratio = |amount: f64, by: f64| if by > 0.0 { amount / by } else { 0.0 };
    wire::StatisticsReport {
        states: cost.states,
        expanded: Some(cost.expanded),
        transitions: cost.transitions,
        matched: cost.matched,
        max_depth: cost.max_depth,
        seconds: cost.seconds,
        setup_seconds: answered.setup_seconds,
        states_per_second: ratio(cost.states as f64, cost.seconds),
        store_bytes: cost.store_bytes,
        bytes_per_state: ratio(cost.store_bytes as f64, cost.states as f64),
        peak_memory_bytes: memory::peak(),
        expected_omissions: None,
        profile: answered.report.profile.as_ref().map(profile::to_wire),
    }
}

/// What a property says, if it is a formula.
fn formula_form(loaded: &LoadedTimed, property: PropertyId) -> Option<wire::FormulaForm> {
    let asked = &loaded.properties[property.index()];
    let TimedQuestion::Linear(formula) = &asked.question else { return None };
    let expansion = loaded.expansions.iter().find(|(id, _)| *id == property).map(|(_, found)| found);
    let written = asked.span.map_or(String::new(), |span| loaded.sources.text(span).to_owned());
    let (reading, end) = match &formula.asked {
        AskedOfRuns::Ltl(ltl) => (read_formula(&formula.formulas, &formula.names, *ltl), None),
        AskedOfRuns::Psl(psl, end) => {
            (read_psl(&formula.formulas, &formula.names, psl), Some(end.name().to_owned()))
        }
    };
    Some(wire::FormulaForm {
        text: expansion.map_or(written, |found| found.ltl.clone()),
        reading,
        pattern: expansion.map(|found| found.pattern.clone()),
        ctl: expansion.map(|found| found.ctl.clone()),
        fairness: Vec::new(),
        end,
    })
}

fn to_wire(answered: &Answered<'_>, files: &[Option<String>]) -> wire::Report {
    let hunt = answered.hunt.as_ref();
    let property = |(index, answer): (usize, &TimedAnswer)| {
        let asked = &answered.loaded.properties[answer.verdict.property.index()];
        wire::PropertyReport {
            name: asked.name.clone(),
            kind: asked.question.kind().to_owned(),
            verdict: answer.verdict.answer.word().to_owned(),
            trust: answer.verdict.trust.word().to_owned(),
            stop: answer.verdict.stop.word().to_owned(),
            span: asked.span.map(|span| answered.loaded.sources.locate(span)),
            trace: answer.run.as_ref().map(|(run, _)| wire::TraceSummary {
                steps: run.steps.len(),
                loop_at: match answer.for_ever {
                    Some(ForEver::Loop(at)) => Some(at),
                    _ => None,
                },
                file: files.get(index).cloned().flatten(),
                optimal: hunt.map(|(_, optimality)| optimality.word().to_owned()),
                factor: None,
                participation: None,
            }),
            program: None,
            timed: answer.run.as_ref().map(|run| run_form(answered.network, run, answered.trace_zones)),
            value: value_text(answer),
            formula: formula_form(answered.loaded, answer.verdict.property),
            tree: None,
            vacuous: Vec::new(),
            constants: Vec::new(),
        }
    };
    wire::Report {
        fathom: wire::VERSION.to_owned(),
        model: summary(answered.config, answered.network),
        run: wire::RunSummary {
            engine: answered.engine.to_owned(),
            store: answered.store.to_owned(),
            reductions: Vec::new(),
            threads: answered.threads,
            seed: answered.seed,
        },
        properties: answered.report.answers.iter().enumerate().map(property).collect(),
        states_of: Vec::new(),
        composite: None,
        statistics: statistics(answered),
        note: answered.note.clone(),
        arms: hunt.map_or_else(Vec::new, |(arms, _)| arms.clone()),
        sample: None,
    }
}

fn to_text(answered: &Answered<'_>, files: &[Option<String>]) -> String {
    let model = summary(answered.config, answered.network);
    let zones = answered.zones;
    let mut text = format!(
        "{}: {}, {}, {}, {} bits a state and a zone\n\
         engine {}, extrapolation {}, zones covered by {}{}, {}{}\n\n",
        model.file,
        model.language,
        counted(model.processes as u64, "process").replace("processs", "processes"),
        counted(answered.network.clocks.len() as u64, "clock"),
        model.state_bits,
        answered.engine,
        zones.extrapolation.name(),
        zones.cover.name(),
        if matches!(answered.store, "bitstate" | "compact") {
            format!(", store {}", answered.store)
        } else {
            String::new()
        },
        counted(answered.threads as u64, "thread"),
        match answered.report.n_symmetric_sets {
            0 => String::new(),
            sets => format!(", symmetry of {}", counted(sets as u64, "set")),
        },
    );
    let name = |answer: &TimedAnswer| &answered.loaded.properties[answer.verdict.property.index()].name;
    let answers = &answered.report.answers;
    let width = answers.iter().map(|answer| name(answer).chars().count()).max().unwrap_or(0);
    for answer in answers {
        let verdict = &answer.verdict;
        let _ = writeln!(
            text,
            "{:<width$}  {:<12}  {}, {}{}",
            name(answer),
            verdict.answer.word(),
            verdict.trust.word(),
            verdict.stop.word(),
            value_text(answer).map_or(String::new(), |value| format!(": {value}"))
        );
        if let Some(formula) = formula_form(answered.loaded, verdict.property) {
            write_formula(&mut text, &formula, width);
        }
    }
    for (index, answer) in answers.iter().enumerate() {
        if let Some(found) = &answer.run {
            let run = &found.0;
            let what = if answer.verdict.answer == Answer::Violated { "violation" } else { "witness" };
            let is_shortest = answered.hunt.as_ref().is_some_and(|(_, known)| *known == Optimality::Shortest);
            let optimal = if is_shortest { " (none is shorter)" } else { "" };
            let _ = writeln!(
                text,
                "\n{what} of {}, {}{optimal} in {} units of time:",
                name(answer),
                counted(run.steps.len() as u64, "step"),
                fraction(duration(run), run.scale)
            );
            write_run(&mut text, answered.network, found, answered.trace_zones);
            if let Some((edges, fault)) = &answer.fault {
                let _ = writeln!(text, "      {}", fault_text(answered.network, edges, fault));
            }
            if let Some(for_ever) = answer.for_ever {
                let _ = writeln!(text, "      {}", for_ever_text(for_ever));
            }
            if let Some(file) = files.get(index).and_then(Option::as_ref) {
                let _ = writeln!(text, "{}", written_text("fathom", file));
            }
        }
    }
    if let Some(note) = &answered.note {
        let _ = write!(text, "\n{}\n", note.trim_end());
    }
    let statistics = statistics(answered);
    let _ = write!(
        text,
        "\n{}, {} expanded, {}, {} matched, depth {}\n\
         {:.3} s ({:.3} s before the search), {:.0} expanded/s\n\
         {} for states, {:.1} bytes/state, peak memory {}\n\
         search ended: {}\nreproduce: {}\n",
        counted(statistics.states, "state"),
        answered.report.statistics.expanded,
        counted(statistics.transitions, "transition"),
        statistics.matched,
        statistics.max_depth,
        statistics.seconds,
        statistics.setup_seconds,
        answered.report.statistics.expanded as f64 / statistics.seconds.max(1e-9),
        display_size(statistics.store_bytes),
        statistics.bytes_per_state,
        display_size(statistics.peak_memory_bytes),
        answered.report.stop.word(),
        answered.command
    );
    if let Some(profile) = &answered.report.profile {
        text.push_str(&profile::to_text(profile));
    }
    text
}
