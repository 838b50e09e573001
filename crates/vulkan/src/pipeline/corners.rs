//! What pixel shaders read of each vertex by itself ([`corners`](afterimage_abi::corners)): a geometry shader that hands it to all vertices of
//! the primitive, beside what they have themselves.

use crate::pipeline::line_quads::Varying;
use crate::pipeline::raster::{LINES, TRIANGLES};
use crate::pipeline::spirv_words::{Words, number, op, put, text};
use afterimage_abi::corners::Corner;

/// What decides the words of such a shader.
pub(crate) struct Interface<'a> {
    /// What the vertex stage writes, and what the pixel stage reads of that.
    pub(crate) given: &'a [Varying],
    pub(crate) read: &'a [Varying],
    /// What the pixel stage reads besides, by location.
    pub(crate) corners: &'a [(u32, Corner)],
    /// Class of the topology, and whether the last vertex provokes.
    pub(crate) class: u32,
    pub(crate) provoking_last: bool,
    /// Clip and cull distances that the vertex stage writes.
    pub(crate) distances: [u32; 2],
    /// Whether the vertex stage writes the size of points.
    pub(crate) point_size: bool,
    /// Whether the pixel stage reads the number of the primitive.
    pub(crate) primitive: bool,
}

/// Something that is handed on from each vertex.
struct Copy {
    ty: u32,
    pointer: u32,
    /// None if the vertex stage does not have it.
    from: Option<u32>,
    to: u32,
}

/// The words of the geometry shader.
pub(crate) fn words(interface: &Interface<'_>) -> Vec<u32> {
    use number::*;
    let Interface { given, read, corners, class, provoking_last, distances, point_size, primitive } = *interface;
    let (count, input_mode, output_mode) = match class {
        TRIANGLES => (3, MODE_INPUT_TRIANGLES, MODE_OUTPUT_TRIANGLE_STRIP),
        LINES => (2, MODE_INPUT_LINES, MODE_OUTPUT_LINE_STRIP),
        _ => (1, MODE_INPUT_POINTS, MODE_OUTPUT_POINTS),
    };
    // The vertices in the order of the hardware, which begins with the one that provokes.
    let order: [usize; 3] = match (count, provoking_last) {
        (3, false) => [0, 1, 2],
        (3, true) => [2, 0, 1],
        (2, false) => [0, 1, 1],
        (2, true) => [1, 0, 0],
        _ => [0; 3],
    };
    let mut m = Words::default();
    let main = m.id();
    let int = m.ty(op::TYPE_INT, &[32, 0]);
    let float = m.ty(op::TYPE_FLOAT, &[32]);
    let [floats, integers] = [float, int].map(|scalar| {
        [1, 2, 3, 4].map(|lanes| if lanes == 1 { scalar } else { m.ty(op::TYPE_VECTOR, &[scalar, lanes]) })
    });
    let numbers = [0, 1, 2, 3].map(|number| m.constant(int, number));
    let [zero, one] = [0.0f32, 1.0].map(|value| m.constant(float, value.to_bits()));
    let mut used = Vec::new();
    let mut input = |m: &mut Words, ty: u32, place: &[u32]| {
        let all = m.ty(op::TYPE_ARRAY, &[ty, numbers[count]]);
        let variable = m.variable(all, CLASS_INPUT, place);
        used.push(variable);
        (variable, m.ty(op::TYPE_POINTER, &[CLASS_INPUT, ty]))
    };
    let mut copies = Vec::new();
    let mut built_in = |m: &mut Words, ty: u32, which: u32| {
        let place = [DECORATION_BUILT_IN, which];
        let (from, pointer) = input(m, ty, &place);
        let to = m.variable(ty, CLASS_OUTPUT, &place);
        copies.push(Copy { ty, pointer, from: Some(from), to });
    };
    built_in(&mut m, floats[3], BUILT_IN_POSITION);
    if point_size {
        built_in(&mut m, float, BUILT_IN_POINT_SIZE);
    }
    for (which, lanes) in [BUILT_IN_CLIP_DISTANCE, BUILT_IN_CULL_DISTANCE].into_iter().zip(distances) {
        if lanes > 0 {
            let lanes = m.constant(int, lanes);
            let ty = m.ty(op::TYPE_ARRAY, &[float, lanes]);
            built_in(&mut m, ty, which);
        }
    }
    let type_of = |varying: &Varying| {
        let types = if varying.float { floats } else { integers };
        types[varying.lanes.clamp(1, 4) as usize - 1]
    };
    // The variable of each location that is read of vertices.
    let mut sources: Vec<(u32, u32, u32, u32)> = Vec::new();
    let mut source = |m: &mut Words, location: u32| {
        if let Some(known) = sources.iter().find(|known| known.0 == location) {
            return Some(*known);
        }
        let ty = type_of(given.iter().find(|given| given.location == location)?);
        let (variable, pointer) = input(m, ty, &[DECORATION_LOCATION, location]);
        sources.push((location, ty, variable, pointer));
        sources.last().copied()
    };
    for varying in read {
        let own = type_of(varying);
        let from = source(&mut m, varying.location).filter(|from| from.1 == own);
        let to = m.variable(own, CLASS_OUTPUT, &[DECORATION_LOCATION, varying.location]);
        let (variable, pointer) = from.map_or((None, 0), |from| (Some(from.2), from.3));
        copies.push(Copy { ty: own, pointer, from: variable, to });
    }
    let all: Vec<_> = corners
        .iter()
        .map(|&(location, corner)| {
            let to = m.variable(floats[3], CLASS_OUTPUT, &[DECORATION_LOCATION, location]);
            let from = match corner {
                Corner::Vertex { location, vertex } => {
                    let from = source(&mut m, location.into()).filter(|from| from.1 == floats[3]);
                    from.map(|from| (from.2, from.3, order[usize::from(vertex.min(2))]))
                }
                Corner::Weights => None,
            };
            (to, corner, from)
        })
        .collect();
    let number = primitive.then(|| {
        let place = [DECORATION_BUILT_IN, BUILT_IN_PRIMITIVE_ID];
        (m.variable(int, CLASS_INPUT, &place), m.variable(int, CLASS_OUTPUT, &place))
    });
    used.extend(copies.iter().map(|copy| copy.to).chain(all.iter().map(|corner| corner.0)));
    used.extend(number.into_iter().flat_map(|(from, to)| [from, to]));
    let nothing: Vec<u32> = copies.iter().map(|copy| m.null(copy.ty)).collect();

    put(&mut m.head, op::CAPABILITY, &[CAPABILITY_GEOMETRY]);
    let wanted = [
        (point_size, CAPABILITY_GEOMETRY_POINT_SIZE),
        (distances[0] > 0, CAPABILITY_CLIP_DISTANCE),
        (distances[1] > 0, CAPABILITY_CULL_DISTANCE),
    ];
    for (_, capability) in wanted.into_iter().filter(|wanted| wanted.0) {
        put(&mut m.head, op::CAPABILITY, &[capability]);
    }
    put(&mut m.head, op::MEMORY_MODEL, &[0, 1]);
    let entry = [&[MODEL_GEOMETRY, main], text("main").as_slice(), &used].concat();
    put(&mut m.head, op::ENTRY_POINT, &entry);
    put(&mut m.head, op::EXECUTION_MODE, &[main, input_mode]);
    put(&mut m.head, op::EXECUTION_MODE, &[main, MODE_INVOCATIONS, 1]);
    put(&mut m.head, op::EXECUTION_MODE, &[main, output_mode]);
    put(&mut m.head, op::EXECUTION_MODE, &[main, MODE_OUTPUT_VERTICES, count as u32]);

    m.begin(main);
    for vertex in 0..count {
        let load = |m: &mut Words, ty: u32, pointer_type: u32, from: u32, vertex: usize| {
            let pointer = m.value(op::ACCESS_CHAIN, pointer_type, &[from, numbers[vertex]]);
            m.value(op::LOAD, ty, &[pointer])
        };
        for (copy, &nothing) in copies.iter().zip(&nothing) {
            let value = copy.from.map_or(nothing, |from| load(&mut m, copy.ty, copy.pointer, from, vertex));
            put(&mut m.code, op::STORE, &[copy.to, value]);
        }
        for &(to, corner, from) in &all {
            let value = match (corner, from) {
                (Corner::Weights, _) => {
                    let place = order.iter().position(|&of| of == vertex).unwrap_or(0);
                    let [i, j] = [1, 2].map(|second| if place == second { one } else { zero });
                    m.value(op::COMPOSITE_CONSTRUCT, floats[3], &[i, j, i, j])
                }
                (_, Some((from, pointer, vertex))) => load(&mut m, floats[3], pointer, from, vertex),
                (_, None) => m.value(op::COMPOSITE_CONSTRUCT, floats[3], &[zero; 4]),
            };
            put(&mut m.code, op::STORE, &[to, value]);
        }
        if let Some((from, to)) = number {
            let value = m.value(op::LOAD, int, &[from]);
            put(&mut m.code, op::STORE, &[to, value]);
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
        let corners = [
            (9, Corner::Vertex { location: 6, vertex: 1 }),
            (10, Corner::Vertex { location: 6, vertex: 2 }),
            (11, Corner::Weights),
            // What the vertex stage does not have, or not as four floats.
            (12, Corner::Vertex { location: 20, vertex: 0 }),
            (13, Corner::Vertex { location: 5, vertex: 0 }),
        ];
        for class in 0..=TRIANGLES {
            for on in [false, true] {
                let interface = Interface {
                    given: if on { &all } else { &all[1..] },
                    read: &all[..3],
                    corners: &corners,
                    class,
                    provoking_last: on,
                    distances: if on { [3, 2] } else { [0; 2] },
                    point_size: on,
                    primitive: on,
                };
                crate::judges::validate(&words(&interface)).unwrap();
            }
        }
    }
}
