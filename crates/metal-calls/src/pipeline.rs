//! Functions and pipelines.

use crate::{Device, PixelFormat};

/// The value of a function constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// `bool`.
    Bool(bool),
    /// `int`.
    Int(i32),
    /// `uint`.
    UInt(u32),
    /// `float`, its bits.
    Float(u32),
}

/// A function of a library that is compiled for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionDescriptor<'a> {
    /// Text in Metal's language.
    pub source: &'a str,
    /// The function's name in it.
    pub name: &'a str,
    /// Values of function constants, by index.
    pub constants: &'a [(u32, Constant)],
    /// For debuggers and messages.
    pub label: &'a str,
}

/// `MTLCompareFunction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum CompareFunction {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

/// `MTLStencilOperation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum StencilOperation {
    Keep,
    Zero,
    Replace,
    IncrementClamp,
    DecrementClamp,
    Invert,
    IncrementWrap,
    DecrementWrap,
}

/// `MTLStencilDescriptor`, of one face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StencilDescriptor {
    /// The reference with what is there.
    pub compare: CompareFunction,
    /// Where the stencil test fails.
    pub fail: StencilOperation,
    /// Where the depth test fails.
    pub depth_fail: StencilOperation,
    /// Where both pass.
    pub pass: StencilOperation,
    /// Bits that are compared.
    pub read_mask: u32,
    /// Bits that are written.
    pub write_mask: u32,
}

/// `MTLDepthStencilDescriptor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilDescriptor {
    /// The depth test.
    pub compare: CompareFunction,
    /// Whether depth is written where it passes.
    pub write: bool,
    /// Of what faces the front; none is no test.
    pub front: Option<StencilDescriptor>,
    /// Of what faces the back.
    pub back: Option<StencilDescriptor>,
}

/// `MTLBlendFactor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum BlendFactor {
    Zero,
    One,
    SourceColor,
    OneMinusSourceColor,
    SourceAlpha,
    OneMinusSourceAlpha,
    DestinationColor,
    OneMinusDestinationColor,
    DestinationAlpha,
    OneMinusDestinationAlpha,
    SourceAlphaSaturated,
    BlendColor,
    OneMinusBlendColor,
    BlendAlpha,
    OneMinusBlendAlpha,
    Source1Color,
    OneMinusSource1Color,
    Source1Alpha,
    OneMinusSource1Alpha,
}

/// `MTLBlendOperation`. Least and greatest take no factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum BlendOperation {
    Add,
    Subtract,
    ReverseSubtract,
    Min,
    Max,
}

/// How a target's colour, or its alpha, comes of what is drawn and what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Blending {
    /// What is done with both.
    pub operation: BlendOperation,
    /// What the colour drawn is multiplied with.
    pub source: BlendFactor,
    /// What the colour that is there is multiplied with.
    pub destination: BlendFactor,
}

/// `MTLColorWriteMask`: red, green, blue, alpha.
pub type WriteMask = [bool; 4];

/// `MTLRenderPipelineColorAttachmentDescriptor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColorTarget {
    /// The format of the pass's attachment.
    pub format: PixelFormat,
    /// Blending of colour and of alpha.
    pub blending: Option<[Blending; 2]>,
    /// What is written.
    pub write: WriteMask,
}

/// `MTLVertexFormat`, of those that the stream has a use for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum VertexFormat {
    Float,
    Float2,
    Float3,
    Float4,
    Half2,
    Half4,
    UChar4,
    UChar4Normalized,
    UChar4NormalizedBgra,
    Short2,
    Short4,
    Short2Normalized,
    Short4Normalized,
    UShort2Normalized,
    UShort4Normalized,
    Int1010102Normalized,
    UInt,
}

impl VertexFormat {
    /// Bytes of it.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Float
            | Self::Half2
            | Self::UChar4
            | Self::UChar4Normalized
            | Self::UChar4NormalizedBgra
            | Self::Short2
            | Self::Short2Normalized
            | Self::UShort2Normalized
            | Self::Int1010102Normalized
            | Self::UInt => 4,
            Self::Float2 | Self::Half4 | Self::Short4 | Self::Short4Normalized | Self::UShort4Normalized => 8,
            Self::Float3 => 12,
            Self::Float4 => 16,
        }
    }
}

/// `MTLVertexStepFunction`, with its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepFunction {
    /// The same for all. The stride is not 0 even so.
    Constant,
    /// One for each vertex.
    PerVertex,
    /// One for so many instances, not 0.
    PerInstance(u32),
}

/// `MTLVertexAttributeDescriptor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// `[[attribute(n)]]`.
    pub location: u32,
    /// What is read.
    pub format: VertexFormat,
    /// Where in an element, in bytes: a multiple of 4.
    pub offset: u32,
    /// The buffer's index in the vertex stage's table.
    pub buffer: u32,
}

/// `MTLVertexBufferLayoutDescriptor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The buffer's index in the vertex stage's table.
    pub buffer: u32,
    /// Bytes from an element to the next.
    pub stride: u32,
    /// When there is a next.
    pub step: StepFunction,
}

/// `MTLVertexDescriptor`: every layout is read by an attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexDescriptor {
    /// What the vertex function reads.
    pub attributes: Vec<Attribute>,
    /// How buffers are laid out.
    pub layouts: Vec<Layout>,
}

/// `MTLPrimitiveTopologyClass`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum TopologyClass {
    Unspecified,
    Point,
    Line,
    Triangle,
}

/// `MTLRenderPipelineDescriptor`.
#[derive(Debug)]
pub struct RenderPipelineDescriptor<'a, D: Device> {
    /// For debuggers and messages.
    pub label: &'a str,
    /// The vertex function.
    pub vertex: &'a D::Function,
    /// The fragment function.
    pub fragment: Option<&'a D::Function>,
    /// What the vertex function reads of buffers.
    pub input: &'a VertexDescriptor,
    /// Colour attachments, by number, as the pass has them.
    pub colors: &'a [Option<ColorTarget>],
    /// `depthAttachmentPixelFormat`: the pass's.
    pub depth: Option<PixelFormat>,
    /// `stencilAttachmentPixelFormat`: the pass's.
    pub stencil: Option<PixelFormat>,
    /// `rasterSampleCount`.
    pub samples: u32,
    /// `alphaToCoverageEnabled`.
    pub alpha_to_coverage: bool,
    /// `alphaToOneEnabled`.
    pub alpha_to_one: bool,
    /// `rasterizationEnabled`.
    pub rasterization: bool,
    /// `inputPrimitiveTopology`.
    pub topology: TopologyClass,
}
