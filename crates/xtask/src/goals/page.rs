//! The table of goals.

use std::fmt::Write;

use super::{Arguments, Ended, Line};
use crate::bench::environment::Environment;

/// One line.
pub fn row(line: &Line) -> String {
    let met = if line.is_met() { "yes" } else { "" };
    let (goal, hard) = (&line.goal, if line.is_hard_for_spin() { "yes" } else { "no" });
    format!(
        "| {} | `{}` | {} ({}) | {} | {} | {hard} | {met} |",
        goal.name,
        goal.goal.replace('|', "\\|"),
        goal.best,
        goal.source,
        ended(&line.hunt),
        ended(&line.spin)
    )
}

fn ended(ended: &Ended) -> String {
    match ended.steps {
        Some(steps) => format!("{steps} steps, {:.1} s", ended.seconds),
        None => format!("{}, {:.1} s", ended.reason, ended.seconds),
    }
}

/// The whole page.
pub fn page(lines: &[Line], arguments: &Arguments, environment: &Environment) -> String {
    let count = |is_so: fn(&Line) -> bool| lines.iter().filter(|line| is_so(line)).count();
    let (n_met, n_hard) = (count(Line::is_met), count(Line::is_hard_for_spin));
    let mut text = format!(
        "# Goals far away\n\n\
         Made by `cargo xtask goals --time {} --spin-time {}`. Models and best known lengths are those of BEEM where it has them. Spin 6.5 runs its default search \
         (`spin -a`, `gcc -O2 -DMEMLIM=4096`, `./pan -m10000000`) with a never claim; half its depth is the length of its trace. *Hard*: Spin runs out of \
         memory or time, or its trace is more than ten times the best known. *Met*: hard, and `fathom hunt` has a trace of at most twice the best known, within a minute.\n\n\
         {n_met} of {n_hard} hard goals are met; there are {} goals in all.\n\n- {}, {} cores; Spin: {}\n",
        arguments.time,
        arguments.spin_time,
        lines.len(),
        environment.processor,
        environment.cores,
        environment.spin.as_deref().unwrap_or("unknown"),
    );
    let mut programs: Vec<&str> = lines.iter().map(|line| line.fathom.as_str()).collect();
    programs.sort_unstable();
    programs.dedup();
    for program in programs {
        let _ = writeln!(text, "- {program}");
    }
    text += "\n| model | goal | best known | hunt | Spin | hard | met |\n| --- | --- | --- | --- | --- | --- | --- |\n";
    for line in lines {
        let _ = writeln!(text, "{}", row(line));
    }
    text
}
