//! Geometry shaders of our own, for primitives that a device lacks: rectangles, and lines of a width.
//!
//! They take what the vertex shader gives, and give it with other positions, so they are made for it.

use std::mem::size_of;

use afterimage_ir::{
    BankDecl, BankSource, Builder, GeometryDecl, Input, InputAt, InputDecl, InputPrimitive, Interp, Kind, Module,
    Output, OutputAt, OutputDecl, OutputPrimitive, Stage, Swizzle, Value,
};
use bytemuck::{Pod, Zeroable};

use super::drawn::Drawing;
use crate::feedback::FeedbackError;

/// Primitives that are made of triangles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Made {
    /// Rectangles of three corners: the fourth is second + third - first, and so is everything that is interpolated. What is not,
    /// integers, is the first corner's.
    Rectangles,
    /// Lines, as [`Lines`] says. Those with an end behind the viewer are not drawn.
    Lines,
}

/// What lines are like: behind [`Drawing`] in the bank of the compute shader.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Lines {
    /// In pixels.
    pub width: f32,
    /// Width and height of the viewport in pixels.
    pub viewport: [f32; 2],
    /// One of the rules below.
    pub rule: f32,
}

impl Lines {
    /// Two triangles by the rule of the NV2A: ends lie on sixteenths of pixels, and the length is `max + min / 2` of the extents.
    pub const QUAD: f32 = 0.0;
    /// A rectangle.
    pub const RECTANGLE: f32 = 1.0;
    /// A parallelogram, as wide in each column (each row, if it is steep).
    pub const STEPS: f32 = 2.0;
}

impl Made {
    /// What the geometry shader says of its primitives.
    pub const fn decl(self) -> GeometryDecl {
        let input = match self {
            Made::Rectangles => InputPrimitive::Triangles,
            Made::Lines => InputPrimitive::Lines,
        };
        GeometryDecl { input, output: OutputPrimitive::TriangleStrip, vertices: 4, invocations: 1 }
    }
}

/// What a vertex shader gives, in its order, and where the geometry shader has it.
struct Passed {
    at: OutputAt,
    kind: Kind,
    input: Input,
    output: Output,
}

/// The geometry shader behind a vertex shader.
pub(super) fn module(vertex: &Module, made: Made) -> Result<Module, FeedbackError> {
    let mut b = Builder::new(Stage::Geometry);
    b.set_name(&vertex.name);
    b.geometry(made.decl());
    let mut passed = Vec::with_capacity(vertex.outputs.len());
    for decl in &vertex.outputs {
        let from = match decl.at {
            OutputAt::Location(location) => InputAt::Location(location),
            OutputAt::Position => InputAt::Position,
            OutputAt::ClipDistance(first) => InputAt::ClipDistance(first),
            // Only points have a size.
            OutputAt::PointSize => continue,
            other => return Err(FeedbackError::Limit(format!("{made:?} of a vertex shader that gives {other:?}"))),
        };
        let (name, ty) = (decl.name.clone(), decl.ty);
        let input = b.input(InputDecl { name, ty, at: from, interp: Interp::Smooth, semantic: None });
        let output = b.output(OutputDecl { semantic: None, ..decl.clone() });
        passed.push(Passed { at: decl.at, kind: decl.ty.kind, input, output });
    }
    match made {
        Made::Rectangles => rectangles(&mut b, &passed),
        Made::Lines => lines(&mut b, &passed),
    }
    b.end_primitive(0);
    b.return_();
    Ok(b.finish()?)
}

fn rectangles(b: &mut Builder, passed: &[Passed]) {
    let corners = [0, 1, 2].map(|corner| b.i32(corner));
    let values: Vec<[Value; 4]> = passed
        .iter()
        .map(|passed| {
            let [first, second, third] = corners.map(|corner| b.load_vertex_input(passed.input, corner));
            if passed.kind != Kind::Float {
                return [first; 4];
            }
            let along = b.fsub(second, first);
            [first, second, third, b.fadd(third, along)]
        })
        .collect();
    for corner in 0..4 {
        for (passed, values) in passed.iter().zip(&values) {
            b.store_output(passed.output, values[corner]);
        }
        b.emit_vertex(0);
    }
}

/// An end of a line.
struct End {
    /// In pixels from the middle of the viewport.
    pixels: Value,
    zw: Value,
    w: Value,
}

fn lines(b: &mut Builder, passed: &[Passed]) {
    let Some(position) = passed.iter().find(|passed| passed.at == OutputAt::Position) else { return };
    let size = (size_of::<Drawing>() + size_of::<Lines>()).div_ceil(16) as u32;
    let (source, defs) = (BankSource::Feedback, Vec::new());
    let bank = b.bank(BankDecl { name: "drawing".into(), source, id: 0, size, defs });
    let told = b.load_const(bank, size - 1);
    let (width, rule) = (b.extract(told, 0), b.extract(told, 3));
    let viewport = b.swizzle(told, Swizzle::new(&[1, 2]));
    let (zero, half, sixteen) = (b.f32(0.0), b.f32(0.5), b.f32(16.0));
    let halves = b.construct(&[half, half]);
    let scale = b.fmul(viewport, halves);
    let [is_quad, is_steps] = [Lines::QUAD, Lines::STEPS].map(|wanted| {
        let wanted = b.f32(wanted);
        b.feq(rule, wanted)
    });
    let numbers = [0, 1].map(|end| b.i32(end));
    let ends = numbers.map(|end| {
        let clip = b.load_vertex_input(position.input, end);
        let xy = b.swizzle(clip, Swizzle::new(&[0, 1]));
        let zw = b.swizzle(clip, Swizzle::new(&[2, 3]));
        let w = b.extract(clip, 3);
        let by = b.construct(&[w, w]);
        let part = b.fdiv(xy, by);
        let pixels = b.fmul(part, scale);
        let sixteens = b.construct(&[sixteen, sixteen]);
        let rounded = b.fmul(pixels, sixteens);
        let rounded = b.fround(rounded);
        let rounded = b.fdiv(rounded, sixteens);
        let is_quad = b.construct(&[is_quad, is_quad]);
        End { pixels: b.select(is_quad, rounded, pixels), zw, w }
    });
    let along = b.fsub(ends[1].pixels, ends[0].pixels);
    let square = b.fdot(along, along);
    let mut visible = b.flt(zero, square);
    for end in &ends {
        let front = b.flt(zero, end.w);
        visible = b.band(visible, front);
    }
    b.begin_if(visible);
    let (x, y) = (b.extract(along, 0), b.extract(along, 1));
    let (dx, dy) = (b.fabs(x), b.fabs(y));
    let (most, least) = (b.fmax(dx, dy), b.fmin(dx, dy));
    // Half the width, over the length: what the direction is multiplied by.
    let reach = b.fmul(width, half);
    let less = b.fmul(least, half);
    let length = b.fadd(most, less);
    let of_quad = b.fmul(reach, length);
    let of_quad = b.fdiv(of_quad, square);
    let root = b.fsqrt(square);
    let of_rectangle = b.fdiv(reach, root);
    let factor = b.select(is_quad, of_quad, of_rectangle);
    let left = b.fneg(y);
    let across = b.construct(&[left, x]);
    let factors = b.construct(&[factor, factor]);
    let across = b.fmul(across, factors);
    // To the side of the lesser extent, by whole pixels.
    let flat = b.fle(dy, dx);
    let whole = b.fround(width);
    let whole = b.fmul(whole, half);
    let (beside, below) = (b.select(flat, zero, whole), b.select(flat, whole, zero));
    let steps = b.construct(&[beside, below]);
    let is_steps = b.construct(&[is_steps, is_steps]);
    let across = b.select(is_steps, steps, across);
    for (number, end) in numbers.into_iter().zip(&ends) {
        for plus in [true, false] {
            let pixels = if plus { b.fadd(end.pixels, across) } else { b.fsub(end.pixels, across) };
            let part = b.fdiv(pixels, scale);
            let w = b.construct(&[end.w, end.w]);
            let xy = b.fmul(part, w);
            let clip = b.construct(&[xy, end.zw]);
            for passed in passed {
                let value =
                    if passed.at == OutputAt::Position { clip } else { b.load_vertex_input(passed.input, number) };
                b.store_output(passed.output, value);
            }
            b.emit_vertex(0);
        }
    }
    b.end_if();
}
