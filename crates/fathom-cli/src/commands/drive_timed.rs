//! Networks of timed automata for `fathom drive`.
//!
//! One process stands for the tester: what it sends is controllable, what it receives observable, and everything else is internal. The action is
//! the name of the channel: `press`, `lift[2]`. Time passes in ticks, [a whole number of them to the unit](fathom_core::timed_automata::digital), and
//! the estimate of the tester is a set of states with numbers for clocks. Where no state lets time pass, something is due: silence is a failure then.

use fathom_core::timed_automata::Network;
use fathom_core::timed_automata::digital::{Digital, DigitalMove};
use fathom_online::{Action, Role, Roles, Systematic};

use super::check_timed;
use super::drive::{DriveArguments, drive};
use crate::arguments::ModelConfig;
use crate::failure::Failure;
use crate::program::Source;
use crate::timed::replay::traced_model;

/// Tests an implementation against a network of timed automata.
pub fn run(arguments: &DriveArguments, config: &ModelConfig) -> Result<u8, Failure> {
    let DriveArguments { drive: options, output, environment, .. } = arguments;
    if !(options.unsent.is_empty() && options.tick.is_empty()) {
        return Err(Failure::new(
            "--unsent and --tick have a meaning for model programs only; in timed automata time passes by itself",
        ));
    }
    let loaded = check_timed::load(config)?;
    if !output.quiet {
        check_timed::show_warnings(&loaded);
    }
    let Some(network) = &loaded.network else { return Err(Failure::new("there is no network")) };
    let Some(tester) = network.processes.iter().position(|process| process.name == *environment) else {
        let names: Vec<&str> = network.processes.iter().map(|process| process.name.as_str()).collect();
        return Err(Failure::new(format!(
            "there is no process '{environment}' to stand for the tester; say with --environment which one does: {}",
            names.join(", ")
        )));
    };
    let digital =
        Digital::new(network, options.grain).map_err(|error| Failure::new(format!("--grain: {error}")))?;
    let roles = options.roles()?;
    let naming = |_: &[u8], labels: &[DigitalMove]| Some(action_of(network, tester, &roles, labels.first()?));
    let model = Systematic::new(&digital, naming).with_variables(|state| digital.variables(state)).timed();
    let source = Source {
        name: config.file.clone(),
        language: config.language.name(),
        before: Vec::new(),
        after: Vec::new(),
        traced: traced_model(config, &loaded),
    };
    drive(&model, &source, options, output)
}

/// What a move is to the tester. Channels have a direction in Uppaal; events of other languages have none, and flags say who decides.
fn action_of(network: &Network, tester: usize, roles: &Roles, taken: &DigitalMove) -> (Action, Role) {
    let DigitalMove::Take(edges) = taken else { return (Action::new("(time)"), Role::Time) };
    let own = edges.iter().find(|(process, _)| *process == tester).filter(|_| edges.len() > 1);
    let Some(&(process, edge)) = own else { return (Action::new("internal"), Role::Internal) };
    let event = network.events[network.processes[process].edges[edge].event].as_str();
    match (event.strip_suffix('!'), event.strip_suffix('?')) {
        (Some(channel), _) => (Action::new(channel), Role::Controllable),
        (_, Some(channel)) => (Action::new(channel), Role::Observable),
        _ => {
            let action = Action::new(event);
            let role = roles.of(&action);
            (action, role)
        }
    }
}
