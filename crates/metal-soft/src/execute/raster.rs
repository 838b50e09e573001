//! Which samples primitives cover, quad by quad, and what their vertices' values are there.
//!
//! Triangles: the top-left rule, on corners in steps of 1/256 texel. Lines: the diamond-exit rule, a texel wide; with samples, rectangles.
//! Points: squares. Metal's documents say none of this but for the centres; it is what its drivers for Vulkan report.

use super::clip::{Point, STEPS, Whole};

/// Where the samples of a pixel are, in steps. Source: Direct3D's standard patterns, which Metal has where none were set.
pub(crate) fn positions(samples: u32) -> &'static [[i64; 2]] {
    const ONE: [[i64; 2]; 1] = [[128, 128]];
    const TWO: [[i64; 2]; 2] = [[192, 192], [64, 64]];
    const FOUR: [[i64; 2]; 4] = [[96, 32], [224, 96], [32, 160], [160, 224]];
    const EIGHT: [[i64; 2]; 8] =
        [[144, 80], [112, 176], [208, 144], [80, 48], [48, 208], [16, 112], [176, 240], [240, 16]];
    match samples {
        2 => &TWO,
        4 => &FOUR,
        8 => &EIGHT,
        _ => &ONE,
    }
}

/// What may be drawn: left, top, right, bottom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds(pub(crate) [i64; 4]);

/// A piece of a primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Triangle([Point; 3]),
    /// A piece of a triangle that was cut.
    Piece([Point; 3], Whole),
    Line([Point; 2]),
    /// With its size.
    Point(Point, f64),
}

/// What a place has of a primitive's vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Here {
    /// Parts of the vertices, in perspective.
    pub(crate) parts: [f64; 3],
    /// Parts of the vertices, in the picture.
    pub(crate) linear: [f64; 3],
    pub(crate) z: f64,
    pub(crate) over_w: f64,
}

/// Twice the area that a point has with an edge: greater than zero to the right of it, as it is seen.
fn edge(a: &Point, b: &Point, x: i64, y: i64) -> i64 {
    (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
}

/// Twice the area of a triangle, greater than zero if it runs clockwise as it is seen.
pub(crate) fn area([a, b, c]: &[Point; 3]) -> i64 {
    edge(a, b, c.x, c.y)
}

/// Whether what lies on an edge of a triangle that runs clockwise belongs to it.
fn owns(a: &Point, b: &Point) -> bool {
    b.y < a.y || b.y == a.y && b.x > a.x
}

/// Of corners with these shares in the picture.
fn mix(points: &[Point], shares: &[f64], w: [f32; 3]) -> Here {
    let mut out = Here { parts: [0.0; 3], linear: [0.0; 3], z: 0.0, over_w: 0.0 };
    for (p, share) in points.iter().zip(shares) {
        out.z += share * p.z;
        out.over_w += share * p.over_w;
        for (n, w) in w.into_iter().enumerate() {
            out.parts[n] += share * p.over_w * p.parts[n];
            out.linear[n] += share * p.over_w * p.parts[n] * f64::from(w);
        }
    }
    out.parts = out.parts.map(|p| p / out.over_w);
    out
}

impl Shape {
    /// Of triangles.
    pub(crate) fn corners(&self) -> Option<&[Point; 3]> {
        match self {
            Self::Triangle(points) | Self::Piece(points, _) => Some(points),
            Self::Line(_) | Self::Point(..) => None,
        }
    }

    /// The values at a place in texels; `w` is that of the vertices.
    pub(crate) fn at(&self, x: f64, y: f64, w: [f32; 3]) -> Here {
        match self {
            Self::Piece(_, whole) => {
                let (shares, z) = whole.at(x, y);
                let over_w: f64 = shares.iter().sum();
                let linear = std::array::from_fn(|n| shares[n] * f64::from(w[n]));
                Here { parts: shares.map(|s| s / over_w), linear, z, over_w }
            }
            Self::Triangle(points) => {
                // Between the corners where they are: that they are moved onto steps decides what is covered, and nothing else. For thin
                // triangles that is much, and what lavapipe does.
                let [a, b, c] = points.map(|p| p.exact);
                let cross = |a: [f64; 2], b: [f64; 2], at: [f64; 2]| {
                    (b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0])
                };
                let whole = cross(a, b, c);
                let share = |a, b| if whole == 0.0 { 0.0 } else { cross(a, b, [x, y]) / whole };
                let (second, third) = (share(c, a), share(a, b));
                mix(points, &[1.0 - second - third, second, third], w)
            }
            Self::Line(points) => {
                let [from, to] = points.map(|p| p.exact);
                let d = [to[0] - from[0], to[1] - from[1]];
                let length = d[0] * d[0] + d[1] * d[1];
                let by = if length > 0.0 { ((x - from[0]) * d[0] + (y - from[1]) * d[1]) / length } else { 0.0 };
                mix(points, &[1.0 - by, by], w)
            }
            Self::Point(point, _) => mix(&[*point], &[1.0], w),
        }
    }

    /// How much the depth changes at most from a texel to the next, along x or y.
    pub(crate) fn slope(&self) -> f64 {
        let Some([a, b, c]) = self.corners() else { return 0.0 };
        let [u, v] = [b, c].map(|p| [p.exact[0] - a.exact[0], p.exact[1] - a.exact[1], p.z - a.z]);
        let whole = u[0] * v[1] - u[1] * v[0];
        if whole == 0.0 {
            return 0.0;
        }
        let x = (u[2] * v[1] - v[2] * u[1]) / whole;
        let y = (v[2] * u[0] - u[2] * v[0]) / whole;
        x.abs().max(y.abs())
    }

    /// Every quad that it covers: its left and top, and a mask of samples for each of its pixels.
    pub(crate) fn cover(&self, bounds: Bounds, samples: u32, mut quad: impl FnMut(i64, i64, [u32; 4])) {
        match self {
            Self::Triangle(points) | Self::Piece(points, _) => triangle(*points, bounds, samples, quad),
            Self::Point(point, size) => {
                let half = (size * 0.5 * STEPS as f64).round() as i64;
                let covers =
                    |x: i64, y: i64| (-half..half).contains(&(x - point.x)) && (-half..half).contains(&(y - point.y));
                let r = [point.x - half, point.y - half, point.x + half, point.y + half];
                each_quad(r, bounds, samples, covers, &mut quad);
            }
            Self::Line(points) if samples > 1 => rectangle(points, bounds, samples, &mut quad),
            Self::Line(points) => {
                let mut found: Vec<(i64, i64)> = Vec::new();
                line(points, bounds, |x, y| found.push((x, y)));
                for (x, y) in found {
                    let mut masks = [0; 4];
                    masks[((y & 1) * 2 + (x & 1)) as usize] = 1;
                    quad(x & !1, y & !1, masks);
                }
            }
        }
    }
}

/// The quads of a rectangle in steps, with what `covers` says of each sample.
fn each_quad(
    rectangle: [i64; 4],
    Bounds([left, top, right, bottom]): Bounds,
    samples: u32,
    covers: impl Fn(i64, i64) -> bool,
    quad: &mut impl FnMut(i64, i64, [u32; 4]),
) {
    let [x0, y0, x1, y1] = rectangle.map(|v| v.div_euclid(STEPS));
    let (x0, y0) = (x0.max(left) & !1, y0.max(top) & !1);
    let (x1, y1) = ((x1 + 1).min(right), (y1 + 1).min(bottom));
    let positions = positions(samples);
    let mut y = y0;
    while y < y1 {
        let mut x = x0;
        while x < x1 {
            let mut masks = [0; 4];
            for (n, mask) in masks.iter_mut().enumerate() {
                let (px, py) = (x + (n as i64 & 1), y + (n as i64 >> 1));
                if px < left || px >= right || py < top || py >= bottom {
                    continue;
                }
                for (s, [dx, dy]) in positions.iter().enumerate() {
                    *mask |= u32::from(covers(px * STEPS + dx, py * STEPS + dy)) << s;
                }
            }
            if masks != [0; 4] {
                quad(x, y, masks);
            }
            x += 2;
        }
        y += 2;
    }
}

fn triangle(points: [Point; 3], bounds: Bounds, samples: u32, mut quad: impl FnMut(i64, i64, [u32; 4])) {
    let whole = area(&points);
    if whole == 0 {
        return;
    }
    let [a, b, c] = if whole > 0 { points } else { [points[0], points[2], points[1]] };
    let edges = [(a, b), (b, c), (c, a)].map(|(a, b)| (a, b, i64::from(!owns(&a, &b))));
    let covers = |x: i64, y: i64| edges.iter().all(|(a, b, least)| edge(a, b, x, y) >= *least);
    // Rows of a band of quads: where the triangle is along x, so that long thin ones are not looked for everywhere.
    let xs = [a.x, b.x, c.x];
    let ys = [a.y, b.y, c.y];
    let least = |v: [i64; 3]| v.into_iter().min().unwrap_or(0);
    let most = |v: [i64; 3]| v.into_iter().max().unwrap_or(0);
    let Bounds([left, top, right, bottom]) = bounds;
    let first = (least(ys).div_euclid(STEPS)).max(top) & !1;
    let last = (most(ys).div_euclid(STEPS) + 1).min(bottom);
    let mut y = first;
    while y < last {
        // Where the edges cross the band.
        let (mut from, mut to) = (i64::MAX, i64::MIN);
        let (low, high) = (y * STEPS, (y + 2) * STEPS);
        for (a, b, _) in &edges {
            if a.y.max(b.y) < low || a.y.min(b.y) > high {
                continue;
            }
            let at = |y: i64| {
                if a.y == b.y {
                    a.x
                } else {
                    a.x + ((b.x - a.x) as i128 * (y - a.y) as i128 / (b.y - a.y) as i128) as i64
                }
            };
            for p in [at(a.y.clamp(low, high)), at(b.y.clamp(low, high))] {
                from = from.min(p);
                to = to.max(p);
            }
            if a.y == b.y {
                from = from.min(b.x);
                to = to.max(b.x);
            }
        }
        if from <= to {
            let from = (from - STEPS).max(least(xs));
            let to = (to + STEPS).min(most(xs));
            let rows = Bounds([left, top.max(y), right, bottom.min(y + 2)]);
            each_quad([from, low, to, high - 1], rows, samples, covers, &mut quad);
        }
        y += 2;
    }
}

/// A line with samples: a rectangle of a texel's width.
fn rectangle([from, to]: &[Point; 2], bounds: Bounds, samples: u32, quad: &mut impl FnMut(i64, i64, [u32; 4])) {
    let (dx, dy) = ((to.x - from.x) as f64, (to.y - from.y) as f64);
    let length = dx.hypot(dy);
    if length == 0.0 {
        return;
    }
    let half = STEPS as f64 / 2.0;
    let covers = |x: i64, y: i64| {
        let (px, py) = ((x - from.x) as f64, (y - from.y) as f64);
        let along = (px * dx + py * dy) / length;
        let across = (px * dy - py * dx) / length;
        (0.0..length).contains(&along) && (-half..half).contains(&across)
    };
    let r = [from.x.min(to.x) - STEPS, from.y.min(to.y) - STEPS, from.x.max(to.x) + STEPS, from.y.max(to.y) + STEPS];
    each_quad(r, bounds, samples, covers, quad);
}

/// The pixels whose diamonds a line leaves.
fn line([from, to]: &[Point; 2], Bounds([left, top, right, bottom]): Bounds, mut pixel: impl FnMut(i64, i64)) {
    let half = STEPS / 2;
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    if dx == 0 && dy == 0 {
        return;
    }
    let steep = dy.abs() > dx.abs();
    // Along the axis on which it is longer: u, and v across.
    let turn = |x: i64, y: i64| if steep { (y, x) } else { (x, y) };
    let ((u0, v0), (du, dv)) = (turn(from.x, from.y), turn(dx, dy));
    let (low, high) = if steep { (top, bottom) } else { (left, right) };
    let first = (u0.min(u0 + du).div_euclid(STEPS) - 1).max(low);
    let last = (u0.max(u0 + du).div_euclid(STEPS) + 1).min(high - 1);
    let columns: Box<dyn Iterator<Item = i64>> =
        if du >= 0 { Box::new(first..=last) } else { Box::new((first..=last).rev()) };
    // Of the diamond's border half belongs to it.
    let inside = |u: i64, v: i64, x: i64, y: i64| {
        let (a, b) = (u - (x * STEPS + half), v - (y * STEPS + half));
        let far = a.abs() + b.abs();
        far < half || far == half && (a < 0 || a == 0 && b < 0)
    };
    for column in columns {
        let middle = column * STEPS + half;
        // Where the line is at the middle of the column, rounded to a row.
        let scaled = v0 as i128 * du as i128 + (middle - u0) as i128 * dv as i128;
        let row = scaled.div_euclid(du as i128 * STEPS as i128);
        let mut row = if du < 0 { (-scaled).div_euclid(-(du as i128) * STEPS as i128) } else { row } as i64;
        let reached = |u: i64| if du > 0 { (u0..u0 + du).contains(&u) } else { (u0 + du + 1..=u0).contains(&u) };
        if !reached(middle) {
            // Only what begins in the diamond, before or behind its middle, and leaves it.
            row = v0.div_euclid(STEPS);
            let begins = inside(u0, v0, column, row);
            if !begins || inside(u0 + du, v0 + dv, column, row) {
                continue;
            }
        } else if inside(u0 + du, v0 + dv, column, row) {
            // It ends in the diamond.
            continue;
        }
        let (x, y) = turn(column, row);
        if x >= left && x < right && y >= top && y < bottom {
            pixel(x, y);
        }
    }
}
