//! Tests of the front end: what is read, and what is refused.

use fathom_source::{Diagnostic, SourceMap};
use fathom_timed::{Expr, Network, Statement, TimedProperty, TimedQuestion, Urgency};
use proptest::prelude::*;

fn read(text: &str) -> (Option<(Network, Vec<TimedProperty>)>, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let file = sources.add("m.xta", text);
    crate::read(file, &sources)
}

fn network(text: &str) -> Network {
    let (found, diagnostics) = read(text);
    found.unwrap_or_else(|| panic!("{text}: {diagnostics:?}")).0
}

/// The code of the first diagnostic, and the text that it points to.
fn refused(text: &str) -> (&'static str, String) {
    let mut sources = SourceMap::new();
    let file = sources.add("m.xta", text);
    let (found, diagnostics) = crate::read(file, &sources);
    assert!(found.is_none(), "{text}");
    let first = diagnostics.iter().find(|one| one.is_error()).expect("an error");
    let place = first.primary.as_ref().map_or(String::new(), |label| sources.text(label.span).to_owned());
    (first.code, place)
}

fn with_process(declarations: &str, body: &str) -> String {
    format!("{declarations} process P() {{ {body} }} system P;")
}

#[test]
fn free_parameters_run_through_all_values() {
    let text = "typedef int[1,2] a_t; typedef scalar[3] b_t;
                process P(const a_t a, b_t b) { state s; init s; } system P;";
    let names: Vec<String> = network(text).processes.iter().map(|one| one.name.clone()).collect();
    assert_eq!(names, ["P(1,0)", "P(1,1)", "P(1,2)", "P(2,0)", "P(2,1)", "P(2,2)"]);
}

#[test]
fn selections_and_quantifiers_are_written_out() {
    let network = network(&with_process(
        "const int N = 3; int[0,9] v[N];",
        "state s; init s; trans s -> s { select i : int[0,2]; guard forall (j : int[0,2]) j < i imply v[j] > 0; assign v[i] = 1; };",
    ));
    let edges = &network.processes[0].edges;
    assert_eq!(edges.len(), 3);
    let conditions: Vec<usize> = edges.iter().map(|edge| edge.guard.conditions.len()).collect();
    assert_eq!(conditions, [0, 1, 1], "nothing is left of what is known to be true");
}

#[test]
fn channels_with_an_index_that_changes_are_one_edge_each() {
    let text = "chan a[2]; int[0,1] i;
                process P() { state s; init s; trans s -> s { sync a[i]!; }; }
                process Q() { state s; init s; trans s -> s { sync a[0]?; }, s -> s { sync a[1]?; }; }
                system P, Q;";
    let network = network(text);
    assert_eq!(network.processes[0].edges.len(), 2);
    assert_eq!(network.synchronizations.len(), 2);
}

#[test]
fn an_edge_without_a_partner_is_left_out() {
    let text = "chan a; broadcast chan b;
                process P() { state s; init s; trans s -> s { sync a!; }, s -> s { sync b!; }, s -> s { sync b?; }; }
                system P;";
    assert_eq!(network(text).processes[0].edges.len(), 1, "a broadcast needs no receiver");
}

#[test]
fn receivers_of_broadcasts_may_ask_about_clocks() {
    let text = "broadcast chan b; clock x;
                process P() { state s; init s; trans s -> s { sync b!; }; }
                process Q() { state s; init s; trans s -> s { guard x > 1; sync b?; }; }
                system P, Q;";
    assert!(network(text).has_clocked_receivers());
}

#[test]
fn each_value_of_a_list_is_a_property() {
    let text = "<nta><declaration>clock x; int v;</declaration><template><name>P</name><location id=\"a\"/><init ref=\"a\"/></template>\
                <system>system P;</system><queries><query><formula>sup: x, v</formula></query></queries></nta>";
    let (_, properties) = read(text).0.expect("a network");
    let names: Vec<&str> = properties.iter().map(|property| property.name.as_str()).collect();
    assert_eq!(names, ["runtime-error", "query-1-1", "query-1-2", "deadlock"]);
}

#[test]
fn locations_have_their_marks_and_invariants() {
    let network = network(&with_process(
        "clock x; bool b;",
        "state s { x <= 5 && (b imply x < 3) }, t, u; commit t; urgent u; init s;",
    ));
    let locations = &network.processes[0].locations;
    assert_eq!(locations[0].invariant.clocks.len(), 2);
    assert!(matches!(locations[0].invariant.clocks[1].bound, Expr::Choose(..)));
    assert_eq!(locations[1].urgency, Urgency::Committed);
    assert_eq!(locations[2].urgency, Urgency::Urgent);
}

#[test]
fn constants_parameters_and_functions_of_them_are_computed() {
    let network = network(
        "const int N = 3; int twice(int n) { int total = 0; for (i : int[1, 2]) total += n; return total; }
         const int M = twice(N) + (N <? 2) + (N >? 7) + 2 ** 3; struct { int[0,99] a; bool b[2]; } r = { M, { true, false } };
         process P() { } system P;",
    );
    let initial: Vec<i32> = network.variables.iter().map(|one| one.initial).collect();
    assert_eq!(initial, [6 + 2 + 7 + 8, 1, 0]);
    let names: Vec<&str> = network.variables.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["r.a", "r.b[0]", "r.b[1]"]);
}

#[test]
fn a_clock_can_be_compared_with_what_a_function_says() {
    let network = network(&with_process(
        "int[0,3] v; clock x; int twice(int n) { return 2 * n; }",
        "state s { x <= twice(v) }; init s; trans s -> s { guard x >= twice(v); assign v = 1; };",
    ));
    assert!(matches!(
        network.processes[0].locations[0].invariant.clocks[0].bound,
        Expr::Unary(..) | Expr::Compute(_)
    ));
}

#[test]
fn meta_variables_are_no_part_of_states() {
    let network = network(&with_process("meta int m; int n;", "state s; init s;"));
    let meta: Vec<bool> = network.variables.iter().map(|one| one.is_meta).collect();
    assert_eq!(meta, [true, false]);
}

#[test]
fn priorities_are_levels() {
    let network = network(
        "chan a, b, c; chan priority a < default, b;
         process P() { state s; init s; trans s -> s { sync a!; }, s -> s { sync b!; }, s -> s { sync c!; }; }
         process Q() { state s; init s; trans s -> s { sync a?; }, s -> s { sync b?; }, s -> s { sync c?; }; }
         system P < Q;",
    );
    let priorities: Vec<i32> = network.synchronizations.iter().map(|one| one.priority).collect();
    assert_eq!(priorities, [1, 2, 2]);
    assert_eq!(network.alone_priority, 2);
    assert_eq!(network.process_priorities, [0, 1]);
}

#[test]
fn both_forms_of_assignment_and_effects_inside_expressions() {
    let network = network(&with_process(
        "int[0,9] list[3]; int[0,3] n;",
        "state s; init s; trans s -> s { guard n < 3; assign list[n++] := 4, n += 0; };",
    ));
    let update = &network.processes[0].edges[0].update;
    let is_assignment = |one: &&Statement| matches!(one, Statement::Assign { .. });
    assert_eq!(update.iter().filter(is_assignment).count(), update.len());
}

#[test]
fn a_branch_point_is_a_choice() {
    let text = with_process(
        "int[0,9] n;",
        "state a, b, c; branchpoint f; init a;
         trans a -> f { guard n == 0; assign n = 1; }, f -> b { assign n = n + 1; }, f -> c { }, b -> a { };",
    );
    let in_text = network(&text);
    let xml = "<nta><declaration>int[0,9] n;</declaration><template><name>P</name><location id=\"a\"><name>a</name></location>\
        <location id=\"b\"><name>b</name></location><location id=\"c\"><name>c</name></location><branchpoint id=\"f\"/><init ref=\"a\"/>\
        <transition><source ref=\"a\"/><target ref=\"f\"/><label kind=\"guard\">n == 0</label><label kind=\"assignment\">n = 1</label></transition>\
        <transition><source ref=\"f\"/><target ref=\"b\"/><label kind=\"assignment\">n = n + 1</label></transition>\
        <transition><source ref=\"f\"/><target ref=\"c\"/></transition>\
        <transition><source ref=\"b\"/><target ref=\"a\"/></transition>\
        </template><system>system P;</system></nta>";
    for network in [in_text, network(xml)] {
        let edges: Vec<_> = network.processes[0].edges.iter().map(|one| (one.source, one.target)).collect();
        let mut updates: Vec<usize> = network.processes[0].edges.iter().map(|one| one.update.len()).collect();
        updates.sort_unstable();
        let mut sorted = edges;
        sorted.sort_unstable();
        assert_eq!(sorted, [(0, 1), (0, 2), (1, 0)]);
        assert_eq!(updates, [0, 1, 2]);
    }
    let weighted = text.replace("f -> c { }", "f -> c { probability 3; }");
    assert_eq!(refused(&weighted).0, "uppaal::weight");
    let guarded = text.replace("f -> c { }", "f -> c { guard n > 1; }");
    assert_eq!(refused(&guarded).0, "uppaal::branch-point");
    let nowhere = text.replace("branchpoint f;", "branchpoint f, g;");
    assert_eq!(refused(&nowhere), ("uppaal::branch-point", "g".to_owned()));
}

#[test]
fn what_is_not_supported_is_named() {
    for (declarations, body, code, place) in [
        ("double d;", "state s; init s;", "uppaal::unsupported", "double"),
        ("hybrid clock h;", "state s; init s;", "uppaal::unsupported", "hybrid"),
        ("clock x;", "state s { x' == 2 }; init s;", "uppaal::clock-rate", "x' == 2"),
        (
            "int f(int n) { return f(n); }",
            "state s; init s; trans s -> s { guard f(1) > 0; };",
            "uppaal::recursion",
            "f(n)",
        ),
        ("int v;", "state s; init s; trans s -> s { guard v++ > 0; };", "uppaal::side-effect", "v++ > 0"),
        (
            "urgent chan u; clock x;",
            "state s; init s; trans s -> s { guard x > 1; sync u!; };",
            "uppaal::urgent-clock-guard",
            "s -> s",
        ),
        ("", "state s; init s; trans s -> s { guard w; };", "uppaal::undeclared", "w"),
        (
            "",
            "state s { cost' == 1 }, t; init s; trans s -> t { };",
            "uppaal::non-uniform-cost",
            "cost' == 1",
        ),
        ("", "state s { cost' == 3 }; init s;", "uppaal::cost-rate", "cost' == 3"),
        ("chan a[2];", "state s; init s; trans s -> s { sync a[3]!; };", "uppaal::index", "a[3]"),
        ("const int c = 1;", "state s; init s; trans s -> s { assign c = 2; };", "uppaal::constant", "c = 2"),
        ("clock x, y;", "state s { x < 1 || y < 1 }; init s;", "uppaal::not-convex", "x < 1 || y < 1"),
    ] {
        let (found, span) = refused(&with_process(declarations, body));
        assert_eq!((found, span.as_str()), (code, place), "{declarations} {body}");
    }
}

#[test]
fn xml_points_into_the_file() {
    let text = "<nta><declaration>int v;</declaration><template><name>P</name><location id=\"a\"/><init ref=\"a\"/>\
                <transition><source ref=\"a\"/><target ref=\"a\"/><label kind=\"guard\">v &lt; 1 &amp;&amp; wrong</label></transition>\
                </template><system>system P;</system></nta>";
    assert_eq!(refused(text), ("uppaal::undeclared", "wrong".to_owned()));
    let right = text
        .replace("wrong", "v >= 0")
        .replace("</nta>", "<queries><query><formula>E&lt;&gt; P.v == 1</formula></query></queries></nta>");
    assert_eq!(refused(&right).0, "uppaal::undeclared", "'v' is not one of the process");
    let right = right.replace("P.v", "v");
    let (found, diagnostics) = read(&right);
    let (_, properties) = found.unwrap_or_else(|| panic!("{diagnostics:?}"));
    assert!(matches!(properties[1].question, TimedQuestion::Reach(_)));
    assert_eq!(refused("<nta><broken></nta>").0, "uppaal::xml");
}

#[test]
fn every_form_of_query_has_its_question() {
    let text = with_process("clock x; int v;", "state s, t; init s; trans s -> t { guard x > 1; };");
    let mut sources = SourceMap::new();
    let model = sources.add("m.xta", text);
    let queries = sources.add(
        "m.q",
        "/* all forms */ E<> P.t && x > 3\nA[] not deadlock\nE[] P.s\nA<> P.t or v > 0\nP.s --> P.t\nsup: x\ninf{P.t}: x, v // end",
    );
    let kinds: Vec<&str> = crate::lower_query_file(model, queries, &sources)
        .expect("queries")
        .iter()
        .map(|(question, _)| question.kind())
        .collect();
    assert_eq!(
        kinds,
        ["reach", "invariant", "always", "eventually", "leads-to", "supremum", "infimum", "infimum"]
    );
    let wrong = sources.add("<query>", "A<> x > 1 && P.s && x < 5");
    let problems = crate::lower_query_file(model, wrong, &sources).expect_err("two pieces");
    assert_eq!(problems[0].code, "uppaal::not-convex");
}

proptest! {
    /// Whatever stands in a file, it is read without a panic.
    #[test]
    fn no_text_panics(text in "(process|P|\\(|\\)|\\{|\\}|state|init|trans|s|->|;|,|int|\\[|\\]|clock|x|<|<=|=|5|chan|a|!|\\?|system|forall| )*") {
        let _ = read(&text);
    }

    #[test]
    fn no_xml_panics(text in "<nta>(<template>|</template>|<name>P</name>|<location id=\"a\"/>|<init ref=\"a\"/>|<system>system P;</system>|&lt;|<declaration>int|;</declaration>)*</nta>") {
        let _ = read(&text);
    }
}
