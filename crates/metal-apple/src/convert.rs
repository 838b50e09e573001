//! Metal's words for those of the seam. Names are the same, so each match has all of them.

use afterimage_metal_calls as calls;
use objc2_foundation::{NSRange, NSString};
use objc2_metal::{
    MTLBlendFactor, MTLBlendOperation, MTLColorWriteMask, MTLCompareFunction, MTLCullMode, MTLDepthClipMode,
    MTLIndexType, MTLMultisampleDepthResolveFilter, MTLOrigin, MTLPixelFormat, MTLPrimitiveTopologyClass,
    MTLPrimitiveType, MTLSamplerAddressMode, MTLSamplerBorderColor, MTLSamplerMinMagFilter, MTLSamplerMipFilter,
    MTLScissorRect, MTLSize, MTLStencilOperation, MTLStoreAction, MTLTextureSwizzle, MTLTextureSwizzleChannels,
    MTLTextureType, MTLTextureUsage, MTLTriangleFillMode, MTLVertexFormat, MTLViewport, MTLVisibilityResultMode,
    MTLWinding,
};

/// Says which of Metal's values is which of ours.
pub(crate) trait ToMetal {
    /// Metal's type.
    type Metal;

    /// Metal's value.
    fn metal(self) -> Self::Metal;
}

macro_rules! same_names {
    ($( $ours:ident => $metal:ident { $( $name:ident $( = $other:ident )? ),* $(,)? } )*) => {
        $(
            impl ToMetal for calls::$ours {
                type Metal = $metal;

                fn metal(self) -> $metal {
                    match self { $( Self::$name => same_names!(@ $metal $name $( $other )?) ),* }
                }
            }
        )*
    };
    (@ $metal:ident $name:ident) => { $metal::$name };
    (@ $metal:ident $name:ident $other:ident) => { $metal::$other };
}

same_names! {
    PrimitiveType => MTLPrimitiveType { Point, Line, LineStrip, Triangle, TriangleStrip }
    IndexType => MTLIndexType { UInt16, UInt32 }
    CullMode => MTLCullMode { None, Front, Back }
    Winding => MTLWinding { Clockwise, CounterClockwise }
    FillMode => MTLTriangleFillMode { Fill, Lines }
    DepthClipMode => MTLDepthClipMode { Clip, Clamp }
    VisibilityMode => MTLVisibilityResultMode { Disabled, Boolean, Counting }
    DepthResolve => MTLMultisampleDepthResolveFilter { Sample0, Min, Max }
    StoreAction => MTLStoreAction { DontCare, Store, MultisampleResolve, StoreAndMultisampleResolve }
    CompareFunction => MTLCompareFunction { Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always }
    StencilOperation => MTLStencilOperation {
        Keep, Zero, Replace, IncrementClamp, DecrementClamp, Invert, IncrementWrap, DecrementWrap
    }
    BlendFactor => MTLBlendFactor {
        Zero, One, SourceColor, OneMinusSourceColor, SourceAlpha, OneMinusSourceAlpha, DestinationColor,
        OneMinusDestinationColor, DestinationAlpha, OneMinusDestinationAlpha, SourceAlphaSaturated, BlendColor,
        OneMinusBlendColor, BlendAlpha, OneMinusBlendAlpha, Source1Color, OneMinusSource1Color, Source1Alpha,
        OneMinusSource1Alpha,
    }
    BlendOperation => MTLBlendOperation { Add, Subtract, ReverseSubtract, Min, Max }
    VertexFormat => MTLVertexFormat {
        Float, Float2, Float3, Float4, Half2, Half4, UChar4, UChar4Normalized,
        UChar4NormalizedBgra = UChar4Normalized_BGRA, Short2, Short4, Short2Normalized, Short4Normalized,
        UShort2Normalized, UShort4Normalized, Int1010102Normalized, UInt,
    }
    TopologyClass => MTLPrimitiveTopologyClass { Unspecified, Point, Line, Triangle }
    TextureType => MTLTextureType {
        D1 = Type1D, D1Array = Type1DArray, D2 = Type2D, D2Array = Type2DArray, D2Multisample = Type2DMultisample,
        D2MultisampleArray = Type2DMultisampleArray, Cube = TypeCube, CubeArray = TypeCubeArray, D3 = Type3D,
    }
    Swizzle => MTLTextureSwizzle { Zero, One, Red, Green, Blue, Alpha }
    Filter => MTLSamplerMinMagFilter { Nearest, Linear }
    MipFilter => MTLSamplerMipFilter { NotMipmapped, Nearest, Linear }
    AddressMode => MTLSamplerAddressMode {
        ClampToEdge, MirrorClampToEdge, Repeat, MirrorRepeat, ClampToZero, ClampToBorderColor
    }
    BorderColor => MTLSamplerBorderColor { TransparentBlack, OpaqueBlack, OpaqueWhite }
}

impl ToMetal for calls::PixelFormat {
    type Metal = MTLPixelFormat;

    fn metal(self) -> MTLPixelFormat {
        // The numbers are Metal's.
        MTLPixelFormat(self as usize)
    }
}

const _: () = {
    assert!(calls::PixelFormat::BGRA8Unorm as usize == MTLPixelFormat::BGRA8Unorm.0);
    assert!(calls::PixelFormat::RG11B10Float as usize == MTLPixelFormat::RG11B10Float.0);
    assert!(calls::PixelFormat::BC7_RGBAUnorm_sRGB as usize == MTLPixelFormat::BC7_RGBAUnorm_sRGB.0);
    assert!(calls::PixelFormat::X32_Stencil8 as usize == MTLPixelFormat::X32_Stencil8.0);
};

impl ToMetal for Option<calls::PixelFormat> {
    type Metal = MTLPixelFormat;

    fn metal(self) -> MTLPixelFormat {
        self.map_or(MTLPixelFormat::Invalid, ToMetal::metal)
    }
}

impl ToMetal for calls::TextureUsage {
    type Metal = MTLTextureUsage;

    fn metal(self) -> MTLTextureUsage {
        [
            (self.read, MTLTextureUsage::ShaderRead),
            (self.write, MTLTextureUsage::ShaderWrite),
            (self.atomic, MTLTextureUsage::ShaderAtomic),
            (self.target, MTLTextureUsage::RenderTarget),
            (self.views, MTLTextureUsage::PixelFormatView),
        ]
        .into_iter()
        .filter_map(|(set, flag)| set.then_some(flag))
        .fold(MTLTextureUsage::empty(), |all, flag| all | flag)
    }
}

impl ToMetal for [calls::Swizzle; 4] {
    type Metal = MTLTextureSwizzleChannels;

    fn metal(self) -> MTLTextureSwizzleChannels {
        let [red, green, blue, alpha] = self.map(ToMetal::metal);
        MTLTextureSwizzleChannels { red, green, blue, alpha }
    }
}

impl ToMetal for calls::Viewport {
    type Metal = MTLViewport;

    fn metal(self) -> MTLViewport {
        let Self { origin: [left, top], size: [width, height], depth: [near, far] } = self;
        MTLViewport { originX: left, originY: top, width, height, znear: near, zfar: far }
    }
}

impl ToMetal for calls::ScissorRect {
    type Metal = MTLScissorRect;

    fn metal(self) -> MTLScissorRect {
        let ([x, y], [width, height]) = (self.origin.map(|at| at as usize), self.size.map(|edge| edge as usize));
        MTLScissorRect { x, y, width, height }
    }
}

/// `MTLColorWriteMask`.
pub(crate) fn write_mask(write: calls::WriteMask) -> MTLColorWriteMask {
    const FLAGS: [MTLColorWriteMask; 4] =
        [MTLColorWriteMask::Red, MTLColorWriteMask::Green, MTLColorWriteMask::Blue, MTLColorWriteMask::Alpha];
    FLAGS
        .into_iter()
        .zip(write)
        .filter_map(|(flag, set)| set.then_some(flag))
        .fold(MTLColorWriteMask::empty(), |all, flag| all | flag)
}

/// A range of levels, slices and the like: the first, and how many.
pub(crate) fn range([first, count]: [u32; 2]) -> NSRange {
    NSRange::new(first as usize, count as usize)
}

/// `MTLSize`.
pub(crate) fn size([width, height, depth]: [u32; 3]) -> MTLSize {
    MTLSize { width: width as usize, height: height as usize, depth: depth as usize }
}

/// `MTLOrigin`.
pub(crate) fn origin([x, y, z]: [u32; 3]) -> MTLOrigin {
    MTLOrigin { x: x as usize, y: y as usize, z: z as usize }
}

/// A text for Metal.
pub(crate) fn text(text: &str) -> objc2::rc::Retained<NSString> {
    NSString::from_str(text)
}

/// A number of bytes: pointers of Macs have 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "there are no Macs of 32 bits that this runs on")]
pub(crate) fn bytes(count: u64) -> usize {
    count as usize
}
