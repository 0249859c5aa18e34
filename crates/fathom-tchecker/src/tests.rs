//! What is read, and what is said about what cannot be.

use fathom_source::{Diagnostic, SourceMap};
use fathom_timed::{BinaryOp, Expr, Network, TimedQuestion, Urgency};
use proptest::prelude::*;

use crate::{lower_invariant, lower_reach, read};

const HEAD: &str = "system:s\nevent:e\nevent:f\nclock:1:x\nclock:2:y\nint:1:0:9:0:i\nint:3:-5:5:0:a\nprocess:P\nprocess:Q\n\
                    location:P:l{initial:}\nlocation:P:m\nlocation:Q:l{initial:}\n";

fn parse(text: &str) -> (Option<Network>, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let file = sources.add("m.tck", text);
    let (found, diagnostics) = read(file, &sources);
    for diagnostic in &diagnostics {
        let span = diagnostic.primary.as_ref().expect("a place").span;
        assert!(span.start <= span.end && span.end as usize <= text.len());
    }
    (found.map(|(network, _)| network), diagnostics)
}

/// A file with this after the declarations of names is read without a word.
fn good(rest: &str) -> Network {
    let (network, diagnostics) = parse(&format!("{HEAD}{rest}"));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    network.expect("a network")
}

/// A file with this is rejected, for this reason, at this text.
fn bad(rest: &str, code: &str, at: &str) {
    let text = format!("{HEAD}{rest}");
    let (network, diagnostics) = parse(&text);
    assert!(network.is_none(), "{rest} was read");
    let found: Vec<(&str, &str)> = diagnostics
        .iter()
        .filter_map(|diagnostic| {
            let span = diagnostic.primary.as_ref()?.span;
            Some((diagnostic.code, &text[span.start as usize..span.end as usize]))
        })
        .collect();
    assert!(found.contains(&(code, at)), "{rest}: {found:?}");
}

#[test]
fn declarations_become_a_network() {
    let network = good(
        "location:P:n{invariant: x<=5 && i<3 : labels: red, green : committed:}\n\
         edge:P:l:m:e{provided: x-y[1]<2 && y[i]>=i+1 : do: x=0; i=i+1; y[0]=x+3}\nsync:P@e:Q@f?\n",
    );
    assert_eq!(network.clocks.len(), 3);
    assert_eq!(network.clocks[2].name, "y[1]");
    assert_eq!(network.variables.len(), 4);
    assert_eq!(network.labels, ["red", "green"]);
    let location = &network.processes[0].locations[2];
    assert_eq!(location.urgency, Urgency::Committed);
    assert_eq!((location.invariant.conditions.len(), location.invariant.clocks.len()), (1, 1));
    let guard = &network.processes[0].edges[0].guard;
    assert_eq!(guard.clocks.len(), 2);
    assert!(guard.clocks[0].is_diagonal() && guard.clocks[0].is_strict);
    assert_eq!(guard.clocks[0].bound, Expr::Constant(2));
    // y[i] >= i + 1 is 0 - y[i] <= -(i + 1).
    assert!(guard.clocks[1].left.is_none() && !guard.clocks[1].is_strict);
    let participants = &network.synchronizations[0].participants;
    assert_eq!(participants.iter().map(|participant| participant.is_weak).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn comparisons_of_clocks_may_be_turned_round() {
    for (text, n_bounds) in
        [("3 > x", 1), ("x + 1 <= 4", 1), ("x == 3", 2), ("!(x > 3)", 1), ("(x<3) && (x>1)", 2)]
    {
        let network = good(&format!("edge:P:l:m:e{{provided: {text}}}\n"));
        assert_eq!(network.processes[0].edges[0].guard.clocks.len(), n_bounds, "{text}");
    }
}

#[test]
fn statements_have_loops_branches_and_locals() {
    let network = good(
        "edge:P:l:m:e{do: local k; local t[3]; k = 0; while (k < 3) do t[k] = a[2-k]; k = k+1; end; \
         if t[0] == 0 then i = 1 else i = (if i > 2 then 3 else 4) end; nop}\n",
    );
    assert_eq!(network.n_locals, 4);
    assert!(!network.processes[0].edges[0].update.is_empty());
}

#[test]
fn names_that_are_not_declared_are_errors() {
    bad("edge:P:l:m:e{provided: z<1}\n", "tchecker::undeclared", "z");
    bad("edge:P:l:k:e\n", "tchecker::undeclared", "k");
    bad("edge:P:l:m:g\n", "tchecker::undeclared", "g");
    bad("edge:R:l:m:e\n", "tchecker::undeclared", "R");
    bad("sync:P@e:Q@g\n", "tchecker::undeclared", "Q@g");
    bad("edge:P:l:m:e{do: z=1}\n", "tchecker::undeclared", "z");
}

#[test]
fn names_declared_twice_are_errors() {
    bad("event:e\n", "tchecker::redeclared", "e");
    bad("clock:1:i\n", "tchecker::redeclared", "i");
    bad("location:P:l\n", "tchecker::redeclared", "l");
    bad("sync:P@e:P@f\n", "tchecker::redeclared", "P@f");
}

#[test]
fn what_is_not_convex_is_no_guard() {
    bad("edge:P:l:m:e{provided: x<1 || x>2}\n", "tchecker::not-convex", "x<1 || x>2");
    bad("edge:P:l:m:e{provided: x!=1}\n", "tchecker::not-convex", "x!=1");
    // Over integers it is fine.
    good("edge:P:l:m:e{provided: i==1 || i==2}\n");
}

#[test]
fn clocks_are_no_integers_and_arrays_no_values() {
    bad("edge:P:l:m:e{do: i=x}\n", "tchecker::type", "x");
    bad("edge:P:l:m:e{provided: a}\n", "tchecker::type", "a");
    bad("edge:P:l:m:e{provided: y<3}\n", "tchecker::type", "y");
    bad("edge:P:l:m:e{provided: x*2<3}\n", "tchecker::clock-expression", "x*2");
    bad("edge:P:l:m:e{provided: x+y[0]<3}\n", "tchecker::clock-expression", "x+y[0]<3");
    bad("edge:P:l:m:e{provided: a[3]}\n", "tchecker::index", "a[3]");
    bad("edge:P:l:m:e{do: x=0-1}\n", "tchecker::clock-expression", "0-1");
    bad("edge:P:l:m:e{provided: x<2000000}\n", "tchecker::too-large", "x<2000000");
    bad("edge:P:l:m:e{provided: x-y[0]<i}\n", "tchecker::unsupported", "x-y[0]<i");
}

#[test]
fn broken_lines_are_errors() {
    bad("nonsense\n", "tchecker::syntax", "nonsense");
    bad("edge:P:l:m\n", "tchecker::syntax", "edge");
    bad("edge:P:l:m:e{provided: i==}\n", "tchecker::syntax", "");
    bad("edge:P:l:m:e{provided\n", "tchecker::syntax", "{");
    bad("int:1:3:0:3:b\n", "tchecker::range", "3:0:3");
    bad("int:1:0:x:0:b\n", "tchecker::number", "x");
    bad("clock:0:z\n", "tchecker::too-large", "0");
    bad("location:P:k{invariant: (i}\n", "tchecker::syntax", "");
}

#[test]
fn unknown_attributes_and_missing_starts_are_warnings() {
    let (network, diagnostics) = parse("system:s\nprocess:P\nlocation:P:l{color: red}\n");
    assert!(network.is_some());
    let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, ["tchecker::unknown-attribute", "tchecker::no-initial-location"]);
}

#[test]
fn conditions_from_outside_speak_of_places_labels_and_clocks() {
    let network = good("location:P:n{labels: red}\n");
    let mut sources = SourceMap::new();
    let mut ask = |text: &str| {
        let file = sources.add("<reach>", text);
        (lower_reach(&network, file, &sources), lower_invariant(&network, file, &sources))
    };
    let (Ok(TimedQuestion::Reach(found)), Ok(TimedQuestion::Never(opposite))) =
        ask("P.n && (x > 3 || red) && a[1] == 2")
    else {
        panic!("a condition");
    };
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].clocks.len(), 1);
    // Not at the place, or (early and not red), or another value.
    assert_eq!(opposite.len(), 3);
    let (reach, _) = ask("P.k");
    assert_eq!(reach.expect_err("no such place")[0].code, "tchecker::undeclared");
    let (Ok(TimedQuestion::Reach(found)), _) = ask("i + 1 > 2") else { panic!("a condition") };
    assert!(matches!(found[0].conditions[..], [Expr::Binary(BinaryOp::Greater, ..)]));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-zA-Z0-9:{}()\\[\\]=<>!&|+*/%;@?#., \n-]{0,200}") {
        let _ = parse(&format!("{HEAD}{text}"));
        let _ = parse(&format!("{HEAD}edge:P:l:m:e{{provided: {text}}}\n"));
        let _ = parse(&format!("{HEAD}edge:P:l:m:e{{do: {text}}}\n"));
    }

    #[test]
    fn no_tokens_make_the_reader_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "x", "y", "i", "a", "(", ")", "[", "]", "1", "==", "<", "-", "!", "&&", "||", "if", "then", "else",
                "end", "while", "do", "local", "k", "=", ";", "nop", ":", "provided",
            ]),
            0..40,
        )
    ) {
        let text = words.join(" ");
        let _ = parse(&format!("{HEAD}edge:P:l:m:e{{provided: {text}}}\n"));
        let _ = parse(&format!("{HEAD}edge:P:l:m:e{{do: {text}}}\n"));
    }
}
