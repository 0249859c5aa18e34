//! Whatever program in SMV and partitions the bytes make, formulas are true in the states in which the definition says so.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_random_labels(bytes);
});
