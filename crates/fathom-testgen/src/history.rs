//! The history: what goals need to know of the past, and which of them a step reaches.
//!
//! Locations, edges, requirements, values and traps need none. A sequence of k+1 edges needs the last k edges of each process, a definition and
//! its use the last definition of each variable. The history is a part of states that are searched ([`Observed`](crate::Observed)), so two states
//! with different pasts are different as far as some goal cares; in the source these are the variables `prev` and `befprev`.
//!
//! A history is a list of numbers: first the last definition of each shared variable, then for each process, up to the last that has
//! anything to remember, its last edges and the last definition of each of its variables. Edges are numbered over all charts, from 1; 0 is nothing.

use std::collections::HashMap;

use fathom_model::PropertyId;

use crate::chart::{Charts, Observe, Taken};
use crate::goal::{Goal, Goals};

/// Says which goals a step reaches.
pub struct Tracker<'a, L> {
    observe: &'a dyn Observe<L>,
    goals: &'a Goals,
    first_edges: Vec<u32>,
    /// By location of each chart: the goal.
    locations: Vec<Vec<Option<u32>>>,
    /// By edge over all charts.
    edges: Vec<EdgeGoals>,
    /// Sequences of edges over all charts, numbered from 1.
    switches: HashMap<Vec<u16>, u32>,
    /// The lengths of these sequences.
    lengths: Vec<usize>,
    traps: HashMap<PropertyId, u32>,
    /// By value of [`Charts::values`]; empty when no goal is about values.
    values: Vec<Option<u32>>,
    /// Numbers that all processes share, and that each process has: edges first.
    n_shared: usize,
    n_edges_kept: usize,
    n_own: usize,
}

/// What taking an edge is good for.
#[derive(Clone, Default)]
struct EdgeGoals {
    /// Reached by taking it, whatever came before.
    always: Vec<u32>,
    /// Where the last definition of a variable that it reads is kept, and the goal of each definition.
    readings: Vec<(Slot, HashMap<u16, u32>)>,
    /// Where the definitions that it makes are kept.
    definitions: Vec<Slot>,
    ends: bool,
}

/// Where the last definition of a variable is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    Shared(usize),
    Own(usize),
}

impl<L> std::fmt::Debug for Tracker<'_, L> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Tracker").field("goals", &self.goals.len()).finish_non_exhaustive()
    }
}

impl<'a, L> Tracker<'a, L> {
    /// A tracker of goals. None when there are more edges than it can number.
    pub fn new(observe: &'a dyn Observe<L>, goals: &'a Goals) -> Option<Tracker<'a, L>> {
        let charts = observe.charts();
        let first_edges = charts.first_edges();
        let n_edges = first_edges[first_edges.len() - 1];
        if n_edges >= u32::from(u16::MAX) {
            return None;
        }
        let mut tracker = Tracker {
            observe,
            goals,
            first_edges,
            locations: charts.charts.iter().map(|chart| vec![None; chart.locations.len()]).collect(),
            edges: vec![EdgeGoals::default(); n_edges as usize],
            switches: HashMap::new(),
            lengths: Vec::new(),
            traps: HashMap::new(),
            values: Vec::new(),
            n_shared: 0,
            n_edges_kept: goals.longest_switch(),
            n_own: goals.longest_switch(),
        };
        let slots = tracker.number_variables(charts);
        for (number, goal) in goals.goals.iter().enumerate() {
            tracker.add(number as u32, goal, charts, &slots);
        }
        tracker.add_definitions(charts, &slots);
        tracker.lengths.sort_unstable();
        tracker.lengths.dedup();
        Some(tracker)
    }

    /// The goals.
    pub fn goals(&self) -> &'a Goals {
        self.goals
    }

    /// The charts.
    pub fn charts(&self) -> &'a Charts {
        self.observe.charts()
    }

    /// What shows the charts.
    pub fn observe(&self) -> &'a dyn Observe<L> {
        self.observe
    }

    /// Whether any goal needs to know of the past.
    pub fn has_history(&self) -> bool {
        self.n_shared + self.n_own > 0
    }

    /// The goal of a finding.
    pub fn goal_of(&self, property: PropertyId) -> Option<u32> {
        self.traps.get(&property).copied()
    }

    /// The goals that the explicit part of an initial state reaches.
    pub fn start(&self, state: &[u8], reached: &mut Vec<u32>) {
        self.observe.locations(state, &mut |_, chart, location| {
            reached.extend(self.locations[chart as usize][location as usize]);
        });
        self.arrive(state, reached);
    }

    /// The goals that the explicit part of a state reaches, whatever step led there.
    pub fn arrive(&self, state: &[u8], reached: &mut Vec<u32>) {
        if !self.values.is_empty() {
            self.observe.values(state, &mut |value| reached.extend(self.values[value]));
        }
    }

    /// Adds a step to a history, and gives the goals that it reaches, some perhaps more than once.
    pub fn step(&self, labels: &[L], history: &mut Vec<u16>, reached: &mut Vec<u32>) {
        for label in labels {
            self.observe.taken(label, &mut |taken| self.take(taken, history, reached));
        }
        if self.has_history() {
            self.trim(history);
        }
    }

    fn take(&self, taken: Taken, history: &mut Vec<u16>, reached: &mut Vec<u32>) {
        let number = (self.first_edges[taken.chart as usize] + taken.edge) as usize;
        let goals = &self.edges[number];
        reached.extend_from_slice(&goals.always);
        if !self.has_history() {
            return;
        }
        let own = self.n_shared + taken.process as usize * self.n_own;
        if history.len() < own + self.n_own {
            history.resize(own + self.n_own, 0);
        }
        let place = |slot: Slot| match slot {
            Slot::Shared(slot) => slot,
            Slot::Own(slot) => own + slot,
        };
        for (slot, definitions) in &goals.readings {
            reached.extend(definitions.get(&history[place(*slot)]));
        }
        for &slot in &goals.definitions {
            history[place(slot)] = number as u16 + 1;
        }
        self.take_switch(number as u16 + 1, &mut history[own..own + self.n_edges_kept], reached);
        if goals.ends {
            history[own..own + self.n_own].fill(0);
        }
    }

    /// The last edges of a process, the latest last.
    fn take_switch(&self, edge: u16, last: &mut [u16], reached: &mut Vec<u32>) {
        if last.is_empty() {
            return;
        }
        let sequence: Vec<u16> = last.iter().copied().chain([edge]).collect();
        for &length in &self.lengths {
            reached.extend(self.switches.get(&sequence[sequence.len() - length..]));
        }
        last.rotate_left(1);
        last[last.len() - 1] = edge;
    }

    /// The last edges of a process, the latest last; nothing when it has none.
    pub(crate) fn last_edges<'h>(&self, history: &'h [u16], process: u32) -> &'h [u16] {
        let own = self.n_shared + process as usize * self.n_own;
        history.get(own..own + self.n_edges_kept).unwrap_or(&[])
    }

    /// Leaves out processes at the end that have nothing to remember: histories that say the same are the same.
    fn trim(&self, history: &mut Vec<u16>) {
        while history.len() >= self.n_shared + self.n_own
            && self.n_own > 0
            && history[history.len() - self.n_own..].iter().all(|&number| number == 0)
        {
            history.truncate(history.len() - self.n_own);
        }
        let is_nothing = history.len() <= self.n_shared && history.iter().all(|&number| number == 0);
        if is_nothing {
            history.clear();
        }
    }

    /// Where the last definition of each variable is kept, if a goal asks for it.
    fn number_variables(&mut self, charts: &Charts) -> Vec<Option<Slot>> {
        let mut slots = vec![None; charts.variables.len()];
        let mut n_own = vec![self.n_edges_kept; charts.charts.len()];
        for goal in &self.goals.goals {
            let Goal::DefinitionUse { variable, .. } = goal else { continue };
            if slots[*variable].is_some() {
                continue;
            }
            slots[*variable] = Some(match charts.variables[*variable].owner {
                None => {
                    self.n_shared += 1;
                    Slot::Shared(self.n_shared - 1)
                }
                Some(owner) => {
                    n_own[owner] += 1;
                    Slot::Own(n_own[owner] - 1)
                }
            });
        }
        self.n_own = n_own.into_iter().max().unwrap_or(0);
        slots
    }

    fn number(&self, chart: usize, edge: usize) -> usize {
        self.first_edges[chart] as usize + edge
    }

    fn add(&mut self, number: u32, goal: &Goal, charts: &Charts, slots: &[Option<Slot>]) {
        match goal {
            Goal::Location { chart, location } => {
                self.locations[*chart][*location] = Some(number);
                self.add_location(number, *chart, *location, charts);
            }
            Goal::Edge { chart, edge } => {
                let edge = self.number(*chart, *edge);
                self.edges[edge].always.push(number);
            }
            Goal::Switch { chart, edges } => {
                let sequence: Vec<u16> =
                    edges.iter().map(|&edge| self.number(*chart, edge) as u16 + 1).collect();
                self.lengths.push(sequence.len());
                self.switches.insert(sequence, number);
            }
            Goal::DefinitionUse { variable, definition, reading } => {
                let slot = slots[*variable].expect("a variable that a goal names has a place");
                let definition = self.number(definition.0, definition.1) as u16 + 1;
                let reading = self.number(reading.0, reading.1);
                let readings = &mut self.edges[reading].readings;
                let at = readings.iter().position(|entry| entry.0 == slot).unwrap_or_else(|| {
                    readings.push((slot, HashMap::new()));
                    readings.len() - 1
                });
                readings[at].1.insert(definition, number);
            }
            Goal::Requirement(name) => {
                for (chart, of_chart) in charts.charts.iter().enumerate() {
                    for (edge, of_edge) in of_chart.edges.iter().enumerate() {
                        if of_edge.requirements.contains(name) {
                            let edge = self.number(chart, edge);
                            self.edges[edge].always.push(number);
                        }
                    }
                }
            }
            Goal::Value(value) => {
                self.values.resize(charts.values.len(), None);
                self.values[*value] = Some(number);
            }
            Goal::Trap(property) => {
                self.traps.insert(*property, number);
            }
        }
    }

    /// A location is reached by the edges that enter it, and by those that create a process which starts there.
    fn add_location(&mut self, number: u32, chart: usize, location: usize, charts: &Charts) {
        for (from, of_chart) in charts.charts.iter().enumerate() {
            for (index, edge) in of_chart.edges.iter().enumerate() {
                let enters = from == chart && edge.target == location && !edge.ends;
                let creates = edge.creates.contains(&chart) && charts.charts[chart].initial == location;
                if enters || creates {
                    let edge = self.number(from, index);
                    self.edges[edge].always.push(number);
                }
            }
        }
    }

    fn add_definitions(&mut self, charts: &Charts, slots: &[Option<Slot>]) {
        for (chart, of_chart) in charts.charts.iter().enumerate() {
            for (edge, of_edge) in of_chart.edges.iter().enumerate() {
                let number = self.number(chart, edge);
                self.edges[number].ends = of_edge.ends;
                self.edges[number].definitions = of_edge.writes.iter().filter_map(|&it| slots[it]).collect();
            }
        }
    }
}
