//! Tests of parsing and printing.

use fathom_source::{SourceMap, has_errors, render_text};

use crate::random::{RandomFormulas, Seed};
use crate::*;

/// The formula as printed, or the first message.
fn read(text: &str) -> String {
    let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
    match parse_ltl_text(text, &mut formulas, &mut propositions) {
        Ok(formula) => print_formula(&formulas, &propositions, formula),
        Err(problems) => format!("error: {}", problems[0].message),
    }
}

#[test]
fn both_syntaxes_are_read() {
    for (text, expected) in [
        ("[]<>p", "[] <> p"),
        ("G F p", "[] <> p"),
        ("GF p && FG q", "[] <> p && <> [] q"),
        ("always (request implies eventually grant)", "[] (request -> <> grant)"),
        ("!p U q && r", "(!p U q) && r"),
        ("p -> q <-> r", "(p -> q) <-> r"),
        ("p || q && r", "p || (q && r)"),
        ("p V q", "p R q"),
        ("(p W q) | (p M q) & next !r", "(p W q) || ((p M q) && X !r)"),
        ("p until q or p weakuntil q and p release q", "(p U q) || ((p W q) && (p R q))"),
        ("X p U X q", "X p U X q"),
        ("not p xor q", "!(!p <-> q)"),
        ("true U 1 && 0", "(true U true) && false"),
        ("~p /\\ q \\/ r", "(!p && q) || r"),
        ("[] x == 1 && y < 2", "[] (x == 1) && (y < 2)"),
        ("[] (x + 1 == y * 2)", "[] (x + 1 == y * 2)"),
        ("<> ((a && b) == 1)", "<> \"(a && b) == 1\""),
        ("<> (p[0]@cs && q.f[i + 1] >= -1)", "<> (p[0]@cs && (q.f[i + 1] >= -1))"),
        ("[] \"any text U here\"", "[] \"any text U here\""),
        ("F == 1 U X", "\"F == 1\" U \"X\""),
        ("<> len(q) == 0", "<> \"len(q) == 0\""),
        ("1 == x", "(1 == x)"),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn mistakes_have_places_and_say_what_was_expected() {
    for (text, message, start) in [
        ("[] (p -> ", "expected a formula, found the end", 9),
        ("[] (p q)", "expected `)` or an operator, found `q`", 6),
        ("p U", "expected a formula, found the end", 3),
        ("p )", "expected an operator or the end of the formula, found `)`", 2),
        ("(p U q) == 1", "a temporal formula inside a state expression", 0),
        ("", "expected a formula, found the end", 0),
        ("p && ?", "expected a formula, found `?`", 5),
        ("a[1", "expected `]`, found the end", 3),
    ] {
        let mut sources = SourceMap::new();
        let file = sources.add("--ltl", text);
        let (formula, problems) = parse_ltl(file, &sources, &mut Formulas::new(), &mut Propositions::new());
        assert!(formula.is_none() && has_errors(&problems), "{text}");
        assert_eq!(problems[0].message, message, "{text}");
        assert_eq!(problems[0].primary.as_ref().expect("a place").span.start, start, "{text}");
        assert!(!render_text(&sources, &problems, false).is_empty());
    }
}

#[test]
fn chains_that_tools_read_differently_get_a_warning() {
    let warned = |text: &str| {
        let mut sources = SourceMap::new();
        let file = sources.add("--ltl", text);
        let (formula, problems) = parse_ltl(file, &sources, &mut Formulas::new(), &mut Propositions::new());
        assert!(formula.is_some());
        problems.len()
    };
    assert_eq!(warned("a U b U c"), 1);
    assert_eq!(warned("a -> b -> c"), 1);
    assert_eq!(warned("(a U b) U c && d || e"), 0);
}

#[test]
fn a_resolver_decides_what_a_proposition_is() {
    let mut sources = SourceMap::new();
    let file = sources.add("--ltl", "[] (x == 1 -> <> unknown)");
    let mut resolver = |text: &str, span: fathom_source::Span| match text {
        "x == 1" => Ok(PropositionId::new(7)),
        _ => {
            Err(vec![fathom_source::Diagnostic::error("t::unknown", format!("unknown {text}")).at(span, "")])
        }
    };
    let (formula, problems) = parse_ltl(file, &sources, &mut Formulas::new(), &mut resolver);
    assert!(formula.is_none());
    assert_eq!(problems[0].message, "unknown unknown");
    assert_eq!(sources.text(problems[0].primary.as_ref().expect("a place").span), "unknown");
}

#[test]
fn nothing_makes_the_parser_panic() {
    let pieces = [
        "(", ")", "[]", "<>", "U", "X", "p", "1", "==", "\"", "[", "]", "!", "->", "é", "-", ".", "@", "A",
        "{",
    ];
    let mut seed = Seed(5);
    for _ in 0..20_000 {
        let length = seed.below(9);
        let text: Vec<&str> = (0..length).map(|_| pieces[seed.below(pieces.len())]).collect();
        let text = text.join(if seed.below(2) == 0 { "" } else { " " });
        let _ = read(&text);
        let _ = parse_ctl_text(&text, &mut CtlFormulas::new(), &mut Propositions::new());
    }
    assert!(read(&"(".repeat(100_000)).starts_with("error"));
    assert!(read(&"[]".repeat(100_000)).starts_with("error"));
}

#[test]
fn printed_formulas_are_read_back() {
    let mut formulas = Formulas::new();
    let mut propositions = Propositions::new();
    for text in ["p", "x == 1", "U"] {
        propositions.intern(text, None);
    }
    let mut random = RandomFormulas::new(Seed(2), 3);
    for round in 0..2000 {
        let formula = random.formula(&mut formulas, 1 + round % 12);
        let text = print_formula(&formulas, &propositions, formula);
        let again = parse_ltl_text(&text, &mut formulas, &mut propositions);
        assert_eq!(again.ok(), Some(formula), "{text}");
    }
    assert_eq!(propositions.len(), 3, "no text has become another proposition");
}

#[test]
fn ctl_is_read_and_printed() {
    let read = |text: &str| {
        let (mut formulas, mut propositions) = (CtlFormulas::new(), Propositions::new());
        match parse_ctl_text(text, &mut formulas, &mut propositions) {
            Ok(formula) => {
                let printed = print_ctl(&formulas, &propositions, formula);
                assert_eq!(parse_ctl_text(&printed, &mut formulas, &mut propositions).ok(), Some(formula));
                printed
            }
            Err(problems) => format!("error: {}", problems[0].message),
        }
    };
    for (text, expected) in [
        ("AG (p -> AF q)", "AG (p -> AF q)"),
        ("A[] p && E<> q", "AG p && EF q"),
        ("A [p U q]", "A [p U q]"),
        ("!E (p U !q) || EX AX p", "!E [p U !q] || EX AX p"),
        ("A G x == 1", "AG (x == 1)"),
        ("E [p W q] <-> A [p R q]", "E [p W q] <-> A [p R q]"),
        ("A == 1 -> E", "(A == 1) -> \"E\""),
        ("p U q", "error: expected an operator or the end of the formula, found `U`"),
        ("A [p q]", "error: expected `U`, `W`, `R` or `M`, found `q`"),
    ] {
        let expected = expected.replace("(A == 1)", "\"A == 1\"");
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn words_that_are_nearly_operators_are_pointed_out() {
    for (text, place, help) in [
        ("p untill q", 2, "there is an operator `until`"),
        ("allways p", 8, "there is an operator `always`"),
        ("[] (p impies q)", 6, "there is an operator `implies`"),
    ] {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let problems = parse_ltl_text(text, &mut formulas, &mut propositions).expect_err(text);
        let start = problems[0].primary.as_ref().map(|label| label.span.start);
        assert_eq!((start, problems[0].help.as_deref()), (Some(place), Some(help)), "{text}");
    }
}
