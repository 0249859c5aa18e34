//! Choices made by bytes.
//!
//! A generator asks for small numbers; the bytes of a fuzzer, or those of a seeded stream, decide. When the
//! bytes run out every answer is 0, which generators take as "stop here": so shorter inputs give smaller
//! models, and shrinking the bytes shrinks the model.

/// A source of choices.
#[derive(Clone, Debug)]
pub struct Entropy<'b> {
    bytes: std::borrow::Cow<'b, [u8]>,
    next: usize,
}

impl<'b> Entropy<'b> {
    /// Choices made by these bytes.
    pub fn new(bytes: &'b [u8]) -> Entropy<'b> {
        Entropy { bytes: bytes.into(), next: 0 }
    }

    /// A number below `bound`; 0 when the bytes have run out.
    ///
    /// # Panics
    ///
    /// When `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let byte = self.bytes.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        usize::from(byte) % bound
    }

    /// One of the items.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }

    /// True in about `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        // Counted from the top, so that running out of bytes means no.
        self.below(100) >= 100 - percent
    }
}

impl Entropy<'static> {
    /// Choices made by a stream of `length` bytes that the seed determines.
    pub fn seeded(seed: u64, length: usize) -> Entropy<'static> {
        let mut state = seed;
        let bytes = (0..length.div_ceil(8)).flat_map(|_| split_mix(&mut state).to_le_bytes());
        Entropy { bytes: bytes.take(length).collect(), next: 0 }
    }
}

/// The next number of a splittable generator (Steele, Lea, Flood, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_choices_and_the_end_gives_zero() {
        let choices = |seed| {
            let mut entropy = Entropy::seeded(seed, 16);
            (0..20).map(|_| entropy.below(100)).collect::<Vec<_>>()
        };
        assert_eq!(choices(7), choices(7));
        assert_ne!(choices(7), choices(8));
        assert_eq!(choices(7)[16..], [0; 4]);
    }
}
