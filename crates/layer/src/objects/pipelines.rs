//! Pipelines whose draws can be captured, and what they are lowered to.

use super::code::Code;
use super::input::Input;
use super::layouts::Layout;
use crate::below::{Below, Refused, used_up};
use crate::{chain, spirv};
use afterimage_feedback::table::Provoking;
use afterimage_feedback::{BlockSource, BlockUse, Lowered, Lowering, Uses};
use ash::vk;
use std::ffi::CStr;
use std::sync::{Arc, Mutex, PoisonError};

/// Values of specialisation constants.
#[derive(Clone, Debug, Default)]
struct Constants {
    entries: Vec<vk::SpecializationMapEntry>,
    data: Vec<u8>,
}

impl Constants {
    fn value(&self, entry: &vk::SpecializationMapEntry) -> Option<&[u8]> {
        self.data.get(entry.offset as usize..)?.get(..entry.size)
    }

    /// Adds those of a stage.
    ///
    /// # Safety
    /// The structure is the program's, of a stage of a pipeline.
    unsafe fn add(&mut self, info: *const vk::SpecializationInfo<'_>) -> Result<(), String> {
        // SAFETY: as the caller says.
        let (entries, data) = unsafe {
            let Some(info) = info.as_ref() else { return Ok(()) };
            if info.map_entry_count == 0 {
                return Ok(());
            }
            let entries = std::slice::from_raw_parts(info.p_map_entries, info.map_entry_count as usize);
            (entries, std::slice::from_raw_parts(info.p_data.cast::<u8>(), info.data_size))
        };
        for entry in entries {
            let id = entry.constant_id;
            let value = data.get(entry.offset as usize..).and_then(|rest| rest.get(..entry.size));
            let value = value.ok_or_else(|| format!("specialisation constant {id} lies outside of the data"))?;
            match self.entries.iter().find(|known| known.constant_id == id) {
                Some(known) if self.value(known) == Some(value) => {}
                Some(_) => return Err(format!("specialisation constant {id} has another value in each of its stages")),
                None => {
                    self.entries.push(vk::SpecializationMapEntry { offset: self.data.len() as u32, ..*entry });
                    self.data.extend_from_slice(value);
                }
            }
        }
        Ok(())
    }
}

/// A shader of a pipeline.
#[derive(Clone, Debug)]
struct Shader {
    code: Code,
    entry: String,
}

/// What a pipeline is lowered by, besides its shaders.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    input: Input,
    last: bool,
}

/// A lowered pipeline.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) pipeline: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) uses: Uses,
    /// Numbers of the descriptor sets that it reads.
    pub(crate) sets: Vec<u32>,
}

/// What was lowered, or why it cannot be.
type Made = Result<Arc<Program>, String>;

/// A pipeline whose draws can be captured.
#[derive(Debug)]
pub(crate) struct Pipeline {
    vertex: Shader,
    geometry: Option<Shader>,
    constants: Constants,
    pub(crate) layout: Arc<Layout>,
    /// `None` where it is dynamic, as of all that follow.
    pub(crate) topology: Option<vk::PrimitiveTopology>,
    pub(crate) restart: Option<bool>,
    pub(crate) provoking: Option<vk::ProvokingVertexModeEXT>,
    pub(crate) input: Option<Input>,
    /// Whether strides are dynamic where the input is not.
    pub(crate) dynamic_strides: bool,
    /// Whether its descriptors are in buffers.
    descriptor_buffers: bool,
    programs: Mutex<Vec<(Key, Made)>>,
}

/// What is known of a program's objects.
pub(crate) struct Known<'a> {
    pub(crate) code: &'a dyn Fn(vk::ShaderModule) -> Option<Code>,
    pub(crate) library: &'a dyn Fn(vk::Pipeline) -> Option<Arc<Parts>>,
}

/// Parts of a pipeline, as it or a library has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    input: Option<InputPart>,
    shaders: Option<ShadersPart>,
    descriptor_buffers: bool,
}

/// The part of vertex input. `None` where something is dynamic.
#[derive(Clone, Debug)]
struct InputPart {
    topology: Option<vk::PrimitiveTopology>,
    restart: Option<bool>,
    input: Option<Input>,
    dynamic_strides: bool,
}

/// The part of shaders before rasterisation.
#[derive(Clone, Debug)]
struct ShadersPart {
    /// Vertex shader, geometry shader if there is one, and their constants, if the last of them captures.
    capturing: Option<(Shader, Option<Shader>, Constants)>,
    provoking: Option<vk::ProvokingVertexModeEXT>,
}

/// The code of a stage that is given without a module.
///
/// # Safety
/// The structure is the program's, of a stage of a pipeline.
pub(crate) unsafe fn inline<'a>(stage: &vk::PipelineShaderStageCreateInfo<'a>) -> Option<&'a [u32]> {
    if stage.module != vk::ShaderModule::null() {
        return None;
    }
    // SAFETY: as the caller says.
    unsafe {
        let info = chain::find::<vk::ShaderModuleCreateInfo<'_>>(stage.p_next)?;
        Some(std::slice::from_raw_parts(info.p_code, info.code_size / 4))
    }
}

/// The stages of a pipeline.
///
/// # Safety
/// The structure is the program's, for vkCreateGraphicsPipelines.
pub(crate) unsafe fn stages<'a>(
    info: &vk::GraphicsPipelineCreateInfo<'a>,
) -> &'a [vk::PipelineShaderStageCreateInfo<'a>] {
    if info.stage_count == 0 || info.p_stages.is_null() {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(info.p_stages, info.stage_count as usize) }
}

impl Parts {
    /// Those of a pipeline or a library.
    ///
    /// # Errors
    /// Why captures of its draws cannot be lowered.
    ///
    /// # Safety
    /// The structure is the program's, for vkCreateGraphicsPipelines.
    pub(crate) unsafe fn of(known: &Known<'_>, info: &vk::GraphicsPipelineCreateInfo<'_>) -> Result<Self, String> {
        use vk::GraphicsPipelineLibraryFlagsEXT as Subset;
        // SAFETY: as the caller says.
        let descriptor_buffers = unsafe { has(info, vk::PipelineCreateFlags::DESCRIPTOR_BUFFER_EXT) };
        let mut parts = Self { descriptor_buffers, ..Self::default() };
        // SAFETY: as the caller says.
        unsafe {
            let libraries = chain::find::<vk::PipelineLibraryCreateInfoKHR<'_>>(info.p_next);
            let libraries = libraries.filter(|libraries| libraries.library_count > 0).map_or(&[][..], |libraries| {
                std::slice::from_raw_parts(libraries.p_libraries, libraries.library_count as usize)
            });
            for library in libraries.iter().filter_map(|library| (known.library)(*library)) {
                parts.input = parts.input.or_else(|| library.input.clone());
                parts.shaders = parts.shaders.or_else(|| library.shaders.clone());
            }
            let subsets = match chain::find::<vk::GraphicsPipelineLibraryCreateInfoEXT<'_>>(info.p_next) {
                Some(own) => own.flags,
                None if is_library(info) || !libraries.is_empty() => Subset::empty(),
                None => Subset::VERTEX_INPUT_INTERFACE | Subset::PRE_RASTERIZATION_SHADERS,
            };
            if subsets.contains(Subset::PRE_RASTERIZATION_SHADERS) {
                parts.shaders = Some(ShadersPart::of(known, info)?);
            }
            // (With mesh shaders there is no vertex input.)
            if subsets.contains(Subset::VERTEX_INPUT_INTERFACE) {
                parts.input = InputPart::of(info);
            }
        }
        Ok(parts)
    }
}

/// Whether it is a library that is created.
///
/// # Safety
/// The structure is the program's, for vkCreateGraphicsPipelines.
pub(crate) unsafe fn is_library(info: &vk::GraphicsPipelineCreateInfo<'_>) -> bool {
    // SAFETY: as the caller says.
    unsafe { has(info, vk::PipelineCreateFlags::LIBRARY_KHR) }
}

/// Whether a pipeline is created with a flag. (Numbers of both generations of flags are the same.)
///
/// # Safety
/// The structure is the program's, for vkCreateGraphicsPipelines.
unsafe fn has(info: &vk::GraphicsPipelineCreateInfo<'_>, flag: vk::PipelineCreateFlags) -> bool {
    // SAFETY: as the caller says.
    match unsafe { chain::find::<vk::PipelineCreateFlags2CreateInfoKHR<'_>>(info.p_next) } {
        Some(wide) => wide.flags.as_raw() & u64::from(flag.as_raw()) != 0,
        None => info.flags.contains(flag),
    }
}

/// The states of a pipeline that are dynamic.
///
/// # Safety
/// The structure is the program's, for vkCreateGraphicsPipelines.
unsafe fn dynamic<'a>(info: &vk::GraphicsPipelineCreateInfo<'a>) -> &'a [vk::DynamicState] {
    // SAFETY: as the caller says.
    unsafe {
        let dynamic = info.p_dynamic_state.as_ref().filter(|dynamic| dynamic.dynamic_state_count > 0);
        dynamic.map_or(&[][..], |dynamic| {
            std::slice::from_raw_parts(dynamic.p_dynamic_states, dynamic.dynamic_state_count as usize)
        })
    }
}

impl InputPart {
    /// `None` where a pipeline has none.
    ///
    /// # Safety
    /// The structure is the program's, for vkCreateGraphicsPipelines.
    unsafe fn of(info: &vk::GraphicsPipelineCreateInfo<'_>) -> Option<Self> {
        // SAFETY: as the caller says.
        unsafe {
            let dynamic = dynamic(info);
            let fixed = |state| !dynamic.contains(&state);
            let assembly = info.p_input_assembly_state.as_ref();
            let topology = if fixed(vk::DynamicState::PRIMITIVE_TOPOLOGY) { Some(assembly?.topology) } else { None };
            let restart = fixed(vk::DynamicState::PRIMITIVE_RESTART_ENABLE)
                .then(|| assembly.is_some_and(|state| state.primitive_restart_enable == vk::TRUE));
            let input = if fixed(vk::DynamicState::VERTEX_INPUT_EXT) {
                Some(Input::of(info.p_vertex_input_state.as_ref()?))
            } else {
                None
            };
            let dynamic_strides = input.is_none() || !fixed(vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE);
            Some(Self { topology, restart, input, dynamic_strides })
        }
    }
}

impl ShadersPart {
    /// # Errors
    /// Why captures cannot be lowered.
    ///
    /// # Safety
    /// The structure is the program's, for vkCreateGraphicsPipelines.
    unsafe fn of(known: &Known<'_>, info: &vk::GraphicsPipelineCreateInfo<'_>) -> Result<Self, String> {
        use vk::ShaderStageFlags as Stages;
        // SAFETY: as the caller says, here and below.
        let (stages, dynamic) = unsafe { (stages(info), dynamic(info)) };
        // SAFETY: as above.
        let raster = unsafe { info.p_rasterization_state.as_ref() }.map_or(std::ptr::null(), |state| state.p_next);
        // SAFETY: as above.
        let mode = unsafe { chain::find::<vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'_>>(raster) };
        let mode = mode.map_or(vk::ProvokingVertexModeEXT::FIRST_VERTEX, |state| state.provoking_vertex_mode);
        let provoking = (!dynamic.contains(&vk::DynamicState::PROVOKING_VERTEX_MODE_EXT)).then_some(mode);
        let nothing = Ok(Self { capturing: None, provoking });

        let stage = |wanted: Stages| stages.iter().find(|stage| stage.stage == wanted);
        let order = [
            (Stages::GEOMETRY, spirv::GEOMETRY),
            (Stages::TESSELLATION_EVALUATION, spirv::EVALUATION),
            (Stages::VERTEX, spirv::VERTEX),
        ];
        let Some((last, model)) = order.iter().find_map(|(flag, model)| Some((stage(*flag)?, *model))) else {
            return nothing;
        };
        let shader = |stage: &vk::PipelineShaderStageCreateInfo<'_>| {
            // SAFETY: as above.
            let (code, entry) = unsafe {
                let code = inline(stage).map_or_else(|| (known.code)(stage.module), Code::of)?;
                (code, CStr::from_ptr(stage.p_name).to_string_lossy().into_owned())
            };
            Some(Shader { code, entry })
        };
        let Some(capturing) = shader(last).filter(|s| s.code.captures(model, s.entry.as_bytes())) else {
            return nothing;
        };
        // SAFETY: as above.
        let stream = unsafe { chain::find::<vk::PipelineRasterizationStateStreamCreateInfoEXT<'_>>(raster) };
        if stream.is_some_and(|stream| stream.rasterization_stream != 0) {
            return Err("it draws another stream than the first".to_owned());
        }
        if stage(Stages::TESSELLATION_EVALUATION).is_some() {
            return Err("what a tessellator makes cannot be captured".to_owned());
        }
        let vertex = stage(Stages::VERTEX).ok_or("it has no vertex shader")?;
        let mut constants = Constants::default();
        // SAFETY: as above.
        unsafe {
            constants.add(vertex.p_specialization_info)?;
            if model == spirv::GEOMETRY {
                constants.add(last.p_specialization_info)?;
            }
        }
        let vertex = shader(vertex).ok_or("its vertex shader is not known")?;
        let geometry = (model == spirv::GEOMETRY).then_some(capturing);
        Ok(Self { capturing: Some((vertex, geometry, constants)), provoking })
    }
}

impl Pipeline {
    /// What a pipeline is that was made of parts. `None` of one whose draws cannot be captured.
    ///
    /// # Errors
    /// Why captures of its draws cannot be lowered.
    pub(crate) fn of(parts: &Parts, layout: Option<Arc<Layout>>) -> Result<Option<Self>, String> {
        let Some(ShadersPart { capturing: Some(capturing), provoking }) = &parts.shaders else { return Ok(None) };
        let (vertex, geometry, constants) = capturing.clone();
        let layout = layout.ok_or("it has no pipeline layout")?;
        let input = parts.input.clone().ok_or("it has no state of vertex input or input assembly")?;
        Ok(Some(Self {
            vertex,
            geometry,
            constants,
            layout,
            topology: input.topology,
            restart: input.restart,
            provoking: *provoking,
            input: input.input,
            dynamic_strides: input.dynamic_strides,
            descriptor_buffers: parts.descriptor_buffers,
            programs: Mutex::default(),
        }))
    }

    /// What the draws of the pipeline are lowered to, with the input and the provoking vertex that are set where they are dynamic.
    ///
    /// # Errors
    /// Why that is not lowered.
    pub(crate) fn program(
        &self,
        below: &Below,
        cache: vk::PipelineCache,
        input: &Input,
        provoking: vk::ProvokingVertexModeEXT,
    ) -> Result<Arc<Program>, Refused> {
        let last = self.provoking.unwrap_or(provoking) == vk::ProvokingVertexModeEXT::LAST_VERTEX;
        // Of vertex shaders the block says it, draw by draw.
        let key = Key { input: self.input.as_ref().unwrap_or(input).clone(), last: last && self.geometry.is_some() };
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = programs.iter().find(|(known, _)| *known == key) {
            return made.clone().map_err(Refused::Why);
        }
        let made = match self.make(below, cache, &key) {
            Ok(program) => Ok(Arc::new(program)),
            Err(Refused::Why(why)) => Err(why),
            // The next time there may be memory.
            Err(failed @ Refused::Failed(_)) => return Err(failed),
        };
        programs.push((key, made.clone()));
        made.map_err(Refused::Why)
    }

    /// Whether draws can be captured with any vertex input that can be set.
    ///
    /// # Errors
    /// Why they cannot.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.layout.compute?;
        self.lower(None, false).map(drop)
    }

    /// Lowers the shaders. Without a vertex input, for one as the shader declares it.
    fn lower(&self, input: Option<&Input>, last: bool) -> Result<Lowered, String> {
        let refused = |error: afterimage_feedback::Error| error.to_string();
        let lowering = Lowering::new(&self.vertex.code.words).map_err(refused)?;
        let mut lowering = lowering.entry(&self.vertex.entry).push(self.layout.push);
        if let Some(input) = input {
            lowering = lowering.vertex_input(input.sources()?);
        }
        if let Some(geometry) = &self.geometry {
            let order = if last { Provoking::Last } else { Provoking::First };
            lowering = lowering.geometry(&geometry.code.words).map_err(refused)?.provoking(order);
        }
        let lowered = lowering.lower().map_err(refused)?;
        if lowered.uses.push > self.layout.push {
            return Err("its push constants leave no 8 bytes free where its lowered form needs them".to_owned());
        }
        let frozen = |entry: &&vk::SpecializationMapEntry| lowered.uses.frozen.contains(&entry.constant_id);
        if let Some(entry) = self.constants.entries.iter().find(frozen) {
            let id = entry.constant_id;
            return Err(format!("specialisation constant {id} says how long an array is, or has 64 bits"));
        }
        Ok(lowered)
    }

    fn make(&self, below: &Below, cache: vk::PipelineCache, key: &Key) -> Result<Program, Refused> {
        let compute = self.layout.compute?;
        let lowered = self.lower(Some(&key.input), key.last)?;
        let buffers = vk::PipelineCreateFlags::DESCRIPTOR_BUFFER_EXT;
        let flags = if self.descriptor_buffers { buffers } else { vk::PipelineCreateFlags::empty() };
        // SAFETY: the device is alive, and so are the layout and the cache.
        let pipeline = unsafe { compute_pipeline(below, cache, compute, &lowered.words, &self.constants, flags)? };
        Ok(Program { pipeline, layout: compute, sets: sets(&lowered.uses), uses: lowered.uses })
    }

    /// # Safety
    /// The device uses it no more.
    pub(crate) unsafe fn destroy(&self, below: &Below) {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        for program in programs.drain(..).filter_map(|(_, made)| made.ok()) {
            // SAFETY: as the caller says.
            unsafe { (below.functions.destroy_pipeline)(below.device, program.pipeline, std::ptr::null()) };
        }
    }
}

/// Numbers of the descriptor sets that a lowered shader reads.
fn sets(uses: &Uses) -> Vec<u32> {
    let block = |block: &BlockUse| match block.source {
        BlockSource::Uniform(descriptor) | BlockSource::Storage(descriptor) => Some(descriptor.set),
        BlockSource::PushConstants | BlockSource::Address(_) => None,
    };
    let textures = uses.textures.iter().flat_map(|texture| [texture.image.set, texture.sampler.set]);
    let mut sets: Vec<u32> = uses.blocks.iter().filter_map(block).chain(textures).collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

/// A compute pipeline of words.
///
/// # Safety
/// Layout and cache are the device's.
unsafe fn compute_pipeline(
    below: &Below,
    cache: vk::PipelineCache,
    layout: vk::PipelineLayout,
    words: &[u32],
    constants: &Constants,
    flags: vk::PipelineCreateFlags,
) -> Result<vk::Pipeline, vk::Result> {
    let (f, device) = (&below.functions, below.device);
    let special = vk::SpecializationInfo::default().map_entries(&constants.entries).data(&constants.data);
    let info = vk::ShaderModuleCreateInfo::default().code(words);
    // SAFETY: as the caller says; all pointers are to locals.
    unsafe {
        let mut module = vk::ShaderModule::null();
        (f.create_shader_module)(device, &info, std::ptr::null(), &mut module).result().map_err(used_up)?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&special);
        let info = vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(layout);
        let mut pipeline = vk::Pipeline::null();
        let result = (f.create_compute_pipelines)(device, cache, 1, &info, std::ptr::null(), &mut pipeline);
        (f.destroy_shader_module)(device, module, std::ptr::null());
        result.result_with_success(pipeline).map_err(used_up)
    }
}

/// The words of a file.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// A shader of the layer's own.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) pipeline: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
}

impl Own {
    /// The one that fills a draw's block on the device.
    ///
    /// # Errors
    /// When it cannot be made.
    ///
    /// # Safety
    /// The device is alive.
    pub(crate) unsafe fn prepare(below: &Below) -> Result<Self, vk::Result> {
        // SAFETY: as the caller says.
        unsafe { Self::new(below, &afterimage_feedback::prepare(), 8) }
    }

    /// The one that adds to the values of queries.
    ///
    /// # Errors
    /// When it cannot be made.
    ///
    /// # Safety
    /// The device is alive.
    pub(crate) unsafe fn add(below: &Below) -> Result<Self, vk::Result> {
        // SAFETY: as the caller says.
        unsafe { Self::new(below, &words(include_bytes!("../shaders/add.comp.spv")), 24) }
    }

    /// The one that copies parameters of draws.
    ///
    /// # Errors
    /// When it cannot be made.
    ///
    /// # Safety
    /// The device is alive.
    pub(crate) unsafe fn limit(below: &Below) -> Result<Self, vk::Result> {
        // SAFETY: as the caller says.
        unsafe { Self::new(below, &words(include_bytes!("../shaders/limit.comp.spv")), 36) }
    }

    unsafe fn new(below: &Below, words: &[u32], push: u32) -> Result<Self, vk::Result> {
        let range = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: push }];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&range);
        let mut layout = vk::PipelineLayout::null();
        let (cache, constants) = (vk::PipelineCache::null(), Constants::default());
        // SAFETY: as the caller says.
        unsafe {
            let result = (below.functions.create_pipeline_layout)(below.device, &info, std::ptr::null(), &mut layout);
            result.result().map_err(used_up)?;
            let pipeline = compute_pipeline(below, cache, layout, words, &constants, vk::PipelineCreateFlags::empty());
            if pipeline.is_err() {
                (below.functions.destroy_pipeline_layout)(below.device, layout, std::ptr::null());
            }
            Ok(Self { pipeline: pipeline?, layout })
        }
    }

    /// # Safety
    /// The device uses it no more.
    pub(crate) unsafe fn destroy(&self, below: &Below) {
        // SAFETY: as the caller says.
        unsafe {
            (below.functions.destroy_pipeline)(below.device, self.pipeline, std::ptr::null());
            (below.functions.destroy_pipeline_layout)(below.device, self.layout, std::ptr::null());
        }
    }
}
