//! Checking a tree on a system, without the graph and without labels.
//!
//! Every path is taken step by step; claims about single states are evaluated in the states that it passes; the
//! form of the tree is compared with the meaning of the formula. What is left to trust are claims about all paths.

use std::fmt;

use fathom_logic::{CtlFormula, CtlFormulas, CtlNode};
use fathom_model::{Finding, NoRegion, Steps, System};

use super::processes::{AcceptLoop, OnLoop};
use super::tree::{Branch, Claim, Demands, Reason, Tree, TreeStep, demands, parts};
use crate::run_formula::{Letter, Truth};

/// Why a tree does not show what it claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TreeError {
    /// A state has no such step.
    NoSuchStep {
        /// The index in the tree.
        index: u32,
        /// Number of steps of the state.
        n_steps: usize,
    },
    /// A claim about a state is wrong.
    WrongInState,
    /// A claim does not follow from those below it.
    DoesNotFollow,
    /// A loop does not close, or something that must happen again and again does not happen on it.
    BadLoop,
}

impl fmt::Display for TreeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeError::NoSuchStep { index, n_steps } => {
                write!(out, "step {index} of {n_steps} does not exist")
            }
            TreeError::WrongInState => write!(out, "a claim about a state is wrong there"),
            TreeError::DoesNotFollow => write!(out, "a claim does not follow from those below it"),
            TreeError::BadLoop => write!(out, "a loop does not close, or is not fair"),
        }
    }
}

impl std::error::Error for TreeError {}

/// Which loops count.
pub struct FairLoops<'a, L> {
    /// State formulas that are true again and again on those that do.
    pub constraints: &'a [CtlFormula],
    /// What else is asked of them.
    pub accepts: Option<AcceptLoop<'a, L>>,
}

/// Checks a tree from a state on, and fills in the steps of its paths. `read` says what the findings of a state say about the
/// propositions.
///
/// # Errors
///
/// When the tree does not show what it claims.
pub fn check_tree<S: System<Region = NoRegion>>(
    system: &S,
    formulas: &CtlFormulas,
    fairness: &FairLoops<'_, S::Label>,
    read: &dyn Fn(&[Finding]) -> Letter,
    state: &[u8],
    tree: &mut Tree<S::Label>,
) -> Result<(), TreeError> {
    let (scratch, steps) = (system.scratch(), Steps::recording());
    Checker { system, formulas, fairness, read, scratch, steps }.tree(state, tree)
}

/// The truth of a state formula; none if it has no value.
pub fn evaluate_in_state(formulas: &CtlFormulas, formula: CtlFormula, letter: &Letter) -> Option<bool> {
    let of = |operand: CtlFormula| evaluate_in_state(formulas, operand, letter);
    match *formulas.node(formula) {
        CtlNode::True => Some(true),
        CtlNode::False => Some(false),
        CtlNode::Proposition(proposition) => match letter.0.get(proposition.index())? {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Faulty => None,
        },
        CtlNode::Not(f) => of(f).map(|value| !value),
        CtlNode::And(l, r) => match (of(l), of(r)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (left, right) => left.zip(right).map(|_| true),
        },
        CtlNode::Or(l, r) => match (of(l), of(r)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (left, right) => left.zip(right).map(|_| false),
        },
        CtlNode::Implies(l, r) => match (of(l), of(r)) {
            (Some(false), _) | (_, Some(true)) => Some(true),
            (left, right) => left.zip(right).map(|_| false),
        },
        CtlNode::Equivalent(l, r) => of(l).zip(of(r)).map(|(left, right)| left == right),
        _ => None,
    }
}

struct Checker<'a, S: System> {
    system: &'a S,
    formulas: &'a CtlFormulas,
    fairness: &'a FairLoops<'a, S::Label>,
    read: &'a dyn Fn(&[Finding]) -> Letter,
    scratch: S::Scratch,
    steps: Steps<NoRegion, S::Label>,
}

impl<S: System<Region = NoRegion>> Checker<'_, S> {
    fn letter(&mut self, state: &[u8]) -> Letter {
        self.steps.clear();
        self.system.successors(state, &NoRegion, &mut self.scratch, &mut self.steps);
        (self.read)(self.steps.findings())
    }

    fn tree(&mut self, state: &[u8], tree: &mut Tree<S::Label>) -> Result<(), TreeError> {
        let claim = (tree.formula, tree.holds);
        if self.formulas.is_boolean(tree.formula) {
            let letter = self.letter(state);
            let is_right = evaluate_in_state(self.formulas, tree.formula, &letter) == Some(tree.holds);
            return if is_right { Ok(()) } else { Err(TreeError::WrongInState) };
        }
        match &mut tree.reason {
            Reason::Here => Err(TreeError::DoesNotFollow),
            Reason::Search => Ok(()),
            Reason::Parts(trees) => {
                let said = |formula: CtlFormula| {
                    trees.iter().find(|tree| tree.formula == formula).map(|tree| tree.holds)
                };
                let expected = parts(self.formulas, claim, &said).ok_or(TreeError::DoesNotFollow)?;
                if !expected.iter().all(|claim| said(claim.0) == Some(claim.1)) {
                    return Err(TreeError::DoesNotFollow);
                }
                trees.iter_mut().try_for_each(|tree| self.tree(state, tree))
            }
            Reason::Path(branch) => {
                let demands = demands(self.formulas, claim).ok_or(TreeError::DoesNotFollow)?;
                self.branch(state, &demands, branch)
            }
        }
    }

    fn branch(
        &mut self,
        state: &[u8],
        demands: &Demands,
        branch: &mut Branch<S::Label>,
    ) -> Result<(), TreeError> {
        branch.steps.clear();
        let mut states = vec![state.to_vec()];
        for &choice in &branch.choices {
            self.letter(&states[states.len() - 1]);
            let index = choice as usize;
            if index >= self.steps.len() {
                return Err(TreeError::NoSuchStep { index: choice, n_steps: self.steps.len() });
            }
            let reached = self.steps.state(index).to_vec();
            branch.steps.push(TreeStep { labels: self.steps.labels(index).to_vec(), state: reached.clone() });
            states.push(reached);
        }
        let last = states.len() - 1;
        if let Some(loop_at) = branch.loop_at {
            self.check_loop(&states, &branch.choices, loop_at)?;
            if !demands.may_stay {
                return Err(TreeError::DoesNotFollow);
            }
        } else if demands.goal.is_none() || demands.is_next && last != 1 {
            return Err(TreeError::DoesNotFollow);
        }
        let on_the_way = if demands.is_next { 0..0 } else { 0..last };
        for after in on_the_way {
            self.claims_at(&states[after], after, &demands.through, branch)?;
        }
        if branch.loop_at.is_none() {
            let goal = demands.goal.clone().unwrap_or_default();
            self.claims_at(&states[last], last, &goal, branch)?;
        }
        for (after, tree) in &mut branch.claims {
            let state = states.get(*after).ok_or(TreeError::DoesNotFollow)?;
            self.tree(state, tree)?;
        }
        Ok(())
    }

    /// Whether what is demanded in a state can be seen there or is claimed.
    fn claims_at(
        &mut self,
        state: &[u8],
        after: usize,
        demanded: &[Claim],
        branch: &Branch<S::Label>,
    ) -> Result<(), TreeError> {
        let letter = self.letter(state);
        for &(formula, holds) in demanded {
            let is_claimed = |(at, tree): &(usize, Tree<S::Label>)| {
                *at == after && tree.formula == formula && tree.holds == holds
            };
            let is_met = if self.formulas.is_boolean(formula) {
                evaluate_in_state(self.formulas, formula, &letter) == Some(holds)
            } else {
                branch.claims.iter().any(is_claimed)
            };
            if !is_met {
                return Err(TreeError::DoesNotFollow);
            }
        }
        Ok(())
    }

    fn check_loop(&mut self, states: &[Vec<u8>], choices: &[u32], loop_at: usize) -> Result<(), TreeError> {
        let last = states.len() - 1;
        if loop_at >= last || states[loop_at] != states[last] {
            return Err(TreeError::BadLoop);
        }
        for &again in self.fairness.constraints {
            let happens = states[loop_at..last].iter().any(|state| {
                let letter = self.letter(state);
                evaluate_in_state(self.formulas, again, &letter) == Some(true)
            });
            if !happens {
                return Err(TreeError::BadLoop);
            }
        }
        let Some(accepts) = self.fairness.accepts else { return Ok(()) };
        let mut around = Vec::new();
        for (state, &choice) in states[loop_at..last].iter().zip(&choices[loop_at..]) {
            self.letter(state);
            around.push(OnLoop {
                offered: (0..self.steps.len()).map(|index| self.steps.labels(index).to_vec()).collect(),
                taken: self.steps.labels(choice as usize).to_vec(),
            });
        }
        if accepts(&around) { Ok(()) } else { Err(TreeError::BadLoop) }
    }
}
