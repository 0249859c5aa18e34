//! A loaded model, ready to be asked.

use std::io::IsTerminal;
use std::time::Instant;

use fathom_core::model::{Expr, Interpreter, Model, NoRegion, PropertyId, RunEnd, Steps, System};
use fathom_core::source::SourceMap;
use fathom_core::{Asked, Loaded, load};
use fathom_source::{Span, render_text};
use sha2::{Digest, Sha256};

use crate::arguments::ModelConfig;
use crate::failure::Failure;
use crate::files::DiskLoader;
use crate::output;
use crate::wire::{self, AskedProperty, ModelSummary, TracedModel};

/// A loaded model without errors.
pub struct Session {
    config: ModelConfig,
    loaded: Loaded,
    fingerprint: String,
    latin_files: Vec<String>,
    /// Seconds to load.
    pub setup_seconds: f64,
}

impl Session {
    /// Loads a model.
    pub fn open(config: ModelConfig) -> Result<Session, Failure> {
        if config.is_timed() {
            let message = format!("{}: this command cannot read timed automata", config.file);
            return Err(Failure::new(message));
        }
        if config.language.is_program() {
            let message = format!(
                "{}: this command cannot read model programs; check, hunt, graph, simulate and info can",
                config.file
            );
            return Err(Failure::new(message));
        }
        let started = Instant::now();
        let loader = DiskLoader::default();
        let loaded = load(&config.file, config.language, &loader, &config.defines)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", config.file)))?;
        if loaded.model.is_none() {
            let n_errors = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
            let errors = if n_errors == 1 { "error" } else { "errors" };
            let message = format!("{}: {n_errors} {errors}", config.file);
            return Err(Failure::of_diagnostics(message, &loaded.sources, &loaded.diagnostics));
        }
        let fingerprint = fingerprint(loaded.sources.files().map(|(_, file)| file.text()));
        let setup_seconds = started.elapsed().as_secs_f64();
        Ok(Session { config, loaded, fingerprint, latin_files: loader.latin_files(), setup_seconds })
    }

    /// What was loaded, and how.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The model.
    pub fn model(&self) -> &Model {
        self.loaded.model.as_ref().expect("a session has a model")
    }

    /// The text of the model and of the properties asked.
    pub fn sources(&self) -> &SourceMap {
        &self.loaded.sources
    }

    /// Everything loaded.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Shows the warnings about the model on standard error.
    pub fn show_warnings(&self) {
        for file in &self.latin_files {
            output::complain(&format!("warning: {file} is not UTF-8 and is read as Latin-1"));
        }
        let color = std::io::stderr().is_terminal();
        let text = render_text(self.sources(), &self.loaded.diagnostics, color);
        if !text.is_empty() {
            output::note(text.trim_end());
        }
    }

    /// Adds a property given as text.
    pub fn ask(&mut self, asked: &AskedProperty) -> Result<PropertyId, Failure> {
        if asked.kind == "automaton" {
            let file = asked.file.as_deref().unwrap_or("<automaton>");
            return self.loaded.ask_automaton(&asked.text, file).map_err(|diagnostics| {
                let message = format!("cannot understand --automaton {}", output::quoted(file));
                Failure::of_diagnostics(message, &self.loaded.sources, &diagnostics)
            });
        }
        let kind = match asked.kind.as_str() {
            "invariant" => Asked::Invariant,
            "reach" => Asked::Reach,
            "ltl" => Asked::Ltl,
            "ctl" => Asked::Ctl,
            "psl" => Asked::Psl(run_end(asked.end.as_deref())?),
            "pattern" => Asked::Pattern,
            "query" => Asked::Query,
            kind => return Err(Failure::new(format!("unknown kind of property '{kind}'"))),
        };
        let answer = match kind {
            Asked::Ctl => self.loaded.ask_ctl(&asked.text, &constraints(&asked.fairness)),
            kind => self.loaded.ask(kind, &asked.text),
        };
        answer.map_err(|diagnostics| {
            let fairness: Vec<_> =
                asked.fairness.iter().map(|text| output::quoted(text).to_string()).collect();
            let with = if fairness.is_empty() {
                String::new()
            } else {
                format!(" with --fair-ctl {}", fairness.join(" "))
            };
            let message = format!("cannot understand --{} {}{with}", asked.kind, output::quoted(&asked.text));
            Failure::of_diagnostics(message, &self.loaded.sources, &diagnostics)
        })
    }

    /// Adds an expression that is to be true in some state, as a flag gives it.
    pub fn ask_reach(&mut self, flag: &str, text: &str) -> Result<PropertyId, Failure> {
        self.loaded.ask(Asked::Reach, text).map_err(|diagnostics| {
            let message = format!("cannot understand {flag} {}", output::quoted(text));
            Failure::of_diagnostics(message, &self.loaded.sources, &diagnostics)
        })
    }

    /// Adds a formula whose states are wanted.
    pub fn ask_states_of(&mut self, text: &str, fairness: &[String]) -> Result<PropertyId, Failure> {
        self.loaded.ask_states_of(text, &constraints(fairness)).map_err(|diagnostics| {
            let message = format!("cannot understand --states-of {}", output::quoted(text));
            Failure::of_diagnostics(message, &self.loaded.sources, &diagnostics)
        })
    }

    /// An expression about one state, given as text, to be evaluated by whoever asks.
    pub fn parse_watch(&self, text: &str) -> Result<Expr, Failure> {
        self.state_expr(text, "cannot watch this")
    }

    /// The same, as a flag gives it.
    pub fn parse_flag(&self, flag: &str, text: &str) -> Result<Expr, Failure> {
        self.state_expr(text, &format!("cannot understand {flag} {}", output::quoted(text)))
    }

    fn state_expr(&self, text: &str, problem: &str) -> Result<Expr, Failure> {
        let mut loaded = self.loaded.clone();
        let found = loaded.value_expr(text);
        found.map_err(|diagnostics| Failure::of_diagnostics(problem, &loaded.sources, &diagnostics))
    }

    /// Finds a property by name.
    pub fn find_property(&self, name: &str) -> Option<PropertyId> {
        self.model().properties.iter().position(|property| property.name == name).map(PropertyId::from)
    }

    /// The properties that a search of single states answers.
    pub fn safety_properties(&self) -> Vec<PropertyId> {
        let properties = self.model().properties.iter().enumerate();
        properties
            .filter(|(_, property)| property.question.is_safety())
            .map(|(index, _)| index.into())
            .collect()
    }

    /// `file:line:column` of a span.
    pub fn place(&self, span: Option<Span>) -> Option<String> {
        span.map(|span| self.sources().locate(span))
    }

    /// The first initial state; none when an error comes before it.
    pub fn initial_state(&self) -> Option<Vec<u8>> {
        let interpreter = Interpreter::new(self.model(), &[]);
        let mut steps: Steps<NoRegion, _> = Steps::new();
        interpreter.first_initial(1, &mut interpreter.scratch(), &mut steps);
        (!steps.is_empty()).then(|| steps.state(0).to_vec())
    }

    /// The model in a few numbers.
    pub fn summary(&self) -> ModelSummary {
        ModelSummary {
            file: self.config.file.clone(),
            language: self.config.language.name().to_owned(),
            processes: self.model().start.len(),
            state_bits: self.initial_state().map_or(0, |state| state.len() * 8),
        }
    }

    /// What a trace says about its model.
    pub fn traced_model(&self) -> TracedModel {
        TracedModel {
            file: self.config.file.clone(),
            language: self.config.language.name().to_owned(),
            defines: self.config.defines.clone(),
            parts: wire::ProgramParts::default(),
            sha256: self.fingerprint.clone(),
        }
    }
}

/// The word that asks for fairness to processes, among fairness constraints.
pub const PROCESSES: &str = "processes";

/// The fairness constraints that are expressions.
fn constraints(fairness: &[String]) -> Vec<String> {
    fairness.iter().filter(|text| *text != PROCESSES).cloned().collect()
}

/// What a run that ends is taken for, by name.
pub(crate) fn run_end(name: Option<&str>) -> Result<RunEnd, Failure> {
    let all = [RunEnd::Stutter, RunEnd::Neutral, RunEnd::Weak, RunEnd::Strong];
    let Some(name) = name else { return Ok(RunEnd::default()) };
    all.into_iter().find(|end| end.name() == name).ok_or_else(|| {
        Failure::new(format!("unknown end of runs '{name}', expected stutter, neutral, weak or strong"))
    })
}

/// A fingerprint of the text of all files, in the order in which they are included. Names do not count, so that
/// a model may be moved.
pub fn fingerprint<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
