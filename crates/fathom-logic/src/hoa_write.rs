//! Automata in the Hanoi omega-automata format (Babiak and others, CAV 2015), for other tools.

use std::fmt::Write;

use crate::Propositions;
use crate::automaton::{Automaton, Marks};
use crate::guard::Guard;

/// The automaton in version 1 of the format, with a name.
///
/// Acceptance is written on states if the automaton says so, else on transitions.
pub fn write_hoa(automaton: &Automaton, propositions: &Propositions, name: &str) -> String {
    let mut automaton = automaton.clone();
    let mut out = String::from("HOA: v1\n");
    let quote = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let put = |out: &mut String, line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    if !name.is_empty() {
        put(&mut out, format!("name: {}", quote(name)));
    }
    put(&mut out, format!("States: {}", automaton.n_states()));
    put(&mut out, format!("Start: {}", automaton.initial));
    let mut names = String::new();
    for &proposition in &automaton.propositions {
        let _ = write!(names, " {}", quote(propositions.text(proposition)));
    }
    put(&mut out, format!("AP: {}{names}", automaton.propositions.len()));
    let acceptance: Vec<String> = (0..automaton.n_sets).map(|set| format!("Inf({set})")).collect();
    let (kind, condition) = match automaton.n_sets {
        0 => ("all".to_owned(), "t".to_owned()),
        1 => ("Buchi".to_owned(), acceptance[0].clone()),
        n_sets => (format!("generalized-Buchi {n_sets}"), acceptance.join(" & ")),
    };
    put(&mut out, format!("acc-name: {kind}"));
    put(&mut out, format!("Acceptance: {} {condition}", automaton.n_sets));
    let place = if automaton.is_state_based || automaton.n_sets == 0 { "state-acc" } else { "trans-acc" };
    let deterministic = if automaton.is_deterministic() { " deterministic" } else { "" };
    put(&mut out, format!("properties: trans-labels explicit-labels {place}{deterministic}"));
    put(&mut out, "--BODY--".to_owned());
    for state in 0..automaton.n_states() {
        let state_marks =
            if automaton.is_state_based { marks(automaton.marks_of_state(state)) } else { String::new() };
        put(&mut out, format!("State: {state}{state_marks}"));
        for transition in automaton.states[state].clone() {
            let marks_text = if automaton.is_state_based { String::new() } else { marks(transition.marks) };
            let label = label(&mut automaton, transition.guard);
            put(&mut out, format!("[{label}] {}{marks_text}", transition.target));
        }
    }
    put(&mut out, "--END--".to_owned());
    out
}

fn marks(marks: Marks) -> String {
    let sets: Vec<String> =
        (0..Marks::MOST).filter(|&set| marks.contains(set)).map(|set| set.to_string()).collect();
    if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) }
}

/// A guard as a sum of products over positions in the list of propositions.
fn label(automaton: &mut Automaton, guard: Guard) -> String {
    if guard == Guard::TRUE {
        return "t".to_owned();
    }
    let cubes = automaton.guards.cubes(guard);
    let literal = |&(variable, value): &(u32, bool)| {
        let position = automaton.propositions.iter().position(|other| other.index() == variable as usize);
        format!("{}{}", if value { "" } else { "!" }, position.unwrap_or_default())
    };
    let product = |cube: &Vec<(u32, bool)>| cube.iter().map(literal).collect::<Vec<_>>().join("&");
    if cubes.is_empty() {
        return "f".to_owned();
    }
    cubes.iter().map(product).collect::<Vec<_>>().join(" | ")
}
