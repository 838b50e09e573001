//! The GNM guest: driver calls to PM4, the command processor, its translation to the stream, captures.
#![forbid(unsafe_code)]
