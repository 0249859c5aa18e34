//! `fathom plan`: the best way to a goal, as a schedule.
//!
//! A plan is a trace to a state in which the goal is true. Which one is best is decided by breadth-first search (steps), by branch and bound over an
//! expression that never falls (Promela, IF, SMV), or by the searches for the fastest and the cheapest run of timed automata. A plan is called
//! optimal only when the search that found it proved that there is no better one.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use fathom_core::model::{Answer, Evidence, Interpreter, System, Trace};
use fathom_core::{
    Asked, BestWitness, CheckOptions, Engine, Guidance, Optimality, Reductions, TimedAnswer, TimedOptions,
    check_timed as check_network,
};
use fathom_plot::{GanttBar, GanttChart, GanttRow};

use super::check_timed;
use crate::arguments::{Format, ModelArguments, ModelConfig, OutputArguments};
use crate::failure::{self, Failure};
use crate::graph::short;
use crate::memory;
use crate::monitor::{Interrupt, Watch};
use crate::output;
use crate::session::Session;
use crate::story::process_name;
use crate::units::{counted, display_size, parse_size, parse_time};
use crate::wire::{AskedProperty, PlanReportForm, PlanStatisticsForm, PlanStepForm, TestMoveForm, VERSION};

/// The flags of `plan`.
#[derive(Debug, Args)]
#[command(after_help = "A plan is called optimal only when it is proved that there is no better one.\n\
                        Exit status: 0 a plan was found, 1 there is none, 2 could not run, 3 inconclusive.")]
pub struct PlanArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// What is to be reached: an expression about one state
    #[arg(long, value_name = "E")]
    pub goal: String,
    /// What is made small: steps; time or cost, for timed automata; or an expression that never falls along a run
    #[arg(long, value_name = "WHAT", default_value = "steps")]
    pub minimize: String,
    /// Show the value of this expression after each step
    #[arg(long, value_name = "E")]
    pub show: Vec<String>,
    /// Draw the plan, one row for each process, as SVG
    #[arg(long, value_name = "FILE")]
    pub gantt: Option<String>,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub limits: PlanLimits,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// How far to go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct PlanLimits {
    /// Most time: 500ms, 60s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// Most memory: 512M, 8G; default: most of what is available
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// Most states
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    /// Most steps of a plan
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
}

/// Runs the command.
pub fn run(arguments: &PlanArguments) -> Result<u8, Failure> {
    let config = arguments.model.validate()?;
    if let Some(path) = &arguments.gantt {
        output::claim_file(path, arguments.force)?;
    }
    if config.language.is_program() {
        return Err(Failure::new("plan cannot read model programs; check --reach and hunt can"));
    }
    let (form, chart) = match config.language.is_timed() {
        true => plan_network(arguments, &config)?,
        false => plan_model(arguments, &config)?,
    };
    if let (Some(path), true) = (&arguments.gantt, form.answer == "found") {
        output::write_file(path, chart.svg(), arguments.force)?;
    }
    match arguments.output.format {
        Format::Json => output::print_json(&form)?,
        Format::Text => output::print(&to_text(&form))?,
    }
    Ok(match form.answer.as_str() {
        "found" => failure::HOLDS,
        "impossible" => failure::VIOLATED,
        _ => failure::INCONCLUSIVE,
    })
}

/// A report without a plan.
fn report(
    arguments: &PlanArguments,
    config: &ModelConfig,
    verdict: &fathom_core::model::Verdict,
    statistics: &fathom_core::model::Statistics,
    seconds: f64,
) -> PlanReportForm {
    PlanReportForm {
        fathom: VERSION.to_owned(),
        file: config.file.clone(),
        language: config.language.name().to_owned(),
        goal: arguments.goal.clone(),
        minimize: arguments.minimize.clone(),
        answer: match verdict.answer {
            Answer::Holds => "found",
            Answer::Violated => "impossible",
            Answer::Inconclusive => "not-found",
        }
        .to_owned(),
        optimal: false,
        value: None,
        stop: verdict.stop.word().to_owned(),
        steps: Vec::new(),
        statistics: PlanStatisticsForm {
            states: statistics.states,
            transitions: statistics.transitions,
            seconds,
            peak_memory_bytes: memory::peak(),
        },
    }
}

fn plan_model(
    arguments: &PlanArguments,
    config: &ModelConfig,
) -> Result<(PlanReportForm, GanttChart), Failure> {
    if ["time", "cost"].contains(&arguments.minimize.as_str()) {
        return Err(Failure::new(format!(
            "--minimize {} has a meaning for timed automata only; give an expression",
            arguments.minimize
        )));
    }
    let interrupt = Interrupt::listen();
    let mut session = Session::open(config.clone())?;
    let asked = AskedProperty {
        kind: "reach".to_owned(),
        text: arguments.goal.clone(),
        fairness: Vec::new(),
        end: None,
        file: None,
    };
    let goal = session.ask(&asked)?;
    let cost = match arguments.minimize.as_str() {
        "steps" => None,
        text => Some(session.parse_watch(text)?),
    };
    let shown = arguments
        .show
        .iter()
        .map(|text| Ok((text.clone(), session.parse_watch(text)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    if !arguments.output.quiet {
        session.show_warnings();
    }
    let options = CheckOptions {
        engine: if cost.is_some() { Engine::BranchAndBound } else { Engine::BreadthFirst },
        properties: vec![goal],
        reductions: Reductions::NONE,
        guidance: Guidance { cost: cost.clone(), ..Guidance::default() },
        max_states: arguments.limits.max_states,
        max_depth: arguments.limits.max_depth,
        max_bytes: arguments.limits.memory.or_else(memory::default_limit),
        ..CheckOptions::default()
    };
    let mut watch = Watch::start(arguments.limits.time, interrupt, arguments.output.quiet);
    let found = fathom_core::check(session.model(), &options, &mut watch);
    let seconds = watch.finish().as_secs_f64();
    let verdict = &found.verdicts[0];
    let mut form = report(arguments, config, verdict, &found.statistics, seconds);
    let Some(trace) = &verdict.trace else { return Ok((form, GanttChart::default())) };
    let interpreter = Interpreter::new(session.model(), &[]);
    let way = Trace { evidence: Evidence::State, ..trace.clone() };
    let replayed = fathom_core::search::replay(&interpreter, &way)
        .map_err(|error| Failure::new(format!("the plan does not replay: {error}")))?;
    let mut scratch = interpreter.scratch();
    for (number, visit) in replayed.visits.iter().enumerate() {
        let template = |id| session.model().template(id);
        let mut moves = Vec::new();
        for label in &visit.labels {
            let mut add = |id, process, edge| {
                let of = template(id);
                let text = of.edge(edge).text.clone();
                moves.push(TestMoveForm { process: process_name(&of.name, process), text });
            };
            add(label.template, label.process, label.edge);
            if let Some(partner) = &label.partner {
                add(partner.template, partner.process, partner.edge);
            }
        }
        let mut values = BTreeMap::new();
        for (text, expr) in &shown {
            let value = interpreter.evaluate(&mut scratch, &visit.state, expr);
            values.insert(
                text.clone(),
                value.map_err(|fault| Failure::new(format!("--show {text}: {fault}")))?,
            );
        }
        form.steps.push(PlanStepForm { number, time: None, moves, shown: values });
    }
    let last = replayed.visits.last().map(|visit| visit.state.clone()).unwrap_or_default();
    form.value = match &cost {
        None => Some(trace.choices.len() as f64),
        Some(expr) => interpreter.evaluate(&mut scratch, &last, expr).ok().map(|value| value as f64),
    };
    form.optimal = match cost {
        None => true,
        Some(_) => found.optimality == Optimality::Cheapest,
    };
    let chart = moves_chart(&form);
    Ok((form, chart))
}

/// A bar of one step for each move.
fn moves_chart(form: &PlanReportForm) -> GanttChart {
    let mut chart = GanttChart { rows: Vec::new(), axis: "steps".to_owned() };
    for step in form.steps.iter().skip(1) {
        let (start, end) = (step.number as f64 - 1.0, step.number as f64);
        // A step of several moves of one process is one bar.
        for (at, one) in step.moves.iter().enumerate() {
            if step.moves[..at].iter().any(|other| other.process == one.process) {
                continue;
            }
            let row = chart.rows.iter().position(|row| row.name == one.process).unwrap_or_else(|| {
                chart.rows.push(GanttRow { name: one.process.clone(), bars: Vec::new() });
                chart.rows.len() - 1
            });
            chart.rows[row].bars.push(GanttBar { start, end, text: short(&one.text) });
        }
    }
    chart
}

fn plan_network(
    arguments: &PlanArguments,
    config: &ModelConfig,
) -> Result<(PlanReportForm, GanttChart), Failure> {
    if !arguments.show.is_empty() {
        return Err(Failure::new("--show is not available for timed automata"));
    }
    let interrupt = Interrupt::listen();
    let mut loaded = check_timed::load(config)?;
    let goal = loaded.ask(Asked::Reach, &arguments.goal).map_err(|diagnostics| {
        let message = format!("cannot understand --goal {}", output::quoted(&arguments.goal));
        Failure::of_diagnostics(message, &loaded.sources, &diagnostics)
    })?;
    if !arguments.output.quiet {
        check_timed::show_warnings(&loaded);
    }
    let Some(network) = &loaded.network else { return Err(Failure::new("there is no network")) };
    let best = match arguments.minimize.as_str() {
        "steps" => None,
        "time" => Some(BestWitness::Fastest),
        "cost" if network.cost.is_some() => Some(BestWitness::Cheapest),
        "cost" => return Err(Failure::new("--minimize cost: the model has no cost")),
        other => {
            return Err(Failure::new(format!(
                "--minimize {}: timed automata have steps, time and cost to be made small",
                output::quoted(other)
            )));
        }
    };
    let options = TimedOptions {
        best,
        fewest_steps: best.is_none(),
        properties: vec![goal],
        max_states: arguments.limits.max_states,
        max_depth: arguments.limits.max_depth,
        max_bytes: arguments.limits.memory.or_else(memory::default_limit),
        ..TimedOptions::default()
    };
    let mut watch = Watch::start(arguments.limits.time, interrupt, arguments.output.quiet);
    let found = check_network(network, &loaded.properties, &options, &mut watch);
    let seconds = watch.finish().as_secs_f64();
    let answer: &TimedAnswer = &found.answers[0];
    let mut form = report(arguments, config, &answer.verdict, &found.statistics, seconds);
    let Some((run, states)) = &answer.run else { return Ok((form, GanttChart::default())) };
    let units = |parts: i64| parts as f64 / run.scale as f64;
    let mut now = 0;
    form.steps.push(PlanStepForm { number: 0, time: Some(0.0), moves: Vec::new(), shown: BTreeMap::new() });
    let mut moments = vec![0.0];
    for (index, step) in run.steps.iter().enumerate() {
        now += step.delay;
        let moves = step.edges.iter().map(|&(process, edge)| {
            let of = &network.processes[process];
            let (source, target) =
                (&of.locations[of.edges[edge].source], &of.locations[of.edges[edge].target]);
            TestMoveForm { process: of.name.clone(), text: format!("{} -> {}", source.name, target.name) }
        });
        moments.push(units(now));
        form.steps.push(PlanStepForm {
            number: index + 1,
            time: Some(units(now)),
            moves: moves.collect(),
            shown: BTreeMap::new(),
        });
    }
    moments.push(units(now + run.last_delay));
    let is_ended = answer.verdict.stop == fathom_core::model::Stop::Found
        || answer.verdict.stop == fathom_core::model::Stop::Exhausted;
    form.optimal = is_ended;
    form.value = match best {
        None => Some(run.steps.len() as f64),
        Some(_) => answer.cost.map(|(cost, _)| cost as f64),
    };
    let chart = locations_chart(network, states, &moments);
    Ok((form, chart))
}

/// A bar for each stay of a process at a location.
fn locations_chart(
    network: &fathom_core::timed_automata::Network,
    states: &[fathom_core::timed_automata::concrete::ConcreteState],
    moments: &[f64],
) -> GanttChart {
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
    GanttChart { rows: rows.collect(), axis: "time".to_owned() }
}

fn to_text(form: &PlanReportForm) -> String {
    let mut text = match form.answer.as_str() {
        "found" => {
            let value = form.value.map_or(String::new(), |value| format!(", {} {value}", form.minimize));
            let optimal = if form.optimal { "optimal: proved" } else { "there may be better ones" };
            let n_steps = form.steps.len().saturating_sub(1) as u64;
            format!("{}: a plan with {}{value}; {optimal}\n\n", form.file, counted(n_steps, "step"))
        }
        "impossible" => format!("{}: no state has {}: there is no plan\n", form.file, form.goal),
        _ => format!("{}: no plan found ({})\n", form.file, form.stop),
    };
    for step in &form.steps {
        let time = step.time.map_or(String::new(), |time| format!("{time:>9}  "));
        let moves: Vec<String> =
            step.moves.iter().map(|one| format!("{}: {}", one.process, short(&one.text))).collect();
        let shown: Vec<String> = step.shown.iter().map(|(text, value)| format!("{text} = {value}")).collect();
        let shown = if shown.is_empty() { String::new() } else { format!("   [{}]", shown.join(", ")) };
        text += &format!("  {:>5}  {time}{}{shown}\n", step.number, plan_moves(&moves));
    }
    let statistics = &form.statistics;
    text += &format!(
        "\n{} states, {} transitions, {:.2} s, peak memory {}\n",
        statistics.states,
        statistics.transitions,
        statistics.seconds,
        display_size(statistics.peak_memory_bytes)
    );
    text
}

/// The moves of a step: the first, and how many more there are.
fn plan_moves(moves: &[String]) -> String {
    match moves {
        [] => "start".to_owned(),
        [one] => one.clone(),
        [one, other] => format!("{one} | {other}"),
        [one, rest @ ..] => format!("{one} (+{})", rest.len()),
    }
}
