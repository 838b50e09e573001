//! The tables of the Direct3D 9 shader languages: one row per opcode, register type, modifier, usage and comparison.
//!
//! The parser, the disassembler, the assembler and the lifter derive from these rows; adding an opcode is adding a row
//! here and its meaning in [`crate::lift`](mod@crate::lift). Numbers are those of `d3d9types.h` (`D3DSIO_*`, `D3DSPR_*`, `D3DSPSM_*`,
//! `D3DSPDM_*`, `D3DDECLUSAGE_*`, `D3DSPC_*`); operand layouts and version ranges are those of the shader reference of
//! the DirectX SDK ("Vertex Shader Instructions", "Pixel Shader Instructions").

use std::fmt;

/// Which programmable stage a shader is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// `vs_*`, version token `0xFFFE....`.
    Vertex,
    /// `ps_*`, version token `0xFFFF....`.
    Pixel,
}

/// A shader model, as in the first token of every shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// Stage of the shader.
    pub stage: Stage,
    /// Major version, 1 to 3.
    pub major: u8,
    /// Minor version; 1 is the `x` of `2_x`, 255 is software vertex processing (`2_sw`, `3_sw`).
    pub minor: u8,
}

/// Minor version of the software models `vs_2_sw`, `vs_3_sw`, `ps_2_sw` and `ps_3_sw`.
pub const MINOR_SW: u8 = 255;

impl Version {
    /// Every version that this crate reads. The two 1.0 models, which Direct3D 8 brought, have the instructions of 1.1.
    pub const ALL: [Self; 17] = [
        Self::vs(1, 0),
        Self::vs(1, 1),
        Self::vs(2, 0),
        Self::vs(2, 1),
        Self::vs(2, MINOR_SW),
        Self::vs(3, 0),
        Self::vs(3, MINOR_SW),
        Self::ps(1, 0),
        Self::ps(1, 1),
        Self::ps(1, 2),
        Self::ps(1, 3),
        Self::ps(1, 4),
        Self::ps(2, 0),
        Self::ps(2, 1),
        Self::ps(2, MINOR_SW),
        Self::ps(3, 0),
        Self::ps(3, MINOR_SW),
    ];

    /// A vertex shader version.
    pub const fn vs(major: u8, minor: u8) -> Self {
        Self { stage: Stage::Vertex, major, minor }
    }

    /// A pixel shader version.
    pub const fn ps(major: u8, minor: u8) -> Self {
        Self { stage: Stage::Pixel, major, minor }
    }

    /// Reads a version token; `None` if it is none that exists.
    pub fn from_token(token: u32) -> Option<Self> {
        let stage = match token >> 16 {
            0xFFFE => Stage::Vertex,
            0xFFFF => Stage::Pixel,
            _ => return None,
        };
        let (major, minor) = ((token >> 8) as u8, token as u8);
        // Wine's HLSL compiler writes 2.2 for the profile ps_2_b, which is one of 2.x.
        let minor = if (stage, major, minor) == (Stage::Pixel, 2, 2) { 1 } else { minor };
        let version = Self { stage, major, minor };
        Self::ALL.contains(&version).then_some(version)
    }

    /// The version token.
    pub fn token(self) -> u32 {
        let stage: u32 = match self.stage {
            Stage::Vertex => 0xFFFE,
            Stage::Pixel => 0xFFFF,
        };
        stage << 16 | u32::from(self.number())
    }

    /// `major << 8 | minor`, which orders the versions of one stage.
    pub const fn number(self) -> u16 {
        (self.major as u16) << 8 | self.minor as u16
    }

    /// True from model 2.0 on, where instruction tokens carry their length and relative operands their address token.
    pub const fn has_lengths(self) -> bool {
        self.major >= 2
    }

    /// True for `ps_1_0` to `ps_1_3`, whose texture instructions work on `t` registers in place.
    pub fn is_ps_before_1_4(self) -> bool {
        self.stage == Stage::Pixel && self.major == 1 && self.minor < 4
    }

    /// True if software vertex processing widens the register files.
    pub const fn is_software(self) -> bool {
        self.minor == MINOR_SW
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match self.stage {
            Stage::Vertex => "vs",
            Stage::Pixel => "ps",
        };
        match (self.major, self.minor) {
            (major, MINOR_SW) => write!(f, "{stage}_{major}_sw"),
            (2, 1) => write!(f, "{stage}_2_x"),
            (major, minor) => write!(f, "{stage}_{major}_{minor}"),
        }
    }
}

/// What one operand of an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The destination of a result.
    Dst,
    /// The `t#` that a texture opcode of ps_1_0 to ps_1_3 writes.
    DstTexture,
    /// The `r#` that a texture opcode of ps_1_4 writes.
    DstTemp,
    /// What `texkill` tests.
    DstKill,
    /// The `r5` of `texdepth`.
    DstDepth,
    /// `a0`, for `mova`.
    DstAddress,
    /// `p0`, for `setp`.
    DstPredicate,
    /// The constant that `def`, `defi` or `defb` defines.
    DstConst,
    /// The register that `dcl` declares.
    DstDeclared,
    /// A floating-point source.
    Src,
    /// A floating-point source of which one component is read; from 2.0 on the swizzle must say which.
    Scalar,
    /// The `t#` that a texture opcode of ps_1_0 to ps_1_3 reads.
    SrcTexture,
    /// The coordinates that a texture opcode of ps_1_4 reads.
    SrcCoord,
    /// The `c#` of `texm3x3spec`.
    SrcConst,
    /// A source that is the first row of a matrix; so many rows are read.
    Rows(u8),
    /// A sampler register.
    Sampler,
    /// A constant boolean `b#` or, from 2_x on, a predicate component.
    Bool,
    /// A constant integer vector `i#`.
    Int,
    /// The loop counter `aL`.
    LoopCounter,
    /// The predicate register.
    Predicate,
    /// A label.
    Label,
    /// Four raw 32-bit floats (`def`).
    Floats,
    /// Four raw 32-bit integers (`defi`).
    Ints,
    /// One raw boolean (`defb`).
    Flag,
    /// The usage token of `dcl`, which stands before the destination.
    Usage,
}

impl Operand {
    /// True for the operands that are destination parameter tokens.
    pub const fn is_dst(self) -> bool {
        matches!(
            self,
            Self::Dst
                | Self::DstTexture
                | Self::DstTemp
                | Self::DstKill
                | Self::DstDepth
                | Self::DstAddress
                | Self::DstPredicate
                | Self::DstConst
                | Self::DstDeclared
        )
    }

    /// True for the operands that are source parameter tokens.
    pub const fn is_src(self) -> bool {
        !self.is_dst() && !matches!(self, Self::Floats | Self::Ints | Self::Flag | Self::Usage)
    }
}

/// What the control bits 16 to 23 of an instruction token hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Nothing; must be zero.
    None,
    /// A [`Comparison`].
    Comparison,
    /// `texld` of 2.0 on: 0 plain, 1 projected, 2 biased.
    Texture,
}

/// What an instruction does to the nesting of flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Nothing.
    None,
    /// Opens a block.
    Open,
    /// Ends a block and opens its alternative.
    Else,
    /// Closes a block.
    Close,
    /// Leaves the innermost loop.
    Break,
    /// Calls or ends a subroutine.
    Call,
}

/// Versions of one stage in which an opcode row exists, both ends included, as [`Version::number`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range(pub u16, pub u16);

impl Range {
    /// True if the range holds `version`.
    pub const fn contains(self, version: Version) -> bool {
        self.0 <= version.number() && version.number() <= self.1
    }
}

/// One row of the opcode table.
#[derive(Debug)]
pub struct OpcodeInfo {
    /// The opcode.
    pub op: Opcode,
    /// Number in bits 0 to 15 of the instruction token.
    pub number: u16,
    /// Assembler mnemonic.
    pub name: &'static str,
    /// Vertex shader versions.
    pub vs: Range,
    /// Pixel shader versions.
    pub ps: Range,
    /// Operands in the order of the assembler; `dcl`'s usage token comes first.
    pub operands: &'static [Operand],
    /// Meaning of the control bits.
    pub control: Control,
    /// Flow control.
    pub flow: Flow,
    /// Write masks that the destination may have by the reference: bit n stands for mask n. Together they are what the opcode
    /// computes.
    pub masks: u16,
}

impl OpcodeInfo {
    /// True if the row exists in `version`.
    pub fn exists_in(&self, version: Version) -> bool {
        match version.stage {
            Stage::Vertex => self.vs.contains(version),
            Stage::Pixel => self.ps.contains(version),
        }
    }

    /// True if the row is for arithmetic alone, so that it means the same in every model and stage that lacks it.
    fn is_plain(&self) -> bool {
        let plain =
            |operand: &Operand| matches!(operand, Operand::Dst | Operand::Src | Operand::Scalar | Operand::Rows(_));
        let alone = Self::with_number(self.number).count() == 1;
        // Derivatives are the pixel stage's, the two others what the pixel shaders of one time could do.
        let staged = matches!(self.op, Opcode::Dsx | Opcode::Dsy | Opcode::Cnd | Opcode::Bem);
        alone
            && !staged
            && !self.operands.is_empty()
            && self.operands.iter().all(plain)
            && (self.control, self.flow) == (Control::None, Flow::None)
    }

    /// True if shaders of `version` may have the opcode: where it exists, and arithmetic where it does not.
    pub fn is_taken_in(&self, version: Version) -> bool {
        self.exists_in(version) || self.is_plain()
    }

    fn with_number(number: u16) -> impl Iterator<Item = &'static Self> {
        let first = match FIRST_ROWS.get(usize::from(number)) {
            Some(first) => usize::from(*first),
            None => Opcode::TABLE.partition_point(|row| row.number < number),
        };
        Opcode::TABLE[first..].iter().take_while(move |row| row.number == number)
    }

    /// The components that the opcode computes; others of a write mask keep what they have.
    pub fn lanes(&self) -> u8 {
        (0..16).filter(|mask| self.masks >> mask & 1 != 0).fold(0, |lanes, mask| lanes | mask)
    }

    /// How many rows of a matrix the last source stands for; `None` if the opcode has no matrix.
    pub fn rows(&self) -> Option<u16> {
        self.operands.iter().find_map(|operand| match operand {
            Operand::Rows(rows) => Some(u16::from(*rows)),
            _ => None,
        })
    }
}

macro_rules! opcodes {
    ($($(#[$doc:meta])* $op:ident $number:literal $name:literal $vs:ident $ps:ident
       [$($operand:expr),*] $control:ident $flow:ident $($masks:ident)?;)*) => {
        /// A Direct3D 9 shader opcode; one per layout, so the three forms of `D3DSIO_TEX` are three opcodes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Opcode { $($(#[$doc])* $op),* }

        impl Opcode {
            /// The opcode table, indexed by `Opcode as usize`.
            pub const TABLE: &'static [OpcodeInfo] = &[$(OpcodeInfo {
                op: Opcode::$op, number: $number, name: $name, vs: $vs, ps: $ps,
                operands: { #[allow(unused_imports)] use Operand::*; &[$($operand),*] },
                control: Control::$control, flow: Flow::$flow, masks: masks!($($masks)?),
            }),*];
        }
    };
}

macro_rules! masks {
    () => {
        ANY
    };
    ($masks:ident) => {
        $masks
    };
}

// Sets of write masks by the reference. Where it asks for one component and every compiler writes more, all are in.
const ANY: u16 = 0xFFFF;
const XY: u16 = 1 << 0b0011;
const XYZ: u16 = 1 << 0b0111;
const XYZ_XYZW: u16 = 1 << 0b0111 | 1 << 0b1111;
/// Every set of x, y, z.
const NO_W: u16 = 0x00FF;

const NO: Range = Range(1, 0);
const ALL: Range = Range(0x100, 0x3FF);
const V2: Range = Range(0x200, 0x2FF);
const V3: Range = Range(0x300, 0x3FF);
const FROM_2: Range = Range(0x200, 0x3FF);
const FROM_2X: Range = Range(0x201, 0x3FF);
const FROM_3: Range = Range(0x300, 0x3FF);
const FROM_1_2: Range = Range(0x102, 0x3FF);
const P1_TO_3: Range = Range(0x100, 0x103);
const P1_2_TO_3: Range = Range(0x102, 0x103);
const P1_3: Range = Range(0x103, 0x103);
const P1_4: Range = Range(0x104, 0x104);
const P1: Range = Range(0x100, 0x104);

opcodes! {
    Nop          0 "nop"          ALL    ALL       [] None None;
    Mov          1 "mov"          ALL    ALL       [Dst, Src] None None;
    Add          2 "add"          ALL    ALL       [Dst, Src, Src] None None;
    Sub          3 "sub"          ALL    ALL       [Dst, Src, Src] None None;
    Mad          4 "mad"          ALL    ALL       [Dst, Src, Src, Src] None None;
    Mul          5 "mul"          ALL    ALL       [Dst, Src, Src] None None;
    Rcp          6 "rcp"          ALL    FROM_2    [Dst, Scalar] None None;
    Rsq          7 "rsq"          ALL    FROM_2    [Dst, Scalar] None None;
    Dp3          8 "dp3"          ALL    ALL       [Dst, Src, Src] None None;
    Dp4          9 "dp4"          ALL    FROM_1_2  [Dst, Src, Src] None None;
    Min         10 "min"          ALL    FROM_2    [Dst, Src, Src] None None;
    Max         11 "max"          ALL    FROM_2    [Dst, Src, Src] None None;
    Slt         12 "slt"          ALL    NO        [Dst, Src, Src] None None;
    Sge         13 "sge"          ALL    NO        [Dst, Src, Src] None None;
    Exp         14 "exp"          ALL    FROM_2    [Dst, Scalar] None None;
    Log         15 "log"          ALL    FROM_2    [Dst, Scalar] None None;
    Lit         16 "lit"          ALL    NO        [Dst, Src] None None;
    Dst         17 "dst"          ALL    NO        [Dst, Src, Src] None None;
    Lrp         18 "lrp"          FROM_2 ALL       [Dst, Src, Src, Src] None None;
    Frc         19 "frc"          ALL    FROM_2    [Dst, Src] None None;
    M4x4        20 "m4x4"         ALL    FROM_2    [Dst, Src, Rows(4)] None None XYZ_XYZW;
    M4x3        21 "m4x3"         ALL    FROM_2    [Dst, Src, Rows(3)] None None XYZ;
    M3x4        22 "m3x4"         ALL    FROM_2    [Dst, Src, Rows(4)] None None XYZ_XYZW;
    M3x3        23 "m3x3"         ALL    FROM_2    [Dst, Src, Rows(3)] None None XYZ;
    M3x2        24 "m3x2"         ALL    FROM_2    [Dst, Src, Rows(2)] None None XY;
    Call        25 "call"         FROM_2 FROM_2X   [Label] None Call;
    CallNz      26 "callnz"       FROM_2 FROM_2X   [Label, Bool] None Call;
    Loop        27 "loop"         FROM_2 FROM_3    [LoopCounter, Int] None Open;
    Ret         28 "ret"          FROM_2 FROM_2X   [] None Call;
    EndLoop     29 "endloop"      FROM_2 FROM_3    [] None Close;
    Label       30 "label"        FROM_2 FROM_2X   [Label] None Call;
    Dcl         31 "dcl"          ALL    FROM_2    [Usage, DstDeclared] None None;
    Pow         32 "pow"          FROM_2 FROM_2    [Dst, Scalar, Scalar] None None;
    Crs         33 "crs"          FROM_2 FROM_2    [Dst, Src, Src] None None NO_W;
    /// `sgn` of model 2, whose last two sources are scratch registers of the macro.
    Sgn2        34 "sgn"          V2     NO        [Dst, Src, Src, Src] None None;
    /// `sgn` of model 3.
    Sgn         34 "sgn"          V3     NO        [Dst, Src] None None;
    Abs         35 "abs"          FROM_2 FROM_2    [Dst, Src] None None;
    Nrm         36 "nrm"          FROM_2 FROM_2    [Dst, Src] None None XYZ_XYZW;
    /// `sincos` of model 2, whose last two sources hold the coefficients of the macro.
    SinCos2     37 "sincos"       V2     V2        [Dst, Scalar, Src, Src] None None NO_W;
    /// `sincos` of model 3.
    SinCos      37 "sincos"       V3     V3        [Dst, Scalar] None None NO_W;
    Rep         38 "rep"          FROM_2 FROM_2X   [Int] None Open;
    EndRep      39 "endrep"       FROM_2 FROM_2X   [] None Close;
    If          40 "if"           FROM_2 FROM_2X   [Bool] None Open;
    IfC         41 "if"           FROM_2X FROM_2X  [Scalar, Scalar] Comparison Open;
    Else        42 "else"         FROM_2 FROM_2X   [] None Else;
    EndIf       43 "endif"        FROM_2 FROM_2X   [] None Close;
    Break       44 "break"        FROM_2X FROM_2X  [] None Break;
    BreakC      45 "break"        FROM_2X FROM_2X  [Scalar, Scalar] Comparison Break;
    MovA        46 "mova"         FROM_2 NO        [DstAddress, Src] None None;
    DefB        47 "defb"         FROM_2 FROM_2X   [DstConst, Flag] None None;
    DefI        48 "defi"         FROM_2 FROM_2X   [DstConst, Ints] None None;
    /// Clamped texture coordinate of ps_1_1 to ps_1_3.
    TexCoord    64 "texcoord"     NO     P1_TO_3   [DstTexture] None None;
    /// Texture coordinate of ps_1_4.
    TexCrd      64 "texcrd"       NO     P1_4      [DstTemp, SrcCoord] None None;
    TexKill     65 "texkill"      NO     ALL       [DstKill] None None;
    /// Texture lookup of ps_1_1 to ps_1_3, by the coordinate of the destination's number.
    Tex         66 "tex"          NO     P1_TO_3   [DstTexture] None None;
    /// Texture lookup of ps_1_4, in the sampler of the destination's number.
    TexLd14     66 "texld"        NO     P1_4      [DstTemp, SrcCoord] None None;
    /// Texture lookup of model 2 on; also `texldp` and `texldb`.
    TexLd       66 "texld"        NO     FROM_2    [Dst, Src, Sampler] Texture None;
    TexBem      67 "texbem"       NO     P1_TO_3   [DstTexture, SrcTexture] None None;
    TexBemL     68 "texbeml"      NO     P1_TO_3   [DstTexture, SrcTexture] None None;
    TexReg2Ar   69 "texreg2ar"    NO     P1_TO_3   [DstTexture, SrcTexture] None None;
    TexReg2Gb   70 "texreg2gb"    NO     P1_TO_3   [DstTexture, SrcTexture] None None;
    TexM3x2Pad  71 "texm3x2pad"   NO     P1_TO_3   [DstTexture, SrcTexture] None None;
    TexM3x2Tex  72 "texm3x2tex"   NO     P1_TO_3   [DstTexture, SrcTexture] None None;
    TexM3x3Pad  73 "texm3x3pad"   NO     P1_TO_3   [DstTexture, SrcTexture] None None;
    TexM3x3Tex  74 "texm3x3tex"   NO     P1_TO_3   [DstTexture, SrcTexture] None None;
    TexM3x3Spec 76 "texm3x3spec"  NO     P1_TO_3   [DstTexture, SrcTexture, SrcConst] None None;
    TexM3x3VSpec 77 "texm3x3vspec" NO    P1_TO_3   [DstTexture, SrcTexture] None None;
    ExpP        78 "expp"         ALL    NO        [Dst, Scalar] None None;
    LogP        79 "logp"         ALL    NO        [Dst, Scalar] None None;
    Cnd         80 "cnd"          NO     P1        [Dst, Src, Src, Src] None None;
    Def         81 "def"          ALL    ALL       [DstConst, Floats] None None;
    TexReg2Rgb  82 "texreg2rgb"   NO     P1_2_TO_3 [DstTexture, SrcTexture] None None;
    TexDp3Tex   83 "texdp3tex"    NO     P1_2_TO_3 [DstTexture, SrcTexture] None None;
    TexM3x2Depth 84 "texm3x2depth" NO    P1_3      [DstTexture, SrcTexture] None None;
    TexDp3      85 "texdp3"       NO     P1_2_TO_3 [DstTexture, SrcTexture] None None;
    TexM3x3     86 "texm3x3"      NO     P1_2_TO_3 [DstTexture, SrcTexture] None None;
    TexDepth    87 "texdepth"     NO     P1_4      [DstDepth] None None;
    Cmp         88 "cmp"          NO     FROM_1_2  [Dst, Src, Src, Src] None None;
    Bem         89 "bem"          NO     P1_4      [Dst, Src, Src] None None XY;
    Dp2Add      90 "dp2add"       NO     FROM_2    [Dst, Src, Src, Scalar] None None;
    Dsx         91 "dsx"          NO     FROM_2X   [Dst, Src] None None;
    Dsy         92 "dsy"          NO     FROM_2X   [Dst, Src] None None;
    TexLdD      93 "texldd"       NO     FROM_2X   [Dst, Src, Sampler, Src, Src] None None;
    SetP        94 "setp"         FROM_2X FROM_2X  [DstPredicate, Src, Src] Comparison None;
    TexLdL      95 "texldl"       FROM_3 FROM_3    [Dst, Src, Sampler] None None;
    BreakP      96 "breakp"       FROM_2X FROM_2X  [Predicate] None Break;
    Phase    65533 "phase"        NO     P1_4      [] None None;
}

/// The first row of each opcode number up to the last but one, `phase`, which is far behind the others; and where a number has
/// no row, that of the next one.
const FIRST_ROWS: [u8; 97] = {
    let (mut first, mut number) = ([0; 97], 0);
    while number < first.len() {
        let mut row = 0;
        while (Opcode::TABLE[row].number as usize) < number {
            row += 1;
        }
        first[number] = row as u8;
        number += 1;
    }
    first
};

/// Opcode number of a comment, whose length in tokens is in bits 16 to 30.
pub const COMMENT: u16 = 0xFFFE;
/// The last token of every shader.
pub const END: u32 = 0x0000_FFFF;

impl Opcode {
    /// The table row.
    pub fn info(self) -> &'static OpcodeInfo {
        &Self::TABLE[self as usize]
    }

    /// The row with this number that `version` takes, or `Err(true)` if the number exists in another version.
    pub fn find(number: u16, version: Version) -> Result<Self, bool> {
        let mut known = false;
        for row in OpcodeInfo::with_number(number) {
            if row.is_taken_in(version) {
                return Ok(row.op);
            }
            known = true;
        }
        Err(known)
    }
}

/// A register type, `D3DSPR_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum RegisterType {
    /// `r#`, temporary.
    Temp,
    /// `v#`, vertex input or interpolated input.
    Input,
    /// `c#`, float constant; `c2048` on in software models come as three more token types.
    Const,
    /// `a0`, address register of vertex shaders.
    Address,
    /// `t#`, texture coordinate (and, before ps_1_4, texture result) of pixel shaders.
    Texture,
    /// `oPos`, `oFog`, `oPts` of vertex shaders before 3.0.
    RastOut,
    /// `oD#`, colour output of vertex shaders before 3.0.
    AttrOut,
    /// `oT#`, texture coordinate output of vertex shaders before 3.0.
    TexCoordOut,
    /// `o#`, output of vs_3_0.
    Output,
    /// `i#`, integer constant.
    ConstInt,
    /// `oC#`, pixel colour.
    ColorOut,
    /// `oDepth`.
    DepthOut,
    /// `s#`, sampler.
    Sampler,
    /// `b#`, boolean constant.
    ConstBool,
    /// `aL`, loop counter.
    Loop,
    /// `vPos`, `vFace`.
    Misc,
    /// `l#`, label.
    Label,
    /// `p0`, predicate.
    Predicate,
}

/// How a register type may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Only as a source.
    Read,
    /// Only as a destination.
    Write,
    /// Both.
    Both,
}

/// One row of the register table.
#[derive(Debug)]
pub struct RegisterInfo {
    /// The register type.
    pub ty: RegisterType,
    /// `D3DSPR_*` number in the parameter token.
    pub number: u8,
    /// Stage in which this row applies, or both.
    pub stage: Option<Stage>,
    /// Assembler name; the number follows it if there is more than one register.
    pub name: &'static str,
    /// Access by ordinary instructions; declarations and definitions may name any register.
    pub access: Access,
    /// Number of registers in vs_1_1, vs_2_0, vs_2_x, vs_3_0.
    pub vs: [u16; 4],
    /// Number of registers in ps_1_0 to ps_1_3, ps_1_4, ps_2_0, ps_2_x, ps_3_0.
    pub ps: [u16; 5],
    /// Number of registers that shaders of any model which has some may name; 0 if no more than the model has.
    pub most: u16,
}

const VS: Option<Stage> = Some(Stage::Vertex);
const PS: Option<Stage> = Some(Stage::Pixel);

macro_rules! registers {
    ($($ty:ident $number:literal $stage:expr, $name:literal $access:ident [$($vs:literal)*] [$($ps:literal)*] $($most:literal)?;)*) => {
        /// The register table.
        pub const REGISTERS: &[RegisterInfo] = &[$(RegisterInfo {
            ty: RegisterType::$ty, number: $number, stage: $stage, name: $name, access: Access::$access,
            vs: [$($vs),*], ps: [$($ps),*], most: most!($($most)?),
        }),*];
    };
}

macro_rules! most {
    () => {
        0
    };
    ($most:literal) => {
        $most
    };
}

// Counts are those that the language can address; the device's caps may allow fewer. Model 2.0 has twelve temporaries by the
// reference, but Wine's HLSL compiler writes more and drivers take them.
registers! {
    //                                        vs 1.1  2.0  2.x  3.0    ps 1.3 1.4 2.0 2.x 3.0  most
    Temp         0 None, "r"      Both       [12   32   32   32]  [2   6  32  32  32] 32;
    Input        1 None, "v"      Read       [16   16   16   16]  [2   2   2   2  10] 16;
    Const        2 None, "c"      Read       [256  256  256  256] [8   8  32  32  224];
    Address      3 VS,   "a"      Both       [1    1    1    1]   [0   0   0   0   0];
    Texture      3 PS,   "t"      Both       [0    0    0    0]   [4   6   8   8   0];
    RastOut      4 VS,   "o"      Write      [3    3    3    0]   [0   0   0   0   0];
    AttrOut      5 VS,   "oD"     Write      [2    2    2    0]   [0   0   0   0   0];
    TexCoordOut  6 VS,   "oT"     Write      [8    8    8    0]   [0   0   0   0   0];
    Output       6 VS,   "o"      Write      [0    0    0    12]  [0   0   0   0   0] 16;
    ConstInt     7 None, "i"      Read       [0    16   16   16]  [0   0  16  16  16];
    ColorOut     8 PS,   "oC"     Write      [0    0    0    0]   [0   0   4   4   4];
    DepthOut     9 PS,   "oDepth" Write      [0    0    0    0]   [0   0   1   1   1];
    Sampler     10 None, "s"      Read       [0    0    0    4]   [0   0  16  16  16];
    ConstBool   14 None, "b"      Read       [0    16   16   16]  [0   0  16  16  16];
    Loop        15 None, "aL"     Read       [0    1    1    1]   [0   0   0   0   1];
    Misc        17 PS,   "v"      Read       [0    0    0    0]   [0   0   0   0   2];
    Label       18 None, "l"      Read       [0    16   2048 2048] [0  0   0  2048 2048] 2048;
    Predicate   19 None, "p"      Both       [0    0    1    1]   [0   0   0   1   1];
}

impl RegisterInfo {
    /// How many registers of this type `version` has; 0 if it has none.
    pub fn count(&self, version: Version) -> u16 {
        let column = match (version.stage, version.number()) {
            (Stage::Vertex, 0..=0x1FF) => self.vs[0],
            (Stage::Vertex, 0x200) => self.vs[1],
            (Stage::Vertex, 0x201..=0x2FF) => self.vs[2],
            (Stage::Vertex, _) => self.vs[3],
            (Stage::Pixel, 0..=0x103) => self.ps[0],
            (Stage::Pixel, 0x104..=0x1FF) => self.ps[1],
            (Stage::Pixel, 0x200) => self.ps[2],
            (Stage::Pixel, 0x201..=0x2FF) => self.ps[3],
            (Stage::Pixel, _) => self.ps[4],
        };
        if version.is_software() { self.software(column) } else { column }
    }

    /// The same where vertices are processed in software, which gives vertex shaders of every model more constants.
    pub fn software_count(&self, version: Version) -> u16 {
        let count = self.count(version);
        if version.stage == Stage::Vertex { self.software(count) } else { count }
    }

    /// How many registers of this type a shader of `version` may name, which may be more than the model has.
    pub fn most(&self, version: Version) -> u16 {
        let count = self.count(version);
        // Before model 3 the inputs of pixel shaders are two colours.
        let colors = self.ty == RegisterType::Input && version.stage == Stage::Pixel && version.major < 3;
        if count == 0 || colors { count } else { count.max(self.most) }
    }

    const fn software(&self, count: u16) -> u16 {
        match self.ty {
            RegisterType::Const if count != 0 => 8192,
            RegisterType::ConstInt | RegisterType::ConstBool if count != 0 => 2048,
            _ => count,
        }
    }
}

impl RegisterType {
    /// The row of this type.
    pub fn info(self) -> &'static RegisterInfo {
        // The rows are in the order of the enum, which a test checks.
        &REGISTERS[self as usize]
    }

    /// The register type of a `D3DSPR_*` number in `version`; `None` if that version has no such register.
    pub fn find(number: u8, version: Version) -> Option<Self> {
        REGISTERS
            .iter()
            .find(|row| {
                row.number == number && row.stage.is_none_or(|stage| stage == version.stage) && row.count(version) != 0
            })
            .map(|row| row.ty)
    }
}

/// Number of `oPos` in the [`RegisterType::RastOut`] file.
pub const RAST_POSITION: u16 = 0;
/// Number of `oFog` in the [`RegisterType::RastOut`] file.
pub const RAST_FOG: u16 = 1;
/// Number of `oPts` in the [`RegisterType::RastOut`] file.
pub const RAST_POINT_SIZE: u16 = 2;
/// Number of `vPos` in the [`RegisterType::Misc`] file.
pub const MISC_POSITION: u16 = 0;
/// Number of `vFace` in the [`RegisterType::Misc`] file.
pub const MISC_FACE: u16 = 1;

/// Registers whose assembler name is not "name, number".
pub const NAMED_REGISTERS: &[(RegisterType, u16, &str)] = &[
    (RegisterType::RastOut, RAST_POSITION, "oPos"),
    (RegisterType::RastOut, RAST_FOG, "oFog"),
    (RegisterType::RastOut, RAST_POINT_SIZE, "oPts"),
    (RegisterType::Misc, MISC_POSITION, "vPos"),
    (RegisterType::Misc, MISC_FACE, "vFace"),
    (RegisterType::DepthOut, 0, "oDepth"),
    (RegisterType::Loop, 0, "aL"),
];

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $number:literal $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $variant = $number),* }

        impl $name {
            /// All values, with their assembler text.
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self::$variant, $text)),*];

            /// The value of a token field; `None` if the number is not assigned.
            pub fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)* _ => None }
            }

            /// Assembler text.
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }
    };
}

pub use afterimage_abi::Usage;

numbered! {
    /// Dimension of the texture behind a sampler, `D3DSTT_*`.
    TextureDimension {
        /// Two-dimensional.
        D2 = 2 "2d",
        /// Cube map.
        Cube = 3 "cube",
        /// Volume.
        Volume = 4 "volume",
    }
}

numbered! {
    /// Comparison of `ifc`, `breakc` and `setp`, `D3DSPC_*`.
    Comparison {
        /// Greater.
        Gt = 1 "gt",
        /// Equal.
        Eq = 2 "eq",
        /// Greater or equal.
        Ge = 3 "ge",
        /// Less.
        Lt = 4 "lt",
        /// Not equal.
        Ne = 5 "ne",
        /// Less or equal.
        Le = 6 "le",
    }
}

numbered! {
    /// Source modifier, `D3DSPSM_*`. The text has `%` where the register stands.
    SourceModifier {
        /// The value as it is.
        None = 0 "%",
        /// Negated.
        Neg = 1 "-%",
        /// Minus a half.
        Bias = 2 "%_bias",
        /// Minus a half, negated.
        BiasNeg = 3 "-%_bias",
        /// Twice the value minus one.
        Sign = 4 "%_bx2",
        /// Twice the value minus one, negated.
        SignNeg = 5 "-%_bx2",
        /// One minus the value.
        Complement = 6 "1-%",
        /// Twice the value.
        X2 = 7 "%_x2",
        /// Twice the value, negated.
        X2Neg = 8 "-%_x2",
        /// Divided by the third component.
        Dz = 9 "%_dz",
        /// Divided by the fourth component.
        Dw = 10 "%_dw",
        /// Absolute value.
        Abs = 11 "%_abs",
        /// Negated absolute value.
        AbsNeg = 12 "-%_abs",
        /// Logical not, of predicates and booleans.
        Not = 13 "!%",
    }
}

/// Result modifiers: bit in the destination token and assembler suffix, `D3DSPDM_*`.
pub const RESULT_MODIFIERS: &[(u32, &str)] =
    &[(DST_SATURATE, "_sat"), (DST_PARTIAL_PRECISION, "_pp"), (DST_CENTROID, "_centroid")];
/// Clamp the result to 0..1.
pub const DST_SATURATE: u32 = 1 << 20;
/// Half precision is enough.
pub const DST_PARTIAL_PRECISION: u32 = 1 << 21;
/// Interpolate at the centroid.
pub const DST_CENTROID: u32 = 1 << 22;

/// Result shifts of ps_1_x: value of the 4-bit field as a signed power of two, and assembler suffix.
pub const RESULT_SHIFTS: &[(i8, &str)] = &[(1, "_x2"), (2, "_x4"), (3, "_x8"), (-3, "_d8"), (-2, "_d4"), (-1, "_d2")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_indexed_by_their_enums() {
        for (index, row) in Opcode::TABLE.iter().enumerate() {
            assert_eq!(row.op as usize, index, "{}", row.name);
        }
        assert!(Opcode::TABLE.is_sorted_by_key(|row| row.number), "find() searches by number");
        for (index, row) in REGISTERS.iter().enumerate() {
            assert_eq!(row.ty as usize, index, "{}", row.name);
        }
    }

    #[test]
    fn one_layout_per_number_and_version() {
        for version in Version::ALL {
            for row in Opcode::TABLE.iter().filter(|row| row.is_taken_in(version)) {
                assert_eq!(Opcode::find(row.number, version), Ok(row.op), "{} in {version}", row.name);
            }
            assert_eq!(Version::from_token(version.token()), Some(version));
        }
        assert_eq!(Opcode::find(0x4E20, Version::vs(3, 0)), Err(false));
        assert_eq!(Opcode::find(Opcode::Cnd.info().number, Version::ps(2, 0)), Err(true));
    }
}
