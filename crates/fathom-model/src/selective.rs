//! Steps of chosen processes only: what partial-order reduction asks of a system.
//!
//! A [`Selective`] system shows a state process by process to a [`Choose`], which may find that the steps of some
//! processes are enough, and then expands these alone. The choice is made in the middle of an expansion, so that a
//! system takes a state apart once and asks generated code only about the processes that are looked at.

use crate::{Move, NoRegion, Steps, System};

/// A state, looked at process by process.
pub trait Processes {
    /// Number of processes alive.
    fn n_processes(&self) -> usize;

    /// Where a process is: the number of its location among those of all templates, one template after the other.
    fn location(&self, process: usize) -> usize;

    /// A bit for each edge of the location of a process, in the order of the groups and lists, whose guard holds
    /// and whose message can be exchanged with a buffer. Each edge is looked at for itself: groups do not count, and
    /// what an effect requires is not asked. Hand-shakes, time-outs and `else` have no bit.
    ///
    /// Nothing when finding out runs into a fault, or when there are more than 64 edges.
    fn executable(&mut self, process: usize) -> Option<u64>;

    /// The channel number in the local variable at this offset of the locals of a process.
    fn channel_in(&self, process: usize, offset: u32) -> u32;

    /// The number of messages in a channel; nothing when there is no such channel.
    fn channel_length(&self, channel: u32) -> Option<u32>;
}

/// Chooses processes whose steps are enough.
///
/// What is chosen is a function of the state alone.
pub trait Choose {
    /// Chooses some processes of a state. False when only all will do.
    fn choose(&mut self, processes: &mut dyn Processes) -> bool;

    /// Whether a process is among those chosen last.
    fn is_chosen(&self, process: usize) -> bool;
}

/// A system of processes that can be expanded for some of them only.
pub trait Selective: System<Region = NoRegion, Label = Move> {
    /// As [`System::successors`], but with the steps of the chosen processes only. With those of all when these have
    /// no step, and when one of their steps runs into a fault that ends the path, because whatever the others could do
    /// would be lost behind it.
    fn chosen_successors(
        &self,
        state: &[u8],
        choice: &mut dyn Choose,
        scratch: &mut Self::Scratch,
        out: &mut Steps<NoRegion, Move>,
    );

    /// The processes that took part in steps of the last [`portion`](System::portion) beside the one whose steps they are: the position of
    /// the step in the buffer, and the process. None when that is not known: the labels of recorded steps say it.
    fn partners<'s>(&self, _scratch: &'s Self::Scratch) -> Option<&'s [(usize, u32)]> {
        None
    }
}
