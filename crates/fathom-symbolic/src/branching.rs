//! Formulas of computation tree logic on composite states.
//!
//! Every part of a formula is a set of states, operands first; path quantifiers speak about fair runs. Why a formula is true or false in a state is told by a tree as for
//! explicit states; its paths go through concrete states, which the reference interpreter gives: a path follows the layers of the fixpoint, a loop goes on inside the set until a state comes
//! again, and visits every constraint in turn.

use std::collections::HashMap;

use fathom_logic::{CtlFormula, CtlFormulas, CtlNode, Quantifier};
use fathom_model::{CtlProperty, NoRegion, Steps, System};
use fathom_temporal::{Branch, Claim, Demands, MOST_CLAIMS, Reason, Tree, demands, parts};

use crate::graph::{CompositeGraph, GoesOn, NoGraph, StatesOf};

/// Longest path or loop that is shown.
const LONGEST_PATH: usize = 20_000;

/// The sets of states in which the parts of a formula are true.
pub struct CompositeLabels<'g, 'c, 'm> {
    graph: &'g CompositeGraph<'c, 'm>,
    formulas: &'g CtlFormulas,
    labels: HashMap<CtlFormula, StatesOf>,
    /// What must come again and again.
    constraints: Vec<StatesOf>,
    /// Where a fair run starts.
    fair: StatesOf,
}

impl<'g, 'c, 'm> CompositeLabels<'g, 'c, 'm> {
    /// Labels the states with the parts of a formula.
    ///
    /// # Errors
    ///
    /// When a proposition has no value somewhere, when there is no room, or when told to stop.
    pub fn new(
        graph: &'g CompositeGraph<'c, 'm>,
        ctl: &'g CtlProperty,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<Self, NoGraph> {
        let fair = graph.all().clone();
        let mut labels = CompositeLabels {
            graph,
            formulas: &ctl.formulas,
            labels: HashMap::new(),
            constraints: Vec::new(),
            fair,
        };
        for &constraint in &ctl.fairness {
            labels.label(ctl, constraint, goes_on)?;
            labels.constraints.push(labels.labels[&constraint].clone());
        }
        if !labels.constraints.is_empty() {
            labels.fair = graph.always_fairly(graph.all(), &labels.constraints, goes_on)?;
        }
        labels.label(ctl, ctl.formula, goes_on)?;
        Ok(labels)
    }

    /// The states in which a part of the formula is true.
    pub fn states(&self, formula: CtlFormula) -> Option<&StatesOf> {
        self.labels.get(&formula)
    }

    fn label(
        &mut self,
        ctl: &CtlProperty,
        formula: CtlFormula,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<(), NoGraph> {
        for part in ctl.formulas.subformulas(formula) {
            if !self.labels.contains_key(&part) {
                let states = self.states_of(ctl, part, goes_on)?;
                self.labels.insert(part, states);
            }
        }
        Ok(())
    }

    fn states_of(
        &self,
        ctl: &CtlProperty,
        formula: CtlFormula,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<StatesOf, NoGraph> {
        let graph = self.graph;
        let of = |operand: CtlFormula| &self.labels[&operand];
        let not = |operand: CtlFormula| graph.complement(&self.labels[&operand]);
        let fair = |states: &StatesOf| graph.both(states, &self.fair);
        Ok(match *ctl.formulas.node(formula) {
            CtlNode::True => graph.all().clone(),
            CtlNode::False => graph.none(),
            CtlNode::Proposition(proposition) => graph.satisfying(&ctl.propositions[proposition.index()])?,
            CtlNode::Not(f) => not(f)?,
            CtlNode::And(l, r) => graph.both(of(l), of(r))?,
            CtlNode::Or(l, r) => graph.either(of(l), of(r))?,
            CtlNode::Implies(l, r) => graph.either(&not(l)?, of(r))?,
            CtlNode::Equivalent(l, r) => {
                let neither = graph.both(&not(l)?, &not(r)?)?;
                graph.either(&graph.both(of(l), of(r))?, &neither)?
            }
            CtlNode::Next(Quantifier::Exists, f) => graph.one_before(&fair(of(f))?)?,
            CtlNode::Eventually(Quantifier::Exists, f) => graph.until(graph.all(), &fair(of(f))?, goes_on)?,
            CtlNode::Always(Quantifier::Exists, f) => self.staying(of(f), goes_on)?,
            CtlNode::Until(Quantifier::Exists, l, r) => graph.until(of(l), &fair(of(r))?, goes_on)?,
            CtlNode::WeakUntil(Quantifier::Exists, l, r) => {
                let reaching = graph.until(of(l), &fair(of(r))?, goes_on)?;
                graph.either(&reaching, &self.staying(of(l), goes_on)?)?
            }
            CtlNode::Release(Quantifier::Exists, l, r) => {
                let goal = fair(&graph.both(of(l), of(r))?)?;
                let reaching = graph.until(of(r), &goal, goes_on)?;
                graph.either(&reaching, &self.staying(of(r), goes_on)?)?
            }
            CtlNode::StrongRelease(Quantifier::Exists, l, r) => {
                let goal = fair(&graph.both(of(l), of(r))?)?;
                graph.until(of(r), &goal, goes_on)?
            }
            CtlNode::Next(Quantifier::All, f) => graph.complement(&graph.one_before(&fair(&not(f)?)?)?)?,
            CtlNode::Eventually(Quantifier::All, f) => graph.complement(&self.staying(&not(f)?, goes_on)?)?,
            CtlNode::Always(Quantifier::All, f) => {
                graph.complement(&graph.until(graph.all(), &fair(&not(f)?)?, goes_on)?)?
            }
            CtlNode::Until(Quantifier::All, l, r) => {
                let neither = fair(&graph.both(&not(l)?, &not(r)?)?)?;
                let missing = graph.until(&not(r)?, &neither, goes_on)?;
                let never = self.staying(&not(r)?, goes_on)?;
                graph.complement(&graph.either(&missing, &never)?)?
            }
            CtlNode::WeakUntil(Quantifier::All, l, r) => {
                let neither = fair(&graph.both(&not(l)?, &not(r)?)?)?;
                graph.complement(&graph.until(&not(r)?, &neither, goes_on)?)?
            }
            CtlNode::Release(Quantifier::All, l, r) => {
                graph.complement(&graph.until(&not(l)?, &fair(&not(r)?)?, goes_on)?)?
            }
            CtlNode::StrongRelease(Quantifier::All, l, r) => {
                let missing = graph.until(&not(l)?, &fair(&not(r)?)?, goes_on)?;
                let never = self.staying(&not(l)?, goes_on)?;
                graph.complement(&graph.either(&missing, &never)?)?
            }
        })
    }

    fn staying(&self, states: &StatesOf, goes_on: &mut GoesOn<'_>) -> Result<StatesOf, NoGraph> {
        self.graph.always_fairly(states, &self.constraints, goes_on)
    }

    fn holds(&self, formula: CtlFormula, state: &[u8]) -> Option<bool> {
        self.labels.get(&formula).map(|states| self.graph.contains(states, state))
    }

    /// Why the formula is true or false in a concrete state. `system` is the reference interpreter of the model, every state of
    /// which has a step.
    ///
    /// # Errors
    ///
    /// When there is no room, or when told to stop.
    pub fn explain<S: System<Region = NoRegion>>(
        &self,
        formula: CtlFormula,
        state: &[u8],
        system: &S,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<Tree<S::Label>, NoGraph> {
        let holds = self.holds(formula, state).unwrap_or_default();
        let (scratch, steps) = (system.scratch(), Steps::new());
        let mut explainer = Explainer { labels: self, system, scratch, steps, n_claims: 0, goes_on };
        explainer.tree((formula, holds), state)
    }
}

/// Claims with the number of steps after which they are made.
type Claims<L> = Vec<(usize, Tree<L>)>;

/// A path: choices with the states that they reach.
type Way = Vec<(u32, Vec<u8>)>;

struct Explainer<'a, 'g, 'c, 'm, S: System> {
    labels: &'a CompositeLabels<'g, 'c, 'm>,
    system: &'a S,
    scratch: S::Scratch,
    steps: Steps<NoRegion, S::Label>,
    n_claims: usize,
    goes_on: &'a mut GoesOn<'a>,
}

impl<S: System<Region = NoRegion>> Explainer<'_, '_, '_, '_, S> {
    fn tree(&mut self, claim: Claim, state: &[u8]) -> Result<Tree<S::Label>, NoGraph> {
        self.n_claims += 1;
        let (labels, formulas) = (self.labels, self.labels.formulas);
        let known = |formula| labels.holds(formula, state);
        if formulas.is_boolean(claim.0) {
            return Ok(Tree::of_state(formulas, claim, &known));
        }
        if self.n_claims > MOST_CLAIMS {
            return Ok(Tree::by_search(claim));
        }
        let reason = match parts(formulas, claim, &known) {
            Some(claims) => {
                let mut trees = Vec::with_capacity(claims.len());
                for claim in claims {
                    trees.push(self.tree(claim, state)?);
                }
                Reason::Parts(trees)
            }
            None => match demands(formulas, claim) {
                Some(demands) => self.branch(&demands, state)?.map_or(Reason::Search, Reason::Path),
                None => Reason::Search,
            },
        };
        Ok(Tree { formula: claim.0, holds: claim.1, reason })
    }

    /// The states in which all claims are right.
    fn states(&self, claims: &[Claim]) -> Result<StatesOf, NoGraph> {
        let graph = self.labels.graph;
        let mut all = graph.all().clone();
        for (formula, holds) in claims {
            let states = &self.labels.labels[formula];
            all = match holds {
                true => graph.both(&all, states)?,
                false => graph.both(&all, &graph.complement(states)?)?,
            };
        }
        Ok(all)
    }

    /// The first step from a state into a set.
    fn step_into(&mut self, state: &[u8], states: &StatesOf) -> Option<(u32, Vec<u8>)> {
        self.steps.clear();
        self.system.successors(state, &NoRegion, &mut self.scratch, &mut self.steps);
        let graph = self.labels.graph;
        let found = (0..self.steps.len()).find(|&index| graph.contains(states, self.steps.state(index)))?;
        Some((found as u32, self.steps.state(found).to_vec()))
    }

    /// A shortest path through a set to another; none when there is none.
    fn path(&mut self, from: &[u8], through: &StatesOf, goal: &StatesOf) -> Result<Option<Way>, NoGraph> {
        let graph = self.labels.graph;
        let (_, layers) = graph.layers_until(through, goal, self.goes_on)?;
        let Some(mut layer) = layers.iter().position(|layer| graph.contains(layer, from)) else {
            return Ok(None);
        };
        let mut way: Way = Vec::new();
        while layer > 0 {
            let at = way.last().map_or(from, |(_, state)| state).to_vec();
            let Some(step) = self.step_into(&at, &layers[layer - 1]) else { return Ok(None) };
            way.push(step);
            layer -= 1;
        }
        Ok(Some(way))
    }

    fn branch(&mut self, demands: &Demands, state: &[u8]) -> Result<Option<Branch<S::Label>>, NoGraph> {
        let graph = self.labels.graph;
        let through = self.states(&demands.through)?;
        let mut found = None;
        if let Some(goal) = &demands.goal {
            let goal = graph.both(&self.states(goal)?, &self.labels.fair)?;
            found = match demands.is_next {
                true => self.step_into(state, &goal).map(|step| vec![step]),
                false => self.path(state, &through, &goal)?,
            };
        }
        let mut loop_at = None;
        let way = match found {
            Some(way) => way,
            None if demands.may_stay => match self.lasso(state, &through)? {
                Some((way, start)) => {
                    loop_at = Some(start);
                    way
                }
                None => return Ok(None),
            },
            None => return Ok(None),
        };
        let states: Vec<Vec<u8>> =
            [state.to_vec()].into_iter().chain(way.iter().map(|(_, state)| state.clone())).collect();
        let choices = way.iter().map(|(choice, _)| *choice).collect();
        let claims = self.claims(demands, &states, loop_at)?;
        Ok(Some(Branch { choices, loop_at, claims, steps: Vec::new() }))
    }

    fn claims(
        &mut self,
        demands: &Demands,
        states: &[Vec<u8>],
        loop_at: Option<usize>,
    ) -> Result<Claims<S::Label>, NoGraph> {
        let last = states.len() - 1;
        let formulas = self.labels.formulas;
        let mut claims = Vec::new();
        for (after, state) in states[..last].iter().enumerate().skip(usize::from(demands.is_next)) {
            for &claim in demands.through.iter().filter(|claim| !formulas.is_boolean(claim.0)) {
                claims.push((after, self.tree(claim, state)?));
            }
        }
        let at_the_end = if loop_at.is_some() { None } else { demands.goal.clone() };
        for claim in at_the_end.into_iter().flatten() {
            claims.push((last, self.tree(claim, &states[last])?));
        }
        Ok(claims)
    }

    /// A run that stays in a set and is fair, as a path and where its loop starts.
    ///
    /// Rounds: a step, then on to each constraint in turn. Where a round leads is a function of where it starts, so that the start of a round comes again.
    fn lasso(&mut self, state: &[u8], states: &StatesOf) -> Result<Option<(Way, usize)>, NoGraph> {
        let graph = self.labels.graph;
        let staying = self.labels.staying(states, self.goes_on)?;
        if !graph.contains(&staying, state) {
            return Ok(None);
        }
        let mut rounds: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut way: Way = Vec::new();
        let mut at = state.to_vec();
        while way.len() <= LONGEST_PATH {
            if let Some(&start) = rounds.get(&at) {
                return Ok(Some((way, start)));
            }
            rounds.insert(at.clone(), way.len());
            let Some(step) = self.step_into(&at, &staying) else { return Ok(None) };
            way.push(step);
            for constraint in &self.labels.constraints {
                let from = way[way.len() - 1].1.clone();
                let goal = graph.both(&staying, constraint)?;
                let Some(path) = self.path(&from, &staying, &goal)? else { return Ok(None) };
                way.extend(path);
            }
            at.clone_from(&way[way.len() - 1].1);
        }
        Ok(None)
    }
}
