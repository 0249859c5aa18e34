//! Facts about reductions, each on a model of its own.

use fathom_core::model::{Answer, Model, PropertyId};
use fathom_core::search::{
    Meaning, NoMonitor, Options, Order, Outcome, breadth_first, breadth_first_parallel, depth_first_parallel,
    verdicts,
};
use fathom_core::source::MemoryLoader;
use fathom_core::{
    CheckOptions, Code, Engine, Language, Reductions, Report, check, default_properties, load,
};
use fathom_native::NativeSystem;
use fathom_reduce::{PartialOrder, Reduced};

fn model(text: &str) -> Model {
    let loader = MemoryLoader::new().with("m.pml", text);
    let loaded = load("m.pml", Language::Promela, &loader, &[]).expect("a file in memory");
    loaded.model.unwrap_or_else(|| panic!("refused: {:?}", loaded.diagnostics))
}

fn run(model: &Model, change: impl Fn(&mut CheckOptions)) -> Report {
    let mut options = CheckOptions {
        properties: default_properties(model),
        continue_after_all: true,
        reductions: Reductions::by_default(false),
        ..CheckOptions::default()
    };
    change(&mut options);
    check(model, &options, &mut NoMonitor)
}

fn answers(report: &Report) -> Vec<(PropertyId, Answer)> {
    report.verdicts.iter().map(|verdict| (verdict.property, verdict.answer)).collect()
}

const RING: &str = "
    chan q[3] = [2] of { byte };
    proctype node(chan inp, out; byte own) {
        byte n;
        out!own;
        do
        :: inp?n -> if :: n > own -> out!n :: n == own -> break :: else fi
        :: timeout -> break
        od;
        assert(n <= 3)
    }
    init { atomic { run node(q[0], q[1], 1); run node(q[1], q[2], 2); run node(q[2], q[0], 3) } }";

#[test]
fn counts_depend_on_the_model_alone() {
    let model = model(RING);
    let first = run(&model, |_| {});
    let full = run(&model, |options| options.reductions = Reductions::NONE);
    assert!(first.statistics.states < full.statistics.states);
    for engine in [Engine::BreadthFirst, Engine::DepthFirst] {
        for code in [Code::Native, Code::Interpreted] {
            let report = run(&model, |options| (options.engine, options.code) = (engine, code));
            assert_eq!(report.statistics.states, first.statistics.states);
            assert_eq!(report.statistics.transitions, first.statistics.transitions);
            assert_eq!(answers(&report), answers(&first));
            assert_eq!(report.code, code);
        }
    }
}

/// The searches are called directly, because a check uses one thread for a few states.
#[test]
fn counts_do_not_depend_on_threads() {
    let model = model(RING);
    let asked = default_properties(&model);
    let order = PartialOrder::new(&model, &asked).expect("it can be reduced");
    let native = NativeSystem::selective(&model, &asked).expect("native code");
    let reduced = Reduced::of(native, order);
    let options = Options { properties: asked.clone(), continue_after_all: true, ..Options::default() };
    let alone = breadth_first(&reduced, &options, &mut NoMonitor);
    let found = |outcome: &Outcome| {
        verdicts(outcome, |_| Meaning::Violation).iter().map(|verdict| verdict.answer).collect::<Vec<_>>()
    };
    for threads in [2, 3] {
        let outcomes = [
            breadth_first_parallel(&reduced, threads, &options, &mut NoMonitor),
            depth_first_parallel(&reduced, threads, Order::AsGiven, &options, &mut NoMonitor),
        ];
        for outcome in outcomes {
            assert_eq!(outcome.statistics.states, alone.statistics.states);
            assert_eq!(outcome.statistics.transitions, alone.statistics.transitions);
            assert_eq!(found(&outcome), found(&alone));
        }
    }
}

/// A fault ends its path: what others would have done behind it must be seen before.
#[test]
fn a_fault_hides_nothing() {
    let model = model(
        "byte zero;
         active proctype bad() { assert(true); byte x = 1 / zero }
         active proctype late() { byte n; n = 1; assert(n == 2) }",
    );
    let full = run(&model, |options| options.reductions = Reductions::NONE);
    assert_eq!(answers(&run(&model, |_| {})), answers(&full));
    assert_eq!(full.verdicts.iter().filter(|verdict| verdict.answer == Answer::Violated).count(), 2);
}

/// Somebody goes round for ever; the others still get their turn.
#[test]
fn nothing_is_put_off_for_ever() {
    let model = model(
        "active proctype busy() { byte n; do :: n = 1 - n od }
         active proctype late() { byte n; n = 1; assert(n == 2) }",
    );
    let reduced = run(&model, |_| {});
    assert!(reduced.verdicts.iter().any(|verdict| verdict.answer == Answer::Violated));
}

/// A loop that wraps comes back, one that stays below a bound does not.
#[test]
fn loops_that_count_to_a_bound_are_not_sticky() {
    let counting = "proctype p() { byte n; do :: n < 20 -> n++ :: else -> break od; assert(n == 20) }
                    init { atomic { run p(); run p(); run p() } }";
    let bounded = run(&model(counting), |_| {});
    assert!(bounded.statistics.states < 200, "{} states", bounded.statistics.states);
    let wrapping = model(
        "active proctype busy() { byte n; do :: n++ od }
         active proctype late() { byte n; n = 1; assert(n == 2) }",
    );
    let found = run(&wrapping, |_| {});
    assert!(found.verdicts.iter().any(|verdict| verdict.answer == Answer::Violated));
}

#[test]
fn an_array_that_is_only_written_is_not_kept_but_its_index_is_checked() {
    let text = |bound: u32| {
        format!("byte log[4]; active proctype p() {{ byte n; do :: n < {bound} -> log[n] = n; n++ :: else -> break od }}
                 active proctype q() {{ byte n; do :: n < 3 -> log[n] = 9 - n; n++ :: else -> break od }}")
    };
    let fine = model(&text(4));
    let sliced = run(&fine, |options| options.reductions = Reductions { slice: true, ..Reductions::NONE });
    let full = run(&fine, |options| options.reductions = Reductions::NONE);
    assert!(sliced.statistics.states < full.statistics.states);
    assert_eq!(answers(&sliced), answers(&full));
    let faulty = model(&text(5));
    let full = run(&faulty, |options| options.reductions = Reductions::NONE);
    assert!(full.verdicts.iter().any(|verdict| verdict.answer == Answer::Violated));
    assert_eq!(answers(&run(&faulty, |_| {})), answers(&full));
}

/// Where nothing can go wrong but a deadlock, steps may be put off for ever.
#[test]
fn only_models_that_can_go_wrong_are_watched_for_what_is_put_off() {
    let text = |assertion: &str| {
        format!(
            "active [3] proctype busy() {{ bit n; do :: n = 1 - n; {assertion} od }}
             active proctype late() {{ byte n; n = 1; n = 2 }}"
        )
    };
    let (harmless, watched) =
        (run(&model(&text("skip")), |_| {}), run(&model(&text("assert(n < 2)")), |_| {}));
    assert!(harmless.statistics.states < watched.statistics.states);
    let only_deadlock = run(&model(&text("assert(n < 2)")), |options| options.properties.truncate(1));
    assert!(only_deadlock.statistics.states < watched.statistics.states);
    // An index that may be out of range, and a division, are found behind such loops.
    for fault in ["byte a[2]; a[n] = 1", "n = 1 / (n - 3)"] {
        let model = model(&format!(
            "active proctype busy() {{ bit n; do :: n = 1 - n od }} active proctype late() {{ byte n = 3; {fault} }}"
        ));
        let violated =
            |report: &Report| report.verdicts.iter().any(|verdict| verdict.answer == Answer::Violated);
        assert!(violated(&run(&model, |options| options.reductions = Reductions::NONE)), "{fault}");
        assert!(violated(&run(&model, |_| {})), "{fault}");
    }
}
