//! What an edge does to a set of states: as in `effect.rs` of the reference interpreter.

use fathom_diagram::{Diagram, NoRoom};
use fathom_model::layout::RecordKind;
use fathom_model::{Action, Base, Edge, Expr, Fault, Initializer, Place, TemplateId};

use crate::machine::{Live, Machine, View};
use crate::number::{Number, WIDEST};
use crate::partition::bits_for;
use crate::path::Path;
use crate::shape::{MOST_RECORDS, cells_of, n_locations};

/// Faults with the values at the start that lead to them.
pub(crate) type Faults = Vec<(Fault, Diagram)>;

/// A path in the middle of an effect.
struct Acting {
    path: Path,
    created: i64,
    has_ended: bool,
}

impl Machine<'_> {
    /// Evaluates an expression on a path; the path loses what runs into a fault. None when nothing is left.
    pub fn evaluate(
        &mut self,
        view: &View,
        path: Path,
        expr: &Expr,
        faults: &mut Faults,
    ) -> Result<Option<(Path, Number)>, NoRoom> {
        self.evaluate_low(view, path, expr, WIDEST, faults)
    }

    /// The same for somebody who looks at so many low bits only.
    fn evaluate_low(
        &mut self,
        view: &View,
        path: Path,
        expr: &Expr,
        n_bits: usize,
        faults: &mut Faults,
    ) -> Result<Option<(Path, Number)>, NoRoom> {
        let mut live = Live::new(&path.condition);
        let value = self.low_bits(view, &path, expr, n_bits, &mut live)?;
        faults.append(&mut live.faults);
        let is_left = !live.condition.is_false();
        Ok(is_left.then(|| (Path { condition: live.condition, ..path }, value)))
    }

    /// Stores a value in a place.
    pub fn store(
        &mut self,
        view: &View,
        path: Path,
        place: &Place,
        value: Number,
        faults: &mut Faults,
    ) -> Result<Vec<Path>, NoRoom> {
        if place.base == Base::Temporary {
            let mut path = path;
            let bits = self.arithmetic.stored_bits(value, usize::from(place.ty.bits));
            path.set_temporary(place.offset, self.arithmetic.load(place.ty, bits));
            return Ok(vec![path]);
        }
        if let Some(address) = self.fixed_address(view, &path, place) {
            return self.store_here(path, address, place.ty, value);
        }
        let mut live = Live::new(&path.condition);
        let addresses = self.addresses(view, &path, place, &mut live)?;
        faults.append(&mut live.faults);
        let mut paths = Vec::new();
        let mut choices = Vec::new();
        for (condition, address) in addresses {
            match address {
                Some(address) => choices.push((condition, address)),
                None => paths.extend(path.under(&condition)?),
            }
        }
        let mut somewhere = self.arithmetic.no.clone();
        for (condition, _) in &choices {
            somewhere = somewhere.or(condition)?;
        }
        if let Some(path) = path.into_under(&somewhere)? {
            paths.extend(self.store_at(path, &choices, place.ty, &value)?);
        }
        Ok(paths)
    }

    /// Runs the effect of an edge and moves the process to the target. What the effect refuses is in no path and no fault.
    pub fn act_and_arrive(
        &mut self,
        view: &View,
        path: Path,
        edge: &Edge,
        faults: &mut Faults,
    ) -> Result<Vec<Path>, NoRoom> {
        let acted = self.apply(view, path, &edge.effect, faults)?;
        let own = view.own.unwrap_or_default();
        let mut arrived = Vec::with_capacity(acted.len());
        for Acting { mut path, has_ended, .. } in acted {
            if !has_ended {
                self.set_location(&mut path, own, edge.target.0)?;
            }
            arrived.push(path);
        }
        Ok(arrived)
    }

    /// Whether an effect would be refused: the condition under which it is not.
    pub fn is_accepted(
        &mut self,
        view: &View,
        path: &Path,
        actions: &[Action],
        live: &mut Live,
    ) -> Result<Diagram, NoRoom> {
        let mut faults = Faults::new();
        let Some(path) = path.under(&live.condition)? else { return Ok(self.arithmetic.no.clone()) };
        let kept = path.choices.clone();
        let acted = self.apply(view, path, actions, &mut faults)?;
        for (fault, condition) in self.settle_all(faults, &kept)? {
            live.fault(fault, &condition)?;
        }
        let accepted = acted
            .iter()
            .try_fold(self.arithmetic.no.clone(), |all, acting| all.or(&acting.path.condition))?;
        self.settle(&accepted, &kept)
    }

    fn set_location(&mut self, path: &mut Path, process: u32, location: u32) -> Result<(), NoRoom> {
        let record = path.shape.processes[process as usize];
        let layout = self.layout.processes[record.template.index()];
        let n_bits = bits_for(n_locations(self.model, record.template));
        self.write_unsigned(path, record.offset + layout.location, layout.location_width, n_bits, location)
    }

    fn apply(
        &mut self,
        view: &View,
        path: Path,
        actions: &[Action],
        faults: &mut Faults,
    ) -> Result<Vec<Acting>, NoRoom> {
        let mut path = path;
        path.temporaries.clear();
        let mut under_way = vec![Acting { path, created: view.created, has_ended: false }];
        for action in actions {
            let mut next = Vec::with_capacity(under_way.len());
            for acting in under_way {
                match acting.has_ended {
                    true => next.push(acting),
                    false => self.act(view, acting, action, &mut next, faults)?,
                }
            }
            under_way = next;
        }
        under_way.iter_mut().for_each(|acting| acting.path.temporaries.clear());
        Ok(under_way)
    }

    /// Runs an effect that nobody does.
    pub fn act_alone(
        &mut self,
        path: Path,
        actions: &[Action],
        faults: &mut Faults,
    ) -> Result<Vec<Path>, NoRoom> {
        Ok(self.apply(&View::NOBODY, path, actions, faults)?.into_iter().map(|acting| acting.path).collect())
    }

    fn act(
        &mut self,
        view: &View,
        acting: Acting,
        action: &Action,
        next: &mut Vec<Acting>,
        faults: &mut Faults,
    ) -> Result<(), NoRoom> {
        let Acting { mut path, created, .. } = acting;
        let view = &View { created, ..*view };
        let go_on = |path: Path| Acting { path, created, has_ended: false };
        match action {
            Action::Assign(place, value) => {
                let n_bits = usize::from(place.ty.bits);
                if let Some((path, value)) = self.evaluate_low(view, path, value, n_bits, faults)? {
                    next.extend(self.store(view, path, place, value, faults)?.into_iter().map(go_on));
                }
            }
            Action::Choose { place, least, most } => {
                let chosen = self.choose_value(view, path, place, (*least, *most), faults)?;
                next.extend(chosen.into_iter().map(go_on));
            }
            Action::Create { template, arguments, priority } => {
                let number = path.shape.processes.len();
                let created = self.create(view, path, *template, arguments, *priority, faults)?;
                next.extend(created.into_iter().map(|path| Acting {
                    path,
                    created: number as i64,
                    has_ended: false,
                }));
            }
            Action::Require(condition) => {
                if let Some((path, value)) = self.evaluate(view, path, condition, faults)? {
                    let holds = self.arithmetic.nonzero(&value)?;
                    next.extend(path.into_under(&holds)?.map(go_on));
                }
            }
            Action::Assert(condition) => {
                if let Some((mut path, value)) = self.evaluate(view, path, condition, faults)? {
                    let fails = path.condition.minus(&self.arithmetic.nonzero(&value)?)?;
                    path.assertion = path.assertion.or(&fails)?;
                    next.push(go_on(path));
                }
            }
            Action::SetPriority { process, priority } => {
                next.extend(self.set_priority(view, path, process, priority, faults)?.into_iter().map(go_on));
            }
            Action::Print(_) => next.push(go_on(path)),
            Action::End => {
                path.shape.remove_youngest();
                let n_bytes = path.shape.bytes.len();
                path.forget_from(n_bytes);
                next.push(Acting { path, created, has_ended: true });
            }
        }
        Ok(())
    }

    /// Creates a process: record, arguments, then its own initialisers.
    pub fn create(
        &mut self,
        view: &View,
        path: Path,
        template: TemplateId,
        arguments: &[Expr],
        priority: u8,
        faults: &mut Faults,
    ) -> Result<Vec<Path>, NoRoom> {
        if path.shape.processes.len() >= MOST_RECORDS {
            faults.push((Fault::TooManyProcesses, path.condition));
            return Ok(Vec::new());
        }
        let mut path = path;
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let Some((rest, value)) = self.evaluate(view, path, argument, faults)? else {
                return Ok(Vec::new());
            };
            path = rest;
            values.push(value);
        }
        let number = path.shape.processes.len() as u32;
        self.append(&mut path, RecordKind::Process(template))?;
        let declared = self.model.template(template);
        self.set_location(&mut path, number, declared.initial.0)?;
        let record = path.shape.processes[number as usize];
        path.shape.set_priority(self.layout, record, priority);
        let view = view.by(number);
        let mut paths = vec![path];
        for (parameter, value) in declared.parameters.iter().zip(&values) {
            let mut next = Vec::with_capacity(paths.len());
            for path in paths {
                next.extend(self.store(&view, path, parameter, value.clone(), faults)?);
            }
            paths = next;
        }
        self.initialize(&view, paths, &declared.locals.initializers, faults)
    }

    /// Appends a record; its symbolic bits are false.
    fn append(&mut self, path: &mut Path, kind: RecordKind) -> Result<(), NoRoom> {
        let offset = path.shape.append_record(self.layout, self.cells, kind);
        for bit in &cells_of(self.cells, kind).bits {
            let no = self.arithmetic.no.clone();
            self.set_bit(path, offset * 8 + bit, no)?;
        }
        Ok(())
    }

    /// Gives the variables of a frame their first values.
    pub fn initialize(
        &mut self,
        view: &View,
        mut paths: Vec<Path>,
        initializers: &[Initializer],
        faults: &mut Faults,
    ) -> Result<Vec<Path>, NoRoom> {
        for initializer in initializers {
            let mut next = Vec::with_capacity(paths.len());
            for mut path in paths {
                match initializer {
                    Initializer::Value { place, value } => {
                        if let Some((path, value)) = self.evaluate(view, path, value, faults)? {
                            next.extend(self.store(view, path, place, value, faults)?);
                        }
                    }
                    Initializer::Channel { .. } if path.shape.channels.len() >= MOST_RECORDS => {
                        faults.push((Fault::TooManyChannels, path.condition));
                    }
                    Initializer::Channel { place, channel_type } => {
                        self.append(&mut path, RecordKind::Channel(*channel_type))?;
                        let number = Number::Known(path.shape.channels.len() as i64);
                        next.extend(self.store(view, path, place, number, faults)?);
                    }
                }
            }
            paths = next;
        }
        Ok(paths)
    }

    /// Sets the priority of a process: explicit, so the path is split by process and priority.
    fn set_priority(
        &mut self,
        view: &View,
        path: Path,
        process: &Expr,
        priority: &Expr,
        faults: &mut Faults,
    ) -> Result<Vec<Path>, NoRoom> {
        let Some((path, process)) = self.evaluate(view, path, process, faults)? else {
            return Ok(Vec::new());
        };
        let Some((path, priority)) = self.evaluate(view, path, priority, faults)? else {
            return Ok(Vec::new());
        };
        let live = Live::new(&path.condition);
        let (processes, nobody) = self.cases(&process, path.shape.processes.len(), &live)?;
        let mut paths: Vec<Path> = path.under(&nobody)?.into_iter().collect();
        for (condition, process) in processes {
            let mut live = Live::new(&condition);
            let (priorities, outside) = self.cases(&priority, 256, &live)?;
            if !outside.is_false() {
                let example = self.example(&priority, &outside);
                live.fault(Fault::PriorityOutOfRange { priority: example }, &outside)?;
            }
            for (condition, priority) in priorities {
                if priority == 0 {
                    live.fault(Fault::PriorityOutOfRange { priority: 0 }, &condition)?;
                    continue;
                }
                let mut one = Path { condition, ..path.clone() };
                let record = one.shape.processes[process];
                one.shape.set_priority(self.layout, record, priority as u8);
                paths.push(one);
            }
            faults.append(&mut live.faults);
        }
        Ok(paths)
    }
}
