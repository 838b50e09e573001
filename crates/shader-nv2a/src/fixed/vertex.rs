//! Position, normal, fog coordinate and point size.

use super::{Key, attribute};
use crate::banks::{Bank, FixedRegister as R};
use crate::io::{self, VertexResult};
use afterimage_ir::{BuildError, Builder, Kind, Module, Stage, Type, Value};
use afterimage_nv2a_types::{CONSTANT_SLOTS, context};

/// Translates fixed-function transform and lighting.
///
/// # Errors
/// None that a key can cause; the builder's own limits.
pub fn lift(key: &Key) -> Result<Module, BuildError> {
    let mut b = Builder::new(Stage::Vertex);
    b.set_name("nv2a_fixed");
    let mut stage = Vertex { b, key };
    let point = stage.point();
    let position = stage.position(&point);
    let (diffuse, specular) = stage.colors(&point);
    let fog = stage.fog(&point);
    let texture = stage.texture_coordinates(&point);
    let point_size = key.has(Key::POINTS).then(|| io::point_size(&mut stage.b, None, Some(point.distance)));
    io::epilogue(&mut stage.b, &VertexResult { position, diffuse, specular, fog, texture, point_size });
    stage.b.finish()
}

pub(super) struct Vertex<'a> {
    pub(super) b: Builder,
    pub(super) key: &'a Key,
}

/// A transformed vertex. What nobody reads is dropped by the passes.
pub(super) struct Point {
    /// Four components in object space.
    pub(super) object: Value,
    /// Four components in eye space, after blending.
    pub(super) eye: Value,
    /// Three components in eye space, divided by the fourth.
    pub(super) place: Value,
    /// From there to the eye, of length one.
    pub(super) to_eye: Value,
    /// How far the eye is.
    pub(super) distance: Value,
    /// The normal in eye space, three components.
    pub(super) normal: Value,
}

impl Vertex<'_> {
    /// A vertex attribute, four floats.
    pub(super) fn attribute(&mut self, number: u8) -> Value {
        io::attribute(&mut self.b, number)
    }

    /// A slot of the vertex engine's constants, four floats.
    pub(super) fn constant(&mut self, slot: u8) -> Value {
        let bank = io::bank(&mut self.b, Bank::Transform, CONSTANT_SLOTS as u16);
        self.b.load_const_as(Kind::Float, bank, slot.into())
    }

    /// A register of the lighting unit, four floats.
    pub(super) fn register(&mut self, register: u16) -> Value {
        let bank = io::bank(&mut self.b, Bank::Fixed, R::COUNT);
        self.b.load_const_as(Kind::Float, bank, register.into())
    }

    pub(super) fn xyz(&mut self, value: Value) -> Value {
        self.b.resize(value, 3)
    }

    pub(super) fn vec3(&mut self, value: [f32; 3]) -> Value {
        let [x, y, z] = value.map(f32::to_bits);
        self.b.const_bits(Type::F32X3, [x, y, z, 0])
    }

    /// The direction to an eye that is infinitely far away.
    pub(super) fn eye_direction(&mut self) -> Value {
        let direction = self.register(R::EyeDirection.register());
        self.xyz(direction)
    }

    /// Each component is the product of a slot with the vector.
    pub(super) fn transform(&mut self, vector: Value, first: u8, rows: u8) -> Value {
        let rows: Vec<Value> = (first..first + rows)
            .map(|slot| {
                let row = self.constant(slot);
                self.b.fdotz(vector, row)
            })
            .collect();
        self.b.construct(&rows)
    }

    /// Of length one; zero stays zero.
    pub(super) fn normalize(&mut self, vector: Value) -> Value {
        let square = self.b.fdotz(vector, vector);
        let factor = self.b.frsqc(square);
        self.b.fmulz(vector, factor)
    }

    fn point(&mut self) -> Point {
        let object = self.attribute(attribute::POSITION);
        let eye = self.blended(object, context::MODEL_VIEW_0.slot, 4);
        let normal = if self.key.needs_normal() {
            let normal = self.attribute(attribute::NORMAL);
            let normal = self.xyz(normal);
            let normal = self.blended(normal, context::INVERSE_MODEL_VIEW_0.slot, 3);
            if self.key.has(Key::NORMALIZE) { self.normalize(normal) } else { normal }
        } else {
            self.vec3([0.0; 3])
        };
        let w = self.b.extract(eye, 3);
        let reciprocal = self.b.frcpc(w);
        let place = self.xyz(eye);
        let place = self.b.fmulz(place, reciprocal);
        let eye_position = self.constant(context::EYE_POSITION.slot);
        let eye_position = self.xyz(eye_position);
        let to_eye = self.b.fsub(eye_position, place);
        let square = self.b.fdotz(to_eye, to_eye);
        let distance = self.b.fsqrt(square);
        let to_eye = self.normalize(to_eye);
        Point { object, eye, place, to_eye, distance, normal }
    }

    /// A vector times the matrix at `first`, or the weighted sum of the products with that and those after it. Matrices and their
    /// inverses alternate.
    fn blended(&mut self, vector: Value, first: u8, rows: u8) -> Value {
        let (matrices, generated) = self.key.blending();
        let mut sum = self.transform(vector, first, rows);
        if matrices == 1 {
            return sum;
        }
        let weights = self.attribute(attribute::WEIGHT);
        let mut left = self.b.f32(1.0);
        for matrix in 0..matrices {
            let weight = if generated && matrix + 1 == matrices {
                left
            } else {
                let weight = self.b.extract(weights, matrix);
                left = self.b.fsub(left, weight);
                weight
            };
            if matrix == 0 {
                sum = self.b.fmulz(sum, weight);
            } else {
                let product = self.transform(vector, first + matrix * 8, rows);
                sum = self.b.fmadz(product, weight, sum);
            }
        }
        sum
    }

    /// In screen space. The composite matrix begins in object space, or, where vertices are blended, in eye space.
    fn position(&mut self, point: &Point) -> Value {
        let from = if self.key.blending().0 == 1 { point.object } else { point.eye };
        let clip = self.transform(from, context::COMPOSITE_MATRIX.slot, 4);
        let w = self.b.extract(clip, 3);
        let divisor = io::away_from_zero_and_infinity(&mut self.b, w);
        let xyz = self.xyz(clip);
        let reciprocal = self.reciprocal(divisor);
        let xyz = self.b.fmul(xyz, reciprocal);
        let offset = self.constant(context::VIEWPORT_OFFSET.slot);
        let offset = self.xyz(offset);
        let xyz = self.b.fadd(xyz, offset);
        self.b.construct(&[xyz, w])
    }

    /// `1 / w`, rounded toward zero as the transform unit does it: places on a sixteenth of a pixel fall below it (suite Viewport).
    /// In integers, since not every host has a product that is rounded once.
    fn reciprocal(&mut self, w: Value) -> Value {
        let nearest = self.b.frcp(w);
        let [fraction, one] = [0x7F_FFFF, 0x80_0000].map(|bits| self.b.i32(bits));
        let [w, bits] = [w, nearest].map(|value| self.b.cast(value, Kind::Int));
        let [w, reciprocal] = [w, bits].map(|bits| {
            let kept = self.b.iand(bits, fraction);
            self.b.ior(kept, one)
        });
        // The product of numbers of 24 bits whose quotient is no power of two is 2^47 if it is one.
        let (high, low) = (self.b.umulhi(w, reciprocal), self.b.imul(w, reciprocal));
        let [exact, none, one_step] = [1 << 15, 0, 1].map(|bits| self.b.i32(bits));
        let (more, same, rest) = (self.b.ult(exact, high), self.b.ieq(exact, high), self.b.ine(low, none));
        let slightly_more = self.b.band(same, rest);
        let is_above = self.b.bor(more, slightly_more);
        let below = self.b.isub(bits, one_step);
        let bits = self.b.select(is_above, below, bits);
        self.b.cast(bits, Kind::Float)
    }

    fn fog(&mut self, point: &Point) -> Value {
        match self.key.fog {
            1 => point.distance,
            2 | 3 => {
                let plane = self.constant(context::FOG_PLANE.slot);
                let one = self.b.f32(1.0);
                let place = self.b.construct(&[point.place, one]);
                let distance = self.b.fdotz(place, plane);
                if self.key.fog == 3 { self.b.fabs(distance) } else { distance }
            }
            6 => {
                let coordinate = self.attribute(attribute::FOG);
                self.b.extract(coordinate, 0)
            }
            _ => {
                let specular = self.attribute(attribute::SPECULAR);
                let alpha = self.b.extract(specular, 3);
                self.b.fsat(alpha)
            }
        }
    }
}
