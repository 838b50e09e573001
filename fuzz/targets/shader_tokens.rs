//! Direct3D 9 shader tokens and fixed-function keys through the whole chain: parse, disassemble, lift, compile.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| afterimage_shader::fuzz_tokens(bytes));
