//! What Metal and its validation layer refuse. Each function gives every fault of a call. Sources: Apple's documentation, headers and
//! Feature Set Tables, and messages of the layer as they stand in public issues of projects that ran into them.

mod blit;
mod draw;
mod pass;
mod pipeline;
mod resource;

pub(crate) use blit::{copy_buffer, copy_buffer_texture, copy_texture, fill_buffer, generate_mipmaps};
pub(crate) use draw::{dispatch, draw};
pub(crate) use pass::{pass, pipeline_in_pass};
pub(crate) use pipeline::{compute_pipeline, function, render_pipeline};
pub(crate) use resource::{buffer, contents, sampler, texture, view};

/// Collects the faults of a call.
#[derive(Debug, Default)]
pub(crate) struct Faults(pub(crate) Vec<String>);

impl Faults {
    /// What must hold, and what is said if it does not.
    pub(crate) fn must(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.0.push(otherwise());
        }
    }
}
