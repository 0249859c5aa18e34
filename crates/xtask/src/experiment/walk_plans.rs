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
    /// The heuristic that is made of the property alone.
    fn goal_heuristic(&self) -> &'static str {
        goal_heuristic(self.property)
    }

    fn row(&self, size: u32, label: &str, verb: &'static str, flags: &str, source: &'static str) -> Row {
        let Family { name, defines, property, .. } = self;
        let flags = format!("-D N={size} {defines} --property {property} {flags}");
        Row::new(format!("{name} {size}, {label}"), verb, self.file.clone(), &flags, source)
    }
}

/// The heuristic that is made of a property alone, and that `auto` takes where there is no pattern.
pub(super) fn goal_heuristic(property: &str) -> &'static str {
    if property == "deadlock" { "blocked" } else { "formula" }
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
            let of_goal = format!("--engine walk --guided --heuristic {} {seeds}", family.goal_heuristic());
            let label = format!("guided walk ({})", family.goal_heuristic());
            rows.push(family.row(size, &label, "sweep", &of_goal, ""));
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
                  needs several (Peterson 11). With the default weights, which fall by a factor for every step of distance, philosophers take the shortest way (N steps) at every size, where the source is \
                  within 10 % of it; linear weights, those of the source, give about twice that. The limit of 64 MB is on what a search remembers; the whole process takes more.\n\n\
                  Leader election is there twice. With `FORWARD` nothing stops, as in the source: every long run ends in a collision, so that one walk is enough for everybody and depth-first search is lucky, as Spin \
                  was with its bound on depth (without it, figure 4.4, Spin had traces of millions of steps and no memory left for 9 processes); breadth-first search is not. Guiding gains less than in the source, \
                  whose pattern of 24 rows was written by hand. Where beaten processes stop, most runs end in a deadlock before two processes hold the resource, the more of them the more processes there are. For 12 and 20 \
                  processes the collision, 2N + 8 steps away, is found by no exhaustive search with 64 MB, by none of 50 times 2020 unguided walks, and by no walk guided by the formula; walks guided by the pattern find it with \
                  every seed, mostly on the shortest way.\n",
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
        let local = family.goal_heuristic();
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
               A step next to the goal has weight 0 in the source when turned round, and is never taken; here every weight is positive, so that nothing becomes impossible. So linear weights \
               can hurt only up to the ratio of the largest weight to 1; the default weights come closer to the source in this.",
        reading: READING_OF_REVERSED,
        columns: RANDOM.to_vec(),
        rows,
    }
}

/// What came out.
const READING_OF_REVERSED: &str = "\nThe shape of the source comes out with the default weights. Turned round, the pattern makes philosophers and mutual exclusion intractable: no run of 20 \
    ends within three seconds for philosophers, and four do for mutual exclusion, after some 2650 steps and a median of two walks, where an unguided walk \
    takes 390 and 134 steps. Leader election hardly notices (337 steps for 345), and for Peterson even the reversed walk is ahead of the unguided one (130 \
    steps for 497), as in the source.\n\n\
    With the linear weights of the source philosophers take 4.9 times the steps of the unguided walk with all children (source: 2.2 times those with one \
    child), and mutual exclusion as many (133 for 134), where the source has 7.8 times the steps and 236 times the time. The likely reason is the weight of \
    what is next to the goal, 0 there when turned round and at least 1 here: for mutual exclusion, where two processes of 28 have to do a few moves each, a \
    weight of 1 beside those of 26 bystanders is still enough, and a weight of 0 is not.\n\n\
    `blocked` and `formula` tell states of these models hardly apart for linear weights, so turning them round changes next to nothing. Three seconds are \
    counted with other work on the machine; steps do not depend on that.\n";
