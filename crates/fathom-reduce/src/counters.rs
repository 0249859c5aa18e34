//! Counters: local variables that only go up, or only down, in a part of a control graph.
//!
//! A loop that counts to a bound comes back to the same location, but never in the same state. A process that goes
//! round it without ever leaving is not on a cycle of the system (this is a ranking function, as in proofs of
//! termination). What counts as counting: an edge adds a constant to a local variable or takes one away, and it is
//! known that the result fits into the type, because of a comparison on the same edge or on every way to it.

use fathom_model::{
    Action, Base, BinaryOp, Edge, Expr, Guard, Pattern, Place, ScalarType, Sync, Template, Type,
};

/// What an edge does to a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    Nothing,
    /// It grows, without wrapping.
    Up,
    /// It shrinks, without wrapping.
    Down,
    /// Anything else.
    Other,
}

/// The effects of all edges on one local variable.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    /// By edge.
    pub effects: Vec<Effect>,
}

/// The local variables of a template that some edge counts with.
pub(crate) fn counters(template: &Template) -> Vec<Counter> {
    let scalars = template.locals.variables.iter().filter_map(|variable| match variable.ty {
        Type::Scalar(ty) => Some((variable.offset, ty)),
        _ => None,
    });
    scalars.filter_map(|(offset, ty)| counter(template, offset, ty)).collect()
}

/// The values that a variable can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    least: i64,
    most: i64,
}

impl Range {
    fn of(ty: ScalarType) -> Range {
        match ty.signed {
            true => Range { least: -(1 << (ty.bits - 1)), most: (1 << (ty.bits - 1)) - 1 },
            false => Range { least: 0, most: (1 << ty.bits) - 1 },
        }
    }

    fn meet(self, other: Range) -> Range {
        Range { least: self.least.max(other.least), most: self.most.min(other.most) }
    }

    fn join(self, other: Range) -> Range {
        Range { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

fn counter(template: &Template, offset: u32, ty: ScalarType) -> Option<Counter> {
    let variable = Place::fixed(Base::Own, offset, ty);
    let counts = |edge: &Edge| step_of(edge, &variable).is_some_and(|step| step != 0);
    if !template.edges.iter().any(counts) {
        return None;
    }
    let ranges = ranges(template, &variable);
    let mut effects = vec![Effect::Nothing; template.edges.len()];
    for (location, ranges) in template.locations.iter().zip(&ranges) {
        for id in location.groups.iter().flatten() {
            let edge = template.edge(*id);
            let Some(range) = ranges.map(|range| range.meet(guard_range(edge, &variable))) else { continue };
            let effect = effect_of(edge, &variable, range);
            let known = &mut effects[id.index()];
            // An edge that two locations share does what it does at both.
            *known = if *known == Effect::Nothing || *known == effect { effect } else { Effect::Other };
        }
    }
    effects.iter().any(|effect| matches!(effect, Effect::Up | Effect::Down)).then_some(Counter { effects })
}

fn effect_of(edge: &Edge, variable: &Place, range: Range) -> Effect {
    let all = Range::of(variable.ty);
    match step_of(edge, variable) {
        Some(0) => Effect::Nothing,
        Some(step) if step > 0 && range.most + step <= all.most => Effect::Up,
        Some(step) if step < 0 && range.least + step >= all.least => Effect::Down,
        _ => Effect::Other,
    }
}

/// What an edge adds to a variable, when that is a constant; 0 when it leaves it alone.
fn step_of(edge: &Edge, variable: &Place) -> Option<i64> {
    if let Some(Sync::Receive { patterns, .. }) = &edge.sync
        && patterns.iter().any(|pattern| matches!(pattern, Pattern::Bind(place) if overlaps(place, variable)))
    {
        return None;
    }
    let mut step = 0;
    for action in &edge.effect {
        let Action::Assign(place, value) = action else { continue };
        if !overlaps(place, variable) {
            continue;
        }
        if place != variable || step != 0 {
            return None;
        }
        let Expr::Binary(op, left, right) = value else { return None };
        step = match (op, &**left, &**right) {
            (BinaryOp::Add, Expr::Load(place), Expr::Const(by))
            | (BinaryOp::Add, Expr::Const(by), Expr::Load(place))
                if place == variable =>
            {
                *by
            }
            (BinaryOp::Subtract, Expr::Load(place), Expr::Const(by)) if place == variable => -*by,
            _ => return None,
        };
    }
    Some(step)
}

/// Whether writing to a place may change a scalar variable.
fn overlaps(place: &Place, variable: &Place) -> bool {
    let bytes = variable.offset..variable.offset + variable.ty.size();
    place.base == variable.base && bytes.contains(&place.offset)
}

/// What a variable can be at each location, as far as comparisons say; nothing where no way leads.
fn ranges(template: &Template, variable: &Place) -> Vec<Option<Range>> {
    let all = Range::of(variable.ty);
    let mut ranges: Vec<Option<Range>> = vec![None; template.locations.len()];
    ranges[template.initial.index()] = Some(all);
    loop {
        let mut changed = false;
        for location in 0..template.locations.len() {
            let Some(range) = ranges[location] else { continue };
            for id in template.locations[location].groups.iter().flatten() {
                let edge = template.edge(*id);
                // An end leads nowhere, whatever its target says.
                if edge.effect.contains(&Action::End) {
                    continue;
                }
                let after = match step_of(edge, variable) {
                    Some(0) => range.meet(guard_range(edge, variable)),
                    _ => all,
                };
                let target = &mut ranges[edge.target.index()];
                let joined = target.map_or(after, |known| known.join(after));
                changed |= *target != Some(joined);
                *target = Some(joined);
            }
        }
        if !changed {
            return ranges;
        }
    }
}

/// What a variable can be when the guard of an edge holds.
fn guard_range(edge: &Edge, variable: &Place) -> Range {
    match &edge.guard {
        Guard::When(condition) => condition_range(condition, variable),
        _ => Range::of(variable.ty),
    }
}

fn condition_range(condition: &Expr, variable: &Place) -> Range {
    let all = Range::of(variable.ty);
    let Expr::Binary(op, left, right) = condition else { return all };
    if *op == BinaryOp::And {
        return condition_range(left, variable).meet(condition_range(right, variable));
    }
    let is_variable = |expr: &Expr| matches!(expr, Expr::Load(place) if place == variable);
    let (op, bound) = if is_variable(left) {
        (*op, value_range(right))
    } else if is_variable(right) {
        (flipped(*op), value_range(left))
    } else {
        return all;
    };
    let Some(bound) = bound else { return all };
    let limits = match op {
        BinaryOp::Less => Range { most: bound.most - 1, ..all },
        BinaryOp::LessEqual => Range { most: bound.most, ..all },
        BinaryOp::Greater => Range { least: bound.least + 1, ..all },
        BinaryOp::GreaterEqual => Range { least: bound.least, ..all },
        BinaryOp::Equal => bound,
        _ => all,
    };
    all.meet(limits)
}

fn flipped(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

fn value_range(expr: &Expr) -> Option<Range> {
    match expr {
        Expr::Const(value) => Some(Range { least: *value, most: *value }),
        Expr::Load(place) => Some(Range::of(place.ty)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place::fixed(Base::Own, 0, ScalarType::BYTE)
    }

    #[test]
    fn a_comparison_bounds_a_variable_from_either_side() {
        let load = || Expr::Load(place());
        let less = Expr::binary(BinaryOp::Less, load(), Expr::Const(10));
        assert_eq!(condition_range(&less, &place()), Range { least: 0, most: 9 });
        let greater = Expr::binary(BinaryOp::GreaterEqual, Expr::Const(10), load());
        assert_eq!(condition_range(&greater, &place()), Range { least: 0, most: 10 });
        let both = Expr::binary(BinaryOp::And, less, Expr::binary(BinaryOp::Greater, load(), Expr::Const(3)));
        assert_eq!(condition_range(&both, &place()), Range { least: 4, most: 9 });
        let either = Expr::binary(BinaryOp::Or, Expr::Const(1), greater);
        assert_eq!(condition_range(&either, &place()), Range { least: 0, most: 255 });
    }
}
