//! The check of formulas of the property specification language on a random model, for tests and fuzz targets.
//!
//! The bytes make a formula and a program. Compiled or interpreted, reduced or not, the answer must be the same in every view of runs
//! that end; where the formula has a twin in LTL, it must be the slow answer of
//! [`naive_formula`](crate::naive_formula) about that. Lassos are evaluated from the definition of the standard by the facade itself, which
//! panics when one does not show what it should.

use fathom_core::model::{Answer, Interpreter, Model, PropertyId, Question, RunEnd};
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::{Asked, CheckOptions, Code, Fairness, Language, Loaded, Reductions, check, load};

use crate::naive_formula::is_violated;
use crate::{Entropy, random_promela};

/// Models with more states are not compared.
const MOST_STATES: u64 = 2000;
const MOST_STATES_NAIVELY: usize = 300;

/// What became of a random formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgreedSequence {
    /// Whether some run violates it.
    pub violated: bool,
    /// Whether there was less to search with reductions.
    pub reduced: bool,
    /// Whether a twin in LTL was compared with.
    pub has_twin: bool,
}

/// A formula, and the same in LTL where runs repeat their last state and LTL can say it.
struct Twins {
    psl: String,
    ltl: Option<String>,
}

/// Makes a formula and a program from bytes and compares what everyone says; none when the model is too large.
///
/// # Panics
///
/// When Fathom has a bug. The message shows formula and program.
pub fn check_random_sequence(bytes: &[u8]) -> Option<AgreedSequence> {
    let mut entropy = Entropy::new(bytes);
    let size = 1 + entropy.below(6);
    let is_native = entropy.below(4) == 0;
    let Twins { psl, ltl } = formula(&mut entropy, size);
    let program = random_promela(&mut entropy);
    let loader = MemoryLoader::new().with("random.pml", &program);
    let mut loaded = load("random.pml", Language::Promela, &loader, &[]).expect("a file in memory");
    let ask = |loaded: &mut Loaded, asked, text: &str| {
        loaded.ask(asked, text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}\n{program}"))
    };
    let views = [RunEnd::Stutter, RunEnd::Neutral, RunEnd::Weak, RunEnd::Strong];
    let asked = views.map(|end| ask(&mut loaded, Asked::Psl(end), &psl));
    let twin = ltl.as_ref().map(|text| ask(&mut loaded, Asked::Ltl, text));
    let model = loaded.model.expect("a model that was asked about");
    let mut agreed = AgreedSequence { violated: false, reduced: false, has_twin: false };
    for (property, end) in asked.into_iter().zip(views) {
        for fairness in [Fairness::None, Fairness::Weak] {
            let run = |code, reductions| answer(&model, property, code, reductions, fairness);
            let (plain, n_plain) = run(Code::Interpreted, Reductions::NONE);
            if plain == Answer::Inconclusive {
                return None;
            }
            let code = if is_native { Code::Native } else { Code::Interpreted };
            let (reduced, n_reduced) = run(code, Reductions::ALL);
            assert_eq!(plain, reduced, "{end:?} {fairness:?}: {psl}\n{program}");
            if end == RunEnd::Stutter && fairness == Fairness::None {
                agreed.violated = plain == Answer::Violated;
                agreed.reduced = n_reduced < n_plain;
            }
        }
    }
    if let Some(twin) = twin {
        let Question::Ltl(ltl) = &model.properties[twin.index()].question else {
            panic!("a formula became something else")
        };
        let expected = is_violated(&Interpreter::new(&model, &[]), ltl, false, MOST_STATES_NAIVELY)?;
        assert_eq!(agreed.violated, expected, "{psl}\n{program}");
        agreed.has_twin = true;
    }
    Some(agreed)
}

/// The answer, and how many states were searched for it.
fn answer(
    model: &Model,
    property: PropertyId,
    code: Code,
    reductions: Reductions,
    fairness: Fairness,
) -> (Answer, u64) {
    let options = CheckOptions {
        code,
        reductions,
        fairness,
        properties: vec![property],
        max_states: Some(MOST_STATES),
        ..CheckOptions::default()
    };
    let report = check(model, &options, &mut NoMonitor);
    (report.verdicts[0].answer, report.statistics.states)
}

fn atom(entropy: &mut Entropy<'_>) -> String {
    let atom = entropy.pick(&["x == 1", "y > 1", "z == green", "t.f == 0", "y == 0", "x == 0"]);
    format!("({atom})")
}

/// A formula with so many operators and propositions.
fn formula(entropy: &mut Entropy<'_>, size: usize) -> Twins {
    if size <= 1 {
        let atom = atom(entropy);
        return Twins { psl: atom.clone(), ltl: Some(atom) };
    }
    match entropy.below(if size == 2 { 6 } else { 9 }) {
        0 | 1 => one(entropy, size, "always", "[]"),
        2 => one(entropy, size, "eventually!", "<>"),
        3 => one(entropy, size, "next!", "X"),
        4 => {
            let (sequence, strength) = (sequence(entropy, size), *entropy.pick(&["", "!"]));
            Twins { psl: format!("{{{sequence}}}{strength}"), ltl: None }
        }
        5 => {
            let (sequence, arrow) = (sequence(entropy, 2), *entropy.pick(&["|->", "|=>"]));
            let rest = formula(entropy, size - 1);
            Twins { psl: format!("({{{sequence}}} {arrow} ({}))", rest.psl), ltl: None }
        }
        6 => two(entropy, size, ["&&", "||", "->"], ["&&", "||", "->"]),
        7 => two(entropy, size, ["until!", "until", "until"], ["U", "W", "W"]),
        _ => {
            let (stop, rest) = (atom(entropy), formula(entropy, size - 2));
            Twins { psl: format!("(({}) abort {stop})", rest.psl), ltl: None }
        }
    }
}

fn one(entropy: &mut Entropy<'_>, size: usize, psl: &str, ltl: &str) -> Twins {
    let rest = formula(entropy, size - 1);
    Twins { psl: format!("{psl} ({})", rest.psl), ltl: rest.ltl.map(|rest| format!("{ltl} ({rest})")) }
}

fn two(entropy: &mut Entropy<'_>, size: usize, psl: [&str; 3], ltl: [&str; 3]) -> Twins {
    let which = entropy.below(psl.len());
    let first = 1 + entropy.below(size - 2);
    let (left, right) = (formula(entropy, first), formula(entropy, size - 1 - first));
    let both = left.ltl.zip(right.ltl);
    Twins {
        psl: format!("(({}) {} ({}))", left.psl, psl[which], right.psl),
        ltl: both.map(|(left, right)| format!("(({left}) {} ({right}))", ltl[which])),
    }
}

fn sequence(entropy: &mut Entropy<'_>, size: usize) -> String {
    if size <= 1 {
        let (atom, repeat) = (atom(entropy), *entropy.pick(&["", "", "[*]", "[+]", "[*1:2]", "[->1]"]));
        return format!("{atom}{repeat}");
    }
    let sign = *entropy.pick(&[";", ";", "|", ":", "&&"]);
    let first = 1 + entropy.below(size - 1);
    format!("{{{}}} {sign} {{{}}}", sequence(entropy, first), sequence(entropy, size - first))
}
