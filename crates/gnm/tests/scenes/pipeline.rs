//! Pipelines of the corpus with all their stages, as RADV compiled them: shaders, rings, and what user SGPRs point to.

use crate::rig::{Scene, records};
use afterimage_gcn_corpus::{Compiled, Compiler, Kind, Program, Shader, programs};
use afterimage_gnm::driver::calls;
use afterimage_gnm_types::descriptors::buffer;
use afterimage_gnm_types::{BufferDescriptor, reg, value::*};
use std::sync::OnceLock;

/// Bytes of a ring, which are fewer than some draws write: the hardware uses them again and again.
pub(crate) const RING: u32 = 4 << 10;
/// Patches of a thread group, which RADV has in its code.
const PATCHES: u32 = 16;
/// Thread groups that off-chip memory has room for: some draws take several rounds.
const OFF_CHIP: u32 = 2;
/// Bytes of one, `OFFCHIP_GRANULARITY` 2.
const OFF_CHIP_BYTES: u32 = 8 << 10;
/// Bytes of the ring of factors.
const FACTORS: u32 = 4 << 10;

/// A program of the corpus.
pub(crate) fn corpus(name: &str) -> &'static Program {
    static PROGRAMS: OnceLock<Vec<Program>> = OnceLock::new();
    let programs = PROGRAMS.get_or_init(|| programs().unwrap_or_else(|error| panic!("{error}")));
    programs.iter().find(|program| program.name == name).unwrap_or_else(|| panic!("no `{name}`"))
}

/// `VGT_TF_PARAM`.
pub(crate) fn tessellator(kind: u32, partitioning: u32, topology: u32) -> u32 {
    use reg::VGT_TF_PARAM as P;
    P::TYPE.bits(kind) | P::PARTITIONING.bits(partitioning) | P::TOPOLOGY.bits(topology)
}

/// What is in no register of a shader.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Setup<'a> {
    /// `VGT_TF_PARAM`.
    pub(crate) tessellator: u32,
    /// `VGT_GS_OUT_PRIM_TYPE`.
    pub(crate) strips: u32,
    /// What vertices are made of.
    pub(crate) vertices: &'a [u32],
    /// Buffers of stream-out: address and bytes.
    pub(crate) captures: &'a [(u64, u32)],
}

/// A pipeline.
pub(crate) struct Pipeline {
    pub(crate) program: &'static Program,
    compiled: Compiled,
}

/// Rings of a geometry shader, for stages of a scene's own.
pub(crate) struct Rings {
    /// As an export shader writes it.
    pub(crate) exported: BufferDescriptor,
    /// As a copy shader reads it.
    pub(crate) copied: BufferDescriptor,
}

/// A ring as its writer sees it: swizzled, the lane's number added, `lanes` elements of four bytes side by side.
pub(crate) fn written(address: u64, lanes: u32) -> BufferDescriptor {
    plain(address, RING)
        .with(buffer::SWIZZLE_ENABLE, 1)
        .with(buffer::ELEMENT_SIZE, 1)
        .with(buffer::INDEX_STRIDE, lanes.ilog2() - 3)
        .with(buffer::ADD_TID_ENABLE, 1)
}

pub(crate) fn plain(address: u64, bytes: u32) -> BufferDescriptor {
    records(address, 0, bytes, BUF_DATA_FORMAT_32)
}

/// A program's address and both resource registers.
fn put(scene: &mut Scene, shader: &Shader) -> [u32; 4] {
    let address = scene.put(&shader.words());
    [(address >> 8) as u32, (address >> 40) as u32, shader.register("rsrc1"), shader.register("rsrc2")]
}

/// Where the tables are that user SGPRs point to.
struct Tables {
    rings: u64,
    vertices: u32,
    captures: u32,
}

impl Tables {
    fn user(&self, shader: &Shader) -> [u32; 16] {
        let mut registers = [0; 16];
        for data in &shader.user {
            let words: &[u32] = match data.value.as_str() {
                "ring_offsets" => &[self.rings as u32, (self.rings >> 32) as u32],
                "vertex_buffers" => &[self.vertices],
                "streamout_buffers" => &[self.captures],
                "vertex_offsets" => continue,
                other => panic!("a scene says nothing of `{other}`"),
            };
            registers[data.first as usize..][..words.len()].copy_from_slice(words);
        }
        registers
    }
}

impl Pipeline {
    pub(crate) fn new(name: &str, compiler: Compiler) -> Self {
        let program = corpus(name);
        Self { program, compiled: program.compiled(compiler).unwrap_or_else(|error| panic!("{error}")) }
    }

    /// The shader of a hardware stage.
    pub(crate) fn stage(&self, stage: &str) -> Option<&Shader> {
        self.compiled.shaders.iter().find(|shader| shader.stage == stage && !shader.listing.is_empty())
    }

    /// Bytes of a vertex.
    pub(crate) fn stride(&self) -> u32 {
        let strides = self.program.header.resources.iter().filter_map(|resource| match resource.kind {
            Kind::Vertices { stride, .. } => Some(stride),
            _ => None,
        });
        strides.sum()
    }

    /// Sets all stages.
    pub(crate) fn bind(&self, scene: &mut Scene, setup: &Setup<'_>) -> Rings {
        let [first, second] = [(); 2].map(|()| scene.alloc(RING.into(), 256));
        let factors = scene.alloc(FACTORS.into(), 256);
        let off_chip = scene.alloc((OFF_CHIP * OFF_CHIP_BYTES).into(), 256);
        // RADV's table: scratch memory, what ES writes and GS reads, what the copy shader reads and GS writes, factors and what
        // lies off chip.
        let rings = [
            BufferDescriptor::default(),
            written(first, 64),
            plain(first, RING),
            plain(second, RING),
            written(second, 16),
            plain(factors, FACTORS),
            plain(off_chip, OFF_CHIP * OFF_CHIP_BYTES),
        ];
        let source = scene.put(setup.vertices);
        let stride = self.stride();
        let source = records(source, stride, 4 * setup.vertices.len() as u32 / stride, BUF_DATA_FORMAT_32_32_32_32);
        let captures: Vec<u32> = setup.captures.iter().flat_map(|(address, bytes)| plain(*address, *bytes).0).collect();
        let tables = Tables {
            rings: scene.put(&rings.iter().flat_map(|ring| ring.0).collect::<Vec<u32>>()),
            vertices: scene.put_low(&source.0),
            captures: scene.put_low(&captures),
        };
        self.patches(scene, setup, &tables, factors);
        self.geometry(scene, setup, &tables);
        let Some(vs) = self.stage("vs") else { panic!("{} has no vertex stage", self.program.name) };
        let [low, high, rsrc1, rsrc2] = put(scene, vs);
        let [config, pos, out] = ["vs_out_config", "pos_format", "vs_out_cntl"].map(|name| vs.register(name));
        scene.call(&calls::SetVsShader { regs: [low, high, rsrc1, rsrc2, config, pos, out], modifier: 0 });
        scene.set(reg::SPI_SHADER_USER_DATA_VS_0, &tables.user(vs));
        self.pixel(scene);
        let has = |stage| self.stage(stage).is_some();
        use reg::VGT_SHADER_STAGES_EN as S;
        let mut stages = if has("hs") { S::LS_EN.bits(1) | S::HS_EN.bits(1) | S::DYNAMIC_HS.bits(1) } else { 0 };
        // The domain stage, or a stage of vertices, in front of a copy shader or as the last.
        let domain = |real| if has("hs") { 1 } else { real };
        stages |= match has("gs") {
            true => S::ES_EN.bits(domain(2)) | S::GS_EN.bits(1) | S::VS_EN.bits(2),
            false => S::VS_EN.bits(domain(0)),
        };
        scene.set(reg::VGT_SHADER_STAGES_EN, &[stages]);
        Rings { exported: rings[1], copied: rings[3] }
    }

    /// Local and hull shaders, if there are some.
    fn patches(&self, scene: &mut Scene, setup: &Setup<'_>, tables: &Tables, factors: u64) {
        let (Some(ls), Some(hs)) = (self.stage("ls"), self.stage("hs")) else { return };
        scene.set(reg::VGT_TF_RING_SIZE, &[FACTORS / 4]);
        use reg::VGT_HS_OFFCHIP_PARAM as O;
        scene.set(reg::VGT_HS_OFFCHIP_PARAM, &[O::OFFCHIP_BUFFERING.bits(OFF_CHIP) | O::OFFCHIP_GRANULARITY.bits(2)]);
        scene.set(reg::VGT_TF_MEMORY_BASE, &[(factors >> 8) as u32]);
        let [low, high, rsrc1, rsrc2] = put(scene, ls);
        let share = reg::SPI_SHADER_PGM_RSRC2_LS::LDS_SIZE.bits(hs.lds / 512);
        scene.call(&calls::SetLsShader { regs: [low, high, rsrc1, rsrc2 | share], modifier: 0 });
        scene.set(reg::SPI_SHADER_USER_DATA_LS_0, &tables.user(ls));
        let [low, high, rsrc1, rsrc2] = put(scene, hs);
        use reg::VGT_LS_HS_CONFIG as C;
        let corners = self.program.header.patch;
        let config =
            C::NUM_PATCHES.bits(PATCHES) | C::HS_NUM_INPUT_CP.bits(corners) | C::HS_NUM_OUTPUT_CP.bits(corners);
        let levels = [64f32.to_bits(), 0f32.to_bits()];
        let regs = [low, high, rsrc1, rsrc2, setup.tessellator, levels[0], levels[1]];
        scene.call(&calls::SetHsShader { regs, ls_hs_config: config });
        scene.set(reg::SPI_SHADER_USER_DATA_HS_0, &tables.user(hs));
    }

    /// Export and geometry shaders, if there are some.
    fn geometry(&self, scene: &mut Scene, setup: &Setup<'_>, tables: &Tables) {
        let (Some(es), Some(gs)) = (self.stage("es"), self.stage("gs")) else { return };
        let regs = put(scene, es);
        scene.call(&calls::SetEsShader { regs, modifier: 0 });
        scene.set(reg::SPI_SHADER_USER_DATA_ES_0, &tables.user(es));
        let [low, high, rsrc1, rsrc2] = put(scene, gs);
        let regs = [low, high, rsrc1, rsrc2, 0, setup.strips, gs.register("gs_instance_cnt")];
        scene.call(&calls::SetGsShader { regs });
        scene.set(reg::SPI_SHADER_USER_DATA_GS_0, &tables.user(gs));
        let rows = [
            (reg::VGT_ESGS_RING_ITEMSIZE, "esgs_ring_itemsize"),
            (reg::VGT_GSVS_RING_ITEMSIZE, "gsvs_ring_itemsize"),
            (reg::VGT_GS_MAX_VERT_OUT, "gs_max_vert_out"),
            (reg::VGT_GS_VERT_ITEMSIZE, "gs_vert_itemsize"),
            (reg::VGT_GS_VERT_ITEMSIZE_1, "gs_vert_itemsize_1"),
            (reg::VGT_GS_VERT_ITEMSIZE_2, "gs_vert_itemsize_2"),
            (reg::VGT_GS_VERT_ITEMSIZE_3, "gs_vert_itemsize_3"),
            (reg::VGT_GSVS_RING_OFFSET_1, "gsvs_ring_offset_1"),
            (reg::VGT_GSVS_RING_OFFSET_2, "gsvs_ring_offset_2"),
            (reg::VGT_GSVS_RING_OFFSET_3, "gsvs_ring_offset_3"),
        ];
        for (register, name) in rows {
            scene.set(register, &[gs.register(name)]);
        }
        scene.set(reg::VGT_GS_MODE, &[reg::VGT_GS_MODE::MODE.bits(3)]);
    }

    fn pixel(&self, scene: &mut Scene) {
        let Some(ps) = self.stage("ps") else { return };
        let [low, high, rsrc1, rsrc2] = put(scene, ps);
        let names = ["z_format", "col_format", "ps_input_ena", "ps_input_addr", "ps_in_control"];
        let [z, col, ena, addr, control] = names.map(|name| ps.register(name));
        let [db, mask] = ["db_shader_control", "cb_shader_mask"].map(|name| ps.register(name));
        scene.call(&calls::SetPsShader { regs: [low, high, rsrc1, rsrc2, z, col, ena, addr, control, 0, db, mask] });
        for n in 0..control & 63 {
            scene.set(reg::SPI_PS_INPUT_CNTL_0 + 4 * n, &[ps.register(&format!("ps_input_cntl_{n}"))]);
        }
    }
}
