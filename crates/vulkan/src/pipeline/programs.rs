//! Everything between a guest's shaders and pipelines: what is translated and made, and what is guessed of the draws to come.

use crate::device::gpu::Gpu;
use crate::error::Result;
use crate::options::Options;
use crate::pipeline::cache::PipelineCache;
use crate::pipeline::compute::ComputePipelines;
use crate::pipeline::history::History;
use crate::pipeline::key::Key;
use crate::pipeline::pipelines::Pipelines;
use crate::pipeline::prediction::{Followers, Foreseen};
use crate::pipeline::shaders::{GuestShader, Library, ShaderReplacer};
use crate::resources::descriptors::Descriptors;
use afterimage_ipc::Journal;
use afterimage_render::partners::Partners;
use afterimage_render::table::Table;
use afterimage_shader::{Compiler, DiskCache, Profile};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

/// Shaders, pipelines, and what is known of both.
pub(crate) struct Programs {
    pub(crate) shaders: Table<GuestShader>,
    pub(crate) pipelines: Pipelines,
    pub(crate) compute: ComputePipelines,
    pub(crate) cache: Arc<PipelineCache>,
    pub(crate) library: Library,
    pub(crate) replace_shader: Option<ShaderReplacer>,
    /// What is known of the program from its last runs.
    pub(crate) history: Option<History>,
    /// Which shaders may belong together.
    pub(crate) partners: Partners<Key>,
    /// What new pixel shaders may be drawn with, until it is translated.
    pub(crate) guesses: VecDeque<Foreseen>,
    /// Scenes that more than one pixel shader was drawn in, and those that may follow.
    pub(crate) followers: VecDeque<Followers>,
    /// Whether any draw has had alpha test or fog.
    pub(crate) generic_seen: bool,
    /// Whether pixel stages with them were made ahead since.
    pub(crate) generic_prepared: bool,
    /// Whether the present batch has been searched for what its draws need.
    pub(crate) looked_ahead: bool,
    /// When the caches were last written, and how many pipelines had been made by then.
    pub(crate) kept: (Instant, u64),
}

impl Programs {
    /// Nothing yet but what the disk keeps. `journal` is where a renderer in a process of its own notes translations.
    ///
    /// # Errors
    /// Where Vulkan refuses something basic.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        options: &Options,
        descriptors: &Descriptors,
        journal: Option<Arc<Journal>>,
    ) -> Result<Self> {
        let cache = Arc::new(PipelineCache::load(gpu, options.cache_dir.as_deref(), options.cache_bytes)?);
        let disk = options.cache_dir.as_ref().and_then(|dir| {
            DiskCache::open(dir.join("shaders"))
                .inspect_err(|error| tracing::warn!("{}: {error}; shaders are not cached", dir.display()))
                .ok()
        });
        let profile = Profile {
            bindless: gpu.profile.bindless.is_some(),
            float_rules: options.float_rules.unwrap_or(gpu.profile.float_rules),
            preserve: gpu.profile.float_controls,
            wave: gpu.profile.shaders.subgroup_size,
            clip_varyings: gpu.profile.clip_varyings(),
            features: gpu.profile.shader_features(),
            ..Default::default()
        };
        let library = Library::new(gpu, Compiler { profile, cache: disk }, options.raw_addresses, journal);
        let pipelines = Pipelines::new(gpu, descriptors, &cache, &library, options.idle_pipelines);
        let compute = ComputePipelines::new(pipelines.maker(), Arc::clone(&library.workers));
        Ok(Self {
            shaders: Table::default(),
            pipelines,
            compute,
            cache,
            library,
            replace_shader: None,
            history: None,
            partners: Partners::default(),
            guesses: VecDeque::new(),
            followers: VecDeque::new(),
            generic_seen: false,
            generic_prepared: false,
            looked_ahead: false,
            kept: (Instant::now(), 0),
        })
    }

    /// Forgets what was known of a program, for the next one. What was compiled stays.
    pub(crate) fn forget_program(&mut self) {
        self.guesses.clear();
        self.followers.clear();
        (self.history, self.partners) = (None, Partners::default());
        (self.generic_seen, self.generic_prepared) = (false, false);
    }
}
