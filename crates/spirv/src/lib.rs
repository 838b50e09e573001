//! SPIR-V back end of the IR: Vulkan 1.3, its own writer, small output.
//!
//! [`emit`] turns a verified module into an [`Artifact`]: words and a [`Reflection`] that tells the renderer what to bind. The
//! module must have gone through the `float_rules` pass; every other pass only makes the output better.
//!
//! # Shader ABI
//! * Push constants, 128 bytes, all stages: bytes 0, 8, 16 the addresses of the vertex stage's constants, the pixel or compute
//!   stage's constants, and the system block; byte 24 that of the geometry stage's constants; where the other stage of a pair has its
//!   constants (8 in the vertex stage, 0 in the compute stage) the address of the system values of a lowered transform feedback; from
//!   byte 32 on a `u32` per texture slot (16 pixel, 4 vertex; in compute pipelines the 20 of the compute stage): bits 0..20 index of the
//!   texture, bits 20..32 index of the sampler.
//! * With [`emit_with_records`] push constants have the address of records at byte 0, each of which is such a block of 128 bytes; the vertex
//!   stage writes the number of the draw to location 31.
//! * Constants: 16-byte registers, the segments of [`Reflection::segments`] one after the other behind the stage's address;
//!   the system block's register `n` is at byte `16 * n`, as are those of feedback.
//! * Descriptor set 0: bindings 0 `texture2D[]`, 1 `textureCube[]`, 2 `texture3D[]`, 3 `sampler[]`, 4 `texture2DArray[]`,
//!   5 `textureCubeArray[]`, 6 `texture2DMS[]`, 7 `texture2DMSArray[]`; runtime arrays if [`Options::bindless`], else arrays of 20 by
//!   slot, where the compute stage's slot 20 is element 0. Textures of integers lie in the same arrays.
//! * Descriptor set 1: the storage image of each slot at the binding of that number, never an array. Cubes and their arrays are views
//!   of 2D arrays; an image of `r32` needs a view of `R32_UINT`, `R32_SINT` or `R32_SFLOAT`, one of `r64` a view of `R64_UINT`.
//! * Memory is reached by address; addresses are made multiples of four (eight for 64-bit atomic operations), not checked.
//! * What is captured ([`Features::feedback`]) has Vulkan's decorations. Parts of outputs, and what is captured twice, are outputs more,
//!   at locations that the module does not use.
//! * Positions are `Invariant`, and what they, clip distances, depth and memory of the compute stage depend on is `NoContraction`: see
//!   [`afterimage_ir::exact`].
//! * Nothing is `RelaxedPrecision`, whatever the guest says (`_pp`): desktop drivers ignore it, and where it has an effect, on
//!   mobile GPUs, it means 16 bits also for texture coordinates and depths, which Direct3D 9 programs marked so without harm on the
//!   cards of their time that computed with 24 bits and more.
//! * The entry point is `main`. Push constants hold pointers, so 64-bit integers are not needed.
#![forbid(unsafe_code)]

mod bound;
mod declared;
mod doubles;
mod elsewhere;
mod emit;
mod feedback;
mod geometry;
mod images;
mod interface;
mod memory;
mod module;
mod numbers;
mod ops;
mod records;
mod spec;
mod wave;
mod words;

use afterimage_ir::Module;
pub use afterimage_ir::{
    ConstDef, FeedbackUse, ImageUse, InputUse, OutputUse, Reflection, Segment, SpecUse, TextureUse,
};
pub use bound::Bound;

/// Choices that depend on the device or on who looks. The default is for any device with Vulkan 1.3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// Textures and samplers through runtime arrays and indices in the push constants; needs `runtimeDescriptorArray` and
    /// `shaderSampledImageArrayDynamicIndexing`. Otherwise fixed arrays by slot.
    pub bindless: bool,
    /// Infinities, NaN and signs of zeros are kept (`SignedZeroInfNanPreserve`): the driver may not compute as if there were none.
    /// Needs `shaderSignedZeroInfNanPreserveFloat32`.
    pub preserve: bool,
    /// Names of inputs, outputs, variables and blocks for debuggers.
    pub debug_names: bool,
    /// What the device can do besides.
    pub features: Features,
}

/// What not every device can do. Where the shader needs what is missing, writing it fails and says so, unless noted otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Features {
    /// `shaderFloat64`.
    pub float64: bool,
    /// `shaderInt64` and `shaderBufferInt64Atomics`.
    pub int64_atomics: bool,
    /// `shaderInt64` and `shaderSharedInt64Atomics`.
    pub shared_int64_atomics: bool,
    /// `shaderInt64`, and `shaderImageInt64Atomics` of `VK_EXT_shader_image_atomic_int64`: images of `r64`.
    pub image_int64_atomics: bool,
    /// `VK_SUBGROUP_FEATURE_SHUFFLE_BIT`. Without it lanes are asked one after the other.
    pub shuffle: bool,
    /// `shaderOutputLayer` and `shaderOutputViewportIndex`.
    pub vertex_layer: bool,
    /// `VK_EXT_shader_stencil_export`. Without it the output is left out; the reflection has it, so that the host can say so.
    pub stencil_export: bool,
    /// `geometryShader`, and `shaderTessellationAndGeometryPointSize`.
    pub geometry: bool,
    /// `geometryStreams`: geometry shaders emit into other streams than the first.
    pub streams: bool,
    /// `shaderSampledImageArrayNonUniformIndexing`, besides what [`Options::bindless`] needs: textures that the shader takes out of tables.
    pub tables: bool,
    /// `transformFeedback`. Without it what is captured is left out; the reflection has it, so that the host can capture it otherwise.
    pub feedback: bool,
    /// `fragmentShaderPixelInterlock`. Without it pixels are in the order in which the device runs them; the reflection has it, so that the
    /// host can say so.
    pub interlock: bool,
}

impl Features {
    /// Everything.
    pub const ALL: Features = Features {
        float64: true,
        int64_atomics: true,
        shared_int64_atomics: true,
        image_int64_atomics: true,
        shuffle: true,
        vertex_layer: true,
        stencil_export: true,
        geometry: true,
        streams: true,
        tables: true,
        feedback: true,
        interlock: true,
    };
}

/// A shader for the driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artifact {
    /// The SPIR-V module.
    pub words: Vec<u32>,
    /// What it uses.
    pub reflection: Reflection,
}

/// Why a module cannot be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EmitError {
    /// A guest float opcode is left.
    #[error("`{0}` must be lowered by the float_rules pass before SPIR-V is written")]
    GuestFloat(&'static str),
    /// The shader needs what the device cannot do.
    #[error("`{what}` needs {feature}, which the device does not have")]
    Missing {
        /// An opcode, or a builtin.
        what: &'static str,
        /// The feature, as Vulkan calls it.
        feature: &'static str,
    },
    /// Captures need places that nobody reads, for which there are too few locations.
    #[error("there are not enough locations for what is captured of parts of outputs")]
    Feedback,
    /// Something that nothing binds: it is not among the bindings that were given, or needs bindings and none were.
    #[error("{0} is not bound: the bindings of the shader that it comes from do not have it")]
    Unbound(&'static str),
    /// A place for the address of system values that there is not.
    #[error(
        "push constants cannot have an address at byte {offset}: it is a multiple of 8, and not within the shader's own, which end at {taken}"
    )]
    Push {
        /// Where it should be.
        offset: u32,
        /// Where the shader's own end.
        taken: u32,
    },
    /// A use of an input, output or other declaration that the module does not have, or an immediate of the wrong kind.
    #[error("`{0}` is malformed: the module was not verified")]
    Malformed(&'static str),
}

/// Writes `module`, which must be verified.
///
/// # Errors
/// When the module holds what no pass has lowered, or was not verified.
pub fn emit(module: &Module, options: &Options) -> Result<Artifact, EmitError> {
    module::emit(module, options, None, false)
}

/// Writes `module`, which must be verified, for draws of which many are recorded in one call: a vertex or pixel shader reads what is in push
/// constants otherwise from its draw's record ([`afterimage_abi::push`]). That needs `shaderDrawParameters`, 32 locations, and with
/// [`Options::bindless`] `shaderSampledImageArrayNonUniformIndexing`. Shaders of other stages, which have no draws, are as [`emit`] writes
/// them.
///
/// # Errors
/// As [`emit`].
pub fn emit_with_records(module: &Module, options: &Options) -> Result<Artifact, EmitError> {
    module::emit(module, options, None, true)
}

/// Writes `module`, which must be verified, so that it reads constants and textures where the shader read them that it was translated
/// from: in uniform blocks, storage buffers, push constants and descriptors of its own. [`Options::bindless`] is not looked at.
///
/// # Errors
/// As [`emit`]; and when a bank or texture is not among the bindings, or the push constants have no room where the address of system
/// values should be.
pub fn emit_bound(module: &Module, options: &Options, bound: &Bound<'_>) -> Result<Artifact, EmitError> {
    module::emit(module, options, Some(bound), false)
}

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
