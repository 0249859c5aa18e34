//! Whatever program in SMV and partition the bytes make, composite states agree with explicit ones.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_random_smv(bytes);
});
