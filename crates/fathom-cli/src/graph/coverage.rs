//! Charts with what tests cover: green for what is covered, red for what is not, gray for what cannot be.

use fathom_core::TestReport;
use fathom_core::testgen::{Goal, GoalAnswer};

use super::{Arrow, Color, Graph, Node, short};

/// A graph for each chart. Edges have the number of times that tests take them.
pub fn coverage_graphs(report: &TestReport) -> Vec<Graph> {
    let charts = report.charts.charts.iter().enumerate().filter(|(_, chart)| !chart.locations.is_empty());
    charts
        .map(|(number, chart)| {
            let taken = &report.taken[number];
            let nodes = chart.locations.iter().enumerate();
            let nodes =
                nodes.map(|(index, location)| Node::new(&location.name).starting(index == chart.initial));
            let mut arrows = Vec::new();
            for (index, edge) in chart.edges.iter().enumerate() {
                let color = match taken[index] {
                    0 if is_infeasible(report, number, index) => Color::Impossible,
                    0 => Color::Missing,
                    _ => Color::Covered,
                };
                let times = if taken[index] > 0 { format!(" ×{}", taken[index]) } else { String::new() };
                for &from in &edge.sources {
                    let label = short(&edge.text) + &times;
                    arrows.push(Arrow { from, to: edge.target, label, dashed: false, color });
                }
            }
            Graph { name: chart.name.clone(), nodes: nodes.collect(), arrows }
        })
        .collect()
}

/// Whether an edge is known to be taken by nothing.
fn is_infeasible(report: &TestReport, chart: usize, edge: usize) -> bool {
    let goals = report.goals.goals.iter().zip(&report.answers);
    goals
        .into_iter()
        .any(|(goal, answer)| *goal == Goal::Edge { chart, edge } && *answer == GoalAnswer::Infeasible)
}
