//! What values are equal, what may be assigned, and where something goes wrong with a value.

use crate::tests::{codes, counts, explored};

/// What is found of a program of declarations and questions.
fn found(items: &str) -> Vec<String> {
    explored(&format!("MODULE main {items}")).1.into_iter().collect()
}

/// All questions hold, and nothing goes wrong.
fn all_hold(items: &str) {
    assert_eq!(found(items), [""; 0], "{items}");
}

fn refused(items: &str, code: &str) {
    let said = codes(&format!("MODULE main {items}"));
    assert!(!said.is_empty() && said.iter().all(|one| *one == code), "{items}: {said:?}");
}

#[test]
fn symbolic_constants_are_no_numbers() {
    all_hold(
        "VAR x : {a, 2}; y : 0..3; ASSIGN x := a; y := 0; INVARSPEC x != y INVARSPEC x != 0 INVARSPEC !(x in {0, 1}) INVARSPEC !(x in 0..1)",
    );
    all_hold(
        "VAR x : {a, b, -1}; y : -2..2; INVARSPEC x = a -> x != y INVARSPEC x = b -> x != y INVARSPEC x = -1 & y = -1 -> x = y",
    );
    refused("VAR x : {a, 2}; ASSIGN x := 0;", "smv::type");
    refused("VAR x : {a, 2}; y : 0..3; INVARSPEC y = a", "smv::type");
    let one =
        "VAR x : {a, 2}; y : 0..3; ASSIGN init(y) := 0; next(y) := 0; x := case y = 0 : y; TRUE : 2; esac;";
    assert_eq!(found(one), ["assertion"]);
    assert_eq!(found("VAR x : {a, 2}; ASSIGN init(x) := 2; next(x) := 0..2;"), ["assertion"]);
    // In the state they are as narrow as ever.
    assert_eq!(counts("MODULE main VAR x : {a, b, 1, 2}; y : {b, c};"), (8, 8, 64));
}

#[test]
fn values_of_unlike_enumerations_meet() {
    all_hold(
        "VAR x : {a, 2}; y : {b, 2}; ASSIGN x := 2; y := 2; INVARSPEC x = y INVARSPEC x in {y} INVARSPEC x in {b, 2}",
    );
    all_hold(
        "VAR x : {a, b}; y : {c, d}; k : boolean; ASSIGN x := a; y := c; INVARSPEC (k ? x : y) != b INVARSPEC k -> (k ? x : y) = a INVARSPEC !k -> (k ? x : y) = c INVARSPEC x != y",
    );
    all_hold(
        "VAR x : {a, b}; k : boolean; DEFINE s := case k : x; TRUE : 5; esac; ASSIGN x := a; INVARSPEC k -> s = a INVARSPEC !k -> s = 5",
    );
    all_hold(
        "VAR x : {a, 2}; y : {b, 2}; ASSIGN init(x) := 2; init(y) := 2; next(x) := case y = 2 : y; TRUE : a; esac; next(y) := 2; INVARSPEC x = 2",
    );
    all_hold(
        "VAR x : {a, 1, 2}; y : {b, 2, 3}; z : 0..3; ASSIGN init(x) := a; next(x) := case x = 1 : 2; x = 2 : a; TRUE : 1; esac; y := case x = 2 : 2; x = 1 : 3; TRUE : b; esac; z := case x = 2 : 2; TRUE : 0; esac; INVARSPEC x = 2 -> x = y & x = z INVARSPEC x = a -> y = b & x != y INVARSPEC y = 3 -> x = 1 INVARSPEC a != b",
    );
    // The value of another enumeration that is none of its own is an error.
    assert_eq!(
        found("VAR x : {a, 2}; y : {b, 2}; ASSIGN init(x) := 2; init(y) := {2, b}; next(x) := y;"),
        ["assertion"]
    );
    refused("VAR x : {a, b}; y : {c, d}; ASSIGN next(x) := y;", "smv::type");
}

#[test]
fn what_is_never_equal_is_not_compared() {
    for condition in ["s != 1", "s = b", "!(s in {0, 1})", "s in 0..1", "b = 2", "1 = b & n = b"] {
        refused(
            &format!("VAR s : {{idle, busy}}; b : boolean; n : 0..3; INVARSPEC {condition}"),
            "smv::type",
        );
    }
}

#[test]
fn a_set_of_constants_and_numbers_is_looked_through_for_both() {
    all_hold(
        "VAR x : {b, e}; n : 0..3; ASSIGN x := e; n := 2; INVARSPEC x in {e, 0} & !(x in {b, 0}) & x in {e} union {3} & x in {0..1, e} INVARSPEC n in {e, 2} & !(n in {e, 3})",
    );
    refused("VAR x : {b, e}; INVARSPEC x in {0} union {3, 1}", "smv::type");
    refused("VAR n : 0..3; INVARSPEC n in {b, e} VAR x : {b, e};", "smv::type");
    refused("VAR x : {b, e}; INVARSPEC x in {e, missing}", "smv::undeclared");
}

#[test]
fn a_range_with_a_number_between_the_values_of_a_type_is_an_error() {
    assert_eq!(found("VAR x : {0, 2}; ASSIGN init(x) := 0; next(x) := 0..2;"), ["assertion"]);
    all_hold("VAR x : {0, 1, 4, 5}; ASSIGN init(x) := {0, 1} union 4..5; next(x) := 4..5;");
}

#[test]
fn numbers_have_32_bits() {
    for text in [
        "VAR x : 0..3; INVARSPEC x < 4294967295",
        "VAR x : 0..2147483648;",
        "VAR x : 0..3; INVARSPEC x - 2147483648 < 0",
    ] {
        refused(text, "smv::number-too-large");
    }
    all_hold("VAR x : 0..3; INVARSPEC x > -2147483648 & x < 2147483647");
}

#[test]
fn a_constant_ends_where_an_operator_begins() {
    all_hold(
        "VAR x : 0..3; w : unsigned word[2]; INVARSPEC w = 0ud2_1->x<4 INVARSPEC 0ud2_1-w != 0ud2_1|w=0ud2_0",
    );
}

#[test]
fn constants_fit_their_bits() {
    for constant in ["0sd8_200", "0uud2_1", "0usd2_1", "0ud2_4"] {
        refused(&format!("VAR w : signed word[8]; INVARSPEC w != {constant}"), "smv::bad-word-constant");
    }
    let words = "VAR w : signed word[8]; u : unsigned word[2];";
    for condition in
        ["w != swconst(200, 8)", "u != uwconst(4, 2)", "u != uwconst(-3, 2)", "u = extend(u, -1)"]
    {
        refused(&format!("{words} INVARSPEC {condition}"), "smv::bounds");
    }
    refused(&format!("{words} INVARSPEC resize(u, 0) = u"), "smv::unsupported");
    all_hold(
        "VAR w : signed word[8]; ASSIGN w := 0sd8_128; INVARSPEC w = -0sd8_128 & w = swconst(-128, 8) & w = 0sb8_10000000 INVARSPEC uwconst(-1, 2) = 0ud2_3 & extend(0ud2_1, 0) = 0ud2_1",
    );
}

#[test]
fn words_are_shifted_by_no_more_than_their_bits() {
    let words = "VAR w : unsigned word[4]; s : unsigned word[4];";
    for condition in ["(w >> -1) = w", "(w << 5) = w"] {
        refused(&format!("{words} INVARSPEC {condition}"), "smv::bounds");
    }
    assert_eq!(found(&format!("{words} t : boolean; ASSIGN t := (w >> s) <= w;")), ["runtime-error"]);
    all_hold(&format!(
        "{words} INVARSPEC s <= 0ud4_4 -> (w >> s) <= w INVARSPEC s = 0ud4_4 -> (w << s) = 0ud4_0 INVARSPEC (w >> 4) = 0ud4_0"
    ));
    all_hold(
        "VAR w : signed word[32]; ASSIGN w := 0sd32_1; INVARSPEC (w << 31) < 0sd32_0 & (w << 32) = 0sd32_0 & ((w << 31) >> 32) = -0sd32_1",
    );
}

#[test]
fn truth_values_are_no_numbers() {
    for condition in ["b + 2 > 1", "b < 2", "n * b = 0", "n = b", "b < TRUE", "-b = 0"] {
        refused(&format!("VAR b : boolean; n : 0..3; INVARSPEC {condition}"), "smv::type");
    }
    all_hold("VAR b : boolean; INVARSPEC b = 1 | b = 0 INVARSPEC toint(b) + 1 > 0");
}

#[test]
fn what_is_written_before_a_division_protects_it() {
    all_hold("VAR a : array 0..2 of boolean; i : 0..3; n : 0..3; INVAR i < n & n < 3 & a[i]");
    all_hold("VAR z : 0..3; y : 0..3; INVAR z > y & 4 / z > 1");
    all_hold(
        "VAR x : 0..3; y : 0..3; ASSIGN init(x) := 1; TRANS next(y) > 0 & next(x) >= next(y) & 3 / next(x) >= 1",
    );
    assert_eq!(found("VAR z : 0..3; y : 0..3; INVAR 4 / z > 1 & z > y"), ["runtime-error"]);
}

#[test]
fn a_set_that_is_made_of_the_value_it_gives_is_circular() {
    for assignment in [
        "x := {x, 1};",
        "init(x) := {x, 1}; next(x) := x;",
        "init(x) := 0; next(x) := {next(x), 1};",
        "next(x) := 0..next(x);",
    ] {
        refused(&format!("VAR x : 0..3; ASSIGN {assignment}"), "smv::circular");
        refused(&format!("VAR x : {{0, 1, 9000000}}; ASSIGN {assignment}"), "smv::circular");
    }
    all_hold(
        "VAR x : 0..3; y : 0..3; ASSIGN init(x) := {1, 2}; next(x) := {x, next(y)}; init(y) := 1; next(y) := {1, 2};",
    );
}
