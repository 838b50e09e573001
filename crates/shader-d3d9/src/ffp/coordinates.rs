//! Texture coordinates of the fixed-function vertex stage: generation and transforms ("Automatically Generated Texture
//! Coordinates" and "Texture Coordinate Transformations" of the Direct3D 9 documentation).
//!
//! What the documentation leaves open is as Windows drivers do it (as WineD3D and DXVK found it):
//! * only two to four coordinates (`D3DTTFF_COUNT2` to `COUNT4`) are transformed;
//! * the matrix sees a one behind the last coordinate that the vertex has, and zeros behind that;
//! * coordinates beyond the count (of the flags, or of the vertex where nothing is transformed) are zero;
//! * `D3DTTFF_PROJECTED` puts the last coordinate of the count where the pixel stage divides by it, which is the fourth.

use super::vertex::{Point, Vertex};
use super::{FixedInput, TexCoordKey};
use crate::banks::FixedVertexRegister as R;
use crate::tables::Usage;
use afterimage_ir::Value;

const GENERATED_NORMAL: u8 = 1;
const GENERATED_POSITION: u8 = 2;
const GENERATED_REFLECTION: u8 = 3;
const GENERATED_SPHERE: u8 = 4;

impl Vertex<'_> {
    /// Texture coordinates of a stage.
    pub(super) fn tex_coord(&mut self, point: &Point, stage: u8, key: &TexCoordKey) -> Value {
        let flags = key.transform & !TexCoordKey::PROJECTED;
        let counted = if let 2..=4 = flags { Some(flags) } else { None };
        let matrix = counted.filter(|_| point.view.is_some());
        let generated = point.view.and_then(|view| self.generated(view, point.normal, key.generation));
        let (mut vector, count) = match generated {
            Some(vector) => {
                let one = self.b.f32(1.0);
                (self.b.construct(&[vector, one]), counted.unwrap_or(3))
            }
            None => {
                let components = key.components.min(4);
                (self.vertex_coordinates(key.set, components, matrix.is_some()), counted.unwrap_or(components))
            }
        };
        if matrix.is_some() {
            vector = self.transform_by(vector, R::TextureMatrix.element(stage.into()), 4);
        }
        let (one, zero) = (self.b.f32(1.0), self.b.f32(0.0));
        let last = if key.transform & TexCoordKey::PROJECTED == 0 {
            if count == 4 { self.b.extract(vector, 3) } else { zero }
        } else if count == 0 || (generated.is_some() && counted.is_none()) {
            one
        } else {
            self.b.extract(vector, count - 1)
        };
        let kept = count.min(3);
        let mut parts = Vec::with_capacity(5);
        if kept > 0 {
            parts.push(self.b.resize(vector, kept));
        }
        parts.extend((kept..3).map(|_| zero));
        parts.push(last);
        self.b.construct(&parts)
    }

    /// The vertex's own coordinates. `padded`: with a one behind the last.
    fn vertex_coordinates(&mut self, set: u8, components: u8, padded: bool) -> Value {
        let input = self.input(FixedInput::tex_coord(set), Usage::TexCoord, set & 7);
        let Some(input) = input.filter(|_| components > 0) else { return self.b.f32x4([0.0; 4]) };
        if components == 4 {
            return input;
        }
        let next = self.b.f32(if padded { 1.0 } else { 0.0 });
        let own = self.b.resize(input, components);
        let rest = self.b.f32(0.0);
        self.b.construct(&[own, next, rest, rest])
    }

    /// Three generated coordinates, unless the vertex's own are asked for. A normal that is missing is zero.
    fn generated(&mut self, view: Value, normal: Option<Value>, generation: u8) -> Option<Value> {
        let normal = normal.unwrap_or_else(|| self.vec3([0.0; 3]));
        match generation {
            GENERATED_NORMAL => Some(normal),
            GENERATED_POSITION => Some(self.xyz(view)),
            GENERATED_REFLECTION => Some(self.reflection(view, normal)),
            GENERATED_SPHERE => {
                let vector = self.reflection(view, normal);
                Some(self.sphere(vector))
            }
            _ => None,
        }
    }

    /// The view direction reflected by the surface.
    fn reflection(&mut self, view: Value, normal: Value) -> Value {
        let view = self.xyz(view);
        let direction = self.normalize(view);
        let cosine = self.b.fdot(direction, normal);
        let minus_two = self.b.f32(-2.0);
        let factor = self.b.fmul(cosine, minus_two);
        self.b.fmad(normal, factor, direction)
    }

    /// Sphere map coordinates of a reflected direction `R`: `0.5 + R.xy / m` with `m = 2 |R - (0, 0, 1)|`. A surface that
    /// faces the viewer, who looks along +z, has the middle of the map.
    ///
    /// Neither the documentation nor a test that ran on Windows gives a formula. This is how Microsoft's own "CubeMap"
    /// sample of the DirectX 8 SDK looks its sphere map up in a vertex shader (`0.25 R.xy / sqrt(0.5 - 0.5 R.z) + 0.5`, which
    /// is the same). WineD3D and DXVK have `R + (0, 0, 1)` of OpenGL, whose viewer looks along -z: there the surfaces that
    /// face the viewer of Direct3D would have no coordinates at all.
    fn sphere(&mut self, vector: Value) -> Value {
        let away = self.vec3([0.0, 0.0, -1.0]);
        let sum = self.b.fadd(vector, away);
        let length = self.length(sum);
        let diameter = self.b.fadd(length, length);
        let xy = self.b.resize(vector, 2);
        let (scaled, half, zero) = (self.b.fdiv(xy, diameter), self.b.f32(0.5), self.b.f32(0.0));
        let place = self.b.fadd(scaled, half);
        self.b.construct(&[place, zero])
    }
}
