//! Walking over tokens: looking ahead, places, mistakes, recovery, depth.

use super::Mode;
use crate::inline::{Inline, InlineCall};
use crate::syntax::Ident;
use crate::token::{Interner, Punct, Symbol, Token, TokenKind, word};
use fathom_source::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A mistake was recorded; the caller unwinds to a place that recovers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

/// A piece of syntax, unless there was a mistake.
pub(crate) type Parsed<T> = Result<T, Failed>;

/// Parsing stops after this many mistakes.
const MAX_MISTAKES: usize = 50;

/// The budget of depth. An operator in a chain costs 1, a parenthesis 4, a block 8: enough for what people and
/// generators write, and small enough for every recursive walk over the tree.
const MAX_DEPTH: u32 = 1000;

/// What an operator in a chain adds to the depth.
pub(super) const CHAIN_COST: u32 = 1;
/// What a parenthesis or a sign adds to the depth.
pub(super) const NEST_COST: u32 = 4;
/// What a block adds to the depth.
pub(super) const BLOCK_COST: u32 = 8;

/// The tokens that are being read: those of the program, or of the expansion of an inline.
pub(crate) struct Source {
    pub(crate) tokens: Vec<Token>,
    /// For an expansion: where each token stands in the body of the inline. A token from an argument keeps
    /// its own span, and has the place of the parameter here, so that a statement has a sensible extent.
    pub(crate) places: Option<Vec<Span>>,
    pub(crate) position: usize,
    /// The place of the end.
    pub(crate) end: Span,
}

pub(crate) struct Parser<'a> {
    pub(crate) source: Source,
    pub(crate) interner: &'a Interner,
    diagnostics: Vec<Diagnostic>,
    mistakes: usize,
    /// Too many mistakes: every token is the end now.
    pub(crate) stopped: bool,
    /// The last token that was read; `}` after the call of an inline.
    pub(crate) previous: TokenKind,
    pub(super) mode: Mode,
    /// Inside a body, where the end of a line may separate statements.
    pub(super) in_sequence: bool,
    /// Inside `never`, `trace` or `notrace`.
    pub(super) in_monitor: bool,
    /// Open parentheses; the end of a line means nothing inside.
    pub(crate) parentheses: u32,
    pub(super) depth: u32,
    /// All proctypes of the program.
    pub(super) processes: HashSet<Symbol>,
    /// Those declared so far: `name:` at the start of a statement is no label then.
    pub(super) declared_processes: HashSet<Symbol>,
    pub(super) typedefs: HashSet<Symbol>,
    pub(crate) inlines: HashMap<Symbol, Rc<Inline>>,
    /// The calls that are being expanded, outermost first.
    pub(crate) inline_calls: Vec<InlineCall>,
    /// Tokens that calls of inlines have been expanded to.
    pub(crate) expanded_tokens: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(
        tokens: Vec<Token>,
        end: Span,
        interner: &'a Interner,
        diagnostics: Vec<Diagnostic>,
    ) -> Parser<'a> {
        Parser {
            source: Source { tokens, places: None, position: 0, end },
            interner,
            diagnostics,
            mistakes: 0,
            stopped: false,
            previous: TokenKind::End,
            mode: Mode::State,
            in_sequence: false,
            in_monitor: false,
            parentheses: 0,
            depth: 0,
            processes: HashSet::new(),
            declared_processes: HashSet::new(),
            typedefs: HashSet::new(),
            inlines: HashMap::new(),
            inline_calls: Vec::new(),
            expanded_tokens: 0,
        }
    }

    pub(super) fn finish(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// The token `ahead` places after the next one.
    pub(crate) fn peek_at(&self, ahead: usize) -> Token {
        match self.source.tokens.get(self.source.position + ahead) {
            Some(&token) if !self.stopped => token,
            _ => Token {
                kind: TokenKind::End,
                span: self.source.end,
                newline_before: true,
                space_before: true,
                final_name: false,
            },
        }
    }

    /// The next token.
    pub(crate) fn peek(&self) -> Token {
        self.peek_at(0)
    }

    /// Reads the next token.
    pub(crate) fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.source.position += 1;
            self.previous = token.kind;
        }
        token
    }

    pub(crate) fn at(&self, punct: Punct) -> bool {
        self.peek().is(punct)
    }

    pub(crate) fn at_word(&self, word: Symbol) -> bool {
        self.peek().kind == TokenKind::Name(word)
    }

    /// Reads the sign if it is next.
    pub(crate) fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.next();
        }
        found
    }

    /// Reads the word if it is next.
    pub(crate) fn eat_word(&mut self, word: Symbol) -> bool {
        let found = self.at_word(word);
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn expect(&mut self, punct: Punct) -> Parsed<Token> {
        if self.at(punct) {
            return Ok(self.next());
        }
        self.expected(&format!("`{}`", punct.text()))
    }

    pub(crate) fn expect_word(&mut self, word: Symbol) -> Parsed<Token> {
        if self.at_word(word) {
            return Ok(self.next());
        }
        let text = self.interner.text(word);
        self.expected(&format!("`{text}`"))
    }

    /// A name that is not a reserved word; `what` says what it is for.
    pub(crate) fn expect_name(&mut self, what: &str) -> Parsed<(Symbol, Ident)> {
        match self.plain_name(0) {
            Some(symbol) => {
                let token = self.next();
                Ok((symbol, self.ident(symbol, token.span)))
            }
            None => self.expected(what),
        }
    }

    /// The name `ahead` places after the next token, if a name that is not reserved stands there.
    pub(crate) fn plain_name(&self, ahead: usize) -> Option<Symbol> {
        self.peek_at(ahead).name().filter(|symbol| !symbol.is_reserved())
    }

    pub(crate) fn ident(&self, symbol: Symbol, span: Span) -> Ident {
        Ident { name: self.interner.text(symbol).to_owned(), span }
    }

    /// Reads `(`; the end of a line means nothing until it is closed.
    pub(crate) fn open(&mut self, punct: Punct) -> Parsed<()> {
        self.expect(punct)?;
        self.parentheses += 1;
        Ok(())
    }

    /// Reads what closes the last [`Parser::open`].
    pub(crate) fn close(&mut self, punct: Punct) -> Parsed<()> {
        self.expect(punct)?;
        self.parentheses = self.parentheses.saturating_sub(1);
        Ok(())
    }

    /// Where the next token starts, for [`Parser::span_from`].
    pub(crate) fn mark(&self) -> usize {
        self.source.position
    }

    /// The text from a mark to the last token read.
    pub(crate) fn span_from(&self, mark: usize) -> Span {
        let last = self.source.position.saturating_sub(1).max(mark);
        self.place(mark).to(self.place(last))
    }

    fn place(&self, position: usize) -> Span {
        if let Some(places) = &self.source.places {
            return places.get(position).copied().unwrap_or(self.source.end);
        }
        self.source.tokens.get(position).map_or(self.source.end, |token| token.span)
    }

    /// Whether the next token starts a line that may separate statements.
    pub(super) fn at_line_start(&self) -> bool {
        self.in_sequence && self.parentheses == 0 && self.peek().newline_before
    }

    /// Whether Spin would put a semicolon before the next token because a line ends there. Used where the
    /// token could also continue the statement.
    pub(super) fn line_separates(&self) -> bool {
        self.at_line_start()
            && match self.previous {
                TokenKind::Name(symbol) => {
                    !symbol.is_reserved()
                        || matches!(
                            symbol,
                            word::OD
                                | word::FI
                                | word::ELSE
                                | word::BREAK
                                | word::TRUE
                                | word::FALSE
                                | word::SKIP
                                | word::TIMEOUT
                        )
                }
                TokenKind::Number(_) | TokenKind::Character(_) => true,
                TokenKind::Punct(punct) => matches!(
                    punct,
                    Punct::RightBrace
                        | Punct::RightParen
                        | Punct::RightBracket
                        | Punct::Increment
                        | Punct::Decrement
                ),
                _ => false,
            }
    }

    /// Records that something else was expected than the next token.
    pub(crate) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.peek();
        let found = token.describe(self.interner);
        self.mistake(
            Diagnostic::error("promela::syntax", format!("expected {what}, found {found}"))
                .at(token.span, ""),
        )
    }

    /// Records a mistake.
    pub(crate) fn mistake<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.report(diagnostic);
        Err(Failed)
    }

    /// Records a diagnostic after which parsing goes on.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.stopped {
            return;
        }
        self.mistakes += usize::from(diagnostic.is_error());
        let span = diagnostic.primary.as_ref().map(|label| label.span);
        self.diagnostics.push(diagnostic);
        if self.mistakes == MAX_MISTAKES {
            self.stopped = true;
            let mut last = Diagnostic::error("promela::too-many-errors", "too many errors, stopped here");
            if let Some(span) = span {
                last = last.at(span, "");
            }
            self.diagnostics.push(last);
        }
    }

    /// Runs a parser one level deeper.
    pub(super) fn deeper<T>(&mut self, cost: u32, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.descend(cost)?;
        let result = parse(self);
        self.depth -= cost;
        result
    }

    /// Adds to the depth; the caller takes it off again.
    pub(super) fn descend(&mut self, cost: u32) -> Parsed<()> {
        if self.depth + cost > MAX_DEPTH {
            let span = self.peek().span;
            self.mistake(
                Diagnostic::error("promela::too-deep", "nested too deeply").at(span, "gave up here"),
            )?;
        }
        self.depth += cost;
        Ok(())
    }

    /// After a mistake in a step: skips to where the sequence around it can go on.
    pub(super) fn recover_in_sequence(&mut self) {
        let mut nesting = 0_usize;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::End => return,
                _ if self.at_unit_start() => return,
                TokenKind::Punct(Punct::Semicolon | Punct::Arrow | Punct::Options) if nesting == 0 => return,
                TokenKind::Name(word::FI | word::OD) if nesting == 0 => return,
                TokenKind::Punct(Punct::RightBrace) if nesting == 0 => return,
                TokenKind::Punct(Punct::LeftBrace) | TokenKind::Name(word::IF | word::DO) => nesting += 1,
                TokenKind::Punct(Punct::RightBrace) | TokenKind::Name(word::FI | word::OD) => nesting -= 1,
                _ => {}
            }
            self.next();
        }
    }

    /// After a mistake at the top level: skips to what looks like the next unit.
    pub(super) fn recover_in_program(&mut self) {
        let mut nesting = 0_usize;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::End => return,
                _ if self.at_unit_start() => return,
                TokenKind::Punct(Punct::Semicolon) if nesting == 0 => return,
                TokenKind::Punct(Punct::LeftBrace) => nesting += 1,
                TokenKind::Punct(Punct::RightBrace) => {
                    nesting = nesting.saturating_sub(1);
                    if nesting == 0 {
                        self.next();
                        return;
                    }
                }
                _ => {}
            }
            self.next();
        }
    }

    /// Whether the next token can only be the start of a unit.
    pub(super) fn at_unit_start(&self) -> bool {
        let token = self.peek();
        token.newline_before
            && matches!(
                token.name(),
                Some(
                    word::PROCTYPE
                        | word::D_PROCTYPE
                        | word::ACTIVE
                        | word::INIT
                        | word::NEVER
                        | word::LTL
                        | word::INLINE
                        | word::TYPEDEF
                        | word::TRACE
                        | word::NOTRACE
                )
            )
    }
}
