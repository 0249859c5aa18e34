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
/// Most bits of a root that may decide something at once.
const MOST_DECIDING: u32 = 12;
/// Most nodes of a plan.
const MOST_NODES: usize = 1 << 16;
/// Lines that a portion begins with. A power of two.
const FEWEST_LINES: usize = 1 << 6;

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
    pub(super) lines: Box<[Line]>,
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
            portion.is_left_alone = false;
            portion.lines.fill(NO_LINE);
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
    pub(super) fn enter(&mut self, root: u64, portion: usize, layers: impl Iterator<Item = u64>, end: Node) {
        let mut index = self.portions[portion].root as usize;
        for mask in layers.filter(|&mask| mask != 0) {
            let node = self.nodes[index];
            if node == UNKNOWN {
                let n_next = 1 << mask.count_ones().min(MOST_DECIDING);
                if mask.count_ones() > MOST_DECIDING || self.nodes.len() + n_next > MOST_NODES {
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
        let at = portion.line_of(key);
        if successors.len() > SHORT {
            let start = self.elsewhere.len() as u64;
            self.elsewhere.extend(differences);
            portion.lines[at] =
                Line { key_and_steps: key | MANY << TAG_SHIFT, first: start << 8 | successors.len() as u64 };
            return;
        }
        let n_steps = successors.len() as u64;
        portion.lines[at] =
            Line { key_and_steps: key | n_steps << TAG_SHIFT, first: differences.next().unwrap_or(0) };
        if n_steps > 1 {
            if portion.more.is_empty() {
                portion.more = vec![[0; SHORT - 1]; portion.lines.len()].into_boxed_slice();
            }
            portion.more[at].iter_mut().zip(differences).for_each(|(place, difference)| *place = difference);
        }
    }
}

impl Portion {
    /// The line for a key.
    #[inline(always)]
    pub(super) fn line_of(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & self.lines.len().wrapping_sub(1)
    }

    /// Four times as many lines.
    pub(super) fn grow(&mut self) {
        self.n_learnt = 0;
        let n_lines = (4 * self.lines.len()).max(FEWEST_LINES);
        let lines = std::mem::replace(&mut self.lines, vec![NO_LINE; n_lines].into_boxed_slice());
        let more = std::mem::take(&mut self.more);
        if !more.is_empty() {
            self.more = vec![[0; SHORT - 1]; n_lines].into_boxed_slice();
        }
        for (index, line) in lines.into_iter().enumerate() {
            let at = self.line_of(line.key_and_steps & KEY);
            self.lines[at] = line;
            if let Some(more) = more.get(index) {
                self.more[at] = *more;
            }
        }
    }
}
