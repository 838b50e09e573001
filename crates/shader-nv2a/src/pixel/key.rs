//! The modes that decide what a pixel shader does.

use super::tables::{Compare, FogCurve, Mode};
use crate::io;
use afterimage_ir::Swizzle;
use afterimage_nv2a_types::{COMBINERS, Registers, STAGES, method};
use afterimage_texture::nv2a::{self, Decode, Layout, TextureFormat};
use bytemuck::{Pod, Zeroable};

/// What is rasterised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Drawn {
    /// Points.
    Points,
    /// Lines, also as the edges of polygons.
    Lines,
    /// Filled polygons.
    Triangles,
}

/// Shape of a stage's texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Shape {
    /// The stage has no texture, or does not look it up.
    None = 0,
    /// Two dimensions; one is two with a height of one.
    D2 = 1,
    /// Six faces.
    Cube = 2,
    /// Three dimensions.
    D3 = 3,
}

/// Where `SET_WINDOW_CLIP_TYPE` lets pixels through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum WindowClip {
    /// Everywhere: a rectangle covers the surface.
    Off = 0,
    /// In any of the eight rectangles.
    Inside = 1,
    /// In none of them.
    Outside = 2,
}

/// How the depth of a pixel is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Depth {
    /// As the rasteriser has it; nothing is computed.
    Host = 0,
    /// 16 bits, an integer.
    Fixed16 = 1,
    /// 24 bits, an integer.
    Fixed24 = 2,
    /// 16 bits: 4 of exponent, 12 of fraction.
    Float16 = 3,
    /// 24 bits: 8 of exponent, 16 of fraction.
    Float24 = 4,
}

impl Depth {
    /// The one of a number; [`Depth::Host`] for others.
    fn from_number(number: u8) -> Self {
        [Self::Host, Self::Fixed16, Self::Fixed24, Self::Float16, Self::Float24]
            .into_iter()
            .find(|depth| *depth as u8 == number)
            .unwrap_or(Self::Host)
    }

    fn of_texel(texel: nv2a::depth::Depth) -> Self {
        use nv2a::depth::Depth as Texel;
        match texel {
            Texel::Y16Fixed => Self::Fixed16,
            Texel::Y16Float => Self::Float16,
            Texel::Y24Fixed => Self::Fixed24,
            Texel::Y24Float => Self::Float24,
        }
    }
}

/// One stage of the texture shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct StageKey {
    /// [`Mode`].
    pub mode: u8,
    /// Number of the stage whose result is read, if the mode reads one.
    pub other: u8,
    /// How that result becomes a vector, 0 to 7 (`SET_DOT_RGBMAPPING`), if the mode has a dot product.
    pub mapping: u8,
    /// Bit per coordinate: throw the pixel away if it is not negative, instead of if it is (`SET_SHADER_CLIP_PLANE_MODE`).
    pub clip: u8,
    /// [`Shape`] of the texture that is looked up.
    pub shape: u8,
    /// [`StageKey::SCALED`] and its like.
    pub flags: u8,
    /// Signed components: alpha 1, red 2, green 4, blue 8.
    pub signs: u8,
    /// Lookups of the nearest texel that are averaged along a pixel's longer axis: 0, or up to 8.
    pub taps: u8,
    /// [`Depth`] of the texture's texels; [`Depth::Host`]: they are none.
    pub depth: u8,
}

impl StageKey {
    /// Coordinates are scaled and moved before the lookup: they are in texels, or the image has a border around it.
    pub const SCALED: u8 = 1 << 0;
    /// Comparisons with depths are filtered.
    pub const FILTERED: u8 = 1 << 1;
    /// A texel without alpha throws the pixel away.
    pub const ALPHA_KILL: u8 = 1 << 2;
    /// A texel that equals the colour key throws the pixel away.
    pub const COLOR_KEY: u8 = 1 << 3;
    /// Components have 16 bits.
    pub const WIDE: u8 = 1 << 4;
    /// The lookup mixes nine texels (`CONVOLUTION_2D_LOD0`), by the Gaussian kernel.
    pub const CONVOLVED: u8 = 1 << 5;
    /// A lookup can take the nearest texel alone.
    pub const NEAREST: u8 = 1 << 6;
    /// Coordinates are in texels: the texture lies in lines.
    pub const TEXELS: u8 = 1 << 7;

    /// Whether a flag is set.
    #[must_use]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// How the texture keeps depths, if it holds any.
    #[must_use]
    pub fn depth(&self) -> Option<Depth> {
        Some(Depth::from_number(self.depth)).filter(|depth| *depth != Depth::Host)
    }

    /// Of two colours behind each other, red to alpha: signed components of the second, others of the first.
    pub(super) fn pick_signed(&self) -> Swizzle {
        let parts = [1, 2, 3, 0].map(|bit| self.signs >> bit & 1 != 0);
        Swizzle::new(&[0u8, 1, 2, 3].map(|lane| lane + if parts[usize::from(lane)] { 4 } else { 0 }))
    }

    /// The shape of the texture that is looked up.
    #[must_use]
    pub fn shape(&self) -> Shape {
        [Shape::None, Shape::D2, Shape::Cube, Shape::D3][usize::from(self.shape & 3)]
    }
}

/// What decides the code of a pixel shader. Zero is a key: one that draws temporary 0, which is black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Key {
    /// The stages of the texture shader.
    pub stages: [StageKey; STAGES],
    /// Input and output word of each combiner's colour half.
    pub color: [[u32; 2]; COMBINERS],
    /// The same of its alpha half.
    pub alpha: [[u32; 2]; COMBINERS],
    /// `SET_COMBINER_SPECULAR_FOG_CW0` and `CW1`.
    pub last: [u32; 2],
    /// [`Key::FLAT`] and its like.
    pub flags: u32,
    /// Combiners that run, 0 to 8.
    pub combiners: u8,
    /// 0: no alpha test. Otherwise one more than the [`Compare`].
    pub alpha_test: u8,
    /// 0: no fog. Otherwise the [`FogCurve`].
    pub fog: u8,
    /// [`WindowClip`].
    pub window_clip: u8,
    /// [`Depth`].
    pub depth: u8,
    /// [`Compare`] of depths in textures with coordinates.
    pub shadow: u8,
    /// Zero.
    pub pad: [u8; 2],
}

impl Key {
    /// Colours are those of the provoking vertex.
    pub const FLAT: u32 = 1 << 0;
    /// Nothing is interpolated with perspective: what is interpolated comes times w.
    pub const AFFINE: u32 = 1 << 1;
    /// Back faces have their own colours.
    pub const TWO_SIDED: u32 = 1 << 2;
    /// Points carry the coordinates of stage 3.
    pub const POINT_SPRITE: u32 = 1 << 3;
    /// The polygon stipple throws pixels away.
    pub const STIPPLE: u32 = 1 << 4;
    /// Combiners have factors 0 of their own instead of the first one's.
    pub const OWN_FACTOR0: u32 = 1 << 5;
    /// The same of factors 1.
    pub const OWN_FACTOR1: u32 = 1 << 6;
    /// A mux goes by the highest bit of the alpha instead of the lowest.
    pub const MUX_MSB: u32 = 1 << 7;
    /// The depth of a pixel is its w.
    pub const W_BUFFER: u32 = 1 << 8;
    /// The polygon offset is added to the depth.
    pub const OFFSET: u32 = 1 << 9;
    /// Alpha is times the part of the pixel that lies inside of the primitive's edges ([`crate::io::EDGES`]).
    pub const SMOOTH: u32 = 1 << 10;
    /// Only even columns: of two samples of a pixel those at its corner.
    pub const CORNERS: u32 = 1 << 11;
    /// Only odd columns: of two samples of a pixel those in its middle.
    pub const CENTERS: u32 = 1 << 12;
    /// Samples at a pixel's corner have what is interpolated from its middle.
    pub const SHARED: u32 = 1 << 13;

    /// Whether a flag is set.
    #[must_use]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The mode of a stage (0 to 3). One that the stage may not have is none.
    #[must_use]
    pub fn mode(&self, stage: usize) -> Mode {
        Mode::from_number(self.stages[stage].mode).filter(|mode| mode.fits(stage)).unwrap_or(Mode::None)
    }

    /// The curve of fog, if there is any.
    #[must_use]
    pub fn fog_curve(&self) -> Option<FogCurve> {
        FogCurve::from_number(self.fog)
    }

    /// The alpha test, if there is any.
    #[must_use]
    pub fn alpha_compare(&self) -> Option<Compare> {
        self.alpha_test.checked_sub(1).map(Compare::from_number)
    }

    /// How depth is kept.
    #[must_use]
    pub fn depth(&self) -> Depth {
        Depth::from_number(self.depth)
    }

    /// The key of a draw. What makes no difference is zero, so that equal code has equal keys.
    #[must_use]
    pub fn of(registers: &Registers, drawn: Drawn) -> Self {
        let mut key = Self {
            last: [
                registers.get(method::SET_COMBINER_SPECULAR_FOG_CW0),
                registers.get(method::SET_COMBINER_SPECULAR_FOG_CW1),
            ],
            ..Self::default()
        };
        key.stages = stages(registers);
        key.read_combiners(registers);
        key.read_raster(registers, drawn);
        if key.stages.iter().any(|stage| stage.depth().is_some()) {
            key.shadow = Compare::of_shadow(registers.get(method::SET_SHADOW_COMPARE_FUNC)) as u8;
        }
        key
    }

    fn read_combiners(&mut self, registers: &Registers) {
        let control = registers.get(method::SET_COMBINER_CONTROL);
        self.combiners = (control & 0xFF).min(COMBINERS as u32) as u8;
        for (at, bit) in [(Self::MUX_MSB, 8), (Self::OWN_FACTOR0, 12), (Self::OWN_FACTOR1, 16)] {
            if control >> bit & 1 != 0 {
                self.flags |= at;
            }
        }
        for n in 0..usize::from(self.combiners) {
            let word = |base: u16| registers.get(base + 4 * n as u16);
            self.color[n] = [word(method::SET_COMBINER_COLOR_ICW), word(method::SET_COMBINER_COLOR_OCW)];
            self.alpha[n] = [word(method::SET_COMBINER_ALPHA_ICW), word(method::SET_COMBINER_ALPHA_OCW)];
        }
    }

    fn read_raster(&mut self, registers: &Registers, drawn: Drawn) {
        let control0 = registers.get(method::SET_CONTROL0);
        let set = |method: u16| registers.is_set(method);
        let flags = [
            (Self::FLAT, registers.get(method::SET_SHADE_MODEL) == io::FLAT),
            (Self::AFFINE, control0 & 1 << 20 == 0),
            (Self::TWO_SIDED, drawn == Drawn::Triangles && set(method::SET_LIGHT_TWO_SIDE_ENABLE)),
            (Self::POINT_SPRITE, drawn == Drawn::Points && set(method::SET_POINT_SMOOTH_ENABLE)),
            (Self::STIPPLE, drawn == Drawn::Triangles && set(method::SET_STIPPLE_ENABLE)),
        ];
        for (flag, is_set) in flags {
            if is_set {
                self.flags |= flag;
            }
        }
        if set(method::SET_ALPHA_TEST_ENABLE) {
            let compare = (registers.get(method::SET_ALPHA_FUNC) & 7) as u8;
            self.alpha_test = if compare == Compare::Always as u8 { 0 } else { compare + 1 };
        }
        if set(method::SET_FOG_ENABLE) {
            self.fog = FogCurve::of_method(registers.get(method::SET_FOG_MODE)) as u8;
        }
        self.window_clip = window_clip(registers) as u8;
        if set(method::SET_DEPTH_TEST_ENABLE) {
            let float = control0 & 1 << 12 != 0;
            let depth = match (registers.bits(method::SET_SURFACE_FORMAT, 4, 4), float) {
                (1, false) => Depth::Fixed16,
                (1, true) => Depth::Float16,
                (2, false) => Depth::Fixed24,
                (2, true) => Depth::Float24,
                _ => Depth::Host,
            };
            self.depth = depth as u8;
            if depth != Depth::Host && control0 & 1 << 16 != 0 {
                self.flags |= Self::W_BUFFER;
            }
            if depth != Depth::Host && drawn == Drawn::Triangles && set(method::SET_POLY_OFFSET_FILL_ENABLE) {
                self.flags |= Self::OFFSET;
            }
        }
    }
}

/// Whether a rectangle lets everything through that the surface clip does.
fn window_clip(registers: &Registers) -> WindowClip {
    if registers.is_set(method::SET_WINDOW_CLIP_TYPE) {
        return WindowClip::Outside;
    }
    let surface = [method::SET_SURFACE_CLIP_HORIZONTAL, method::SET_SURFACE_CLIP_VERTICAL].map(|clip| {
        let word = registers.get(clip);
        (word & 0xFFFF, (word & 0xFFFF) + (word >> 16))
    });
    let rectangles = [method::SET_WINDOW_CLIP_HORIZONTAL, method::SET_WINDOW_CLIP_VERTICAL];
    let covers = |n: u16| {
        rectangles.iter().zip(surface).all(|(rectangle, (first, end))| {
            let word = registers.get(rectangle + 4 * n);
            word & 0xFFF <= first && (word >> 16 & 0xFFF) + 1 >= end
        })
    };
    if (0..8).any(covers) { WindowClip::Off } else { WindowClip::Inside }
}

/// Bit of `SET_TEXTURE_CONTROL0` that enables a stage. Without it the stage does nothing, whatever its mode.
const TEXTURE_ENABLE: u32 = 1 << 30;

/// Whether stage `n` has a dot product made for stage 2, of mode `second`, whatever its own mode is: a "reflect diffuse" takes that
/// of the stage behind it.
pub(super) fn feeds_diffuse(n: usize, second: Mode) -> bool {
    n == 3 && second == Mode::DotReflectDiffuse
}

fn stages(registers: &Registers) -> [StageKey; STAGES] {
    let program = registers.get(method::SET_SHADER_STAGE_PROGRAM);
    let others = registers.get(method::SET_SHADER_OTHER_STAGE_INPUT);
    let mappings = registers.get(method::SET_DOT_RGBMAPPING);
    let clips = registers.get(method::SET_SHADER_CLIP_PLANE_MODE);
    let mode = |n: usize| {
        let enabled = registers.get(method::SET_TEXTURE_CONTROL0 + 0x40 * n as u16) & TEXTURE_ENABLE != 0;
        Mode::from_number((program >> (5 * n) & 31) as u8).filter(|mode| enabled && mode.fits(n))
    };
    std::array::from_fn(|n| {
        let mode_of_stage = mode(n).unwrap_or(Mode::None);
        let mut stage = StageKey { mode: mode_of_stage as u8, ..StageKey::default() };
        let feeds_diffuse = feeds_diffuse(n, mode(2).unwrap_or(Mode::None));
        if mode_of_stage.reads_other() || feeds_diffuse {
            let chosen = match n {
                2 => others >> 16 & 15,
                3 => others >> 20 & 15,
                _ => 0,
            };
            stage.other = chosen.min((n as u32).saturating_sub(1)) as u8;
        }
        if n > 0 && (mode_of_stage.has_dot() || feeds_diffuse) {
            stage.mapping = (mappings >> (4 * (n - 1)) & 7) as u8;
        }
        if mode_of_stage == Mode::ClipPlane {
            stage.clip = (clips >> (4 * n) & 15) as u8;
        }
        if mode_of_stage.samples() {
            read_texture(&mut stage, registers, 0x40 * n as u16);
        }
        stage
    })
}

fn read_texture(stage: &mut StageKey, registers: &Registers, offset: u16) {
    let control0 = registers.get(method::SET_TEXTURE_CONTROL0 + offset);
    let word = registers.get(method::SET_TEXTURE_FORMAT + offset);
    let filter = registers.get(method::SET_TEXTURE_FILTER + offset);
    let Some(format) = TextureFormat::from_code(word >> 8 & 0xFF) else { return };
    let info = format.info();
    let cube = word & 4 != 0;
    let is_linear = info.layout == Layout::Linear;
    let shape = match (cube && !is_linear, word >> 4 & 15) {
        (true, _) => Shape::Cube,
        (false, 3) if !is_linear => Shape::D3,
        _ => Shape::D2,
    };
    stage.shape = shape as u8;
    stage.signs = (filter >> 28) as u8;
    if let Decode::Depth(depth) = info.decode {
        stage.depth = Depth::of_texel(depth) as u8;
    }
    let has_border = word & 8 == 0;
    let (min_filter, mag_filter) = (filter >> 16 & 0xFF, filter >> 24 & 15);
    let flags = [
        (StageKey::SCALED, is_linear || has_border && shape != Shape::Cube),
        (StageKey::ALPHA_KILL, control0 & 4 != 0),
        (StageKey::COLOR_KEY, control0 & 3 == 3 && matches!(info.decode, Decode::Color(_))),
        (StageKey::WIDE, matches!(info.decode, Decode::Wide(_)) && shape != Shape::D3),
        (StageKey::CONVOLVED, min_filter == 7 && shape == Shape::D2),
        (StageKey::NEAREST, !matches!(min_filter, 2 | 4 | 6) || mag_filter != 2),
        (StageKey::TEXELS, is_linear),
    ];
    for (flag, is_set) in flags {
        if is_set {
            stage.flags |= flag;
        }
    }
    let nearest = matches!(min_filter, 1 | 3 | 5);
    if nearest && shape == Shape::D2 && stage.depth().is_none() && control0 >> 4 & 3 != 0 {
        stage.taps = 1 << (control0 >> 4 & 3);
    }
    if stage.depth().is_some() && mag_filter != 1 {
        stage.flags |= StageKey::FILTERED;
    }
}
