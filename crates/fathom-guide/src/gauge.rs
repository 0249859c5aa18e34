//! The value of an expression in a state, for costs.

use fathom_model::layout::Layout;
use fathom_model::{Expr, Model};

use crate::view::View;

/// Reads the value of an expression off states.
#[derive(Clone, Debug)]
pub struct Gauge<'m> {
    model: &'m Model,
    layout: Layout,
    expr: Expr,
}

impl<'m> Gauge<'m> {
    /// A gauge for an expression that no process looks at.
    pub fn new(model: &'m Model, expr: Expr) -> Gauge<'m> {
        Gauge { model, layout: Layout::new(model), expr }
    }

    /// The value in a state; none where it has none.
    pub fn value(&self, state: &[u8]) -> Option<i64> {
        View::new(self.model, &self.layout, state).value(&self.expr, None)
    }
}
