//! Capture files, in order and by their index.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    afterimage_capture::fuzz(bytes);
});
