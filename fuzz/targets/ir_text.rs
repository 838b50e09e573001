//! The text form of the IR: what reads must print and read again the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| afterimage_ir::fuzz(bytes));
