//! Formula distance: how far a state is from making an expression true, or false.
//!
//! Conjunctions add up what their parts lack, disjunctions take the nearest part, comparisons measure how far their
//! sides are apart, and "process at location" is the local control distance plus what the guards before the location
//! lack. Source: Edelkamp, Leue and Lluch Lafuente, "Directed explicit-state model checking in the validation of
//! communication protocols" (2004). What differs is the [`Measure`]: numbers that are only names (a block on another
//! block) must be counted as right or wrong, and a bound that never exceeds the true distance takes the largest part
//! where the estimate takes the sum.

use std::collections::BTreeMap;

use fathom_model::{BinaryOp, ChannelQuery, Expr, LocationId, Model, TemplateId, UnaryOp};

use crate::local::{LocalGoal, NEVER};
use crate::view::View;

/// What a part that is not as wanted costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    /// What its numbers lack.
    Differences,
    /// One.
    Wrong,
    /// One, and of several parts the largest counts: a lower bound on the number of steps.
    Bound,
}

/// More than any distance that is measured.
pub(crate) const FAR: u32 = 1 << 20;

/// The distances to the locations that expressions mention.
pub(crate) type LocalGoals = BTreeMap<(TemplateId, LocationId), LocalGoal>;

/// Adds the locations that an expression mentions.
pub(crate) fn collect_locations(model: &Model, expr: &Expr, goals: &mut LocalGoals) {
    match expr {
        Expr::AtLocation { template, location, .. } => {
            let new = || LocalGoal::new(model, *template, &[*location]);
            goals.entry((*template, *location)).or_insert_with(new);
        }
        Expr::Unary(_, operand) => collect_locations(model, operand, goals),
        Expr::Binary(_, left, right) => {
            collect_locations(model, left, goals);
            collect_locations(model, right, goals);
        }
        Expr::Conditional(condition, then, otherwise) => {
            for part in [condition, then, otherwise] {
                collect_locations(model, part, goals);
            }
        }
        _ => {}
    }
}

/// Measures states.
#[derive(Clone, Copy)]
pub(crate) struct Ruler<'a> {
    pub view: &'a View<'a>,
    pub goals: &'a LocalGoals,
    pub measure: Measure,
    /// How deep guards of guards may be followed.
    pub depth: u32,
}

impl Ruler<'_> {
    /// The distance to an expression, seen by a process, being true or false.
    pub fn distance(&self, expr: &Expr, own: Option<usize>, wanted: bool) -> u32 {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => self.distance(operand, own, !wanted),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let (one, other) = (self.distance(left, own, wanted), self.distance(right, own, wanted));
                if (*op == BinaryOp::And) == wanted { self.all(one, other) } else { one.min(other) }
            }
            Expr::Binary(op, left, right) if is_comparison(*op) => {
                match (self.view.value(left, own), self.view.value(right, own)) {
                    (Some(left), Some(right)) => self.part(lack(*op, left, right, wanted)),
                    _ => 1,
                }
            }
            Expr::Conditional(condition, then, otherwise) => {
                let branch = |is_true: bool, branch: &Expr| {
                    self.all(self.distance(condition, own, is_true), self.distance(branch, own, wanted))
                };
                branch(true, then).min(branch(false, otherwise))
            }
            Expr::Const(value) => {
                if (*value != 0) == wanted {
                    0
                } else {
                    FAR
                }
            }
            Expr::AtLocation { template, process, location } if wanted => {
                self.location(*template, process.as_deref(), *location, own)
            }
            Expr::Channel(query, channel) => {
                let Some(channel) = self.view.channel(channel, own) else { return 1 };
                let (length, capacity) = self.view.length(channel);
                self.part(lack_of_messages(*query, length, capacity, wanted))
            }
            _ => self.view.value(expr, own).map_or(1, |value| u32::from((value != 0) != wanted)),
        }
    }

    /// What two parts cost together.
    fn all(&self, one: u32, other: u32) -> u32 {
        match self.measure {
            Measure::Bound => one.max(other),
            _ => one.saturating_add(other).min(FAR),
        }
    }

    fn part(&self, lack: u64) -> u32 {
        match self.measure {
            Measure::Differences => lack.min(u64::from(FAR)) as u32,
            _ => lack.min(1) as u32,
        }
    }

    /// The distance to a process being at a location. One that does not exist has to be created first.
    fn location(
        &self,
        template: TemplateId,
        process: Option<&Expr>,
        location: LocationId,
        own: Option<usize>,
    ) -> u32 {
        let found = self.view.find(template, process, own);
        match self.goals.get(&(template, location)) {
            Some(goal) => self.local(goal, found),
            None => u32::from(found.is_none_or(|process| self.view.location(process) != location)),
        }
    }

    /// The distance of a process to a local goal.
    pub fn local(&self, goal: &LocalGoal, process: Option<usize>) -> u32 {
        let initial = self.view.model.template(goal.template).initial;
        let afresh = goal.steps(initial).saturating_add(1).min(FAR);
        let Some(at) = process.map(|process| self.view.location(process)) else { return afresh };
        // A process may end and another one of its template take its place.
        let steps = match (goal.steps(at), self.measure) {
            (steps, Measure::Bound) => return steps.min(afresh),
            (NEVER, _) => return FAR,
            (steps, _) => steps,
        };
        if self.depth == 0 || goal.is_inside(at) {
            return steps;
        }
        let inner = Ruler { depth: self.depth - 1, ..*self };
        let gates = goal.gates(self.view.model).map(|gate| inner.distance(gate, process, true));
        steps.saturating_add(gates.min().unwrap_or(0)).min(FAR)
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// How far the sides of a comparison are from what is wanted.
fn lack(op: BinaryOp, left: i64, right: i64, wanted: bool) -> u64 {
    let below = |low: i64, high: i64| (low - high).max(0) as u64;
    match (op, wanted) {
        (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => left.abs_diff(right),
        (BinaryOp::Equal, false) | (BinaryOp::NotEqual, true) => u64::from(left == right),
        (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => below(left + 1, right),
        (BinaryOp::LessEqual, true) | (BinaryOp::Greater, false) => below(left, right),
        (BinaryOp::Greater, true) | (BinaryOp::LessEqual, false) => below(right + 1, left),
        (BinaryOp::GreaterEqual, true) | (BinaryOp::Less, false) => below(right, left),
        _ => 0,
    }
}

fn lack_of_messages(query: ChannelQuery, length: u32, capacity: u32, wanted: bool) -> u64 {
    let room = u64::from(capacity.saturating_sub(length));
    match (query, wanted) {
        (ChannelQuery::Length | ChannelQuery::NotEmpty, true) | (ChannelQuery::Empty, false) => {
            u64::from(length == 0)
        }
        (ChannelQuery::Length | ChannelQuery::NotEmpty, false) | (ChannelQuery::Empty, true) => {
            u64::from(length)
        }
        (ChannelQuery::Full, true) | (ChannelQuery::NotFull, false) => room,
        (ChannelQuery::Full, false) | (ChannelQuery::NotFull, true) => u64::from(room == 0 && capacity > 0),
    }
}
