//! The check of the engines for infinite runs on a random model and a random formula, for tests and fuzz targets.
//!
//! The bytes make a formula and a program; whatever the engines say, compiled or interpreted, reduced or not, with all
//! runs or fair ones only, must be what the slow answer of [`naive_formula`](crate::naive_formula) says. Lassos
//! are replayed and evaluated by the facade itself, which panics when one does not show what it should.

use fathom_core::model::{Answer, Interpreter, PropertyId, Question};
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::{Asked, CheckOptions, Code, Fairness, Language, Reductions, check, load};

use crate::naive_formula::is_violated;
use crate::{Entropy, random_promela};

/// Models with more states are not compared.
const MOST_STATES: usize = 300;

/// What became of a random formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// Everyone says that it holds, or everyone that it does not: of all runs, and of fair ones.
    Agreed {
        /// Whether some run violates it.
        violated: bool,
        /// Whether some fair run does.
        violated_fairly: bool,
    },
    /// The model is too large for the slow answer.
    TooLarge,
}

/// Makes a formula and a program from bytes and compares what everyone says.
///
/// # Panics
///
/// When Fathom has a bug. The message shows formula and program.
pub fn check_random_formula(bytes: &[u8]) -> Judged {
    let mut entropy = Entropy::new(bytes);
    let size = 1 + entropy.below(7);
    let formula = formula(&mut entropy, size);
    let program = random_promela(&mut entropy);
    let loader = MemoryLoader::new().with("random.pml", &program);
    let mut loaded = load("random.pml", Language::Promela, &loader, &[]).expect("a file in memory");
    let property = match loaded.ask(Asked::Ltl, &formula) {
        Ok(property) => property,
        Err(problems) => panic!("{problems:?}\n{formula}\n{program}"),
    };
    let model = loaded.model.expect("a model that was asked about");
    let Question::Ltl(asked) = &model.properties[property.index()].question else {
        panic!("a formula became something else")
    };
    let interpreter = Interpreter::new(&model, &[]);
    let expected = |is_fair: bool| is_violated(&interpreter, asked, is_fair, MOST_STATES);
    let (Some(violated), Some(violated_fairly)) = (expected(false), expected(true)) else {
        return Judged::TooLarge;
    };
    let runs = [
        (Code::Interpreted, Reductions::NONE, Fairness::None, violated),
        (Code::Interpreted, Reductions::ALL, Fairness::None, violated),
        (Code::Native, Reductions::ALL, Fairness::None, violated),
        (Code::Interpreted, Reductions::NONE, Fairness::Weak, violated_fairly),
        (Code::Native, Reductions::NONE, Fairness::Weak, violated_fairly),
        (Code::Interpreted, Reductions::ALL, Fairness::Weak, violated_fairly),
    ];
    // Making machine code for each run would take most of the time.
    let is_spared = |code: Code| code == Code::Native && size % 4 != 1;
    for (code, reductions, fairness, expected) in runs.into_iter().filter(|run| !is_spared(run.0)) {
        let properties: Vec<PropertyId> = vec![property];
        let options = CheckOptions { code, reductions, fairness, properties, ..CheckOptions::default() };
        let answer = check(&model, &options, &mut NoMonitor).verdicts[0].answer;
        let expected = if expected { Answer::Violated } else { Answer::Holds };
        assert_eq!(answer, expected, "{code:?} {reductions:?} {fairness:?}: {formula}\n{program}");
    }
    // With threads another automaton runs beside the model, and with fairness there is one thread all the same.
    for (fairness, expected) in [(Fairness::None, violated), (Fairness::Weak, violated_fairly)] {
        let properties: Vec<PropertyId> = vec![property];
        let code = Code::Interpreted;
        let options = CheckOptions { code, fairness, properties, threads: 2, ..CheckOptions::default() };
        let answer = check(&model, &options, &mut NoMonitor).verdicts[0].answer;
        let expected = if expected { Answer::Violated } else { Answer::Holds };
        assert_eq!(answer, expected, "threads {fairness:?}: {formula}\n{program}");
    }
    Judged::Agreed { violated, violated_fairly }
}

/// A formula with so many operators and propositions, at most four of them temporal, as text.
fn formula(entropy: &mut Entropy<'_>, size: usize) -> String {
    let mut n_temporal = 4;
    part(entropy, size, &mut n_temporal)
}

fn part(entropy: &mut Entropy<'_>, size: usize, n_temporal: &mut usize) -> String {
    if size <= 1 {
        return (*entropy.pick(&["x == 1", "y > 1", "z == green", "t.f == 0", "y == 0", "x == 0"]))
            .to_owned();
    }
    let unary = ["!", "<>", "[]", "X"];
    let binary = ["&&", "||", "->", "U", "W", "V", "<->"];
    let kind = entropy.below(if size == 2 { unary.len() } else { unary.len() + binary.len() });
    let word = if kind < unary.len() { unary[kind] } else { binary[kind - unary.len()] };
    let is_temporal = ["<>", "[]", "X", "U", "W", "V"].contains(&word);
    if is_temporal && *n_temporal == 0 {
        return part(entropy, 1, n_temporal);
    }
    *n_temporal -= usize::from(is_temporal);
    if kind < unary.len() {
        return format!("{word} ({})", part(entropy, size - 1, n_temporal));
    }
    let left = 1 + entropy.below(size - 2);
    let (left, right) = (part(entropy, left, n_temporal), part(entropy, size - 1 - left, n_temporal));
    format!("({left}) {word} ({right})")
}
