//! Formulas of computation tree logic on model programs.
//!
//! Propositions are those of linear formulas ([`program_linear`](crate::program_linear)). The graph of all states is built without symmetry, as what
//! can be shown of a class need not be a run, and labeled. The tree that shows why a formula is true or false is checked on the program;
//! its first path is the trace.

use fathom_logic::{CtlFormula, CtlFormulas, Propositions};
use fathom_model::{
    Answer, Evidence, Finding, NoRegion, PropertyId, Steps, Stop, System, Trace, Trust, Verdict,
};
use fathom_program::{Call, Runnable};
use fathom_search::{Explored, Monitor, Options, Visit, state_graph};
use fathom_source::{Diagnostic, FileId, SourceMap};
use fathom_temporal::{Extended, Facts, FairLoops, Graph, Labeling, Letter, Tree, check_tree, explain};

use crate::ask::{Resolver, tree_question};
use crate::check::{CheckOptions, unsupported};
use crate::program_linear::{FormulaAnswer, proposition_resolver};

/// A formula about the branching of runs of a program.
#[derive(Clone, Debug)]
pub struct ProgramTreeFormula {
    /// The formula as it was written.
    pub text: String,
    /// The table of its parts.
    pub formulas: CtlFormulas,
    /// The formula.
    pub formula: CtlFormula,
    /// What the propositions are called.
    pub names: Propositions,
    /// Only paths count on which each of these is true again and again.
    pub fairness: Vec<CtlFormula>,
    /// The properties that are its propositions.
    propositions: Vec<usize>,
}

impl ProgramTreeFormula {
    /// Reads a formula about the properties of a program that speak about single states, by name, and fairness constraints. Their texts are
    /// added to the files.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read(
        text: &str,
        fairness: &[String],
        program: &dyn Runnable,
        sources: &mut SourceMap,
    ) -> Result<ProgramTreeFormula, Vec<Diagnostic>> {
        let file = sources.add("<formula>", text);
        let constraints: Vec<FileId> = fairness.iter().map(|text| sources.add("<fairness>", text)).collect();
        let mut resolver = proposition_resolver(program, sources);
        let (formulas, formula, fairness, _) = tree_question(file, &constraints, &mut resolver)?;
        let Resolver { names, propositions, .. } = resolver;
        Ok(ProgramTreeFormula { text: text.to_owned(), formulas, formula, names, fairness, propositions })
    }

    fn letter(&self, findings: &[Finding], first: PropertyId) -> Letter {
        let mut letter = Letter::default();
        letter.read(findings, first.index(), self.propositions.len());
        letter
    }
}

/// Whether a formula is true in all initial states of a program; runs that end repeat their last state for ever.
///
/// # Panics
///
/// When a tree does not show what it claims: a bug in Fathom.
pub fn check_program_tree_formula(
    program: &dyn Runnable,
    property: PropertyId,
    formula: &ProgramTreeFormula,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> FormulaAnswer {
    let first = PropertyId::from(property.index() + 1);
    let opened = program.watch(formula.propositions.clone(), first);
    let system = Extended::repeating(opened.system());
    let limits = Options {
        max_states: options.max_states,
        max_depth: options.max_depth,
        max_bytes: options.max_bytes,
        ..Options::default()
    };
    let mut facts = Facts::new(formula.propositions.len());
    let see = |_, steps: &Steps<NoRegion, Call>| {
        facts.push(&formula.letter(steps.findings(), first));
        true
    };
    let Explored { graph: states, stop, statistics } =
        state_graph(&system, &limits, Steps::new(), see, monitor);
    if stop != Stop::Exhausted {
        let verdict = Verdict { stop, ..unsupported(property) };
        return FormulaAnswer { verdict, is_stuck: false, statistics };
    }
    let graph = Graph::new(states.first_steps(), states.targets());
    let labeling = facts.label(&graph, &formula.formulas, formula.formula, &formula.fairness, None);
    let initial = states.initial();
    let is_false = |&state: &u32| labeling.holds(formula.formula, state) != Some(true);
    let (answer, shown) = match initial.iter().position(is_false) {
        Some(index) => (Answer::Violated, Some(index)),
        None => (Answer::Holds, (!initial.is_empty()).then_some(0)),
    };
    let trace = shown.and_then(|index| {
        show(&system, formula, first, &labeling, (index, initial[index])).unwrap_or_else(|error| {
            panic!(
                "a tree does not show what it claims: {error}\nprogram: {}\nformula: {}\nthis is a bug in Fathom; please report it",
                program.title(),
                formula.text
            )
        })
    });
    let stop = if answer == Answer::Violated { Stop::Found } else { Stop::Exhausted };
    let (trace, is_stuck) = trace.map_or((None, false), |(trace, is_stuck)| (Some(trace), is_stuck));
    let verdict = Verdict { property, answer, trust: Trust::Complete, stop, trace };
    FormulaAnswer { verdict, is_stuck, statistics }
}

/// The first path of the tree that shows why the formula is true or false in an initial state, and whether nothing can happen after its end; none
/// when the state alone shows it.
fn show<S: System<Region = NoRegion, Label = Call>>(
    system: &S,
    formula: &ProgramTreeFormula,
    first: PropertyId,
    labeling: &Labeling<'_>,
    (index, state): (usize, u32),
) -> Result<Option<(Trace, bool)>, String> {
    let mut tree: Tree<Call> = explain(labeling, &formula.formulas, formula.formula, state);
    let mut steps = Steps::new();
    system.initial(&mut system.scratch(), &mut steps);
    let fairness = FairLoops { constraints: &formula.fairness, accepts: None };
    let read = |findings: &[Finding]| formula.letter(findings, first);
    check_tree(system, &formula.formulas, &fairness, &read, steps.state(index), &mut tree)
        .map_err(|error| error.to_string())?;
    let Some(trace) = tree.spine(index as u32) else { return Ok(None) };
    let replay = fathom_search::replay(system, &trace).map_err(|error| error.to_string())?;
    // A step without an action is no step of the program.
    let is_still = |visit: &Visit<NoRegion, Call>| visit.labels.is_empty();
    let n_steps = replay.visits.iter().skip(1).position(is_still).unwrap_or(trace.choices.len());
    let is_stuck = n_steps < trace.choices.len();
    let trace = Trace {
        choices: trace.choices[..n_steps].to_vec(),
        evidence: Evidence::State,
        loop_at: trace.loop_at.filter(|_| !is_stuck),
        ..trace
    };
    Ok(Some((trace, is_stuck)))
}
