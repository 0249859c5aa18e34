//! PSL: parsing, meaning, automata.

use super::*;
use crate::random::Seed;
use crate::*;

fn parse(text: &str, formulas: &mut Formulas, propositions: &mut Propositions) -> Psl {
    for name in ["a", "b", "c"] {
        propositions.intern(name, None);
    }
    parse_psl_text(text, formulas, propositions).unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
}

/// Whether a finite word of letters like "a ab -" satisfies the text, in a view.
fn finite(text: &str, word: &str, end: PslEnd) -> bool {
    let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
    let psl = parse(text, &mut formulas, &mut propositions);
    let bit = |c: char| "abc".find(c).map_or(0, |at| 1 << at);
    let letters = word.split_whitespace().map(|letter| letter.chars().map(bit).sum()).collect();
    PslWord { letters, end }.satisfies(&formulas, &psl)
}

#[test]
fn weak_and_strong_forms_differ_where_the_word_ends() {
    use PslEnd::{Bottom, Stop, Top};
    for (text, word, weak, neutral, strong) in [
        ("a until b", "a a", true, true, false),
        ("a until! b", "a a", true, false, false),
        ("a until! b", "a b", true, true, true),
        ("a until! b", "a -", false, false, false),
        ("next b", "a", true, true, false),
        ("next! b", "a", true, false, false),
        ("always a", "a a", true, true, false),
        ("always a", "a - a", false, false, false),
        ("eventually! b", "a a", true, false, false),
        ("next[2] b", "a a b", true, true, true),
        ("{a; b}", "a", true, true, false),
        ("{a; b}!", "a", true, false, false),
        ("{a; b}!", "a c", false, false, false),
        ("{a; b} |-> c", "a", true, true, false),
        ("{a; b} |=> c", "a b c", true, true, true),
        ("{a; b} |=> c", "a b a", false, false, false),
        ("(a until! b) abort c", "a c", true, true, true),
        ("always (a -> next_e[1:2] b)", "a - b", true, true, false),
        ("always (a -> next_e![1:2] b)", "- a", true, false, false),
    ] {
        let found = [Top, Stop, Bottom].map(|end| finite(text, word, end));
        assert_eq!(found, [weak, neutral, strong], "{text} on {word}");
    }
}

const FORMULAS: [&str; 50] = [
    "a",
    "a!",
    "always a",
    "never (a && b)",
    "next a",
    "next! (a || b)",
    "next[2] a",
    "next_a[1:2] a",
    "next_e![0:2] (a && !b)",
    "eventually! a",
    "a until b",
    "a until! b",
    "a until_ b",
    "a until!_ b",
    "a before b",
    "a before! b",
    "a before_ b",
    "a before!_ b",
    "always (a -> next (b until! c))",
    "(a until! b) abort c",
    "always ((a -> eventually! b) abort c)",
    "!((a until b) abort c)",
    "(next! (a abort b)) abort c",
    "{a; b}",
    "{a; b}!",
    "{a[*]; b}",
    "{a[*]; b}!",
    "{a[+]; b[*2]} |-> c",
    "{a; b} |=> c",
    "always {a; b} |=> c",
    "always {a; b[*]; c} |-> eventually! a",
    "{a; b[->]} |-> next c",
    "{a[=1]; b} |-> c",
    "never {a; b; a}",
    "eventually! {a; b}",
    "always (a -> {b[*]; c}!)",
    "{a : b}! || {a | b; c}!",
    "{{a; b} && {[*]; c}} |-> a",
    "{{a; b} & {a; b; c}} |-> a",
    "{{a} within {[*2]; b}}!",
    "({a; b[*]; c}!) abort (a && c)",
    "({a; b} |=> (b until! c)) abort (a && b && c)",
    "!({a; b}) || !({b; a} |-> {c; a}!)",
    "{[*]; a; [*3]; b}!",
    "({a; true[*]; b} |-> c) -> always (b -> {a; c})",
    "{a[*1:2]; [*0:1]; b} |=> {c[+]}!",
    "{{a; b}[*]; c} |-> a",
    "always {{a; b}[+]; c}!",
    "{{a | b; c}[*]; a && b} |=> c",
    "!{{a; b}[*]; c} abort (a && c)",
];

#[test]
fn automata_accept_what_the_formulas_mean() {
    let mut seed = Seed(31);
    for text in FORMULAS {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let psl = parse(text, &mut formulas, &mut propositions);
        let mut translator = Translator::new();
        let automaton = translator.psl(&mut formulas, &psl).expect("small");
        let longer_way = translator.psl_by_breakpoint(&mut formulas, &psl).expect("small");
        let negated = psl.clone().negated();
        let complement = translator.psl(&mut formulas, &negated).expect("small");
        assert_eq!(are_disjoint(&automaton, &complement, 100_000), Some(true), "{text}");
        let mut seen = [0, 0];
        for _ in 0..150 {
            let mut word = |least: usize, more: usize| -> Vec<Valuation> {
                let length = least + seed.below(more);
                (0..length).map(|_| (seed.below(8) & (seed.below(8) | 3)) as u64).collect()
            };
            let (stem, repeated) = (word(0, 4), word(1, 2));
            let lasso = Lasso::new(&stem, &repeated).expect("a loop");
            let word = PslWord { letters: lasso.letters().to_vec(), end: PslEnd::Loop(lasso.loop_start()) };
            let expected = word.satisfies(&formulas, &psl);
            assert_eq!(automaton.accepts(&lasso), expected, "{text} on {lasso:?}");
            assert_eq!(longer_way.accepts(&lasso), expected, "{text} by breakpoint on {lasso:?}");
            assert_eq!(complement.accepts(&lasso), !expected, "not {text} on {lasso:?}");
            seen[usize::from(expected)] += 1;
        }
        assert!(seen[0] > 0 && seen[1] > 0, "{text}: {seen:?}");
    }
}

#[test]
fn finite_words_are_infinite_ones_that_have_ended() {
    let mut seed = Seed(77);
    for text in FORMULAS {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let psl = parse(text, &mut formulas, &mut propositions);
        let ended = formulas.proposition(PropositionId::new(3));
        for end in [PslEnd::Stop, PslEnd::Top, PslEnd::Bottom] {
            let extended = psl.until_ended(&mut formulas, end, ended);
            let automaton = Translator::new().psl(&mut formulas, &extended).expect("small");
            for _ in 0..60 {
                let length = 1 + seed.below(4);
                let letters: Vec<Valuation> =
                    (0..length).map(|_| (seed.below(8) & (seed.below(8) | 3)) as u64).collect();
                let word = PslWord { letters: letters.clone(), end };
                let expected = word.satisfies(&formulas, &psl);
                // What the letter at the end says about the other propositions does not matter.
                let last = 8 | seed.below(8) as u64;
                let lasso = Lasso::new(&letters, &[last]).expect("a loop");
                let found = automaton.accepts(&lasso);
                assert_eq!(found, expected, "{text} with end {end:?} on {letters:?}, then {last}");
                // And nothing changes for words that do not end.
                let endless = Lasso::new(&[], &letters).expect("a loop");
                let word = PslWord { letters: letters.clone(), end: PslEnd::Loop(0) };
                assert_eq!(
                    automaton.accepts(&endless),
                    word.satisfies(&formulas, &psl),
                    "{text} on {letters:?}"
                );
            }
        }
    }
}

#[test]
fn a_negation_is_not_the_sign_of_a_strong_operator() {
    let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
    let mut read = |text| parse(text, &mut formulas, &mut propositions);
    assert_eq!(read("next !a"), read("next (!a)"));
    assert_ne!(read("next !a"), read("next! a"));
    assert_eq!(read("eventually !a"), read("eventually! !a"));
}

#[test]
fn matches_that_need_several_turns_of_a_loop_are_found() {
    let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
    // The lengths agree after six letters at the earliest.
    let psl = parse("{{a; a}[+] && {a; a; a}[+]}! ", &mut formulas, &mut propositions);
    let word = PslWord { letters: vec![1], end: PslEnd::Loop(0) };
    assert!(word.satisfies(&formulas, &psl));
    let psl = parse("{{a; a; a}[+] && {a; a; a; a; a}[+]} |-> b", &mut formulas, &mut propositions);
    assert!(!word.satisfies(&formulas, &psl));
}

#[test]
fn formulas_with_simple_sequences_are_ltl() {
    let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
    let psl = parse("always (a -> next (b until! c))", &mut formulas, &mut propositions);
    let ltl = psl.to_ltl(&mut formulas).expect("no sequence");
    let expected =
        parse_ltl_text("[] (a -> X (b U c))", &mut formulas, &mut propositions).expect("a formula");
    let mut simplifier = Simplifier::default();
    assert_eq!(simplifier.simplify(&mut formulas, ltl), simplifier.simplify(&mut formulas, expected));
    let psl = parse("{{a; b}[*]; c} |-> a", &mut formulas, &mut propositions);
    assert_eq!(psl.to_ltl(&mut formulas), None);
}

#[test]
fn automata_of_common_properties_are_small() {
    for (text, n_states) in [("always {a; b} |=> c", 4), ("never {a; b}", 2), ("always (a -> {b[*]; c}!)", 2)]
    {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let psl = parse(text, &mut formulas, &mut propositions);
        let automaton = Translator::new().psl(&mut formulas, &psl).expect("small");
        assert_eq!(automaton.n_states(), n_states, "{text}");
    }
}

#[test]
fn mistakes_have_places() {
    for (text, message) in [
        ("always {a; b |=> c", "expected `}`, found `|=>`"),
        ("a until", "expected a formula, found the end"),
        ("always (a -> b) @ c", "clocks are not supported"),
        ("next_a[2] a", "expected a range `[from:to]`, found the end"),
        ("next[1000] a", "expected a number up to 100, found `1000`"),
        ("{a; {b; c}[->]}", "`[=` and `[->` follow a state formula"),
        ("a abort (b until c)", "a temporal formula where a state formula is expected"),
        ("(a until b", "expected `)`, found the end"),
        ("", "expected a formula, found the end"),
    ] {
        let found = parse_psl_text(text, &mut Formulas::new(), &mut Propositions::new());
        let problems = found.expect_err(text);
        let last = problems.last().expect("a message");
        assert_eq!(last.message, message, "{text}");
        assert!(last.primary.is_some());
    }
}

#[test]
fn nothing_makes_the_parser_panic() {
    let pieces = [
        "(", ")", "{", "}", ";", "[*", "]", "a", "until", "!", "_", "next", "[", "2", ":", "|->", "abort",
        "always", "&&", "[->",
    ];
    let mut seed = Seed(8);
    for _ in 0..20_000 {
        let length = seed.below(10);
        let text: Vec<&str> = (0..length).map(|_| pieces[seed.below(pieces.len())]).collect();
        let text = text.join(if seed.below(2) == 0 { "" } else { " " });
        let _ = parse_psl_text(&text, &mut Formulas::new(), &mut Propositions::new());
    }
    for piece in ["(", "{", "next ", "!", "always "] {
        let found = parse_psl_text(&piece.repeat(50_000), &mut Formulas::new(), &mut Propositions::new());
        assert!(found.is_err());
    }
}
