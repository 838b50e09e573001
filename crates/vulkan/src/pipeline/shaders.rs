//! Shaders: guest code to Vulkan modules, on worker threads.
//!
//! A *variant* is a shader compiled for the state around it. Variants are numbered and found by content, so the same
//! code under two ids is compiled once. Compilation starts when a shader is created, for the state of that moment and
//! for those that the last run knew; a draw waits only where these were wrong or the workers are behind.

use crate::device::gpu::Gpu;
use crate::error::{Checked, Error, Result};
use crate::pipeline::line_quads::Varying;
use crate::pipeline::spirv_words;
use crate::resources::descriptors::COMPARED;
use crate::resources::layouts::{Reach, Table};
use afterimage_abi::corners::{self, Corner};
use afterimage_ipc::{Doer, Journal, Task};
use afterimage_ir::{GeometryDecl, ImageUse, InputAt, Kind, OutputAt};
use afterimage_render::loops::Loops;
use afterimage_render::workers::{Once, Urgency, Workers};
use afterimage_shader::declared::Behind;
use afterimage_shader::{CacheKey, CompileError, Compiler, RuntimeInfo, Segment, Shader, Stage, bound, declared};
use afterimage_stream::packets::CreateShader;
use afterimage_stream::{Bank, Budget, FEEDBACK_BUFFERS, GcnBank, ObjectId, TEXTURE_SLOTS};
use ash::vk;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_128;

const _: () = assert!(afterimage_shader::MAX_INSTRUCTIONS as u64 == Budget::ShaderInstructions.row().default);

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
    /// Bit per texture slot that is sampled. Those of compute shaders count from 0.
    pub(crate) textures: u32,
    /// Three bits per slot: [`Table`] that is read.
    pub(crate) tables: u64,
    /// Two bits per slot: what its texels are, as in [`crate::resources::texture::Texture::kind`], or [`COMPARED`].
    pub(crate) kinds: u64,
    /// What it reaches beyond constants.
    pub(crate) reach: Reach,
    /// Storage images.
    pub(crate) images: SmallVec<[ImageUse; 0]>,
    /// Registers of the bank of buffers: first one, number, and bytes from the start of the stage's block.
    pub(crate) buffers: SmallVec<[(u32, u32, usize); 0]>,
    /// Bit per [`Table`] of descriptors that it takes textures out of by itself.
    pub(crate) in_tables: u8,
    /// Whether memory behind addresses, or a storage image, is written.
    pub(crate) stores: bool,
    /// Vertex shaders: bit per input location.
    pub(crate) inputs: u32,
    /// Vertex shaders: whether they read the number of the vertex.
    pub(crate) numbered: bool,
    /// Geometry shaders: what they take and give.
    pub(crate) geometry: Option<GeometryDecl>,
    /// Pixel shaders: what they read of the vertex stage's outputs. Of the others, what they read of the stage before, or of buffers.
    pub(crate) varyings: SmallVec<[Varying; 12]>,
    /// Pixel shaders: what they read of each vertex by itself, by location.
    pub(crate) corners: SmallVec<[(u32, Corner); 0]>,
    /// Whether the number of the primitive is read.
    pub(crate) primitive: bool,
    /// Clip and cull distances that are written, and whether the size of points is; whether a layer or a viewport is.
    pub(crate) distances: [u32; 2],
    pub(crate) point_size: bool,
    pub(crate) layered: bool,
    /// What it writes at locations.
    pub(crate) gives: SmallVec<[Varying; 12]>,
    /// Pixel shaders: bit per colour output.
    pub(crate) outputs: u32,
    /// Bytes of a captured vertex in each buffer; 0 for those that nothing is captured into.
    pub(crate) feedback_strides: [u32; FEEDBACK_BUFFERS],
    /// Bit per specialisation constant, by its number.
    pub(crate) specs: u32,
    /// Whether it runs for each sample.
    pub(crate) sample_rate: bool,
    /// In processes that are watched: how much it may have to do.
    pub(crate) loops: Loops,
    /// What it takes of the budget.
    share: Option<Share>,
}

impl Variant {
    /// The same, which takes this of the budget.
    fn with(mut self, share: Share) -> Self {
        self.share = Some(share);
        self
    }

    pub(crate) fn new(gpu: &Arc<Gpu>, artifact: &afterimage_shader::Artifact, name: &str) -> Result<Self> {
        Self::with_bindings_of(artifact.reflection.stage, gpu, artifact, name)
    }

    /// Of a shader that has the bindings of a stage, which need not be the one that it runs in.
    pub(crate) fn with_bindings_of(
        own_stage: Stage,
        gpu: &Arc<Gpu>,
        artifact: &afterimage_shader::Artifact,
        name: &str,
    ) -> Result<Self> {
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
            kinds: 0,
            reach: if reflection.stage == Stage::Compute { Reach::COMPUTE } else { Reach::PLAIN },
            images: reflection.images.iter().copied().collect(),
            buffers: SmallVec::new(),
            in_tables: reflection.tables,
            stores: reflection.stores || reflection.images.iter().any(|image| image.written),
            inputs: 0,
            numbered: reflection.inputs.iter().any(|input| input.at == InputAt::VertexIndex),
            varyings: SmallVec::new(),
            corners: SmallVec::new(),
            primitive: reflection.inputs.iter().any(|input| input.at == InputAt::PrimitiveId),
            distances: [reflection.clip_distances(), reflection.cull_distances()].map(u32::from),
            point_size: reflection.writes_point_size(),
            layered: reflection
                .outputs
                .iter()
                .any(|output| matches!(output.at, OutputAt::Layer | OutputAt::ViewportIndex)),
            gives: SmallVec::new(),
            outputs: 0,
            feedback_strides: reflection.feedback_strides(),
            geometry: reflection.geometry,
            share: None,
            specs: reflection.specs.iter().fold(0, |mask, spec| mask | 1u32.checked_shl(spec.id).unwrap_or(0)),
            sample_rate: spirv_words::has_capability(
                &artifact.words,
                spirv_words::number::CAPABILITY_SAMPLE_RATE_SHADING,
            ),
            loops: Loops::default(),
        };
        if variant.segments.len() != reflection.segments.len() {
            // Registers outside of every bank would shift the ones behind them.
            return Err(Error::Unsupported {
                device: "the renderer".to_owned(),
                what: format!("the constant segments {:?} of {name}", reflection.segments),
            });
        }
        variant.defs.extend(reflection.const_defs.iter().filter_map(|def| {
            let at = reflection.const_offset(def.bank, def.index)?;
            Some((at as usize * 16, def.bits))
        }));
        let first_slot = if reflection.stage == Stage::Compute { TEXTURE_SLOTS as u32 } else { 0 };
        let mut tables = reflection.tables;
        for texture in &reflection.textures {
            let slot = u32::from(texture.slot).wrapping_sub(first_slot);
            if slot < TEXTURE_SLOTS as u32 {
                let table = texture.dim.table();
                variant.textures |= 1 << slot;
                variant.tables |= (table as u64) << (3 * slot);
                let kind = if texture.shadow { COMPARED } else { texture.component as u8 };
                variant.kinds |= u64::from(kind) << (2 * slot);
                tables |= 1 << table as u8;
            }
        }
        variant.reach = variant.reach.with(tables, !variant.images.is_empty());
        let mut at = 0;
        for segment in &variant.segments {
            if segment.bank == Bank::gcn(own_stage, GcnBank::Buffers) as u8 {
                variant.buffers.push((segment.first, segment.count, at));
            }
            at += segment.count as usize * 16;
        }
        variant.check(reflection)?;
        for input in &reflection.inputs {
            if let InputAt::Location(location) = input.at {
                let corner = input.semantic.filter(|semantic| semantic.usage == corners::USAGE);
                if let (Some(semantic), Stage::Pixel) = (corner, reflection.stage) {
                    // What is interpolated at several places is several inputs.
                    let corner = (location.into(), Corner::of_index(semantic.index));
                    if !variant.corners.contains(&corner) {
                        variant.corners.push(corner);
                    }
                    continue;
                }
                variant.inputs |= 1 << (location & 31);
                let varying = Varying {
                    location: location.into(),
                    lanes: input.ty.lanes.into(),
                    float: input.ty.kind == Kind::Float,
                };
                // What is interpolated at several places is several inputs of one varying.
                match variant.varyings.iter_mut().find(|known| known.location == varying.location) {
                    Some(known) => known.lanes = known.lanes.max(varying.lanes),
                    None => variant.varyings.push(varying),
                }
            }
        }
        for output in &reflection.outputs {
            if let OutputAt::Location(location) = output.at {
                let (lanes, float) = (output.ty.lanes.into(), output.ty.kind == Kind::Float);
                variant.gives.push(Varying { location: location.into(), lanes, float });
            }
        }
        variant.outputs = reflection.location_mask() as u32;
        Ok(variant)
    }

    /// What the shader reads at a location and the stage before it does not write there, or not as much of, or of another kind.
    pub(crate) fn unfed(&self, before: &Self) -> Option<Varying> {
        let fits = |read: &Varying, given: &Varying| {
            (given.location, given.float) == (read.location, read.float) && given.lanes >= read.lanes
        };
        self.varyings.iter().find(|read| !before.gives.iter().any(|given| fits(read, given))).copied()
    }

    /// Whether a part of a pipeline can be made of it that knows nothing of the others.
    pub(crate) fn can_be_part(&self) -> bool {
        !self.sample_rate && self.corners.is_empty() && self.feedback_strides == [0; FEEDBACK_BUFFERS]
    }

    /// Whether the device has what the shader asks for, as far as the back end does not look at it.
    fn check(&self, reflection: &afterimage_shader::Reflection) -> Result {
        let (profile, limits) = (&self.gpu.profile, &self.gpu.profile.limits);
        let unsupported = |what: String| Err(Error::Unsupported { device: profile.name.clone(), what });
        if reflection.stage == Stage::Compute {
            let lanes = reflection.group.iter().try_fold(1u32, |product, lanes| product.checked_mul(*lanes));
            let most = limits.max_compute_work_group_size;
            if !lanes.is_some_and(|lanes| lanes > 0 && lanes <= limits.max_compute_work_group_invocations)
                || reflection.group.iter().zip(most).any(|(lanes, most)| *lanes > most)
            {
                return unsupported(format!("work groups of {:?} lanes", reflection.group));
            }
            if reflection.shared > limits.max_compute_shared_memory_size {
                return unsupported(format!("{} bytes of shared memory", reflection.shared));
            }
        }
        if reflection.stage == Stage::Geometry {
            if !profile.adjacency {
                return unsupported("geometry shaders".to_owned());
            }
            // The push constants of draws are those of the stages before and behind.
            if self.constant_bytes > 0 || self.system || self.textures != 0 || self.reach.images {
                return unsupported("constants, textures and images of geometry shaders".to_owned());
            }
        }
        let shaders = &profile.shaders;
        let may_store = match reflection.stage {
            Stage::Vertex | Stage::Geometry => shaders.vertex_stores,
            Stage::Pixel => shaders.pixel_stores,
            Stage::Compute => true,
        };
        if self.stores && !may_store {
            return unsupported(format!("stores in {} shaders", reflection.stage.name()));
        }
        if reflection.interlocks && !shaders.interlock {
            let lacks = "which has no fragmentShaderPixelInterlock";
            tracing::warn!("pixels that wait for each other run in the order of the device, {lacks}");
        }
        if self.reach.tables() >> Table::CubeArray as u8 & 1 != 0 && !shaders.cube_arrays {
            return unsupported("arrays of cubes".to_owned());
        }
        let has_samples = profile.null_storage_samples() > 1;
        if !has_samples && self.images.iter().any(|image| image.decl.dim.is_multisampled()) {
            return unsupported("storage images of several samples".to_owned());
        }
        let any = |read: bool| self.images.iter().any(|image| if read { image.read } else { image.written });
        let without = |image: &ImageUse| image.decl.format == afterimage_ir::ImageFormat::Any;
        if (any(true) && self.images.iter().any(without) && !shaders.read_without_format)
            || (any(false) && self.images.iter().any(without) && !shaders.write_without_format)
        {
            return unsupported("storage images without a format in the shader".to_owned());
        }
        Ok(())
    }
}

fn in_bank(segment: &Segment) -> bool {
    let registers = Bank::from_number(segment.bank.into()).map_or(0, |bank| u32::from(bank.registers()));
    segment.first.checked_add(segment.count).is_some_and(|end| end <= registers)
}

impl Drop for Variant {
    fn drop(&mut self) {
        // SAFETY: modules are only used while pipelines are made, by whoever holds the variant.
        unsafe { self.gpu.raw.destroy_shader_module(self.module, None) };
    }
}

/// What a variant is made from: code by its hash, and the state around it as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    /// [`Shader::hash`].
    pub(crate) code: u128,
    /// [`Shader::normalized`].
    pub(crate) runtime: RuntimeInfo,
}

/// What makes variants, on any thread.
pub(crate) struct Maker {
    gpu: Arc<Gpu>,
    pub(crate) compiler: Compiler,
    /// Of a process that is watched.
    journal: Option<Arc<Journal>>,
    /// Bytes of the modules that live.
    translated: Arc<AtomicU64>,
    /// How many they may be: [`Budget::Translated`].
    budget: AtomicU64,
}

/// What a module takes of a budget for as long as it lives.
pub(crate) struct Share {
    of: Arc<AtomicU64>,
    bytes: u64,
}

impl Drop for Share {
    fn drop(&mut self) {
        self.of.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A shader that a guest has created.
struct Source {
    shader: Arc<Shader>,
    id: ObjectId,
    /// See [`Library::names`].
    name: u64,
}

/// A variant that is there, or will be once somebody makes it.
pub(crate) struct Slot {
    pub(crate) identity: Identity,
    key: CacheKey,
    /// The shader, once the guest has created it.
    source: OnceLock<Source>,
    made: Once<Arc<Variant>>,
}

impl Slot {
    /// Begins to make the variant if nobody has, from the disk cache or from the shader. False where it is in neither.
    pub(crate) fn begin(&self, maker: &Maker) -> bool {
        if self.made.begun() {
            return true;
        }
        let Some(Source { shader, id, name }) = self.source.get() else {
            let artifact = maker.compiler.cache.as_ref().and_then(|cache| cache.get(self.key));
            let Some(artifact) = artifact else { return false };
            self.made.make(|| maker.variant(&artifact, &self.key.to_string()));
            return true;
        };
        self.made.make(|| {
            let _task = maker.begin_task(Task::Translate, *name);
            let artifact = maker
                .compiler
                .compile(shader, &self.identity.runtime)
                .inspect_err(|error| tracing::error!("{id} cannot be compiled: {error}; its draws are skipped"))
                .ok()?;
            maker.variant(&artifact, &id.to_string())
        });
        true
    }

    /// The variant; waits for it, so somebody must have begun. `None` where it cannot be made.
    pub(crate) fn wait(&self) -> Option<&Arc<Variant>> {
        self.made.wait().as_ref()
    }

    /// Whether waiting would take no time.
    pub(crate) fn is_ready(&self) -> bool {
        self.made.get().is_some()
    }

    /// The variant, if it is there.
    pub(crate) fn made(&self) -> Option<&Arc<Variant>> {
        self.made.get()?.as_ref()
    }

    /// The shader's id, and the first digits of its code's hash, once the guest has created it.
    pub(crate) fn name(&self) -> Option<(ObjectId, u64)> {
        self.source.get().map(|source| (source.id, source.name))
    }

    /// The locations of signed integers of a shader that came as a module.
    pub(crate) fn signed_outputs(&self) -> Option<u32> {
        self.source.get().and_then(|source| source.shader.declared()).map(|module| module.signed_outputs.into())
    }

    /// Whether the shader came as a module, whose interface is the word of whoever wrote it.
    pub(crate) fn came_as_module(&self) -> bool {
        self.source.get().is_some_and(|source| source.shader.declared().is_some())
    }
}

impl Maker {
    /// Sets how many bytes all modules may have.
    pub(crate) fn set_budget(&self, bytes: u64) {
        self.budget.store(bytes, Ordering::Relaxed);
    }

    /// Takes so much of the budget as a module needs.
    fn share(&self, artifact: &afterimage_shader::Artifact, name: &str) -> Result<Share> {
        let bytes = artifact.words.len() as u64 * 4;
        let share = Share { of: Arc::clone(&self.translated), bytes };
        let asked = share.of.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let limit = self.budget.load(Ordering::Relaxed);
        if asked > limit {
            return Err(Error::Budget { what: name.to_owned(), budget: Budget::Translated, asked, limit });
        }
        Ok(share)
    }

    fn variant(&self, artifact: &afterimage_shader::Artifact, name: &str) -> Option<Arc<Variant>> {
        let mut variant = self
            .share(artifact, name)
            .and_then(|share| Variant::new(&self.gpu, artifact, name).map(|variant| variant.with(share)))
            .inspect_err(|error| tracing::error!("{name}: {error}; its draws are skipped"))
            .ok()?;
        if self.journal.is_some() {
            variant.loops = Loops::of(&artifact.words);
        }
        Some(Arc::new(variant))
    }

    /// A thread begins to make something of a shader, and does so until the answer is dropped.
    pub(crate) fn begin_task(&self, task: Task, name: u64) -> Option<Doer<'_>> {
        Some(self.journal.as_ref()?.begin_task(task, name))
    }
}

/// Looks at each shader that a guest creates, with its code; what it gives, language and code, is drawn with instead.
pub type ShaderReplacer = Box<dyn FnMut(&CreateShader, &[u8]) -> Option<(u32, Vec<u8>)> + Send>;

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
    pub(crate) maker: Arc<Maker>,
    pub(crate) workers: Arc<Workers>,
    /// Shaders by language and hash of their code.
    shaders: FxHashMap<(u32, u128), Arc<Shader>>,
    /// In processes that are watched, what tools call shaders, by [`Shader::hash`]: the first 16 of the 32 digits of their code's hash.
    names: FxHashMap<u128, u64>,
    numbers: FxHashMap<CacheKey, u32>,
    /// By number. Numbers are not given out again.
    variants: FxHashMap<u32, Arc<Slot>>,
    next: u32,
    /// Shaders that could not be compiled.
    pub(crate) failures: u64,
    /// The last of them.
    pub(crate) refusal: Option<(ObjectId, CompileError)>,
    /// Nanoseconds that draws waited for translation.
    pub(crate) waited: u64,
    /// See [`crate::Options::raw_addresses`].
    raw_addresses: bool,
    /// What is there of what shaders declare.
    behind: Behind,
}

impl Library {
    pub(crate) fn new(gpu: &Arc<Gpu>, compiler: Compiler, raw_addresses: bool, journal: Option<Arc<Journal>>) -> Self {
        Self {
            maker: Arc::new(Maker {
                gpu: Arc::clone(gpu),
                compiler,
                journal,
                translated: Arc::default(),
                budget: AtomicU64::new(Budget::Translated.row().default),
            }),
            workers: Arc::new(Workers::new("shader")),
            shaders: FxHashMap::default(),
            names: FxHashMap::default(),
            numbers: FxHashMap::default(),
            variants: FxHashMap::default(),
            next: 0,
            failures: 0,
            refusal: None,
            waited: 0,
            raw_addresses,
            behind: crate::pipeline::behind::of(&gpu.profile, raw_addresses),
        }
    }

    /// Takes a shader's code and starts its compilation for `runtime`.
    pub(crate) fn create(&mut self, id: ObjectId, language: u32, code: Vec<u8>, runtime: &RuntimeInfo) -> GuestShader {
        let shader = self
            .parse(language, &code)
            .map_err(|error| {
                tracing::error!("{id} (language {language}, {} bytes): {error}; its draws are skipped", code.len());
                self.failures += 1;
                self.refusal = Some((id, error));
            })
            .ok();
        let mut guest = GuestShader { code: code.into(), shader, id, last: None };
        if let Some(shader) = &guest.shader {
            let mut runtime = *runtime;
            // What is bound while a shader is created is seldom what it will look up.
            runtime.textures.iter_mut().for_each(|texture| *texture &= !bound::KIND);
            if shader.stage() == Stage::Pixel && runtime.link == Default::default() {
                runtime.link = shader.own_link();
            }
            self.number(&mut guest, &runtime);
        }
        guest
    }

    /// Reads a shader's code, unless it is known.
    pub(crate) fn parse(&mut self, language: u32, code: &[u8]) -> std::result::Result<Arc<Shader>, CompileError> {
        let hash = xxh3_128(code);
        match self.shaders.entry((language, hash)) {
            Entry::Occupied(known) => Ok(Arc::clone(known.get())),
            Entry::Vacant(place) => {
                let shader = Arc::new(Shader::from_stream(language, code)?);
                if !self.raw_addresses && shader.has_raw_addresses() {
                    return Err(CompileError::RawAddresses);
                }
                if let Some(module) = shader.declared() {
                    declared::check(module, &self.behind)?;
                }
                if self.maker.journal.is_some() {
                    self.names.insert(shader.hash(), (hash >> 64) as u64);
                }
                Ok(Arc::clone(place.insert(shader)))
            }
        }
    }

    /// On devices without clip distances: tells the pixel shaders that are used with a vertex shader what that hands on.
    pub(crate) fn hand_on_clip_distances(&self, vertex: &Shader, runtime: &mut RuntimeInfo) {
        if self.maker.compiler.profile.clip_varyings.is_some() {
            runtime.pixel_ops.clip_distances = vertex.clip_distances(runtime);
        }
    }

    /// The number of a shader's variant for the state around it. `None` where the code is no shader.
    #[inline]
    pub(crate) fn number(&mut self, guest: &mut GuestShader, runtime: &RuntimeInfo) -> Option<u32> {
        match &guest.last {
            Some((last, number)) if last == runtime => Some(*number),
            _ => {
                let number = self.find(guest.shader.as_ref()?, guest.id, runtime);
                guest.last = Some((*runtime, number));
                Some(number)
            }
        }
    }

    /// The number of a shader's variant, which workers make if it is new.
    pub(crate) fn find(&mut self, shader: &Arc<Shader>, id: ObjectId, runtime: &RuntimeInfo) -> u32 {
        let number = self.reserve(Identity { code: shader.hash(), runtime: shader.normalized(runtime) });
        let slot = &self.variants[&number];
        if slot.source.get().is_none() {
            // This thread alone sets sources.
            let name = self.names.get(&shader.hash()).copied().unwrap_or(0);
            let _first = slot.source.set(Source { shader: Arc::clone(shader), id, name });
            if !slot.made.begun() {
                let (slot, maker) = (Arc::clone(slot), Arc::clone(&self.maker));
                self.workers.run(Urgency::Soon, move || {
                    slot.begin(&maker);
                });
            }
        }
        number
    }

    /// The number of the variant that is as another but reads records where that reads push constants. `None` of variants whose shader the
    /// guest has not created.
    pub(crate) fn with_records(&mut self, number: u32) -> Option<u32> {
        let slot = Arc::clone(self.variants.get(&number)?);
        let source = slot.source.get()?;
        Some(self.find(&source.shader, source.id, &RuntimeInfo { records: 1, ..slot.identity.runtime }))
    }

    /// The number of a variant whose shader the guest may not have created yet.
    pub(crate) fn reserve(&mut self, identity: Identity) -> u32 {
        let key = CacheKey::new(identity.code, &self.maker.compiler.profile, &identity.runtime);
        *self.numbers.entry(key).or_insert_with(|| {
            let number = self.next;
            self.next += 1;
            let slot = Slot { identity, key, source: OnceLock::new(), made: Once::default() };
            self.variants.insert(number, Arc::new(slot));
            number
        })
    }

    /// A variant; waits until it has been made. `None` where that failed.
    pub(crate) fn variant(&mut self, number: u32) -> Option<Arc<Variant>> {
        let slot = self.variants.get(&number)?;
        if !slot.is_ready() {
            let start = Instant::now();
            if slot.begin(&self.maker) {
                self.workers.help_until(&slot.made);
            }
            self.waited += start.elapsed().as_nanos() as u64;
        }
        slot.made.get()?.clone()
    }

    /// Whether a variant is there, or known to be impossible.
    #[inline]
    pub(crate) fn is_ready(&self, number: u32) -> bool {
        self.variants.get(&number).is_some_and(|slot| slot.is_ready())
    }

    /// The place of a variant.
    pub(crate) fn slot(&self, number: u32) -> Option<&Arc<Slot>> {
        self.variants.get(&number)
    }

    /// Lets go of variants that no pipeline has, unless they are of code that the guest has a shader of.
    pub(crate) fn trim(&mut self, guests: &[u128]) {
        let kept: FxHashSet<u128> = guests.iter().copied().collect();
        self.variants.retain(|_, slot| Arc::strong_count(slot) > 1 || kept.contains(&slot.identity.code));
        self.numbers.retain(|_, number| self.variants.contains_key(number));
        self.shaders.retain(|_, shader| Arc::strong_count(shader) > 1);
        let left: FxHashSet<u128> = self.shaders.values().map(|shader| shader.hash()).collect();
        self.names.retain(|hash, _| left.contains(hash));
    }

    /// Variants that are there or begun.
    pub(crate) fn len(&self) -> usize {
        self.variants.values().filter(|slot| slot.made.begun()).count()
    }
}
