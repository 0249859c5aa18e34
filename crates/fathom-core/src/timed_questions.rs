//! Questions about timed automata that have searches of their own: runs for ever, largest values, cheapest ways.

use fathom_model::{Answer, PropertyId, Statistics, Stop, Trust, Verdict};
use fathom_search::{Monitor, Progress};
use fathom_timed::cheapest::{CheapestOutcome, search_cheapest, with_time_as_cost};
use fathom_timed::concrete::{ConcreteState, Goal, TimedRun, check_run};
use fathom_timed::extremum::{Extremum, ExtremumAnswer, find_extremum};
use fathom_timed::liveness::{LivenessOutcome, LivenessQuestion, search_lasso, time_lasso};
use fathom_timed::symmetry::Symmetry;
use fathom_timed::timing::schedule;
use fathom_timed::{Conjunct, Network, TimedQuestion};

use crate::timed::{BestWitness, TimedAnswer, TimedOptions, does_not_replay};

/// Asks a monitor and the limits, and remembers why to stop.
struct Watcher<'m> {
    monitor: &'m mut dyn Monitor,
    max_states: Option<u64>,
    stop: Option<Stop>,
}

impl Watcher<'_> {
    fn may_go_on(&mut self, states: u64, transitions: u64) -> bool {
        let progress = Progress { states, transitions, depth: 0, pending: 0, bytes: 0 };
        self.stop = self.monitor.poll(&progress);
        if self.stop.is_none() && self.max_states.is_some_and(|most| states >= most) {
            self.stop = Some(Stop::States);
        }
        self.stop.is_none()
    }
}

/// The answer, and what it cost.
type Asked = (TimedAnswer, Statistics);

fn verdict(property: PropertyId, answer: Answer, stop: Stop) -> Verdict {
    Verdict { property, answer, trust: Trust::Complete, stop, trace: None }
}

/// Whether there is a run on which something is true for ever.
pub(crate) fn answer_liveness(
    network: &Network,
    property: PropertyId,
    question: &TimedQuestion,
    looked_for: LivenessQuestion<'_>,
    symmetry: Option<&Symmetry>,
    options: &TimedOptions,
    monitor: &mut dyn Monitor,
) -> Asked {
    let mut watcher = Watcher { monitor, max_states: options.max_states, stop: None };
    let mut search = |symmetry: Option<&Symmetry>| {
        search_lasso(network, looked_for, symmetry, &mut |cost| {
            watcher.may_go_on(cost.n_states, cost.n_transitions)
        })
    };
    let (mut outcome, mut cost) = search(symmetry);
    if symmetry.is_some() && matches!(outcome, LivenessOutcome::Found(_)) {
        // There is one. Which one it is, with true names, is found among all states.
        let (found, more) = search(None);
        cost.n_states += more.n_states;
        cost.n_transitions += more.n_transitions;
        outcome = found;
    }
    let statistics = Statistics {
        states: cost.n_states,
        expanded: cost.n_states,
        transitions: cost.n_transitions,
        ..Statistics::default()
    };
    let is_wanted = matches!(question, TimedQuestion::Always(_));
    let answer = |is_found: bool| if is_found == is_wanted { Answer::Holds } else { Answer::Violated };
    let answered = match outcome {
        LivenessOutcome::Found(lasso) => {
            let run = time_lasso(network, looked_for, &lasso)
                .unwrap_or_else(|error| does_not_replay(network, &lasso, &error));
            TimedAnswer {
                run: Some(run),
                for_ever: Some(lasso.for_ever),
                ..TimedAnswer::of(verdict(property, answer(true), Stop::Found))
            }
        }
        LivenessOutcome::None => TimedAnswer::of(verdict(property, answer(false), Stop::Exhausted)),
        LivenessOutcome::Cut => {
            let stop = watcher.stop.unwrap_or(Stop::Cancelled);
            TimedAnswer::of(verdict(property, Answer::Inconclusive, stop))
        }
    };
    (answered, statistics)
}

/// The largest or least value of something.
pub(crate) fn answer_extremum(
    network: &Network,
    property: PropertyId,
    asked: &Extremum,
    symmetry: Option<&Symmetry>,
    options: &TimedOptions,
    monitor: &mut dyn Monitor,
) -> Asked {
    let mut watcher = Watcher { monitor, max_states: options.max_states, stop: None };
    let (value, states) = find_extremum(network, asked, symmetry, &mut |states| watcher.may_go_on(states, 0));
    let (answer, stop) = match value {
        ExtremumAnswer::Value(..) | ExtremumAnswer::Unbounded | ExtremumAnswer::Nowhere => {
            (Answer::Holds, Stop::Exhausted)
        }
        ExtremumAnswer::AtLeast(_) => (Answer::Inconclusive, Stop::Unsupported),
        ExtremumAnswer::Cut => (Answer::Inconclusive, watcher.stop.unwrap_or(Stop::Cancelled)),
    };
    let answered = TimedAnswer { value: Some(value), ..TimedAnswer::of(verdict(property, answer, stop)) };
    (answered, Statistics { states, expanded: states, ..Statistics::default() })
}

/// The cheapest or fastest way to a goal.
pub(crate) fn answer_best(
    network: &Network,
    property: PropertyId,
    question: &TimedQuestion,
    best: BestWitness,
    options: &TimedOptions,
    monitor: &mut dyn Monitor,
) -> Asked {
    let with_time;
    let priced = match best {
        BestWitness::Cheapest => network,
        BestWitness::Fastest => {
            with_time = with_time_as_cost(network);
            &with_time
        }
    };
    let goal = question.conjuncts();
    let mut watcher = Watcher { monitor, max_states: options.max_states, stop: None };
    let (outcome, cost) = search_cheapest(priced, goal, options.zones, &mut |cost| {
        watcher.may_go_on(cost.n_states, cost.n_transitions)
    });
    let statistics = Statistics {
        states: cost.n_states,
        expanded: cost.n_expanded,
        transitions: cost.n_transitions,
        ..Statistics::default()
    };
    let is_wanted = matches!(question, TimedQuestion::Reach(_));
    let answer = |is_found: bool| if is_found == is_wanted { Answer::Holds } else { Answer::Violated };
    let answered = match outcome {
        CheapestOutcome::None => TimedAnswer::of(verdict(property, answer(false), Stop::Exhausted)),
        CheapestOutcome::Cut(None) => {
            let stop = watcher.stop.unwrap_or(Stop::Cancelled);
            TimedAnswer::of(verdict(property, Answer::Inconclusive, stop))
        }
        CheapestOutcome::Found(way) | CheapestOutcome::Cut(Some(way)) => {
            let run = cheapest_run(priced, &way.initial, &way.moves, goal)
                .unwrap_or_else(|error| does_not_replay(network, &way, &error));
            let clock = priced.cost.map_or(0, |cost| cost.clock);
            let paid = run.1.last().map_or(0, |state| state.clocks[clock]);
            assert!(
                way.is_strict || paid == way.cost * run.0.scale,
                "a run costs {paid}/{}, and {} by its zones: this is a bug in Fathom",
                run.0.scale,
                way.cost
            );
            TimedAnswer {
                run: Some(run),
                cost: Some((way.cost, way.is_strict)),
                ..TimedAnswer::of(verdict(property, answer(true), watcher.stop.unwrap_or(Stop::Found)))
            }
        }
    };
    (answered, statistics)
}

/// The earliest run with these moves that ends in a goal; of several goals the one that ends first.
fn cheapest_run(
    network: &Network,
    initial: &[u32],
    moves: &[fathom_timed::TimedMove],
    goal: &[Conjunct],
) -> Result<(TimedRun, Vec<ConcreteState>), String> {
    let mut best: Option<(i64, i64, TimedRun, Vec<ConcreteState>)> = None;
    let mut problem = "there is no goal".to_owned();
    for conjunct in goal {
        let run = match schedule(network, initial, moves, &[], &conjunct.clocks) {
            Ok(run) => run,
            Err(error) => {
                problem = error.to_string();
                continue;
            }
        };
        match check_run(network, &run, Goal::OneOf(std::slice::from_ref(conjunct))) {
            Ok(states) => {
                let time = run.steps.iter().map(|step| step.delay).sum::<i64>() + run.last_delay;
                let is_better = best.as_ref().is_none_or(|(best, scale, ..)| time * scale < best * run.scale);
                if is_better {
                    best = Some((time, run.scale, run, states));
                }
            }
            Err(error) => problem = error.to_string(),
        }
    }
    best.map(|(_, _, run, states)| (run, states)).ok_or(problem)
}
