//! Facade over shader front ends and back ends: guest code in, SPIR-V and reflection out.
//!
//! ```
//! use afterimage_shader::{Language, Profile, RuntimeInfo, Shader};
//! # let tokens = afterimage_shader_d3d9::assemble("vs_2_0\ndcl_position v0\nmov oPos, v0").unwrap();
//! let shader = Shader::new(Language::D3d9, bytemuck::cast_slice(&tokens))?;
//! let artifact = shader.compile(&Profile::default(), &RuntimeInfo::default())?;
//! assert_eq!(artifact.words[0], 0x0723_0203);
//! # Ok::<(), afterimage_shader::CompileError>(())
//! ```
//!
//! * [`Shader`]: guest code, checked once, and the part of [`RuntimeInfo`] that it depends on.
//! * [`CacheKey`]: the content hash of everything that a compilation depends on.
//! * [`DiskCache`]: artifacts that outlive the process. [`Compiler`] puts the two together. [`store`] has what cache
//!   directories have in common.
#![forbid(unsafe_code)]

mod artifact;
mod cache;
pub mod declared;
mod drawn_geometry;
mod lowered_feedback;
mod shader;
mod signed;
pub mod store;

pub use afterimage_abi::slots::TEXTURE_SLOTS;
pub use afterimage_abi::{FogMode, LinkInfo, PixelOps, RuntimeInfo, VertexOps, bound, spec};
pub use afterimage_msl as msl;
pub use afterimage_passes::{FloatRules, feedback};
pub use afterimage_spirv::Features;
pub use afterimage_spirv::{Artifact, ConstDef, InputUse, OutputUse, Reflection, Segment, SpecUse, TextureUse};
pub use artifact::{ArtifactError, decode_artifact, encode_artifact};
pub use cache::{DiskCache, compiler};
pub use drawn_geometry::{Drawing, DrawnGeometry};
pub use lowered_feedback::prepare;
pub use shader::{CacheKey, CompileError, Language, MAX_INSTRUCTIONS, Profile, Shader, Stage};

/// Compiles a shader in one call; [`Shader`] keeps what can be shared between calls.
///
/// # Errors
/// See [`CompileError`].
pub fn compile(
    language: Language,
    code: &[u8],
    profile: &Profile,
    runtime: &RuntimeInfo,
) -> Result<Artifact, CompileError> {
    Shader::new(language, code)?.compile(profile, runtime)
}

/// Compiles with a disk cache behind it.
#[derive(Debug, Default)]
pub struct Compiler {
    /// What the device can do.
    pub profile: Profile,
    /// Where artifacts are kept; none keeps nothing.
    pub cache: Option<DiskCache>,
}

impl Compiler {
    /// Gives the artifact from the cache, or compiles it and puts it there. Trouble with the cache is logged and does
    /// no harm.
    ///
    /// # Errors
    /// See [`CompileError`].
    pub fn compile(&self, shader: &Shader, runtime: &RuntimeInfo) -> Result<Artifact, CompileError> {
        self.cached(shader.key(&self.profile, runtime), || shader.compile(&self.profile, runtime))
    }

    /// The artifact of a key from the cache; else it is made and put there.
    fn cached(
        &self,
        key: CacheKey,
        compile: impl FnOnce() -> Result<Artifact, CompileError>,
    ) -> Result<Artifact, CompileError> {
        if let Some(artifact) = self.cache.as_ref().and_then(|cache| cache.get(key)) {
            return Ok(artifact);
        }
        let artifact = compile()?;
        if let Some(cache) = &self.cache {
            cache.put(key, &artifact);
        }
        Ok(artifact)
    }
}

/// Fuzz entry: bytes as Direct3D 9 tokens are parsed, disassembled, assembled again, lifted and compiled; as keys of the
/// fixed-function stages they are compiled too. Nothing may panic.
pub fn fuzz_tokens(bytes: &[u8]) {
    use afterimage_shader_d3d9 as d3d9;
    let Ok(tokens) = d3d9::tokens_from_bytes(&bytes[..bytes.len() & !3]) else { return };
    let _ = d3d9::token_length(|at| tokens.get(at).copied());
    let _ = d3d9::signature(&tokens);
    if let Ok(program) = d3d9::Program::parse(&tokens) {
        let _ = d3d9::assemble(&program.to_string());
    }
    let runtime = RuntimeInfo::default();
    for (language, size) in [
        (Language::D3d9, tokens.len() * 4),
        (Language::FixedVertex, size_of::<d3d9::FixedVertexKey>()),
        (Language::FixedPixel, size_of::<d3d9::FixedPixelKey>()),
    ] {
        if let Some(code) = bytes.get(..size) {
            let _ = compile(language, code, &Profile::default(), &runtime);
        }
    }
}

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
