//! What can go wrong between a stream and Metal.

use afterimage_metal_calls::Fault;
use afterimage_stream::Budget;

/// Why the renderer cannot start, why a packet is not executed, or why the renderer cannot go on.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// An object that Metal does not make.
    #[error(transparent)]
    Metal(#[from] afterimage_metal_calls::Error),
    /// The device is gone, and everything on it.
    #[error("the Metal device was lost: {0}")]
    DeviceLost(Fault),
    /// The watchdog has no thread.
    #[error("no thread for the watchdog of this process: {0}")]
    Watchdog(String),
    /// The GPU does not end: seconds, and what it was given.
    #[error("the GPU has not answered for {0} seconds{1}")]
    Hung(u64, String),
    /// The stream asks for more than it may have.
    #[error("{what}: {asked} {} asked for, the budget for {} ({}) is {limit}", budget.row().unit, budget.row().name, budget.row().span)]
    Budget {
        /// What asks for it.
        what: String,
        /// What there is too much of.
        budget: Budget,
        /// How much there would be.
        asked: u64,
        /// How much there may be.
        limit: u64,
    },
    /// What neither Metal nor this renderer has.
    #[error("{device} does not support {what}")]
    Unsupported {
        /// Device name.
        device: String,
        /// What it lacks.
        what: String,
    },
}

/// Result of this crate.
pub type Result<T = ()> = std::result::Result<T, Error>;
