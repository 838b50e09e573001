//! [`Topology::RectList`](afterimage_stream::packets::Topology::RectList): a geometry shader that finds the fourth corner.
//!
//! Of the three corners of a rectangle whose sides lie along the axes, the fourth is second + third - first, and so is everything
//! that is interpolated. What is not, integers, is the first corner's.

use crate::pipeline::line_quads::Varying;
use crate::pipeline::spirv_words::{Words, number, op, put, text};

/// The words of a geometry shader that passes these on: what the pixel shader reads.
pub(crate) fn words(varyings: &[Varying]) -> Vec<u32> {
    use number::*;
    let mut m = Words::default();
    let main = m.id();
    let int = m.ty(op::TYPE_INT, &[32, 0]);
    let float = m.ty(op::TYPE_FLOAT, &[32]);
    let [floats, integers] = [float, int].map(|scalar| {
        [1, 2, 3, 4].map(|lanes| if lanes == 1 { scalar } else { m.ty(op::TYPE_VECTOR, &[scalar, lanes]) })
    });
    let corners = [0, 1, 2].map(|corner| m.constant(int, corner));
    let three = m.constant(int, 3);

    let built_in = [DECORATION_BUILT_IN, BUILT_IN_POSITION];
    let position = (floats[3], true, built_in);
    let others = varyings.iter().map(|varying| {
        let types = if varying.float { floats } else { integers };
        (types[varying.lanes.clamp(1, 4) as usize - 1], varying.float, [DECORATION_LOCATION, varying.location])
    });
    let mut interface = Vec::new();
    let mut copies = Vec::new();
    for (ty, is_float, place) in std::iter::once(position).chain(others) {
        let all = m.ty(op::TYPE_ARRAY, &[ty, three]);
        let (from, to) = (m.variable(all, CLASS_INPUT, &place), m.variable(ty, CLASS_OUTPUT, &place));
        let pointer = m.ty(op::TYPE_POINTER, &[CLASS_INPUT, ty]);
        interface.extend([from, to]);
        copies.push((ty, is_float, pointer, from, to));
    }

    put(&mut m.head, op::CAPABILITY, &[CAPABILITY_GEOMETRY]);
    put(&mut m.head, op::MEMORY_MODEL, &[0, 1]);
    let entry = [&[MODEL_GEOMETRY, main], text("main").as_slice(), &interface].concat();
    put(&mut m.head, op::ENTRY_POINT, &entry);
    put(&mut m.head, op::EXECUTION_MODE, &[main, MODE_INPUT_TRIANGLES]);
    put(&mut m.head, op::EXECUTION_MODE, &[main, MODE_INVOCATIONS, 1]);
    put(&mut m.head, op::EXECUTION_MODE, &[main, MODE_OUTPUT_TRIANGLE_STRIP]);
    put(&mut m.head, op::EXECUTION_MODE, &[main, MODE_OUTPUT_VERTICES, 4]);

    m.begin(main);
    let values: Vec<[u32; 4]> = copies
        .iter()
        .map(|&(ty, is_float, pointer_type, from, _)| {
            let [a, b, c] = corners.map(|corner| {
                let pointer = m.value(op::ACCESS_CHAIN, pointer_type, &[from, corner]);
                m.value(op::LOAD, ty, &[pointer])
            });
            if !is_float {
                return [a; 4];
            }
            let along = m.value(op::F_SUB, ty, &[b, a]);
            [a, b, c, m.value(op::F_ADD, ty, &[c, along])]
        })
        .collect();
    for corner in 0..4 {
        for ((.., to), values) in copies.iter().zip(&values) {
            put(&mut m.code, op::STORE, &[*to, values[corner]]);
        }
        put(&mut m.code, op::EMIT_VERTEX, &[]);
    }
    put(&mut m.code, op::END_PRIMITIVE, &[]);
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
