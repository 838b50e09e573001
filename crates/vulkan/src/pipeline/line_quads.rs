//! [`LineMode::Quad`](afterimage_stream::packets::LineMode::Quad): a geometry shader that makes two triangles of a line.
//!
//! The rule is that of the NV2A, found by comparing pictures of lines of 0.125 to 64 pixels, at all angles, that an Xbox drew
//! (nxdk_pgraph_tests, suite "Line width") with such triangles: but for ties on an edge, every pixel is there and no other. The
//! ends lie on sixteenths of pixels. To either side goes a perpendicular whose length is half the width times
//! `(max + min / 2) / length`, where `max` and `min` are the larger and the smaller extent of the line: the chip takes
//! `max + min / 2` for the length where it divides by the length's square. Nothing is added at the ends.

use crate::device::gpu::Gpu;
use crate::error::{Checked, Result};
use crate::pipeline::spirv_words::{Words, number, op, put, text};
use ash::vk;

/// An input of the pixel shader that the geometry shader passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Varying {
    pub(crate) location: u32,
    /// Components: 1 to 4.
    pub(crate) lanes: u32,
    /// Whether they are floats, or else integers.
    pub(crate) float: bool,
}

/// The geometry shader, for as long as a pipeline is made.
pub(crate) struct Shader<'a> {
    gpu: &'a Gpu,
    pub(crate) module: vk::ShaderModule,
}

impl<'a> Shader<'a> {
    /// Of a valid module.
    pub(crate) fn new(gpu: &'a Gpu, words: &[u32]) -> Result<Self> {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words are a valid module, as `spirv-val` says of those of this file and of `rects` in tests.
        let module = unsafe { gpu.raw.create_shader_module(&info, None) }.checked("vkCreateShaderModule")?;
        Ok(Self { gpu, module })
    }
}

impl Drop for Shader<'_> {
    fn drop(&mut self) {
        // SAFETY: the pipeline that it was made for is made, or will not be.
        unsafe { self.gpu.raw.destroy_shader_module(self.module, None) };
    }
}

/// The words of a geometry shader that passes these on: what the pixel shader reads.
pub(crate) fn words(varyings: &[Varying]) -> Vec<u32> {
    use number::*;
    let mut m = Words::default();
    let (main, glsl) = (m.id(), m.id());
    let bool_type = m.ty(op::TYPE_BOOL, &[]);
    let int = m.ty(op::TYPE_INT, &[32, 0]);
    let float = m.ty(op::TYPE_FLOAT, &[32]);
    let vectors: [u32; 3] = [2, 3, 4].map(|lanes| m.ty(op::TYPE_VECTOR, &[float, lanes]));
    let (vec2, vec4) = (vectors[0], vectors[2]);
    let integers: [u32; 4] =
        [1, 2, 3, 4].map(|lanes| if lanes == 1 { int } else { m.ty(op::TYPE_VECTOR, &[int, lanes]) });
    let type_of = |varying: &Varying| match (varying.float, varying.lanes) {
        (true, 0 | 1) => float,
        (true, lanes) => vectors[lanes.min(4) as usize - 2],
        (false, lanes) => integers[lanes.clamp(1, 4) as usize - 1],
    };
    let ends = [m.constant(int, 0), m.constant(int, 1)];
    let two = m.constant(int, 2);
    let [zero, half, sixteen] = [0.0f32, 0.5, 16.0].map(|value| m.constant(float, value.to_bits()));
    let sixteenth = m.constant(float, 0.0625f32.to_bits());

    let block = m.block(&[vec4], &[afterimage_abi::push::LINES]);
    let push = m.variable(block, CLASS_PUSH_CONSTANT, &[]);
    let position_type = m.ty(op::TYPE_ARRAY, &[vec4, two]);
    let position = [DECORATION_BUILT_IN, BUILT_IN_POSITION];
    let position_in = m.variable(position_type, CLASS_INPUT, &position);
    let position_out = m.variable(vec4, CLASS_OUTPUT, &position);
    let push_pointer = m.ty(op::TYPE_POINTER, &[CLASS_PUSH_CONSTANT, vec4]);
    let position_pointer = m.ty(op::TYPE_POINTER, &[CLASS_INPUT, vec4]);
    let mut interface = vec![position_in, position_out];
    let mut copies = Vec::new();
    for varying in varyings {
        let ty = type_of(varying);
        let location = [DECORATION_LOCATION, varying.location];
        let pair = m.ty(op::TYPE_ARRAY, &[ty, two]);
        let (from, to) = (m.variable(pair, CLASS_INPUT, &location), m.variable(ty, CLASS_OUTPUT, &location));
        let pointer = m.ty(op::TYPE_POINTER, &[CLASS_INPUT, ty]);
        interface.extend([from, to]);
        copies.push((ty, pointer, from, to));
    }

    put(&mut m.head, op::CAPABILITY, &[CAPABILITY_GEOMETRY]);
    put(&mut m.head, op::EXT_INST_IMPORT, &[&[glsl], text("GLSL.std.450").as_slice()].concat());
    put(&mut m.head, op::MEMORY_MODEL, &[0, 1]);
    let entry = [&[MODEL_GEOMETRY, main], text("main").as_slice(), &interface].concat();
    put(&mut m.head, op::ENTRY_POINT, &entry);
    put(&mut m.head, op::EXECUTION_MODE, &[main, MODE_INPUT_LINES]);
    put(&mut m.head, op::EXECUTION_MODE, &[main, MODE_INVOCATIONS, 1]);
    put(&mut m.head, op::EXECUTION_MODE, &[main, MODE_OUTPUT_TRIANGLE_STRIP]);
    put(&mut m.head, op::EXECUTION_MODE, &[main, MODE_OUTPUT_VERTICES, 4]);

    m.begin(main);
    let [draw, end] = [m.id(), m.id()];
    let pointer = m.value(op::ACCESS_CHAIN, push_pointer, &[push, ends[0]]);
    let sizes = m.value(op::LOAD, vec4, &[pointer]);
    let width = m.value(op::COMPOSITE_EXTRACT, float, &[sizes, 0]);
    let viewport = m.value(op::VECTOR_SHUFFLE, vec2, &[sizes, sizes, 1, 2]);
    let scale = m.value(op::VECTOR_TIMES_SCALAR, vec2, &[viewport, half]);
    // Where the ends are, in pixels from the middle of the viewport.
    let corners = ends.map(|end| {
        let pointer = m.value(op::ACCESS_CHAIN, position_pointer, &[position_in, end]);
        let clip = m.value(op::LOAD, vec4, &[pointer]);
        let [z, w] = [2, 3].map(|lane| m.value(op::COMPOSITE_EXTRACT, float, &[clip, lane]));
        let xy = m.value(op::VECTOR_SHUFFLE, vec2, &[clip, clip, 0, 1]);
        let divisor = m.value(op::COMPOSITE_CONSTRUCT, vec2, &[w, w]);
        let ndc = m.value(op::F_DIV, vec2, &[xy, divisor]);
        let pixels = m.value(op::F_MUL, vec2, &[ndc, scale]);
        let pixels = m.value(op::VECTOR_TIMES_SCALAR, vec2, &[pixels, sixteen]);
        let pixels = m.value(op::EXT_INST, vec2, &[glsl, GLSL_ROUND_EVEN, pixels]);
        (m.value(op::VECTOR_TIMES_SCALAR, vec2, &[pixels, sixteenth]), z, w, divisor)
    });
    let along = m.value(op::F_SUB, vec2, &[corners[1].0, corners[0].0]);
    let square = m.value(op::DOT, float, &[along, along]);
    let [long, front, front_too] =
        [square, corners[0].2, corners[1].2].map(|value| m.value(op::F_ORD_GREATER_THAN, bool_type, &[value, zero]));
    let visible = m.value(op::LOGICAL_AND, bool_type, &[front, front_too]);
    let visible = m.value(op::LOGICAL_AND, bool_type, &[visible, long]);
    put(&mut m.code, op::SELECTION_MERGE, &[end, 0]);
    put(&mut m.code, op::BRANCH_CONDITIONAL, &[visible, draw, end]);

    put(&mut m.code, op::LABEL, &[draw]);
    let extents = m.value(op::EXT_INST, vec2, &[glsl, GLSL_F_ABS, along]);
    let [dx, dy] = [0, 1].map(|lane| m.value(op::COMPOSITE_EXTRACT, float, &[extents, lane]));
    let most = m.value(op::EXT_INST, float, &[glsl, GLSL_F_MAX, dx, dy]);
    let least = m.value(op::EXT_INST, float, &[glsl, GLSL_F_MIN, dx, dy]);
    let least = m.value(op::F_MUL, float, &[least, half]);
    let length = m.value(op::F_ADD, float, &[most, least]);
    let factor = m.value(op::F_MUL, float, &[width, half]);
    let factor = m.value(op::F_MUL, float, &[factor, length]);
    let factor = m.value(op::F_DIV, float, &[factor, square]);
    let [x, y] = [0, 1].map(|lane| m.value(op::COMPOSITE_EXTRACT, float, &[along, lane]));
    let left = m.value(op::F_NEGATE, float, &[y]);
    let across = m.value(op::COMPOSITE_CONSTRUCT, vec2, &[left, x]);
    let across = m.value(op::VECTOR_TIMES_SCALAR, vec2, &[across, factor]);
    for (end, (pixels, z, w, divisor)) in ends.into_iter().zip(corners) {
        for side in [op::F_ADD, op::F_SUB] {
            let pixels = m.value(side, vec2, &[pixels, across]);
            let ndc = m.value(op::F_DIV, vec2, &[pixels, scale]);
            let xy = m.value(op::F_MUL, vec2, &[ndc, divisor]);
            let clip = m.value(op::COMPOSITE_CONSTRUCT, vec4, &[xy, z, w]);
            put(&mut m.code, op::STORE, &[position_out, clip]);
            for &(ty, pointer_type, from, to) in &copies {
                let pointer = m.value(op::ACCESS_CHAIN, pointer_type, &[from, end]);
                let value = m.value(op::LOAD, ty, &[pointer]);
                put(&mut m.code, op::STORE, &[to, value]);
            }
            put(&mut m.code, op::EMIT_VERTEX, &[]);
        }
    }
    put(&mut m.code, op::END_PRIMITIVE, &[]);
    put(&mut m.code, op::BRANCH, &[end]);
    put(&mut m.code, op::LABEL, &[end]);
    put(&mut m.code, op::RETURN, &[]);
    put(&mut m.code, op::FUNCTION_END, &[]);

    m.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_valid() {
        let all: Vec<Varying> =
            (1..=4).map(|lanes| Varying { location: lanes + 2, lanes, float: lanes != 3 }).collect();
        for varyings in [&all[..], &[]] {
            crate::judges::validate(&words(varyings)).unwrap();
        }
    }
}
