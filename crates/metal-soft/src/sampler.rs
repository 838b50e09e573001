//! Samplers, and lookups of textures with them. What Metal's documents leave open is done as lavapipe does it, with whose pictures ours are
//! compared: the logarithm of the level of detail, where an anisotropic lookup looks, and what is rounded on the way to a texel ([`wrap`]).
//! Weights are floats, as lavapipe's are without its shortcut of eight bits (`GALLIVM_PERF=no_aos_sampling`).

mod wrap;

use afterimage_metal_calls::{
    AddressMode, BorderColor, CompareFunction, Filter, MipFilter, SamplerDescriptor, TextureType,
};

use wrap::{Axis, Pair};

use crate::call::Lookup;
use crate::memory::Turn;
use crate::texture::{Place, SoftTexture};

/// What a lookup is done with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampler {
    pub(crate) of: SamplerDescriptor,
    /// Coordinates are texels.
    pub(crate) pixels: bool,
}

/// The bits that `sampler` of `cpp/metal_texture` has.
pub(crate) fn inline(state: u64) -> Sampler {
    let bits = |at: u32, count: u32| (state >> at) as u32 & ((1 << count) - 1);
    let filter = |at| if bits(at, 1) == 1 { Filter::Linear } else { Filter::Nearest };
    let address = |at| match bits(at, 3) {
        0 => AddressMode::ClampToEdge,
        1 => AddressMode::MirrorClampToEdge,
        2 => AddressMode::Repeat,
        3 => AddressMode::MirrorRepeat,
        4 => AddressMode::ClampToZero,
        _ => AddressMode::ClampToBorderColor,
    };
    let mip = match bits(3, 2) {
        0 => MipFilter::NotMipmapped,
        1 => MipFilter::Nearest,
        _ => MipFilter::Linear,
    };
    let border = match bits(14, 2) {
        0 => BorderColor::TransparentBlack,
        1 => BorderColor::OpaqueBlack,
        _ => BorderColor::OpaqueWhite,
    };
    let compare = match bits(16, 4) {
        0 => None,
        1 => Some(CompareFunction::Never),
        2 => Some(CompareFunction::Less),
        3 => Some(CompareFunction::Equal),
        4 => Some(CompareFunction::LessEqual),
        5 => Some(CompareFunction::Greater),
        6 => Some(CompareFunction::NotEqual),
        7 => Some(CompareFunction::GreaterEqual),
        _ => Some(CompareFunction::Always),
    };
    let lod = [0f32.to_bits(), 1000f32.to_bits()];
    let of = SamplerDescriptor {
        min: filter(1),
        mag: filter(2),
        mip,
        address: [address(5), address(8), address(11)],
        border,
        anisotropy: 1,
        lod,
        compare,
    };
    Sampler { of, pixels: bits(0, 1) == 1 }
}

/// Whether a comparison holds.
pub(crate) fn compare<T: PartialOrd>(function: CompareFunction, a: T, b: T) -> bool {
    match function {
        CompareFunction::Never => false,
        CompareFunction::Less => a < b,
        CompareFunction::Equal => a == b,
        CompareFunction::LessEqual => a <= b,
        CompareFunction::Greater => a > b,
        CompareFunction::NotEqual => a != b,
        CompareFunction::GreaterEqual => a >= b,
        CompareFunction::Always => true,
    }
}

/// A texel along one axis: where it is, or none for the border.
fn address(mode: AddressMode, at: i64, size: i64) -> Option<u32> {
    let inside = match mode {
        AddressMode::ClampToEdge => at.clamp(0, size - 1),
        AddressMode::Repeat => at.rem_euclid(size),
        AddressMode::MirrorRepeat => {
            let at = at.rem_euclid(2 * size);
            if at < size { at } else { 2 * size - 1 - at }
        }
        AddressMode::MirrorClampToEdge => (if at < 0 { -1 - at } else { at }).min(size - 1),
        AddressMode::ClampToZero | AddressMode::ClampToBorderColor if (0..size).contains(&at) => at,
        AddressMode::ClampToZero | AddressMode::ClampToBorderColor => return None,
    };
    Some(inside as u32)
}

/// The face of a cube that a direction meets: its number, and where on it, each -1 to 1, to the right and down.
/// Source: Metal Shading Language Specification and OpenGL's table of major axes.
pub(crate) fn face(d: [f32; 3]) -> (u32, [f32; 2]) {
    let size = d.map(f32::abs);
    let (face, s, t, major) = if size[0] >= size[1] && size[0] >= size[2] {
        if d[0] >= 0.0 { (0, -d[2], -d[1], size[0]) } else { (1, d[2], -d[1], size[0]) }
    } else if size[1] >= size[2] {
        if d[1] >= 0.0 { (2, d[0], d[2], size[1]) } else { (3, d[0], -d[2], size[1]) }
    } else if d[2] >= 0.0 {
        (4, d[0], -d[1], size[2])
    } else {
        (5, -d[0], -d[1], size[2])
    };
    (face, [s / major, t / major])
}

/// The direction of a place on a face.
fn direction(face: u32, [s, t]: [f32; 2]) -> [f32; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// A lookup under way.
struct Look<'a> {
    turn: &'a Turn,
    texture: &'a SoftTexture,
    sampler: Sampler,
    lookup: &'a Lookup,
    /// Slice of the first face, or of the layer.
    slice: u32,
    border: [u32; 4],
    is_float: bool,
}

impl Look<'_> {
    /// A texel of a level, through swizzle and comparison; outside of it is the border, or what the address mode has there.
    fn texel(&self, level: u32, at: [i64; 3], face: Option<u32>) -> [u32; 4] {
        let size = self.texture.size(level);
        let (at, slice) = match face {
            Some(face) => {
                let (face, at) = over_edge(face, at, i64::from(size[0]));
                ([at[0], at[1], 0], self.slice + face)
            }
            None => (at, self.slice),
        };
        let mut place = Place { level, slice, ..Place::default() };
        let mut inside = true;
        for i in 0..3 {
            match address(self.sampler.of.address[i], at[i], i64::from(size[i])) {
                Some(at) => place.at[i] = at,
                None => inside = false,
            }
        }
        let words = if inside { self.texture.plain(self.turn, place) } else { None };
        let words = words.map_or(self.border, |words| self.texture.swizzled(words));
        if self.lookup.compares == 0 {
            return words;
        }
        let function = self.sampler.of.compare.unwrap_or(CompareFunction::Never);
        let passes = compare(function, self.lookup.reference, f32::from_bits(words[0]));
        [f32::from(u8::from(passes)).to_bits(); 4]
    }

    /// Coordinates in texels of a level.
    fn unnormalized(&self, level: u32, coord: [f32; 3]) -> [f32; 3] {
        let size = self.texture.size(level);
        std::array::from_fn(|i| {
            let scale = if self.sampler.pixels { 1.0 } else { size[i] as f32 };
            coord[i] * scale + if self.is_axis(i) { self.lookup.offset[i] as f32 } else { 0.0 }
        })
    }

    /// Whether the texture has more than one texel along an axis at all.
    fn is_axis(&self, axis: usize) -> bool {
        match self.texture.view.ty {
            TextureType::D1 | TextureType::D1Array => axis == 0,
            TextureType::D3 => true,
            _ => axis < 2,
        }
    }

    /// What an axis of a level is, for [`wrap`].
    fn axis(&self, level: u32, axis: usize) -> Axis {
        Axis {
            mode: self.sampler.of.address[axis],
            size: self.texture.size(level)[axis],
            power_of_two: self.texture.size(0)[axis].is_power_of_two(),
            pixels: self.sampler.pixels,
            offset: self.lookup.offset[axis],
        }
    }

    fn level(&self, level: u32, filter: Filter, coord: [f32; 3], face: Option<u32>) -> [f32; 4] {
        if filter == Filter::Nearest {
            return self.nearest_words(level, coord, face).map(f32::from_bits);
        }
        let mut pairs = [Pair { texels: [0, 0], weight: 0.0 }; 3];
        for i in (0..3).filter(|&i| self.is_axis(i)) {
            pairs[i] = match face {
                // Its edges are another face's.
                Some(_) => Pair::beside(coord[i].max(0.0) * self.texture.size(level)[i] as f32 - 0.5),
                None => self.axis(level, i).linear(coord[i]),
            };
        }
        self.mixed(&pairs, 3, [0; 3], &|at| self.texel(level, at, face).map(f32::from_bits))
    }

    /// The texels of pairs, of as many axes from the first on. What has no weight is not read.
    fn mixed(
        &self,
        pairs: &[Pair; 3],
        axes: usize,
        mut at: [i64; 3],
        texel: &dyn Fn([i64; 3]) -> [f32; 4],
    ) -> [f32; 4] {
        let Some(axis) = axes.checked_sub(1) else { return texel(at) };
        let Pair { texels, weight } = pairs[axis];
        at[axis] = texels[0];
        let first = self.mixed(pairs, axis, at, texel);
        if weight == 0.0 {
            return first;
        }
        at[axis] = texels[1];
        let second = self.mixed(pairs, axis, at, texel);
        std::array::from_fn(|i| weight.mul_add(second[i] - first[i], first[i]))
    }

    fn nearest_words(&self, level: u32, coord: [f32; 3], face: Option<u32>) -> [u32; 4] {
        let at = |i: usize| if self.is_axis(i) { self.axis(level, i).nearest(coord[i]) } else { 0 };
        self.texel(level, std::array::from_fn(at), face)
    }

    /// Gradients along x and y in texels of the largest level.
    fn gradients(&self, face: Option<u32>, of: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
        let size = self.texture.size(0);
        of.map(|d| match face {
            // On the face: of s = x / m, the change is (dx - s dm) / m.
            Some(_) => {
                let whole = face_of(self.lookup.coord, d);
                [whole[0] * 0.5 * size[0] as f32, whole[1] * 0.5 * size[0] as f32, 0.0]
            }
            None => std::array::from_fn(|i| {
                let scale = if self.sampler.pixels { 1.0 } else { size[i] as f32 };
                if self.is_axis(i) { d[i] * scale } else { 0.0 }
            }),
        })
    }

    /// The level of detail that gradients ask for.
    fn detail(&self, gradients: [[f32; 3]; 2]) -> f32 {
        let [x, y] = gradients.map(|d| d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        let (longer, shorter) = if x > y { (x, y) } else { (y, x) };
        let anisotropy = self.anisotropy() as f32;
        0.5 * log2(if anisotropy > 1.0 { shorter.max(longer / (anisotropy * anisotropy)) } else { longer })
    }

    /// How much longer than wide a footprint may be.
    fn anisotropy(&self) -> u32 {
        if self.sampler.of.min == Filter::Linear && self.lookup.kind == 1 {
            self.sampler.of.anisotropy.max(1)
        } else {
            1
        }
    }

    /// The mean of lookups along the longer axis of the footprint, one for each texel of its length and no more than 16, as lavapipe does it:
    /// Metal's documents do not say.
    fn along(&self, level: u32, coord: [f32; 3], face: Option<u32>, gradients: [[f32; 3]; 2]) -> [f32; 4] {
        let (size, whole) = (self.texture.size(level), self.texture.size(0));
        let edge = |i: usize| if face.is_some() { whole[0] } else { whole[i] } as f32;
        // As parts of the texture.
        let parts = gradients.map(|d| [d[0] / edge(0), d[1] / edge(1)]);
        let longest = |d: [f32; 2]| d[0].abs().max(d[1].abs());
        let (x, y) = (longest(parts[0]) * size[0] as f32, longest(parts[1]) * size[1] as f32);
        let axis = if x > y { parts[0] } else { parts[1] };
        let count = x.max(y).ceil().clamp(1.0, 16.0);
        let scale = |i: usize| if self.sampler.pixels { edge(i) } else { 1.0 };
        let mut sum = [0.0; 4];
        for k in 0..count as u32 {
            let by = (k as f32 + 0.5) / count - 0.5;
            let mut at = [coord[0] + by * axis[0] * scale(0), coord[1] + by * axis[1] * scale(1), coord[2]];
            if face.is_some() {
                at = at.map(|at| at.clamp(0.0, 1.0));
            }
            let texel = self.level(level, Filter::Linear, at, face);
            sum = std::array::from_fn(|i| sum[i] + texel[i]);
        }
        sum.map(|sum| sum / count)
    }
}

/// The logarithm to base 2 as graphics hardware and lavapipe have it: a straight line from a power of two to the next, never more than
/// 0.087 too small. (Of a square, so that the level of detail is never more than 0.044 too small.)
fn log2(value: f32) -> f32 {
    let bits = value.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let mantissa = f32::from_bits(bits & 0x7f_ffff | 1f32.to_bits());
    exponent as f32 + mantissa - 1.0
}

/// How a place on the face of a cube changes with the direction.
fn face_of(at: [f32; 3], by: [f32; 3]) -> [f32; 2] {
    let size = at.map(f32::abs);
    let axis = if size[0] >= size[1] && size[0] >= size[2] {
        0
    } else if size[1] >= size[2] {
        1
    } else {
        2
    };
    let major = size[axis];
    let change = by[axis] * at[axis].signum();
    let others = match axis {
        0 => [2, 1],
        1 => [0, 2],
        _ => [0, 1],
    };
    others.map(|i| (by[i] - at[i] / major * change) / major)
}

fn floor(value: f32) -> i64 {
    if value.is_nan() { 0 } else { value.floor().clamp(-1e9, 1e9) as i64 }
}

/// A texel beside a face lies on the next one.
fn over_edge(face_at: u32, at: [i64; 3], size: i64) -> (u32, [i64; 2]) {
    let inside = |v: i64| (0..size).contains(&v);
    if inside(at[0]) && inside(at[1]) {
        return (face_at, [at[0], at[1]]);
    }
    if !inside(at[0]) && !inside(at[1]) {
        // A corner has no fourth texel: the nearest on the face stands for it.
        return (face_at, [at[0].clamp(0, size - 1), at[1].clamp(0, size - 1)]);
    }
    let place = |v: i64| (2.0 * v as f32 + 1.0) / size as f32 - 1.0;
    let (next, on) = face(direction(face_at, [place(at[0]), place(at[1])]));
    let texel = |v: f32| (((v + 1.0) * 0.5 * size as f32).floor() as i64).clamp(0, size - 1);
    (next, [texel(on[0]), texel(on[1])])
}

/// Looks a texture up.
pub(crate) fn sample(turn: &Turn, texture: &SoftTexture, sampler: Sampler, lookup: &Lookup) -> [u32; 4] {
    use crate::texel::{Kind, fields};
    let is_float = !matches!(fields(texture.format()).0, Kind::Uint | Kind::Sint);
    let one = if is_float { 1f32.to_bits() } else { 1 };
    let border = match (sampler.of.address.contains(&AddressMode::ClampToBorderColor), sampler.of.border) {
        (true, BorderColor::OpaqueBlack) => [0, 0, 0, one],
        (true, BorderColor::OpaqueWhite) => [one; 4],
        (true, BorderColor::TransparentBlack) => [0; 4],
        (false, _) => texture.outside(),
    };
    let is_cube = matches!(texture.view.ty, TextureType::Cube | TextureType::CubeArray);
    let layers = texture.layers();
    let layer = lookup.layer.min(layers.saturating_sub(1));
    let slice = layer * if is_cube { 6 } else { 1 };
    let mut look = Look { turn, texture, sampler, lookup, slice, border, is_float };
    let (mut coord, mut on) = (lookup.coord, None);
    if is_cube {
        let (number, at) = face(lookup.coord);
        coord = [(at[0] + 1.0) * 0.5, (at[1] + 1.0) * 0.5, 0.0];
        on = Some(number);
        look.sampler.of.address = [AddressMode::ClampToEdge; 3];
    }
    if lookup.kind == 2 {
        return gather(&look, coord, on);
    }
    // All pixels of a quad have one level of detail.
    let of_quad = look.gradients(on, [lookup.quad_dx, lookup.quad_dy]);
    let detail = if lookup.kind == 0 { lookup.lod } else { look.detail(of_quad) + lookup.lod };
    let [least, most] = sampler.of.lod.map(f32::from_bits);
    let least = least.max(lookup.least);
    // No level of detail at all (no gradients) is that of the largest.
    let detail = if detail.is_nan() { least } else { detail.clamp(least, most.max(least)) };
    let filter = if detail > 0.0 { sampler.of.min } else { sampler.of.mag };
    let last = texture.view.levels[1].saturating_sub(1);
    let detail = detail.clamp(0.0, last as f32);
    let (level, by) = match sampler.of.mip {
        MipFilter::NotMipmapped => (0, 0.0),
        MipFilter::Nearest => ((detail + 0.5).floor() as u32, 0.0),
        MipFilter::Linear => (detail.floor() as u32, detail.fract()),
    };
    if !look.is_float {
        return look.nearest_words(level.min(last), coord, on);
    }
    if look.anisotropy() > 1 {
        let own = look.gradients(on, [lookup.dx, lookup.dy]);
        return look.along(level.min(last), coord, on, own).map(f32::to_bits);
    }
    let first = look.level(level.min(last), filter, coord, on);
    if by == 0.0 || level >= last {
        return first.map(f32::to_bits);
    }
    let second = look.level(level + 1, filter, coord, on);
    std::array::from_fn(|i| by.mul_add(second[i] - first[i], first[i]).to_bits())
}

/// A component of the four texels that a linear filter would take, from the bottom left against the clock.
fn gather(look: &Look<'_>, coord: [f32; 3], on: Option<u32>) -> [u32; 4] {
    let at = look.unnormalized(0, coord);
    let first = [floor(at[0] - 0.5), floor(at[1] - 0.5)];
    let component = look.lookup.component as usize & 3;
    [[0, 1], [1, 1], [1, 0], [0, 0]].map(|[x, y]| look.texel(0, [first[0] + x, first[1] + y, 0], on)[component])
}
