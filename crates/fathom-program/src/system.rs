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
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_model::{Evidence, Fault, NoRegion, PropertyId, Steps, System, Trace};
use fathom_symmetry::{Drawing, Labeller};

use crate::blame;
use crate::classes::Classes;
use crate::data::{Data, Names, Parts, StateReader};
use crate::program::{Program, Property, Question, in_words};
use crate::renamed::Renaming;
use crate::table::PartTable;

/// Which states are taken for one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Symmetry {
    /// Only equal ones.
    None,
    /// Those that differ in the names of objects only, found by comparing them.
    Pairwise,
    /// Those that differ in the names of objects only, found by a canonical form of each.
    #[default]
    Canonical,
}

impl Symmetry {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Symmetry::None => "none",
            Symmetry::Pairwise => "pairwise",
            Symmetry::Canonical => "canonical",
        }
    }
}

/// What is done in a step: an action as its author would write it.
pub type Call = Arc<str>;

/// A program for engines.
pub struct ProgramSystem<'p, P: Program> {
    pub(crate) program: &'p P,
    properties: Vec<Property<P::State>>,
    table: Option<PartTable>,
    symmetry: Symmetry,
    /// For comparing states.
    classes: Classes,
    /// What formulas speak of, if that is all that is asked: which of the properties, and what findings about the first of them are
    /// called.
    watched: Option<(Vec<usize>, PropertyId)>,
    /// Some state was seen to do something else under other names.
    pub(crate) is_unfit: AtomicBool,
}

impl<P: Program> std::fmt::Debug for ProgramSystem<'_, P> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ProgramSystem").field("symmetry", &self.symmetry).finish_non_exhaustive()
    }
}

/// Bytes of a state that stores compress well as they are: measured, twelve philosophers take 19 bytes a state in full and 81 with
/// the parts in a table, as there are nearly as many different parts as states.
const MOST_IN_FULL: usize = 256;

/// Buffers of one worker.
#[derive(Debug)]
pub struct Scratch<A> {
    actions: Vec<A>,
    pub(crate) writing: Writing,
    pub(crate) renaming: Renaming,
}

/// What it takes to write a state.
#[derive(Debug, Default)]
pub(crate) struct Writing {
    state: Vec<u8>,
    part: Vec<u8>,
    drawing: Drawing,
    labeller: Labeller,
    /// Some class was written under names that are not canonical, because there are too many ways to name its objects.
    pub(crate) is_inexact: bool,
}

/// The initial states of a program.
pub(crate) fn initial_of<P: Program>(program: &P) -> Vec<P::State> {
    blame::call(|| "`initial`".to_owned(), || program.initial())
}

impl<'p, P: Program> ProgramSystem<'p, P> {
    /// A program whose states have their parts in a table: for engines that store what they see.
    pub fn new(program: &'p P, symmetry: Symmetry) -> ProgramSystem<'p, P> {
        ProgramSystem { table: Some(PartTable::new()), ..ProgramSystem::in_full(program, symmetry) }
    }

    /// A program whose states are complete in themselves: for engines that forget what they see.
    pub fn in_full(program: &'p P, symmetry: Symmetry) -> ProgramSystem<'p, P> {
        let symmetry = if program.may_have_objects() { symmetry } else { Symmetry::None };
        ProgramSystem {
            program,
            properties: blame::call(|| "`properties`".to_owned(), || program.properties()),
            table: None,
            symmetry,
            classes: Classes::default(),
            watched: None,
            is_unfit: AtomicBool::new(false),
        }
    }

    /// A program whose states have their parts in a table if they are long.
    pub fn compact(program: &'p P, symmetry: Symmetry) -> ProgramSystem<'p, P> {
        let system = ProgramSystem::in_full(program, symmetry);
        let mut writing = Writing::default();
        let is_long = initial_of(program).iter().any(|state| {
            system.write(state, &mut writing);
            writing.state.len() > MOST_IN_FULL
        });
        if is_long { ProgramSystem::new(program, symmetry) } else { system }
    }

    /// A program without symmetry that is asked about propositions only, those of its properties at these places: as if they were
    /// invariants with numbers from `first` on.
    pub fn watching(program: &'p P, propositions: Vec<usize>, first: PropertyId) -> ProgramSystem<'p, P> {
        ProgramSystem {
            watched: Some((propositions, first)),
            ..ProgramSystem::compact(program, Symmetry::None)
        }
    }

    /// What is asked of the program.
    pub fn properties(&self) -> &[Property<P::State>] {
        &self.properties
    }

    /// The value that the bytes of a state stand for.
    pub fn state(&self, bytes: &[u8]) -> P::State {
        P::State::read_state(&mut StateReader::new(bytes, self.table.as_ref()))
    }

    /// The variables of a state, with their names, as a person would write them.
    pub fn variables_of(&self, bytes: &[u8]) -> Vec<(String, String)> {
        let state = self.state(bytes);
        blame::call(|| "`variables`".to_owned(), || self.program.variables(&state))
    }

    /// Whether a run may end in a state.
    pub(crate) fn may_end(&self, state: &P::State) -> bool {
        blame::call(|| format!("`may_end` of {}", in_words(state)), || self.program.may_end(state))
    }

    /// Writes a state into the buffer.
    fn write(&self, state: &P::State, writing: &mut Writing) {
        let Writing { state: bytes, part, drawing, labeller, is_inexact } = writing;
        bytes.clear();
        let table = self.table.as_ref();
        if self.symmetry == Symmetry::None {
            return Parts::new(bytes, part, table).write_all(state);
        }
        drawing.clear();
        state.draw_state(drawing);
        drawing.finish();
        let drawing = &*drawing;
        let part = RefCell::new(part);
        let write = |table: Option<&PartTable>, names: &[u32], out: &mut Vec<u8>| {
            let part = &mut part.borrow_mut();
            Parts::new(out, part, table).renaming(Names { drawing, names }).write_all(state);
        };
        if self.symmetry == Symmetry::Pairwise {
            return self.classes.find(drawing, bytes, &mut |names, out| write(table, names, out));
        }
        let names = labeller.canonical(drawing.graph(), &mut |names, out| write(None, names, out));
        write(table, names, bytes);
        *is_inexact |= !labeller.is_canonical();
    }

    /// What stands for the class of a state that is given in full.
    pub fn class_of(&self, state: &[u8]) -> Vec<u8> {
        let mut writing = Writing::default();
        self.write(&P::State::read_state(&mut StateReader::new(state, None)), &mut writing);
        writing.state
    }

    /// The same, if the form that was found is canonical.
    pub(crate) fn exact_class_of(&self, state: &[u8]) -> Option<Vec<u8>> {
        let mut writing = Writing::default();
        self.write(&P::State::read_state(&mut StateReader::new(state, None)), &mut writing);
        writing.labeller.is_canonical().then_some(writing.state)
    }

    /// Which states are taken for one.
    pub(crate) fn symmetry(&self) -> Symmetry {
        self.symmetry
    }

    /// Bytes of memory for parts of states and classes, which engines do not know about.
    pub fn heap_size(&self) -> usize {
        self.table.as_ref().map_or(0, PartTable::heap_size) + self.classes.heap_size()
    }

    /// Pushes what is to be said about a state.
    fn find(&self, state: &P::State, is_stuck: bool, out: &mut Steps<NoRegion, Call>) {
        if let Some((propositions, first)) = &self.watched {
            for (number, &proposition) in propositions.iter().enumerate() {
                if self.properties[proposition].is_true(state) == Some(false) {
                    out.find(PropertyId::from(first.index() + number), None, &[]);
                }
            }
            return;
        }
        for (index, property) in self.properties.iter().enumerate() {
            let is_found = match &property.question {
                Question::Always(_) => property.is_true(state) == Some(false),
                Question::Reach(_) => property.is_true(state) == Some(true),
                Question::Deadlock => is_stuck && !self.may_end(state),
                Question::Fault | Question::Proposition(_) => false,
            };
            if is_found {
                out.find(PropertyId::from(index), None, &[]);
            }
        }
    }

    /// Pushes what an action ran into, if that is asked.
    fn find_fault(&self, action: &P::Action, fault: Fault, out: &mut Steps<NoRegion, Call>) {
        let is_asked = |property: &Property<P::State>| matches!(property.question, Question::Fault);
        let index = self.properties.iter().position(is_asked).filter(|_| self.watched.is_none());
        let Some(index) = index else { return };
        // What has no name is no action: the state itself is looked at.
        let label = if out.is_recording() { format!("{action:?}") } else { String::new() };
        let labels: &[Call] = if label.is_empty() { &[] } else { &[label.into()] };
        out.find(PropertyId::from(index), Some(fault), labels);
    }

    /// Pushes what a state leads to, and what is to be said about it.
    pub(crate) fn expand(
        &self,
        state: &P::State,
        scratch: &mut Scratch<P::Action>,
        out: &mut Steps<NoRegion, Call>,
    ) {
        scratch.actions.clear();
        blame::call(
            || format!("`actions` in {}", in_words(state)),
            || self.program.actions(state, &mut scratch.actions),
        );
        self.find(state, scratch.actions.is_empty(), out);
        for action in &scratch.actions {
            let mut next = state.clone();
            let doing = || format!("`apply` of {action:?} in {}", in_words(state));
            if let Err(fault) = blame::call(doing, || self.program.try_apply(action, &mut next)) {
                self.find_fault(action, fault, out);
                continue;
            }
            let doing = || format!("`within_bounds` of {}", in_words(&next));
            if !blame::call(doing, || self.program.within_bounds(&next)) {
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

    /// A trace of this system as one of the same program without symmetry; none when the program has no such run, because it
    /// asks for the names of objects.
    ///
    /// # Panics
    ///
    /// When the trace is of something else.
    pub fn unfold(&self, trace: &Trace) -> Option<Trace> {
        if self.symmetry == Symmetry::None {
            return Some(trace.clone());
        }
        let plain = &ProgramSystem::in_full(self.program, Symmetry::None);
        let (mut scratch, mut plain_scratch) = (self.scratch(), plain.scratch());
        let (mut steps, mut plain_steps) = (Steps::new(), Steps::new());
        self.initial(&mut scratch, &mut steps);
        plain.initial(&mut plain_scratch, &mut plain_steps);
        let mut choices = Vec::with_capacity(trace.choices.len() + 1);
        for choice in [trace.initial].iter().chain(&trace.choices) {
            let class = steps.state(*choice as usize).to_vec();
            let found = (0..plain_steps.len()).find(|&step| {
                self.write(&plain.state(plain_steps.state(step)), &mut scratch.writing);
                scratch.writing.state == class
            })?;
            choices.push(found as u32);
            let concrete = plain_steps.state(found).to_vec();
            steps.clear();
            self.expand(&self.state(&class), &mut scratch, &mut steps);
            plain_steps.clear();
            plain.successors(&concrete, &NoRegion, &mut plain_scratch, &mut plain_steps);
        }
        let evidence = evidence_in(&plain_steps, &trace.evidence);
        Some(Trace { initial: choices[0], choices: choices[1..].to_vec(), evidence, loop_at: trace.loop_at })
    }
}

/// The evidence about the same property that there is in these steps: the words of a fault may have names in them.
fn evidence_in(steps: &Steps<NoRegion, Call>, evidence: &Evidence) -> Evidence {
    let Evidence::Finding { property, fault } = evidence else { return evidence.clone() };
    let mut found = steps.findings().iter().filter(|finding| finding.property == *property);
    let same = found.clone().find(|finding| finding.fault == *fault);
    match same.or_else(|| found.next()) {
        Some(finding) => Evidence::Finding { property: *property, fault: finding.fault.clone() },
        None => evidence.clone(),
    }
}

impl<P: Program> System for ProgramSystem<'_, P> {
    type Region = NoRegion;
    type Label = Call;
    type Scratch = Scratch<P::Action>;

    fn scratch(&self) -> Scratch<P::Action> {
        Scratch { actions: Vec::new(), writing: Writing::default(), renaming: Renaming::default() }
    }

    fn initial(&self, scratch: &mut Scratch<P::Action>, out: &mut Steps<NoRegion, Call>) {
        for state in initial_of(self.program) {
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
        let (n_steps, n_findings) = (out.len(), out.findings().len());
        scratch.writing.is_inexact = false;
        self.expand(&state, scratch, out);
        let may_ask = self.symmetry != Symmetry::None && self.program.may_ask_for_names();
        if may_ask && !self.is_unfit.load(Ordering::Relaxed) {
            self.compare_renamed(&state, scratch, (out, n_steps, n_findings));
        }
    }
}
