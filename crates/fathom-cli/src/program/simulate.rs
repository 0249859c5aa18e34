//! `simulate` on model programs: random runs, and runs led by the user.

use std::fmt::Write;
use std::io::BufRead;

use fathom_core::model::{NoRegion, Steps, System};
use fathom_core::program::{Call, Form, Opened, Runnable, Symmetry};
use fathom_core::search::Random;

use super::ProgramSimulateArguments;
use super::report::{changes, variables, write_variables};
use crate::arguments::Format;
use crate::failure::{self, Failure};
use crate::{output, wire};

/// Walks through a program.
pub fn simulate(program: &dyn Runnable, arguments: &ProgramSimulateArguments) -> Result<u8, Failure> {
    let opened = program.open(Symmetry::None, Form::InFull);
    if arguments.random {
        return random_run(program, &*opened, arguments);
    }
    if arguments.output.format == Format::Json {
        return Err(Failure::new("--format json needs --random"));
    }
    converse(program, &*opened)
}

/// The findings about a state, by the names of properties.
fn findings(program: &dyn Runnable, steps: &Steps<NoRegion, Call>) -> Vec<String> {
    let asked = program.asked();
    steps.findings().iter().map(|finding| asked[finding.property.index()].name.clone()).collect()
}

fn random_run(
    program: &dyn Runnable,
    opened: &dyn Opened,
    arguments: &ProgramSimulateArguments,
) -> Result<u8, Failure> {
    let system = opened.system();
    let (mut scratch, mut steps) = (system.scratch(), Steps::recording());
    let mut random = Random::new(arguments.seed);
    system.initial(&mut scratch, &mut steps);
    if steps.is_empty() {
        return Err(Failure::new("the program has no initial state"));
    }
    let mut state = steps.state(random.below(steps.len())).to_vec();
    let mut known = variables(opened, &state);
    let mut run = wire::ProgramRunForm { start: known.clone(), steps: Vec::new(), fault: None };
    for _ in 0..arguments.steps {
        steps.clear();
        system.successors(&state, &NoRegion, &mut scratch, &mut steps);
        if steps.is_empty() {
            break;
        }
        let step = random.below(steps.len());
        state = steps.state(step).to_vec();
        let after = variables(opened, &state);
        let action = steps.labels(step).join(", ");
        run.steps.push(wire::ProgramStepForm { action, changes: changes(&known, &after) });
        known = after;
    }
    if arguments.output.format == Format::Json {
        output::print_json(&run)?;
        return Ok(failure::HOLDS);
    }
    let mut text = String::from("      start\n");
    write_variables(&mut text, &run.start);
    for (number, step) in run.steps.iter().enumerate() {
        let _ = writeln!(text, "{:>4}  {}", number + 1, step.action);
        write_variables(&mut text, &step.changes);
    }
    steps.clear();
    system.successors(&state, &NoRegion, &mut scratch, &mut steps);
    for name in findings(program, &steps) {
        let _ = writeln!(text, "      evidence about {name}");
    }
    if steps.is_empty() {
        text.push_str("      no action is enabled\n");
    }
    output::print(&text)?;
    Ok(failure::HOLDS)
}

/// Shows a state and its steps, and takes the step that the user names, again and again.
fn converse(program: &dyn Runnable, opened: &dyn Opened) -> Result<u8, Failure> {
    let system = opened.system();
    let (mut scratch, mut steps) = (system.scratch(), Steps::recording());
    system.initial(&mut scratch, &mut steps);
    if steps.is_empty() {
        return Err(Failure::new("the program has no initial state"));
    }
    let mut path = vec![steps.state(0).to_vec()];
    let mut lines = std::io::stdin().lock().lines();
    loop {
        let state = path.last().expect("a path has a state").clone();
        steps.clear();
        system.successors(&state, &NoRegion, &mut scratch, &mut steps);
        let mut text = format!("after {} steps\n", path.len() - 1);
        write_variables(&mut text, &variables(opened, &state));
        for name in findings(program, &steps) {
            let _ = writeln!(text, "      evidence about {name}");
        }
        for step in 0..steps.len() {
            let _ = writeln!(text, "{:>4}  {}", step + 1, steps.labels(step).join(", "));
        }
        text.push_str("number of a step, b (back) or q (quit)\n");
        output::print(&text)?;
        let Some(line) = lines.next() else { break };
        let line = line.map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
        match line.trim() {
            "q" => break,
            "b" if path.len() > 1 => drop(path.pop()),
            "b" => output::note("this is the start"),
            word => match word.parse::<usize>() {
                Ok(number) if (1..=steps.len()).contains(&number) => {
                    path.push(steps.state(number - 1).to_vec());
                }
                _ => output::note(&format!("there is no step '{word}'")),
            },
        }
    }
    Ok(failure::HOLDS)
}
