//! Colours of the fixed-function vertex stage ("Mathematics of Lighting" of the Direct3D 9 documentation). Lighting is
//! done in view space.
//!
//! The cosines of diffuse and specular light are clamped to 0..1, which the documentation does not say and drivers do: a
//! normal that is too long lights no more than one of length one.

use super::vertex::{Point, Vertex};
use super::{FixedInput, FixedVertexKey};
use crate::banks::FixedVertexRegister as R;
use crate::tables::Usage;
use afterimage_ir::Value;

const LIGHT_POINT: u8 = 1;
const LIGHT_SPOT: u8 = 2;
const LIGHT_DIRECTIONAL: u8 = 3;

const SOURCE_COLOR1: u8 = 1;
const SOURCE_COLOR2: u8 = 2;

/// What the lights add up to.
struct Sums {
    /// Three components.
    ambient: Value,
    /// Three components.
    diffuse: Option<Value>,
    /// Four components.
    specular: Option<Value>,
}

impl Vertex<'_> {
    /// A vertex colour, or `default` where the vertex has none.
    fn vertex_color(&mut self, input: FixedInput, index: u8, default: f32) -> Value {
        self.input(input as u8, Usage::Color, index).unwrap_or_else(|| self.b.f32x4([default; 4]))
    }

    /// A material colour by its `D3DMCS_*` source; a vertex colour that is not there is the material's.
    fn material(&mut self, source: u8, register: R) -> Value {
        let vertex = match source {
            SOURCE_COLOR1 => self.input(FixedInput::Diffuse as u8, Usage::Color, 0),
            SOURCE_COLOR2 => self.input(FixedInput::Specular as u8, Usage::Color, 1),
            _ => None,
        };
        vertex.unwrap_or_else(|| self.register(register.register()))
    }

    /// Diffuse and specular colour.
    pub(super) fn colors(&mut self, point: &Point) -> [Value; 2] {
        let view = point.view.filter(|_| self.key.has(FixedVertexKey::LIGHTING));
        let Some(view) = view else {
            let colors =
                [self.vertex_color(FixedInput::Diffuse, 0, 1.0), self.vertex_color(FixedInput::Specular, 1, 0.0)];
            return colors.map(|color| self.b.fsat(color));
        };
        let diffuse_material = self.material(self.key.diffuse_source, R::MaterialDiffuse);
        let ambient_material = self.material(self.key.ambient_source, R::MaterialAmbient);
        let emissive = self.material(self.key.emissive_source, R::MaterialEmissive);
        let global = self.register(R::GlobalAmbient.register());
        let view = self.xyz(view);
        let mut light = Sums { ambient: self.xyz(global), diffuse: None, specular: None };
        for (index, kind) in self.key.lights.iter().enumerate() {
            match *kind {
                LIGHT_POINT | LIGHT_SPOT | LIGHT_DIRECTIONAL => {
                    self.light(*kind, index as u16, view, point.normal, &mut light);
                }
                _ => break,
            }
        }
        let (ambient_material, emissive) = (self.xyz(ambient_material), self.xyz(emissive));
        let mut rgb = self.b.fmad(ambient_material, light.ambient, emissive);
        if let Some(sum) = light.diffuse {
            let material = self.xyz(diffuse_material);
            rgb = self.b.fmad(material, sum, rgb);
        }
        let alpha = self.b.extract(diffuse_material, 3);
        let diffuse = self.b.construct(&[rgb, alpha]);
        let specular = match light.specular {
            Some(sum) => {
                let material = self.material(self.key.specular_source, R::MaterialSpecular);
                self.b.fmul(material, sum)
            }
            None => self.b.f32x4([0.0; 4]),
        };
        [diffuse, specular].map(|color| self.b.fsat(color))
    }

    /// Adds what light `index` gives.
    fn light(&mut self, kind: u8, index: u16, view: Value, normal: Option<Value>, sums: &mut Sums) {
        let (to_light, strength) = match kind {
            LIGHT_DIRECTIONAL => {
                let direction = self.register(R::LightDirection.element(index));
                let direction = self.xyz(direction);
                (self.b.fneg(direction), None)
            }
            _ => self.point_light(kind, index, view),
        };
        let scaled = |stage: &mut Self, register: R, lanes: u8| {
            let color = stage.register(register.element(index));
            let color = stage.b.resize(color, lanes);
            strength.map_or(color, |strength| stage.b.fmul(color, strength))
        };
        let ambient = scaled(self, R::LightAmbient, 3);
        sums.ambient = self.b.fadd(sums.ambient, ambient);

        let Some(normal) = normal else { return };
        let zero = self.b.f32(0.0);
        let cosine = self.b.fdot(normal, to_light);
        let lit = self.b.fsat(cosine);
        let color = scaled(self, R::LightDiffuse, 3);
        let diffuse = self.b.fmul(color, lit);
        sums.diffuse = Some(self.sum(sums.diffuse, diffuse));

        if self.key.has(FixedVertexKey::SPECULAR) {
            let viewer = self.viewer_direction(view);
            let half = self.b.fadd(to_light, viewer);
            let half = self.normalize(half);
            let power = self.register(R::MaterialPower.register());
            let power = self.b.extract(power, 0);
            let cosine_half = self.b.fdot(normal, half);
            let base = self.b.fsat(cosine_half);
            let shine = self.power(base, power);
            let (faces, seen) = (self.b.flt(zero, cosine), self.b.flt(zero, cosine_half));
            let visible = self.b.band(faces, seen);
            let shine = self.b.select(visible, shine, zero);
            let color = scaled(self, R::LightSpecular, 4);
            let specular = self.b.fmul(color, shine);
            sums.specular = Some(self.sum(sums.specular, specular));
        }
    }

    /// `base` to the power of `exponent`, for a base that is not negative; anything to the power of zero is one.
    fn power(&mut self, base: Value, exponent: Value) -> Value {
        let log = self.b.flog2c(base);
        let exponent = self.b.fmulz(exponent, log);
        self.b.fexp2(exponent)
    }

    /// Direction to a point or spot light, and its strength at the vertex.
    fn point_light(&mut self, kind: u8, index: u16, view: Value) -> (Value, Option<Value>) {
        let position = self.register(R::LightPosition.element(index));
        let (xyz, range) = (self.xyz(position), self.b.extract(position, 3));
        let way = self.b.fsub(xyz, view);
        let distance = self.length(way);
        let direction = self.normalize(way);
        let factors = self.register(R::LightAttenuation.element(index));
        let [a0, a1, a2] = [0, 1, 2].map(|lane| self.b.extract(factors, lane));
        let quadratic = self.b.fmad(distance, a2, a1);
        let divisor = self.b.fmad(distance, quadratic, a0);
        let attenuation = self.b.frcpc(divisor);
        let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
        let in_range = self.b.fle(distance, range);
        let mut strength = self.b.select(in_range, attenuation, zero);
        if kind == LIGHT_SPOT {
            let spot = self.register(R::LightSpot.element(index));
            let [inner, outer, scale] = [0, 1, 2].map(|lane| self.b.extract(spot, lane));
            let axis = self.register(R::LightDirection.element(index));
            let (axis, falloff) = (self.xyz(axis), self.b.extract(axis, 3));
            let from_light = self.b.fneg(direction);
            let rho = self.b.fdot(from_light, axis);
            let part = self.b.fsub(rho, outer);
            let part = self.b.fmul(part, scale);
            let between = self.power(part, falloff);
            // In the documentation's order: the inner cone wins where the cones are the wrong way round.
            let (is_inner, is_outer) = (self.b.flt(inner, rho), self.b.fle(rho, outer));
            let factor = self.b.select(is_outer, zero, between);
            let factor = self.b.select(is_inner, one, factor);
            strength = self.b.fmul(strength, factor);
        }
        (direction, Some(strength))
    }

    /// Direction to the viewer, who is far away along -z unless `D3DRS_LOCALVIEWER` is on.
    fn viewer_direction(&mut self, view: Value) -> Value {
        if self.key.has(FixedVertexKey::LOCAL_VIEWER) {
            let back = self.b.fneg(view);
            self.normalize(back)
        } else {
            self.vec3([0.0, 0.0, -1.0])
        }
    }
}
