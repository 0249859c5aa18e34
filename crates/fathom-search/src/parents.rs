//! Parents in two bits a state.
//!
//! Breadth-first, states are expanded in the order of their ids, so the parents of states 0, 1, 2, … never
//! go down. Such a sequence needs no numbers: write a 0 for every parent passed over and a 1 for every state
//! (the upper half of Elias, "Efficient Storage and Retrieval by Content and Address of Static Files", JACM
//! 1974). State i is the i-th 1, and its parent the number of 0s before it. There are as many 1s as states
//! and at most as many 0s. The position of every 512th 1 is kept, so that a look-up counts bits in a few
//! words; it is needed only for the states on a trace.
//!
//! A search that expands in another order gets plain numbers, four bytes a state.

/// States between two kept positions.
const SAMPLE: usize = 512;

/// The parent of each state, or none, in order of the states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parents {
    /// A 0 for every parent passed over, where "none" is the first parent, and a 1 for every state.
    bits: Vec<u64>,
    n_bits: u64,
    /// Position of every `SAMPLE`-th 1.
    samples: Vec<u64>,
    n_states: usize,
    /// The parent of the last state plus one, 0 for none.
    last: u64,
    /// In place of all of the above, once parents have gone down.
    plain: Option<Vec<u32>>,
}

impl Parents {
    /// Adds the parent of the next state.
    #[inline]
    pub(crate) fn push(&mut self, parent: Option<u32>) {
        let code = parent.map_or(0, |parent| u64::from(parent) + 1);
        if let Some(plain) = &mut self.plain {
            plain.push(code as u32);
            return;
        }
        if code < self.last {
            let mut plain: Vec<u32> =
                (0..self.n_states).map(|state| self.get(state).map_or(0, |parent| parent + 1)).collect();
            plain.push(code as u32);
            *self = Parents { plain: Some(plain), ..Parents::default() };
            return;
        }
        self.n_bits += code - self.last;
        self.last = code;
        let position = self.n_bits;
        let word = (position / 64) as usize;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (position % 64);
        self.n_bits += 1;
        if self.n_states.is_multiple_of(SAMPLE) {
            self.samples.push(position);
        }
        self.n_states += 1;
    }

    /// The parent of a state.
    pub(crate) fn get(&self, state: usize) -> Option<u32> {
        if let Some(plain) = &self.plain {
            return plain[state].checked_sub(1);
        }
        let start = self.samples[state / SAMPLE];
        let mut n_before = state % SAMPLE;
        let mut word = (start / 64) as usize;
        let mut bits = self.bits[word] & (u64::MAX << (start % 64));
        while bits.count_ones() as usize <= n_before {
            n_before -= bits.count_ones() as usize;
            word += 1;
            bits = self.bits[word];
        }
        for _ in 0..n_before {
            bits &= bits - 1;
        }
        let position = word as u64 * 64 + u64::from(bits.trailing_zeros());
        ((position - state as u64) as u32).checked_sub(1)
    }

    /// Number of states.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.plain.as_ref().map_or(self.n_states, Vec::len)
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        let plain = self.plain.as_ref().map_or(0, |plain| plain.capacity() * size_of::<u32>());
        (self.bits.capacity() + self.samples.capacity()) * size_of::<u64>() + plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(parents: &[Option<u32>]) {
        let mut stored = Parents::default();
        for &parent in parents {
            stored.push(parent);
        }
        assert_eq!(stored.len(), parents.len());
        for (state, &parent) in parents.iter().enumerate() {
            assert_eq!(stored.get(state), parent, "state {state}");
        }
    }

    #[test]
    fn parents_that_never_go_down_take_two_bits_a_state() {
        let mut stored = Parents::default();
        stored.push(None);
        for state in 1..1_000_000_u32 {
            stored.push(Some(state / 3));
        }
        assert!(stored.bytes() < 300_000, "{}", stored.bytes());
        assert!((1..1_000_000).all(|state| stored.get(state) == Some(state as u32 / 3)));
    }

    proptest! {
        #[test]
        fn every_parent_comes_back(mut parents in prop::collection::vec(prop::option::of(0..5000_u32), 0..3000)) {
            check(&parents);
            parents.sort_unstable();
            check(&parents);
        }
    }
}
