//! A stack of states that keeps the last one in full and, of those before, what is different.
//!
//! A step of one process among thousands changes a few bytes of many kilobytes. Going deeper keeps the eight-byte
//! blocks that change, with their old content; going back restores them. A path of twenty thousand states of six
//! kilobytes takes less than a megabyte instead of more than a hundred.

use fathom_model::Region;

const BLOCK: usize = 8;

/// A path of composite states.
#[derive(Clone, Debug)]
pub(crate) struct DeltaStack<R> {
    current: Vec<u8>,
    regions: Vec<R>,
    levels: Vec<Level>,
    /// Where a block is, and what was there.
    blocks: Vec<(u32, [u8; BLOCK])>,
    /// What was cut off when a state was followed by a shorter one.
    tails: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    /// Blocks and bytes of tails that belong to the states before.
    n_blocks: usize,
    n_tail_bytes: usize,
    /// Length of the state before.
    length: u32,
}

impl<R: Region> DeltaStack<R> {
    /// A stack without states.
    pub fn new() -> DeltaStack<R> {
        DeltaStack {
            current: Vec::new(),
            regions: Vec::new(),
            levels: Vec::new(),
            blocks: Vec::new(),
            tails: Vec::new(),
        }
    }

    /// Forgets all states but keeps the memory.
    pub fn clear(&mut self) {
        self.current.clear();
        self.regions.clear();
        self.levels.clear();
        self.blocks.clear();
        self.tails.clear();
    }

    /// The state on top; there is one.
    pub fn top(&self) -> (&[u8], &R) {
        (&self.current, self.regions.last().expect("a state on the stack"))
    }

    /// Puts a state on top.
    pub fn push(&mut self, state: &[u8], region: R) {
        let old = &mut self.current;
        self.levels.push(Level {
            n_blocks: self.blocks.len(),
            n_tail_bytes: self.tails.len(),
            length: old.len() as u32,
        });
        let common = old.len().min(state.len());
        let whole = common - common % BLOCK;
        let pairs = old[..whole].chunks_exact(BLOCK).zip(state[..whole].chunks_exact(BLOCK));
        for (number, (before, after)) in pairs.enumerate() {
            if before != after {
                let mut block = [0; BLOCK];
                block.copy_from_slice(before);
                self.blocks.push((number as u32, block));
            }
        }
        // The rest is shorter than a block, or beyond the end of the shorter state.
        self.tails.extend_from_slice(&old[whole..]);
        for &(number, _) in &self.blocks[self.levels[self.levels.len() - 1].n_blocks..] {
            let at = number as usize * BLOCK;
            old[at..at + BLOCK].copy_from_slice(&state[at..at + BLOCK]);
        }
        old.truncate(whole);
        old.extend_from_slice(&state[whole..]);
        self.regions.push(region);
    }

    /// Takes the state on top away.
    pub fn pop(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        self.regions.pop();
        for &(number, block) in &self.blocks[level.n_blocks..] {
            let at = number as usize * BLOCK;
            self.current[at..at + BLOCK].copy_from_slice(&block);
        }
        let n_tail_bytes = self.tails.len() - level.n_tail_bytes;
        self.current.truncate(level.length as usize - n_tail_bytes);
        self.current.extend_from_slice(&self.tails[level.n_tail_bytes..]);
        self.blocks.truncate(level.n_blocks);
        self.tails.truncate(level.n_tail_bytes);
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.current.len()
            + self.tails.len()
            + self.blocks.len() * size_of::<(u32, [u8; BLOCK])>()
            + self.levels.len() * (size_of::<Level>() + size_of::<R>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_model::NoRegion;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn going_back_restores_every_state(
            states in proptest::collection::vec(proptest::collection::vec(0_u8..3, 0..40), 1..20),
            pops in proptest::collection::vec(any::<bool>(), 0..40),
        ) {
            let mut stack = DeltaStack::new();
            let mut naive: Vec<Vec<u8>> = Vec::new();
            let mut states = states.into_iter().cycle();
            for pop in pops {
                if pop {
                    stack.pop();
                    naive.pop();
                } else {
                    let state = states.next().unwrap();
                    stack.push(&state, NoRegion);
                    naive.push(state);
                }
                if let Some(top) = naive.last() {
                    prop_assert_eq!(stack.top().0, top.as_slice());
                }
            }
        }
    }

    #[test]
    fn a_deep_path_of_large_states_takes_little_memory() {
        let mut stack = DeltaStack::new();
        let mut state = vec![0; 6000];
        for step in 0..20_000 {
            state[step * 7 % 6000] ^= 1;
            stack.push(&state, NoRegion);
        }
        assert!(stack.bytes() < 2_000_000, "{}", stack.bytes());
        for _ in 0..19_999 {
            stack.pop();
        }
        state.fill(0);
        state[0] = 1;
        assert_eq!(stack.top().0, state);
    }
}
