//! Whatever network of timed automata and formulas the bytes make, queries and formulas that ask the same have one answer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_random_timed(bytes);
});
