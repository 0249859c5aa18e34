//! Edges and synchronizations.
//!
//! An edge is one for each choice of its selection, each conjunct of its guard and each channel that it may be about, so that all
//! of these are known. Events of the network are channels with a direction. Two processes synchronize on a channel; one sends to
//! all that can receive on a broadcast channel; all whose alphabet has the channel take part where it has no direction.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fathom_source::Span;
use fathom_timed::{
    BinaryOp, Coordinates, Edge as LoweredEdge, Expr, Guard, Participant, Statement, Synchronization,
    WeakRule,
};

use crate::instantiate::Instance;
use crate::resolve::Lowering;
use crate::scope::{Object, Scope, Symbol, binary};
use crate::syntax::{Direction, Document, Edge, Template};
use crate::types::Type;

/// Edges of a process after which it is too large.
const MOST_EDGES: usize = 1 << 18;

/// The event of edges without a channel.
const ALONE: usize = 0;

fn event(channel: usize, direction: Direction) -> usize {
    1 + channel * 3
        + match direction {
            Direction::Send => 0,
            Direction::Receive => 1,
            Direction::Together => 2,
        }
}

/// A channel that an edge may be about, and when it is.
type ChannelChoice = (Option<Expr>, usize);

impl<'a> Lowering<'a> {
    /// The edges of all processes, and how they go together.
    pub fn connect(&mut self, document: &'a Document, global: &Rc<Scope<'a>>, instances: &[Instance<'a>]) {
        self.network.events = vec!["".to_owned()];
        self.network.scalars.events = vec![Coordinates::default()];
        for channel in &self.channels {
            for mark in ["!", "?", ""] {
                self.network.events.push(format!("{}{mark}", channel.name));
                let mut place = channel.place.clone();
                place.family.push_str(mark);
                self.network.scalars.events.push(place);
            }
        }
        for (process, instance) in instances.iter().enumerate() {
            for edge in &instance.template.edges {
                self.edge(process, instance, edge);
            }
        }
        self.check_directions(document);
        let alphabets = self.alphabets(document, global);
        self.synchronize(&alphabets);
        self.drop_partnerless();
    }

    fn edge(&mut self, process: usize, instance: &Instance<'a>, edge: &'a Edge) -> Option<()> {
        let (source, target) =
            (location(instance.template, &edge.source.text), location(instance.template, &edge.target.text));
        let (Some(source), Some(target)) = (source, target) else {
            let missing = if source.is_none() { &edge.source } else { &edge.target };
            let message = format!("there is no location '{}'", missing.text);
            return self.complain("uppaal::undeclared", message, missing.span);
        };
        for scope in self.selections(&instance.scope, edge)? {
            let guards = match &edge.guard {
                Some(guard) => self.guard(&scope, guard)?,
                None => vec![Guard::default()],
            };
            if guards.is_empty() {
                continue;
            }
            let channels = self.channel_choices(&scope, edge)?;
            self.next_local = 0;
            let mut update = Vec::new();
            let mut is_fine = true;
            for written in &edge.updates {
                is_fine &= self.effect(&scope, written, &mut update).is_some();
            }
            self.next_local = 0;
            if !is_fine {
                return None;
            }
            for guard in &guards {
                for (condition, event) in &channels {
                    let mut guard = guard.clone();
                    guard.conditions.extend(condition.clone());
                    self.push_edge(process, source, target, *event, guard, &update, edge.span)?;
                }
            }
        }
        Some(())
    }

    #[allow(clippy::too_many_arguments)]
    fn push_edge(
        &mut self,
        process: usize,
        source: usize,
        target: usize,
        event: usize,
        guard: Guard,
        update: &[Statement],
        span: Span,
    ) -> Option<()> {
        if event != ALONE && !guard.clocks.is_empty() {
            let channel = &self.channels[(event - 1) / 3];
            if channel.is_urgent {
                let message = "an edge on an urgent channel has no bounds on clocks in its guard";
                return self.complain("uppaal::urgent-clock-guard", message, span);
            }
        }
        let edges = &mut self.network.processes[process].edges;
        if edges.len() >= MOST_EDGES {
            return self.complain("uppaal::too-large", "too many edges", span);
        }
        edges.push(LoweredEdge { source, target, event, guard, update: update.to_vec(), span: Some(span) });
        Some(())
    }

    /// A scope for each choice of the selection of an edge.
    fn selections(&mut self, scope: &Rc<Scope<'a>>, edge: &'a Edge) -> Option<Vec<Rc<Scope<'a>>>> {
        let mut scopes = vec![scope.clone()];
        for (name, ty) in &edge.selects {
            let (ty, _) = self.type_of(scope, ty)?;
            let values: Vec<i64> = self.values_of(&ty, name.span)?.collect();
            if self.is_too_many(scopes.len() * values.len(), name.span) {
                return None;
            }
            let with = |around: &Rc<Scope<'a>>, value: i64, ty: &Type| {
                let inside = Scope::inside(around);
                inside.declare(&name.text, Symbol::Object(Object::constant(value, ty.clone())));
                inside
            };
            let ty = &ty;
            scopes = scopes
                .iter()
                .flat_map(|around| values.iter().map(move |&value| with(around, value, ty)))
                .collect();
        }
        Some(scopes)
    }

    /// The events that an edge may have, and when it has each.
    fn channel_choices(&mut self, scope: &Rc<Scope<'a>>, edge: &'a Edge) -> Option<Vec<ChannelChoice>> {
        let Some((written, direction)) = &edge.synchronization else { return Some(vec![(None, ALONE)]) };
        // Indices may call functions; these are part of the condition then.
        let mut prelude = Vec::new();
        let before = self.next_local;
        let object = self.object(scope, written, &mut prelude)?;
        let n_locals = self.next_local;
        self.next_local = before;
        if !matches!(object.ty, Type::Channel { .. }) {
            let message = format!("expected a channel, found {}", object.ty.describe());
            return self.complain("uppaal::type", message, written.span);
        }
        let (first, length, index) = object.channel();
        let Some(index) = index else { return Some(vec![(None, event(first, *direction))]) };
        let index = if prelude.is_empty() {
            index
        } else {
            let compute = fathom_timed::Compute { statements: prelude, result: index, n_locals };
            Expr::Compute(compute.into())
        };
        // An index outside is a fault of whoever evaluates it.
        let index = Expr::Within(Box::new(index), length);
        let choice = |number: u32| {
            let condition = binary(BinaryOp::Equal, index.clone(), Expr::Constant(i64::from(number)));
            (Some(condition), event(first + number as usize, *direction))
        };
        Some((0..length).map(choice).collect())
    }

    /// Synchronization with and without direction do not go together.
    fn check_directions(&mut self, document: &'a Document) {
        let edges = || document.templates.iter().flat_map(|template| &template.edges);
        let with = |wanted: bool| {
            edges().find_map(|edge| match &edge.synchronization {
                Some((channel, direction)) if (*direction == Direction::Together) == wanted => {
                    Some(channel.span)
                }
                _ => None,
            })
        };
        if let (Some(span), Some(_)) = (with(true), with(false)) {
            let message = "synchronization without direction cannot be mixed with '!' and '?'";
            self.complain::<()>("uppaal::mixed-synchronization", message, span);
        }
    }

    /// By process: the channels on which it takes part without direction.
    fn alphabets(
        &mut self,
        document: &'a Document,
        global: &Rc<Scope<'a>>,
    ) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut found: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (name, channels) in &document.alphabets {
            let Some(Symbol::Process(process)) = self.lookup(global, &name.text, name.span) else { continue };
            let alphabet = found.entry(process).or_default();
            for channel in channels {
                let mut prelude = Vec::new();
                let Some(object) = self.object(global, channel, &mut prelude) else { continue };
                let size = object.ty.size()[crate::types::CHANNELS];
                alphabet
                    .extend(object.base[crate::types::CHANNELS]..object.base[crate::types::CHANNELS] + size);
            }
        }
        // Who does not say takes part in what it speaks of.
        for (process, lowered) in self.network.processes.iter().enumerate() {
            let events = lowered.edges.iter().map(|edge| edge.event).filter(|&event| event != ALONE);
            let together = events.filter(|event| (event - 1) % 3 == 2).map(|event| (event - 1) / 3);
            found.entry(process).or_insert_with(|| together.collect());
        }
        // What is not in the alphabet concerns nobody else.
        for (process, lowered) in self.network.processes.iter_mut().enumerate() {
            for edge in
                lowered.edges.iter_mut().filter(|edge| edge.event != ALONE && (edge.event - 1) % 3 == 2)
            {
                let channel = (edge.event - 1) / 3;
                if !found.get(&process).is_some_and(|alphabet| alphabet.contains(&channel)) {
                    edge.event = ALONE;
                }
            }
        }
        found
    }

    fn synchronize(&mut self, alphabets: &BTreeMap<usize, BTreeSet<usize>>) {
        for (channel, declared) in self.channels.iter().enumerate() {
            let with = |direction: Direction| -> Vec<usize> {
                let event = event(channel, direction);
                let processes = self.network.processes.iter().enumerate();
                processes
                    .filter(|(_, process)| process.edges.iter().any(|edge| edge.event == event))
                    .map(|(index, _)| index)
                    .collect()
            };
            let participant = |process: usize, direction: Direction, is_weak: bool| Participant {
                process,
                event: event(channel, direction),
                is_weak,
            };
            let synchronization = |participants: Vec<Participant>| Synchronization {
                participants,
                weak_rule: WeakRule::Guard,
                is_urgent: declared.is_urgent,
                priority: declared.priority,
                span: None,
            };
            let (senders, receivers) = (with(Direction::Send), with(Direction::Receive));
            let mut found = Vec::new();
            for &sender in &senders {
                let first = participant(sender, Direction::Send, false);
                let others = receivers.iter().filter(|&&receiver| receiver != sender);
                if declared.is_broadcast {
                    let rest = others.map(|&receiver| participant(receiver, Direction::Receive, true));
                    found.push(synchronization([first].into_iter().chain(rest).collect()));
                } else {
                    let with = |&receiver: &usize| {
                        synchronization(vec![first, participant(receiver, Direction::Receive, false)])
                    };
                    found.extend(others.map(with));
                }
            }
            let together: Vec<Participant> = alphabets
                .iter()
                .filter(|(_, alphabet)| alphabet.contains(&channel))
                .map(|(&process, _)| participant(process, Direction::Together, false))
                .collect();
            if !together.is_empty() {
                found.push(synchronization(together));
            }
            self.network.synchronizations.extend(found);
        }
    }

    /// Leaves out edges whose channel nobody else uses the other way round: they are never taken.
    fn drop_partnerless(&mut self) {
        let used: BTreeSet<(usize, usize)> = self
            .network
            .synchronizations
            .iter()
            .flat_map(|one| &one.participants)
            .map(|participant| (participant.process, participant.event))
            .collect();
        for (index, process) in self.network.processes.iter_mut().enumerate() {
            process.edges.retain(|edge| edge.event == ALONE || used.contains(&(index, edge.event)));
        }
    }
}

fn location(template: &Template, id: &str) -> Option<usize> {
    template.locations.iter().position(|location| location.id == id)
}
