//! The check of all engines against each other on a random model, for tests and fuzz targets.
//!
//! The bytes make a program ([`random_promela()`]); whatever the engines say about it must be what the
//! reference engine says. One level below, every step that the interpreter offers is taken again move by
//! move. A failure shows the program.

use fathom_core::model::{
    Answer, Interpreter, Model, Move, NoRegion, PropertyId, Steps, Stop, System, Verdict,
};
use fathom_core::search::NoMonitor;
use fathom_core::source::{MemoryLoader, render_text};
use fathom_core::{CheckOptions, Code, Engine, Language, Report, check, default_properties, load};

use crate::naive::{Explored, explore};
use crate::{Entropy, random_promela};

/// Models with more states are not compared.
const MOST_STATES: usize = 20_000;

/// What became of a random model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// Everyone agrees.
    Agreed {
        /// Its number of states.
        states: u64,
    },
    /// The model is too large for the reference engine.
    TooLarge,
}

/// Makes a program from bytes and compares what everyone says about it.
///
/// # Panics
///
/// When Fathom has a bug: the program is refused, an engine disagrees with the reference engine, or a step
/// cannot be taken again. The message shows the program.
pub fn check_random_model(bytes: &[u8]) -> Compared {
    let program = random_promela(&mut Entropy::new(bytes));
    let model = accepted(&program);
    match compare_engines(&model) {
        Ok(compared) => compared,
        Err(difference) => panic!("{difference}\n{program}"),
    }
}

pub(crate) fn accepted(program: &str) -> Model {
    let loader = MemoryLoader::new().with("random.pml", program);
    let loaded = load("random.pml", Language::Promela, &loader, &[]).expect("a file in memory");
    let Some(model) = loaded.model else {
        panic!("refused:\n{}\n{program}", render_text(&loaded.sources, &loaded.diagnostics, false));
    };
    if let Err(problems) = fathom_core::model::validate(&model) {
        panic!("an invalid model: {}\n{program}", problems.join("; "));
    }
    model
}

/// Compares all engines on a model whose properties are about single states; the first difference in words.
///
/// # Errors
///
/// When two of them disagree.
pub fn compare_engines(model: &Model) -> Result<Compared, String> {
    let interpreter = Interpreter::new(model, &default_properties(model));
    let Some(expected) = explore(&interpreter, MOST_STATES) else { return Ok(Compared::TooLarge) };
    check_steps(&interpreter)?;
    let complete = |engine, random_order| CheckOptions {
        engine,
        // Engines are compared on one meaning; making machine code for each run would take most of the time.
        code: Code::Interpreted,
        properties: default_properties(model),
        continue_after_all: true,
        random_order,
        ..CheckOptions::default()
    };
    let orders = [
        (Engine::BreadthFirst, None),
        (Engine::DepthFirst, None),
        (Engine::DepthFirst, Some(1)),
        (Engine::DepthFirst, Some(2)),
    ];
    let native = CheckOptions { code: Code::Native, ..complete(Engine::BreadthFirst, None) };
    check_complete(model, &expected, &native).map_err(|difference| format!("native: {difference}"))?;
    for (engine, random_order) in orders {
        let options = complete(engine, random_order);
        let told = |difference| format!("{} {random_order:?}: {difference}", engine.name());
        check_complete(model, &expected, &options).map_err(told)?;
        check_early_end(model, &expected, &options).map_err(told)?;
        check_bounds(model, &expected, &options).map_err(told)?;
    }
    Ok(Compared::Agreed { states: expected.states })
}

fn require(condition: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message()) }
}

/// Traces of every report are replayed by [`check`] itself, which panics when one does not show its evidence.
fn run(model: &Model, options: &CheckOptions) -> Report {
    check(model, options, &mut NoMonitor)
}

/// A search without limits sees what the reference engine sees.
fn check_complete(model: &Model, expected: &Explored, options: &CheckOptions) -> Result<(), String> {
    let report = run(model, options);
    let found = (report.statistics.states, report.statistics.transitions, report.stop);
    let wanted = (expected.states, expected.transitions, Stop::Exhausted);
    require(found == wanted, || format!("states, transitions, stop {found:?}, not {wanted:?}"))?;
    let matched = expected.transitions + expected.states_at_depth[0] - expected.states;
    require(report.statistics.matched == matched, || {
        format!("matched {}, not {matched}", report.statistics.matched)
    })?;
    check_evidence(&report.verdicts, &expected.evidence, options.engine, Answer::Holds)
}

/// A search that may end when every property has its evidence finds the same evidence.
fn check_early_end(model: &Model, expected: &Explored, options: &CheckOptions) -> Result<(), String> {
    let report = run(model, &CheckOptions { continue_after_all: false, ..options.clone() });
    require(report.statistics.states <= expected.states, || "an early end with more states".to_owned())?;
    check_evidence(&report.verdicts, &expected.evidence, options.engine, Answer::Holds)
}

/// A search with a bound on depth or states sees exactly what lies within the bound.
fn check_bounds(model: &Model, expected: &Explored, options: &CheckOptions) -> Result<(), String> {
    let deepest = expected.states_at_depth.len() - 1;
    for bound in [0, deepest / 2, deepest.saturating_sub(1), deepest] {
        let report = run(model, &CheckOptions { max_depth: Some(bound as u32), ..options.clone() });
        let states: u64 = expected.states_at_depth[..=bound].iter().sum();
        require(report.statistics.states == states, || {
            format!("bound {bound}: {} states, not {states}", report.statistics.states)
        })?;
        // Depth-first may have met a state beyond the bound before it found the short way to it: then it
        // does not know that nothing was left.
        let may_not_know = options.engine == Engine::DepthFirst && report.stop == Stop::Depth;
        let is_complete = bound == deepest && !may_not_know;
        let stop = if is_complete { Stop::Exhausted } else { Stop::Depth };
        require(report.stop == stop, || format!("bound {bound}: {:?}, not {stop:?}", report.stop))?;
        let within: Vec<(PropertyId, u64)> =
            expected.evidence.iter().copied().filter(|&(_, depth)| depth <= bound as u64).collect();
        let without = if is_complete { Answer::Holds } else { Answer::Inconclusive };
        check_evidence(&report.verdicts, &within, options.engine, without)
            .map_err(|difference| format!("bound {bound}: {difference}"))?;
    }
    for (max_states, stop) in [(expected.states, Stop::Exhausted), (expected.states - 1, Stop::States)] {
        let report = run(model, &CheckOptions { max_states: Some(max_states), ..options.clone() });
        let found = (report.statistics.states, report.stop);
        require(found == (max_states, stop), || {
            format!("at most {max_states} states: {found:?}, not {:?}", (max_states, stop))
        })?;
    }
    Ok(())
}

/// Exactly these properties have evidence, and breadth-first traces are as short as can be.
pub(crate) fn check_evidence(
    verdicts: &[Verdict],
    evidence: &[(PropertyId, u64)],
    engine: Engine,
    without: Answer,
) -> Result<(), String> {
    for verdict in verdicts {
        let shortest =
            evidence.iter().find(|(property, _)| *property == verdict.property).map(|(_, depth)| *depth);
        let length = verdict.trace.as_ref().map(|trace| trace.choices.len() as u64);
        let answer = if shortest.is_some() { Answer::Violated } else { without };
        let agrees = match (length, shortest) {
            (Some(length), Some(shortest)) if engine == Engine::BreadthFirst => length == shortest,
            (Some(length), Some(shortest)) => length >= shortest,
            (None, None) => true,
            _ => false,
        };
        require(agrees && verdict.answer == answer, || {
            format!(
                "property {}: {:?} after {length:?} steps; shortest {shortest:?}",
                verdict.property.0, verdict.answer
            )
        })?;
    }
    Ok(())
}

/// Offers are the same when asked for twice, with and without labels, and each can be taken move by move.
fn check_steps(interpreter: &Interpreter<'_>) -> Result<(), String> {
    let mut scratch = interpreter.scratch();
    let (mut plain, mut steps, mut again) = (Steps::new(), Steps::recording(), Steps::recording());
    interpreter.initial(&mut scratch, &mut plain);
    let mut known: std::collections::HashSet<Vec<u8>> =
        (0..plain.len()).map(|index| plain.state(index).to_vec()).collect();
    let mut frontier: Vec<Vec<u8>> = known.iter().cloned().collect();
    while let Some(state) = frontier.pop() {
        for out in [&mut plain, &mut steps, &mut again] {
            out.clear();
            // Fresh buffers once: what is left in used ones must not matter.
            match out.is_recording() {
                true => interpreter.successors(&state, &NoRegion, &mut interpreter.scratch(), out),
                false => interpreter.successors(&state, &NoRegion, &mut scratch, out),
            }
        }
        check_same(&plain, &steps)?;
        check_same(&again, &steps)?;
        check_moves(interpreter, &state, &steps)?;
        for index in 0..steps.len() {
            if known.insert(steps.state(index).to_vec()) {
                frontier.push(steps.state(index).to_vec());
            }
        }
    }
    Ok(())
}

type Offers = Steps<NoRegion, Move>;

fn check_same(one: &Offers, other: &Offers) -> Result<(), String> {
    let findings = |offers: &Offers| -> Vec<_> {
        offers.findings().iter().map(|finding| (finding.property, finding.fault.clone())).collect()
    };
    let same = one.len() == other.len()
        && (0..one.len()).all(|index| one.state(index) == other.state(index))
        && findings(one) == findings(other);
    require(same, || "the same state expanded twice gives different steps".to_owned())?;
    let same_labels = |index| !one.is_recording() || one.labels(index) == other.labels(index);
    require((0..one.len()).all(same_labels), || "the same step has different labels".to_owned())
}

/// Every step and every fault is reached again by its moves, one after the other.
fn check_moves(interpreter: &Interpreter<'_>, state: &[u8], steps: &Offers) -> Result<(), String> {
    let mut scratch = interpreter.scratch();
    for index in 0..steps.len() {
        let moves = steps.labels(index);
        let mut current = state.to_vec();
        for (number, next) in moves.iter().enumerate() {
            let executed = interpreter
                .execute_move(&mut scratch, &current, next)
                .map_err(|error| format!("move {number} of {moves:?}: {error}"))?;
            current = executed.state;
        }
        require(current == steps.state(index), || format!("{moves:?} lead to another state"))?;
    }
    for finding in steps.findings().iter().filter(|finding| finding.fault.is_some()) {
        let moves = steps.finding_labels(finding);
        let (mut current, mut fault) = (state.to_vec(), None);
        for (number, next) in moves.iter().enumerate() {
            let executed = interpreter
                .execute_move(&mut scratch, &current, next)
                .map_err(|error| format!("move {number} of {moves:?} to a fault: {error}"))?;
            (current, fault) = (executed.state, executed.fault);
        }
        require(moves.is_empty() || fault == finding.fault, || {
            format!("{moves:?} lead to {fault:?}, not to {:?}", finding.fault)
        })?;
    }
    Ok(())
}
