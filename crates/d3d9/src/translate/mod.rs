//! Dirty groups to packets.
