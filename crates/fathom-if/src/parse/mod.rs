//! From tokens to the syntax tree, with recovery.
//!
//! A problem inside a declaration, a state or a transition is said once; reading goes on at the next word that can only start or end such a part.
//! Nesting is bounded, so that no text exhausts the stack.

mod expr;
mod stmt;
#[cfg(test)]
mod tests;

use fathom_source::{Diagnostic, FileId, SourceMap, Span};

use crate::lexer::lex;
use crate::syntax::{
    ConstDecl, Expr, Item, Name, Parameter, Passing, Procedure, Process, RouteDecl, SignalDecl, State,
    System, TypeDecl, TypeDefinition, VarDecl,
};
use crate::token::{Token, TokenKind, is_keyword};

/// How deep expressions, statements and states may nest.
const DEEPEST: u32 = 64;

/// How many operators may stand on the way to an operand.
const MOST_OPERATORS: u32 = 512;

/// Words at which reading goes on after a problem.
const FRESH_STARTS: &[&str] = &[
    "process",
    "endprocess",
    "state",
    "endstate",
    "signal",
    "signalroute",
    "procedure",
    "endprocedure",
    "var",
    "type",
    "const",
    "endsystem",
];

/// A problem that was said already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said;

/// What comes of reading a part.
pub(crate) type Read<T> = Result<T, Said>;

/// Parses a system. What was understood comes with everything there is to say.
pub fn parse_system(file: FileId, sources: &SourceMap) -> (System, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, sources);
    let system = parser.system();
    (system, parser.diagnostics)
}

/// Parses an expression about a state, as properties have them.
pub fn parse_expression(file: FileId, sources: &SourceMap) -> (Option<Expr>, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, sources);
    let expr = parser.expr().ok();
    if expr.is_some() && *parser.peek() != TokenKind::End {
        parser.expected("an operator or the end");
    }
    (expr, parser.diagnostics)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    /// Operators on the way from the expression under way to the one it is part of: chains to the left are as deep as they are long.
    operators: u32,
    diagnostics: Vec<Diagnostic>,
}

impl Parser {
    fn new(file: FileId, sources: &SourceMap) -> Parser {
        let (tokens, diagnostics) = lex(file, sources);
        Parser { tokens, at: 0, depth: 0, operators: 0, diagnostics }
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> &TokenKind {
        &self.token().kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The place of the token before.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), TokenKind::Word(found) if found == word)
    }

    fn at_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), TokenKind::Sign(found) if *found == sign)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.at_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    /// Says what was expected instead of what is there.
    fn expected(&mut self, what: &str) -> Said {
        let Token { kind, span } = self.token().clone();
        let message = format!("expected {what}, found {kind}");
        self.diagnostics.push(Diagnostic::error("if::syntax", message).at(span, ""));
        Said
    }

    fn sign(&mut self, sign: &str) -> Read<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    fn word(&mut self, word: &str) -> Read<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn name(&mut self, what: &str) -> Read<Name> {
        if let TokenKind::Word(word) = self.peek()
            && !is_keyword(word)
        {
            let name = Name { text: word.clone(), span: self.span() };
            self.advance();
            return Ok(name);
        }
        Err(self.expected(what))
    }

    /// Names separated by commas, at least one.
    fn names(&mut self, what: &str) -> Read<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.take_sign(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Names between parentheses, maybe none.
    fn name_list(&mut self, what: &str) -> Read<Vec<Name>> {
        self.sign("(")?;
        if self.take_sign(")") {
            return Ok(Vec::new());
        }
        let names = self.names(what)?;
        self.sign(")")?;
        Ok(names)
    }

    /// Reads a part one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Parser) -> Read<T>) -> Read<T> {
        if self.depth >= DEEPEST {
            let message = format!("more than {DEEPEST} levels of nesting");
            self.diagnostics.push(Diagnostic::error("if::too-deep", message).at(self.span(), ""));
            return Err(Said);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Skips to a word at which reading can go on.
    fn recover(&mut self) {
        while *self.peek() != TokenKind::End {
            if matches!(self.peek(), TokenKind::Word(word) if FRESH_STARTS.contains(&word.as_str())) {
                return;
            }
            self.advance();
        }
    }

    fn system(&mut self) -> System {
        let mut system = System::default();
        if self.word("system").is_ok() {
            system.name = self.name("the name of the system").ok();
            let _ = self.sign(";");
        } else {
            self.recover();
        }
        loop {
            if self.take_word("endsystem") {
                let _ = self.sign(";");
                if *self.peek() != TokenKind::End {
                    self.expected("the end of the text after `endsystem;`");
                }
                return system;
            }
            if *self.peek() == TokenKind::End {
                self.expected("`endsystem`");
                return system;
            }
            let start = self.at;
            match self.system_item() {
                Ok(item) => system.items.push(item),
                Err(Said) => self.recover_past(start),
            }
        }
    }

    /// Recovers, and passes at least one token.
    fn recover_past(&mut self, start: usize) {
        if self.at == start {
            self.advance();
        }
        self.recover();
    }

    fn system_item(&mut self) -> Read<Item> {
        if self.at_word("process") {
            return self.process().map(Item::Process);
        }
        if self.at_word("signalroute") {
            return self.route().map(Item::Route);
        }
        if self.take_word("signal") {
            let name = self.name("the name of a signal")?;
            let parameters =
                if self.at_sign("(") { self.name_list("the name of a type")? } else { Vec::new() };
            self.sign(";")?;
            return Ok(Item::Signal(SignalDecl { name, parameters }));
        }
        self.common_item("a declaration or a process")
    }

    /// What both systems and processes have.
    fn common_item(&mut self, what: &str) -> Read<Item> {
        if self.at_word("procedure") {
            return self.procedure().map(Item::Procedure);
        }
        if self.at_word("var") {
            return self.variable().map(Item::Var);
        }
        if self.take_word("const") {
            let name = self.name("the name of a constant")?;
            let value = if self.take_sign("=") { Some(self.expr()?) } else { None };
            self.sign(";")?;
            return Ok(Item::Const(ConstDecl { name, value }));
        }
        if self.take_word("type") {
            let name = self.name("the name of a type")?;
            self.sign("=")?;
            let definition = self.type_definition()?;
            self.sign(";")?;
            return Ok(Item::Type(TypeDecl { name, definition }));
        }
        Err(self.expected(what))
    }

    fn variable(&mut self) -> Read<VarDecl> {
        self.word("var")?;
        let name = self.name("the name of a variable")?;
        let ty = self.name("the name of a type")?;
        // Reading the variables of other processes is allowed either way.
        let _ = self.take_word("private") || self.take_word("public");
        self.sign(";")?;
        Ok(VarDecl { name, ty })
    }

    fn type_definition(&mut self) -> Read<TypeDefinition> {
        let start = self.span();
        if self.take_word("enum") {
            let names = self.names("the name of a member")?;
            self.word("endenum")?;
            return Ok(TypeDefinition::Enum(names));
        }
        if self.take_word("range") {
            let low = self.expr()?;
            self.sign("..")?;
            return Ok(TypeDefinition::Range(low, self.expr()?));
        }
        if self.take_word("array") {
            self.sign("[")?;
            let low = self.expr()?;
            self.sign("..")?;
            let high = self.expr()?;
            self.sign("]")?;
            self.word("of")?;
            return Ok(TypeDefinition::Array { low, high, element: self.name("the name of a type")? });
        }
        if self.take_word("record") {
            let mut fields = Vec::new();
            while !self.take_word("endrecord") {
                let name = self.name("a field or `endrecord`")?;
                fields.push((name, self.name("the name of a type")?));
                self.sign(";")?;
            }
            return Ok(TypeDefinition::Record(fields));
        }
        if self.take_word("string") {
            self.sign("[")?;
            let length = self.expr()?;
            self.sign("]")?;
            self.word("of")?;
            let element = self.name("the name of a type")?;
            return Ok(TypeDefinition::String { length, element, span: start.to(self.last_span()) });
        }
        if self.take_word("abstract") {
            let mut functions = Vec::new();
            while !self.take_word("endabstract") {
                self.name("the type of a function or `endabstract`")?;
                functions.push(self.name("the name of a function")?);
                self.name_list("the name of a type")?;
                self.sign(";")?;
            }
            return Ok(TypeDefinition::Abstract { functions, span: start });
        }
        self.name("a type").map(TypeDefinition::Alias)
    }

    fn route(&mut self) -> Read<RouteDecl> {
        self.word("signalroute")?;
        let name = self.name("the name of a signalroute")?;
        let count = self.count()?;
        let mut options = Vec::new();
        while let TokenKind::Mark(word) = self.peek() {
            let option = Name { text: word.clone(), span: self.span() };
            self.advance();
            let mut bounds = Vec::new();
            if self.take_sign("[") {
                bounds.push(self.expr()?);
                while self.take_sign(",") {
                    bounds.push(self.expr()?);
                }
                self.sign("]")?;
            }
            options.push((option, bounds));
        }
        self.word("from")?;
        let from = self.end_of_route()?;
        self.word("to")?;
        let to = self.end_of_route()?;
        self.word("with")?;
        let signals = self.names("the name of a signal")?;
        self.sign(";")?;
        Ok(RouteDecl { name, count, options, from, to, signals })
    }

    fn end_of_route(&mut self) -> Read<Name> {
        if self.at_word("env") {
            let name = Name { text: "env".to_owned(), span: self.span() };
            self.advance();
            return Ok(name);
        }
        self.name("the name of a process, or `env`")
    }

    /// The number of instances, between parentheses.
    fn count(&mut self) -> Read<Expr> {
        self.sign("(")?;
        let count = self.expr()?;
        self.sign(")")?;
        Ok(count)
    }

    fn parameters(&mut self) -> Read<Vec<Parameter>> {
        let mut parameters = Vec::new();
        if !self.take_word("fpar") {
            return Ok(parameters);
        }
        loop {
            let passing = if self.take_word("inout") {
                Passing::InOut
            } else if self.take_word("out") {
                Passing::Out
            } else {
                self.take_word("in");
                Passing::In
            };
            let name = self.name("the name of a parameter")?;
            parameters.push(Parameter { passing, name, ty: self.name("the name of a type")? });
            if !self.take_sign(",") {
                break;
            }
        }
        self.sign(";")?;
        Ok(parameters)
    }

    fn procedure(&mut self) -> Read<Procedure> {
        self.word("procedure")?;
        let name = self.name("the name of a procedure")?;
        self.sign(";")?;
        let parameters = self.parameters()?;
        let mut returns = None;
        if self.take_word("returns") {
            returns = Some(self.name("the name of a type")?);
            self.sign(";")?;
        }
        let mut variables = Vec::new();
        while self.at_word("var") {
            variables.push(self.variable()?);
        }
        let mut foreign = None;
        if *self.peek() == TokenKind::Foreign {
            foreign = Some(self.span());
            self.advance();
        }
        let body = self.statements()?;
        self.word("endprocedure")?;
        self.sign(";")?;
        Ok(Procedure { name, parameters, returns, variables, foreign, body })
    }

    fn process(&mut self) -> Read<Process> {
        self.word("process")?;
        let name = self.name("the name of a process")?;
        let count = self.count()?;
        self.sign(";")?;
        let parameters = self.parameters()?;
        let mut process = Process { name, count, parameters, items: Vec::new() };
        loop {
            if self.take_word("endprocess") {
                let _ = self.sign(";");
                return Ok(process);
            }
            if *self.peek() == TokenKind::End || self.at_word("endsystem") || self.at_word("process") {
                self.expected("`endprocess`");
                return Ok(process);
            }
            let start = self.at;
            let item = if self.at_word("state") {
                self.state().map(Item::State)
            } else {
                self.common_item("a state, a declaration or `endprocess`")
            };
            match item {
                Ok(item) => process.items.push(item),
                Err(Said) => self.recover_past(start),
            }
        }
    }

    fn state(&mut self) -> Read<State> {
        self.deeper(|parser| {
            parser.word("state")?;
            let mut state = parser.state_head()?;
            loop {
                if parser.take_word("endstate") {
                    let _ = parser.sign(";");
                    return Ok(state);
                }
                let start = parser.at;
                if parser.at_word("state") {
                    match parser.state() {
                        Ok(inner) => state.states.push(inner),
                        Err(Said) => parser.recover_past(start),
                    }
                    continue;
                }
                match parser.transition() {
                    Ok(transition) => state.transitions.push(transition),
                    Err(Said) => {
                        parser.recover_past(start);
                        if !parser.at_word("state") && !parser.at_word("endstate") {
                            return Ok(state);
                        }
                    }
                }
            }
        })
    }

    fn state_head(&mut self) -> Read<State> {
        let name = self.name("the name of a state")?;
        let mut state = State {
            name,
            marks: Vec::new(),
            time_progress: None,
            save: Vec::new(),
            transitions: Vec::new(),
            states: Vec::new(),
        };
        while let TokenKind::Mark(word) = self.peek() {
            state.marks.push(Name { text: word.clone(), span: self.span() });
            self.advance();
        }
        self.sign(";")?;
        if self.take_word("tpc") {
            state.time_progress = Some(self.expr()?);
            self.take_sign(";");
        }
        if self.take_word("save") {
            state.save = self.names("the name of a signal")?;
            self.take_sign(";");
        }
        Ok(state)
    }
}
