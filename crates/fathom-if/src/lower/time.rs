//! Clocks and deadlines: notes about when time stops, for networks of timed automata.
//!
//! What becomes of the notes is in [`timed`](crate::timed). Inactive clocks have the value -1 in a model.

use fathom_model::{Base, BinaryOp, Expr, Index, LocationId, Place, TemplateId};

use fathom_source::Span;

use super::Lowering;
use super::types::Ty;
use crate::syntax::{self, Deadline, Item, System, Transition, TypeDefinition};

/// When a process at a location makes time stop.
#[derive(Clone, Debug)]
pub(crate) struct TimeNote {
    pub(crate) template: TemplateId,
    pub(crate) location: LocationId,
    pub(crate) condition: Expr,
    pub(crate) why: Why,
    pub(crate) span: Span,
}

/// Why time stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// An eager transition is enabled.
    Eager,
    /// A delayable one is enabled, and would not be later.
    Delayable,
    /// What has to be true when time passes is false.
    Broken,
    /// It is true, and would be false later.
    Breaks,
}

/// Where a clock is among the globals.
#[derive(Clone, Debug)]
pub(crate) struct ClockAt {
    pub(crate) offset: u32,
    pub(crate) name: String,
    /// The process that has it, by its number; none for a clock of the system.
    pub(crate) owner: Option<(TemplateId, u32)>,
}

/// Whether a system has clocks: it then becomes a network of timed automata.
pub fn has_clocks(system: &System) -> bool {
    let inside = system.items.iter().filter_map(|item| match item {
        Item::Process(process) => Some(process),
        _ => None,
    });
    let parameters = inside.clone().flat_map(|process| &process.parameters).map(|one| one.ty.text.as_str());
    let items: Vec<&Item> = system.items.iter().chain(inside.flat_map(|process| &process.items)).collect();
    let variables = items.iter().flat_map(|item| match item {
        Item::Var(variable) => vec![variable.ty.text.as_str()],
        Item::Procedure(procedure) => {
            let own = procedure.variables.iter().map(|one| one.ty.text.as_str());
            own.chain(procedure.parameters.iter().map(|one| one.ty.text.as_str())).collect()
        }
        _ => Vec::new(),
    });
    let mut known = vec!["clock"];
    let mut n_known = 0;
    while n_known < known.len() {
        n_known = known.len();
        for item in &items {
            let Item::Type(declared) = item else { continue };
            let speaks = match &declared.definition {
                TypeDefinition::Alias(name) => known.contains(&name.text.as_str()),
                TypeDefinition::Array { element, .. } => known.contains(&element.text.as_str()),
                TypeDefinition::Record(fields) => {
                    fields.iter().any(|(_, ty)| known.contains(&ty.text.as_str()))
                }
                _ => false,
            };
            if speaks && !known.contains(&declared.name.text.as_str()) {
                known.push(&declared.name.text);
            }
        }
    }
    parameters.chain(variables).any(|ty| known.contains(&ty))
}

/// Joins conditions to a tree that is not deep.
fn join(op: BinaryOp, mut conditions: Vec<Expr>) -> Option<Expr> {
    while conditions.len() > 1 {
        let mut pairs = conditions.into_iter();
        let mut joined = Vec::new();
        while let Some(left) = pairs.next() {
            joined.push(match pairs.next() {
                Some(right) => Expr::binary(op, left, right),
                None => left,
            });
        }
        conditions = joined;
    }
    conditions.pop()
}

impl Lowering {
    /// Where a clock is, for the process with a number.
    pub(super) fn clock_place(&self, number: usize, pid: Expr) -> Place {
        let clock = &self.clocks[number];
        let mut place = Place::fixed(Base::Global, clock.offset, Ty::Clock.scalar());
        if let Some((first, count)) = clock.instances
            && count > 1
        {
            let value = Expr::binary(BinaryOp::Subtract, pid, Expr::Const(i64::from(first)));
            place.indices.push(Index { value, length: count, stride: Ty::Clock.scalar().size() });
        }
        place
    }

    /// A variable that only one process has, for properties.
    pub(super) fn only_local(&mut self, name: &syntax::Name) -> Option<Option<super::expr::Access>> {
        if !self.is_property {
            return None;
        }
        let has = |index: &usize| self.locals_of[*index].contains_key(&name.text);
        let owners: Vec<usize> = (0..self.locals_of.len()).filter(has).collect();
        let [owner] = owners[..] else { return None };
        let pid = Expr::Const(i64::from(self.processes[owner].first));
        Some(self.local_of(owner, pid, name))
    }

    /// Whether a process is at a state, for properties.
    pub(super) fn at_state(
        &mut self,
        process: &syntax::Expr,
        state: &syntax::Name,
        span: Span,
    ) -> super::expr::Value {
        let broken = super::expr::Value { ty: Ty::Broken, expr: Expr::Const(0) };
        let Some((index, pid)) = self.process_meant(process) else {
            self.error("if::not-a-process", "expected a process, as in `p@s` or `{p}1@s`", span);
            return broken;
        };
        let info = &self.processes[index];
        let stopped = info.stopped.filter(|_| state.text == "stopped").map(|stopped| vec![stopped]);
        // Who cannot end has not.
        let stopped = stopped.or((state.text == "stopped").then(Vec::new));
        let locations = info.states.get(&state.text).cloned().or(stopped);
        let (Some(locations), Some(pid)) = (locations, pid) else {
            self.unknown("state of this process", state);
            return broken;
        };
        let template = TemplateId::from(index);
        let at = |location: LocationId| Expr::AtLocation {
            template,
            process: Some(Box::new(pid.clone())),
            location,
        };
        let any = join(BinaryOp::Or, locations.into_iter().map(at).collect());
        super::expr::Value { ty: Ty::Bool, expr: any.unwrap_or(Expr::Const(0)) }
    }

    /// Notes when a process at a location keeps time from passing.
    pub(super) fn note_time(
        &mut self,
        at: LocationId,
        transitions: &[&Transition],
        progress: &[&syntax::Expr],
        discarded: &[usize],
    ) {
        if self.clocks.is_empty() {
            return;
        }
        // Nor does the end of a process that was told to end.
        if let (Some(killed), Some(span)) = (self.killed, self.locations[at.index()].span) {
            let flag = Expr::Load(self.killed_flag(killed, Expr::OwnProcess));
            self.note(at, flag, Why::Eager, span);
        }
        // Throwing a signal away takes no time.
        for &signal in discarded {
            if let (Some(can_take), Some(span)) = (self.can_take(signal), self.locations[at.index()].span) {
                self.note(at, can_take, Why::Eager, span);
            }
        }
        let n_before = self.time_notes.len();
        for condition in progress {
            let holds = self.timed(condition);
            self.note(at, Expr::negation(holds.clone()), Why::Broken, condition.span);
            self.note(at, holds, Why::Breaks, condition.span);
        }
        for transition in transitions {
            // The messages were said when the transition was lowered.
            let said = self.diagnostics.len();
            let enabled = self.enabled(transition);
            self.diagnostics.truncate(said);
            let span = transition.when.as_ref().map_or(transition.span, |when| when.span);
            match transition.deadline.unwrap_or(Deadline::Eager) {
                Deadline::Lazy => {}
                Deadline::Eager => self.note(at, enabled, Why::Eager, span),
                Deadline::Delayable => self.note(at, enabled, Why::Delayable, span),
            }
        }
        self.forget_when_killed(n_before);
    }

    /// Who was told to end looks at nothing else: what is noted from here on counts for others.
    fn forget_when_killed(&mut self, from: usize) {
        let Some(killed) = self.killed else { return };
        let lives = Expr::negation(Expr::Load(self.killed_flag(killed, Expr::OwnProcess)));
        for note in &mut self.time_notes[from..] {
            note.condition = Expr::binary(BinaryOp::And, lives.clone(), note.condition.clone());
        }
    }

    fn note(&mut self, location: LocationId, condition: Expr, why: Why, span: Span) {
        let template = TemplateId::from(self.current);
        self.time_notes.push(TimeNote { template, location, condition, why, span });
    }

    /// Where all clocks are, those of instances one by one.
    pub(super) fn clocks_at(&self) -> Vec<ClockAt> {
        let size = Ty::Clock.scalar().size();
        let each = |clock: &super::scope::Clock| {
            let (first, count) = clock.instances.unwrap_or((0, 1));
            let at = |inner: u32| ClockAt {
                offset: clock.offset + inner * size,
                name: clock.name.clone(),
                owner: clock.process.map(|process| (TemplateId::from(process), first + inner)),
            };
            (0..count).map(at).collect::<Vec<_>>()
        };
        self.clocks.iter().flat_map(each).collect()
    }

    /// Whether a transition could be taken.
    fn enabled(&mut self, transition: &Transition) -> Expr {
        let guard = self.guard_of(transition);
        let Some(input) = &transition.input else { return guard };
        let signal = self.signal(&input.signal);
        match signal.and_then(|signal| self.can_take(signal)) {
            Some(can_take) => Expr::binary(BinaryOp::And, guard, can_take),
            None => guard,
        }
    }
}
