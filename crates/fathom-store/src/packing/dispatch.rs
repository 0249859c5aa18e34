//! The inner loops of packing, with the instructions that the processor at hand has.

use fathom_model::Steps;

use super::bits::{self, Portable};
use super::lanes::{Packed, Packing, Unpackable};
use super::{Intern, Recall};

/// [`Packing::fold_from`] with what the processor has.
#[inline(always)]
pub(super) fn fold_from(
    packing: &Packing,
    state: &[u8],
    open: &Packed,
    scratch: &mut Vec<u64>,
    tables: &mut impl Intern,
) -> Result<u64, Unpackable> {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi2")]
        fn fold_with_bmi2(
            packing: &Packing,
            state: &[u8],
            open: &Packed,
            scratch: &mut Vec<u64>,
            tables: &mut impl Intern,
        ) -> Result<u64, Unpackable> {
            packing.fold_from::<bits::Hardware>(state, open, scratch, tables)
        }
        if bits::is_available() {
            // SAFETY: the processor has the instructions.
            return unsafe { fold_with_bmi2(packing, state, open, scratch, tables) };
        }
    }
    packing.fold_from::<Portable>(state, open, scratch, tables)
}

/// [`Packing::fold_afresh`] with what the processor has.
pub(super) fn fold_afresh(
    packing: &Packing,
    state: &[u8],
    scratch: &mut Vec<u64>,
    tables: &mut impl Intern,
) -> Result<u64, Unpackable> {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi2")]
        fn fold_afresh_with_bmi2(
            packing: &Packing,
            state: &[u8],
            scratch: &mut Vec<u64>,
            tables: &mut impl Intern,
        ) -> Result<u64, Unpackable> {
            packing.fold_afresh::<bits::Hardware>(state, scratch, tables)
        }
        if bits::is_available() {
            // SAFETY: the processor has the instructions.
            return unsafe { fold_afresh_with_bmi2(packing, state, scratch, tables) };
        }
    }
    packing.fold_afresh::<Portable>(state, scratch, tables)
}

/// [`Packing::fold_simply`] with what the processor has.
#[inline(always)]
pub(super) fn fold_simply(packing: &Packing, state: &[u8], open: &Packed) -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi2")]
        fn fold_simply_with_bmi2(packing: &Packing, state: &[u8], open: &Packed) -> Option<u64> {
            packing.fold_simply::<bits::Hardware>(state, open)
        }
        if bits::is_available() {
            // SAFETY: the processor has the instructions.
            return unsafe { fold_simply_with_bmi2(packing, state, open) };
        }
    }
    packing.fold_simply::<Portable>(state, open)
}

/// [`Packing::fold_all_simply`] with what the processor has.
#[inline(always)]
pub(super) fn fold_all_simply<R, L>(
    packing: &Packing,
    steps: &Steps<R, L>,
    open: &Packed,
    roots: &mut Vec<u64>,
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi2")]
        fn fold_all_with_bmi2<R, L>(
            packing: &Packing,
            steps: &Steps<R, L>,
            open: &Packed,
            roots: &mut Vec<u64>,
        ) {
            packing.fold_all_simply::<bits::Hardware, R, L>(steps, open, roots);
        }
        if bits::is_available() {
            // SAFETY: the processor has the instructions.
            return unsafe { fold_all_with_bmi2(packing, steps, open, roots) };
        }
    }
    packing.fold_all_simply::<Portable, R, L>(steps, open, roots);
}

/// [`Packing::covers`] with what the processor has.
#[inline(always)]
pub(super) fn covers(packing: &Packing, state: &[u8]) -> bool {
    covers_with_hint(packing, state, &mut 0)
}

/// [`Packing::covers`] with what the processor has.
#[inline(always)]
pub(super) fn covers_with_hint(packing: &Packing, state: &[u8], hint: &mut u32) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi2")]
        fn covers_with_bmi2(packing: &Packing, state: &[u8], hint: &mut u32) -> bool {
            packing.covers::<bits::Hardware>(state, hint)
        }
        if bits::is_available() {
            // SAFETY: the processor has the instructions.
            return unsafe { covers_with_bmi2(packing, state, hint) };
        }
    }
    packing.covers::<Portable>(state, hint)
}

/// [`Packing::unfold`] with what the processor has.
#[inline(always)]
pub(super) fn unfold(packing: &Packing, root: u64, open: &mut Packed, is_same: bool, tables: &impl Recall) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi2")]
        fn unfold_with_bmi2(
            packing: &Packing,
            root: u64,
            open: &mut Packed,
            is_same: bool,
            tables: &impl Recall,
        ) {
            packing.unfold::<bits::Hardware>(root, open, is_same, tables);
        }
        if bits::is_available() {
            // SAFETY: the processor has the instructions.
            return unsafe { unfold_with_bmi2(packing, root, open, is_same, tables) };
        }
    }
    packing.unfold::<Portable>(root, open, is_same, tables);
}
