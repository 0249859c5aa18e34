//! Systems as networks of timed automata: run-time errors, states in the middle of transitions, and the same states as without clocks.

use fathom_model::{Fault, Steps, System};
use fathom_source::{SourceMap, render_text};
use fathom_timed::concrete::{Goal, TimedRun, check_run};
use fathom_timed::{Network, TimedProperty, TimedQuestion, ZoneOptions, ZoneSystem};

use super::lower_timed;
use super::tests::explore;
use crate::options::Options;
use crate::parse::parse_system;

/// A system as a network of timed automata.
pub(super) fn network_of(text: &str, defines: &[(&str, &str)]) -> (super::TimedSystem, SourceMap) {
    let mut sources = SourceMap::new();
    let file = sources.add("m.if", text);
    let system = parse_system(file, &sources).0;
    let defines: Vec<(String, String)> =
        defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let (lowered, said) = lower_timed(&system, "m.if", &sources, Options::from_defines(&defines).0);
    (lowered.unwrap_or_else(|| panic!("{}", render_text(&sources, &said, false))), sources)
}

/// The edges that are run-time errors, and what they are, and the number of states.
pub(super) type Faults = Vec<(Vec<(usize, usize)>, Fault)>;

pub(super) fn faults_of(network: &Network) -> (Faults, usize) {
    let fault = TimedProperty { name: String::new(), question: TimedQuestion::RuntimeError, span: None };
    found_in(network, fault)
}

/// What a search of all states finds for a property: the last edges, and the fault.
fn found_in(network: &Network, property: TimedProperty) -> (Faults, usize) {
    let zones = ZoneSystem::new(network, &[property], &[fathom_model::PropertyId(0)], ZoneOptions::default());
    let (mut scratch, mut steps) = (zones.scratch(), Steps::recording());
    let (mut seen, mut frontier, mut found) = (Vec::new(), Vec::new(), Vec::new());
    zones.initial(&mut scratch, &mut steps);
    loop {
        for finding in steps.findings() {
            let edges = steps.finding_labels(finding).last().map_or(Vec::new(), |last| last.edges.clone());
            found.push((edges, finding.fault.clone().unwrap_or(Fault::Assertion)));
        }
        for index in 0..steps.len() {
            let one = (steps.state(index).to_vec(), steps.region(index).clone());
            if !seen.contains(&one) {
                seen.push(one.clone());
                frontier.push(one);
            }
        }
        let Some((state, region)) = frontier.pop() else { return (found, seen.len()) };
        steps.clear();
        zones.successors(&state, &region, &mut scratch, &mut steps);
    }
}

#[test]
fn what_cannot_be_evaluated_at_the_start_is_a_run_time_error_after_no_step() {
    let state = |text: &str| {
        format!(
            "system s; type row = array[0..3] of integer; var h row; var x integer; process p(1); var t clock; {text} endprocess; endsystem;"
        )
    };
    let index = Fault::IndexOutOfRange { index: 9, length: 4 };
    for (guard, expected) in [
        ("provided 1 / x > 0;", Fault::DivisionByZero),
        ("provided x % x = 0;", Fault::DivisionByZero),
        ("provided h[x + 9] = 0;", index),
        ("deadline delayable; provided 1 / x > 0;", Fault::DivisionByZero),
        ("deadline lazy; provided 1 / x > 0;", Fault::DivisionByZero),
    ] {
        let (system, _) = network_of(&state(&format!("state a #start; {guard} nextstate a; endstate;")), &[]);
        let network = system.network();
        let (faults, n_states) = faults_of(network);
        assert_eq!((faults.len(), &faults[0].1, n_states), (1, &expected, 1), "{guard}");
        assert!(!faults[0].0.is_empty(), "{guard}");
        let run = TimedRun { initial: vec![0], scale: 1, steps: Vec::new(), last_delay: 0 };
        for (edges, fault) in &faults {
            assert!(check_run(network, &run, Goal::Fault(edges, fault)).is_ok(), "{guard}");
        }
    }
    // Nothing is taken here: it is the wait that is an error.
    let (system, _) = network_of(&state("state a #start; tpc 1 / x > 0; endstate;"), &[]);
    assert_eq!(faults_of(system.network()), (vec![(Vec::new(), Fault::DivisionByZero)], 1));
    let run = TimedRun { initial: vec![0], scale: 1, steps: Vec::new(), last_delay: 0 };
    let waits = |fault: &Fault| check_run(system.network(), &run, Goal::Fault(&[], fault)).is_ok();
    assert!(waits(&Fault::DivisionByZero) && !waits(&Fault::Assertion));
    // Who was told to end looks at nothing any more.
    let text = state(
        "state a #start; task x := 1; kill self; nextstate b; endstate; state b; provided 1 / (x - 1) > 0; nextstate b; endstate;",
    );
    assert_eq!(faults_of(network_of(&text, &[]).0.network()).0, []);
}

/// Whether a state of a network that is a state of the system satisfies a condition.
pub(super) fn network_reaches(text: &str, defines: &[(&str, &str)], condition: &str) -> bool {
    let (system, mut sources) = network_of(text, defines);
    let file = sources.add("c", condition);
    let parsed = crate::parse::parse_expression(file, &sources).0.expect("a condition");
    let wanted = system.between(system.conjuncts(&parsed, true).expect("a condition"));
    let asked = TimedProperty { name: String::new(), question: TimedQuestion::Reach(wanted), span: None };
    !found_in(system.network(), asked).0.is_empty()
}

#[test]
fn who_waits_in_the_middle_of_a_transition_is_in_a_state_of_the_system() {
    let waits = |wanted: u32| {
        format!(
            "system s; var x integer; var y integer;
             process p(1); state a #start; task y := 7; nextstate b; endstate;
             state b #unstable; provided x = {wanted}; nextstate c; endstate; state c; endstate; endprocess;
             process q(1); var t clock; state a #start; provided y = 7 and x < 2; task x := x + 1; nextstate a; endstate;
             endprocess; endsystem;"
        )
    };
    for (wanted, reached) in [(2, true), (3, false)] {
        for condition in ["y = 7 and x = 0", "y = 7 and x = 1", "x = 2 and p@b"] {
            assert!(network_reaches(&waits(wanted), &[], condition), "{condition}");
        }
        assert_eq!(network_reaches(&waits(wanted), &[], "p@c"), reached);
        explore(&waits(wanted).replace("var t clock;", ""), &[]);
    }
    // The second signal finds no room until the first is taken.
    let blocks = "system s; var x integer; var y integer; signal m(); signalroute r(1) from p to q with m;
         process p(1); var t clock; state a #start; task y := 1; output m(); task y := 7; output m(); task y := 9; nextstate c;
         endstate; state c; endstate; endprocess;
         process q(1); state a #start; provided x < 3 and y >= 7; task x := x + 1; nextstate a;
         provided x = 3; input m(); task x := 4; nextstate b; endstate; state b; endstate; endprocess; endsystem;";
    let defines = [("if_queue", "1"), ("if_overflow", "block")];
    for condition in ["x = 0 and y = 7", "x = 3", "x = 4 and y = 7", "y = 9"] {
        assert!(network_reaches(blocks, &defines, condition), "{condition}");
    }
    assert!(!network_reaches(blocks, &defines, "x = 1 and y = 1"));
    explore(&blocks.replace("var t clock;", ""), &defines);
}

/// Numbers that look random (Marsaglia's xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }

    fn statement(&mut self, variables: &[&str]) -> String {
        let (one, other) = (self.one_of(variables), self.one_of(variables));
        match self.below(6) {
            0 => format!("task {one} := ({one} + 1) % 3;"),
            1 => format!("task {one} := {other};"),
            2 => "output m();".to_owned(),
            3 => format!("if {one} = {other} then output m(); else task {one} := 1; endif"),
            4 => "output n();".to_owned(),
            _ => format!("task {one} := {};", self.below(3)),
        }
    }

    /// A process with a start state and three others, some of them unstable.
    fn process(&mut self, name: &str) -> String {
        let variables = ["x", "y"];
        let mut text = format!("process {name}(1); ");
        for state in ["a", "b", "c", "d"] {
            let mark = if state == "a" { "#start" } else { self.one_of(&["", "#unstable", "#unstable"]) };
            text += &format!("state {state} {mark}; ");
            for _ in 0..=self.below(2) {
                let (variable, op) = (self.one_of(&variables), self.one_of(&["=", "<>", "<"]));
                let guard = format!("provided {variable} {op} {};", self.below(3));
                let input = self.one_of(&["", "", "input m();", "input n();"]);
                let body: Vec<String> = (0..self.below(3)).map(|_| self.statement(&variables)).collect();
                let (body, target) = (body.join(" "), self.one_of(&["a", "b", "c", "d"]));
                text += &format!("{guard} {input} {body} nextstate {target}; ");
            }
            text += "endstate; ";
        }
        text + "endprocess; "
    }

    fn system(&mut self) -> String {
        let processes: String = ["p", "q"].iter().map(|name| self.process(name)).collect();
        format!(
            "system s; type three = range 0..2; var x three; var y three; signal m(); signal n();
             signalroute r(1) from p to q with m, n; signalroute b(1) from q to p with m, n; {processes} endsystem;"
        )
    }
}

#[test]
fn random_systems_have_the_same_states_as_a_network() {
    let mut n_compared = 0;
    for seed in 1..200_u64 {
        let text = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).system();
        for overflow in ["block", "drop"] {
            let defines = [("if_queue", "1"), ("if_overflow", overflow)];
            // What is compared is the number of states, in there.
            let explored = explore(&text, &defines);
            n_compared += usize::from(explored.violated.iter().all(|name| name == "deadlock"));
        }
    }
    assert!(n_compared > 300, "{n_compared}");
}
