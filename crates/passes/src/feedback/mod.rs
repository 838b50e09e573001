//! Transform feedback without hardware for it: a vertex shader with captures becomes a shader that stores them.
//!
//! * [`lower`] makes that shader, in one of two [forms](Form). Of a [`Form::Gather`] invocation `g` is captured vertex `g` of the draw: it
//!   finds its primitive, the vertex that the primitive records there, runs the shader's code for that vertex, and stores. Of a
//!   [`Form::Scatter`] an invocation is a vertex of the draw, and stores for every primitive that records it.
//! * What differs from draw to draw is in memory, in a [`block::Draw`]: the topology too, as a row of the [`table`], so one shader
//!   serves all of them.
//! * [`plan`] fills that block where the host knows the draw's numbers. [`prepare`] is a shader that fills it where only the device does:
//!   indirect draws, draws of as many vertices as were captured, capacity left by those, and restarts among indices.
//! * [`lower_geometry`] does the same for a geometry shader with the vertex shader in front of it.
//! * [`draw_geometry`] draws what a geometry shader emits where there is no such stage: a compute shader stores it, a vertex shader reads it.
//!   [`draw_made`] does so with a geometry shader of our own, for primitives that a device lacks.
//! * Vertex attributes are read from memory by the shader itself, as [`Fetch`] says.

pub mod block;
mod code;
mod fetch;
mod geometry;
mod lower;
mod plan;
mod prepare;
pub mod table;

pub use fetch::{Fetch, Layout, Number};
pub use geometry::{Drawing, Drawn, Emits, Lines, Made, draw_geometry, draw_made, lower_geometry, takes};
pub use lower::lower;
pub use plan::{Plan, plan, plan_list};
pub use prepare::prepare;

use afterimage_ir::{Module, VerifyError};
use block::BUFFERS;

/// Whether vertices are pulled or pushed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Form {
    /// A compute shader, an invocation per captured vertex, in groups of [`block::GROUP`] as [`Plan::groups`] says. Nothing waits for
    /// anything, at the price of running the vertex shader up to three times for a vertex.
    #[default]
    Gather,
    /// A vertex shader, an invocation per vertex: a draw without indices of [`block::Draw::vertices`] vertices from 0 on, and of the
    /// instances from 0 on, whose fixed functions do nothing. Each vertex runs once, but the hub of a fan stores for every primitive.
    Scatter,
}

/// How often an attribute advances.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// With each vertex.
    Vertex,
    /// Once per so many instances; with 0 never, so that all have the first instance's.
    Instance(u32),
}

/// A vertex attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    /// Location of the input that it feeds; of 64-bit formats with more than two components the next one too.
    pub location: u8,
    /// Number of its buffer in [`block::Draw::vertex_buffers`], or [`Attribute::DEFAULT`].
    pub slot: u8,
    /// Its format.
    pub fetch: Fetch,
    /// Bytes from the start of the vertex.
    pub offset: u32,
    /// How often it advances.
    pub step: Step,
}

impl Attribute {
    /// A `slot` without a buffer: reads (0, 0, 0, 1).
    pub const DEFAULT: u8 = 0xff;
}

/// Choices of [`lower`].
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// The form of what comes out.
    pub form: Form,
    /// Attributes of the inputs that the shader reads. Others do no harm.
    pub attributes: Vec<Attribute>,
}

/// Why a shader cannot be lowered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FeedbackError {
    /// It is no vertex shader.
    #[error("a {0} shader; only a vertex shader's outputs can be captured")]
    Stage(&'static str),
    /// It captures nothing.
    #[error("the shader declares no output that is captured")]
    NoFeedback,
    /// It captures into a stream that vertex shaders do not have.
    #[error("feedback into stream {0}; a vertex shader has only stream 0")]
    Stream(u8),
    /// It reads an input that only hardware has.
    #[error("the shader reads {0}, which only a draw through the hardware has")]
    Input(String),
    /// It reads an input that no attribute feeds.
    #[error("input location {0} is read, but there is no attribute for it")]
    MissingAttribute(u8),
    /// An attribute that cannot be.
    #[error("the attribute at location {location}: {reason}")]
    BadAttribute {
        /// Its location.
        location: u8,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// It does what may not be done as often as a lowered shader runs, or in another stage.
    #[error(
        "`{0}` in a vertex shader that is lowered: it would happen more than once for a vertex, or mean something else"
    )]
    SideEffect(&'static str),
    /// It has a bank of system values: it is lowered already.
    #[error("the shader reads system values of lowered feedback: it has been lowered before")]
    Lowered,
    /// What comes out is not a module.
    #[error("the lowered shader is beyond what the IR allows: {0}")]
    Limit(String),
}

impl From<VerifyError> for FeedbackError {
    fn from(error: VerifyError) -> Self {
        FeedbackError::Limit(error.to_string())
    }
}

impl From<afterimage_ir::BuildError> for FeedbackError {
    fn from(error: afterimage_ir::BuildError) -> Self {
        FeedbackError::Limit(error.to_string())
    }
}

/// Bytes of a captured vertex in each buffer: [`block::Request::strides`]. 0 for buffers that are not captured into.
pub fn strides(module: &Module) -> [u32; BUFFERS] {
    let mut strides = [0; BUFFERS];
    for capture in &module.feedback {
        if let Some(stride) = strides.get_mut(usize::from(capture.buffer)) {
            *stride = capture.stride;
        }
    }
    strides
}

/// The stream of vertices that goes into each buffer; 0 for buffers that are not captured into.
pub fn streams(module: &Module) -> [u8; BUFFERS] {
    let mut streams = [0; BUFFERS];
    for capture in &module.feedback {
        if let Some(stream) = streams.get_mut(usize::from(capture.buffer)) {
            *stream = capture.stream;
        }
    }
    streams
}
