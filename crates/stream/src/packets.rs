//! Every packet of the stream. One row of [`packet_table!`] is the whole truth of a packet: number, name, body, tail.
//! `docs/adding.md` shows how to add one.
//!
//! Small enumerations travel as their number in one byte; the [`crate::Validator`] has checked every number before an
//! executor reads it, so `Compare::of(byte)` and its like may fall back to the first value without being wrong.

use crate::{ObjectId, UploadRef};
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
    ($( $(#[$doc:meta])* $number:literal $name:ident $([$tail:ty])? ; )*) => {
        /// The kinds of packets, by number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Kind { $( $(#[$doc])* $name = $number ),* }

        impl Kind {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [Self] = &[ $( Self::$name ),* ];

            /// The kind with this number.
            #[must_use]
            #[inline]
            pub const fn from_bits(bits: u16) -> Option<Self> {
                match bits { $( $number => Some(Self::$name), )* _ => None }
            }

            /// The packet's name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$name => stringify!($name), )* }
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
            #[inline]
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
    0x01 Init [u8];
    /// A frame starts.
    0x02 BeginFrame;
    /// A frame is complete: show a texture on a target.
    0x03 Present;
    /// Gives a debug name to an object.
    0x04 Name [u8];
    /// A marker of the guest, for captures and graphics debuggers.
    0x05 Marker [u8];
    /// Declares or changes a present target.
    0x06 PresentTarget;

    /// Creates a buffer; its bytes are undefined.
    0x10 CreateBuffer;
    /// Creates a texture; its texels are zero.
    0x11 CreateTexture;
    /// Creates a sampler.
    0x12 CreateSampler;
    /// Creates a shader from guest code.
    0x13 CreateShader;
    /// Creates a vertex input layout.
    0x14 CreateVertexInput [VertexAttribute];
    /// Creates a query.
    0x15 CreateQuery;
    /// Destroys an object of any kind. The guest must have unbound it.
    0x1f Destroy;

    /// Replaces bytes of a buffer.
    0x20 UpdateBuffer;
    /// Replaces a box of texels.
    0x21 UpdateTexture;
    /// Fills mip levels from the level above.
    0x22 GenerateMips;

    /// Binds colour and depth-stencil targets.
    0x30 SetRenderTargets;
    /// Sets the viewport.
    0x31 SetViewport;
    /// Sets the scissor rectangle.
    0x32 SetScissor;
    /// Sets the rasteriser.
    0x33 SetRaster;
    /// Sets depth and stencil tests.
    0x34 SetDepthStencil;
    /// Sets blending and write masks.
    0x35 SetBlend;
    /// Sets what is done to the pixel shader's result.
    0x36 SetPixelOps;
    /// Binds the vertex input layout.
    0x37 SetVertexInput;
    /// Binds vertex buffers.
    0x38 SetVertexBuffers [VertexBuffer];
    /// Binds the index buffer.
    0x39 SetIndexBuffer;
    /// Binds the shaders.
    0x3a SetShaders;
    /// Binds textures and samplers.
    0x3b SetTextures [TextureBinding];
    /// Writes registers of a constant bank.
    0x3c SetConstants [[u32; 4]];

    /// Clears rectangles of the bound targets.
    0x50 Clear [Rect];
    /// Draws vertices.
    0x51 Draw;
    /// Draws indexed vertices.
    0x52 DrawIndexed;

    /// Copies, scales or resolves a rectangle between textures.
    0x60 Blit;
    /// Starts a query.
    0x61 BeginQuery;
    /// Ends a query; answered by [`crate::Reply::Query`].
    0x62 EndQuery;
    /// Copies texels into the upload arena; answered by [`crate::Reply::ReadBack`].
    0x63 ReadBack;
}

macro_rules! packet_enum {
    ($(#[$doc:meta])* $name:ident { $( $(#[$vdoc:meta])* $variant:ident = $number:literal ),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $( $(#[$vdoc])* $variant = $number ),* }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[ $( Self::$variant ),* ];

            /// The value with this number.
            #[must_use]
            #[inline]
            pub const fn from_bits(bits: u8) -> Option<Self> {
                match bits { $( $number => Some(Self::$variant), )* _ => None }
            }

            /// The value with this number, or the first one: for fields that a validator has checked.
            #[must_use]
            #[inline]
            pub const fn of(bits: u8) -> Self {
                match Self::from_bits(bits) { Some(value) => value, None => Self::ALL[0] }
            }
        }
    };
}

packet_enum! {
    /// How vertices form primitives.
    #[allow(missing_docs, reason = "the names say it")]
    Topology { PointList = 0, LineList = 1, LineStrip = 2, TriangleList = 3, TriangleStrip = 4, TriangleFan = 5 }
}
packet_enum! {
    /// Comparison functions: `new OP stored`.
    #[allow(missing_docs, reason = "the names say it")]
    Compare { Never = 0, Less = 1, Equal = 2, LessEqual = 3, Greater = 4, NotEqual = 5, GreaterEqual = 6, Always = 7 }
}
packet_enum! {
    /// What happens to a stencil value.
    #[allow(missing_docs, reason = "the names say it")]
    StencilOp {
        Keep = 0, Zero = 1, Replace = 2, IncrementClamp = 3, DecrementClamp = 4, Invert = 5, IncrementWrap = 6,
        DecrementWrap = 7,
    }
}
packet_enum! {
    /// Blend factors.
    #[allow(missing_docs, reason = "the names say it")]
    BlendFactor {
        Zero = 0, One = 1, SrcColor = 2, OneMinusSrcColor = 3, DstColor = 4, OneMinusDstColor = 5, SrcAlpha = 6,
        OneMinusSrcAlpha = 7, DstAlpha = 8, OneMinusDstAlpha = 9, ConstantColor = 10, OneMinusConstantColor = 11,
        ConstantAlpha = 12, OneMinusConstantAlpha = 13, SrcAlphaSaturate = 14, Src1Color = 15, OneMinusSrc1Color = 16,
        Src1Alpha = 17, OneMinusSrc1Alpha = 18,
    }
}
packet_enum! {
    /// Blend operations.
    #[allow(missing_docs, reason = "the names say it")]
    BlendOp { Add = 0, Subtract = 1, ReverseSubtract = 2, Min = 3, Max = 4 }
}
packet_enum! {
    /// Which faces are dropped, as seen with counter-clockwise front faces where [`SetRaster::front_ccw`] is 1.
    #[allow(missing_docs, reason = "the names say it")]
    Cull { None = 0, Front = 1, Back = 2 }
}
packet_enum! {
    /// How triangles are filled.
    #[allow(missing_docs, reason = "the names say it")]
    Fill { Solid = 0, Line = 1, Point = 2 }
}
packet_enum! {
    /// Dimensions of a texture.
    #[allow(missing_docs, reason = "the names say it")]
    Dimension { D2 = 0, Cube = 1, D3 = 2 }
}
packet_enum! {
    /// Texel filters.
    #[allow(missing_docs, reason = "the names say it")]
    Filter { Nearest = 0, Linear = 1 }
}
packet_enum! {
    /// What happens outside of 0..1.
    #[allow(missing_docs, reason = "the names say it")]
    Address { Repeat = 0, Mirror = 1, ClampToEdge = 2, ClampToBorder = 3, MirrorOnce = 4 }
}
packet_enum! {
    /// A component swizzle: which source channel, or a constant.
    #[allow(missing_docs, reason = "the names say it")]
    Swizzle { Red = 0, Green = 1, Blue = 2, Alpha = 3, Zero = 4, One = 5 }
}
packet_enum! {
    /// Which stage a shader is for.
    #[allow(missing_docs, reason = "the names say it")]
    Stage { Vertex = 0, Pixel = 1 }
}
packet_enum! {
    /// What a query counts.
    QueryKind {
        /// Answers 1 when the GPU has got there.
        Event = 0,
        /// Samples that passed, exact.
        Occlusion = 1,
        /// GPU time in nanoseconds.
        Timestamp = 2,
    }
}
packet_enum! {
    /// What kind of window handle [`PresentTarget::window`] is.
    WindowKind {
        /// None: pictures only.
        Headless = 0,
        /// `HWND` of the guest's process.
        Win32 = 1,
        /// `SDL_Window*` of the guest's process.
        Sdl = 2,
        /// X11 window id.
        X11 = 3,
    }
}
packet_enum! {
    /// Table fog's curve, or none.
    #[allow(missing_docs, reason = "the names say it")]
    FogMode { None = 0, Exp = 1, Exp2 = 2, Linear = 3, Vertex = 4 }
}

/// Body of [`Kind::Init`]; the tail is the program's name, UTF-8.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Init {
    /// [`Init::VERSION`] of the sender.
    pub version: u32,
    /// Bytes of the name.
    pub count: u32,
    /// Process id of the guest.
    pub process: u32,
    /// Guest: 1 Direct3D 9, 2 NV2A, 3 GNM.
    pub guest: u32,
}

impl Init {
    /// Version of the packets in this crate. A receiver refuses any other.
    pub const VERSION: u32 = 1;
}

/// Body of [`Kind::BeginFrame`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct BeginFrame {
    /// Frame number, one more than the last presented.
    pub frame: u64,
}

/// Body of [`Kind::Present`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Present {
    /// Must equal the number of the [`BeginFrame`] it ends.
    pub frame: u64,
    /// A target declared by [`PresentTarget`].
    pub target: ObjectId,
    /// The texture to show (level 0, layer 0).
    pub texture: ObjectId,
    /// Part of the texture in texels; an empty rectangle means all.
    pub src: Rect,
    /// Part of the target in pixels; an empty rectangle means all.
    pub dst: Rect,
    /// Wait for this many vertical blanks; 0 shows at once.
    pub interval: u32,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::Name`]; the tail is the name, UTF-8.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Name {
    /// The object.
    pub id: ObjectId,
    /// Bytes of the name.
    pub count: u32,
}

/// Body of [`Kind::Marker`]; the tail is the text, UTF-8.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Marker {
    /// 0 begins a group, 1 ends one, 2 is a single mark.
    pub action: u32,
    /// Bytes of the text.
    pub count: u32,
}

/// Body of [`Kind::PresentTarget`]. The first one for an id creates it; [`Destroy`] ends it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct PresentTarget {
    /// The target.
    pub id: ObjectId,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// [`WindowKind`].
    pub window_kind: u32,
    /// The window handle.
    pub window: u64,
}

/// Body of [`Kind::CreateBuffer`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateBuffer {
    /// Id to create.
    pub id: ObjectId,
    /// [`CreateBuffer::VERTEX`] and its like.
    pub usage: u32,
    /// Bytes, more than zero.
    pub size: u64,
}

impl CreateBuffer {
    /// Vertices are read from it.
    pub const VERTEX: u32 = 1;
    /// Indices are read from it.
    pub const INDEX: u32 = 2;
    /// Rewritten often, by discard and no-overwrite updates: belongs into memory that the CPU writes and the GPU reads.
    pub const DYNAMIC: u32 = 4;
}

/// Body of [`Kind::CreateTexture`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateTexture {
    /// Id to create.
    pub id: ObjectId,
    /// [`crate::Format`].
    pub format: u32,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Texels; 1 unless [`Dimension::D3`].
    pub depth: u32,
    /// Mip levels, at least 1.
    pub levels: u32,
    /// Layers; 6 for a cube.
    pub layers: u32,
    /// [`Dimension`].
    pub dimension: u8,
    /// Samples per pixel: 1, 2, 4, 8.
    pub samples: u8,
    /// [`CreateTexture::TARGET`] and its like.
    pub usage: u8,
    /// Zero.
    pub pad: u8,
    /// What sampling returns for red, green, blue and alpha: four [`Swizzle`] values.
    pub swizzle: [u8; 4],
    /// Zero.
    pub pad2: u32,
}

impl CreateTexture {
    /// Can be bound as a colour or depth-stencil target (the format says which).
    pub const TARGET: u8 = 1;
    /// Sampling as the format says, without change.
    pub const IDENTITY: [u8; 4] = [0, 1, 2, 3];
}

/// Body of [`Kind::CreateSampler`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateSampler {
    /// Id to create.
    pub id: ObjectId,
    /// [`Filter`] when magnifying.
    pub mag: u8,
    /// [`Filter`] when minifying.
    pub min: u8,
    /// [`Filter`] between mip levels.
    pub mip: u8,
    /// 0: only the most detailed allowed level is used.
    pub mipmapped: u8,
    /// [`Address`] for u, v, w.
    pub address: [u8; 3],
    /// 1: compare with `compare`, for shadow lookups.
    pub compare_enable: u8,
    /// [`Compare`].
    pub compare: u8,
    /// 1: decode sRGB where the format has a twin for it.
    pub srgb: u8,
    /// Zero.
    pub pad: [u8; 2],
    /// Level of detail bias.
    pub lod_bias: f32,
    /// Most detailed level that may be used.
    pub min_lod: f32,
    /// Anisotropy; 1 or less is off.
    pub max_anisotropy: f32,
    /// Border colour, red to alpha.
    pub border: [f32; 4],
    /// Zero.
    pub pad2: u32,
}

/// Body of [`Kind::CreateShader`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateShader {
    /// Id to create.
    pub id: ObjectId,
    /// [`Stage`].
    pub stage: u32,
    /// Which front end reads the code; the numbers are those of `afterimage_shader::Language`.
    pub language: u32,
    /// Zero.
    pub pad: u32,
    /// The guest's code.
    pub code: UploadRef,
}

/// Body of [`Kind::CreateVertexInput`]; the tail is the attributes.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateVertexInput {
    /// Id to create.
    pub id: ObjectId,
    /// Number of attributes, at most 32.
    pub count: u32,
}

/// One attribute of a [`CreateVertexInput`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct VertexAttribute {
    /// Input location in the shader.
    pub location: u8,
    /// Vertex buffer slot, or [`VertexAttribute::DEFAULT`]: no buffer, reads (0, 0, 0, 1).
    pub slot: u8,
    /// [`crate::VertexFormat`].
    pub format: u8,
    /// 1: advances once per [`VertexAttribute::divisor`] instances instead of per vertex.
    pub per_instance: u8,
    /// Bytes from the start of the vertex.
    pub offset: u16,
    /// Instances per step where `per_instance` is 1.
    pub divisor: u16,
}

impl VertexAttribute {
    /// `slot` of an attribute that no buffer feeds.
    pub const DEFAULT: u8 = 0xff;
}

/// Body of [`Kind::CreateQuery`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateQuery {
    /// Id to create.
    pub id: ObjectId,
    /// [`QueryKind`].
    pub kind: u32,
}

/// Body of [`Kind::Destroy`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Destroy {
    /// The object.
    pub id: ObjectId,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::UpdateBuffer`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct UpdateBuffer {
    /// The buffer.
    pub id: ObjectId,
    /// [`UpdateBuffer::DISCARD`] or [`UpdateBuffer::NO_OVERWRITE`] or 0.
    pub flags: u32,
    /// First byte to replace.
    pub offset: u64,
    /// The new bytes.
    pub data: UploadRef,
}

impl UpdateBuffer {
    /// Everything in the buffer before is undefined from here on: the receiver may use other memory.
    pub const DISCARD: u32 = 1;
    /// No draw before this one reads the bytes: the receiver may write in place.
    pub const NO_OVERWRITE: u32 = 2;
}

/// Body of [`Kind::UpdateTexture`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct UpdateTexture {
    /// The texture.
    pub id: ObjectId,
    /// Mip level.
    pub level: u16,
    /// Layer (cube face).
    pub layer: u16,
    /// First texel.
    pub x: u32,
    /// First texel.
    pub y: u32,
    /// First texel.
    pub z: u32,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Texels; 1 unless 3D.
    pub depth: u32,
    /// Bytes from one row of blocks to the next.
    pub row_pitch: u32,
    /// Bytes from one depth slice to the next; ignored where depth is 1.
    pub slice_pitch: u32,
    /// The new texels.
    pub data: UploadRef,
}

/// Body of [`Kind::GenerateMips`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct GenerateMips {
    /// The texture: every level below 0 is made from the one above, in every layer.
    pub id: ObjectId,
    /// [`Filter`].
    pub filter: u32,
}

/// One subresource of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct View {
    /// The texture, or none.
    pub texture: ObjectId,
    /// Mip level.
    pub level: u16,
    /// Layer (cube face) or depth slice.
    pub layer: u16,
}

/// Body of [`Kind::SetRenderTargets`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetRenderTargets {
    /// Colour targets; shader output n goes to entry n.
    pub color: [View; 8],
    /// Depth-stencil target.
    pub depth: View,
    /// 1: shader outputs are encoded to sRGB on write, where the format has a twin for it.
    pub srgb: u32,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::SetViewport`]. Window coordinates, y down; clip space y up, z 0 to w.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetViewport {
    /// Left edge in pixels.
    pub x: f32,
    /// Top edge in pixels.
    pub y: f32,
    /// Pixels.
    pub width: f32,
    /// Pixels.
    pub height: f32,
    /// Depth of clip z = 0, in 0..1.
    pub min_depth: f32,
    /// Depth of clip z = w, in 0..1.
    pub max_depth: f32,
}

/// A rectangle in pixels or texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Rect {
    /// Whether nothing is in it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0
    }
}

/// Body of [`Kind::SetScissor`]. Pixels outside are dropped; a huge rectangle means off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetScissor {
    /// The rectangle.
    pub rect: Rect,
}

/// Body of [`Kind::SetRaster`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetRaster {
    /// [`Cull`].
    pub cull: u8,
    /// 1: counter-clockwise triangles (in window space, y down) face front.
    pub front_ccw: u8,
    /// [`Fill`].
    pub fill: u8,
    /// 0: depth is clamped instead of clipped.
    pub depth_clip: u8,
    /// 1: `depth_bias` and `slope_bias` apply.
    pub bias_enable: u8,
    /// Zero.
    pub pad: [u8; 3],
    /// Constant depth bias in units of depth 0..1 (not of the format's steps).
    pub depth_bias: f32,
    /// Slope-scaled depth bias.
    pub slope_bias: f32,
    /// Point size where the shader writes none, pixels.
    pub point_size: f32,
    /// Bit n: sample n may be written.
    pub sample_mask: u32,
}

/// One face's stencil state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StencilFace {
    /// [`Compare`]: reference OP stored.
    pub compare: u8,
    /// [`StencilOp`] when the stencil test fails.
    pub fail: u8,
    /// [`StencilOp`] when the depth test fails.
    pub depth_fail: u8,
    /// [`StencilOp`] when both pass.
    pub pass: u8,
}

/// Body of [`Kind::SetDepthStencil`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetDepthStencil {
    /// 1: depth is tested (and, if `depth_write`, written).
    pub depth_test: u8,
    /// 1: depth is written.
    pub depth_write: u8,
    /// [`Compare`].
    pub depth_compare: u8,
    /// 1: stencil is tested and written.
    pub stencil_test: u8,
    /// Front faces.
    pub front: StencilFace,
    /// Back faces.
    pub back: StencilFace,
    /// Reference value.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// Zero.
    pub pad: u8,
}

/// Body of [`Kind::SetBlend`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetBlend {
    /// 1: blending is on for every target.
    pub enable: u8,
    /// [`BlendFactor`].
    pub src_color: u8,
    /// [`BlendFactor`].
    pub dst_color: u8,
    /// [`BlendOp`].
    pub color_op: u8,
    /// [`BlendFactor`].
    pub src_alpha: u8,
    /// [`BlendFactor`].
    pub dst_alpha: u8,
    /// [`BlendOp`].
    pub alpha_op: u8,
    /// Zero.
    pub pad: u8,
    /// Per colour target: bits 0 to 3 write red to alpha.
    pub write_masks: [u8; 8],
    /// Red to alpha of the constant blend factors.
    pub constant: [f32; 4],
}

/// Body of [`Kind::SetPixelOps`]: what older pipelines do to a pixel shader's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetPixelOps {
    /// [`Compare`] of alpha against `alpha_ref`; [`Compare::Always`] is off.
    pub alpha_compare: u8,
    /// [`FogMode`].
    pub fog: u8,
    /// 1: colours are not interpolated.
    pub flat: u8,
    /// 1: points carry texture coordinates across their area.
    pub point_sprite: u8,
    /// Bit n: user clip plane n (system constants) is on.
    pub clip_planes: u8,
    /// Zero.
    pub pad: [u8; 3],
    /// 0 to 1.
    pub alpha_ref: f32,
    /// Fog start, or density for the exponential modes.
    pub fog_start: f32,
    /// Fog end.
    pub fog_end: f32,
    /// Zero.
    pub pad2: f32,
    /// Red to alpha.
    pub fog_color: [f32; 4],
}

/// Body of [`Kind::SetVertexInput`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetVertexInput {
    /// The layout.
    pub id: ObjectId,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::SetVertexBuffers`]; the tail is the bindings.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetVertexBuffers {
    /// First slot, below [`crate::VERTEX_BUFFERS`].
    pub first: u32,
    /// Number of slots.
    pub count: u32,
}

/// One vertex buffer binding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct VertexBuffer {
    /// A buffer, none, or an arena slot as [`crate::ObjectKind::Upload`]: then valid for the draws of this frame only.
    pub source: ObjectId,
    /// Bytes from vertex to vertex.
    pub stride: u32,
    /// First byte.
    pub offset: u64,
    /// Bytes that may be read from `offset`; 0 means the rest of the buffer.
    pub size: u64,
}

/// Body of [`Kind::SetIndexBuffer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetIndexBuffer {
    /// A buffer, none, or an arena slot as in [`VertexBuffer`].
    pub source: ObjectId,
    /// 2 or 4.
    pub index_bytes: u32,
    /// First byte.
    pub offset: u64,
    /// Bytes that may be read from `offset`; 0 means the rest of the buffer.
    pub size: u64,
}

/// Body of [`Kind::SetShaders`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetShaders {
    /// Vertex shader, or none.
    pub vertex: ObjectId,
    /// Pixel shader, or none: only depth and stencil are written.
    pub pixel: ObjectId,
}

/// Body of [`Kind::SetTextures`]; the tail is the bindings.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetTextures {
    /// First slot: 0 to 15 for pixel shaders, 16 to 19 for vertex shaders.
    pub first: u32,
    /// Number of slots.
    pub count: u32,
}

/// One texture slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct TextureBinding {
    /// The texture; none reads (0, 0, 0, 1).
    pub texture: ObjectId,
    /// The sampler.
    pub sampler: ObjectId,
}

/// Body of [`Kind::SetConstants`]; the tail is the registers, four 32-bit components each.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetConstants {
    /// Bank, an index into [`crate::BANKS`].
    pub bank: u16,
    /// First register.
    pub first: u16,
    /// Number of registers.
    pub count: u32,
}

/// Body of [`Kind::Clear`]; the tail is the rectangles (none: the whole of the targets). Viewport and scissor do not
/// apply: the guest has clipped the rectangles.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Clear {
    /// [`Clear::COLOR`] and its like.
    pub flags: u32,
    /// Number of rectangles.
    pub count: u32,
    /// Red to alpha.
    pub color: [f32; 4],
    /// 0 to 1.
    pub depth: f32,
    /// Stencil value.
    pub stencil: u32,
}

impl Clear {
    /// Clears every bound colour target.
    pub const COLOR: u32 = 1;
    /// Clears depth.
    pub const DEPTH: u32 = 2;
    /// Clears stencil.
    pub const STENCIL: u32 = 4;
}

/// Body of [`Kind::Draw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Draw {
    /// [`Topology`].
    pub topology: u32,
    /// First vertex.
    pub first: u32,
    /// Vertices.
    pub count: u32,
    /// Instances.
    pub instances: u32,
}

/// Body of [`Kind::DrawIndexed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct DrawIndexed {
    /// [`Topology`].
    pub topology: u32,
    /// First index.
    pub first: u32,
    /// Indices.
    pub count: u32,
    /// Instances.
    pub instances: u32,
    /// Added to every index.
    pub base_vertex: i32,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::Blit`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Blit {
    /// Source subresource. More samples than the destination has are resolved.
    pub src: View,
    /// Destination subresource.
    pub dst: View,
    /// Source rectangle in texels, inside of the subresource.
    pub src_rect: Rect,
    /// Destination rectangle, inside of the subresource.
    pub dst_rect: Rect,
    /// [`Filter`] where the sizes differ.
    pub filter: u32,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::BeginQuery`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct BeginQuery {
    /// The query.
    pub id: ObjectId,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::EndQuery`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct EndQuery {
    /// The query.
    pub id: ObjectId,
    /// Zero.
    pub pad: u32,
    /// Comes back in the reply.
    pub token: u64,
}

/// Body of [`Kind::ReadBack`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct ReadBack {
    /// Source subresource, one sample per pixel.
    pub src: View,
    /// Source rectangle in texels.
    pub rect: Rect,
    /// Bytes from one row of blocks to the next in `data`.
    pub row_pitch: u32,
    /// Zero.
    pub pad: u32,
    /// Comes back in the reply.
    pub token: u64,
    /// Where the texels go.
    pub data: UploadRef,
}
