//! Drawing structured values as graphs.
//!
//! A value hangs at a [`Place`]: at the state itself, at an object, or at a knot, under a label that says which
//! variable, field or position it is. Values without objects become labels; objects become vertices; a tuple or a
//! collection needs a knot only where several values share one place, in a set for example (Ernits 2007 draws one for
//! every collection). A knot that would hold no more than two objects together is not drawn either: it becomes a
//! label or an edge. A map from objects to colours is a label of each object, a map from objects to objects is an edge
//! of each, and most states are graphs of their objects alone.

use std::collections::HashMap;

use crate::graph::{Graph, Vertex, mix};

/// What a value hangs at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holder {
    /// The state itself.
    State,
    Vertex(Vertex),
    /// The knot that was opened last.
    Knot,
}

/// Where a value is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    holder: Holder,
    label: u64,
    /// Nothing else is drawn at this place.
    is_single: bool,
}

impl Place {
    /// A variable of the state.
    pub fn variable(number: u64) -> Place {
        Place { holder: Holder::State, label: mix(number, 10), is_single: true }
    }

    /// A part of the value at this place: a field, a position, the value of a key that has no objects in it. Only
    /// at a place that was [opened](Drawing::open).
    pub fn part(self, number: u64) -> Place {
        Place { label: mix(self.label, number), ..self }
    }

    /// The place of the members of a collection at this place: they share it. Only at a place that was
    /// [opened](Drawing::open).
    pub fn member(self, kind: u64) -> Place {
        Place { label: mix(self.label, kind), is_single: false, ..self }
    }
}

/// An anonymous vertex that is being drawn.
#[derive(Clone, Copy, Debug)]
struct Knot {
    marks: u64,
    /// Where its edges start.
    start: usize,
}

/// Numbers of objects up to here are places in a vector; a program may use any others, which are looked up.
const MOST_PLACES: u32 = 1 << 16;
/// No object.
const NONE: u32 = u32::MAX;

/// A graph in the making.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    graph: Graph,
    knots: Vec<Knot>,
    /// Edges of the knots that are open.
    edges: Vec<(u64, Vertex)>,
    /// The sorts seen so far, of this drawing and of those before, and by number which object it is. There are few.
    index: Vec<(u64, Vec<u32>)>,
    /// Which object it is, of those with large numbers.
    far: HashMap<(u64, u32), u32>,
    /// Sort and number of each object.
    objects: Vec<(u64, u32)>,
    buffer: Vec<u8>,
}

impl Drawing {
    /// An empty drawing.
    pub fn new() -> Drawing {
        Drawing::default()
    }

    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.graph.clear();
        self.knots.clear();
        self.edges.clear();
        while let Some((sort, number)) = self.objects.pop() {
            if number < MOST_PLACES {
                self.of_sort(sort)[number as usize] = NONE;
            }
        }
        self.far.clear();
    }

    /// Draws a value without objects, known by a hash.
    pub fn plain(&mut self, place: Place, hash: u64) {
        let label = mix(place.label, hash);
        match place.holder {
            Holder::State => (),
            Holder::Vertex(vertex) => self.graph.mark(vertex, label),
            Holder::Knot => self.mark_knot(label),
        }
    }

    /// Memory to write a value into whose hash is to be drawn, so that none has to be asked for.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Draws an object.
    pub fn object(&mut self, place: Place, sort: u64, number: u32) {
        let vertex = self.vertex(sort, number);
        match place.holder {
            Holder::State => self.graph.mark(vertex, place.label),
            Holder::Vertex(holder) => self.graph.add_edge(holder, place.label, vertex),
            Holder::Knot => self.edges.push((place.label, vertex)),
        }
    }

    /// The place of what a map of the state has for an object, if the object itself can hold it; otherwise the pair of
    /// both has to be drawn.
    pub fn keyed(&mut self, place: Place, sort: u64, number: u32) -> Option<Place> {
        let holds = place.is_single && place.holder == Holder::State;
        holds.then(|| Place { holder: Holder::Vertex(self.vertex(sort, number)), ..place })
    }

    /// Begins a value that has parts or members and gives the place to draw them at. It ends with
    /// [`close`](Drawing::close), at the same place; what is begun in between ends before.
    pub fn open(&mut self, place: Place) -> Place {
        if place.is_single {
            return place;
        }
        self.knots.push(Knot { marks: 0, start: self.edges.len() });
        Place { holder: Holder::Knot, label: 0, is_single: true }
    }

    /// Ends a value that has parts or members.
    pub fn close(&mut self, place: Place) {
        if place.is_single {
            return;
        }
        let Knot { marks, start } = self.knots.pop().expect("a value ends where it was begun");
        match place.holder {
            Holder::State => self.tie(mix(place.label, marks), start),
            Holder::Vertex(holder) => {
                self.edges.push((mix(place.label, 11), holder));
                self.tie(mix(place.label, marks), start);
            }
            Holder::Knot => match self.edges[start..] {
                [] => self.mark_knot(mix(place.label, marks)),
                // An edge of the knot around it.
                [_] => {
                    let (label, _) = &mut self.edges[start];
                    *label = mix(mix(place.label, marks), *label);
                }
                _ => {
                    let knot = self.knot(marks, start);
                    self.edges.push((place.label, knot));
                }
            },
        }
    }

    /// Ties vertices together: by a label, an edge or a knot.
    fn tie(&mut self, marks: u64, start: usize) {
        match self.edges[start..] {
            [] => (),
            [(label, vertex)] => self.graph.mark(vertex, mix(marks, label)),
            [(left, from), (right, to)] => {
                let (small, large) = if left <= right { (from, to) } else { (to, from) };
                let label = mix(mix(marks, left.min(right)), left.max(right));
                self.graph.add_edge(small, label, large);
                if left == right {
                    self.graph.add_edge(large, label, small);
                }
            }
            _ => {
                self.knot(marks, start);
            }
        }
        self.edges.truncate(start);
    }

    /// Draws a knot that has these marks and the edges from a start on.
    fn knot(&mut self, marks: u64, start: usize) -> Vertex {
        let knot = self.graph.add_knot();
        self.graph.mark(knot, marks);
        for &(label, vertex) in &self.edges[start..] {
            self.graph.add_edge(knot, label, vertex);
        }
        self.edges.truncate(start);
        knot
    }

    fn mark_knot(&mut self, label: u64) {
        let knot = self.knots.last_mut().expect("a place in a knot is used while the knot is open");
        knot.marks = knot.marks.wrapping_add(mix(label, 12));
    }

    fn vertex(&mut self, sort: u64, number: u32) -> Vertex {
        if let Some(known) = self.index_of(sort, number) {
            return self.graph.objects()[known];
        }
        let n_objects = self.objects.len() as u32;
        if number < MOST_PLACES {
            let of_sort = self.of_sort(sort);
            let n_places = of_sort.len().max(number as usize + 1);
            of_sort.resize(n_places, NONE);
            of_sort[number as usize] = n_objects;
        } else {
            self.far.insert((sort, number), n_objects);
        }
        self.objects.push((sort, number));
        self.graph.add_object(sort)
    }

    #[inline]
    fn of_sort(&mut self, sort: u64) -> &mut Vec<u32> {
        let place = self.index.iter().position(|(other, _)| *other == sort).unwrap_or_else(|| {
            self.index.push((sort, Vec::new()));
            self.index.len() - 1
        });
        &mut self.index[place].1
    }

    /// The graph, when all is drawn.
    pub fn finish(&mut self) -> &Graph {
        debug_assert!(self.knots.is_empty(), "every value that was begun has ended");
        self.graph.finish();
        &self.graph
    }

    /// The graph that was finished.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Sort and number of each object of the graph.
    pub fn objects(&self) -> &[(u64, u32)] {
        &self.objects
    }

    /// Which object of the graph this is, if it was drawn.
    #[inline]
    pub fn index_of(&self, sort: u64, number: u32) -> Option<usize> {
        if number >= MOST_PLACES {
            return self.far.get(&(sort, number)).map(|&index| index as usize);
        }
        let (_, of_sort) = self.index.iter().find(|(other, _)| *other == sort)?;
        let index = *of_sort.get(number as usize)?;
        (index != NONE).then_some(index as usize)
    }
}
