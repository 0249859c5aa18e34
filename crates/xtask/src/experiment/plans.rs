//! What the experiments are: rows of commands, and what the sources have.

use std::path::Path;

use super::bias_plan::bias;
use super::tables::Table;
use super::walk_plans::{reversed, walks};

/// A number in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    Hits,
    Seconds,
    States,
    Length,
    Attempts,
    Table,
    FirstLength,
    Megabytes,
    Wall,
}

impl Column {
    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Column::Hits => "runs that hit",
            Column::Seconds => "seconds of a run",
            Column::States => "states",
            Column::Length => "trace, steps",
            Column::Attempts => "walks or searches",
            Column::Table => "first table that hits, bytes",
            Column::FirstLength => "its trace, steps",
            Column::Megabytes => "peak memory, MB",
            Column::Wall => "seconds of the row",
        }
    }
}

/// Where a model is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum File {
    /// Among the examples.
    Example(&'static str),
    /// In the public corpus.
    Corpus(&'static str),
}

/// One row.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it is.
    pub label: String,
    /// `check`, `hunt` or `sweep`.
    verb: &'static str,
    file: File,
    /// Everything after the model.
    flags: Vec<String>,
    /// What the source has, in words.
    pub source: &'static str,
}

impl Row {
    pub fn new(
        label: impl Into<String>,
        verb: &'static str,
        file: File,
        flags: &str,
        source: &'static str,
    ) -> Row {
        let flags = flags.split_whitespace().map(str::to_owned).collect();
        Row { label: label.into(), verb, file, flags, source }
    }

    /// The words after `fathom`; none without the corpus that it needs.
    pub fn command(&self, repository: &Path, corpus: Option<&Path>) -> Option<Vec<String>> {
        let path = match &self.file {
            File::Example(name) => repository.join("examples/promela").join(name),
            File::Corpus(name) => corpus?.join(name),
        };
        let mut words = vec![self.verb.to_owned(), path.to_string_lossy().into_owned()];
        words.extend(["--lang", "promela"].map(str::to_owned));
        let file = |flag: &String| match flag.starts_with("docs/") {
            true => repository.join(flag).to_string_lossy().into_owned(),
            false => flag.clone(),
        };
        words.extend(self.flags.iter().map(file));
        Some(words)
    }

    /// The command as it is shown: without folders of this machine.
    pub fn shown(&self) -> String {
        let file = match &self.file {
            File::Example(name) => format!("examples/promela/{name}"),
            File::Corpus(name) => format!("$FATHOM_CORPUS/{name}"),
        };
        format!("fathom {} {file} --lang promela {}", self.verb, self.flags.join(" "))
    }
}

/// What a page looks like.
#[derive(Clone, Debug)]
pub enum Layout {
    /// One line for each row, with these numbers.
    List(Vec<Column>),
    /// Tables of sizes and ways to search, after variables for their commands.
    Tables(String, Vec<Table>),
}

/// An experiment.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its name on the command line and of its page.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What is compared, and what to look for.
    pub text: &'static str,
    /// What came out, in words, after the table.
    pub reading: &'static str,
    /// What the page looks like.
    pub layout: Layout,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Plan {
    /// Leaves all rows out whose label does not have this text in it, or all tables whose title does not, with their rows.
    pub fn keep(&mut self, text: &str) {
        let rows = &mut self.rows;
        match &mut self.layout {
            Layout::List(_) => rows.retain(|row| row.label.contains(text)),
            Layout::Tables(_, tables) => {
                tables.retain(|table| table.title.contains(text));
                let cells = |table: &Table, row: &Row| {
                    table.lines.iter().flat_map(|line| &line.1).any(|cell| cell.row == row.label)
                };
                rows.retain(|row| tables.iter().any(|table| cells(table, row)));
            }
        }
    }
}

/// All experiments, with so many seeds in each random row.
pub fn plans(n_seeds: usize) -> Vec<Plan> {
    vec![incdec(), philosophers(), blocks(), walks(n_seeds), reversed(n_seeds), bias(n_seeds)]
}

/// The seeds of the source: the primes from 23 on.
pub fn seeds(n_seeds: usize) -> String {
    let is_prime =
        |number: &u32| (2..*number).take_while(|n| n * n <= *number).all(|n| !number.is_multiple_of(n));
    let primes: Vec<String> =
        (23_u32..).filter(is_prime).take(n_seeds).map(|prime| prime.to_string()).collect();
    format!("--over seed={}", primes.join(","))
}

pub const PHILOSOPHERS: File = File::Example("philosophers.pml");
const INCDEC: File = File::Example("incdec.pml");

fn incdec() -> Plan {
    let row = |label: &str, verb, flags: &str, source| Row::new(label, verb, INCDEC, flags, source);
    Plan {
        name: "incdec",
        title: "Two counters and a far corner",
        text: "The error needs both counters at their last value at once, 1996 steps away among 998 001 states. Ernits (2007) found it with a \
               table of 2855 bytes. To be shown: a table below 5 kB is enough, in less than 20 seconds on two cores.",
        reading: "",
        layout: Layout::List(vec![
            Column::Hits,
            Column::Table,
            Column::Length,
            Column::Seconds,
            Column::Attempts,
            Column::Megabytes,
        ]),
        rows: vec![
            row(
                "pruned searches",
                "check",
                "--engine isr --property assertion --threads 2",
                "2855 bytes, error at depth 5992, 143 s on 16 cores (Ernits 2007)",
            ),
            row(
                "pruned searches, refined for shorter traces",
                "check",
                "--engine isr --property assertion --threads 2 --refine=continue --table-last 5000",
                "",
            ),
            row(
                "pruned searches, seeds at random",
                "check",
                "--engine isr --property assertion --threads 2 --table-random --table-last 5000 --time 60s",
                "",
            ),
            row("table sizes 2700 to 3000", "sweep", "--over table=2700..3000 --property assertion", ""),
            row("hunt", "hunt", "--property assertion --time 20s --threads 2", ""),
            row("breadth-first", "check", "--engine bfs --property assertion --threads 2", ""),
        ],
    }
}

fn philosophers() -> Plan {
    let mut rows: Vec<Row> = [3, 5, 10, 20, 50, 100, 150, 200, 255]
        .into_iter()
        .map(|n| {
            let source = if n == 255 { "514 bytes, 2614 steps (Ernits 2007)" } else { "" };
            let flags = format!("-D N={n} --property deadlock --over table=1..699");
            Row::new(
                format!("{n} philosophers, tables of 1 to 699 bytes"),
                "sweep",
                PHILOSOPHERS,
                &flags,
                source,
            )
        })
        .collect();
    for n in [255, 2000] {
        let flags = format!("-D N={n} --property deadlock --time 60s --threads 2");
        rows.push(Row::new(format!("{n} philosophers, hunt"), "hunt", PHILOSOPHERS, &flags, ""));
        let flags =
            format!("-D N={n} --property deadlock --time 60s --threads 2 --engine walk --max-depth 200000");
        rows.push(Row::new(format!("{n} philosophers, walk"), "check", PHILOSOPHERS, &flags, ""));
    }
    Plan {
        name: "philosophers",
        title: "Many dining philosophers",
        text: "The deadlock of N philosophers is N steps away among 3^N - 1 states. Each size of the table is one pruned search. To be \
               shown: tables grow slowly with N, larger tables find longer traces, and 255 and 2000 philosophers take less than a minute and a gigabyte each.",
        reading: "",
        layout: Layout::List(vec![
            Column::Hits,
            Column::Table,
            Column::FirstLength,
            Column::Length,
            Column::Seconds,
            Column::Wall,
            Column::Megabytes,
        ]),
        rows,
    }
}

fn blocks() -> Plan {
    let ours = File::Example("blocks_world.pml");
    let beem = File::Corpus("promela/large/blocks.4.pm");
    let row =
        |label: &str, verb, file: &File, flags: &str, source| Row::new(label, verb, *file, flags, source);
    let source = "2915 bytes, 1524 steps, 144 s on 16 cores (Ernits 2007)";
    Plan {
        name: "blocks",
        title: "Plans for ten blocks",
        text: "The goal is a state, the trace is the plan; 104 906 621 states. To be shown: a plan within a minute, at most twice as long as the \
               shortest that a guided search finds. One state in all of them is the goal, so pruned searches, which visit states hardly better than by chance, have to \
               visit about as many as there are: with eight blocks (695 417 states) there are 0.9 hits for as many states visited, and with ten a minute is \
               about one such round. The source was lucky with its order of steps, or better with its hash. In the order of a heuristic's estimates, a table of \
               some hundred bytes is enough.",
        reading: "",
        layout: Layout::List(vec![
            Column::Hits,
            Column::Seconds,
            Column::States,
            Column::Length,
            Column::Megabytes,
        ]),
        rows: vec![
            row(
                "our model, hunt",
                "hunt",
                &ours,
                "-D TOWERS --property assertion --time 60s --threads 2",
                source,
            ),
            row(
                "our model, best-first",
                "check",
                &ours,
                "-D TOWERS --property assertion --engine best --time 120s",
                "",
            ),
            row(
                "our model, pruned searches",
                "check",
                &ours,
                "-D TOWERS --property assertion --engine isr --time 60s --threads 2",
                source,
            ),
            row(
                "our model, pruned searches in the order of estimates",
                "check",
                &ours,
                "-D TOWERS --property assertion --engine isr --guided --time 60s --threads 2",
                source,
            ),
            row(
                "our model, eight blocks, tables of 1 to 1500 bytes",
                "sweep",
                &ours,
                "-D BLOCKS=8 --property assertion --over table=1..1500",
                "",
            ),
            row("blocks.4 of BEEM, hunt", "hunt", &beem, "--reach Hand@done --time 60s --threads 2", source),
            row(
                "blocks.4 of BEEM, best-first",
                "check",
                &beem,
                "--reach Hand@done --engine best --time 120s",
                "",
            ),
            row(
                "blocks.4 of BEEM, A* with weight 2",
                "check",
                &beem,
                "--reach Hand@done --engine astar --heuristic wrong --weight 2 --time 120s",
                "",
            ),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_are_the_fifty_primes_of_the_source() {
        let text = seeds(50);
        assert!(text.starts_with("--over seed=23,29,31,37,") && text.ends_with(",269,271"), "{text}");
        assert_eq!(text.matches(',').count(), 49);
    }

    #[test]
    fn every_row_names_a_model_that_exists_and_no_folder_of_this_machine() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for row in plans(2).iter().flat_map(|plan| &plan.rows) {
            assert!(!row.shown().contains(&*repository.to_string_lossy()), "{}", row.shown());
            match row.command(&repository, None) {
                Some(command) => assert!(Path::new(&command[1]).exists(), "{}", command[1]),
                None => assert!(row.shown().contains("$FATHOM_CORPUS/"), "{}", row.shown()),
            }
        }
    }

    #[test]
    fn what_is_kept_are_rows_by_their_label_or_tables_with_their_rows() {
        let mut plans = plans(2);
        let kept = |plan: &mut Plan, text: &str| {
            plan.keep(text);
            plan.rows.len()
        };
        let list = plans.iter_mut().find(|plan| plan.name == "philosophers").expect("an experiment");
        assert_eq!(kept(list, "hunt"), 2);
        let tables = plans.iter_mut().find(|plan| plan.name == "reversed").expect("an experiment");
        assert_eq!(kept(tables, "figure 6.12b"), 5 * 8);
        assert!(tables.rows.iter().all(|row| row.label.starts_with("Peterson ")));
    }

    #[test]
    fn labels_are_unique_in_an_experiment() {
        for plan in plans(2) {
            let mut labels: Vec<&str> = plan.rows.iter().map(|row| row.label.as_str()).collect();
            labels.sort_unstable();
            let n_labels = labels.len();
            labels.dedup();
            assert_eq!(labels.len(), n_labels, "{}", plan.name);
        }
    }
}
