//! Every rule that a shader can break: whether its creation fails for it, or only the validator complains.
//!
//! The validator of the SDK (`Direct3DShaderValidatorCreate9`, which assemblers and compilers ask) holds shaders to the whole
//! reference. `CreateVertexShader` and `CreatePixelShader` did not: compilers, and programs that patch tokens, make shaders that
//! break some of it and draw with them. What WineD3D looks at when a shader is created is in its shader.c and shader_sm1.c. So each
//! rule is a row here that says who refuses, on whose word, and what a shader that is taken all the same draws.
//! `docs/shader-rules.md` is made of these rows.

use std::fmt;

/// Who refuses what breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// Creation does on Windows, as a test that was run there shows.
    Runtime,
    /// Creation does here, since nothing could be drawn: the tokens have no meaning, or no hardware had what they name.
    Meaningless,
    /// The validator alone; the shader is created and drawn.
    Validator,
}

/// One row of the table.
#[derive(Debug)]
pub struct RuleInfo {
    /// The rule.
    pub rule: Rule,
    /// Its name in the log.
    pub name: &'static str,
    /// Who refuses.
    pub refused: Refused,
    /// What the rule says.
    pub says: &'static str,
    /// What is drawn where it is broken, or why nothing is.
    pub then: &'static str,
    /// On whose word.
    pub source: &'static str,
}

macro_rules! rules {
    ($($rule:ident $refused:ident $name:literal $says:literal $then:literal $source:literal;)*) => {
        /// A rule; what it says is in its row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Rule { $($rule),* }

        impl Rule {
            /// The table, indexed by `Rule as usize`.
            pub const TABLE: &'static [RuleInfo] = &[$(RuleInfo {
                rule: Rule::$rule, name: $name, refused: Refused::$refused, says: $says, then: $then, source: $source,
            }),*];
        }
    };
}

rules! {
    Version Runtime "version"
        "The first token is a model of Direct3D 9, and of the stage that is created"
        "There is no telling what the tokens are"
        "Wine's tests `test_unsupported_shaders` (d3d9: device.c, d3d9ex.c)";
    Constants Runtime "constants"
        "`c#`, `i#` and `b#` are those of the model, rows of a matrix included"
        "The program sees that it has to do with less"
        "Wine's tests `test_unsupported_shaders`: `c256`, `i16`, `b16` in `vs_3_0`, `c8` in `ps_1_1`, `c32` in `ps_2_0`, `c224` in `ps_3_0`";
    PixelPosition Runtime "position-input"
        "No input of `ps_3_0` is `POSITION0`"
        "The position is the rasteriser's; pixels have `vPos`"
        "Wine's `test_position_index` (visual.c: `ps_code_bad`)";
    FlowOpcode Runtime "opcode"
        "The opcode exists, in this model; arithmetic has a rule of its own"
        "Flow control, lookups and derivatives that the model's hardware lacks"
        "Wine's tests `test_unsupported_shaders` (`ps_2_0` with `rep`, `if`); WineD3D refuses the others too (shader_sm1.c)";
    Tokens Meaningless "tokens"
        "Instruction, operand and end tokens are where they have to be, as many as the instruction says"
        "What follows could not be read"
        "d3d9types.h";
    Values Meaningless "values"
        "Fields that say what is done (comparison, kind of lookup, shift, source modifier, usage) have an assigned value"
        "Nobody knows what it would do"
        "d3d9types.h";
    Files Meaningless "files"
        "The model has this register file, and one can stand here: results are not written to inputs or constants, outputs not read"
        "No hardware had it"
        "Reference, \"Registers\" of each model";
    Registers Meaningless "registers"
        "Registers that stand for a part of the hardware (outputs before 3.0, colours, coordinates, samplers, `t#` and `r#` of a lookup) are those that it has"
        "There is none"
        "Reference, \"Registers\" of each model";
    Relative Meaningless "relative"
        "Only `c#` of vertex shaders, inputs of model 3 and outputs of `vs_3_0` are addressed by `a0` or `aL`"
        "No hardware had it"
        "Reference, \"Registers\" of each model";
    Predicate Meaningless "predicate"
        "Only instructions with a result, from 2_x on, have a predicate"
        "There is no `p0`"
        "Reference, \"Predicate Register\"";
    Blocks Meaningless "blocks"
        "Blocks are closed in the order in which they were opened, and `break` is in a loop"
        "No flow of control would be right"
        "Reference, \"Flow Control\"";
    Labels Meaningless "labels"
        "A call has its subroutine behind it, once"
        "There is nothing to call, or no end of it"
        "Reference, \"call\"";
    Depth Meaningless "depth"
        "No more than 24 blocks or calls in another, which is what software vertex processing allows"
        "A bound is needed"
        "Reference, \"Flow Control Nesting Limits\"";
    Pads Meaningless "pads"
        "`texm3x2` and `texm3x3` have the rows before them, by their `pad`s"
        "There is no matrix"
        "Reference, \"texm3x3pad\"";
    ArithmeticOpcode Validator "arithmetic-opcode"
        "Arithmetic exists in this model"
        "What it computes in the models that have it"
        "WineD3D takes most in any model (shader_sm1.c)";
    ControlBits Validator "control-bits"
        "Instructions without control bits have none"
        "They say nothing"
        "WineD3D warns and goes on (shader_sm1.c)";
    Pair Validator "pair"
        "A `+` is before an arithmetic instruction of `ps_1_x`, with one behind one"
        "The instruction runs alone"
        "WineD3D does not look";
    Masks Validator "masks"
        "Matrix opcodes, `crs`, `nrm`, `sincos` and `bem` have the mask that their page names"
        "Components that the opcode computes and the mask has are written, others keep what they have"
        "Irrlicht's `m3x3` without a mask; DXVK, too, leaves components beyond the rows alone. (For matrices of `vs_1_1` the validator takes any: Irrlicht's went through it)";
    ResultModifier Validator "result-modifier"
        "`_sat`, `_pp` and `_centroid` are where they have a meaning"
        "They say nothing"
        "WineD3D does not look";
    ResultShift Validator "result-shift"
        "`_x2` to `_d8` are those of arithmetic in this model of `ps_1_x`"
        "Results of arithmetic are shifted"
        "WineD3D shifts in any model (glsl_shader.c)";
    SourceModifier Validator "source-modifier"
        "A source has a modifier of its model"
        "Arithmetic on a source of numbers is done, anything else says nothing"
        "WineD3D does it in any model (glsl_shader.c)";
    Swizzle Validator "swizzle"
        "From 2.0 on a source of which one component is read names it"
        "It is the last that the swizzle names"
        "WineD3D takes `w` (glsl_shader.c)";
    RegisterCount Validator "register-count"
        "`r#` beyond those of the model, `v#` and `o#` of model 3 beyond 10 and 12, `l#` beyond 16 are not named"
        "32 temporaries, 16 inputs and outputs are there in every model"
        "Wine's HLSL compiler writes `r12` in `vs_1_1`; `v10` in `ps_3_0`: \"The Void\" (Wine's bug 47229), where the validator refuses and another game draws (DXVK's issue 4537)";
    AddressByMov Validator "address-by-mov"
        "From 2.0 on `mova` writes `a0`"
        "`mov` rounds down, as before 2.0"
        "WineD3D does not look";
    CoordinateSource Validator "coordinate-source"
        "Arithmetic of `ps_1_4` does not read `t#`"
        "It reads the coordinates"
        "WineD3D does not look";
    Undeclared Validator "undeclared"
        "Registers that are declared are so before they are used"
        "Inputs of `ps_2_x` are what their number says, samplers what is bound, others read 0 and are written for nobody"
        "WineD3D does not look";
    Redeclared Validator "redeclared"
        "A component is declared once"
        "A vertex input has its first semantic, others have all"
        "WineD3D does not look";
    SamplerType Validator "sampler-type"
        "A sampler is 2D, cube or volume"
        "It is what is bound"
        "WineD3D warns and goes on (shader_sm1.c)";
    LoopCounter Validator "loop-counter"
        "`aL` is used in a loop"
        "It is 0"
        "Reference, \"Loop Counter Register\"";
    RelativeConstant Validator "relative-constant"
        "`c#` of `ps_3_0` is not addressed by `aL`"
        "It is"
        "WineD3D does not look";
    MatrixOverlap Validator "matrix-overlap"
        "The result of a matrix opcode is none of its sources"
        "All rows are read before the result is written"
        "WineD3D does not look; as any instruction of hardware does";
    LoopNesting Validator "loop-nesting"
        "No more than 4 loops in another"
        "Up to 24 are run"
        "Reference, \"Flow Control Nesting Limits\"; WineD3D counts and goes on";
    CallNesting Validator "call-nesting"
        "No more than 4 calls in another"
        "Up to 24 are run"
        "Reference, \"Flow Control Nesting Limits\"; WineD3D does not look";
    TextureOrder Validator "texture-order"
        "Texture opcodes of `ps_1_x` come before arithmetic"
        "They are done in order, by the coordinates that come from the vertices"
        "WineD3D does not look";
    Phases Validator "phases"
        "There is one `phase`"
        "Each begins another one"
        "WineD3D does not look";
    PadRegisters Validator "pad-registers"
        "The rows of a matrix of `ps_1_x` are in consecutive registers"
        "They are the last ones that were computed"
        "WineD3D does not look";
}

impl Rule {
    /// The row.
    pub fn info(self) -> &'static RuleInfo {
        &Self::TABLE[self as usize]
    }

    /// True if a shader that breaks it is created.
    pub fn is_lenient(self) -> bool {
        self.info().refused == Refused::Validator
    }
}

/// Some rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleSet(u64);

const _: () = assert!(Rule::TABLE.len() <= 64);

impl RuleSet {
    /// No rule.
    pub const NONE: Self = Self(0);

    /// The rules that are not among the others.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// The rules of both.
    #[must_use]
    pub const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Adds a rule.
    pub fn insert(&mut self, rule: Rule) {
        self.0 |= 1 << rule as u8;
    }

    /// True if there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if it is among them.
    pub fn contains(self, rule: Rule) -> bool {
        self.0 >> rule as u8 & 1 != 0
    }

    /// The rules, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::TABLE.iter().map(|row| row.rule).filter(move |rule| self.contains(*rule))
    }
}

/// Their names.
impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, rule) in self.iter().enumerate() {
            write!(f, "{}{}", if at == 0 { "" } else { ", " }, rule.info().name)?;
        }
        Ok(())
    }
}
