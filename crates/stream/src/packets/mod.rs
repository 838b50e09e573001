//! Every packet of the stream. One row of `packet_table!` is the whole truth of a packet: number, name, body, tail, and which call it
//! is, if it is one.
//! `docs/adding.md` shows how to add one.
//!
//! Small enumerations travel as their number in one byte; the [`crate::Validator`] has checked every number before an
//! executor reads it, so `Compare::of(byte)` and its like may fall back to the first value without being wrong.

mod bindings;
mod calls;
pub(crate) mod check;
mod commands;
mod effects;
mod enums;
mod frame;
mod objects;
mod state;

pub use bindings::*;
pub use calls::CallKind;
pub use commands::*;
pub use effects::{Effect, Extent, Part};
pub use enums::*;
pub use frame::*;
pub use objects::*;
pub use state::*;

use bytemuck::{Pod, Zeroable};

/// The eight bytes before every packet's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Header {
    /// The packet's [`Kind`].
    pub kind: u16,
    /// Size of the whole packet, this header included, in units of eight bytes.
    pub units: u16,
    /// One more (wrapping) than the packet before.
    pub sequence: u32,
}

/// A body without a tail.
pub trait Body: Pod {
    /// The packet's row.
    const KIND: Kind;
}

/// A body followed by `count` elements.
pub trait TailBody: Pod {
    /// The packet's row.
    const KIND: Kind;
    /// One element of the tail.
    type Tail: Pod;
    /// Number of elements, from the body's `count` field.
    fn count(&self) -> usize;
}

macro_rules! packet_table {
    ($( $(#[$doc:meta])* $number:literal $name:ident $([$tail:ty])? : $call:tt; )*) => {
        /// The kinds of packets, by number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Kind { $( $(#[$doc])* $name = $number ),* }

        impl Kind {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [Self] = &[ $( Self::$name ),* ];

            /// The kind with this number.
            #[must_use]
            #[inline(always)]
            pub const fn from_bits(bits: u16) -> Option<Self> {
                match bits { $( $number => Some(Self::$name), )* _ => None }
            }

            /// The packet's name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$name => stringify!($name), )* }
            }

            /// What packets of this kind do, if they are calls.
            #[must_use]
            pub const fn call(self) -> Option<CallKind> {
                match self { $( Self::$name => packet_table!(@call $call), )* }
            }

            /// Bytes of the body, without header and tail.
            #[must_use]
            #[inline]
            pub const fn body_bytes(self) -> usize {
                match self { $( Self::$name => size_of::<$name>(), )* }
            }
        }

        /// A decoded packet, borrowing from the batch.
        #[derive(Clone, Copy, Debug)]
        pub enum Packet<'a> { $( $(#[$doc])* $name(&'a $name $(, &'a [$tail])?) ),* }

        impl<'a> Packet<'a> {
            /// Splits the words after a header into body and tail. `Err` is the number of words the body and its
            /// count ask for.
            #[inline(always)]
            pub(crate) fn decode(kind: Kind, words: &'a [u64]) -> Result<Self, usize> {
                match kind {
                    $( Kind::$name => packet_table!(@decode $name words $($tail)?), )*
                }
            }

            /// Which row this packet belongs to.
            #[must_use]
            pub const fn kind(&self) -> Kind {
                match self { $( Self::$name(..) => Kind::$name, )* }
            }
        }

        $( packet_table!(@body $name $($tail)?); )*
    };
    (@call -) => { None };
    (@call $call:ident) => { Some(CallKind::$call) };
    (@decode $name:ident $words:ident) => {{
        const WORDS: usize = size_of::<$name>() / 8;
        if $words.len() != WORDS { return Err(WORDS); }
        Ok(Packet::$name(&bytemuck::cast_slice::<u64, $name>($words)[0]))
    }};
    (@decode $name:ident $words:ident $tail:ty) => {{
        const WORDS: usize = size_of::<$name>() / 8;
        if $words.len() < WORDS { return Err(WORDS); }
        let (body, tail) = $words.split_at(WORDS);
        let body: &$name = &bytemuck::cast_slice::<u64, $name>(body)[0];
        let bytes = TailBody::count(body).saturating_mul(size_of::<$tail>());
        if tail.len() != bytes.div_ceil(8) { return Err(WORDS + bytes.div_ceil(8)); }
        let tail: &[u8] = &bytemuck::cast_slice::<u64, u8>(tail)[..bytes];
        Ok(Packet::$name(body, bytemuck::cast_slice(tail)))
    }};
    (@body $name:ident) => {
        impl Body for $name { const KIND: Kind = Kind::$name; }
        const _: () = assert!(size_of::<$name>() % 8 == 0 && align_of::<$name>() == 8);
    };
    (@body $name:ident $tail:ty) => {
        impl TailBody for $name {
            const KIND: Kind = Kind::$name;
            type Tail = $tail;
            fn count(&self) -> usize { self.count as usize }
        }
        const _: () = assert!(size_of::<$name>() % 8 == 0 && align_of::<$name>() == 8);
    };
}

packet_table! {
    /// First packet of a stream: who sends it.
    0x01 Init [u8]: -;
    /// A frame starts.
    0x02 BeginFrame: -;
    /// A frame is complete: show a texture on a target.
    0x03 Present: Present;
    /// Gives a debug name to an object.
    0x04 Name [u8]: -;
    /// A marker of the guest, for captures and graphics debuggers.
    0x05 Marker [u8]: -;
    /// Declares or changes a present target.
    0x06 PresentTarget: -;
    /// Asks for figures over the pictures that are shown.
    0x07 Overlay: -;
    /// Sets how a present target's pictures are changed on their way to its window.
    0x08 SetGamma [u16]: -;
    /// What the guest's state tracking did since it last said so, for people.
    0x09 StateFigures: -;

    /// Creates a buffer; its bytes are undefined.
    0x10 CreateBuffer: -;
    /// Creates a texture; its texels are zero.
    0x11 CreateTexture: -;
    /// Creates a sampler.
    0x12 CreateSampler: -;
    /// Creates a shader from guest code.
    0x13 CreateShader: -;
    /// Creates a vertex input layout.
    0x14 CreateVertexInput [VertexAttribute]: -;
    /// Creates a query.
    0x15 CreateQuery: -;
    /// Creates a texture that shows a part of another's texels, perhaps in another format.
    0x16 CreateView: -;
    /// Creates a table of textures and samplers, without any.
    0x17 CreateTable: -;
    /// Destroys an object of any kind. The guest must have unbound it.
    0x1f Destroy: -;

    /// Replaces bytes of a buffer.
    0x20 UpdateBuffer: -;
    /// Replaces a box of texels.
    0x21 UpdateTexture: -;
    /// Fills mip levels from the level above.
    0x22 GenerateMips: Copy;
    /// Replaces entries of a table of textures.
    0x23 UpdateTable [TableEntry]: -;

    /// Binds colour and depth-stencil targets.
    0x30 SetRenderTargets: -;
    /// Sets the viewport.
    0x31 SetViewport: -;
    /// Sets the scissor rectangle.
    0x32 SetScissor: -;
    /// Sets the rasteriser.
    0x33 SetRaster: -;
    /// Sets depth and stencil tests.
    0x34 SetDepthStencil: -;
    /// Sets blending and write masks.
    0x35 SetBlend [BlendTarget]: -;
    /// Sets what is done to the pixel shader's result.
    0x36 SetPixelOps: -;
    /// Binds the vertex input layout.
    0x37 SetVertexInput: -;
    /// Binds vertex buffers.
    0x38 SetVertexBuffers [VertexBuffer]: -;
    /// Binds the index buffer.
    0x39 SetIndexBuffer: -;
    /// Binds the shaders.
    0x3a SetShaders: -;
    /// Binds textures and samplers.
    0x3b SetTextures [TextureBinding]: -;
    /// Writes registers of a constant bank.
    0x3c SetConstants [[u32; 4]]: -;
    /// Binds buffers that a stage's shader reads and writes by address.
    0x3d SetStorage [StorageBinding]: -;
    /// Binds textures that a stage's shader reads and writes by texel.
    0x3e SetStorageImages [StorageImage]: -;
    /// Binds buffers that captures write.
    0x41 SetFeedbackBuffers [FeedbackBuffer]: -;
    /// Sets what stored depths must lie between.
    0x42 SetDepthBounds: -;
    /// Sets viewports beside the first, each with a scissor rectangle.
    0x43 SetViewports [FurtherViewport]: -;

    /// Clears rectangles of the bound targets.
    0x50 Clear [Rect]: Clear;
    /// Draws vertices.
    0x51 Draw: Draw;
    /// Draws indexed vertices.
    0x52 DrawIndexed: Draw;
    /// Runs a compute shader.
    0x53 Dispatch: Dispatch;
    /// Starts to write what the shaders of draws capture into the capture buffers.
    0x54 BeginFeedback: Query;
    /// Ends that.
    0x55 EndFeedback: Query;
    /// Draws what a buffer says.
    0x56 DrawIndirect: Draw;
    /// Draws as many vertices as were captured.
    0x57 DrawByteCount: Draw;

    /// Copies, scales or resolves a rectangle between textures.
    0x60 Blit: Copy;
    /// Starts a query.
    0x61 BeginQuery: Query;
    /// Ends a query; answered by [`crate::Reply::Query`].
    0x62 EndQuery: Query;
    /// Copies texels into the upload arena; answered by [`crate::Reply::ReadBack`].
    0x63 ReadBack: Copy;
    /// Copies bytes between buffers, or inside of one.
    0x64 CopyBuffer: Copy;
    /// Fills a range of a buffer.
    0x65 FillBuffer: Copy;
    /// Copies bytes of a buffer into the upload arena; answered by [`crate::Reply::ReadBack`].
    0x66 ReadBuffer: Copy;
    /// Replaces a box of texels by bytes of a buffer.
    0x67 CopyToTexture: Copy;
    /// Copies a box of texels into a buffer.
    0x68 CopyFromTexture: Copy;
}
