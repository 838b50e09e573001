//! From registers to packets of the stream.
