//! What is said about texts that are not read, and what is not said; long texts that are.

use crate::tests::{codes, counts, explored};

#[test]
fn what_is_not_supported_is_called_by_its_name() {
    for question in [
        "LTLSPEC G (x -> O x)",
        "LTLSPEC H x",
        "LTLSPEC x S x",
        "LTLSPEC G (x T x)",
        "SPEC EBF 0..3 x",
        "SPEC AG ABG 1..2 x",
        "SPEC A [x BU 0..3 x]",
        "LTLSPEC F [0, 3] x",
    ] {
        assert_eq!(
            codes(&format!("MODULE main VAR x : boolean; {question}")),
            ["smv::unsupported"],
            "{question}"
        );
    }
}

#[test]
fn a_type_that_is_none_is_one_problem() {
    assert_eq!(codes("MODULE main VAR x : 0..-1; ASSIGN init(x) := 0; next(x) := 0;"), ["smv::bounds"]);
    let array = "MODULE main VAR a : array 0..3 of 2..1; ASSIGN next(a[1]) := 0; INVARSPEC a[2] = 1";
    assert_eq!(codes(array), ["smv::bounds"]);
}

#[test]
fn long_rows_of_operands_are_read() {
    let row = |operator: &str, operand: &str| vec![operand; 3_000].join(operator);
    let sum = format!("MODULE main VAR x : 0..1; INVARSPEC {} = 3000 * x", row(" + ", "x"));
    assert!(explored(&sum).1.is_empty());
    let product = format!("MODULE main VAR x : 0..1; INVARSPEC {} = x", row(" * ", "x"));
    assert!(explored(&product).1.is_empty());
    for (operator, value) in [("xor", "FALSE"), ("xnor", "TRUE")] {
        let row = row(&format!(" {operator} "), "x");
        let text = format!("MODULE main VAR x : boolean; INVARSPEC ({row}) = {value}");
        assert!(explored(&text).1.is_empty(), "{operator}");
    }
    let union = format!("MODULE main VAR x : 0..3; ASSIGN next(x) := {} union 3;", row(" union ", "{1, 2}"));
    assert_eq!(counts(&union), (4, 4, 12));
    let words = format!("MODULE main VAR w : unsigned word[3]; INVARSPEC {} = 0ud3_0", row(" + ", "w"));
    assert!(explored(&words).1.is_empty(), "3000 is a multiple of 8");
    let differences = format!("MODULE main VAR x : 0..1; INVARSPEC {} = 0", row(" - ", "x"));
    assert_eq!(codes(&differences), ["smv::too-large"]);
}

#[test]
fn a_parameter_may_be_called_as_a_symbolic_constant_elsewhere() {
    let text = "MODULE main VAR s : {idle, busy}; p : m(s); MODULE m(idle) VAR t : boolean;";
    assert_eq!(counts(text).1, 4);
    // Which of both is meant is open.
    assert_eq!(codes(&format!("{text} INVAR idle = 1")), ["smv::ambiguous"]);
    assert_eq!(codes("MODULE main VAR p : m(1, 2); MODULE m(a, a) VAR t : boolean;"), ["smv::duplicate"]);
}

#[test]
fn elements_of_arrays_of_definitions_may_be_sets() {
    let text = "MODULE main VAR x : 0..5; DEFINE a := [{1, 2}, 3]; ASSIGN init(x) := a[1]; next(x) := a[0];";
    assert_eq!(counts(text), (1, 3, 6));
    let member = "MODULE main VAR x : 0..5; DEFINE a := [{1, 2}, 3]; INVAR x in a[0]";
    assert_eq!(counts(member).0, 2);
    assert_eq!(
        codes("MODULE main VAR x : 0..5; i : 0..1; DEFINE a := [{1, 2}, 3]; ASSIGN next(x) := a[i];"),
        ["smv::set"]
    );
}
