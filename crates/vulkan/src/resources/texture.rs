//! Textures of the stream: image, views, what is known of its contents and layout.
//!
//! An image has one layout at home, to which every operation returns it: `GENERAL` where it can be a target (so that a
//! texture may be read and drawn to in one pass, and bindless descriptors need no second layout), else
//! `SHADER_READ_ONLY_OPTIMAL`.

use crate::device::format;
use crate::device::format::{Choice, kind_of};
use crate::device::gpu::Gpu;
use crate::device::memory::{Image, ImageView};
use crate::error::{Checked, Error, Result};
use crate::resources::layouts::Table;
use crate::resources::texture_tables::InTables;
use afterimage_stream::budgets::texture_bytes;
use afterimage_stream::packets::{CreateTexture, CreateView, Dimension, Swizzle};
use afterimage_stream::{Format, FormatFeatures, ObjectId};
use ash::vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// A view for rendering: level, layers, whether it encodes sRGB.
struct TargetView {
    level: u16,
    layer: u16,
    layers: u16,
    srgb: bool,
    view: ImageView,
}

/// A view for loads and stores of texels: level, first layer, the shape that the shader sees.
struct StorageView {
    level: u16,
    layer: u16,
    table: Table,
    view: ImageView,
}

/// A view for sampling as another shape than the texture's own.
pub(crate) struct OtherView {
    pub(crate) table: Table,
    pub(crate) srgb: bool,
    /// Number in the table.
    pub(crate) index: u32,
    pub(crate) view: ImageView,
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
    storage: SmallVec<[StorageView; 0]>,
    /// Views of other shapes that shaders have asked for.
    pub(crate) others: SmallVec<[OtherView; 0]>,
    /// What the texels are to shaders: 0 floats, 1 unsigned, 2 signed integers.
    pub(crate) kind: u8,
    /// Of a view the texture that it shows, whose texels, layout and history are there; and its first level and layer there.
    pub(crate) source: Option<ObjectId>,
    base: (u16, u16),
    usage: vk::ImageUsageFlags,
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
    /// Entries of tables that have it or a view of it ([`crate::resources::texture_tables`]).
    pub(crate) in_tables: InTables,
    /// When shaders last read and wrote texels other than as a target: see [`afterimage_render::touched`].
    pub(crate) order: afterimage_render::touched::Touched,
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
        let is_storage = desc.usage & CreateTexture::STORAGE != 0;
        let fetched = !multisampled || desc.usage & CreateTexture::SAMPLED != 0;
        if is_storage && choice.features & FormatFeatures::STORAGE == 0 {
            return Err(unsupported(format!("{name} as a storage image")));
        }
        if is_storage && multisampled && !gpu.profile.shaders.storage_samples {
            return Err(unsupported("storage images of several samples".to_owned()));
        }
        if dimension == Dimension::Cube && desc.layers > 6 && !gpu.profile.shaders.cube_arrays {
            return Err(unsupported("arrays of cubes".to_owned()));
        }
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        if is_storage {
            usage |= vk::ImageUsageFlags::STORAGE;
        }
        if fetched && choice.features & FormatFeatures::SAMPLED != 0 {
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
        let views = desc.usage & CreateTexture::VIEWS != 0;
        let may_be_cube = views && dimension == Dimension::D2 && desc.width == desc.height && desc.layers >= 6;
        if dimension == Dimension::Cube || (may_be_cube && !multisampled) {
            flags |= vk::ImageCreateFlags::CUBE_COMPATIBLE;
        }
        if dimension == Dimension::D3 && is_target {
            flags |= vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE;
        }
        let twin = format.info().srgb.map(|twin| gpu.profile.choice(twin).format);
        let formats = [choice.format, twin.unwrap_or(choice.format)];
        let mut list = vk::ImageFormatListCreateInfo::default().view_formats(&formats);
        if twin.is_some() || views {
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
            "{name} of {}x{}x{}, {} levels, {} layers, {} samples",
            desc.width, desc.height, desc.depth, desc.levels, desc.layers, desc.samples
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
            || texture_bytes(desc) > limits.max_resource_size
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
        if twin.is_some() && !views {
            info = info.push_next(&mut list);
        }
        let image = match image {
            Some(image) => image,
            None => Arc::new(Image::new(gpu, &desc.id.to_string(), &info)?),
        };
        let home =
            if is_target || is_storage { vk::ImageLayout::GENERAL } else { vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL };
        let subresources = desc.levels * desc.layers;
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
            storage: SmallVec::new(),
            others: SmallVec::new(),
            kind: kind_of(format),
            source: None,
            base: (0, 0),
            usage,
            home,
            live: false,
            blank: if subresources > SUBRESOURCES { 1 } else { u128::MAX >> (SUBRESOURCES - subresources) },
            uploaded: 0,
            uploading: 0,
            last_used: 0,
            written: false,
            is_target: false,
            in_tables: InTables::default(),
            order: Default::default(),
        };
        texture.make_sampled_views(gpu)?;
        Ok(texture)
    }

    /// A view of a texture; `desc` is what it is like.
    pub(crate) fn of_view(gpu: &Arc<Gpu>, body: &CreateView, desc: &CreateTexture, source: &Texture) -> Result<Self> {
        let format = Format::from_bits(desc.format).unwrap_or(source.format);
        let choice = if format == source.format { source.choice } else { *gpu.profile.choice(format) };
        if format != source.format && (choice.features == 0 || choice.replaced || source.choice.replaced) {
            let what = format!("{} seen as {}", source.format.info().name, format.info().name);
            return Err(Error::Unsupported { device: gpu.profile.name.clone(), what });
        }
        if Dimension::of(desc.dimension) == Dimension::Cube && desc.layers > 6 && !gpu.profile.shaders.cube_arrays {
            return Err(Error::Unsupported { device: gpu.profile.name.clone(), what: "arrays of cubes".to_owned() });
        }
        let mut texture = Self {
            desc: *desc,
            format,
            choice,
            image: Arc::clone(&source.image),
            number: None,
            view: None,
            srgb_view: None,
            index: 0,
            srgb_index: 0,
            targets: SmallVec::new(),
            storage: SmallVec::new(),
            others: SmallVec::new(),
            kind: kind_of(format),
            source: Some(body.source),
            base: (body.level, body.layer),
            usage: source.usage,
            home: source.home,
            // What a texture has to go through before it is read, the source goes through.
            live: false,
            blank: 0,
            uploaded: 0,
            uploading: 0,
            last_used: 0,
            written: false,
            is_target: false,
            in_tables: InTables::default(),
            order: Default::default(),
        };
        texture.make_sampled_views(gpu)?;
        Ok(texture)
    }

    fn make_sampled_views(&mut self, gpu: &Arc<Gpu>) -> Result {
        let can = self.choice.features & FormatFeatures::SAMPLED != 0;
        if can && self.usage.contains(vk::ImageUsageFlags::SAMPLED) {
            self.view = Some(self.sampled_view(gpu, self.choice.format, self.table())?);
            // The list of formats of the source has the twin of its own format, or any.
            if let Some(twin) = self.format.info().srgb {
                self.srgb_view = Some(self.sampled_view(gpu, gpu.profile.choice(twin).format, self.table())?);
            }
        }
        Ok(())
    }

    /// The table that its views for sampling are in.
    pub(crate) fn table(&self) -> Table {
        match (Dimension::of(self.desc.dimension), self.desc.layers) {
            (Dimension::D3, _) => Table::D3,
            (Dimension::Cube, 6) => Table::Cube,
            (Dimension::Cube, _) => Table::CubeArray,
            (Dimension::D2, 1) if self.desc.samples > 1 => Table::D2Ms,
            (Dimension::D2, _) if self.desc.samples > 1 => Table::D2MsArray,
            (Dimension::D2, 1) => Table::D2,
            (Dimension::D2, _) => Table::D2Array,
        }
    }

    /// A view for sampling as another shape, made on first use, which has no number yet where that is new. `None` where the texture
    /// has nothing of that shape.
    pub(crate) fn other_view(&mut self, gpu: &Arc<Gpu>, table: Table, srgb: bool) -> Result<Option<&mut OtherView>> {
        let cubes = gpu.profile.shaders.cube_arrays;
        let can = match (self.table(), table) {
            (Table::D2, Table::D2Array) | (Table::D2Array, Table::D2) => true,
            (Table::D2Ms, Table::D2MsArray) | (Table::D2MsArray, Table::D2Ms) => true,
            (Table::Cube, Table::CubeArray) => cubes,
            (Table::CubeArray, Table::Cube) | (Table::Cube | Table::CubeArray, Table::D2Array) => true,
            _ => false,
        };
        if !can || self.view.is_none() {
            return Ok(None);
        }
        let srgb = srgb && self.srgb_view.is_some();
        if let Some(at) = self.others.iter().position(|other| (other.table, other.srgb) == (table, srgb)) {
            return Ok(self.others.get_mut(at));
        }
        let view = self.sampled_view(gpu, self.target_format(gpu, srgb), table)?;
        self.others.push(OtherView { table, srgb, index: 0, view });
        Ok(self.others.last_mut())
    }

    fn sampled_view(&self, gpu: &Arc<Gpu>, format: vk::Format, table: Table) -> Result<ImageView> {
        let kind = view_type(table);
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
        let mut range = self.range(aspect);
        range.layer_count = match table {
            Table::D2 | Table::D2Ms | Table::D3 => 1,
            Table::Cube => 6,
            _ => range.layer_count,
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(self.image.raw)
            .view_type(kind)
            .format(format)
            .components(vk::ComponentMapping { r: channel(0), g: channel(1), b: channel(2), a: channel(3) })
            .subresource_range(range)
            .push_next(&mut usage);
        ImageView::new(gpu, &info)
    }

    /// All subresources.
    pub(crate) fn range(&self, aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(aspect)
            .base_mip_level(self.base.0.into())
            .level_count(self.desc.levels)
            .base_array_layer(self.base.1.into())
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

    /// Whether windows can show it: colours that are no integers, which the device blits.
    pub(crate) fn can_be_shown(&self) -> bool {
        let blits = self.choice.features & FormatFeatures::BLIT_SOURCE != 0;
        blits && !self.format.is_depth() && !self.format.is_integer()
    }

    /// Whether there are more subresources than bits: then all have the first one.
    pub(crate) fn shares_bits(&self) -> bool {
        self.desc.levels * self.desc.layers > SUBRESOURCES
    }

    /// Bit of a subresource in [`Texture::blank`]. 3D slices share their level's bit.
    pub(crate) fn bit(&self, level: u32, layer: u32) -> u128 {
        if self.shares_bits() {
            return 1;
        }
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

    /// The view for rendering to a subresource, or to so many layers from one on, made on first use.
    pub(crate) fn target_view(
        &mut self,
        gpu: &Arc<Gpu>,
        level: u16,
        (layer, layers): (u16, u16),
        srgb: bool,
    ) -> Result<vk::ImageView> {
        let srgb = srgb && self.format.info().srgb.is_some();
        let (level, layer) = (level + self.base.0, layer + self.base.1);
        let wanted = (level, layer, layers, srgb);
        let found = self.targets.iter().find(|t| (t.level, t.layer, t.layers, t.srgb) == wanted);
        if let Some(found) = found {
            return Ok(found.view.raw);
        }
        let feature = if self.format.is_depth() { FormatFeatures::DEPTH } else { FormatFeatures::TARGET };
        if self.choice.features & feature == 0 {
            let what = format!("{} as a target", self.format.info().name);
            return Err(Error::Unsupported { device: gpu.profile.name.clone(), what });
        }
        let usage = if self.format.is_depth() {
            vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
        } else {
            vk::ImageUsageFlags::COLOR_ATTACHMENT
        };
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(usage);
        let info = vk::ImageViewCreateInfo::default()
            .image(self.image.raw)
            .view_type(if layers > 1 { vk::ImageViewType::TYPE_2D_ARRAY } else { vk::ImageViewType::TYPE_2D })
            .format(self.target_format(gpu, srgb))
            .subresource_range(
                vk::ImageSubresourceRange::default()
                    .aspect_mask(self.aspects())
                    .base_mip_level(level.into())
                    .level_count(1)
                    .base_array_layer(layer.into())
                    .layer_count(layers.into()),
            )
            .push_next(&mut usage);
        let view = ImageView::new(gpu, &info)?;
        let raw = view.raw;
        self.targets.push(TargetView { level, layer, layers, srgb, view });
        Ok(raw)
    }

    /// The view for loads and stores in a level as a shader sees it, made on first use. `None` where the texture has nothing of
    /// that shape, or is not for that.
    pub(crate) fn storage_view(
        &mut self,
        gpu: &Arc<Gpu>,
        level: u16,
        layer: u16,
        table: Table,
    ) -> Result<Option<vk::ImageView>> {
        // Faces are layers to shaders that store.
        let table = if matches!(table, Table::Cube | Table::CubeArray) { Table::D2Array } else { table };
        let (samples, array) = match table {
            Table::D2Ms => (true, false),
            Table::D2MsArray => (true, true),
            _ => (false, table == Table::D2Array),
        };
        let can = (table == Table::D3) == self.is_3d() && samples == (self.desc.samples > 1) && table != Table::Sampler;
        let feature = self.choice.features & FormatFeatures::STORAGE != 0;
        if !can || !feature || !self.usage.contains(vk::ImageUsageFlags::STORAGE) {
            return Ok(None);
        }
        let layer = if self.is_3d() { 0 } else { layer };
        let found = self.storage.iter().find(|s| (s.level, s.layer, s.table) == (level, layer, table));
        if let Some(found) = found {
            return Ok(Some(found.view.raw));
        }
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::STORAGE);
        let layers = if array { self.desc.layers - u32::from(layer) } else { 1 };
        let info = vk::ImageViewCreateInfo::default()
            .image(self.image.raw)
            .view_type(view_type(table))
            .format(self.choice.format)
            .subresource_range(
                vk::ImageSubresourceRange::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .base_mip_level((self.base.0 + level).into())
                    .level_count(1)
                    .base_array_layer((self.base.1 + layer).into())
                    .layer_count(layers),
            )
            .push_next(&mut usage);
        let view = ImageView::new(gpu, &info)?;
        let raw = view.raw;
        self.storage.push(StorageView { level, layer, table, view });
        Ok(Some(raw))
    }

    /// A level and layer of it as a level and layer of the texture that has the texels.
    pub(crate) fn place(&self, level: u16, layer: u16) -> (u16, u16) {
        (level + self.base.0, layer + self.base.1)
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

    /// Fills an image without contents with zeros and takes it home.
    pub(crate) fn clear_all(&self, gpu: &Gpu, cmd: vk::CommandBuffer) {
        let target = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        self.transition(gpu, cmd, vk::ImageLayout::UNDEFINED, target);
        let (image, range) = (self.image.raw, [self.range(self.aspects())]);
        // SAFETY: the command buffer is being recorded outside of a pass; the image is of colours or else of depth, in the layout named.
        unsafe {
            match self.aspects() {
                vk::ImageAspectFlags::COLOR => {
                    gpu.raw.cmd_clear_color_image(cmd, image, target, &vk::ClearColorValue::default(), &range);
                }
                _ => {
                    let zero = vk::ClearDepthStencilValue::default();
                    gpu.raw.cmd_clear_depth_stencil_image(cmd, image, target, &zero, &range);
                }
            }
        }
        self.transition(gpu, cmd, target, self.home);
    }

    /// The parts that the GPU may still use.
    pub(crate) fn into_trash(self, mut discard: impl FnMut(crate::resources::trash::Trash)) {
        use crate::resources::trash::Trash;
        let views = self.targets.into_iter().map(|t| t.view).chain(self.view).chain(self.srgb_view);
        let rare = self.storage.into_iter().map(|s| s.view).chain(self.others.into_iter().map(|o| o.view));
        for view in views.chain(rare) {
            discard(Trash::View(view));
        }
        discard(Trash::Image(self.image));
    }
}

/// Bits of [`Texture::blank`].
const SUBRESOURCES: u32 = u128::BITS;

fn view_type(table: Table) -> vk::ImageViewType {
    match table {
        Table::D2 | Table::D2Ms | Table::Sampler => vk::ImageViewType::TYPE_2D,
        Table::Cube => vk::ImageViewType::CUBE,
        Table::D3 => vk::ImageViewType::TYPE_3D,
        Table::D2Array | Table::D2MsArray => vk::ImageViewType::TYPE_2D_ARRAY,
        Table::CubeArray => vk::ImageViewType::CUBE_ARRAY,
    }
}
