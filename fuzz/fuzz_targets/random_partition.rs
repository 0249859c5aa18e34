//! Whatever program in Promela and partition the bytes make, composite states agree with the reference engine.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_random_partition(bytes);
});
