//! Where constants live: the banks of the shader ABI, and the registers of the banks whose layout is ours.
//!
//! A register is 16 bytes. The guest uploads what [`FixedVertexRegister`] and [`FixedPixelRegister`] say; the renderer
//! (or, for clip planes, the guest) uploads [`SystemRegister`]s.

use afterimage_abi::{Bank as Number, register_layout};

pub use afterimage_abi::SystemRegister;

/// The banks of Direct3D 9's shaders, by the numbers of [`afterimage_abi::Bank`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Bank {
    /// `c#` of vertex shaders.
    VertexFloat = Number::VertexFloat as u8,
    /// `i#` of vertex shaders; signed 32-bit components.
    VertexInt = Number::VertexInt as u8,
    /// `b#` of vertex shaders: register i holds boolean i in its first component, zero is false.
    VertexBool = Number::VertexBool as u8,
    /// `c#` of pixel shaders.
    PixelFloat = Number::PixelFloat as u8,
    /// `i#` of pixel shaders.
    PixelInt = Number::PixelInt as u8,
    /// `b#` of pixel shaders.
    PixelBool = Number::PixelBool as u8,
    /// Constants of the fixed-function vertex stage, see [`FixedVertexRegister`].
    FixedVertex = Number::FixedVertex as u8,
    /// Constants of the fixed-function pixel stage, see [`FixedPixelRegister`].
    FixedPixel = Number::FixedPixel as u8,
    /// The system block, see [`SystemRegister`].
    System = Number::System as u8,
}

const _: () = {
    assert!(FixedVertexRegister::COUNT <= Number::FixedVertex.registers());
    assert!(FixedPixelRegister::COUNT <= Number::FixedPixel.registers());
};

register_layout! {
    /// Registers of [`Bank::FixedVertex`]. Matrices are four registers, the rows of a `D3DMATRIX` as they are
    /// (`v * M`); all vectors are in view space unless they say otherwise.
    FixedVertexRegister {
        /// `WORLD * VIEW * PROJECTION`.
        WorldViewProjection = 0 + 4 x 1;
        /// `WORLD * VIEW`.
        WorldView = 4 + 4 x 1;
        /// Inverse transpose of the upper 3x3 of `WORLD * VIEW`: three rows, `n * M` gives the view-space normal.
        Normal = 8 + 3 x 1;
        /// Pre-transformed vertices: clip = position * scale + offset, in x, y and z.
        ViewportScale = 11 + 1 x 1;
        /// See [`Self::ViewportScale`].
        ViewportOffset = 12 + 1 x 1;
        /// `D3DMATERIAL9::Diffuse`.
        MaterialDiffuse = 13 + 1 x 1;
        /// `D3DMATERIAL9::Ambient`.
        MaterialAmbient = 14 + 1 x 1;
        /// `D3DMATERIAL9::Specular`.
        MaterialSpecular = 15 + 1 x 1;
        /// `D3DMATERIAL9::Emissive`.
        MaterialEmissive = 16 + 1 x 1;
        /// `D3DRS_AMBIENT` as a colour.
        GlobalAmbient = 17 + 1 x 1;
        /// x: `D3DMATERIAL9::Power`.
        MaterialPower = 18 + 1 x 1;
        /// Vertex fog: x start, y end, z 1 / (end - start), w density.
        Fog = 19 + 1 x 1;
        /// x: point size where the vertex has none.
        PointSize = 20 + 1 x 1;
        /// Point scale: x, y, z the factors A, B, C; w viewport height.
        PointScale = 21 + 1 x 1;
        /// Texture matrices of stages 0 to 7.
        TextureMatrix = 24 + 4 x 8;
        /// Diffuse colour of light n. The lights of a key are numbered without gaps.
        LightDiffuse = 56 + 8 x 8;
        /// Specular colour.
        LightSpecular = 57 + 8 x 8;
        /// Ambient colour.
        LightAmbient = 58 + 8 x 8;
        /// xyz position, w range.
        LightPosition = 59 + 8 x 8;
        /// xyz direction that the light shines in, of length 1; w falloff.
        LightDirection = 60 + 8 x 8;
        /// x, y, z attenuation factors 0, 1, 2.
        LightAttenuation = 61 + 8 x 8;
        /// x cos(theta / 2), y cos(phi / 2), z 1 / (x - y).
        LightSpot = 62 + 8 x 8;
        /// `WORLDn * VIEW` of vertex blending, n from 1 to 3; n = 0 is [`Self::WorldView`].
        BlendWorldView = 120 + 4 x 3;
        /// `PROJECTION`, for vertex blending.
        Projection = 132 + 4 x 1;
        /// x: `D3DRS_TWEENFACTOR`.
        Tween = 136 + 1 x 1;
        /// `ProcessVertices`: x, y half the size of the viewport, z the size of its range of depths; w point size where neither
        /// stage nor vertex has one.
        WindowScale = 137 + 1 x 1;
        /// `ProcessVertices`: x, y the viewport's origin, z its least depth.
        WindowOffset = 138 + 1 x 1;
        /// `WORLDn * VIEW` of indexed vertex blending, n from 0 to 255.
        IndexedWorldView = 256 + 4 x 256;
    }
}

register_layout! {
    /// Registers of [`Bank::FixedPixel`].
    FixedPixelRegister {
        /// `D3DRS_TEXTUREFACTOR` as a colour.
        TextureFactor = 0 + 1 x 1;
        /// `D3DTSS_CONSTANT` of stages 0 to 7 as a colour.
        StageConstant = 8 + 1 x 8;
        /// `D3DTSS_BUMPENVMAT00, 01, 10, 11` of stages 0 to 7.
        BumpMatrix = 16 + 1 x 8;
        /// x `D3DTSS_BUMPENVLSCALE`, y `D3DTSS_BUMPENVLOFFSET` of stages 0 to 7.
        BumpLuminance = 24 + 1 x 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disjoint<T: std::fmt::Debug>(table: &[(T, u16, u16, u16)], strides: u16) {
        let mut owner = std::collections::HashMap::new();
        for (entry, first, stride, count) in table {
            // The light entries interleave, one register each.
            let size = if *stride == strides { 1 } else { *stride };
            for register in (0..*count).flat_map(|i| (0..size).map(move |r| first + i * stride + r)) {
                assert!(owner.insert(register, entry).is_none(), "{entry:?} overlaps at {register}");
            }
        }
    }

    #[test]
    fn no_register_has_two_meanings() {
        disjoint(FixedVertexRegister::TABLE, 8);
        disjoint(FixedPixelRegister::TABLE, 0);
    }
}
