//! The command stream: packets, object ids, upload references, validator, state snapshot, replay hash.
#![forbid(unsafe_code)]
