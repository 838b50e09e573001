//! Pipelines of the corpus with all their stages, as RADV compiled them: shaders, rings, and what user SGPRs point to.

use crate::rig::{Scene, records};
use crate::stages::{self, Commands};
use afterimage_gcn_corpus::{Compiled, Compiler, Kind, Program, Shader, programs};
use afterimage_gnm::driver::Call;
use afterimage_gnm_types::descriptors::buffer;
use afterimage_gnm_types::{BufferDescriptor, reg, value::*};
use std::sync::OnceLock;

/// Bytes of a ring, which are fewer than some draws write: the hardware uses them again and again.
pub(crate) const RING: u32 = 4 << 10;
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

/// A scene that stages are set in, and what their user SGPRs hold.
pub(crate) struct Stages<'a> {
    pub(crate) scene: &'a mut Scene,
    pub(crate) user: &'a dyn Fn(&Shader) -> [u32; 16],
}

impl Commands for Stages<'_> {
    fn call<C: Call>(&mut self, call: &C) -> Result<(), String> {
        self.scene.call(call);
        Ok(())
    }

    fn set(&mut self, register: u32, values: &[u32]) {
        self.scene.set(register, values);
    }

    fn put(&mut self, shader: &Shader) -> [u32; 4] {
        let address = self.scene.texels(&shader.words());
        [(address >> 8) as u32, (address >> 40) as u32, shader.register("rsrc1"), shader.register("rsrc2")]
    }

    fn user(&self, shader: &Shader) -> Result<[u32; 16], String> {
        Ok((self.user)(shader))
    }
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
        let [first, second] = [(); 2].map(|()| scene.room(RING.into()));
        let factors = scene.alloc(FACTORS.into(), 256);
        let off_chip = scene.room((OFF_CHIP * OFF_CHIP_BYTES).into());
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
        let setup = stages::Setup {
            tessellator: setup.tessellator,
            strips: setup.strips,
            factors,
            factor_bytes: FACTORS,
            off_chip: OFF_CHIP,
        };
        let mut out = Stages { scene, user: &|shader| tables.user(shader) };
        stages::bind(&mut out, self.program, &self.compiled, &setup).unwrap_or_else(|error| panic!("{error}"));
        Rings { exported: rings[1], copied: rings[3] }
    }
}
