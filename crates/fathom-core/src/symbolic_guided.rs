//! Guided search and walks over diagrams: one property at a time, each with distances of its own.
//!
//! `symbolic-guided` is A* over sets of states with abstract distances (SGMC of Bui, *Guided Random-Walk Based Model Checking*, 2009): complete, with shortest traces. `symbolic-walk` makes random walks and trails
//! of single states through sets of successors (SRMC and SGRMC there): a sample. Both work on the transition relation for all values; where that is too large, or explicit parts
//! are too many, the guided search becomes a breadth-first one of composite states, and walks are not made.

use fathom_guide::{AbstractPlan, Combine, DatabasePlan, NoDatabase};
use fathom_hunt::{Bias, Claim, Draws, Repeats, Share, choose_class, derive_seed};
use fathom_model::{Answer, Model, PropertyId, Statistics, Stop, Trust, Verdict};
use fathom_search::{Meaning, Monitor, Outcome, Progress, Random, verdicts};
use fathom_symbolic::{
    AbstractDistances, Chance, Composite, CompositeRelation, GaveUp, GuidedEnd, GuidedLimits, NoDistances,
    NoRelation, Partition, Room, SymbolicRepeats, SymbolicWalkEnd, SymbolicWalkRules, SymbolicWalker,
    guided_search,
};

use crate::check::{CheckOptions, Code, Engine, Optimality, Report};
use crate::composite::{CompositeReport, check_composite, room};
use crate::guidance::{HeuristicChoice, HeuristicData, HeuristicError};
use crate::guided::{Sample, walk_options};
use crate::hunt_linear::without_search;
use crate::linear::stop_of;
use crate::reduce::Reductions;

/// What there is to say about the abstract distances to evidence about a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DistancesReport {
    /// The property.
    pub property: PropertyId,
    /// Cells that were kept.
    pub kept: Vec<String>,
    /// Bits that were kept.
    pub bits: usize,
    /// Number of layers.
    pub layers: u32,
    /// Whether they hold everything that may lead to evidence.
    pub is_complete: bool,
    /// Nodes of all layers.
    pub nodes: usize,
    /// The distance of the nearest initial state; none when no initial state leads to evidence.
    pub start: Option<u32>,
}

impl DistancesReport {
    fn new(
        relation: &CompositeRelation<'_, '_>,
        property: PropertyId,
        distances: &AbstractDistances,
    ) -> DistancesReport {
        DistancesReport {
            property,
            kept: distances.kept().to_vec(),
            bits: distances.n_bits(),
            layers: distances.n_layers(),
            is_complete: distances.is_complete(),
            nodes: distances.n_nodes(),
            start: distances.of_start(relation).unwrap_or(None),
        }
    }
}

/// The distances that a choice of heuristics means.
pub(crate) fn distances_for(
    relation: &CompositeRelation<'_, '_>,
    choice: &HeuristicChoice,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<AbstractDistances, NoDistances> {
    let mut goes_on = |_: u64, _: u64| goes_on();
    let HeuristicChoice::Abstract(Some(plan)) = choice else {
        return Ok(AbstractDistances::chosen(relation, &mut goes_on)?);
    };
    let mut joined: Option<AbstractDistances> = None;
    for database in &plan.databases {
        let one = AbstractDistances::keeping(relation, &database.keep, &mut goes_on)?;
        joined = Some(match joined {
            Some(others) => others.joined(&one)?,
            None => one,
        });
    }
    Ok(joined.unwrap_or_else(|| AbstractDistances::none(relation)))
}

/// A file with what `symbolic-guided` and guided `symbolic-walk` would keep.
pub(crate) fn describe_distances(
    model: &Model,
    safety: &[PropertyId],
    options: &CheckOptions,
    goes_on: &dyn Fn() -> bool,
) -> Result<HeuristicData, HeuristicError> {
    let missing = |reason: NoDistances| {
        HeuristicError::NoDatabase(match reason {
            NoDistances::Unknown(name) => NoDatabase::NoCell(name),
            NoDistances::Relation(NoRelation::Stopped) => NoDatabase::Interrupted,
            NoDistances::Relation(_) => NoDatabase::TooLarge,
        })
    };
    if let HeuristicChoice::Abstract(Some(plan)) = &options.guidance.heuristic
        && plan.databases.iter().any(|database| !database.groups.is_empty())
    {
        let reason = "databases over diagrams keep cells or forget them: there are no groups of values";
        return Err(HeuristicError::NoDatabase(NoDatabase::Unfit(reason)));
    }
    let Some(&property) = safety.first() else { return Err(HeuristicError::NothingKnown) };
    let everything = Partition::symbolic(model);
    let partition = options.symbolic_partition().unwrap_or(&everything);
    let composite = Composite::new(model, partition, &[property], relation_room(options));
    let relation = CompositeRelation::new(&composite, property, &mut |_, _| goes_on())
        .map_err(|reason| missing(reason.into()))?;
    let distances =
        distances_for(&relation, &options.guidance.heuristic, &mut || goes_on()).map_err(missing)?;
    let plan = AbstractPlan {
        databases: vec![DatabasePlan { keep: distances.kept().to_vec(), groups: Vec::new() }],
        combine: Combine::Max,
    };
    let n_states = 1_usize.checked_shl(distances.n_bits() as u32).unwrap_or(usize::MAX);
    Ok(HeuristicData::Abstract(plan, vec![(n_states, distances.largest())]))
}

/// Most nodes for a relation and what is done with it: where that is not enough, other ways are better.
const RELATION_NODES: usize = 1 << 24;

fn relation_room(options: &CheckOptions) -> Room {
    Room { nodes: room(options).nodes.min(RELATION_NODES) }
}

/// What came of one property.
struct Answered {
    verdict: Verdict,
    searched: Searched,
    explicit_parts: u64,
    nodes: u64,
    distances: Option<DistancesReport>,
    note: Option<String>,
}

/// What a search or walks have seen.
struct Searched {
    outcome: Outcome,
    concrete_states: f64,
    sample: Option<Sample>,
    is_shortest: bool,
    /// Whether there is evidence that cannot be shown: a step has more outcomes than are listed.
    is_unshown: bool,
}

/// Answers the properties of single states, one after the other; the rest of the report is filled in by the caller.
pub(crate) fn check_symbolic(
    model: &Model,
    partition: &Partition,
    safety: &[PropertyId],
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
    mut report: Report,
) -> Report {
    let mut answers = Vec::with_capacity(safety.len());
    // What is too large for one property is too large for all: properties are little of a relation.
    let mut hopeless = None;
    for &property in safety {
        answers.push(answer(model, partition, property, options, monitor, &report, &mut hopeless));
    }
    let mut composite = CompositeReport {
        partition: partition.sides().to_vec(),
        explicit_parts: 0,
        concrete_states: 0.0,
        nodes: 0,
        distances: Vec::new(),
    };
    let mut notes: Vec<String> = Vec::new();
    let is_shortest = answers.iter().all(|one| one.searched.is_shortest);
    for one in answers {
        let (total, cost) = (&mut report.statistics, one.searched.outcome.statistics);
        total.states += cost.states;
        total.transitions += cost.transitions;
        total.matched += cost.matched;
        total.max_depth = total.max_depth.max(cost.max_depth);
        total.store_bytes = total.store_bytes.max(cost.store_bytes);
        composite.explicit_parts = composite.explicit_parts.max(one.explicit_parts);
        composite.concrete_states = composite.concrete_states.max(one.searched.concrete_states);
        composite.nodes = composite.nodes.max(one.nodes);
        composite.distances.extend(one.distances);
        report.sample = report.sample.or(one.searched.sample);
        notes.extend(
            one.note.map(|note| format!("{}: {note}", model.properties[one.verdict.property.index()].name)),
        );
        report.verdicts.push(one.verdict);
    }
    if is_shortest && report.verdicts.iter().any(|verdict| verdict.trace.is_some()) {
        report.optimality = Optimality::Shortest;
    }
    report.note = (!notes.is_empty()).then(|| notes.join("\n"));
    report.stop = stop_of(&report.verdicts);
    report.reductions = Reductions::NONE;
    report.code = Code::Interpreted;
    report.composite = Some(composite);
    report
}

/// Asks a monitor, and remembers what it said.
struct Watched<'a> {
    monitor: &'a mut dyn Monitor,
    stop: Option<Stop>,
}

impl Watched<'_> {
    fn goes_on(&mut self, progress: &Progress) -> bool {
        self.stop = self.stop.or_else(|| self.monitor.poll(progress));
        self.stop.is_none()
    }

    /// Asks once more when diagrams were not made because it was time to stop.
    fn look_at(&mut self, composite: &Composite<'_>) {
        if composite.gave_up() == Some(GaveUp::Stopped) {
            self.goes_on(&NOTHING_YET);
        }
    }
}

const NOTHING_YET: Progress = Progress { states: 0, transitions: 0, depth: 0, pending: 0, bytes: 0 };

fn answer(
    model: &Model,
    partition: &Partition,
    property: PropertyId,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
    empty: &Report,
    hopeless: &mut Option<NoRelation>,
) -> Answered {
    let composite = Composite::new(model, partition, &[property], relation_room(options));
    if let Some(alarm) = monitor.alarm() {
        composite.diagrams().heed(alarm);
    }
    let mut watched = Watched { monitor, stop: None };
    let relation = match *hopeless {
        Some(reason) => Err(reason),
        None => CompositeRelation::new(&composite, property, &mut |_, _| watched.goes_on(&NOTHING_YET)),
    };
    let relation = match relation {
        Ok(relation) => relation,
        Err(reason) => {
            watched.look_at(&composite);
            *hopeless = Some(reason);
            return without_relation(model, partition, property, options, watched, empty, reason);
        }
    };
    let needs_distances = options.engine == Engine::SymbolicGuided || options.guidance.guided;
    let mut distances = None;
    if needs_distances {
        let made =
            distances_for(&relation, &options.guidance.heuristic, &mut || watched.goes_on(&NOTHING_YET));
        match made {
            Ok(made) => distances = Some(made),
            Err(NoDistances::Relation(reason)) => {
                watched.look_at(&composite);
                return without_relation(model, partition, property, options, watched, empty, reason);
            }
            // A plan for one property may name what another one does not have; the command line has looked at the first.
            Err(NoDistances::Unknown(_)) => distances = Some(AbstractDistances::none(&relation)),
        }
    }
    let mut searched = match (options.engine, &distances) {
        (Engine::SymbolicGuided, Some(distances)) => {
            guided(&relation, property, distances, options, &mut watched)
        }
        _ => walks(&relation, property, distances.as_ref(), options, &mut watched),
    };
    if composite.gave_up() == Some(GaveUp::Stopped) && searched.outcome.stop == Stop::Memory {
        watched.look_at(&composite);
        searched.outcome.stop = watched.stop.unwrap_or(Stop::Time);
    }
    searched.outcome.statistics.store_bytes = composite.diagrams().bytes() as u64;
    let mut verdict = verdict_of(model, property, &searched.outcome);
    if searched.is_unshown {
        verdict.answer = match Meaning::of(&model.properties[property.index()].question) {
            Meaning::Violation => Answer::Violated,
            Meaning::Witness => Answer::Holds,
        };
        verdict.trust = Trust::Complete;
    }
    Answered {
        verdict,
        searched,
        explicit_parts: if options.engine == Engine::SymbolicWalk { 0 } else { relation.n_parts() as u64 },
        nodes: composite.diagrams().n_nodes() as u64,
        distances: distances.map(|distances| DistancesReport::new(&relation, property, &distances)),
        note: None,
    }
}

fn verdict_of(model: &Model, property: PropertyId, outcome: &Outcome) -> Verdict {
    let question = &model.properties[property.index()].question;
    verdicts(outcome, |_| Meaning::of(question)).remove(0)
}

/// What can be done without a relation: a search of composite states, or walks through them.
fn without_relation(
    model: &Model,
    partition: &Partition,
    property: PropertyId,
    options: &CheckOptions,
    watched: Watched<'_>,
    empty: &Report,
    reason: NoRelation,
) -> Answered {
    let nothing = |stop: Stop, note: String| {
        let outcome = without_search(&[property], stop);
        let verdict = verdict_of(model, property, &outcome);
        let searched =
            Searched { outcome, concrete_states: 0.0, sample: None, is_shortest: false, is_unshown: false };
        Answered { verdict, searched, explicit_parts: 0, nodes: 0, distances: None, note: Some(note) }
    };
    if let Some(stop) = watched.stop {
        return nothing(stop, reason.to_string());
    }
    let (engine, instead) = match options.engine {
        Engine::SymbolicWalk => (Engine::Walk, "walked through composite states"),
        _ => (Engine::BreadthFirst, "searched breadth-first"),
    };
    let plain = CheckOptions { engine, ..options.clone() };
    let report = check_composite(model, partition, &[property], &plain, watched.monitor, empty.clone());
    let composite = report.composite.as_ref();
    let outcome = Outcome { statistics: report.statistics, ..without_search(&[property], report.stop) };
    Answered {
        explicit_parts: composite.map_or(0, |composite| composite.explicit_parts),
        nodes: composite.map_or(0, |composite| composite.nodes),
        searched: Searched {
            outcome,
            concrete_states: composite.map_or(0.0, |composite| composite.concrete_states),
            sample: report.sample,
            is_shortest: engine == Engine::BreadthFirst,
            is_unshown: false,
        },
        verdict: report.verdicts[0].clone(),
        distances: None,
        note: Some(format!("{reason}: {instead}")),
    }
}

/// A* over sets of states.
fn guided(
    relation: &CompositeRelation<'_, '_>,
    property: PropertyId,
    distances: &AbstractDistances,
    options: &CheckOptions,
    watched: &mut Watched<'_>,
) -> Searched {
    let limits = GuidedLimits { max_states: options.max_states, max_depth: options.max_depth };
    let done = guided_search(relation, distances, limits, &mut |now| {
        watched.goes_on(&Progress {
            states: now.n_states,
            transitions: now.n_transitions,
            depth: now.depth,
            pending: now.n_pending,
            bytes: 0,
        })
    });
    let is_unshown = matches!(done.end, GuidedEnd::Unshown);
    let (trace, stop) = match done.end {
        GuidedEnd::Found(trace) => (Some(trace), Stop::Found),
        GuidedEnd::Exhausted => (None, Stop::Exhausted),
        GuidedEnd::DepthCut => (None, Stop::Depth),
        GuidedEnd::StatesCut => (None, Stop::States),
        GuidedEnd::Stopped => (None, watched.stop.unwrap_or(Stop::Cancelled)),
        GuidedEnd::Unshown => (None, Stop::Found),
        GuidedEnd::NoRoom => (None, Stop::Memory),
    };
    let outcome = Outcome {
        evidence: vec![(property, trace)],
        stop,
        depth_cut: stop == Stop::Depth,
        trust: Trust::Complete,
        expected_omissions: 0.0,
        profile: None,
        statistics: Statistics {
            states: done.n_states,
            transitions: done.n_transitions,
            max_depth: done.depth,
            ..Statistics::default()
        },
    };
    Searched { outcome, concrete_states: done.concrete_states, sample: None, is_shortest: true, is_unshown }
}

/// Steps between two questions whether to go on.
const STEPS_BETWEEN: u64 = 64;

/// Walks of single states.
fn walks(
    relation: &CompositeRelation<'_, '_>,
    property: PropertyId,
    distances: Option<&AbstractDistances>,
    options: &CheckOptions,
    watched: &mut Watched<'_>,
) -> Searched {
    let told = walk_options(options, &[property]);
    let guidance = &options.guidance;
    let rules = SymbolicWalkRules {
        repeats: match told.repeats {
            Repeats::Allow => SymbolicRepeats::Allow,
            Repeats::End => SymbolicRepeats::End,
            Repeats::Avoid => SymbolicRepeats::Avoid,
        },
        max_depth: told.max_depth,
    };
    let mut walker = SymbolicWalker::new(relation, distances);
    let mut statistics = Statistics::default();
    let mut draws = Draws::default();
    let (mut n_walks, mut trace, mut stop) = (0, None, Stop::States);
    let mut is_unshown = false;
    while n_walks < told.n_walks {
        let mut dice = Dice::new(
            derive_seed(guidance.seed, n_walks),
            guidance.bias.of_walk(n_walks),
            guidance.share,
            distances.map_or(0, AbstractDistances::largest),
            guidance.reversed,
        );
        let before = statistics.transitions;
        let made = walker.walk(rules, &mut dice, &mut |n_steps| {
            let transitions = before + n_steps;
            let is_affordable = options.max_states.is_none_or(|most| transitions + n_walks < most);
            let progress =
                Progress { states: transitions + n_walks, transitions, depth: n_steps, pending: 0, bytes: 0 };
            is_affordable && (n_steps % STEPS_BETWEEN != 0 || watched.goes_on(&progress))
        });
        n_walks += 1;
        let n_steps = made.states.len().saturating_sub(1) as u64;
        statistics.states += made.states.len() as u64;
        statistics.transitions += n_steps;
        statistics.max_depth = statistics.max_depth.max(n_steps);
        match made.end {
            SymbolicWalkEnd::Found => {
                trace = relation.trace_of(&made);
                (stop, is_unshown) = (Stop::Found, trace.is_none());
                break;
            }
            SymbolicWalkEnd::Over => draws.n_draws += 1,
            SymbolicWalkEnd::Cut => {
                draws.n_draws += 1;
                draws.n_cut += 1;
                stop = Stop::Depth;
            }
            SymbolicWalkEnd::Stopped => {
                stop = watched.stop.unwrap_or(Stop::States);
                break;
            }
            SymbolicWalkEnd::NoRoom => {
                stop = Stop::Memory;
                break;
            }
        }
    }
    let claim = Claim::new(n_walks, draws, told.max_depth, told.delta);
    let sample = Sample { n_attempts: n_walks, claim: Some(claim), hits: Vec::new(), distinction: None };
    let outcome =
        Outcome { evidence: vec![(property, trace)], statistics, ..without_search(&[property], stop) };
    Searched { outcome, concrete_states: 0.0, sample: Some(sample), is_shortest: false, is_unshown }
}

/// Random choices from a seed, with weights of distances as for walks of explicit states.
pub(crate) struct Dice {
    random: Random,
    bias: Bias,
    share: Share,
    largest: u32,
    reversed: bool,
}

impl Dice {
    pub fn new(seed: u64, bias: Bias, share: Share, largest: u32, reversed: bool) -> Dice {
        Dice { random: Random::new(seed), bias, share, largest, reversed }
    }
}

impl Chance for Dice {
    fn uniform(&mut self) -> f64 {
        const PARTS: usize = 1 << 53;
        self.random.below(PARTS) as f64 / PARTS as f64
    }

    fn class(&mut self, classes: &[(u32, f64)]) -> usize {
        let largest = self.largest;
        if !self.reversed {
            return choose_class(classes, largest, self.bias, self.share, &mut self.random);
        }
        let turned: Vec<(u32, f64)> =
            classes.iter().map(|&(distance, count)| (largest.saturating_sub(distance), count)).collect();
        choose_class(&turned, largest, self.bias, self.share, &mut self.random)
    }
}
