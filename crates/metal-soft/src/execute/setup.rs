//! Values between the corners of a primitive.
//!
//! Metal's documents say that they are interpolated, in perspective or not, and leave open how they are rounded. What is done here is what
//! lavapipe does, with whose pictures ours are compared: each value is a plane over the picture, in floats, of its value in the middle of
//! the first pixel (of its corner, with samples) and its changes along x and y. For points between two texels, the last bit decides.
//! Facts: Mesa 25.0, `lp_state_setup.c`, `lp_setup_line.c`, `lp_setup_point.c` and `lp_bld_interp.c`.

use super::clip::Corner;
use crate::text::Interpolation;

/// A value over the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    origin: f32,
    dx: f32,
    dy: f32,
}

impl Plane {
    const fn constant(origin: f32) -> Self {
        Self { origin, dx: 0.0, dy: 0.0 }
    }

    fn at(&self, [x, y]: [f32; 2]) -> f32 {
        self.dy.mul_add(y, self.dx.mul_add(x, self.origin))
    }
}

/// A primitive's, or of a piece of one.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// From the corner of the picture to where the planes' origin is.
    shift: f32,
    z: Plane,
    over_w: Plane,
    /// Of inputs that are not flat; with those in perspective times 1/w.
    values: Vec<[Plane; 4]>,
    /// Of points: where in its square a place is.
    point: [Plane; 2],
}

/// How planes lie between corners.
enum Basis<'a> {
    Triangle { corners: [&'a Corner<'a>; 3], d01: [f32; 2], d20: [f32; 2] },
    Line { ends: [&'a Corner<'a>; 2], along: [f32; 2], over: f32 },
    Point(&'a Corner<'a>),
}

impl Basis<'_> {
    /// The plane of a value of each corner.
    fn plane(&self, shift: f32, value: impl Fn(&Corner<'_>) -> f32) -> Plane {
        let from = |corner: &Corner<'_>, of: f32, dx: f32, dy: f32| {
            let [x, y] = [corner.window[0] - shift, corner.window[1] - shift];
            Plane { origin: of - (dx * x + dy * y), dx, dy }
        };
        match self {
            Self::Triangle { corners: [a, b, c], d01, d20 } => {
                let first = value(a);
                let (v01, v20) = (first - value(b), value(c) - first);
                let dx = v01 * d20[1] - v20 * d01[1];
                let dy = v20 * d01[0] - v01 * d20[0];
                from(a, first, dx, dy)
            }
            Self::Line { ends: [a, b], along, over } => {
                let first = value(a);
                let change = first - value(b);
                from(a, first, change * along[0] * over, change * along[1] * over)
            }
            Self::Point(corner) => Plane::constant(value(corner)),
        }
    }
}

/// Where planes have their origin.
fn shift(samples: u32) -> f32 {
    if samples > 1 { 0.0 } else { 0.5 }
}

impl Setup {
    fn of(basis: &Basis<'_>, samples: u32, inputs: &[Interpolation]) -> Self {
        let shift = shift(samples);
        let plane = |n: usize, c: usize, in_perspective: bool| {
            basis.plane(shift, |corner| {
                let value = f32::from_bits(corner.values[n][c]);
                if in_perspective { value * corner.window[3] } else { value }
            })
        };
        let values = inputs.iter().enumerate().map(|(n, input)| match input {
            Interpolation::Flat => [Plane::constant(0.0); 4],
            Interpolation::Linear { .. } => std::array::from_fn(|c| plane(n, c, false)),
            Interpolation::Perspective { .. } => std::array::from_fn(|c| plane(n, c, true)),
        });
        Self {
            shift,
            z: basis.plane(shift, |corner| corner.window[2]),
            over_w: basis.plane(shift, |corner| corner.window[3]),
            values: values.collect(),
            point: [Plane::constant(0.0); 2],
        }
    }

    /// Of a triangle that runs against the clock, as it is seen; the first corner is that of the primitive.
    pub(crate) fn triangle(corners: [&Corner<'_>; 3], samples: u32, inputs: &[Interpolation]) -> Self {
        let [a, b, c] = corners.map(|corner| [corner.window[0], corner.window[1]]);
        let d01 = [a[0] - b[0], a[1] - b[1]];
        let d20 = [c[0] - a[0], c[1] - a[1]];
        let over = 1.0 / (d01[0] * d20[1] - d01[1] * d20[0]);
        let basis = Basis::Triangle { corners, d01: d01.map(|d| d * over), d20: d20.map(|d| d * over) };
        Self::of(&basis, samples, inputs)
    }

    pub(crate) fn line(ends: [&Corner<'_>; 2], samples: u32, inputs: &[Interpolation]) -> Self {
        let [a, b] = ends.map(|end| [end.window[0], end.window[1]]);
        let along = [a[0] - b[0], a[1] - b[1]];
        let over = 1.0 / (along[0] * along[0] + along[1] * along[1]);
        Self::of(&Basis::Line { ends, along, over }, samples, inputs)
    }

    /// Of a point whose square has so many texels at each side.
    pub(crate) fn point(corner: &Corner<'_>, size: f32, samples: u32, inputs: &[Interpolation]) -> Self {
        let mut out = Self::of(&Basis::Point(corner), samples, inputs);
        let change = 1.0 / size;
        let origin = |i: usize| (0.5 - f64::from(change * (corner.window[i] - out.shift))) as f32;
        out.point =
            [Plane { origin: origin(0), dx: change, dy: 0.0 }, Plane { origin: origin(1), dx: 0.0, dy: change }];
        out
    }

    /// A place in a pixel, in steps of it, as planes have it.
    pub(crate) fn place(&self, pixel: [i64; 2], steps: [i64; 2]) -> [f32; 2] {
        std::array::from_fn(|i| pixel[i] as f32 + (steps[i] as f32 / super::raster::STEPS as f32 - self.shift))
    }

    pub(crate) fn z(&self, at: [f32; 2]) -> f32 {
        self.z.at(at)
    }

    pub(crate) fn over_w(&self, at: [f32; 2]) -> f32 {
        self.over_w.at(at)
    }

    /// An input that is not flat.
    pub(crate) fn value(&self, slot: usize, in_perspective: bool, at: [f32; 2]) -> [u32; 4] {
        let by = if in_perspective { 1.0 / self.over_w.at(at) } else { 1.0 };
        self.values[slot].map(|plane| (plane.at(at) * by).to_bits())
    }

    /// Where in a point's square a place is.
    pub(crate) fn in_point(&self, at: [f32; 2]) -> [f32; 2] {
        self.point.map(|plane| plane.at(at))
    }

    /// How much the depth changes at most from a texel to the next, along x or y.
    pub(crate) fn slope(&self) -> f32 {
        self.z.dx.abs().max(self.z.dy.abs())
    }
}
