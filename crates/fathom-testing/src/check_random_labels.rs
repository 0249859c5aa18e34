//! The check of labels on composite states against the definition of computation tree logic, for tests and fuzz targets.
//!
//! The bytes make a program in SMV, partitions, and with the program its formulas, with its fairness constraints. The reference interpreter makes all states and steps; the naive fixpoints of `fathom-logic` say in which of them each part of a formula is true. Under
//! every partition the same states must be labeled: state by state, not only as many, and not only the initial ones.

use std::collections::HashMap;

use fathom_core::logic::evaluate_fair_ctl;
use fathom_core::model::{Interpreter, NoRegion, PropertyId, Question, Steps, System};
use fathom_core::source::MemoryLoader;
use fathom_core::symbolic::{Composite, CompositeGraph, CompositeLabels, NoGraph, Partition, Room};
use fathom_core::{Language, load};

use crate::check_random_tree::random_partition;
use crate::{Entropy, random_smv};

/// Models with more states are not compared.
const MOST_STATES: usize = 1_500;

/// Makes a program and partitions from bytes and compares; gives how many sets of states were compared, none when the model is too large.
///
/// # Panics
///
/// When Fathom has a bug. The message shows the program.
pub fn check_random_labels(bytes: &[u8]) -> Option<usize> {
    let mut entropy = Entropy::new(bytes);
    let masks: Vec<usize> = (0..2).map(|_| entropy.below(256) << 8 | entropy.below(256)).collect();
    let program = random_smv(&mut entropy);
    let loader = MemoryLoader::new().with("random.smv", &program);
    let loaded = load("random.smv", Language::Smv, &loader, &[]).expect("a file in memory");
    let Some(model) = loaded.model else { panic!("{:?}\n{program}", loaded.diagnostics) };
    let interpreter = Interpreter::new(&model, &[]);
    let explored = Explored::new(&interpreter)?;
    let mut partitions: Vec<Partition> = masks.iter().map(|&mask| random_partition(&model, mask)).collect();
    partitions.push(Partition::symbolic(&model));
    let mut n_sets = 0;
    for partition in partitions {
        let composite = Composite::new(&model, &partition, &[], Room { nodes: 1 << 22 });
        let graph = match CompositeGraph::new(&composite, &mut |_, _| true) {
            Ok(graph) => graph,
            Err(reason) => panic!("{reason:?}\n{program}"),
        };
        let n_states = explored.states.len();
        assert_eq!(graph.count(graph.all()), n_states as f64, "states\n{program}");
        for property in (0..model.properties.len()).map(PropertyId::from) {
            let Question::Ctl(ctl) = &model.properties[property.index()].question else { continue };
            let labels = match CompositeLabels::new(&graph, ctl, &mut |_, _| true) {
                Ok(labels) => labels,
                Err(NoGraph::Faulty) => continue,
                Err(reason) => panic!("{reason:?}\n{program}"),
            };
            let mut formulas = ctl.formulas.clone();
            let mut values = |formula, again: &[Vec<bool>]| {
                let holds = |state: usize, proposition: fathom_core::logic::PropositionId| {
                    explored.holds(&interpreter, state, &ctl.propositions[proposition.index()])
                };
                evaluate_fair_ctl(&mut formulas, formula, &explored.successors, holds, again)
            };
            let again: Vec<Vec<bool>> =
                ctl.fairness.iter().map(|&constraint| values(constraint, &[])).collect();
            for part in ctl.formulas.subformulas(ctl.formula) {
                let expected = values(part, &again);
                let states = labels.states(part).expect("every part is labeled");
                for (state, expected) in explored.states.iter().zip(expected) {
                    let found = graph.contains(states, state);
                    let symbolic: Vec<&str> = partition
                        .sides()
                        .iter()
                        .filter(|side| side.symbolic)
                        .map(|side| side.name.as_str())
                        .collect();
                    assert_eq!(found, expected, "{part:?} in {state:?} with {symbolic:?}\n{program}");
                }
                n_sets += 1;
            }
        }
    }
    Some(n_sets)
}

/// All states of a model with their steps; one without any repeats itself.
struct Explored {
    states: Vec<Vec<u8>>,
    successors: Vec<Vec<usize>>,
}

impl Explored {
    fn new(interpreter: &Interpreter<'_>) -> Option<Explored> {
        let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut explored = Explored { states: Vec::new(), successors: Vec::new() };
        let mut scratch = interpreter.scratch();
        let mut steps = Steps::new();
        interpreter.initial(&mut scratch, &mut steps);
        let mut number = |state: &[u8], states: &mut Vec<Vec<u8>>| {
            *numbers.entry(state.to_vec()).or_insert_with(|| {
                states.push(state.to_vec());
                states.len() - 1
            })
        };
        for place in 0..steps.len() {
            number(steps.state(place), &mut explored.states);
        }
        while explored.successors.len() < explored.states.len() {
            let at = explored.successors.len();
            if explored.states.len() > MOST_STATES {
                return None;
            }
            steps.clear();
            interpreter.successors(&explored.states[at].clone(), &NoRegion, &mut scratch, &mut steps);
            let mut targets: Vec<usize> =
                (0..steps.len()).map(|place| number(steps.state(place), &mut explored.states)).collect();
            targets.sort_unstable();
            targets.dedup();
            explored.successors.push(if targets.is_empty() { vec![at] } else { targets });
        }
        Some(explored)
    }

    fn holds(&self, interpreter: &Interpreter<'_>, state: usize, expr: &fathom_core::model::Expr) -> bool {
        interpreter.evaluate(&mut interpreter.scratch(), &self.states[state], expr) != Ok(0)
    }
}
