//! One walk through the zones of a network: a state, the steps that leave it, and the way back.
//!
//! Zones are not made larger, so that what a zone says of clocks is what is possible after these steps, whatever the delays. The way so far is
//! also told with numbers: the earliest run that takes these steps, checked by the concrete meaning of the network.

use fathom_core::model::{Finding, PropertyId, Steps, System};
use fathom_core::timed_automata::concrete::{ConcreteState, Goal, TimedRun, check_run};
use fathom_core::timed_automata::symbolic_run::{constraint_text, zone_constraints};
use fathom_core::timed_automata::timing::schedule;
use fathom_core::timed_automata::{
    Conjunct, Cover, Extrapolation, Network, TimedMove, TimedProperty, TimedQuestion, Valuation, ZoneOptions,
    ZoneRegion, ZoneSystem,
};

use super::forms::{fault_text, moves_text};

/// What is asked of the network on the way: whether something is a fault.
fn faults() -> TimedProperty {
    TimedProperty { name: "runtime-error".to_owned(), question: TimedQuestion::RuntimeError, span: None }
}

/// A walk that has come to some zone.
pub struct ZoneWalk<'a> {
    system: ZoneSystem<'a>,
    scratch: <ZoneSystem<'a> as System>::Scratch,
    /// The steps that leave where it is.
    steps: Steps<ZoneRegion, TimedMove>,
    /// The states on the way with the moves that led to them, the current one last.
    way: Vec<(Vec<u8>, ZoneRegion, Vec<TimedMove>)>,
}

impl<'a> ZoneWalk<'a> {
    /// Starts at the first initial state.
    ///
    /// # Errors
    ///
    /// In words, when there is none.
    pub fn start(network: &'a Network) -> Result<ZoneWalk<'a>, String> {
        let exact = ZoneOptions { extrapolation: Extrapolation::None, cover: Cover::Inclusion };
        let system = ZoneSystem::new(network, &[faults()], &[PropertyId::from(0)], exact);
        let (mut scratch, mut steps) = (system.scratch(), Steps::recording());
        system.initial(&mut scratch, &mut steps);
        if steps.is_empty() {
            return Err("the network cannot start: an invariant is false, or cannot be evaluated".to_owned());
        }
        let first = (steps.state(0).to_vec(), steps.region(0).clone(), steps.labels(0).to_vec());
        let mut walk = ZoneWalk { system, scratch, steps, way: vec![first] };
        walk.look();
        Ok(walk)
    }

    /// Finds the steps that leave where it is.
    fn look(&mut self) {
        self.steps.clear();
        if let Some((state, region, _)) = self.way.last() {
            self.system.successors(state, region, &mut self.scratch, &mut self.steps);
        }
    }

    /// Steps taken.
    pub fn n_steps(&self) -> usize {
        self.way.len() - 1
    }

    /// Steps that can be taken.
    pub fn n_options(&self) -> usize {
        self.steps.len()
    }

    /// The moves of a step that can be taken, in words.
    pub fn option_text(&self, option: usize) -> String {
        let moves = self.steps.labels(option).iter();
        let texts = moves.filter(|one| !one.edges.is_empty()).map(|one| self.text(one));
        texts.collect::<Vec<_>>().join("; ")
    }

    fn text(&self, taken: &TimedMove) -> String {
        moves_text(self.system.network(), &taken.edges)
    }

    /// Steps from here that are run-time errors, in words.
    pub fn faults(&self) -> Vec<String> {
        let text = |finding: &Finding| {
            let edges = self.steps.finding_labels(finding).last().map_or(&[][..], |last| &last.edges);
            finding.fault.as_ref().map(|fault| fault_text(self.system.network(), edges, fault))
        };
        self.steps.findings().iter().filter_map(text).collect()
    }

    /// Takes a step.
    pub fn take(&mut self, option: usize) {
        let taken = (
            self.steps.state(option).to_vec(),
            self.steps.region(option).clone(),
            self.steps.labels(option).to_vec(),
        );
        self.way.push(taken);
        self.look();
    }

    /// Goes back a step, unless it is at the start.
    pub fn back(&mut self) -> bool {
        if self.way.len() < 2 {
            return false;
        }
        self.way.pop();
        self.look();
        true
    }

    /// What clocks satisfy where it is, whatever the delays, in words.
    pub fn zone_text(&self) -> String {
        let network = self.system.network();
        let constraints = self.way.last().and_then(|(_, region, _)| zone_constraints(network, region));
        let texts: Vec<String> =
            constraints.unwrap_or_default().iter().map(|one| constraint_text(network, one)).collect();
        if texts.is_empty() { "any".to_owned() } else { texts.join(", ") }
    }

    /// The earliest run that takes the steps so far, with its states.
    ///
    /// # Errors
    ///
    /// In words, when there is none: a bug.
    pub fn run(&self) -> Result<(TimedRun, Vec<ConcreteState>), String> {
        let network = self.system.network();
        let mut initial = Valuation::default();
        self.system.layout().decode(&self.way[0].0, &mut initial);
        let moves: Vec<TimedMove> = self.way.iter().flat_map(|(_, _, moves)| moves.iter().cloned()).collect();
        let run =
            schedule(network, &initial.locations, &moves, &[], &[]).map_err(|error| error.to_string())?;
        let states = check_run(network, &run, Goal::OneOf(&[Conjunct::default()]));
        Ok((run, states.map_err(|error| error.to_string())?))
    }
}
