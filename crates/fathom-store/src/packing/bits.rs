//! Gathering the bits of a word that a mask selects, and scattering them again.
//!
//! Processors of the x86-64 family since 2013 have an instruction for each (`pext`, `pdep`); elsewhere a loop
//! goes through the runs of the mask, of which there are few.

/// A way to gather and scatter.
pub(crate) trait Bits {
    /// The bits of a word where the mask is 1, moved together at the low end.
    fn gather(word: u64, mask: u64) -> u64;
    /// The inverse: low bits moved to where the mask is 1, zeros elsewhere.
    fn scatter(bits: u64, mask: u64) -> u64;
}

/// With what every processor has.
pub(crate) struct Portable;

impl Bits for Portable {
    #[inline(always)]
    fn gather(word: u64, mask: u64) -> u64 {
        let (mut gathered, mut rest, mut place) = (0, mask, 0);
        while rest != 0 {
            let (start, run) = first_run(rest);
            gathered |= (word & run) >> start << place;
            place += run.count_ones();
            rest &= !run;
        }
        gathered
    }

    #[inline(always)]
    fn scatter(bits: u64, mask: u64) -> u64 {
        let (mut scattered, mut rest, mut place) = (0, mask, 0);
        while rest != 0 {
            let (start, run) = first_run(rest);
            scattered |= bits >> place << start & run;
            place += run.count_ones();
            rest &= !run;
        }
        scattered
    }
}

/// Where the lowest run of ones starts, and its bits. The mask is not 0.
#[inline(always)]
fn first_run(mask: u64) -> (u32, u64) {
    let start = mask.trailing_zeros();
    let length = (mask >> start).trailing_ones();
    (start, (u64::MAX >> (64 - length)) << start)
}

/// With the instructions made for it. Only to be used in functions that are compiled for them.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Hardware;

#[cfg(target_arch = "x86_64")]
impl Bits for Hardware {
    #[inline(always)]
    fn gather(word: u64, mask: u64) -> u64 {
        // SAFETY: `is_available` was asked before the functions that use this were called.
        unsafe { std::arch::x86_64::_pext_u64(word, mask) }
    }

    #[inline(always)]
    fn scatter(bits: u64, mask: u64) -> u64 {
        // SAFETY: as above.
        unsafe { std::arch::x86_64::_pdep_u64(bits, mask) }
    }
}

/// Whether the processor has the instructions.
#[inline(always)]
pub(crate) fn is_available() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    return std::arch::is_x86_feature_detected!("bmi2");
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bit by bit.
    fn gather_slowly(word: u64, mask: u64) -> u64 {
        let places = (0..64).filter(|place| mask >> place & 1 == 1);
        places.enumerate().map(|(index, place)| (word >> place & 1) << index).sum()
    }

    proptest! {
        #[test]
        fn what_is_gathered_is_what_the_mask_selects(word: u64, mask: u64, sparse: u64) {
            for mask in [mask, mask & sparse, mask | sparse, 0, u64::MAX, mask << 1] {
                let gathered = Portable::gather(word, mask);
                prop_assert_eq!(gathered, gather_slowly(word, mask));
                prop_assert_eq!(Portable::scatter(gathered, mask), word & mask);
                prop_assert_eq!(Portable::scatter(word, mask) & !mask, 0);
                #[cfg(target_arch = "x86_64")]
                if is_available() {
                    prop_assert_eq!(Hardware::gather(word, mask), gathered);
                    prop_assert_eq!(Hardware::scatter(word, mask), Portable::scatter(word, mask));
                }
            }
        }
    }
}
