//! From tokens to a syntax tree. After a problem the parser goes on with the next section.

use fathom_source::{Diagnostic, FileId, SourceMap, Span};

use crate::lexer::{Token, TokenKind, lex};
use crate::parse_expr::KEYWORDS;
use crate::syntax::{
    Assigned, Constraint, Expr, ExprKind, Item, Module, Name, Program, SpecKind, Type, VarKind,
};

/// Most diagnostics of one text.
const MOST_PROBLEMS: usize = 50;

/// How deep arrays of definitions may nest.
const DEEPEST_ARRAY: u32 = 100;

/// Parses a text.
pub fn parse_program(file: FileId, sources: &SourceMap) -> (Program, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, sources);
    let program = parser.program();
    (program, parser.diagnostics)
}

/// Parses an expression that is the whole text of a file.
pub fn parse_expression(file: FileId, sources: &SourceMap) -> (Option<Expr>, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, sources);
    let expr = parser.expr();
    if expr.is_some() && parser.peek().kind != TokenKind::End {
        parser.expected::<()>("the end of the expression");
        return (None, parser.diagnostics);
    }
    (expr, parser.diagnostics)
}

pub(crate) struct Parser<'s> {
    tokens: Vec<Token>,
    at: usize,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) depth: u32,
    /// Whether `U` joins formulas here; between the brackets of `E [p U q]` it divides them.
    pub(crate) until_is_operator: bool,
    _sources: std::marker::PhantomData<&'s SourceMap>,
}

impl<'s> Parser<'s> {
    fn new(file: FileId, sources: &'s SourceMap) -> Parser<'s> {
        let (tokens, diagnostics) = lex(file, sources);
        Parser {
            tokens,
            at: 0,
            diagnostics,
            depth: 0,
            until_is_operator: true,
            _sources: std::marker::PhantomData,
        }
    }

    pub(crate) fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    pub(crate) fn peek_at(&self, distance: usize) -> &Token {
        &self.tokens[(self.at + distance).min(self.tokens.len() - 1)]
    }

    pub(crate) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub(crate) fn at_sign(&self, sign: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Sign(found) if found == sign)
    }

    pub(crate) fn at_word(&self, word: &str) -> bool {
        matches!(&self.peek().kind, TokenKind::Word(found) if found == word)
    }

    pub(crate) fn eat(&mut self, sign: &str) -> bool {
        let found = self.at_sign(sign);
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.next();
        }
        found
    }

    /// The place of a sign that must come next.
    pub(crate) fn expect(&mut self, sign: &str) -> Option<Span> {
        if self.at_sign(sign) {
            return Some(self.next().span);
        }
        self.expected(&format!("`{sign}`"))
    }

    pub(crate) fn expected<T>(&mut self, what: &str) -> Option<T> {
        let found = self.peek().kind.describe();
        self.problem("smv::syntax", format!("expected {what}, found {found}"));
        None
    }

    pub(crate) fn problem(&mut self, code: &'static str, message: String) {
        if self.diagnostics.len() < MOST_PROBLEMS {
            let span = self.peek().span;
            self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
        }
    }

    fn problem_at(&mut self, code: &'static str, message: &str, span: Span) {
        if self.diagnostics.len() < MOST_PROBLEMS {
            self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
        }
    }

    /// Goes to the end of the text: what follows cannot be read.
    pub(crate) fn give_up(&mut self) {
        self.at = self.tokens.len() - 1;
    }

    /// A name.
    pub(crate) fn name(&mut self) -> Option<Name> {
        match &self.peek().kind {
            TokenKind::Word(word) if !KEYWORDS.contains(&word.as_str()) => self.any_name(),
            _ => self.expected("a name"),
        }
    }

    /// A name after a dot, which may be a word of the language or a number.
    pub(crate) fn any_name(&mut self) -> Option<Name> {
        let token = self.peek().clone();
        let text = match token.kind {
            TokenKind::Word(text) => text,
            TokenKind::Integer(value) => value.to_string(),
            _ => return self.expected("a name"),
        };
        self.next();
        Some(Name { text, span: token.span })
    }

    fn program(&mut self) -> Program {
        let mut program = Program::default();
        while self.peek().kind != TokenKind::End {
            if !self.eat_word("MODULE") {
                self.expected::<()>("`MODULE`");
                self.skip_to(&["MODULE"]);
                continue;
            }
            match self.module() {
                Some(module) => program.modules.push(module),
                None => self.skip_to(&["MODULE"]),
            }
        }
        program
    }

    fn skip_to(&mut self, words: &[&str]) {
        while self.peek().kind != TokenKind::End && !words.iter().any(|word| self.at_word(word)) {
            self.next();
        }
    }

    fn module(&mut self) -> Option<Module> {
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.eat("(") && !self.eat(")") {
            loop {
                parameters.push(self.name()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        let mut items = Vec::new();
        while self.peek().kind != TokenKind::End && !self.at_word("MODULE") {
            if self.section(&mut items).is_none() {
                let sections: Vec<&str> = KEYWORDS[..24].to_vec();
                self.skip_to(&sections);
            }
        }
        Some(Module { name, parameters, items })
    }

    fn section(&mut self, items: &mut Vec<Item>) -> Option<()> {
        let token = self.peek().clone();
        let TokenKind::Word(word) = &token.kind else { return self.expected("a section such as `VAR`") };
        let constraint = |constraint| move |expr| Item::Constraint(constraint, expr);
        match word.as_str() {
            "VAR" => self.declarations(VarKind::State, items),
            "IVAR" => self.declarations(VarKind::Input, items),
            "FROZENVAR" => self.declarations(VarKind::Frozen, items),
            "DEFINE" => self.defines(items),
            "CONSTANTS" => self.constants(items),
            "ASSIGN" => self.assignments(items),
            "INIT" => self.one(items, constraint(Constraint::Init)),
            "INVAR" => self.one(items, constraint(Constraint::Invar)),
            "TRANS" => self.one(items, constraint(Constraint::Trans)),
            "FAIRNESS" | "JUSTICE" => self.one(items, constraint(Constraint::Fairness)),
            "COMPASSION" => {
                self.next();
                self.expect("(")?;
                let first = self.expr()?;
                self.expect(",")?;
                let second = self.expr()?;
                self.expect(")")?;
                self.eat(";");
                items.push(Item::Compassion(first, second));
                Some(())
            }
            "SPEC" | "CTLSPEC" => self.spec(SpecKind::Ctl, items),
            "LTLSPEC" => self.spec(SpecKind::Ltl, items),
            "INVARSPEC" => self.spec(SpecKind::Invar, items),
            "PSLSPEC" | "COMPUTE" | "ISA" | "MIRROR" | "PRED" | "FUN" => {
                self.problem("smv::unsupported", format!("`{word}` is not supported"));
                self.next();
                None
            }
            _ => {
                let found = token.kind.describe();
                self.problem("smv::syntax", format!("expected a section such as `VAR`, found {found}"));
                self.next();
                None
            }
        }
    }

    fn one(&mut self, items: &mut Vec<Item>, make: impl Fn(Expr) -> Item) -> Option<()> {
        self.next();
        let expr = self.expr()?;
        self.eat(";");
        items.push(make(expr));
        Some(())
    }

    fn spec(&mut self, kind: SpecKind, items: &mut Vec<Item>) -> Option<()> {
        self.next();
        let mut name = None;
        if self.eat_word("NAME") {
            name = Some(self.name()?);
            self.expect(":=")?;
        }
        let expr = self.expr()?;
        self.eat(";");
        items.push(Item::Spec(kind, name, expr));
        Some(())
    }

    /// Whether a declaration follows, and not the next section.
    fn goes_on(&self) -> bool {
        matches!(&self.peek().kind, TokenKind::Word(word) if !KEYWORDS.contains(&word.as_str()))
    }

    fn declarations(&mut self, kind: VarKind, items: &mut Vec<Item>) -> Option<()> {
        self.next();
        while self.goes_on() {
            let name = self.name()?;
            self.expect(":")?;
            let ty = self.ty()?;
            self.expect(";")?;
            items.push(Item::Var(kind, name, ty));
        }
        Some(())
    }

    fn defines(&mut self, items: &mut Vec<Item>) -> Option<()> {
        self.next();
        while self.goes_on() {
            let target = self.target()?;
            self.expect(":=")?;
            let expr = self.definition()?;
            self.expect(";")?;
            items.push(match target.kind {
                ExprKind::Name(text) => Item::Define(Name { text, span: target.span }, expr),
                ExprKind::Field(instance, name) => Item::DefineIn(*instance, name, expr),
                _ => {
                    self.problem_at("smv::syntax", "an element of an array cannot be defined", target.span);
                    continue;
                }
            });
        }
        Some(())
    }

    /// What a name is defined to be: an expression, or an array of definitions.
    fn definition(&mut self) -> Option<Expr> {
        if !self.at_sign("[") {
            return self.expr();
        }
        if self.depth >= DEEPEST_ARRAY {
            return self.expected("an array that does not nest as deep");
        }
        let start = self.next().span;
        self.depth += 1;
        let elements = self.definitions();
        self.depth -= 1;
        let elements = elements?;
        let span = crate::parse_expr::cover(start, self.expect("]")?);
        Some(Expr { kind: ExprKind::Array(elements), span })
    }

    fn definitions(&mut self) -> Option<Vec<Expr>> {
        let mut elements = vec![self.definition()?];
        while self.eat(",") {
            elements.push(self.definition()?);
        }
        Some(elements)
    }

    fn constants(&mut self, items: &mut Vec<Item>) -> Option<()> {
        self.next();
        let mut names = vec![self.name()?];
        while self.eat(",") {
            names.push(self.name()?);
        }
        self.expect(";")?;
        items.push(Item::Constants(names));
        Some(())
    }

    fn assignments(&mut self, items: &mut Vec<Item>) -> Option<()> {
        self.next();
        loop {
            let assigned = match &self.peek().kind {
                TokenKind::Word(word) if word == "init" => Assigned::Init,
                TokenKind::Word(word) if word == "next" => Assigned::Next,
                _ if self.goes_on() => Assigned::Current,
                _ => return Some(()),
            };
            let target = if assigned == Assigned::Current {
                self.lvalue()?
            } else {
                self.next();
                self.expect("(")?;
                let target = self.lvalue()?;
                self.expect(")")?;
                target
            };
            self.expect(":=")?;
            let value = self.expr()?;
            self.expect(";")?;
            items.push(Item::Assign(assigned, target, value));
        }
    }

    /// What stands on the left of an assignment: no operators.
    fn lvalue(&mut self) -> Option<Expr> {
        if !self.goes_on() {
            return self.expected("a variable");
        }
        self.target()
    }

    fn target(&mut self) -> Option<Expr> {
        let name = self.name()?;
        let mut expr = Expr { kind: ExprKind::Name(name.text), span: name.span };
        loop {
            if self.eat(".") {
                let name = self.any_name()?;
                let span = crate::parse_expr::cover(expr.span, name.span);
                expr = Expr { kind: ExprKind::Field(Box::new(expr), name), span };
            } else if self.eat("[") {
                let index = self.expr()?;
                let end = self.expect("]")?;
                let span = crate::parse_expr::cover(expr.span, end);
                expr = Expr { kind: ExprKind::Index(Box::new(expr), Box::new(index)), span };
            } else {
                return Some(expr);
            }
        }
    }

    fn ty(&mut self) -> Option<Type> {
        self.depth += 1;
        let ty = if self.depth > 100 {
            self.expected("a type that does not nest as deep")
        } else {
            self.ty_inside()
        };
        self.depth -= 1;
        ty
    }

    fn ty_inside(&mut self) -> Option<Type> {
        let word = match &self.peek().kind {
            TokenKind::Word(word) => word.clone(),
            TokenKind::Sign("{") => {
                self.next();
                let mut members = vec![self.expr()?];
                while self.eat(",") {
                    members.push(self.expr()?);
                }
                self.expect("}")?;
                return Some(Type::Enumeration(members));
            }
            _ => String::new(),
        };
        match word.as_str() {
            "boolean" => {
                self.next();
                Some(Type::Boolean)
            }
            "array" => {
                self.next();
                let (low, high) = self.range()?;
                if !self.eat_word("of") {
                    return self.expected("`of`");
                }
                Some(Type::Array(low, high, Box::new(self.ty()?)))
            }
            "word" | "unsigned" | "signed" => {
                self.next();
                if word != "word" && !self.eat_word("word") {
                    return self.expected("`word`");
                }
                self.expect("[")?;
                let width = self.expr()?;
                self.expect("]")?;
                Some(Type::Word { signed: word == "signed", width })
            }
            "process" => {
                self.next();
                self.instance(true)
            }
            "integer" | "real" => {
                self.problem("smv::unsupported", format!("`{word}` has infinitely many values"));
                None
            }
            _ if self.goes_on() && !self.range_follows() => self.instance(false),
            _ => {
                let (low, high) = self.range()?;
                Some(Type::Range(low, high))
            }
        }
    }

    /// Whether a name here starts a range and not an instance, whose arguments may contain ranges, too.
    fn range_follows(&self) -> bool {
        let mut distance = 1;
        let mut depth = 0_usize;
        loop {
            match &self.peek_at(distance).kind {
                TokenKind::Sign("(" | "[" | "{") => depth += 1,
                TokenKind::Sign(")" | "]" | "}") => depth = depth.saturating_sub(1),
                TokenKind::Sign("..") if depth == 0 => return true,
                TokenKind::Sign(";") | TokenKind::End => return false,
                _ => {}
            }
            distance += 1;
        }
    }

    fn range(&mut self) -> Option<(Expr, Expr)> {
        let whole = self.expr()?;
        if let ExprKind::Range(low, high) = whole.kind {
            return Some((*low, *high));
        }
        self.expect("..")?;
        Some((whole, self.expr()?))
    }

    fn instance(&mut self, process: bool) -> Option<Type> {
        let module = self.name()?;
        let mut arguments = Vec::new();
        if self.eat("(") && !self.eat(")") {
            loop {
                arguments.push(self.expr()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        Some(Type::Instance { module, arguments, process })
    }
}
