//! The flags that commands share, each defined once.

use clap::{Args, Parser, Subcommand, ValueEnum};
use fathom_core::Language;

use crate::commands::{
    check, drive, drive_model, graph, hunt, info, plan, replay, shell, simulate, specimen, sweep, test,
    translate,
};
use crate::failure::Failure;
use crate::files::DiskLoader;
use crate::units::parse_define;
use crate::wire::ProgramParts;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "fathom",
    version,
    about = "Fathom, a model checker",
    long_about = "Fathom, a model checker.\n\n`fathom check FILE` answers every property in a model: deadlocks \
                  (invalid end states), assertions, run-time errors and the claims in the file. It needs no C \
                  compiler and writes no files unless asked.",
    after_help = "Coming from Spin:\n  \
                  spin -run m.pml            fathom check m.pml\n  \
                  spin -run -e -c0 m.pml     fathom check --continue m.pml\n  \
                  pan -E / -A                --ignore deadlock / --ignore assertion\n  \
                  pan -mN / -i (shortest)    --max-depth N / the default engine finds shortest traces\n  \
                  spin -t -p -g -l m.pml     fathom replay trace.json (after check --trace trace.json)\n  \
                  spin -M -t m.pml           fathom replay --msc trace.json\n  \
                  spin -nSEED m.pml          fathom simulate --random --seed SEED m.pml\n  \
                  spin -i m.pml              fathom simulate m.pml\n  \
                  spin -f 'F'                fathom translate --form never 'F'\n  \
                  pan -d                     fathom graph m.pml, fathom info --model m.pml\n\n\
                  Exit status: 0 every property holds, 1 some property is violated, 2 could not run, 3 inconclusive."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer the properties of a model
    Check(Box<check::CheckArguments>),
    /// Look for errors where no search comes to an end
    Hunt(Box<hunt::HuntArguments>),
    /// Run a model again and again over a range of a parameter, and draw what comes of it
    Sweep(Box<sweep::SweepArguments>),
    /// Find the best way to a goal, as a schedule
    Plan(Box<plan::PlanArguments>),
    /// Test an implementation against a model, step by step as it answers
    Drive(Box<drive::DriveArguments>),
    /// Be an implementation, to try `drive` on
    Specimen(specimen::SpecimenArguments),
    /// Generate tests that cover a model
    Test(Box<test::TestArguments>),
    /// Follow a trace that `check --trace` wrote
    Replay(replay::ReplayArguments),
    /// Walk through a model step by step, or at random
    Simulate(simulate::SimulateArguments),
    /// Show what a model is made of
    Info(info::InfoArguments),
    /// Draw the processes of a model, or its states
    Graph(graph::GraphArguments),
    /// Write the automaton of a formula, for other tools
    Translate(translate::TranslateArguments),
    /// Print completions for a shell
    Completions(shell::CompletionsArguments),
    /// Print the manual page
    #[command(hide = true)]
    Manual,
}

impl Command {
    /// Runs the command and gives its exit status.
    pub fn run(&self) -> Result<u8, Failure> {
        match self {
            Command::Check(arguments) => check::run(arguments),
            Command::Hunt(arguments) => hunt::run(arguments),
            Command::Sweep(arguments) => sweep::run(arguments),
            Command::Plan(arguments) => plan::run(arguments),
            Command::Drive(arguments) => drive_model::run(arguments),
            Command::Specimen(arguments) => specimen::run(arguments),
            Command::Test(arguments) => test::run(arguments),
            Command::Replay(arguments) => replay::run(arguments),
            Command::Simulate(arguments) => simulate::run(arguments),
            Command::Info(arguments) => info::run(arguments),
            Command::Graph(arguments) => graph::run(arguments),
            Command::Translate(arguments) => translate::run(arguments),
            Command::Completions(arguments) => shell::print_completions(arguments),
            Command::Manual => shell::print_manual(),
        }
    }

    /// Whether the result is wanted as JSON.
    pub fn wants_json(&self) -> bool {
        let format = match self {
            Command::Check(arguments) => arguments.run.output.format,
            Command::Hunt(arguments) => arguments.output.format,
            Command::Sweep(arguments) => arguments.run.output.format,
            Command::Plan(arguments) => arguments.output.format,
            Command::Test(arguments) => arguments.flags.output.format,
            Command::Drive(arguments) => arguments.output.format,
            Command::Replay(arguments) => arguments.output.format,
            Command::Simulate(arguments) => arguments.output.format,
            Command::Info(arguments) => arguments.output.format,
            Command::Graph(_)
            | Command::Specimen(_)
            | Command::Translate(_)
            | Command::Completions(_)
            | Command::Manual => Format::Text,
        };
        format == Format::Json
    }
}

/// Which model.
#[derive(Clone, Debug, Args)]
pub struct ModelArguments {
    /// The model
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Set a macro, constant or parameter of the model; without a value it is 1
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = parse_define)]
    pub defines: Vec<(String, String)>,
    /// The language of the model; default: by the extension of the file
    #[arg(long = "lang", value_name = "LANGUAGE")]
    pub language: Option<String>,
    #[command(flatten)]
    pub program: ProgramFiles,
}

/// Which parts of model programs are composed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Args)]
#[command(next_help_heading = "Model programs")]
pub struct ProgramFiles {
    /// Another file that belongs to the program
    #[arg(long, value_name = "FILE")]
    pub with: Vec<String>,
    /// A state machine that the program is composed with: both take the actions that they share together
    #[arg(long, value_name = "FILE")]
    pub scenario: Vec<String>,
    /// The factory method or namespace to check; with several, their composition
    #[arg(long, value_name = "NAME")]
    pub program: Vec<String>,
    /// The features to include, instead of those that the factory method names
    #[arg(long, value_name = "NAME")]
    pub feature: Vec<String>,
}

impl ProgramFiles {
    /// The parts that a trace names.
    pub fn of_parts(parts: &ProgramParts) -> ProgramFiles {
        let ProgramParts { with, scenario, program, feature } = parts.clone();
        ProgramFiles { with, scenario, program, feature }
    }

    /// The parts, for a trace.
    pub fn to_parts(&self) -> ProgramParts {
        let ProgramFiles { with, scenario, program, feature } = self.clone();
        ProgramParts { with, scenario, program, feature }
    }

    fn is_given(&self) -> bool {
        *self != ProgramFiles::default()
    }
}

/// How to show results.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// No progress and no warnings
    #[arg(long, short)]
    pub quiet: bool,
}

/// The form of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// Which model, validated.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelConfig {
    /// The main file.
    pub file: String,
    /// Its language.
    pub language: Language,
    /// Definitions.
    pub defines: Vec<(String, String)>,
    /// For model programs: what is composed.
    pub program: ProgramFiles,
}

impl ModelConfig {
    /// Whether the model is a network of timed automata. A file that cannot be read is none; whoever loads it says why.
    pub fn is_timed(&self) -> bool {
        fathom_core::is_timed(&self.file, self.language, &DiskLoader::default()).unwrap_or(false)
    }
}

impl ModelArguments {
    /// Finds out the language.
    pub fn validate(&self) -> Result<ModelConfig, Failure> {
        let language = match &self.language {
            Some(name) => language_named(name)?,
            None => Language::of_file(&self.file).ok_or_else(|| {
                Failure::new(format!(
                    "cannot tell the language of {} by its extension; say it with --lang, for example --lang promela",
                    self.file
                ))
            })?,
        };
        if self.program.is_given() && !language.is_program() {
            return Err(Failure::new(
                "--with, --scenario, --program and --feature have a meaning for model programs only",
            ));
        }
        Ok(ModelConfig {
            file: self.file.clone(),
            language,
            defines: self.defines.clone(),
            program: self.program.clone(),
        })
    }
}

/// The language with this name.
pub fn language_named(name: &str) -> Result<Language, Failure> {
    Language::named(name).ok_or_else(|| {
        Failure::new(format!(
            "unknown language '{name}', expected promela, if, smv, csharp, tchecker or uppaal"
        ))
    })
}
