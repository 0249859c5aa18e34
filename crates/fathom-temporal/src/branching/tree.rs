//! Trees: why a formula is true or false in a state.
//!
//! A *claim* says that a formula is true, or that it is false, in a state. A claim about a proposition is seen in the state; one about a
//! connective follows from claims about its operands. A claim that some path exists (`E` true, `A` false) is shown by that path, with claims
//! about the states on it; a path that goes on for ever has a loop. A claim about all paths has no path to show: it rests on the search of all
//! states. So counterexamples and witnesses are trees (Clarke, Grumberg, McMillan and Zhao, 1995, give the paths; Clarke, Jha, Lu and Veith, 2002,
//! trees), with the shortest paths and loops that breadth-first search finds one after the other.

use std::collections::{HashMap, VecDeque};

use fathom_logic::{CtlFormula, CtlFormulas, CtlNode, Quantifier};
use fathom_model::Trace;

use super::graph::StateSet;
use super::label::{Labeling, Recurring};

/// Trees have no more claims than this; what would be more rests on the search.
pub const MOST_CLAIMS: usize = 60;

/// A claim with its reason.
#[derive(Clone, Debug)]
pub struct Tree<L> {
    /// The formula.
    pub formula: CtlFormula,
    /// Whether it is true here, or false.
    pub holds: bool,
    /// Why.
    pub reason: Reason<L>,
}

/// Why a claim is right.
#[derive(Clone, Debug)]
pub enum Reason<L> {
    /// It can be seen in the state.
    Here,
    /// It follows from claims about parts of the formula in the same state.
    Parts(Vec<Tree<L>>),
    /// A path shows it.
    Path(Branch<L>),
    /// It was found by the search of all states; no path shows it.
    Search,
}

/// A path from a state, with what is claimed about the states on it.
#[derive(Clone, Debug)]
pub struct Branch<L> {
    /// Index of the step taken in each state.
    pub choices: Vec<u32>,
    /// For a path that goes on for ever: the number of steps before its loop.
    pub loop_at: Option<usize>,
    /// Claims with the number of steps after which they are made, ascending.
    pub claims: Vec<(usize, Tree<L>)>,
    /// The steps when they have been taken; empty before.
    pub steps: Vec<TreeStep<L>>,
}

/// A step of a path that has been taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeStep<L> {
    /// What the step is.
    pub labels: Vec<L>,
    /// The explicit part of the state that it reaches.
    pub state: Vec<u8>,
}

/// That a formula is true, or that it is false.
pub type Claim = (CtlFormula, bool);

/// What a path must be to show a claim.
#[derive(Clone, Debug)]
pub struct Demands {
    /// In each state before the goal; in all states if the goal never comes.
    pub through: Vec<Claim>,
    /// In the last state; none when the path goes on for ever.
    pub goal: Option<Vec<Claim>>,
    /// Whether the path may also go on for ever without the goal.
    pub may_stay: bool,
    /// Whether the goal is the next state.
    pub is_next: bool,
}

/// What a path must be to show a claim; none if no path can, or none is needed.
pub fn demands(formulas: &CtlFormulas, (formula, holds): Claim) -> Option<Demands> {
    let wanted = if holds { Quantifier::Exists } else { Quantifier::All };
    let stay = |claim: Claim| Demands { through: vec![claim], goal: None, may_stay: true, is_next: false };
    let reach = |through: Vec<Claim>, goal: Vec<Claim>, may_stay: bool| Demands {
        through,
        goal: Some(goal),
        may_stay,
        is_next: false,
    };
    // What is claimed of operands is what is claimed of the formula: true on some path, or not true on all.
    let quantifier = match *formulas.node(formula) {
        CtlNode::Next(q, _)
        | CtlNode::Eventually(q, _)
        | CtlNode::Always(q, _)
        | CtlNode::Until(q, ..)
        | CtlNode::WeakUntil(q, ..)
        | CtlNode::Release(q, ..)
        | CtlNode::StrongRelease(q, ..) => q,
        _ => return None,
    };
    if quantifier != wanted {
        return None;
    }
    Some(match (formulas.node(formula).clone(), holds) {
        (CtlNode::Next(_, f), _) => {
            Demands { through: Vec::new(), goal: Some(vec![(f, holds)]), may_stay: false, is_next: true }
        }
        (CtlNode::Eventually(_, f), true) | (CtlNode::Always(_, f), false) => {
            reach(Vec::new(), vec![(f, holds)], false)
        }
        (CtlNode::Eventually(_, f), false) | (CtlNode::Always(_, f), true) => stay((f, holds)),
        (CtlNode::Until(_, l, r), true) => reach(vec![(l, true)], vec![(r, true)], false),
        (CtlNode::WeakUntil(_, l, r), true) => reach(vec![(l, true)], vec![(r, true)], true),
        (CtlNode::Release(_, l, r), true) => reach(vec![(r, true)], vec![(l, true), (r, true)], true),
        (CtlNode::StrongRelease(_, l, r), true) => reach(vec![(r, true)], vec![(l, true), (r, true)], false),
        (CtlNode::Until(_, l, r), false) => reach(vec![(r, false)], vec![(l, false), (r, false)], true),
        (CtlNode::WeakUntil(_, l, r), false) => reach(vec![(r, false)], vec![(l, false), (r, false)], false),
        (CtlNode::Release(_, l, r), false) => reach(vec![(l, false)], vec![(r, false)], false),
        (CtlNode::StrongRelease(_, l, r), false) => reach(vec![(l, false)], vec![(r, false)], true),
        _ => return None,
    })
}

/// The claims about the operands of a connective from which a claim about it follows; `holds` says what is known of operands.
///
/// Of several ways the first is taken, one about a state before one about paths.
pub fn parts(
    formulas: &CtlFormulas,
    (formula, holds): Claim,
    known: &dyn Fn(CtlFormula) -> Option<bool>,
) -> Option<Vec<Claim>> {
    let both = |left: Claim, right: Claim| Some(vec![left, right]);
    let one_of = |left: Claim, right: Claim| {
        let mut ways = [left, right];
        ways.sort_by_key(|way| !formulas.is_boolean(way.0));
        ways.into_iter().find(|way| known(way.0) == Some(way.1)).map(|way| vec![way])
    };
    match (formulas.node(formula).clone(), holds) {
        (CtlNode::Not(f), _) => Some(vec![(f, !holds)]),
        (CtlNode::And(l, r), true) => both((l, true), (r, true)),
        (CtlNode::And(l, r), false) => one_of((l, false), (r, false)),
        (CtlNode::Or(l, r), true) => one_of((l, true), (r, true)),
        (CtlNode::Or(l, r), false) => both((l, false), (r, false)),
        (CtlNode::Implies(l, r), true) => one_of((l, false), (r, true)),
        (CtlNode::Implies(l, r), false) => both((l, true), (r, false)),
        (CtlNode::Equivalent(l, r), _) => {
            let left = known(l)?;
            both((l, left), (r, left == holds))
        }
        _ => None,
    }
}

impl<L: Clone> Tree<L> {
    /// A claim that rests on the search.
    pub fn by_search((formula, holds): Claim) -> Tree<L> {
        Tree { formula, holds, reason: Reason::Search }
    }

    /// A claim about a connective or a proposition, taken apart as far as it is about the state alone; none when that is not known.
    pub fn of_state(
        formulas: &CtlFormulas,
        claim: (CtlFormula, bool),
        known: &dyn Fn(CtlFormula) -> Option<bool>,
    ) -> Tree<L> {
        let reason = match parts(formulas, claim, known) {
            None => Reason::Here,
            Some(claims) => Reason::Parts(
                claims.into_iter().map(|claim| Tree::of_state(formulas, claim, known)).collect(),
            ),
        };
        Tree { formula: claim.0, holds: claim.1, reason }
    }

    /// Whether any path is in the tree.
    pub fn has_path(&self) -> bool {
        match &self.reason {
            Reason::Here | Reason::Search => false,
            Reason::Parts(parts) => parts.iter().any(Tree::has_path),
            Reason::Path(_) => true,
        }
    }

    /// The first path from the root of the tree to where it ends, as a trace from an initial state; none if there is no path.
    pub fn spine(&self, initial: u32) -> Option<Trace> {
        let mut choices = Vec::new();
        let loop_at = self.follow(&mut choices)?;
        Some(Trace { initial, choices, evidence: fathom_model::Evidence::State, loop_at })
    }

    /// Adds the choices of the first path below, and says where its loop starts; none if there is no path.
    fn follow(&self, choices: &mut Vec<u32>) -> Option<Option<usize>> {
        match &self.reason {
            Reason::Here | Reason::Search => None,
            Reason::Parts(parts) => parts.iter().find_map(|part| part.follow(choices)),
            Reason::Path(branch) => {
                let n_before = choices.len();
                choices.extend_from_slice(&branch.choices);
                if let Some(loop_at) = branch.loop_at {
                    return Some(Some(n_before + loop_at));
                }
                let end = branch.choices.len();
                let mut last = branch.claims.iter().filter(|(after, _)| *after == end);
                Some(last.find_map(|(_, claim)| claim.follow(choices)).flatten())
            }
        }
    }
}

/// The reason why a labeled formula is true or false in a state.
///
/// # Panics
///
/// When the truth of the formula in the state is not known, or it was not labeled.
pub fn explain<L: Clone>(
    labeling: &Labeling<'_>,
    formulas: &CtlFormulas,
    formula: CtlFormula,
    state: u32,
) -> Tree<L> {
    let holds = labeling.holds(formula, state).expect("the truth of the formula is known");
    Explainer { labeling, formulas, n_claims: 0 }.tree((formula, holds), state)
}

struct Explainer<'a> {
    labeling: &'a Labeling<'a>,
    formulas: &'a CtlFormulas,
    n_claims: usize,
}

impl Explainer<'_> {
    fn tree<L: Clone>(&mut self, claim: Claim, state: u32) -> Tree<L> {
        self.n_claims += 1;
        let known = |formula| self.labeling.holds(formula, state);
        if self.formulas.is_boolean(claim.0) {
            return Tree::of_state(self.formulas, claim, &known);
        }
        if self.n_claims > MOST_CLAIMS {
            return Tree::by_search(claim);
        }
        if let Some(claims) = parts(self.formulas, claim, &known) {
            let trees = claims.into_iter().map(|claim| self.tree(claim, state)).collect();
            return Tree { formula: claim.0, holds: claim.1, reason: Reason::Parts(trees) };
        }
        let reason = demands(self.formulas, claim)
            .and_then(|demands| self.branch(&demands, state))
            .map_or(Reason::Search, Reason::Path);
        Tree { formula: claim.0, holds: claim.1, reason }
    }

    /// The states in which all claims are right.
    fn states(&self, claims: &[Claim]) -> StateSet {
        let n_states = self.labeling.graph().n_states();
        claims.iter().fold(StateSet::all(n_states), |all, &(formula, holds)| {
            if holds {
                all.and(self.labeling.states(formula, false))
            } else {
                all.and(&self.labeling.states(formula, true).complement())
            }
        })
    }

    /// A path that meets the demands.
    fn branch<L: Clone>(&mut self, demands: &Demands, state: u32) -> Option<Branch<L>> {
        let through = self.states(&demands.through);
        let found = demands.goal.as_ref().and_then(|goal| {
            let goal = self.states(goal).and(self.labeling.fair());
            if demands.is_next {
                let successors = self.labeling.graph().successors(state);
                let choice = successors.iter().position(|&next| goal.contains(next))?;
                return Some(vec![(choice as u32, successors[choice])]);
            }
            if goal.contains(state) {
                return Some(Vec::new());
            }
            through.contains(state).then(|| self.path(state, &through, &goal, &|_, _| false)).flatten()
        });
        let mut loop_at = None;
        let path = match found {
            Some(path) => path,
            None if demands.may_stay => {
                let (path, start) = self.lasso(state, &through)?;
                loop_at = Some(start);
                path
            }
            None => return None,
        };
        let states: Vec<u32> = [state].into_iter().chain(path.iter().map(|&(_, state)| state)).collect();
        let choices: Vec<u32> = path.iter().map(|&(choice, _)| choice).collect();
        let claims = self.claims(demands, &states, loop_at);
        Some(Branch { choices, loop_at, claims, steps: Vec::new() })
    }

    /// What is claimed on the way and at the end. On the way, states speak for themselves: only claims about paths are taken further.
    fn claims<L: Clone>(
        &mut self,
        demands: &Demands,
        states: &[u32],
        loop_at: Option<usize>,
    ) -> Vec<(usize, Tree<L>)> {
        let last = states.len() - 1;
        let mut claims = Vec::new();
        let is_next = demands.is_next;
        for (after, &state) in states[..last].iter().enumerate().skip(usize::from(is_next)) {
            for &claim in demands.through.iter().filter(|claim| !self.formulas.is_boolean(claim.0)) {
                let tree = self.tree(claim, state);
                claims.push((after, tree));
            }
        }
        let at_the_end = if loop_at.is_some() { None } else { demands.goal.clone() };
        for claim in at_the_end.into_iter().flatten() {
            claims.push((last, self.tree(claim, states[last])));
        }
        claims
    }

    /// A shortest path of at least one step from a state into a set or over a step that is wanted, through another set: steps with the states that they reach.
    fn path(
        &self,
        from: u32,
        through: &StateSet,
        goal: &StateSet,
        wants: &dyn Fn(u32, u32) -> bool,
    ) -> Option<Vec<(u32, u32)>> {
        let graph = self.labeling.graph();
        let mut reached: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for (choice, &next) in graph.successors(state).iter().enumerate() {
                let is_goal = goal.contains(next) || wants(graph.first_step(state) + choice as u32, next);
                if is_goal {
                    let mut path = vec![(choice as u32, next)];
                    let mut at = state;
                    while at != from {
                        let (before, choice) = reached[&at];
                        path.push((choice, at));
                        at = before;
                    }
                    path.reverse();
                    return Some(path);
                }
                if through.contains(next) && next != from && !reached.contains_key(&next) {
                    reached.insert(next, (state, choice as u32));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// A path that stays in a set for ever and counts, and where its loop starts.
    fn lasso(&self, state: u32, set: &StateSet) -> Option<(Vec<(u32, u32)>, usize)> {
        let n_states = self.labeling.graph().n_states();
        if !set.contains(state) {
            return None;
        }
        let around = self.labeling.fair_components(set);
        let mut path = match around.contains(state) {
            true => Vec::new(),
            false => self.path(state, set, &around, &|_, _| false)?,
        };
        let loop_at = path.len();
        let start = path.last().map_or(state, |&(_, state)| state);
        // Within its component everything that must happen can be reached from everywhere, and so can the start.
        let component = {
            let mut only = StateSet::none(n_states);
            only.insert(start);
            let forward = self.reachable(start, &around);
            self.labeling.graph().reaching(&around, &only).and(&forward)
        };
        let mut at = start;
        let none = StateSet::none(n_states);
        let mut visited = vec![start];
        for again in &self.labeling.fairness().again {
            if visited.iter().any(|&state| again.states.contains(state))
                || self.happens(again, start, &path[loop_at..])
            {
                continue;
            }
            let goal = again.states.and(&component);
            let wants = |step: u32, next: u32| {
                component.contains(next) && again.steps.as_ref().is_some_and(|steps| steps.contains(step))
            };
            let way = self.path(at, &component, &goal, &wants)?;
            visited.extend(way.iter().map(|&(_, state)| state));
            path.extend(way);
            at = path.last().map_or(start, |&(_, state)| state);
        }
        if at != start || path.len() == loop_at {
            let mut home = none;
            home.insert(start);
            path.extend(self.path(at, &component, &home, &|_, _| false)?);
        }
        Some((path, loop_at))
    }

    /// Whether a thing happens with one of the steps of a path.
    fn happens(&self, again: &Recurring, start: u32, path: &[(u32, u32)]) -> bool {
        let Some(steps) = &again.steps else { return false };
        let mut at = start;
        path.iter().any(|&(choice, next)| {
            let step = self.labeling.graph().first_step(at) + choice;
            at = next;
            steps.contains(step)
        })
    }

    fn reachable(&self, from: u32, within: &StateSet) -> StateSet {
        let mut found = StateSet::none(self.labeling.graph().n_states());
        found.insert(from);
        let mut waiting = vec![from];
        while let Some(state) = waiting.pop() {
            for &next in self.labeling.graph().successors(state) {
                if within.contains(next) && found.insert(next) {
                    waiting.push(next);
                }
            }
        }
        found
    }
}
