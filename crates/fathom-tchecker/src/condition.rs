//! Conditions: guards, invariants, and what is asked about states.
//!
//! A condition over integers, locations and clocks becomes a list of conjuncts of which one has to be true: bounds on
//! clocks stand alone in them, so that each is one zone. Guards and invariants have to be convex, hence one conjunct.

use fathom_source::Diagnostic;
use fathom_timed::{BinaryOp, Conjunct, Expr, Guard, Interval, UnaryOp};

use crate::expression::{Reader, Written, WrittenKind};
use crate::lexer::lex;
use crate::linear::{comparison, linear};
use crate::scope::Scope;
use crate::syntax::Text;

/// Conjuncts after which a condition is too large.
const MOST_CONJUNCTS: usize = 1000;
/// Largest constant that a clock is compared with.
pub(crate) const MOST_CONSTANT: i64 = 1 << 20;

/// A guard or an invariant.
pub(crate) fn guard(scope: &Scope, text: &Text, diagnostics: &mut Vec<Diagnostic>) -> Option<Guard> {
    if text.text.is_empty() {
        return Some(Guard::default());
    }
    let conjuncts = conjuncts(scope, text, false, diagnostics)?;
    let [Conjunct { conditions, clocks, .. }] = &conjuncts[..] else {
        let message = "bounds on clocks can be combined with '&&' only";
        let note = "what is not convex can be written as several edges";
        diagnostics.push(Diagnostic::error("tchecker::not-convex", message).at(text.span, "").note(note));
        return None;
    };
    Some(Guard { conditions: conditions.clone(), clocks: clocks.clone() })
}

/// A condition, or what is true when it is not, as conjuncts.
pub(crate) fn conjuncts(
    scope: &Scope,
    text: &Text,
    is_negated: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Conjunct>> {
    let tokens = lex(text, diagnostics);
    let mut reader = Reader::new(&tokens, diagnostics);
    let written = reader.expression()?;
    reader.finish()?;
    let found = split(scope, &written, is_negated, diagnostics)?;
    let is_fine = found.iter().all(|conjunct| is_in_range(scope, conjunct, text, diagnostics));
    is_fine.then_some(found)
}

/// A condition on locations and integers alone: a proposition of a formula about runs.
pub(crate) fn proposition(scope: &Scope, text: &Text, diagnostics: &mut Vec<Diagnostic>) -> Option<Expr> {
    let tokens = lex(text, diagnostics);
    let mut reader = Reader::new(&tokens, diagnostics);
    let written = reader.expression()?;
    reader.finish()?;
    if scope.has_clock(&written) {
        let message = "a formula about runs cannot speak of clocks: these change while time passes";
        let problem = Diagnostic::error("tchecker::clock-in-formula", message);
        diagnostics.push(problem.at(written.span, "a bound on clocks"));
        return None;
    }
    scope.integer(&written, diagnostics)
}

fn split(
    scope: &Scope,
    written: &Written,
    is_negated: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Conjunct>> {
    if !scope.has_clock(written) {
        let expr = scope.integer(written, diagnostics)?;
        let condition = if is_negated { Expr::Unary(UnaryOp::Not, Box::new(expr)) } else { expr };
        return Some(match condition.constant() {
            Some(0) if is_negated => Vec::new(),
            Some(value) if value != 0 => vec![Conjunct::default()],
            _ => vec![Conjunct { conditions: vec![condition], ..Conjunct::default() }],
        });
    }
    match &written.kind {
        WrittenKind::Unary(UnaryOp::Not, operand) => split(scope, operand, !is_negated, diagnostics),
        WrittenKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            let left = split(scope, left, is_negated, diagnostics);
            let right = split(scope, right, is_negated, diagnostics);
            let (left, right) = (left?, right?);
            let found = if (*op == BinaryOp::And) != is_negated {
                both(&left, &right)
            } else {
                left.into_iter().chain(right).collect()
            };
            if found.len() > MOST_CONJUNCTS {
                let message = "condition is too large";
                diagnostics.push(Diagnostic::error("tchecker::too-large", message).at(written.span, ""));
                return None;
            }
            Some(found)
        }
        WrittenKind::Binary(op, left, right) => {
            let Some(op) = (if is_negated { opposite(*op) } else { comparing(*op) }) else {
                return not_a_condition(written, diagnostics);
            };
            let (left, right) = (linear(scope, left, diagnostics), linear(scope, right, diagnostics));
            let (left, right) = (left?, right?);
            let sides =
                if op == BinaryOp::NotEqual { vec![BinaryOp::Less, BinaryOp::Greater] } else { vec![op] };
            let mut found = Vec::new();
            for op in sides {
                let clocks = comparison(op, left.clone(), right.clone(), written.span, diagnostics)?;
                found.push(Conjunct { clocks, ..Conjunct::default() });
            }
            Some(found)
        }
        _ => not_a_condition(written, diagnostics),
    }
}

fn not_a_condition<T>(written: &Written, diagnostics: &mut Vec<Diagnostic>) -> Option<T> {
    let message = "a clock has to be compared with something";
    diagnostics.push(Diagnostic::error("tchecker::clock-expression", message).at(written.span, ""));
    None
}

/// The operator, if it compares.
fn comparing(op: BinaryOp) -> Option<BinaryOp> {
    opposite(op).and_then(opposite)
}

/// The operator that is true when this one is not, if it compares.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Less => BinaryOp::AtLeast,
        BinaryOp::AtLeast => BinaryOp::Less,
        BinaryOp::Greater => BinaryOp::AtMost,
        BinaryOp::AtMost => BinaryOp::Greater,
        _ => return None,
    })
}

/// Each conjunct of one list with each of another.
fn both(left: &[Conjunct], right: &[Conjunct]) -> Vec<Conjunct> {
    let mut found = Vec::new();
    for first in left {
        for second in right.iter().take(MOST_CONJUNCTS + 1) {
            let mut merged = first.clone();
            merged.conditions.extend(second.conditions.iter().cloned());
            merged.clocks.extend(second.clocks.iter().cloned());
            found.push(merged);
            if found.len() > MOST_CONJUNCTS {
                return found;
            }
        }
    }
    found
}

/// Whether the constants of clocks are small enough, and those of differences constants at all.
fn is_in_range(scope: &Scope, conjunct: &Conjunct, text: &Text, diagnostics: &mut Vec<Diagnostic>) -> bool {
    for constraint in &conjunct.clocks {
        let Interval { least, most } = constraint.bound.interval(&scope.ranges);
        if least < -MOST_CONSTANT || most > MOST_CONSTANT {
            let message = format!("clocks can be compared with numbers up to {MOST_CONSTANT} only");
            let note = format!("here the number may be {least} or {most}");
            diagnostics.push(Diagnostic::error("tchecker::too-large", message).at(text.span, "").note(note));
            return false;
        }
        if constraint.is_diagonal() && constraint.bound.constant().is_none() {
            let message = "a difference of clocks can be compared with a constant only";
            diagnostics.push(Diagnostic::error("tchecker::unsupported", message).at(text.span, ""));
            return false;
        }
    }
    true
}
