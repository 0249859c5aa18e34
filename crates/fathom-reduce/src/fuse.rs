//! Fusing: steps that no one else can notice are taken together.
//!
//! A location is *transient* when everything that leaves it is the process's own business: its edges touch
//! nothing that other processes or properties can see, and one of them is always executable. Whoever arrives
//! there may as well go on at once. So an edge that leads to a transient location is marked atomic: the state
//! in between is no longer stored, and no one moves in between. (Spin does this to straight sequences of
//! statements under the name of statement merging; here choices are included.)
//!
//! A loop of transient locations would never arrive anywhere: in every cycle of the control graph one location
//! stays as it is.
//!
//! Preserved: deadlocks, because a process never blocks at a transient location; assertions and faults,
//! because they are still executed; and expressions about states, because those that the fused edges could
//! change are not fused.

use fathom_model::{Action, Expr, Guard, LocationId, Model, Sync, TemplateId};

use crate::access::{Access, Resources, visit};

/// Marks edges that lead to transient locations as atomic. `looked_at` are the expressions about states that
/// properties ask about. Gives the number of locations that no longer are states.
pub fn fuse(model: &mut Model, looked_at: &[Expr]) -> usize {
    // Who moved last and who may move at all are noticed by others.
    if model.uses_last || model.uses_priorities || looked_at.iter().any(asks_for_marks) {
        return 0;
    }
    let looked_at: Vec<&Expr> = looked_at.iter().collect();
    let transient: Vec<Vec<bool>> = {
        let resources = Resources::new(model, &looked_at);
        let templates = 0..model.templates.len();
        templates.map(|template| transient_locations(model, &resources, TemplateId::from(template))).collect()
    };
    let mut n_fused = 0;
    for (template, transient) in model.templates.iter_mut().zip(&transient) {
        n_fused += transient.iter().filter(|transient| **transient).count();
        for edge in &mut template.edges {
            edge.atomic |= transient[edge.target.index()] && !edge.effect.contains(&Action::End);
        }
    }
    n_fused
}

/// Whether an expression asks how locations are marked: then being at one matters, whatever its edges do.
fn asks_for_marks(expr: &Expr) -> bool {
    let mut asks = false;
    visit(expr, &mut |part| {
        asks |= matches!(part, Expr::NonProgress | Expr::SomeAccepting | Expr::LocationOf(_));
    });
    asks
}

fn transient_locations(model: &Model, resources: &Resources<'_>, id: TemplateId) -> Vec<bool> {
    let template = model.template(id);
    if template.provided.is_some() {
        return vec![false; template.locations.len()];
    }
    let private: Vec<bool> = template
        .edges
        .iter()
        .map(|edge| {
            let access = resources.of_edge(id, edge);
            is_private(&access.enabling)
                && is_private(&access.executing)
                && edge.sync.is_none()
                && !waits(edge)
        })
        .collect();
    let mut transient: Vec<bool> = template
        .locations
        .iter()
        .map(|location| {
            let mut edges = location.groups.iter().flatten();
            let never_blocks =
                edges.clone().any(|&edge| matches!(template.edge(edge).guard, Guard::Always | Guard::Else));
            never_blocks && !location.deterministic && edges.all(|edge| private[edge.index()])
        })
        .collect();
    // A process that has not moved yet rests where it starts.
    transient[template.initial.index()] = false;
    break_cycles(template, &mut transient);
    transient
}

fn is_private(access: &Access) -> bool {
    access.reads.is_empty() && access.writes.is_empty() && access.channels.is_empty() && !access.everything
}

/// Whether an edge may turn out not to be executable, or may change who can move.
fn waits(edge: &fathom_model::Edge) -> bool {
    let mut timeout = false;
    if let Guard::When(condition) = &edge.guard {
        visit(condition, &mut |part| timeout |= *part == Expr::Timeout);
    }
    timeout
        || edge.guard == Guard::Youngest
        || matches!(edge.sync, Some(Sync::Send { .. } | Sync::Receive { .. }))
        || edge.effect.iter().any(|action| {
            matches!(
                action,
                Action::Require(_) | Action::Create { .. } | Action::End | Action::SetPriority { .. }
            )
        })
}

/// Takes the mark from one location of every cycle of transient locations.
fn break_cycles(template: &fathom_model::Template, transient: &mut [bool]) {
    #[derive(Clone, Copy, PartialEq)]
    enum Color {
        New,
        Open,
        Done,
    }
    let mut colors = vec![Color::New; transient.len()];
    for start in 0..transient.len() {
        let mut stack = vec![(LocationId::from(start), 0)];
        if colors[start] != Color::New || !transient[start] {
            continue;
        }
        colors[start] = Color::Open;
        while let Some((location, next)) = stack.last_mut() {
            let location = *location;
            let edge = template.location(location).groups.iter().flatten().nth(*next);
            *next += 1;
            let Some(&edge) = edge else {
                colors[location.index()] = Color::Done;
                stack.pop();
                continue;
            };
            let target = template.edge(edge).target;
            if !transient[target.index()] {
                continue;
            }
            match colors[target.index()] {
                Color::New => {
                    colors[target.index()] = Color::Open;
                    stack.push((target, 0));
                }
                Color::Open => transient[target.index()] = false,
                Color::Done => {}
            }
        }
    }
}
