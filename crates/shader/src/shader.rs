//! Guest code that has been checked, what it depends on, and its compilation.

use afterimage_abi::varyings::d3d9::FIRST_EXTRA;
use afterimage_abi::{
    Bank, Compare, FogMode, GcnBank, LinkInfo, PixelOps, RuntimeInfo, Usage, bound, slots::TEXTURE_SLOTS,
};
use afterimage_ir::{self as ir, BuildError, Kind, Module, OutputAt, VerifyError};
use afterimage_msl as msl;
use afterimage_passes::clip_varyings::{self, Lanes};
use afterimage_passes::feedback::FeedbackError;
use afterimage_passes::rectangles::RectangleError;
use afterimage_passes::{FloatRules, guest_waves, wave_order};
use afterimage_shader_d3d9::ffp::{self, FixedPixelKey, FixedVertexKey};
use afterimage_shader_d3d9::io;
use afterimage_shader_d3d9::signature::{SamplerUse, Signature};
use afterimage_shader_d3d9::{self as d3d9, Constants, LiftError, ParseError, Program};
use afterimage_shader_gcn as gcn;
use afterimage_shader_nv2a as nv2a;
use afterimage_shader_spirv as spirv;
use afterimage_spirv::{Artifact, EmitError, Features};
use bytemuck::AnyBitPattern;
use smallvec::SmallVec;
use std::fmt;
use xxhash_rust::xxh3::Xxh3;

pub use afterimage_abi::{Language, Stage};

/// What the output depends on besides the shader: the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// Textures through runtime arrays and indices in push constants, instead of by slot.
    pub bindless: bool,
    /// How closely the guest's float rules are followed.
    pub float_rules: FloatRules,
    /// Shaders under the strict rules tell the driver to keep infinities, NaN and signs of zeros: see
    /// [`afterimage_spirv::Options::preserve`].
    pub preserve: bool,
    /// Names for debuggers in the SPIR-V.
    pub debug_names: bool,
    /// Lanes of a wave (`subgroupSize`), or 0 for what is not known. What the lanes of a work group that is one wave of the guest tell
    /// each other goes through memory if they are more.
    pub wave: u32,
    /// On devices without clip distances: the first of two locations by which the vertex stage hands them on to the pixel stage.
    pub clip_varyings: Option<u8>,
    /// What shaders may use besides.
    pub features: Features,
}

impl Default for Profile {
    /// What every device can do, to the letter.
    fn default() -> Self {
        Self {
            bindless: false,
            float_rules: FloatRules::Strict,
            preserve: false,
            debug_names: cfg!(debug_assertions),
            wave: 0,
            clip_varyings: None,
            features: Features::default(),
        }
    }
}

/// No alpha test.
const COMPARE_ALWAYS: u8 = Compare::Always as u8;

/// Most instructions of a translation: nothing ends a driver that compiles.
pub const MAX_INSTRUCTIONS: usize = 1 << 16;

/// Most instructions before the passes, which take four lanes apart and leave out what is not needed.
const MAX_LIFTED: usize = 2 * MAX_INSTRUCTIONS;

/// Why a shader cannot be compiled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompileError {
    /// The stream's number of a language that does not exist.
    #[error("shader language {0} is not known")]
    UnknownLanguage(u32),
    /// The tokens are no Direct3D 9 shader.
    #[error("Direct3D 9 shader, {0}")]
    Tokens(#[from] ParseError),
    /// The tokens cannot be translated.
    #[error("Direct3D 9 shader, {0}")]
    Lift(#[from] LiftError),
    /// It cannot draw rectangles.
    #[error("lists of rectangles on a device without geometry shaders: {0}")]
    Rectangles(#[from] RectangleError),
    /// A fixed-function key of the wrong size.
    #[error("the {language} key has {got} bytes instead of {expected}")]
    KeySize {
        /// Which key.
        language: &'static str,
        /// Bytes given.
        got: usize,
        /// Bytes of such a key.
        expected: usize,
    },
    /// IR text that is not UTF-8.
    #[error("the IR text is not UTF-8: byte {0}")]
    NotText(usize),
    /// IR text that does not parse.
    #[error("IR text, {0}")]
    IrText(#[from] ir::ParseError),
    /// The words are no SPIR-V module.
    #[error("SPIR-V module, {0}")]
    SpirvWords(#[from] spirv::ParseError),
    /// The SPIR-V module cannot be translated.
    #[error("SPIR-V module, {0}")]
    SpirvLift(#[from] spirv::LiftError),
    /// The bytes are no NV2A microcode.
    #[error("NV2A microcode, {0}")]
    Microcode(#[from] nv2a::ParseError),
    /// The bytes are no GCN source.
    #[error(transparent)]
    GcnSource(#[from] gcn::io::SourceError),
    /// The GCN program cannot be translated.
    #[error("GCN program, {0}")]
    GcnLift(#[from] gcn::LiftError),
    /// A key of what makes indices for GCN geometry shaders.
    #[error(transparent)]
    GcnEmitted(#[from] gcn::emitted::NoProgram),
    /// IR or SPIR-V of a stream that reads or writes memory by addresses of its own.
    #[error(
        "the shader accesses memory by address, which only a guest's code may, whose translation checks every access"
    )]
    RawAddresses,
    /// IR or SPIR-V of a stream that declares more than there is.
    #[error("the shader declares more than there is: {0}")]
    Declared(#[from] crate::declared::Excess),
    /// More instructions than drivers take in reasonable time and memory.
    #[error("the translation has {instructions} instructions, the budget for a shader is {limit}")]
    TooLong {
        /// Instructions.
        instructions: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A vertex shader whose captures cannot be made memory writes.
    #[error("transform feedback: {0}")]
    Feedback(#[from] FeedbackError),
    /// A module that breaks the rules of the IR.
    #[error("IR, {0}")]
    Verify(#[from] VerifyError),
    /// A module that could not be built.
    #[error("IR: {0}")]
    Build(#[from] BuildError),
    /// A module that cannot be written as SPIR-V.
    #[error("SPIR-V: {0}")]
    Emit(#[from] EmitError),
    /// A module that cannot be written as Metal's language.
    #[error("MSL: {0}")]
    Msl(#[from] msl::EmitError),
}

/// Content hash of all that an artifact depends on: code, profile, and the part of the runtime info that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheKey(pub u128);

impl CacheKey {
    /// The key of code by its hash ([`Shader::hash`]), for a device, in a state that [`Shader::normalized`] gave. Another
    /// build of the compiler has other keys.
    pub fn new(code: u128, profile: &Profile, normalized: &RuntimeInfo) -> Self {
        let Profile { bindless, float_rules, preserve, debug_names, wave, clip_varyings, features } = *profile;
        let mut hash = Xxh3::new();
        hash.update(&crate::compiler().to_le_bytes());
        hash.update(&code.to_le_bytes());
        hash.update(&wave.to_le_bytes());
        hash.update(&[bindless.into(), debug_names.into(), preserve.into(), float_rules as u8]);
        hash.update(&[clip_varyings.is_some().into(), clip_varyings.unwrap_or(0)]);
        let Features {
            float64,
            int64_atomics,
            shared_int64_atomics,
            image_int64_atomics,
            shuffle,
            vertex_layer,
            stencil_export,
            geometry,
            streams,
            tables,
            feedback,
            interlock,
        } = features;
        let long = [int64_atomics, shared_int64_atomics];
        let out = [vertex_layer, stencil_export, geometry, streams, feedback];
        let flags = [float64, long[0], long[1], shuffle, out[0], out[1], out[2], out[3], out[4], tables];
        hash.update(&flags.map(u8::from));
        hash.update(&[interlock.into(), image_int64_atomics.into()]);
        hash.update(bytemuck::bytes_of(normalized));
        Self(hash.digest128())
    }
}

impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A shader in guest code.
#[derive(Clone, Debug)]
pub struct Shader {
    code: Code,
    stage: Stage,
    hash: u128,
    /// Vertex shaders: what they write.
    link: LinkInfo,
    /// Pixel shaders: what they read.
    inputs: SmallVec<[(Usage, u8); 12]>,
    /// Which parts of [`RuntimeInfo`] matter.
    depends: Depends,
    /// Whether the language is [`Language::Ir`] or [`Language::Spirv`].
    comes_as_module: bool,
}

#[derive(Clone, Debug)]
enum Code {
    D3d9 { program: Box<Program>, signature: Box<Signature> },
    FixedVertex(Box<FixedVertexKey>),
    FixedPixel(Box<FixedPixelKey>),
    Ir(Box<Module>),
    Nv2aPixel(Box<nv2a::pixel::Key>),
    Gcn(Box<gcn::io::Source>),
}

#[derive(Clone, Copy, Debug, Default)]
struct Depends {
    /// Alpha test, flat shading and point sprites.
    pixel_ops: bool,
    /// Fog of the pixel pipeline.
    fog: bool,
    /// Whether a point size must be added, or kept within limits, where points are drawn.
    point_size: bool,
    /// Clip planes.
    clip_planes: bool,
    /// Bit per texture slot whose shape the runtime says.
    shape: u32,
    /// [`bound`] of each of those slots with which the shader is as with nothing bound.
    declared: [u8; TEXTURE_SLOTS],
    /// Bit per texture slot that may be a shadow texture, or be looked up four texels at a time.
    shadow: u32,
    /// Bit per texture slot whose coordinates may be projected by the runtime.
    projected: u32,
}

impl Shader {
    /// Reads and checks guest code.
    ///
    /// # Errors
    /// What is wrong with the code. What is right but not supported is only found by [`Shader::compile`].
    pub fn new(language: Language, code: &[u8]) -> Result<Self, CompileError> {
        let hash = content_hash(language, code);
        let vertex = |code, link, depends| Self {
            code,
            stage: Stage::Vertex,
            hash,
            link,
            inputs: SmallVec::new(),
            depends: Depends { clip_planes: true, ..depends },
            comes_as_module: false,
        };
        Ok(match language {
            Language::D3d9 => return Self::d3d9(code, hash, Constants::OfModel),
            Language::FixedVertex => {
                let key: FixedVertexKey = read_key(language, code)?;
                let depends = Depends { point_size: true, ..Depends::default() };
                vertex(Code::FixedVertex(Box::new(key)), io::link_of_fixed_vertex(&key), depends)
            }
            Language::FixedPixel => {
                let key: FixedPixelKey = read_key(language, code)?;
                let slots = (1 << key.active().count()) - 1;
                Self {
                    stage: Stage::Pixel,
                    hash,
                    link: LinkInfo::default(),
                    inputs: io::fixed_pixel_inputs(&key).collect(),
                    depends: Depends { pixel_ops: true, fog: true, shadow: slots, ..Depends::default() },
                    comes_as_module: false,
                    code: Code::FixedPixel(Box::new(key)),
                }
            }
            Language::Ir => {
                let text = std::str::from_utf8(code).map_err(|e| CompileError::NotText(e.valid_up_to()))?;
                let module = ir::parse(text)?;
                ir::verify(&module)?;
                Self { comes_as_module: true, ..Self::of_module(module, hash) }
            }
            Language::Nv2aPixel => Self {
                stage: Stage::Pixel,
                hash,
                link: LinkInfo::default(),
                inputs: SmallVec::new(),
                depends: Depends::default(),
                comes_as_module: false,
                code: Code::Nv2aPixel(Box::new(read_key(language, code)?)),
            },
            Language::Spirv => {
                let program = spirv::Program::from_bytes(code)?;
                let module = spirv::lift(&program, &spirv::Options::default())?.module;
                Self { comes_as_module: true, ..Self::of_module(module, hash) }
            }
            Language::Gcn => {
                let source = gcn::io::Source::from_bytes(code)?;
                Self {
                    stage: gcn_stage(&source),
                    hash,
                    link: LinkInfo::default(),
                    inputs: SmallVec::new(),
                    depends: Depends::default(),
                    comes_as_module: false,
                    code: Code::Gcn(Box::new(source)),
                }
            }
            Language::GcnEmitted => Self::of_module(gcn::emitted::lift(read_key(language, code)?)?, hash),
            Language::Nv2aProgram => Self::of_module(nv2a::lift(&nv2a::Program::from_bytes(code)?)?, hash),
            Language::Nv2aFixed => Self::of_module(nv2a::fixed::lift(&read_key(language, code)?)?, hash),
        })
    }

    /// A shader that depends on nothing around it, but for points to which it gives no size.
    fn of_module(module: Module, hash: u128) -> Self {
        let point_size = module.stage == Stage::Vertex && !module.writes_point_size();
        Self {
            stage: module.stage,
            hash,
            link: link_of_module(&module),
            inputs: SmallVec::new(),
            depends: Depends { point_size, ..Depends::default() },
            comes_as_module: false,
            code: Code::Ir(Box::new(module)),
        }
    }

    /// As [`Shader::new`], with the language as the stream has it. The guest has seen to it that a vertex shader has
    /// more constants only where its device processes vertices in software.
    ///
    /// # Errors
    /// [`CompileError::UnknownLanguage`], and those of [`Shader::new`].
    pub fn from_stream(language: u32, code: &[u8]) -> Result<Self, CompileError> {
        match Language::from_number(language).ok_or(CompileError::UnknownLanguage(language))? {
            Language::D3d9 => Self::d3d9(code, content_hash(Language::D3d9, code), Constants::OfSoftware),
            Language::Spirv => {
                let mut shader = Self::new(Language::Spirv, code)?;
                if let Code::Ir(module) = &mut shader.code {
                    own_banks(module);
                }
                Ok(shader)
            }
            language => Self::new(language, code),
        }
    }

    fn d3d9(code: &[u8], hash: u128, constants: Constants) -> Result<Self, CompileError> {
        let tokens = d3d9::tokens_from_bytes(code)?;
        let program = Program::parse_with(&tokens, constants)?;
        let signature = Signature::of(&program);
        let model_3 = signature.version.major >= 3;
        let (mut shape, mut declared) = (0, [bound::NONE; TEXTURE_SLOTS]);
        let before_1_4 = signature.version.major == 1 && signature.version.minor < 4;
        let vertex = signature.stage() == d3d9::tables::Stage::Vertex;
        let first = if vertex { 16 } else { 0 };
        for (slot, sampler) in signature.samplers.iter().enumerate() {
            let (Some(sampler), Some(declared)) = (sampler, declared.get_mut(slot + first)) else { continue };
            shape |= 1 << (slot + first);
            *declared = match sampler {
                SamplerUse::Declared(d3d9::tables::TextureDimension::Cube) => bound::CUBE,
                SamplerUse::Declared(d3d9::tables::TextureDimension::Volume) => bound::D3,
                _ => bound::D2,
            };
        }
        let depends = Depends {
            pixel_ops: !vertex,
            fog: !vertex && !model_3,
            point_size: vertex,
            clip_planes: vertex,
            shape,
            declared,
            shadow: shape,
            projected: if before_1_4 && !vertex { shape } else { 0 },
        };
        Ok(Self {
            stage: if vertex { Stage::Vertex } else { Stage::Pixel },
            hash,
            link: if vertex { io::link_of_vertex_shader(&signature) } else { LinkInfo::default() },
            inputs: match vertex {
                true => SmallVec::new(),
                false => signature.inputs.iter().map(|e| (e.usage, e.index)).collect(),
            },
            depends,
            comes_as_module: false,
            code: Code::D3d9 { program: Box::new(program), signature: Box::new(signature) },
        })
    }

    /// The module of code that comes as a module, in IR text or SPIR-V: what it declares is the word of whoever wrote it, where the
    /// declarations of a guest's code are those of its translation.
    pub fn declared(&self) -> Option<&Module> {
        match &self.code {
            Code::Ir(module) if self.comes_as_module => Some(module),
            _ => None,
        }
    }

    /// Whether the code itself says which memory it reads or writes. Code of a guest does not: its translation keeps inside of
    /// the buffers that the guest has bound.
    pub fn has_raw_addresses(&self) -> bool {
        let Some(module) = self.declared() else { return false };
        let mut found = false;
        module.for_each_inst(|_, inst| {
            found |= matches!(inst.op, ir::Op::LoadGlobal | ir::Op::StoreGlobal | ir::Op::AtomicGlobal);
        });
        found
    }

    /// The stage that the code is for.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Content hash of the code and its language.
    pub fn hash(&self) -> u128 {
        self.hash
    }

    /// Whether a vertex stage writes everything that this pixel shader reads. Of one in IR or GCN code nobody knows what it reads
    /// before it is translated: nothing is sure to feed it.
    pub fn is_fed_by(&self, link: &LinkInfo) -> bool {
        !matches!(self.code, Code::Ir(_) | Code::Gcn(_))
            && self.inputs.iter().all(|(usage, index)| link.location(*usage, *index).is_some())
    }

    /// Whether this alpha test and fog, as in [`PixelOps`](PixelOps), do anything to the shader: then a module with
    /// `generic` serves it and all others, without them one that has neither.
    pub fn wants_generic(&self, alpha_compare: u8, fog: u8) -> bool {
        let Depends { pixel_ops, fog: has_fog, .. } = self.depends;
        pixel_ops && (alpha_compare < COMPARE_ALWAYS || (has_fog && fog != 0))
    }

    /// What a vertex shader writes: [`RuntimeInfo::link`] of the pixel shaders that are used with it.
    pub fn link(&self) -> LinkInfo {
        self.link
    }

    /// Clip distances that a vertex shader writes in the state around it: [`PixelOps::clip_distances`] of the pixel shaders that are
    /// used with it, on devices that have none.
    pub fn clip_distances(&self, runtime: &RuntimeInfo) -> u8 {
        let lanes = match &self.code {
            Code::Ir(module) => Lanes::of(module),
            Code::Gcn(source) => Lanes(gcn::clip_distances(source)),
            Code::D3d9 { .. } | Code::FixedVertex(_) => {
                let planes = self.normalized(runtime).vertex_ops.clip_planes.count_ones() as u8;
                Lanes([planes.min(4), planes.saturating_sub(4)])
            }
            Code::FixedPixel(_) | Code::Nv2aPixel(_) => Lanes::default(),
        };
        if self.stage == Stage::Vertex { lanes.to_byte() } else { 0 }
    }

    /// A link under which a pixel shader gets everything that it reads; to translate one alone.
    pub fn own_link(&self) -> LinkInfo {
        match &self.code {
            Code::D3d9 { signature, .. } => io::link_of_pixel_shader(signature),
            _ => LinkInfo { mask: LinkInfo::EVERY_FIXED, ..LinkInfo::default() },
        }
    }

    /// The runtime info with all that makes no difference to this shader set to zero, so that equal code is compiled
    /// once. Compile and look up with any; this is only of use as a key.
    #[must_use]
    pub fn normalized(&self, runtime: &RuntimeInfo) -> RuntimeInfo {
        let mut own = RuntimeInfo { records: runtime.records, ..RuntimeInfo::default() };
        let depends = &self.depends;
        if depends.pixel_ops {
            let ops = runtime.pixel_ops;
            let reads = |usage: Usage| self.inputs.iter().any(|(other, _)| *other == usage);
            let generic = ops.generic != 0;
            let reads_fog = depends.fog && (generic || ops.fog == FogMode::Vertex as u8);
            let fog_by_color = reads_fog && runtime.link.fog().is_some_and(|(usage, _)| usage == Usage::Color);
            own.pixel_ops = PixelOps {
                alpha_compare: if generic { COMPARE_ALWAYS } else { ops.alpha_compare.min(COMPARE_ALWAYS) },
                fog: if depends.fog && !generic { ops.fog } else { 0 },
                flat: if reads(Usage::Color) || fog_by_color { ops.flat } else { 0 },
                point_sprite: if reads(Usage::TexCoord) { ops.point_sprite } else { 0 },
                generic: ops.generic,
                srgb_write: ops.srgb_write,
                ..own.pixel_ops
            };
            own.link = runtime.link.seen_by(self.inputs.iter().copied(), reads_fog);
        }
        if self.stage == Stage::Pixel {
            own.pixel_ops.signed_part = runtime.pixel_ops.signed_part;
            own.pixel_ops.clip_distances = runtime.pixel_ops.clip_distances;
        }
        if depends.point_size {
            own.vertex_ops.point_size = runtime.vertex_ops.point_size;
        }
        if self.stage == Stage::Vertex && matches!(self.code, Code::Ir(_) | Code::Gcn(_)) {
            own.vertex_ops.rectangles = runtime.vertex_ops.rectangles;
        }
        if depends.clip_planes {
            own.vertex_ops.clip_planes = runtime.vertex_ops.clip_planes & 0x3F;
        }
        for (slot, (own, bound)) in own.textures.iter_mut().zip(runtime.textures).enumerate() {
            let relevant = |mask: u32, flags: u8| if mask >> slot & 1 != 0 { flags } else { 0 };
            let (kind, declared) = (bound & relevant(depends.shape, bound::KIND), depends.declared[slot]);
            let lookup = if kind == bound::NONE { declared } else { kind };
            let shadow = if matches!(lookup, bound::NONE | bound::D2) { depends.shadow } else { 0 };
            *own = if kind == declared { bound::NONE } else { kind }
                | bound
                    & (relevant(shadow, bound::SHADOW | bound::FETCH4 | bound::FETCH4_ALPHA)
                        | relevant(depends.projected, bound::PROJECTED));
        }
        own
    }

    /// The key under which the artifact for these is kept.
    pub fn key(&self, profile: &Profile, runtime: &RuntimeInfo) -> CacheKey {
        CacheKey::new(self.hash, profile, &self.normalized(runtime))
    }

    /// Translates to IR, before any pass.
    ///
    /// # Errors
    /// What cannot be translated.
    pub fn lift(&self, runtime: &RuntimeInfo) -> Result<Module, CompileError> {
        Ok(match &self.code {
            Code::D3d9 { program, signature } => d3d9::lift::lift_program(program, signature, runtime)?,
            Code::FixedVertex(key) => ffp::lift_fixed_vertex(key, runtime)?,
            Code::FixedPixel(key) => ffp::lift_fixed_pixel(key, runtime)?,
            Code::Ir(module) => {
                let mut module = module.as_ref().clone();
                if module.stage == Stage::Geometry || runtime.vertex_ops.point_size != 0 {
                    afterimage_passes::point_size::run(&mut module);
                }
                module
            }
            Code::Nv2aPixel(key) => nv2a::pixel::lift(key)?,
            Code::Gcn(source) => {
                let mut module = gcn::lift(source)?;
                for bank in &mut module.banks {
                    bank.id = Bank::gcn(self.stage, GcnBank::ALL[usize::from(bank.id)]) as u8;
                }
                module
            }
        })
    }

    /// Translates to IR and runs the passes: what every back end writes.
    ///
    /// # Errors
    /// What cannot be translated.
    pub fn module(&self, profile: &Profile, runtime: &RuntimeInfo) -> Result<Module, CompileError> {
        let mut module = self.lift(runtime)?;
        crate::signed::split(&mut module, runtime.pixel_ops.signed_part);
        if self.normalized(runtime).vertex_ops.rectangles != 0 {
            afterimage_passes::rectangles::run(&mut module)?;
        }
        if let Some(first) = profile.clip_varyings {
            clip_varyings::hand_on(&mut module, first);
            clip_varyings::throw_away(&mut module, first, Lanes::from_byte(runtime.pixel_ops.clip_distances));
        }
        // Guest code has been through a front end that we trust only so far; the passes and the back ends rely on this.
        ir::verify(&module)?;
        check_length(&module, MAX_LIFTED)?;
        afterimage_passes::optimize(&mut module, &afterimage_passes::Options { float_rules: profile.float_rules });
        check_length(&module, MAX_INSTRUCTIONS)?;
        let in_step = match &self.code {
            Code::Gcn(source) if source.stage == gcn::io::HwStage::Cs => wave_order::run(&mut module, profile.wave),
            _ => true,
        };
        if !guest_waves::run(&mut module, profile.wave) || !in_step {
            tracing::warn!("shader {:032x}: no shared memory is left for a wave of the guest's size", self.hash);
        }
        Ok(module)
    }

    /// Compiles to SPIR-V for a device and the state around the shader.
    ///
    /// # Errors
    /// What cannot be translated.
    pub fn compile(&self, profile: &Profile, runtime: &RuntimeInfo) -> Result<Artifact, CompileError> {
        emit(&self.module(profile, runtime)?, profile, runtime.records != 0)
    }

    /// Compiles to Metal's language for the state around the shader. Of the profile only the float rules matter.
    ///
    /// # Errors
    /// What cannot be translated.
    pub fn compile_msl(&self, profile: &Profile, runtime: &RuntimeInfo) -> Result<msl::Artifact, CompileError> {
        self.compile_msl_with(profile, runtime, &msl::Options::default())
    }

    /// As [`Shader::compile_msl`], with choices of the writer.
    ///
    /// # Errors
    /// What cannot be translated.
    pub fn compile_msl_with(
        &self,
        profile: &Profile,
        runtime: &RuntimeInfo,
        options: &msl::Options,
    ) -> Result<msl::Artifact, CompileError> {
        Ok(msl::emit(&self.module(profile, runtime)?, options)?)
    }
}

/// Writes a module that has gone through the passes as SPIR-V, which reads push constants, or records in their place.
pub(crate) fn emit(module: &Module, profile: &Profile, records: bool) -> Result<Artifact, CompileError> {
    check_length(module, MAX_INSTRUCTIONS)?;
    let Profile { bindless, float_rules, preserve, debug_names, features, .. } = *profile;
    let preserve = preserve && float_rules.strict_in(module.stage);
    let options = afterimage_spirv::Options { bindless, preserve, debug_names, features };
    let emit = if records { afterimage_spirv::emit_with_records } else { afterimage_spirv::emit };
    Ok(emit(module, &options)?)
}

/// Whether a translation is no longer than it may be.
fn check_length(module: &Module, limit: usize) -> Result<(), CompileError> {
    let mut instructions = 0;
    module.for_each_inst(|_, _| instructions += 1);
    if instructions > limit { Err(CompileError::TooLong { instructions, limit }) } else { Ok(()) }
}

/// The stage in which a program of a hardware stage runs: what feeds geometry and tessellation, and what captures for stream-out,
/// runs as compute shaders.
fn gcn_stage(source: &gcn::io::Source) -> Stage {
    match source.stage {
        gcn::io::HwStage::Ps => Stage::Pixel,
        gcn::io::HwStage::Vs if !source.captures() => Stage::Vertex,
        _ => Stage::Compute,
    }
}

/// SPIR-V has no numbers for its blocks: the stream's are those of the stage, its floats, integers and booleans, in this order.
fn own_banks(module: &mut Module) {
    let first = match module.stage {
        Stage::Pixel => Bank::PixelFloat as u8,
        Stage::Vertex | Stage::Geometry | Stage::Compute => return,
    };
    for bank in module.banks.iter_mut().filter(|bank| bank.source == ir::BankSource::Stage) {
        // What there is no bank for is refused.
        bank.id = bank.id.saturating_add(first);
    }
}

/// Hash of guest code, by which artifacts are found.
fn content_hash(language: Language, code: &[u8]) -> u128 {
    let mut hash = Xxh3::new();
    hash.update(&(language as u32).to_le_bytes());
    hash.update(code);
    hash.digest128()
}

fn read_key<K: AnyBitPattern>(language: Language, code: &[u8]) -> Result<K, CompileError> {
    bytemuck::try_pod_read_unaligned(code).map_err(|_| CompileError::KeySize {
        language: language.name(),
        got: code.len(),
        expected: size_of::<K>(),
    })
}

/// The varyings with fixed locations that a module in IR writes. Those are floats.
fn link_of_module(module: &Module) -> LinkInfo {
    let locations = module.outputs.iter().filter_map(|output| match output.at {
        OutputAt::Location(location) if location < FIRST_EXTRA && output.ty.kind != Kind::Int => Some(location),
        _ => None,
    });
    LinkInfo { mask: locations.fold(0, |mask, location| mask | 1 << location), ..LinkInfo::default() }
}
