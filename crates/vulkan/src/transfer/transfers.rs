//! What is copied, counted and read back.

use crate::device::gpu::Gpu;
use crate::transfer::query::{GuestQuery, Queries};
use crate::transfer::readback::ReadBacks;
use crate::transfer::samples::pipelines::Movers;
use afterimage_render::table::Table;
use std::sync::Arc;

/// Queries and read backs that somebody waits for, and what moves samples.
pub(crate) struct Transfers {
    pub(crate) guest_queries: Table<GuestQuery>,
    pub(crate) queries: Queries,
    pub(crate) readbacks: ReadBacks,
    /// Where samples of multisampled textures were read or written.
    pub(crate) movers: Option<Box<Movers>>,
}

impl Transfers {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Self {
        Self {
            guest_queries: Table::default(),
            queries: Queries::new(gpu),
            readbacks: ReadBacks::default(),
            movers: None,
        }
    }
}
