//! Ways: traces as the engines of this crate keep them while they work.
//!
//! A [`Trace`] names a step by its place among all steps of a state. To know that place one must make all of
//! them, which takes longer than everything else when a state has thousands of processes. A [`Way`] names a
//! step by its portion and its place in it (see [`System::portions`]), and becomes a trace at the end, when it
//! is as short as it gets.
//!
//! That a step of a portion often keeps its place when other portions move is what [`crate::shorten()`] lives on:
//! steps can be left out, and the rest still means something.

use fathom_model::{Evidence, Finding, PropertyId, Steps, System, Trace};

/// One step of a way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hop {
    /// The portion, or [`Hop::ALL`].
    pub portion: u32,
    /// The index of the step in the portion.
    pub index: u32,
}

impl Hop {
    /// In place of a portion: the index is one among all steps.
    pub const ALL: u32 = u32::MAX;

    /// The step with this index among all.
    pub fn among_all(index: usize) -> Hop {
        Hop { portion: Hop::ALL, index: index as u32 }
    }
}

/// A list of steps that leads to evidence about a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    /// Index of the initial state.
    pub initial: u32,
    pub hops: Vec<Hop>,
    pub evidence: Evidence,
    /// For a lasso: the number of steps before the loop.
    pub loop_at: Option<usize>,
}

impl Way {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.hops.len()
    }

    /// Whether a step that fails, such as an assertion, comes after the last one.
    pub fn ends_in_a_fault(&self) -> bool {
        matches!(&self.evidence, Evidence::Finding { fault: Some(_), .. })
    }
}

/// The evidence that a finding is.
pub(crate) fn evidence_of(finding: &Finding) -> Evidence {
    Evidence::Finding { property: finding.property, fault: finding.fault.clone() }
}

/// Whether an expansion has this evidence.
pub(crate) fn shows<R, L>(steps: &Steps<R, L>, evidence: &Evidence) -> bool {
    steps.findings().iter().any(|finding| evidence_of(finding) == *evidence)
}

/// The property that evidence is about.
pub(crate) fn property_of(evidence: &Evidence) -> Option<PropertyId> {
    match evidence {
        Evidence::Finding { property, .. } => Some(*property),
        Evidence::State => None,
    }
}

/// A state that steps are taken from, with the buffers to do so.
pub(crate) struct Follower<'s, S: System> {
    system: &'s S,
    pub scratch: S::Scratch,
    pub steps: Steps<S::Region, S::Label>,
    pub state: Vec<u8>,
    /// None before the first state.
    pub region: Option<S::Region>,
}

impl<'s, S: System> Follower<'s, S> {
    /// A follower that is nowhere yet.
    pub fn new(system: &'s S) -> Follower<'s, S> {
        Follower { system, scratch: system.scratch(), steps: Steps::new(), state: Vec::new(), region: None }
    }

    /// Goes to an initial state. False when there is no such state. The findings are those before the first
    /// step.
    pub fn start(&mut self, initial: u32) -> bool {
        self.steps.clear();
        self.system.initial(&mut self.scratch, &mut self.steps);
        let exists = (initial as usize) < self.steps.len();
        if exists {
            self.enter(initial as usize);
        }
        exists
    }

    /// Goes to the state of a step in the buffer.
    pub fn enter(&mut self, index: usize) {
        self.state.clear();
        self.state.extend_from_slice(self.steps.state(index));
        self.region = Some(self.steps.region(index).clone());
    }

    /// The composite state.
    ///
    /// # Panics
    ///
    /// Before the first state.
    pub fn region(&self) -> &S::Region {
        self.region.as_ref().expect("the follower has been started")
    }

    /// Makes all steps and findings of the state.
    pub fn expand(&mut self) {
        self.steps.clear();
        let region = self.region.as_ref().expect("the follower has been started");
        self.system.successors(&self.state, region, &mut self.scratch, &mut self.steps);
    }

    /// Makes the findings about the state itself, and gives the number of portions.
    pub fn portions(&mut self) -> usize {
        self.steps.clear();
        let region = self.region.as_ref().expect("the follower has been started");
        self.system.portions(&self.state, region, &mut self.scratch, &mut self.steps)
    }

    /// Makes the steps of the first portion in a range that has any; gives the portion to go on with.
    pub fn portion(&mut self, among: std::ops::Range<usize>) -> usize {
        self.steps.clear();
        let region = self.region.as_ref().expect("the follower has been started");
        self.system.portion(among, &self.state, region, &mut self.scratch, &mut self.steps)
    }

    /// Adds the steps of one portion to those in the buffer.
    pub fn add_portion(&mut self, portion: usize) {
        let region = self.region.as_ref().expect("the follower has been started");
        let among = portion..portion + 1;
        self.system.portion(among, &self.state, region, &mut self.scratch, &mut self.steps);
    }

    /// Takes a step. False, and the state stays, when there is no such step.
    pub fn take(&mut self, hop: Hop) -> bool {
        if hop.portion == Hop::ALL {
            self.expand();
        } else {
            let n_portions = self.portions();
            let portion = hop.portion as usize;
            if portion >= n_portions {
                return false;
            }
            self.portion(portion..portion + 1);
        }
        let exists = (hop.index as usize) < self.steps.len();
        if exists {
            self.enter(hop.index as usize);
        }
        exists
    }

    /// The index among all steps of a step of a portion. The state stays.
    pub fn index_among_all(&mut self, hop: Hop) -> u32 {
        if hop.portion == Hop::ALL {
            return hop.index;
        }
        let mut n_before = 0;
        let mut next = 0;
        while next < hop.portion as usize {
            next = self.portion(next..hop.portion as usize);
            n_before += self.steps.len() as u32;
        }
        n_before + hop.index
    }

    /// The step of a portion with this index among all steps. None when there is no such step, or when it
    /// belongs to no portion.
    pub fn hop_of_index(&mut self, index: u32) -> Option<Hop> {
        let n_portions = self.portions();
        let mut n_before = 0;
        let mut next = 0;
        while next < n_portions {
            next = self.portion(next..n_portions);
            let n_steps = self.steps.len() as u32;
            if index < n_before + n_steps {
                return Some(Hop { portion: next as u32 - 1, index: index - n_before });
            }
            n_before += n_steps;
        }
        None
    }
}

/// The trace of a way.
///
/// # Panics
///
/// When a step does not exist: the system is not a function of its arguments.
pub(crate) fn trace_of<S: System>(system: &S, way: &Way) -> Trace {
    find_trace_of(system, way).expect("a step that was taken can be taken again; please report this bug")
}

/// The trace of a way; none when a step does not exist. A system that gives up in the middle has no steps from there on.
pub(crate) fn find_trace_of<S: System>(system: &S, way: &Way) -> Option<Trace> {
    let mut follower = Follower::new(system);
    let mut choices = Vec::with_capacity(way.len());
    if !way.hops.is_empty() && !follower.start(way.initial) {
        return None;
    }
    for &hop in &way.hops {
        choices.push(follower.index_among_all(hop));
        if !follower.take(hop) {
            return None;
        }
    }
    Some(Trace { initial: way.initial, choices, evidence: way.evidence.clone(), loop_at: way.loop_at })
}

impl From<&Trace> for Way {
    /// The way of a trace, with steps named by their places among all.
    fn from(trace: &Trace) -> Way {
        let hops = trace.choices.iter().map(|&choice| Hop::among_all(choice as usize)).collect();
        Way { initial: trace.initial, hops, evidence: trace.evidence.clone(), loop_at: trace.loop_at }
    }
}
