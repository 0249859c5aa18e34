//! A bag of things that workers put in and take out: what is in it counts, not who put it there first.
//!
//! `cargo run --release -p fathom --example bag -- check -D N=6`

use std::process::ExitCode;

use fathom::program::{Bag, Data, Map, Object, Program, Property, sorts};

sorts! { Worker }

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
struct Store {
    /// What each worker holds: nothing, or a thing of another worker or its own.
    holds: Map<Object<Worker>, Option<Object<Worker>>>,
    /// Things in the bag, by who made them.
    bag: Bag<Object<Worker>>,
}

#[derive(Clone, Debug)]
enum Action {
    Make(Object<Worker>),
    Take { who: Object<Worker>, made_by: Object<Worker> },
    Use(Object<Worker>),
}

struct Workers {
    n: u32,
    room: usize,
}

impl Program for Workers {
    type State = Store;
    type Action = Action;

    fn initial(&self) -> Vec<Store> {
        let holds = Object::first(self.n).map(|who| (who, None)).collect();
        vec![Store { holds, bag: Bag::new() }]
    }

    fn actions(&self, store: &Store, actions: &mut Vec<Action>) {
        for (&who, held) in store.holds.iter() {
            match held {
                Some(_) => actions.push(Action::Use(who)),
                None => {
                    if store.bag.len() < self.room {
                        actions.push(Action::Make(who));
                    }
                    actions.extend(store.bag.iter().map(|(&made_by, _)| Action::Take { who, made_by }));
                }
            }
        }
    }

    fn apply(&self, action: &Action, store: &mut Store) {
        match *action {
            Action::Make(who) => store.bag.insert(who),
            Action::Take { who, made_by } => {
                store.bag.remove(&made_by);
                store.holds.insert(who, Some(made_by));
            }
            Action::Use(who) => store.holds.insert(who, None),
        }
    }

    fn properties(&self) -> Vec<Property<Store>> {
        let room = self.room;
        vec![Property::no_deadlock(), Property::always("room", move |store: &Store| store.bag.len() <= room)]
    }
}

fn main() -> ExitCode {
    let (n, room) = (fathom::cli::parameter("N", 4), fathom::cli::parameter("ROOM", 3));
    fathom::cli::main(&Workers { n, room })
}
