//! Passes and draws.

use afterimage_metal_calls::{
    CullMode, DepthClipMode, DrawCount, FillMode, PixelFormat, PrimitiveType, VisibilityMode, Winding,
};

use super::clip::{Whole, clip, project};
use super::fragment::{Painter, Piece};
use super::raster::{Bounds, Shape, area};
use super::tile::Tiles;
use super::vertex::{Vertex, assemble, indices, run};
use super::{Stopper, bound};
use crate::call::{Bound, Lane};
use crate::command::{Amount, Draw, Pass};
use crate::memory::Turn;
use crate::texel::{self, Kind};

/// Vertices or instances of a draw at most: more are a fault.
const MOST: u32 = 1 << 22;

/// Executes a pass.
pub(super) fn pass(turn: &Turn, of: &Pass, draws: &[Draw], stopper: &mut Stopper<'_>) {
    let mut tiles = Tiles::load(turn, of);
    // What the pass counts, by offset; each is there once it has been set, even if nothing was drawn.
    let mut counts: Vec<(u64, u64)> = of.counted.iter().map(|offset| (*offset, 0)).collect();
    for draw in draws {
        if stopper.ended() {
            break;
        }
        stopper.begin(|| format!("pass `{}`, pipeline `{}`", of.label, draw.pipeline.0.label));
        let passed = one(turn, of, draw, &mut tiles, stopper);
        let (mode, offset) = draw.state.visibility;
        if mode != VisibilityMode::Disabled {
            let value = if mode == VisibilityMode::Boolean { u64::from(passed > 0) } else { passed };
            match counts.iter_mut().find(|(at, _)| *at == offset) {
                Some((_, sum)) if mode == VisibilityMode::Boolean => *sum |= value,
                Some((_, sum)) => *sum += value,
                None => counts.push((offset, value)),
            }
        }
    }
    tiles.store(turn, of);
    if let Some(buffer) = &of.visibility {
        for (offset, sum) in counts {
            buffer.0.memory.write(turn, offset, &sum.to_le_bytes());
        }
    }
}

/// How much a draw draws.
fn amount(turn: &Turn, draw: &Draw) -> (u64, DrawCount) {
    match &draw.amount {
        Amount::Direct(count) if draw.indices.is_some() => (0, *count),
        Amount::Direct(count) => (0, *count),
        Amount::Indirect(buffer, offset) => {
            let word = |n: u64| buffer.0.memory.word(turn, offset + 4 * n).unwrap_or(0);
            if draw.indices.is_some() {
                let first = word(3) as i32;
                (u64::from(word(2)), DrawCount { first, count: word(0), instances: word(1), base_instance: word(4) })
            } else {
                let first = word(2) as i32;
                (0, DrawCount { first, count: word(0), instances: word(1), base_instance: word(3) })
            }
        }
    }
}

/// Executes a draw; the samples that passed.
fn one(turn: &Turn, pass: &Pass, draw: &Draw, tiles: &mut Tiles, stopper: &mut Stopper<'_>) -> u64 {
    let state = &draw.pipeline.0;
    let (first_index, count) = amount(turn, draw);
    if count.count > MOST || count.instances > MOST {
        stopper.fault(|| format!("{} vertices in {} instances: timeout", count.count, count.instances));
        return 0;
    }
    let ids: Vec<Option<u32>> = match &draw.indices {
        Some(source) => indices(turn, source, first_index, count.count, count.first, stopper),
        None => (0..count.count).map(|n| Some(n.wrapping_add_signed(count.first))).collect(),
    };
    let present: Vec<bool> = ids.iter().map(Option::is_some).collect();
    let primitives = assemble(draw.primitive, &present);
    let greatest = draw
        .indices
        .as_ref()
        .map_or(0, |i| if i.ty == afterimage_metal_calls::IndexType::UInt16 { 0xffff } else { u32::MAX });
    // In lists the greatest index is a vertex as any other.
    let ids: Vec<u32> = ids.iter().map(|id| id.unwrap_or(greatest.wrapping_add_signed(count.first))).collect();
    // Each vertex once: an indexed draw has most of them more than once.
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    let strips = matches!(draw.primitive, PrimitiveType::LineStrip | PrimitiveType::TriangleStrip);
    if strips && present.contains(&false) {
        let gap = greatest.wrapping_add_signed(count.first);
        let real = ids.iter().zip(&present).any(|(id, there)| *there && *id == gap);
        unique.retain(|id| real || *id != gap);
    }
    let vertex_bound = bound(&state.vertex.compiled.interface, &draw.state.vertex);
    let fragment_bound = match &state.fragment {
        Some(function) => bound(&function.compiled.interface, &draw.state.fragment),
        None => Bound::default(),
    };
    let samples = pass.extent.samples;
    let lanes = [Lane::ZERO; 4];
    let mut painter = Painter { turn, draw, bound: &fragment_bound, tiles, stopper, samples, passed: 0, lanes };
    for instance in 0..count.instances {
        if painter.stopper.ended() {
            break;
        }
        let id = instance.wrapping_add(count.base_instance);
        let base = (count.first, count.base_instance);
        let vertices = run(turn, draw, &vertex_bound, &unique, id, base, painter.stopper);
        if !state.rasterization {
            continue;
        }
        for (number, corners) in primitives.iter().enumerate() {
            let found = corners.map(|c| unique.binary_search(&ids[c]).ok().and_then(|at| vertices.get(at)));
            if let [Some(a), Some(b), Some(c)] = found {
                primitive(&mut painter, pass, [a, b, c], number as u32);
            }
        }
    }
    painter.passed
}

fn bounds(pass: &Pass, draw: &Draw) -> Bounds {
    let [x, y] = draw.state.scissor.origin.map(i64::from);
    let [width, height] = draw.state.scissor.size.map(i64::from);
    let [right, bottom] = pass.extent.size.map(i64::from);
    Bounds([x, y, (x + width).min(right), (y + height).min(bottom)])
}

fn primitive(painter: &mut Painter<'_, '_>, pass: &Pass, vertices: [&Vertex; 3], number: u32) {
    let draw = painter.draw;
    let (state, viewport) = (&draw.state, draw.state.viewport);
    let distances = draw.pipeline.0.vertex.compiled.interface.clip_distances;
    let bounds = bounds(pass, draw);
    // All vertices of a primitive have the same layer; one that is not there is the first.
    let layer = if vertices[0].layer < pass.extent.layers { vertices[0].layer } else { 0 };
    let samples = painter.samples;
    let mut paint = |shape: Shape, front: bool, bias: f64| {
        let piece = Piece { shape, vertices, front, bias, layer, number };
        shape.cover(bounds, samples, |x, y, masks| painter.quad(&piece, x, y, masks));
    };
    match draw.primitive {
        PrimitiveType::Point => {
            for corner in clip(&vertices[..1], state.clip, distances, &viewport) {
                let size = f64::from(vertices[0].point_size.clamp(1.0, 511.0));
                paint(Shape::Point(project(&corner, &viewport), size), true, 0.0);
            }
        }
        PrimitiveType::Line | PrimitiveType::LineStrip => {
            if let [a, b] = clip(&vertices[..2], state.clip, distances, &viewport)[..] {
                paint(Shape::Line([project(&a, &viewport), project(&b, &viewport)]), true, 0.0);
            }
        }
        PrimitiveType::Triangle | PrimitiveType::TriangleStrip => {
            let polygon = clip(&vertices, state.clip, distances, &viewport);
            let points: Vec<_> = polygon.iter().map(|c| project(c, &viewport)).collect();
            let cut = polygon.iter().any(|c| !c.parts.contains(&1.0));
            let origin = if cut { Whole::of(&vertices, &viewport) } else { None };
            let piece = |points| origin.map_or(Shape::Triangle(points), |origin| Shape::Piece(points, origin));
            let triangles: Vec<Shape> =
                (1..points.len().saturating_sub(1)).map(|n| piece([points[0], points[n], points[n + 1]])).collect();
            let areas = triangles.iter().map(|t| t.corners().map_or(0, area));
            let whole: i128 = areas.map(i128::from).sum();
            if whole == 0 {
                return;
            }
            let front = (whole > 0) == (state.winding == Winding::Clockwise);
            let culled = match state.cull {
                CullMode::None => false,
                CullMode::Front => front,
                CullMode::Back => !front,
            };
            if culled {
                return;
            }
            let bias = bias(draw, pass.depth.as_ref().map(|d| d.target.texture.format()), &triangles);
            if state.fill == FillMode::Fill {
                triangles.into_iter().for_each(|shape| paint(shape, front, bias));
                return;
            }
            let mode = if state.clip == DepthClipMode::Clip { DepthClipMode::Clip } else { DepthClipMode::Clamp };
            for (n, next) in [(0, 1), (1, 2), (2, 0)] {
                // As a line of its own, whose parts are those of the triangle's vertices.
                if let [mut a, mut b] = clip(&[vertices[n], vertices[next]], mode, distances, &viewport)[..] {
                    for corner in [&mut a, &mut b] {
                        let [first, second, _] = corner.parts;
                        corner.parts = [0.0; 3];
                        (corner.parts[n], corner.parts[next]) = (first, second);
                    }
                    paint(Shape::Line([project(&a, &viewport), project(&b, &viewport)]), front, bias);
                }
            }
        }
    }
}

/// The depth bias of a triangle. Source: Apple, `setDepthBias:slopeScale:clamp:`.
fn bias(draw: &Draw, format: Option<PixelFormat>, triangles: &[Shape]) -> f64 {
    let [constant, scale, limit] = draw.state.bias.map(f64::from);
    let Some(format) = format else { return 0.0 };
    if constant == 0.0 && scale == 0.0 {
        return 0.0;
    }
    let slope = triangles.iter().map(Shape::slope).filter(|s| s.is_finite()).fold(0.0, f64::max);
    let (kind, fields) = texel::fields(format);
    let step = match kind {
        Kind::Unorm => f64::from(-(fields[0].1 as i32)).exp2(),
        _ => {
            let corners = triangles.iter().filter_map(Shape::corners).flatten();
            let most = corners.map(|p| p.z.abs()).fold(0.0, f64::max);
            // The least exponent of normal numbers where all is zero.
            (most.max(f64::from(f32::MIN_POSITIVE)).log2().floor() - 23.0).exp2()
        }
    };
    let bias = constant * step + scale * slope;
    match limit {
        l if l > 0.0 => bias.min(l),
        l if l < 0.0 => bias.max(l),
        _ => bias,
    }
}
