//! Metal Shading Language back end of the IR: source text for Metal 2.4 and later.
//!
//! [`emit`] turns a verified module into an [`Artifact`]: source, the [`Reflection`] that every back end gives, and the
//! [`Binding`]s: each thing in the source that has an attribute, with its index. The module must have gone through the
//! `float_rules` pass; every other pass only makes the output better.
//!
//! # Shader ABI
//! * Constants: `constant float4* constants [[buffer(0)]]`, the segments of [`Reflection::segments`] one after the other, 16
//!   bytes a register; the system block is `[[buffer(1)]]`, register `n` at byte `16 * n`.
//! * The system values of a lowered transform feedback are `constant uint4* feedback [[buffer(2)]]`: the block itself, where Vulkan has
//!   its address in the push constants.
//! * The storage buffer of the bank with id `i` is `device const uint4* [[buffer(3 + i)]]` ([`storage_index`]), register `n` at byte
//!   `16 * n`. Numbers of registers that the shader computes are clamped to the bank; so many whole registers must be there.
//! * Other memory is reached by address: `MTLBuffer.gpuAddress`, as a `uint2`, low half first. Addresses are made multiples of four, not
//!   checked. This takes a GPU with Metal 3, and in the vertex stage one whose vertex functions can write.
//! * Textures and samplers: `[[texture(n)]]`, `[[sampler(n)]]`, `n` being the slot in the pixel stage, the slot - 16 in the vertex
//!   stage and the slot - 20 in the compute stage, since Metal's argument tables are per stage ([`texture_index`]).
//! * Storage images: `[[texture(20 + n)]]`, `n` being the slot ([`image_index`]). Cubes are arrays of their faces.
//! * Where samplers have what Metal's have not ([`Samplers`]), `constant float4* samplers [[buffer(13)]]` has two registers for each texture
//!   of the argument table: the border, and the bias of the level of detail in x, behind which is what comparisons give whose reference is less
//!   than the texel, equal to it, and greater. (Of [filters](Samplers::reduced) that take one texel the first register has -1 for the
//!   least or 1 for the greatest, a sum of 1, 2 and 4 where texels of a level that is too small, of one that is too large, and levels are
//!   mixed, and the least and the greatest level of detail.) A texture whose border is made has a second sampler
//!   ([`Source::WhiteSampler`]), which differs from the first in a white border where that has a black one, transparent both. Samplers
//!   beyond the 16 that there are have other indices, from the end on.
//! * Vertex inputs are `[[attribute(location)]]`, varyings `[[user(locN)]]` in both stages, colour outputs `[[color(location)]]`. What a pixel
//!   shader reads interpolated in further ways are varyings of other names ([`user_as`]), which the vertex function must be made to give.
//! * Specialisation constants are `[[function_constant(id)]]`; one that is not set has its default.
//! * Compute shaders are kernels for threadgroups of [`Reflection::group`] threads, neither more nor less. What they share is declared in
//!   them, so no threadgroup memory has to be set.
//! * Clip space is the IR's. Metal's y points up as Direct3D's does, so nothing needs to be turned over.
//! * What lanes of a wave tell each other goes through simdgroups, whatever their size is.
//! * Memory barriers need Metal 3.2, atomic operations on texels 3.1: see [`Options::language`]. The texture of the latter is made for them
//!   (`MTLTextureUsageShaderAtomic`).
//!
//! # What the host must do
//! * To compile the source: fast math off (`MTLCompileOptions.fastMathEnabled = NO`, or `-fno-fast-math`), for Metal before 3.2; from
//!   there on the source says so itself. Functions whose result for zero, infinity or NaN matters come from `metal::precise` either way.
//! * `MTLCompileOptions.preserveInvariance = YES` (`-fpreserve-invariance`), or `[[position, invariant]]` has no effect.
//! * Nothing for contraction: no compile option stops it, so the source has `#pragma METAL fp contract(off)`. A compiler that does
//!   not know the pragma warns of it, and contracts.
//! * To run it: `useResource`, or a residency set, for every buffer whose address a shader is given.
#![forbid(unsafe_code)]

mod atomics;
mod bindings;
mod components;
mod emit;
mod expr;
mod helpers;
mod interface;
mod memory;
mod names;
mod ops;
mod texture_types;
mod textures;
mod waves;
mod words;

use afterimage_ir::Module;
pub use afterimage_ir::Reflection;

pub use interface::Lane;

pub use bindings::{
    Attribute, Binding, BindingError, Limit, Place, Source, check_bindings, image_index, storage_index, texture_index,
    user_as,
};

/// What the bound samplers have that Metal's do not: a bit for each texture of the stage's argument table ([`texture_index`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Samplers {
    /// A bias of the level of detail.
    pub biased: u32,
    /// Borders of colours that Metal does not have.
    pub bordered: u32,
    /// Textures whose red is every channel: depth, of which Metal has no swizzle.
    pub spread: u32,
    /// Filters that take the least or greatest of the texels which others mix. The samplers themselves take the nearest texel.
    pub reduced: u32,
}

/// Choices of the writer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// Name of the function: an identifier that is no word of the language. (`main` may not be one in Metal.)
    pub entry: String,
    /// What samplers are made of besides.
    pub samplers: Samplers,
    /// The version of the language that compiles it, as `__METAL_VERSION__` has it: 320 is 3.2.
    pub language: u32,
}

/// The newest version of the language that there is something in for shaders here.
pub const LANGUAGE: u32 = 320;

impl Default for Options {
    fn default() -> Options {
        Options { entry: "main0".to_owned(), samplers: Samplers::default(), language: LANGUAGE }
    }
}

/// A shader for Metal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artifact {
    /// The source text.
    pub source: String,
    /// What the shader uses, in terms of the IR.
    pub reflection: Reflection,
    /// What in the source has an attribute, in the order of the source: function constants, members of the input structure,
    /// members of the output structure, arguments. (Members of the input structure come with the first argument.)
    pub bindings: Vec<Binding>,
}

/// Why a module cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EmitError {
    /// A guest float opcode is left.
    #[error("`{0}` must be lowered by the float_rules pass before MSL is written")]
    GuestFloat(&'static str),
    /// A stage that is not done.
    #[error("the MSL writer does not know the {0} stage yet")]
    Stage(&'static str),
    /// What this writer does not know yet: an opcode, or something that is declared.
    #[error("the MSL writer does not know `{0}` yet")]
    Unsupported(&'static str),
    /// What a later version of the language has.
    #[error("`{what}` needs Metal {}.{}, and this is {}.{}", since / 100, since / 10 % 10, is / 100, is / 10 % 10)]
    Language {
        /// The opcode.
        what: &'static str,
        /// The version, as in [`Options::language`].
        since: u32,
        /// That of the options.
        is: u32,
    },
    /// A use of an input, output or other declaration that the module does not have, or an immediate of the wrong kind.
    #[error("`{0}` is malformed: the module was not verified")]
    Malformed(&'static str),
    /// The name of the function.
    #[error("`{0}` cannot be the name of a Metal function: it must be an identifier that is no word of the language")]
    Entry(String),
    /// Something that Metal has no room for.
    #[error(transparent)]
    Binding(#[from] BindingError),
}

/// Writes `module`, which must be verified.
///
/// # Errors
/// When the module holds what no pass has lowered, was not verified, or has more inputs, textures or samplers than Metal
/// allows.
pub fn emit(module: &Module, options: &Options) -> Result<Artifact, EmitError> {
    emit::emit(module, options)
}

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
