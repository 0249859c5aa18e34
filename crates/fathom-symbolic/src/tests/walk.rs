//! Walks over diagrams: real, fair, and the same for the same seed.

use std::collections::{BTreeMap, BTreeSet};

use fathom_model::{Interpreter, Model, PropertyId};
use fathom_search::Random;

use super::guided::{Explicit, THREE_BITS, safety};
use super::microwave::smv;
use crate::{
    AbstractDistances, Chance, Composite, CompositeRelation, Partition, Room, SymbolicRepeats, SymbolicWalk,
    SymbolicWalkEnd, SymbolicWalkRules, SymbolicWalker,
};

/// Chances from a seed; a class weighs the number of layers less its distance, as in the source.
struct Dice {
    random: Random,
    n_layers: u32,
}

impl Chance for Dice {
    fn uniform(&mut self) -> f64 {
        self.random.below(1 << 53) as f64 / (1_u64 << 53) as f64
    }

    fn class(&mut self, classes: &[(u32, f64)]) -> usize {
        let weight = |distance: u32| u64::from(self.n_layers - distance);
        let total: u64 = classes.iter().map(|(distance, _)| weight(*distance)).sum();
        let mut rest = self.random.below(total as usize) as u64;
        for (index, (distance, _)) in classes.iter().enumerate() {
            match rest.checked_sub(weight(*distance)) {
                Some(left) => rest = left,
                None => return index,
            }
        }
        unreachable!("weights add up to the total")
    }
}

fn last_property(model: &Model) -> PropertyId {
    *safety(model).last().expect("an invariant")
}

fn with_relation<T>(text: &str, work: impl FnOnce(&Model, &CompositeRelation<'_, '_>) -> T) -> T {
    let (model, _) = smv(text);
    let property = last_property(&model);
    let composite =
        Composite::new(&model, &Partition::symbolic(&model), &[property], Room { nodes: 1 << 20 });
    let relation = CompositeRelation::new(&composite, property, &mut |_, _| true).expect("a relation");
    work(&model, &relation)
}

const COUNTERS: &str = "
MODULE main
VAR a : 0..5; b : 0..5; c : {red, green, blue};
ASSIGN init(a) := {0, 1}; init(b) := 0; init(c) := red;
  next(a) := a < 5 ? {a, a + 1} : 0;
  next(b) := case c = blue & b < 5 : b + 1; c = red : 0; TRUE : b; esac;
  next(c) := case a = 5 : {green, blue}; TRUE : {c, red}; esac;
INVARSPEC b < 3
";

fn walk(
    relation: &CompositeRelation<'_, '_>,
    distances: Option<&AbstractDistances>,
    trail: bool,
    seed: u64,
) -> SymbolicWalk {
    let n_layers = distances.map_or(1, AbstractDistances::n_layers);
    let mut dice = Dice { random: Random::new(seed), n_layers };
    let repeats = if trail { SymbolicRepeats::Avoid } else { SymbolicRepeats::Allow };
    let rules = SymbolicWalkRules { repeats, max_depth: Some(2000) };
    SymbolicWalker::new(relation, distances).walk(rules, &mut dice, &mut |_| true)
}

#[test]
fn walks_and_trails_are_made_of_steps_and_replay() {
    with_relation(COUNTERS, |model, relation| {
        let property = last_property(model);
        let explicit = Explicit::new(model, property);
        let interpreter = Interpreter::new(model, &[property]);
        let keep = ["b".to_owned(), "c".to_owned()];
        let distances = AbstractDistances::keeping(relation, &keep, &mut |_, _| true).expect("cells");
        let mut ends = BTreeSet::new();
        for seed in 0..60 {
            for (guide, trail) in
                [(None, false), (None, true), (Some(&distances), false), (Some(&distances), true)]
            {
                let made = walk(relation, guide, trail, seed);
                assert_eq!(made, walk(relation, guide, trail, seed), "the seed decides");
                assert!(explicit.initial.contains(&made.states[0]));
                for pair in made.states.windows(2) {
                    assert!(explicit.successors[&pair[0]].contains(&pair[1]));
                }
                let different: BTreeSet<&Vec<u8>> = made.states.iter().collect();
                assert!(!trail || different.len() == made.states.len(), "a trail never comes back");
                let last = &made.states[made.states.len() - 1];
                let is_evidence = explicit.evidence.contains(last);
                assert_eq!(made.end == SymbolicWalkEnd::Found, is_evidence);
                if made.end == SymbolicWalkEnd::Over {
                    // A maximal trail ends where all successors are on it; guided ones leave out what never leads to evidence.
                    let is_open = |state: &&Vec<u8>| !trail || !different.contains(state);
                    let is_alive = |state: &&Vec<u8>| match guide {
                        Some(distances) => distances.of(relation, state).expect("room").is_some(),
                        None => true,
                    };
                    assert!(
                        !explicit.successors[last].iter().any(|state| is_open(&state) && is_alive(&state))
                    );
                }
                if is_evidence {
                    let trace = relation.trace_of(&made).expect("a trace");
                    assert_eq!(trace.choices.len() + 1, made.states.len());
                    fathom_search::replay(&interpreter, &trace).expect("the trace shows what it claims");
                }
                ends.insert((trail, format!("{:?}", made.end)));
            }
        }
        assert!(ends.contains(&(true, "Found".to_owned())) && ends.contains(&(false, "Found".to_owned())));
        assert!(ends.contains(&(true, "Over".to_owned())), "some trails lead nowhere: {ends:?}");
    });
}

/// Pearson's statistic of counts against shares.
fn statistic(counts: &BTreeMap<Vec<u8>, f64>, shares: &[(Vec<u8>, f64)]) -> f64 {
    let (n, total): (f64, f64) = (counts.values().sum(), shares.iter().map(|(_, share)| share).sum());
    assert!(counts.keys().all(|state| shares.iter().any(|(known, _)| known == state)));
    let each = shares.iter().map(|(state, share)| {
        let expected = n * share / total;
        (counts.get(state).copied().unwrap_or(0.0) - expected).powi(2) / expected
    });
    each.sum()
}

#[test]
fn guided_choices_follow_the_weights_of_their_classes() {
    // From 101 to 000, 011 and 110, at distances 2, 3 and 0 of four layers: 2 to 1 to 4.
    with_relation(THREE_BITS, |_, relation| {
        let keep = ["x0".to_owned(), "x1".to_owned()];
        let distances = AbstractDistances::keeping(relation, &keep, &mut |_, _| true).expect("cells");
        let size = relation.parts[0].bytes.len();
        let state = |bits: [u8; 3]| {
            let mut state = bits.to_vec();
            state.resize(size, 0);
            state
        };
        let third = |guide: Option<&AbstractDistances>| {
            let mut counts: BTreeMap<Vec<u8>, f64> = BTreeMap::new();
            for seed in 0..4000 {
                *counts.entry(walk(relation, guide, false, seed * 7 + 1).states[3].clone()).or_default() +=
                    1.0;
            }
            counts
        };
        let shares = |weights: [f64; 3]| {
            [[0, 0, 0], [0, 1, 1], [1, 1, 0]].map(state).into_iter().zip(weights).collect::<Vec<_>>()
        };
        // Two degrees of freedom, one in a thousand.
        let guided = statistic(&third(Some(&distances)), &shares([2.0, 1.0, 4.0]));
        assert!(guided < 13.8, "{guided}");
        let unguided = statistic(&third(None), &shares([1.0, 1.0, 1.0]));
        assert!(unguided < 13.8, "{unguided}");
    });
}

#[test]
fn what_never_leads_to_evidence_is_no_successor_of_a_guided_walk() {
    let text = "MODULE main VAR a : 0..3; done : boolean;
        ASSIGN init(a) := 0; init(done) := FALSE;
          next(a) := case a = 0 : {1, 2, 3}; TRUE : a; esac; next(done) := a = 3 | done;
        INVARSPEC !done";
    with_relation(text, |model, relation| {
        let distances = AbstractDistances::chosen(relation, &mut |_, _| true).expect("room");
        // What stays at 1 or 2 never leads to the goal, and is no successor of a guided walk.
        for seed in 0..50 {
            let made = walk(relation, Some(&distances), false, seed);
            assert_eq!((made.end, made.states.len()), (SymbolicWalkEnd::Found, 3));
        }
        let explicit = Explicit::new(model, last_property(model));
        let mut counts: BTreeMap<Vec<u8>, f64> = BTreeMap::new();
        for seed in 0..3000 {
            let made = walk(relation, None, true, seed);
            *counts.entry(made.states[1].clone()).or_default() += 1.0;
        }
        let start = explicit.initial.iter().next().expect("a state");
        let shares: Vec<(Vec<u8>, f64)> =
            explicit.successors[start].iter().map(|state| (state.clone(), 1.0)).collect();
        assert_eq!(shares.len(), 3);
        assert!(statistic(&counts, &shares) < 13.8);
    });
}

#[test]
fn limits_end_walks() {
    with_relation(COUNTERS, |_, relation| {
        let rules = SymbolicWalkRules { max_depth: Some(3), ..SymbolicWalkRules::default() };
        let mut dice = Dice { random: Random::new(1), n_layers: 1 };
        let mut walker = SymbolicWalker::new(relation, None);
        let cut = walker.walk(rules, &mut dice, &mut |_| true);
        assert_eq!((cut.end, cut.states.len()), (SymbolicWalkEnd::Cut, 4));
        let stopped = walker.walk(rules, &mut dice, &mut |n_steps| n_steps < 2);
        assert_eq!((stopped.end, stopped.states.len()), (SymbolicWalkEnd::Stopped, 3));
        let rules = SymbolicWalkRules { repeats: SymbolicRepeats::End, max_depth: None };
        for _ in 0..50 {
            let made = walker.walk(rules, &mut dice, &mut |_| true);
            let (last, before) = made.states.split_last().expect("a state");
            let different: BTreeSet<&Vec<u8>> = before.iter().collect();
            assert_eq!(different.len(), before.len(), "it ends at the first state that comes again");
            assert_eq!(made.end == SymbolicWalkEnd::Over, before.contains(last));
        }
    });
}
