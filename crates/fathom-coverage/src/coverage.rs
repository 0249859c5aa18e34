//! Following an execution, event by event, with trials that are taken back.
//!
//! The source keeps a table of executions in each leaf and copies all of them for a trial. Here a journal notes what a trial changed, so that
//! looking ahead costs what happens in it, not the size of the tables.

use std::collections::BTreeSet;

use fathom_source::Diagnostic;
use rustc_hash::FxHashMap;

use crate::criterion::{Criterion, Elementary, Join, Kind, Quantifier};
use crate::rate::Rate;
use crate::reference::Event;

/// The items that are known before anything is executed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Universe {
    /// Actions, states, transitions and variables.
    pub items: BTreeSet<(Kind, String)>,
    /// Whether there are no others: what matches nothing then never will.
    pub is_complete: bool,
}

/// An item by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Item(u32);

/// One event, by the numbers of its items.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Happened {
    /// What was executed or visited.
    pub items: Vec<Item>,
    /// The values that variables have now.
    pub values: Vec<(Item, i64)>,
}

/// How far an execution has got with a criterion.
#[derive(Clone, Debug)]
pub struct Coverage {
    criterion: Criterion,
    nodes: Vec<Node>,
    root: usize,
    numbers: FxHashMap<(Kind, String), Item>,
    journal: Vec<Undo>,
    /// Lengths of the journal where trials began.
    trials: Vec<usize>,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(Leaf),
    Joined { left: usize, join: Join, right: usize, is_second: bool },
}

/// The table of an elementary criterion.
#[derive(Clone, Debug)]
struct Leaf {
    elementary: Elementary,
    /// Where the items that match are in the table.
    places: FxHashMap<Item, usize>,
    /// Value, and whether it is known to belong to the table: from the start, or since it came up.
    table: Vec<(u64, bool)>,
    n_members: u64,
    /// Sum of the values, each capped.
    sum: u64,
    /// The largest value, capped.
    largest: u64,
}

/// What a trial changed.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Entry { node: usize, place: usize, entry: (u64, bool), n_members: u64, sum: u64, largest: u64 },
    Second { node: usize },
}

impl Leaf {
    fn rate(&self) -> Rate {
        let least = u64::from(self.elementary.least);
        match self.elementary.quantifier {
            Quantifier::Any => Rate::of(self.largest, least),
            Quantifier::Every if self.n_members == 0 => Rate::NONE,
            Quantifier::Every => Rate::of(self.sum, least * self.n_members),
        }
    }

    fn set(&mut self, place: usize, value: u64) {
        let least = u64::from(self.elementary.least);
        let (old, is_member) = self.table[place];
        self.n_members += u64::from(!is_member);
        self.sum = self.sum - old.min(least) + value.min(least);
        self.largest = self.largest.max(value.min(least));
        self.table[place] = (value, true);
    }
}

impl Coverage {
    /// Nothing has been executed yet.
    ///
    /// # Errors
    ///
    /// When a query matches nothing that there is: it could never be fulfilled, or would be without a test.
    pub fn new(criterion: &Criterion, universe: &Universe) -> Result<Coverage, Vec<Diagnostic>> {
        let mut coverage = Coverage {
            criterion: criterion.clone(),
            nodes: Vec::new(),
            root: 0,
            numbers: FxHashMap::default(),
            journal: Vec::new(),
            trials: Vec::new(),
        };
        coverage.root = coverage.add(criterion);
        for (kind, text) in &universe.items {
            let item = coverage.item(*kind, text);
            for leaf in coverage.leaves_mut() {
                if let Some(place) = leaf.places.get(&item) {
                    leaf.table[*place].1 = true;
                    leaf.n_members += 1;
                }
            }
        }
        let mut problems = Vec::new();
        for leaf in coverage.leaves_mut() {
            let may_come = !universe.is_complete && leaf.elementary.quantifier == Quantifier::Any;
            if leaf.n_members == 0 && !may_come {
                let message = format!("`{}` matches nothing in the model", leaf.elementary);
                let problem = Diagnostic::error("coverage::matches-nothing", message);
                problems.push(match leaf.elementary.span {
                    Some(span) => problem.at(span, ""),
                    None => problem,
                });
            }
        }
        if problems.is_empty() { Ok(coverage) } else { Err(problems) }
    }

    fn add(&mut self, criterion: &Criterion) -> usize {
        let node = match criterion {
            Criterion::Elementary(elementary) => Node::Leaf(Leaf {
                elementary: elementary.clone(),
                places: FxHashMap::default(),
                table: Vec::new(),
                n_members: 0,
                sum: 0,
                largest: 0,
            }),
            Criterion::Joined(left, join, right) => {
                let (left, right) = (self.add(left), self.add(right));
                Node::Joined { left, join: *join, right, is_second: false }
            }
        };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn leaves_mut(&mut self) -> impl Iterator<Item = &mut Leaf> {
        self.nodes.iter_mut().filter_map(|node| match node {
            Node::Leaf(leaf) => Some(leaf),
            Node::Joined { .. } => None,
        })
    }

    /// What is followed.
    pub fn criterion(&self) -> &Criterion {
        &self.criterion
    }

    /// The number of an item.
    pub fn item(&mut self, kind: Kind, text: &str) -> Item {
        if let Some(item) = self.numbers.get(&(kind, text.to_owned())) {
            return *item;
        }
        let item = Item(self.numbers.len() as u32);
        self.numbers.insert((kind, text.to_owned()), item);
        for leaf in self.leaves_mut() {
            if leaf.elementary.matches(kind, text) {
                leaf.places.insert(item, leaf.table.len());
                leaf.table.push((0, false));
            }
        }
        item
    }

    /// An event with numbers for its items.
    pub fn number(&mut self, event: &Event) -> Happened {
        let items = event.items.iter().map(|(kind, text)| self.item(*kind, text)).collect();
        let values = event.values.iter();
        let values = values.map(|(name, value)| (self.item(Kind::SystemVariables, name), *value)).collect();
        Happened { items, values }
    }

    /// Counts an event.
    pub fn mark(&mut self, happened: &Happened) {
        self.mark_node(self.root, happened);
    }

    fn mark_node(&mut self, node: usize, happened: &Happened) {
        let (left, join, right, is_second) = match &self.nodes[node] {
            Node::Leaf(_) => return self.mark_leaf(node, happened),
            Node::Joined { left, join, right, is_second } => (*left, *join, *right, *is_second),
        };
        match join {
            Join::And | Join::Or => {
                self.mark_node(left, happened);
                self.mark_node(right, happened);
            }
            Join::Then if is_second => self.mark_node(right, happened),
            Join::Then => {
                self.mark_node(left, happened);
                if self.rate_of(left).is_full() {
                    self.go_on(node);
                }
            }
        }
    }

    /// From now on the second criterion of a `then` counts.
    fn go_on(&mut self, node: usize) {
        if !self.trials.is_empty() {
            self.journal.push(Undo::Second { node });
        }
        if let Node::Joined { is_second, .. } = &mut self.nodes[node] {
            *is_second = true;
        }
    }

    fn mark_leaf(&mut self, node: usize, happened: &Happened) {
        let is_trial = !self.trials.is_empty();
        let Node::Leaf(leaf) = &mut self.nodes[node] else { return };
        let mut set = |leaf: &mut Leaf, place: usize, value: u64| {
            if is_trial {
                let Leaf { n_members, sum, largest, .. } = *leaf;
                self.journal.push(Undo::Entry {
                    node,
                    place,
                    entry: leaf.table[place],
                    n_members,
                    sum,
                    largest,
                });
            }
            leaf.set(place, value);
        };
        for item in &happened.items {
            if let Some(place) = leaf.places.get(item).copied() {
                let value = leaf.table[place].0 + 1;
                set(leaf, place, value);
            }
        }
        for (item, value) in &happened.values {
            if let Some(place) = leaf.places.get(item).copied() {
                let value = leaf.table[place].0.max(u64::try_from(*value).unwrap_or(0));
                set(leaf, place, value);
            }
        }
    }

    /// Begins a trial.
    pub fn push(&mut self) {
        self.trials.push(self.journal.len());
    }

    /// Takes back everything since the trial began.
    ///
    /// # Panics
    ///
    /// When no trial has begun.
    pub fn pop(&mut self) {
        let length = self.trials.pop().expect("a trial has begun");
        while self.journal.len() > length {
            match self.journal.pop().expect("the journal is longer") {
                Undo::Second { node } => {
                    if let Node::Joined { is_second, .. } = &mut self.nodes[node] {
                        *is_second = false;
                    }
                }
                Undo::Entry { node, place, entry, n_members, sum, largest } => {
                    if let Node::Leaf(leaf) = &mut self.nodes[node] {
                        leaf.table[place] = entry;
                        (leaf.n_members, leaf.sum, leaf.largest) = (n_members, sum, largest);
                    }
                }
            }
        }
    }

    /// How much is fulfilled.
    pub fn rate(&self) -> Rate {
        self.rate_of(self.root)
    }

    fn rate_of(&self, node: usize) -> Rate {
        match &self.nodes[node] {
            Node::Leaf(leaf) => leaf.rate(),
            Node::Joined { left, join, right, is_second } => match join {
                Join::And => self.rate_of(*left).min(self.rate_of(*right)),
                Join::Or => self.rate_of(*left).max(self.rate_of(*right)),
                Join::Then if *is_second => self.rate_of(*right).second_half(),
                Join::Then => self.rate_of(*left).first_half(),
            },
        }
    }

    /// A finer measure, for choosing among steps that leave the rate as it is: with `and` as the least of two, a step for the one that is
    /// ahead changes nothing. Here `and` and `or` are averages.
    pub fn progress(&self) -> f64 {
        self.progress_of(self.root)
    }

    fn progress_of(&self, node: usize) -> f64 {
        match &self.nodes[node] {
            Node::Leaf(leaf) => leaf.rate().to_f64(),
            Node::Joined { left, join: Join::Then, right, is_second } => match is_second {
                true => 0.5 + self.progress_of(*right) / 2.0,
                false => self.progress_of(*left) / 2.0,
            },
            Node::Joined { left, right, .. } => (self.progress_of(*left) + self.progress_of(*right)) / 2.0,
        }
    }

    /// By elementary criterion, from left to right: its text, its rate, and items below the value that is asked for, as far as they are known.
    pub fn details(&self) -> Vec<(String, Rate, Vec<String>)> {
        let mut texts: Vec<&String> = vec![&EMPTY; self.numbers.len()];
        let mut known: Vec<(&(Kind, String), &Item)> = self.numbers.iter().collect();
        known.sort_by_key(|(_, item)| **item);
        for ((_, text), item) in known {
            texts[item.0 as usize] = text;
        }
        let leaves = self.nodes.iter().filter_map(|node| match node {
            Node::Leaf(leaf) => Some(leaf),
            Node::Joined { .. } => None,
        });
        let detail = |leaf: &Leaf| {
            let mut places: Vec<(&Item, &usize)> = leaf.places.iter().collect();
            places.sort();
            let lacking = places.into_iter().filter(|(_, place)| {
                let (value, is_member) = leaf.table[**place];
                is_member && value < u64::from(leaf.elementary.least)
            });
            let lacking = lacking.map(|(item, _)| texts[item.0 as usize].clone()).collect();
            (leaf.elementary.to_string(), leaf.rate(), lacking)
        };
        leaves.map(detail).collect()
    }
}

static EMPTY: String = String::new();
