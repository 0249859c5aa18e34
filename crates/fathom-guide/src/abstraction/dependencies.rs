//! Which cells matter for which: the dependencies of a model.
//!
//! A cell depends on what its assignments look at: their values, the indices that choose it, the guard of the edge and
//! the place of the process. Cells are ranked as by Bui, *Guided Random-Walk Based Model Checking* (2009): the
//! *layer* of a cell is its distance from the property along dependencies, its *strength* the number of cells that
//! depend on it, and weak ones are dropped first. What guards and indices look at counts twice here: not to know it
//! makes all that it decides about unknown as well.
//!
//! The contents of a channel are one unit, named by its first cell.

use std::collections::{BTreeMap, BTreeSet};

use fathom_model::{Action, ChannelTypeId, Edge, Guard, Pattern, Sync};

use super::machine::Machine;
use super::reads::Reader;

/// What depends on what.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependencies {
    /// For each unit: the units that it depends on, with the weight of the dependency.
    on: BTreeMap<usize, BTreeMap<usize, u32>>,
}

/// What an edge looks at, and what it writes.
#[derive(Default)]
struct Flow {
    control: BTreeSet<usize>,
    /// Each unit with what its new value is made of.
    writes: Vec<(usize, BTreeSet<usize>)>,
}

impl Dependencies {
    /// The dependencies of a model.
    pub fn new(machine: &Machine<'_>) -> Dependencies {
        let mut dependencies = Dependencies::default();
        let mut reader = Reader::new(machine);
        let offers = offers(machine, &mut reader);
        let n_records = machine.shape.records.len();
        for process in 0..machine.shape.processes.len() {
            let Some(template) = machine.shape.process(process, n_records) else { continue };
            for edge in &machine.model.template(template).edges {
                let flow = flow_of(machine, &mut reader, process, edge, &offers);
                dependencies.add(machine, &flow);
            }
        }
        dependencies
    }

    fn add(&mut self, machine: &Machine<'_>, flow: &Flow) {
        for (written, made_of) in &flow.writes {
            let on = self.on.entry(unit_of(machine, *written)).or_default();
            for (&cell, weight) in
                made_of.iter().map(|cell| (cell, 1)).chain(flow.control.iter().map(|cell| (cell, 2)))
            {
                let weight_so_far = on.entry(unit_of(machine, cell)).or_default();
                *weight_so_far = (*weight_so_far).max(weight);
            }
        }
    }

    /// The layers of units below some: 0 for these.
    pub fn layers(&self, from: &BTreeSet<usize>) -> BTreeMap<usize, u32> {
        let mut layers: BTreeMap<usize, u32> = from.iter().map(|&unit| (unit, 0)).collect();
        let mut waiting: Vec<usize> = from.iter().copied().collect();
        let mut layer = 0;
        while !waiting.is_empty() {
            layer += 1;
            let below: BTreeSet<usize> = waiting
                .iter()
                .filter_map(|unit| self.on.get(unit))
                .flat_map(|on| on.keys().copied())
                .collect();
            waiting = below.into_iter().filter(|unit| !layers.contains_key(unit)).collect();
            layers.extend(waiting.iter().map(|&unit| (unit, layer)));
        }
        layers
    }

    /// How much depends on a unit, itself not counted.
    pub fn strength(&self, unit: usize) -> u32 {
        self.on.iter().filter(|(of, _)| **of != unit).filter_map(|(_, on)| on.get(&unit)).sum()
    }

    /// What guards and indices look at where one of these units is written.
    pub fn control_of(&self, units: &BTreeSet<usize>) -> BTreeSet<usize> {
        let on = units.iter().filter_map(|unit| self.on.get(unit)).flatten();
        on.filter(|(unit, weight)| **weight > 1 && !units.contains(unit)).map(|(unit, _)| *unit).collect()
    }
}

/// The unit of a cell.
pub(crate) fn unit_of(machine: &Machine<'_>, cell: usize) -> usize {
    let shape = &machine.shape;
    let is_channel = |record: usize| shape.channels.binary_search(&record).ok();
    match shape.cells[cell].record.and_then(is_channel) {
        Some(channel) => shape.channel_cells[channel] as usize,
        None => cell,
    }
}

/// The cells of a unit.
pub(crate) fn cells_of_unit(machine: &Machine<'_>, unit: usize) -> Vec<usize> {
    let cells = 0..machine.shape.cells.len();
    match machine.shape.channel_cells.contains(&(unit as u32)) {
        true => cells.filter(|&cell| unit_of(machine, cell) == unit).collect(),
        false => vec![unit],
    }
}

/// By type of channel without places: what the messages that are offered on it are made of.
type Offers = BTreeMap<ChannelTypeId, BTreeSet<usize>>;

fn offers(machine: &Machine<'_>, reader: &mut Reader<'_>) -> Offers {
    let mut offers = Offers::new();
    let n_records = machine.shape.records.len();
    for process in 0..machine.shape.processes.len() {
        let Some(template) = machine.shape.process(process, n_records) else { continue };
        for edge in &machine.model.template(template).edges {
            let Some(Sync::Send { channel, fields, .. }) = &edge.sync else { continue };
            reader.own = Some(process);
            reader.cells.clear();
            guard(reader, edge);
            fields.iter().for_each(|field| reader.expr(field));
            reader.cells.insert(machine.shape.locations[process] as usize);
            for index in reader.channels(channel) {
                let record = machine.shape.records[machine.shape.channels[index]];
                if let fathom_model::layout::RecordKind::Channel(ty) = record.kind
                    && machine.model.channel_type(ty).is_rendezvous()
                {
                    offers.entry(ty).or_default().extend(reader.cells.iter().copied());
                }
            }
        }
    }
    offers
}

fn guard(reader: &mut Reader<'_>, edge: &Edge) {
    if let Guard::When(expr) = &edge.guard {
        reader.expr(expr);
    }
}

fn flow_of(
    machine: &Machine<'_>,
    reader: &mut Reader<'_>,
    process: usize,
    edge: &Edge,
    offers: &Offers,
) -> Flow {
    let mut flow = Flow::default();
    reader.own = Some(process);
    reader.cells.clear();
    guard(reader, edge);
    let location = machine.shape.locations[process] as usize;
    reader.cells.insert(location);
    let mut message: BTreeSet<usize> = BTreeSet::new();
    match &edge.sync {
        None => {}
        Some(Sync::Send { channel, fields, .. }) => {
            reader.expr(channel);
            let control = std::mem::take(&mut reader.cells);
            fields.iter().for_each(|field| reader.expr(field));
            message = std::mem::replace(&mut reader.cells, control);
            for index in reader.channels(channel) {
                let unit = machine.shape.channel_cells[index] as usize;
                if is_buffer(machine, index) {
                    reader.cells.insert(unit);
                    flow.writes.push((unit, message.clone()));
                }
            }
        }
        Some(Sync::Receive { channel, patterns, .. }) => {
            reader.expr(channel);
            reader.patterns(patterns);
            for index in reader.channels(channel) {
                let unit = machine.shape.channel_cells[index] as usize;
                let record = machine.shape.records[machine.shape.channels[index]];
                if is_buffer(machine, index) {
                    reader.cells.insert(unit);
                    message.insert(unit);
                    flow.writes.push((unit, BTreeSet::new()));
                } else if let fathom_model::layout::RecordKind::Channel(ty) = record.kind {
                    message.extend(offers.get(&ty).into_iter().flatten());
                }
            }
            for pattern in patterns {
                if let Pattern::Bind(place) = pattern {
                    flow.writes.extend(reader.targets(place).into_iter().map(|cell| (cell, message.clone())));
                }
            }
            reader.cells.extend(message.iter().copied());
        }
    }
    let control = std::mem::take(&mut reader.cells);
    for action in &edge.effect {
        match action {
            Action::Assign(place, expr) => {
                reader.cells.clear();
                reader.expr(expr);
                let made_of = std::mem::take(&mut reader.cells);
                reader.indices(place);
                let mut indexed: BTreeSet<usize> = made_of.clone();
                indexed.extend(reader.cells.iter().copied());
                flow.control.extend(std::mem::take(&mut reader.cells));
                flow.writes.extend(reader.targets(place).into_iter().map(|cell| (cell, indexed.clone())));
            }
            Action::Require(expr) => {
                reader.cells.clear();
                reader.expr(expr);
                flow.control.extend(std::mem::take(&mut reader.cells));
            }
            _ => {}
        }
    }
    flow.control.extend(control);
    flow.writes.push((location, BTreeSet::new()));
    flow
}

fn is_buffer(machine: &Machine<'_>, channel: usize) -> bool {
    match machine.shape.records[machine.shape.channels[channel]].kind {
        fathom_model::layout::RecordKind::Channel(ty) => !machine.model.channel_type(ty).is_rendezvous(),
        fathom_model::layout::RecordKind::Process(_) => false,
    }
}
