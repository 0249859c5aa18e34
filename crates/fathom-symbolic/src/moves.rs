//! The moves of one process from a set of states: as in `step.rs` and `hand_shake.rs` of the reference interpreter.
//!
//! What the interpreter remembers about one state (has an edge been taken, did a group decide) is here the set of states
//! of which it is true.

use std::rc::Rc;

use fathom_diagram::{Diagram, NoRoom};
use fathom_model::{ChannelQuery, Edge, Fault, Location, Pattern, Sync};

use crate::effect::Faults;
use crate::machine::{Live, Machine, View};
use crate::number::Number;
use crate::path::{Bits, Path};

/// Most edges of one indivisible block before it is given up, as in the interpreter.
const LONGEST_BLOCK: usize = 1_000_000;

/// Edges of a block before anybody asks whether it goes round.
const SHORT_BLOCK: usize = 64;

/// What moves lead to.
#[derive(Default, Debug)]
pub(crate) struct Reached {
    /// Paths, with the process that goes on alone, if any.
    pub children: Vec<(Path, Option<u32>)>,
    /// Faults on the way, failed assertions among them.
    pub faults: Faults,
}

/// What came of trying an edge.
#[derive(Default)]
struct Attempt {
    /// Taken.
    done: Vec<Path>,
    /// Possible only together with a receiver on this channel; the path is not changed yet.
    offers: Vec<(Path, usize)>,
    faults: Faults,
}

/// A hand-shake under way: the sender's half is done.
struct Sent {
    channel: usize,
    sender: u32,
    message: Vec<Number>,
}

/// A set of states inside an indivisible block.
struct Inside {
    path: Path,
    /// The atomic mark of the last edge.
    atomic: bool,
    n_edges: usize,
    /// What it was at the last number of edges that is a power of two, as in the interpreter.
    remembered: Option<Rc<(Vec<u8>, Bits)>>,
}

impl Inside {
    /// Whether it is what it was before. Conditions only become narrower, so that every state of it goes round.
    fn goes_round(&self) -> bool {
        let is_back = |old: &(Vec<u8>, Bits)| old.0 == self.path.shape.bytes && old.1 == self.path.bits;
        self.remembered.as_deref().is_some_and(is_back)
    }

    fn remember(&mut self) {
        if self.n_edges >= SHORT_BLOCK && self.n_edges.is_power_of_two() {
            self.remembered = Some(Rc::new((self.path.shape.bytes.clone(), self.path.bits.clone())));
        }
    }
}

impl Machine<'_> {
    /// The union of conditions.
    fn union<'d>(&self, conditions: impl Iterator<Item = &'d Diagram>) -> Result<Diagram, NoRoom> {
        let mut all = self.arithmetic.no.clone();
        for condition in conditions {
            all = all.or(condition)?;
        }
        Ok(all)
    }

    /// Tries every edge of the process that looks and collects what is reached. Gives the condition under which any was
    /// taken.
    pub fn moves_of(&mut self, view: &View, from: &Path, reached: &mut Reached) -> Result<Diagram, NoRoom> {
        let mut moved = self.arithmetic.no.clone();
        let Some(process) = view.own else { return Ok(moved) };
        let template = self.model.template(from.shape.processes[process as usize].template);
        for (condition, location) in self.locations(from, process)? {
            let location = template.location(location);
            let mut here = Path { condition, ..from.clone() };
            // Inside a block nobody asks who may move.
            if !location.deterministic {
                let mut live = Live::new(&here.condition);
                let may = self.may_move(view, &here, &mut live)?;
                moved = moved.or(&self.union(live.faults.iter().map(|(_, condition)| condition))?)?;
                reached.faults.append(&mut live.faults);
                match here.into_under(&may)? {
                    Some(path) => here = path,
                    None => continue,
                }
            }
            moved = moved.or(&self.try_edges(view, &here, location, reached)?)?;
        }
        Ok(moved)
    }

    fn try_edges(
        &mut self,
        view: &View,
        from: &Path,
        location: &Location,
        reached: &mut Reached,
    ) -> Result<Diagram, NoRoom> {
        let template =
            self.model.template(from.shape.processes[view.own.unwrap_or_default() as usize].template);
        let no = self.arithmetic.no.clone();
        let (mut taken, mut decided, mut over) = (no.clone(), no.clone(), no.clone());
        for edges in &location.groups {
            over = over.or(&decided)?;
            decided = no.clone();
            for &edge in edges {
                let rest = if over.is_false() { None } else { Some(from.under(&over.not()?)?) };
                let path = match &rest {
                    None => from,
                    Some(Some(rest)) => rest,
                    Some(None) => return Ok(taken),
                };
                let (now, refused) =
                    self.try_edge(view, path, location, template.edge(edge), &taken, reached)?;
                taken = taken.or(&now)?;
                decided = decided.or(&now)?.minus(&refused)?;
                if location.deterministic {
                    over = over.or(&now)?;
                }
            }
        }
        Ok(taken)
    }

    /// Tries an edge; gives where it was taken, and where it was a hand-shake that nobody accepted.
    fn try_edge(
        &mut self,
        view: &View,
        from: &Path,
        location: &Location,
        edge: &Edge,
        taken: &Diagram,
        reached: &mut Reached,
    ) -> Result<(Diagram, Diagram), NoRoom> {
        let process = view.own.unwrap_or_default();
        let untaken = taken.not()?;
        let attempt = self.attempt(view, from, edge, &untaken)?;
        let faulty = self.union(attempt.faults.iter().map(|(_, condition)| condition))?;
        let done = self.union(attempt.done.iter().map(|path| &path.condition))?;
        let mut now = self.settle(&faulty.or(&done)?, &from.choices)?;
        reached.faults.extend(attempt.faults);
        for path in attempt.done {
            let path = self.note_assertion(path, reached)?;
            self.finish(view, process, edge, path, reached)?;
        }
        let mut refused = self.arithmetic.no.clone();
        let template = self.model.template(from.shape.processes[process as usize].template);
        for (path, channel) in attempt.offers {
            if location.deterministic || template.location(edge.target).deterministic {
                now = now.or(&path.condition)?;
                reached.faults.push((Fault::RendezvousInside, path.condition));
                continue;
            }
            let (accepted, nobody) = self.offer(view, path, channel, edge, reached)?;
            now = now.or(&accepted)?;
            refused = refused.or(&nobody)?;
        }
        Ok((now, refused))
    }

    /// Takes an edge of the process that looks.
    fn attempt(
        &mut self,
        view: &View,
        from: &Path,
        edge: &Edge,
        untaken: &Diagram,
    ) -> Result<Attempt, NoRoom> {
        let mut attempt = Attempt::default();
        let mut live = Live::new(&from.condition);
        let guard = self.guard_holds(view, from, &edge.guard, untaken, &mut live)?;
        attempt.faults.append(&mut live.faults);
        let Some(mut path) = from.under(&guard)? else { return Ok(attempt) };
        path.assertion = self.arithmetic.no.clone();
        let exchanged = match &edge.sync {
            None => vec![path],
            Some(sync) => self.exchange(view, path, sync, &mut attempt)?,
        };
        for path in exchanged {
            let done = self.act_and_arrive(view, path, edge, &mut attempt.faults)?;
            attempt.done.extend(done);
        }
        Ok(attempt)
    }

    /// The exchange of an edge with a buffer; offers of hand-shakes are put aside.
    fn exchange(
        &mut self,
        view: &View,
        path: Path,
        sync: &Sync,
        attempt: &mut Attempt,
    ) -> Result<Vec<Path>, NoRoom> {
        let (Sync::Send { channel, .. } | Sync::Receive { channel, .. }) = sync;
        let mut live = Live::new(&path.condition);
        let channels = self.channels(view, &path, channel, &mut live)?;
        attempt.faults.append(&mut live.faults);
        let mut exchanged = Vec::new();
        for (condition, channel) in channels {
            let Some(here) = path.under(&condition)? else { continue };
            let is_rendezvous = self.is_rendezvous(&here, channel);
            match sync {
                Sync::Send { .. } if is_rendezvous => attempt.offers.push((here, channel)),
                Sync::Send { fields, sorted, .. } => {
                    let full = self.query(&here, channel, ChannelQuery::Full)?;
                    let has_room = self.arithmetic.nonzero(&full)?.not()?;
                    let Some(here) = here.into_under(&has_room)? else { continue };
                    let Some((here, message)) = self.message(view, here, fields, &mut attempt.faults)? else {
                        continue;
                    };
                    if let Some(fault) = self.wrong_count(&here, channel, fields.len()) {
                        attempt.faults.push((fault, here.condition));
                        continue;
                    }
                    exchanged.extend(self.send(&here, channel, &message, *sorted)?);
                }
                Sync::Receive { copy, .. } if is_rendezvous => {
                    if *copy {
                        attempt.faults.push((Fault::PollOfRendezvous, here.condition));
                    }
                }
                Sync::Receive { patterns, which, copy, .. } => {
                    let mut live = Live::new(&here.condition);
                    let slots = self.find_message(view, &here, channel, patterns, *which, &mut live)?;
                    attempt.faults.append(&mut live.faults);
                    for (condition, slot) in slots {
                        let one = Path { condition, ..here.clone() };
                        if let Some(fault) = self.wrong_count(&one, channel, patterns.len()) {
                            attempt.faults.push((fault, one.condition));
                            continue;
                        }
                        for bound in self.bind(view, one, channel, patterns, slot, &mut attempt.faults)? {
                            match copy {
                                true => exchanged.push(bound),
                                false => exchanged.extend(self.remove(&bound, channel, slot)?),
                            }
                        }
                    }
                }
            }
        }
        Ok(exchanged)
    }

    /// The values of a message.
    fn message(
        &mut self,
        view: &View,
        mut path: Path,
        fields: &[fathom_model::Expr],
        faults: &mut Faults,
    ) -> Result<Option<(Path, Vec<Number>)>, NoRoom> {
        let mut message = Vec::with_capacity(fields.len());
        for field in fields {
            let Some((rest, value)) = self.evaluate(view, path, field, faults)? else { return Ok(None) };
            path = rest;
            message.push(value);
        }
        Ok(Some((path, message)))
    }

    fn wrong_count(&self, path: &Path, channel: usize, found: usize) -> Option<Fault> {
        let expected = self.channel_type(path, channel).fields.len();
        (expected != found).then_some(Fault::FieldCount { expected, found })
    }

    /// Files an assertion that failed in the last edge.
    fn note_assertion(&mut self, mut path: Path, reached: &mut Reached) -> Result<Path, NoRoom> {
        let failed = path.condition.and(&path.assertion)?;
        if !failed.is_false() {
            reached.faults.push((Fault::Assertion, failed));
        }
        path.assertion = self.arithmetic.no.clone();
        Ok(path)
    }

    /// Offers a hand-shake. Gives where somebody accepted or a fault came up, and where nobody accepted.
    fn offer(
        &mut self,
        view: &View,
        path: Path,
        channel: usize,
        edge: &Edge,
        reached: &mut Reached,
    ) -> Result<(Diagram, Diagram), NoRoom> {
        let no = self.arithmetic.no.clone();
        let Some(Sync::Send { fields, .. }) = &edge.sync else { return Ok((no.clone(), no)) };
        let sender = view.own.unwrap_or_default();
        if let Some(fault) = self.wrong_count(&path, channel, fields.len()) {
            reached.faults.push((fault, path.condition.clone()));
            return Ok((path.condition, no));
        }
        let mut faults = Faults::new();
        let types = self.channel_type(&path, channel).fields.clone();
        let mut offered = Vec::new();
        let mut message = Vec::new();
        if let Some((path, values)) = self.message(view, path, fields, &mut faults)? {
            for (value, &ty) in values.iter().zip(&types) {
                let bits = self.arithmetic.store(value, usize::from(ty.bits));
                message.push(self.arithmetic.load(ty, bits));
            }
            offered = self.act_and_arrive(view, path, edge, &mut faults)?;
        }
        let mut accepted = self.union(faults.iter().map(|(_, condition)| condition))?;
        let mut refused = no;
        reached.faults.append(&mut faults);
        let sent = Sent { channel, sender, message };
        for mut path in offered {
            path.shape.set_last(self.layout, sender);
            let taken = self.hand_shake(view, &path, &sent, reached)?;
            refused = refused.or(&path.condition.minus(&taken)?)?;
            accepted = accepted.or(&taken)?;
        }
        Ok((accepted, refused))
    }

    /// The receivers' half: gives where somebody accepted.
    fn hand_shake(
        &mut self,
        view: &View,
        offered: &Path,
        sent: &Sent,
        reached: &mut Reached,
    ) -> Result<Diagram, NoRoom> {
        let mut taken = self.arithmetic.no.clone();
        for receiver in (0..offered.shape.processes.len() as u32).rev().filter(|&other| other != sent.sender)
        {
            let view = View { timeout: false, ..view.by(receiver) };
            let mut live = Live::new(&offered.condition);
            let may = self.may_move(&view, offered, &mut live)?;
            reached.faults.append(&mut live.faults);
            let Some(path) = offered.under(&may)? else { continue };
            let template = self.model.template(path.shape.processes[receiver as usize].template);
            for (condition, location) in self.locations(&path, receiver)? {
                let mut open = condition;
                for edges in &template.location(location).groups {
                    let mut accepted = self.arithmetic.no.clone();
                    for &edge in edges {
                        let Some(here) = path.under(&open)? else { break };
                        let one = self.accept(&view, receiver, &here, template.edge(edge), sent, reached)?;
                        accepted = accepted.or(&one)?;
                    }
                    open = open.minus(&accepted)?;
                    taken = taken.or(&accepted)?;
                }
            }
        }
        Ok(taken)
    }

    /// Takes an edge that receives the message under way. Gives where it fits or runs into a fault.
    fn accept(
        &mut self,
        view: &View,
        receiver: u32,
        offered: &Path,
        edge: &Edge,
        sent: &Sent,
        reached: &mut Reached,
    ) -> Result<Diagram, NoRoom> {
        let no = self.arithmetic.no.clone();
        let Some(Sync::Receive { channel, patterns, copy: false, .. }) = &edge.sync else { return Ok(no) };
        let mut live = Live::new(&offered.condition);
        let guard = self.guard_holds(view, offered, &edge.guard, &no, &mut live)?;
        live.condition = guard;
        let channels = self.channels(view, offered, channel, &mut live)?;
        let same = channels.into_iter().filter(|(_, index)| *index == sent.channel);
        let same = self.union(same.map(|(condition, _)| condition).collect::<Vec<_>>().iter())?;
        live.condition = live.condition.and(&same)?;
        if let Some(fault) = self.wrong_count(offered, sent.channel, patterns.len()) {
            let all = live.condition.clone();
            live.fault(fault, &all)?;
        }
        for (pattern, value) in patterns.iter().zip(&sent.message) {
            if let Pattern::Match(expected) = pattern {
                let expected = self.value(view, offered, expected, &mut live)?;
                live.condition = live.condition.and(&self.arithmetic.equal(&expected, value)?)?;
            }
        }
        let mut faults = live.faults;
        let mut paths: Vec<Path> = offered.under(&live.condition)?.into_iter().collect();
        for (pattern, value) in patterns.iter().zip(&sent.message) {
            if let Pattern::Bind(place) = pattern {
                let mut next = Vec::with_capacity(paths.len());
                for path in paths {
                    next.extend(self.store(view, path, place, value.clone(), &mut faults)?);
                }
                paths = next;
            }
        }
        let mut done = Vec::new();
        for path in paths {
            done.extend(self.act_and_arrive(view, path, edge, &mut faults)?);
        }
        let conditions =
            faults.iter().map(|(_, condition)| condition).chain(done.iter().map(|path| &path.condition));
        let accepted = self.union(conditions)?;
        reached.faults.append(&mut faults);
        for path in done {
            let path = self.note_assertion(path, reached)?;
            self.finish(view, receiver, edge, path, reached)?;
        }
        Ok(accepted)
    }

    /// Ends a move whose first edge was taken: runs the block it entered and files what is reached.
    fn finish(
        &mut self,
        view: &View,
        process: u32,
        first: &Edge,
        path: Path,
        reached: &mut Reached,
    ) -> Result<(), NoRoom> {
        let mut under_way = vec![Inside { path, atomic: first.atomic, n_edges: 0, remembered: None }];
        while let Some(mut inside) = under_way.pop() {
            let goes_round = inside.goes_round();
            inside.remember();
            let Inside { path, atomic, n_edges, remembered } = inside;
            let is_alive = (process as usize) < path.shape.processes.len();
            if !is_alive {
                self.file(path, process, None, reached);
                continue;
            }
            let template = self.model.template(path.shape.processes[process as usize].template);
            let locations = self.locations(&path, process)?;
            let n_locations = locations.len();
            let mut path = Some(path);
            for (index, (condition, location)) in locations.into_iter().enumerate() {
                let whole = if index + 1 < n_locations { path.clone() } else { path.take() };
                let Some(whole) = whole else { break };
                let here = Path { condition, ..whole };
                let location = template.location(location);
                if !location.deterministic {
                    self.file(here, process, atomic.then_some(process), reached);
                } else if goes_round {
                    reached.faults.push((Fault::EndlessInside, here.condition));
                } else if n_edges >= LONGEST_BLOCK {
                    self.model.listing.give_up_step();
                } else {
                    for (path, atomic) in self.first_executable(view, &here, location, reached)? {
                        under_way.push(Inside {
                            path,
                            atomic,
                            n_edges: n_edges + 1,
                            remembered: remembered.clone(),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, mut path: Path, process: u32, alone: Option<u32>, reached: &mut Reached) {
        path.shape.set_last(self.layout, process);
        reached.children.push((path, alone));
    }

    /// Takes the first executable edge of a location inside a block; gives the paths with the atomic marks of their edges.
    fn first_executable(
        &mut self,
        view: &View,
        from: &Path,
        location: &Location,
        reached: &mut Reached,
    ) -> Result<Vec<(Path, bool)>, NoRoom> {
        let process = view.own.unwrap_or_default();
        let template = self.model.template(from.shape.processes[process as usize].template);
        let yes = self.arithmetic.yes.clone();
        let mut rest = from.condition.clone();
        let mut paths = Vec::new();
        for &edge in location.groups.iter().flatten() {
            let Some(here) = from.under(&rest)? else { break };
            let edge = template.edge(edge);
            let mut attempt = self.attempt(view, &here, edge, &yes)?;
            let offered = attempt.offers.drain(..).map(|(path, _)| (Fault::RendezvousInside, path.condition));
            attempt.faults.extend(offered);
            for (_, condition) in &attempt.faults {
                rest = rest.minus(condition)?;
            }
            reached.faults.append(&mut attempt.faults);
            for path in attempt.done {
                rest = rest.minus(&path.condition)?;
                paths.push((self.note_assertion(path, reached)?, edge.atomic));
            }
        }
        if !rest.is_false() {
            reached.faults.push((Fault::BlockedInside, rest));
        }
        Ok(paths)
    }
}
