//! Formulas of computation tree logic: which engine answers them, and the check of what it shows.
//!
//! A formula that comes down to a question about single states (`AG p`, `EF p`) is a plain search, with every engine, store,
//! thread and reduction there is, and ends with the first evidence. One that every path decides for itself (`AG (p -> AF q)`) is a search for such
//! a path ([`branching_path`](crate::branching_path)). For all others the graph of all states is built once and
//! labeled for each ([`branching_graph`](crate::branching_graph)).
//!
//! The tree that shows why a formula is true or false is checked on the reference interpreter: every step is taken, and what is
//! claimed about single states is evaluated there.

use fathom_logic::CtlNode;
use fathom_model::{
    Answer, Evidence, Fault, Interpreter, Model, Move, NoRegion, Property, PropertyId, Steps, System, Trace,
    Verdict,
};
use fathom_search::{Monitor, Outcome, Replay, ReplayError};
use fathom_temporal::{
    AcceptLoop, Branch, BranchingQuestion, Extended, PathSearch, PlainSearch, Reason, Tree, TreeError,
    evaluate_in_state, is_fair_to_processes,
};

use crate::branching_graph::answer_by_labels;
use crate::branching_path::search_path;
use crate::check::{CheckOptions, Searched, check_states};
use crate::insight::{Insight, Satisfying, ShownTree};
use crate::linear::Fairness;

/// The answers to formulas, in the order in which they are asked, and the states that satisfy others.
pub(crate) struct Branched {
    pub(crate) answers: Vec<(Searched, Option<Insight>)>,
    pub(crate) satisfying: Vec<Satisfying>,
    /// What was explored, if no answer says so.
    pub(crate) outcome: Option<Outcome>,
}

/// Answers formulas.
pub(crate) fn check_branching(
    model: &Model,
    properties: &[PropertyId],
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Branched {
    let mut watched = model.clone();
    let mut questions_of = |properties: &[PropertyId]| -> Vec<BranchingQuestion> {
        let question = |&property| BranchingQuestion::add(&mut watched, property);
        properties.iter().filter_map(question).collect()
    };
    let questions = questions_of(properties);
    let sets = questions_of(&options.states_of);
    let has_one_initial = !properties.is_empty() && has_one_initial(model);
    let ways: Vec<Way> = questions
        .iter()
        .map(|question| match (question.plain_search(), question.path_search(model)) {
            // What does not matter can be seen in the graph only.
            _ if options.vacuity || options.some_initial && !has_one_initial => Way::Graph,
            // A search finds a state from some initial state: that decides what is true in all of them only when there is one, or when the state is one
            // that must not be.
            (Some(plain), _) if has_one_initial || plain.refutes() => Way::State(plain),
            (None, Some(path)) if path.is_same || has_one_initial => Way::Path(Box::new(path)),
            _ => Way::Graph,
        })
        .collect();
    // A graph that is needed answers all.
    let has_graph = !sets.is_empty() || ways.iter().any(|way| matches!(way, Way::Graph));
    let mut answers: Vec<Option<(Searched, Option<Insight>)>> = questions
        .iter()
        .zip(&ways)
        .map(|(question, way)| match way {
            Way::State(plain) => search_plainly(model, question, plain, options, monitor),
            Way::Path(path) if !has_graph => search_path(model, question, path, options, monitor),
            Way::Path(_) | Way::Graph => None,
        })
        .collect();
    let open: Vec<&BranchingQuestion> = questions
        .iter()
        .zip(&answers)
        .filter(|(_, answer)| answer.is_none())
        .map(|(question, _)| question)
        .collect();
    let labeled = answer_by_labels(&watched, &open, &sets, options, monitor);
    let mut rest = labeled.answers.into_iter();
    let answers = answers
        .iter_mut()
        .map(|answer| answer.take().or_else(|| rest.next()).expect("an answer for every question"))
        .collect();
    Branched { answers, satisfying: labeled.satisfying, outcome: labeled.outcome }
}

/// How a formula is answered.
enum Way {
    /// By a search for one state.
    State(PlainSearch),
    /// By a search for one path.
    Path(Box<PathSearch>),
    /// By labels on the graph of all states.
    Graph,
}

/// Whether there is exactly one initial state.
fn has_one_initial(model: &Model) -> bool {
    let interpreter = Interpreter::new(model, &[]);
    let mut steps = Steps::new();
    interpreter.first_initial(2, &mut interpreter.scratch(), &mut steps);
    steps.len() == 1
}

/// Answers a question by a search for one state; none when that meets a proposition without value, which may not matter.
fn search_plainly(
    model: &Model,
    question: &BranchingQuestion,
    plain: &PlainSearch,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Option<(Searched, Option<Insight>)> {
    let mut asked = model.clone();
    let stand_in = PropertyId::from(asked.properties.len());
    let name = format!("state of property {}", question.property().0);
    asked.properties.push(Property { name, question: plain.question.clone(), span: None });
    let alone = CheckOptions { continue_after_all: false, properties: vec![stand_in], ..options.clone() };
    let mut report = check_states(&asked, vec![stand_in], &alone, monitor);
    let found = report.verdicts.remove(0);
    if let Some(Trace { evidence: Evidence::Finding { fault: Some(_), .. }, .. }) = found.trace {
        return None;
    }
    let answer = match (found.answer, plain.is_same) {
        (Answer::Holds, false) => Answer::Violated,
        (Answer::Violated, false) => Answer::Holds,
        (answer, _) => answer,
    };
    let mut verdict = Verdict { property: question.property(), answer, ..found };
    let shown = verdict.trace.take().map(|trace| tree_of_trace(model, question, plain, &trace));
    verdict.trace = shown.as_ref().and_then(|shown| shown.tree.spine(shown.initial));
    let outcome = Outcome {
        evidence: Vec::new(),
        stop: report.stop,
        depth_cut: false,
        trust: verdict.trust,
        expected_omissions: report.expected_omissions,
        profile: report.profile,
        statistics: report.statistics,
    };
    let searched = Searched {
        verdict,
        outcome: Some(outcome),
        threads: report.threads,
        engine: None,
        reductions: report.reductions,
    };
    let insight = Insight { tree: shown, ..Insight::new(question.property()) };
    Some((searched, insight.if_any()))
}

/// The tree of a trace to a state that decides the formula.
fn tree_of_trace(
    model: &Model,
    question: &BranchingQuestion,
    plain: &PlainSearch,
    trace: &Trace,
) -> ShownTree {
    let mut watched = model.clone();
    let question = BranchingQuestion::add(&mut watched, question.property()).expect("a formula");
    let system = Extended::repeating(Interpreter::new(&watched, &question.propositions()));
    let way = Trace { evidence: Evidence::State, ..trace.clone() };
    let replay = fathom_search::replay(&system, &way)
        .unwrap_or_else(|error| crate::check::does_not_replay(model, trace, &error));
    let states: Vec<&[u8]> = replay.visits.iter().map(|visit| &visit.state[..]).collect();
    let (mut scratch, mut steps) = (system.scratch(), Steps::new());
    let last = states[states.len() - 1];
    system.successors(last, &NoRegion, &mut scratch, &mut steps);
    let letter = question.letter(steps.findings());
    let formulas = &question.ctl().formulas;
    let known = |formula| evaluate_in_state(formulas, formula, &letter);
    let end = Tree::of_state(formulas, plain.shown, &known);
    let branch = Branch {
        choices: way.choices,
        loop_at: None,
        claims: vec![(states.len() - 1, end)],
        steps: Vec::new(),
    };
    let formula = question.ctl().formula;
    let path = |formula, holds| Tree { formula, holds, reason: Reason::Path(branch) };
    let tree = match *formulas.node(formula) {
        CtlNode::Not(inner) => {
            Tree { formula, holds: !plain.shown.1, reason: Reason::Parts(vec![path(inner, plain.shown.1)]) }
        }
        _ => path(formula, plain.shown.1),
    };
    // What one state decides is the same on fair paths: each can go on fairly.
    checked(&question, &system, (trace.initial, states[0]), false, tree)
        .unwrap_or_else(|error| error.panic(model))
}

/// A tree that does not show what it claims.
pub(crate) struct WrongTree {
    error: TreeError,
    tree: Tree<Move>,
}

impl WrongTree {
    /// A bug.
    pub(crate) fn panic(self, model: &Model) -> ! {
        panic!(
            "a tree does not show what it claims on the reference interpreter: {}\n\
             model: {}\ntree: {:?}\n\
             this is a bug in Fathom; please report it together with the model",
            self.error, model.name, self.tree
        )
    }
}

/// A tree after its check.
pub(crate) fn checked(
    question: &BranchingQuestion,
    system: &Extended<Interpreter<'_>>,
    (initial, state): (u32, &[u8]),
    is_fair: bool,
    mut tree: Tree<Move>,
) -> Result<ShownTree, WrongTree> {
    let accepts: Option<AcceptLoop<'_, Move>> = if is_fair { Some(&is_fair_to_processes) } else { None };
    match question.check_tree(system, state, accepts, &mut tree) {
        Ok(()) => Ok(ShownTree { initial, state: state.to_vec(), tree }),
        Err(error) => Err(WrongTree { error, tree }),
    }
}

/// Whether paths are to be fair to processes.
pub(crate) fn is_fair(options: &CheckOptions) -> bool {
    options.fair_processes || options.fairness == Fairness::Weak
}

/// Why propositions have no value in a state.
pub(crate) fn faults(model: &Model, question: &BranchingQuestion, state: &[u8]) -> Vec<Fault> {
    let propositions = question.propositions();
    let interpreter = Interpreter::new(model, &propositions);
    let mut steps = Steps::new();
    interpreter.successors(state, &NoRegion, &mut interpreter.scratch(), &mut steps);
    let ours = steps.findings().iter().filter(|finding| propositions.contains(&finding.property));
    ours.filter_map(|finding| finding.fault.clone()).collect()
}

/// Follows one path of a tree on the reference interpreter. That the formula is true or false is more than one path can show.
pub(crate) fn replay_branching(
    model: &Model,
    property: PropertyId,
    trace: &Trace,
) -> Result<Replay<NoRegion, Move>, ReplayError> {
    let mut watched = model.clone();
    let question = BranchingQuestion::add(&mut watched, property).expect("the property is a formula");
    let system = Extended::repeating(Interpreter::new(&watched, &question.propositions()));
    let replay = fathom_search::replay(&system, &Trace { evidence: Evidence::State, ..trace.clone() })?;
    if let Evidence::Finding { fault, .. } = &trace.evidence {
        let found = replay.visits.last().map(|last| faults(&watched, &question, &last.state));
        if !found.unwrap_or_default().iter().any(|other| Some(other) == fault.as_ref()) {
            return Err(ReplayError::NoEvidence { property, fault: fault.clone() });
        }
    }
    Ok(replay)
}
