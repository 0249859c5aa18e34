//! A hint that a cache line is about to be read.
//!
//! A look-up in a table that does not fit the cache waits for memory, a few hundred instructions long. When
//! many look-ups are known beforehand, the lines can be asked for all at once and arrive together.

/// Asks for the cache line that holds a value, without waiting for it. Never changes what a program means.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is that of a live value, and a prefetch reads and writes nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast::<i8>()) }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = value;
}
