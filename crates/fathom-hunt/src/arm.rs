//! Arms: the engines that a portfolio divides its time among.
//!
//! An arm works in slices that are counted in states and not in seconds, so that a run with one thread depends on
//! its seed alone. Between slices it remembers how far it got. It is told what counts as an improvement, and gives
//! back the first one.

use fathom_guide::Heuristic;
use fathom_model::{PropertyId, Region, Statistics, Steps, Stop, System, Trace};
use fathom_search::{Monitor, Outcome, Progress, Random};

use crate::bits::derive_seed;
use crate::isr::{IsrOptions, n_sizes, throw};
use crate::pruned::{Ended, Nobody, Pruner};
use crate::race::{Board, Done, Task, Watch, run_alone};
use crate::shorten_lasso::{Around, shorten_lasso_way};
use crate::walk::{Counts, Hooks, WalkOptions, chain_length, run_chain};
use crate::walker::Walker;
use crate::wanted::Wanted;
use crate::way::Way;

/// What counts as an improvement: evidence about a property, in so many steps at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The property.
    pub property: PropertyId,
    /// Most steps; any number without it.
    pub most_steps: Option<u32>,
}

/// A trace that an arm has found, in the form in which the portfolio works with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found(pub(crate) Way);

impl From<&Trace> for Found {
    fn from(trace: &Trace) -> Found {
        Found(Way::from(trace))
    }
}

/// What came of a slice.
#[derive(Clone, Debug, Default)]
pub struct Slice {
    /// An improvement.
    pub found: Option<(PropertyId, Found)>,
    /// States visited.
    pub states: u64,
    /// Steps made.
    pub transitions: u64,
    /// Length of the longest path.
    pub depth: u64,
    /// Whether another slice would do nothing.
    pub is_exhausted: bool,
    /// Whether everything was explored, and there is no evidence about any target that has no bound.
    pub proves: bool,
    /// Whether nothing shorter can be found about any target: than what was found here or, if that is nothing, than the bounds of
    /// the targets allow.
    pub is_shortest: bool,
}

/// An engine that works in slices.
pub trait Arm: Send {
    /// The name in tables.
    fn name(&self) -> &str;

    /// Works for about so many states, until an improvement is found or the monitor stops it.
    fn work(&mut self, targets: &[Target], n_states: u64, monitor: &mut dyn Monitor) -> Slice;
}

impl Wanted {
    /// What improves on targets.
    fn of(targets: &[Target]) -> Wanted {
        let properties: Vec<PropertyId> = targets.iter().map(|target| target.property).collect();
        let mut wanted = Wanted::anything(&properties);
        for target in targets {
            wanted.tighten(target.property, target.most_steps.unwrap_or(u32::MAX));
        }
        wanted
    }
}

/// What a board says as a slice.
fn slice(board: &Board, found: Option<(PropertyId, Found)>) -> Slice {
    let Progress { states, transitions, depth, .. } = board.progress();
    Slice { found, states, transitions, depth, ..Slice::default() }
}

/// What a search says as a slice.
pub(crate) fn slice_of(outcome: &Outcome, found: Option<(PropertyId, Found)>) -> Slice {
    let Statistics { states, transitions, max_depth: depth, .. } = outcome.statistics;
    Slice { found, states, transitions, depth, ..Slice::default() }
}

/// What a search that remembers everything is to look for: what there is no evidence about yet or, when there is some about
/// every target, shorter ones, with the largest bound.
pub(crate) fn open_targets(targets: &[Target]) -> (Vec<PropertyId>, Option<u32>) {
    let open: Vec<PropertyId> =
        targets.iter().filter(|target| target.most_steps.is_none()).map(|target| target.property).collect();
    if !open.is_empty() {
        return (open, None);
    }
    let properties = targets.iter().map(|target| target.property).collect();
    (properties, targets.iter().filter_map(|target| target.most_steps).max())
}

/// The first evidence that improves on a target.
pub(crate) fn improvement(outcome: &Outcome, targets: &[Target]) -> Option<(PropertyId, Found)> {
    let improves = |property: PropertyId, steps: usize| {
        let mut targets = targets.iter().filter(|target| target.property == property);
        targets.any(|target| target.most_steps.is_none_or(|most_steps| steps <= most_steps as usize))
    };
    outcome.evidence.iter().find_map(|(property, trace)| {
        let trace = trace.as_ref().filter(|trace| improves(*property, trace.choices.len()))?;
        Some((*property, Found::from(trace)))
    })
}

/// Lets a heuristic do what takes long. Gives what the monitor said, if it did not want to wait.
pub(crate) fn prepare<R: Region>(heuristic: &dyn Heuristic<R>, monitor: &mut dyn Monitor) -> Option<Stop> {
    let board = Board::new();
    run_alone(&board, monitor, |watch| heuristic.prepare(&|| watch.goes_on(Done::default()))).1
}

/// What counts against a slice: states visited, and steps made beside them.
fn effort(board: &Board) -> u64 {
    let Progress { states, transitions, .. } = board.progress();
    states.max(transitions / 8)
}

/// Bytes of all steps of the first state together, to tell large systems from small ones.
pub(crate) fn expansion_bytes<S: System>(system: &S) -> usize {
    let (mut scratch, mut steps, mut none) = (system.scratch(), Steps::new(), Steps::new());
    system.initial(&mut scratch, &mut steps);
    if steps.is_empty() {
        return 0;
    }
    let (state, region) = (steps.state(0), steps.region(0));
    system.portions(state, region, &mut scratch, &mut none) * state.len()
}

/// Bytes of the first state.
pub(crate) fn state_bytes<S: System>(system: &S) -> usize {
    let (mut scratch, mut steps) = (system.scratch(), Steps::new());
    system.initial(&mut scratch, &mut steps);
    if steps.is_empty() { 0 } else { steps.state(0).len() }
}

/// Iterated search refinement as an arm. When the sizes come to their end they begin anew with another seed.
pub struct IsrArm<'s, S: System> {
    name: String,
    system: &'s S,
    options: IsrOptions,
    heuristic: Option<&'s dyn Heuristic<S::Region>>,
    next: u64,
    round: u64,
}

impl<'s, S: System> IsrArm<'s, S> {
    /// An arm that has not worked yet. Properties, threads and refinement in the options do not count.
    pub fn new(name: &str, system: &'s S, options: IsrOptions) -> IsrArm<'s, S> {
        IsrArm { name: name.to_owned(), system, options, heuristic: None, next: 0, round: 0 }
    }

    /// With steps tried in the order of their estimates.
    pub fn guided_by(self, heuristic: &'s dyn Heuristic<S::Region>) -> IsrArm<'s, S> {
        IsrArm { heuristic: Some(heuristic), ..self }
    }
}

impl<S: System + Sync> Arm for IsrArm<'_, S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn work(&mut self, targets: &[Target], n_states: u64, monitor: &mut dyn Monitor) -> Slice {
        if self.heuristic.is_some_and(|heuristic| prepare(heuristic, monitor).is_some()) {
            return Slice::default();
        }
        let board = Board::new();
        let wanted = Wanted::of(targets);
        let mut pruner = Pruner::new(self.system).guided_by(self.heuristic);
        let mut found = None;
        // A throw takes a time of its own, even when it visits next to nothing.
        let mut n_throws = 0;
        while found.is_none() && effort(&board) + n_throws < n_states {
            if self.next >= n_sizes(&self.options.sizes) {
                self.next = 0;
                self.round += 1;
            }
            let seed = derive_seed(self.options.seed, self.round);
            let options = IsrOptions { seed, ..self.options.clone() };
            let Some(throw) = throw(&options, &wanted, self.next) else { break };
            self.next += 1;
            n_throws += 1;
            let (ended, stop) =
                run_alone(&board, monitor, |watch| pruner.run(&throw, &wanted, &mut Nobody, watch));
            if let Ended::Found(way, property) = ended {
                found = Some((property, Found(way)));
            }
            if stop.is_some() {
                break;
            }
        }
        slice(&board, found)
    }
}

/// Walks as an arm. Bounds on the length change from slice to slice: no bound is right for all systems.
pub struct WalkArm<'s, S: System> {
    name: String,
    system: &'s S,
    options: WalkOptions,
    hooks: Hooks<'s, S::Region>,
    next: u64,
    n_slices: u32,
}

impl<'s, S: System> WalkArm<'s, S> {
    /// An arm that has not walked yet. Properties, threads and the number of walks in the options do not count.
    pub fn new(
        name: &str,
        system: &'s S,
        options: WalkOptions,
        hooks: Hooks<'s, S::Region>,
    ) -> WalkArm<'s, S> {
        let options = WalkOptions { n_walks: u64::MAX, ..options };
        WalkArm { name: name.to_owned(), system, options, hooks, next: 0, n_slices: 0 }
    }

    /// The bound of the next slice: 1 000, 10 000, 100 000, a million, and from the start again, but no more than
    /// makes a chain of walks fit into the slice.
    fn bound(&self, wanted: &Wanted, n_states: u64) -> u32 {
        let bound = 1000 * 10_u64.pow(self.n_slices % 4);
        let fitting = (n_states / chain_length(&self.options)).max(1000);
        bound.min(fitting).min(u64::from(wanted.most_steps())) as u32
    }
}

impl<S: System + Sync> Arm for WalkArm<'_, S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn work(&mut self, targets: &[Target], n_states: u64, monitor: &mut dyn Monitor) -> Slice {
        if self.hooks.guide.is_some_and(|guide| prepare(guide.heuristic, monitor).is_some()) {
            return Slice::default();
        }
        let board = Board::new();
        let wanted = Wanted::of(targets);
        let max_depth = self.options.max_depth.unwrap_or(u32::MAX).min(self.bound(&wanted, n_states));
        let options = WalkOptions { max_depth: Some(max_depth), ..self.options.clone() };
        self.n_slices += 1;
        let mut walker = Walker::new(self.system, &options, self.hooks);
        let counts = Counts::default();
        let mut found = None;
        let mut n_chains = 0;
        while found.is_none() && effort(&board) + n_chains < n_states {
            let number = self.next;
            self.next += 1;
            n_chains += 1;
            let (task, stop) = run_alone(&board, monitor, |watch| {
                run_chain(&mut walker, &options, &wanted, number, &counts, watch)
            });
            if let Task::Won((way, property, _)) = task {
                let way = match self.hooks.lasso {
                    Some((_, acceptance)) if way.loop_at.is_some() => {
                        let shorten = |watch: &Watch<'_>| {
                            shorten_lasso_way(self.system, way, acceptance, Around::Shorter, watch)
                        };
                        run_alone(&board, monitor, shorten).0
                    }
                    _ => way,
                };
                found = Some((property, Found(way)));
            }
            if stop.is_some() {
                break;
            }
        }
        slice(&board, found)
    }
}

/// A seed for an arm, so that arms with the same options do different things.
pub(crate) fn arm_seed(seed: u64, arm: u64) -> u64 {
    let mut random = Random::new(derive_seed(seed, arm));
    (random.below(1 << 30) as u64) << 30 | random.below(1 << 30) as u64
}
