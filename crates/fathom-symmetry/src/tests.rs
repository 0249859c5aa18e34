//! Canonical forms and isomorphism against all permutations, and on graphs that refinement alone cannot tell apart.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;

use crate::{Drawing, Graph, Labeller, Place, isomorphism};

/// A directed graph with coloured vertices, as a matrix of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Matrix {
    colours: Vec<u8>,
    edges: Vec<Vec<u8>>,
}

impl Matrix {
    fn of_edges(n: usize, edges: &[(usize, usize)]) -> Matrix {
        let mut matrix = Matrix { colours: vec![0; n], edges: vec![vec![0; n]; n] };
        for &(from, to) in edges {
            matrix.edges[from][to] = 1;
            matrix.edges[to][from] = 1;
        }
        matrix
    }

    fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for &colour in &self.colours {
            let vertex = graph.add_object(0);
            graph.mark(vertex, u64::from(colour));
        }
        for (from, row) in self.edges.iter().enumerate() {
            for (to, &label) in row.iter().enumerate().filter(|(_, label)| **label != 0) {
                graph.add_edge(from as u32, u64::from(label), to as u32);
            }
        }
        graph.finish();
        graph
    }

    /// The matrix when the vertices get these names.
    fn renamed(&self, names: &[u32]) -> Matrix {
        let n = names.len();
        let mut matrix = Matrix { colours: vec![0; n], edges: vec![vec![0; n]; n] };
        for from in 0..n {
            matrix.colours[names[from] as usize] = self.colours[from];
            for to in 0..n {
                matrix.edges[names[from] as usize][names[to] as usize] = self.edges[from][to];
            }
        }
        matrix
    }

    fn bytes(&self) -> Vec<u8> {
        self.colours.iter().chain(self.edges.iter().flatten()).copied().collect()
    }

    fn canonical(&self) -> Vec<u8> {
        let mut labeller = Labeller::new();
        let write = &mut |names: &[u32], out: &mut Vec<u8>| out.extend(self.renamed(names).bytes());
        let names = labeller.canonical(&self.graph(), write).to_vec();
        assert!(labeller.is_canonical());
        self.renamed(&names).bytes()
    }

    /// The least of all renamings: what isomorphism means.
    fn least(&self) -> Vec<u8> {
        let mut names: Vec<u32> = (0..self.colours.len() as u32).collect();
        let mut least = self.bytes();
        permutations(&mut names, 0, &mut |names| least = least.clone().min(self.renamed(names).bytes()));
        least
    }
}

fn permutations(names: &mut Vec<u32>, from: usize, visit: &mut impl FnMut(&[u32])) {
    if from == names.len() {
        return visit(names);
    }
    for other in from..names.len() {
        names.swap(from, other);
        permutations(names, from + 1, visit);
        names.swap(from, other);
    }
}

#[test]
fn all_small_graphs_have_as_many_canonical_forms_as_there_are_graphs() {
    // Sequence A000088 of the encyclopedia of integer sequences.
    for (n, expected) in [(1, 1), (2, 2), (3, 4), (4, 11), (5, 34), (6, 156)] {
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|to| (0..to).map(move |from| (from, to))).collect();
        let forms: BTreeSet<Vec<u8>> = (0..1_u32 << pairs.len())
            .map(|chosen| {
                let edges = pairs.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 1);
                Matrix::of_edges(n, &edges.map(|(_, &pair)| pair).collect::<Vec<_>>()).canonical()
            })
            .collect();
        assert_eq!(forms.len(), expected, "graphs of {n} vertices");
    }
}

#[test]
fn all_small_directed_graphs_have_the_forms_that_brute_force_gives_them() {
    // Sequence A000273: 218 of four vertices.
    let mut form_of_least: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    for chosen in 0..1_u32 << 12 {
        let mut matrix = Matrix::of_edges(4, &[]);
        let places = (0..4).flat_map(|from| (0..4).map(move |to| (from, to))).filter(|(from, to)| from != to);
        for (bit, (from, to)) in places.enumerate() {
            matrix.edges[from][to] = (chosen >> bit & 1) as u8;
        }
        let form = matrix.canonical();
        assert_eq!(form_of_least.entry(matrix.least()).or_insert_with(|| form.clone()), &form);
    }
    assert_eq!(form_of_least.len(), 218);
    assert_eq!(form_of_least.values().collect::<BTreeSet<_>>().len(), 218);
}

/// Graphs in which every vertex looks like every other, at first.
fn regular_graphs() -> Vec<(&'static str, Matrix)> {
    let cycle = |n: usize, start: usize| (0..n).map(move |at| (start + at, start + (at + 1) % n));
    let petersen: Vec<(usize, usize)> =
        (0..5).flat_map(|at| [(at, (at + 1) % 5), (5 + at, 5 + (at + 2) % 5), (at, 5 + at)]).collect();
    let cube: Vec<(usize, usize)> =
        (0..8).flat_map(|at: usize| [1, 2, 4].map(|bit| (at, at ^ bit))).collect();
    let rook: Vec<(usize, usize)> = (0..16)
        .flat_map(|one| (0..16).map(move |other| (one, other)))
        .filter(|&(one, other)| one < other && (one / 4 == other / 4 || one % 4 == other % 4))
        .collect();
    // Strongly regular with the parameters of the rook's graph, and different from it.
    let shrikhande: Vec<(usize, usize)> = (0..16)
        .flat_map(|at: usize| {
            let (row, column) = (at / 4, at % 4);
            [(0, 1), (1, 0), (1, 1)].map(|(down, right)| (at, (row + down) % 4 * 4 + (column + right) % 4))
        })
        .collect();
    vec![
        ("six in a ring", Matrix::of_edges(6, &cycle(6, 0).collect::<Vec<_>>())),
        ("two rings of three", Matrix::of_edges(6, &cycle(3, 0).chain(cycle(3, 3)).collect::<Vec<_>>())),
        ("twelve in a ring", Matrix::of_edges(12, &cycle(12, 0).collect::<Vec<_>>())),
        ("Petersen's graph", Matrix::of_edges(10, &petersen)),
        ("a cube", Matrix::of_edges(8, &cube)),
        ("eight alone", Matrix::of_edges(8, &[])),
        ("four pairs", Matrix::of_edges(8, &[(0, 1), (2, 3), (4, 5), (6, 7)])),
        ("a rook's graph", Matrix::of_edges(16, &rook)),
        ("Shrikhande's graph", Matrix::of_edges(16, &shrikhande)),
    ]
}

/// A fixed permutation that leaves little where it was.
fn shuffled(n: usize, seed: u32) -> Vec<u32> {
    let mut names: Vec<u32> = (0..n as u32).collect();
    let mut random = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    for place in (1..n).rev() {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        names.swap(place, (random >> 8) as usize % (place + 1));
    }
    names
}

#[test]
fn regular_graphs_keep_their_form_under_renaming_and_differ_from_each_other() {
    let graphs = regular_graphs();
    let mut forms = BTreeSet::new();
    for (name, matrix) in &graphs {
        let form = matrix.canonical();
        for seed in 0..20 {
            let other = matrix.renamed(&shuffled(matrix.colours.len(), seed));
            assert_eq!(other.canonical(), form, "{name}");
            let map = isomorphism(&matrix.graph(), &other.graph()).expect(name);
            assert_eq!(matrix.renamed(&map), other, "{name}");
        }
        assert!(forms.insert(form), "{name} looks like another");
    }
    for (one, left) in &graphs {
        for (other, right) in &graphs {
            assert_eq!(isomorphism(&left.graph(), &right.graph()).is_some(), one == other, "{one}, {other}");
        }
    }
}

fn matrices(n: std::ops::Range<usize>) -> impl Strategy<Value = Matrix> {
    n.prop_flat_map(|n| {
        let colours = prop::collection::vec(0..2_u8, n);
        let row = prop::collection::vec(prop_oneof![4 => Just(0_u8), 1 => 1..3_u8], n);
        (colours, prop::collection::vec(row, n)).prop_map(|(colours, edges)| Matrix { colours, edges })
    })
}

proptest! {
    #[test]
    fn renaming_changes_nothing(matrix in matrices(1..14), seed in any::<u32>()) {
        let other = matrix.renamed(&shuffled(matrix.colours.len(), seed));
        prop_assert_eq!(matrix.canonical(), other.canonical());
        let map = isomorphism(&matrix.graph(), &other.graph());
        prop_assert_eq!(map.map(|map| matrix.renamed(&map)), Some(other));
    }

    #[test]
    fn two_graphs_are_isomorphic_when_brute_force_says_so(left in matrices(4..5), right in matrices(4..5)) {
        let same = left.least() == right.least();
        prop_assert_eq!(left.canonical() == right.canonical(), same);
        prop_assert_eq!(isomorphism(&left.graph(), &right.graph()).is_some(), same);
    }
}

/// Draws a set of sets of vertices: what the document uses for graphs of four vertices.
fn draw_edges(edges: &[&[u32]]) -> Drawing {
    let mut drawing = Drawing::new();
    let place = Place::variable(0);
    let members = drawing.open(place).member(1);
    for edge in edges {
        let ends = drawing.open(members).member(1);
        for &end in *edge {
            drawing.object(ends, 0, end);
        }
        drawing.close(members);
    }
    drawing.close(place);
    drawing.finish();
    drawing
}

#[test]
fn four_vertices_in_a_ring_are_a_ring_in_another_order_and_no_triangle_with_a_tail() {
    // Ernits (2007), the example of vertices and edges.
    let ring = draw_edges(&[&[1, 2], &[2, 3], &[3, 4], &[4, 1]]);
    let other_ring = draw_edges(&[&[1, 3], &[3, 2], &[2, 4], &[4, 1]]);
    let tail = draw_edges(&[&[1, 2], &[2, 3], &[3, 1], &[3, 4]]);
    assert!(isomorphism(ring.graph(), other_ring.graph()).is_some());
    assert!(isomorphism(ring.graph(), tail.graph()).is_none());
}

#[test]
fn sets_of_three_are_held_together_by_a_knot() {
    let one = draw_edges(&[&[0, 1, 2], &[3, 4, 5]]);
    let other = draw_edges(&[&[0, 3, 5], &[1, 2, 4]]);
    let mixed = draw_edges(&[&[0, 1, 2], &[2, 3, 4, 5]]);
    assert_eq!(one.graph().n_vertices(), 8);
    assert!(isomorphism(one.graph(), other.graph()).is_some());
    assert!(isomorphism(one.graph(), mixed.graph()).is_none());
}

#[test]
fn small_tuples_need_no_knot() {
    let drawing = draw_edges(&[&[0, 1], &[2], &[]]);
    assert_eq!(drawing.graph().n_vertices(), 3);
}

/// Members who each know all others, but not themselves: no two have the same neighbours, and any two can be exchanged.
#[test]
fn what_can_be_exchanged_is_put_in_order_without_a_search() {
    let n = 30;
    let all: Vec<(usize, usize)> = (0..n).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
    let mut matrix = Matrix::of_edges(n, &all);
    // Five of them have entered.
    (0..5).for_each(|member| matrix.colours[3 * member] = 1);
    let mut names: Vec<u32> = (0..n as u32).collect();
    names.rotate_left(7);
    let other = matrix.renamed(&names);
    let canonical = |matrix: &Matrix| {
        let (mut labeller, mut n_written) = (Labeller::new(), 0);
        let write = &mut |names: &[u32], out: &mut Vec<u8>| {
            n_written += 1;
            out.extend(matrix.renamed(names).bytes());
        };
        let names = labeller.canonical(&matrix.graph(), write).to_vec();
        assert!(n_written <= n, "{n_written} times written");
        matrix.renamed(&names).bytes()
    };
    assert!(canonical(&matrix) == canonical(&other));
}

#[test]
fn a_large_number_takes_no_more_memory_than_a_small_one() {
    let mut drawing = Drawing::new();
    for _ in 0..2 {
        drawing.clear();
        for (place, number) in [3_000_000_000, 7, u32::MAX, 3_000_000_000, 70_000].into_iter().enumerate() {
            drawing.object(Place::variable(place as u64), 1, number);
        }
        drawing.object(Place::variable(9), 2, 3_000_000_000);
        drawing.finish();
        assert_eq!(
            drawing.objects(),
            [(1, 3_000_000_000), (1, 7), (1, u32::MAX), (1, 70_000), (2, 3_000_000_000)]
        );
        assert_eq!(drawing.index_of(1, 70_000), Some(3));
        assert_eq!(drawing.index_of(2, 7), None);
    }
    drawing.clear();
    assert_eq!(drawing.index_of(1, 3_000_000_000), None);
}
