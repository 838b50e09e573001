//! Looks on at what a recording draws: a line for each draw, the code of each program, and the descriptors that it reads.

use afterimage_gnm::machine::{self, Graphics, Indices, Queue, Registers};
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm_types::decode::descriptor;
use afterimage_gnm_types::descriptors::{buffer, image, sampler};
use afterimage_gnm_types::{enums, reg};
use afterimage_shader_gcn::io::{BufferAt, HwStage, Scalars, Source};
use afterimage_shader_gcn::{Program, code_length, resources};
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

const VERTEX: Stage = Stage {
    stage: HwStage::Vs,
    program: reg::SPI_SHADER_PGM_LO_VS,
    rsrc2: reg::SPI_SHADER_PGM_RSRC2_VS,
    user_data: reg::SPI_SHADER_USER_DATA_VS_0,
};
const PIXEL: Stage = Stage {
    stage: HwStage::Ps,
    program: reg::SPI_SHADER_PGM_LO_PS,
    rsrc2: reg::SPI_SHADER_PGM_RSRC2_PS,
    user_data: reg::SPI_SHADER_USER_DATA_PS_0,
};
const COMPUTE: Stage = Stage {
    stage: HwStage::Cs,
    program: reg::COMPUTE_PGM_LO,
    rsrc2: reg::COMPUTE_PGM_RSRC2,
    user_data: reg::COMPUTE_USER_DATA_0,
};

/// What expressions are evaluated against.
struct World<'a> {
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
}

fn code(memory: &dyn GuestMemory, address: u64) -> Result<Vec<u32>, String> {
    let word = |n: usize| memory.word(address.checked_add(4 * n as u64)?);
    let length = code_length(word).map_err(|error| error.to_string())?;
    Ok((0..length).map_while(word).collect())
}

impl Watch {
    /// Looks on, at programs and descriptors too if `shaders`.
    pub(super) fn new(shaders: bool) -> Self {
        Self { shaders, ..Self::default() }
    }

    /// The program of a stage, with what it reads.
    fn stage(&mut self, stage: &Stage, registers: &Registers, memory: &dyn GuestMemory) {
        let address = registers.program(stage.program);
        if address == 0 || !self.shaders {
            return;
        }
        let name = stage.stage.name();
        let words = match code(memory, address) {
            Ok(words) => words,
            Err(error) => return self.lines.push(format!("    {name} program at {address:#x}: {error}")),
        };
        if self.seen.insert((stage.stage, address)) {
            self.lines.push(format!("    {name} program at {address:#x}:"));
            match Program::parse(&words, stage.stage) {
                Ok(program) => self.lines.extend(program.to_string().lines().map(|line| format!("        {line}"))),
                Err(error) => self.lines.push(format!("        {error}")),
            }
        }
        let registers_of =
            afterimage_shader_gcn::io::Registers { rsrc2: registers.get(stage.rsrc2), ..Default::default() };
        let source = Source {
            stage: stage.stage,
            code: words,
            fetch: Vec::new(),
            registers: registers_of,
            buffers: Vec::new(),
            images: Vec::new(),
        };
        let found = match resources(&source) {
            Ok(found) => found,
            Err(error) => return self.lines.push(format!("    {name} resources: {error}")),
        };
        let user = std::array::from_fn(|n| registers.get_nth(stage.user_data, n as u32, 4));
        let values = found.evaluate(&World { user, memory });
        if let Some(fetch) = found.fetch {
            self.lines.push(format!("    {name} fetch shader at {:#x}", values.address(fetch)));
        }
        for (n, used) in found.buffers.iter().enumerate() {
            let text = match used.at {
                BufferAt::Descriptor(ids) => descriptor(buffer::FIELDS, &values.all(ids)),
                BufferAt::Pointer(ids) => format!("pointer {:#x}", values.address(ids)),
                BufferAt::SharedMemory => "the data share of tessellation".into(),
                BufferAt::Tessellator => "what the tessellator gives".into(),
                BufferAt::GlobalShare => "the global data share".into(),
            };
            let written = if used.written { ", written" } else { "" };
            self.lines.push(format!("    {name} buffer {n}{written}: {text}"));
        }
        for (n, used) in found.images.iter().enumerate() {
            let written = if used.written { ", written" } else { "" };
            self.lines.push(format!(
                "    {name} image {n}{written}: {}",
                descriptor(image::FIELDS, &values.all(used.descriptor))
            ));
        }
        for (n, used) in found.samplers.iter().enumerate() {
            self.lines
                .push(format!("    {name} sampler {n}: {}", descriptor(sampler::FIELDS, &values.all(used.descriptor))));
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
        let (vs, ps) = (registers.program(VERTEX.program), registers.program(PIXEL.program));
        let mut line = format!("draw {kind}, {vertices}, {} instances; vs {vs:#x}, ps {ps:#x}", draw.instances);
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
        self.stage(&VERTEX, registers, memory);
        self.stage(&PIXEL, registers, memory);
    }

    fn dispatch(
        &mut self,
        queue: Queue,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        dispatch: &machine::Dispatch,
    ) {
        self.dispatches += 1;
        let [x, y, z] = dispatch.groups;
        let threads = [reg::COMPUTE_NUM_THREAD_X, reg::COMPUTE_NUM_THREAD_Y, reg::COMPUTE_NUM_THREAD_Z];
        let [tx, ty, tz] = threads.map(|register| registers.get(register) & 0xFFFF);
        let address = registers.program(COMPUTE.program);
        self.lines
            .push(format!("dispatch {x} x {y} x {z} groups of {tx} x {ty} x {tz} on the {queue}; cs {address:#x}"));
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
