//! The states that satisfy a formula, as text and as JSON.

use std::fmt::Write;

use fathom_core::Satisfying;
use fathom_core::logic::print_ctl;
use fathom_core::model::{Interpreter, Question, Stop, Trace};

use super::check_report::{Answered, formula_of};
use crate::story::{describe, state_to_wire, tell};
use crate::story_text::state_to_text;
use crate::units::counted;
use crate::wire;

/// The states of all formulas asked for.
pub fn to_wire(answered: &Answered<'_>, interpreter: &Interpreter<'_>) -> Vec<wire::StatesForm> {
    let form = |found: &Satisfying| -> Option<wire::StatesForm> {
        let property = &answered.session.model().properties[found.property.index()];
        let Question::Ctl(ctl) = &property.question else { return None };
        let part = |part: &fathom_core::SatisfiedPart| wire::StatesPartForm {
            formula: print_ctl(&ctl.formulas, &ctl.names, part.formula),
            states: part.n_states,
            initially: part.is_initial,
        };
        let near = |trace: &Trace| wire::NearStateForm {
            initial: trace.initial,
            choices: trace.choices.clone(),
            state: state_to_wire(
                answered.session,
                &describe(interpreter, &end_of(interpreter, found, trace)),
            ),
        };
        Some(wire::StatesForm {
            name: property.name.clone(),
            formula: formula_of(answered, found.property)?,
            states: found.n_states,
            parts: found.parts.iter().map(part).collect(),
            nearest: found.nearest.iter().map(near).collect(),
            stop: found.stop.word().to_owned(),
        })
    };
    answered.report.satisfying.iter().filter_map(form).collect()
}

/// The same for people.
pub fn to_text(answered: &Answered<'_>, interpreter: &Interpreter<'_>) -> String {
    let mut text = String::new();
    for found in &answered.report.satisfying {
        let property = &answered.session.model().properties[found.property.index()];
        let (Question::Ctl(ctl), Some(formula)) = (&property.question, formula_of(answered, found.property))
        else {
            continue;
        };
        let _ = writeln!(text, "\nstates of {}: {}", property.name, formula.text);
        let _ = writeln!(text, "  that is: {}", formula.reading);
        if found.stop != Stop::Exhausted {
            let _ = writeln!(text, "  not known: the search ended early ({})", found.stop.word());
            continue;
        }
        let n_states = counted(found.n_states, "state");
        for part in &found.parts {
            let formula = print_ctl(&ctl.formulas, &ctl.names, part.formula);
            let initially = if part.is_initial { ", the initial one included" } else { "" };
            let _ = writeln!(text, "  {:>10} of {n_states}: {formula}{initially}", part.n_states);
        }
        if found.parts.last().is_some_and(|whole| whole.n_states == 0) {
            let _ = writeln!(text, "  no state that can be reached satisfies it");
        }
        for trace in &found.nearest {
            let _ = writeln!(text, "  after {}:", counted(trace.choices.len() as u64, "step"));
            let state = describe(interpreter, &end_of(interpreter, found, trace));
            for line in state_to_text(answered.session, &state).lines() {
                let _ = writeln!(text, "  {line}");
            }
        }
    }
    text
}

/// The state that a way leads to.
fn end_of(interpreter: &Interpreter<'_>, found: &Satisfying, trace: &Trace) -> Vec<u8> {
    let story = tell(interpreter, found.property, trace);
    story.ok().and_then(|story| story.last_state).unwrap_or_default()
}
