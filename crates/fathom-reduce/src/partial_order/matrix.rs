//! What conflicts with what, as rows of bits.
//!
//! Processes whose futures touch the same are in one *class*. For each edge there is a row with a bit for each class:
//! whether a process of that class has to be taken in when the edge can be taken, and whether when it cannot. So the
//! choice in a state needs no sets and no memory of its own.
//!
//! Only channels that are known by a local variable have to be compared in the state: where the rest does not conflict
//! but such channels might be the same, another row says so.

use crate::access::{Access, ChannelUse, Channels, Exchange};

/// An edge, as it is put into the matrix.
#[derive(Clone, Debug)]
pub(super) struct EdgeFacts {
    pub enabling: Access,
    /// Everything that a step beginning with the edge may touch.
    pub executing: Access,
    pub exchange: Option<Exchange>,
    pub kind: EdgeKind,
}

/// What is known of an edge that does not depend on others.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct EdgeKind {
    /// A step that begins with it may change what a property looks at, or touch anything at all, or is one
    /// around which nothing may be put off.
    pub is_unsafe: bool,
    /// A hand-shake may be part of a step that begins with it, but not its beginning.
    pub has_inner_handshake: bool,
    /// Whether it can be taken is not known before it is: a hand-shake, or an effect that may refuse.
    pub is_uncertain: bool,
    /// Executable perhaps when nothing else is.
    pub is_timeout: bool,
    pub is_else: bool,
    /// Executable only for the youngest process.
    pub is_end: bool,
}

/// Who has to be taken in: a row of the matrix.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Where the bits begin: those of classes that must be taken in, then those for which channels must be compared.
    at: usize,
    /// The channels to compare; empty when no bit asks for it.
    channels: Vec<ChannelUse>,
}

impl Row {
    /// Whether channels have to be compared in the state.
    pub fn compares(&self) -> bool {
        !self.channels.is_empty()
    }

    pub fn channels(&self) -> &[ChannelUse] {
        &self.channels
    }
}

/// An edge of a location.
#[derive(Clone, Debug)]
pub(super) struct EdgeRow {
    pub kind: EdgeKind,
    /// When it can be taken.
    pub conflicts: Row,
    /// When it cannot.
    pub wakes: Row,
    /// When it cannot, although there are messages in the channel.
    pub filled: Option<(Channels, Row)>,
}

/// A location.
#[derive(Clone, Debug)]
pub(super) struct LocationRow {
    pub edges: Vec<EdgeRow>,
    /// The class of processes here.
    pub class: u32,
    /// No set of processes can begin with one here.
    pub is_hopeless: bool,
    /// All that a process can do here is to end, once it is the youngest.
    pub only_ends: bool,
}

/// See the module header.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    /// By location, one template after the other.
    pub locations: Vec<LocationRow>,
    /// What processes of a class can still touch.
    classes: Vec<Access>,
    /// The class of each location.
    class_of: Vec<u32>,
    words: Vec<u64>,
    /// Words of a set of classes.
    pub n_words: usize,
    /// The resource of ending processes: two ends do not conflict.
    ending: usize,
}

/// Whether something has to be taken in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    No,
    /// When channels known by local variables are the same.
    Maybe,
    Yes,
}

impl Matrix {
    /// A matrix without locations, for these futures by template and location.
    pub fn new(futures: &[Vec<Access>], ending: usize) -> Matrix {
        let mut classes: Vec<Access> = Vec::new();
        let mut class_of = Vec::new();
        for future in futures.iter().flatten() {
            let known = classes.iter().position(|class| class == future);
            class_of.push(known.unwrap_or(classes.len()) as u32);
            if known.is_none() {
                classes.push(future.clone());
            }
        }
        let n_words = classes.len().div_ceil(64);
        Matrix { locations: Vec::new(), classes, class_of, words: Vec::new(), n_words, ending }
    }

    /// Adds the next location, with its edges in the order of the groups and lists.
    pub fn add_location(&mut self, edges: &[EdgeFacts]) {
        let class = self.class_of[self.locations.len()];
        let is_hopeless = edges.iter().all(|edge| edge.kind.is_unsafe)
            || edges.iter().any(|edge| edge.kind.has_inner_handshake);
        let only_ends = edges.iter().all(|edge| edge.kind.is_end);
        let edges = edges.iter().map(|edge| self.edge_row(edge)).collect();
        self.locations.push(LocationRow { edges, class, is_hopeless, only_ends });
    }

    /// Marks locations of a template as hopeless where every edge that can be taken takes in everybody, but those who
    /// only wait for their end: `others` are the locations where other processes can be.
    pub fn mark_hopeless(&mut self, own: std::ops::Range<usize>, others: &[usize]) {
        let mut classes = vec![0u64; self.n_words];
        for &location in others.iter().filter(|location| !self.locations[**location].only_ends) {
            let class = self.class_of[location];
            classes[class as usize / 64] |= 1 << (class % 64);
        }
        for location in own {
            let takes_all = |edge: &EdgeRow| {
                edge.kind.is_unsafe
                    || classes
                        .iter()
                        .zip(self.certain(&edge.conflicts))
                        .all(|(all, certain)| all & !certain == 0)
            };
            let row = &self.locations[location];
            let is_hopeless = !row.only_ends && row.edges.iter().all(takes_all);
            self.locations[location].is_hopeless |= is_hopeless;
        }
    }

    /// Whether no set of processes can begin anywhere.
    pub fn is_hopeless(&self) -> bool {
        self.locations.iter().all(|location| location.is_hopeless || location.only_ends)
    }

    /// Whether a class has to be taken in by a row.
    pub fn certain<'a>(&'a self, row: &Row) -> &'a [u64] {
        &self.words[row.at..row.at + self.n_words]
    }

    /// Whether channels of a class have to be compared.
    pub fn compares_class(&self, row: &Row, class: u32) -> bool {
        let word = self.words[row.at + self.n_words + class as usize / 64];
        word >> (class % 64) & 1 != 0
    }

    /// The channels that a class can still use.
    pub fn channels_of(&self, class: u32) -> &[ChannelUse] {
        &self.classes[class as usize].channels
    }

    fn edge_row(&mut self, edge: &EdgeFacts) -> EdgeRow {
        let conflicts = self.row(&edge.executing);
        let Some(exchange) = &edge.exchange else {
            return EdgeRow { kind: edge.kind, conflicts, wakes: self.row(&edge.enabling), filled: None };
        };
        // A send waits for someone to take a message out. A receive from an empty channel waits for a message;
        // from one with messages that do not fit, for someone to take the first away.
        let waits = |is_filled: bool| {
            let mut waits = edge.enabling.clone();
            waits.add_channel(ChannelUse {
                channels: exchange.channels.clone(),
                tail: false,
                head: false,
                sees_tail: exchange.receives && (!is_filled || exchange.anywhere),
                sees_head: !exchange.receives || is_filled,
            });
            waits
        };
        let wakes = self.row(&waits(false));
        let filled = exchange.receives.then(|| (exchange.channels.clone(), self.row(&waits(true))));
        EdgeRow { kind: edge.kind, conflicts, wakes, filled }
    }

    fn row(&mut self, access: &Access) -> Row {
        let at = self.words.len();
        self.words.resize(at + 2 * self.n_words, 0);
        let mut compares = false;
        for (index, class) in self.classes.iter().enumerate() {
            let (word, bit) = (at + index / 64, 1 << (index % 64));
            match takes_in(access, class, self.ending) {
                Taken::No => {}
                Taken::Maybe => {
                    self.words[word + self.n_words] |= bit;
                    compares = true;
                }
                Taken::Yes => self.words[word] |= bit,
            }
        }
        Row { at, channels: if compares { access.channels.clone() } else { Vec::new() } }
    }
}

/// Whether what a process would do conflicts with something that another can still do.
fn takes_in(access: &Access, future: &Access, ending: usize) -> Taken {
    let conflicts = access.everything
        || future.everything
        || access.writes.meets(&future.writes, Some(ending))
        || access.writes.meets(&future.reads, None)
        || access.reads.meets(&future.writes, None);
    if conflicts {
        return Taken::Yes;
    }
    let mut taken = Taken::No;
    for own in &access.channels {
        for theirs in future.channels.iter().filter(|theirs| own.touches(theirs)) {
            match (&own.channels, &theirs.channels) {
                (Channels::Any, _) | (_, Channels::Any) => return Taken::Yes,
                (Channels::Known(own), Channels::Known(theirs)) => {
                    if own.iter().any(|number| theirs.contains(number)) {
                        return Taken::Yes;
                    }
                }
                _ => taken = Taken::Maybe,
            }
        }
    }
    taken
}
