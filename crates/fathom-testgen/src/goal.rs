//! Goals: what tests should reach.
//!
//! | criterion | a goal for each |
//! | --- | --- |
//! | locations | location of a chart |
//! | transitions | edge of a chart |
//! | k-switch | sequence of k+1 edges of a chart that follow each other (Chow, "Testing software design modeled by finite-state machines", 1978) |
//! | definition-use | definition of a variable and use of it, with no other definition in between (Rapps and Weyuker, 1985) |
//! | requirements | name of a requirement |
//! | values | value of a variable that has few |
//! | traps | property that some state has |
//!
//! Sequences that cannot follow each other in the chart are no goals. Those that the chart allows and the data do not are: a search finds
//! out. The edges of a sequence are taken by one process, others may move in between.

use std::fmt;

use fathom_model::PropertyId;

use crate::chart::{Chart, Charts};

/// What makes goals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Criterion {
    /// Every location.
    Locations,
    /// Every edge.
    Transitions,
    /// Every sequence of this many edges and one more.
    Switches(usize),
    /// Every pair of a definition and a use.
    DefinitionUse,
    /// Every requirement.
    Requirements,
    /// Every value of variables that have few.
    Values,
}

impl Criterion {
    /// The name in reports and on the command line.
    pub fn name(self) -> String {
        match self {
            Criterion::Locations => "locations".to_owned(),
            Criterion::Transitions => "transitions".to_owned(),
            Criterion::Switches(k) => format!("{k}-switch"),
            Criterion::DefinitionUse => "def-use".to_owned(),
            Criterion::Requirements => "requirements".to_owned(),
            Criterion::Values => "values".to_owned(),
        }
    }

    /// The criterion with this name.
    pub fn named(name: &str) -> Option<Criterion> {
        match name {
            "locations" => Some(Criterion::Locations),
            "transitions" => Some(Criterion::Transitions),
            "def-use" => Some(Criterion::DefinitionUse),
            "requirements" => Some(Criterion::Requirements),
            "values" => Some(Criterion::Values),
            _ => name.strip_suffix("-switch")?.parse().ok().filter(|k| *k <= 8).map(Criterion::Switches),
        }
    }
}

/// One goal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// A process is at a location.
    Location {
        /// The chart.
        chart: usize,
        /// The location.
        location: usize,
    },
    /// A process takes an edge.
    Edge {
        /// The chart.
        chart: usize,
        /// The edge.
        edge: usize,
    },
    /// A process takes edges one after the other.
    Switch {
        /// The chart.
        chart: usize,
        /// The edges, two or more.
        edges: Vec<usize>,
    },
    /// An edge reads what another one wrote.
    DefinitionUse {
        /// The variable.
        variable: usize,
        /// Chart and edge that write it.
        definition: (usize, usize),
        /// Chart and edge that read it.
        reading: (usize, usize),
    },
    /// An edge that shows a requirement is taken.
    Requirement(String),
    /// A variable has a value: its number in [`Charts::values`].
    Value(usize),
    /// The system finds evidence about a property.
    Trap(PropertyId),
}

impl Goal {
    /// The word for its kind in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Goal::Location { .. } => "location",
            Goal::Edge { .. } => "transition",
            Goal::Switch { .. } => "switch",
            Goal::DefinitionUse { .. } => "def-use",
            Goal::Requirement(_) => "requirement",
            Goal::Value(_) => "value",
            Goal::Trap(_) => "trap",
        }
    }
}

/// Goals, numbered.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Goals {
    /// The goals, each once.
    pub goals: Vec<Goal>,
}

/// More goals than anyone wants to wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyGoals {
    /// Most goals.
    pub most: usize,
}

impl fmt::Display for TooManyGoals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "there are more than {} goals", self.most)
    }
}

impl std::error::Error for TooManyGoals {}

/// Most goals of all criteria together.
const MOST_GOALS: usize = 200_000;

impl Goals {
    /// The goals of some criteria, and one for each trap.
    ///
    /// # Errors
    ///
    /// When there are too many of them.
    pub fn of(charts: &Charts, criteria: &[Criterion], traps: &[PropertyId]) -> Result<Goals, TooManyGoals> {
        let mut goals = Goals::default();
        for (number, criterion) in criteria.iter().enumerate() {
            if !criteria[..number].contains(criterion) {
                goals.add_criterion(charts, *criterion)?;
            }
        }
        for &trap in traps {
            goals.push(Goal::Trap(trap))?;
        }
        Ok(goals)
    }

    /// Number of goals.
    pub fn len(&self) -> usize {
        self.goals.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.goals.is_empty()
    }

    /// The longest history of edges that a goal asks for.
    pub fn longest_switch(&self) -> usize {
        let lengths = self.goals.iter().map(|goal| match goal {
            Goal::Switch { edges, .. } => edges.len() - 1,
            _ => 0,
        });
        lengths.max().unwrap_or(0)
    }

    fn push(&mut self, goal: Goal) -> Result<(), TooManyGoals> {
        if self.goals.len() >= MOST_GOALS {
            return Err(TooManyGoals { most: MOST_GOALS });
        }
        self.goals.push(goal);
        Ok(())
    }

    fn add_criterion(&mut self, charts: &Charts, criterion: Criterion) -> Result<(), TooManyGoals> {
        match criterion {
            Criterion::Locations => each(charts, |chart| chart.locations.len())
                .try_for_each(|(chart, location)| self.push(Goal::Location { chart, location })),
            Criterion::Transitions | Criterion::Switches(0) => each(charts, |chart| chart.edges.len())
                .try_for_each(|(chart, edge)| self.push(Goal::Edge { chart, edge })),
            Criterion::Switches(k) => charts.charts.iter().enumerate().try_for_each(|(number, chart)| {
                let leaving = chart.leaving();
                (0..chart.edges.len())
                    .try_for_each(|edge| self.add_switches(number, chart, &leaving, k + 1, &mut vec![edge]))
            }),
            Criterion::DefinitionUse => self.add_definition_uses(charts),
            Criterion::Requirements => {
                let edges = charts.charts.iter().flat_map(|chart| &chart.edges);
                let mut names: Vec<&String> = edges.flat_map(|edge| &edge.requirements).collect();
                names.sort();
                names.dedup();
                names.into_iter().try_for_each(|name| self.push(Goal::Requirement(name.clone())))
            }
            Criterion::Values => (0..charts.values.len()).try_for_each(|value| self.push(Goal::Value(value))),
        }
    }

    fn add_switches(
        &mut self,
        number: usize,
        chart: &Chart,
        leaving: &[Vec<usize>],
        length: usize,
        edges: &mut Vec<usize>,
    ) -> Result<(), TooManyGoals> {
        if edges.len() == length {
            return self.push(Goal::Switch { chart: number, edges: edges.clone() });
        }
        let last = &chart.edges[edges[edges.len() - 1]];
        if last.ends {
            return Ok(());
        }
        for &next in &leaving[last.target] {
            edges.push(next);
            self.add_switches(number, chart, leaving, length, edges)?;
            edges.pop();
        }
        Ok(())
    }

    /// Shared variables may be written and read by anyone in between; those of a process only along its own chart.
    fn add_definition_uses(&mut self, charts: &Charts) -> Result<(), TooManyGoals> {
        for variable in 0..charts.variables.len() {
            let writes =
                |&(chart, edge): &(usize, usize)| charts.charts[chart].edges[edge].writes.contains(&variable);
            let reads =
                |&(chart, edge): &(usize, usize)| charts.charts[chart].edges[edge].reads.contains(&variable);
            let all = || each(charts, |chart| chart.edges.len());
            for definition in all().filter(writes) {
                let near = charts.variables[variable]
                    .owner
                    .map(|owner| read_next(&charts.charts[owner], definition.1, variable));
                for reading in all().filter(reads) {
                    if near.as_ref().is_none_or(|near| near[reading.1]) {
                        self.push(Goal::DefinitionUse { variable, definition, reading })?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Pairs of a chart and something that each chart has a number of.
fn each(charts: &Charts, n: impl Fn(&Chart) -> usize) -> impl Iterator<Item = (usize, usize)> {
    let counts: Vec<usize> = charts.charts.iter().map(n).collect();
    counts.into_iter().enumerate().flat_map(|(chart, count)| (0..count).map(move |index| (chart, index)))
}

/// By edge: whether it can be taken after a definition with no other definition of the variable in between.
fn read_next(chart: &Chart, definition: usize, variable: usize) -> Vec<bool> {
    let leaving = chart.leaving();
    let mut reached = vec![false; chart.edges.len()];
    let mut open = vec![definition];
    while let Some(edge) = open.pop() {
        for &next in &leaving[chart.edges[edge].target] {
            if !reached[next] {
                reached[next] = true;
                if !chart.edges[next].writes.contains(&variable) {
                    open.push(next);
                }
            }
        }
    }
    reached
}
