//! Pictures for another Vulkan device: images whose memory has a file descriptor, into which the GPU copies what is presented. The other
//! device imports that memory and has the picture without a copy through the processor.

use crate::device::gpu::Gpu;
use crate::error::{Checked, Error, Result};
use ash::{khr, vk};
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Images of a size: one is shown, one is ready, one is drawn.
const IMAGES: usize = 3;

/// What kind of descriptor memory has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// For devices of the same driver: `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`. The image is of optimal tiling.
    OpaqueFd,
    /// For whoever takes dma-bufs: `VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT`. The image is linear (modifier 0).
    DmaBuf,
}

impl ExportKind {
    fn handle(self) -> vk::ExternalMemoryHandleTypeFlags {
        match self {
            Self::OpaqueFd => vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
            Self::DmaBuf => vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT,
        }
    }

    fn tiling(self) -> vk::ImageTiling {
        match self {
            Self::OpaqueFd => vk::ImageTiling::OPTIMAL,
            Self::DmaBuf => vk::ImageTiling::LINEAR,
        }
    }

    /// How images of it are used, here and by whoever imports them: copied from and to, and sampled.
    pub const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
        vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
            | vk::ImageUsageFlags::TRANSFER_DST.as_raw()
            | vk::ImageUsageFlags::SAMPLED.as_raw(),
    );
}

/// The format of exported images.
pub const EXPORT_FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// A picture in an image that another device may import. The image is in layout GENERAL, and belongs to the external queue family.
#[derive(Debug)]
pub struct ExportedPicture {
    /// The frame that it was presented in.
    pub frame: u64,
    /// Number of the image; no other ever has it. It is yours until [`Exports::release`].
    pub image: u64,
    /// Its memory. A new descriptor each time.
    pub fd: OwnedFd,
    /// What kind that is.
    pub kind: ExportKind,
    /// Columns and lines.
    pub size: [u32; 2],
    /// Bytes of the memory, which the image has for itself.
    pub bytes: u64,
    /// Index of the memory's type.
    pub memory_type: u32,
    /// Of a linear image, its first byte and bytes from line to line; else zeros.
    pub layout: [u64; 2],
    /// The device's `deviceUUID` and `driverUUID`: opaque descriptors are for the same.
    pub uuids: [[u8; 16]; 2],
}

/// An image with memory of its own that has a descriptor.
pub(crate) struct ExportImage {
    gpu: Arc<Gpu>,
    pub(crate) raw: vk::Image,
    memory: vk::DeviceMemory,
    pub(crate) extent: vk::Extent2D,
    bytes: u64,
    memory_type: u32,
    layout: [u64; 2],
}

impl ExportImage {
    fn new(gpu: &Arc<Gpu>, kind: ExportKind, extent: vk::Extent2D) -> Result<Self> {
        let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(kind.handle());
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(EXPORT_FORMAT)
            .extent(extent.into())
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(kind.tiling())
            .usage(ExportKind::USAGE)
            .push_next(&mut external);
        // SAFETY: `Exports::new` has asked whether the device takes such images.
        let raw = unsafe { gpu.raw.create_image(&info, None) }.checked("vkCreateImage")?;
        let mut image = Self {
            gpu: Arc::clone(gpu),
            raw,
            memory: vk::DeviceMemory::null(),
            extent,
            bytes: 0,
            memory_type: 0,
            layout: [0; 2],
        };
        // SAFETY: the image was just made by this device.
        let requirements = unsafe { gpu.raw.get_image_memory_requirements(raw) };
        // SAFETY: the physical device is the one opened.
        let properties = unsafe { gpu.instance.raw.get_physical_device_memory_properties(gpu.physical) };
        let fits = |at: &usize| requirements.memory_type_bits >> at & 1 != 0;
        let near =
            |at: &usize| properties.memory_types[*at].property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL);
        let mut types = (0..properties.memory_type_count as usize).filter(fits);
        let chosen = types.clone().find(near).or_else(|| types.next()).unwrap_or(0) as u32;
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().image(raw);
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(kind.handle());
        let allocation = vk::MemoryAllocateInfo::default()
            .allocation_size(requirements.size)
            .memory_type_index(chosen)
            .push_next(&mut dedicated)
            .push_next(&mut export);
        // SAFETY: size and type are those that the image asks for.
        image.memory = unsafe { gpu.raw.allocate_memory(&allocation, None) }.checked("vkAllocateMemory")?;
        // SAFETY: the memory is the image's own.
        unsafe { gpu.raw.bind_image_memory(raw, image.memory, 0) }.checked("vkBindImageMemory")?;
        (image.bytes, image.memory_type) = (requirements.size, chosen);
        if kind == ExportKind::DmaBuf {
            let color = vk::ImageSubresource::default().aspect_mask(vk::ImageAspectFlags::COLOR);
            // SAFETY: the image is linear and has such a part.
            let layout = unsafe { gpu.raw.get_image_subresource_layout(raw, color) };
            image.layout = [layout.offset, layout.row_pitch];
        }
        gpu.name(raw, "exported picture");
        Ok(image)
    }
}

impl Drop for ExportImage {
    fn drop(&mut self) {
        // SAFETY: whoever drops an image has waited for the GPU: those of the trash, those that were handed out, and those of a renderer that
        // goes. Freeing no memory does nothing.
        unsafe {
            self.gpu.raw.destroy_image(self.raw, None);
            self.gpu.raw.free_memory(self.memory, None);
        }
    }
}

/// What an image is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Nothing, or it is being written.
    Nothing,
    /// It has the picture of this frame, which the GPU may be drawing.
    Has(u64),
    /// It was handed out.
    Out,
}

struct Slot {
    number: u64,
    image: Arc<ExportImage>,
    doing: Doing,
}

/// Where a picture goes.
pub(crate) struct Begun {
    /// An image and its number, if one is not with somebody else.
    pub(crate) to: Option<(u64, Arc<ExportImage>)>,
    /// Images of other sizes that nobody wants any more, which the GPU may be drawing.
    pub(crate) old: Vec<Arc<ExportImage>>,
}

#[derive(Default)]
struct Slots {
    slots: Vec<Slot>,
    next: u64,
}

/// Images that a renderer copies presented pictures into: the renderer has one end, whoever takes them the other.
#[derive(Clone)]
pub struct Exports {
    gpu: Arc<Gpu>,
    kind: ExportKind,
    uuids: [[u8; 16]; 2],
    functions: khr::external_memory_fd::Device,
    slots: Arc<Mutex<Slots>>,
}

impl std::fmt::Debug for Exports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exports").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Exports {
    /// For pictures that a device draws.
    ///
    /// # Errors
    /// Where the device gives no such descriptors.
    pub(crate) fn new(gpu: &Arc<Gpu>, kind: ExportKind) -> Result<Self> {
        let device = || gpu.profile.name.clone();
        let without = |what: &str| Error::Unsupported { device: device(), what: what.to_owned() };
        let has = match kind {
            ExportKind::OpaqueFd => gpu.profile.external_memory[0],
            ExportKind::DmaBuf => gpu.profile.external_memory[1],
        };
        if !has {
            return Err(without("memory with file descriptors of this kind"));
        }
        let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default().handle_type(kind.handle());
        let info = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(EXPORT_FORMAT)
            .ty(vk::ImageType::TYPE_2D)
            .tiling(kind.tiling())
            .usage(ExportKind::USAGE)
            .push_next(&mut external);
        let mut found = vk::ExternalImageFormatProperties::default();
        let mut properties = vk::ImageFormatProperties2::default().push_next(&mut found);
        // SAFETY: the physical device is the one opened, and the chains are valid.
        let asked = unsafe {
            gpu.instance.raw.get_physical_device_image_format_properties2(gpu.physical, &info, &mut properties)
        };
        let features = found.external_memory_properties.external_memory_features;
        if asked.is_err() || !features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE) {
            return Err(without("pictures in memory with file descriptors"));
        }
        let mut ids = vk::PhysicalDeviceIDProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
        // SAFETY: as above.
        unsafe { gpu.instance.raw.get_physical_device_properties2(gpu.physical, &mut all) };
        Ok(Self {
            gpu: Arc::clone(gpu),
            kind,
            uuids: [ids.device_uuid, ids.driver_uuid],
            functions: khr::external_memory_fd::Device::new(&gpu.instance.raw, &gpu.raw),
            slots: Arc::default(),
        })
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An image for a picture of this size.
    pub(crate) fn begin(&self, extent: vk::Extent2D) -> Result<Begun> {
        let mut slots = self.slots();
        let (kept, old) = std::mem::take(&mut slots.slots)
            .into_iter()
            .partition::<Vec<_>, _>(|slot| slot.doing == Doing::Out || slot.image.extent == extent);
        slots.slots = kept;
        let old = old.into_iter().map(|slot| slot.image).collect();
        // One that nobody wants, else one more, else the picture that is oldest.
        let oldest = |slot: &&mut Slot| match slot.doing {
            Doing::Has(frame) => frame,
            Doing::Nothing | Doing::Out => u64::MAX,
        };
        let free = slots.slots.iter().position(|slot| slot.doing == Doing::Nothing);
        if free.is_none() && slots.slots.len() < IMAGES {
            let (number, image) = (slots.next, Arc::new(ExportImage::new(&self.gpu, self.kind, extent)?));
            slots.next += 1;
            slots.slots.push(Slot { number, image: Arc::clone(&image), doing: Doing::Nothing });
            return Ok(Begun { to: Some((number, image)), old });
        }
        let slot = match free {
            Some(at) => slots.slots.get_mut(at),
            None => slots.slots.iter_mut().filter(|slot| slot.doing != Doing::Out).min_by_key(oldest),
        };
        let slot = slot.filter(|slot| slot.image.extent == extent);
        let taken = slot.map(|slot| {
            slot.doing = Doing::Nothing;
            (slot.number, Arc::clone(&slot.image))
        });
        Ok(Begun { to: taken, old })
    }

    /// The image has a frame's picture, once the GPU has drawn it.
    pub(crate) fn end(&self, number: u64, frame: u64) {
        if let Some(slot) = self.slots().slots.iter_mut().find(|slot| slot.number == number) {
            slot.doing = Doing::Has(frame);
        }
    }

    /// The newest picture of those up to a frame, which must have left the GPU. None where nothing was presented since the last one was taken,
    /// or every image is with you.
    ///
    /// # Errors
    /// Where Vulkan gives no descriptor.
    pub fn take(&self, completed: u64) -> Result<Option<ExportedPicture>> {
        let mut slots = self.slots();
        let newest = slots.slots.iter().filter_map(|slot| match slot.doing {
            Doing::Has(frame) if frame <= completed => Some(frame),
            _ => None,
        });
        let Some(frame) = newest.max() else { return Ok(None) };
        let Some(at) = slots.slots.iter().position(|slot| slot.doing == Doing::Has(frame)) else { return Ok(None) };
        let (number, image) = (slots.slots[at].number, Arc::clone(&slots.slots[at].image));
        let info = vk::MemoryGetFdInfoKHR::default().memory(image.memory).handle_type(self.kind.handle());
        // SAFETY: the memory is this device's, and was allocated for such descriptors.
        let fd = unsafe { self.functions.get_memory_fd(&info) }.checked("vkGetMemoryFdKHR")?;
        // SAFETY: Vulkan has given the descriptor to us.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        for slot in &mut slots.slots {
            match slot.doing {
                Doing::Has(older) if older < frame => slot.doing = Doing::Nothing,
                Doing::Has(_) | Doing::Nothing | Doing::Out => {}
            }
        }
        slots.slots[at].doing = Doing::Out;
        Ok(Some(ExportedPicture {
            frame,
            image: number,
            fd,
            kind: self.kind,
            size: [image.extent.width, image.extent.height],
            bytes: image.bytes,
            memory_type: image.memory_type,
            layout: image.layout,
            uuids: self.uuids,
        }))
    }

    /// Gives an image back: pictures may go to it again. False where it was not handed out.
    pub fn release(&self, image: u64) -> bool {
        let mut slots = self.slots();
        let slot = slots.slots.iter_mut().find(|slot| slot.number == image && slot.doing == Doing::Out);
        slot.map(|slot| slot.doing = Doing::Nothing).is_some()
    }
}
