//! Where the steps of states with one packing are remembered.
//!
//! The way to the mask of a portion is a tree: at each node some bits of the root, as a number, lead on. What a root has
//! under the mask is the key of a line, in a table that each portion has for itself, so that a portion with many
//! different keys does not push out the lines of others.

use crate::packing::TAG_SHIFT;
use crate::packing::bits::{Bits, Portable};

/// Most steps of a portion that are remembered beside its line.
pub(super) const SHORT: usize = 6;
/// In place of the number of steps where there are more than a few, which are elsewhere.
pub(super) const MANY: u64 = 7;
/// Most bits of a root that lead on from one node: with more, there is a node in between, as most of their values never
/// come.
const MOST_AT_ONCE: u32 = 7;
/// Most nodes of a plan.
const MOST_NODES: usize = 1 << 16;
/// Pairs of lines that a portion begins with. A power of two.
const FEWEST_PAIRS: usize = 1 << 5;

/// How to find the steps of states with one packing.
#[derive(Clone, Default, Debug)]
pub(super) struct Plan {
    pub(super) version: u64,
    pub(super) n_changes: u32,
    /// States that were looked up since the last decision.
    pub(super) n_states: u32,
    pub(super) portions: Vec<Portion>,
    pub(super) nodes: Vec<Node>,
    /// The differences of lines with many steps.
    pub(super) elsewhere: Vec<u64>,
}

/// A portion: the way to the masks, and the lines by what is under them.
#[derive(Clone, Default, Debug)]
pub(super) struct Portion {
    /// Where the way to the masks begins.
    root: u32,
    pairs: Box<[Pair]>,
    /// By line: differences but the first. Empty until there are any.
    pub(super) more: Box<[[u64; SHORT - 1]]>,
    pub(super) n_failed: u32,
    /// What was learnt since there are so many lines.
    pub(super) n_learnt: usize,
    /// Whether nothing is to be learnt about it.
    pub(super) is_left_alone: bool,
}

/// A stop on the way to a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// The bits that lead on; or the mask, at the end of the way.
    pub(super) mask: u64,
    /// Where the bits lead on to, as a number: one of the nodes from here on. Or `END`.
    pub(super) next: u32,
}

/// There is no next node: the mask was found.
pub(super) const END: u32 = u32::MAX;
/// In place of a mask that is not known. The tag of the root stays in the key, which is that of no line.
pub(super) const UNKNOWN: Node = Node { mask: u64::MAX, next: END };
/// In place of a mask where nothing can be remembered.
pub(super) const HOPELESS: Node = Node { mask: u64::MAX - 1, next: END };

/// What the steps of a portion do to states that agree under the mask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// What the states agree on, and above that the number of steps.
    pub(super) key_and_steps: u64,
    /// The first difference; where there are many, their place elsewhere, and their number in the lowest byte.
    pub(super) first: u64,
}

/// Two lines that share their place, so that two keys that would have the same one do not push each other out again and
/// again.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Pair([Line; 2]);

const NO_LINE: Line = Line { key_and_steps: KEY, first: 0 };
/// The bits of the key in a line.
pub(super) const KEY: u64 = (1 << TAG_SHIFT) - 1;

impl Plan {
    /// Forgets everything, for a packing with so many portions.
    pub(super) fn reset(&mut self, version: u64, n_portions: usize) {
        self.version = version;
        self.n_changes += 1;
        self.portions.resize_with(n_portions, Portion::default);
        for portion in &mut self.portions {
            (portion.n_failed, portion.n_learnt, portion.is_left_alone) = (0, 0, false);
            portion.pairs.fill(Pair([NO_LINE; 2]));
        }
        self.nodes.clear();
        self.nodes.resize(n_portions, UNKNOWN);
        for (index, portion) in self.portions.iter_mut().enumerate() {
            portion.root = index as u32;
        }
        self.elsewhere.clear();
    }

    /// Where the way to a mask ends.
    #[inline(always)]
    pub(super) fn end<B: Bits>(&self, root: u64, portion: &Portion) -> usize {
        let mut index = portion.root as usize;
        loop {
            let node = self.nodes[index];
            if node.next == END {
                return index;
            }
            index = node.next as usize + B::gather(root, node.mask) as usize;
        }
    }

    /// Enters a mask for states like this one, with the bits that lead to it.
    pub(super) fn enter(&mut self, root: u64, portion: usize, layers: &[u64], end: Node) {
        let mut index = self.portions[portion].root as usize;
        for mask in layers.iter().copied().flat_map(pieces) {
            let node = self.nodes[index];
            if node == UNKNOWN {
                let n_next = 1 << mask.count_ones();
                if self.nodes.len() + n_next > MOST_NODES {
                    self.nodes[index] = HOPELESS;
                    return;
                }
                self.nodes[index] = Node { mask, next: self.nodes.len() as u32 };
                self.nodes.resize(self.nodes.len() + n_next, UNKNOWN);
            } else if node.mask != mask || node.next == END {
                // A layer is decided by those before it, unless there were new bits in between.
                return;
            }
            index = self.nodes[index].next as usize + Portable::gather(root, mask) as usize;
        }
        if self.nodes[index] == UNKNOWN {
            self.nodes[index] = end;
        }
    }

    /// Remembers what a portion leads to from states that agree on the key.
    pub(super) fn remember(&mut self, portion: usize, key: u64, root: u64, successors: &[u64]) {
        let mut differences = successors.iter().map(|successor| successor ^ root);
        let portion = &mut self.portions[portion];
        let at = portion.find(key).unwrap_or_else(|| portion.make_room(key));
        if successors.len() > SHORT {
            let start = match place_of_many(&portion.line(at)) {
                // Those that have to go leave room for as many.
                Some((start, n_steps)) if n_steps == successors.len() => {
                    self.elsewhere.splice(start..start + n_steps, differences);
                    start as u64
                }
                _ => {
                    self.elsewhere.extend(differences);
                    (self.elsewhere.len() - successors.len()) as u64
                }
            };
            *portion.line_mut(at) =
                Line { key_and_steps: key | MANY << TAG_SHIFT, first: start << 8 | successors.len() as u64 };
            return;
        }
        let n_steps = successors.len() as u64;
        *portion.line_mut(at) =
            Line { key_and_steps: key | n_steps << TAG_SHIFT, first: differences.next().unwrap_or(0) };
        if n_steps > 1 {
            if portion.more.is_empty() {
                portion.more = vec![[0; SHORT - 1]; portion.n_lines()].into_boxed_slice();
            }
            portion.more[at].iter_mut().zip(differences).for_each(|(place, difference)| *place = difference);
        }
    }
}

/// Where the differences of a line with many steps are, and how many.
#[inline(always)]
pub(super) fn place_of_many(line: &Line) -> Option<(usize, usize)> {
    (line.key_and_steps >> TAG_SHIFT == MANY)
        .then_some(((line.first >> 8) as usize, (line.first & 0xff) as usize))
}

/// The bits that lead on from one node after the other.
fn pieces(mut mask: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let mut rest = mask;
        (0..MOST_AT_ONCE).for_each(|_| rest &= rest.wrapping_sub(1));
        let piece = mask ^ rest;
        mask = rest;
        (piece != 0).then_some(piece)
    })
}

impl Portion {
    /// Number of lines.
    pub(super) fn n_lines(&self) -> usize {
        2 * self.pairs.len()
    }

    /// A line.
    #[inline(always)]
    pub(super) fn line(&self, at: usize) -> Line {
        self.pairs[at / 2].0[at % 2]
    }

    fn line_mut(&mut self, at: usize) -> &mut Line {
        &mut self.pairs[at / 2].0[at % 2]
    }

    /// Forgets all lines, and gives back their memory.
    pub(super) fn forget(&mut self) {
        (self.pairs, self.more) = Default::default();
    }

    /// The pair of lines in which a key may be.
    #[inline(always)]
    fn pair_of(&self, key: u64) -> usize {
        let product = (key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (product >> 40) as usize & self.pairs.len().wrapping_sub(1)
    }

    /// The line of a key, if it is there. A mask that is not known leaves the tag in the key, which is that of no line.
    #[inline(always)]
    pub(super) fn find(&self, key: u64) -> Option<usize> {
        let index = self.pair_of(key);
        let Pair(lines) = self.pairs.get(index)?;
        let which = usize::from(lines[1].key_and_steps & KEY == key);
        (lines[which].key_and_steps & KEY == key).then_some(2 * index + which)
    }

    /// Makes room for a key that is not there, in the first line of its pair: what is there moves to the second one.
    fn make_room(&mut self, key: u64) -> usize {
        let index = self.pair_of(key);
        self.pairs[index].0.swap(0, 1);
        if !self.more.is_empty() {
            self.more.swap(2 * index, 2 * index + 1);
        }
        2 * index
    }

    /// Four times as many lines.
    pub(super) fn grow(&mut self) {
        self.n_learnt = 0;
        let n_pairs = (4 * self.pairs.len()).max(FEWEST_PAIRS);
        let pairs = std::mem::replace(&mut self.pairs, vec![Pair([NO_LINE; 2]); n_pairs].into_boxed_slice());
        let more = std::mem::take(&mut self.more);
        if !more.is_empty() {
            self.more = vec![[0; SHORT - 1]; self.n_lines()].into_boxed_slice();
        }
        let lines = pairs.iter().flat_map(|Pair(lines)| lines).enumerate();
        for (index, &line) in lines.filter(|(_, line)| line.key_and_steps != NO_LINE.key_and_steps) {
            let at = self.make_room(line.key_and_steps & KEY);
            *self.line_mut(at) = line;
            if let Some(more) = more.get(index) {
                self.more[at] = *more;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let mut plan = Plan::default();
        plan.reset(1, 1);
        plan.portions[0].grow();
        plan
    }

    /// The first keys that share a pair of lines.
    fn neighbors(portion: &Portion, n_keys: usize) -> Vec<u64> {
        (1..).filter(|&key| portion.pair_of(key) == portion.pair_of(1)).take(n_keys).collect()
    }

    #[test]
    fn two_keys_share_a_place_and_a_third_one_takes_that_of_the_older() {
        let mut plan = plan();
        let keys = neighbors(&plan.portions[0], 3);
        for (index, &key) in keys.iter().enumerate() {
            let successors: Vec<u64> = (0..2 * index as u64 + 1).map(|step| key ^ step << 20).collect();
            plan.remember(0, key, key, &successors);
        }
        let portion = &plan.portions[0];
        assert_eq!(portion.find(keys[0]), None);
        for (index, &key) in keys.iter().enumerate().skip(1) {
            let at = portion.find(key).expect("two have room");
            assert_eq!(portion.line(at).key_and_steps >> TAG_SHIFT, 2 * index as u64 + 1);
            assert_eq!(portion.more[at][..2 * index], [1 << 20, 2 << 20, 3 << 20, 4 << 20][..2 * index]);
        }
    }

    #[test]
    fn lines_keep_their_steps_when_there_are_more_of_them() {
        let mut plan = plan();
        let keys = neighbors(&plan.portions[0], 2);
        let successors = |key: u64| [key ^ 1 << 30, key ^ 1 << 31];
        keys.iter().for_each(|&key| plan.remember(0, key, key, &successors(key)));
        plan.portions[0].grow();
        for key in keys {
            let at = plan.portions[0].find(key).expect("nothing is lost");
            assert_eq!((plan.portions[0].line(at).first, plan.portions[0].more[at][0]), (1 << 30, 1 << 31));
        }
    }

    #[test]
    fn many_steps_take_the_place_of_as_many() {
        let mut plan = plan();
        let keys = neighbors(&plan.portions[0], 4);
        let successors: Vec<u64> = (0..SHORT as u64 + 2).map(|step| step << 20).collect();
        keys.iter().for_each(|&key| plan.remember(0, key, 0, &successors));
        assert_eq!(plan.elsewhere.len(), 2 * successors.len());
    }

    #[test]
    fn pieces_of_a_mask_are_small_and_make_up_the_mask() {
        for mask in [0, 1, 0x7f, 0xff, 0xf0f0_f0f0_1234, u64::MAX] {
            let pieces: Vec<u64> = pieces(mask).collect();
            assert!(pieces.iter().all(|piece| (1..=MOST_AT_ONCE).contains(&piece.count_ones())));
            assert_eq!(pieces.iter().fold(0, |all, piece| all ^ piece), mask);
        }
    }
}
