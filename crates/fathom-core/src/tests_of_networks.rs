//! Tests from networks of timed automata: lists of moves with delays.
//!
//! Every process has a chart of its own. Which moves are possible is searched on zones; the moves of a test then get delays and are checked by
//! the concrete meaning of the network, which knows nothing of zones.

use fathom_search::{Monitor, Replay};
use fathom_source::SourceMap;
use fathom_testgen::{Chart, ChartEdge, ChartLocation, ChartVariable, Charts, Observe, Taken};
use fathom_timed::concrete::{Goal, check_run};
use fathom_timed::timing::schedule;
use fathom_timed::{
    Conjunct, Network, TimedMove, TimedProperty, Valuation, ZoneOptions, ZoneRegion, ZoneSystem, accessed,
};

use crate::tests_of_models::{TestError, TestOptions, TestReport, WrittenStep, generate_on};
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
    generate_on(&system, &system, &observe, options, &write, monitor)
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
}

fn charts(network: &Network, sources: &SourceMap) -> Charts {
    let (variables, arrays) = variables(network);
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
            .map(|edge| chart_edge(network, process, edge, &arrays, sources))
            .collect(),
        initial: process.locations.iter().position(|location| location.is_initial).unwrap_or(0),
    });
    Charts { charts: charts.collect(), variables }
}

/// The variables, an array as one, and which of them each integer of the network belongs to.
fn variables(network: &Network) -> (Vec<ChartVariable>, Vec<usize>) {
    let (mut variables, mut arrays): (Vec<ChartVariable>, Vec<usize>) = (Vec::new(), Vec::new());
    for variable in &network.variables {
        let name = variable.name.split('[').next().unwrap_or(&variable.name);
        if variables.last().is_none_or(|last| last.name != name) {
            variables.push(ChartVariable { name: name.to_owned(), owner: None });
        }
        arrays.push(variables.len() - 1);
    }
    (variables, arrays)
}

fn chart_edge(
    network: &Network,
    process: &fathom_timed::Process,
    edge: &fathom_timed::Edge,
    arrays: &[usize],
    sources: &SourceMap,
) -> ChartEdge {
    let (source, target) = (&process.locations[edge.source], &process.locations[edge.target]);
    let written =
        edge.span.and_then(|span| in_braces(&sources.file(span.file).text()[span.start as usize..]));
    let event = network.events.get(edge.event).filter(|name| !name.is_empty());
    let what = written.or(event.cloned()).map_or(String::new(), |text| format!(": {text}"));
    let (mut reads, mut writes) = accessed(edge);
    for list in [&mut reads, &mut writes] {
        list.iter_mut().for_each(|variable| *variable = arrays[*variable]);
        list.sort_unstable();
        list.dedup();
    }
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
