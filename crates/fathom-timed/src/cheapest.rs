//! The cheapest way to a goal, in uniformly priced automata.
//!
//! Cost grows with time, at the same rate in every state, or not at all, and by numbers that edges add. It is one more clock that nothing
//! compares with anything. A zone then says which cost goes with which values of the other clocks. Whoever has come somewhere at some
//! cost might as well have paid more, so zones are closed upwards in the cost: what is cheaper includes what is dearer, and
//! inclusion in the store compares costs, too (Behrmann, Fehnker, Hune, Larsen, Pettersson and Romijn, "Efficient Guiding Towards
//! Cost-Optimality in Uppaal", TACAS 2001).
//!
//! Extrapolation leaves the cost alone, as if it were compared with every number. The zone with the least cost, and what is still to be paid by the
//! model's own estimate, comes first; when that is no less than the best end so far, all is done (branch and bound). The estimate
//! has to be no more than what is truly to be paid.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use fathom_model::{Region, Steps, System};
use fathom_zone::{Bound, Zone};

use crate::layout::Valuation;
use crate::moves::TimedMove;
use crate::network::{Clock, CostClock, Network};
use crate::property::Conjunct;
use crate::ready::{constraint_in, holds};
use crate::zone_options::ZoneOptions;
use crate::zone_region::ZoneRegion;
use crate::zone_system::ZoneSystem;

/// The cheapest way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cheapest {
    /// What it costs.
    pub cost: i64,
    /// Whether that is only approached.
    pub is_strict: bool,
    /// Where the processes start.
    pub initial: Vec<u32>,
    /// The moves.
    pub moves: Vec<TimedMove>,
}

/// What came of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheapestOutcome {
    /// Nothing is cheaper.
    Found(Cheapest),
    /// There is no way.
    None,
    /// Someone wanted the search to stop; the best so far.
    Cut(Option<Cheapest>),
}

/// What a search cost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CheapestStatistics {
    /// Zones stored.
    pub n_states: u64,
    /// Zones expanded.
    pub n_expanded: u64,
    /// Steps taken.
    pub n_transitions: u64,
}

/// A network whose cost is the time since the start.
pub fn with_time_as_cost(network: &Network) -> Network {
    let mut timed = network.clone();
    timed.cost = Some(CostClock { clock: timed.clocks.len(), grows: true, estimate: None });
    timed.clocks.push(Clock { name: "time".to_owned() });
    timed
}

/// Searches the cheapest way to a state in which one of some conjuncts is true; none of them is about deadlocks. `may_go_on` is asked from time
/// to time.
///
/// # Panics
///
/// When the network has no cost.
pub fn search_cheapest(
    network: &Network,
    goal: &[Conjunct],
    options: ZoneOptions,
    may_go_on: &mut dyn FnMut(CheapestStatistics) -> bool,
) -> (CheapestOutcome, CheapestStatistics) {
    let cost = network.cost.expect("a network with a cost");
    let system = ZoneSystem::new(network, &[], &[], options)
        .restricted_to(&[Conjunct::default()], goal)
        .with_cost(cost);
    let mut search = Search {
        system: &system,
        cost,
        goal,
        nodes: Vec::new(),
        by_state: HashMap::new(),
        frontier: BinaryHeap::new(),
        best: None,
        statistics: CheapestStatistics::default(),
    };
    let is_done = search.run(may_go_on);
    let best = search.best.map(|(cost, node)| search.way(cost, node));
    let outcome = match (is_done, best) {
        (false, best) => CheapestOutcome::Cut(best),
        (true, Some(best)) => CheapestOutcome::Found(best),
        (true, None) => CheapestOutcome::None,
    };
    (outcome, search.statistics)
}

/// A cost: whole units, and whether it is only approached.
type Price = (i64, bool);

struct Node {
    state: Vec<u8>,
    region: ZoneRegion,
    before: Option<usize>,
    label: Vec<TimedMove>,
    is_covered: bool,
}

struct Search<'s, 'n> {
    system: &'s ZoneSystem<'n>,
    cost: CostClock,
    goal: &'s [Conjunct],
    nodes: Vec<Node>,
    by_state: HashMap<Vec<u8>, Vec<usize>>,
    /// Least cost with the estimate first; of equals the one that came first.
    frontier: BinaryHeap<Reverse<(Price, usize)>>,
    best: Option<(Price, usize)>,
    statistics: CheapestStatistics,
}

impl Search<'_, '_> {
    /// False when someone wanted it to stop.
    fn run(&mut self, may_go_on: &mut dyn FnMut(CheapestStatistics) -> bool) -> bool {
        let (mut scratch, mut steps) = (self.system.scratch(), Steps::recording());
        self.system.initial(&mut scratch, &mut steps);
        self.take_in(&steps, None);
        while let Some(Reverse((price, index))) = self.frontier.pop() {
            if self.best.is_some_and(|(best, _)| price >= best) {
                return true;
            }
            if self.nodes[index].is_covered {
                continue;
            }
            let (state, region) = (self.nodes[index].state.clone(), self.nodes[index].region.clone());
            self.look_for_goal(index);
            steps.clear();
            self.system.successors(&state, &region, &mut scratch, &mut steps);
            self.statistics.n_expanded += 1;
            self.statistics.n_transitions += steps.len() as u64;
            self.take_in(&steps, Some(index));
            if self.statistics.n_expanded.is_multiple_of(256) && !may_go_on(self.statistics) {
                return false;
            }
        }
        true
    }

    fn take_in(&mut self, steps: &Steps<ZoneRegion, TimedMove>, before: Option<usize>) {
        for index in 0..steps.len() {
            let (state, region) = (steps.state(index), steps.region(index));
            let price = self.price_with_estimate(state, region.bounds());
            if self.best.is_some_and(|(best, _)| price >= best) {
                continue;
            }
            let others = self.by_state.entry(state.to_vec()).or_default();
            if others.iter().any(|&other| self.nodes[other].region.includes(region)) {
                continue;
            }
            others.retain(|&other| {
                let is_covered = region.includes(&self.nodes[other].region);
                self.nodes[other].is_covered |= is_covered;
                !is_covered
            });
            others.push(self.nodes.len());
            self.frontier.push(Reverse((price, self.nodes.len())));
            self.nodes.push(Node {
                state: state.to_vec(),
                region: region.clone(),
                before,
                label: steps.labels(index).to_vec(),
                is_covered: false,
            });
            self.statistics.n_states += 1;
        }
    }

    fn price(&self, bounds: &[Bound]) -> Price {
        // Row 0: `0 - cost <= -least`.
        let bound = bounds[self.cost.clock + 1];
        (-i64::from(bound.constant().unwrap_or(0)), bound.is_strict())
    }

    fn price_with_estimate(&self, state: &[u8], bounds: &[Bound]) -> Price {
        let (mut cost, is_strict) = self.price(bounds);
        if let Some(estimate) = self.cost.estimate {
            let mut valuation = Valuation::default();
            self.system.layout().decode(state, &mut valuation);
            cost += i64::from(valuation.values[estimate]).max(0);
        }
        (cost, is_strict)
    }

    fn look_for_goal(&mut self, index: usize) {
        let node = &self.nodes[index];
        let mut valuation = Valuation::default();
        self.system.layout().decode(&node.state, &mut valuation);
        let mut source = node.region.bounds().to_vec();
        if !self.system.constrain_to_invariants(&valuation, &mut source).unwrap_or(false) {
            return;
        }
        let environment = self.system.environment(&valuation);
        let mut found: Option<Price> = None;
        for conjunct in self.goal {
            if !holds(&conjunct.conditions, &environment).unwrap_or(false) {
                continue;
            }
            let Some(mut zone) = Zone::from_bounds(self.system.network().dim(), &source) else { continue };
            let is_possible = conjunct.clocks.iter().all(|one| match constraint_in(one, &environment) {
                Ok(Some(one)) => zone.constrain(one.left, one.right, one.bound),
                Ok(None) => true,
                Err(_) => false,
            });
            if is_possible {
                let price = self.price(zone.bounds());
                found = Some(found.map_or(price, |before| before.min(price)));
            }
        }
        if let Some(price) = found
            && self.best.is_none_or(|(best, _)| price < best)
        {
            self.best = Some((price, index));
        }
    }

    fn way(&self, (cost, is_strict): Price, node: usize) -> Cheapest {
        let mut moves = Vec::new();
        let mut at = node;
        while let Some(before) = self.nodes[at].before {
            moves.extend(self.nodes[at].label.iter().rev().cloned());
            at = before;
        }
        moves.reverse();
        let mut valuation = Valuation::default();
        self.system.layout().decode(&self.nodes[at].state, &mut valuation);
        Cheapest { cost, is_strict, initial: valuation.locations, moves }
    }
}
