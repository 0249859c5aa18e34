//! The atomics of the shared tables, in a form that loom can replace to try every interleaving.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// How many times larger a large table can become where it is: the first of these for which there is room in the address
/// space.
pub(crate) const RESERVES: [usize; 2] = [1024, 64];

/// A type of which all bits zero is a value.
///
/// # Safety
/// All bits zero must be a value of the type, except under loom.
pub(crate) unsafe trait Zero: Sized {
    /// That value.
    #[cfg(loom)]
    fn zero() -> Self;
}

// SAFETY: all bits zero is the number 0.
unsafe impl Zero for u64 {
    #[cfg(loom)]
    fn zero() -> u64 {
        0
    }
}

// SAFETY: all bits zero is an atomic number 0.
unsafe impl Zero for AtomicU64 {
    #[cfg(loom)]
    fn zero() -> AtomicU64 {
        AtomicU64::new(0)
    }
}

// SAFETY: all bits zero is an atomic number 0.
unsafe impl Zero for AtomicU32 {
    #[cfg(loom)]
    fn zero() -> AtomicU32 {
        AtomicU32::new(0)
    }
}

/// Zeros that take no memory until they are written to, where the operating system plays along.
#[cfg(not(loom))]
pub(crate) fn zeroed<T: Zero>(length: usize) -> Box<[T]> {
    // SAFETY: all bits zero is a value of the type.
    let zeros = unsafe { Box::new_zeroed_slice(length).assume_init() };
    ask_for_huge_pages(&zeros);
    zeros
}

/// Like [`zeroed`], for so many that there may not be room for them in the address space.
#[cfg(not(loom))]
pub(crate) fn try_zeroed<T: Zero>(length: usize) -> Option<Box<[T]>> {
    let layout = std::alloc::Layout::array::<T>(length).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout has a size; all bits zero is a value of the type; and a box frees what it holds with the
    // layout of the slice.
    let zeros = unsafe {
        let start = std::ptr::NonNull::new(std::alloc::alloc_zeroed(layout).cast::<T>())?;
        Box::from_raw(std::ptr::slice_from_raw_parts_mut(start.as_ptr(), length))
    };
    ask_for_huge_pages(&zeros);
    Some(zeros)
}

/// See the version without loom.
#[cfg(loom)]
pub(crate) fn zeroed<T: Zero>(length: usize) -> Box<[T]> {
    (0..length).map(|_| T::zero()).collect()
}

/// See the version without loom.
#[cfg(loom)]
pub(crate) fn try_zeroed<T: Zero>(length: usize) -> Option<Box<[T]>> {
    Some(zeroed(length))
}

/// Asks the operating system to back a large array with large pages: a random access then seldom misses the
/// translation cache. A hint; failure changes nothing.
#[cfg(not(loom))]
fn ask_for_huge_pages<T>(array: &[T]) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        /// Bytes of a small page, and of a large one.
        const PAGE: usize = 1 << 12;
        const HUGE_PAGE: usize = 1 << 21;
        /// `MADV_HUGEPAGE`.
        const ADVICE: i32 = 14;
        unsafe extern "C" {
            fn madvise(address: *mut std::ffi::c_void, length: usize, advice: i32) -> i32;
        }
        let start = array.as_ptr() as usize;
        let end = (start + size_of_val(array)) / PAGE * PAGE;
        let start = start.next_multiple_of(PAGE);
        if end.saturating_sub(start) >= 2 * HUGE_PAGE {
            // SAFETY: the pages lie within a live allocation, and the advice does not change their contents.
            unsafe { madvise(start as *mut std::ffi::c_void, end - start, ADVICE) };
        }
    }
    let _ = array;
}
