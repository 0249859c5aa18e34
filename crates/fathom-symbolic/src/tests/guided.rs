//! Abstract distances and guided search against explicit states.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use fathom_model::{Interpreter, Model, NoRegion, PropertyId, Question, Steps, System};

use super::differential::model as promela;
use super::microwave::smv;
use crate::{
    AbstractDistances, CellDependencies, Composite, CompositeRelation, GuidedEnd, GuidedLimits, NoDistances,
    NoRelation, Partition, Room, guided_search,
};

/// The example of three bits of Bui (2009), section 3.3; 111 is the goal.
pub(crate) const THREE_BITS: &str = "
MODULE main
VAR x0 : boolean; x1 : boolean; x2 : boolean;
INIT !x0 & !x1 & !x2
TRANS
  (!x0 & !x1 & !x2 -> next(x0) & !next(x1) & !next(x2)) &
  (x0 & !x1 & !x2 -> next(x0) & !next(x1) & next(x2)) &
  (x0 & !x1 & x2 -> (!next(x0) & !next(x1) & !next(x2)) | (!next(x0) & next(x1) & next(x2)) | (next(x0) & next(x1) & !next(x2))) &
  (x0 & x1 & !x2 -> next(x0) & next(x1) & next(x2)) &
  (!x0 & x1 & x2 -> !next(x0) & next(x1) & !next(x2)) &
  (!x0 & x1 & !x2 -> !next(x0) & !next(x1) & next(x2)) &
  (!x0 & !x1 & x2 -> !next(x0) & !next(x1) & !next(x2)) &
  !(x0 & x1 & x2)
INVARSPEC !(x0 & x1 & x2)
";

/// The states of a model that can be reached, with their steps, and those with evidence about a property.
pub(crate) struct Explicit {
    pub successors: BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>>,
    pub evidence: BTreeSet<Vec<u8>>,
    pub initial: BTreeSet<Vec<u8>>,
}

impl Explicit {
    pub fn new(model: &Model, property: PropertyId) -> Explicit {
        let interpreter = Interpreter::new(model, &[property]);
        let (mut scratch, mut steps) = (interpreter.scratch(), Steps::new());
        interpreter.initial(&mut scratch, &mut steps);
        let initial: BTreeSet<Vec<u8>> = (0..steps.len()).map(|index| steps.state(index).to_vec()).collect();
        let mut waiting: VecDeque<Vec<u8>> = initial.iter().cloned().collect();
        let (mut successors, mut evidence) = (BTreeMap::new(), BTreeSet::new());
        while let Some(state) = waiting.pop_front() {
            if successors.contains_key(&state) {
                continue;
            }
            steps.clear();
            interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
            let next: BTreeSet<Vec<u8>> = (0..steps.len()).map(|index| steps.state(index).to_vec()).collect();
            waiting.extend(next.iter().cloned());
            if steps.findings().iter().any(|finding| finding.property == property) {
                evidence.insert(state.clone());
            }
            successors.insert(state, next);
        }
        Explicit { successors, evidence, initial }
    }

    /// The distance of every state to evidence; those that never come to it are missing.
    pub fn distances(&self) -> BTreeMap<Vec<u8>, u32> {
        let mut distances: BTreeMap<Vec<u8>, u32> =
            self.evidence.iter().map(|state| (state.clone(), 0)).collect();
        for distance in 1.. {
            let is_next = |(state, next): &(&Vec<u8>, &BTreeSet<Vec<u8>>)| {
                !distances.contains_key(*state) && next.iter().any(|next| distances.contains_key(next))
            };
            let layer: Vec<Vec<u8>> =
                self.successors.iter().filter(is_next).map(|(state, _)| state.clone()).collect();
            if layer.is_empty() {
                break;
            }
            distances.extend(layer.into_iter().map(|state| (state, distance)));
        }
        distances
    }

    /// Steps of the shortest trace.
    pub fn shortest(&self) -> Option<u32> {
        let distances = self.distances();
        self.initial.iter().filter_map(|state| distances.get(state)).min().copied()
    }
}

pub(crate) fn safety(model: &Model) -> Vec<PropertyId> {
    let is_safety = |id: &PropertyId| {
        let question = &model.properties[id.index()].question;
        question.is_safety() && !matches!(question, Question::RuntimeError)
    };
    (0..model.properties.len()).map(PropertyId::from).filter(is_safety).collect()
}

const ROOM: Room = Room { nodes: 1 << 20 };

/// Every database is a lower bound and consistent, and the search with it finds a shortest trace, or nothing where there is nothing.
fn compare(model: &Model, partition: &Partition, what: &str) {
    for property in safety(model) {
        let explicit = Explicit::new(model, property);
        let (distances, shortest) = (explicit.distances(), explicit.shortest());
        let composite = Composite::new(model, partition, &[property], ROOM);
        let relation = CompositeRelation::new(&composite, property, &mut |_, _| true).expect("a relation");
        let dependencies = CellDependencies::new(&relation).expect("room");
        let cells: Vec<String> = dependencies.cells().keys().cloned().collect();
        let some = |keeps: fn(usize) -> bool| -> Vec<String> {
            cells
                .iter()
                .enumerate()
                .filter(|(place, _)| keeps(*place))
                .map(|(_, name)| name.clone())
                .collect()
        };
        let keeping = |names: Vec<String>| {
            AbstractDistances::keeping(&relation, &names, &mut |_, _| true).expect("names of cells")
        };
        let databases = [
            AbstractDistances::none(&relation),
            keeping(Vec::new()),
            keeping(some(|place| place % 2 == 0)),
            keeping(some(|place| place % 3 == 1)),
            keeping(cells.clone()),
            AbstractDistances::chosen(&relation, &mut |_, _| true).expect("room"),
        ];
        let joined = databases[2].joined(&databases[3]).expect("room");
        for (number, database) in databases.iter().chain([&joined]).enumerate() {
            let what = format!("{what}, {}, database {number}", model.properties[property.index()].name);
            for (state, next) in &explicit.successors {
                let here = database.of(&relation, state).expect("room");
                let bound = |estimate: Option<u32>, truth: Option<&u32>| match (estimate, truth) {
                    (Some(estimate), Some(truth)) => estimate <= *truth,
                    (None, Some(_)) => false,
                    _ => true,
                };
                assert!(bound(here, distances.get(state)), "{what}: {here:?}");
                if number == databases.len() {
                    let of = |database: &AbstractDistances| database.of(&relation, state).expect("room");
                    let larger = of(&databases[2]).zip(of(&databases[3])).map(|(one, other)| one.max(other));
                    assert_eq!(here, larger, "{what}");
                }
                for next in next {
                    let there = database.of(&relation, next).expect("room");
                    let is_consistent = here.is_none_or(|here| there.is_none_or(|there| here <= there + 1));
                    assert!(
                        is_consistent && (here.is_some() || there.is_none()),
                        "{what}: {here:?} {there:?}"
                    );
                }
            }
            let found = guided_search(&relation, database, GuidedLimits::default(), &mut |_| true);
            match (found.end, shortest) {
                (GuidedEnd::Found(trace), Some(shortest)) => {
                    assert_eq!(trace.choices.len() as u32, shortest, "{what}");
                    let interpreter = Interpreter::new(model, &[property]);
                    fathom_search::replay(&interpreter, &trace).expect("the trace shows what it claims");
                }
                (GuidedEnd::Exhausted, None) => {}
                (end, shortest) => panic!("{what}: {end:?}, shortest {shortest:?}"),
            }
            if number == 4 && partition.sides().iter().all(|side| side.symbolic) {
                // With everything kept, distances are exact where evidence can be reached.
                for (state, distance) in &distances {
                    assert_eq!(database.of(&relation, state).expect("room"), Some(*distance), "{what}");
                }
            }
        }
    }
}

#[test]
fn the_three_bits_have_four_layers() {
    let (model, _) = smv(THREE_BITS);
    let property = *safety(&model).last().expect("an invariant");
    let composite = Composite::new(&model, &Partition::symbolic(&model), &[property], ROOM);
    let relation = CompositeRelation::new(&composite, property, &mut |_, _| true).expect("a relation");
    let size = relation.parts[0].bytes.len();
    let state = |bits: &str| {
        let mut state: Vec<u8> = bits.bytes().map(|bit| bit - b'0').collect();
        state.resize(size, 0);
        state
    };
    let keep = ["x0".to_owned(), "x1".to_owned()];
    let database = AbstractDistances::keeping(&relation, &keep, &mut |_, _| true).expect("cells");
    assert_eq!((database.n_layers(), database.largest(), database.n_bits()), (4, 3, 2));
    for (bits, distance) in [("11", 0), ("10", 1), ("00", 2), ("01", 3)] {
        for last in ["0", "1"] {
            let state = state(&format!("{bits}{last}"));
            assert_eq!(database.of(&relation, &state).expect("room"), Some(distance), "{bits}{last}");
        }
    }
    let set = |states: &[&str]| {
        let each = states.iter().map(|bits| relation.locate(&state(bits)).expect("room").expect("a part").1);
        each.reduce(|one, other| one.or(&other).expect("room")).expect("a state")
    };
    let image = relation.image(0, &set(&["010", "110"])).expect("room");
    assert_eq!(image[&0], set(&["001", "111"]));
    let split = database.split(0, &set(&["100", "011", "010"])).expect("room");
    assert_eq!(split, [(1, set(&["100"])), (3, set(&["011", "010"]))]);
    let unknown = AbstractDistances::keeping(&relation, &["y".to_owned()], &mut |_, _| true);
    assert_eq!(unknown.err(), Some(NoDistances::Unknown("y".to_owned())));
}

#[test]
fn distances_are_lower_bounds_and_traces_shortest_on_small_programs() {
    for text in [
        THREE_BITS,
        include_str!("../../../../examples/smv/microwave.smv"),
        include_str!("../../../../examples/smv/semaphore.smv"),
        include_str!("../../../../examples/smv/converter.smv"),
        "MODULE main
         VAR a : 0..5; b : 0..5; c : {red, green, blue};
         ASSIGN init(a) := {0, 1}; init(b) := 0; init(c) := red;
           next(a) := a < 5 ? {a, a + 1} : 0;
           next(b) := case c = blue & b < 5 : b + 1; c = red : 0; TRUE : b; esac;
           next(c) := case a = 5 : {green, blue}; TRUE : {c, red}; esac;
         INVARSPEC b < 3
         INVARSPEC a + b < 10
         INVARSPEC !(c = green & b = 5)
         INVARSPEC a < 6",
    ] {
        let (model, _) = smv(text);
        compare(&model, &Partition::symbolic(&model), text);
    }
}

#[test]
fn explicit_parts_have_distances_of_their_own() {
    let (model, _) = smv(include_str!("../../../../examples/smv/semaphore.smv"));
    for names in [&["taken"][..], &["one.state", "other.state"], &["taken", "one.state"]] {
        let partition = Partition::explicit(&model).with(names, true).expect("names");
        compare(&model, &partition, &format!("semaphore, {names:?}"));
    }
    let model = promela(
        "byte x; byte y; chan c = [1] of { byte };
         active proctype p() { do :: x < 4 -> x++ :: c!x od }
         active proctype q() { do :: c?y; assert(y != 3) od }",
    );
    for names in [&["y", "messages(c)"][..], &["x", "y", "messages(c)", "len(c)"], &["all"]] {
        let partition = Partition::explicit(&model).with(names, true).expect("names");
        compare(&model, &partition, &format!("two processes, {names:?}"));
    }
    // All values of x in explicit messages, and all of these in y.
    let partition = Partition::explicit(&model).with(&["x"], true).expect("a name");
    let composite = Composite::new(&model, &partition, &safety(&model), ROOM);
    let relation = CompositeRelation::new(&composite, safety(&model)[0], &mut |_, _| true);
    assert_eq!(relation.err(), Some(NoRelation::TooManyParts));
}

#[test]
fn without_distances_the_search_goes_by_layers() {
    let (model, _) = smv(include_str!("../../../../examples/smv/semaphore.smv"));
    let property = *safety(&model).last().expect("an invariant");
    let composite = Composite::new(&model, &Partition::symbolic(&model), &[property], ROOM);
    let relation = CompositeRelation::new(&composite, property, &mut |_, _| true).expect("a relation");
    let none = AbstractDistances::none(&relation);
    let search = |limits| guided_search(&relation, &none, limits, &mut |_| true);
    let found = search(GuidedLimits::default());
    let explicit = Explicit::new(&model, property);
    assert_eq!(found.end, GuidedEnd::Exhausted);
    assert_eq!(found.concrete_states, explicit.successors.len() as f64);
    // One set for each layer of a breadth-first search.
    let mut reached = explicit.initial.clone();
    let mut n_layers = 1;
    let mut last = explicit.initial.clone();
    loop {
        let next: BTreeSet<Vec<u8>> = last
            .iter()
            .flat_map(|state| &explicit.successors[state])
            .filter(|state| !reached.contains(*state))
            .cloned()
            .collect();
        if next.is_empty() {
            break;
        }
        reached.extend(next.iter().cloned());
        last = next;
        n_layers += 1;
    }
    assert_eq!((found.n_states, found.depth), (n_layers, n_layers - 1));
    let cut = search(GuidedLimits { max_depth: Some(1), ..GuidedLimits::default() });
    assert_eq!((cut.end, cut.depth), (GuidedEnd::DepthCut, 1));
    let cut = search(GuidedLimits { max_states: Some(2), ..GuidedLimits::default() });
    assert_eq!((cut.end, cut.n_states), (GuidedEnd::StatesCut, 2));
    let stopped = guided_search(&relation, &none, GuidedLimits::default(), &mut |now| now.n_states < 1);
    assert_eq!(stopped.end, GuidedEnd::Stopped);
}

#[test]
fn what_the_property_never_asks_for_is_weak() {
    let (model, _) = smv("MODULE main
         VAR goal : boolean; a : 0..3; b : 0..3; aside : 0..7; same : 0..3;
         ASSIGN init(goal) := FALSE; next(goal) := a = 3 & goal | a = 2; init(a) := 0;
           next(a) := b; init(b) := 0; next(b) := b + same - same < 3 ? {b, b + 1} : 0;
           init(aside) := 0; next(aside) := a; init(same) := 0; next(same) := {0, 1};
         INVARSPEC !goal");
    let property = *safety(&model).last().expect("an invariant");
    let composite = Composite::new(&model, &Partition::symbolic(&model), &[property], ROOM);
    let relation = CompositeRelation::new(&composite, property, &mut |_, _| true).expect("a relation");
    let dependencies = CellDependencies::new(&relation).expect("room");
    let layers: Vec<(String, u32)> = dependencies.layers().into_iter().collect();
    let expected = [("a", 1), ("b", 2), ("goal", 0)];
    assert_eq!(layers, expected.map(|(name, layer)| (name.to_owned(), layer)));
    assert_eq!(dependencies.strength("a"), 2);
    let ranked: Vec<String> = dependencies.ranked().into_iter().map(|(name, _)| name).collect();
    assert_eq!(ranked, ["goal", "a", "b"]);
    let chosen = AbstractDistances::chosen(&relation, &mut |_, _| true).expect("room");
    assert_eq!(chosen.kept(), ["a", "b", "goal"]);
    assert_eq!(chosen.of_start(&relation), Ok(Some(4)));
}
