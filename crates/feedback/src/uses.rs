//! What a lowered shader has to be given: the numbers of one shader, where the [blocks](crate::block) are those of every shader.

use crate::lowering::AttributeSource;
use afterimage_ir::{FEEDBACK_BUFFERS, FeedbackDecl, Module, OutputAt, Stage};
use afterimage_passes::feedback::{Form, streams, strides};
use afterimage_shader_spirv::io::{BlockUse, TextureUse};

/// A captured output, or some of its components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedbackUse {
    /// The output.
    pub at: OutputAt,
    /// First component.
    pub component: u8,
    /// Number of components of 4 bytes.
    pub lanes: u8,
    /// Buffer.
    pub buffer: u8,
    /// Stream of vertices.
    pub stream: u8,
    /// Byte in the captured vertex.
    pub offset: u32,
}

/// What a lowered shader has to be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uses {
    /// What it is.
    pub form: Form,
    /// Its stage.
    pub stage: Stage,
    /// Byte of the push constants where the device address of the [`Draw`](crate::block::Draw) lies (8 bytes).
    pub push: u32,
    /// Whether it is of a geometry shader: it is dispatched as one work group, and reads [`Draw::request`](crate::block::Draw::request).
    /// docs/transform-feedback.md says what differs.
    pub geometry: bool,
    /// Vertex buffers that it reads: those of the attributes, sorted by location.
    pub attributes: Vec<AttributeSource>,
    /// What it captures.
    pub captures: Vec<FeedbackUse>,
    /// Bytes of a captured vertex in each buffer, for [`Request::strides`](crate::block::Request::strides); 0 where nothing is captured.
    pub strides: [u32; FEEDBACK_BUFFERS as usize],
    /// Stream that each buffer captures.
    pub streams: [u8; FEEDBACK_BUFFERS as usize],
    /// Its own uniform blocks and push constants.
    pub blocks: Vec<BlockUse>,
    /// Its own textures.
    pub textures: Vec<TextureUse>,
    /// Numbers of specialisation constants that keep their default, because the length of an array depends on them or they have 64
    /// bits. All others can be set as in the original.
    pub frozen: Vec<u32>,
}

impl Uses {
    pub(crate) fn of(vertex: &Module, lowered: &Module, form: Form) -> Self {
        let capture = |c: &FeedbackDecl| FeedbackUse {
            at: vertex.outputs[c.output.index()].at,
            component: c.component,
            lanes: c.lanes,
            buffer: c.buffer,
            stream: c.stream,
            offset: c.offset,
        };
        let mut captures: Vec<_> = vertex.feedback.iter().map(capture).collect();
        captures.sort_by_key(|c| (c.buffer, c.offset));
        Self {
            form,
            stage: lowered.stage,
            push: 0,
            geometry: false,
            attributes: Vec::new(),
            captures,
            strides: strides(vertex),
            streams: streams(vertex),
            blocks: Vec::new(),
            textures: Vec::new(),
            frozen: Vec::new(),
        }
    }

    /// Slots of the vertex buffers that are read, by rising number.
    pub fn slots(&self) -> Vec<u8> {
        let mut slots: Vec<u8> = self.attributes.iter().map(|a| a.slot).collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// Bytes of a vertex in a slot, if it has no more than what is read.
    pub fn least_stride(&self, slot: u8) -> u32 {
        let end = |a: &AttributeSource| a.offset + a.format.fetch().bytes();
        self.attributes.iter().filter(|a| a.slot == slot).map(end).max().unwrap_or(0)
    }
}
