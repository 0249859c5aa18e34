//! The reference interpreter: the meaning of a model.
//!
//! Slow and obvious on purpose: it walks over the trees of the model and tries every edge of every process,
//! from the process with the highest number to the lowest. Everything faster is tested against it, and every
//! trace is replayed on it. It allocates nothing in the steady state: a [`Scratch`] keeps the buffers.
//!
//! - `frames`: a state taken apart into processes and channels
//! - `eval`, `channel`, `effect`: expressions, messages, actions
//! - `outcomes`: what effects choose
//! - `enabled`: who may move
//! - `step`, `hand_shake`: the moves of one process, and of two
//! - `expand`: moves put together to steps
//! - `replay`: one move at a time
//! - `partial`: the steps of some processes only
//! - `portions`: the steps of one process after the other
//! - `footprint`: what these depend on
//!
//! **Invariant:** steps, their order, and findings are a function of the state alone.

mod channel;
mod effect;
mod enabled;
mod eval;
mod expand;
mod footprint;
mod frames;
mod hand_shake;
mod outcomes;
mod partial;
mod portions;
mod reached;
mod replay;
mod step;

pub use expand::Scratch;
pub use reached::{Move, Partner};
pub use replay::{Executed, ReplayError};

pub(crate) use channel::{length as channel_length, message as channel_message};
pub(crate) use frames::Configuration;
pub(crate) use replay::{received_message, sent_message};

use std::ops::Range;

use crate::footprint::Footprint;
use crate::layout::Layout;
use crate::{Expr, Fault, Model, NoRegion, PropertyId, Question, Steps, System};
use eval::Look;

/// A model as a system: see the module header.
///
/// ```
/// use fathom_model::{Interpreter, Model, NoRegion, Steps, System};
///
/// let model = Model::default(); // no variables, no processes
/// let interpreter = Interpreter::new(&model, &[]);
/// let mut scratch = interpreter.scratch();
/// let mut steps = Steps::new();
/// interpreter.initial(&mut scratch, &mut steps);
/// assert_eq!(steps.len(), 1);
/// let state = steps.state(0).to_vec();
/// steps.clear();
/// interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
/// assert!(steps.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Interpreter<'m> {
    model: &'m Model,
    layout: Layout,
    deadlock: Option<PropertyId>,
    assertion: Option<PropertyId>,
    runtime_error: Option<PropertyId>,
    /// Properties looked at in every state: a finding when the expression is not 0, or when it is.
    states: Vec<(PropertyId, &'m Expr, Wanted)>,
}

/// What a property about single states asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    /// True everywhere.
    Everywhere,
    /// True somewhere.
    Somewhere,
}

impl<'m> Interpreter<'m> {
    /// An interpreter that looks for evidence about these properties of the model. Those that a search of
    /// states alone cannot answer are ignored.
    pub fn new(model: &'m Model, asked: &[PropertyId]) -> Interpreter<'m> {
        debug_assert_eq!(crate::validate(model), Ok(()), "a front end made an invalid model");
        let mut interpreter = Interpreter {
            model,
            layout: Layout::new(model),
            deadlock: None,
            assertion: None,
            runtime_error: None,
            states: Vec::new(),
        };
        for &id in asked {
            match &model.properties[id.index()].question {
                Question::Deadlock => interpreter.deadlock = Some(id),
                Question::Assertion => interpreter.assertion = Some(id),
                Question::RuntimeError => interpreter.runtime_error = Some(id),
                Question::Invariant(expr) => interpreter.states.push((id, expr, Wanted::Everywhere)),
                Question::Reach(expr) => interpreter.states.push((id, expr, Wanted::Somewhere)),
                Question::Ltl(_)
                | Question::Ctl(_)
                | Question::Psl(_)
                | Question::Automaton(_)
                | Question::NonProgress
                | Question::Acceptance
                | Question::Claim(_)
                | Question::EventTrace(_) => {}
            }
        }
        interpreter
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The layout of the states.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The value of an expression in a state, seen by no process.
    pub fn evaluate(&self, scratch: &mut Scratch, state: &[u8], expr: &Expr) -> Result<i64, Fault> {
        scratch.base.load(&self.layout, state);
        self.look().value(&scratch.base, expr)
    }

    fn look(&self) -> Look<'_> {
        Look::new(self.model, &self.layout)
    }

    /// Adds a finding for a fault, if its property is asked.
    fn report(&self, fault: &Fault, moves: &[Move], out: &mut Steps<NoRegion, Move>) {
        let property = if *fault == Fault::Assertion { self.assertion } else { self.runtime_error };
        if let Some(property) = property {
            out.find(property, Some(fault.clone()), moves);
        }
    }

    fn build_initial(&self, scratch: &mut Scratch) -> Result<(), Fault> {
        let look = self.look();
        let Scratch { base, buffers, .. } = scratch;
        base.reset(&self.layout);
        effect::initialize(&look, base, &self.model.globals.initializers)?;
        for start in &self.model.start {
            effect::create(&look, base, start.template, &start.arguments, start.priority, &mut buffers.log)?;
        }
        Ok(())
    }

    /// The first so many initial states: those who want one need not make millions.
    pub fn first_initial(&self, most: usize, scratch: &mut Scratch, out: &mut Steps<NoRegion, Move>) {
        match self.build_initial(scratch) {
            Ok(()) if self.model.initial_effect.is_empty() => out.push(&scratch.base.bytes, NoRegion, &[]),
            Ok(()) => self.choose_initial(most, scratch, out),
            Err(fault) => self.report(&fault, &[], out),
        }
    }

    /// Pushes outcomes of the initial effect in the state loaded last, as long as there are fewer than so many.
    fn choose_initial(&self, most: usize, scratch: &mut Scratch, out: &mut Steps<NoRegion, Move>) {
        let Scratch { base, buffers, .. } = scratch;
        let mut state = Configuration::default();
        buffers.log.outcomes.start();
        while out.len() < most {
            state.copy_from(base);
            buffers.log.assertion_failed = false;
            match effect::apply(&self.look(), &mut state, &self.model.initial_effect, &mut buffers.log) {
                Ok(effect::Applied::Refused) => {}
                Ok(_) => {
                    if buffers.log.assertion_failed {
                        self.report(&Fault::Assertion, &[], out);
                    }
                    out.push(&state.bytes, NoRegion, &[]);
                }
                Err(fault) => self.report(&fault, &[], out),
            }
            if self.model.listing.ends_after(buffers.log.outcomes.number(), !out.is_recording()) {
                return self.report(&Fault::TooManyOutcomes, &[], out);
            }
            if !buffers.log.outcomes.advance() {
                return;
            }
        }
    }

    fn check_state(&self, scratch: &Scratch, out: &mut Steps<NoRegion, Move>) {
        for (property, expr, wanted) in &self.states {
            match self.look().holds(&scratch.base, expr) {
                Ok(true) if *wanted == Wanted::Somewhere => out.find(*property, None, &[]),
                Ok(false) if *wanted == Wanted::Everywhere => out.find(*property, None, &[]),
                Ok(_) => {}
                // What cannot be evaluated is not true: no invariant holds there, and no goal is reached.
                Err(fault) if *wanted == Wanted::Everywhere => out.find(*property, Some(fault), &[]),
                Err(_) => {}
            }
        }
    }

    /// Pushes every step that leaves the state loaded last, and says whether it is a deadlock.
    fn expand_all(&self, scratch: &mut Scratch, out: &mut Steps<NoRegion, Move>) {
        let moved =
            self.expand(false, scratch, out) || (self.model.uses_timeout && self.expand(true, scratch, out));
        if let Some(deadlock) = self.deadlock
            && !moved
            && !self.is_end(&scratch.base)
        {
            out.find(deadlock, None, &[]);
        }
    }

    /// Whether every process may rest where it is.
    fn is_end(&self, state: &Configuration) -> bool {
        let look = self.look();
        (0..state.processes.len() as u32).all(|process| enabled::location_of(&look, state, process).end)
    }
}

impl System for Interpreter<'_> {
    type Region = NoRegion;
    type Label = Move;
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn initial(&self, scratch: &mut Scratch, out: &mut Steps<NoRegion, Move>) {
        self.first_initial(usize::MAX, scratch, out);
    }

    fn successors(&self, state: &[u8], _: &NoRegion, scratch: &mut Scratch, out: &mut Steps<NoRegion, Move>) {
        scratch.base.load(&self.layout, state);
        self.check_state(scratch, out);
        self.expand_all(scratch, out);
    }

    fn portions(
        &self,
        state: &[u8],
        _: &NoRegion,
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> usize {
        self.count_portions(state, scratch, out)
    }

    fn portion(
        &self,
        among: Range<usize>,
        state: &[u8],
        _: &NoRegion,
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> usize {
        self.expand_portion(among, state, scratch, out)
    }

    fn footprint(
        &self,
        portion: usize,
        state: &[u8],
        scratch: &mut Scratch,
        footprint: &mut Footprint,
    ) -> bool {
        self.footprint_of_portion(portion, state, scratch, footprint)
    }
}

#[cfg(test)]
mod tests;
