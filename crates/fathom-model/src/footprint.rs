//! What the steps of a portion depend on: see [`System::footprint`](crate::System::footprint).
//!
//! A process at a location looks at a few variables and changes a few. Whatever else a state holds, the steps of the
//! process are the same: they can be remembered, and used again in every state that agrees on these bytes.
//!
//! Which element of an array is looked at depends on an index, and who accepts a message on where the others are. So
//! a footprint comes in layers, each of which is decided by those before it.

/// Some bytes of a state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ByteSet {
    words: Vec<u64>,
}

impl ByteSet {
    /// Takes all bytes out.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Adds some bytes in a row.
    pub fn insert(&mut self, start: u32, n_bytes: u32) {
        for byte in start as usize..(start + n_bytes) as usize {
            if byte / 64 >= self.words.len() {
                self.words.resize(byte / 64 + 1, 0);
            }
            self.words[byte / 64] |= 1 << (byte % 64);
        }
    }

    /// Adds all bytes of another set.
    pub fn add(&mut self, other: &ByteSet) {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Takes out all bytes of another set.
    pub fn remove(&mut self, other: &ByteSet) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Whether there is a byte in both.
    pub fn meets(&self, other: &ByteSet) -> bool {
        self.words.iter().zip(&other.words).any(|(word, other)| word & other != 0)
    }

    /// The bytes in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 != 0);
        self.words
            .iter()
            .enumerate()
            .flat_map(move |(index, &word)| bits(word).map(move |bit| 64 * index + bit))
    }
}

/// What the steps of a portion of a state depend on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Footprint {
    /// Says what the other bytes are: nothing is said here about states of another length, or with others of these.
    pub frame: ByteSet,
    /// Each decides, with those before it, what the next one is. The first is the same for all states of the frame.
    pub layers: Vec<ByteSet>,
    /// What the layers decide together, and hold: it decides the steps and findings of the portion, and holds every
    /// byte that its steps change.
    pub touched: ByteSet,
}

impl Footprint {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.frame.clear();
        self.layers.clear();
        self.touched.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_inserted() {
        let (mut one, mut other) = (ByteSet::default(), ByteSet::default());
        one.insert(62, 4);
        assert_eq!(one.iter().collect::<Vec<_>>(), [62, 63, 64, 65]);
        other.insert(3, 1);
        assert!(!one.meets(&other) && !other.meets(&one));
        other.add(&one);
        assert_eq!(other.iter().collect::<Vec<_>>(), [3, 62, 63, 64, 65]);
        assert!(one.meets(&other));
        other.remove(&one);
        assert_eq!(other.iter().collect::<Vec<_>>(), [3]);
        assert!(!other.is_empty() && ByteSet::default().is_empty());
    }
}
