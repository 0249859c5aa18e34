//! An experiment as a page: the table, what the source has, and the commands.

use std::fmt::Write;

use super::measured::{Measured, Quartiles};
use super::plans::{Column, Layout, Plan, Row};
use super::tables::Table;
use crate::bench::environment::Environment;

/// The page of an experiment.
pub fn page(plan: &Plan, environment: &Environment, rows: &[(&Row, Measured)]) -> String {
    let mut out = format!(
        "# {}\n\nWritten by `cargo xtask experiment {}`.\n\n{}\n\n",
        plan.title, plan.name, plan.text
    );
    let _ = writeln!(
        out,
        "- date: {}\n- Fathom: {}\n- processor: {}, {} cores in use\n- load before: {}\n",
        environment.date,
        environment.fathom,
        environment.processor,
        environment.cores,
        environment.load_before
    );
    match &plan.layout {
        Layout::List(columns) => out += &list(columns, rows),
        Layout::Tables(_, tables) => {
            out += "Median, with quartiles in brackets where there are several runs.\n";
            out.extend(tables.iter().map(|table| table.text(rows)));
        }
    }
    for (row, measured) in rows {
        if let Some(problem) = &measured.problem {
            let _ = writeln!(out, "\n{}: {problem}", row.label);
        }
    }
    out += plan.reading;
    out += "\n## Commands\n\n```\n";
    match &plan.layout {
        Layout::List(_) => {
            for (row, _) in rows {
                let _ = writeln!(out, "{}", row.shown());
            }
        }
        Layout::Tables(variables, tables) => {
            out += variables;
            out.extend(tables.iter().map(Table::commands));
        }
    }
    out += "```\n";
    out
}

fn list(columns: &[Column], rows: &[(&Row, Measured)]) -> String {
    let mut header = vec!["row".to_owned()];
    header.extend(columns.iter().map(|column| column.title().to_owned()));
    header.push("source".to_owned());
    let mut out = format!("| {} |\n| --- |{} --- |\n", header.join(" | "), " ---: |".repeat(columns.len()));
    for (row, measured) in rows {
        let mut cells = vec![row.label.clone()];
        cells.extend(columns.iter().map(|&column| cell(column, measured)));
        cells.push(row.source.to_owned());
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out + "\nMedian, with quartiles in brackets where there are several runs.\n"
}

fn cell(column: Column, measured: &Measured) -> String {
    if measured.problem.is_some() {
        return "-".to_owned();
    }
    let count = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
    match column {
        Column::Hits => format!("{} of {}", measured.hits, measured.runs),
        Column::Seconds => spread(measured.seconds, 4),
        Column::States => spread(measured.states, 0),
        Column::Length => spread(measured.length, 0),
        Column::Attempts => spread(measured.attempts, 1),
        Column::Table => count(measured.table),
        Column::FirstLength => count(measured.first_length),
        Column::Megabytes => {
            measured.memory.map_or("-".to_owned(), |bytes| format!("{:.0}", bytes as f64 / 1e6))
        }
        Column::Wall => format!("{:.1}", measured.wall.as_secs_f64()),
    }
}

fn spread(quartiles: Option<Quartiles>, digits: usize) -> String {
    match quartiles {
        None => "-".to_owned(),
        Some(one) if one.lower == one.upper => format!("{:.digits$}", one.median),
        Some(one) => format!("{:.digits$} ({:.digits$} to {:.digits$})", one.median, one.lower, one.upper),
    }
}

#[cfg(test)]
mod tests {
    use super::super::plans::plans;
    use super::*;

    #[test]
    fn a_page_has_a_line_for_each_row_with_its_source_and_command() {
        let environment = Environment {
            date: "2026-01-01".to_owned(),
            fathom: "fathom 0".to_owned(),
            spin: None,
            gcc: None,
            processor: "a processor".to_owned(),
            cores: 2,
            memory_megabytes: 1,
            kernel: String::new(),
            load_before: "0".to_owned(),
        };
        let plan = &plans(50)[0];
        let measured = Measured {
            runs: 50,
            hits: 49,
            length: Some(Quartiles { lower: 1.0, median: 2.0, upper: 3.0 }),
            ..Measured::default()
        };
        let rows: Vec<(&Row, Measured)> = plan.rows.iter().map(|row| (row, measured.clone())).collect();
        let page = page(plan, &environment, &rows);
        for row in &plan.rows {
            assert!(page.contains(&format!("| {} |", row.label)) && page.contains(row.source), "{page}");
            assert!(page.contains(&row.shown()), "{page}");
        }
        assert!(page.contains("2 (1 to 3)"), "{page}");
    }
}
