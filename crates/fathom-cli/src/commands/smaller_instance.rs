//! The error of a smaller instance of a model, for `--heuristic pattern --param N=…`.

use fathom::guide::PatternTable;
use fathom::search::NoMonitor;
use fathom::{few_participants, pattern_of};

use super::run_arguments::{RunConfig, choose_properties};
use crate::failure::Failure;
use crate::session::Session;

/// States of an instance that are looked at, at most.
const MOST_STATES: u64 = 300_000;
/// Sizes that are tried, at most.
const MOST_SIZES: u64 = 8;

/// The moves of a shortest error of the smallest instance that has one, and its size. An instance with one of
/// everything is tried last: its errors are seldom those of the others.
pub fn smaller_pattern(
    session: &Session,
    config: &RunConfig,
    name: &str,
    size: &str,
) -> Result<(PatternTable, u64), Failure> {
    let size: u64 = size.parse().map_err(|_| Failure::new(format!("--param {name}={size} is no number")))?;
    let tried: Vec<u64> = (2..size).take(MOST_SIZES as usize).chain((size > 1).then_some(1)).collect();
    // Where only some processes take part in the error, they are the same ones in every instance.
    let mut large = Session::open(session.config().clone())?;
    let asked = choose_properties(config, &mut large)?;
    let numbered = few_participants(large.model(), &asked).unwrap_or_default();
    for &smaller in &tried {
        let mut model = session.config().clone();
        model.defines.retain(|(other, _)| other != name);
        model.defines.push((name.to_owned(), smaller.to_string()));
        // Some sizes are no models at all.
        let Ok(mut small) = Session::open(model) else { continue };
        let Ok(properties) = choose_properties(config, &mut small) else { continue };
        if let Some(table) = pattern_of(small.model(), &properties, &numbered, MOST_STATES, &mut NoMonitor)
            && !table.rows.is_empty()
        {
            return Ok((table, smaller));
        }
    }
    let tried: Vec<String> = tried.iter().map(u64::to_string).collect();
    Err(Failure::new(format!(
        "no error within {MOST_STATES} states of a smaller instance: tried {name}={}",
        if tried.is_empty() { "nothing".to_owned() } else { tried.join(", ") }
    )))
}
