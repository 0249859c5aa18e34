//! Effects that choose: composite states against the interpreter.

use super::differential::compare;
use super::microwave::smv;
use crate::Partition;

/// Programs that choose values in every way there is.
const PROGRAMS: [&str; 5] = [
    "MODULE main VAR x : 0..5; y : boolean; z : {a, b, c}; ASSIGN init(x) := {1, 3}; next(x) := case y : {0, x}; TRUE : 2..4; esac; init(z) := b; next(z) := z = a ? {b, c} : a;",
    "MODULE main VAR x : 0..6; y : 0..6; INVAR x != y TRANS next(x) = y | (next(y) = x & next(x) > 2) INIT x + y < 4",
    "MODULE main IVAR i : 0..2; FROZENVAR f : boolean; VAR x : unsigned word[4]; ASSIGN init(x) := 0ud4_3; next(x) := f ? x + uwconst(i, 4) : x * x;",
    "MODULE main VAR s : boolean; p : process user(s); q : process user(s); ASSIGN init(s) := FALSE; MODULE user(s) VAR state : {idle, entering, critical}; ASSIGN init(state) := idle; next(state) := case state = idle : {idle, entering}; state = entering & !s : critical; state = critical : {critical, idle}; TRUE : state; esac; next(s) := case state = entering : TRUE; state = critical : {FALSE, s}; TRUE : s; esac; FAIRNESS running",
    "MODULE main VAR a : array 0..2 of 0..3; i : 0..2; b : boolean; ASSIGN next(a[0]) := a[i]; next(a[1]) := {a[0], a[2]}; b := a[0] > a[1]; init(i) := 0; next(i) := (i + 1) mod 3;",
];

#[test]
fn steps_with_choices_are_those_of_the_interpreter_under_many_partitions() {
    for text in PROGRAMS {
        let (model, _) = smv(text);
        let names: Vec<String> =
            Partition::explicit(&model).sides().iter().map(|side| side.name.clone()).collect();
        for mask in 0..1_usize << names.len().min(5) {
            let chosen: Vec<&str> =
                (0..names.len()).filter(|bit| mask >> (bit % 5) & 1 == 1).map(|bit| &*names[bit]).collect();
            let partition = Partition::explicit(&model).with(&chosen, true).expect("names");
            assert!(compare(&model, &partition) > 0, "{text}");
        }
    }
}
