//! The page about partitions.

use std::fmt::Write;

use super::{Line, Results, Run};
use crate::bench::environment::Environment;

/// One line of the table.
pub fn row(line: &Line) -> String {
    format!(
        "| {}, `{}` | {} | {} | {} | {} | {} | {} |",
        line.question.name(),
        line.question.property,
        line.composite.states.map_or("?".to_owned(), states),
        run(&line.explicit),
        run(&line.symbolic),
        run(&line.composite),
        ratio(line),
        line.question.partition.join(" ").replacen("--", "`--", 1) + "`",
    )
}

fn states(n_states: f64) -> String {
    if n_states >= 1e9 { format!("{n_states:.1e}") } else { n_states.to_string() }
}

fn ratio(line: &Line) -> String {
    let sign = if line.explicit.is_answered() || line.symbolic.is_answered() { "" } else { "more than " };
    format!("{sign}{:.1}", line.ratio())
}

fn run(run: &Run) -> String {
    if !run.is_answered() {
        return run.end.clone();
    }
    let mut text = match run.seconds < 1.0 {
        true => format!("{:.3} s", run.seconds),
        false => format!("{:.2} s", run.seconds),
    };
    if let Some(megabytes) = run.megabytes {
        let _ = write!(text, ", {megabytes:.0} MB");
    }
    if let (Some(nodes), Some(parts)) = (run.nodes, run.parts) {
        let s = if parts == 1 { "" } else { "s" };
        let _ = write!(text, ", {nodes} nodes, {parts} part{s}");
    }
    text
}

const HEAD: &str = "| model, question | states | explicit | symbolic | composite | times faster | partition |\n\
                    | --- | --- | --- | --- | --- | --- | --- |\n";

/// The whole page.
pub fn page(results: &Results, environment: &Environment) -> String {
    let mut text = format!(
        "# Explicit, symbolic, composite\n\n\
         Made by `cargo xtask partitions` (with `--nusmv FILE` for the last table). One question, three partitions: everything explicit (one thread), everything sets of values (`--engine symbolic`), and the partition \
         that the table names. Times are what the program says it took to read the model and to check it, on the wall (of runs shorter than 0.2 seconds the shortest of nine, of those shorter than a second of three); memory is the peak of the process. \
         *Times faster* is the better of the two extremes over the composite; less than 1.5, or less than 5 ms, counts for nothing.\n\n\
         - {}, {} cores\n",
        environment.processor, environment.cores,
    );
    let mut programs: Vec<&str> = results.lines.iter().map(|line| line.by.as_str()).collect();
    programs.sort_unstable();
    programs.dedup();
    for program in programs {
        let _ = writeln!(text, "- {program}");
    }
    for (title, is_won) in [("Where the composite wins", true), ("Where it does not", false)] {
        let lines: Vec<&Line> = results.lines.iter().filter(|line| line.is_won() == is_won).collect();
        let _ = write!(text, "\n## {title}\n\n{HEAD}");
        for line in &lines {
            let _ = writeln!(text, "{}", row(line));
        }
        text.push('\n');
        for line in &lines {
            let _ = writeln!(text, "- *{}*: {}", line.question.name(), line.question.why);
        }
    }
    rivals(results, &mut text);
    text += include_str!("readings.md");
    text
}

fn rivals(results: &Results, text: &mut String) {
    if results.rivals.is_empty() {
        return;
    }
    *text += "\n## Beside NuSMV\n\n\
              NuSMV 2.5.4 (Cimatti and others, CAV 2002) as `NuSMV -dcx FILE`: all specifications of a file, verdicts only. Fathom on the same files, with `--ignore deadlock,assertion`; it shows and replays counterexamples \
              as well. Both say the same about every specification wherever both come to an end. Times in this table are processor time of the whole programs, their start included. ";
    *text += &results.rivals_by;
    *text += "\n\n| model | specifications | NuSMV | Fathom, symbolic | Fathom, composite |\n| --- | --- | --- | --- | --- |\n";
    for rival in &results.rivals {
        let time = |seconds: Option<f64>| match seconds {
            Some(seconds) => format!("{seconds:.2} s"),
            None => format!("stopped after {} s", rival.limit),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            rival.model.trim_start_matches("examples/smv/"),
            rival.specifications,
            time(rival.nusmv),
            time(rival.symbolic),
            time(rival.composite)
        );
    }
}
