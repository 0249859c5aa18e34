//! Tables of an experiment that is made for many sizes of a model: a line for each size, a column for each way to search, and
//! beside it what the source has.
//!
//! Machines and models differ, so lengths and times do not compare; ratios of lengths within a line do. They have a table of
//! their own, with the geometric mean of those lines that have a ratio on both sides.

use std::fmt::Write;

use super::measured::{Measured, Quartiles};
use super::plans::Row;
use super::source_figures::SourceCell;

/// A way to search: a column.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its heading.
    pub name: &'static str,
    /// The heading of the source's column beside it, if there is one.
    pub source: Option<&'static str>,
    /// The command, with `$N` for the size and `$SEEDS` for the seeds.
    pub command: String,
    /// Whether it is there to show how much memory is taken, and nothing else.
    pub is_for_memory: bool,
}

/// A cell: a row of the experiment, by its label, and what the source has.
#[derive(Clone, Debug)]
pub struct Cell {
    pub row: String,
    pub source: Option<SourceCell>,
}

/// How many times as long traces are with one kind as with another.
#[derive(Clone, Debug)]
pub struct Ratio {
    /// Number of the kind above the line, and of that below.
    pub of: usize,
    pub to: usize,
}

/// The table of a model.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its heading: the model, and which figure of the source it is.
    pub title: String,
    pub kinds: Vec<Kind>,
    /// For each size a cell for each kind.
    pub lines: Vec<(u32, Vec<Cell>)>,
    pub ratios: Vec<Ratio>,
    /// What came out, in words.
    pub reading: &'static str,
}

type Measurements<'rows> = [(&'rows Row, Measured)];

impl Table {
    /// The table with what was measured so far.
    pub fn text(&self, rows: &Measurements) -> String {
        let mut out = format!("\n## {}\n\nSteps of the trace:\n\n", self.title);
        self.grid(&mut out, |kind| !kind.is_for_memory, |cell| trace(find(cell, rows)), source_trace);
        out += "\nStates visited and time of a run; memory where one run was a process of its own:\n\n";
        self.grid(&mut out, |_| true, |cell| cost(find(cell, rows)), source_cost);
        if self.lines.iter().flat_map(|line| &line.1).any(|cell| cell.source.is_some()) {
            out += "\nHow many times as long traces are (medians here, means in the source):\n\n";
            self.ratio_grid(&mut out, rows);
        }
        let _ = write!(out, "\n{}\n", self.reading);
        out
    }

    /// The commands, one for each kind.
    pub fn commands(&self) -> String {
        let sizes: Vec<String> = self.lines.iter().map(|line| line.0.to_string()).collect();
        let commands: Vec<&str> = self.kinds.iter().map(|kind| kind.command.as_str()).collect();
        format!("# {}: N is {}\n{}\n", self.title, sizes.join(", "), commands.join("\n"))
    }

    /// One line for each size, with the columns of some kinds.
    fn grid(
        &self,
        out: &mut String,
        is_shown: impl Fn(&Kind) -> bool,
        here: impl Fn(&Cell) -> String,
        source: impl Fn(Option<SourceCell>) -> String,
    ) {
        let shown: Vec<(usize, &Kind)> =
            self.kinds.iter().enumerate().filter(|(_, kind)| is_shown(kind)).collect();
        let mut header = vec!["N"];
        for (_, kind) in &shown {
            header.push(kind.name);
            header.extend(kind.source);
        }
        let _ = writeln!(out, "| {} |\n|{}", header.join(" | "), " ---: |".repeat(header.len()));
        for (size, cells) in &self.lines {
            let mut line = vec![size.to_string()];
            for &(index, kind) in &shown {
                line.push(here(&cells[index]));
                if kind.source.is_some() {
                    line.push(source(cells[index].source));
                }
            }
            let _ = writeln!(out, "| {} |", line.join(" | "));
        }
    }

    fn ratio_grid(&self, out: &mut String, rows: &Measurements) {
        let mut header = vec!["N".to_owned()];
        for ratio in &self.ratios {
            let (of, to) = (&self.kinds[ratio.of], &self.kinds[ratio.to]);
            header.push(format!("{} to {}", of.name, to.name));
            header.push(format!("{} to {}", of.source.unwrap_or("-"), to.source.unwrap_or("-")));
        }
        let _ = writeln!(out, "| {} |\n|{}", header.join(" | "), " ---: |".repeat(header.len()));
        // Logarithms of the ratios here and in the source, of lines that have both.
        let mut both: Vec<Vec<[f64; 2]>> = vec![Vec::new(); self.ratios.len()];
        for (size, cells) in &self.lines {
            let mut line = vec![size.to_string()];
            for (ratio, both) in self.ratios.iter().zip(&mut both) {
                let here = [ratio.of, ratio.to].map(|kind| length(find(&cells[kind], rows)));
                let there = [ratio.of, ratio.to].map(|kind| cells[kind].source.map(|cell| cell.steps));
                let quotients = [here, there].map(|[of, to]| Some(of? / to.filter(|&to| to > 0.0)?));
                if let [Some(here), Some(there)] = quotients {
                    both.push([here.ln(), there.ln()]);
                }
                line.extend(quotients.map(|one| one.map_or("-".to_owned(), significant)));
            }
            let _ = writeln!(out, "| {} |", line.join(" | "));
        }
        let mut line = vec!["mean".to_owned()];
        for both in &both {
            let mean = |side: usize| match both.is_empty() {
                true => "-".to_owned(),
                false => {
                    significant((both.iter().map(|one| one[side]).sum::<f64>() / both.len() as f64).exp())
                }
            };
            line.extend([mean(0), mean(1)]);
        }
        let _ = writeln!(out, "| {} |", line.join(" | "));
    }
}

fn find<'rows>(cell: &Cell, rows: &'rows Measurements) -> Option<&'rows Measured> {
    let found = rows.iter().find(|(row, _)| row.label == cell.row);
    found.map(|(_, measured)| measured).filter(|measured| measured.problem.is_none())
}

/// The median length, where at least half of the runs have one: of fewer it would say more about luck.
fn length(measured: Option<&Measured>) -> Option<f64> {
    let measured = measured.filter(|measured| 2 * measured.hits >= measured.runs)?;
    measured.length.map(|length| length.median)
}

fn trace(measured: Option<&Measured>) -> String {
    let Some(measured) = measured else { return "-".to_owned() };
    let Some(length) = measured.length else { return "none".to_owned() };
    let mut text = spread(length, whole);
    if let Some(attempts) = measured.attempts.filter(|attempts| attempts.upper > 1.0) {
        let _ = write!(text, ", {} walks", spread(attempts, significant));
    }
    match measured.hits < measured.runs {
        true => format!("{} of {} runs: {text}", measured.hits, measured.runs),
        false => text,
    }
}

fn source_trace(cell: Option<SourceCell>) -> String {
    let Some(cell) = cell else { return "-".to_owned() };
    let walks = cell.walks.filter(|&walks| walks > 1.0);
    whole(cell.steps) + &walks.map_or(String::new(), |walks| format!(", {walks:.1} walks"))
}

fn cost(measured: Option<&Measured>) -> String {
    let Some(measured) = measured else { return "-".to_owned() };
    let mut parts = Vec::new();
    parts.extend(measured.states.map(|states| spread(states, whole)));
    parts
        .extend(measured.seconds.map(|seconds| format!("{} ms", spread(milliseconds(seconds), significant))));
    parts.extend(measured.memory.map(|bytes| format!("{:.0} MB", bytes as f64 / 1e6)));
    parts.join("; ")
}

fn source_cost(cell: Option<SourceCell>) -> String {
    cell.map_or("-".to_owned(), |cell| format!("{} ms; {:.1} MB", whole(cell.milliseconds), cell.megabytes))
}

fn milliseconds(seconds: Quartiles) -> Quartiles {
    let Quartiles { lower, median, upper } = seconds;
    Quartiles { lower: 1e3 * lower, median: 1e3 * median, upper: 1e3 * upper }
}

fn spread(quartiles: Quartiles, text: impl Fn(f64) -> String) -> String {
    let [lower, median, upper] = [quartiles.lower, quartiles.median, quartiles.upper].map(text);
    if lower == upper { median } else { format!("{median} ({lower} to {upper})") }
}

fn whole(number: f64) -> String {
    format!("{number:.0}")
}

/// Two digits at least, no more behind the point than needed for that.
fn significant(number: f64) -> String {
    let digits = if number >= 10.0 { 0 } else { 1 + usize::from(number < 1.0) };
    format!("{number:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::super::plans::File;
    use super::*;

    fn kind(name: &'static str, source: Option<&'static str>) -> Kind {
        Kind { name, source, command: format!("fathom {name} -D N=$N"), is_for_memory: false }
    }

    fn source(steps: f64, walks: f64) -> Option<SourceCell> {
        Some(SourceCell { milliseconds: 7.0, walks: Some(walks), steps, megabytes: 2.5 })
    }

    fn measured(hits: u64, lengths: [f64; 3]) -> Measured {
        let [lower, median, upper] = lengths;
        let length = Some(Quartiles { lower, median, upper });
        Measured { runs: 4, hits, length: length.filter(|_| hits > 0), ..Measured::default() }
    }

    fn table(lines: Vec<(u32, Vec<Cell>)>) -> Table {
        let kinds = vec![kind("unguided", Some("RANSPIN")), kind("guided", None)];
        let ratios = vec![Ratio { of: 0, to: 1 }];
        Table { title: "a model".to_owned(), kinds, lines, ratios, reading: "So it is." }
    }

    #[test]
    fn a_line_has_what_came_out_beside_what_the_source_has_and_their_ratios() {
        let rows =
            ["5 u", "5 g", "9 u", "9 g"].map(|name| Row::new(name, "check", File::Example("x.pml"), "", ""));
        let results = [
            measured(4, [20.0, 30.0, 40.0]),
            measured(4, [10.0, 10.0, 10.0]),
            measured(1, [80.0, 80.0, 80.0]),
            measured(0, [0.0; 3]),
        ];
        let rows: Vec<(&Row, Measured)> = rows.iter().zip(results).collect();
        let cell = |row: &str, source| Cell { row: row.to_owned(), source };
        let lines = vec![
            (5, vec![cell("5 u", source(400.0, 1.0)), cell("5 g", source(50.0, 1.0))]),
            (9, vec![cell("9 u", source(900.0, 2.5)), cell("9 g", None)]),
        ];
        let table = table(lines);
        let text = table.text(&rows);
        assert!(text.contains("| 5 | 30 (20 to 40) | 400 | 10 |\n"), "{text}");
        assert!(text.contains("| 9 | 1 of 4 runs: 80 | 900, 2.5 walks | none |\n"), "{text}");
        assert!(text.contains("| 5 | 3.0 | 8.0 |\n| 9 | - | - |\n| mean | 3.0 | 8.0 |\n"), "{text}");
        assert!(text.contains("7 ms; 2.5 MB") && text.ends_with("\nSo it is.\n"), "{text}");
        assert!(table.commands().starts_with("# a model: N is 5, 9\nfathom unguided -D N=$N\n"));
    }

    #[test]
    fn what_is_not_measured_yet_is_a_dash() {
        let cells = || vec![Cell { row: "not there".to_owned(), source: None }; 2];
        let text = table(vec![(3, cells())]).text(&[]);
        assert!(text.contains("| 3 | - | - | - |\n") && !text.contains("How many times"), "{text}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.25, 1.04, 9.96, 10.4, 1234.5].map(significant), ["0.25", "1.0", "10.0", "10", "1234"]);
    }
}
