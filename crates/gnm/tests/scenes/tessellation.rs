//! Tessellation: pipelines of the corpus (`tess_*`) as RADV compiled them, drawn as lines where they make triangles.

use crate::both;
use crate::geometry::{compiled, program};
use crate::rig::{Scene, Target, records};
use afterimage_gcn_corpus::{Compiler, Shader};
use afterimage_gnm::driver::calls;
use afterimage_gnm_types::{BufferDescriptor, reg, value::*};

/// Patches of a thread group, which RADV has in its code.
const PATCHES: u32 = 16;
/// Thread groups that off-chip memory has room for: some draws take several rounds.
const OFF_CHIP: u32 = 2;
/// Bytes of one, `OFFCHIP_GRANULARITY` 2.
const OFF_CHIP_BYTES: u32 = 8 << 10;
/// Bytes of the ring of factors.
const FACTORS: u32 = 4 << 10;

/// `VGT_TF_PARAM`.
fn parameters(kind: u32, partitioning: u32, topology: u32) -> u32 {
    use reg::VGT_TF_PARAM as P;
    P::TYPE.bits(kind) | P::PARTITIONING.bits(partitioning) | P::TOPOLOGY.bits(topology)
}

/// Draws patches of `corners` vertices by a program of the corpus.
fn patches(
    scene: &mut Scene,
    name: &str,
    compiler: Compiler,
    tf_param: u32,
    corners: u32,
    vertices: &[[f32; 4]],
) -> Target {
    let target = scene.target(128, 128);
    scene.color(0, &target);
    scene.screen(target.width, target.height, 15);
    let compiled = compiled(name, compiler);
    let stage = |name: &str| -> &Shader { compiled.shaders.iter().find(|shader| shader.stage == name).unwrap() };
    let [ls, hs, vs, ps] = ["ls", "hs", "vs", "ps"].map(stage);

    let factors = scene.alloc(FACTORS.into(), 256);
    let off_chip = scene.alloc((OFF_CHIP * OFF_CHIP_BYTES).into(), 256);
    let none = BufferDescriptor::default();
    let plain = |address, bytes| records(address, 0, bytes, BUF_DATA_FORMAT_32);
    // RADV's table: what tessellation has comes behind scratch memory and the four views of a geometry shader's rings.
    let rings = [none, none, none, none, none, plain(factors, FACTORS), plain(off_chip, OFF_CHIP * OFF_CHIP_BYTES)];
    let table = scene.put(&rings.iter().flat_map(|ring| ring.0).collect::<Vec<u32>>());
    let table = [table as u32, (table >> 32) as u32];
    scene.set(reg::VGT_TF_RING_SIZE, &[FACTORS / 4]);
    use reg::VGT_HS_OFFCHIP_PARAM as O;
    scene.set(reg::VGT_HS_OFFCHIP_PARAM, &[O::OFFCHIP_BUFFERING.bits(OFF_CHIP) | O::OFFCHIP_GRANULARITY.bits(2)]);
    scene.set(reg::VGT_TF_MEMORY_BASE, &[(factors >> 8) as u32]);

    let source = scene.put(vertices.as_flattened());
    let source = scene.put_low(&records(source, 16, vertices.len() as u32, BUF_DATA_FORMAT_32_32_32_32).0);
    let [low, high, rsrc1, rsrc2] = program(scene, ls);
    let share = reg::SPI_SHADER_PGM_RSRC2_LS::LDS_SIZE.bits(hs.lds / 512);
    scene.call(&calls::SetLsShader { regs: [low, high, rsrc1, rsrc2 | share], modifier: 0 });
    scene.set(reg::SPI_SHADER_USER_DATA_LS_0, &[table[0], table[1], source, 0]);

    let [low, high, rsrc1, rsrc2] = program(scene, hs);
    use reg::VGT_LS_HS_CONFIG as C;
    let config = C::NUM_PATCHES.bits(PATCHES) | C::HS_NUM_INPUT_CP.bits(corners) | C::HS_NUM_OUTPUT_CP.bits(corners);
    let levels = [64f32.to_bits(), 0f32.to_bits()];
    scene.call(&calls::SetHsShader {
        regs: [low, high, rsrc1, rsrc2, tf_param, levels[0], levels[1]],
        ls_hs_config: config,
    });
    scene.set(reg::SPI_SHADER_USER_DATA_HS_0, &table);

    let [low, high, rsrc1, rsrc2] = program(scene, vs);
    let out = [vs.register("vs_out_config"), vs.register("pos_format"), vs.register("vs_out_cntl")];
    scene.call(&calls::SetVsShader { regs: [low, high, rsrc1, rsrc2, out[0], out[1], out[2]], modifier: 0 });
    scene.set(reg::SPI_SHADER_USER_DATA_VS_0, &table);

    let [low, high, rsrc1, rsrc2] = program(scene, ps);
    let [z, col, ena, addr, control, db, mask] = [
        "z_format",
        "col_format",
        "ps_input_ena",
        "ps_input_addr",
        "ps_in_control",
        "db_shader_control",
        "cb_shader_mask",
    ]
    .map(|name| ps.register(name));
    scene.call(&calls::SetPsShader { regs: [low, high, rsrc1, rsrc2, z, col, ena, addr, control, 0, db, mask] });
    scene.set(reg::SPI_PS_INPUT_CNTL_0, &[ps.register("ps_input_cntl_0")]);

    use reg::PA_SU_SC_MODE_CNTL as M;
    scene.set(
        reg::PA_SU_SC_MODE_CNTL,
        &[M::POLY_MODE.bits(1) | M::POLYMODE_FRONT_PTYPE.bits(1) | M::POLYMODE_BACK_PTYPE.bits(1)],
    );
    use reg::VGT_SHADER_STAGES_EN as S;
    let stages = S::LS_EN.bits(1) | S::HS_EN.bits(1) | S::VS_EN.bits(1) | S::DYNAMIC_HS.bits(1);
    scene.set(reg::VGT_SHADER_STAGES_EN, &[stages]);
    scene.draw(DI_PT_PATCH, vertices.len() as u32);
    target
}

#[test]
fn triangles_with_constant_levels() {
    for compiler in Compiler::ALL {
        both("tessellation_triangles", |scene| {
            // Both patches have the same edge between them, across from their corners 0.
            let [a, b, c, d] = [[-0.9, -0.9], [0.9, -0.8], [-0.7, 0.9], [0.8, 0.8]].map(|[x, y]| [x, y, 0.5, 1.0]);
            // Integers, counterclockwise as the hardware has it.
            patches(scene, "tess_triangle", compiler, parameters(1, 0, 3), 3, &[a, b, c, d, c, b])
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
            patches(scene, "tess_quad", compiler, parameters(2, 2, 2), 4, &vertices)
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
            patches(scene, "tess_lines", compiler, parameters(0, 3, 1), 4, &vertices)
        });
    }
}
