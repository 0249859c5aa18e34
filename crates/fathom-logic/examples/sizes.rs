//! Sizes of automata for the standard sets of formulas, beside those of `spin -f`.
//!
//! `cargo run --release -p fathom-logic --example sizes [seconds]` prints one line per formula and the totals. Both sides count
//! the states of a Büchi automaton with accepting states; for Spin these are the labels of its never claim.
//! A formula that Spin does not translate within the time (20 seconds of processor time by default, so that the load of the machine does not decide) is
//! left out of the totals of both.

#![allow(clippy::print_stdout)]

use std::process::Command;
use std::time::{Duration, Instant};

use fathom_logic::{Formula, Formulas, Node, Propositions, Translator, parse_ltl_text, print_with};

const SETS: [(&str, &str); 3] = [
    ("dwyer", include_str!("../tests/formulas/dwyer.txt")),
    ("etessami-holzmann", include_str!("../tests/formulas/etessami_holzmann.txt")),
    ("somenzi-bloem", include_str!("../tests/formulas/somenzi_bloem.txt")),
];

#[derive(Default)]
struct Totals {
    ours: usize,
    spin: usize,
    general: usize,
    worse: usize,
    without_spin: usize,
    n_formulas: usize,
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(20);
    let mut all = Totals::default();
    for negated in [false, true] {
        for (name, text) in SETS {
            let name = if negated { format!("{name}, negated") } else { name.to_owned() };
            let totals = run(&name, text, negated, Duration::from_secs(seconds));
            all.ours += totals.ours;
            all.spin += totals.spin;
            all.worse += totals.worse;
        }
    }
    println!("all: states={} spin={} percent={} worse={}", all.ours, all.spin, percent(&all), all.worse);
}

fn percent(totals: &Totals) -> String {
    format!("{:.1}", 100.0 * totals.ours as f64 / totals.spin.max(1) as f64)
}

fn run(name: &str, text: &str, negated: bool, patience: Duration) -> Totals {
    let mut totals = Totals::default();
    let mut everything = 0;
    println!("{name}\n  states general  sets  spin      ms  formula");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let formula = parse_ltl_text(line, &mut formulas, &mut propositions).expect("a formula of the set");
        let formula = if negated { formulas.not(formula) } else { formula };
        let start = Instant::now();
        let mut translator = Translator::new();
        let buchi = translator.buchi(&mut formulas, formula).expect("a small automaton");
        let milliseconds = start.elapsed().as_millis();
        let general = translator.generalized(&mut formulas, formula).expect("a small automaton");
        let spin = spin_states(&for_spin(&mut formulas, &propositions, formula), patience);
        let (ours, mark) =
            (buchi.n_states(), if spin.is_some_and(|n| n < buchi.n_states()) { "!" } else { " " });
        println!(
            "{mark} {ours:6} {:7} {:5} {:>5} {milliseconds:7}  {}{line}",
            general.n_states(),
            general.n_sets,
            spin.map_or("-".to_owned(), |n| n.to_string()),
            if negated { "not " } else { "" },
        );
        everything += ours;
        totals.n_formulas += 1;
        totals.general += general.n_states();
        match spin {
            Some(spin) => {
                totals.ours += ours;
                totals.spin += spin;
                totals.worse += usize::from(spin < ours);
            }
            None => totals.without_spin += 1,
        }
    }
    println!(
        "{name}: formulas={} states={everything} general={} compared={} spin={} percent={} worse={} without-spin={}\n",
        totals.n_formulas,
        totals.general,
        totals.ours,
        totals.spin,
        percent(&totals),
        totals.worse,
        totals.without_spin
    );
    totals
}

/// The formula in the operators and letters that `spin -f` knows.
fn for_spin(formulas: &mut Formulas, propositions: &Propositions, formula: Formula) -> String {
    fn rewrite(formulas: &mut Formulas, formula: Formula) -> Formula {
        match *formulas.node(formula) {
            Node::WeakUntil(l, r) => {
                let either = formulas.or(l, r);
                let release = formulas.release(r, either);
                formulas.map_operands(release, rewrite)
            }
            Node::StrongRelease(l, r) => {
                let both = formulas.and(l, r);
                let until = formulas.until(r, both);
                formulas.map_operands(until, rewrite)
            }
            _ => formulas.map_operands(formula, rewrite),
        }
    }
    let formula = rewrite(formulas, formula);
    print_with(formulas, formula, &|proposition| propositions.text(proposition).to_owned())
        .replace(" R ", " V ")
}

/// How many states Spin's never claim has; none if it takes too long or does not know an operator.
fn spin_states(formula: &str, patience: Duration) -> Option<usize> {
    let limited = format!("ulimit -t {}; exec spin -f \"$1\"", patience.as_secs());
    let output = Command::new("sh").args(["-c", &limited, "spin", formula]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    let is_label = |line: &&str| line.trim_end().ends_with(':') && !line.starts_with(['\t', ' ']);
    let n_labels = text.lines().filter(is_label).count();
    (n_labels > 0).then_some(n_labels)
}
