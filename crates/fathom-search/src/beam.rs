//! Beam search: breadth-first, but of every layer only the states that look nearest are expanded.
//!
//! Source: Bisiani, "Beam search", in the *Encyclopedia of Artificial Intelligence* (1987). Memory and time grow with
//! the width and the depth, not with the number of states; what is left out is never seen again. So an end without
//! evidence says nothing, unless the beam was never narrower than a layer.

use fathom_model::{Region, Steps, Stop, System, Trust};
use fathom_store::{ExactStore, Keep, PackedStore, Store};

use crate::best_first::{Estimate, Node, way_to};
use crate::frontier::{Frontier, Reached};
use crate::options::{Monitor, Options};
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
        fit_to_sample(system, &mut store);
        return run(system, &mut store, estimate, width, options, monitor);
    }
    let mut store: ExactStore<S::Region> = ExactStore::new(Keep::Covered);
    fit_to_sample(system, &mut store);
    run(system, &mut store, estimate, width, options, monitor)
}

fn run<S: System, St: Store<S::Region>>(
    system: &S,
    store: &mut St,
    estimate: &Estimate<'_, S::Region>,
    width: usize,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    let mut layers = Layers::<'_, S::Region, St>::new(estimate, width.max(1));
    let outcome = search(system, store, &mut layers, options, monitor);
    if !layers.has_left_out {
        return outcome;
    }
    let stop = if outcome.stop == Stop::Exhausted { Stop::States } else { outcome.stop };
    Outcome { stop, trust: Trust::Sampled, ..outcome }
}

/// The rest of a layer, and the next one.
struct Layers<'h, R: Region, St: Store<R>> {
    estimate: &'h Estimate<'h, R>,
    width: usize,
    nodes: Vec<Node>,
    /// To be expanded, the nearest last.
    layer: Vec<u32>,
    /// Reached from this layer: estimate and node.
    next: Vec<(u32, u32)>,
    has_left_out: bool,
    current: Option<u32>,
    from: Vec<u8>,
    opened: St::Opened,
}

impl<'h, R: Region, St: Store<R>> Layers<'h, R, St> {
    fn new(estimate: &'h Estimate<'h, R>, width: usize) -> Layers<'h, R, St> {
        Layers {
            estimate,
            width,
            nodes: Vec::new(),
            layer: Vec::new(),
            next: Vec::new(),
            has_left_out: false,
            current: None,
            from: Vec::new(),
            opened: St::Opened::default(),
        }
    }
}

impl<R: Region, St: Store<R>> Frontier<R, St> for Layers<'_, R, St> {
    fn add<L>(&mut self, steps: &Steps<R, L>, depth: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        let parent = self.current.map_or(0, |number| number + 1);
        for index in 0..steps.len() {
            let (state, region) = (steps.state(index), steps.region(index));
            let key = reached.key(state, &mut self.opened)?;
            let Some(id) = reached.insert(key, state, region, depth)? else { continue };
            let number = u32::try_from(self.nodes.len()).ok().filter(|&number| number < u32::MAX);
            let number = number.ok_or(Stop::Memory)?;
            self.nodes.push(Node { id, parent, choice: index as u32, depth });
            let from = self.current.map(|_| self.from.as_slice());
            self.next.push(((self.estimate)(from, state, region), number));
        }
        Ok(())
    }

    fn flush(&mut self, _: &mut Reached<'_, St>) -> Result<(), Stop> {
        Ok(())
    }

    fn n_held_back(&self) -> usize {
        0
    }

    fn next(&mut self, reached: &mut Reached<'_, St>) -> Result<bool, Stop> {
        loop {
            if self.layer.is_empty() {
                self.next.sort_unstable();
                self.has_left_out |= self.next.len() > self.width;
                self.next.truncate(self.width);
                self.layer.extend(self.next.drain(..).rev().map(|(_, number)| number));
            }
            let Some(number) = self.layer.pop() else { return Ok(false) };
            self.current = Some(number);
            if !reached.may_skip(self.nodes[number as usize].id) {
                return Ok(true);
            }
        }
    }

    fn current<'a>(&'a mut self, store: &'a St) -> (&'a [u8], &'a R) {
        let number = self.current.expect("a frontier stands at a state");
        let (state, region) = store.open(self.nodes[number as usize].id, &mut self.opened);
        self.from.clear();
        self.from.extend_from_slice(state);
        (state, region)
    }

    fn key(&mut self, state: &[u8], store: &mut St) -> Option<St::Key> {
        store.key(state, &mut self.opened)
    }

    fn depth(&self) -> u32 {
        self.current.map_or(0, |number| self.nodes[number as usize].depth)
    }

    fn way(&self) -> Vec<u32> {
        way_to(&self.nodes, self.current)
    }

    fn n_pending(&self) -> usize {
        self.layer.len() + self.next.len()
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.layer.capacity() * size_of::<u32>()
            + self.next.capacity() * size_of::<(u32, u32)>()
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
