//! `fathom test` on model programs, from files and in Rust.

use std::time::Instant;

use fathom_core::generate_program_tests;
use fathom_core::model::PropertyId;
use fathom_core::program::Runnable;
use fathom_core::source::SourceMap;
use fathom_core::testgen::Criterion;

use super::test::TestFlags;
use super::test_report::{self, Written};
use crate::failure::Failure;
use crate::monitor::{Interrupt, Watch};
use crate::output;
use crate::program::Source;

/// Generates tests from a program that was loaded since a moment.
pub fn run(
    program: &dyn Runnable,
    source: &Source,
    arguments: &TestFlags,
    started: Instant,
) -> Result<u8, Failure> {
    arguments.written.claim()?;
    if arguments.written.msc {
        return Err(Failure::new("--msc is not available for model programs"));
    }
    let goals = arguments.goals.validate(false, false)?;
    let says_nothing =
        || program.facts().actions.iter().all(|action| action.reads.is_empty() && action.writes.is_empty());
    if goals.criteria.contains(&Criterion::DefinitionUse) && says_nothing() {
        return Err(Failure::new(
            "--cover def-use: the program does not say what its actions read and write (`Program::facts`)",
        ));
    }
    let asked = program.asked();
    let mut traps = Vec::new();
    for name in &arguments.goals.trap {
        let found = asked.iter().position(|asked| asked.name == *name && asked.is_witnessed);
        let Some(found) = found else {
            let known: Vec<&str> =
                asked.iter().filter(|asked| asked.is_witnessed).map(|asked| asked.name.as_str()).collect();
            return Err(Failure::new(format!(
                "--trap {}: model programs have traps by name only: {}",
                output::quoted(name),
                if known.is_empty() { "there are none".to_owned() } else { known.join(", ") }
            )));
        };
        traps.push(PropertyId::from(found));
    }
    let options = arguments.to_options(&goals, traps);
    let setup_seconds = started.elapsed().as_secs_f64();
    let mut watch = Watch::start(arguments.limits.time, Interrupt::listen(), arguments.output.quiet);
    let report =
        generate_program_tests(program, &options, &mut watch).map_err(|error| goals.failure(error))?;
    let seconds = watch.finish().as_secs_f64();
    let trap_text = |id: PropertyId| asked[id.index()].name.clone();
    let written = Written {
        arguments,
        file: &source.name,
        language: source.language,
        goals: &goals,
        options: &options,
        report: &report,
        sources: &SourceMap::new(),
        trap_text: &trap_text,
        seconds,
        setup_seconds,
        charts: Vec::new(),
    };
    test_report::publish(&written)
}
