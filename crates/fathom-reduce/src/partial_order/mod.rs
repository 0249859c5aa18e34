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
//! there; and, for expressions about states, when no move of the set can change their value. A fault ends its
//! path, and with it everything that others could still do: a set with a move that runs into one is not enough.
//!
//! Not reduced: models that use priorities, `provided` clauses, the last process, or ask whether a process is
//! enabled. Hand-shakes are explored with everything else that is possible.
//!
//! - `futures`: what a process can still do
//! - `rows`, `matrix`: what conflicts with what, worked out before the search
//! - `choose`: the choice in a state

mod choose;
mod futures;
mod matrix;
mod rows;

use fathom_model::{
    Action, Expr, Interpreter, Model, Move, NoRegion, PropertyId, Question, Selective, Steps, System,
    Template, TemplateId, TemplateRole,
};

use crate::access::{Access, EdgeAccess, Resources, visit, visit_edge};
use crate::faultless::{asserts_nothing, is_faultless};
use crate::sticky::sticky_edges;
use choose::{Choice, Workspace};
use futures::futures;
use matrix::Matrix;
use rows::{Known, weight};

/// What is known of a model before the search: which moves may have to be explored together.
#[derive(Clone, Debug)]
pub struct PartialOrder {
    matrix: Matrix,
}

impl PartialOrder {
    /// Works out what conflicts with what; nothing when the model uses something that reduction cannot deal
    /// with. `asked` are the properties in question.
    pub fn new(model: &Model, asked: &[PropertyId]) -> Option<PartialOrder> {
        if model.uses_priorities || model.uses_last || model.has_choices() || !is_reducible(model) {
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
        let may_put_off = asked.iter().all(|property| match model.properties[property.index()].question {
            Question::Deadlock => true,
            Question::Assertion => asserts_nothing(model),
            Question::RuntimeError => is_faultless(model, &resources.constant),
            _ => false,
        });
        let mut matrix = Matrix::new(&futures, resources.ending());
        for (template, text) in model.templates.iter().enumerate() {
            let accesses = &accesses[template];
            let sticky = match may_put_off {
                true => vec![false; text.edges.len()],
                false => sticky_edges(text, &|edge| weight(text, edge, accesses)),
            };
            let known = Known { text, accesses, sticky: &sticky, visible: &visible };
            for location in &text.locations {
                matrix.add_location(&known.edges(location));
            }
        }
        mark_hopeless(model, &mut matrix);
        (!matrix.is_hopeless()).then_some(PartialOrder { matrix })
    }
}

/// Finds locations at which no set of processes can begin, because everybody else is taken in.
fn mark_hopeless(model: &Model, matrix: &mut Matrix) {
    let mut first = 0;
    let mut ranges = Vec::new();
    let mut reachable: Vec<Vec<usize>> = Vec::new();
    for template in &model.templates {
        ranges.push(first..first + template.locations.len());
        let inside = if template.role == TemplateRole::Process { reached(template) } else { Vec::new() };
        reachable.push(inside.into_iter().map(|location| first + location).collect());
        first += template.locations.len();
    }
    let creations = model.templates.iter().flat_map(|template| &template.edges).flat_map(|edge| &edge.effect);
    let created: Vec<TemplateId> = creations
        .filter_map(|action| match action {
            Action::Create { template, .. } => Some(*template),
            _ => None,
        })
        .collect();
    for (index, range) in ranges.into_iter().enumerate() {
        let id = TemplateId::from(index);
        let n_started = model.start.iter().filter(|start| start.template == id).count();
        let is_alone = n_started <= 1 && !created.contains(&id);
        let others = (0..model.templates.len()).filter(|&other| other != index || !is_alone);
        let others: Vec<usize> = others.flat_map(|other| reachable[other].iter().copied()).collect();
        matrix.mark_hopeless(range, &others);
    }
}

/// The locations that a process of a template can be at.
fn reached(template: &Template) -> Vec<usize> {
    let mut seen = vec![false; template.locations.len()];
    let mut pending = vec![template.initial];
    let mut reached = Vec::new();
    while let Some(location) = pending.pop() {
        if !std::mem::replace(&mut seen[location.index()], true) {
            reached.push(location.index());
            let edges = template.location(location).groups.iter().flatten();
            pending.extend(edges.map(|edge| template.edge(*edge).target));
        }
    }
    reached
}

/// A system of which, in each state, only a persistent set of processes is explored.
#[derive(Clone, Debug)]
pub struct Reduced<S> {
    system: S,
    order: PartialOrder,
}

impl<'m> Reduced<Interpreter<'m>> {
    /// The interpreted model with its reduction; nothing when it cannot be reduced.
    pub fn new(model: &'m Model, asked: &[PropertyId]) -> Option<Reduced<Interpreter<'m>>> {
        let order = PartialOrder::new(model, asked)?;
        Some(Reduced::of(Interpreter::new(model, asked), order))
    }
}

impl<S: Selective> Reduced<S> {
    /// A system of a model with the reduction of the same model.
    pub fn of(system: S, order: PartialOrder) -> Reduced<S> {
        Reduced { system, order }
    }

    /// The system that is reduced.
    pub fn system(&self) -> &S {
        &self.system
    }
}

/// Buffers of one worker.
#[derive(Clone, Default, Debug)]
pub struct ReducedScratch<S> {
    inner: S,
    workspace: Workspace,
}

impl<S: Selective> System for Reduced<S> {
    type Region = NoRegion;
    type Label = Move;
    type Scratch = ReducedScratch<S::Scratch>;

    fn scratch(&self) -> Self::Scratch {
        ReducedScratch { inner: self.system.scratch(), workspace: Workspace::default() }
    }

    fn initial(&self, scratch: &mut Self::Scratch, out: &mut Steps<NoRegion, Move>) {
        self.system.initial(&mut scratch.inner, out);
    }

    fn successors(
        &self,
        state: &[u8],
        _: &NoRegion,
        scratch: &mut Self::Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) {
        let mut choice = Choice { matrix: &self.order.matrix, workspace: &mut scratch.workspace };
        self.system.chosen_successors(state, &mut choice, &mut scratch.inner, out);
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
                | Expr::SomeAccepting
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
