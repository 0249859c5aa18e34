//! Formulas of computation tree logic by labels on the graph of all states.
//!
//! The graph is explored once, with native code, and labeled for each formula. Reductions that keep every step (`slice`, `dead`) keep the branching of
//! runs: a state of the reduced model has the same propositions and the same steps, in the same order, as those of the original that it stands for. The
//! others do not.

use fathom_logic::{CtlFormula, PropositionId, Strengthening, ctl_strengthenings, fold_ctl, print_ctl};
use fathom_model::{
    Answer, Evidence, Interpreter, Model, Move, NoRegion, PropertyId, Steps, Stop, System, Trace, Trust,
    Verdict,
};
use fathom_search::{Explored, Monitor, Options, Outcome, state_graph};
use fathom_temporal::{BranchingQuestion, Extended, Facts, Graph, Labeling, ProcessFacts, explain};

use crate::branching::{Branched, WrongTree, checked, faults, is_fair};
use crate::check::{CheckOptions, Searched};
use crate::code::system_of;
use crate::insight::{Constant, Insight, SatisfiedPart, Satisfying, ShownTree, Vacuous};
use crate::reduce::{Reductions, reduce};

/// Answers questions on the graph of all states; `model` has the propositions of all of them.
pub(crate) fn answer_by_labels(
    model: &Model,
    questions: &[&BranchingQuestion],
    sets: &[BranchingQuestion],
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Branched {
    if questions.is_empty() && sets.is_empty() {
        return Branched { answers: Vec::new(), satisfying: Vec::new(), outcome: None };
    }
    // Whoever asks for states means those of the model as written.
    let wanted = match sets.is_empty() {
        true => Reductions { fuse: false, partial_order: false, symmetry: false, ..options.reductions },
        false => Reductions::NONE,
    };
    let mut answer = |wanted| answer_on_graph(model, questions, sets, wanted, options, monitor);
    answer(wanted).or_else(|_| answer(Reductions::NONE)).unwrap_or_else(|error| error.panic(model))
}

/// The same on the graph of a reduced model. An error when a tree cannot be shown in the original: what is sliced away may keep a loop there from
/// closing.
fn answer_on_graph(
    model: &Model,
    questions: &[&BranchingQuestion],
    sets: &[BranchingQuestion],
    wanted: Reductions,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Result<Branched, WrongTree> {
    let all: Vec<&BranchingQuestion> = questions.iter().copied().chain(sets).collect();
    let asked: Vec<PropertyId> = all.iter().flat_map(|question| question.propositions()).collect();
    let reduced = reduce(model, &asked, wanted);
    let (explored, facts, processes) = explore(&reduced, &asked, &all, options, monitor);
    let mut outcome = Some(Outcome {
        evidence: Vec::new(),
        stop: explored.stop,
        depth_cut: false,
        trust: Trust::Complete,
        expected_omissions: 0.0,
        profile: None,
        statistics: explored.statistics,
    });
    let graph = (explored.stop == Stop::Exhausted)
        .then(|| Graph::new(explored.graph.first_steps(), explored.graph.targets()));
    let mut answers = Vec::new();
    let mut satisfying = Vec::new();
    for (index, (question, facts)) in all.iter().zip(&facts).enumerate() {
        let ctl = question.ctl();
        let labeling = graph
            .as_ref()
            .map(|graph| facts.label(graph, &ctl.formulas, ctl.formula, &ctl.fairness, processes.as_ref()));
        let answering = labeling.as_ref().map(|labeling| Answering {
            model,
            reduced: &reduced,
            question,
            explored: &explored,
            facts,
            labeling,
            processes: processes.as_ref(),
        });
        if index >= questions.len() {
            satisfying.push(match &answering {
                Some(answering) => answering.satisfying(options.n_states_shown),
                None => open_set(question.property(), &explored),
            });
            continue;
        }
        let (verdict, insight) = match &answering {
            Some(answering) => answering.answer(options)?,
            None => (Answering::open(question.property(), explored.stop), None),
        };
        // The graph was explored once for all of them.
        let searched =
            Searched { outcome: outcome.take(), reductions: wanted, ..Searched::without_search(verdict) };
        answers.push((searched, insight));
    }
    Ok(Branched { answers, satisfying, outcome })
}

/// A set of states that is not known.
fn open_set(property: PropertyId, explored: &Explored) -> Satisfying {
    let n_states = explored.statistics.states;
    Satisfying { property, n_states, parts: Vec::new(), nearest: Vec::new(), stop: explored.stop }
}

/// The graph of all states, and what is known of the propositions of each question.
fn explore(
    model: &Model,
    asked: &[PropertyId],
    questions: &[&BranchingQuestion],
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> (Explored, Vec<Facts>, Option<ProcessFacts>) {
    let (system, _) = system_of(model, asked, options.code, None);
    let system = Extended::repeating(system);
    let limits = Options {
        max_states: options.max_states,
        max_depth: options.max_depth,
        max_bytes: options.max_bytes,
        alarm: monitor.alarm(),
        ..Options::default()
    };
    model.listing.heed(limits.alarm.clone());
    let mut facts: Vec<Facts> =
        questions.iter().map(|question| Facts::new(question.ctl().propositions.len())).collect();
    let mut processes = is_fair(options).then(ProcessFacts::default);
    let see = |_, steps: &Steps<NoRegion, Move>| {
        if let Some(processes) = &mut processes {
            processes.push(steps);
        }
        for (question, facts) in questions.iter().zip(&mut facts) {
            facts.push(&question.letter(steps.findings()));
        }
        true
    };
    // Who moves is a matter of labels.
    let steps = if is_fair(options) { Steps::recording() } else { Steps::new() };
    let explored = state_graph(&system, &limits, steps, see, monitor);
    model.listing.heed(None);
    (explored, facts, processes)
}

/// One question on a labeled graph.
struct Answering<'a> {
    model: &'a Model,
    /// The model that was explored.
    reduced: &'a Model,
    question: &'a BranchingQuestion,
    explored: &'a Explored,
    facts: &'a Facts,
    labeling: &'a Labeling<'a>,
    /// Who can move and who moves, if paths are to be fair to processes.
    processes: Option<&'a ProcessFacts>,
}

impl Answering<'_> {
    fn open(property: PropertyId, stop: Stop) -> Verdict {
        Verdict { property, answer: Answer::Inconclusive, trust: Trust::Sampled, stop, trace: None }
    }

    fn answer(&self, options: &CheckOptions) -> Result<(Verdict, Option<Insight>), WrongTree> {
        let (verdict, tree) = self.verdict(options.some_initial)?;
        let mut insight = Insight { tree, ..Insight::new(verdict.property) };
        if options.vacuity {
            let ctl = self.question.ctl();
            // An invariant that holds is constant: that is what it says.
            let says_so = verdict.answer == Answer::Holds && ctl.propositions.len() == 1;
            let constants = self.facts.constants().into_iter().filter(|_| !says_so);
            insight.constants = constants
                .map(|(index, value)| Constant {
                    proposition: ctl.names.text(PropositionId::new(index)).to_owned(),
                    value,
                })
                .collect();
            if verdict.answer == Answer::Holds {
                insight.vacuous = self.vacuous();
            }
        }
        Ok((verdict, insight.if_any()))
    }

    /// The parts of a formula that holds which do not matter.
    fn vacuous(&self) -> Vec<Vacuous> {
        let ctl = self.question.ctl();
        let mut formulas = ctl.formulas.clone();
        let stronger = ctl_strengthenings(&mut formulas, ctl.formula);
        let mut found: Vec<(Strengthening<CtlFormula>, Vacuous)> = Vec::new();
        for one in stronger {
            // What is in a part that does not matter does not matter either.
            if found.iter().any(|(known, _)| one.is_inside(known)) {
                continue;
            }
            let graph = self.labeling.graph();
            let labeling = self.facts.label(graph, &formulas, one.formula, &ctl.fairness, self.processes);
            let initial = self.explored.graph.initial();
            if initial.iter().all(|&state| labeling.holds(one.formula, state) == Some(true)) {
                let folded = fold_ctl(&mut formulas, one.formula);
                let print = |formula| print_ctl(&formulas, &ctl.names, formula);
                let vacuous =
                    Vacuous { part: print(one.part), stronger: print(folded), cause: one.cause.map(print) };
                found.push((one, vacuous));
            }
        }
        found.into_iter().map(|(_, vacuous)| vacuous).collect()
    }

    /// The states that satisfy the formula, and how many satisfy each part.
    fn satisfying(&self, n_shown: usize) -> Satisfying {
        let ctl = self.question.ctl();
        let initial = self.explored.graph.initial();
        let part = |formula: CtlFormula| {
            let states = self.labeling.states(formula, false);
            SatisfiedPart {
                formula,
                n_states: states.len() as u64,
                is_initial: initial.iter().all(|&state| states.contains(state)),
            }
        };
        // Numbers are in the order of distance.
        let nearest = self.labeling.states(ctl.formula, false).iter().take(n_shown).map(|state| {
            let (initial, choices) = self.explored.graph.way(state);
            Trace { initial, choices, evidence: Evidence::State, loop_at: None }
        });
        Satisfying {
            property: self.question.property(),
            n_states: self.explored.statistics.states,
            parts: ctl.formulas.subformulas(ctl.formula).into_iter().map(part).collect(),
            nearest: nearest.collect(),
            stop: self.explored.stop,
        }
    }

    fn verdict(&self, some_initial: bool) -> Result<(Verdict, Option<ShownTree>), WrongTree> {
        let property = self.question.property();
        let formula = self.question.ctl().formula;
        let initial = self.explored.graph.initial();
        let truths: Vec<Option<bool>> =
            initial.iter().map(|&state| self.labeling.holds(formula, state)).collect();
        let verdict = |answer, trace| Verdict {
            property,
            answer,
            trust: Trust::Complete,
            stop: if answer == Answer::Violated { Stop::Found } else { Stop::Exhausted },
            trace,
        };
        if some_initial && let Some(index) = truths.iter().position(|truth| *truth == Some(true)) {
            let shown = self.show(index)?;
            let trace = shown.tree.spine(shown.initial);
            return Ok((verdict(Answer::Holds, trace), Some(shown).filter(|shown| shown.tree.has_path())));
        }
        if let Some(index) = truths.iter().position(|truth| *truth == Some(false)) {
            let shown = self.show(index)?;
            let trace = shown.tree.spine(shown.initial);
            return Ok((verdict(Answer::Violated, trace), Some(shown)));
        }
        if truths.contains(&None) {
            return Ok((verdict(Answer::Violated, self.way_to_fault()), None));
        }
        let shown = if initial.is_empty() { None } else { Some(self.show(0)?) };
        let shown = shown.filter(|shown| shown.tree.has_path());
        let trace = shown.as_ref().and_then(|shown| shown.tree.spine(shown.initial));
        Ok((verdict(Answer::Holds, trace), shown))
    }

    /// The reason why the formula is true or false in an initial state.
    fn show(&self, index: usize) -> Result<ShownTree, WrongTree> {
        let ctl = self.question.ctl();
        let state = self.explored.graph.initial()[index];
        let tree = explain(self.labeling, &ctl.formulas, ctl.formula, state);
        let system = Extended::repeating(Interpreter::new(self.model, &self.question.propositions()));
        let mut steps = Steps::new();
        system.initial(&mut system.scratch(), &mut steps);
        checked(self.question, &system, (index as u32, steps.state(index)), self.processes.is_some(), tree)
    }

    /// The way to the nearest state in which a proposition has no value.
    fn way_to_fault(&self) -> Option<Trace> {
        let state = self.facts.first_faulty()?;
        let (initial, choices) = self.explored.graph.way(state);
        let mut opened = Default::default();
        let state = self.explored.graph.state(state, &mut opened);
        let fault = faults(self.reduced, self.question, state).into_iter().next()?;
        let evidence = Evidence::Finding { property: self.question.property(), fault: Some(fault) };
        Some(Trace { initial, choices, evidence, loop_at: None })
    }
}
