//! Labeling: in which states each part of a formula is true.
//!
//! Bottom-up over the parts of the formula (Clarke, Emerson and Sistla, 1986), a bit for each state and part. Every path operator
//! is one of three questions to the graph: a step into a set, a path into a set through another, a path that stays in a set; with
//! negations for all paths. Each is answered in time linear in the graph. Umberto Costa's thesis (2005) has the same explicit engine;
//! there a formula is true of a model when *some* initial state satisfies it, here when all do.
//!
//! Fairness: quantifiers speak about paths on which certain things happen again and again. A fair path that stays in a set ends in a
//! component of that set in which all of these things happen; everything else is reduced to that as usual: a step or path
//! into a set must go on fairly from there.
//!
//! A proposition that cannot be evaluated in a state is neither true nor false there. Then each part is labeled twice, once as if
//! such propositions were true and once as if they were false; negation exchanges the two. What is the same both
//! ways is known, and the rest depends on something that has no value. Without such states the two are one.

use fathom_logic::{CtlFormula, CtlFormulas, CtlNode, Quantifier};

use super::components::for_each_component;
use super::graph::{Graph, StateSet};
use std::collections::HashMap;

/// In which states a proposition is true, and in which it cannot be evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// True here.
    pub yes: StateSet,
    /// No value here.
    pub faulty: StateSet,
}

/// What happens again and again on every path that counts: each of these.
#[derive(Clone, Default, Debug)]
pub struct Fairness {
    /// Things that happen when a path is in one of these states or takes one of these steps.
    pub again: Vec<Recurring>,
}

/// One thing that must happen again and again.
#[derive(Clone, Debug)]
pub struct Recurring {
    /// It happens in these states.
    pub states: StateSet,
    /// It happens with these steps, by their position among all steps of the graph.
    pub steps: Option<StateSet>,
}

impl Recurring {
    /// Whether it happens on a path that goes around in a component for ever and takes all its steps.
    fn is_in(&self, graph: &Graph<'_>, component: &[u32], members: &StateSet) -> bool {
        if component.iter().any(|&state| self.states.contains(state)) {
            return true;
        }
        let Some(steps) = &self.steps else { return false };
        component.iter().any(|&state| {
            let first = graph.first_step(state);
            let mut targets = graph.successors(state).iter().enumerate();
            targets.any(|(index, &next)| members.contains(next) && steps.contains(first + index as u32))
        })
    }
}

/// The truth of formulas in all states of a graph.
#[derive(Debug)]
pub struct Labeling<'g> {
    graph: &'g Graph<'g>,
    propositions: Vec<Known>,
    fairness: Fairness,
    /// States from which some path counts.
    fair: StateSet,
    has_faults: bool,
    /// By formula and by what a proposition without value counts as.
    labels: HashMap<(CtlFormula, bool), StateSet>,
}

impl<'g> Labeling<'g> {
    /// Of a graph on which the propositions are known, by their numbers.
    pub fn new(graph: &'g Graph<'g>, propositions: Vec<Known>, fairness: Fairness) -> Labeling<'g> {
        let has_faults = propositions.iter().any(|known| !known.faulty.is_empty());
        let all = StateSet::all(graph.n_states());
        let mut labeling =
            Labeling { graph, propositions, fairness, fair: all.clone(), has_faults, labels: HashMap::new() };
        if !labeling.fairness.again.is_empty() {
            labeling.fair = labeling.staying(&all);
        }
        labeling
    }

    /// The graph.
    pub fn graph(&self) -> &'g Graph<'g> {
        self.graph
    }

    /// The states from which some path counts; all of them if there are no fairness constraints.
    pub fn fair(&self) -> &StateSet {
        &self.fair
    }

    /// What must happen again and again on paths that count.
    pub fn fairness(&self) -> &Fairness {
        &self.fairness
    }

    /// Finds the truth of a formula and of all its parts.
    pub fn label(&mut self, formulas: &CtlFormulas, formula: CtlFormula) {
        for part in formulas.subformulas(formula) {
            for generous in [false, true] {
                if (self.has_faults || !generous) && !self.labels.contains_key(&(part, generous)) {
                    let label = self.label_part(formulas, part, generous);
                    self.labels.insert((part, generous), label);
                }
            }
        }
    }

    /// The states in which a labeled formula is true, if propositions without a value count as true (`generous`) or not.
    ///
    /// # Panics
    ///
    /// When the formula was not labeled.
    pub fn states(&self, formula: CtlFormula, generous: bool) -> &StateSet {
        let known = self.labels.get(&(formula, generous && self.has_faults));
        known.expect("the formula was labeled")
    }

    /// Whether a labeled formula is true in a state; none if that depends on a proposition that has no value somewhere.
    pub fn holds(&self, formula: CtlFormula, state: u32) -> Option<bool> {
        let [strict, generous] = [false, true].map(|generous| self.states(formula, generous).contains(state));
        (strict == generous).then_some(strict)
    }

    fn label_part(&self, formulas: &CtlFormulas, part: CtlFormula, generous: bool) -> StateSet {
        use Quantifier::{All, Exists};
        let of = |operand: CtlFormula| self.states(operand, generous);
        let not = |operand: CtlFormula| self.states(operand, !generous).complement();
        let n_states = self.graph.n_states();
        match *formulas.node(part) {
            CtlNode::True => StateSet::all(n_states),
            CtlNode::False => StateSet::none(n_states),
            CtlNode::Proposition(proposition) => {
                let known = &self.propositions[proposition.index()];
                if generous { known.yes.or(&known.faulty) } else { known.yes.clone() }
            }
            CtlNode::Not(f) => not(f),
            CtlNode::And(l, r) => of(l).and(of(r)),
            CtlNode::Or(l, r) => of(l).or(of(r)),
            CtlNode::Implies(l, r) => not(l).or(of(r)),
            CtlNode::Equivalent(l, r) => of(l).and(of(r)).or(&not(l).and(&not(r))),
            CtlNode::Next(Exists, f) => self.before(of(f)),
            CtlNode::Eventually(Exists, f) => self.reaching(&StateSet::all(n_states), of(f)),
            CtlNode::Always(Exists, f) => self.staying(of(f)),
            CtlNode::Until(Exists, l, r) => self.reaching(of(l), of(r)),
            CtlNode::WeakUntil(Exists, l, r) => self.reaching(of(l), of(r)).or(&self.staying(of(l))),
            CtlNode::StrongRelease(Exists, l, r) => self.reaching(of(r), &of(l).and(of(r))),
            CtlNode::Release(Exists, l, r) => {
                self.reaching(of(r), &of(l).and(of(r))).or(&self.staying(of(r)))
            }
            // For all paths: not for some path the dual of the negated operands.
            CtlNode::Next(All, f) => self.before(&of(f).complement()).complement(),
            CtlNode::Eventually(All, f) => self.staying(&of(f).complement()).complement(),
            CtlNode::Always(All, f) => {
                self.reaching(&StateSet::all(n_states), &of(f).complement()).complement()
            }
            CtlNode::Until(All, l, r) => {
                let (left, right) = (of(l).complement(), of(r).complement());
                self.reaching(&right, &left.and(&right)).or(&self.staying(&right)).complement()
            }
            CtlNode::WeakUntil(All, l, r) => {
                let (left, right) = (of(l).complement(), of(r).complement());
                self.reaching(&right, &left.and(&right)).complement()
            }
            CtlNode::Release(All, l, r) => {
                self.reaching(&of(l).complement(), &of(r).complement()).complement()
            }
            CtlNode::StrongRelease(All, l, r) => {
                let (left, right) = (of(l).complement(), of(r).complement());
                self.reaching(&left, &right).or(&self.staying(&left)).complement()
            }
        }
    }

    /// The states with a step into a set that goes on fairly.
    fn before(&self, set: &StateSet) -> StateSet {
        self.graph.before(&set.and(&self.fair))
    }

    /// The states with a path into a set through another that goes on fairly.
    fn reaching(&self, through: &StateSet, goal: &StateSet) -> StateSet {
        self.graph.reaching(through, &goal.and(&self.fair))
    }

    /// The states with a path that counts and stays in a set.
    fn staying(&self, set: &StateSet) -> StateSet {
        if self.fairness.again.is_empty() {
            return self.graph.staying(set);
        }
        self.graph.reaching(set, &self.fair_components(set))
    }

    /// The states of the components within a set in which a fair path can go around.
    pub(crate) fn fair_components(&self, set: &StateSet) -> StateSet {
        let mut found = StateSet::none(self.graph.n_states());
        let mut members = StateSet::none(self.graph.n_states());
        for_each_component(self.graph, set, |component, is_cyclic| {
            component.iter().for_each(|&state| {
                members.insert(state);
            });
            let is_fair = is_cyclic
                && self.fairness.again.iter().all(|again| again.is_in(self.graph, component, &members));
            for &state in component {
                members.remove(state);
                if is_fair {
                    found.insert(state);
                }
            }
        });
        found
    }
}
