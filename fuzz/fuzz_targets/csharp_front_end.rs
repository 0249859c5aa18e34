//! Whatever the bytes, the front end of C# neither panics nor makes a program that does.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fathom_testing::check_csharp_front_end(bytes));
