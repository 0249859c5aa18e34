//! Values that are there before what `flow.rs` follows begins: first values of variables, what the set-up writes, and constants of
//! templates that are read as one.
//!
//! They need not be names, 255 for "nobody" say, and do not have to be kept: the first state need not look like its images. But
//! what is computed from names is computed from them as well, so that tables have to be worked out for them: `(x + 1) % N` makes
//! 0 of 255, whoever asks. They are looked up in the states in which the set-up ends, or, when there are too many states before, followed
//! through the text of the set-up. Where neither tells, a class of names from which something is computed is one of numbers.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fathom_model::layout::{Layout, RecordKind};
use fathom_model::{Expr, Interpreter, Model, NoRegion, ScalarType, Steps, System};

use super::families::{Families, Home, Node};
use super::flow::Flow;
use super::fold::{Fold, read_as};
use super::quotient::n_messages;
use super::set_up::SetUp;
use super::shape::records_of;
use super::structure::{names_of, values_of};

/// Most states that are looked at until the set-up ends.
const MOST_STATES: usize = 4000;
/// Most values that are read in them.
const MOST_VALUES: usize = 1 << 20;

/// By class of names: the values.
type Values = BTreeMap<Node, BTreeSet<i64>>;

/// What the values are looked up in.
pub(super) struct Start<'m> {
    pub model: &'m Model,
    pub set_up: &'m SetUp,
    /// The model as it is read for the analysis, and the folds in it.
    pub read: &'m Model,
    pub folds: &'m [Fold],
    pub looked_at: &'m [&'m Expr],
}

impl Start<'_> {
    /// Tells the classes from which something is computed which values they have at first.
    pub fn add_values(&self, flow: &mut Flow<'_>) {
        let wanted = flow.classes_with_tables();
        if wanted.is_empty() {
            return;
        }
        let found = self.look_up(flow, &wanted).or_else(|| self.follow(flow, &wanted));
        for &class in &wanted {
            match found.as_ref().and_then(|found| found.get(&class)) {
                Some(values) => flow.add_first_values(class, values),
                None => flow.make_number(class),
            }
        }
        for fold in self.folds {
            for parameter in &fold.parameters {
                let home = Home::Locals(fold.templates[0]);
                if let Some(number) = flow.families.number_at(home, parameter.offset) {
                    let values = parameter.values.iter().copied().collect();
                    flow.add_first_values(flow.families.all[number].node, &values);
                }
            }
        }
    }

    /// The values in the states in which the set-up ends; none when there are too many states before.
    fn look_up(&self, flow: &Flow<'_>, wanted: &BTreeSet<Node>) -> Option<Values> {
        let places = Places::of(self, flow, wanted)?;
        let mut values: Values = wanted.iter().map(|&class| (class, BTreeSet::new())).collect();
        let interpreter = Interpreter::new(self.model, &[]);
        let (mut scratch, mut steps, mut records) = (interpreter.scratch(), Steps::new(), Vec::new());
        interpreter.initial(&mut scratch, &mut steps);
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let mut pending: Vec<Vec<u8>> = Vec::new();
        let mut n_values = 0;
        loop {
            for index in 0..steps.len() {
                if !seen.contains(steps.state(index)) {
                    seen.insert(steps.state(index).to_vec());
                    pending.push(steps.state(index).to_vec());
                }
            }
            if seen.len() > MOST_STATES || n_values > MOST_VALUES {
                return None;
            }
            let Some(state) = pending.pop() else { return Some(values) };
            steps.clear();
            records_of(&places.layout, &state, &mut records);
            match self.set_up.is_over(&places.layout, &state, &records) {
                true => n_values += places.read(&state, &records, &mut values),
                false => interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps),
            }
        }
    }

    /// All values that classes have at any time, with what the set-up does, as far as the text tells.
    fn follow(&self, flow: &Flow<'_>, wanted: &BTreeSet<Node>) -> Option<Values> {
        if !self.model.initial_effect.is_empty() {
            return None;
        }
        let whole = Flow::of_everything(self.read, self.looked_at, self.set_up, self.folds)?;
        let n_processes = self.set_up.n_processes();
        let mut values: Values = wanted.iter().map(|&class| (class, BTreeSet::new())).collect();
        let is_given = |node: &Node| wanted.contains(&flow.root(*node));
        for node in (0..whole.n_given).filter(is_given) {
            let class = whole.class(node);
            let root = whole.root(node);
            let tables: Vec<_> = whole.tables.iter().filter(|table| whole.root(table.node) == root).collect();
            let n_names = names_of(class, n_processes);
            let found = values_of(class, &tables, n_names).filter(|_| !class.is_number);
            match (found, flow.root(node)) {
                (Some(found), class) => _ = values.get_mut(&class).map(|values| values.extend(found)),
                (None, class) => _ = values.remove(&class),
            }
        }
        Some(values)
    }
}

/// Where the values of classes are in states.
struct Places {
    layout: Layout,
    /// Where, the offsets there, type and class.
    families: Vec<(Home, Vec<u32>, ScalarType, Node)>,
    /// By channel type: offset in the message, type and class.
    messages: Vec<Vec<(u32, ScalarType, Node)>>,
}

impl Places {
    fn of(start: &Start<'_>, flow: &Flow<'_>, wanted: &BTreeSet<Node>) -> Option<Places> {
        let mut families = Vec::new();
        for family in Families::of(start.model)?.all {
            let home = match family.home {
                Home::Locals(template) => Home::Locals(read_as(start.folds, template)),
                Home::Globals => Home::Globals,
            };
            let number = flow.families.number_at(home, family.offset)?;
            let class = flow.root(flow.families.all[number].node);
            if wanted.contains(&class) {
                let offsets = family.elements().into_iter().map(|(_, offset)| offset).collect();
                families.push((family.home, offsets, family.ty, class));
            }
        }
        let mut messages = Vec::new();
        for (ty, nodes) in start.model.channel_types.iter().zip(&flow.messages) {
            let mut offset = 0;
            let mut fields = Vec::new();
            for (&ty, &node) in ty.fields.iter().zip(nodes) {
                fields.push((offset, ty, flow.root(node)));
                offset += ty.size();
            }
            fields.retain(|(_, _, class)| wanted.contains(class));
            messages.push(fields);
        }
        Some(Places { layout: Layout::new(start.model), families, messages })
    }

    /// Adds the values in a state, and gives how many were read.
    fn read(&self, state: &[u8], records: &[(RecordKind, u32)], values: &mut Values) -> usize {
        let mut n_values = 0;
        let mut add = |class: &Node, ty: ScalarType, address: u32| {
            let value = ty.read(&state[address as usize..]);
            values.entry(*class).or_default().insert(value);
            n_values += 1;
        };
        let globals = [(Home::Globals, 0)];
        let processes = records.iter().filter_map(|&(kind, offset)| match kind {
            RecordKind::Process(template) => {
                let layout = self.layout.processes[template.index()];
                Some((Home::Locals(template.index()), offset + layout.locals))
            }
            RecordKind::Channel(_) => None,
        });
        for (home, start) in globals.into_iter().chain(processes) {
            for (_, offsets, ty, class) in self.families.iter().filter(|(other, ..)| *other == home) {
                offsets.iter().for_each(|offset| add(class, *ty, start + offset));
            }
        }
        for &(kind, offset) in records {
            let RecordKind::Channel(ty) = kind else { continue };
            let layout = self.layout.channels[ty.index()];
            for slot in 0..n_messages(&self.layout, state, ty.index(), offset) {
                let message = offset + layout.messages + slot * layout.message_size;
                for (field, scalar, class) in &self.messages[ty.index()] {
                    add(class, *scalar, message + field);
                }
            }
        }
        n_values
    }
}
