//! Whatever formula of branching time and model the bytes make, searches agree with labels on the graph of all states.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_random_tree(bytes);
});
