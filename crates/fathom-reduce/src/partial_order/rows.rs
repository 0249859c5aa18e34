//! What is known about locations and edges before the search.

use fathom_model::{Action, EdgeId, Expr, Guard, Location, Template};

use super::matrix::{EdgeFacts, EdgeKind};
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
    /// The edges of a location, in the order of the groups and lists.
    pub fn edges(&self, location: &Location) -> Vec<EdgeFacts> {
        location.groups.iter().flatten().map(|&edge| self.edge(edge)).collect()
    }

    fn edge(&self, edge: EdgeId) -> EdgeFacts {
        let (executing, has_inner_handshake) = whole_step(self.text, edge, self.accesses);
        let changes_visible = executing.writes.meets(&self.visible.reads, None)
            || !self.visible.channels.is_empty()
                && executing.channels.iter().any(|channel| channel.tail || channel.head);
        let is_sticky = step_edges(self.text, edge).into_iter().any(|edge| self.sticky[edge.index()]);
        let text = self.text.edge(edge);
        let access = &self.accesses[edge.index()];
        let may_refuse = text.effect.iter().any(|action| matches!(action, Action::Require(_)));
        EdgeFacts {
            enabling: access.enabling.clone(),
            exchange: access.exchange.clone(),
            kind: EdgeKind {
                is_unsafe: executing.everything || changes_visible || is_sticky,
                has_inner_handshake,
                is_uncertain: may_refuse
                    || access.exchange.as_ref().is_some_and(|exchange| exchange.handshake),
                is_timeout: mentions_timeout(&text.guard),
                is_else: text.guard == Guard::Else,
                is_end: text.guard == Guard::Youngest,
            },
            executing,
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
