//! What names mean.

use std::collections::BTreeMap;

use fathom_model::{Base, ScalarType};
use fathom_source::{Diagnostic, Span, similar};

use super::Lowering;
use super::types::Ty;
use crate::syntax::Name;

/// What a name stands for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Symbol {
    Type(Ty),
    Const {
        ty: Ty,
        value: i64,
    },
    /// A variable in the globals or in the locals of the process at hand.
    Variable {
        base: Base,
        offset: u32,
        ty: Ty,
    },
    /// A clock, by its number.
    Clock(usize),
    Signal(usize),
    Route(usize),
    Process(usize),
    Procedure(usize),
}

/// Scopes, the innermost last.
#[derive(Clone, Debug)]
pub(crate) struct Scopes {
    levels: Vec<BTreeMap<String, (Symbol, Span)>>,
}

impl Scopes {
    pub(crate) fn new() -> Scopes {
        Scopes { levels: vec![BTreeMap::new()] }
    }

    pub(crate) fn enter(&mut self) {
        self.levels.push(BTreeMap::new());
    }

    pub(crate) fn leave(&mut self) -> BTreeMap<String, (Symbol, Span)> {
        self.levels.pop().unwrap_or_default()
    }

    /// Puts a scope that was left on top again.
    pub(crate) fn enter_again(&mut self, level: BTreeMap<String, (Symbol, Span)>) {
        self.levels.push(level);
    }

    pub(crate) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Takes all scopes above the first ones off.
    pub(crate) fn split(&mut self, depth: usize) -> Vec<BTreeMap<String, (Symbol, Span)>> {
        self.levels.split_off(depth.min(self.levels.len()))
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Symbol> {
        self.levels.iter().rev().find_map(|level| level.get(name)).map(|(symbol, _)| symbol)
    }

    /// What a name means where only some meanings make sense: a variable does not hide a type or a process there. If nothing makes sense,
    /// what it means elsewhere.
    pub(crate) fn find_meant(&self, name: &str, is_meant: fn(&Symbol) -> bool) -> Option<&Symbol> {
        let mut all = self.levels.iter().rev().filter_map(|level| level.get(name)).map(|(symbol, _)| symbol);
        all.clone().find(|symbol| is_meant(symbol)).or_else(|| all.next())
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.levels.iter().flat_map(|level| level.keys()).map(String::as_str)
    }
}

/// A clock: an array of the globals with an element for each instance of its process.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Clock {
    pub(crate) name: String,
    pub(crate) offset: u32,
    /// The process that has it, by its number among declarations.
    pub(crate) process: Option<usize>,
    /// Number of the first process of the template, and how many there are; none for a clock of the system.
    pub(crate) instances: Option<(u32, u32)>,
}

/// A signal.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Signal {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Ty>,
}

/// The scalar type that holds values of both.
pub(crate) fn wider(left: ScalarType, right: ScalarType) -> ScalarType {
    if left == right {
        return left;
    }
    let signed = left.signed || right.signed;
    let needed = |ty: ScalarType| if signed && !ty.signed { ty.bits + 1 } else { ty.bits };
    let bits = needed(left).max(needed(right)).min(32);
    ScalarType { kind: fathom_model::ScalarKind::Integer, bits, signed }
}

impl Lowering {
    pub(crate) fn declare(&mut self, name: &Name, symbol: Symbol) {
        let Some(level) = self.scopes.levels.last_mut() else { return };
        if let Some((_, before)) = level.get(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            let diagnostic = Diagnostic::error("if::duplicate", message).at(name.span, "");
            self.diagnostics.push(diagnostic.also(*before, "first here"));
            return;
        }
        level.insert(name.text.clone(), (symbol, name.span));
    }

    pub(crate) fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
    }

    pub(crate) fn unsupported(&mut self, code: &'static str, what: &str, span: Span) {
        self.error(code, format!("{what} are not supported"), span);
    }

    /// Says that a name means nothing.
    pub(crate) fn unknown(&mut self, what: &str, name: &Name) {
        let message = format!("no {what} is called `{}`", name.text);
        let mut diagnostic = Diagnostic::error("if::unknown-name", message).at(name.span, "");
        if let Some(close) = similar(&name.text, self.scopes.names()) {
            diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
        }
        self.diagnostics.push(diagnostic);
    }
}
