//! `fathom check`: answers the properties of a model.

use std::num::NonZero;
use std::time::Duration;

use clap::{Args, ValueEnum};
use fathom::model::{Model, PropertyId, Question};
use fathom::search::StoreKind;
use fathom::{CheckOptions, Code, Engine, Reductions, Report, default_properties, is_claim};

use super::check_report;
use super::guide_arguments::{GuideArguments, SampleArguments};
use crate::arguments::{Format, ModelArguments, ModelConfig, OutputArguments};
use crate::failure::Failure;
use crate::memory;
use crate::monitor::{Interrupt, Watch};
use crate::output::quoted;
use crate::profile;
use crate::session::Session;
use crate::trace_file::TraceNames;
use crate::units::{parse_size, parse_time};
use crate::wire::{AskedProperty, RunSummary};

/// The seed when the user gives none.
pub const DEFAULT_SEED: u64 = 1;

/// The flags of `check`.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 every property holds, 1 some property is violated, 2 could not run, \
                        3 inconclusive.")]
pub struct CheckArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub asked: AskedArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    #[command(flatten)]
    pub guide: GuideArguments,
    #[command(flatten)]
    pub sample: SampleArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    pub trace: TraceArguments,
}

/// What to check.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "What to check (default: everything in the file, deadlocks and assertions included)"
)]
pub struct AskedArguments {
    /// Check the property with this name: deadlock, assertion, runtime-error or a claim in the file
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Check that this expression is true in every state
    #[arg(long, value_name = "E")]
    pub invariant: Vec<String>,
    /// Check that this expression is true in some state; the witness is shown
    #[arg(long, value_name = "E")]
    pub reach: Vec<String>,
    /// Check that this formula of linear temporal logic is true of every run
    #[arg(long, value_name = "F")]
    pub ltl: Vec<String>,
    /// Leave these out of the default
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    pub ignore: Vec<Ignored>,
}

impl AskedArguments {
    /// The properties given as text.
    pub fn to_properties(&self) -> Vec<AskedProperty> {
        let of_kind = |kind: &'static str, texts: &[String]| -> Vec<AskedProperty> {
            texts.iter().map(|text| AskedProperty { kind: kind.to_owned(), text: text.clone() }).collect()
        };
        let asked =
            [of_kind("invariant", &self.invariant), of_kind("reach", &self.reach), of_kind("ltl", &self.ltl)];
        asked.concat()
    }
}

/// What can be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Ignored {
    /// Invalid end states
    Deadlock,
    /// Assertions
    Assertion,
    /// Run-time errors: division by zero, an index out of range, misuse of a channel
    RuntimeError,
    /// The claims written in the file
    Claims,
}

/// Bits of each state in a compact store, unless said otherwise.
const DEFAULT_COMPACT_BITS: u64 = 40;
/// Bits of a bitstate field, unless said otherwise: 128 MiB.
const DEFAULT_BITSTATE_BITS: u64 = 1 << 30;

/// How to search.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to search")]
pub struct SearchArguments {
    /// The engine: auto, bfs (shortest traces), dfs; guided: best, astar; a sample: isr, walk
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub engine: String,
    /// The store: exact (compressed), plain, compact (some bits of a hash of each state), bitstate (a few bits in
    /// one field); the last two may miss states, and the report says how many they probably missed
    #[arg(long, value_name = "STORE", default_value = "exact")]
    pub store: String,
    /// For compact: bits of each state, 8 to 64; for bitstate: bits of the field
    #[arg(long, value_name = "N")]
    pub store_bits: Option<u64>,
    /// For bitstate: bits that are set for each state
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub store_hashes: u32,
    /// The reductions: none, all, or a list of slice, dead, fuse, por; all by default, but none with --continue
    ///
    /// Traces are always those of the model as written, but with reductions not always the shortest.
    #[arg(long, value_name = "LIST")]
    pub reduce: Option<String>,
    /// How steps are computed: native (machine code, made when the run starts) or interpreted
    #[arg(long, value_name = "CODE", default_value = "native")]
    pub code: String,
    /// Explore everything, also after a violation; report the first of each property
    #[arg(long = "continue")]
    pub continue_after_all: bool,
    /// Try the steps of a state in random order (only with --engine dfs)
    #[arg(long)]
    pub random_order: bool,
    /// Say where the time of the search goes; one thread searches, a little slower
    #[arg(long)]
    pub profile: bool,
    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
}

/// How far to go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArguments {
    /// Threads to use, with the exact store and more than a few states; default: one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Most time of search: 500ms, 60s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// Most memory for stored states: 512M, 8G; default: 90% of what is available
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// Most states to store
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    /// How far from the initial state: states at this distance are still looked at, what they lead to is not
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
}

/// What to do with traces.
#[derive(Debug, Args)]
#[command(next_help_heading = "Traces")]
pub struct TraceArguments {
    /// Write the trace of the first violated property to FILE, those of others to FILE with their names inserted
    #[arg(long, value_name = "FILE")]
    pub trace: Option<String>,
    /// Overwrite trace files that exist
    #[arg(long, requires = "trace")]
    pub force: bool,
    /// Show the messages of traces as a chart, one column for each process
    #[arg(long)]
    pub msc: bool,
}

/// A run of `check`, validated.
#[derive(Debug)]
pub struct CheckConfig {
    /// The model.
    pub model: ModelConfig,
    /// The engine.
    pub engine: Engine,
    /// How steps are computed.
    pub code: Code,
    /// The reductions.
    pub reductions: Reductions,
    /// The store.
    pub store: StoreKind,
    /// Most threads.
    pub threads: usize,
    /// The seed.
    pub seed: u64,
    /// Properties by name.
    pub named: Vec<String>,
    /// Properties given as text.
    pub asked: Vec<AskedProperty>,
    /// Left out of the default.
    pub ignored: Vec<Ignored>,
    /// Form of the result.
    pub format: Format,
    /// Show charts.
    pub msc: bool,
}

/// Runs the command.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let config = arguments.validate()?;
    let interrupt = Interrupt::listen();
    let mut session = Session::open(config.model.clone())?;
    let properties = choose_properties(&config, &mut session)?;
    if !arguments.output.quiet {
        session.show_warnings();
    }
    let names: Vec<String> =
        properties.iter().map(|id| session.model().properties[id.index()].name.clone()).collect();
    let traces = match &arguments.trace.trace {
        Some(base) => Some(TraceNames::claim(base, arguments.trace.force, &names)?),
        None => None,
    };
    let options = CheckOptions {
        guidance: arguments.sample.guidance(&arguments.guide, config.seed, &session)?,
        ..arguments.to_options(&config, properties)
    };
    let mut watch = Watch::start(arguments.limits.time, interrupt, arguments.output.quiet);
    let mut report = fathom::check(session.model(), &options, &mut watch);
    report.statistics.seconds = watch.finish().as_secs_f64();
    let answered = check_report::Answered {
        config: &config,
        session: &session,
        asked: &options.properties,
        report: &report,
        run: run_summary(&config, &report),
        command: arguments.to_command(&config, &report),
        arms: Vec::new(),
    };
    check_report::publish(&answered, traces.as_ref())
}

impl CheckArguments {
    fn validate(&self) -> Result<CheckConfig, Failure> {
        let engine = match self.search.engine.as_str() {
            "auto" | "bfs" => Engine::BreadthFirst,
            "dfs" => Engine::DepthFirst,
            "best" => Engine::Best,
            "astar" => Engine::AStar,
            "isr" => Engine::Isr,
            "walk" => Engine::Walk,
            "symbolic" => return Err(not_available("--engine", &self.search.engine)),
            other => {
                return Err(unknown("--engine", other, "auto, bfs, dfs, best, astar, isr or walk"));
            }
        };
        let store = self.search.store()?;
        let code = match self.search.code.as_str() {
            "native" => Code::Native,
            "interpreted" => Code::Interpreted,
            other => return Err(unknown("--code", other, "native or interpreted")),
        };
        let reductions = self.search.reductions()?;
        if self.search.random_order && engine != Engine::DepthFirst {
            return Err(Failure::new("--random-order needs --engine dfs"));
        }
        if engine.is_for_hunting() && store != StoreKind::Exact {
            return Err(Failure::new(format!("--store has no meaning for --engine {}", engine.name())));
        }
        Ok(CheckConfig {
            model: self.model.validate()?,
            engine,
            code,
            reductions,
            store,
            threads: self.limits.threads.map_or_else(available_threads, |threads| threads as usize),
            seed: self.search.seed,
            named: self.asked.property.clone(),
            asked: self.asked.to_properties(),
            ignored: self.asked.ignore.clone(),
            format: self.output.format,
            msc: self.trace.msc,
        })
    }

    fn to_options(&self, config: &CheckConfig, properties: Vec<PropertyId>) -> CheckOptions {
        CheckOptions {
            engine: config.engine,
            code: config.code,
            properties,
            continue_after_all: self.search.continue_after_all,
            max_states: self.limits.max_states,
            max_depth: self.limits.max_depth,
            max_bytes: self.limits.memory.or_else(memory::default_limit),
            random_order: self.search.random_order.then_some(config.seed),
            reductions: config.reductions,
            store: config.store,
            threads: config.threads,
            clock: self.search.profile.then_some(profile::nanoseconds),
            ..CheckOptions::default()
        }
    }

    /// The command that reproduces the run: every choice that was made by default is spelled out.
    fn to_command(&self, config: &CheckConfig, report: &Report) -> String {
        let mut words = vec!["fathom".to_owned(), "check".to_owned(), quoted(&config.model.file)];
        let mut flag = |name: &str, value: Option<&str>| {
            words.push(name.to_owned());
            words.extend(value.map(quoted));
        };
        for (name, value) in &config.model.defines {
            flag("-D", Some(&format!("{name}={value}")));
        }
        flag("--lang", Some(config.model.language.name()));
        for name in &config.named {
            flag("--property", Some(name));
        }
        for asked in &config.asked {
            flag(&format!("--{}", asked.kind), Some(&asked.text));
        }
        for ignored in &config.ignored {
            let name = ignored.to_possible_value().map(|value| value.get_name().to_owned());
            flag("--ignore", name.as_deref());
        }
        flag("--engine", Some(config.engine.name()));
        if config.engine.is_for_hunting() {
            for (name, value) in self.guide.to_words() {
                flag(name, value);
            }
            for (name, value) in self.sample.to_words(config.engine.name()) {
                flag(name, value.as_deref());
            }
        }
        flag("--store", Some(config.store.name()));
        if let Some(bits) = self.search.store_bits {
            flag("--store-bits", Some(&bits.to_string()));
        }
        if let StoreKind::Bitstate { hashes, .. } = config.store {
            flag("--store-hashes", Some(&hashes.to_string()));
        }
        if self.limits.threads.is_some() || report.threads > 1 {
            flag("--threads", Some(&config.threads.to_string()));
        }
        flag("--reduce", Some(&config.reductions.to_text()));
        flag("--code", Some(config.code.name()));
        flag("--seed", Some(&config.seed.to_string()));
        if self.search.random_order {
            flag("--random-order", None);
        }
        if self.search.continue_after_all {
            flag("--continue", None);
        }
        let limits = [
            ("--time", self.limits.time.map(|time| format!("{}s", time.as_secs_f64()))),
            ("--memory", self.limits.memory.map(|bytes| bytes.to_string())),
            ("--max-states", self.limits.max_states.map(|states| states.to_string())),
            ("--max-depth", self.limits.max_depth.map(|depth| depth.to_string())),
        ];
        for (name, value) in limits {
            if let Some(value) = value {
                flag(name, Some(&value));
            }
        }
        words.join(" ")
    }
}

/// One thread for each core that this process may use.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

impl SearchArguments {
    fn reductions(&self) -> Result<Reductions, Failure> {
        let Some(text) = &self.reduce else { return Ok(Reductions::by_default(self.continue_after_all)) };
        if text.split(',').any(|name| name == "sym") {
            return Err(not_available("--reduce", "sym"));
        }
        Reductions::named(text)
            .ok_or_else(|| unknown("--reduce", text, "none, all, or a list of slice, dead, fuse and por"))
    }

    fn store(&self) -> Result<StoreKind, Failure> {
        let in_bits = matches!(self.store.as_str(), "compact" | "bitstate");
        if self.store_bits.is_some() && !in_bits {
            return Err(Failure::new("--store-bits needs --store compact or bitstate"));
        }
        Ok(match self.store.as_str() {
            "exact" => StoreKind::Exact,
            "plain" => StoreKind::Plain,
            "compact" => match self.store_bits.unwrap_or(DEFAULT_COMPACT_BITS) {
                bits @ 8..=64 => StoreKind::Compact { bits: bits as u32 },
                other => return Err(Failure::new(format!("--store-bits {other}: compact takes 8 to 64"))),
            },
            "bitstate" => match self.store_bits.unwrap_or(DEFAULT_BITSTATE_BITS) {
                0 => return Err(Failure::new("--store-bits 0: bitstate needs at least one bit")),
                bits => StoreKind::Bitstate { bits, hashes: self.store_hashes, seed: self.seed },
            },
            other => return Err(unknown("--store", other, "exact, plain, compact or bitstate")),
        })
    }
}

fn not_available(flag: &str, value: &str) -> Failure {
    Failure::new(format!("{flag} {value} is not available yet"))
}

fn unknown(flag: &str, value: &str, expected: &str) -> Failure {
    Failure::new(format!("unknown value '{value}' for {flag}, expected {expected}"))
}

fn run_summary(config: &CheckConfig, report: &Report) -> RunSummary {
    RunSummary {
        engine: config.engine.name().to_owned(),
        store: config.store.name().to_owned(),
        reductions: report.reductions.names().into_iter().map(str::to_owned).collect(),
        threads: report.threads,
        seed: config.seed,
    }
}

/// What is asked by name and by text; when nothing is, everything in the model but what is ignored.
pub fn choose_properties(config: &CheckConfig, session: &mut Session) -> Result<Vec<PropertyId>, Failure> {
    let mut chosen = Vec::new();
    for name in &config.named {
        let found = session.find_property(name).ok_or_else(|| no_property(session.model(), name))?;
        if !chosen.contains(&found) {
            chosen.push(found);
        }
    }
    if config.named.is_empty() && config.asked.is_empty() {
        let model = session.model();
        let is_ignored = |id: &PropertyId| ignores(&config.ignored, &model.properties[id.index()].question);
        return Ok(default_properties(model).into_iter().filter(|id| !is_ignored(id)).collect());
    }
    for asked in &config.asked {
        chosen.push(session.ask(asked)?);
    }
    Ok(chosen)
}

fn ignores(ignored: &[Ignored], question: &Question) -> bool {
    ignored.iter().any(|ignored| match ignored {
        Ignored::Deadlock => matches!(question, Question::Deadlock),
        Ignored::Assertion => matches!(question, Question::Assertion),
        Ignored::RuntimeError => matches!(question, Question::RuntimeError),
        Ignored::Claims => is_claim(question),
    })
}

fn no_property(model: &Model, name: &str) -> Failure {
    let names: Vec<&str> = model.properties.iter().map(|property| property.name.as_str()).collect();
    Failure::new(format!("there is no property '{name}'; the model has: {}", names.join(", ")))
}
