//! Whatever claim and model the bytes make, every engine for infinite runs agrees with the slow answer about them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_random_claim(bytes);
});
