//! Values of types that have few of them are numbers, and numbers share bytes.
//!
//! A type with at most 256 values numbers them: a pair by place value, an enumeration by what stands before a variant. Where
//! such a value is a part of a larger one, it takes the bits that its numbers need, in the byte of its neighbours as long as
//! there is room, and never in two bytes. So states are a half to a third as long as with a byte for each field. The store, which numbers the values of each
//! byte, needs no more bits for them: those of one byte with two fields are at most the pairs of those of the fields.
//! Numbers that went on in the next byte would be shorter still, and cost the store more than that.

use super::Data;

/// What a type with more than 256 values has for their count.
pub const MANY: usize = 0;

/// Most values of a type with few.
const MOST: usize = 256;

const fn few(count: usize) -> usize {
    if count > MOST { MANY } else { count }
}

/// The number of pairs, if there are few.
pub const fn pairs(left: usize, right: usize) -> usize {
    // Both are at most 256, or this is 0 anyway.
    few(left * right)
}

/// The number of rows of so many values, if there are few.
pub(super) const fn rows(values: usize, length: usize) -> usize {
    let (mut count, mut place) = (1, 0);
    while place < length {
        count = pairs(count, values);
        place += 1;
    }
    count
}

/// The number of values that are of one of two kinds, if there are few.
pub const fn either(left: usize, right: usize) -> usize {
    if left == MANY || right == MANY { MANY } else { few(left + right) }
}

/// Bits of numbers below a count.
pub const fn bits_of(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// How many bytes values of one after the other will take.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Whole bytes, and the one that was begun; none when values differ in length.
    bytes: Option<usize>,
    /// Bits in use of the last byte.
    used: u32,
}

impl Layout {
    /// Nothing.
    pub const EMPTY: Layout = Layout { bytes: Some(0), used: 8 };

    /// A number below a count more.
    #[must_use]
    pub const fn with_number(self, count: usize) -> Layout {
        let n_bits = bits_of(count);
        match self.bytes {
            Some(bytes) if self.used + n_bits > 8 => Layout { bytes: Some(bytes + 1), used: n_bits },
            bytes => Layout { bytes, used: self.used + n_bits },
        }
    }

    /// A value of a type more.
    #[must_use]
    pub const fn with<D: Data>(self) -> Layout {
        if D::VALUES != MANY {
            return self.with_number(D::VALUES);
        }
        Layout { bytes: super::widths(self.bytes, D::WIDTH), used: 8 }
    }

    /// So many values of a type more.
    #[must_use]
    pub(super) const fn with_row<D: Data>(self, length: usize) -> Layout {
        let (mut layout, mut place) = (self, 0);
        while place < length {
            layout = layout.with::<D>();
            place += 1;
        }
        layout
    }

    /// The number of bytes, if it is the same for all values.
    pub const fn width(self) -> Option<usize> {
        self.bytes
    }
}

/// The number of bytes of a value that stands alone, of a type with few.
pub const fn width_alone(values: usize) -> Option<usize> {
    Some(if values == 1 { 0 } else { 1 })
}

/// What is written bit by bit, until it becomes bytes.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct BitsOut {
    bits: u64,
    /// Bits in use, all of them below those of a word.
    n_bits: u32,
}

impl BitsOut {
    /// Adds a number of so many bits, at most eight. Where the word is full, it comes out first.
    #[inline(always)]
    pub(super) fn push(&mut self, number: usize, n_bits: u32, out: &mut Vec<u8>) {
        debug_assert!(number < 1 << n_bits, "a number of {n_bits} bits");
        if self.n_bits % 8 + n_bits > 8 || self.n_bits.is_multiple_of(8) {
            self.n_bits = self.n_bits.next_multiple_of(8);
            if self.n_bits == u64::BITS {
                self.flush(out);
            }
        }
        self.bits |= (number as u64) << self.n_bits;
        self.n_bits += n_bits;
    }

    /// Writes what there is.
    #[inline(always)]
    pub(super) fn flush(&mut self, out: &mut Vec<u8>) {
        if self.n_bits == 0 {
            return;
        }
        // A whole word and then less of it is a store; so many bytes as there are would be a call.
        let length = out.len() + self.n_bytes();
        out.extend_from_slice(&self.bits.to_le_bytes());
        out.truncate(length);
        *self = BitsOut::default();
    }

    /// Bytes that are begun.
    #[inline(always)]
    pub(super) fn n_bytes(&self) -> usize {
        self.n_bits.div_ceil(8) as usize
    }
}

/// What is read bit by bit.
#[derive(Clone, Copy, Debug)]
pub(super) struct BitsIn {
    /// What is left of the byte.
    byte: u8,
    /// Bits of it that were read.
    used: u32,
}

impl BitsIn {
    /// Nothing is left of the byte before.
    pub(super) const EMPTY: BitsIn = BitsIn { byte: 0, used: 8 };

    /// Reads a number of so many bits, at most eight; `next` gives the next byte.
    #[inline(always)]
    pub(super) fn pop(&mut self, n_bits: u32, next: impl FnOnce() -> u8) -> usize {
        if n_bits == 0 {
            return 0;
        }
        if self.used + n_bits > 8 {
            *self = BitsIn { byte: next(), used: 0 };
        }
        let number = u32::from(self.byte) & ((1 << n_bits) - 1);
        self.byte = (u32::from(self.byte) >> n_bits) as u8;
        self.used += n_bits;
        number as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_are_exact_or_many() {
        assert_eq!((pairs(16, 16), pairs(16, 17), pairs(MANY, 1)), (256, MANY, MANY));
        assert_eq!((either(255, 1), either(256, 1), either(MANY, 1)), (256, MANY, MANY));
        assert_eq!((rows(2, 8), rows(2, 9), rows(7, 0), rows(3, 1000)), (256, MANY, 1, MANY));
        assert_eq!([1, 2, 3, 4, 5, 256].map(bits_of), [0, 1, 2, 2, 3, 8]);
    }

    proptest! {
        #[test]
        fn numbers_come_out_as_they_went_in(
            numbers in prop::collection::vec((1..=256_usize, any::<usize>()), 0..40),
        ) {
            let (mut bytes, mut out) = (Vec::new(), BitsOut::default());
            let mut layout = Layout::EMPTY;
            for &(count, number) in &numbers {
                out.push(number % count, bits_of(count), &mut bytes);
                layout = layout.with_number(count);
            }
            out.flush(&mut bytes);
            prop_assert_eq!(layout.width(), Some(bytes.len()));
            let (mut bytes, mut input) = (bytes.into_iter(), BitsIn::EMPTY);
            for (count, number) in numbers {
                let read = input.pop(bits_of(count), || bytes.next().expect("as much as was written"));
                prop_assert_eq!(read, number % count);
            }
            prop_assert_eq!(bytes.next(), None);
        }
    }
}
