//! Small changes to a model that bring faults: constants, operators, bounds, numbers of fields.

use fathom_core::model::{
    Action, Base, BinaryOp, Edge, Expr, Guard, Model, Pattern, Place, Sync, UnaryOp, Which, validate,
};
use fathom_testing::Entropy;

/// Changes a model here and there; it stays valid. Gives what was done.
pub fn mutate(model: &mut Model, entropy: &mut Entropy<'_>) -> Vec<&'static str> {
    let original = model.clone();
    let mut mutator = Mutator { entropy, done: Vec::new() };
    for template in &mut model.templates {
        for edge in &mut template.edges {
            mutator.edge(edge);
        }
    }
    if validate(model).is_err() {
        *model = original;
        return Vec::new();
    }
    mutator.done
}

struct Mutator<'e, 'b> {
    entropy: &'e mut Entropy<'b>,
    done: Vec<&'static str>,
}

impl Mutator<'_, '_> {
    fn happens(&mut self, what: &'static str, percent: usize) -> bool {
        let happens = self.entropy.chance(percent);
        if happens {
            self.done.push(what);
        }
        happens
    }

    fn which(&mut self, which: &mut Which, what: &'static str, percent: usize) {
        if self.happens(what, percent) {
            *which = match self.entropy.below(4) {
                0 => Which::Front,
                1 => Which::First,
                2 => Which::Beside(self.entropy.below(16) as u64),
                _ => Which::At(self.entropy.below(3) as u32),
            };
        }
    }

    fn edge(&mut self, edge: &mut Edge) {
        // More atomic edges soon mean sequences with more ways than anybody can follow.
        if self.happens("atomic", if edge.atomic { 8 } else { 1 }) {
            edge.atomic = !edge.atomic;
        }
        if let Guard::When(condition) = &mut edge.guard {
            self.expr(condition);
        }
        match &mut edge.sync {
            Some(Sync::Send { channel, fields, sorted }) => {
                self.expr(channel);
                fields.iter_mut().for_each(|field| self.expr(field));
                if self.happens("fewer fields", 3) {
                    fields.pop();
                }
                *sorted ^= self.happens("sorted", 10);
            }
            Some(Sync::Receive { channel, patterns, which, copy }) => {
                self.expr(channel);
                patterns.iter_mut().for_each(|pattern| self.pattern(pattern));
                if self.happens("more patterns", 3) {
                    patterns.push(Pattern::Match(Expr::Const(0)));
                }
                self.which(which, "which message", 10);
                *copy ^= self.happens("copy", 5);
            }
            None => {}
        }
        for action in &mut edge.effect {
            match action {
                Action::Assign(place, value) => {
                    self.place(place);
                    self.expr(value);
                }
                Action::Assert(condition) => self.expr(condition),
                Action::Create { arguments, .. } => {
                    arguments.iter_mut().for_each(|argument| self.expr(argument));
                }
                _ => {}
            }
        }
        if edge.guard != Guard::Youngest && self.happens("assertion", 3) {
            edge.effect.push(Action::Assert(Expr::Const(0)));
        }
        if edge.guard != Guard::Youngest && self.happens("requirement", 3) {
            let condition = Expr::binary(BinaryOp::Less, Expr::OwnProcess, Expr::Const(2));
            edge.effect.push(Action::Require(condition));
        }
    }

    fn pattern(&mut self, pattern: &mut Pattern) {
        match pattern {
            Pattern::Match(expected) => self.expr(expected),
            Pattern::Bind(place) => self.place(place),
        }
    }

    fn place(&mut self, place: &mut Place) {
        for index in &mut place.indices {
            self.expr(&mut index.value);
            if index.length > 1 && self.happens("shorter array", 10) {
                index.length -= 1;
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Const(value) if self.happens("constant", 4) => {
                *value =
                    *self.entropy.pick(&[0, 1, -1, 2, 3, 7, 255, i64::from(i32::MIN), i64::from(i32::MAX)]);
            }
            Expr::Load(place) => {
                self.place(place);
                if place.base == Base::Global && self.happens("condition", 2) {
                    *expr = Expr::Conditional(
                        Box::new(Expr::OwnProcess),
                        Box::new(expr.clone()),
                        Box::new(Expr::Const(1)),
                    );
                }
            }
            Expr::Unary(op, operand) => {
                if self.happens("unary", 10) {
                    *op = *self.entropy.pick(&[UnaryOp::Not, UnaryOp::Negate, UnaryOp::Complement]);
                }
                self.expr(operand);
            }
            Expr::Binary(op, left, right) => {
                if self.happens("binary", 10) {
                    *op = *self.entropy.pick(&OPERATORS);
                }
                self.expr(left);
                self.expr(right);
            }
            Expr::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.expr(part));
            }
            Expr::Channel(_, channel) => self.expr(channel),
            Expr::Poll { channel, patterns, which } => {
                self.expr(channel);
                patterns.iter_mut().for_each(|pattern| self.pattern(pattern));
                self.which(which, "which message is polled", 20);
            }
            Expr::OwnProcess if self.happens("question", 30) => {
                let other = Box::new(Expr::Const(1));
                *expr = match self.entropy.below(5) {
                    0 => Expr::Enabled(other),
                    1 => Expr::LocationOf(other),
                    2 => Expr::NonProgress,
                    3 => Expr::Priority(other),
                    _ => Expr::ProcessCount,
                };
            }
            _ => {}
        }
    }
}

const OPERATORS: [BinaryOp; 18] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
    BinaryOp::And,
    BinaryOp::Or,
];
