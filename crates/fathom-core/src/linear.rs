//! Formulas of linear temporal logic, and claims about infinite runs: which engine looks for a run that violates
//! them, and the check of what it finds.
//!
//! A formula that a finite run violates if any does is a plain search of the product, with every engine, store and thread
//! there is. The others are a search for strongly connected components on one thread, or for nested cycles on
//! several, with the exact store. Weak fairness needs components.
//!
//! Reductions are used where they are sound: those that keep every step and who can take it (`slice`, `dead`) for every formula,
//! the others (`fuse`, `por`) for formulas that cannot count steps, and not with fairness, which asks who can move. The
//! edges around which nothing is put off for ever make every cycle of a reduced system one on which all processes were
//! looked at ([`PartialOrder`](fathom_reduce::PartialOrder)), and what the propositions read counts as visible.
//!
//! What is found is checked without automata ([`linear_replay`](crate::linear_replay)).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fathom_model::{Accepting, Answer, Model, NoRegion, PropertyId, Stop, Trace, Trust, Verdict};
use fathom_search::{Monitor, Options, Outcome, StoreKind, nested_depth_first_parallel, strong_components};
use fathom_temporal::{Acceptance, LinearQuestion};

use crate::check::{CheckOptions, Code, FEW_STATES, Searched, run, unsupported};
use crate::linear_product::Checking;
use crate::reduce::Reductions;

/// A lasso that threads have found is replaced by a shorter one found with up to so many times the states.
const FACTOR_FOR_SHORT: u64 = 4;

/// Which runs count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// Those in which no process can move from some state on for ever without doing so.
    Weak,
}

impl Fairness {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Fairness::None => "none",
            Fairness::Weak => "weak",
        }
    }
}

/// Something that looks for accepted runs.
pub(crate) trait LinearEngine {
    /// Which automaton it wants.
    fn acceptance(&self) -> Acceptance {
        Acceptance::States
    }

    /// Which runs count.
    fn fairness(&self) -> Fairness {
        Fairness::None
    }

    /// Which reductions may be used, where they are sound.
    fn reductions(&self) -> Reductions {
        Reductions::NONE
    }

    /// What searched last, when it is not what the user asked for.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// A flag that is set when it is time to stop, if there is one.
    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        None
    }

    /// A trace of the model that it wants as one of the product.
    fn given(&self) -> Option<&Trace> {
        None
    }

    /// The trace that was [given](LinearEngine::given), on the product that comes next; not called when it is none of it.
    fn note_lifted(&mut self, _: Trace) {}

    /// Looks for evidence about a property in a product with an automaton; `is_plain` when finite runs decide. Gives the
    /// number of threads, too.
    fn run<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        property: PropertyId,
        is_plain: bool,
    ) -> (Outcome, usize);
}

/// The complete engines.
pub(crate) struct Exhaustive<'a> {
    options: &'a CheckOptions,
    monitor: &'a mut dyn Monitor,
    searched: Option<&'static str>,
}

impl<'a> Exhaustive<'a> {
    /// With these options.
    pub(crate) fn new(options: &'a CheckOptions, monitor: &'a mut dyn Monitor) -> Exhaustive<'a> {
        Exhaustive { options, monitor, searched: None }
    }

    /// The threads that can be used for cycles: fairness and a bound on depth take one.
    fn most_threads(&self) -> usize {
        let options = self.options;
        let is_alone = options.max_depth.is_some()
            || options.store != StoreKind::Exact
            || options.clock.is_some()
            || options.fairness != Fairness::None;
        if is_alone { 1 } else { options.threads.max(1) }
    }

    /// Searches with threads for cycles; what they find is replaced by something shorter.
    fn run_together<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        threads: usize,
        limits: Options,
    ) -> Outcome {
        let mut outcome = nested_depth_first_parallel(system, threads, &limits, self.monitor);
        if outcome.evidence.iter().any(|(_, trace)| trace.is_some()) {
            // Which lasso was found depends on the race, and it is long. A search of about as many states by
            // components finds a short one, the same every time.
            let most = FEW_STATES.max(outcome.statistics.states.saturating_mul(FACTOR_FOR_SHORT));
            let again = Options { max_states: Some(most), ..limits };
            let short = strong_components(system, &again, self.monitor);
            if short.evidence.iter().any(|(_, trace)| trace.is_some()) {
                outcome.evidence = short.evidence;
            }
        }
        outcome
    }
}

impl LinearEngine for Exhaustive<'_> {
    fn acceptance(&self) -> Acceptance {
        if self.most_threads() > 1 { Acceptance::States } else { Acceptance::Steps }
    }

    fn fairness(&self) -> Fairness {
        self.options.fairness
    }

    fn reductions(&self) -> Reductions {
        self.options.reductions
    }

    fn name(&self) -> Option<&'static str> {
        self.searched
    }

    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        self.monitor.alarm()
    }

    fn run<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        property: PropertyId,
        is_plain: bool,
    ) -> (Outcome, usize) {
        let options = self.options;
        if is_plain {
            self.searched = Some(options.engine.name());
            let alone = CheckOptions { continue_after_all: false, ..options.clone() };
            return run(system, &alone, vec![property], self.monitor);
        }
        let limits = Options {
            properties: vec![property],
            max_states: options.max_states,
            max_depth: options.max_depth,
            max_bytes: options.max_bytes,
            alarm: self.monitor.alarm(),
            ..Options::default()
        };
        let can_share = system.is_state_based() && system.n_sets() <= 1;
        let threads = if can_share { self.most_threads() } else { 1 };
        self.searched = Some("scc");
        let few = limits.max_states.map_or(FEW_STATES, |most| most.min(FEW_STATES));
        let is_first = threads > 1 && limits.max_states != Some(few);
        let first =
            Options { max_states: if is_first { Some(few) } else { limits.max_states }, ..limits.clone() };
        let outcome = strong_components(system, &first, self.monitor);
        if !is_first || outcome.stop != Stop::States {
            return (outcome, 1);
        }
        self.searched = Some("cndfs");
        (self.run_together(system, threads, limits), threads)
    }
}

/// Answers a formula, a question about cycles or a claim with an engine; nothing when the property is something else.
pub(crate) fn check_linear(
    model: &Model,
    property: PropertyId,
    code: Code,
    engine: &mut impl LinearEngine,
) -> Option<Searched> {
    let question = LinearQuestion::new(model, property)?;
    Some(check_question(model, &question, code, engine))
}

/// Answers a question about runs; the trace is one of the model.
pub(crate) fn check_question(
    model: &Model,
    question: &LinearQuestion,
    code: Code,
    engine: &mut impl LinearEngine,
) -> Searched {
    let property = question.property();
    let (fairness, wanted) = (engine.fairness(), sound_reductions(question, engine));
    let searched = Checking { model, question, code, fairness, wanted }.check(engine);
    // What is sliced away may keep a loop of the original from closing within reason.
    searched.unwrap_or_else(|| {
        let wanted = Reductions::NONE;
        let again = Checking { model, question, code, fairness, wanted }.check(engine);
        again.unwrap_or_else(|| Searched::without_search(unsupported(property)))
    })
}

/// The reductions that keep the answer.
fn sound_reductions(question: &LinearQuestion, engine: &impl LinearEngine) -> Reductions {
    // A run through classes of states is not one run.
    let wanted = Reductions { symmetry: false, ..engine.reductions() };
    let keeps_steps = Reductions { fuse: false, partial_order: false, ..wanted };
    if engine.fairness() == Fairness::Weak || question.ended().is_some() {
        return keeps_steps;
    }
    if (wanted.fuse || wanted.partial_order) && !question.is_stutter_invariant() {
        return keeps_steps;
    }
    wanted
}

/// How far an answer without a search can be trusted, for the report of a run that searched nothing.
pub(crate) fn stop_of(verdicts: &[Verdict]) -> Stop {
    let early = verdicts.iter().find(|verdict| verdict.answer == Answer::Inconclusive);
    match early {
        Some(verdict) => verdict.stop,
        None if verdicts
            .iter()
            .all(|verdict| verdict.trust == Trust::Complete && verdict.trace.is_none()) =>
        {
            Stop::Exhausted
        }
        None => Stop::Found,
    }
}
