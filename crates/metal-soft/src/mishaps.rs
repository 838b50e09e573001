//! What goes wrong on purpose, for tests: memory that is not there, a GPU that hangs, a device that goes.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use afterimage_metal_calls::{Error, Result};

/// What goes wrong with a [`SoftDevice`](crate::SoftDevice), and when. Nothing, unless said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mishaps {
    /// Buffers and textures for which there is no memory, by the order in which they are asked for, from 0 on.
    pub no_memory: Range<u64>,
    /// Calls after which the device is gone: objects that are made, encoders that begin, command buffers that are committed. What is
    /// committed from there on is not executed, and a fault of the command buffer says so once; nothing more is made.
    pub lost_after: Option<u64>,
    /// Command buffers after which none completes any more.
    pub hangs_after: Option<u64>,
}

/// What becomes of a device.
#[derive(Debug)]
pub(crate) struct Fate {
    mishaps: Mishaps,
    /// Buffers and textures that were asked for.
    memory: AtomicU64,
    calls: AtomicU64,
}

impl Fate {
    pub(crate) fn new(mishaps: Mishaps) -> Self {
        Self { mishaps, memory: AtomicU64::new(0), calls: AtomicU64::new(0) }
    }

    pub(crate) fn mishaps(&self) -> &Mishaps {
        &self.mishaps
    }

    /// Buffers and textures that were asked for, and calls.
    pub(crate) fn counts(&self) -> [u64; 2] {
        [&self.memory, &self.calls].map(|count| count.load(Ordering::Relaxed))
    }

    /// Notes a call. Whether the device is there still.
    pub(crate) fn lives(&self) -> bool {
        let before = self.calls.fetch_add(1, Ordering::Relaxed);
        self.mishaps.lost_after.is_none_or(|after| before < after)
    }

    /// An object is made. Of a device that is gone Metal makes none, and does not say why.
    pub(crate) fn call(&self, what: &str) -> Result {
        if self.lives() { Ok(()) } else { Err(Error::OutOfMemory { what: what.to_owned() }) }
    }

    /// A buffer or texture is made.
    pub(crate) fn memory(&self, what: &str) -> Result {
        self.call(what)?;
        let number = self.memory.fetch_add(1, Ordering::Relaxed);
        if self.mishaps.no_memory.contains(&number) {
            return Err(Error::OutOfMemory { what: what.to_owned() });
        }
        Ok(())
    }
}
