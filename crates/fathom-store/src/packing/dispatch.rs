//! The loops of packing that gather and scatter bits, with the instructions that the processor at hand has.

use super::InternInGroup;
use super::bits::{self, Portable};
use super::dictionary::{Packed, Packing, Unpackable};

/// [`Packing::fold_from`] with what the processor has, from the first state when nothing is near.
#[inline(always)]
pub(super) fn fold(
    packing: &Packing,
    state: &[u8],
    near: Option<&Packed>,
    tables: &mut impl InternInGroup,
) -> Result<u64, Unpackable> {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi2")]
        fn fold_with_bmi2(
            packing: &Packing,
            state: &[u8],
            near: Option<&Packed>,
            tables: &mut impl InternInGroup,
        ) -> Result<u64, Unpackable> {
            packing.fold_from::<bits::Hardware>(state, near.unwrap_or(packing.first()), tables)
        }
        if bits::is_available() {
            // SAFETY: the processor has the instructions.
            return unsafe { fold_with_bmi2(packing, state, near, tables) };
        }
    }
    packing.fold_from::<Portable>(state, near.unwrap_or(packing.first()), tables)
}

/// [`Packing::unfold`] with what the processor has.
#[inline(always)]
pub(super) fn unfold(packing: &Packing, root: u64, open: &mut Packed, is_same: bool) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi2")]
        fn unfold_with_bmi2(packing: &Packing, root: u64, open: &mut Packed, is_same: bool) {
            packing.unfold::<bits::Hardware>(root, open, is_same);
        }
        if bits::is_available() {
            // SAFETY: the processor has the instructions.
            return unsafe { unfold_with_bmi2(packing, root, open, is_same) };
        }
    }
    packing.unfold::<Portable>(root, open, is_same);
}
