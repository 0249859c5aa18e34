//! Hunting in networks of timed automata: the engines of a hunt, on zones.
//!
//! A step to a zone is a step like any other, so the portfolio of [`hunt`](crate::hunt()) works on them as it is: short complete attempts, pruned
//! searches, walks and trails, and the guided ones with the distance of locations and integers as their heuristic. What is found becomes a run
//! with delays and is checked by the concrete meaning, as for [`check_timed`](crate::check_timed).
//!
//! Questions about runs that go on for ever and about largest values need a complete search of their own: they get it, with the same
//! share of the time as the others.

use fathom_guide::{Heuristic, Reversed};
use fathom_hunt::{ArmRow, Enough, HuntMonitor, HuntOutcome, default_arms};
use fathom_model::{PropertyId, Statistics, Stop, Verdict};
use fathom_search::Progress;
use fathom_timed::symmetry::{Symmetry, SymmetryUse};
use fathom_timed::{Network, TimedProperty, ZoneOptions, ZoneRegion, ZoneSystem};

use crate::check::{Optimality, unsupported};
use crate::hunt::{attempt_bytes, rest_for, search_bytes};
use crate::timed::{TimedAnswer, TimedOptions, TimedReport, answer_apart, answers_of};
use crate::timed_distance::TimedDistance;

/// How to hunt in a network.
#[derive(Clone, Debug, Default)]
pub struct TimedHuntOptions {
    /// The properties in question.
    pub properties: Vec<PropertyId>,
    /// Go on until there is evidence about every property.
    pub all: bool,
    /// How zones are made and compared, as in [`TimedOptions`].
    pub zones: ZoneOptions,
    /// Leave out the engines that the distance of locations and integers guides.
    pub unguided: bool,
    /// Which states are taken for one.
    pub symmetry: SymmetryUse,
    /// Turn estimates round, for experiments.
    pub reversed: bool,
    /// The seed.
    pub seed: u64,
    /// Most states of all arms together.
    pub max_states: Option<u64>,
    /// Most bytes of memory for searches that remember what they saw.
    pub max_bytes: Option<u64>,
    /// Threads to use; 0 counts as 1.
    pub threads: usize,
}

/// What came of a hunt in a network.
#[derive(Clone, Debug)]
pub struct TimedHuntReport {
    /// The answers, and what they cost.
    pub report: TimedReport,
    /// What each arm did; empty when the complete attempt answered everything.
    pub arms: Vec<ArmRow>,
    /// Which arm found the evidence about each property; none for the complete attempt, and where there is none.
    pub found_by: Vec<Option<String>>,
    /// The heuristics that guided.
    pub heuristics: Vec<&'static str>,
    /// What is known about the number of steps of the runs: nothing, as zones that swallow others may cost a step even a
    /// complete search.
    pub optimality: Optimality,
}

/// Hunts for evidence about properties of a network. Every run in the report has been checked against the concrete meaning. Without evidence a
/// property of single states is inconclusive, unless a complete attempt explored everything.
///
/// # Panics
///
/// When a trace cannot be followed, timed or checked: a bug in Fathom.
///
/// # Example
///
/// ```
/// use fathom_core::hunting::ArmRow;
/// use fathom_core::model::{Answer, Stop};
/// use fathom_core::search::Progress;
/// use fathom_core::source::MemoryLoader;
/// use fathom_core::{Asked, Language, TimedHuntOptions, hunt_timed, load_timed};
///
/// let text = "system:lamp\nevent:press\nclock:1:x\nprocess:P\nlocation:P:off{initial:}\nlocation:P:on{invariant: x<=10}\n\
///             edge:P:off:on:press{do: x=0}\nedge:P:on:off:press{provided: x>=5}\n";
/// let loader = MemoryLoader::new().with("lamp.tck", text);
/// let mut loaded = load_timed("lamp.tck", Language::TChecker, &loader).unwrap();
/// let late = loaded.ask(Asked::Reach, "P.on && x > 7").unwrap();
/// let network = loaded.network.unwrap();
/// let options = TimedHuntOptions { properties: vec![late], ..TimedHuntOptions::default() };
/// let hunted = hunt_timed(&network, &loaded.properties, &options, &mut |_: &Progress, _: &[ArmRow]| None::<Stop>);
/// assert_eq!(hunted.report.answers[0].verdict.answer, Answer::Holds);
/// ```
pub fn hunt_timed(
    network: &Network,
    properties: &[TimedProperty],
    options: &TimedHuntOptions,
    monitor: &mut dyn HuntMonitor,
) -> TimedHuntReport {
    let network = &*options.symmetry.prepare(network);
    let is_apart = |id: &PropertyId| properties[id.index()].question.is_apart();
    let (apart, together): (Vec<PropertyId>, Vec<PropertyId>) =
        options.properties.iter().partition(|id| is_apart(id));
    let n_questions = apart.len() + usize::from(!together.is_empty());
    let max_states = options.max_states.map(|states| states / n_questions.max(1) as u64);
    let mut hunted = hunt_states(network, properties, &together, max_states, options, n_questions, monitor);
    for (number, &property) in apart.iter().enumerate() {
        let is_found = hunted.report.answers.iter().any(|answer| answer.verdict.trace.is_some());
        let (answer, cost) = if is_found && !options.all {
            let open = Verdict { stop: Stop::Found, ..unsupported(property) };
            (TimedAnswer::of(open), Statistics::default())
        } else {
            monitor.begin(apart.len() - number);
            let searched = TimedOptions {
                zones: options.zones,
                max_states,
                max_bytes: options.max_bytes,
                ..TimedOptions::default()
            };
            let mut watched = |progress: &Progress| monitor.poll(progress, &[]);
            let symmetry = options.symmetry.symmetry(network, properties, &[property]);
            answer_apart(network, property, properties, symmetry.as_ref(), &searched, &mut watched)
        };
        hunted.report.statistics.states += cost.states;
        hunted.report.statistics.expanded += cost.expanded;
        hunted.report.statistics.transitions += cost.transitions;
        hunted.report.answers.push(answer);
        hunted.found_by.push(None);
    }
    // In the order in which they were asked.
    let place = |asked: PropertyId| options.properties.iter().position(|&property| property == asked);
    let answers = hunted.report.answers.drain(..).zip(hunted.found_by.drain(..));
    let mut both: Vec<(TimedAnswer, Option<String>)> = answers.collect();
    both.sort_by_key(|(answer, _)| place(answer.verdict.property));
    (hunted.report.answers, hunted.found_by) = both.into_iter().unzip();
    hunted
}

/// Hunts for evidence about single states.
fn hunt_states(
    network: &Network,
    properties: &[TimedProperty],
    asked: &[PropertyId],
    max_states: Option<u64>,
    options: &TimedHuntOptions,
    n_questions: usize,
    monitor: &mut dyn HuntMonitor,
) -> TimedHuntReport {
    monitor.begin(n_questions.max(1));
    let symmetry = options.symmetry.symmetry(network, properties, asked);
    let n_symmetric_sets = symmetry.as_ref().map_or(0, Symmetry::n_sets);
    let system = ZoneSystem::new(network, properties, asked, options.zones).with_symmetry(symmetry);
    let threads = options.threads.max(1);
    let plain = if options.unguided { None } else { TimedDistance::new(network, properties, asked) };
    let reversed = plain.as_ref().filter(|_| options.reversed).map(Reversed);
    let guide: Option<&dyn Heuristic<ZoneRegion>> = match (&reversed, &plain) {
        (Some(reversed), _) => Some(reversed),
        (None, Some(plain)) => Some(plain),
        (None, None) => None,
    };
    let named: Vec<(&'static str, &dyn Heuristic<ZoneRegion>)> =
        guide.into_iter().map(|guide| ("formula", guide)).collect();
    let hunted = fathom_hunt::HuntOptions {
        properties: asked.to_vec(),
        enough: if options.all { Enough::All } else { Enough::Any },
        max_states,
        threads,
        seed: options.seed,
        attempt_bytes: attempt_bytes(options.max_bytes),
        rest: rest_for(threads),
        ..fathom_hunt::HuntOptions::default()
    };
    let HuntOutcome { outcome, arms, found_by, .. } = match asked.is_empty() {
        true => {
            let outcome = crate::hunt_linear::without_search(&[], Stop::Exhausted);
            HuntOutcome { outcome, arms: Vec::new(), found_by: Vec::new(), is_shortest: Vec::new() }
        }
        false => {
            let bytes = search_bytes(options.max_bytes, threads);
            let arms = default_arms(&system, &named, options.seed, bytes);
            fathom_hunt::hunt(&system, &hunted, arms, monitor)
        }
    };
    TimedHuntReport {
        report: TimedReport {
            n_symmetric_sets,
            answers: answers_of(&system, properties, &outcome),
            statistics: outcome.statistics,
            stop: outcome.stop,
            profile: None,
        },
        arms,
        found_by,
        heuristics: named.into_iter().map(|(name, _)| name).collect(),
        optimality: Optimality::Unknown,
    }
}
