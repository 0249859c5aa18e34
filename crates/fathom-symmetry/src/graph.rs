//! Labelled graphs of which some vertices have names that do not matter.
//!
//! *Objects* are the vertices that a state names, each of a *sort*; *knots* are the anonymous ones that hold a
//! collection or a tuple together. Labels of vertices are multisets and edges have labels and a direction; there may
//! be several between the same two vertices. Everything is kept in flat vectors that are cleared and filled again:
//! there is a graph for every step of a search.

/// A vertex of a [`Graph`].
pub type Vertex = u32;

/// The sort of vertices without a name.
const KNOT: u64 = u64::MAX;

/// Two numbers in one, well mixed; the order matters.
#[inline]
pub fn mix(left: u64, right: u64) -> u64 {
    let product =
        u128::from(left ^ 0x9e37_79b9_7f4a_7c15) * u128::from(right.rotate_left(32) ^ 0xd6e8_feb8_6659_fd93);
    (product as u64) ^ (product >> 64) as u64
}

/// One end of an edge, as seen from the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Neighbour {
    /// The label of the edge, with its direction in it.
    pub(crate) label: u64,
    pub(crate) vertex: Vertex,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Vertex,
    to: Vertex,
    label: u64,
}

/// A labelled graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Of each vertex.
    sorts: Vec<u64>,
    /// Of each vertex: a sum, so that the order of marks does not matter.
    labels: Vec<u64>,
    /// The vertices that have names, in the order in which they were added.
    objects: Vec<Vertex>,
    edges: Vec<Edge>,
    /// Where the neighbours of each vertex start; one more than there are vertices.
    starts: Vec<u32>,
    neighbours: Vec<Neighbour>,
}

impl Graph {
    /// A graph without vertices.
    pub fn new() -> Graph {
        Graph::default()
    }

    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.sorts.clear();
        self.labels.clear();
        self.objects.clear();
        self.edges.clear();
        self.starts.clear();
        self.neighbours.clear();
    }

    /// Adds an object; its name is its place among the objects.
    ///
    /// # Panics
    ///
    /// When the sort is the largest number there is.
    pub fn add_object(&mut self, sort: u64) -> Vertex {
        assert_ne!(sort, KNOT, "the largest number is not a sort");
        let vertex = self.add_vertex(sort);
        self.objects.push(vertex);
        vertex
    }

    /// Adds a vertex without a name.
    pub fn add_knot(&mut self) -> Vertex {
        self.add_vertex(KNOT)
    }

    fn add_vertex(&mut self, sort: u64) -> Vertex {
        let vertex = self.sorts.len() as Vertex;
        self.sorts.push(sort);
        self.labels.push(mix(sort, 1));
        vertex
    }

    /// Adds to the label of a vertex.
    pub fn mark(&mut self, vertex: Vertex, label: u64) {
        let all = &mut self.labels[vertex as usize];
        *all = all.wrapping_add(mix(label, 2));
    }

    /// Adds an edge.
    pub fn add_edge(&mut self, from: Vertex, label: u64, to: Vertex) {
        self.edges.push(Edge { from, to, label });
    }

    /// Puts the edges in order, when all are there.
    pub fn finish(&mut self) {
        let n = self.sorts.len();
        self.starts.clear();
        self.starts.resize(n + 1, 0);
        for edge in &self.edges {
            self.starts[edge.from as usize] += 1;
            self.starts[edge.to as usize] += 1;
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.neighbours.clear();
        self.neighbours.resize(total as usize, Neighbour { label: 0, vertex: 0 });
        for edge in &self.edges {
            // Going backwards through the ends leaves each at its start.
            for (at, label, other) in
                [(edge.from, mix(edge.label, 3), edge.to), (edge.to, mix(edge.label, 4), edge.from)]
            {
                let start = &mut self.starts[at as usize];
                *start -= 1;
                self.neighbours[*start as usize] = Neighbour { label, vertex: other };
            }
        }
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.sorts.len()
    }

    /// The objects, in the order in which they were added.
    pub fn objects(&self) -> &[Vertex] {
        &self.objects
    }

    /// The sort of an object.
    pub fn sort(&self, object: Vertex) -> u64 {
        self.sorts[object as usize]
    }

    /// Bytes of memory.
    pub fn heap_size(&self) -> usize {
        16 * self.n_vertices() + 4 * self.objects.len() + 16 * self.edges.len() + 16 * self.neighbours.len()
    }

    pub(crate) fn label(&self, vertex: Vertex) -> u64 {
        self.labels[vertex as usize]
    }

    pub(crate) fn neighbours(&self, vertex: Vertex) -> &[Neighbour] {
        let vertex = vertex as usize;
        &self.neighbours[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}
