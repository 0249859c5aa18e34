//! What moves lead to: a buffer of states, with the labels, faults and printed text on the way.

use std::ops::Range;

use crate::{EdgeId, Fault, TemplateId};

/// One move of a model: an edge of a process, or a hand-shake of two.
///
/// A step of the system is a list of moves: more than one when the process goes on alone afterwards, because
/// the edge is atomic or inside an indivisible block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// Number of the process that moves; in a hand-shake, the sender.
    pub process: u32,
    /// Its template.
    pub template: TemplateId,
    /// Its edge.
    pub edge: EdgeId,
    /// The receiver of a hand-shake.
    pub partner: Option<Partner>,
    /// Whether the move was made because nothing else could move.
    pub timeout: bool,
    /// Which outcome of the effect it is, where the effect chooses values: they are counted as they are tried.
    pub outcome: u32,
}

/// The receiver of a hand-shake.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Partner {
    /// Number of the process.
    pub process: u32,
    /// Its template.
    pub template: TemplateId,
    /// Its edge.
    pub edge: EdgeId,
}

/// A state that a move leads to.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    /// Bytes of the state in [`Reached::bytes`].
    pub state: Range<usize>,
    /// Moves in [`Reached::labels`]; empty unless recording.
    pub labels: Range<usize>,
    /// Printed text in [`Reached::text`]; empty unless printing.
    pub text: Range<usize>,
    /// The process that goes on alone, if any.
    pub alone: Option<u32>,
}

/// A fault met on the way.
#[derive(Clone, Debug)]
pub(crate) struct FaultAt {
    /// What went wrong.
    pub fault: Fault,
    /// The condition of an assertion that failed; none unless printing.
    pub condition: Option<String>,
    /// Moves up to and including the one that went wrong, in [`Reached::labels`].
    pub labels: Range<usize>,
}

/// A stack of states reached; pushed by moves, popped by whoever explores them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Reached {
    /// The states, one after the other.
    pub bytes: Vec<u8>,
    /// The states, as ranges.
    pub children: Vec<Child>,
    /// Labels of states and faults.
    pub labels: Vec<Move>,
    /// Printed text.
    pub text: String,
    /// Faults.
    pub faults: Vec<FaultAt>,
    recording: bool,
    printing: bool,
}

/// A height of the stack, to come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Height {
    pub bytes: usize,
    pub children: usize,
    pub labels: usize,
}

impl Reached {
    /// Forgets everything but keeps the memory; says what to keep from now on.
    pub fn start(&mut self, recording: bool, printing: bool) {
        self.bytes.clear();
        self.children.clear();
        self.labels.clear();
        self.text.clear();
        self.faults.clear();
        self.recording = recording;
        self.printing = printing;
    }

    /// Whether labels are wanted.
    pub fn is_recording(&self) -> bool {
        self.recording
    }

    /// Whether printed text is wanted.
    pub fn is_printing(&self) -> bool {
        self.printing
    }

    /// Files a state.
    pub fn push(&mut self, state: &[u8], moves: &[Move], output: Option<&str>, alone: Option<u32>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(state);
        let labels = self.record(moves);
        let text = self.text.len();
        self.text.push_str(output.unwrap_or_default());
        let text = text..self.text.len();
        self.children.push(Child { state: start..self.bytes.len(), labels, text, alone });
    }

    /// Files a fault.
    pub fn fault(&mut self, fault: Fault, moves: &[Move]) {
        let labels = self.record(moves);
        self.faults.push(FaultAt { fault, condition: None, labels });
    }

    /// Files an assertion whose condition was false.
    pub fn failed_assertion(&mut self, condition: Option<String>, moves: &[Move]) {
        let labels = self.record(moves);
        self.faults.push(FaultAt { fault: Fault::Assertion, condition, labels });
    }

    fn record(&mut self, moves: &[Move]) -> Range<usize> {
        let start = self.labels.len();
        if self.recording {
            self.labels.extend_from_slice(moves);
        }
        start..self.labels.len()
    }

    /// How high the stack is.
    pub fn height(&self) -> Height {
        Height { bytes: self.bytes.len(), children: self.children.len(), labels: self.labels.len() }
    }

    /// Goes back to a height.
    pub fn truncate(&mut self, height: Height) {
        self.bytes.truncate(height.bytes);
        self.children.truncate(height.children);
        self.labels.truncate(height.labels);
    }
}
