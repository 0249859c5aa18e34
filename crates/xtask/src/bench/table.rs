//! Results as Markdown: one table for each quantity, then everything needed to repeat them.

use std::fmt::Write;

use super::measurement::{End, Quantity, geometric_mean};
use super::results::{Results, Row};
use super::sets::{Comparison, Set};

/// The page of a set.
pub fn page(set: &Set, results: &Results) -> String {
    let mut out = format!(
        "# {}\n\nWritten by `cargo xtask bench`; how to read it is in [README.md](README.md).\n\n",
        set.title
    );
    environment(&mut out, results);
    let _ = write!(out, "\n![Advantages]({}.svg)\n", set.name.file_stem());
    for &quantity in &set.quantities {
        table(&mut out, set, results, quantity);
    }
    remarks(&mut out, results);
    commands(&mut out, results);
    out
}

fn environment(out: &mut String, results: &Results) {
    let environment = &results.environment;
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(out, "- {name}: {value}");
    };
    line("date", &environment.date);
    line("Fathom", &environment.fathom);
    environment.spin.iter().for_each(|version| line("Spin", version));
    environment.gcc.iter().for_each(|version| line("gcc", version));
    line("processor", &format!("{}, {} cores in use", environment.processor, environment.cores));
    line("memory", &format!("{} MB", environment.memory_megabytes));
    line("kernel", &environment.kernel);
    line("load before", &environment.load_before);
    let limit = results.time_limit_seconds;
    line("runs", &format!("best of {}, in turn, at most {limit} s each", results.repeat));
}

fn table(out: &mut String, set: &Set, results: &Results, quantity: Quantity) {
    let comparisons: &[Comparison] = if quantity.is_compared() { &set.comparisons } else { &[] };
    let mut header: Vec<String> = vec!["model".to_owned()];
    header.extend(set.contenders.iter().map(|contender| contender.name.clone()));
    header.extend(comparisons.iter().map(|(ours, theirs)| format!("{ours} over {theirs}")));
    let _ = write!(out, "\n## {}\n\n{}", quantity.title(), line(&header));
    let _ = writeln!(out, "| --- |{}", " ---: |".repeat(header.len() - 1));
    for row in &results.rows {
        let mut cells = vec![row.model.clone()];
        cells.extend(set.contenders.iter().map(|contender| cell(row, &contender.name, quantity)));
        cells.extend(comparisons.iter().map(|comparison| ratio(row.advantage(quantity, comparison))));
        out.push_str(&line(&cells));
    }
    if comparisons.is_empty() {
        return;
    }
    let mut means = vec!["**geometric mean**".to_owned()];
    means.extend(set.contenders.iter().map(|_| String::new()));
    means.extend(comparisons.iter().map(|comparison| {
        let ratios = results.ratios(quantity, comparison);
        geometric_mean(&ratios).map_or(String::new(), |mean| format!("**{}**", ratio(Some(mean))))
    }));
    out.push_str(&line(&means));
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn cell(row: &Row, contender: &str, quantity: Quantity) -> String {
    let Some(measurement) = row.of(contender) else { return "-".to_owned() };
    if measurement.end != End::Complete {
        return measurement.end.word().to_owned();
    }
    measurement.get(quantity).map_or_else(|| "-".to_owned(), |value| number(quantity, value))
}

fn number(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::WallSeconds => format!("{value:.2}"),
        Quantity::SetupSeconds => format!("{value:.4}"),
        Quantity::TransitionRate | Quantity::StateRate => format!("{:.2}", value / 1e6),
        Quantity::States => with_spaces(value as u64),
        Quantity::BytesPerState => format!("{value:.1}"),
        Quantity::MemoryBytes => format!("{:.0}", value / f64::from(1 << 20)),
    }
}

fn ratio(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}

/// A count with its digits in groups of three.
fn with_spaces(count: u64) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits are text"))
        .collect();
    groups.join(" ")
}

/// What a reader must know before believing the tables.
fn remarks(out: &mut String, results: &Results) {
    let mut lines = Vec::new();
    for row in &results.rows {
        lines.extend(row.disagreements.iter().map(|text| format!("**{}: {text}**; not compared", row.model)));
        if row.is_larger_than_listed() {
            let listed = with_spaces(row.listed_states);
            lines.push(format!("{}: Spin's table is sized for {listed} states, which is too few", row.model));
        }
        for entry in &row.measurements {
            let what = match &entry.measurement.end {
                End::Complete => continue,
                End::OutOfTime => format!("killed after {} s", results.time_limit_seconds),
                End::OutOfMemory => "stopped at the limit of memory".to_owned(),
                End::Failed(reason) => {
                    format!("failed: {}", reason.lines().next().unwrap_or_default().replace('|', "/"))
                }
            };
            lines.push(format!("{}, {}: {what}", row.model, entry.contender));
        }
    }
    if !lines.is_empty() {
        let _ = write!(out, "\n## Remarks\n\n- {}\n", lines.join("\n- "));
    }
}

fn commands(out: &mut String, results: &Results) {
    out.push_str("\n## Commands\n");
    for row in &results.rows {
        let _ = write!(out, "\n{}:\n\n```\n", row.model);
        for command in row.measurements.iter().flat_map(|entry| &entry.measurement.commands) {
            let _ = writeln!(out, "{command}");
        }
        out.push_str("```\n");
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::sample;
    use super::*;

    #[test]
    fn a_page_has_machine_tables_means_remarks_and_commands() {
        let (set, results) = sample();
        let page = page(&set, &results);
        for part in [
            "- Spin: Spin Version 6.5.2\n",
            "- runs: best of 3, in turn, at most 120 s each\n",
            "![Advantages](plain.svg)",
            "## Wall time in seconds, set-up included\n\n| model | Spin | Fathom bfs | Fathom dfs | \
             Fathom bfs over Spin | Fathom dfs over Spin | Fathom bfs over Fathom dfs |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n\
             | philosophers-13 | 4.00 | 1.00 | 2.00 | 4.00 | 2.00 | 2.00 |\n",
            "| philosophers_twostep-7 | time | 1.00 | 2.00 | - | - | 2.00 |\n\
             | **geometric mean** |  |  |  | **2.00** | **1.00** | **2.00** |\n",
            "## Set-up in seconds\n\n| model | Spin | Fathom bfs | Fathom dfs |\n",
            "- philosophers_twostep-7, Spin: killed after 120 s\n",
            "\nphilosophers-14:\n\n```\ntool model\n",
        ] {
            assert!(page.contains(part), "{part}\n---\n{page}");
        }
    }

    #[test]
    fn a_disagreement_is_a_remark_and_takes_the_ratios_away() {
        let (set, mut results) = sample();
        results.rows[0].disagreements.push("Spin and Fathom bfs differ in states".to_owned());
        let page = page(&set, &results);
        assert!(page.contains("- **philosophers-13: Spin and Fathom bfs differ in states**; not compared\n"));
        assert!(page.contains("| philosophers-13 | 4.00 | 1.00 | 2.00 | - | - | - |\n"), "{page}");
    }

    #[test]
    fn digits_are_grouped() {
        let grouped: Vec<String> = [0, 999, 1000, 18_206_917].map(with_spaces).to_vec();
        assert_eq!(grouped, ["0", "999", "1 000", "18 206 917"]);
    }

    #[test]
    fn numbers_have_the_unit_of_their_table() {
        assert_eq!(number(Quantity::TransitionRate, 2_345_678.0), "2.35");
        assert_eq!(number(Quantity::MemoryBytes, 3.0 * 1024.0 * 1024.0), "3");
        assert_eq!(number(Quantity::SetupSeconds, 0.00031), "0.0003");
    }
}
