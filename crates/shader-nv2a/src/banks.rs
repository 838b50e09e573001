//! Where constants live: the banks of the shader ABI that the NV2A uses, and the registers of those whose layout is ours.
//! A register is 16 bytes.

use crate::pixel::PixelRegister;
use afterimage_abi::{Bank as Number, register_layout};
use afterimage_nv2a_types::CONSTANT_SLOTS;

/// The banks of the NV2A's shaders, by the numbers of [`afterimage_abi::Bank`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Bank {
    /// The vertex engine's constant memory, slots 0 to 191. The fixed function's matrices are in it
    /// (`afterimage_nv2a_types::context`).
    Transform = Number::Nv2aTransform as u8,
    /// What else the fixed function reads, see `fixed`.
    Fixed = Number::Nv2aFixed as u8,
    /// From screen space to clip space, see [`ScreenRegister`].
    Screen = Number::Nv2aScreen as u8,
    /// What the pixel stage reads, see `pixel`.
    Pixel = Number::Nv2aPixel as u8,
}

const _: () = {
    assert!(CONSTANT_SLOTS == Number::Nv2aTransform.registers() as usize);
    assert!(FixedRegister::COUNT <= Number::Nv2aFixed.registers());
    assert!(ScreenRegister::COUNT <= Number::Nv2aScreen.registers());
    assert!(PixelRegister::COUNT <= Number::Nv2aPixel.registers());
};

impl Bank {
    /// Name for dumps.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transform => "c",
            Self::Fixed => "fixed",
            Self::Screen => "screen",
            Self::Pixel => "pixel",
        }
    }
}

register_layout! {
    /// Registers of [`Bank::Screen`], for [`crate::io::epilogue`].
    ScreenRegister {
        /// Factors from screen space to Vulkan's normalized device coordinates, y up. w: 1 if coordinates
        /// and fog are to be interpolated without perspective, else 0.
        Scale = 0 + 1 x 1;
        /// What is added to them. w: 1 if colours are to be interpolated without perspective.
        Bias = 1 + 1 x 1;
        /// Near plane, in terms of z times w, w, and one.
        Near = 2 + 1 x 1;
        /// Far plane.
        Far = 3 + 1 x 1;
        /// Factors of the specular colours.
        SpecularScale = 4 + 1 x 1;
        /// What is added to them.
        SpecularBias = 5 + 1 x 1;
        /// x: `SET_POINT_SIZE` in pixels, y: 1 if `SET_POINT_PARAMS_ENABLE` is on.
        PointSize = 6 + 1 x 1;
        /// `SET_POINT_PARAMS`: a, b, c of the distance's polynomial.
        PointFactors = 7 + 1 x 1;
        /// x: range, y: bias, z: least size.
        PointRange = 8 + 1 x 1;
        /// x: the fog coordinate that the vertex engine put out last, which stays where a program writes none.
        Carried = 9 + 1 x 1;
        /// x, y: primitives that lie all below the one or above the other z are dropped.
        Reject = 10 + 1 x 1;
    }
}

register_layout! {
    /// Registers of [`Bank::Fixed`]: the lighting unit's. Elements of colours are front, back, or light 0 front, light 0 back, light 1
    /// front and so on. What is not named is zero.
    FixedRegister {
        /// `SET_SCENE_AMBIENT_COLOR`; w: `SET_MATERIAL_ALPHA`. Front and back.
        SceneAmbient = 0 + 1 x 2;
        /// `SET_MATERIAL_EMISSION`. Front and back.
        MaterialEmission = 2 + 1 x 2;
        /// `SET_SPECULAR_PARAMS`: three for half vectors from a register, three for computed ones. Front and back.
        SpecularParams = 4 + 1 x 4;
        /// `SET_EYE_DIRECTION`.
        EyeDirection = 8 + 1 x 1;
        /// `SET_LIGHT_AMBIENT_COLOR`.
        LightAmbient = 9 + 1 x 16;
        /// `SET_LIGHT_DIFFUSE_COLOR`.
        LightDiffuse = 25 + 1 x 16;
        /// `SET_LIGHT_SPECULAR_COLOR`.
        LightSpecular = 41 + 1 x 16;
        /// `SET_LIGHT_INFINITE_HALF_VECTOR`.
        LightHalfVector = 57 + 1 x 8;
        /// `SET_LIGHT_INFINITE_DIRECTION`: to the light.
        LightDirection = 65 + 1 x 8;
        /// `SET_LIGHT_LOCAL_POSITION` in eye space; w: `SET_LIGHT_LOCAL_RANGE`.
        LightPosition = 73 + 1 x 8;
        /// `SET_LIGHT_LOCAL_ATTENUATION`: factors of one, distance and its square.
        LightAttenuation = 81 + 1 x 8;
        /// `SET_LIGHT_SPOT_FALLOFF`.
        LightSpotFalloff = 89 + 1 x 8;
        /// `SET_LIGHT_SPOT_DIRECTION`.
        LightSpotDirection = 97 + 1 x 8;
    }
}
