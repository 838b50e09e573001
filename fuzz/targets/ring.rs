//! The shared memory as a hostile program would leave it: header, slots, ring, replies.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    afterimage_ipc::shared::fuzz_ring(bytes);
});
