//! The atomics of the shared tables, in a form that loom can replace to try every interleaving.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// How many times larger a large table can become where it is: the first of these for which there is room in the address
/// space.
pub(crate) const RESERVES: [usize; 2] = [1024, 64];

/// Zeros that take no memory until they are written to, where the operating system plays along.
#[cfg(not(loom))]
pub(crate) fn zeroed_words(length: usize) -> Box<[AtomicU64]> {
    // SAFETY: all bits zero is a valid `AtomicU64`.
    let words = unsafe { Box::new_zeroed_slice(length).assume_init() };
    ask_for_huge_pages(&words);
    words
}

/// Like [`zeroed_words`], for so many that there may not be room for them in the address space.
#[cfg(not(loom))]
pub(crate) fn try_zeroed_words(length: usize) -> Option<Box<[AtomicU64]>> {
    let layout = std::alloc::Layout::array::<AtomicU64>(length).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout has a size; all bits zero is a valid `AtomicU64`; and a box frees what it holds with the
    // layout of the slice.
    let words = unsafe {
        let start = std::alloc::alloc_zeroed(layout).cast::<AtomicU64>();
        let start = std::ptr::NonNull::new(start)?;
        Box::from_raw(std::ptr::slice_from_raw_parts_mut(start.as_ptr(), length))
    };
    ask_for_huge_pages(&words);
    Some(words)
}

/// Zeros that take no memory until they are written to: see [`zeroed_words`].
#[cfg(not(loom))]
pub(crate) fn zeroed_slots(length: usize) -> Box<[AtomicU32]> {
    // SAFETY: all bits zero is a valid `AtomicU32`.
    let slots = unsafe { Box::new_zeroed_slice(length).assume_init() };
    ask_for_huge_pages(&slots);
    slots
}

/// Zeros that take no memory until they are written to: see [`zeroed_words`].
pub(crate) fn zeroed_field(length: usize) -> Box<[u64]> {
    let field = vec![0; length].into_boxed_slice();
    #[cfg(not(loom))]
    ask_for_huge_pages(&field);
    field
}

/// Like [`zeroed_field`], for so many that there may not be room for them in the address space.
#[cfg(not(loom))]
pub(crate) fn try_zeroed_field(length: usize) -> Option<Box<[u64]>> {
    let layout = std::alloc::Layout::array::<u64>(length).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout has a size; all bits zero is a valid number; and a box frees what it holds with the layout
    // of the slice.
    let field = unsafe {
        let start = std::ptr::NonNull::new(std::alloc::alloc_zeroed(layout).cast::<u64>())?;
        Box::from_raw(std::ptr::slice_from_raw_parts_mut(start.as_ptr(), length))
    };
    ask_for_huge_pages(&field);
    Some(field)
}

/// See the version without loom.
#[cfg(loom)]
pub(crate) fn try_zeroed_field(length: usize) -> Option<Box<[u64]>> {
    Some(zeroed_field(length))
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

/// See the version without loom.
#[cfg(loom)]
pub(crate) fn zeroed_words(length: usize) -> Box<[AtomicU64]> {
    (0..length).map(|_| AtomicU64::new(0)).collect()
}

/// See the version without loom.
#[cfg(loom)]
pub(crate) fn try_zeroed_words(length: usize) -> Option<Box<[AtomicU64]>> {
    Some(zeroed_words(length))
}
