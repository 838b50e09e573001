//! Which samples primitives cover, quad by quad.
//!
//! Triangles: the top-left rule, on corners in steps of 1/256 texel. Lines: rectangles of a texel's width. Points: squares. Metal's documents
//! say none of this but for the centres. Triangles and points are what its drivers for Vulkan report; of lines they say that they are not
//! rectangles, and which pixels they have instead nobody says, so they are what lavapipe draws, with whose pictures ours are compared.

use super::clip::Corner;

/// Steps of a texel.
pub(crate) const STEPS: i64 = 256;

/// How far from the origin corners may be, in steps: what the numbers here have room for.
const MOST: f32 = (1i64 << 29) as f32;

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

impl Bounds {
    /// What is in both.
    pub(crate) fn and(self, other: [i64; 4]) -> Self {
        let ([a, b, c, d], [left, top, right, bottom]) = (self.0, other);
        Self([a.max(left), b.max(top), c.min(right), d.min(bottom)])
    }
}

/// A corner in the picture, in steps of a texel from the top left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: i64,
    pub(crate) y: i64,
}

/// How a place between two steps is rounded; the even one, or the one further from zero, if it is in the middle.
#[derive(Clone, Copy)]
enum Ties {
    Even,
    Away,
}

impl Point {
    /// Of a corner that is somewhere. Without samples steps are counted from the middle of the first pixel: so the sums are rounded.
    fn of(corner: &Corner<'_>, samples: u32, ties: Ties) -> Option<Self> {
        let [x, y] = [corner.window[0], corner.window[1]];
        if !x.is_finite() || !y.is_finite() {
            return None;
        }
        let middle = if samples > 1 { 0.0 } else { 0.5 };
        let step = |v: f32| {
            let v = ((v - middle) * STEPS as f32).clamp(-MOST, MOST);
            let v = match ties {
                Ties::Even => v.round_ties_even(),
                Ties::Away => v.round(),
            };
            v as i64 + (middle * STEPS as f32) as i64
        };
        Some(Self { x: step(x), y: step(y) })
    }
}

/// A piece of a primitive.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Triangle([Point; 3]),
    /// Corners of a rectangle, against the clock as they are seen.
    Line([Point; 4]),
    /// Left, top, right, bottom.
    Point([i64; 4]),
}

/// Twice the area that a point has with an edge: greater than zero to the right of it, as it is seen.
fn edge(a: &Point, b: &Point, x: i64, y: i64) -> i64 {
    (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
}

/// Twice the area of a triangle, greater than zero if it runs clockwise as it is seen.
pub(crate) fn area([a, b, c]: &[Point; 3]) -> i64 {
    edge(a, b, c.x, c.y)
}

/// Whether what lies on an edge of a polygon that runs clockwise belongs to it.
fn owns(a: &Point, b: &Point) -> bool {
    b.y < a.y || b.y == a.y && b.x > a.x
}

impl Shape {
    /// Unless a corner is nowhere.
    pub(crate) fn triangle(corners: [&Corner<'_>; 3], samples: u32) -> Option<Self> {
        let [a, b, c] = corners.map(|corner| Point::of(corner, samples, Ties::Even));
        Some(Self::Triangle([a?, b?, c?]))
    }

    /// Unless it has no length, or an end is nowhere.
    pub(crate) fn line(ends: [&Corner<'_>; 2], samples: u32) -> Option<Self> {
        let [a, b] = ends.map(|end| Point::of(end, samples, Ties::Away));
        let (a, b) = (a?, b?);
        let [dx, dy] = [0, 1].map(|i| ends[0].window[i] - ends[1].window[i]);
        let square = dx * dx + dy * dy;
        if square == 0.0 || !square.is_finite() {
            return None;
        }
        let half = 0.5 / square.sqrt() * STEPS as f32;
        let across = Point { x: (-dy * half).round() as i64, y: (dx * half).round() as i64 };
        let beside = |p: Point, to: i64| Point { x: p.x + to * across.x, y: p.y + to * across.y };
        Some(Self::Line([beside(a, -1), beside(b, -1), beside(b, 1), beside(a, 1)]))
    }

    /// With so many texels at each side, and how many that became; unless it is nowhere.
    pub(crate) fn point(corner: &Corner<'_>, size: f32, samples: u32) -> Option<(Self, f32)> {
        let Point { x, y } = Point::of(corner, samples, Ties::Away)?;
        let size = ((size * STEPS as f32).round() as i64).max(STEPS);
        let (left, top) = (x - size / 2, y - size / 2);
        Some((Self::Point([left, top, left + size, top + size]), size as f32 / STEPS as f32))
    }

    /// Twice the area of a triangle, greater than zero if it runs clockwise as it is seen.
    pub(crate) fn area(&self) -> i64 {
        match self {
            Self::Triangle(points) => area(points),
            Self::Line(_) | Self::Point(_) => 0,
        }
    }

    /// Every quad that it covers: its left and top, and a mask of samples for each of its pixels.
    pub(crate) fn cover(&self, bounds: Bounds, samples: u32, mut quad: impl FnMut(i64, i64, [u32; 4])) {
        match self {
            Self::Triangle(points) => {
                let [a, b, c] = *points;
                match area(points) {
                    0 => {}
                    whole if whole > 0 => polygon(&[a, b, c], bounds, samples, quad),
                    _ => polygon(&[a, c, b], bounds, samples, quad),
                }
            }
            Self::Line([a, b, c, d]) => polygon(&[*d, *c, *b, *a], bounds, samples, quad),
            Self::Point(square) => {
                let [left, top, right, bottom] = *square;
                let covers = |x: i64, y: i64| (left..right).contains(&x) && (top..bottom).contains(&y);
                each_quad(*square, bounds, samples, covers, &mut quad);
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

/// A convex polygon that runs clockwise, as it is seen.
fn polygon(points: &[Point], bounds: Bounds, samples: u32, mut quad: impl FnMut(i64, i64, [u32; 4])) {
    let edges: Vec<(Point, Point, i64)> = (0..points.len())
        .map(|n| (points[n], points[(n + 1) % points.len()]))
        .map(|(a, b)| (a, b, i64::from(!owns(&a, &b))))
        .collect();
    let covers = |x: i64, y: i64| edges.iter().all(|(a, b, least)| edge(a, b, x, y) >= *least);
    // Rows of a band of quads: where it is along x, so that long thin ones are not looked for everywhere.
    let least = |of: fn(&Point) -> i64| points.iter().map(of).min().unwrap_or(0);
    let most = |of: fn(&Point) -> i64| points.iter().map(of).max().unwrap_or(0);
    let Bounds([left, top, right, bottom]) = bounds;
    let first = least(|p| p.y).div_euclid(STEPS).max(top) & !1;
    let last = (most(|p| p.y).div_euclid(STEPS) + 1).min(bottom);
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
            let from = (from - STEPS).max(least(|p| p.x));
            let to = (to + STEPS).min(most(|p| p.x));
            let rows = Bounds([left, top.max(y), right, bottom.min(y + 2)]);
            each_quad([from, low, to, high - 1], rows, samples, covers, &mut quad);
        }
        y += 2;
    }
}
