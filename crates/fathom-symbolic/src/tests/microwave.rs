//! The microwave oven under all partitions of its four variables: the same sets of states for every formula, and as many explicit parts and steps as there must be.
//!
//! What is expected was computed without diagrams from the transition system of Clarke, Grumberg and Peled (1999); the sets for `EX (!close | error)` are printed by da Costa (2005) as well.

use std::collections::BTreeSet;

use fathom_logic::{CtlFormulas, PropositionId, Propositions, parse_ctl_text};
use fathom_model::{CtlProperty, Expr, Model};
use fathom_source::SourceMap;

use crate::{Composite, CompositeGraph, CompositeLabels, Partition, Room};

const OVEN: &str = include_str!("../../../../examples/smv/microwave.smv");
const VARIABLES: [&str; 4] = ["start", "close", "heat", "error"];
/// States 1 to 7 as start, close, heat, error.
const STATES: [[u8; 4]; 7] =
    [[0, 0, 0, 0], [1, 0, 0, 1], [0, 1, 0, 0], [0, 1, 1, 0], [1, 1, 0, 1], [1, 1, 0, 0], [1, 1, 1, 0]];

/// Reads a program in SMV.
pub(crate) fn smv(text: &str) -> (Model, fathom_smv::Names) {
    let mut sources = SourceMap::new();
    let file = sources.add("m.smv", text);
    let (program, said) = fathom_smv::parse_program(file, &sources);
    assert!(said.is_empty(), "{said:?}");
    let (lowered, said) = fathom_smv::lower_program(&program, "m.smv", &[]);
    lowered.unwrap_or_else(|| panic!("{said:?}\n{text}"))
}

fn state_expr(names: &fathom_smv::Names, text: &str) -> Expr {
    let mut sources = SourceMap::new();
    let file = sources.add("e", text);
    names.state_expr(&fathom_smv::parse_expression(file, &sources).0.expect("an expression")).expect("lowers")
}

fn ctl(names: &fathom_smv::Names, text: &str, fairness: &[&str]) -> CtlProperty {
    let mut formulas = CtlFormulas::new();
    let mut known = Propositions::new();
    let mut formula = |text: &str| {
        parse_ctl_text(text, &mut formulas, &mut known).unwrap_or_else(|said| panic!("{text}: {said:?}"))
    };
    let whole = formula(text);
    let fairness = fairness.iter().map(|text| formula(text)).collect();
    let propositions =
        (0..known.len()).map(|index| state_expr(names, known.text(PropositionId::new(index)))).collect();
    CtlProperty { formulas, formula: whole, names: known, propositions, fairness }
}

/// Which of the seven states satisfy a formula.
fn satisfying(graph: &CompositeGraph<'_, '_>, ctl: &CtlProperty) -> BTreeSet<usize> {
    let labels = CompositeLabels::new(graph, ctl, &mut |_, _| true).expect("room");
    let states = labels.states(ctl.formula).expect("labeled");
    let size = graph.pick(graph.all()).expect("a state").len();
    (1..=7)
        .filter(|number| {
            let mut state = STATES[number - 1].to_vec();
            state.resize(size, 0);
            assert!(graph.contains(graph.all(), &state), "state {number} is reached");
            graph.contains(states, &state)
        })
        .collect()
}

#[test]
fn every_formula_has_the_same_states_under_all_sixteen_partitions() {
    let (model, names) = smv(OVEN);
    let none: &[&str] = &[];
    let cook: &[&str] = &["start && close && !error"];
    let expected: &[(&str, &[&str], &[usize])] = &[
        ("close", none, &[3, 4, 5, 6, 7]),
        ("error", none, &[2, 5]),
        ("EX (!close || error)", none, &[1, 2, 3, 4, 5]),
        ("EG !heat", none, &[1, 2, 3, 5]),
        ("EG heat", none, &[4, 7]),
        ("EG close", none, &[3, 4, 5, 6, 7]),
        ("EG start", none, &[2, 5]),
        ("EG error", none, &[2, 5]),
        ("EG !error", none, &[1, 3, 4, 6, 7]),
        ("EF heat", none, &[1, 2, 3, 4, 5, 6, 7]),
        ("E [start U heat]", none, &[4, 6, 7]),
        ("AF heat", none, &[4, 6, 7]),
        ("AG (start -> AF heat)", none, &[]),
        ("EG true", cook, &[1, 2, 3, 4, 5, 6, 7]),
        ("EG !heat", cook, &[]),
        ("AG (start -> AF heat)", cook, &[1, 2, 3, 4, 5, 6, 7]),
    ];
    for mask in 0..16_usize {
        let symbolic: Vec<&str> =
            (0..4).filter(|bit| mask >> bit & 1 == 1).map(|bit| VARIABLES[bit]).collect();
        let partition = Partition::explicit(&model).with(&symbolic, true).expect("names");
        let composite = Composite::new(&model, &partition, &[], Room { nodes: 1 << 16 });
        let graph = CompositeGraph::new(&composite, &mut |_, _| true).expect("room");
        assert_eq!(graph.count(graph.all()), 7.0, "{symbolic:?}");
        for (text, fairness, states) in expected {
            let found = satisfying(&graph, &ctl(&names, text, fairness));
            assert_eq!(found, states.iter().copied().collect(), "{text} {fairness:?} with {symbolic:?}");
        }
    }
}

/// By explicit variables (start, close, heat, error as bits 1, 2, 4, 8): explicit parts, and pairs of them with a step.
#[test]
fn explicit_parts_and_steps_are_as_many_as_the_partition_makes_them() {
    let counts: [(usize, usize); 16] = [
        (1, 1),
        (2, 4),
        (2, 4),
        (4, 9),
        (2, 4),
        (4, 8),
        (3, 8),
        (6, 12),
        (2, 4),
        (3, 7),
        (4, 7),
        (5, 10),
        (3, 7),
        (5, 9),
        (5, 11),
        (7, 12),
    ];
    let (model, _) = smv(OVEN);
    for (mask, expected) in counts.into_iter().enumerate() {
        let explicit: Vec<&str> =
            (0..4).filter(|bit| mask >> bit & 1 == 1).map(|bit| VARIABLES[bit]).collect();
        let partition = Partition::symbolic(&model).with(&explicit, false).expect("names");
        let composite = Composite::new(&model, &partition, &[], Room { nodes: 1 << 16 });
        let graph = CompositeGraph::new(&composite, &mut |_, _| true).expect("room");
        let pairs: BTreeSet<(usize, usize)> = graph
            .parts
            .iter()
            .enumerate()
            .flat_map(|(place, part)| part.steps.iter().map(move |step| (place, step.target)))
            .collect();
        assert_eq!((graph.n_parts(), pairs.len()), expected, "{explicit:?}");
    }
}
