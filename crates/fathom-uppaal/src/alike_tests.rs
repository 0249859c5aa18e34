//! Processes that are found to be alike: which are, and that with and without that the same is reached.

use fathom_model::PropertyId;
use fathom_timed::alike::with_sets_found;
use fathom_timed::{Network, ZoneOptions, ZoneSystem};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::symmetry_tests::{
    ASKED, abstraction, both_answers, check_ways, explore, random_model_over, read, symmetry,
};

fn n_sets(text: &str) -> usize {
    let (network, _) = read(text, &[]);
    symmetry(&with_sets_found(&network), &[]).map_or(0, |symmetry| symmetry.n_sets())
}

/// Explores a model with what is found and without; the numbers of zones.
#[track_caller]
fn check(text: &str, query: &str) -> (usize, usize) {
    let (network, properties) = read(text, &[query]);
    assert!(symmetry(&network, &properties).is_none(), "nothing is declared");
    let found: Network = with_sets_found(&network);
    let plain = ZoneSystem::new(&found, &properties, &[PropertyId(0)], ZoneOptions::default());
    let reduced = plain.clone().with_symmetry(symmetry(&found, &properties));
    assert!(reduced.symmetry().is_some(), "{text}");
    let (all, fewer) = (explore(&plain), explore(&reduced));
    assert_eq!(abstraction(&found, &plain, &all), abstraction(&found, &reduced, &fewer), "{text}");
    check_ways(&found, &reduced, &fewer);
    (fewer.len(), all.len())
}

/// As it is usually written: 0 stands for nobody.
fn fischer(n: usize) -> String {
    format!(
        "typedef int[1,{n}] id_t; int id; int[0,{n}] inside;
         process P(const id_t pid) {{
             clock x;
             state idle, asks {{ x <= 2 }}, waits, in;
             init idle;
             trans idle -> asks {{ guard id == 0; assign x = 0; }},
                   asks -> waits {{ guard x <= 2; assign x = 0, id = pid; }},
                   waits -> asks {{ guard id == 0; assign x = 0; }},
                   waits -> in {{ guard id == pid && x > 2; assign inside++; }},
                   in -> idle {{ assign id = 0, inside--; }};
         }}
         system P;"
    )
}

#[test]
fn numbers_from_one_with_zero_for_nobody() {
    let (fewer, all) = check(&fischer(4), "A[] inside < 2");
    assert!(fewer * 8 < all, "{fewer} of {all}");
}

#[test]
fn who_asks_about_one_process_gets_no_symmetry() {
    for (query, is_symmetric) in [
        ("E<> P(1).in", false),
        ("E<> exists (i : id_t) P(i).in && P(i).x > 7", true),
        ("A[] forall (i : id_t) P(i).in imply id == i", true),
        ("E<> id == 1", false),
        ("E<> id == 0 && inside == 1", true),
        ("E<> id > 0", false),
    ] {
        let (network, properties) = read(&fischer(3), &[query]);
        let found = with_sets_found(&network);
        assert_eq!(symmetry(&found, &properties).is_some(), is_symmetric, "{query}");
    }
}

#[test]
fn instances_without_arguments_and_with_numbers_in_any_order() {
    let worker = "process T() { clock x; int[0,2] n; state a { x <= 3 }, b; init a;
        trans a -> b { guard !busy && x >= 1; assign busy = true, n++; }, b -> a { guard n < 2; assign busy = false, x = 0; }; }";
    let text = format!("bool busy; {worker} P = T(); Q = T(); R = T(); system P, Q, R;");
    let (fewer, all) = check(&text, "E<> busy");
    assert!(fewer < all, "{fewer} of {all}");
    let named = "int[0,3] next; bool used[4];
        process T(const int me) { state a, b; init a;
            trans a -> b { guard next == 0 && !used[me]; assign next = me, used[me] = true; }, b -> a { guard next == me; assign next = 0; }; }
        A = T(2); B = T(3); C = T(1); system A, B, C;";
    let (fewer, all) = check(named, "E<> next != 0");
    assert!(fewer < all, "{fewer} of {all}");
}

#[test]
fn channels_arrays_and_partners_go_with_processes() {
    let text = "const int N = 3; chan ask[N], answer[N]; bool waits[N]; int[0,N-1] last; int[0,N] n;
        process Client(const int[0,N-1] id) { clock x; state idle, asking { x <= 2 }; init idle;
            trans idle -> asking { sync ask[id]!; assign x = 0, waits[id] = true; }, asking -> idle { guard last == id; sync answer[id]?; assign waits[id] = false; }; }
        process Handler(const int[0,N-1] of) { state free, busy; init free;
            trans free -> busy { guard n < 2; sync ask[of]?; assign n++; }, busy -> free { sync answer[of]!; assign n--; }; }
        process Clock() { state s; init s; trans s -> s { select i : int[0,N-1]; guard waits[i] && !waits[last]; assign last = i; }; }
        system Client, Handler, Clock;";
    assert_eq!(n_sets(text), 1);
    let (fewer, all) = check(text, "E<> n == 2");
    assert!(fewer * 3 < all, "{fewer} of {all}");
}

/// Trains on tracks of their own, and a gate with a queue of those that were stopped.
const GATE: &str = "const int N = 3; typedef int[0,N-1] id_t;
    chan appr[N], stop[N], leave[N]; urgent chan go[N];
    process Train(const id_t id) { clock x;
        state safe, appr_ { x <= 20 }, stopped, start { x <= 15 }, cross { x <= 5 }; init safe;
        trans safe -> appr_ { sync appr[id]!; assign x = 0; }, appr_ -> cross { guard x >= 10; assign x = 0; },
            appr_ -> stopped { guard x <= 10; sync stop[id]?; }, stopped -> start { sync go[id]?; assign x = 0; },
            start -> cross { guard x >= 7; assign x = 0; }, cross -> safe { guard x >= 3; sync leave[id]!; }; }
    process Gate() { id_t list[N+1]; int[0,N] len;
        void enqueue(id_t element) { list[len++] = element; }
        void dequeue() { int i = 0; len -= 1; while (i < len) { list[i] = list[i + 1]; i++; } list[i] = list[N]; }
        id_t front() { return list[0]; }
        id_t tail() { return list[len - 1]; }
        state free, occ, stopping; commit stopping; init free;
        trans free -> occ { select e : id_t; guard len == 0; sync appr[e]?; assign enqueue(e); },
            free -> occ { guard len > 0; sync go[front()]!; },
            occ -> stopping { select e : id_t; sync appr[e]?; assign enqueue(e); },
            stopping -> occ { sync stop[tail()]!; },
            occ -> free { select e : id_t; guard e == front(); sync leave[e]?; assign dequeue(); }; }
    system Train, Gate;";

#[test]
fn a_queue_of_numbers_behind_functions() {
    let (network, _) = read(GATE, &[]);
    let found = with_sets_found(&network);
    let lines = symmetry(&found, &[]).map_or_else(Vec::new, |symmetry| symmetry.describe(&network));
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("Train(0), Train(1), Train(2) with Gate.list[0]"), "{lines:?}");
    let query = "A[] forall (i : id_t) forall (j : id_t) Train(i).cross && Train(j).cross imply i == j";
    let (fewer, all) = check(GATE, query);
    assert!(fewer < all, "{fewer} of {all}");
}

#[test]
fn what_tells_processes_apart_is_no_symmetry() {
    let with = |declarations: &str, edge: &str| {
        format!(
            "const int N = 3; typedef int[0,N-1] id_t; int[-1,N-1] id; int[0,9] n; bool b[N]; chan c[N]; {declarations}
             process P(const id_t pid) {{ state s, t; init s; trans s -> t {{ {edge} }}, t -> s {{ sync c[pid]?; }}; }}
             process Q() {{ state s; init s; trans s -> s {{ select i : id_t; sync c[i]!; }}; }}
             system P, Q;"
        )
    };
    for (declarations, edge, n_found) in [
        ("", "assign id = pid, b[pid] = true;", 1),
        ("", "guard id == pid; assign id = -1;", 1),
        ("", "guard id != -1 && id != pid && !b[id]; assign b[id] = true, id = pid;", 1),
        ("", "guard forall (i : id_t) b[i] imply i == pid; assign n = 1;", 1),
        ("", "guard sum (i : id_t) b[i] < 2; assign b[pid] = true;", 1),
        ("", "select i : id_t; guard i != pid; assign b[pid] = b[i];", 1),
        ("", "assign n = pid;", 1),
        ("", "assign n = pid, n = n + 1;", 0),
        // Of three processes two are alike.
        ("", "guard pid < 2;", 1),
        ("const int w[N] = { 1, 2, 2 };", "assign n = w[pid];", 1),
        ("", "guard id < pid;", 0),
        ("", "guard id == pid + 1;", 0),
        ("", "guard id == pid; assign id = (pid + 1) % N;", 0),
        ("", "guard b[1]; assign b[pid] = true;", 0),
        ("", "guard b[(pid + 1) % N]; assign b[pid] = false;", 0),
        ("const int w[N] = { 2, 2, 2 };", "assign n = w[pid];", 1),
        ("int[0,1] small;", "assign small = pid;", 0),
        ("int[0,1] w;", "guard id == pid; assign w = id == 1;", 0),
    ] {
        let found = n_sets(&with(declarations, edge));
        assert_eq!(found, n_found, "{declarations} {edge}");
    }
}

#[test]
fn most_of_what_is_symmetric_by_scalars_is_found_by_numbers() {
    let (mut runner, mut n_declared, mut n_found) = (TestRunner::deterministic(), 0, 0);
    let models = random_model_over(|size| format!("scalar[{size}]"));
    for _ in 0..200 {
        let text = models.new_tree(&mut runner).expect("a model").current();
        let (network, _) = read(&text, &[]);
        if symmetry(&network, &[]).is_some() {
            let numbers = text.replacen("scalar[2]", "int[0,1]", 1).replacen("scalar[3]", "int[0,2]", 1);
            n_declared += 1;
            n_found += n_sets(&numbers);
        }
    }
    assert!(n_declared > 50 && n_found * 10 > n_declared * 8, "{n_found} of {n_declared}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn the_same_is_reached_when_processes_are_found_alike(text in random_model_over(|size| format!("int[0,{}]", size - 1))) {
        let (network, _) = read(&text, &[]);
        let found = with_sets_found(&network);
        let Some(symmetry) = symmetry(&found, &[]) else { return Ok(()) };
        let plain = ZoneSystem::new(&found, &[], &[], ZoneOptions::default());
        let reduced = plain.clone().with_symmetry(Some(symmetry));
        let (all, fewer) = (explore(&plain), explore(&reduced));
        prop_assert_eq!(abstraction(&found, &plain, &all), abstraction(&found, &reduced, &fewer));
        if fewer.len() < 200 {
            check_ways(&found, &reduced, &fewer);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn answers_are_the_same_when_processes_are_found_alike(text in random_model_over(|size| format!("int[0,{}]", size - 1))) {
        let (network, properties) = read(&text, &ASKED);
        let found = with_sets_found(&network);
        for (property, asked) in properties.iter().zip(ASKED) {
            let Some([with, without]) = both_answers(&found, property) else { continue };
            if !without.starts_with("cut") && !without.starts_with("Cut") {
                prop_assert_eq!(with, without, "{}", asked);
            }
        }
    }
}
