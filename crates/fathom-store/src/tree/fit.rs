//! Fitting a tree to a sample of states.
//!
//! What a tree costs beyond the roots is the number of distinct pairs at its inner nodes. So words that hardly
//! vary, or vary together, belong together, and deep down; what varies most belongs near the root, where it is
//! reached in few steps. That is Huffman's procedure with another measure: join the two subtrees that have the
//! fewest distinct pairs in a sample, again and again. The result is a guess about all states from a few
//! thousand; a bad guess costs memory and time, never correctness.
//!
//! Distinct pairs are counted by setting bits in a bitmap by hash (linear counting: Whang, Vander-Zanden and
//! Taylor, ACM TODS 1990), without the correction, which does not change the order.

use super::shape::{Plan, Shape};

/// Bits of the bitmap.
const BITMAP: usize = 1 << 14;
/// Beyond so many words a state keeps the balanced tree: trying all pairs would take too long.
const MOST_WORDS: usize = 160;
/// Most states of a sample that are looked at.
const MOST_STATES: usize = 4096;

/// A subtree with its value in each state of the sample.
struct Subtree {
    plan: Plan,
    values: Vec<u32>,
    depth: u32,
}

/// The tree for states with so many words, fitted to these.
pub(super) fn fit(sample: &[Vec<u64>], n_words: usize) -> Shape {
    let sample = &sample[..sample.len().min(MOST_STATES)];
    if !(3..=MOST_WORDS).contains(&n_words) || sample.len() < 16 {
        return Shape::balanced(n_words);
    }
    let mut subtrees: Vec<Subtree> = (0..n_words)
        .map(|word| {
            let values = number(sample.iter().map(|state| state[word]));
            Subtree { plan: Plan::Word(word as u32), values, depth: 0 }
        })
        .collect();
    join_constants(&mut subtrees);
    // By pair of subtrees, the later one first: what joining them would cost.
    let mut costs: Vec<Vec<u64>> = Vec::new();
    let mut bitmap = vec![0_u64; BITMAP / 64];
    for later in 0..subtrees.len() {
        costs.push(
            (0..later).map(|earlier| cost(&subtrees[earlier], &subtrees[later], &mut bitmap)).collect(),
        );
    }
    while subtrees.len() > 2 {
        let (later, earlier) = cheapest(&costs);
        join(&mut subtrees, earlier, later);
        // The joined subtree is in the place of the earlier one; the last one has moved to the later's.
        let last = costs.len() - 1;
        for index in 0..last {
            let moved = |costs: &[Vec<u64>], one: usize, other: usize| costs[one.max(other)][one.min(other)];
            if index != later && later != last {
                let value = moved(&costs, last, index);
                costs[later.max(index)][later.min(index)] = value;
            }
        }
        costs.pop();
        for index in (0..subtrees.len()).filter(|&index| index != earlier) {
            let value = cost(&subtrees[index], &subtrees[earlier], &mut bitmap);
            costs[index.max(earlier)][index.min(earlier)] = value;
        }
    }
    let plan = subtrees.into_iter().map(|subtree| subtree.plan).reduce(Plan::pair);
    plan.map_or_else(|| Shape::balanced(n_words), |plan| Shape::new(&plan, n_words))
}

/// The cheapest pair of subtrees, the later one first.
fn cheapest(costs: &[Vec<u64>]) -> (usize, usize) {
    let pairs = costs.iter().enumerate();
    let pairs = pairs
        .flat_map(|(later, row)| row.iter().enumerate().map(move |(earlier, &cost)| (cost, later, earlier)));
    pairs.min().map_or((1, 0), |(_, later, earlier)| (later, earlier))
}

/// Joins all words that never vary, as a balanced tree. Leaves at least two subtrees.
fn join_constants(subtrees: &mut Vec<Subtree>) {
    let is_constant = |subtree: &Subtree| subtree.values.iter().all(|&value| value == 0);
    let (mut constants, mut others): (Vec<Subtree>, Vec<Subtree>) =
        std::mem::take(subtrees).into_iter().partition(is_constant);
    while constants.len() > 1 && constants.len() + others.len() > 2 {
        let half = constants.len().div_ceil(2);
        let pairs = constants.len() - half;
        for index in 0..pairs {
            if constants.len() + others.len() > 2 {
                join(&mut constants, index, half + pairs - 1 - index);
            }
        }
    }
    others.append(&mut constants);
    *subtrees = others;
}

/// Joins two subtrees into the place of the earlier one.
fn join(subtrees: &mut Vec<Subtree>, earlier: usize, later: usize) {
    let Subtree { plan, values, depth } = subtrees.swap_remove(later);
    let first = &mut subtrees[earlier];
    first.values = number(
        first.values.iter().zip(&values).map(|(&one, &other)| u64::from(one) << 32 | u64::from(other)),
    );
    first.plan = Plan::pair(std::mem::replace(&mut first.plan, Plan::Word(0)), plan);
    first.depth = first.depth.max(depth) + 1;
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

/// Distinct pairs of values of two subtrees, and a little for the depth of the result: of two that are about
/// equal, the flatter one is faster.
fn cost(one: &Subtree, other: &Subtree, bitmap: &mut [u64]) -> u64 {
    bitmap.fill(0);
    for (&one, &other) in one.values.iter().zip(&other.values) {
        let hash = (u64::from(one) << 32 | u64::from(other)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bit = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) as usize >> (64 - BITMAP.ilog2());
        bitmap[bit / 64] |= 1 << (bit % 64);
    }
    let n_distinct: u64 = bitmap.iter().map(|word| u64::from(word.count_ones())).sum();
    n_distinct * (50 + u64::from(one.depth.max(other.depth)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_vary_together_are_joined_first() {
        // Words 0 and 3 are copies of each other, 1 and 4 never vary, 2 and 5 are independent of all.
        let sample: Vec<Vec<u64>> = (0..4000_u64)
            .map(|state| {
                let (a, b, c) = (state % 17, state / 17 % 19, state / 323);
                vec![a, 7, b, a, 8, c]
            })
            .collect();
        let shape = fit(&sample, 6);
        let parent = |word: usize| shape.parents[shape.leaves[word] as usize];
        assert_eq!(parent(1), parent(4));
        let n_distinct_pairs = |left: usize, right: usize| parent(left) == parent(right);
        assert!(n_distinct_pairs(0, 3), "{shape:?}");
        assert!(
            !n_distinct_pairs(2, 5) || shape.parents[shape.leaves[2] as usize] == super::super::shape::ROOT
        );
    }

    #[test]
    fn every_word_has_its_place_whatever_the_sample() {
        for n_words in 1..40 {
            for n_states in [0, 20, 100] {
                let state =
                    |state: u64| (0..n_words as u64).map(move |word| state.pow(2) % (word + 1)).collect();
                let sample: Vec<Vec<u64>> = (0..n_states).map(state).collect();
                let shape = fit(&sample, n_words);
                let mut words = shape.words.clone();
                words.sort_unstable();
                assert_eq!(words, (0..n_words as u32).collect::<Vec<_>>());
            }
        }
    }
}
