//! Clients of a register that is kept by three servers, and whether what they saw is linearizable (Herlihy and Wing, 1990).
//!
//! Each client writes its own value to one server, and when that is done reads from the next one. What it remembers is the
//! history: at which point each operation began and ended. An order of all operations that have ended, and of writes
//! that have not if they help, has to respect what ended before what began, and each read has to give the
//! value written last. There are so few operations that all orders are tried.

use fathom::program::{Below, Data};

/// How many servers keep the register.
pub const SERVERS: usize = 3;

/// A server.
pub type Server = Below<SERVERS>;

/// A client, which stands for the value that it writes, too.
pub type Client<const C: usize> = Below<C>;

/// What a register has: the value of some client, or what was there before.
pub type Value<const C: usize> = Option<Client<C>>;

/// The server that a client writes to.
pub fn writes_to<const C: usize>(client: Client<C>) -> Server {
    Server::new(client.get() % SERVERS)
}

/// The server that a client reads from.
pub fn reads_from<const C: usize>(client: Client<C>) -> Server {
    Server::new((client.get() + 1) % SERVERS)
}

/// What a client has done so far.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub enum Past<const C: usize> {
    /// It has asked to write.
    Writes,
    /// It has written, and asked to read when the others had done so many operations.
    Reads { after: [Below<3>; C] },
    /// It has read a value.
    Done { after: [Below<3>; C], read: Value<C> },
}

/// What all clients have done so far.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub struct History<const C: usize> {
    clients: [Past<C>; C],
}

impl<const C: usize> History<C> {
    /// All have asked to write.
    pub fn new() -> History<C> {
        History { clients: [Past::Writes; C] }
    }

    /// Whether a client waits for the end of its write.
    pub fn is_writing(&self, client: Client<C>) -> bool {
        self.clients[client.get()] == Past::Writes
    }

    /// Whether a client waits for what it reads.
    pub fn is_reading(&self, client: Client<C>) -> bool {
        matches!(self.clients[client.get()], Past::Reads { .. })
    }

    /// A write ends, and a read begins.
    pub fn end_write(&mut self, client: Client<C>) {
        let mut after = self.clients.map(|past| match past {
            Past::Writes => Below::new(0),
            Past::Reads { .. } => Below::new(1),
            Past::Done { .. } => Below::new(2),
        });
        after[client.get()] = Below::new(1);
        self.clients[client.get()] = Past::Reads { after };
    }

    /// A read ends.
    pub fn end_read(&mut self, client: Client<C>, read: Value<C>) {
        if let Past::Reads { after } = self.clients[client.get()] {
            self.clients[client.get()] = Past::Done { after, read };
        }
    }

    /// Whether there is an order that explains the history.
    pub fn is_linearizable(&self) -> bool {
        self.can_go_on([0; C], None)
    }

    /// Whether what is left can be explained, when so many operations of each client are in order and the register has this
    /// value.
    fn can_go_on(&self, placed: [u8; C], value: Value<C>) -> bool {
        let is_placed = |past: &Past<C>, placed: u8| match past {
            Past::Writes => true,
            Past::Reads { .. } => placed >= 1,
            Past::Done { .. } => placed == 2,
        };
        if self.clients.iter().zip(placed).all(|(past, placed)| is_placed(past, placed)) {
            return true;
        }
        (0..C).any(|client| {
            let mut next = placed;
            next[client] += 1;
            match self.clients[client] {
                _ if placed[client] == 0 => self.can_go_on(next, Some(Client::new(client))),
                // A read that has not ended explains nothing.
                Past::Done { after, read } if placed[client] == 1 => {
                    let is_due = after.iter().zip(placed).all(|(after, placed)| after.get() <= placed.into());
                    is_due && read == value && self.can_go_on(next, value)
                }
                _ => false,
            }
        })
    }
}
