//! Sets: the right sides of assignments that leave a choice.
//!
//! A set is no value. What is assigned one gets any of its members ([`Flat::member`]); that all of them are values of the variable is
//! asserted ([`Flat::members_fit`]), since a member outside the type of the variable would otherwise be left out without a word.

use std::collections::BTreeSet;

use fathom_model::{BinaryOp as Op, Expr as ModelExpr};
use fathom_source::Span;

use crate::expr::{Context, DEEPEST, no_branch};
use crate::flatten::{Flat, Symbol};
use crate::syntax::{BinaryOp, Expr, ExprKind};
use crate::value::{Domain, Ty, Value, both, equal, fold};

impl Flat {
    /// Whether an expression is a set.
    pub(crate) fn is_set(&mut self, expr: &Expr, scope: usize) -> bool {
        self.is_set_within(expr, scope, 0)
    }

    fn is_set_within(&mut self, expr: &Expr, scope: usize, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        match &expr.kind {
            ExprKind::Set(elements) => {
                elements.len() > 1 || elements.iter().any(|one| self.is_set_within(one, scope, depth + 1))
            }
            ExprKind::Range(..) | ExprKind::Binary(BinaryOp::Union, ..) => true,
            ExprKind::Case(branches) => {
                branches.iter().any(|(_, branch)| self.is_set_within(branch, scope, depth + 1))
            }
            ExprKind::Conditional(_, then, otherwise) => {
                self.is_set_within(then, scope, depth + 1) || self.is_set_within(otherwise, scope, depth + 1)
            }
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) => match self.symbol(expr, scope) {
                Some(Symbol::Define((value, scope))) => self.is_set_within(&value, scope, depth + 1),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a value is in a set, or equal to a value.
    pub(crate) fn member(&mut self, set: &Expr, context: &Context<'_>, value: &Value) -> ModelExpr {
        if context.depth > DEEPEST {
            self.too_deep(set.span);
            return ModelExpr::Const(0);
        }
        let is_set = matches!(&set.kind, ExprKind::Set(_) | ExprKind::Binary(BinaryOp::Union, ..));
        let among = context.among || is_set && self.has_alike(set, context, value);
        let context = &Context { depth: context.depth + 1, among, ..context.clone() };
        match &set.kind {
            ExprKind::Set(elements) => {
                let parts: Vec<ModelExpr> =
                    elements.iter().map(|element| self.member(element, context, value)).collect();
                balanced(Op::Or, parts)
            }
            ExprKind::Binary(BinaryOp::Union, ..) => {
                let parts: Vec<ModelExpr> =
                    united(set).into_iter().map(|part| self.member(part, context, value)).collect();
                balanced(Op::Or, parts)
            }
            ExprKind::Range(low, high) => {
                let (low, high) = (self.end_of_range(low, context), self.end_of_range(high, context));
                if context.among && self.is_symbol(value) {
                    return ModelExpr::Const(0);
                }
                let value = self.as_number(value, set.span);
                let least = ModelExpr::binary(Op::GreaterEqual, value.expr.clone(), low.expr);
                let most = ModelExpr::binary(Op::LessEqual, value.expr, high.expr);
                both(least, most)
            }
            ExprKind::Case(branches) => {
                let mut rest = no_branch();
                for (condition, branch) in branches.iter().rev() {
                    let condition = self.truth(condition, context);
                    let here = self.member(branch, context, value);
                    rest = match fold(&condition) {
                        Some(1) => here,
                        _ => ModelExpr::Conditional(Box::new(condition), Box::new(here), Box::new(rest)),
                    };
                }
                rest
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.truth(condition, context);
                let (then, otherwise) =
                    (self.member(then, context, value), self.member(otherwise, context, value));
                ModelExpr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise))
            }
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..)
                if self.is_set(set, context.scope) =>
            {
                match self.symbol(set, context.scope) {
                    Some(Symbol::Define((inner, scope))) => {
                        self.member(&inner, &Context { scope, ..context.clone() }, value)
                    }
                    _ => ModelExpr::Const(0),
                }
            }
            _ => {
                let one = self.value(set, context);
                if one.ty == Ty::Broken {
                    return ModelExpr::Const(0);
                }
                if value.ty == Ty::Broken {
                    // Whatever it depends on is found in it all the same.
                    return equal(value.expr.clone(), one.expr);
                }
                if context.among && self.are_unlike(value, &one) {
                    return ModelExpr::Const(0);
                }
                self.equality(true, value.clone(), one, set.span).expr
            }
        }
    }

    /// Whether one value is a number and the other is none for sure.
    fn are_unlike(&self, one: &Value, other: &Value) -> bool {
        one.ty == Ty::Int && self.is_symbol(other) || other.ty == Ty::Int && self.is_symbol(one)
    }

    /// Whether a set has a member that a number, or a symbolic constant, can be compared with: then it can be looked for in the whole set.
    fn has_alike(&mut self, set: &Expr, context: &Context<'_>, value: &Value) -> bool {
        if value.ty != Ty::Int && !self.is_symbol(value) {
            return false;
        }
        let (n_said, n_nodes) = (self.diagnostics.len(), self.n_nodes);
        let mut waiting = vec![set];
        let mut has_alike = false;
        while let Some(one) = waiting.pop().filter(|_| !has_alike) {
            match &one.kind {
                ExprKind::Set(elements) => waiting.extend(elements),
                ExprKind::Binary(BinaryOp::Union, left, right) => waiting.extend([&**left, &**right]),
                ExprKind::Range(..) => has_alike = value.ty == Ty::Int,
                _ => {
                    let found = self.value(one, context);
                    let is_fit = matches!(found.ty, Ty::Int | Ty::Enum(_) | Ty::Any);
                    has_alike = is_fit && !self.are_unlike(value, &found);
                }
            }
        }
        self.diagnostics.truncate(n_said);
        self.n_nodes = n_nodes;
        has_alike
    }

    /// Whether the members of a set depend on the value of a variable after the step, by its offset.
    pub(crate) fn set_reads(&mut self, set: &Expr, context: &Context<'_>, offset: u32) -> bool {
        let (n_said, n_nodes) = (self.diagnostics.len(), self.n_nodes);
        let any = Value { expr: ModelExpr::Const(0), ty: Ty::Broken, least: 0, most: 0, values: None };
        let mut reads = BTreeSet::new();
        Flat::reads_after(&self.member(set, context, &any), &mut reads);
        self.diagnostics.truncate(n_said);
        self.n_nodes = n_nodes;
        reads.contains(&offset)
    }

    /// Whether all members of a set are values of a type; what is of another kind is said to be wrong.
    pub(crate) fn members_fit(&mut self, set: &Expr, context: &Context<'_>, domain: &Domain) -> ModelExpr {
        if context.depth > DEEPEST {
            self.too_deep(set.span);
            return ModelExpr::Const(1);
        }
        let context = &Context { depth: context.depth + 1, ..context.clone() };
        let known = |fits: &ModelExpr| fold(fits) == Some(1);
        let either = |condition: ModelExpr, then: ModelExpr, otherwise: ModelExpr| {
            if known(&then) && known(&otherwise) || known(&condition) {
                return then;
            }
            ModelExpr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise))
        };
        match &set.kind {
            ExprKind::Set(elements) => {
                let each = elements.iter().map(|element| self.members_fit(element, context, domain));
                let parts = each.filter(|fits| !known(fits)).collect::<Vec<ModelExpr>>();
                if parts.is_empty() { ModelExpr::Const(1) } else { balanced(Op::And, parts) }
            }
            ExprKind::Binary(BinaryOp::Union, ..) => {
                let each = united(set).into_iter().map(|part| self.members_fit(part, context, domain));
                let parts = each.filter(|fits| !known(fits)).collect::<Vec<ModelExpr>>();
                if parts.is_empty() { ModelExpr::Const(1) } else { balanced(Op::And, parts) }
            }
            ExprKind::Range(low, high) => {
                let (low, high) = (self.end_of_range(low, context), self.end_of_range(high, context));
                self.range_fits(low, high, domain, set.span)
            }
            ExprKind::Case(branches) => {
                let mut rest = ModelExpr::Const(1);
                for (condition, branch) in branches.iter().rev() {
                    let condition = self.truth(condition, context);
                    rest = either(condition, self.members_fit(branch, context, domain), rest);
                }
                rest
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.truth(condition, context);
                let then = self.members_fit(then, context, domain);
                either(condition, then, self.members_fit(otherwise, context, domain))
            }
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..)
                if self.is_set(set, context.scope) =>
            {
                match self.symbol(set, context.scope) {
                    Some(Symbol::Define((inner, scope))) => {
                        self.members_fit(&inner, &Context { scope, ..context.clone() }, domain)
                    }
                    _ => ModelExpr::Const(1),
                }
            }
            _ => {
                let one = self.value(set, context);
                let one = self.assignable(one, domain, set.span);
                if one.ty == Ty::Broken || domain.includes(&one) {
                    return ModelExpr::Const(1);
                }
                domain.contains(&one.expr)
            }
        }
    }

    /// An end of a range.
    fn end_of_range(&mut self, end: &Expr, context: &Context<'_>) -> Value {
        let value = self.value(end, context);
        match value.ty {
            Ty::Int | Ty::Broken => value,
            other => self.expected("a number", other, end.span),
        }
    }

    /// What is compared with the ends of a range.
    fn as_number(&mut self, value: &Value, span: Span) -> Value {
        match value.ty {
            Ty::Int | Ty::Bool | Ty::Broken => value.clone(),
            Ty::Enum(_) | Ty::Any if !self.is_symbol(value) => self.coded(value.clone(), span),
            other => self.expected(&other.describe(), Ty::Int, span),
        }
    }

    /// Whether all numbers of a range are values of a type: where the type has gaps, none of them is in a gap.
    fn range_fits(&mut self, low: Value, high: Value, domain: &Domain, span: Span) -> ModelExpr {
        let rows = self.rows_of_numbers(domain);
        if rows.is_empty() || matches!(domain.ty, Ty::Word { .. }) {
            self.expected(&domain.ty.describe(), Ty::Int, span);
        }
        let holds = |(first, last): &(i64, i64)| *first <= low.least && high.most <= *last;
        if low.ty == Ty::Broken || high.ty == Ty::Broken || rows.iter().any(holds) {
            return ModelExpr::Const(1);
        }
        let is_empty = ModelExpr::binary(Op::Greater, low.expr.clone(), high.expr.clone());
        rows.into_iter().fold(is_empty, |any, (first, last)| {
            let from = ModelExpr::binary(Op::GreaterEqual, low.expr.clone(), ModelExpr::Const(first));
            let to = ModelExpr::binary(Op::LessEqual, high.expr.clone(), ModelExpr::Const(last));
            ModelExpr::binary(Op::Or, any, both(from, to))
        })
    }
}

/// The parts of a union.
fn united(set: &Expr) -> Vec<&Expr> {
    let (mut parts, mut waiting) = (Vec::new(), vec![set]);
    while let Some(one) = waiting.pop() {
        match &one.kind {
            ExprKind::Binary(BinaryOp::Union, left, right) => waiting.extend([&**right, &**left]),
            _ => parts.push(one),
        }
    }
    parts
}

/// Many expressions joined by an operator, as deep as their number has digits.
fn balanced(op: Op, mut parts: Vec<ModelExpr>) -> ModelExpr {
    while parts.len() > 1 {
        let mut joined = Vec::with_capacity(parts.len().div_ceil(2));
        let mut rest = parts.into_iter();
        while let Some(one) = rest.next() {
            joined.push(match rest.next() {
                Some(other) => ModelExpr::binary(op, one, other),
                None => one,
            });
        }
        parts = joined;
    }
    parts.pop().unwrap_or(ModelExpr::Const(0))
}
