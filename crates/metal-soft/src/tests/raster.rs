//! What triangles, lines and points cover.

use std::collections::HashMap;

use afterimage_metal_calls::{DepthClipMode, Viewport};
use proptest::prelude::*;

use crate::execute::clip::{Clipper, Corner, View};
use crate::execute::raster::{Bounds, Point, STEPS, Shape, area};
use crate::execute::setup::Setup;
use crate::execute::vertex::Vertex;
use crate::text::{At, Interpolation};

const SIZE: i64 = 24;
const BOUNDS: Bounds = Bounds([0, 0, SIZE, SIZE]);
const VIEWPORT: Viewport = Viewport { origin: [0.0; 2], size: [SIZE as f64; 2], depth: [0.0, 1.0] };
const INPUTS: [Interpolation; 2] =
    [Interpolation::Perspective { at: At::Center }, Interpolation::Linear { at: At::Center }];

fn point(x: i64, y: i64) -> Point {
    Point { x, y }
}

/// How often each pixel is covered.
fn count(shapes: &[Shape]) -> HashMap<(i64, i64), u32> {
    let mut out = HashMap::new();
    for shape in shapes {
        shape.cover(BOUNDS, 1, |x, y, masks| {
            for (n, mask) in masks.iter().enumerate() {
                if *mask != 0 {
                    *out.entry((x + (n as i64 & 1), y + (n as i64 >> 1))).or_insert(0) += 1;
                }
            }
        });
    }
    out
}

fn clipper(mode: DepthClipMode, distances: u32) -> Clipper<'static> {
    Clipper { view: View::of(&VIEWPORT), mode, distances, inputs: &INPUTS }
}

/// At a place of clip space, with w; both inputs are the same three values.
fn vertex(position: [f32; 4], value: [f32; 3]) -> Vertex {
    let [a, b, c] = value.map(f32::to_bits);
    Vertex { position, clip: [0.0; 8], point_size: 1.0, layer: 0, viewport: 0, varyings: vec![[a, b, c, 0]; 2] }
}

fn triangles<'v>(corners: &'v [Corner<'v>]) -> Vec<[&'v Corner<'v>; 3]> {
    (1..corners.len().saturating_sub(1)).map(|n| [&corners[0], &corners[n], &corners[n + 1]]).collect()
}

fn shapes(corners: &[Corner<'_>]) -> Vec<Shape> {
    triangles(corners).into_iter().filter_map(|corners| Shape::triangle(corners, 1)).collect()
}

/// Corners around a middle, none further from the next than half a turn.
fn ring() -> impl Strategy<Value = (Point, Vec<Point>)> {
    let corner = 0.0..std::f64::consts::TAU;
    (proptest::collection::vec((corner, 1.0..11.0), 3..9), 8.0..16.0, 8.0..16.0).prop_filter_map(
        "no half of a turn without a corner",
        |(mut corners, x, y)| {
            corners.sort_by(|a, b| a.0.total_cmp(&b.0));
            let step = |v: f64| (v * STEPS as f64).round() as i64;
            let middle = point(step(x), step(y));
            let at = |(turn, far): &(f64, f64)| point(step(x + far * turn.cos()), step(y + far * turn.sin()));
            let points: Vec<Point> = corners.iter().map(at).collect();
            let turns = (0..points.len()).map(|n| area(&[middle, points[n], points[(n + 1) % points.len()]]));
            turns.into_iter().all(|t| t > 0).then_some((middle, points))
        },
    )
}

proptest! {
    #[test]
    fn edges_that_triangles_share_are_drawn_once((middle, ring) in ring()) {
        let fan: Vec<Shape> =
            (0..ring.len()).map(|n| Shape::Triangle([middle, ring[n], ring[(n + 1) % ring.len()]])).collect();
        let counts = count(&fan);
        prop_assert!(counts.values().all(|n| *n == 1), "{counts:?}");
        // What is inside of one of them by the sign of its edges is there.
        for y in 0..SIZE {
            for x in 0..SIZE {
                let p = point(x * STEPS + 128, y * STEPS + 128);
                let inside = (0..ring.len()).any(|n| {
                    let next = ring[(n + 1) % ring.len()];
                    [area(&[middle, ring[n], p]), area(&[ring[n], next, p]), area(&[next, middle, p])].iter().all(|a| *a > 0)
                });
                prop_assert!(!inside || counts.contains_key(&(x, y)), "{x} {y}");
            }
        }
        // In the other direction and from another corner it is the same.
        let turned: Vec<Shape> =
            (0..ring.len()).map(|n| Shape::Triangle([ring[(n + 1) % ring.len()], ring[n], middle])).collect();
        prop_assert_eq!(counts, count(&turned));
    }

    #[test]
    fn the_two_sides_of_a_plane_are_the_triangle(
        corners in proptest::collection::vec((-1.5f32..1.5, -1.5f32..1.5, 0.1f32..4.0), 3),
        distances in proptest::collection::vec(-1.0f32..1.0, 3),
    ) {
        let mut vertices: Vec<Vertex> = Vec::new();
        for ((x, y, w), d) in corners.iter().zip(&distances) {
            let clip = [*d, -*d, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            vertices.push(Vertex { clip, ..vertex([x * w, y * w, 0.5 * w, *w], [0.0; 3]) });
        }
        let left = |vertices: &[Vertex], distances| {
            let [a, b, c] = vertices else { return Vec::new() };
            shapes(&clipper(DepthClipMode::Clip, distances).triangle([a, b, c]))
        };
        let whole = left(&vertices, 0);
        let mut other = vertices.clone();
        other.iter_mut().for_each(|v| v.clip[0] = v.clip[1]);
        let mut parts = left(&vertices, 1);
        parts.extend(left(&other, 1));
        let (whole, parts) = (count(&whole), count(&parts));
        // Corners that are cut are rounded to steps, so edges may move by one: those of the triangle, and that between the parts.
        let at = |n: usize| [0.5 * (1.0 + corners[n].0) * SIZE as f32, 0.5 * (1.0 - corners[n].1) * SIZE as f32];
        let cut = |n: usize| {
            let (a, b) = (n, (n + 1) % 3);
            let by = distances[a] / (distances[a] - distances[b]);
            let w = [corners[a].2, corners[b].2];
            let by = by * w[1] / (w[0] + by * (w[1] - w[0]));
            (0.0..1.0).contains(&by).then(|| [0, 1].map(|i| at(a)[i] + by * (at(b)[i] - at(a)[i])))
        };
        let mut edges: Vec<[[f32; 2]; 2]> = (0..3).map(|n| [at(n), at((n + 1) % 3)]).collect();
        let cuts: Vec<[f32; 2]> = (0..3).filter_map(cut).collect();
        if let [a, b] = cuts[..] {
            edges.push([a, b]);
        }
        let near = |x: i64, y: i64| {
            let p = [x as f32 + 0.5, y as f32 + 0.5];
            edges.iter().any(|[a, b]| {
                let [d, q] = [[b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]];
                (d[0] * q[1] - d[1] * q[0]).abs() < 0.05 * d[0].hypot(d[1])
            })
        };
        for y in 0..SIZE {
            for x in 0..SIZE {
                let (a, b) = (whole.get(&(x, y)).copied().unwrap_or(0), parts.get(&(x, y)).copied().unwrap_or(0));
                prop_assert!(a == b || near(x, y), "{x} {y}: {a}, {b}");
            }
        }
    }

    #[test]
    fn values_of_a_clipped_triangle_are_those_of_the_whole(
        corners in proptest::collection::vec((-1.5f32..1.5, -1.5f32..1.5, -0.5f32..1.5, 0.5f32..4.0), 3),
    ) {
        let vertices: Vec<Vertex> = corners
            .iter()
            .enumerate()
            .map(|(n, (x, y, z, w))| vertex([x * w, y * w, z * w, *w], std::array::from_fn(|i| f32::from(u8::from(i == n)))))
            .collect();
        let [a, b, c] = &vertices[..] else { return Ok(()) };
        let polygon = clipper(DepthClipMode::Clip, 0).triangle([a, b, c]);
        let texels = |n: usize| [0.5 * (1.0 + corners[n].0) * SIZE as f32, 0.5 * (1.0 - corners[n].1) * SIZE as f32];
        let cross = |a: [f32; 2], b: [f32; 2], c: [f32; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        let whole = cross(texels(0), texels(1), texels(2));
        prop_assume!(whole.abs() > 20.0);
        for corners_of in triangles(&polygon) {
            let points = corners_of.map(|c| [c.window[0], c.window[1]]);
            if cross(points[0], points[1], points[2]).abs() < 20.0 {
                continue;
            }
            let setup = Setup::triangle(corners_of, 1, &INPUTS);
            let middle = [0, 1].map(|i| points.iter().map(|p| p[i]).sum::<f32>() / 3.0);
            let at = middle.map(|v| v - 0.5);
            // Of the whole triangle, by areas.
            let linear = [0, 1, 2].map(|n| cross(texels((n + 1) % 3), texels((n + 2) % 3), middle) / whole);
            let over_w: f32 = (0..3).map(|n| linear[n] / corners[n].3).sum();
            let z: f32 = (0..3).map(|n| linear[n] * corners[n].2).sum();
            prop_assert!((setup.z(at) - z).abs() < 0.01, "{} {z}", setup.z(at));
            prop_assert!((setup.over_w(at) - over_w).abs() < 0.01, "{} {over_w}", setup.over_w(at));
            let (parts, straight) = (setup.value(0, true, at), setup.value(1, false, at));
            for n in 0..3 {
                let wanted = linear[n] / corners[n].3 / over_w;
                prop_assert!((f32::from_bits(parts[n]) - wanted).abs() < 0.01, "{parts:?} {wanted}");
                prop_assert!((f32::from_bits(straight[n]) - linear[n]).abs() < 0.01, "{straight:?} {linear:?}");
            }
        }
    }
}

fn covered(shape: Shape) -> Vec<(i64, i64)> {
    let mut all: Vec<_> = count(&[shape]).into_keys().collect();
    all.sort_unstable_by_key(|(x, y)| (*y, *x));
    all
}

#[test]
fn pixels_whose_middle_is_on_an_edge() {
    // Left and top edges own them, right and bottom edges do not.
    let square = |n: i64| {
        [point(128, 128), point(n * 256 + 128, 128), point(n * 256 + 128, n * 256 + 128), point(128, n * 256 + 128)]
    };
    let [a, b, c, d] = square(2);
    let counts = count(&[Shape::Triangle([a, b, c]), Shape::Triangle([a, c, d])]);
    let mut all: Vec<_> = counts.into_iter().collect();
    all.sort_unstable();
    assert_eq!(all, [((0, 0), 1), ((0, 1), 1), ((1, 0), 1), ((1, 1), 1)]);
}

/// A corner at a place in texels.
fn at(x: f32, y: f32) -> Vertex {
    vertex([x / SIZE as f32 * 2.0 - 1.0, 1.0 - y / SIZE as f32 * 2.0, 0.5, 1.0], [0.0; 3])
}

fn of_point(x: f32, y: f32, size: f32) -> Vec<(i64, i64)> {
    let vertex = at(x, y);
    let corner = clipper(DepthClipMode::Clip, 0).point(&vertex).unwrap();
    covered(Shape::point(&corner, size, 1).unwrap().0)
}

#[test]
fn points_are_squares() {
    assert_eq!(of_point(2.5, 2.5, 1.0), [(2, 2)]);
    assert_eq!(of_point(2.0, 2.0, 2.0), [(1, 1), (2, 1), (1, 2), (2, 2)]);
    // Its middle is outside.
    assert_eq!(of_point(-0.5, 0.5, 3.0), [(0, 0), (0, 1)]);
}

fn of_line(from: [f32; 2], to: [f32; 2]) -> Vec<(i64, i64)> {
    let (a, b) = (at(from[0], from[1]), at(to[0], to[1]));
    let Some([a, b]) = clipper(DepthClipMode::Clip, 0).line([&a, &b]) else { return Vec::new() };
    Shape::line([&a, &b], 1).map(covered).unwrap_or_default()
}

#[test]
fn lines_are_rectangles_of_a_texels_width() {
    assert_eq!(of_line([1.5, 2.5], [4.5, 2.5]), [(1, 2), (2, 2), (3, 2)]);
    assert_eq!(of_line([4.5, 2.5], [1.5, 2.5]), [(1, 2), (2, 2), (3, 2)]);
    assert_eq!(of_line([2.5, 1.5], [2.5, 3.5]), [(2, 1), (2, 2)]);
    assert_eq!(of_line([1.5, 1.5], [4.5, 4.5]), [(1, 1), (2, 2), (3, 3)]);
    // No middle is in it.
    assert_eq!(of_line([2.6, 2.5], [3.4, 2.5]), []);
    assert_eq!(of_line([2.5, 2.5], [2.5, 2.5]), []);
    // Over the picture's edge.
    assert_eq!(of_line([-3.0, 0.5], [1.5, 0.5]), [(0, 0)]);
}

/// Recordings of an Xbox have such vertices: nothing overflows, whatever is drawn.
#[test]
fn vertices_without_end_are_held() {
    let far = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, 1e-40, 0.0, -0.0, 1.0, -1.0];
    let others = [at(0.0, 0.0), at(SIZE as f32, 0.02)];
    let mut drawn = 0;
    for (n, x) in far.into_iter().enumerate() {
        for y in far {
            for w in far {
                let z = far[(n + 3) % far.len()];
                let odd = vertex([x, y, z, w], [x, y, w]);
                for mode in [DepthClipMode::Clip, DepthClipMode::Clamp] {
                    let clipper = clipper(mode, 0);
                    for samples in [1, 4] {
                        let polygon = clipper.triangle([&others[0], &odd, &others[1]]);
                        for corners in triangles(&polygon) {
                            let _setup = Setup::triangle(corners, samples, &INPUTS);
                            let shape = Shape::triangle(corners, samples);
                            shape.inspect(|shape| shape.cover(BOUNDS, samples, |_, _, _| drawn += 1));
                        }
                        let ends = clipper.line([&others[1], &odd]);
                        let shape = ends.and_then(|[a, b]| Shape::line([&a, &b], samples));
                        shape.inspect(|shape| shape.cover(BOUNDS, samples, |_, _, _| drawn += 1));
                        let shape = clipper.point(&odd).and_then(|corner| Shape::point(&corner, 5.0, samples));
                        shape.inspect(|(shape, _)| shape.cover(BOUNDS, samples, |_, _, _| drawn += 1));
                    }
                }
            }
        }
    }
    assert!(drawn > 0);
}
