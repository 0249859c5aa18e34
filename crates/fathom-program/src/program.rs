//! The program: what a user writes.

use std::fmt;

use fathom_model::Fault;

use crate::{Data, blame};

/// A system written as a program.
pub trait Program: Sync {
    /// What is remembered from one action to the next.
    type State: Data;

    /// One way to go on.
    type Action: Clone + fmt::Debug + 'static;

    /// What the program is called; by default as its type is.
    fn name(&self) -> &str {
        let path = std::any::type_name::<Self>();
        let path = path.split('<').next().unwrap_or(path);
        path.rsplit("::").next().unwrap_or(path)
    }

    /// The states to start in.
    fn initial(&self) -> Vec<Self::State>;

    /// Pushes the actions that are enabled in a state, in an order that depends on nothing else.
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);

    /// Carries out an action that is enabled.
    fn apply(&self, action: &Self::Action, state: &mut Self::State);

    /// Carries out an action that is enabled, unless it runs into an error: then the run ends, with evidence about
    /// [`Property::no_fault`] if that is asked.
    ///
    /// # Errors
    ///
    /// What went wrong; whatever the state is then, nobody looks at it.
    fn try_apply(&self, action: &Self::Action, state: &mut Self::State) -> Result<(), Fault> {
        self.apply(action, state);
        Ok(())
    }

    /// The variables of a state, with their names, as a person would write them.
    fn variables(&self, state: &Self::State) -> Vec<(String, String)> {
        state.variables()
    }

    /// What is asked of the program.
    fn properties(&self) -> Vec<Property<Self::State>> {
        vec![Property::no_deadlock()]
    }

    /// Whether there may be objects in its states, so that symmetry may be of use.
    fn may_have_objects(&self) -> bool {
        Self::State::HAS_OBJECTS
    }

    /// Whether what it does may depend on the names of objects, as far as it knows. Then a search with symmetry looks in every state whether
    /// it does: up to five times the work. What is only promised is looked at in a few states.
    fn may_ask_for_names(&self) -> bool {
        false
    }

    /// What is known of actions beyond what they do: for tests that cover requirements, and definitions and uses of variables.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// Whether a run may end in a state: then it is no deadlock that no action is enabled.
    fn may_end(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// About how many actions it takes from a state to what is looked for, whatever the names of objects; none where the program has no idea. Guided engines
    /// look first where that is little. It changes the order of a search and never an answer; the traces of A* are shortest if it is nowhere too
    /// much.
    fn distance(&self, state: &Self::State) -> Option<u32> {
        let _ = state;
        None
    }

    /// Whether a state is looked at: leaves out all but a part of a program without bounds.
    fn within_bounds(&self, state: &Self::State) -> bool {
        let _ = state;
        true
    }
}

/// What is known of a program beyond what it does.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Facts {
    /// About actions.
    pub actions: Vec<ActionFacts>,
    /// Variables with few values, as [`Program::variables`] names and writes them.
    pub few_values: Vec<(String, Vec<String>)>,
    /// What it is made of, for people: lists with what they are of.
    pub parts: Vec<(String, Vec<String>)>,
}

/// What is known of an action.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ActionFacts {
    /// Its name, without arguments.
    pub name: String,
    /// Names of the requirements that it shows.
    pub requirements: Vec<String>,
    /// The variables that it reads, before it writes any.
    pub reads: Vec<String>,
    /// The variables that it may write.
    pub writes: Vec<String>,
}

/// Something to know about a state.
type Test<S> = Box<dyn Fn(&S) -> bool + Send + Sync>;

/// A state, for messages.
pub(crate) fn in_words<S: Data>(state: &S) -> String {
    let variables = state.variables().into_iter().map(|(name, value)| format!("{name} = {value}"));
    format!("the state {}", variables.collect::<Vec<_>>().join(", "))
}

/// The form of a question.
pub(crate) enum Question<S> {
    Always(Test<S>),
    Reach(Test<S>),
    Deadlock,
    Fault,
    Proposition(Test<S>),
}

/// One question about a program.
pub struct Property<S> {
    name: String,
    pub(crate) question: Question<S>,
}

impl<S> Property<S> {
    /// True in every state.
    pub fn always(name: impl Into<String>, test: impl Fn(&S) -> bool + Send + Sync + 'static) -> Property<S> {
        Property { name: name.into(), question: Question::Always(Box::new(test)) }
    }

    /// True in some state.
    pub fn reach(name: impl Into<String>, test: impl Fn(&S) -> bool + Send + Sync + 'static) -> Property<S> {
        Property { name: name.into(), question: Question::Reach(Box::new(test)) }
    }

    /// Something that formulas may speak of by this name; it is not asked by itself.
    pub fn proposition(
        name: impl Into<String>,
        test: impl Fn(&S) -> bool + Send + Sync + 'static,
    ) -> Property<S> {
        Property { name: name.into(), question: Question::Proposition(Box::new(test)) }
    }

    /// In every state an action is enabled, or the run may end.
    pub fn no_deadlock() -> Property<S> {
        Property { name: "no deadlock".to_string(), question: Question::Deadlock }
    }

    /// No action runs into an error.
    pub fn no_fault() -> Property<S> {
        Property { name: "no run-time error".to_string(), question: Question::Fault }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether evidence means that it is true, and not that it is false.
    pub fn is_witnessed(&self) -> bool {
        matches!(self.question, Question::Reach(_))
    }

    /// Whether it is asked only as a part of formulas.
    pub fn is_proposition(&self) -> bool {
        matches!(self.question, Question::Proposition(_))
    }

    /// Whether it is about single states, so that formulas may speak of it.
    pub fn is_of_states(&self) -> bool {
        matches!(self.question, Question::Always(_) | Question::Reach(_) | Question::Proposition(_))
    }

    /// Whether it is true in a state, if that can be said of a state alone.
    pub(crate) fn is_true(&self, state: &S) -> Option<bool>
    where
        S: Data,
    {
        match &self.question {
            Question::Always(test) | Question::Reach(test) | Question::Proposition(test) => {
                let doing = || format!("the property '{}' in {}", self.name, in_words(state));
                Some(blame::call(doing, || test(state)))
            }
            Question::Deadlock | Question::Fault => None,
        }
    }

    /// The word for it in reports.
    pub fn kind(&self) -> &'static str {
        match self.question {
            Question::Always(_) => "invariant",
            Question::Reach(_) => "reach",
            Question::Deadlock => "deadlock",
            Question::Fault => "assertion",
            Question::Proposition(_) => "proposition",
        }
    }
}

impl<S> fmt::Debug for Property<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Property").field("name", &self.name).finish_non_exhaustive()
    }
}
