//! Dead variables: a value that will never be read again is forgotten.
//!
//! A local variable is dead at a location when on every way from there it is written before it is read, or
//! never read at all. States that differ only in dead variables have the same future, so every edge sets the
//! variables to 0 that are dead where it leads. (Spin's data-flow optimisation does the same.) Arrays are dead
//! when no element is read any more. Variables that other processes or properties look at never die, and
//! neither do channel variables: what they hold helps to tell who can meet whom.

use fathom_model::{
    Action, Base, Edge, EdgeId, Expr, Guard, Model, Pattern, Place, ScalarKind, Sync, Template, Type,
};

use crate::access::{visit, visit_edge};
use crate::bits::Bits;

/// An array of more elements is not forgotten: that would cost more than it saves.
const LARGEST_ARRAY: u32 = 16;

/// Makes edges forget what is dead where they lead. `looked_at` are the expressions about states that
/// properties ask about. Gives the number of assignments added.
pub fn forget_dead(model: &mut Model, looked_at: &[Expr]) -> usize {
    let watched = watched_templates(model, looked_at);
    let mut n_added = 0;
    for (index, _) in watched.iter().enumerate().filter(|(_, watched)| !**watched) {
        let mut template = std::mem::replace(&mut model.templates[index], empty_template());
        n_added += forget_in(&mut template, model);
        model.templates[index] = template;
    }
    n_added
}

/// Templates whose locals someone else looks at.
fn watched_templates(model: &Model, looked_at: &[Expr]) -> Vec<bool> {
    let mut watched = vec![false; model.templates.len()];
    let mut note = |expr: &Expr| {
        if let Expr::Load(Place { base: Base::Other { template, .. }, .. }) = expr {
            watched[template.index()] = true;
        }
    };
    looked_at.iter().for_each(|expr| visit(expr, &mut note));
    for template in &model.templates {
        template.provided.iter().for_each(|expr| visit(expr, &mut note));
        template.edges.iter().for_each(|edge| visit_edge(edge, &mut note));
    }
    watched
}

fn empty_template() -> Template {
    Template {
        name: String::new(),
        role: fathom_model::TemplateRole::Process,
        locals: fathom_model::Frame::default(),
        parameters: Vec::new(),
        locations: Vec::new(),
        edges: Vec::new(),
        initial: fathom_model::LocationId(0),
        provided: None,
        span: None,
    }
}

/// Which local variables an edge reads, and which it certainly overwrites before.
struct Flow {
    reads: Bits,
    kills: Bits,
}

fn forget_in(template: &mut Template, model: &Model) -> usize {
    let candidates: Vec<Option<Vec<Place>>> = template
        .locals
        .variables
        .iter()
        .map(|variable| forgettable(&variable.ty, variable.offset, model))
        .collect();
    let flows: Vec<Flow> = template.edges.iter().map(|edge| flow_of(template, edge)).collect();
    let mut provided = Bits::default();
    template.provided.iter().for_each(|expr| reads_of(template, expr, &mut provided));
    let live = live_variables(template, &flows, &provided);
    let sources = sources_of(template);
    let mut n_added = 0;
    for (index, edge) in template.edges.iter_mut().enumerate() {
        if edge.effect.contains(&Action::End) {
            continue;
        }
        for (variable, places) in candidates.iter().enumerate() {
            let Some(places) = places else { continue };
            let dead_after = !live[edge.target.index()].has(variable);
            let may_be_set = flows[index].kills.has(variable)
                || writes(edge, places)
                || sources[index].iter().any(|&location| live[location].has(variable));
            if dead_after && may_be_set {
                edge.effect.extend(places.iter().cloned().map(|place| Action::Assign(place, Expr::Const(0))));
                n_added += places.len();
            }
        }
    }
    n_added
}

/// The places of a variable that may be forgotten.
fn forgettable(ty: &Type, offset: u32, model: &Model) -> Option<Vec<Place>> {
    match ty {
        Type::Scalar(scalar) if scalar.kind == ScalarKind::Channel => None,
        Type::Scalar(scalar) => Some(vec![Place::fixed(Base::Own, offset, *scalar)]),
        Type::Array { element, length, .. } if *length <= LARGEST_ARRAY => {
            let stride = element.size(model);
            let mut places = Vec::new();
            for index in 0..*length {
                places.extend(forgettable(element, offset + index * stride, model)?);
            }
            Some(places)
        }
        _ => None,
    }
}

fn writes(edge: &Edge, places: &[Place]) -> bool {
    let starts = places[0].offset;
    let ends = places[places.len() - 1].offset + places[places.len() - 1].ty.size();
    let inside = |place: &Place| place.base == Base::Own && (starts..ends).contains(&place.offset);
    let received = match &edge.sync {
        Some(Sync::Receive { patterns, .. }) => {
            patterns.iter().any(|pattern| matches!(pattern, Pattern::Bind(place) if inside(place)))
        }
        _ => false,
    };
    received || edge.effect.iter().any(|action| matches!(action, Action::Assign(place, _) if inside(place)))
}

/// The variable of the locals that an offset lies in.
fn variable_at(template: &Template, offset: u32) -> Option<usize> {
    let mut found =
        template.locals.variables.iter().enumerate().filter(|(_, variable)| variable.offset <= offset);
    found.by_ref().max_by_key(|(_, variable)| variable.offset).map(|(index, _)| index)
}

fn reads_of(template: &Template, expr: &Expr, reads: &mut Bits) {
    visit(expr, &mut |part| {
        if let Expr::Load(Place { base: Base::Own, offset, .. }) = part
            && let Some(variable) = variable_at(template, *offset)
        {
            reads.set(variable);
        }
    });
}

fn flow_of(template: &Template, edge: &Edge) -> Flow {
    let mut flow = Flow { reads: Bits::default(), kills: Bits::default() };
    let read = |expr: &Expr, flow: &mut Flow| {
        let mut reads = Bits::default();
        reads_of(template, expr, &mut reads);
        reads.remove(&flow.kills);
        flow.reads.add(&reads);
    };
    let write = |place: &Place, flow: &mut Flow| {
        let whole = place.indices.is_empty()
            && variable_at(template, place.offset)
                .is_some_and(|variable| matches!(template.locals.variables[variable].ty, Type::Scalar(_)));
        if place.base == Base::Own && whole {
            flow.kills.set(variable_at(template, place.offset).expect("found just now"));
        }
    };
    if let Guard::When(condition) = &edge.guard {
        read(condition, &mut flow);
    }
    match &edge.sync {
        Some(Sync::Send { channel, fields, .. }) => {
            read(channel, &mut flow);
            fields.iter().for_each(|field| read(field, &mut flow));
        }
        Some(Sync::Receive { channel, patterns, .. }) => {
            read(channel, &mut flow);
            for pattern in patterns {
                match pattern {
                    Pattern::Match(value) => read(value, &mut flow),
                    Pattern::Bind(place) => {
                        place.indices.iter().for_each(|index| read(&index.value, &mut flow));
                    }
                }
            }
            for pattern in patterns {
                if let Pattern::Bind(place) = pattern {
                    write(place, &mut flow);
                }
            }
        }
        None => {}
    }
    for action in &edge.effect {
        let one = Edge { guard: Guard::Always, sync: None, effect: vec![action.clone()], ..edge.clone() };
        let mut parts = Vec::new();
        visit_edge(&one, &mut |expr| parts.push(expr.clone()));
        parts.iter().for_each(|expr| read(expr, &mut flow));
        if let Action::Assign(place, _) = action {
            write(place, &mut flow);
        }
    }
    flow
}

/// The variables that may be read from each location on before they are written.
fn live_variables(template: &Template, flows: &[Flow], provided: &Bits) -> Vec<Bits> {
    let mut live = vec![provided.clone(); template.locations.len()];
    loop {
        let mut changed = false;
        for (index, location) in template.locations.iter().enumerate() {
            for &edge in location.groups.iter().flatten() {
                let mut before = if template.edge(edge).effect.contains(&Action::End) {
                    Bits::default()
                } else {
                    live[template.edge(edge).target.index()].clone()
                };
                before.remove(&flows[edge.index()].kills);
                before.add(&flows[edge.index()].reads);
                changed |= live[index].add(&before);
            }
        }
        if !changed {
            return live;
        }
    }
}

/// The locations that each edge leaves.
fn sources_of(template: &Template) -> Vec<Vec<usize>> {
    let mut sources = vec![Vec::new(); template.edges.len()];
    for (index, location) in template.locations.iter().enumerate() {
        for &EdgeId(edge) in location.groups.iter().flatten() {
            sources[edge as usize].push(index);
        }
    }
    sources
}
