//! The check of formulas that both logics can say, for tests and fuzz targets.
//!
//! In the deterministic fragment (Maidl, "The Common Fragment of CTL and LTL", FOCS 2000) every choice between two ways to satisfy a formula
//! is made by a condition on the state: `p && f || !p && g`, `(p && f) U (!p && g)`. There a formula of linear temporal logic and the one
//! with `A` before each temporal operator are true of the same models, however deep they are. The first is answered by an automaton and a search for
//! runs, the second by labels on all states or by searches for paths.

use fathom_core::model::Answer;
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::{Asked, CheckOptions, Code, Language, Reductions, check, load};

use crate::{Entropy, random_promela};

/// Models with more states are not compared.
const MOST_STATES: u64 = 3000;

/// Makes a formula and a program from bytes and compares both logics. Gives whether the formula holds; none when the model is too large.
///
/// # Panics
///
/// When Fathom has a bug. The message shows formulas and program.
pub fn check_common_fragment(bytes: &[u8]) -> Option<bool> {
    let mut entropy = Entropy::new(bytes);
    let depth = 1 + entropy.below(4);
    let (linear, branching) = formula(&mut entropy, depth);
    let program = random_promela(&mut entropy);
    let loader = MemoryLoader::new().with("random.pml", &program);
    let mut loaded = load("random.pml", Language::Promela, &loader, &[]).expect("a file in memory");
    let mut ask = |asked, text: &str| {
        loaded.ask(asked, text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}\n{program}"))
    };
    let properties = [ask(Asked::Ltl, &linear), ask(Asked::Ctl, &branching)];
    let model = loaded.model.expect("a model that was asked about");
    let mut answers = Vec::new();
    for reductions in [Reductions::NONE, Reductions::ALL] {
        for property in properties {
            let options = CheckOptions {
                code: Code::Interpreted,
                reductions,
                properties: vec![property],
                max_states: Some(MOST_STATES),
                ..CheckOptions::default()
            };
            answers.push(check(&model, &options, &mut NoMonitor).verdicts[0].answer);
        }
    }
    if answers.contains(&Answer::Inconclusive) {
        return None;
    }
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:?}: {linear}, {branching}\n{program}"
    );
    Some(answers[0] == Answer::Holds)
}

fn atom(entropy: &mut Entropy<'_>) -> &'static str {
    let atoms = ["x == 1", "y > 1", "z == green", "t.f == 0", "y == 0", "x == 0"];
    atoms[entropy.below(atoms.len())]
}

/// A formula of the fragment with at most so many nested operators, in both logics.
fn formula(entropy: &mut Entropy<'_>, depth: usize) -> (String, String) {
    if depth == 0 || entropy.chance(10) {
        let (sign, atom) = (*entropy.pick(&["", "!"]), atom(entropy));
        return (format!("{sign}({atom})"), format!("{sign}({atom})"));
    }
    let kind = entropy.below(8);
    let (left, left_of_paths) = formula(entropy, depth - 1);
    match kind {
        0 | 1 => return (format!("[] ({left})"), format!("AG ({left_of_paths})")),
        2 => return (format!("X ({left})"), format!("AX ({left_of_paths})")),
        _ => {}
    }
    let (right, right_of_paths) = formula(entropy, depth - 1);
    let p = atom(entropy);
    match kind {
        3 => (format!("({left}) && ({right})"), format!("({left_of_paths}) && ({right_of_paths})")),
        4 | 5 => {
            let both = |left: &str, right: &str| format!("((({p}) && ({left})) || (!({p}) && ({right})))");
            (both(&left, &right), both(&left_of_paths, &right_of_paths))
        }
        // What is waited for comes first where nothing else is to be true: `<> p`.
        6 => (format!("<> ({p})"), format!("AF ({p})")),
        _ => {
            let word = *entropy.pick(&["U", "W"]);
            let both = |left: &str, right: &str| format!("(({p}) && ({left})) {word} (!({p}) && ({right}))");
            (format!("({})", both(&left, &right)), format!("A [{}]", both(&left_of_paths, &right_of_paths)))
        }
    }
}
