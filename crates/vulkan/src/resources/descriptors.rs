//! How shaders reach textures and samplers: descriptor set 0 of the shader ABI, in one of two profiles.
//!
//! *Bindless*: one set for everything, written when an object is created; a draw pushes indices. *Slots*: sets of 20
//! slots, made when a combination is first used in a submission. Both number textures and samplers the same way, so
//! the rest of the renderer deals in words of the push constants only.
//!
//! Storage images are in set 1, which is made for each combination on every device.

use crate::device::gpu::Gpu;
use crate::error::{Checked, Result};
use crate::resources::layouts::{Layout, Layouts, Reach, TABLES, Table};
use afterimage_abi::push;
use afterimage_abi::slots::{STORAGE_IMAGES, TEXTURE_SLOTS};
use ash::vk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

/// First texture word in the push constants, in words.
pub(crate) const PUSH_TEXTURES: usize = push::word(push::TEXTURES);

/// First word of what `line_quads` reads, behind the textures.
pub(crate) const PUSH_LINES: usize = push::word(push::LINES);

/// Null objects of a table of textures, which have the first numbers: one that reads floats, one for unsigned and one for signed
/// integers, and one that is [`COMPARED`]. Of samplers the first two numbers are some: a plain one, and one that compares.
pub(crate) const NULLS: u32 = 4;
pub(crate) const NULL_SAMPLERS: u32 = 2;

/// What stands beside the kinds of texels, which are those of [`Component`](afterimage_ir::Component), for floats that a shader compares.
pub(crate) const COMPARED: u8 = 3;

/// Numbers of one table: handed out, and back only when the GPU has let go. The first are null objects.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SlotKey {
    /// Texture words of the push constants, 0 where the shaders do not look.
    pub(crate) words: [u32; TEXTURE_SLOTS],
    /// Three bits per slot: the [`Table`] that the shader reads; from bit 60 on the tables behind the samplers' that the set has.
    pub(crate) tables: u64,
    /// Two bits per slot: what its texels are to the shader, as in [`crate::resources::texture::Texture::kind`], or [`COMPARED`].
    pub(crate) kinds: u64,
}

impl SlotKey {
    /// The tables that a set has, as `tables` has them.
    pub(crate) fn reach(reach: Reach) -> u64 {
        u64::from(reach.tables() >> 4) << 60
    }
}

/// What a set of storage images holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ImageKey {
    pub(crate) views: [vk::ImageView; STORAGE_IMAGES],
    /// Bit per slot: shaders look there. Such a view may be null where a device has null descriptors.
    pub(crate) slots: u64,
}

const _: () = assert!(STORAGE_IMAGES <= u64::BITS as usize);

/// Pools of sets that last for a submission.
struct Pools {
    pool: Option<vk::DescriptorPool>,
    left: u32,
    used: VecDeque<(u64, vk::DescriptorPool)>,
    sizes: SmallVec<[vk::DescriptorPoolSize; 2]>,
}

struct Slots {
    /// Views and the layouts that shaders find their images in, by number. Those of samplers are empty.
    views: [Vec<(vk::ImageView, vk::ImageLayout)>; TABLES],
    samplers: Vec<vk::Sampler>,
    sets: FxHashMap<SlotKey, vk::DescriptorSet>,
}

const SETS_PER_POOL: u32 = 64;

const SLOTS: u32 = TEXTURE_SLOTS as u32;

/// Descriptor sets, and what numbers their textures have.
pub(crate) struct Descriptors {
    gpu: Arc<Gpu>,
    pub(crate) layouts: Arc<Layouts>,
    /// The layout of draws as Direct3D 9 and the NV2A have them.
    pub(crate) plain: Layout,
    numbers: [Numbers; TABLES],
    /// The one set of the bindless profile.
    pub(crate) bindless: Option<(vk::DescriptorPool, vk::DescriptorSet)>,
    slots: Slots,
    slot_pools: Pools,
    image_pools: Pools,
    image_sets: FxHashMap<ImageKey, vk::DescriptorSet>,
}

pub(crate) const IMAGE: vk::DescriptorType = vk::DescriptorType::SAMPLED_IMAGE;

pub(crate) const SAMPLER: vk::DescriptorType = vk::DescriptorType::SAMPLER;

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_IMAGE;

fn pool_size(ty: vk::DescriptorType, count: u32) -> vk::DescriptorPoolSize {
    vk::DescriptorPoolSize::default().ty(ty).descriptor_count(count)
}

impl Pools {
    /// Each set of these pools has so many descriptors.
    fn new(each: &[(vk::DescriptorType, u32)]) -> Self {
        let sizes = each.iter().map(|&(ty, count)| pool_size(ty, count * SETS_PER_POOL)).collect();
        Self { pool: None, left: 0, used: VecDeque::new(), sizes }
    }

    fn allocate(
        &mut self,
        gpu: &Gpu,
        layout: vk::DescriptorSetLayout,
        current: u64,
        completed: u64,
    ) -> Result<vk::DescriptorSet> {
        let pool = match self.pool {
            Some(pool) if self.left > 0 => pool,
            _ => self.next(gpu, current, completed)?,
        };
        self.left -= 1;
        allocate(gpu, pool, layout)
    }

    fn next(&mut self, gpu: &Gpu, current: u64, completed: u64) -> Result<vk::DescriptorPool> {
        if let Some(full) = self.pool.take() {
            self.used.push_back((current, full));
        }
        let reusable = self.used.front().is_some_and(|(submission, _)| *submission <= completed);
        let pool = match if reusable { self.used.pop_front() } else { None } {
            Some((_, pool)) => {
                // SAFETY: the submissions that used its sets have completed.
                unsafe { gpu.raw.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty()) }
                    .checked("vkResetDescriptorPool")?;
                pool
            }
            None => make_pool(gpu, &self.sizes, SETS_PER_POOL, vk::DescriptorPoolCreateFlags::empty())?,
        };
        self.pool = Some(pool);
        self.left = SETS_PER_POOL;
        Ok(pool)
    }

    fn end_submission(&mut self, submitted: u64) {
        if let Some(pool) = self.pool.take() {
            self.used.push_back((submitted, pool));
            self.left = 0;
        }
    }
}

fn make_pool(
    gpu: &Gpu,
    sizes: &[vk::DescriptorPoolSize],
    sets: u32,
    flags: vk::DescriptorPoolCreateFlags,
) -> Result<vk::DescriptorPool> {
    let info = vk::DescriptorPoolCreateInfo::default().pool_sizes(sizes).max_sets(sets).flags(flags);
    // SAFETY: valid description.
    unsafe { gpu.raw.create_descriptor_pool(&info, None) }.checked("vkCreateDescriptorPool")
}

fn allocate(gpu: &Gpu, pool: vk::DescriptorPool, layout: vk::DescriptorSetLayout) -> Result<vk::DescriptorSet> {
    let layouts = [layout];
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
    // SAFETY: pool and layout are alive.
    let sets = unsafe { gpu.raw.allocate_descriptor_sets(&info) }.checked("vkAllocateDescriptorSets")?;
    Ok(sets[0])
}

impl Descriptors {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let layouts = Arc::new(Layouts::new(gpu)?);
        let plain = layouts.get(Reach::PLAIN)?;
        let sizes = gpu.profile.bindless;
        let numbers = |table: Table| {
            let any = if table == Table::Sampler { 1 << 12 } else { 1 << 20 };
            let size = sizes.as_ref().map_or(any, |sizes| sizes.entries(table));
            Numbers { next: 0, size, free: Vec::new(), waiting: VecDeque::new() }
        };
        let bindless = match &sizes {
            Some(sizes) => {
                let images =
                    Table::ALL.iter().filter(|table| **table != Table::Sampler).map(|table| sizes.entries(*table));
                let pools = [pool_size(IMAGE, images.sum()), pool_size(SAMPLER, sizes.samplers)];
                let pool = make_pool(gpu, &pools, 1, vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND)?;
                let set = allocate(gpu, pool, plain.textures)?;
                gpu.name(set, "bindless");
                Some((pool, set))
            }
            None => None,
        };
        Ok(Self {
            gpu: Arc::clone(gpu),
            layouts,
            plain,
            numbers: Table::ALL.map(numbers),
            bindless,
            slots: Slots { views: Default::default(), samplers: Vec::new(), sets: FxHashMap::default() },
            slot_pools: Pools::new(&[(IMAGE, SLOTS * (TABLES as u32 - 1)), (SAMPLER, SLOTS)]),
            image_pools: Pools::new(&[(STORAGE, STORAGE_IMAGES as u32)]),
            image_sets: FxHashMap::default(),
        })
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
        if number >= if table == Table::Sampler { NULL_SAMPLERS } else { NULLS } {
            self.numbers[table as usize].waiting.push_back((current, number));
        }
    }

    /// The set of the slots profile that holds these textures and samplers, of a layout.
    pub(crate) fn slot_set(
        &mut self,
        key: &SlotKey,
        layout: vk::DescriptorSetLayout,
        current: u64,
        completed: u64,
    ) -> Result<vk::DescriptorSet> {
        if let Some(&set) = self.slots.sets.get(key) {
            return Ok(set);
        }
        let set = self.slot_pools.allocate(&self.gpu, layout, current, completed)?;
        let mut images = [[vk::DescriptorImageInfo::default(); TEXTURE_SLOTS]; TABLES];
        let has = (key.tables >> 60 << 4) as u8 | 0b1111;
        let tables: SmallVec<[_; TABLES]> =
            Table::ALL.into_iter().filter(|table| has >> *table as u8 & 1 != 0).collect();
        // Where the shader looks at nothing, too, there is something that reads as its other textures of the table do.
        let mut nulls = [0; TABLES];
        for slot in 0..TEXTURE_SLOTS {
            let null = &mut nulls[(key.tables >> (3 * slot) & 7) as usize];
            *null = u32::max(*null, (key.kinds >> (2 * slot) & 3) as u32);
        }
        for (slot, word) in key.words.into_iter().enumerate() {
            let (texture, sampler) = split(word);
            let wanted = (key.tables >> (3 * slot) & 7) as usize;
            for table in tables.iter().map(|table| *table as usize) {
                let number = if table == wanted && texture != 0 { texture } else { nulls[table] };
                let views = &self.slots.views[table];
                let (view, layout) = views.get(number as usize).or(views.first()).copied().unwrap_or_default();
                images[table][slot] = images[table][slot].image_view(view).image_layout(layout);
            }
            let sampler = self.slots.samplers.get(sampler as usize).or(self.slots.samplers.first());
            let place = &mut images[Table::Sampler as usize][slot];
            *place = vk::DescriptorImageInfo::default().sampler(sampler.copied().unwrap_or_default());
        }
        let writes: SmallVec<[_; TABLES]> = tables
            .iter()
            .map(|&table| {
                vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(table as u32)
                    .descriptor_type(if table == Table::Sampler { SAMPLER } else { IMAGE })
                    .image_info(&images[table as usize])
            })
            .collect();
        // SAFETY: the set is fresh; views and samplers are alive until this submission has completed.
        unsafe { self.gpu.raw.update_descriptor_sets(&writes, &[]) };
        self.slots.sets.insert(*key, set);
        Ok(set)
    }

    /// The set that holds these storage images.
    pub(crate) fn image_set(&mut self, key: &ImageKey, current: u64, completed: u64) -> Result<vk::DescriptorSet> {
        if let Some(&set) = self.image_sets.get(key) {
            return Ok(set);
        }
        let set = self.image_pools.allocate(&self.gpu, self.layouts.images, current, completed)?;
        let layout = vk::ImageLayout::GENERAL;
        let images = key.views.map(|view| [vk::DescriptorImageInfo::default().image_view(view).image_layout(layout)]);
        let there = images.iter().enumerate().filter(|(slot, _)| key.slots >> slot & 1 != 0);
        let writes: SmallVec<[_; STORAGE_IMAGES]> = there
            .map(|(slot, image)| {
                vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(slot as u32)
                    .descriptor_type(STORAGE)
                    .image_info(image)
            })
            .collect();
        // SAFETY: as above.
        unsafe { self.gpu.raw.update_descriptor_sets(&writes, &[]) };
        self.image_sets.insert(*key, set);
        Ok(set)
    }

    /// A submission ended: its sets may not be found by the next one, since their pool may be reset before it is done.
    pub(crate) fn end_submission(&mut self, submitted: u64) {
        if !self.slots.sets.is_empty() {
            self.slots.sets.clear();
            self.slot_pools.end_submission(submitted);
        }
        if !self.image_sets.is_empty() {
            self.image_sets.clear();
            self.image_pools.end_submission(submitted);
        }
    }
}

/// Texture and sampler number of a word.
fn split(word: u32) -> (u32, u32) {
    let bits = push::TEXTURE_INDEX_BITS;
    (word & ((1 << bits) - 1), word >> bits)
}

/// A word of the push constants.
#[inline]
pub(crate) fn word(texture: u32, sampler: u32) -> u32 {
    texture | sampler << push::TEXTURE_INDEX_BITS
}

impl Drop for Descriptors {
    fn drop(&mut self) {
        let bindless = self.bindless.map(|(pool, _)| pool);
        let mut of_sets = Vec::new();
        for pools in [&mut self.slot_pools, &mut self.image_pools] {
            of_sets.extend(pools.pool.take());
            of_sets.extend(pools.used.drain(..).map(|(_, pool)| pool));
        }
        for pool in bindless.into_iter().chain(of_sets) {
            // SAFETY: the renderer waits for the device before it drops its parts.
            unsafe { self.gpu.raw.destroy_descriptor_pool(pool, None) };
        }
    }
}
