//! Textures of the stream: image, views, what is known of its contents and layout.
//!
//! An image has one layout at home, to which every operation returns it: `GENERAL` where it can be a target (so that a
//! texture may be read and drawn to in one pass, and bindless descriptors need no second layout), else
//! `SHADER_READ_ONLY_OPTIMAL`.

use crate::error::{Checked, Error, Result};
use crate::format::{self, Choice};
use crate::gpu::Gpu;
use crate::memory::{Image, ImageView};
use afterimage_stream::packets::{CreateTexture, Dimension, Swizzle};
use afterimage_stream::{Format, FormatFeatures};
use ash::vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// A view for rendering: level, layer, whether it encodes sRGB.
struct TargetView {
    level: u16,
    layer: u16,
    srgb: bool,
    view: ImageView,
}

/// A texture.
pub(crate) struct Texture {
    pub(crate) desc: CreateTexture,
    pub(crate) format: Format,
    pub(crate) choice: Choice,
    /// Its own, unless guests share it.
    pub(crate) image: Arc<Image>,
    /// What keeps the number of a shared image good.
    pub(crate) number: Option<Arc<()>>,
    /// For sampling; `None` for multisampled textures.
    pub(crate) view: Option<ImageView>,
    /// For sampling with decoding, where the format has a twin.
    pub(crate) srgb_view: Option<ImageView>,
    /// Index of `view` in the bindless table of its dimension; 0 where there is none.
    pub(crate) index: u32,
    /// Index of `srgb_view`; `index` where there is none.
    pub(crate) srgb_index: u32,
    targets: SmallVec<[TargetView; 1]>,
    /// Layout between operations.
    pub(crate) home: vk::ImageLayout,
    /// Whether the image has left `UNDEFINED`.
    pub(crate) live: bool,
    /// Bit per subresource (layer * levels + level) that must be cleared before it is read.
    pub(crate) blank: u128,
    /// Subresources written by the `before` commands of submission `uploading`, which keep it in `TRANSFER_DST_OPTIMAL`.
    pub(crate) uploaded: u128,
    /// Submission whose `before` commands have it in `TRANSFER_DST_OPTIMAL`.
    pub(crate) uploading: u64,
    /// Last submission whose `main` commands use it.
    pub(crate) last_used: u64,
    /// Drawn to since the last barrier that lets shaders read it.
    pub(crate) written: bool,
    /// Whether a current target.
    pub(crate) is_target: bool,
}

impl Texture {
    pub(crate) fn new(gpu: &Arc<Gpu>, desc: &CreateTexture) -> Result<Self> {
        Self::of(gpu, desc, None)
    }

    /// A texture of an image that is there already and fits the description, if any.
    pub(crate) fn of(gpu: &Arc<Gpu>, desc: &CreateTexture, image: Option<Arc<Image>>) -> Result<Self> {
        let unsupported = |what: String| Error::Unsupported { device: gpu.profile.name.clone(), what };
        let format = Format::from_bits(desc.format).ok_or_else(|| unsupported(format!("format {}", desc.format)))?;
        let choice = *gpu.profile.choice(format);
        let name = format.info().name;
        let is_target = desc.usage & CreateTexture::TARGET != 0;
        let needed = match (is_target, format.is_depth()) {
            (true, true) => FormatFeatures::DEPTH,
            (true, false) => FormatFeatures::TARGET,
            (false, _) => FormatFeatures::SAMPLED,
        };
        if choice.features & needed == 0 {
            return Err(unsupported(format!("{name} as a {}", if is_target { "target" } else { "texture" })));
        }
        let dimension = Dimension::of(desc.dimension);
        let multisampled = desc.samples > 1;
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        if !multisampled && choice.features & FormatFeatures::SAMPLED != 0 {
            usage |= vk::ImageUsageFlags::SAMPLED;
        }
        if is_target {
            usage |= if format.is_depth() {
                vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
            } else {
                vk::ImageUsageFlags::COLOR_ATTACHMENT
            };
        }
        let mut flags = vk::ImageCreateFlags::empty();
        let kind = if dimension == Dimension::D3 { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D };
        if dimension == Dimension::Cube {
            flags |= vk::ImageCreateFlags::CUBE_COMPATIBLE;
        }
        if dimension == Dimension::D3 && is_target {
            flags |= vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE;
        }
        let twin = format.info().srgb.map(|twin| gpu.profile.choice(twin).format);
        let formats = [choice.format, twin.unwrap_or(choice.format)];
        let mut list = vk::ImageFormatListCreateInfo::default().view_formats(&formats);
        if twin.is_some() {
            flags |= vk::ImageCreateFlags::MUTABLE_FORMAT;
        }
        let samples = vk::SampleCountFlags::from_raw(u32::from(desc.samples));
        // SAFETY: the physical device is the one opened.
        let limits = unsafe {
            gpu.instance.raw.get_physical_device_image_format_properties(
                gpu.physical,
                choice.format,
                kind,
                vk::ImageTiling::OPTIMAL,
                usage,
                flags,
            )
        };
        let size = format!(
            "{name} of {}x{}x{}, {} levels, {} samples",
            desc.width, desc.height, desc.depth, desc.levels, desc.samples
        );
        let limits = match limits {
            Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED) => return Err(unsupported(size)),
            other => other.checked("vkGetPhysicalDeviceImageFormatProperties")?,
        };
        let extent = vk::Extent3D { width: desc.width, height: desc.height, depth: desc.depth };
        if extent.width > limits.max_extent.width
            || extent.height > limits.max_extent.height
            || extent.depth > limits.max_extent.depth
            || desc.levels > limits.max_mip_levels
            || desc.layers > limits.max_array_layers
            || !limits.sample_counts.contains(samples)
        {
            return Err(unsupported(size));
        }
        let mut info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(kind)
            .format(choice.format)
            .extent(extent)
            .mip_levels(desc.levels)
            .array_layers(desc.layers)
            .samples(samples)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        if twin.is_some() {
            info = info.push_next(&mut list);
        }
        let image = match image {
            Some(image) => image,
            None => Arc::new(Image::new(gpu, &desc.id.to_string(), &info)?),
        };
        let sampled = usage.contains(vk::ImageUsageFlags::SAMPLED);
        let mut texture = Self {
            desc: *desc,
            format,
            choice,
            image,
            number: None,
            view: None,
            srgb_view: None,
            index: 0,
            srgb_index: 0,
            targets: SmallVec::new(),
            home: if is_target { vk::ImageLayout::GENERAL } else { vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL },
            live: false,
            blank: u128::MAX >> (128 - (desc.levels * desc.layers).min(128)),
            uploaded: 0,
            uploading: 0,
            last_used: 0,
            written: false,
            is_target: false,
        };
        if sampled {
            texture.view = Some(texture.sampled_view(gpu, choice.format)?);
            if let Some(twin) = twin {
                texture.srgb_view = Some(texture.sampled_view(gpu, twin)?);
            }
        }
        Ok(texture)
    }

    fn sampled_view(&self, gpu: &Arc<Gpu>, format: vk::Format) -> Result<ImageView> {
        let kind = match Dimension::of(self.desc.dimension) {
            Dimension::D2 => vk::ImageViewType::TYPE_2D,
            Dimension::Cube => vk::ImageViewType::CUBE,
            Dimension::D3 => vk::ImageViewType::TYPE_3D,
        };
        let channel = |component: usize| match Swizzle::of(self.desc.swizzle[component]) {
            Swizzle::Zero => vk::ComponentSwizzle::ZERO,
            Swizzle::One => vk::ComponentSwizzle::ONE,
            source => match self.choice.channels[source as usize] {
                0 => vk::ComponentSwizzle::R,
                1 => vk::ComponentSwizzle::G,
                2 => vk::ComponentSwizzle::B,
                _ => vk::ComponentSwizzle::A,
            },
        };
        // Stencil is never sampled.
        let aspect = match format::aspects(self.format) {
            vk::ImageAspectFlags::COLOR => vk::ImageAspectFlags::COLOR,
            _ => vk::ImageAspectFlags::DEPTH,
        };
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::SAMPLED);
        let info = vk::ImageViewCreateInfo::default()
            .image(self.image.raw)
            .view_type(kind)
            .format(format)
            .components(vk::ComponentMapping { r: channel(0), g: channel(1), b: channel(2), a: channel(3) })
            .subresource_range(self.range(aspect))
            .push_next(&mut usage);
        ImageView::new(gpu, &info)
    }

    /// All subresources.
    pub(crate) fn range(&self, aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(aspect)
            .level_count(self.desc.levels)
            .layer_count(self.desc.layers)
    }

    /// Every aspect of the image that Vulkan has, which is more than the stream's format where a replacement has stencil.
    pub(crate) fn aspects(&self) -> vk::ImageAspectFlags {
        match self.choice.format {
            vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT => {
                vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
            }
            _ => format::aspects(self.format),
        }
    }

    /// Bit of a subresource in [`Texture::blank`]. 3D slices share their level's bit.
    pub(crate) fn bit(&self, level: u32, layer: u32) -> u128 {
        let layer = if self.desc.layers > 1 { layer } else { 0 };
        1u128.checked_shl(layer * self.desc.levels + level).unwrap_or(0)
    }

    /// Size of a level in texels.
    pub(crate) fn extent(&self, level: u32) -> vk::Extent3D {
        let at = |edge: u32| (edge >> level).max(1);
        vk::Extent3D { width: at(self.desc.width), height: at(self.desc.height), depth: at(self.desc.depth) }
    }

    /// One subresource, for copies. 3D slices are in the offset instead.
    pub(crate) fn layers(&self, aspect: vk::ImageAspectFlags, level: u16, layer: u16) -> vk::ImageSubresourceLayers {
        let layer = if self.is_3d() { 0 } else { u32::from(layer) };
        vk::ImageSubresourceLayers::default()
            .aspect_mask(aspect)
            .mip_level(u32::from(level))
            .base_array_layer(layer)
            .layer_count(1)
    }

    pub(crate) fn is_3d(&self) -> bool {
        Dimension::of(self.desc.dimension) == Dimension::D3
    }

    /// The format that a target view has.
    pub(crate) fn target_format(&self, gpu: &Gpu, srgb: bool) -> vk::Format {
        match self.format.info().srgb {
            Some(twin) if srgb => gpu.profile.choice(twin).format,
            _ => self.choice.format,
        }
    }

    /// The view for rendering to a subresource, made on first use.
    pub(crate) fn target_view(&mut self, gpu: &Arc<Gpu>, level: u16, layer: u16, srgb: bool) -> Result<vk::ImageView> {
        let srgb = srgb && self.format.info().srgb.is_some();
        let found = self.targets.iter().find(|t| (t.level, t.layer, t.srgb) == (level, layer, srgb));
        if let Some(found) = found {
            return Ok(found.view.raw);
        }
        let usage = if self.format.is_depth() {
            vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
        } else {
            vk::ImageUsageFlags::COLOR_ATTACHMENT
        };
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(usage);
        let info = vk::ImageViewCreateInfo::default()
            .image(self.image.raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(self.target_format(gpu, srgb))
            .subresource_range(
                vk::ImageSubresourceRange::default()
                    .aspect_mask(self.aspects())
                    .base_mip_level(level.into())
                    .level_count(1)
                    .base_array_layer(layer.into())
                    .layer_count(1),
            )
            .push_next(&mut usage);
        let view = ImageView::new(gpu, &info)?;
        let raw = view.raw;
        self.targets.push(TargetView { level, layer, srgb, view });
        Ok(raw)
    }

    /// A change of layout of all subresources, with everything before and after.
    pub(crate) fn transition(&self, gpu: &Gpu, cmd: vk::CommandBuffer, from: vk::ImageLayout, to: vk::ImageLayout) {
        self.transition_part(gpu, cmd, self.range(self.aspects()), from, to);
    }

    /// A change of layout of some subresources.
    pub(crate) fn transition_part(
        &self,
        gpu: &Gpu,
        cmd: vk::CommandBuffer,
        range: vk::ImageSubresourceRange,
        from: vk::ImageLayout,
        to: vk::ImageLayout,
    ) {
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let barriers = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(all)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(all)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.image.raw)
            .subresource_range(range)];
        // SAFETY: the command buffer is being recorded outside of a render pass; the image is in layout `from`.
        unsafe { gpu.raw.cmd_pipeline_barrier2(cmd, &vk::DependencyInfo::default().image_memory_barriers(&barriers)) };
    }

    /// The parts that the GPU may still use.
    pub(crate) fn into_trash(self, mut discard: impl FnMut(crate::submit::Trash)) {
        use crate::submit::Trash;
        for view in self.targets.into_iter().map(|t| t.view).chain(self.view).chain(self.srgb_view) {
            discard(Trash::View(view));
        }
        discard(Trash::Image(self.image));
    }
}
