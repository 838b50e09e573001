//! Pictures on their way out: windows, screenshots, whoever wants them.

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Image, ImageView};
use crate::error::Result;
use crate::options::Options;
use crate::present::overlay::Overlays;
use crate::present::swapchain::{SurfaceFactory, Swapchain};
use afterimage_render::hud::Rectangle;
use afterimage_render::pictures::{Picture, PictureFile, Pictures};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::{PresentTarget, Rect};
use ash::vk;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// A picture that the GPU is copying.
pub(crate) struct Pending {
    pub(crate) submission: u64,
    pub(crate) target: ObjectId,
    pub(crate) frame: u64,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) buffer: Buffer,
    /// Where it is written to.
    pub(crate) files: Vec<PictureFile>,
}

/// Targets and pictures.
pub(crate) struct Presenter {
    pub(crate) gpu: Arc<Gpu>,
    /// Who wants pictures, and what is drawn over them.
    pub(crate) pictures: Pictures,
    /// Images that pictures go to for another device.
    #[cfg(unix)]
    pub(crate) exports: Option<crate::present::exported::Exports>,
    pub(crate) pending: VecDeque<Pending>,
    pub(crate) targets: Vec<PresentTarget>,
    pub(crate) swapchains: FxHashMap<ObjectId, Swapchain>,
    pub(crate) surfaces: Option<SurfaceFactory>,
    /// What draws over pictures, once something has.
    pub(crate) overlays: Option<Box<Overlays>>,
}

impl Presenter {
    pub(crate) fn new(gpu: &Arc<Gpu>, options: &Options) -> Self {
        Self {
            gpu: Arc::clone(gpu),
            pictures: Pictures::new(&options.wishes, &gpu.profile.name, &gpu.profile.driver),
            #[cfg(unix)]
            exports: None,
            pending: VecDeque::new(),
            targets: Vec::new(),
            swapchains: FxHashMap::default(),
            surfaces: None,
            overlays: None,
        }
    }

    pub(crate) fn take_swapchain(&mut self, target: ObjectId) -> Option<Swapchain> {
        self.swapchains.remove(&target)
    }

    /// A target's window may have another size: some drivers only tell so after further pictures.
    pub(crate) fn make_anew(&mut self, target: ObjectId) {
        if let Some(chain) = self.swapchains.get_mut(&target) {
            chain.stale = true;
        }
    }

    pub(crate) fn put_swapchain(&mut self, target: ObjectId, swapchain: Swapchain) {
        self.swapchains.insert(target, swapchain);
    }

    /// Hands out the pictures that have arrived.
    pub(crate) fn deliver(&mut self, completed: u64) {
        while self.pending.front().is_some_and(|pending| pending.submission <= completed) {
            let Some(pending) = self.pending.pop_front() else { break };
            let Pending { target, frame, width, height, .. } = pending;
            let rgba = pending.buffer.bytes(0, width as usize * height as usize * 4);
            self.pictures.deliver(&Picture { target, frame, width, height, rgba }, pending.files);
        }
    }

    /// Waits until every picture is on disk.
    pub(crate) fn finish_screenshots(&mut self, completed: u64) {
        self.deliver(completed);
        self.pictures.finish_files();
    }
}

/// An image that a presented picture goes to. Its contents are undefined before.
pub(crate) struct Outgoing {
    pub(crate) image: vk::Image,
    pub(crate) format: vk::Format,
    pub(crate) extent: vk::Extent2D,
    /// The part that the picture fills; black is around it.
    pub(crate) to: Rect,
    /// Drawn over it.
    pub(crate) figures: Vec<Rectangle>,
    /// Layout that it is left in.
    pub(crate) end: vk::ImageLayout,
}

/// An image of 8 bits per channel that can be copied to and from, and used as said.
pub(crate) fn picture_image(
    gpu: &Arc<Gpu>,
    name: &str,
    extent: vk::Extent2D,
    usage: vk::ImageUsageFlags,
) -> Result<Image> {
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(extent.into())
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST | usage);
    Image::new(gpu, name, &info)
}

/// A view of all of a colour image.
pub(crate) fn plain_view(gpu: &Arc<Gpu>, image: vk::Image, format: vk::Format) -> Result<ImageView> {
    let range =
        vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
    let info = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(format)
        .subresource_range(range);
    ImageView::new(gpu, &info)
}
