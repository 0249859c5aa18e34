//! Tables in which each formula is kept once: what LTL and CTL have in common.
//!
//! A node names its operands by their numbers in the same table. Equal nodes get equal numbers, so formulas share
//! their common parts, and a list of all parts is in order of construction: operands first.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::PropositionId;

/// A node of formulas of some logic.
pub(crate) trait TableNode: Clone + Eq + Hash {
    /// The node that is always true: number 0 in every table.
    const TRUE: Self;
    /// The node that is never true: number 1 in every table.
    const FALSE: Self;

    /// The proposition that the node is, if it is one.
    fn proposition(&self) -> Option<PropositionId>;

    /// Adds the numbers of the operands, in their order.
    fn push_operands(&self, out: &mut Vec<u32>);
}

/// Nodes by number.
#[derive(Clone, Debug)]
pub(crate) struct Table<N> {
    nodes: Vec<N>,
    known: FxHashMap<N, u32>,
}

impl<N: TableNode> Table<N> {
    /// A table with the two constants.
    pub fn new() -> Table<N> {
        let mut table = Table { nodes: Vec::new(), known: FxHashMap::default() };
        table.intern(N::TRUE);
        table.intern(N::FALSE);
        table
    }

    /// The number of a node.
    pub fn intern(&mut self, node: N) -> u32 {
        if let Some(&number) = self.known.get(&node) {
            return number;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(node.clone());
        self.known.insert(node, number);
        number
    }

    /// The node of a number.
    pub fn node(&self, number: u32) -> &N {
        &self.nodes[number as usize]
    }

    /// The numbers of the operands of a node.
    pub fn operands(&self, number: u32) -> Vec<u32> {
        let mut operands = Vec::new();
        self.node(number).push_operands(&mut operands);
        operands
    }

    /// All parts with the node itself, operands first, each once.
    pub fn parts(&self, number: u32) -> Vec<u32> {
        let mut seen = FxHashSet::default();
        let mut order = Vec::new();
        let mut stack = vec![(number, false)];
        while let Some((number, is_done)) = stack.pop() {
            if is_done {
                order.push(number);
            } else if seen.insert(number) {
                stack.push((number, true));
                stack.extend(self.operands(number).into_iter().rev().map(|operand| (operand, false)));
            }
        }
        order
    }

    /// The propositions among the parts of a node, in ascending order.
    pub fn propositions_of(&self, number: u32) -> Vec<PropositionId> {
        let mut found: Vec<PropositionId> =
            self.parts(number).into_iter().filter_map(|part| self.node(part).proposition()).collect();
        found.sort_unstable();
        found
    }
}
