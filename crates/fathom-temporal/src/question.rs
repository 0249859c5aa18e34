//! A formula of a model as a question to a product: its propositions, and the automaton of its violations.
//!
//! The bridge between a model and temporal logic as mathematics. Expressions that the formula is about become
//! propositions, numbered from left to right, equal ones once. In a copy of the model each is an invariant, so that any
//! system of the model, interpreted or compiled, reports in every state which of them are false, and which cannot be
//! evaluated: no engine needs to know another way to look at states.

use fathom_logic::{
    Automaton, Formula, Formulas, PropositionId, Propositions, Psl, Simplifier, TranslateError, fold_psl,
    print_formula, read_psl, strengthenings,
};
use fathom_model::print::display_expr;
use fathom_model::{Expr, Fault, Finding, Formula as ModelFormula, Model, PropertyId, PslProperty, Question};

use crate::automaton::ForeignAutomaton;
use crate::claim::ClaimFormula;
use crate::propositions::add_propositions;
use crate::run_formula::{Letter, Linear, RunFormula};
use crate::sequence::SequenceFormula;
use crate::stuttering::AtEnd;
use crate::watcher::{Acceptance, Watcher};

/// A formula with everything that is needed to check it.
#[derive(Clone, Debug)]
pub struct LinearQuestion {
    /// The model, with one more property for each proposition.
    model: Model,
    formula: RunFormula,
    at_end: AtEnd,
}

impl LinearQuestion {
    /// The question of a property; none when it is neither a formula about runs nor a claim or an automaton nor a question about cycles.
    pub fn new(model: &Model, property: PropertyId) -> Option<LinearQuestion> {
        use ModelFormula as F;
        let (formula, at_end) = match &model.properties[property.index()].question {
            Question::Ltl(formula) => (formula.clone(), AtEnd::Repeats),
            Question::NonProgress => {
                let progress = F::Not(Box::new(F::State(Expr::NonProgress)));
                (F::Always(Box::new(F::Eventually(Box::new(progress)))), AtEnd::Stops)
            }
            Question::Acceptance => {
                let elsewhere = F::Not(Box::new(F::State(Expr::SomeAccepting)));
                (F::Eventually(Box::new(F::Always(Box::new(elsewhere)))), AtEnd::Repeats)
            }
            Question::Psl(psl) => return Some(LinearQuestion::of_psl(model, property, psl)),
            Question::Automaton(asked) => {
                let automaton = ForeignAutomaton::new(&asked.automaton);
                let linear = (Formulas::new(), Linear::Automaton(Box::new(automaton)));
                return Some(LinearQuestion::about(
                    model,
                    property,
                    &asked.propositions,
                    linear,
                    AtEnd::Repeats,
                ));
            }
            Question::Claim(claim) => {
                let claim = ClaimFormula::new(model.template(*claim));
                let propositions = claim.propositions().to_vec();
                let asked = (Formulas::new(), Linear::Claim(Box::new(claim)));
                return Some(LinearQuestion::about(model, property, &propositions, asked, AtEnd::Repeats));
            }
            _ => return None,
        };
        let mut bridge = Bridge::default();
        let formula = bridge.formula(&formula);
        let propositions: Vec<Expr> = bridge.propositions.iter().map(|expr| (*expr).clone()).collect();
        let asked = (bridge.formulas, Linear::Ltl(formula));
        Some(LinearQuestion::about(model, property, &propositions, asked, at_end))
    }

    /// A formula of linear temporal logic about these expressions, asked in place of a property.
    pub fn of_ltl(
        model: &Model,
        property: PropertyId,
        propositions: &[Expr],
        formulas: Formulas,
        formula: Formula,
    ) -> LinearQuestion {
        let asked = (formulas, Linear::Ltl(formula));
        LinearQuestion::about(model, property, propositions, asked, AtEnd::Repeats)
    }

    fn about(
        model: &Model,
        property: PropertyId,
        propositions: &[Expr],
        (formulas, asked): (Formulas, Linear),
        at_end: AtEnd,
    ) -> LinearQuestion {
        let mut watched = model.clone();
        let first = PropertyId::from(add_propositions(&mut watched, property, propositions));
        let formula = RunFormula { formulas, asked, property, first, n_propositions: propositions.len() };
        LinearQuestion { model: watched, formula, at_end }
    }

    fn of_psl(model: &Model, property: PropertyId, psl: &PslProperty) -> LinearQuestion {
        let mut formulas = psl.formulas.clone();
        let asked = SequenceFormula::new(&psl.psl, psl.end, psl.propositions.len(), &mut formulas);
        let mut propositions = psl.propositions.clone();
        if asked.sees_end() {
            // Whether the run has ended; the system says so in another way.
            propositions.push(Expr::Const(1));
        }
        let asked = (formulas, Linear::Psl(asked));
        LinearQuestion::about(model, property, &propositions, asked, AtEnd::Repeats)
    }

    /// The property that stands for the proposition that the run has ended, if the formula speaks about finite runs: then
    /// systems to be watched are [`MarkedEnd`](crate::MarkedEnd) with it, else [`Extended`](crate::Extended).
    pub fn ended(&self) -> Option<PropertyId> {
        self.formula.ended()
    }

    /// Questions that are harder: each says the same with a constant for one part. When the formula holds and one of these holds too, the
    /// part does not matter.
    pub fn harder(&self) -> Vec<Harder> {
        let names = self.names();
        let mut formulas = self.formula.formulas.clone();
        match &self.formula.asked {
            Linear::Ltl(formula) => {
                let mut simplifier = Simplifier::default();
                strengthenings(&mut formulas, *formula)
                    .into_iter()
                    .map(|found| {
                        let simple = simplifier.simplify(&mut formulas, found.formula);
                        let print = |formula| print_formula(&formulas, &names, formula);
                        Harder {
                            part: print(found.part),
                            formula: print(simple),
                            cause: found.cause.map(print),
                            path: found.path,
                            question: self.with(formulas.clone(), Linear::Ltl(simple)),
                        }
                    })
                    .collect()
            }
            Linear::Psl(psl) => psl
                .harder(&mut formulas)
                .into_iter()
                .map(|(found, stronger)| {
                    let print = |psl: &Psl| read_psl(&formulas, &names, psl);
                    Harder {
                        part: print(&found.part),
                        formula: print(&fold_psl(&found.formula)),
                        cause: found.cause.as_ref().map(print),
                        path: found.path,
                        question: self.with(formulas.clone(), Linear::Psl(stronger)),
                    }
                })
                .collect(),
            // There is nothing to say about the parts of an automaton.
            Linear::Claim(_) | Linear::Automaton(_) => Vec::new(),
        }
    }

    /// The same question with another formula about the same propositions.
    fn with(&self, formulas: Formulas, asked: Linear) -> LinearQuestion {
        LinearQuestion { formula: RunFormula { formulas, asked, ..self.formula.clone() }, ..self.clone() }
    }

    /// The formula with its table, if it is one of linear temporal logic.
    pub fn ltl(&self) -> Option<(&Formulas, Formula)> {
        match &self.formula.asked {
            Linear::Ltl(formula) => Some((&self.formula.formulas, *formula)),
            Linear::Psl(_) | Linear::Claim(_) | Linear::Automaton(_) => None,
        }
    }

    /// What the propositions are called.
    pub fn names(&self) -> Propositions {
        match &self.model.properties[self.property().index()].question {
            Question::Psl(psl) => return psl.names.clone(),
            Question::Automaton(asked) => return asked.names.clone(),
            _ => {}
        }
        let mut names = Propositions::new();
        for property in self.propositions() {
            let text = match &self.model.properties[property.index()].question {
                Question::Invariant(expr) => display_expr(&self.model, None, expr),
                _ => String::new(),
            };
            // Two expressions that look the same are still two propositions.
            let index = names.len();
            if names.intern(&text, None).index() != index {
                names.intern(&format!("{text} ({index})"), None);
            }
        }
        names
    }

    /// The expressions that the propositions stand for, without the one that says that the run has ended.
    pub fn expressions(&self) -> Vec<Expr> {
        let propositions = self.propositions().into_iter().filter(|property| Some(*property) != self.ended());
        propositions
            .filter_map(|property| match &self.model.properties[property.index()].question {
                Question::Invariant(expr) => Some(expr.clone()),
                _ => None,
            })
            .collect()
    }

    /// The model with a property for each proposition: systems to be watched are made of it.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The property in question.
    pub fn property(&self) -> PropertyId {
        self.formula.property
    }

    /// The properties that stand for the propositions: systems to be watched are asked about them.
    pub fn propositions(&self) -> Vec<PropertyId> {
        self.formula.propositions().collect()
    }

    /// What becomes of runs that end, unless the formula [sees that](LinearQuestion::ended).
    pub fn at_end(&self) -> AtEnd {
        self.at_end
    }

    /// The formula alone.
    pub fn formula(&self) -> &RunFormula {
        &self.formula
    }

    /// Whether the formula cannot count steps, so that steps that change no proposition may be put in another order
    /// or taken together. A "no" may be wrong.
    pub fn is_stutter_invariant(&self) -> bool {
        self.formula.is_stutter_invariant()
    }

    /// The automaton that accepts the runs that violate the formula.
    ///
    /// # Errors
    ///
    /// When the automaton is too large.
    pub fn watcher(&self, acceptance: Acceptance) -> Result<Watcher, TranslateError> {
        self.formula.watcher(acceptance)
    }

    /// The automaton of the runs that violate the formula, over its propositions by their numbers.
    ///
    /// # Errors
    ///
    /// When the automaton is too large.
    pub fn violations(&self, acceptance: Acceptance) -> Result<Automaton, TranslateError> {
        self.formula.violations(acceptance)
    }

    /// Whether the formula is [false of a run](RunFormula::is_violated_by).
    ///
    /// # Panics
    ///
    /// When `loop_start` is not a position.
    pub fn is_violated_by(&self, letters: &[Letter], loop_start: usize) -> bool {
        self.formula.is_violated_by(letters, loop_start)
    }

    /// What goes wrong in a claim at the last letter of a run that violates it there: one for each way in which it does, without a fault where
    /// it gets to its end. Formulas say nothing here.
    pub fn claim_errors(&self, letters: &[Letter]) -> Vec<Option<Fault>> {
        match &self.formula.asked {
            Linear::Claim(claim) => claim.errors_at_end(letters),
            Linear::Ltl(_) | Linear::Psl(_) | Linear::Automaton(_) => Vec::new(),
        }
    }

    /// Whether the formula is false of a run that ends after these letters; none when the formula does not speak about finite
    /// runs.
    pub fn is_violated_by_finite(&self, letters: &[Letter]) -> Option<bool> {
        self.formula.is_violated_by_finite(letters)
    }

    /// What a system made of [`LinearQuestion::model`] said about the propositions in a state.
    pub fn letter(&self, findings: &[Finding]) -> Letter {
        self.formula.letter(findings)
    }
}

/// A question that says more than another: with a constant for one of its parts.
#[derive(Clone, Debug)]
pub struct Harder {
    /// The part that was replaced, for people.
    pub part: String,
    /// The formula, for people.
    pub formula: String,
    /// What the part is the whole consequence of, for people.
    pub cause: Option<String>,
    /// Where the part is: from the whole formula on, the numbers of operands.
    pub path: Vec<usize>,
    /// The question.
    pub question: LinearQuestion,
}

/// A formula of a model on its way into a table of formulas.
#[derive(Default)]
struct Bridge<'m> {
    formulas: Formulas,
    propositions: Vec<&'m Expr>,
}

impl<'m> Bridge<'m> {
    fn proposition(&mut self, expr: &'m Expr) -> Formula {
        if let Expr::Const(value) = expr {
            return self.formulas.constant(*value != 0);
        }
        let known = self.propositions.iter().position(|known| *known == expr);
        let index = known.unwrap_or_else(|| {
            self.propositions.push(expr);
            self.propositions.len() - 1
        });
        self.formulas.proposition(PropositionId::new(index))
    }

    fn formula(&mut self, formula: &'m ModelFormula) -> Formula {
        use ModelFormula as F;
        let pair = match formula {
            F::State(expr) => return self.proposition(expr),
            F::Not(operand) | F::Next(operand) | F::Always(operand) | F::Eventually(operand) => {
                (self.formula(operand), None)
            }
            F::And(left, right)
            | F::Or(left, right)
            | F::Implies(left, right)
            | F::Equivalent(left, right)
            | F::Until(left, right)
            | F::WeakUntil(left, right)
            | F::Release(left, right) => {
                let left = self.formula(left);
                (left, Some(self.formula(right)))
            }
        };
        let formulas = &mut self.formulas;
        match (formula, pair) {
            (F::Not(_), (operand, _)) => formulas.not(operand),
            (F::Next(_), (operand, _)) => formulas.next(operand),
            (F::Always(_), (operand, _)) => formulas.always(operand),
            (F::Eventually(_), (operand, _)) => formulas.eventually(operand),
            (F::And(..), (left, Some(right))) => formulas.and(left, right),
            (F::Or(..), (left, Some(right))) => formulas.or(left, right),
            (F::Implies(..), (left, Some(right))) => formulas.implies(left, right),
            (F::Equivalent(..), (left, Some(right))) => formulas.equivalent(left, right),
            (F::Until(..), (left, Some(right))) => formulas.until(left, right),
            (F::WeakUntil(..), (left, Some(right))) => formulas.weak_until(left, right),
            (F::Release(..), (left, Some(right))) => formulas.release(left, right),
            (_, (operand, _)) => operand,
        }
    }
}
