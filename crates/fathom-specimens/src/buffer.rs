//! A buffer with room for three, as a ring.

use fathom_online::{Action, Implementation, Roles, Term};
use fathom_program::{Data, Program};

use crate::Fault;

/// How many values there is room for.
pub const ROOM: usize = 3;

/// The values that are put.
const VALUES: [u8; 2] = [1, 2];

/// What can be wrong with it.
pub const FAULTS: [Fault; 8] = [
    "newest-first",
    "drops-when-full",
    "keeps-last",
    "clear-keeps-one",
    "counts-wrong-when-full",
    "refuses-third",
    "wraps-wrong",
    "no-answer-after-clear",
];

/// What is done with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BufferAction {
    /// A value is put.
    Put(u8),
    /// The oldest value is asked for.
    Take,
    /// The answer.
    Taken(u8),
    /// The number of values is asked for.
    Count,
    /// The answer.
    Counted(u8),
    /// All values are dropped.
    Clear,
}

/// An answer that is to come.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub enum Reply {
    /// None is.
    Nothing,
    /// A value.
    Value(u8),
    /// A number of values.
    Number(u8),
}

/// What the model remembers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub struct Contents {
    /// The values, oldest first.
    pub values: Vec<u8>,
    /// What is to come.
    pub reply: Reply,
}

/// The model.
#[derive(Clone, Copy, Debug)]
pub struct BufferModel;

impl Program for BufferModel {
    type State = Contents;
    type Action = BufferAction;

    fn initial(&self) -> Vec<Contents> {
        vec![Contents { values: Vec::new(), reply: Reply::Nothing }]
    }

    fn actions(&self, state: &Contents, actions: &mut Vec<BufferAction>) {
        match state.reply {
            Reply::Value(value) => return actions.push(BufferAction::Taken(value)),
            Reply::Number(number) => return actions.push(BufferAction::Counted(number)),
            Reply::Nothing => (),
        }
        if state.values.len() < ROOM {
            actions.extend(VALUES.map(BufferAction::Put));
        }
        if !state.values.is_empty() {
            actions.extend([BufferAction::Take, BufferAction::Clear]);
        }
        actions.push(BufferAction::Count);
    }

    fn apply(&self, action: &BufferAction, state: &mut Contents) {
        match action {
            BufferAction::Put(value) => state.values.push(*value),
            BufferAction::Take => state.reply = Reply::Value(state.values.remove(0)),
            BufferAction::Count => state.reply = Reply::Number(state.values.len() as u8),
            BufferAction::Taken(_) | BufferAction::Counted(_) => state.reply = Reply::Nothing,
            BufferAction::Clear => state.values.clear(),
        }
    }
}

/// Who decides about which action.
pub fn roles() -> Roles {
    Roles::observing(&["Taken", "Counted"]).expect("these are regular expressions")
}

/// The implementation.
#[derive(Clone, Debug)]
pub struct Buffer {
    fault: Option<Fault>,
    ring: [i64; ROOM],
    start: usize,
    length: usize,
    was_cleared: bool,
}

impl Buffer {
    /// An empty buffer, perhaps with a fault.
    pub fn new(fault: Option<Fault>) -> Buffer {
        Buffer { fault, ring: [0; ROOM], start: 0, length: 0, was_cleared: false }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn put(&mut self, value: i64) -> Result<Vec<Action>, String> {
        if self.length == ROOM || self.has("refuses-third") && self.length == ROOM - 1 {
            return Err("the buffer is full".to_owned());
        }
        if self.has("drops-when-full") && self.length == ROOM - 1 {
            return Ok(Vec::new());
        }
        self.ring[(self.start + self.length) % ROOM] = value;
        self.length += 1;
        Ok(Vec::new())
    }

    fn take(&mut self) -> Result<Vec<Action>, String> {
        if self.length == 0 {
            return Err("the buffer is empty".to_owned());
        }
        let is_kept = self.has("keeps-last") && self.length == 1;
        let place = if self.has("newest-first") { (self.start + self.length - 1) % ROOM } else { self.start };
        let value = self.ring[place];
        if !is_kept {
            self.length -= 1;
            if !self.has("newest-first") {
                self.start += 1;
            }
            if self.start == ROOM {
                self.start = usize::from(self.has("wraps-wrong"));
            }
        }
        if self.has("no-answer-after-clear") && self.was_cleared {
            return Ok(Vec::new());
        }
        Ok(vec![Action::of("Taken", vec![Term::Int(value)])])
    }

    fn count(&self) -> Vec<Action> {
        let is_wrong = self.has("counts-wrong-when-full") && self.length == ROOM;
        let number = if is_wrong { ROOM - 1 } else { self.length };
        vec![Action::of("Counted", vec![Term::Int(number as i64)])]
    }

    fn clear(&mut self) {
        self.was_cleared = true;
        self.length = usize::from(self.has("clear-keeps-one") && self.length == ROOM);
    }
}

impl Implementation for Buffer {
    fn reset(&mut self) {
        *self = Buffer::new(self.fault);
    }

    fn perform(&mut self, action: &Action) -> Result<Vec<Action>, String> {
        match (action.name().as_str(), action.arguments().as_slice()) {
            ("Put", [Term::Int(value)]) => self.put(*value),
            ("Take", []) => self.take(),
            ("Count", []) => Ok(self.count()),
            ("Clear", []) => {
                self.clear();
                Ok(Vec::new())
            }
            _ => Err(format!("there is no {action}")),
        }
    }
}
