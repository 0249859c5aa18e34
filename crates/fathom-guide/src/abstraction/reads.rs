//! Which cells an expression may look at, whatever the state.

use std::collections::BTreeSet;

use fathom_model::{Expr, Pattern, Place};

use super::machine::{Abstract, Machine};

/// The cells that an expression, seen by a process, may look at.
pub(crate) fn reads(machine: &Machine<'_>, expr: &Expr, own: Option<usize>) -> BTreeSet<usize> {
    let mut reader = Reader { machine: everything(machine), own, cells: BTreeSet::new() };
    reader.expr(expr);
    reader.cells
}

/// The cells that a place may mean, and those that decide which.
pub(crate) fn place_cells(
    machine: &Machine<'_>,
    place: &Place,
    own: Option<usize>,
) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let mut reader = Reader { machine: everything(machine), own, cells: BTreeSet::new() };
    for index in &place.indices {
        reader.expr(&index.value);
    }
    let cells = reader.machine.cells_of(place, own).flatten().unwrap_or_default();
    (cells.into_iter().collect(), reader.cells)
}

/// A machine in a state with all records, of which nothing is known.
fn everything<'m>(machine: &Machine<'m>) -> Machine<'m> {
    let mut fresh = Machine::new(machine.model, machine.shape.clone(), machine.sets.clone());
    let values = vec![0; fresh.shape.cells.len()];
    fresh.work = Abstract { n_records: fresh.shape.records.len(), values, ..Abstract::default() };
    fresh
}

/// The same machine for many questions.
pub(crate) struct Reader<'m> {
    machine: Machine<'m>,
    pub own: Option<usize>,
    pub cells: BTreeSet<usize>,
}

impl<'m> Reader<'m> {
    pub fn new(machine: &Machine<'m>) -> Reader<'m> {
        Reader { machine: everything(machine), own: None, cells: BTreeSet::new() }
    }

    /// The cells that a place may mean.
    pub fn targets(&self, place: &Place) -> Vec<usize> {
        self.machine.cells_of(place, self.own).flatten().unwrap_or_default()
    }

    /// Adds what decides which cell a place means.
    pub fn indices(&mut self, place: &Place) {
        for index in &place.indices {
            self.expr(&index.value);
        }
    }

    /// The channels that an expression may mean, as indices.
    pub fn channels(&self, channel: &Expr) -> Vec<usize> {
        let n_channels = self.machine.shape.channels.len();
        match self.machine.value(channel, self.own) {
            Some(values) => match values.list() {
                Some(list) => list
                    .iter()
                    .filter_map(|&number| self.machine.channel(number).map(|(index, _)| index))
                    .collect(),
                None => (0..n_channels).collect(),
            },
            None => Vec::new(),
        }
    }

    /// Adds what patterns look at.
    pub fn patterns(&mut self, patterns: &[Pattern]) {
        for pattern in patterns {
            match pattern {
                Pattern::Match(expr) => self.expr(expr),
                Pattern::Bind(place) => self.indices(place),
            }
        }
    }

    /// Adds what an expression looks at.
    pub fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Load(place) => {
                self.indices(place);
                let cells = self.targets(place);
                self.cells.extend(cells);
            }
            Expr::Unary(_, operand) => self.expr(operand),
            Expr::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            Expr::Conditional(condition, then, otherwise) => {
                for part in [condition, then, otherwise] {
                    self.expr(part);
                }
            }
            Expr::Channel(_, channel) => {
                self.expr(channel);
                self.contents(channel);
            }
            Expr::Poll { channel, patterns, .. } => {
                self.expr(channel);
                self.contents(channel);
                self.patterns(patterns);
            }
            Expr::LocationOf(process) | Expr::Enabled(process) | Expr::Priority(process) => {
                self.expr(process);
                self.cells.extend(self.machine.shape.locations.iter().map(|&cell| cell as usize));
            }
            Expr::AtLocation { template, process, .. } => {
                if let Some(process) = process {
                    self.expr(process);
                }
                let number = process.as_ref().and_then(|process| {
                    self.machine.value(process, self.own).and_then(|values| match values.list() {
                        Some([one]) => usize::try_from(*one).ok(),
                        _ => None,
                    })
                });
                let n_records = self.machine.shape.records.len();
                for (index, &cell) in self.machine.shape.locations.iter().enumerate() {
                    let is_ours = self.machine.shape.process(index, n_records) == Some(*template);
                    if is_ours && number.is_none_or(|number| number == index) {
                        self.cells.insert(cell as usize);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds the contents of the channels that an expression may mean.
    fn contents(&mut self, channel: &Expr) {
        for index in self.channels(channel) {
            self.cells.insert(self.machine.shape.channel_cells[index] as usize);
        }
    }
}
