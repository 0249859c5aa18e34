//! Runs on which something is true for ever: what `E[]`, `A<>` and `-->` ask about.
//!
//! `E[] p` is true when there is a maximal run on which `p` holds all the time; `A<> p` when there is none on which `not p` does;
//! `p --> q` when no state with `p` begins one on which `not q` does. A maximal run takes infinitely many steps, or waits for
//! ever, or gets stuck: no step is possible any more, now or later, and time goes on as far as the invariants allow. So three things are
//! looked for among the zones in which the condition holds (as a part of the invariants): a cycle; a value that is stuck and
//! does not leave the condition by waiting; and a state in which time can grow without bound. Where time stops
//! ([`time_stop`](crate::TimeStop)), that depends on the clocks: it grows in the parts of a zone in which no deadline lies ahead. Where one does and no
//! move is possible at the moment at which time stops, the run is stuck.
//!
//! As in Uppaal (Behrmann, David and Larsen, "A Tutorial on Uppaal", LNCS 3185, 2004) infinitely many steps count as a run even if
//! they take a finite time altogether (*Zeno* runs): a model that can do that is not forgiven.
//!
//! Search is depth-first with its own loop, because it needs to know which states are under way. A state is known when the same zone was
//! there before; zones within one that was left without a find are not entered, as whatever they can do that one can do, too. A zone on
//! the way that comes back equal or larger is a cycle. Zones are extrapolated by largest constants, as for deadlocks.

use std::collections::HashMap;

use fathom_model::{Region, Steps, System};
use fathom_zone::{Bound, Constraint, Federation, Zone};

use crate::concrete::{ConcreteState, Goal, TimedRun, check_run_within};
use crate::layout::Valuation;
use crate::moves::TimedMove;
use crate::network::{ClockConstraint, Network};
use crate::property::Conjunct;
use crate::ready::{constraint_in, holds};
use crate::symmetry::Symmetry;
use crate::timing::schedule_within;
use crate::zone_options::{Extrapolation, ZoneOptions};
use crate::zone_region::{Cover, ZoneRegion};
use crate::zone_system::{ZoneScratch, ZoneSystem};

/// What a search for such a run needs to know.
#[derive(Clone, Copy, Debug)]
pub struct LivenessQuestion<'q> {
    /// One of these is true all the time. In any state at most one of them speaks of clocks.
    pub within: &'q [Conjunct],
    /// For `-->`: where the run begins, anywhere on a run from the start; without it, at the start.
    pub beginning: Option<&'q [Conjunct]>,
}

/// How a run goes on for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForEver {
    /// Again and again from the state after this number of moves on.
    Loop(usize),
    /// No move is possible any more.
    Stuck,
    /// By waiting.
    Waiting,
}

/// A run on which something is true for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// Where the processes start.
    pub initial: Vec<u32>,
    /// The moves, with one without edges where the condition begins to hold, if that is not at the start. Where time stops, there may be one before all
    /// that says how long the initial state lasts ([`TimedMove::n_before_all`]).
    pub moves: Vec<TimedMove>,
    /// Number of moves in this list before the condition holds.
    pub from: usize,
    /// How it goes on after the last move.
    pub for_ever: ForEver,
}

/// What came of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LivenessOutcome {
    /// There is such a run.
    Found(Lasso),
    /// There is none.
    None,
    /// Someone wanted the search to stop.
    Cut,
}

/// What a search cost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LivenessCost {
    /// Zones stored.
    pub n_states: u64,
    /// Steps taken.
    pub n_transitions: u64,
}

/// Searches for a run on which something is true for ever. `may_go_on` is asked from time to time with what it has cost.
///
/// With a symmetry that keeps the question, states that are alike are one: a way round among them goes on for ever, through other names each
/// time, as the run that it stands for. What is found is then no run itself, but says that there is one.
pub fn search_lasso(
    network: &Network,
    question: LivenessQuestion<'_>,
    symmetry: Option<&Symmetry>,
    may_go_on: &mut dyn FnMut(LivenessCost) -> bool,
) -> (LivenessOutcome, LivenessCost) {
    let options = ZoneOptions { extrapolation: Extrapolation::MaxPlus, cover: Cover::Inclusion };
    let others = question.beginning.unwrap_or_default();
    let plain = ZoneSystem::new(network, &[], &[], options).with_symmetry(symmetry.cloned());
    let restricted = plain.clone().restricted_to(question.within, others);
    let mut search = Search {
        system: &restricted,
        scratch: restricted.scratch(),
        nodes: Vec::new(),
        by_state: HashMap::new(),
        cost: LivenessCost::default(),
        may_go_on,
    };
    let found = match question.beginning {
        None => search.look_from_start(),
        Some(beginning) => {
            // Where it begins is looked for without the restriction, but with its constants.
            let everything = [Conjunct::default()];
            let asked = [question.within, beginning].concat();
            let around = plain.restricted_to(&everything, &asked);
            search.look_from_anywhere(&around, beginning)
        }
    };
    let outcome = match found {
        Ok(Some(lasso)) => LivenessOutcome::Found(lasso),
        Ok(None) => LivenessOutcome::None,
        Err(Interrupted) => LivenessOutcome::Cut,
    };
    (outcome, search.cost)
}

/// The run with delays that a lasso stands for, followed once through its loop, and its states. It has been checked against the
/// concrete meaning.
///
/// # Errors
///
/// When there is none: a bug in the search.
pub fn time_lasso(
    network: &Network,
    question: LivenessQuestion<'_>,
    lasso: &Lasso,
) -> Result<(TimedRun, Vec<ConcreteState>), String> {
    let ends = match lasso.for_ever {
        ForEver::Stuck => stuck_ends_within(network, question, lasso),
        _ => vec![Vec::new()],
    };
    let mut problem = "there is no end to be shown".to_owned();
    for end in ends {
        let within = (lasso.from, question.within);
        let n_before = TimedMove::n_before_all(&lasso.moves);
        let within_run = (lasso.from.saturating_sub(n_before), question.within);
        let run = match schedule_within(network, &lasso.initial, &lasso.moves, &[], &end, within) {
            Ok(run) => run,
            Err(error) => {
                problem = error.to_string();
                continue;
            }
        };
        let stuck = [Conjunct { is_stuck: Some(true), ..Conjunct::default() }];
        let goal = match lasso.for_ever {
            ForEver::Stuck => Goal::OneOf(&stuck),
            ForEver::Waiting => Goal::Waiting(question.within),
            ForEver::Loop(_) => Goal::OneOf(question.within),
        };
        match check_run_within(network, &run, goal, within_run) {
            Ok(states) => return Ok((run, states)),
            Err(error) => problem = error.to_string(),
        }
    }
    Err(problem)
}

/// What the ends of a lasso that is stuck satisfy. Exact: zones are not made larger on the way.
fn stuck_ends_within(
    network: &Network,
    question: LivenessQuestion<'_>,
    lasso: &Lasso,
) -> Vec<Vec<ClockConstraint>> {
    let exact = ZoneOptions { extrapolation: Extrapolation::None, cover: Cover::Inclusion };
    let plain = ZoneSystem::new(network, &[], &[], exact);
    let restricted = plain.clone().restricted_to(question.within, &[]);
    let (mut scratch, mut steps) = (plain.scratch(), Steps::recording());
    let system = if lasso.from == 0 { &restricted } else { &plain };
    system.initial(&mut scratch, &mut steps);
    let is_start = |state: &[u8]| {
        let mut valuation = Valuation::default();
        plain.layout().decode(state, &mut valuation);
        valuation.locations == lasso.initial
    };
    let n_before = TimedMove::n_before_all(&lasso.moves);
    let is_said = |label: Option<&TimedMove>| n_before == 0 || label == lasso.moves.first();
    let mut found: Vec<(Vec<u8>, ZoneRegion)> = (0..steps.len())
        .filter(|&index| is_start(steps.state(index)) && is_said(steps.labels(index).first()))
        .map(|index| (steps.state(index).to_vec(), steps.region(index).clone()))
        .collect();
    for (number, wanted) in lasso.moves.iter().enumerate().skip(n_before) {
        let system = if number >= lasso.from { &restricted } else { &plain };
        let mut next = Vec::new();
        for (state, region) in found {
            steps.clear();
            if wanted.edges.is_empty() {
                for part in beginnings(&plain, &state, &region, question.beginning.unwrap_or_default()) {
                    restricted.enter(&state, part.0.bounds(), &mut scratch, &mut steps);
                }
            } else {
                system.successors(&state, &region, &mut scratch, &mut steps);
            }
            for index in 0..steps.len() {
                let label = steps.labels(index).first();
                let is_wanted = match wanted.edges.is_empty() {
                    true => label.and_then(|label| label.stay.as_ref()) == wanted.stay.as_ref(),
                    false => label == Some(wanted),
                };
                if is_wanted {
                    next.push((steps.state(index).to_vec(), steps.region(index).clone()));
                }
            }
        }
        found = next;
    }
    let parts =
        found.iter().flat_map(|(state, region)| restricted.stuck_within(state, region).zones().to_vec());
    parts.map(|zone| crate::deadlock::constraints_of(&zone)).collect()
}

/// The parts of a composite state in which one of some conjuncts is true, with the bounds that say so.
fn beginnings(
    system: &ZoneSystem<'_>,
    state: &[u8],
    region: &ZoneRegion,
    wanted: &[Conjunct],
) -> Vec<(Zone, Vec<ClockConstraint>)> {
    let mut valuation = Valuation::default();
    system.layout().decode(state, &mut valuation);
    let mut source = region.bounds().to_vec();
    if !system.constrain_to_invariants(&valuation, &mut source).unwrap_or(false) {
        return Vec::new();
    }
    let environment = system.environment(&valuation);
    let mut found = Vec::new();
    for conjunct in wanted {
        if !holds(&conjunct.conditions, &environment).unwrap_or(false) {
            continue;
        }
        let Some(mut zone) = Zone::from_bounds(system.network().dim(), &source) else { continue };
        let is_possible =
            conjunct.clocks.iter().all(|constraint| match constraint_in(constraint, &environment) {
                Ok(Some(one)) => zone.constrain(one.left, one.right, one.bound),
                Ok(None) => true,
                Err(_) => false,
            });
        if is_possible {
            found.push((zone, conjunct.clocks.clone()));
        }
    }
    found
}

impl ZoneSystem<'_> {
    /// The part of a state from which no move is possible, now or later, and which waiting does not lead out of the restriction.
    pub(crate) fn stuck_within(&self, state: &[u8], region: &ZoneRegion) -> Federation {
        let mut stuck = self.stuck_part(state, region);
        let mut valuation = Valuation::default();
        self.layout().decode(state, &mut valuation);
        if stuck.is_empty() || !self.may_delay(&valuation) {
            return stuck;
        }
        let Some(bounds) = self.restriction_in(&valuation) else { return Federation::new() };
        if !self.network().time_stops.is_empty() {
            return self.without_leaving(stuck, &valuation, region, &bounds);
        }
        for bound in bounds {
            let Some(complement) = bound.bound.complement() else { continue };
            let mut outside = Zone::all(self.network().dim() - 1);
            let is_possible =
                self.constrain_to_own_invariants(&valuation, outside.bounds_mut()).unwrap_or(false)
                    && outside.constrain(bound.right, bound.left, complement);
            if is_possible {
                outside.down();
                stuck.subtract(&outside);
            }
        }
        stuck
    }

    /// What of a federation does not leave the restriction by waiting until time stops.
    fn without_leaving(
        &self,
        mut stuck: Federation,
        valuation: &Valuation,
        region: &ZoneRegion,
        bounds: &[Constraint],
    ) -> Federation {
        let parts = self.parts_of_wait(valuation, region.bounds());
        for part in parts.iter().filter(|part| !part.is_still) {
            let start = Zone::from_bounds(self.network().dim(), &part.zone);
            let Some((start, lasts)) = start.zip(self.lasting(valuation, part, false)) else { continue };
            for bound in bounds {
                let Some(complement) = bound.bound.complement() else { continue };
                let mut outside = lasts.clone();
                if outside.constrain(bound.right, bound.left, complement) {
                    outside.down();
                    outside.intersection(&start).iter().for_each(|leaving| stuck.subtract(leaving));
                }
            }
        }
        stuck
    }

    /// Whether time can grow without bound from some value of a zone.
    pub(crate) fn can_wait_for_ever(&self, valuation: &Valuation, zone: &[Bound]) -> bool {
        if !self.may_delay(valuation) {
            return false;
        }
        let dim = self.network().dim();
        let has_no_bound = |zone: &Zone| (1..dim).all(|clock| zone.bound(clock, 0).constant().is_none());
        if self.network().time_stops.is_empty() {
            let mut all = Zone::all(dim - 1);
            let is_possible = self.constrain_to_invariants(valuation, all.bounds_mut()).unwrap_or(false);
            return is_possible && has_no_bound(&all);
        }
        let mut source = zone.to_vec();
        if !self.constrain_to_invariants(valuation, &mut source).unwrap_or(false) {
            return false;
        }
        let parts = self.parts_of_wait(valuation, &source);
        let mut moving = parts.iter().filter(|part| !part.is_still);
        moving.any(|part| self.lasting(valuation, part, true).is_some_and(|lasts| has_no_bound(&lasts)))
    }
}

/// State, zone, the one before, and the move.
type Reached = (Vec<u8>, ZoneRegion, Option<usize>, Vec<TimedMove>);

/// Someone wanted the search to stop.
struct Interrupted;

/// A zone that was reached.
struct Node {
    state: Vec<u8>,
    region: ZoneRegion,
    is_under_way: bool,
}

/// A node under way, and what is still to be looked at behind it.
struct Frame {
    node: usize,
    label: Vec<TimedMove>,
    steps: Vec<(Vec<u8>, ZoneRegion, Vec<TimedMove>)>,
}

struct Search<'s, 'n> {
    system: &'s ZoneSystem<'n>,
    scratch: ZoneScratch,
    nodes: Vec<Node>,
    by_state: HashMap<Vec<u8>, Vec<usize>>,
    cost: LivenessCost,
    may_go_on: &'s mut dyn FnMut(LivenessCost) -> bool,
}

impl Search<'_, '_> {
    fn locations(&self, state: &[u8]) -> Vec<u32> {
        let mut valuation = Valuation::default();
        self.system.layout().decode(state, &mut valuation);
        valuation.locations
    }

    fn look_from_start(&mut self) -> Result<Option<Lasso>, Interrupted> {
        let mut steps = Steps::recording();
        self.system.initial(&mut self.scratch, &mut steps);
        for index in 0..steps.len() {
            let (state, region) = (steps.state(index).to_vec(), steps.region(index).clone());
            let (initial, label) = (self.locations(&state), steps.labels(index).to_vec());
            if let Some((moves, for_ever)) = self.depth_first(state, region, label)? {
                return Ok(Some(Lasso { initial, moves, from: 0, for_ever }));
            }
        }
        Ok(None)
    }

    /// Breadth-first through everything, and depth-first from wherever it begins.
    fn look_from_anywhere(
        &mut self,
        around: &ZoneSystem<'_>,
        beginning: &[Conjunct],
    ) -> Result<Option<Lasso>, Interrupted> {
        let (mut scratch, mut steps) = (around.scratch(), Steps::recording());
        around.initial(&mut scratch, &mut steps);
        let mut known: Vec<Reached> = Vec::new();
        let mut by_state: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        let mut next = 0;
        let mut from = None;
        loop {
            for index in 0..steps.len() {
                let (state, region) = (steps.state(index), steps.region(index));
                let others = by_state.entry(state.to_vec()).or_default();
                if others.iter().any(|&other| known[other].1.includes(region)) {
                    continue;
                }
                others.push(known.len());
                known.push((state.to_vec(), region.clone(), from, steps.labels(index).to_vec()));
                self.count_state()?;
            }
            let Some((state, region, ..)) = known.get(next) else { return Ok(None) };
            let (state, region) = (state.clone(), region.clone());
            for (zone, clocks) in beginnings(around, &state, &region, beginning) {
                let mut entered = Steps::recording();
                self.system.enter(&state, zone.bounds(), &mut self.scratch, &mut entered);
                for index in 0..entered.len() {
                    let (state, region) = (entered.state(index).to_vec(), entered.region(index).clone());
                    if let Some((moves, for_ever)) = self.depth_first(state, region, Vec::new())? {
                        // What is said of how long it lasts is said of the moment at which it begins.
                        let said = entered.labels(index).first().cloned().unwrap_or_default();
                        let moment = TimedMove { within: clocks, ..said };
                        return Ok(Some(self.joined(&known, next, moment, moves, for_ever)));
                    }
                }
            }
            from = Some(next);
            next += 1;
            steps.clear();
            around.successors(&state, &region, &mut scratch, &mut steps);
            self.cost.n_transitions += steps.len() as u64;
        }
    }

    /// The way to where it begins, a moment without edges, and the rest.
    fn joined(
        &self,
        known: &[Reached],
        at: usize,
        moment: TimedMove,
        moves: Vec<TimedMove>,
        for_ever: ForEver,
    ) -> Lasso {
        let mut way = Vec::new();
        let mut node = at;
        while let Some(before) = known[node].2 {
            way.extend(known[node].3.iter().rev().cloned());
            node = before;
        }
        way.extend(known[node].3.iter().cloned());
        way.reverse();
        let n_before = known[node].3.len();
        way.push(moment);
        let from = way.len();
        way.extend(moves);
        let for_ever = match for_ever {
            ForEver::Loop(at) => ForEver::Loop(at + from - n_before),
            other => other,
        };
        Lasso { initial: self.locations(&known[node].0), moves: way, from, for_ever }
    }

    fn count_state(&mut self) -> Result<(), Interrupted> {
        self.cost.n_states += 1;
        match !self.cost.n_states.is_multiple_of(256) || (self.may_go_on)(self.cost) {
            true => Ok(()),
            false => Err(Interrupted),
        }
    }

    /// The moves of a run on which the restriction holds for ever, and how it goes on.
    fn depth_first(
        &mut self,
        state: Vec<u8>,
        region: ZoneRegion,
        label: Vec<TimedMove>,
    ) -> Result<Option<(Vec<TimedMove>, ForEver)>, Interrupted> {
        let mut path: Vec<Frame> = Vec::new();
        let mut next = Some((state, region, label));
        loop {
            let Some((state, region, label)) = next.take() else {
                let Some(frame) = path.last_mut() else { return Ok(None) };
                next = frame.steps.pop();
                if next.is_none() {
                    self.nodes[frame.node].is_under_way = false;
                    path.pop();
                }
                continue;
            };
            let known = self.by_state.entry(state.clone()).or_default();
            let closes = known.iter().find(|&&node| {
                let node = &self.nodes[node];
                node.is_under_way && region.includes(&node.region)
            });
            let moves = |path: &[Frame], label: &[TimedMove]| -> Vec<TimedMove> {
                path.iter().flat_map(|frame| &frame.label).chain(label).cloned().collect()
            };
            if let Some(&node) = closes {
                let at = path.iter().position(|frame| frame.node == node).unwrap_or(0);
                return Ok(Some((moves(&path, &label), ForEver::Loop(at))));
            }
            if known
                .iter()
                .any(|&node| !self.nodes[node].is_under_way && self.nodes[node].region.includes(&region))
            {
                continue;
            }
            known.push(self.nodes.len());
            let node = self.nodes.len();
            self.nodes.push(Node { state: state.clone(), region: region.clone(), is_under_way: true });
            self.count_state()?;
            let mut valuation = Valuation::default();
            self.system.layout().decode(&state, &mut valuation);
            if self.system.can_wait_for_ever(&valuation, region.bounds()) {
                return Ok(Some((moves(&path, &label), ForEver::Waiting)));
            }
            if !self.system.stuck_within(&state, &region).is_empty() {
                return Ok(Some((moves(&path, &label), ForEver::Stuck)));
            }
            let mut steps = Steps::recording();
            self.system.successors(&self.nodes[node].state, &region, &mut self.scratch, &mut steps);
            self.cost.n_transitions += steps.len() as u64;
            let found = (0..steps.len()).rev().map(|index| {
                (steps.state(index).to_vec(), steps.region(index).clone(), steps.labels(index).to_vec())
            });
            path.push(Frame { node, label, steps: found.collect() });
        }
    }
}
