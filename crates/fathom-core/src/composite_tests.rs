//! Checking under partitions gives the answers of checking without.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_hunt::ArmRow;
use fathom_model::{Answer, Model, PropertyId, Stop};
use fathom_search::{Monitor, NoMonitor, Progress};
use fathom_source::MemoryLoader;
use fathom_symbolic::Partition;

use crate::check::doubt;
use crate::{
    Asked, CheckOptions, Engine, HuntOptions, Language, Reductions, Report, check, default_properties, hunt,
    load,
};

fn load_smv(text: &str) -> Model {
    let loader = MemoryLoader::new().with("m.smv", text);
    load("m.smv", Language::Smv, &loader, &[]).unwrap().model.unwrap()
}

fn model(text: &str) -> Model {
    let loader = MemoryLoader::new().with("m.pml", text);
    load("m.pml", Language::Promela, &loader, &[]).unwrap().model.unwrap()
}

fn run(model: &Model, partition: Option<Partition>, engine: Engine, max_bytes: Option<u64>) -> Report {
    let options = CheckOptions {
        engine,
        partition,
        max_bytes,
        properties: default_properties(model),
        reductions: Reductions::NONE,
        continue_after_all: true,
        ..CheckOptions::default()
    };
    check(model, &options, &mut NoMonitor)
}

const PROGRAMS: [&str; 3] = [
    "byte x; byte y; chan c = [2] of { byte };
     active proctype p() { do :: x < 6 -> x++ :: c!x :: x = 0 od }
     active proctype q() { do :: c?y; assert(y + x != 9) od }",
    "unsigned n : 2 = 3; byte a[3]; unsigned i : 2;
     active proctype p() { do :: i < 3 -> a[i] = (a[i] + i) % 3; i = (a[i] + 1) % 4 :: n = n - 1; a[n] = 7 / n :: i = n od }",
    "byte turn; byte s; mtype = { yes, no }; mtype m = no;
     proctype w(byte k) { atomic { turn == k -> s = s + k; turn = k + 1 } }
     init { atomic { run w(0); run w(1); run w(2) }; s > 2; m = yes; s = s * s }",
];

fn partitions(model: &Model) -> Vec<Partition> {
    let all = Partition::symbolic(model);
    let names: Vec<String> = all.sides().iter().map(|side| side.name.clone()).collect();
    let some = |keep: fn(usize) -> bool| {
        let chosen: Vec<&str> =
            (0..names.len()).filter(|&place| keep(place)).map(|place| names[place].as_str()).collect();
        Partition::explicit(model).with(&chosen, true).unwrap()
    };
    vec![
        some(|place| place % 2 == 0),
        some(|place| place % 3 == 1),
        some(|place| place < 2),
        all,
        Partition::auto(model),
    ]
}

#[test]
fn complete_engines_agree_under_every_partition() {
    for text in PROGRAMS {
        let model = model(text);
        let plain = run(&model, None, Engine::BreadthFirst, None);
        for partition in partitions(&model) {
            let engines = [
                Engine::BreadthFirst,
                Engine::DepthFirst,
                Engine::Best,
                Engine::AStar,
                Engine::BestDepthFirst,
                // No layer is wider than the default width: nothing is left out.
                Engine::Beam,
            ];
            for engine in engines {
                let report = run(&model, Some(partition.clone()), engine, None);
                assert_eq!(report.stop, Stop::Exhausted);
                for (ours, theirs) in report.verdicts.iter().zip(&plain.verdicts) {
                    assert_eq!(
                        (ours.property, ours.answer),
                        (theirs.property, theirs.answer),
                        "{engine:?}\n{text}"
                    );
                    let length = |verdict: &fathom_model::Verdict| {
                        verdict.trace.as_ref().map(|trace| trace.choices.len())
                    };
                    if engine == Engine::BreadthFirst {
                        assert_eq!(length(ours), length(theirs), "shortest traces\n{text}");
                    }
                    assert_eq!(length(ours).is_some(), length(theirs).is_some());
                }
                if !partition.is_explicit() {
                    let composite = report.composite.as_ref().unwrap();
                    assert_eq!(
                        composite.concrete_states, plain.statistics.states as f64,
                        "{engine:?}\n{text}"
                    );
                    assert!(composite.explicit_parts <= report.statistics.states);
                }
            }
        }
    }
}

/// Where nothing is wrong in any state, the exploration for formulas says so; where something is, a search shows the way to it.
#[test]
fn one_exploration_answers_formulas_and_states_unless_something_is_found() {
    let mut n_found = 0;
    for text in PROGRAMS {
        let loader = MemoryLoader::new().with("m.pml", text);
        let mut loaded = load("m.pml", Language::Promela, &loader, &[]).unwrap();
        let states = default_properties(loaded.model.as_ref().unwrap());
        let formulas = [loaded.ask(Asked::Ctl, "EF (1 == 1)"), loaded.ask(Asked::Ltl, "[] <> (1 == 2)")];
        let model = loaded.model.as_ref().unwrap();
        let properties: Vec<PropertyId> =
            states.iter().copied().chain(formulas.map(|asked| asked.expect("a formula"))).collect();
        let ask = |partition: Option<Partition>| {
            let options = CheckOptions {
                partition,
                properties: properties.clone(),
                reductions: Reductions::NONE,
                ..CheckOptions::default()
            };
            check(model, &options, &mut NoMonitor)
        };
        let plain = ask(None);
        let mut was_found = false;
        for partition in partitions(model).into_iter().filter(|partition| !partition.is_explicit()) {
            let report = ask(Some(partition));
            for (ours, theirs) in report.verdicts.iter().zip(&plain.verdicts) {
                assert_eq!((ours.property, ours.answer), (theirs.property, theirs.answer), "{text}");
            }
            for place in 0..states.len() {
                let length =
                    |report: &Report| report.verdicts[place].trace.as_ref().map(|trace| trace.choices.len());
                assert_eq!(length(&report), length(&plain), "shortest traces\n{text}");
                was_found |= length(&report).is_some();
            }
            let of_states = if was_found { "bfs" } else { "symbolic" };
            assert!(report.engines[..states.len()].iter().all(|engine| *engine == Some(of_states)), "{text}");
            assert_eq!(report.engines[states.len()..], [Some("symbolic"); 2], "{text}");
            let composite = report.composite.as_ref().expect("composite states");
            if !was_found {
                assert!(report.searched_states && report.stop == Stop::Exhausted);
                assert_eq!(composite.concrete_states, plain.statistics.states as f64, "{text}");
            }
        }
        n_found += u32::from(was_found);
    }
    assert_eq!(n_found, 2, "the first two programs go wrong");
}

/// Texts in which steps, or initial states, end in an error, with what explicit states are known to say: answers in the order of the properties.
const ERRORS: [(&str, &[Answer]); 8] = {
    use Answer::{Holds, Violated};
    [
        // A state that no step leads out of repeats itself, whether it cannot move or its step ends in an error.
        (
            "MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := 1 / x;
             LTLSPEC FALSE LTLSPEC F x = 3 SPEC AF x = 3 SPEC EG x = 0",
            &[Holds, Holds, Violated, Violated, Violated, Violated, Holds],
        ),
        (
            "MODULE main VAR x : 0..3; i : boolean; ASSIGN init(x) := 1; next(x) := i ? 1 / x : 0 ;
             SPEC EF EG (x = 1 & i) SPEC AG EX TRUE SPEC AF x = 0",
            &[Holds, Holds, Violated, Violated, Holds, Violated],
        ),
        // The first value goes wrong, others do not.
        ("MODULE main VAR i : 0..3; INIT 6 / i > 2", &[Holds, Holds, Violated]),
        (
            "MODULE main VAR i : 0..6; j : 0..6; ASSIGN init(j) := 6 / i; INVARSPEC j != 6",
            &[Holds, Holds, Violated, Violated],
        ),
        // Initial values outside of the type.
        (
            "MODULE main VAR x : 0..3; ASSIGN init(x) := 7; next(x) := x; INVARSPEC x < 4",
            &[Holds, Violated, Holds, Holds],
        ),
        (
            "MODULE main VAR x : 2..5; ASSIGN init(x) := {0, 3}; next(x) := x; INVARSPEC x != 3",
            &[Holds, Violated, Holds, Violated],
        ),
        (
            "MODULE main VAR x : 0..3; ASSIGN init(x) := 4..6; next(x) := x; SPEC AG x = 0",
            &[Holds, Violated, Holds, Holds],
        ),
        (
            "MODULE main VAR x : 0..3; ASSIGN init(x) := 1; next(x) := 4..6; SPEC AG x < 2",
            &[Holds, Violated, Holds, Holds],
        ),
    ]
};

#[test]
fn what_goes_wrong_in_steps_and_at_the_start_is_the_same_on_sets() {
    for (text, expected) in ERRORS {
        let model = load_smv(text);
        let answers = |report: &Report| -> Vec<Answer> {
            report.verdicts.iter().map(|verdict| verdict.answer).collect()
        };
        assert_eq!(answers(&run(&model, None, Engine::BreadthFirst, None)), expected, "{text}");
        for partition in partitions(&model) {
            for engine in [Engine::BreadthFirst, Engine::DepthFirst, Engine::SymbolicGuided] {
                let report = run(&model, Some(partition.clone()), engine, None);
                assert_eq!(answers(&report), expected, "{engine:?}\n{text}");
            }
        }
    }
}

#[test]
fn sampled_engines_find_the_error_of_composite_states() {
    let model = model(PROGRAMS[0]);
    for partition in partitions(&model) {
        for (engine, guided) in
            [(Engine::Walk, false), (Engine::Isr, false), (Engine::Walk, true), (Engine::Isr, true)]
        {
            let mut options = CheckOptions {
                engine,
                partition: Some(partition.clone()),
                properties: default_properties(&model),
                max_depth: Some(200),
                threads: 1,
                ..CheckOptions::default()
            };
            options.guidance.walk.n_walks = 200;
            options.guidance.guided = guided;
            let report = check(&model, &options, &mut NoMonitor);
            let found = report.verdicts.iter().find(|verdict| verdict.answer == Answer::Violated);
            assert!(found.is_some_and(|verdict| verdict.trace.is_some()), "{engine:?}");
        }
    }
}

#[test]
fn a_narrow_beam_of_composite_states_proves_nothing() {
    let model = model(PROGRAMS[1]);
    for partition in partitions(&model) {
        let mut options = CheckOptions {
            engine: Engine::Beam,
            partition: Some(partition),
            properties: default_properties(&model),
            continue_after_all: true,
            ..CheckOptions::default()
        };
        options.guidance.beam_width = 1;
        let report = check(&model, &options, &mut NoMonitor);
        let is_complete = report.stop == Stop::Exhausted;
        let holds = report.verdicts.iter().any(|verdict| verdict.answer == Answer::Holds);
        assert!(is_complete || !holds, "{:?}", report.stop);
    }
}

/// The product of two unknown numbers of 32 bits has no small diagram.
#[test]
fn without_room_for_diagrams_the_answer_is_inconclusive() {
    let model = model(
        "int x = 1; int y = 1; active proctype p() { do :: x = x * 3 + y :: y = y * x + 5 :: x = y * y + x / (y + 1) od }",
    );
    let report = run(&model, Some(Partition::symbolic(&model)), Engine::BreadthFirst, Some(1 << 20));
    assert_eq!(report.stop, Stop::Memory);
    let holds = report.verdicts.iter().filter(|verdict| verdict.answer == Answer::Holds).count();
    assert_eq!(holds, 0, "nothing is claimed");
}

/// Three bytes that may be anything at the start: too many states to make, but one set.
#[test]
fn too_many_initial_states_prove_nothing_unless_they_are_a_set() {
    let text = "MODULE main
        VAR a : unsigned word[8]; b : unsigned word[8]; c : unsigned word[8];
        ASSIGN next(a) := a; next(b) := b; next(c) := c;
        INVARSPEC a + b = b + a
        INVARSPEC !(a = 0ud8_255 & b = 0ud8_255 & c = 0ud8_255)
        CTLSPEC AG (a <= 0ud8_255)";
    let loader = MemoryLoader::new().with("m.smv", text);
    let model = load("m.smv", Language::Smv, &loader, &[]).unwrap().model.unwrap();
    let properties: Vec<_> =
        default_properties(&model).into_iter().filter(|property| property.index() > 2).collect();
    let check_with = |partition: Option<Partition>| {
        let properties = properties.clone();
        check(&model, &CheckOptions { properties, partition, ..CheckOptions::default() }, &mut NoMonitor)
    };
    let answers =
        |report: &Report| -> Vec<Answer> { report.verdicts.iter().map(|verdict| verdict.answer).collect() };
    let symbolic = Partition::explicit(&model).with(&["a", "b", "c"], true).unwrap();
    let mut report = check_with(Some(symbolic));
    assert_eq!(answers(&report), [Answer::Holds, Answer::Violated, Answer::Holds]);
    doubt(&mut report, false, Stop::States);
    assert_eq!(answers(&report), [Answer::Inconclusive, Answer::Violated, Answer::Inconclusive]);
    assert_eq!(report.stop, Stop::States);
}

/// A step with more outcomes than can be listed: explicit states claim nothing, and sets of values hold them all.
#[test]
fn too_many_outcomes_of_a_step_prove_nothing_unless_they_are_a_set() {
    let text = "MODULE main
        IVAR i : unsigned word[23]; VAR w : boolean;
        ASSIGN init(w) := FALSE; next(w) := w | i = 0ud23_8388607;
        INVARSPEC !w";
    let loader = MemoryLoader::new().with("m.smv", text);
    let model = load("m.smv", Language::Smv, &loader, &[]).unwrap().model.unwrap();
    for (partition, expected) in
        [(None, Answer::Inconclusive), (Some(Partition::symbolic(&model)), Answer::Violated)]
    {
        let properties = vec![PropertyId::from(model.properties.len() - 1)];
        let options = CheckOptions { properties, partition, ..CheckOptions::default() };
        let report = check(&model, &options, &mut NoMonitor);
        assert_eq!(report.verdicts[0].answer, expected);
        assert!(report.verdicts[0].trace.is_none());
    }
    let properties = vec![PropertyId::from(model.properties.len() - 1)];
    let options = CheckOptions { properties, engine: Engine::Best, ..CheckOptions::default() };
    let guided = check(&model, &options, &mut NoMonitor);
    assert_eq!(guided.verdicts[0].answer, Answer::Inconclusive);
}

/// The same holds for a hunt: that there is more than can be listed is no error of the model.
#[test]
fn a_hunt_takes_no_long_list_for_an_error() {
    let model = load_smv(
        "MODULE main IVAR i : unsigned word[23]; VAR w : boolean; ASSIGN init(w) := FALSE; next(w) := w | i = 0ud23_8388607;",
    );
    let options =
        HuntOptions { properties: default_properties(&model), threads: 1, ..HuntOptions::default() };
    let found = hunt(&model, &options, &mut |_: &Progress, _: &[ArmRow]| None::<Stop>);
    assert!(found.report.verdicts.iter().all(|verdict| verdict.answer == Answer::Inconclusive));
    assert!(found.report.verdicts.iter().all(|verdict| verdict.trace.is_none()));
    assert!(found.found_by.iter().all(Option::is_none));
    assert_eq!(found.report.stop, Stop::States);
}

/// A flag that is set, and nobody who asks about it: lists end early, and only there.
struct Hurried;

impl Monitor for Hurried {
    fn poll(&mut self, _: &Progress) -> Option<Stop> {
        None
    }

    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        Some(Arc::new(AtomicBool::new(true)))
    }
}

/// Whoever follows the trace of a list that ended with the time finds the whole list: that is no evidence of anything, and no bug.
#[test]
fn a_list_that_ends_with_the_time_is_no_error_of_the_model() {
    let model = load_smv(
        "MODULE main IVAR i : unsigned word[12]; VAR w : boolean; ASSIGN init(w) := FALSE; next(w) := w | i = 0ud12_4095;",
    );
    for engine in [Engine::BreadthFirst, Engine::DepthFirst, Engine::Best, Engine::Walk] {
        let properties = default_properties(&model);
        let options = CheckOptions { properties, engine, ..CheckOptions::default() };
        let report = check(&model, &options, &mut Hurried);
        for verdict in &report.verdicts {
            assert_eq!(verdict.answer, Answer::Inconclusive, "{engine:?}");
            assert!(verdict.trace.is_none(), "{engine:?}");
        }
    }
}

/// Many choices, of which conditions between them leave few: only what is really left out counts.
#[test]
fn choices_that_are_cut_early_are_listed_whole() {
    let variables: String = (0..30).map(|number| format!("VAR x{number} : boolean; ")).collect();
    let equal: String = (1..30).map(|number| format!("INVAR x{number} = x{} ", number - 1)).collect();
    let text = format!("MODULE main {variables} {equal} INVARSPEC x0 = x29 INVARSPEC !x0");
    let loader = MemoryLoader::new().with("m.smv", text);
    let model = load("m.smv", Language::Smv, &loader, &[]).unwrap().model.unwrap();
    for partition in [None, Some(Partition::symbolic(&model))] {
        let properties: Vec<_> = (3..5).map(PropertyId::from).collect();
        let options = CheckOptions { properties, partition, ..CheckOptions::default() };
        let report = check(&model, &options, &mut NoMonitor);
        assert_eq!(report.verdicts[0].answer, Answer::Holds);
        assert_eq!(report.verdicts[1].answer, Answer::Violated);
        assert!(report.verdicts[1].trace.is_some());
    }
}

/// Formulas from outside are about the runs that the text calls fair.
#[test]
fn formulas_that_are_asked_know_the_fairness_of_the_text() {
    let text = "MODULE main IVAR go : boolean; VAR x : 0..3;
        ASSIGN init(x) := 0; next(x) := go & x < 3 ? x + 1 : x; FAIRNESS go;";
    for (fair, expected) in
        [(text.to_owned(), Answer::Holds), (text.replace("FAIRNESS go;", ""), Answer::Violated)]
    {
        for (asked, formula) in [(Asked::Ltl, "<> \"x = 3\""), (Asked::Ctl, "AF \"x = 3\"")] {
            let loader = MemoryLoader::new().with("m.smv", fair.as_str());
            let mut loaded = load("m.smv", Language::Smv, &loader, &[]).unwrap();
            let property = loaded.ask(asked, formula).expect("a formula");
            let options = CheckOptions { properties: vec![property], ..CheckOptions::default() };
            let report = check(loaded.model.as_ref().unwrap(), &options, &mut NoMonitor);
            assert_eq!(report.verdicts[0].answer, expected, "{formula}");
        }
    }
}

/// Whose time is over before anything began, but who is not asked: only the flag tells.
struct Late;

impl Monitor for Late {
    fn poll(&mut self, progress: &Progress) -> Option<Stop> {
        (progress.states == 0).then_some(Stop::Time)
    }

    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        Some(Arc::new(AtomicBool::new(true)))
    }
}

/// Whose time is over after some steps, with a while to show what was found, or without.
struct Ending {
    alarm: Arc<AtomicBool>,
    has_a_while: bool,
}

impl Monitor for Ending {
    fn poll(&mut self, progress: &Progress) -> Option<Stop> {
        let is_over = progress.transitions > 100;
        self.alarm.store(is_over, Ordering::Relaxed);
        is_over.then_some(Stop::Time)
    }

    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        Some(self.alarm.clone())
    }

    fn last_alarm(&self) -> Option<Arc<AtomicBool>> {
        self.has_a_while.then(|| Arc::new(AtomicBool::new(false)))
    }
}

/// What was found before the time was over is shown.
#[test]
fn what_is_found_is_not_lost_when_the_time_is_over() {
    let model = load_smv(
        "MODULE main VAR x : 0..5000; b : boolean; ASSIGN init(x) := 0; next(x) := x < 5000 ? x + 1 : x;
         INVARSPEC !(x = 3 & b) INVARSPEC x < 5000",
    );
    let partition = Partition::explicit(&model).with(&["b"], true).expect("a variable");
    for has_a_while in [true, false] {
        let options = CheckOptions {
            partition: Some(partition.clone()),
            properties: default_properties(&model),
            ..CheckOptions::default()
        };
        let mut monitor = Ending { alarm: Arc::new(AtomicBool::new(false)), has_a_while };
        let report = check(&model, &options, &mut monitor);
        assert_eq!(report.stop, Stop::Time);
        let [.., first, second] = &report.verdicts[..] else { panic!("two invariants") };
        let expected = if has_a_while { Answer::Violated } else { Answer::Inconclusive };
        assert_eq!((first.answer, second.answer), (expected, Answer::Inconclusive));
        assert_eq!(first.trace.as_ref().map(|trace| trace.choices.len()), has_a_while.then_some(3));
    }
}

/// Whose time is over just when something was found.
struct OverWhenFound(Ending);

impl Monitor for OverWhenFound {
    fn poll(&mut self, _: &Progress) -> Option<Stop> {
        self.0.alarm.load(Ordering::Relaxed).then_some(Stop::Time)
    }

    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        self.0.alarm()
    }

    fn last_alarm(&self) -> Option<Arc<AtomicBool>> {
        self.0.last_alarm()
    }

    fn found(&mut self) {
        self.0.alarm.store(true, Ordering::Relaxed);
    }
}

/// The walk that found something is walked again for its trace.
#[test]
fn a_time_that_is_over_between_evidence_and_its_trace_is_no_bug() {
    let model = model(
        "byte x, y; active proctype p() { do :: x < 9 -> x++ :: y++ od } active proctype q() { do :: assert(x < 9) od }",
    );
    for (engine, has_a_while) in
        [Engine::Walk, Engine::Isr].into_iter().flat_map(|of| [(of, true), (of, false)])
    {
        let options = CheckOptions {
            engine,
            partition: Some(Partition::symbolic(&model)),
            properties: default_properties(&model),
            ..CheckOptions::default()
        };
        let ending = Ending { alarm: Arc::new(AtomicBool::new(false)), has_a_while };
        let report = check(&model, &options, &mut OverWhenFound(ending));
        let expected = if has_a_while { Answer::Violated } else { Answer::Inconclusive };
        let assertion = &report.verdicts[1];
        assert_eq!((assertion.answer, assertion.trace.is_some()), (expected, has_a_while), "{engine:?}");
    }
}

/// A flag ends a search in the middle of an expansion, and nothing is claimed of what was not expanded.
#[test]
fn a_flag_ends_an_expansion_and_nothing_is_claimed() {
    for text in PROGRAMS {
        let model = model(text);
        let options = CheckOptions {
            partition: Some(Partition::symbolic(&model)),
            properties: default_properties(&model),
            reductions: Reductions::NONE,
            continue_after_all: true,
            ..CheckOptions::default()
        };
        let report = check(&model, &options, &mut Late);
        assert!(report.verdicts.iter().all(|verdict| verdict.answer == Answer::Inconclusive), "{text}");
        assert!(report.verdicts.iter().all(|verdict| verdict.stop == Stop::Time), "{text}");
    }
}
