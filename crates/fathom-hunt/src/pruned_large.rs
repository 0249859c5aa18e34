//! Depth-first pruned search that asks for steps again on the way back.
//!
//! Only what is different from state to state is kept ([`crate::delta`]), and steps are asked for by portions. Thousands
//! of processes with thousands of steps each cost neither memory nor time for the steps that are never tried. Findings about
//! steps come with their portions, so some are seen later than with small states.

use fathom_model::{Evidence, PropertyId, Region, System};

use crate::pruned::{Ended, Observer, Pruner, Told};
use crate::race::bytes_of_region;
use crate::way::Hop;

/// A state on the path.
#[derive(Clone, Copy)]
pub(crate) struct Level {
    /// How it was reached.
    hop: Hop,
    /// Whether nothing was asked about it yet.
    is_fresh: bool,
    n_portions: u32,
    /// Where to begin among the portions.
    first: u32,
    /// The portion to ask next, counted from `first`.
    next: u32,
    /// The portion whose steps are tried now, if any.
    at: Option<u32>,
    /// Steps of it that were tried.
    n_tried: u32,
    /// Whether it has a step.
    moves: bool,
}

impl<S: System> Pruner<'_, S> {
    /// A depth-first search from the initial states in the buffer of steps.
    pub(crate) fn run_large<O: Observer>(&mut self, told: &mut Told<'_, O>) -> Ended {
        self.delta.clear();
        self.levels.clear();
        // One initial state after the other; large systems have one.
        for initial in 0..self.steps.len() {
            self.steps.clear();
            self.system.initial(&mut self.scratch, &mut self.steps);
            let place = self.table.place(self.steps.state(initial), self.steps.region(initial).fingerprint());
            let is_new = self.table.set(place);
            told.observer.generated(place, self.steps.state(initial), is_new);
            if !is_new {
                continue;
            }
            told.observer.entered(self.steps.state(initial));
            self.enter(initial, Hop::among_all(initial));
            if let Some(ended) = self.explore_large(told) {
                return ended;
            }
        }
        Ended::Exhausted
    }

    fn explore_large<O: Observer>(&mut self, told: &mut Told<'_, O>) -> Option<Ended> {
        let mut n_bytes = 0;
        while let Some(mut level) = self.levels.pop() {
            let depth = self.levels.len() as u32;
            let found = self.ask_next(&mut level, told, depth);
            let is_finished = level.at.is_none() || depth >= told.throw.max_depth;
            self.levels.push(level);
            if let Some(found) = found {
                return Some(Self::found(self.levels.iter().map(|level| level.hop), found));
            }
            let n_tries = self.thrown.n_stored + self.thrown.n_matched;
            if told.throw.max_tries.is_some_and(|max_tries| n_tries > max_tries) {
                return Some(Ended::Exhausted);
            }
            n_bytes +=
                64 + (self.delta.top().0.len() + bytes_of_region::<S::Region>()) * (1 + self.steps.len());
            if !self.goes_on(&mut n_bytes, told.watch) {
                return Some(Ended::GaveUp);
            }
            // At the bound, a state is looked at but not left.
            if is_finished {
                self.levels.pop();
                self.delta.pop();
            } else if let Some(hop) = self.choose(told) {
                told.observer.entered(self.steps.state(hop.index as usize));
                self.enter(hop.index as usize, hop);
            }
        }
        None
    }

    /// Asks for the steps of the state on top that come next; there are none when no portion is tried
    /// afterwards. Gives what was found.
    fn ask_next<O>(
        &mut self,
        level: &mut Level,
        told: &mut Told<'_, O>,
        depth: u32,
    ) -> Option<(Evidence, PropertyId)> {
        self.steps.clear();
        let (state, region) = self.delta.top();
        if level.is_fresh {
            let n_portions = self.system.portions(state, region, &mut self.scratch, &mut self.steps);
            level.is_fresh = false;
            level.n_portions = n_portions as u32;
            level.first = told.random.as_mut().map_or(0, |random| random.below(n_portions.max(1))) as u32;
        }
        let n = level.n_portions;
        if level.at == Some(Hop::ALL) {
            self.system.successors(state, region, &mut self.scratch, &mut self.steps);
        } else if let Some(at) = level.at {
            self.system.portion(
                at as usize..at as usize + 1,
                state,
                region,
                &mut self.scratch,
                &mut self.steps,
            );
        } else {
            while level.next < n && self.steps.is_empty() {
                // From `first` to the end, then from 0 on.
                let (from, to) = match level.first + level.next {
                    from if from < n => (from, n),
                    from => (from - n, level.first),
                };
                let among = from as usize..to as usize;
                let next =
                    self.system.portion(among, state, region, &mut self.scratch, &mut self.steps) as u32;
                level.next += next - from;
                level.at = (!self.steps.is_empty()).then_some(next.wrapping_sub(1));
            }
            level.moves |= level.at.is_some();
            if level.at.is_none() && !level.moves {
                level.moves = true;
                level.at = Some(Hop::ALL);
                self.system.successors(state, region, &mut self.scratch, &mut self.steps);
            }
            self.thrown.n_transitions += self.steps.len() as u64;
        }
        self.first_wanted(told, depth)
    }

    /// The first step in the buffer that was not tried yet and whose bit is not set; sets it.
    fn choose<O: Observer>(&mut self, told: &mut Told<'_, O>) -> Option<Hop> {
        let level = self.levels.last_mut()?;
        let portion = level.at?;
        while (level.n_tried as usize) < self.steps.len() {
            let index = level.n_tried as usize;
            level.n_tried += 1;
            let (state, region) = (self.steps.state(index), self.steps.region(index));
            let place = self.table.place(state, region.fingerprint());
            let is_new = self.table.set(place);
            told.observer.generated(place, state, is_new);
            if is_new {
                return Some(Hop { portion, index: index as u32 });
            }
            self.thrown.n_matched += 1;
        }
        level.at = None;
        level.n_tried = 0;
        None
    }

    /// Puts the state of a step in the buffer on top of the path.
    fn enter(&mut self, index: usize, hop: Hop) {
        self.thrown.n_stored += 1;
        let (state, region) = (self.steps.state(index), self.steps.region(index).clone());
        self.delta.push(state, region);
        self.levels.push(Level {
            hop,
            is_fresh: true,
            n_portions: 0,
            first: 0,
            next: 0,
            at: None,
            n_tried: 0,
            moves: false,
        });
        self.thrown.max_depth = self.thrown.max_depth.max(self.levels.len() as u32 - 1);
    }
}
