//! Partial-order reduction: of moves that do not notice each other, one order is enough.
//!
//! In each state we look for a set of processes that is *persistent* (Godefroid, *Partial-Order Methods for
//! the Verification of Concurrent Systems*, 1996): whatever the others do before one of the set moves, they
//! neither notice nor disturb what the set can do now. Then it is enough to explore the moves of the set. We
//! start from one process and take in every process whose future may conflict with an edge that the set can
//! take now, or may make executable an edge that it cannot take now (the conservative closure of Overman,
//! 1981, per process, with what a process can still do from where it is as its future). Of the sets found,
//! the one with the fewest executable edges is taken.
//!
//! Spin's reduction (Holzmann and Peled, 1994) accepts a single process whose statements are known from the
//! text to be safe. A closure of processes is at least as small in every state, and needs no promises about
//! channels: that a channel has one sender is seen from what the other processes can still do.
//!
//! What is preserved: deadlocks always. Failed assertions and other faults, and the truth of expressions about
//! states, when in addition no step is put off for ever, for which the [`sticky`](crate::sticky) edges are
//! there; and, for expressions about states, when no move of the set can change their value.
//!
//! Not reduced: models that use priorities, `provided` clauses, the last process, or ask whether a process is
//! enabled. Hand-shakes are explored with everything else that is possible.

mod futures;
mod rows;

use fathom_model::interpreter::Scratch;
use fathom_model::{
    EdgeId, Expr, Interpreter, Model, Move, NoRegion, PropertyId, Question, ScalarType, Steps, System,
    TemplateId,
};

use crate::access::{Access, ChannelUse, Channels, EdgeAccess, Exchange, Resources, visit, visit_edge};
use crate::sticky::sticky_edges;
use futures::futures;
use rows::{Known, weight};

/// What is known before the search, by template and location.
#[derive(Clone, Debug)]
struct PartialOrder {
    locations: Vec<Vec<Row>>,
    /// The resource of ending processes: two ends do not conflict.
    ending: usize,
}

/// What is known about a location.
#[derive(Clone, Debug)]
struct Row {
    edges: Vec<EdgeRow>,
    /// What a process can still touch from here.
    future: Access,
}

#[derive(Clone, Debug)]
struct EdgeRow {
    edge: EdgeId,
    enabling: Access,
    /// Everything that a step beginning with the edge may touch.
    executing: Access,
    /// A step that begins with it may change what a property looks at, or touch anything at all, or is one
    /// around which nothing may be put off.
    unsafe_to_choose: bool,
    /// A hand-shake may be part of a step that begins with it, but not its beginning.
    inner_handshake: bool,
    exchange: Option<Exchange>,
    /// Executable only when nothing else is.
    timeout: bool,
    is_else: bool,
}

/// Buffers of one worker.
#[derive(Clone, Default, Debug)]
struct Workspace {
    member: Vec<bool>,
    pending: Vec<u32>,
    best: Vec<bool>,
}

impl PartialOrder {
    /// Works out what conflicts with what; nothing when the model uses something that reduction cannot deal
    /// with. `asked` are the properties in question.
    fn new(model: &Model, asked: &[PropertyId]) -> Option<PartialOrder> {
        if model.uses_priorities || model.uses_last || !is_reducible(model) {
            return None;
        }
        let looked_at: Vec<&Expr> = asked
            .iter()
            .filter_map(|property| match &model.properties[property.index()].question {
                Question::Invariant(expr) | Question::Reach(expr) => Some(expr),
                _ => None,
            })
            .collect();
        let resources = Resources::new(model, &looked_at);
        let mut visible = Access::default();
        for expr in &looked_at {
            visible.add(&resources.of_expr(expr));
        }
        let accesses: Vec<Vec<EdgeAccess>> = (0..model.templates.len())
            .map(|template| {
                let id = TemplateId::from(template);
                model.templates[template].edges.iter().map(|edge| resources.of_edge(id, edge)).collect()
            })
            .collect();
        let futures = futures(model, &accesses, &resources.constant);
        let ending = resources.ending();
        let may_put_off = asked
            .iter()
            .all(|property| matches!(model.properties[property.index()].question, Question::Deadlock));
        let rows = |template: usize| {
            let text = &model.templates[template];
            let accesses = &accesses[template];
            let sticky = match may_put_off {
                true => vec![false; text.edges.len()],
                false => sticky_edges(text, &|edge| weight(text, edge, accesses)),
            };
            let known = Known { text, accesses, sticky: &sticky, visible: &visible };
            let rows = text.locations.iter().zip(&futures[template]);
            rows.map(|(location, future)| known.row(location, future)).collect()
        };
        Some(PartialOrder { locations: (0..model.templates.len()).map(rows).collect(), ending })
    }

    /// Chooses a persistent set in the state loaded into `scratch`. False when only all processes will do.
    fn choose(
        &self,
        interpreter: &Interpreter<'_>,
        scratch: &Scratch,
        chosen: &mut Vec<bool>,
        workspace: &mut Workspace,
    ) -> bool {
        let n_processes = interpreter.n_processes(scratch);
        let mut least = usize::MAX;
        for seed in (0..n_processes).rev() {
            let view = View { order: self, interpreter, scratch };
            let Some(n_executable) = view.close(seed, n_processes, workspace) else { continue };
            if n_executable > 0 && n_executable < least {
                least = n_executable;
                std::mem::swap(&mut workspace.best, &mut workspace.member);
            }
            if least == 1 {
                break;
            }
        }
        if least == usize::MAX {
            return false;
        }
        chosen.clone_from(&workspace.best);
        true
    }
}

/// A model of which, in each state, only a persistent set of processes is explored.
#[derive(Clone, Debug)]
pub struct Reduced<'m> {
    interpreter: Interpreter<'m>,
    order: PartialOrder,
}

impl<'m> Reduced<'m> {
    /// The model with its reduction; nothing when it cannot be reduced.
    pub fn new(model: &'m Model, asked: &[PropertyId]) -> Option<Reduced<'m>> {
        let order = PartialOrder::new(model, asked)?;
        Some(Reduced { interpreter: Interpreter::new(model, asked), order })
    }
}

/// Buffers of one worker.
#[derive(Clone, Default, Debug)]
pub struct ReducedScratch {
    inner: Scratch,
    workspace: Workspace,
    chosen: Vec<bool>,
}

impl System for Reduced<'_> {
    type Region = NoRegion;
    type Label = Move;
    type Scratch = ReducedScratch;

    fn scratch(&self) -> ReducedScratch {
        ReducedScratch::default()
    }

    fn initial(&self, scratch: &mut ReducedScratch, out: &mut Steps<NoRegion, Move>) {
        self.interpreter.initial(&mut scratch.inner, out);
    }

    fn successors(
        &self,
        state: &[u8],
        region: &NoRegion,
        scratch: &mut ReducedScratch,
        out: &mut Steps<NoRegion, Move>,
    ) {
        let ReducedScratch { inner, workspace, chosen } = scratch;
        self.interpreter.load(inner, state);
        if self.order.choose(&self.interpreter, inner, chosen, workspace) {
            self.interpreter.steps_of(&|process| chosen[process as usize], inner, out);
            // The set may rest on hand-shakes that turn out to be impossible.
            if !out.is_empty() || !out.findings().is_empty() {
                self.interpreter.findings_of_state(inner, out);
                return;
            }
        }
        self.interpreter.successors(state, region, inner, out);
    }
}

/// One state, looked at for reduction.
struct View<'a, 'm> {
    order: &'a PartialOrder,
    interpreter: &'a Interpreter<'m>,
    scratch: &'a Scratch,
}

impl View<'_, '_> {
    fn row(&self, process: u32) -> &Row {
        let (template, location) = self.interpreter.whereabouts(self.scratch, process);
        &self.order.locations[template.index()][location.index()]
    }

    /// The closure of a process, in `workspace.member`: the number of its executable edges, or nothing when
    /// it takes in too much.
    fn close(&self, seed: u32, n_processes: u32, workspace: &mut Workspace) -> Option<usize> {
        workspace.member.clear();
        workspace.member.resize(n_processes as usize, false);
        workspace.pending.clear();
        workspace.member[seed as usize] = true;
        workspace.pending.push(seed);
        let mut n_executable = 0;
        while let Some(process) = workspace.pending.pop() {
            let mut moved = false;
            for row in &self.row(process).edges {
                let executable = match (row.timeout, row.is_else) {
                    (true, _) => false,
                    (_, true) => !moved,
                    _ => self.interpreter.is_executable(self.scratch, process, row.edge).ok()?,
                };
                moved |= executable;
                n_executable += usize::from(executable);
                // Whether a hand-shake is possible depends on the partner: count on both.
                let handshake = row.exchange.as_ref().is_some_and(|exchange| exchange.handshake);
                let may_execute = executable || handshake;
                n_executable += usize::from(handshake && !executable);
                let blocks_timeout = row.timeout && process == seed && !moved;
                if row.inner_handshake || may_execute && row.unsafe_to_choose || blocks_timeout {
                    return None;
                }
                for other in 0..n_processes {
                    if workspace.member[other as usize] {
                        continue;
                    }
                    let needed = (may_execute && self.conflicts(process, &row.executing, other))
                        || (!executable && self.may_enable(process, row, other));
                    if needed {
                        workspace.member[other as usize] = true;
                        workspace.pending.push(other);
                    }
                }
            }
            if process == seed && n_executable == 0 {
                return None;
            }
        }
        workspace.member.iter().any(|member| !member).then_some(n_executable)
    }

    /// Whether something that `other` can still do may make executable an edge that is not.
    fn may_enable(&self, process: u32, row: &EdgeRow, other: u32) -> bool {
        if self.conflicts(process, &row.enabling, other) {
            return true;
        }
        let Some(exchange) = &row.exchange else { return false };
        // A send waits for someone to take a message out. A receive from an empty channel waits for a message;
        // from one with messages that do not fit, for someone to take the first away.
        let filled = exchange.receives && self.is_filled(process, &exchange.channels);
        let waits = ChannelUse {
            channels: exchange.channels.clone(),
            tail: false,
            head: false,
            sees_tail: exchange.receives && (!filled || exchange.anywhere),
            sees_head: !exchange.receives || filled,
        };
        self.share_channel(process, std::slice::from_ref(&waits), other, &self.row(other).future)
    }

    /// Whether a channel is known and has messages.
    fn is_filled(&self, process: u32, channels: &Channels) -> bool {
        let number = match channels {
            Channels::Known(numbers) if numbers.len() == 1 => numbers[0],
            Channels::Local(offset) => self.channel_in(process, *offset),
            _ => return false,
        };
        self.interpreter.channel_length(self.scratch, number).is_some_and(|length| length > 0)
    }

    /// Whether what `process` would do conflicts with something that `other` can still do.
    fn conflicts(&self, process: u32, access: &Access, other: u32) -> bool {
        let future = &self.row(other).future;
        if access.everything || future.everything {
            return true;
        }
        let except = Some(self.order.ending);
        access.writes.meets(&future.writes, except)
            || access.writes.meets(&future.reads, None)
            || access.reads.meets(&future.writes, None)
            || self.share_channel(process, &access.channels, other, future)
    }

    fn share_channel(&self, process: u32, channels: &[ChannelUse], other: u32, future: &Access) -> bool {
        channels.iter().any(|own| {
            let mut theirs = future.channels.iter();
            theirs.any(|theirs| {
                own.touches(theirs) && self.may_be_same(process, &own.channels, other, &theirs.channels)
            })
        })
    }

    fn may_be_same(&self, process: u32, own: &Channels, other: u32, theirs: &Channels) -> bool {
        match (own, theirs) {
            (Channels::Any, _) | (_, Channels::Any) => true,
            (Channels::Known(own), Channels::Known(theirs)) => {
                own.iter().any(|number| theirs.contains(number))
            }
            (Channels::Local(own), Channels::Local(theirs)) => {
                self.channel_in(process, *own) == self.channel_in(other, *theirs)
            }
            (Channels::Known(own), Channels::Local(theirs)) => own.contains(&self.channel_in(other, *theirs)),
            (Channels::Local(own), Channels::Known(theirs)) => {
                theirs.contains(&self.channel_in(process, *own))
            }
        }
    }

    fn channel_in(&self, process: u32, offset: u32) -> u32 {
        self.interpreter.local(self.scratch, process, offset, ScalarType::CHANNEL) as u32
    }
}

/// Whether nothing in the model makes reduction impossible altogether.
fn is_reducible(model: &Model) -> bool {
    let mut reducible = true;
    let mut note = |expr: &Expr| {
        reducible &= !matches!(
            expr,
            Expr::Enabled(_)
                | Expr::LocationOf(_)
                | Expr::LastProcess
                | Expr::Priority(_)
                | Expr::NonProgress
        );
    };
    for property in &model.properties {
        if let Question::Invariant(expr) | Question::Reach(expr) = &property.question {
            visit(expr, &mut note);
        }
    }
    for template in &model.templates {
        template.edges.iter().for_each(|edge| visit_edge(edge, &mut note));
    }
    reducible && model.templates.iter().all(|template| template.provided.is_none())
}
