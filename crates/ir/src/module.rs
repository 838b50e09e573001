//! A shader: declarations of its interface, and its code in tables indexed by entity ids.

pub use afterimage_abi::Stage;
use afterimage_abi::{Table, slots};
use smallvec::SmallVec;

use crate::entity::{Bank, Image, Input, Inst, Output, Region, Spec, Texture, Value, Var};
use crate::feedback::FeedbackDecl;
use crate::geometry::GeometryDecl;
use crate::opcode::{Flags, Op};
use crate::types::{Kind, Mask, Swizzle, Type};

/// Deepest nesting of regions that the parser, the builder and the verifier accept, so that every walk may recurse.
pub const MAX_DEPTH: usize = 128;
/// Most values of a module.
pub const MAX_VALUES: usize = 1 << 20;
/// Most elements of all array variables together.
pub const MAX_ARRAY: u32 = 4096;
/// Most registers of a constant bank.
pub const MAX_BANK: u32 = 1 << 16;
/// Most registers of a storage buffer.
pub const MAX_STORAGE: u32 = 1 << 26;
/// Most variables.
pub const MAX_VARS: usize = 1 << 14;
/// Most specialisation constants.
pub const MAX_SPECS: usize = 64;
/// Most names out of the program's source.
pub const MAX_NAMES: usize = 1024;
/// Most textures.
pub const MAX_TEXTURES: usize = 256;
/// Texture slots of the graphics stages, as the IR has numbers of slots.
pub const TEXTURE_SLOTS: u8 = slots::TEXTURE_SLOTS as u8;
/// Texture slots of the compute stage, which are behind those of the others.
pub const COMPUTE_TEXTURE_SLOTS: u8 = slots::COMPUTE_SLOTS as u8;
/// Slots of storage images, of each stage.
pub const IMAGE_SLOTS: u8 = slots::STORAGE_IMAGES as u8;
/// Most lanes of a work group.
pub const MAX_GROUP: u32 = 1024;
/// Most lanes of a wave.
pub const MAX_WAVE: u32 = 64;
/// Most bytes of a work group's memory.
pub const MAX_SHARED: u32 = 1 << 16;

macro_rules! named_enum {
    ($(#[$doc:meta])+ $name:ident { $($(#[$vdoc:meta])+ $variant:ident $text:literal,)+ }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$vdoc])+ $variant,)+ }

        impl $name {
            /// Every variant.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// The variant of that name.
            pub fn from_name(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|v| v.name() == name)
            }
        }
    };
}

pub(crate) use named_enum;

named_enum! {
    /// How an input of the pixel stage is interpolated.
    Interp {
        /// With perspective.
        Smooth "smooth",
        /// With perspective, at a covered place of the pixel.
        Centroid "centroid",
        /// Without perspective.
        Linear "linear",
        /// The provoking vertex's value.
        Flat "flat",
        /// With perspective, at the sample, for each of which the shader then runs.
        Sample "sample",
    }
}

impl Interp {
    /// Whether a location can be interpolated in both ways: they are the same, or differ in the place alone, so that a value that one has can be
    /// interpolated again where the other wants it.
    pub fn shares_location(self, other: Interp) -> bool {
        let moves = |way| matches!(way, Interp::Smooth | Interp::Centroid | Interp::Sample);
        self == other || moves(self) && moves(other)
    }
}

named_enum! {
    /// Shape of a texture.
    Dim {
        /// Two dimensions.
        D2 "2d",
        /// Six faces.
        Cube "cube",
        /// Three dimensions.
        D3 "3d",
        /// Layers of two dimensions.
        D2Array "2darray",
        /// Layers of six faces.
        CubeArray "cubearray",
        /// Two dimensions with several samples a texel. Can be fetched from, not sampled.
        D2Ms "2dms",
        /// Layers of two dimensions with several samples a texel.
        D2MsArray "2dmsarray",
    }
}

named_enum! {
    /// What the texels of a texture or storage image are to a shader.
    Component {
        /// Floats, normalised or not.
        Float "float",
        /// Unsigned integers.
        Uint "uint",
        /// Signed integers.
        Sint "sint",
    }
}

impl Component {
    /// Kind of a texel's components in the IR.
    pub fn kind(self) -> Kind {
        match self {
            Component::Float => Kind::Float,
            Component::Uint | Component::Sint => Kind::Int,
        }
    }
}

named_enum! {
    /// What a storage image's format is known to be.
    ImageFormat {
        /// Any: it cannot be changed by atomic operations.
        Any "any",
        /// One 32-bit component, as atomic operations need.
        R32 "r32",
        /// One 64-bit number, for atomic operations on such. Texels are its halves, the low one first, then 0 and 1, as those of two
        /// 32-bit components are.
        R64 "r64",
    }
}

named_enum! {
    /// What an atomic operation puts in the place of what it finds there, `old`. All work on 32 bits, or on 64 if value and result
    /// have two components.
    AtomicOp {
        /// `old + value`.
        Add "add",
        /// `old - value`.
        Sub "sub",
        /// `value - old`.
        RSub "rsub",
        /// `old + 1`, or 0 if `old` is at least `value`.
        Inc "inc",
        /// `old - 1`, or `value` if `old` is 0 or above `value`.
        Dec "dec",
        /// Lesser of signed numbers.
        IMin "imin",
        /// Greater of signed numbers.
        IMax "imax",
        /// Lesser of unsigned numbers.
        UMin "umin",
        /// Greater of unsigned numbers.
        UMax "umax",
        /// Bits set in both.
        And "and",
        /// Bits set in either.
        Or "or",
        /// Bits set in one of them.
        Xor "xor",
        /// `value`.
        Swap "swap",
        /// `value` if `old` is the second operand.
        CmpSwap "cmpswap",
        /// `value` if `old` is the second operand, both being floats.
        FCmpSwap "fcmpswap",
        /// Lesser of floats; if one is NaN, the other one.
        FMin "fmin",
        /// Greater of floats; if one is NaN, the other one.
        FMax "fmax",
        /// `value`, and the bits of `old` that are not set in the second operand.
        MaskOr "maskor",
    }
}

impl AtomicOp {
    /// Operands besides the place: the value, and for some a second one.
    pub fn operands(self) -> usize {
        1 + usize::from(matches!(self, AtomicOp::CmpSwap | AtomicOp::FCmpSwap | AtomicOp::MaskOr))
    }

    /// What it puts in the place of `old`, of 64 or 32 bits.
    pub fn apply(self, old: u64, value: u64, second: u64, wide: bool) -> u64 {
        let signed = |bits: u64| if wide { bits as i64 } else { i64::from(bits as u32 as i32) };
        let float = |bits: u64| if wide { f64::from_bits(bits) } else { f32::from_bits(bits as u32).into() };
        let pick = |first: bool| if first { old } else { value };
        let new = match self {
            AtomicOp::Add => old.wrapping_add(value),
            AtomicOp::Sub => old.wrapping_sub(value),
            AtomicOp::RSub => value.wrapping_sub(old),
            AtomicOp::Inc if old >= value => 0,
            AtomicOp::Inc => old.wrapping_add(1),
            AtomicOp::Dec if old == 0 || old > value => value,
            AtomicOp::Dec => old.wrapping_sub(1),
            AtomicOp::IMin => pick(signed(old) < signed(value)),
            AtomicOp::IMax => pick(signed(old) > signed(value)),
            AtomicOp::UMin => old.min(value),
            AtomicOp::UMax => old.max(value),
            AtomicOp::And => old & value,
            AtomicOp::Or => old | value,
            AtomicOp::Xor => old ^ value,
            AtomicOp::Swap => value,
            AtomicOp::CmpSwap => pick(old != second),
            AtomicOp::FCmpSwap => pick(float(old) != float(second)),
            AtomicOp::FMin => pick(float(old) <= float(value) || float(value).is_nan()),
            AtomicOp::FMax => pick(float(old) >= float(value) || float(value).is_nan()),
            AtomicOp::MaskOr => old & !second | value,
        };
        if wide { new } else { new & u64::from(u32::MAX) }
    }
}

impl Dim {
    /// The table that textures of the shape are in.
    pub const fn table(self) -> Table {
        match self {
            Dim::D2 => Table::D2,
            Dim::Cube => Table::Cube,
            Dim::D3 => Table::D3,
            Dim::D2Array => Table::D2Array,
            Dim::CubeArray => Table::CubeArray,
            Dim::D2Ms => Table::D2Ms,
            Dim::D2MsArray => Table::D2MsArray,
        }
    }

    /// Number of coordinate components, with the layer of an array.
    pub fn coords(self) -> u8 {
        self.extent() + u8::from(self.is_array())
    }

    /// Number of components of a derivative: coordinates without the layer.
    pub fn extent(self) -> u8 {
        match self {
            Dim::D2 | Dim::D2Array | Dim::D2Ms | Dim::D2MsArray => 2,
            Dim::Cube | Dim::D3 | Dim::CubeArray => 3,
        }
    }

    /// Number of whole-numbered coordinates of a texel. Faces are layers.
    pub fn texel_coords(self) -> u8 {
        match self {
            Dim::D2 | Dim::D2Ms => 2,
            Dim::Cube | Dim::D3 | Dim::D2Array | Dim::CubeArray | Dim::D2MsArray => 3,
        }
    }

    /// Number of components of a size.
    pub fn size_components(self) -> u8 {
        match self {
            Dim::D2 | Dim::D2Ms | Dim::Cube => 2,
            Dim::D3 | Dim::D2Array | Dim::CubeArray | Dim::D2MsArray => 3,
        }
    }

    /// Whether it has layers.
    pub fn is_array(self) -> bool {
        matches!(self, Dim::D2Array | Dim::CubeArray | Dim::D2MsArray)
    }

    /// Whether it has faces.
    pub fn is_cube(self) -> bool {
        matches!(self, Dim::Cube | Dim::CubeArray)
    }

    /// Whether a texel has several samples.
    pub fn is_multisampled(self) -> bool {
        matches!(self, Dim::D2Ms | Dim::D2MsArray)
    }
}

named_enum! {
    /// Where a constant bank lies.
    BankSource {
        /// Behind the address of the stage's constants, in the segments that the back end reports.
        Stage "stage",
        /// In the system block, register `n` at byte `16 * n`.
        System "system",
        /// In a storage buffer that the shader only reads, register `n` at byte `16 * n`. Bound by a descriptor, so that a module which
        /// has one can be written only with its [bindings](crate::bindings).
        Storage "storage",
        /// In the system values of a lowered transform feedback, register `n` at byte `16 * n`. Vertex and compute stage only.
        Feedback "feedback",
    }
}

/// Where an input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InputAt {
    /// A vertex attribute or varying, of any kind but truth values and any lanes.
    Location(u8),
    /// Number of the vertex. `i32`.
    VertexIndex,
    /// Number of the instance. `i32`.
    InstanceIndex,
    /// Pixel position: x and y in pixels with .5 at the centre, depth, 1/w. `f32x4`.
    FragCoord,
    /// Whether the primitive faces the viewer. `bool`.
    FrontFacing,
    /// Place in the point sprite, 0..1 from its upper left. `f32x2`.
    PointCoord,
    /// Number of the primitive. `i32`.
    PrimitiveId,
    /// Clip space position of a vertex. `f32x4`.
    Position,
    /// Point size of a vertex. `f32`.
    PointSize,
    /// Distances of a vertex to clip planes from this one (0 or 4) on, one per lane. Float.
    ClipDistance(u8),
    /// Distances of a vertex to cull planes from this one (0 or 4) on, one per lane. Float.
    CullDistance(u8),
    /// Which of the primitive's invocations this is. `i32`.
    InvocationId,
    /// Number of the sample, for each of which the shader then runs. `i32`.
    SampleId,
    /// Bit per sample that is covered. `i32`.
    SampleMask,
    /// Layer of the target. `i32`.
    Layer,
    /// Number of the viewport. `i32`.
    ViewportIndex,
    /// Place in the work group. `i32x3`.
    LocalId,
    /// Number in the work group. `i32`.
    LocalIndex,
    /// Place of the work group. `i32x3`.
    WorkgroupId,
    /// Number of work groups in each direction. `i32x3`.
    WorkgroupCount,
}

impl InputAt {
    /// Builtins without a number by their name in the text form, with their stages and type.
    pub const BUILTINS: &'static [(InputAt, &'static str, &'static [Stage], Type)] = &[
        (InputAt::VertexIndex, "vertex_index", &[Stage::Vertex], Type::I32),
        (InputAt::InstanceIndex, "instance_index", &[Stage::Vertex], Type::I32),
        (InputAt::FragCoord, "frag_coord", &[Stage::Pixel], Type::F32X4),
        (InputAt::FrontFacing, "front_facing", &[Stage::Pixel], Type::BOOL),
        (InputAt::PointCoord, "point_coord", &[Stage::Pixel], Type::F32X2),
        (InputAt::PrimitiveId, "primitive_id", &[Stage::Pixel, Stage::Geometry], Type::I32),
        (InputAt::Position, "position", &[Stage::Geometry], Type::F32X4),
        (InputAt::PointSize, "point_size", &[Stage::Geometry], Type::F32),
        (InputAt::InvocationId, "invocation_id", &[Stage::Geometry], Type::I32),
        (InputAt::SampleId, "sample_id", &[Stage::Pixel], Type::I32),
        (InputAt::SampleMask, "sample_mask", &[Stage::Pixel], Type::I32),
        (InputAt::Layer, "layer", &[Stage::Pixel], Type::I32),
        (InputAt::ViewportIndex, "viewport_index", &[Stage::Pixel], Type::I32),
        (InputAt::LocalId, "local_id", &[Stage::Compute], Type::I32X3),
        (InputAt::LocalIndex, "local_index", &[Stage::Compute], Type::I32),
        (InputAt::WorkgroupId, "workgroup_id", &[Stage::Compute], Type::I32X3),
        (InputAt::WorkgroupCount, "workgroup_count", &[Stage::Compute], Type::I32X3),
    ];

    /// What every builtin without a number is.
    pub fn builtin(self) -> Option<(&'static str, &'static [Stage], Type)> {
        Self::BUILTINS.iter().find(|row| row.0 == self).map(|row| (row.1, row.2, row.3))
    }
}

/// Where an output goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OutputAt {
    /// A varying or colour target, of any kind but truth values and any lanes.
    Location(u8),
    /// Clip space position. `f32x4`.
    Position,
    /// Point size in pixels. `f32`.
    PointSize,
    /// Distances to clip planes from this one (0 or 4) on, one per lane. Float.
    ClipDistance(u8),
    /// Depth of the pixel. `f32`.
    FragDepth,
    /// Distances to cull planes from this one (0 or 4) on, one per lane. Float.
    CullDistance(u8),
    /// Second colour of target 0, which blending may use. `f32x4`.
    SecondColor,
    /// Bit per sample that is kept. `i32`.
    SampleMask,
    /// Stencil reference value, low 8 bits. `i32`.
    StencilRef,
    /// Layer of the target. `i32`.
    Layer,
    /// Number of the viewport. `i32`.
    ViewportIndex,
    /// Number of the primitive, for the pixel stage. `i32`.
    PrimitiveId,
}

impl OutputAt {
    /// Builtins without a number by their name in the text form, with their stages and type.
    pub const BUILTINS: &'static [(OutputAt, &'static str, &'static [Stage], Type)] = &[
        (OutputAt::Position, "position", &[Stage::Vertex, Stage::Geometry], Type::F32X4),
        (OutputAt::PointSize, "point_size", &[Stage::Vertex, Stage::Geometry], Type::F32),
        (OutputAt::FragDepth, "frag_depth", &[Stage::Pixel], Type::F32),
        (OutputAt::SecondColor, "second_color", &[Stage::Pixel], Type::F32X4),
        (OutputAt::SampleMask, "sample_mask", &[Stage::Pixel], Type::I32),
        (OutputAt::StencilRef, "stencil_ref", &[Stage::Pixel], Type::I32),
        (OutputAt::Layer, "layer", &[Stage::Vertex, Stage::Geometry], Type::I32),
        (OutputAt::ViewportIndex, "viewport_index", &[Stage::Vertex, Stage::Geometry], Type::I32),
        (OutputAt::PrimitiveId, "primitive_id", &[Stage::Geometry], Type::I32),
    ];

    /// What every builtin without a number is.
    pub fn builtin(self) -> Option<(&'static str, &'static [Stage], Type)> {
        Self::BUILTINS.iter().find(|row| row.0 == self).map(|row| (row.1, row.2, row.3))
    }
}

/// The guest's name of an input or output, for reflection. The numbers are the front end's own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Semantic {
    /// What it is for.
    pub usage: u8,
    /// Which of that usage.
    pub index: u8,
}

/// A declared input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputDecl {
    /// For people only.
    pub name: String,
    /// Type of `load_input`.
    pub ty: Type,
    /// Where it comes from.
    pub at: InputAt,
    /// How it is interpolated, in the pixel stage.
    pub interp: Interp,
    /// The guest's name for it.
    pub semantic: Option<Semantic>,
}

/// A declared output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputDecl {
    /// For people only.
    pub name: String,
    /// Type of the operand of `store_output`.
    pub ty: Type,
    /// Where it goes.
    pub at: OutputAt,
    /// The guest's name for it.
    pub semantic: Option<Semantic>,
}

/// A declared bank of constant registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BankDecl {
    /// For people only.
    pub name: String,
    /// Where it lies.
    pub source: BankSource,
    /// The front end's number of the bank, for reflection.
    pub id: u8,
    /// Registers, 1 to [`MAX_BANK`] ([`MAX_STORAGE`] of a storage buffer). Dynamic indices are clamped to it.
    pub size: u32,
    /// Registers whose value the shader itself defines, by rising number. Loads of them give these values.
    pub defs: Vec<(u32, [u32; 4])>,
}

impl BankDecl {
    /// The value that the shader itself gives to register `index`.
    pub fn def(&self, index: u32) -> Option<[u32; 4]> {
        self.defs.binary_search_by_key(&index, |d| d.0).ok().map(|i| self.defs[i].1)
    }
}

/// A declared texture with its sampler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureDecl {
    /// Slot, below [`TEXTURE_SLOTS`], or, in the compute stage, from there on below [`COMPUTE_TEXTURE_SLOTS`] more; or
    /// [`TextureDecl::IN_TABLES`].
    pub slot: u8,
    /// Shape.
    pub dim: Dim,
    /// Whether samples are compared with a reference value.
    pub shadow: bool,
    /// What its texels are.
    pub component: Component,
}

impl TextureDecl {
    /// `slot` of the textures that lie in tables: the last operand of each instruction on them is a word that the host has put into a
    /// table ([`afterimage_abi::tables`]), which says which texture and sampler.
    pub const IN_TABLES: u8 = u8::MAX;

    /// Whether each instruction says which texture it is.
    pub const fn in_tables(&self) -> bool {
        self.slot == Self::IN_TABLES
    }
}

/// A declared storage image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageDecl {
    /// Slot, below [`IMAGE_SLOTS`].
    pub slot: u8,
    /// Shape. Cubes are accessed as layers.
    pub dim: Dim,
    /// What its texels are.
    pub component: Component,
    /// What is known of its format.
    pub format: ImageFormat,
}

impl ImageDecl {
    /// The type of the number that atomic operations change in a texel; none where they may not.
    pub fn atomic(&self) -> Option<Type> {
        match (self.format, self.component) {
            (ImageFormat::R32, Component::Uint | Component::Sint) => Some(Type::I32),
            (ImageFormat::R64, Component::Uint) => Some(Type::I32X2),
            (ImageFormat::Any | ImageFormat::R32 | ImageFormat::R64, _) => None,
        }
    }
}

/// Texels by which a lookup is moved, in each direction; the last is for 3D textures only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Offset(pub [i8; 3]);

impl Offset {
    /// Least and greatest number that every device takes.
    pub const RANGE: std::ops::RangeInclusive<i8> = -8..=7;

    /// Whether there is none.
    pub fn is_zero(self) -> bool {
        self.0 == [0; 3]
    }
}

/// What a [`NameDecl`] names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// Registers of a bank.
    Registers {
        /// The bank.
        bank: Bank,
        /// First register.
        first: u32,
        /// Number of registers, at least 1.
        count: u32,
    },
    /// A texture.
    Texture(Texture),
}

/// What the program that a shader was compiled from calls registers or a texture. For people only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameDecl {
    /// What is named.
    pub of: Named,
    /// Its name.
    pub name: String,
    /// Its type, as the program's language writes it.
    pub ty: String,
}

/// A declared specialisation constant: a scalar that the user of the finished shader may set once more before the driver
/// compiles it, which then folds what depends on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecDecl {
    /// For people only.
    pub name: String,
    /// Number by which it is set, different in each declaration.
    pub id: u32,
    /// Kind of its value, any but untyped bits.
    pub kind: Kind,
    /// Bits of the value that it has unless it is set. Truth values are 0 and 1.
    pub default: u32,
}

/// A function-local variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarDecl {
    /// For people only.
    pub name: String,
    /// Type of the variable or of an element.
    pub ty: Type,
    /// Number of elements if it is an array.
    pub array: Option<u32>,
}

/// An immediate operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Imm {
    /// None.
    None,
    /// Bits of each component; those beyond the type are 0.
    Const([u32; 4]),
    /// For `swizzle` and `shuffle`.
    Swizzle(Swizzle),
    /// For `load` and `load_elem`.
    Var(Var),
    /// For `store` and `store_elem`.
    VarMask(Var, Mask),
    /// For `load_input`.
    Input(Input),
    /// For `store_output`.
    Output(Output),
    /// Bank and register. Negative only in `load_const_dyn`.
    Bank(Bank, i32),
    /// For the sampling opcodes.
    Texture(Texture, Offset),
    /// For `gather`: texture, component (0 to 3; 0 for shadow textures), offset.
    Gather(Texture, u8, Offset),
    /// For the opcodes of storage images.
    Image(Image),
    /// For `image_atomic`.
    ImageAtomic(Image, AtomicOp),
    /// For `atomic_global` and `atomic_shared`.
    Atomic(AtomicOp),
    /// For `load_spec`.
    Spec(Spec),
    /// A stream of vertices, for `emit_vertex` and `end_primitive`.
    Stream(u8),
    /// Taken if true, and if false.
    If(Region, Region),
    /// The body.
    Loop(Region),
}

impl Imm {
    /// The texture that it names.
    pub fn texture(self) -> Option<Texture> {
        match self {
            Imm::Texture(texture, _) | Imm::Gather(texture, ..) => Some(texture),
            _ => None,
        }
    }

    /// The storage image that it names.
    pub fn image(self) -> Option<Image> {
        match self {
            Imm::Image(image) | Imm::ImageAtomic(image, _) => Some(image),
            _ => None,
        }
    }
}

/// A list of operands; no heap up to four.
pub type Args = SmallVec<[Value; 4]>;

/// An instruction.
#[derive(Clone, Debug)]
pub struct InstData {
    /// What it does.
    pub op: Op,
    /// Immediate, of the kind that the opcode's row says.
    pub imm: Imm,
    /// Operands.
    pub args: Args,
    /// Results.
    pub results: Args,
}

/// A list of instructions, the last of which is a terminator.
#[derive(Clone, Debug, Default)]
pub struct RegionData {
    /// Values carried around the loop whose body this is.
    pub params: Args,
    /// In the order of execution.
    pub insts: Vec<Inst>,
}

/// What defines a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    /// It is a result of the instruction.
    Inst(Inst),
    /// It is a parameter of the region.
    Param(Region),
    /// Nothing: its number is not in use.
    None,
}

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Where it comes from.
    pub def: Def,
}

/// A shader.
#[derive(Clone, Debug)]
pub struct Module {
    /// Stage it runs in.
    pub stage: Stage,
    /// For people only.
    pub name: String,
    /// Rows of [`Input`].
    pub inputs: Vec<InputDecl>,
    /// Rows of [`Output`].
    pub outputs: Vec<OutputDecl>,
    /// What a geometry shader takes and gives; none in other stages.
    pub geometry: Option<GeometryDecl>,
    /// What transform feedback records of the outputs.
    pub feedback: Vec<FeedbackDecl>,
    /// Rows of [`Bank`].
    pub banks: Vec<BankDecl>,
    /// Rows of [`Texture`].
    pub textures: Vec<TextureDecl>,
    /// Rows of [`Image`].
    pub images: Vec<ImageDecl>,
    /// Lanes of a work group in each direction, 1 to [`MAX_GROUP`] in all; 1 in stages other than compute.
    pub group: [u32; 3],
    /// Bytes of a work group's memory, a multiple of four, at most [`MAX_SHARED`]. What it holds at first is open.
    pub shared: u32,
    /// Waves are the guest's: each [`MAX_WAVE`] lanes in succession are one, whatever the host's are, and every instruction of the
    /// wave is run by all of its lanes together.
    pub guest_waves: bool,
    /// Locations of the pixel stage's outputs, one bit each, where integers are signed: they go to targets of such.
    pub signed_outputs: u8,
    /// Names out of the program's source, at most [`MAX_NAMES`].
    pub names: Vec<NameDecl>,
    /// Rows of [`Spec`].
    pub specs: Vec<SpecDecl>,
    /// Rows of [`Var`].
    pub vars: Vec<VarDecl>,
    /// Rows of [`Inst`]. Passes leave unused rows behind.
    pub insts: Vec<InstData>,
    /// Rows of [`Region`].
    pub regions: Vec<RegionData>,
    /// Rows of [`Value`].
    pub values: Vec<ValueData>,
    /// The outermost region.
    pub body: Region,
}

/// Instructions that most shaders have, so that the tables grow seldom.
const USUAL: usize = 320;

impl Module {
    /// Whether the size of points is an output.
    pub fn writes_point_size(&self) -> bool {
        self.outputs.iter().any(|output| output.at == OutputAt::PointSize)
    }

    /// A module whose body is empty, without even a terminator.
    pub fn new(stage: Stage) -> Module {
        Module::with_room(stage, USUAL)
    }

    /// As [`Module::new`], with tables that need not grow for so many instructions.
    pub fn with_room(stage: Stage, instructions: usize) -> Module {
        Module {
            stage,
            name: String::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            geometry: None,
            feedback: Vec::new(),
            banks: Vec::new(),
            textures: Vec::new(),
            images: Vec::new(),
            group: [1; 3],
            shared: 0,
            guest_waves: false,
            signed_outputs: 0,
            names: Vec::new(),
            specs: Vec::new(),
            vars: Vec::new(),
            insts: Vec::with_capacity(instructions),
            regions: vec![RegionData { insts: Vec::with_capacity(instructions), ..RegionData::default() }],
            values: Vec::with_capacity(instructions),
            body: Region(0),
        }
    }

    /// The name of a register, and how many registers behind the first of that name it lies.
    pub fn register_name(&self, bank: Bank, register: u32) -> Option<(&NameDecl, u32)> {
        self.names.iter().find_map(|decl| match decl.of {
            Named::Registers { bank: of, first, count } if of == bank && register.wrapping_sub(first) < count => {
                Some((decl, register - first))
            }
            _ => None,
        })
    }

    /// The name of a texture.
    pub fn texture_name(&self, texture: Texture) -> Option<&NameDecl> {
        self.names.iter().find(|decl| decl.of == Named::Texture(texture))
    }

    /// The instruction.
    #[inline]
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst.index()]
    }

    /// The region.
    #[inline]
    pub fn region(&self, region: Region) -> &RegionData {
        &self.regions[region.index()]
    }

    /// Type of the value.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value.index()].ty
    }

    /// The instruction that has the value as a result.
    #[inline]
    pub fn def(&self, value: Value) -> Option<Inst> {
        match self.values[value.index()].def {
            Def::Inst(inst) => Some(inst),
            Def::Param(_) | Def::None => None,
        }
    }

    /// The instruction that has the value as a result, if its opcode is `op`.
    #[inline]
    pub fn def_of(&self, value: Value, op: Op) -> Option<&InstData> {
        self.def(value).map(|inst| self.inst(inst)).filter(|data| data.op == op)
    }

    /// Bits of the value if it is a constant.
    #[inline]
    pub fn as_const(&self, value: Value) -> Option<[u32; 4]> {
        match self.def_of(value, Op::Const)?.imm {
            Imm::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// Adds an unattached value.
    pub fn new_value(&mut self, ty: Type, def: Def) -> Value {
        self.values.push(ValueData { ty, def });
        Value::new(self.values.len() - 1)
    }

    /// Adds an instruction to the table (not to a region) with a new result of each of the types.
    #[inline]
    pub fn new_inst(&mut self, op: Op, imm: Imm, args: Args, results: &[Type]) -> Inst {
        let inst = Inst::new(self.insts.len());
        let results = match results {
            [] => Args::new(),
            // What nearly all are.
            &[ty] => Args::from_buf_and_len([self.new_value(ty, Def::Inst(inst)); 4], 1),
            _ => results.iter().map(|&ty| self.new_value(ty, Def::Inst(inst))).collect(),
        };
        self.insts.push(InstData { op, imm, args, results });
        inst
    }

    /// Adds an empty region.
    pub fn new_region(&mut self) -> Region {
        self.regions.push(RegionData::default());
        Region::new(self.regions.len() - 1)
    }

    /// The last instruction of the region, if it is a terminator.
    pub fn terminator(&self, region: Region) -> Option<Inst> {
        self.region(region).insts.last().copied().filter(|&inst| self.inst(inst).op.has(Flags::TERMINATOR))
    }

    /// Calls `visit` for every instruction in text order.
    pub fn for_each_inst(&self, mut visit: impl FnMut(Inst, &InstData)) {
        self.for_each_inst_in(self.body, &mut visit);
    }

    /// Calls `visit` for every instruction of a region and of the regions inside, in text order.
    pub fn for_each_inst_in(&self, region: Region, visit: &mut impl FnMut(Inst, &InstData)) {
        for &inst in &self.region(region).insts {
            let data = self.inst(inst);
            visit(inst, data);
            match data.imm {
                Imm::If(yes, no) => {
                    self.for_each_inst_in(yes, visit);
                    self.for_each_inst_in(no, visit);
                }
                Imm::Loop(body) => self.for_each_inst_in(body, visit),
                _ => {}
            }
        }
    }
}
