#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nodeorder_fuzz::feed("matrix", bytes));
