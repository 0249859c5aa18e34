//! Replay: follow the choices of a trace and see whether it shows what it claims.
//!
//! Nothing but the system is used, so that replay on the reference interpreter checks everything that lies
//! between it and the trace: native code, reductions, stores, and the search itself.

use std::fmt;

use fathom_model::{Evidence, Fault, PropertyId, Region, Steps, System, Trace};

/// A trace that was followed to its end and shows what it claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay<R, L> {
    /// The states on the way, the initial one first. Empty when the finding comes before the first step.
    pub visits: Vec<Visit<R, L>>,
    /// What led from the last state to the finding: the part of a step that was taken before it. Empty when
    /// the finding is about the last state itself.
    pub finding_labels: Vec<L>,
}

/// One state on a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit<R, L> {
    /// The labels of the step that led to it.
    pub labels: Vec<L>,
    /// The explicit part.
    pub state: Vec<u8>,
    /// The region.
    pub region: R,
}

/// Why a trace does not show what it claims.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// There is no such initial state.
    NoSuchInitial {
        /// The index in the trace.
        index: u32,
        /// Number of initial states.
        n_initial: usize,
    },
    /// A state has no such step.
    NoSuchStep {
        /// Number of steps taken before.
        after: usize,
        /// The index in the trace.
        index: u32,
        /// Number of steps of the state.
        n_steps: usize,
    },
    /// What is to be found at the end is not.
    NoEvidence {
        /// The property.
        property: PropertyId,
        /// The fault, if any.
        fault: Option<Fault>,
    },
    /// The last state is not the one at which the loop starts, or there is no loop.
    OpenLoop {
        /// Number of steps before the loop.
        loop_at: usize,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NoSuchInitial { index, n_initial } => {
                write!(out, "initial state {index} of {n_initial} does not exist")
            }
            ReplayError::NoSuchStep { after, index, n_steps } => {
                write!(out, "after {after} steps: step {index} of {n_steps} does not exist")
            }
            ReplayError::NoEvidence { property, fault: Some(fault) } => {
                write!(out, "the end shows no \"{fault}\" for property {}", property.0)
            }
            ReplayError::NoEvidence { property, fault: None } => {
                write!(out, "the end shows nothing about property {}", property.0)
            }
            ReplayError::OpenLoop { loop_at } => {
                write!(out, "the end is not the state after {loop_at} steps, where the loop starts")
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// Follows a trace and checks that it ends with its evidence and, for a lasso, where its loop starts.
pub fn replay<S: System>(system: &S, trace: &Trace) -> Result<Replay<S::Region, S::Label>, ReplayError> {
    let mut scratch = system.scratch();
    let mut steps = Steps::recording();
    system.initial(&mut scratch, &mut steps);
    if trace.choices.is_empty() && trace.loop_at.is_none() {
        // A finding before the first step.
        if let Some(finding_labels) = find_evidence(&steps, &trace.evidence) {
            return Ok(Replay { visits: Vec::new(), finding_labels });
        }
    }
    if trace.initial as usize >= steps.len() {
        return Err(ReplayError::NoSuchInitial { index: trace.initial, n_initial: steps.len() });
    }
    let mut visits: Vec<Visit<S::Region, S::Label>> = Vec::with_capacity(trace.choices.len() + 1);
    visits.push(visit(&steps, trace.initial));
    for (after, &choice) in trace.choices.iter().enumerate() {
        expand(system, &visits[after], &mut scratch, &mut steps);
        if choice as usize >= steps.len() {
            return Err(ReplayError::NoSuchStep { after, index: choice, n_steps: steps.len() });
        }
        visits.push(visit(&steps, choice));
    }
    let last = &visits[visits.len() - 1];
    if let Some(loop_at) = trace.loop_at {
        let start = visits.get(loop_at).filter(|_| loop_at < trace.choices.len());
        if !start
            .is_some_and(|start| start.state == last.state && is_same_region(&start.region, &last.region))
        {
            return Err(ReplayError::OpenLoop { loop_at });
        }
    }
    let Evidence::Finding { property, fault } = &trace.evidence else {
        return Ok(Replay { visits, finding_labels: Vec::new() });
    };
    expand(system, last, &mut scratch, &mut steps);
    match find_evidence(&steps, &trace.evidence) {
        Some(finding_labels) => Ok(Replay { visits, finding_labels }),
        None => Err(ReplayError::NoEvidence { property: *property, fault: fault.clone() }),
    }
}

fn visit<R: Clone, L: Clone>(steps: &Steps<R, L>, choice: u32) -> Visit<R, L> {
    let index = choice as usize;
    Visit {
        labels: steps.labels(index).to_vec(),
        state: steps.state(index).to_vec(),
        region: steps.region(index).clone(),
    }
}

fn expand<S: System>(
    system: &S,
    visit: &Visit<S::Region, S::Label>,
    scratch: &mut S::Scratch,
    steps: &mut Steps<S::Region, S::Label>,
) {
    steps.clear();
    system.successors(&visit.state, &visit.region, scratch, steps);
}

/// The labels of the first finding that is this evidence.
fn find_evidence<R, L: Clone>(steps: &Steps<R, L>, evidence: &Evidence) -> Option<Vec<L>> {
    let Evidence::Finding { property, fault } = evidence else {
        return None;
    };
    let is_evidence =
        |finding: &&fathom_model::Finding| finding.property == *property && finding.fault == *fault;
    steps.findings().iter().find(is_evidence).map(|finding| steps.finding_labels(finding).to_vec())
}
/// Whether two regions stand for the same set.
fn is_same_region<R: Region>(one: &R, other: &R) -> bool {
    one.includes(other) && other.includes(one)
}
