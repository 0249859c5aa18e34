//! The check of formulas of branching time on a random model and a random formula, for tests and fuzz targets.
//!
//! The bytes make a formula and a program. Searches for one state or one path, compiled or interpreted, reduced or not, must say what labels on the graph
//! of all states say, and so must composite states under a random partition. Trees are checked by the facade itself, which panics when one does not show what it should.

use fathom_core::model::{Answer, Model, Stop};
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::symbolic::Partition;
use fathom_core::{CheckOptions, Code, Fairness, Language, Reductions, check, load};

use crate::{Entropy, random_promela};

/// Models with more states are not compared.
const MOST_STATES: u64 = 2000;

/// Makes a formula and a program from bytes and compares what everyone says: gives whether the formula holds, and whether it was answered without the
/// graph of all states. None when the model is too large.
///
/// # Panics
///
/// When Fathom has a bug. The message shows formula and program.
pub fn check_random_tree(bytes: &[u8]) -> Option<(bool, bool)> {
    let mut entropy = Entropy::new(bytes);
    let size = 2 + entropy.below(6);
    let formula = part(&mut entropy, size);
    let constraints: Vec<String> = match entropy.below(4) {
        0 => vec![proposition(&mut entropy).to_owned()],
        _ => Vec::new(),
    };
    let is_native = entropy.below(4) == 0;
    let mask = entropy.below(256) << 8 | entropy.below(256);
    let fairness = if entropy.below(3) == 0 { Fairness::Weak } else { Fairness::None };
    let program = random_promela(&mut entropy);
    let loader = MemoryLoader::new().with("random.pml", &program);
    let mut loaded = load("random.pml", Language::Promela, &loader, &[]).expect("a file in memory");
    let property = match loaded.ask_ctl(&formula, &constraints) {
        Ok(property) => property,
        Err(problems) => panic!("{problems:?}\n{formula}\n{program}"),
    };
    let model = loaded.model.expect("a model that was asked about");
    let base = CheckOptions { properties: vec![property], fairness, ..CheckOptions::default() };
    let graph = CheckOptions {
        code: Code::Interpreted,
        max_states: Some(MOST_STATES),
        vacuity: true,
        ..base.clone()
    };
    let expected = check(&model, &graph, &mut NoMonitor).verdicts.remove(0);
    if expected.stop == Stop::States {
        return None;
    }
    let mut is_on_the_fly = false;
    for (code, reductions, threads, vacuity) in [
        (Code::Interpreted, Reductions::NONE, 1, false),
        (Code::Interpreted, Reductions::ALL, 1, false),
        (Code::Interpreted, Reductions::ALL, 1, true),
        (Code::Native, Reductions::ALL, 2, false),
    ] {
        if code == Code::Native && !is_native {
            continue;
        }
        let options = CheckOptions { code, reductions, threads, vacuity, ..base.clone() };
        let report = check(&model, &options, &mut NoMonitor);
        is_on_the_fly |= report.engines[0].is_some();
        let found = report.verdicts[0].answer;
        assert_eq!(
            found, expected.answer,
            "{code:?} {reductions:?} {fairness:?} {constraints:?}: {formula}\n{program}"
        );
    }
    if fairness == Fairness::None {
        let partition = random_partition(&model, mask);
        let options = CheckOptions { partition: Some(partition), max_bytes: Some(1 << 28), ..base.clone() };
        let found = check(&model, &options, &mut NoMonitor).verdicts[0].answer;
        assert_eq!(found, expected.answer, "partition {mask:x}, {constraints:?}: {formula}\n{program}");
    }
    Some((expected.answer == Answer::Holds, is_on_the_fly))
}

/// A partition of a model by the bits of a number, again and again.
pub(crate) fn random_partition(model: &Model, mask: usize) -> Partition {
    let explicit = Partition::explicit(model);
    let names: Vec<String> = explicit.sides().iter().map(|side| side.name.clone()).collect();
    let is_chosen = |place: &usize| mask >> (place % 16) & 1 == 1;
    let chosen: Vec<&str> = (0..names.len()).filter(is_chosen).map(|place| &*names[place]).collect();
    explicit.with(&chosen, true).expect("the names are the model's")
}

fn proposition(entropy: &mut Entropy<'_>) -> &'static str {
    const ALL: [&str; 6] = ["x == 1", "y > 1", "z == green", "t.f == 0", "y == 0", "x == 0"];
    ALL[entropy.below(ALL.len())]
}

/// A formula with so many operators and propositions, as text. Half of the quantifiers are the same, so that many formulas are about each
/// path for itself.
fn part(entropy: &mut Entropy<'_>, size: usize) -> String {
    if size <= 1 {
        return proposition(entropy).to_owned();
    }
    let quantifier = *entropy.pick(&["A", "A", "A", "E"]);
    let unary = ["!", "F", "G", "X", "G"];
    let binary = ["&&", "||", "->", "U", "W", "R", "M", "<->"];
    let kind = entropy.below(if size == 2 { unary.len() } else { unary.len() + binary.len() });
    if kind < unary.len() {
        let operand = part(entropy, size - 1);
        return match unary[kind] {
            "!" => format!("! ({operand})"),
            word => format!("{quantifier}{word} ({operand})"),
        };
    }
    let left = if entropy.below(2) == 0 { 1 } else { 1 + entropy.below(size - 2) };
    let (left, right) = (part(entropy, left), part(entropy, size - 1 - left));
    match binary[kind - unary.len()] {
        word @ ("U" | "W" | "R" | "M") => format!("{quantifier} [({left}) {word} ({right})]"),
        word => format!("({left}) {word} ({right})"),
    }
}
