//! Whatever the bytes, the Promela front end neither panics nor makes an invalid model.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fathom_testing::check_front_end(bytes));
