//! Semantics to locations, and what else a shader needs to know of the pipeline around it.
//!
//! Locations are those of [`afterimage_abi::varyings::d3d9`]; what else is here finds the semantics that a stage writes or reads.

use crate::ffp::{FixedPixelKey, FixedVertexKey, STAGES};
use crate::signature::{Element, Signature};
use afterimage_abi::Usage;

pub use afterimage_abi::slots::TEXTURE_SLOTS;
pub use afterimage_abi::varyings::d3d9::{FIRST_EXTRA, FOG as FOG_LOCATION};
pub use afterimage_abi::{FogMode, LinkInfo, PixelOps, RuntimeInfo, VertexOps, bound, spec};

/// What a vertex shader writes.
pub fn link_of_vertex_shader(signature: &Signature) -> LinkInfo {
    let varyings = signature.outputs.iter().filter(|e| !is_system_output(e));
    LinkInfo::of(varyings.map(|e| (e.usage, e.index)))
}

/// What the fixed-function vertex stage writes.
pub fn link_of_fixed_vertex(key: &FixedVertexKey) -> LinkInfo {
    let coords = (0..STAGES as u8).filter(|i| key.tex_coords[usize::from(*i)].used != 0);
    let colors = [0, 1].into_iter().filter(|index| key.writes_color(*index)).map(|index| (Usage::Color, index));
    let fixed = colors.chain([(Usage::Fog, 0)]);
    let passed = key.passed().map(|(usage, _)| (usage, 0));
    LinkInfo::of(fixed.chain(coords.map(|i| (Usage::TexCoord, i))).chain(passed))
}

/// As if the vertex stage wrote all that a pixel shader reads; for translating a shader alone.
pub fn link_of_pixel_shader(signature: &Signature) -> LinkInfo {
    let link = LinkInfo::of(signature.inputs.iter().map(|e| (e.usage, e.index)));
    LinkInfo { mask: LinkInfo::EVERY_FIXED, ..link }
}

/// True for vertex outputs that are no varyings: position and point size.
pub fn is_system_output(element: &Element) -> bool {
    matches!((element.usage, element.index), (Usage::Position | Usage::PositionT | Usage::PSize, 0))
}

/// Semantics that the fixed-function pixel stage reads.
pub fn fixed_pixel_inputs(key: &FixedPixelKey) -> impl Iterator<Item = (Usage, u8)> {
    let coords = (0..key.active().count() as u8).map(|i| (Usage::TexCoord, i));
    [(Usage::Color, 0), (Usage::Color, 1)].into_iter().chain(coords)
}
