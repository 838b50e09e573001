//! Pipeline layouts: which descriptor sets and push constants a pipeline's shaders may read.
//!
//! Set 0 has textures and samplers. With descriptor indexing it is one layout; without it there is one for each choice of
//! [tables](Table), of which draws of Direct3D 9 and the NV2A use the first three. Set 1 has storage images, by slot on every
//! device, where a shader reads any. Layouts are made when they are first wanted, by whatever thread.

use crate::device::gpu::Gpu;
use crate::device::profile::Bindless;
use crate::error::{Checked, Error, Result};
use crate::resources::descriptors::{IMAGE, SAMPLER};
pub(crate) use afterimage_abi::Table;
use afterimage_abi::push;
use afterimage_abi::slots::{STORAGE_IMAGES, TEXTURE_SLOTS};
use ash::vk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of tables.
pub(crate) const TABLES: usize = Table::COUNT;

impl Bindless {
    /// Entries of a table.
    pub(crate) fn entries(&self, table: Table) -> u32 {
        match table {
            Table::D2 => self.textures_2d,
            Table::Cube => self.textures_cube,
            Table::D3 => self.textures_3d,
            Table::Sampler => self.samplers,
            Table::D2Array => self.textures_2d_array,
            Table::CubeArray | Table::D2Ms | Table::D2MsArray => self.textures_rare,
        }
    }
}

/// What the shaders of a pipeline reach beyond constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reach {
    /// Bit per table, the samplers' always set. Says nothing with descriptor indexing.
    tables: u8,
    /// Whether there are storage images.
    pub(crate) images: bool,
    compute: bool,
}

impl Default for Reach {
    fn default() -> Self {
        Self::PLAIN
    }
}

impl Reach {
    /// Of draws that read textures of the first three shapes, if any, and no storage images.
    pub(crate) const PLAIN: Self = Self { tables: 0b1111, images: false, compute: false };
    /// The same of a compute shader.
    pub(crate) const COMPUTE: Self = Self { tables: 0b1111, images: false, compute: true };

    /// With these tables, a bit for each, and with storage images or without.
    #[must_use]
    pub(crate) fn with(self, tables: u8, images: bool) -> Self {
        Self { tables: self.tables | tables, images: self.images | images, ..self }
    }

    /// The tables, a bit for each.
    pub(crate) fn tables(self) -> u8 {
        self.tables
    }
}

/// A pipeline layout and its sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) raw: vk::PipelineLayout,
    /// Layout of set 0.
    pub(crate) textures: vk::DescriptorSetLayout,
}

#[derive(Default)]
struct Made {
    /// Layouts of set 0, by tables.
    textures: FxHashMap<u8, vk::DescriptorSetLayout>,
    layouts: FxHashMap<Reach, Layout>,
}

/// Every layout of a renderer.
pub(crate) struct Layouts {
    gpu: Arc<Gpu>,
    /// Layout of set 1.
    pub(crate) images: vk::DescriptorSetLayout,
    made: Mutex<Made>,
}

/// Descriptors of a table without descriptor indexing.
const SLOTS: u32 = TEXTURE_SLOTS as u32;

/// Stages that read the push constants before [`PUSH_LINES`] in draws.
pub(crate) const PUSH_STAGES: vk::ShaderStageFlags =
    vk::ShaderStageFlags::from_raw(vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw());

const STAGES: vk::ShaderStageFlags =
    vk::ShaderStageFlags::from_raw(PUSH_STAGES.as_raw() | vk::ShaderStageFlags::COMPUTE.as_raw());

/// Ranges of push constants. `line_quads` has one of its own: a push costs drivers time for each stage of its range.
fn push_ranges(gpu: &Gpu, compute: bool) -> SmallVec<[vk::PushConstantRange; 2]> {
    let mut ranges = SmallVec::new();
    let stages = if compute { vk::ShaderStageFlags::COMPUTE } else { PUSH_STAGES };
    ranges.push(vk::PushConstantRange::default().stage_flags(stages).size(push::LINES));
    if gpu.profile.geometry_shader && !compute {
        let of_lines = vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::GEOMETRY);
        ranges.push(of_lines.offset(push::LINES).size(push::BYTES - push::LINES));
    }
    ranges
}

impl Layouts {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let bindings: [_; STORAGE_IMAGES] = std::array::from_fn(|slot| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(slot as u32)
                .descriptor_type(vk::DescriptorType::STORAGE_IMAGE)
                .descriptor_count(1)
                .stage_flags(STAGES)
        });
        let most = gpu.profile.limits.max_per_stage_descriptor_storage_images as usize;
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings[..most.min(STORAGE_IMAGES)]);
        // SAFETY: valid description.
        let images =
            unsafe { gpu.raw.create_descriptor_set_layout(&info, None) }.checked("vkCreateDescriptorSetLayout")?;
        gpu.name(images, "storage images");
        Ok(Self { gpu: Arc::clone(gpu), images, made: Mutex::default() })
    }

    /// What tells layouts apart.
    fn distinct(&self, reach: Reach) -> Reach {
        Reach { tables: if self.gpu.profile.bindless.is_some() { u8::MAX } else { reach.tables }, ..reach }
    }

    /// Whether there is one layout for both.
    pub(crate) fn are_alike(&self, one: Reach, other: Reach) -> bool {
        self.distinct(one) == self.distinct(other)
    }

    /// The layout for what shaders reach.
    pub(crate) fn get(&self, reach: Reach) -> Result<Layout> {
        let reach = self.distinct(reach);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&layout) = made.layouts.get(&reach) {
            return Ok(layout);
        }
        let textures = match made.textures.get(&reach.tables) {
            Some(&layout) => layout,
            None => {
                let layout = self.make_textures(reach.tables)?;
                made.textures.insert(reach.tables, layout);
                layout
            }
        };
        let sets = [textures, self.images];
        let push = push_ranges(&self.gpu, reach.compute);
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&sets[..1 + usize::from(reach.images)])
            .push_constant_ranges(&push);
        // SAFETY: 128 bytes are the smallest limit there is; the set layouts live as long as this.
        let raw = unsafe { self.gpu.raw.create_pipeline_layout(&info, None) }.checked("vkCreatePipelineLayout")?;
        self.gpu.name(raw, "shader ABI");
        let layout = Layout { raw, textures };
        made.layouts.insert(reach, layout);
        Ok(layout)
    }

    fn make_textures(&self, tables: u8) -> Result<vk::DescriptorSetLayout> {
        let bindless = self.gpu.profile.bindless;
        let bindings: SmallVec<[_; TABLES]> = Table::ALL
            .into_iter()
            .filter(|table| tables >> *table as u8 & 1 != 0)
            .map(|table| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(table as u32)
                    .descriptor_type(if table == Table::Sampler { SAMPLER } else { IMAGE })
                    .descriptor_count(bindless.as_ref().map_or(SLOTS, |sizes| sizes.entries(table)))
                    .stage_flags(STAGES)
            })
            .collect();
        let most = self.gpu.profile.limits.max_per_stage_descriptor_sampled_images;
        if bindless.is_none() && (bindings.len() as u32 - 1) * SLOTS > most {
            let what = format!("textures of {} shapes in one draw or dispatch", bindings.len() - 1);
            return Err(Error::Unsupported { device: self.gpu.profile.name.clone(), what });
        }
        let flags = [vk::DescriptorBindingFlags::PARTIALLY_BOUND
            | vk::DescriptorBindingFlags::UPDATE_AFTER_BIND
            | vk::DescriptorBindingFlags::UPDATE_UNUSED_WHILE_PENDING; TABLES];
        let mut flags =
            vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags[..bindings.len()]);
        let mut info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        if bindless.is_some() {
            info = info.flags(vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL).push_next(&mut flags);
        }
        // SAFETY: counts are within the limits that the profile looked up.
        unsafe { self.gpu.raw.create_descriptor_set_layout(&info, None) }.checked("vkCreateDescriptorSetLayout")
    }
}

impl Drop for Layouts {
    fn drop(&mut self) {
        let made = self.made.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the renderer waits for the device before it drops its parts; pipelines do not need their layouts.
        unsafe {
            for layout in made.layouts.values() {
                self.gpu.raw.destroy_pipeline_layout(layout.raw, None);
            }
            for &layout in made.textures.values().chain([&self.images]) {
                self.gpu.raw.destroy_descriptor_set_layout(layout, None);
            }
        }
    }
}
