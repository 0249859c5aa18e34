//! Sending signals.
//!
//! A signalroute hands a signal on at once: it goes straight into the queue of the receiver. A lossy route may lose it on the way; a route to several
//! instances chooses one, or with `#multicast` takes all. What goes to the environment is gone. Signals of routes without order wait in a bag, which is a queue in the order of
//! their values: of which one came first nothing is left.

use fathom_model::{Action, Base, BinaryOp, ChannelQuery, Expr, Guard, Place, ScalarType, Sync, TemplateId};
use fathom_source::{Diagnostic, Span};

use super::body::{Pending, Text};
use super::process::Queue;
use super::scope::Symbol;
use super::types::Ty;
use super::{Lowering, Order, Route};
use crate::options::Overflow;
use crate::syntax::{self, ExprKind, Name};

/// The parts of an output statement: signal, arguments, `via`, `to`.
pub(super) type Parts<'a> =
    (&'a Name, &'a [syntax::Expr], Option<&'a syntax::Expr>, Option<&'a syntax::Expr>);

/// What is said of a pid that is `nil`, or that of no process that is meant.
const NOBODY: &str = "the pid names no process";

/// Who gets a signal.
struct Receiver {
    channel: Expr,
    order: Order,
    /// Most signals that may wait there, of whatever route.
    bound: u32,
    /// True when the process that is computed is none, or none that the route leads to; none where it is known.
    nobody: Option<Expr>,
    /// False when the receiver has ended.
    alive: Option<Expr>,
}

impl Lowering {
    pub(super) fn output(
        &mut self,
        mut pending: Pending,
        parts: Parts<'_>,
        text: &Text<'_>,
        span: Span,
    ) -> Pending {
        let (name, arguments, via, to) = parts;
        let written = text.of(span);
        let Some(signal) = self.signal(name) else { return pending };
        let expected = self.signals[signal].parameters.clone();
        if expected.len() != arguments.len() {
            let message =
                format!("`{}` has {} parameters, not {}", name.text, expected.len(), arguments.len());
            self.error("if::argument-count", message, name.span);
            return pending;
        }
        let mut fields = vec![Expr::Const(signal as i64)];
        for (argument, ty) in arguments.iter().zip(&expected) {
            fields.extend(self.argument(&mut pending, argument, ty));
        }
        fields.resize(self.n_columns() + 1, Expr::Const(0));
        let route = match self.route(via, to, signal, name) {
            Ok(route) => route,
            Err(()) => return pending,
        };
        let lossy = route.as_ref().is_some_and(|route| route.lossy);
        if let (Some(route), Some(to)) = (&route, to)
            && !self.check_destination(route, to)
        {
            return pending;
        }
        let order = route.as_ref().map_or(Order::Sent, |route| route.order);
        let bound = route.as_ref().and_then(|route| route.bound).unwrap_or(self.options.queue);
        let receivers = match to {
            Some(syntax::Expr { kind: ExprKind::Name(env), .. }) if env == "env" => None,
            Some(to) => self.receiver_of(to, route.as_ref(), bound).map(|receiver| vec![receiver]),
            None => {
                let process = route.as_ref().and_then(|route| route.to);
                process.map(|process| self.receivers(process, order, bound, name))
            }
        };
        let Some(receivers) = receivers else {
            pending.text.push(written);
            return pending;
        };
        if route.is_some_and(|route| route.multicast) && to.is_none() {
            for receiver in receivers {
                pending = self.send(pending, vec![receiver], lossy, &fields, &written, span);
            }
            return pending;
        }
        self.send(pending, receivers, lossy, &fields, &written, span)
    }

    /// The route that an output takes: the one it names, or the only one that there is.
    fn route(
        &mut self,
        via: Option<&syntax::Expr>,
        to: Option<&syntax::Expr>,
        signal: usize,
        name: &Name,
    ) -> Result<Option<Route>, ()> {
        let Some(via) = via else {
            if to.is_some() {
                return Ok(None);
            }
            let fits = |route: &&Route| {
                route.count > 0 && route.from == Some(self.current) && route.signals.contains(&signal)
            };
            let mut fitting = self.routes.iter().filter(fits);
            return match (fitting.next().cloned(), fitting.next()) {
                (Some(route), None) => Ok(Some(route)),
                (first, _) => {
                    let count = if first.is_some() {
                        "more than one signalroute takes"
                    } else {
                        "no signalroute takes"
                    };
                    let message = format!("{count} `{}` from here; say `via` or `to`", name.text);
                    self.error("if::no-destination", message, name.span);
                    Err(())
                }
            };
        };
        let (text, instance) = match &via.kind {
            ExprKind::Name(text) => (text, None),
            ExprKind::Cast(name, operand) => (&name.text, Some(operand)),
            _ => {
                self.error("if::via", "expected a signalroute, as in `via {route}0`", via.span);
                return Err(());
            }
        };
        let Some(Symbol::Route(index)) = self.scopes.find(text).cloned() else {
            self.unknown("signalroute", &Name { text: text.clone(), span: via.span });
            return Err(());
        };
        let route = self.routes[index].clone();
        if route.count == 0 {
            let message = format!("`{}` has no instances", route.name);
            let error = Diagnostic::error("if::no-such-instance", message).at(via.span, "");
            let help = format!("declare it with one: `signalroute {}(1) …`", route.name);
            self.diagnostics.push(error.help(help));
            return Err(());
        }
        if let Some(instance) = instance {
            let number = self.constant(instance).ok_or(())?;
            if !(0..i64::from(route.count)).contains(&number) {
                self.error(
                    "if::no-such-instance",
                    format!("`{}` has no instance {number}", route.name),
                    via.span,
                );
                return Err(());
            }
        }
        if !route.signals.contains(&signal) || route.from != Some(self.current) {
            let message = format!("`{}` does not take `{}` from here", route.name, name.text);
            self.error("if::via", message, via.span);
            return Err(());
        }
        Ok(Some(route))
    }

    /// Whether a route leads where a signal is sent, as far as that is known; if not, that is said.
    fn check_destination(&mut self, route: &Route, to: &syntax::Expr) -> bool {
        let wanted = match &to.kind {
            ExprKind::Name(env) if env == "env" => None,
            ExprKind::SelfPid => Some(self.current),
            _ => match self.process_meant(to) {
                Some((process, _)) => Some(process),
                None => return true,
            },
        };
        if wanted == route.to {
            return true;
        }
        let name = |process: Option<usize>| process.map_or("env", |index| &self.processes[index].name);
        let message = format!("`{}` leads to `{}`, not to `{}`", route.name, name(route.to), name(wanted));
        self.error("if::no-destination", message, to.span);
        false
    }

    /// The instances that a route leads to.
    fn receivers(&mut self, process: usize, order: Order, bound: u32, name: &Name) -> Vec<Receiver> {
        let info = self.processes[process].clone();
        if info.is_forked || info.count == 0 {
            let message = format!("`{}` is forked: say `to` which instance gets `{}`", info.name, name.text);
            self.error("if::no-destination", message, name.span);
        }
        (info.first..info.first + info.count)
            .map(|pid| self.receiver(process, order, bound, Expr::Const(i64::from(pid))))
            .collect()
    }

    fn receiver(&self, process: usize, order: Order, bound: u32, pid: Expr) -> Receiver {
        let channel = self.queue_of(process, order, pid.clone());
        let may_end = self.processes[process].stopped.is_some();
        Receiver { channel, order, bound, nobody: None, alive: may_end.then(|| self.is_active(pid)) }
    }

    /// The process with a number. One to which the route, if there is one, does not lead has no queue.
    fn receiver_of(&mut self, to: &syntax::Expr, route: Option<&Route>, bound: u32) -> Option<Receiver> {
        let order = route.map_or(Order::Sent, |route| route.order);
        if let Some((process, pid)) = self.process_meant(to) {
            return pid.map(|pid| self.receiver(process, order, bound, pid));
        }
        let value = self.value(to);
        self.expect(&value, &Ty::Pid, to.span);
        let mut channel = Expr::Const(0);
        let is_meant = |process: &usize| route.is_none_or(|route| route.to == Some(*process));
        for process in (0..self.processes.len()).rev().filter(is_meant) {
            let info = &self.processes[process];
            let queue = self.queue_of(process, order, value.expr.clone());
            channel = match info.waiting(order) {
                Queue::None => channel,
                Queue::Global(_) => {
                    let is_it =
                        Expr::binary(BinaryOp::Equal, value.expr.clone(), Expr::Const(i64::from(info.first)));
                    Expr::Conditional(Box::new(is_it), Box::new(queue), Box::new(channel))
                }
                // No channel when the process is of another template.
                Queue::Local(_) => {
                    let is_it = Expr::binary(BinaryOp::NotEqual, queue.clone(), Expr::Const(0));
                    Expr::Conditional(Box::new(is_it), Box::new(queue), Box::new(channel))
                }
            };
        }
        let may_end = self.processes.iter().any(|info| info.stopped.is_some());
        let nobody = Expr::binary(BinaryOp::Equal, channel.clone(), Expr::Const(0));
        // No process at all is an error, not one that has ended.
        let is_active = |lowering: &Self| lowering.is_active(value.expr.clone());
        let alive = may_end.then(|| Expr::binary(BinaryOp::Or, nobody.clone(), is_active(self)));
        Some(Receiver { channel, order, bound, nobody: Some(nobody), alive })
    }

    /// The queue of an instance, or its bag.
    pub(super) fn queue_of(&self, process: usize, order: Order, pid: Expr) -> Expr {
        let place = match self.processes[process].waiting(order) {
            Queue::None => return Expr::Const(0),
            Queue::Global(offset) => Place::fixed(Base::Global, offset, ScalarType::CHANNEL),
            Queue::Local(offset) => {
                let base = Base::Other { template: TemplateId::from(process), process: Some(Box::new(pid)) };
                Place::fixed(base, offset, ScalarType::CHANNEL)
            }
        };
        Expr::Load(place)
    }

    /// Whether a process exists and has not ended.
    pub(super) fn is_active(&self, pid: Expr) -> Expr {
        let mut active = Expr::binary(BinaryOp::Less, pid.clone(), Expr::ProcessCount);
        for (index, info) in self.processes.iter().enumerate() {
            if let Some(location) = info.stopped {
                let process = Some(Box::new(pid.clone()));
                let ended = Expr::AtLocation { template: TemplateId::from(index), process, location };
                active = Expr::binary(BinaryOp::And, active, Expr::negation(ended));
            }
        }
        match self.killed {
            Some(killed) => {
                let flag = Expr::Load(self.killed_flag(killed, pid));
                Expr::binary(BinaryOp::And, active, Expr::negation(flag))
            }
            None => active,
        }
    }

    /// Sends to one of the receivers.
    fn send(
        &mut self,
        pending: Pending,
        receivers: Vec<Receiver>,
        lossy: bool,
        fields: &[Expr],
        written: &str,
        span: Span,
    ) -> Pending {
        let drops = self.options.overflow == Overflow::Drop;
        let largest = self.largest_bound();
        let errs = self.options.overflow == Overflow::Error;
        // A queue with room for more than the route may put there is looked at before.
        let is_looked_at = |receiver: &Receiver| !errs && receiver.bound < largest;
        let is_simple = receivers.len() == 1
            && !lossy
            && !drops
            && receivers[0].alive.is_none()
            && !is_looked_at(&receivers[0]);
        if is_simple && let Some(receiver) = receivers.first() {
            let mut pending = self.fresh(pending);
            if let Some(nobody) = &receiver.nobody {
                let put = |lowering: &Self, fails: &mut Pending| lowering.put(fails, receiver, fields);
                self.fail_for_nobody(&mut pending, nobody, written, put);
            }
            self.put(&mut pending, receiver, fields);
            pending.text.push(written.to_owned());
            return pending;
        }
        let at = self.pause(pending).from;
        let join = self.add_location(None, Some(span));
        let lost = |guard: Guard, why: &str| {
            let mut pending = Pending::new(at, guard, span);
            pending.text.push(format!("{written} ({why})"));
            pending
        };
        let mut edges = Vec::new();
        for receiver in &receivers {
            if let Some(nobody) = &receiver.nobody {
                let mut fails = lost(Guard::When(nobody.clone()), NOBODY);
                self.put(&mut fails, receiver, fields);
                edges.push(fails);
            }
            let mut sent = Pending::new(at, Guard::Always, span);
            let length = Expr::Channel(ChannelQuery::Length, Box::new(receiver.channel.clone()));
            let has_room = Expr::binary(BinaryOp::Less, length, Expr::Const(i64::from(receiver.bound)));
            let known = receiver.nobody.clone().map(Expr::negation);
            let is_there = [known, receiver.alive.clone()].into_iter().flatten();
            let is_there = is_there.reduce(|one, other| Expr::binary(BinaryOp::And, one, other));
            let is_alive = |then: Expr| match &is_there {
                Some(is_there) => Expr::binary(BinaryOp::And, is_there.clone(), then),
                None => then,
            };
            if is_looked_at(receiver) {
                sent.guard = Guard::When(is_alive(has_room.clone()));
            } else if let Some(is_there) = &is_there {
                sent.guard = Guard::When(is_there.clone());
            }
            if let Some(alive) = &receiver.alive {
                edges.push(lost(Guard::When(Expr::negation(alive.clone())), "receiver has ended"));
            }
            self.put(&mut sent, receiver, fields);
            sent.text.push(written.to_owned());
            edges.push(sent);
            if drops {
                edges.push(lost(Guard::When(is_alive(Expr::negation(has_room))), "queue full"));
            }
        }
        if lossy {
            edges.push(lost(Guard::Always, "lost"));
        }
        for edge in edges {
            self.finish(edge, join, true);
        }
        Pending::new(join, Guard::Always, span)
    }

    /// What has to know a process fails when nobody is meant: an edge of its own says so. It does not come to its target.
    pub(super) fn fail_for_nobody(
        &mut self,
        pending: &mut Pending,
        nobody: &Expr,
        written: &str,
        act: impl FnOnce(&Self, &mut Pending),
    ) {
        let and = |guard: &Guard, then: Expr| match guard {
            Guard::When(before) => Guard::When(Expr::binary(BinaryOp::And, before.clone(), then)),
            _ => Guard::When(then),
        };
        let mut fails = pending.clone();
        fails.guard = and(&pending.guard, nobody.clone());
        fails.text.push(format!("{written} ({NOBODY})"));
        act(self, &mut fails);
        let from = fails.from;
        self.finish(fails, from, false);
        pending.guard = and(&pending.guard, Expr::negation(nobody.clone()));
    }

    /// Puts a signal into a queue, which must not go beyond its bound.
    fn put(&self, pending: &mut Pending, receiver: &Receiver, fields: &[Expr]) {
        let (channel, sorted) = (receiver.channel.clone(), receiver.order == Order::Any);
        pending.sync = Some(Sync::Send { channel: channel.clone(), fields: fields.to_vec(), sorted });
        if self.options.overflow == Overflow::Error {
            let length = Expr::Channel(ChannelQuery::Length, Box::new(channel));
            let bound = Expr::Const(i64::from(receiver.bound));
            pending.effect.push(Action::Assert(Expr::binary(BinaryOp::LessEqual, length, bound)));
        }
    }
}
