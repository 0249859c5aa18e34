//! A question about runs as a search of a product: which system is watched by the automaton, and how what is found becomes a trace of the model.

use fathom_model::{
    Accepting, Erased, Evidence, Interpreter, Model, Move, NoRegion, PropertyId, Selective, Steps, System,
    Trace, Verdict,
};
use fathom_native::NativeSystem;
use fathom_reduce::Reduced;
use fathom_search::{Meaning, NoMonitor, Options, Outcome, ReplayError, strong_components, verdicts};
use fathom_temporal::{Acceptance, AtEnd, Extended, Fair, LinearQuestion, MarkedEnd, Product, is_fair_loop};

use crate::check::{Code, Searched, does_not_replay, unsupported};
use crate::linear::{Fairness, LinearEngine};
use crate::linear_replay::with_named_fault;
use crate::order::order_of;
use crate::reduce::{Reductions, original_lasso, original_trace, reduce};

/// Sets of the automaton beside those of the processes under fairness.
const MOST_SETS_WITH_FAIRNESS: u32 = 64 - Fair::<Interpreter<'static>>::MOST_PROCESSES;

/// A system with runs that count.
type Runs<'a> = Erased<'a, NoRegion, Move>;

/// A question on its way to an answer.
pub(crate) struct Checking<'a> {
    pub(crate) model: &'a Model,
    pub(crate) question: &'a LinearQuestion,
    pub(crate) code: Code,
    pub(crate) fairness: Fairness,
    /// The reductions, which are sound for the question.
    pub(crate) wanted: Reductions,
}

/// What a search of a product gave.
struct Answered {
    outcome: Outcome,
    threads: usize,
    /// The trace of the system without the automaton.
    trace: Option<Option<Trace>>,
}

impl Checking<'_> {
    /// The answer; none when the loop of a reduced model does not close in the original.
    pub(crate) fn check(&self, engine: &mut impl LinearEngine) -> Option<Searched> {
        let Checking { model, question, code, fairness, wanted } = *self;
        let (property, asked) = (question.property(), question.propositions());
        let reduced = reduce(question.model(), &asked, wanted);
        let order = order_of(&reduced, &asked, wanted.partial_order);
        let native = match (code, &order) {
            (Code::Interpreted, _) => None,
            (Code::Native, None) => NativeSystem::new(&reduced, &asked).ok(),
            (Code::Native, Some(_)) => NativeSystem::selective(&reduced, &asked).ok(),
        };
        let interpreter = Interpreter::new(&reduced, &asked);
        let ordered = order.clone().map(|order| Reduced::of(interpreter.clone(), order));
        let answered = match (native, order) {
            (Some(native), Some(order)) => self.search_all_runs(Reduced::of(native, order), engine),
            (None, Some(order)) => self.search_all_runs(Reduced::of(interpreter.clone(), order), engine),
            (Some(native), None) => self.search_runs(native, &reduced, engine),
            (None, None) => self.search_runs(interpreter.clone(), &reduced, engine),
        };
        // A formula whose automaton is too large is one that no engine answers.
        let Some(Answered { outcome, threads, trace }) = answered else {
            return Some(Searched::without_search(unsupported(property)));
        };
        let used = Reductions { partial_order: ordered.is_some(), ..wanted };
        let mut verdict = verdict_on(property, &outcome);
        if let Some(projected) = trace {
            let no_evidence = ReplayError::NoEvidence { property, fault: None };
            let projected = projected.unwrap_or_else(|| {
                does_not_replay(model, verdict.trace.as_ref().expect("a trace was projected"), &no_evidence)
            });
            let original = match (used == Reductions::NONE, &ordered) {
                (true, _) => Some(projected),
                (false, Some(ordered)) => self.on_original(ordered, &projected),
                (false, None) => self.on_original(&interpreter, &projected),
            };
            let original = original?;
            if fairness == Fairness::Weak && !self.is_fair(&original) {
                // There are more processes than are kept track of.
                return Some(Searched::without_search(unsupported(property)));
            }
            verdict.trace = Some(with_named_fault(question, original));
        }
        let engine = engine.name();
        Some(Searched { verdict, outcome: Some(outcome), threads, engine, reductions: used })
    }

    /// Searches the runs of a system of processes that count.
    fn search_runs<S>(&self, system: S, reduced: &Model, engine: &mut impl LinearEngine) -> Option<Answered>
    where
        S: Selective<Scratch: 'static> + Sync,
    {
        match self.fairness {
            Fairness::None => self.search_all_runs(system, engine),
            Fairness::Weak => {
                let fair = Fair::new(system, reduced, self.at_end());
                self.search_with_end(Erased::accepting(fair), engine)
            }
        }
    }

    fn search_all_runs<S>(&self, system: S, engine: &mut impl LinearEngine) -> Option<Answered>
    where
        S: System<Region = NoRegion, Label = Move, Scratch: 'static> + Sync,
    {
        self.search_with_end(Erased::accepting(Extended::new(system, self.at_end())), engine)
    }

    /// What becomes of runs that end, before the formula is asked whether it sees that.
    fn at_end(&self) -> AtEnd {
        if self.question.ended().is_some() { AtEnd::Stops } else { self.question.at_end() }
    }

    fn search_with_end(&self, system: Runs<'_>, engine: &mut impl LinearEngine) -> Option<Answered> {
        match self.question.ended() {
            Some(ended) => self.search(Erased::accepting(MarkedEnd { system, ended }), engine),
            None => self.search(system, engine),
        }
    }

    fn search(&self, system: Runs<'_>, engine: &mut impl LinearEngine) -> Option<Answered> {
        let mut watcher = self.question.watcher(engine.acceptance()).ok()?;
        if system.n_sets() > 0 && watcher.n_sets() > MOST_SETS_WITH_FAIRNESS {
            watcher = self.question.watcher(Acceptance::States).ok()?;
        }
        let product = Product::new(system, &watcher);
        if let Some(lifted) = engine.given().and_then(|trace| self.lift(&product, trace)) {
            engine.note_lifted(lifted);
        }
        self.model.listing.heed(engine.alarm());
        let (outcome, threads) = engine.run(&product, self.question.property(), watcher.is_plain());
        self.model.listing.heed(None);
        let trace = outcome.evidence.first().and_then(|(_, trace)| trace.as_ref());
        let trace = trace.map(|trace| product.project(trace));
        Some(Answered { outcome, threads, trace })
    }

    /// A trace of the system as one of the product, accepted by the automaton.
    fn lift(&self, product: &Product<'_, Runs<'_>>, trace: &Trace) -> Option<Trace> {
        let limits = Options { properties: vec![self.question.property()], ..Options::default() };
        let found = strong_components(&product.along(trace), &limits, &mut NoMonitor);
        let watched = found.evidence.into_iter().find_map(|(_, watched)| watched)?;
        product.lift(trace, &watched)
    }

    /// A trace of a reduced model as one of the original; none when its loop does not close there.
    fn on_original<S>(&self, reduced: &S, trace: &Trace) -> Option<Trace>
    where
        S: System<Region = NoRegion, Label = Move> + Clone,
    {
        let (model, property, at_end) = (self.model, self.question.property(), self.question.at_end());
        let way = Trace { evidence: Evidence::State, ..trace.clone() };
        let original = Extended::new(Interpreter::new(model, &[]), at_end);
        let reduced = Extended::new(reduced.clone(), at_end);
        let followed = match trace.loop_at {
            Some(_) => original_lasso(&original, &reduced, &way),
            None => original_trace(model, &reduced, property, &way).map(Some),
        };
        let found = followed.unwrap_or_else(|error| does_not_replay(model, trace, &error))?;
        Some(Trace { evidence: trace.evidence.clone(), ..found })
    }

    /// Whether the loop of a trace is fair, as the reference interpreter sees it.
    pub(crate) fn is_fair(&self, trace: &Trace) -> bool {
        let Some(loop_at) = trace.loop_at else { return true };
        let system = Extended::new(Interpreter::new(self.model, &[]), self.question.at_end());
        let way = Trace { evidence: Evidence::State, ..trace.clone() };
        let Ok(replay) = fathom_search::replay(&system, &way) else { return false };
        let mut scratch = system.scratch();
        let mut steps = Steps::recording();
        let around: Vec<(Vec<u32>, Vec<u32>)> = replay.visits[loop_at..]
            .windows(2)
            .map(|pair| {
                steps.clear();
                system.successors(&pair[0].state, &NoRegion, &mut scratch, &mut steps);
                let first = |index: usize| steps.labels(index).first().map(|label| label.process);
                let able = (0..steps.len()).filter_map(first).collect();
                let moved = pair[1].labels.iter().flat_map(|label| {
                    [Some(label.process), label.partner.map(|partner| partner.process)].into_iter().flatten()
                });
                (able, moved.collect())
            })
            .collect();
        is_fair_loop(&around)
    }
}

/// The verdict of a search for violations of one property; an engine that did not search has no evidence.
fn verdict_on(property: PropertyId, outcome: &Outcome) -> Verdict {
    match outcome.evidence.is_empty() {
        true => Verdict { stop: outcome.stop, ..unsupported(property) },
        false => verdicts(outcome, |_| Meaning::Violation).remove(0),
    }
}
