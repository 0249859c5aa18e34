//! The sets: who takes part, with which options, and what is compared.
//!
//! Both tools explore everything, also after a violation, so that they do the same work; claims in the file are
//! left out. Options that only one tool has are off unless the set is about them.

use serde::Serialize;

use super::environment::Rival;
use super::measurement::{End, Measurement, Quantity};
use super::models::Model;
use super::spin_tool::{self, Asks, Table};

/// The sets by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SetName {
    /// No reductions, exact stores, one thread: the same states on both sides
    Plain,
    /// All reductions of both tools
    Reduced,
    /// Bit tables of the same size
    Bitstate,
    /// Fathom with one thread and with several
    Threads,
    /// Formulas that hold, without reductions and with those of both tools
    Ltl,
}

impl SetName {
    /// The name of its files.
    pub fn file_stem(self) -> &'static str {
        match self {
            SetName::Plain => "plain",
            SetName::Reduced => "reduced",
            SetName::Bitstate => "bitstate",
            SetName::Threads => "threads",
            SetName::Ltl => "ltl",
        }
    }
}

/// A tool with options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contender {
    /// Unique in its set.
    pub name: String,
    /// What to run.
    pub tool: Tool,
}

/// What to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tool {
    /// Spin, its compiler and its verifier.
    Spin(spin_tool::Options),
    /// Fathom with these options.
    Fathom(Vec<String>),
    /// Fathom with these options and a field of bits as large as Spin's.
    FathomBits(Vec<String>),
    /// Fathom with these options and the formula of the model.
    FathomFormula(Vec<String>),
}

impl Tool {
    /// The options of Fathom on a model; none for Spin.
    pub fn fathom_options(&self, model: &Model) -> Option<Vec<String>> {
        match self {
            Tool::Spin(_) => None,
            Tool::Fathom(options) => Some(options.clone()),
            Tool::FathomFormula(options) => {
                let formula = model.ltl.iter().flat_map(|formula| ["--ltl".to_owned(), formula.clone()]);
                Some(options.iter().cloned().chain(formula).collect())
            }
            Tool::FathomBits(options) => {
                let bits = 1_u64 << Table::Bits.exponent(model.states);
                let store = ["--store", "bitstate", "--store-hashes", "3", "--store-bits"].map(str::to_owned);
                Some(options.iter().cloned().chain(store).chain([bits.to_string()]).collect())
            }
        }
    }
}

/// Two contenders by name, the one whose advantage is stated first.
pub type Comparison = (String, String);

/// Which counts must agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// States of all; transitions of all but for the initial one, which only Spin counts.
    Counts,
    /// Nothing: reductions and lossy stores differ.
    Nothing,
}

/// One set.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its name.
    pub name: SetName,
    /// Its heading.
    pub title: &'static str,
    /// Who takes part, in the order of each round.
    pub contenders: Vec<Contender>,
    /// What is compared with what.
    pub comparisons: Vec<Comparison>,
    /// One table for each.
    pub quantities: Vec<Quantity>,
    /// One plot for each; some of the quantities.
    pub plotted: Vec<Quantity>,
    /// Which counts must agree.
    pub agreement: Agreement,
}

impl Set {
    /// A set; `threads` is the larger number of threads in the set about threads.
    pub fn new(name: SetName, threads: usize) -> Set {
        match name {
            SetName::Plain => plain(),
            SetName::Reduced => reduced(),
            SetName::Bitstate => bitstate(),
            SetName::Threads => with_threads(threads),
            SetName::Ltl => formulas(),
        }
    }

    /// Whether a model takes part.
    pub fn takes(&self, model: &Model) -> bool {
        self.name != SetName::Ltl || model.ltl.is_some()
    }

    /// Whether another tool is needed.
    pub fn rival(&self) -> Rival {
        let needs_spin = self.contenders.iter().any(|contender| matches!(contender.tool, Tool::Spin(_)));
        if needs_spin { Rival::Spin } else { Rival::None }
    }

    /// What does not agree although it must, in words.
    pub fn disagreements(&self, measurements: &[Measurement]) -> Vec<String> {
        if self.agreement == Agreement::Nothing {
            return Vec::new();
        }
        let counts = self.contenders.iter().zip(measurements).filter(|(_, run)| run.end == End::Complete);
        let counts: Vec<(&str, Option<u64>, Option<u64>)> = counts
            .map(|(contender, run)| {
                let initial = u64::from(matches!(contender.tool, Tool::Spin(_)));
                let transitions = run.transitions.map(|count| count.saturating_sub(initial));
                (contender.name.as_str(), run.states, transitions)
            })
            .collect();
        let Some(((first, states, transitions), others)) = counts.split_first() else { return Vec::new() };
        let mut problems = Vec::new();
        for (other, their_states, their_transitions) in others {
            if their_states != states {
                problems.push(format!("{first} and {other} differ in states"));
            }
            if their_transitions != transitions {
                problems.push(format!("{first} and {other} differ in transitions"));
            }
        }
        problems
    }
}

/// The names of contenders that several sets have.
const SPIN: &str = "Spin";
const BREADTH_FIRST: &str = "Fathom bfs";
const DEPTH_FIRST: &str = "Fathom dfs";

fn plain() -> Set {
    let spin = spin_tool::Options {
        generate: vec!["-o1", "-o2", "-o3"],
        compile: vec!["-DNOREDUCE"],
        run: vec!["-c0", "-E", "-A", "-n"],
        table: Table::Exact,
        asks: Asks::States,
    };
    let options = "--reduce none --ignore deadlock,assertion,claims --threads 1";
    Set {
        name: SetName::Plain,
        title: "Without reductions",
        contenders: against_spin(spin, options, Tool::Fathom),
        comparisons: comparisons(&[(BREADTH_FIRST, SPIN), (DEPTH_FIRST, SPIN), (BREADTH_FIRST, DEPTH_FIRST)]),
        quantities: vec![
            Quantity::WallSeconds,
            Quantity::SetupSeconds,
            Quantity::TransitionRate,
            Quantity::States,
            Quantity::BytesPerState,
            Quantity::MemoryBytes,
        ],
        plotted: vec![Quantity::WallSeconds, Quantity::TransitionRate, Quantity::BytesPerState],
        agreement: Agreement::Counts,
    }
}

fn reduced() -> Set {
    let spin = spin_tool::Options {
        generate: vec![],
        compile: vec![],
        run: vec!["-c0", "-n"],
        table: Table::Exact,
        asks: Asks::States,
    };
    Set {
        name: SetName::Reduced,
        title: "With reductions",
        contenders: against_spin(spin, "--reduce all --ignore claims --threads 1", Tool::Fathom),
        comparisons: comparisons(&[(BREADTH_FIRST, SPIN), (DEPTH_FIRST, SPIN)]),
        quantities: vec![Quantity::WallSeconds, Quantity::States, Quantity::StateRate, Quantity::MemoryBytes],
        plotted: vec![Quantity::WallSeconds, Quantity::States],
        agreement: Agreement::Nothing,
    }
}

fn bitstate() -> Set {
    let spin = spin_tool::Options {
        generate: vec!["-o1", "-o2", "-o3"],
        compile: vec!["-DNOREDUCE", "-DBITSTATE"],
        run: vec!["-c0", "-E", "-A", "-n", "-k3"],
        table: Table::Bits,
        asks: Asks::States,
    };
    let options = "--reduce none --ignore deadlock,assertion,claims --threads 1";
    Set {
        name: SetName::Bitstate,
        title: "Bit tables of equal size",
        contenders: against_spin(spin, options, Tool::FathomBits),
        comparisons: comparisons(&[(BREADTH_FIRST, SPIN), (DEPTH_FIRST, SPIN)]),
        quantities: vec![Quantity::StateRate, Quantity::WallSeconds, Quantity::States, Quantity::MemoryBytes],
        plotted: vec![Quantity::StateRate, Quantity::WallSeconds],
        agreement: Agreement::Nothing,
    }
}

fn with_threads(threads: usize) -> Set {
    let mut contenders = Vec::new();
    let mut comparisons = Vec::new();
    for engine in ["bfs", "dfs"] {
        let name = |threads: usize| format!("{engine} {threads}");
        for threads in [1, threads] {
            let options = format!("--reduce none --ignore deadlock,assertion,claims --threads {threads}");
            contenders
                .push(Contender { name: name(threads), tool: Tool::Fathom(with_engine(engine, &options)) });
        }
        comparisons.push((name(threads), name(1)));
    }
    Set {
        name: SetName::Threads,
        title: "One thread and several",
        contenders,
        comparisons,
        quantities: vec![Quantity::WallSeconds, Quantity::TransitionRate, Quantity::MemoryBytes],
        plotted: vec![Quantity::WallSeconds],
        agreement: Agreement::Counts,
    }
}

fn formulas() -> Set {
    let spin = |generate: Vec<&'static str>, compile: Vec<&'static str>| {
        let run = vec!["-a", "-n"];
        Tool::Spin(spin_tool::Options { generate, compile, run, table: Table::Exact, asks: Asks::Formula })
    };
    let fathom = |reduce: &str| {
        let options = format!("--reduce {reduce} --threads 1");
        Tool::FathomFormula(options.split(' ').map(str::to_owned).collect())
    };
    let contender = |name: &str, tool: Tool| Contender { name: name.to_owned(), tool };
    Set {
        name: SetName::Ltl,
        title: "Formulas that hold",
        contenders: vec![
            contender(SPIN, spin(vec!["-o1", "-o2", "-o3"], vec!["-DNOREDUCE"])),
            contender("Fathom", fathom("none")),
            contender("Spin reduced", spin(vec![], vec![])),
            contender("Fathom reduced", fathom("all")),
        ],
        comparisons: comparisons(&[("Fathom", SPIN), ("Fathom reduced", "Spin reduced")]),
        quantities: vec![
            Quantity::WallSeconds,
            Quantity::States,
            Quantity::StateRate,
            Quantity::BytesPerState,
            Quantity::MemoryBytes,
        ],
        plotted: vec![Quantity::WallSeconds],
        agreement: Agreement::Nothing,
    }
}

fn against_spin(
    spin: spin_tool::Options,
    options: &str,
    fathom: impl Fn(Vec<String>) -> Tool,
) -> Vec<Contender> {
    let contender = |name: &str, tool: Tool| Contender { name: name.to_owned(), tool };
    vec![
        contender(SPIN, Tool::Spin(spin)),
        contender(BREADTH_FIRST, fathom(with_engine("bfs", options))),
        contender(DEPTH_FIRST, fathom(with_engine("dfs", options))),
    ]
}

fn with_engine(engine: &str, options: &str) -> Vec<String> {
    ["--engine", engine].into_iter().chain(options.split(' ')).map(str::to_owned).collect()
}

fn comparisons(pairs: &[(&str, &str)]) -> Vec<Comparison> {
    pairs.iter().map(|&(ours, theirs)| (ours.to_owned(), theirs.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::measurement::tests::complete;
    use super::super::models;
    use super::*;

    const ALL: [SetName; 5] =
        [SetName::Plain, SetName::Reduced, SetName::Bitstate, SetName::Threads, SetName::Ltl];

    #[test]
    fn comparisons_are_between_contenders_and_plots_have_tables() {
        for set in ALL.map(|name| Set::new(name, 2)) {
            let is_there = |name: &String| set.contenders.iter().any(|contender| contender.name == *name);
            assert!(set.comparisons.iter().all(|(ours, theirs)| is_there(ours) && is_there(theirs)));
            assert!(set.plotted.iter().all(|quantity| set.quantities.contains(quantity)));
        }
    }

    #[test]
    fn only_threads_do_without_spin() {
        for name in ALL {
            assert_eq!(Set::new(name, 2).rival() == Rival::None, name == SetName::Threads);
        }
    }

    #[test]
    fn only_models_with_a_formula_are_asked_about_it() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let models = models::choose(&repository, None, &[]).expect("models");
        let set = Set::new(SetName::Ltl, 2);
        let taken: Vec<&Model> = models.iter().filter(|model| set.takes(model)).collect();
        assert!(!taken.is_empty() && taken.len() < models.len());
        let options = set.contenders[1].tool.fathom_options(taken[0]).expect("Fathom's options");
        assert_eq!(options.last(), taken[0].ltl.as_ref());
    }

    #[test]
    fn spin_counts_one_transition_more() {
        let set = Set::new(SetName::Plain, 2);
        let ours = complete(1.0, 1.0, 100);
        let spin = Measurement { transitions: Some(301), ..complete(1.0, 1.0, 100) };
        assert_eq!(set.disagreements(&[spin.clone(), ours.clone(), ours.clone()]), Vec::<String>::new());
        let equal = Measurement { transitions: Some(300), ..spin.clone() };
        assert_eq!(set.disagreements(&[equal, ours.clone(), ours.clone()]).len(), 2);
        let more = Measurement { states: Some(101), ..ours.clone() };
        assert_eq!(set.disagreements(&[spin, ours, more]), ["Spin and Fathom dfs differ in states"]);
    }

    #[test]
    fn a_run_without_counts_disagrees_with_nobody() {
        let set = Set::new(SetName::Plain, 2);
        let spin = Measurement::without_numbers(End::OutOfTime, Vec::new());
        let ours = complete(1.0, 1.0, 100);
        assert!(set.disagreements(&[spin, ours.clone(), ours]).is_empty());
    }

    #[test]
    fn both_bit_tables_have_the_same_size() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let model = &models::choose(&repository, None, &["peterson_n-4".to_owned()]).expect("a model")[0];
        let set = Set::new(SetName::Bitstate, 2);
        let options = set.contenders[1].tool.fathom_options(model).expect("Fathom's options");
        let exponent = Table::Bits.exponent(model.states);
        assert_eq!(options.last(), Some(&(1_u64 << exponent).to_string()));
        assert!(matches!(&set.contenders[0].tool, Tool::Spin(spin) if spin.table == Table::Bits));
    }
}
