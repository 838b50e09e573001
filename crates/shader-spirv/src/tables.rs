//! The SPIR-V tables: one row per instruction, one per enumerant.
//!
//! Names, numbers and operand kinds are those of the grammar that Khronos publishes with the SPIR-V specification 1.6
//! (`spirv.core.grammar.json`, `extinst.glsl.std.450.grammar.json`): its core without the parts for OpenCL kernels, and the
//! extensions that shaders use most. An instruction has its meaning in [`crate::lift`](mod@crate::lift); a row without one is an error that
//! names it.
//!
//! The letters of an instruction's operands:
//!
//! | letter | operand | letter | operand |
//! |---|---|---|---|
//! | `t` | id of the result's type | `S` | storage class |
//! | `r` | id of the result | `D` | decoration, then its literals |
//! | `i` | id | `M` | execution mode, then its literals |
//! | `n` | literal number | `E` | execution model |
//! | `s` | literal string | `C` | capability |
//! | `v` | literal of the result's type | `d`, `f` | dimension, format of an image |
//! | `x` | instruction of an extended set | `A`, `Y` | addressing model, memory model |
//! | `o` | opcode, then ids and literals | `F`, `L`, `l` | control of a function, loop, selection |
//! | `p` | literal and id | `m`, `I` | memory, image operands: a mask, then what its bits bring |
//! | `q` | id and literal | `w` | source language |
//!
//! `?` may be missing, `*` is any number.

/// A row of the instruction table.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Number: the low half of an instruction's first word.
    pub opcode: u16,
    /// Name with its `Op`.
    pub name: &'static str,
    /// Operands, a letter each.
    pub operands: &'static str,
}

macro_rules! instructions {
    ($($name:ident = $number:literal $operands:literal,)*) => {
        /// Numbers of the instructions.
        #[allow(non_upper_case_globals, missing_docs)]
        pub mod op {
            $(pub const $name: u16 = $number;)*
        }

        /// Every instruction, by rising number.
        pub static INSTRUCTIONS: &[Row] =
            &[$(Row { opcode: $number, name: concat!("Op", stringify!($name)), operands: $operands },)*];
    };
}

macro_rules! enumerants {
    ($($(#[$doc:meta])+ $module:ident { $($name:ident $(as $text:literal)? = $value:literal,)* })*) => {$(
        $(#[$doc])+
        #[allow(non_upper_case_globals, missing_docs)]
        pub mod $module {
            $(pub const $name: u32 = $value;)*

            /// Names and numbers.
            pub static ALL: &[(&str, u32)] = &[$((spelling!($name $($text)?), $value),)*];

            /// The name, if the table has the number.
            pub fn name(value: u32) -> Option<&'static str> {
                ALL.iter().find(|row| row.1 == value).map(|row| row.0)
            }

            /// The name, or else the number.
            pub fn text(value: u32) -> String {
                name(value).map_or_else(|| value.to_string(), str::to_owned)
            }
        }
    )*};
}

macro_rules! spelling {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $text:literal) => {
        $text
    };
}

/// The row of an opcode.
pub fn row(opcode: u16) -> Option<&'static Row> {
    INSTRUCTIONS.binary_search_by_key(&opcode, |row| row.opcode).ok().map(|at| &INSTRUCTIONS[at])
}

/// Number at the begin of every module.
pub const MAGIC: u32 = 0x0723_0203;

/// Capabilities that can be asked for: either all that they bring is covered, or what is not covered is named where it is
/// used.
pub static COVERED: &[u32] = &[
    capability::Matrix,
    capability::Shader,
    capability::Geometry,
    capability::GeometryPointSize,
    capability::GeometryStreams,
    capability::MultiViewport,
    capability::ShaderLayer,
    capability::ShaderViewportIndex,
    capability::Float64,
    capability::Int64,
    capability::ClipDistance,
    capability::CullDistance,
    capability::SampledBuffer,
    capability::StorageBufferArrayDynamicIndexing,
    capability::ImageQuery,
    capability::DerivativeControl,
    capability::ImageGatherExtended,
    capability::UniformBufferArrayDynamicIndexing,
    capability::SampledImageArrayDynamicIndexing,
    capability::RuntimeDescriptorArray,
    capability::PhysicalStorageBufferAddresses,
    capability::VulkanMemoryModel,
    // Of atomic operations and barriers, which are named where they are.
    capability::VulkanMemoryModelDeviceScope,
    capability::ShaderViewportIndexLayerEXT,
    capability::DemoteToHelperInvocation,
    capability::DrawParameters,
    capability::Sampled1D,
    capability::SampledCubeArray,
    capability::SampleRateShading,
    capability::TransformFeedback,
    // The IR's floats are IEEE's; whether the driver is asked to keep them so again is the profile's to say.
    capability::SignedZeroInfNanPreserve,
];

instructions! {
    Nop = 0 "",
    Undef = 1 "tr",
    SourceContinued = 2 "s",
    Source = 3 "wni?s?",
    SourceExtension = 4 "s",
    Name = 5 "is",
    MemberName = 6 "ins",
    String = 7 "rs",
    Line = 8 "inn",
    Extension = 10 "s",
    ExtInstImport = 11 "rs",
    ExtInst = 12 "trixi*",
    MemoryModel = 14 "AY",
    EntryPoint = 15 "Eisi*",
    ExecutionMode = 16 "iM",
    Capability = 17 "C",
    TypeVoid = 19 "r",
    TypeBool = 20 "r",
    TypeInt = 21 "rnn",
    TypeFloat = 22 "rn",
    TypeVector = 23 "rin",
    TypeMatrix = 24 "rin",
    TypeImage = 25 "ridnnnnfn?",
    TypeSampler = 26 "r",
    TypeSampledImage = 27 "ri",
    TypeArray = 28 "rii",
    TypeRuntimeArray = 29 "ri",
    TypeStruct = 30 "ri*",
    TypePointer = 32 "rSi",
    TypeFunction = 33 "rii*",
    TypeForwardPointer = 39 "iS",
    ConstantTrue = 41 "tr",
    ConstantFalse = 42 "tr",
    Constant = 43 "trv",
    ConstantComposite = 44 "tri*",
    ConstantNull = 46 "tr",
    SpecConstantTrue = 48 "tr",
    SpecConstantFalse = 49 "tr",
    SpecConstant = 50 "trv",
    SpecConstantComposite = 51 "tri*",
    SpecConstantOp = 52 "tro",
    Function = 54 "trFi",
    FunctionParameter = 55 "tr",
    FunctionEnd = 56 "",
    FunctionCall = 57 "trii*",
    Variable = 59 "trSi?",
    ImageTexelPointer = 60 "triii",
    Load = 61 "trim?",
    Store = 62 "iim?",
    CopyMemory = 63 "iim?m?",
    AccessChain = 65 "trii*",
    InBoundsAccessChain = 66 "trii*",
    PtrAccessChain = 67 "triii*",
    ArrayLength = 68 "trin",
    Decorate = 71 "iD",
    MemberDecorate = 72 "inD",
    DecorationGroup = 73 "r",
    GroupDecorate = 74 "ii*",
    GroupMemberDecorate = 75 "iq*",
    VectorExtractDynamic = 77 "trii",
    VectorInsertDynamic = 78 "triii",
    VectorShuffle = 79 "triin*",
    CompositeConstruct = 80 "tri*",
    CompositeExtract = 81 "trin*",
    CompositeInsert = 82 "triin*",
    CopyObject = 83 "tri",
    Transpose = 84 "tri",
    SampledImage = 86 "trii",
    ImageSampleImplicitLod = 87 "triiI?",
    ImageSampleExplicitLod = 88 "triiI",
    ImageSampleDrefImplicitLod = 89 "triiiI?",
    ImageSampleDrefExplicitLod = 90 "triiiI",
    ImageSampleProjImplicitLod = 91 "triiI?",
    ImageSampleProjExplicitLod = 92 "triiI",
    ImageSampleProjDrefImplicitLod = 93 "triiiI?",
    ImageSampleProjDrefExplicitLod = 94 "triiiI",
    ImageFetch = 95 "triiI?",
    ImageGather = 96 "triiiI?",
    ImageDrefGather = 97 "triiiI?",
    ImageRead = 98 "triiI?",
    ImageWrite = 99 "iiiI?",
    Image = 100 "tri",
    ImageQuerySizeLod = 103 "trii",
    ImageQuerySize = 104 "tri",
    ImageQueryLod = 105 "trii",
    ImageQueryLevels = 106 "tri",
    ImageQuerySamples = 107 "tri",
    ConvertFToU = 109 "tri",
    ConvertFToS = 110 "tri",
    ConvertSToF = 111 "tri",
    ConvertUToF = 112 "tri",
    UConvert = 113 "tri",
    SConvert = 114 "tri",
    FConvert = 115 "tri",
    QuantizeToF16 = 116 "tri",
    ConvertPtrToU = 117 "tri",
    ConvertUToPtr = 120 "tri",
    Bitcast = 124 "tri",
    SNegate = 126 "tri",
    FNegate = 127 "tri",
    IAdd = 128 "trii",
    FAdd = 129 "trii",
    ISub = 130 "trii",
    FSub = 131 "trii",
    IMul = 132 "trii",
    FMul = 133 "trii",
    UDiv = 134 "trii",
    SDiv = 135 "trii",
    FDiv = 136 "trii",
    UMod = 137 "trii",
    SRem = 138 "trii",
    SMod = 139 "trii",
    FRem = 140 "trii",
    FMod = 141 "trii",
    VectorTimesScalar = 142 "trii",
    MatrixTimesScalar = 143 "trii",
    VectorTimesMatrix = 144 "trii",
    MatrixTimesVector = 145 "trii",
    MatrixTimesMatrix = 146 "trii",
    OuterProduct = 147 "trii",
    Dot = 148 "trii",
    IAddCarry = 149 "trii",
    ISubBorrow = 150 "trii",
    UMulExtended = 151 "trii",
    SMulExtended = 152 "trii",
    Any = 154 "tri",
    All = 155 "tri",
    IsNan = 156 "tri",
    IsInf = 157 "tri",
    LogicalEqual = 164 "trii",
    LogicalNotEqual = 165 "trii",
    LogicalOr = 166 "trii",
    LogicalAnd = 167 "trii",
    LogicalNot = 168 "tri",
    Select = 169 "triii",
    IEqual = 170 "trii",
    INotEqual = 171 "trii",
    UGreaterThan = 172 "trii",
    SGreaterThan = 173 "trii",
    UGreaterThanEqual = 174 "trii",
    SGreaterThanEqual = 175 "trii",
    ULessThan = 176 "trii",
    SLessThan = 177 "trii",
    ULessThanEqual = 178 "trii",
    SLessThanEqual = 179 "trii",
    FOrdEqual = 180 "trii",
    FUnordEqual = 181 "trii",
    FOrdNotEqual = 182 "trii",
    FUnordNotEqual = 183 "trii",
    FOrdLessThan = 184 "trii",
    FUnordLessThan = 185 "trii",
    FOrdGreaterThan = 186 "trii",
    FUnordGreaterThan = 187 "trii",
    FOrdLessThanEqual = 188 "trii",
    FUnordLessThanEqual = 189 "trii",
    FOrdGreaterThanEqual = 190 "trii",
    FUnordGreaterThanEqual = 191 "trii",
    ShiftRightLogical = 194 "trii",
    ShiftRightArithmetic = 195 "trii",
    ShiftLeftLogical = 196 "trii",
    BitwiseOr = 197 "trii",
    BitwiseXor = 198 "trii",
    BitwiseAnd = 199 "trii",
    Not = 200 "tri",
    BitFieldInsert = 201 "triiii",
    BitFieldSExtract = 202 "triii",
    BitFieldUExtract = 203 "triii",
    BitReverse = 204 "tri",
    BitCount = 205 "tri",
    DPdx = 207 "tri",
    DPdy = 208 "tri",
    Fwidth = 209 "tri",
    DPdxFine = 210 "tri",
    DPdyFine = 211 "tri",
    FwidthFine = 212 "tri",
    DPdxCoarse = 213 "tri",
    DPdyCoarse = 214 "tri",
    FwidthCoarse = 215 "tri",
    EmitVertex = 218 "",
    EndPrimitive = 219 "",
    EmitStreamVertex = 220 "i",
    EndStreamPrimitive = 221 "i",
    ControlBarrier = 224 "iii",
    MemoryBarrier = 225 "ii",
    AtomicLoad = 227 "triii",
    AtomicStore = 228 "iiii",
    AtomicExchange = 229 "triiii",
    AtomicCompareExchange = 230 "triiiiii",
    AtomicIIncrement = 232 "triii",
    AtomicIDecrement = 233 "triii",
    AtomicIAdd = 234 "triiii",
    AtomicISub = 235 "triiii",
    AtomicSMin = 236 "triiii",
    AtomicUMin = 237 "triiii",
    AtomicSMax = 238 "triiii",
    AtomicUMax = 239 "triiii",
    AtomicAnd = 240 "triiii",
    AtomicOr = 241 "triiii",
    AtomicXor = 242 "triiii",
    Phi = 245 "tri*",
    LoopMerge = 246 "iiL",
    SelectionMerge = 247 "il",
    Label = 248 "r",
    Branch = 249 "i",
    BranchConditional = 250 "iiin*",
    Switch = 251 "iip*",
    Kill = 252 "",
    Return = 253 "",
    ReturnValue = 254 "i",
    Unreachable = 255 "",
    ImageSparseSampleImplicitLod = 305 "triiI?",
    ImageSparseSampleExplicitLod = 306 "triiI",
    ImageSparseSampleDrefImplicitLod = 307 "triiiI?",
    ImageSparseSampleDrefExplicitLod = 308 "triiiI",
    ImageSparseSampleProjImplicitLod = 309 "triiI?",
    ImageSparseSampleProjExplicitLod = 310 "triiI",
    ImageSparseSampleProjDrefImplicitLod = 311 "triiiI?",
    ImageSparseSampleProjDrefExplicitLod = 312 "triiiI",
    ImageSparseFetch = 313 "triiI?",
    ImageSparseGather = 314 "triiiI?",
    ImageSparseDrefGather = 315 "triiiI?",
    ImageSparseTexelsResident = 316 "tri",
    NoLine = 317 "",
    ImageSparseRead = 320 "triiI?",
    ModuleProcessed = 330 "s",
    ExecutionModeId = 331 "iM",
    DecorateId = 332 "iD",
    GroupNonUniformElect = 333 "tri",
    GroupNonUniformAll = 334 "trii",
    GroupNonUniformAny = 335 "trii",
    GroupNonUniformAllEqual = 336 "trii",
    GroupNonUniformBroadcast = 337 "triii",
    GroupNonUniformBroadcastFirst = 338 "trii",
    GroupNonUniformBallot = 339 "trii",
    GroupNonUniformInverseBallot = 340 "trii",
    GroupNonUniformBallotBitExtract = 341 "triii",
    GroupNonUniformBallotBitCount = 342 "trini",
    GroupNonUniformBallotFindLSB = 343 "trii",
    GroupNonUniformBallotFindMSB = 344 "trii",
    GroupNonUniformShuffle = 345 "triii",
    GroupNonUniformShuffleXor = 346 "triii",
    GroupNonUniformShuffleUp = 347 "triii",
    GroupNonUniformShuffleDown = 348 "triii",
    GroupNonUniformIAdd = 349 "trinii?",
    GroupNonUniformFAdd = 350 "trinii?",
    GroupNonUniformIMul = 351 "trinii?",
    GroupNonUniformFMul = 352 "trinii?",
    GroupNonUniformSMin = 353 "trinii?",
    GroupNonUniformUMin = 354 "trinii?",
    GroupNonUniformFMin = 355 "trinii?",
    GroupNonUniformSMax = 356 "trinii?",
    GroupNonUniformUMax = 357 "trinii?",
    GroupNonUniformFMax = 358 "trinii?",
    GroupNonUniformBitwiseAnd = 359 "trinii?",
    GroupNonUniformBitwiseOr = 360 "trinii?",
    GroupNonUniformBitwiseXor = 361 "trinii?",
    GroupNonUniformLogicalAnd = 362 "trinii?",
    GroupNonUniformLogicalOr = 363 "trinii?",
    GroupNonUniformLogicalXor = 364 "trinii?",
    GroupNonUniformQuadBroadcast = 365 "triii",
    GroupNonUniformQuadSwap = 366 "triii",
    CopyLogical = 400 "tri",
    PtrEqual = 401 "trii",
    PtrNotEqual = 402 "trii",
    PtrDiff = 403 "trii",
    TerminateInvocation = 4416 "",
    DemoteToHelperInvocation = 5380 "",
    IsHelperInvocationEXT = 5381 "tr",
    DecorateString = 5632 "iD",
    MemberDecorateString = 5633 "inD",
}

enumerants! {
    /// Capabilities that a module may ask for.
    capability {
        Matrix = 0, Shader = 1, Geometry = 2, Tessellation = 3, Addresses = 4, Linkage = 5, Kernel = 6, Vector16 = 7,
        Float16Buffer = 8, Float16 = 9, Float64 = 10, Int64 = 11, Int64Atomics = 12, ImageBasic = 13,
        ImageReadWrite = 14, ImageMipmap = 15, Pipes = 17, Groups = 18, DeviceEnqueue = 19, LiteralSampler = 20,
        AtomicStorage = 21, Int16 = 22, TessellationPointSize = 23, GeometryPointSize = 24, ImageGatherExtended = 25,
        StorageImageMultisample = 27, UniformBufferArrayDynamicIndexing = 28, SampledImageArrayDynamicIndexing = 29,
        StorageBufferArrayDynamicIndexing = 30, StorageImageArrayDynamicIndexing = 31, ClipDistance = 32,
        CullDistance = 33, ImageCubeArray = 34, SampleRateShading = 35, ImageRect = 36, SampledRect = 37,
        GenericPointer = 38, Int8 = 39, InputAttachment = 40, SparseResidency = 41, MinLod = 42, Sampled1D = 43,
        Image1D = 44, SampledCubeArray = 45, SampledBuffer = 46, ImageBuffer = 47, ImageMSArray = 48,
        StorageImageExtendedFormats = 49, ImageQuery = 50, DerivativeControl = 51, InterpolationFunction = 52,
        TransformFeedback = 53, GeometryStreams = 54, StorageImageReadWithoutFormat = 55,
        StorageImageWriteWithoutFormat = 56, MultiViewport = 57, SubgroupDispatch = 58, NamedBarrier = 59,
        PipeStorage = 60, GroupNonUniform = 61, GroupNonUniformVote = 62, GroupNonUniformArithmetic = 63,
        GroupNonUniformBallot = 64, GroupNonUniformShuffle = 65, GroupNonUniformShuffleRelative = 66,
        GroupNonUniformClustered = 67, GroupNonUniformQuad = 68, ShaderLayer = 69, ShaderViewportIndex = 70,
        UniformDecoration = 71, DrawParameters = 4427, SubgroupVoteKHR = 4431, DeviceGroup = 4437, MultiView = 4439,
        VariablePointersStorageBuffer = 4441, VariablePointers = 4442, SignedZeroInfNanPreserve = 4466,
        FragmentShadingRateKHR = 4422, StorageBuffer16BitAccess = 4433, UniformAndStorageBuffer16BitAccess = 4434,
        StoragePushConstant16 = 4435, StorageInputOutput16 = 4436, StorageBuffer8BitAccess = 4448,
        UniformAndStorageBuffer8BitAccess = 4449, StoragePushConstant8 = 4450, RayQueryKHR = 4472,
        StencilExportEXT = 5013, ShaderViewportIndexLayerEXT = 5254, ShaderViewportMaskNV = 5255, MeshShadingEXT = 5283,
        ShaderNonUniform = 5301, RuntimeDescriptorArray = 5302, InputAttachmentArrayDynamicIndexing = 5303,
        UniformTexelBufferArrayDynamicIndexing = 5304, StorageTexelBufferArrayDynamicIndexing = 5305,
        UniformBufferArrayNonUniformIndexing = 5306, SampledImageArrayNonUniformIndexing = 5307,
        StorageBufferArrayNonUniformIndexing = 5308, StorageImageArrayNonUniformIndexing = 5309,
        InputAttachmentArrayNonUniformIndexing = 5310, VulkanMemoryModel = 5345, VulkanMemoryModelDeviceScope = 5346,
        PhysicalStorageBufferAddresses = 5347, DemoteToHelperInvocation = 5379,
    }
    /// Storage classes of pointers.
    storage {
        UniformConstant = 0, Input = 1, Uniform = 2, Output = 3, Workgroup = 4, CrossWorkgroup = 5, Private = 6,
        Function = 7, Generic = 8, PushConstant = 9, AtomicCounter = 10, Image = 11, StorageBuffer = 12,
        PhysicalStorageBuffer = 5349,
    }
    /// Decorations.
    decoration {
        RelaxedPrecision = 0, SpecId = 1, Block = 2, BufferBlock = 3, RowMajor = 4, ColMajor = 5, ArrayStride = 6,
        MatrixStride = 7, GLSLShared = 8, GLSLPacked = 9, CPacked = 10, BuiltIn = 11, NoPerspective = 13, Flat = 14,
        Patch = 15, Centroid = 16, Sample = 17, Invariant = 18, Restrict = 19, Aliased = 20, Volatile = 21,
        Constant = 22, Coherent = 23, NonWritable = 24, NonReadable = 25, Uniform = 26, UniformId = 27,
        SaturatedConversion = 28, Stream = 29, Location = 30, Component = 31, Index = 32, Binding = 33,
        DescriptorSet = 34, Offset = 35, XfbBuffer = 36, XfbStride = 37, FuncParamAttr = 38, FPRoundingMode = 39,
        FPFastMathMode = 40, LinkageAttributes = 41, NoContraction = 42, InputAttachmentIndex = 43, Alignment = 44,
        MaxByteOffset = 45, AlignmentId = 46, MaxByteOffsetId = 47, NoSignedWrap = 4469, ExplicitInterpAMD = 4999,
        NonUniform = 5300, RestrictPointer = 5355, AliasedPointer = 5356, CounterBuffer = 5634, UserSemantic = 5635,
    }
    /// What a `BuiltIn` decoration names.
    builtin {
        Position = 0, PointSize = 1, ClipDistance = 3, CullDistance = 4, VertexId = 5, InstanceId = 6,
        PrimitiveId = 7, InvocationId = 8, Layer = 9, ViewportIndex = 10, TessLevelOuter = 11, TessLevelInner = 12,
        TessCoord = 13, PatchVertices = 14, FragCoord = 15, PointCoord = 16, FrontFacing = 17, SampleId = 18,
        SamplePosition = 19, SampleMask = 20, FragDepth = 22, HelperInvocation = 23, NumWorkgroups = 24,
        WorkgroupSize = 25, WorkgroupId = 26, LocalInvocationId = 27, GlobalInvocationId = 28,
        LocalInvocationIndex = 29, WorkDim = 30, GlobalSize = 31, EnqueuedWorkgroupSize = 32, GlobalOffset = 33,
        GlobalLinearId = 34, SubgroupSize = 36, SubgroupMaxSize = 37, NumSubgroups = 38, NumEnqueuedSubgroups = 39,
        SubgroupId = 40, SubgroupLocalInvocationId = 41, VertexIndex = 42, InstanceIndex = 43, BaseVertex = 4424,
        BaseInstance = 4425, DrawIndex = 4426, DeviceIndex = 4438, ViewIndex = 4440, FragStencilRefEXT = 5014,
    }
    /// Execution models of entry points.
    model {
        Vertex = 0, TessellationControl = 1, TessellationEvaluation = 2, Geometry = 3, Fragment = 4, GLCompute = 5,
        Kernel = 6,
    }
    /// Execution modes of entry points.
    mode {
        Invocations = 0, SpacingEqual = 1, SpacingFractionalEven = 2, SpacingFractionalOdd = 3, VertexOrderCw = 4,
        VertexOrderCcw = 5, PixelCenterInteger = 6, OriginUpperLeft = 7, OriginLowerLeft = 8, EarlyFragmentTests = 9,
        PointMode = 10, Xfb = 11, DepthReplacing = 12, DepthGreater = 14, DepthLess = 15, DepthUnchanged = 16,
        LocalSize = 17, LocalSizeHint = 18, InputPoints = 19, InputLines = 20, InputLinesAdjacency = 21,
        Triangles = 22, InputTrianglesAdjacency = 23, Quads = 24, Isolines = 25, OutputVertices = 26,
        OutputPoints = 27, OutputLineStrip = 28, OutputTriangleStrip = 29, VecTypeHint = 30, ContractionOff = 31,
        Initializer = 33, Finalizer = 34, SubgroupSize = 35, SubgroupsPerWorkgroup = 36, SubgroupsPerWorkgroupId = 37,
        LocalSizeId = 38, LocalSizeHintId = 39, PostDepthCoverage = 4446, DenormPreserve = 4459,
        DenormFlushToZero = 4460, SignedZeroInfNanPreserve = 4461, RoundingModeRTE = 4462,
    }
    /// Dimensions of images.
    dim {
        D1 as "1D" = 0, D2 as "2D" = 1, D3 as "3D" = 2, Cube = 3, Rect = 4, Buffer = 5, SubpassData = 6,
    }
    /// Formats of storage images.
    format {
        Unknown = 0, Rgba32f = 1, Rgba16f = 2, R32f = 3, Rgba8 = 4, Rgba8Snorm = 5, Rg32f = 6, Rg16f = 7,
        R11fG11fB10f = 8, R16f = 9, Rgba16 = 10, Rgb10A2 = 11, Rg16 = 12, Rg8 = 13, R16 = 14, R8 = 15,
        Rgba16Snorm = 16, Rg16Snorm = 17, Rg8Snorm = 18, R16Snorm = 19, R8Snorm = 20, Rgba32i = 21, Rgba16i = 22,
        Rgba8i = 23, R32i = 24, Rg32i = 25, Rg16i = 26, Rg8i = 27, R16i = 28, R8i = 29, Rgba32ui = 30, Rgba16ui = 31,
        Rgba8ui = 32, R32ui = 33, Rgb10a2ui = 34, Rg32ui = 35, Rg16ui = 36, Rg8ui = 37, R16ui = 38, R8ui = 39,
    }
    /// Addressing models.
    addressing {
        Logical = 0, Physical32 = 1, Physical64 = 2, PhysicalStorageBuffer64 = 5348,
    }
    /// Memory models.
    memory_model {
        Simple = 0, GLSL450 = 1, OpenCL = 2, Vulkan = 3,
    }
    /// Source languages.
    language {
        Unknown = 0, ESSL = 1, GLSL = 2, OpenCL_C = 3, OpenCL_CPP = 4, HLSL = 5, CPP_for_OpenCL = 6, SYCL = 7,
    }
    /// Bits of image operands.
    image_operand {
        Bias = 1, Lod = 2, Grad = 4, ConstOffset = 8, Offset = 16, ConstOffsets = 32, Sample = 64, MinLod = 128,
        MakeTexelAvailable = 256, MakeTexelVisible = 512, NonPrivateTexel = 1024, VolatileTexel = 2048,
        SignExtend = 4096, ZeroExtend = 8192,
    }
    /// Bits of memory operands.
    access {
        Volatile = 1, Aligned = 2, Nontemporal = 4, MakePointerAvailable = 8, MakePointerVisible = 16,
        NonPrivatePointer = 32,
    }
    /// Bits of selection control.
    selection {
        Flatten = 1, DontFlatten = 2,
    }
    /// Bits of loop control.
    loop_control {
        Unroll = 1, DontUnroll = 2, DependencyInfinite = 4, DependencyLength = 8, MinIterations = 16,
        MaxIterations = 32, IterationMultiple = 64, PeelCount = 128, PartialCount = 256,
    }
    /// Bits of function control.
    function {
        Inline = 1, DontInline = 2, Pure = 4, Const = 8,
    }
    /// Instructions of the set GLSL.std.450.
    glsl {
        Round = 1, RoundEven = 2, Trunc = 3, FAbs = 4, SAbs = 5, FSign = 6, SSign = 7, Floor = 8, Ceil = 9,
        Fract = 10, Radians = 11, Degrees = 12, Sin = 13, Cos = 14, Tan = 15, Asin = 16, Acos = 17, Atan = 18,
        Sinh = 19, Cosh = 20, Tanh = 21, Asinh = 22, Acosh = 23, Atanh = 24, Atan2 = 25, Pow = 26, Exp = 27, Log = 28,
        Exp2 = 29, Log2 = 30, Sqrt = 31, InverseSqrt = 32, Determinant = 33, MatrixInverse = 34, Modf = 35,
        ModfStruct = 36, FMin = 37, UMin = 38, SMin = 39, FMax = 40, UMax = 41, SMax = 42, FClamp = 43, UClamp = 44,
        SClamp = 45, FMix = 46, IMix = 47, Step = 48, SmoothStep = 49, Fma = 50, Frexp = 51, FrexpStruct = 52,
        Ldexp = 53, PackSnorm4x8 = 54, PackUnorm4x8 = 55, PackSnorm2x16 = 56, PackUnorm2x16 = 57, PackHalf2x16 = 58,
        PackDouble2x32 = 59, UnpackSnorm2x16 = 60, UnpackUnorm2x16 = 61, UnpackHalf2x16 = 62, UnpackSnorm4x8 = 63,
        UnpackUnorm4x8 = 64, UnpackDouble2x32 = 65, Length = 66, Distance = 67, Cross = 68, Normalize = 69,
        FaceForward = 70, Reflect = 71, Refract = 72, FindILsb = 73, FindSMsb = 74, FindUMsb = 75,
        InterpolateAtCentroid = 76, InterpolateAtSample = 77, InterpolateAtOffset = 78, NMin = 79, NMax = 80,
        NClamp = 81,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_in_order_and_their_letters_are_known() {
        assert!(INSTRUCTIONS.windows(2).all(|pair| pair[0].opcode < pair[1].opcode));
        for row in INSTRUCTIONS {
            assert!(row.operands.chars().all(|letter| "trinsvxopqSDMECdfAYFLlmIw?*".contains(letter)), "{row:?}");
            assert_eq!(super::row(row.opcode), Some(row));
        }
    }

    #[test]
    fn no_number_has_two_names() {
        let tables = [capability::ALL, storage::ALL, decoration::ALL, builtin::ALL, model::ALL, mode::ALL, glsl::ALL];
        for table in tables {
            let mut numbers: Vec<u32> = table.iter().map(|row| row.1).collect();
            numbers.sort_unstable();
            assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
