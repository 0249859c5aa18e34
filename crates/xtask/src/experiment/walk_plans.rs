//! The experiments on walks: the models of Bui (2009), with what the source has.

use super::plans::{Column, File, PHILOSOPHERS, Plan, Row, seeds};

const MUTEX: File = File::Example("lastid_mutex.pml");
const LEADER: File = File::Example("leader_lann.pml");
const PETERSON: File = File::Example("peterson_n.pml");

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
            defines: "-D FORWARD",
            property: "assertion",
            sizes: vec![
                (4, ["3865 steps, 10 ms", "719 steps, 1.0 walks", "78 steps, 1.0 walks"]),
                (12, ["9993 steps, 20 ms", "2383 steps, 7 ms", "165 steps, 0 ms"]),
                (20, ["9991 steps, 40 ms", "4930 steps, 27 ms", "445 steps, 2 ms"]),
            ],
        },
        Family {
            name: "leader election, beaten processes stop",
            file: LEADER,
            defines: "",
            property: "assertion",
            sizes: vec![(8, [""; 3]), (12, [""; 3]), (20, [""; 3])],
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

pub fn walks(n_seeds: usize) -> Plan {
    let seeds = format!("--time 5s {}", seeds(n_seeds));
    let mut rows = Vec::new();
    for family in families() {
        for &(size, source) in &family.sizes {
            let exhaustive = "--engine dfs --threads 1 --reduce none --time 120s --memory 64M";
            rows.push(family.row(size, "exhaustive (depth-first)", "check", exhaustive, source[0]));
            let layers = exhaustive.replace("dfs", "bfs");
            rows.push(family.row(size, "exhaustive (breadth-first)", "check", &layers, ""));
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
            let linear = format!("{} --bias linear {seeds}", pattern(size));
            rows.push(family.row(size, "guided walk (pattern, linear weights)", "sweep", &linear, source[2]));
        }
        let &(largest, _) = family.sizes.last().expect("a family has sizes");
        let alone = format!("{} --seed 23 --threads 1 --memory 64M", pattern(largest));
        rows.push(family.row(largest, "guided walk (pattern), one seed", "check", &alone, ""));
    }
    Plan {
        name: "walks",
        title: "Exhaustive search, unguided and guided walks",
        text: "Bui (2009), figures 6.6, 6.7, 6.9 and 6.10: a Pentium IV with 1 GB; Spin with its default bound on depth; means of 50 seeds. The \
               source counts moves of model and claim, two for each step of ours, and its models take more moves for the same thing, so lengths \
               compare by ratio only. The exhaustive search may remember 64 MB and take two minutes; a walk takes about 15 MB in all (rows with one seed). To be seen: walks beat the exhaustive search as soon as the space is large; guided walks need fewer walks and find shorter traces, near the optimum (N) for philosophers.",
        reading: "\nPhilosophers, mutual exclusion and Peterson have the shape of the source: the guided walk has a trace that is several times shorter than that of the unguided one, with one walk where that \
                  needs several (Peterson 11). With weights that fall by a factor for every step of distance (*sharp*) philosophers take the shortest way; linear weights, those of the source, give about \
                  twice that. The limit of 64 MB is on what a search remembers; the whole process takes more.\n",
        columns: [&RANDOM[..], &[Column::Megabytes]].concat(),
        rows,
    }
}

pub fn reversed(n_seeds: usize) -> Plan {
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
            &format!("--engine walk --time 3s {seeds}"),
            source[0],
        ));
        // The weights of the source, and those of today.
        for (weights, bias) in [("", "--bias linear"), (", default weights", "")] {
            let forward = format!("{} {bias} --time 3s {seeds}", pattern(size));
            rows.push(family.row(size, &format!("pattern{weights}"), "sweep", &forward, source[1]));
            let backward = format!("{} {bias} --reverse-heuristic --time 3s {seeds}", pattern(size));
            rows.push(family.row(
                size,
                &format!("pattern{weights}, reversed"),
                "sweep",
                &backward,
                source[2],
            ));
        }
        let local = if name == "philosophers" { "blocked" } else { "formula" };
        for (word, flag) in [("", ""), (", reversed", "--reverse-heuristic")] {
            let flags =
                format!("--engine walk --guided --heuristic {local} --bias linear {flag} --time 3s {seeds}");
            rows.push(family.row(size, &format!("{local}{word}"), "sweep", &flags, ""));
        }
        let all = format!("--engine walk --all-children --time 3s {seeds}");
        rows.push(family.row(size, "unguided, all children", "sweep", &all, ""));
    }
    Plan {
        name: "reversed",
        title: "Heuristics turned round",
        text: "Bui (2009), figures 6.11 and 6.12, heuristic h1: turned round it hurts much where few local states cause the error (philosophers, mutual \
               exclusion) and little elsewhere. A guided walk looks at all steps of a state, so it compares with the unguided walk that does so, too. \
               A step next to the goal has weight 0 in the source when turned round; here every weight is at least 1, so that nothing becomes impossible.\n\n\
               Mutual exclusion shows what the effect depends on. A row of a pattern is a move and the values of variables after it. In the source the rows were \
               written by hand, with variables left open where they differ between sizes; ours are made from a trace, and a move whose variables differ counts as n \
               steps farther than one that matches, half way to one that matches nothing. In a crowd of 28 the variables hardly ever match, so the moves of the two that matter are only a \
               little less likely than the others when the estimates are turned round, and nothing is lost. With the variables left open (`lastid-moves.json`, the same \
               pattern as written by `--heuristic-out`), moves near the goal are up to twelve times less likely than those of bystanders, and turning round hurts, if less than in the source.",
        reading: "\nSteps of the reversed walk against those of the unguided one with all children (in brackets: with one child, as in the source), measured on 2026-11-15: philosophers 5.0 times (4.9; source 2.2), \
                  mutual exclusion with moves alone 4.3 times (2.2; source 7.8, and 4.8 walks for one) and with variables 1.1 times (0.6), Peterson \
                  0.7 times (0.4; source 0.6, better than forward). So the direction is that of the source, the size for mutual exclusion is not: there the reversed walk takes 236 times as long, here \
                  with moves alone 8 times, and every run needs one walk. The rows with moves alone were added when those with variables had shown no effect.\n\n\
                  `blocked` and `formula` tell states of these models hardly apart, so turning them round changes next to nothing.\n",
        columns: RANDOM.to_vec(),
        rows,
    }
}
