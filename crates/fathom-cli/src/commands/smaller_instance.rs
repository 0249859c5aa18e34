//! The error of a smaller instance of a model: which macro is its size, which sizes are searched, and where their patterns are tried.

use fathom_core::guide::PatternTable;
use fathom_core::model::PropertyId;
use fathom_core::search::Monitor;
use fathom_core::{Language, best_pattern, few_participants, patterns_of};

use super::run_arguments::{RunConfig, choose_properties};
use crate::failure::Failure;
use crate::session::Session;

/// How much is done for a pattern.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// States of an instance that are looked at, at most.
    states: u64,
    /// Sizes that are tried, at most.
    sizes: usize,
}

impl Effort {
    /// For a person who asks for a pattern.
    pub const ASKED: Effort = Effort { states: 300_000, sizes: 8 };
    /// Where nobody asked: a walk that needs no pattern should not have to wait for one.
    pub const MODEST: Effort = Effort { states: 50_000, sizes: 3 };
}

/// Sizes beyond the smallest with an error that give patterns, too: in the smallest one some process may be the only one of its kind.
const LARGER_SIZES: u64 = 2;
/// The patterns are tried on an instance so much larger than the smallest, or on the model itself if that is no larger.
const UP_TO_TRIAL: u64 = 6;
/// Macros that are tried as the size of a model.
const MOST_MACROS: usize = 8;

/// The macro that is the size of a model: a number greater than 2 without which, set to 2, there is less of it. Those of the command line come first, then
/// those of the text that the command line may set (`#ifndef N`). Of several the one with which the fewest processes are left.
pub fn find_size(session: &Session) -> Option<(String, String)> {
    if session.config().language != Language::Promela {
        return None;
    }
    let given = session.config().defines.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let written =
        session.sources().files().flat_map(|(_, file)| file.text().lines().filter_map(number_macro));
    let mut macros: Vec<(&str, &str)> = Vec::new();
    for (name, value) in given.rev().chain(written) {
        let is_size = value.parse::<u64>().is_ok_and(|size| size > 2);
        if is_size && macros.len() < MOST_MACROS && macros.iter().all(|(known, _)| *known != name) {
            macros.push((name, value));
        }
    }
    let size_of = |session: &Session| {
        let summary = session.summary();
        (summary.processes, summary.state_bits)
    };
    let whole = size_of(session);
    let left = |&(name, _): &(&str, &str)| {
        instance(session, name, 2).map(|small| size_of(&small)).filter(|&(processes, bits)| {
            processes <= whole.0 && bits <= whole.1 && (processes, bits) != whole
        })
    };
    let sizes = macros.iter().filter_map(|found| Some((left(found)?, found)));
    // The first of equals.
    let best = sizes.reduce(|best, other| if other.0 < best.0 { other } else { best });
    best.map(|(_, &(name, value))| (name.to_owned(), value.to_owned()))
}

/// The name and the text of a macro without parameters, from the line that defines it.
fn number_macro(line: &str) -> Option<(&str, &str)> {
    let mut words = line.trim_start().strip_prefix('#')?.split_whitespace();
    let (directive, name, value) = (words.next()?, words.next()?, words.next()?);
    (directive == "define" && words.next().is_none_or(|rest| rest.starts_with("/*"))).then_some((name, value))
}

/// The model with another size, if that is a model at all.
fn instance(session: &Session, name: &str, size: u64) -> Option<Session> {
    let mut model = session.config().clone();
    model.defines.retain(|(other, _)| other != name);
    model.defines.push((name.to_owned(), size.to_string()));
    Session::open(model).ok()
}

/// The moves of a shortest error of a small instance: of those that the smallest instances with an error suggest, the ones
/// that lead walks of a larger instance to its error soonest. An instance with one of everything is tried last: its errors are seldom those
/// of the others.
pub fn smaller_pattern(
    session: &Session,
    config: &RunConfig,
    name: &str,
    size: &str,
    effort: Effort,
    monitor: &mut dyn Monitor,
) -> Result<PatternTable, Failure> {
    let size: u64 = size.parse().map_err(|_| Failure::new(format!("--param {name}={size} is no number")))?;
    let tried: Vec<u64> = (2..size).take(effort.sizes).chain((size > 1).then_some(1)).collect();
    let asked_of = |mut session: Session| -> Option<(Session, Vec<PropertyId>)> {
        let properties = choose_properties(config, &mut session).ok()?;
        Some((session, properties))
    };
    // Where only some processes take part in the error, they are the same ones in every instance.
    let mut large = Session::open(session.config().clone())?;
    let asked = choose_properties(config, &mut large)?;
    let numbered = few_participants(large.model(), &asked).unwrap_or_default();
    let mut patterns = |size: u64| match instance(session, name, size).and_then(asked_of) {
        Some((small, properties)) => {
            patterns_of(small.model(), &properties, &numbered, effort.states, monitor)
        }
        None => Vec::new(),
    };
    let found =
        tried.iter().map(|&smaller| (smaller, patterns(smaller))).find(|(_, tables)| !tables.is_empty());
    let Some((smallest, mut candidates)) = found else {
        let tried: Vec<String> = tried.iter().map(u64::to_string).collect();
        return Err(Failure::new(format!(
            "no error within {} states of a smaller instance: tried {name}={}",
            effort.states,
            if tried.is_empty() { "nothing".to_owned() } else { tried.join(", ") }
        )));
    };
    let larger = (smallest + 1..=smallest + LARGER_SIZES).filter(|&larger| larger < size);
    candidates.extend(larger.flat_map(patterns));
    let trial = (smallest + UP_TO_TRIAL..size).next();
    let trial = trial.and_then(|size| instance(session, name, size)).and_then(asked_of);
    let (trial, properties) = trial.unwrap_or((large, asked));
    let first = candidates[0].clone();
    Ok(best_pattern(trial.model(), &properties, candidates, monitor).unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_without_parameters_are_read_off_their_lines() {
        assert_eq!(number_macro("#define N 3"), Some(("N", "3")));
        assert_eq!(number_macro("  # define  N\t12 /* so many */"), Some(("N", "12")));
        assert_eq!(number_macro("#define MAX(a) 3"), Some(("MAX(a)", "3")));
        for other in ["", "#define N", "#undef N 3", "define N 3", "#define N 3 + 1", "#if N > 3"] {
            assert_eq!(number_macro(other), None, "{other}");
        }
    }
}
