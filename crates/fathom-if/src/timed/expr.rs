//! Expressions and places.

use fathom_model::{Base, BinaryOp, Expr, Place, TemplateId, UnaryOp};
use fathom_timed as timed;

use super::{Conversion, any, binary, not, number};

/// Which integer from the first on: an index, and how many there are.
type Index = (timed::Expr, u32);

impl Conversion {
    /// The first integer of a place, and which one from there on it is. The process, if any, is the same in every state.
    pub(super) fn place(&mut self, place: &Place) -> Option<(usize, Option<Index>)> {
        let owner = match &place.base {
            Base::Global => None,
            Base::Own => Some(self.process),
            Base::Other { template, process: None } => Some(*self.instances_of(*template).first()?),
            Base::Other { template, process: Some(process) } => {
                let pid = self.known_pid(process)?;
                Some(self.instance(*template, pid)?)
            }
            Base::Temporary | Base::Discard => {
                self.refuse("values between steps");
                return None;
            }
        };
        self.place_of(place, owner)
    }

    /// The same in the globals or in the locals of a process.
    fn place_of(&mut self, place: &Place, owner: Option<usize>) -> Option<(usize, Option<Index>)> {
        let map = owner.map_or(&self.globals, |owner| &self.locals[owner]);
        let &first = map.get(&place.offset)?;
        let mut index = None;
        let mut length = 1;
        for one in &place.indices {
            let map = owner.map_or(&self.globals, |owner| &self.locals[owner]);
            let n_inside = map.range(place.offset..place.offset + one.stride).count();
            length += (one.length - 1) * n_inside as u32;
            let value = timed::Expr::Within(Box::new(self.expr(&one.value)?), one.length);
            let term = binary(timed::BinaryOp::Multiply, value, number(n_inside as i64));
            index = Some(match index {
                None => term,
                Some(before) => binary(timed::BinaryOp::Add, before, term),
            });
        }
        Some((first, index.map(|index| (index, length))))
    }

    pub(super) fn timed_place(&self, first: usize, index: Option<Index>) -> timed::Place {
        match index {
            None => super::variable(first),
            Some((index, length)) => timed::Place::Variable { first, length, index: Some(index) },
        }
    }

    /// The clock that a place is.
    pub(super) fn clock_of(&self, place: &Place) -> Option<usize> {
        if place.base != Base::Global {
            return None;
        }
        let mut offset = place.offset;
        for index in &place.indices {
            // The only index of a clock is the number of the process.
            let value = match &index.value {
                Expr::Binary(BinaryOp::Subtract, left, right) => match **right {
                    Expr::Const(first) => self.known_pid(left)? - first,
                    _ => return None,
                },
                other => self.known_pid(other)?,
            };
            offset += u32::try_from(value).ok()? * index.stride;
        }
        self.clock_at(offset)
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Option<timed::Expr> {
        if let Some(found) = self.queue_comparison(expr) {
            return found;
        }
        Some(match expr {
            Expr::Const(value) => number(*value),
            Expr::Load(place) => self.load(place)?,
            Expr::Unary(UnaryOp::Not, operand) => not(self.expr(operand)?),
            Expr::Unary(UnaryOp::Negate, operand) => {
                timed::Expr::Unary(timed::UnaryOp::Minus, Box::new(self.expr(operand)?))
            }
            Expr::Binary(op, left, right) => binary(operator(*op), self.expr(left)?, self.expr(right)?),
            Expr::Conditional(condition, then, otherwise) => timed::Expr::Choose(
                Box::new(self.expr(condition)?),
                Box::new(self.expr(then)?),
                Box::new(self.expr(otherwise)?),
            ),
            Expr::Channel(query, channel) => self.question(*query, channel)?,
            Expr::Poll { channel, patterns, which } => {
                let queue = self.queue(channel)?;
                self.fits(&queue, patterns, *which)?
            }
            Expr::OwnProcess => number(self.instances[self.process].pid),
            Expr::ProcessCount => self.process_count(),
            Expr::Created => number(self.instances[self.created?].pid),
            Expr::AtLocation { template, process, location } => {
                self.at(*template, process.as_deref(), location.index())?
            }
            _ => {
                self.refuse("expressions of this kind");
                return None;
            }
        })
    }

    /// The value of a variable. That of a process that is computed is the value for each process that it may be; no process at all has
    /// none, which is a run-time error.
    fn load(&mut self, place: &Place) -> Option<timed::Expr> {
        let value = |(first, index): (usize, Option<Index>)| match index {
            None => timed::Expr::Variable(first),
            Some((index, length)) => timed::Expr::Element { first, length, index: Box::new(index) },
        };
        match &place.base {
            Base::Discard => Some(number(0)),
            Base::Other { template, process: Some(process) } if self.known_pid(process).is_none() => {
                let pid = self.expr(process)?;
                let mut found = timed::Expr::Within(Box::new(number(-1)), 1);
                for owner in self.instances_of(*template).into_iter().rev() {
                    let here = value(self.place_of(place, Some(owner))?);
                    let is_it = self.is_instance(&pid, owner);
                    found = timed::Expr::Choose(Box::new(is_it), Box::new(here), Box::new(found));
                }
                Some(found)
            }
            _ => self.place(place).map(value),
        }
    }

    /// Whether a process is at a location.
    fn at(&mut self, template: TemplateId, process: Option<&Expr>, location: usize) -> Option<timed::Expr> {
        let instances = self.instances_of(template);
        let there = |process: usize| timed::Expr::At { process, location };
        let Some(process) = process else { return instances.first().map(|&first| there(first)) };
        if let Some(pid) = self.known_pid(process) {
            return Some(self.instance(template, pid).map_or(number(0), there));
        }
        let pid = self.expr(process)?;
        let both = |one: usize| binary(timed::BinaryOp::And, self.is_instance(&pid, one), there(one));
        Some(any(instances.into_iter().map(both)))
    }
}

fn operator(op: BinaryOp) -> timed::BinaryOp {
    match op {
        BinaryOp::Add => timed::BinaryOp::Add,
        BinaryOp::Subtract => timed::BinaryOp::Subtract,
        BinaryOp::Multiply => timed::BinaryOp::Multiply,
        BinaryOp::Divide => timed::BinaryOp::Divide,
        BinaryOp::Remainder => timed::BinaryOp::Remainder,
        BinaryOp::ShiftLeft => timed::BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight => timed::BinaryOp::ShiftRight,
        BinaryOp::BitAnd => timed::BinaryOp::BitAnd,
        BinaryOp::BitOr => timed::BinaryOp::BitOr,
        BinaryOp::BitXor => timed::BinaryOp::BitXor,
        BinaryOp::Equal => timed::BinaryOp::Equal,
        BinaryOp::NotEqual => timed::BinaryOp::NotEqual,
        BinaryOp::Less => timed::BinaryOp::Less,
        BinaryOp::LessEqual => timed::BinaryOp::AtMost,
        BinaryOp::Greater => timed::BinaryOp::Greater,
        BinaryOp::GreaterEqual => timed::BinaryOp::AtLeast,
        BinaryOp::And => timed::BinaryOp::And,
        BinaryOp::Or => timed::BinaryOp::Or,
    }
}
