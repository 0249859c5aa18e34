//! Programs and what becomes of them: numbers of states by a naive search on the interpreter, diagnostics, damaged texts.

use std::collections::BTreeSet;

use fathom_model::{Interpreter, Model, NoRegion, PropertyId, Question, Steps, System};
use fathom_source::{Diagnostic, SourceMap};

use crate::check::check_front_end;
use crate::{lower_program, parse_program};

pub(crate) fn lowered(text: &str) -> Result<Model, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let file = sources.add("m.smv", text);
    let (program, said) = parse_program(file, &sources);
    if !said.is_empty() {
        return Err(said);
    }
    let (lowered, said) = lower_program(&program, "m.smv", &[]);
    lowered.map(|(model, _)| model).ok_or(said)
}

pub(crate) fn model(text: &str) -> Model {
    lowered(text).unwrap_or_else(|said| panic!("{said:?}\n{text}"))
}

/// Initial states, all states, and steps; with the names of properties about which something was found.
pub(crate) fn explored(text: &str) -> ((usize, usize, usize), BTreeSet<String>) {
    let model = model(text);
    let asked: Vec<PropertyId> = (0..model.properties.len()).map(PropertyId::from).collect();
    let interpreter = Interpreter::new(&model, &asked);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::new());
    interpreter.initial(&mut scratch, &mut steps);
    let mut known: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut waiting: Vec<Vec<u8>> = Vec::new();
    let mut found = BTreeSet::new();
    let mut n_steps = 0;
    let mut n_initial = 0;
    loop {
        let findings = steps.findings().iter();
        found.extend(findings.map(|one| model.properties[one.property.index()].name.clone()));
        for index in 0..steps.len() {
            if known.insert(steps.state(index).to_vec()) {
                waiting.push(steps.state(index).to_vec());
            }
        }
        if n_initial == 0 {
            n_initial = known.len();
        }
        let Some(state) = waiting.pop() else { return ((n_initial, known.len(), n_steps), found) };
        steps.clear();
        interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
        n_steps += steps.len();
    }
}

pub(crate) fn counts(text: &str) -> (usize, usize, usize) {
    explored(text).0
}

#[test]
fn what_nobody_assigns_is_free() {
    assert_eq!(counts("MODULE main VAR x : boolean; y : 0..2;"), (6, 6, 36));
}

#[test]
fn sets_are_chosen_from_and_single_values_are_computed() {
    let text = "MODULE main VAR x : 0..7; ASSIGN init(x) := {1, 2}; next(x) := case x < 5 : {x, x + 1}; TRUE : 0; esac;";
    assert_eq!(counts(text), (2, 6, 11));
}

#[test]
fn constraints_cut_initial_states_states_and_steps() {
    let text = "MODULE main VAR x : 0..3; y : 0..3; INIT x = 0 & y = 1 INVAR x != y TRANS next(x) = y";
    // y becomes anything but the next x.
    assert_eq!(counts(text), (1, 12, 36));
}

#[test]
fn inputs_are_no_part_of_the_state_and_frozen_variables_stay() {
    let text = "MODULE main IVAR i : 0..1; FROZENVAR f : 0..2; VAR x : 0..9; ASSIGN init(x) := 0; next(x) := (x + f * toint(i = 1)) mod 10;";
    assert_eq!(counts(text).0, 3);
    // 1 for f = 0, 10 for f = 1, 5 for f = 2.
    assert_eq!(counts(text).1, 16);
}

#[test]
fn a_current_assignment_holds_in_every_state() {
    let text = "MODULE main VAR x : 0..3; double : 0..6; ASSIGN init(x) := 0; next(x) := (x + 1) mod 4; double := 2 * x; INVARSPEC double = x + x";
    let ((_, states, steps), found) = explored(text);
    assert_eq!((states, steps), (4, 4));
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn next_values_may_depend_on_next_values_in_any_order() {
    let text = "MODULE main VAR x : 0..3; y : 0..3; ASSIGN next(x) := next(y); next(y) := (y + 1) mod 4; init(x) := 0; init(y) := 0; INVARSPEC x = y";
    let ((_, states, _), found) = explored(text);
    assert_eq!(states, 4);
    assert!(found.is_empty());
}

#[test]
fn instances_see_what_they_are_given() {
    let text = "MODULE main VAR bit0 : cell(TRUE); bit1 : cell(bit0.carry); bit2 : cell(bit1.carry); INVARSPEC !(bit2.carry & !bit0.value) MODULE cell(carry_in) VAR value : boolean; ASSIGN init(value) := FALSE; next(value) := value xor carry_in; DEFINE carry := value & carry_in;";
    let ((_, states, steps), found) = explored(text);
    assert_eq!((states, steps), (8, 8));
    assert!(found.is_empty());
}

#[test]
fn one_process_runs_in_each_step_and_others_keep_their_variables() {
    let text = "MODULE main VAR p : process one(); q : process one(); MODULE one VAR x : 0..2; ASSIGN init(x) := 0; next(x) := x < 2 ? x + 1 : x;";
    // Of each state: a step of main, of p and of q.
    assert_eq!(counts(text), (1, 9, 27));
}

#[test]
fn words_wrap_and_their_bits_can_be_taken_apart() {
    let text = "MODULE main VAR w : unsigned word[4]; s : signed word[4]; ASSIGN init(w) := 0ud4_14; next(w) := w + 0ud4_1; init(s) := 0sd4_7; next(s) := s + 0sd4_1;
        INVARSPEC w = (w[3:2] :: w[1:0])
        INVARSPEC (w >> 1) <= 0ud4_7 & (w << 4) = 0ud4_0
        INVARSPEC s >= -0sd4_8 & s <= 0sd4_7
        INVARSPEC unsigned(s)[3:3] = 0ub1_1 <-> s < 0sd4_0
        INVARSPEC toint(extend(w, 4)) = toint(w) & toint(resize(w, 2)) = toint(w) mod 4
        INVARSPEC !w = 0ud4_15 - w
        INVARSPEC bool(w[0:0]) <-> toint(w) mod 2 = 1";
    let ((_, states, _), found) = explored(text);
    assert_eq!(states, 16);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_value_outside_the_range_of_its_variable_is_found() {
    let text = "MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := x + 1;";
    let ((_, states, _), found) = explored(text);
    assert_eq!(states, 4);
    assert_eq!(found, BTreeSet::from(["assertion".to_owned()]));
}

#[test]
fn symbolic_constants_are_the_same_everywhere() {
    let text = "MODULE main VAR x : {a, b, 7}; y : {b, c}; z : {u, v}; ASSIGN init(x) := b; init(y) := b; next(x) := y; next(y) := {b}; INVARSPEC x = y & x != 7 & x != c INVARSPEC z != x";
    let (_, found) = explored(text);
    assert!(found.is_empty(), "{found:?}");
}

/// The codes of what is wrong with a text.
pub(crate) fn codes(text: &str) -> Vec<&'static str> {
    lowered(text).map(|_| Vec::new()).unwrap_or_else(|said| said.iter().map(|one| one.code).collect())
}

#[test]
fn arrays_of_definitions_are_read_by_any_index() {
    let text = "MODULE main VAR x : 0..2; v : 0..9; m : array 0..1 of 0..9; DEFINE a := [3, x + 4, n]; n := 9; d := [[1, 2, x], [v, 5, 6], b]; b := [7, 8, m[1]]; ASSIGN init(x) := 0; next(x) := (x + 1) mod 3; v := a[x]; m[0] := 0; m[1] := d[0][x];
        INVARSPEC NAME one := v = (x = 0 ? 3 : x = 1 ? 5 : 9); INVARSPEC NAME two := d[x][1] = (x = 0 ? 2 : x = 1 ? 5 : 8);
        INVARSPEC NAME three := d[1][x] = (x = 0 ? 3 : x = 1 ? 5 : 6); INVARSPEC NAME four := d[x][x] = (x = 0 ? 1 : x = 1 ? 5 : 2); INVARSPEC NAME no := d[2][2] = 1 | x != 0";
    assert_eq!(explored(text), ((1, 3, 3), BTreeSet::new()));
    let wrong = "MODULE main VAR x : 0..3; DEFINE a := [1, 2, 3]; ASSIGN init(x) := 0; next(x) := x < 3 ? x + 1 : 3; INVARSPEC NAME p := a[x] > 0";
    assert!(explored(wrong).1.contains("p"), "the last index is outside");
}

#[test]
fn arrays_of_definitions_go_through_parameters_and_arrays_of_arrays_have_varying_indices() {
    let text = "MODULE main VAR x : 0..1; y : 0..1; p : part(t, x); DEFINE t := [4, 6]; ASSIGN init(x) := 0; next(x) := 1 - x; y := p.got = 6 ? 1 : 0; INVARSPEC NAME p := y = x MODULE part(table, i) DEFINE got := table[i];";
    assert_eq!(explored(text), ((1, 2, 2), BTreeSet::new()));
    let text = "MODULE main VAR g : array 0..1 of array 0..1 of 0..3; i : 0..1; ASSIGN g[0][0] := 0; g[0][1] := 1; g[1][0] := 2; g[1][1] := 3; INVARSPEC NAME p := g[i][1 - i] = (i = 0 ? 1 : 2); INVARSPEC NAME q := g[i][i] = 3 * i";
    assert_eq!(explored(text).1, BTreeSet::new());
    let words = "MODULE main VAR i : 0..1; DEFINE w := [0ud4_5, 0ud4_10]; INVARSPEC NAME p := w[i][1] = (i = 0 ? 0ud1_0 : 0ud1_1)";
    assert_eq!(explored(words).1, BTreeSet::new());
}

#[test]
fn what_is_wrong_with_arrays_of_definitions_is_said() {
    let check = |items: &str, code: &str| {
        let text = format!("MODULE main VAR x : 0..2; {items}");
        assert_eq!(codes(&text), [code], "{text}");
    };
    check("DEFINE a := [1, 2]; INVARSPEC a = 1", "smv::type");
    check("DEFINE a := [1, 2]; INVARSPEC a[2] = 1", "smv::bounds");
    check("DEFINE a := [1, 2]; INVARSPEC a[x][0] = 1", "smv::type");
    check("DEFINE a := [1, TRUE]; INVARSPEC a[x + 0ud3_1] = 1", "smv::type");
    check("DEFINE a := [[1, 2], 3]; INVARSPEC a[x][0] = 1", "smv::type");
    check("DEFINE a := [x, 2]; ASSIGN next(a[0]) := 1;", "smv::assignment");
    check("VAR b : array 0..2 of boolean; ASSIGN next(b[5]) := TRUE;", "smv::bounds");
    check("DEFINE a := [1, 2; INVARSPEC TRUE", "smv::syntax");
    check("DEFINE a := [];", "smv::syntax");
    // Circular in one way and in another.
    assert!(!codes("MODULE main VAR x : 0..2; DEFINE a := [a, 1]; INVARSPEC a[x][x] = 1").is_empty());
    assert!(
        !codes("MODULE main VAR x : 0..2; DEFINE a := [b[x], 1]; b := [a[x], 2]; INVARSPEC a[x] = 1")
            .is_empty()
    );
}

#[test]
fn elements_of_arrays_are_read_by_any_index() {
    let text = "MODULE main VAR a : array 1..3 of 0..5; i : 1..3; v : 0..5; ASSIGN init(a[1]) := 4; init(a[2]) := 5; init(a[3]) := 0; next(a[1]) := a[1]; next(a[2]) := a[2]; next(a[3]) := a[3]; init(i) := 1; next(i) := i mod 3 + 1; v := a[i]; INVARSPEC i = 2 -> v = 5";
    let ((_, states, _), found) = explored(text);
    assert_eq!(states, 3);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn questions_become_properties_with_fairness() {
    let model = model(
        "MODULE main VAR x : boolean; FAIRNESS x SPEC AG EF x CTLSPEC NAME again := A [TRUE U x] LTLSPEC G F x INVARSPEC x | !x",
    );
    let kinds: Vec<(&str, &str)> =
        model.properties.iter().map(|one| (one.name.as_str(), one.question.kind())).collect();
    assert_eq!(
        kinds[3..],
        [("ctl-1", "ctl"), ("again", "ctl"), ("ltl-1", "ltl"), ("invariant-1", "invariant")]
    );
    let Question::Ctl(ctl) = &model.properties[3].question else { panic!("a formula") };
    assert_eq!(ctl.fairness.len(), 1);
}

#[test]
fn problems_have_codes_and_places() {
    let cases = [
        ("MODULE main VAR x : boolean; ASSIGN next(x) := y;", "smv::undeclared"),
        ("MODULE main VAR x : boolean; ASSIGN next(x) := 3 + a;", "smv::undeclared"),
        // Names that are like no other.
        ("MODULE main VAR x : boolean; ASSIGN next(x) := something;", "smv::undeclared"),
        ("MODULE main VAR x : boolean; INVARSPEC something", "smv::undeclared"),
        ("MODULE main VAR x : boolean; SPEC AG (something = 1)", "smv::undeclared"),
        ("MODULE main VAR p : m; MODULE m VAR x : boolean; INVAR p.something", "smv::undeclared"),
        ("MODULE m VAR x : boolean;", "smv::no-main"),
        ("MODULE main VAR x : integer;", "smv::unsupported"),
        ("MODULE main VAR x : unsigned word[40];", "smv::unsupported"),
        ("MODULE main VAR x : boolean; ASSIGN next(x) := x; next(x) := !x;", "smv::assigned-twice"),
        (
            "MODULE main VAR x : 0..3; y : 0..3; ASSIGN next(x) := next(y); next(y) := next(x);",
            "smv::circular",
        ),
        ("MODULE main VAR x : boolean; INIT next(x)", "smv::next"),
        ("MODULE main VAR x : boolean; x : boolean;", "smv::duplicate"),
        ("MODULE main VAR p : nothing(1);", "smv::unknown-module"),
        ("MODULE main VAR p : m(1); MODULE m(a, b)", "smv::arguments"),
        ("MODULE main VAR x : {a, b}; INVAR x", "smv::type"),
        ("MODULE main VAR x : boolean; SPEC G x", "smv::formula"),
        ("MODULE main VAR x : boolean; LTLSPEC AG x", "smv::formula"),
        ("MODULE main VAR x : boolean; INVAR {x, TRUE}", "smv::set"),
        ("MODULE main VAR x : boolean; DEFINE d := d; INVAR d", "smv::circular"),
        ("MODULE main VAR m : main;", "smv::too-many-instances"),
        ("MODULE main PSLSPEC always x", "smv::unsupported"),
        ("MODULE main VAR x : boolean; INIT x &", "smv::syntax"),
    ];
    for (text, code) in cases {
        let said = lowered(text).expect_err(text);
        assert!(said.iter().any(|one| one.code == code), "{text}: {said:?}");
    }
}

/// Programs to damage.
const PROGRAMS: [&str; 3] = [
    include_str!("../../../examples/smv/microwave.smv"),
    "MODULE main VAR s : boolean; p : process user(s, 3); a : array 0..2 of {x, y, 4}; ASSIGN init(s) := FALSE; next(a[1]) := {x, 4}; SPEC AG !(p.state = in1 & s) MODULE user(s, n) VAR state : {idle, in1}; w : signed word[8]; IVAR i : -2..5; ASSIGN next(state) := case s & i > n : {idle, in1}; TRUE : state; esac; next(w) := w + swconst(i, 8) * 0sd8_2; next(s) := next(state) = in1; FAIRNESS running JUSTICE s COMPASSION(s, !s) LTLSPEC G (s -> F !s) U s",
    "MODULE main DEFINE n := 4; VAR x : 0..n; y : -3..3; FROZENVAR f : boolean; INIT x in {1, 2} union 3..4 INVAR x + y > -2 TRANS f -> next(x) = max(x, y) INVARSPEC count(x > 1, f, y = 0) <= 3",
];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

#[test]
fn damaged_programs_do_not_make_the_front_end_panic() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let words = |text: &'static str| -> Vec<&'static str> {
        text.split_inclusive([' ', ';', '(', ')', ',', ':', '\n']).collect()
    };
    for round in 0..3_000 {
        let mut damaged = words(PROGRAMS[round % PROGRAMS.len()]);
        let others = words(PROGRAMS[random.below(PROGRAMS.len())]);
        for _ in 0..=random.below(4) {
            let at = random.below(damaged.len());
            match random.below(4) {
                0 => {
                    damaged.remove(at);
                }
                1 => damaged.insert(at, damaged[at]),
                2 => {
                    let with = random.below(damaged.len());
                    damaged.swap(at, with);
                }
                _ => damaged[at] = others[random.below(others.len())],
            }
        }
        check_front_end(damaged.concat().as_bytes());
    }
}

#[test]
fn arbitrary_bytes_do_not_make_the_front_end_panic() {
    let mut random = Random(7);
    for round in 0..500 {
        let mut bytes = PROGRAMS[round % PROGRAMS.len()].as_bytes().to_vec();
        for _ in 0..=random.below(8) {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        bytes.truncate(random.below(bytes.len() * 2).max(1));
        check_front_end(&bytes);
    }
}

#[test]
fn long_and_deep_expressions_are_bounded() {
    let long = format!("MODULE main VAR x : boolean; INVAR x{}", " & x".repeat(3_000));
    assert!(lowered(&long).is_ok());
    let deep = format!("MODULE main VAR x : boolean; INVAR {}x{}", "(".repeat(3_000), ")".repeat(3_000));
    assert!(lowered(&deep).is_err_and(|said| said.iter().any(|one| one.code == "smv::too-deep")));
}

#[test]
fn names_that_are_nearly_declared_are_pointed_out() {
    let two = "MODULE main VAR one : user; MODULE user VAR state : {idle, busy}; INVARSPEC";
    for (text, help) in [
        ("MODULE main VAR lamp : boolean; INVARSPEC lmap", "there is a `lamp`"),
        (&two.replace("INVARSPEC", "INVARSPEC state = idel"), "there is a `idle`"),
        (
            &two.replace("main VAR one : user;", "main VAR one : user; INVARSPEC one.stat = idle"),
            "there is a `state`",
        ),
        (
            &two.replace("main VAR one : user;", "main VAR one : user; INVARSPEC onee.state = idle"),
            "there is a `one`",
        ),
    ] {
        let mut sources = SourceMap::new();
        let file = sources.add("m.smv", text.trim_end_matches("INVARSPEC"));
        let (program, mut said) = parse_program(file, &sources);
        said.extend(lower_program(&program, "m.smv", &[]).1);
        assert!(said.iter().any(|one| one.help.as_deref() == Some(help)), "{text}: {said:?}");
    }
}

#[test]
fn a_set_of_a_few_values_of_a_wide_type_is_a_few_steps() {
    let wide =
        "MODULE main VAR w : unsigned word[24]; ASSIGN init(w) := 0ud24_3; next(w) := {w, !w, 0ud24_7};";
    assert_eq!(counts(wide), (1, 4, 12));
    let apart = "MODULE main VAR x : {1, 5000000}; y : {-4000000, 9};";
    assert_eq!(counts(apart), (4, 4, 16));
    let (_, found) = explored("MODULE main VAR x : 0..9999; ASSIGN init(x) := 9999; next(x) := {x, x + 1};");
    assert!(found.contains("assertion"), "a value outside of the range is an error: {found:?}");
}

#[test]
fn what_cannot_be_read_is_told() {
    for (text, code) in [
        ("MODULE main VAR x : 0..3000000000; ASSIGN next(x) := x;", "smv::number-too-large"),
        ("MODULE main VAR x : {1, 3000000000};", "smv::number-too-large"),
        (
            "MODULE main VAR a : array 0..1 of cell; MODULE cell VAR v : boolean; INVAR FALSE",
            "smv::unsupported",
        ),
    ] {
        let said = lowered(text).expect_err(text);
        assert_eq!(said[0].code, code, "{text}");
    }
}

#[test]
fn members_of_sets_outside_the_type_are_errors() {
    let text = |next: &str| format!("MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := {next};");
    let strays = |next: &str| explored(&text(next)).1.contains("assertion");
    assert!(strays("{x, x + 1}"));
    assert!(strays("{0} union {x + 1}"));
    assert!(strays("1..x + 1"));
    assert!(strays("case x < 3 : {x, x + 1}; TRUE : {0, x + 1}; esac"));
    assert!(!strays("case x < 3 : {x, x + 1}; TRUE : {0, x}; esac"));
    assert!(!strays("x < 3 ? {x, x + 1} : 0"));
    assert!(!strays("0..x"));
    // The states that there are do not change.
    assert_eq!(counts(&text("case x < 3 : {x, x + 1}; TRUE : {0, x}; esac")), (1, 4, 8));
}

#[test]
fn a_case_of_which_no_branch_is_taken_is_an_error_for_sets_too() {
    let text = |next: &str| {
        format!("MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := case x < 2 : {next}; esac;")
    };
    assert!(explored(&text("x + 1")).1.contains("runtime-error"));
    assert!(explored(&text("{x, x + 1}")).1.contains("runtime-error"));
    assert!(!explored(&text("{0, x}")).1.contains("runtime-error"));
}

#[test]
fn members_of_sets_have_the_type_of_the_variable_and_that_is_said_once() {
    let text =
        "MODULE main VAR s : {a, b}; t : {c, d}; p : process m; ASSIGN init(s) := {a, c}; next(s) := {b, 1};
        MODULE m";
    let said = lowered(text).unwrap_err();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.iter().all(|one| one.code == "smv::type" && one.primary.is_some()));
}

#[test]
fn whether_an_instance_runs_can_be_asked_from_outside() {
    let text = "MODULE main VAR p : process m; q : process m; FAIRNESS p.running FAIRNESS q.running
        TRANS q.running -> p.x > 0
        MODULE m VAR x : 0..2; ASSIGN init(x) := 0; next(x) := (x + 1) mod 3;";
    let names: Vec<String> = model(text).globals.variables.iter().map(|one| one.name.clone()).collect();
    assert_eq!(names, ["p.x", "q.x", "fairness-1", "fairness-2"]);
    assert!(lowered("MODULE main VAR p : process m; INVARSPEC p.running MODULE m VAR x : boolean;").is_err());
}

#[test]
fn narrower_signed_words_keep_their_sign() {
    let holds = |condition: &str| {
        let text = format!("MODULE main VAR x : signed word[6]; INVARSPEC {condition}");
        !explored(&text).1.contains("invariant-1")
    };
    assert!(holds("(resize(x, 3) < 0sd3_0) = (x < 0sd6_0)"));
    assert!(holds("unsigned(resize(x, 3))[1:0] = unsigned(x)[1:0]"));
    assert!(holds("toint(resize(x, 9)) = toint(x)"));
    assert!(holds("(x < 0sd6_0) -> resize(x, 1) = -0sd1_1"));
    assert!(holds("sizeof(x) = 6"));
}

#[test]
fn names_can_be_defined_in_instances_that_are_declared_or_given() {
    // Each cell hands its bit on to the cell that it was given; the last one to the main module.
    let text = "MODULE main VAR a : cell(b); b : cell(self); DEFINE a.input := !input; INVARSPEC input = b.x
        MODULE cell(after) VAR x : boolean; ASSIGN init(x) := FALSE; next(x) := input; DEFINE after.input := x;";
    let ((_, states, _), found) = explored(text);
    assert_eq!(states, 4);
    assert!(found.is_empty(), "{found:?}");
    let problems = [
        ("MODULE main VAR x : boolean; DEFINE x.y := TRUE;", "smv::no-instance"),
        ("MODULE main VAR a : array 0..1 of boolean; DEFINE a[0] := TRUE;", "smv::syntax"),
        ("MODULE main VAR a : m; DEFINE a.x := TRUE; MODULE m VAR x : boolean;", "smv::duplicate"),
    ];
    for (text, code) in problems {
        assert_eq!(codes(text), [code], "{text}");
    }
}

#[test]
fn arguments_of_instances_may_contain_ranges() {
    let text = "MODULE main VAR x : 0..3; a : cell(x in 1..2); b : process cell((x mod 2) in {0..1}); c : cell(TRUE); MODULE cell(p) VAR y : 1..(1 + 1);";
    assert_eq!(counts(text).1, 4 * 2 * 2 * 2);
}
