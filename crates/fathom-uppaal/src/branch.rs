//! Branch points: an edge that goes on in one of several ways.
//!
//! Without weights, which of them is a choice like any other: an edge to a branch point and an edge from there are one edge, with the guard and
//! the synchronization of the first and the updates of both. Weights are for statistics, and refused where they are read.

use fathom_source::Diagnostic;

use crate::syntax::{Edge, Name, Template};

/// Joins the edges to branch points with those from there.
pub(crate) fn join_branches(
    template: &mut Template,
    branch_points: &[Name],
    diagnostics: &mut Vec<Diagnostic>,
) {
    if branch_points.is_empty() {
        return;
    }
    let is_branch_point = |name: &Name| branch_points.iter().any(|point| point.text == name.text);
    let (branches, edges): (Vec<Edge>, Vec<Edge>) =
        std::mem::take(&mut template.edges).into_iter().partition(|edge| is_branch_point(&edge.source));
    let mut complain = |message: &str, span| {
        diagnostics.push(Diagnostic::error("uppaal::branch-point", message).at(span, ""));
    };
    for branch in &branches {
        if branch.guard.is_some() || branch.synchronization.is_some() || !branch.selects.is_empty() {
            complain("an edge from a branch point has updates only", branch.span);
        }
        if is_branch_point(&branch.target) {
            complain("an edge from a branch point leads to a location", branch.span);
        }
    }
    for point in branch_points {
        if !branches.iter().any(|branch| branch.source.text == point.text) {
            complain("no edge leaves this branch point", point.span);
        }
    }
    for edge in edges {
        if !is_branch_point(&edge.target) {
            template.edges.push(edge);
            continue;
        }
        for branch in branches.iter().filter(|branch| branch.source.text == edge.target.text) {
            template.edges.push(Edge {
                target: branch.target.clone(),
                updates: [&edge.updates[..], &branch.updates[..]].concat(),
                ..edge.clone()
            });
        }
    }
}
