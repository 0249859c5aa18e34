//! Whatever formula with sequences and model the bytes make, reductions and native code do not change the answer in any view of runs that end.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_random_sequence(bytes);
});
