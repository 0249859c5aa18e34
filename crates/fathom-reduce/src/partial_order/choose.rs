//! The choice of a persistent set in a state.
//!
//! Each process is looked at once at most: how many edges it can take, and which processes it takes in. The closure of
//! a process is then a matter of a few words of bits, one for each process. Nothing is allocated once the buffers have
//! their size.

use fathom_model::{Choose, Processes};

use super::matrix::{EdgeRow, LocationRow, Matrix, Row};
use crate::access::{ChannelUse, Channels};

/// Buffers of one worker.
#[derive(Clone, Default, Debug)]
pub(super) struct Workspace {
    /// By process.
    looked: Vec<Looked>,
    /// The processes that each process takes in: bits, `n_words` words each.
    takes_in: Vec<u64>,
    /// Words of a set of processes.
    n_words: usize,
    /// The set under construction.
    members: Vec<u64>,
    pending: Vec<usize>,
    /// The best set so far.
    best: Vec<u64>,
    /// Classes that the process under the look takes in.
    classes: Vec<u64>,
}

/// What is known of a process in the state.
#[derive(Clone, Copy, Debug)]
struct Looked {
    location: u32,
    class: u32,
    answer: Answer,
}

#[derive(Clone, Copy, Debug)]
enum Answer {
    NotLooked,
    /// It must not be in a set.
    Refused,
    Allowed {
        n_executable: u32,
        /// It must not be where a set begins.
        waits_for_timeout: bool,
    },
}

/// See the module header.
pub(super) struct Choice<'a> {
    pub matrix: &'a Matrix,
    pub workspace: &'a mut Workspace,
}

impl Choose for Choice<'_> {
    fn choose(&mut self, processes: &mut dyn Processes) -> bool {
        if !self.start(processes) {
            return false;
        }
        let mut least = u32::MAX;
        for seed in (0..self.workspace.looked.len()).rev() {
            let row = &self.matrix.locations[self.workspace.looked[seed].location as usize];
            if !may_begin(row, seed, self.workspace.looked.len()) {
                continue;
            }
            if let Some(n_executable) = self.close(seed, least, processes) {
                least = n_executable;
                std::mem::swap(&mut self.workspace.best, &mut self.workspace.members);
                if least == 1 {
                    break;
                }
            }
        }
        least != u32::MAX
    }

    fn is_chosen(&self, process: usize) -> bool {
        has(&self.workspace.best, process)
    }
}

fn has(set: &[u64], process: usize) -> bool {
    set[process / 64] >> (process % 64) & 1 != 0
}

/// Whether a set may begin with a process at a location.
fn may_begin(row: &LocationRow, process: usize, n_processes: usize) -> bool {
    !row.is_hopeless && (!row.only_ends || process + 1 == n_processes)
}

impl Choice<'_> {
    /// Looks where the processes are. False when no set can begin anywhere.
    fn start(&mut self, processes: &dyn Processes) -> bool {
        let n_processes = processes.n_processes();
        let workspace = &mut *self.workspace;
        workspace.looked.clear();
        let mut some_hope = false;
        for process in 0..n_processes {
            let location = processes.location(process) as u32;
            let row = &self.matrix.locations[location as usize];
            some_hope |= may_begin(row, process, n_processes);
            workspace.looked.push(Looked { location, class: row.class, answer: Answer::NotLooked });
        }
        if !some_hope {
            return false;
        }
        workspace.n_words = n_processes.div_ceil(64);
        workspace.takes_in.clear();
        workspace.takes_in.resize(workspace.n_words * n_processes, 0);
        true
    }

    /// The closure of a process, in `members`: the number of its executable edges. Nothing when it must not be
    /// chosen, takes in all processes, or is no better than what there is.
    fn close(&mut self, seed: usize, least: u32, processes: &mut dyn Processes) -> Option<u32> {
        let n_words = self.workspace.n_words;
        self.workspace.members.clear();
        self.workspace.members.resize(n_words, 0);
        self.workspace.members[seed / 64] |= 1 << (seed % 64);
        self.workspace.pending.clear();
        self.workspace.pending.push(seed);
        let mut total = 0;
        let mut n_members = 0;
        while let Some(process) = self.workspace.pending.pop() {
            let Answer::Allowed { n_executable, waits_for_timeout } = self.look(process, processes) else {
                return None;
            };
            n_members += 1;
            total += n_executable;
            let useless_seed = process == seed && (n_executable == 0 || waits_for_timeout);
            if useless_seed || total >= least {
                return None;
            }
            let Workspace { members, pending, takes_in, .. } = &mut *self.workspace;
            for (word, (members, row)) in members.iter_mut().zip(&takes_in[process * n_words..]).enumerate() {
                let mut new = row & !*members;
                *members |= new;
                while new != 0 {
                    pending.push(word * 64 + new.trailing_zeros() as usize);
                    new &= new - 1;
                }
            }
        }
        (n_members < self.workspace.looked.len()).then_some(total)
    }

    fn look(&mut self, process: usize, processes: &mut dyn Processes) -> Answer {
        if let Answer::NotLooked = self.workspace.looked[process].answer {
            let answer = self.look_at_edges(process, processes).unwrap_or(Answer::Refused);
            self.workspace.looked[process].answer = answer;
        }
        self.workspace.looked[process].answer
    }

    /// Finds out who is taken in by a process. Nothing when it must not be in a set.
    fn look_at_edges(&mut self, process: usize, processes: &mut dyn Processes) -> Option<Answer> {
        let matrix = self.matrix;
        let location = &matrix.locations[self.workspace.looked[process].location as usize];
        let executable = processes.executable(process)?;
        self.workspace.classes.clear();
        self.workspace.classes.resize(matrix.n_words, 0);
        let (mut n_executable, mut moved, mut waits_for_timeout) = (0, false, false);
        for (bit, edge) in location.edges.iter().enumerate() {
            let kind = edge.kind;
            let can_be_taken = match kind.is_else {
                true => !moved,
                false => !kind.is_uncertain && executable >> bit & 1 != 0,
            };
            moved |= can_be_taken;
            waits_for_timeout |= kind.is_timeout && !moved;
            let might_be_taken = can_be_taken || kind.is_uncertain;
            n_executable += u32::from(might_be_taken);
            if kind.has_inner_handshake || might_be_taken && kind.is_unsafe {
                return None;
            }
            if might_be_taken {
                self.take_in(process, &edge.conflicts, processes);
            }
            if !can_be_taken {
                self.take_in(process, self.wakers(process, edge, processes), processes);
            }
        }
        self.take_in_classes(process);
        Some(Answer::Allowed { n_executable, waits_for_timeout })
    }

    /// Who may make an edge executable.
    fn wakers<'e>(&self, process: usize, edge: &'e EdgeRow, processes: &dyn Processes) -> &'e Row {
        let Some((channels, filled)) = &edge.filled else { return &edge.wakes };
        let number = match channels {
            Channels::Known(numbers) if numbers.len() == 1 => numbers[0],
            Channels::Local(offset) => processes.channel_in(process, *offset),
            _ => return &edge.wakes,
        };
        let is_filled = processes.channel_length(number).is_some_and(|length| length > 0);
        if is_filled { filled } else { &edge.wakes }
    }

    /// Notes who is taken in by a row: classes at once, processes whose channels have to be compared one by one.
    fn take_in(&mut self, process: usize, row: &Row, processes: &dyn Processes) {
        for (word, certain) in self.workspace.classes.iter_mut().zip(self.matrix.certain(row)) {
            *word |= certain;
        }
        if !row.compares() {
            return;
        }
        let n_words = self.workspace.n_words;
        for other in 0..self.workspace.looked.len() {
            let class = self.workspace.looked[other].class;
            let own = &mut self.workspace.takes_in[process * n_words + other / 64];
            let is_new = other != process && *own >> (other % 64) & 1 == 0;
            if is_new && self.matrix.compares_class(row, class) {
                let theirs = self.matrix.channels_of(class);
                let shares = share_channel(process, row.channels(), other, theirs, processes);
                *own |= u64::from(shares) << (other % 64);
            }
        }
    }

    /// Turns classes into processes.
    fn take_in_classes(&mut self, process: usize) {
        let Workspace { looked, takes_in, classes, n_words, .. } = &mut *self.workspace;
        for (other, looked) in looked.iter().enumerate() {
            let is_taken = classes[looked.class as usize / 64] >> (looked.class % 64) & 1;
            takes_in[process * *n_words + other / 64] |= is_taken << (other % 64);
        }
    }
}

fn share_channel(
    process: usize,
    own: &[ChannelUse],
    other: usize,
    theirs: &[ChannelUse],
    processes: &dyn Processes,
) -> bool {
    own.iter().any(|own| {
        theirs.iter().any(|theirs| {
            own.touches(theirs) && may_be_same(process, &own.channels, other, &theirs.channels, processes)
        })
    })
}

fn may_be_same(
    process: usize,
    own: &Channels,
    other: usize,
    theirs: &Channels,
    processes: &dyn Processes,
) -> bool {
    let own_number = |offset| processes.channel_in(process, offset);
    let their_number = |offset| processes.channel_in(other, offset);
    match (own, theirs) {
        (Channels::Any, _) | (_, Channels::Any) => true,
        (Channels::Known(own), Channels::Known(theirs)) => own.iter().any(|number| theirs.contains(number)),
        (Channels::Local(own), Channels::Local(theirs)) => own_number(*own) == their_number(*theirs),
        (Channels::Known(own), Channels::Local(theirs)) => own.contains(&their_number(*theirs)),
        (Channels::Local(own), Channels::Known(theirs)) => theirs.contains(&own_number(*own)),
    }
}
