//! Patterns of moves from errors of smaller instances, and which of them is worth most.
//!
//! Bui (2009) made the pattern of a model by hand: which processes keep their numbers and which variables are left open is
//! what makes it good or useless. Here an error suggests several tables, and short walks on an instance of middle size say which of
//! them leads to its error soonest:
//!
//! - the moves of everybody, or those of whoever makes the last move by number (the one whose number goes round a ring, say, while all
//!   others pass it on); where the property names the few processes that count, these;
//! - with the variables that change on the way, or with moves alone.

use fathom_guide::{Heuristic, PatternHeuristic, PatternTable};
use fathom_hunt::{Bias, Children, Guide, Hooks, Share, WalkOptions};
use fathom_model::{Erased, Model, Move, NoRegion, PropertyId, Stop};
use fathom_search::{Monitor, Progress};

use crate::check::{CheckOptions, Code};
use crate::code::system_of;
use crate::hunt::safety_of;
use crate::reduce::Reductions;

/// What a shortest error of a (smaller) model suggests, if there is one within so many states; the first table is the plainest. Processes with these
/// numbers keep them: those of [`few_participants`](crate::few_participants) of the model that the pattern is for.
pub fn patterns_of(
    model: &Model,
    properties: &[PropertyId],
    numbered: &[usize],
    max_states: u64,
    monitor: &mut dyn Monitor,
) -> Vec<PatternTable> {
    let options = CheckOptions {
        properties: safety_of(model, properties),
        max_states: Some(max_states),
        reductions: Reductions::NONE,
        ..CheckOptions::default()
    };
    let report = crate::check(model, &options, monitor);
    let found =
        report.verdicts.iter().filter_map(|verdict| Some((verdict.property, verdict.trace.as_ref()?)));
    let Some((property, trace)) = found.min_by_key(|(_, trace)| trace.choices.len()) else {
        return Vec::new();
    };
    let mut numberings = vec![numbered.to_vec()];
    if numbered.is_empty() {
        numberings.extend(PatternTable::last_mover(model, trace).map(|mover| vec![mover]));
    }
    let question = &model.properties[property.index()].question;
    let mut tables: Vec<PatternTable> = Vec::new();
    for numbered in &numberings {
        let Some(table) = PatternTable::of_trace(model, question, trace, numbered) else { continue };
        for candidate in [table.clone(), table.without_variables()] {
            if !candidate.rows.is_empty() && !tables.contains(&candidate) {
                tables.push(candidate);
            }
        }
    }
    tables
}

/// Seeds of the walks that a table is tried with.
const TRIALS: u64 = 8;
/// Walks with each seed, sharp and soft ones, and their longest.
const WALKS: u64 = 16;
const MOST_STEPS: u32 = 1000;

/// The table with which guided walks on a model find an error with the fewest steps; the first of equals. Tables that do not fit the model are left out.
pub fn best_pattern(
    model: &Model,
    properties: &[PropertyId],
    candidates: Vec<PatternTable>,
    monitor: &mut dyn Monitor,
) -> Option<PatternTable> {
    let safety = safety_of(model, properties);
    let (system, _) = system_of(model, &safety, Code::Native, None);
    let mut best: Option<(u64, PatternTable)> = None;
    for table in candidates {
        let Ok(heuristic) = PatternHeuristic::new(model, &table) else { continue };
        // Who needs more steps than the best so far need not go on.
        let most = best.as_ref().map_or(u64::MAX, |(steps, _)| *steps);
        let steps = steps_of_trials(&system, &safety, &heuristic, most, monitor);
        if steps < most || best.is_none() {
            best = Some((steps, table));
        }
    }
    best.map(|(_, table)| table)
}

/// Steps of all trials together, or as many as were enough to be worse than so many.
fn steps_of_trials(
    system: &Erased<'_, NoRegion, Move>,
    safety: &[PropertyId],
    heuristic: &dyn Heuristic<NoRegion>,
    most: u64,
    monitor: &mut dyn Monitor,
) -> u64 {
    let guide = Guide { heuristic, bias: Bias::default(), share: Share::EachStep, sample: Some(64) };
    let mut steps = 0_u64;
    for seed in 1..=TRIALS {
        let walk = WalkOptions {
            properties: safety.to_vec(),
            n_walks: WALKS,
            max_depth: Some(MOST_STEPS),
            children: Children::All,
            seed,
            ..WalkOptions::default()
        };
        let before = steps;
        let mut watched = |progress: &Progress| {
            let is_enough = before + progress.states > most;
            monitor.poll(progress).or(is_enough.then_some(Stop::States))
        };
        let done = fathom_hunt::walk(system, &walk, Hooks { guide: Some(guide), lasso: None }, &mut watched);
        steps += done.outcome.statistics.states;
        if done.outcome.evidence.iter().all(|(_, trace)| trace.is_none()) {
            // To find nothing is worse than to find something at the very end, also where walks soon end.
            steps += u64::from(MOST_STEPS) * WALKS;
        }
        if steps > most {
            break;
        }
    }
    steps
}
