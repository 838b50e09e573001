//! Tessellation: pipelines of the corpus (`tess_*`) as RADV compiled them, drawn as lines where they make triangles.

use crate::pipeline::{Pipeline, Setup, tessellator};
use crate::rig::{Pixel, Scene, Target, records};
use crate::{both, both_wired};
use afterimage_gcn_corpus::Compiler;
use afterimage_gnm::driver::calls;
use afterimage_gnm_types::{reg, value::*};

/// A local shader: a control point of s[0:3] goes to its place in the data share.
const LOCAL: &str = "
    buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
    v_lshlrev_b32 v1, 4, v1
    s_mov_b32 m0, -1
    s_waitcnt vmcnt(0)
    ds_write_b32 v1, v4
    ds_write_b32 v1, v5 offset:4
    ds_write_b32 v1, v6 offset:8
    ds_write_b32 v1, v7 offset:12
    s_endpgm
";

/// A hull shader of triangles: each corner moves a little to the middle of the screen and goes on to the data share, behind those of four
/// patches; edges have as many segments as the patch has a number, and one more, s[0:3] is the ring of factors.
const HULL: &str = "
    v_and_b32 v2, 0xff, v1
    v_bfe_u32 v3, v1, 8, 5
    v_mul_u32_u24 v4, 48, v2
    v_lshlrev_b32 v5, 4, v3
    v_add_i32 v4, vcc, v4, v5
    s_mov_b32 m0, -1
    ds_read_b32 v6, v4
    ds_read_b32 v7, v4 offset:4
    ds_read_b32 v8, v4 offset:8
    ds_read_b32 v9, v4 offset:12
    v_mov_b32 v10, 0x3f600000
    s_waitcnt lgkmcnt(0)
    v_mul_f32 v6, v10, v6
    v_mul_f32 v7, v10, v7
    ds_write_b32 v4, v6 offset:192
    ds_write_b32 v4, v7 offset:196
    ds_write_b32 v4, v8 offset:200
    ds_write_b32 v4, v9 offset:204
    v_cmp_eq_u32 vcc, 0, v3
    s_and_saveexec_b64 s[20:21], vcc
    v_lshlrev_b32 v2, 4, v2
    v_cvt_f32_u32 v11, v0
    v_add_f32 v11, 1.0, v11
    v_mov_b32 v12, v11
    v_mov_b32 v13, v11
    v_mov_b32 v14, v11
    buffer_store_dwordx4 v[11:14], v2, s[0:3], s16 offen
    s_endpgm
";

/// A domain shader, which finds the corners in the data share.
const DOMAIN: &str = "
    v_mul_u32_u24 v4, 48, v2
    s_mov_b32 m0, -1
    v_add_f32 v5, v0, v1
    v_sub_f32 v5, 1.0, v5
    ds_read_b32 v6, v4 offset:192
    ds_read_b32 v7, v4 offset:196
    ds_read_b32 v8, v4 offset:208
    ds_read_b32 v9, v4 offset:212
    ds_read_b32 v10, v4 offset:224
    ds_read_b32 v11, v4 offset:228
    s_waitcnt lgkmcnt(0)
    v_mul_f32 v6, v0, v6
    v_mul_f32 v7, v0, v7
    v_mac_f32 v6, v1, v8
    v_mac_f32 v7, v1, v9
    v_mac_f32 v6, v5, v10
    v_mac_f32 v7, v5, v11
    v_mov_b32 v12, 0.5
    v_mov_b32 v13, 1.0
    exp pos0 v6, v7, v12, v13 done
    exp param0 v0, v1, v5, v13
    s_endpgm
";

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
        both_wired("tessellation_quads", |scene| {
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

/// Ten triangles as patches of three corners, four in a thread group, with their local and their hull shader, whose `PGM_RSRC2` has more
/// bits. Gives where the ring of factors is, of [`FACTORS`] bytes.
pub(crate) fn ten_patches(scene: &mut Scene, hull: &str, rsrc2: u32) -> u64 {
    let corner = |n: u16| {
        let (patch, corner) = (n / 3, n % 3);
        let [x, y] = [f32::from(patch % 5) * 0.4 - 0.98, f32::from(patch / 5) - 0.96];
        let [right, up] = [[0.0, 0.0], [0.36, 0.0], [0.18, 0.9]][usize::from(corner)];
        [x + right, y + up, 0.5, 1.0]
    };
    let corners: Vec<[f32; 4]> = (0..30).map(corner).collect();
    let source = scene.put(corners.as_flattened());
    let factors = scene.alloc(FACTORS.into(), 256);
    scene.set(reg::VGT_TF_RING_SIZE, &[FACTORS / 4]);
    scene.set(reg::VGT_TF_MEMORY_BASE, &[(factors >> 8) as u32]);
    let [local, hull] = [LOCAL, hull].map(|text| scene.program(text));
    let share = reg::SPI_SHADER_PGM_RSRC2_LS::LDS_SIZE.bits(1);
    let float = 0xC0 << 12;
    let regs = [(local >> 8) as u32, (local >> 40) as u32, 3 << 24 | float, 16 << 1 | share];
    scene.call(&calls::SetLsShader { regs, modifier: 0 });
    scene.set(reg::SPI_SHADER_USER_DATA_LS_0, &records(source, 16, 30, BUF_DATA_FORMAT_32_32_32_32).0);
    use reg::VGT_LS_HS_CONFIG as C;
    let ls_hs_config = C::NUM_PATCHES.bits(4) | C::HS_NUM_INPUT_CP.bits(3) | C::HS_NUM_OUTPUT_CP.bits(3);
    let levels = [64f32, 1.0].map(f32::to_bits);
    let (low, high) = ((hull >> 8) as u32, (hull >> 40) as u32);
    let regs = [low, high, float, 16 << 1 | rsrc2, tessellator(1, 0, 3), levels[0], levels[1]];
    scene.call(&calls::SetHsShader { regs, ls_hs_config });
    factors
}

/// Bytes of that ring.
pub(crate) const FACTORS: u32 = 4 << 10;

/// Ten patches that stay in the data share from the local to the domain shader, four in a thread group.
#[test]
fn patches_stay_on_the_chip() {
    both_wired("tessellation_on_chip", |scene| {
        let target = scene.target(160, 64);
        scene.color(0, &target);
        scene.screen(target.width, target.height, 15);
        let factors = ten_patches(scene, HULL, 0);
        let [domain, pixel] = [DOMAIN, crate::draws::INPUT].map(|text| scene.program(text));
        scene.set(reg::SPI_SHADER_USER_DATA_HS_0, &records(factors, 0, FACTORS, BUF_DATA_FORMAT_32).0);
        scene.vertex(domain, 1, &[]);
        scene.pixel(pixel, Pixel::new(1), &[]);
        use reg::VGT_SHADER_STAGES_EN as S;
        scene.set(reg::VGT_SHADER_STAGES_EN, &[S::LS_EN.bits(1) | S::HS_EN.bits(1) | S::VS_EN.bits(1)]);
        use reg::PA_SU_SC_MODE_CNTL as M;
        let lines = M::POLY_MODE.bits(1) | M::POLYMODE_FRONT_PTYPE.bits(1) | M::POLYMODE_BACK_PTYPE.bits(1);
        scene.set(reg::PA_SU_SC_MODE_CNTL, &[lines]);
        scene.draw(DI_PT_PATCH, 30);
        target
    });
}
