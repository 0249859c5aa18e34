//! Random programs over objects: the quotient has as many states as permutations leave, and finds what the program has.

use std::collections::{BTreeSet, HashSet};

use fathom_model::{NoRegion, Steps, System};
use proptest::prelude::*;

use crate::data::Writer;
use crate::{Data, Map, Object, Program, ProgramSystem, Property, Seq, Set, Symmetry};

crate::sorts! { Thing }

type Thing1 = Object<Thing>;

/// How many objects there are.
const N: u32 = 3;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
struct State {
    marks: Map<Thing1, u8>,
    links: Map<Thing1, Thing1>,
    pairs: Set<(Thing1, Thing1)>,
    groups: Set<Set<Thing1>>,
    line: Seq<Thing1>,
    chosen: Option<Thing1>,
    by_mark: Map<u8, Set<Thing1>>,
}

/// When a rule can be used on two objects; it knows only which are the same.
#[derive(Clone, Debug)]
enum Guard {
    Marked(u8),
    Linked(bool),
    Paired(bool),
    Same(bool),
    Chosen(bool),
    InLine(bool),
}

/// What a rule does to two objects.
#[derive(Clone, Debug)]
enum Effect {
    Mark(u8),
    Link,
    Unlink,
    Pair,
    Group,
    Push,
    Pop,
    Choose,
    Forget,
    File(u8),
}

#[derive(Clone, Debug)]
struct Rules(Vec<(Vec<Guard>, Vec<Effect>)>);

impl Guard {
    fn is_open(&self, state: &State, one: Thing1, other: Thing1) -> bool {
        match *self {
            Guard::Marked(mark) => state.marks[&one] == mark,
            Guard::Linked(wanted) => (state.links.get(&one) == Some(&other)) == wanted,
            Guard::Paired(wanted) => state.pairs.contains(&(one, other)) == wanted,
            Guard::Same(wanted) => (one == other) == wanted,
            Guard::Chosen(wanted) => (state.chosen == Some(one)) == wanted,
            Guard::InLine(wanted) => state.line.contains(&one) == wanted,
        }
    }
}

impl Effect {
    fn apply(&self, state: &mut State, one: Thing1, other: Thing1) {
        match *self {
            Effect::Mark(mark) => state.marks.insert(one, mark),
            Effect::Link => state.links.insert(one, other),
            Effect::Unlink => drop(state.links.remove(&one)),
            Effect::Pair => drop(state.pairs.insert((one, other))),
            Effect::Group => drop(state.groups.insert(Set::from([one, other]))),
            Effect::Push if state.line.len() < 3 => state.line.push(one),
            Effect::Push => (),
            Effect::Pop => drop(state.line.pop_front()),
            Effect::Choose => state.chosen = Some(one),
            Effect::Forget => state.chosen = None,
            Effect::File(mark) => {
                let filed = state.by_mark.get(&mark).cloned().unwrap_or_default();
                state.by_mark.insert(mark, filed.with(one));
            }
        }
    }
}

impl Program for Rules {
    type State = State;
    type Action = (usize, Thing1, Thing1);

    fn initial(&self) -> Vec<State> {
        vec![State {
            marks: Object::first(N).map(|thing| (thing, 0)).collect(),
            links: Map::new(),
            pairs: Set::new(),
            groups: Set::new(),
            line: Seq::new(),
            chosen: None,
            by_mark: Map::new(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Self::Action>) {
        for (rule, (guards, _)) in self.0.iter().enumerate() {
            for one in Object::first(N) {
                for other in Object::first(N) {
                    if guards.iter().all(|guard| guard.is_open(state, one, other)) {
                        actions.push((rule, one, other));
                    }
                }
            }
        }
    }

    fn apply(&self, &(rule, one, other): &Self::Action, state: &mut State) {
        self.0[rule].1.iter().for_each(|effect| effect.apply(state, one, other));
    }

    fn properties(&self) -> Vec<Property<State>> {
        vec![
            Property::no_deadlock(),
            Property::always("no ring", |state: &State| {
                !state.links.iter().any(|(from, to)| from != to && state.links.get(to) == Some(from))
            }),
            Property::reach("full line", |state: &State| state.line.len() == 3 && state.pairs.len() >= 2),
        ]
    }
}

/// All states, and the properties there is evidence about; none when there are many states.
fn explore(system: &ProgramSystem<'_, Rules>, most: usize) -> Option<(HashSet<Vec<u8>>, BTreeSet<u32>)> {
    let (mut scratch, mut steps) = (system.scratch(), Steps::new());
    system.initial(&mut scratch, &mut steps);
    let mut pending = vec![steps.state(0).to_vec()];
    let (mut seen, mut found) = (HashSet::from([pending[0].clone()]), BTreeSet::new());
    while let Some(state) = pending.pop() {
        steps.clear();
        system.successors(&state, &NoRegion, &mut scratch, &mut steps);
        found.extend(steps.findings().iter().map(|finding| finding.property.0));
        for step in 0..steps.len() {
            if seen.insert(steps.state(step).to_vec()) {
                pending.push(steps.state(step).to_vec());
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    Some((seen, found))
}

/// The least of what a state looks like when its objects change names.
fn least(state: &State) -> Vec<u8> {
    const ORDERS: [[u32; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let renamed = |order: &[u32; 3]| {
        // By hand, so that nothing of what is tested is used.
        let name = |thing: Thing1| {
            Object::<Thing>::first(N).nth(order[index(thing)] as usize).expect("three objects")
        };
        let renamed = State {
            marks: state.marks.iter().map(|(thing, mark)| (name(*thing), *mark)).collect(),
            links: state.links.iter().map(|(from, to)| (name(*from), name(*to))).collect(),
            pairs: state.pairs.iter().map(|(one, other)| (name(*one), name(*other))).collect(),
            groups: state
                .groups
                .iter()
                .map(|group| group.iter().map(|thing| name(*thing)).collect())
                .collect(),
            line: state.line.iter().map(|thing| name(*thing)).collect(),
            chosen: state.chosen.map(name),
            by_mark: state
                .by_mark
                .iter()
                .map(|(mark, filed)| (*mark, filed.iter().map(|thing| name(*thing)).collect()))
                .collect(),
        };
        let mut bytes = Vec::new();
        renamed.write(&mut Writer::new(&mut bytes));
        bytes
    };
    ORDERS.iter().map(renamed).min().expect("six orders")
}

fn index(thing: Thing1) -> usize {
    Object::first(N).position(|other| other == thing).expect("one of three")
}

fn rules() -> impl Strategy<Value = Rules> {
    let guard = prop_oneof![
        (0..3_u8).prop_map(Guard::Marked),
        any::<bool>().prop_map(Guard::Linked),
        any::<bool>().prop_map(Guard::Paired),
        any::<bool>().prop_map(Guard::Same),
        any::<bool>().prop_map(Guard::Chosen),
        any::<bool>().prop_map(Guard::InLine),
    ];
    let effect = prop_oneof![
        (0..3_u8).prop_map(Effect::Mark),
        Just(Effect::Link),
        Just(Effect::Unlink),
        Just(Effect::Pair),
        Just(Effect::Group),
        Just(Effect::Push),
        Just(Effect::Pop),
        Just(Effect::Choose),
        Just(Effect::Forget),
        (0..2_u8).prop_map(Effect::File),
    ];
    let rule = (prop::collection::vec(guard, 1..4), prop::collection::vec(effect, 1..3));
    prop::collection::vec(rule, 1..5).prop_map(Rules)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn quotients_of_random_programs_have_one_state_for_each_class_and_the_same_findings(rules in rules()) {
        let plain = ProgramSystem::in_full(&rules, Symmetry::None);
        let Some((states, found)) = explore(&plain, 4000) else { return Ok(()) };
        let classes: BTreeSet<Vec<u8>> = states.iter().map(|state| least(&plain.state(state))).collect();
        for symmetry in [Symmetry::Canonical, Symmetry::Pairwise] {
            for system in [ProgramSystem::new(&rules, symmetry), ProgramSystem::in_full(&rules, symmetry)] {
                let (quotient, found_in_quotient) = explore(&system, 4000).expect("no more than the program");
                prop_assert_eq!(quotient.len(), classes.len());
                prop_assert_eq!(&found_in_quotient, &found);
                let represented: BTreeSet<Vec<u8>> =
                    quotient.iter().map(|state| least(&system.state(state))).collect();
                prop_assert_eq!(&represented, &classes);
            }
        }
    }

    #[test]
    fn what_was_written_is_read_again(rules in rules(), picks in prop::collection::vec(any::<usize>(), 0..12)) {
        let system = ProgramSystem::new(&rules, Symmetry::None);
        let mut state = rules.initial().remove(0);
        for pick in picks {
            let mut actions = Vec::new();
            rules.actions(&state, &mut actions);
            if actions.is_empty() {
                break;
            }
            rules.apply(&actions[pick % actions.len()], &mut state);
            let mut bytes = Vec::new();
            state.write(&mut Writer::new(&mut bytes));
            prop_assert_eq!(&State::read(&mut crate::Reader::new(&bytes)), &state);
        }
        drop(system);
    }
}
