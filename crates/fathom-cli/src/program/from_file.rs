//! Model programs that are read from files: the commands of `fathom` on them.

use std::io::IsTerminal;

use fathom_core::load_program;
use fathom_core::program::Runnable;
use fathom_core::program_files::{CSharpProgram, Options};
use fathom_source::render_text;

use super::{
    ENGINES, ProgramCheckArguments, ProgramGraphArguments, ProgramHuntArguments, ProgramSimulateArguments,
    Source,
};
use crate::arguments::ModelConfig;
use crate::commands::check::CheckArguments;
use crate::commands::graph::GraphArguments;
use crate::commands::hunt::HuntArguments;
use crate::commands::replay::{ReplayArguments, changed};
use crate::commands::run_arguments::AskedArguments;
use crate::commands::simulate::SimulateArguments;
use crate::failure::Failure;
use crate::files::DiskLoader;
use crate::session::fingerprint;
use crate::units::counted;
use crate::{output, wire};

/// Loads a program without errors, and shows the warnings about it.
pub fn open(config: &ModelConfig, is_quiet: bool) -> Result<(CSharpProgram, Source), Failure> {
    if !config.defines.is_empty() {
        return Err(Failure::new("-D has no meaning for model programs"));
    }
    let parts = &config.program;
    let options = Options {
        files: parts.with.clone(),
        scenarios: parts.scenario.clone(),
        programs: parts.program.clone(),
        features: (!parts.feature.is_empty()).then(|| parts.feature.clone()),
    };
    let loaded = load_program(&config.file, &DiskLoader::default(), &options);
    let Some(program) = loaded.program else {
        let n_errors = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        let message = format!("{}: {}", config.file, counted(n_errors as u64, "error"));
        return Err(Failure::of_diagnostics(message, &loaded.sources, &loaded.diagnostics));
    };
    let text = render_text(&loaded.sources, &loaded.diagnostics, std::io::stderr().is_terminal());
    if !is_quiet && !text.is_empty() {
        output::note(text.trim_end());
    }
    let mut after =
        vec![output::quoted(&config.file), "--lang".to_owned(), config.language.name().to_owned()];
    let lists = [
        ("--with", &parts.with),
        ("--scenario", &parts.scenario),
        ("--program", &parts.program),
        ("--feature", &parts.feature),
    ];
    for (flag, values) in lists {
        after.extend(values.iter().flat_map(|value| [flag.to_owned(), output::quoted(value)]));
    }
    let source = Source {
        name: config.file.clone(),
        language: config.language.name(),
        before: vec!["fathom".to_owned()],
        after,
        traced: wire::TracedModel {
            file: config.file.clone(),
            language: config.language.name().to_owned(),
            defines: Vec::new(),
            parts: parts.to_parts(),
            sha256: fingerprint(loaded.sources.files().map(|(_, file)| file.text())),
        },
    };
    Ok((program, source))
}

/// Flags that would be silently without effect are refused.
fn refuse(given: &[(&str, bool)]) -> Result<(), Failure> {
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => Err(Failure::new(format!("{flag} is not available for model programs"))),
        None => Ok(()),
    }
}

fn refuse_asked(asked: &AskedArguments) -> Result<(), Failure> {
    refuse(&[
        ("--invariant", !asked.invariant.is_empty()),
        ("--reach", !asked.reach.is_empty()),
        ("--automaton", !asked.automaton.is_empty()),
        ("--query", !asked.query.is_empty()),
        ("--query-file", !asked.query_file.is_empty()),
        ("--ignore", !asked.ignore.is_empty()),
    ])
}

/// `fathom check` on a model program.
pub fn check(arguments: &CheckArguments, config: &ModelConfig) -> Result<u8, Failure> {
    let CheckArguments { run, insight, trace, partition, zones, symmetry } = arguments;
    refuse_asked(&run.asked)?;
    refuse(&[
        ("--reduce", run.search.reduce.is_some()),
        ("--fair", run.search.fair != "none"),
        ("--profile", run.search.profile),
        ("--code", run.search.code != "native"),
        ("--vacuity", insight.vacuity),
        ("--some-initial", insight.some_initial),
        ("--states-of", !insight.states_of.is_empty()),
        ("--msc", trace.msc),
        ("--symbolic", partition.is_given()),
        ("--extrapolation, --cover and --witness", zones.is_given()),
    ])?;
    refuse(&run.guide.given())?;
    let (guiding, sampling): (Vec<_>, Vec<_>) =
        run.sample.given().into_iter().partition(|(flag, _)| ["--weight", "--beam-width"].contains(flag));
    refuse(&sampling)?;
    let is_given = |flag: &str| guiding.contains(&(flag, true));
    if !ENGINES.contains(&run.search.engine.as_str()) {
        return Err(Failure::new(format!(
            "--engine {} is not available for model programs, expected one of {}",
            run.search.engine,
            ENGINES.join(", ")
        )));
    }
    let (program, source) = open(config, run.output.quiet)?;
    let arguments = ProgramCheckArguments {
        property: run.asked.property.clone(),
        formulas: run.asked.formulas.clone(),
        engine: run.search.engine.clone(),
        weight: is_given("--weight").then_some(run.sample.weight),
        beam_width: is_given("--beam-width").then_some(run.sample.beam_width),
        continue_after_all: run.search.continue_after_all,
        random_order: run.search.random_order,
        seed: run.search.seed,
        store: run.search.store.clone(),
        symmetry: symmetry.clone(),
        threads: run.threads.clone(),
        limits: run.limits.clone(),
        trace: trace.file.clone(),
        output: run.output.clone(),
    };
    super::check(&program, &source, &arguments)
}

/// `fathom hunt` on a model program.
pub fn hunt(arguments: &HuntArguments, config: &ModelConfig) -> Result<u8, Failure> {
    let HuntArguments { asked, guide, trace, limits, output, symmetry, .. } = arguments;
    refuse_asked(asked)?;
    let formulas = asked.formulas.to_words();
    refuse(&[(formulas.first().map_or("", String::as_str), !formulas.is_empty()), ("--msc", trace.msc)])?;
    refuse(&guide.given())?;
    let (program, source) = open(config, output.quiet)?;
    let arguments = ProgramHuntArguments {
        property: asked.property.clone(),
        symmetry: symmetry.clone(),
        limits: limits.clone(),
        trace: trace.file.clone(),
        output: output.clone(),
    };
    super::hunt(&program, &source, &arguments)
}

/// `fathom graph` on a model program.
pub fn graph(arguments: &GraphArguments, config: &ModelConfig) -> Result<u8, Failure> {
    refuse(&[("--process", !arguments.process.is_empty())])?;
    let (program, _) = open(config, false)?;
    let arguments = ProgramGraphArguments {
        max_states: arguments.max_states,
        max_transitions: arguments.max_transitions,
        symmetry: arguments.symmetry.clone(),
        twins: arguments.twins,
        picture: arguments.picture.clone(),
    };
    super::draw(&program, &arguments)
}

/// `fathom simulate` on a model program.
pub fn simulate(arguments: &SimulateArguments, config: &ModelConfig) -> Result<u8, Failure> {
    refuse(&[("--msc", arguments.msc)])?;
    let (program, _) = open(config, arguments.output.quiet)?;
    let arguments = ProgramSimulateArguments {
        random: arguments.random,
        seed: arguments.seed,
        steps: arguments.steps,
        output: arguments.output.clone(),
    };
    super::simulate(&program, &arguments)
}

/// The program of a trace.
///
/// # Errors
///
/// When it cannot be read, or is another one now.
pub fn open_traced(
    config: &ModelConfig,
    file: &wire::TraceFile,
    is_quiet: bool,
) -> Result<(CSharpProgram, Source), Failure> {
    let (program, source) = open(config, is_quiet)?;
    match source.traced.sha256 == file.model.sha256 {
        true => Ok((program, source)),
        false => Err(changed(config)),
    }
}

/// `fathom replay` on a model program.
pub fn replay(
    arguments: &ReplayArguments,
    (program, source): &(CSharpProgram, Source),
    file: &wire::TraceFile,
) -> Result<u8, Failure> {
    refuse(&[("--msc", arguments.msc), ("--shorten", arguments.shorten)])?;
    super::replay::replay(program, &source.traced, &arguments.trace, file, &arguments.output)
}

/// `fathom info` on a model program.
pub fn info(config: &ModelConfig, is_quiet: bool) -> Result<u8, Failure> {
    let (program, _) = open(config, is_quiet)?;
    super::info(&program as &dyn Runnable)
}
