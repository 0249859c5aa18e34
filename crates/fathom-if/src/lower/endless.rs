//! Loops that cannot end: nothing in them changes what their condition depends on.
//!
//! A transition is one step, its loops included. States inside of it that come again are not followed again, so a loop that changes nothing is never left, and the transition has no outcome: it is missing among the
//! steps, without a trace of it. What can be seen from the text is said here; loops that go round through several values are not looked for.

use fathom_model::visit::{for_each_written_by, visit};
use fathom_model::{Base, Expr, Place};
use fathom_source::{Diagnostic, Span};

use super::Lowering;

impl Lowering {
    /// Warns of a loop with this condition whose body is all edges from one on.
    pub(super) fn warn_of_endless_loop(&mut self, condition: &Expr, first_edge: usize, span: Span) {
        let Some(reads) = own_variables(condition) else { return };
        let mut is_changed = false;
        for edge in &self.edges[first_edge..] {
            for_each_written_by(edge, &mut |written| {
                is_changed |= reads.iter().any(|read| may_overlap(read, written));
            });
        }
        if !is_changed {
            let said = Diagnostic::warning("if::endless-loop", "this loop never ends once it is entered");
            self.diagnostics.push(
                said.at(span, "nothing inside changes this")
                    .note("a transition that does not come to its end is no step"),
            );
        }
    }
}

/// The variables of the process that an expression depends on; none when it depends on something else.
fn own_variables(expr: &Expr) -> Option<Vec<Place>> {
    let mut reads = Vec::new();
    let mut is_known = true;
    visit(expr, &mut |part| match part {
        Expr::Load(place) if place.base == Base::Own => reads.push(place.clone()),
        Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => {}
        _ => is_known = false,
    });
    // What is false from the start is never entered.
    (is_known && *expr != Expr::Const(0)).then_some(reads)
}

/// Whether two places of a process may be the same. With an index, a place may be any for all that is known here.
fn may_overlap(one: &Place, other: &Place) -> bool {
    let end = |place: &Place| place.offset + place.ty.size();
    other.base == Base::Own
        && (!one.indices.is_empty()
            || !other.indices.is_empty()
            || one.offset < end(other) && other.offset < end(one))
}
