//! Programs and their quotients, explored without an engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fathom_model::{Fault, NoRegion, Steps, System};

use crate::data::{Data, Shown};
use crate::{
    Drawing, Map, Object, Parts, Place, Program, ProgramSystem, Property, Set, StateReader, Symmetry,
};

crate::sorts! { Philosopher, Fork, Side, Color }

/// Three times nothing, or a colour on each side; sides and colours may have names or not.
struct Triangle {
    sides_have_names: bool,
    colours_have_names: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Painted {
    sides: Map<Object<Side>, Object<Color>>,
    names: Seq2,
}

/// Names that make objects different for good.
type Seq2 = (crate::Seq<Object<Side>>, crate::Seq<Object<Color>>);

impl Data for Painted {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = true;

    fn write(&self, out: &mut crate::Writer<'_>) {
        self.sides.write(out);
        self.names.write(out);
    }

    fn read(input: &mut crate::Reader<'_>) -> Painted {
        Painted { sides: Data::read(input), names: Data::read(input) }
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        let parts = drawing.open(place);
        self.sides.draw_objects(parts.part(0), drawing);
        self.names.draw_objects(parts.part(1), drawing);
        drawing.close(place);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sides.show(out)
    }

    fn write_state(&self, parts: &mut Parts<'_>) {
        parts.write(&self.sides);
        parts.write(&self.names);
    }

    fn read_state(parts: &mut StateReader<'_>) -> Painted {
        Painted { sides: parts.read(), names: parts.read() }
    }
}

impl Program for Triangle {
    type State = Painted;
    type Action = (Object<Side>, Object<Color>);

    fn initial(&self) -> Vec<Painted> {
        let sides = Object::first(3).filter(|_| self.sides_have_names).collect();
        let colours = Object::first(2).filter(|_| self.colours_have_names).collect();
        vec![Painted { sides: Map::new(), names: (sides, colours) }]
    }

    fn actions(&self, state: &Painted, actions: &mut Vec<Self::Action>) {
        let free = Object::first(3).filter(|side| !state.sides.contains_key(side));
        actions.extend(free.flat_map(|side| Object::first(2).map(move |colour| (side, colour))));
    }

    fn apply(&self, &(side, colour): &Self::Action, state: &mut Painted) {
        state.sides.insert(side, colour);
    }

    fn may_end(&self, _: &Painted) -> bool {
        true
    }
}

/// Who sits where, which stage each is in, and which forks are taken.
type Table =
    (Map<Object<Philosopher>, (Object<Fork>, Object<Fork>)>, Map<Object<Philosopher>, u8>, Set<Object<Fork>>);

struct Philosophers(u32);

impl Program for Philosophers {
    type State = Table;
    type Action = Object<Philosopher>;

    fn initial(&self) -> Vec<Table> {
        let seats = Object::first(self.0)
            .zip(0..)
            .map(|(who, at)| (who, (Object::number(at), Object::number((at + 1) % self.0))));
        vec![(seats.collect(), Object::first(self.0).map(|who| (who, 0)).collect(), Set::new())]
    }

    fn actions(&self, (seats, stages, taken): &Table, actions: &mut Vec<Self::Action>) {
        actions.extend(stages.iter().filter_map(|(who, stage)| {
            let (left, right) = &seats[who];
            let can = match stage {
                0 => !taken.contains(left),
                1 => !taken.contains(right),
                _ => true,
            };
            can.then_some(*who)
        }));
    }

    fn apply(&self, who: &Self::Action, (seats, stages, taken): &mut Table) {
        let (left, right) = seats[who];
        let stage = stages[who];
        match stage {
            0 => drop(taken.insert(left)),
            1 => drop(taken.insert(right)),
            2 => drop(taken.remove(&left)),
            _ => drop(taken.remove(&right)),
        }
        stages.insert(*who, (stage + 1) % 4);
    }

    fn properties(&self) -> Vec<Property<Table>> {
        vec![Property::no_deadlock()]
    }
}

/// All states, steps and deadlocks.
fn explore<P: Program>(system: &ProgramSystem<'_, P>) -> (BTreeSet<Vec<u8>>, usize, usize) {
    let mut scratch = system.scratch();
    let mut steps = Steps::new();
    system.initial(&mut scratch, &mut steps);
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut pending: Vec<Vec<u8>> = (0..steps.len()).map(|step| steps.state(step).to_vec()).collect();
    seen.extend(pending.iter().cloned());
    let (mut n_steps, mut n_findings) = (0, 0);
    while let Some(state) = pending.pop() {
        steps.clear();
        system.successors(&state, &NoRegion, &mut scratch, &mut steps);
        n_steps += steps.len();
        n_findings += steps.findings().len();
        for step in 0..steps.len() {
            let next = steps.state(step).to_vec();
            if seen.insert(next.clone()) {
                pending.push(next);
            }
        }
    }
    (seen, n_steps, n_findings)
}

#[test]
fn a_triangle_has_27_colourings_or_6_or_10_or_14() {
    // Ernits (2007): with sides and colours interchangeable, only sides, only colours.
    let count = |sides_have_names, colours_have_names, symmetry| {
        let program = Triangle { sides_have_names, colours_have_names };
        explore(&ProgramSystem::new(&program, symmetry)).0.len()
    };
    assert_eq!(count(false, false, Symmetry::None), 27);
    assert_eq!(count(false, false, Symmetry::Canonical), 6);
    assert_eq!(count(false, true, Symmetry::Canonical), 10);
    assert_eq!(count(true, false, Symmetry::Canonical), 14);
    assert_eq!(count(true, true, Symmetry::Canonical), 27);
}

#[test]
fn philosophers_have_as_many_classes_as_rings_can_be_turned() {
    // Ernits (2007), recomputed as orbits under rotation.
    let classes = [(2, 5), (3, 10), (4, 23), (5, 50), (6, 129), (7, 314), (8, 833)];
    for (n, expected) in classes {
        let program = Philosophers(n);
        let (plain, n_steps, n_stuck) = explore(&ProgramSystem::new(&program, Symmetry::None));
        assert_eq!(plain.len(), 3_usize.pow(n) - 1);
        assert_eq!(n_stuck, 1);
        let edges: BTreeMap<u32, usize> = BTreeMap::from([(2, 10), (3, 51), (4, 212), (5, 805), (6, 2910)]);
        assert!(edges.get(&n).is_none_or(|&expected| expected == n_steps));
        for symmetry in [Symmetry::Canonical, Symmetry::Pairwise] {
            let (quotient, _, n_stuck) = explore(&ProgramSystem::new(&program, symmetry));
            assert_eq!(quotient.len(), expected, "{n} philosophers");
            assert_eq!(n_stuck, 1);
        }
    }
}

#[test]
fn states_in_full_are_as_many_as_states_by_number() {
    let program = Philosophers(5);
    for symmetry in [Symmetry::None, Symmetry::Canonical] {
        let (by_number, ..) = explore(&ProgramSystem::new(&program, symmetry));
        let (in_full, ..) = explore(&ProgramSystem::in_full(&program, symmetry));
        assert_eq!(by_number.len(), in_full.len());
    }
}

#[test]
fn states_are_shown_as_people_write_them() {
    let state = &Philosophers(2).initial()[0];
    assert_eq!(
        Shown(state).to_string(),
        "({Philosopher#0 -> (Fork#0, Fork#1), Philosopher#1 -> (Fork#1, Fork#0)}, \
         {Philosopher#0 -> 0, Philosopher#1 -> 0}, {})"
    );
}

/// Counts down and fails when there is nothing left to count.
struct Countdown;

impl Program for Countdown {
    type State = u8;
    type Action = u8;

    fn initial(&self) -> Vec<u8> {
        vec![3]
    }

    fn actions(&self, _: &u8, actions: &mut Vec<u8>) {
        actions.push(1);
    }

    fn apply(&self, _: &u8, _: &mut u8) {
        unreachable!("an action that may fail is tried");
    }

    fn try_apply(&self, step: &u8, state: &mut u8) -> Result<(), Fault> {
        let below = || Fault::Raised { message: "below zero".to_string() };
        *state = state.checked_sub(*step).ok_or_else(below)?;
        Ok(())
    }

    fn properties(&self) -> Vec<Property<u8>> {
        vec![Property::no_deadlock(), Property::no_fault()]
    }
}

#[test]
fn an_action_that_fails_is_a_finding_and_no_step() {
    let system = &ProgramSystem::new(&Countdown, Symmetry::None);
    let (states, n_steps, n_findings) = explore(system);
    assert_eq!((states.len(), n_steps, n_findings), (4, 3, 1));
    let mut steps = Steps::recording();
    system.successors(&[0], &NoRegion, &mut system.scratch(), &mut steps);
    let finding = &steps.findings()[0];
    assert_eq!(finding.property, fathom_model::PropertyId::from(1_usize));
    assert_eq!(finding.fault.as_ref().map(ToString::to_string).as_deref(), Some("below zero"));
}

#[test]
fn programs_are_seen_to_ask_for_names_or_not() {
    let triangle = Triangle { sides_have_names: false, colours_have_names: false };
    assert!(!ProgramSystem::in_full(&triangle, Symmetry::Canonical).asks_for_names());
    assert!(!ProgramSystem::in_full(&Philosophers(4), Symmetry::Canonical).asks_for_names());
    let first = ProgramSystem::in_full(&FirstOfAll, Symmetry::Canonical);
    assert!(first.asks_for_names());
    assert!(!ProgramSystem::in_full(&FirstOfAll, Symmetry::None).asks_for_names());
}

#[test]
fn a_program_that_says_that_it_may_ask_for_names_is_looked_at_in_every_state() {
    let unfit = |may_ask: bool, symmetry: Symmetry| {
        let program = Late { may_ask };
        let system = ProgramSystem::new(&program, symmetry);
        explore(&system);
        (system.asks_for_names(), system.was_unfit())
    };
    assert_eq!(unfit(true, Symmetry::Canonical), (false, true));
    assert_eq!(unfit(true, Symmetry::Pairwise), (false, true));
    assert_eq!(unfit(true, Symmetry::None), (false, false));
    assert_eq!(unfit(false, Symmetry::Canonical), (false, false));
}

/// An object of three is marked after some time; then it is told whether that was the first.
struct Late {
    may_ask: bool,
}

impl Program for Late {
    type State = (Map<Object<Side>, bool>, u16);
    type Action = Option<Object<Side>>;

    fn initial(&self) -> Vec<Self::State> {
        vec![(Object::first(3).map(|side| (side, false)).collect(), 0)]
    }

    fn actions(&self, (marks, time): &Self::State, actions: &mut Vec<Self::Action>) {
        match time {
            0..600 | 601 => actions.push(None),
            600 => actions.extend(marks.keys().map(|side| Some(*side))),
            _ => (),
        }
    }

    fn apply(&self, action: &Self::Action, (marks, time): &mut Self::State) {
        *time += 1;
        match action {
            Some(side) => marks.insert(*side, true),
            None if *time < 602 => (),
            None => *time += u16::from(marks.values().next() == Some(&true)),
        }
    }

    fn may_ask_for_names(&self) -> bool {
        self.may_ask
    }
}

/// Objects with marks, of which the one with the least number says what happens.
struct FirstOfAll;

impl Program for FirstOfAll {
    type State = (Map<Object<Side>, u8>, u8);
    type Action = u8;

    fn initial(&self) -> Vec<Self::State> {
        vec![(Map::new(), 0)]
    }

    fn actions(&self, (marks, told): &Self::State, actions: &mut Vec<u8>) {
        match (marks.len(), told) {
            (0 | 1, 0) => actions.extend([1, 2]),
            (_, 0) => actions.push(0),
            _ => (),
        }
    }

    fn apply(&self, mark: &u8, (marks, told): &mut Self::State) {
        match mark {
            0 => *told = *marks.values().next().unwrap_or(&0),
            &mark => marks.insert(Object::number(marks.len() as u32), mark),
        }
    }
}
