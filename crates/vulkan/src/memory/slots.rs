//! Upload arena slots in memory that the GPU reads: uploads are then used where the guest wrote them.

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Place};
use afterimage_ipc::{SlotFactory, SlotMemory};
use ash::vk;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of the smallest pages.
const PAGE: usize = 4096;

/// The slots of the present link. The token of the first is `first`, and so on; what came before is gone.
#[derive(Clone, Default)]
struct Made {
    first: u64,
    slots: Vec<Arc<Buffer>>,
}

type Registry = Arc<Mutex<Made>>;

/// Makes arena slots for an in-process link. Given out by [`crate::Renderer::slot_factory`].
pub struct DeviceSlots {
    gpu: Arc<Gpu>,
    registry: Registry,
}

/// Bytes of a slot where the device is this processor: it finds in its caches what was written a moment ago, and a short load needs few
/// pages that nobody had before. Measured with lavapipe on 2 cores: 64 MiB of a texture take .03 s instead of .05.
const CPU_SLOT: u64 = 4 << 20;

impl SlotFactory for DeviceSlots {
    fn most_bytes(&self) -> u64 {
        if self.gpu.profile.kind == vk::PhysicalDeviceType::CPU { CPU_SLOT } else { u64::MAX }
    }

    fn allocate(&mut self, bytes: u64) -> Option<SlotMemory> {
        // Cached memory: guests read their read backs from it, and reading write-combined memory takes a hundred times
        // as long as writing it.
        let mut buffer = Buffer::new(&self.gpu, "upload arena slot", bytes, Place::ReadBack)
            .inspect_err(|error| tracing::warn!("upload arena: {error}"))
            .ok()?;
        if self.gpu.profile.kind != vk::PhysicalDeviceType::CPU && buffer.is_mapped() {
            // The system maps pages when they are first touched. While the guest writes them, that takes as long as the writing.
            buffer.bytes_mut(0, bytes as usize).iter_mut().step_by(PAGE).for_each(|byte| *byte = 0);
        }
        let pointer = NonNull::new(buffer.mapped).filter(|pointer| pointer.addr().get() % 8 == 0)?;
        let buffer = Arc::new(buffer);
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let token = registry.first + registry.slots.len() as u64;
        registry.slots.push(Arc::clone(&buffer));
        // SAFETY: the buffer's memory is mapped for its whole life, which the owner given here prolongs; the renderer
        // reads it by the GPU only.
        Some(unsafe { SlotMemory::new(pointer, bytes, Some(token), Box::new(buffer)) })
    }
}

/// The renderer's view of the slots.
#[derive(Default)]
pub(crate) struct Slots {
    registry: Registry,
    /// Copy of the registry, so that a look needs no lock.
    known: Made,
}

impl Slots {
    pub(crate) fn factory(&self, gpu: &Arc<Gpu>) -> DeviceSlots {
        DeviceSlots { gpu: Arc::clone(gpu), registry: Arc::clone(&self.registry) }
    }

    /// The buffer of a token.
    #[inline]
    pub(crate) fn buffer(&mut self, token: u64) -> Option<vk::Buffer> {
        let index = usize::try_from(token.checked_sub(self.known.first)?).ok()?;
        if index >= self.known.slots.len() {
            self.known.clone_from(&self.registry.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.known.slots.get(index).map(|buffer| buffer.raw)
    }

    /// Lets go of every slot. Their tokens find nothing any more, so a link that is still there has its uploads copied.
    pub(crate) fn clear(&mut self) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.first += registry.slots.len() as u64;
        registry.slots.clear();
        self.known = registry.clone();
    }
}
