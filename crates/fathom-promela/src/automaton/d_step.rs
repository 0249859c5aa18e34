//! `d_step` sequences: one transition, whatever is inside.
//!
//! The statements of a `d_step` become locations marked deterministic. It is entered by its first statement
//! or, when that is a selection, by an edge of its own that is executable when one of the options is; inside,
//! the first executable edge is taken until control leaves.

use fathom_model::{BinaryOp, ChannelQuery, Edge, EdgeId, Expr, Guard, LocationId, Sync};
use fathom_source::Diagnostic;

use super::{Builder, Exit, Marks, at};
use crate::flow::{Basic, Chain, ChainId, ElementId, Kind};

/// The surroundings of a `d_step` body.
struct DStep {
    /// The element behind the `d_step`.
    outside: Option<ElementId>,
    /// Where control goes when it leaves.
    behind: Option<ElementId>,
    /// Whether the `d_step` as a whole is inside an atomic sequence.
    atomic: bool,
}

impl Builder<'_> {
    /// A `d_step`: its statements become deterministic locations, and it is entered by its first statement,
    /// or, when that is a selection, by an edge that is executable when one of the options is.
    pub(super) fn walk_dstep(&mut self, id: ElementId, body: ChainId) {
        let outside = self.flow.element(id).next;
        let atomic = self.flow.element(id).atomic;
        let behind = outside.map(|element| self.hunt(element, atomic));
        let context = DStep { outside, behind, atomic };
        self.walk_dstep_chain(body, &context);
        let first = self.hunt_start(body);
        let mut exits = Vec::new();
        match self.points[first.0].exits.first() {
            Some(exit) => exits.push(Exit { statement: id, ..exit.clone() }),
            None => {
                let mut options = Vec::new();
                self.collect_choices(first, Marks::default(), &mut options);
                let (handshakes, others): (Vec<ElementId>, Vec<ElementId>) = options
                    .into_iter()
                    .map(|(option, _)| option)
                    .partition(|&option| self.is_rendezvous(option));
                let edges: Vec<EdgeId> = handshakes
                    .iter()
                    .flat_map(|option| &self.points[option.0].exits)
                    .map(|exit| exit.edge)
                    .collect();
                for edge in edges {
                    exits.push(Exit { edge, statement: id, escapes: Vec::new(), escape: None });
                }
                if !others.is_empty() {
                    let guard = self.any_executable(&others);
                    let element = self.flow.element(id);
                    let (span, text) = (element.span, "d_step".to_owned());
                    let edge = Edge {
                        guard,
                        sync: None,
                        effect: Vec::new(),
                        target: LocationId(0),
                        atomic: false,
                        span,
                        text,
                    };
                    let edge = self.push_edge(edge, Some(first));
                    exits.push(Exit { edge, statement: id, escapes: Vec::new(), escape: None });
                }
            }
        }
        self.points[id.0].exits = exits;
        self.walk_escapes(id);
    }

    fn walk_dstep_chain(&mut self, chain: ChainId, context: &DStep) {
        let Chain { first, last, .. } = *self.flow.chain(chain);
        let mut cursor = first;
        while let Some(id) = cursor {
            if !self.points[id.0].visited {
                self.points[id.0].visited = true;
                self.walk_dstep_element(id, context);
            }
            if Some(id) == last {
                break;
            }
            cursor = self.flow.element(id).next;
        }
    }

    fn walk_dstep_element(&mut self, id: ElementId, context: &DStep) {
        match self.flow.element(id).kind.clone() {
            Kind::Unless { main, .. } => self.walk_dstep_chain(main, context),
            Kind::Select { options } => {
                self.points[id.0].choices = options.iter().map(|&option| self.hunt_start(option)).collect();
                options.into_iter().for_each(|option| self.walk_dstep_chain(option, context));
            }
            Kind::Group(_, body) => {
                if let Some(last) = self.flow.chain(body).last {
                    self.flow.elements[last.0].next = self.flow.element(id).next;
                }
                self.points[id.0].choices = vec![self.hunt_start(body)];
                self.walk_dstep_chain(body, context);
            }
            kind => {
                let led_to = match kind {
                    Kind::Goto(jump) => self.destination(jump),
                    _ => self.flow.element(id).next,
                };
                let (target, leaves) = self.hunt_inside(led_to, context);
                let edge = self.add_edge(id, target, leaves && context.atomic);
                self.points[id.0].exits =
                    vec![Exit { edge, statement: id, escapes: Vec::new(), escape: None }];
            }
        }
    }

    /// Like [`hunt`](Self::hunt) inside a `d_step`; says whether control leaves it.
    fn hunt_inside(&mut self, led_to: Option<ElementId>, context: &DStep) -> (Option<ElementId>, bool) {
        let mut cursor = led_to;
        for _ in 0..=self.flow.elements.len() {
            if cursor == context.outside {
                return (context.behind, true);
            }
            let Some(element) = cursor else { return (None, true) };
            cursor = match self.flow.element(element).kind.clone() {
                Kind::Goto(jump) => self.destination(jump),
                Kind::Join | Kind::Exit => self.flow.element(element).next,
                Kind::Unless { main, .. } => Some(self.flow.first(main)),
                _ => {
                    if !self.flow.element(element).inside_dstep {
                        self.jump_out_of_dstep(element);
                    }
                    return (Some(element), false);
                }
            };
            if cursor.is_none() {
                return (None, true);
            }
        }
        if let Some(element) = led_to {
            self.endless_jump(element);
        }
        (led_to, false)
    }

    fn jump_out_of_dstep(&mut self, element: ElementId) {
        let error = Diagnostic::error("promela::jump-out-of-d-step", "jump out of a `d_step` sequence");
        self.diagnostics.push(at(error, self.flow.element(element).span, "the jump leads here"));
    }

    fn is_rendezvous(&self, id: ElementId) -> bool {
        match &self.flow.element(id).kind {
            Kind::Basic(basic) => basic.rendezvous && matches!(basic.sync, Some(Sync::Receive { .. })),
            _ => false,
        }
    }

    fn any_executable(&self, options: &[ElementId]) -> Guard {
        let mut result: Option<Expr> = None;
        for &option in options {
            let test = match &self.flow.element(option).kind {
                Kind::Basic(basic) => executable(basic),
                _ => None,
            };
            let Some(test) = test else { return Guard::Always };
            result = Some(match result {
                None => test,
                Some(before) => Expr::binary(BinaryOp::Or, before, test),
            });
        }
        result.map_or(Guard::Always, Guard::When)
    }
}

/// When a statement is executable, as an expression; nothing when it always is.
fn executable(basic: &Basic) -> Option<Expr> {
    let guard = match &basic.guard {
        Guard::When(condition) => Some(condition.clone()),
        _ => None,
    };
    let sync = basic.sync.as_ref().map(|sync| match sync {
        Sync::Send { channel, .. } => Expr::Channel(ChannelQuery::NotFull, Box::new(channel.clone())),
        Sync::Receive { channel, patterns, which, .. } => {
            Expr::Poll { channel: Box::new(channel.clone()), patterns: patterns.clone(), which: *which }
        }
    });
    match (guard, sync) {
        (Some(guard), Some(sync)) => Some(Expr::binary(BinaryOp::And, guard, sync)),
        (guard, sync) => guard.or(sync),
    }
}
