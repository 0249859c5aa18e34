//! Whatever model the bytes make, every engine agrees with the reference engine about it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_random_model(bytes);
});
