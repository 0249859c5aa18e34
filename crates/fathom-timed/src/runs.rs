//! The runs of a network as a system of infinite runs: what formulas of linear temporal logic speak about.
//!
//! A run is the sequence of locations and integers that its moves lead through. Delays show in it only by what they make possible: a
//! delay and a move are one step, as in the zone graph. What counts as a run is what counts for `A<>` ([`liveness`](crate::liveness)): one
//! with infinitely many moves, however little time they take, or one that comes to a value of clocks from which time can grow without bound
//! or no move is possible any more. The latter have finitely many moves, and their last state repeats itself for ever, in a state of its own,
//! so that a run cannot pause and then go on.
//!
//! Zones are a part of the state here, byte by byte, so that two states are the same when their zones are *equal*. A zone within another one
//! does not count as known: it may lack the cycle that the other has (Laarman, Olesen, Dalsgaard, Larsen and van de Pol, CAV 2013). Zones
//! are extrapolated by largest constants. The values that are added differ from true ones in clocks above all constants only, so they can make
//! the same moves to values that differ again in such clocks only, and every way through the zones has a run that goes it (Tripakis,
//! "Checking Timed Büchi Automata Emptiness on Simulation Graphs", TOCL 2009; the last step is König's lemma on regions). Li (FORMATS 2009)
//! shows the same for extrapolation by lower and upper constants, which is not used here, since it adds values that are
//! stuck where no true value is. Networks that bound differences of clocks are split along these bounds first, as always.
//!
//! A state all of whose moves are faults ends no run, and no infinite run comes by it: faults are errors of their own. A formula that is
//! violated by then is, so there is one step more, to a state without any.

use fathom_model::{Accepting, NoRegion, PropertyId, Steps, System};
use fathom_zone::Bound;

use crate::expr::Expr;
use crate::layout::Valuation;
use crate::moves::TimedMove;
use crate::network::Network;
use crate::zone_options::{Extrapolation, ZoneOptions};
use crate::zone_region::{Cover, ZoneRegion};
use crate::zone_system::{ZoneScratch, ZoneSystem};

/// Whether a state of a run is one on the way, or its last one repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// On the way.
    Moving,
    /// No move is made any more, and time goes on.
    Waiting,
    /// No move is possible any more.
    Stuck,
    /// Every move is a fault.
    Broken,
}

impl Phase {
    fn byte(self) -> u8 {
        match self {
            Phase::Moving => 0,
            Phase::Waiting => 1,
            Phase::Stuck => 2,
            Phase::Broken => 3,
        }
    }
}

/// The runs of a network, asked about propositions: what is not true in a state is found there, as if it were an invariant.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    zones: ZoneSystem<'a>,
    propositions: &'a [Expr],
    /// The property that stands for the first proposition.
    first: PropertyId,
    /// The property that stands for the proposition that the run makes no more moves, for formulas that see that.
    ended: Option<PropertyId>,
    /// Bytes of locations and integers.
    length: usize,
}

/// Buffers of one worker.
#[derive(Clone, Debug)]
pub struct RunsScratch {
    zones: ZoneScratch,
    steps: Steps<ZoneRegion, TimedMove>,
    bounds: Vec<Bound>,
    bytes: Vec<u8>,
}

impl RunsScratch {
    /// Forgets the steps, and records labels of the next ones where others are recorded.
    fn record_like(&mut self, others: &Steps<NoRegion, TimedMove>) {
        match others.is_recording() == self.steps.is_recording() {
            true => self.steps.clear(),
            false => self.steps = if others.is_recording() { Steps::recording() } else { Steps::new() },
        }
    }
}

impl<'a> Runs<'a> {
    /// The runs of a network. Properties from `first` on stand for the propositions.
    pub fn new(
        network: &'a Network,
        propositions: &'a [Expr],
        first: PropertyId,
        ended: Option<PropertyId>,
    ) -> Runs<'a> {
        let options = ZoneOptions { extrapolation: Extrapolation::MaxPlus, cover: Cover::Equality };
        let zones = ZoneSystem::new(network, &[], &[], options);
        let mut bytes = Vec::new();
        let valuation = Valuation {
            locations: vec![0; network.processes.len()],
            values: network.variables.iter().map(|variable| variable.initial).collect(),
        };
        zones.layout().encode(&valuation, &mut bytes);
        Runs { zones, propositions, first, ended, length: bytes.len() }
    }

    /// The phase of a state.
    pub fn phase(&self, state: &[u8]) -> Phase {
        match state.first() {
            Some(0) => Phase::Moving,
            Some(1) => Phase::Waiting,
            Some(2) => Phase::Stuck,
            _ => Phase::Broken,
        }
    }

    /// The locations and integers of a state.
    pub fn valuation(&self, state: &[u8]) -> Valuation {
        let mut valuation = Valuation::default();
        self.zones.layout().decode(&state[1..=self.length], &mut valuation);
        valuation
    }

    /// Says which propositions are not true.
    fn note(&self, valuation: &Valuation, phase: Phase, out: &mut Steps<NoRegion, TimedMove>) {
        let environment = self.zones.environment(valuation);
        for (index, proposition) in self.propositions.iter().enumerate() {
            let property = PropertyId::from(self.first.index() + index);
            match proposition.evaluate(&environment) {
                Ok(0) => out.find(property, None, &[]),
                Ok(_) => {}
                Err(fault) => out.find(property, Some(fault), &[]),
            }
        }
        if let Some(ended) = self.ended
            && !matches!(phase, Phase::Waiting | Phase::Stuck)
        {
            out.find(ended, None, &[]);
        }
    }

    /// How a run can end in a zone, if it can.
    fn end(&self, valuation: &Valuation, state: &[u8], region: &ZoneRegion) -> Option<Phase> {
        if self.zones.can_wait_for_ever(valuation, region.bounds()) {
            return Some(Phase::Waiting);
        }
        (!self.zones.stuck_part(state, region).is_empty()).then_some(Phase::Stuck)
    }

    /// Pushes steps of zones as steps of runs.
    fn push_all(&self, scratch: &mut RunsScratch, out: &mut Steps<NoRegion, TimedMove>) {
        let RunsScratch { steps, bytes, .. } = scratch;
        for index in 0..steps.len() {
            bytes.clear();
            bytes.push(Phase::Moving.byte());
            bytes.extend_from_slice(steps.state(index));
            let bounds = steps.region(index).bounds().iter();
            bytes.extend(bounds.flat_map(|bound| bound.to_raw().to_le_bytes()));
            out.push(bytes, NoRegion, steps.labels(index));
        }
    }
}

impl System for Runs<'_> {
    type Region = NoRegion;
    type Label = TimedMove;
    type Scratch = RunsScratch;

    fn scratch(&self) -> RunsScratch {
        let zones = self.zones.scratch();
        RunsScratch { zones, steps: Steps::new(), bounds: Vec::new(), bytes: Vec::new() }
    }

    fn initial(&self, scratch: &mut RunsScratch, out: &mut Steps<NoRegion, TimedMove>) {
        scratch.record_like(out);
        self.zones.initial(&mut scratch.zones, &mut scratch.steps);
        self.push_all(scratch, out);
    }

    fn successors(
        &self,
        state: &[u8],
        _: &NoRegion,
        scratch: &mut RunsScratch,
        out: &mut Steps<NoRegion, TimedMove>,
    ) {
        let (phase, valuation) = (self.phase(state), self.valuation(state));
        self.note(&valuation, phase, out);
        match phase {
            Phase::Moving => {}
            Phase::Waiting | Phase::Stuck => return out.push(state, NoRegion, &[]),
            Phase::Broken => return,
        }
        let (explicit, zone) = state[1..].split_at(self.length);
        scratch.bounds.clear();
        scratch.bounds.extend(zone.chunks_exact(4).map(|bytes| {
            let raw = bytes.try_into().map_or(0, i32::from_le_bytes);
            Bound::from_raw(raw)
        }));
        let region = self.zones.region_of(&scratch.bounds);
        scratch.record_like(out);
        self.zones.successors(explicit, &region, &mut scratch.zones, &mut scratch.steps);
        let end = self.end(&valuation, explicit, &region);
        if let Some(last) = end.or(scratch.steps.is_empty().then_some(Phase::Broken)) {
            // First, as it makes for short evidence. What clocks say does not matter any more.
            out.push(&[&[last.byte()], explicit].concat(), NoRegion, &[]);
        }
        self.push_all(scratch, out);
    }
}

/// All infinite runs count.
impl Accepting for Runs<'_> {
    fn n_sets(&self) -> u32 {
        0
    }

    fn marks(&self, _: &[u8], _: &RunsScratch, _: usize) -> u64 {
        0
    }

    fn is_state_based(&self) -> bool {
        true
    }

    fn is_accepting(&self, _: &[u8]) -> bool {
        true
    }
}
