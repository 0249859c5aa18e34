//! A register that three servers keep together, after Attiya, Bar-Noy and Dolev (1995): whoever reads or writes asks a majority
//! for the latest value, and then has a majority record what it read or writes. Messages arrive once, in any order. Several
//! may write: stamps carry the name of the server that made them.
//!
//! `cargo run --release -p fathom --example linearizable_register -- check -D CLIENTS=1 --continue`

use std::process::ExitCode;

use fathom::program::{Below, Bits, Data, Finite, Program, Property, Set};

pub(crate) mod register;

use register::{Client, History, SERVERS, Server, Value, reads_from, writes_to};

/// When a value was written: by a clock, and by the server that wrote it. The clock never goes above the number of clients,
/// as each writes once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) struct Stamp(Below<64>);

impl Stamp {
    fn first(server: Server) -> Stamp {
        Stamp(Below::new(server.get()))
    }

    /// The stamp that a server gives to what it writes after this.
    fn next(self, server: Server) -> Stamp {
        Stamp(Below::new((self.0.get() / SERVERS + 1) * SERVERS + server.get()))
    }
}

/// What a server asks for on behalf of a client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Request<const C: usize> {
    Write { client: Client<C> },
    Read { client: Client<C> },
}

impl<const C: usize> Request<C> {
    /// The server that is asked.
    fn server(self) -> Server {
        match self {
            Request::Write { client } => writes_to(client),
            Request::Read { client } => reads_from(client),
        }
    }
}

/// What is under way. Messages are in the order of who exchanges them: an answer takes the place of what it answers, and most of a
/// state stays where it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Message<const C: usize> {
    /// Between the server that serves a request and another one.
    Inner { request: Request<C>, server: Server, text: Inner<C> },
    /// Between a client and the server that serves the request.
    Outer { request: Request<C>, text: Outer<C> },
}

/// What clients and servers say to each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Outer<const C: usize> {
    Ask,
    Done { read: Value<C> },
}

/// What servers say to each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Inner<const C: usize> {
    Query,
    Known { stamp: Stamp, value: Value<C> },
    Record { stamp: Stamp, value: Value<C> },
    Recorded,
}

/// What a server does for a client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Phase<const C: usize> {
    Idle,
    /// It asks for the latest value: the latest so far, and who has answered.
    Queries {
        request: Request<C>,
        stamp: Stamp,
        value: Value<C>,
        heard: Bits<Server>,
    },
    /// It has a value recorded: what is read, and who has done so.
    Records {
        request: Request<C>,
        value: Value<C>,
        heard: Bits<Server>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) struct Replica<const C: usize> {
    stamp: Stamp,
    value: Value<C>,
    phase: Phase<C>,
}

impl<const C: usize> Replica<C> {
    /// Keeps a value if it is later than what is there.
    fn record(&mut self, stamp: Stamp, value: Value<C>) {
        if stamp > self.stamp {
            (self.stamp, self.value) = (stamp, value);
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) struct State<const C: usize> {
    servers: [Replica<C>; SERVERS],
    history: History<C>,
    network: Set<Message<C>>,
}

impl<const C: usize> State<C> {
    /// The server of a request sends a message to all others.
    fn tell_others(&mut self, request: Request<C>, text: Inner<C>) {
        for server in Server::all().filter(|server| *server != request.server()) {
            self.network.insert(Message::Inner { request, server, text });
        }
    }

    /// Whether a message makes a difference to the one it is for. Others stay where they are.
    fn is_heeded(&self, message: &Message<C>) -> bool {
        let phase = |request: Request<C>| self.servers[request.server().get()].phase;
        match *message {
            Message::Outer { request, text: Outer::Ask } => phase(request) == Phase::Idle,
            Message::Outer { request: Request::Write { client }, .. } => self.history.is_writing(client),
            Message::Outer { request: Request::Read { client }, .. } => self.history.is_reading(client),
            Message::Inner { request: about, text, .. } => match text {
                Inner::Query | Inner::Record { .. } => true,
                Inner::Known { .. } => {
                    matches!(phase(about), Phase::Queries { request, .. } if request == about)
                }
                Inner::Recorded => matches!(phase(about), Phase::Records { request, .. } if request == about),
            },
        }
    }

    /// A client gets what it asked for.
    fn end(&mut self, request: Request<C>, read: Value<C>) {
        match request {
            Request::Write { client } => {
                self.history.end_write(client);
                self.network.insert(Message::Outer { request: Request::Read { client }, text: Outer::Ask });
            }
            Request::Read { client } => self.history.end_read(client, read),
        }
    }

    /// The server of a request or another one gets a message.
    fn deliver_inner(&mut self, request: Request<C>, server: Server, text: Inner<C>) {
        let replica = &mut self.servers[server.get()];
        match text {
            Inner::Query => {
                let text = Inner::Known { stamp: replica.stamp, value: replica.value };
                self.network.insert(Message::Inner { request, server, text });
            }
            Inner::Known { stamp, value } => self.count_known(server, stamp, value, request),
            Inner::Record { stamp, value } => {
                replica.record(stamp, value);
                self.network.insert(Message::Inner { request, server, text: Inner::Recorded });
            }
            Inner::Recorded => self.count_recorded(server, request),
        }
    }

    /// A server starts to serve a request.
    fn begin(&mut self, request: Request<C>) {
        let server = request.server();
        let replica = &mut self.servers[server.get()];
        let heard = [server].into_iter().collect();
        replica.phase = Phase::Queries { request, stamp: replica.stamp, value: replica.value, heard };
        self.tell_others(request, Inner::Query);
    }

    /// A server hears what another one has; with a majority it has the latest recorded, or what it writes.
    fn count_known(&mut self, from: Server, stamp: Stamp, value: Value<C>, request: Request<C>) {
        let server = request.server();
        let replica = &mut self.servers[server.get()];
        let Phase::Queries { stamp: latest, value: latest_value, heard, .. } = &mut replica.phase else {
            return;
        };
        heard.insert(from);
        if stamp > *latest {
            (*latest, *latest_value) = (stamp, value);
        }
        if heard.len() <= SERVERS / 2 {
            return;
        }
        let (stamp, value) = match request {
            Request::Write { client } => (latest.next(server), Some(client)),
            Request::Read { .. } => (*latest, *latest_value),
        };
        replica.record(stamp, value);
        replica.phase = Phase::Records { request, value, heard: [server].into_iter().collect() };
        self.tell_others(request, Inner::Record { stamp, value });
    }

    /// A server hears that another one has recorded; with a majority the request is done.
    fn count_recorded(&mut self, from: Server, request: Request<C>) {
        let replica = &mut self.servers[request.server().get()];
        let Phase::Records { value, heard, .. } = &mut replica.phase else { return };
        heard.insert(from);
        if heard.len() <= SERVERS / 2 {
            return;
        }
        let read = *value;
        replica.phase = Phase::Idle;
        self.network.insert(Message::Outer { request, text: Outer::Done { read } });
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Deliver<const C: usize>(Message<C>);

/// A register with so many clients.
pub(crate) struct Register<const C: usize>;

impl<const C: usize> Program for Register<C> {
    type State = State<C>;
    type Action = Deliver<C>;

    fn name(&self) -> &str {
        "linearizable register"
    }

    fn initial(&self) -> Vec<State<C>> {
        let replica = |server: usize| Replica {
            stamp: Stamp::first(Server::new(server)),
            value: None,
            phase: Phase::Idle,
        };
        let ask = |client: Client<C>| Message::Outer { request: Request::Write { client }, text: Outer::Ask };
        let network = Client::all().map(ask).collect();
        vec![State { servers: std::array::from_fn(replica), history: History::new(), network }]
    }

    fn actions(&self, state: &State<C>, actions: &mut Vec<Deliver<C>>) {
        actions.extend(state.network.iter().filter(|message| state.is_heeded(message)).copied().map(Deliver));
    }

    fn apply(&self, Deliver(message): &Deliver<C>, state: &mut State<C>) {
        state.network.remove(message);
        match *message {
            Message::Outer { request, text: Outer::Ask } => state.begin(request),
            Message::Outer { request, text: Outer::Done { read } } => state.end(request, read),
            Message::Inner { request, server, text } => state.deliver_inner(request, server, text),
        }
    }

    fn properties(&self) -> Vec<Property<State<C>>> {
        vec![
            Property::always("linearizable", |state: &State<C>| state.history.is_linearizable()),
            Property::reach("value chosen", |state: &State<C>| {
                let is_value = |message: &Message<C>| match message {
                    Message::Outer { request: Request::Read { .. }, text: Outer::Done { read } } => {
                        read.is_some()
                    }
                    _ => false,
                };
                state.network.iter().any(is_value)
            }),
        ]
    }
}

fn main() -> ExitCode {
    match fathom::cli::parameter_among("CLIENTS", &[2, 1, 3]) {
        1 => fathom::cli::main(&Register::<1>),
        3 => fathom::cli::main(&Register::<3>),
        _ => fathom::cli::main(&Register::<2>),
    }
}
