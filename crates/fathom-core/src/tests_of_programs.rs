//! Tests from model programs: lists of calls.
//!
//! A program has one chart with one location, and an edge for each action. Which actions there are, the program
//! says or the first states show. Requirements, and what actions read and write, are what the program [says](fathom_program::Facts) about
//! them. The values of variables with few of them are those that the program says and, of truth values and of names, those in the first states.

use std::collections::BTreeSet;

use fathom_model::{NoRegion, Steps, System};
use fathom_program::{Call, Facts, Form, Opened, Runnable, Symmetry};
use fathom_search::{Monitor, Options, Replay, state_graph};
use fathom_testgen::{
    Chart, ChartEdge, ChartLocation, ChartValue, ChartVariable, Charts, Criterion, Observe, Taken, Told,
};

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
    let (mut names, mut values) = (BTreeSet::new(), BTreeSet::new());
    let asks_values = options.criteria.contains(&Criterion::Values);
    let mut add_values = |state: &[u8]| {
        let all = opened.variables(state).into_iter().filter(|(_, value)| is_name(value));
        values.extend(all.map(|(variable, value)| ChartValue { variable, value }));
    };
    if asks_values {
        let mut begin = Steps::new();
        system.initial(&mut system.scratch(), &mut begin);
        (0..begin.len()).for_each(|state| add_values(begin.state(state)));
    }
    let see = |_: u32, steps: &Steps<NoRegion, Call>| {
        (0..steps.len()).for_each(|step| {
            steps.labels(step).iter().for_each(|call| {
                names.insert(action_of(call).to_owned());
            });
            if asks_values {
                add_values(steps.state(step));
            }
        });
        true
    };
    let few = Options { max_states: Some(STATES_FOR_NAMES), ..Options::default() };
    state_graph(&system, &few, Steps::recording(), see, monitor);
    let facts = program.facts();
    names.extend(facts.actions.iter().map(|action| action.name.clone()));
    for (variable, all) in &facts.few_values {
        let said = all.iter().map(|value| ChartValue { variable: variable.clone(), value: value.clone() });
        values.extend(said);
    }
    let observe = ProgramCharts::new(program.title(), names.into_iter().collect(), values, &facts, &*opened);
    let write = |replayed: &Replay<NoRegion, Call>| {
        let step = |visit: &fathom_search::Visit<NoRegion, Call>| WrittenStep {
            moves: visit.labels.iter().map(|call| (program.title().to_owned(), call.to_string())).collect(),
            delay: None,
        };
        replayed.visits.iter().skip(1).map(step).collect()
    };
    let actions = |call: &Call| vec![call.to_string()];
    let variables = |state: &[u8]| opened.variables(state);
    let told = Told { actions: &actions, variables: &variables };
    generate_on(&system, &system, &observe, options, &write, told, monitor)
}

/// The action of a call: what stands before its arguments.
fn action_of(call: &str) -> &str {
    call.split(['(', ' ', '{']).next().unwrap_or(call)
}

/// Whether a value is a truth value or a name, as elements of enumerations have, and no number, text or collection.
fn is_name(value: &str) -> bool {
    value.starts_with(char::is_alphabetic)
        && value.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The chart of a program.
struct ProgramCharts<'p> {
    charts: Charts,
    /// In order.
    names: Vec<String>,
    opened: &'p dyn Opened,
}

impl<'p> ProgramCharts<'p> {
    fn new(
        title: &str,
        names: Vec<String>,
        values: BTreeSet<ChartValue>,
        facts: &Facts,
        opened: &'p dyn Opened,
    ) -> ProgramCharts<'p> {
        let variables: BTreeSet<&String> =
            facts.actions.iter().flat_map(|action| action.reads.iter().chain(&action.writes)).collect();
        let variables: Vec<&String> = variables.into_iter().collect();
        let numbers = |of: &[String]| -> Vec<usize> {
            of.iter().filter_map(|name| variables.binary_search(&name).ok()).collect()
        };
        let edge = |name: &String| {
            let known = facts.actions.iter().find(|action| action.name == *name);
            let known = known.cloned().unwrap_or_default();
            ChartEdge {
                sources: vec![0],
                text: name.clone(),
                reads: numbers(&known.reads),
                writes: numbers(&known.writes),
                requirements: known.requirements,
                ..ChartEdge::default()
            }
        };
        let chart = Chart {
            name: title.to_owned(),
            locations: vec![ChartLocation { name: "program".to_owned(), span: None }],
            edges: names.iter().map(edge).collect(),
            initial: 0,
        };
        let shared = |name: &&String| ChartVariable { name: (*name).clone(), ..ChartVariable::default() };
        let variables = variables.iter().map(shared).collect();
        let charts = Charts { charts: vec![chart], variables, values: values.into_iter().collect() };
        ProgramCharts { charts, names, opened }
    }
}

impl Observe<Call> for ProgramCharts<'_> {
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

    fn values(&self, state: &[u8], see: &mut dyn FnMut(usize)) {
        for (variable, value) in self.opened.variables(state) {
            if let Ok(number) = self.charts.values.binary_search(&ChartValue { variable, value }) {
                see(number);
            }
        }
    }
}
