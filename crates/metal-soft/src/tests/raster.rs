//! What triangles, lines and points cover.

use std::collections::HashMap;

use afterimage_metal_calls::{DepthClipMode, Viewport};
use proptest::prelude::*;

use crate::execute::clip::{Corner, Point, STEPS, clip, project};
use crate::execute::raster::{Bounds, Shape, area};
use crate::execute::vertex::Vertex;

const SIZE: i64 = 24;
const BOUNDS: Bounds = Bounds([0, 0, SIZE, SIZE]);

fn point(x: i64, y: i64) -> Point {
    let exact = [x as f64 / STEPS as f64, y as f64 / STEPS as f64];
    Point { x, y, exact, z: 0.5, over_w: 1.0, parts: [1.0, 0.0, 0.0] }
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
        let viewport = Viewport { origin: [0.0; 2], size: [SIZE as f64; 2], depth: [0.0, 1.0] };
        let vertices: Vec<Vertex> = corners
            .iter()
            .zip(&distances)
            .map(|((x, y, w), d)| Vertex {
                position: [x * w, y * w, 0.5 * w, *w],
                clip: [*d, -*d, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                point_size: 1.0,
                layer: 0,
                varyings: Vec::new(),
            })
            .collect();
        let shapes = |vertices: &[Vertex], distances| {
            let all: Vec<&Vertex> = vertices.iter().collect();
            let points: Vec<Point> =
                clip(&all, DepthClipMode::Clip, distances, &viewport).iter().map(|c| project(c, &viewport)).collect();
            (1..points.len().saturating_sub(1)).map(|n| Shape::Triangle([points[0], points[n], points[n + 1]])).collect::<Vec<_>>()
        };
        let whole = shapes(&vertices, 0);
        let mut other = vertices.clone();
        other.iter_mut().for_each(|v| v.clip[0] = v.clip[1]);
        let mut parts = shapes(&vertices, 1);
        parts.extend(shapes(&other, 1));
        let counts = count(&parts);
        // Corners that are cut are rounded to steps, so edges may move by one.
        let Some(Shape::Triangle(all)) = whole.first() else { return Ok(()) };
        let size = area(all).abs();
        let near = |x: i64, y: i64| {
            let p = point(x * STEPS + 128, y * STEPS + 128);
            (0..3).any(|n| {
                let (a, b) = (&all[n], &all[(n + 1) % 3]);
                let length = ((b.x - a.x) as f64).hypot((b.y - a.y) as f64);
                (area(&[*a, *b, p]) as f64).abs() < 3.0 * length
            })
        };
        prop_assume!(size > STEPS * STEPS);
        let whole = count(&whole);
        for y in 0..SIZE {
            for x in 0..SIZE {
                let (a, b) = (whole.get(&(x, y)).copied().unwrap_or(0), counts.get(&(x, y)).copied().unwrap_or(0));
                prop_assert!(a == b || near(x, y), "{x} {y}: {a}, {b}");
            }
        }
    }

    #[test]
    fn values_of_a_clipped_triangle_are_those_of_the_whole(
        corners in proptest::collection::vec((-1.0f32..1.0, -1.0f32..1.0, -0.5f32..1.5, 0.5f32..4.0), 3),
    ) {
        let viewport = Viewport { origin: [0.0; 2], size: [SIZE as f64; 2], depth: [0.0, 1.0] };
        let vertices: Vec<Vertex> = corners
            .iter()
            .map(|(x, y, z, w)| Vertex {
                position: [x * w, y * w, z * w, *w],
                clip: [0.0; 8],
                point_size: 1.0,
                layer: 0,
                varyings: Vec::new(),
            })
            .collect();
        let all: Vec<&Vertex> = vertices.iter().collect();
        let w = [0, 1, 2].map(|n| vertices[n].position[3]);
        let shapes = |mode| {
            let points: Vec<Point> = clip(&all, mode, 0, &viewport).iter().map(|c| project(c, &viewport)).collect();
            (1..points.len().saturating_sub(1)).map(|n| Shape::Triangle([points[0], points[n], points[n + 1]])).collect::<Vec<_>>()
        };
        let whole = shapes(DepthClipMode::Clamp);
        let Some(first) = whole.first() else { return Ok(()) };
        let Shape::Triangle(points) = first else { return Ok(()) };
        prop_assume!(area(points).abs() > 20 * STEPS * STEPS);
        for part in shapes(DepthClipMode::Clip) {
            let Shape::Triangle(points) = &part else { continue };
            if area(points).abs() < 20 * STEPS * STEPS {
                continue;
            }
            let middle = [0, 1].map(|i| points.iter().map(|p| p.exact[i]).sum::<f64>() / 3.0);
            let (a, b) = (part.at(middle[0], middle[1], w), first.at(middle[0], middle[1], w));
            prop_assert!((a.z - b.z).abs() < 0.02, "{} {}", a.z, b.z);
            for n in 0..3 {
                prop_assert!((a.parts[n] - b.parts[n]).abs() < 0.03, "{a:?} {b:?}");
                prop_assert!((a.linear[n] - b.linear[n]).abs() < 0.03, "{a:?} {b:?}");
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

#[test]
fn points_are_squares() {
    assert_eq!(covered(Shape::Point(point(640, 640), 1.0)), [(2, 2)]);
    assert_eq!(covered(Shape::Point(point(512, 512), 2.0)), [(1, 1), (2, 1), (1, 2), (2, 2)]);
}

#[test]
fn lines_leave_their_last_pixel() {
    let at = |x: f64, y: f64| point((x * 256.0) as i64, (y * 256.0) as i64);
    assert_eq!(covered(Shape::Line([at(1.5, 2.5), at(4.5, 2.5)])), [(1, 2), (2, 2), (3, 2)]);
    assert_eq!(covered(Shape::Line([at(4.5, 2.5), at(1.5, 2.5)])), [(2, 2), (3, 2), (4, 2)]);
    assert_eq!(covered(Shape::Line([at(2.5, 1.5), at(2.5, 3.5)])), [(2, 1), (2, 2)]);
    assert_eq!(covered(Shape::Line([at(1.5, 1.5), at(4.5, 4.5)])), [(1, 1), (2, 2), (3, 3)]);
    // Within a diamond there is nothing to leave.
    assert_eq!(covered(Shape::Line([at(2.5, 2.5), at(2.6, 2.5)])), []);
    // It begins behind the middle, but in the diamond.
    assert_eq!(covered(Shape::Line([at(2.6, 2.5), at(4.5, 2.5)])), [(2, 2), (3, 2)]);
}

/// Recordings of an Xbox have such vertices: nothing overflows, whatever is drawn.
#[test]
fn vertices_without_end_are_held() {
    let viewport = Viewport { origin: [0.0; 2], size: [SIZE as f64; 2], depth: [0.0, 1.0] };
    let far = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, 1e-40, 0.0, 1.0];
    for x in far {
        for y in far {
            for w in far {
                let position = [f64::from(x), f64::from(y), 0.5, f64::from(w)];
                let corner = Corner { position, parts: [1.0, 0.0, 0.0] };
                let point = project(&corner, &viewport);
                for other in [self::point(0, 0), self::point(SIZE * STEPS, 5)] {
                    let points = [point, other, self::point(77, SIZE * STEPS)];
                    let _twice = area(&points);
                    Shape::Triangle(points).cover(BOUNDS, 1, |_, _, _| {});
                    Shape::Line([point, other]).cover(BOUNDS, 1, |_, _, _| {});
                }
            }
        }
    }
}
