//! Paxos for one decree, after Lamport (1998; 2001): three servers agree on one value, over messages that arrive once, in any
//! order. Clients use it as a register that can be written once: each asks a server to write, and when it is told that this
//! was done, asks another one to read. Linearizable it is as a register, too: of all writes only one is ever acknowledged.
//!
//! `cargo run --release -p fathom --example paxos -- check -D CLIENTS=3 --continue`

use std::fmt;
use std::process::ExitCode;

use fathom::program::{Below, Bits, Data, Finite, Program, Property, Set};

pub(crate) mod register;

use register::{Client, History, SERVERS, Server, reads_from, writes_to};

/// A ballot: a round, and the server that leads it. Each server leads one ballot, so that no round is above the number of
/// servers; round 0 has no ballot but the one before all others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) struct Ballot(Below<{ (SERVERS + 1) * SERVERS }>);

impl Ballot {
    fn first() -> Ballot {
        Ballot(Below::new(0))
    }

    /// The ballot of a server in the round after this one.
    fn next(self, leader: Server) -> Ballot {
        Ballot(Below::new((self.0.get() / SERVERS + 1) * SERVERS + leader.get()))
    }

    fn leader(self) -> Server {
        Server::new(self.0.get() % SERVERS)
    }
}

/// What a server accepted last, if anything: a value in a ballot, in one number. The later, the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Data)]
pub(crate) struct Vote(Below<128>);

impl Vote {
    /// More than there are values.
    const VALUES: usize = 8;

    fn none() -> Vote {
        Vote(Below::new(0))
    }

    fn new<const C: usize>(ballot: Ballot, value: Client<C>) -> Vote {
        Vote(Below::new(1 + ballot.0.get() * Vote::VALUES + value.get()))
    }

    /// The value, if there is one.
    fn value<const C: usize>(self) -> Option<Client<C>> {
        let vote = self.0.get().checked_sub(1)?;
        Some(Client::new(vote % Vote::VALUES))
    }
}

impl fmt::Debug for Vote {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get().checked_sub(1) {
            Some(vote) => write!(out, "{} in {}", vote % Vote::VALUES, vote / Vote::VALUES),
            None => out.write_str("none"),
        }
    }
}

/// What is under way. Messages are in the order of who exchanges them: an answer takes the place of what it answers, and most of a
/// state stays where it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Message<const C: usize> {
    /// Between the leader of a ballot and another server.
    Inner { ballot: Ballot, server: Server, text: Inner<C> },
    /// Between a client and one of its servers.
    Outer { client: Client<C>, text: Outer<C> },
}

/// What clients and servers say to each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Outer<const C: usize> {
    Write,
    Written { from: Server },
    Read,
    Answer { value: Client<C> },
}

/// What servers say to each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Inner<const C: usize> {
    Prepare,
    Promise { vote: Vote },
    Accept { value: Client<C> },
    Accepted,
    Decided { value: Client<C> },
}

/// What a server knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) struct Knowledge<const C: usize> {
    /// The latest ballot it takes part in.
    ballot: Ballot,
    /// What it accepted last.
    vote: Vote,
    is_decided: bool,
    /// As a leader: the value that it proposes.
    proposal: Option<Client<C>>,
    /// As a leader: what those who promised had accepted.
    promises: [Option<Vote>; SERVERS],
    /// As a leader: those who accepted its proposal.
    accepted: Bits<Server>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) struct State<const C: usize> {
    servers: [Knowledge<C>; SERVERS],
    history: History<C>,
    network: Set<Message<C>>,
}

impl<const C: usize> State<C> {
    /// The leader of a ballot sends a message to all others.
    fn tell_others(&mut self, ballot: Ballot, text: Inner<C>) {
        for server in Server::all().filter(|server| *server != ballot.leader()) {
            self.network.insert(Message::Inner { ballot, server, text });
        }
    }

    /// Whether a message makes a difference to the one it is for. Others stay where they are.
    fn is_heeded(&self, message: &Message<C>) -> bool {
        let undecided =
            |server: Server| Some(&self.servers[server.get()]).filter(|knowledge| !knowledge.is_decided);
        match *message {
            Message::Outer { client, text } => match text {
                Outer::Write => undecided(writes_to(client)).is_some_and(|it| it.proposal.is_none()),
                Outer::Written { .. } => self.history.is_writing(client),
                Outer::Read => self.servers[reads_from(client).get()].is_decided,
                Outer::Answer { .. } => self.history.is_reading(client),
            },
            Message::Inner { ballot, server, text } => match text {
                Inner::Prepare => undecided(server).is_some_and(|it| it.ballot < ballot),
                Inner::Accept { .. } => undecided(server).is_some_and(|it| it.ballot <= ballot),
                Inner::Decided { .. } => undecided(server).is_some(),
                Inner::Promise { .. } | Inner::Accepted => {
                    undecided(ballot.leader()).is_some_and(|it| it.ballot == ballot)
                }
            },
        }
    }

    /// A client or one of its servers gets a message.
    fn deliver_outer(&mut self, client: Client<C>, text: Outer<C>) {
        match text {
            Outer::Write => self.lead(writes_to(client), client),
            Outer::Written { .. } => {
                self.history.end_write(client);
                self.network.insert(Message::Outer { client, text: Outer::Read });
            }
            Outer::Read => {
                if let Some(value) = self.servers[reads_from(client).get()].vote.value() {
                    self.network.insert(Message::Outer { client, text: Outer::Answer { value } });
                }
            }
            Outer::Answer { value } => self.history.end_read(client, Some(value)),
        }
    }

    /// The leader of a ballot or another server gets a message.
    fn deliver_inner(&mut self, ballot: Ballot, server: Server, text: Inner<C>) {
        let knowledge = &mut self.servers[server.get()];
        match text {
            Inner::Prepare => {
                knowledge.ballot = ballot;
                let text = Inner::Promise { vote: knowledge.vote };
                self.network.insert(Message::Inner { ballot, server, text });
            }
            Inner::Promise { vote } => self.count_promise(ballot, server, vote),
            Inner::Accept { value } => {
                (knowledge.ballot, knowledge.vote) = (ballot, Vote::new(ballot, value));
                self.network.insert(Message::Inner { ballot, server, text: Inner::Accepted });
            }
            Inner::Accepted => self.count_accepted(ballot, server),
            Inner::Decided { value } => {
                (knowledge.ballot, knowledge.vote) = (ballot, Vote::new(ballot, value));
                knowledge.is_decided = true;
            }
        }
    }

    /// A server leads a ballot for the value of a client.
    fn lead(&mut self, leader: Server, client: Client<C>) {
        let knowledge = &mut self.servers[leader.get()];
        let ballot = knowledge.ballot.next(leader);
        knowledge.proposal = Some(client);
        knowledge.ballot = ballot;
        knowledge.promises[leader.get()] = Some(knowledge.vote);
        self.tell_others(ballot, Inner::Prepare);
    }

    /// A leader counts a promise; with a majority, it proposes what was accepted last among them.
    fn count_promise(&mut self, ballot: Ballot, from: Server, vote: Vote) {
        let leader = ballot.leader();
        let knowledge = &mut self.servers[leader.get()];
        knowledge.promises[from.get()] = Some(vote);
        if knowledge.promises.iter().flatten().count() != SERVERS / 2 + 1 {
            return;
        }
        let latest = knowledge.promises.iter().flatten().max();
        let Some(value) = latest.and_then(|vote| vote.value()).or(knowledge.proposal) else { return };
        knowledge.proposal = Some(value);
        knowledge.vote = Vote::new(ballot, value);
        knowledge.accepted.insert(leader);
        self.tell_others(ballot, Inner::Accept { value });
    }

    /// A leader counts who accepted; with a majority, its proposal is decided.
    fn count_accepted(&mut self, ballot: Ballot, from: Server) {
        let leader = ballot.leader();
        let knowledge = &mut self.servers[leader.get()];
        knowledge.accepted.insert(from);
        let Some(value) = knowledge.proposal.filter(|_| knowledge.accepted.len() == SERVERS / 2 + 1) else {
            return;
        };
        knowledge.is_decided = true;
        self.tell_others(ballot, Inner::Decided { value });
        self.network.insert(Message::Outer { client: value, text: Outer::Written { from: leader } });
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Deliver<const C: usize>(Message<C>);

/// Paxos with so many clients.
pub(crate) struct Paxos<const C: usize>;

impl<const C: usize> Program for Paxos<C> {
    type State = State<C>;
    type Action = Deliver<C>;

    fn name(&self) -> &str {
        "paxos"
    }

    fn initial(&self) -> Vec<State<C>> {
        let knowledge = Knowledge {
            ballot: Ballot::first(),
            vote: Vote::none(),
            is_decided: false,
            proposal: None,
            promises: [None; SERVERS],
            accepted: Bits::new(),
        };
        let network = Client::all().map(|client| Message::Outer { client, text: Outer::Write }).collect();
        vec![State { servers: [knowledge; SERVERS], history: History::new(), network }]
    }

    fn actions(&self, state: &State<C>, actions: &mut Vec<Deliver<C>>) {
        actions.extend(state.network.iter().filter(|message| state.is_heeded(message)).copied().map(Deliver));
    }

    fn apply(&self, Deliver(message): &Deliver<C>, state: &mut State<C>) {
        state.network.remove(message);
        match *message {
            Message::Outer { client, text } => state.deliver_outer(client, text),
            Message::Inner { ballot, server, text } => state.deliver_inner(ballot, server, text),
        }
    }

    fn properties(&self) -> Vec<Property<State<C>>> {
        vec![
            Property::always("linearizable", |state: &State<C>| state.history.is_linearizable()),
            Property::reach("value chosen", |state: &State<C>| {
                let is_answer = |message: &Message<C>| {
                    matches!(message, Message::Outer { text: Outer::Answer { .. }, .. })
                };
                state.network.iter().any(is_answer)
            }),
        ]
    }
}

fn main() -> ExitCode {
    match fathom::cli::parameter_among("CLIENTS", &[2, 1, 3, 4]) {
        1 => fathom::cli::main(&Paxos::<1>),
        3 => fathom::cli::main(&Paxos::<3>),
        4 => fathom::cli::main(&Paxos::<4>),
        _ => fathom::cli::main(&Paxos::<2>),
    }
}
