//! The check of test generation on a random model, for tests and fuzz targets.
//!
//! Which goals can be reached is found out by a slow answer: all states, each with the last edges of every process as a plain map, in a set. Whatever
//! engine and form of tests: exactly these goals are covered, and all others are infeasible. What tests reach is counted by the facade already.

use std::collections::{BTreeMap, HashSet};

use fathom_core::model::{Interpreter, Model, Move, NoRegion, Steps, System};
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::testgen::{
    Criterion, GenerateOptions, Goal, GoalAnswer, Guide, ModelCharts, Observe, Shape, TestEngine,
};
use fathom_core::{Language, TestOptions, generate_tests, load};

use crate::{Entropy, random_promela};

/// Models with more states, histories included, are not compared.
const MOST_STATES: usize = 3000;

/// The last edges of each process, and the edges of the last step.
type Past = BTreeMap<u32, Vec<(u32, u32)>>;

/// Makes a program from bytes and compares tests for it with what can be reached. Gives whether it was small enough.
///
/// # Panics
///
/// When Fathom has a bug. The message shows the program.
pub fn check_random_coverage(bytes: &[u8]) -> bool {
    let mut entropy = Entropy::new(bytes);
    let k = 1 + entropy.below(2);
    let engines = [TestEngine::BreadthFirst, TestEngine::DepthFirst, TestEngine::BestFirst, TestEngine::Isr];
    let engine = engines[entropy.below(4)];
    let guide = [Guide::None, Guide::Uniform, Guide::Tuned, Guide::Distance][entropy.below(4)];
    let shape = [Shape::Long, Shape::Short, Shape::Tour][entropy.below(3)];
    let program = random_promela(&mut entropy);
    let loader = MemoryLoader::new().with("random.pml", &program);
    let loaded = load("random.pml", Language::Promela, &loader, &[]).expect("a file in memory");
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{program}", loaded.diagnostics));
    let Some(sequences) = sequences(&model, k) else { return false };
    let options = TestOptions {
        criteria: vec![Criterion::Transitions, Criterion::Switches(k), Criterion::DefinitionUse],
        generate: GenerateOptions { engine, guide, shape, ..GenerateOptions::default() },
        ..TestOptions::default()
    };
    let report = generate_tests(&model, &options, &mut NoMonitor).expect("few goals");
    for (goal, answer) in report.goals.goals.iter().zip(&report.answers) {
        let edges = match goal {
            Goal::Edge { chart, edge } => vec![(*chart as u32, *edge as u32)],
            Goal::Switch { chart, edges } => edges.iter().map(|&edge| (*chart as u32, edge as u32)).collect(),
            _ => continue,
        };
        let is_covered = matches!(answer, GoalAnswer::Covered { .. });
        let context = format!("{goal:?} {answer:?} {engine:?} {guide:?} {shape:?}\n{program}");
        assert_eq!(is_covered, sequences.contains(&edges), "{context}");
        assert!(is_covered || *answer == GoalAnswer::Infeasible, "{context}");
    }
    true
}

/// All sequences of one and of `k + 1` edges that a process takes in some run.
fn sequences(model: &Model, k: usize) -> Option<HashSet<Vec<(u32, u32)>>> {
    let charts = ModelCharts::new(model);
    let interpreter = Interpreter::new(model, &[]);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::<NoRegion, Move>::recording());
    let mut found = HashSet::new();
    let mut seen: HashSet<(Vec<u8>, Past)> = HashSet::new();
    interpreter.initial(&mut scratch, &mut steps);
    let mut open: Vec<(Vec<u8>, Past)> =
        (0..steps.len()).map(|index| (steps.state(index).to_vec(), Past::new())).collect();
    seen.extend(open.iter().cloned());
    while let Some((state, past)) = open.pop() {
        if seen.len() > MOST_STATES {
            return None;
        }
        steps.clear();
        interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
        for index in 0..steps.len() {
            let mut past = past.clone();
            for label in steps.labels(index) {
                charts.taken(label, &mut |taken| {
                    let edge = (taken.chart, taken.edge);
                    let last = past.entry(taken.process).or_default();
                    last.push(edge);
                    found.insert(vec![edge]);
                    if last.len() > k {
                        found.insert(last.clone());
                        last.remove(0);
                    }
                    if charts.charts().charts[edge.0 as usize].edges[edge.1 as usize].ends {
                        past.remove(&taken.process);
                    }
                });
            }
            let reached = (steps.state(index).to_vec(), past);
            if seen.insert(reached.clone()) {
                open.push(reached);
            }
        }
    }
    Some(found)
}
