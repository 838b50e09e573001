//! Vertices: what buffers hold, what the vertex function makes of it, which of them belong together.

use afterimage_metal_calls::{IndexType, PrimitiveType, StepFunction, VertexFormat};

use super::Stopper;
use crate::call::{Bound, Lane, Lanes};
use crate::command::{Draw, IndexSource, Table};
use crate::memory::Turn;
use crate::objects::RenderState;
use crate::text::Scalar;

/// Lanes that run at once.
const BATCH: usize = 32;

/// What the vertex function gave.
#[derive(Clone, Debug)]
pub(crate) struct Vertex {
    pub(crate) position: [f32; 4],
    pub(crate) clip: [f32; 8],
    pub(crate) point_size: f32,
    pub(crate) layer: u32,
    pub(crate) viewport: u32,
    /// What the fragment function takes, in its order.
    pub(crate) varyings: Vec<[u32; 4]>,
}

fn sign_extend(bits: u32, count: u32) -> i32 {
    ((bits << (32 - count)) as i32) >> (32 - count)
}

/// The components of an attribute, as floats or integers, with 0, 0, 0, 1 for those that are not there.
pub(crate) fn attribute(format: VertexFormat, bytes: &[u8; 16], scalar: Scalar) -> [u32; 4] {
    use VertexFormat::*;
    let word = |n: usize| u32::from_le_bytes([bytes[4 * n], bytes[4 * n + 1], bytes[4 * n + 2], bytes[4 * n + 3]]);
    let short = |n: usize| u16::from_le_bytes([bytes[2 * n], bytes[2 * n + 1]]);
    let half = |n: usize| half::f16::from_bits(short(n)).to_f32();
    let is_float = scalar == Scalar::Float;
    let mut floats = [0.0, 0.0, 0.0, 1.0];
    let mut integers = [0i64, 0, 0, 1];
    let snorm = |v: i32, most: f32| (v as f32 / most).max(-1.0);
    match format {
        Float | Float2 | Float3 | Float4 => {
            (0..format.bytes() as usize / 4).for_each(|n| floats[n] = f32::from_bits(word(n)));
        }
        Half2 | Half4 => (0..format.bytes() as usize / 2).for_each(|n| floats[n] = half(n)),
        UChar4 => (0..4).for_each(|n| integers[n] = i64::from(bytes[n])),
        UChar4Normalized => (0..4).for_each(|n| floats[n] = f32::from(bytes[n]) / 255.0),
        UChar4NormalizedBgra => (0..4).for_each(|n| floats[[2, 1, 0, 3][n]] = f32::from(bytes[n]) / 255.0),
        Short2 | Short4 => (0..format.bytes() as usize / 2).for_each(|n| integers[n] = i64::from(short(n) as i16)),
        Short2Normalized | Short4Normalized => {
            (0..format.bytes() as usize / 2).for_each(|n| floats[n] = snorm(i32::from(short(n) as i16), 32767.0));
        }
        UShort2Normalized | UShort4Normalized => {
            (0..format.bytes() as usize / 2).for_each(|n| floats[n] = f32::from(short(n)) / 65535.0);
        }
        Int1010102Normalized => {
            (0..3).for_each(|n| floats[n] = snorm(sign_extend(word(0) >> (10 * n), 10), 511.0));
            floats[3] = snorm(sign_extend(word(0) >> 30, 2), 1.0);
        }
        UInt => integers[0] = i64::from(word(0)),
    }
    match format {
        UChar4 | Short2 | Short4 | UInt if is_float => integers.map(|i| (i as f32).to_bits()),
        UChar4 | Short2 | Short4 | UInt => integers.map(|i| i as u32),
        _ => floats.map(f32::to_bits),
    }
}

/// The attributes of a vertex.
fn fetch(
    turn: &Turn,
    table: &Table,
    state: &RenderState,
    lane: &mut Lane,
    base_instance: u32,
    stopper: &mut Stopper<'_>,
) {
    for (slot, wanted) in state.vertex.compiled.interface.attributes.iter().enumerate() {
        let Some(attr) = state.input.attributes.iter().find(|a| a.location == wanted.location) else { continue };
        let Some(layout) = state.input.layouts.iter().find(|l| l.buffer == attr.buffer) else { continue };
        let Some((buffer, offset)) = table.buffers.get(&layout.buffer) else { continue };
        let element = match layout.step {
            StepFunction::Constant => 0,
            StepFunction::PerVertex => lane.vertex_id,
            StepFunction::PerInstance(rate) => {
                base_instance + (lane.instance_id.wrapping_sub(base_instance)) / rate.max(1)
            }
        };
        let at = offset + u64::from(element) * u64::from(layout.stride) + u64::from(attr.offset);
        let mut bytes = [0; 16];
        let count = attr.format.bytes() as usize;
        if !buffer.0.memory.read(turn, at, &mut bytes[..count]) {
            stopper.fault(|| {
                format!(
                    "vertex attribute {} of vertex {} is at {at} of `{}`, which has {} bytes",
                    attr.location,
                    lane.vertex_id,
                    buffer.label(),
                    buffer.length()
                )
            });
        }
        lane.input[slot] = attribute(attr.format, &bytes, wanted.ty.scalar);
    }
}

/// Runs the vertex function for vertices of an instance.
pub(crate) fn run(
    turn: &Turn,
    draw: &Draw,
    bound: &Bound,
    ids: &[u32],
    instance: u32,
    base: (i32, u32),
    stopper: &mut Stopper<'_>,
) -> Vec<Vertex> {
    let state = &draw.pipeline.0;
    let mut out = Vec::with_capacity(ids.len());
    let mut lanes = vec![Lane::ZERO; BATCH];
    for batch in ids.chunks(BATCH) {
        for (lane, id) in lanes.iter_mut().zip(batch) {
            *lane = Lane {
                vertex_id: *id,
                instance_id: instance,
                base_vertex: base.0 as u32,
                base_instance: base.1,
                ..Lane::ZERO
            };
            fetch(turn, &draw.state.vertex, state, lane, base.1, stopper);
        }
        let lanes = &mut lanes[..batch.len()];
        stopper.run(&state.vertex, turn, bound, &draw.state.vertex, Default::default(), lanes, Lanes::Vertices);
        for lane in lanes.iter() {
            let point_size = if state.vertex.compiled.interface.point_size { lane.point_size } else { 1.0 };
            let varyings = state.links.iter().map(|&at| lane.output[at]).collect();
            let Lane { position, clip, layer, viewport, .. } = *lane;
            out.push(Vertex { position, clip, point_size, layer, viewport, varyings });
        }
    }
    out
}

/// The vertices of a draw: numbers, or none where a strip begins anew.
pub(crate) fn indices(
    turn: &Turn,
    source: &IndexSource,
    first: u64,
    count: u32,
    base: i32,
    stopper: &mut Stopper<'_>,
) -> Vec<Option<u32>> {
    let bytes: usize = if source.ty == IndexType::UInt16 { 2 } else { 4 };
    let offset = source.offset + first * bytes as u64;
    // Never more than the buffer has.
    let there = source.buffer.length().saturating_sub(offset) / bytes as u64;
    if u64::from(count) > there {
        stopper.fault(|| format!("{count} indices from {offset} on are beyond `{}`", source.buffer.label()));
    }
    let count = u64::from(count).min(there) as usize;
    let mut words = vec![0; count * bytes];
    source.buffer.0.memory.read(turn, offset, &mut words);
    let greatest = if bytes == 2 { 0xffff } else { u32::MAX };
    let index = |word: &[u8]| word.iter().rev().fold(0u32, |v, b| v << 8 | u32::from(*b));
    let with_base = |v: u32| if v == greatest { None } else { Some(v.wrapping_add_signed(base)) };
    words.chunks_exact(bytes).map(|word| with_base(index(word))).collect()
}

/// Primitives: positions in the list of vertices, as many as the primitive has. Strips begin anew at gaps; in lists a gap is a vertex.
pub(crate) fn assemble(primitive: PrimitiveType, present: &[bool]) -> Vec<[usize; 3]> {
    let count = present.len();
    let mut out = Vec::new();
    match primitive {
        PrimitiveType::Point => out.extend((0..count).map(|n| [n; 3])),
        PrimitiveType::Line => out.extend((0..count / 2).map(|n| [2 * n, 2 * n + 1, 2 * n + 1])),
        PrimitiveType::Triangle => out.extend((0..count / 3).map(|n| [3 * n, 3 * n + 1, 3 * n + 2])),
        PrimitiveType::LineStrip | PrimitiveType::TriangleStrip => {
            let mut begin = 0;
            for end in 0..=count {
                if present.get(end).is_some_and(|there| *there) {
                    continue;
                }
                if primitive == PrimitiveType::LineStrip {
                    out.extend((begin + 1..end).map(|n| [n - 1, n, n]));
                } else {
                    // The first vertex stays the first: it is the one that provokes.
                    let corners =
                        |n: usize| if (n - begin).is_multiple_of(2) { [n, n + 1, n + 2] } else { [n, n + 2, n + 1] };
                    out.extend((begin..end.saturating_sub(2).max(begin)).map(corners));
                }
                begin = end + 1;
            }
        }
    }
    out
}
