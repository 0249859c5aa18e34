//! States that symmetry takes for one have the same future, and there are as few classes as there should be.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use fathom_core::model::{Answer, Interpreter, Model, NoRegion, PropertyId, Steps, System};
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::{CheckOptions, Code, Language, Reductions, check, load};
use fathom_reduce::{Quotient, Symmetry};
use fathom_testing::{Entropy, explore};

fn model_of(text: &str) -> Model {
    let loader = MemoryLoader::new().with("m.pml", text);
    let loaded = load("m.pml", Language::Promela, &loader, &[]).unwrap_or_else(|_| panic!("{text} loads"));
    loaded.model.expect("a model")
}

fn all_properties(model: &Model) -> Vec<PropertyId> {
    (0..model.properties.len()).map(PropertyId::from).collect()
}

/// Numbers of states without and with symmetry; answers are the same, and every state has the steps of the one that
/// stands for it.
fn compare(text: &str) -> (u64, u64) {
    let model = model_of(text);
    let asked = all_properties(&model);
    let plain = Interpreter::new(&model, &asked);
    let full = explore(&plain, 100_000).expect("few states");
    let Some(symmetry) = Symmetry::new(&model, &asked) else { return (full.states, full.states) };
    let quotient = Quotient::of(Interpreter::new(&model, &asked), symmetry.clone());
    let classes = explore(&quotient, 100_000).expect("few classes");
    let properties = |evidence: &[(PropertyId, _)]| -> BTreeSet<PropertyId> {
        evidence.iter().map(|(property, _)| *property).collect()
    };
    assert_eq!(properties(&full.evidence), properties(&classes.evidence), "{text}");
    check_futures(&plain, &quotient, &symmetry);
    check_traces(&model, &asked);
    (full.states, classes.states)
}

/// Checks give the same answers with symmetry, alone and with everything else; they replay their traces on the model as written.
fn check_traces(model: &Model, asked: &[PropertyId]) {
    let folded = Reductions { symmetry: true, ..Reductions::NONE };
    let answers = |reductions: Reductions, code: Code| -> Vec<Answer> {
        let options =
            CheckOptions { properties: asked.to_vec(), reductions, code, ..CheckOptions::default() };
        let report = check(model, &options, &mut NoMonitor);
        report.verdicts.iter().map(|verdict| verdict.answer).collect()
    };
    let expected = answers(Reductions::NONE, Code::Interpreted);
    assert_eq!(answers(folded, Code::Interpreted), expected);
    assert_eq!(answers(folded, Code::Native), expected);
    assert_eq!(answers(Reductions::ALL, Code::Native), expected);
}

/// Every reachable state has, up to renaming, the steps of its canonical form.
fn check_futures(plain: &Interpreter<'_>, quotient: &Quotient<Interpreter<'_>>, symmetry: &Symmetry) {
    let (mut scratch, mut steps) = (plain.scratch(), Steps::new());
    plain.initial(&mut scratch, &mut steps);
    let mut pending: VecDeque<Vec<u8>> = (0..steps.len()).map(|index| steps.state(index).to_vec()).collect();
    let mut seen: HashSet<Vec<u8>> = pending.iter().cloned().collect();
    let mut futures: HashMap<Vec<u8>, BTreeSet<Vec<u8>>> = HashMap::new();
    let future = |state: &[u8]| -> BTreeSet<Vec<u8>> {
        let mut scratch = quotient.scratch();
        let mut steps = Steps::new();
        quotient.successors(state, &NoRegion, &mut scratch, &mut steps);
        (0..steps.len()).map(|index| steps.state(index).to_vec()).collect()
    };
    while let Some(state) = pending.pop_front() {
        let form = symmetry.canonical(&state);
        assert_eq!(symmetry.canonical(&form), form, "a canonical form is its own");
        let expected = futures.entry(form.clone()).or_insert_with(|| future(&form)).clone();
        assert_eq!(future(&state), expected);
        steps.clear();
        plain.successors(&state, &NoRegion, &mut scratch, &mut steps);
        for index in 0..steps.len() {
            if seen.insert(steps.state(index).to_vec()) {
                pending.push_back(steps.state(index).to_vec());
            }
        }
    }
}

#[test]
fn processes_that_do_not_know_each_other_are_counted_and_not_named() {
    let (full, classes) =
        compare("active [4] proctype p() { end: do :: skip; if :: skip fi; skip :: false od }");
    assert!(full > classes, "{full} {classes}");
    let (full, classes) = compare("byte n; active [4] proctype p() { do :: n < 4; n++ -> n-- od }");
    assert_eq!((full, classes), (81, 15), "four at three places, and how many are where");
}

#[test]
fn own_numbers_as_indices_and_owners_are_names() {
    let text = "bool wants[3]; byte owner = 255;
        active [3] proctype p() { do :: wants[_pid] = true; atomic { owner == 255 -> owner = _pid };
            assert(owner == _pid); wants[_pid] = false; owner = 255 od }";
    let (full, classes) = compare(text);
    assert_eq!((full, classes), (44, 13));
}

#[test]
fn a_ring_has_its_rotations() {
    let text = "#define N 5
        bool fork[N];
        active [N] proctype p() { do :: atomic { !fork[_pid] -> fork[_pid] = true };
            atomic { !fork[(_pid + 1) % N] -> fork[(_pid + 1) % N] = true };
            d_step { fork[_pid] = false; fork[(_pid + 1) % N] = false } od }";
    let (full, classes) = compare(text);
    // Necklaces: every class has five states, but for the two in which all do the same.
    assert_eq!((full - 2) % 5, 0);
    assert_eq!(classes, (full - 2) / 5 + 2);
}

#[test]
fn two_that_look_at_each_other_may_be_exchanged() {
    let text = "bool flag[2]; bit turn; byte inside;
        active [2] proctype p() { do :: flag[_pid] = true; turn = 1 - _pid;
            (!flag[1 - _pid] || turn == _pid); inside++; assert(inside == 1); inside--; flag[_pid] = false od }";
    let (full, classes) = compare(text);
    assert!(classes * 2 <= full + 2, "{full} {classes}");
}

#[test]
fn a_set_up_does_not_count() {
    let text = "byte holder = 9; bool busy[3];
        proctype p(byte me) { do :: atomic { holder == 9 -> holder = me; busy[me] = true }; busy[me] = false; holder = 9 od }
        init { atomic { run p(0); run p(1); run p(2) } }";
    let (full, classes) = compare(text);
    // One before the set-up, one with nobody inside, and each of three at two places inside.
    assert_eq!((full, classes), (8, 4));
}

#[test]
fn channels_go_with_their_processes() {
    let text =
        "mtype = { ask, grant }; chan to_server = [3] of { mtype, byte }; chan reply[3] = [1] of { mtype };
        active [3] proctype client() { do :: to_server!ask(_pid); reply[_pid]?grant od }
        active proctype server() { byte who; do :: to_server?ask(who) -> reply[who]!grant od }";
    let (full, classes) = compare(text);
    assert!(classes * 4 < full, "{full} {classes}");
}

#[test]
fn channels_sent_in_messages_are_names() {
    let text = "chan to_server = [2] of { chan }; 
        active [2] proctype client() { chan mine = [1] of { bit }; bit b; do :: to_server!mine; mine?b od }
        active proctype server() { chan back; do :: to_server?back -> back!1 od }";
    let (full, classes) = compare(text);
    assert!(classes * 3 < full * 2, "{full} {classes}");
}

#[test]
fn what_is_called_by_number_stays() {
    let one = "byte owner = 255; active [3] proctype p() { do :: atomic { owner == 255 -> owner = _pid }; owner = 255 od }";
    let (full, classes) = compare(one);
    assert!(classes < full);
    let text = format!("{one} active proctype q() {{ end: do :: owner == 1 -> assert(false) od }}");
    compare(&text);
    let text = one.replace("owner = 255 od", "if :: _pid < 2 -> owner = 255 fi od");
    compare(&text);
    let ordered = one.replace("owner == 255 ->", "owner == 255 || owner < _pid ->");
    let (full, classes) = compare(&ordered);
    assert_eq!(full, classes, "an order leaves nothing to exchange");
}

#[test]
fn processes_that_end_stay_where_they_are() {
    compare("byte n; active [3] proctype p() { n++; n-- }");
    compare(
        "byte n; active [2] proctype p() { n++; n-- } active [3] proctype q() { do :: n > 0 -> skip od }",
    );
}

/// A random program of processes that are alike: statements that use names in one way or another.
fn random_program(entropy: &mut Entropy<'_>) -> String {
    const STATEMENTS: [&str; 16] = [
        "owner == 255 -> owner = _pid",
        "owner = 255",
        "owner == _pid -> owner = (_pid + 1) % N",
        "flag[_pid] = !flag[_pid]",
        "flag[(_pid + 1) % N] -> flag[(_pid + 1) % N] = false",
        "owner < N -> flag[owner] = true",
        "mine = owner",
        "mine < N -> link[mine]!_pid",
        "link[_pid]?mine",
        "link[_pid]?[eval(mine)] -> link[_pid]?_",
        "nempty(link[_pid])",
        "count < 2 -> count++",
        "count > 0 -> count--",
        "back!link[_pid]",
        "mine != owner",
        "assert(owner != 1 || !flag[_pid])",
    ];
    let mut body = String::new();
    for _ in 0..2 + entropy.below(3) {
        let one = STATEMENTS[entropy.below(STATEMENTS.len())];
        let other = STATEMENTS[entropy.below(STATEMENTS.len())];
        body += &format!(":: {one}; {other} ");
    }
    let n = 2 + entropy.below(2);
    let start = match entropy.below(3) {
        0 => format!("active [{n}] proctype p() {{ byte mine = 255; do {body} od }}"),
        1 => format!(
            "active [{n}] proctype p() {{ byte mine = _pid; end: do {body} od }} active proctype q() {{ chan c; do :: back?c; c!0 od }}"
        ),
        _ => format!(
            "active [{n}] proctype p() {{ byte mine = 255; do {body} :: atomic {{ count == 2; count = 0; owner = _pid }} od }}"
        ),
    };
    format!(
        "#define N {n}\nbyte owner = 255; bool flag[N]; byte count; chan back = [1] of {{ chan }}; chan link[N] = [1] of {{ byte }};\n{start}"
    )
}

#[test]
fn templates_that_differ_in_constants_are_read_as_one() {
    let process = |me: usize| {
        let next = (me + 1) % 4;
        format!(
            "active proctype p{me}() {{ byte seen = {me}; do :: atomic {{ fork[{me}] == 0 -> fork[{me}] = 1 }}; seen = {me};
             atomic {{ fork[{next}] == 0 -> fork[{next}] = 1 }}; fork[seen] = 0; fork[{next}] = 0 od }}\n"
        )
    };
    let text: String = (0..4).map(process).collect();
    let (full, classes) = compare(&format!("byte fork[4];\n{text}"));
    assert!(classes * 3 < full, "{full} {classes}");
    // A process that does something else is told apart, and so are its neighbours.
    let (full, classes) =
        compare(&format!("byte fork[4];\n{}", text.replacen("}; seen = 2;", "}; seen = 3;", 1)));
    assert_eq!(full, classes);
}

#[test]
fn templates_read_as_one_are_still_looked_at_by_name() {
    // Who holds is asked about by template and by a number that varies.
    let process = |me: usize| {
        format!(
            "active proctype p{me}() {{ do :: atomic {{ holder == 9 -> holder = _pid }}; inside: skip; holder = 9 od }}\n"
        )
    };
    let text: String = (0..3).map(process).collect();
    let watcher = "active proctype watcher() { end: do :: atomic { holder < 3 && p1[holder]@inside -> odd = 1 - odd } od }";
    let (full, classes) = compare(&format!("byte holder = 9; bit odd;\n{text}{watcher}"));
    assert_eq!((full, classes), (14, 10), "the two that nobody looks at by name are alike");
    // Channels of their own have types of their own.
    let process = |me: usize| {
        format!(
            "active proctype q{me}() {{ chan mine = [1] of {{ byte }}; byte got; do :: mine!{me} :: mine?got -> seen[got] = 1 - seen[got] od }}\n"
        )
    };
    let text: String = (0..3).map(process).collect();
    compare(&format!("bit seen[3];\n{text}"));
}

#[test]
fn random_programs_have_the_same_answers_and_futures() {
    let mut reduced = 0;
    for seed in 0..120_u64 {
        let text = random_program(&mut Entropy::seeded(seed, 60));
        let model = model_of(&text);
        if explore(&Interpreter::new(&model, &[]), 3000).is_none() {
            continue;
        }
        let (full, classes) = compare(&text);
        reduced += usize::from(classes < full);
    }
    assert!(reduced > 20, "only {reduced} programs have symmetry that shows");
}

/// A random program whose variables of names start as nobody, or get values that are no names from the set-up, and which
/// computes with them.
fn random_start(entropy: &mut Entropy<'_>) -> String {
    const STATEMENTS: [&str; 14] = [
        "flag[(g + 1) % N] = 1 - flag[(g + 1) % N]",
        "assert(flag[(g + 1) % N] == 0)",
        "me == (g + 2) % N -> flag[me] = 1",
        "g - me != 254 -> flag[me] = 0",
        "assert(g + mine != 300 + me)",
        "flag[me] = 1 - flag[me]",
        "g == me -> mine = me",
        "g = mine",
        "g = me",
        "mine = g",
        "mine = (mine + 1) % N",
        "mine != g -> mine = (g + 1) % N",
        "nempty(link) -> link?mine",
        "assert(flag[me] == 0 || g != mine)",
    ];
    let n = 2 + entropy.below(3);
    let mut body = String::new();
    for _ in 0..1 + entropy.below(3) {
        let one = STATEMENTS[entropy.below(STATEMENTS.len())];
        let other = STATEMENTS[entropy.below(STATEMENTS.len())];
        body += &format!(":: atomic {{ {one}; {other} }} ");
    }
    let body = format!(
        "{}; do {body} :: g == mine && mine == me -> skip od",
        STATEMENTS[entropy.below(STATEMENTS.len())]
    );
    let first = [255, 254, 0, n][entropy.below(4)];
    let value = [255, 253, 1, n][entropy.below(4)];
    let runs = |separator: &str, from: usize| -> String {
        let run = |at: usize| format!("run p({})", (at + from) % n);
        (0..n).map(run).collect::<Vec<_>>().join(separator)
    };
    let runs_in_order = runs("; ", entropy.below(n));
    let start = match entropy.below(6) {
        0 => format!("active [N] proctype p() {{ byte mine = {value}; byte me = _pid; {body} }}"),
        1 => format!(
            "proctype p(byte me) {{ byte mine = {value}; {body} }} init {{ atomic {{ {runs_in_order} }} }}"
        ),
        2 => format!(
            "proctype p(byte me) {{ byte mine; {body} }} init {{ atomic {{ g = {value}; link!{first}; {runs_in_order} }} }}"
        ),
        3 => {
            format!("proctype p(byte me) {{ byte mine = g; {body} }} init {{ g = {value}; {runs_in_order} }}")
        }
        4 => format!(
            "proctype p(byte me) {{ byte mine; {body} }} init {{ byte i; atomic {{ link!{value}; for (i : 0 .. N-1) {{ run p(i) }} }} }}"
        ),
        _ => {
            let value = |at: usize| if entropy_bit(value, at) { value } else { at };
            let one = |at: usize| {
                format!(
                    "active proctype p{at}() {{ byte mine = 3; byte me; me = {at}; mine = {}; {body} }}",
                    value(at)
                )
            };
            (0..n).map(one).collect::<Vec<_>>().join("\n")
        }
    };
    format!("#define N {n}\nbyte g = {first}; byte flag[N]; chan link = [1] of {{ byte }};\n{start}")
}

fn entropy_bit(value: usize, at: usize) -> bool {
    value >> (at % 8) & 1 == 1
}

#[test]
fn random_programs_that_start_with_nobody_have_the_same_answers_and_futures() {
    let mut reduced = 0;
    for seed in 0..200_u64 {
        let text = random_start(&mut Entropy::seeded(seed, 60));
        let model = model_of(&text);
        if explore(&Interpreter::new(&model, &[]), 2000).is_none() {
            continue;
        }
        let (full, classes) = compare(&text);
        reduced += usize::from(classes < full);
    }
    assert!(reduced > 10, "only {reduced} programs have symmetry that shows");
}

/// What moves once, marks who it was and looks whether it was the one that is computed from nobody.
fn nobody(start: &str, question: &str, process: &str) -> String {
    format!(
        "#define N 3\n byte g{start}; bit a[N]; bit moved;
        {process} {{ atomic {{ !moved -> moved = 1; a[me] = 1 }}; assert({question}); do :: g == me -> skip od }}"
    )
}

#[test]
fn values_that_are_there_at_first_have_tables() {
    let runs = "init { atomic { run p(0); run p(1); run p(2) } }";
    for question in ["a[(g + 1) % N] == 0", "a[(g + 2) % N] == 0", "a[(g + 3) % N] == 0", "g - me != 254"] {
        compare(&format!("{} {runs}", nobody(" = 255", question, "proctype p(byte me)")));
        let written = runs.replace("atomic { run", "atomic { g = 255; run");
        compare(&format!("{} {written}", nobody("", question, "proctype p(byte me)")));
        // One after the other: there are states in which some run and others are still to come.
        let slowly = runs.replace("atomic { run", "g = 255; { run");
        compare(&format!("{} {slowly}", nobody("", question, "proctype p(byte me)")));
        let numbered = nobody(" = 255", question, "active [N] proctype p()").replace("me", "_pid");
        compare(&numbered);
    }
    // Nothing is computed from nobody: it does not spoil anything.
    let (full, classes) =
        compare(&format!("{} {runs}", nobody(" = 255", "a[me] == 1", "proctype p(byte me)")));
    assert!(classes < full, "{full} {classes}");
    // A name at the start does not either.
    let ring = "#define N 3\n byte g = 1; byte a[N];
        proctype p(byte me) { do :: atomic { g == me -> g = (g + 1) % N } :: a[me] = 1 - a[me] od }";
    let (full, classes) = compare(&format!("{ring} {runs}"));
    assert!(classes * 2 < full, "{full} {classes}");
}

#[test]
fn a_fault_may_have_a_name_in_its_words() {
    let text = "bit a[4]; bit b[2]; bit moved;
        proctype p(byte me) { atomic { !moved -> moved = 1; a[me] = 1 }; b[me] = 1; do :: a[me] == 2 -> skip od }
        init { atomic { run p(0); run p(1); run p(2); run p(3) } }";
    for order in [[0, 1, 2, 3], [1, 3, 0, 2], [3, 2, 1, 0]] {
        let runs: Vec<String> = order.iter().map(|at| format!("run p({at})")).collect();
        compare(&text.replace("run p(0); run p(1); run p(2); run p(3)", &runs.join("; ")));
    }
}

/// Clients with channels of their own, made by an `init` that ends or one that does not.
fn clients(end: &str) -> String {
    format!(
        "mtype = {{ req, ok }}; chan srv = [2] of {{ mtype, chan }};
        proctype client() {{ chan me = [1] of {{ mtype }}; do :: srv!req,me; me?ok od }}
        active proctype server() {{ chan who; do :: srv?req,who -> who!ok od }}
        init {{ atomic {{ run client(); run client(); run client() }} {end} }}"
    )
}

#[test]
fn channels_last_as_long_as_the_process_that_made_them() {
    let (full, classes) = compare(&clients(""));
    let (full_of_others, classes_of_others) = compare(&clients("; end: do :: false od"));
    assert!(classes * 4 < full, "{full} {classes}");
    // The end of init is a step more, that may come in any state once it is the youngest; here it never is.
    assert_eq!((full, classes), (full_of_others, classes_of_others));
}

fn described(text: &str) -> String {
    let model = model_of(text);
    let symmetry = Symmetry::new(&model, &[]);
    symmetry.map_or_else(String::new, |symmetry| symmetry.describe(&model).join("; "))
}

#[test]
fn what_is_told_apart_for_good_is_not_said_to_be_exchanged() {
    let runs = |last: u8| format!("init {{ atomic {{ run p(0); run p(0); run p({last}) }} }}");
    let thief = "bool lock; proctype p(bit bad) { do :: bad -> lock = 0 :: !lock -> lock = 1 od }";
    assert_eq!(described(&format!("{thief} {}", runs(0))), "3 processes of p, in any order");
    assert_eq!(described(&format!("{thief} {}", runs(1))), "2 processes of p, in any order");
    let line = "bit x[3]; proctype p(byte i) { do :: i > 0 -> x[i] = x[i - 1] od }
        init { atomic { run p(0); run p(1); run p(2) } }";
    assert!(described(line).starts_with("nothing: "), "{}", described(line));
    // Names that processes keep are what is exchanged.
    let names = line.replace("i > 0 -> x[i] = x[i - 1]", "x[i] = 1 - x[i]");
    assert!(described(&names).contains("3 processes of p"), "{}", described(&names));
    let last = clients("");
    assert!(described(&last).contains("3 processes of client"), "{}", described(&last));
    assert!(described(&last).contains("3 channels"), "{}", described(&last));
}

/// A model in which nothing can be exchanged has nothing to tell, whatever it keeps for good.
#[test]
fn a_model_without_anything_alike_has_no_symmetry_to_describe() {
    assert_eq!(
        described("byte a[2] = 7; byte x; active proctype p() { do :: x < 9 -> x++ :: x = a[0] od }"),
        ""
    );
    assert_eq!(
        described(
            "byte x; active proctype p() { chan c = [1] of { byte }; chan d = [1] of { byte }; c!1; d!x }"
        ),
        ""
    );
}
