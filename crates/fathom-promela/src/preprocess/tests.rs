//! What the preprocessor makes of small texts.

use super::*;
struct Outcome {
    text: String,
    codes: Vec<&'static str>,
    tokens: Vec<Token>,
    sources: SourceMap,
}

fn run_with(text: &str, loader: &dyn FileLoader, defines: &[(&str, &str)]) -> Outcome {
    let mut sources = SourceMap::new();
    let main = sources.add("main.pml", text);
    let mut macros = Macros::default();
    let defines: Vec<(String, String)> =
        defines.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let (tokens, diagnostics) = preprocess(main, &mut sources, loader, &defines, &mut macros);
    let words: Vec<String> = tokens.iter().map(|token| spelled(*token, &macros.interner)).collect();
    let codes = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    Outcome { text: words.join(" "), codes, tokens, sources }
}

fn spelled(token: Token, interner: &Interner) -> String {
    use crate::token::TokenKind;
    match token.kind {
        TokenKind::Text(symbol) => format!("{:?}", interner.text(symbol)),
        TokenKind::Number(value) => value.to_string(),
        _ => token.describe(interner).trim_matches('`').to_owned(),
    }
}

/// The tokens of a text, which must be without diagnostics.
fn run(text: &str) -> String {
    let outcome = run_with(text, &MemoryLoader::new(), &[]);
    assert!(outcome.codes.is_empty(), "{text}: {:?}", outcome.codes);
    outcome.text
}

fn codes(text: &str) -> Vec<&'static str> {
    run_with(text, &MemoryLoader::new(), &[]).codes
}

#[test]
fn macros_expand_inside_each_other_but_not_inside_themselves() {
    assert_eq!(run("#define N 3\n#define M N+N\nM x"), "3 + 3 x");
    assert_eq!(run("#define a b a\n#define b a b\na"), "a b a");
    assert_eq!(run("#define f(x) x f(x)\nf(f(1))"), "1 f ( 1 ) f ( 1 f ( 1 ) )");
}

#[test]
fn arguments_keep_commas_in_parentheses_and_may_span_lines() {
    assert_eq!(run("#define f(a,b) [a|b]\nf((1,2), g(3,4))"), "[ ( 1 , 2 ) | g ( 3 , 4 ) ]");
    assert_eq!(run("#define f(a) <a>\nf(\n1\n+ 2\n) x"), "< 1 + 2 > x");
    assert_eq!(run("#define f(a) 1\nf x f (2)"), "f x 1");
    assert_eq!(run("#define f() 1\nf()"), "1");
    assert_eq!(run("#define f (a)\nf"), "( a )");
    assert_eq!(run("#define f(a, ...) a __VA_ARGS__\nf(1, 2, 3) f(4)"), "1 2 , 3 4");
    assert_eq!(codes("#define f(a) a\nf(1, 2)"), ["promela::macro-arguments"]);
    assert_eq!(codes("#define f(a) a\nf(1"), ["promela::macro-arguments"]);
}

#[test]
fn the_classic_expansion_of_names_that_meet_parentheses_later() {
    assert_eq!(run("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)"), "2 * 9 * g");
    assert_eq!(run("#define EMPTY\n#define f(x) <x>\nf EMPTY (1)"), "f ( 1 )");
}

#[test]
fn strings_are_left_alone_and_can_be_made() {
    assert_eq!(run("#define N 3\nprintf(\"N\")"), "printf ( \"N\" )");
    assert_eq!(run("#define s(x) #x\ns(a + b)"), "\"a + b\"");
    assert_eq!(run("#define j(x,y) x##y\n#define ab 7\nj(a,b) j(p,1) j(,z)"), "7 p1 z");
}

#[test]
fn conditions_choose_lines() {
    assert_eq!(run("#if 0\nit's ` wrong\n#elif 1 + 1 == 2\nyes\n#else\nno\n#endif\n"), "yes");
    assert_eq!(run("#define A\n#if defined(A) && !defined B\nyes\n#endif"), "yes");
    assert_eq!(run("#ifndef A\n#ifdef B\n1\n#else\n2\n#endif\n#else\n3\n#endif"), "2");
    assert_eq!(run("#define V 0x10\n#if V == 16 && 10L > 9u && (1 ? 0 : 1) == 0\nyes\n#endif"), "yes");
    assert_eq!(codes("#if 1\n"), ["promela::unterminated-condition"]);
    assert_eq!(codes("#endif\n"), ["promela::directive"]);
    assert_eq!(codes("#if 1 +\n#endif\n"), ["promela::condition"]);
    assert_eq!(codes("#if 1 / 0\n#endif\n"), ["promela::condition"]);
    assert_eq!(codes(&format!("#if {}1\n#endif\n", "(".repeat(100_000))), ["promela::condition"]);
}

#[test]
fn a_macro_from_outside_overrules_the_text() {
    let outcome = run_with("#define N 3\nN", &MemoryLoader::new(), &[("N", "5")]);
    assert_eq!((outcome.text.as_str(), outcome.codes.as_slice()), ("5", &["promela::macro-overruled"][..]));
    let outcome = run_with("#ifndef N\n#define N 3\n#endif\nN", &MemoryLoader::new(), &[("N", "5")]);
    assert_eq!((outcome.text.as_str(), outcome.codes.len()), ("5", 0));
}

#[test]
fn definitions_come_and_go_anywhere() {
    assert_eq!(run("{ x\n#define N 1\nN\n#undef N\nN }"), "{ x 1 N }");
    assert_eq!(run("#define LONG a; \\\r\n b\r\nLONG"), "a ; b");
    assert_eq!(codes("#define N 1\n#define N 2\n"), ["promela::macro-redefined"]);
    assert_eq!(codes("#define N 1\n#define N 1\n"), [""; 0]);
    assert_eq!(
        codes("#define 3\n#frob\n#error no\n"),
        ["promela::directive", "promela::directive", "promela::error-directive"]
    );
    assert_eq!(run("#pragma once\n#line 3\n# 12 \"file\"\n#\nx"), "x");
}

#[test]
fn files_are_included() {
    let loader = MemoryLoader::new().with("a.h", "#include <b.h>\na").with("b.h", "b");
    let outcome = run_with("#include \"a.h\"\nc", &loader, &[]);
    assert_eq!((outcome.text.as_str(), outcome.codes.len()), ("b a c", 0));
    let outcome = run_with("x\n  #include \"none.h\"\ny", &loader, &[]);
    assert_eq!((outcome.text.as_str(), &outcome.codes[..]), ("x y", &["promela::missing-include"][..]));
    let cycle = MemoryLoader::new().with("a.h", "#include \"a.h\"\n");
    assert_eq!(run_with("#include \"a.h\"\n", &cycle, &[]).codes, ["promela::include-depth"]);
}

#[test]
fn macros_from_outside_exist_from_the_start() {
    let outcome = run_with(
        "#ifndef N\n#define N 3\n#endif\nN F(2)",
        &MemoryLoader::new(),
        &[("N", "7"), ("F(x)", "x+x")],
    );
    assert_eq!((outcome.text.as_str(), outcome.codes.len()), ("7 2 + 2", 0));
}

#[test]
fn a_token_has_the_place_of_the_use_or_of_the_argument() {
    let outcome =
        run_with("#define add(a) (a + 1)\n#define two add(2)\nx = add(yy); two", &MemoryLoader::new(), &[]);
    let places: Vec<&str> = outcome.tokens.iter().map(|token| outcome.sources.text(token.span)).collect();
    assert_eq!(
        places,
        ["x", "=", "add(yy)", "yy", "add(yy)", "add(yy)", "add(yy)", ";", "two", "two", "two", "two", "two"]
    );
}

#[test]
fn a_line_end_survives_an_empty_macro() {
    let outcome = run_with("#define NOTHING\na\nNOTHING b c", &MemoryLoader::new(), &[]);
    let marks: Vec<bool> = outcome.tokens.iter().map(|token| token.newline_before).collect();
    assert_eq!(marks, [true, true, false]);
}

#[test]
fn macros_that_double_each_other_end_with_a_diagnostic() {
    let mut text = String::from("#define A0\n");
    for level in 1..100 {
        text.push_str(&format!("#define A{level} A{} A{}\n", level - 1, level - 1));
    }
    assert_eq!(codes(&format!("{text}A99")), ["promela::expansion-too-large"]);
    let nested = format!("#define f(x) x\n{}1{}", "f(".repeat(5000), ")".repeat(5000));
    assert_eq!(codes(&nested), ["promela::expansion-too-large"]);
}
