//! Clocks and deadlines: as discrete time, and as notes for networks of timed automata.
//!
//! For a network, what makes time stop is noted, and that is all: see [`timed`](crate::timed). For a model, time is discrete:
//!
//! Time is a process whose only step makes every active clock one greater. A clock stops at one more than the largest number it is ever compared
//! with or set to, from where on no comparison can tell its values apart (differences of clocks can, and are refused). Time does not pass while an eager transition is
//! enabled, while a delayable one is enabled that would not be afterwards, or when the `tpc` of a state would not hold afterwards. Inactive
//! clocks have the value -1.

use fathom_model::{
    Action, Base, BinaryOp, Edge, EdgeId, Expr, Guard, Index, Location, LocationId, Pattern, Place,
    TemplateId,
};

use fathom_source::Span;

use super::Lowering;
use super::environment::from_outside;
use super::types::Ty;
use crate::syntax::{self, Deadline, ExprKind, Transition};

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
        if self.is_dense {
            return self.note_stops(at, transitions, progress, discarded);
        }
        let mut blocks = Vec::new();
        let mut also = |condition: Expr| blocks.push(condition);
        // Throwing a signal away takes no time.
        for &signal in discarded {
            if let Some(channel) = self.own_queue() {
                let patterns = vec![Pattern::Match(Expr::Const(signal as i64))];
                also(Expr::Poll { channel: Box::new(channel), patterns, anywhere: self.passes_saved });
            }
        }
        for condition in progress {
            self.refuse_differences(condition);
            let condition = self.timed(condition);
            also(Expr::negation(self.later(&condition)));
        }
        for transition in transitions {
            if let Some(when) = &transition.when {
                self.refuse_differences(when);
            }
            // The messages were said when the transition was lowered.
            let said = self.diagnostics.len();
            let enabled = self.enabled(transition);
            self.diagnostics.truncate(said);
            match transition.deadline.unwrap_or(Deadline::Eager) {
                Deadline::Lazy => {}
                Deadline::Eager => also(enabled),
                Deadline::Delayable => {
                    let afterwards = self.later(&enabled);
                    also(Expr::binary(BinaryOp::And, enabled, Expr::negation(afterwards)));
                }
            }
        }
        let Some(blocks) = join(BinaryOp::Or, blocks) else { return };
        let template = TemplateId::from(self.current);
        let info = self.processes[self.current].clone();
        let mut numbers: Vec<u32> = (info.first..info.first + info.count).collect();
        if info.is_forked {
            let n_start: u32 = self.processes.iter().map(|info| info.count).sum();
            numbers.extend(n_start..self.options.processes);
        }
        for pid in numbers {
            let pid = i64::from(pid);
            let is_there =
                Expr::AtLocation { template, process: Some(Box::new(Expr::Const(pid))), location: at };
            let blocks = Expr::binary(BinaryOp::And, is_there, from_outside(&blocks, template, pid));
            self.time_guards.push(Expr::negation(blocks));
        }
    }

    /// Notes when a process at a location makes time stop.
    fn note_stops(
        &mut self,
        at: LocationId,
        transitions: &[&Transition],
        progress: &[&syntax::Expr],
        discarded: &[usize],
    ) {
        // Throwing a signal away takes no time.
        for &signal in discarded {
            if let (Some(channel), Some(span)) = (self.own_queue(), self.locations[at.index()].span) {
                let patterns = vec![Pattern::Match(Expr::Const(signal as i64))];
                let poll = Expr::Poll { channel: Box::new(channel), patterns, anywhere: self.passes_saved };
                self.note(at, poll, Why::Eager, span);
            }
        }
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
    }

    fn note(&mut self, location: LocationId, condition: Expr, why: Why, span: Span) {
        let template = TemplateId::from(self.current);
        self.time_notes.push(TimeNote { template, location, condition, why, span });
    }

    /// Where all clocks are, those of instances one by one.
    pub(super) fn clocks_at(&self) -> Vec<ClockAt> {
        let size = Ty::Clock.scalar().size();
        let each = |clock: &super::scope::Clock| {
            let count = clock.instances.map_or(1, |(_, count)| count);
            let name = |inner: u32| match count {
                1 => clock.name.clone(),
                _ => format!("{}[{inner}]", clock.name),
            };
            let at = |inner: u32| ClockAt { offset: clock.offset + inner * size, name: name(inner) };
            (0..count).map(at).collect::<Vec<_>>()
        };
        self.clocks.iter().flat_map(each).collect()
    }

    /// Whether a transition could be taken.
    fn enabled(&mut self, transition: &Transition) -> Expr {
        let guard = self.guard_of(transition);
        let Some(input) = &transition.input else { return guard };
        let (Some(signal), Some(channel)) = (self.signal(&input.signal), self.own_queue()) else {
            return guard;
        };
        let patterns = vec![Pattern::Match(Expr::Const(signal as i64))];
        let poll = Expr::Poll { channel: Box::new(channel), patterns, anywhere: self.passes_saved };
        Expr::binary(BinaryOp::And, guard, poll)
    }

    fn refuse_differences(&mut self, expr: &syntax::Expr) {
        match &expr.kind {
            ExprKind::Binary(syntax::BinaryOp::Subtract, left, _) => {
                let is_clock = matches!(&left.kind, ExprKind::Name(name)
                    if matches!(self.scopes.find(name), Some(super::scope::Symbol::Clock(_))));
                if is_clock {
                    self.unsupported("if::unsupported-clock", "differences of clocks", expr.span);
                }
            }
            ExprKind::Binary(_, left, right) => {
                self.refuse_differences(left);
                self.refuse_differences(right);
            }
            _ => {}
        }
    }

    /// The process that lets time pass.
    pub(super) fn time(&mut self) {
        if self.clocks.is_empty() || self.is_dense {
            return;
        }
        let bound = match self.options.clock {
            0 => self.clock_bound + 1,
            given => i64::from(given),
        };
        let mut effect = Vec::new();
        for (number, clock) in self.clocks.iter().enumerate() {
            let (first, count) = clock.instances.unwrap_or((0, 1));
            for pid in first..first + count {
                let mut place = self.clock_place(number, Expr::Const(0));
                place.indices.clear();
                place.offset += (pid - first) * Ty::Clock.scalar().size();
                let value = Expr::Load(place.clone());
                let counts = Expr::binary(
                    BinaryOp::And,
                    Expr::binary(BinaryOp::GreaterEqual, value.clone(), Expr::Const(0)),
                    Expr::binary(BinaryOp::Less, value.clone(), Expr::Const(bound)),
                );
                let next = Expr::binary(BinaryOp::Add, value.clone(), Expr::Const(1));
                let next = Expr::Conditional(Box::new(counts), Box::new(next), Box::new(value));
                effect.push(Action::Assign(place, next));
            }
        }
        let guards = std::mem::take(&mut self.time_guards);
        let guard = join(BinaryOp::And, guards);
        let edge = Edge {
            guard: guard.map_or(Guard::Always, Guard::When),
            sync: None,
            effect,
            target: LocationId(0),
            atomic: false,
            span: None,
            text: "time passes".to_owned(),
        };
        let groups = vec![vec![EdgeId(0)]];
        let location = Location { labels: vec!["time".to_owned()], groups, end: true, ..Location::default() };
        self.add_process("time", location, vec![edge]);
    }
}

impl Lowering {
    /// A condition one unit of time later: active clocks are one greater. (A clock that has stopped counting is beyond every comparison, and one
    /// more does not matter.)
    fn later(&self, expr: &Expr) -> Expr {
        let inside = |inner: &Expr| Box::new(self.later(inner));
        match expr {
            Expr::Binary(op, left, right) => Expr::Binary(*op, inside(left), inside(right)),
            Expr::Unary(op, operand) => Expr::Unary(*op, inside(operand)),
            Expr::Conditional(condition, then, otherwise) => {
                Expr::Conditional(inside(condition), inside(then), inside(otherwise))
            }
            Expr::Load(place) if self.is_clock(place) => {
                // An inactive clock stays inactive.
                let is_active = Expr::binary(BinaryOp::GreaterEqual, expr.clone(), Expr::Const(0));
                Expr::binary(BinaryOp::Add, expr.clone(), is_active)
            }
            other => other.clone(),
        }
    }

    fn is_clock(&self, place: &Place) -> bool {
        let size = Ty::Clock.scalar().size();
        let within = |clock: &super::scope::Clock| {
            let count = clock.instances.map_or(1, |(_, count)| count);
            (clock.offset..clock.offset + count * size).contains(&place.offset)
        };
        place.base == Base::Global && self.clocks.iter().any(within)
    }
}
