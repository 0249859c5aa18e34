//! Towards the end: a search for a shorter way that is guided by the end of the way at hand.
//!
//! A trace knows the state it wants to reach. How many bytes of a state differ from that one is a heuristic that
//! every system has for nothing: weighted best-first search (Pohl, "Heuristic search viewed as path finding in a
//! graph", Artificial Intelligence 1970), first with a large weight, for a way at all, then with smaller ones, for
//! shorter ways. The estimate is not a lower bound of anything, so what is found need not be shortest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fathom_model::System;

use crate::race::{Done, Watch};
use crate::way::{Follower, Hop, Way, shows};
use crate::window::Window;

/// Weights of the estimate against the steps taken, one search each.
const WEIGHTS: [u32; 3] = [8, 3, 1];

/// A shorter way, or the one at hand. Each search visits so many states.
pub(crate) fn shorten_toward<S: System>(
    system: &S,
    way: &Way,
    max_states: usize,
    max_bytes: usize,
    watch: &Watch<'_>,
) -> Way {
    let mut follower = Follower::new(system);
    let is_way = follower.start(way.initial) && way.hops.iter().all(|&hop| follower.take(hop));
    if !is_way {
        return way.clone();
    }
    let end = follower.state.clone();
    let mut shortest = way.clone();
    for weight in WEIGHTS {
        let mut search = Search { window: Window::new(), open: BinaryHeap::new(), end: &end, weight };
        if let Some(shorter) = search.run(system, &mut follower, &shortest, max_states, max_bytes, watch) {
            shortest = shorter;
        }
    }
    shortest
}

/// A search under way.
struct Search<'e, R> {
    window: Window<R>,
    /// Steps taken and weighted estimate together, the estimate, and the node.
    open: BinaryHeap<Reverse<(u32, u32, u32)>>,
    end: &'e [u8],
    weight: u32,
}

impl<R: fathom_model::Region> Search<'_, R> {
    fn run<S: System<Region = R>>(
        &mut self,
        system: &S,
        follower: &mut Follower<'_, S>,
        way: &Way,
        max_states: usize,
        max_bytes: usize,
        watch: &Watch<'_>,
    ) -> Option<Way> {
        follower.start(way.initial);
        self.window.add(&follower.state, follower.region().clone(), 0, 0, 0);
        self.open.push(Reverse((0, 0, 0)));
        let mut n_expanded = 0;
        while let Some(Reverse((_, _, node))) = self.open.pop() {
            n_expanded += 1;
            if n_expanded % 1024 == 0 && !watch.goes_on(Done { n_states: 1024, ..Done::default() }) {
                return None;
            }
            if self.window.len() >= max_states || self.window.bytes() >= max_bytes {
                return None;
            }
            let depth = self.window.depth(node);
            self.window.expand(system, follower, node as usize);
            if shows(&follower.steps, &way.evidence) {
                let choices = self.window.choices(node).into_iter();
                let hops = choices.map(|choice| Hop::among_all(choice as usize)).collect();
                return Some(Way { hops, ..way.clone() });
            }
            // A way through any of these is shorter only if it has a step to spare.
            if depth as usize + 1 < way.len() {
                self.add_steps(follower, node, depth + 1);
            }
        }
        None
    }

    fn add_steps<S: System<Region = R>>(&mut self, follower: &Follower<'_, S>, parent: u32, depth: u32) {
        let steps = &follower.steps;
        for index in 0..steps.len() {
            if let Some(node) = self.window.add_step(steps, index, parent, depth) {
                let estimate = difference(steps.state(index), self.end);
                self.open.push(Reverse((depth + self.weight * estimate, estimate, node)));
            }
        }
    }
}

/// Number of bytes in which two states differ.
fn difference(state: &[u8], other: &[u8]) -> u32 {
    let n_different = state.iter().zip(other).filter(|(one, other)| one != other).count();
    (n_different + state.len().abs_diff(other.len())) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_differ_in_bytes_and_in_length() {
        assert_eq!(difference(&[1, 2, 3], &[1, 2, 3]), 0);
        assert_eq!(difference(&[1, 2, 3], &[0, 2, 4]), 2);
        assert_eq!(difference(&[1], &[0, 2, 4]), 3);
    }
}
