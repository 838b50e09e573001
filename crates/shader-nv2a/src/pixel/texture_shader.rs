//! The four stages of the texture shader.
//!
//! What a later stage computes from an earlier one's result, it computes from bytes: the components as eight bits, signed ones
//! in two's complement. Only the combiners see the result as it was looked up.

use super::constants::PixelRegister as R;
use super::key::{Shape, StageKey};
use super::shared::Lift;
use super::tables::Mode;
use afterimage_ir::{Kind, Swizzle, Value};
use afterimage_nv2a_types::STAGES;

/// What the texture shader computed.
pub(super) struct Shaded {
    /// The colours of the stages, four floats each.
    pub(super) results: [Value; STAGES],
    /// The depth of the pixel, if a stage makes one.
    pub(super) depth: Option<Value>,
}

struct Stages {
    /// Colours of the stages so far.
    results: [Option<Value>; STAGES],
    /// Their dot products.
    dots: [Option<Value>; STAGES],
    depth: Option<Value>,
}

/// All stages.
pub(super) fn run(lift: &mut Lift<'_>) -> Shaded {
    let mut stages = Stages { results: [None; STAGES], dots: [None; STAGES], depth: None };
    for n in 0..STAGES {
        stages.results[n] = Some(stages.run(lift, n));
    }
    let black = lift.b.f32x4([0.0; 4]);
    Shaded { results: stages.results.map(|result| result.unwrap_or(black)), depth: stages.depth }
}

impl Stages {
    fn run(&mut self, lift: &mut Lift<'_>, n: usize) -> Value {
        let mode = lift.key.mode(n);
        if mode.has_dot() {
            self.dots[n] = Some(self.dot(lift, n));
        }
        match mode {
            Mode::None => lift.b.f32x4([0.0, 0.0, 0.0, 1.0]),
            Mode::Project2d | Mode::Project3d => project(lift, n, mode == Mode::Project3d),
            Mode::Cube => {
                let place = lift.coordinates(n);
                lift.lookup(n, place, Shape::Cube)
            }
            Mode::PassThrough => {
                let color = lift.coordinates(n);
                lift.b.fsat(color)
            }
            Mode::ClipPlane => {
                clip_plane(lift, n);
                lift.b.f32x4([0.0; 4])
            }
            Mode::BumpEnv | Mode::BumpEnvLuminance => self.bump(lift, n, mode == Mode::BumpEnvLuminance),
            Mode::Brdf => self.brdf(lift, n),
            Mode::DependentAr => self.dependent(lift, n, [3, 0]),
            Mode::DependentGb => self.dependent(lift, n, [1, 2]),
            Mode::DotProduct => lift.b.f32x4([0.0; 4]),
            Mode::DotZw => {
                let [z, w] = [n - 1, n].map(|stage| self.dot_of(lift, stage));
                self.depth = Some(lift.b.fdiv(z, w));
                lift.b.f32x4([0.0; 4])
            }
            Mode::DotSt => {
                let dots = [n - 1, n].map(|stage| self.dot_of(lift, stage));
                let place = lift.b.construct(&dots);
                lift.lookup(n, place, Shape::D2)
            }
            Mode::DotStr3d => {
                let place = self.last_three(lift, n);
                lift.lookup(n, place, Shape::D3)
            }
            Mode::DotStrCube => {
                let place = self.last_three(lift, n);
                lift.lookup(n, place, Shape::Cube)
            }
            Mode::DotReflectDiffuse => {
                let third = self.dot(lift, n + 1);
                let [first, second] = [n - 1, n].map(|stage| self.dot_of(lift, stage));
                let normal = lift.b.construct(&[first, second, third]);
                lift.lookup(n, normal, Shape::Cube)
            }
            Mode::DotReflectSpecular => {
                let eye = [n - 2, n - 1, n].map(|stage| {
                    let coordinates = lift.coordinates(stage);
                    lift.b.extract(coordinates, 3)
                });
                let eye = lift.b.construct(&eye);
                self.reflect(lift, n, eye)
            }
            Mode::DotReflectSpecularConst => {
                let eye = lift.constant(R::EyeVector, 0);
                let eye = lift.b.resize(eye, 3);
                self.reflect(lift, n, eye)
            }
        }
    }

    /// The result of a stage before, if it has one.
    fn result(&self, lift: &mut Lift<'_>, stage: usize) -> Value {
        self.results[stage].unwrap_or_else(|| lift.b.f32x4([0.0, 0.0, 0.0, 1.0]))
    }

    /// Result of the stage that `n` reads, as bytes: four floats, 0 to 255.
    fn bytes_of_other(&self, lift: &mut Lift<'_>, n: usize) -> Value {
        let other = usize::from(lift.key.stages[n].other).min(STAGES - 1);
        let result = self.result(lift, other);
        bytes(lift, other, result)
    }

    fn dot_of(&self, lift: &mut Lift<'_>, stage: usize) -> Value {
        self.dots[stage].unwrap_or_else(|| lift.b.f32(0.0))
    }

    /// The dot product of a stage's s, t, r with what it reads.
    fn dot(&self, lift: &mut Lift<'_>, n: usize) -> Value {
        let vector = self.mapped(lift, n);
        let place = lift.coordinates(n);
        let place = lift.b.resize(place, 3);
        lift.b.fdot(place, vector)
    }

    fn last_three(&self, lift: &mut Lift<'_>, n: usize) -> Value {
        let dots = [n - 2, n - 1, n].map(|stage| self.dot_of(lift, stage));
        lift.b.construct(&dots)
    }

    /// What stage `n` reads, as the vector that `SET_DOT_RGBMAPPING` makes of it.
    fn mapped(&self, lift: &mut Lift<'_>, n: usize) -> Value {
        let mapping = lift.key.stages[n].mapping & 7;
        let bytes = self.bytes_of_other(lift, n);
        if mapping < 4 {
            let rgb = lift.b.resize(bytes, 3);
            let [bias, divisor] = match mapping {
                0 => [0.0, 255.0],
                1 => [-128.0, 127.0],
                2 => [0.5, 127.5],
                _ => [0.0, 127.0],
            };
            let rgb = if mapping >= 2 { twos_complement(lift, rgb, 256.0) } else { rgb };
            return affine(lift, rgb, bias, divisor);
        }
        // Alpha and red, green and blue are 16 bits each.
        let high = lift.b.swizzle(bytes, Swizzle::new(&[3, 1]));
        let low = lift.b.swizzle(bytes, Swizzle::new(&[0, 2]));
        let steps = lift.b.f32(256.0);
        let words = lift.b.fmad(high, steps, low);
        let one = lift.b.f32(1.0);
        if mapping == 4 {
            let words = affine(lift, words, 0.0, 65535.0);
            return lift.b.construct(&[words, one]);
        }
        let [bias, divisor] = match mapping {
            5 => [-32768.0, 32767.0],
            6 => [0.5, 32767.5],
            _ => [0.0, 32767.0],
        };
        let words = if mapping >= 6 { twos_complement(lift, words, 65536.0) } else { words };
        let xy = affine(lift, words, bias, divisor);
        let square = lift.b.fdot(xy, xy);
        let left = lift.b.fsub(one, square);
        let zero = lift.b.f32(0.0);
        let left = lift.b.fmax(left, zero);
        let z = lift.b.fsqrt(left);
        lift.b.construct(&[xy, z])
    }

    /// Coordinates moved by the blue and green of another stage, and red, green and blue scaled by its red.
    fn bump(&self, lift: &mut Lift<'_>, n: usize, luminance: bool) -> Value {
        let bytes = self.bytes_of_other(lift, n);
        let offset = lift.b.swizzle(bytes, Swizzle::new(&[2, 1]));
        let offset = twos_complement(lift, offset, 256.0);
        let offset = affine(lift, offset, 0.0, 128.0);
        let matrix = lift.constant(R::BumpMatrix, n as u16);
        // Two columns, of which the second is written from below.
        let (first, second) = (lift.b.resize(matrix, 2), lift.b.swizzle(matrix, Swizzle::new(&[3, 2])));
        let [du, dv] = [0, 1].map(|lane| lift.b.extract(offset, lane));
        let moved = lift.b.fmul(first, du);
        let moved = lift.b.fmad(second, dv, moved);
        let coordinates = lift.coordinates(n);
        let coordinates = settle(lift, n, coordinates);
        let (place, depth) = (lift.b.resize(coordinates, 2), lift.b.extract(coordinates, 2));
        let place = lift.b.fadd(place, moved);
        let place = lift.b.construct(&[place, depth]);
        let shape = if lift.key.stages[n].shape() == Shape::D3 { Shape::D3 } else { Shape::D2 };
        let texel = lift.lookup(n, place, shape);
        if !luminance {
            return texel;
        }
        let red = lift.b.extract(bytes, 0);
        let red = affine(lift, red, 0.0, 255.0);
        let parameters = lift.constant(R::BumpLuminance, n as u16);
        let [scale, offset] = [0, 1].map(|lane| lift.b.extract(parameters, lane));
        let factor = lift.b.fmad(red, scale, offset);
        let [zero, one] = [0.0, 1.0].map(|value| lift.b.f32(value));
        let factor = lift.b.fmax(factor, zero);
        let (rgb, alpha) = (lift.b.resize(texel, 3), lift.b.extract(texel, 3));
        let rgb = lift.b.fmul(rgb, factor);
        // Only the product ends at one (suite Pixel shader).
        let rgb = lift.b.fmin(rgb, one);
        // Levels are whole, and what is below them is lost (suite Bump env lum). Room for what hosts lose.
        let (steps, room) = (lift.b.f32(255.0), lift.b.f32(1.0 / 256.0));
        let rgb = lift.b.fmad(rgb, steps, room);
        let rgb = lift.b.ffloor(rgb);
        let rgb = lift.b.fdiv(rgb, steps);
        lift.b.construct(&[rgb, alpha])
    }

    fn dependent(&self, lift: &mut Lift<'_>, n: usize, [s, t]: [u8; 2]) -> Value {
        let bytes = self.bytes_of_other(lift, n);
        let place = lift.b.swizzle(bytes, Swizzle::new(&[s, t]));
        let place = affine(lift, place, 0.0, 255.0);
        lift.lookup(n, place, Shape::D2)
    }

    /// A volume lookup by two directions, each of which the texture of a stage before has as angles: red is the angle from the
    /// axis, blue the one around it. The coordinates are both angles from the axis and the angle around it from the first to the second.
    fn brdf(&self, lift: &mut Lift<'_>, n: usize) -> Value {
        let [eye, light] = [n - 2, n - 1].map(|stage| self.result(lift, stage));
        let from_axis = [eye, light].map(|angles| lift.b.extract(angles, 0));
        let around = [eye, light].map(|angles| lift.b.extract(angles, 2));
        let between = lift.b.fsub(around[1], around[0]);
        let place = lift.b.construct(&[from_axis[0], from_axis[1], between]);
        lift.lookup(n, place, Shape::D3)
    }

    /// A cube lookup along the reflection of `eye` at the normal that three dot products are.
    fn reflect(&self, lift: &mut Lift<'_>, n: usize, eye: Value) -> Value {
        let normal = self.last_three(lift, n);
        let along = lift.b.fdot(normal, eye);
        let length = lift.b.fdot(normal, normal);
        let two = lift.b.f32(2.0);
        let along = lift.b.fmul(along, two);
        let along = lift.b.fdiv(along, length);
        let reflection = lift.b.fmul(normal, along);
        let reflection = lift.b.fsub(reflection, eye);
        lift.lookup(n, reflection, Shape::Cube)
    }
}

/// Coordinates end here: where q is zero the console looks up the texel at the edge (suite Texture Matrix), hosts anything.
const FARTHEST: f32 = (1u32 << 16) as f32;

/// A lookup at the coordinates divided by q.
fn project(lift: &mut Lift<'_>, n: usize, volume: bool) -> Value {
    let coordinates = lift.coordinates(n);
    let q = lift.b.extract(coordinates, 3);
    let place = lift.b.resize(coordinates, 3);
    let divided = lift.b.fdiv(place, q);
    let place = lift.clamp(divided, -FARTHEST, FARTHEST);
    let place = settle(lift, n, place);
    if !volume || lift.key.stages[n].depth().is_none() {
        return lift.lookup(n, place, if volume { Shape::D3 } else { Shape::D2 });
    }
    let reference = lift.b.extract(divided, 2);
    lift.lookup_depth(n, place, Shape::D2, reference)
}

/// s, t, r of a stage as the console's interpolation rounds them, which is seen where the nearest texel is looked up and the
/// place is exactly at a texel's edge: it is the texel's behind the edge.
///
/// But in the first triangle (a, b, c) of a quad t is lost a little of, something like 2^-25, and the place is the texel's before.
/// The pictures look as if a pixel started at the corner with the largest weight, by its exponent, and added what the other two
/// differ by, with the weights of a and c a little low: t, which is c's weight, is low where c is not that corner. It is from one
/// half on, and above a quarter where a's weight, 1 - s, is more than a quarter and not more than one half. In the second triangle
/// (a, c, d) the same makes neither s nor t low, and none where t grows upwards. A quad whose height is a power of two loses nothing.
///
/// Hosts lose more than that, to either side, so more is added and taken here. The weights cannot be seen here; they are taken for
/// those of a quad that shows an image, or repeats it from edge to edge, as it is.
///
/// Coordinates in texels lose nothing on the console.
///
/// Source: the pictures of a console, in which quads of 640 by 480, 168 by 168 and others agree (suites Combiner, Lighting range,
/// Bump map, Texture palette; Texture border has quads at -1 to 2, Texture LOD bias has the power of two).
fn settle(lift: &mut Lift<'_>, n: usize, place: Value) -> Value {
    if !lift.key.stages[n].has(StageKey::NEAREST) {
        return place;
    }
    const LOSS: f32 = 1.0 / (1u32 << 22) as f32;
    // What hosts lose of a place among the first 64 texels. Further on it is less than they keep.
    const LOSS_IN_TEXELS: f32 = 1.0 / (1u32 << 17) as f32;
    // Room for what hosts lose at the edges of the areas.
    const ROOM: f32 = 1.0 / (1u32 << 16) as f32;
    // Bits of a float that tell it from a power of two, and half of the last of them.
    const MANTISSA: i32 = 0x7F_E000;
    const NEAR: i32 = 0x1000;
    let [s, t, r] = [0, 1, 2].map(|lane| lift.b.extract(place, lane));
    if lift.key.stages[n].has(StageKey::TEXELS) {
        let loss = lift.b.f32(LOSS_IN_TEXELS);
        let (s, t) = (lift.b.fadd(s, loss), lift.b.fadd(t, loss));
        return lift.b.construct(&[s, t, r]);
    }
    let (loss, room) = (lift.b.f32(LOSS), lift.b.f32(ROOM));
    let [quarter, half, end, three_quarters] = [0.25 + ROOM, 0.5, 0.5 + ROOM, 0.75].map(|edge| lift.b.f32(edge));

    let slope = lift.b.ddy(t);
    let bits = lift.b.cast(slope, Kind::Int);
    let (mantissa, near, zero) = (lift.b.i32(MANTISSA), lift.b.i32(NEAR), lift.b.i32(0));
    let bits = lift.b.iadd(bits, near);
    let bits = lift.b.iand(bits, mantissa);
    let is_inexact = lift.b.ine(bits, zero);
    let zero = lift.b.f32(0.0);
    let is_upright = lift.b.flt(zero, slope);

    // Across the quad, and the room more, so that the diagonal is of the first triangle; down.
    let across = lift.b.fadd(s, room);
    let (across, down) = (lift.b.ffract(across), lift.b.ffract(t));
    let is_first = lift.b.flt(down, across);
    let (is_some, is_low) = (lift.b.flt(room, down), lift.b.flt(down, end));
    let (from_half, to_three_quarters) = (lift.b.fle(half, across), lift.b.flt(across, three_quarters));
    let over_quarter = lift.b.flt(quarter, down);
    let is_largest = lift.b.band(from_half, to_three_quarters);
    let is_largest = lift.b.band(is_largest, over_quarter);
    let is_other = lift.b.bnot(is_largest);
    let conditions = [is_upright, is_first, is_some, is_low, is_other];
    let loses = conditions.into_iter().fold(is_inexact, |loses, also| lift.b.band(loses, also));
    let (lower, higher) = (lift.b.fsub(t, loss), lift.b.fadd(t, loss));
    let t = lift.b.select(loses, lower, higher);
    let s = lift.b.fadd(s, loss);
    lift.b.construct(&[s, t, r])
}

/// Throws the pixel away where a coordinate has the wrong sign.
fn clip_plane(lift: &mut Lift<'_>, n: usize) {
    let coordinates = lift.coordinates(n);
    let zero = lift.b.f32(0.0);
    for lane in 0..4 {
        let coordinate = lift.b.extract(coordinates, lane);
        let negative = lift.b.flt(coordinate, zero);
        let gone = if lift.key.stages[n].clip >> lane & 1 == 0 { negative } else { lift.b.bnot(negative) };
        lift.b.demote(gone);
    }
}

/// The components of a stage's result as bytes: four floats, 0 to 255.
fn bytes(lift: &mut Lift<'_>, stage: usize, result: Value) -> Value {
    let key = lift.key.stages[stage];
    if key.has(StageKey::WIDE) {
        return wide_bytes(lift, key, result);
    }
    let steps = lift.b.f32(255.0);
    let unsigned = lift.b.fsat(result);
    let unsigned = lift.b.fmul(unsigned, steps);
    let unsigned = if lift.key.mode(stage).samples() { lift.b.fround(unsigned) } else { lift.b.ffloor(unsigned) };
    if key.signs == 0 || !lift.key.mode(stage).samples() {
        return unsigned;
    }
    let signed = from_signed(lift, result, 127.5, 256.0);
    lift.b.shuffle(unsigned, signed, key.pick_signed())
}

/// Red and blue of a result with 16 bits: the high byte of red is alpha, that of blue is green.
fn wide_bytes(lift: &mut Lift<'_>, key: StageKey, result: Value) -> Value {
    let steps = lift.b.f32(65535.0);
    let unsigned = lift.b.fsat(result);
    let unsigned = lift.b.fmul(unsigned, steps);
    let mut words = lift.b.fround(unsigned);
    if key.signs != 0 {
        let signed = from_signed(lift, result, 32767.0, 65536.0);
        words = lift.b.shuffle(words, signed, key.pick_signed());
    }
    let words = lift.b.swizzle(words, Swizzle::new(&[0, 2]));
    let (byte, part) = (lift.b.f32(256.0), lift.b.f32(1.0 / 256.0));
    let high = lift.b.fmul(words, part);
    let high = lift.b.ffloor(high);
    let below = lift.b.fmul(high, byte);
    let low = lift.b.fsub(words, below);
    lift.b.shuffle(low, high, Swizzle::new(&[0, 3, 1, 2]))
}

/// Signed components of a result as integers in two's complement: `turn` is that of zero after the largest.
fn from_signed(lift: &mut Lift<'_>, result: Value, steps: f32, turn: f32) -> Value {
    let steps = lift.b.f32(steps);
    let signed = lift.b.fmul(result, steps);
    let signed = lift.b.fround(signed);
    let (zero, turn) = (lift.b.f32(0.0), lift.b.f32(turn));
    let turned = lift.b.fadd(signed, turn);
    let negative = lift.b.flt(signed, zero);
    lift.b.select(negative, turned, signed)
}

/// The upper half of `turn` values is negative.
fn twos_complement(lift: &mut Lift<'_>, value: Value, turn: f32) -> Value {
    let (half, turn) = (lift.b.f32(turn / 2.0), lift.b.f32(turn));
    let turned = lift.b.fsub(value, turn);
    let high = lift.b.fle(half, value);
    lift.b.select(high, turned, value)
}

/// `(value + bias) / divisor`.
fn affine(lift: &mut Lift<'_>, value: Value, bias: f32, divisor: f32) -> Value {
    let value = if bias == 0.0 {
        value
    } else {
        let bias = lift.b.f32(bias);
        lift.b.fadd(value, bias)
    };
    let divisor = lift.b.f32(divisor);
    lift.b.fdiv(value, divisor)
}
