//! Patterns against their definition.

use crate::product::are_disjoint;
use crate::random::Seed;
use crate::*;

/// Propositions of the tests: p, q, r, s, t are 0 to 4.
const P: usize = 0;
const Q: usize = 1;
const R: usize = 2;
const S: usize = 3;
const T: usize = 4;

fn kinds() -> Vec<(PatternKind, Vec<usize>)> {
    vec![
        (PatternKind::Absence, vec![P]),
        (PatternKind::Existence, vec![P]),
        (PatternKind::BoundedExistence(0), vec![P]),
        (PatternKind::BoundedExistence(1), vec![P]),
        (PatternKind::Universality, vec![P]),
        (PatternKind::Precedence, vec![S, P]),
        (PatternKind::Response, vec![P, S]),
        (PatternKind::PrecedenceChain21, vec![S, T, P]),
        (PatternKind::PrecedenceChain12, vec![P, S, T]),
        (PatternKind::ResponseChain21, vec![S, T, P]),
        (PatternKind::ResponseChain12, vec![P, S, T]),
    ]
}

/// A scope: its states, once or twice around the loop if it never ends.
type Part = Vec<Valuation>;

/// The definition of the patterns, on the letters of a part. An endless part is given long enough to show everything.
fn holds(kind: &PatternKind, part: &Part, endless: bool) -> bool {
    let has = |at: usize, proposition: usize| part[at] >> proposition & 1 == 1;
    let all = 0..part.len();
    // In an endless part only starts in the first half count: what follows them is then seen in the rest.
    let starts = if endless { 0..part.len() / 2 } else { 0..part.len() };
    let some = |from: usize, proposition: usize| (from..part.len()).any(|at| has(at, proposition));
    match kind {
        PatternKind::Absence => all.clone().all(|at| !has(at, P)),
        PatternKind::Existence => all.clone().any(|at| has(at, P)),
        PatternKind::Universality => all.clone().all(|at| has(at, P)),
        PatternKind::BoundedExistence(n) => {
            let comes_true = |at: &usize| has(*at, P) && (*at == 0 || !has(*at - 1, P));
            all.clone().filter(comes_true).count() <= *n
        }
        PatternKind::Precedence => all.clone().all(|at| !has(at, P) || (0..=at).any(|before| has(before, S))),
        PatternKind::Response => starts.clone().all(|at| !has(at, P) || some(at, S)),
        PatternKind::PrecedenceChain21 => all.clone().all(|at| {
            let pair = |first: usize| has(first, S) && (first + 1..=at).any(|second| has(second, T));
            !has(at, P) || (0..at).any(pair)
        }),
        PatternKind::PrecedenceChain12 => {
            let pair = starts.clone().any(|at| has(at, S) && some(at + 1, T));
            let first = all.clone().find(|&at| has(at, S)).unwrap_or(0);
            !pair || (0..=first).any(|at| has(at, P))
        }
        PatternKind::ResponseChain21 => starts.clone().all(|at| {
            let second = (at + 1..part.len()).find(|&later| has(later, T));
            !has(at, S) || second.is_none_or(|second| some(second, P))
        }),
        PatternKind::ResponseChain12 => starts
            .clone()
            .all(|at| !has(at, P) || (at..part.len()).any(|first| has(first, S) && some(first + 1, T))),
    }
}

/// The scopes of a word, and whether they are endless.
fn parts(scope: usize, lasso: &Lasso) -> Vec<(Part, bool)> {
    let mut positions = vec![0];
    while positions.len() < 8 * lasso.len() {
        positions.push(lasso.next(positions[positions.len() - 1]));
    }
    let letters: Vec<Valuation> = positions.iter().map(|&at| lasso.letters()[at]).collect();
    let has = |at: usize, proposition: usize| letters[at] >> proposition & 1 == 1;
    let first = |from: usize, proposition: usize| (from..letters.len()).find(|&at| has(at, proposition));
    let rest = |from: usize| (letters[from..].to_vec(), true);
    match scope {
        0 => vec![rest(0)],
        1 => first(0, R).map(|end| (letters[..end].to_vec(), false)).into_iter().collect(),
        2 => first(0, Q).map(rest).into_iter().collect(),
        _ => (0..lasso.len())
            .filter(|&at| has(at, Q) && !has(at, R))
            .filter_map(|at| match first(at, R) {
                Some(end) => Some((letters[at..end].to_vec(), false)),
                None => (scope == 4).then(|| rest(at)),
            })
            .collect(),
    }
}

fn pattern(formulas: &mut Formulas, kind: &PatternKind, operands: &[usize], scope: usize) -> Pattern {
    let mut of = |proposition: usize| formulas.proposition(PropositionId::new(proposition));
    let scope = match scope {
        0 => Scope::Globally,
        1 => Scope::Before(of(R)),
        2 => Scope::After(of(Q)),
        3 => Scope::Between(of(Q), of(R)),
        _ => Scope::AfterUntil(of(Q), of(R)),
    };
    Pattern { kind: kind.clone(), operands: operands.iter().map(|&operand| of(operand)).collect(), scope }
}

fn random_lasso(seed: &mut Seed) -> Lasso {
    // Few propositions at a time, so that scopes are long enough to be interesting.
    let mask = (1 << P | 1 << S | 1 << T) | seed.below(32) as u64;
    let mut word = |least: usize, more: usize| -> Vec<Valuation> {
        let length = least + seed.below(more);
        (0..length).map(|_| (seed.below(32) & seed.below(32)) as u64 & mask).collect()
    };
    let (stem, repeated) = (word(0, 8), word(1, 4));
    Lasso::new(&stem, &repeated).expect("a loop")
}

#[test]
fn patterns_mean_what_their_definition_says() {
    let mut seed = Seed(21);
    for (kind, operands) in kinds() {
        for scope in 0..5 {
            let (mut formulas, mut ctl) = (Formulas::new(), CtlFormulas::new());
            let pattern = pattern(&mut formulas, &kind, &operands, scope);
            let formula = pattern.to_ltl(&mut formulas);
            let branching = pattern.to_ctl(&formulas, &mut ctl);
            let mut seen = [0, 0];
            for _ in 0..1500 {
                let lasso = random_lasso(&mut seed);
                let expected =
                    parts(scope, &lasso).iter().all(|(part, endless)| holds(&kind, part, *endless));
                let what = || format!("{kind:?} scope {scope} on {lasso:?}");
                assert_eq!(lasso.satisfies(&formulas, formula), expected, "{}", what());
                // A graph with one path knows no difference between the logics.
                let successors: Vec<Vec<usize>> = (0..lasso.len()).map(|at| vec![lasso.next(at)]).collect();
                let value = evaluate_ctl(&ctl, branching, &successors, |at, proposition| {
                    lasso.letters()[at] >> proposition.index() & 1 == 1
                });
                assert_eq!(value[0], expected, "CTL {}", what());
                seen[usize::from(expected)] += 1;
            }
            assert!(seen[0] > 0 && seen[1] > 0, "{kind:?} scope {scope}: {seen:?}");
        }
    }
}

/// The runs of a graph as an automaton.
fn runs(
    guards: Guards,
    successors: &[Vec<usize>],
    letters: &[Valuation],
    propositions: Vec<PropositionId>,
) -> Automaton {
    let mut guards = guards;
    let states = (0..successors.len())
        .map(|state| {
            let cube: Cube = (0..5).map(|at| (at, letters[state] >> at & 1 == 1)).collect();
            let guard = guards.cube(&cube);
            let step = |&target: &usize| Transition { guard, marks: Marks::NONE, target };
            successors[state].iter().map(step).collect()
        })
        .collect();
    Automaton { propositions, guards, initial: 0, states, n_sets: 0, is_state_based: true }
}

#[test]
fn the_branching_form_holds_iff_the_linear_form_holds_on_all_paths() {
    let mut seed = Seed(22);
    for (kind, operands) in kinds() {
        for scope in 0..5 {
            let (mut formulas, mut ctl) = (Formulas::new(), CtlFormulas::new());
            let pattern = pattern(&mut formulas, &kind, &operands, scope);
            let formula = pattern.to_ltl(&mut formulas);
            let branching = pattern.to_ctl(&formulas, &mut ctl);
            let core = ctl.existential(branching);
            let negation = formulas.not(formula);
            let violations = Translator::new().generalized(&mut formulas, negation).expect("small");
            let mut seen = [0, 0];
            for _ in 0..250 {
                let n_states = 3 + seed.below(4);
                let successors: Vec<Vec<usize>> = (0..n_states)
                    .map(|_| (0..1 + seed.below(2)).map(|_| seed.below(n_states)).collect())
                    .collect();
                let letters: Vec<Valuation> =
                    (0..n_states).map(|_| (seed.below(32) & seed.below(32)) as u64).collect();
                let holds =
                    |at: usize, proposition: PropositionId| letters[at] >> proposition.index() & 1 == 1;
                let value = evaluate_ctl(&ctl, branching, &successors, holds)[0];
                assert_eq!(evaluate_ctl(&ctl, core, &successors, holds)[0], value, "existential form");
                let graph = runs(Guards::new(), &successors, &letters, violations.propositions.clone());
                let expected = are_disjoint(&graph, &violations, 100_000).expect("small");
                assert_eq!(value, expected, "{kind:?} scope {scope} on {successors:?} {letters:?}");
                seen[usize::from(expected)] += 1;
            }
            assert!(seen[0] > 0 && seen[1] > 0, "{kind:?} scope {scope}: {seen:?}");
        }
    }
}

#[test]
fn patterns_are_read() {
    let read = |text: &str| {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        match parse_pattern_text(text, &mut formulas, &mut propositions) {
            Ok(pattern) => {
                let formula = pattern.to_ltl(&mut formulas);
                print_formula(&formulas, &propositions, formula)
            }
            Err(problems) => format!("error: {}", problems[0].message),
        }
    };
    for (text, expected) in [
        ("absence(p)", "[] !p"),
        ("absence(p && q) before x == 1", "<> (x == 1) -> (!(p && q) W (x == 1))"),
        ("response(p, s) globally", "[] (p -> <> s)"),
        ("existence(p) between q and r", "[] ((q && !r && <> r) -> (!r U (p && !r)))"),
        ("universality(p) after q until (r || s)", "[] ((q && !(r || s)) -> (p W (r || s)))"),
        ("bounded(p, 1) ", "!p W (p W [] !p)"),
        ("precedence(s, p) after q", "!q W (q && (!p W s))"),
        ("respond(p, q)", "error: expected the name of a pattern, found `respond`"),
        ("response(p)", "error: expected `,`, found `)`"),
        ("response(p, <> q)", "error: operands of patterns are about one state"),
        ("absence(p) between q", "error: expected `and`, found the end"),
        ("bounded(p, x)", "error: expected a number up to 50, found `x`"),
        (
            "absence(p) sometimes",
            "error: expected `globally`, `before`, `after`, `between` or the end, found `sometimes`",
        ),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn a_misspelt_scope_gets_a_suggestion() {
    let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
    let problems = parse_pattern_text("response(p, s) aftr q", &mut formulas, &mut propositions);
    let problems = problems.expect_err("no such scope");
    assert_eq!(problems[0].help.as_deref(), Some("there is a `after`"));
}
