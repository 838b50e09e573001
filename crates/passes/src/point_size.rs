//! Points whose shader says no size are a pixel wide.
//!
//! Precondition: a verified module that runs before the rasterizer. Promise: where it draws points, each has a size, its own or 1. All else
//! stays.
//!
//! Guests' front ends write the size that their guest has. Modules that come as such may write none, and Vulkan leaves open how
//! large such points are (VUID-VkGraphicsPipelineCreateInfo-Vertex-07722).

use afterimage_ir::{Module, Op, Output, OutputAt, OutputDecl, OutputPrimitive, Stage, Type};

use crate::rewrite::{Action, Cursor, rewrite};

/// Runs the pass on a vertex shader that points are drawn with, or on a geometry shader.
pub fn run(m: &mut Module) {
    let gives_points = match m.stage {
        Stage::Vertex => true,
        Stage::Geometry => m.geometry.is_some_and(|geometry| geometry.output == OutputPrimitive::Points),
        Stage::Pixel | Stage::Compute => false,
    };
    if !gives_points || m.writes_point_size() {
        return;
    }
    let output = Output::new(m.outputs.len());
    m.outputs.push(OutputDecl { name: "point_size".into(), ty: Type::F32, at: OutputAt::PointSize, semantic: None });
    let store = |cursor: &mut Cursor<'_>| {
        let one = cursor.splat(Type::F32, 1f32.to_bits());
        cursor.store_output(output, one);
    };
    if m.stage == Stage::Vertex {
        let body = m.body;
        let rest = std::mem::take(&mut m.regions[body.index()].insts);
        let mut insts = Vec::with_capacity(rest.len() + 2);
        store(&mut Cursor::new(m, body, &mut insts));
        insts.extend(rest);
        m.regions[body.index()].insts = insts;
        return;
    }
    // A geometry shader's outputs are open again behind each vertex.
    rewrite(m, |cursor, inst| {
        if matches!(cursor.m.inst(inst).op, Op::EmitVertex) {
            store(cursor);
        }
        Action::Keep
    });
}

#[cfg(test)]
mod tests {
    use afterimage_ir::{parse, verify};

    use super::*;

    fn after(text: &str) -> String {
        let mut m = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        run(&mut m);
        verify(&m).unwrap_or_else(|error| panic!("{error}\n{m}"));
        m.to_string()
    }

    const VERTEX: &str = "vertex {
  output out0 \"\" : f32x4 position
  v0: f32x4 = const 0.0, 0.0, 0.0, 1.0
  store_output out0, v0
  return
}";

    #[test]
    fn a_vertex_shader_gets_a_size_once() {
        let text = after(VERTEX);
        assert!(text.contains("output out1 \"point_size\" : f32 point_size"), "{text}");
        assert_eq!(text.matches("store_output out1").count(), 1, "{text}");
        assert_eq!(after(&text), text, "its own stays");
    }

    #[test]
    fn each_point_of_a_geometry_shader_gets_a_size() {
        for (output, stores) in [("points", 2), ("line_strip", 0)] {
            let text = after(&format!(
                "geometry {{
  geometry points {output} vertices 2 invocations 1
  output out0 \"\" : f32x4 position
  v0: f32x4 = const 0.0, 0.0, 0.0, 1.0
  store_output out0, v0
  emit_vertex 0
  store_output out0, v0
  emit_vertex 0
  return
}}"
            ));
            assert_eq!(text.matches("store_output out1").count(), stores, "{text}");
        }
    }
}
