//! What pixel shaders read: the values among the registers, as registers of [`Bank::Pixel`](crate::banks::Bank::Pixel).

use crate::io;
use afterimage_abi::register_layout;
use afterimage_nv2a_types::{COMBINERS, Registers, STAGES, method};
use afterimage_texture::nv2a::{ColorKey, KeyMode, Layout, TextureFormat};

register_layout! {
    /// Registers of [`Bank::Pixel`](crate::banks::Bank::Pixel). Colours are red, green, blue, alpha in 0..1.
    PixelRegister {
        /// `SET_COMBINER_FACTOR0`.
        Factor0 = 0 + 1 x 8;
        /// `SET_COMBINER_FACTOR1`.
        Factor1 = 8 + 1 x 8;
        /// Factors 0 and 1 of the final combiner.
        FinalFactor = 16 + 1 x 2;
        /// `SET_FOG_COLOR`.
        FogColor = 18 + 1 x 1;
        /// x: bias, y: multiplier of the fog coordinate.
        FogParams = 19 + 1 x 1;
        /// x: reference of the alpha test, 0 to 255.
        AlphaReference = 20 + 1 x 1;
        /// `SET_EYE_VECTOR`.
        EyeVector = 21 + 1 x 1;
        /// `SET_TEXTURE_SET_BUMP_ENV_MAT`.
        BumpMatrix = 22 + 1 x 4;
        /// x: scale, y: offset of luminance.
        BumpLuminance = 26 + 1 x 4;
        /// What texture coordinates are multiplied by; w is unused.
        CoordinateScale = 30 + 1 x 4;
        /// What is added to them then.
        CoordinateOffset = 34 + 1 x 4;
        /// Integers: the colour key as a word 0xAARRGGBB, and the bits of it that count.
        ColorKey = 38 + 1 x 4;
        /// Integers: left, top, right, bottom of a window clip rectangle in pixels of the host; right and bottom are outside.
        WindowClip = 42 + 1 x 8;
        /// Integers: four rows of the polygon stipple.
        Stipple = 50 + 1 x 8;
        /// x, y, z: size of a texel of the image in its coordinates.
        TexelSize = 58 + 1 x 4;
        /// x: what is added to depths, y: what the slope of a polygon's depth is multiplied by to be added.
        DepthOffset = 62 + 1 x 1;
    }
}

/// Registers of the bank.
const REGISTERS: usize = PixelRegister::COUNT as usize;

/// What the bank holds, from register 0. Depends on the groups `PixelConstants` and `Textures`.
#[must_use]
pub fn constants(registers: &Registers) -> [[u32; 4]; PixelRegister::COUNT as usize] {
    let mut out = Out([[0; 4]; REGISTERS]);
    use PixelRegister as R;
    for n in 0..COMBINERS as u16 {
        out.floats(R::Factor0.element(n), argb(registers.get(method::SET_COMBINER_FACTOR0 + 4 * n)));
        out.floats(R::Factor1.element(n), argb(registers.get(method::SET_COMBINER_FACTOR1 + 4 * n)));
        out.0[usize::from(R::WindowClip.element(n))] = window_clip(registers, n);
        out.0[usize::from(R::Stipple.element(n))] =
            std::array::from_fn(|row| registers.get(method::SET_STIPPLE_PATERN_0 + 16 * n + 4 * row as u16));
    }
    for n in 0..2 {
        out.floats(R::FinalFactor.element(n), argb(registers.get(method::SET_SPECULAR_FOG_FACTOR + 4 * n)));
    }
    let fog = registers.get(method::SET_FOG_COLOR);
    out.floats(R::FogColor.register(), argb(fog & 0xFF00_FF00 | fog >> 16 & 0xFF | (fog & 0xFF) << 16));
    let [bias, multiplier, _] = registers.floats(method::SET_FOG_PARAMS);
    out.floats(R::FogParams.register(), [bias, multiplier, 0.0, 0.0]);
    out.floats(R::AlphaReference.register(), [registers.bits(method::SET_ALPHA_REF, 0, 8) as f32, 0.0, 0.0, 0.0]);
    let [x, y, z] = registers.floats(method::SET_EYE_VECTOR);
    out.floats(R::EyeVector.register(), [x, y, z, 0.0]);
    let [factor, bias] = registers.floats(method::SET_POLYGON_OFFSET_SCALE_FACTOR);
    out.floats(R::DepthOffset.register(), [bias, factor, 0.0, 0.0]);
    for n in 0..STAGES as u16 {
        let stage = 0x40 * n;
        out.floats(R::BumpMatrix.element(n), registers.floats(method::SET_TEXTURE_SET_BUMP_ENV_MAT + stage));
        let [scale, offset] = registers.floats(method::SET_TEXTURE_SET_BUMP_ENV_SCALE + stage);
        out.floats(R::BumpLuminance.element(n), [scale, offset, 0.0, 0.0]);
        let Placement { scale, offset, texel } = placement(registers, stage);
        out.floats(R::CoordinateScale.element(n), [scale[0], scale[1], scale[2], 0.0]);
        out.floats(R::CoordinateOffset.element(n), [offset[0], offset[1], offset[2], 0.0]);
        out.floats(R::TexelSize.element(n), [texel[0], texel[1], texel[2], 0.0]);
        let (key, mask) = color_key(registers, n);
        out.0[usize::from(R::ColorKey.element(n))] = [key, mask, 0, 0];
    }
    out.0
}

struct Out([[u32; 4]; REGISTERS]);

impl Out {
    fn floats(&mut self, register: u16, value: [f32; 4]) {
        self.0[usize::from(register)] = value.map(f32::to_bits);
    }
}

/// A word 0xAARRGGBB as red, green, blue, alpha.
fn argb(word: u32) -> [f32; 4] {
    [16, 8, 0, 24].map(|shift| (word >> shift & 0xFF) as f32 / 255.0)
}

fn window_clip(registers: &Registers, n: u16) -> [u32; 4] {
    let [across, down] = io::samples(registers);
    let x = registers.get(method::SET_WINDOW_CLIP_HORIZONTAL + 4 * n);
    let y = registers.get(method::SET_WINDOW_CLIP_VERTICAL + 4 * n);
    let (first, end) = (|word: u32| word & 0xFFF, |word: u32| (word >> 16 & 0xFFF) + 1);
    [first(x) * across, first(y) * down, end(x) * across, end(y) * down]
}

/// From a stage's coordinates to those of the host's image.
struct Placement {
    scale: [f32; 3],
    offset: [f32; 3],
    texel: [f32; 3],
}

/// What coordinates in texels get on top once they are parts of an image whose size is no power of two, so that none which lies
/// between two texels comes out before their edge: hosts round it to a float, and an H100 cuts it to a multiple of 2^-21
/// (measured: in images of 640, 720, 1,280 and 4,095 texels it finds a texel from up to that much behind its edge on, in one of
/// 256 from the edge on).
const CUT: f32 = 1.25 / (1u32 << 21) as f32;

/// Texels of border around an image that has one.
const BORDER: f32 = 4.0;

fn placement(registers: &Registers, stage: u16) -> Placement {
    let word = registers.get(method::SET_TEXTURE_FORMAT + stage);
    let linear =
        TextureFormat::from_code(word >> 8 & 0xFF).is_some_and(|format| format.info().layout == Layout::Linear);
    if linear {
        let size = registers.get(method::SET_TEXTURE_IMAGE_RECT + stage);
        let size = [size >> 16, size & 0xFFFF, 1].map(|size| size.max(1));
        let texel = size.map(|size| 1.0 / size as f32);
        let offset = size.map(|size| if size.is_power_of_two() { 0.0 } else { CUT });
        return Placement { scale: texel, offset, texel };
    }
    let size = [20, 24, 28].map(|shift| (1u32 << (word >> shift & 15)) as f32);
    if word & 8 != 0 {
        return Placement { scale: [1.0; 3], offset: [0.0; 3], texel: size.map(f32::recip) };
    }
    let stored = size.map(|size| (2.0 * size).max(16.0));
    Placement {
        scale: std::array::from_fn(|n| size[n] / stored[n]),
        offset: stored.map(|stored| BORDER / stored),
        texel: stored.map(f32::recip),
    }
}

fn color_key(registers: &Registers, n: u16) -> (u32, u32) {
    let format = registers.bits(method::SET_TEXTURE_FORMAT + 0x40 * n, 8, 8);
    let key = ColorKey { key: registers.get(method::SET_COLOR_KEY_COLOR + 4 * n), mode: KeyMode::Kill };
    TextureFormat::from_code(format).and_then(|format| key.expanded(format)).unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(constants: &[[u32; 4]; REGISTERS], register: u16) -> [f32; 4] {
        constants[usize::from(register)].map(f32::from_bits)
    }

    #[test]
    fn colours_have_the_order_of_their_method() {
        let mut registers = Registers::new();
        registers.set(method::SET_COMBINER_FACTOR1 + 8, 0xFF00_3366);
        registers.set(method::SET_FOG_COLOR, 0xFF00_3366);
        let constants = constants(&registers);
        assert_eq!(float(&constants, PixelRegister::Factor1.element(2)), [0.0, 0.2, 0.4, 1.0]);
        assert_eq!(float(&constants, PixelRegister::FogColor.register()), [0.4, 0.2, 0.0, 1.0]);
    }

    #[test]
    fn rectangles_grow_with_anti_aliasing() {
        let mut registers = Registers::new();
        registers.set(method::SET_WINDOW_CLIP_HORIZONTAL + 4, 99 << 16 | 10);
        registers.set(method::SET_WINDOW_CLIP_VERTICAL + 4, 49 << 16 | 20);
        let at = usize::from(PixelRegister::WindowClip.element(1));
        assert_eq!(constants(&registers)[at], [10, 20, 100, 50]);
        registers.set(method::SET_SURFACE_FORMAT, 0x1128);
        assert_eq!(constants(&registers)[at], [20, 20, 200, 50]);
    }

    #[test]
    fn coordinates_find_the_image_in_its_border() {
        let mut registers = Registers::new();
        let at = |registers: &Registers, register: PixelRegister| float(&constants(registers), register.register());
        registers.set(method::SET_TEXTURE_FORMAT, 5 << 24 | 2 << 20 | 0x0600);
        assert_eq!(at(&registers, PixelRegister::CoordinateScale)[..2], [0.25, 0.5]);
        assert_eq!(at(&registers, PixelRegister::CoordinateOffset)[..2], [0.25, 1.0 / 16.0]);
        registers.set(method::SET_TEXTURE_FORMAT, 0x1208);
        registers.set(method::SET_TEXTURE_IMAGE_RECT, 640 << 16 | 480);
        assert_eq!(at(&registers, PixelRegister::CoordinateScale)[..2], [1.0 / 640.0, 1.0 / 480.0]);
    }
}
