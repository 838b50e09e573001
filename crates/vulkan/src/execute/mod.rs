//! What each packet does. Each file holds one part of the stream, as methods of [`crate::renderer::Renderer`], which has the parts that
//! they need.

pub(crate) mod apply;
pub(crate) mod bindings;
pub(crate) mod cache;
pub(crate) mod clear;
pub(crate) mod compute;
pub(crate) mod copy;
pub(crate) mod draw;
pub(crate) mod dynamic;
mod executor;
#[cfg(unix)]
mod export;
pub(crate) mod feedback;
pub(crate) mod flat;
mod frames;
pub(crate) mod hud;
pub(crate) mod labels;
pub(crate) mod merge;
pub(crate) mod objects;
pub(crate) mod order;
pub(crate) mod overlay;
pub(crate) mod predict;
pub(crate) mod present;
pub(crate) mod query;
pub(crate) mod readback;
pub(crate) mod record;
pub(crate) mod samples;
pub(crate) mod shared;
pub(crate) mod signed_blend;
pub(crate) mod stages;
pub(crate) mod stats;
pub(crate) mod storage;
pub(crate) mod swapchain;
pub(crate) mod targets;
pub(crate) mod texture_tables;
pub(crate) mod upload;
pub(crate) mod variants;
pub(crate) mod vertices;
pub(crate) mod watch;
