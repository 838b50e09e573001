//! How shaders reach textures and samplers: descriptor set 0 of the shader ABI, in one of two profiles.
//!
//! *Bindless*: one set for everything, written when an object is created; a draw pushes indices. *Slots*: sets of 20
//! slots, made when a combination is first used in a submission. Both number textures and samplers the same way, so
//! the rest of the renderer deals in words of the push constants only.

use crate::error::{Checked, Result};
use crate::gpu::Gpu;
use afterimage_stream::TEXTURE_SLOTS;
use ash::vk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of push constants of every shader.
pub(crate) const PUSH_BYTES: u32 = 128;
/// First texture word in the push constants, in words.
pub(crate) const PUSH_TEXTURES: usize = afterimage_spirv::PUSH_TEXTURES as usize / 4;
/// First word of what `line_quads` reads, behind the textures.
pub(crate) const PUSH_LINES: usize = crate::line_quads::PUSH_OFFSET as usize / 4;
const _: () = assert!(PUSH_TEXTURES + TEXTURE_SLOTS <= PUSH_LINES);

/// Stages that read the push constants before [`PUSH_LINES`].
pub(crate) const PUSH_STAGES: vk::ShaderStageFlags =
    vk::ShaderStageFlags::from_raw(vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw());

/// Ranges of push constants. `line_quads` has one of its own: a push costs drivers time for each stage of its range.
fn push_ranges(gpu: &Gpu) -> SmallVec<[vk::PushConstantRange; 2]> {
    let lines = PUSH_LINES as u32 * 4;
    let mut ranges = SmallVec::new();
    ranges.push(vk::PushConstantRange::default().stage_flags(PUSH_STAGES).size(lines));
    if gpu.profile.geometry_shader {
        let of_lines = vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::GEOMETRY);
        ranges.push(of_lines.offset(lines).size(PUSH_BYTES - lines));
    }
    ranges
}

/// The tables, by binding number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    D2 = 0,
    Cube = 1,
    D3 = 2,
    Sampler = 3,
}

/// Numbers of one table: handed out, and back only when the GPU has let go. Number 0 is the null object.
struct Numbers {
    next: u32,
    size: u32,
    free: Vec<u32>,
    waiting: VecDeque<(u64, u32)>,
}

impl Numbers {
    fn take(&mut self, completed: u64) -> Option<u32> {
        while let Some(&(submission, number)) = self.waiting.front()
            && submission <= completed
        {
            self.waiting.pop_front();
            self.free.push(number);
        }
        self.free.pop().or_else(|| {
            let number = self.next;
            (number < self.size).then(|| self.next += 1)?;
            Some(number)
        })
    }
}

/// What a set of the slots profile holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SlotKey {
    /// Texture words of the push constants, 0 where the shaders do not look.
    pub(crate) words: [u32; TEXTURE_SLOTS],
    /// Two bits per slot: the [`Table`] that the shader reads.
    pub(crate) tables: u64,
}

struct Slots {
    /// Views and the layouts that shaders find their images in, by number.
    views: [Vec<(vk::ImageView, vk::ImageLayout)>; 3],
    samplers: Vec<vk::Sampler>,
    sets: FxHashMap<SlotKey, vk::DescriptorSet>,
    pool: Option<vk::DescriptorPool>,
    left: u32,
    used: VecDeque<(u64, vk::DescriptorPool)>,
}

const SETS_PER_POOL: u32 = 64;
const SLOTS: u32 = TEXTURE_SLOTS as u32;

/// Descriptor set 0 and the pipeline layout that every pipeline shares.
pub(crate) struct Descriptors {
    gpu: Arc<Gpu>,
    set_layout: vk::DescriptorSetLayout,
    pub(crate) pipeline_layout: vk::PipelineLayout,
    numbers: [Numbers; 4],
    /// The one set of the bindless profile.
    pub(crate) bindless: Option<(vk::DescriptorPool, vk::DescriptorSet)>,
    slots: Slots,
}

const IMAGE: vk::DescriptorType = vk::DescriptorType::SAMPLED_IMAGE;
const SAMPLER: vk::DescriptorType = vk::DescriptorType::SAMPLER;

impl Descriptors {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let bindless = gpu.profile.bindless;
        let sizes = match bindless {
            Some(b) => [b.textures_2d, b.textures_cube, b.textures_3d, b.samplers],
            None => [SLOTS; 4],
        };
        let bindings: [_; 4] = std::array::from_fn(|i| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(i as u32)
                .descriptor_type(if i == 3 { SAMPLER } else { IMAGE })
                .descriptor_count(sizes[i])
                .stage_flags(vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT)
        });
        let flags = [vk::DescriptorBindingFlags::PARTIALLY_BOUND
            | vk::DescriptorBindingFlags::UPDATE_AFTER_BIND
            | vk::DescriptorBindingFlags::UPDATE_UNUSED_WHILE_PENDING; 4];
        let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
        let mut info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        if bindless.is_some() {
            info = info.flags(vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL).push_next(&mut flags);
        }
        // SAFETY: counts are within the limits that the profile looked up.
        let set_layout =
            unsafe { gpu.raw.create_descriptor_set_layout(&info, None) }.checked("vkCreateDescriptorSetLayout")?;
        let layouts = [set_layout];
        let push = push_ranges(gpu);
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&push);
        // SAFETY: 128 bytes are the smallest limit there is; the layout was just made.
        let pipeline_layout =
            unsafe { gpu.raw.create_pipeline_layout(&info, None) }.checked("vkCreatePipelineLayout")?;
        let numbers = match bindless {
            Some(_) => sizes,
            None => [1 << 20, 1 << 20, 1 << 20, 1 << 12],
        };
        let mut descriptors = Self {
            gpu: Arc::clone(gpu),
            set_layout,
            pipeline_layout,
            numbers: numbers.map(|size| Numbers { next: 0, size, free: Vec::new(), waiting: VecDeque::new() }),
            bindless: None,
            slots: Slots {
                views: Default::default(),
                samplers: Vec::new(),
                sets: FxHashMap::default(),
                pool: None,
                left: 0,
                used: VecDeque::new(),
            },
        };
        gpu.name(pipeline_layout, "shader ABI");
        if bindless.is_some() {
            let pool = descriptors.make_pool(sizes, 1, vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND)?;
            let set = descriptors.allocate(pool)?;
            gpu.name(set, "bindless");
            descriptors.bindless = Some((pool, set));
        }
        Ok(descriptors)
    }

    fn make_pool(
        &self,
        sizes: [u32; 4],
        sets: u32,
        flags: vk::DescriptorPoolCreateFlags,
    ) -> Result<vk::DescriptorPool> {
        let pools = [
            vk::DescriptorPoolSize::default().ty(IMAGE).descriptor_count((sizes[0] + sizes[1] + sizes[2]) * sets),
            vk::DescriptorPoolSize::default().ty(SAMPLER).descriptor_count(sizes[3] * sets),
        ];
        let info = vk::DescriptorPoolCreateInfo::default().pool_sizes(&pools).max_sets(sets).flags(flags);
        // SAFETY: valid description.
        unsafe { self.gpu.raw.create_descriptor_pool(&info, None) }.checked("vkCreateDescriptorPool")
    }

    fn allocate(&self, pool: vk::DescriptorPool) -> Result<vk::DescriptorSet> {
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: pool and layout are alive.
        let sets = unsafe { self.gpu.raw.allocate_descriptor_sets(&info) }.checked("vkAllocateDescriptorSets")?;
        Ok(sets[0])
    }

    /// Takes a number for a texture view that shaders read in `layout`. `None` when the table is full.
    pub(crate) fn add_view(
        &mut self,
        table: Table,
        view: vk::ImageView,
        layout: vk::ImageLayout,
        completed: u64,
    ) -> Option<u32> {
        let number = self.numbers[table as usize].take(completed)?;
        match self.bindless {
            Some((_, set)) => {
                let images = [vk::DescriptorImageInfo::default().image_view(view).image_layout(layout)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(table as u32)
                    .dst_array_element(number)
                    .descriptor_type(IMAGE)
                    .image_info(&images);
                // SAFETY: no pending command uses this element: its number was free.
                unsafe { self.gpu.raw.update_descriptor_sets(&[write], &[]) };
            }
            None => {
                let views = &mut self.slots.views[table as usize];
                views.resize(views.len().max(number as usize + 1), Default::default());
                views[number as usize] = (view, layout);
            }
        }
        Some(number)
    }

    /// Takes a number for a sampler. `None` when the table is full.
    pub(crate) fn add_sampler(&mut self, sampler: vk::Sampler, completed: u64) -> Option<u32> {
        let number = self.numbers[Table::Sampler as usize].take(completed)?;
        match self.bindless {
            Some((_, set)) => {
                let images = [vk::DescriptorImageInfo::default().sampler(sampler)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(Table::Sampler as u32)
                    .dst_array_element(number)
                    .descriptor_type(SAMPLER)
                    .image_info(&images);
                // SAFETY: no pending command uses this element: its number was free.
                unsafe { self.gpu.raw.update_descriptor_sets(&[write], &[]) };
            }
            None => {
                let samplers = &mut self.slots.samplers;
                samplers.resize(samplers.len().max(number as usize + 1), vk::Sampler::null());
                samplers[number as usize] = sampler;
            }
        }
        Some(number)
    }

    /// Gives a number back, usable again when submission `current` has completed.
    pub(crate) fn remove(&mut self, table: Table, number: u32, current: u64) {
        if number != 0 {
            self.numbers[table as usize].waiting.push_back((current, number));
        }
    }

    /// The set of the slots profile that holds these textures and samplers.
    pub(crate) fn slot_set(&mut self, key: &SlotKey, current: u64, completed: u64) -> Result<vk::DescriptorSet> {
        if let Some(&set) = self.slots.sets.get(key) {
            return Ok(set);
        }
        let pool = match self.slots.pool {
            Some(pool) if self.slots.left > 0 => pool,
            _ => self.next_pool(current, completed)?,
        };
        let set = self.allocate(pool)?;
        self.slots.left -= 1;
        let mut images = [[vk::DescriptorImageInfo::default(); TEXTURE_SLOTS]; 4];
        for slot in 0..TEXTURE_SLOTS {
            let (texture, sampler) = split(key.words[slot]);
            for (table, images) in images.iter_mut().enumerate().take(3) {
                let wanted = (key.tables >> (2 * slot) & 3) as usize;
                let number = if table == wanted { texture } else { 0 };
                let views = &self.slots.views[table];
                let (view, layout) = views.get(number as usize).or(views.first()).copied().unwrap_or_default();
                images[slot] = images[slot].image_view(view).image_layout(layout);
            }
            let sampler = self.slots.samplers.get(sampler as usize).or(self.slots.samplers.first());
            images[3][slot] = images[3][slot].sampler(sampler.copied().unwrap_or_default());
        }
        let writes: [_; 4] = std::array::from_fn(|binding| {
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding as u32)
                .descriptor_type(if binding == 3 { SAMPLER } else { IMAGE })
                .image_info(&images[binding])
        });
        // SAFETY: the set is fresh; views and samplers are alive until this submission has completed.
        unsafe { self.gpu.raw.update_descriptor_sets(&writes, &[]) };
        self.slots.sets.insert(*key, set);
        Ok(set)
    }

    fn next_pool(&mut self, current: u64, completed: u64) -> Result<vk::DescriptorPool> {
        if let Some(full) = self.slots.pool.take() {
            self.slots.used.push_back((current, full));
        }
        let reusable = self.slots.used.front().is_some_and(|(submission, _)| *submission <= completed);
        let pool = match if reusable { self.slots.used.pop_front() } else { None } {
            Some((_, pool)) => {
                // SAFETY: the submissions that used its sets have completed.
                unsafe { self.gpu.raw.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty()) }
                    .checked("vkResetDescriptorPool")?;
                pool
            }
            None => self.make_pool([SLOTS; 4], SETS_PER_POOL, vk::DescriptorPoolCreateFlags::empty())?,
        };
        self.slots.pool = Some(pool);
        self.slots.left = SETS_PER_POOL;
        Ok(pool)
    }

    /// A submission ended: its sets may not be found by the next one, since their pool may be reset before it is done.
    pub(crate) fn end_submission(&mut self, submitted: u64) {
        if !self.slots.sets.is_empty() {
            self.slots.sets.clear();
            if let Some(pool) = self.slots.pool.take() {
                self.slots.used.push_back((submitted, pool));
                self.slots.left = 0;
            }
        }
    }
}

/// Texture and sampler number of a word.
fn split(word: u32) -> (u32, u32) {
    let bits = afterimage_spirv::TEXTURE_INDEX_BITS;
    (word & ((1 << bits) - 1), word >> bits)
}

/// A word of the push constants.
#[inline]
pub(crate) fn word(texture: u32, sampler: u32) -> u32 {
    texture | sampler << afterimage_spirv::TEXTURE_INDEX_BITS
}

impl Drop for Descriptors {
    fn drop(&mut self) {
        let pools = self.bindless.map(|(pool, _)| pool).into_iter().chain(self.slots.pool);
        // SAFETY: the renderer waits for the device before it drops its parts.
        unsafe {
            for pool in pools.chain(self.slots.used.drain(..).map(|(_, pool)| pool)) {
                self.gpu.raw.destroy_descriptor_pool(pool, None);
            }
            self.gpu.raw.destroy_pipeline_layout(self.pipeline_layout, None);
            self.gpu.raw.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}
