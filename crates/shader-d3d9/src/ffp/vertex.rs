//! The fixed-function vertex stage: transform, lighting, texture coordinate generation, fog.
//!
//! The formulas are those of "Mathematics of Lighting", "Fog Formulas" and "Texture Coordinate Transformations" of the
//! Direct3D 9 documentation. Lighting is done in view space.

use super::{FixedInput, FixedVertexKey, LIGHTS, STAGES, TexCoordKey};
use crate::banks::{Bank, FixedVertexRegister as R};
use crate::io::{FOG_LOCATION, RuntimeInfo, fixed_location};
use crate::lift::interface::{semantic, vertex_epilogue};
use crate::pixel_ops::fog_factor;
use crate::tables::Usage;
use afterimage_ir::{
    self as ir, BankDecl, BankSource, BuildError, Builder, InputAt, InputDecl, Interp, Module, OutputAt, OutputDecl,
    Stage, Type, Value,
};

/// Most weights of a vertex; one more matrix is blended.
const MAX_WEIGHTS: u8 = 3;

const LIGHT_POINT: u8 = 1;
const LIGHT_SPOT: u8 = 2;
const LIGHT_DIRECTIONAL: u8 = 3;

const SOURCE_COLOR1: u8 = 1;
const SOURCE_COLOR2: u8 = 2;

/// Translates the fixed-function vertex stage. What [`FixedVertexKey::unsupported`] names is left out.
///
/// # Errors
/// None that a key can cause; the builder's own limits.
pub fn lift_fixed_vertex(key: &FixedVertexKey, runtime: &RuntimeInfo) -> Result<Module, BuildError> {
    let mut b = Builder::new(Stage::Vertex);
    b.set_name("fixed_vertex");
    let size = R::COUNT.into();
    let bank = b.bank(BankDecl {
        name: "fixed".to_owned(),
        source: BankSource::Stage,
        id: Bank::FixedVertex as u8,
        size,
        defs: Vec::new(),
    });
    let mut stage = Vertex { b, key, bank };
    let point = stage.transform();
    let (diffuse, specular) = stage.colors(&point);
    stage.varying(Usage::Color, 0, diffuse);
    stage.varying(Usage::Color, 1, specular);
    let fog = stage.fog(&point);
    stage.varying(Usage::Fog, 0, fog);
    for index in 0..STAGES as u8 {
        let coord = key.tex_coords[usize::from(index)];
        if coord.used != 0 {
            let value = stage.tex_coord(&point, index, &coord);
            stage.varying(Usage::TexCoord, index, value);
        }
    }
    let size = (runtime.vertex_ops.point_size != 0).then(|| stage.point_size(&point));
    vertex_epilogue(&mut stage.b, runtime.vertex_ops, point.clip, point.view.unwrap_or(point.clip), size);
    stage.b.finish()
}

struct Vertex<'a> {
    b: Builder,
    key: &'a FixedVertexKey,
    bank: ir::Bank,
}

/// A transformed vertex.
struct Point {
    /// In clip space.
    clip: Value,
    /// In view space; pre-transformed vertices have none.
    view: Option<Value>,
    /// Three components in view space, where the vertex has a normal.
    normal: Option<Value>,
}

impl Vertex<'_> {
    fn register(&mut self, register: u16) -> Value {
        let value = self.b.load_const(self.bank, register.into());
        self.b.cast(value, ir::Kind::Float)
    }

    fn xyz(&mut self, value: Value) -> Value {
        self.b.resize(value, 3)
    }

    /// The input at a location, if the vertex declaration has it.
    fn input(&mut self, location: u8, usage: Usage, index: u8) -> Option<Value> {
        if !self.key.has_input(location) {
            return None;
        }
        let at = InputAt::Location(location);
        let known = self.b.module().inputs.iter().position(|input| input.at == at).map(ir::Input::new);
        let input = known.unwrap_or_else(|| {
            let name = format!("{}{index}", usage.text());
            self.b.input(InputDecl {
                name,
                ty: Type::F32X4,
                at,
                interp: Interp::Smooth,
                semantic: semantic(usage, index),
            })
        });
        Some(self.b.load_input(input))
    }

    fn varying(&mut self, usage: Usage, index: u8, value: Value) {
        let location = fixed_location(usage, index).unwrap_or(FOG_LOCATION);
        let output = self.b.output(OutputDecl {
            name: format!("{}{index}", usage.text()),
            ty: Type::F32X4,
            at: OutputAt::Location(location),
            semantic: semantic(usage, index),
        });
        self.b.store_output(output, value);
    }

    /// Row vector times the matrix whose `rows` rows begin at `first`.
    fn transform_by(&mut self, vector: Value, first: u16, rows: u8) -> Value {
        let mut sum = None;
        for row in 0..rows {
            let matrix_row = self.register(first + u16::from(row));
            let component = self.b.extract(vector, row);
            sum = Some(match sum {
                None => self.b.fmul(matrix_row, component),
                Some(sum) => self.b.fmad(matrix_row, component, sum),
            });
        }
        sum.unwrap_or(vector)
    }

    fn normalize(&mut self, vector: Value) -> Value {
        let square = self.b.fdot(vector, vector);
        let factor = self.b.frsqc(square);
        self.b.fmulz(vector, factor)
    }

    fn length(&mut self, vector: Value) -> Value {
        let square = self.b.fdot(vector, vector);
        self.b.fsqrt(square)
    }

    fn transform(&mut self) -> Point {
        let usage = if self.key.has(FixedVertexKey::PRETRANSFORMED) { Usage::PositionT } else { Usage::Position };
        let position = self.input(FixedInput::Position as u8, usage, 0).unwrap_or_else(|| self.b.f32x4([0.0; 4]));
        if self.key.has(FixedVertexKey::PRETRANSFORMED) {
            return Point { clip: self.pretransformed(position), view: None, normal: None };
        }
        let normal = self.input(FixedInput::Normal as u8, Usage::Normal, 0);
        let (clip, view, normal) = match self.weights() {
            Some(weights) => {
                let view = self.blend(position, &weights, 4);
                let clip = self.transform_by(view, R::Projection.register(), 4);
                (clip, view, normal.map(|normal| self.blend(normal, &weights, 3)))
            }
            None => {
                let clip = self.transform_by(position, R::WorldViewProjection.register(), 4);
                let view = self.transform_by(position, R::WorldView.register(), 4);
                (clip, view, normal.map(|normal| self.transform_by(normal, R::Normal.register(), 3)))
            }
        };
        let normal = normal.map(|normal| {
            let normal = self.xyz(normal);
            if self.key.has(FixedVertexKey::NORMALIZE_NORMALS) { self.normalize(normal) } else { normal }
        });
        Point { clip, view: Some(view), normal }
    }

    /// The weights of vertex blending, of which the last is what the others leave; `None` if it is off.
    fn weights(&mut self) -> Option<Vec<Value>> {
        let count = self.key.blend_weights.min(MAX_WEIGHTS);
        if count == 0 || self.key.has(FixedVertexKey::INDEXED_BLEND) {
            return None;
        }
        let given = self.input(FixedInput::BlendWeight as u8, Usage::BlendWeight, 0)?;
        let mut weights: Vec<Value> = (0..count).map(|lane| self.b.extract(given, lane)).collect();
        let mut rest = self.b.f32(1.0);
        for weight in &weights {
            rest = self.b.fsub(rest, *weight);
        }
        weights.push(rest);
        Some(weights)
    }

    /// The weighted sum of a vector transformed by `WORLDn * VIEW`.
    fn blend(&mut self, vector: Value, weights: &[Value], rows: u8) -> Value {
        let mut sum = None;
        for (index, weight) in weights.iter().enumerate() {
            let first = match index {
                0 => R::WorldView.register(),
                _ => R::BlendWorldView.element(index as u16 - 1),
            };
            let part = self.transform_by(vector, first, rows);
            let part = self.b.fmul(part, *weight);
            sum = Some(self.sum(sum, part));
        }
        sum.unwrap_or(vector)
    }

    /// Pixels and 1/w to clip space. A 1/w of zero counts as one.
    fn pretransformed(&mut self, position: Value) -> Value {
        let (scale, offset) = (self.register(R::ViewportScale.register()), self.register(R::ViewportOffset.register()));
        let (xyz, scale, offset) = (self.xyz(position), self.xyz(scale), self.xyz(offset));
        let ndc = self.b.fmad(xyz, scale, offset);
        let rhw = self.b.extract(position, 3);
        let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
        let missing = self.b.feq(rhw, zero);
        let reciprocal = self.b.frcp(rhw);
        let w = self.b.select(missing, one, reciprocal);
        let xyz = self.b.fmul(ndc, w);
        self.b.construct(&[xyz, w])
    }

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
    fn colors(&mut self, point: &Point) -> (Value, Value) {
        let view = point.view.filter(|_| self.key.has(FixedVertexKey::LIGHTING));
        let Some(view) = view else {
            let colors =
                (self.vertex_color(FixedInput::Diffuse, 0, 1.0), self.vertex_color(FixedInput::Specular, 1, 0.0));
            return (self.b.fsat(colors.0), self.b.fsat(colors.1));
        };
        let diffuse_material = self.material(self.key.diffuse_source, R::MaterialDiffuse);
        let ambient_material = self.material(self.key.ambient_source, R::MaterialAmbient);
        let emissive = self.material(self.key.emissive_source, R::MaterialEmissive);
        let global = self.register(R::GlobalAmbient.register());
        let view = self.xyz(view);
        let mut light = Sums { ambient: self.xyz(global), diffuse: None, specular: None };
        for (index, kind) in self.key.lights.iter().take(LIGHTS).enumerate() {
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
                let (rgb, alpha) = (self.xyz(material), self.b.extract(material, 3));
                let rgb = self.b.fmul(rgb, sum);
                self.b.construct(&[rgb, alpha])
            }
            None => self.b.f32x4([0.0; 4]),
        };
        (self.b.fsat(diffuse), self.b.fsat(specular))
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
        let ambient = self.register(R::LightAmbient.element(index));
        let ambient = self.scaled(ambient, strength);
        sums.ambient = self.b.fadd(sums.ambient, ambient);

        let Some(normal) = normal else { return };
        let zero = self.b.f32(0.0);
        let cosine = self.b.fdot(normal, to_light);
        let lit = self.b.fmaxc(cosine, zero);
        let color = self.register(R::LightDiffuse.element(index));
        let color = self.scaled(color, strength);
        let diffuse = self.b.fmul(color, lit);
        sums.diffuse = Some(self.sum(sums.diffuse, diffuse));

        if self.key.has(FixedVertexKey::SPECULAR) {
            let viewer = self.viewer_direction(view);
            let half = self.b.fadd(to_light, viewer);
            let half = self.normalize(half);
            let power = self.register(R::MaterialPower.register());
            let power = self.b.extract(power, 0);
            let cosine_half = self.b.fdot(normal, half);
            let base = self.b.fmaxc(cosine_half, zero);
            let log = self.b.flog2c(base);
            let exponent = self.b.fmulz(power, log);
            let shine = self.b.fexp2(exponent);
            let (faces, seen) = (self.b.flt(zero, cosine), self.b.flt(zero, cosine_half));
            let visible = self.b.band(faces, seen);
            let shine = self.b.select(visible, shine, zero);
            let color = self.register(R::LightSpecular.element(index));
            let color = self.scaled(color, strength);
            let specular = self.b.fmul(color, shine);
            sums.specular = Some(self.sum(sums.specular, specular));
        }
    }

    fn sum(&mut self, sum: Option<Value>, value: Value) -> Value {
        match sum {
            Some(sum) => self.b.fadd(sum, value),
            None => value,
        }
    }

    fn scaled(&mut self, color: Value, strength: Option<Value>) -> Value {
        let color = self.xyz(color);
        strength.map_or(color, |strength| self.b.fmul(color, strength))
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
            let log = self.b.flog2c(part);
            let exponent = self.b.fmulz(falloff, log);
            let between = self.b.fexp2(exponent);
            let (is_inner, is_outer) = (self.b.flt(inner, rho), self.b.fle(rho, outer));
            let factor = self.b.select(is_inner, one, between);
            let factor = self.b.select(is_outer, zero, factor);
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
            self.b.const_bits(Type::F32X3, [0, 0, (-1f32).to_bits(), 0])
        }
    }

    /// The fog factor: 1 is no fog.
    fn fog(&mut self, point: &Point) -> Value {
        match point.view {
            Some(view) if self.key.fog_mode != 0 => {
                let xyz = self.xyz(view);
                let distance = if self.key.has(FixedVertexKey::RANGE_FOG) {
                    self.length(xyz)
                } else {
                    let z = self.b.extract(view, 2);
                    self.b.fabs(z)
                };
                let parameters = self.register(R::Fog.register());
                let factor = fog_factor(&mut self.b, self.key.fog_mode, distance, parameters, 3);
                self.b.fsat(factor)
            }
            _ => {
                let specular = self.vertex_color(FixedInput::Specular, 1, 1.0);
                let alpha = self.b.extract(specular, 3);
                self.b.fsat(alpha)
            }
        }
    }

    /// Texture coordinates of a stage.
    fn tex_coord(&mut self, point: &Point, stage: u8, key: &TexCoordKey) -> Value {
        let generated = match (key.generation, point.view) {
            (1, Some(_)) => point.normal,
            (2, Some(view)) => Some(self.xyz(view)),
            (3, Some(view)) => self.reflection(view, point.normal),
            (4, Some(view)) => self.reflection(view, point.normal).map(|vector| self.sphere(vector)),
            _ => None,
        };
        let (one, zero) = (self.b.f32(1.0), self.b.f32(0.0));
        let (vector, components) = match generated {
            Some(vector) => (self.b.construct(&[vector, one]), 3),
            None => {
                let input = self.input(FixedInput::tex_coord(key.set), Usage::TexCoord, key.set);
                let missing = [0, 0, 0, 1f32.to_bits()];
                (input.unwrap_or_else(|| self.b.const_bits(Type::F32X4, missing)), key.components)
            }
        };
        if key.transform & 0x7F == 0 || point.view.is_none() {
            return vector;
        }
        // The matrix sees a one behind the last component that the vertex has.
        let padded = match components {
            1 => {
                let x = self.b.extract(vector, 0);
                self.b.construct(&[x, one, zero, zero])
            }
            2 => {
                let xy = self.b.resize(vector, 2);
                self.b.construct(&[xy, one, zero])
            }
            _ => vector,
        };
        self.transform_by(padded, R::TextureMatrix.element(stage.into()), 4)
    }

    /// The view direction reflected by the surface.
    fn reflection(&mut self, view: Value, normal: Option<Value>) -> Option<Value> {
        let normal = normal?;
        let view = self.xyz(view);
        let direction = self.normalize(view);
        let cosine = self.b.fdot(direction, normal);
        let minus_two = self.b.f32(-2.0);
        let factor = self.b.fmul(cosine, minus_two);
        Some(self.b.fmad(normal, factor, direction))
    }

    /// Sphere map coordinates of a reflected direction.
    fn sphere(&mut self, vector: Value) -> Value {
        let away = self.b.const_bits(Type::F32X3, [0, 0, (-1f32).to_bits(), 0]);
        let sum = self.b.fadd(vector, away);
        let length = self.length(sum);
        let diameter = self.b.fadd(length, length);
        let xy = self.b.resize(vector, 2);
        let (scaled, half, zero) = (self.b.fdiv(xy, diameter), self.b.f32(0.5), self.b.f32(0.0));
        let place = self.b.fadd(scaled, half);
        self.b.construct(&[place, zero])
    }

    fn point_size(&mut self, point: &Point) -> Value {
        let limits = self.register(R::PointSize.register());
        let [size, min, max] = [0, 1, 2].map(|lane| self.b.extract(limits, lane));
        let own = self.input(FixedInput::PointSize as u8, Usage::PSize, 0);
        let mut size = own.map_or(size, |own| self.b.extract(own, 0));
        if let Some(view) = point.view.filter(|_| self.key.has(FixedVertexKey::POINT_SCALE)) {
            let scale = self.register(R::PointScale.register());
            let [a, b, c, height] = [0, 1, 2, 3].map(|lane| self.b.extract(scale, lane));
            let view = self.xyz(view);
            let distance = self.length(view);
            let quadratic = self.b.fmad(distance, c, b);
            let divisor = self.b.fmad(distance, quadratic, a);
            let factor = self.b.frsqc(divisor);
            let scaled = self.b.fmul(size, height);
            size = self.b.fmul(scaled, factor);
        }
        let size = self.b.fmaxc(size, min);
        self.b.fminc(size, max)
    }
}

/// What the lights add up to; three components each.
struct Sums {
    ambient: Value,
    diffuse: Option<Value>,
    specular: Option<Value>,
}
