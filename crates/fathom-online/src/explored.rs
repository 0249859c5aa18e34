//! The part of a model that has been looked at: steps of a state are computed once.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::model::{ModelStep, Role, State, TestModel};

/// States whose steps are remembered; past that, all are forgotten.
const MOST_REMEMBERED: usize = 100_000;

/// A model with a memory.
pub struct Explored<'m> {
    model: &'m dyn TestModel,
    steps: RefCell<FxHashMap<State, Rc<[ModelStep]>>>,
}

impl<'m> Explored<'m> {
    /// Nothing has been looked at yet.
    pub fn new(model: &'m dyn TestModel) -> Explored<'m> {
        Explored { model, steps: RefCell::default() }
    }

    /// The model.
    pub fn model(&self) -> &'m dyn TestModel {
        self.model
    }

    /// The steps that leave a state.
    pub fn steps(&self, state: &State) -> Rc<[ModelStep]> {
        if let Some(known) = self.steps.borrow().get(state) {
            return known.clone();
        }
        let steps: Rc<[ModelStep]> = self.model.steps(state).into();
        let mut memory = self.steps.borrow_mut();
        if memory.len() >= MOST_REMEMBERED {
            memory.clear();
        }
        memory.insert(state.clone(), steps.clone());
        steps
    }

    /// Whether a state has a step with this role.
    pub(crate) fn has(&self, state: &State, role: Role) -> bool {
        self.steps(state).iter().any(|step| step.role == role)
    }
}

impl std::fmt::Debug for Explored<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Explored").field("states", &self.steps.borrow().len()).finish_non_exhaustive()
    }
}
