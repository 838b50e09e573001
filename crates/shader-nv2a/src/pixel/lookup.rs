//! A lookup of a stage's texture: shapes that are not what the mode expects, depths, and texels that throw pixels away.

use super::anisotropy;
use super::constants::PixelRegister as R;
use super::coverage::compare;
use super::depth;
use super::key::{Depth, Shape, StageKey, feeds_diffuse};
use super::shared::Lift;
use super::tables::Compare;
use afterimage_ir::{Component, Dim, Kind, Swizzle, Texture, TextureDecl, Type, Value};
use afterimage_nv2a_types::STAGES;

impl Lift<'_> {
    /// What the texture of `stage` holds at `place` (s, t, r), for a mode that wants a texture of shape `wanted`. Without a
    /// texture, black.
    pub(super) fn lookup(&mut self, stage: usize, place: Value, wanted: Shape) -> Value {
        let key = self.key.stages[stage];
        if key.shape() == Shape::None {
            return self.b.f32x4([0.0, 0.0, 0.0, 1.0]);
        }
        if key.depth().is_some() {
            let zero = self.b.f32(0.0);
            return self.lookup_depth(stage, place, wanted, zero);
        }
        let place = self.as_shape(stage, place, wanted, key.shape());
        let place = if key.has(StageKey::SCALED) { self.on_image(stage, place) } else { place };
        let place = if self.is_read(stage) { self.on_weights(stage, place) } else { place };
        let texel = if key.has(StageKey::CONVOLVED) {
            self.convolve(stage, place)
        } else if key.taps > 1 && key.shape() == Shape::D2 {
            let texture = self.texture(stage);
            anisotropy::average(self, stage, texture, place, key.taps.min(8))
        } else {
            let texture = self.texture(stage);
            self.b.sample(texture, place, None)
        };
        let texel = self.signed(stage, texel);
        self.kill_by_texel(stage, texel);
        texel
    }

    /// A texel with its signed components in units of 2/255, down to -1. Textures hold them in units of 1/128, so that what is
    /// filtered is mixed from all of -128. Those of 16 bits are in units of 1/32767, and raised by 32768 in the texture.
    fn signed(&mut self, stage: usize, texel: Value) -> Value {
        let key = self.key.stages[stage];
        if key.signs == 0 {
            return texel;
        }
        let least = self.b.f32(-1.0);
        let signed = if key.has(StageKey::WIDE) {
            let (scale, raised) = (self.b.f32(65535.0 / 32767.0), self.b.f32(-32768.0 / 32767.0));
            self.b.fmad(texel, scale, raised)
        } else {
            let scale = self.b.f32(256.0 / 255.0);
            self.b.fmul(texel, scale)
        };
        let signed = self.b.fmax(signed, least);
        self.b.shuffle(texel, signed, key.pick_signed())
    }

    /// The texture of a stage, declared once.
    fn texture(&mut self, stage: usize) -> Texture {
        let dim = match self.key.stages[stage].shape() {
            Shape::Cube => Dim::Cube,
            Shape::D3 => Dim::D3,
            Shape::None | Shape::D2 => Dim::D2,
        };
        let known = self.b.module().textures.iter().position(|texture| usize::from(texture.slot) == stage);
        known.map(Texture::new).unwrap_or_else(|| {
            self.b.texture(TextureDecl { slot: stage as u8, dim, shadow: false, component: Component::Float })
        })
    }

    /// Coordinates for a shape, as coordinates for another. The stage divides and picks a cube's face, the texture's format
    /// halves what is a place on a face: so a plane where a cube is wanted repeats over -1..1, and a cube where a plane is wanted
    /// shows the first face's upper right quarter, from its middle upwards: at the edge of two texels that is the lower one. A
    /// volume where a plane is wanted shows its first slice.
    fn as_shape(&mut self, stage: usize, place: Value, wanted: Shape, actual: Shape) -> Value {
        match (wanted, actual) {
            (Shape::Cube, Shape::Cube) | (Shape::D3, Shape::D3) => self.b.resize(place, 3),
            (Shape::Cube, Shape::D3) => {
                let place = self.on_face(place);
                self.on_first_slice(stage, place)
            }
            (Shape::Cube, _) => self.on_face(place),
            (_, Shape::D3) => {
                let place = self.b.resize(place, 2);
                self.on_first_slice(stage, place)
            }
            (_, Shape::Cube) => {
                let (s, t, one) = (self.b.extract(place, 0), self.b.extract(place, 1), self.b.f32(1.0));
                let (s, edge) = (self.b.fneg(s), self.b.f32(-1.0 / (1u32 << 20) as f32));
                let t = self.b.fadd(t, edge);
                self.b.construct(&[one, t, s])
            }
            _ => self.b.resize(place, 2),
        }
    }

    fn on_first_slice(&mut self, stage: usize, place: Value) -> Value {
        let (size, half) = (self.constant(R::TexelSize, stage as u16), self.b.f32(0.5));
        let depth = self.b.extract(size, 2);
        let depth = self.b.fmul(depth, half);
        self.b.construct(&[place, depth])
    }

    /// Where on its face of a cube a direction points to, -1..1 to the right and up.
    fn on_face(&mut self, direction: Value) -> Value {
        let direction = self.b.resize(direction, 3);
        let [x, y, z] = [0, 1, 2].map(|lane| self.b.extract(direction, lane));
        let [ax, ay, az] = [x, y, z].map(|value| self.b.fabs(value));
        let [nx, nz] = [x, z].map(|value| self.b.fneg(value));
        let zero = self.b.f32(0.0);
        let (left, down, behind) = (self.b.flt(x, zero), self.b.flt(y, zero), self.b.flt(z, zero));
        let (s_x, t_y, s_z) = (self.b.select(left, z, nz), self.b.select(down, z, nz), self.b.select(behind, nx, x));
        let (on_x, on_y, on_z) =
            (self.b.construct(&[s_x, y]), self.b.construct(&[x, t_y]), self.b.construct(&[s_z, y]));
        let y_first = self.b.fle(az, ay);
        let (yz, a_yz) = (self.b.select(y_first, on_y, on_z), self.b.fmax(ay, az));
        let x_first = self.b.fle(a_yz, ax);
        let (place, major) = (self.b.select(x_first, on_x, yz), self.b.fmax(ax, a_yz));
        self.b.fdiv(place, major)
    }

    /// From the stage's coordinates to those of the image.
    fn on_image(&mut self, stage: usize, place: Value) -> Value {
        let lanes = self.b.ty(place).lanes;
        let scale = self.constant(R::CoordinateScale, stage as u16);
        let offset = self.constant(R::CoordinateOffset, stage as u16);
        let (scale, offset) = (self.b.resize(scale, lanes), self.b.resize(offset, lanes));
        self.b.fmad(place, scale, offset)
    }

    /// Whether another stage computes from the result of `stage`.
    fn is_read(&self, stage: usize) -> bool {
        (stage + 1..STAGES).any(|n| {
            let feeds_diffuse = feeds_diffuse(n, self.key.mode(2));
            (self.key.mode(n).reads_other() || feeds_diffuse) && usize::from(self.key.stages[n].other) == stage
        })
    }

    /// Coordinates at which hosts mix neighbouring texels by the console's weights: those have eight bits, and what is below them
    /// is lost. For what another stage reads, where a level can be more than a texel of that stage's texture.
    ///
    /// Source: the pictures of a console (suite Bump map), which have these weights in every column between two texels.
    fn on_weights(&mut self, stage: usize, place: Value) -> Value {
        let key = self.key.stages[stage];
        if key.shape() != Shape::D2 || key.has(StageKey::NEAREST) {
            return place;
        }
        let size = self.constant(R::TexelSize, stage as u16);
        let (size, part) = (self.b.resize(size, 2), self.b.f32(1.0 / 256.0));
        let parts = self.b.fmul(size, part);
        let place = self.b.fdiv(place, parts);
        // Room for what hosts lose at whole parts.
        let room = self.b.f32(1.0 / 32.0);
        let place = self.b.fadd(place, room);
        let place = self.b.ffloor(place);
        self.b.fmul(place, parts)
    }

    /// Nine lookups around a place, weighted 1 2 1, 2 4 2, 1 2 1.
    fn convolve(&mut self, stage: usize, place: Value) -> Value {
        let texture = self.texture(stage);
        let size = self.constant(R::TexelSize, stage as u16);
        let size = self.b.resize(size, 2);
        let mut sum: Option<Value> = None;
        for (y, row) in [(-1.0f32, 1.0), (0.0, 2.0), (1.0, 1.0)] {
            for (x, column) in [(-1.0f32, 1.0), (0.0, 2.0), (1.0, 1.0)] {
                let step = self.b.const_bits(Type::F32X2, [x.to_bits(), y.to_bits(), 0, 0]);
                let place = self.b.fmad(step, size, place);
                let texel = self.b.sample(texture, place, None);
                let weight = self.b.f32(row * column / 16.0);
                sum = Some(match sum {
                    Some(sum) => self.b.fmad(texel, weight, sum),
                    None => self.b.fmul(texel, weight),
                });
            }
        }
        sum.unwrap_or(place)
    }

    /// `reference` (in units of the depth) compared with a depth texture, as what the texture's format would keep of it: all four
    /// components are how much of it passes.
    ///
    /// Source: the pictures of a console (suite Texture shadow comparator), where r is equal to the depth that it was drawn with.
    pub(super) fn lookup_depth(&mut self, stage: usize, place: Value, wanted: Shape, reference: Value) -> Value {
        let key = self.key.stages[stage];
        let test = Compare::from_number(self.key.shadow);
        let reference = depth::kept(self, key.depth().unwrap_or(Depth::Host), reference);
        let place = self.as_shape(stage, place, wanted, key.shape());
        let place = if key.has(StageKey::SCALED) { self.on_image(stage, place) } else { place };
        let texture = self.texture(stage);
        let [one, zero] = [1.0, 0.0].map(|value| self.b.f32(value));
        let lit = if key.has(StageKey::FILTERED) && key.shape() == Shape::D2 {
            let texels = self.b.gather(texture, place);
            let passes = compare(self, test, reference, texels);
            let passes = self.b.select(passes, one, zero);
            self.weigh(stage, place, passes)
        } else {
            let texel = self.b.sample(texture, place, None);
            let texel = self.b.extract(texel, 0);
            let passes = compare(self, test, reference, texel);
            self.b.select(passes, one, zero)
        };
        self.b.swizzle(lit, Swizzle::splat(0, 4))
    }

    /// Four results of a gather, mixed as a linear lookup at `place` mixes texels.
    fn weigh(&mut self, stage: usize, place: Value, texels: Value) -> Value {
        let size = self.constant(R::TexelSize, stage as u16);
        let size = self.b.resize(size, 2);
        let half = self.b.f32(0.5);
        let texel = self.b.fdiv(place, size);
        let texel = self.b.fsub(texel, half);
        let part = self.b.ffract(texel);
        let [x, y] = [0, 1].map(|lane| self.b.extract(part, lane));
        let [lower_left, lower_right, upper_right, upper_left] = [0, 1, 2, 3].map(|lane| self.b.extract(texels, lane));
        let upper = self.mix(upper_left, upper_right, x);
        let lower = self.mix(lower_left, lower_right, x);
        self.mix(upper, lower, y)
    }

    fn mix(&mut self, from: Value, to: Value, part: Value) -> Value {
        let difference = self.b.fsub(to, from);
        self.b.fmad(difference, part, from)
    }

    /// Alpha kill and the colour key's kill.
    fn kill_by_texel(&mut self, stage: usize, texel: Value) {
        let key = self.key.stages[stage];
        if key.has(StageKey::ALPHA_KILL) {
            let (alpha, zero) = (self.b.extract(texel, 3), self.b.f32(0.0));
            let gone = self.b.feq(alpha, zero);
            self.b.demote(gone);
        }
        if key.has(StageKey::COLOR_KEY) {
            let word = self.texel_word(texel);
            let constant = self.constant_as(Kind::Int, R::ColorKey, stage as u16);
            let (wanted, mask) = (self.b.extract(constant, 0), self.b.extract(constant, 1));
            let difference = self.b.ixor(word, wanted);
            let difference = self.b.iand(difference, mask);
            let zero = self.b.i32(0);
            let equal = self.b.ieq(difference, zero);
            self.b.demote(equal);
        }
    }

    /// A texel as a word 0xAARRGGBB.
    fn texel_word(&mut self, texel: Value) -> Value {
        let steps = self.b.f32(255.0);
        let texel = self.b.fsat(texel);
        let bytes = self.b.fmul(texel, steps);
        let bytes = self.b.fround(bytes);
        let bytes = self.b.f2u(bytes);
        let shifts = self.b.const_bits(Type::I32X4, [16, 8, 0, 24]);
        let bytes = self.b.ishl(bytes, shifts);
        let [r, g, b, a] = [0, 1, 2, 3].map(|lane| self.b.extract(bytes, lane));
        let (low, high) = (self.b.ior(r, g), self.b.ior(b, a));
        self.b.ior(low, high)
    }
}
