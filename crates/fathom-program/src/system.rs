//! A program as a system, and its quotient under the renaming of objects.
//!
//! A state is read, its actions are carried out on copies, and these are written: plainly, or under the names that
//! make their form canonical, so that the states of the quotient are states of the program, one of each class. A trace of the
//! quotient is no trace of the program, where names stay; [`ProgramSystem::unfold`] makes one of it, by taking in the
//! program, step by step, an action that leads to the class that comes next. No permutations are kept.
//!
//! **Invariant:** symmetry is sound for programs that ask no more of objects than whether two are the same. What the quotient
//! finds is always a real run; what it does not find depends on that promise.

use std::cell::RefCell;
use std::sync::Arc;

use fathom_model::{Evidence, Fault, NoRegion, PropertyId, Steps, System, Trace};
use fathom_symmetry::{Drawing, Labeller};

use crate::data::{Data, Names, Parts, StateReader};
use crate::program::{Program, Property, Question};
use crate::table::PartTable;

/// Which states are taken for one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Symmetry {
    /// Only equal ones.
    None,
    /// Those that differ in the names of objects only.
    #[default]
    Canonical,
}

impl Symmetry {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Symmetry::None => "none",
            Symmetry::Canonical => "canonical",
        }
    }
}

/// What is done in a step: an action as its author would write it.
pub type Call = Arc<str>;

/// A program for engines.
pub struct ProgramSystem<'p, P: Program> {
    program: &'p P,
    properties: Vec<Property<P::State>>,
    table: Option<PartTable>,
    symmetry: Symmetry,
}

impl<P: Program> std::fmt::Debug for ProgramSystem<'_, P> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ProgramSystem").field("symmetry", &self.symmetry).finish_non_exhaustive()
    }
}

/// Buffers of one worker.
#[derive(Debug)]
pub struct Scratch<A> {
    actions: Vec<A>,
    writing: Writing,
}

/// What it takes to write a state.
#[derive(Debug, Default)]
struct Writing {
    state: Vec<u8>,
    part: Vec<u8>,
    drawing: Drawing,
    labeller: Labeller,
}

impl<'p, P: Program> ProgramSystem<'p, P> {
    /// A program whose states have their parts in a table: for engines that store what they see.
    pub fn new(program: &'p P, symmetry: Symmetry) -> ProgramSystem<'p, P> {
        ProgramSystem { table: Some(PartTable::new()), ..ProgramSystem::in_full(program, symmetry) }
    }

    /// A program whose states are complete in themselves: for engines that forget what they see.
    pub fn in_full(program: &'p P, symmetry: Symmetry) -> ProgramSystem<'p, P> {
        ProgramSystem { program, properties: program.properties(), table: None, symmetry }
    }

    /// What is asked of the program.
    pub fn properties(&self) -> &[Property<P::State>] {
        &self.properties
    }

    /// The value that the bytes of a state stand for.
    pub fn state(&self, bytes: &[u8]) -> P::State {
        P::State::read_state(&mut StateReader::new(bytes, self.table.as_ref()))
    }

    /// The parts of states, if they are kept once each.
    pub fn table(&self) -> Option<&PartTable> {
        self.table.as_ref()
    }

    /// Writes a state into the buffer.
    fn write(&self, state: &P::State, writing: &mut Writing) {
        let Writing { state: bytes, part, drawing, labeller } = writing;
        bytes.clear();
        let table = self.table.as_ref();
        if self.symmetry == Symmetry::None || !P::State::HAS_OBJECTS {
            return state.write_state(&mut Parts::new(bytes, part, table));
        }
        drawing.clear();
        state.draw_state(drawing);
        drawing.finish();
        let drawing = &*drawing;
        let names = {
            let part = RefCell::new(&mut *part);
            labeller.canonical(drawing.graph(), &mut |names, out| {
                let part = &mut part.borrow_mut();
                state.write_state(&mut Parts::new(out, part, None).renaming(Names { drawing, names }));
            })
        };
        state.write_state(&mut Parts::new(bytes, part, table).renaming(Names { drawing, names }));
    }

    /// Pushes what is to be said about a state.
    fn find(&self, state: &P::State, is_stuck: bool, out: &mut Steps<NoRegion, Call>) {
        for (index, property) in self.properties.iter().enumerate() {
            let is_found = match &property.question {
                Question::Always(test) => !test(state),
                Question::Reach(test) => test(state),
                Question::Deadlock => is_stuck && !self.program.may_end(state),
                Question::Fault => false,
            };
            if is_found {
                out.find(PropertyId::from(index), None, &[]);
            }
        }
    }

    /// Pushes what an action ran into, if that is asked.
    fn find_fault(&self, action: &P::Action, fault: Fault, out: &mut Steps<NoRegion, Call>) {
        let is_asked = |property: &Property<P::State>| matches!(property.question, Question::Fault);
        let Some(index) = self.properties.iter().position(is_asked) else { return };
        let labels: &[Call] = if out.is_recording() { &[format!("{action:?}").into()] } else { &[] };
        out.find(PropertyId::from(index), Some(fault), labels);
    }

    /// A trace of this system as one of the same program without symmetry.
    ///
    /// # Panics
    ///
    /// When the trace is of something else, or the program asks for the names of objects: it has no such run.
    pub fn unfold(&self, plain: &ProgramSystem<'_, P>, trace: &Trace) -> Trace {
        let (mut scratch, mut plain_scratch) = (self.scratch(), plain.scratch());
        let (mut steps, mut plain_steps) = (Steps::new(), Steps::new());
        self.initial(&mut scratch, &mut steps);
        plain.initial(&mut plain_scratch, &mut plain_steps);
        let mut choices = Vec::with_capacity(trace.choices.len() + 1);
        let mut choice = trace.initial;
        for next in trace.choices.iter().map(Some).chain([None]) {
            let class = steps.state(choice as usize).to_vec();
            let found = (0..plain_steps.len()).find(|&step| {
                self.write(&plain.state(plain_steps.state(step)), &mut scratch.writing);
                scratch.writing.state == class
            });
            let found = found.expect("a program that does not ask for names has every step of its quotient");
            choices.push(found as u32);
            let Some(&next) = next else { break };
            choice = next;
            let concrete = plain_steps.state(found).to_vec();
            steps.clear();
            self.successors(&class, &NoRegion, &mut scratch, &mut steps);
            plain_steps.clear();
            plain.successors(&concrete, &NoRegion, &mut plain_scratch, &mut plain_steps);
        }
        let evidence: Evidence = trace.evidence.clone();
        Trace { initial: choices[0], choices: choices[1..].to_vec(), evidence, loop_at: trace.loop_at }
    }
}

impl<P: Program> System for &ProgramSystem<'_, P> {
    type Region = NoRegion;
    type Label = Call;
    type Scratch = Scratch<P::Action>;

    fn scratch(&self) -> Scratch<P::Action> {
        Scratch { actions: Vec::new(), writing: Writing::default() }
    }

    fn initial(&self, scratch: &mut Scratch<P::Action>, out: &mut Steps<NoRegion, Call>) {
        for state in self.program.initial() {
            self.write(&state, &mut scratch.writing);
            out.push(&scratch.writing.state, NoRegion, &[]);
        }
    }

    fn successors(
        &self,
        state: &[u8],
        _: &NoRegion,
        scratch: &mut Scratch<P::Action>,
        out: &mut Steps<NoRegion, Call>,
    ) {
        let state = self.state(state);
        scratch.actions.clear();
        self.program.actions(&state, &mut scratch.actions);
        self.find(&state, scratch.actions.is_empty(), out);
        for action in &scratch.actions {
            let mut next = state.clone();
            if let Err(fault) = self.program.try_apply(action, &mut next) {
                self.find_fault(action, fault, out);
                continue;
            }
            if !self.program.within_bounds(&next) {
                continue;
            }
            self.write(&next, &mut scratch.writing);
            if out.is_recording() {
                out.push(&scratch.writing.state, NoRegion, &[format!("{action:?}").into()]);
            } else {
                out.push(&scratch.writing.state, NoRegion, &[]);
            }
        }
    }
}
