//! Edges that nothing may be put off for ever around.
//!
//! A reduced search may go round in a cycle on which some other process could always have moved but never does.
//! Whoever needs to see that move would miss it. The remedy used here needs no knowledge of the search: in
//! every cycle of the control graph of every process one edge is *sticky*, and a set of processes with an
//! executable sticky edge is not chosen, so that all processes are explored there (Kurshan, Levin, Minea, Peled
//! and Yenigün, *Static partial order reduction*, 1998). A cycle of the system is a cycle of some process, so
//! every cycle has a state in which everything is explored, whatever the order of the search and however many
//! threads it has.
//!
//! Which edge of a cycle is taken decides how much is lost: one that is noticed by others anyway costs little.

use fathom_model::{Action, EdgeId, LocationId, Template};

/// How much is lost when an edge becomes sticky.
pub(crate) type Weight = u32;

/// Chooses sticky edges of a template, by edge.
pub(crate) fn sticky_edges(template: &Template, weight: &dyn Fn(EdgeId) -> Weight) -> Vec<bool> {
    let mut sticky: Vec<bool> =
        (0..template.edges.len()).map(|edge| weight(EdgeId::from(edge)) == 0).collect();
    while let Some(cycle) = find_cycle(template, &sticky) {
        let lightest =
            cycle.into_iter().min_by_key(|&edge| (weight(edge), edge)).expect("a cycle has an edge");
        sticky[lightest.index()] = true;
    }
    sticky
}

/// A cycle without a sticky edge: its edges.
fn find_cycle(template: &Template, sticky: &[bool]) -> Option<Vec<EdgeId>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Color {
        New,
        Open,
        Done,
    }
    let mut colors = vec![Color::New; template.locations.len()];
    for start in 0..template.locations.len() {
        if colors[start] != Color::New {
            continue;
        }
        // Locations on the way, the number of edges tried at each, and the edges between them.
        let mut way = vec![(LocationId::from(start), 0)];
        let mut edges: Vec<EdgeId> = Vec::new();
        colors[start] = Color::Open;
        while let Some((location, next)) = way.last_mut() {
            let location = *location;
            let edge = template.location(location).groups.iter().flatten().nth(*next).copied();
            *next += 1;
            let Some(edge) = edge else {
                colors[location.index()] = Color::Done;
                way.pop();
                edges.pop();
                continue;
            };
            let text = template.edge(edge);
            if sticky[edge.index()] || text.effect.contains(&Action::End) {
                continue;
            }
            match colors[text.target.index()] {
                Color::New => {
                    colors[text.target.index()] = Color::Open;
                    way.push((text.target, 0));
                    edges.push(edge);
                }
                Color::Open => {
                    let from = way.iter().position(|(on_way, _)| *on_way == text.target)?;
                    let mut cycle = edges.split_off(from);
                    cycle.push(edge);
                    return Some(cycle);
                }
                Color::Done => {}
            }
        }
    }
    None
}
