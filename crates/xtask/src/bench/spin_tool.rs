//! Spin as a contender: `spin -a`, `gcc`, and the verifier `pan`.
//!
//! Sizes of Spin's tables are chosen for it, from the number of states in the list of models, since a table
//! that is far too small or too large slows it down: a Fathom user does not choose, but Spin must not lose by a
//! bad choice. The stack begins at two million steps and is made larger when `pan` says that it was too small; only the run
//! that was deep enough counts.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::measurement::{End, Measurement};
use super::models::Model;
use super::process::{self, Ended};

/// The limit on memory for both tools.
pub const MEMORY_MEGABYTES: u64 = 8000;

/// Stack sizes that are tried one after the other, in steps.
const DEPTHS: [u64; 3] = [2_000_000, 20_000_000, 60_000_000];

/// How Spin is compiled and run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// For `spin`, before `-a`.
    pub generate: Vec<&'static str>,
    /// For `gcc`, beside what is always given.
    pub compile: Vec<&'static str>,
    /// For `pan`, beside the sizes.
    pub run: Vec<&'static str>,
    /// What the table is made for.
    pub table: Table,
    /// What is asked.
    pub asks: Asks,
}

/// What a verifier is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// About single states; claims are left out.
    States,
    /// The formula of the model.
    Formula,
}

/// The file that is a model with its formula, and the name of the formula there.
const WITH_FORMULA: &str = "with_formula.pml";
const FORMULA: &str = "bench";

/// The table of a verifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// Slots for stored states.
    Exact,
    /// Bits.
    Bits,
}

impl Table {
    /// The exponent for `-w`: at least two slots, or 64 bits, for each state; and never so small that a model
    /// with more states than listed would suffer much.
    pub fn exponent(self, states: u64) -> u32 {
        let (size, least) = match self {
            Table::Exact => (states.saturating_mul(2), 1 << 25),
            Table::Bits => (states.saturating_mul(64), 1 << 28),
        };
        size.max(least).checked_next_power_of_two().map_or(63, u64::trailing_zeros)
    }
}

/// One run: generates, compiles and searches, in a folder that is gone afterwards.
///
/// # Errors
///
/// When a program cannot be started.
pub fn measure(model: &Model, options: &Options, limit: Duration) -> Result<Measurement> {
    let folder = tempfile::tempdir().context("a temporary folder")?;
    let mut run = Run { folder: folder.path(), end_by: Instant::now() + limit, commands: Vec::new() };
    let defines: Vec<String> = model.defines.iter().map(|define| format!("-D{define}")).collect();
    let mut generate: Vec<String> = defines;
    generate.extend(options.generate.iter().map(|&option| option.to_owned()));
    generate.push("-a".to_owned());
    let formula = model.ltl.as_ref().filter(|_| options.asks == Asks::Formula);
    let shown = match formula {
        None => {
            generate.push(model.path().to_str().context("a path that is not text")?.to_owned());
            model.shown_path()
        }
        Some(formula) => {
            let text = std::fs::read_to_string(model.path()).context("the model")?;
            let text = format!("{text}\nltl {FORMULA} {{ {formula} }}\n");
            std::fs::write(run.folder.join(WITH_FORMULA), text).context("the model with its formula")?;
            generate.push(WITH_FORMULA.to_owned());
            format!("({} with ltl {FORMULA} {{ {formula} }})", model.shown_path())
        }
    };
    let generated = run.step("spin", &generate)?;
    if let Some(command) = run.commands.last_mut() {
        *command = command.replace(&generate[generate.len() - 1], &shown);
    }
    if let Some(end) = problem(&generated, run.folder.join("pan.c").is_file()) {
        return Ok(Measurement::without_numbers(end, run.commands));
    }
    let only_states: &[&str] = match options.asks {
        Asks::States => &["-DSAFETY", "-DNOCLAIM"],
        Asks::Formula => &[],
    };
    let compile: Vec<String> = ["-O2", "-w", "-DNOFAIR", "-DVECTORSZ=4096"]
        .iter()
        .chain(only_states)
        .copied()
        .chain(options.compile.iter().copied())
        .map(str::to_owned)
        .chain([format!("-DMEMLIM={MEMORY_MEGABYTES}")])
        .chain(["-o", "pan", "pan.c"].map(str::to_owned))
        .collect();
    let compiled = run.step("gcc", &compile)?;
    if let Some(end) = problem(&compiled, compiled.status == Some(0)) {
        return Ok(Measurement::without_numbers(end, run.commands));
    }
    let setup = generated.wall + compiled.wall;
    let searched = run.search(options, options.table.exponent(model.states))?;
    Ok(interpret(&searched, setup, run.commands))
}

struct Run<'a> {
    folder: &'a Path,
    end_by: Instant,
    commands: Vec<String>,
}

impl Run<'_> {
    fn step(&mut self, program: &str, arguments: &[String]) -> Result<Ended> {
        self.commands.push(format!("{program} {}", arguments.join(" ")));
        let is_generated = program.starts_with("./");
        let path = if is_generated { self.folder.join(program) } else { program.into() };
        let mut command = Command::new(path);
        // What a killed compiler leaves behind goes with the folder.
        command.args(arguments).current_dir(self.folder).env("TMPDIR", self.folder);
        let left = self.end_by.saturating_duration_since(Instant::now());
        process::run(&mut command, left).with_context(|| program.to_owned())
    }

    fn search(&mut self, options: &Options, exponent: u32) -> Result<Ended> {
        for depth in DEPTHS {
            let mut arguments: Vec<String> = vec![format!("-m{depth}")];
            arguments.extend(options.run.iter().map(|&option| option.to_owned()));
            arguments.push(format!("-w{exponent}"));
            let searched = self.step("./pan", &arguments)?;
            if depth == DEPTHS[DEPTHS.len() - 1] || !is_too_shallow(&searched) {
                return Ok(searched);
            }
            self.commands.pop();
        }
        unreachable!("the last depth returns")
    }
}

fn is_too_shallow(searched: &Ended) -> bool {
    searched.stdout.contains("max search depth too small")
}

/// What went wrong in a step of the set-up.
fn problem(ended: &Ended, is_good: bool) -> Option<End> {
    if ended.is_out_of_time {
        return Some(End::OutOfTime);
    }
    let text = || format!("{} {}", ended.stdout.trim(), ended.stderr.trim()).trim().to_owned();
    (!is_good).then(|| End::Failed(text()))
}

fn interpret(searched: &Ended, setup: Duration, commands: Vec<String>) -> Measurement {
    let text = &searched.stdout;
    let end = if searched.is_out_of_time {
        End::OutOfTime
    } else if text.contains("reached -DMEMLIM bound") || text.contains("out of memory") {
        End::OutOfMemory
    } else if is_too_shallow(searched) {
        End::Failed("the longest path does not fit on the stack".to_owned())
    } else if text.contains("Search not completed") || number_before(text, " states, stored").is_none() {
        End::Failed(format!("pan, status {:?}: {}", searched.status, searched.stderr.trim()))
    } else {
        End::Complete
    };
    if end != End::Complete {
        return Measurement::without_numbers(end, commands);
    }
    let count = |what: &str| number_before(text, what).map(|number| number as u64);
    let megabytes = |what: &str| number_before(text, what).map(|number| (number * 1024.0 * 1024.0) as u64);
    let stored = megabytes("\tactual memory usage for states")
        .or_else(|| megabytes("\tequivalent memory usage for states"));
    Measurement {
        end,
        commands,
        repeats: 1,
        wall_seconds: Some((setup + searched.wall).as_secs_f64()),
        setup_seconds: Some(setup.as_secs_f64()),
        search_seconds: number_after(text, "pan: elapsed time ").filter(|&seconds| seconds > 0.0),
        states: count(" states, stored"),
        transitions: count(" transitions (="),
        depth: number_after(text, "depth reached ").map(|depth| depth as u64),
        state_bytes: megabytes("\tmemory used for hash array").or(stored),
        memory_bytes: megabytes("\ttotal actual memory usage"),
    }
}

/// The number at the end of what comes before a text, on the same line.
fn number_before(text: &str, what: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.contains(what))?;
    let before = line.split(what).next()?;
    before.split_whitespace().next_back()?.parse().ok()
}

/// The number at the start of what comes after a text.
fn number_after(text: &str, what: &str) -> Option<f64> {
    let after = &text[text.find(what)? + what.len()..];
    after.split(|c: char| c.is_whitespace() || c == ',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::measurement::Quantity;
    use super::*;

    const EXACT: &str = "
(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
\tnever claim         \t- (not selected)

State-vector 92 byte, depth reached 46060, errors: 0
    59048 states, stored
   334603 states, matched
   393651 transitions (= stored+matched)
        0 atomic steps
hash conflicts:       308 (resolved)

Stats on memory usage (in Megabytes):
    6.307\tequivalent memory usage for states (stored*(State-vector + overhead))
    3.135\tactual memory usage for states (compression: 49.70%)
         \tstate-vector as stored = 36 byte + 20 byte overhead
  256.000\tmemory used for hash table (-w25)
   91.553\tmemory used for DFS stack (-m2000000)
  353.022\ttotal actual memory usage


pan: elapsed time 0.23 seconds
pan: rate 256730.43 states/second
";

    fn ended(stdout: &str) -> Ended {
        Ended {
            wall: Duration::from_millis(300),
            status: Some(0),
            is_out_of_time: false,
            stdout: stdout.to_owned(),
            stderr: String::new(),
        }
    }

    fn interpreted(stdout: &str) -> Measurement {
        interpret(&ended(stdout), Duration::from_secs(1), Vec::new())
    }

    #[test]
    fn the_output_of_a_verifier_becomes_a_measurement() {
        let run = interpreted(EXACT);
        assert_eq!(run.end, End::Complete);
        assert_eq!((run.states, run.transitions, run.depth), (Some(59048), Some(393_651), Some(46060)));
        assert_eq!(
            (run.wall_seconds, run.setup_seconds, run.search_seconds),
            (Some(1.3), Some(1.0), Some(0.23))
        );
        let bytes = run.get(Quantity::BytesPerState).expect("memory for states");
        assert!((bytes - 55.67).abs() < 0.01, "{bytes}");
        assert_eq!(run.memory_bytes, Some((353.022 * 1024.0 * 1024.0) as u64));
    }

    #[test]
    fn large_counts_in_scientific_notation_are_read() {
        let text = EXACT.replace("    59048 states, stored", "1.8206917e+07 states, stored");
        assert_eq!(interpreted(&text).states, Some(18_206_917));
    }

    #[test]
    fn the_memory_of_a_bitstate_search_is_its_array() {
        let text = EXACT.replace(
            "    3.135\tactual memory usage for states (compression: 49.70%)",
            "    8.000\tmemory used for hash array (-w26)",
        );
        assert_eq!(interpreted(&text).state_bytes, Some(8 << 20));
    }

    #[test]
    fn a_search_that_was_cut_short_is_not_complete() {
        let shallow = format!("error: max search depth too small\n{EXACT}");
        assert!(matches!(interpreted(&shallow).end, End::Failed(_)));
        assert!(is_too_shallow(&ended(&shallow)));
        assert_eq!(interpreted("pan: reached -DMEMLIM bound\n").end, End::OutOfMemory);
        assert!(matches!(interpreted(&format!("Warning: Search not completed{EXACT}")).end, End::Failed(_)));
        assert!(matches!(interpreted("").end, End::Failed(_)));
        let killed = Ended { is_out_of_time: true, ..ended(EXACT) };
        assert_eq!(interpret(&killed, Duration::ZERO, Vec::new()).end, End::OutOfTime);
    }

    #[test]
    fn a_search_too_quick_for_the_clock_has_no_rate() {
        let run = interpreted(&EXACT.replace("time 0.23", "time 0"));
        assert_eq!((run.end.clone(), run.get(Quantity::TransitionRate)), (End::Complete, None));
    }

    #[test]
    fn tables_fit_the_model() {
        assert_eq!(Table::Exact.exponent(1), 25);
        assert_eq!(Table::Exact.exponent(18_206_917), 26);
        assert_eq!(Table::Bits.exponent(1), 28);
        assert_eq!(Table::Bits.exponent(18_206_917), 31);
        assert_eq!(Table::Bits.exponent(u64::MAX), 63);
    }
}
