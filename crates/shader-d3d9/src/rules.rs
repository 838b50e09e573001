//! What may stand where in an instruction: register files, modifiers, write masks, relative addressing.
//!
//! These are the rules of the shader reference of the DirectX SDK ("Vertex Shader Registers", "Pixel Shader Registers",
//! and the pages of the modifiers), read off the rows of [`crate::tables`]. The validator refuses what they refuse; which of
//! them hold when a shader is created, [`crate::refusals`] says. Where the reference limits what hardware of its time
//! could do (instruction counts, read ports, one write mask for scalar results, modifiers of constants), drivers took more
//! and so do we.
//! Rules that go over several instructions are in `validate`.

use crate::instruction::Swizzle;
use crate::tables::{
    Access, DST_CENTROID, DST_PARTIAL_PRECISION, DST_SATURATE, Opcode, OpcodeInfo, Operand, RESULT_SHIFTS,
    RegisterType, SourceModifier, Stage, Version,
};

impl Version {
    /// True for the pixel shaders of model 1.
    pub fn is_ps_1(self) -> bool {
        self.stage == Stage::Pixel && self.major == 1
    }

    /// True from vs_2_x and ps_2_x on, which have predicates.
    pub const fn has_predicates(self) -> bool {
        self.number() >= 0x201
    }
}

impl OpcodeInfo {
    /// True if the destination may have this write mask in `version`. Assemblers put the whole one at matrix opcodes of
    /// vs_1_1, and D3DX, which asks the validator, took them (Irrlicht's normal maps are such).
    pub fn allows_mask(&self, mask: u8, version: Version) -> bool {
        self.masks >> (mask & 0xF) & 1 != 0 || version.major == 1 && self.rows().is_some()
    }

    /// The `DST_*` bits that the destination may have in `version`.
    pub fn result_modifiers(&self, version: Version) -> u32 {
        let pixel = version.stage == Stage::Pixel;
        // Half precision says nothing about the value, so compilers put it wherever there is a result.
        let precision = if pixel && version.major >= 2 { DST_PARTIAL_PRECISION } else { 0 };
        match self.operands.iter().find(|operand| operand.is_dst()) {
            // The reference has it in no vertex shader before 3.0, but Wine's HLSL compiler writes it in all.
            Some(Operand::Dst) => DST_SATURATE | precision,
            Some(Operand::DstDeclared) if version.major >= 3 => DST_CENTROID | precision,
            Some(Operand::DstDeclared) if pixel && version.major == 2 => DST_CENTROID | precision,
            Some(Operand::DstPredicate | Operand::DstKill) => precision,
            _ => 0,
        }
    }

    /// The result shifts that the destination may have in `version`, as in [`RESULT_SHIFTS`].
    pub fn result_shifts(&self, version: Version) -> impl Iterator<Item = i8> {
        let arithmetic = version.is_ps_1() && self.operands.contains(&Operand::Dst);
        let far = version.minor == 4;
        let shifts = RESULT_SHIFTS.iter().map(|(shift, _)| *shift);
        shifts.filter(move |shift| arithmetic && (far || (-1..=2).contains(shift)))
    }

    /// True if an instruction may be issued together with the one before (`+` of ps_1_x).
    pub fn can_pair(&self, version: Version) -> bool {
        version.is_ps_1() && self.operands.contains(&Operand::Dst)
    }

    /// True if the instruction may have a predicate in `version`.
    pub fn can_be_predicated(&self, version: Version) -> bool {
        let definition = matches!(self.op, Opcode::Dcl | Opcode::Def | Opcode::DefI | Opcode::DefB);
        version.has_predicates() && !definition && self.operands.iter().any(|operand| operand.is_dst())
    }
}

impl Operand {
    /// True if a register of this file may stand here, for an instruction with opcode `op`.
    pub fn takes(self, ty: RegisterType, op: Opcode, version: Version) -> bool {
        use RegisterType as R;
        match self {
            // vs_1_x has no `mova`.
            Self::Dst if ty == R::Address => op == Opcode::Mov && version.major == 1,
            Self::Dst if ty == R::Texture => version.is_ps_before_1_4(),
            Self::Dst => ty.info().access != Access::Read && ty != R::Predicate,
            Self::DstTexture | Self::SrcTexture => ty == R::Texture,
            Self::DstTemp | Self::DstDepth => ty == R::Temp,
            Self::DstKill if version.is_ps_before_1_4() => ty == R::Texture,
            Self::DstKill => matches!(ty, R::Temp | R::Texture | R::Input),
            Self::DstAddress => ty == R::Address,
            Self::DstPredicate | Self::Predicate => ty == R::Predicate,
            Self::DstConst => match op {
                Opcode::DefI => ty == R::ConstInt,
                Opcode::DefB => ty == R::ConstBool,
                _ => ty == R::Const,
            },
            Self::DstDeclared => ty.is_declared_in(version),
            Self::SrcCoord => matches!(ty, R::Temp | R::Texture),
            Self::SrcConst => ty == R::Const,
            // The coordinates of ps_1_4 only go through `texcrd` and `texld`.
            Self::Src | Self::Scalar if ty == R::Texture => version != Version::ps(1, 4),
            Self::Src | Self::Scalar => matches!(ty, R::Temp | R::Input | R::Const | R::Misc),
            Self::Rows(_) => matches!(ty, R::Const | R::Temp | R::Input),
            Self::Sampler => ty == R::Sampler,
            Self::Bool => matches!(ty, R::ConstBool | R::Predicate),
            Self::Int => ty == R::ConstInt,
            Self::LoopCounter => ty == R::Loop,
            Self::Label => ty == R::Label,
            Self::Floats | Self::Ints | Self::Flag | Self::Usage => false,
        }
    }

    /// True if a source here may have this modifier.
    pub fn takes_modifier(self, modifier: SourceModifier, version: Version) -> bool {
        use SourceModifier as M;
        match (self, modifier) {
            (_, M::None) => true,
            (Self::Bool | Self::Predicate, M::Not) => true,
            (Self::SrcTexture, M::Sign) => true,
            (Self::SrcCoord, M::Dz | M::Dw) => true,
            (Self::Src | Self::Scalar, M::Neg) => true,
            (Self::Src | Self::Scalar, M::Abs | M::AbsNeg) => version.major >= 3,
            (Self::Src | Self::Scalar, M::Bias | M::BiasNeg | M::Sign | M::SignNeg | M::Complement) => {
                version.is_ps_1()
            }
            (Self::Src | Self::Scalar, M::X2 | M::X2Neg) => version == Version::ps(1, 4),
            _ => false,
        }
    }

    /// True if a modifier that a source here may not have does something all the same: arithmetic on numbers.
    pub fn can_be_modified(self, modifier: SourceModifier) -> bool {
        use SourceModifier as M;
        let number = matches!(
            self,
            Self::Src | Self::Scalar | Self::SrcTexture | Self::SrcCoord | Self::SrcConst | Self::Rows(_)
        );
        number && !matches!(modifier, M::Dz | M::Dw | M::Not)
    }

    /// True if a source here may have this swizzle.
    pub fn takes_swizzle(self, swizzle: Swizzle, version: Version) -> bool {
        self != Self::Scalar || version.major == 1 || swizzle.replicated().is_some()
    }
}

impl RegisterType {
    /// True if `version` demands a `dcl` of registers of this file before they are used.
    pub fn is_declared_in(self, version: Version) -> bool {
        match self {
            Self::Input => version.stage == Stage::Vertex || version.major >= 2,
            Self::Texture => version.stage == Stage::Pixel && version.major >= 2,
            Self::Sampler | Self::Output | Self::Misc => true,
            _ => false,
        }
    }

    /// True if registers of this file can be addressed relatively, as a source or as a destination.
    pub fn can_be_relative(self, version: Version, is_dst: bool) -> bool {
        match self {
            Self::Const => !is_dst && (version.stage == Stage::Vertex || version.is_software()),
            Self::Input => !is_dst && version.major >= 3,
            Self::Output => is_dst,
            _ => false,
        }
    }
}
