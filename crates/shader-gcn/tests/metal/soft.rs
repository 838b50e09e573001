//! Shaders on the software Metal: compiled, and kernels that read no texels run, too.

use afterimage_gcn_corpus::{Header, World};
use afterimage_ir::{Component, Dim, Flags, Imm, Module, Op, OutputAt, Stage};
use afterimage_metal_calls::{
    BufferDescriptor, Device, Error, Family, FunctionDescriptor, Queue, Stage as Function, StorageMode,
};
use afterimage_metal_soft::{SoftBuffer, SoftDevice};
use afterimage_msl::Artifact;

use crate::WAVE;
use crate::rig::compare::compare;
use crate::rig::interpret::{interpret, within};
use crate::rig::translate::Translated;

/// What the software Metal says of what it lacks and Metal has: levels that lookups would take, and more than one viewport.
const LACKS: [&str; 2] = ["no member named 'calculate_clamped_lod'", "there is one viewport"];

/// Whether the judge has not all that a module asks for.
pub fn is_for(m: &Module) -> bool {
    let texture = |t: &afterimage_ir::TextureDecl| {
        !matches!(t.dim, Dim::D2 | Dim::Cube | Dim::D3) || t.component != Component::Float
    };
    let output = |o: &afterimage_ir::OutputDecl| matches!(o.at, OutputAt::Layer | OutputAt::ViewportIndex);
    let mut asks = false;
    m.for_each_inst(|_, data| {
        asks |= data.op.has(Flags::WAVE);
        asks |= matches!(data.op, Op::LaneIndex | Op::WaveSize | Op::Fetch | Op::TextureSize | Op::TextureLevels);
        asks |= matches!(data.op, Op::QueryLod);
        asks |= matches!(data.imm, Imm::Gather(..)) || data.imm.image().is_some();
        asks |= matches!(data.imm, Imm::Texture(_, offset) if !offset.is_zero());
    });
    asks || m.textures.iter().any(texture) || m.outputs.iter().any(output)
}

/// The device, and what it did.
pub struct Soft {
    device: SoftDevice,
    /// Shaders that it compiled, and ran.
    pub compiled: usize,
    pub ran: usize,
}

impl Soft {
    pub fn new() -> Self {
        Self { device: SoftDevice::new(Family::Apple9), compiled: 0, ran: 0 }
    }

    fn buffer(&self, words: &[u32]) -> Result<SoftBuffer, Error> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let length = bytes.len().max(16) as u64;
        let storage = StorageMode::Shared;
        let buffer = self.device.new_buffer(&BufferDescriptor { length, storage, label: "memory".to_owned() })?;
        self.device.write(&buffer, 0, &bytes)?;
        Ok(buffer)
    }

    /// Compiles a shader, and runs a kernel without texels: it must leave in memory what the interpreter leaves there.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(
        &mut self,
        header: &Header,
        world: &World,
        translated: &Translated,
        module: &Module,
        artifact: &Artifact,
    ) -> Result<(), String> {
        let say = |error: Error| error.to_string();
        let function = FunctionDescriptor { source: &artifact.source, name: "main0", constants: &[], label: "shader" };
        let function = match self.device.new_function(&function) {
            Err(Error::Source { text, .. }) if LACKS.iter().any(|lacks| text.contains(lacks)) => return Ok(()),
            made => made.map_err(say)?,
        };
        self.compiled += 1;
        let reflection = &artifact.reflection;
        if module.stage != Stage::Compute || !reflection.textures.is_empty() || !reflection.images.is_empty() {
            return Ok(());
        }
        self.ran += 1;
        let wanted = interpret(translated, module, WAVE, world, header.groups)?;
        let memory: Result<Vec<SoftBuffer>, Error> =
            world.places.iter().map(|place| self.buffer(&place.words)).collect();
        let memory = memory.map_err(say)?;
        let constants = translated.constants(&reflection.segments, &|bound| {
            within(&world.places, bound)
                .map_or((0, 0), |(place, offset, bytes)| (self.device.gpu_address(&memory[place]) + offset, bytes))
        });
        let constants = self.buffer(constants.as_flattened()).map_err(say)?;
        let pipeline = self.device.new_compute_pipeline(&function, "kernel").map_err(say)?;
        let mut queue = self.device.new_queue("queue").map_err(say)?;
        queue.begin_compute("kernel");
        queue.set_compute_pipeline(&pipeline);
        if reflection.const_registers() > 0 {
            queue.set_buffer(Function::Kernel, 0, &constants, 0);
        }
        memory.iter().for_each(|buffer| queue.use_buffer(Function::Kernel, buffer, true));
        queue.dispatch(header.groups, module.group);
        queue.end_encoding();
        queue.commit();
        if let Some(fault) = queue.faults().first() {
            return Err(fault.to_string());
        }
        let read = |(place, buffer): (&afterimage_gcn_corpus::Place, &SoftBuffer)| {
            let mut bytes = vec![0; place.words.len() * 4];
            self.device.read(buffer, 0, &mut bytes).map_err(say)?;
            Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
        };
        let resources = world.places.iter().zip(&memory).filter(|(place, _)| place.resource.is_some());
        let left: Result<Vec<Vec<u32>>, String> = resources.map(read).collect();
        compare(header, &left?, &wanted)
    }
}
