//! Vertices as numbers: what the processor reads of streams when vertex processing, or the evaluation of patches, is its work.

use afterimage_stream::VertexFormat;
use half::f16;

/// A whole number of `bits` bits with a sign, at the bottom of `value`.
fn signed(value: u32, bits: u32) -> f32 {
    let unused = 32 - bits;
    ((value << unused) as i32 >> unused) as f32
}

/// An element as the shader gets it: components that the format does not have are 0, and the fourth is 1. Bytes that are
/// not there count as 0.
pub(crate) fn decode(format: VertexFormat, bytes: &[u8]) -> [f32; 4] {
    use VertexFormat as F;
    let byte = |at: usize| f32::from(bytes.get(at).copied().unwrap_or(0));
    let word = |at: usize| {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        u16::from_le_bytes([byte(2 * at), byte(2 * at + 1)])
    };
    let short = |at: usize| f32::from(word(at) as i16);
    let dword = |at: usize| u32::from(word(2 * at)) | u32::from(word(2 * at + 1)) << 16;
    let float = |at: usize| f32::from_bits(dword(at));
    let half = |at: usize| f16::from_bits(word(at)).to_f32();
    let normal = |at: usize| (short(at) / 32_767.0).max(-1.0);
    let fraction = |at: usize| f32::from(word(at)) / 65_535.0;
    let tenth = |at: u32| dword(0) >> (10 * at) & 0x3ff;
    let two = |of: &dyn Fn(usize) -> f32| [of(0), of(1), 0.0, 1.0];
    let four = |of: &dyn Fn(usize) -> f32| [of(0), of(1), of(2), of(3)];
    match format {
        F::R32_SFLOAT => [float(0), 0.0, 0.0, 1.0],
        F::R32G32_SFLOAT => two(&float),
        F::R32G32B32_SFLOAT => [float(0), float(1), float(2), 1.0],
        F::R32G32B32A32_SFLOAT => four(&float),
        F::B8G8R8A8_UNORM => [byte(2), byte(1), byte(0), byte(3)].map(|value| value / 255.0),
        F::R8G8B8A8_UNORM => four(&|at| byte(at) / 255.0),
        F::R8G8B8A8_USCALED => four(&byte),
        F::R16G16_SSCALED => two(&short),
        F::R16G16B16A16_SSCALED => four(&short),
        F::R16G16_SNORM => two(&normal),
        F::R16G16B16A16_SNORM => four(&normal),
        F::R16G16_UNORM => two(&fraction),
        F::R16G16B16A16_UNORM => four(&fraction),
        F::A2B10G10R10_USCALED => [tenth(0) as f32, tenth(1) as f32, tenth(2) as f32, 1.0],
        F::A2B10G10R10_SNORM => {
            let part = |at| (signed(tenth(at), 10) / 511.0).max(-1.0);
            [part(0), part(1), part(2), 1.0]
        }
        F::R16G16_SFLOAT => two(&half),
        F::R16G16B16A16_SFLOAT => four(&half),
    }
}

/// A stream whose vertices are read here.
#[derive(Clone, Copy, Default)]
pub(crate) struct VertexSource<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) offset: u64,
    pub(crate) stride: u64,
}

impl VertexSource<'_> {
    /// An element of a vertex; zero past the end of the buffer.
    pub(crate) fn read(&self, vertex: u64, offset: u16, format: VertexFormat) -> [f32; 4] {
        let start = vertex.saturating_mul(self.stride).saturating_add(self.offset + u64::from(offset));
        decode(format, usize::try_from(start).ok().and_then(|start| self.bytes.get(start..)).unwrap_or(&[]))
    }
}
