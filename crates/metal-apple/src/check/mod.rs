//! What is checked before Metal is called: plain data in, faults out.
//!
//! Source of the conditions: Apple's documentation and headers, Metal Feature Set Tables, and what Metal says when it ends a process, as users
//! of it report.
#![cfg_attr(not(target_os = "macos"), allow(dead_code, reason = "only tests are here"))]

mod blit;
mod encode;
mod pass;
mod pipeline;
mod resource;
#[cfg(test)]
mod tests;

pub(crate) use blit::{Rows, copy_buffers, copy_textures, fill, mipmaps, region};
pub(crate) use encode::{
    Bound, Draws, Offsets, bind_texture, count, depth_bounds, dispatch, draw, entry, indices, inside, pipeline,
    scissor, viewport,
};
pub(crate) use pass::{Attached, Attachment, Pass, Target, pass};
pub(crate) use pipeline::{Formats, render_pipeline};
pub(crate) use resource::{Texture, buffer, sampler, texture, view};

use afterimage_metal_calls::{Error, Result};

/// Faults of a call, all that there are.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<String>);

impl Faults {
    /// Notes a fault where a condition does not hold.
    pub(crate) fn unless(&mut self, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            self.0.push(text());
        }
    }

    /// Whether there is none.
    pub(crate) fn done(self, what: &'static str) -> Result {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Refused { what, faults: self.0 }) }
    }

    /// The same, in one line.
    pub(crate) fn joined(self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0.join("; ")) }
    }
}

/// Whether something of a size lies inside of so many bytes (or texels).
pub(crate) fn fits(offset: u64, size: u64, length: u64) -> bool {
    offset.checked_add(size).is_some_and(|end| end <= length)
}
