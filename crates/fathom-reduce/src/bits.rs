//! Small sets of numbers.

/// A set of numbers, one bit each.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub fn set(&mut self, index: usize) {
        let word = index / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (index % 64);
    }

    pub fn has(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    /// Adds another set. Gives whether anything was new.
    pub fn add(&mut self, other: &Bits) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (word, added) in self.words.iter_mut().zip(&other.words) {
            changed |= added & !*word != 0;
            *word |= added;
        }
        changed
    }

    pub fn remove(&mut self, other: &Bits) {
        for (word, removed) in self.words.iter_mut().zip(&other.words) {
            *word &= !removed;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Whether the sets share a number other than `except`.
    pub fn meets(&self, other: &Bits, except: Option<usize>) -> bool {
        self.words.iter().zip(&other.words).enumerate().any(|(index, (left, right))| {
            let mut both = left & right;
            if let Some(except) = except
                && except / 64 == index
            {
                both &= !(1 << (except % 64));
            }
            both != 0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_different_lengths_meet_in_common_numbers_only() {
        let (mut left, mut right) = (Bits::default(), Bits::default());
        left.set(3);
        right.set(130);
        assert!(!left.meets(&right, None));
        right.set(3);
        assert!(left.meets(&right, None));
        assert!(!left.meets(&right, Some(3)));
        assert!(left.add(&right) && !left.add(&right));
        assert!(left.has(130) && !left.has(129));
    }
}
