//! Canonical forms: the same bytes for all states that differ in names only.
//!
//! Refinement tells most objects apart. Where it does not, one of those that look alike is singled out and refinement goes on,
//! for each of them in turn: a search tree whose leaves are choices of names. The least of what the leaves write is the
//! canonical form. Two leaves that write the same show an automorphism, and what an automorphism maps to a part of the
//! tree that was searched need not be searched (McKay 1981; McKay and Piperno 2014). Objects with the very same
//! neighbours are put in any order without a search, and so are those of which any two can be exchanged: if exchanging each with the next
//! writes the same bytes, all orders do. Many objects that each know all others alike would take as many nodes as there are pairs of them.
//!
//! Where we differ: the leaves are not compared as graphs. The caller writes the state under the names of the leaf, and
//! these bytes are compared, so that hashes in the graph need not be exact; knots need no names; and when the tree is
//! larger than the bound, the least so far is taken. That is some state of the class and not always the same one: states are
//! stored twice then, and none is lost.

use std::cmp::Ordering;

use crate::graph::{Graph, Vertex};
use crate::refine::{Colours, Told};

/// How many nodes of a search tree are looked at.
const MOST_NODES: usize = 20_000;

/// Fewest objects that look alike for which it is worth while to see whether any two can be exchanged.
const FEWEST_TO_EXCHANGE: usize = 4;

/// Finds canonical forms; keeps its memory from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Labeller {
    levels: Vec<Colours>,
    naming: Naming,
    /// What the leaf at hand has written.
    bytes: Vec<u8>,
    best: Leaf,
    /// Automorphisms: where they take each object, by index.
    automorphisms: Vec<Vec<u32>>,
    n_nodes: usize,
    exchange: Exchange,
}

/// A choice of names.
#[derive(Clone, Debug, Default)]
struct Leaf {
    is_some: bool,
    /// What it writes, if someone has asked already.
    bytes: Vec<u8>,
    is_written: bool,
    /// By index of object: the name within its sort.
    names: Vec<u32>,
    /// The objects singled out on the way, by vertex.
    path: Vec<Vertex>,
    /// What the nodes on the way look like.
    invariants: Vec<u64>,
}

/// The way from the root to a node of the tree.
#[derive(Debug, Default)]
struct Way {
    path: Vec<Vertex>,
    invariants: Vec<u64>,
    /// It looks better than the way to the best leaf already.
    is_better: bool,
}

impl Labeller {
    /// One that has seen nothing yet.
    pub fn new() -> Labeller {
        Labeller::default()
    }

    /// The names that give a state with this graph its canonical form: by index of object, a number within its sort, from
    /// 0 on without gaps. `write` writes the state with given names; it is not asked when there is only one choice.
    pub fn canonical(&mut self, graph: &Graph, write: &mut dyn FnMut(&[u32], &mut Vec<u8>)) -> &[u32] {
        self.best.is_some = false;
        self.automorphisms.clear();
        self.n_nodes = 0;
        self.level(0);
        self.levels[0].start(graph);
        self.descend(graph, 0, &mut Way::default(), write);
        &self.best.names
    }

    /// Whether the form found last is canonical: the bound on the search was not reached.
    pub fn is_canonical(&self) -> bool {
        self.n_nodes < MOST_NODES
    }

    fn level(&mut self, level: usize) {
        if self.levels.len() <= level {
            self.levels.push(Colours::default());
        }
    }

    /// Searches below a node, and gives the level of the node to go on with.
    fn descend(
        &mut self,
        graph: &Graph,
        level: usize,
        way: &mut Way,
        write: &mut dyn FnMut(&[u32], &mut Vec<u8>),
    ) -> usize {
        self.n_nodes += 1;
        let colours = &mut self.levels[level];
        let mut told = colours.refine(graph);
        while told == Told::Alike {
            self.naming.sort(graph, colours);
            // What is told apart by nothing but the order in which it is looked at.
            let is_broken = self.naming.break_twins(graph, colours)
                || self.exchange.break_interchangeable(graph, &self.naming, colours, write);
            if !is_broken {
                break;
            }
            told = colours.refine(graph);
        }
        if level > 0 || told == Told::Alike {
            let invariant = colours.invariant();
            if self.best.is_some && !way.is_better {
                match self.best.invariants.get(level).map(|best| invariant.cmp(best)) {
                    Some(Ordering::Greater) | None => return level,
                    Some(Ordering::Less) => way.is_better = true,
                    Some(Ordering::Equal) => (),
                }
            }
            way.invariants.push(invariant);
        }
        let cell = if told == Told::Alike { self.naming.smallest_cell() } else { None };
        let Some(cell) = cell else {
            let back = self.leaf(graph, level, way, write);
            way.invariants.truncate(level);
            return back;
        };
        let mut tried: Vec<Vertex> = Vec::new();
        for &vertex in &cell {
            if self.is_like_one_tried(graph, vertex, &tried, &way.path) {
                continue;
            }
            tried.push(vertex);
            self.level(level + 1);
            let (above, below) = self.levels.split_at_mut(level + 1);
            below[0].copy(&above[level]);
            below[0].single_out(vertex);
            way.path.push(vertex);
            let back = self.descend(graph, level + 1, way, write);
            way.path.pop();
            // The best leaf is in what was just searched, or still where it was.
            way.is_better &= !self.best.is_some;
            if back < level || self.n_nodes >= MOST_NODES && self.best.is_some {
                way.invariants.truncate(level);
                return back.min(level);
            }
        }
        way.invariants.truncate(level);
        level
    }

    /// Looks at a choice of names, and gives the level of the node to go on with.
    fn leaf(
        &mut self,
        graph: &Graph,
        level: usize,
        way: &Way,
        write: &mut dyn FnMut(&[u32], &mut Vec<u8>),
    ) -> usize {
        self.naming.name(graph, &self.levels[level]);
        let order = if !self.best.is_some || way.is_better {
            self.best.is_written = false;
            Ordering::Less
        } else {
            if !self.best.is_written {
                self.best.bytes.clear();
                write(&self.best.names, &mut self.best.bytes);
                self.best.is_written = true;
            }
            self.bytes.clear();
            write(&self.naming.names, &mut self.bytes);
            self.bytes.cmp(&self.best.bytes)
        };
        match order {
            Ordering::Less => {
                self.best.is_some = true;
                // Without use unless both are written.
                std::mem::swap(&mut self.best.bytes, &mut self.bytes);
                self.best.names.clone_from(&self.naming.names);
                self.best.path.clone_from(&way.path);
                self.best.invariants.clone_from(&way.invariants);
                level
            }
            Ordering::Equal => self.automorphism(graph, level, way),
            Ordering::Greater => level,
        }
    }

    /// Takes down the automorphism that two leaves with the same bytes show. When it maps the one way to the other, all
    /// below the node where they part is known.
    fn automorphism(&mut self, graph: &Graph, level: usize, way: &Way) -> usize {
        let named = |names: &[u32]| {
            let objects = graph.objects().iter().zip(names).enumerate();
            let mut named: Vec<(u64, u32, u32)> =
                objects.map(|(index, (&object, &name))| (graph.sort(object), name, index as u32)).collect();
            named.sort_unstable();
            named
        };
        let mut map = vec![0; self.best.names.len()];
        for (here, best) in named(&self.naming.names).iter().zip(named(&self.best.names)) {
            map[here.2 as usize] = best.2;
        }
        let image = |vertex: Vertex| {
            let index = graph.objects().binary_search(&vertex).expect("only objects are singled out");
            graph.objects()[map[index] as usize]
        };
        let same_way = way.path.len() == self.best.path.len()
            && way.path.iter().zip(&self.best.path).all(|(&vertex, &best)| image(vertex) == best);
        let common = way.path.iter().zip(&self.best.path).take_while(|(one, other)| one == other).count();
        self.automorphisms.push(map);
        if same_way { common } else { level }
    }

    /// Whether an automorphism that leaves the way alone takes something that was tried to a vertex.
    fn is_like_one_tried(&self, graph: &Graph, vertex: Vertex, tried: &[Vertex], path: &[Vertex]) -> bool {
        if tried.is_empty() || self.automorphisms.is_empty() {
            return false;
        }
        let index = |vertex: Vertex| {
            graph.objects().binary_search(&vertex).expect("only objects are singled out") as u32
        };
        let fixing: Vec<&Vec<u32>> = self
            .automorphisms
            .iter()
            .filter(|map| path.iter().all(|&vertex| map[index(vertex) as usize] == index(vertex)))
            .collect();
        let mut reached = vec![false; graph.objects().len()];
        let mut pending: Vec<u32> = tried.iter().map(|&vertex| index(vertex)).collect();
        while let Some(object) = pending.pop() {
            if std::mem::replace(&mut reached[object as usize], true) {
                continue;
            }
            // Following a permutation leads around its cycle, so inverses need not be taken.
            pending.extend(fixing.iter().map(|map| map[object as usize]));
        }
        reached[index(vertex) as usize]
    }
}

/// Sees whether objects can be exchanged, by what is written then.
#[derive(Clone, Debug, Default)]
struct Exchange {
    /// By index of object: some name within its sort.
    names: Vec<u32>,
    /// What these names write, and what they write with two of them exchanged.
    plain: Vec<u8>,
    exchanged: Vec<u8>,
    /// How many names were given, by sort.
    given: Vec<(u64, u32)>,
}

impl Exchange {
    /// Puts the objects of a cell in order if any two of them can be exchanged. Gives whether there was such a cell.
    fn break_interchangeable(
        &mut self,
        graph: &Graph,
        naming: &Naming,
        colours: &mut Colours,
        write: &mut dyn FnMut(&[u32], &mut Vec<u8>),
    ) -> bool {
        let mut found = false;
        let mut is_written = false;
        for cell in naming.cells().filter(|cell| cell.len() >= FEWEST_TO_EXCHANGE) {
            if !is_written {
                self.start(graph, write);
                is_written = true;
            }
            let mut pairs = cell.windows(2).map(|pair| (pair[0].2, pair[1].2));
            if pairs.all(|(one, other)| self.can_exchange(graph, one, other, write)) {
                colours.put_in_order(cell.iter().map(|&(_, _, vertex)| vertex));
                found = true;
            }
        }
        found
    }

    /// Gives names in the order of the objects.
    fn start(&mut self, graph: &Graph, write: &mut dyn FnMut(&[u32], &mut Vec<u8>)) {
        self.names.clear();
        self.given.clear();
        for &object in graph.objects() {
            self.names.push(next_name(&mut self.given, graph.sort(object)));
        }
        self.plain.clear();
        write(&self.names, &mut self.plain);
    }

    fn can_exchange(
        &mut self,
        graph: &Graph,
        one: Vertex,
        other: Vertex,
        write: &mut dyn FnMut(&[u32], &mut Vec<u8>),
    ) -> bool {
        let index = |vertex: Vertex| graph.objects().binary_search(&vertex).expect("an object");
        let (one, other) = (index(one), index(other));
        self.names.swap(one, other);
        self.exchanged.clear();
        write(&self.names, &mut self.exchanged);
        self.names.swap(one, other);
        self.plain == self.exchanged
    }
}

/// The next name of a sort.
fn next_name(given: &mut Vec<(u64, u32)>, sort: u64) -> u32 {
    let place = given.iter().position(|(other, _)| *other == sort).unwrap_or_else(|| {
        given.push((sort, 0));
        given.len() - 1
    });
    let name = given[place].1;
    given[place].1 += 1;
    name
}

/// From colours to names.
#[derive(Clone, Debug, Default)]
struct Naming {
    /// The objects by sort and colour.
    sorted: Vec<(u64, u64, Vertex)>,
    /// By vertex: whether it was visited.
    visited: Vec<bool>,
    queue: Vec<Vertex>,
    around: Vec<(u64, u64, Vertex)>,
    /// By vertex: which object it is.
    index: Vec<u32>,
    /// How many names were given, by sort.
    given: Vec<(u64, u32)>,
    names: Vec<u32>,
}

impl Naming {
    fn sort(&mut self, graph: &Graph, colours: &Colours) {
        self.sorted.clear();
        let objects = graph.objects().iter();
        self.sorted.extend(objects.map(|&object| (graph.sort(object), colours.of[object as usize], object)));
        self.sorted.sort_unstable();
    }

    /// The objects that look alike, cell by cell.
    fn cells(&self) -> impl Iterator<Item = &[(u64, u64, Vertex)]> {
        self.sorted.chunk_by(|left, right| (left.0, left.1) == (right.0, right.1))
    }

    /// The smallest cell of more than one object; the first of these.
    fn smallest_cell(&self) -> Option<Vec<Vertex>> {
        let several = self.cells().filter(|cell| cell.len() > 1);
        let cell = several.min_by_key(|cell| cell.len())?;
        Some(cell.iter().map(|&(_, _, vertex)| vertex).collect())
    }

    /// Puts the objects of a cell in order if all of them have the very same neighbours: exchanging two of them changes
    /// nothing. Gives whether there was such a cell.
    fn break_twins(&self, graph: &Graph, colours: &mut Colours) -> bool {
        let sorted_neighbours = |vertex: Vertex| {
            let mut around = graph.neighbours(vertex).to_vec();
            around.sort_unstable();
            around
        };
        let mut found = false;
        for cell in self.cells().filter(|cell| cell.len() > 1) {
            let n_around = graph.neighbours(cell[0].2).len();
            if cell.iter().any(|&(_, _, vertex)| graph.neighbours(vertex).len() != n_around) {
                continue;
            }
            let first = sorted_neighbours(cell[0].2);
            let is_label = |vertex| graph.label(vertex) == graph.label(cell[0].2);
            let is_twin = |vertex: Vertex| is_label(vertex) && sorted_neighbours(vertex) == first;
            if cell[1..].iter().all(|&(_, _, vertex)| is_twin(vertex)) {
                colours.put_in_order(cell.iter().map(|&(_, _, vertex)| vertex));
                found = true;
            }
        }
        found
    }

    /// Names all objects, each of which has a colour of its own: from the first of them along the edges, so that what
    /// has the same shape gets the same names; then from the first that is left.
    fn name(&mut self, graph: &Graph, colours: &Colours) {
        let n_objects = graph.objects().len();
        self.visited.clear();
        self.visited.resize(graph.n_vertices(), false);
        self.index.clear();
        self.index.resize(graph.n_vertices(), u32::MAX);
        for (index, &object) in graph.objects().iter().enumerate() {
            self.index[object as usize] = index as u32;
        }
        self.names.clear();
        self.names.resize(n_objects, 0);
        self.given.clear();
        let mut n_named = 0;
        let mut is_sorted = false;
        let mut starts = 0;
        while n_named < n_objects {
            // Most graphs hang together: one start is all they need.
            let start = if starts == 0 {
                let objects = graph.objects().iter();
                objects.map(|&object| (graph.sort(object), colours.of[object as usize], object)).min()
            } else {
                if !is_sorted {
                    self.sort(graph, colours);
                    is_sorted = true;
                }
                self.sorted.get(starts).copied()
            };
            let Some((_, _, start)) = start else { break };
            starts += 1;
            self.queue.clear();
            self.visit(start);
            let mut next = 0;
            while let Some(&vertex) = self.queue.get(next) {
                next += 1;
                let index = self.index[vertex as usize];
                if index != u32::MAX {
                    self.names[index as usize] = next_name(&mut self.given, graph.sort(vertex));
                    n_named += 1;
                }
                self.around.clear();
                self.around.extend(
                    graph
                        .neighbours(vertex)
                        .iter()
                        .filter(|neighbour| !self.visited[neighbour.vertex as usize])
                        .map(|neighbour| {
                            (neighbour.label, colours.of[neighbour.vertex as usize], neighbour.vertex)
                        }),
                );
                self.around.sort_unstable();
                for place in 0..self.around.len() {
                    self.visit(self.around[place].2);
                }
            }
        }
    }

    fn visit(&mut self, vertex: Vertex) {
        if !std::mem::replace(&mut self.visited[vertex as usize], true) {
            self.queue.push(vertex);
        }
    }
}
