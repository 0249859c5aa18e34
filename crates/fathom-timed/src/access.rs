//! What edges read and write: the integers and the clocks of the network.

use crate::expr::Expr;
use crate::network::{ClockPlace, Edge};
use crate::statement::{Place, Statement};

/// The integers that an edge reads and writes, each list in no order and perhaps with repetitions. An element of an array that is not
/// known stands for the first.
pub fn accessed(edge: &Edge) -> (Vec<usize>, Vec<usize>) {
    let mut access = Access::default();
    edge.guard.conditions.iter().for_each(|condition| access.read(condition));
    access.run(&edge.update);
    (access.reads, access.writes)
}

/// The clocks that an edge reads, in its guard or to set others, and those that it sets. An element of an array that is not known stands
/// for the first.
pub fn accessed_clocks(edge: &Edge) -> (Vec<usize>, Vec<usize>) {
    let mut access = Access::default();
    let places = edge.guard.clocks.iter().flat_map(|bound| [&bound.left, &bound.right]).flatten();
    access.clock_reads.extend(places.map(first_possible));
    access.run(&edge.update);
    (access.clock_reads, access.clock_writes)
}

fn first_possible(place: &ClockPlace) -> usize {
    place.possible().start
}

#[derive(Default)]
struct Access {
    reads: Vec<usize>,
    writes: Vec<usize>,
    clock_reads: Vec<usize>,
    clock_writes: Vec<usize>,
}

impl Access {
    fn read(&mut self, expr: &Expr) {
        match expr {
            Expr::Variable(variable) => self.reads.push(*variable),
            Expr::Element { first, index, .. } => {
                self.reads.push(*first);
                self.read(index);
            }
            Expr::LocalElement { index, .. } | Expr::Table { index, .. } => self.read(index),
            Expr::Unary(_, operand) | Expr::Within(operand, _) | Expr::Ranged(operand, ..) => {
                self.read(operand)
            }
            Expr::Binary(_, left, right) => [left, right].into_iter().for_each(|part| self.read(part)),
            Expr::Choose(one, two, three) => [one, two, three].into_iter().for_each(|part| self.read(part)),
            Expr::Compute(compute) => {
                self.run(&compute.statements);
                self.read(&compute.result);
            }
            Expr::Constant(_) | Expr::Local(_) | Expr::At { .. } | Expr::HasLabel(_) | Expr::NoBound => {}
        }
    }

    fn run(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Assign { place, value } => {
                    self.read(value);
                    let (Place::Variable { index, .. } | Place::Local { index, .. }) = place;
                    index.iter().for_each(|index| self.read(index));
                    if let Place::Variable { first, .. } = place {
                        self.writes.push(*first);
                    }
                }
                Statement::SetClock { clock, from, value } => {
                    self.read(value);
                    self.clock_reads.extend(from.iter().map(first_possible));
                    self.clock_writes.push(first_possible(clock));
                }
                Statement::If { condition, then, otherwise } => {
                    self.read(condition);
                    self.run(then);
                    self.run(otherwise);
                }
                Statement::While { condition, body } => {
                    self.read(condition);
                    self.run(body);
                }
                Statement::Block(body) => self.run(body),
                Statement::Leave => {}
            }
        }
    }
}
