//! Tokens to expressions, and what all readers share.

use fathom_source::{Diagnostic, Span};

use crate::lexer::{Kind, Token};
use crate::syntax::{Expression, ExpressionKind, Name, Operator, Quantifier};

/// Levels of nesting after which an expression or a statement is refused, so that no text overflows the stack.
const MOST_NESTED: u32 = 200;

/// Reads tokens from first to last. Functions give nothing when they have complained.
pub(crate) struct Parser<'a> {
    pub tokens: &'a [Token],
    pub at: usize,
    pub diagnostics: &'a mut Vec<Diagnostic>,
    pub nested: u32,
}

/// Words that are no names.
pub(crate) const KEYWORDS: [&str; 38] = [
    "and",
    "bool",
    "broadcast",
    "chan",
    "clock",
    "commit",
    "const",
    "deadlock",
    "do",
    "else",
    "exists",
    "false",
    "for",
    "forall",
    "guard",
    "if",
    "imply",
    "init",
    "int",
    "meta",
    "not",
    "or",
    "process",
    "return",
    "scalar",
    "select",
    "state",
    "struct",
    "sum",
    "sync",
    "assign",
    "system",
    "trans",
    "true",
    "typedef",
    "urgent",
    "void",
    "while",
];

/// Binary operators by level, weakest first.
const LEVELS: [&[(&str, Operator)]; 12] = [
    &[("imply", Operator::Imply)],
    &[("||", Operator::Or), ("or", Operator::Or)],
    &[("&&", Operator::And), ("and", Operator::And)],
    &[("|", Operator::BitOr)],
    &[("^", Operator::BitXor)],
    &[("&", Operator::BitAnd)],
    &[("==", Operator::Equal), ("!=", Operator::NotEqual)],
    &[("<=", Operator::AtMost), (">=", Operator::AtLeast), ("<", Operator::Less), (">", Operator::Greater)],
    &[("<?", Operator::Min), (">?", Operator::Max)],
    &[("<<", Operator::ShiftLeft), (">>", Operator::ShiftRight)],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)],
];

impl<'a> Parser<'a> {
    pub fn new(tokens: &'a [Token], diagnostics: &'a mut Vec<Diagnostic>) -> Parser<'a> {
        Parser { tokens, at: 0, diagnostics, nested: 0 }
    }

    pub fn peek(&self) -> &Kind {
        &self.tokens[self.at.min(self.tokens.len() - 1)].kind
    }

    pub fn peek_ahead(&self, ahead: usize) -> &Kind {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].kind
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].span
    }

    /// The place of the token before.
    pub fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    pub fn is_end(&self) -> bool {
        *self.peek() == Kind::End
    }

    /// Whether a symbol or a keyword comes next.
    pub fn is_at(&self, text: &str) -> bool {
        match self.peek() {
            Kind::Symbol(symbol) => *symbol == text,
            Kind::Word(word) => word == text,
            _ => false,
        }
    }

    pub fn accept(&mut self, text: &str) -> bool {
        let is_there = self.is_at(text);
        if is_there {
            self.at += 1;
        }
        is_there
    }

    pub fn expect(&mut self, text: &str) -> Option<Span> {
        let span = self.span();
        if self.accept(text) {
            return Some(span);
        }
        self.unexpected(&format!("expected '{text}'"))
    }

    pub fn unexpected<T>(&mut self, message: &str) -> Option<T> {
        let found = match self.peek() {
            Kind::End => "the end".to_owned(),
            Kind::Word(word) => format!("'{word}'"),
            Kind::Symbol(symbol) => format!("'{symbol}'"),
            Kind::Number(number) => number.to_string(),
            Kind::Fraction => "a fraction".to_owned(),
            Kind::Text => "text in quotation marks".to_owned(),
        };
        self.complain("uppaal::syntax", &format!("{message}, found {found}"), self.span())
    }

    pub fn complain<T>(&mut self, code: &'static str, message: &str, span: Span) -> Option<T> {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
        None
    }

    pub fn name(&mut self) -> Option<Name> {
        match self.peek() {
            Kind::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                let name = Name { text: word.clone(), span: self.span() };
                self.at += 1;
                Some(name)
            }
            _ => self.unexpected("expected a name"),
        }
    }

    /// Expressions with commas between them, up to a closing symbol, which is taken, too.
    pub fn expressions_to(&mut self, close: &str) -> Option<Vec<Expression>> {
        let mut found = Vec::new();
        if self.accept(close) {
            return Some(found);
        }
        loop {
            found.push(self.expression()?);
            if self.accept(close) {
                return Some(found);
            }
            self.expect(",")?;
        }
    }

    /// Guards against text that is nested without end.
    pub fn nest<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.nested > MOST_NESTED {
            return self.complain("uppaal::too-large", "nested too deeply", self.span());
        }
        self.nested += 1;
        let found = read(self);
        self.nested -= 1;
        found
    }

    /// Any expression, assignments included.
    pub fn expression(&mut self) -> Option<Expression> {
        self.nest(Parser::assignment)
    }

    fn assignment(&mut self) -> Option<Expression> {
        let left = self.conditional()?;
        let operator = match self.peek() {
            Kind::Symbol("=" | ":=") => None,
            Kind::Symbol("+=") => Some(Operator::Add),
            Kind::Symbol("-=") => Some(Operator::Subtract),
            Kind::Symbol("*=") => Some(Operator::Multiply),
            Kind::Symbol("/=") => Some(Operator::Divide),
            Kind::Symbol("%=") => Some(Operator::Remainder),
            Kind::Symbol("&=") => Some(Operator::BitAnd),
            Kind::Symbol("|=") => Some(Operator::BitOr),
            Kind::Symbol("^=") => Some(Operator::BitXor),
            Kind::Symbol("<<=") => Some(Operator::ShiftLeft),
            Kind::Symbol(">>=") => Some(Operator::ShiftRight),
            _ => return Some(left),
        };
        self.at += 1;
        let right = self.expression()?;
        let span = left.span.to(right.span);
        let kind = ExpressionKind::Assign(operator, Box::new(left), Box::new(right));
        Some(Expression { kind, span })
    }

    fn conditional(&mut self) -> Option<Expression> {
        let condition = self.binary(0)?;
        if !self.accept("?") {
            return Some(condition);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.nest(Parser::conditional)?;
        let span = condition.span.to(no.span);
        let kind = ExpressionKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
        Some(Expression { kind, span })
    }

    fn binary(&mut self, level: usize) -> Option<Expression> {
        let Some(operators) = LEVELS.get(level) else { return self.power() };
        let mut left = self.binary(level + 1)?;
        loop {
            let Some(&(_, operator)) = operators.iter().find(|(text, _)| self.is_at(text)) else {
                return Some(left);
            };
            // The mark of a receiver, `a?`, is no operator; nor is `a!`.
            self.at += 1;
            let right = self.nest(|parser| parser.binary(level + 1))?;
            let span = left.span.to(right.span);
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expression { kind, span };
        }
    }

    fn power(&mut self) -> Option<Expression> {
        let base = self.prefix()?;
        if !self.accept("**") {
            return Some(base);
        }
        let exponent = self.nest(Parser::power)?;
        let span = base.span.to(exponent.span);
        let kind = ExpressionKind::Binary(Operator::Power, Box::new(base), Box::new(exponent));
        Some(Expression { kind, span })
    }

    fn prefix(&mut self) -> Option<Expression> {
        let start = self.span();
        let make = |kind: fn(Box<Expression>) -> ExpressionKind, operand: Expression| {
            let span = start.to(operand.span);
            Expression { kind: kind(Box::new(operand)), span }
        };
        if self.accept("!") || self.accept("not") {
            return Some(make(ExpressionKind::Not, self.nest(Parser::prefix)?));
        }
        if self.accept("-") {
            return Some(make(ExpressionKind::Minus, self.nest(Parser::prefix)?));
        }
        if self.accept("+") {
            return self.nest(Parser::prefix);
        }
        for (symbol, by) in [("++", 1), ("--", -1)] {
            if self.accept(symbol) {
                let place = self.nest(Parser::prefix)?;
                let span = start.to(place.span);
                let kind = ExpressionKind::Increment { by, is_prefix: true, place: Box::new(place) };
                return Some(Expression { kind, span });
            }
        }
        let quantifier = match self.peek() {
            Kind::Word(word) if word == "forall" => Some(Quantifier::Forall),
            Kind::Word(word) if word == "exists" => Some(Quantifier::Exists),
            Kind::Word(word) if word == "sum" => Some(Quantifier::Sum),
            _ => None,
        };
        if let Some(quantifier) = quantifier {
            self.at += 1;
            self.expect("(")?;
            let name = self.name()?;
            self.expect(":")?;
            let ty = self.type_expression()?;
            self.expect(")")?;
            // As far to the right as possible.
            let body = self.nest(Parser::conditional)?;
            let span = start.to(body.span);
            let kind = ExpressionKind::Quantified(quantifier, name, Box::new(ty), Box::new(body));
            return Some(Expression { kind, span });
        }
        self.postfix()
    }

    /// Something with indices, members and calls, but without operators.
    pub fn postfix(&mut self) -> Option<Expression> {
        let mut operand = self.primary()?;
        loop {
            let start = operand.span;
            let kind = if self.accept("[") {
                let index = self.expression()?;
                self.expect("]")?;
                ExpressionKind::Index(Box::new(operand), Box::new(index))
            } else if self.accept("(") {
                ExpressionKind::Call(Box::new(operand), self.expressions_to(")")?)
            } else if self.accept(".") {
                // A member may be called like a keyword of the other form: `P.init`.
                let Kind::Word(word) = self.peek() else { return self.unexpected("expected a name") };
                let name = Name { text: word.clone(), span: self.span() };
                self.at += 1;
                ExpressionKind::Member(Box::new(operand), name)
            } else if self.accept("'") {
                ExpressionKind::Rate(Box::new(operand))
            } else if self.accept("++") {
                ExpressionKind::Increment { by: 1, is_prefix: false, place: Box::new(operand) }
            } else if self.accept("--") {
                ExpressionKind::Increment { by: -1, is_prefix: false, place: Box::new(operand) }
            } else {
                return Some(operand);
            };
            operand = Expression { kind, span: start.to(self.last_span()) };
        }
    }

    fn primary(&mut self) -> Option<Expression> {
        let span = self.span();
        let kind = match self.peek().clone() {
            Kind::Number(number) => ExpressionKind::Number(number),
            Kind::Fraction => {
                return self.complain(
                    "uppaal::unsupported",
                    "numbers with a fraction are not supported",
                    span,
                );
            }
            Kind::Word(word) => match word.as_str() {
                "true" => ExpressionKind::Bool(true),
                "false" => ExpressionKind::Bool(false),
                "deadlock" => ExpressionKind::Deadlock,
                "spawn" | "exit" | "numOf" | "foreach" => {
                    let message = "templates that come and go at run time are not supported";
                    return self.complain("uppaal::unsupported", message, span);
                }
                word if KEYWORDS.contains(&word) => return self.unexpected("expected an expression"),
                word => ExpressionKind::Name(word.to_owned()),
            },
            Kind::Symbol("(") => {
                self.at += 1;
                let inner = self.expression()?;
                let end = self.expect(")")?;
                return Some(Expression { kind: inner.kind, span: span.to(end) });
            }
            _ => return self.unexpected("expected an expression"),
        };
        self.at += 1;
        Some(Expression { kind, span })
    }
}
