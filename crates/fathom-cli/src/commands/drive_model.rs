//! Models for `fathom drive`: which steps are which actions.
//!
//! - Model programs: an action is what its author writes; flags say who decides about it.
//! - Models of processes (Promela and others): one process stands for the tester. A message that it sends is controllable, one that it receives
//!   observable, and everything else is internal. The action is the name of the channel with the fields of the message: `request(3)`.
//! - Timed automata: see [`drive_timed`].

use fathom_core::model::explain::{Transfer, describe_state, explain};
use fathom_core::model::{Interpreter, Move, System};
use fathom_core::program::{Form, Runnable, Symmetry};
use fathom_online::{Action, Role, Roles, Systematic, TestModel};

use super::drive::{DriveArguments, DriveOptions, drive};
use super::drive_timed;
use crate::arguments::OutputArguments;
use crate::failure::Failure;
use crate::program::{Source, from_file};
use crate::session::Session;

/// Runs the command.
pub fn run(arguments: &DriveArguments) -> Result<u8, Failure> {
    let config = arguments.model.validate()?;
    let DriveArguments { drive: options, output, .. } = arguments;
    if config.language.is_program() {
        let (program, source) = from_file::open(&config, output.quiet)?;
        return drive_program(&program, &source, options, output);
    }
    // Processes of IF talk in messages, with clocks or without.
    if config.is_timed() && config.language != fathom_core::Language::If {
        return drive_timed::run(arguments, &config);
    }
    if !(options.unsent.is_empty() && options.observable.is_empty() && options.tick.is_empty()) {
        return Err(Failure::new(
            "--observable, --unsent and --tick have a meaning for model programs only; --environment says who the tester is",
        ));
    }
    let session = Session::open(config)?;
    if !output.quiet {
        session.show_warnings();
    }
    let interpreter = Interpreter::new(session.model(), &[]);
    let is_there = session.model().templates.iter().any(|template| template.name == arguments.environment);
    if !is_there {
        return Err(Failure::new(format!(
            "there is no process '{}' to stand for the tester; say which one does with --environment",
            arguments.environment
        )));
    }
    let source = Source {
        name: session.config().file.clone(),
        language: session.config().language.name(),
        before: Vec::new(),
        after: Vec::new(),
        traced: session.traced_model(),
    };
    let model = model_of_processes(&interpreter, &arguments.environment);
    drive(&model, &source, options, output)
}

/// Drives an implementation by a model program.
pub fn drive_program(
    program: &dyn Runnable,
    source: &Source,
    options: &DriveOptions,
    output: &OutputArguments,
) -> Result<u8, Failure> {
    let roles = options.roles()?;
    let is_timed = !roles.time.is_empty();
    let opened = program.open(Symmetry::None, Form::InFull);
    let model = Systematic::new(opened.system(), move |_: &[u8], labels: &[_]| naming(&roles, labels))
        .with_variables(|state| opened.variables(state))
        .ending(|state| opened.may_end(state));
    drive(&if is_timed { model.timed() } else { model }, source, options, output)
}

fn naming(roles: &Roles, labels: &[fathom_core::program::Call]) -> Option<(Action, Role)> {
    let action = Action::new(labels.first()?);
    let role = roles.of(&action);
    Some((action, role))
}

/// A model of processes, with one of them as the tester.
fn model_of_processes<'a>(interpreter: &'a Interpreter<'a>, environment: &'a str) -> impl TestModel + 'a {
    let naming = move |state: &[u8], moves: &[Move]| Some(action_of(interpreter, environment, state, moves));
    let variables = move |state: &[u8]| {
        let described = describe_state(interpreter.model(), interpreter.layout(), state);
        described.values.into_iter().map(|value| (value.name, value.value)).collect()
    };
    Systematic::new(interpreter, naming).with_variables(variables)
}

fn action_of(
    interpreter: &Interpreter<'_>,
    environment: &str,
    state: &[u8],
    moves: &[Move],
) -> (Action, Role) {
    let internal = || (Action::new("internal"), Role::Internal);
    let Ok(steps) = explain(interpreter, &mut interpreter.scratch(), state, moves) else { return internal() };
    for step in &steps {
        let is_mover = step.mover.name == environment;
        let is_partner = step.partner.as_ref().is_some_and(|partner| partner.name == environment);
        for message in &step.messages {
            let role = match message.transfer {
                Transfer::HandShake { .. } if is_mover => Role::Controllable,
                Transfer::HandShake { .. } if is_partner => Role::Observable,
                Transfer::Send { .. } if is_mover => Role::Controllable,
                Transfer::Receive { .. } if is_mover => Role::Observable,
                _ => continue,
            };
            let action = Action::new(&format!("{}({})", message.channel_name, message.text));
            return (action, role);
        }
    }
    internal()
}
