//! What the parser makes of small programs.

use super::*;
use crate::print;
use crate::syntax::{Step, StmtKind, Unit};
use fathom_source::{MemoryLoader, has_errors};

fn parse(text: &str) -> (Program, Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::new();
    let file = sources.add("t.pml", text);
    let (program, diagnostics) = parse_program(file, &mut sources, &MemoryLoader::new(), &[]);
    (program, diagnostics, sources)
}

/// Codes and places of what is said about a program.
fn complaints(text: &str) -> Vec<String> {
    let (_, diagnostics, sources) = parse(text);
    let place = |diagnostic: &Diagnostic| match &diagnostic.primary {
        Some(label) => sources.locate(label.span).replace("t.pml:", ""),
        None => String::new(),
    };
    diagnostics.iter().map(|diagnostic| format!("{} {}", place(diagnostic), diagnostic.code)).collect()
}

/// The steps of `init { … }`, each on one line.
fn steps(body: &str) -> Vec<String> {
    let (program, diagnostics, _) = parse(&format!("init {{ {body} }}"));
    assert!(diagnostics.is_empty(), "{body}: {diagnostics:?}");
    let Some(Unit::Process(process)) = program.units.last() else { panic!("no process") };
    let line = |step: &Step| match step {
        Step::Statement(statement) => {
            let labels: Vec<String> =
                statement.labels.iter().map(|label| format!("{}: ", label.name)).collect();
            format!("{}{}", labels.concat(), print::statement_line(statement))
        }
        other => format!("{other:?}"),
    };
    process.body.steps.iter().map(line).collect()
}

#[test]
fn separators_are_optional_where_spin_puts_them() {
    assert_eq!(steps("x = 1\n y = 2"), ["x = 1", "y = 2"]);
    assert_eq!(steps("if :: a fi\n y = 2; ;"), ["if :: (a) fi", "y = 2"]);
    assert_eq!(steps("{ x = 1 } y = 2"), ["{ x = 1 }", "y = 2"]);
    assert_eq!(steps("if :: a -> :: else y = 2 fi"), ["if :: (a) :: else; y = 2 fi"]);
    assert_eq!(complaints("init { x = 1 y = 2 }"), ["1:14 promela::syntax"]);
    assert_eq!(complaints("init { do :: x od y = 2 }"), ["1:19 promela::syntax"]);
    assert_eq!(complaints("init { }"), ["1:8 promela::syntax"]);
    assert_eq!(complaints("init { if :: -> x fi }"), ["1:14 promela::syntax"]);
}

#[test]
fn a_line_that_can_start_a_statement_does() {
    assert_eq!(steps("x = a\n -b"), ["x = a", "(-b)"]);
    assert_eq!(steps("c\n !m"), ["(c)", "(!m)"]);
    assert_eq!(steps("c!m\n (a)"), ["c!m", "(a)"]);
    assert_eq!(steps("(a\n -b)"), ["(a-b)"]);
    assert_eq!(steps("a\n -> b"), ["(a)", "(b)"]);
}

#[test]
fn operators_bind_as_in_the_grammar_of_spin() {
    assert_eq!(steps("x = !a == b"), ["x = !a==b"]);
    assert_eq!(steps("x = a | b ^ c & d == e < f << g + h * -i"), ["x = a|b^c&d==e<f<<g+h*-i"]);
    assert_eq!(steps("x = (((((a | b) ^ c) & d) == e) < f)"), ["x = ((((a|b)^c)&d)==e)<f"]);
    assert_eq!(steps("x = a - b - c"), ["x = a-b-c"]);
    assert_eq!(steps("x = a || b && c"), steps("x = a || (b && c)"));
}

#[test]
fn messages_have_their_short_forms() {
    assert_eq!(steps("c!m(a,b); c!!m,a,b"), ["c!m,a,b", "c!!m,a,b"]);
    assert_eq!(steps("c?m(a,_); c?(a,b); c?a,b(d); c??m(-1)"), ["c?m,a,_", "c?a,b", "c?a,b,d", "c??m,-1"]);
    assert_eq!(steps("c?[m(a)] && x; c??[a]"), ["(c?[m,a] && x)", "(c??[a])"]);
    assert_eq!(steps("c?<a,b>; c??<a>\n x++"), ["c?<a,b>", "c??<a>", "x++"]);
    assert_eq!(complaints("init { STDIN?c }"), ["1:8 promela::stdin"]);
}

#[test]
fn labels_may_stand_alone() {
    assert_eq!(steps("a: b: x = 1; c:"), ["a: b: x = 1", "c: (1)"]);
    assert_eq!(steps("do :: x; d: od"), ["do :: (x); d: (1) od"]);
    assert_eq!(complaints("init { a: byte x; x = 1 }"), ["1:8 promela::misplaced-label"]);
}

#[test]
fn a_name_of_a_process_refers_to_its_variables_and_labels() {
    let process = "proctype P() { l: x = 1 }";
    for claim in
        ["never { do :: P:x == 1 && P[0]@l od }", "never { (P:x == 1) && P@l }", "ltl { P[0]:x == 1 }"]
    {
        for text in [format!("{process}\n{claim}"), format!("{claim}\n{process}")] {
            let (program, diagnostics, _) = parse(&text);
            assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
            assert!(format!("{program:?}").contains("RemoteVariable"), "{text}");
        }
    }
    // In a process, the name of a later one at the start of a statement is a label, as in Spin.
    let (program, diagnostics, _) = parse(&format!("init {{ P: x = 1; goto P }} {process}"));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert!(print::program(&program).contains("P: x = 1"));
}

#[test]
fn inlines_are_replaced_by_their_body() {
    let text = "inline add(v, n) { v = v + n }\ninline twice(w) { add(w, 1) add(w, (a, b)) }\ninit { twice(x[2]) y = 1 }";
    let (program, diagnostics, sources) = parse(&text.replace("(a, b)", "2"));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let Some(Unit::Process(process)) = program.units.last() else { panic!("no process") };
    let Step::Statement(call) = &process.body.steps[0] else { panic!("no statement") };
    let line = print::statement_line(call);
    assert_eq!(line, "/* twice */ { /* add */ { x[2] = x[2]+1 }; /* add */ { x[2] = x[2]+2 } }");
    assert_eq!(sources.text(call.span), "twice(x[2])");
    let StmtKind::Block { body, .. } = &call.kind else { panic!("no block") };
    let Step::Statement(inner) = &body.steps[0] else { panic!("no statement") };
    assert_eq!(sources.text(inner.span), "add(w, 1)");
    let StmtKind::Block { body, .. } = &inner.kind else { panic!("no block") };
    let Step::Statement(assignment) = &body.steps[0] else { panic!("no statement") };
    assert_eq!(sources.text(assignment.span), "v = v + n");
    let StmtKind::Assign(variable, _) = &assignment.kind else { panic!("no assignment") };
    assert_eq!(sources.text(variable.parts[0].name.span), "x");
}

#[test]
fn inlines_are_called_with_the_right_arguments_and_never_by_themselves() {
    assert_eq!(complaints("inline f(a) { a = 1 }\ninit { f(x, y) }"), ["2:8 promela::argument-count"]);
    assert_eq!(complaints("inline f() { g() }\ninline g() { x = 1 }\ninit { f() }"), [""; 0]);
    assert_eq!(complaints("inline f() { f() }\ninit { f() }"), ["1:14 promela::recursive-inline"]);
    assert_eq!(complaints("inline f(a) { return a }\ninit { f(x) }"), ["1:15 promela::misplaced-return"]);
    assert_eq!(complaints("inline f(a) { return a }\ninit { y = f(x) + 1 }"), ["2:17 promela::syntax"]);
    let doubling: String =
        (1..60).map(|level| format!("inline f{level}() {{ f{0}(); f{0}() }}\n", level - 1)).collect();
    let text = format!("inline f0() {{ skip }}\n{doubling}init {{ f59() }}");
    assert_eq!(complaints(&text).len(), 1, "{:?}", complaints(&text).first());
}

#[test]
fn the_parser_goes_on_after_a_mistake() {
    let text = "byte x\ninit {\n x = ;\n x = 1;\n if :: x + -> skip :: x == == 2 fi;\n }\nproctype P( { skip }\nltl p { [] }\n byte y = 3 3;\nproctype Q() { skip }";
    let places: Vec<String> =
        complaints(text).iter().filter_map(|line| line.split(':').next().map(str::to_owned)).collect();
    assert_eq!(places, ["3", "5", "5", "7", "8", "9"]);
    let (program, ..) = parse(text);
    let names: Vec<&str> = program
        .units
        .iter()
        .filter_map(
            |unit| if let Unit::Process(process) = unit { Some(process.name.name.as_str()) } else { None },
        )
        .collect();
    assert_eq!(names, [":init:", "Q"]);
}

#[test]
fn messages_say_what_was_found_and_what_was_expected() {
    let (_, diagnostics, _) = parse("init { x = * }");
    assert_eq!(diagnostics[0].message, "expected an expression, found `*`");
    let (_, diagnostics, _) = parse("init { goto if }");
    assert_eq!(diagnostics[0].message, "expected a label, found `if`");
    let (_, diagnostics, _) = parse("init { x = \"abc }");
    assert_eq!(diagnostics[0].message, "expected an expression, found a string without closing quote");
}

#[test]
fn embedded_c_is_refused_and_skipped() {
    let text = "c_decl { int $ x; { } }\nc_state \"int y\" \"Global\"\ninit { c_code [1] { x++; }; c_expr { x == '1' } -> skip }";
    assert_eq!(
        complaints(text),
        [
            "1:1 promela::embedded-c",
            "2:1 promela::embedded-c",
            "3:8 promela::embedded-c",
            "3:29 promela::embedded-c"
        ]
    );
}

#[test]
fn depth_is_limited_with_a_diagnostic() {
    for text in [
        format!("init {{ x = {}", "(".repeat(1_000_000)),
        format!("init {{ x = {}", "- ".repeat(1_000_000)),
        format!("init {{ {}", "{".repeat(1_000_000)),
        format!("init {{ {}", "if :: ".repeat(1_000_000)),
        format!("init {{ x = 1{} }}", "+1".repeat(1_000_000)),
        format!("init {{ c?{}", "a(".repeat(1_000_000)),
        format!("init {{ x{}", "[x".repeat(1_000_000)),
        format!("ltl {{ {}", "[]".repeat(1_000_000)),
    ] {
        let codes = complaints(&text);
        assert!(codes.iter().any(|code| code.ends_with("promela::too-deep")), "{codes:?}");
    }
    assert_eq!(complaints(&format!("init {{ x = 1{} }}", "+1".repeat(500))), [""; 0]);
    assert_eq!(complaints(&format!("init {{ x = {}1{} }}", "(".repeat(100), ")".repeat(100))), [""; 0]);
}

#[test]
fn an_expression_stands_alone() {
    let mut sources = SourceMap::new();
    let file = sources.add("--invariant", "P[1]:x < 3 && !Q@cs");
    let (expression, diagnostics) = parse_expression(file, &sources, &["P".to_owned(), "Q".to_owned()]);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(print::expression(&expression.expect("an expression")), "P[1]:x<3 && !Q@cs");
    for text in ["", "x +", "x y", "[] x", "x -> y"] {
        let file = sources.add("--reach", text);
        let (_, diagnostics) = parse_expression(file, &sources, &[]);
        assert!(has_errors(&diagnostics), "{text}");
    }
}

#[test]
fn a_property_may_use_the_macros_of_the_program() {
    let mut sources = SourceMap::new();
    let main = sources.add("t.pml", "#define p (x == 1)\n#define at(i) P[i]@l\nproctype P() { l: skip }");
    let (_, macros, diagnostics) = parse_program_and_macros(main, &mut sources, &MemoryLoader::new(), &[]);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let file = sources.add("--ltl", "[] (p -> <> at(1))");
    let (formula, diagnostics) = parse_formula_with_macros(file, &sources, &["P".to_owned()], &macros);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(print::expression(&formula.expect("a formula")), "[] (x==1 -> <> P[1]@l)");
    let file = sources.add("--reach", "p && at(1, 2)");
    let (_, diagnostics) = parse_expression_with_macros(file, &sources, &["P".to_owned()], &macros);
    assert_eq!(diagnostics[0].code, "promela::macro-arguments");
    assert_eq!(diagnostics[0].primary.as_ref().map(|label| sources.text(label.span)), Some("at(1, 2)"));
}

#[test]
fn the_parser_agrees_with_spin_on_the_models_of_the_corpus() {
    let mut wrong = Vec::new();
    crate::samples::for_each_corpus_model(|model| {
        // Spin reads `STDIN` in simulations only, and `X` only when it was built for that.
        let errors: Vec<String> = model
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.is_error() && diagnostic.code != "promela::stdin")
            .map(|diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message))
            .collect();
        let is_right =
            errors.is_empty() == model.accepted_by_spin || model.name.ends_with("LTL/patterns.pml");
        if !is_right {
            wrong.push(format!("{}: {errors:?}", model.name));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
