//! Models as a tester sees them: states, and steps with actions.

use std::rc::Rc;

use fathom_coverage::{Kind, Pattern};
use fathom_model::{NoRegion, Steps, System};

use crate::action::Action;

/// A state of a model.
pub type State = Rc<[u8]>;

/// Who decides about an action, and who hears of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// The tester decides, and sends it to the implementation.
    Controllable,
    /// The implementation decides, and the tester hears of it.
    Observable,
    /// The implementation decides, and nobody hears of it.
    Internal,
    /// The tester decides, and the implementation does not hear of it: a plan, such as a use case or an action word that keywords refine.
    Unsent,
    /// One unit of time passes.
    Time,
}

/// One step of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelStep {
    /// What is done.
    pub action: Action,
    /// By whom.
    pub role: Role,
    /// Where it leads.
    pub target: State,
}

/// A model as a tester sees it.
pub trait TestModel {
    /// The states to begin in.
    fn initial(&self) -> Vec<State>;

    /// The steps that leave a state, in a fixed order.
    fn steps(&self, state: &[u8]) -> Vec<ModelStep>;

    /// The variables of a state, by name, as a person would write them.
    fn variables(&self, state: &[u8]) -> Vec<(String, String)>;

    /// Whether a run may end in a state.
    fn may_end(&self, state: &[u8]) -> bool;

    /// Whether time passes in it.
    fn is_timed(&self) -> bool {
        false
    }
}

/// Which actions are what, by patterns for the action or its name. What nothing is said about is controllable.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// The implementation decides.
    pub observable: Vec<Pattern>,
    /// Nobody hears of them.
    pub internal: Vec<Pattern>,
    /// The implementation does not hear of them.
    pub unsent: Vec<Pattern>,
    /// Each of them is one unit of time that passes.
    pub time: Vec<Pattern>,
}

impl Roles {
    /// The implementation decides about what these regular expressions match, the tester about the rest.
    ///
    /// # Errors
    ///
    /// What is wrong with one of them.
    pub fn observing(patterns: &[&str]) -> Result<Roles, String> {
        let observable = patterns.iter().map(|text| Pattern::new(text)).collect::<Result<_, _>>()?;
        Ok(Roles { observable, ..Roles::default() })
    }

    /// The role of an action.
    pub fn of(&self, action: &Action) -> Role {
        let is_in = |patterns: &[Pattern]| {
            patterns.iter().any(|pattern| {
                pattern.matches(Kind::Actions, action.key()) || pattern.matches(Kind::Actions, action.shown())
            })
        };
        if is_in(&self.time) {
            Role::Time
        } else if is_in(&self.internal) {
            Role::Internal
        } else if is_in(&self.unsent) {
            Role::Unsent
        } else if is_in(&self.observable) {
            Role::Observable
        } else {
            Role::Controllable
        }
    }
}

/// What a step is to a tester: none for one that a tester does not look at.
type Naming<'a, L> = Box<dyn Fn(&[u8], &[L]) -> Option<(Action, Role)> + 'a>;
type Variables<'a> = Box<dyn Fn(&[u8]) -> Vec<(String, String)> + 'a>;
type MayEnd<'a> = Box<dyn Fn(&[u8]) -> bool + 'a>;

/// Any system without regions as a model for tests.
pub struct Systematic<'a, S: System<Region = NoRegion>> {
    system: S,
    naming: Naming<'a, S::Label>,
    variables: Variables<'a>,
    may_end: MayEnd<'a>,
    is_timed: bool,
}

impl<'a, S: System<Region = NoRegion>> Systematic<'a, S> {
    /// A system whose steps have the actions and roles that `naming` gives to a state and the labels of a step.
    pub fn new(
        system: S,
        naming: impl Fn(&[u8], &[S::Label]) -> Option<(Action, Role)> + 'a,
    ) -> Systematic<'a, S> {
        Systematic {
            system,
            naming: Box::new(naming),
            variables: Box::new(|_| Vec::new()),
            may_end: Box::new(|_| true),
            is_timed: false,
        }
    }

    /// The same with names and values of variables.
    pub fn with_variables(self, variables: impl Fn(&[u8]) -> Vec<(String, String)> + 'a) -> Self {
        Systematic { variables: Box::new(variables), ..self }
    }

    /// The same with a test for where a run may end.
    pub fn ending(self, may_end: impl Fn(&[u8]) -> bool + 'a) -> Self {
        Systematic { may_end: Box::new(may_end), ..self }
    }

    /// The same, where time passes.
    pub fn timed(self) -> Self {
        Systematic { is_timed: true, ..self }
    }
}

impl<S: System<Region = NoRegion>> TestModel for Systematic<'_, S> {
    fn initial(&self) -> Vec<State> {
        let mut steps = Steps::new();
        self.system.initial(&mut self.system.scratch(), &mut steps);
        (0..steps.len()).map(|step| steps.state(step).into()).collect()
    }

    fn steps(&self, state: &[u8]) -> Vec<ModelStep> {
        let mut steps = Steps::recording();
        self.system.successors(state, &NoRegion, &mut self.system.scratch(), &mut steps);
        let named = (0..steps.len()).filter_map(|step| {
            let (action, role) = (self.naming)(state, steps.labels(step))?;
            Some(ModelStep { action, role, target: steps.state(step).into() })
        });
        named.collect()
    }

    fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        (self.variables)(state)
    }

    fn may_end(&self, state: &[u8]) -> bool {
        (self.may_end)(state)
    }

    fn is_timed(&self) -> bool {
        self.is_timed
    }
}
