//! What the experiments are: rows of commands, and what the sources have.

use std::path::Path;

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
#[derive(Clone, PartialEq, Eq, Debug)]
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
    fn new(
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
        words.extend(self.flags.iter().cloned());
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

/// An experiment.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its name on the command line and of its page.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What is compared, and what to look for.
    pub text: &'static str,
    /// The numbers.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// All experiments, with so many seeds in each random row.
pub fn plans(n_seeds: usize) -> Vec<Plan> {
    vec![incdec(), philosophers(), blocks(), walks(n_seeds), reversed(n_seeds)]
}

/// The seeds of the source: the primes from 23 on.
fn seeds(n_seeds: usize) -> String {
    let is_prime =
        |number: &u32| (2..*number).take_while(|n| n * n <= *number).all(|n| !number.is_multiple_of(n));
    let primes: Vec<String> =
        (23_u32..).filter(is_prime).take(n_seeds).map(|prime| prime.to_string()).collect();
    format!("--over seed={}", primes.join(","))
}

const PHILOSOPHERS: File = File::Example("philosophers.pml");
const INCDEC: File = File::Example("incdec.pml");
const MUTEX: File = File::Example("lastid_mutex.pml");
const LEADER: File = File::Example("leader_lann.pml");
const PETERSON: File = File::Example("peterson_n.pml");

fn incdec() -> Plan {
    let row = |label: &str, verb, flags: &str, source| Row::new(label, verb, INCDEC, flags, source);
    Plan {
        name: "incdec",
        title: "Two counters and a far corner",
        text: "The error needs both counters at their last value at once, 1996 steps away among 998 001 states. Ernits (2007) found it with a \
               table of 2855 bytes. To be shown: a table below 5 kB is enough, in less than 20 seconds on two cores.",
        columns: vec![
            Column::Hits,
            Column::Table,
            Column::Length,
            Column::Seconds,
            Column::Attempts,
            Column::Megabytes,
        ],
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
        columns: vec![
            Column::Hits,
            Column::Table,
            Column::FirstLength,
            Column::Length,
            Column::Seconds,
            Column::Wall,
            Column::Megabytes,
        ],
        rows,
    }
}

fn blocks() -> Plan {
    let ours = File::Example("blocks_world.pml");
    let beem = File::Corpus("promela/large/blocks.4.pm");
    let row = |label: &str, verb, file: &File, flags: &str, source| {
        Row::new(label, verb, file.clone(), flags, source)
    };
    let source = "2915 bytes, 1524 steps, 144 s on 16 cores (Ernits 2007)";
    Plan {
        name: "blocks",
        title: "Plans for ten blocks",
        text: "The goal is a state, the trace is the plan; 104 906 621 states. To be shown: a plan within a minute, at most twice as long as the \
               shortest that a guided search finds.",
        columns: vec![Column::Hits, Column::Seconds, Column::States, Column::Length, Column::Megabytes],
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

/// The models of Bui's tables: name, file, definitions, sizes with what the source has (exhaustive, unguided, guided).
struct Family {
    name: &'static str,
    file: File,
    defines: &'static str,
    property: &'static str,
    sizes: Vec<(u32, [&'static str; 3])>,
}

fn families() -> Vec<Family> {
    vec![
        Family {
            name: "philosophers",
            file: PHILOSOPHERS,
            defines: "",
            property: "deadlock",
            sizes: vec![
                (10, ["2298 steps", "337 steps, 1.0 walks", "40 steps, 1.0 walks"]),
                (50, ["18538 steps, 40 ms", "1998 steps, 7 ms", "203 steps, 0 ms"]),
                (150, ["59138 steps, 360 ms", "6125 steps, 57 ms", "648 steps, 11 ms"]),
            ],
        },
        Family {
            name: "mutual exclusion",
            file: MUTEX,
            defines: "-D SCAN -D PAIR",
            property: "assertion",
            sizes: vec![
                (8, ["9999 steps, 20 ms", "266 steps, 1.0 walks", "34 steps, 1.0 walks"]),
                (28, ["9999 steps, 700 ms", "743 steps, 1 ms", "54 steps, 0 ms"]),
                (60, ["9999 steps, 22 630 ms", "1900 steps, 6 ms", "116 steps, 0 ms"]),
            ],
        },
        Family {
            name: "leader election",
            file: LEADER,
            defines: "",
            property: "assertion",
            sizes: vec![
                (4, ["3865 steps, 10 ms", "719 steps, 1.0 walks", "78 steps, 1.0 walks"]),
                (12, ["9993 steps, 20 ms", "2383 steps, 7 ms", "165 steps, 0 ms"]),
                (20, ["9991 steps, 40 ms", "4930 steps, 27 ms", "445 steps, 2 ms"]),
            ],
        },
        Family {
            name: "Peterson",
            file: PETERSON,
            defines: "-D ERROR=1",
            property: "assertion",
            sizes: vec![
                (3, ["6519 steps, 0 ms", "2631 steps, 1.0 walks", "1083 steps, 1.0 walks"]),
                (
                    5,
                    ["9993 steps, 73 020 ms", "3319 steps, 2.4 walks, 42 ms", "2937 steps, 1.3 walks, 17 ms"],
                ),
                (11, ["out of memory", "6998 steps, 8.4 walks, 222 ms", "4898 steps, 1.9 walks, 52 ms"]),
            ],
        },
    ]
}

impl Family {
    fn row(&self, size: u32, label: &str, verb: &'static str, flags: &str, source: &'static str) -> Row {
        let Family { name, defines, property, .. } = self;
        let flags = format!("-D N={size} {defines} --property {property} {flags}");
        Row::new(format!("{name} {size}, {label}"), verb, self.file.clone(), &flags, source)
    }
}

/// The heuristic of the source that is made of the error of a smaller instance.
fn pattern(size: u32) -> String {
    format!("--engine walk --guided --heuristic pattern --param N={size}")
}

const RANDOM: [Column; 5] = [Column::Hits, Column::Seconds, Column::States, Column::Length, Column::Attempts];

fn walks(n_seeds: usize) -> Plan {
    let seeds = seeds(n_seeds);
    let mut rows = Vec::new();
    for family in families() {
        for &(size, source) in &family.sizes {
            let exhaustive = "--engine dfs --threads 1 --reduce none --time 10s --memory 2G";
            rows.push(family.row(size, "exhaustive (depth-first)", "check", exhaustive, source[0]));
            rows.push(family.row(
                size,
                "unguided walk",
                "sweep",
                &format!("--engine walk {seeds}"),
                source[1],
            ));
            let all = format!("--engine walk --all-children {seeds}");
            rows.push(family.row(size, "unguided walk, all children", "sweep", &all, ""));
            let auto = format!("--engine walk --guided {seeds}");
            rows.push(family.row(size, "guided walk", "sweep", &auto, ""));
            let guided = format!("{} {seeds}", pattern(size));
            rows.push(family.row(size, "guided walk (pattern)", "sweep", &guided, source[2]));
            let sharp = format!("{} --bias exponential:0.5 {seeds}", pattern(size));
            rows.push(family.row(size, "guided walk (pattern, sharp)", "sweep", &sharp, source[2]));
        }
    }
    Plan {
        name: "walks",
        title: "Exhaustive search, unguided and guided walks",
        text: "Bui (2009), figures 6.6, 6.7, 6.9 and 6.10: a Pentium IV with 1 GB; Spin with its default bound on depth; means of 50 seeds. The \
               source counts moves of model and claim, two for each step of ours, and its models take more moves for the same thing, so lengths \
               compare by ratio only. To be seen: walks beat the exhaustive search as soon as the space is large, and with little \
               memory; guided walks need fewer walks and find shorter traces, near the optimum (N) for philosophers.",
        columns: RANDOM.to_vec(),
        rows,
    }
}

fn reversed(n_seeds: usize) -> Plan {
    let seeds = seeds(n_seeds);
    let mut rows = Vec::new();
    let sources = [
        (
            "philosophers",
            50,
            ["1998 steps", "203 steps", "4482 steps, 1.1 walks, 8 times the time of unguided"],
        ),
        (
            "mutual exclusion",
            28,
            ["743 steps", "60 steps", "5788 steps, 4.8 walks, 236 times the time of unguided"],
        ),
        ("leader election", 12, ["2383 steps", "165 steps", "2096 steps, 1.9 times the time of unguided"]),
        (
            "Peterson",
            5,
            ["3319 steps, 2.4 walks", "2937 steps, 1.3 walks", "2136 steps, 1.0 walks: better than forward"],
        ),
    ];
    for (name, size, source) in sources {
        let families = families();
        let family = families.iter().find(|family| family.name == name).expect("a family with this name");
        rows.push(family.row(
            size,
            "unguided",
            "sweep",
            &format!("--engine walk --time 10s {seeds}"),
            source[0],
        ));
        let forward = format!("{} --time 10s {seeds}", pattern(size));
        rows.push(family.row(size, "pattern", "sweep", &forward, source[1]));
        let backward = format!("{} --reverse-heuristic --time 10s {seeds}", pattern(size));
        rows.push(family.row(size, "pattern, reversed", "sweep", &backward, source[2]));
        let local = if name == "philosophers" { "blocked" } else { "formula" };
        for (word, flag) in [("", ""), (", reversed", "--reverse-heuristic")] {
            let flags = format!("--engine walk --guided --heuristic {local} {flag} --time 10s {seeds}");
            rows.push(family.row(size, &format!("{local}{word}"), "sweep", &flags, ""));
        }
    }
    Plan {
        name: "reversed",
        title: "Heuristics turned round",
        text: "Bui (2009), figures 6.11 and 6.12, heuristic h1: turned round it hurts much where few local states cause the error (philosophers, mutual \
               exclusion) and little elsewhere. There a step next to the goal has weight 0 when turned round; here every weight is at least 1, \
               so that nothing becomes impossible, and turning round hurts less.",
        columns: RANDOM.to_vec(),
        rows,
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
