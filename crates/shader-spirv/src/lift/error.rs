//! Why a module cannot be translated.

use afterimage_ir::{BuildError, VerifyError};

use crate::error::At;
use crate::parse::Instruction;
use crate::tables::{COVERED, capability};

/// Why a well-formed module cannot be translated. Names the place and the instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {offset}{}: {kind}", At(*.opcode))]
pub struct LiftError {
    /// Place in 32-bit words from the magic number; 0 where the module as a whole is meant.
    pub offset: u32,
    /// Name of the instruction, where there is one.
    pub opcode: Option<&'static str>,
    /// What is wrong.
    pub kind: LiftErrorKind,
}

impl LiftError {
    pub(crate) fn at(instruction: &Instruction, kind: LiftErrorKind) -> LiftError {
        LiftError { offset: instruction.offset, opcode: Some(instruction.row.name), kind }
    }

    pub(crate) fn whole(kind: LiftErrorKind) -> LiftError {
        LiftError { offset: 0, opcode: None, kind }
    }
}

/// What is wrong with an instruction, or not covered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiftErrorKind {
    /// A capability that asks for what cannot be translated.
    #[error("capability {name} is not covered; covered are {}", covered(), name = .0)]
    Capability(String),
    /// A set of extended instructions.
    #[error("the instruction set {0:?} is not covered; GLSL.std.450 is, and NonSemantic sets are skipped")]
    ExtInstSet(String),
    /// An instruction without a translation.
    #[error("{0} is not covered; covered is what vertex, geometry and fragment shaders compute without writing memory")]
    Instruction(&'static str),
    /// An instruction of GLSL.std.450 without a translation.
    #[error("GLSL.std.450 {0} is not covered")]
    ExtInst(String),
    /// An instruction without a translation for 64-bit numbers.
    #[error("{0} of 64-bit numbers is not covered")]
    Wide(&'static str),
    /// A type that the IR has not.
    #[error(
        "{0} are not covered; bool, 32-bit and 64-bit int, uint and float, their vectors, matrices, arrays and structs are"
    )]
    Type(String),
    /// An image that the IR has not.
    #[error(
        "{0} are not covered; 2D, cube and 3D textures are, arrays of 2D and cube textures, multisampled ones, and comparison"
    )]
    Image(String),
    /// An image operand that the IR has not.
    #[error("image operand {0} is not covered; Bias, Lod, Grad, Sample and constant offsets are")]
    ImageOperand(String),
    /// A storage class that the IR has not.
    #[error(
        "storage class {0} is not covered; Input, Output, Function, Private, uniform blocks, storage buffers, push constants and textures are"
    )]
    StorageClass(String),
    /// A builtin that the IR has not.
    #[error(
        "builtin {0} is not covered; Position, PointSize, ClipDistance, CullDistance, Layer, ViewportIndex, VertexIndex, \
         InstanceIndex, PrimitiveId, InvocationId, FragCoord, FrontFacing, PointCoord and FragDepth are, each in its stage"
    )]
    BuiltIn(String),
    /// A decoration that changes meaning in a way that the IR has not.
    #[error("decoration {0} is not covered here")]
    Decoration(&'static str),
    /// An execution model other than three.
    #[error("execution model {0} is not covered; Vertex, Geometry and Fragment are")]
    Model(String),
    /// An execution mode that the IR has not.
    #[error("execution mode {0} is not covered")]
    Mode(String),
    /// Feedback of transform feedback that cannot be.
    #[error("what XfbBuffer, XfbStride, Offset and Stream say cannot be: {0}")]
    Capture(&'static str),
    /// Something else that the IR has not.
    #[error("{0} is not covered")]
    Unsupported(&'static str),
    /// No entry point, or none of the name and stage.
    #[error("no entry point fits; the module has {0}")]
    NoEntryPoint(String),
    /// More than one entry point.
    #[error("several entry points fit, choose one by name and stage; the module has {0}")]
    ManyEntryPoints(String),
    /// An id that names no type.
    #[error("%{0} is no type, or is declared later")]
    NotAType(u32),
    /// An id that names no block of the function.
    #[error("%{0} is no block of this function")]
    NotABlock(u32),
    /// An id that has no value here.
    #[error("%{0} has no value here")]
    NotAValue(u32),
    /// A rule of SPIR-V that the module breaks.
    #[error("{0}")]
    Malformed(&'static str),
    /// Control flow that the merge instructions do not describe.
    #[error("the control flow is not structured: this block is reached in ways that no merge instruction joins")]
    Unstructured,
    /// Constructs nested too deeply.
    #[error("constructs or calls are nested too deeply")]
    TooDeep,
    /// A function that calls itself.
    #[error("the function calls itself")]
    Recursion,
    /// More of something than any real shader has.
    #[error("too many {0}")]
    TooMany(&'static str),
    /// The IR could not be built.
    #[error("{0}")]
    Build(#[from] BuildError),
    /// The IR is not valid, which broken dominance leads to.
    #[error("a value is used where it has not been computed ({0})")]
    Verify(#[from] VerifyError),
}

fn covered() -> String {
    let names: Vec<&str> = COVERED.iter().filter_map(|&number| capability::name(number)).collect();
    names.join(", ")
}
