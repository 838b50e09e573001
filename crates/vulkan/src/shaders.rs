//! Shaders: guest code to Vulkan modules, on worker threads.
//!
//! A *variant* is a shader compiled for the state around it. Variants are numbered and found by content, so the same
//! code under two ids is compiled once. Compilation starts when a shader is created, for the state of that moment; a
//! draw waits only where that guess was wrong or the workers are behind.

use crate::descriptors::Table;
use crate::error::{Checked, Result};
use crate::gpu::Gpu;
use crate::workers::Workers;
use afterimage_shader::{Compiler, RuntimeInfo, Segment, Shader, Stage};
use afterimage_stream::BANKS;
use afterimage_stream::ObjectId;
use ash::vk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};

/// A compiled variant: the module and what the renderer must supply.
pub(crate) struct Variant {
    gpu: Arc<Gpu>,
    pub(crate) module: vk::ShaderModule,
    /// Constant registers in the order of the stage's block, checked against the banks.
    pub(crate) segments: SmallVec<[Segment; 4]>,
    /// Bytes of the stage's block.
    pub(crate) constant_bytes: usize,
    /// Registers that the shader defines: offset in the block in bytes, and value.
    pub(crate) defs: Vec<(usize, [u32; 4])>,
    /// Whether the system block is read.
    pub(crate) system: bool,
    /// Bit per texture slot that is sampled.
    pub(crate) textures: u32,
    /// Two bits per slot: [`Table`] that is read.
    pub(crate) tables: u64,
    /// Vertex shaders: bit per input location.
    pub(crate) inputs: u32,
    /// Pixel shaders: bit per colour output.
    pub(crate) outputs: u32,
}

impl Variant {
    fn new(gpu: &Arc<Gpu>, artifact: &afterimage_shader::Artifact, name: &str) -> Result<Self> {
        let info = vk::ShaderModuleCreateInfo::default().code(&artifact.words);
        // SAFETY: the words come from our own back end, which writes valid modules.
        let module = unsafe { gpu.raw.create_shader_module(&info, None) }.checked("vkCreateShaderModule")?;
        gpu.name(module, name);
        let reflection = &artifact.reflection;
        let mut variant = Self {
            gpu: Arc::clone(gpu),
            module,
            segments: reflection.segments.iter().copied().filter(in_bank).collect(),
            constant_bytes: reflection.const_registers() as usize * 16,
            defs: Vec::new(),
            system: reflection.system,
            textures: 0,
            tables: 0,
            inputs: 0,
            outputs: 0,
        };
        if variant.segments.len() != reflection.segments.len() {
            // Registers outside of every bank would shift the ones behind them.
            return Err(crate::error::Error::Unsupported {
                device: "the renderer".to_owned(),
                what: format!("the constant segments {:?} of {name}", reflection.segments),
            });
        }
        variant.defs.extend(reflection.const_defs.iter().filter_map(|def| {
            let at = reflection.const_offset(def.bank, def.index)?;
            Some((at as usize * 16, def.bits))
        }));
        for texture in &reflection.textures {
            let slot = u32::from(texture.slot);
            if slot < afterimage_stream::TEXTURE_SLOTS as u32 {
                variant.textures |= 1 << slot;
                variant.tables |= (texture.dim as u64) << (2 * slot);
            }
        }
        for input in &reflection.inputs {
            if let afterimage_ir::InputAt::Location(location) = input.at {
                variant.inputs |= 1 << (location & 31);
            }
        }
        variant.outputs = reflection.location_mask() as u32;
        Ok(variant)
    }
}

// The shader's texture dimensions are the tables' numbers.
const _: () = assert!(
    afterimage_ir::Dim::D2 as u32 == Table::D2 as u32
        && afterimage_ir::Dim::Cube as u32 == Table::Cube as u32
        && afterimage_ir::Dim::D3 as u32 == Table::D3 as u32
);

fn in_bank(segment: &Segment) -> bool {
    let registers = BANKS.get(usize::from(segment.bank)).map_or(0, |bank| u32::from(bank.registers));
    segment.first.checked_add(segment.count).is_some_and(|end| end <= registers)
}

impl Drop for Variant {
    fn drop(&mut self) {
        // SAFETY: modules are only used while pipelines are made, by whoever holds the variant.
        unsafe { self.gpu.raw.destroy_shader_module(self.module, None) };
    }
}

/// A variant that a worker makes. `None` inside: it could not be made, and that has been logged.
type Pending = Arc<OnceLock<Option<Arc<Variant>>>>;

/// Fills the slot with "failed" if its job panics, so that no draw waits for it.
struct Fill(Pending);

impl Drop for Fill {
    fn drop(&mut self) {
        let _filled = self.0.set(None);
    }
}

/// A shader of the stream.
pub(crate) struct GuestShader {
    /// The guest's code, for captures.
    pub(crate) code: Arc<[u8]>,
    /// `None` where the code is no shader.
    pub(crate) shader: Option<Arc<Shader>>,
    id: ObjectId,
    /// The variant of the last look, which is nearly always that of the next.
    last: Option<(RuntimeInfo, u32)>,
}

/// Every variant.
pub(crate) struct Library {
    gpu: Arc<Gpu>,
    compiler: Arc<Compiler>,
    workers: Workers,
    numbers: FxHashMap<u128, u32>,
    variants: Vec<Pending>,
    /// Shaders that could not be compiled.
    pub(crate) failures: u64,
}

impl Library {
    pub(crate) fn new(gpu: &Arc<Gpu>, compiler: Compiler) -> Self {
        Self {
            gpu: Arc::clone(gpu),
            compiler: Arc::new(compiler),
            workers: Workers::new("shader"),
            numbers: FxHashMap::default(),
            variants: Vec::new(),
            failures: 0,
        }
    }

    /// Takes a shader's code and starts its compilation for `runtime`.
    pub(crate) fn create(&mut self, id: ObjectId, language: u32, code: Vec<u8>, runtime: &RuntimeInfo) -> GuestShader {
        let shader = Shader::from_stream(language, &code)
            .inspect_err(|error| {
                tracing::error!("{id} (language {language}, {} bytes): {error}; its draws are skipped", code.len());
                self.failures += 1;
            })
            .ok()
            .map(Arc::new);
        let mut guest = GuestShader { code: code.into(), shader, id, last: None };
        if let Some(shader) = &guest.shader {
            let mut runtime = *runtime;
            if shader.stage() == Stage::Pixel && runtime.link == Default::default() {
                runtime.link = shader.own_link();
            }
            self.number(&mut guest, &runtime);
        }
        guest
    }

    /// The number of a shader's variant for the state around it. `None` where the code is no shader.
    #[inline]
    pub(crate) fn number(&mut self, guest: &mut GuestShader, runtime: &RuntimeInfo) -> Option<u32> {
        match &guest.last {
            Some((last, number)) if last == runtime => Some(*number),
            _ => self.find(guest, runtime),
        }
    }

    fn find(&mut self, guest: &mut GuestShader, runtime: &RuntimeInfo) -> Option<u32> {
        let shader = guest.shader.as_ref()?;
        let key = shader.key(&self.compiler.profile, runtime).0;
        let number = match self.numbers.get(&key) {
            Some(&number) => number,
            None => {
                let number = self.variants.len() as u32;
                self.numbers.insert(key, number);
                let slot = Pending::default();
                self.variants.push(Arc::clone(&slot));
                let (gpu, compiler, shader) = (Arc::clone(&self.gpu), Arc::clone(&self.compiler), Arc::clone(shader));
                let (id, runtime) = (guest.id, *runtime);
                let slot = Fill(slot);
                self.workers.run(move || {
                    let variant = make(&gpu, &compiler, &shader, &runtime, id);
                    // The slot is set once, here.
                    let _first = slot.0.set(variant.map(Arc::new));
                });
                number
            }
        };
        guest.last = Some((*runtime, number));
        Some(number)
    }

    /// A variant; waits until it has been made. `None` where that failed.
    pub(crate) fn variant(&mut self, number: u32) -> Option<Arc<Variant>> {
        let slot = self.variants.get(number as usize)?;
        if slot.get().is_none() {
            self.workers.help_until(|| slot.get().is_some());
        }
        slot.get().cloned().flatten()
    }

    /// Variants made or begun so far.
    pub(crate) fn len(&self) -> usize {
        self.variants.len()
    }
}

fn make(gpu: &Arc<Gpu>, compiler: &Compiler, shader: &Shader, runtime: &RuntimeInfo, id: ObjectId) -> Option<Variant> {
    let artifact = compiler
        .compile(shader, runtime)
        .inspect_err(|error| tracing::error!("{id} cannot be compiled: {error}; its draws are skipped"))
        .ok()?;
    Variant::new(gpu, &artifact, &id.to_string())
        .inspect_err(|error| tracing::error!("{id}: {error}; its draws are skipped"))
        .ok()
}
