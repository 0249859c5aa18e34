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
//! Where we differ: loops that count need no sticky edge, because they never come back to the same state
//! ([`counters`](crate::counters)).
//!
//! Which edge of a cycle is taken decides how much is lost: one that is noticed by others anyway costs little.

use fathom_model::{Action, EdgeId, Template};

use crate::counters::{Counter, Effect, counters};

/// How much is lost when an edge becomes sticky.
pub(crate) type Weight = u32;

/// Chooses sticky edges of a template, by edge.
pub(crate) fn sticky_edges(template: &Template, weight: &dyn Fn(EdgeId) -> Weight) -> Vec<bool> {
    let weights: Vec<Weight> = (0..template.edges.len()).map(|edge| weight(EdgeId::from(edge))).collect();
    let counters = counters(template);
    let mut graph = Graph { arcs: arcs(template), is_open: vec![true; template.edges.len()] };
    let mut sticky: Vec<bool> = weights.iter().map(|weight| *weight == 0).collect();
    for (edge, sticky) in sticky.iter().enumerate() {
        graph.is_open[edge] &= !sticky;
    }
    loop {
        let parts = graph.parts(template.locations.len());
        let Some(part) = parts.first() else { return sticky };
        // Edges that count are on no cycle of states, if nothing in their part of the graph counts back.
        let counting = counters.iter().find_map(|counter| counting_edges(counter, part));
        if let Some(counting) = counting {
            counting.into_iter().for_each(|edge| graph.is_open[edge] = false);
            continue;
        }
        let lightest = choose(&graph, part, &counters, &weights, template.locations.len());
        sticky[lightest] = true;
        graph.is_open[lightest] = false;
    }
}

/// Whether there is a cycle of some edges in the control graph of a template.
pub(crate) fn has_cycle(template: &Template, is_meant: &dyn Fn(EdgeId) -> bool) -> bool {
    !on_cycles(template, is_meant).is_empty()
}

/// The edges on cycles of some edges in the control graph of a template.
pub(crate) fn on_cycles(template: &Template, is_meant: &dyn Fn(EdgeId) -> bool) -> Vec<usize> {
    let is_open = (0..template.edges.len()).map(|edge| is_meant(EdgeId::from(edge))).collect();
    Graph { arcs: arcs(template), is_open }.parts(template.locations.len()).concat()
}

/// The edges of a part that count in one direction, when no other edge of the part changes the counter.
fn counting_edges(counter: &Counter, part: &[usize]) -> Option<Vec<usize>> {
    let all_are = |direction: Effect| {
        part.iter().all(|&edge| [Effect::Nothing, direction].contains(&counter.effects[edge]))
    };
    if !all_are(Effect::Up) && !all_are(Effect::Down) {
        return None;
    }
    let counting: Vec<usize> =
        part.iter().copied().filter(|&edge| counter.effects[edge] != Effect::Nothing).collect();
    (!counting.is_empty()).then_some(counting)
}

/// The edge of a part to become sticky: the lightest on cycles that count nothing or, when all count something, the
/// lightest that sets a counter back.
fn choose(
    graph: &Graph,
    part: &[usize],
    counters: &[Counter],
    weights: &[Weight],
    n_locations: usize,
) -> usize {
    let counts = |edge: usize| {
        counters.iter().any(|counter| matches!(counter.effects[edge], Effect::Up | Effect::Down))
    };
    let sets_back = |edge: usize| counters.iter().any(|counter| counter.effects[edge] == Effect::Other);
    let mut without = graph.clone();
    (0..without.is_open.len()).filter(|&edge| counts(edge)).for_each(|edge| without.is_open[edge] = false);
    let lightest = |edges: &mut dyn Iterator<Item = usize>| edges.min_by_key(|&edge| (weights[edge], edge));
    let inner = without.parts(n_locations).into_iter().find(|inner| part.contains(&inner[0]));
    inner
        .and_then(|inner| lightest(&mut inner.into_iter()))
        .or_else(|| lightest(&mut part.iter().copied().filter(|&edge| sets_back(edge))))
        .or_else(|| lightest(&mut part.iter().copied()))
        .expect("a part has an edge")
}

/// Where each edge leads from and to; an edge that ends the process leads nowhere.
fn arcs(template: &Template) -> Vec<(usize, usize, usize)> {
    let mut arcs = Vec::new();
    for (location, text) in template.locations.iter().enumerate() {
        for id in text.groups.iter().flatten() {
            let edge = template.edge(*id);
            if !edge.effect.contains(&Action::End) {
                arcs.push((location, edge.target.index(), id.index()));
            }
        }
    }
    arcs
}

/// The control graph of a template, or what is left of it.
#[derive(Clone, Debug)]
struct Graph {
    /// From, to, and the edge.
    arcs: Vec<(usize, usize, usize)>,
    /// By edge: whether it is still there.
    is_open: Vec<bool>,
}

impl Graph {
    /// The edges inside each strongly connected part that has any, sorted.
    fn parts(&self, n_locations: usize) -> Vec<Vec<usize>> {
        let open: Vec<_> = self.arcs.iter().filter(|(_, _, edge)| self.is_open[*edge]).copied().collect();
        let component = components(n_locations, &open);
        let mut parts: Vec<Vec<usize>> = vec![Vec::new(); n_locations];
        for (from, to, edge) in open {
            if component[from] == component[to] {
                parts[component[from]].push(edge);
            }
        }
        parts.retain(|part| !part.is_empty());
        for part in &mut parts {
            part.sort_unstable();
            part.dedup();
        }
        parts
    }
}

/// The number of the strongly connected component of each location (Kosaraju and Sharir, 1981).
fn components(n_locations: usize, arcs: &[(usize, usize, usize)]) -> Vec<usize> {
    let mut forward = vec![Vec::new(); n_locations];
    let mut backward = vec![Vec::new(); n_locations];
    for &(from, to, _) in arcs {
        forward[from].push(to);
        backward[to].push(from);
    }
    let mut order = Vec::new();
    let mut seen = vec![false; n_locations];
    for start in 0..n_locations {
        visit(start, &forward, &mut seen, &mut |location| order.push(location));
    }
    let mut component = vec![0; n_locations];
    seen.fill(false);
    for start in order.into_iter().rev() {
        visit(start, &backward, &mut seen, &mut |location| component[location] = start);
    }
    component
}

/// Visits what was not seen yet from a location on, depth first; calls `leave` on the way back.
fn visit(start: usize, next: &[Vec<usize>], seen: &mut [bool], leave: &mut dyn FnMut(usize)) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut way = vec![(start, 0)];
    while let Some((location, tried)) = way.last_mut() {
        match next[*location].get(*tried) {
            Some(&to) => {
                *tried += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    way.push((to, 0));
                }
            }
            None => {
                leave(*location);
                way.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_what_can_reach_each_other() {
        let arcs = [(0, 1, 0), (1, 2, 1), (2, 1, 2), (2, 3, 3), (3, 3, 4)];
        let found = components(4, &arcs);
        assert_eq!(found[1], found[2]);
        assert!(found[0] != found[1] && found[3] != found[1] && found[0] != found[3]);
        let graph = Graph { arcs: arcs.to_vec(), is_open: vec![true; 5] };
        let mut parts = graph.parts(4);
        parts.sort();
        assert_eq!(parts, [vec![1, 2], vec![4]]);
    }
}
