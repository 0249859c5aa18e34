//! Whatever graph and formula the bytes make, labels are what the formula means.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_branching(bytes);
});
