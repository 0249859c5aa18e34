//! Formulas about the runs of model programs: of linear temporal logic, of the property specification language, and patterns.
//!
//! Propositions are properties of the program that speak about single states, by their names. The program is watched by the automaton
//! of the formula's violations, without symmetry: a loop of classes need not be a loop of states. What is found is followed again, and the formula
//! is evaluated on what the states of the run say, without automata.

use fathom_logic::{Formulas, Propositions};
use fathom_model::{
    AskedOfRuns, Evidence, NoRegion, PropertyId, RunEnd, Statistics, Steps, System, Trace, Verdict,
};
use fathom_program::{Call, Opened, Runnable};
use fathom_search::{
    Meaning, Monitor, Options, Patience, StoreKind, Visit, breadth_first, strong_components, verdicts,
};
use fathom_source::{Diagnostic, FileId, SourceMap, Span, similar};
use fathom_temporal::{Acceptance, AtEnd, Extended, Letter, Product, RunFormula};

use crate::ask::{Expansion, Resolver, RunQuestion, run_question};
use crate::check::{CheckOptions, unsupported};
use crate::load::Asked;

/// Most steps that a violation after finitely many steps is followed to see an infinite run.
const MOST_STEPS_BEYOND: usize = 10_000;

/// A formula about the runs of a program.
#[derive(Clone, Debug)]
pub struct ProgramFormula {
    /// The formula as it was written.
    pub text: String,
    /// The table of its parts.
    pub formulas: Formulas,
    /// The formula.
    pub asked: AskedOfRuns,
    /// What the propositions are called.
    pub names: Propositions,
    /// What a pattern stands for.
    pub expansion: Option<Expansion>,
    /// The properties that are its propositions.
    propositions: Vec<usize>,
    /// What becomes of runs that end: their last state repeats itself, unless only infinite runs are to count.
    pub at_end: AtEnd,
}

impl ProgramFormula {
    /// Reads a formula about the properties of a program that speak about single states, by name. Its text is added to the files.
    ///
    /// # Errors
    ///
    /// What is wrong with it; that it speaks of the end of runs, which it cannot see here, is, too.
    pub fn read(
        asked: Asked,
        text: &str,
        program: &dyn Runnable,
        sources: &mut SourceMap,
    ) -> Result<ProgramFormula, Vec<Diagnostic>> {
        if let Asked::Psl(end) = asked
            && end != RunEnd::Stutter
        {
            let message = format!(
                "runs of model programs that end repeat their last state for ever: expected --psl-end {}, found {}",
                RunEnd::Stutter.name(),
                end.name()
            );
            return Err(vec![Diagnostic::error("program::run-end", message)]);
        }
        let file = sources.add("<formula>", text);
        let RunQuestion { formulas, asked, names, propositions, expansion } =
            run_question(asked, file, proposition_resolver(program, sources))?;
        let text = text.to_owned();
        Ok(ProgramFormula { text, formulas, asked, names, expansion, propositions, at_end: AtEnd::Repeats })
    }

    /// The formula, asked as a property; those from `first` on stand for the propositions.
    fn of_runs(&self, property: PropertyId, first: PropertyId) -> RunFormula {
        let (n_propositions, formulas) = (self.propositions.len(), self.formulas.clone());
        match &self.asked {
            AskedOfRuns::Ltl(formula) => {
                RunFormula::of_ltl((formulas, *formula), n_propositions, property, first)
            }
            AskedOfRuns::Psl(psl, end) => {
                RunFormula::of_psl((formulas, psl, *end), n_propositions, property, first)
            }
        }
    }
}

/// What finds the properties of a program that propositions name.
pub(crate) fn proposition_resolver<'a>(
    program: &dyn Runnable,
    sources: &'a SourceMap,
) -> Resolver<'a, usize> {
    let names: Vec<(usize, String)> = program
        .asked()
        .into_iter()
        .enumerate()
        .filter(|(_, asked)| asked.is_of_states)
        .map(|(index, asked)| (index, asked.name))
        .collect();
    let state_expr = Box::new(move |file: FileId, sources: &SourceMap| {
        let written = sources.file(file).text().trim();
        let found = names.iter().find(|(_, name)| name == written);
        found.map(|(index, _)| *index).ok_or_else(|| vec![unknown(written, &names, file, sources)])
    });
    Resolver::new(sources, state_expr)
}

fn unknown(written: &str, names: &[(usize, String)], file: FileId, sources: &SourceMap) -> Diagnostic {
    let known = names.iter().map(|(_, name)| name.as_str());
    let help = match similar(written, known.clone()) {
        Some(near) => format!("there is `{near}`"),
        None => format!("there are: {}", known.collect::<Vec<_>>().join(", ")),
    };
    let length = sources.file(file).text().len() as u32;
    Diagnostic::error("program::unknown-proposition", format!("the program has no proposition `{written}`"))
        .at(Span { file, start: 0, end: length }, help)
}

/// A run that violates a formula.
struct Lasso {
    /// The run, with the place where its loop starts; without one when the run ends, or any way on from its end will do.
    trace: Trace,
    /// Whether nothing can happen after its end.
    is_stuck: bool,
}

/// The answer to a formula.
#[derive(Clone, Debug)]
pub struct FormulaAnswer {
    /// The answer, with the trace of the program.
    pub verdict: Verdict,
    /// Whether nothing can happen after the end of the trace.
    pub is_stuck: bool,
    /// What it cost.
    pub statistics: Statistics,
}

/// Whether every run of a program satisfies a formula; runs that end repeat their last state for ever.
///
/// # Panics
///
/// When what is found does not violate the formula: a bug in Fathom.
pub fn check_program_formula(
    program: &dyn Runnable,
    property: PropertyId,
    formula: &ProgramFormula,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> FormulaAnswer {
    let first = PropertyId::from(property.index() + 1);
    let watched = formula.of_runs(property, first);
    let Ok(watcher) = watched.watcher(Acceptance::Steps) else {
        // The automaton is too large.
        let verdict = unsupported(property);
        return FormulaAnswer { verdict, is_stuck: false, statistics: Statistics::default() };
    };
    let opened = program.watch(formula.propositions.clone(), first);
    let product = Product::new(Extended::new(opened.system(), formula.at_end), &watcher);
    let search = Options {
        properties: vec![property],
        continue_after_all: false,
        patience: Patience::default(),
        max_states: options.max_states,
        max_depth: options.max_depth,
        max_bytes: options.max_bytes,
        store: StoreKind::Exact,
        clock: None,
        alarm: monitor.alarm(),
    };
    let outcome = match watcher.is_plain() {
        true => breadth_first(&product, &search, monitor),
        false => strong_components(&product, &search, monitor),
    };
    let mut verdict = match outcome.evidence.is_empty() {
        true => Verdict { stop: outcome.stop, ..unsupported(property) },
        false => verdicts(&outcome, |_| Meaning::Violation).remove(0),
    };
    let mut is_stuck = false;
    if let Some(trace) = verdict.trace.take() {
        let projected = product.project(&trace).expect("a trace of a product is one of what is watched");
        let lasso = look_again(&*opened, &watched, &projected).unwrap_or_else(|error| {
            panic!(
                "{error}\nprogram: {}\nformula: {}\ntrace: {projected:?}\nthis is a bug in Fathom; please report it",
                program.title(),
                formula.text
            )
        });
        is_stuck = lasso.is_stuck;
        verdict.trace = Some(lasso.trace);
    }
    FormulaAnswer { verdict, is_stuck, statistics: outcome.statistics }
}

/// Follows a run of a program that is said to violate a formula, and evaluates the formula on it.
///
/// # Errors
///
/// When it is no run, or does not violate the formula.
pub fn check_formula_again(
    program: &dyn Runnable,
    formula: &ProgramFormula,
    trace: &Trace,
    is_stuck: bool,
) -> Result<(), String> {
    let (property, first) = (PropertyId::from(0), PropertyId::from(1));
    let watched = formula.of_runs(property, first);
    let mut trace = trace.clone();
    if is_stuck {
        // The step with which the last state repeats itself, and the loop that it is.
        trace.loop_at = Some(trace.choices.len());
        trace.choices.push(0);
    }
    let again = look_again(&*program.watch(formula.propositions.clone(), first), &watched, &trace)?;
    match again.is_stuck == is_stuck {
        true => Ok(()),
        false => Err("something can happen after the end".to_owned()),
    }
}

/// Follows a trace, evaluates the formula on it, and leaves out the step with which a run that is stuck repeats itself.
fn look_again(opened: &dyn Opened, formula: &RunFormula, trace: &Trace) -> Result<Lasso, String> {
    let system = Extended::repeating(opened.system());
    let plain = Trace { evidence: Evidence::State, ..trace.clone() };
    let replay = fathom_search::replay(&system, &plain).map_err(|error| error.to_string())?;
    let (mut scratch, mut steps) = (system.scratch(), Steps::new());
    let mut letter_of = |state: &[u8], steps: &mut Steps<NoRegion, Call>| {
        steps.clear();
        system.successors(state, &NoRegion, &mut scratch, steps);
        formula.letter(steps.findings())
    };
    let mut letters: Vec<Letter> =
        replay.visits.iter().map(|visit| letter_of(&visit.state, &mut steps)).collect();
    let mut states: Vec<Vec<u8>> = replay.visits.iter().map(|visit| visit.state.clone()).collect();
    let mut loop_at = trace.loop_at;
    // Any way on from the end of a violation after finitely many steps will do.
    while loop_at.is_none() && states.len() < MOST_STEPS_BEYOND {
        let last = states.last().expect("a trace has a state").clone();
        letter_of(&last, &mut steps);
        let next = steps.state(0).to_vec();
        loop_at = states.iter().position(|state| *state == next);
        letters.push(letter_of(&next, &mut steps));
        states.push(next);
    }
    if let Some(at) = loop_at {
        letters.pop();
        if !formula.is_violated_by(&letters, at) {
            return Err("the formula is true of this run".to_owned());
        }
    }
    // A step without an action is no step of the program.
    let is_still = |visit: &Visit<NoRegion, Call>| visit.labels.is_empty();
    let n_steps = replay.visits.iter().skip(1).position(is_still).unwrap_or(trace.choices.len());
    let is_stuck = n_steps < trace.choices.len();
    let trace = Trace {
        choices: trace.choices[..n_steps].to_vec(),
        evidence: Evidence::State,
        loop_at: trace.loop_at.filter(|_| !is_stuck),
        ..trace.clone()
    };
    Ok(Lasso { trace, is_stuck })
}
