//! The fixed-function vertex stage: transform, vertex blending and tweening, fog, point size. Colours are in
//! [`super::lighting`], texture coordinates in [`super::coordinates`].
//!
//! The formulas are those of "Geometry Blending", "Using Vertex Tweening", "Fog Formulas" and "Point Sprites" of the
//! Direct3D 9 documentation.

use super::{FixedInput, FixedVertexKey, STAGES};
use crate::banks::{Bank, FixedVertexRegister as R};
use crate::io::{FOG_LOCATION, RuntimeInfo, link_of_fixed_vertex};
use crate::lift::interface::semantic;
use crate::pixel_ops::{FogParameters, fog_curve};
use crate::tables::Usage;
use crate::vertex_ops;
use afterimage_ir::{
    self as ir, BankDecl, BankSource, BuildError, Builder, InputAt, InputDecl, Interp, Module, OutputAt, OutputDecl,
    Stage, Type, Value,
};

/// Most weights of a vertex; one more matrix is blended.
const MAX_WEIGHTS: u8 = 3;
/// Registers that a stage without indexed blending has.
const COMMON_REGISTERS: u16 = R::IndexedWorldView.register();

/// Translates the fixed-function vertex stage.
///
/// # Errors
/// None that a key can cause; the builder's own limits.
pub fn lift_fixed_vertex(key: &FixedVertexKey, runtime: &RuntimeInfo) -> Result<Module, BuildError> {
    let mut b = Builder::new(Stage::Vertex);
    b.set_name("fixed_vertex");
    let bank = b.bank(BankDecl {
        name: "fixed".to_owned(),
        source: BankSource::Stage,
        id: Bank::FixedVertex as u8,
        size: if key.blends_by_index() { R::COUNT } else { COMMON_REGISTERS }.into(),
        defs: Vec::new(),
    });
    let mut stage = Vertex { b, key, bank };
    let point = stage.transform();
    for (index, color) in stage.colors(&point).into_iter().enumerate() {
        // What is the same for every vertex does not travel: a pixel shader finds it where nothing is written.
        if key.writes_color(index as u8) {
            stage.varying(Usage::Color, index as u8, color);
        }
    }
    if !key.passed().any(|(usage, _)| usage == Usage::Fog) {
        let fog = stage.fog(&point);
        stage.varying(Usage::Fog, 0, fog);
    }
    for (usage, input) in key.passed() {
        if let Some(value) = stage.input(input as u8, usage, 0) {
            stage.varying(usage, 0, value);
        }
    }
    for index in 0..STAGES as u8 {
        let coord = key.tex_coords[usize::from(index)];
        if coord.used != 0 {
            let value = stage.tex_coord(&point, index, &coord);
            stage.varying(Usage::TexCoord, index, value);
        }
    }
    let size = (runtime.vertex_ops.point_size != 0).then(|| stage.point_size(&point));
    let end = vertex_ops::VertexResult {
        position: point.clip,
        clip_vertex: point.view.unwrap_or(point.clip),
        point_size: size,
    };
    vertex_ops::epilogue(&mut stage.b, runtime.vertex_ops, end);
    stage.b.finish()
}

pub(super) struct Vertex<'a> {
    pub(super) b: Builder,
    pub(super) key: &'a FixedVertexKey,
    bank: ir::Bank,
}

/// A transformed vertex.
pub(super) struct Point {
    /// In clip space.
    clip: Value,
    /// In view space; pre-transformed vertices have none.
    pub(super) view: Option<Value>,
    /// Three components in view space, where the vertex has a normal.
    pub(super) normal: Option<Value>,
}

/// One matrix of vertex blending.
#[derive(Clone, Copy)]
enum Matrix {
    /// Its first register.
    At(u16),
    /// Its number among the matrices of indexed blending, times four.
    Indexed(Value),
}

impl Vertex<'_> {
    pub(super) fn register(&mut self, register: u16) -> Value {
        let value = self.b.load_const(self.bank, register.into());
        self.b.cast(value, ir::Kind::Float)
    }

    pub(super) fn xyz(&mut self, value: Value) -> Value {
        self.b.resize(value, 3)
    }

    pub(super) fn vec3(&mut self, value: [f32; 3]) -> Value {
        let [x, y, z] = value.map(f32::to_bits);
        self.b.const_bits(Type::F32X3, [x, y, z, 0])
    }

    /// The input at a location, if the vertex declaration has it.
    pub(super) fn input(&mut self, location: u8, usage: Usage, index: u8) -> Option<Value> {
        if !self.key.has_input(location) {
            return None;
        }
        let at = InputAt::Location(location);
        Some(self.b.input_at(at, || InputDecl {
            name: format!("{}{index}", usage.text()),
            ty: Type::F32X4,
            at,
            interp: Interp::Smooth,
            semantic: semantic(usage, index),
        }))
    }

    fn varying(&mut self, usage: Usage, index: u8, value: Value) {
        let location = link_of_fixed_vertex(self.key).location(usage, index).unwrap_or(FOG_LOCATION);
        let output = self.b.output(OutputDecl {
            name: format!("{}{index}", usage.text()),
            ty: Type::F32X4,
            at: OutputAt::Location(location),
            semantic: semantic(usage, index),
        });
        self.b.store_output(output, value);
    }

    fn row(&mut self, matrix: Matrix, row: u8) -> Value {
        match matrix {
            Matrix::At(first) => self.register(first + u16::from(row)),
            Matrix::Indexed(offset) => {
                let base = i32::from(R::IndexedWorldView.register()) + i32::from(row);
                let value = self.b.load_const_dyn(self.bank, base, offset);
                self.b.cast(value, ir::Kind::Float)
            }
        }
    }

    /// Row vector times the matrix whose `rows` rows begin at `first`.
    pub(super) fn transform_by(&mut self, vector: Value, first: u16, rows: u8) -> Value {
        self.multiply(vector, Matrix::At(first), rows)
    }

    fn multiply(&mut self, vector: Value, matrix: Matrix, rows: u8) -> Value {
        let mut sum = None;
        for row in 0..rows {
            let matrix_row = self.row(matrix, row);
            let component = self.b.extract(vector, row);
            sum = Some(match sum {
                None => self.b.fmul(matrix_row, component),
                Some(sum) => self.b.fmad(matrix_row, component, sum),
            });
        }
        sum.unwrap_or(vector)
    }

    /// Of length one; zero stays zero.
    pub(super) fn normalize(&mut self, vector: Value) -> Value {
        let square = self.b.fdot(vector, vector);
        let factor = self.b.frsqc(square);
        self.b.fmulz(vector, factor)
    }

    pub(super) fn length(&mut self, vector: Value) -> Value {
        let square = self.b.fdot(vector, vector);
        self.b.fsqrt(square)
    }

    pub(super) fn sum(&mut self, sum: Option<Value>, value: Value) -> Value {
        match sum {
            Some(sum) => self.b.fadd(sum, value),
            None => value,
        }
    }

    fn transform(&mut self) -> Point {
        if self.key.has(FixedVertexKey::PRETRANSFORMED) {
            let position = self.input(FixedInput::Position as u8, Usage::PositionT, 0);
            let position = position.unwrap_or_else(|| self.b.f32x4([0.0; 4]));
            return Point { clip: self.pretransformed(position), view: None, normal: None };
        }
        let position = self.tweened(Usage::Position, FixedInput::Position, FixedInput::Position1);
        let position = position.unwrap_or_else(|| self.b.f32x4([0.0; 4]));
        let normal = self.tweened(Usage::Normal, FixedInput::Normal, FixedInput::Normal1);
        let (clip, view, normal) = match self.blending() {
            Some(matrices) => {
                let view = self.blend(position, &matrices, 4);
                let clip = self.transform_by(view, R::Projection.register(), 4);
                (clip, view, normal.map(|normal| self.blend(normal, &matrices, 3)))
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

    /// A vector, on its way to a second one where tweening is on and the vertex has that.
    fn tweened(&mut self, usage: Usage, first: FixedInput, second: FixedInput) -> Option<Value> {
        let from = self.input(first as u8, usage, 0)?;
        if !self.key.has(FixedVertexKey::TWEENING) {
            return Some(from);
        }
        let Some(to) = self.input(second as u8, usage, 1) else { return Some(from) };
        let factor = self.register(R::Tween.register());
        let factor = self.b.extract(factor, 0);
        let way = self.b.fsub(to, from);
        Some(self.b.fmad(way, factor, from))
    }

    /// The matrices of vertex blending and their weights, of which the last is what the others leave; `None` if there is
    /// none.
    fn blending(&mut self) -> Option<Vec<(Matrix, Value)>> {
        let count = self.key.blend_weights.min(MAX_WEIGHTS);
        let indices = if self.key.blends_by_index() {
            self.input(FixedInput::BlendIndices as u8, Usage::BlendIndices, 0)
        } else {
            None
        };
        let given = self.input(FixedInput::BlendWeight as u8, Usage::BlendWeight, 0).filter(|_| count > 0);
        if indices.is_none() && given.is_none() {
            return None;
        }
        // Without weights in the vertex there is one matrix, the first.
        let mut weights: Vec<Value> =
            given.map_or_else(Vec::new, |given| (0..count).map(|lane| self.b.extract(given, lane)).collect());
        let mut rest = self.b.f32(1.0);
        for weight in &weights {
            rest = self.b.fsub(rest, *weight);
        }
        weights.push(rest);
        let matrices = (0..weights.len() as u8).map(|lane| match indices {
            Some(indices) => Matrix::Indexed(self.matrix_offset(indices, lane)),
            None if lane == 0 => Matrix::At(R::WorldView.register()),
            None => Matrix::At(R::BlendWorldView.element(u16::from(lane) - 1)),
        });
        let matrices: Vec<Matrix> = matrices.collect();
        Some(matrices.into_iter().zip(weights).collect())
    }

    /// First register of the matrix that a blend index names, counted from the first of them all.
    fn matrix_offset(&mut self, indices: Value, lane: u8) -> Value {
        let index = self.b.extract(indices, lane);
        let index = self.b.f2i(index);
        let (zero, last, rows) = (self.b.i32(0), self.b.i32(255), self.b.i32(4));
        let index = self.b.imax(index, zero);
        let index = self.b.imin(index, last);
        self.b.imul(index, rows)
    }

    /// The weighted sum of a vector transformed by each matrix.
    fn blend(&mut self, vector: Value, matrices: &[(Matrix, Value)], rows: u8) -> Value {
        let mut sum = None;
        for (matrix, weight) in matrices {
            let part = self.multiply(vector, *matrix, rows);
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

    /// The fog factor: 1 is no fog.
    fn fog(&mut self, point: &Point) -> Value {
        let view = point.view.filter(|_| self.key.fog_mode != 0);
        let Some(view) = view else {
            let specular = self.input(FixedInput::Specular as u8, Usage::Color, 1);
            let Some(specular) = specular else { return self.b.f32x4([1.0; 4]) };
            let alpha = self.b.extract(specular, 3);
            return self.b.fsat(alpha);
        };
        let distance = if self.key.has(FixedVertexKey::RANGE_FOG) {
            let xyz = self.xyz(view);
            self.length(xyz)
        } else {
            let z = self.b.extract(view, 2);
            self.b.fabs(z)
        };
        let fog = self.register(R::Fog.register());
        let [end, scale, density] = [1, 2, 3].map(|lane| self.b.extract(fog, lane));
        let factor = fog_curve(&mut self.b, self.key.fog_mode, distance, FogParameters { end, scale, density });
        self.b.fsat(factor)
    }

    /// The size of a point, without the limits that every vertex shader's has.
    fn point_size(&mut self, point: &Point) -> Value {
        let own = self.input(FixedInput::PointSize as u8, Usage::PSize, 0);
        let own = own.unwrap_or_else(|| self.register(R::PointSize.register()));
        let mut size = self.b.extract(own, 0);
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
        size
    }
}
