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
    b.store_output(out, result.position);
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
