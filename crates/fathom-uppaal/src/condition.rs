//! Conditions with clocks: guards, invariants, state formulas.
//!
//! A condition becomes a list of conjuncts of which one has to be true. A guard with several conjuncts is several edges. An
//! invariant is convex; where it depends on integers (`busy imply x <= 5`) its bounds are there only while they are to
//! be.

use std::rc::Rc;

use fathom_source::Span;
use fathom_timed::{BinaryOp, ClockConstraint, ClockPlace, Conjunct, Expr, Guard, Interval, UnaryOp};

use crate::resolve::Lowering;
use crate::scope::{Object, Scope, Symbol, binary, fold, not};
use crate::syntax::{Expression, ExpressionKind, Operator, Quantifier};

/// Conjuncts after which a condition is too large.
const MOST_CONJUNCTS: usize = 4096;
/// Largest constant that a clock is compared with.
const MOST_CONSTANT: i64 = 1 << 20;

/// Clocks added, clocks taken away, and an integer.
#[derive(Clone)]
struct Linear {
    plus: Vec<ClockPlace>,
    minus: Vec<ClockPlace>,
    integer: Expr,
}

impl Linear {
    fn negated(self) -> Linear {
        let integer = fold(Expr::Unary(UnaryOp::Minus, Box::new(self.integer)));
        Linear { plus: self.minus, minus: self.plus, integer }
    }

    fn and(mut self, other: Linear) -> Linear {
        self.plus.extend(other.plus);
        self.minus.extend(other.minus);
        self.integer = binary(BinaryOp::Add, self.integer, other.integer);
        self
    }
}

/// The rates that an invariant gives to clocks.
#[derive(Default)]
pub(crate) struct Invariant {
    pub guard: Guard,
    /// `cost' == e`.
    pub cost_rate: Option<(i64, Span)>,
}

impl<'a> Lowering<'a> {
    /// Whether a condition speaks of clocks, or of deadlocks.
    fn is_symbolic(&self, scope: &Rc<Scope<'a>>, expression: &'a Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Number(_) | ExpressionKind::Bool(_) => false,
            ExpressionKind::Deadlock | ExpressionKind::Rate(_) => true,
            ExpressionKind::Name(_) | ExpressionKind::Index(..) | ExpressionKind::Member(..) => {
                self.type_hint(scope, expression).is_some_and(|ty| ty.has_clock())
            }
            ExpressionKind::Call(..) | ExpressionKind::List(_) | ExpressionKind::Increment { .. } => false,
            ExpressionKind::Not(operand) | ExpressionKind::Minus(operand) => self.is_symbolic(scope, operand),
            ExpressionKind::Binary(_, left, right) | ExpressionKind::Assign(_, left, right) => {
                self.is_symbolic(scope, left) || self.is_symbolic(scope, right)
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                [condition, yes, no].into_iter().any(|part| self.is_symbolic(scope, part))
            }
            ExpressionKind::Quantified(_, name, _, body) => {
                // What is bound is a number, whatever the name means outside.
                let inside = Scope::inside(scope);
                inside.declare(&name.text, Symbol::Object(Object::constant(0, crate::types::INT)));
                self.is_symbolic(&inside, body)
            }
        }
    }

    /// A condition, or what is true when it is not, as conjuncts.
    pub fn conjuncts(
        &mut self,
        scope: &Rc<Scope<'a>>,
        expression: &'a Expression,
        is_negated: bool,
    ) -> Option<Vec<Conjunct>> {
        if !self.is_symbolic(scope, expression) {
            let expr = self.pure(scope, expression)?;
            let condition = if is_negated { not(expr) } else { expr };
            return Some(match condition.constant() {
                Some(0) => Vec::new(),
                Some(_) => vec![Conjunct::default()],
                None => vec![Conjunct { conditions: vec![condition], ..Conjunct::default() }],
            });
        }
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Deadlock => {
                Some(vec![Conjunct { is_stuck: Some(!is_negated), ..Conjunct::default() }])
            }
            ExpressionKind::Not(operand) => self.conjuncts(scope, operand, !is_negated),
            ExpressionKind::Binary(op @ (Operator::And | Operator::Or | Operator::Imply), left, right) => {
                let left = self.conjuncts(scope, left, is_negated != (*op == Operator::Imply));
                let right = self.conjuncts(scope, right, is_negated);
                self.combine((*op == Operator::And) != is_negated, left?, right?, span)
            }
            ExpressionKind::Quantified(
                quantifier @ (Quantifier::Forall | Quantifier::Exists),
                name,
                ty,
                body,
            ) => {
                let (ty, _) = self.type_of(scope, ty)?;
                let is_all = (*quantifier == Quantifier::Forall) != is_negated;
                let mut found = if is_all { vec![Conjunct::default()] } else { Vec::new() };
                for value in self.values_of(&ty, name.span)? {
                    let inside = Scope::inside(scope);
                    inside.declare(&name.text, Symbol::Object(Object::constant(value, ty.clone())));
                    let next = self.conjuncts(&inside, body, is_negated)?;
                    found = self.combine(is_all, found, next, span)?;
                }
                Some(found)
            }
            ExpressionKind::Conditional(condition, yes, no) if !self.is_symbolic(scope, condition) => {
                let (when, unless) =
                    (self.conjuncts(scope, condition, false)?, self.conjuncts(scope, condition, true)?);
                let (yes, no) =
                    (self.conjuncts(scope, yes, is_negated)?, self.conjuncts(scope, no, is_negated)?);
                let (yes, no) = (self.combine(true, when, yes, span)?, self.combine(true, unless, no, span)?);
                self.combine(false, yes, no, span)
            }
            ExpressionKind::Binary(op, left, right) => {
                let Some(op) = comparing(*op, is_negated) else { return self.not_a_condition(span) };
                let (left, right) = (self.linear(scope, left)?, self.linear(scope, right)?);
                let sides =
                    if op == Operator::NotEqual { vec![Operator::Less, Operator::Greater] } else { vec![op] };
                let mut found = Vec::new();
                for op in sides {
                    let clocks = self.comparison(op, left.clone(), right.clone(), span)?;
                    found.push(Conjunct { clocks, ..Conjunct::default() });
                }
                Some(found)
            }
            _ => self.not_a_condition(span),
        }
    }

    /// A condition on locations and integers alone: a proposition of a formula about runs.
    pub fn proposition(&mut self, scope: &Rc<Scope<'a>>, expression: &'a Expression) -> Option<Expr> {
        if self.is_symbolic(scope, expression) {
            let message =
                "a formula about runs cannot speak of clocks or deadlocks: these change while time passes";
            return self.complain("uppaal::clock-in-formula", message, expression.span);
        }
        self.pure(scope, expression)
    }

    fn not_a_condition<T>(&mut self, span: Span) -> Option<T> {
        self.complain("uppaal::clock-expression", "a clock has to be compared with something", span)
    }

    /// Both of two lists, or one of them.
    pub fn combine(
        &mut self,
        is_all: bool,
        left: Vec<Conjunct>,
        right: Vec<Conjunct>,
        span: Span,
    ) -> Option<Vec<Conjunct>> {
        if !is_all {
            let everything = |list: &[Conjunct]| list.contains(&Conjunct::default());
            if everything(&left) || everything(&right) {
                return Some(vec![Conjunct::default()]);
            }
            return Some(left.into_iter().chain(right).collect());
        }
        if left.len().saturating_mul(right.len()) > MOST_CONJUNCTS {
            return self.complain("uppaal::too-large", "condition is too large", span);
        }
        let mut found = Vec::new();
        for first in &left {
            for second in &right {
                let mut merged = first.clone();
                merged.conditions.extend(second.conditions.iter().cloned());
                merged.clocks.extend(second.clocks.iter().cloned());
                match (merged.is_stuck, second.is_stuck) {
                    (Some(one), Some(other)) if one != other => continue,
                    (None, other) => merged.is_stuck = other,
                    _ => {}
                }
                found.push(merged);
            }
        }
        Some(found)
    }

    /// A guard as conjuncts, none of them about deadlocks.
    pub fn guard(&mut self, scope: &Rc<Scope<'a>>, expression: &'a Expression) -> Option<Vec<Guard>> {
        let found = self.conjuncts(scope, expression, false)?;
        if found.iter().any(|conjunct| conjunct.is_stuck.is_some()) {
            return self.complain("uppaal::deadlock", "'deadlock' is for queries only", expression.span);
        }
        Some(
            found
                .into_iter()
                .map(|conjunct| Guard { conditions: conjunct.conditions, clocks: conjunct.clocks })
                .collect(),
        )
    }

    /// An invariant, as long as a condition on integers is true.
    pub fn invariant(
        &mut self,
        scope: &Rc<Scope<'a>>,
        expression: &'a Expression,
        when: Option<&Expr>,
        out: &mut Invariant,
    ) -> Option<()> {
        let span = expression.span;
        if !self.is_symbolic(scope, expression) {
            let expr = self.pure(scope, expression)?;
            let condition = match when {
                Some(when) => binary(BinaryOp::Or, not(when.clone()), expr),
                None => expr,
            };
            if condition.constant().is_none_or(|value| value == 0) {
                out.guard.conditions.push(condition);
            }
            return Some(());
        }
        let and_when = |condition: Expr| match when {
            Some(when) => binary(BinaryOp::And, when.clone(), condition),
            None => condition,
        };
        match &expression.kind {
            ExpressionKind::Binary(Operator::And, left, right) => {
                self.invariant(scope, left, when, out)?;
                self.invariant(scope, right, when, out)
            }
            ExpressionKind::Quantified(Quantifier::Forall, name, ty, body) => {
                let (ty, _) = self.type_of(scope, ty)?;
                for value in self.values_of(&ty, name.span)? {
                    let inside = Scope::inside(scope);
                    inside.declare(&name.text, Symbol::Object(Object::constant(value, ty.clone())));
                    self.invariant(&inside, body, when, out)?;
                }
                Some(())
            }
            ExpressionKind::Binary(op @ (Operator::Or | Operator::Imply), left, right) => {
                let (free, bound) = if self.is_symbolic(scope, left) { (right, left) } else { (left, right) };
                if self.is_symbolic(scope, free) || (*op == Operator::Imply && std::ptr::eq(free, right)) {
                    return self.not_convex(span);
                }
                let free = self.pure(scope, free)?;
                let free = if *op == Operator::Imply { free } else { not(free) };
                let when = and_when(free);
                match when.constant() {
                    Some(0) => Some(()),
                    Some(_) => self.invariant(scope, bound, None, out),
                    None => self.invariant(scope, bound, Some(&when), out),
                }
            }
            ExpressionKind::Conditional(condition, yes, no) if !self.is_symbolic(scope, condition) => {
                let condition = self.pure(scope, condition)?;
                self.invariant(scope, yes, Some(&and_when(condition.clone())), out)?;
                self.invariant(scope, no, Some(&and_when(not(condition))), out)
            }
            ExpressionKind::Binary(Operator::Equal, left, right) if is_rate(left) || is_rate(right) => {
                let (rate, value) = if is_rate(left) { (left, right) } else { (right, left) };
                self.rate(scope, rate, value, when.is_some(), out)
            }
            _ => {
                let found = self.conjuncts(scope, expression, false)?;
                let [conjunct] = &found[..] else { return self.not_convex(span) };
                if conjunct.is_stuck.is_some() {
                    return self.complain("uppaal::deadlock", "'deadlock' is for queries only", span);
                }
                for constraint in &conjunct.clocks {
                    let mut constraint = constraint.clone();
                    if let Some(when) = when {
                        constraint.bound = Expr::Choose(
                            Box::new(when.clone()),
                            Box::new(constraint.bound),
                            Box::new(Expr::NoBound),
                        );
                    }
                    out.guard.clocks.push(constraint);
                }
                Some(())
            }
        }
    }

    fn not_convex<T>(&mut self, span: Span) -> Option<T> {
        self.complain("uppaal::not-convex", "an invariant is a conjunction of bounds on clocks", span)
    }

    fn rate(
        &mut self,
        scope: &Rc<Scope<'a>>,
        rate: &'a Expression,
        value: &'a Expression,
        is_conditional: bool,
        out: &mut Invariant,
    ) -> Option<()> {
        let span = rate.span.to(value.span);
        let ExpressionKind::Rate(clock) = &rate.kind else { return None };
        let unsupported = "clocks run at rate 1: stopwatches and other rates are not supported";
        let Some(known) = self.pure(scope, value)?.constant() else {
            return self.complain("uppaal::clock-rate", unsupported, span);
        };
        if matches!(&clock.kind, ExpressionKind::Name(name) if matches!(scope.find(name), Some(Symbol::Cost(_))))
        {
            if is_conditional || known < 0 {
                return self.complain("uppaal::cost", "the rate of cost is a constant, 0 or more", span);
            }
            out.cost_rate = Some((known, span));
            return Some(());
        }
        if known != 1 || is_conditional {
            return self.complain("uppaal::clock-rate", unsupported, span);
        }
        Some(())
    }

    /// A sum of clocks and integers.
    fn linear(&mut self, scope: &Rc<Scope<'a>>, expression: &'a Expression) -> Option<Linear> {
        if !self.is_symbolic(scope, expression) {
            let integer = self.pure(scope, expression)?;
            return Some(Linear { plus: Vec::new(), minus: Vec::new(), integer });
        }
        match &expression.kind {
            ExpressionKind::Name(_) | ExpressionKind::Index(..) | ExpressionKind::Member(..) => {
                let mut prelude = Vec::new();
                let object = self.object(scope, expression, &mut prelude)?;
                if !prelude.is_empty() || object.ty != crate::types::Type::Clock {
                    return self.complain("uppaal::clock-expression", "expected one clock", expression.span);
                }
                let plus = vec![object.clock()];
                Some(Linear { plus, minus: Vec::new(), integer: Expr::Constant(0) })
            }
            ExpressionKind::Binary(op @ (Operator::Add | Operator::Subtract), left, right) => {
                let (left, right) = (self.linear(scope, left)?, self.linear(scope, right)?);
                Some(left.and(if *op == Operator::Add { right } else { right.negated() }))
            }
            ExpressionKind::Minus(operand) => Some(self.linear(scope, operand)?.negated()),
            _ => {
                let message = "clocks can only be added, taken away and compared";
                self.complain("uppaal::clock-expression", message, expression.span)
            }
        }
    }

    /// The bounds that a comparison stands for; not for `!=`.
    fn comparison(
        &mut self,
        op: Operator,
        left: Linear,
        right: Linear,
        span: Span,
    ) -> Option<Vec<ClockConstraint>> {
        let Linear { plus, minus, integer } = left.and(right.negated());
        if plus.len() > 1 || minus.len() > 1 {
            let message = "a bound can be on a clock or on the difference of two clocks only";
            return self.complain("uppaal::clock-expression", message, span);
        }
        let (plus, minus) = (plus.into_iter().next(), minus.into_iter().next());
        let ranges = self.network.ranges();
        let Interval { least, most } = integer.interval(&ranges);
        if least < -MOST_CONSTANT || most > MOST_CONSTANT {
            let message = format!("clocks can be compared with numbers up to {MOST_CONSTANT} only");
            return self.complain("uppaal::too-large", message, span);
        }
        if plus.is_some() && minus.is_some() && integer.constant().is_none() {
            let message = "a difference of clocks can be compared with a constant only";
            return self.complain("uppaal::unsupported", message, span);
        }
        // plus - minus + integer op 0.
        let upper = |is_strict| ClockConstraint {
            left: plus.clone(),
            right: minus.clone(),
            bound: fold(Expr::Unary(UnaryOp::Minus, Box::new(integer.clone()))),
            is_strict,
        };
        let lower = |is_strict| ClockConstraint {
            left: minus.clone(),
            right: plus.clone(),
            bound: integer.clone(),
            is_strict,
        };
        Some(match op {
            Operator::Less => vec![upper(true)],
            Operator::AtMost => vec![upper(false)],
            Operator::Greater => vec![lower(true)],
            Operator::AtLeast => vec![lower(false)],
            _ => vec![upper(false), lower(false)],
        })
    }
}

fn is_rate(expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::Rate(_))
}

/// The comparison, or its opposite.
fn comparing(op: Operator, is_negated: bool) -> Option<Operator> {
    let opposite = match op {
        Operator::Equal => Operator::NotEqual,
        Operator::NotEqual => Operator::Equal,
        Operator::Less => Operator::AtLeast,
        Operator::AtLeast => Operator::Less,
        Operator::Greater => Operator::AtMost,
        Operator::AtMost => Operator::Greater,
        _ => return None,
    };
    Some(if is_negated { opposite } else { op })
}
