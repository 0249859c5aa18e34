//! Formulas of linear temporal logic on networks of timed automata.
//!
//! The runs of a network ([`Runs`]) are watched by the automaton of the formula's violations, as those of any other system, and searched for a
//! run that it accepts: breadth-first where every violation shows after finitely many steps, else by strongly connected components.
//!
//! What is found is looked at again without zones and without automata. The moves get delays and are checked by the concrete meaning of the
//! network; those of a loop several times round, so that a loop of zones that no values can go round would be noticed. The
//! formula is then evaluated on the word of the locations and integers that the concrete run passes. Of a violation after finitely many steps
//! one infinite run that goes on from there is evaluated.

use std::collections::HashMap;

use fathom_model::{
    Answer, AskedOfRuns, Evidence, Fault, NoRegion, PropertyId, Statistics, Steps, System, Trace, Trust,
    Verdict,
};
use fathom_search::{
    Meaning, Monitor, Options, Outcome, Patience, StoreKind, breadth_first, strong_components, verdicts,
};
use fathom_source::{Diagnostic, FileId, SourceMap};
use fathom_temporal::{Acceptance, Letter, Product, RunFormula, Truth};
use fathom_timed::concrete::{ConcreteState, Goal, TimedRun, check_run};
use fathom_timed::liveness::ForEver;
use fathom_timed::timing::schedule;
use fathom_timed::{
    Conjunct, Environment, Expr, Network, Phase, Runs, TimedFormula, TimedMove, Valuation, stuck_ends,
};

use crate::ask::{Expansion, Resolver, RunQuestion, StateExpr, run_question};
use crate::check::unsupported;
use crate::load::Asked;
use crate::timed::{TimedAnswer, TimedOptions, does_not_replay};

/// Most steps that a violation after finitely many steps is followed to see an infinite run.
const MOST_STEPS_BEYOND: usize = 10_000;
/// Times round a loop that must have delays.
const ROUNDS: usize = 3;
/// Most moves that are timed for more than one round.
const MOST_MOVES: usize = 600;

/// Reads a formula whose propositions are expressions about states of a network.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn read_formula(
    asked: Asked,
    file: FileId,
    sources: &SourceMap,
    state_expr: StateExpr<'_, Expr>,
) -> Result<(TimedFormula, Option<Expansion>), Vec<Diagnostic>> {
    let question = run_question(asked, file, Resolver::new(sources, state_expr))?;
    let RunQuestion { formulas, asked, names, propositions, expansion } = question;
    Ok((TimedFormula { formulas, asked, names, propositions }, expansion))
}

/// Whether every run satisfies a formula.
pub(crate) fn answer_linear(
    network: &Network,
    property: PropertyId,
    asked: &TimedFormula,
    options: &TimedOptions,
    monitor: &mut dyn Monitor,
) -> (TimedAnswer, Statistics) {
    let linear = Linear::new(network, property, asked);
    let Some(Searched { outcome, trace, engine }) = linear.search(options, monitor) else {
        // The automaton is too large.
        return (TimedAnswer::of(unsupported(property)), Statistics::default());
    };
    let statistics = Statistics { expanded: outcome.statistics.states, ..outcome.statistics };
    let verdict = match outcome.evidence.is_empty() {
        true => Verdict { stop: outcome.stop, ..unsupported(property) },
        false => verdicts(&outcome, |_| Meaning::Violation).remove(0),
    };
    // Traces of the product are nobody's business.
    let verdict = Verdict { trace: None, ..verdict };
    debug_assert!(verdict.answer != Answer::Holds || verdict.trust == Trust::Complete);
    let answer = TimedAnswer { engine: Some(engine), ..TimedAnswer::of(verdict) };
    let Some(trace) = trace else { return (answer, statistics) };
    let Found { run, states, for_ever } =
        linear.look_again(&trace).unwrap_or_else(|error| does_not_replay(network, &trace, &error));
    (TimedAnswer { run: Some((run, states)), for_ever, ..answer }, statistics)
}

/// Checks a run that is said to violate a formula, and gives its states.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check_linear_again(
    network: &Network,
    asked: &TimedFormula,
    run: &TimedRun,
    for_ever: Option<ForEver>,
) -> Result<Vec<ConcreteState>, String> {
    Linear::new(network, PropertyId::from(0), asked).check_again(run, for_ever)
}

/// What the end of a run that goes on like this has to show.
fn end_of(for_ever: Option<ForEver>, anything: &[Conjunct]) -> Goal<'_> {
    match for_ever {
        Some(ForEver::Stuck) => Goal::Deadlock,
        Some(ForEver::Waiting) => Goal::Waiting(anything),
        Some(ForEver::Loop(_)) | None => Goal::OneOf(anything),
    }
}

/// Locations and integers at the end of a run.
fn last_valuation(states: &[ConcreteState]) -> Option<&Valuation> {
    states.last().map(|state| &state.valuation)
}

/// A formula on a network.
struct Linear<'a> {
    network: &'a Network,
    property: PropertyId,
    asked: &'a TimedFormula,
    formula: RunFormula,
    runs: Runs<'a>,
}

/// What came of a search.
struct Searched {
    outcome: Outcome,
    /// The trace of the runs alone.
    trace: Option<Trace>,
    engine: &'static str,
}

/// A run that violates a formula.
struct Found {
    run: TimedRun,
    states: Vec<ConcreteState>,
    for_ever: Option<ForEver>,
}

/// The moves of a trace and how they go on.
struct Way {
    initial: Vec<u32>,
    moves: Vec<TimedMove>,
    for_ever: Option<ForEver>,
}

impl<'a> Linear<'a> {
    fn new(network: &'a Network, property: PropertyId, asked: &'a TimedFormula) -> Linear<'a> {
        // Propositions have numbers of their own: nothing else is asked of the runs.
        let first = PropertyId::from(property.index() + 1);
        let (n, formulas) = (asked.propositions.len(), asked.formulas.clone());
        let formula = match &asked.asked {
            AskedOfRuns::Ltl(formula) => RunFormula::of_ltl((formulas, *formula), n, property, first),
            AskedOfRuns::Psl(psl, end) => RunFormula::of_psl((formulas, psl, *end), n, property, first),
        };
        let runs = Runs::new(network, &asked.propositions, first, formula.ended());
        Linear { network, property, asked, formula, runs }
    }

    /// Searches for a run that violates the formula; none when the automaton is too large.
    fn search(&self, options: &TimedOptions, monitor: &mut dyn Monitor) -> Option<Searched> {
        let watcher = self.formula.watcher(Acceptance::Steps).ok()?;
        let product = Product::new(self.runs.clone(), &watcher);
        let search = Options {
            properties: vec![self.property],
            continue_after_all: false,
            patience: Patience::default(),
            max_states: options.max_states,
            max_depth: options.max_depth,
            max_bytes: options.max_bytes,
            store: StoreKind::Exact,
            clock: None,
            alarm: monitor.alarm(),
        };
        let (outcome, engine) = match watcher.is_plain() {
            true => (breadth_first(&product, &search, monitor), "bfs"),
            false => (strong_components(&product, &search, monitor), "scc"),
        };
        let trace = outcome.evidence.first().and_then(|(_, trace)| trace.as_ref());
        let trace = trace.map(|trace| {
            let projected = product.project(trace);
            projected.unwrap_or_else(|| does_not_replay(self.network, trace, "it is none of the product"))
        });
        Some(Searched { outcome, trace, engine })
    }

    /// Gives a trace delays, checks them, and evaluates the formula on it.
    fn look_again(&self, trace: &Trace) -> Result<Found, String> {
        let plain = Trace { evidence: Evidence::State, ..trace.clone() };
        let replay = fathom_search::replay(&self.runs, &plain).map_err(|error| error.to_string())?;
        let Some(first) = replay.visits.first() else { return Err("there is no first state".to_owned()) };
        let last = replay.visits.last().map_or(&first.state, |visit| &visit.state);
        let for_ever = match (self.runs.phase(last), trace.loop_at) {
            (Phase::Waiting, _) => Some(ForEver::Waiting),
            (Phase::Stuck, _) => Some(ForEver::Stuck),
            (Phase::Moving, Some(at)) => Some(ForEver::Loop(at)),
            (Phase::Moving, None) | (Phase::Broken, _) => None,
        };
        let way = Way {
            initial: self.runs.valuation(&first.state).locations,
            moves: replay.visits.iter().flat_map(|visit| visit.labels.iter().cloned()).collect(),
            for_ever,
        };
        let (run, states) = self.time(&way)?;
        let at_end = last_valuation(&states);
        let is_shown = match (&trace.evidence, for_ever) {
            (Evidence::Finding { fault: Some(fault), .. }, _) => {
                at_end.is_some_and(|valuation| self.faults(valuation).contains(fault))
            }
            (_, Some(ForEver::Loop(at))) if !self.has_more_rounds(&way, at) => false,
            _ => self.is_violated_by_run(&states, for_ever, last),
        };
        match is_shown {
            true => Ok(Found { run, states, for_ever }),
            false => Err("the formula is true of this run".to_owned()),
        }
    }

    /// Whether the formula is false of a run with these states that goes on like this, when it ends in this state of the runs.
    fn is_violated_by_run(&self, states: &[ConcreteState], for_ever: Option<ForEver>, last: &[u8]) -> bool {
        // There is one state more: after the last wait.
        let valuations: Vec<&Valuation> =
            states[..states.len() - 1].iter().map(|state| &state.valuation).collect();
        let letters: Vec<Letter> = valuations.iter().map(|valuation| self.letter(valuation)).collect();
        match for_ever {
            Some(ForEver::Loop(at)) => {
                at < letters.len() - 1
                    && valuations[at] == valuations[valuations.len() - 1]
                    && self.formula.is_violated_by(&letters[..letters.len() - 1], at)
            }
            Some(ForEver::Waiting | ForEver::Stuck) => self.is_violated_by_end(&letters),
            None => self.is_violated_beyond(last, letters),
        }
    }

    /// The state of the runs that a run with numbers leads to.
    fn follow(&self, run: &TimedRun, states: &[ConcreteState]) -> Option<Vec<u8>> {
        let (mut scratch, mut steps) = (self.runs.scratch(), Steps::recording());
        self.runs.initial(&mut scratch, &mut steps);
        let mut found: Vec<Vec<u8>> = Vec::new();
        for (number, state) in states[..states.len() - 1].iter().enumerate() {
            let edges = number.checked_sub(1).map(|before| &run.steps[before].edges);
            let is_meant = |index: &usize| {
                let label = steps.labels(*index).last().filter(|label| !label.edges.is_empty());
                edges.is_none_or(|edges| label.is_some_and(|label| label.edges == *edges))
                    && self.runs.phase(steps.state(*index)) == Phase::Moving
                    && self.runs.valuation(steps.state(*index)) == state.valuation
            };
            // Where parts of a zone differ, any of them will do: the word is the same.
            let index = (0..steps.len()).find(is_meant)?;
            found.push(steps.state(index).to_vec());
            steps.clear();
            self.runs.successors(found.last()?, &NoRegion, &mut scratch, &mut steps);
        }
        found.pop()
    }

    /// Checks a run that is said to violate the formula.
    fn check_again(&self, run: &TimedRun, for_ever: Option<ForEver>) -> Result<Vec<ConcreteState>, String> {
        let anything = [Conjunct::default()];
        let states =
            check_run(self.network, run, end_of(for_ever, &anything)).map_err(|error| error.to_string())?;
        let is_fault = last_valuation(&states).is_some_and(|valuation| !self.faults(valuation).is_empty());
        let last = match for_ever {
            None if !is_fault => {
                self.follow(run, &states).ok_or_else(|| "this is no run of the zones".to_owned())?
            }
            _ => Vec::new(),
        };
        match is_fault || self.is_violated_by_run(&states, for_ever, &last) {
            true => Ok(states),
            false => Err("the formula is true of this run".to_owned()),
        }
    }

    /// The earliest delays, checked.
    fn time(&self, way: &Way) -> Result<(TimedRun, Vec<ConcreteState>), String> {
        let Way { initial, moves, for_ever } = way;
        let anything = [Conjunct::default()];
        let goal = end_of(*for_ever, &anything);
        let ends = match for_ever {
            Some(ForEver::Stuck) => {
                let stuck = Conjunct { is_stuck: Some(true), ..Conjunct::default() };
                stuck_ends(self.network, initial, moves, &stuck)
            }
            _ => vec![Vec::new()],
        };
        let mut problem = "there is no end to be shown".to_owned();
        for end in ends {
            let run = match schedule(self.network, initial, moves, &[], &end) {
                Ok(run) => run,
                Err(error) => {
                    problem = error.to_string();
                    continue;
                }
            };
            match check_run(self.network, &run, goal) {
                Ok(states) => return Ok((run, states)),
                Err(error) => problem = error.to_string(),
            }
        }
        Err(problem)
    }

    /// Whether a loop can be gone round more than once.
    fn has_more_rounds(&self, way: &Way, at: usize) -> bool {
        // What is said of the initial state is no move.
        let round = &way.moves[TimedMove::n_before_all(&way.moves) + at..];
        let more = (1..ROUNDS).flat_map(|_| round);
        let moves: Vec<TimedMove> = way.moves.iter().chain(more).cloned().collect();
        if moves.len() > MOST_MOVES {
            return true;
        }
        self.time(&Way { initial: way.initial.clone(), moves, for_ever: None }).is_ok()
    }

    /// Whether the formula is false of a run that makes no move after these letters.
    fn is_violated_by_end(&self, letters: &[Letter]) -> bool {
        let finite = self.formula.is_violated_by_finite(letters);
        finite.unwrap_or_else(|| self.formula.is_violated_by(letters, letters.len() - 1))
    }

    /// Whether the formula is false of one infinite run that begins with these letters, the last of which is that of a state.
    fn is_violated_beyond(&self, last: &[u8], mut letters: Vec<Letter>) -> bool {
        let (mut scratch, mut steps) = (self.runs.scratch(), Steps::new());
        let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut state = last.to_vec();
        for _ in 0..MOST_STEPS_BEYOND {
            if self.runs.phase(&state) != Phase::Moving {
                // The state before has the same letter.
                return self.is_violated_by_end(&letters);
            }
            if let Some(&position) = seen.get(&state) {
                letters.pop();
                return self.formula.is_violated_by(&letters, position);
            }
            seen.insert(state.clone(), letters.len() - 1);
            steps.clear();
            self.runs.successors(&state, &NoRegion, &mut scratch, &mut steps);
            state = steps.state(0).to_vec();
            if self.runs.phase(&state) == Phase::Moving {
                letters.push(self.letter(&self.runs.valuation(&state)));
            }
        }
        self.is_violated_by_end(&letters)
    }

    /// What locations and integers say about the propositions.
    fn letter(&self, valuation: &Valuation) -> Letter {
        let truth = |value: Result<i64, Fault>| match value {
            Ok(0) => Truth::False,
            Ok(_) => Truth::True,
            Err(_) => Truth::Faulty,
        };
        let mut letter = Letter(self.values(valuation).into_iter().map(truth).collect());
        if self.formula.ended().is_some() {
            letter.0.push(Truth::False);
        }
        letter
    }

    fn faults(&self, valuation: &Valuation) -> Vec<Fault> {
        self.values(valuation).into_iter().filter_map(Result::err).collect()
    }

    /// The propositions, evaluated.
    fn values(&self, Valuation { locations, values }: &Valuation) -> Vec<Result<i64, Fault>> {
        let labels = self.network.labels_of_locations();
        let environment = Environment { values, locals: &[], locations, labels: &labels };
        self.asked.propositions.iter().map(|expr| expr.evaluate(&environment)).collect()
    }
}
