//! Depth-first pruned search that keeps the steps still to be tried.
//!
//! They lie in one buffer, as in [`fathom_search::depth_first`], without those whose bit was set already when they were
//! made. Nothing is computed twice.

use fathom_model::{Region, System};
use fathom_search::Random;

use crate::pruned::{BYTES_BETWEEN_LOOKS, Ended, Observer, Pruner, Told};
use crate::race::bytes_of_region;
use crate::way::Hop;

/// A step still to be tried.
pub(crate) struct Untried<R> {
    place: u64,
    choice: u32,
    length: u32,
    region: R,
}

/// A state on the path.
pub(crate) struct OnPath {
    choice: u32,
    /// Steps still to be tried of the states before.
    n_below: usize,
}

impl<S: System> Pruner<'_, S> {
    /// A depth-first search from the initial states in the buffer of steps.
    pub(crate) fn run_small<O: Observer>(&mut self, told: &mut Told<'_, O>) -> Ended {
        self.untried.clear();
        self.bytes.clear();
        self.path.clear();
        self.file_steps(told);
        let mut n_until_look = 0;
        loop {
            let n_below = self.path.last().map_or(0, |on_path| on_path.n_below);
            if self.untried.len() == n_below {
                if self.path.pop().is_none() {
                    return Ended::Exhausted;
                }
                continue;
            }
            let next = self.untried.pop().expect("a step is still to be tried");
            let start = self.bytes.len() - next.length as usize;
            if !self.table.set(next.place) {
                self.thrown.n_matched += 1;
                self.bytes.truncate(start);
                continue;
            }
            self.thrown.n_stored += 1;
            if n_until_look == 0 {
                if !self.report(told.watch) {
                    return Ended::GaveUp;
                }
                let bytes = (next.length as usize + bytes_of_region::<S::Region>()) * 4 + 64;
                n_until_look = (BYTES_BETWEEN_LOOKS / bytes).max(1) as u32;
            }
            n_until_look -= 1;
            self.steps.clear();
            let state = &self.bytes[start..];
            told.observer.entered(state);
            self.system.successors(state, &next.region, &mut self.scratch, &mut self.steps);
            self.bytes.truncate(start);
            let depth = self.path.len() as u32;
            self.thrown.n_transitions += self.steps.len() as u64;
            self.thrown.max_depth = self.thrown.max_depth.max(depth);
            if let Some(found) = self.first_wanted(told, depth) {
                let choices = self.path.iter().map(|on_path| on_path.choice).chain([next.choice]);
                return Self::found(choices.map(|choice| Hop::among_all(choice as usize)), found);
            }
            if depth < told.throw.max_depth {
                self.path.push(OnPath { choice: next.choice, n_below: self.untried.len() });
                self.file_steps(told);
            }
        }
    }

    /// Files the steps in the buffer to be tried later, the first on top. Those whose bit is set are dropped.
    #[inline]
    fn file_steps<O: Observer>(&mut self, told: &mut Told<'_, O>) {
        let n_steps = self.steps.len();
        let is_ordered = told.random.is_some() || self.heuristic.is_some();
        if is_ordered {
            self.order_steps(&mut told.random);
        }
        for rank in (0..n_steps).rev() {
            let index = if is_ordered { self.order[rank] as usize } else { rank };
            let (state, region) = (self.steps.state(index), self.steps.region(index));
            let place = self.table.place(state, region.fingerprint());
            let is_set = self.table.is_set(place);
            told.observer.generated(place, state, !is_set);
            if is_set {
                self.thrown.n_matched += 1;
                continue;
            }
            self.bytes.extend_from_slice(state);
            self.untried.push(Untried {
                place,
                choice: index as u32,
                length: state.len() as u32,
                region: region.clone(),
            });
        }
    }

    /// Puts the steps in the buffer in the order in which they are to be tried.
    fn order_steps(&mut self, random: &mut Option<Random>) {
        self.order.clear();
        self.order.extend(0..self.steps.len() as u32);
        if let Some(random) = random {
            random.shuffle(&mut self.order);
        }
        if let Some(heuristic) = self.heuristic {
            let steps = &self.steps;
            self.estimates.clear();
            self.estimates.extend(
                (0..steps.len()).map(|index| heuristic.estimate(steps.state(index), steps.region(index))),
            );
            self.order.sort_by_key(|&index| self.estimates[index as usize]);
        }
    }
}
