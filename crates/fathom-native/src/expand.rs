//! The driver: moves put together to steps, as the interpreter does.
//!
//! Every process is asked what it can do, from the highest number to the lowest. At most locations one call
//! does all: the function takes every edge that can be taken and leaves the states it reaches, one after the
//! other, in a buffer that becomes steps in one go. Where an edge makes or removes records, may refuse, or offers a
//! hand-shake that somebody may accept, edges are taken one at a time. From the first state on at which the process goes on alone, the
//! states that it reaches are kept aside ([`sequence`](crate::sequence)) and followed to their ends before the next
//! process is asked.

use std::ops::Range;

use fathom_model::layout::write_number;
use fathom_model::{Move, NoRegion, Steps};

use crate::context::{Code, Context, Growing, result};
use crate::directory::{Directory, ProcessEntry};
use crate::facts::Facts;
use crate::kinds::MOST_CHOICES;
use crate::plan::{Choices, EdgePlan, EffectPlan, HotPlan, LocationPlan, Plan, TemplatePlan};
use crate::sequence::Sequence;

/// The interpreter must expand this state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ask;

/// Buffers for expansions.
#[derive(Default, Debug)]
pub(crate) struct Buffers {
    growing: Growing,
    pub offered: Vec<u8>,
    message: Vec<i32>,
    /// States that a function has reached, one after the other, and room for more.
    fresh: Vec<u8>,
    /// Results that go with them.
    results: Vec<u64>,
    pub sequence: Sequence,
    /// Who accepted the offer of which step of this expansion, where known.
    pub partners: Partners,
}

/// The receivers of hand-shakes.
#[derive(Default, Debug)]
pub(crate) struct Partners {
    /// Positions of steps, with the process that received.
    pub of_steps: Vec<(usize, u32)>,
    /// Whether some are missing: those of steps in which somebody went on alone.
    pub is_partial: bool,
}

impl Partners {
    pub fn clear(&mut self) {
        self.of_steps.clear();
        self.is_partial = false;
    }
}

impl Buffers {
    /// Makes room for every message and for every location of the model.
    pub fn make_room(&mut self, facts: &Facts<'_>) {
        let longest = facts.classes.iter().map(|class| class.fields.len()).max();
        self.message.resize(longest.unwrap_or(0), 0);
        self.results.resize(MOST_CHOICES, 0);
    }
}

/// A state that a process moves from.
#[derive(Clone, Copy)]
pub(crate) struct View<'v> {
    pub state: &'v [u8],
    pub directory: &'v Directory,
}

/// A process at a location.
#[derive(Clone, Copy)]
pub(crate) struct Mover<'v> {
    pub process: usize,
    pub entry: ProcessEntry,
    pub template: &'v TemplatePlan<Code>,
    pub location: &'v LocationPlan<Code>,
}

/// What came of trying an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tried {
    Blocked,
    Taken,
    /// A hand-shake that nobody accepts.
    Refused,
}

/// Whether the process goes on alone after an effect with this result.
#[inline]
fn goes_on(result: u64) -> bool {
    result & (result::ATOMIC | result::ENDED) == result::ATOMIC
}

/// What has changed from the expanded state to an in-between one, besides the process that goes on alone.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Differs {
    /// Records were added or removed.
    pub in_records: bool,
    /// Another process has moved, in a hand-shake.
    pub in_others: bool,
}

/// An expansion under way.
pub(crate) struct Expansion<'w, 'm> {
    plan: &'w Plan<Code>,
    pub facts: &'w Facts<'m>,
    pub context: Context<'m>,
    pub buffers: &'w mut Buffers,
    pub out: &'w mut Steps<NoRegion, Move>,
    /// Bytes of the fresh states that were not filed yet.
    n_fresh: usize,
    /// Whether states are steps as they come.
    is_direct: bool,
    /// How the state under expansion differs from the expanded one.
    pub differs: Differs,
    /// The channels that some process may receive from, by [`channel_bit`](crate::kinds::channel_bit), once that was asked.
    pub receives: Option<u64>,
    /// Edges in which an assertion failed.
    pub n_failed: u64,
}

impl<'w, 'm> Expansion<'w, 'm> {
    pub fn new(
        facts: &'w Facts<'m>,
        plan: &'w Plan<Code>,
        directory: &Directory,
        buffers: &'w mut Buffers,
        out: &'w mut Steps<NoRegion, Move>,
    ) -> Expansion<'w, 'm> {
        let mut context = Context {
            processes: std::ptr::null(),
            n_processes: 0,
            channels: std::ptr::null(),
            n_channels: 0,
            timeout: 0,
            length: 0,
            fresh: std::ptr::null_mut(),
            results: buffers.results.as_mut_ptr(),
            message: buffers.message.as_mut_ptr(),
            message_channel: 0,
            state: std::ptr::null_mut(),
            new_record: 0,
            growing: std::ptr::null_mut(),
            answer: 0,
            facts,
        };
        context.look_at(directory);
        Expansion {
            plan,
            facts,
            context,
            buffers,
            out,
            n_fresh: 0,
            is_direct: true,
            differs: Differs::default(),
            receives: None,
            n_failed: 0,
        }
    }

    /// Pushes every step of the chosen processes. Gives whether anything moved.
    #[inline]
    pub fn expand(
        &mut self,
        state: &[u8],
        directory: &Directory,
        timeout: u64,
        is_chosen: &impl Fn(usize) -> bool,
    ) -> Result<bool, Ask> {
        self.context.timeout = timeout;
        self.is_direct = true;
        self.differs = Differs::default();
        self.receives = None;
        let view = &View { state, directory };
        self.context.length = state.len() as u64;
        let mut moved = false;
        for process in (0..directory.processes.len()).rev().filter(|process| is_chosen(*process)) {
            moved |= self.moves_of(view, process)?;
            if !self.is_direct {
                self.finish_sequences(view)?;
            }
        }
        self.flush(state.len());
        Ok(moved)
    }

    /// Follows what a process does alone to its end, so that the next process can be asked.
    #[inline(never)]
    fn finish_sequences(&mut self, view: &View<'_>) -> Result<(), Ask> {
        if self.facts.has_rendezvous {
            self.note_receives(view);
        }
        let (timeout, receives) = (self.context.timeout, self.receives);
        self.follow_sequences(view.directory)?;
        self.context.look_at(view.directory);
        self.context.length = view.state.len() as u64;
        self.context.timeout = timeout;
        self.receives = receives;
        self.differs = Differs::default();
        self.is_direct = true;
        Ok(())
    }

    /// Pushes the steps of the first process of these, from the youngest on, that has any. Gives how many
    /// processes were looked at.
    pub fn expand_first(
        &mut self,
        state: &[u8],
        directory: &Directory,
        processes: Range<usize>,
    ) -> Result<usize, Ask> {
        self.context.timeout = 0;
        self.context.length = state.len() as u64;
        let view = &View { state, directory };
        let n_before = self.out.len();
        self.is_direct = true;
        self.differs = Differs::default();
        self.receives = None;
        for process in processes.clone().rev() {
            self.moves_of(view, process)?;
            self.flush(state.len());
            if !self.is_direct {
                self.finish_sequences(view)?;
            }
            if self.out.len() > n_before {
                return Ok(processes.end - process);
            }
        }
        Ok(processes.len())
    }

    /// Whether every process may rest where it is.
    pub fn is_end(&self, state: &[u8], directory: &Directory) -> bool {
        let view = &View { state, directory };
        (0..directory.processes.len()).all(|process| self.hot(view, process).end)
    }

    /// Whether a condition that no process looks at holds.
    pub fn condition(&mut self, code: Code, state: &[u8]) -> Result<bool, Ask> {
        let nobody = ProcessEntry { offset: 0, template: 0 };
        Ok(self.ask(code, state, nobody, 0)? != 0)
    }

    /// What is needed all the time about a process.
    #[inline(always)]
    pub fn hot(&self, view: &View<'_>, process: usize) -> &'w HotPlan<Code> {
        &self.plan.hot[view.directory.spots[process].location_in(view.state)]
    }

    /// All about a process.
    pub fn mover<'v>(&self, view: &View<'v>, process: usize) -> Mover<'v>
    where
        'w: 'v,
    {
        let entry = view.directory.processes[process];
        let template = &self.plan.templates[entry.template as usize];
        let location = view.directory.spots[process].location_in(view.state);
        let location = location - self.facts.first_location[entry.template as usize] as usize;
        Mover { process, entry, template, location: &template.locations[location] }
    }

    /// Takes every edge of a process and files the states reached. Gives whether any was taken.
    ///
    /// States that need no look are left in the buffer of fresh ones until [`flush`](Expansion::flush).
    #[inline(always)]
    pub fn moves_of(&mut self, view: &View<'_>, process: usize) -> Result<bool, Ask> {
        let hot = self.hot(view, process);
        let length = view.state.len();
        // Most of the time nobody is there to take what is offered.
        if hot.is_special || (hot.offers != 0 && self.note_receives(view) & hot.offers != 0) {
            return self.special_moves_of_process(view, process);
        }
        let room = hot.n_edges as usize * length;
        if self.n_fresh + room > self.buffers.fresh.len() {
            self.make_fresh_room(room);
        }
        self.context.fresh = self.buffers.fresh[self.n_fresh..].as_mut_ptr();
        let result = self.ask(hot.expand, view.state, view.directory.processes[process], process)?;
        if result >= result::HAS_RESULTS {
            return self.look_closer(view, process, result);
        }
        self.n_fresh += result as usize * length;
        Ok(result != 0)
    }

    #[cold]
    fn make_fresh_room(&mut self, room: usize) {
        self.buffers.fresh.resize((self.n_fresh + room) * 2, 0);
    }

    /// The rest of [`moves_of`](Expansion::moves_of) when the driver is needed.
    #[inline(never)]
    fn look_closer(&mut self, view: &View<'_>, process: usize, result: u64) -> Result<bool, Ask> {
        if result & result::SPECIAL != 0 {
            return self.special_moves_of_process(view, process);
        }
        let n_states = (result & (result::HAS_RESULTS - 1)) as usize;
        let mut some_goes_on = false;
        for &result in &self.buffers.results[..n_states] {
            if result & result::ASK != 0 {
                return Err(Ask);
            }
            some_goes_on |= goes_on(result);
            self.n_failed += result::n_failed(result);
        }
        let length = view.state.len();
        if self.is_direct && !some_goes_on {
            self.n_fresh += n_states * length;
            return Ok(true);
        }
        let start = self.n_fresh;
        self.flush(length);
        self.set_aside();
        let Buffers { sequence, fresh, results, .. } = &mut *self.buffers;
        for (state, &result) in fresh[start..].chunks_exact(length).zip(&results[..n_states]) {
            let alone = goes_on(result).then_some(process as u32);
            sequence.push_copy(state, alone, result >> result::IN_BETWEEN_SHIFT, self.differs);
        }
        Ok(true)
    }

    /// Tries every edge of a process for which the driver is needed.
    #[inline(never)]
    fn special_moves_of_process(&mut self, view: &View<'_>, process: usize) -> Result<bool, Ask> {
        self.flush(view.state.len());
        self.special_moves_of(view, &self.mover(view, process))
    }

    /// Files the fresh states, all of this length.
    #[inline]
    pub fn flush(&mut self, length: usize) {
        let n_fresh = std::mem::take(&mut self.n_fresh);
        if n_fresh == 0 {
            return;
        }
        let fresh = &self.buffers.fresh[..n_fresh];
        if self.is_direct {
            self.out.push_all(fresh, length, &NoRegion);
        } else {
            for state in fresh.chunks_exact(length) {
                self.buffers.sequence.push_copy(state, None, 0, self.differs);
            }
        }
    }

    /// Tries every edge of a process at a location where the driver is needed.
    fn special_moves_of(&mut self, view: &View<'_>, mover: &Mover<'_>) -> Result<bool, Ask> {
        if !mover.location.deterministic && !self.may_move(view.state, mover)? {
            return Ok(false);
        }
        let mut choices = match mover.location.choices {
            Choices::Ask(code) => self.ask(code, view.state, mover.entry, mover.process)?,
            Choices::OneByOne => return self.one_by_one(view, mover),
            Choices::None | Choices::Unknown => return Err(Ask),
        };
        let moved = choices != 0;
        while choices != 0 {
            let edge = &mover.location.edges[choices.trailing_zeros() as usize];
            choices &= choices - 1;
            self.take(view, mover, edge)?;
        }
        Ok(moved)
    }

    /// Whether the `provided` clause of a process holds.
    #[inline]
    pub fn may_move(&mut self, state: &[u8], mover: &Mover<'_>) -> Result<bool, Ask> {
        match mover.template.provided {
            None => Ok(true),
            Some(code) => Ok(self.ask(code, state, mover.entry, mover.process)? != 0),
        }
    }

    /// Tries edges where one depends on what came of those before.
    fn one_by_one(&mut self, view: &View<'_>, mover: &Mover<'_>) -> Result<bool, Ask> {
        let mut taken = false;
        let mut decided_by = None;
        for edge in &mover.location.edges {
            if decided_by.is_some_and(|decided_by| decided_by != edge.group) {
                return Ok(taken);
            }
            if edge.is_else && taken {
                continue;
            }
            if let Some(channel) = edge.offers
                && !self.somebody_receives(view, mover, channel)
            {
                continue;
            }
            let answer = match edge.guard {
                None => result::READY,
                Some(code) => self.ask(code, view.state, mover.entry, mover.process)?,
            };
            let tried = match answer {
                result::BLOCKED => Tried::Blocked,
                result::OFFER => self.hand_shake(view, mover, edge)?,
                _ => self.take(view, mover, edge)?,
            };
            match tried {
                Tried::Blocked => {}
                Tried::Refused => decided_by = None,
                Tried::Taken => {
                    taken = true;
                    decided_by = Some(edge.group);
                    if mover.location.deterministic {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(taken)
    }

    /// Takes an edge that can be taken, and files the state reached.
    #[inline]
    fn take(&mut self, view: &View<'_>, mover: &Mover<'_>, edge: &EdgePlan<Code>) -> Result<Tried, Ask> {
        match edge.effect {
            EffectPlan::InPlace(code) if self.is_direct && !edge.is_tentative => {
                let copy = self.out.push_copy(view.state, NoRegion).as_mut_ptr();
                let result = self.call(code, copy, mover.entry, mover.process)?;
                self.n_failed += result::n_failed(result);
                Ok(Tried::Taken)
            }
            EffectPlan::InPlace(code) => {
                let result = self.run_on_copy(code, view.state, mover)?;
                if result & result::REFUSED != 0 {
                    return Ok(Tried::Blocked);
                }
                self.n_failed += result::n_failed(result);
                Ok(Tried::Taken)
            }
            EffectPlan::Goto(target, atomic) => {
                let alone = atomic.then_some(mover);
                let copy = self.file(view.state, alone, 0);
                let at = (mover.entry.offset + mover.template.location_offset) as usize;
                write_number(&mut copy[at..], mover.template.location_width, target);
                Ok(Tried::Taken)
            }
            EffectPlan::End => {
                self.file(&view.state[..mover.entry.offset as usize], None, 0);
                Ok(Tried::Taken)
            }
            EffectPlan::Growing(code) => self.grow(view, mover, code),
            EffectPlan::None => Err(Ask),
        }
    }

    /// Takes an edge that may add or remove records.
    fn grow(&mut self, view: &View<'_>, mover: &Mover<'_>, code: Code) -> Result<Tried, Ask> {
        let growing = &mut self.buffers.growing;
        growing.bytes.clear();
        growing.bytes.extend_from_slice(view.state);
        growing.directory.copy_from(view.directory);
        self.context.look_at(&growing.directory);
        self.context.state = growing.bytes.as_mut_ptr();
        self.context.growing = growing;
        let result = self.call(code, self.context.state, mover.entry, mover.process);
        self.context.look_at(view.directory);
        let result = result?;
        if result & result::REFUSED != 0 {
            return Ok(Tried::Blocked);
        }
        self.n_failed += result::n_failed(result);
        let mut grown = std::mem::take(&mut self.buffers.growing.bytes);
        if result & result::ENDED != 0 {
            grown.truncate(mover.entry.offset as usize);
        }
        let alone = goes_on(result).then_some(mover);
        let differs = self.differs;
        self.differs = Differs { in_records: true, in_others: true };
        self.file(&grown, alone, result >> result::IN_BETWEEN_SHIFT);
        self.differs = differs;
        self.buffers.growing.bytes = grown;
        Ok(Tried::Taken)
    }

    /// Files a state that was reached, and gives it to be edited. From the first one on at which a process
    /// goes on alone, states are kept aside.
    #[inline]
    fn file(&mut self, state: &[u8], alone: Option<&Mover<'_>>, n_between: u64) -> &mut [u8] {
        if self.is_direct && alone.is_none() {
            return self.out.push_copy(state, NoRegion);
        }
        self.set_aside();
        let alone = alone.map(|mover| mover.process as u32);
        self.buffers.sequence.push_copy(state, alone, n_between, self.differs)
    }

    /// From here on states are kept aside.
    fn set_aside(&mut self) {
        if self.is_direct {
            self.is_direct = false;
            self.buffers.sequence.clear();
        }
    }

    /// Runs an effect on a copy of a state, and files the copy unless the effect refuses.
    pub fn run_on_copy(&mut self, code: Code, state: &[u8], mover: &Mover<'_>) -> Result<u64, Ask> {
        if !self.is_direct {
            let copy = self.file(state, None, 0).as_mut_ptr();
            let result = self.call(code, copy, mover.entry, mover.process)?;
            if result & result::REFUSED != 0 {
                self.buffers.sequence.drop_last();
            } else {
                let alone = goes_on(result).then_some(mover.process as u32);
                self.buffers.sequence.mark_last(alone, result >> result::IN_BETWEEN_SHIFT);
            }
            return Ok(result);
        }
        let before = self.out.height();
        let copy = self.out.push_copy(state, NoRegion).as_mut_ptr();
        let result = self.call(code, copy, mover.entry, mover.process)?;
        if result & result::REFUSED != 0 {
            self.out.truncate(before);
        } else if goes_on(result) {
            self.set_aside();
            let reached = self.out.state(self.out.len() - 1);
            let alone = Some(mover.process as u32);
            let n_between = result >> result::IN_BETWEEN_SHIFT;
            self.buffers.sequence.push_copy(reached, alone, n_between, self.differs);
            self.out.truncate(before);
        }
        Ok(result)
    }

    /// Notes who received in the hand-shake of the state that was filed last.
    pub fn note_partner(&mut self, receiver: usize) {
        let partners = &mut self.buffers.partners;
        match self.is_direct {
            true => partners.of_steps.push((self.out.len() - 1, receiver as u32)),
            false => partners.is_partial = true,
        }
    }

    /// Runs an effect on a state in place.
    pub fn edit(
        &mut self,
        code: Code,
        state: &mut [u8],
        entry: ProcessEntry,
        process: usize,
    ) -> Result<u64, Ask> {
        self.call(code, state.as_mut_ptr(), entry, process)
    }

    /// Asks a function that only looks at the state.
    #[inline]
    pub fn ask(&mut self, code: Code, state: &[u8], entry: ProcessEntry, process: usize) -> Result<u64, Ask> {
        self.call(code, state.as_ptr().cast_mut(), entry, process)
    }

    /// Asks a function that answers with a bit for each edge, all 64 of them.
    pub fn look(
        &mut self,
        code: Code,
        state: &[u8],
        entry: ProcessEntry,
        process: usize,
    ) -> Result<u64, Ask> {
        self.context.timeout = 0;
        self.context.answer = 0;
        self.ask(code, state, entry, process)?;
        Ok(self.context.answer)
    }

    /// Calls generated code. The state is one that the directory in the context describes; functions with an
    /// effect are called with a state that is ours to write.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn call(&mut self, code: Code, state: *mut u8, entry: ProcessEntry, process: usize) -> Result<u64, Ask> {
        // SAFETY: generated code reads and writes inside the records that the directory of the context lists
        // and inside the globals, and the state has them; code that only looks never writes. The context and
        // what it points to live as long as `self`.
        let result = unsafe { code(state, u64::from(entry.offset), process as u64, &mut self.context) };
        if result & result::ASK != 0 { Err(Ask) } else { Ok(result) }
    }
}
