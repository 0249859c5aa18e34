//! The preprocessor: files to one stream of tokens, without `cpp`.
//!
//! It works on tokens, not on text, so that every token keeps a place: a token from the body of a macro has
//! the place of the macro's use, a token from an argument keeps its own. The expansion is the usual one for
//! C (a stack of token sources; a macro is switched off while its own expansion is on the stack, and a name
//! met in that time is never expanded again), which always ends. Work is counted, so that macros that double
//! each other end with a diagnostic rather than with the memory.
//!
//! The files of this module: the stack and the conditional groups here, `directive` for the lines that start
//! with `#`, `expand` for the uses of macros, `condition` for the expressions of `#if`.
//!
//! Where we differ from C: tokens are Promela's, `1..N` is three tokens, and there are no predefined macros.

mod condition;
mod directive;
mod expand;

use crate::lexer::{self, MAX_TOKENS};
use crate::token::{Interner, Punct, Symbol, Token};
use fathom_source::{Diagnostic, FileId, FileLoader, MemoryLoader, SourceMap, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// Files include each other at most this deep.
const MAX_INCLUDE_DEPTH: usize = 64;

/// A program is made of at most this many files, a file counted each time it is included.
const MAX_FILES: usize = 2000;

/// Preprocessing stops when there is this much to say.
const MAX_DIAGNOSTICS: usize = 200;

/// The macros of a program at its end, so that a property from outside may use them.
#[derive(Clone, Default)]
pub struct Macros {
    pub(crate) interner: Interner,
    definitions: HashMap<Symbol, Arc<Macro>>,
}

/// All tokens of a program after preprocessing; `macros` holds those that exist before, and then those that
/// exist after.
///
/// `defines` are macros that exist from the start, name (perhaps with parameters) and value.
pub(crate) fn preprocess(
    main: FileId,
    sources: &mut SourceMap,
    loader: &dyn FileLoader,
    defines: &[(String, String)],
    macros: &mut Macros,
) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut preprocessor = Preprocessor::new(sources, loader, macros);
    preprocessor.push_file(main);
    preprocessor.push_defines(defines);
    preprocessor.run()
}

/// The tokens of a text that stands for itself, with macros expanded and without directives.
pub(crate) fn expand_text(
    file: FileId,
    sources: &SourceMap,
    macros: &mut Macros,
) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = lexer::lex(file, sources.file(file).text(), &mut macros.interner, &mut diagnostics);
    // Nothing is loaded without directives.
    let (mut no_sources, no_files) = (SourceMap::new(), MemoryLoader::new());
    let mut preprocessor = Preprocessor::new(&mut no_sources, &no_files, macros);
    preprocessor.diagnostics = diagnostics;
    preprocessor.push_tokens(tokens, None);
    preprocessor.run()
}

/// A macro.
struct Macro {
    /// None without parentheses after the name.
    parameters: Option<Vec<Symbol>>,
    /// Whether the last parameter takes all remaining arguments.
    variadic: bool,
    body: Vec<Token>,
    /// The name in its definition.
    span: Span,
}

/// A group of `#if` and its kin.
struct Group {
    span: Span,
    /// Whether the lines around the group count.
    outer: bool,
    /// Whether the present branch counts.
    active: bool,
    /// Whether a branch has counted already.
    taken: bool,
    seen_else: bool,
}

/// A source of tokens.
enum Frame {
    File {
        file: FileId,
        tokens: Arc<[Token]>,
        position: usize,
        groups: Vec<Group>,
    },
    Expansion {
        tokens: Vec<Token>,
        position: usize,
        /// The macro that is switched off until this frame ends.
        of: Option<Symbol>,
    },
    /// The end of an argument that is expanded by itself.
    Barrier,
}

struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    loader: &'a dyn FileLoader,
    interner: &'a mut Interner,
    macros: &'a mut HashMap<Symbol, Arc<Macro>>,
    frames: Vec<Frame>,
    /// By symbol: in how many frames of the stack the macro is being expanded.
    active: Vec<u32>,
    diagnostics: Vec<Diagnostic>,
    work: usize,
    gave_up: bool,
    /// A macro at the start of a line expanded to nothing.
    pending_newline: bool,
    argument_depth: usize,
    /// The file of macros given from outside: what they say overrules the text.
    outside: Option<FileId>,
}

impl<'a> Preprocessor<'a> {
    fn new(
        sources: &'a mut SourceMap,
        loader: &'a dyn FileLoader,
        macros: &'a mut Macros,
    ) -> Preprocessor<'a> {
        Preprocessor {
            sources,
            loader,
            interner: &mut macros.interner,
            macros: &mut macros.definitions,
            frames: Vec::new(),
            active: Vec::new(),
            diagnostics: Vec::new(),
            work: 0,
            gave_up: false,
            pending_newline: false,
            argument_depth: 0,
            outside: None,
        }
    }

    fn run(mut self) -> (Vec<Token>, Vec<Diagnostic>) {
        let mut output = Vec::new();
        while let Some(token) = self.next_expanded() {
            output.push(token);
        }
        (output, self.diagnostics)
    }

    fn push_file(&mut self, file: FileId) {
        let text = self.sources.file(file).text();
        let tokens = lexer::lex(file, text, self.interner, &mut self.diagnostics);
        self.frames.push(Frame::File { file, tokens: tokens.into(), position: 0, groups: Vec::new() });
    }

    /// The macros from outside become a file of their own, so that they have places too. A definition of the
    /// same name in the text does not count: whoever sets a size from outside means it.
    fn push_defines(&mut self, defines: &[(String, String)]) {
        if defines.is_empty() {
            return;
        }
        let mut text = String::new();
        for (name, value) in defines {
            let line = format!("#define {name} {value}").replace(['\n', '\r'], " ");
            text.push_str(&line);
            text.push('\n');
        }
        let file = self.sources.add("<command line>", text);
        self.outside = Some(file);
        self.push_file(file);
    }

    /// The next token before expansion; directives are obeyed on the way.
    fn next_raw(&mut self) -> Option<Token> {
        loop {
            if self.gave_up {
                self.frames.clear();
            }
            match self.frames.last_mut()? {
                Frame::Barrier => return None,
                Frame::Expansion { tokens, position, of } => {
                    if let Some(&token) = tokens.get(*position) {
                        *position += 1;
                        self.count(token.span);
                        return Some(token);
                    }
                    if let Some(symbol) = *of {
                        self.active[symbol.index()] -= 1;
                    }
                    self.frames.pop();
                }
                Frame::File { tokens, position, groups, .. } => {
                    let Some(&token) = tokens.get(*position) else {
                        self.end_file();
                        continue;
                    };
                    *position += 1;
                    if token.is(Punct::Hash) && token.newline_before {
                        self.directive();
                        self.limit_diagnostics(token.span);
                    } else if groups.last().is_none_or(|group| group.active) {
                        self.count(token.span);
                        return Some(token);
                    }
                }
            }
        }
    }

    fn end_file(&mut self) {
        let Some(Frame::File { groups, .. }) = self.frames.pop() else { return };
        for group in groups {
            self.diagnostics.push(
                Diagnostic::error("promela::unterminated-condition", "conditional group without `#endif`")
                    .at(group.span, "starts here"),
            );
        }
    }

    /// Counts a token of work and gives up when there was too much.
    fn count(&mut self, span: Span) {
        self.work += 1;
        if self.work > MAX_TOKENS && !self.gave_up {
            self.gave_up = true;
            self.diagnostics.push(
                Diagnostic::error(
                    "promela::expansion-too-large",
                    format!("the expansion of macros takes more than {MAX_TOKENS} tokens"),
                )
                .at(span, "gave up here"),
            );
        }
    }

    fn limit_diagnostics(&mut self, span: Span) {
        if self.diagnostics.len() >= MAX_DIAGNOSTICS && !self.gave_up {
            self.gave_up = true;
            self.error("promela::too-many-errors", "too many errors, stopped here", span);
        }
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
    }

    fn is_active(&self, symbol: Symbol) -> bool {
        self.active.get(symbol.index()).is_some_and(|&count| count > 0)
    }

    /// Switches a macro off until the frame that is pushed with it ends.
    fn activate(&mut self, symbol: Symbol) {
        if self.active.len() <= symbol.index() {
            self.active.resize(symbol.index() + 1, 0);
        }
        self.active[symbol.index()] += 1;
    }
}

#[cfg(test)]
mod tests;
