//! Tessellation: pipelines of the corpus (`tess_*`) as RADV compiled them, drawn as lines where they make triangles.

use crate::both;
use crate::pipeline::{Pipeline, Setup, tessellator};
use crate::rig::{Scene, Target};
use afterimage_gcn_corpus::Compiler;
use afterimage_gnm_types::{reg, value::*};

/// Draws patches by a program of the corpus.
fn patches(scene: &mut Scene, name: &str, compiler: Compiler, tessellator: u32, vertices: &[[f32; 4]]) -> Target {
    let target = scene.target(128, 128);
    scene.color(0, &target);
    scene.screen(target.width, target.height, 15);
    let words: Vec<u32> = vertices.as_flattened().iter().map(|value| value.to_bits()).collect();
    let setup = Setup { tessellator, vertices: &words, ..Setup::default() };
    Pipeline::new(name, compiler).bind(scene, &setup);
    use reg::PA_SU_SC_MODE_CNTL as M;
    scene.set(
        reg::PA_SU_SC_MODE_CNTL,
        &[M::POLY_MODE.bits(1) | M::POLYMODE_FRONT_PTYPE.bits(1) | M::POLYMODE_BACK_PTYPE.bits(1)],
    );
    scene.draw(DI_PT_PATCH, vertices.len() as u32);
    target
}

#[test]
fn triangles_with_constant_levels() {
    for compiler in Compiler::ALL {
        both("tessellation_triangles", |scene| {
            // Both patches have the same edge between them, across from their corners 0.
            let [a, b, c, d] = [[-0.9, -0.9], [0.9, -0.8], [-0.7, 0.9], [0.8, 0.8]].map(|[x, y]| [x, y, 0.5, 1.0]);
            // Integers, clockwise.
            patches(scene, "tess_triangle", compiler, tessellator(1, 0, 2), &[a, b, c, d, c, b])
        });
    }
}

/// A grid of quads in a plane, of which the corpus' shader takes the size for the outer levels and the distance of the first corner for
/// the inner ones. There are more than off-chip memory has room for.
#[test]
fn quads_by_size_and_distance() {
    for compiler in Compiler::ALL {
        both("tessellation_quads", |scene| {
            let at = |x: u32, y: u32| {
                let place = |n: u32, of: u32| (n as f32 / of as f32 * 2.0 - 1.0) * 7.5;
                [place(x, 9) * (0.5 + y as f32 / 8.0), place(y, 4), 4.0, 1.0]
            };
            let corners = |(x, y)| [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
            let vertices: Vec<[f32; 4]> = (0..36).flat_map(|n| corners((n % 9, n / 9))).collect();
            patches(scene, "tess_quad", compiler, tessellator(2, 2, 3), &vertices)
        });
    }
}

#[test]
fn curves_of_isolines() {
    for compiler in Compiler::ALL {
        both("tessellation_lines", |scene| {
            let curve = |n: u32| {
                let y = n as f32 / 8.0 - 0.85;
                [[-0.9, y, 0.5, 1.0], [-0.4, y + 0.8, 0.5, 1.0], [0.4, y - 0.8, 0.2, 1.0], [0.9, y + 0.1, 0.1, 1.0]]
            };
            let vertices: Vec<[f32; 4]> = (0..14).flat_map(curve).collect();
            patches(scene, "tess_lines", compiler, tessellator(0, 3, 1), &vertices)
        });
    }
}
