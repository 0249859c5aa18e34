//! What is looked for, and the best that was found so far.

use fathom_model::{Finding, PropertyId, Steps};

use crate::way::Way;

/// The properties in question, each with the best evidence so far.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Property, and most steps that evidence about it may take to be better than what there is.
    entries: Vec<(PropertyId, u32)>,
}

impl Wanted {
    /// Anything about these properties, at any depth.
    pub fn anything(properties: &[PropertyId]) -> Wanted {
        Wanted { entries: properties.iter().map(|&property| (property, u32::MAX)).collect() }
    }

    /// From now on only ways with at most so many steps count for a property.
    pub fn tighten(&mut self, property: PropertyId, most_steps: u32) {
        for entry in self.entries.iter_mut().filter(|entry| entry.0 == property) {
            entry.1 = entry.1.min(most_steps);
        }
    }

    /// Forgets a property: it is not looked for any more.
    pub fn drop(&mut self, property: PropertyId) {
        self.entries.retain(|entry| entry.0 != property);
    }

    /// Whether nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Most steps that anything looked for may take.
    pub fn most_steps(&self) -> u32 {
        self.entries.iter().map(|entry| entry.1).max().unwrap_or(0)
    }

    /// Whether evidence about a property after so many steps counts.
    pub fn wants(&self, property: PropertyId, n_steps: u32) -> bool {
        self.entries.iter().any(|&(wanted, most)| wanted == property && n_steps <= most)
    }

    /// The first finding in a buffer that is looked for, after this many steps.
    #[inline]
    pub fn first<'a, R, L>(&self, steps: &'a Steps<R, L>, n_steps: u32) -> Option<&'a Finding> {
        if steps.findings().is_empty() {
            return None;
        }
        steps.findings().iter().find(|finding| self.wants(finding.property, n_steps))
    }
}

/// Keeps a way in a list of the best for each property, if it is better. Says whether it is.
pub(crate) fn keep_best(best: &mut [(PropertyId, Option<Way>)], property: PropertyId, way: Way) -> bool {
    let Some(entry) = best.iter_mut().find(|entry| entry.0 == property) else { return false };
    let is_better = entry.1.as_ref().is_none_or(|old| way.len() < old.len());
    if is_better {
        entry.1 = Some(way);
    }
    is_better
}
