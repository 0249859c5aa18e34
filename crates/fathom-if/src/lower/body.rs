//! Transitions: chains of edges.
//!
//! An edge has one exchange with a queue, and assignments after it. A transition with more becomes a chain, whose edges are atomic, so that the chain is one step.

use fathom_model::{Action, BinaryOp, Edge, EdgeId, Expr, Guard, LocationId, Pattern, Place, Sync, Which};
use fathom_source::{SourceMap, Span};

use super::process::Queue;
use super::scope::Symbol;
use super::types::Ty;
use super::{Lowering, Order, Route};
use crate::syntax::{Input, Name, Terminator, Transition};

/// What is needed to print statements and to tell where atomic steps end.
pub(crate) struct Text<'a> {
    pub(crate) sources: &'a SourceMap,
    /// By location of a state.
    pub(crate) unstable: &'a [bool],
}

impl Text<'_> {
    /// The text of a place in one line.
    pub(crate) fn of(&self, span: Span) -> String {
        let words: Vec<&str> = self.sources.text(span).split_whitespace().collect();
        words.join(" ").trim_end_matches(';').to_owned()
    }
}

/// An edge under construction.
#[derive(Clone)]
pub(crate) struct Pending {
    pub(crate) from: LocationId,
    pub(crate) guard: Guard,
    pub(crate) sync: Option<Sync>,
    pub(crate) effect: Vec<Action>,
    pub(crate) text: Vec<String>,
    pub(crate) span: Span,
}

impl Pending {
    pub(crate) fn new(from: LocationId, guard: Guard, span: Span) -> Pending {
        Pending { from, guard, sync: None, effect: Vec::new(), text: Vec::new(), span }
    }

    /// Whether an exchange can still be added: nothing happens before it.
    pub(crate) fn is_fresh(&self) -> bool {
        self.sync.is_none() && self.effect.is_empty()
    }
}

/// A guard; one that is always true says so.
pub(crate) fn when(condition: Expr) -> Guard {
    if condition == Expr::Const(1) { Guard::Always } else { Guard::When(condition) }
}

impl Lowering {
    /// Files an edge.
    pub(super) fn finish(&mut self, pending: Pending, target: LocationId, atomic: bool) {
        let Pending { from, guard, sync, effect, text, span } = pending;
        let text = if text.is_empty() { "skip".to_owned() } else { text.join("; ") };
        let id = EdgeId::from(self.edges.len());
        self.edges.push(Edge { guard, sync, effect, target, atomic, span: Some(span), text });
        if let Some(group) = self.locations[from.index()].groups.last_mut() {
            group.push(id);
        }
    }

    /// Ends the edge at a new location in the middle of the transition.
    pub(super) fn pause(&mut self, pending: Pending) -> Pending {
        let span = pending.span;
        let middle = self.add_location(None, Some(span));
        self.finish(pending, middle, true);
        Pending::new(middle, Guard::Always, span)
    }

    /// An edge to which an exchange can be added.
    pub(super) fn fresh(&mut self, pending: Pending) -> Pending {
        if pending.is_fresh() { pending } else { self.pause(pending) }
    }

    pub(super) fn transition(&mut self, from: LocationId, transition: &Transition, text: &Text<'_>) {
        let guard = self.guard_of(transition);
        let mut pending = Pending::new(from, when(guard), transition.span);
        for (word, expr) in [("provided", &transition.provided), ("when", &transition.when)] {
            if let Some(expr) = expr {
                pending.text.push(format!("{word} {}", text.of(expr.span)));
            }
        }
        if let Some(input) = &transition.input {
            pending = self.input(input, pending, text);
        }
        let pending = self.statements(pending, &transition.body, text);
        match &transition.terminator {
            Terminator::Stop(_) => {
                let mut pending = pending;
                pending.text.push("stop".to_owned());
                let stopped = self.processes[self.current].stopped.unwrap_or(LocationId(0));
                self.finish(pending, stopped, false);
            }
            Terminator::NextState(name) => {
                let target = self.processes[self.current].states.get(&name.text).and_then(|all| all.first());
                let Some(&target) = target else {
                    return self.unknown("state", name);
                };
                let atomic = text.unstable.get(target.index()).copied().unwrap_or(false);
                self.finish(pending, target, atomic);
            }
        }
    }

    /// `provided` and `when` together.
    pub(super) fn guard_of(&mut self, transition: &Transition) -> Expr {
        let provided = transition.provided.as_ref().map(|expr| self.condition(expr));
        let when = transition.when.as_ref().map(|expr| self.timed(expr));
        match (provided, when) {
            (Some(provided), Some(when)) => Expr::binary(BinaryOp::And, provided, when),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => Expr::TRUE,
        }
    }

    /// A constraint on clocks.
    pub(super) fn timed(&mut self, expr: &crate::syntax::Expr) -> Expr {
        self.clocks_allowed = true;
        let condition = self.condition(expr);
        self.clocks_allowed = false;
        condition
    }

    pub(super) fn signal(&mut self, name: &Name) -> Option<usize> {
        match self.scopes.find(&name.text) {
            Some(Symbol::Signal(signal)) => Some(*signal),
            _ => {
                self.unknown("signal", name);
                None
            }
        }
    }

    /// The queue of the process at hand, or its bag.
    fn own_queue(&self, order: Order) -> Option<Expr> {
        let place = match self.processes[self.current].waiting(order) {
            Queue::None => return None,
            Queue::Global(offset) => {
                Place::fixed(fathom_model::Base::Global, offset, fathom_model::ScalarType::CHANNEL)
            }
            Queue::Local(offset) => {
                Place::fixed(fathom_model::Base::Own, offset, fathom_model::ScalarType::CHANNEL)
            }
        };
        Some(Expr::Load(place))
    }

    /// Where signals of a kind wait for the process at hand, and which one of them it takes; of a bag it may take any.
    fn sources(&self, signal: usize) -> Vec<(Expr, Which)> {
        let mut sources: Vec<(Expr, Which)> = Vec::new();
        sources.extend(self.own_queue(Order::Sent).map(|queue| (queue, self.taken)));
        if let Some(bag) = self.own_queue(Order::Any).filter(|_| self.comes_in_any_order(signal)) {
            let capacity = self.model.channel_types.first().map_or(0, |ty| ty.capacity);
            sources.extend((0..capacity).map(|place| (bag.clone(), Which::At(place))));
        }
        sources
    }

    /// Whether a route without order brings a signal to the process at hand.
    fn comes_in_any_order(&self, signal: usize) -> bool {
        let is_meant = |route: &&Route| route.to == Some(self.current) && route.order == Order::Any;
        self.routes.iter().filter(is_meant).any(|route| route.signals.contains(&signal))
    }

    /// Whether the process at hand could take a signal now.
    pub(super) fn can_take(&self, signal: usize) -> Option<Expr> {
        let poll = |channel: Expr, which: Which| Expr::Poll {
            channel: Box::new(channel),
            patterns: vec![Pattern::Match(Expr::Const(signal as i64))],
            which,
        };
        let queue = self.own_queue(Order::Sent).map(|queue| poll(queue, self.taken));
        let bag = self.own_queue(Order::Any).filter(|_| self.comes_in_any_order(signal));
        match (queue, bag.map(|bag| poll(bag, Which::First))) {
            (Some(queue), Some(bag)) => Some(Expr::binary(BinaryOp::Or, queue, bag)),
            (one, other) => one.or(other),
        }
    }

    fn input(&mut self, input: &Input, mut pending: Pending, text: &Text<'_>) -> Pending {
        let arguments: Vec<String> = input.arguments.iter().map(|argument| text.of(argument.span)).collect();
        pending.text.push(format!("input {}({})", input.signal.text, arguments.join(", ")));
        let Some(signal) = self.signal(&input.signal) else { return pending };
        let expected = self.signals[signal].parameters.clone();
        if expected.len() != input.arguments.len() {
            let message = format!(
                "`{}` has {} parameters, not {}",
                input.signal.text,
                expected.len(),
                input.arguments.len()
            );
            self.error("if::argument-count", message, input.signal.span);
            return pending;
        }
        let mut patterns = vec![Pattern::Match(Expr::Const(signal as i64))];
        for (argument, ty) in input.arguments.iter().zip(&expected) {
            let Some(access) = self.access(argument) else { return pending };
            if !access.ty.accepts(ty) {
                let message =
                    format!("expected {}, found {}", self.type_name(ty), self.type_name(&access.ty));
                self.error("if::type", message, argument.span);
                return pending;
            }
            if let fathom_model::Base::Other { .. } = access.base {
                self.error("if::not-writable", "a process writes only its own variables", argument.span);
                return pending;
            }
            let (targets, sources) = (self.scalars(&access.ty), self.scalars(ty));
            for ((offset, target), (_, source)) in targets.iter().zip(&sources) {
                let place = access.scalar(*offset, target);
                if range_check(target, source, &Expr::TRUE).is_none() {
                    patterns.push(Pattern::Bind(place));
                    continue;
                }
                // The value may not fit: look at it before it is stored.
                let between = self.scratch(source);
                let value = Expr::Load(between.clone());
                pending.effect.extend(range_check(target, source, &value).map(Action::Assert));
                pending.effect.push(Action::Assign(place, value));
                pending.effect.push(Action::Assign(between.clone(), Expr::Const(0)));
                patterns.push(Pattern::Bind(between));
            }
        }
        let nowhere = || Place::fixed(fathom_model::Base::Discard, 0, fathom_model::ScalarType::INT);
        while patterns.len() <= self.n_columns() {
            patterns.push(Pattern::Bind(nowhere()));
        }
        let sources = self.sources(signal);
        if let [(channel, which)] = &sources[..] {
            let (channel, which) = (channel.clone(), *which);
            pending.sync = Some(Sync::Receive { channel, patterns, which, copy: false });
            return pending;
        }
        let (span, middle) = (pending.span, self.add_location(None, Some(pending.span)));
        for (channel, which) in sources {
            let sync = Some(Sync::Receive { channel, patterns: patterns.clone(), which, copy: false });
            self.finish(Pending { sync, ..pending.clone() }, middle, true);
        }
        Pending::new(middle, Guard::Always, span)
    }

    /// A variable of the front end in the process at hand.
    pub(super) fn scratch(&mut self, ty: &Ty) -> Place {
        let mut frame = std::mem::take(&mut self.locals);
        let stored = self.stored(ty);
        let role = fathom_model::VariableRole::Internal;
        let offset = self.add_to_frame(&mut frame, "received", stored, role, None);
        self.locals = frame;
        Place::fixed(fathom_model::Base::Own, offset, ty.scalar())
    }

    /// Throws a signal away that the state does not take.
    pub(super) fn discard(&mut self, from: LocationId, signal: usize, span: Span) {
        let nowhere = Place::fixed(fathom_model::Base::Discard, 0, fathom_model::ScalarType::INT);
        let mut patterns = vec![Pattern::Match(Expr::Const(signal as i64))];
        patterns.resize(self.n_columns() + 1, Pattern::Bind(nowhere));
        for (channel, which) in self.sources(signal) {
            let mut pending = Pending::new(from, Guard::Always, span);
            let patterns = patterns.clone();
            pending.sync = Some(Sync::Receive { channel, patterns, which, copy: false });
            pending.text.push(format!("discard {}", self.signals[signal].name));
            self.finish(pending, from, false);
        }
    }

    /// A process that was told to end does nothing else.
    pub(super) fn end_when_killed(&mut self, from: LocationId) {
        let (Some(killed), Some(stopped)) = (self.killed, self.processes[self.current].stopped) else {
            return;
        };
        let flag = self.killed_flag(killed, Expr::OwnProcess);
        let span = self.locations[from.index()].span;
        let Some(span) = span else { return };
        let mut pending = Pending::new(from, Guard::When(Expr::Load(flag)), span);
        pending.text.push("killed".to_owned());
        self.finish(pending, stopped, false);
        self.locations[from.index()].groups.push(Vec::new());
    }

    pub(super) fn killed_flag(&self, killed: u32, pid: Expr) -> Place {
        let index = fathom_model::Index { value: pid, length: self.options.processes, stride: 1 };
        Place {
            base: fathom_model::Base::Global,
            offset: killed,
            indices: vec![index],
            ty: fathom_model::ScalarType::BOOL,
        }
    }
}

/// The condition under which a value of one type may be stored as another; none when it always may.
pub(crate) fn range_check(target: &Ty, source: &Ty, value: &Expr) -> Option<Expr> {
    let (Ty::Int { low, high }, Ty::Int { low: from, high: to }) = (target, source) else { return None };
    let above = || Expr::binary(BinaryOp::GreaterEqual, value.clone(), Expr::Const(*low));
    let below = || Expr::binary(BinaryOp::LessEqual, value.clone(), Expr::Const(*high));
    match (from < low, to > high) {
        (true, true) => Some(Expr::binary(BinaryOp::And, above(), below())),
        (true, false) => Some(above()),
        (false, true) => Some(below()),
        (false, false) => None,
    }
}
