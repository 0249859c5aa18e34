//! Isomorphism of two graphs, vertex by vertex.
//!
//! The check of the document on state isomorphism (Ernits 2007): vertices fall into buckets by labels that do not
//! depend on names, and both graphs are walked together from what is matched already, with a choice wherever several
//! vertices look alike. The document's recursion leaves open how a choice is taken back; here one list of matches is
//! extended and cut, chronologically. Its walk follows edges from the root; ours takes next what has the fewest
//! candidates, neighbours of what is matched first, so that functional edges leave no choice.

use crate::graph::{Graph, Neighbour, Vertex};
use crate::refine::Colours;

/// No partner.
const NONE: Vertex = Vertex::MAX;

/// A map from the objects of one graph to those of another that keeps labels and edges, by index; none when there is none.
///
/// Labels are hashes: that the map is right is to be seen by renaming.
pub fn isomorphism(left: &Graph, right: &Graph) -> Option<Vec<u32>> {
    if left.n_vertices() != right.n_vertices() || left.objects().len() != right.objects().len() {
        return None;
    }
    let (left_buckets, right_buckets) = (Buckets::of(left), Buckets::of(right));
    let same = left_buckets.sorted.iter().zip(&right_buckets.sorted).all(|(one, other)| one.0 == other.0);
    if !same {
        return None;
    }
    let n = left.n_vertices();
    let mut matching = Matching {
        left,
        right,
        left_buckets,
        right_buckets,
        to_right: vec![NONE; n],
        to_left: vec![NONE; n],
        order: Vec::new(),
    };
    matching.plan();
    if !matching.extend(0) {
        return None;
    }
    let index_of = |vertex: Vertex| right.objects().binary_search(&vertex).ok().map(|index| index as u32);
    left.objects().iter().map(|&object| index_of(matching.to_right[object as usize])).collect()
}

/// A number that isomorphic graphs have in common.
pub fn invariant(graph: &Graph) -> u64 {
    let mut colours = Colours::default();
    colours.start(graph);
    colours.refine_fully(graph);
    colours.invariant()
}

/// Vertices by colour.
struct Buckets {
    sorted: Vec<(u64, Vertex)>,
    colours: Vec<u64>,
}

impl Buckets {
    fn of(graph: &Graph) -> Buckets {
        let mut colours = Colours::default();
        colours.start(graph);
        // As many rounds for the one graph as for the other: enough for anything to be felt everywhere.
        colours.refine_fully(graph);
        let mut sorted: Vec<(u64, Vertex)> =
            colours.of.iter().enumerate().map(|(vertex, &colour)| (colour, vertex as Vertex)).collect();
        sorted.sort_unstable();
        Buckets { sorted, colours: colours.of }
    }

    fn bucket(&self, colour: u64) -> &[(u64, Vertex)] {
        let start = self.sorted.partition_point(|entry| entry.0 < colour);
        let end = self.sorted.partition_point(|entry| entry.0 <= colour);
        &self.sorted[start..end]
    }
}

struct Matching<'a> {
    left: &'a Graph,
    right: &'a Graph,
    left_buckets: Buckets,
    right_buckets: Buckets,
    to_right: Vec<Vertex>,
    to_left: Vec<Vertex>,
    /// The vertices of the left graph in the order in which they are matched.
    order: Vec<Vertex>,
}

impl Matching<'_> {
    /// Plans the walk: what looks like the fewest others first, then along edges.
    fn plan(&mut self) {
        let size =
            |vertex: Vertex| self.left_buckets.bucket(self.left_buckets.colours[vertex as usize]).len();
        let mut planned = vec![false; self.left.n_vertices()];
        let mut starts: Vec<Vertex> = (0..self.left.n_vertices() as Vertex).collect();
        starts.sort_by_key(|&vertex| size(vertex));
        let mut order: Vec<Vertex> = Vec::with_capacity(starts.len());
        for start in starts {
            let mut next = order.len();
            if !std::mem::replace(&mut planned[start as usize], true) {
                order.push(start);
            }
            while let Some(&vertex) = order.get(next) {
                next += 1;
                for neighbour in self.left.neighbours(vertex) {
                    if !std::mem::replace(&mut planned[neighbour.vertex as usize], true) {
                        order.push(neighbour.vertex);
                    }
                }
            }
        }
        self.order = order;
    }

    /// Matches what is planned from a place on; takes everything back when that fails.
    fn extend(&mut self, place: usize) -> bool {
        let Some(&vertex) = self.order.get(place) else { return true };
        let colour = self.left_buckets.colours[vertex as usize];
        let candidates: Vec<Vertex> =
            self.right_buckets.bucket(colour).iter().map(|&(_, candidate)| candidate).collect();
        for candidate in candidates {
            if self.to_left[candidate as usize] != NONE || !self.fits(vertex, candidate) {
                continue;
            }
            self.to_right[vertex as usize] = candidate;
            self.to_left[candidate as usize] = vertex;
            if self.extend(place + 1) {
                return true;
            }
            self.to_right[vertex as usize] = NONE;
            self.to_left[candidate as usize] = NONE;
        }
        false
    }

    /// Whether two vertices have the same edges to what is matched, and to themselves.
    fn fits(&self, vertex: Vertex, candidate: Vertex) -> bool {
        let matched = |around: &[Neighbour], own: Vertex, of: &dyn Fn(Vertex) -> Vertex| {
            let mut found: Vec<(u64, Vertex)> = around
                .iter()
                .map(|neighbour| {
                    let partner = if neighbour.vertex == own { NONE - 1 } else { of(neighbour.vertex) };
                    (neighbour.label, partner)
                })
                .filter(|&(_, partner)| partner != NONE)
                .collect();
            found.sort_unstable();
            found
        };
        let left = matched(self.left.neighbours(vertex), vertex, &|other| self.to_right[other as usize]);
        let is_matched = |other: Vertex| {
            if self.to_left[other as usize] == NONE { NONE } else { other }
        };
        left == matched(self.right.neighbours(candidate), candidate, &is_matched)
    }
}
