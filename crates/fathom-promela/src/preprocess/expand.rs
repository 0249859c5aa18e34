//! Uses of macros.
//!
//! The expansion of a use becomes a new source of tokens on the stack, and is scanned again together with
//! what follows it. Arguments are expanded by themselves first, except next to `#` and `##`.

use super::{Frame, Macro, Preprocessor};
use crate::lexer;
use crate::token::{Interner, Punct, Symbol, Token, TokenKind};
use fathom_source::{Diagnostic, Span};
use std::sync::Arc;

/// Uses of macros in arguments of macros nest at most this deep.
const MAX_ARGUMENT_DEPTH: usize = 100;

impl Preprocessor<'_> {
    /// The next token of the program.
    pub(super) fn next_expanded(&mut self) -> Option<Token> {
        loop {
            let mut token = self.next_raw()?;
            if let Some(symbol) = token.name()
                && !token.final_name
                && let Some(definition) = self.macros.get(&symbol).cloned()
            {
                if self.is_active(symbol) {
                    token.final_name = true;
                } else if self.expand(token, symbol, &definition) {
                    continue;
                }
            }
            token.newline_before |= std::mem::take(&mut self.pending_newline);
            return Some(token);
        }
    }

    /// Pushes the expansion of a use; false when it is not one because the arguments are missing.
    fn expand(&mut self, name: Token, symbol: Symbol, definition: &Arc<Macro>) -> bool {
        let (body, use_span) = match &definition.parameters {
            None => (self.substitute(definition, &[], &[], name.span), name.span),
            Some(parameters) => {
                match self.next_raw() {
                    Some(token) if token.is(Punct::LeftParen) => {}
                    Some(token) => {
                        self.push_tokens(vec![token], None);
                        return false;
                    }
                    None => return false,
                }
                let Some((arguments, end)) = self.arguments(name, definition, parameters.len()) else {
                    return true;
                };
                let use_span = name.span.to(end);
                let expanded: Vec<Vec<Token>> =
                    arguments.iter().map(|argument| self.expand_argument(argument)).collect();
                (self.substitute(definition, &arguments, &expanded, use_span), use_span)
            }
        };
        let mut body = body;
        if let Some(first) = body.first_mut() {
            first.newline_before = name.newline_before;
            first.space_before |= name.space_before;
        } else if name.newline_before {
            self.pending_newline = true;
        }
        self.count(use_span);
        self.push_tokens(body, Some(symbol));
        true
    }

    pub(super) fn push_tokens(&mut self, tokens: Vec<Token>, of: Option<Symbol>) {
        if let Some(symbol) = of {
            self.activate(symbol);
        }
        self.frames.push(Frame::Expansion { tokens, position: 0, of });
    }

    /// The arguments of a use after its opening parenthesis, and the place of the closing one.
    fn arguments(
        &mut self,
        name: Token,
        definition: &Macro,
        wanted: usize,
    ) -> Option<(Vec<Vec<Token>>, Span)> {
        let mut arguments: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0_usize;
        let end = loop {
            let Some(mut token) = self.next_raw() else {
                self.error("promela::macro-arguments", "arguments of a macro without `)`", name.span);
                return None;
            };
            token.space_before |= token.newline_before;
            token.newline_before = false;
            match token.kind {
                TokenKind::Punct(Punct::RightParen) if depth == 0 => break token.span,
                TokenKind::Punct(Punct::RightParen) => depth -= 1,
                TokenKind::Punct(Punct::LeftParen) => depth += 1,
                TokenKind::Punct(Punct::Comma)
                    if depth == 0 && !(definition.variadic && arguments.len() == wanted) =>
                {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(argument) = arguments.last_mut() {
                argument.push(token);
            }
        };
        if wanted == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if definition.variadic && arguments.len() + 1 == wanted {
            arguments.push(Vec::new());
        }
        if arguments.len() != wanted {
            let text = match name.name() {
                Some(symbol) => self.interner.text(symbol).to_owned(),
                None => String::new(),
            };
            let message = format!("macro `{text}` takes {wanted} arguments, found {}", arguments.len());
            self.diagnostics.push(
                Diagnostic::error("promela::macro-arguments", message)
                    .at(name.span.to(end), "")
                    .also(definition.span, "defined here"),
            );
            return None;
        }
        Some((arguments, end))
    }

    fn expand_argument(&mut self, argument: &[Token]) -> Vec<Token> {
        let has_macro = |token: &Token| token.name().is_some_and(|name| self.macros.contains_key(&name));
        if !argument.iter().any(has_macro) {
            return argument.to_vec();
        }
        if self.argument_depth >= MAX_ARGUMENT_DEPTH {
            let message = format!("macros nest deeper than {MAX_ARGUMENT_DEPTH} in arguments");
            self.error("promela::expansion-too-large", message, argument[0].span);
            self.gave_up = true;
            return Vec::new();
        }
        self.argument_depth += 1;
        let pending = std::mem::take(&mut self.pending_newline);
        self.frames.push(Frame::Barrier);
        self.push_tokens(argument.to_vec(), None);
        let mut expanded = Vec::new();
        while let Some(token) = self.next_expanded() {
            expanded.push(token);
        }
        // The barrier is on top again, unless everything was given up.
        self.frames.pop();
        self.pending_newline = pending;
        self.argument_depth -= 1;
        expanded
    }

    /// The body with parameters replaced, `#` and `##` done.
    fn substitute(
        &mut self,
        definition: &Macro,
        plain: &[Vec<Token>],
        expanded: &[Vec<Token>],
        use_span: Span,
    ) -> Vec<Token> {
        let parameters = definition.parameters.as_deref().unwrap_or(&[]);
        let parameter =
            |token: &Token| token.name().and_then(|name| parameters.iter().position(|&known| known == name));
        let body = &definition.body;
        let mut output: Vec<Token> = Vec::with_capacity(body.len());
        let mut index = 0;
        while let Some(&token) = body.get(index) {
            let before_paste = body.get(index + 1).is_some_and(|next| next.is(Punct::Paste));
            if token.is(Punct::Paste)
                && index > 0
                && let Some(right) = body.get(index + 1)
            {
                let right_tokens = match parameter(right) {
                    Some(number) => plain[number].clone(),
                    None => vec![Token { span: use_span, ..*right }],
                };
                self.paste(&mut output, right_tokens, use_span);
                index += 2;
                continue;
            }
            if token.is(Punct::Hash)
                && definition.parameters.is_some()
                && let Some(number) = body.get(index + 1).and_then(parameter)
            {
                let text = spell(&plain[number], self.interner);
                let kind = TokenKind::Text(self.interner.intern(&text));
                output.push(Token { kind, span: use_span, ..token });
                index += 2;
                continue;
            }
            match parameter(&token) {
                Some(number) => {
                    let argument = if before_paste { &plain[number] } else { &expanded[number] };
                    let start = output.len();
                    output.extend_from_slice(argument);
                    if let Some(first) = output.get_mut(start) {
                        first.space_before |= token.space_before;
                        first.newline_before = false;
                    }
                }
                None => output.push(Token { span: use_span, ..token }),
            }
            self.count(use_span);
            index += 1;
        }
        output
    }

    /// Joins the last token of the output with the first of `right` into one.
    fn paste(&mut self, output: &mut Vec<Token>, right: Vec<Token>, use_span: Span) {
        let Some((&first, rest)) = right.split_first() else { return };
        if let Some(left) = output.pop() {
            let text = format!("{}{}", spell(&[left], self.interner), spell(&[first], self.interner));
            let joined = lexer::lex(use_span.file, &text, self.interner, &mut Vec::new());
            output.extend(joined.into_iter().enumerate().map(|(index, token)| Token {
                span: use_span,
                newline_before: false,
                space_before: if index == 0 { left.space_before } else { token.space_before },
                ..token
            }));
        } else {
            output.push(first);
        }
        output.extend_from_slice(rest);
    }
}

/// Tokens as text, a space where there was white space.
fn spell(tokens: &[Token], interner: &Interner) -> String {
    let mut text = String::new();
    for (index, token) in tokens.iter().enumerate() {
        if index > 0 && token.space_before {
            text.push(' ');
        }
        match token.kind {
            TokenKind::Name(symbol) => text.push_str(interner.text(symbol)),
            TokenKind::Number(value) => text.push_str(&(value as u32).to_string()),
            TokenKind::Character(code) => {
                text.push('\'');
                text.extend(char::from_u32(code));
                text.push('\'');
            }
            TokenKind::Text(symbol) => text.push_str(&format!("{:?}", interner.text(symbol))),
            TokenKind::Punct(punct) => text.push_str(punct.text()),
            TokenKind::Unknown(character) => text.push(character),
            TokenKind::OpenText => text.push('"'),
            TokenKind::End => {}
        }
    }
    text
}
