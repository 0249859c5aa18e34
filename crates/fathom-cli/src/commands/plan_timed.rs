//! Plans of networks of timed automata: TChecker, Uppaal, IF with clocks.
//!
//! A loop of zones is timed by the earliest delays. Whether the same delays will do for the next round is asked of the concrete meaning; where they
//! do not, a round or two may have to be gone first. Only a loop with delays of its own can be made a controller.

use std::collections::BTreeMap;

use fathom_core::model::{Answer, RunEnd, Statistics};
use fathom_core::search::Monitor;
use fathom_core::timed_automata::concrete::{ConcreteState, Goal, TimedRun, TimedStep, check_run};
use fathom_core::timed_automata::liveness::ForEver;
use fathom_core::timed_automata::timing::schedule;
use fathom_core::timed_automata::{Conjunct, Environment, Expr, Network, TimedMove};
use fathom_core::{
    Asked, BestWitness, LoadedTimed, TimedAnswer, TimedEngine, TimedOptions, check_timed as check_network,
};
use fathom_plot::{GanttBar, GanttChart, GanttRow};

use super::check_timed;
use super::plan::{LOOP, PlanArguments, Sought, is_ended, moves_chart};
use super::plan_cycle::{Improved, Round, add_cost, improve, no_such_run};
use crate::arguments::ModelConfig;
use crate::failure::Failure;
use crate::monitor::{Interrupt, Watch};
use crate::wire::{PlanStepForm, TestMoveForm};
use crate::{memory, output};

/// Most rounds that are gone before a loop has delays of its own.
const MOST_ROUNDS_BEFORE: usize = 3;

/// The best plan found.
struct Best {
    answer: TimedAnswer,
    statistics: Statistics,
    value: Option<f64>,
    is_optimal: bool,
}

/// Looks for a plan.
pub(super) fn plan(arguments: &PlanArguments, config: &ModelConfig) -> Result<Sought, Failure> {
    let interrupt = Interrupt::listen();
    let mut loaded = check_timed::load(config)?;
    if !arguments.output.quiet {
        check_timed::show_warnings(&loaded);
    }
    let Some(network) = loaded.network.clone() else { return Err(Failure::new("there is no network")) };
    let mut watched = Vec::new();
    for one in arguments.watched() {
        watched.push((one.text.clone(), parse_flag(&mut loaded, one.flag, &one.text)?));
    }
    let mut watch = Watch::start(arguments.limits.time, interrupt, arguments.output.quiet);
    let best = match arguments.cycle.cycle {
        true => search_cycle(arguments, &network, &mut loaded, &mut watch)?,
        false => search_goal(arguments, &network, &mut loaded, &mut watch)?,
    };
    let seconds = watch.finish().as_secs_f64();
    let mut form = arguments.report(config, &best.answer.verdict, &best.statistics, seconds);
    let Some((run, states)) = &best.answer.run else { return Ok(Sought::nothing(form)) };
    let loop_at = match best.answer.for_ever {
        Some(ForEver::Loop(at)) => Some(at),
        _ => None,
    };
    let settled = loop_at.and_then(|at| settled(&network, run, at));
    let has_fixed_delays = loop_at.is_none() || settled.is_some();
    let (run, states, loop_at) = match &settled {
        Some((run, states, at)) => (run, states, Some(*at)),
        None => (run, states, loop_at),
    };
    let moments = moments(run);
    for (number, &time) in moments[..moments.len() - 1].iter().enumerate() {
        let moves = number.checked_sub(1).map_or(Vec::new(), |before| moves(&network, run, before));
        form.steps.push(PlanStepForm { number, time: Some(time), moves, shown: BTreeMap::new() });
    }
    let mut values = Vec::new();
    for state in &states[..form.steps.len()] {
        let value = |(text, expr): &(String, Expr)| {
            evaluate(&network, state, expr).map_err(|error| Failure::new(format!("{text}: {error}")))
        };
        values.push(watched.iter().map(value).collect::<Result<Vec<i64>, Failure>>()?);
    }
    form.optimal = best.is_optimal;
    form.value = match arguments.minimized() {
        Some("steps") => Some(run.steps.len() as f64),
        _ => best.value,
    };
    form.loop_at = loop_at;
    let chart = match moments.last() {
        // Where all happens at once, only the order is left to be drawn.
        Some(&end) if end > 0.0 => {
            let mark = loop_at.map(|at| (moments[at], LOOP.to_owned()));
            GanttChart { mark, ..locations_chart(&network, states, &moments) }
        }
        _ => moves_chart(&form),
    };
    Ok(Sought { form, chart, values, has_fixed_delays })
}

/// An expression about one state, as a flag gives it.
fn parse_flag(loaded: &mut LoadedTimed, flag: &str, text: &str) -> Result<Expr, Failure> {
    loaded.state_expr(text).map_err(|diagnostics| {
        let message = format!("cannot understand {flag} {}", output::quoted(text));
        Failure::of_diagnostics(message, &loaded.sources, &diagnostics)
    })
}

/// The options that all searches share.
fn options(arguments: &PlanArguments) -> TimedOptions {
    TimedOptions {
        max_states: arguments.limits.max_states,
        max_depth: arguments.limits.max_depth,
        max_bytes: arguments.limits.memory.or_else(memory::default_limit),
        ..TimedOptions::default()
    }
}

fn search_goal(
    arguments: &PlanArguments,
    network: &Network,
    loaded: &mut LoadedTimed,
    monitor: &mut dyn Monitor,
) -> Result<Best, Failure> {
    let text = arguments.goal.as_deref().unwrap_or_default();
    let goal = loaded.ask(Asked::Reach, text).map_err(|diagnostics| {
        let message = format!("cannot understand --goal {}", output::quoted(text));
        Failure::of_diagnostics(message, &loaded.sources, &diagnostics)
    })?;
    let best = match arguments.minimized() {
        None | Some("steps") => None,
        Some("time") => Some(BestWitness::Fastest),
        Some("cost") if network.cost.is_some() => Some(BestWitness::Cheapest),
        Some("cost") => return Err(Failure::new("--minimize cost: the model has no cost")),
        Some(other) => {
            return Err(Failure::new(format!(
                "--minimize {}: timed automata have steps, time and cost to be made small",
                output::quoted(other)
            )));
        }
    };
    let is_any = arguments.minimized().is_none();
    let options = TimedOptions {
        engine: if is_any { TimedEngine::DepthFirst } else { TimedEngine::BreadthFirst },
        best,
        fewest_steps: !is_any && best.is_none(),
        properties: vec![goal],
        store: arguments.store.kind(arguments.seed)?,
        ..options(arguments)
    };
    let mut found = check_network(network, &loaded.properties, &options, monitor);
    let answer = found.answers.swap_remove(0);
    Ok(Best {
        value: answer.cost.map(|(cost, _)| cost as f64),
        is_optimal: !is_any && answer.run.is_some() && is_ended(answer.verdict.stop),
        answer,
        statistics: found.statistics,
    })
}

fn search_cycle(
    arguments: &PlanArguments,
    network: &Network,
    loaded: &mut LoadedTimed,
    monitor: &mut dyn Monitor,
) -> Result<Best, Failure> {
    let keep = &arguments.cycle.keep;
    if let Some(text) = &arguments.goal {
        parse_flag(loaded, "--goal", text)?;
    }
    for text in keep {
        parse_flag(loaded, "--keep", text)?;
    }
    let minimized = arguments.minimized();
    let cost = minimized.map(|text| parse_flag(loaded, "--minimize", text)).transpose()?;
    let mut statistics = Statistics::default();
    let Improved { last, value, is_proved } = improve(minimized, |bound| {
        let keep: Vec<String> = keep.iter().cloned().chain(bound).collect();
        let text = no_such_run(arguments.goal.as_deref(), &keep);
        let asked = loaded.ask(Asked::Psl(RunEnd::Weak), &text).map_err(|diagnostics| {
            let message = format!("cannot ask {}", output::quoted(&text));
            Failure::of_diagnostics(message, &loaded.sources, &diagnostics)
        })?;
        let options = TimedOptions { properties: vec![asked], ..options(arguments) };
        let mut found = check_network(network, &loaded.properties, &options, monitor);
        add_cost(&mut statistics, &found.statistics);
        let answer = found.answers.swap_remove(0);
        Ok(match (answer.verdict.answer, &answer.run, answer.for_ever) {
            (Answer::Violated, Some((_, states)), Some(ForEver::Loop(_))) => {
                let value = |expr: &Expr| states.iter().map(|state| evaluate(network, state, expr)).collect();
                let values: Option<Result<Vec<i64>, String>> = cost.as_ref().map(value);
                let values = values.transpose().map_err(Failure::new)?;
                let largest = values.and_then(|values| values.into_iter().max());
                Round::Found(answer, largest)
            }
            (Answer::Violated, ..) => {
                return Err(Failure::new("--cycle: every run does this, whatever it does; give a --goal"));
            }
            (Answer::Holds, ..) => Round::Impossible(answer),
            (Answer::Inconclusive, ..) => Round::Unknown(answer),
        })
    })?;
    let value = value.map(|value| value as f64);
    Ok(Best { answer: last, statistics, value, is_optimal: is_proved })
}

/// When each step is taken, the start first, and when the run ends.
fn moments(run: &TimedRun) -> Vec<f64> {
    let units = |parts: i64| parts as f64 / run.scale as f64;
    let (mut now, mut moments) = (0, vec![0.0]);
    for step in &run.steps {
        now += step.delay;
        moments.push(units(now));
    }
    moments.push(units(now + run.last_delay));
    moments
}

/// Who goes where in a step.
fn moves(network: &Network, run: &TimedRun, step: usize) -> Vec<TestMoveForm> {
    let moved = run.steps[step].edges.iter().map(|&(process, edge)| {
        let of = &network.processes[process];
        let (source, target) = (&of.locations[of.edges[edge].source], &of.locations[of.edges[edge].target]);
        TestMoveForm { process: of.name.clone(), text: format!("{} -> {}", source.name, target.name) }
    });
    moved.collect()
}

fn evaluate(network: &Network, state: &ConcreteState, expr: &Expr) -> Result<i64, String> {
    let labels = network.labels_of_locations();
    let (values, locations) = (&state.valuation.values[..], &state.valuation.locations[..]);
    let environment = Environment { values, locals: &[], locations, labels: &labels };
    expr.evaluate(&environment).map_err(|fault| fault.to_string())
}

/// A run with a loop whose delays are the same each time round, made of one whose loop may have others: some rounds are gone before it, each at
/// the earliest moments.
fn settled(network: &Network, run: &TimedRun, at: usize) -> Option<(TimedRun, Vec<ConcreteState>, usize)> {
    let n_round = run.steps.len() - at;
    let round = &run.steps[at..];
    let mut edges: Vec<&TimedStep> = run.steps.iter().collect();
    for n_before in 0..MOST_ROUNDS_BEFORE {
        let moves: Vec<TimedMove> = edges
            .iter()
            .map(|step| TimedMove { edges: step.edges.clone(), ..TimedMove::default() })
            .collect();
        let timed = TimedRun { last_delay: 0, ..schedule(network, &run.initial, &moves, &[], &[]).ok()? };
        let loop_at = at + n_before * n_round;
        if repeats(network, &timed, loop_at) {
            let states = states_of(network, &timed)?;
            return Some((timed, states, loop_at));
        }
        edges.extend(round);
    }
    None
}

/// Whether a loop can be gone round twice more with the same delays.
fn repeats(network: &Network, run: &TimedRun, at: usize) -> bool {
    let round = &run.steps[at..];
    let steps = run.steps.iter().chain(round).chain(round).cloned().collect();
    states_of(network, &TimedRun { steps, ..run.clone() }).is_some()
}

/// The states of a run, if it is one.
fn states_of(network: &Network, run: &TimedRun) -> Option<Vec<ConcreteState>> {
    check_run(network, run, Goal::OneOf(&[Conjunct::default()])).ok()
}

/// A bar for each stay of a process at a location.
fn locations_chart(network: &Network, states: &[ConcreteState], moments: &[f64]) -> GanttChart {
    let rows = network.processes.iter().enumerate().map(|(process, of)| {
        let mut bars: Vec<GanttBar> = Vec::new();
        for (state, span) in states.iter().zip(moments.windows(2)) {
            let text = of.locations[state.valuation.locations[process] as usize].name.clone();
            match bars.last_mut().filter(|last| last.text == text) {
                Some(last) => last.end = span[1],
                None => bars.push(GanttBar { start: span[0], end: span[1], text }),
            }
        }
        bars.retain(|bar| bar.end > bar.start);
        GanttRow { name: of.name.clone(), bars }
    });
    GanttChart { rows: rows.collect(), axis: "time".to_owned(), mark: None }
}
