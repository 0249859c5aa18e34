//! Names and what they mean, and expressions over integers.

use std::collections::BTreeMap;

use fathom_source::{Diagnostic, Span};
use fathom_timed::{ClockPlace, Expr, Interval, Network};

use crate::expression::{Written, WrittenKind};

/// What a name of the file stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Integer(Cells),
    Clock(Cells),
}

/// A variable, or the elements of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cells {
    pub first: usize,
    pub length: u32,
}

impl Cells {
    pub(crate) fn is_array(self) -> bool {
        self.length > 1
    }
}

/// The names that an expression may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub names: BTreeMap<String, (Meaning, Span)>,
    /// Ranges of the integers.
    pub ranges: Vec<Interval>,
    /// Local variables, later ones first.
    pub locals: Vec<(String, Cells)>,
    /// Names of locations, by name of the process: only conditions given from outside may speak of them.
    pub places: BTreeMap<String, (usize, BTreeMap<String, usize>)>,
    pub labels: BTreeMap<String, usize>,
}

impl Scope {
    /// The scope of conditions about the states of a network.
    pub(crate) fn about_states(mut self, network: &Network) -> Scope {
        for (index, process) in network.processes.iter().enumerate() {
            let locations = process.locations.iter().enumerate();
            let names = locations.map(|(location, declared)| (declared.name.clone(), location)).collect();
            self.places.insert(process.name.clone(), (index, names));
        }
        self.labels = network.labels.iter().cloned().zip(0..).collect();
        self
    }

    /// The names of a network that is lowered already.
    pub(crate) fn of(network: &Network) -> Scope {
        let mut scope = Scope { ranges: network.ranges(), ..Scope::default() };
        let origin = network
            .processes
            .iter()
            .flat_map(|process| &process.locations)
            .find_map(|location| location.span);
        let Some(origin) = origin else { return scope };
        let variables = network.variables.iter().map(|variable| variable.name.as_str());
        for (name, cells) in grouped(variables) {
            scope.names.insert(name, (Meaning::Integer(cells), origin));
        }
        for (name, cells) in grouped(network.clocks.iter().map(|clock| clock.name.as_str())) {
            scope.names.insert(name, (Meaning::Clock(cells), origin));
        }
        scope
    }

    /// Whether a clock is spoken of.
    pub(crate) fn has_clock(&self, written: &Written) -> bool {
        match &written.kind {
            WrittenKind::Number(_) | WrittenKind::At(..) => false,
            WrittenKind::Name(name) => self.is_clock(name),
            WrittenKind::Element(name, index) => self.is_clock(name) || self.has_clock(index),
            WrittenKind::Unary(_, operand) => self.has_clock(operand),
            WrittenKind::Binary(_, left, right) => self.has_clock(left) || self.has_clock(right),
            WrittenKind::Choose(condition, yes, no) => {
                [condition, yes, no].into_iter().any(|part| self.has_clock(part))
            }
        }
    }

    fn is_clock(&self, name: &str) -> bool {
        self.local(name).is_none() && matches!(self.names.get(name), Some((Meaning::Clock(_), _)))
    }

    pub(crate) fn local(&self, name: &str) -> Option<Cells> {
        self.locals.iter().rev().find(|(local, _)| local == name).map(|(_, cells)| *cells)
    }

    /// An expression over integers; none, with a message, when it is not one.
    pub(crate) fn integer(&self, written: &Written, diagnostics: &mut Vec<Diagnostic>) -> Option<Expr> {
        let expr = match &written.kind {
            WrittenKind::Number(number) => Expr::Constant(*number),
            WrittenKind::Name(name) => self.named_integer(name, None, written.span, diagnostics)?,
            WrittenKind::Element(name, index) => {
                let index = self.integer(index, diagnostics)?;
                self.named_integer(name, Some(index), written.span, diagnostics)?
            }
            WrittenKind::At(process, location) => self.place(process, location, written.span, diagnostics)?,
            WrittenKind::Unary(op, operand) => {
                Expr::Unary(*op, Box::new(self.integer(operand, diagnostics)?))
            }
            WrittenKind::Binary(op, left, right) => {
                let (left, right) = (self.integer(left, diagnostics), self.integer(right, diagnostics));
                Expr::Binary(*op, Box::new(left?), Box::new(right?))
            }
            WrittenKind::Choose(condition, yes, no) => {
                let condition = self.integer(condition, diagnostics);
                let (yes, no) = (self.integer(yes, diagnostics), self.integer(no, diagnostics));
                Expr::Choose(Box::new(condition?), Box::new(yes?), Box::new(no?))
            }
        };
        Some(folded(expr))
    }

    fn named_integer(
        &self,
        name: &str,
        index: Option<Expr>,
        span: Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Expr> {
        if let Some(cells) = self.local(name) {
            let element = |index| Expr::LocalElement {
                first: cells.first,
                length: cells.length,
                index: Box::new(index),
            };
            let index = check_index(name, cells, index, span, diagnostics)?;
            return Some(index.map_or(Expr::Local(cells.first), element));
        }
        match self.names.get(name) {
            Some((Meaning::Integer(cells), _)) => {
                let element = |index| Expr::Element {
                    first: cells.first,
                    length: cells.length,
                    index: Box::new(index),
                };
                let index = check_index(name, *cells, index, span, diagnostics)?;
                Some(index.map_or(Expr::Variable(cells.first), element))
            }
            Some((Meaning::Clock(_), declared)) => {
                let message = format!("clock '{name}' where an integer is expected");
                let said = Diagnostic::error("tchecker::type", message)
                    .at(span, "")
                    .also(*declared, "declared here");
                diagnostics.push(said);
                None
            }
            None => match self.labels.get(name) {
                Some(label) if index.is_none() => Some(Expr::HasLabel(*label)),
                _ => undeclared(name, span, diagnostics),
            },
        }
    }

    fn place(
        &self,
        process: &str,
        location: &str,
        span: Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Expr> {
        let Some((number, locations)) = self.places.get(process) else {
            let message = format!("there is no process '{process}' here");
            diagnostics.push(Diagnostic::error("tchecker::undeclared", message).at(span, ""));
            return None;
        };
        let Some(&location_number) = locations.get(location) else {
            let message = format!("process '{process}' has no location '{location}'");
            diagnostics.push(Diagnostic::error("tchecker::undeclared", message).at(span, ""));
            return None;
        };
        Some(Expr::At { process: *number, location: location_number })
    }

    /// A clock; none, with a message, when it is not one.
    pub(crate) fn clock(&self, written: &Written, diagnostics: &mut Vec<Diagnostic>) -> Option<ClockPlace> {
        let (name, index) = match &written.kind {
            WrittenKind::Name(name) => (name, None),
            WrittenKind::Element(name, index) => (name, Some(self.integer(index, diagnostics)?)),
            _ => return None,
        };
        let Some((Meaning::Clock(cells), _)) = self.names.get(name) else {
            return undeclared(name, written.span, diagnostics);
        };
        let index = check_index(name, *cells, index, written.span, diagnostics)?;
        Some(ClockPlace { first: cells.first, length: cells.length, index })
    }
}

/// Cells by name: `a[0]`, `a[1]` are the array `a`.
fn grouped<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(String, Cells)> {
    let mut groups: Vec<(String, Cells)> = Vec::new();
    for (cell, name) in names.enumerate() {
        let base = name.split('[').next().unwrap_or(name);
        match groups.last_mut() {
            Some((last, cells)) if last == base && name != base => cells.length += 1,
            _ => groups.push((base.to_owned(), Cells { first: cell, length: 1 })),
        }
    }
    groups
}

/// A constant where an expression is one.
pub(crate) fn folded(expr: Expr) -> Expr {
    expr.constant().map_or(expr, Expr::Constant)
}

/// Arrays need an index, and a constant one is within the array.
pub(crate) fn check_index(
    name: &str,
    cells: Cells,
    index: Option<Expr>,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Option<Expr>> {
    match &index {
        None if cells.is_array() => {
            let message = format!("array '{name}' where a single value is expected");
            diagnostics.push(Diagnostic::error("tchecker::type", message).at(span, ""));
            return None;
        }
        Some(index) => {
            if let Some(constant) = index.constant()
                && !(0..i64::from(cells.length)).contains(&constant)
            {
                let message =
                    format!("index {constant} is outside of '{name}', which has {} elements", cells.length);
                diagnostics.push(Diagnostic::error("tchecker::index", message).at(span, ""));
                return None;
            }
        }
        None => {}
    }
    Some(index)
}

pub(crate) fn undeclared<T>(name: &str, span: Span, diagnostics: &mut Vec<Diagnostic>) -> Option<T> {
    let message = format!("'{name}' is not declared");
    diagnostics.push(Diagnostic::error("tchecker::undeclared", message).at(span, ""));
    None
}
