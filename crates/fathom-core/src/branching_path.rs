//! Formulas of computation tree logic that one path decides, on the fly.
//!
//! Where every path can be looked at for itself ([`BranchingQuestion::path_search`]), the formula is answered by the search for infinite runs, with its
//! reductions, threads and native code, and the search ends with the first path that decides it. The tree that people see is made
//! from that path alone: it is labeled as if it were all there is, which is right for claims that some path exists, and checked
//! like every other tree.

use fathom_model::{
    Answer, Evidence, Interpreter, Model, Move, NoRegion, Steps, Stop, System, Trace, Verdict,
};
use fathom_search::Monitor;
use fathom_temporal::{BranchingQuestion, Extended, Facts, Graph, PathSearch, Reason, Tree, explain};

use crate::branching::{checked, is_fair};
use crate::check::{CheckOptions, Searched, does_not_replay};
use crate::insight::{Insight, ShownTree};
use crate::linear::{Exhaustive, Fairness, check_question};

/// Most steps that a path is followed beyond what decides the formula, to see it come back.
const MOST_STEPS_BEYOND: usize = 1000;

/// Answers a question by a search for one path; none when that meets a proposition without value, which may not matter.
pub(crate) fn search_path(
    model: &Model,
    question: &BranchingQuestion,
    path: &PathSearch,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Option<(Searched, Option<Insight>)> {
    let fairness = if is_fair(options) { Fairness::Weak } else { Fairness::None };
    let options = CheckOptions { fairness, continue_after_all: false, ..options.clone() };
    let mut engine = Exhaustive::new(&options, monitor);
    let mut searched = check_question(model, &path.question, options.code, &mut engine);
    let found = searched.verdict.clone();
    if found.stop == Stop::Unsupported {
        return None;
    }
    if let Some(Trace { evidence: Evidence::Finding { fault: Some(_), .. }, .. }) = found.trace {
        return None;
    }
    let answer = match (found.answer, path.is_same) {
        (Answer::Holds, false) => Answer::Violated,
        (Answer::Violated, false) => Answer::Holds,
        (answer, _) => answer,
    };
    let shown = found.trace.as_ref().and_then(|trace| tree_of_path(model, question, trace, &options));
    let trace = match &shown {
        Some(shown) => shown.tree.spine(shown.initial),
        None => found.trace.map(|trace| Trace { evidence: Evidence::State, ..trace }),
    };
    searched.verdict = Verdict { property: question.property(), answer, trace, ..found };
    let insight = Insight { tree: shown, ..Insight::new(question.property()) };
    Some((searched, insight.if_any()))
}

/// The tree of a path that decides the formula. None for a path without a loop of which no fair loop is known: the path itself has to do.
fn tree_of_path(
    model: &Model,
    question: &BranchingQuestion,
    trace: &Trace,
    options: &CheckOptions,
) -> Option<ShownTree> {
    let mut watched = model.clone();
    let question = BranchingQuestion::add(&mut watched, question.property()).expect("a formula");
    let system = Extended::repeating(Interpreter::new(&watched, &question.propositions()));
    let path = Path::follow(model, &question, &system, trace);
    let n_states = path.choices.len();
    let first_steps: Vec<u32> = (0..=n_states as u32).collect();
    let targets: Vec<u32> = (1..n_states as u32).chain([path.loop_at as u32]).collect();
    let graph = Graph::new(&first_steps, &targets);
    let ctl = question.ctl();
    let labeling = path.facts.label(&graph, &ctl.formulas, ctl.formula, &ctl.fairness, None);
    let tree = path.of_system(explain(&labeling, &ctl.formulas, ctl.formula, 0), 0);
    let start = (trace.initial, &path.first[..]);
    match checked(&question, &system, start, is_fair(options), tree) {
        Ok(shown) => Some(shown),
        Err(_) if trace.loop_at.is_none() && is_fair(options) => None,
        Err(error) => error.panic(model),
    }
}

/// A path of the reference interpreter that goes on for ever.
struct Path {
    /// The step taken in each state; the last one leads back.
    choices: Vec<u32>,
    loop_at: usize,
    facts: Facts,
    /// Where it begins.
    first: Vec<u8>,
}

impl Path {
    /// Follows a trace; one without a loop until it comes back.
    fn follow(
        model: &Model,
        question: &BranchingQuestion,
        system: &Extended<Interpreter<'_>>,
        trace: &Trace,
    ) -> Path {
        let way = Trace { evidence: Evidence::State, ..trace.clone() };
        let replay =
            fathom_search::replay(system, &way).unwrap_or_else(|error| does_not_replay(model, trace, &error));
        let mut states: Vec<Vec<u8>> = replay.visits.into_iter().map(|visit| visit.state).collect();
        let mut facts = Facts::new(question.ctl().propositions.len());
        let (mut scratch, mut steps) = (system.scratch(), Steps::<NoRegion, Move>::new());
        let mut choices = way.choices;
        let mut loop_at = trace.loop_at;
        let mut at = 0;
        loop {
            steps.clear();
            system.successors(&states[at], &NoRegion, &mut scratch, &mut steps);
            facts.push(&question.letter(steps.findings()));
            if at == choices.len() {
                // Beyond the trace: whatever follows.
                choices.push(0);
                let next = steps.state(0);
                loop_at = states[trace.choices.len()..].iter().position(|state| state == next);
                loop_at = loop_at.map(|position| position + trace.choices.len());
                if loop_at.is_none() && choices.len() > trace.choices.len() + MOST_STEPS_BEYOND {
                    // Not a path of the system any more; the check of the tree sees whether that matters.
                    loop_at = Some(at);
                }
                states.push(next.to_vec());
            }
            at += 1;
            if at == choices.len() && loop_at.is_some() {
                break;
            }
        }
        let first = states.swap_remove(0);
        Path { choices, loop_at: loop_at.unwrap_or(0), facts, first }
    }

    /// A tree about the path from a position on, with the choices of the system.
    fn of_system(&self, tree: Tree<Move>, position: usize) -> Tree<Move> {
        let reason = match tree.reason {
            Reason::Parts(trees) => {
                Reason::Parts(trees.into_iter().map(|tree| self.of_system(tree, position)).collect())
            }
            Reason::Path(mut branch) => {
                let mut positions = vec![position];
                for choice in &mut branch.choices {
                    let at = positions[positions.len() - 1];
                    *choice = self.choices[at];
                    positions.push(if at + 1 < self.choices.len() { at + 1 } else { self.loop_at });
                }
                let claims = branch.claims.into_iter();
                branch.claims =
                    claims.map(|(after, tree)| (after, self.of_system(tree, positions[after]))).collect();
                Reason::Path(branch)
            }
            reason => reason,
        };
        Tree { reason, ..tree }
    }
}
