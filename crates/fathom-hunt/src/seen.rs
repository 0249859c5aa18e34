//! The states of one walk: a set that is cleared for the next.
//!
//! Open addressing over fingerprints of 64 bits. Two states of a walk with one fingerprint are taken for one,
//! which for a walk of a million steps happens once in forty million walks; it can end a walk early and
//! cannot make a trace wrong.

/// A map from fingerprints to the places on the walk where they were met first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Fingerprint and place; a place of [`EMPTY`] is free.
    slots: Vec<(u64, u32)>,
    len: usize,
}

const EMPTY: u32 = u32::MAX;

impl Seen {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        // After a long walk, a short one should not have to clear a large table again and again.
        if self.len * 64 < self.slots.len() {
            self.slots.truncate((self.len * 4).next_power_of_two().max(64));
        }
        self.slots.fill((0, EMPTY));
        self.len = 0;
    }

    /// Where a fingerprint was met first, if it was.
    pub fn find(&self, fingerprint: u64) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let (_, place) = self.slots[self.slot(fingerprint)];
        (place != EMPTY).then_some(place as usize)
    }

    /// Remembers a fingerprint that is met at a place, unless it was met before.
    pub fn insert(&mut self, fingerprint: u64, place: usize) {
        if (self.len + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let slot = self.slot(fingerprint);
        if self.slots[slot].1 == EMPTY {
            self.slots[slot] = (fingerprint, place as u32);
            self.len += 1;
        }
    }

    /// Remembers a fingerprint at a place, whatever was known of it.
    pub fn replace(&mut self, fingerprint: u64, place: usize) {
        self.insert(fingerprint, place);
        let slot = self.slot(fingerprint);
        self.slots[slot].1 = place as u32;
    }

    fn slot(&self, fingerprint: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = fingerprint as usize & mask;
        while self.slots[slot].1 != EMPTY && self.slots[slot].0 != fingerprint {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![(0, EMPTY); size]);
        for (fingerprint, place) in old.into_iter().filter(|(_, place)| *place != EMPTY) {
            let slot = self.slot(fingerprint);
            self.slots[slot] = (fingerprint, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_counts_and_clearing_forgets() {
        let mut seen = Seen::default();
        assert_eq!(seen.find(0), None);
        for place in 0..1000 {
            seen.insert((place as u64 % 500) << 40, place);
        }
        assert!((0..500).all(|place| seen.find((place as u64) << 40) == Some(place)));
        assert_eq!(seen.find(500 << 40), None);
        seen.clear();
        assert!((0..500).all(|place| seen.find((place as u64) << 40).is_none()));
    }
}
