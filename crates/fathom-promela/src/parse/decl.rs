//! Declarations: variables, channels, `typedef`, `mtype`, parameters.

use super::{Parsed, Parser};
use crate::syntax::*;
use crate::token::{Punct, Symbol, word};
use fathom_source::Diagnostic;

impl Parser<'_> {
    /// Whether a declaration of variables is next.
    pub(super) fn at_declaration(&self) -> bool {
        let Some(symbol) = self.peek().name() else { return false };
        if symbol.is_reserved() {
            return base_type(symbol).is_some()
                || matches!(symbol, word::MTYPE | word::HIDDEN | word::SHOW | word::LOCAL);
        }
        // A known type, or two names in a row on one line, which can be nothing else.
        let followed_by_name = self.plain_name(1).is_some();
        followed_by_name && (self.typedefs.contains(&symbol) || !self.peek_at(1).newline_before)
    }

    /// Whether `mtype` is next and declares members rather than variables.
    pub(super) fn at_mtype_members(&self) -> bool {
        if !self.at_word(word::MTYPE) {
            return false;
        }
        let after_name = if self.peek_at(1).is(Punct::Colon) { 3 } else { 1 };
        let token = self.peek_at(after_name);
        token.is(Punct::LeftBrace) || token.is(Punct::Assign)
    }

    pub(super) fn mtype(&mut self) -> Parsed<Mtype> {
        let start = self.mark();
        self.expect_word(word::MTYPE)?;
        let subtype = self.subtype()?;
        self.eat(Punct::Assign);
        self.expect(Punct::LeftBrace)?;
        let mut members = Vec::new();
        while !self.at(Punct::RightBrace) {
            if !self.eat(Punct::Comma) {
                members.push(self.expect_name("a name or `}`")?.1);
            }
        }
        self.next();
        Ok(Mtype { subtype, members, span: self.span_from(start) })
    }

    /// `: name` after `mtype`.
    fn subtype(&mut self) -> Parsed<Option<Ident>> {
        if !self.eat(Punct::Colon) {
            return Ok(None);
        }
        Ok(Some(self.expect_name("the name of an mtype")?.1))
    }

    pub(super) fn typedef(&mut self) -> Parsed<Typedef> {
        let start = self.mark();
        self.next();
        let (symbol, name) = self.expect_name("the name of the type")?;
        self.typedefs.insert(symbol);
        self.expect(Punct::LeftBrace)?;
        self.in_sequence = true;
        let fields = self.declarations(Punct::RightBrace);
        self.in_sequence = false;
        let fields = fields?;
        self.expect(Punct::RightBrace)?;
        Ok(Typedef { name, fields, span: self.span_from(start) })
    }

    /// `( … )` of a proctype.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Declaration>> {
        self.open(Punct::LeftParen)?;
        let parameters = self.declarations(Punct::RightParen)?;
        for declarator in parameters.iter().flat_map(|declaration| &declaration.declarators) {
            if declarator.initializer.is_some() {
                let message = format!("parameter `{}` has an initial value", declarator.name.name);
                self.report(
                    Diagnostic::error("promela::parameter-initializer", message).at(declarator.name.span, ""),
                );
            }
        }
        self.close(Punct::RightParen)?;
        Ok(parameters)
    }

    /// Declarations with separators, up to `end`.
    fn declarations(&mut self, end: Punct) -> Parsed<Vec<Declaration>> {
        let mut declarations = Vec::new();
        loop {
            while self.eat(Punct::Semicolon) {}
            if self.at(end) {
                return Ok(declarations);
            }
            if !self.at_declaration() {
                let text = end.text();
                return self.expected(&format!("a declaration or `{text}`"));
            }
            declarations.push(self.declaration()?);
            if !self.at(Punct::Semicolon) && !self.at(end) && !self.at_line_start() {
                let text = end.text();
                return self.expected(&format!("`;`, `,` or `{text}`"));
            }
        }
    }

    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let start = self.mark();
        let visibility = match self.peek().name() {
            Some(word::HIDDEN) => Some(Visibility::Hidden),
            Some(word::SHOW) => Some(Visibility::Show),
            Some(word::LOCAL) => Some(Visibility::Local),
            _ => None,
        };
        if visibility.is_some() {
            self.next();
        }
        if self.at_mtype_members() {
            let span = self.mtype()?.span;
            let message = "an mtype is declared at the top level only, without `hidden`, `show` or `local`";
            return self.mistake(Diagnostic::error("promela::local-mtype", message).at(span, ""));
        }
        let ty = self.type_name()?;
        let mut declarators = vec![self.declarator()?];
        while self.eat(Punct::Comma) {
            declarators.push(self.declarator()?);
        }
        Ok(Declaration { visibility, ty, declarators, span: self.span_from(start) })
    }

    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let token = self.peek();
        let Some(symbol) = token.name() else { return self.expected("a type") };
        if symbol == word::MTYPE {
            self.next();
            return Ok(TypeName::Mtype(self.subtype()?));
        }
        if let Some(ty) = base_type(symbol) {
            self.next();
            return Ok(ty);
        }
        let (_, name) = self.expect_name("a type")?;
        Ok(TypeName::User(name))
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let (_, name) = self.expect_name("the name of a variable")?;
        let mut declarator = Declarator { name, width: None, length: None, initializer: None };
        if self.eat(Punct::Colon) {
            declarator.width = Some(self.primary()?);
        } else if self.at(Punct::LeftBracket) {
            self.open(Punct::LeftBracket)?;
            declarator.length = Some(self.expression()?);
            self.close(Punct::RightBracket)?;
        }
        if self.eat(Punct::Assign) {
            declarator.initializer = Some(self.initializer()?);
        }
        Ok(declarator)
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        if self.at(Punct::LeftBracket) {
            return self.channel_initializer();
        }
        if !self.at(Punct::LeftBrace) {
            return Ok(Initializer::Value(self.expression()?));
        }
        self.open(Punct::LeftBrace)?;
        let mut values = vec![self.expression()?];
        while self.eat(Punct::Comma) {
            values.push(self.expression()?);
        }
        self.close(Punct::RightBrace)?;
        Ok(Initializer::List(values))
    }

    fn channel_initializer(&mut self) -> Parsed<Initializer> {
        let start = self.mark();
        self.open(Punct::LeftBracket)?;
        let capacity = self.expression()?;
        self.close(Punct::RightBracket)?;
        self.expect_word(word::OF)?;
        self.open(Punct::LeftBrace)?;
        let mut fields = vec![self.type_name()?];
        while self.eat(Punct::Comma) {
            fields.push(self.type_name()?);
        }
        self.close(Punct::RightBrace)?;
        Ok(Initializer::Channel { capacity, fields, span: self.span_from(start) })
    }
}

fn base_type(symbol: Symbol) -> Option<TypeName> {
    Some(match symbol {
        word::BIT => TypeName::Bit,
        word::BOOL => TypeName::Bool,
        word::BYTE => TypeName::Byte,
        word::PID => TypeName::Pid,
        word::SHORT => TypeName::Short,
        word::INT => TypeName::Int,
        word::UNSIGNED => TypeName::Unsigned,
        word::CHAN => TypeName::Chan,
        _ => return None,
    })
}
