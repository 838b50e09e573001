//! Upload arena slots in memory that the GPU reads: uploads are then used where the guest wrote them.

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Place};
use crate::memory::imported::Imported;
use afterimage_ipc::{PROCESSOR_SLOT, SlotFactory, SlotImporter, SlotMemory};
use ash::vk;
use std::any::Any;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of the smallest pages.
const PAGE: usize = 4096;

/// The slots of the present link. The token of the first is `first`, and so on; what came before is gone.
#[derive(Clone, Default)]
struct Made {
    first: u64,
    slots: Vec<Known>,
}

/// A slot's buffer, with whatever keeps it alive.
#[derive(Clone)]
struct Known {
    raw: vk::Buffer,
    _owner: Arc<dyn Any + Send + Sync>,
}

type Registry = Arc<Mutex<Made>>;

/// Adds a slot; its token.
fn add(registry: &Registry, raw: vk::Buffer, owner: Arc<dyn Any + Send + Sync>) -> u64 {
    let mut registry = registry.lock().unwrap_or_else(PoisonError::into_inner);
    registry.slots.push(Known { raw, _owner: owner });
    registry.first + registry.slots.len() as u64 - 1
}

/// Makes arena slots for an in-process link. Given out by [`crate::Renderer::slot_factory`].
pub struct DeviceSlots {
    gpu: Arc<Gpu>,
    registry: Registry,
}

impl SlotFactory for DeviceSlots {
    fn most_bytes(&self) -> u64 {
        if self.gpu.profile.kind == vk::PhysicalDeviceType::CPU { PROCESSOR_SLOT } else { u64::MAX }
    }

    fn allocate(&mut self, bytes: u64) -> Option<SlotMemory> {
        // Cached memory: guests read their read backs from it, and reading write-combined memory takes a hundred times
        // as long as writing it.
        let mut buffer = Buffer::new(&self.gpu, "upload arena slot", bytes, Place::ReadBack)
            .inspect_err(|error| tracing::warn!("upload arena: {error}"))
            .ok()?;
        if buffer.is_mapped() {
            // The system maps pages when they are first touched. While the guest writes them, that takes as long as the writing.
            buffer.bytes_mut(0, bytes as usize).iter_mut().step_by(PAGE).for_each(|byte| *byte = 0);
        }
        let pointer = NonNull::new(buffer.mapped).filter(|pointer| pointer.addr().get() % 8 == 0)?;
        let buffer = Arc::new(buffer);
        let token = add(&self.registry, buffer.raw, Arc::clone(&buffer) as _);
        // SAFETY: the buffer's memory is mapped for its whole life, which the owner given here prolongs; the renderer
        // reads it by the GPU only.
        Some(unsafe { SlotMemory::new(pointer, bytes, Some(token), Box::new(buffer)) })
    }
}

/// Makes the slots of a shared file known to a device. Given out by [`crate::Renderer::slot_importer`].
pub struct SharedSlots {
    gpu: Arc<Gpu>,
    registry: Registry,
    /// Whether the driver has refused one: it is not asked again.
    refused: bool,
}

impl std::fmt::Debug for SharedSlots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedSlots").field("refused", &self.refused).finish_non_exhaustive()
    }
}

impl SlotImporter for SharedSlots {
    fn import(&mut self, slot: SlotMemory) -> SlotMemory {
        if self.refused {
            return slot;
        }
        match Imported::new(&self.gpu, slot) {
            Ok(imported) => {
                let (raw, pointer, bytes) = (imported.raw, imported.slot.pointer(), imported.slot.bytes());
                let imported = Arc::new(imported);
                let token = add(&self.registry, raw, Arc::clone(&imported) as _);
                // SAFETY: the slot in `imported` keeps the memory mapped, and the owner given here keeps that. The renderer has it
                // read by the device only.
                unsafe { SlotMemory::new(pointer, bytes, Some(token), Box::new(imported)) }
            }
            Err((slot, error)) => {
                tracing::debug!("uploads from another process are copied: {error}");
                self.refused = true;
                slot
            }
        }
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

    pub(crate) fn importer(&self, gpu: &Arc<Gpu>) -> SharedSlots {
        SharedSlots { gpu: Arc::clone(gpu), registry: Arc::clone(&self.registry), refused: false }
    }

    /// The buffer of a token.
    #[inline]
    pub(crate) fn buffer(&mut self, token: u64) -> Option<vk::Buffer> {
        let index = usize::try_from(token.checked_sub(self.known.first)?).ok()?;
        if index >= self.known.slots.len() {
            self.known.clone_from(&self.registry.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.known.slots.get(index).map(|slot| slot.raw)
    }

    /// Lets go of every slot. Their tokens find nothing any more, so a link that is still there has its uploads copied.
    pub(crate) fn clear(&mut self) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.first += registry.slots.len() as u64;
        registry.slots.clear();
        self.known = registry.clone();
    }
}
