//! How far a zone is from what is asked, judged by locations and integers.
//!
//! The estimate is the formula distance of untimed models (Edelkamp, Leue and Lluch Lafuente, "Directed explicit-state model checking", 2004)
//! with the control distance of the source of the walks (h0 of Bui, 2009) for locations: the number of edges of the automaton, whatever
//! guards and clocks say. Conjunctions add up, of disjunctions the nearest counts, and comparisons lack what the numbers lack. Clocks do not
//! count: where only they are missing, everything is as near as anything else. It changes the order in which zones are looked at, never an
//! answer.

use std::collections::VecDeque;

use fathom_guide::Heuristic;
use fathom_model::PropertyId;
use fathom_timed::{
    BinaryOp, Conjunct, Environment, Expr, Layout, Network, TimedProperty, UnaryOp, Valuation, ZoneRegion,
};

/// In place of a distance: the location cannot be reached, or the numbers are very far away.
const FAR: u32 = 1000;

/// What an unknown kind of condition lacks when it is false.
const SOMETHING: u32 = 1;

/// Distances of zones to the nearest of some conjunctions.
pub(crate) struct TimedDistance<'n> {
    network: &'n Network,
    layout: Layout,
    labels: Vec<Vec<Vec<usize>>>,
    goals: Vec<&'n Conjunct>,
    /// By process, goal and location: edges from the location to the goal.
    edges: Vec<Vec<Vec<u32>>>,
    largest: u32,
}

impl<'n> TimedDistance<'n> {
    /// Distances to what these properties look for; none when none of them is about single states.
    pub fn new(
        network: &'n Network,
        properties: &'n [TimedProperty],
        asked: &[PropertyId],
    ) -> Option<TimedDistance<'n>> {
        let questions = asked.iter().map(|id| &properties[id.index()].question);
        let goals: Vec<&Conjunct> = questions.flat_map(|question| question.conjuncts()).collect();
        if goals.is_empty() {
            return None;
        }
        let edges = (0..network.processes.len()).map(|process| edges_between(network, process)).collect();
        let mut distance = TimedDistance {
            network,
            layout: Layout::new(network),
            labels: network.labels_of_locations(),
            goals,
            edges,
            largest: 1,
        };
        let start = Valuation {
            locations: network.processes.iter().map(|process| initial_of(&process.locations)).collect(),
            values: network.variables.iter().map(|variable| variable.initial).collect(),
        };
        distance.largest = distance.of(&start).max(8).saturating_mul(2);
        Some(distance)
    }

    fn of(&self, valuation: &Valuation) -> u32 {
        let locals = vec![0; self.network.n_locals];
        let environment = Environment {
            values: &valuation.values,
            locals: &locals,
            locations: &valuation.locations,
            labels: &self.labels,
        };
        let lacks = |goal: &&Conjunct| {
            goal.conditions
                .iter()
                .fold(0, |sum: u32, condition| sum.saturating_add(self.lacks(condition, true, &environment)))
        };
        self.goals.iter().map(lacks).min().unwrap_or(0)
    }

    /// What a condition lacks to be true, or to be false.
    fn lacks(&self, condition: &Expr, wanted: bool, environment: &Environment<'_>) -> u32 {
        let lacks = |part: &Expr, wanted: bool| self.lacks(part, wanted, environment);
        match condition {
            Expr::Unary(UnaryOp::Not, inner) => lacks(inner, !wanted),
            Expr::Binary(BinaryOp::And, left, right) if wanted => {
                lacks(left, true).saturating_add(lacks(right, true))
            }
            Expr::Binary(BinaryOp::Or, left, right) if !wanted => {
                lacks(left, false).saturating_add(lacks(right, false))
            }
            Expr::Binary(BinaryOp::And, left, right) => lacks(left, false).min(lacks(right, false)),
            Expr::Binary(BinaryOp::Or, left, right) => lacks(left, true).min(lacks(right, true)),
            Expr::At { process, location } if wanted => {
                let now = environment.locations[*process] as usize;
                self.edges[*process][*location][now]
            }
            _ => match condition.evaluate(environment) {
                Ok(value) if (value != 0) == wanted => 0,
                _ => gap(condition, environment).max(SOMETHING),
            },
        }
    }
}

/// What two numbers lack to be as a comparison wants them; something for everything else.
fn gap(condition: &Expr, environment: &Environment<'_>) -> u32 {
    let Expr::Binary(
        BinaryOp::Equal | BinaryOp::Less | BinaryOp::AtMost | BinaryOp::Greater | BinaryOp::AtLeast,
        left,
        right,
    ) = condition
    else {
        return SOMETHING;
    };
    match (left.evaluate(environment), right.evaluate(environment)) {
        (Ok(left), Ok(right)) => u32::try_from(left.abs_diff(right)).unwrap_or(FAR).min(FAR),
        _ => SOMETHING,
    }
}

fn initial_of(locations: &[fathom_timed::Location]) -> u32 {
    locations.iter().position(|location| location.is_initial).unwrap_or(0) as u32
}

/// By goal and location of a process: edges from the location to the goal.
fn edges_between(network: &Network, process: usize) -> Vec<Vec<u32>> {
    let process = &network.processes[process];
    let mut into = vec![Vec::new(); process.locations.len()];
    for edge in &process.edges {
        into[edge.target].push(edge.source);
    }
    let distances_to = |goal: usize| {
        let mut distances = vec![FAR; process.locations.len()];
        distances[goal] = 0;
        let mut waiting = VecDeque::from([goal]);
        while let Some(location) = waiting.pop_front() {
            for &source in &into[location] {
                if distances[source] == FAR {
                    distances[source] = (distances[location] + 1).min(FAR - 1);
                    waiting.push_back(source);
                }
            }
        }
        distances
    };
    (0..process.locations.len()).map(distances_to).collect()
}

impl Heuristic<ZoneRegion> for TimedDistance<'_> {
    fn estimate(&self, state: &[u8], _: &ZoneRegion) -> u32 {
        let mut valuation = Valuation::default();
        self.layout.decode(state, &mut valuation);
        self.of(&valuation)
    }

    fn largest(&self) -> u32 {
        self.largest
    }
}
