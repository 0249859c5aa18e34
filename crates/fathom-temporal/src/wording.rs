//! Formulas of a model as text and in plain words, for reports.

use fathom_logic::{print_ctl, print_formula, read_ctl, read_formula, read_psl};
use fathom_model::{Model, PropertyId, Question};

use crate::question::LinearQuestion;

/// A formula as people read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wording {
    /// The formula in the common syntax of its logic; none where only its author's text is known.
    pub formula: Option<String>,
    /// What it says, in words.
    pub words: String,
}

/// What a property says, if it is a formula.
pub fn wording(model: &Model, property: PropertyId) -> Option<Wording> {
    match &model.properties[property.index()].question {
        Question::Ltl(_) => {
            let question = LinearQuestion::new(model, property)?;
            let (formulas, formula) = question.ltl()?;
            let names = question.names();
            Some(Wording {
                formula: Some(print_formula(formulas, &names, formula)),
                words: read_formula(formulas, &names, formula),
            })
        }
        Question::Ctl(ctl) => Some(Wording {
            formula: Some(print_ctl(&ctl.formulas, &ctl.names, ctl.formula)),
            words: read_ctl(&ctl.formulas, &ctl.names, ctl.formula),
        }),
        Question::Psl(psl) => {
            Some(Wording { formula: None, words: read_psl(&psl.formulas, &psl.names, &psl.psl) })
        }
        _ => None,
    }
}
