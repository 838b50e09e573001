//! The geometry stage: its primitives, the inputs of their vertices, and what it emits.

use afterimage_ir::{Imm, InputAt, InputPrimitive, InstData, Kind, Module, Op, OutputPrimitive, Type};
use smallvec::SmallVec;

use crate::emit::Emitter;
use crate::spec::{capability, execution_mode, op, storage};
use crate::words::{Id, Words};
use crate::{EmitError, Options};

/// Says what primitives the shader takes and gives.
pub(crate) fn declare(w: &mut Words, m: &Module, options: &Options, main: Id) -> Result<(), EmitError> {
    let Some(geometry) = m.geometry else { return Ok(()) };
    if !options.features.geometry {
        return Err(EmitError::Missing { what: "geometry", feature: "geometryShader" });
    }
    w.capability(capability::Geometry);
    let input = match geometry.input {
        InputPrimitive::Points => execution_mode::InputPoints,
        InputPrimitive::Lines => execution_mode::InputLines,
        InputPrimitive::LinesAdjacency => execution_mode::InputLinesAdjacency,
        InputPrimitive::Triangles => execution_mode::Triangles,
        InputPrimitive::TrianglesAdjacency => execution_mode::InputTrianglesAdjacency,
    };
    let output = match geometry.output {
        OutputPrimitive::Points => execution_mode::OutputPoints,
        OutputPrimitive::LineStrip => execution_mode::OutputLineStrip,
        OutputPrimitive::TriangleStrip => execution_mode::OutputTriangleStrip,
    };
    w.execution_mode(main, input, &[]);
    w.execution_mode(main, output, &[]);
    w.execution_mode(main, execution_mode::Invocations, &[geometry.invocations]);
    w.execution_mode(main, execution_mode::OutputVertices, &[geometry.vertices]);
    Ok(())
}

impl Emitter<'_> {
    /// An input of one of the primitive's vertices.
    pub(crate) fn load_vertex_input(&mut self, data: &InstData, full: Type) -> Result<Id, EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let (Imm::Input(input), Some(geometry)) = (data.imm, self.m.geometry) else { return Err(malformed) };
        let variable = self.interface.inputs[input.index()].ok_or(malformed)?;
        let vertex = self.id(data.args[0]);
        let vertex = self.w.umin(vertex, geometry.input.corners() - 1);
        let ty = self.w.ty(full);
        let (InputAt::ClipDistance(first) | InputAt::CullDistance(first)) = self.m.inputs[input.index()].at else {
            let pointer = self.w.pointer(storage::Input, ty);
            let at = self.w.value(op::AccessChain, pointer, &[variable, vertex]);
            return Ok(self.w.value(op::Load, ty, &[at]));
        };
        let float = self.w.ty(Type::new(Kind::Float, 1));
        let pointer = self.w.pointer(storage::Input, float);
        let mut parts: SmallVec<[Id; 4]> = SmallVec::new();
        for lane in 0..full.lanes {
            let plane = self.w.uint(u32::from(first + lane));
            let at = self.w.value(op::AccessChain, pointer, &[variable, vertex, plane]);
            parts.push(self.w.value(op::Load, float, &[at]));
        }
        Ok(match parts[..] {
            [one] => one,
            _ => self.w.value(op::CompositeConstruct, ty, &parts),
        })
    }

    /// Emits a vertex, or ends a strip.
    pub(crate) fn emit_vertex(&mut self, data: &InstData) -> Result<(), EmitError> {
        let what = data.op.name();
        let Imm::Stream(stream) = data.imm else { return Err(EmitError::Malformed(what)) };
        let vertex = data.op == Op::EmitVertex;
        if !self.uses.streams {
            self.w.code.op(if vertex { op::EmitVertex } else { op::EndPrimitive }, &[]);
            return Ok(());
        }
        if !self.features.streams {
            return Err(EmitError::Missing { what, feature: "geometryStreams" });
        }
        self.w.capability(capability::GeometryStreams);
        let stream = self.w.uint(stream.into());
        self.w.code.op(if vertex { op::EmitStreamVertex } else { op::EndStreamPrimitive }, &[stream]);
        Ok(())
    }
}
