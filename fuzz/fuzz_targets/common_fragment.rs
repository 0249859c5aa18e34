//! Whatever formula of the common fragment and program the bytes make, both logics say the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fathom_testing::check_common_fragment(bytes);
});
