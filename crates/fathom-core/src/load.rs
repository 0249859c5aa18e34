//! Loading: from the name of a file to a model.

use fathom_model::{Expr, Model, Property, PropertyId, Question, RunEnd};
use fathom_source::{Diagnostic, FileId, FileLoader, LoadError, SourceMap, Span, has_errors};

use crate::ask::{
    Expansion, Grammar, Vocabulary, automaton_question, ctl_question, ltl_question, pattern_question,
    psl_question, state_question, value_expr,
};
use crate::query::{FORMS, Query, asks_for_deadlock};

/// The languages that Fathom reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Language {
    /// Promela, the language of Spin.
    Promela,
    /// The text format of TChecker, for timed automata.
    TChecker,
    /// The languages of Uppaal, XML or text, for timed automata.
    Uppaal,
    /// IF, the interchange format of Verimag. A system with clocks is a network of timed automata.
    If,
    /// SMV, in the dialect of NuSMV.
    Smv,
    /// C#, as far as model programs in the manner of NModel are written in it, and their state machines.
    CSharp,
}

impl Language {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Language::Promela => "promela",
            Language::TChecker => "tchecker",
            Language::Uppaal => "uppaal",
            Language::If => "if",
            Language::Smv => "smv",
            Language::CSharp => "csharp",
        }
    }

    /// The language with this name.
    pub fn named(name: &str) -> Option<Language> {
        match name {
            "promela" => Some(Language::Promela),
            "tchecker" => Some(Language::TChecker),
            "uppaal" => Some(Language::Uppaal),
            "if" => Some(Language::If),
            "smv" => Some(Language::Smv),
            "csharp" => Some(Language::CSharp),
            _ => None,
        }
    }

    /// The language that a file is in, by its extension.
    pub fn of_file(path: &str) -> Option<Language> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "pml" | "pm" | "prom" | "promela" | "pr" | "spin" => Some(Language::Promela),
            "tck" => Some(Language::TChecker),
            "xml" | "xta" | "ta" => Some(Language::Uppaal),
            "if" => Some(Language::If),
            "smv" => Some(Language::Smv),
            "cs" | "fsm" => Some(Language::CSharp),
            _ => None,
        }
    }

    /// Whether its models are model programs, for [`load_program`](crate::load_program()).
    pub fn is_program(self) -> bool {
        matches!(self, Language::CSharp)
    }

    /// Whether all its models are networks of timed automata, for [`load_timed`](crate::load_timed).
    pub fn is_timed(self) -> bool {
        matches!(self, Language::TChecker | Language::Uppaal)
    }
}

/// Whether a model is a network of timed automata, for [`load_timed`](crate::load_timed): by its language, and for a system of IF by whether
/// it has clocks.
///
/// # Errors
///
/// When the file cannot be loaded.
pub fn is_timed(path: &str, language: Language, loader: &dyn FileLoader) -> Result<bool, LoadError> {
    if language != Language::If {
        return Ok(language.is_timed());
    }
    let mut sources = SourceMap::new();
    let main = sources.add_loaded(loader.load(path, None)?)?;
    Ok(fathom_if::has_clocks(&fathom_if::parse_system(main, &sources).0))
}

/// A model with the text it comes from and everything there is to say about it.
#[derive(Clone)]
pub struct Loaded {
    /// The files.
    pub sources: SourceMap,
    /// The language.
    pub language: Language,
    /// The model, unless there are errors.
    pub model: Option<Model>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What the patterns that were asked stand for.
    pub expansions: Vec<(PropertyId, Expansion)>,
    /// How properties given from outside are read.
    grammar: Grammar,
}

/// Loads a model. Problems in the text are diagnostics of the result.
///
/// # Errors
///
/// When the main file itself cannot be loaded.
///
/// # Panics
///
/// For a language of timed automata only, whose models [`load_timed`](crate::load_timed) loads, or of model programs, which
/// [`load_program`](crate::load_program()) loads.
pub fn load(
    path: &str,
    language: Language,
    loader: &dyn FileLoader,
    defines: &[(String, String)],
) -> Result<Loaded, LoadError> {
    let mut sources = SourceMap::new();
    let main = sources.add_loaded(loader.load(path, None)?)?;
    assert!(!language.is_timed(), "networks of timed automata are loaded by load_timed");
    let (model, grammar, mut diagnostics) = match language {
        Language::Promela => load_promela(main, &mut sources, loader, defines),
        Language::If => load_if(main, &sources, defines),
        Language::Smv => load_smv(main, &sources, defines),
        Language::TChecker | Language::Uppaal => unreachable!("refused above"),
        Language::CSharp => panic!("model programs are loaded by load_program"),
    };
    truncate(&mut diagnostics);
    Ok(Loaded { sources, language, model, diagnostics, expansions: Vec::new(), grammar })
}

/// What comes of a text: a model unless there are errors, how to read properties, and what there is to say.
type Lowered = (Option<Model>, Grammar, Vec<Diagnostic>);

fn load_promela(
    main: FileId,
    sources: &mut SourceMap,
    loader: &dyn FileLoader,
    defines: &[(String, String)],
) -> Lowered {
    let (program, macros, mut diagnostics) =
        fathom_promela::parse_program_and_macros(main, sources, loader, defines);
    let mut model = None;
    // Half a program gives misleading messages: lower only what parsed.
    if !has_errors(&diagnostics) {
        let name = sources.file(main).name().to_owned();
        let (lowered, found) = fathom_promela::lower_program(&program, &name);
        diagnostics.extend(found);
        model = lowered;
    }
    (model, Grammar::Promela(macros), diagnostics)
}

fn load_if(main: FileId, sources: &SourceMap, defines: &[(String, String)]) -> Lowered {
    let (system, mut diagnostics) = fathom_if::parse_system(main, sources);
    let (options, found) = fathom_if::Options::from_defines(defines);
    diagnostics.extend(found);
    let (mut model, mut names) = (None, None);
    if !has_errors(&diagnostics) {
        let (lowered, found) = fathom_if::lower_system(&system, sources.file(main).name(), sources, options);
        diagnostics.extend(found);
        (model, names) = lowered.unzip();
    }
    (model, Grammar::If(names.map(Box::new)), diagnostics)
}

fn load_smv(main: FileId, sources: &SourceMap, defines: &[(String, String)]) -> Lowered {
    let (program, mut diagnostics) = fathom_smv::parse_program(main, sources);
    let (mut model, mut names) = (None, None);
    if !has_errors(&diagnostics) {
        let (lowered, found) = fathom_smv::lower_program(&program, sources.file(main).name(), defines);
        diagnostics.extend(found);
        (model, names) = lowered.unzip();
    }
    (model, Grammar::Smv(names.map(Box::new)), diagnostics)
}

/// Most diagnostics that anyone wants to read.
const MOST_DIAGNOSTICS: usize = 100;

/// Keeps the first diagnostics and says how many there were.
pub(crate) fn truncate(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.len() > MOST_DIAGNOSTICS {
        let message = format!("{} more messages are not shown", diagnostics.len() - MOST_DIAGNOSTICS);
        diagnostics.truncate(MOST_DIAGNOSTICS);
        diagnostics.push(Diagnostic::warning("source::too-many-messages", message));
    }
}

/// What a text given from outside asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// True in every state.
    Invariant,
    /// True in some state.
    Reach,
    /// A formula of linear temporal logic.
    Ltl,
    /// A formula of computation tree logic.
    Ctl,
    /// A formula of the property specification language, with what a run that ends is taken for.
    Psl(RunEnd),
    /// A specification pattern.
    Pattern,
    /// A query in the form of Uppaal's, over expressions of the language of the model.
    Query,
}

impl Asked {
    /// The word for it in reports and on the command line.
    pub fn kind(self) -> &'static str {
        match self {
            Asked::Invariant => "invariant",
            Asked::Reach => "reach",
            Asked::Ltl => "ltl",
            Asked::Ctl => "ctl",
            Asked::Psl(_) => "psl",
            Asked::Pattern => "pattern",
            Asked::Query => "query",
        }
    }
}

impl Loaded {
    /// Adds a property given as text in the language of the model.
    ///
    /// # Errors
    ///
    /// What is wrong with the text; its spans are in [`Loaded::sources`], where the text has become a file.
    pub fn ask(&mut self, asked: Asked, text: &str) -> Result<PropertyId, Vec<Diagnostic>> {
        match asked {
            Asked::Ctl => self.ask_ctl(text, &[]),
            Asked::Psl(end) => {
                let (name, file) = self.add_text("psl", text)?;
                let question = psl_question(&self.vocabulary()?, file, end)?;
                self.add_property(name, question, self.whole(file))
            }
            Asked::Pattern => {
                let (name, file) = self.add_text("pattern", text)?;
                let (question, expansion) = pattern_question(&self.vocabulary()?, file)?;
                let id = self.add_property(name, question, self.whole(file))?;
                self.expansions.push((id, expansion));
                Ok(id)
            }
            Asked::Query => self.ask_query(text),
            Asked::Invariant | Asked::Reach | Asked::Ltl => {
                let (name, file) = self.add_text(asked.kind(), text)?;
                let vocabulary = self.vocabulary()?;
                let question = match asked {
                    Asked::Ltl => ltl_question(&vocabulary, file)?,
                    Asked::Reach => Question::Reach(state_question(&vocabulary, file)?),
                    _ => Question::Invariant(state_question(&vocabulary, file)?),
                };
                self.add_property(name, question, self.whole(file))
            }
        }
    }

    /// An expression whose value in one state is wanted, given as text, to be evaluated by whoever asks.
    ///
    /// # Errors
    ///
    /// What is wrong with the text; its spans are in [`Loaded::sources`], where the text has become a file.
    pub fn value_expr(&mut self, text: &str) -> Result<Expr, Vec<Diagnostic>> {
        let file = self.sources.add("<expression>", text);
        value_expr(&self.vocabulary()?, file)
    }

    /// Adds a query: each is a question that has another form, too.
    fn ask_query(&mut self, text: &str) -> Result<PropertyId, Vec<Diagnostic>> {
        let refused = |message: &str| Err(vec![Diagnostic::error("query::form", message)]);
        match Query::read(text) {
            Some(Query::Invariantly(condition)) if asks_for_deadlock(condition) == Some(false) => {
                let (name, file) = self.add_text("query", text)?;
                self.add_property(name, Question::Deadlock, self.whole(file))
            }
            Some(Query::Possibly(condition)) => self.ask(Asked::Reach, condition),
            Some(Query::Invariantly(condition)) => self.ask(Asked::Invariant, condition),
            Some(Query::PotentiallyAlways(condition)) => self.ask_ctl(&format!("EG \"{condition}\""), &[]),
            Some(Query::Eventually(condition)) => self.ask_ctl(&format!("AF \"{condition}\""), &[]),
            Some(Query::LeadsTo(premise, conclusion)) => {
                self.ask_ctl(&format!("AG (\"{premise}\" -> AF \"{conclusion}\")"), &[])
            }
            Some(Query::Extremum { .. }) => refused("`sup` and `inf` are for models with clocks"),
            None => refused(FORMS),
        }
    }

    /// Adds an automaton in the Hanoi format, of the runs that must not be; its propositions are expressions in the language of the
    /// model. Messages call the text `file`.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn ask_automaton(&mut self, text: &str, file: &str) -> Result<PropertyId, Vec<Diagnostic>> {
        let name = self.free_name("automaton")?;
        let file = self.sources.add(file, text);
        let question = automaton_question(&self.vocabulary()?, file)?;
        self.add_property(name, question, self.whole(file))
    }

    /// Adds a formula of computation tree logic whose quantifiers speak about paths on which each of the `fairness` constraints is true again
    /// and again.
    ///
    /// # Errors
    ///
    /// What is wrong with the texts.
    pub fn ask_ctl(&mut self, text: &str, fairness: &[String]) -> Result<PropertyId, Vec<Diagnostic>> {
        self.add_ctl("ctl", text, fairness)
    }

    /// Adds a formula of computation tree logic whose states are wanted, for
    /// [`CheckOptions::states_of`](crate::CheckOptions::states_of).
    ///
    /// # Errors
    ///
    /// What is wrong with the texts.
    pub fn ask_states_of(&mut self, text: &str, fairness: &[String]) -> Result<PropertyId, Vec<Diagnostic>> {
        self.add_ctl("states", text, fairness)
    }

    fn add_ctl(
        &mut self,
        kind: &str,
        text: &str,
        fairness: &[String],
    ) -> Result<PropertyId, Vec<Diagnostic>> {
        let (name, file) = self.add_text(kind, text)?;
        let constraints: Vec<FileId> = fairness
            .iter()
            .enumerate()
            .map(|(index, text)| self.sources.add(format!("<fairness {} of {name}>", index + 1), text))
            .collect();
        let (question, said) = ctl_question(&self.vocabulary()?, file, &constraints)?;
        self.diagnostics.extend(said);
        self.add_property(name, question, self.whole(file))
    }

    /// A name that is free and a file for the text of a property.
    fn add_text(&mut self, kind: &str, text: &str) -> Result<(String, FileId), Vec<Diagnostic>> {
        let name = self.free_name(kind)?;
        let file = self.sources.add(format!("<{name}>"), text);
        Ok((name, file))
    }

    fn free_name(&self, kind: &str) -> Result<String, Vec<Diagnostic>> {
        let Some(model) = &self.model else { return Err(self.diagnostics.clone()) };
        let mut names = (1..).map(|number| format!("{kind}-{number}"));
        let is_free = |name: &String| model.properties.iter().all(|property| property.name != *name);
        Ok(names.find(is_free).expect("some number is free"))
    }

    fn vocabulary(&self) -> Result<Vocabulary<'_>, Vec<Diagnostic>> {
        match &self.model {
            Some(model) => Ok(Vocabulary { model, grammar: &self.grammar, sources: &self.sources }),
            None => Err(self.diagnostics.clone()),
        }
    }

    /// The whole text of a file.
    fn whole(&self, file: FileId) -> Span {
        Span { file, start: 0, end: self.sources.file(file).text().len() as u32 }
    }

    fn add_property(
        &mut self,
        name: String,
        question: Question,
        span: Span,
    ) -> Result<PropertyId, Vec<Diagnostic>> {
        let Some(model) = &mut self.model else { return Err(self.diagnostics.clone()) };
        model.properties.push(Property { name, question, span: Some(span) });
        Ok(PropertyId::from(model.properties.len() - 1))
    }
}
