//! What crosses the border to C, as tables: the structs of this file, and the blocks of `afterimage_feedback::block`.

use afterimage_feedback::block::{BLOCKS, Block, Field};
use std::ffi::c_char;

/// Declares a struct once: for Rust, and as a table for the header and its test.
macro_rules! shared {
    ($(#[doc = $about:literal])* $name:ident, $table:ident {
        $($(#[doc = $meaning:literal])* $field:ident: $ty:ty,)*
    }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub struct $name {
            $($(#[doc = $meaning])* pub $field: $ty,)*
        }

        #[doc = concat!("The fields of [`", stringify!($name), "`].")]
        pub const $table: Block = Block {
            name: stringify!($name),
            about: concat!($($about),*),
            size: size_of::<$name>(),
            fields: &[$(Field {
                name: stringify!($field),
                ty: stringify!($ty),
                offset: std::mem::offset_of!($name, $field),
                size: size_of::<$ty>(),
                about: concat!($($meaning),*),
            }),*],
        };
    };
}

shared! {
    /// Where a vertex attribute is read.
    Attribute, ATTRIBUTE {
        /// Location of the input.
        location: u32,
        /// Number of the vertex buffer in `AfterimageFeedbackDraw.vertex_buffers`, below 32.
        slot: u32,
        /// `VkFormat`.
        format: u32,
        /// Byte in the vertex.
        offset: u32,
        /// 0: each vertex has its own; 1: each instance, as `divisor` says. (`VkVertexInputRate`.)
        rate: u32,
        /// With `rate` 1, instances after which the next is read; 0 for never.
        divisor: u32,
    }
}

shared! {
    /// An output, or some of its components, that is captured.
    Capture, CAPTURE {
        /// Location of the output, or one of AFTERIMAGE_FEEDBACK_POSITION, _POINT_SIZE, _CLIP and _CLIP4.
        what: u32,
        /// First component.
        component: u32,
        /// Number of components of 4 bytes; 0 for all of them.
        components: u32,
        /// Buffer, 0 to 3.
        buffer: u32,
        /// Byte in the captured vertex; AFTERIMAGE_FEEDBACK_NEXT for behind the capture before it in its buffer.
        offset: u32,
    }
}

shared! {
    /// How a shader is lowered. All zeros are good defaults.
    Options, OPTIONS {
        /// 0: AFTERIMAGE_FEEDBACK_GATHER, a compute shader. 1: AFTERIMAGE_FEEDBACK_SCATTER, a vertex shader.
        form: u32,
        /// Provoking vertex of the strips that a geometry shader gives: 0 first, 1 last.
        provoking: u32,
        /// Byte of the push constants, a multiple of 8, where the address of the system values shall be; 0 for behind the shader's own.
        push: u32,
        /// Name of the vertex shader's entry point; NULL for the only one.
        entry: *const c_char,
        /// SPIR-V of a geometry shader behind the vertex shader, whose outputs are then captured; NULL for none.
        geometry: *const u32,
        /// Its words.
        geometry_words: usize,
        /// Attributes; inputs without one are read as the shader declares them, from the slot of their location's number.
        attributes: *const Attribute,
        /// Number of them.
        attribute_count: usize,
        /// Captures, in place of those that the shader's decorations ask for; NULL to take these.
        captures: *const Capture,
        /// Number of them.
        capture_count: usize,
        /// With `captures`, bytes between the vertices in each buffer; 0 for no more than they need.
        strides: [u32; 4],
    }
}

shared! {
    /// What a lowered shader has to be given.
    Uses, USES {
        /// `VkShaderStageFlagBits`: compute (0x20) of AFTERIMAGE_FEEDBACK_GATHER, vertex (1) of AFTERIMAGE_FEEDBACK_SCATTER.
        stage: u32,
        /// 1 of a geometry shader, which is dispatched as one work group and reads `AfterimageFeedbackDraw.request`.
        geometry: u32,
        /// Byte of the push constants where the device address of an AfterimageFeedbackDraw lies (8 bytes).
        push: u32,
        /// Bit per vertex buffer that is read.
        slots: u32,
        /// Bytes of a captured vertex in each buffer, for `AfterimageFeedbackRequest.strides`; 0 where nothing is captured.
        strides: [u32; 4],
        /// Stream that each buffer captures.
        streams: [u32; 4],
    }
}

/// Every struct of the header, each behind those that it holds.
pub fn all() -> impl Iterator<Item = Block> {
    BLOCKS.into_iter().chain([ATTRIBUTE, CAPTURE, OPTIONS, USES])
}

/// A constant of the header.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Name without `AFTERIMAGE_FEEDBACK_`.
    pub name: &'static str,
    /// Value.
    pub value: u32,
    /// What it is.
    pub about: &'static str,
}

macro_rules! constants {
    ($($(#[doc = $about:literal])* $name:ident = $value:expr;)*) => {
        $($(#[doc = $about])* pub const $name: u32 = $value;)*

        /// Every constant of the header.
        pub const CONSTANTS: &[Constant] = &[$(Constant { name: stringify!($name), value: $name, about: concat!($($about),*) }),*];
    };
}

constants! {
    /// Form: a compute shader, an invocation for each captured vertex.
    GATHER = 0;
    /// Form: a vertex shader, an invocation for each vertex.
    SCATTER = 1;
    /// `AfterimageFeedbackCapture.what`: gl_Position.
    POSITION = 0x100;
    /// `AfterimageFeedbackCapture.what`: gl_PointSize.
    POINT_SIZE = 0x101;
    /// `AfterimageFeedbackCapture.what`: gl_ClipDistance, 0 to 3.
    CLIP = 0x102;
    /// `AfterimageFeedbackCapture.what`: gl_ClipDistance, 4 to 7.
    CLIP4 = 0x103;
    /// `AfterimageFeedbackCapture.offset`: behind the capture before it in its buffer.
    NEXT = u32::MAX;
    /// Result: done.
    OK = 0;
    /// Result: an argument is wrong.
    ARGUMENT = 1;
    /// Result: the words are no SPIR-V.
    SPIRV = 2;
    /// Result: the shader has what is not covered, or captures nothing, or options do not fit it.
    REFUSED = 3;
    /// Result: a bug of Afterimage.
    BUG = 4;
    /// `AfterimageFeedbackRequest.kind`: the draw's parameters are in the request.
    DIRECT = 0;
    /// `AfterimageFeedbackRequest.kind`: they are at `arguments`, a VkDrawIndirectCommand, or a VkDrawIndexedIndirectCommand where there
    /// are indices.
    INDIRECT = 1;
    /// `AfterimageFeedbackRequest.kind`: at `arguments` is a number of bytes that a capture has written; the vertices are those less
    /// `counter_offset` (at least none), divided by `counter_stride`.
    BYTE_COUNT = 2;
    /// Lanes of a work group.
    GROUP = afterimage_feedback::block::GROUP;
}
