//! Geometry shaders: an export shader of our own in front of what RADV compiled of the corpus' GLSL (`geom_*`), with its copy and
//! pixel shaders.

use crate::both;
use crate::pipeline::{Pipeline, Setup};
use crate::rig::{Scene, records};
use afterimage_gcn_corpus::Compiler;
use afterimage_gnm::driver::calls;
use afterimage_gnm_types::{op, reg, value::*};

/// Reads two vectors of a vertex in `v0` through s[0:3], moves the first to the right by the number of the instance, and writes both
/// to the ring of s[4:7].
const EXPORT: &str = "
    buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
    buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:16
    v_cvt_f32_u32 v12, v3
    s_waitcnt vmcnt(0)
    v_add_f32 v4, v4, v12
    buffer_store_dword v4, off, s[4:7], s16 offset:0 glc slc
    buffer_store_dword v5, off, s[4:7], s16 offset:4 glc slc
    buffer_store_dword v6, off, s[4:7], s16 offset:8 glc slc
    buffer_store_dword v7, off, s[4:7], s16 offset:12 glc slc
    buffer_store_dword v8, off, s[4:7], s16 offset:16 glc slc
    buffer_store_dword v9, off, s[4:7], s16 offset:20 glc slc
    buffer_store_dword v10, off, s[4:7], s16 offset:24 glc slc
    buffer_store_dword v11, off, s[4:7], s16 offset:28 glc slc
    s_endpgm
";

type Vertex = [[f32; 4]; 2];

/// Sets the stages up for the geometry shader of a program of the corpus.
fn stages(scene: &mut Scene, name: &str, compiler: Compiler, strips: u32, vertices: &[Vertex]) {
    let setup = Setup { strips, ..Setup::default() };
    let rings = Pipeline::new(name, compiler).bind(scene, &setup);
    let at = scene.put(vertices.as_flattened().as_flattened());
    let source = records(at, 32, vertices.len() as u32, BUF_DATA_FORMAT_32_32_32_32);
    let export = scene.program(EXPORT);
    let regs = [(export >> 8) as u32, (export >> 40) as u32, 3 << 24 | 0xC0 << 12, 16 << 1];
    scene.call(&calls::SetEsShader { regs, modifier: 0 });
    scene.set(reg::SPI_SHADER_USER_DATA_ES_0, &[source.0, rings.exported.0].concat());
}

/// A copy shader of the second stream of `geom_streams`, whose vertices are three words of which there are seven of 16 lanes each: they
/// are places and colours.
const COPY: &str = "
    v_lshlrev_b32 v0, 2, v0
    buffer_load_dword v1, v0, s[0:3], 0 offen
    buffer_load_dword v2, v0, s[0:3], 0 offen offset:448
    buffer_load_dword v3, v0, s[0:3], 0 offen offset:896
    v_mov_b32 v4, 0.5
    v_mov_b32 v5, 1.0
    s_waitcnt vmcnt(0)
    exp pos0 v1, v2, v4, v5 done
    v_add_f32 v3, v4, v3
    exp param0 v1, v5, v3, v5
    s_endpgm
";

/// Points of a spiral, more than a wave of them. The corpus' shader draws a square for each.
fn spiral(count: u32) -> Vec<Vertex> {
    let point = |n: u32| {
        let (t, turn) = (n as f32 / count as f32, n as f32 * 0.3);
        let shade = [t, 1.0 - t, 0.5 + 0.5 * turn.sin(), 1.0];
        [[0.9 * t * turn.cos() - 0.5, 0.9 * t * turn.sin(), 0.5, 1.0], shade]
    };
    (0..count).map(point).collect()
}

/// A fan of lines, of which the corpus' shader makes strips of as many vertices as the second vector says, with a gap behind the
/// eighth.
fn lines() -> Vec<Vertex> {
    let line = |n: u32| {
        let turn = n as f32 * std::f32::consts::TAU / 24.0;
        let (x, y) = (turn.cos(), turn.sin());
        // The shader adds the number of the primitive to all of it.
        let shade = |light: f32| [1.0 + (n % 16) as f32, light * (0.5 + 0.5 * x) - n as f32, light - n as f32, 1.0];
        [[[0.1 * x, 0.1 * y, 0.5, 1.0], shade(0.2)], [[0.9 * x, 0.9 * y, 0.5, 1.0], shade(1.0)]]
    };
    (0..24).flat_map(line).collect()
}

/// A dome, with a normal for each of its corners, and the indices of its triangles.
fn dome() -> (Vec<Vertex>, Vec<u16>) {
    const AROUND: u16 = 16;
    const UP: u16 = 5;
    let corner = |n: u16| {
        let turn = f32::from(n % AROUND) * std::f32::consts::TAU / f32::from(AROUND);
        let rise = f32::from(n / AROUND) / f32::from(UP);
        let (x, y) = ((1.0 - rise * 0.8) * turn.cos(), (1.0 - rise * 0.8) * turn.sin());
        [[x * 0.7, y * 0.7, 0.5, 1.0], [x, y, 0.2, 0.0]]
    };
    let mut indices = Vec::new();
    for at in 0..AROUND * (UP - 1) {
        let next = at / AROUND * AROUND + (at + 1) % AROUND;
        indices.extend([at, next, at + AROUND, next, next + AROUND, at + AROUND]);
    }
    ((0..AROUND * UP).map(corner).collect(), indices)
}

#[test]
fn points_become_squares() {
    both("geometry_points", |scene| {
        let target = scene.target(256, 128);
        scene.color(0, &target);
        scene.screen(target.width, target.height, 15);
        stages(scene, "geom_points", Compiler::Aco, 2, &spiral(150));
        scene.packet(op::NUM_INSTANCES, &[2]);
        scene.draw(DI_PT_POINTLIST, 150);
        target
    });
}

#[test]
fn strips_are_cut_where_the_shader_says() {
    both("geometry_lines", |scene| {
        let target = scene.target(128, 128);
        scene.color(0, &target);
        scene.screen(target.width, target.height, 15);
        stages(scene, "geom_lines", Compiler::Llvm, 1, &lines());
        scene.draw(DI_PT_LINELIST, 48);
        target
    });
}

#[test]
fn triangles_show_their_normals() {
    both("geometry_normals", |scene| {
        let target = scene.target(128, 128);
        scene.color(0, &target);
        scene.screen(target.width, target.height, 15);
        let (vertices, indices) = dome();
        stages(scene, "geom_normals", Compiler::Aco, 1, &vertices);
        scene.draw_indexed(DI_PT_TRILIST, &indices);
        target
    });
}

/// Edges as points: one stream of three is drawn, once by its number and once by a mask, and no stream draws nothing.
#[test]
fn the_stream_that_is_drawn_is_chosen() {
    both("geometry_stream", |scene| {
        let target = scene.target(128, 128);
        scene.color(0, &target);
        scene.screen(target.width, target.height, 15);
        let corner = |n: u16| {
            let turn = f32::from(n) * 0.7;
            [0.5 * turn.cos(), 0.5 * (1.7 * turn).sin(), 0.02 * f32::from(n % 40), 1.0].map(f32::to_bits)
        };
        let vertices: Vec<u32> = (0..240).flat_map(corner).collect();
        let setup = Setup { vertices: &vertices, ..Setup::default() };
        let rings = Pipeline::new("geom_streams", Compiler::Aco).bind(scene, &setup);
        let copy = scene.program(COPY);
        scene.vertex(copy, 1, &rings.copied.0);
        use reg::VGT_STRMOUT_CONFIG as C;
        // Both halves of the picture: the first draw puts its points to the left.
        scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[32.0, 32.0]);
        scene.set(reg::VGT_STRMOUT_CONFIG, &[C::RAST_STREAM.bits(1)]);
        scene.draw(DI_PT_TRILIST, 240);
        scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[32.0, 96.0]);
        scene.set(reg::VGT_STRMOUT_CONFIG, &[C::USE_RAST_STREAM_MASK.bits(1) | C::RAST_STREAM_MASK.bits(2)]);
        scene.draw(DI_PT_TRILIST, 120);
        scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[64.0, 64.0]);
        scene.set(reg::VGT_STRMOUT_CONFIG, &[C::RAST_STREAM.bits(4)]);
        scene.draw(DI_PT_TRILIST, 240);
        target
    });
}
