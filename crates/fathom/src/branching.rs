//! Formulas of computation tree logic: which engine answers them, and the check of what it shows.
//!
//! A formula that comes down to a question about single states (`AG p`, `EF p`) is a plain search, with every engine, store,
//! thread and reduction there is, and ends with the first evidence. For all others the graph of all states is built once and
//! labeled for each; no reduction is used, since none was made to keep the branching of runs.
//!
//! The tree that shows why a formula is true or false is checked on the reference interpreter: every step is taken, and what is
//! claimed about single states is evaluated there.

use fathom_logic::{CtlFormula, CtlNode, PropositionId, ctl_strengthenings, print_ctl};
use fathom_model::{
    Answer, Evidence, Fault, Interpreter, Model, Move, NoRegion, Property, PropertyId, Steps, Stop, System,
    Trace, Trust, Verdict,
};
use fathom_native::NativeSystem;
use fathom_search::{Explored, Monitor, Options, Outcome, Replay, ReplayError, state_graph};
use fathom_temporal::{
    AcceptLoop, Branch, BranchingQuestion, Facts, Graph, Labeling, PlainSearch, ProcessFacts, Reason,
    Stuttering, Tree, evaluate_in_state, explain, is_fair_to_processes,
};

use crate::check::{CheckOptions, Code, Searched, check_states};
use crate::insight::{Constant, Insight, SatisfiedPart, Satisfying, ShownTree, Vacuous};
use crate::linear::Fairness;

/// The answers to formulas, in the order in which they are asked, and the states that satisfy others.
pub(crate) struct Branched {
    pub(crate) answers: Vec<(Searched, Option<Insight>)>,
    pub(crate) satisfying: Vec<Satisfying>,
    /// What was explored, if no answer says so.
    pub(crate) outcome: Option<Outcome>,
}

/// Answers formulas.
pub(crate) fn check_branching(
    model: &Model,
    properties: &[PropertyId],
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Branched {
    let mut watched = model.clone();
    let mut questions_of = |properties: &[PropertyId]| -> Vec<BranchingQuestion> {
        let question = |&property| BranchingQuestion::add(&mut watched, property);
        properties.iter().filter_map(question).collect()
    };
    let questions = questions_of(properties);
    let sets = questions_of(&options.states_of);
    let mut answers: Vec<Option<(Searched, Option<Insight>)>> = questions
        .iter()
        .map(|question| {
            // What does not matter can be seen in the graph only.
            let plain = question.plain_search().filter(|_| !options.vacuity)?;
            search_plainly(model, question, &plain, options, monitor)
        })
        .collect();
    let open: Vec<&BranchingQuestion> = questions
        .iter()
        .zip(&answers)
        .filter(|(_, answer)| answer.is_none())
        .map(|(question, _)| question)
        .collect();
    let labeled = answer_by_labels(&watched, &open, &sets, options, monitor);
    let mut rest = labeled.answers.into_iter();
    let answers = answers
        .iter_mut()
        .map(|answer| answer.take().or_else(|| rest.next()).expect("an answer for every question"))
        .collect();
    Branched { answers, satisfying: labeled.satisfying, outcome: labeled.outcome }
}

/// Answers a question by a search for one state; none when that meets a proposition without value, which may not matter.
fn search_plainly(
    model: &Model,
    question: &BranchingQuestion,
    plain: &PlainSearch,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Option<(Searched, Option<Insight>)> {
    let mut asked = model.clone();
    let stand_in = PropertyId::from(asked.properties.len());
    let name = format!("state of property {}", question.property().0);
    asked.properties.push(Property { name, question: plain.question.clone(), span: None });
    let alone = CheckOptions { continue_after_all: false, properties: vec![stand_in], ..options.clone() };
    let mut report = check_states(&asked, vec![stand_in], &alone, monitor);
    let found = report.verdicts.remove(0);
    if let Some(Trace { evidence: Evidence::Finding { fault: Some(_), .. }, .. }) = found.trace {
        return None;
    }
    let answer = match (found.answer, plain.is_same) {
        (Answer::Holds, false) => Answer::Violated,
        (Answer::Violated, false) => Answer::Holds,
        (answer, _) => answer,
    };
    let mut verdict = Verdict { property: question.property(), answer, ..found };
    let shown = verdict.trace.take().map(|trace| tree_of_trace(model, question, plain, &trace));
    verdict.trace = shown.as_ref().and_then(|shown| shown.tree.spine(shown.initial));
    let outcome = Outcome {
        evidence: Vec::new(),
        stop: report.stop,
        depth_cut: false,
        trust: verdict.trust,
        expected_omissions: report.expected_omissions,
        profile: report.profile,
        statistics: report.statistics,
    };
    let searched = Searched {
        verdict,
        outcome: Some(outcome),
        threads: report.threads,
        engine: None,
        reductions: report.reductions,
    };
    let insight = Insight { tree: shown, ..Insight::new(question.property()) };
    Some((searched, insight.if_any()))
}

/// The tree of a trace to a state that decides the formula.
fn tree_of_trace(
    model: &Model,
    question: &BranchingQuestion,
    plain: &PlainSearch,
    trace: &Trace,
) -> ShownTree {
    let mut watched = model.clone();
    let question = BranchingQuestion::add(&mut watched, question.property()).expect("a formula");
    let system = Stuttering(Interpreter::new(&watched, &question.propositions()));
    let way = Trace { evidence: Evidence::State, ..trace.clone() };
    let replay = fathom_search::replay(&system, &way)
        .unwrap_or_else(|error| crate::check::does_not_replay(model, trace, &error));
    let states: Vec<&[u8]> = replay.visits.iter().map(|visit| &visit.state[..]).collect();
    let (mut scratch, mut steps) = (system.scratch(), Steps::new());
    let last = states[states.len() - 1];
    system.successors(last, &NoRegion, &mut scratch, &mut steps);
    let letter = question.letter(steps.findings());
    let formulas = &question.ctl().formulas;
    let known = |formula| evaluate_in_state(formulas, formula, &letter);
    let end = Tree::of_state(formulas, plain.shown, &known);
    let branch = Branch {
        choices: way.choices,
        loop_at: None,
        claims: vec![(states.len() - 1, end)],
        steps: Vec::new(),
    };
    let formula = question.ctl().formula;
    let path = |formula, holds| Tree { formula, holds, reason: Reason::Path(branch) };
    let tree = match *formulas.node(formula) {
        CtlNode::Not(inner) => {
            Tree { formula, holds: !plain.shown.1, reason: Reason::Parts(vec![path(inner, plain.shown.1)]) }
        }
        _ => path(formula, plain.shown.1),
    };
    // What one state decides is the same on fair paths: each can go on fairly.
    checked(model, &question, &system, (trace.initial, states[0]), false, tree)
}

/// A tree after its check.
fn checked(
    model: &Model,
    question: &BranchingQuestion,
    system: &Stuttering<Interpreter<'_>>,
    (initial, state): (u32, &[u8]),
    is_fair: bool,
    mut tree: Tree<Move>,
) -> ShownTree {
    let accepts: Option<AcceptLoop<'_, Move>> = if is_fair { Some(&is_fair_to_processes) } else { None };
    if let Err(error) = question.check_tree(system, state, accepts, &mut tree) {
        panic!(
            "a tree does not show what it claims on the reference interpreter: {error}\n\
             model: {}\ntree: {tree:?}\n\
             this is a bug in Fathom; please report it together with the model",
            model.name
        );
    }
    ShownTree { initial, state: state.to_vec(), tree }
}

/// Answers questions on the graph of all states; `model` has the propositions of all of them.
fn answer_by_labels(
    model: &Model,
    questions: &[&BranchingQuestion],
    sets: &[BranchingQuestion],
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Branched {
    if questions.is_empty() && sets.is_empty() {
        return Branched { answers: Vec::new(), satisfying: Vec::new(), outcome: None };
    }
    let all: Vec<&BranchingQuestion> = questions.iter().copied().chain(sets).collect();
    let (explored, facts, processes) = explore(model, &all, options, monitor);
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
            Some(answering) => answering.answer(options),
            None => (Answering::open(question.property(), explored.stop), None),
        };
        // The graph was explored once for all of them.
        let searched = Searched { outcome: outcome.take(), ..Searched::without_search(verdict) };
        answers.push((searched, insight));
    }
    Branched { answers, satisfying, outcome }
}

/// A set of states that is not known.
fn open_set(property: PropertyId, explored: &Explored) -> Satisfying {
    let n_states = explored.statistics.states;
    Satisfying { property, n_states, parts: Vec::new(), nearest: Vec::new(), stop: explored.stop }
}

/// The graph of all states, and what is known of the propositions of each question.
fn explore(
    model: &Model,
    questions: &[&BranchingQuestion],
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> (Explored, Vec<Facts>, Option<ProcessFacts>) {
    let asked: Vec<PropertyId> = questions.iter().flat_map(|question| question.propositions()).collect();
    let native = match options.code {
        Code::Native => NativeSystem::new(model, &asked).ok(),
        Code::Interpreted => None,
    };
    match native {
        Some(native) => explore_system(&Stuttering(native), questions, options, monitor),
        None => explore_system(&Stuttering(Interpreter::new(model, &asked)), questions, options, monitor),
    }
}

fn explore_system<S: System<Region = NoRegion, Label = Move>>(
    system: &S,
    questions: &[&BranchingQuestion],
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> (Explored, Vec<Facts>, Option<ProcessFacts>) {
    let limits = Options {
        max_states: options.max_states,
        max_depth: options.max_depth,
        max_bytes: options.max_bytes,
        ..Options::default()
    };
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
    let explored = state_graph(system, &limits, steps, see, monitor);
    (explored, facts, processes)
}

/// Whether paths are to be fair to processes.
fn is_fair(options: &CheckOptions) -> bool {
    options.fair_processes || options.fairness == Fairness::Weak
}

/// One question on a labeled graph.
struct Answering<'a> {
    model: &'a Model,
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

    fn answer(&self, options: &CheckOptions) -> (Verdict, Option<Insight>) {
        let (verdict, tree) = self.verdict();
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
        (verdict, insight.if_any())
    }

    /// The parts of a formula that holds which do not matter.
    fn vacuous(&self) -> Vec<Vacuous> {
        let ctl = self.question.ctl();
        let mut formulas = ctl.formulas.clone();
        let stronger = ctl_strengthenings(&mut formulas, ctl.formula);
        let print = |formula| print_ctl(&formulas, &ctl.names, formula);
        let mut found: Vec<(CtlFormula, Vacuous)> = Vec::new();
        for one in stronger {
            // What is in a part that does not matter does not matter either.
            if found.iter().any(|(part, _)| formulas.subformulas(*part).contains(&one.part)) {
                continue;
            }
            let graph = self.labeling.graph();
            let labeling = self.facts.label(graph, &formulas, one.formula, &ctl.fairness, self.processes);
            let initial = self.explored.graph.initial();
            if initial.iter().all(|&state| labeling.holds(one.formula, state) == Some(true)) {
                let vacuous = Vacuous {
                    part: print(one.part),
                    stronger: print(one.formula),
                    cause: one.cause.map(print),
                };
                found.push((one.part, vacuous));
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

    fn verdict(&self) -> (Verdict, Option<ShownTree>) {
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
        if let Some(index) = truths.iter().position(|truth| *truth == Some(false)) {
            let shown = self.show(index);
            let trace = shown.tree.spine(shown.initial);
            return (verdict(Answer::Violated, trace), Some(shown));
        }
        if truths.contains(&None) {
            return (verdict(Answer::Violated, self.way_to_fault()), None);
        }
        let shown = (!initial.is_empty()).then(|| self.show(0)).filter(|shown| shown.tree.has_path());
        let trace = shown.as_ref().and_then(|shown| shown.tree.spine(shown.initial));
        (verdict(Answer::Holds, trace), shown)
    }

    /// The reason why the formula is true or false in an initial state.
    fn show(&self, index: usize) -> ShownTree {
        let ctl = self.question.ctl();
        let state = self.explored.graph.initial()[index];
        let tree = explain(self.labeling, &ctl.formulas, ctl.formula, state);
        let mut opened = Default::default();
        let state = self.explored.graph.state(state, &mut opened);
        let system = Stuttering(Interpreter::new(self.model, &self.question.propositions()));
        checked(self.model, self.question, &system, (index as u32, state), self.processes.is_some(), tree)
    }

    /// The way to the nearest state in which a proposition has no value.
    fn way_to_fault(&self) -> Option<Trace> {
        let state = self.facts.first_faulty()?;
        let (initial, choices) = self.explored.graph.way(state);
        let mut opened = Default::default();
        let state = self.explored.graph.state(state, &mut opened);
        let fault = faults(self.model, self.question, state).into_iter().next()?;
        let evidence = Evidence::Finding { property: self.question.property(), fault: Some(fault) };
        Some(Trace { initial, choices, evidence, loop_at: None })
    }
}

/// Why propositions have no value in a state.
fn faults(model: &Model, question: &BranchingQuestion, state: &[u8]) -> Vec<Fault> {
    let propositions = question.propositions();
    let interpreter = Interpreter::new(model, &propositions);
    let mut steps = Steps::new();
    interpreter.successors(state, &NoRegion, &mut interpreter.scratch(), &mut steps);
    let ours = steps.findings().iter().filter(|finding| propositions.contains(&finding.property));
    ours.filter_map(|finding| finding.fault.clone()).collect()
}

/// Follows one path of a tree on the reference interpreter. That the formula is true or false is more than one path can show.
pub(crate) fn replay_branching(
    model: &Model,
    property: PropertyId,
    trace: &Trace,
) -> Result<Replay<NoRegion, Move>, ReplayError> {
    let mut watched = model.clone();
    let question = BranchingQuestion::add(&mut watched, property).expect("the property is a formula");
    let system = Stuttering(Interpreter::new(&watched, &question.propositions()));
    let replay = fathom_search::replay(&system, &Trace { evidence: Evidence::State, ..trace.clone() })?;
    if let Evidence::Finding { fault, .. } = &trace.evidence {
        let found = replay.visits.last().map(|last| faults(&watched, &question, &last.state));
        if !found.unwrap_or_default().iter().any(|other| Some(other) == fault.as_ref()) {
            return Err(ReplayError::NoEvidence { property, fault: fault.clone() });
        }
    }
    Ok(replay)
}
