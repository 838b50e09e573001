//! Texture coordinates: generation, then the texture matrix.

use super::vertex::{Point, Vertex};
use super::{Texgen, attribute};
use afterimage_ir::Value;
use afterimage_nv2a_types::{STAGES, context};

/// What generation shares between coordinates, computed when it is first needed.
#[derive(Default)]
pub(super) struct Generated {
    reflection: Option<Value>,
    sphere: Option<Value>,
}

impl Vertex<'_> {
    /// The coordinates of every stage.
    pub(super) fn texture_coordinates(&mut self, point: &Point) -> [Value; STAGES] {
        let mut generated = Generated::default();
        std::array::from_fn(|stage| {
            let own = (0..4).any(|i| self.key.texgen(stage, i) == Texgen::Off);
            let own = own.then(|| self.attribute(attribute::TEXTURE_0 + stage as u8));
            let parts: [Value; 4] = std::array::from_fn(|i| match self.key.texgen(stage, i) {
                Texgen::Off => match own {
                    Some(own) => self.b.extract(own, i as u8),
                    None => self.b.f32(0.0),
                },
                Texgen::EyeLinear => self.on_plane(stage, i, point.eye),
                Texgen::ObjectLinear => self.on_plane(stage, i, point.object),
                Texgen::NormalMap => self.b.extract(point.normal, i as u8),
                Texgen::ReflectionMap => {
                    let reflection = self.reflection(point, &mut generated);
                    self.b.extract(reflection, i as u8)
                }
                Texgen::SphereMap => {
                    let sphere = self.sphere(point, &mut generated);
                    self.b.extract(sphere, i as u8)
                }
            });
            let coordinates = match own {
                Some(own) if (0..4).all(|i| self.key.texgen(stage, i) == Texgen::Off) => own,
                _ => self.b.construct(&parts),
            };
            if self.key.texture_matrices >> stage & 1 == 0 {
                return coordinates;
            }
            let first = context::TEXTURE_MATRIX_0.slot + stage as u8 * 8;
            self.transform(coordinates, first, 4)
        })
    }

    fn on_plane(&mut self, stage: usize, coordinate: usize, place: Value) -> Value {
        let plane = self.constant(context::TEXGEN_PLANES_0.slot + stage as u8 * 8 + coordinate as u8);
        self.b.fdotz(place, plane)
    }

    /// The direction to the eye, mirrored at the normal.
    fn reflection(&mut self, point: &Point, generated: &mut Generated) -> Value {
        if let Some(reflection) = generated.reflection {
            return reflection;
        }
        let to_eye = if self.key.has(super::Key::INFINITE_VIEWER) { self.eye_direction() } else { point.to_eye };
        let cosine = self.b.fdotz(to_eye, point.normal);
        let twice = self.b.fadd(cosine, cosine);
        let mirrored = self.b.fmulz(point.normal, twice);
        let reflection = self.b.fsub(mirrored, to_eye);
        *generated.reflection.insert(reflection)
    }

    fn sphere(&mut self, point: &Point, generated: &mut Generated) -> Value {
        if let Some(sphere) = generated.sphere {
            return sphere;
        }
        let reflection = self.reflection(point, generated);
        let forward = self.vec3([0.0, 0.0, 1.0]);
        let halfway = self.b.fadd(reflection, forward);
        let direction = self.normalize(halfway);
        let half = self.b.f32(0.5);
        let sphere = self.b.fmadz(direction, half, half);
        *generated.sphere.insert(sphere)
    }
}
