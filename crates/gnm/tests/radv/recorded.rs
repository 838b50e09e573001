//! A program of a corpus as a recording: its code, tables and contents in ranges of exact size at changing places in pages, and its packets.

use crate::memory::{in_memory, of_memory};
use crate::stages::{self, Commands as _, Setup};
use afterimage_gcn_corpus::reflect::reflect;
use afterimage_gcn_corpus::{Compiled, Format, Program, Shader, Shift, Stage, World};
use afterimage_gnm::driver::{Call, calls};
use afterimage_gnm::gcap::{Dump, Record, Submission, Writer};
use afterimage_gnm_types::packets::Header;
use afterimage_gnm_types::{Opcode, op, reg, value::*};

/// Where the commands are.
const COMMANDS: u64 = 0x8_0000_0000;
/// Where indices are.
const INDICES: u64 = 0x7_0000_0000;
/// From the code of one stage to the next.
const CODE_STEP: u64 = 0x2_0000;
/// Where colour targets and the depth buffer are, from one to the next, and their side.
const TARGETS: u64 = 0x30_0000_0000;
const TARGET_STEP: u64 = 0x10_0000;
const SIDE: u32 = 64;
/// That of the depth buffer, whose tiles are of 128 lines and columns.
const DEPTH_SIDE: u32 = 2 * SIDE;
/// The rings of a world: where they begin, and bytes of each.
const FIRST_RING: u64 = 0x20_0000_0000;
const RING: u32 = 0x10_0000;
/// Bytes off chip of a thread group, `OFFCHIP_GRANULARITY` 2.
const OFF_CHIP: u32 = 8 << 10;
/// Scratch memory that is mapped.
const SCRATCH: u64 = 1 << 20;

/// A recording.
pub(crate) struct Recorded {
    pub(crate) records: Vec<Record>,
    /// The resource of each dump; those of targets come behind them.
    pub(crate) dumps: Vec<usize>,
}

impl Recorded {
    /// The bytes of a file of it.
    ///
    /// # Errors
    /// In words, what no file can hold.
    pub(crate) fn file(&self) -> Result<Vec<u8>, String> {
        let mut writer = Writer::new(Vec::new()).map_err(|why| why.to_string())?;
        self.records.iter().try_for_each(|record| writer.record(record)).map_err(|why| why.to_string())?;
        writer.finish().map_err(|why| why.to_string())
    }

    /// What the resources hold that were dumped when it was played.
    pub(crate) fn left(&self, header: &afterimage_gcn_corpus::Header, dumps: &[Vec<u8>]) -> Vec<Vec<u32>> {
        let of = |(at, resource)| {
            let dump = self.dumps.iter().position(|dumped| *dumped == at);
            dump.and_then(|dump| dumps.get(dump)).map_or_else(Vec::new, |bytes| of_memory(resource, bytes))
        };
        header.resources.iter().enumerate().map(of).collect()
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A command buffer of a job.
struct Commands<'a> {
    job: &'a Job<'a>,
    words: Vec<u32>,
}

impl Commands<'_> {
    fn packet(&mut self, opcode: Opcode, body: &[u32]) {
        self.words.push(Header::packet(opcode, body.len() as u32));
        self.words.extend(body);
    }
}

impl stages::Commands for Commands<'_> {
    fn call<C: Call>(&mut self, call: &C) -> Result<(), String> {
        let start = self.words.len();
        self.words.resize(start + C::WORDS, 0);
        call.write(&mut self.words[start..]).map_err(|why| format!("{}: {why}", C::NAME))
    }

    fn set(&mut self, register: u32, values: &[u32]) {
        let Some((opcode, first)) = stages::register_packet(register) else { return };
        self.packet(opcode, &[&[first], values].concat());
    }

    fn put(&mut self, shader: &Shader) -> [u32; 4] {
        let job = self.job;
        let n = job.compiled.shaders.iter().position(|other| std::ptr::eq(other, shader)).unwrap_or(0);
        let address = job.world.code() + n as u64 * CODE_STEP;
        [(address >> 8) as u32, (address >> 40) as u32, shader.register("rsrc1"), shader.register("rsrc2")]
    }

    fn user(&self, shader: &Shader) -> Result<[u32; 16], String> {
        self.job.world.user(shader).map_err(|name| format!("there is no user data `{name}`"))
    }
}

/// A program as one compiler made it, as a recording. What varies from one to the next goes by `number`.
///
/// # Errors
/// In words, what it needs that there is not.
pub(crate) fn records(program: &Program, compiled: &Compiled, number: u64, seed: u32) -> Result<Recorded, String> {
    let header = &program.header;
    // Tables and commands are words, and 64-bit numbers are among resources.
    let (tables, resources) = (4 * (number * 37 % 1024), 8 * (number * 91 % 512));
    let shift = Shift { tables, resources, code: 256 * (number % 16) };
    let world = World::shifted(&program.name, header, seed, shift);
    let (mut records, mut dumps, mut asked) = (Vec::new(), Vec::new(), Vec::new());
    for place in &world.places {
        let Some(at) = place.resource else {
            records.push(Record::Memory { address: place.address, bytes: bytes(&place.words) });
            continue;
        };
        let bytes = in_memory(&header.resources[at], &place.words);
        let (address, size) = (place.address, bytes.len() as u64);
        asked.push(Record::Dump(Dump { address, size, name: format!("{}.{at}", program.name) }));
        dumps.push(at);
        records.push(Record::Memory { address, bytes });
    }
    for (n, shader) in (0..).zip(&compiled.shaders) {
        records.push(Record::Memory { address: world.code() + n * CODE_STEP, bytes: bytes(&shader.words()) });
    }
    if compiled.shaders.iter().any(|shader| shader.scratch > 0) {
        records.push(Record::Map { address: world.scratch, size: SCRATCH });
    }
    let job = Job { program, compiled, world: &world, indices: INDICES + 2 * (number * 71 % 2048) };
    let mut commands = Commands { job: &job, words: Vec::new() };
    let mut queue = 0;
    if program.is_compute() {
        // On the graphics ring and on those of compute.
        queue = (number % 57) as u32;
        job.dispatch(&mut commands)?;
    } else {
        for n in 0..4 {
            records.push(Record::Map { address: FIRST_RING + u64::from(RING) * n, size: RING.into() });
        }
        for n in 0..9 {
            records.push(Record::Map { address: TARGETS + TARGET_STEP * n, size: u64::from(SIDE * SIDE * 16) });
        }
        let bytes = job.draw(&mut commands)?;
        records.push(Record::Memory { address: job.indices, bytes });
        let targets = (0..).zip(&header.targets).map(|(n, target)| (n, SIDE * SIDE * target.bytes));
        let depth = header.depth.then_some((8, DEPTH_SIDE * DEPTH_SIDE * 4));
        asked.extend(targets.chain(depth).map(|(n, size): (u64, u32)| {
            let name = format!("{}.target{n}", program.name);
            Record::Dump(Dump { address: TARGETS + TARGET_STEP * n, size: size.into(), name })
        }));
    }
    let at = COMMANDS + 4 * (number * 53 % 1024);
    let draw = (at, 4 * commands.words.len() as u64);
    records.push(Record::Memory { address: at, bytes: bytes(&commands.words) });
    records.push(Record::Submit(Submission { queue, draw, constant: (0, 0) }));
    records.extend(asked);
    Ok(Recorded { records, dumps })
}

struct Job<'a> {
    program: &'a Program,
    compiled: &'a Compiled,
    world: &'a World,
    /// Where its indices are.
    indices: u64,
}

impl Job<'_> {
    /// The execution modes of stages, as SPIR-V numbers them.
    fn modes(&self, stages: &[Stage]) -> Result<Vec<u32>, String> {
        let mut modes = Vec::new();
        for stage in stages.iter().filter(|stage| self.program.stages.contains(stage)) {
            let words = self.program.spirv(*stage).map_err(|why| why.to_string())?;
            modes.extend(reflect(&words)?.modes.into_iter().map(|(mode, _)| mode));
        }
        Ok(modes)
    }

    fn dispatch(&self, out: &mut Commands<'_>) -> Result<(), String> {
        stages::compute(out, self.compiled)?;
        let scratch = stages::stage(self.compiled, "cs").map_or(0, |shader| shader.scratch);
        out.set(reg::COMPUTE_TMPRING_SIZE, &[(scratch / 1024) << 12]);
        let [x, y, z] = self.program.header.groups;
        out.packet(op::DISPATCH_DIRECT, &[x, y, z, 1]);
        Ok(())
    }

    /// Draws; gives what the index buffer holds.
    fn draw(&self, out: &mut Commands<'_>) -> Result<Vec<u8>, String> {
        out.call(&calls::DrawInitDefaultHardwareState {})?;
        self.screen(out);
        let scratch = self.compiled.shaders.iter().map(|shader| shader.scratch).max().unwrap_or(0);
        out.set(reg::SPI_TMPRING_SIZE, &[(scratch / 1024) << 12]);
        stages::bind(out, self.program, self.compiled, &self.setup()?)?;
        let header = &self.program.header;
        let geometry = self.modes(&[Stage::Geom])?;
        /// What a geometry shader takes, by SPIR-V's execution modes; the primitive, and the vertices of one.
        const TAKES: [(u32, u32, u32); 4] = [
            (19, DI_PT_POINTLIST, 1),
            (20, DI_PT_LINELIST, 2),
            (21, DI_PT_LINELIST_ADJ, 4),
            (23, DI_PT_TRILIST_ADJ, 6),
        ];
        let takes = TAKES.iter().find(|row| geometry.contains(&row.0)).map_or((DI_PT_TRILIST, 3), |row| (row.1, row.2));
        let (kind, corners) = if header.patch != 0 { (DI_PT_PATCH, header.patch) } else { takes };
        let corners = corners.max(header.draw[0]);
        out.set(reg::VGT_PRIMITIVE_TYPE, &[kind]);
        out.call(&calls::DrawIndexAuto { index_count: corners, flags: 0 })?;
        // And the other way round, for those that look only at one side.
        let index_address = [self.indices as u32, (self.indices >> 32) as u32];
        out.packet(op::INDEX_TYPE, &[0]);
        out.call(&calls::DrawIndex { index_count: corners, index_address, flags: 0, kind: 0 })?;
        Ok((0..corners as u16).rev().flat_map(u16::to_le_bytes).collect())
    }

    /// Viewport, scissors and targets.
    fn screen(&self, out: &mut Commands<'_>) {
        let half = SIDE as f32 / 2.0;
        let view = [half, half, -half, half, 1.0, 0.0].map(f32::to_bits);
        out.set(reg::PA_CL_VPORT_XSCALE, &view);
        let corner = SIDE << 16 | SIDE;
        out.set(reg::PA_SC_SCREEN_SCISSOR_TL, &[0, corner]);
        out.set(reg::PA_SC_WINDOW_SCISSOR_TL, &[1 << 31, corner]);
        out.set(reg::PA_SC_GENERIC_SCISSOR_TL, &[1 << 31, corner]);
        out.set(reg::PA_CL_CLIP_CNTL, &[reg::PA_CL_CLIP_CNTL::DX_CLIP_SPACE_DEF.bits(1)]);
        let header = &self.program.header;
        let mut mask = 0;
        for (n, format) in (0..8).zip(&header.targets) {
            use reg::CB_COLOR0_INFO as I;
            let &Format { data, channel, .. } = format;
            let base = ((TARGETS + TARGET_STEP * u64::from(n)) >> 8) as u32;
            let info = I::FORMAT.bits(data) | I::NUMBER_TYPE.bits(channel as u32);
            let values = [base, SIDE / 8 - 1, SIDE * SIDE / 64 - 1, 0, info, 8];
            out.set(reg::CB_COLOR0_BASE + 0x3C * n, &values);
            mask |= 15 << (4 * n);
        }
        if header.depth {
            use reg::DB_DEPTH_CONTROL as D;
            use reg::DB_Z_INFO as Z;
            let base = ((TARGETS + TARGET_STEP * 8) >> 8) as u32;
            out.set(reg::DB_Z_INFO, &[Z::FORMAT.bits(Z_32_FLOAT) | Z::TILE_MODE_INDEX.bits(2)]);
            out.set(reg::DB_Z_READ_BASE, &[base, 0, base, 0]);
            let last = DEPTH_SIDE / 8 - 1;
            out.set(reg::DB_DEPTH_SIZE, &[last | last << 11, DEPTH_SIDE * DEPTH_SIDE / 64 - 1]);
            let tested = D::Z_ENABLE.bits(1) | D::Z_WRITE_ENABLE.bits(1) | D::ZFUNC.bits(FRAG_LEQUAL);
            out.set(reg::DB_DEPTH_CONTROL, &[tested]);
        }
        out.set(reg::CB_TARGET_MASK, &[mask]);
        out.set(reg::CB_SHADER_MASK, &[mask]);
    }

    /// What the execution modes say: the tessellator's, and what geometry shaders make.
    fn setup(&self) -> Result<Setup, String> {
        use reg::VGT_TF_PARAM as P;
        let modes = self.modes(&[Stage::Tesc, Stage::Tese])?;
        let has = |mode: u32| modes.contains(&mode);
        // Quads, isolines; points, then triangles one way round or the other. Steps are whole ones.
        let kind = if has(24) { 2 } else { u32::from(!has(25)) };
        let topology = match () {
            () if has(10) => 0,
            () if has(25) => 1,
            () => 2 + u32::from(has(5)),
        };
        // Points, lines, or triangles.
        let modes = self.modes(&[Stage::Geom])?;
        Ok(Setup {
            tessellator: P::TYPE.bits(kind) | P::TOPOLOGY.bits(topology),
            strips: if modes.contains(&27) { 0 } else { 2 - u32::from(modes.contains(&28)) },
            factors: FIRST_RING + 2 * u64::from(RING),
            factor_bytes: RING,
            off_chip: RING / OFF_CHIP,
        })
    }
}
