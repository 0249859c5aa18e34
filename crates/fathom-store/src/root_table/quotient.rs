//! Slots of 32 bits that hold what the bucket does not say about a root.
//!
//! A bucket among a million says twenty bits of the hash of a root. When the hash can be undone, the slot need only
//! hold the rest: with 45 bits that vary, 25 are left, so that a slot takes four bytes instead of eight and the
//! table still holds roots, not fingerprints. This is quotienting, after Cleary, "Compact Hash Tables Using
//! Bidirectional Linear Probing" (IEEE Transactions on Computers, 1984), and in model checking Geldenhuys and Valmari, "A
//! Nearly Memory-Optimal Data Structure for Sets and Mappings" (SPIN 2003). We differ in this: a root that does not
//! fit into its bucket goes to the next one that has room, and its slot says how far that is, which makes a slot
//! independent of all others, so that threads fill it with one compare-and-swap; and any number of buckets will do,
//! so that a table grows where it is.
//!
//! A root is a tag above a number ([`packing`](crate::packing)). Its *key* is the number with the tag below it. Keys
//! of W bits are mixed by a permutation of the numbers below 2^W, and with n buckets and the mixed key h, the bucket
//! is ⌊hn / 2^W⌋, and ⌊(hn mod 2^W) / 2^k⌋ with the largest 2^k ≤ n is what the slot holds: within a bucket,
//! products are n apart, so that no two of them are the same after the division.

use super::format::Format;
use crate::packing::TAG_SHIFT;
use crate::sync::AtomicU32;

/// Bits of a slot.
const SLOT_BITS: u32 = 32;
/// Fewest bits that say how far from where its search starts a root is.
const FEWEST_DISTANCE_BITS: u32 = 5;
/// A format is chosen if there is at most one stray for so many buckets: half of what makes a table give it up.
const FEW_STRAYS: usize = 16;
/// Odd factors of the permutation, and what undoes them.
const FACTORS: [u64; 2] = [0xd1b5_4a32_d192_ed03, 0xaef1_7502_108e_f2d9];
const INVERSES: [u64; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];

/// What has to be undone by multiplication, modulo 2^64, and so modulo every smaller power of two.
const fn inverse(factor: u64) -> u64 {
    // Newton's method: each round doubles the number of right bits, of which there are three at first.
    let (mut inverse, mut n_bits) = (factor, 3);
    while n_bits < 64 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)));
        n_bits *= 2;
    }
    inverse
}

/// How many bits of tags and of numbers are in use.
#[derive(Clone, Debug)]
pub(crate) struct Width {
    tags: u64,
    /// By number of bits: how many numbers have just as many.
    n_numbers: [usize; TAG_SHIFT as usize + 1],
}

impl Default for Width {
    fn default() -> Width {
        Width { tags: 0, n_numbers: [0; TAG_SHIFT as usize + 1] }
    }
}

impl Width {
    /// Counts one more root.
    #[inline(always)]
    pub(super) fn add(&mut self, root: u64) {
        self.tags |= root >> TAG_SHIFT;
        let number = root & ((1 << TAG_SHIFT) - 1);
        self.n_numbers[(u64::BITS - number.leading_zeros()) as usize] += 1;
    }

    fn n_tag_bits(&self) -> u32 {
        u64::BITS - self.tags.leading_zeros()
    }

    /// How many roots take more bits than this.
    fn n_wider(&self, n_bits: u32) -> usize {
        let Some(n_bits) = n_bits.checked_sub(self.n_tag_bits()) else {
            return self.n_numbers.iter().sum();
        };
        self.n_numbers.iter().skip(n_bits as usize + 1).sum()
    }
}

/// Slots hold the rest of a division, and how far it is from where it belongs.
#[derive(Clone, Debug)]
pub(crate) struct Quotient {
    n_buckets: usize,
    n_tag_bits: u32,
    /// Bits of a key.
    n_key_bits: u32,
    /// Bits of the rest.
    n_rest_bits: u32,
}

impl Quotient {
    /// The format for so many buckets and roots of this width; none when 32 bits are not enough for nearly all of them.
    pub(super) fn new(n_buckets: usize, width: Width) -> Option<Quotient> {
        let n_rest_bits = SLOT_BITS - FEWEST_DISTANCE_BITS;
        // As wide as can be, and one bit more than is in use: what comes may vary more.
        let n_key_bits = (n_buckets.ilog2() + n_rest_bits).min(u64::BITS - 1);
        let n_tag_bits = width.n_tag_bits();
        let quotient = Quotient { n_buckets, n_tag_bits, n_key_bits, n_rest_bits };
        let is_enough = n_tag_bits < n_key_bits && width.n_wider(n_key_bits - 1) <= n_buckets / FEW_STRAYS;
        is_enough.then(|| quotient.with_buckets(n_buckets))
    }

    /// Bits of a word above those of a key.
    #[inline(always)]
    fn n_above(&self) -> u32 {
        u64::BITS - self.n_key_bits
    }

    /// Adds the upper half of a key in the upper bits of a word to its lower half; twice is nothing.
    #[inline(always)]
    fn fold(&self, word: u64) -> u64 {
        word ^ (word >> self.n_key_bits.div_ceil(2) & u64::MAX << self.n_above())
    }

    /// The key of a root, mixed, in the upper bits of a word. None when the root is too wide.
    #[inline(always)]
    fn mixed(&self, root: u64) -> Option<u64> {
        let (tag, number) = (root >> TAG_SHIFT, root & ((1 << TAG_SHIFT) - 1));
        if tag >> self.n_tag_bits != 0 || number >> (self.n_key_bits - self.n_tag_bits) != 0 {
            return None;
        }
        // In the upper bits, multiplication is modulo 2^W.
        let key = (number << self.n_tag_bits | tag) << self.n_above();
        Some(self.fold(key.wrapping_mul(FACTORS[0])).wrapping_mul(FACTORS[1]))
    }

    fn unmixed(&self, word: u64) -> u64 {
        let key = self.fold(word.wrapping_mul(INVERSES[1])).wrapping_mul(INVERSES[0]) >> self.n_above();
        let tag = key & ((1 << self.n_tag_bits) - 1);
        tag << TAG_SHIFT | key >> self.n_tag_bits
    }
}

impl Format for Quotient {
    type Slot = AtomicU32;

    #[inline(always)]
    fn n_buckets(&self) -> usize {
        self.n_buckets
    }

    fn with_buckets(&self, n_buckets: usize) -> Quotient {
        let n_rest_bits = self.n_key_bits.saturating_sub(n_buckets.ilog2()).max(1);
        debug_assert!(n_rest_bits <= SLOT_BITS - FEWEST_DISTANCE_BITS, "tables do not become smaller");
        Quotient { n_buckets, n_rest_bits, ..*self }
    }

    #[inline(always)]
    fn locate(&self, root: u64) -> Option<(usize, u64)> {
        let product = u128::from(self.mixed(root)?) * self.n_buckets as u128;
        let rest = product as u64 >> (u64::BITS - self.n_rest_bits);
        // The distance is one more than it is, so that no slot in use holds 0.
        Some(((product >> 64) as usize, 1 << self.n_rest_bits | rest))
    }

    #[inline(always)]
    fn next(&self, word: u64) -> Option<u64> {
        let next = word + (1 << self.n_rest_bits);
        (next >> SLOT_BITS == 0).then_some(next)
    }

    fn root(&self, word: u64, bucket: usize) -> u64 {
        let distance = (word >> self.n_rest_bits) as usize - 1;
        let home = if bucket >= distance { bucket } else { bucket + self.n_buckets } - distance;
        let rest = word & ((1 << self.n_rest_bits) - 1);
        // The one product in this bucket that begins with this rest.
        let least = (home as u128) << 64 | u128::from(rest << (u64::BITS - self.n_rest_bits));
        let least = least >> self.n_above();
        let mixed = least.div_ceil(self.n_buckets as u128) as u64;
        self.unmixed(mixed << self.n_above())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_root_is_read_from_its_slot(
            n_buckets in 1..5_000_000_usize,
            tag in 0..32_u64,
            number: u64,
            distance in 0..40_usize,
        ) {
            let n_number_bits = n_buckets.ilog2() + SLOT_BITS - FEWEST_DISTANCE_BITS - 7;
            let root = tag << TAG_SHIFT | number >> (u64::BITS - n_number_bits.min(TAG_SHIFT));
            let mut width = Width::default();
            width.add(root);
            let format = Quotient::new(n_buckets, width).expect("it fits");
            for format in [format.clone(), format.with_buckets(n_buckets + n_buckets / 4)] {
                let (home, mut word) = format.locate(root).expect("it fits");
                prop_assert!(home < format.n_buckets());
                for _ in 0..distance {
                    match format.next(word) {
                        Some(next) => word = next,
                        None => return Ok(()),
                    }
                }
                prop_assert!(word != 0 && word <= u64::from(u32::MAX));
                prop_assert_eq!(format.root(word, (home + distance) % format.n_buckets()), root);
            }
        }

        #[test]
        fn a_root_that_is_too_wide_has_no_place(n_buckets in 1..500_000_usize, n_bits in 0..TAG_SHIFT) {
            let mut width = Width::default();
            // One more than may be strays.
            for _ in 0..=n_buckets / FEW_STRAYS {
                width.add(3 << TAG_SHIFT | ((1 << n_bits) - 1));
            }
            match Quotient::new(n_buckets, width) {
                None => prop_assert!(n_bits + 2 >= n_buckets.ilog2() + 27),
                Some(format) => {
                    let is_there = |root| format.locate(root).is_some();
                    prop_assert!(is_there(3 << TAG_SHIFT | 1 << n_bits), "a bit more than was seen");
                    prop_assert!(!is_there(4 << TAG_SHIFT));
                    let first_too_wide = format.n_key_bits - 2;
                    prop_assert!(first_too_wide >= TAG_SHIFT || !is_there(1 << TAG_SHIFT | 1 << first_too_wide));
                }
            }
        }
    }

    #[test]
    fn a_few_wide_roots_are_strays() {
        let mut width = Width::default();
        width.add(3 << TAG_SHIFT | 1 << 20);
        (0..64).for_each(|_| width.add(3 << TAG_SHIFT | 1 << 55));
        let format = Quotient::new(1 << 10, width.clone()).expect("strays are few");
        assert!(format.locate(3 << TAG_SHIFT | 1 << 20).is_some());
        assert!(format.locate(3 << TAG_SHIFT | 1 << 55).is_none());
        width.add(3 << TAG_SHIFT | 1 << 55);
        assert!(Quotient::new(1 << 10, width).is_none());
    }

    #[test]
    fn roots_spread_over_buckets() {
        // Numbers one after the other, and numbers that differ in the upper bits: no bucket has much more than its part.
        let mut width = Width::default();
        width.add(3 << TAG_SHIFT | ((1 << 36) - 1));
        let format = Quotient::new(1 << 12, width).expect("it fits");
        for shift in [0, 5, 12, 20] {
            let mut n_roots = vec![0_u32; format.n_buckets()];
            for number in 0..(1_u64 << 16) {
                n_roots[format.locate(3 << TAG_SHIFT | number << shift).expect("it fits").0] += 1;
            }
            assert!(n_roots.iter().all(|&n_roots| n_roots < 60), "{shift}: {:?}", n_roots.iter().max());
        }
    }
}
