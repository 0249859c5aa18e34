//! Labels of a graph that is known from the literature, and trees that are wrong.

use fathom_logic::{CtlFormula, CtlFormulas, Propositions, parse_ctl_text};
use fathom_model::{Finding, NoRegion, PropertyId, Steps, System};

use super::*;
use crate::run_formula::{Letter, Truth};
use crate::{Reason, Tree};

/// The microwave oven of Clarke, Grumberg and Peled (1999), which Costa (2005) uses throughout: states 1 to 7 here are 0 to 6.
struct Oven;

const NAMES: [&str; 4] = ["start", "close", "heat", "error"];
const STATES: [&str; 7] =
    ["", "start error", "close", "close heat", "start close error", "start close", "start close heat"];
const STEPS: [&[u32]; 7] = [&[1, 2], &[4], &[0, 5], &[0, 2, 3], &[1, 2], &[6], &[3]];

impl System for Oven {
    type Region = NoRegion;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        out.push(&[0], NoRegion, &[]);
    }

    fn successors(&self, state: &[u8], _: &NoRegion, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        for (index, name) in NAMES.into_iter().enumerate() {
            if !STATES[usize::from(state[0])].split(' ').any(|other| other == name) {
                out.find(PropertyId(index as u32), None, &[]);
            }
        }
        for &target in STEPS[usize::from(state[0])] {
            out.push(&[target as u8], NoRegion, &[]);
        }
    }
}

fn read(findings: &[Finding]) -> Letter {
    let mut letter = Letter(vec![Truth::True; 4]);
    findings.iter().for_each(|finding| letter.0[finding.property.index()] = Truth::False);
    letter
}

struct Asked {
    formulas: CtlFormulas,
    formula: CtlFormula,
    fairness: Vec<CtlFormula>,
    first_steps: Vec<u32>,
    targets: Vec<u32>,
    facts: Facts,
}

fn ask(text: &str, fairness: &[&str]) -> Asked {
    let (mut formulas, mut names) = (CtlFormulas::new(), Propositions::new());
    NAMES.iter().for_each(|name| {
        names.intern(name, None);
    });
    let mut parse = |text: &str| parse_ctl_text(text, &mut formulas, &mut names).expect("a formula");
    let formula = parse(text);
    let fairness = fairness.iter().map(|text| parse(text)).collect();
    let mut first_steps = vec![0];
    let mut facts = Facts::new(4);
    for (state, steps) in STEPS.iter().enumerate() {
        first_steps.push(first_steps[state] + steps.len() as u32);
        let mut found = Steps::new();
        Oven.successors(&[state as u8], &NoRegion, &mut (), &mut found);
        facts.push(&read(found.findings()));
    }
    Asked { formulas, formula, fairness, first_steps, targets: STEPS.concat(), facts }
}

/// The states in which a formula is true, counted from 1; every reason is checked.
fn states(text: &str, fairness: &[&str]) -> Vec<u32> {
    let asked = ask(text, fairness);
    let graph = Graph::new(&asked.first_steps, &asked.targets);
    let labeling = asked.facts.label(&graph, &asked.formulas, asked.formula, &asked.fairness, None);
    for state in 0..7 {
        let mut tree: Tree<()> = explain(&labeling, &asked.formulas, asked.formula, state);
        let checked = check_tree(
            &Oven,
            &asked.formulas,
            &FairLoops { constraints: &asked.fairness, accepts: None },
            &read,
            &[state as u8],
            &mut tree,
        );
        assert_eq!(checked, Ok(()), "{text} in {}: {tree:?}", state + 1);
    }
    labeling.states(asked.formula, false).iter().map(|state| state + 1).collect()
}

#[test]
fn the_oven_has_the_labels_of_the_literature() {
    let all = [1, 2, 3, 4, 5, 6, 7];
    for (text, expected) in [
        ("close", &[3, 4, 5, 6, 7][..]),
        ("error", &[2, 5]),
        ("EX (!close || error)", &[1, 2, 3, 4, 5]),
        ("EG !heat", &[1, 2, 3, 5]),
        ("EG heat", &[4, 7]),
        ("EG close", &[3, 4, 5, 6, 7]),
        ("EG start", &[2, 5]),
        ("EG error", &[2, 5]),
        ("EG !error", &[1, 3, 4, 6, 7]),
        ("EF heat", &all),
        ("E [start U heat]", &[4, 6, 7]),
        ("AF heat", &[4, 6, 7]),
        ("AG (start -> AF heat)", &[]),
        ("!EF (start && EG !heat)", &[]),
        ("AX close <-> EX close", &[2, 6, 7]),
    ] {
        assert_eq!(states(text, &[]), expected, "{text}");
    }
    let cook = ["start && close && !error"];
    assert_eq!(states("EG true", &cook), all);
    assert!(states("EG !heat", &cook).is_empty());
    assert_eq!(states("AG (start -> AF heat)", &cook), all);
}

#[test]
fn a_tree_that_shows_something_else_is_refused() {
    let asked = ask("AG (start -> AF heat)", &[]);
    let graph = Graph::new(&asked.first_steps, &asked.targets);
    let labeling = asked.facts.label(&graph, &asked.formulas, asked.formula, &[], None);
    let right: Tree<()> = explain(&labeling, &asked.formulas, asked.formula, 0);
    let check = |tree: &Tree<()>| {
        check_tree(
            &Oven,
            &asked.formulas,
            &FairLoops { constraints: &asked.fairness, accepts: None },
            &read,
            &[0],
            &mut tree.clone(),
        )
    };
    assert_eq!(check(&right), Ok(()));
    let Reason::Path(branch) = &right.reason else { panic!("a path") };
    assert_eq!(branch.choices, [0], "the nearest state with start and no heat to come");
    let spine = right.spine(0).expect("a path");
    assert_eq!((spine.choices, spine.loop_at), (vec![0, 0, 0], Some(1)));
    let with = |change: &dyn Fn(&mut Branch<()>)| {
        let mut wrong = right.clone();
        if let Reason::Path(branch) = &mut wrong.reason {
            change(branch);
        }
        wrong
    };
    assert_eq!(
        check(&with(&|branch| branch.choices = vec![2])),
        Err(TreeError::NoSuchStep { index: 2, n_steps: 2 })
    );
    assert_eq!(check(&with(&|branch| branch.choices = vec![1])), Err(TreeError::WrongInState));
    assert_eq!(check(&with(&|branch| branch.claims.clear())), Err(TreeError::DoesNotFollow));
    let other = Tree { holds: true, ..right.clone() };
    assert_eq!(check(&other), Err(TreeError::DoesNotFollow));
    let mut open = right.clone();
    open_loop(&mut open);
    assert_eq!(check(&open), Err(TreeError::BadLoop));
}

/// Leaves out the last step of the first loop.
fn open_loop(tree: &mut Tree<()>) -> bool {
    match &mut tree.reason {
        Reason::Parts(parts) => parts.iter_mut().any(open_loop),
        Reason::Path(branch) if branch.loop_at.is_some() => {
            branch.choices.pop();
            true
        }
        Reason::Path(branch) => branch.claims.iter_mut().any(|(_, claim)| open_loop(claim)),
        _ => false,
    }
}

#[test]
fn a_proposition_without_value_matters_only_where_the_answer_depends_on_it() {
    let (mut formulas, mut names) = (CtlFormulas::new(), Propositions::new());
    let mut parse = |text: &str| parse_ctl_text(text, &mut formulas, &mut names).expect("a formula");
    let asked = ["p", "EF p", "AG p", "EX EX p", "AF !p", "E [q U p]", "p || q", "p && q"].map(&mut parse);
    // 0 -> 1 -> 1: p is true in 0 and has no value in 1; q is true in 1.
    let (first_steps, targets) = ([0, 1, 2], [1, 1]);
    let mut facts = Facts::new(2);
    facts.push(&Letter(vec![Truth::True, Truth::False]));
    facts.push(&Letter(vec![Truth::Faulty, Truth::True]));
    assert_eq!(facts.first_faulty(), Some(1));
    let graph = Graph::new(&first_steps, &targets);
    let found = asked.map(|formula| {
        let labeling = facts.label(&graph, &formulas, formula, &[], None);
        [labeling.holds(formula, 0), labeling.holds(formula, 1)]
    });
    let (yes, no) = (Some(true), Some(false));
    let expected = [
        [yes, None],
        [yes, None],
        [None, None],
        [None, None],
        [None, None],
        [yes, None],
        [yes, yes],
        [no, None],
    ];
    assert_eq!(found, expected);
}
