//! The commands on model programs: the command line of a program written in Rust, and what `fathom` does with a
//! program that it read from a file.

mod formulas;
pub mod from_file;
mod graph;
mod parameters;
mod replay;
mod report;
mod run;
mod simulate;

use std::time::Instant;

use clap::{Args, Parser, Subcommand};
use fathom_core::model::PropertyId;
use fathom_core::program::{Asked, Runnable, Symmetry};
use fathom_core::timed_automata::symmetry::SymmetryUse;

use crate::arguments::{Format, OutputArguments};
use crate::commands::drive::DriveOptions;
use crate::commands::drive_model::drive_program;
use crate::commands::graph::PictureArguments;
use crate::commands::hunt::HuntLimits;
use crate::commands::run_arguments::{DEFAULT_SEED, FormulaArguments, LimitArguments, ThreadArguments};
use crate::commands::store_arguments::StoreArguments;
use crate::commands::test::TestFlags;
use crate::commands::test_program;
use crate::failure::{self, Failure};
use crate::trace_file::{self, TraceFileArguments};
use crate::units::{counted, parse_define};
use crate::{output, wire};

pub use graph::draw;
pub use parameters::{all_were_asked, parameter, parameter_among};
pub use run::{check, hunt};
pub use simulate::simulate;

/// The command line of one program.
#[derive(Debug, Parser)]
#[command(
    version,
    about = "A model program, checked by Fathom",
    after_help = "Exit status: 0 every property holds, 1 some property is violated, 2 could not run, 3 inconclusive."
)]
pub struct ProgramCli {
    /// Set a parameter of the program
    #[arg(short = 'D', global = true, value_name = "NAME=VALUE", value_parser = parse_define)]
    pub defines: Vec<(String, String)>,
    /// What to do.
    #[command(subcommand)]
    pub command: ProgramCommand,
}

/// The commands on one program.
#[derive(Debug, Subcommand)]
pub enum ProgramCommand {
    /// Answer the properties of the program
    Check(Box<ProgramCheckArguments>),
    /// Look for errors where no search comes to an end
    Hunt(ProgramHuntArguments),
    /// Draw the states of the program
    Graph(ProgramGraphArguments),
    /// Walk through the program step by step, or at random
    Simulate(ProgramSimulateArguments),
    /// Generate tests that cover what is wanted of the program
    Test(Box<ProgramTestArguments>),
    /// Test an implementation against the program, step by step as it answers
    Drive(Box<ProgramDriveArguments>),
    /// Follow a trace file
    Replay(ProgramReplayArguments),
    /// Show what is asked of the program
    Info,
}

impl ProgramCommand {
    /// Runs the command and gives its exit status.
    pub fn run(&self, program: &dyn Runnable) -> Result<u8, Failure> {
        let source = Source::of_executable(program);
        each_has_its_name(program)?;
        match self {
            ProgramCommand::Check(arguments) => check(program, &source, arguments),
            ProgramCommand::Hunt(arguments) => hunt(program, &source, arguments),
            ProgramCommand::Graph(arguments) => draw(program, arguments),
            ProgramCommand::Simulate(arguments) => simulate(program, arguments),
            ProgramCommand::Test(arguments) => {
                test_program::run(program, &source, &arguments.flags, Instant::now())
            }
            ProgramCommand::Drive(arguments) => {
                drive_program(program, &source, &arguments.drive, &arguments.output)
            }
            ProgramCommand::Replay(arguments) => {
                let file = trace_file::read(&arguments.trace)?;
                replay::replay(program, &source.traced, &arguments.trace, &file, &arguments.output)
            }
            ProgramCommand::Info => info(program),
        }
    }

    /// Whether the result is wanted as JSON.
    pub fn wants_json(&self) -> bool {
        let output = match self {
            ProgramCommand::Check(arguments) => &arguments.output,
            ProgramCommand::Hunt(arguments) => &arguments.output,
            ProgramCommand::Simulate(arguments) => &arguments.output,
            ProgramCommand::Test(arguments) => &arguments.flags.output,
            ProgramCommand::Drive(arguments) => &arguments.output,
            ProgramCommand::Replay(arguments) => &arguments.output,
            ProgramCommand::Graph(_) | ProgramCommand::Info => return false,
        };
        output.format == Format::Json
    }
}

/// Where a program comes from.
#[derive(Clone, Debug)]
pub struct Source {
    /// What reports call it.
    pub name: String,
    /// The language it is written in.
    pub language: &'static str,
    /// The words of a command before its verb.
    pub before: Vec<String>,
    /// The words of a command after its verb.
    pub after: Vec<String>,
    /// What traces say about it.
    pub traced: wire::TracedModel,
}

impl Source {
    /// A program that is part of the executable.
    fn of_executable(program: &dyn Runnable) -> Source {
        let executable = std::env::args().next().unwrap_or_else(|| program.title().to_owned());
        Source {
            name: program.title().to_owned(),
            language: "rust",
            before: vec![output::quoted(&executable)],
            after: defines()
                .into_iter()
                .flat_map(|(name, value)| ["-D".to_owned(), output::quoted(&format!("{name}={value}"))])
                .collect(),
            traced: wire::TracedModel {
                file: program.title().to_owned(),
                language: "rust".to_owned(),
                defines: defines(),
                parts: wire::ProgramParts::default(),
                sha256: String::new(),
            },
        }
    }
}

/// The parameters that were given.
fn defines() -> Vec<(String, String)> {
    ProgramCli::try_parse().map(|cli| cli.defines).unwrap_or_default()
}

/// Which states are taken for one.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Symmetry")]
pub struct SymmetryArguments {
    /// Which states are taken for one: none (equal ones), canonical (those that differ in the names of objects or processes only), or
    /// pairwise (the same for model programs, found by comparing states); for model programs canonical by default
    #[arg(long, value_name = "KIND", value_parser = ["none", "canonical", "pairwise"])]
    pub symmetry: Option<String>,
}

impl SymmetryArguments {
    /// The kind that is wanted.
    pub fn kind(&self) -> Symmetry {
        match self.symmetry.as_deref() {
            Some("none") => Symmetry::None,
            Some("pairwise") => Symmetry::Pairwise,
            _ => Symmetry::Canonical,
        }
    }

    /// For models of processes: whether states are taken for one that differ in names only, if anything is said.
    ///
    /// # Errors
    ///
    /// When what is said is for model programs only.
    pub fn of_model(&self) -> Result<Option<bool>, Failure> {
        match self.symmetry.as_deref() {
            None => Ok(None),
            Some("none") => Ok(Some(false)),
            Some("canonical") => Ok(Some(true)),
            Some(other) => {
                Err(Failure::new(format!("--symmetry {other} has a meaning for model programs only")))
            }
        }
    }
}

impl SymmetryArguments {
    /// For timed automata.
    ///
    /// # Errors
    ///
    /// When what is said is for model programs only.
    pub fn of_network(&self) -> Result<SymmetryUse, Failure> {
        Ok(match self.of_model()? {
            None => SymmetryUse::Declared,
            Some(false) => SymmetryUse::None,
            Some(true) => SymmetryUse::Found,
        })
    }
}

/// The engines for programs.
pub const ENGINES: [&str; 10] =
    ["auto", "bfs", "dfs", "best", "astar", "best-dfs", "beam", "bnb", "isr", "walk"];

/// The flags of `check`.
#[derive(Debug, Args)]
pub struct ProgramCheckArguments {
    /// Check the property with this name; by default all
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    #[command(flatten)]
    pub formulas: FormulaArguments,
    /// The engine: auto, bfs (shortest traces), dfs; with the distances of the program: best, astar, best-dfs, beam, bnb; a sample: isr, walk
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = ENGINES)]
    pub engine: String,
    /// For astar: how much the distance counts against the steps so far; 1 unless said otherwise
    #[arg(long, value_name = "X")]
    pub weight: Option<f64>,
    /// For beam: the number of states that are kept of each layer; 1000 unless said otherwise
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub beam_width: Option<u64>,
    /// Explore everything, also after a violation; report the first of each property
    #[arg(long = "continue")]
    pub continue_after_all: bool,
    /// Try the actions of a state in random order (only with --engine dfs)
    #[arg(long)]
    pub random_order: bool,
    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    #[command(flatten)]
    pub store: StoreArguments,
    #[command(flatten)]
    pub symmetry: SymmetryArguments,
    #[command(flatten)]
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub trace: TraceFileArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// The flags of `hunt`.
#[derive(Debug, Args)]
pub struct ProgramHuntArguments {
    /// Hunt for evidence about the property with this name; by default all
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    #[command(flatten)]
    pub symmetry: SymmetryArguments,
    #[command(flatten)]
    pub limits: HuntLimits,
    #[command(flatten)]
    pub trace: TraceFileArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// The flags of `replay`.
#[derive(Debug, Args)]
pub struct ProgramReplayArguments {
    /// The trace, written by `check --trace`
    #[arg(value_name = "FILE.json")]
    pub trace: String,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// The flags of `graph`.
#[derive(Debug, Args)]
pub struct ProgramGraphArguments {
    /// Most states to draw; by default 200, or as many as fit into a picture
    #[arg(long, value_name = "N")]
    pub max_states: Option<usize>,
    /// Most steps to draw
    #[arg(long, value_name = "N")]
    pub max_transitions: Option<usize>,
    #[command(flatten)]
    pub symmetry: SymmetryArguments,
    /// Draw states that symmetry takes for another as well, with a dashed arrow to the one that stands for them
    #[arg(long)]
    pub twins: bool,
    #[command(flatten)]
    pub picture: PictureArguments,
}

/// The flags of `simulate`.
#[derive(Debug, Args)]
pub struct ProgramSimulateArguments {
    /// Take random steps and show them; otherwise the numbers of steps are read from standard input
    #[arg(long)]
    pub random: bool,
    /// The seed of random steps
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// Most random steps
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub steps: u64,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// The flags of `test`.
#[derive(Debug, Args)]
pub struct ProgramTestArguments {
    #[command(flatten)]
    pub flags: TestFlags,
}

/// The flags of `drive`.
#[derive(Debug, Args)]
pub struct ProgramDriveArguments {
    #[command(flatten)]
    pub drive: DriveOptions,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Refuses a program with two properties of one name: nobody could say which of them is meant.
fn each_has_its_name(program: &dyn Runnable) -> Result<(), Failure> {
    let asked = program.asked();
    let is_twin = |(place, one): &(usize, &Asked)| asked[..*place].iter().any(|other| other.name == one.name);
    match asked.iter().enumerate().find(is_twin) {
        Some((_, twin)) => {
            Err(Failure::new(format!("the program has two properties with the name '{}'", twin.name)))
        }
        None => Ok(()),
    }
}

/// What is to be said before anything is believed that is said about a program.
fn warnings(program: &dyn Runnable, n_asked: usize) -> Vec<&'static str> {
    let mut warnings = Vec::new();
    if !program.has_initial() {
        warnings.push("there is no initial state, so nothing is said by what holds");
    }
    if n_asked == 0 {
        warnings.push("the program has no properties, so nothing is asked");
    }
    warnings
}

/// The properties with these names; all without names.
fn choose(program: &dyn Runnable, names: &[String]) -> Result<Vec<PropertyId>, Failure> {
    let asked = program.asked();
    if names.is_empty() {
        let is_asked = |index: &usize| !asked[*index].is_proposition;
        return Ok((0..asked.len()).filter(is_asked).map(PropertyId::from).collect());
    }
    let find = |name: &String| {
        let is_named = |asked: &Asked| asked.name == *name && !asked.is_proposition;
        // What other languages call it.
        let is_kind = |asked: &Asked| name == "deadlock" && asked.kind == "deadlock";
        let index = asked.iter().position(is_named).or_else(|| asked.iter().position(is_kind));
        index.map(PropertyId::from).ok_or_else(|| {
            let known = asked.iter().filter(|asked| !asked.is_proposition);
            let known: Vec<&str> = known.map(|asked| asked.name.as_str()).collect();
            Failure::new(format!("there is no property '{name}'; there are: {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

/// Shows what is asked of a program.
pub fn info(program: &dyn Runnable) -> Result<u8, Failure> {
    let asked = program.asked();
    let mut text = format!("{}: {}\n", program.title(), counted(asked.len() as u64, "property"));
    for asked in asked {
        text.push_str(&format!("  {} ({})\n", asked.name, asked.kind));
    }
    for (name, list) in program.facts().parts {
        text.push_str(&format!("{name}:\n"));
        list.iter().for_each(|one| text.push_str(&format!("  {one}\n")));
    }
    for warning in warnings(program, program.asked().len()) {
        text.push_str(&format!("warning: {warning}\n"));
    }
    text.push_str(match program.has_objects() {
        true => "states have objects: those that differ in their names only are taken for one, unless --symmetry says otherwise\n",
        false => "states have no objects, so that symmetry has nothing to do\n",
    });
    output::print(&text.replace("propertys", "properties"))?;
    Ok(failure::HOLDS)
}
