//! On-chip geometry shaders, against the same shaders with their rings in memory: the one has places in the data share where the other
//! has offsets in rings, as AMD's compilers for this hardware have them.

use crate::both;
use crate::draws::INPUT;
use crate::pipeline::{RING, plain, written};
use crate::rig::{Pixel, Scene, Target, records};
use crate::tessellation::{FACTORS, ten_patches};
use afterimage_gnm::driver::calls;
use afterimage_gnm_types::descriptors::buffer;
use afterimage_gnm_types::{BufferDescriptor, op, reg, value::*};

/// Words of a vertex between export and geometry shader, of one behind that, and of all that a lane puts out: in the data share odd
/// numbers of words, of which banks have fewer conflicts.
const VERTEX: u32 = 8;
const VERTICES: u32 = 3;
const EXPORTED: [u32; 2] = [VERTEX, VERTEX + 1];
const PUT_OUT: [u32; 2] = [VERTEX * VERTICES, VERTEX * VERTICES + 1];
/// Vertices and primitives after which a subgroup ends, which has two lanes for each primitive. Of vertices there may be two more.
const SUBGROUP: [u32; 2] = [70, 48];
/// Bytes of the data share in front of what geometry shaders put out.
const BEFORE: u32 = (SUBGROUP[0] + 2) * EXPORTED[1] * 4;

/// Where both rings are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rings {
    Memory,
    Share,
}

impl Rings {
    /// The lane's place in the data share, in v40, where a lane has so many words behind so many bytes.
    fn place(self, words: u32, before: u32) -> String {
        match self {
            Self::Memory => String::new(),
            Self::Share => format!(
                "v_mbcnt_lo_u32_b32 v40, -1, 0
                v_mbcnt_hi_u32_b32 v40, -1, v40
                v_mul_u32_u24 v40, {:#x}, v40
                v_add_i32 v40, vcc, s16, v40
                v_add_i32 v40, vcc, {before:#x}, v40
                s_mov_b32 m0, -1\n",
                4 * words
            ),
        }
    }

    /// Stores v`register` as component `word` of vertex `vertex` of `of`.
    fn store(self, register: u32, word: u32, vertex: u32, of: u32) -> String {
        match self {
            Self::Memory => format!(
                "buffer_store_dword v{register}, off, s[4:7], s16 offset:{} glc slc\n",
                4 * (word * of + vertex)
            ),
            Self::Share => format!("ds_write_b32 v40, v{register} offset:{}\n", 4 * (vertex * VERTEX + word)),
        }
    }

    /// Loads component `word` of what is at byte `place` into v`register`, where the ring's components are so many bytes apart.
    fn load(self, register: u32, place: u32, word: u32, step: u32) -> String {
        match self {
            Self::Memory => format!(
                "s_movk_i32 s8, {:#x}\nbuffer_load_dword v{register}, v{place}, s[0:3], s8 offen glc slc\n",
                word * step
            ),
            Self::Share => format!("ds_read_b32 v{register}, v{place} offset:{}\n", 4 * word),
        }
    }

    /// Reads two vectors of a vertex through s[0:3] and moves the first to the right by the number of the instance.
    fn export(self) -> String {
        let stores: String = (0..VERTEX).map(|word| self.store(4 + word, word, 0, 1)).collect();
        format!(
            "buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
            buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:16
            v_cvt_f32_u32 v12, v3
            s_waitcnt vmcnt(0)
            v_add_f32 v4, v4, v12
            {}{stores}
            s_endpgm",
            self.place(EXPORTED[1], 0)
        )
    }

    /// Puts out each triangle a little smaller, and a second time much smaller and with other colours, if it has an even number.
    fn geometry(self) -> String {
        let corners = [(0, 8), (1, 16), (3, 24)];
        let mut text = String::new();
        for (offset, first) in corners {
            text += &format!("v_lshlrev_b32 v{offset}, 2, v{offset}\ns_mov_b32 m0, -1\n");
            text += &(0..VERTEX).map(|word| self.load(first + word, offset, word, 4 * 64)).collect::<String>();
        }
        text += "s_waitcnt vmcnt(0) & lgkmcnt(0)
            v_cvt_f32_u32 v36, v7
            v_mul_f32 v34, -0.5, v36
            v_add_f32 v34, 0x3f666666, v34
            v_mad_f32 v37, -2.0, v36, 1.0\n";
        for axis in 0..2 {
            let [a, b, c] = corners.map(|(_, first)| first + axis);
            text += &format!("v_add_f32 v32, v{a}, v{b}\nv_add_f32 v32, v32, v{c}\nv_mul_f32 v32, 0x3eaaaaab, v32\n");
            for corner in [a, b, c] {
                text += &format!("v_sub_f32 v35, v{corner}, v32\nv_mad_f32 v{corner}, v34, v35, v32\n");
            }
        }
        for (_, first) in corners {
            text += &(4..7).map(|word| format!("v_mad_f32 v{0}, v{0}, v37, v36\n", first + word)).collect::<String>();
        }
        text += &self.place(PUT_OUT[1], BEFORE);
        text += "v_and_b32 v38, v2, v7
            v_and_b32 v38, 1, v38
            v_cmp_eq_u32 vcc, 0, v38
            s_and_saveexec_b64 s[20:21], vcc\n";
        for (vertex, (_, first)) in (0..).zip(corners) {
            let stores = (0..VERTEX).map(|word| self.store(first + word, word, vertex, VERTICES));
            text += &stores.collect::<String>();
        }
        text + "s_mov_b32 m0, s17
            s_waitcnt vmcnt(0) & lgkmcnt(0)
            s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)
            s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)
            s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT_CUT, 0)
            s_mov_b64 exec, s[20:21]
            s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)
            s_endpgm"
    }

    fn copy(self) -> String {
        let before = if self == Self::Share { BEFORE } else { 0 };
        let loads: String = (0..VERTEX).map(|word| self.load(1 + word, 0, word, 4 * 16 * VERTICES)).collect();
        format!(
            "v_lshlrev_b32 v0, 2, v0
            v_add_i32 v0, vcc, {before:#x}, v0
            s_mov_b32 m0, -1
            {loads}
            s_waitcnt vmcnt(0) & lgkmcnt(0)
            exp pos0 v1, v2, v3, v4 done
            exp param0 v5, v6, v7, v8
            s_endpgm"
        )
    }

    /// Sets all stages.
    fn bind(self, scene: &mut Scene, vertices: &[[f32; 4]]) {
        let at = scene.put(vertices.as_flattened());
        let source = records(at, 32, vertices.len() as u32 / 2, BUF_DATA_FORMAT_32_32_32_32);
        self.bind_behind(scene, &self.export(), 0, source);
        use reg::VGT_SHADER_STAGES_EN as S;
        scene.set(reg::VGT_SHADER_STAGES_EN, &[S::ES_EN.bits(2) | S::GS_EN.bits(1) | S::VS_EN.bits(2)]);
    }

    /// Sets the stages from the export shader on, which has a buffer at s[0:3]. `more`: what else its registers ask for.
    fn bind_behind(self, scene: &mut Scene, export: &str, more: u32, source: BufferDescriptor) {
        let [first, second] = [(); 2].map(|()| scene.room(RING.into()));
        let programs = [export, &self.geometry(), &self.copy()].map(|text| scene.program(text));
        let [export, geometry, _] = programs.map(|program| [(program >> 8) as u32, (program >> 40) as u32]);
        let (float, user) = (0xC0 << 12, 16 << 1);
        let at = usize::from(self == Self::Share);
        let share = reg::SPI_SHADER_PGM_RSRC2_ES::LDS_SIZE;
        let bytes = BEFORE + SUBGROUP[1] * 2 * PUT_OUT[1] * 4;
        let share = if self == Self::Share { share.bits(bytes.div_ceil(512)) } else { 0 };
        let rsrc2 = user | share | more;
        scene.call(&calls::SetEsShader { regs: [export[0], export[1], 3 << 24 | float, rsrc2], modifier: 0 });
        scene.set(reg::SPI_SHADER_USER_DATA_ES_0, &[source.0, written(first, 64).0].concat());
        // Rows of 16 lanes, one behind the other.
        let put_out = written(second, 16).with(buffer::STRIDE, 4 * PUT_OUT[0]);
        use reg::VGT_GS_INSTANCE_CNT as I;
        let instances = I::ENABLE.bits(1) | I::CNT.bits(2);
        scene.call(&calls::SetGsShader { regs: [geometry[0], geometry[1], float, user, 0, 2, instances] });
        scene.set(reg::SPI_SHADER_USER_DATA_GS_0, &[plain(first, RING).0, put_out.0].concat());
        scene.vertex(programs[2], 1, &plain(second, RING).0);
        let pixel = scene.program(INPUT);
        scene.pixel(pixel, Pixel::new(1), &[]);
        scene.set(reg::VGT_ESGS_RING_ITEMSIZE, &[EXPORTED[at]]);
        scene.set(reg::VGT_GSVS_RING_ITEMSIZE, &[PUT_OUT[at]]);
        scene.set(reg::VGT_GS_MAX_VERT_OUT, &[VERTICES]);
        scene.set(reg::VGT_GS_VERT_ITEMSIZE, &[VERTEX]);
        use reg::{VGT_GS_MODE as M, VGT_GS_ONCHIP_CNTL as C};
        let on_chip = if self == Self::Share { 3 } else { 0 };
        scene.set(reg::VGT_GS_MODE, &[M::MODE.bits(3) | M::ONCHIP.bits(on_chip)]);
        let [vertices, primitives] = SUBGROUP;
        scene.set(
            reg::VGT_GS_ONCHIP_CNTL,
            &[C::ES_VERTS_PER_SUBGRP.bits(vertices) | C::GS_PRIMS_PER_SUBGRP.bits(primitives)],
        );
    }

    /// A domain program in front of a geometry shader: the point between the corners that lie off chip, through s[0:3], with where it lies
    /// as its colour.
    fn domain(self) -> String {
        // The wave's offset lies behind the two of the thread group.
        let stores: String = (0..VERTEX).map(|word| self.store(20 + word, word, 0, 1)).collect();
        let place = self.place(EXPORTED[1], 0);
        format!(
            "v_mul_u32_u24 v4, 48, v2
            buffer_load_dwordx4 v[5:8], v4, s[0:3], s16 offen
            buffer_load_dwordx4 v[9:12], v4, s[0:3], s16 offen offset:16
            buffer_load_dwordx4 v[13:16], v4, s[0:3], s16 offen offset:32
            v_add_f32 v26, v0, v1
            v_sub_f32 v26, 1.0, v26
            s_waitcnt vmcnt(0)
            v_mul_f32 v20, v0, v5
            v_mac_f32 v20, v1, v9
            v_mac_f32 v20, v26, v13
            v_mul_f32 v21, v0, v6
            v_mac_f32 v21, v1, v10
            v_mac_f32 v21, v26, v14
            v_mov_b32 v22, 0.5
            v_mov_b32 v23, 1.0
            v_mov_b32 v24, v0
            v_mov_b32 v25, v1
            v_mov_b32 v27, 1.0
            {}{}
            s_endpgm",
            place.replace("s16", "s18"),
            stores.replace("s16", "s18")
        )
    }
}

/// A hull program of triangles: corners go off chip through s[4:7]; edges have as many segments as the patch has a number, and one more,
/// s[0:3] is the ring of factors.
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
    s_waitcnt lgkmcnt(0)
    buffer_store_dwordx4 v[6:9], v4, s[4:7], s16 offen
    v_cmp_eq_u32 vcc, 0, v3
    s_and_saveexec_b64 s[20:21], vcc
    v_lshlrev_b32 v2, 4, v2
    v_cvt_f32_u32 v11, v0
    v_add_f32 v11, 1.0, v11
    v_mov_b32 v12, v11
    v_mov_b32 v13, v11
    v_mov_b32 v14, v11
    buffer_store_dwordx4 v[11:14], v2, s[0:3], s17 offen
    s_endpgm
";

/// Ten patches of one to ten segments an edge, four in a thread group, of which off-chip memory has room for two; subgroups begin and end
/// anywhere among their triangles. Two instances.
fn patches(scene: &mut Scene, rings: Rings) -> Target {
    const OFF_CHIP_BYTES: u32 = 8 << 10;
    let target = scene.target(320, 128);
    scene.color(0, &target);
    scene.screen(target.width, target.height, 15);
    let off_chip_too = reg::SPI_SHADER_PGM_RSRC2_ES::OC_LDS_EN.bits(1);
    let factors = ten_patches(scene, HULL, off_chip_too);
    let off_chip = scene.room((2 * OFF_CHIP_BYTES).into());
    use reg::VGT_HS_OFFCHIP_PARAM as O;
    scene.set(reg::VGT_HS_OFFCHIP_PARAM, &[O::OFFCHIP_BUFFERING.bits(2) | O::OFFCHIP_GRANULARITY.bits(2)]);
    let corners_at = plain(off_chip, 2 * OFF_CHIP_BYTES);
    scene.set(reg::SPI_SHADER_USER_DATA_HS_0, &[plain(factors, FACTORS).0, corners_at.0].concat());
    rings.bind_behind(scene, &rings.domain(), off_chip_too, corners_at);
    use reg::VGT_SHADER_STAGES_EN as S;
    let stages = S::LS_EN.bits(1) | S::HS_EN.bits(1) | S::ES_EN.bits(1) | S::GS_EN.bits(1) | S::VS_EN.bits(2);
    scene.set(reg::VGT_SHADER_STAGES_EN, &[stages]);
    scene.packet(op::NUM_INSTANCES, &[2]);
    scene.draw(DI_PT_PATCH, 30);
    target
}

#[test]
fn rings_of_patches_lie_in_the_data_share() {
    both("geometry_of_patches", |scene| patches(scene, Rings::Share));
}

/// The same picture.
#[test]
fn rings_of_patches_in_memory_show_the_same() {
    both("geometry_of_patches", |scene| patches(scene, Rings::Memory));
}

/// Triangles of a disc, whose subgroups end with their primitives, above triangles of their own, whose subgroups end with their vertices
/// and have more than one wave of them. Two instances of both.
fn draws(scene: &mut Scene, rings: Rings) -> Target {
    const AROUND: u16 = 16;
    let target = scene.target(256, 192);
    scene.color(0, &target);
    scene.screen(target.width, target.height, 15);
    scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[128.0, 128.0, -64.0, 64.0]);
    let corner = |n: u16| {
        let turn = f32::from(n % AROUND) * std::f32::consts::TAU / f32::from(AROUND);
        let size = 1.0 - f32::from(n / AROUND) / 6.0;
        let (x, y) = (turn.cos() * size, turn.sin() * size);
        [[0.48 * x - 0.5, 0.95 * y, 0.5, 1.0], [0.5 + 0.5 * x, 0.5 + 0.5 * y, 0.2, 1.0]]
    };
    let corners: Vec<[f32; 4]> = (0..5 * AROUND).flat_map(corner).collect();
    let mut indices = Vec::new();
    for at in 0..AROUND * 4 {
        let next = at / AROUND * AROUND + (at + 1) % AROUND;
        indices.extend([at, next, at + AROUND, next, next + AROUND, at + AROUND]);
    }
    rings.bind(scene, &corners);
    scene.packet(op::NUM_INSTANCES, &[2]);
    scene.draw_indexed(DI_PT_TRILIST, &indices);

    let corner = |n: u16| {
        let (triangle, corner) = (n / 3, n % 3);
        let (x, y) = (f32::from(triangle % 12) * 0.08 - 0.99, f32::from(triangle / 12) * 0.4 - 0.99);
        let [right, up] = [[0.0, 0.0], [0.075, 0.05], [0.02, 0.38]][usize::from(corner)];
        let light = f32::from(triangle) / 60.0;
        let shade = [[1.0, light, 0.0], [0.0, 1.0, light], [light, 0.0, 1.0]][usize::from(corner)];
        [[x + right, y + up, 0.5, 1.0], [shade[0], shade[1], shade[2], 1.0]]
    };
    let corners: Vec<[f32; 4]> = (0..180).flat_map(corner).collect();
    scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[128.0, 128.0, -32.0, 160.0]);
    rings.bind(scene, &corners);
    scene.packet(op::NUM_INSTANCES, &[2]);
    scene.draw(DI_PT_TRILIST, 180);
    target
}

#[test]
fn rings_lie_in_the_data_share() {
    both("geometry_on_chip", |scene| draws(scene, Rings::Share));
}

/// The same picture.
#[test]
fn rings_in_memory_show_the_same() {
    both("geometry_on_chip", |scene| draws(scene, Rings::Memory));
}
