//! The tables of Bui (2009) on walks, figure by figure: what the experiments are compared with.
//!
//! `bui_figures.json` has a list of figures; a cell is time in milliseconds, walks (none for Spin), steps of the trace and
//! memory in MB, or null where the source ran out of memory or did not try. Figures 4.3 and 4.4 are in seconds there.

use anyhow::{Context, Result};
use serde::Deserialize;

/// One cell of a table.
#[derive(Clone, Copy, PartialEq, Deserialize, Debug)]
pub struct SourceCell {
    pub milliseconds: f64,
    /// Walks needed, with the one that hits.
    pub walks: Option<f64>,
    /// Moves of model and claim; a mean of 50 runs for walks.
    pub steps: f64,
    pub megabytes: f64,
}

/// One line of a table: the number of processes, and a cell for each column.
pub type SourceLine = (u32, Vec<Option<SourceCell>>);

/// One table.
#[derive(Clone, PartialEq, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct SourceFigure {
    /// Its number.
    pub figure: String,
    pub columns: Vec<String>,
    pub lines: Vec<SourceLine>,
}

impl SourceFigure {
    /// The table with this number.
    ///
    /// # Errors
    ///
    /// The list cannot be read, or has no such table.
    pub fn get(number: &str) -> Result<SourceFigure> {
        let all: Vec<SourceFigure> =
            serde_json::from_str(include_str!("bui_figures.json")).context("bui_figures.json")?;
        all.into_iter().find(|one| one.figure == number).with_context(|| format!("no figure {number}"))
    }

    /// The sizes of its lines.
    pub fn sizes(&self) -> Vec<u32> {
        self.lines.iter().map(|&(size, _)| size).collect()
    }

    /// What it has for so many processes in a column.
    pub fn cell(&self, size: u32, column: &str) -> Option<SourceCell> {
        let place = self.columns.iter().position(|name| name == column)?;
        self.lines.iter().find(|line| line.0 == size)?.1[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_figure_has_a_cell_for_each_column() {
        let lengths = [
            ("4.3", 15),
            ("4.4", 7),
            ("6.6", 15),
            ("6.7", 14),
            ("6.9", 9),
            ("6.10", 5),
            ("6.11a", 15),
            ("6.11b", 7),
            ("6.12a", 5),
            ("6.12b", 5),
        ];
        for (number, n_lines) in lengths {
            let figure = SourceFigure::get(number).expect("a figure");
            assert_eq!(figure.lines.len(), n_lines, "{number}");
            assert!(figure.lines.iter().all(|line| line.1.len() == figure.columns.len()), "{number}");
            assert!(figure.sizes().is_sorted(), "{number}");
        }
        assert!(SourceFigure::get("6.8").is_err());
    }

    #[test]
    fn cells_are_found_by_size_and_column() {
        let peterson = SourceFigure::get("6.10").expect("a figure");
        assert_eq!(
            peterson.cell(11, "guided").map(|cell| (cell.steps, cell.walks)),
            Some((4898.0, Some(1.9)))
        );
        assert_eq!(peterson.cell(11, "spin"), None);
        assert_eq!(peterson.cell(4, "guided"), None);
    }
}
