//! What formulas of computation tree logic mean on a finite graph: the oracle for engines that label states.
//!
//! Fixpoints are computed naively, straight from the definition (Clarke and Emerson, 1981). On graphs with one path this also
//! shows that patterns say the same in both logics.
//!
//! States without successors end a path: a path is infinite or cannot be continued.
//! Then `AX f` holds and `EX f` does not, and `AF f` holds only if `f` has come. Systems have no such states where formulas
//! are checked on them.

use rustc_hash::FxHashMap;

use crate::PropositionId;
use crate::ctl::{CtlFormula, CtlFormulas, CtlNode, Quantifier};

/// The values of a formula in all states of a graph given by successors; `holds` says which propositions hold where.
pub fn evaluate_ctl(
    formulas: &CtlFormulas,
    formula: CtlFormula,
    successors: &[Vec<usize>],
    holds: impl Fn(usize, PropositionId) -> bool,
) -> Vec<bool> {
    let n_states = successors.len();
    let mut values: FxHashMap<CtlFormula, Vec<bool>> = FxHashMap::default();
    let later = |quantifier: Quantifier, value: &[bool], state: usize| match quantifier {
        Quantifier::All => successors[state].iter().all(|&next| value[next]),
        Quantifier::Exists => successors[state].iter().any(|&next| value[next]),
    };
    // `weak` operators survive the end of a path, strong ones do not.
    let fixpoint = |quantifier: Quantifier, weak: bool, step: &dyn Fn(usize, bool) -> bool| {
        let mut value = vec![weak; n_states];
        loop {
            let next: Vec<bool> = (0..n_states)
                .map(|state| {
                    let later =
                        if successors[state].is_empty() { weak } else { later(quantifier, &value, state) };
                    step(state, later)
                })
                .collect();
            if next == value {
                return value;
            }
            value = next;
        }
    };
    for part in formulas.subformulas(formula) {
        let of = |operand: CtlFormula| &values[&operand];
        let each = |rule: &dyn Fn(usize) -> bool| (0..n_states).map(rule).collect::<Vec<bool>>();
        let value = match *formulas.node(part) {
            CtlNode::True => vec![true; n_states],
            CtlNode::False => vec![false; n_states],
            CtlNode::Proposition(proposition) => each(&|state| holds(state, proposition)),
            CtlNode::Not(f) => each(&|state| !of(f)[state]),
            CtlNode::And(l, r) => each(&|state| of(l)[state] && of(r)[state]),
            CtlNode::Or(l, r) => each(&|state| of(l)[state] || of(r)[state]),
            CtlNode::Implies(l, r) => each(&|state| !of(l)[state] || of(r)[state]),
            CtlNode::Equivalent(l, r) => each(&|state| of(l)[state] == of(r)[state]),
            CtlNode::Next(q, f) => each(&|state| later(q, of(f), state)),
            CtlNode::Eventually(q, f) => fixpoint(q, false, &|state, later| of(f)[state] || later),
            CtlNode::Always(q, f) => fixpoint(q, true, &|state, later| of(f)[state] && later),
            CtlNode::Until(q, l, r) => {
                fixpoint(q, false, &|state, later| of(r)[state] || of(l)[state] && later)
            }
            CtlNode::WeakUntil(q, l, r) => {
                fixpoint(q, true, &|state, later| of(r)[state] || of(l)[state] && later)
            }
            CtlNode::Release(q, l, r) => {
                fixpoint(q, true, &|state, later| of(r)[state] && (of(l)[state] || later))
            }
            CtlNode::StrongRelease(q, l, r) => {
                fixpoint(q, false, &|state, later| of(r)[state] && (of(l)[state] || later))
            }
        };
        values.insert(part, value);
    }
    values.remove(&formula).unwrap_or_default()
}

/// The values of a formula in all states of a graph when only those paths count on which each of the sets comes again and again.
///
/// Every state has a successor. A path that counts and on which `f` stays true is the greatest fixpoint of Emerson and Lei (1986): `f`, and
/// for each set a path of at least one step through `f` to a state of it in the fixpoint.
///
/// # Panics
///
/// When a state has no successor.
pub fn evaluate_fair_ctl(
    formulas: &mut CtlFormulas,
    formula: CtlFormula,
    successors: &[Vec<usize>],
    holds: impl Fn(usize, PropositionId) -> bool,
    again: &[Vec<bool>],
) -> Vec<bool> {
    assert!(successors.iter().all(|list| !list.is_empty()), "every state has a successor");
    let n_states = successors.len();
    let each = |rule: &dyn Fn(usize) -> bool| (0..n_states).map(rule).collect::<Vec<bool>>();
    let before = |value: &[bool]| each(&|state| successors[state].iter().any(|&next| value[next]));
    let until = |left: &[bool], right: &[bool]| {
        let mut value = right.to_vec();
        loop {
            let later = before(&value);
            let next = each(&|state| right[state] || left[state] && later[state]);
            if next == value {
                return value;
            }
            value = next;
        }
    };
    let always = |f: &[bool]| {
        let mut value = f.to_vec();
        loop {
            let mut next = each(&|state| f[state] && before(&value)[state]);
            for set in again {
                let goal = each(&|state| value[state] && set[state]);
                let later = before(&until(f, &goal));
                next = each(&|state| next[state] && later[state]);
            }
            if next == value {
                return value;
            }
            value = next;
        }
    };
    let fair = always(&vec![true; n_states]);
    let fairly = |value: &[bool]| each(&|state| value[state] && fair[state]);
    let core = formulas.existential(formula);
    let mut values: FxHashMap<CtlFormula, Vec<bool>> = FxHashMap::default();
    for part in formulas.subformulas(core) {
        let of = |operand: CtlFormula| &values[&operand];
        let value = match *formulas.node(part) {
            CtlNode::True => vec![true; n_states],
            CtlNode::Proposition(proposition) => each(&|state| holds(state, proposition)),
            CtlNode::Not(f) => each(&|state| !of(f)[state]),
            CtlNode::And(l, r) => each(&|state| of(l)[state] && of(r)[state]),
            CtlNode::Or(l, r) => each(&|state| of(l)[state] || of(r)[state]),
            CtlNode::Next(_, f) => before(&fairly(of(f))),
            CtlNode::Until(_, l, r) => until(of(l), &fairly(of(r))),
            CtlNode::Always(_, f) => always(of(f)),
            _ => vec![false; n_states],
        };
        values.insert(part, value);
    }
    values.remove(&core).unwrap_or_default()
}
