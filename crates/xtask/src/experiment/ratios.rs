//! How many times shorter traces become, here and in the source: what can be compared across models and machines.

use std::fmt::Write;

use super::measured::Measured;
use super::plans::Row;

/// A table of ratios, one line for each model and size that has the rows it needs; nothing without any.
pub fn ratios(rows: &[(&Row, Measured)]) -> String {
    let mut models: Vec<&str> =
        rows.iter().filter_map(|(row, _)| split(row)).map(|(model, _)| model).collect();
    models.dedup();
    let mut out = String::new();
    for model in models {
        let find = |kind: &str| rows.iter().find(|(row, _)| split(row) == Some((model, kind)));
        let (Some(unguided), Some(guided)) = (find("unguided walk"), find("guided walk (pattern)")) else {
            continue;
        };
        let (linear, exhaustive) =
            (find("guided walk (pattern, linear weights)"), find("exhaustive (depth-first)"));
        let cells = [
            ratio(source_length(unguided.0), source_length(guided.0)),
            ratio(length(unguided), length(guided)),
            ratio(length(unguided), linear.and_then(length)),
            ratio(exhaustive.and_then(|(row, _)| source_length(row)), source_length(unguided.0)),
            ratio(exhaustive.and_then(length), length(unguided)),
        ];
        let _ = writeln!(out, "| {model} | {} |", cells.join(" | "));
    }
    if out.is_empty() {
        return out;
    }
    format!(
        "\n## Row by row\n\nHow many times shorter traces become: ratios of lengths (here medians, means in the source).\n\n\
         | model | unguided to guided, source | here | here, linear weights | exhaustive to unguided, source | here |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n{out}"
    )
}

/// Model and kind of a row.
fn split(row: &Row) -> Option<(&str, &str)> {
    row.label.split_once(", ")
}

fn length(row: &(&Row, Measured)) -> Option<f64> {
    row.1.length.map(|length| length.median)
}

/// The steps in what the source has: the number before the first word `steps`.
fn source_length(row: &Row) -> Option<f64> {
    let (before, _) = row.source.split_once(" steps")?;
    before.rsplit(' ').next()?.parse().ok()
}

fn ratio(one: Option<f64>, other: Option<f64>) -> String {
    match (one, other) {
        (Some(one), Some(other)) if other > 0.0 => format!("{:.1}", one / other),
        _ => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::measured::Quartiles;
    use super::super::plans::plans;
    use super::*;

    #[test]
    fn every_model_of_the_walks_has_its_ratios() {
        let plans = plans(2);
        let walks = plans.iter().find(|plan| plan.name == "walks").expect("an experiment");
        let measured = |row: &Row| {
            let steps = if row.label.ends_with("unguided walk") { 30.0 } else { 10.0 };
            let length = Some(Quartiles { lower: steps, median: steps, upper: steps });
            Measured { runs: 1, hits: 1, length, ..Measured::default() }
        };
        let rows: Vec<(&Row, Measured)> = walks.rows.iter().map(|row| (row, measured(row))).collect();
        let text = ratios(&rows);
        assert_eq!(text.matches("\n| ").count(), 12 + 2, "{text}");
        assert!(text.contains("| philosophers 150 | 9.5 | 3.0 | 3.0 | 9.7 | 0.3 |"), "{text}");
        assert!(text.contains("| Peterson 11 | 1.4 | 3.0 | 3.0 | - | 0.3 |"), "{text}");
        assert_eq!(ratios(&rows[..1]), "");
    }
}
