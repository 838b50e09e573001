//! Interpolation with and without texture perspective, of a triangle that two edges of the surface cut.

use super::memory::{PITCH, SIDE, on_surfaces};
use super::*;
use afterimage_nv2a::machine::PrimitiveKind;
use afterimage_nv2a_types::method;

/// x, y, w and red of the corners: one far away to the upper left, so that the surface's upper left corner is inside.
const CORNERS: [[f64; 4]; 3] = [[-200.0, -160.0, 0.3, 255.0], [180.0, 10.0, 1.0, 0.0], [10.0, 170.0, 1.0, 0.0]];

/// Red at the middle of a pixel inside the triangle, and how near to the edges it is.
fn red(x: u32, y: u32, perspective: bool) -> (f64, f64) {
    let place = [f64::from(x) + 0.5, f64::from(y) + 0.5];
    let area = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let [a, b, c] = CORNERS.map(|[x, y, ..]| [x, y]);
    let parts = [area(place, b, c), area(a, place, c), area(a, b, place)].map(|part| part / area(a, b, c));
    let weights: [f64; 3] = std::array::from_fn(|n| if perspective { parts[n] / CORNERS[n][2] } else { parts[n] });
    let sum: f64 = weights.iter().sum();
    let red = (0..3).map(|n| weights[n] * CORNERS[n][3]).sum::<f64>() / sum;
    (red, parts.into_iter().fold(f64::MAX, f64::min))
}

#[test]
fn colours_survive_clipping_with_and_without_perspective() {
    on_surfaces(|rig, console, device| {
        for perspective in [true, false] {
            raw(device, method::SET_CONTROL0, &[u32::from(perspective) << 20])?;
            let corners = CORNERS.map(|[x, y, w, red]| {
                [x as f32, y as f32, 0.0, w as f32, f32::from_bits(0xFF00_0040 | (red as u32) << 16)]
            });
            device.draw_vertices_up(PrimitiveKind::Triangles, 3, bytemuck::cast_slice(&corners), 20)?;
            device.kick(console)?;
            let mut seen = 0;
            for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
                let (expected, inside) = red(x, y, perspective);
                if inside < 0.01 {
                    continue;
                }
                let pixel = word(console, rig.color + y * PITCH + 4 * x);
                let found = f64::from(pixel >> 16 & 0xFF);
                assert!((found - expected).abs() < 1.5, "{x}, {y}: {found} instead of {expected}, {perspective}");
                seen += 1;
            }
            assert!(seen > 3000, "{seen}");
        }
        Ok(())
    });
}
