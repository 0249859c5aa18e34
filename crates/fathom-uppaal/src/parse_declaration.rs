//! Declarations, types, functions and statements.

use crate::lexer::Kind;
use crate::parse_expression::{KEYWORDS, Parser};
use crate::syntax::{
    BaseType, Declaration, Declarator, Dimension, Expression, ExpressionKind, Function, Parameter, Statement,
    TypeExpression,
};

/// Words of types and declarations that Fathom does not read, and what they are about.
const UNSUPPORTED: [(&str, &str); 7] = [
    ("double", "numbers with a fraction are not supported"),
    ("string", "texts are not supported"),
    ("hybrid", "hybrid clocks are not supported"),
    ("dynamic", "templates that come and go at run time are not supported"),
    ("import", "functions of other languages are not supported"),
    ("before_update", "code that runs around every update is not supported"),
    ("after_update", "code that runs around every update is not supported"),
];

impl Parser<'_> {
    /// Declarations up to something that is none.
    pub fn declarations(&mut self) -> Vec<Declaration> {
        let mut found = Vec::new();
        while self.is_declaration() {
            let from = self.at;
            match self.declaration() {
                Some(declaration) => found.extend(declaration),
                None => self.recover(from),
            }
        }
        found
    }

    /// Goes on after the next semicolon or block.
    pub fn recover(&mut self, from: usize) {
        self.at = self.at.max(from);
        let mut depth = 0;
        while !self.is_end() {
            match self.peek() {
                Kind::Symbol("{") => depth += 1,
                Kind::Symbol("}") if depth <= 1 => {
                    self.at += 1;
                    self.accept(";");
                    return;
                }
                Kind::Symbol("}") => depth -= 1,
                Kind::Symbol(";") if depth == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn is_declaration(&self) -> bool {
        match self.peek() {
            Kind::Word(word) => match word.as_str() {
                "process" | "system" | "state" | "init" | "trans" | "commit" | "IO" | "progress"
                | "gantt" => false,
                // At a process, `urgent` may also begin a list of locations.
                "urgent" => {
                    matches!(self.peek_ahead(1), Kind::Word(next) if next == "chan" || next == "broadcast")
                }
                word if KEYWORDS.contains(&word) => true,
                word if UNSUPPORTED.iter().any(|(unsupported, _)| *unsupported == word) => true,
                // A type with a name, and what is declared. An instantiation has no second name.
                _ => {
                    matches!(self.peek_ahead(1), Kind::Word(_))
                        || matches!(self.peek_ahead(1), Kind::Symbol("&"))
                }
            },
            Kind::Symbol(";") => true,
            _ => false,
        }
    }

    fn declaration(&mut self) -> Option<Option<Declaration>> {
        if self.accept(";") {
            return Some(None);
        }
        if self.is_at("chan") && matches!(self.peek_ahead(1), Kind::Word(word) if word == "priority") {
            return self.channel_priorities().map(Some);
        }
        if self.accept("typedef") {
            let ty = self.type_expression()?;
            let declarators = self.declarators()?;
            return Some(Some(Declaration::Typedef(ty, declarators)));
        }
        if self.is_at("const") && matches!(self.peek_ahead(2), Kind::Number(_) | Kind::Symbol("-")) {
            return self.old_constants().map(Some);
        }
        let ty = self.type_expression()?;
        let is_function =
            matches!(self.peek(), Kind::Word(_)) && matches!(self.peek_ahead(1), Kind::Symbol("("));
        if is_function {
            let name = self.name()?;
            self.expect("(")?;
            let parameters = self.parameters(")")?;
            let body = self.block()?;
            return Some(Some(Declaration::Function(Function { result: ty, name, parameters, body })));
        }
        Some(Some(Declaration::Variables(ty, self.declarators()?)))
    }

    /// `const k 2, n 5;`, as in the oldest files.
    fn old_constants(&mut self) -> Option<Declaration> {
        let span = self.expect("const")?;
        let mut declarators = Vec::new();
        loop {
            let name = self.name()?;
            let initial = Some(self.expression()?);
            declarators.push(Declarator { name, is_reference: false, dimensions: Vec::new(), initial });
            if self.accept(";") {
                break;
            }
            self.expect(",")?;
        }
        let ty = TypeExpression {
            is_const: true,
            is_meta: false,
            is_urgent: false,
            is_broadcast: false,
            base: BaseType::Int(None),
            span,
        };
        Some(Declaration::Variables(ty, declarators))
    }

    fn channel_priorities(&mut self) -> Option<Declaration> {
        self.at += 2;
        let mut groups = vec![Vec::new()];
        loop {
            let channel = if self.accept("default") { None } else { Some(self.postfix()?) };
            groups.last_mut()?.push(channel);
            if self.accept("<") {
                groups.push(Vec::new());
            } else if !self.accept(",") {
                break;
            }
        }
        self.expect(";")?;
        Some(Declaration::ChannelPriorities(groups))
    }

    /// Declarators with commas between them, and the semicolon.
    fn declarators(&mut self) -> Option<Vec<Declarator>> {
        let mut found = Vec::new();
        loop {
            found.push(self.declarator()?);
            if self.accept(";") {
                return Some(found);
            }
            self.expect(",")?;
        }
    }

    fn declarator(&mut self) -> Option<Declarator> {
        let is_reference = self.accept("&");
        let name = self.name()?;
        let mut dimensions = Vec::new();
        while self.accept("[") {
            let is_type = matches!(self.peek(), Kind::Word(word) if word == "int" || word == "scalar" || word == "bool");
            dimensions.push(if is_type {
                Dimension::Type(self.type_expression()?)
            } else {
                Dimension::Size(self.expression()?)
            });
            self.expect("]")?;
        }
        let has_initial = self.accept("=") || self.accept(":=");
        let initial = if has_initial { Some(self.initializer()?) } else { None };
        Some(Declarator { name, is_reference, dimensions, initial })
    }

    fn initializer(&mut self) -> Option<Expression> {
        let start = self.span();
        if !self.accept("{") {
            return self.expression();
        }
        let mut items = Vec::new();
        loop {
            let is_named =
                matches!(self.peek(), Kind::Word(_)) && matches!(self.peek_ahead(1), Kind::Symbol(":"));
            let name = if is_named { Some(self.name()?) } else { None };
            if is_named {
                self.at += 1;
            }
            items.push((name, self.nest(Parser::initializer)?));
            if self.accept("}") {
                break;
            }
            self.expect(",")?;
        }
        Some(Expression { kind: ExpressionKind::List(items), span: start.to(self.last_span()) })
    }

    /// A type with its prefixes.
    pub fn type_expression(&mut self) -> Option<TypeExpression> {
        let start = self.span();
        let mut ty = TypeExpression {
            is_const: false,
            is_meta: false,
            is_urgent: false,
            is_broadcast: false,
            base: BaseType::Void,
            span: start,
        };
        loop {
            match self.peek() {
                Kind::Word(word) if word == "const" => ty.is_const = true,
                Kind::Word(word) if word == "meta" => ty.is_meta = true,
                Kind::Word(word) if word == "urgent" => ty.is_urgent = true,
                Kind::Word(word) if word == "broadcast" => ty.is_broadcast = true,
                _ => break,
            }
            self.at += 1;
        }
        ty.base = self.base_type()?;
        ty.span = start.to(self.last_span());
        Some(ty)
    }

    fn base_type(&mut self) -> Option<BaseType> {
        let span = self.span();
        let Kind::Word(word) = self.peek().clone() else { return self.unexpected("expected a type") };
        if let Some((_, message)) = UNSUPPORTED.iter().find(|(unsupported, _)| *unsupported == word) {
            return self.complain("uppaal::unsupported", message, span);
        }
        self.at += 1;
        Some(match word.as_str() {
            "int" => {
                if !self.accept("[") {
                    return Some(BaseType::Int(None));
                }
                let least = self.expression()?;
                self.expect(",")?;
                let most = self.expression()?;
                self.expect("]")?;
                BaseType::Int(Some(Box::new((least, most))))
            }
            "bool" => BaseType::Bool,
            "clock" => BaseType::Clock,
            "chan" => BaseType::Channel,
            "void" => BaseType::Void,
            "scalar" => {
                self.expect("[")?;
                let size = self.expression()?;
                self.expect("]")?;
                BaseType::Scalar(Box::new(size))
            }
            "struct" => {
                self.expect("{")?;
                let mut fields = Vec::new();
                while !self.accept("}") {
                    let ty = self.nest(Parser::type_expression)?;
                    fields.push((ty, self.declarators()?));
                }
                BaseType::Struct(fields)
            }
            word if KEYWORDS.contains(&word) => {
                self.at -= 1;
                return self.unexpected("expected a type");
            }
            word => BaseType::Named(word.to_owned()),
        })
    }

    /// Parameters up to a closing symbol, which is taken, too; without one, up to the end.
    pub fn parameters(&mut self, close: &str) -> Option<Vec<Parameter>> {
        let mut found = Vec::new();
        if self.accept(close) || (close.is_empty() && self.is_end()) {
            return Some(found);
        }
        loop {
            let ty = self.type_expression()?;
            let declarator = self.declarator()?;
            found.push(Parameter { ty, declarator });
            if self.accept(close) || (close.is_empty() && self.is_end()) {
                return Some(found);
            }
            self.expect(",")?;
        }
    }

    fn block(&mut self) -> Option<Vec<Statement>> {
        self.expect("{")?;
        let mut found = Vec::new();
        while !self.accept("}") {
            if self.is_end() {
                return self.unexpected("expected '}'");
            }
            found.push(self.nest(Parser::statement)?);
        }
        Some(found)
    }

    fn boxed_statement(&mut self) -> Option<Box<Statement>> {
        Some(Box::new(self.nest(Parser::statement)?))
    }

    fn statement(&mut self) -> Option<Statement> {
        let span = self.span();
        if self.is_at("{") {
            return self.block().map(Statement::Block);
        }
        if self.accept(";") {
            return Some(Statement::Empty);
        }
        if self.accept("if") {
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            let then = self.boxed_statement()?;
            let otherwise = if self.accept("else") { Some(self.boxed_statement()?) } else { None };
            return Some(Statement::If(condition, then, otherwise));
        }
        if self.accept("while") {
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            return Some(Statement::While(condition, self.boxed_statement()?));
        }
        if self.accept("do") {
            let body = self.boxed_statement()?;
            self.expect("while")?;
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            self.expect(";")?;
            return Some(Statement::DoWhile(body, condition));
        }
        if self.accept("for") {
            return self.for_statement();
        }
        if self.accept("return") {
            let value = if self.is_at(";") { None } else { Some(self.expression()?) };
            self.expect(";")?;
            return Some(Statement::Return(value, span));
        }
        if self.is_declaration() {
            let ty = self.type_expression()?;
            return Some(Statement::Variables(ty, self.declarators()?));
        }
        let expression = self.expression()?;
        // Commas are for several at once.
        let mut statements = vec![Statement::Expression(expression)];
        while self.accept(",") {
            statements.push(Statement::Expression(self.expression()?));
        }
        self.expect(";")?;
        Some(if statements.len() == 1 { statements.remove(0) } else { Statement::Block(statements) })
    }

    fn for_statement(&mut self) -> Option<Statement> {
        self.expect("(")?;
        let is_over_type =
            matches!(self.peek(), Kind::Word(_)) && matches!(self.peek_ahead(1), Kind::Symbol(":"));
        if is_over_type {
            let name = self.name()?;
            self.expect(":")?;
            let ty = self.type_expression()?;
            self.expect(")")?;
            return Some(Statement::ForType(name, ty, self.boxed_statement()?));
        }
        let mut part = |close: &str| -> Option<Option<Expression>> {
            let found = if self.is_at(close) { None } else { Some(self.expression()?) };
            self.expect(close)?;
            Some(found)
        };
        let (first, condition, step) = (part(";")?, part(";")?, part(")")?);
        Some(Statement::For(first, condition, step, self.boxed_statement()?))
    }
}
