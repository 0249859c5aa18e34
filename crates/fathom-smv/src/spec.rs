//! Questions in the text as properties of the model.
//!
//! Between temporal operators stand expressions about one state: they become propositions. Fairness is part of a formula of computation tree logic; for linear time a formula holds
//! of the runs that are fair and compassionate.

use std::collections::BTreeSet;

use fathom_logic::{CtlFormula, CtlFormulas, CtlNode, Propositions, Quantifier};
use fathom_model::{CtlProperty, Expr as ModelExpr, Formula, Model, Property, Question};
use fathom_source::Diagnostic;

use crate::expr::Context;
use crate::flatten::{Flat, Scoped, Symbol};
use crate::lower::Fair;
use crate::syntax::{BinaryOp, Expr, ExprKind, SpecKind, Temporal, UnaryOp};

/// Adds the properties of a program to a model.
pub(crate) fn add_properties(flat: &mut Flat, fair: &[Fair], compassion: &[(Fair, Fair)], model: &mut Model) {
    let mut taken: BTreeSet<String> = model.properties.iter().map(|known| known.name.clone()).collect();
    let mut numbers = [0; 3];
    let is_branching = flat.specs.iter().any(|(kind, ..)| *kind == SpecKind::Ctl);
    if is_branching && !flat.compassion.is_empty() {
        let message = "COMPASSION is left out of account by formulas of computation tree logic";
        flat.diagnostics.push(Diagnostic::warning("smv::compassion", message));
    }
    for (kind, name, (expr, scope)) in flat.specs.clone() {
        let (word, number) = match kind {
            SpecKind::Invar => ("invariant", &mut numbers[0]),
            SpecKind::Ctl => ("ctl", &mut numbers[1]),
            SpecKind::Ltl => ("ltl", &mut numbers[2]),
        };
        *number += 1;
        let name = match name {
            Some(name) if taken.insert(name.text.clone()) => name.text,
            Some(name) => {
                flat.error("smv::duplicate", "a property of this name exists", Some(name.span));
                continue;
            }
            None => {
                let free = (*number..).map(|number| format!("{word}-{number}"));
                free.into_iter().find(|name| taken.insert(name.clone())).unwrap_or_default()
            }
        };
        let question = match kind {
            SpecKind::Invar => Question::Invariant(flat.truth(&expr, &Context::state(scope))),
            SpecKind::Ctl => branching(flat, fair, &expr, scope),
            SpecKind::Ltl => linear(flat, (fair, compassion), &expr, scope),
        };
        model.properties.push(Property { name, question, span: Some(expr.span) });
    }
}

/// Whether temporal operators occur, looking through names.
fn is_temporal(flat: &mut Flat, expr: &Expr, scope: usize, depth: usize) -> bool {
    if depth > 200 {
        return false;
    }
    let mut any = |parts: &[&Expr]| parts.iter().any(|part| is_temporal(flat, part, scope, depth + 1));
    match &expr.kind {
        ExprKind::Temporal(..) | ExprKind::PathUntil { .. } => true,
        ExprKind::Binary(BinaryOp::Until | BinaryOp::Release, ..) => true,
        ExprKind::Binary(_, left, right) => any(&[left, right]),
        ExprKind::Unary(_, operand) => any(&[operand]),
        ExprKind::Conditional(condition, then, otherwise) => any(&[condition, then, otherwise]),
        ExprKind::Name(_) | ExprKind::Field(..) => match flat.symbol(expr, scope) {
            Some(Symbol::Define((value, scope))) => is_temporal(flat, &value, scope, depth + 1),
            _ => false,
        },
        _ => false,
    }
}

struct Branching<'f> {
    flat: &'f mut Flat,
    formulas: CtlFormulas,
    names: Propositions,
    propositions: Vec<ModelExpr>,
}

fn branching(flat: &mut Flat, fair: &[Fair], expr: &Expr, scope: usize) -> Question {
    let mut branching = Branching {
        flat,
        formulas: CtlFormulas::new(),
        names: Propositions::new(),
        propositions: Vec::new(),
    };
    let formula = branching.formula(expr, scope);
    let fairness = fair.iter().map(|fair| branching.constraint(fair)).collect();
    let Branching { formulas, names, propositions, .. } = branching;
    Question::Ctl(Box::new(CtlProperty { formulas, formula, names, propositions, fairness }))
}

impl Branching<'_> {
    fn constraint(&mut self, fair: &Fair) -> CtlFormula {
        let (text, truth) = constraint(self.flat, fair);
        self.intern(text, truth)
    }

    fn proposition(&mut self, expr: &Expr, scope: usize) -> CtlFormula {
        let truth = self.flat.truth(expr, &Context::state(scope));
        self.intern(crate::print::print_expr(expr, &self.flat.scopes[scope].prefix), truth)
    }

    fn intern(&mut self, text: String, truth: ModelExpr) -> CtlFormula {
        // The same text in two instances may mean two things.
        let mut text = text;
        loop {
            let id = self.names.intern(&text, None);
            if id.index() == self.propositions.len() {
                self.propositions.push(truth);
                return self.formulas.make(CtlNode::Proposition(id));
            }
            if self.propositions[id.index()] == truth {
                return self.formulas.make(CtlNode::Proposition(id));
            }
            text.push('\'');
        }
    }

    fn formula(&mut self, expr: &Expr, scope: usize) -> CtlFormula {
        if !is_temporal(self.flat, expr, scope, 0) {
            return self.proposition(expr, scope);
        }
        let node = match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => CtlNode::Not(self.formula(operand, scope)),
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.formula(left, scope), self.formula(right, scope));
                match op {
                    BinaryOp::And => CtlNode::And(a, b),
                    BinaryOp::Or => CtlNode::Or(a, b),
                    BinaryOp::Implies => CtlNode::Implies(a, b),
                    BinaryOp::Equivalent | BinaryOp::Xnor | BinaryOp::Equal => CtlNode::Equivalent(a, b),
                    BinaryOp::Xor | BinaryOp::NotEqual => {
                        let same = self.formulas.make(CtlNode::Equivalent(a, b));
                        CtlNode::Not(same)
                    }
                    _ => return self.misplaced(expr),
                }
            }
            ExprKind::Temporal(op, operand) => {
                let f = self.formula(operand, scope);
                let (exists, all) = (Quantifier::Exists, Quantifier::All);
                match op {
                    Temporal::ExistsNext => CtlNode::Next(exists, f),
                    Temporal::ExistsEventually => CtlNode::Eventually(exists, f),
                    Temporal::ExistsAlways => CtlNode::Always(exists, f),
                    Temporal::AllNext => CtlNode::Next(all, f),
                    Temporal::AllEventually => CtlNode::Eventually(all, f),
                    Temporal::AllAlways => CtlNode::Always(all, f),
                    Temporal::Next | Temporal::Eventually | Temporal::Always => return self.misplaced(expr),
                }
            }
            ExprKind::PathUntil { all, left, right } => {
                let (a, b) = (self.formula(left, scope), self.formula(right, scope));
                CtlNode::Until(if *all { Quantifier::All } else { Quantifier::Exists }, a, b)
            }
            ExprKind::Name(_) | ExprKind::Field(..) => match self.flat.symbol(expr, scope) {
                Some(Symbol::Define((value, scope))) => return self.formula(&value, scope),
                _ => return self.misplaced(expr),
            },
            _ => return self.misplaced(expr),
        };
        self.formulas.make(node)
    }

    fn misplaced(&mut self, expr: &Expr) -> CtlFormula {
        let message = "no formula of computation tree logic";
        self.flat.error("smv::formula", message, Some(expr.span));
        CtlFormula::TRUE
    }
}

fn linear(
    flat: &mut Flat,
    (fair, compassion): (&[Fair], &[(Fair, Fair)]),
    expr: &Expr,
    scope: usize,
) -> Question {
    let formula = linear_formula(flat, expr, scope);
    Question::Ltl(match assumed(flat, fair, compassion) {
        Some(assumed) => Formula::Implies(Box::new(assumed), Box::new(formula)),
        None => formula,
    })
}

/// What is true of the runs that count: they are fair and compassionate.
pub(crate) fn assumed(flat: &mut Flat, fair: &[Fair], compassion: &[(Fair, Fair)]) -> Option<Formula> {
    let again = |truth: Formula| Formula::Always(Box::new(Formula::Eventually(Box::new(truth))));
    let mut assumed: Vec<Formula> = Vec::new();
    for fair in fair {
        assumed.push(again(Formula::State(constraint(flat, fair).1)));
    }
    for (first, second) in compassion {
        let first = again(Formula::State(constraint(flat, first).1));
        let second = again(Formula::State(constraint(flat, second).1));
        assumed.push(Formula::Implies(Box::new(first), Box::new(second)));
    }
    assumed.into_iter().reduce(|all, one| Formula::And(Box::new(all), Box::new(one)))
}

/// What must be true again and again, as it is written and as an expression about states.
pub(crate) fn constraint(flat: &mut Flat, fair: &Fair) -> (String, ModelExpr) {
    let (Fair::State((expr, scope)) | Fair::Step((expr, scope), _)) = fair;
    let truth = match fair {
        Fair::State(_) => flat.truth(expr, &Context::state(*scope)),
        Fair::Step(_, place) => ModelExpr::Load(place.clone()),
    };
    (crate::print::print_expr(expr, &flat.scopes[*scope].prefix), truth)
}

fn linear_formula(flat: &mut Flat, expr: &Expr, scope: usize) -> Formula {
    if !is_temporal(flat, expr, scope, 0) {
        return Formula::State(flat.truth(expr, &Context::state(scope)));
    }
    let mut of = |part: &Expr| Box::new(linear_formula(flat, part, scope));
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Not, operand) => return Formula::Not(of(operand)),
        ExprKind::Binary(op, left, right) => {
            let (a, b) = (of(left), of(right));
            match op {
                BinaryOp::And => return Formula::And(a, b),
                BinaryOp::Or => return Formula::Or(a, b),
                BinaryOp::Implies => return Formula::Implies(a, b),
                BinaryOp::Equivalent | BinaryOp::Xnor | BinaryOp::Equal => return Formula::Equivalent(a, b),
                BinaryOp::Xor | BinaryOp::NotEqual => {
                    return Formula::Not(Box::new(Formula::Equivalent(a, b)));
                }
                BinaryOp::Until => return Formula::Until(a, b),
                BinaryOp::Release => return Formula::Release(a, b),
                _ => {}
            }
        }
        ExprKind::Temporal(Temporal::Next, f) => return Formula::Next(of(f)),
        ExprKind::Temporal(Temporal::Eventually, f) => return Formula::Eventually(of(f)),
        ExprKind::Temporal(Temporal::Always, f) => return Formula::Always(of(f)),
        ExprKind::Name(_) | ExprKind::Field(..) => {
            if let Some(Symbol::Define((value, scope))) = flat.symbol(expr, scope) {
                let value: Scoped = (value, scope);
                return linear_formula(flat, &value.0, value.1);
            }
        }
        _ => {}
    }
    flat.error("smv::formula", "no formula of linear temporal logic", Some(expr.span));
    Formula::State(ModelExpr::Const(1))
}
