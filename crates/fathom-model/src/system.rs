//! The system: what an engine sees of a model.
//!
//! An engine asks for the initial composite states and for the steps that leave a composite state; it gets
//! them in a fixed order, so that a trace is a list of choices. It knows nothing of processes, languages or
//! regions. Wrappers (products, quotients, reductions) are systems around systems.
//!
//! Design: the system drives and pushes into a [`Steps`] buffer that the engine owns and reuses. Returning
//! a vector would allocate in the inner loop, and an iterator would have to borrow the state that the
//! engine wants to move on from. What a step *is* (which process, which statement) is a label; labels are
//! recorded only when someone wants to read them, for replay and simulation.

use std::ops::Range;

use crate::{Fault, Footprint, PropertyId, Region};

/// Initial states and steps of something.
///
/// The order and content of what is pushed is a function of the arguments alone.
pub trait System {
    /// The symbolic half of a state.
    type Region: Region;
    /// What a reader wants to know about a step.
    type Label: Clone;
    /// Buffers that one worker reuses from call to call.
    type Scratch;

    /// Fresh buffers.
    fn scratch(&self) -> Self::Scratch;

    /// Pushes every initial composite state, and findings that there are before the first step.
    fn initial(&self, scratch: &mut Self::Scratch, out: &mut Steps<Self::Region, Self::Label>);

    /// Pushes every step that leaves a composite state, and every finding about the state itself or about
    /// a step that leaves it.
    fn successors(
        &self,
        state: &[u8],
        region: &Self::Region,
        scratch: &mut Self::Scratch,
        out: &mut Steps<Self::Region, Self::Label>,
    );

    /// Number of portions in which the steps that leave a composite state can be asked for, one portion at a
    /// time: for an engine that wants one of ten thousand steps and not all of them. Pushes findings about the
    /// state itself, as far as they do not depend on whether anything can move.
    ///
    /// The steps of all portions, one portion after the other, are the steps of
    /// [`successors`](System::successors) in its order, and come with the same findings. Only when no portion
    /// has a step, `successors` may know more: it has to be asked then.
    ///
    /// A system that does not say otherwise has one portion, with everything in it.
    fn portions(
        &self,
        state: &[u8],
        region: &Self::Region,
        scratch: &mut Self::Scratch,
        out: &mut Steps<Self::Region, Self::Label>,
    ) -> usize {
        let _ = (state, region, scratch, out);
        1
    }

    /// Pushes the steps of the first portion of a range that has any, and gives the portion to go on with: the
    /// one after it, or the end of the range.
    fn portion(
        &self,
        among: Range<usize>,
        state: &[u8],
        region: &Self::Region,
        scratch: &mut Self::Scratch,
        out: &mut Steps<Self::Region, Self::Label>,
    ) -> usize {
        if !among.is_empty() {
            self.successors(state, region, scratch, out);
        }
        among.end
    }

    /// Finds out what the steps of a portion of a state depend on, and gives whether that is known: then in every
    /// other state that agrees on it the portion has the same steps, changes to the same bytes, and the same findings.
    /// To the first portion also belongs what [`portions`](System::portions) finds.
    fn footprint(
        &self,
        portion: usize,
        state: &[u8],
        scratch: &mut Self::Scratch,
        footprint: &mut Footprint,
    ) -> bool {
        let _ = (portion, state, scratch, footprint);
        false
    }
}

/// What refers to a system is one.
impl<S: System> System for &S {
    type Region = S::Region;
    type Label = S::Label;
    type Scratch = S::Scratch;

    fn scratch(&self) -> S::Scratch {
        (**self).scratch()
    }

    fn initial(&self, scratch: &mut S::Scratch, out: &mut Steps<S::Region, S::Label>) {
        (**self).initial(scratch, out);
    }

    fn successors(
        &self,
        state: &[u8],
        region: &S::Region,
        scratch: &mut S::Scratch,
        out: &mut Steps<S::Region, S::Label>,
    ) {
        (**self).successors(state, region, scratch, out);
    }

    fn portions(
        &self,
        state: &[u8],
        region: &S::Region,
        scratch: &mut S::Scratch,
        out: &mut Steps<S::Region, S::Label>,
    ) -> usize {
        (**self).portions(state, region, scratch, out)
    }

    fn portion(
        &self,
        among: Range<usize>,
        state: &[u8],
        region: &S::Region,
        scratch: &mut S::Scratch,
        out: &mut Steps<S::Region, S::Label>,
    ) -> usize {
        (**self).portion(among, state, region, scratch, out)
    }

    fn footprint(
        &self,
        portion: usize,
        state: &[u8],
        scratch: &mut S::Scratch,
        footprint: &mut Footprint,
    ) -> bool {
        (**self).footprint(portion, state, scratch, footprint)
    }
}

/// Something noticed while a state was expanded: evidence about a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The property it is evidence about: a violation, or for reachability a witness.
    pub property: PropertyId,
    /// What went wrong, when it is not the state itself.
    pub fault: Option<Fault>,
    /// How far the last step got: see [`Steps::finding_labels`].
    labels: Range<usize>,
}

/// One step in a [`Steps`] buffer.
#[derive(Clone, Debug)]
struct Entry<R> {
    /// One past the last byte of the state; it starts where the one before ends.
    end: usize,
    labels: Range<usize>,
    region: R,
}

/// How much there is in a [`Steps`] buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Height {
    bytes: usize,
    entries: usize,
    labels: usize,
    findings: usize,
}

/// The steps that leave a state: a buffer that is cleared and filled again and again.
#[derive(Clone, Debug)]
pub struct Steps<R, L> {
    bytes: Vec<u8>,
    entries: Vec<Entry<R>>,
    labels: Vec<L>,
    findings: Vec<Finding>,
    recording: bool,
    /// Regions of steps before the buffer was cleared, if they are asked for.
    spare: Vec<R>,
    keeps_spare: bool,
}

impl<R, L> Steps<R, L> {
    /// An empty buffer that drops labels.
    pub fn new() -> Steps<R, L> {
        Steps {
            bytes: Vec::new(),
            entries: Vec::new(),
            labels: Vec::new(),
            findings: Vec::new(),
            recording: false,
            spare: Vec::new(),
            keeps_spare: false,
        }
    }

    /// An empty buffer that keeps labels.
    pub fn recording() -> Steps<R, L> {
        Steps { recording: true, ..Steps::new() }
    }

    /// Whether labels are kept; a system need not make them otherwise.
    pub fn is_recording(&self) -> bool {
        self.recording
    }

    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        if self.keeps_spare {
            self.spare.extend(self.entries.drain(..).map(|entry| entry.region));
        } else {
            self.entries.clear();
        }
        self.labels.clear();
        self.findings.clear();
    }

    /// The region of a step from before the buffer was cleared, to be filled anew in place of making one. A buffer that is asked for
    /// one keeps them from then on: for regions that are nothing but memory.
    #[inline]
    pub fn take_spare(&mut self) -> Option<R> {
        self.keeps_spare = true;
        self.spare.pop()
    }

    /// Adds a step, with the labels that lead to it.
    pub fn push(&mut self, state: &[u8], region: R, labels: &[L])
    where
        L: Clone,
    {
        self.bytes.extend_from_slice(state);
        let labels = self.record(labels);
        self.entries.push(Entry { end: self.bytes.len(), labels, region });
    }

    /// Adds the steps of another buffer, to states with these bytes in front.
    #[inline]
    pub fn push_behind<const N: usize>(&mut self, front: [u8; N], steps: &Steps<R, L>)
    where
        R: Clone,
        L: Clone,
    {
        self.bytes.reserve(steps.bytes.len() + steps.entries.len() * N);
        self.entries.reserve(steps.entries.len());
        let mut start = 0;
        for entry in &steps.entries {
            self.bytes.extend_from_slice(&front);
            self.bytes.extend_from_slice(&steps.bytes[start..entry.end]);
            start = entry.end;
            let labels = self.record(&steps.labels[entry.labels.clone()]);
            self.entries.push(Entry { end: self.bytes.len(), labels, region: entry.region.clone() });
        }
    }

    /// Adds steps without labels: states of equal length, one after the other.
    pub fn push_all(&mut self, states: &[u8], length: usize, region: &R)
    where
        R: Clone,
    {
        let mut end = self.bytes.len();
        self.bytes.extend_from_slice(states);
        let labels = self.labels.len()..self.labels.len();
        while end < self.bytes.len() {
            end += length;
            self.entries.push(Entry { end, labels: labels.clone(), region: region.clone() });
        }
    }

    /// Adds a step without labels whose state starts as a copy; gives the copy, to be edited in place.
    pub fn push_copy(&mut self, state: &[u8], region: R) -> &mut [u8] {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(state);
        let labels = self.labels.len()..self.labels.len();
        self.entries.push(Entry { end: self.bytes.len(), labels, region });
        &mut self.bytes[start..]
    }

    /// How much there is, to go back to.
    pub fn height(&self) -> Height {
        Height {
            bytes: self.bytes.len(),
            entries: self.entries.len(),
            labels: self.labels.len(),
            findings: self.findings.len(),
        }
    }

    /// Forgets everything added since the buffer had this height.
    pub fn truncate(&mut self, height: Height) {
        self.bytes.truncate(height.bytes);
        self.entries.truncate(height.entries);
        self.labels.truncate(height.labels);
        self.findings.truncate(height.findings);
    }

    /// Adds a finding, with the labels that lead to it.
    pub fn find(&mut self, property: PropertyId, fault: Option<Fault>, labels: &[L])
    where
        L: Clone,
    {
        let labels = self.record(labels);
        self.findings.push(Finding { property, fault, labels });
    }

    fn record(&mut self, labels: &[L]) -> Range<usize>
    where
        L: Clone,
    {
        let start = self.labels.len();
        if self.recording {
            self.labels.extend_from_slice(labels);
        }
        start..self.labels.len()
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The explicit part of the state that a step reaches.
    pub fn state(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.entries[index - 1].end };
        &self.bytes[start..self.entries[index].end]
    }

    /// The region of the state that a step reaches.
    pub fn region(&self, index: usize) -> &R {
        &self.entries[index].region
    }

    /// The labels that lead to a step; empty unless recording.
    pub fn labels(&self, index: usize) -> &[L] {
        &self.labels[self.entries[index].labels.clone()]
    }

    /// The findings.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The labels between the expanded state and a finding: the part of a step that was taken before it.
    /// Empty for a finding about the expanded state itself, and unless recording.
    pub fn finding_labels(&self, finding: &Finding) -> &[L] {
        &self.labels[finding.labels.clone()]
    }
}

impl<R, L> Default for Steps<R, L> {
    fn default() -> Steps<R, L> {
        Steps::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_regions_are_those_of_steps_that_were_cleared() {
        let mut steps: Steps<Vec<u8>, ()> = Steps::new();
        steps.push(b"a", vec![1], &[]);
        steps.clear();
        assert_eq!(steps.take_spare(), None, "nobody had asked for any");
        steps.push(b"b", vec![2], &[]);
        steps.push(b"c", vec![3], &[]);
        assert_eq!(steps.take_spare(), None, "these are in use");
        steps.clear();
        assert!(steps.is_empty());
        let mut spare: Vec<Vec<u8>> = std::iter::from_fn(|| steps.take_spare()).collect();
        spare.sort();
        assert_eq!(spare, [[2], [3]]);
    }
}
