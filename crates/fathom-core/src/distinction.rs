//! What a successful pruned search has taken for equal, with names.
//!
//! [`fathom_hunt::distinguish`] knows states as bytes; here they are described, so that the report speaks of variables,
//! locations and channels: which of them differ inside classes of states that the search could not tell apart, and
//! which never do.

use std::collections::BTreeMap;

use fathom_guide::Heuristic;
use fathom_hunt::{Distinguished, Hit, Role, distinguish};
use fathom_model::explain::{Owner, describe_state};
use fathom_model::layout::Layout;
use fathom_model::{Model, NoRegion, PropertyId, System};

/// What a pruned search has taken for equal.
#[derive(Clone, PartialEq, Debug)]
pub struct Distinction {
    /// The property that was found.
    pub property: PropertyId,
    /// Bits of the table.
    pub bits: u64,
    /// Different states that were generated.
    pub n_states: usize,
    /// Classes of states that were taken for equal; everything that was not met is one more.
    pub n_classes: usize,
    /// Variables, locations (`p[1]@`) and channels, with their roles.
    pub variables: Vec<(String, Role)>,
    /// The classes with more than one state, the largest first: for each state the values of the variables in their order,
    /// none where a state has no such variable.
    pub shared: Vec<Vec<Vec<Option<String>>>>,
}

/// Most values that are written down.
const MOST_VALUES: usize = 4_000_000;

/// Repeats a search of a system of a model and reports what it took for equal.
pub(crate) fn distinction<S: System<Region = NoRegion>>(
    model: &Model,
    system: &S,
    hit: &Hit,
    heuristic: Option<&dyn Heuristic<NoRegion>>,
) -> Distinction {
    let whole = distinguish(system, hit, heuristic);
    let (n_states, n_classes) = (whole.states.len(), whole.classes.len());
    let Table { names, columns, n_rows } = describe(model, &whole.states);
    // What was not written down does not count for the roles.
    let part = first_states(whole, n_rows);
    let variables = names.into_iter().zip(&columns).map(|(name, values)| (name, part.role(values))).collect();
    let mut shared: Vec<&Vec<usize>> = part.classes.iter().filter(|class| class.len() > 1).collect();
    shared.sort_by_key(|class| std::cmp::Reverse(class.len()));
    let values = |state: usize| columns.iter().map(|column| column[state].clone()).collect();
    Distinction {
        property: hit.property,
        bits: hit.throw.bits,
        n_states,
        n_classes,
        variables,
        shared: shared.into_iter().map(|class| class.iter().map(|&state| values(state)).collect()).collect(),
    }
}

/// States by name: one column for each name, one row for each state.
struct Table {
    names: Vec<String>,
    columns: Vec<Vec<Option<String>>>,
    n_rows: usize,
}

fn describe(model: &Model, states: &[Vec<u8>]) -> Table {
    let layout = Layout::new(model);
    let mut table = Table { names: Vec::new(), columns: Vec::new(), n_rows: 0 };
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    for state in states {
        if table.n_rows > 1 && table.n_rows * table.names.len() >= MOST_VALUES {
            break;
        }
        for (name, value) in named_values(model, &layout, state) {
            let column = *by_name.entry(name).or_insert_with_key(|name| {
                table.names.push(name.clone());
                table.columns.push(vec![None; table.n_rows]);
                table.names.len() - 1
            });
            table.columns[column].resize(table.n_rows, None);
            table.columns[column].push(Some(value));
        }
        table.n_rows += 1;
    }
    table.columns.iter_mut().for_each(|column| column.resize(table.n_rows, None));
    table
}

/// Everything in a state with a name.
fn named_values(model: &Model, layout: &Layout, state: &[u8]) -> Vec<(String, String)> {
    let described = describe_state(model, layout, state);
    let mut named = Vec::new();
    for value in described.values {
        let name = match value.owner {
            Owner::Global => value.name,
            Owner::Process { number, template } => {
                format!("{}[{number}].{}", model.template(template).name, value.name)
            }
        };
        named.push((name, value.value));
    }
    for process in described.processes {
        let place = match process.labels.first() {
            Some(label) => label.clone(),
            None => format!("location {}", process.location.0),
        };
        named.push((format!("{}[{}]@", process.name, process.number), place));
    }
    let channel = |channel: &fathom_model::explain::ChannelContents| {
        (format!("{} #{}", channel.name, channel.number), channel.messages.join(" | "))
    };
    named.extend(described.channels.iter().map(channel));
    named
}

/// The classes among the first states only.
fn first_states(mut whole: Distinguished, n_states: usize) -> Distinguished {
    whole.states.truncate(n_states);
    for class in &mut whole.classes {
        class.retain(|&state| state < n_states);
    }
    whole.classes.retain(|class| !class.is_empty());
    whole
}
