//! A device whose program uses the extension: everything that the layer keeps of it.

use crate::below::Below;
use crate::commands::Commands;
use crate::functions::DeviceFunctions;
use crate::map::Map;
use crate::objects::buffers::Buffer;
use crate::objects::code::Code;
use crate::objects::layouts::{Layout, SetLayout};
use crate::objects::passes::Subpasses;
use crate::objects::pipelines::{Own, Parts, Pipeline};
use crate::objects::queries::Queries;
use crate::offer::Offer;
use crate::scratch::Scratch;
use ash::vk;
use std::ffi::CStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A shader of the layer's own, made when it is first wanted. If that fails, who wants it next tries again.
#[derive(Default)]
struct Lazy {
    made: OnceLock<Own>,
    making: Mutex<()>,
}

impl Lazy {
    fn get(&self, make: impl FnOnce() -> Result<Own, vk::Result>) -> Result<&Own, vk::Result> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        match self.made.get() {
            Some(made) => Ok(made),
            None => make().map(|made| self.made.get_or_init(|| made)),
        }
    }
}

/// What the layer keeps of a device.
pub(crate) struct Active {
    pub(crate) below: Below,
    pub(crate) commands: Commands,
    pub(crate) offer: Offer,
    pub(crate) buffers: Map<Buffer>,
    pub(crate) set_layouts: Map<SetLayout>,
    pub(crate) layouts: Map<Arc<Layout>>,
    pub(crate) code: Map<Code>,
    pub(crate) passes: Map<Subpasses>,
    pub(crate) pipelines: Map<Arc<Pipeline>>,
    pub(crate) libraries: Map<Arc<Parts>>,
    /// Templates by which descriptors are pushed: bind point and entries.
    pub(crate) templates: Map<(vk::PipelineBindPoint, Arc<[vk::DescriptorUpdateTemplateEntry]>)>,
    pub(crate) queries: Map<Arc<Queries>>,
    /// Command buffers of each pool.
    pub(crate) pools: Map<Vec<vk::CommandBuffer>>,
    pub(crate) scratch: Scratch,
    prepare: Lazy,
    add: Lazy,
    limit: Lazy,
}

impl Active {
    /// Of a device that was created with what lowered shaders need. `None` if it lacks a function of Vulkan 1.3.
    ///
    /// # Safety
    /// What is found under a name is a function of that name, of the device.
    pub(crate) unsafe fn new(
        device: vk::Device,
        offer: Offer,
        memory: vk::PhysicalDeviceMemoryProperties,
        find: &dyn Fn(&CStr) -> vk::PFN_vkVoidFunction,
    ) -> Option<Self> {
        // SAFETY: as the caller says.
        let (functions, commands) = unsafe { (DeviceFunctions::load(find)?, Commands::load(find)) };
        Some(Self {
            below: Below { device, functions, memory },
            commands,
            offer,
            buffers: Map::default(),
            set_layouts: Map::default(),
            layouts: Map::default(),
            code: Map::default(),
            passes: Map::default(),
            pipelines: Map::default(),
            libraries: Map::default(),
            templates: Map::default(),
            queries: Map::default(),
            pools: Map::default(),
            scratch: Scratch::default(),
            prepare: Lazy::default(),
            add: Lazy::default(),
            limit: Lazy::default(),
        })
    }

    /// What prepares draws, made when it is first wanted.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn prepare(&self) -> Result<&Own, vk::Result> {
        // SAFETY: the device is alive as long as this is.
        self.prepare.get(|| unsafe { Own::prepare(&self.below) })
    }

    /// What adds to the values of queries, likewise.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn add(&self) -> Result<&Own, vk::Result> {
        // SAFETY: as above.
        self.add.get(|| unsafe { Own::add(&self.below) })
    }

    /// What copies parameters of draws, likewise.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn limit(&self) -> Result<&Own, vk::Result> {
        // SAFETY: as above.
        self.limit.get(|| unsafe { Own::limit(&self.below) })
    }

    /// A layout that somebody has no use for any more: the last destroys it.
    ///
    /// # Safety
    /// The device uses nothing that was made with it.
    pub(crate) unsafe fn release(&self, layout: Arc<Layout>) {
        if let Some(layout) = Arc::into_inner(layout) {
            // SAFETY: as the caller says.
            unsafe { layout.destroy(&self.below) };
        }
    }

    /// Destroys what is the layer's own.
    ///
    /// # Safety
    /// The device is idle, and is destroyed next.
    pub(crate) unsafe fn destroy(&self) {
        // SAFETY: as the caller says.
        unsafe {
            // What the program has not destroyed.
            self.pipelines.drain().iter().for_each(|pipeline| pipeline.destroy(&self.below));
            self.layouts.drain().iter().for_each(|layout| layout.destroy(&self.below));
            self.queries.drain().iter().for_each(|queries| queries.destroy(&self.below));
            for own in [&self.prepare, &self.add, &self.limit] {
                if let Some(own) = own.made.get() {
                    own.destroy(&self.below);
                }
            }
            self.scratch.destroy(&self.below);
        }
    }
}
