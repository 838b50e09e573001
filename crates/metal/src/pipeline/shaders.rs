//! Shaders: guest code to functions of Metal, compiled when a draw first asks.
//!
//! A *variant* is a shader compiled for the state around it. Variants are numbered and found by content, so the same code under two ids
//! is compiled once.

use crate::device::work;
use crate::error::{Error, Result};
use crate::pipeline::around::{Ending, Ways, with_outputs, with_ways};
use crate::pipeline::emitting::Emitted;
use crate::resources::texture::Shape;
use afterimage_abi::{Bank, GcnBank, spec};
use afterimage_ipc::Suspect;
use afterimage_ir::{ImageFormat, InputAt, Kind, OutputAt};
use afterimage_metal_calls::{Constant, Device, FunctionDescriptor};
use afterimage_shader::declared::Behind;
use afterimage_shader::msl::{self, Attribute, Binding, Samplers, Source};
use afterimage_shader::{CacheKey, CompileError, FloatRules, Profile, RuntimeInfo, Segment, Shader, Stage, declared};
use afterimage_stream::{Budget, FEEDBACK_BUFFERS, ObjectId, TEXTURE_SLOTS};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Most functions of a variant that is specialised; beyond that it is told when it runs.
const MOST_SPECS: usize = 16;

/// Name of the function in every source.
pub(crate) const ENTRY: &str = "main0";

/// A texture that a shader samples, with its sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureArgument {
    /// Slot among those of draws, or of dispatches.
    pub(crate) slot: usize,
    /// Index in the stage's argument tables.
    pub(crate) index: u32,
    /// What it is to the shader.
    pub(crate) shape: Shape,
    /// What its texels are: 0 floats, 1 unsigned, 2 signed integers.
    pub(crate) kind: u8,
    /// Whether lookups compare.
    pub(crate) shadow: bool,
    /// Index of its sampler, if anything is looked up with one, and of the sampler with a white border.
    pub(crate) sampler: Option<u32>,
    pub(crate) white: Option<u32>,
}

impl TextureArgument {
    /// All of it but the slot: what is bound for one argument serves another with the same word.
    #[inline]
    pub(crate) fn word(&self) -> u64 {
        let place = |index: Option<u32>| index.map_or(0xff, |index| u64::from(index) & 0xff);
        let shape = self.shape as u64 | u64::from(self.kind) << 8 | u64::from(self.shadow) << 16;
        shape | place(self.sampler) << 24 | place(self.white) << 32
    }
}

/// A storage image that a shader accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageArgument {
    /// Slot of the stage.
    pub(crate) slot: usize,
    /// Index in the stage's argument table of textures.
    pub(crate) index: u32,
    pub(crate) shape: Shape,
    /// As [`TextureArgument::kind`].
    pub(crate) kind: u8,
    /// Whether texels are one component of 32 bits.
    pub(crate) is_r32: bool,
    /// Whether it is read, and whether it is written.
    pub(crate) access: [bool; 2],
}

/// A compiled variant: its source, and what the renderer must supply.
#[derive(Debug)]
pub(crate) struct Variant<D: Device> {
    stage: Stage,
    source: String,
    label: String,
    /// What in the source has an attribute.
    bindings: Vec<Binding>,
    /// Compiled for values of the specialisation constants, and colour outputs that have a target.
    functions: Vec<(Spec, u32, Ending, D::Function)>,
    /// Of vertex shaders, with varyings by further names.
    with_ways: Vec<(Ways, D::Function)>,
    /// Of pixel shaders: what they read interpolated in further ways.
    pub(crate) ways: Ways,
    /// Constant registers in the order of the stage's block, checked against the banks.
    pub(crate) segments: SmallVec<[Segment; 4]>,
    /// Bytes of the stage's block.
    pub(crate) constant_bytes: usize,
    /// Registers that the shader defines: offset in the block in bytes, and value.
    pub(crate) defs: Vec<(usize, [u32; 4])>,
    /// Registers of the bank of buffers: first one, number, and bytes from the start of the stage's block.
    pub(crate) buffers: SmallVec<[(u32, u32, usize); 0]>,
    /// Whether the system block is read.
    pub(crate) system: bool,
    /// What is sampled.
    pub(crate) textures: SmallVec<[TextureArgument; 4]>,
    /// Whether it reads what samplers have that Metal's have not.
    pub(crate) samplers: bool,
    /// What is stored to.
    pub(crate) images: SmallVec<[ImageArgument; 0]>,
    /// Whether memory behind addresses is read or written, and whether it is written.
    pub(crate) reaches: [bool; 2],
    /// Vertex shaders: bit per input location.
    pub(crate) inputs: u32,
    /// Pixel shaders: bit per colour output.
    pub(crate) outputs: u32,
    /// Pixel shaders: bit per colour output that is of unsigned integers; the others are floats.
    pub(crate) integer_outputs: u32,
    /// Pixel shaders: whether they write depth.
    pub(crate) writes_depth: bool,
    /// What it reads of the stage before, or gives to the next: location, lanes, whether they are floats.
    pub(crate) varyings: SmallVec<[(u8, u8, bool); 8]>,
    /// Vertex shaders: whether they write the size of points.
    pub(crate) point_size: bool,
    /// The specialisation constants that it has.
    specs: u32,
    /// Itself, for where the GPU does not end.
    pub(crate) suspect: Suspect,
    /// Threads of a group.
    pub(crate) group: [u32; 3],
    /// The first buffer index behind those that it has for itself.
    pub(crate) buffers_end: u32,
}

/// Values of the specialisation constants: alpha test and fog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Spec(pub(crate) [u8; 2]);

impl Spec {
    /// Both are read when it runs.
    pub(crate) const DYNAMIC: Self = Self([spec::DYNAMIC as u8; 2]);
}

impl<D: Device> Variant<D> {
    /// `banks`: the stage whose constants it reads, which is another one of what was a vertex shader.
    pub(crate) fn new(artifact: msl::Artifact, (id, hash): (ObjectId, u128), device: &D, banks: Stage) -> Result<Self> {
        let label = id.to_string();
        let reflection = &artifact.reflection;
        let unsupported = |what: String| {
            Err(Error::Unsupported { device: device.facts().name.clone(), what: format!("{label}: {what}") })
        };
        let in_bank = |segment: &&Segment| {
            let registers = Bank::from_number(segment.bank.into()).map_or(0, |bank| u32::from(bank.registers()));
            segment.first.checked_add(segment.count).is_some_and(|end| end <= registers)
        };
        let segments: SmallVec<[Segment; 4]> = reflection.segments.iter().filter(in_bank).copied().collect();
        if segments.len() != reflection.segments.len() {
            return unsupported(format!("constant segments {:?}", reflection.segments));
        }
        let mut images = SmallVec::new();
        for image in &reflection.images {
            let Some(shape) = Shape::of_image(image.decl.dim) else {
                return unsupported(format!("storage images of {}", image.decl.dim.name()));
            };
            images.push(ImageArgument {
                slot: image.decl.slot.into(),
                index: msl::image_index(image.decl.slot),
                shape,
                kind: image.decl.component as u8,
                is_r32: image.decl.format == ImageFormat::R32,
                access: [image.read, image.written],
            });
        }
        let reaches = reflection.loads || reflection.stores;
        if reaches && !device.facts().addresses {
            return unsupported("memory by address".to_owned());
        }
        let usages = || reflection.inputs.iter().filter_map(|input| input.semantic).map(|semantic| semantic.usage);
        if reflection.stage == Stage::Pixel && usages().any(|usage| usage == afterimage_abi::corners::USAGE) {
            return unsupported("what each vertex has, for which Metal has no geometry shader".to_owned());
        }
        if reflection.interlocks {
            tracing::warn!("{label}: pixels that wait for each other run in the order of the device");
        }
        let sampler = |source: Source| {
            let binding = artifact.bindings.iter().find(|binding| binding.source == source);
            binding.and_then(|binding| match binding.attribute {
                Attribute::Sampler(index) => Some(index),
                _ => None,
            })
        };
        let mut textures = SmallVec::new();
        for texture in &reflection.textures {
            let Some(shape) = Shape::of(texture.dim) else {
                return unsupported(format!("textures of {}", texture.dim.name()));
            };
            let first = if reflection.stage == Stage::Compute { TEXTURE_SLOTS } else { 0 };
            let slot = usize::from(texture.slot).saturating_sub(first);
            if slot >= TEXTURE_SLOTS {
                return unsupported(format!("texture slot {slot}"));
            }
            textures.push(TextureArgument {
                slot,
                index: msl::texture_index(reflection.stage, texture.slot),
                shape,
                kind: texture.component as u8,
                shadow: texture.shadow,
                sampler: sampler(Source::Sampler(texture.slot)),
                white: sampler(Source::WhiteSampler(texture.slot)),
            });
        }
        let (mut buffers, mut at) = (SmallVec::new(), 0);
        for segment in &segments {
            if segment.bank == Bank::gcn(banks, GcnBank::Buffers) as u8 {
                buffers.push((segment.first, segment.count, at));
            }
            at += segment.count as usize * 16;
        }
        let outputs = || {
            reflection.outputs.iter().filter_map(|output| match output.at {
                OutputAt::Location(location) => Some((location, output.ty.lanes, output.ty.kind == Kind::Float)),
                _ => None,
            })
        };
        let inputs = reflection.inputs.iter().filter_map(|input| match input.at {
            InputAt::Location(location) => Some((location, input.ty.lanes, input.ty.kind == Kind::Float)),
            _ => None,
        });
        let end = artifact.bindings.iter().filter_map(|binding| match binding.attribute {
            Attribute::Buffer(index) => Some(index + 1),
            _ => None,
        });
        let [loops, depth] = work::loops(&artifact.source);
        Ok(Self {
            suspect: Suspect { id, stage: reflection.stage, hash: (hash >> 64) as u64, loops, depth },
            buffers_end: end.max().unwrap_or(0),
            constant_bytes: reflection.const_registers() as usize * 16,
            defs: (reflection.const_defs.iter())
                .filter_map(|def| Some((reflection.const_offset(def.bank, def.index)? as usize * 16, def.bits)))
                .collect(),
            segments,
            buffers,
            system: reflection.system,
            textures,
            samplers: artifact.bindings.iter().any(|binding| binding.source == Source::Samplers),
            images,
            reaches: [reaches, reflection.stores],
            inputs: reflection.inputs.iter().fold(0, |mask, input| match input.at {
                InputAt::Location(location) => mask | 1 << (location & 31),
                _ => mask,
            }),
            outputs: reflection.location_mask() as u32,
            integer_outputs: outputs()
                .filter(|(.., float)| !float)
                .fold(0, |mask, (location, ..)| mask | 1 << (location & 31)),
            writes_depth: reflection.writes_depth(),
            varyings: if reflection.stage == Stage::Pixel { inputs.collect() } else { outputs().collect() },
            point_size: reflection.writes_point_size(),
            specs: reflection.specs.iter().fold(0, |mask, spec| mask | 1u32.checked_shl(spec.id).unwrap_or(0)),
            group: reflection.group,
            stage: reflection.stage,
            ways: Ways::of(&artifact.bindings),
            with_ways: Vec::new(),
            bindings: artifact.bindings,
            source: artifact.source,
            label,
            functions: Vec::new(),
        })
    }

    /// What a variant of these constants is specialised for.
    pub(crate) fn spec(&self, alpha_compare: u8, fog: u8) -> Spec {
        let has = |id: u32, value: u8| if self.specs >> id & 1 != 0 { value } else { spec::DYNAMIC as u8 };
        let wanted = Spec([has(spec::ALPHA_COMPARE, alpha_compare), has(spec::FOG_MODE, fog)]);
        let known = self.functions.iter().any(|(spec, ..)| *spec == wanted);
        if known || self.functions.len() < MOST_SPECS { wanted } else { Spec::DYNAMIC }
    }

    /// The function of a vertex shader, which gives varyings by further names, too.
    ///
    /// # Errors
    /// What the compiler says.
    pub(crate) fn vertex_function(&mut self, device: &D, ways: &Ways) -> Result<D::Function> {
        if ways.is_empty() {
            return self.function(device, Spec::DYNAMIC, u32::MAX, &Ending::default());
        }
        if let Some((_, function)) = self.with_ways.iter().find(|(of, _)| of == ways) {
            return Ok(function.clone());
        }
        let source = with_ways(&self.source, &self.bindings, ENTRY, ways).ok_or_else(|| Error::Unsupported {
            device: device.facts().name.clone(),
            what: format!("{}: varyings that are not written", self.label),
        })?;
        let descriptor = FunctionDescriptor { source: &source, name: ENTRY, constants: &[], label: &self.label };
        let function = device.new_function(&descriptor)?;
        self.with_ways.push((*ways, function.clone()));
        Ok(function)
    }

    /// The function, compiled for these values when they are first asked for. `targets` has a bit for each colour target that there is;
    /// pixel functions end as it says.
    ///
    /// # Errors
    /// What the compiler says.
    pub(crate) fn function(&mut self, device: &D, spec: Spec, targets: u32, ending: &Ending) -> Result<D::Function> {
        let kept = self.outputs & targets;
        let same = |of: &&(Spec, u32, Ending, D::Function)| (of.0, of.1, &of.2) == (spec, kept, ending);
        if let Some((.., function)) = self.functions.iter().find(same) {
            return Ok(function.clone());
        }
        let plain = kept == self.outputs && *ending == Ending::default();
        let some = if plain || self.stage != Stage::Pixel {
            None
        } else {
            let made = with_outputs(&self.source, &self.bindings, ENTRY, kept, ending);
            Some(made.ok_or_else(|| Error::Unsupported {
                device: device.facts().name.clone(),
                what: format!("{}: colours without a target", self.label),
            })?)
        };
        let constants: SmallVec<[_; 2]> = (0u32..)
            .zip(spec.0)
            .filter(|(_, value)| u32::from(*value) != spec::DYNAMIC)
            .map(|(id, value)| (id, Constant::UInt(value.into())))
            .collect();
        let descriptor = FunctionDescriptor {
            source: some.as_ref().unwrap_or(&self.source),
            name: ENTRY,
            constants: &constants,
            label: &self.label,
        };
        let function = device.new_function(&descriptor)?;
        self.functions.push((spec, kept, *ending, function.clone()));
        Ok(function)
    }
}

/// A shader of the stream.
#[derive(Debug)]
pub(crate) struct GuestShader {
    /// The guest's code, for captures.
    pub(crate) code: Arc<[u8]>,
    /// `None` where the code is no shader.
    pub(crate) shader: Option<Arc<Shader>>,
    id: ObjectId,
    /// The variant of the last look, which is nearly always that of the next.
    last: Option<(RuntimeInfo, Samplers, Option<u32>)>,
}

/// Every variant.
#[derive(Debug)]
pub(crate) struct Library<D: Device> {
    pub(crate) profile: Profile,
    /// By code and state around it; none where it cannot be made.
    numbers: FxHashMap<(u128, RuntimeInfo, Samplers), Option<u32>>,
    pub(crate) variants: Vec<Variant<D>>,
    /// Kernels that capture vertices: by what they are made of, and what they write.
    pub(crate) captures: FxHashMap<CacheKey, Option<u32>>,
    pub(crate) strides: FxHashMap<u32, [u32; FEEDBACK_BUFFERS]>,
    /// Geometry shaders that are drawn, by what they are made of.
    pub(crate) emitted: FxHashMap<CacheKey, Option<Emitted>>,
    /// Bytes of all sources, and how many they may be.
    translated: u64,
    pub(crate) budget: u64,
    raw_addresses: bool,
    behind: Behind,
    /// Shaders that could not be compiled.
    pub(crate) failures: u64,
}

impl<D: Device> Library<D> {
    pub(crate) fn new(device: &D, float_rules: FloatRules, raw_addresses: bool) -> Self {
        Self {
            profile: Profile { float_rules, ..Profile::default() },
            numbers: FxHashMap::default(),
            variants: Vec::new(),
            captures: FxHashMap::default(),
            strides: FxHashMap::default(),
            emitted: FxHashMap::default(),
            translated: 0,
            budget: Budget::Translated.row().default,
            raw_addresses,
            behind: crate::pipeline::behind::of(device.facts(), raw_addresses),
            failures: 0,
        }
    }

    /// Takes a shader's code.
    pub(crate) fn create(&mut self, id: ObjectId, language: u32, code: &[u8]) -> GuestShader {
        let shader = self.parse(language, code).map_err(|error| {
            tracing::error!("{id} (language {language}, {} bytes): {error}; its draws are skipped", code.len());
            self.failures += 1;
        });
        GuestShader { code: code.into(), shader: shader.ok().map(Arc::new), id, last: None }
    }

    fn parse(&self, language: u32, code: &[u8]) -> std::result::Result<Shader, CompileError> {
        let shader = Shader::from_stream(language, code)?;
        if !self.raw_addresses && shader.has_raw_addresses() {
            return Err(CompileError::RawAddresses);
        }
        if let Some(module) = shader.declared() {
            declared::check(module, &self.behind)?;
        }
        Ok(shader)
    }

    /// The number of a shader's variant for the state around it, and samplers; none where it cannot be made.
    pub(crate) fn number(
        &mut self,
        device: &D,
        guest: &mut GuestShader,
        runtime: &RuntimeInfo,
        samplers: Samplers,
    ) -> Option<u32> {
        if let Some((last, with, number)) = &guest.last
            && (last, *with) == (runtime, samplers)
        {
            return *number;
        }
        let shader = guest.shader.as_ref()?;
        let own = shader.normalized(runtime);
        let known = self.numbers.get(&(shader.hash(), own, samplers)).copied();
        let number = known.unwrap_or_else(|| {
            let made = self.make(device, guest.id, &Arc::clone(shader), &own, samplers);
            let number = made.map(|variant| {
                self.variants.push(variant);
                self.variants.len() as u32 - 1
            });
            self.numbers.insert((shader.hash(), own, samplers), number);
            number
        });
        guest.last = Some((*runtime, samplers, number));
        number
    }

    fn make(
        &mut self,
        device: &D,
        id: ObjectId,
        shader: &Shader,
        runtime: &RuntimeInfo,
        samplers: Samplers,
    ) -> Option<Variant<D>> {
        let language = device.facts().language;
        let options = msl::Options { samplers, language, ..msl::Options::default() };
        let say =
            |error: &dyn std::fmt::Display| tracing::error!("{id} cannot be compiled: {error}; its draws are skipped");
        let made =
            shader.compile_msl_with(&self.profile, runtime, &options).inspect_err(|error| say(error)).ok().and_then(
                |artifact| {
                    self.count_source(id, artifact.source.len() as u64).inspect_err(|error| say(error)).ok()?;
                    let stage = artifact.reflection.stage;
                    Variant::new(artifact, (id, shader.hash()), device, stage).inspect_err(|error| say(error)).ok()
                },
            );
        self.failures += u64::from(made.is_none());
        made
    }

    /// Counts the bytes of a source.
    pub(crate) fn count_source(&mut self, id: ObjectId, bytes: u64) -> Result {
        let (asked, limit) = (self.translated.saturating_add(bytes), self.budget);
        if asked > limit {
            return Err(Error::Budget { what: id.to_string(), budget: Budget::Translated, asked, limit });
        }
        self.translated = asked;
        Ok(())
    }

    /// A variant by its number.
    pub(crate) fn variant(&self, number: u32) -> Option<&Variant<D>> {
        self.variants.get(number as usize)
    }

    /// To compile it.
    pub(crate) fn variant_mut(&mut self, number: u32) -> Option<&mut Variant<D>> {
        self.variants.get_mut(number as usize)
    }
}
