//! The flags of one run, shared by `check`, `sweep`, `hunt`, `plan` and `test`: what to check, how to search, how far to go.

use std::num::NonZero;
use std::time::Duration;

use clap::{Args, ValueEnum};
use fathom_core::model::{Model, PropertyId, Question};
use fathom_core::search::StoreKind;
use fathom_core::{CheckOptions, Code, Engine, Fairness, Reductions, Report, default_properties, is_claim};

use super::guide_arguments::{GuideArguments, SampleArguments};
use super::store_arguments::StoreArguments;
use crate::arguments::{Format, ModelArguments, ModelConfig, OutputArguments};
use crate::failure::Failure;
use crate::files::read_text;
use crate::memory;
use crate::output::quoted;
use crate::profile;
use crate::session::Session;
use crate::units::{parse_size, parse_time};
use crate::wire::{AskedProperty, RunSummary};

/// The engine that makes everything a set of values.
pub const SYMBOLIC: &str = "symbolic";

/// The seed when the user gives none.
pub const DEFAULT_SEED: u64 = 1;

/// What to check, how, and how far: the flags of one run, for `check` and `sweep`.
#[derive(Debug, Args)]
pub struct RunArguments {
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
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What to check.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "What to check (default: everything in the file, deadlocks and assertions included)"
)]
pub struct AskedArguments {
    /// Check the property with this name: deadlock, assertion, runtime-error or a claim in the file; for models with
    /// such labels, non-progress (no infinite run without progress) or acceptance (no acceptance cycle)
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Check that this expression is true in every state
    #[arg(long, value_name = "E")]
    pub invariant: Vec<String>,
    /// Check that this expression is true in some state; the witness is shown
    #[arg(long, value_name = "E")]
    pub reach: Vec<String>,
    #[command(flatten)]
    pub formulas: FormulaArguments,
    /// Check that no run is accepted by the automaton of this file, in the Hanoi format (HOA); its propositions are expressions
    /// of the model. `fathom translate --negate` writes one
    #[arg(long, value_name = "FILE")]
    pub automaton: Vec<String>,
    /// Check this query in the form of Uppaal's: E<>, A[], E[], A<> or leads-to; sup or inf for timed automata
    #[arg(long, value_name = "Q")]
    pub query: Vec<String>,
    /// Check the queries of this file (.q), for timed automata
    #[arg(long, value_name = "FILE")]
    pub query_file: Vec<String>,
    /// Leave these out of the default
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    pub ignore: Vec<Ignored>,
}

/// Formulas of temporal logic.
#[derive(Clone, Debug, Default, Args)]
pub struct FormulaArguments {
    /// Check that this formula of linear temporal logic is true of every run
    #[arg(long, value_name = "F")]
    pub ltl: Vec<String>,
    /// Check that this formula of computation tree logic is true in every initial state
    #[arg(long, value_name = "F")]
    pub ctl: Vec<String>,
    /// Only paths count on which this expression is true again and again, with --ctl and --states-of (or 'processes'
    /// for paths on which no process that can always move never does)
    #[arg(long, value_name = "E")]
    pub fair_ctl: Vec<String>,
    /// Check that this formula of the property specification language is true of every run
    #[arg(long, value_name = "F")]
    pub psl: Vec<String>,
    /// What a run that ends is taken for in --psl formulas: stutter (its last state for ever), neutral (a finite run), weak or
    /// strong (a run that was cut off)
    #[arg(long, value_name = "END", requires = "psl", value_parser = ["stutter", "neutral", "weak", "strong"])]
    pub psl_end: Option<String>,
    /// Check a specification pattern: 'response(p, s) after q'; the formula that it stands for is shown
    #[arg(long, value_name = "P")]
    pub pattern: Vec<String>,
}

impl FormulaArguments {
    /// The formulas, as they were given.
    pub fn to_properties(&self) -> Vec<AskedProperty> {
        let kinds = [("ltl", &self.ltl), ("ctl", &self.ctl), ("psl", &self.psl), ("pattern", &self.pattern)];
        kinds.into_iter().flat_map(|(kind, texts)| self.of_kind(kind, texts)).collect()
    }

    fn of_kind(&self, kind: &'static str, texts: &[String]) -> Vec<AskedProperty> {
        let asked = |text: &String| AskedProperty {
            kind: kind.to_owned(),
            text: text.clone(),
            fairness: if kind == "ctl" { self.fair_ctl.clone() } else { Vec::new() },
            end: self.psl_end.clone().filter(|_| kind == "psl"),
            file: None,
        };
        texts.iter().map(asked).collect()
    }

    /// The words that give them again on a command line.
    pub fn to_words(&self) -> Vec<String> {
        let flags = [
            ("--ltl", &self.ltl),
            ("--ctl", &self.ctl),
            ("--fair-ctl", &self.fair_ctl),
            ("--psl", &self.psl),
            ("--pattern", &self.pattern),
        ];
        let words =
            flags.into_iter().flat_map(|(flag, texts)| texts.iter().map(move |text| (flag, quoted(text))));
        let end = self.psl_end.iter().map(|end| ("--psl-end", end.clone()));
        words.chain(end).flat_map(|(flag, text)| [flag.to_owned(), text]).collect()
    }
}

impl AskedArguments {
    /// The properties given as text, automata read from their files.
    pub fn to_properties(&self) -> Result<Vec<AskedProperty>, Failure> {
        let of_kind = |kind, texts: &[String]| self.formulas.of_kind(kind, texts);
        let mut automata = Vec::new();
        for path in &self.automaton {
            let mut read = of_kind("automaton", &[read_text(path)?]);
            read.iter_mut().for_each(|asked| asked.file = Some(path.clone()));
            automata.extend(read);
        }
        let asked = [
            of_kind("invariant", &self.invariant),
            of_kind("reach", &self.reach),
            self.formulas.to_properties(),
            of_kind("query", &self.query),
            automata,
        ];
        Ok(asked.concat())
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

/// How to search.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to search")]
pub struct SearchArguments {
    /// The engine: auto, bfs (shortest traces), dfs; guided: best, astar, best-dfs (random best depth-first), bnb
    /// (branch and bound), beam; a sample: isr, walk; symbolic: bfs with everything a set of values, symbolic-guided: A* over sets with abstract
    /// distances (shortest traces), symbolic-walk: walks through sets of successors, a sample; for timed automata also lifo (the last
    /// zone reached comes first)
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub engine: String,
    #[command(flatten)]
    pub store: StoreArguments,
    /// The reductions: none, all, or a list of slice, dead, fuse, por, sym; all but sym by default, but none with --continue, and
    /// slice,dead for guided engines and samples
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
    /// Which infinite runs count, for formulas, non-progress and acceptance: none (all runs), or weak (a process that can
    /// always move moves again and again)
    #[arg(long, value_name = "FAIRNESS", default_value = "none")]
    pub fair: String,
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

/// How many search.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct ThreadArguments {
    /// Threads to use, with the exact store and more than a few states; default: one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
}

/// How far to go: for every search of `check`, `sweep`, `plan` and `test`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArguments {
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

/// A run, validated.
#[derive(Debug)]
pub struct RunConfig {
    /// The model.
    pub model: ModelConfig,
    /// The engine.
    pub engine: Engine,
    /// Whether walks and pruned searches are guided.
    pub guided: bool,
    /// How steps are computed.
    pub code: Code,
    /// The reductions.
    pub reductions: Reductions,
    /// Which infinite runs count.
    pub fairness: Fairness,
    /// Those that were asked for.
    pub asked_reductions: Option<Reductions>,
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

impl RunArguments {
    /// Checks the flags.
    pub fn validate(&self) -> Result<RunConfig, Failure> {
        self.validate_with(self.search.engine()?)
    }

    /// Checks all flags but the one for the engine.
    pub fn validate_with(&self, engine: Engine) -> Result<RunConfig, Failure> {
        let store = self.search.store.kind(self.search.seed)?;
        let code = match self.search.code.as_str() {
            "native" => Code::Native,
            "interpreted" => Code::Interpreted,
            other => return Err(unknown("--code", other, "native or interpreted")),
        };
        let reductions = self.search.reductions()?;
        let fairness = match self.search.fair.as_str() {
            "none" => Fairness::None,
            "weak" => Fairness::Weak,
            other => return Err(unknown("--fair", other, "none or weak")),
        };
        if engine.is_for_hunting() && fairness != Fairness::None {
            return Err(Failure::new(format!("--fair has no meaning for --engine {}", engine.name())));
        }
        if engine == Engine::SymbolicWalk && (self.sample.restart.is_some() || self.sample.all_children) {
            return Err(Failure::new(
                "--restart and --all-children have no meaning for --engine symbolic-walk: it starts at initial states and sees all successors",
            ));
        }
        if engine == Engine::SymbolicGuided && self.guide.reverse_heuristic {
            return Err(Failure::new(
                "--reverse-heuristic has no meaning for --engine symbolic-guided, whose traces are shortest; use symbolic-walk",
            ));
        }
        if self.search.random_order && engine != Engine::DepthFirst {
            return Err(Failure::new("--random-order needs --engine dfs"));
        }
        if engine.is_for_hunting() && store != StoreKind::Exact {
            return Err(Failure::new(format!("--store has no meaning for --engine {}", engine.name())));
        }
        Ok(RunConfig {
            model: self.guide.with_param(self.model.validate()?),
            engine,
            guided: self.sample.guided,
            code,
            reductions,
            fairness,
            asked_reductions: self.search.reduce.is_some().then_some(reductions),
            store,
            threads: self.threads.threads.map_or_else(available_threads, |threads| threads as usize),
            seed: self.search.seed,
            named: self.asked.property.clone(),
            asked: self.asked.to_properties()?,
            ignored: self.asked.ignore.clone(),
            format: self.output.format,
            msc: false,
        })
    }

    /// What the library is told; heuristics are still to be chosen.
    pub fn to_options(&self, config: &RunConfig, properties: Vec<PropertyId>) -> CheckOptions {
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
            fairness: config.fairness,
            store: config.store,
            threads: config.threads,
            clock: self.search.profile.then_some(profile::nanoseconds),
            ..CheckOptions::default()
        }
    }

    /// The engine that was asked for, by the name that the command line has for it.
    pub fn engine_word(&self, config: &RunConfig) -> &'static str {
        if self.search.engine == SYMBOLIC { SYMBOLIC } else { config.engine.name() }
    }

    /// The command that reproduces the run: every choice that was made by default is spelled out.
    pub fn to_words(&self, config: &RunConfig, report: &Report, engine: &str) -> Words {
        let mut words = Words::asking("check", config);
        words.value("--engine", engine);
        if config.engine.is_for_hunting() {
            words.flags(self.guide.to_words());
            words.flags(self.sample.to_words(config.engine.name()));
        }
        words.flags(self.search.store.to_words(config.store));
        if self.threads.threads.is_some() || report.threads > 1 {
            words.value("--threads", config.threads);
        }
        // Guided and sampled engines have reductions of their own, and what was used is what reproduces the run.
        let reductions = if config.engine.is_for_hunting() { report.reductions } else { config.reductions };
        words.value("--reduce", reductions.to_text());
        if config.fairness != Fairness::None {
            words.value("--fair", config.fairness.name());
        }
        words.value("--code", config.code.name());
        words.value("--seed", config.seed);
        words.switch("--random-order", self.search.random_order);
        words.switch("--continue", self.search.continue_after_all);
        words.optional("--time", self.limits.time.map(|time| format!("{}s", time.as_secs_f64())));
        words.optional("--memory", self.limits.memory);
        words.optional("--max-states", self.limits.max_states);
        words.optional("--max-depth", self.limits.max_depth);
        words
    }
}

/// The words of a command that reproduces a run.
pub struct Words(Vec<String>);

impl Words {
    /// A command that asks the same of the same model.
    pub fn asking(verb: &str, config: &RunConfig) -> Words {
        let mut words = Words(vec!["fathom".to_owned(), verb.to_owned(), quoted(&config.model.file)]);
        for (name, value) in &config.model.defines {
            words.value("-D", format!("{name}={value}"));
        }
        words.value("--lang", config.model.language.name());
        for name in &config.named {
            words.value("--property", name);
        }
        for asked in &config.asked {
            words.value(&format!("--{}", asked.kind), asked.file.as_ref().unwrap_or(&asked.text));
        }
        let constraints = config.asked.iter().find(|asked| asked.kind == "ctl").map(|asked| &asked.fairness);
        for constraint in constraints.into_iter().flatten() {
            words.value("--fair-ctl", constraint);
        }
        words.optional("--psl-end", config.asked.iter().find_map(|asked| asked.end.as_ref()));
        for ignored in &config.ignored {
            let name = ignored.to_possible_value().map(|value| value.get_name().to_owned());
            words.optional("--ignore", name);
        }
        words
    }

    /// A flag with a value.
    pub fn value(&mut self, name: &str, value: impl ToString) {
        self.0.push(name.to_owned());
        self.0.push(quoted(&value.to_string()));
    }

    /// A flag with a value, if there is one.
    pub fn optional(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.value(name, value);
        }
    }

    /// A flag without a value, if it is on.
    pub fn switch(&mut self, name: &str, is_on: bool) {
        if is_on {
            self.0.push(name.to_owned());
        }
    }

    /// Flags with or without values.
    pub fn flags(&mut self, flags: Vec<(&'static str, Option<String>)>) {
        for (name, value) in flags {
            self.switch(name, value.is_none());
            self.optional(name, value);
        }
    }

    /// The command.
    pub fn to_command(&self) -> String {
        self.0.join(" ")
    }
}

/// One thread for each core that this process may use.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

impl SearchArguments {
    /// The engine by its name.
    pub fn engine(&self) -> Result<Engine, Failure> {
        Ok(match self.engine.as_str() {
            "auto" | "bfs" => Engine::BreadthFirst,
            "dfs" => Engine::DepthFirst,
            "best" => Engine::Best,
            "astar" => Engine::AStar,
            "best-dfs" => Engine::BestDepthFirst,
            "beam" => Engine::Beam,
            "bnb" => Engine::BranchAndBound,
            "isr" => Engine::Isr,
            "walk" => Engine::Walk,
            "symbolic-guided" => Engine::SymbolicGuided,
            "symbolic-walk" => Engine::SymbolicWalk,
            "lifo" => return Err(Failure::new("--engine lifo is for timed automata only")),
            // Which variables are sets of values is said elsewhere: all of them.
            SYMBOLIC => Engine::BreadthFirst,
            other => {
                return Err(unknown(
                    "--engine",
                    other,
                    "auto, bfs, dfs, best, astar, best-dfs, beam, bnb, isr, walk, symbolic, symbolic-guided or symbolic-walk",
                ));
            }
        })
    }

    fn reductions(&self) -> Result<Reductions, Failure> {
        let Some(text) = &self.reduce else { return Ok(Reductions::by_default(self.continue_after_all)) };
        Reductions::named(text).ok_or_else(|| {
            unknown("--reduce", text, "none, all, or a list of slice, dead, fuse, por and sym")
        })
    }
}

fn unknown(flag: &str, value: &str, expected: &str) -> Failure {
    Failure::new(format!("unknown value '{value}' for {flag}, expected {expected}"))
}

/// The engines that searched, each once.
fn engines(config: &RunConfig, report: &Report) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in report.engines.iter().flatten() {
        if !names.contains(name) {
            names.push(name);
        }
    }
    if names.is_empty() { config.engine.name().to_owned() } else { names.join("+") }
}

/// How a search was made.
pub fn run_summary(config: &RunConfig, report: &Report) -> RunSummary {
    RunSummary {
        engine: engines(config, report),
        store: config.store.name().to_owned(),
        reductions: report.reductions.names().into_iter().map(str::to_owned).collect(),
        threads: report.threads,
        seed: config.seed,
    }
}

/// What is asked by name and by text; when nothing is, everything in the model but what is ignored.
pub fn choose_properties(config: &RunConfig, session: &mut Session) -> Result<Vec<PropertyId>, Failure> {
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
