//! What an edge of an abstraction does: assignments, created and ended processes.
//!
//! A value that is kept must be one value, so an assignment of several is a choice; a dropped cell takes them all and
//! knows them until the end of the step.

use fathom_model::layout::RecordKind;
use fathom_model::{Action, Edge, Initializer, Place, TemplateId};

use super::machine::{End, GiveUp, Machine, Treatment};
use super::shape::Content;
use super::values::Values;

impl<'m> Machine<'m> {
    /// The effect of an edge, and the arrival at its target.
    pub(super) fn act(&mut self, process: usize, edge: &'m Edge) -> Result<(), End> {
        for action in &edge.effect {
            match action {
                Action::Assign(place, expr) => {
                    let values = self.value(expr, Some(process)).ok_or(End::Nowhere)?;
                    self.store(place, process, &values)?;
                }
                Action::Choose { place, .. } => {
                    self.store(place, process, &Values::Any.stored_as(place.ty))?
                }
                Action::Require(expr) => {
                    if !self.value(expr, Some(process)).is_some_and(|truth| truth.may_be_true()) {
                        return Err(End::Nowhere);
                    }
                }
                Action::Assert(expr) => {
                    self.may_fail |= self.value(expr, Some(process)).is_none_or(|truth| truth.may_be_false());
                }
                Action::Create { template, arguments, .. } => self.create(process, *template, arguments)?,
                Action::End => {
                    self.remove_youngest();
                    return Ok(());
                }
                Action::SetPriority { .. } | Action::Print(_) => {}
            }
        }
        let location = self.shape.locations[process] as usize;
        self.assign(location, &Values::One(i64::from(edge.target.0)))
    }

    pub(super) fn create(
        &mut self,
        process: usize,
        template: TemplateId,
        arguments: &[fathom_model::Expr],
    ) -> Result<(), End> {
        let values = |expr| self.value(expr, Some(process)).ok_or(End::Nowhere);
        let arguments: Vec<Values> = arguments.iter().map(values).collect::<Result<_, _>>()?;
        let number = self.shape.n_processes(self.work.n_records);
        self.append(RecordKind::Process(template))?;
        let body = self.model.template(template);
        let location = self.shape.locations[number] as usize;
        self.assign(location, &Values::One(i64::from(body.initial.0)))?;
        for (parameter, values) in body.parameters.iter().zip(&arguments) {
            self.store(parameter, number, values)?;
        }
        for initializer in &body.locals.initializers {
            match initializer {
                Initializer::Value { place, value } => {
                    let values = self.value(value, Some(number)).ok_or(End::Nowhere)?;
                    self.store(place, number, &values)?;
                }
                Initializer::Channel { place, channel_type } => {
                    self.append(RecordKind::Channel(*channel_type))?;
                    let channel = self.shape.n_channels(self.work.n_records) as i64;
                    self.store(place, number, &Values::One(channel))?;
                }
            }
        }
        self.created = number as i64;
        Ok(())
    }

    /// Adds a record: all zero, and known to be so for the rest of the step.
    pub(super) fn append(&mut self, kind: RecordKind) -> Result<(), End> {
        let index = self.work.n_records;
        if self.shape.records.get(index).is_none_or(|record| record.kind != kind) {
            return Err(GiveUp("processes or channels are created in more than one order").into());
        }
        self.work.n_records += 1;
        for cell in 0..self.shape.cells.len() {
            if self.shape.cells[cell].record == Some(index) {
                self.assign(cell, &Values::One(0))?;
            }
        }
        Ok(())
    }

    pub(super) fn remove_youngest(&mut self) {
        let n_processes = self.shape.n_processes(self.work.n_records);
        let Some(youngest) = n_processes.checked_sub(1) else { return };
        self.work.n_records = self.shape.processes[youngest];
        let n_records = self.work.n_records;
        let is_gone = |cell: usize| self.shape.cells[cell].record.is_some_and(|record| record >= n_records);
        for cell in 0..self.shape.cells.len() {
            if is_gone(cell) {
                self.work.values[cell] = 0;
            }
        }
        self.work.overlay.retain(|(cell, _)| !is_gone(*cell));
    }

    /// Writes to a place.
    pub(super) fn store(&mut self, place: &Place, process: usize, values: &Values) -> Result<(), End> {
        let Some(cells) = self.cells_of(place, Some(process)) else { return Err(End::Nowhere) };
        let Some(cells) = cells else {
            return Err(GiveUp("an assignment to a place that may be anywhere").into());
        };
        match cells.as_slice() {
            [] => Ok(()),
            [cell] => self.assign(*cell, values),
            several => {
                let known: Vec<usize> = several
                    .iter()
                    .copied()
                    .filter(|&cell| self.treatments[cell] != Treatment::Dropped)
                    .collect();
                let has_dropped = known.len() < several.len();
                let choice = match known.is_empty() {
                    true => 0,
                    false => self.chooser.choose(known.len() + usize::from(has_dropped)),
                };
                if let Some(&cell) = known.get(choice) {
                    return self.assign(cell, values);
                }
                for &cell in several {
                    if self.treatments[cell] != Treatment::Dropped {
                        continue;
                    }
                    let before = self.read(cell);
                    let after = before.union(&self.stored(cell, values));
                    self.assign(cell, &after)?;
                }
                Ok(())
            }
        }
    }

    pub(super) fn stored(&self, cell: usize, values: &Values) -> Values {
        match self.shape.cells[cell].content {
            Content::Scalar(ty) => values.stored_as(ty).map(|value| i64::from(value as i32)),
            Content::Location(..) | Content::Length(_) => values.clone(),
        }
    }

    /// Writes to a cell. Where the values are in several classes, one of them is chosen.
    pub(super) fn assign_known(&mut self, cell: usize, value: i64) -> Result<(), GiveUp> {
        match self.assign(cell, &Values::One(value)) {
            Ok(()) | Err(End::Nowhere) => Ok(()),
            Err(End::GiveUp(reason)) => Err(reason),
        }
    }

    pub(super) fn assign(&mut self, cell: usize, values: &Values) -> Result<(), End> {
        let values = self.stored(cell, values);
        if self.is_collecting {
            let set = &mut self.sets[self.shape.cells[cell].family as usize];
            let is_known = values
                .list()
                .map_or(*set == Values::Any, |list| list.iter().all(|&value| set.contains(value)));
            if !is_known {
                *set = set.union(&values);
                self.has_grown = true;
            }
        }
        self.work.overlay.retain(|(of, _)| *of != cell);
        match &self.treatments[cell] {
            Treatment::Dropped => self.work.overlay.push((cell, values)),
            Treatment::Exact => {
                let values = match values {
                    Values::Any => self.sets[self.shape.cells[cell].family as usize].clone(),
                    values => values,
                };
                self.work.values[cell] = self.pick(&values)?;
            }
            Treatment::Grouped(classes) => {
                let possible: Vec<&Values> = classes.iter().filter(|class| class.meets(&values)).collect();
                let Some(&class) = possible.get(self.chooser.choose(possible.len())) else {
                    return Err(End::Nowhere);
                };
                let both: Vec<i64> = class
                    .list()
                    .unwrap_or_default()
                    .iter()
                    .copied()
                    .filter(|&value| values.contains(value))
                    .collect();
                self.work.values[cell] = class.list().and_then(|list| list.first().copied()).unwrap_or(0);
                self.work.overlay.extend(Values::of(both).map(|both| (cell, both)));
            }
        }
        Ok(())
    }
}
