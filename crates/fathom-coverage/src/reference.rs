//! The meaning of criteria: a function of a criterion and a whole execution, as the source writes it down.
//!
//! `A then B` looks for the shortest beginning of the execution that fulfils A, and gives B the rest. Quadratic and worse, and obvious.
//! [`Coverage`](crate::Coverage) has to agree with it after every event.

use std::collections::BTreeMap;

use crate::coverage::Universe;
use crate::criterion::{Criterion, Elementary, Join, Kind, Quantifier};
use crate::rate::Rate;

/// One event of an execution: items that were executed or visited, and values of variables.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Event {
    /// Actions, states, transitions.
    pub items: Vec<(Kind, String)>,
    /// Variables.
    pub values: Vec<(String, i64)>,
}

/// The rate of a criterion after an execution.
pub fn rate(criterion: &Criterion, universe: &Universe, execution: &[Event]) -> Rate {
    match criterion {
        Criterion::Elementary(leaf) => elementary(leaf, universe, execution),
        Criterion::Joined(left, Join::And, right) => {
            rate(left, universe, execution).min(rate(right, universe, execution))
        }
        Criterion::Joined(left, Join::Or, right) => {
            rate(left, universe, execution).max(rate(right, universe, execution))
        }
        Criterion::Joined(left, Join::Then, right) => {
            let fulfilled =
                (0..=execution.len()).find(|length| rate(left, universe, &execution[..*length]).is_full());
            match fulfilled {
                Some(length) => rate(right, universe, &execution[length..]).second_half(),
                None => rate(left, universe, execution).first_half(),
            }
        }
    }
}

fn elementary(leaf: &Elementary, universe: &Universe, execution: &[Event]) -> Rate {
    let known = universe.items.iter().filter(|(kind, item)| leaf.matches(*kind, item));
    let mut values: BTreeMap<&str, u64> = known.map(|(_, item)| (item.as_str(), 0)).collect();
    for event in execution {
        for (kind, item) in &event.items {
            if leaf.matches(*kind, item) {
                *values.entry(item).or_default() += 1;
            }
        }
        for (name, value) in &event.values {
            if leaf.matches(Kind::SystemVariables, name) {
                let largest = values.entry(name).or_default();
                *largest = (*largest).max(u64::try_from(*value).unwrap_or(0));
            }
        }
    }
    let least = u64::from(leaf.least);
    let capped = values.values().map(|value| *value.min(&least));
    match leaf.quantifier {
        Quantifier::Any => Rate::of(capped.max().unwrap_or(0), least),
        Quantifier::Every if values.is_empty() => Rate::NONE,
        Quantifier::Every => Rate::of(capped.sum(), least * values.len() as u64),
    }
}
