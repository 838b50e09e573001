//! What transform feedback records of a shader's outputs, and where: the layout of a captured vertex.

use crate::entity::Output;
use crate::error::{VerifyError, fail};
use crate::module::{Module, OutputAt, Stage};
use crate::types::Kind;

/// Buffers that are captured into.
pub const FEEDBACK_BUFFERS: u8 = afterimage_abi::slots::FEEDBACK_BUFFERS as u8;
/// Streams of vertices; a vertex shader has the first alone.
pub const FEEDBACK_STREAMS: u8 = 4;
/// Most bytes of a captured vertex in a buffer: as much as Vulkan's devices take.
pub const MAX_FEEDBACK_STRIDE: u32 = 2048;

/// Some components of an output that are captured. A 64-bit number is two components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FeedbackDecl {
    /// The output.
    pub output: Output,
    /// First component that is captured.
    pub component: u8,
    /// Number of components, one after the other.
    pub lanes: u8,
    /// Buffer, below [`FEEDBACK_BUFFERS`].
    pub buffer: u8,
    /// Stream of vertices that goes into the buffer, below [`FEEDBACK_STREAMS`].
    pub stream: u8,
    /// Bytes from vertex to vertex in the buffer: the same for all that goes there, a multiple of 4, at most [`MAX_FEEDBACK_STRIDE`].
    pub stride: u32,
    /// Byte of the first component in the vertex, a multiple of 4. Bytes that nothing is captured to keep what they hold.
    pub offset: u32,
}

/// Components of an output that are captured, as the outside sees them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FeedbackUse {
    /// Where the output goes besides.
    pub at: OutputAt,
    /// First component that is captured.
    pub component: u8,
    /// Number of components.
    pub lanes: u8,
    /// Buffer.
    pub buffer: u8,
    /// Stream of vertices.
    pub stream: u8,
    /// Bytes from vertex to vertex in the buffer.
    pub stride: u32,
    /// Byte of the first component in the vertex.
    pub offset: u32,
}

impl FeedbackDecl {
    /// What it is to the outside of `m`.
    pub(crate) fn in_use(&self, m: &Module) -> FeedbackUse {
        let Self { output, component, lanes, buffer, stream, stride, offset } = *self;
        FeedbackUse { at: m.outputs[output.index()].at, component, lanes, buffer, stream, stride, offset }
    }

    /// The bytes of the vertex.
    fn bytes(&self) -> std::ops::Range<u64> {
        u64::from(self.offset)..u64::from(self.offset) + 4 * u64::from(self.lanes)
    }
}

/// The rules of feedback.
pub(crate) fn verify_feedback(m: &Module) -> Result<(), VerifyError> {
    // As many words as all buffers have room for, so that what is compared with each other is little.
    let most = usize::from(FEEDBACK_BUFFERS) * MAX_FEEDBACK_STRIDE as usize / 4;
    if m.feedback.len() > most {
        return fail("module", format!("more than {most} feedback outputs"));
    }
    if !matches!(m.stage, Stage::Vertex | Stage::Geometry) && !m.feedback.is_empty() {
        return fail("module", format!("the {} stage has no transform feedback", m.stage.name()));
    }
    for (i, c) in m.feedback.iter().enumerate() {
        let Some(decl) = m.outputs.get(c.output.index()) else { return fail(c.output, "captured, but not declared") };
        let place = format!("feedback of {}", c.output);
        if c.lanes == 0 || u16::from(c.component) + u16::from(c.lanes) > decl.ty.lanes.into() {
            return fail(place, "its component is not there");
        }
        if decl.ty.kind == Kind::Bool {
            return fail(place, "truth values cannot be captured");
        }
        if c.buffer >= FEEDBACK_BUFFERS || c.stream >= FEEDBACK_STREAMS {
            return fail(place, format!("there are {FEEDBACK_BUFFERS} buffers and {FEEDBACK_STREAMS} streams"));
        }
        if c.stream != 0 && m.stage != Stage::Geometry {
            return fail(place, "a vertex shader has one stream");
        }
        if c.stride > MAX_FEEDBACK_STRIDE || !c.stride.is_multiple_of(4) || !c.offset.is_multiple_of(4) {
            return fail(place, format!("a vertex has up to {MAX_FEEDBACK_STRIDE} bytes, in fours"));
        }
        if c.bytes().end > c.stride.into() {
            return fail(place, "goes beyond the vertex");
        }
        for other in &m.feedback[..i] {
            if other.buffer == c.buffer && (other.stride, other.stream) != (c.stride, c.stream) {
                return fail(place, format!("buffer {} has one stride and one stream", c.buffer));
            }
            if other.output == c.output && other.stream != c.stream {
                return fail(place, "an output is captured in one stream");
            }
            let (a, b) = (other.bytes(), c.bytes());
            if other.buffer == c.buffer && a.start < b.end && b.start < a.end {
                return fail(place, format!("bytes from {} on are captured twice", a.start.max(b.start)));
            }
        }
    }
    Ok(())
}
