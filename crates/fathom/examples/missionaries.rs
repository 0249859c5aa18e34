//! A puzzle: missionaries and cannibals cross a river in a boat for two, and nowhere may cannibals be in the majority.
//!
//! `cargo run --release -p fathom --example missionaries -- check`

use std::process::ExitCode;

use fathom::program::{Data, Program, Property};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
struct Banks {
    /// On the bank where it starts.
    missionaries: u8,
    cannibals: u8,
    boat: bool,
}

/// Who is in the boat.
#[derive(Clone, Debug)]
struct Cross {
    missionaries: u8,
    cannibals: u8,
}

struct River;

impl Program for River {
    type State = Banks;
    type Action = Cross;

    fn initial(&self) -> Vec<Banks> {
        vec![Banks { missionaries: 3, cannibals: 3, boat: true }]
    }

    fn actions(&self, banks: &Banks, actions: &mut Vec<Cross>) {
        let (missionaries, cannibals) = match banks.boat {
            true => (banks.missionaries, banks.cannibals),
            false => (3 - banks.missionaries, 3 - banks.cannibals),
        };
        let crews = [(1, 0), (2, 0), (0, 1), (0, 2), (1, 1)];
        let fits = crews.into_iter().filter(|crew| crew.0 <= missionaries && crew.1 <= cannibals);
        actions.extend(fits.map(|(missionaries, cannibals)| Cross { missionaries, cannibals }));
    }

    fn apply(&self, crew: &Cross, banks: &mut Banks) {
        match banks.boat {
            true => {
                (banks.missionaries, banks.cannibals) =
                    (banks.missionaries - crew.missionaries, banks.cannibals - crew.cannibals)
            }
            false => {
                (banks.missionaries, banks.cannibals) =
                    (banks.missionaries + crew.missionaries, banks.cannibals + crew.cannibals)
            }
        }
        banks.boat = !banks.boat;
    }

    fn within_bounds(&self, banks: &Banks) -> bool {
        let is_safe = |missionaries: u8, cannibals: u8| missionaries == 0 || missionaries >= cannibals;
        is_safe(banks.missionaries, banks.cannibals) && is_safe(3 - banks.missionaries, 3 - banks.cannibals)
    }

    fn properties(&self) -> Vec<Property<Banks>> {
        vec![Property::reach("all across", |banks: &Banks| banks.missionaries + banks.cannibals == 0)]
    }
}

fn main() -> ExitCode {
    fathom::cli::main(&River)
}
