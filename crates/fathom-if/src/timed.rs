//! From a model with clocks to a network of timed automata.
//!
//! A system with clocks is lowered like any other, but with notes about when time stops instead of a step of time. The
//! model that comes out has bytes, channels and templates; a network has bounded integers, clocks and processes. So: each scalar
//! becomes an integer, in the order of the bytes, so that an array stays a row; each instance of a process becomes a process; a queue
//! becomes a row for each column and a length; a step of several edges goes through committed locations. A clock becomes a
//! clock, and an integer that says whether it is active. Comparisons of clocks are taken out of conditions: each
//! alternative is an edge of its own.
//!
//! What has no counterpart is refused with a diagnostic: forked and killed processes, receivers that are computed, saved signals.

use std::collections::BTreeMap;

use fathom_model::{
    Action, Base, BinaryOp, ChannelQuery, Edge, Expr, Guard, Initializer, Model, Pattern, Place, ScalarKind,
    ScalarType, Sync, TemplateId, Type, UnaryOp,
};
use fathom_source::{Diagnostic, Span};
use fathom_timed as timed;
use fathom_timed::{ClockConstraint, ClockPlace, Network, Statement, StopRule};

use crate::lower::{ClockAt, TimeNote, Why};

/// Most clauses of one condition.
const MOST_CLAUSES: usize = 64;
/// Largest number that a clock is compared with.
const MOST_BOUND: i64 = 1 << 20;
/// Most bytes of variables.
const MOST_BYTES: u64 = 1 << 16;

/// What a model came to be in a network.
#[derive(Clone, Debug)]
pub(crate) struct Conversion {
    model: Model,
    clocks: Vec<ClockAt>,
    pub(crate) network: Network,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// By byte: the integer that starts there, in the globals and in the locals of each process.
    globals: BTreeMap<u32, usize>,
    locals: Vec<BTreeMap<u32, usize>>,
    /// Queues, and where their numbers are: in the globals, or in the locals of a process.
    queues: Vec<Queue>,
    queue_at: BTreeMap<(Option<usize>, u32), usize>,
    /// Whether each clock of the network is active.
    active: Vec<usize>,
    /// An integer that has room for 0 only.
    check: usize,
    /// The process at hand, and where it stands in the text.
    process: usize,
    pub(crate) span: Option<Span>,
    /// Whether an expression is part of a statement.
    is_update: bool,
}

#[derive(Clone, Debug)]
struct Queue {
    length: usize,
    /// The first integer of each column.
    columns: Vec<usize>,
    capacity: u32,
}

type Clause = timed::Guard;

/// Converts a model whose clocks are at some places.
pub(crate) fn convert(model: &Model, clocks: &[ClockAt], notes: &[TimeNote]) -> Conversion {
    let mut conversion = Conversion {
        model: model.clone(),
        clocks: clocks.to_vec(),
        network: Network {
            name: model.name.clone(),
            range_rule: timed::RangeRule::Fault,
            ..Network::default()
        },
        diagnostics: Vec::new(),
        globals: BTreeMap::new(),
        locals: Vec::new(),
        queues: Vec::new(),
        queue_at: BTreeMap::new(),
        active: Vec::new(),
        check: 0,
        process: 0,
        span: None,
        is_update: false,
    };
    let locals = |start: &fathom_model::Start| u64::from(model.templates[start.template.index()].locals.size);
    if u64::from(model.globals.size) + model.start.iter().map(locals).sum::<u64>() > MOST_BYTES {
        let message = format!("more than {MOST_BYTES} bytes of variables in a system with clocks");
        conversion.diagnostics.push(Diagnostic::error("if::state-too-large", message));
        return conversion;
    }
    conversion.declare();
    for process in 0..model.start.len() {
        conversion.process = process;
        conversion.automaton();
    }
    for note in notes {
        for process in conversion.instances(note.template) {
            conversion.process = process;
            conversion.time_stop(note);
        }
    }
    conversion
}

fn number(value: i64) -> timed::Expr {
    timed::Expr::Constant(value)
}

fn binary(op: timed::BinaryOp, left: timed::Expr, right: timed::Expr) -> timed::Expr {
    timed::Expr::Binary(op, Box::new(left), Box::new(right))
}

fn not(expr: timed::Expr) -> timed::Expr {
    timed::Expr::Unary(timed::UnaryOp::Not, Box::new(expr))
}

fn variable(first: usize) -> timed::Place {
    timed::Place::Variable { first, length: 1, index: None }
}

fn range_of(ty: ScalarType) -> (i32, i32) {
    match (ty.bits, ty.signed) {
        (32.., _) => (i32::MIN, i32::MAX),
        (bits, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (31, false) => (0, i32::MAX),
        (bits, false) => (0, (1 << bits) - 1),
    }
}

impl Conversion {
    fn refuse(&mut self, what: &str) {
        let message = format!("{what} are not supported in systems with clocks");
        let diagnostic = Diagnostic::error("if::unsupported-with-clocks", message);
        self.diagnostics.push(match self.span {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        });
    }

    fn instances(&self, template: TemplateId) -> Vec<usize> {
        (0..self.model.start.len()).filter(|&index| self.model.start[index].template == template).collect()
    }

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
    fn declare(&mut self) {
        self.check = self.add_variable("check".to_owned(), (0, 0), 0, true);
        for index in 0..self.clocks.len() {
            let ClockAt { name, .. } = self.clocks[index].clone();
            self.network.clocks.push(timed::Clock { name: name.clone() });
            let active = self.add_variable(format!("{name}.active"), (0, 1), 0, false);
            self.active.push(active);
        }
        let mut found = BTreeMap::new();
        for variable in self.model.globals.variables.clone() {
            self.scalars(&variable.name, &variable.ty, variable.offset, None, &mut found);
        }
        self.globals = found;
        for process in 0..self.model.start.len() {
            let template = self.model.templates[self.model.start[process].template.index()].clone();
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
        for process in 0..self.model.start.len() {
            self.process = process;
            let start = self.model.start[process].clone();
            let template = self.model.templates[start.template.index()].clone();
            for (place, value) in template.parameters.iter().zip(&start.arguments) {
                self.initialize_value(place, value);
            }
            self.initialize(&template.locals.initializers);
        }
    }

    fn name_of(&self, process: usize) -> String {
        let template = self.model.start[process].template;
        let name = &self.model.templates[template.index()].name;
        let instances = self.instances(template);
        match instances.iter().position(|&one| one == process) {
            Some(number) if instances.len() > 1 => format!("{name}[{number}]"),
            _ => name.clone(),
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
            Type::Scalar(_) if owner.is_none() && self.clock_at(offset).is_some() => {}
            Type::Scalar(ty) => {
                found.insert(offset, self.add_variable(name.to_owned(), range_of(*ty), 0, false));
            }
            Type::Array { element, length } => {
                let size = element.size(&self.model);
                for index in 0..*length {
                    let name = format!("{name}[{index}]");
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

    fn clock_at(&self, offset: u32) -> Option<usize> {
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
        if self.clock_of(place).is_some() {
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

    /// Locations and edges of the process at hand.
    fn automaton(&mut self) {
        let start = self.model.start[self.process].clone();
        let template = self.model.templates[start.template.index()].clone();
        let mut process = timed::Process { name: self.name_of(self.process), ..timed::Process::default() };
        for (number, location) in template.locations.iter().enumerate() {
            let is_inside = template.edges.iter().any(|edge| edge.atomic && edge.target.index() == number);
            let urgency = if is_inside { timed::Urgency::Committed } else { timed::Urgency::None };
            let name = location.labels.first().cloned().unwrap_or_else(|| format!("inside{number}"));
            process.locations.push(timed::Location {
                name,
                is_initial: template.initial.index() == number,
                invariant: timed::Guard::default(),
                urgency,
                labels: Vec::new(),
                span: location.span,
            });
            if location.groups.iter().filter(|group| !group.is_empty()).count() > 1 {
                self.span = location.span;
                self.refuse("killed processes");
            }
            for edge in location.groups.iter().flatten() {
                let edge = &template.edges[edge.index()];
                self.span = edge.span.or(location.span);
                let converted = self.edge(number, edge);
                process.edges.extend(converted.unwrap_or_default());
            }
        }
        self.network.processes.push(process);
    }

    fn event(&mut self, text: &str) -> usize {
        if let Some(known) = self.network.events.iter().position(|event| event == text) {
            return known;
        }
        self.network.events.push(text.to_owned());
        self.network.events.len() - 1
    }

    fn edge(&mut self, source: usize, edge: &Edge) -> Option<Vec<timed::Edge>> {
        let clauses = match &edge.guard {
            Guard::Always => vec![Clause::default()],
            Guard::When(condition) => self.clauses(condition, true)?,
            Guard::Else | Guard::Youngest => {
                self.refuse("guards that look at other transitions");
                return None;
            }
        };
        self.is_update = true;
        let done = self.effect(edge);
        self.is_update = false;
        let (conditions, update) = done?;
        let event = self.event(&edge.text);
        let (target, span) = (edge.target.index(), edge.span);
        let with = |mut guard: Clause| {
            guard.conditions.extend(conditions.iter().cloned());
            timed::Edge { source, target, event, guard, update: update.clone(), span }
        };
        Some(clauses.into_iter().map(with).collect())
    }

    /// What an edge asks of queues, and what it does.
    fn effect(&mut self, edge: &Edge) -> Option<(Vec<timed::Expr>, Vec<Statement>)> {
        let mut conditions = Vec::new();
        let mut update = Vec::new();
        match &edge.sync {
            None => {}
            Some(Sync::Send { channel, fields, sorted: false }) => {
                let Queue { length, columns, capacity } = self.queue(channel)?;
                let n_waiting = timed::Expr::Variable(length);
                conditions.push(binary(
                    timed::BinaryOp::Less,
                    n_waiting.clone(),
                    number(i64::from(capacity)),
                ));
                for (&first, field) in columns.iter().zip(fields) {
                    let index = Some(n_waiting.clone());
                    let place = timed::Place::Variable { first, length: capacity, index };
                    update.push(Statement::Assign { place, value: self.expr(field)? });
                }
                let value = binary(timed::BinaryOp::Add, n_waiting, number(1));
                update.push(Statement::Assign { place: variable(length), value });
            }
            Some(Sync::Receive { channel, patterns, anywhere: false, copy: false }) => {
                let queue = self.queue(channel)?;
                conditions.extend(self.fits(&queue, patterns)?);
                self.receive(&queue, patterns, &mut update)?;
            }
            Some(_) => {
                self.refuse("saved signals");
                return None;
            }
        }
        for action in &edge.effect {
            self.action(action, &mut update)?;
        }
        Some((conditions, update))
    }

    /// The conditions under which the front of a queue fits.
    fn fits(&mut self, queue: &Queue, patterns: &[Pattern]) -> Option<Vec<timed::Expr>> {
        let mut found =
            vec![binary(timed::BinaryOp::Greater, timed::Expr::Variable(queue.length), number(0))];
        for (&first, pattern) in queue.columns.iter().zip(patterns) {
            if let Pattern::Match(wanted) = pattern {
                found.push(binary(timed::BinaryOp::Equal, timed::Expr::Variable(first), self.expr(wanted)?));
            }
        }
        Some(found)
    }

    /// Takes the front out of a queue; what is behind it moves up.
    fn receive(&mut self, queue: &Queue, patterns: &[Pattern], update: &mut Vec<Statement>) -> Option<()> {
        for (&first, pattern) in queue.columns.iter().zip(patterns) {
            if let Pattern::Bind(place) = pattern
                && place.base != Base::Discard
            {
                let (target, index) = self.place(place)?;
                let place = self.timed_place(target, index);
                update.push(Statement::Assign { place, value: timed::Expr::Variable(first) });
            }
        }
        for &first in &queue.columns {
            for slot in 0..queue.capacity as usize {
                let is_last = slot + 1 == queue.capacity as usize;
                let value = if is_last { number(0) } else { timed::Expr::Variable(first + slot + 1) };
                update.push(Statement::Assign { place: variable(first + slot), value });
            }
        }
        let value = binary(timed::BinaryOp::Subtract, timed::Expr::Variable(queue.length), number(1));
        update.push(Statement::Assign { place: variable(queue.length), value });
        Some(())
    }

    fn action(&mut self, action: &Action, update: &mut Vec<Statement>) -> Option<()> {
        match action {
            Action::Assign(place, value) => {
                if let Some(clock) = self.clock_of(place) {
                    let is_set = !matches!(value, Expr::Const(-1));
                    let active = variable(self.active[clock]);
                    update.push(Statement::Assign { place: active, value: number(i64::from(is_set)) });
                    let value = if is_set { self.expr(value)? } else { number(0) };
                    let clock = ClockPlace::clock(clock);
                    update.push(Statement::SetClock { clock, from: None, value });
                    return Some(());
                }
                if place.base == Base::Discard {
                    return Some(());
                }
                let value = self.expr(value)?;
                let (first, index) = self.place(place)?;
                update.push(Statement::Assign { place: self.timed_place(first, index), value });
            }
            Action::Assert(condition) => {
                // There is room for 0 only: anything else is a run-time error.
                let value = not(self.expr(condition)?);
                update.push(Statement::Assign { place: variable(self.check), value });
            }
            Action::Print(_) => {}
            _ => {
                self.refuse("processes that are forked");
                return None;
            }
        }
        Some(())
    }

    /// The queue that an expression names, the same in every state.
    fn queue(&mut self, channel: &Expr) -> Option<Queue> {
        let found = match channel {
            Expr::Load(place) if place.indices.is_empty() => {
                let owner = match &place.base {
                    Base::Global => Some(None),
                    Base::Own => Some(Some(self.process)),
                    Base::Other { process: Some(process), .. } => match **process {
                        Expr::Const(pid) => usize::try_from(pid).ok().map(Some),
                        _ => None,
                    },
                    _ => None,
                };
                owner.and_then(|owner| self.queue_at.get(&(owner, place.offset)))
            }
            _ => None,
        };
        let found = found.map(|&queue| self.queues[queue].clone());
        if found.is_none() {
            self.refuse("receivers that are computed");
        }
        found
    }

    /// The first integer of a place, and which one from there on it is.
    fn place(&mut self, place: &Place) -> Option<(usize, Option<(timed::Expr, u32)>)> {
        let owner = match &place.base {
            Base::Global => None,
            Base::Own => Some(self.process),
            Base::Other { template, process: None } => self.instances(*template).first().copied(),
            Base::Other { process: Some(process), .. } => match **process {
                Expr::Const(pid) => usize::try_from(pid).ok().filter(|&pid| pid < self.locals.len()),
                _ => {
                    self.refuse("variables of processes that are computed");
                    return None;
                }
            },
            Base::Temporary | Base::Discard => {
                self.refuse("values between steps");
                return None;
            }
        };
        let map = owner.map_or(&self.globals, |owner| &self.locals[owner]);
        let &first = map.get(&place.offset)?;
        let mut index = None;
        let mut length = 1;
        for one in &place.indices {
            let map = owner.map_or(&self.globals, |owner| &self.locals[owner]);
            let n_inside = map.range(place.offset..place.offset + one.stride).count();
            length += (one.length - 1) * n_inside as u32;
            let value = timed::Expr::Within(Box::new(self.expr(&one.value)?), one.length);
            let term = binary(timed::BinaryOp::Multiply, value, number(n_inside as i64));
            index = Some(match index {
                None => term,
                Some(before) => binary(timed::BinaryOp::Add, before, term),
            });
        }
        Some((first, index.map(|index| (index, length))))
    }

    fn timed_place(&self, first: usize, index: Option<(timed::Expr, u32)>) -> timed::Place {
        match index {
            None => variable(first),
            Some((index, length)) => timed::Place::Variable { first, length, index: Some(index) },
        }
    }

    /// The clock that a place is.
    fn clock_of(&self, place: &Place) -> Option<usize> {
        if place.base != Base::Global {
            return None;
        }
        let mut offset = place.offset;
        for index in &place.indices {
            let value = match index.value {
                Expr::Const(value) => value,
                // The only index of a clock is the number of the process.
                Expr::Binary(BinaryOp::Subtract, ref left, ref right) => match (&**left, &**right) {
                    (Expr::OwnProcess, Expr::Const(first)) => self.process as i64 - first,
                    (Expr::Const(pid), Expr::Const(first)) => pid - first,
                    _ => return None,
                },
                _ => return None,
            };
            offset += u32::try_from(value).ok()? * index.stride;
        }
        self.clock_at(offset)
    }

    fn expr(&mut self, expr: &Expr) -> Option<timed::Expr> {
        Some(match expr {
            Expr::Const(value) => number(*value),
            Expr::Load(place) if place.base == Base::Discard => number(0),
            Expr::Load(place) => match self.place(place)? {
                (first, None) => timed::Expr::Variable(first),
                (first, Some((index, length))) => {
                    timed::Expr::Element { first, length, index: Box::new(index) }
                }
            },
            Expr::Unary(UnaryOp::Not, operand) => not(self.expr(operand)?),
            Expr::Unary(UnaryOp::Negate, operand) => {
                timed::Expr::Unary(timed::UnaryOp::Minus, Box::new(self.expr(operand)?))
            }
            Expr::Binary(op, left, right) => binary(operator(*op), self.expr(left)?, self.expr(right)?),
            Expr::Conditional(condition, then, otherwise) => timed::Expr::Choose(
                Box::new(self.expr(condition)?),
                Box::new(self.expr(then)?),
                Box::new(self.expr(otherwise)?),
            ),
            Expr::Channel(query, channel) => {
                let Queue { length, capacity, .. } = self.queue(channel)?;
                let (length, capacity) = (timed::Expr::Variable(length), number(i64::from(capacity)));
                match query {
                    ChannelQuery::Length => length,
                    ChannelQuery::Empty => binary(timed::BinaryOp::Equal, length, number(0)),
                    ChannelQuery::NotEmpty => binary(timed::BinaryOp::Greater, length, number(0)),
                    ChannelQuery::Full => binary(timed::BinaryOp::AtLeast, length, capacity),
                    ChannelQuery::NotFull => binary(timed::BinaryOp::Less, length, capacity),
                }
            }
            Expr::Poll { channel, patterns, anywhere: false } => {
                let queue = self.queue(channel)?;
                let fits = self.fits(&queue, patterns)?;
                fits.into_iter().reduce(|left, right| binary(timed::BinaryOp::And, left, right))?
            }
            Expr::OwnProcess => number(self.process as i64),
            Expr::ProcessCount => number(self.model.start.len() as i64),
            Expr::AtLocation { template, process, location } => {
                self.at(*template, process.as_deref(), location.index())?
            }
            _ => {
                self.refuse("saved signals and questions about processes that are forked");
                return None;
            }
        })
    }

    /// Whether a process is at a location.
    fn at(&mut self, template: TemplateId, process: Option<&Expr>, location: usize) -> Option<timed::Expr> {
        if self.is_update {
            self.refuse("statements that ask where processes are");
            return None;
        }
        let instances = self.instances(template);
        let process = match process {
            None => number(*instances.first()? as i64),
            Some(process) => self.expr(process)?,
        };
        let mut found = number(0);
        for instance in instances {
            let at = timed::Expr::At { process: instance, location };
            if process == number(instance as i64) {
                return Some(at);
            }
            let is_it = binary(timed::BinaryOp::Equal, process.clone(), number(instance as i64));
            let is_there = binary(timed::BinaryOp::And, is_it, at);
            found = binary(timed::BinaryOp::Or, found, is_there);
        }
        Some(found)
    }

    fn speaks_of_clocks(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Load(place) => self.clock_of(place).is_some(),
            Expr::Unary(_, operand) => self.speaks_of_clocks(operand),
            Expr::Binary(_, left, right) => self.speaks_of_clocks(left) || self.speaks_of_clocks(right),
            Expr::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].iter().any(|one| self.speaks_of_clocks(one))
            }
            _ => false,
        }
    }

    /// A condition on locations and integers: what a formula can see after a move.
    pub(crate) fn proposition(&mut self, expr: &Expr) -> Option<timed::Expr> {
        if self.speaks_of_clocks(expr) {
            let message = "a formula about runs cannot speak of clocks: these change while time passes";
            let diagnostic = Diagnostic::error("if::clock-in-formula", message);
            self.diagnostics.push(match self.span {
                Some(span) => diagnostic.at(span, ""),
                None => diagnostic,
            });
            return None;
        }
        self.expr(expr)
    }

    /// The alternatives under which a condition is true, or false, each a conjunction.
    pub(crate) fn clauses(&mut self, expr: &Expr, is_wanted: bool) -> Option<Vec<Clause>> {
        if !self.speaks_of_clocks(expr) {
            let condition = self.expr(expr)?;
            let condition = if is_wanted { condition } else { not(condition) };
            return Some(vec![Clause { conditions: vec![condition], clocks: Vec::new() }]);
        }
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => self.clauses(operand, !is_wanted),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let (left, right) = (self.clauses(left, is_wanted)?, self.clauses(right, is_wanted)?);
                if (*op == BinaryOp::Or) == is_wanted {
                    return Some([left, right].concat());
                }
                if left.len() * right.len() > MOST_CLAUSES {
                    self.refuse("conditions with so many alternatives of clocks");
                    return None;
                }
                let both = |one: &Clause, other: &Clause| Clause {
                    conditions: [&one.conditions[..], &other.conditions[..]].concat(),
                    clocks: [&one.clocks[..], &other.clocks[..]].concat(),
                };
                Some(left.iter().flat_map(|one| right.iter().map(move |other| both(one, other))).collect())
            }
            Expr::Binary(op, left, right) => self.comparison(*op, left, right, is_wanted),
            _ => {
                self.refuse("expressions of clocks other than comparisons");
                None
            }
        }
    }

    /// A comparison of a clock, or of the difference of two, with something else.
    fn comparison(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        is_wanted: bool,
    ) -> Option<Vec<Clause>> {
        // This is how it is said that a clock is active.
        if let (BinaryOp::GreaterEqual, Expr::Load(place), Expr::Const(0)) = (op, left, right)
            && let Some(clock) = self.clock_of(place)
        {
            let active = timed::Expr::Variable(self.active[clock]);
            let condition = if is_wanted { active } else { not(active) };
            return Some(vec![Clause { conditions: vec![condition], clocks: Vec::new() }]);
        }
        let sides = match (self.difference(left), self.difference(right)) {
            (Some(clocks), None) if !self.speaks_of_clocks(right) => Some((clocks, right, op)),
            (None, Some(clocks)) if !self.speaks_of_clocks(left) => Some((clocks, left, mirrored(op))),
            (Some((Some(one), None)), Some((Some(other), None))) => {
                Some(((Some(one), Some(other)), &Expr::Const(0), op))
            }
            _ => None,
        };
        let Some(((plus, minus), bound, op)) = sides else {
            self.refuse("expressions of clocks other than comparisons");
            return None;
        };
        let bound = self.expr(bound)?;
        let timed::Interval { least, most } = bound.interval(&self.network.ranges());
        if least < -MOST_BOUND || most > MOST_BOUND {
            let message = format!("clocks are compared with numbers up to {MOST_BOUND}");
            let diagnostic = Diagnostic::error("if::clock-bound", message);
            self.diagnostics.push(match self.span {
                Some(span) => diagnostic.at(span, "").help("give what it is compared with a smaller range"),
                None => diagnostic,
            });
            return None;
        }
        let op = if is_wanted { op } else { negated(op) };
        let place = |clock: Option<usize>| clock.map(ClockPlace::clock);
        let below = |is_strict: bool| ClockConstraint {
            left: place(plus),
            right: place(minus),
            bound: bound.clone(),
            is_strict,
        };
        let above = |is_strict: bool| ClockConstraint {
            left: place(minus),
            right: place(plus),
            bound: match &bound {
                timed::Expr::Constant(value) => number(-value),
                other => timed::Expr::Unary(timed::UnaryOp::Minus, Box::new(other.clone())),
            },
            is_strict,
        };
        // Whether single clocks are active is said beside; whether those of a difference are, is not.
        let of_difference = |expr: &Expr| matches!(expr, Expr::Binary(BinaryOp::Subtract, ..));
        let active: Vec<timed::Expr> = match of_difference(left) || of_difference(right) {
            true => [plus, minus]
                .into_iter()
                .flatten()
                .map(|one| timed::Expr::Variable(self.active[one]))
                .collect(),
            false => Vec::new(),
        };
        let inactive =
            active.iter().map(|one| Clause { conditions: vec![not(one.clone())], clocks: Vec::new() });
        let mut found: Vec<Clause> = if is_wanted { Vec::new() } else { inactive.collect() };
        let one = |clocks: Vec<ClockConstraint>| Clause { conditions: active.clone(), clocks };
        found.extend(match op {
            BinaryOp::Less => vec![one(vec![below(true)])],
            BinaryOp::LessEqual => vec![one(vec![below(false)])],
            BinaryOp::Greater => vec![one(vec![above(true)])],
            BinaryOp::GreaterEqual => vec![one(vec![above(false)])],
            BinaryOp::Equal => vec![one(vec![below(false), above(false)])],
            _ => vec![one(vec![below(true)]), one(vec![above(true)])],
        });
        Some(found)
    }

    /// `x` or `x - y` of clocks.
    fn difference(&self, expr: &Expr) -> Option<(Option<usize>, Option<usize>)> {
        let clock = |expr: &Expr| match expr {
            Expr::Load(place) => self.clock_of(place),
            _ => None,
        };
        match expr {
            Expr::Binary(BinaryOp::Subtract, left, right) => Some((Some(clock(left)?), Some(clock(right)?))),
            other => Some((Some(clock(other)?), None)),
        }
    }

    /// Where time stops for the process at hand.
    fn time_stop(&mut self, note: &TimeNote) {
        self.span = Some(note.span);
        let Some(clauses) = self.clauses(&note.condition, true) else { return };
        let rule = match note.why {
            Why::Eager | Why::Broken => StopRule::WhileTrue,
            Why::Delayable | Why::Breaks => StopRule::BeforeFalse,
        };
        if rule == StopRule::BeforeFalse
            && clauses.iter().filter(|clause| !clause.clocks.is_empty()).count() > 1
        {
            return self
                .refuse("delayable transitions, and conditions of `tpc`, with alternatives of clocks");
        }
        for guard in clauses {
            let stop =
                timed::TimeStop { process: self.process, location: note.location.index(), guard, rule };
            // Without bounds on clocks, nothing ever becomes false by waiting.
            if rule == StopRule::BeforeFalse && stop.guard.clocks.is_empty() {
                continue;
            }
            // A condition of a state need not have an end: time comes as near as it likes.
            if matches!(note.why, Why::Eager | Why::Delayable) && !stop.has_end() {
                let message = match rule {
                    StopRule::WhileTrue => "there is no first moment at which this is possible",
                    StopRule::BeforeFalse => "there is no last moment at which this is possible",
                };
                let diagnostic = Diagnostic::error("if::open-deadline", message).at(note.span, "");
                self.diagnostics.push(diagnostic.help("use `>=` and `<=` instead of `>` and `<`, or `lazy`"));
                return;
            }
            self.network.time_stops.push(stop);
        }
    }
}

fn operator(op: BinaryOp) -> timed::BinaryOp {
    match op {
        BinaryOp::Add => timed::BinaryOp::Add,
        BinaryOp::Subtract => timed::BinaryOp::Subtract,
        BinaryOp::Multiply => timed::BinaryOp::Multiply,
        BinaryOp::Divide => timed::BinaryOp::Divide,
        BinaryOp::Remainder => timed::BinaryOp::Remainder,
        BinaryOp::ShiftLeft => timed::BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight => timed::BinaryOp::ShiftRight,
        BinaryOp::BitAnd => timed::BinaryOp::BitAnd,
        BinaryOp::BitOr => timed::BinaryOp::BitOr,
        BinaryOp::BitXor => timed::BinaryOp::BitXor,
        BinaryOp::Equal => timed::BinaryOp::Equal,
        BinaryOp::NotEqual => timed::BinaryOp::NotEqual,
        BinaryOp::Less => timed::BinaryOp::Less,
        BinaryOp::LessEqual => timed::BinaryOp::AtMost,
        BinaryOp::Greater => timed::BinaryOp::Greater,
        BinaryOp::GreaterEqual => timed::BinaryOp::AtLeast,
        BinaryOp::And => timed::BinaryOp::And,
        BinaryOp::Or => timed::BinaryOp::Or,
    }
}

/// The operator when its operands change places.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

/// The operator that is true when it is false.
fn negated(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Equal => BinaryOp::NotEqual,
        other => {
            if other == BinaryOp::NotEqual {
                BinaryOp::Equal
            } else {
                other
            }
        }
    }
}
