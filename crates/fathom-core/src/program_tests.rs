//! Programs through the facade: verdicts, traces of quotients, formulas.

use fathom_model::{Answer, RunEnd};
use fathom_program::{Data, Map, Object, Program, Property, Symmetry, sorts};
use fathom_search::NoMonitor;
use fathom_source::SourceMap;

use crate::{
    Asked, CheckOptions, Engine, ProgramFormula, ProgramHuntOptions, ProgramTreeFormula, check_program,
    check_program_formula, check_program_tree_formula, hunt_program,
};

sorts! { Client }

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
enum Stage {
    Idle,
    Waits,
    Served,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
struct Office {
    clients: Map<Object<Client>, Stage>,
}

/// Clients that wait for a server; a careless one serves two at a time, and one that can stop does so.
struct Server {
    n: u32,
    is_careless: bool,
    can_stop: bool,
}

impl Program for Server {
    type State = Office;
    type Action = (Object<Client>, Stage);

    fn initial(&self) -> Vec<Office> {
        vec![Office { clients: Object::first(self.n).map(|client| (client, Stage::Idle)).collect() }]
    }

    fn actions(&self, office: &Office, actions: &mut Vec<Self::Action>) {
        let is_free = office.clients.values().all(|stage| *stage != Stage::Served);
        for (&client, stage) in office.clients.iter() {
            match stage {
                Stage::Idle => actions.push((client, Stage::Waits)),
                Stage::Waits if is_free || self.is_careless => actions.push((client, Stage::Served)),
                Stage::Waits => (),
                Stage::Served if self.can_stop => (),
                Stage::Served => actions.push((client, Stage::Idle)),
            }
        }
    }

    fn apply(&self, &(client, stage): &Self::Action, office: &mut Office) {
        office.clients.insert(client, stage);
    }

    fn properties(&self) -> Vec<Property<Office>> {
        let count = |office: &Office, stage| office.clients.values().filter(|other| **other == stage).count();
        vec![
            Property::no_deadlock(),
            Property::always("alone", move |office| count(office, Stage::Served) <= 1),
            Property::proposition("waiting", move |office| count(office, Stage::Waits) > 0),
            Property::proposition("serving", move |office| count(office, Stage::Served) > 0),
        ]
    }
}

fn answers(
    server: &Server,
    symmetry: Symmetry,
    engine: Engine,
    threads: usize,
) -> Vec<(Answer, Option<usize>)> {
    let properties = vec![0.into(), 1.into()];
    let options =
        CheckOptions { properties, engine, threads, continue_after_all: true, ..CheckOptions::default() };
    let report = check_program(server, symmetry, &options, &mut NoMonitor);
    let length = |verdict: &fathom_model::Verdict| verdict.trace.as_ref().map(|trace| trace.choices.len());
    report.verdicts.iter().map(|verdict| (verdict.answer, length(verdict))).collect()
}

#[test]
fn a_quotient_has_the_verdicts_and_the_shortest_traces_of_its_program() {
    let server = Server { n: 4, is_careless: true, can_stop: true };
    let plain = answers(&server, Symmetry::None, Engine::BreadthFirst, 1);
    assert_eq!(plain, [(Answer::Violated, Some(8)), (Answer::Violated, Some(4))]);
    for symmetry in [Symmetry::Canonical, Symmetry::Pairwise] {
        assert_eq!(answers(&server, symmetry, Engine::BreadthFirst, 1), plain);
        let deep = answers(&server, symmetry, Engine::DepthFirst, 1);
        assert!(deep.iter().all(|(answer, _)| *answer == Answer::Violated));
    }
    let good = Server { n: 4, is_careless: false, can_stop: false };
    for symmetry in [Symmetry::None, Symmetry::Canonical, Symmetry::Pairwise] {
        let found = answers(&good, symmetry, Engine::BreadthFirst, 2);
        assert!(found.iter().all(|found| *found == (Answer::Holds, None)));
    }
}

#[test]
fn a_hunt_finds_what_a_walk_or_a_pruned_search_can_find() {
    let server = Server { n: 6, is_careless: true, can_stop: false };
    let options = ProgramHuntOptions { properties: vec![1.into()], seed: 1, ..ProgramHuntOptions::default() };
    let hunted = hunt_program(&server, &options, &mut |_: &_, _: &[_]| None);
    assert_eq!(hunted.report.verdicts[0].answer, Answer::Violated);
    for engine in [Engine::Isr, Engine::Walk] {
        let options = CheckOptions { properties: vec![1.into()], engine, ..CheckOptions::default() };
        let report = check_program(&server, Symmetry::Canonical, &options, &mut NoMonitor);
        assert_eq!(report.verdicts[0].answer, Answer::Violated);
    }
}

fn formula(server: &Server, text: &str) -> (Answer, Option<(usize, Option<usize>)>, bool) {
    run_formula(server, Asked::Ltl, text)
}

fn run_formula(server: &Server, asked: Asked, text: &str) -> (Answer, Option<(usize, Option<usize>)>, bool) {
    let formula = ProgramFormula::read(asked, text, server, &mut SourceMap::new()).unwrap();
    let options = CheckOptions::default();
    let found = check_program_formula(server, 9.into(), &formula, &options, &mut NoMonitor);
    let trace = found.verdict.trace.map(|trace| (trace.choices.len(), trace.loop_at));
    (found.verdict.answer, trace, found.is_stuck)
}

#[test]
fn formulas_speak_of_propositions_by_name() {
    let server = Server { n: 2, is_careless: false, can_stop: false };
    assert_eq!(formula(&server, "[] alone").0, Answer::Holds);
    // One client may come and go for ever while the other waits, but someone is served.
    assert_eq!(formula(&server, "[] (waiting -> <> serving)").0, Answer::Holds);
    let (answer, trace, is_stuck) = formula(&server, "<> [] !waiting");
    assert_eq!(answer, Answer::Violated);
    assert!(trace.is_some_and(|(_, loop_at)| loop_at.is_some()) && !is_stuck);
    // The one that stops leaves the other waiting for ever.
    let stops = Server { can_stop: true, ..server };
    let (answer, trace, is_stuck) = formula(&stops, "[] (waiting -> <> !waiting)");
    assert_eq!(answer, Answer::Violated);
    assert!(trace.is_some_and(|(steps, loop_at)| steps == 3 && loop_at.is_none()) && is_stuck);
}

#[test]
fn patterns_and_the_property_specification_language_come_by_the_same_way() {
    let server = Server { n: 2, is_careless: false, can_stop: false };
    let stops = Server { can_stop: true, ..server };
    let psl = Asked::Psl(RunEnd::Stutter);
    // Whatever one formula says, so do the others.
    let same = [
        [
            "[] (waiting -> <> serving)",
            "always (waiting -> eventually! serving)",
            "response(waiting, serving)",
        ],
        [
            "[] (waiting -> <> !waiting)",
            "always (waiting -> eventually! !waiting)",
            "response(waiting, !waiting)",
        ],
        ["[] alone", "always alone", "universality(alone)"],
    ];
    let mut seen = Vec::new();
    for server in [&server, &stops] {
        for texts in same {
            let [(expected, ..), other, pattern] =
                [(Asked::Ltl, texts[0]), (psl, texts[1]), (Asked::Pattern, texts[2])]
                    .map(|(asked, text)| run_formula(server, asked, text));
            for (answer, trace, _) in [other, pattern] {
                assert_eq!(answer, expected, "{texts:?}");
                assert_eq!(answer == Answer::Violated, trace.is_some(), "{texts:?}");
            }
            seen.push(expected);
        }
    }
    assert!(seen.contains(&Answer::Holds) && seen.contains(&Answer::Violated));
    assert_eq!(
        run_formula(&server, psl, "always {waiting; serving} |-> {alone[*]; serving}").0,
        Answer::Holds
    );
    assert_eq!(run_formula(&server, psl, "always {serving} |=> {serving}").0, Answer::Violated);
    let neutral = Asked::Psl(RunEnd::Neutral);
    let said = ProgramFormula::read(neutral, "always alone", &server, &mut SourceMap::new()).unwrap_err();
    assert!(said[0].message.contains("expected --psl-end stutter, found neutral"), "{said:?}");
}

#[test]
fn fairness_constraints_leave_out_paths() {
    let server = Server { n: 2, is_careless: false, can_stop: false };
    let ask = |text: &str, fairness: &[&str]| {
        let fairness: Vec<String> = fairness.iter().map(|&text| text.to_owned()).collect();
        let formula = ProgramTreeFormula::read(text, &fairness, &server, &mut SourceMap::new()).unwrap();
        let options = CheckOptions::default();
        check_program_tree_formula(&server, 9.into(), &formula, &options, &mut NoMonitor).verdict.answer
    };
    assert_eq!(ask("EG waiting", &[]), Answer::Violated, "nobody waits at first");
    assert_eq!(ask("EF EG waiting", &[]), Answer::Holds);
    assert_eq!(ask("EF EG waiting", &["!waiting"]), Answer::Violated);
    assert_eq!(ask("AG AF !waiting", &[]), Answer::Violated);
    assert_eq!(ask("AG AF !waiting", &["!waiting"]), Answer::Holds);
    let fairness = ["EF waiting".to_owned()];
    let said = ProgramTreeFormula::read("AG alone", &fairness, &server, &mut SourceMap::new()).unwrap_err();
    assert_eq!(said[0].code, "ctl::fairness");
}

#[test]
fn names_that_a_program_does_not_have_are_pointed_at() {
    let server = Server { n: 2, is_careless: false, can_stop: false };
    let mut sources = SourceMap::new();
    let said = ProgramFormula::read(Asked::Ltl, "[] wating", &server, &mut sources).unwrap_err();
    assert!(said[0].message.contains("no proposition `wating`"), "{said:?}");
    assert!(format!("{said:?}").contains("there is `waiting`"), "{said:?}");
}

/// A long way, and as long a way aside at every place.
struct Trail;

impl Program for Trail {
    type State = (u8, u8);
    type Action = bool;

    fn initial(&self) -> Vec<(u8, u8)> {
        vec![(0, 0)]
    }

    fn actions(&self, &(on, aside): &(u8, u8), actions: &mut Vec<bool>) {
        actions.extend((on < 20).then_some(true));
        actions.extend((aside < 20).then_some(false));
    }

    fn apply(&self, goes_on: &bool, (on, aside): &mut (u8, u8)) {
        *if *goes_on { on } else { aside } += 1;
    }

    fn properties(&self) -> Vec<Property<(u8, u8)>> {
        vec![Property::reach("there", |(on, _): &(u8, u8)| *on == 20)]
    }

    fn distance(&self, (on, _): &(u8, u8)) -> Option<u32> {
        Some(20 - u32::from(*on))
    }
}

#[test]
fn distances_change_the_order_and_no_answer() {
    let check = |engine| {
        let options = CheckOptions { engine, properties: vec![0.into()], ..CheckOptions::default() };
        let report = check_program(&Trail, Symmetry::None, &options, &mut NoMonitor);
        assert_eq!(report.verdicts[0].answer, Answer::Holds);
        let trace = report.verdicts[0].trace.as_ref().expect("a witness");
        (trace.choices.len(), report.statistics.states)
    };
    let (steps, all) = check(Engine::BreadthFirst);
    for engine in [Engine::Best, Engine::AStar, Engine::BestDepthFirst, Engine::Beam, Engine::BranchAndBound]
    {
        let (length, states) = check(engine);
        assert!(
            length == steps || engine == Engine::BestDepthFirst && length > steps,
            "{engine:?}: {length}"
        );
        let is_guided_well = matches!(engine, Engine::Best | Engine::AStar | Engine::BestDepthFirst);
        assert!(!is_guided_well || states * 3 < all, "{engine:?}: {states} of {all}");
    }
}
