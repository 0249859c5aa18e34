//! What a successful pruned search has taken for equal.
//!
//! A search that succeeds with a table of a few hundred bits shows that telling so many classes of states apart was
//! enough. This report repeats the search and collects the classes: the states that met on one bit, first come
//! first; everything that was not met is one more class. [`Distinguished::role`] says of anything that can be read off a
//! state, such as a variable, how the partition depends on it: a variable that differs inside classes as often as
//! anywhere was not needed to tell states apart; one that never does always was.
//!
//! Source: Ernits 2007, the distinguishing function; the roles are an addition. The classes belong to a hash function,
//! so a variable is only a candidate for one that can be left out.

use std::collections::{BTreeMap, BTreeSet};

use fathom_guide::Heuristic;
use fathom_model::System;
use fathom_search::NoMonitor;

use crate::isr::Hit;
use crate::pruned::{Observer, Pruner};
use crate::race::{Board, run_alone};
use crate::wanted::Wanted;

/// What a pruned search has taken for equal.
#[derive(Clone, PartialEq, Debug)]
pub struct Distinguished {
    /// The different states that were generated, in order.
    pub states: Vec<Vec<u8>>,
    /// The classes, each by the indices of its states, the representative first; in the order of the representatives.
    pub classes: Vec<Vec<usize>>,
}

/// How a partition depends on something that can be read off a state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Role {
    /// Number of different values.
    pub n_values: usize,
    /// Number of classes in which it has more than one value.
    pub n_mixed_classes: usize,
    /// Share of the members of classes that differ from their representative here.
    pub differs_inside: f64,
    /// Share of pairs of states far apart in the search that differ here: what to expect of something that plays
    /// no role.
    pub differs_anywhere: f64,
}

impl Role {
    /// Whether states that differ here were always told apart.
    pub fn is_always_told(&self) -> bool {
        self.n_values > 1 && self.n_mixed_classes == 0
    }
}

impl Distinguished {
    /// The role of something, given its value in each state, in the order of the states.
    ///
    /// # Panics
    ///
    /// When there is not one value for each state.
    pub fn role<T: Ord>(&self, values: &[T]) -> Role {
        assert_eq!(values.len(), self.states.len(), "one value for each state");
        let (mut n_members, mut n_different, mut n_mixed_classes) = (0, 0, 0);
        for class in &self.classes {
            let first = &values[class[0]];
            let here = class[1..].iter().filter(|&&state| values[state] != *first).count();
            n_members += class.len() - 1;
            n_different += here;
            n_mixed_classes += usize::from(here > 0);
        }
        // Pairs that have nothing to do with each other: states half of the list apart.
        let half = values.len() / 2;
        let n_pairs = if half == 0 { 0 } else { values.len() - half };
        let n_anywhere = (0..n_pairs).filter(|&index| values[index] != values[index + half]).count();
        let share = |count: usize, of: usize| if of == 0 { 0.0 } else { count as f64 / of as f64 };
        Role {
            n_values: values.iter().collect::<BTreeSet<_>>().len(),
            n_mixed_classes,
            differs_inside: share(n_different, n_members),
            differs_anywhere: share(n_anywhere, n_pairs),
        }
    }
}

/// Collects classes.
#[derive(Default)]
struct Classes {
    by_place: BTreeMap<u64, Vec<usize>>,
    known: BTreeSet<Vec<u8>>,
    states: Vec<Vec<u8>>,
}

impl Observer for Classes {
    fn generated(&mut self, place: u64, state: &[u8], _: bool) {
        if self.known.insert(state.to_vec()) {
            self.by_place.entry(place).or_default().push(self.states.len());
            self.states.push(state.to_vec());
        }
    }
}

/// Repeats a search that found something, guided as it was, and reports what it took for equal. Meant for small
/// tables: every state that the search generates is kept.
pub fn distinguish<S: System>(
    system: &S,
    hit: &Hit,
    heuristic: Option<&dyn Heuristic<S::Region>>,
) -> Distinguished {
    let mut classes = Classes::default();
    let mut wanted = Wanted::anything(&[hit.property]);
    wanted.tighten(hit.property, hit.length as u32);
    run_alone(&Board::new(), &mut NoMonitor, |watch| {
        Pruner::new(system).guided_by(heuristic).run(&hit.throw, &wanted, &mut classes, watch)
    });
    let mut collected: Vec<Vec<usize>> = classes.by_place.into_values().collect();
    collected.sort_by_key(|class| class[0]);
    Distinguished { states: classes.states, classes: collected }
}
