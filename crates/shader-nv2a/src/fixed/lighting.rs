//! Colours: material, lights, and which output they leave by.
//!
//! Zero times anything is zero in the lighting unit, its reciprocal of zero is the greatest number, and nothing is clamped before the
//! sum is complete.

use super::vertex::{Point, Vertex};
use super::{Key, Light, Source, attribute};
use crate::banks::FixedRegister as R;
use afterimage_ir::Value;
use afterimage_nv2a_types::LIGHTS;

/// The vertex's own colours, four components each.
#[derive(Clone, Copy)]
struct Own {
    diffuse: Value,
    specular: Value,
}

impl Own {
    fn of(self, source: Source) -> Option<Value> {
        match source {
            Source::Material => None,
            Source::Diffuse => Some(self.diffuse),
            Source::Specular => Some(self.specular),
        }
    }
}

/// Light that reaches a vertex.
struct Incoming {
    /// Direction to the light.
    direction: Value,
    /// What is left of it, where distance and cone count.
    strength: Option<Value>,
    /// Whether the vertex is within its range, if it has one.
    reaches: Option<Value>,
}

impl Vertex<'_> {
    /// Front and back diffuse colour, then front and back specular colour.
    pub(super) fn colors(&mut self, point: &Point) -> ([Value; 2], [Value; 2]) {
        let own = Own { diffuse: self.attribute(attribute::DIFFUSE), specular: self.attribute(attribute::SPECULAR) };
        let black = self.b.f32x4([0.0, 0.0, 0.0, 1.0]);
        if !self.key.has(Key::LIGHTING) {
            return ([own.diffuse, black], [own.specular, black]);
        }
        let (front, front_specular) = self.face(point, own, false);
        let (back, back_specular) =
            if self.key.has(Key::TWO_SIDED) { self.face(point, own, true) } else { (black, black) };
        if self.key.has(Key::SEPARATE_SPECULAR) {
            return ([front, back], [front_specular, back_specular]);
        }
        let front = self.add_color(front, front_specular);
        let back = if self.key.has(Key::TWO_SIDED) { self.add_color(back, back_specular) } else { back };
        ([front, back], [own.specular, own.specular])
    }

    /// The first colour plus the second, with the first one's alpha.
    fn add_color(&mut self, to: Value, color: Value) -> Value {
        let (sum, alpha) = (self.b.fadd(to, color), self.b.extract(to, 3));
        let sum = self.xyz(sum);
        self.b.construct(&[sum, alpha])
    }

    /// Lit diffuse and specular colour of a face.
    fn face(&mut self, point: &Point, own: Own, back: bool) -> (Value, Value) {
        let sources = self.key.sources(back);
        let mut diffuse = self.unlit(own, back);
        let mut specular = self.vec3([0.0; 3]);
        let normal = if back { self.b.fneg(point.normal) } else { point.normal };
        for light in 0..LIGHTS as u16 {
            let kind = self.key.light(light.into());
            if kind == Light::Off {
                continue;
            }
            let incoming = self.incoming(point, kind, light);
            let cosine = self.b.fdotz(normal, incoming.direction);
            let zero = self.b.f32(0.0);
            let faces = self.b.fle(zero, cosine);
            let lit = match incoming.reaches {
                Some(reaches) => self.b.band(faces, reaches),
                None => faces,
            };
            let shine = self.shine(point, normal, &incoming, kind, light, back);
            let cosine = self.b.select(lit, cosine, zero);
            let shine = self.b.select(lit, shine, zero);

            let element = light * 2 + u16::from(back);
            let give = |stage: &mut Self, sum: Value, color: R, by: Option<Value>, source: Source| {
                let color = stage.register(color.element(element));
                let mut color = stage.xyz(color);
                for factor in [by, incoming.strength].into_iter().flatten() {
                    color = stage.b.fmulz(color, factor);
                }
                if let Some(own) = own.of(source) {
                    let own = stage.xyz(own);
                    color = stage.b.fmulz(color, own);
                }
                stage.b.fadd(sum, color)
            };
            diffuse = give(self, diffuse, R::LightAmbient, None, sources.ambient);
            diffuse = give(self, diffuse, R::LightDiffuse, Some(cosine), sources.diffuse);
            specular = give(self, specular, R::LightSpecular, Some(shine), sources.specular);
        }
        let scene = self.register(R::SceneAmbient.element(back.into()));
        let alpha = own.of(sources.diffuse).unwrap_or(scene);
        let (alpha, own_alpha) = (self.b.extract(alpha, 3), self.b.extract(own.specular, 3));
        (self.b.construct(&[diffuse, alpha]), self.b.construct(&[specular, own_alpha]))
    }

    /// What a face has without lights: the scene's ambient colour, which `SET_SCENE_AMBIENT_COLOR` has multiplied with the material and
    /// to which it has added the material's emission; and for what comes from the vertex, the vertex's colour, times
    /// `SET_MATERIAL_EMISSION`, which then holds what it is multiplied with.
    fn unlit(&mut self, own: Own, back: bool) -> Value {
        let sources = self.key.sources(back);
        let scene = self.register(R::SceneAmbient.element(back.into()));
        let (constant, scaled) = match (own.of(sources.ambient), own.of(sources.emission)) {
            (Some(ambient), emission) => (emission.unwrap_or(scene), Some(ambient)),
            (None, emission) => (scene, emission),
        };
        let constant = self.xyz(constant);
        match scaled {
            None => constant,
            Some(scaled) => {
                let factor = self.register(R::MaterialEmission.element(back.into()));
                let (scaled, factor) = (self.xyz(scaled), self.xyz(factor));
                self.b.fmadz(scaled, factor, constant)
            }
        }
    }

    fn incoming(&mut self, point: &Point, kind: Light, light: u16) -> Incoming {
        if kind == Light::Infinite {
            let direction = self.register(R::LightDirection.element(light));
            return Incoming { direction: self.xyz(direction), strength: None, reaches: None };
        }
        let position = self.register(R::LightPosition.element(light));
        let range = self.b.extract(position, 3);
        let position = self.xyz(position);
        let way = self.b.fsub(position, point.place);
        let square = self.b.fdotz(way, way);
        let distance = self.b.fsqrt(square);
        let direction = self.normalize(way);
        let one = self.b.f32(1.0);
        let powers = self.b.construct(&[one, distance, square]);
        let attenuation = self.register(R::LightAttenuation.element(light));
        let attenuation = self.xyz(attenuation);
        let divisor = self.b.fdotz(powers, attenuation);
        let mut strength = self.b.frcpc(divisor);
        if kind == Light::Spot {
            let cone = self.cone(direction, light);
            strength = self.b.fmulz(strength, cone);
        }
        let reaches = self.b.fle(distance, range);
        let zero = self.b.f32(0.0);
        let strength = self.b.select(reaches, strength, zero);
        Incoming { direction, strength: Some(strength), reaches: Some(reaches) }
    }

    /// How much of a spot light goes this way. `SET_LIGHT_SPOT_DIRECTION` is scaled so that its product with the direction to the
    /// light, plus w, is 0 where the outer cone is and 1 where the inner one is.
    fn cone(&mut self, direction: Value, light: u16) -> Value {
        let axis = self.register(R::LightSpotDirection.element(light));
        let shift = self.b.extract(axis, 3);
        let axis = self.xyz(axis);
        let place = self.b.fdotz(axis, direction);
        let place = self.b.fadd(place, shift);
        let one = self.b.f32(1.0);
        let place = self.b.fmin(place, one);
        let falloff = self.register(R::LightSpotFalloff.element(light));
        self.curve(place, one, falloff)
    }

    /// The unit's stand-in for powers: `(x + k0 u) / (x k1 + u k2)`, and 0 where the numerator is negative.
    fn curve(&mut self, x: Value, unit: Value, parameters: Value) -> Value {
        let [k0, k1, k2] = [0, 1, 2].map(|lane| self.b.extract(parameters, lane));
        let numerator = self.b.fmadz(unit, k0, x);
        let shift = self.b.fmulz(unit, k2);
        let denominator = self.b.fmadz(x, k1, shift);
        let reciprocal = self.b.frcpc(denominator);
        let quotient = self.b.fmulz(numerator, reciprocal);
        let zero = self.b.f32(0.0);
        let positive = self.b.fle(zero, numerator);
        self.b.select(positive, quotient, zero)
    }

    /// The specular factor. Where neither eye nor light are near, the half vector is a register, and the first three parameters are for
    /// its cosine; else it is computed, not normalized, and the other three are for the square of the cosine.
    fn shine(
        &mut self,
        point: &Point,
        normal: Value,
        incoming: &Incoming,
        kind: Light,
        light: u16,
        back: bool,
    ) -> Value {
        let parameters = u16::from(back) * 2;
        let local_eye = self.key.has(Key::LOCAL_EYE);
        if kind == Light::Infinite && !local_eye {
            let half = self.register(R::LightHalfVector.element(light));
            let half = self.xyz(half);
            let cosine = self.b.fdotz(normal, half);
            let one = self.b.f32(1.0);
            let parameters = self.register(R::SpecularParams.element(parameters));
            return self.curve(cosine, one, parameters);
        }
        let to_eye = if local_eye { point.to_eye } else { self.eye_direction() };
        let half = self.b.fadd(to_eye, incoming.direction);
        let square = self.b.fdotz(half, half);
        let cosine = self.b.fdotz(normal, half);
        let cosine_square = self.b.fmulz(cosine, cosine);
        let parameters = self.register(R::SpecularParams.element(parameters + 1));
        let shine = self.curve(cosine_square, square, parameters);
        let zero = self.b.f32(0.0);
        let faces = self.b.fle(zero, cosine);
        self.b.select(faces, shine, zero)
    }
}
