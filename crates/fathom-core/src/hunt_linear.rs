//! Hunting for infinite runs: formulas of linear temporal logic and claims, by walks that close loops.
//!
//! A walk on the product of the model and the automaton of the violations remembers where it has been. When it comes back to
//! a state and has passed an accepting one since, the run that goes round this loop for ever is a violation (Grosu and
//! Smolka, "Monte Carlo Model Checking", TACAS 2005; the source of the walks, Bui 2009, has only errors that finite
//! runs show). Where finite runs decide, all sampled engines work on the product as on any system.
//!
//! Lassos are projected to the model, followed on the reference interpreter and evaluated without the automaton, like those
//! of complete searches.

use fathom_hunt::{
    Acceptance, ArmRow, Enough, Hooks, HuntMonitor, IsrOptions, Repeats, WalkOptions, default_arms,
    lasso_arms,
};
use fathom_model::{Accepting, NoRegion, PropertyId, Statistics, Stop, Trust};
use fathom_search::{Monitor, Options, Outcome, Progress, strong_components};

use crate::check::{CheckOptions, Engine};
use crate::guided::{Sample, isr_options, walk_options};
use crate::hunt::{HuntOptions, attempt_bytes, rest_for, search_bytes};
use crate::linear::LinearEngine;

/// Accepting states of a product, for walks.
pub(crate) struct ByAutomaton<'s, S>(pub(crate) &'s S);

impl<S: Accepting<Region = NoRegion> + Sync> Acceptance<NoRegion> for ByAutomaton<'_, S> {
    fn is_accepting(&self, state: &[u8], _: &NoRegion) -> bool {
        self.0.is_accepting(state)
    }
}

/// One sampled engine on products.
pub(crate) struct Sampled<'a> {
    pub options: &'a CheckOptions,
    pub monitor: &'a mut dyn Monitor,
    /// What was done for the last property.
    pub sample: Option<Sample>,
}

impl LinearEngine for Sampled<'_> {
    fn run<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        property: PropertyId,
        is_plain: bool,
    ) -> (Outcome, usize) {
        let threads = self.options.threads.max(1);
        match self.options.engine {
            Engine::Walk => {
                let walk = walk_options(self.options, &[property]);
                // A trail never closes a loop; a walk that ends at its first one is as close as can be.
                let repeats = match walk.repeats {
                    Repeats::Avoid => Repeats::End,
                    repeats => repeats,
                };
                let walk = WalkOptions { repeats, ..walk };
                let accepting = ByAutomaton(system);
                let hooks = Hooks { guide: None, lasso: Some((property, &accepting)) };
                let done = fathom_hunt::walk(system, &walk, hooks, self.monitor);
                let outcome = done.outcome.clone();
                self.sample = Some(Sample::of_walks(done));
                (outcome, threads)
            }
            Engine::Isr if is_plain => {
                let isr: IsrOptions = isr_options(self.options, &[property]);
                let done = fathom_hunt::isr(system, &isr, self.monitor);
                let outcome = done.outcome.clone();
                self.sample = Some(Sample::of_isr(done));
                (outcome, threads)
            }
            _ => (without_search(&[], Stop::Unsupported), 1),
        }
    }
}

/// States of the complete attempt for a formula.
const ATTEMPT_STATES: u64 = 200_000;

/// A portfolio on products.
pub(crate) struct LinearHunt<'a> {
    pub options: &'a HuntOptions,
    /// Most states for this question.
    pub max_states: Option<u64>,
    pub monitor: &'a mut dyn HuntMonitor,
    /// What each arm did.
    pub arms: Vec<ArmRow>,
    /// Which arm found the evidence.
    pub found_by: Option<String>,
}

impl LinearEngine for LinearHunt<'_> {
    fn run<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        property: PropertyId,
        is_plain: bool,
    ) -> (Outcome, usize) {
        let options = self.options;
        let threads = options.threads.max(1);
        let seed = options.guidance.seed;
        let mut hunted = fathom_hunt::HuntOptions {
            properties: vec![property],
            enough: Enough::All,
            max_states: self.max_states,
            threads,
            seed,
            attempt_bytes: attempt_bytes(options.max_bytes),
            rest: rest_for(threads),
            ..fathom_hunt::HuntOptions::default()
        };
        let accepting = ByAutomaton(system);
        let mut first = None;
        let arms = if is_plain {
            default_arms(system, &[], seed, search_bytes(options.max_bytes, threads))
        } else {
            first = self.attempt(system, property);
            if first.as_ref().is_some_and(|first| !is_worth_a_hunt(first)) {
                return (first.expect("the attempt has an answer"), 1);
            }
            // A depth-first search finds long ways round: some time is worth a shorter one.
            let most = first.as_ref().map_or(u64::MAX, |_| STATES_FOR_SHORTER);
            hunted.max_states = Some(self.max_states.unwrap_or(u64::MAX).min(most));
            hunted.attempt_states = 0;
            lasso_arms(system, (property, &accepting), seed)
        };
        let done = fathom_hunt::hunt(system, &hunted, arms, self.monitor);
        self.arms = done.arms;
        if let Some(first) = first.filter(|first| length(first) <= length(&done.outcome)) {
            return (first, threads);
        }
        self.found_by = done.found_by.into_iter().next().flatten();
        (done.outcome, threads)
    }
}

impl LinearHunt<'_> {
    /// A short complete search for cycles; nothing when it was too short to answer.
    fn attempt<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        property: PropertyId,
    ) -> Option<Outcome> {
        let limits = Options {
            properties: vec![property],
            max_states: Some(self.max_states.map_or(ATTEMPT_STATES, |most| most.min(ATTEMPT_STATES))),
            max_bytes: Some(attempt_bytes(self.options.max_bytes)),
            ..Options::default()
        };
        let mut stop = None;
        let mut watched = |progress: &Progress| {
            stop = self.monitor.poll(progress, &[]);
            stop
        };
        let mut outcome = strong_components(system, &limits, &mut watched);
        // What the attempt took is not there for what follows.
        self.max_states = self.max_states.map(|most| most.saturating_sub(outcome.statistics.states));
        let is_answer = matches!(outcome.stop, Stop::Exhausted | Stop::Found) || stop.is_some();
        outcome.stop = stop.unwrap_or(outcome.stop);
        is_answer.then_some(outcome)
    }
}

/// States that are spent on a shorter lasso when there is one.
const STATES_FOR_SHORTER: u64 = 1_000_000;
/// Lassos up to this length are short enough.
const SHORT: usize = 20;

/// Steps of the evidence; without evidence, more than any.
fn length(outcome: &Outcome) -> usize {
    let traces = outcome.evidence.iter().filter_map(|(_, trace)| trace.as_ref());
    traces.map(|trace| trace.choices.len()).min().unwrap_or(usize::MAX)
}

/// Whether the answer of a complete attempt is a long lasso.
fn is_worth_a_hunt(first: &Outcome) -> bool {
    (SHORT + 1..usize::MAX).contains(&length(first))
}

/// What comes of no search: nothing about these properties.
pub(crate) fn without_search(properties: &[PropertyId], stop: Stop) -> Outcome {
    Outcome {
        evidence: properties.iter().map(|&property| (property, None)).collect(),
        stop,
        depth_cut: true,
        trust: Trust::Sampled,
        expected_omissions: 0.0,
        profile: None,
        statistics: Statistics::default(),
    }
}
