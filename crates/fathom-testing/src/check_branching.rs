//! The check of the labels of computation tree logic against their definition, for tests and fuzz targets.
//!
//! The bytes make a graph, what is true in its states, a formula and fairness constraints. In every state the labels must be what the
//! naive fixpoints of `fathom-logic` say, and the tree that shows why must pass its check.

use fathom_core::logic::{
    CtlFormula, CtlFormulas, CtlNode, PropositionId, Propositions, Quantifier, evaluate_ctl,
    evaluate_fair_ctl, parse_ctl_text, print_ctl,
};
use fathom_core::model::{Finding, NoRegion, PropertyId, Steps, System};
use fathom_core::search::{NoMonitor, Options, state_graph};
use fathom_core::temporal::{Facts, FairLoops, Graph, Letter, Tree, Truth, check_tree, explain};

use crate::Entropy;

/// Propositions of the graphs.
const NAMES: [&str; 3] = ["p", "q", "r"];

/// A graph of bytes; every state has a step.
#[derive(Clone, Debug)]
struct Arrows {
    steps: Vec<Vec<u8>>,
    truths: Vec<[bool; 3]>,
}

impl System for Arrows {
    type Region = NoRegion;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        (0..self.steps.len()).for_each(|state| out.push(&[state as u8], NoRegion, &[]));
    }

    fn successors(&self, state: &[u8], _: &NoRegion, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        let at = usize::from(state[0]);
        for (index, _) in self.truths[at].iter().enumerate().filter(|(_, truth)| !**truth) {
            out.find(PropertyId(index as u32), None, &[]);
        }
        self.steps[at].iter().for_each(|&target| out.push(&[target], NoRegion, &[]));
    }
}

fn read(findings: &[Finding]) -> Letter {
    let mut letter = Letter(vec![Truth::True; NAMES.len()]);
    findings.iter().for_each(|finding| letter.0[finding.property.index()] = Truth::False);
    letter
}

fn arrows(entropy: &mut Entropy<'_>) -> Arrows {
    let n_states = 1 + entropy.below(8);
    let steps = (0..n_states)
        .map(|_| (0..=entropy.below(3)).map(|_| entropy.below(n_states) as u8).collect())
        .collect();
    let truths = (0..n_states)
        .map(|_| {
            let bits = entropy.below(8);
            [bits & 1 == 1, bits & 2 == 2, bits & 4 == 4]
        })
        .collect();
    Arrows { steps, truths }
}

/// A formula of at most so many nested operators.
fn formula(entropy: &mut Entropy<'_>, formulas: &mut CtlFormulas, depth: usize) -> CtlFormula {
    if depth == 0 || entropy.chance(15) {
        return match entropy.below(10) {
            0 => CtlFormula::TRUE,
            1 => CtlFormula::FALSE,
            other => formulas.make(CtlNode::Proposition(PropositionId::new(other % NAMES.len()))),
        };
    }
    let quantifier = *entropy.pick(&[Quantifier::All, Quantifier::Exists]);
    let kind = entropy.below(12);
    let left = formula(entropy, formulas, depth - 1);
    if kind < 4 {
        return formulas.make(match kind {
            0 => CtlNode::Not(left),
            1 => CtlNode::Next(quantifier, left),
            2 => CtlNode::Eventually(quantifier, left),
            _ => CtlNode::Always(quantifier, left),
        });
    }
    let right = formula(entropy, formulas, depth - 1);
    formulas.make(match kind {
        4 => CtlNode::And(left, right),
        5 => CtlNode::Or(left, right),
        6 => CtlNode::Implies(left, right),
        7 => CtlNode::Equivalent(left, right),
        8 => CtlNode::Until(quantifier, left, right),
        9 => CtlNode::WeakUntil(quantifier, left, right),
        10 => CtlNode::Release(quantifier, left, right),
        _ => CtlNode::StrongRelease(quantifier, left, right),
    })
}

/// Makes a graph, a formula and fairness constraints from bytes and compares labels with what they mean. Gives the number of states in which
/// the formula is true, and of states.
///
/// # Panics
///
/// When Fathom has a bug: labels are wrong, a tree does not pass its check, or the formula is not read back as it was printed.
pub fn check_branching(bytes: &[u8]) -> (usize, usize) {
    let mut entropy = Entropy::new(bytes);
    let system = arrows(&mut entropy);
    let mut formulas = CtlFormulas::new();
    let depth = 1 + entropy.below(4);
    let asked = formula(&mut entropy, &mut formulas, depth);
    let constraints: Vec<usize> = (0..entropy.below(3)).map(|_| entropy.below(NAMES.len())).collect();
    let fairness: Vec<CtlFormula> = constraints
        .iter()
        .map(|&index| formulas.make(CtlNode::Proposition(PropositionId::new(index))))
        .collect();
    let n_states = system.steps.len();
    let successors: Vec<Vec<usize>> =
        system.steps.iter().map(|list| list.iter().map(|&next| usize::from(next)).collect()).collect();
    let holds = |state: usize, proposition: PropositionId| system.truths[state][proposition.index()];
    let again: Vec<Vec<bool>> = constraints
        .iter()
        .map(|&index| (0..n_states).map(|state| system.truths[state][index]).collect())
        .collect();
    let expected = evaluate_fair_ctl(&mut formulas, asked, &successors, holds, &again);
    if again.is_empty() {
        assert_eq!(evaluate_ctl(&formulas, asked, &successors, holds), expected, "two ways to say the same");
    }
    check_printing(&formulas, asked);

    let mut facts = Facts::new(NAMES.len());
    let see = |_, steps: &Steps<NoRegion, ()>| {
        facts.push(&read(steps.findings()));
        true
    };
    let explored = state_graph(&system, &Options::default(), Steps::new(), see, &mut NoMonitor);
    assert_eq!(explored.graph.n_states(), n_states);
    let graph = Graph::new(explored.graph.first_steps(), explored.graph.targets());
    let labeling = facts.label(&graph, &formulas, asked, &fairness, None);
    for (state, &expected) in expected.iter().enumerate() {
        let context =
            || format!("state {state}, fairness {constraints:?}, {}: {system:?}", text(&formulas, asked));
        // All states are initial, so numbers are those of the graph.
        assert_eq!(labeling.holds(asked, state as u32), Some(expected), "{}", context());
        let mut tree: Tree<()> = explain(&labeling, &formulas, asked, state as u32);
        assert_eq!(tree.holds, expected);
        let checked = check_tree(
            &system,
            &formulas,
            &FairLoops { constraints: &fairness, accepts: None },
            &read,
            &[state as u8],
            &mut tree,
        );
        assert_eq!(checked, Ok(()), "{} {tree:?}", context());
    }
    (expected.iter().filter(|&&value| value).count(), n_states)
}

fn names() -> Propositions {
    let mut names = Propositions::new();
    NAMES.iter().for_each(|name| {
        names.intern(name, None);
    });
    names
}

fn text(formulas: &CtlFormulas, formula: CtlFormula) -> String {
    print_ctl(formulas, &names(), formula)
}

/// What is printed is read back as the same formula.
fn check_printing(formulas: &CtlFormulas, formula: CtlFormula) {
    let printed = text(formulas, formula);
    let mut again = formulas.clone();
    let read = parse_ctl_text(&printed, &mut again, &mut names());
    assert_eq!(read.ok(), Some(formula), "{printed}");
}
