//! The experiments on walks: every line of the tables of Bui (2009), with what the source has beside it.
//!
//! A table is a family of models, a figure of the source and a list of [`Way`]s to search; its rows are all sizes of the figure
//! times all ways. Two figures about one family share the rows that they have in common.

use super::plans::{File, Layout, PHILOSOPHERS, Plan, Row, seeds};
use super::source_figures::{SourceCell, SourceFigure};
use super::tables::{Cell, Kind, Ratio, Table};
use super::walk_readings as readings;

/// A model that has a size.
#[derive(Clone, Copy)]
struct Family {
    name: &'static str,
    file: File,
    defines: &'static str,
    property: &'static str,
    /// The distances of locations that the source's h0 has, with its choice of what is the goal of a process.
    local: &'static str,
}

const FAMILY_OF_PHILOSOPHERS: Family = Family {
    name: "philosophers",
    file: PHILOSOPHERS,
    defines: "",
    property: "deadlock",
    local: "docs/benchmarks/local/philosophers.json",
};

const MUTUAL_EXCLUSION: Family = Family {
    name: "mutual exclusion",
    file: File::Example("lastid_mutex.pml"),
    defines: "-D SCAN -D PAIR ",
    property: "assertion",
    local: "docs/benchmarks/local/mutual-exclusion.json",
};

const LEADER_ELECTION: Family = Family {
    name: "leader election",
    file: File::Example("leader_lann.pml"),
    defines: "-D FORWARD ",
    property: "assertion",
    local: "docs/benchmarks/local/leader-election.json",
};

const LEADER_THAT_STOPS: Family =
    Family { name: "leader election, beaten processes stop", defines: "", ..LEADER_ELECTION };

const PETERSON: Family = Family {
    name: "Peterson",
    file: File::Example("peterson_n.pml"),
    defines: "-D ERROR=1 ",
    property: "assertion",
    local: "docs/benchmarks/local/peterson.json",
};

/// A way to search.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    /// The column of the source in `bui_figures.json`, and its heading.
    source: Option<(&'static str, &'static str)>,
    verb: &'static str,
    /// `$N` is the size, `$SEEDS` and `$FEW` are seeds, `$LOCAL` the distances of locations, `$GOAL` a heuristic.
    flags: &'static str,
}

const DEPTH_FIRST: Way = Way {
    name: "depth-first",
    source: Some(("spin", "Spin")),
    verb: "check",
    flags: "--engine dfs --threads 1 --reduce none --time 120s --memory 64M",
};
const BREADTH_FIRST: Way = Way {
    name: "breadth-first",
    source: None,
    verb: "check",
    flags: "--engine bfs --threads 1 --reduce none --time 120s --memory 64M",
};
const UNGUIDED: Way = Way {
    name: "unguided",
    source: Some(("unguided", "RANSPIN_T")),
    verb: "sweep",
    flags: "--engine walk --time 5s $SEEDS",
};
const UNGUIDED_ALL: Way = Way {
    name: "unguided, all children",
    source: Some(("unguided_all", "RANSPIN_A")),
    verb: "sweep",
    flags: "--engine walk --all-children --time 5s $SEEDS",
};
const UNGUIDED_LOOP: Way = Way {
    name: "unguided, to the first loop",
    source: Some(("unguided", "RANSPIN")),
    verb: "sweep",
    flags: "--engine walk --end-at-loop --time 5s $SEEDS",
};
const GUIDED: Way = Way {
    name: "guided",
    source: Some(("guided", "GRANSPIN_T")),
    verb: "sweep",
    flags: "--engine walk --guided --heuristic pattern --param N=$N --time 5s $SEEDS",
};
const GUIDED_LINEAR: Way = Way {
    name: "guided, linear weights",
    source: Some(("guided_all", "GRANSPIN_A")),
    verb: "sweep",
    flags: "--engine walk --guided --heuristic pattern --param N=$N --bias linear --time 5s $SEEDS",
};
/// The moves of the error written down by hand, as in the source.
const GUIDED_BY_HAND: Way = Way {
    name: "guided, by hand",
    source: Some(("guided", "GRANSPIN_T")),
    verb: "sweep",
    flags: "--engine walk --guided --heuristic docs/benchmarks/pattern/leader-election.json --time 5s $SEEDS",
};
/// Made of the property alone, for the models that the source does not have.
const GUIDED_BY_GOAL: Way = Way {
    name: "guided by the formula",
    source: None,
    verb: "sweep",
    flags: "--engine walk --guided --heuristic formula --time 2s $SEEDS",
};
/// One run that is a process of its own, for its memory.
const GUIDED_ALONE: Way = Way {
    name: "guided, one seed",
    source: None,
    verb: "check",
    flags: "--engine walk --guided --heuristic pattern --param N=$N --seed 23 --threads 1 --memory 64M",
};

/// Ways of the experiment on heuristics turned round; the weights are those of the source unless the name says otherwise.
const REVERSED_WAYS: [Way; 8] = [
    Way {
        name: "unguided",
        source: Some(("unguided", "RANSPIN_T")),
        verb: "sweep",
        flags: "--engine walk --time 1s $SEEDS",
    },
    Way {
        name: "unguided, all children",
        source: None,
        verb: "sweep",
        flags: "--engine walk --all-children --time 1s $SEEDS",
    },
    Way {
        name: "h0",
        source: Some(("h0", "h0, source")),
        verb: "sweep",
        flags: "--engine walk --guided --heuristic $LOCAL --bias linear --time 1s $SEEDS",
    },
    Way {
        name: "h0 reversed",
        source: Some(("h0_reversed", "h0 reversed, source")),
        verb: "sweep",
        flags: "--engine walk --guided --heuristic $LOCAL --bias linear --reverse-heuristic --time 1s $SEEDS",
    },
    Way {
        name: "h1",
        source: Some(("h1", "h1, source")),
        verb: "sweep",
        flags: "--engine walk --guided --heuristic pattern --param N=$N --bias linear --time 1s $SEEDS",
    },
    Way {
        name: "h1 reversed",
        source: Some(("h1_reversed", "h1 reversed, source")),
        verb: "sweep",
        flags: "--engine walk --guided --heuristic pattern --param N=$N --bias linear --reverse-heuristic --time 1s $SEEDS",
    },
    Way {
        name: "h1, default weights",
        source: None,
        verb: "sweep",
        flags: "--engine walk --guided --heuristic pattern --param N=$N --time 1s $FEW",
    },
    Way {
        name: "h1 reversed, default weights",
        source: None,
        verb: "sweep",
        flags: "--engine walk --guided --heuristic pattern --param N=$N --reverse-heuristic --time 1s $FEW",
    },
];

/// More of them, for leader election.
const REVERSED_BY_HAND: [Way; 2] = [
    Way { name: "h1 by hand", source: Some(("h1", "h1, source")), ..GUIDED_BY_HAND },
    Way {
        name: "h1 by hand, reversed",
        source: Some(("h1_reversed", "h1 reversed, source")),
        verb: "sweep",
        flags: "--engine walk --guided --heuristic docs/benchmarks/pattern/leader-election.json --reverse-heuristic \
                --time 5s $SEEDS",
    },
];

/// Seeds where most runs need all their time.
const FEW_SEEDS: usize = 10;

impl Way {
    /// Everything after the model, with `$N` for the size.
    fn flags(&self, family: &Family) -> String {
        let Family { defines, property, local, .. } = family;
        format!("-D N=$N {defines}--property {property} {}", self.flags.replace("$LOCAL", local))
    }
}

/// The rows and tables of an experiment, as they are put together.
struct Builder {
    n_seeds: usize,
    rows: Vec<Row>,
    tables: Vec<Table>,
}

impl Builder {
    fn new(n_seeds: usize) -> Builder {
        Builder { n_seeds, rows: Vec::new(), tables: Vec::new() }
    }

    /// A table like a figure of the source, or for some sizes if there is none.
    fn table(
        &mut self,
        family: &Family,
        figure: Option<&str>,
        sizes: &[u32],
        ways: &[Way],
        ratios: &[(usize, usize)],
        reading: &'static str,
    ) {
        let figure = figure.map(|number| SourceFigure::get(number).expect("a figure of the source"));
        let sizes = figure.as_ref().map_or(sizes.to_vec(), SourceFigure::sizes);
        let title = match &figure {
            Some(figure) => format!("{}, figure {}", capital(family.name), figure.figure),
            None => capital(family.name),
        };
        let lines = sizes.into_iter().map(|size| {
            let cells = ways.iter().map(|way| {
                let source = way.source.and_then(|(column, _)| figure.as_ref()?.cell(size, column));
                self.cell(family, size, way, source)
            });
            (size, cells.collect())
        });
        let table = Table {
            title,
            lines: lines.collect(),
            kinds: ways.iter().map(|way| kind(family, way, figure.is_some())).collect(),
            ratios: ratios.iter().map(|&(of, to)| Ratio { of, to }).collect(),
            reading,
        };
        self.tables.push(table);
    }

    /// The cell of a row, which is made unless another table has it.
    fn cell(&mut self, family: &Family, size: u32, way: &Way, source: Option<SourceCell>) -> Cell {
        let label = format!("{} {size}, {}", family.name, way.name);
        if self.rows.iter().all(|row| row.label != label) {
            let flags = way.flags(family).replace("$N", &size.to_string());
            let flags = flags.replace("$SEEDS", &seeds(self.n_seeds));
            let flags = flags.replace("$FEW", &seeds(self.n_seeds.min(FEW_SEEDS)));
            self.rows.push(Row::new(label.clone(), way.verb, family.file, &flags, ""));
        }
        Cell { row: label, source }
    }
}

fn kind(family: &Family, way: &Way, has_figure: bool) -> Kind {
    let flags = way.flags(family).replace("$SEEDS", "--over seed=$SEEDS").replace("$FEW", "--over seed=$FEW");
    Kind {
        name: way.name,
        source: way.source.map(|(_, heading)| heading).filter(|_| has_figure),
        command: Row::new("", way.verb, family.file, &flags, "").shown(),
        is_for_memory: way.name == GUIDED_ALONE.name,
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

/// The heuristic that is made of a property alone, and that `auto` takes where there is no pattern.
pub(super) fn goal_heuristic(property: &str) -> &'static str {
    if property == "deadlock" { "blocked" } else { "formula" }
}

/// What begins the commands of an experiment with tables.
fn variables(n_seeds: usize) -> String {
    let list = |n_seeds| seeds(n_seeds).replace("--over seed=", "");
    format!("SEEDS={}\nFEW={}\n", list(n_seeds), list(n_seeds.min(FEW_SEEDS)))
}

pub fn walks(n_seeds: usize) -> Plan {
    let mut builder = Builder::new(n_seeds);
    let ways = [DEPTH_FIRST, BREADTH_FIRST, UNGUIDED, UNGUIDED_ALL, GUIDED, GUIDED_LINEAR, GUIDED_ALONE];
    let ratios = [(2, 4), (3, 5), (0, 2)];
    let also_by_hand = [&ways[..], &[GUIDED_BY_HAND]].concat();
    let ratios_by_hand = [&ratios[..], &[(2, 7)]].concat();
    for (family, figure, ways, ratios, reading) in [
        (FAMILY_OF_PHILOSOPHERS, "6.6", &ways[..], &ratios[..], readings::PHILOSOPHERS),
        (MUTUAL_EXCLUSION, "6.7", &ways, &ratios, readings::MUTUAL_EXCLUSION),
        (LEADER_ELECTION, "6.9", &also_by_hand, &ratios_by_hand, readings::LEADER_ELECTION),
        (PETERSON, "6.10", &ways, &ratios, readings::PETERSON),
    ] {
        builder.table(&family, Some(figure), &[], ways, ratios, reading);
    }
    let to_loop = [DEPTH_FIRST, UNGUIDED_LOOP];
    builder.table(
        &FAMILY_OF_PHILOSOPHERS,
        Some("4.3"),
        &[],
        &to_loop,
        &[(0, 1)],
        readings::PHILOSOPHERS_LOOP,
    );
    builder.table(&LEADER_ELECTION, Some("4.4"), &[], &to_loop, &[(0, 1)], readings::LEADER_LOOP);
    builder.table(&LEADER_THAT_STOPS, Some("4.4"), &[], &to_loop, &[(0, 1)], readings::LEADER_STOPS_LOOP);
    let linear = Way {
        flags: "--engine walk --guided --heuristic pattern --param N=$N --bias linear --time 2s $SEEDS",
        ..GUIDED_LINEAR
    };
    let ways = [DEPTH_FIRST, BREADTH_FIRST, UNGUIDED, GUIDED_BY_GOAL, GUIDED, linear, GUIDED_ALONE];
    builder.table(&LEADER_THAT_STOPS, None, &[8, 12, 20], &ways, &[], readings::LEADER_STOPS);
    Plan {
        name: "walks",
        title: "Exhaustive search, unguided and guided walks",
        text: readings::ABOUT_WALKS,
        reading: "",
        layout: Layout::Tables(variables(n_seeds), builder.tables),
        rows: builder.rows,
    }
}

pub fn reversed(n_seeds: usize) -> Plan {
    let mut builder = Builder::new(n_seeds);
    let (ways, ratios) = (&REVERSED_WAYS[..], &[(2, 0), (3, 0), (4, 0), (5, 0)][..]);
    let also_by_hand = &[ways, &REVERSED_BY_HAND].concat();
    let ratios_by_hand = &[ratios, &[(8, 0), (9, 0)]].concat();
    for (family, figure, ways, ratios, reading) in [
        (FAMILY_OF_PHILOSOPHERS, "6.11a", ways, ratios, readings::PHILOSOPHERS_REVERSED),
        (MUTUAL_EXCLUSION, "6.11b", ways, ratios, readings::MUTUAL_EXCLUSION_REVERSED),
        (LEADER_ELECTION, "6.12a", also_by_hand, ratios_by_hand, readings::LEADER_ELECTION_REVERSED),
        (PETERSON, "6.12b", ways, ratios, readings::PETERSON_REVERSED),
    ] {
        builder.table(&family, Some(figure), &[], ways, ratios, reading);
    }
    Plan {
        name: "reversed",
        title: "Heuristics turned round",
        text: readings::ABOUT_REVERSED,
        reading: "",
        layout: Layout::Tables(variables(n_seeds), builder.tables),
        rows: builder.rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(plan: &Plan) -> &[Table] {
        match &plan.layout {
            Layout::Tables(_, tables) => tables,
            Layout::List(_) => panic!("{} has tables", plan.name),
        }
    }

    #[test]
    fn every_line_of_the_source_is_a_line_here_and_every_cell_a_row() {
        for (plan, n_lines) in [(walks(2), 15 + 14 + 9 + 5 + 15 + 7 + 7 + 3), (reversed(2), 15 + 7 + 5 + 5)] {
            let lines: Vec<_> = tables(&plan).iter().flat_map(|table| &table.lines).collect();
            assert_eq!(lines.len(), n_lines, "{}", plan.name);
            for cell in lines.iter().flat_map(|line| &line.1) {
                assert!(plan.rows.iter().any(|row| row.label == cell.row), "{}", cell.row);
            }
        }
    }

    #[test]
    fn nothing_is_left_to_be_filled_in_but_the_size_and_the_seeds() {
        for plan in [walks(2), reversed(2)] {
            for row in &plan.rows {
                assert!(!row.shown().contains('$'), "{}", row.shown());
            }
            for kind in tables(&plan).iter().flat_map(|table| &table.kinds) {
                let filled = kind.command.replace("$N", "3").replace("$SEEDS", "").replace("$FEW", "");
                assert!(kind.command.contains("-D N=$N ") && !filled.contains('$'), "{}", kind.command);
            }
        }
    }

    #[test]
    fn ratios_are_about_columns_that_the_source_has() {
        for table in [walks(2), reversed(2)].iter().flat_map(|plan| tables(plan).to_vec()) {
            for ratio in &table.ratios {
                assert!(table.kinds[ratio.of].source.is_some() && table.kinds[ratio.to].source.is_some());
            }
        }
    }
}
