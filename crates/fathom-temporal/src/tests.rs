//! Random graphs and random formulas, against all short lassos of the graph.

use fathom_model::{
    Accepting, Answer, Expr, Formula as ModelFormula, Model, NoRegion, PropertyId, Question, Steps, System,
    Trace,
};
use fathom_search::{
    Meaning, NoMonitor, Options, breadth_first, nested_depth_first_parallel, replay, strong_components,
    verdicts,
};

use crate::{Acceptance, AtEnd, Extended, Letter, LinearQuestion, Product, Truth};

/// A graph whose states are bytes, with two propositions on each; the properties 1 and 2 are their invariants.
#[derive(Clone, Debug)]
struct Graph {
    edges: Vec<Vec<u8>>,
    letters: Vec<[bool; 2]>,
}

impl System for Graph {
    type Region = NoRegion;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        out.push(&[0], NoRegion, &[]);
    }

    fn successors(&self, state: &[u8], _: &NoRegion, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        let at = usize::from(state[0]);
        for (index, value) in self.letters[at].into_iter().enumerate() {
            if !value {
                out.find(PropertyId(1 + index as u32), None, &[]);
            }
        }
        for &target in &self.edges[at] {
            out.push(&[target], NoRegion, &[]);
        }
    }
}

/// A seeded stream of numbers (Steele, Lea, Flood, 2014).
struct Seed(u64);

impl Seed {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 16) as usize % bound
    }

    fn graph(&mut self) -> Graph {
        let n_states = 1 + self.below(5);
        let edges =
            (0..n_states).map(|_| (0..self.below(3)).map(|_| self.below(n_states) as u8).collect()).collect();
        let letters = (0..n_states).map(|_| [self.below(2) == 0, self.below(2) == 0]).collect();
        Graph { edges, letters }
    }

    fn formula(&mut self, size: usize) -> ModelFormula {
        use ModelFormula as F;
        if size <= 1 {
            return F::State(proposition(self.below(2)));
        }
        let kind = self.below(if size == 2 { 4 } else { 11 });
        if kind < 4 {
            let operand = Box::new(self.formula(size - 1));
            return [F::Not, F::Next, F::Always, F::Eventually][kind](operand);
        }
        let split = 1 + self.below(size - 2);
        let (left, right) = (Box::new(self.formula(split)), Box::new(self.formula(size - 1 - split)));
        [F::And, F::Or, F::Implies, F::Equivalent, F::Until, F::WeakUntil, F::Release][kind - 4](left, right)
    }
}

/// An expression that stands for a proposition; graphs never evaluate it.
fn proposition(index: usize) -> Expr {
    Expr::binary(fathom_model::BinaryOp::Equal, Expr::NonProgress, Expr::Const(index as i64))
}

/// A model with the formula as its only property, in which both propositions occur in their order.
fn question(formula: ModelFormula) -> LinearQuestion {
    let both = ModelFormula::Or(
        Box::new(ModelFormula::State(proposition(0))),
        Box::new(ModelFormula::Not(Box::new(ModelFormula::State(proposition(1))))),
    );
    // Both first, so that their numbers are those of the graph; it says nothing.
    let nothing = ModelFormula::Or(Box::new(both.clone()), Box::new(ModelFormula::Not(Box::new(both))));
    let formula = ModelFormula::And(Box::new(nothing), Box::new(formula));
    let property =
        fathom_model::Property { name: "f".to_owned(), question: Question::Ltl(formula), span: None };
    let model = Model { properties: vec![property], ..Model::default() };
    LinearQuestion::new(&model, PropertyId(0)).expect("a formula")
}

fn letter(graph: &Graph, state: u8) -> Letter {
    let truth = |value: bool| if value { Truth::True } else { Truth::False };
    Letter(graph.letters[usize::from(state)].into_iter().map(truth).collect())
}

/// Whether some run of at most `longest` states that then repeats its end violates the formula.
fn violates_by_force(graph: &Graph, question: &LinearQuestion, run: &mut Vec<u8>, longest: usize) -> bool {
    let last = run[run.len() - 1];
    let stutter = [last];
    let mut next: &[u8] = &graph.edges[usize::from(last)];
    if next.is_empty() {
        next = &stutter;
    }
    for &target in next {
        let letters: Vec<Letter> = run.iter().map(|&state| letter(graph, state)).collect();
        for start in (0..run.len()).filter(|&start| run[start] == target) {
            if question.is_violated_by(&letters, start) {
                return true;
            }
        }
        if run.len() < longest {
            run.push(target);
            let found = violates_by_force(graph, question, run, longest);
            run.pop();
            if found {
                return true;
            }
        }
    }
    false
}

/// Whether the lasso of a trace of the graph violates the formula; for a trace without a loop, with some way on.
fn is_confirmed(graph: &Graph, question: &LinearQuestion, trace: &Trace) -> bool {
    let system = Extended::new(graph.clone(), AtEnd::Repeats);
    let step = |state: u8, choice: usize| {
        let mut steps = Steps::new();
        system.successors(&[state], &NoRegion, &mut (), &mut steps);
        steps.state(choice)[0]
    };
    let mut run = vec![0];
    for &choice in &trace.choices {
        run.push(step(run[run.len() - 1], choice as usize));
    }
    let loop_start = match trace.loop_at {
        Some(loop_at) => {
            assert_eq!(run.pop(), Some(run[loop_at]), "the loop closes");
            loop_at
        }
        None => {
            let start = run.len() - 1;
            loop {
                let next = step(run[run.len() - 1], 0);
                if let Some(position) = run[start..].iter().position(|&state| state == next) {
                    break start + position;
                }
                run.push(next);
            }
        }
    };
    let letters: Vec<Letter> = run.iter().map(|&state| letter(graph, state)).collect();
    question.is_violated_by(&letters, loop_start)
}

/// A trace of the graph as one of the product.
fn lifted(product: &Product<'_, Extended<Graph>>, trace: &Trace) -> Option<Trace> {
    let options = Options { properties: vec![PropertyId(0)], ..Options::default() };
    let along = product.along(trace);
    let outcome = strong_components(&along, &options, &mut NoMonitor);
    product.lift(trace, outcome.evidence[0].1.as_ref()?)
}

#[test]
fn answers_are_those_of_all_short_lassos() {
    let mut seed = Seed(5);
    let (mut n_violated, mut n_plain, mut n_loops, mut n_nested) = (0, 0, 0, 0);
    for round in 0..3000 {
        let graph = seed.graph();
        let size = 2 + seed.below(6);
        let formula = seed.formula(size);
        let question = question(formula.clone());
        let by_force = violates_by_force(&graph, &question, &mut vec![0], 6);
        let watchers =
            [Acceptance::Steps, Acceptance::States].map(|kind| question.watcher(kind).expect("small"));
        let products: Vec<_> = watchers
            .iter()
            .map(|watcher| Product::new(Extended::new(graph.clone(), AtEnd::Repeats), watcher))
            .collect();
        let options = Options { properties: vec![PropertyId(0)], ..Options::default() };
        let mut outcomes = Vec::new();
        for (product, watcher) in products.iter().zip(&watchers) {
            outcomes.push((product, strong_components(product, &options, &mut NoMonitor)));
            if product.is_state_based() && product.n_sets() <= 1 {
                // One thread mostly: starting threads takes longer than these searches.
                let n_threads = if round % 50 == 0 { 3 } else { 1 };
                n_nested += 1;
                let nested = nested_depth_first_parallel(product, n_threads, &options, &mut NoMonitor);
                outcomes.push((product, nested));
            }
            if watcher.is_plain() {
                n_plain += 1;
                outcomes.push((product, breadth_first(product, &options, &mut NoMonitor)));
            }
        }
        for (product, outcome) in outcomes {
            let verdict = verdicts(&outcome, |_| Meaning::Violation).remove(0);
            let context = || format!("round {round}: {formula:?} on {graph:?}");
            match (&verdict.trace, verdict.answer) {
                (Some(trace), Answer::Violated) => {
                    let trace = product.project(trace).expect("a trace of the product");
                    assert!(is_confirmed(&graph, &question, &trace), "{} {trace:?}", context());
                    n_violated += 1;
                    n_loops += usize::from(trace.loop_at.is_some());
                    let again = lifted(product, &trace);
                    let again = again.unwrap_or_else(|| panic!("lifted: {} {trace:?}", context()));
                    let replayed = replay(product, &again);
                    assert!(replayed.is_ok(), "{} {trace:?} {again:?}", context());
                    let projected = product.project(&again).expect("a trace of the product");
                    assert!(is_confirmed(&graph, &question, &projected), "{} {again:?}", context());
                    // Another run of the automaton may see it sooner.
                    let is_beginning = trace.choices.starts_with(&projected.choices);
                    assert!(trace.loop_at.is_some() || is_beginning, "{} {again:?}", context());
                }
                (None, Answer::Holds) => assert!(!by_force, "{}", context()),
                other => panic!("{other:?} {}", context()),
            }
        }
    }
    assert!(n_violated > 500 && n_plain > 300 && n_loops > 300, "{n_violated} {n_plain} {n_loops}");
    assert!(n_nested > 2500, "{n_nested}");
}

/// A graph in which some states are accepting.
#[derive(Clone, Debug)]
struct Marked(Graph);

impl System for Marked {
    type Region = NoRegion;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        self.0.initial(&mut (), out);
    }

    fn successors(&self, state: &[u8], _: &NoRegion, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        for &target in &self.0.edges[usize::from(state[0])] {
            out.push(&[target], NoRegion, &[]);
        }
    }
}

impl Accepting for Marked {
    fn n_sets(&self) -> u32 {
        1
    }

    fn marks(&self, state: &[u8], (): &(), _: usize) -> u64 {
        u64::from(self.0.letters[usize::from(state[0])][0])
    }

    fn is_state_based(&self) -> bool {
        true
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        self.0.letters[usize::from(state[0])][0]
    }
}

#[test]
fn a_cycle_is_found_whenever_an_accepting_state_reaches_itself() {
    let mut seed = Seed(9);
    let mut n_found = 0;
    for _ in 0..3000 {
        let n_states = 2 + seed.below(12);
        let edges: Vec<Vec<u8>> =
            (0..n_states).map(|_| (0..seed.below(4)).map(|_| seed.below(n_states) as u8).collect()).collect();
        let letters = (0..n_states).map(|_| [seed.below(4) == 0, false]).collect();
        let graph = Graph { edges, letters };
        let reach = |from: Vec<u8>| {
            let mut reached = from;
            let mut at = 0;
            while at < reached.len() {
                for &target in &graph.edges[usize::from(reached[at])] {
                    if !reached.contains(&target) {
                        reached.push(target);
                    }
                }
                at += 1;
            }
            reached
        };
        let expected = reach(vec![0]).into_iter().any(|state| {
            graph.letters[usize::from(state)][0]
                && reach(graph.edges[usize::from(state)].clone()).contains(&state)
        });
        let options = Options { properties: vec![PropertyId(0)], ..Options::default() };
        let outcome = strong_components(&Marked(graph.clone()), &options, &mut NoMonitor);
        let found = outcome.evidence[0].1.is_some();
        assert_eq!(found, expected, "{graph:?}");
        let n_threads = 1 + seed.below(3);
        let outcome =
            nested_depth_first_parallel(&Marked(graph.clone()), n_threads, &options, &mut NoMonitor);
        assert_eq!(outcome.evidence[0].1.is_some(), expected, "{n_threads} threads: {graph:?}");
        n_found += usize::from(found);
    }
    assert!((500..2500).contains(&n_found), "{n_found}");
}

/// Formulas that both logics have, with the two propositions p and q.
fn common_formulas() -> Vec<(&'static str, ModelFormula)> {
    use ModelFormula as F;
    let p = || Box::new(F::State(proposition(0)));
    let q = || Box::new(F::State(proposition(1)));
    let later = |f: Box<F>| Box::new(F::Eventually(f));
    vec![
        ("AG p", F::Always(p())),
        ("AF p", F::Eventually(p())),
        ("AX p", F::Next(p())),
        ("A [p U q]", F::Until(p(), q())),
        ("A [p W q]", F::WeakUntil(p(), q())),
        ("A [p R q]", F::Release(p(), q())),
        ("AG (p -> AF q)", F::Always(Box::new(F::Implies(p(), later(q()))))),
        ("AG (p -> AX q)", F::Always(Box::new(F::Implies(p(), Box::new(F::Next(q())))))),
        ("AG AF p", F::Always(later(p()))),
        ("A [p U A [q U p]]", F::Until(p(), Box::new(F::Until(q(), p())))),
        ("AX AX p || p", F::Or(Box::new(F::Next(Box::new(F::Next(p())))), p())),
    ]
}

#[test]
fn formulas_of_both_logics_have_one_answer() {
    let mut seed = Seed(21);
    let mut seen = [0, 0];
    for round in 0..200 {
        let graph = seed.graph();
        let successors: Vec<Vec<usize>> = graph
            .edges
            .iter()
            .enumerate()
            .map(|(state, list)| match list[..] {
                [] => vec![state],
                _ => list.iter().map(|&next| usize::from(next)).collect(),
            })
            .collect();
        let targets: Vec<u32> = successors.iter().flatten().map(|&next| next as u32).collect();
        let mut first_steps = vec![0];
        for list in &successors {
            first_steps.push(first_steps[first_steps.len() - 1] + list.len() as u32);
        }
        let mut facts = crate::Facts::new(2);
        (0..graph.letters.len()).for_each(|state| facts.push(&letter(&graph, state as u8)));
        let steps = crate::Graph::new(&first_steps, &targets);
        for (text, linear) in common_formulas() {
            let (mut formulas, mut names) =
                (fathom_logic::CtlFormulas::new(), fathom_logic::Propositions::new());
            for name in ["p", "q"] {
                names.intern(name, None);
            }
            let branching = fathom_logic::parse_ctl_text(text, &mut formulas, &mut names).expect("a formula");
            let labeling = facts.label(&steps, &formulas, branching, &[], None);
            let question = question(linear);
            let watcher = question.watcher(Acceptance::Steps).expect("small");
            let product = Product::new(Extended::new(graph.clone(), AtEnd::Repeats), &watcher);
            let options = Options { properties: vec![PropertyId(0)], ..Options::default() };
            let outcome = strong_components(&product, &options, &mut NoMonitor);
            let holds = verdicts(&outcome, |_| Meaning::Violation)[0].answer == Answer::Holds;
            assert_eq!(labeling.holds(branching, 0), Some(holds), "round {round}: {text} on {graph:?}");
            seen[usize::from(holds)] += 1;
        }
    }
    assert!(seen[0] > 300 && seen[1] > 300, "{seen:?}");
}

#[test]
fn equal_expressions_are_one_proposition() {
    let p = || Box::new(ModelFormula::State(proposition(0)));
    let formula =
        ModelFormula::Until(p(), Box::new(ModelFormula::And(p(), Box::new(ModelFormula::Next(p())))));
    assert_eq!(question(formula).propositions(), [PropertyId(1), PropertyId(2)]);
}

#[test]
fn a_system_without_a_model_is_watched_by_a_formula() {
    use fathom_logic::{Formulas, Propositions, parse_ltl_text};

    use crate::RunFormula;

    // p, then q and not q in turn.
    let graph = Graph {
        edges: vec![vec![1], vec![2], vec![1]],
        letters: vec![[true, false], [false, true], [false; 2]],
    };
    for (text, expected) in [
        ("p", Answer::Holds),
        ("[] (p -> X q)", Answer::Holds),
        ("[] <> q", Answer::Holds),
        ("<> [] q", Answer::Violated),
        ("[] !p", Answer::Violated),
        ("p U q && [] <> !q", Answer::Holds),
        ("[] (q -> X q)", Answer::Violated),
    ] {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        for name in ["p", "q"] {
            propositions.intern(name, None);
        }
        let formula = parse_ltl_text(text, &mut formulas, &mut propositions).expect("a formula");
        for acceptance in [Acceptance::Steps, Acceptance::States] {
            let (property, first) = (PropertyId(0), PropertyId(1));
            let formula = RunFormula::of_ltl((formulas.clone(), formula), 2, property, first);
            let watcher = formula.watcher(acceptance).expect("small");
            let system = Extended::new(graph.clone(), AtEnd::Repeats);
            let product = Product::new(system, &watcher);
            let options = Options { properties: vec![property], ..Options::default() };
            let outcome = match watcher.is_plain() {
                true => breadth_first(&product, &options, &mut NoMonitor),
                false => strong_components(&product, &options, &mut NoMonitor),
            };
            let found = verdicts(&outcome, |_| Meaning::Violation).remove(0);
            assert_eq!(found.answer, expected, "{text} {acceptance:?}");
        }
    }
}
