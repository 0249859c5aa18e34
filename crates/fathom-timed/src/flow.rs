//! What an edge or a location speaks of, in order, and which of it goes together.
//!
//! A piece of a network becomes a row of [`Token`]s: two pieces that are alike have rows that differ in constants and in what they
//! speak of, never in words. Beside them are ties: things that are given to each other, or compared for equality, so that they are values of the same
//! kind; and what is an index of which array. Locals belong to one scope of a piece: a condition, a bound, or all that an edge does.

use std::fmt::Debug;

use crate::expr::{BinaryOp, Expr};
use crate::network::{ClockPlace, Edge, Guard, Location};
use crate::statement::{Place, Statement};

/// One thing in a piece of a network. Rows of integers and clocks have a first one and a length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Word(String),
    Constant(i64),
    Variables(usize, usize),
    Clocks(usize, usize),
    Event(usize),
    Process(usize),
}

/// Something with a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Atom {
    /// The place of a constant among the tokens.
    Constant(usize),
    /// A variable, or the elements of an array.
    Variables(usize, usize),
    /// The scope, and the number in it.
    Local(usize, usize),
}

/// An array with something that is not known as its index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Indexed {
    /// Whether it is one of clocks.
    pub is_of_clocks: bool,
    pub first: usize,
    pub length: usize,
    pub by: Vec<Atom>,
}

/// A piece of a network.
#[derive(Clone, Default, Debug)]
pub(crate) struct Piece {
    pub tokens: Vec<Token>,
    pub ties: Vec<Vec<Atom>>,
    pub indexed: Vec<Indexed>,
    /// The scope under way.
    scope: usize,
}

impl Piece {
    pub fn of_location(location: &Location) -> Piece {
        let mut piece = Piece::default();
        piece.word(&(location.urgency, &location.labels));
        piece.guard(&location.invariant);
        piece
    }

    pub fn of_edge(edge: &Edge) -> Piece {
        let mut piece = Piece::default();
        piece.word(&(edge.source, edge.target));
        piece.tokens.push(Token::Event(edge.event));
        piece.guard(&edge.guard);
        piece.scope += 1;
        piece.statements(&edge.update);
        piece
    }

    pub fn of_guard(guard: &Guard) -> Piece {
        let mut piece = Piece::default();
        piece.guard(guard);
        piece
    }

    pub fn of_update(update: &[Statement]) -> Piece {
        let mut piece = Piece::default();
        piece.statements(update);
        piece
    }

    /// Whether another one says the same of other things.
    pub fn is_like(&self, other: &Piece) -> bool {
        let are_alike = |(one, other): (&Token, &Token)| match (one, other) {
            (Token::Word(one), Token::Word(other)) => one == other,
            (Token::Variables(_, one), Token::Variables(_, other)) => one == other,
            (Token::Clocks(_, one), Token::Clocks(_, other)) => one == other,
            _ => std::mem::discriminant(one) == std::mem::discriminant(other),
        };
        self.tokens.len() == other.tokens.len() && self.tokens.iter().zip(&other.tokens).all(are_alike)
    }

    fn word(&mut self, what: &impl Debug) {
        self.tokens.push(Token::Word(format!("{what:?}")));
    }

    fn guard(&mut self, guard: &Guard) {
        for condition in &guard.conditions {
            self.word(&"condition");
            self.scope += 1;
            self.expr(condition);
        }
        for bound in &guard.clocks {
            self.word(&("bound", bound.is_strict));
            self.scope += 1;
            for place in [&bound.left, &bound.right] {
                self.perhaps_clock(place.as_ref());
            }
            self.expr(&bound.bound);
        }
    }

    fn perhaps_clock(&mut self, place: Option<&ClockPlace>) {
        match place {
            None => self.word(&"no clock"),
            Some(place) => self.clock(place),
        }
    }

    fn clock(&mut self, place: &ClockPlace) {
        let (first, length) = (place.first, place.length as usize);
        match &place.index {
            None => self.tokens.push(Token::Clocks(first, 1)),
            Some(index) => {
                self.tokens.push(Token::Clocks(first, length));
                let by = self.expr(index);
                self.indexed.push(Indexed { is_of_clocks: true, first, length, by });
            }
        }
    }

    fn array(&mut self, first: usize, length: usize, index: &Expr) {
        self.tokens.push(Token::Variables(first, length));
        let by = self.expr(index);
        self.indexed.push(Indexed { is_of_clocks: false, first, length, by });
    }

    /// Gives what the value may come from.
    fn expr(&mut self, expr: &Expr) -> Vec<Atom> {
        match expr {
            Expr::Constant(value) => {
                self.tokens.push(Token::Constant(*value));
                return vec![Atom::Constant(self.tokens.len() - 1)];
            }
            Expr::Variable(variable) => {
                self.tokens.push(Token::Variables(*variable, 1));
                return vec![Atom::Variables(*variable, 1)];
            }
            Expr::Element { first, length, index } => {
                self.array(*first, *length as usize, index);
                return vec![Atom::Variables(*first, *length as usize)];
            }
            Expr::Local(local) => {
                self.word(&("local", local));
                return vec![Atom::Local(self.scope, *local)];
            }
            Expr::LocalElement { first, length, index } => {
                self.word(&("locals", first, length));
                self.expr(index);
            }
            Expr::Unary(operator, operand) => {
                self.word(operator);
                self.expr(operand);
            }
            Expr::Binary(operator, left, right) => {
                self.word(operator);
                let mut both = self.expr(left);
                both.extend(self.expr(right));
                if matches!(operator, BinaryOp::Equal | BinaryOp::NotEqual) {
                    self.ties.push(both);
                }
            }
            Expr::Choose(condition, yes, no) => {
                self.word(&"choose");
                self.expr(condition);
                let mut both = self.expr(yes);
                both.extend(self.expr(no));
                return both;
            }
            Expr::At { process, location } => {
                self.word(&("at", location));
                self.tokens.push(Token::Process(*process));
            }
            Expr::Table { values, index } => {
                self.word(values);
                self.expr(index);
            }
            Expr::Within(inner, length) => {
                self.word(&("within", length));
                return self.expr(inner);
            }
            Expr::Ranged(inner, least, most) => {
                self.word(&("ranged", least, most));
                return self.expr(inner);
            }
            Expr::HasLabel(_) | Expr::NoBound => self.word(expr),
            Expr::Compute(compute) => {
                self.word(&"compute");
                self.statements(&compute.statements);
                return self.expr(&compute.result);
            }
        }
        Vec::new()
    }

    fn statements(&mut self, statements: &[Statement]) {
        self.word(&statements.len());
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign { place, value } => {
                let mut both = match place {
                    Place::Variable { first, length, index: Some(index) } => {
                        self.array(*first, *length as usize, index);
                        vec![Atom::Variables(*first, *length as usize)]
                    }
                    Place::Variable { first, index: None, .. } => {
                        self.tokens.push(Token::Variables(*first, 1));
                        vec![Atom::Variables(*first, 1)]
                    }
                    Place::Local { first, index: None, .. } => {
                        self.word(&("local", first));
                        vec![Atom::Local(self.scope, *first)]
                    }
                    Place::Local { first, length, index: Some(index) } => {
                        self.word(&("locals", first, length));
                        self.expr(index);
                        Vec::new()
                    }
                };
                both.extend(self.expr(value));
                self.ties.push(both);
            }
            Statement::SetClock { clock, from, value } => {
                self.word(&"set clock");
                self.clock(clock);
                self.perhaps_clock(from.as_ref());
                self.expr(value);
            }
            Statement::If { condition, then, otherwise } => {
                self.word(&"if");
                self.expr(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            Statement::While { condition, body } => {
                self.word(&"while");
                self.expr(condition);
                self.statements(body);
            }
            Statement::Block(body) => self.statements(body),
            Statement::Leave => self.word(&"leave"),
        }
    }
}
