//! The steps of an abstraction: what a model may do where only some cells are known.
//!
//! This is the reference interpreter with sets in place of values. Every step of the model is one here, between the
//! abstractions of its states (there are more: the abstraction overestimates), and a whole indivisible sequence is one
//! step, so that distances are counted alike. Where something is not known, every possibility is tried: the machine
//! runs again and again with another script of choices until there is none left ([`Chooser`]). What edges do is in `writes`, what they
//! send and receive in `channels`. Values that a
//! step has computed itself are known until its end, also those of cells that are dropped.
//!
//! **Invariant:** whatever is not understood is either taken as possible, or ends the abstraction ([`GiveUp`]).

use fathom_model::{Action, Edge, Guard, LocationId, Model, Sync, Template, TemplateId};

use super::chooser::Chooser;
use super::shape::Shape;
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
#[derive(PartialEq, Eq, Debug, Default)]
pub(crate) struct Abstract {
    pub n_records: usize,
    /// By cell: the value, or that which stands for it; 0 where it is dropped or does not exist.
    pub values: Vec<i64>,
    /// What this step knows beyond that.
    pub overlay: Vec<(usize, Values)>,
}

impl Clone for Abstract {
    fn clone(&self) -> Abstract {
        Abstract { n_records: self.n_records, values: self.values.clone(), overlay: self.overlay.clone() }
    }

    /// In the memory that is there, which a derived one does not do.
    fn clone_from(&mut self, source: &Abstract) {
        self.n_records = source.n_records;
        self.values.clone_from(&source.values);
        self.overlay.clone_from(&source.overlay);
    }
}

/// Why there is no abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GiveUp(pub &'static str);

/// The end of a way that leads nowhere, or of everything.
#[derive(Debug)]
pub(super) enum End {
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
pub(super) enum Chance {
    No,
    Maybe,
    Sure,
}

impl Chance {
    pub(super) fn of(truth: &Values) -> Chance {
        match (truth.may_be_true(), truth.may_be_false()) {
            (false, _) => Chance::No,
            (true, true) => Chance::Maybe,
            (true, false) => Chance::Sure,
        }
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
    pub(super) chooser: Chooser,
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
    pub(super) fn standing_for(&self, cell: usize, value: i64) -> i64 {
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

    pub(super) fn template(&self, process: usize) -> &'m Template {
        let template = self.shape.process(process, self.work.n_records).expect("the process exists");
        self.model.template(template)
    }

    /// Where a process may be between two steps.
    pub(super) fn resting_places(&self, process: usize) -> Vec<LocationId> {
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

    pub(super) fn is_provided(&self, process: usize) -> bool {
        let provided = self.template(process).provided.as_ref();
        provided.is_none_or(|expr| self.value(expr, Some(process)).is_none_or(|truth| truth.may_be_true()))
    }

    /// Takes an edge and everything that belongs to the same step.
    pub(super) fn run(&mut self, process: usize, edge: &'m Edge) -> Result<(), End> {
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
    pub(super) fn chance_at(&self, process: usize, edges: &[&Edge], number: usize) -> Chance {
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

    pub(super) fn chance(&self, process: usize, edge: &Edge) -> Chance {
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

    pub(super) fn chance_of_sync(&self, process: usize, edge: &Edge) -> Chance {
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
    pub(super) fn take(&mut self, process: usize, edge: &'m Edge) -> Result<(usize, &'m Edge), End> {
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
            Some(Sync::Receive { channel, patterns, which, copy }) => {
                let number = self.choose_channel(channel, process)?;
                let (channel, ty) = self.channel(number).ok_or(End::Nowhere)?;
                if self.model.channel_type(ty).is_rendezvous() {
                    return Err(End::Nowhere);
                }
                self.receive(process, channel, ty, patterns, *which, *copy)?;
            }
        }
        self.act(process, edge)?;
        Ok((process, edge))
    }

    pub(super) fn choose_channel(
        &mut self,
        channel: &fathom_model::Expr,
        process: usize,
    ) -> Result<i64, End> {
        let values = self.value(channel, Some(process)).ok_or(End::Nowhere)?;
        self.pick(&values)
    }

    /// One of some values.
    pub(super) fn pick(&mut self, values: &Values) -> Result<i64, End> {
        let Some(list) = values.list() else { return Err(GiveUp("a number that may be anything").into()) };
        Ok(list[self.chooser.choose(list.len())])
    }
}

/// The edges that leave a location, in order.
pub(super) fn edges_of(template: &Template, location: LocationId) -> impl Iterator<Item = &Edge> {
    template.location(location).groups.iter().flatten().map(|&edge| template.edge(edge))
}
