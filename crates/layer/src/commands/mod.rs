//! Commands that can stand in a render pass.
//!
//! * [`rows`]: every one of them, a row each.
//! * [`table`]: those of what stands below.
//! * [`list`]: those that are kept until their render pass ends.

pub(crate) mod list;
pub(crate) mod rows;
pub(crate) mod table;

pub(crate) use list::List;
pub(crate) use table::Commands;
