//! Which values a cell ever has: one set for each, whatever the state.
//!
//! The abstraction that knows next to nothing is explored again and again, and every value that an assignment may
//! write is added to the set of its cell, until no set grows. Only what decides about the creation of processes is
//! kept, or they would be created without end. A set that keeps growing becomes *any*, a byte has all of its values.

use std::collections::{BTreeSet, HashSet};

use fathom_model::{Action, Edge, Guard, Interpreter, LocationId, Model, Steps, System, Template};

use super::database::Unmade;
use super::machine::{Abstract, GiveUp, Machine, Treatment, edges_of};
use super::reads::reads;
use super::shape::{Content, Shape};
use super::values::Values;

/// After so many rounds sets that still grow become any.
const PATIENT_ROUNDS: usize = 16;
/// Most ways that are tried before a model counts as too intricate.
const MOST_WAYS: usize = 2_000_000;
/// Most states of the abstraction that knows next to nothing.
const MOST_STATES: usize = 4096;

/// A machine with all sets collected that keeps nothing but what decides about creation.
pub(crate) fn collect<'m>(
    model: &'m Model,
    goes_on: &dyn Fn() -> bool,
) -> Result<(Machine<'m>, Vec<Vec<u8>>), Unmade> {
    let no_shape = GiveUp("processes or channels are created in more than one order");
    let shape = Shape::new(model).ok_or(no_shape)?;
    let initial = initial_states(model);
    let mut sets: Vec<Option<Values>> = vec![None; shape.n_families];
    for state in &initial {
        let n_records = shape.n_records(state).ok_or(no_shape)?;
        for (number, cell) in shape.cells.iter().enumerate() {
            if cell.record.is_none_or(|record| record < n_records) {
                let value = Values::One(shape.read(number, state));
                let set = &mut sets[cell.family as usize];
                *set = Some(set.as_ref().map_or(value.clone(), |set| set.union(&value)));
            }
        }
    }
    let sets = sets.into_iter().map(|set| set.unwrap_or(Values::One(0))).collect();
    let mut machine = Machine::new(model, shape, sets);
    for cell in creation_cells(&machine) {
        machine.treatments[cell] = Treatment::Exact;
    }
    machine.is_collecting = true;
    for round in 0.. {
        let before = machine.sets.clone();
        machine.has_grown = false;
        explore(&mut machine, &initial, no_shape, goes_on)?;
        if !machine.has_grown {
            break;
        }
        if round >= PATIENT_ROUNDS {
            widen(&mut machine, &before);
        }
    }
    machine.is_collecting = false;
    Ok((machine, initial))
}

pub(crate) fn initial_states(model: &Model) -> Vec<Vec<u8>> {
    let interpreter = Interpreter::new(model, &[]);
    let mut steps = Steps::new();
    interpreter.initial(&mut interpreter.scratch(), &mut steps);
    (0..steps.len()).map(|index| steps.state(index).to_vec()).collect()
}

fn explore(
    machine: &mut Machine<'_>,
    initial: &[Vec<u8>],
    no_shape: GiveUp,
    goes_on: &dyn Fn() -> bool,
) -> Result<(), Unmade> {
    let mut seen: HashSet<(usize, Vec<i64>)> = HashSet::new();
    let mut waiting: Vec<Abstract> = Vec::new();
    for state in initial {
        waiting.push(machine.abstraction(state).ok_or(no_shape)?);
    }
    while let Some(state) = waiting.pop() {
        if machine.n_ways > MOST_WAYS {
            return Err(GiveUp("too much may happen").into());
        }
        if seen.len() > MOST_STATES {
            return Err(GiveUp("too many ways to create processes").into());
        }
        if !goes_on() {
            return Err(Unmade::Interrupted);
        }
        let mut reached: Vec<Abstract> = Vec::new();
        machine.steps(&state, &mut |state| {
            if !reached.contains(state) {
                reached.push(state.clone());
            }
        })?;
        for state in reached {
            if seen.insert((state.n_records, state.values.clone())) {
                waiting.push(state);
            }
        }
    }
    Ok(())
}

/// Sets that have grown become any.
fn widen(machine: &mut Machine<'_>, before: &[Values]) {
    for cell in &machine.shape.cells {
        let family = cell.family as usize;
        if let Content::Scalar(ty) = cell.content
            && machine.sets[family] != before[family]
        {
            machine.sets[family] = Values::Any.stored_as(ty).map(|value| i64::from(value as i32));
        }
    }
}

/// What decides about the creation of processes: where the processes that create are, and what the guards look at
/// that they may pass before they create another one.
fn creation_cells(machine: &Machine<'_>) -> BTreeSet<usize> {
    let n_records = machine.shape.records.len();
    let mut cells = BTreeSet::new();
    for process in 0..machine.shape.processes.len() {
        let Some(template) = machine.shape.process(process, n_records) else { continue };
        let body = machine.model.template(template);
        let before = before_creation(body);
        if before.iter().any(|&is_before| is_before) {
            cells.insert(machine.shape.locations[process] as usize);
        }
        for (location, _) in before.iter().enumerate().filter(|(_, is_before)| **is_before) {
            for edge in edges_of(body, LocationId::from(location)) {
                if let Guard::When(expr) = &edge.guard {
                    cells.extend(reads(machine, expr, Some(process)));
                }
            }
        }
    }
    cells
}

/// Whether a process may still be created, by location.
fn before_creation(template: &Template) -> Vec<bool> {
    let creates = |edge: &Edge| edge.effect.iter().any(|action| matches!(action, Action::Create { .. }));
    let mut before = vec![false; template.locations.len()];
    loop {
        let mut has_grown = false;
        for location in 0..before.len() {
            let mut edges = edges_of(template, LocationId::from(location));
            if !before[location] && edges.any(|edge| creates(edge) || before[edge.target.index()]) {
                before[location] = true;
                has_grown = true;
            }
        }
        if !has_grown {
            return before;
        }
    }
}
