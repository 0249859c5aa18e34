//! The results of a sweep: a summary for each value, text, CSV, and curves.

use std::fmt::Write;
use std::path::Path;

use fathom_plot::{Curve, CurveChart, CurvePanel};

use super::sweep::OverArguments;
use crate::failure::Failure;
use crate::output;
use crate::wire::{Quartiles, SweepReport, SweepRun, SweepValue, percent};

/// A summary for each value, in the order of the runs.
pub fn summarize(runs: &[SweepRun]) -> Vec<SweepValue> {
    let mut values = Vec::new();
    for same in runs.chunk_by(|one, other| one.value == other.value) {
        let hits: Vec<&SweepRun> = same.iter().filter(|run| run.hit).collect();
        let all: Vec<&SweepRun> = same.iter().collect();
        let of = |runs: &[&SweepRun], quantity: &dyn Fn(&SweepRun) -> Option<f64>| {
            Quartiles::of(runs.iter().filter_map(|run| quantity(run)).collect())
        };
        values.push(SweepValue {
            value: same[0].value,
            runs: same.len(),
            hits: hits.len(),
            hit_percent: percent(hits.len(), same.len()),
            seconds: of(&all, &|run| Some(run.seconds)),
            states: of(&all, &|run| Some(run.states as f64)),
            length: of(&hits, &|run| run.length.map(|length| length as f64)),
            attempts: of(&hits, &|run| run.attempts.map(|attempts| attempts as f64)),
        });
    }
    values
}

/// The report for people: one line for each value; with many values and one run each, only the hits.
pub fn to_text(report: &SweepReport) -> String {
    let is_long = report.values.len() > 60 && report.values.iter().all(|value| value.runs == 1);
    let mut text = format!("{}, engine {}, over {}\n\n", report.file, report.engine, report.parameter);
    let _ = writeln!(
        text,
        "{:>12}  {:>11}  {:>28}  {:>28}  {:>14}",
        report.parameter,
        "hits",
        "seconds: median (quartiles)",
        "length: median (quartiles)",
        "states: median"
    );
    let mut n_left_out = 0;
    for value in &report.values {
        if is_long && value.hits == 0 {
            n_left_out += 1;
            continue;
        }
        let median = |quartiles: &Option<Quartiles>, digits: usize| match quartiles {
            Some(one) => format!("{:.digits$}", one.median),
            None => "-".to_owned(),
        };
        let spread = |quartiles: &Option<Quartiles>, digits: usize| match quartiles {
            Some(one) if value.runs > 1 => {
                format!("{:.digits$} ({:.digits$} - {:.digits$})", one.median, one.lower, one.upper)
            }
            _ => median(quartiles, digits),
        };
        let _ = writeln!(
            text,
            "{:>12}  {:>11}  {:>28}  {:>28}  {:>14}",
            value.value,
            format!("{} of {}", value.hits, value.runs),
            spread(&value.seconds, 4),
            spread(&value.length, 0),
            median(&value.states, 0)
        );
    }
    if n_left_out > 0 {
        let _ = writeln!(text, "and {n_left_out} values without a hit");
    }
    let n_hits = report.runs.iter().filter(|run| run.hit).count();
    let _ = write!(text, "\n{n_hits} of {} runs hit: {:.1} %\n", report.runs.len(), report.hit_percent);
    let shortest = report.runs.iter().filter(|run| run.length.is_some()).min_by_key(|run| run.length);
    if let Some(run) = shortest {
        let length = run.length.unwrap_or_default();
        let _ = write!(text, "shortest trace: {length} steps, with {} {}", report.parameter, run.value);
        if report.parameter != "seed" {
            let _ = write!(text, ", seed {}", run.seed);
        }
        text.push('\n');
    }
    if !report.complete {
        text += "the sweep was ended before its last value\n";
    }
    text
}

/// The files that were asked for, with what goes into them.
pub fn files<'a>(
    arguments: &'a OverArguments,
    report: &SweepReport,
) -> Result<Vec<(&'a Path, Vec<u8>)>, Failure> {
    let mut files = Vec::new();
    if let Some(path) = &arguments.json {
        files.push((path.as_path(), output::to_json(report)?.into_bytes()));
    }
    if let Some(path) = &arguments.csv {
        files.push((path.as_path(), to_csv(report).into_bytes()));
    }
    if let Some(path) = &arguments.plot {
        let chart = to_chart(report);
        let picture = match PlotFormat::of(path)? {
            PlotFormat::Svg => chart.svg().map(String::into_bytes),
            PlotFormat::Png => chart.png(),
        };
        let picture = picture.map_err(|reason| Failure::new(format!("cannot draw: {reason}")))?;
        files.push((path.as_path(), picture));
    }
    Ok(files)
}

/// What a picture is written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlotFormat {
    /// Lines and text.
    Svg,
    /// Pixels.
    Png,
}

impl PlotFormat {
    /// The format that the name of a file asks for.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase).as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(Failure::new(format!("{}: a plot is a file .svg or .png", path.display()))),
        }
    }
}

/// All runs, one line each. No value needs quotes but the name of a property, which may be any text.
fn to_csv(report: &SweepReport) -> String {
    let mut text = format!(
        "{},seed,hit,property,verdict,trust,stop,length,attempts,seconds,setup_seconds,states,transitions,max_depth\n",
        report.parameter
    );
    for run in &report.runs {
        let number = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
        let property = run.property.as_deref().unwrap_or_default().replace('"', "\"\"");
        let _ = writeln!(
            text,
            "{},{},{},\"{property}\",{},{},{},{},{},{:.6},{:.6},{},{},{}",
            run.value,
            run.seed,
            u8::from(run.hit),
            run.verdict,
            run.trust,
            run.stop,
            number(run.length.map(|length| length as u64)),
            number(run.attempts),
            run.seconds,
            run.setup_seconds,
            run.states,
            run.transitions,
            run.max_depth
        );
    }
    text
}

/// With one run for each of many values, so many groups of neighbors are counted together.
const GROUPS: usize = 40;

/// Hits, time and length over the values.
fn to_chart(report: &SweepReport) -> CurveChart {
    let curve = |points: Vec<(f64, f64)>, whiskers: Vec<(f64, f64, f64)>| {
        vec![Curve { name: report.engine.clone(), points, whiskers }]
    };
    let quantity = |title: &str, of: &dyn Fn(&SweepValue) -> Option<Quartiles>| {
        let known: Vec<(&SweepValue, Quartiles)> =
            report.values.iter().filter_map(|value| Some((value, of(value)?))).collect();
        let points = known.iter().map(|(value, one)| (value.value as f64, one.median)).collect();
        let whiskers = known
            .iter()
            .filter(|(value, _)| value.runs > 1)
            .map(|(value, one)| (value.value as f64, one.lower, one.upper))
            .collect();
        CurvePanel { title: title.to_owned(), curves: curve(points, whiskers) }
    };
    let (per_group, hits) = hit_curve(&report.values);
    let title = match per_group {
        1 => "runs that hit, %".to_owned(),
        n => format!("{} values that hit, % of each {n}", report.parameter),
    };
    CurveChart {
        parameter: report.parameter.clone(),
        panels: vec![
            CurvePanel { title, curves: curve(hits, Vec::new()) },
            quantity("time, seconds (median, quartiles)", &|value| value.seconds),
            quantity("length of the trace, steps (median, quartiles)", &|value| value.length),
        ],
    }
}

/// The share of runs that hit, in groups of neighboring values when each has one run: their number and the points.
fn hit_curve(values: &[SweepValue]) -> (usize, Vec<(f64, f64)>) {
    let is_single = values.iter().all(|value| value.runs == 1);
    let per_group = if is_single { values.len().div_ceil(GROUPS).max(1) } else { 1 };
    let point = |group: &[SweepValue]| {
        let (n_hits, n_runs): (usize, usize) =
            group.iter().fold((0, 0), |(hits, runs), value| (hits + value.hits, runs + value.runs));
        (group[group.len() / 2].value as f64, percent(n_hits, n_runs))
    };
    (per_group, values.chunks(per_group).map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(value: u64, hit: bool, seconds: f64) -> SweepRun {
        SweepRun {
            value,
            seed: 1,
            hit,
            property: Some("say \"no\"".to_owned()),
            verdict: if hit { "violated" } else { "inconclusive" }.to_owned(),
            trust: "sampled".to_owned(),
            stop: "found".to_owned(),
            length: hit.then_some(value as usize * 10),
            attempts: Some(1),
            seconds,
            setup_seconds: 0.0,
            states: 5,
            transitions: 7,
            max_depth: 3,
        }
    }

    fn report(runs: Vec<SweepRun>) -> SweepReport {
        SweepReport {
            fathom: "0".to_owned(),
            file: "m.pml".to_owned(),
            engine: "isr".to_owned(),
            parameter: "table".to_owned(),
            values: summarize(&runs),
            hit_percent: 50.0,
            complete: true,
            runs,
        }
    }

    #[test]
    fn values_are_summarized_by_quartiles_and_only_hits_have_a_length() {
        let runs = vec![run(3, true, 1.0), run(3, false, 2.0), run(3, true, 4.0), run(4, false, 1.0)];
        let values = summarize(&runs);
        assert_eq!((values[0].hits, values[0].runs, values[0].seconds.unwrap().median), (2, 3, 2.0));
        assert_eq!(values[0].length.unwrap().median, 30.0);
        assert_eq!(values[1].length, None);
    }

    #[test]
    fn hits_of_many_sizes_are_counted_in_groups_of_neighbors() {
        let runs: Vec<SweepRun> = (1..=400).map(|value| run(value, value % 4 == 0, 0.1)).collect();
        let (per_group, points) = hit_curve(&summarize(&runs));
        assert_eq!((per_group, points.len()), (10, 40));
        let mean = points.iter().map(|point| point.1).sum::<f64>() / 40.0;
        assert!((mean - 25.0).abs() < 1e-9, "{mean}");
    }

    #[test]
    fn text_csv_and_curves_tell_the_same() {
        let report = report(vec![run(3, true, 1.0), run(4, false, 2.0)]);
        let text = to_text(&report);
        assert!(
            text.contains("1 of 2 runs hit: 50.0 %") && text.contains("shortest trace: 30 steps"),
            "{text}"
        );
        let csv = to_csv(&report);
        assert_eq!(
            csv.lines().nth(1).unwrap(),
            "3,1,1,\"say \"\"no\"\"\",violated,sampled,found,30,1,1.000000,0.000000,5,7,3"
        );
        assert_eq!(csv.lines().count(), 3);
        let svg = to_chart(&report).svg().unwrap();
        assert!(svg.contains("runs that hit") && svg.contains("length of the trace"), "{svg}");
    }
}
