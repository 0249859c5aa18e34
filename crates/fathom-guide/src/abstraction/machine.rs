//! The steps of an abstraction: what a model may do where only some cells are known.
//!
//! This is the reference interpreter with sets in place of values. Every step of the model is one here, between the
//! abstractions of its states (there are more: the abstraction overestimates), and a whole indivisible sequence is one
//! step, so that distances are counted alike. Where something is not known, every possibility is tried: the machine
//! runs again and again with another script of choices until there is none left ([`Chooser`]). Values that a
//! step has computed itself are known until its end, also those of cells that are dropped.
//!
//! **Invariant:** whatever is not understood is either taken as possible, or ends the abstraction ([`GiveUp`]).

use fathom_model::layout::RecordKind;
use fathom_model::{
    Action, ChannelTypeId, Edge, Guard, Initializer, LocationId, Model, Pattern, Place, Sync, Template,
    TemplateId,
};

use super::shape::{Content, Shape};
use super::values::Values;

/// Most edges in one step, and most ways to make the steps of one state.
const MOST_EDGES: usize = 4096;
const MOST_WAYS: usize = 1 << 13;

/// How a cell is treated.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Treatment {
    /// Nothing is known of it but the values that it ever has.
    Dropped,
    /// Its value is known.
    Exact,
    /// Which of these classes its value is in is known; the first value of a class stands for it.
    Grouped(Vec<Values>),
}

/// The abstraction of a state, at rest or in the middle of a step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Abstract {
    pub n_records: usize,
    /// By cell: the value, or that which stands for it; 0 where it is dropped or does not exist.
    pub values: Vec<i64>,
    /// What this step knows beyond that.
    pub overlay: Vec<(usize, Values)>,
}

/// Why there is no abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GiveUp(pub &'static str);

/// The end of a way that leads nowhere, or of everything.
#[derive(Debug)]
enum End {
    Nowhere,
    GiveUp(GiveUp),
}

impl From<GiveUp> for End {
    fn from(reason: GiveUp) -> End {
        End::GiveUp(reason)
    }
}

/// Whether an edge can be taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Chance {
    No,
    Maybe,
    Sure,
}

impl Chance {
    fn of(truth: &Values) -> Chance {
        match (truth.may_be_true(), truth.may_be_false()) {
            (false, _) => Chance::No,
            (true, true) => Chance::Maybe,
            (true, false) => Chance::Sure,
        }
    }
}

/// The choices of one way.
#[derive(Clone, Debug, Default)]
struct Chooser {
    script: Vec<(u32, u32)>,
    at: usize,
}

impl Chooser {
    fn choose(&mut self, among: usize) -> usize {
        if among <= 1 {
            return 0;
        }
        if self.at == self.script.len() {
            self.script.push((0, among as u32));
        }
        self.at += 1;
        self.script[self.at - 1].0 as usize
    }

    /// Goes on to the next way; false when there is none.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((choice, among)) = self.script.last_mut() {
            if *choice + 1 < *among {
                *choice += 1;
                return true;
            }
            self.script.pop();
        }
        false
    }
}

/// Makes the steps of an abstraction.
#[derive(Clone, Debug)]
pub(crate) struct Machine<'m> {
    pub model: &'m Model,
    pub shape: Shape,
    /// By family of cells: every value that they ever have.
    pub sets: Vec<Values>,
    /// By cell.
    pub treatments: Vec<Treatment>,
    /// Whether the sets are still being collected.
    pub is_collecting: bool,
    /// Whether a set has grown.
    pub has_grown: bool,
    /// Ways that were tried so far: what the work is counted in.
    pub n_ways: usize,
    /// Whether an assertion may fail in the steps made last.
    pub may_fail: bool,
    chooser: Chooser,
    pub(super) work: Abstract,
    n_edges: usize,
    pub(super) created: i64,
}

impl<'m> Machine<'m> {
    /// A machine that knows nothing but what is in the sets.
    pub fn new(model: &'m Model, shape: Shape, sets: Vec<Values>) -> Machine<'m> {
        let treatments = vec![Treatment::Dropped; shape.cells.len()];
        Machine {
            model,
            shape,
            sets,
            treatments,
            is_collecting: false,
            has_grown: false,
            n_ways: 0,
            may_fail: false,
            chooser: Chooser::default(),
            work: Abstract::default(),
            n_edges: 0,
            created: 0,
        }
    }

    /// The abstraction of a state; none when it has another shape.
    pub fn abstraction(&self, state: &[u8]) -> Option<Abstract> {
        let n_records = self.shape.n_records(state)?;
        let value = |cell: usize| {
            let exists = self.shape.cells[cell].record.is_none_or(|record| record < n_records);
            if exists { self.standing_for(cell, self.shape.read(cell, state)) } else { 0 }
        };
        let values = (0..self.shape.cells.len()).map(value).collect();
        Some(Abstract { n_records, values, overlay: Vec::new() })
    }

    /// The value that stands for a value of a cell.
    fn standing_for(&self, cell: usize, value: i64) -> i64 {
        match &self.treatments[cell] {
            Treatment::Dropped => 0,
            Treatment::Exact => value,
            Treatment::Grouped(classes) => {
                let class = classes.iter().find(|class| class.contains(value));
                class.and_then(|class| class.list()?.first().copied()).unwrap_or(value)
            }
        }
    }

    /// What a cell may hold.
    pub(super) fn read(&self, cell: usize) -> Values {
        if let Some((_, values)) = self.work.overlay.iter().rev().find(|(of, _)| *of == cell) {
            return values.clone();
        }
        let value = self.work.values[cell];
        match &self.treatments[cell] {
            Treatment::Dropped => self.sets[self.shape.cells[cell].family as usize].clone(),
            Treatment::Exact => Values::One(value),
            Treatment::Grouped(classes) => {
                classes.iter().find(|class| class.contains(value)).cloned().unwrap_or(Values::One(value))
            }
        }
    }

    /// Whether an expression may have a truth value in a state at rest.
    pub fn may_be(&mut self, state: &Abstract, expr: &fathom_model::Expr, truth: bool) -> bool {
        self.work.clone_from(state);
        // A fault is neither, but the step that looks at it ends: as good as possible.
        self.value(expr, None).is_none_or(|values| values.may_be(truth))
    }

    /// Whether some process of a template may be at one of these locations.
    pub fn may_be_at(&mut self, state: &Abstract, template: TemplateId, locations: &[LocationId]) -> bool {
        self.work.clone_from(state);
        (0..self.shape.n_processes(state.n_records)).any(|process| {
            self.shape.process(process, state.n_records) == Some(template) && {
                let at = self.read(self.shape.locations[process] as usize);
                locations.iter().any(|location| at.contains(i64::from(location.0)))
            }
        })
    }

    /// Hands over every state that some step may lead to, some more than once.
    pub fn steps(&mut self, from: &Abstract, out: &mut dyn FnMut(&Abstract)) -> Result<(), GiveUp> {
        self.may_fail = false;
        let mut n_ways = 0;
        self.n_edges = 0;
        self.work.clone_from(from);
        for process in 0..self.shape.n_processes(from.n_records) {
            for location in self.resting_places(process) {
                let template = self.template(process);
                let edges: Vec<&'m Edge> = edges_of(template, location).collect();
                for (number, edge) in edges.iter().enumerate() {
                    if !self.is_provided(process) || self.chance_at(process, &edges, number) == Chance::No {
                        continue;
                    }
                    loop {
                        n_ways += 1;
                        self.n_ways += 1;
                        if n_ways > MOST_WAYS {
                            return Err(GiveUp("too many ways to go on from one state"));
                        }
                        match self.run(process, edge) {
                            Ok(()) => {
                                self.work.overlay.clear();
                                out(&self.work);
                            }
                            Err(End::Nowhere) => {}
                            Err(End::GiveUp(reason)) => return Err(reason),
                        }
                        self.work.clone_from(from);
                        self.n_edges = 0;
                        if !self.chooser.advance() {
                            break;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn template(&self, process: usize) -> &'m Template {
        let template = self.shape.process(process, self.work.n_records).expect("the process exists");
        self.model.template(template)
    }

    /// Where a process may be between two steps.
    fn resting_places(&self, process: usize) -> Vec<LocationId> {
        let template = self.template(process);
        let all = || (0..template.locations.len()).map(LocationId::from);
        let at = self.read(self.shape.locations[process] as usize);
        if let Values::One(at) = at {
            return vec![LocationId(at as u32)];
        }
        all()
            .filter(|&at_one| at.contains(i64::from(at_one.0)) && !template.location(at_one).deterministic)
            .collect()
    }

    fn is_provided(&self, process: usize) -> bool {
        let provided = self.template(process).provided.as_ref();
        provided.is_none_or(|expr| self.value(expr, Some(process)).is_none_or(|truth| truth.may_be_true()))
    }

    /// Takes an edge and everything that belongs to the same step.
    fn run(&mut self, process: usize, edge: &'m Edge) -> Result<(), End> {
        let (mut process, mut edge) = self.take(process, edge)?;
        loop {
            self.n_edges += 1;
            if self.n_edges > MOST_EDGES {
                return Err(GiveUp("an indivisible sequence that may be very long").into());
            }
            if process >= self.shape.n_processes(self.work.n_records) {
                return Ok(());
            }
            let template = self.template(process);
            let inside = template.location(edge.target).deterministic;
            if !(edge.atomic || inside) {
                return Ok(());
            }
            let edges: Vec<&'m Edge> = edges_of(template, edge.target).collect();
            let mut possible = Vec::new();
            let mut is_sure = false;
            for (number, &next) in edges.iter().enumerate() {
                match self.chance_at(process, &edges, number) {
                    Chance::No => {}
                    Chance::Maybe => possible.push(next),
                    Chance::Sure => {
                        possible.push(next);
                        is_sure = true;
                        if inside {
                            break;
                        }
                    }
                }
            }
            // Where it may block, the step may end; a block of deterministic locations may not.
            let may_end = !is_sure && !inside;
            if possible.is_empty() && !may_end {
                return Err(End::Nowhere);
            }
            let choice = self.chooser.choose(possible.len() + usize::from(may_end));
            let Some(&next) = possible.get(choice) else { return Ok(()) };
            (process, edge) = self.take(process, next)?;
        }
    }

    /// The chance of one of the edges that leave a location; `else` depends on those before it.
    fn chance_at(&self, process: usize, edges: &[&Edge], number: usize) -> Chance {
        if edges[number].guard != Guard::Else {
            return self.chance(process, edges[number]);
        }
        let before = edges[..number].iter().filter(|edge| edge.guard != Guard::Else);
        match before.map(|edge| self.chance(process, edge)).max() {
            Some(Chance::Sure) => Chance::No,
            Some(Chance::Maybe) => Chance::Maybe,
            Some(Chance::No) | None => self.chance_of_sync(process, edges[number]),
        }
    }

    fn chance(&self, process: usize, edge: &Edge) -> Chance {
        let guard = match &edge.guard {
            Guard::Always | Guard::Else => Chance::Sure,
            Guard::When(expr) => {
                self.value(expr, Some(process)).map_or(Chance::No, |truth| Chance::of(&truth))
            }
            Guard::Youngest if process + 1 == self.shape.n_processes(self.work.n_records) => Chance::Sure,
            Guard::Youngest => Chance::No,
        };
        let may_refuse = edge.effect.iter().any(|action| matches!(action, Action::Require(_)));
        let effect = if may_refuse { Chance::Maybe } else { Chance::Sure };
        if guard == Chance::No { guard } else { guard.min(effect).min(self.chance_of_sync(process, edge)) }
    }

    fn chance_of_sync(&self, process: usize, edge: &Edge) -> Chance {
        let (channel, is_send) = match &edge.sync {
            None => return Chance::Sure,
            Some(Sync::Send { channel, .. }) => (channel, true),
            Some(Sync::Receive { channel, .. }) => (channel, false),
        };
        let Some(Values::One(number)) = self.value(channel, Some(process)) else { return Chance::Maybe };
        let Some((channel, ty)) = self.channel(number) else { return Chance::No };
        let ty = self.model.channel_type(ty);
        match (ty.is_rendezvous(), is_send) {
            (true, true) => Chance::Maybe,
            (true, false) => Chance::No,
            _ if !self.is_exact(channel) => Chance::Maybe,
            (false, true) if self.length(channel) < ty.capacity => Chance::Sure,
            (false, false) if self.length(channel) > 0 => Chance::Maybe,
            (false, _) => Chance::No,
        }
    }

    /// Takes one edge, of two processes if it is a hand-shake. Gives who may go on, and the edge it took.
    fn take(&mut self, process: usize, edge: &'m Edge) -> Result<(usize, &'m Edge), End> {
        match &edge.sync {
            None => {}
            Some(Sync::Send { channel, fields, sorted }) => {
                let number = self.choose_channel(channel, process)?;
                let (channel, ty) = self.channel(number).ok_or(End::Nowhere)?;
                if fields.len() != self.model.channel_type(ty).fields.len() {
                    return Err(End::Nowhere);
                }
                let values = |field| self.value(field, Some(process)).ok_or(End::Nowhere);
                let message: Vec<Values> = fields.iter().map(values).collect::<Result<_, _>>()?;
                if self.model.channel_type(ty).is_rendezvous() {
                    self.act(process, edge)?;
                    return self.hand_over(process, number, ty, &message);
                }
                self.send(channel, ty, &message, *sorted)?;
            }
            Some(Sync::Receive { channel, patterns, anywhere, copy }) => {
                let number = self.choose_channel(channel, process)?;
                let (channel, ty) = self.channel(number).ok_or(End::Nowhere)?;
                if self.model.channel_type(ty).is_rendezvous() {
                    return Err(End::Nowhere);
                }
                self.receive(process, channel, ty, patterns, *anywhere, *copy)?;
            }
        }
        self.act(process, edge)?;
        Ok((process, edge))
    }

    fn choose_channel(&mut self, channel: &fathom_model::Expr, process: usize) -> Result<i64, End> {
        let values = self.value(channel, Some(process)).ok_or(End::Nowhere)?;
        self.pick(&values)
    }

    /// One of some values.
    fn pick(&mut self, values: &Values) -> Result<i64, End> {
        let Some(list) = values.list() else { return Err(GiveUp("a number that may be anything").into()) };
        Ok(list[self.chooser.choose(list.len())])
    }

    /// The second half of a hand-shake.
    fn hand_over(
        &mut self,
        sender: usize,
        number: i64,
        ty: ChannelTypeId,
        message: &[Values],
    ) -> Result<(usize, &'m Edge), End> {
        let fields = &self.model.channel_type(ty).fields;
        let message: Vec<Values> =
            message.iter().zip(fields).map(|(values, field)| values.stored_as(*field)).collect();
        let mut takers: Vec<(usize, &'m Edge, &'m [Pattern])> = Vec::new();
        for receiver in 0..self.shape.n_processes(self.work.n_records) {
            if receiver == sender || !self.is_provided(receiver) {
                continue;
            }
            for location in self.resting_places(receiver) {
                for edge in edges_of(self.template(receiver), location) {
                    if let Some(patterns) = self.accepts(receiver, edge, number, &message) {
                        takers.push((receiver, edge, patterns));
                    }
                }
            }
        }
        if takers.is_empty() {
            return Err(End::Nowhere);
        }
        let (receiver, edge, patterns) = takers[self.chooser.choose(takers.len())];
        for (pattern, values) in patterns.iter().zip(&message) {
            if let Pattern::Bind(place) = pattern {
                self.store(place, receiver, values)?;
            }
        }
        self.act(receiver, edge)?;
        Ok((receiver, edge))
    }

    /// The patterns of an edge that may accept a message.
    fn accepts(
        &self,
        receiver: usize,
        edge: &'m Edge,
        number: i64,
        message: &[Values],
    ) -> Option<&'m [Pattern]> {
        let Some(Sync::Receive { channel, patterns, copy: false, .. }) = &edge.sync else { return None };
        let is_allowed = match &edge.guard {
            Guard::Always => true,
            Guard::When(expr) => self.value(expr, Some(receiver))?.may_be_true(),
            Guard::Else | Guard::Youngest => false,
        };
        let fits = |(pattern, values): (&Pattern, &Values)| match pattern {
            Pattern::Bind(_) => true,
            Pattern::Match(expr) => {
                self.value(expr, Some(receiver)).is_some_and(|wanted| wanted.meets(values))
            }
        };
        let is_ours = is_allowed
            && self.value(channel, Some(receiver))?.contains(number)
            && patterns.len() == message.len()
            && patterns.iter().zip(message).all(fits);
        is_ours.then_some(patterns.as_slice())
    }

    /// The effect of an edge, and the arrival at its target.
    fn act(&mut self, process: usize, edge: &'m Edge) -> Result<(), End> {
        for action in &edge.effect {
            match action {
                Action::Assign(place, expr) => {
                    let values = self.value(expr, Some(process)).ok_or(End::Nowhere)?;
                    self.store(place, process, &values)?;
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

    fn create(
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
    fn append(&mut self, kind: RecordKind) -> Result<(), End> {
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

    fn remove_youngest(&mut self) {
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
    fn store(&mut self, place: &Place, process: usize, values: &Values) -> Result<(), End> {
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

    fn stored(&self, cell: usize, values: &Values) -> Values {
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

    fn assign(&mut self, cell: usize, values: &Values) -> Result<(), End> {
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

    /// Index and type of a channel with a number.
    pub(super) fn channel(&self, number: i64) -> Option<(usize, ChannelTypeId)> {
        let index = usize::try_from(number - 1).ok()?;
        let record = *self.shape.channels.get(index)?;
        match self.shape.records[record].kind {
            RecordKind::Channel(ty) if record < self.work.n_records => Some((index, ty)),
            _ => None,
        }
    }

    /// Whether the content of a channel is known.
    pub(super) fn is_exact(&self, channel: usize) -> bool {
        let first = self.shape.channel_cells[channel] as usize;
        self.treatments.get(first).is_some_and(|treatment| *treatment == Treatment::Exact)
    }

    /// Number of messages in a channel whose content is known.
    pub(super) fn length(&self, channel: usize) -> u32 {
        self.work.values[self.shape.channel_cells[channel] as usize] as u32
    }

    fn field_cell(&self, channel: usize, n_fields: usize, slot: usize, field: usize) -> usize {
        self.shape.channel_cells[channel] as usize + 1 + slot * n_fields + field
    }

    fn send(
        &mut self,
        channel: usize,
        ty: ChannelTypeId,
        message: &[Values],
        sorted: bool,
    ) -> Result<(), End> {
        let ty = self.model.channel_type(ty);
        let n_fields = ty.fields.len();
        if !self.is_exact(channel) {
            if self.is_collecting {
                for (field, values) in message.iter().enumerate() {
                    let cell = self.field_cell(channel, n_fields, 0, field);
                    self.assign(cell, values)?;
                    // What is in the first slot is not known from this.
                    self.work.overlay.retain(|(of, _)| *of != cell);
                }
                let all = Values::of((0..=i64::from(ty.capacity)).collect()).unwrap_or(Values::Any);
                let length = self.shape.channel_cells[channel] as usize;
                self.assign(length, &all)?;
                self.work.overlay.retain(|(of, _)| *of != length);
            }
            return Ok(());
        }
        let length = self.length(channel) as usize;
        if length >= ty.capacity as usize {
            return Err(End::Nowhere);
        }
        let mut values = Vec::with_capacity(n_fields);
        for (field, possible) in message.iter().enumerate() {
            let cell = self.field_cell(channel, n_fields, 0, field);
            let possible = match self.stored(cell, possible) {
                Values::Any => self.sets[self.shape.cells[cell].family as usize].clone(),
                possible => possible,
            };
            values.push(self.pick(&possible)?);
        }
        let slot_of = |machine: &Machine<'_>, slot: usize| -> Vec<i64> {
            let cells = (0..n_fields).map(|field| machine.field_cell(channel, n_fields, slot, field));
            cells.map(|cell| machine.work.values[cell]).collect()
        };
        let slot = match sorted {
            true => (0..length).find(|&slot| slot_of(self, slot) > values).unwrap_or(length),
            false => length,
        };
        for to in (slot..=length).rev() {
            let message = if to == slot { values.clone() } else { slot_of(self, to - 1) };
            for (field, value) in message.into_iter().enumerate() {
                let cell = self.field_cell(channel, n_fields, to, field);
                self.assign_known(cell, value)?;
            }
        }
        let cell = self.shape.channel_cells[channel] as usize;
        Ok(self.assign_known(cell, length as i64 + 1)?)
    }

    fn receive(
        &mut self,
        process: usize,
        channel: usize,
        ty: ChannelTypeId,
        patterns: &[Pattern],
        anywhere: bool,
        copy: bool,
    ) -> Result<(), End> {
        let n_fields = self.model.channel_type(ty).fields.len();
        if patterns.len() != n_fields {
            return Err(End::Nowhere);
        }
        let is_exact = self.is_exact(channel);
        let length = if is_exact { self.length(channel) as usize } else { 1 };
        let last = if anywhere { length } else { length.min(1) };
        for slot in 0..last {
            let cells: Vec<usize> =
                (0..n_fields).map(|field| self.field_cell(channel, n_fields, slot, field)).collect();
            let message: Vec<Values> = cells.iter().map(|&cell| self.read(cell)).collect();
            match self.fit(process, patterns, &message) {
                Chance::No => continue,
                Chance::Maybe if is_exact && self.chooser.choose(2) == 1 => continue,
                _ => {}
            }
            for (pattern, values) in patterns.iter().zip(&message) {
                if let Pattern::Bind(place) = pattern {
                    self.store(place, process, values)?;
                }
            }
            if is_exact && !copy {
                for to in slot..length {
                    for field in 0..n_fields {
                        let value = match to + 1 < length {
                            true => self.work.values[self.field_cell(channel, n_fields, to + 1, field)],
                            false => 0,
                        };
                        let cell = self.field_cell(channel, n_fields, to, field);
                        self.assign_known(cell, value)?;
                    }
                }
                let cell = self.shape.channel_cells[channel] as usize;
                self.assign_known(cell, length as i64 - 1)?;
            }
            return Ok(());
        }
        Err(End::Nowhere)
    }

    /// Whether a message fits patterns.
    fn fit(&self, process: usize, patterns: &[Pattern], message: &[Values]) -> Chance {
        let chance = |(pattern, values): (&Pattern, &Values)| {
            let Pattern::Match(expr) = pattern else { return Chance::Sure };
            match self.value(expr, Some(process)) {
                Some(wanted) if !wanted.meets(values) => Chance::No,
                Some(Values::One(_)) if matches!(values, Values::One(_)) => Chance::Sure,
                None => Chance::No,
                _ => Chance::Maybe,
            }
        };
        patterns.iter().zip(message).map(chance).min().unwrap_or(Chance::Sure)
    }
}

/// The edges that leave a location, in order.
pub(super) fn edges_of(template: &Template, location: LocationId) -> impl Iterator<Item = &Edge> {
    template.location(location).groups.iter().flatten().map(|&edge| template.edge(edge))
}
