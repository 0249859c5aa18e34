//! How far a state is from the nearest goal that is wanted, by charts alone.
//!
//! A process is as far from taking an edge as there are edges between its location and the edge; for a sequence of edges the part of it that
//! was just taken counts. Guards are not looked at, so the estimate is never too large where processes move one at a time. What it cannot
//! see is a counter that a guard waits for. *Drivers* help there: edges that write a variable which the guard of a wanted edge reads, and that lie
//! on a cycle. The source calls them entries of loops and frees them from its penalty by hand (Ernits, 2007, section 5.1.6: tuned
//! models); here they are found.

use std::collections::{HashMap, VecDeque};

use crate::chart::{Chart, Charts, Taken};
use crate::goal::Goal;
use crate::history::Tracker;

/// An estimate larger than every other: no wanted goal is ahead.
pub(crate) const FAR: u32 = u32::MAX / 4;

/// Distances to the wanted goals.
#[derive(Debug)]
pub(crate) struct Distances {
    /// By chart and location: edges to be taken until the nearest wanted goal.
    locations: Vec<Vec<u32>>,
    /// By last edges of a process, the latest last: edges still missing.
    begun: HashMap<Vec<u16>, u32>,
    /// By chart and edge: whether it drives a loop that a wanted goal waits for.
    drivers: Vec<Vec<bool>>,
}

impl Distances {
    /// Distances to the goals that are wanted.
    pub fn new<L>(tracker: &Tracker<'_, L>, is_wanted: impl Fn(u32) -> bool) -> Distances {
        let charts = tracker.charts();
        let first_edges = charts.first_edges();
        // By chart and edge: how many edges are missing once this one is to be taken, itself included.
        let mut starts: Vec<Vec<u32>> =
            charts.charts.iter().map(|chart| vec![FAR; chart.edges.len()]).collect();
        let mut begun = HashMap::new();
        for (number, goal) in tracker.goals().goals.iter().enumerate() {
            if !is_wanted(number as u32) {
                continue;
            }
            let mut start = |chart: usize, edge: usize, missing: u32| {
                starts[chart][edge] = starts[chart][edge].min(missing);
            };
            match goal {
                Goal::Edge { chart, edge } => start(*chart, *edge, 1),
                Goal::Switch { chart, edges } => {
                    start(*chart, edges[0], edges.len() as u32);
                    let numbers: Vec<u16> =
                        edges.iter().map(|&edge| (first_edges[*chart] + edge as u32) as u16 + 1).collect();
                    for taken in 1..numbers.len() {
                        let missing = (numbers.len() - taken) as u32;
                        let entry = begun.entry(numbers[..taken].to_vec()).or_insert(missing);
                        *entry = missing.min(*entry);
                    }
                }
                Goal::Location { chart, location } => {
                    let edges = charts.charts[*chart].edges.iter().enumerate();
                    edges
                        .filter(|(_, edge)| edge.target == *location)
                        .for_each(|(edge, _)| start(*chart, edge, 1));
                }
                Goal::DefinitionUse { definition, reading, .. } => {
                    start(definition.0, definition.1, 2);
                    start(reading.0, reading.1, 1);
                }
                Goal::Requirement(name) => {
                    for (chart, of_chart) in charts.charts.iter().enumerate() {
                        let edges = of_chart.edges.iter().enumerate();
                        edges
                            .filter(|(_, edge)| edge.requirements.contains(name))
                            .for_each(|(edge, _)| start(chart, edge, 1));
                    }
                }
                Goal::Value(_) | Goal::Trap(_) => {}
            }
        }
        let locations = charts.charts.iter().zip(&starts).map(|(chart, starts)| distances(chart, starts));
        Distances {
            locations: locations.collect(),
            begun,
            drivers: drivers(charts, tracker.goals(), &is_wanted),
        }
    }

    /// The estimate of a state with a history.
    pub fn of<L>(&self, tracker: &Tracker<'_, L>, state: &[u8], history: &[u16]) -> u32 {
        let mut nearest = FAR;
        tracker.observe().locations(state, &mut |process, chart, location| {
            nearest = nearest.min(self.locations[chart as usize][location as usize]);
            let last = tracker.last_edges(history, process);
            for from in 0..last.len() {
                if let Some(&missing) = self.begun.get(&last[from..]) {
                    nearest = nearest.min(missing);
                }
            }
        });
        nearest
    }

    /// Whether an edge drives a loop that a wanted goal waits for.
    pub fn is_driver(&self, taken: Taken) -> bool {
        self.drivers[taken.chart as usize][taken.edge as usize]
    }
}

/// By location: the least number of edges until an edge is taken, plus what is missing then.
fn distances(chart: &Chart, starts: &[u32]) -> Vec<u32> {
    let mut distances = vec![FAR; chart.locations.len()];
    for (edge, &missing) in chart.edges.iter().zip(starts) {
        for &source in &edge.sources {
            distances[source] = distances[source].min(missing);
        }
    }
    // Few rounds: a chart is small, and an edge at a time goes backwards.
    let mut open: VecDeque<usize> = (0..distances.len()).filter(|&it| distances[it] < FAR).collect();
    while let Some(location) = open.pop_front() {
        for edge in chart.edges.iter().filter(|edge| edge.target == location) {
            for &source in &edge.sources {
                if distances[location] + 1 < distances[source] {
                    distances[source] = distances[location] + 1;
                    open.push_back(source);
                }
            }
        }
    }
    distances
}

/// Edges on a cycle of their chart that write what a wanted edge waits for, or what another of them waits for.
fn drivers(charts: &Charts, goals: &crate::goal::Goals, is_wanted: &impl Fn(u32) -> bool) -> Vec<Vec<bool>> {
    let mut read = vec![false; charts.variables.len()];
    let clocks: Vec<bool> = charts.variables.iter().map(|variable| variable.is_clock).collect();
    for (_, goal) in goals.goals.iter().enumerate().filter(|(number, _)| is_wanted(*number as u32)) {
        let edges: Vec<(usize, usize)> = match goal {
            Goal::Edge { chart, edge } => vec![(*chart, *edge)],
            Goal::Switch { chart, edges } => edges.iter().map(|&edge| (*chart, edge)).collect(),
            Goal::DefinitionUse { reading, .. } => vec![*reading],
            _ => Vec::new(),
        };
        edges.into_iter().for_each(|(chart, edge)| add_awaited(&charts.charts[chart], edge, &mut read));
    }
    let mut drivers: Vec<Vec<bool>> =
        charts.charts.iter().map(|chart| vec![false; chart.edges.len()]).collect();
    // A counter may wait for another counter: until nothing is added.
    loop {
        let mut is_changed = false;
        for (chart, drivers) in charts.charts.iter().zip(&mut drivers) {
            for (edge, is_driver) in drivers.iter_mut().enumerate().filter(|(_, is_driver)| !**is_driver) {
                let writes =
                    chart.edges[edge].writes.iter().any(|&variable| read[variable] && !clocks[variable]);
                if writes && is_on_cycle(chart, edge) {
                    *is_driver = true;
                    is_changed = true;
                    add_awaited(chart, edge, &mut read);
                }
            }
        }
        if !is_changed {
            return drivers;
        }
    }
}

/// Marks what an edge reads, and what the edges read that have to be taken just before it.
fn add_awaited(chart: &Chart, edge: usize, read: &mut [bool]) {
    let mut edge = edge;
    for _ in 0..chart.edges.len() {
        chart.edges[edge].reads.iter().for_each(|&variable| read[variable] = true);
        let [source] = chart.edges[edge].sources[..] else { return };
        let mut entering = (0..chart.edges.len()).filter(|&other| chart.edges[other].target == source);
        match (entering.next(), entering.next()) {
            (Some(only), None) => edge = only,
            _ => return,
        }
    }
}

fn is_on_cycle(chart: &Chart, edge: usize) -> bool {
    let leaving = chart.leaving();
    let mut seen = vec![false; chart.locations.len()];
    let mut open = vec![chart.edges[edge].target];
    while let Some(location) = open.pop() {
        if chart.edges[edge].sources.contains(&location) {
            return true;
        }
        if !std::mem::replace(&mut seen[location], true) {
            open.extend(leaving[location].iter().map(|&next| chart.edges[next].target));
        }
    }
    false
}
