//! What edges read and write: the integers of the network.

use crate::expr::Expr;
use crate::network::Edge;
use crate::statement::{Place, Statement};

/// The integers that an edge reads and writes, each list in no order and perhaps with repetitions. An element of an array that is not
/// known stands for the first.
pub fn accessed(edge: &Edge) -> (Vec<usize>, Vec<usize>) {
    let mut access = Access::default();
    edge.guard.conditions.iter().for_each(|condition| access.read(condition));
    access.run(&edge.update);
    (access.reads, access.writes)
}

#[derive(Default)]
struct Access {
    reads: Vec<usize>,
    writes: Vec<usize>,
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
                Statement::SetClock { value, .. } => self.read(value),
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
