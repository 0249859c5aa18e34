//! Formulas on composite states, of branching and of linear time.
//!
//! The graph of all composite states is made once, and answers properties of single states as well where no state is evidence about one. Formulas of computation tree logic label it ([`CompositeLabels`]); those of linear time are products of it with an automaton. What cannot be answered so is left to explicit states: paths that are to be fair to
//! processes, questions about the formula beyond its verdict, and propositions that have no value somewhere.

use fathom_model::{
    Answer, Evidence, Interpreter, Model, Move, PropertyId, Statistics, Steps, Stop, System, Trace, Trust,
    Verdict,
};
use fathom_search::{Meaning, Monitor, Outcome, Progress, verdicts};
use fathom_symbolic::{Accepted, Composite, CompositeGraph, CompositeLabels, GaveUp, NoGraph, Partition};
use fathom_temporal::{Acceptance, BranchingQuestion, Extended, LinearQuestion};

use crate::branching::{checked, is_fair};
use crate::check::{CheckOptions, Engine, Searched};
use crate::composite::{CompositeReport, room};
use crate::insight::{Insight, SatisfiedPart, Satisfying};

/// Most initial states among which one is looked for to show a tree.
const MOST_INITIAL: f64 = 1_000_000.0;

/// The engine that answers here, in reports.
pub(crate) const ON_COMPOSITE_STATES: &str = "symbolic";

/// The answers, in the order of the properties; none where explicit states have to be asked.
pub(crate) struct Answered {
    pub(crate) answers: Vec<Option<(Searched, Option<Insight>)>>,
    /// The states of the formulas whose states are wanted; none when explicit states have to be asked.
    pub(crate) satisfying: Option<Vec<Satisfying>>,
    pub(crate) report: Option<CompositeReport>,
    /// The answers to properties of single states, with what they cost, when the graph has them.
    pub(crate) safety: Option<(Vec<Verdict>, Statistics)>,
}

/// Whether one exploration may answer formulas and properties of single states: where a complete search of its own would go through the same
/// states, and nobody wants to know how it went.
pub(crate) fn one_exploration_will_do(options: &CheckOptions) -> bool {
    matches!(options.engine, Engine::BreadthFirst | Engine::DepthFirst)
        && !options.continue_after_all
        && options.max_depth.is_none()
        && options.clock.is_none()
        && are_on_composite_states(options)
}

/// Whether formulas are answered on composite states.
fn are_on_composite_states(options: &CheckOptions) -> bool {
    !is_fair(options) && !options.vacuity
}

/// Answers formulas on composite states, and properties of single states of which there is no evidence. None when there is some: then a search finds the way to it.
pub(crate) fn check_composite_formulas(
    model: &Model,
    partition: &Partition,
    (safety, properties): (&[PropertyId], &[PropertyId]),
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Option<Answered> {
    let is_asked = !properties.is_empty() || !options.states_of.is_empty();
    if !is_asked || !are_on_composite_states(options) {
        let answers = properties.iter().map(|_| None).collect();
        return Some(Answered { answers, satisfying: None, report: None, safety: None });
    }
    let mut watched = model.clone();
    let questions: Vec<Option<BranchingQuestion>> =
        properties.iter().map(|&property| BranchingQuestion::add(&mut watched, property)).collect();
    let sets: Vec<BranchingQuestion> = options
        .states_of
        .iter()
        .filter_map(|&property| BranchingQuestion::add(&mut watched, property))
        .collect();
    let composite = Composite::new(&watched, partition, safety, room(options));
    if let Some(alarm) = monitor.alarm() {
        composite.diagrams().heed(alarm);
    }
    let mut stop = None;
    let mut goes_on = |n_expansions: u64, n_parts: u64| {
        if composite.gave_up() == Some(GaveUp::NoRoom) {
            stop = Some(Stop::Memory);
        } else if options.max_states.is_some_and(|most| n_parts > most) {
            stop = Some(Stop::States);
        } else {
            let bytes = composite.diagrams().bytes() as u64;
            let (states, transitions) = (n_parts, n_expansions);
            stop = monitor.poll(&Progress { states, transitions, depth: 0, pending: 0, bytes });
        }
        stop.is_none()
    };
    let made = CompositeGraph::new(&composite, &mut goes_on);
    let graph = match made {
        Ok(graph) => graph,
        Err(NoGraph::Found) => return None,
        Err(reason) => {
            let stop = stop_of(&composite, reason, stop);
            let answers = properties.iter().map(|&property| Some((open(property, stop), None))).collect();
            let satisfying = options.states_of.iter().map(|&property| no_states(property, stop)).collect();
            return Some(Answered { answers, satisfying: Some(satisfying), report: None, safety: None });
        }
    };
    let explored = Outcome {
        evidence: safety.iter().map(|&property| (property, None)).collect(),
        stop: Stop::Exhausted,
        depth_cut: false,
        trust: Trust::Complete,
        expected_omissions: 0.0,
        profile: None,
        statistics: Statistics {
            states: graph.n_parts() as u64,
            transitions: graph.n_steps() as u64,
            expanded: graph.n_expansions(),
            store_bytes: composite.diagrams().bytes() as u64,
            ..Statistics::default()
        },
    };
    let question = |property: PropertyId| &model.properties[property.index()].question;
    let safety = (!safety.is_empty())
        .then(|| (verdicts(&explored, |property| Meaning::of(question(property))), explored.statistics));
    let mut outcome = Some(explored);
    let mut answers = Vec::with_capacity(questions.len());
    for (&property, question) in properties.iter().zip(&questions) {
        stop = None;
        let mut goes_on = |n_expansions: u64, n_parts: u64| {
            let bytes = composite.diagrams().bytes() as u64;
            let (states, transitions) = (n_parts, n_expansions);
            stop = monitor.poll(&Progress { states, transitions, depth: 0, pending: 0, bytes });
            stop.is_none()
        };
        let answered = match question {
            Some(question) => answer(&watched, &graph, question, options, &mut goes_on),
            None => answer_linear(model, &graph, property, &mut goes_on).map(|verdict| (verdict, None)),
        };
        answers.push(match answered {
            Ok((verdict, insight)) => {
                let searched = Searched {
                    outcome: outcome.take(),
                    engine: Some(ON_COMPOSITE_STATES),
                    ..Searched::without_search(verdict)
                };
                Some((searched, insight))
            }
            // Whether that matters is for explicit states to say.
            Err(NoGraph::Faulty) => None,
            Err(reason) => Some((open(property, stop_of(&composite, reason, stop)), None)),
        });
    }
    stop = None;
    let mut goes_on = |n_expansions: u64, n_parts: u64| {
        let bytes = composite.diagrams().bytes() as u64;
        let (states, transitions) = (n_parts, n_expansions);
        stop = monitor.poll(&Progress { states, transitions, depth: 0, pending: 0, bytes });
        stop.is_none()
    };
    let counted: Vec<Result<Satisfying, NoGraph>> =
        sets.iter().map(|question| count_states(&graph, question, &mut goes_on)).collect();
    let satisfying = counted
        .into_iter()
        .zip(&options.states_of)
        .map(|(counted, &property)| match counted {
            Err(NoGraph::Faulty) => None,
            Err(reason) => Some(no_states(property, stop_of(&composite, reason, stop))),
            Ok(satisfying) => Some(satisfying),
        })
        .collect();
    let report = CompositeReport {
        partition: partition.sides().to_vec(),
        explicit_parts: graph.n_parts() as u64,
        concrete_states: graph.count(graph.all()),
        nodes: composite.diagrams().n_nodes() as u64,
        distances: Vec::new(),
    };
    Some(Answered { answers, satisfying, report: Some(report), safety })
}

fn stop_of(composite: &Composite<'_>, reason: NoGraph, stop: Option<Stop>) -> Stop {
    match reason {
        NoGraph::NoRoom if composite.gave_up() == Some(GaveUp::Stopped) => stop.unwrap_or(Stop::Time),
        NoGraph::NoRoom => Stop::Memory,
        _ => stop.unwrap_or(Stop::Cancelled),
    }
}

fn open(property: PropertyId, stop: Stop) -> Searched {
    let (answer, trust) = (Answer::Inconclusive, Trust::Sampled);
    Searched::without_search(Verdict { property, answer, trust, stop, trace: None })
}

fn no_states(property: PropertyId, stop: Stop) -> Satisfying {
    Satisfying { property, n_states: 0, parts: Vec::new(), nearest: Vec::new(), stop }
}

/// How many states satisfy each part of a formula: counted on diagrams, none of them looked at. There are no ways to the nearest ones.
fn count_states(
    graph: &CompositeGraph<'_, '_>,
    question: &BranchingQuestion,
    goes_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Satisfying, NoGraph> {
    let ctl = question.ctl();
    let labels = CompositeLabels::new(graph, ctl, goes_on)?;
    let mut parts = Vec::new();
    for formula in ctl.formulas.subformulas(ctl.formula) {
        let states = labels.states(formula).ok_or(NoGraph::Faulty)?;
        parts.push(SatisfiedPart {
            formula,
            n_states: graph.count(states) as u64,
            is_initial: graph.is_empty(&graph.both(graph.initial(), &graph.complement(states)?)?),
        });
    }
    Ok(Satisfying {
        property: question.property(),
        n_states: graph.count(graph.all()) as u64,
        parts,
        nearest: Vec::new(),
        stop: Stop::Exhausted,
    })
}

/// The answer to one formula, and why.
fn answer(
    model: &Model,
    graph: &CompositeGraph<'_, '_>,
    question: &BranchingQuestion,
    options: &CheckOptions,
    goes_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<(Verdict, Option<Insight>), NoGraph> {
    let ctl = question.ctl();
    let labels = CompositeLabels::new(graph, ctl, goes_on)?;
    let satisfied = labels.states(ctl.formula).ok_or(NoGraph::Faulty)?;
    let (good, bad) = (
        graph.both(graph.initial(), satisfied)?,
        graph.both(graph.initial(), &graph.complement(satisfied)?)?,
    );
    let holds = match options.some_initial {
        true => !graph.is_empty(&good),
        false => graph.is_empty(&bad),
    };
    let shown = graph.pick(if holds { &good } else { &bad });
    let mut tree = None;
    if let Some(state) = shown.filter(|_| graph.count(graph.initial()) <= MOST_INITIAL) {
        let system = Extended::repeating(Interpreter::new(model, &question.propositions()));
        let mut steps: Steps<_, Move> = Steps::new();
        system.initial(&mut system.scratch(), &mut steps);
        if let Some(initial) = (0..steps.len()).find(|&index| steps.state(index) == &state[..]) {
            let found = labels.explain(ctl.formula, &state, &system, goes_on)?;
            let shown = checked(question, &system, (initial as u32, &state), false, found)
                .unwrap_or_else(|error| error.panic(model));
            tree = Some(shown).filter(|shown| !holds || shown.tree.has_path());
        }
    }
    let verdict = Verdict {
        property: question.property(),
        answer: if holds { Answer::Holds } else { Answer::Violated },
        trust: Trust::Complete,
        stop: if holds { Stop::Exhausted } else { Stop::Found },
        trace: tree.as_ref().and_then(|shown| shown.tree.spine(shown.initial)),
    };
    let insight = Insight { tree, ..Insight::new(question.property()) };
    Ok((verdict, insight.if_any()))
}

/// The answer to a formula of linear time. The lasso is replayed, and the formula evaluated on it, by the caller.
fn answer_linear(
    model: &Model,
    graph: &CompositeGraph<'_, '_>,
    property: PropertyId,
    goes_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Verdict, NoGraph> {
    let question = LinearQuestion::new(model, property).ok_or(NoGraph::Faulty)?;
    if question.ended().is_some() {
        // Finite runs are seen on explicit states only.
        return Err(NoGraph::Faulty);
    }
    // An automaton that is too large is one for explicit states as well, which say so.
    let automaton = question.violations(Acceptance::Steps).map_err(|_| NoGraph::Faulty)?;
    let system = Extended::repeating(Interpreter::new(model, &[]));
    let accepted = graph.accepted(&automaton, &question.expressions(), &system, goes_on)?;
    let verdict = |answer, stop, trace| Verdict { property, answer, trust: Trust::Complete, stop, trace };
    let Accepted::Some(lasso) = accepted else {
        return Ok(verdict(Answer::Holds, Stop::Exhausted, None));
    };
    let mut trace = None;
    if let Some(lasso) = lasso.filter(|_| graph.count(graph.initial()) <= MOST_INITIAL) {
        let mut steps: Steps<_, Move> = Steps::new();
        system.initial(&mut system.scratch(), &mut steps);
        let initial = (0..steps.len()).find(|&index| steps.state(index) == &lasso.initial[..]);
        trace = initial.map(|initial| Trace {
            initial: initial as u32,
            choices: lasso.choices,
            evidence: Evidence::State,
            loop_at: Some(lasso.loop_at),
        });
    }
    Ok(verdict(Answer::Violated, Stop::Found, trace))
}
