//! Inlines: definitions, and calls as the substitution of tokens.
//!
//! An inline is text, as in Spin: a call is the body with each parameter replaced by the tokens of the
//! argument, parsed where the call stands. The call becomes a block that remembers the name of the inline.
//! Statements of the block have their places in the body of the inline; the block has the place of the call.
//!
//! Where we differ from Spin: commas inside parentheses or brackets of an argument do not separate arguments,
//! and calls may nest deeper than 16.

use crate::parse::{Failed, Parsed, Parser, Source};
use crate::syntax::{StmtKind, VarRef};
use crate::token::{Punct, Symbol, Token, TokenKind};
use fathom_source::{Diagnostic, Span};
use std::rc::Rc;

/// All calls together expand to at most this many tokens.
const MAX_EXPANDED_TOKENS: usize = 1_000_000;

/// The definition of an inline.
pub(crate) struct Inline {
    parameters: Vec<Symbol>,
    /// With its braces.
    body: Vec<Token>,
    /// The name in the definition.
    span: Span,
}

/// A call that is being expanded.
pub(crate) struct InlineCall {
    name: Symbol,
    /// For `x = name(…)`: where `return` puts the value.
    target: Option<VarRef>,
}

impl Parser<'_> {
    /// `inline name(a, b) { … }`
    pub(crate) fn inline_definition(&mut self) -> Parsed<()> {
        self.next();
        let (symbol, name) = self.expect_name("the name of the inline")?;
        self.open(Punct::LeftParen)?;
        let mut parameters = Vec::new();
        while !self.at(Punct::RightParen) {
            parameters.push(self.expect_name("a parameter or `)`")?.0);
            if !self.at(Punct::RightParen) {
                self.expect(Punct::Comma)?;
            }
        }
        self.close(Punct::RightParen)?;
        let body = self.inline_body(name.span)?;
        let inline = Rc::new(Inline { parameters, body, span: name.span });
        if let Some(old) = self.inlines.insert(symbol, inline) {
            let message = format!("inline `{}` is defined again", name.name);
            self.report(
                Diagnostic::error("promela::inline-redefined", message)
                    .at(name.span, "")
                    .also(old.span, "defined first here"),
            );
        }
        Ok(())
    }

    fn inline_body(&mut self, name: Span) -> Parsed<Vec<Token>> {
        if !self.at(Punct::LeftBrace) {
            return self.expected("`{`");
        }
        let start = self.mark();
        let mut nesting = 0_usize;
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::Punct(Punct::LeftBrace) => nesting += 1,
                TokenKind::Punct(Punct::RightBrace) => nesting -= 1,
                TokenKind::End => {
                    let message = "the body of an inline has no end";
                    return self
                        .mistake(Diagnostic::error("promela::syntax", message).at(name, "of this one"));
                }
                _ => {}
            }
            if nesting == 0 {
                return Ok(self.source.tokens[start..self.mark()].to_vec());
            }
        }
    }

    /// `name(a, b)`, or the right side of `target = name(a, b)`.
    pub(crate) fn inline_call(&mut self, target: Option<VarRef>) -> Parsed<StmtKind> {
        let start = self.mark();
        let (symbol, name) = self.expect_name("the name of an inline")?;
        let arguments = self.inline_arguments()?;
        let span = self.span_from(start);
        let Some(inline) = self.inlines.get(&symbol).cloned() else { return self.expected("an inline") };
        if arguments.len() != inline.parameters.len() {
            let (wanted, found) = (inline.parameters.len(), arguments.len());
            let message = format!("inline `{}` takes {wanted} arguments, found {found}", name.name);
            let diagnostic = Diagnostic::error("promela::argument-count", message);
            return self.mistake(diagnostic.at(span, "").also(inline.span, "defined here"));
        }
        if self.inline_calls.iter().any(|call| call.name == symbol) {
            let message = format!("inline `{}` calls itself", name.name);
            let diagnostic = Diagnostic::error("promela::recursive-inline", message);
            return self.mistake(diagnostic.at(span, "").also(inline.span, "defined here"));
        }
        let (tokens, places) = substitute(&inline, &arguments);
        self.expanded_tokens += tokens.len();
        if self.expanded_tokens > MAX_EXPANDED_TOKENS {
            let message = format!("the expansion of inlines takes more than {MAX_EXPANDED_TOKENS} tokens");
            let diagnostic = Diagnostic::error("promela::expansion-too-large", message);
            self.report(diagnostic.at(span, "gave up here"));
            self.stopped = true;
            return Err(Failed);
        }
        self.inline_calls.push(InlineCall { name: symbol, target });
        let end = places.last().copied().unwrap_or(inline.span);
        let expansion = Source { tokens, places: Some(places), position: 0, end };
        let caller = std::mem::replace(&mut self.source, expansion);
        let parentheses = std::mem::take(&mut self.parentheses);
        let body = self.block();
        self.parentheses = parentheses;
        self.source = caller;
        self.inline_calls.pop();
        self.previous = TokenKind::Punct(Punct::RightBrace);
        Ok(StmtKind::Block { body: body?, inline: Some(name) })
    }

    /// `return e` in an inline that was called as `x = name(…)`.
    pub(crate) fn return_statement(&mut self) -> Parsed<StmtKind> {
        let token = self.next();
        let value = self.expression()?;
        match self.inline_calls.last() {
            Some(InlineCall { target: Some(target), .. }) => Ok(StmtKind::Assign(target.clone(), value)),
            _ => {
                let message = "`return` outside of an inline whose value is used";
                self.mistake(Diagnostic::error("promela::misplaced-return", message).at(token.span, ""))
            }
        }
    }

    /// `( … )` of a call, as tokens.
    fn inline_arguments(&mut self) -> Parsed<Vec<Vec<Token>>> {
        let open = self.expect(Punct::LeftParen)?;
        let mut arguments: Vec<Vec<Token>> = Vec::new();
        let mut argument = Vec::new();
        let mut nesting = 0_usize;
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::Punct(Punct::RightParen) if nesting == 0 => break,
                TokenKind::Punct(Punct::Comma) if nesting == 0 => {
                    arguments.push(std::mem::take(&mut argument));
                    continue;
                }
                TokenKind::Punct(Punct::LeftParen | Punct::LeftBracket) => nesting += 1,
                TokenKind::Punct(Punct::RightParen | Punct::RightBracket) => {
                    nesting = nesting.saturating_sub(1)
                }
                TokenKind::End => {
                    let message = "arguments of an inline without `)`";
                    return self.mistake(Diagnostic::error("promela::syntax", message).at(open.span, ""));
                }
                _ => {}
            }
            argument.push(token);
        }
        if !arguments.is_empty() || !argument.is_empty() {
            arguments.push(argument);
        }
        Ok(arguments)
    }
}

/// The body with parameters replaced, and the place of every token in the body.
fn substitute(inline: &Inline, arguments: &[Vec<Token>]) -> (Vec<Token>, Vec<Span>) {
    let mut tokens = Vec::with_capacity(inline.body.len());
    let mut places = Vec::with_capacity(inline.body.len());
    for &token in &inline.body {
        let parameter =
            token.name().and_then(|name| inline.parameters.iter().position(|&known| known == name));
        let start = tokens.len();
        match parameter {
            Some(number) => {
                // A line end inside an argument means nothing.
                tokens
                    .extend(arguments[number].iter().map(|&token| Token { newline_before: false, ..token }));
            }
            None => tokens.push(token),
        }
        if let Some(first) = tokens.get_mut(start) {
            first.newline_before = token.newline_before;
        }
        places.resize(tokens.len(), token.span);
    }
    (tokens, places)
}
