//! Propositions of a formula as invariants of a copy of the model.
//!
//! Any system of that copy, interpreted or compiled, reports in every state which of them are false, and which cannot be
//! evaluated: no engine needs to know another way to look at states.

use fathom_model::{Expr, Model, Property, PropertyId, Question};

/// Adds a property for each proposition of a property to a model, and gives the number of the first.
pub(crate) fn add_propositions(model: &mut Model, property: PropertyId, propositions: &[Expr]) -> usize {
    let first = model.properties.len();
    for (index, expr) in propositions.iter().enumerate() {
        model.properties.push(Property {
            name: format!("proposition {index} of property {}", property.0),
            question: Question::Invariant(expr.clone()),
            span: None,
        });
    }
    first
}
