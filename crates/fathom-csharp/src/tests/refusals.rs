//! What is no C#, or means nothing, is told at its place.

use fathom_program::Symmetry;

use super::{explore, program, read_text};
use crate::Options;

fn with(members: &str, body: &str) -> String {
    format!(
        "using System; namespace A {{ enum E {{ P, Q }}
         class O : LabeledInstance<O> {{ public int v; int own; public int Own {{ get {{ return own; }} set {{ own = value; }} }} }}
         static class B {{ static int n = 0; static Set<int> s = Set<int>.EmptySet;
           static int Prop {{ get {{ return n; }} set {{ n = value; }} }} static void Rf(ref int a) {{ a = a + 1; }} static void Ot(out int a) {{ a = 1; }}
           {members} [Action] static void Go() {{ n = 1; {body} }} }} }}"
    )
}

/// The code of the first error, or warning, and the text that it points at.
#[track_caller]
fn told(text: &str) -> (&'static str, String) {
    let (_, diagnostics, sources) = read_text(text, &Options::default());
    let first = diagnostics.iter().find(|one| one.is_error()).or(diagnostics.first());
    let first = first.unwrap_or_else(|| panic!("{text}"));
    let span = first.primary.as_ref().unwrap().span;
    (first.code, sources.file(span.file).text()[span.start as usize..span.end as usize].to_string())
}

#[track_caller]
fn body(statements: &str, code: &str, at: &str) {
    let (found, place) = told(&with("", statements));
    assert_eq!((found, place.as_str()), (code, at), "{statements}");
}

#[track_caller]
fn member(members: &str, code: &str, at: &str) {
    let (found, place) = told(&with(members, ""));
    assert_eq!((found, place.as_str()), (code, at), "{members}");
}

#[test]
fn statements_that_are_no_csharp() {
    body("Rf(n);", "csharp::type-mismatch", "Rf(n)");
    body("Rf(1);", "csharp::type-mismatch", "Rf(1)");
    body("Rf(out n);", "csharp::type-mismatch", "Rf(out n)");
    body("Rf(ref Prop);", "csharp::no-target", "Prop");
    body("switch (n) { case 1: break; case 1: break; }", "csharp::label-twice", "1");
    body("switch (n) { default: break; case 1: default: break; }", "csharp::label-twice", "n");
    body("const int q = n;", "csharp::no-constant", "q");
    body("const int q;", "csharp::no-constant", "q");
    body("const int q = 2; q = 3;", "csharp::assigned-constant", "q");
    body("foreach (int i in s) { i = 2; }", "csharp::assigned-constant", "i");
    body("foreach (int i in s) Rf(ref i);", "csharp::assigned-constant", "i");
    body("static int q = 1;", "csharp::unsupported", "static");
    body("var v = null;", "csharp::type-mismatch", "null");
    body("n = checked(n + 1);", "csharp::unsupported", "checked(n + 1)");
}

#[test]
fn members_that_are_declared_twice() {
    member("static void V(int a) { } static void V(int b) { }", "csharp::declared-twice", "V");
    member("const int K = 1 + L; static int L = 2; static int m = K;", "csharp::no-constant", "K");
    member("static int D(int a, int a) { return a; }", "csharp::declared-twice", "a");
    let class = "namespace A { class B { [Action] static void C() { } } class B { } }";
    assert_eq!(told(class), ("csharp::declared-twice", "B".to_string()));
    let parts =
        "namespace A { partial class B { [Action] static void C() { } } partial class B { static int n; } }";
    assert_eq!(read_text(parts, &Options::default()).1, []);
    let class = |base: &str| {
        format!(
            "namespace A {{ class O : LabeledInstance<O> {{ }} class P : {base} {{ }} static class B {{ [Action] static void C() {{ }} }} }}"
        )
    };
    assert_eq!(told(&class("LabeledInstance<O>")).0, "csharp::labeled-instance");
    assert_eq!(told(&class("LabeledInstance<int>")).0, "csharp::labeled-instance");
}

#[test]
fn attributes_that_are_not_where_they_belong() {
    for (members, at) in [
        ("[Action] static int f;", "Action"),
        ("[Action] static int P { get { return 1; } }", "Action"),
        ("[StateInvariant] static bool si = true;", "StateInvariant"),
        ("[Domain(\"x\")] static int q;", "Domain"),
        ("[Feature] static int z;", "Feature"),
        ("static void M([Action] int k) { }", "Action"),
    ] {
        member(members, "csharp::misplaced-attribute", at);
    }
    member("[Feature(\"X\", \"Y\")] static class Q { }", "csharp::feature", "\"Y\"");
    member("[Feature(3)] static class Q { }", "csharp::feature", "3");
    member("[Requirement] static void R() { }", "csharp::requirement", "Requirement");
    member("[Requirement(1)] static void R() { }", "csharp::requirement", "1");
    member(
        "[TransitionProperty(\"Nope\")] static bool T() { return true; }",
        "csharp::unknown-attribute",
        "\"Nope\"",
    );
}

#[test]
fn actions_whose_labels_or_types_are_none() {
    for (members, at) in [
        ("[Action(\"A(x, x)\")] static void A(bool x) { }", "\"A(x, x)\""),
        ("[Action(\"\")] static void A() { }", "\"\""),
        ("[Action(\"1A\")] static void A() { }", "\"1A\""),
        ("[Action(Heavy = 3)] static void A() { }", "3"),
        ("[Action] static void A(bool a) { } [Action(\"A(x)\")] static void A2(E x) { }", "\"A(x)\""),
    ] {
        member(members, "csharp::action-label", at);
    }
    member("[Action] static int[] A() { return null; }", "csharp::action-type", "A");
    member("[Action] static void A(Func<int, int> f) { }", "csharp::action-type", "f");
    let good = with(
        "[Action(Weight = 3)] static void A() { } [Action(\"B(_, x, _)\")] static void B2(E x) { } [Action(\"B(_, y, _)\")] static void B3(E y) { }",
        "",
    );
    assert!(read_text(&good, &Options::default()).0.is_some());
}

#[test]
fn an_accepting_state_that_a_machine_does_not_have() {
    use fathom_source::{MemoryLoader, SourceMap};
    let loader = MemoryLoader::new()
        .with("a.cs", with("", ""))
        .with("s.txt", "FSM(0, AcceptingStates(1, 7), Transitions(t(0, Go(), 1)))");
    let options = Options { scenarios: vec!["s.txt".to_string()], ..Options::default() };
    let (program, diagnostics) = crate::load("a.cs", &loader, &options, &mut SourceMap::new());
    assert!(program.is_some());
    assert_eq!(diagnostics.iter().map(|one| one.code).collect::<Vec<_>>(), ["csharp::fsm-state"]);
}

#[test]
fn properties_are_changed_by_operators() {
    let text = with(
        "static string t = null; static string Text { get { return t; } set { t = value; } }
         enum F { X = 1 << 2, Y = X | 1, Z = ~(X - 5) }
         static bool Good() { return Text == \"\\u041b\" && (int)F.X == 4 && (int)F.Y == 5 && (int)F.Z == 0; }
         [StateInvariant] static bool Right() { return n == 0 || n == 9; }",
        "Prop += 2; Prop++; int old = Prop++; O o = O.Create(); o.Own = 1; o.Own += old; --o.Own;
         Text ??= \"\\x41b\"; Text ??= \"c\"; n = unchecked(o.Own + Prop); if (!Good()) n = 8; t = null;",
    );
    let explored = explore(&program(&text), Symmetry::None, 10);
    assert_eq!((explored.n_states, explored.findings.len()), (2, 0), "{explored:?}");
}

#[test]
fn a_program_says_what_it_is_made_of() {
    use fathom_program::Program;
    let text = with(
        "[Action] static void Add([New] O o, E e, [Domain(\"s\")] int k) { } [Action(\"Put(_)\")] static void Put() { }",
        "",
    );
    let parts = program(&text).facts().parts;
    assert_eq!(parts[0].1, ["Add(new O o, E e, int k in s)", "Put(_)", "Go()"]);
    assert!(parts[1].1.contains(&"B.n".to_string()), "{parts:?}");
}

#[test]
fn what_goes_wrong_in_a_state_is_no_step() {
    let text = with("[StateInvariant] static bool Right() { return 1 / (1 - n) == 1; }", "");
    let explored = explore(&program(&text), Symmetry::None, 10);
    assert_eq!(explored.faults.len(), 1, "{explored:?}");
}
