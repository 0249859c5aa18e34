//! What is known about locations and edges before the search.

use fathom_model::{EdgeId, Expr, Guard, Location, Template};

use super::{EdgeRow, Row};
use crate::access::{Access, ChannelUse, EdgeAccess, visit};
use crate::bits::Bits;
use crate::sticky::Weight;

/// How much reduction is lost around an edge when it becomes sticky.
pub(super) fn weight(template: &Template, edge: EdgeId, accesses: &[EdgeAccess]) -> Weight {
    let (whole, inner_handshake) = whole_step(template, edge, accesses);
    if inner_handshake || whole.everything {
        0
    } else if !whole.writes.is_empty() {
        1
    } else if !whole.channels.is_empty() || !whole.reads.is_empty() {
        2
    } else {
        8
    }
}

/// What is known about one template when its rows are made.
pub(super) struct Known<'a> {
    pub text: &'a Template,
    pub accesses: &'a [EdgeAccess],
    pub sticky: &'a [bool],
    pub visible: &'a Access,
}

impl Known<'_> {
    pub fn row(&self, location: &Location, future: &Access) -> Row {
        let edges = location.groups.iter().flatten().map(|&edge| self.edge_row(edge));
        Row { edges: edges.collect(), future: future.clone() }
    }

    fn edge_row(&self, edge: EdgeId) -> EdgeRow {
        let (executing, inner_handshake) = whole_step(self.text, edge, self.accesses);
        let changes_visible = executing.writes.meets(&self.visible.reads, None)
            || !self.visible.channels.is_empty()
                && executing.channels.iter().any(|channel| channel.tail || channel.head);
        let sticky = step_edges(self.text, edge).into_iter().any(|edge| self.sticky[edge.index()]);
        EdgeRow {
            edge,
            enabling: self.accesses[edge.index()].enabling.clone(),
            unsafe_to_choose: executing.everything || changes_visible || sticky,
            inner_handshake,
            exchange: self.accesses[edge.index()].exchange.clone(),
            executing,
            timeout: mentions_timeout(&self.text.edge(edge).guard),
            is_else: self.text.edge(edge).guard == Guard::Else,
        }
    }
}

fn mentions_timeout(guard: &Guard) -> bool {
    let mut found = false;
    if let Guard::When(condition) = guard {
        visit(condition, &mut |expr| found |= *expr == Expr::Timeout);
    }
    found
}

/// The edges that a step which begins with an edge may go through, that edge first.
fn step_edges(template: &Template, first: EdgeId) -> Vec<EdgeId> {
    let mut seen = Bits::default();
    let mut edges = Vec::new();
    let mut pending = vec![first];
    while let Some(edge) = pending.pop() {
        if seen.has(edge.index()) {
            continue;
        }
        seen.set(edge.index());
        edges.push(edge);
        let text = template.edge(edge);
        if text.atomic || template.location(text.target).deterministic {
            pending.extend(template.location(text.target).groups.iter().flatten());
        }
    }
    edges
}

/// What a whole step that begins with an edge may touch, and whether a hand-shake may come later in it.
fn whole_step(template: &Template, first: EdgeId, accesses: &[EdgeAccess]) -> (Access, bool) {
    let mut total = Access::default();
    let mut handshake = false;
    for edge in step_edges(template, first) {
        let access = &accesses[edge.index()];
        total.add(&access.executing);
        if edge != first {
            // Whether the process goes on or stops here depends on this, too.
            total.add(&access.enabling);
            if let Some(exchange) = &access.exchange {
                total.add_channel(ChannelUse::look(exchange.channels.clone()));
                handshake |= exchange.handshake;
            }
        }
    }
    (total, handshake)
}
