//! Primitives whose triangles are made here, of vertices that were transformed here ([`super::transformed`]).
//!
//! A line is a rectangle with its ends square to it, `SET_LINE_WIDTH` wide, but for the length that the width is divided by:
//! the longer of the line's two extents plus half of the other, not the root of their squares. So slanted lines are up to 12 %
//! wider. Its ends are cut to sixteenths of a pixel, its corners are not. Where `SET_ANTI_ALIASING_CONTROL` allows smoothing, a line
//! that is not smoothed is a parallelogram instead, as wide along the axis across, and its pixels have the values of their upper or
//! left sides. A corner of a polygon that is drawn as a point is a square.
//!
//! The outline of a polygon is drawn triangle by triangle: of (a, b, c) the edges bc, ca and ab, those inside of the polygon left out.
//!
//! What is smoothed is drawn with a pixel more around it; the pixel stage knows the edges and does the rest.
//!
//! Source: the pictures of a console (suites Line width, Edge flag, 3D primitive, Smoothing control): these rules give their pixels.

use super::cylinder::Cylinder;
use super::primitives::{self, Polygon};
use super::slopes::Visible;
use super::states::Mode;
use super::transformed::Transformed;
use crate::machine::PrimitiveKind;
use afterimage_shader_nv2a::io;

/// Parts of a pixel in which positions are kept.
const STEPS: f32 = 16.0;
/// What lines are moved by, to the right and down: a centre of a pixel on their edge is inside of the right and lower one, where
/// triangles of the host have it inside of the left and upper one. The host keeps at least so much of a pixel.
const TIE: f32 = 1.0 / 256.0;
/// What smoothed edges are moved by, in pixels, so that places on them are inside or not: more than the pixel stage rounds.
const EDGE_TIE: f32 = 1.0 / 8192.0;
/// Least w of what is drawn.
const LEAST_W: f32 = 1.0 / (1u64 << 62) as f32;

/// What the rasteriser does with the primitives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raster {
    /// Width of lines in pixels.
    pub(super) line_width: f32,
    /// Colours are those of the provoking vertex.
    pub(super) flat: bool,
    /// The first vertex of a line or triangle is the provoking one, not the last.
    pub(super) first: bool,
    /// Modes of front and back faces.
    pub(super) modes: [Mode; 2],
    /// Counter-clockwise faces are the front.
    pub(super) front_ccw: bool,
    /// Back faces have their own colours.
    pub(super) two_sided: bool,
    /// Lines are as wide as they are across their longer extent.
    pub(super) thin_lines: bool,
    /// Edges are smoothed.
    pub(super) smooth: bool,
    /// Pixels of the host for one of the guest.
    pub(super) scale: [f32; 2],
    /// Pixels of clip space from -1 to 1.
    pub(super) size: f32,
    /// What is seen of the screen, where filled triangles know the slope of their w.
    pub(super) slopes: Option<Visible>,
    /// Texture coordinates that go the shorter way around.
    pub(super) cylinder: Option<Cylinder>,
}

/// A list of triangles.
#[derive(Debug, Default)]
pub(super) struct Outlines {
    pub(super) vertices: Vec<Transformed>,
    pub(super) indices: Vec<u32>,
}

impl Outlines {
    /// Triangles of all primitives of `vertices`. `edges` has the edge flag of each.
    pub(super) fn assemble(
        &mut self,
        kind: PrimitiveKind,
        vertices: &[Transformed],
        edges: impl Fn(usize) -> bool,
        raster: &Raster,
    ) {
        self.vertices.clear();
        self.indices.clear();
        let count = vertices.len() as u32;
        if primitives::is_lines(kind) {
            primitives::lines(kind, count, raster.first, |line| {
                let provoking = &vertices[line.provoking as usize];
                let [a, b] = line.vertices.map(|end| self.corner(&vertices[end as usize], provoking, raster, false));
                self.line(&a, &b, raster);
            });
        } else if kind == PrimitiveKind::Points {
            for vertex in vertices {
                let center = self.corner(vertex, vertex, raster, false);
                self.point(&center, raster);
            }
        } else {
            let strip = kind == PrimitiveKind::QuadStrip;
            primitives::polygons(kind, count, raster.first, |polygon| {
                self.polygon(&polygon, vertices, &edges, raster, strip);
            });
        }
    }

    /// A vertex of a primitive, with the colours that it has there.
    fn corner(&self, vertex: &Transformed, provoking: &Transformed, raster: &Raster, back: bool) -> Transformed {
        let mut colors = if raster.flat { provoking.colors } else { vertex.colors };
        if back && raster.two_sided {
            // Lines and points have no faces of their own.
            colors = [colors[2], colors[3], colors[2], colors[3]];
        }
        Transformed { colors, ..*vertex }
    }

    fn polygon(
        &mut self,
        polygon: &Polygon<'_>,
        vertices: &[Transformed],
        edges: &impl Fn(usize) -> bool,
        raster: &Raster,
        strip: bool,
    ) {
        let at = |i: u32| &vertices[i as usize];
        let area = area(polygon.vertices.iter().map(|i| at(*i)), raster.size);
        // One without area counts as counter-clockwise: it has edges and corners (suite Front face).
        let is_ccw = area >= 0.0;
        let back = is_ccw != raster.front_ccw;
        let provoking = at(polygon.provoking);
        let corner =
            |outlines: &Self, i: usize, back| outlines.corner(at(polygon.vertices[i]), provoking, raster, back);
        let corners = polygon.vertices.len();
        let is_drawn = |i: usize| !polygon.edge_flags || edges(polygon.vertices[i] as usize);
        match raster.modes[usize::from(back)] {
            Mode::Culled => {}
            Mode::Fill if raster.smooth => {
                for triangle in primitives::triangles(corners, strip) {
                    let triangle = complete(triangle.map(|i| corner(self, i, false)), raster);
                    self.smoothed(&triangle, is_ccw, raster);
                }
            }
            Mode::Fill if raster.slopes.is_some() || raster.cylinder.is_some() => {
                for triangle in primitives::triangles(corners, strip) {
                    let first = self.vertices.len() as u32;
                    self.vertices.extend(complete(triangle.map(|i| corner(self, i, false)), raster));
                    self.indices.extend(first..first + 3);
                }
            }
            Mode::Fill => {
                // The host knows the face by itself.
                let first = self.vertices.len() as u32;
                for i in 0..corners {
                    let corner = corner(self, i, false);
                    self.vertices.push(corner);
                }
                let triangles = primitives::triangles(corners, strip).flatten();
                self.indices.extend(triangles.map(|i| first + i as u32));
            }
            Mode::Line => {
                // By the triangles that it is cut into, of each the edge from its last vertex but one first.
                for [a, b, c] in primitives::triangles(corners, strip) {
                    for (from, to) in [(b, c), (c, a), (a, b)] {
                        if (from + 1) % corners == to && is_drawn(from) {
                            let ends = (corner(self, from, back), corner(self, to, back));
                            self.line(&ends.0, &ends.1, raster);
                        }
                    }
                }
            }
            Mode::Point => {
                for i in (0..corners).filter(|i| is_drawn(*i)) {
                    let center = corner(self, i, back);
                    self.point(&center, raster);
                }
            }
        }
    }

    fn line(&mut self, a: &Transformed, b: &Transformed, raster: &Raster) {
        let mut ends = [*a, *b];
        if let Some(cylinder) = &raster.cylinder {
            cylinder.wrap(&mut ends);
        }
        let Some([a, b]) = near_the_screen(&ends[0], &ends[1]) else { return };
        let ([ax, ay], [bx, by]) = (place(&a, raster.size), place(&b, raster.size));
        let (dx, dy) = (bx - ax, by - ay);
        let half = raster.line_width / 2.0;
        let Some((nx, ny)) = side(dx, dy, raster.thin_lines).map(|(x, y)| (x * half, y * half)) else { return };
        let (a, b) = if raster.thin_lines {
            // A thin line's pixels have the values of their upper or left side, not of their centre.
            let behind = -0.5 / if dx.abs() >= dy.abs() { dx } else { dy };
            (a.between(&b, behind), a.between(&b, 1.0 + behind))
        } else {
            (a, b)
        };
        let (ax, ay, bx, by) = (ax + TIE, ay, bx + TIE, by);
        let corners = [(&a, ax + nx, ay + ny), (&b, bx + nx, by + ny), (&b, bx - nx, by - ny), (&a, ax - nx, ay - ny)];
        if raster.smooth {
            let edges = edges(&corners.map(|(_, x, y)| [x - TIE, y]), raster.scale, true);
            let (a, b) = (Transformed { edges, ..a }, Transformed { edges, ..b });
            // A pixel more on every side: the pixel stage throws away what is outside.
            let (along, across) = (1.0 / dx.hypot(dy), 1.0 / nx.hypot(ny));
            let (ex, ey, sx, sy) = (dx * along, dy * along, nx * across, ny * across);
            let [p, q, r, s] = corners.map(|(_, x, y)| (x, y));
            let around = [
                (&a, p.0 - ex + sx, p.1 - ey + sy),
                (&b, q.0 + ex + sx, q.1 + ey + sy),
                (&b, r.0 + ex - sx, r.1 + ey - sy),
                (&a, s.0 - ex - sx, s.1 - ey - sy),
            ];
            self.rectangle(around, raster.size);
            return;
        }
        self.rectangle(corners, raster.size);
    }

    /// A filled triangle whose edges are smoothed: a rectangle around it, of which the pixel stage throws away what is outside.
    fn smoothed(&mut self, triangle: &[Transformed; 3], is_ccw: bool, raster: &Raster) {
        if triangle.iter().any(is_behind) {
            return;
        }
        let [a, b, c] = triangle.each_ref().map(|vertex| place(vertex, raster.size));
        let double_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if double_area == 0.0 {
            return;
        }
        let mut edges = edges(&[a, b, c, c], raster.scale, false);
        edges[0][usize::from(io::SLOPE)] = triangle[0].edges[0][usize::from(io::SLOPE)];
        let bound = |axis: usize, pick: fn(f32, f32) -> f32| pick(pick(a[axis], b[axis]), c[axis]);
        let [left, top] = [0, 1].map(|axis| bound(axis, f32::min) - 1.0);
        let [right, bottom] = [0, 1].map(|axis| bound(axis, f32::max) + 1.0);
        let corners = [[left, bottom], [right, bottom], [right, top], [left, top]].map(|[x, y]| {
            // What is linear on the screen: everything over w, and one over w.
            let second = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / double_area;
            let third = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / double_area;
            let weights = [1.0 - second - third, second, third];
            let over_w = std::array::from_fn::<f32, 3, _>(|i| weights[i] / triangle[i].position[3]);
            let sum: f32 = over_w.iter().sum();
            (Transformed { edges, ..Transformed::blend(triangle, over_w.map(|weight| weight / sum)) }, sum, x, y)
        });
        if corners.iter().any(|(_, over_w, ..)| *over_w <= 0.0) {
            return;
        }
        let first = self.vertices.len() as u32;
        self.rectangle(corners.each_ref().map(|(vertex, _, x, y)| (vertex, *x, *y)), raster.size);
        if !is_ccw {
            let last = self.indices.len() - 6;
            self.indices[last..].copy_from_slice(&[0, 2, 1, 0, 3, 2].map(|i| first + i));
        }
    }

    fn point(&mut self, center: &Transformed, raster: &Raster) {
        if is_behind(center) {
            return;
        }
        let [x, y] = place(center, raster.size);
        let half = center.point_size / 2.0;
        let corners = [(x - half, y + half), (x + half, y + half), (x + half, y - half), (x - half, y - half)];
        let center = Transformed { edges: [[0.0, 0.0, 1.0, 0.0]; 4], ..*center };
        self.rectangle(corners.map(|(x, y)| (&center, x, y)), raster.size);
    }

    /// Two triangles, counter-clockwise on the screen.
    fn rectangle(&mut self, corners: [(&Transformed, f32, f32); 4], size: f32) {
        let first = self.vertices.len() as u32;
        for (vertex, x, y) in corners {
            let [_, _, z, w] = vertex.position;
            let position = [(x * 2.0 / size - 1.0) * w, (1.0 - y * 2.0 / size) * w, z, w];
            self.vertices.push(Transformed { position, ..*vertex });
        }
        self.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
    }
}

/// From a line's middle to its side, per half width, for a line with these extents. None for a line without length.
fn side(dx: f32, dy: f32, thin: bool) -> Option<(f32, f32)> {
    let (width, height) = (dx.abs(), dy.abs());
    let is_line = width.max(height) > 0.0;
    is_line.then(|| match thin {
        true if width >= height => (0.0, dx.signum()),
        true => (-dy.signum(), 0.0),
        false => {
            let factor = (width.max(height) + width.min(height) / 2.0) / (dx * dx + dy * dy);
            (-dy * factor, dx * factor)
        }
    })
}

/// Edges of a polygon of four corners on the screen, two of which may be one, positive inside, in pixels of the host. Places on an
/// upper edge are inside, of a polygon also those on a left one, of a line those on a right one.
fn edges(corners: &[[f32; 2]; 4], scale: [f32; 2], is_line: bool) -> [[f32; 4]; 4] {
    let middle = [0, 1].map(|axis| corners.iter().map(|corner| corner[axis]).sum::<f32>() / 4.0);
    std::array::from_fn(|i| {
        let ([ax, ay], [bx, by]) = (corners[i], corners[(i + 1) % 4]);
        let (across, down) = (ay - by, bx - ax);
        if across == 0.0 && down == 0.0 {
            return [0.0, 0.0, 1.0, 0.0];
        }
        let sign = if across * (middle[0] - ax) + down * (middle[1] - ay) < 0.0 { -1.0 } else { 1.0 };
        let is_inside = if across == 0.0 { down * sign > 0.0 } else { (across * sign > 0.0) != is_line };
        let tie = (across.abs() + down.abs()) * if is_inside { sign * EDGE_TIE } else { -sign * EDGE_TIE };
        let rest = tie - (f64::from(across) * f64::from(ax) + f64::from(down) * f64::from(ay)) as f32;
        [sign * across / scale[0], sign * down / scale[1], sign * rest, 0.0]
    })
}

/// A triangle with what comes of all its vertices: the slope of its w, if it should know that ([`io::SLOPE`]), and texture
/// coordinates that wrap.
fn complete(mut triangle: [Transformed; 3], raster: &Raster) -> [Transformed; 3] {
    if let Some(cylinder) = &raster.cylinder {
        cylinder.wrap(&mut triangle);
    }
    if let Some(visible) = &raster.slopes {
        let slope = visible.slope(&triangle, |vertex| place(vertex, raster.size));
        triangle.iter_mut().for_each(|vertex| vertex.edges[0][usize::from(io::SLOPE)] = slope);
    }
    triangle
}

/// The part of a line that is not far away from the screen nor behind the eye: within three times its size around its middle.
fn near_the_screen(a: &Transformed, b: &Transformed) -> Option<[Transformed; 2]> {
    let distances = |vertex: &Transformed| {
        let [x, y, _, w] = vertex.position;
        [w - LEAST_W, 3.0 * w - x, 3.0 * w + x, 3.0 * w - y, 3.0 * w + y]
    };
    let (mut start, mut end) = (0.0f32, 1.0f32);
    for (from, to) in distances(a).into_iter().zip(distances(b)) {
        match (from >= 0.0, to >= 0.0) {
            (true, true) => {}
            (true, false) => end = end.min(from / (from - to)),
            (false, true) => start = start.max(from / (from - to)),
            (false, false) => return None,
        }
    }
    let part = |at: f32| match at {
        0.0 => *a,
        1.0 => *b,
        at => a.between(b, at),
    };
    (start < end).then(|| [part(start), part(end)])
}

/// Whether a vertex is behind the eye, or nowhere.
fn is_behind(vertex: &Transformed) -> bool {
    vertex.position[3].partial_cmp(&LEAST_W).is_none_or(std::cmp::Ordering::is_lt)
}

/// Where a vertex is on the screen, in pixels, y down.
fn place(vertex: &Transformed, size: f32) -> [f32; 2] {
    let [x, y, _, w] = vertex.position;
    // Positions were cut to these steps before they became clip space; this takes away what that rounded.
    [(x / w + 1.0) * size / 2.0, (1.0 - y / w) * size / 2.0].map(|at| (at * STEPS).round() / STEPS)
}

/// Twice the area of a polygon on the screen, positive if it turns counter-clockwise. Where a part is behind the eye, only its sign
/// says something.
fn area<'a>(corners: impl Iterator<Item = &'a Transformed> + Clone, size: f32) -> f64 {
    let is_in_front = !corners.clone().any(is_behind);
    let position = |corner: &Transformed| {
        if is_in_front {
            let [x, y] = place(corner, size);
            [x.into(), (-y).into(), 1.0]
        } else {
            let [x, y, _, w] = corner.position;
            [x, y, w].map(f64::from)
        }
    };
    let Some([ax, ay, aw]) = corners.clone().next().map(position) else { return 0.0 };
    let rest = corners.map(position).skip(1);
    let pairs = rest.clone().zip(rest.skip(1));
    pairs
        .map(|([bx, by, bw], [cx, cy, cw])| {
            ax * (by * cw - cy * bw) - ay * (bx * cw - cx * bw) + aw * (bx * cy - cx * by)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: f32 = 4096.0;

    fn vertex(x: f32, y: f32, w: f32) -> Transformed {
        let position = [(x * 2.0 / SIZE - 1.0) * w, (1.0 - y * 2.0 / SIZE) * w, 0.5 * w, w];
        Transformed { position, point_size: 4.0, ..Transformed::default() }
    }

    fn raster(modes: [Mode; 2]) -> Raster {
        let (line_width, size) = (2.0, SIZE);
        let thin_lines = false;
        Raster {
            line_width,
            flat: false,
            first: true,
            modes,
            front_ccw: false,
            two_sided: true,
            thin_lines,
            smooth: false,
            scale: [1.0; 2],
            size,
            slopes: None,
            cylinder: None,
        }
    }

    fn places(outlines: &Outlines) -> Vec<[f32; 2]> {
        outlines.vertices.iter().map(|vertex| place(vertex, SIZE)).collect()
    }

    #[test]
    fn a_line_is_as_wide_as_the_longer_extent_and_half_the_shorter_one_say() {
        let mut outlines = Outlines::default();
        let line = |outlines: &mut Outlines, x, y, w| {
            let ends = [vertex(100.0, 100.0, 1.0), vertex(x, y, w)];
            outlines.assemble(PrimitiveKind::Lines, &ends, |_| true, &raster([Mode::Fill; 2]));
        };
        line(&mut outlines, 110.0, 100.0, 3.0);
        assert_eq!(
            places(&outlines),
            [[100.0, 101.0], [110.0, 101.0], [110.0, 99.0], [100.0, 99.0]],
            "but for the tie"
        );
        assert_eq!(outlines.indices, [0, 1, 2, 0, 2, 3]);
        line(&mut outlines, 110.0, 110.0, 1.0);
        assert_eq!(places(&outlines)[0], [99.25, 100.75], "15 instead of 14.1 pixels long");
        line(&mut outlines, 100.0, 100.0, 1.0);
        assert!(outlines.vertices.is_empty(), "no direction");
    }

    #[test]
    fn what_is_behind_the_eye_is_not_drawn() {
        let mut outlines = Outlines::default();
        let ends = [vertex(100.0, 100.0, -1.0), vertex(200.0, 100.0, -1.0)];
        outlines.assemble(PrimitiveKind::Lines, &ends, |_| true, &raster([Mode::Fill; 2]));
        assert!(outlines.vertices.is_empty());
        let ends = [vertex(100.0, 100.0, 1.0), vertex(200.0, 100.0, -1.0)];
        outlines.assemble(PrimitiveKind::Lines, &ends, |_| true, &raster([Mode::Fill; 2]));
        assert!(outlines.vertices.iter().all(|v| v.position[3] > 0.0 && v.position.iter().all(|p| p.is_finite())));
        assert!(place(&outlines.vertices[1], SIZE)[0] < -3000.0, "through infinity to the left");
    }

    #[test]
    fn faces_have_modes_and_edges_have_flags() {
        let mut outlines = Outlines::default();
        // Clockwise on the screen.
        let quad = [(10.0, 10.0), (20.0, 10.0), (20.0, 20.0), (10.0, 20.0)].map(|(x, y)| vertex(x, y, 2.0));
        let mut count = |modes, flags: [bool; 4], backwards| {
            let mut quad = quad;
            if backwards {
                quad.reverse();
            }
            outlines.assemble(PrimitiveKind::Quads, &quad, |i| flags[i], &raster(modes));
            outlines.indices.len() / 3
        };
        assert_eq!(count([Mode::Line, Mode::Culled], [true; 4], false), 8);
        assert_eq!(count([Mode::Line, Mode::Culled], [true, false, false, true], false), 4);
        assert_eq!(count([Mode::Line, Mode::Culled], [true; 4], true), 0);
        assert_eq!(count([Mode::Line, Mode::Fill], [false; 4], true), 2);
        assert_eq!(count([Mode::Culled, Mode::Point], [true, true, false, true], true), 6);
    }

    #[test]
    fn polygons_without_area_turn_counter_clockwise() {
        let mut outlines = Outlines::default();
        let line = [(10.0, 10.0), (20.0, 20.0), (30.0, 30.0)].map(|(x, y)| vertex(x, y, 1.0));
        let mut count = |modes, front_ccw| {
            let raster = Raster { front_ccw, ..raster(modes) };
            outlines.assemble(PrimitiveKind::Triangles, &line, |_| true, &raster);
            outlines.indices.len() / 6
        };
        assert_eq!(count([Mode::Line, Mode::Culled], true), 3);
        assert_eq!(count([Mode::Culled, Mode::Point], true), 0);
        assert_eq!(count([Mode::Culled, Mode::Point], false), 3);
        assert_eq!(count([Mode::Line, Mode::Culled], false), 0);
    }

    #[test]
    fn flat_quads_have_the_colour_of_their_last_vertex_and_outlines_of_back_faces_theirs() {
        let mut outlines = Outlines::default();
        let mut quad = [(10.0, 10.0), (20.0, 10.0), (20.0, 20.0), (10.0, 20.0)].map(|(x, y)| vertex(x, y, 1.0));
        for (i, vertex) in quad.iter_mut().enumerate() {
            vertex.colors = [[i as f32; 4], [0.0; 4], [10.0 + i as f32; 4], [0.0; 4]];
        }
        let flat = Raster { flat: true, ..raster([Mode::Fill, Mode::Line]) };
        outlines.assemble(PrimitiveKind::Quads, &quad, |_| true, &flat);
        assert_eq!(outlines.vertices.iter().map(|v| v.colors[0][0]).collect::<Vec<_>>(), [3.0; 4]);
        outlines.assemble(PrimitiveKind::Quads, &quad, |_| true, &Raster { front_ccw: true, ..flat });
        assert!(outlines.vertices.len() == 16 && outlines.vertices.iter().all(|v| v.colors[0][0] == 13.0));
    }

    #[test]
    fn places_on_smoothed_edges_are_left_of_polygons_and_right_of_lines() {
        // A square of two pixels, and one that leans to the right.
        let square = [[10.0, 20.0], [12.0, 20.0], [12.0, 22.0], [10.0, 22.0]];
        let leaning = [[10.0, 20.0], [12.0, 20.0], [13.0, 22.0], [11.0, 22.0]];
        let is_inside = |corners, is_line, [x, y]: [f32; 2]| {
            edges(corners, [1.0; 2], is_line).iter().all(|[across, down, rest, _]| across * x + down * y + rest > 0.0)
        };
        for (corners, left, right) in [(&square, [10.0, 21.0], [12.0, 21.0]), (&leaning, [10.5, 21.0], [12.5, 21.0])] {
            for is_line in [false, true] {
                assert_eq!(is_inside(corners, is_line, left), !is_line);
                assert_eq!(is_inside(corners, is_line, right), is_line);
                assert!(is_inside(corners, is_line, [11.0, 20.0]) && !is_inside(corners, is_line, [11.75, 22.0]));
            }
        }
    }
}
