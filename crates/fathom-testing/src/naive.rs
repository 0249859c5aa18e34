//! The reference engine: slow and obvious.
//!
//! A set of states, a list of states to look at, and nothing else. Every engine, store and order must agree
//! with it on what can be reached and what is found there.

use std::collections::{BTreeMap, HashMap, VecDeque};

use fathom_model::{PropertyId, Steps, System};

/// What there is to know about a system without regions worth mentioning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    /// Distinct states.
    pub states: u64,
    /// Steps.
    pub transitions: u64,
    /// Properties with evidence, and the least number of steps to it.
    pub evidence: Vec<(PropertyId, u64)>,
    /// The number of states that take so many steps, and no fewer, to reach.
    pub states_at_depth: Vec<u64>,
}

/// Explores a system whose regions never matter. Gives up, with nothing, beyond `limit` states or ten times as
/// many transitions: processes that start without end make few states with ever more steps.
pub fn explore<S: System>(system: &S, limit: usize) -> Option<Explored>
where
    S::Region: Default,
{
    let mut scratch = system.scratch();
    let mut steps = Steps::new();
    let mut depths: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut frontier = VecDeque::new();
    let mut found: BTreeMap<PropertyId, u64> = BTreeMap::new();
    let mut states_at_depth = Vec::new();
    let mut transitions = 0;
    system.initial(&mut scratch, &mut steps);
    let mut depth = 0;
    loop {
        for index in 0..steps.len() {
            let state = steps.state(index).to_vec();
            if !depths.contains_key(&state) {
                depths.insert(state.clone(), depth);
                states_at_depth.resize(states_at_depth.len().max(depth + 1), 0);
                states_at_depth[depth] += 1;
                frontier.push_back(state);
            }
        }
        for finding in steps.findings() {
            found.entry(finding.property).or_insert(depth.saturating_sub(1) as u64);
        }
        if depths.len() > limit || transitions > 10 * limit as u64 {
            return None;
        }
        let Some(state) = frontier.pop_front() else { break };
        depth = depths[&state] + 1;
        steps.clear();
        system.successors(&state, &S::Region::default(), &mut scratch, &mut steps);
        transitions += steps.len() as u64;
    }
    let evidence = found.into_iter().collect();
    Some(Explored { states: depths.len() as u64, transitions, evidence, states_at_depth })
}
