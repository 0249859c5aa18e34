//! Integers, clocks and queues, and their first values.

use std::collections::BTreeMap;

use fathom_model::{Expr, Initializer, Place, ScalarKind, ScalarType, Type};
use fathom_timed as timed;

use super::Conversion;
use super::queues::Queue;

pub(super) fn range_of(ty: ScalarType) -> (i32, i32) {
    match (ty.bits, ty.signed) {
        (32.., _) => (i32::MIN, i32::MAX),
        (bits, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (31, false) => (0, i32::MAX),
        (bits, false) => (0, (1 << bits) - 1),
    }
}

impl Conversion {
    fn add_variable(
        &mut self,
        name: String,
        (least, most): (i32, i32),
        initial: i32,
        is_meta: bool,
    ) -> usize {
        self.network.variables.push(timed::Variable { name, least, most, initial, is_meta });
        self.network.variables.len() - 1
    }

    /// Integers, clocks and queues.
    pub(super) fn declare(&mut self) {
        self.check = self.add_variable("check".to_owned(), (0, 0), 0, true);
        let mut edges = self.model.templates.iter().flat_map(|template| &template.edges);
        if edges.any(|edge| edge.atomic) {
            let n_processes = self.instances.len() as i32;
            self.network.holder = Some(self.add_variable("inside".to_owned(), (0, n_processes), 0, false));
        }
        if let Some(most) = self.instances.iter().filter(|one| one.is_forked).map(|one| one.pid + 1).max() {
            let at_first = self.model.start.len() as i32;
            let range = (at_first, most as i32);
            self.n_processes = Some(self.add_variable("processes".to_owned(), range, at_first, false));
        }
        for index in 0..self.clocks.len() {
            let name = self.name_of_clock(index);
            self.network.clocks.push(timed::Clock { name: name.clone() });
            let active = self.add_variable(format!("{name}.active"), (0, 1), 0, false);
            self.active.push(active);
        }
        let mut found = BTreeMap::new();
        for variable in self.model.globals.variables.clone() {
            self.scalars(&variable.name, &variable.ty, variable.offset, None, &mut found);
        }
        self.globals = found;
        for process in 0..self.instances.len() {
            let template = self.model.templates[self.instances[process].template.index()].clone();
            let name = self.name_of(process);
            let mut found = BTreeMap::new();
            for variable in &template.locals.variables {
                let name = format!("{name}.{}", variable.name);
                self.scalars(&name, &variable.ty, variable.offset, Some(process), &mut found);
            }
            self.locals.push(found);
        }
        let globals = self.model.globals.initializers.clone();
        self.initialize(&globals);
        for process in 0..self.instances.len() {
            self.process = process;
            let template = self.model.templates[self.instances[process].template.index()].clone();
            if let Some(start) = self.model.start.get(process).cloned() {
                for (place, value) in template.parameters.iter().zip(&start.arguments) {
                    self.initialize_value(place, value);
                }
            }
            self.initialize(&template.locals.initializers);
        }
    }

    fn name_of_clock(&self, index: usize) -> String {
        let clock = &self.clocks[index];
        let Some((template, pid)) = clock.owner else { return clock.name.clone() };
        let instances = self.instances_of(template);
        let number = instances.iter().position(|&one| self.instances[one].pid == i64::from(pid));
        match number {
            Some(number) if instances.len() > 1 => format!("{}[{number}]", clock.name),
            _ => clock.name.clone(),
        }
    }

    /// Adds the scalars of a variable, in the order of their bytes.
    fn scalars(
        &mut self,
        name: &str,
        ty: &Type,
        offset: u32,
        owner: Option<usize>,
        found: &mut BTreeMap<u32, usize>,
    ) {
        match ty {
            Type::Scalar(ty) if ty.kind == ScalarKind::Channel => {
                let queue = self.add_queue(name);
                self.queue_at.insert((owner, offset), queue);
            }
            Type::Scalar(_) if owner.is_none() && self.is_clock_at(offset) => {}
            Type::Scalar(ty) => {
                found.insert(offset, self.add_variable(name.to_owned(), range_of(*ty), 0, false));
            }
            Type::Array { element, length, first } => {
                let size = element.size(&self.model);
                for index in 0..*length {
                    let name = format!("{name}[{}]", first + i64::from(index));
                    self.scalars(&name, element, offset + index * size, owner, found);
                }
            }
            Type::Record(record) => {
                for field in self.model.records[record.index()].fields.clone() {
                    let name = format!("{name}.{}", field.name);
                    self.scalars(&name, &field.ty, offset + field.offset, owner, found);
                }
            }
        }
    }

    fn is_clock_at(&self, offset: u32) -> bool {
        self.no_clocks.contains(&offset) || self.clock_at(offset).is_some()
    }

    pub(super) fn clock_at(&self, offset: u32) -> Option<usize> {
        self.clocks.iter().position(|clock| clock.offset == offset)
    }

    /// All queues have the same type.
    fn add_queue(&mut self, name: &str) -> usize {
        let Some(ty) = self.model.channel_types.first().cloned() else { return 0 };
        let length = self.add_variable(format!("{name}.length"), (0, ty.capacity as i32), 0, false);
        let mut columns = Vec::new();
        for (column, field) in ty.fields.iter().enumerate() {
            columns.push(self.network.variables.len());
            for slot in 0..ty.capacity {
                self.add_variable(format!("{name}.{column}[{slot}]"), range_of(*field), 0, false);
            }
        }
        self.queues.push(Queue { length, columns, capacity: ty.capacity });
        self.queues.len() - 1
    }

    fn initialize(&mut self, initializers: &[Initializer]) {
        for initializer in initializers {
            if let Initializer::Value { place, value } = initializer {
                self.initialize_value(place, value);
            }
        }
    }

    fn initialize_value(&mut self, place: &Place, value: &Expr) {
        if self.is_clock(place) {
            return;
        }
        let (Some(value), Some((first, None))) = (self.expr(value), self.place(place)) else { return };
        let values: Vec<i32> = self.network.variables.iter().map(|variable| variable.initial).collect();
        let environment = timed::Environment { values: &values, locals: &[], locations: &[], labels: &[] };
        let computed = value.evaluate(&environment).ok().and_then(|value| i32::try_from(value).ok());
        if let Some(computed) = computed {
            self.network.variables[first].initial = computed;
        }
    }

    /// Whether a place is that of a clock, of a process that is there or not.
    fn is_clock(&self, place: &Place) -> bool {
        self.clock_of(place).is_some()
            || (place.base == fathom_model::Base::Global && self.no_clocks.contains(&place.offset))
    }
}
