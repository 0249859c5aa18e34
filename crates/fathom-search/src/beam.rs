//! Beam search: breadth-first, but of every layer only the states that look nearest are expanded.
//!
//! Source: Bisiani, "Beam search", in the *Encyclopedia of Artificial Intelligence* (1987). Memory and time grow with
//! the width and the depth, not with the number of states; what is left out is never seen again. So an end without
//! evidence says nothing, unless the beam was never narrower than a layer.

use fathom_model::{Region, Stop, System, Trust};
use fathom_store::{ExactStore, Keep, PackedStore, Store};

use crate::best_first::Estimate;
use crate::options::{Monitor, Options};
use crate::ordered::{Arrival, Ordered, TakesTurns};
use crate::outcome::Outcome;
use crate::sample::fit_to_sample;
use crate::search::search;

/// Explores layer by layer, at most so many states of each. When states were left out and nothing was found, the search
/// counts as stopped by a limit on states.
pub fn beam<S: System>(
    system: &S,
    estimate: &Estimate<'_, S::Region>,
    width: usize,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    if size_of::<S::Region>() == 0 {
        let mut store: PackedStore<S::Region> = PackedStore::new();
        fit_to_sample(system, options, &mut store);
        return beam_in(system, &mut store, estimate, width, options, monitor);
    }
    let mut store: ExactStore<S::Region> = ExactStore::new(Keep::Covered);
    fit_to_sample(system, options, &mut store);
    beam_in(system, &mut store, estimate, width, options, monitor)
}

/// The same, with a store of the caller's.
pub fn beam_in<S: System, St: Store<S::Region>>(
    system: &S,
    store: &mut St,
    estimate: &Estimate<'_, S::Region>,
    width: usize,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    let mut layers = Ordered::new(Layers::new(estimate, width.max(1)));
    let outcome = search(system, store, &mut layers, options, monitor);
    if !layers.order.has_left_out {
        return outcome;
    }
    let stop = if outcome.stop == Stop::Exhausted { Stop::States } else { outcome.stop };
    Outcome { stop, trust: Trust::Sampled, ..outcome }
}

/// The rest of a layer, and the next one.
struct Layers<'h, R: Region> {
    estimate: &'h Estimate<'h, R>,
    width: usize,
    /// To be expanded, the nearest last.
    layer: Vec<u32>,
    /// Reached from this layer: estimate and number.
    next: Vec<(u32, u32)>,
    has_left_out: bool,
}

impl<'h, R: Region> Layers<'h, R> {
    fn new(estimate: &'h Estimate<'h, R>, width: usize) -> Layers<'h, R> {
        Layers { estimate, width, layer: Vec::new(), next: Vec::new(), has_left_out: false }
    }
}

impl<R: Region> TakesTurns<R> for Layers<'_, R> {
    const LOOKS_BACK: bool = true;

    fn put(&mut self, number: u32, reached: Arrival<'_, R>) {
        self.next.push(((self.estimate)(reached.from, reached.state, reached.region), number));
    }

    fn take(&mut self) -> Option<u32> {
        if self.layer.is_empty() {
            self.next.sort_unstable();
            self.has_left_out |= self.next.len() > self.width;
            self.next.truncate(self.width);
            self.layer.extend(self.next.drain(..).rev().map(|(_, number)| number));
        }
        self.layer.pop()
    }

    fn n_waiting(&self) -> usize {
        self.layer.len() + self.next.len()
    }

    fn bytes(&self) -> usize {
        self.layer.capacity() * size_of::<u32>() + self.next.capacity() * size_of::<(u32, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoMonitor, breadth_first, replay};
    use fathom_model::{NoRegion, PropertyId};
    use fathom_testing::systems::Graph;

    fn options() -> Options {
        Options { properties: vec![PropertyId(0)], ..Options::default() }
    }

    /// A square of numbers with steps right and down, and a goal in the far corner.
    fn square(side: u32, has_goal: bool) -> Graph {
        let edges = (0..side * side)
            .map(|state| {
                let right = (state % side + 1 < side).then_some(state + 1);
                let down = (state + side < side * side).then_some(state + side);
                right.into_iter().chain(down).collect()
            })
            .collect();
        let findings = if has_goal { vec![(side * side - 1, PropertyId(0), None)] } else { Vec::new() };
        Graph { initial: vec![0], edges, findings, ..Graph::default() }
    }

    #[test]
    fn a_narrow_beam_finds_the_goal_with_few_states() {
        let graph = square(40, true);
        let exact = |_: Option<&[u8]>, state: &[u8], _: &NoRegion| {
            let state = Graph::decode(state);
            78 - state % 40 - state / 40
        };
        for width in [1, 3] {
            let outcome = beam(&graph, &exact, width, &options(), &mut NoMonitor);
            let trace = outcome.evidence[0].1.as_ref().unwrap();
            assert_eq!(trace.choices.len(), 78);
            replay(&graph, trace).unwrap();
            assert!(outcome.statistics.states <= 78 * (2 * width as u64) + 1);
        }
    }

    #[test]
    fn only_a_beam_that_left_nothing_out_proves() {
        let graph = square(10, false);
        let flat = |_: Option<&[u8]>, _: &[u8], _: &NoRegion| 0;
        let narrow = beam(&graph, &flat, 3, &options(), &mut NoMonitor);
        assert_eq!((narrow.stop, narrow.trust), (Stop::States, Trust::Sampled));
        let wide = beam(&graph, &flat, 100, &options(), &mut NoMonitor);
        assert_eq!((wide.stop, wide.trust), (Stop::Exhausted, Trust::Complete));
        let all = breadth_first(&graph, &options(), &mut NoMonitor);
        assert_eq!(wide.statistics.states, all.statistics.states);
    }
}
