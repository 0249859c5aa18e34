//! Plans of models: Promela, IF without clocks, SMV.

use std::collections::BTreeMap;

use fathom_core::model::{
    Answer, Evidence, Expr, Interpreter, Model, Move, NoRegion, Statistics, System, Trace, Verdict,
};
use fathom_core::search::{Monitor, Visit, replay};
use fathom_core::{CheckOptions, Engine, Guidance, Optimality, Reductions, check};

use super::plan::{PlanArguments, Sought, moves_chart};
use super::plan_cycle::{Improved, Round, add_cost, improve, no_such_run};
use crate::arguments::ModelConfig;
use crate::failure::Failure;
use crate::memory;
use crate::monitor::{Interrupt, Watch};
use crate::session::Session;
use crate::story::process_name;
use crate::wire::{AskedProperty, PlanStepForm, TestMoveForm};

/// The best plan found.
struct Best {
    verdict: Verdict,
    statistics: Statistics,
    value: Option<i64>,
    is_optimal: bool,
}

/// Looks for a plan.
pub(super) fn plan(arguments: &PlanArguments, config: &ModelConfig) -> Result<Sought, Failure> {
    if let Some(what @ ("time" | "cost")) = arguments.minimized() {
        return Err(Failure::new(format!(
            "--minimize {what} has a meaning for timed automata only; give an expression"
        )));
    }
    let interrupt = Interrupt::listen();
    let mut session = Session::open(config.clone())?;
    let minimized = arguments.minimized().filter(|what| *what != "steps");
    let cost = minimized.map(|text| session.parse_flag("--minimize", text)).transpose()?;
    let watched = arguments
        .watched()
        .iter()
        .map(|one| Ok((one.text.clone(), session.parse_flag(one.flag, &one.text)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    for (flag, text) in arguments
        .goal
        .iter()
        .map(|text| ("--goal", text))
        .chain(arguments.cycle.keep.iter().map(|text| ("--keep", text)))
    {
        session.parse_flag(flag, text)?;
    }
    if !arguments.output.quiet {
        session.show_warnings();
    }
    let mut watch = Watch::start(arguments.limits.time, interrupt, arguments.output.quiet);
    let best = match arguments.cycle.cycle {
        true => search_cycle(arguments, &mut session, minimized.zip(cost.as_ref()), &mut watch)?,
        false => search_goal(arguments, &mut session, cost.as_ref(), &mut watch)?,
    };
    let seconds = watch.finish().as_secs_f64();
    let mut form = arguments.report(config, &best.verdict, &best.statistics, seconds);
    let Some(trace) = &best.verdict.trace else { return Ok(Sought::nothing(form)) };
    let visits = follow(session.model(), trace)?;
    let mut sought = Vec::new();
    let looking = Looking::new(session.model());
    for (number, visit) in visits.iter().enumerate() {
        let moves = moves(session.model(), visit);
        form.steps.push(PlanStepForm { number, time: None, moves, shown: BTreeMap::new() });
        let value = |(text, expr): &(String, Expr)| {
            looking.value(&visit.state, expr).map_err(|error| Failure::new(format!("{text}: {error}")))
        };
        sought.push(watched.iter().map(value).collect::<Result<Vec<i64>, Failure>>()?);
    }
    form.value = match (best.value, arguments.minimized()) {
        (Some(value), _) => Some(value as f64),
        (None, Some("steps")) => Some(trace.choices.len() as f64),
        (None, _) => None,
    };
    form.optimal = best.is_optimal;
    form.loop_at = trace.loop_at;
    let chart = moves_chart(&form);
    Ok(Sought { form, chart, values: sought, has_fixed_delays: true })
}

/// The options that all searches share.
fn options(arguments: &PlanArguments) -> CheckOptions {
    CheckOptions {
        reductions: Reductions::NONE,
        max_states: arguments.limits.max_states,
        max_depth: arguments.limits.max_depth,
        max_bytes: arguments.limits.memory.or_else(memory::default_limit),
        ..CheckOptions::default()
    }
}

fn search_goal(
    arguments: &PlanArguments,
    session: &mut Session,
    cost: Option<&Expr>,
    monitor: &mut dyn Monitor,
) -> Result<Best, Failure> {
    let goal = session.ask_reach("--goal", arguments.goal.as_deref().unwrap_or_default())?;
    let options = CheckOptions {
        engine: match (cost, arguments.minimized()) {
            (Some(_), _) => Engine::BranchAndBound,
            (None, Some(_)) => Engine::BreadthFirst,
            (None, None) => Engine::DepthFirst,
        },
        properties: vec![goal],
        guidance: Guidance { cost: cost.cloned(), ..Guidance::default() },
        store: arguments.store.kind(arguments.seed)?,
        ..options(arguments)
    };
    let mut found = check(session.model(), &options, monitor);
    let verdict = found.verdicts.swap_remove(0);
    let value = match (cost, &verdict.trace) {
        (Some(expr), Some(trace)) => {
            let visits = follow(session.model(), trace)?;
            let last = visits.last().map(|visit| &visit.state[..]).unwrap_or_default();
            Some(Looking::new(session.model()).value(last, expr).map_err(Failure::new)?)
        }
        _ => None,
    };
    let is_optimal = verdict.trace.is_some()
        && match options.engine {
            Engine::BranchAndBound => found.optimality == Optimality::Cheapest,
            engine => engine == Engine::BreadthFirst,
        };
    Ok(Best { verdict, statistics: found.statistics, value, is_optimal })
}

fn search_cycle(
    arguments: &PlanArguments,
    session: &mut Session,
    cost: Option<(&str, &Expr)>,
    monitor: &mut dyn Monitor,
) -> Result<Best, Failure> {
    let mut statistics = Statistics::default();
    let Improved { last, value, is_proved } = improve(cost.map(|(text, _)| text), |bound| {
        let keep: Vec<String> = arguments.cycle.keep.iter().cloned().chain(bound).collect();
        let asked = AskedProperty {
            kind: "psl".to_owned(),
            text: no_such_run(arguments.goal.as_deref(), &keep),
            fairness: Vec::new(),
            end: Some("weak".to_owned()),
            file: None,
        };
        let options = CheckOptions { properties: vec![session.ask(&asked)?], ..options(arguments) };
        let mut found = check(session.model(), &options, monitor);
        add_cost(&mut statistics, &found.statistics);
        let verdict = found.verdicts.swap_remove(0);
        Ok(match (verdict.answer, &verdict.trace) {
            (Answer::Violated, Some(trace)) => {
                let value = match cost {
                    None => None,
                    Some((_, expr)) => Some(largest(session.model(), trace, expr)?),
                };
                if trace.loop_at.is_none() {
                    return Err(Failure::new(
                        "--cycle: every run does this, whatever it does; give a --goal",
                    ));
                }
                Round::Found(verdict, value)
            }
            (Answer::Holds, _) => Round::Impossible(verdict),
            _ => Round::Unknown(verdict),
        })
    })?;
    Ok(Best { verdict: last, statistics, value, is_optimal: is_proved })
}

/// The largest value along a trace.
fn largest(model: &Model, trace: &Trace, expr: &Expr) -> Result<i64, Failure> {
    let looking = Looking::new(model);
    let mut largest = i64::MIN;
    for visit in follow(model, trace)? {
        largest = largest.max(looking.value(&visit.state, expr).map_err(Failure::new)?);
    }
    Ok(largest)
}

/// Follows a trace on the reference interpreter; a loop must close.
fn follow(model: &Model, trace: &Trace) -> Result<Vec<Visit<NoRegion, Move>>, Failure> {
    let way = Trace { evidence: Evidence::State, ..trace.clone() };
    let replayed = replay(&Interpreter::new(model, &[]), &way);
    Ok(replayed.map_err(|error| Failure::new(format!("the plan does not replay: {error}")))?.visits)
}

/// Evaluates expressions.
struct Looking<'a> {
    interpreter: Interpreter<'a>,
}

impl<'a> Looking<'a> {
    fn new(model: &'a Model) -> Looking<'a> {
        Looking { interpreter: Interpreter::new(model, &[]) }
    }

    fn value(&self, state: &[u8], expr: &Expr) -> Result<i64, String> {
        let mut scratch = self.interpreter.scratch();
        self.interpreter.evaluate(&mut scratch, state, expr).map_err(|fault| fault.to_string())
    }
}

/// Who did what before a state.
fn moves(model: &Model, visit: &Visit<NoRegion, Move>) -> Vec<TestMoveForm> {
    let mut moves = Vec::new();
    for label in &visit.labels {
        let mut add = |id, process, edge| {
            let of = model.template(id);
            let text = of.edge(edge).text.clone();
            moves.push(TestMoveForm { process: process_name(&of.name, process), text });
        };
        add(label.template, label.process, label.edge);
        if let Some(partner) = &label.partner {
            add(partner.template, partner.process, partner.edge);
        }
    }
    moves
}
