//! Which locals of a sequence of statements are read before they are given a value, and statements that give one that nobody reads.
//!
//! A pass backwards. What is live at [`Statement::Leave`] is what is live after the block that it ends.

use std::collections::BTreeSet;

use crate::expr::Expr;
use crate::network::{ClockConstraint, ClockPlace, Guard, Network};
use crate::statement::{Compute, Place, Statement};

/// Numbers of locals.
pub(crate) type Locals = BTreeSet<usize>;

/// A network that does the same, without statements that give a local a constant that nobody reads.
pub(crate) fn tidied(network: &Network) -> Network {
    let mut network = network.clone();
    for process in &mut network.processes {
        for location in &mut process.locations {
            location.invariant = tidied_guard(&location.invariant);
        }
        for edge in &mut process.edges {
            edge.guard = tidied_guard(&edge.guard);
            edge.update = without_dead(&edge.update, &Locals::new()).0;
        }
    }
    network
}

/// A guard that says the same, in this way.
pub(crate) fn tidied_guard(guard: &Guard) -> Guard {
    let bound = |one: &ClockConstraint| ClockConstraint {
        left: one.left.as_ref().map(tidied_place),
        right: one.right.as_ref().map(tidied_place),
        bound: tidied_expr(&one.bound),
        is_strict: one.is_strict,
    };
    Guard {
        conditions: guard.conditions.iter().map(tidied_expr).collect(),
        clocks: guard.clocks.iter().map(bound).collect(),
    }
}

fn tidied_place(place: &ClockPlace) -> ClockPlace {
    ClockPlace { index: place.index.as_ref().map(tidied_expr), ..place.clone() }
}

fn tidied_expr(expr: &Expr) -> Expr {
    let boxed = |expr: &Expr| Box::new(tidied_expr(expr));
    match expr {
        Expr::Element { first, length, index } => {
            Expr::Element { first: *first, length: *length, index: boxed(index) }
        }
        Expr::LocalElement { first, length, index } => {
            Expr::LocalElement { first: *first, length: *length, index: boxed(index) }
        }
        Expr::Unary(operator, operand) => Expr::Unary(*operator, boxed(operand)),
        Expr::Binary(operator, left, right) => Expr::Binary(*operator, boxed(left), boxed(right)),
        Expr::Choose(condition, yes, no) => Expr::Choose(boxed(condition), boxed(yes), boxed(no)),
        Expr::Table { values, index } => Expr::Table { values: values.clone(), index: boxed(index) },
        Expr::Within(inner, length) => Expr::Within(boxed(inner), *length),
        Expr::Ranged(inner, least, most) => Expr::Ranged(boxed(inner), *least, *most),
        Expr::Compute(compute) => {
            let mut read = Locals::new();
            read_by(&compute.result, &mut read);
            let (statements, _) = without_dead(&compute.statements, &read);
            let result = tidied_expr(&compute.result);
            Expr::Compute(Compute { statements, result, n_locals: compute.n_locals }.into())
        }
        Expr::Constant(_)
        | Expr::Variable(_)
        | Expr::Local(_)
        | Expr::At { .. }
        | Expr::HasLabel(_)
        | Expr::NoBound => expr.clone(),
    }
}

/// The locals that a guard reads before it gives them a value.
pub(crate) fn read_by_guard(guard: &Guard) -> Locals {
    let mut read = Locals::new();
    guard.conditions.iter().for_each(|one| read_by(one, &mut read));
    for bound in &guard.clocks {
        [&bound.left, &bound.right].into_iter().flatten().for_each(|place| read_by_place(place, &mut read));
        read_by(&bound.bound, &mut read);
    }
    read
}

/// Statements without those that give a local a constant that nobody reads, and the locals that they read before they give them a value.
pub(crate) fn without_dead(statements: &[Statement], after: &Locals) -> (Vec<Statement>, Locals) {
    backwards(statements, after, after)
}

/// `left` is live after the innermost block.
fn backwards(statements: &[Statement], after: &Locals, left: &Locals) -> (Vec<Statement>, Locals) {
    let mut live = after.clone();
    let mut kept = Vec::new();
    for statement in statements.iter().rev() {
        if let Some(statement) = step_back(statement, &mut live, left) {
            kept.push(statement);
        }
    }
    kept.reverse();
    (kept, live)
}

/// The statement, unless it is dead; `live` becomes what is live before it.
fn step_back(statement: &Statement, live: &mut Locals, left: &Locals) -> Option<Statement> {
    Some(match statement {
        Statement::Assign { place: place @ Place::Local { first, index: None, .. }, value } => {
            let is_read = live.remove(first);
            if !is_read && matches!(value, Expr::Constant(_)) {
                return None;
            }
            read_by(value, live);
            Statement::Assign { place: place.clone(), value: tidied_expr(value) }
        }
        Statement::Assign { place, value } => {
            let mut place = place.clone();
            let (Place::Variable { index, .. } | Place::Local { index, .. }) = &mut place;
            if let Some(index) = index {
                read_by(index, live);
                *index = tidied_expr(index);
            }
            read_by(value, live);
            Statement::Assign { place, value: tidied_expr(value) }
        }
        Statement::SetClock { clock, from, value } => {
            read_by_place(clock, live);
            from.iter().for_each(|place| read_by_place(place, live));
            read_by(value, live);
            Statement::SetClock {
                clock: tidied_place(clock),
                from: from.as_ref().map(tidied_place),
                value: tidied_expr(value),
            }
        }
        Statement::If { condition, then, otherwise } => {
            let (then, mut before) = backwards(then, live, left);
            let (otherwise, before_otherwise) = backwards(otherwise, live, left);
            before.extend(before_otherwise);
            *live = before;
            read_by(condition, live);
            Statement::If { condition: tidied_expr(condition), then, otherwise }
        }
        Statement::While { condition, body } => {
            // What one turn reads may come from the turn before.
            read_by(condition, live);
            loop {
                let (_, before) = backwards(body, live, left);
                if before.is_subset(live) {
                    break;
                }
                live.extend(before);
            }
            let (body, _) = backwards(body, live, left);
            Statement::While { condition: tidied_expr(condition), body }
        }
        Statement::Block(body) => {
            let (body, before) = backwards(body, live, live);
            *live = before;
            Statement::Block(body.into())
        }
        Statement::Leave => {
            live.clone_from(left);
            Statement::Leave
        }
    })
}

fn read_by_place(place: &ClockPlace, read: &mut Locals) {
    place.index.iter().for_each(|index| read_by(index, read));
}

fn read_by(expr: &Expr, read: &mut Locals) {
    match expr {
        Expr::Local(local) => {
            read.insert(*local);
        }
        Expr::LocalElement { first, length, index } => {
            read.extend(*first..first + *length as usize);
            read_by(index, read);
        }
        Expr::Element { index, .. } | Expr::Table { index, .. } => read_by(index, read),
        Expr::Unary(_, inner) | Expr::Within(inner, _) | Expr::Ranged(inner, ..) => read_by(inner, read),
        Expr::Binary(_, left, right) => {
            read_by(left, read);
            read_by(right, read);
        }
        Expr::Choose(condition, yes, no) => {
            [condition, yes, no].into_iter().for_each(|one| read_by(one, read));
        }
        Expr::Compute(compute) => {
            let mut result = Locals::new();
            read_by(&compute.result, &mut result);
            read.extend(without_dead(&compute.statements, &result).1);
        }
        Expr::Constant(_) | Expr::Variable(_) | Expr::At { .. } | Expr::HasLabel(_) | Expr::NoBound => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn give(local: usize, value: Expr) -> Statement {
        Statement::Assign { place: Place::Local { first: local, length: 1, index: None }, value }
    }

    #[test]
    fn what_nobody_reads_is_left_out() {
        let zero = || Expr::Constant(0);
        let returning = |value| vec![give(0, value), Statement::Leave];
        // A function with a result: first 0, then one of two.
        let condition = Expr::Local(1);
        let body = vec![
            give(0, zero()),
            Statement::If { condition, then: returning(Expr::Variable(3)), otherwise: Vec::new() },
            give(0, Expr::Variable(4)),
        ];
        let result = Locals::from([0]);
        let (kept, live) = without_dead(&[Statement::Block(body.clone().into())], &result);
        assert_eq!(kept, [Statement::Block(body[1..].into())]);
        assert_eq!(live, Locals::from([1]));
        // Without the last return the first value may be the result.
        let (kept, _) = without_dead(&[Statement::Block(body[..2].into())], &result);
        assert_eq!(kept, [Statement::Block(body[..2].into())]);
    }

    #[test]
    fn a_loop_reads_what_its_last_turn_gave() {
        let body = vec![give(1, Expr::Local(0)), give(0, Expr::Constant(7))];
        let turns = Statement::While { condition: Expr::Variable(0), body };
        let (kept, live) = without_dead(std::slice::from_ref(&turns), &Locals::from([1]));
        assert_eq!(kept, [turns]);
        assert_eq!(live, Locals::from([0, 1]));
    }
}
