//! Queues of signals as rows of integers.
//!
//! The front of a queue is the first element of each row. Taking a signal out moves up what is behind it. Where the queue is that of a process
//! whose number is computed, everything is done for each process that it may be.

use fathom_model::{Base, BinaryOp, ChannelQuery, Expr, Pattern, ScalarKind};
use fathom_timed as timed;
use fathom_timed::Statement;

use super::{Conversion, all, any, binary, not, number, variable};

#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub length: usize,
    /// The first integer of each column.
    pub columns: Vec<usize>,
    pub capacity: u32,
}

/// A queue that may be meant, and when; no queue at all when nobody is.
type Meant = (Vec<timed::Expr>, Option<Queue>);

impl Conversion {
    /// Whether an expression is the number of a queue.
    pub(super) fn is_queue(expr: &Expr) -> bool {
        matches!(expr, Expr::Load(place) if place.ty.kind == ScalarKind::Channel)
    }

    /// The queues that an expression may name. At most one of the conditions is true at a time.
    fn queues_meant(&mut self, channel: &Expr) -> Option<Vec<Meant>> {
        match channel {
            Expr::Load(place) if place.indices.is_empty() => {
                let at = |owner: Option<usize>, conversion: &Self| {
                    let index = conversion.queue_at.get(&(owner, place.offset))?;
                    Some(conversion.queues[*index].clone())
                };
                match &place.base {
                    Base::Global => Some(vec![(Vec::new(), at(None, self))]),
                    Base::Own => Some(vec![(Vec::new(), at(Some(self.process), self))]),
                    Base::Other { template, process: Some(process) } => {
                        if let Some(pid) = self.known_pid(process) {
                            let owner = self.instance(*template, pid);
                            let queue = owner.and_then(|owner| at(Some(owner), self));
                            return Some(vec![(Vec::new(), queue)]);
                        }
                        let pid = self.expr(process)?;
                        let one = |owner: usize| (vec![self.is_instance(&pid, owner)], at(Some(owner), self));
                        Some(self.instances_of(*template).into_iter().map(one).collect())
                    }
                    _ => self.no_queue(),
                }
            }
            Expr::Conditional(condition, then, otherwise) => {
                let condition = self.expr(condition)?;
                let mut found = Vec::new();
                for (first, inner) in [(condition.clone(), then), (not(condition), otherwise)] {
                    for (conditions, queue) in self.queues_meant(inner)? {
                        found.push(([vec![first.clone()], conditions].concat(), queue));
                    }
                }
                Some(found)
            }
            Expr::Const(_) => Some(vec![(Vec::new(), None)]),
            _ => self.no_queue(),
        }
    }

    fn no_queue<T>(&mut self) -> Option<T> {
        self.refuse("queues that are computed");
        None
    }

    /// The queue that an expression names, the same in every state.
    pub(super) fn queue(&mut self, channel: &Expr) -> Option<Queue> {
        let mut found = self.queues_meant(channel)?;
        match (found.pop(), found.is_empty()) {
            (Some((conditions, Some(queue))), true) if conditions.is_empty() => Some(queue),
            _ => self.no_queue(),
        }
    }

    /// Whether there is a queue with this number.
    pub(super) fn has_queue(&mut self, channel: &Expr) -> Option<timed::Expr> {
        let meant = self.queues_meant(channel)?;
        Some(any(meant.into_iter().filter(|(_, queue)| queue.is_some()).map(|(when, _)| all(when))))
    }

    /// What is asked about the length of a queue; 0 where there is none.
    pub(super) fn question(&mut self, query: ChannelQuery, channel: &Expr) -> Option<timed::Expr> {
        let mut answer = number(0);
        for (conditions, queue) in self.queues_meant(channel)?.into_iter().rev() {
            let Some(Queue { length, capacity, .. }) = queue else { continue };
            let (length, capacity) = (timed::Expr::Variable(length), number(i64::from(capacity)));
            let here = match query {
                ChannelQuery::Length => length,
                ChannelQuery::Empty => binary(timed::BinaryOp::Equal, length, number(0)),
                ChannelQuery::NotEmpty => binary(timed::BinaryOp::Greater, length, number(0)),
                ChannelQuery::Full => binary(timed::BinaryOp::AtLeast, length, capacity),
                ChannelQuery::NotFull => binary(timed::BinaryOp::Less, length, capacity),
            };
            answer = match conditions.is_empty() {
                true => here,
                false => timed::Expr::Choose(Box::new(all(conditions)), Box::new(here), Box::new(answer)),
            };
        }
        Some(answer)
    }

    /// Puts a signal at the end of a queue: when there is room, and how. Nobody to send to is a run-time error.
    pub(super) fn send(
        &mut self,
        channel: &Expr,
        fields: &[Expr],
    ) -> Option<(Vec<timed::Expr>, Vec<Statement>)> {
        let mut values = Vec::new();
        for field in fields {
            values.push(self.expr(field)?);
        }
        let mut room = Vec::new();
        let mut otherwise = vec![self.failure()];
        for (conditions, queue) in self.queues_meant(channel)?.into_iter().rev() {
            let Some(Queue { length, columns, capacity }) = queue else { continue };
            let n_waiting = timed::Expr::Variable(length);
            let has_room = binary(timed::BinaryOp::Less, n_waiting.clone(), number(i64::from(capacity)));
            let mut then: Vec<Statement> = Vec::new();
            for (&first, value) in columns.iter().zip(&values) {
                let index = Some(n_waiting.clone());
                let place = timed::Place::Variable { first, length: capacity, index };
                then.push(Statement::Assign { place, value: value.clone() });
            }
            let value = binary(timed::BinaryOp::Add, n_waiting, number(1));
            then.push(Statement::Assign { place: variable(length), value });
            if conditions.is_empty() {
                return Some((vec![has_room], then));
            }
            let condition = all(conditions);
            room.push(any([not(condition.clone()), has_room]));
            otherwise = vec![Statement::If { condition, then, otherwise }];
        }
        Some((room, otherwise))
    }

    /// A statement that is a run-time error.
    pub(super) fn failure(&self) -> Statement {
        Statement::Assign { place: variable(self.check), value: number(1) }
    }

    /// The condition under which a signal of a queue fits, by its place.
    fn fits_at(&mut self, queue: &Queue, patterns: &[Pattern], slot: usize) -> Option<timed::Expr> {
        let length = timed::Expr::Variable(queue.length);
        let mut found = vec![binary(timed::BinaryOp::Greater, length, number(slot as i64))];
        for (&first, pattern) in queue.columns.iter().zip(patterns) {
            if let Pattern::Match(wanted) = pattern {
                let value = timed::Expr::Variable(first + slot);
                found.push(binary(timed::BinaryOp::Equal, value, self.expr(wanted)?));
            }
        }
        Some(all(found))
    }

    /// The condition under which a signal fits: the one at the front, or anyone.
    pub(super) fn fits(
        &mut self,
        queue: &Queue,
        patterns: &[Pattern],
        anywhere: bool,
    ) -> Option<timed::Expr> {
        let n_places = if anywhere { queue.capacity as usize } else { 1 };
        let mut found = Vec::new();
        for slot in 0..n_places {
            found.push(self.fits_at(queue, patterns, slot)?);
        }
        Some(any(found))
    }

    /// Takes the first signal that fits out of a queue: the one at the front, or anyone.
    pub(super) fn receive(
        &mut self,
        queue: &Queue,
        patterns: &[Pattern],
        anywhere: bool,
    ) -> Option<Vec<Statement>> {
        if !anywhere {
            return self.take_out(queue, patterns, 0);
        }
        let mut found = Vec::new();
        for slot in (0..queue.capacity as usize).rev() {
            let (condition, then) =
                (self.fits_at(queue, patterns, slot)?, self.take_out(queue, patterns, slot)?);
            found = vec![Statement::If { condition, then, otherwise: found }];
        }
        Some(found)
    }

    /// Takes the signal at a place out of a queue; what is behind it moves up.
    fn take_out(&mut self, queue: &Queue, patterns: &[Pattern], from: usize) -> Option<Vec<Statement>> {
        let mut update = Vec::new();
        for (&first, pattern) in queue.columns.iter().zip(patterns) {
            if let Pattern::Bind(place) = pattern
                && place.base != Base::Discard
            {
                let (target, index) = self.place(place)?;
                let place = self.timed_place(target, index);
                update.push(Statement::Assign { place, value: timed::Expr::Variable(first + from) });
            }
        }
        for &first in &queue.columns {
            for slot in from..queue.capacity as usize {
                let is_last = slot + 1 == queue.capacity as usize;
                let value = if is_last { number(0) } else { timed::Expr::Variable(first + slot + 1) };
                update.push(Statement::Assign { place: variable(first + slot), value });
            }
        }
        let value = binary(timed::BinaryOp::Subtract, timed::Expr::Variable(queue.length), number(1));
        update.push(Statement::Assign { place: variable(queue.length), value });
        Some(update)
    }

    /// `queue != 0`: whether a computed process has a queue.
    pub(super) fn queue_comparison(&mut self, expr: &Expr) -> Option<Option<timed::Expr>> {
        let Expr::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) = expr else {
            return None;
        };
        if !Self::is_queue(left) || **right != Expr::Const(0) {
            return None;
        }
        let has = self.has_queue(left);
        Some(if *op == BinaryOp::NotEqual { has } else { has.map(not) })
    }
}
