//! The check of formulas on random networks of timed automata, for tests and fuzz targets.
//!
//! The bytes make a network, conditions and a formula. Queries and the formulas that say the same must have the same answer: `A<> p` and `<> p`,
//! `A[] p` and `[] p`, `p --> q` and `[] (p -> <> q)`, `E[] p` and the opposite of `<> !p`. A random formula and its negation cannot both
//! hold. Every run that is found is given delays, checked and evaluated by the facade itself, which panics when it does not show what it should.

use fathom_core::model::Answer;
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::{Asked, Language, LoadedTimed, TimedOptions, check_timed, load_timed};

use crate::random_uppaal::CONDITIONS;
use crate::{Entropy, random_uppaal};

/// Makes a network and formulas from bytes and compares. Gives how many formulas hold, and how many were asked.
///
/// # Panics
///
/// When Fathom has a bug. The message shows the network.
pub fn check_random_timed(bytes: &[u8]) -> (usize, usize) {
    let mut entropy = Entropy::new(bytes);
    let network = random_uppaal(&mut entropy);
    let loader = MemoryLoader::new().with("random.xta", &network);
    let mut loaded = load_timed("random.xta", Language::Uppaal, &loader).expect("a file in memory");
    assert!(loaded.network.is_some(), "{:?}\n{network}", loaded.diagnostics);
    let mut condition = || *entropy.pick(&CONDITIONS);
    let (p, q, r) = (condition(), condition(), condition());
    let pairs = [
        (format!("A<> {p}"), format!("<> ({p})"), true),
        (format!("A[] not ({q})"), format!("[] !({q})"), true),
        (format!("E[] not ({q})"), format!("<> ({q})"), false),
        (format!("{p} --> {q}"), format!("[] (({p}) -> <> ({q}))"), true),
        (format!("({q} or {r}) --> {p}"), format!("[] (({q}) || ({r}) -> <> ({p}))"), true),
    ];
    let mut n_holding = 0;
    for (query, formula, is_same) in &pairs {
        let (query_holds, formula_holds) =
            (holds(&mut loaded, Asked::Query, query), holds(&mut loaded, Asked::Ltl, formula));
        assert_eq!(query_holds == *is_same, formula_holds, "{query}, {formula}\n{network}");
        n_holding += usize::from(formula_holds);
    }
    let size = 2 + entropy.below(6);
    let formula = part(&mut entropy, size);
    let both = [formula.clone(), format!("!({formula})")].map(|text| holds(&mut loaded, Asked::Ltl, &text));
    assert_ne!(both, [true, true], "{formula} and its negation\n{network}");
    (n_holding + both.iter().filter(|holds| **holds).count(), pairs.len() + both.len())
}

fn holds(loaded: &mut LoadedTimed, asked: Asked, text: &str) -> bool {
    let id = loaded.ask(asked, text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    let network = loaded.network.as_ref().expect("a network that was asked about");
    let options = TimedOptions { properties: vec![id], ..TimedOptions::default() };
    let report = check_timed(network, &loaded.properties, &options, &mut NoMonitor);
    report.answers[0].verdict.answer == Answer::Holds
}

/// A formula with so many operators and propositions.
fn part(entropy: &mut Entropy<'_>, size: usize) -> String {
    if size <= 1 {
        return format!("({})", entropy.pick(&CONDITIONS));
    }
    let kind = entropy.below(if size == 2 { 4 } else { 9 });
    if kind < 4 {
        return format!("{} ({})", ["[]", "<>", "X", "!"][kind], part(entropy, size - 1));
    }
    let left = 1 + entropy.below(size - 2);
    let (left, right) = (part(entropy, left), part(entropy, size - 1 - left));
    format!("({left}) {} ({right})", ["U", "->", "&&", "||", "R"][kind - 4])
}
