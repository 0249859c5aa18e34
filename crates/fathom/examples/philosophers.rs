//! Dining philosophers as objects: who sits where is data, so that a ring can be turned without anyone noticing.
//!
//! `cargo run --release -p fathom --example philosophers -- check -D N=10`

use std::process::ExitCode;

use fathom::program::{Data, Map, Object, Program, Property, sorts};

sorts! { Philosopher, Fork }

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Stage {
    Thinks,
    HasLeft,
    Eats,
    HasRight,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) struct Table {
    forks: Map<Object<Philosopher>, (Object<Fork>, Object<Fork>)>,
    stages: Map<Object<Philosopher>, Stage>,
    taken: Map<Object<Fork>, bool>,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    TakeLeft(Object<Philosopher>),
    TakeRight(Object<Philosopher>),
    PutLeft(Object<Philosopher>),
    PutRight(Object<Philosopher>),
}

pub(crate) struct Philosophers(pub(crate) u32);

impl Program for Philosophers {
    type State = Table;
    type Action = Action;

    fn initial(&self) -> Vec<Table> {
        let forks = |at: u32| (Object::number(at), Object::number((at + 1) % self.0));
        let forks = Object::first(self.0).zip((0..).map(forks)).collect();
        let stages = Object::first(self.0).map(|who| (who, Stage::Thinks)).collect();
        let taken = Object::first(self.0).map(|fork| (fork, false)).collect();
        vec![Table { forks, stages, taken }]
    }

    fn actions(&self, table: &Table, actions: &mut Vec<Action>) {
        for (&who, (left, right)) in table.forks.iter() {
            match table.stages[&who] {
                Stage::Thinks if !table.taken[left] => actions.push(Action::TakeLeft(who)),
                Stage::HasLeft if !table.taken[right] => actions.push(Action::TakeRight(who)),
                Stage::Eats => actions.push(Action::PutLeft(who)),
                Stage::HasRight => actions.push(Action::PutRight(who)),
                _ => (),
            }
        }
    }

    fn apply(&self, action: &Action, table: &mut Table) {
        let (who, stage) = match *action {
            Action::TakeLeft(who) => (who, Stage::HasLeft),
            Action::TakeRight(who) => (who, Stage::Eats),
            Action::PutLeft(who) => (who, Stage::HasRight),
            Action::PutRight(who) => (who, Stage::Thinks),
        };
        let (left, right) = table.forks[&who];
        match stage {
            Stage::HasLeft => table.taken.insert(left, true),
            Stage::Eats => table.taken.insert(right, true),
            Stage::HasRight => table.taken.insert(left, false),
            Stage::Thinks => table.taken.insert(right, false),
        }
        table.stages.insert(who, stage);
    }

    fn properties(&self) -> Vec<Property<Table>> {
        vec![Property::no_deadlock()]
    }
}

fn main() -> ExitCode {
    fathom::cli::main(&Philosophers(fathom::cli::parameter("N", 5)))
}
