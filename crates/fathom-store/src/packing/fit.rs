//! Fitting a packing to a sample of states of one length.
//!
//! First, how each byte varies: the space that its differences span, see [`lanes`](super::lanes). If the
//! dimensions of all bytes together are at most 59, all go into the root. Otherwise some have to be interned in
//! groups, and what a group costs is the number of its distinct values. So bytes that hardly vary, or vary
//! together, belong together, and what varies most belongs into the root. That is Huffman's procedure with another
//! measure: join the two sets of bytes that have the fewest distinct values in the sample, again and again; then
//! cut the resulting tree into groups, from the top. Whatever room is left in a place goes to the bytes that it
//! holds, a bit each in turn, so that a state beyond the sample seldom escapes.
//!
//! All of this is a guess about all states from a few thousand; a bad guess costs memory and time, never
//! correctness. Distinct values are counted by setting bits in a bitmap by hash (linear counting: Whang,
//! Vander-Zanden and Taylor, ACM TODS 1990), without the correction, which does not change the order.

use std::collections::HashSet;

use super::lanes::{Lane, Packing, WORD, words_of};
use super::{CODE_BITS, ROOT_BITS};

/// Bits of the bitmap.
const BITMAP: usize = 1 << 14;
/// Most states of a sample that are compared with each other.
pub(super) const MOST_STATES: usize = 4096;
/// Fewer states say nothing.
const FEWEST_STATES: usize = 16;
/// With more pieces, trying all pairs would take too long: longer pieces are tried, and in the end none.
const MOST_PIECES: usize = 96;
/// Bits of a group.
const GROUP_BITS: u32 = 64;

/// Some neighboring bytes of a word that stay together.
#[derive(Clone, Debug)]
struct Piece {
    word: usize,
    /// The bytes, as a mask.
    bytes: u64,
    /// How it varies.
    space: Space,
    /// Values that it had in the sample.
    n_values: usize,
}

impl Piece {
    /// Whether it had so many of the values that it can have that there will be others: more than half, or all.
    fn is_filled(&self, all: bool) -> bool {
        let n_possible = 1_u64.checked_shl(self.space.width()).unwrap_or(u64::MAX);
        let n_values = self.n_values as u64;
        if all { n_values >= n_possible } else { n_values > n_possible / 2 }
    }
}

/// A space of words over the field of two elements: a basis in which each vector has a bit, its lowest one, that
/// no other has.
#[derive(Clone, Default, Debug)]
struct Space {
    /// In order of their lowest bits.
    basis: Vec<u64>,
}

impl Space {
    /// Adds a dimension for a vector, unless the space has it.
    fn add(&mut self, vector: u64) {
        let rest = self.basis.iter().fold(vector, |rest, &base| {
            if rest & base & base.wrapping_neg() != 0 { rest ^ base } else { rest }
        });
        if rest == 0 {
            return;
        }
        let pivot = rest & rest.wrapping_neg();
        for base in &mut self.basis {
            if *base & pivot != 0 {
                *base ^= rest;
            }
        }
        self.basis.push(rest);
        self.basis.sort_unstable_by_key(|base| base.trailing_zeros());
    }

    fn width(&self) -> u32 {
        self.basis.len() as u32
    }

    /// Adds a dimension: the lowest of these bits that is not in the space by itself. Says whether there was one.
    fn widen(&mut self, bits: u64) -> bool {
        let bits = (0..64).map(|place| bits & 1 << place).filter(|&bit| bit != 0);
        let missing = bits.into_iter().find(|&bit| !self.basis.contains(&bit));
        missing.is_some_and(|bit| {
            self.add(bit);
            true
        })
    }
}

/// A set of pieces as a tree, in which those that belong together are joined first.
enum Tree {
    Piece(usize),
    Pair(Box<(Tree, Tree)>),
}

/// What a place holds.
#[derive(Default)]
struct Place {
    pieces: Vec<usize>,
    groups: Vec<Place>,
}

/// The packing of states of one length, of which these are some; none when they say too little. What was seen when
/// an earlier packing was made counts, too.
pub(super) fn fit(sample: &[&[u8]], tag: u64, earlier: Option<&Packing>) -> Option<Packing> {
    let length = sample.first().filter(|_| sample.len() >= FEWEST_STATES)?.len();
    let states: Vec<Vec<u64>> = sample.iter().map(|state| words_of(state).collect()).collect();
    let constants = earlier.map_or_else(|| states[0].clone(), |earlier| earlier.constants.clone());
    let mut pieces = pieces(&states, &constants, earlier)?;
    let mut seen = vec![Vec::new(); constants.len()];
    pieces.iter().for_each(|piece| seen[piece.word].extend_from_slice(&piece.space.basis));
    let mut root = Place::default();
    if pieces.iter().map(|piece| piece.space.width()).sum::<u32>() <= ROOT_BITS {
        root.pieces = (0..pieces.len()).collect();
    } else {
        // Every so many, so that all walks are heard.
        let every = states.len().div_ceil(MOST_STATES);
        let some: Vec<&Vec<u64>> = states.iter().step_by(every).collect();
        let tree = join(&pieces, &some)?;
        root.put(&tree, ROOT_BITS, &pieces);
    }
    spend_what_is_left(&mut root, &mut pieces, length);
    Some(Packing { seen, ..lay_out(&root, &pieces, constants, length, tag) })
}

/// The pieces of the words that vary.
fn pieces(states: &[Vec<u64>], constants: &[u64], earlier: Option<&Packing>) -> Option<Vec<Piece>> {
    let mut varying = vec![0_u64; constants.len()];
    for state in states {
        for (varying, (word, constant)) in varying.iter_mut().zip(state.iter().zip(constants)) {
            *varying |= word ^ constant;
        }
    }
    let known = earlier.map_or_else(|| vec![Vec::new(); constants.len()], |earlier| earlier.seen.clone());
    for (varying, known) in varying.iter_mut().zip(&known) {
        *varying |= known.iter().fold(0, |bits, vector| bits | vector);
    }
    let n_bytes = [1, 2, 4, 8].into_iter().find(|&n_bytes| cut(&varying, n_bytes).count() <= MOST_PIECES)?;
    let piece = |(word, bytes): (usize, u64)| {
        let mut space = Space::default();
        known[word].iter().for_each(|vector| space.add(vector & bytes));
        states.iter().for_each(|state| space.add((state[word] ^ constants[word]) & bytes));
        let values: HashSet<u64> = states.iter().map(|state| state[word] & bytes).collect();
        Piece { word, bytes, space, n_values: values.len() }
    };
    Some(cut(&varying, n_bytes).map(piece).collect())
}

/// The words in pieces of so many bytes, without those that do not vary.
fn cut(varying: &[u64], n_bytes: usize) -> impl Iterator<Item = (usize, u64)> {
    let ones = u64::MAX >> (64 - 8 * n_bytes);
    let places = (0..varying.len()).flat_map(move |word| (0..WORD / n_bytes).map(move |index| (word, index)));
    let pieces = places.map(move |(word, index)| (word, ones << (8 * n_bytes * index)));
    pieces.filter(|&(word, bytes)| varying[word] & bytes != 0)
}

/// A subtree with its value in each state of the sample.
struct Subtree {
    tree: Tree,
    values: Vec<u32>,
}

/// Joins pieces until there is one tree.
fn join(pieces: &[Piece], states: &[&Vec<u64>]) -> Option<Tree> {
    let subtree = |(index, piece): (usize, &Piece)| Subtree {
        tree: Tree::Piece(index),
        values: number(states.iter().map(|state| state[piece.word] & piece.bytes)),
    };
    let mut subtrees: Vec<Subtree> = pieces.iter().enumerate().map(subtree).collect();
    let mut bitmap = vec![0_u64; BITMAP / 64];
    // By pair of subtrees, the later one first: what joining them would cost.
    let mut costs: Vec<Vec<u32>> = Vec::new();
    for later in 0..subtrees.len() {
        let row = (0..later).map(|earlier| cost(&subtrees[earlier], &subtrees[later], &mut bitmap));
        costs.push(row.collect());
    }
    while subtrees.len() > 1 {
        let (later, earlier) = cheapest(&costs);
        join_two(&mut subtrees, earlier, later);
        // The joined subtree is in the place of the earlier one; the last one has moved to the later's.
        let last = costs.len() - 1;
        if later != last {
            for index in (0..last).filter(|&index| index != later) {
                costs[later.max(index)][later.min(index)] = costs[last][index];
            }
        }
        costs.pop();
        for index in (0..subtrees.len()).filter(|&index| index != earlier) {
            let value = cost(&subtrees[index], &subtrees[earlier], &mut bitmap);
            costs[index.max(earlier)][index.min(earlier)] = value;
        }
    }
    subtrees.pop().map(|subtree| subtree.tree)
}

/// The cheapest pair of subtrees, the later one first.
fn cheapest(costs: &[Vec<u32>]) -> (usize, usize) {
    let pairs = costs.iter().enumerate();
    let pairs = pairs
        .flat_map(|(later, row)| row.iter().enumerate().map(move |(earlier, &cost)| (cost, later, earlier)));
    pairs.min().map_or((1, 0), |(_, later, earlier)| (later, earlier))
}

/// Joins two subtrees into the place of the earlier one.
fn join_two(subtrees: &mut Vec<Subtree>, earlier: usize, later: usize) {
    let Subtree { tree, values } = subtrees.swap_remove(later);
    let first = &mut subtrees[earlier];
    first.values = number(
        first.values.iter().zip(&values).map(|(&one, &other)| u64::from(one) << 32 | u64::from(other)),
    );
    first.tree = Tree::Pair(Box::new((std::mem::replace(&mut first.tree, Tree::Piece(0)), tree)));
}

/// Numbers for values, in order of first appearance.
fn number(values: impl Iterator<Item = u64>) -> Vec<u32> {
    let mut numbers = std::collections::HashMap::new();
    values
        .map(|value| {
            let next = numbers.len() as u32;
            *numbers.entry(value).or_insert(next)
        })
        .collect()
}

/// Distinct pairs of values of two subtrees, about.
fn cost(one: &Subtree, other: &Subtree, bitmap: &mut [u64]) -> u32 {
    bitmap.fill(0);
    for (&one, &other) in one.values.iter().zip(&other.values) {
        let hash = (u64::from(one) << 32 | u64::from(other)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bit = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) as usize >> (64 - BITMAP.ilog2());
        bitmap[bit / 64] |= 1 << (bit % 64);
    }
    bitmap.iter().map(|word| word.count_ones()).sum()
}

impl Tree {
    fn pieces(&self, found: &mut Vec<usize>) {
        match self {
            Tree::Piece(piece) => found.push(*piece),
            Tree::Pair(pair) => {
                pair.0.pieces(found);
                pair.1.pieces(found);
            }
        }
    }

    fn width(&self, pieces: &[Piece]) -> u32 {
        let mut found = Vec::new();
        self.pieces(&mut found);
        found.iter().map(|&piece| pieces[piece].space.width()).sum()
    }
}

impl Place {
    /// Puts a tree here, in this many bits: as it is, if it fits, else in parts that are interned. There is
    /// always room for two codes.
    fn put(&mut self, tree: &Tree, room: u32, pieces: &[Piece]) {
        if tree.width(pieces) <= room {
            tree.pieces(&mut self.pieces);
            return;
        }
        let Tree::Pair(pair) = tree else {
            self.intern(tree, pieces);
            return;
        };
        let (left, right) = (&pair.0, &pair.1);
        let besides_a_code = room - CODE_BITS;
        let widths = (left.width(pieces), right.width(pieces));
        // The one that was joined later varies more: it had better be here, where it is not looked up.
        if widths.1 <= besides_a_code && (widths.0 > besides_a_code || widths.1 >= widths.0) {
            self.intern(left, pieces);
            right.pieces(&mut self.pieces);
        } else if widths.0 <= besides_a_code {
            self.intern(right, pieces);
            left.pieces(&mut self.pieces);
        } else {
            self.intern(left, pieces);
            self.intern(right, pieces);
        }
    }

    fn intern(&mut self, tree: &Tree, pieces: &[Piece]) {
        let mut group = Place::default();
        group.put(tree, GROUP_BITS, pieces);
        self.groups.push(group);
    }

    /// Bits in use.
    fn used(&self, pieces: &[Piece]) -> u32 {
        let codes = self.groups.len() as u32 * CODE_BITS;
        codes + self.pieces.iter().map(|&piece| pieces[piece].space.width()).sum::<u32>()
    }
}

/// Makes pieces wider where there is room: first those that had all values they can have, then those that had
/// most, then those that never varied, which all go to the root, then all.
fn spend_what_is_left(root: &mut Place, pieces: &mut Vec<Piece>, length: usize) {
    for all in [true, false] {
        let chosen: Vec<bool> = pieces.iter().map(|piece| piece.is_filled(all)).collect();
        widen_places(root, ROOT_BITS, pieces, &chosen);
    }
    let mut is_known = vec![0_u64; length.div_ceil(WORD)];
    pieces.iter().for_each(|piece| is_known[piece.word] |= piece.bytes);
    for byte in 0..length {
        let (word, bytes) = (byte / WORD, 0xff << (8 * (byte % WORD)));
        if is_known[word] & bytes == 0 {
            root.pieces.push(pieces.len());
            pieces.push(Piece { word, bytes, space: Space::default(), n_values: 1 });
        }
    }
    let never_varied: Vec<bool> = pieces.iter().map(|piece| piece.space.width() == 0).collect();
    widen_places(root, ROOT_BITS, pieces, &never_varied);
    for _ in 0..8 {
        let all = vec![true; pieces.len()];
        widen_places(root, ROOT_BITS, pieces, &all);
    }
}

/// Gives a bit more to the chosen pieces of each place, as long as there is room.
fn widen_places(place: &Place, room: u32, pieces: &mut [Piece], chosen: &[bool]) {
    let mut left = room - place.used(pieces);
    for &piece in place.pieces.iter().filter(|&&piece| chosen[piece]) {
        let bytes = pieces[piece].bytes;
        if left > 0 && pieces[piece].space.widen(bytes) {
            left -= 1;
        }
    }
    for group in &place.groups {
        widen_places(group, GROUP_BITS, pieces, chosen);
    }
}

/// Numbers the places and gives every word its lanes.
fn lay_out(root: &Place, pieces: &[Piece], constants: Vec<u64>, length: usize, tag: u64) -> Packing {
    let mut packing = Packing {
        length,
        tag,
        constants,
        lanes: Vec::new(),
        first_lanes: Vec::new(),
        is_simple: false,
        seen: Vec::new(),
        tables: Vec::new(),
        groups: Vec::new(),
        earlier: None,
    };
    lay_out_place(root, pieces, &mut packing);
    // Every word has a lane, so that without groups it has exactly one.
    let n_groups = packing.groups.len() as u32;
    for word in 0..packing.constants.len() as u32 {
        if packing.lanes.iter().all(|lane| lane.word != word) {
            packing.lanes.push(Lane { word, place: n_groups, shift: 0, mask: 0, tables: (0, 0) });
        }
    }
    packing.lanes.sort_by_key(|lane| (lane.word, lane.place));
    for word in 0..=packing.constants.len() as u32 {
        packing.first_lanes.push(packing.lanes.partition_point(|lane| lane.word < word) as u32);
    }
    packing.is_simple = packing.groups.is_empty();
    packing
}

/// Lays out a place after the groups that go into it; gives its number.
fn lay_out_place(place: &Place, pieces: &[Piece], packing: &mut Packing) -> u32 {
    let below: Vec<u32> = place.groups.iter().map(|group| lay_out_group(group, pieces, packing)).collect();
    let number = packing.groups.len() as u32;
    let mut shift = 0;
    for word in 0..packing.constants.len() {
        let here = place.pieces.iter().map(|&piece| &pieces[piece]).filter(|piece| piece.word == word);
        let mut basis: Vec<u64> = here.flat_map(|piece| &piece.space.basis).copied().collect();
        basis.sort_unstable_by_key(|base| base.trailing_zeros());
        if !basis.is_empty() {
            let mask = basis.iter().fold(0, |mask, base| mask | base & base.wrapping_neg());
            let tables = lay_out_tables(&basis, mask, &mut packing.tables);
            packing.lanes.push(Lane { word: word as u32, place: number, shift, mask, tables });
            shift += mask.count_ones();
        }
    }
    for group in below {
        packing.groups[group as usize] = (number, shift);
        shift += CODE_BITS;
    }
    number
}

fn lay_out_group(group: &Place, pieces: &[Piece], packing: &mut Packing) -> u32 {
    let number = lay_out_place(group, pieces, packing);
    packing.groups.push((0, 0));
    number
}

/// The tables of a lane: for each value of eight pivots, the vectors that they stand for.
fn lay_out_tables(basis: &[u64], mask: u64, tables: &mut Vec<[u64; 256]>) -> (u32, u32) {
    if basis.iter().fold(0, |bits, base| bits | base) == mask {
        return (0, 0);
    }
    let first = tables.len() as u32;
    for bases in basis.chunks(8) {
        let entry = |value: usize| {
            let chosen = bases.iter().enumerate().filter(|(place, _)| value >> place & 1 == 1);
            chosen.fold(0, |bits, (_, base)| bits ^ base)
        };
        tables.push(std::array::from_fn(entry));
    }
    (first, tables.len() as u32 - first)
}
