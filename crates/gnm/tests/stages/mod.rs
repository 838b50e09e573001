//! The stages of a pipeline that RADV compiled as registers, for whoever writes commands: shared by the tests `radv` and `scenes`.

use afterimage_gcn_corpus::{Compiled, Program, Shader};
use afterimage_gnm::driver::{Call, calls};
use afterimage_gnm_types::registers::Space;
use afterimage_gnm_types::{Opcode, op, reg};

/// Patches of a thread group, which RADV has in its code.
const PATCHES: u32 = 16;

/// Whoever writes commands, and knows where programs and tables lie.
pub(crate) trait Commands {
    /// A call of the library.
    ///
    /// # Errors
    /// In words, why it cannot be written.
    fn call<C: Call>(&mut self, call: &C) -> Result<(), String>;

    /// Registers from one on.
    fn set(&mut self, register: u32, values: &[u32]);

    /// The address of a stage's program, in two registers, and its resource registers.
    fn put(&mut self, shader: &Shader) -> [u32; 4];

    /// A stage's user data.
    ///
    /// # Errors
    /// In words, what it asks for that there is not.
    fn user(&self, shader: &Shader) -> Result<[u32; 16], String>;
}

/// What is in no register of a shader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    /// `VGT_TF_PARAM`.
    pub(crate) tessellator: u32,
    /// `VGT_GS_OUT_PRIM_TYPE`.
    pub(crate) strips: u32,
    /// Address of the ring of tessellation factors.
    pub(crate) factors: u64,
    /// Bytes of it.
    pub(crate) factor_bytes: u32,
    /// Thread groups that off-chip memory has room for, at 8 KiB for each.
    pub(crate) off_chip: u32,
}

/// The packet that sets registers from one on: its opcode, and where they begin in its space.
pub(crate) fn register_packet(register: u32) -> Option<(Opcode, u32)> {
    let space = Space::of(register)?;
    let opcode = match space {
        Space::Context => op::SET_CONTEXT_REG,
        Space::Shader => op::SET_SH_REG,
        Space::UserConfig => op::SET_UCONFIG_REG,
        Space::Config => op::SET_CONFIG_REG,
    };
    Some((opcode, (register - space.base()) / 4))
}

/// The shader of a hardware stage.
pub(crate) fn stage<'a>(compiled: &'a Compiled, stage: &str) -> Option<&'a Shader> {
    compiled.shaders.iter().find(|shader| shader.stage == stage && !shader.listing.is_empty())
}

/// Sets all stages that draw.
///
/// # Errors
/// In words, what cannot be written.
pub(crate) fn bind<C: Commands>(
    out: &mut C,
    program: &Program,
    compiled: &Compiled,
    setup: &Setup,
) -> Result<(), String> {
    patches(out, program, compiled, setup)?;
    geometry(out, compiled, setup)?;
    vertex(out, compiled)?;
    pixel(out, compiled)?;
    let has = |name| stage(compiled, name).is_some();
    use reg::VGT_SHADER_STAGES_EN as S;
    let mut stages = if has("hs") { S::LS_EN.bits(1) | S::HS_EN.bits(1) | S::DYNAMIC_HS.bits(1) } else { 0 };
    // The domain stage, or a stage of vertices, in front of a copy shader or as the last.
    let domain = |real| if has("hs") { 1 } else { real };
    stages |= match has("gs") {
        true => S::ES_EN.bits(domain(2)) | S::GS_EN.bits(1) | S::VS_EN.bits(2),
        false => S::VS_EN.bits(domain(0)),
    };
    out.set(reg::VGT_SHADER_STAGES_EN, &[stages]);
    Ok(())
}

/// Local and hull shaders, if there are some.
fn patches<C: Commands>(out: &mut C, program: &Program, compiled: &Compiled, setup: &Setup) -> Result<(), String> {
    let (Some(ls), Some(hs)) = (stage(compiled, "ls"), stage(compiled, "hs")) else { return Ok(()) };
    out.set(reg::VGT_TF_RING_SIZE, &[setup.factor_bytes / 4]);
    use reg::VGT_HS_OFFCHIP_PARAM as O;
    out.set(reg::VGT_HS_OFFCHIP_PARAM, &[O::OFFCHIP_BUFFERING.bits(setup.off_chip) | O::OFFCHIP_GRANULARITY.bits(2)]);
    out.set(reg::VGT_TF_MEMORY_BASE, &[(setup.factors >> 8) as u32]);
    let [low, high, rsrc1, rsrc2] = out.put(ls);
    let share = reg::SPI_SHADER_PGM_RSRC2_LS::LDS_SIZE.bits(hs.lds / 512);
    out.call(&calls::SetLsShader { regs: [low, high, rsrc1, rsrc2 | share], modifier: 0 })?;
    let user = out.user(ls)?;
    out.set(reg::SPI_SHADER_USER_DATA_LS_0, &user);
    let [low, high, rsrc1, rsrc2] = out.put(hs);
    use reg::VGT_LS_HS_CONFIG as C;
    let corners = program.header.patch;
    let config = C::NUM_PATCHES.bits(PATCHES) | C::HS_NUM_INPUT_CP.bits(corners) | C::HS_NUM_OUTPUT_CP.bits(corners);
    let levels = [64f32.to_bits(), 0f32.to_bits()];
    let regs = [low, high, rsrc1, rsrc2, setup.tessellator, levels[0], levels[1]];
    out.call(&calls::SetHsShader { regs, ls_hs_config: config })?;
    let user = out.user(hs)?;
    out.set(reg::SPI_SHADER_USER_DATA_HS_0, &user);
    Ok(())
}

/// Export and geometry shaders, if there are some.
fn geometry<C: Commands>(out: &mut C, compiled: &Compiled, setup: &Setup) -> Result<(), String> {
    let (Some(es), Some(gs)) = (stage(compiled, "es"), stage(compiled, "gs")) else { return Ok(()) };
    let regs = out.put(es);
    out.call(&calls::SetEsShader { regs, modifier: 0 })?;
    let user = out.user(es)?;
    out.set(reg::SPI_SHADER_USER_DATA_ES_0, &user);
    let [low, high, rsrc1, rsrc2] = out.put(gs);
    let regs = [low, high, rsrc1, rsrc2, 0, setup.strips, gs.register("gs_instance_cnt")];
    out.call(&calls::SetGsShader { regs })?;
    let user = out.user(gs)?;
    out.set(reg::SPI_SHADER_USER_DATA_GS_0, &user);
    /// Registers of rings, and their names in the corpus.
    const ROWS: [(u32, &str); 10] = [
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
    for (register, name) in ROWS {
        out.set(register, &[gs.register(name)]);
    }
    out.set(reg::VGT_GS_MODE, &[reg::VGT_GS_MODE::MODE.bits(3)]);
    Ok(())
}

/// The stage in front of the rasteriser, whatever it is in the pipeline.
///
/// # Errors
/// In words, what cannot be written.
pub(crate) fn vertex<C: Commands>(out: &mut C, compiled: &Compiled) -> Result<(), String> {
    let vs = stage(compiled, "vs").ok_or("it has no vertex stage")?;
    let [low, high, rsrc1, rsrc2] = out.put(vs);
    let [config, pos, cntl] = ["vs_out_config", "pos_format", "vs_out_cntl"].map(|name| vs.register(name));
    out.call(&calls::SetVsShader { regs: [low, high, rsrc1, rsrc2, config, pos, cntl], modifier: 0 })?;
    let user = out.user(vs)?;
    out.set(reg::SPI_SHADER_USER_DATA_VS_0, &user);
    Ok(())
}

/// The pixel shader, if there is one.
///
/// # Errors
/// In words, what cannot be written.
pub(crate) fn pixel<C: Commands>(out: &mut C, compiled: &Compiled) -> Result<(), String> {
    let Some(ps) = stage(compiled, "ps") else { return Ok(()) };
    let [low, high, rsrc1, rsrc2] = out.put(ps);
    let names = ["z_format", "col_format", "ps_input_ena", "ps_input_addr", "ps_in_control"];
    let [z, col, ena, addr, control] = names.map(|name| ps.register(name));
    let [baryc, db, mask] = ["baryc_cntl", "db_shader_control", "cb_shader_mask"].map(|name| ps.register(name));
    let regs = [low, high, rsrc1, rsrc2, z, col, ena, addr, control, baryc, db, mask];
    out.call(&calls::SetPsShader { regs })?;
    for n in 0..control & 63 {
        out.set(reg::SPI_PS_INPUT_CNTL_0 + 4 * n, &[ps.register(&format!("ps_input_cntl_{n}"))]);
    }
    let user = out.user(ps)?;
    out.set(reg::SPI_SHADER_USER_DATA_PS_0, &user);
    Ok(())
}

/// The compute shader.
///
/// # Errors
/// In words, what cannot be written.
pub(crate) fn compute<C: Commands>(out: &mut C, compiled: &Compiled) -> Result<(), String> {
    let cs = stage(compiled, "cs").ok_or("it has no code")?;
    let [x, y, z] = cs.threads;
    let [low, high, rsrc1, rsrc2] = out.put(cs);
    out.call(&calls::SetCsShader { regs: [low, high, rsrc1, rsrc2, x, y, z], modifier: 0 })?;
    let user = out.user(cs)?;
    out.set(reg::COMPUTE_USER_DATA_0, &user);
    Ok(())
}
