//! Runs of zones against runs of regions: random formulas of random small networks have the same answer both ways.
//!
//! The oracle makes steps of regions: wait to the next region and the next, then move by the concrete meaning. A run
//! ends where waiting comes to no new region, or to a region after which nothing is possible. No zone is involved.

use fathom_logic::{Formula, Formulas, PropositionId};
use fathom_model::{Accepting, NoRegion, PropertyId, Steps, System};
use fathom_search::{NoMonitor, Options, strong_components};
use fathom_temporal::{Acceptance, Product, RunFormula};
use proptest::prelude::*;

use crate::expr::{BinaryOp, Environment, Expr};
use crate::moves::TimedMove;
use crate::network::{Network, Urgency};
use crate::runs::Runs;
use crate::zone_system::initial_locations;
use crate::zone_system_tests::{
    RegionState, has_urgent_move, invariants_hold, is_stopped, network, network_with_deadlines, next_region,
    rich_network, successors,
};

/// Whether a location is where a process is, three for each; and three values of the variable.
fn propositions() -> Vec<Expr> {
    let at = |process| (0..3).map(move |location| Expr::At { process, location });
    let equals =
        |value| Expr::Binary(BinaryOp::Equal, Box::new(Expr::Variable(0)), Box::new(Expr::Constant(value)));
    at(0).chain(at(1)).chain((0..3).map(equals)).collect()
}

/// A formula from instructions to a machine with a stack.
fn formula(formulas: &mut Formulas, program: &[u8], n_propositions: usize) -> Formula {
    let mut stack: Vec<Formula> = Vec::new();
    for &instruction in program {
        let top = stack.pop();
        let below = top.and_then(|_| stack.pop());
        let made = match (instruction, top, below) {
            (20, Some(top), _) => formulas.not(top),
            (21 | 22, Some(top), _) => formulas.next(top),
            (23 | 24, Some(top), _) => formulas.eventually(top),
            (25 | 26, Some(top), _) => formulas.always(top),
            (27, Some(top), Some(below)) => formulas.and(below, top),
            (28, Some(top), Some(below)) => formulas.or(below, top),
            (29, Some(top), Some(below)) => formulas.until(below, top),
            (30, Some(top), Some(below)) => formulas.release(below, top),
            (_, top, below) => {
                stack.extend(below.into_iter().chain(top));
                formulas.proposition(PropositionId::new(usize::from(instruction) % n_propositions))
            }
        };
        if (20..27).contains(&instruction) {
            stack.extend(below);
        }
        stack.push(made);
    }
    let first = stack.pop().unwrap_or_else(|| formulas.constant(true));
    stack.into_iter().fold(first, |all, next| formulas.or(all, next))
}

/// The runs of a network, region by region. A state is a phase, locations, the value, and the clocks after a move.
struct RegionRuns<'a> {
    network: &'a Network,
    propositions: &'a [Expr],
    first: PropertyId,
}

const MOVING: u8 = 0;
const ENDED: u8 = 1;

fn encode(phase: u8, (locations, values, clocks): &RegionState) -> Vec<u8> {
    let mut bytes = vec![phase];
    bytes.extend(locations.iter().map(|&location| location as u8));
    bytes.extend(values.iter().map(|&value| value as u8));
    bytes.extend(clocks.iter().flat_map(|clock| clock.to_le_bytes()));
    bytes
}

fn decode(state: &[u8]) -> RegionState {
    let clocks = state[4..].chunks_exact(8).map(|bytes| i64::from_le_bytes(bytes.try_into().expect("eight")));
    (vec![state[1].into(), state[2].into()], vec![state[3].into()], clocks.collect())
}

impl System for RegionRuns<'_> {
    type Region = NoRegion;
    type Label = TimedMove;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, _: &mut (), out: &mut Steps<NoRegion, TimedMove>) {
        for locations in initial_locations(self.network) {
            if invariants_hold(self.network, &locations, &[0], &[0; 2]) {
                out.push(&encode(MOVING, &(locations, vec![0], vec![0; 2])), NoRegion, &[]);
            }
        }
    }

    fn successors(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, TimedMove>) {
        let (locations, values, clocks) = decode(state);
        let environment = Environment { values: &values, locals: &[], locations: &locations, labels: &[] };
        for (index, proposition) in self.propositions.iter().enumerate() {
            if proposition.evaluate(&environment) == Ok(0) {
                out.find(PropertyId::from(self.first.index() + index), None, &[]);
            }
        }
        if state[0] == ENDED {
            return out.push(state, NoRegion, &[]);
        }
        let urgency =
            |process: usize| self.network.processes[process].locations[locations[process] as usize].urgency;
        let may_pass = (0..2).all(|process| urgency(process) == Urgency::None)
            && !has_urgent_move(self.network, &locations, &values);
        let mut now = clocks;
        let can_end = loop {
            let moves = successors(self.network, &locations, &values, &now);
            let later = next_region(&now);
            for after in &moves {
                out.push(&encode(MOVING, after), NoRegion, &[]);
            }
            let is_stopped = is_stopped(self.network, &locations, &values, &now);
            if may_pass && !is_stopped && later == now {
                break true;
            }
            if !may_pass || is_stopped || !invariants_hold(self.network, &locations, &values, &later) {
                break moves.is_empty();
            }
            now = later;
        };
        if can_end {
            // Where the clocks are does not matter any more.
            out.push(&encode(ENDED, &(locations, values, vec![0; 2])), NoRegion, &[]);
        }
    }
}

impl Accepting for RegionRuns<'_> {
    fn n_sets(&self) -> u32 {
        0
    }

    fn marks(&self, _: &[u8], _: &(), _: usize) -> u64 {
        0
    }

    fn is_state_based(&self) -> bool {
        true
    }

    fn is_accepting(&self, _: &[u8]) -> bool {
        true
    }
}

/// Whether some run violates a formula.
fn is_violated<S: Accepting<Region = NoRegion>>(
    system: S,
    formula: &RunFormula,
    acceptance: Acceptance,
) -> bool {
    let watcher = formula.watcher(acceptance).expect("a small automaton");
    let options = Options { properties: vec![PropertyId(0)], ..Options::default() };
    let outcome = strong_components(&Product::new(system, &watcher), &options, &mut NoMonitor);
    outcome.evidence[0].1.is_some()
}

fn check(network: &Network, programs: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let (propositions, property, first) = (propositions(), PropertyId(0), PropertyId(1));
    for program in programs {
        let mut formulas = Formulas::new();
        let formula = formula(&mut formulas, program, propositions.len());
        let formula = RunFormula::of_ltl((formulas, formula), propositions.len(), property, first);
        for acceptance in [Acceptance::Steps, Acceptance::States] {
            let zones = is_violated(Runs::new(network, &propositions, first, None), &formula, acceptance);
            let regions =
                is_violated(RegionRuns { network, propositions: &propositions, first }, &formula, acceptance);
            prop_assert_eq!(zones, regions, "{:?}", program);
        }
    }
    Ok(())
}

/// How many networks are tried: `FATHOM_CASES` for more than what every test run can pay for.
fn cases(default: u32) -> ProptestConfig {
    let wanted = std::env::var("FATHOM_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig::with_cases(wanted.unwrap_or(default))
}

fn programs() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(0..31_u8, 2..12), 4)
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn formulas_say_the_same_of_zones_and_of_regions(network in network(false), programs in programs()) {
        check(&network, &programs)?;
    }

    #[test]
    fn formulas_say_the_same_with_deadlines(network in network_with_deadlines(), programs in programs()) {
        check(&network, &programs)?;
    }

    #[test]
    fn formulas_say_the_same_with_broadcast_urgency_and_priorities(network in rich_network(), programs in programs()) {
        check(&network, &programs)?;
    }
}
