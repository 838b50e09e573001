//! A shader: declarations of its interface, and its code in tables indexed by entity ids.

use smallvec::SmallVec;

use crate::entity::{Bank, Input, Inst, Output, Region, Spec, Texture, Value, Var};
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
/// Most variables.
pub const MAX_VARS: usize = 1 << 14;
/// Most specialisation constants.
pub const MAX_SPECS: usize = 64;
/// Most names out of the program's source.
pub const MAX_NAMES: usize = 1024;
/// Most textures.
pub const MAX_TEXTURES: usize = 256;
/// Texture slots: 16 of the pixel stage, then 4 of the vertex stage.
pub const TEXTURE_SLOTS: u8 = 20;

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

named_enum! {
    /// A stage of the pipeline.
    Stage {
        /// Runs per vertex.
        Vertex "vertex",
        /// Runs per pixel, in quads.
        Pixel "pixel",
        /// Runs in work groups.
        Compute "compute",
    }
}

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
    }
}

impl Dim {
    /// Number of coordinate components, which is also that of a derivative.
    pub fn coords(self) -> u8 {
        match self {
            Dim::D2 => 2,
            Dim::Cube | Dim::D3 => 3,
        }
    }
}

named_enum! {
    /// Where a constant bank lies.
    BankSource {
        /// Behind the address of the stage's constants, in the segments that the back end reports.
        Stage "stage",
        /// In the system block, register `n` at byte `16 * n`.
        System "system",
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
    /// Registers, 1 to [`MAX_BANK`]. Dynamic indices are clamped to it.
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
    /// Slot, below [`TEXTURE_SLOTS`].
    pub slot: u8,
    /// Shape.
    pub dim: Dim,
    /// Whether samples are compared with a reference value.
    pub shadow: bool,
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
    Texture(Texture),
    /// For `load_spec`.
    Spec(Spec),
    /// Taken if true, and if false.
    If(Region, Region),
    /// The body.
    Loop(Region),
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
    /// Rows of [`Bank`].
    pub banks: Vec<BankDecl>,
    /// Rows of [`Texture`].
    pub textures: Vec<TextureDecl>,
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

/// Instructions of a usual shader.
const USUAL: usize = 320;

impl Module {
    /// A module whose body is empty, without even a terminator.
    pub fn new(stage: Stage) -> Module {
        Module {
            stage,
            name: String::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            banks: Vec::new(),
            textures: Vec::new(),
            names: Vec::new(),
            specs: Vec::new(),
            vars: Vec::new(),
            // What most shaders have, so that the tables grow seldom.
            insts: Vec::with_capacity(USUAL),
            regions: vec![RegionData { insts: Vec::with_capacity(USUAL), ..RegionData::default() }],
            values: Vec::with_capacity(USUAL),
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
    pub fn new_inst(&mut self, op: Op, imm: Imm, args: Args, results: &[Type]) -> Inst {
        let inst = Inst::new(self.insts.len());
        let mut list = Args::new();
        results.iter().for_each(|&ty| list.push(self.new_value(ty, Def::Inst(inst))));
        let results = list;
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
