//! Numbers of the SPIR-V 1.6 specification and of its GLSL.std.450 instruction set, as far as the writer uses them.
//! Names are the specification's.

#![allow(non_upper_case_globals, missing_docs)]

macro_rules! numbers {
    ($(#[$doc:meta])* $module:ident: $ty:ty { $($name:ident = $value:literal,)* }) => {
        $(#[$doc])*
        pub(crate) mod $module {
            $(pub(crate) const $name: $ty = $value;)*
        }
    };
}

/// Magic number of a module.
pub(crate) const MAGIC: u32 = 0x0723_0203;
/// Version 1.6, the one that Vulkan 1.3 brings.
pub(crate) const VERSION: u32 = 0x0001_0600;

numbers! {
    /// Instructions.
    op: u16 {
        Undef = 1, Name = 5, ExtInstImport = 11, ExtInst = 12, MemoryModel = 14, EntryPoint = 15, ExecutionMode = 16,
        Capability = 17, TypeVoid = 19, TypeBool = 20, TypeInt = 21, TypeFloat = 22, TypeVector = 23, TypeImage = 25,
        TypeSampler = 26, TypeSampledImage = 27, TypeArray = 28, TypeRuntimeArray = 29, TypeStruct = 30, TypePointer = 32,
        TypeFunction = 33, ConstantTrue = 41, ConstantFalse = 42, Constant = 43, ConstantComposite = 44, ConstantNull = 46,
        SpecConstantTrue = 48, SpecConstantFalse = 49, SpecConstant = 50,
        Function = 54, FunctionEnd = 56, Variable = 59, Load = 61, Store = 62, AccessChain = 65, Decorate = 71,
        MemberDecorate = 72, VectorShuffle = 79, CompositeConstruct = 80, CompositeExtract = 81, CompositeInsert = 82, SampledImage = 86,
        ImageSampleImplicitLod = 87, ImageSampleExplicitLod = 88, ImageSampleDrefImplicitLod = 89,
        ImageSampleDrefExplicitLod = 90, ImageGather = 96, ConvertFToU = 109, ConvertFToS = 110, ConvertSToF = 111, ConvertUToF = 112,
        Bitcast = 124, SNegate = 126, FNegate = 127, IAdd = 128, FAdd = 129, ISub = 130, FSub = 131, IMul = 132, FMul = 133,
        UDiv = 134, SDiv = 135, FDiv = 136, UMod = 137, Dot = 148, UMulExtended = 151, SMulExtended = 152, Any = 154, All = 155, IsNan = 156,
        LogicalNotEqual = 165, LogicalOr = 166, LogicalAnd = 167, LogicalNot = 168, Select = 169, IEqual = 170,
        INotEqual = 171, ULessThan = 176, SLessThan = 177, ULessThanEqual = 178, SLessThanEqual = 179, FOrdEqual = 180,
        FUnordNotEqual = 183, FOrdLessThan = 184, FOrdLessThanEqual = 188, FOrdGreaterThanEqual = 190,
        ShiftRightLogical = 194, ShiftRightArithmetic = 195, ShiftLeftLogical = 196, BitwiseOr = 197, BitwiseXor = 198,
        BitwiseAnd = 199, Not = 200, BitReverse = 204, BitCount = 205, DPdx = 207, DPdy = 208, Phi = 245, LoopMerge = 246,
        SelectionMerge = 247, Label = 248, Branch = 249, BranchConditional = 250, Return = 253, Unreachable = 255,
        DemoteToHelperInvocation = 5380,
    }
}

numbers! {
    /// GLSL.std.450 instructions.
    glsl: u32 {
        RoundEven = 2, Trunc = 3, FAbs = 4, SAbs = 5, Floor = 8, Ceil = 9, Fract = 10, Sin = 13, Cos = 14, Exp2 = 29,
        Log2 = 30, Sqrt = 31, InverseSqrt = 32, UMin = 38, SMin = 39, UMax = 41, SMax = 42, SClamp = 45, Fma = 50, NMin = 79,
        NMax = 80, NClamp = 81,
    }
}

numbers! {
    capability: u32 {
        Shader = 1, SampledImageArrayDynamicIndexing = 29, ClipDistance = 32, SignedZeroInfNanPreserve = 4466,
        RuntimeDescriptorArray = 5302, PhysicalStorageBufferAddresses = 5347, DemoteToHelperInvocation = 5379,
    }
}

numbers! {
    decoration: u32 {
        SpecId = 1, Block = 2, ArrayStride = 6, BuiltIn = 11, NoPerspective = 13, Flat = 14, Centroid = 16, Invariant = 18,
        NonWritable = 24, Location = 30, Binding = 33, DescriptorSet = 34, Offset = 35, NoContraction = 42,
    }
}

numbers! {
    builtin: u32 {
        Position = 0, PointSize = 1, ClipDistance = 3, FragCoord = 15, PointCoord = 16, FrontFacing = 17, FragDepth = 22,
        VertexIndex = 42, InstanceIndex = 43,
    }
}

numbers! {
    /// Storage classes.
    storage: u32 {
        UniformConstant = 0, Input = 1, Output = 3, Function = 7, PushConstant = 9, PhysicalStorageBuffer = 5349,
    }
}

numbers! {
    execution_mode: u32 {
        OriginUpperLeft = 7, DepthReplacing = 12, SignedZeroInfNanPreserve = 4461,
    }
}

numbers! {
    execution_model: u32 {
        Vertex = 0, Fragment = 4,
    }
}

numbers! {
    /// Image dimensions.
    dim: u32 {
        D2 = 1, D3 = 2, Cube = 3,
    }
}

numbers! {
    /// Masks of optional image operands.
    image_operands: u32 {
        Bias = 1, Lod = 2, Grad = 4,
    }
}

/// Addressing model PhysicalStorageBuffer64.
pub(crate) const ADDRESSING: u32 = 5348;
/// Memory model GLSL450.
pub(crate) const MEMORY_MODEL: u32 = 1;
/// Memory operand `Aligned`.
pub(crate) const ALIGNED: u32 = 2;
