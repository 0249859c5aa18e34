//! Queues of signals as rows of integers.
//!
//! The front of a queue is the first element of each row. Taking a signal out moves up what is behind it. Where the queue is that of a process
//! whose number is computed, everything is done for each process that it may be.

use fathom_model::{Base, BinaryOp, ChannelQuery, Expr, Pattern, ScalarKind, Which};
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
        match expr {
            Expr::Load(place) => place.ty.kind == ScalarKind::Channel,
            Expr::Conditional(_, then, otherwise) => Self::is_queue(then) || Self::is_queue(otherwise),
            _ => false,
        }
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

    /// Puts a signal at the end of a queue, or before those that are larger: when there is room, and how. Nobody to send to is a run-time error.
    pub(super) fn send(
        &mut self,
        channel: &Expr,
        fields: &[Expr],
        sorted: bool,
    ) -> Option<(Vec<timed::Expr>, Vec<Statement>)> {
        let mut values = Vec::new();
        for field in fields {
            values.push(self.expr(field)?);
        }
        let mut room = Vec::new();
        let mut otherwise = vec![self.failure()];
        for (conditions, queue) in self.queues_meant(channel)?.into_iter().rev() {
            let Some(queue) = queue else { continue };
            let n_waiting = timed::Expr::Variable(queue.length);
            let capacity = number(i64::from(queue.capacity));
            let has_room = binary(timed::BinaryOp::Less, n_waiting.clone(), capacity);
            let mut then = if sorted { insert(&queue, &values) } else { append(&queue, &values) };
            let value = binary(timed::BinaryOp::Add, n_waiting, number(1));
            then.push(Statement::Assign { place: variable(queue.length), value });
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

    /// The condition under which the signal that is meant is there and fits.
    pub(super) fn fits(&mut self, queue: &Queue, patterns: &[Pattern], which: Which) -> Option<timed::Expr> {
        let mut found = Vec::new();
        for slot in which.places(queue.capacity) {
            let slot = slot as usize;
            let mut here = vec![self.fits_at(queue, patterns, slot)?];
            if let Which::Beside(passed) = which {
                here.extend((0..slot).map(|before| is_passed(queue, before, passed)));
            }
            found.push(all(here));
        }
        Some(any(found))
    }

    /// Takes the signal that is meant, which fits, out of a queue.
    pub(super) fn receive(
        &mut self,
        queue: &Queue,
        patterns: &[Pattern],
        which: Which,
    ) -> Option<Vec<Statement>> {
        let places = which.places(queue.capacity);
        if places.len() == 1 {
            return self.take_out(queue, patterns, places.start as usize);
        }
        // The first that fits is meant whichever is passed over: that it is, was a condition.
        let mut found = Vec::new();
        for slot in places.rev() {
            let slot = slot as usize;
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

/// Writes a signal behind those that wait.
fn append(queue: &Queue, values: &[timed::Expr]) -> Vec<Statement> {
    let behind = |(&first, value): (&usize, &timed::Expr)| {
        let index = Some(timed::Expr::Variable(queue.length));
        let place = timed::Place::Variable { first, length: queue.capacity, index };
        Statement::Assign { place, value: value.clone() }
    };
    queue.columns.iter().zip(values).map(behind).collect()
}

/// Writes a signal before the first that is larger, in a queue that is in order: those move down, from the last on. What is larger than the signal is so before and after.
fn insert(queue: &Queue, values: &[timed::Expr]) -> Vec<Statement> {
    let n_waiting = || timed::Expr::Variable(queue.length);
    let mut update = Vec::new();
    let mut at = |slot: usize, condition: timed::Expr, value: &dyn Fn(usize) -> timed::Expr| {
        let write = |(column, &first): (usize, &usize)| Statement::Assign {
            place: variable(first + slot),
            value: value(column),
        };
        let then = queue.columns.iter().enumerate().map(write).collect();
        update.push(Statement::If { condition, then, otherwise: Vec::new() });
    };
    let has_place = |slot: usize| binary(timed::BinaryOp::AtLeast, n_waiting(), number(slot as i64));
    for slot in (1..queue.capacity as usize).rev() {
        let moves = all([has_place(slot), is_larger(queue, slot - 1, values)]);
        at(slot, moves, &|column| timed::Expr::Variable(queue.columns[column] + slot - 1));
    }
    for slot in (0..queue.capacity as usize).rev() {
        let is_end = binary(timed::BinaryOp::Equal, n_waiting(), number(slot as i64));
        let mut here = vec![has_place(slot), any([is_end, is_larger(queue, slot, values)])];
        if slot > 0 {
            here.push(not(is_larger(queue, slot - 1, values)));
        }
        at(slot, all(here), &|column| values[column].clone());
    }
    update
}

/// Whether the signal at a place is larger than another, column by column.
fn is_larger(queue: &Queue, slot: usize, values: &[timed::Expr]) -> timed::Expr {
    let mut larger = number(0);
    for (&first, value) in queue.columns.iter().zip(values).rev() {
        let here = || timed::Expr::Variable(first + slot);
        let is_equal = binary(timed::BinaryOp::Equal, here(), value.clone());
        let is_larger = binary(timed::BinaryOp::Greater, here(), value.clone());
        larger = any([is_larger, all([is_equal, larger])]);
    }
    larger
}

/// Whether the signal at a place is in a set.
fn is_passed(queue: &Queue, slot: usize, passed: u64) -> timed::Expr {
    let signal = || timed::Expr::Variable(queue.columns[0] + slot);
    let is_it = |value: u32| binary(timed::BinaryOp::Equal, signal(), number(i64::from(value)));
    any((0..64).filter(|value| passed >> value & 1 == 1).map(is_it))
}
