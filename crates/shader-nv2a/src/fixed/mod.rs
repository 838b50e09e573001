//! Fixed-function transform and lighting: a key with what decides code, registers with all else, and the IR that they mean.
//!
//! * [`Key`] is plain bytes: the "code" of the shader in the stream. Zero is a valid key.
//! * [`constants`] fills [`crate::banks::FixedRegister`]. Matrices, planes and the viewport are read where they lie, in the
//!   vertex engine's constants ([`crate::banks::Bank::Transform`]).
//! * [`lift`] translates; `vertex` has position, fog and point size, `lighting` the colours, `coordinates` texture coordinates.
//!
//! Sources: `docs/sources/nv2a.md#fixed-function`; the data flow of envytools' model of the Celsius (nvhw/pgraph_celsius_xfrm.c),
//! whose units Kelvin has kept; the pictures of a console (suites Lighting, Material, Specular, Texgen, Fog gen, Point params).
//!
//! What the hardware computes with less than single precision: its lighting unit keeps 13 bits of fraction, cuts after each step,
//! and looks reciprocal roots up in a table. Of that only the rounding of registers is done here; the rest is below one part in
//! 255.

mod constants;
mod coordinates;
mod lighting;
mod vertex;

pub use constants::constants;
pub use vertex::lift;

use afterimage_nv2a_types::{LIGHTS, Registers, STAGES, method};
use bytemuck::{Pod, Zeroable};

/// Vertex attributes, by number.
pub(crate) mod attribute {
    pub(crate) const POSITION: u8 = 0;
    pub(crate) const WEIGHT: u8 = 1;
    pub(crate) const NORMAL: u8 = 2;
    pub(crate) const DIFFUSE: u8 = 3;
    pub(crate) const SPECULAR: u8 = 4;
    pub(crate) const FOG: u8 = 5;
    pub(crate) const TEXTURE_0: u8 = 9;
}

/// What decides the code of fixed-function transform and lighting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Key {
    /// [`Key::POINTS`] and its like.
    pub flags: u32,
    /// `SET_LIGHT_ENABLE_MASK`: two bits a light, a [`Light`].
    pub lights: u16,
    /// `SET_COLOR_MATERIAL`: two bits a source, front faces in the low byte.
    pub color_material: u16,
    /// `SET_SKIN_MODE`, 0 to 6.
    pub skin: u8,
    /// `SET_FOG_GEN_MODE`: 0 specular alpha, 1 radial, 2 planar, 3 absolute planar, 6 fog coordinate.
    pub fog: u8,
    /// Bit per stage of `SET_TEXTURE_MATRIX_ENABLE`.
    pub texture_matrices: u8,
    /// Zero.
    pub pad: u8,
    /// A [`Texgen`] for each coordinate of each stage.
    pub texgen: [[u8; 4]; STAGES],
}

/// What a light is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Light {
    /// Off.
    Off,
    /// Infinitely far away.
    Infinite,
    /// At a place.
    Local,
    /// At a place, in a cone.
    Spot,
}

/// Where a texture coordinate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Texgen {
    /// The vertex.
    Off,
    /// A plane in eye space.
    EyeLinear,
    /// A plane in object space.
    ObjectLinear,
    /// Sphere map; S and T only.
    SphereMap,
    /// The normal in eye space; S, T and R only.
    NormalMap,
    /// The reflected direction to the eye; S, T and R only.
    ReflectionMap,
}

/// Where a colour of the material comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    Material,
    Diffuse,
    Specular,
}

/// Sources of one face's material.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources {
    pub(crate) emission: Source,
    pub(crate) ambient: Source,
    pub(crate) diffuse: Source,
    pub(crate) specular: Source,
}

impl Key {
    /// Points are drawn: a point size is written.
    pub const POINTS: u32 = 1 << 0;
    /// `SET_LIGHTING_ENABLE`.
    pub const LIGHTING: u32 = 1 << 1;
    /// `SET_NORMALIZATION_ENABLE`.
    pub const NORMALIZE: u32 = 1 << 2;
    /// The eye is at `SET_EYE_POSITION` for lighting, not infinitely far away.
    pub const LOCAL_EYE: u32 = 1 << 3;
    /// `SET_LIGHT_TWO_SIDE_ENABLE`.
    pub const TWO_SIDED: u32 = 1 << 4;
    /// Lit specular colours have their own output; without, they are added to the diffuse ones.
    pub const SEPARATE_SPECULAR: u32 = 1 << 5;
    /// `SET_TEXGEN_VIEW_MODEL`: reflections are seen from infinitely far away.
    pub const INFINITE_VIEWER: u32 = 1 << 6;

    /// The key of a draw of points, or of something else. States that the others make irrelevant are left at zero.
    #[must_use]
    pub fn of(registers: &Registers, points: bool) -> Self {
        let mut key = Self { skin: registers.bits(method::SET_SKIN_MODE, 0, 3).min(6) as u8, ..Self::default() };
        key.set(Self::POINTS, points);
        key.fog = registers.bits(method::SET_FOG_GEN_MODE, 0, 3) as u8;
        for (stage, modes) in key.texgen.iter_mut().enumerate() {
            for (coordinate, mode) in modes.iter_mut().enumerate() {
                let method = method::SET_TEXGEN_S + stage as u16 * 0x10 + coordinate as u16 * 4;
                *mode = texgen(registers.get(method), coordinate) as u8;
            }
            let enable = method::SET_TEXTURE_MATRIX_ENABLE + stage as u16 * 4;
            key.texture_matrices |= u8::from(registers.is_set(enable)) << stage;
        }
        key.set(Self::LIGHTING, registers.is_set(method::SET_LIGHTING_ENABLE));
        if key.has(Self::LIGHTING) {
            key.lights = registers.bits(method::SET_LIGHT_ENABLE_MASK, 0, 16) as u16;
            key.color_material = registers.bits(method::SET_COLOR_MATERIAL, 0, 16) as u16;
            let control = registers.get(method::SET_LIGHT_CONTROL);
            key.set(Self::LOCAL_EYE, control >> 16 & 1 != 0 && key.lights != 0);
            key.set(Self::TWO_SIDED, registers.is_set(method::SET_LIGHT_TWO_SIDE_ENABLE));
            key.set(Self::SEPARATE_SPECULAR, control & 1 != 0 && registers.is_set(method::SET_SPECULAR_ENABLE));
        }
        key.set(Self::NORMALIZE, registers.is_set(method::SET_NORMALIZATION_ENABLE) && key.needs_normal());
        key.set(Self::INFINITE_VIEWER, registers.is_set(method::SET_TEXGEN_VIEW_MODEL) && key.reflects());
        key
    }

    fn set(&mut self, flag: u32, on: bool) {
        if on {
            self.flags |= flag;
        }
    }

    /// True if a flag is set.
    #[must_use]
    pub const fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// What a light, 0 to 7, is.
    #[must_use]
    pub fn light(&self, index: usize) -> Light {
        match self.lights >> (index % LIGHTS * 2) & 3 {
            0 => Light::Off,
            1 => Light::Infinite,
            2 => Light::Local,
            _ => Light::Spot,
        }
    }

    /// Where a coordinate (0 to 3) of a stage comes from.
    #[must_use]
    pub fn texgen(&self, stage: usize, coordinate: usize) -> Texgen {
        let of_normal = coordinate < 3;
        match self.texgen[stage % STAGES][coordinate % 4] {
            1 => Texgen::EyeLinear,
            2 => Texgen::ObjectLinear,
            3 if coordinate < 2 => Texgen::SphereMap,
            4 if of_normal => Texgen::NormalMap,
            5 if of_normal => Texgen::ReflectionMap,
            _ => Texgen::Off,
        }
    }

    fn any_texgen(&self, is: impl Fn(Texgen) -> bool) -> bool {
        (0..STAGES * 4).any(|i| is(self.texgen(i / 4, i % 4)))
    }

    /// Whether reflections are generated.
    pub(crate) fn reflects(&self) -> bool {
        self.any_texgen(|texgen| matches!(texgen, Texgen::SphereMap | Texgen::ReflectionMap))
    }

    /// Whether the normal in eye space is used.
    pub(crate) fn needs_normal(&self) -> bool {
        self.lights != 0 || self.reflects() || self.any_texgen(|texgen| texgen == Texgen::NormalMap)
    }

    /// Sources of the front or back faces' material.
    pub(crate) fn sources(&self, back: bool) -> Sources {
        let bits = self.color_material >> if back { 8 } else { 0 };
        let source = |at: u32| match bits >> at & 3 {
            1 => Source::Diffuse,
            2 => Source::Specular,
            _ => Source::Material,
        };
        Sources { emission: source(0), ambient: source(2), diffuse: source(4), specular: source(6) }
    }

    /// Matrices of vertex blending, and whether the last weight is what the others leave of one. One matrix is none.
    pub(crate) fn blending(&self) -> (u8, bool) {
        match self.skin {
            1 => (2, true),
            2 => (2, false),
            3 => (3, true),
            4 => (3, false),
            5 => (4, true),
            6 => (4, false),
            _ => (1, false),
        }
    }

    /// The vertex attributes that are read, a bit each.
    #[must_use]
    pub fn inputs(&self) -> u16 {
        use attribute::{DIFFUSE, FOG, NORMAL, POSITION, SPECULAR, TEXTURE_0, WEIGHT};
        let mut inputs = 1 << POSITION | 1 << DIFFUSE | 1 << SPECULAR;
        let mut add = |attribute: u8, wanted: bool| inputs |= u16::from(wanted) << attribute;
        add(WEIGHT, self.blending().0 > 1);
        add(NORMAL, self.needs_normal());
        add(FOG, self.fog == 6);
        for stage in 0..STAGES {
            add(TEXTURE_0 + stage as u8, (0..4).any(|i| self.texgen(stage, i) == Texgen::Off));
        }
        inputs
    }
}

/// The mode of a `SET_TEXGEN` argument, for a coordinate (0 to 3).
#[must_use]
pub fn texgen(argument: u32, coordinate: usize) -> Texgen {
    match argument {
        0x2400 => Texgen::EyeLinear,
        0x2401 => Texgen::ObjectLinear,
        0x2402 if coordinate < 2 => Texgen::SphereMap,
        0x8511 if coordinate < 3 => Texgen::NormalMap,
        0x8512 if coordinate < 3 => Texgen::ReflectionMap,
        _ => Texgen::Off,
    }
}
