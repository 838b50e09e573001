//! Passes and draws.

use afterimage_metal_calls::{
    CullMode, DrawCount, FillMode, PixelFormat, PrimitiveType, ScissorRect, VisibilityMode, Winding,
};

use super::clip::{Clipper, Corner, View};
use super::fragment::{Painter, Piece};
use super::raster::{Bounds, Shape};
use super::setup::Setup;
use super::tile::Tiles;
use super::vertex::{Vertex, assemble, indices, run};
use super::{Stopper, bound};
use crate::call::{Bound, Lane};
use crate::command::{Amount, Draw, Pass};
use crate::memory::Turn;
use crate::texel::{self, Kind};
use crate::text::Interpolation;

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
    let fragment = state.fragment.as_ref().map(|f| &f.compiled.interface);
    let inputs: Vec<Interpolation> = fragment.iter().flat_map(|f| &f.inputs).map(|i| i.interpolation).collect();
    let of_view = |viewport| Clipper {
        view: View::of(viewport),
        mode: draw.state.clip,
        distances: state.vertex.compiled.interface.clip_distances,
        inputs: &inputs,
    };
    // One for each viewport.
    let clippers: Vec<Clipper<'_>> = draw.state.viewports.iter().map(of_view).collect();
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
                primitive(&mut painter, pass, &clippers, [a, b, c], number as u32);
            }
        }
    }
    painter.passed
}

fn bounds(pass: &Pass, scissor: &ScissorRect) -> Bounds {
    let [x, y] = scissor.origin.map(i64::from);
    let [width, height] = scissor.size.map(i64::from);
    let [right, bottom] = pass.extent.size.map(i64::from);
    Bounds([x, y, (x + width).min(right), (y + height).min(bottom)])
}

fn primitive(
    painter: &mut Painter<'_, '_>,
    pass: &Pass,
    clippers: &[Clipper<'_>],
    vertices: [&Vertex; 3],
    number: u32,
) {
    let draw = painter.draw;
    let state = &draw.state;
    // All vertices of a primitive have the same layer and viewport; those that are not there are the first.
    let layer = if vertices[0].layer < pass.extent.layers { vertices[0].layer } else { 0 };
    let viewport = if vertices[0].viewport < clippers.len() as u32 { vertices[0].viewport } else { 0 };
    let clipper = &clippers[viewport as usize];
    let bounds = bounds(pass, &state.scissors[viewport as usize]).and(clipper.view.pixels());
    let (samples, inputs) = (painter.samples, clipper.inputs);
    let mut paint = |shape: &Shape, setup: &Setup, front: bool, bias: f32| {
        let piece = Piece { setup, first: vertices[0], front, bias, layer, viewport, number };
        shape.cover(bounds, samples, |x, y, masks| painter.quad(&piece, x, y, masks));
    };
    match draw.primitive {
        PrimitiveType::Point => {
            let Some(corner) = clipper.point(vertices[0]) else { return };
            let size = vertices[0].point_size.clamp(1.0, 511.0);
            if let Some((shape, size)) = Shape::point(&corner, size, samples) {
                paint(&shape, &Setup::point(&corner, size, samples, inputs), true, 0.0);
            }
        }
        PrimitiveType::Line | PrimitiveType::LineStrip => {
            let Some([a, b]) = clipper.line([vertices[0], vertices[1]]) else { return };
            if let Some(shape) = Shape::line([&a, &b], samples) {
                paint(&shape, &Setup::line([&a, &b], samples, inputs), true, 0.0);
            }
        }
        PrimitiveType::Triangle | PrimitiveType::TriangleStrip => {
            let polygon = clipper.triangle(vertices);
            let last = polygon.len().saturating_sub(1);
            let pieces = (1..last).filter_map(|n| {
                let corners = [&polygon[0], &polygon[n], &polygon[n + 1]];
                let shape = Shape::triangle(corners, samples)?;
                let size = shape.area();
                (size != 0).then_some((corners, shape, size > 0))
            });
            let pieces: Vec<([&Corner<'_>; 3], Shape, bool)> = pieces.collect();
            // What is cut from a triangle runs as it does; rounded to steps a piece may turn.
            let Some(clockwise) = pieces.iter().max_by_key(|(_, shape, _)| shape.area().abs()).map(|p| p.2) else {
                return;
            };
            let front = clockwise == (state.winding == Winding::Clockwise);
            let culled = match state.cull {
                CullMode::None => false,
                CullMode::Front => front,
                CullMode::Back => !front,
            };
            if culled {
                return;
            }
            let format = pass.depth.as_ref().map(|d| d.target.texture.format());
            for ([a, b, c], shape, clockwise) in &pieces {
                let ordered = if *clockwise { [*a, *c, *b] } else { [*a, *b, *c] };
                let setup = Setup::triangle(ordered, samples, inputs);
                let bias = bias(draw, format, &setup, ordered);
                if state.fill == FillMode::Fill {
                    paint(shape, &setup, front, bias);
                    continue;
                }
                // Its sides that are those of the polygon, in lavapipe's order: where two meet, the later is seen.
                for (from, to) in [(c, a), (a, b), (b, c)] {
                    let side = (0..=last).any(|n| {
                        let next = if n == last { 0 } else { n + 1 };
                        polygon[n].edge
                            && std::ptr::eq(&raw const polygon[n], &raw const **from)
                            && std::ptr::eq(&raw const polygon[next], &raw const **to)
                    });
                    if let (true, Some(shape)) = (side, Shape::line([from, to], samples)) {
                        paint(&shape, &Setup::line([from, to], samples, inputs), front, bias);
                    }
                }
            }
        }
    }
}

/// The depth bias of a triangle. Source: Apple, `setDepthBias:slopeScale:clamp:`.
fn bias(draw: &Draw, format: Option<PixelFormat>, setup: &Setup, corners: [&Corner<'_>; 3]) -> f32 {
    let [constant, scale, limit] = draw.state.bias;
    let Some(format) = format else { return 0.0 };
    if constant == 0.0 && scale == 0.0 {
        return 0.0;
    }
    let slope = if setup.slope().is_finite() { setup.slope() } else { 0.0 };
    let (kind, fields) = texel::fields(format);
    let step = match kind {
        Kind::Unorm => (-(fields[0].1 as f32)).exp2(),
        _ => {
            let most = corners.iter().map(|c| c.window[2].abs()).fold(0.0, f32::max);
            // The least exponent of normal numbers where all is zero.
            (most.max(f32::MIN_POSITIVE).log2().floor() - 23.0).exp2()
        }
    };
    let bias = constant * step + scale * slope;
    match limit {
        l if l > 0.0 => bias.min(l),
        l if l < 0.0 => bias.max(l),
        _ => bias,
    }
}
