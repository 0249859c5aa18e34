//! Clients of one server, all alike: a client asks, is served when the server is free, uses what it got, and leaves. A fully symmetric
//! program.

use std::process::ExitCode;

use fathom::program::{Data, Map, Object, Program, Property, Seq, sorts};

sorts! { Client }

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Stage {
    Idle,
    Waits,
    Served,
    Leaves,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) struct Office {
    clients: Map<Object<Client>, (Stage, u8)>,
    /// Those who wait, in the order in which they came.
    queue: Seq<Object<Client>>,
    served: Option<Object<Client>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Ask(Object<Client>),
    Serve,
    Finish,
    Rest(Object<Client>),
}

pub(crate) struct Clients {
    pub(crate) n: u32,
    pub(crate) visits: u8,
}

impl Program for Clients {
    type State = Office;
    type Action = Action;

    fn initial(&self) -> Vec<Office> {
        let clients = Object::first(self.n).map(|client| (client, (Stage::Idle, 0))).collect();
        vec![Office { clients, queue: Seq::new(), served: None }]
    }

    fn actions(&self, office: &Office, actions: &mut Vec<Action>) {
        for (&client, &(stage, visits)) in office.clients.iter() {
            match stage {
                Stage::Idle if visits < self.visits => actions.push(Action::Ask(client)),
                Stage::Leaves => actions.push(Action::Rest(client)),
                _ => (),
            }
        }
        match office.served {
            None if !office.queue.is_empty() => actions.push(Action::Serve),
            Some(_) => actions.push(Action::Finish),
            None => (),
        }
    }

    fn apply(&self, action: &Action, office: &mut Office) {
        match *action {
            Action::Ask(client) => {
                office.queue.push(client);
                office.clients.get_mut(&client).expect("every client is there").0 = Stage::Waits;
            }
            Action::Serve => {
                office.served = office.queue.pop_front();
                if let Some(client) = office.served {
                    office.clients.get_mut(&client).expect("every client is there").0 = Stage::Served;
                }
            }
            Action::Finish => {
                if let Some(client) = office.served.take() {
                    let known = office.clients.get_mut(&client).expect("every client is there");
                    *known = (Stage::Leaves, known.1 + 1);
                }
            }
            Action::Rest(client) => {
                office.clients.get_mut(&client).expect("every client is there").0 = Stage::Idle;
            }
        }
    }

    fn may_end(&self, office: &Office) -> bool {
        office.clients.values().all(|&(stage, visits)| stage == Stage::Idle && visits == self.visits)
    }

    fn properties(&self) -> Vec<Property<Office>> {
        vec![
            Property::no_deadlock(),
            Property::always("one at a time", |office: &Office| {
                office.clients.values().filter(|(stage, _)| *stage == Stage::Served).count() <= 1
            }),
        ]
    }
}

fn main() -> ExitCode {
    let (n, visits) = (fathom::cli::parameter("N", 4), fathom::cli::parameter("VISITS", 1));
    fathom::cli::main(&Clients { n, visits })
}
