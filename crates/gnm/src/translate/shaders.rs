//! Shaders: what lies at a program's address, what it reads, and the receiver's objects for it.
//!
//! Code is read once for each generation of its pages. A program is translated once for everything that its translation depends
//! on ([`Source`]); draws look that up by registers and parts of descriptors.

use super::Translator;
use super::resources::Needs;
use super::targets;
use crate::memory::GuestMemory;
use afterimage_gnm_types::{View, reg};
use afterimage_shader_gcn::io::{self, BufferSpec, HwStage, ImageSpec, Resources, Source, TableSpec, vgt};
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, ObjectKind, Port, PortError};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Shaders that are kept.
const MOST_SHADERS: usize = 8192;
/// Programs that are kept.
const MOST_CODES: usize = 8192;

/// Registers of a hardware stage.
#[derive(Debug, PartialEq)]
pub(super) struct Stages {
    pub(super) stage: HwStage,
    /// The receiver's stage.
    pub(super) host: Stage,
    pub(super) program: u32,
    rsrc1: u32,
    rsrc2: u32,
    pub(super) user_data: u32,
    /// Bits of both that make a difference to a program.
    masks: [u32; 2],
    /// What of `VGT_GS_MODE` and `VGT_SHADER_STAGES_EN` does.
    pub(super) runs: [u32; 2],
}

/// The stages that draws and dispatches have here.
pub(super) const VERTEX: Stages = Stages {
    stage: HwStage::Vs,
    host: Stage::Vertex,
    program: reg::SPI_SHADER_PGM_LO_VS,
    rsrc1: reg::SPI_SHADER_PGM_RSRC1_VS,
    rsrc2: reg::SPI_SHADER_PGM_RSRC2_VS,
    user_data: reg::SPI_SHADER_USER_DATA_VS_0,
    masks: [0x03AF_F000, 0x1FBF],
    runs: [0; 2],
};
/// The vertex stage's program where it stores what stream-out captures.
pub(super) const FEEDBACK: Stages = Stages { host: Stage::Compute, ..VERTEX };
pub(super) const PIXEL: Stages = Stages {
    stage: HwStage::Ps,
    host: Stage::Pixel,
    program: reg::SPI_SHADER_PGM_LO_PS,
    rsrc1: reg::SPI_SHADER_PGM_RSRC1_PS,
    rsrc2: reg::SPI_SHADER_PGM_RSRC2_PS,
    user_data: reg::SPI_SHADER_USER_DATA_PS_0,
    // The highest bit is of gfx9, whose ordered pixels Mesa writes for gfx7 too.
    masks: [0x00AF_F000, 0x0200_FFBF],
    runs: [0; 2],
};
/// Those of tessellation; the last is the vertex stage with what the tessellator gives.
pub(super) const LOCAL: Stages = Stages {
    stage: HwStage::Ls,
    host: Stage::Compute,
    program: reg::SPI_SHADER_PGM_LO_LS,
    rsrc1: reg::SPI_SHADER_PGM_RSRC1_LS,
    rsrc2: reg::SPI_SHADER_PGM_RSRC2_LS,
    user_data: reg::SPI_SHADER_USER_DATA_LS_0,
    masks: [0x03AF_F000, 0x003F],
    runs: [0; 2],
};
pub(super) const HULL: Stages = Stages {
    stage: HwStage::Hs,
    host: Stage::Compute,
    program: reg::SPI_SHADER_PGM_LO_HS,
    rsrc1: reg::SPI_SHADER_PGM_RSRC1_HS,
    rsrc2: reg::SPI_SHADER_PGM_RSRC2_HS,
    user_data: reg::SPI_SHADER_USER_DATA_HS_0,
    masks: [0x00AF_F000, 0x00BF],
    runs: [0; 2],
};
pub(super) const DOMAIN: Stages = Stages { runs: DOMAIN_STAGE, ..VERTEX };
/// `VGT_SHADER_STAGES_EN` with the domain stage as `VS_EN`.
const DOMAIN_STAGE: [u32; 2] = [0, 1 << 6];
/// The domain program where it stores what stream-out captures.
pub(super) const DOMAIN_FEEDBACK: Stages = Stages { runs: DOMAIN_STAGE, ..FEEDBACK };
/// Those in front of a geometry shader's copy shader.
pub(super) const EXPORT: Stages = Stages {
    stage: HwStage::Es,
    host: Stage::Compute,
    program: reg::SPI_SHADER_PGM_LO_ES,
    rsrc1: reg::SPI_SHADER_PGM_RSRC1_ES,
    rsrc2: reg::SPI_SHADER_PGM_RSRC2_ES,
    user_data: reg::SPI_SHADER_USER_DATA_ES_0,
    masks: [0x03AF_F000, 0x00BF],
    runs: [0; 2],
};
/// The domain program in front of a geometry shader: `VGT_SHADER_STAGES_EN` with the domain stage as `ES_EN`.
pub(super) const DOMAIN_EXPORT: Stages = Stages { runs: [0, 1 << 3], ..EXPORT };
pub(super) const GEOMETRY: Stages = Stages {
    stage: HwStage::Gs,
    host: Stage::Compute,
    program: reg::SPI_SHADER_PGM_LO_GS,
    rsrc1: reg::SPI_SHADER_PGM_RSRC1_GS,
    rsrc2: reg::SPI_SHADER_PGM_RSRC2_GS,
    user_data: reg::SPI_SHADER_USER_DATA_GS_0,
    masks: [0x00AF_F000, 0x003F],
    runs: [0; 2],
};
/// A geometry shader's stages where their rings lie in the data share.
const ON_CHIP: [u32; 2] = [vgt::ON_CHIP, 0];
pub(super) const EXPORT_ON_CHIP: Stages = Stages { runs: ON_CHIP, ..EXPORT };
pub(super) const DOMAIN_EXPORT_ON_CHIP: Stages = Stages { runs: [vgt::ON_CHIP, 1 << 3], ..EXPORT };
pub(super) const GEOMETRY_ON_CHIP: Stages = Stages { runs: ON_CHIP, ..GEOMETRY };
pub(super) const COPY_ON_CHIP: Stages = Stages { runs: ON_CHIP, ..VERTEX };
pub(super) const COPY_FEEDBACK_ON_CHIP: Stages = Stages { runs: ON_CHIP, ..FEEDBACK };
pub(super) const COMPUTE: Stages = Stages {
    stage: HwStage::Cs,
    host: Stage::Compute,
    program: reg::COMPUTE_PGM_LO,
    rsrc1: reg::COMPUTE_PGM_RSRC1,
    rsrc2: reg::COMPUTE_PGM_RSRC2,
    user_data: reg::COMPUTE_USER_DATA_0,
    masks: [0x00AF_F000, 0x00FF_9FBF],
    runs: [0; 2],
};

/// A program, and what it reads.
#[derive(Debug)]
pub(super) struct Code {
    /// To be told from others.
    number: u32,
    words: Vec<u32>,
    fetch: Vec<u32>,
    pub(super) resources: Resources,
}

/// Hardware stage, and what it runs as.
type Runs = (HwStage, [u32; 2]);
/// Stage, user registers, words of the program and of its fetch shader.
type Content = (Runs, u32, Vec<u32>, Vec<u32>);

/// A part of memory whose code was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Read {
    address: u64,
    bytes: u64,
    generation: u64,
}

impl Read {
    fn is_current(&self, memory: &dyn GuestMemory) -> bool {
        memory.generation(self.address, self.bytes) == self.generation
    }
}

#[derive(Debug)]
struct CachedCode {
    read: Read,
    /// The fetch shader, where the program calls one.
    fetch: Option<Read>,
    code: Arc<Code>,
    epoch: u64,
}

/// What an object of the receiver is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    code: u32,
    stage: HwStage,
    registers: io::Registers,
    buffers: SmallVec<[BufferSpec; 8]>,
    images: SmallVec<[ImageSpec; 4]>,
    tables: SmallVec<[TableSpec; 2]>,
}

/// Programs and shaders that are known.
#[derive(Debug, Default)]
pub(super) struct Shaders {
    /// By stage, address, user registers and fetch shader.
    known: FxHashMap<(Runs, u64, u32, u64), CachedCode>,
    /// By what they are.
    codes: FxHashMap<Content, Arc<Code>>,
    ids: FxHashMap<Key, ObjectId>,
    next: u32,
}

impl Shaders {
    /// The receiver is gone, and with it every object.
    pub(super) fn forget(&mut self, port: &mut Port) {
        // Another receiver may have other tables.
        self.known.clear();
        self.codes.clear();
        self.ids.drain().for_each(|(_, id)| port.recycle(id));
    }
}

/// Reads a program's words.
fn read_code(memory: &dyn GuestMemory, address: u64) -> Result<Vec<u32>, String> {
    let word = |n: usize| memory.word(address.checked_add(4 * n as u64)?);
    if word(0).is_none() {
        return Err("it is not mapped".into());
    }
    let length = afterimage_shader_gcn::code_length(word).map_err(|error| error.to_string())?;
    Ok((0..length).map_while(word).collect())
}

impl Translator {
    /// The program at the address in the registers, with its resources. `user` are its user data, for programs that call a
    /// fetch shader whose address lies in them.
    pub(super) fn code(
        &mut self,
        stage: &Stages,
        registers: &View,
        memory: &dyn GuestMemory,
        user: &[u32; 16],
    ) -> Result<Arc<Code>, String> {
        let address = registers.program(stage.program);
        let user_registers = registers.get(stage.rsrc2) & stage.masks[1];
        // A fetch shader's address is a pair of user data in front of everything else; other pairs make no difference.
        let fetches = matches!(stage.stage, HwStage::Vs | HwStage::Es | HwStage::Ls);
        let fetch_at = if fetches { u64::from(user[0]) | u64::from(user[1] & 0xFFFF) << 32 } else { 0 };
        let epoch = self.epoch;
        let runs = (stage.stage, stage.runs);
        let key = (runs, address, user_registers, fetch_at);
        if let Some(known) = self.shaders.known.get_mut(&key) {
            let is_current = known.epoch == epoch
                || known.read.is_current(memory) && known.fetch.is_none_or(|fetch| fetch.is_current(memory));
            if is_current {
                known.epoch = epoch;
                return Ok(known.code.clone());
            }
        }
        let read = |address: u64, words: &[u32]| Read {
            address,
            bytes: 4 * words.len() as u64,
            generation: memory.generation(address, 4 * words.len() as u64),
        };
        let words = read_code(memory, address)?;
        let has_tables = self.has_tables();
        let mut resources = resources(stage, &words, &[], user_registers, has_tables)?;
        let mut fetch_words = Vec::new();
        let mut fetch_read = None;
        if let Some(pointer) = resources.fetch {
            let values = resources.evaluate(&super::resources::Memory::new(address, user, memory));
            let address = values.address(pointer);
            fetch_words =
                read_code(memory, address).map_err(|error| format!("fetch shader at {address:#x}: {error}"))?;
            fetch_read = Some(read(address, &fetch_words));
            resources = self::resources(stage, &words, &fetch_words, user_registers, has_tables)?;
        }
        let known_read = read(address, &words);
        if self.shaders.known.len() >= MOST_CODES {
            self.shaders.known.clear();
            self.shaders.codes.clear();
        }
        let content = (runs, user_registers, words, fetch_words);
        let code = match self.shaders.codes.get(&content) {
            Some(code) => code.clone(),
            None => {
                self.shaders.next += 1;
                let (_, _, words, fetch) = content.clone();
                let code = Arc::new(Code { number: self.shaders.next, words, fetch, resources });
                self.shaders.codes.insert(content, code.clone());
                code
            }
        };
        self.shaders.known.insert(key, CachedCode { read: known_read, fetch: fetch_read, code: code.clone(), epoch });
        Ok(code)
    }

    /// Where too many shaders are kept, drops them all; those in use are made again. To be called between draws.
    pub(super) fn bound_shaders(&mut self) {
        if self.shaders.ids.len() >= MOST_SHADERS {
            tracing::warn!("{MOST_SHADERS} shaders: all are made again");
            self.port.put(&mut self.sent.shaders, SetShaders::default());
            self.shaders.ids.drain().for_each(|(_, id)| self.port.destroy(id));
            self.moved += 1;
        }
    }

    /// The receiver's shader for a program with what it needs.
    pub(super) fn shader(
        &mut self,
        stage: &Stages,
        registers: io::Registers,
        needs: &Needs,
    ) -> Result<ObjectId, PortError> {
        let Needs { code, buffer_specs: buffers, image_specs: images, table_specs: tables, .. } = needs;
        let registers = io::Registers { tables: self.has_tables().into(), ..registers };
        let key = Key {
            code: code.number,
            stage: stage.stage,
            registers,
            buffers: SmallVec::from_slice(buffers),
            images: SmallVec::from_slice(images),
            tables: SmallVec::from_slice(tables),
        };
        if let Some(id) = self.shaders.ids.get(&key) {
            return Ok(*id);
        }
        let source = Source {
            stage: stage.stage,
            code: code.words.clone(),
            fetch: code.fetch.clone(),
            registers,
            buffers: buffers.to_vec(),
            images: images.to_vec(),
            tables: tables.to_vec(),
        };
        let id = self.port.allocate(ObjectKind::Shader)?;
        let bytes = source.to_bytes();
        let code = self.port.upload_bytes(&bytes).inspect_err(|_| self.port.recycle(id))?;
        self.port.push(&CreateShader { id, stage: stage.host as u32, language: Language::Gcn as u32, pad: 0, code });
        self.shaders.ids.insert(key, id);
        Ok(id)
    }
}

/// What a program reads.
fn resources(stage: &Stages, code: &[u32], fetch: &[u32], rsrc2: u32, has_tables: bool) -> Result<Resources, String> {
    let mut registers = io::Registers { rsrc2, tables: has_tables.into(), ..io::Registers::default() };
    set_runs(&mut registers, stage.runs);
    let source = Source {
        stage: stage.stage,
        code: code.to_vec(),
        fetch: fetch.to_vec(),
        registers,
        buffers: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
    };
    afterimage_shader_gcn::resources(&source).map_err(|error| error.to_string())
}

fn set_runs(registers: &mut io::Registers, [mode, stages]: [u32; 2]) {
    registers.vgt[vgt::GS_MODE] = mode;
    registers.vgt[vgt::STAGES] = stages;
}

/// The registers that every stage has.
fn common(stage: &Stages, registers: &View) -> io::Registers {
    let rsrc2 = registers.get(stage.rsrc2) & stage.masks[1];
    let scratch = match stage.stage {
        _ if rsrc2 & 1 == 0 => 0,
        HwStage::Cs => registers.field(reg::COMPUTE_TMPRING_SIZE::WAVESIZE),
        _ => registers.field(reg::SPI_TMPRING_SIZE::WAVESIZE),
    };
    io::Registers {
        rsrc1: registers.get(stage.rsrc1) & stage.masks[0],
        rsrc2,
        // 256 words of a wave are four of each lane.
        scratch: 4 * scratch,
        ..io::Registers::default()
    }
}

/// What the translation of what runs as the vertex stage depends on; `position` are [`io::position`]'s bits.
pub(super) fn stage_registers(stage: &Stages, registers: &View, position: u32) -> io::Registers {
    match stage.runs {
        [0, 0] => vertex_registers(registers, position),
        [_, 0] => copy_registers(registers, position),
        _ => domain_registers(registers, position),
    }
}

/// What a vertex shader's translation depends on; `position` are [`io::position`]'s bits.
fn vertex_registers(registers: &View, position: u32) -> io::Registers {
    let common = common(&VERTEX, registers);
    io::Registers {
        vs_out_config: registers.get(reg::SPI_VS_OUT_CONFIG),
        pos_format: registers.get(reg::SPI_SHADER_POS_FORMAT),
        vs_out_cntl: registers.get(reg::PA_CL_VS_OUT_CNTL),
        position,
        step_rates: step_rates(&common, registers),
        ..common
    }
}

/// What a vertex or domain program's translation depends on where it captures.
pub(super) fn feedback_registers(stage: &Stages, registers: &View) -> io::Registers {
    let common = common(stage, registers);
    let mut seen = io::Registers { captures: 1, step_rates: step_rates(&common, registers), ..common };
    set_runs(&mut seen, stage.runs);
    seen
}

/// The rates of the registers that count instances, if there are such.
fn step_rates(common: &io::Registers, registers: &View) -> [u32; 2] {
    let reads = common.rsrc1 >> 24 & 3 > 0;
    [reg::VGT_INSTANCE_STEP_RATE_0, reg::VGT_INSTANCE_STEP_RATE_1]
        .map(|register| if reads { registers.get(register) } else { 0 })
}

/// What an export shader's translation depends on, or a domain program's that exports.
pub(super) fn export_registers(stage: &Stages, registers: &View) -> io::Registers {
    let common = common(stage, registers);
    let rings = [registers.field(reg::VGT_ESGS_RING_ITEMSIZE::ITEMSIZE), 0, 0, 0];
    let mut seen = io::Registers { rings, step_rates: step_rates(&common, registers), ..common };
    set_runs(&mut seen, stage.runs);
    seen
}

/// What a geometry shader's translation depends on, if it has so many streams.
pub(super) fn geometry_registers(stage: &Stages, registers: &View, streams: usize) -> io::Registers {
    let rings = [
        registers.field(reg::VGT_ESGS_RING_ITEMSIZE::ITEMSIZE),
        registers.field(reg::VGT_GSVS_RING_ITEMSIZE::ITEMSIZE),
        streams as u32,
        registers.field(reg::VGT_GS_MAX_VERT_OUT::MAX_VERT_OUT),
    ];
    let mut seen = io::Registers { rings, ..common(stage, registers) };
    set_runs(&mut seen, stage.runs);
    seen
}

/// What a domain program's translation depends on.
fn domain_registers(registers: &View, position: u32) -> io::Registers {
    let mut seen = io::Registers { step_rates: [0; 2], ..vertex_registers(registers, position) };
    set_runs(&mut seen, DOMAIN.runs);
    seen
}

/// What an on-chip copy shader's translation depends on.
fn copy_registers(registers: &View, position: u32) -> io::Registers {
    let mut seen = vertex_registers(registers, position);
    set_runs(&mut seen, COPY_ON_CHIP.runs);
    seen
}

/// What a local program's translation depends on.
pub(super) fn local_registers(registers: &View) -> io::Registers {
    let common = common(&LOCAL, registers);
    let mut seen = io::Registers { step_rates: step_rates(&common, registers), ..common };
    seen.vgt[vgt::LS_HS] = registers.get(reg::VGT_LS_HS_CONFIG);
    seen
}

/// What a hull program's translation depends on.
pub(super) fn hull_registers(registers: &View) -> io::Registers {
    let mut seen = common(&HULL, registers);
    seen.vgt[vgt::LS_HS] = registers.get(reg::VGT_LS_HS_CONFIG);
    seen
}

/// What a pixel shader's translation depends on.
pub(super) fn pixel_registers(registers: &View) -> io::Registers {
    let mut seen = io::Registers {
        ps_input_ena: registers.get(reg::SPI_PS_INPUT_ENA),
        ps_input_addr: registers.get(reg::SPI_PS_INPUT_ADDR),
        ps_in_control: registers.get(reg::SPI_PS_IN_CONTROL),
        baryc_cntl: registers.get(reg::SPI_BARYC_CNTL),
        z_format: registers.get(reg::SPI_SHADER_Z_FORMAT),
        col_format: registers.get(reg::SPI_SHADER_COL_FORMAT),
        db_shader_control: registers.get(reg::DB_SHADER_CONTROL),
        ..common(&PIXEL, registers)
    };
    let inputs = registers.field(reg::SPI_PS_IN_CONTROL::NUM_INTERP).min(32);
    for n in 0..inputs {
        seen.ps_input_cntl[n as usize] = registers.get_nth(reg::SPI_PS_INPUT_CNTL_0, n, 4);
    }
    for n in 0..8 {
        if targets::write_mask(registers, n) != 0
            && let Ok(Some(format)) = targets::color_format(registers, n)
        {
            seen.targets |= (format.kind as u32) << (4 * n);
        }
    }
    seen
}

/// What a compute shader's translation depends on.
pub(super) fn compute_registers(registers: &View) -> io::Registers {
    let threads = [reg::COMPUTE_NUM_THREAD_X, reg::COMPUTE_NUM_THREAD_Y, reg::COMPUTE_NUM_THREAD_Z];
    let num_thread = threads.map(|register| (registers.get(register) & 0xFFFF).max(1));
    io::Registers { num_thread, ..common(&COMPUTE, registers) }
}
