//! What copies need: how texels lie in memory, samples as words, queries and read backs that are waited for.

pub(crate) mod depth;
pub(crate) mod flat;
pub(crate) mod query;
pub(crate) mod readback;
pub(crate) mod samples;
pub(crate) mod transfers;
