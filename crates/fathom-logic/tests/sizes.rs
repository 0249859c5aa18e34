//! Sizes of automata for the standard sets of formulas stay small.
//!
//! `examples/sizes.rs` compares them with those of Spin in one run; here they are compared with what is recorded, so that
//! a change that makes automata larger is seen. Published figures are those of the evaluation of LTL3TELA (Major, Blahoudek, Strejček, Sasaráková
//! and Zbončáková, ATVA 2019; the file `nondet.patterns.csv` of its repository) for Spot's `ltl2tgba`: generalized Büchi automata on transitions.
//! It has each formula once, so that of the set of Somenzi and Bloem those are missing that occur elsewhere.

#![allow(clippy::print_stdout)]

use fathom_logic::{Class, Formulas, Propositions, Translator, parse_ltl_text};

struct Set {
    text: &'static str,
    n_formulas: usize,
    /// The most states of all plain Büchi automata together, and of those of the negations.
    plain: usize,
    negated: usize,
    /// The published sum of states of the generalized automata.
    published: usize,
    /// The formulas that are not in it, counted from 1.
    without: &'static [usize],
}

const SETS: [Set; 3] = [
    Set {
        text: include_str!("formulas/dwyer.txt"),
        n_formulas: 55,
        plain: 217,
        negated: 221,
        published: 208,
        without: &[],
    },
    Set {
        text: include_str!("formulas/etessami_holzmann.txt"),
        n_formulas: 12,
        plain: 43,
        negated: 51,
        published: 34,
        without: &[],
    },
    Set {
        text: include_str!("formulas/somenzi_bloem.txt"),
        n_formulas: 27,
        plain: 83,
        negated: 82,
        published: 66,
        without: &[1, 4, 15],
    },
];

#[test]
fn automata_of_the_standard_sets_stay_small() {
    for set in SETS {
        let (mut plain, mut negated, mut general, mut n_formulas) = (0, 0, 0, 0);
        for line in set.text.lines().filter(|line| !line.starts_with('#')) {
            let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
            let formula = parse_ltl_text(line, &mut formulas, &mut propositions).expect("a formula");
            let negation = formulas.not(formula);
            let mut translator = Translator::new();
            plain += translator.buchi(&mut formulas, formula).expect("small").n_states();
            negated += translator.buchi(&mut formulas, negation).expect("small").n_states();
            n_formulas += 1;
            if !set.without.contains(&n_formulas) {
                general += translator.generalized(&mut formulas, formula).expect("small").n_states();
            }
        }
        assert_eq!(n_formulas, set.n_formulas);
        assert!(plain <= set.plain && negated <= set.negated, "{plain} {negated}");
        let published = set.published;
        println!(
            "{n_formulas} formulas: {plain} states, {negated} of the negations; generalized {general}, published {published}"
        );
        assert!(general * 100 <= published * 115, "{general} states, published {published}");
    }
}

#[test]
fn safety_and_its_relatives_are_recognized() {
    for (text, expected) in [
        ("[] p", Class::Safety),
        ("p W q", Class::Safety),
        ("<> p", Class::Guarantee),
        ("p U q", Class::Guarantee),
        ("X p", Class::Bounded),
        ("[] p || <> q", Class::Obligation),
        ("[] p && <> q", Class::Obligation),
        ("[] (p -> <> q)", Class::Other),
        ("[] <> p", Class::Other),
        ("<> [] p", Class::Other),
        // The shape does not show it.
        ("[] (p || <> q) && [] !q", Class::Safety),
        ("(p U q) || [] p", Class::Safety),
        ("!([] p && [] <> !p)", Class::Bounded),
    ] {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let formula = parse_ltl_text(text, &mut formulas, &mut propositions).expect("a formula");
        let class = Translator::new().class(&mut formulas, formula).expect("small");
        assert_eq!(class, expected, "{text}");
    }
}

#[test]
fn deterministic_automata_of_violated_safety_end_in_a_sink() {
    let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
    let formula = parse_ltl_text("!([] (p -> X !p))", &mut formulas, &mut propositions).expect("a formula");
    let mut automaton = Translator::new().buchi(&mut formulas, formula).expect("small");
    assert!(automaton.is_deterministic());
    assert!(automaton.accepting_sink().is_some());
}

#[test]
fn formulas_with_large_automata_are_refused_or_answered() {
    // Each of these must end: with an automaton, or with the word that it is too large.
    let chain = |sign: &str, n: usize| {
        (0..n).map(|at| format!("[] (p{at} -> <> q{at})")).collect::<Vec<_>>().join(sign)
    };
    let often = |n: usize| (0..n).map(|at| format!("[] <> p{at}")).collect::<Vec<_>>().join(" && ");
    let negated = format!("!({})", chain(" && ", 12));
    for text in [chain(" && ", 4), chain(" || ", 3), negated, often(9), often(70)] {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let formula = parse_ltl_text(&text, &mut formulas, &mut propositions).expect("a formula");
        let mut translator = Translator::new();
        translator.most_states = 100;
        if let Ok(automaton) = translator.buchi(&mut formulas, formula) {
            assert!(automaton.n_states() < 500);
        }
    }
}
