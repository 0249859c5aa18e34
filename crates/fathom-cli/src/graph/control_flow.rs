//! The control flow of a process template as a graph.

use fathom_core::model::{Location, Template};

use super::{Arrow, Color, Graph, Node, Role};
use crate::commands::graph::PictureArguments;
use crate::session::Session;

/// Locations and edges of a template. Edges of a group after the first are dashed: they count only when no edge
/// of the groups before them is executable.
pub fn control_flow(session: &Session, template: &Template, picture: &PictureArguments) -> Graph {
    let nodes = template.locations.iter().enumerate().map(|(index, location)| {
        let mut node = Node::new(location_label(session, index, location));
        node.roles.set(Role::Initial, index == template.initial.index());
        node.roles.set(Role::Accepting, location.end);
        node
    });
    let mut arrows = Vec::new();
    for (from, location) in template.locations.iter().enumerate() {
        for (group, edges) in location.groups.iter().enumerate() {
            for &edge in edges {
                let edge = template.edge(edge);
                let atomic = if edge.atomic { " (atomic)" } else { "" };
                arrows.push(Arrow {
                    from,
                    to: edge.target.index(),
                    label: picture.fit(&edge.text) + atomic,
                    dashed: group > 0,
                    color: Color::Plain,
                });
            }
        }
    }
    Graph { name: template.name.clone(), nodes: nodes.collect(), arrows }
}

fn location_label(session: &Session, index: usize, location: &Location) -> String {
    let mut label = format!("{index}");
    if let Some(span) = location.span {
        let file = session.sources().file(span.file);
        label += &format!(" line {}", file.line_column(span.start).0);
    }
    for name in &location.labels {
        label += &format!("\n{name}:");
    }
    let marks = [
        (location.end, "end"),
        (location.progress, "progress"),
        (location.accept, "accept"),
        (location.deterministic, "d_step"),
    ];
    let marks: Vec<&str> = marks.iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| *mark).collect();
    if !marks.is_empty() {
        label += &format!("\n{}", marks.join(", "));
    }
    label
}
