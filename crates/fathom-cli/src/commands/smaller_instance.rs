//! The error of a smaller instance of a model, for `--param N=…`: which sizes are searched, and where their patterns are tried.

use fathom::guide::PatternTable;
use fathom::model::PropertyId;
use fathom::search::NoMonitor;
use fathom::{best_pattern, few_participants, patterns_of};

use super::run_arguments::{RunConfig, choose_properties};
use crate::failure::Failure;
use crate::session::Session;

/// States of an instance that are looked at, at most.
const MOST_STATES: u64 = 300_000;
/// Sizes that are tried, at most.
const MOST_SIZES: u64 = 8;
/// Sizes beyond the smallest with an error that give patterns, too: in the smallest one some process may be the only one of its kind.
const LARGER_SIZES: u64 = 2;
/// The patterns are tried on an instance so much larger than the smallest, or on the model itself if that is no larger.
const UP_TO_TRIAL: u64 = 6;

/// The moves of a shortest error of a small instance: of those that the smallest instances with an error suggest, the ones
/// that lead walks of a larger instance to its error soonest. An instance with one of everything is tried last: its errors are seldom those
/// of the others.
pub fn smaller_pattern(
    session: &Session,
    config: &RunConfig,
    name: &str,
    size: &str,
) -> Result<PatternTable, Failure> {
    let size: u64 = size.parse().map_err(|_| Failure::new(format!("--param {name}={size} is no number")))?;
    let tried: Vec<u64> = (2..size).take(MOST_SIZES as usize).chain((size > 1).then_some(1)).collect();
    let instance = |size: u64| -> Option<(Session, Vec<PropertyId>)> {
        let mut model = session.config().clone();
        model.defines.retain(|(other, _)| other != name);
        model.defines.push((name.to_owned(), size.to_string()));
        // Some sizes are no models at all.
        let mut session = Session::open(model).ok()?;
        let properties = choose_properties(config, &mut session).ok()?;
        Some((session, properties))
    };
    // Where only some processes take part in the error, they are the same ones in every instance.
    let mut large = Session::open(session.config().clone())?;
    let asked = choose_properties(config, &mut large)?;
    let numbered = few_participants(large.model(), &asked).unwrap_or_default();
    let patterns = |size: u64| match instance(size) {
        Some((small, properties)) => {
            patterns_of(small.model(), &properties, &numbered, MOST_STATES, &mut NoMonitor)
        }
        None => Vec::new(),
    };
    let found = tried.iter().map(|&smaller| (smaller, patterns(smaller)));
    let Some((smallest, mut candidates)) = found.into_iter().find(|(_, tables)| !tables.is_empty()) else {
        let tried: Vec<String> = tried.iter().map(u64::to_string).collect();
        return Err(Failure::new(format!(
            "no error within {MOST_STATES} states of a smaller instance: tried {name}={}",
            if tried.is_empty() { "nothing".to_owned() } else { tried.join(", ") }
        )));
    };
    let larger = (smallest + 1..=smallest + LARGER_SIZES).filter(|&larger| larger < size);
    candidates.extend(larger.flat_map(patterns));
    let trial = (smallest + UP_TO_TRIAL..size).next().and_then(instance);
    let (trial, properties) = trial.unwrap_or((large, asked));
    let first = candidates[0].clone();
    Ok(best_pattern(trial.model(), &properties, candidates, &mut NoMonitor).unwrap_or(first))
}
