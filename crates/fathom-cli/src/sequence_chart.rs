//! Message sequence charts as text: one column for each process, time downwards.
//!
//! A hand-shake is an arrow from column to column. A message into or out of a buffer stands in the column of its
//! process, as `channel!fields` or `channel?fields`. When the columns do not fit the page, the same events are
//! listed one per line instead.

use std::fmt::Write;

use fathom_core::model::explain::{ExplainedStep, Transfer};

use crate::story::{StoryStep, process_name};

/// Widest chart, in characters.
const PAGE_WIDTH: usize = 160;
/// Narrowest and widest column.
const COLUMN_WIDTHS: (usize, usize) = (12, 28);
/// Characters for the number of the step.
const NUMBER_WIDTH: usize = 7;

/// Something that a chart shows.
struct Event {
    step: usize,
    kind: EventKind,
}

enum EventKind {
    /// From column to column.
    Arrow { from: usize, to: usize, text: String },
    /// In one column.
    Note { column: usize, text: String },
}

/// A chart that grows step by step.
#[derive(Default)]
pub struct Chart {
    /// Number and name of a process. A number that is used again by another template gets a new column.
    columns: Vec<(u32, String)>,
    events: Vec<Event>,
}

impl Chart {
    /// Adds the messages of a step.
    pub fn add_step(&mut self, step: &StoryStep) {
        for explained in &step.moves {
            self.add(step.number, explained);
        }
    }

    /// Draws the chart.
    pub fn draw(mut self) -> String {
        if self.events.is_empty() {
            return "no messages\n".to_owned();
        }
        self.sort_columns();
        let width = self.column_width();
        if NUMBER_WIDTH + self.columns.len() * width <= PAGE_WIDTH { self.grid(width) } else { self.list() }
    }

    fn add(&mut self, step: usize, explained: &ExplainedStep) {
        let mover = self.column(explained.mover.process, &explained.mover.name);
        let partner = explained.partner.as_ref().map(|partner| self.column(partner.process, &partner.name));
        for message in &explained.messages {
            let text = |sign: &str| format!("{}{sign}{}", message.channel_name, message.text);
            let kind = match (message.transfer, partner) {
                (Transfer::HandShake { .. }, Some(to)) => {
                    EventKind::Arrow { from: mover, to, text: text("!") }
                }
                (Transfer::HandShake { .. } | Transfer::Send { .. }, _) => {
                    EventKind::Note { column: mover, text: text("!") }
                }
                (Transfer::Receive { .. }, _) => EventKind::Note { column: mover, text: text("?") },
            };
            self.events.push(Event { step, kind });
        }
        for (number, name) in &explained.created {
            let to = self.column(*number, name);
            self.events
                .push(Event { step, kind: EventKind::Arrow { from: mover, to, text: "run".to_owned() } });
        }
        if let Some(fault) = explained.fault_text() {
            self.events
                .push(Event { step, kind: EventKind::Note { column: mover, text: format!("*** {fault}") } });
        }
    }

    fn column(&mut self, number: u32, name: &str) -> usize {
        let found = self.columns.iter().position(|column| column.0 == number && column.1 == name);
        found.unwrap_or_else(|| {
            self.columns.push((number, name.to_owned()));
            self.columns.len() - 1
        })
    }

    /// Columns by process number, whoever moved first.
    fn sort_columns(&mut self) {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_key(|&column| (self.columns[column].0, column));
        let mut rank = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            rank[old] = new;
        }
        self.columns = order.iter().map(|&old| self.columns[old].clone()).collect();
        for event in &mut self.events {
            match &mut event.kind {
                EventKind::Arrow { from, to, .. } => (*from, *to) = (rank[*from], rank[*to]),
                EventKind::Note { column, .. } => *column = rank[*column],
            }
        }
    }

    fn heading(&self, column: usize) -> String {
        process_name(&self.columns[column].1, self.columns[column].0)
    }

    fn column_width(&self) -> usize {
        let texts = self.events.iter().map(|event| match &event.kind {
            // A fault may be clipped: it stands in the trace as well.
            EventKind::Note { text, .. } if text.starts_with("***") => 0,
            EventKind::Arrow { text, .. } | EventKind::Note { text, .. } => text.chars().count(),
        });
        let headings = (0..self.columns.len()).map(|column| self.heading(column).chars().count());
        let widest = texts.chain(headings).max().unwrap_or(0) + 4;
        widest.clamp(COLUMN_WIDTHS.0, COLUMN_WIDTHS.1)
    }

    fn grid(&self, width: usize) -> String {
        let mut text = " ".repeat(NUMBER_WIDTH);
        for column in 0..self.columns.len() {
            let _ = write!(text, "{:^width$}", clipped(&self.heading(column), width - 1));
        }
        let mut text = text.trim_end().to_owned() + "\n";
        for event in &self.events {
            let mut line = Line::new(self.columns.len(), width);
            match &event.kind {
                EventKind::Arrow { from, to, text } if from != to => line.arrow(*from, *to, text),
                EventKind::Arrow { from: column, text, .. } | EventKind::Note { column, text } => {
                    line.note(*column, text);
                }
            }
            let _ = writeln!(text, "{:>6} {}", event.step, line.finish());
        }
        text
    }

    fn list(&self) -> String {
        let mut text = String::new();
        for event in &self.events {
            let line = match &event.kind {
                EventKind::Arrow { from, to, text } => {
                    format!("{} --{text}--> {}", self.heading(*from), self.heading(*to))
                }
                EventKind::Note { column, text } => format!("{}  {text}", self.heading(*column)),
            };
            let _ = writeln!(text, "{:>6} {line}", event.step);
        }
        text
    }
}

/// One line of the grid, character by character.
struct Line {
    cells: Vec<char>,
    width: usize,
}

impl Line {
    fn new(n_columns: usize, width: usize) -> Line {
        let mut line = Line { cells: vec![' '; n_columns * width], width };
        for column in 0..n_columns {
            let center = line.center(column);
            line.cells[center] = '|';
        }
        line
    }

    fn center(&self, column: usize) -> usize {
        column * self.width + self.width / 2
    }

    fn arrow(&mut self, from: usize, to: usize, text: &str) {
        let (left, right) = (self.center(from.min(to)) + 1, self.center(from.max(to)) - 1);
        self.cells[left..=right].fill('-');
        let head = if from < to { right } else { left };
        self.cells[head] = if from < to { '>' } else { '<' };
        let room = right - left - 1;
        let text = clipped(text, room);
        let start = left + 1 + (room - text.chars().count()) / 2;
        self.put(start, &text);
    }

    fn note(&mut self, column: usize, text: &str) {
        let text = clipped(text, self.width - 1);
        let start = (self.center(column) + 1).saturating_sub(text.chars().count().div_ceil(2));
        self.put(start.max(column * self.width), &text);
    }

    fn put(&mut self, start: usize, text: &str) {
        for (cell, character) in self.cells[start..].iter_mut().zip(text.chars()) {
            *cell = character;
        }
    }

    fn finish(self) -> String {
        self.cells.into_iter().collect::<String>().trim_end().to_owned()
    }
}

/// A text of at most this many characters.
fn clipped(text: &str, width: usize) -> String {
    let one_line = text.replace(['\n', '\t'], " ");
    if one_line.chars().count() <= width {
        return one_line;
    }
    let mut short: String = one_line.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(n_columns: u32) -> Chart {
        let columns = (0..n_columns).map(|number| (number, "p".to_owned())).collect();
        let last = n_columns as usize - 1;
        let kinds = [
            EventKind::Arrow { from: 0, to: last, text: "c!1".to_owned() },
            EventKind::Arrow { from: last, to: 0, text: "c!a-very-long-message-that-is-clipped".to_owned() },
            EventKind::Note { column: last, text: "q?2".to_owned() },
        ];
        let events = kinds.into_iter().enumerate().map(|(step, kind)| Event { step: step + 1, kind });
        Chart { columns, events: events.collect() }
    }

    #[test]
    fn arrows_go_from_the_sender_to_the_receiver() {
        let text = chart(2).grid(12);
        let expected = "           p[0]        p[1]
     1       |----c!1--->|
     2       |<c!a-very…-|
     3       |          q?2
";
        assert_eq!(text, expected);
    }

    #[test]
    fn events_of_many_processes_are_listed() {
        let text = chart(40).list();
        assert_eq!(text.lines().next(), Some("     1 p[0] --c!1--> p[39]"));
        assert_eq!(text.lines().last(), Some("     3 p[39]  q?2"));
    }
}
