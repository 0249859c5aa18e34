//! Tests from model programs: lists of calls.
//!
//! A program has one chart with one location, and an edge for each action. Which actions there are is found by looking at the first states; an
//! action that occurs only behind them is no goal.

use std::collections::BTreeSet;

use fathom_model::{NoRegion, Steps};
use fathom_program::{Call, Form, Runnable, Symmetry};
use fathom_search::{Monitor, Options, Replay, state_graph};
use fathom_testgen::{Chart, ChartEdge, ChartLocation, Charts, Observe, Taken};

use crate::tests_of_models::{TestError, TestOptions, TestReport, WrittenStep, generate_on};

/// States that are looked at for the names of actions.
const STATES_FOR_NAMES: u64 = 20_000;

/// Generates tests from a model program: see [`generate_tests`](crate::generate_tests).
///
/// # Errors
///
/// When there are too many goals or actions.
///
/// # Panics
///
/// When a test does not replay or does not reach what it should: a bug in Fathom, or a program whose actions depend on something else than its
/// state.
pub fn generate_program_tests(
    program: &dyn Runnable,
    options: &TestOptions,
    monitor: &mut dyn Monitor,
) -> Result<TestReport, TestError> {
    let opened = program.open(Symmetry::None, Form::InFull);
    let system = opened.system();
    let mut names = BTreeSet::new();
    let see = |_: u32, steps: &Steps<NoRegion, Call>| {
        (0..steps.len()).for_each(|step| {
            steps.labels(step).iter().for_each(|call| {
                names.insert(action_of(call).to_owned());
            });
        });
        true
    };
    let few = Options { max_states: Some(STATES_FOR_NAMES), ..Options::default() };
    state_graph(&system, &few, Steps::recording(), see, monitor);
    let observe = ProgramCharts::new(program.title(), names.into_iter().collect());
    let write = |replayed: &Replay<NoRegion, Call>| {
        let step = |visit: &fathom_search::Visit<NoRegion, Call>| WrittenStep {
            moves: visit.labels.iter().map(|call| (program.title().to_owned(), call.to_string())).collect(),
            delay: None,
        };
        replayed.visits.iter().skip(1).map(step).collect()
    };
    generate_on(&system, &system, &observe, options, &write, monitor)
}

/// The action of a call: what stands before its arguments.
fn action_of(call: &str) -> &str {
    call.split(['(', ' ', '{']).next().unwrap_or(call)
}

/// The chart of a program.
struct ProgramCharts {
    charts: Charts,
    /// In order.
    names: Vec<String>,
}

impl ProgramCharts {
    fn new(title: &str, names: Vec<String>) -> ProgramCharts {
        let edge = |name: &String| ChartEdge { sources: vec![0], text: name.clone(), ..ChartEdge::default() };
        let chart = Chart {
            name: title.to_owned(),
            locations: vec![ChartLocation { name: "program".to_owned(), span: None }],
            edges: names.iter().map(edge).collect(),
            initial: 0,
        };
        ProgramCharts { charts: Charts { charts: vec![chart], variables: Vec::new() }, names }
    }
}

impl Observe<Call> for ProgramCharts {
    fn charts(&self) -> &Charts {
        &self.charts
    }

    fn taken(&self, label: &Call, see: &mut dyn FnMut(Taken)) {
        if let Ok(edge) = self.names.binary_search_by(|name| name.as_str().cmp(action_of(label))) {
            see(Taken { process: 0, chart: 0, edge: edge as u32 });
        }
    }

    fn locations(&self, _: &[u8], see: &mut dyn FnMut(u32, u32, u32)) {
        see(0, 0, 0);
    }
}
