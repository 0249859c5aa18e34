//! The shape of the tree over the words of a state.
//!
//! Nodes are numbered: leaves first, in the order of the tree, then inner nodes with children before parents,
//! in the order in which a walk through the tree leaves them. The root is not a node; it is the state itself.

/// No parent: the root.
pub(super) const ROOT: u32 = u32::MAX;

/// A binary tree over the words of a state.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// By leaf: the word that it holds.
    pub(super) words: Vec<u32>,
    /// By word: the leaf that holds it.
    pub(super) leaves: Vec<u32>,
    /// By inner node, the first of which is node `n_leaves`: its children.
    pub(super) children: Vec<(u32, u32)>,
    /// By node: its parent, or `ROOT`.
    pub(super) parents: Vec<u32>,
    /// The children of the root; the second is none when there is a single leaf.
    pub(super) root: (u32, Option<u32>),
}

/// A tree under construction.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    /// A word.
    Word(u32),
    /// Two trees side by side.
    Pair(Box<(Plan, Plan)>),
}

impl Plan {
    /// Two trees side by side.
    pub(super) fn pair(left: Plan, right: Plan) -> Plan {
        Plan::Pair(Box::new((left, right)))
    }

    /// The tree over the words from `first` to before `end`, at least one, halved again and again.
    pub(super) fn balanced(first: u32, end: u32) -> Plan {
        if end - first == 1 {
            return Plan::Word(first);
        }
        let middle = first + (end - first).div_ceil(2);
        Plan::pair(Plan::balanced(first, middle), Plan::balanced(middle, end))
    }
}

impl Shape {
    /// The tree over this many words, at least one, when nothing is known about them.
    pub(super) fn balanced(n_words: usize) -> Shape {
        Shape::new(&Plan::balanced(0, n_words as u32), n_words)
    }

    /// The tree that a plan describes, which has each of so many words once.
    pub(super) fn new(plan: &Plan, n_words: usize) -> Shape {
        let mut shape = Shape {
            words: Vec::with_capacity(n_words),
            leaves: vec![0; n_words],
            children: Vec::new(),
            parents: Vec::new(),
            root: (0, None),
        };
        match plan {
            Plan::Word(_) => {
                shape.add(plan, n_words as u32);
            }
            Plan::Pair(pair) => {
                let left = shape.add(&pair.0, n_words as u32);
                shape.root = (left, Some(shape.add(&pair.1, n_words as u32)));
            }
        }
        debug_assert_eq!(shape.words.len(), n_words);
        for (leaf, &word) in shape.words.iter().enumerate() {
            shape.leaves[word as usize] = leaf as u32;
        }
        shape.parents = vec![ROOT; n_words + shape.children.len()];
        for (index, &(left, right)) in shape.children.iter().enumerate() {
            shape.parents[left as usize] = (n_words + index) as u32;
            shape.parents[right as usize] = (n_words + index) as u32;
        }
        shape
    }

    /// Adds a part of a plan and gives its node.
    fn add(&mut self, plan: &Plan, n_words: u32) -> u32 {
        match plan {
            Plan::Word(word) => {
                self.words.push(*word);
                self.words.len() as u32 - 1
            }
            Plan::Pair(pair) => {
                let children = (self.add(&pair.0, n_words), self.add(&pair.1, n_words));
                self.children.push(children);
                n_words + self.children.len() as u32 - 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a node with its words in the order of the tree.
    fn write(shape: &Shape, node: u32) -> String {
        let n_leaves = shape.words.len() as u32;
        if node < n_leaves {
            let word = shape.words[node as usize];
            assert_eq!(shape.leaves[word as usize], node);
            return word.to_string();
        }
        let (left, right) = shape.children[(node - n_leaves) as usize];
        assert_eq!((shape.parents[left as usize], shape.parents[right as usize]), (node, node));
        format!("({} {})", write(shape, left), write(shape, right))
    }

    fn check(shape: &Shape, expected: &str) {
        let (left, right) = shape.root;
        let right = right.map(|right| format!(" {}", write(shape, right)));
        assert_eq!(write(shape, left) + &right.unwrap_or_default(), expected);
        assert_eq!(shape.children.len(), shape.words.len().saturating_sub(2));
    }

    #[test]
    fn words_are_halved_in_order_when_nothing_is_known_about_them() {
        check(&Shape::balanced(1), "0");
        check(&Shape::balanced(2), "0 1");
        check(&Shape::balanced(3), "(0 1) 2");
        check(&Shape::balanced(4), "(0 1) (2 3)");
        check(&Shape::balanced(7), "((0 1) (2 3)) ((4 5) 6)");
    }

    #[test]
    fn a_plan_may_put_words_in_any_order() {
        let low = Plan::pair(Plan::Word(3), Plan::Word(1));
        check(&Shape::new(&Plan::pair(Plan::Word(0), Plan::pair(low, Plan::Word(2))), 4), "0 ((3 1) 2)");
    }
}
