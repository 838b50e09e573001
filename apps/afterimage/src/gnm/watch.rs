//! Looks on at what a recording draws: a line for each draw, the code of each program, and the descriptors that it reads.

use afterimage_gnm::machine::{self, Graphics, Indices, Queue, Registers};
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm_types::decode;
use afterimage_gnm_types::descriptors::{buffer, image, sampler};
use afterimage_gnm_types::{BufferDescriptor, ImageDescriptor, enums, reg};
use afterimage_shader_gcn::binary::Binary;
use afterimage_shader_gcn::fetch::{Descriptor, FetchShader};
use afterimage_shader_gcn::io::{BufferAt, HwStage, Resources, Scalars, Source, vgt};
use afterimage_shader_gcn::{Program, code_length, resources, slots};
use std::collections::HashSet;

/// Lines about what was drawn.
#[derive(Default)]
pub(super) struct Watch {
    /// Since somebody took them.
    pub(super) lines: Vec<String>,
    /// Whether programs and descriptors are shown too.
    shaders: bool,
    pub(super) draws: u64,
    pub(super) dispatches: u64,
    seen: HashSet<(HwStage, u64)>,
}

/// A hardware stage with its registers.
struct Stage {
    stage: HwStage,
    program: u32,
    rsrc2: u32,
    user_data: u32,
}

macro_rules! stage {
    ($stage:ident $program:ident $rsrc2:ident $user_data:ident) => {
        Stage { stage: HwStage::$stage, program: reg::$program, rsrc2: reg::$rsrc2, user_data: reg::$user_data }
    };
}

const VERTEX: Stage = stage!(Vs SPI_SHADER_PGM_LO_VS SPI_SHADER_PGM_RSRC2_VS SPI_SHADER_USER_DATA_VS_0);
const PIXEL: Stage = stage!(Ps SPI_SHADER_PGM_LO_PS SPI_SHADER_PGM_RSRC2_PS SPI_SHADER_USER_DATA_PS_0);
const COMPUTE: Stage = stage!(Cs COMPUTE_PGM_LO COMPUTE_PGM_RSRC2 COMPUTE_USER_DATA_0);
const LOCAL: Stage = stage!(Ls SPI_SHADER_PGM_LO_LS SPI_SHADER_PGM_RSRC2_LS SPI_SHADER_USER_DATA_LS_0);
const HULL: Stage = stage!(Hs SPI_SHADER_PGM_LO_HS SPI_SHADER_PGM_RSRC2_HS SPI_SHADER_USER_DATA_HS_0);
const EXPORT: Stage = stage!(Es SPI_SHADER_PGM_LO_ES SPI_SHADER_PGM_RSRC2_ES SPI_SHADER_USER_DATA_ES_0);
const GEOMETRY: Stage = stage!(Gs SPI_SHADER_PGM_LO_GS SPI_SHADER_PGM_RSRC2_GS SPI_SHADER_USER_DATA_GS_0);

/// The stages that a draw has, in the order of its data.
fn stages(registers: &Registers) -> Vec<&'static Stage> {
    use reg::VGT_SHADER_STAGES_EN as S;
    let enabled = registers.get(reg::VGT_SHADER_STAGES_EN);
    let mut stages = Vec::new();
    for (field, stage) in [(S::LS_EN, &LOCAL), (S::HS_EN, &HULL), (S::ES_EN, &EXPORT), (S::GS_EN, &GEOMETRY)] {
        if field.is_set(enabled) {
            stages.push(stage);
        }
    }
    stages.extend([&VERTEX, &PIXEL]);
    stages
}

/// A V# in words, then its fields.
fn buffer_text(words: [u32; 4]) -> String {
    let descriptor = BufferDescriptor(words);
    let (address, records, stride) = (descriptor.address(), descriptor.num_records(), descriptor.stride());
    let size = if stride == 0 { format!("{records} bytes") } else { format!("{records} records of {stride} bytes") };
    format!("{size} at {address:#x}; {}", decode::descriptor(buffer::FIELDS, &words))
}

/// A T# in words, then its fields.
fn image_text(words: [u32; 8]) -> String {
    let descriptor = ImageDescriptor(words);
    let name = |names: &enums::Names, value: u32| names.of(value).map_or_else(|| value.to_string(), Into::into);
    let kind = name(&enums::IMG_TYPE, descriptor.kind());
    let format = name(&enums::IMG_DATA_FORMAT, descriptor.data_format());
    let numbers = name(&enums::IMG_NUM_FORMAT, descriptor.num_format());
    let (width, height, address) = (descriptor.width(), descriptor.height(), descriptor.address());
    let fields = decode::descriptor(image::FIELDS, &words);
    format!("{kind} {width} x {height}, {format} {numbers}, at {address:#x}; {fields}")
}

/// What expressions are evaluated against.
struct World<'a> {
    program: u64,
    user: [u32; 16],
    memory: &'a dyn GuestMemory,
}

impl Scalars for World<'_> {
    fn user(&self, n: u8) -> u32 {
        self.user.get(usize::from(n)).copied().unwrap_or(0)
    }

    fn word(&self, address: u64) -> Option<u32> {
        self.memory.word(address)
    }

    fn program(&self) -> u64 {
        self.program
    }
}

/// The words of a program, by their number.
fn words(memory: &dyn GuestMemory, address: u64) -> impl Fn(usize) -> Option<u32> {
    move |n| memory.word(address.checked_add(4 * n as u64)?)
}

fn code(memory: &dyn GuestMemory, address: u64) -> Result<Vec<u32>, String> {
    let word = words(memory, address);
    let length = code_length(&word).map_err(|error| error.to_string())?;
    Ok((0..length).map_while(word).collect())
}

impl Watch {
    /// Looks on, at programs and descriptors too if `shaders`.
    pub(super) fn new(shaders: bool) -> Self {
        Self { shaders, ..Self::default() }
    }

    /// Code, if it was not shown yet.
    fn program(&mut self, what: &str, stage: HwStage, address: u64, words: &[u32]) {
        if !self.seen.insert((stage, address)) {
            return;
        }
        self.lines.push(format!("    {what} at {address:#x}:"));
        match Program::parse(words, stage) {
            Ok(program) => self.lines.extend(program.to_string().lines().map(|line| format!("        {line}"))),
            Err(error) => self.lines.push(format!("        {error}")),
        }
    }

    /// What a fetch shader loads, and how it lies in memory.
    fn attributes(&mut self, name: &str, fetch: &[u32], world: &World<'_>) {
        let fetch = match FetchShader::parse(fetch) {
            Ok(fetch) => fetch,
            Err(error) => return self.lines.push(format!("    {name} attributes: {error}")),
        };
        for attribute in &fetch.attributes {
            let user = |n: u8| u64::from(world.user(n & 15));
            let word = |n: u8| match attribute.descriptor {
                Descriptor::Registers(first) => Some(world.user(first.wrapping_add(n) & 15)),
                Descriptor::Table { pointer, offset } => {
                    let table = user(pointer) | user(pointer.wrapping_add(1)) << 32;
                    world.word((table & ((1 << 48) - 1)) + 4 * (u64::from(offset) + u64::from(n)))
                }
            };
            let layout = match [0, 1, 2, 3].map(word) {
                [Some(a), Some(b), Some(c), Some(d)] => buffer_text([a, b, c, d]),
                _ => "a V# that is not mapped".into(),
            };
            self.lines.push(format!("    {name} attribute {attribute}: {layout}"));
        }
    }

    /// The program of a stage, with what it reads.
    fn stage(&mut self, stage: &Stage, registers: &Registers, memory: &dyn GuestMemory) {
        let address = registers.program(stage.program);
        if address == 0 || !self.shaders {
            return;
        }
        let name = stage.stage.name();
        let binary = Binary::find(words(memory, address)).ok();
        let words = match code(memory, address) {
            Ok(words) => words,
            Err(error) => return self.lines.push(format!("    {name} program at {address:#x}: {error}")),
        };
        let is_new = !self.seen.contains(&(stage.stage, address));
        if let Some(binary) = binary.as_ref().filter(|_| is_new) {
            let of = binary.stage().map_or("unknown", |stage| stage.name());
            self.lines.push(format!("    {name} footer: {of}, hash {:016x}", binary.hash));
            self.lines.extend(binary.slots.iter().map(|slot| format!("    {name} slot: {slot}")));
        }
        self.program(&format!("{name} program"), stage.stage, address, &words);
        let mut of = afterimage_shader_gcn::io::Registers { rsrc2: registers.get(stage.rsrc2), ..Default::default() };
        of.vgt[vgt::STAGES] = registers.get(reg::VGT_SHADER_STAGES_EN);
        let (buffers, images, tables) = (Vec::new(), Vec::new(), Vec::new());
        let mut source =
            Source { stage: stage.stage, code: words, fetch: Vec::new(), registers: of, buffers, images, tables };
        let user = std::array::from_fn(|n| registers.get_nth(stage.user_data, n as u32, 4));
        let world = World { program: address, user, memory };
        let mut found = resources(&source);
        if let (Some(binary), Ok(found), true) = (&binary, &found, is_new) {
            let differences = slots::differences(binary, found);
            self.lines.extend(differences.iter().map(|difference| format!("    {name} warning: {difference}")));
        }
        if let Ok(Resources { fetch: Some(fetch), .. }) = &found {
            // What the fetch shader reads is the program's.
            let address = found.as_ref().map_or(0, |found| found.evaluate(&world).address(*fetch));
            match code(memory, address) {
                Ok(words) => source.fetch = words,
                Err(error) => self.lines.push(format!("    {name} fetch shader at {address:#x}: {error}")),
            }
            if !source.fetch.is_empty() {
                self.program(&format!("{name} fetch shader"), stage.stage, address, &source.fetch);
                self.attributes(name, &source.fetch, &world);
                found = resources(&source);
            }
        }
        let found = match found {
            Ok(found) => found,
            Err(error) => return self.lines.push(format!("    {name} resources: {error}")),
        };
        let values = found.evaluate(&world);
        for (n, used) in found.buffers.iter().enumerate() {
            let text = match used.at {
                BufferAt::Descriptor(ids) => buffer_text(values.all(ids)),
                BufferAt::Pointer(ids) => format!("pointer {:#x}", values.address(ids)),
                BufferAt::SharedMemory => "the data share of tessellation".into(),
                BufferAt::Tessellator => "what the tessellator gives".into(),
                BufferAt::GlobalShare => "the global data share".into(),
                BufferAt::Window(n) => format!("window {n} of what is mapped"),
            };
            let written = if used.written { ", written" } else { "" };
            self.lines.push(format!("    {name} buffer {n}{written}: {text}"));
        }
        for (n, used) in found.images.iter().enumerate() {
            let written = if used.written { ", written" } else { "" };
            self.lines.push(format!("    {name} image {n}{written}: {}", image_text(values.all(used.descriptor))));
        }
        for (n, used) in found.samplers.iter().enumerate() {
            let fields = decode::descriptor(sampler::FIELDS, &values.all(used.descriptor));
            self.lines.push(format!("    {name} sampler {n}: {fields}"));
        }
    }
}

impl Graphics for Watch {
    fn draw(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory, draw: &machine::Draw) {
        self.draws += 1;
        let kind = registers.field(reg::VGT_PRIMITIVE_TYPE::PRIM_TYPE);
        let kind = enums::DI_PRIM_TYPE.of(kind).map_or_else(|| kind.to_string(), str::to_lowercase);
        let vertices = match draw.indices {
            Indices::Auto => format!("{} vertices", draw.count),
            Indices::Memory { address, kind, .. } => {
                format!("{} indices of {} bits at {address:#x}", draw.count, kind.bytes() * 8)
            }
        };
        let stages = stages(registers);
        let programs = stages.iter().map(|stage| (stage.stage.name(), registers.program(stage.program)));
        let programs: Vec<String> = programs.map(|(name, address)| format!("{name} {address:#x}")).collect();
        let (number, instances, programs) = (self.draws - 1, draw.instances, programs.join(", "));
        let mut line = format!("draw {number}: {kind}, {vertices}, {instances} instances; {programs}");
        for n in 0..8 {
            let info = registers.get_nth(reg::CB_COLOR0_INFO, n, 0x3C);
            let format = reg::CB_COLOR0_INFO::FORMAT.of(info);
            if format != 0 && registers.get(reg::CB_TARGET_MASK) >> (4 * n) & 15 != 0 {
                let base = u64::from(registers.get_nth(reg::CB_COLOR0_BASE, n, 0x3C)) << 8;
                let format = enums::COLOR_FORMAT.of(format).unwrap_or("?");
                line.push_str(&format!("; CB{n} {format} at {base:#x}"));
            }
        }
        if registers.field(reg::DB_Z_INFO::FORMAT) != 0 {
            line.push_str(&format!("; DB at {:#x}", u64::from(registers.get(reg::DB_Z_READ_BASE)) << 8));
        }
        self.lines.push(line);
        stages.into_iter().for_each(|stage| self.stage(stage, registers, memory));
    }

    fn dispatch(
        &mut self,
        queue: Queue,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        dispatch: &machine::Dispatch,
    ) {
        self.dispatches += 1;
        let machine::Dispatch { first, groups: [x, y, z], last, .. } = *dispatch;
        let threads = [reg::COMPUTE_NUM_THREAD_X, reg::COMPUTE_NUM_THREAD_Y, reg::COMPUTE_NUM_THREAD_Z];
        let [tx, ty, tz] = threads.map(|register| registers.get(register) & 0xFFFF);
        let address = registers.program(COMPUTE.program);
        let number = self.dispatches - 1;
        let mut line = format!("dispatch {number}: {x} x {y} x {z} groups of {tx} x {ty} x {tz}");
        if first != [0; 3] {
            line.push_str(&format!(" from {first:?} on"));
        }
        if let Some(last) = last {
            line.push_str(&format!(", the last of {last:?}"));
        }
        line.push_str(&format!(" on the {}; cs {address:#x}", queue));
        self.lines.push(line);
        self.stage(&COMPUTE, registers, memory);
    }

    // Nothing is drawn, so memory is as it is.
    fn before_cpu_reads(&mut self, _: &mut dyn GuestMemory, _: u64, _: u64) {}

    fn cpu_wrote(&mut self, _: u64, _: u64) {}

    fn passed_samples(&mut self) -> u64 {
        0
    }

    fn stream_out_offset(&mut self, _: u32) -> u32 {
        0
    }

    fn set_stream_out_offset(&mut self, _: u32, _: u32) {}

    fn flip(&mut self, _: &mut dyn GuestMemory, flip: &machine::Flip) {
        self.lines.push(format!("flip to buffer {} of video output {:#x}", flip.buffer, flip.handle));
    }

    fn submit(&mut self) {}
}
