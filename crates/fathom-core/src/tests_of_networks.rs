//! Tests from networks of timed automata: lists of moves with delays.
//!
//! Every process has a chart of its own. Which moves are possible is searched on zones; the moves of a test then get delays and are checked by
//! the concrete meaning of the network, which knows nothing of zones.

use fathom_search::{Monitor, Replay};
use fathom_source::SourceMap;
use fathom_testgen::{
    Chart, ChartEdge, ChartLocation, ChartValue, ChartVariable, Charts, Observe, Taken, Told,
};
use fathom_timed::concrete::{Goal, check_run};
use fathom_timed::timing::schedule;
use fathom_timed::{
    Conjunct, Network, TimedMove, TimedProperty, Valuation, ZoneOptions, ZoneRegion, ZoneSystem, accessed,
    accessed_clocks,
};

use crate::tests_of_models::{TestError, TestOptions, TestReport, WrittenStep, actions_in, generate_on};
use crate::timed::does_not_replay;

/// Locations whose names begin with this name requirements: the edges that leave them show it.
const REQUIREMENT: &str = "req_";

/// Generates tests from a network of timed automata: see [`generate_tests`](crate::generate_tests).
///
/// # Errors
///
/// When there are too many goals or edges.
///
/// # Panics
///
/// When a test does not replay or does not reach what it should: a bug in Fathom.
pub fn generate_timed_tests(
    network: &Network,
    properties: &[TimedProperty],
    sources: &SourceMap,
    options: &TestOptions,
    monitor: &mut dyn Monitor,
) -> Result<TestReport, TestError> {
    let system = ZoneSystem::new(network, properties, &options.traps, ZoneOptions::default());
    let observe = NetworkCharts { charts: charts(network, sources), system: &system };
    let write = |replayed: &Replay<ZoneRegion, TimedMove>| write(network, &system, &observe.charts, replayed);
    let actions = |label: &TimedMove| actions_in(&observe, label);
    let variables = |state: &[u8]| variables_of(network, &system, state);
    let told = Told { actions: &actions, variables: &variables };
    generate_on(&system, &system, &observe, options, &write, told, monitor)
}

/// Where processes are and what integers are; clocks are no part of it.
fn variables_of(network: &Network, system: &ZoneSystem<'_>, state: &[u8]) -> Vec<(String, String)> {
    let mut valuation = Valuation::default();
    system.layout().decode(state, &mut valuation);
    let places = network.processes.iter().zip(&valuation.locations);
    let places =
        places.map(|(process, &at)| (process.name.clone(), process.locations[at as usize].name.clone()));
    let values = network.variables.iter().zip(&valuation.values).filter(|(variable, _)| !variable.is_meta);
    places.chain(values.map(|(variable, value)| (variable.name.clone(), value.to_string()))).collect()
}

/// The charts of a network.
struct NetworkCharts<'n> {
    charts: Charts,
    system: &'n ZoneSystem<'n>,
}

impl Observe<TimedMove> for NetworkCharts<'_> {
    fn charts(&self) -> &Charts {
        &self.charts
    }

    fn taken(&self, label: &TimedMove, see: &mut dyn FnMut(Taken)) {
        for &(process, edge) in &label.edges {
            see(Taken { process: process as u32, chart: process as u32, edge: edge as u32 });
        }
    }

    fn locations(&self, state: &[u8], see: &mut dyn FnMut(u32, u32, u32)) {
        let mut valuation = Valuation::default();
        self.system.layout().decode(state, &mut valuation);
        for (process, &location) in valuation.locations.iter().enumerate() {
            see(process as u32, process as u32, location);
        }
    }

    fn values(&self, state: &[u8], see: &mut dyn FnMut(usize)) {
        let mut valuation = Valuation::default();
        self.system.layout().decode(state, &mut valuation);
        let all = self.system.network().variables.iter().zip(&valuation.values);
        let few = all.filter(|(variable, _)| has_few_values(variable));
        for (number, (variable, value)) in few.enumerate() {
            see(2 * number + usize::from(*value == variable.most));
        }
    }
}

fn charts(network: &Network, sources: &SourceMap) -> Charts {
    let variables = Variables::new(network);
    let charts = network.processes.iter().map(|process| Chart {
        name: process.name.clone(),
        locations: process
            .locations
            .iter()
            .map(|location| ChartLocation { name: location.name.clone(), span: location.span })
            .collect(),
        edges: process
            .edges
            .iter()
            .map(|edge| chart_edge(network, process, edge, &variables, sources))
            .collect(),
        initial: process.locations.iter().position(|location| location.is_initial).unwrap_or(0),
    });
    Charts { charts: charts.collect(), variables: variables.list.clone(), values: values(network) }
}

/// The values of variables that have two.
fn values(network: &Network) -> Vec<ChartValue> {
    let few = network.variables.iter().filter(|variable| has_few_values(variable));
    let both = few.flat_map(|variable| {
        [variable.least, variable.most]
            .map(|value| ChartValue { variable: variable.name.clone(), value: value.to_string() })
    });
    both.collect()
}

fn has_few_values(variable: &fathom_timed::Variable) -> bool {
    !variable.is_meta && i64::from(variable.most) - i64::from(variable.least) == 1
}

/// The integers, then the clocks, an array as one, and which of them each belongs to.
struct Variables {
    list: Vec<ChartVariable>,
    integers: Vec<usize>,
    clocks: Vec<usize>,
}

impl Variables {
    fn new(network: &Network) -> Variables {
        let mut list: Vec<ChartVariable> = Vec::new();
        let mut number = |names: Vec<&String>, is_clock: bool| -> Vec<usize> {
            let first = list.len();
            let mut number_of = |name: &String| {
                let name = name.split('[').next().unwrap_or(name);
                if list.len() == first || list.last().is_none_or(|last| last.name != name) {
                    list.push(ChartVariable { name: name.to_owned(), owner: None, is_clock });
                }
                list.len() - 1
            };
            names.into_iter().map(&mut number_of).collect()
        };
        let integers = number(network.variables.iter().map(|variable| &variable.name).collect(), false);
        let clocks = number(network.clocks.iter().map(|clock| &clock.name).collect(), true);
        Variables { list, integers, clocks }
    }

    /// What an edge reads and writes, each once.
    fn accessed(&self, edge: &fathom_timed::Edge) -> [Vec<usize>; 2] {
        let (integers, clocks) = (accessed(edge), accessed_clocks(edge));
        [(integers.0, clocks.0), (integers.1, clocks.1)].map(|(integers, clocks)| {
            let integers = integers.into_iter().map(|integer| self.integers[integer]);
            let mut all: Vec<usize> =
                integers.chain(clocks.into_iter().map(|clock| self.clocks[clock])).collect();
            all.sort_unstable();
            all.dedup();
            all
        })
    }
}

fn chart_edge(
    network: &Network,
    process: &fathom_timed::Process,
    edge: &fathom_timed::Edge,
    variables: &Variables,
    sources: &SourceMap,
) -> ChartEdge {
    let (source, target) = (&process.locations[edge.source], &process.locations[edge.target]);
    let written =
        edge.span.and_then(|span| in_braces(&sources.file(span.file).text()[span.start as usize..]));
    let event = network.events.get(edge.event).filter(|name| !name.is_empty());
    let what = written.or(event.cloned()).map_or(String::new(), |text| format!(": {text}"));
    let [reads, writes] = variables.accessed(edge);
    ChartEdge {
        sources: vec![edge.source],
        target: edge.target,
        text: format!("{} -> {}{what}", source.name, target.name),
        span: edge.span,
        reads,
        writes,
        creates: Vec::new(),
        ends: false,
        requirements: source.name.strip_prefix(REQUIREMENT).map(str::to_owned).into_iter().collect(),
    }
}

/// Longest text of an edge that is shown.
const LONGEST_TEXT: usize = 100;

/// What stands in the braces of an edge, in the formats that have some: guard, synchronization and updates.
fn in_braces(text: &str) -> Option<String> {
    let (before, inside) = text.split_once('{')?;
    let (inside, _) = inside.split_once('}')?;
    let words = inside.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_of_edge =
        !before.contains([',', ';', '<', '}']) && !words.is_empty() && words.len() <= LONGEST_TEXT;
    is_of_edge.then_some(words)
}

/// The steps of a test with delays.
fn write(
    network: &Network,
    system: &ZoneSystem<'_>,
    charts: &Charts,
    replayed: &Replay<ZoneRegion, TimedMove>,
) -> Vec<WrittenStep> {
    let mut initial = Valuation::default();
    let Some(first) = replayed.visits.first() else { return Vec::new() };
    system.layout().decode(&first.state, &mut initial);
    let moves: Vec<TimedMove> =
        replayed.visits.iter().flat_map(|visit| visit.labels.iter().cloned()).collect();
    let timed = schedule(network, &initial.locations, &moves, &[], &[])
        .unwrap_or_else(|error| does_not_replay(network, &moves, &error.to_string()));
    if let Err(error) = check_run(network, &timed, Goal::OneOf(&[Conjunct::default()])) {
        does_not_replay(network, &moves, &error.to_string());
    }
    let step = |step: &fathom_timed::concrete::TimedStep| WrittenStep {
        moves: step
            .edges
            .iter()
            .map(|&(process, edge)| {
                let chart = &charts.charts[process];
                (chart.name.clone(), chart.edges[edge].text.clone())
            })
            .collect(),
        delay: Some(step.delay as f64 / timed.scale as f64),
    };
    timed.steps.iter().map(step).collect()
}
