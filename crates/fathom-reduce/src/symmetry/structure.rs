//! What a permutation has to keep: sorts of names, and marks and edges between the names of a sort.
//!
//! There is one sort for the processes, one for the channels, and one for each class of elements of arrays. Constants mark
//! their name, lengths of arrays and tables of one argument mark names by their values, functions and tables of two
//! arguments are edges. Values of a class that are no names, 255 for "nobody" say, stay what they are.

use std::collections::{BTreeSet, HashMap};

use fathom_model::{Base, Expr, Index, Initializer, Model};

use super::families::{Home, Node};
use super::flow::{Class, Flow, Table, value_of};
use super::set_up::SetUp;
use crate::access::for_each_written;

/// The sort of process numbers.
pub(super) const PROCESSES: usize = 0;
/// The sort of channel numbers.
pub(super) const CHANNELS: usize = 1;

/// A fact about a name, or about two: which question, and the answer.
pub(super) type Fact = (usize, Option<i64>, i64);

/// Names of one sort and what is known of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Sort {
    /// What names have to be told apart by, from 0 on; names beyond stay what they are.
    pub marks: Vec<Vec<Fact>>,
    /// From, label, to.
    pub edges: Vec<(u32, Fact, u32)>,
    /// Every name stays what it is.
    pub is_rigid: bool,
}

/// All sorts of a model.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    /// Processes, channels, then classes of elements.
    pub sorts: Vec<Sort>,
    /// By template: processes of it stay where they are.
    pub is_fixed: Vec<bool>,
    /// By node: the sort of its values, if they are names.
    roles: Vec<Option<usize>>,
    /// Channels that global variables name for good: family, indices, and number.
    pub constants: Vec<(usize, Vec<u32>, u32)>,
    /// Questions asked about names so far.
    n_questions: usize,
}

/// Most values of a class of names.
const MOST_VALUES: usize = 512;

impl Structure {
    /// Works out the sorts.
    pub fn of(model: &Model, flow: &Flow<'_>, set_up: &SetUp) -> Structure {
        let n_templates = model.templates.len();
        let mut structure = Structure {
            sorts: vec![Sort::default(), Sort::default()],
            is_fixed: (0..n_templates).map(|template| flow.is_ordered[template]).collect(),
            roles: vec![None; flow.families.n_nodes],
            constants: constant_channels(model, flow),
            n_questions: 0,
        };
        structure.sorts[PROCESSES].is_rigid = model.uses_last;
        structure.sorts[PROCESSES].marks = vec![Vec::new(); set_up.n_processes() as usize];
        let mut tables: HashMap<Node, Vec<&Table>> = HashMap::new();
        for table in &flow.tables {
            tables.entry(flow.root(table.node)).or_default().push(table);
        }
        let none = Vec::new();
        for node in (0..flow.families.n_nodes).filter(|&node| flow.root(node) == node) {
            let class = flow.class(node);
            let role = structure.add_class(class, tables.get(&node).unwrap_or(&none));
            structure.roles[node] = role;
            let is_told_apart = role != Some(PROCESSES);
            structure.sorts[CHANNELS].is_rigid |= class.is_channel && role != Some(CHANNELS);
            structure.sorts[PROCESSES].is_rigid |= class.names_processes && is_told_apart;
            for &template in class.own.iter().filter(|_| is_told_apart && is_used(class)) {
                structure.is_fixed[template] = true;
            }
        }
        for node in 0..flow.families.n_nodes {
            structure.roles[node] = structure.roles[flow.root(node)];
        }
        structure.tie_to_channels(flow);
        structure
    }

    /// The sort of the values of a node, if they are names.
    pub fn role(&self, node: Node) -> Option<usize> {
        self.roles[node].filter(|&sort| !self.sorts[sort].is_rigid)
    }

    /// Where channels stay what they are, so does what indexes variables that name them for good.
    fn tie_to_channels(&mut self, flow: &Flow<'_>) {
        if !self.sorts[CHANNELS].is_rigid {
            return;
        }
        let question = self.n_questions;
        for (family, indices, _) in self.constants.clone() {
            let dimensions = &flow.families.all[family].dimensions;
            for (dimension, index) in dimensions.iter().zip(indices) {
                if let Some(sort) = self.roles[dimension.node] {
                    self.sorts[sort].single_out(question, i64::from(index));
                }
            }
        }
    }

    /// Adds what is known of a class to the sort of its values, and gives that sort; none when they are numbers.
    fn add_class(&mut self, class: &Class, tables: &[&Table]) -> Option<usize> {
        let is_process = class.is_process();
        let is_element = !class.lengths.is_empty();
        if class.is_number || class.is_channel && (is_process || is_element) {
            return None;
        }
        if class.is_channel {
            let is_plain = tables.is_empty() && class.constants.iter().all(|&number| number == 0);
            let fits = class.types.iter().all(|ty| ty.bits >= 16);
            return (is_plain && fits).then_some(CHANNELS);
        }
        let n_names = names_of(class, self.sorts[PROCESSES].marks.len() as u32);
        if n_names < 2 || n_names as usize > MOST_VALUES {
            return None;
        }
        let values = values_of(class, tables, n_names)?;
        let mut sort = Sort { marks: vec![Vec::new(); n_names as usize], edges: Vec::new(), is_rigid: false };
        sort.mark(self.n_questions, class, tables, &values);
        self.n_questions += 2 + tables.len();
        if !is_process {
            self.sorts.push(sort);
            return Some(self.sorts.len() - 1);
        }
        let processes = &mut self.sorts[PROCESSES];
        if processes.marks.len() < sort.marks.len() {
            processes.marks.resize(sort.marks.len(), Vec::new());
        }
        for (marks, others) in processes.marks.iter_mut().zip(sort.marks) {
            marks.extend(others);
        }
        processes.edges.extend(sort.edges);
        Some(PROCESSES)
    }
}

/// Channels that global variables name for good: nobody writes them. Other parts of Fathom count on it.
fn constant_channels(model: &Model, flow: &Flow<'_>) -> Vec<(usize, Vec<u32>, u32)> {
    let mut written = BTreeSet::new();
    for template in &model.templates {
        for_each_written(template, &mut |place| {
            if place.base == Base::Global {
                written.extend(flow.families.number_at(Home::Globals, place.offset));
            }
        });
    }
    let mut constants = Vec::new();
    let channels = model.globals.initializers.iter().filter_map(|initializer| match initializer {
        Initializer::Channel { place, .. } => Some(place),
        Initializer::Value { .. } => None,
    });
    for (number, place) in channels.enumerate() {
        // Initialisers name elements one by one.
        let Some((family, found)) = flow.families.find(Home::Globals, place.offset, &place.indices) else {
            continue;
        };
        let constant = |index: &Result<&Index, u32>| match index {
            Ok(Index { value: Expr::Const(value), .. }) => u32::try_from(*value).ok(),
            Ok(_) => None,
            Err(number) => Some(*number),
        };
        let indices: Option<Vec<u32>> = found.iter().map(constant).collect();
        let at = flow.families.number_at(Home::Globals, family.offset);
        if let (Some(indices), Some(family)) = (indices, at.filter(|family| !written.contains(family))) {
            constants.push((family, indices, number as u32 + 1));
        }
    }
    constants
}

/// Whether anything is done with the values of a class.
fn is_used(class: &Class) -> bool {
    class.is_number || class.names_processes || !class.types.is_empty() || !class.lengths.is_empty()
}

/// How many names a class has, if its values are names, with so many processes.
pub(super) fn names_of(class: &Class, n_processes: u32) -> u32 {
    let longest = class.lengths.iter().next_back().copied().unwrap_or(0);
    if class.is_process() { longest.max(n_processes) } else { longest }
}

/// All values that a class can have; none when they do not fit or are too many.
pub(super) fn values_of(class: &Class, tables: &[&Table], n_names: u32) -> Option<BTreeSet<i64>> {
    let mut values: BTreeSet<i64> = (0..i64::from(n_names)).collect();
    values.extend(class.constants.iter().chain(&class.first_values));
    let mut pending: Vec<i64> = values.iter().copied().collect();
    while let Some(value) = pending.pop() {
        for table in tables.iter().filter(|table| table.is_function) {
            let Some(result) = value_of(&table.expr, &table.leaves, &[value]) else { continue };
            if values.insert(result) {
                pending.push(result);
            }
        }
        if values.len() > 2 * MOST_VALUES {
            return None;
        }
    }
    let fits = |value: &i64| class.types.iter().all(|ty| ty.truncate(*value) == *value);
    values.iter().all(fits).then_some(values)
}

impl Sort {
    /// Writes down what tells names apart. Questions are numbered from `first` on.
    fn mark(&mut self, first: usize, class: &Class, tables: &[&Table], values: &BTreeSet<i64>) {
        for &number in &class.constants {
            self.single_out(first, number);
        }
        for &length in &class.lengths {
            for (name, marks) in self.marks.iter_mut().enumerate() {
                marks.push((first + 1, Some(i64::from(length)), i64::from(name < length as usize)));
            }
        }
        // The same function in two places of the text is one.
        let mut seen: Vec<Vec<Option<i64>>> = Vec::new();
        for (number, table) in tables.iter().enumerate() {
            let question = first + 2 + number;
            if table.leaves.len() == 1 {
                let results = values.iter().map(|&value| value_of(&table.expr, &table.leaves, &[value]));
                let results = results.chain([Some(i64::from(table.is_function))]).collect();
                if seen.contains(&results) {
                    continue;
                }
                seen.push(results);
            }
            match (table.is_function, table.leaves.len()) {
                (true, _) => self.mark_function(question, table, values),
                (false, 1) => self.mark_by_value(question, table),
                (false, _) => self.mark_relation(question, table, values),
            }
        }
    }

    fn name(&self, value: i64) -> Option<usize> {
        usize::try_from(value).ok().filter(|&name| name < self.marks.len())
    }

    fn single_out(&mut self, question: usize, value: i64) {
        if let Some(name) = self.name(value) {
            self.marks[name].push((question, Some(value), 0));
        }
    }

    fn mark_by_value(&mut self, question: usize, table: &Table) {
        for name in 0..self.marks.len() {
            let value = value_of(&table.expr, &table.leaves, &[name as i64]);
            self.marks[name].push((question, value, 0));
        }
    }

    fn mark_function(&mut self, question: usize, table: &Table, values: &BTreeSet<i64>) {
        for &value in values {
            let result = value_of(&table.expr, &table.leaves, &[value]);
            match (self.name(value), result.and_then(|result| self.name(result))) {
                (Some(from), Some(to)) => self.edges.push((from as u32, (question, None, 0), to as u32)),
                (Some(from), None) => self.marks[from].push((question, result, 0)),
                (None, Some(to)) => self.single_out(question, to as i64),
                (None, None) => (),
            }
        }
    }

    fn mark_relation(&mut self, question: usize, table: &Table, values: &BTreeSet<i64>) {
        for &left in values {
            for &right in values {
                let value = value_of(&table.expr, &table.leaves, &[left, right]);
                match (self.name(left), self.name(right)) {
                    (Some(from), Some(to)) if from == to => self.marks[from].push((question, value, 0)),
                    // What is false needs no edge.
                    (Some(from), Some(to)) if value != Some(0) => {
                        self.edges.push((from as u32, (question, value, 0), to as u32));
                    }
                    (Some(name), None) => self.marks[name].push((question, value, right << 1)),
                    (None, Some(name)) => self.marks[name].push((question, value, left << 1 | 1)),
                    _ => (),
                }
            }
        }
    }
}
