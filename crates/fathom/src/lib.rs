//! Fathom, the model checker, as a library.
//!
//! [`load()`] reads a model in one of Fathom's languages and [`check()`] answers its properties. Or write the system as a program in
//! plain Rust: a [`Program`](program::Program) has states made of [`Data`](program::Data), actions, and properties, and gets every engine,
//! store, report and a command line.
//!
//! # A puzzle
//!
//! ```
//! use fathom::program::{Data, Program, Property, Symmetry};
//! use fathom::{CheckOptions, check_program, search::NoMonitor};
//!
//! /// Wolf, goat, cabbage and ferryman: who is on the far bank.
//! #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
//! struct Banks {
//!     far: [bool; 3],
//!     boat: bool,
//! }
//!
//! #[derive(Clone, Debug)]
//! enum Action {
//!     Alone,
//!     With(usize),
//! }
//!
//! struct River;
//!
//! impl Program for River {
//!     type State = Banks;
//!     type Action = Action;
//!
//!     fn initial(&self) -> Vec<Banks> {
//!         vec![Banks { far: [false; 3], boat: false }]
//!     }
//!
//!     fn actions(&self, banks: &Banks, actions: &mut Vec<Action>) {
//!         actions.push(Action::Alone);
//!         actions.extend((0..3).filter(|&who| banks.far[who] == banks.boat).map(Action::With));
//!     }
//!
//!     fn apply(&self, action: &Action, banks: &mut Banks) {
//!         banks.boat = !banks.boat;
//!         if let Action::With(who) = *action {
//!             banks.far[who] = banks.boat;
//!         }
//!     }
//!
//!     // Neither wolf and goat nor goat and cabbage are left alone.
//!     fn within_bounds(&self, banks: &Banks) -> bool {
//!         let [wolf, goat, cabbage] = banks.far;
//!         goat == banks.boat || wolf != goat && goat != cabbage
//!     }
//!
//!     fn properties(&self) -> Vec<Property<Banks>> {
//!         vec![Property::reach("all across", |banks: &Banks| banks.far == [true; 3])]
//!     }
//! }
//!
//! let options = CheckOptions { properties: vec![0.into()], ..CheckOptions::default() };
//! let report = check_program(&River, Symmetry::None, &options, &mut NoMonitor);
//! assert_eq!(report.verdicts[0].trace.as_ref().unwrap().choices.len(), 7);
//! ```
//!
//! # Dining philosophers
//!
//! Philosophers and forks are objects, so that states that are turned around the table are one.
//!
//! ```
//! use fathom::program::{Data, Map, Object, Program, Property, Set, Symmetry, sorts};
//! use fathom::{CheckOptions, check_program, model::Answer, search::NoMonitor};
//!
//! sorts! { Philosopher, Fork }
//!
//! #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
//! struct Table {
//!     forks: Map<Object<Philosopher>, (Object<Fork>, Object<Fork>)>,
//!     stages: Map<Object<Philosopher>, u8>,
//!     taken: Set<Object<Fork>>,
//! }
//!
//! struct Philosophers(u32);
//!
//! impl Program for Philosophers {
//!     type State = Table;
//!     type Action = Object<Philosopher>;
//!
//!     fn initial(&self) -> Vec<Table> {
//!         let forks = |at| (Object::number(at), Object::number((at + 1) % self.0));
//!         let forks = Object::first(self.0).zip((0..).map(forks)).collect();
//!         let stages = Object::first(self.0).map(|who| (who, 0)).collect();
//!         vec![Table { forks, stages, taken: Set::new() }]
//!     }
//!
//!     fn actions(&self, table: &Table, actions: &mut Vec<Object<Philosopher>>) {
//!         actions.extend(table.forks.iter().filter_map(|(who, (left, right))| {
//!             let wants = [Some(left), Some(right), None, None][table.stages[who] as usize];
//!             wants.is_none_or(|fork| !table.taken.contains(fork)).then_some(*who)
//!         }));
//!     }
//!
//!     fn apply(&self, who: &Object<Philosopher>, table: &mut Table) {
//!         let (left, right) = table.forks[who];
//!         let stage = table.stages[who];
//!         match stage {
//!             0 => table.taken.insert(left),
//!             1 => table.taken.insert(right),
//!             2 => table.taken.remove(&left),
//!             _ => table.taken.remove(&right),
//!         };
//!         table.stages.insert(*who, (stage + 1) % 4);
//!     }
//! }
//!
//! let options = CheckOptions { properties: vec![0.into()], continue_after_all: true, ..CheckOptions::default() };
//! let report = check_program(&Philosophers(5), Symmetry::Canonical, &options, &mut NoMonitor);
//! assert_eq!(report.verdicts[0].answer, Answer::Violated); // all have their left fork
//! assert_eq!(report.statistics.states, 50); // 242 without symmetry
//! ```
//!
//! With `fn main() -> ExitCode { fathom::cli::main(&Philosophers(5)) }` the program has a command line: `check`, `hunt`, `graph`, `simulate`,
//! `test`, `drive`, `replay` and `info`.

pub use fathom_core::*;

/// The command line of programs.
pub mod cli {
    pub use fathom_cli::{main_of as main, parameter, parameter_among};
}
