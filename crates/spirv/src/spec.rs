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
        Undef = 1, Name = 5, Extension = 10, ExtInstImport = 11, ExtInst = 12, MemoryModel = 14, EntryPoint = 15, ExecutionMode = 16,
        Capability = 17, TypeVoid = 19, TypeBool = 20, TypeInt = 21, TypeFloat = 22, TypeVector = 23, TypeImage = 25,
        TypeSampler = 26, TypeSampledImage = 27, TypeArray = 28, TypeRuntimeArray = 29, TypeStruct = 30, TypePointer = 32,
        TypeFunction = 33, ConstantTrue = 41, ConstantFalse = 42, Constant = 43, ConstantComposite = 44, ConstantNull = 46,
        SpecConstantTrue = 48, SpecConstantFalse = 49, SpecConstant = 50,
        Function = 54, FunctionEnd = 56, Variable = 59, Load = 61, Store = 62, AccessChain = 65, Decorate = 71,
        MemberDecorate = 72, VectorShuffle = 79, CompositeConstruct = 80, CompositeExtract = 81, CompositeInsert = 82, SampledImage = 86,
        ImageSampleImplicitLod = 87, ImageSampleExplicitLod = 88, ImageSampleDrefImplicitLod = 89,
        ImageSampleDrefExplicitLod = 90, ImageFetch = 95, ImageGather = 96, ImageDrefGather = 97, ImageRead = 98, ImageWrite = 99,
        ImageTexelPointer = 60, Image = 100, ImageQuerySizeLod = 103, ImageQuerySize = 104, ImageQueryLod = 105, ImageQueryLevels = 106,
        ImageQuerySamples = 107, ConvertFToU = 109, ConvertFToS = 110, ConvertSToF = 111, ConvertUToF = 112, UConvert = 113, FConvert = 115,
        Bitcast = 124, SNegate = 126, FNegate = 127, IAdd = 128, FAdd = 129, ISub = 130, FSub = 131, IMul = 132, FMul = 133,
        UDiv = 134, SDiv = 135, FDiv = 136, UMod = 137, Dot = 148, UMulExtended = 151, SMulExtended = 152, Any = 154, All = 155, IsNan = 156,
        LogicalNotEqual = 165, LogicalOr = 166, LogicalAnd = 167, LogicalNot = 168, Select = 169, IEqual = 170,
        INotEqual = 171, UGreaterThan = 172, UGreaterThanEqual = 174, ULessThan = 176, SLessThan = 177, ULessThanEqual = 178, SLessThanEqual = 179, FOrdEqual = 180,
        FUnordNotEqual = 183, FOrdLessThan = 184, FOrdLessThanEqual = 188, FOrdGreaterThanEqual = 190,
        ShiftRightLogical = 194, ShiftRightArithmetic = 195, ShiftLeftLogical = 196, BitwiseOr = 197, BitwiseXor = 198,
        BitwiseAnd = 199, Not = 200, BitFieldSExtract = 202, BitFieldUExtract = 203, BitReverse = 204, BitCount = 205, DPdx = 207, DPdy = 208, ControlBarrier = 224, MemoryBarrier = 225, AtomicLoad = 227, AtomicExchange = 229,
        AtomicCompareExchange = 230, AtomicIAdd = 234, AtomicISub = 235, AtomicSMin = 236, AtomicUMin = 237, AtomicSMax = 238,
        AtomicUMax = 239, AtomicAnd = 240, AtomicOr = 241, AtomicXor = 242, GroupNonUniformAny = 335,
        GroupNonUniformBroadcast = 337, GroupNonUniformBroadcastFirst = 338, GroupNonUniformBallot = 339,
        GroupNonUniformShuffle = 345, EmitVertex = 218, EndPrimitive = 219, EmitStreamVertex = 220, EndStreamPrimitive = 221, Phi = 245, LoopMerge = 246,
        SelectionMerge = 247, Label = 248, Branch = 249, BranchConditional = 250, Return = 253, Unreachable = 255,
        DemoteToHelperInvocation = 5380,
    }
}

numbers! {
    /// GLSL.std.450 instructions.
    glsl: u32 {
        RoundEven = 2, Trunc = 3, FAbs = 4, SAbs = 5, Floor = 8, Ceil = 9, Fract = 10, Sin = 13, Cos = 14, Exp2 = 29,
        Log2 = 30, Sqrt = 31, InverseSqrt = 32, UMin = 38, SMin = 39, UMax = 41, SMax = 42, SClamp = 45, Fma = 50, UnpackHalf2x16 = 62,
        FindILsb = 73, FindSMsb = 74, FindUMsb = 75, NMin = 79,
        NMax = 80, NClamp = 81,
    }
}

numbers! {
    capability: u32 {
        Shader = 1, Geometry = 2, Float64 = 10, GeometryPointSize = 24, TransformFeedback = 53, GeometryStreams = 54, Int64 = 11, Int64Atomics = 12, ImageGatherExtended = 25, StorageImageMultisample = 27,
        SampledImageArrayDynamicIndexing = 29, ClipDistance = 32, CullDistance = 33, SampleRateShading = 35, SampledCubeArray = 45,
        ImageMSArray = 48, ImageQuery = 50, StorageImageReadWithoutFormat = 55, StorageImageWriteWithoutFormat = 56,
        MultiViewport = 57, GroupNonUniform = 61, GroupNonUniformVote = 62, GroupNonUniformBallot = 64, GroupNonUniformShuffle = 65,
        ShaderLayer = 69, ShaderViewportIndex = 70, SignedZeroInfNanPreserve = 4466, StencilExport = 5013,
        DrawParameters = 4427, ShaderNonUniform = 5301, SampledImageArrayNonUniformIndexing = 5307, RuntimeDescriptorArray = 5302, PhysicalStorageBufferAddresses = 5347, DemoteToHelperInvocation = 5379,
    }
}

numbers! {
    decoration: u32 {
        SpecId = 1, Block = 2, ArrayStride = 6, BuiltIn = 11, NoPerspective = 13, Flat = 14, Centroid = 16, Sample = 17,
        Invariant = 18,
        Coherent = 23, Stream = 29, Component = 31, XfbBuffer = 36, XfbStride = 37, NonWritable = 24, NonReadable = 25, Location = 30, Index = 32, Binding = 33, DescriptorSet = 34, Offset = 35, NoContraction = 42, NonUniform = 5300,
    }
}

numbers! {
    builtin: u32 {
        Position = 0, PointSize = 1, ClipDistance = 3, CullDistance = 4, PrimitiveId = 7, InvocationId = 8, Layer = 9, ViewportIndex = 10,
        SampleId = 18, SampleMask = 20, NumWorkgroups = 24, WorkgroupId = 26, LocalInvocationId = 27, LocalInvocationIndex = 29,
        SubgroupSize = 36, SubgroupLocalInvocationId = 41, FragStencilRef = 5014, FragCoord = 15, PointCoord = 16, FrontFacing = 17, FragDepth = 22,
        VertexIndex = 42, InstanceIndex = 43, DrawIndex = 4426,
    }
}

numbers! {
    /// Storage classes.
    storage: u32 {
        UniformConstant = 0, Input = 1, Output = 3, Workgroup = 4, Image = 11, Function = 7, PushConstant = 9, Uniform = 2, StorageBuffer = 12, PhysicalStorageBuffer = 5349,
    }
}

numbers! {
    execution_mode: u32 {
        Invocations = 0, OriginUpperLeft = 7, Xfb = 11, InputPoints = 19, InputLines = 20, InputLinesAdjacency = 21, Triangles = 22,
        InputTrianglesAdjacency = 23, OutputVertices = 26, OutputPoints = 27, OutputLineStrip = 28, OutputTriangleStrip = 29, DepthReplacing = 12, LocalSize = 17, StencilRefReplacing = 5027, SignedZeroInfNanPreserve = 4461,
    }
}

numbers! {
    execution_model: u32 {
        Vertex = 0, Geometry = 3, Fragment = 4, GLCompute = 5,
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
        Bias = 1, Lod = 2, Grad = 4, ConstOffset = 8, Sample = 64,
    }
}

numbers! {
    scope: u32 {
        Device = 1, Workgroup = 2, Subgroup = 3,
    }
}

numbers! {
    /// Memory semantics.
    semantics: u32 {
        AcquireRelease = 0x8, Uniform = 0x40, Workgroup = 0x100, Image = 0x800,
    }
}

numbers! {
    /// Formats of storage images.
    image_format: u32 {
        Unknown = 0, R32f = 3, R32i = 24, R32ui = 33,
    }
}

/// Addressing model PhysicalStorageBuffer64.
pub(crate) const ADDRESSING: u32 = 5348;
/// Memory model GLSL450.
pub(crate) const MEMORY_MODEL: u32 = 1;
/// Memory operand `Aligned`.
pub(crate) const ALIGNED: u32 = 2;
/// Memory operand `Volatile`.
pub(crate) const VOLATILE: u32 = 1;
