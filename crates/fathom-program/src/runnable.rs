//! Programs whose types are forgotten, so that engines, reports and commands are compiled once for all of them.

use fathom_model::{Erased, NoRegion, PropertyId, Trace};

use crate::program::in_words;
use crate::system::{Call, ProgramSystem, Symmetry, initial_of};
use crate::{Facts, Program, blame};

/// What is asked of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// What it is called.
    pub name: String,
    /// The word for its kind in reports.
    pub kind: &'static str,
    /// Whether evidence means that it is true, and not that it is false.
    pub is_witnessed: bool,
    /// Whether it is asked only as a part of formulas.
    pub is_proposition: bool,
    /// Whether formulas may speak of it: it is about single states.
    pub is_of_states: bool,
}

/// Where the parts of states are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// In a table, each once, if states are long: for engines that store what they see.
    Compact,
    /// In every state: for engines that forget what they see.
    InFull,
}

/// Any program.
pub trait Runnable: Sync {
    /// What it is called.
    fn title(&self) -> &str;

    /// What is asked of it; the place of a question is its number in verdicts.
    fn asked(&self) -> Vec<Asked>;

    /// What is known of its actions and variables.
    fn facts(&self) -> Facts;

    /// Whether its states have objects, so that symmetry may be of use.
    fn has_objects(&self) -> bool;

    /// Whether it has a state to start in.
    fn has_initial(&self) -> bool;

    /// Whether it has an idea of distances, so that guided engines may be of use.
    fn has_distance(&self) -> bool;

    /// The program for engines.
    fn open(&self, symmetry: Symmetry, form: Form) -> Box<dyn Opened + '_>;

    /// The program without symmetry for engines that watch propositions: see [`ProgramSystem::watching`].
    fn watch(&self, propositions: Vec<usize>, first: PropertyId) -> Box<dyn Opened + '_>;
}

/// A program made ready for engines.
pub trait Opened: Sync {
    /// What engines see.
    fn system(&self) -> Erased<'_, NoRegion, Call>;

    /// The variables of a state, by name, as a person would write them.
    fn variables(&self, state: &[u8]) -> Vec<(String, String)>;

    /// Whether a run may end in a state.
    fn may_end(&self, state: &[u8]) -> bool;

    /// About how many actions it takes from a state to what is looked for.
    fn distance(&self, state: &[u8]) -> Option<u32>;

    /// A trace of this system as one of the program without symmetry; none when the program has no such run, because it asks for
    /// the names of objects.
    fn unfold(&self, trace: &Trace) -> Option<Trace>;

    /// Whether the program was seen to ask for the names of objects, so that symmetry is not for it.
    fn asks_for_names(&self) -> bool;

    /// Whether a search saw the program ask for the names of objects, so that its answers are worth nothing.
    fn was_unfit(&self) -> bool;

    /// What stands for the class of a state that is given [in full](Form::InFull), as a state of the program without symmetry.
    fn class_of(&self, state: &[u8]) -> Vec<u8>;

    /// Bytes of memory for parts of states and classes, which engines do not know about.
    fn heap_size(&self) -> u64;
}

fn distance_of<P: Program>(program: &P, state: &P::State) -> Option<u32> {
    blame::call(|| format!("`distance` of {}", in_words(state)), || program.distance(state))
}

impl<P: Program> Runnable for P {
    fn title(&self) -> &str {
        self.name()
    }

    fn asked(&self) -> Vec<Asked> {
        let ask = |property: &crate::Property<P::State>| Asked {
            name: property.name().to_string(),
            kind: property.kind(),
            is_witnessed: property.is_witnessed(),
            is_proposition: property.is_proposition(),
            is_of_states: property.is_of_states(),
        };
        let properties = blame::call(|| "`properties`".to_owned(), || self.properties());
        properties.iter().map(ask).collect()
    }

    fn facts(&self) -> Facts {
        Program::facts(self)
    }

    fn has_objects(&self) -> bool {
        self.may_have_objects()
    }

    fn has_initial(&self) -> bool {
        !initial_of(self).is_empty()
    }

    fn has_distance(&self) -> bool {
        initial_of(self).iter().any(|state| distance_of(self, state).is_some())
    }

    fn open(&self, symmetry: Symmetry, form: Form) -> Box<dyn Opened + '_> {
        Box::new(match form {
            Form::Compact => ProgramSystem::compact(self, symmetry),
            Form::InFull => ProgramSystem::in_full(self, symmetry),
        })
    }

    fn watch(&self, propositions: Vec<usize>, first: PropertyId) -> Box<dyn Opened + '_> {
        Box::new(ProgramSystem::watching(self, propositions, first))
    }
}

impl<P: Program> Opened for ProgramSystem<'_, P> {
    fn system(&self) -> Erased<'_, NoRegion, Call> {
        Erased::new(self)
    }

    fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        self.variables_of(state)
    }

    fn may_end(&self, state: &[u8]) -> bool {
        ProgramSystem::may_end(self, &self.state(state))
    }

    fn distance(&self, state: &[u8]) -> Option<u32> {
        distance_of(self.program, &self.state(state))
    }

    fn unfold(&self, trace: &Trace) -> Option<Trace> {
        ProgramSystem::unfold(self, trace)
    }

    fn asks_for_names(&self) -> bool {
        ProgramSystem::asks_for_names(self)
    }

    fn was_unfit(&self) -> bool {
        ProgramSystem::was_unfit(self)
    }

    fn class_of(&self, state: &[u8]) -> Vec<u8> {
        ProgramSystem::class_of(self, state)
    }

    fn heap_size(&self) -> u64 {
        ProgramSystem::heap_size(self) as u64
    }
}
