//! Whatever formula the bytes make, its automata accept the words that satisfy it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_linear(bytes);
});
