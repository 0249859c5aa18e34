//! Colour refinement: labels of vertices that know more and more of what is around them.
//!
//! The colour of a vertex is mixed with the colours of its neighbours, again and again, until no two vertices are told
//! apart that were not before (one-dimensional Weisfeiler-Leman; the document on state isomorphism asks for strong
//! labels without names and leaves the formula open, Ernits 2007). Colours are hashes of what does not depend on names,
//! so equal ones may be an accident and different ones never are. The neighbours are a multiset: their sum is
//! taken, and nothing has to be sorted but the colours themselves, to count them.

use crate::graph::{Graph, mix};

/// A colour for each vertex, and what is needed to refine it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colours {
    pub(crate) of: Vec<u64>,
    next: Vec<u64>,
    counter: Counter,
}

/// What is told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    /// Every object from every other.
    Apart,
    /// Some look like others.
    Alike,
}

impl Colours {
    /// The colours that labels alone give.
    pub(crate) fn start(&mut self, graph: &Graph) {
        self.of.clear();
        self.of.extend((0..graph.n_vertices() as u32).map(|vertex| graph.label(vertex)));
    }

    /// Takes over the colours of another.
    pub(crate) fn copy(&mut self, other: &Colours) {
        self.of.clone_from(&other.of);
    }

    /// Makes a vertex different from all others that look like it.
    pub(crate) fn single_out(&mut self, vertex: u32) {
        self.of[vertex as usize] = mix(self.of[vertex as usize], 5);
    }

    /// Makes vertices that look alike different, by their order.
    pub(crate) fn put_in_order(&mut self, vertices: impl Iterator<Item = u32>) {
        for (place, vertex) in vertices.enumerate() {
            self.of[vertex as usize] = mix(self.of[vertex as usize], 20 + place as u64);
        }
    }

    /// Refines until nothing more is told apart, or every object is told apart.
    pub(crate) fn refine(&mut self, graph: &Graph) -> Told {
        let has_knots = graph.objects().len() < self.of.len();
        let mut n_known = self.counter.count(self.of.iter().copied());
        loop {
            if n_known == self.of.len() || has_knots && self.tells_objects_apart(graph) {
                return Told::Apart;
            }
            self.round(graph);
            let n_now = self.counter.count(self.of.iter().copied());
            if n_now <= n_known {
                return Told::Alike;
            }
            n_known = n_now;
        }
    }

    /// Refines until nothing more is told apart, once more when everything is: every colour has felt its neighbours.
    pub(crate) fn refine_fully(&mut self, graph: &Graph) {
        let mut n_known = 0;
        loop {
            self.round(graph);
            let n_now = self.counter.count(self.of.iter().copied());
            if n_now <= n_known {
                break;
            }
            n_known = n_now;
        }
    }

    /// Mixes every colour with those around it.
    fn round(&mut self, graph: &Graph) {
        self.next.clear();
        for (vertex, &colour) in self.of.iter().enumerate() {
            let around = graph.neighbours(vertex as u32).iter();
            let sum = around.fold(0_u64, |sum, neighbour| {
                sum.wrapping_add(mix(neighbour.label, self.of[neighbour.vertex as usize]))
            });
            self.next.push(mix(colour, sum));
        }
        std::mem::swap(&mut self.of, &mut self.next);
    }

    fn tells_objects_apart(&mut self, graph: &Graph) -> bool {
        let colours = graph.objects().iter().map(|&object| self.of[object as usize]);
        self.counter.count(colours) == graph.objects().len()
    }

    /// The same for isomorphic graphs in which the same was singled out.
    pub(crate) fn invariant(&self) -> u64 {
        self.of.iter().fold(0, |sum, &colour| sum.wrapping_add(mix(colour, 6)))
    }
}

/// Counts different numbers that look random.
#[derive(Clone, Debug, Default)]
struct Counter {
    /// A hash table: numbers, and the count in which they were put there.
    slots: Vec<(u64, u64)>,
    turn: u64,
}

impl Counter {
    fn count(&mut self, numbers: impl ExactSizeIterator<Item = u64>) -> usize {
        let n_slots = (numbers.len() * 2).next_power_of_two().max(16);
        if self.slots.len() < n_slots {
            self.slots.clear();
            self.slots.resize(n_slots, (0, 0));
        }
        self.turn += 1;
        let mask = self.slots.len() - 1;
        let mut n_different = 0;
        for number in numbers {
            let mut place = number as usize & mask;
            loop {
                let slot = &mut self.slots[place];
                if slot.1 != self.turn {
                    *slot = (number, self.turn);
                    n_different += 1;
                    break;
                }
                if slot.0 == number {
                    break;
                }
                place = (place + 1) & mask;
            }
        }
        n_different
    }
}
