//! A formula of computation tree logic of a model as a question: its propositions, and whether a plain search answers it.

use fathom_logic::{CtlFormula, CtlFormulas, CtlNode, Quantifier};
use fathom_model::{BinaryOp, CtlProperty, Expr, Finding, Model, NoRegion, PropertyId, Question, System};

use super::check_tree::{FairLoops, TreeError, check_tree};
use super::graph::{Graph, StateSet};
use super::label::{Fairness, Known, Labeling, Recurring};
use super::processes::{AcceptLoop, ProcessFacts};
use super::tree::Tree;
use crate::propositions::add_propositions;
use crate::run_formula::{Letter, Truth};

/// A formula with everything that is needed to check it.
#[derive(Clone, Debug)]
pub struct BranchingQuestion {
    property: PropertyId,
    ctl: CtlProperty,
    /// The property that stands for the first proposition.
    first: usize,
}

/// A question about single states that a formula comes down to.
#[derive(Clone, Debug)]
pub struct PlainSearch {
    /// An invariant or a question of reachability.
    pub question: Question,
    /// Whether the formula is true exactly when the answer is *holds*; else exactly when it is *violated*.
    pub is_same: bool,
    /// The state formula that a trace ends with.
    pub shown: (CtlFormula, bool),
}

impl PlainSearch {
    /// Whether the state that is looked for shows that the formula is false.
    pub fn refutes(&self) -> bool {
        matches!(self.question, Question::Invariant(_)) == self.is_same
    }
}

impl BranchingQuestion {
    /// The question of a property; none when it is not a formula of computation tree logic. A property for each proposition is added to
    /// the model: systems are made of it and asked about them. Several questions may share a model.
    pub fn add(model: &mut Model, property: PropertyId) -> Option<BranchingQuestion> {
        let Question::Ctl(ctl) = &model.properties[property.index()].question else { return None };
        let ctl = (**ctl).clone();
        let first = add_propositions(model, property, &ctl.propositions);
        Some(BranchingQuestion { property, ctl, first })
    }

    /// The property in question.
    pub fn property(&self) -> PropertyId {
        self.property
    }

    /// The formula with its table and names.
    pub fn ctl(&self) -> &CtlProperty {
        &self.ctl
    }

    /// The properties that stand for the propositions.
    pub fn propositions(&self) -> Vec<PropertyId> {
        (self.first..self.first + self.ctl.propositions.len()).map(PropertyId::from).collect()
    }

    /// What a system of the model said about the propositions in a state.
    pub fn letter(&self, findings: &[Finding]) -> Letter {
        let mut letter = Letter::default();
        letter.read(findings, self.first, self.ctl.propositions.len());
        letter
    }

    /// The question about single states that answers this one, if there is one: `AG p` and `EF p` and their negations, where
    /// `p` is about one state and all paths count.
    pub fn plain_search(&self) -> Option<PlainSearch> {
        if !self.ctl.fairness.is_empty() {
            return None;
        }
        let formulas = &self.ctl.formulas;
        let (formula, is_positive) = match *formulas.node(self.ctl.formula) {
            CtlNode::Not(inner) => (inner, false),
            _ => (self.ctl.formula, true),
        };
        match *formulas.node(formula) {
            CtlNode::Always(Quantifier::All, f) if formulas.is_boolean(f) => Some(PlainSearch {
                question: Question::Invariant(self.expr(f)),
                is_same: is_positive,
                shown: (f, false),
            }),
            CtlNode::Eventually(Quantifier::Exists, f) if formulas.is_boolean(f) => Some(PlainSearch {
                question: match is_positive {
                    true => Question::Reach(self.expr(f)),
                    // That no state is good is claimed of all of them: one in which nobody knows matters.
                    false => Question::Invariant(Expr::negation(self.expr(f))),
                },
                is_same: true,
                shown: (f, true),
            }),
            _ => None,
        }
    }

    /// A state formula as an expression.
    fn expr(&self, formula: CtlFormula) -> Expr {
        let binary = |op, l, r| Expr::binary(op, self.expr(l), self.expr(r));
        match *self.ctl.formulas.node(formula) {
            CtlNode::True => Expr::Const(1),
            CtlNode::Proposition(proposition) => {
                // Any value but 0 is true; connectives want truth values.
                let expr = self.ctl.propositions[proposition.index()].clone();
                Expr::binary(BinaryOp::NotEqual, expr, Expr::Const(0))
            }
            CtlNode::Not(f) => Expr::negation(self.expr(f)),
            CtlNode::And(l, r) => binary(BinaryOp::And, l, r),
            CtlNode::Or(l, r) => binary(BinaryOp::Or, l, r),
            CtlNode::Implies(l, r) => Expr::binary(BinaryOp::Or, Expr::negation(self.expr(l)), self.expr(r)),
            CtlNode::Equivalent(l, r) => binary(BinaryOp::Equal, l, r),
            _ => Expr::Const(0),
        }
    }

    /// Checks a tree from a state on, on a system of the model that is asked about the propositions, every state of which
    /// has a step. Fills in the steps of its paths. `accepts` says which loops count beside the constraints of the formula.
    ///
    /// # Errors
    ///
    /// When the tree does not show what it claims.
    pub fn check_tree<S: System<Region = NoRegion>>(
        &self,
        system: &S,
        state: &[u8],
        accepts: Option<AcceptLoop<'_, S::Label>>,
        tree: &mut Tree<S::Label>,
    ) -> Result<(), TreeError> {
        let read = |findings: &[Finding]| self.letter(findings);
        let fairness = FairLoops { constraints: &self.ctl.fairness, accepts };
        check_tree(system, &self.ctl.formulas, &fairness, &read, state, tree)
    }
}

/// What is known of the propositions in each state, gathered while a graph is explored.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// By proposition, then by state: true, and without a value.
    rows: Vec<(Vec<u64>, Vec<u64>)>,
    n_states: usize,
}

impl Facts {
    /// About so many propositions.
    pub fn new(n_propositions: usize) -> Facts {
        Facts { rows: vec![(Vec::new(), Vec::new()); n_propositions], n_states: 0 }
    }

    /// Adds what the next state says.
    pub fn push(&mut self, letter: &Letter) {
        let (word, bit) = (self.n_states / 64, self.n_states % 64);
        for (row, truth) in self.rows.iter_mut().zip(&letter.0) {
            if bit == 0 {
                row.0.push(0);
                row.1.push(0);
            }
            row.0[word] |= u64::from(*truth == Truth::True) << bit;
            row.1[word] |= u64::from(*truth == Truth::Faulty) << bit;
        }
        self.n_states += 1;
    }

    /// The first state in which some proposition has no value.
    pub fn first_faulty(&self) -> Option<u32> {
        let first = |row: &(Vec<u64>, Vec<u64>)| {
            let word = row.1.iter().position(|&word| word != 0)?;
            Some(word as u32 * 64 + row.1[word].trailing_zeros())
        };
        self.rows.iter().filter_map(first).min()
    }

    /// The propositions that are the same in all states, with what they are.
    pub fn constants(&self) -> Vec<(usize, bool)> {
        let count = |words: &[u64]| words.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let rows = self.rows.iter().enumerate().filter(|(_, row)| count(&row.1) == 0);
        rows.filter_map(|(index, row)| match count(&row.0) {
            0 => Some((index, false)),
            n_true if n_true == self.n_states => Some((index, true)),
            _ => None,
        })
        .collect()
    }

    /// The sets of states for a labeling.
    fn known(&self) -> Vec<Known> {
        let set = |words: &[u64]| StateSet::of_words(words.to_vec(), self.n_states);
        self.rows.iter().map(|(yes, faulty)| Known { yes: set(yes), faulty: set(faulty) }).collect()
    }

    /// Finds in which states of a graph a formula over the propositions, and everything in it, is true, when quantifiers speak about paths on which each
    /// of the state formulas `fairness` is true again and again.
    pub fn label<'g>(
        &self,
        graph: &'g Graph<'g>,
        formulas: &CtlFormulas,
        formula: CtlFormula,
        fairness: &[CtlFormula],
        processes: Option<&ProcessFacts>,
    ) -> Labeling<'g> {
        let known = self.known();
        let mut plain = Labeling::new(graph, known.clone(), Fairness::default());
        let mut again: Vec<Recurring> = fairness
            .iter()
            .map(|&again| {
                plain.label(formulas, again);
                Recurring { states: plain.states(again, false).clone(), steps: None }
            })
            .collect();
        again.extend(processes.map_or_else(Vec::new, ProcessFacts::fairness));
        let mut labeling = Labeling::new(graph, known, Fairness { again });
        labeling.label(formulas, formula);
        labeling
    }
}
