//! What names are told apart by for good once the model is set up: values that nobody writes any more.
//!
//! `run p(0); run p(1)` gives two processes numbers that they keep. If these are names, their exchange is what symmetry is about; if they
//! are numbers, no state is ever the image of another, however alike the text is. That is of no account to canonical forms, and it is
//! what people want to know.

use std::collections::{BTreeMap, BTreeSet};

use fathom_model::layout::RecordKind;
use fathom_model::{Base, Model};
use fathom_symmetry::mix;

use super::Symmetry;
use super::families::{Families, Home};
use super::shape::{Shape, records_of, refine};
use super::structure::{Fact, PROCESSES};
use crate::access::for_each_written;

/// What tells objects apart.
#[derive(Default)]
struct Marks {
    /// By object.
    marks: BTreeMap<u32, u64>,
    edges: Vec<(u32, Fact, u32)>,
}

impl Marks {
    /// A value that concerns these objects.
    fn add(&mut self, label: u64, objects: &[u32]) {
        match objects {
            [] => (),
            [one] => {
                let mark = self.marks.entry(*one).or_default();
                *mark = mark.wrapping_add(mix(label, 41));
            }
            [first, rest @ ..] => {
                let fact = |place: usize| (mix(label, place as u64) as usize, None, 0);
                self.edges
                    .extend(rest.iter().enumerate().map(|(place, &other)| (*first, fact(place), other)));
            }
        }
    }
}

impl Symmetry {
    /// The cells of a shape without what is told apart for good in a state of it.
    pub(super) fn lasting_cells(&self, model: &Model, shape: &Shape, state: &[u8]) -> Vec<Vec<u32>> {
        let Some(written) = self.written(model) else { return shape.cells.clone() };
        let mut marks = Marks::default();
        let mut records = Vec::new();
        records_of(&self.layout, state, &mut records);
        self.mark_family(shape, state, (Home::Globals, 0, None, 0), &written, &mut marks);
        let mut process = 0;
        for &(kind, offset) in &records {
            let RecordKind::Process(template) = kind else { continue };
            let owner = shape.object(PROCESSES, process);
            let whose = if owner.is_some() { 1 } else { 2 + process as u64 };
            let start = offset + self.layout.processes[template.index()].locals;
            let frame = (Home::Locals(template.index()), start, owner, whose);
            self.mark_family(shape, state, frame, &written, &mut marks);
            process += 1;
        }
        let mark = |object: usize| marks.marks.get(&(object as u32)).copied().unwrap_or(0);
        let objects = shape.objects.iter().enumerate();
        let candidates: Vec<_> =
            objects.map(|(number, object)| Some((mix(object.cell as u64, mark(number)), None))).collect();
        let structure = shape.edges.iter().map(|&(from, label, to)| (from, (label as usize, None, 1), to));
        let edges: Vec<_> = marks.edges.iter().copied().chain(structure).collect();
        let colours = refine(&candidates, |_| &[], &edges);
        let mut cells: BTreeMap<(usize, u64), Vec<u32>> = BTreeMap::new();
        for (number, object) in shape.objects.iter().enumerate() {
            cells.entry((object.cell, colours[number])).or_default().push(number as u32);
        }
        cells.into_values().filter(|cell| cell.len() > 1).collect()
    }

    /// Families that are written once the model is set up; none when they cannot be told.
    fn written(&self, model: &Model) -> Option<BTreeSet<usize>> {
        let families = Families::of(model)?;
        let mut written = BTreeSet::new();
        for (number, text) in model.templates.iter().enumerate() {
            let mut late = text.clone();
            late.edges = self.set_up.edges(model, number).cloned().collect();
            for_each_written(&late, &mut |place| {
                let home = match &place.base {
                    Base::Global => Home::Globals,
                    Base::Own => Home::Locals(number),
                    Base::Other { template, .. } => Home::Locals(template.index()),
                    Base::Temporary | Base::Discard => return,
                };
                written.extend(families.number_at(home, place.offset));
            });
        }
        Some(written)
    }

    /// Marks objects by the values of a frame that nobody writes.
    fn mark_family(
        &self,
        shape: &Shape,
        state: &[u8],
        (home, start, owner, whose): (Home, u32, Option<u32>, u64),
        written: &BTreeSet<usize>,
        marks: &mut Marks,
    ) {
        let own = self.families.iter().enumerate().filter(|(_, family)| family.home == home);
        for (place, (number, family)) in own.enumerate().filter(|(_, (number, _))| !written.contains(number))
        {
            let label = mix(mix(place as u64, 42), whose);
            for (indices, offset) in family.elements() {
                let value = family.ty.read(&state[(start + offset) as usize..]);
                let held = self.roles[number].0.and_then(|sort| shape.object(sort, value));
                let mut label = mix(label, held.map_or(value as u64, |_| 43));
                let mut objects: Vec<u32> = owner.into_iter().collect();
                for (dimension, &index) in indices.iter().enumerate() {
                    let sort = self.roles[number].1[dimension];
                    match sort.and_then(|sort| shape.object(sort, i64::from(index))) {
                        Some(object) => objects.push(object),
                        None => label = mix(label, u64::from(index)),
                    }
                }
                objects.extend(held);
                marks.add(label, &objects);
            }
        }
    }
}
