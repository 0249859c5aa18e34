//! Successors of a model, compiled in memory.
//!
//! [`NativeSystem`] is the [`Interpreter`] made fast: the same steps in the same order, the same findings. Guards
//! and effects become machine code (Cranelift); a small driver in Rust puts moves together to steps, as the
//! interpreter does. Code is made for the model at hand: offsets are constants, channels that never change are
//! addresses, an indivisible block is one function.
//!
//! Two rules keep it honest and small:
//!
//! - **Whatever is rare is asked of the interpreter.** When generated code meets a fault other than a failed
//!   assertion, or something that is not compiled, the whole state is expanded again by the interpreter. So
//!   findings are right to the letter, and native code needs no errors of its own. Steps with labels are for
//!   replay and are interpreted, too.
//! - **Generated code stays inside the state.** Every index and channel number is checked unless its type
//!   bounds it; records are those found by walking over the state.
//!
//! **Invariant:** for every state, [`NativeSystem`] and [`Interpreter`] push the same steps and findings.

mod context;
mod directory;
mod emit;
mod expand;
mod facts;
mod hand_shake;
mod jit;
mod kinds;
mod plan;
mod portions;
mod run_on;
mod selective;
mod sequence;

use std::fmt;
use std::ops::Range;

use fathom_model::{
    Expr, Footprint, Interpreter, Model, Move, NoRegion, PropertyId, Question, Steps, System, interpreter,
};

use context::Code;
use directory::Directory;
use expand::{Ask, Buffers, Expansion};
use facts::Facts;
use jit::Compiled;
use plan::Plan;

/// A model as a system that runs native code: see the crate header.
///
/// ```
/// use fathom_model::{Model, NoRegion, Steps, System};
/// use fathom_native::NativeSystem;
///
/// let model = Model::default(); // no variables, no processes
/// let system = NativeSystem::new(&model, &[]).unwrap();
/// let mut scratch = system.scratch();
/// let mut steps = Steps::new();
/// system.initial(&mut scratch, &mut steps);
/// assert_eq!(steps.len(), 1);
/// ```
pub struct NativeSystem<'m> {
    interpreter: Interpreter<'m>,
    facts: Facts<'m>,
    plan: Plan<Code>,
    compiled: Compiled,
    deadlock: Option<PropertyId>,
    assertion: Option<PropertyId>,
    /// Properties looked at in every state, and whether the condition is wanted.
    states: Vec<(PropertyId, Wanted)>,
}

/// What a property about single states asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    /// True everywhere.
    Everywhere,
    /// True somewhere.
    Somewhere,
}

/// What is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    /// What makes steps.
    Steps,
    /// And what says which edges might be taken.
    StepsAndLooks,
}

/// Why a model has no native code.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NativeError {
    /// The model breaks a structural invariant; code for it could leave the state.
    InvalidModel(Vec<String>),
    /// There is no code generator for this processor.
    Host(String),
    /// The code generator refused.
    Generator(String),
}

impl fmt::Display for NativeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NativeError::InvalidModel(problems) => write!(out, "an invalid model: {}", problems.join("; ")),
            NativeError::Host(reason) => write!(out, "no native code on this processor: {reason}"),
            NativeError::Generator(reason) => write!(out, "no native code for this model: {reason}"),
        }
    }
}

impl std::error::Error for NativeError {}

impl<'m> NativeSystem<'m> {
    /// Compiles a model. The system looks for evidence about these properties; those that a search of states
    /// alone cannot answer are ignored.
    ///
    /// # Errors
    ///
    /// When there is no code generator for the processor at hand, or the model is not a valid one.
    pub fn new(model: &'m Model, asked: &[PropertyId]) -> Result<NativeSystem<'m>, NativeError> {
        NativeSystem::compile(model, asked, Extent::Steps)
    }

    /// The same, with code for [`Selective`](fathom_model::Selective).
    ///
    /// # Errors
    ///
    /// As for [`new`](NativeSystem::new).
    pub fn selective(model: &'m Model, asked: &[PropertyId]) -> Result<NativeSystem<'m>, NativeError> {
        NativeSystem::compile(model, asked, Extent::StepsAndLooks)
    }

    fn compile(
        model: &'m Model,
        asked: &[PropertyId],
        extent: Extent,
    ) -> Result<NativeSystem<'m>, NativeError> {
        fathom_model::validate(model).map_err(NativeError::InvalidModel)?;
        if model.has_choices() {
            return Err(NativeError::Generator("its effects choose values".to_owned()));
        }
        let interpreter = Interpreter::new(model, asked);
        let facts = Facts::new(model, interpreter.layout());
        let mut conditions: Vec<&'m Expr> = Vec::new();
        let (mut deadlock, mut assertion, mut states) = (None, None, Vec::new());
        for &id in asked {
            match &model.properties[id.index()].question {
                Question::Deadlock => deadlock = Some(id),
                Question::Assertion => assertion = Some(id),
                Question::Invariant(condition) => {
                    conditions.push(condition);
                    states.push((id, Wanted::Everywhere));
                }
                Question::Reach(condition) => {
                    conditions.push(condition);
                    states.push((id, Wanted::Somewhere));
                }
                _ => {}
            }
        }
        let (plan, wanted) = plan::plan(&facts, &conditions, extent);
        let compiled = jit::compile(&facts, &wanted)?;
        let plan = plan.link(&compiled.codes);
        Ok(NativeSystem { interpreter, facts, plan, compiled, deadlock, assertion, states })
    }

    /// The interpreter that defines what this system does.
    pub fn interpreter(&self) -> &Interpreter<'m> {
        &self.interpreter
    }

    /// Number of functions that were compiled.
    pub fn n_functions(&self) -> usize {
        self.compiled.n_functions
    }

    /// Whether the interpreter does it all: priorities are not compiled.
    fn is_interpreted(&self) -> bool {
        self.facts.model.uses_priorities
    }

    fn expand_state(
        &self,
        state: &[u8],
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> Result<(), Ask> {
        let Scratch { directory, buffers, .. } = scratch;
        directory.refresh(&self.facts, state);
        let mut expansion = Expansion::new(&self.facts, &self.plan, directory, buffers, out);
        self.check_state(state, &mut expansion)?;
        self.expand_all(state, directory, &mut expansion)
    }

    /// Looks for evidence in the state by itself.
    #[inline]
    fn check_state(&self, state: &[u8], expansion: &mut Expansion<'_, '_>) -> Result<(), Ask> {
        for (&(property, wanted), &code) in self.states.iter().zip(&self.plan.properties) {
            let holds = expansion.condition(code, state)?;
            if holds == (wanted == Wanted::Somewhere) {
                expansion.out.find(property, None, &[]);
            }
        }
        Ok(())
    }

    /// Pushes every step that leaves a state, and says whether it is a deadlock.
    #[inline]
    fn expand_all(
        &self,
        state: &[u8],
        directory: &Directory,
        expansion: &mut Expansion<'_, '_>,
    ) -> Result<(), Ask> {
        let all = |_| true;
        let moved = expansion.expand(state, directory, 0, &all)?
            || (self.facts.model.uses_timeout && expansion.expand(state, directory, 1, &all)?);
        self.report_failed(expansion);
        if let Some(deadlock) = self.deadlock
            && !moved
            && !expansion.is_end(state, directory)
        {
            expansion.out.find(deadlock, None, &[]);
        }
        Ok(())
    }
}

/// Buffers that one worker reuses from state to state.
#[derive(Default, Debug)]
pub struct Scratch {
    interpreter: interpreter::Scratch,
    /// Of the state under expansion.
    directory: Directory,
    buffers: Buffers,
    n_interpreted: u64,
}

impl Scratch {
    /// Number of states that were left to the interpreter.
    pub fn n_interpreted(&self) -> u64 {
        self.n_interpreted
    }
}

impl System for NativeSystem<'_> {
    type Region = NoRegion;
    type Label = Move;
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        let mut scratch = Scratch::default();
        scratch.buffers.make_room(&self.facts);
        scratch
    }

    fn initial(&self, scratch: &mut Scratch, out: &mut Steps<NoRegion, Move>) {
        self.interpreter.initial(&mut scratch.interpreter, out);
    }

    fn successors(
        &self,
        state: &[u8],
        region: &NoRegion,
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) {
        if out.is_recording() || self.is_interpreted() {
            scratch.n_interpreted += 1;
            self.interpreter.successors(state, region, &mut scratch.interpreter, out);
            return;
        }
        let before = out.height();
        if let Err(Ask) = self.expand_state(state, scratch, out) {
            out.truncate(before);
            scratch.n_interpreted += 1;
            self.interpreter.successors(state, region, &mut scratch.interpreter, out);
        }
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
        self.interpreter.footprint(portion, state, &mut scratch.interpreter, footprint)
    }
}
