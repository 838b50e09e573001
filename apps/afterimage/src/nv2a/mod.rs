//! Recordings of NV2A work: what is in them, and the pictures that come out.

mod inspect;

pub(crate) use inspect::{Args as InspectArgs, inspect};
