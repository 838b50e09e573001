//! The end of every vertex shader: position, point size and clip distances.

use crate::banks::SystemRegister;
use crate::io::VertexOps;
use crate::lift::interface::{semantic, system_bank};
use crate::tables::Usage;
use afterimage_ir::{self as ir, Builder, OutputAt, OutputDecl, Type, Value};

/// What a vertex shader computed besides its varyings.
pub(crate) struct VertexResult {
    /// In clip space.
    pub(crate) position: Value,
    /// What the clip planes are for: the position in their space.
    pub(crate) clip_vertex: Value,
    /// In the first component; none where the shader leaves it to the state.
    pub(crate) point_size: Option<Value>,
}

/// Stores the outputs.
pub(crate) fn epilogue(b: &mut Builder, ops: VertexOps, result: VertexResult) {
    let output = |name: &str, ty, at| OutputDecl { name: name.to_owned(), ty, at, semantic: None };
    let out = b.output(OutputDecl {
        semantic: semantic(Usage::Position, 0),
        ..output("oPos", Type::F32X4, OutputAt::Position)
    });
    let position = if ops.point_size != 0 { sized(b, &result) } else { result.position };
    b.store_output(out, position);
    if let Some(size) = point_size(b, ops, result.point_size) {
        let out = b.output(output("oPts", Type::F32, OutputAt::PointSize));
        b.store_output(out, size);
    }
    let planes: Vec<u16> = (0..6).filter(|n| ops.clip_planes >> n & 1 != 0).collect();
    for (chunk, planes) in planes.chunks(4).enumerate() {
        let system = system_bank(b);
        let mut distances = Vec::with_capacity(4);
        for plane in planes {
            let plane = b.load_const(system, SystemRegister::ClipPlane.element(*plane).into());
            distances.push(b.fdot(result.clip_vertex, plane));
        }
        let value = b.construct(&distances);
        let ty = Type::new(ir::Kind::Float, distances.len() as u8);
        let out = b.output(output("clip", ty, OutputAt::ClipDistance(chunk as u8 * 4)));
        b.store_output(out, value);
    }
}

/// The position of a point. One whose size is nothing is not drawn, though no device has points of less than a pixel: it goes
/// outside of the picture.
fn sized(b: &mut Builder, result: &VertexResult) -> Value {
    let system = system_bank(b);
    let state = b.load_const(system, SystemRegister::PointSize.register().into());
    let (default, smallest) = (b.extract(state, 0), b.extract(state, 3));
    let own = result.point_size.map(|size| b.extract(size, 0));
    let size = b.fmaxc(own.unwrap_or(default), smallest);
    let (zero, outside) = (b.f32(0.0), b.f32x4([2.0, 2.0, 2.0, 1.0]));
    let drawn = b.flt(zero, size);
    let drawn = b.resize(drawn, 4);
    b.select(drawn, result.position, outside)
}

/// The size of a point: the shader's or the state's, within the state's limits where points are drawn.
fn point_size(b: &mut Builder, ops: VertexOps, own: Option<Value>) -> Option<Value> {
    let own = own.map(|size| b.extract(size, 0));
    if ops.point_size == 0 {
        return own;
    }
    let system = system_bank(b);
    let state = b.load_const(system, SystemRegister::PointSize.register().into());
    let [default, min, max] = [0, 1, 2].map(|lane| b.extract(state, lane));
    let size = b.fmaxc(own.unwrap_or(default), min);
    Some(b.fminc(size, max))
}
