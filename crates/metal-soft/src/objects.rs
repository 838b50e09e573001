//! Objects of the device.

use std::sync::{Arc, Mutex, PoisonError};

use afterimage_metal_calls::{
    BufferDescriptor, ColorTarget, DepthStencilDescriptor, PixelFormat, StorageMode, TopologyClass, VertexDescriptor,
};

use crate::compile::Compiled;
use crate::memory::Memory;
use crate::sampler::Sampler;

/// What a buffer is.
#[derive(Debug)]
pub(crate) struct Bytes {
    pub(crate) memory: Arc<Memory>,
    pub(crate) descriptor: BufferDescriptor,
    pub(crate) label: Mutex<String>,
}

/// `MTLBuffer`.
#[derive(Clone, Debug)]
pub struct SoftBuffer(pub(crate) Arc<Bytes>);

impl SoftBuffer {
    pub(crate) fn length(&self) -> u64 {
        self.0.memory.length()
    }

    pub(crate) fn is_private(&self) -> bool {
        self.0.descriptor.storage != StorageMode::Shared
    }

    pub(crate) fn label(&self) -> String {
        self.0.label.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// `MTLSamplerState`.
#[derive(Clone, Debug)]
pub struct SoftSampler(pub(crate) Arc<Sampler>);

/// `MTLFunction`.
#[derive(Clone, Debug)]
pub struct SoftFunction {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) label: Arc<str>,
}

/// Where a fragment function's inputs come from: the slot of the vertex function's output.
pub(crate) type Links = Vec<usize>;

/// What a render pipeline is.
#[derive(Debug)]
pub(crate) struct RenderState {
    pub(crate) label: String,
    pub(crate) vertex: SoftFunction,
    pub(crate) fragment: Option<SoftFunction>,
    pub(crate) input: VertexDescriptor,
    pub(crate) links: Links,
    pub(crate) colors: Vec<Option<ColorTarget>>,
    pub(crate) depth: Option<PixelFormat>,
    pub(crate) stencil: Option<PixelFormat>,
    pub(crate) samples: u32,
    pub(crate) alpha_to_coverage: bool,
    pub(crate) alpha_to_one: bool,
    pub(crate) rasterization: bool,
    pub(crate) topology: TopologyClass,
}

/// `MTLRenderPipelineState`.
#[derive(Clone, Debug)]
pub struct SoftRenderPipeline(pub(crate) Arc<RenderState>);

/// `MTLComputePipelineState`.
#[derive(Clone, Debug)]
pub struct SoftComputePipeline {
    pub(crate) function: SoftFunction,
    pub(crate) label: Arc<str>,
}

/// `MTLDepthStencilState`.
#[derive(Clone, Debug)]
pub struct SoftDepthStencil(pub(crate) Arc<DepthStencilDescriptor>);
