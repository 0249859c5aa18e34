//! Lines that start with `#`.

use super::{Frame, Group, MAX_FILES, MAX_INCLUDE_DEPTH, Macro, Preprocessor};
use crate::token::{Punct, Symbol, Token, TokenKind, word};
use fathom_source::{Diagnostic, LoadError, Span};
use std::sync::Arc;

impl Preprocessor<'_> {
    /// Obeys the directive whose `#` was just read from the file on top of the stack.
    pub(super) fn directive(&mut self) {
        let Some((hash, line)) = self.take_line() else { return };
        let Some((&head, arguments)) = line.split_first() else { return };
        let Some(directive) = head.name() else {
            // `# 12 "file"` is what another preprocessor leaves behind.
            if !matches!(head.kind, TokenKind::Number(_)) && self.is_counting() {
                self.unknown_directive(head);
            }
            return;
        };
        let span = hash.span.to(head.span);
        match directive {
            word::IF | word::IFDEF | word::IFNDEF => self.begin_group(directive, arguments, span),
            word::ELIF => self.else_if(arguments, span),
            word::ELSE => self.else_branch(span),
            word::ENDIF => self.end_group(span),
            _ if !self.is_counting() => {}
            word::DEFINE => self.define(arguments, span),
            word::UNDEF => match arguments.first().and_then(|token| token.name()) {
                Some(symbol) => {
                    self.macros.remove(&symbol);
                }
                None => self.error("promela::directive", "expected a name after `#undef`", span),
            },
            word::INCLUDE => self.include(arguments, span),
            word::ERROR | word::WARNING => self.message(directive, arguments, span),
            word::LINE | word::PRAGMA | word::IDENT => {}
            _ => self.unknown_directive(head),
        }
    }

    /// The `#` that was just read, and the rest of its line.
    fn take_line(&mut self) -> Option<(Token, Vec<Token>)> {
        let Some(Frame::File { tokens, position, .. }) = self.frames.last_mut() else { return None };
        let start = *position;
        let rest = &tokens[start..];
        let length = rest.iter().position(|token| token.newline_before).unwrap_or(rest.len());
        *position = start + length;
        Some((tokens[start - 1], rest[..length].to_vec()))
    }

    fn groups(&mut self) -> Option<&mut Vec<Group>> {
        match self.frames.last_mut() {
            Some(Frame::File { groups, .. }) => Some(groups),
            _ => None,
        }
    }

    /// Whether the lines at this point count.
    fn is_counting(&mut self) -> bool {
        self.groups().is_none_or(|groups| groups.last().is_none_or(|group| group.active))
    }

    fn unknown_directive(&mut self, head: Token) {
        let message = format!("unknown directive {}", head.describe(self.interner));
        self.error("promela::directive", message, head.span);
    }

    fn begin_group(&mut self, directive: Symbol, arguments: &[Token], span: Span) {
        let outer = self.is_counting();
        let active = outer
            && match directive {
                word::IF => self.condition(arguments, span),
                _ => match arguments.first().and_then(|token| token.name()) {
                    Some(symbol) => self.macros.contains_key(&symbol) == (directive == word::IFDEF),
                    None => {
                        self.error("promela::directive", "expected a name", span);
                        false
                    }
                },
            };
        if let Some(groups) = self.groups() {
            groups.push(Group { span, outer, active, taken: active, seen_else: false });
        }
    }

    /// The innermost group before its `#else`, if there is one; otherwise a diagnostic.
    fn open_group(&mut self, what: &str, span: Span) -> Option<&mut Group> {
        let state = self.groups().and_then(|groups| groups.last()).map(|group| group.seen_else);
        match state {
            Some(false) => self.groups().and_then(|groups| groups.last_mut()),
            Some(true) => {
                self.error("promela::directive", format!("`{what}` after `#else`"), span);
                None
            }
            None => {
                self.error("promela::directive", format!("`{what}` without `#if`"), span);
                None
            }
        }
    }

    fn else_if(&mut self, arguments: &[Token], span: Span) {
        let Some(group) = self.open_group("#elif", span) else { return };
        let evaluate = group.outer && !group.taken;
        let active = evaluate && self.condition(arguments, span);
        if let Some(group) = self.groups().and_then(|groups| groups.last_mut()) {
            group.active = active;
            group.taken |= active;
        }
    }

    fn else_branch(&mut self, span: Span) {
        let Some(group) = self.open_group("#else", span) else { return };
        group.active = group.outer && !group.taken;
        group.taken = true;
        group.seen_else = true;
    }

    fn end_group(&mut self, span: Span) {
        if self.groups().and_then(Vec::pop).is_none() {
            self.error("promela::directive", "`#endif` without `#if`", span);
        }
    }

    fn define(&mut self, arguments: &[Token], span: Span) {
        let Some((&head, rest)) = arguments.split_first() else {
            return self.error("promela::directive", "expected a name after `#define`", span);
        };
        let Some(symbol) = head.name().filter(|&name| name != word::DEFINED) else {
            let message = format!("expected a name after `#define`, found {}", head.describe(self.interner));
            return self.error("promela::directive", message, head.span);
        };
        let mut definition =
            Macro { parameters: None, variadic: false, body: rest.to_vec(), span: head.span };
        if let Some(open) = rest.first()
            && open.is(Punct::LeftParen)
            && !open.space_before
            && !self.parameters(&rest[1..], &mut definition)
        {
            return;
        }
        if let Some(first) = definition.body.first_mut() {
            first.space_before = false;
        }
        if let Some(old) = self.macros.get(&symbol)
            && (kinds(&old.body) != kinds(&definition.body) || old.parameters != definition.parameters)
        {
            let text = self.interner.text(symbol);
            if Some(old.span.file) == self.outside {
                self.diagnostics.push(
                    Diagnostic::warning(
                        "promela::macro-overruled",
                        format!("macro `{text}` is set from outside"),
                    )
                    .at(head.span, "this definition does not count")
                    .also(old.span, "this one does"),
                );
                return;
            }
            self.diagnostics.push(
                Diagnostic::warning("promela::macro-redefined", format!("macro `{text}` is defined again"))
                    .at(head.span, "this one counts from here")
                    .also(old.span, "defined first here")
                    .help(format!("write `#ifndef {text}` around a definition that may be set from outside")),
            );
        }
        self.macros.insert(symbol, Arc::new(definition));
    }

    /// Reads the parameters of a macro from the tokens after its parenthesis; false on a mistake.
    fn parameters(&mut self, tokens: &[Token], definition: &mut Macro) -> bool {
        let mut parameters = Vec::new();
        let mut index = 0;
        loop {
            let Some(&token) = tokens.get(index) else {
                self.error("promela::directive", "parameters of a macro without `)`", definition.span);
                return false;
            };
            index += 1;
            match token.kind {
                TokenKind::Punct(Punct::RightParen) => break,
                TokenKind::Punct(Punct::Comma) if !parameters.is_empty() => {}
                TokenKind::Punct(Punct::Ellipsis) => {
                    definition.variadic = true;
                    parameters.push(word::VA_ARGS);
                }
                TokenKind::Name(symbol) => parameters.push(symbol),
                _ => {
                    let message = format!("expected a parameter, found {}", token.describe(self.interner));
                    self.error("promela::directive", message, token.span);
                    return false;
                }
            }
        }
        definition.parameters = Some(parameters);
        definition.body = tokens[index..].to_vec();
        true
    }

    fn include(&mut self, arguments: &[Token], span: Span) {
        let Some((path, span)) = self.include_path(arguments, span) else {
            return self.error("promela::directive", "expected \"file\" or <file> after `#include`", span);
        };
        let files = self.frames.iter().filter(|frame| matches!(frame, Frame::File { .. })).count();
        if files > MAX_INCLUDE_DEPTH {
            self.gave_up = true;
            let message = format!("files include each other deeper than {MAX_INCLUDE_DEPTH}");
            return self.error("promela::include-depth", message, span);
        }
        if self.sources.n_files() >= MAX_FILES {
            self.gave_up = true;
            let message = format!("more than {MAX_FILES} files are included");
            return self.error("promela::include-depth", message, span);
        }
        let Some(&Frame::File { file, .. }) = self.frames.last() else { return };
        let from = self.sources.file(file).name();
        let loaded = self.loader.load(&path, Some(from)).and_then(|loaded| self.sources.add_loaded(loaded));
        match loaded {
            Ok(file) => self.push_file(file),
            Err(error @ LoadError::TooLarge { .. }) => {
                self.error("source::file-too-large", format!("cannot include `{path}`: {error}"), span);
            }
            Err(error) => {
                self.error("promela::missing-include", format!("cannot include `{path}`: {error}"), span);
            }
        }
    }

    fn include_path(&mut self, arguments: &[Token], span: Span) -> Option<(String, Span)> {
        let (first, last) = (arguments.first()?, arguments.last()?);
        if let TokenKind::Text(_) = first.kind {
            // The text as it stands: a backslash in a path is no escape.
            let text = self.sources.text(first.span);
            return Some((text.trim_matches('"').to_owned(), first.span));
        }
        if first.is(Punct::Less) {
            let whole = first.span.to(last.span);
            let text = self.sources.text(whole).strip_prefix('<')?;
            let (path, _) = text.split_once('>')?;
            return Some((path.trim().to_owned(), whole));
        }
        // A macro that expands to a string.
        let expanded = self.expand_line(arguments);
        match expanded.first()?.kind {
            TokenKind::Text(symbol) => Some((self.interner.text(symbol).to_owned(), span)),
            _ => None,
        }
    }

    /// A line of a directive with its macros expanded.
    pub(super) fn expand_line(&mut self, tokens: &[Token]) -> Vec<Token> {
        self.frames.push(Frame::Barrier);
        self.push_tokens(tokens.to_vec(), None);
        let mut expanded = Vec::new();
        while let Some(token) = self.next_expanded() {
            expanded.push(token);
        }
        self.frames.pop();
        expanded
    }

    fn message(&mut self, directive: Symbol, arguments: &[Token], span: Span) {
        let text = match (arguments.first(), arguments.last()) {
            (Some(first), Some(last)) => self.sources.text(first.span.to(last.span)).to_owned(),
            _ => String::new(),
        };
        let diagnostic = if directive == word::ERROR {
            Diagnostic::error("promela::error-directive", format!("the model says: {text}"))
        } else {
            Diagnostic::warning("promela::warning-directive", format!("the model says: {text}"))
        };
        self.diagnostics.push(diagnostic.at(span, ""));
    }
}

fn kinds(tokens: &[Token]) -> Vec<TokenKind> {
    tokens.iter().map(|token| token.kind).collect()
}
