//! Automata as never claims in Promela, for Spin and whoever reads its language.
//!
//! The shape is the one that `spin -f` prints: a label for each state, one that starts with `accept` for an accepting one, and a guarded jump for each transition.

use std::fmt::Write;

use crate::Propositions;
use crate::automaton::{Automaton, StateIndex};
use crate::guard::Guard;

/// The claim of an automaton with one acceptance set on states, with what it is called in a comment.
///
/// # Panics
///
/// When acceptance is not on states, or there are several sets.
pub fn write_never(automaton: &Automaton, propositions: &Propositions, name: &str) -> String {
    assert!(automaton.is_state_based && automaton.n_sets <= 1, "acceptance is one set of states");
    let automaton = automaton.clone();
    let comment = name.replace("*/", "* /");
    let mut out = format!("never {{ /* {comment} */\n");
    // The claim starts with what is written first.
    let others = (0..automaton.n_states()).filter(|&state| state != automaton.initial);
    for state in std::iter::once(automaton.initial).chain(others) {
        let _ = writeln!(out, "{}:", label(&automaton, state));
        let transitions = &automaton.states[state];
        if matches!(transitions[..], [only] if only.guard == Guard::TRUE && only.target == state && is_accepting(&automaton, state))
        {
            out.push_str("\tskip\n");
            continue;
        }
        if transitions.is_empty() {
            out.push_str("\tfalse\n");
            continue;
        }
        out.push_str("\tif\n");
        for transition in transitions {
            let guard = expression(&automaton, propositions, transition.guard);
            let _ = writeln!(out, "\t:: ({guard}) -> goto {}", label(&automaton, transition.target));
        }
        out.push_str("\tfi;\n");
    }
    out.push_str("}\n");
    out
}

fn is_accepting(automaton: &Automaton, state: StateIndex) -> bool {
    !automaton.states[state].is_empty() && (automaton.n_sets == 0 || automaton.is_accepting(state))
}

fn label(automaton: &Automaton, state: StateIndex) -> String {
    let kind = if is_accepting(automaton, state) { "accept" } else { "T0" };
    if state == automaton.initial { format!("{kind}_init") } else { format!("{kind}_S{state}") }
}

/// A guard as an expression of Promela.
fn expression(automaton: &Automaton, propositions: &Propositions, guard: Guard) -> String {
    if guard == Guard::TRUE {
        return "1".to_owned();
    }
    let cubes = automaton.guards.clone().cubes(guard);
    if cubes.is_empty() {
        return "0".to_owned();
    }
    let literal = |&(variable, value): &(u32, bool)| {
        let known = automaton.propositions.iter().find(|other| other.index() == variable as usize);
        let text = known.map_or("0", |&proposition| propositions.text(proposition));
        format!("{}({text})", if value { "" } else { "!" })
    };
    let product = |cube: &Vec<(u32, bool)>| cube.iter().map(literal).collect::<Vec<_>>().join(" && ");
    let products: Vec<String> = cubes.iter().map(product).collect();
    if products.len() == 1 { products.concat() } else { format!("({})", products.join(") || (")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Formulas, Translator, parse_ltl_text};

    #[test]
    fn claims_look_like_those_of_spin() {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let formula =
            parse_ltl_text("!([] (p -> <> x == 1))", &mut formulas, &mut propositions).expect("a formula");
        let automaton = Translator::new().buchi(&mut formulas, formula).expect("small");
        let text = write_never(&automaton, &propositions, "a */ name");
        let expected = "never { /* a * / name */\n\
                        T0_init:\n\tif\n\t:: (1) -> goto T0_init\n\t:: ((p) && !(x == 1)) -> goto accept_S1\n\tfi;\n\
                        accept_S1:\n\tif\n\t:: (!(x == 1)) -> goto accept_S1\n\tfi;\n}\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_accepted_or_refused_at_once_is_a_claim_too() {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        for (text, expected) in [("true", "accept_init:\n\tskip\n"), ("false", "T0_init:\n\tfalse\n")] {
            let formula = parse_ltl_text(text, &mut formulas, &mut propositions).expect("a formula");
            let automaton = Translator::new().buchi(&mut formulas, formula).expect("small");
            let claim = write_never(&automaton, &propositions, text);
            assert_eq!(claim, format!("never {{ /* {text} */\n{expected}}}\n"));
        }
    }
}
