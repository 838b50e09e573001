//! Numbers of the SPIR-V 1.6 specification and of its GLSL.std.450 instruction set, as far as the writer uses them: those of the crate that
//! Khronos' grammar is turned into. Names are the specification's.

#![allow(non_upper_case_globals, missing_docs)]

macro_rules! names {
    ($(#[$doc:meta])* $module:ident: $ty:ty = $of:ident { $($name:ident),* $(,)? }) => {
        $(#[$doc])*
        pub(crate) mod $module {
            $(pub(crate) const $name: $ty = spirv::$of::$name as $ty;)*
        }
    };
}

/// The same of masks, each with its name there.
macro_rules! masks {
    ($(#[$doc:meta])* $module:ident = $of:ident { $($name:ident: $bit:ident),* $(,)? }) => {
        $(#[$doc])*
        pub(crate) mod $module {
            $(pub(crate) const $name: u32 = spirv::$of::$bit.bits();)*
        }
    };
}

/// Magic number of a module.
pub(crate) const MAGIC: u32 = spirv::MAGIC_NUMBER;
/// Version 1.6, the one that Vulkan 1.3 brings.
pub(crate) const VERSION: u32 = 0x0001_0600;

names! {
    /// Instructions.
    op: u16 = Op {
        Undef, Name, Extension, ExtInstImport, ExtInst, MemoryModel, EntryPoint, ExecutionMode, Capability, TypeVoid,
        TypeBool, TypeInt, TypeFloat, TypeVector, TypeImage, TypeSampler, TypeSampledImage, TypeArray,
        TypeRuntimeArray, TypeStruct, TypePointer, TypeFunction, ConstantTrue, ConstantFalse, Constant,
        ConstantComposite, ConstantNull, SpecConstantTrue, SpecConstantFalse, SpecConstant, Function, FunctionEnd,
        Variable, Load, Store, AccessChain, Decorate, MemberDecorate, VectorShuffle, CompositeConstruct,
        CompositeExtract, CompositeInsert, SampledImage, ImageSampleImplicitLod, ImageSampleExplicitLod,
        ImageSampleDrefImplicitLod, ImageSampleDrefExplicitLod, ImageFetch, ImageGather, ImageDrefGather, ImageRead,
        ImageWrite, ImageTexelPointer, Image, ImageQuerySizeLod, ImageQuerySize, ImageQueryLod, ImageQueryLevels,
        ImageQuerySamples, ConvertFToU, ConvertFToS, ConvertSToF, ConvertUToF, UConvert, FConvert, Bitcast, SNegate,
        FNegate, IAdd, FAdd, ISub, FSub, IMul, FMul, UDiv, SDiv, FDiv, UMod, Dot, UMulExtended, SMulExtended, Any,
        All, IsNan, LogicalNotEqual, LogicalOr, LogicalAnd, LogicalNot, Select, IEqual, INotEqual, UGreaterThan,
        UGreaterThanEqual, ULessThan, SLessThan, ULessThanEqual, SLessThanEqual, FOrdEqual, FUnordNotEqual,
        FOrdLessThan, FOrdLessThanEqual, FOrdGreaterThanEqual, ShiftRightLogical, ShiftRightArithmetic,
        ShiftLeftLogical, BitwiseOr, BitwiseXor, BitwiseAnd, Not, BitFieldSExtract, BitFieldUExtract, BitReverse,
        BitCount, DPdx, DPdy, ControlBarrier, MemoryBarrier, AtomicLoad, AtomicExchange, AtomicCompareExchange,
        AtomicIAdd, AtomicISub, AtomicSMin, AtomicUMin, AtomicSMax, AtomicUMax, AtomicAnd, AtomicOr, AtomicXor,
        GroupNonUniformAny, GroupNonUniformBroadcast, GroupNonUniformBroadcastFirst, GroupNonUniformBallot,
        GroupNonUniformShuffle, EmitVertex, EndPrimitive, EmitStreamVertex, EndStreamPrimitive, Phi, LoopMerge,
        SelectionMerge, Label, Branch, BranchConditional, Return, Unreachable, DemoteToHelperInvocation,
        BeginInvocationInterlockEXT, EndInvocationInterlockEXT,
    }
}

names! {
    /// GLSL.std.450 instructions.
    glsl: u32 = GlslStd450Op {
        RoundEven, Trunc, FAbs, SAbs, Floor, Ceil, Fract, Sin, Cos, Exp2, Log2, Sqrt, InverseSqrt, UMin, SMin, UMax,
        SMax, SClamp, Fma, UnpackHalf2x16, FindILsb, FindSMsb, FindUMsb, InterpolateAtCentroid, InterpolateAtSample,
        InterpolateAtOffset, NMin, NMax, NClamp,
    }
}

names! {
    capability: u32 = Capability {
        Shader, Geometry, Float64, GeometryPointSize, TransformFeedback, GeometryStreams, Int64, Int64Atomics,
        StorageImageMultisample, SampledImageArrayDynamicIndexing, ClipDistance, CullDistance,
        SampleRateShading, InterpolationFunction, SampledCubeArray, ImageMSArray, ImageQuery, StorageImageReadWithoutFormat,
        StorageImageWriteWithoutFormat, MultiViewport, GroupNonUniform, GroupNonUniformVote, GroupNonUniformBallot,
        GroupNonUniformShuffle, ShaderLayer, ShaderViewportIndex, SignedZeroInfNanPreserve, StencilExportEXT,
        DrawParameters, ShaderNonUniform, SampledImageArrayNonUniformIndexing, RuntimeDescriptorArray,
        PhysicalStorageBufferAddresses, DemoteToHelperInvocation, FragmentShaderPixelInterlockEXT,
        Int64ImageEXT,
    }
}

names! {
    decoration: u32 = Decoration {
        SpecId, Block, ArrayStride, BuiltIn, NoPerspective, Flat, Centroid, Sample, Invariant, Coherent, Stream,
        Component, XfbBuffer, XfbStride, NonWritable, NonReadable, Location, Index, Binding, DescriptorSet, Offset,
        NoContraction, NonUniform,
    }
}

names! {
    builtin: u32 = BuiltIn {
        Position, PointSize, ClipDistance, CullDistance, PrimitiveId, InvocationId, Layer, ViewportIndex, SampleId,
        SampleMask, NumWorkgroups, WorkgroupId, LocalInvocationId, LocalInvocationIndex, SubgroupSize,
        SubgroupLocalInvocationId, FragStencilRefEXT, FragCoord, PointCoord, FrontFacing, FragDepth, VertexIndex,
        InstanceIndex, DrawIndex,
    }
}

names! {
    /// Storage classes.
    storage: u32 = StorageClass {
        UniformConstant, Input, Output, Workgroup, Image, Function, PushConstant, Uniform, StorageBuffer,
        PhysicalStorageBuffer,
    }
}

names! {
    execution_mode: u32 = ExecutionMode {
        Invocations, OriginUpperLeft, Xfb, InputPoints, InputLines, InputLinesAdjacency, Triangles,
        InputTrianglesAdjacency, OutputVertices, OutputPoints, OutputLineStrip, OutputTriangleStrip, DepthReplacing,
        LocalSize, StencilRefReplacingEXT, SignedZeroInfNanPreserve, PixelInterlockOrderedEXT,
    }
}

names! {
    execution_model: u32 = ExecutionModel {
        Vertex, Geometry, Fragment, GLCompute,
    }
}

/// Image dimensions.
pub(crate) mod dim {
    pub(crate) const D2: u32 = spirv::Dim::Dim2D as u32;
    pub(crate) const D3: u32 = spirv::Dim::Dim3D as u32;
    pub(crate) const Cube: u32 = spirv::Dim::DimCube as u32;
}

masks! {
    /// Masks of optional image operands.
    image_operands = ImageOperands { Bias: BIAS, Lod: LOD, Grad: GRAD, ConstOffset: CONST_OFFSET, Sample: SAMPLE }
}

names! {
    scope: u32 = Scope {
        Device, Workgroup, Subgroup,
    }
}

masks! {
    /// Memory semantics.
    semantics = MemorySemantics {
        AcquireRelease: ACQUIRE_RELEASE, Uniform: UNIFORM_MEMORY, Workgroup: WORKGROUP_MEMORY, Image: IMAGE_MEMORY,
    }
}

names! {
    /// Formats of storage images.
    image_format: u32 = ImageFormat {
        Unknown, R32f, R32i, R32ui, R64ui,
    }
}

/// Addressing model PhysicalStorageBuffer64.
pub(crate) const ADDRESSING: u32 = spirv::AddressingModel::PhysicalStorageBuffer64 as u32;
/// Memory model GLSL450.
pub(crate) const MEMORY_MODEL: u32 = spirv::MemoryModel::GLSL450 as u32;
/// Memory operand `Aligned`.
pub(crate) const ALIGNED: u32 = spirv::MemoryAccess::ALIGNED.bits();
/// Memory operand `Volatile`.
pub(crate) const VOLATILE: u32 = spirv::MemoryAccess::VOLATILE.bits();
