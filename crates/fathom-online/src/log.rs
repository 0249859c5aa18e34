//! Logs: what happened in a run, and what it takes to have it happen again.

use crate::action::Action;
use crate::verdict::TestVerdict;

/// One thing that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The tester did something, and the implementation heard of it or not.
    Did {
        /// What.
        action: Action,
        /// Whether it was sent.
        is_sent: bool,
    },
    /// The implementation did something.
    Observed {
        /// What.
        action: Action,
        /// Whether the tester was waiting for it, and not doing something else.
        is_awaited: bool,
    },
    /// The tester waited, and the implementation was silent.
    Silence,
    /// A unit of time passed.
    Tick,
}

/// What happened in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunLog {
    /// In its order.
    pub entries: Vec<Entry>,
    /// What came of it.
    pub verdict: TestVerdict,
}

/// What the tester does, whatever the implementation answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stimulus {
    /// Do this.
    Do(Action),
    /// Wait, until the implementation does something or is silent.
    Wait,
    /// Let a unit of time pass.
    Tick,
}

/// What the tester did in a run.
pub fn stimuli(entries: &[Entry]) -> Vec<Stimulus> {
    let stimulus = |entry: &Entry| match entry {
        Entry::Did { action, .. } => Some(Stimulus::Do(action.clone())),
        Entry::Observed { is_awaited: true, .. } | Entry::Silence => Some(Stimulus::Wait),
        Entry::Observed { is_awaited: false, .. } => None,
        Entry::Tick => Some(Stimulus::Tick),
    };
    entries.iter().filter_map(stimulus).collect()
}
