//! Formulas about runs that hold for the wrong reason, and propositions that never change.
//!
//! A formula that holds is checked again with a constant for one of its parts; where it holds then, too, the part does not matter
//! (Beer, Ben-David, Eisner and Rodeh, 1997). Each check is a search of its own. Whether a proposition is constant is one
//! search for all, which ends as soon as each has been both.

use fathom_model::{Answer, Expr, Model, Property, PropertyId, Question, Trust, Verdict};
use fathom_search::Monitor;
use fathom_temporal::LinearQuestion;

use crate::check::{CheckOptions, check_states};
use crate::insight::{Constant, Insight, Vacuous};
use crate::linear::{Exhaustive, check_question};

/// Most parts of a formula that are tried.
const MOST_PARTS: usize = 24;

/// What there is to say about a formula about runs when it has its verdict.
pub(crate) fn insight_of(
    model: &Model,
    verdict: &Verdict,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Option<Insight> {
    let question = LinearQuestion::new(model, verdict.property)?;
    let mut insight = Insight::new(verdict.property);
    let holds = verdict.answer == Answer::Holds && verdict.trust == Trust::Complete;
    // An invariant that holds is constant: that is what it says.
    if !(holds && question.expressions().len() == 1) {
        insight.constants = constants(model, &question, options, monitor);
    }
    if holds {
        insight.vacuous = vacuous(model, &question, options, monitor);
    }
    insight.if_any()
}

fn vacuous(
    model: &Model,
    question: &LinearQuestion,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Vec<Vacuous> {
    let mut found: Vec<(Vec<usize>, Vacuous)> = Vec::new();
    for harder in question.harder().into_iter().take(MOST_PARTS) {
        // Parts of a part that does not matter give the same formula, or do not matter either.
        let is_known = |(path, known): &(Vec<usize>, Vacuous)| {
            harder.path.starts_with(path) || known.stronger == harder.formula
        };
        if found.iter().any(is_known) {
            continue;
        }
        let mut engine = Exhaustive::new(options, &mut *monitor);
        let verdict = check_question(model, &harder.question, options.code, &mut engine).verdict;
        if verdict.answer == Answer::Holds && verdict.trust == Trust::Complete {
            let vacuous = Vacuous { part: harder.part, stronger: harder.formula, cause: harder.cause };
            found.push((harder.path, vacuous));
        }
    }
    found.into_iter().map(|(_, vacuous)| vacuous).collect()
}

/// The propositions that are the same in all states.
fn constants(
    model: &Model,
    question: &LinearQuestion,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Vec<Constant> {
    let names = question.names();
    let mut asked = model.clone();
    let first = asked.properties.len();
    for expr in question.expressions() {
        for expr in [expr.clone(), Expr::negation(expr)] {
            let name = format!("value {} of property {}", asked.properties.len(), question.property().0);
            asked.properties.push(Property { name, question: Question::Reach(expr), span: None });
        }
    }
    let properties: Vec<PropertyId> = (first..asked.properties.len()).map(PropertyId::from).collect();
    if properties.is_empty() {
        return Vec::new();
    }
    let alone = CheckOptions { properties: properties.clone(), continue_after_all: false, ..options.clone() };
    let verdicts = check_states(&asked, properties, &alone, monitor).verdicts;
    let never = |verdict: &Verdict| verdict.answer == Answer::Violated && verdict.trust == Trust::Complete;
    let values = verdicts.chunks(2).enumerate().filter_map(|(index, pair)| {
        let value = match (never(&pair[0]), never(&pair[1])) {
            (true, false) => false,
            (false, true) => true,
            _ => return None,
        };
        Some(Constant { proposition: names.text(fathom_logic::PropositionId::new(index)).to_owned(), value })
    });
    values.collect()
}
