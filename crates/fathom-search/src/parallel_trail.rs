//! Trails of threads that expand each other's states.
//!
//! A thread numbers the states that it expands, in order, and the states that it is the first to reach; the latter
//! in the order of the former, so that its [`Trail`] takes a byte and a quarter for each as in the sequential
//! search. What a thread expands it takes in pieces from some thread's list; for each piece the trail notes where
//! it starts.

use crate::trail::Trail;

/// A state, by the thread that has reached it and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) thread: u32,
    pub(crate) number: u32,
}

/// The trail of one thread.
#[derive(Default, Debug)]
pub(crate) struct ThreadTrail {
    trail: Trail,
    n_expanded: u32,
    /// For each piece, the number of states expanded before it, and the first state of it.
    pieces: Vec<(u32, Place)>,
}

impl ThreadTrail {
    /// From now on, states of a list are expanded one after the other, this one first.
    pub(crate) fn start_piece(&mut self, first: Place) {
        self.pieces.push((self.n_expanded, first));
    }

    /// The number of the next state to be expanded.
    #[inline]
    pub(crate) fn expand(&mut self) -> u32 {
        self.n_expanded += 1;
        self.n_expanded - 1
    }

    /// Adds a state that this thread is the first to reach: see [`Trail::push`].
    #[inline]
    #[must_use]
    pub(crate) fn push(&mut self, expanded: Option<u32>, choice: u32) -> bool {
        self.trail.push(expanded, choice)
    }

    /// Number of states reached first by this thread.
    pub(crate) fn len(&self) -> usize {
        self.trail.len()
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.trail.bytes() + self.pieces.capacity() * size_of::<(u32, Place)>()
    }

    /// The state that was expanded under a number.
    fn expanded(&self, number: u32) -> Place {
        let piece = self.pieces.partition_point(|&(n_before, _)| n_before <= number) - 1;
        let (n_before, first) = self.pieces[piece];
        Place { number: first.number + (number - n_before), ..first }
    }
}

/// The choices that lead to a state, the index of the initial state first.
pub(crate) fn way(place: Place, trails: &[ThreadTrail]) -> Vec<u32> {
    let mut choices = Vec::new();
    let mut place = Some(place);
    while let Some(Place { thread, number }) = place {
        let trail = &trails[thread as usize];
        let (expanded, choice) = trail.trail.step(number as usize);
        choices.push(choice);
        place = expanded.map(|number| trail.expanded(number));
    }
    choices.reverse();
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_goes_from_thread_to_thread() {
        let mut trails = [ThreadTrail::default(), ThreadTrail::default()];
        let place = |thread, number| Place { thread, number };
        // Thread 0 reaches the initial states 0 and 1.
        assert!(trails[0].push(None, 0) && trails[0].push(None, 1));
        // Thread 1 expands the second one and reaches two states from it.
        trails[1].start_piece(place(0, 1));
        let expanded = trails[1].expand();
        assert!(trails[1].push(Some(expanded), 5) && trails[1].push(Some(expanded), 7));
        // Thread 0 expands the first initial state in vain, and then the second of these.
        trails[0].start_piece(place(0, 0));
        trails[0].expand();
        trails[0].start_piece(place(1, 1));
        let expanded = trails[0].expand();
        assert!(trails[0].push(Some(expanded), 9));
        assert_eq!(way(place(0, 2), &trails), [1, 7, 9]);
        assert_eq!(way(place(1, 0), &trails), [1, 5]);
    }
}
