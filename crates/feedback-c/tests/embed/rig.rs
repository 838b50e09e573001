//! A pair of pipelines and a draw: native, and lowered.

use crate::device::{Buffer, Gpu, Result};
use crate::{Counters, Draw, Form, Request, VertexBuffer, plan};
use ash::vk;
use ash::vk::{BufferUsageFlags as Usage, ShaderStageFlags as Stages};

/// What captured buffers hold before.
const FILL: u32 = 0xdead_beef;
/// Bytes of a capture buffer.
const CAPTURE: u64 = 32 << 10;
/// Vertices and instances that there are.
const VERTICES: u32 = 32;
/// Bytes of a vertex, and of an instance.
const STRIDES: [u32; 2] = [20, 8];
/// The shader's own push constants.
const OWN: [u32; 3] = [0x3f00_0000, 0x4000_0000, 0x4110_0000];

/// Indices of a draw.
#[derive(Clone, Debug)]
pub(crate) struct Indices {
    /// Bytes of each, 2 or 4.
    pub(crate) bytes: u32,
    pub(crate) list: Vec<u32>,
}

/// Draws that are captured.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) topology: u32,
    /// First vertex or index.
    pub(crate) first: u32,
    /// Vertices or indices.
    pub(crate) count: u32,
    pub(crate) vertex_offset: u32,
    pub(crate) instances: u32,
    pub(crate) first_instance: u32,
    pub(crate) indices: Option<Indices>,
    pub(crate) restart: bool,
    pub(crate) indirect: bool,
    /// Bytes of the bound ranges.
    pub(crate) sizes: [u32; 2],
    /// How often it is drawn.
    pub(crate) draws: u32,
}

impl Default for Case {
    fn default() -> Self {
        Self {
            topology: 0,
            first: 0,
            count: 0,
            vertex_offset: 0,
            instances: 1,
            first_instance: 0,
            indices: None,
            restart: false,
            indirect: false,
            sizes: [CAPTURE as u32; 2],
            draws: 1,
        }
    }
}

/// What a capture leaves.
pub(crate) struct FeedbackSource {
    buffers: [Vec<u32>; 2],
    /// Bytes captured into each.
    bytes: [u32; 2],
    /// Primitives that there were, and that were captured.
    needed: u64,
    written: u64,
}

impl FeedbackSource {
    /// What is another in `other`, but for so many units in the last place of a word.
    pub(crate) fn difference(&self, other: &FeedbackSource, units: u32) -> Option<String> {
        let counts = |of: &FeedbackSource| (of.bytes, of.needed, of.written);
        if counts(self) != counts(other) {
            return Some(format!("bytes, needed, written: {:?} and {:?}", counts(self), counts(other)));
        }
        let (own, others) = (self.buffers.concat(), other.buffers.concat());
        let at = own.iter().zip(&others).position(|(a, b)| a.abs_diff(*b) > units)?;
        Some(format!("word {at}: {:#x} and {:#x}", own[at], others[at]))
    }

    /// Words that are no longer what they were.
    pub(crate) fn words(&self) -> usize {
        self.buffers.iter().flatten().filter(|word| **word != FILL).count()
    }
}

pub(crate) struct Shaders<'a> {
    pub(crate) original: &'a [u32],
    /// Of the original; then there is no form that scatters.
    pub(crate) geometry: Option<&'a [u32]>,
    pub(crate) gather: &'a [u32],
    pub(crate) scatter: Option<&'a [u32]>,
    pub(crate) prepare: &'a [u32],
    /// Where the lowered shaders' block is.
    pub(crate) push: u32,
}

/// A vertex shader, and a geometry shader or none.
type Modules = [Option<vk::ShaderModule>; 2];

pub(crate) struct Rig {
    gpu: Gpu,
    set_layouts: Vec<vk::DescriptorSetLayout>,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
    /// The original, with its geometry shader.
    native: Modules,
    /// Of scattering.
    points: vk::Pipeline,
    compute: [vk::Pipeline; 2],
    push: u32,
    /// Uniform blocks, then vertices and instances.
    uniforms: Vec<Buffer>,
    vertices: [(Buffer, u64); 2],
}

/// Numbers whose sums and products are exact.
fn numbers(count: u32, seed: u32) -> impl Iterator<Item = u32> {
    (0..count).map(move |n| (((n * 29 + seed * 7) % 41) as f32 * 0.125 - 2.5).to_bits())
}

/// The uniform blocks: `Sheet` at set 0, binding 0; `Tints` at set 1, binding 3.
fn blocks() -> [Vec<u32>; 2] {
    [numbers(32, 3).collect(), numbers(3, 5).chain([0x1234]).collect()]
}

const BLOCK_BINDINGS: [u32; 2] = [0, 3];

fn vertices() -> [Vec<u32>; 2] {
    let vertex = |n: u32| numbers(3, n).chain([n.wrapping_mul(0x9e37_79b9), (n % 12) | ((n * 77) << 16)]);
    [(0..VERTICES).flat_map(vertex).collect(), (0..VERTICES).flat_map(|n| numbers(2, n + 100)).collect()]
}

impl Rig {
    /// None if the device has no transform feedback.
    pub(crate) fn new(shaders: &Shaders<'_>) -> Option<Rig> {
        let gpu = Gpu::new();
        gpu.feedback.as_ref()?;
        Some(Rig::open(gpu, shaders).expect("a device that works"))
    }

    /// Units in the last place by which captured words may differ: Vulkan leaves the rounding of normalised attributes to the device.
    /// Mesa's is the nearest float; NVIDIA's is not, and sums and products carry that on.
    pub(crate) fn units(&self) -> u32 {
        if self.gpu.name.contains("llvmpipe") { 0 } else { 8 }
    }

    fn open(gpu: Gpu, shaders: &Shaders<'_>) -> Result<Rig> {
        let d = &gpu.device;
        // SAFETY: all handles are of this device, and what infos point at lives through the calls.
        unsafe {
            let mut set_layouts = Vec::new();
            for binding in BLOCK_BINDINGS {
                let bindings = [vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(Stages::VERTEX | Stages::COMPUTE)];
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
                set_layouts.push(d.create_descriptor_set_layout(&info, None)?);
            }
            let ranges = [vk::PushConstantRange::default().stage_flags(Stages::VERTEX | Stages::COMPUTE).size(128)];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts).push_constant_ranges(&ranges);
            let layout = d.create_pipeline_layout(&info, None)?;
            let sizes = [vk::DescriptorPoolSize::default().ty(vk::DescriptorType::UNIFORM_BUFFER).descriptor_count(2)];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(2).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None)?;
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts);
            let sets = d.allocate_descriptor_sets(&info)?;
            let mut uniforms = Vec::new();
            for ((words, set), binding) in blocks().iter().zip(&sets).zip(BLOCK_BINDINGS) {
                let buffer = gpu.filled(&bytes(words), Usage::UNIFORM_BUFFER)?;
                let info = [vk::DescriptorBufferInfo::default().buffer(buffer.buffer).range(vk::WHOLE_SIZE)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(*set)
                    .dst_binding(binding)
                    .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
                    .buffer_info(&info);
                d.update_descriptor_sets(&[write], &[]);
                uniforms.push(buffer);
            }
            let module =
                |words: &[u32]| d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None);
            let mut compute = [vk::Pipeline::null(); 2];
            for (pipeline, words) in compute.iter_mut().zip([shaders.prepare, shaders.gather]) {
                let module = module(words)?;
                let stage =
                    vk::PipelineShaderStageCreateInfo::default().stage(Stages::COMPUTE).module(module).name(c"main");
                let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
                let made = d.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
                *pipeline = made.map_err(|(_, error)| error)?[0];
                d.destroy_shader_module(module, None);
            }
            let native = [Some(module(shaders.original)?), shaders.geometry.map(module).transpose()?];
            let mut points = vk::Pipeline::null();
            if let Some(words) = shaders.scatter {
                let scatter = module(words)?;
                let input = vk::PipelineVertexInputStateCreateInfo::default();
                let topology = vk::PrimitiveTopology::POINT_LIST;
                points = graphics(d, layout, [Some(scatter), None], &input, topology, false)?;
                d.destroy_shader_module(scatter, None);
            }
            let [vertices, instances] = vertices();
            let vertices = [addressed(&gpu, &vertices)?, addressed(&gpu, &instances)?];
            let push = shaders.push;
            Ok(Rig { set_layouts, layout, pool, sets, native, points, compute, push, uniforms, vertices, gpu })
        }
    }

    /// The original, with the extension.
    pub(crate) fn native(&self, case: &Case) -> Result<FeedbackSource> {
        let d = &self.gpu.device;
        let feedback = self.gpu.feedback.as_ref().expect("looked for");
        let pipeline = self.original(case)?;
        let captures = [feedback_buffer(&self.gpu)?, feedback_buffer(&self.gpu)?];
        let counters = self.gpu.filled(&[0; 8], Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::TRANSFER_DST)?;
        let indices = self.indices(case)?;
        let arguments = self.arguments(case)?;
        // SAFETY: all handles are of this device, ranges lie in their buffers, and what is destroyed was waited for.
        unsafe {
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
                .query_count(1);
            let queries = d.create_query_pool(&info, None)?;
            self.gpu.submit(|c| {
                d.cmd_reset_query_pool(c, queries, 0, 1);
                self.begin(c, pipeline);
                let buffers = self.vertices.each_ref().map(|(buffer, _)| buffer.buffer);
                d.cmd_bind_vertex_buffers(c, 0, &buffers, &[0, 0]);
                if let (Some(buffer), Some(of)) = (&indices, &case.indices) {
                    let ty = if of.bytes == 2 { vk::IndexType::UINT16 } else { vk::IndexType::UINT32 };
                    d.cmd_bind_index_buffer(c, buffer.0.buffer, 0, ty);
                }
                let bound = captures.each_ref().map(|(buffer, _)| buffer.buffer);
                let sizes = case.sizes.map(u64::from);
                (feedback.fp().cmd_bind_transform_feedback_buffers_ext)(
                    c,
                    0,
                    2,
                    bound.as_ptr(),
                    [0, 0].as_ptr(),
                    sizes.as_ptr(),
                );
                d.cmd_begin_query(c, queries, 0, vk::QueryControlFlags::empty());
                (feedback.fp().cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
                for _ in 0..case.draws {
                    let (n, instances, first_instance) = (case.count, case.instances, case.first_instance);
                    match (&indices, case.indirect) {
                        (None, false) => d.cmd_draw(c, n, instances, case.first, first_instance),
                        (None, true) => d.cmd_draw_indirect(c, arguments.0.buffer, 0, 1, 16),
                        (Some(_), false) => {
                            let offset = case.vertex_offset as i32;
                            d.cmd_draw_indexed(c, n, instances, case.first, offset, first_instance);
                        }
                        (Some(_), true) => d.cmd_draw_indexed_indirect(c, arguments.0.buffer, 0, 1, 20),
                    }
                }
                let (buffers, offsets) = ([counters.buffer; 2], [0, 4]);
                let end = feedback.fp().cmd_end_transform_feedback_ext;
                end(c, 0, 2, buffers.as_ptr(), offsets.as_ptr());
                d.cmd_end_query(c, queries, 0);
                d.cmd_end_rendering(c);
                self.gpu.barrier(c);
            })?;
            let mut results = [[0u64; 2]];
            d.get_query_pool_results(queries, 0, &mut results, vk::QueryResultFlags::TYPE_64)?;
            let [[written, needed]] = results;
            let bytes = self.gpu.read(&counters)?[..2].try_into().expect("two counters");
            let result = FeedbackSource {
                buffers: [self.gpu.read(&captures[0].0)?, self.gpu.read(&captures[1].0)?],
                bytes,
                needed,
                written,
            };
            d.destroy_query_pool(queries, None);
            d.destroy_pipeline(pipeline, None);
            self.free(captures.into_iter().chain(indices).chain([arguments, (counters, 0)]));
            Ok(result)
        }
    }

    /// Lowered, with `prepare`: the device finds out the draw's numbers.
    pub(crate) fn prepared(&self, case: &Case, request: &Request) -> Result<FeedbackSource> {
        let captures = [feedback_buffer(&self.gpu)?, feedback_buffer(&self.gpu)?];
        let indices = self.indices(case)?;
        let arguments = self.arguments(case)?;
        let list = addressed(&self.gpu, &vec![0; 2 * case.count as usize])?;
        let counters = addressed(&self.gpu, bytemuck::cast_slice(&[Counters::default()]))?;
        let draw = addressed(&self.gpu, bytemuck::cast_slice(&[self.with_vertices(Draw::default())]))?;
        let groups = addressed(&self.gpu, &[0; 3])?;
        let request = Request {
            arguments: arguments.1,
            indices: indices.as_ref().map_or(0, |indices| indices.1),
            index_size: case.indices.as_ref().map_or(0, |indices| indices.list.len() as u32 * indices.bytes),
            list: list.1,
            list_room: case.count,
            counters: counters.1,
            draw: draw.1,
            groups: groups.1,
            ..bound(request, &captures, case)
        };
        let request = addressed(&self.gpu, bytemuck::cast_slice(&[request]))?;
        let d = &self.gpu.device;
        self.gpu.submit(|c| {
            for _ in 0..case.draws {
                // SAFETY: handles are of this device, and every address is of a buffer that lives until the submission is done.
                unsafe {
                    d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, self.compute[0]);
                    self.push(c, 0, &request.1.to_le_bytes());
                    d.cmd_dispatch(c, 1, 1, 1);
                    self.gpu.barrier(c);
                    self.capture(c, draw.1);
                    d.cmd_dispatch_indirect(c, groups.0.buffer, 0);
                    self.gpu.barrier(c);
                }
            }
        })?;
        let result = self.result(&captures, &self.counters(&counters.0)?)?;
        let others = [arguments, list, counters, draw, groups, request];
        self.free(captures.into_iter().chain(indices).chain(others));
        Ok(result)
    }

    /// Lowered, with `plan`: the host knows the draw's numbers.
    pub(crate) fn planned(&self, case: &Case, request: &Request, form: Form) -> Result<FeedbackSource> {
        let captures = [feedback_buffer(&self.gpu)?, feedback_buffer(&self.gpu)?];
        let indices = self.indices(case)?;
        let request = Request {
            indices: indices.as_ref().map_or(0, |indices| indices.1),
            index_size: case.indices.as_ref().map_or(0, |indices| indices.list.len() as u32 * indices.bytes),
            ..bound(request, &captures, case)
        };
        let mut counters = Counters::default();
        let mut draws = Vec::new();
        for _ in 0..case.draws {
            let planned = plan(&request, &counters).expect("the host knows all of it");
            counters = planned.counters;
            let draw = self.with_vertices(planned.draw);
            draws.push((addressed(&self.gpu, bytemuck::cast_slice(&[draw]))?, planned));
        }
        let d = &self.gpu.device;
        // Nothing waits for anything: each draw has its own part of the buffers.
        self.gpu.submit(|c| {
            for ((_, address), planned) in draws.iter().filter(|(_, planned)| planned.groups[0] != 0) {
                // SAFETY: as above.
                unsafe {
                    if form == Form::Gather {
                        self.capture(c, *address);
                        let [x, y, z] = planned.groups;
                        d.cmd_dispatch(c, x, y, z);
                    } else {
                        self.begin(c, self.points);
                        self.push(c, self.push, &address.to_le_bytes());
                        d.cmd_draw(c, planned.draw.vertices, case.instances, 0, 0);
                        d.cmd_end_rendering(c);
                    }
                }
            }
            // SAFETY: the command buffer is being recorded.
            unsafe { self.gpu.barrier(c) };
        })?;
        let result = self.result(&captures, &counters)?;
        self.free(captures.into_iter().chain(indices).chain(draws.into_iter().map(|(buffer, _)| buffer)));
        Ok(result)
    }

    /// Lowered, with a geometry shader: one work group finds out how much there is.
    pub(crate) fn geometry(&self, case: &Case, request: &Request) -> Result<FeedbackSource> {
        let captures = [feedback_buffer(&self.gpu)?, feedback_buffer(&self.gpu)?];
        let indices = self.indices(case)?;
        let counters = addressed(&self.gpu, bytemuck::cast_slice(&[Counters::default()]))?;
        // The draw is planned as if nothing were captured of it; where captures go is asked of another request.
        let drawn = Request {
            indices: indices.as_ref().map_or(0, |indices| indices.1),
            index_size: case.indices.as_ref().map_or(0, |indices| indices.list.len() as u32 * indices.bytes),
            strides: [0; 4],
            ..*request
        };
        let to = Request { counters: counters.1, ..bound(request, &captures, case) };
        let to = addressed(&self.gpu, bytemuck::cast_slice(&[to]))?;
        let planned = plan(&drawn, &Counters::default()).expect("the host knows all of it");
        let draw = Draw { request: to.1, ..self.with_vertices(planned.draw) };
        let draw = addressed(&self.gpu, bytemuck::cast_slice(&[draw]))?;
        self.gpu.submit(|c| {
            for _ in 0..case.draws {
                // SAFETY: as above.
                unsafe {
                    self.capture(c, draw.1);
                    self.gpu.device.cmd_dispatch(c, 1, 1, 1);
                    self.gpu.barrier(c);
                }
            }
        })?;
        let result = self.result(&captures, &self.counters(&counters.0)?)?;
        self.free(captures.into_iter().chain(indices).chain([counters, to, draw]));
        Ok(result)
    }

    fn counters(&self, buffer: &Buffer) -> Result<Counters> {
        Ok(bytemuck::pod_read_unaligned(&bytes(&self.gpu.read(buffer)?)[..size_of::<Counters>()]))
    }

    /// Begins to draw into nothing.
    ///
    /// # Safety
    /// `c` is being recorded, outside of rendering.
    unsafe fn begin(&self, c: vk::CommandBuffer, pipeline: vk::Pipeline) {
        let (d, point) = (&self.gpu.device, vk::PipelineBindPoint::GRAPHICS);
        let area = vk::Rect2D { extent: vk::Extent2D { width: 1, height: 1 }, ..Default::default() };
        let rendering = vk::RenderingInfo::default().render_area(area).layer_count(1);
        // SAFETY: see above; the handles are of this device.
        unsafe {
            d.cmd_begin_rendering(c, &rendering);
            d.cmd_bind_pipeline(c, point, pipeline);
            d.cmd_bind_descriptor_sets(c, point, self.layout, 0, &self.sets, &[]);
            self.push(c, 0, &bytes(&OWN));
        }
    }

    /// Binds the lowered shader for a draw.
    ///
    /// # Safety
    /// `c` is being recorded.
    unsafe fn capture(&self, c: vk::CommandBuffer, draw: u64) {
        let (d, point) = (&self.gpu.device, vk::PipelineBindPoint::COMPUTE);
        // SAFETY: see above; the handles are of this device.
        unsafe {
            d.cmd_bind_pipeline(c, point, self.compute[1]);
            d.cmd_bind_descriptor_sets(c, point, self.layout, 0, &self.sets, &[]);
            self.push(c, 0, &bytes(&OWN));
            self.push(c, self.push, &draw.to_le_bytes());
        }
    }

    /// # Safety
    /// `c` is being recorded, and the bytes end within the 128 that there are.
    unsafe fn push(&self, c: vk::CommandBuffer, at: u32, bytes: &[u8]) {
        // SAFETY: see above.
        unsafe {
            self.gpu.device.cmd_push_constants(c, self.layout, Stages::VERTEX | Stages::COMPUTE, at, bytes);
        }
    }

    fn with_vertices(&self, mut draw: Draw) -> Draw {
        for ((buffer, (_, address)), stride) in draw.vertex_buffers.iter_mut().zip(&self.vertices).zip(STRIDES) {
            *buffer = VertexBuffer { address: *address, stride, bytes: stride * VERTICES };
        }
        draw
    }

    fn result(&self, captures: &[(Buffer, u64); 2], counters: &Counters) -> Result<FeedbackSource> {
        Ok(FeedbackSource {
            buffers: [self.gpu.read(&captures[0].0)?, self.gpu.read(&captures[1].0)?],
            bytes: [counters.bytes[0], counters.bytes[1]],
            needed: counters.needed[0],
            written: counters.written[0],
        })
    }

    fn indices(&self, case: &Case) -> Result<Option<(Buffer, u64)>> {
        let Some(indices) = &case.indices else { return Ok(None) };
        let bytes: Vec<u8> =
            indices.list.iter().flat_map(|index| index.to_le_bytes()[..indices.bytes as usize].to_vec()).collect();
        let words: Vec<u32> = bytes.chunks(4).map(|b| b.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b))).collect();
        addressed(&self.gpu, &words).map(Some)
    }

    /// The arguments of an indirect draw.
    fn arguments(&self, case: &Case) -> Result<(Buffer, u64)> {
        let Case { count, instances, first, vertex_offset, first_instance, .. } = *case;
        let words = match case.indices {
            None => vec![count, instances, first, first_instance],
            Some(_) => vec![count, instances, first, vertex_offset, first_instance],
        };
        addressed(&self.gpu, &words)
    }

    /// The original's pipeline.
    fn original(&self, case: &Case) -> Result<vk::Pipeline> {
        let binding = |binding, rate| vk::VertexInputBindingDescription {
            binding,
            stride: STRIDES[binding as usize],
            input_rate: rate,
        };
        let bindings = [binding(0, vk::VertexInputRate::VERTEX), binding(1, vk::VertexInputRate::INSTANCE)];
        let attribute = |location, binding, format, offset| vk::VertexInputAttributeDescription {
            location,
            binding,
            format,
            offset,
        };
        let attributes = [
            attribute(0, 0, vk::Format::R32G32B32_SFLOAT, 0),
            attribute(1, 0, vk::Format::R8G8B8A8_UNORM, 12),
            attribute(2, 1, vk::Format::R32G32_SFLOAT, 0),
            attribute(4, 0, vk::Format::R16G16_UINT, 16),
        ];
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let topology = vk::PrimitiveTopology::from_raw(case.topology as i32);
        // SAFETY: the handles are of the device.
        unsafe { graphics(&self.gpu.device, self.layout, self.native, &input, topology, case.restart) }
    }

    fn free(&self, buffers: impl IntoIterator<Item = (Buffer, u64)>) {
        for (buffer, _) in buffers {
            self.gpu.free(buffer);
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        let d = &self.gpu.device;
        // SAFETY: every submission was waited for.
        unsafe {
            for module in self.native.into_iter().flatten() {
                d.destroy_shader_module(module, None);
            }
            d.destroy_pipeline(self.points, None);
            for pipeline in self.compute {
                d.destroy_pipeline(pipeline, None);
            }
            d.destroy_descriptor_pool(self.pool, None);
            d.destroy_pipeline_layout(self.layout, None);
            for layout in &self.set_layouts {
                d.destroy_descriptor_set_layout(*layout, None);
            }
        }
        for buffer in self.uniforms.drain(..) {
            self.gpu.free(buffer);
        }
    }
}

/// A pipeline that draws nothing.
///
/// # Safety
/// The handles are of the device.
unsafe fn graphics(
    d: &ash::Device,
    layout: vk::PipelineLayout,
    modules: Modules,
    input: &vk::PipelineVertexInputStateCreateInfo<'_>,
    topology: vk::PrimitiveTopology,
    restart: bool,
) -> Result<vk::Pipeline> {
    let stages: Vec<_> = [Stages::VERTEX, Stages::GEOMETRY]
        .into_iter()
        .zip(modules)
        .filter_map(|(stage, module)| {
            Some(vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module?).name(c"main"))
        })
        .collect();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology).primitive_restart_enable(restart);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().rasterizer_discard_enable(true).line_width(1.0);
    let mut rendering = vk::PipelineRenderingCreateInfo::default();
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(input)
        .input_assembly_state(&assembly)
        .rasterization_state(&raster)
        .layout(layout)
        .push_next(&mut rendering);
    // SAFETY: see above, and what the info points at lives through the call.
    let made = unsafe { d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
    Ok(made.map_err(|(_, error)| error)?[0])
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A buffer with these words that shaders reach by address, and everything else that is done here.
fn addressed(gpu: &Gpu, words: &[u32]) -> Result<(Buffer, u64)> {
    let usage = Usage::SHADER_DEVICE_ADDRESS | Usage::VERTEX_BUFFER | Usage::INDEX_BUFFER | Usage::INDIRECT_BUFFER;
    with_usage(gpu, words, usage)
}

fn with_usage(gpu: &Gpu, words: &[u32], usage: Usage) -> Result<(Buffer, u64)> {
    let buffer = gpu.filled(&bytes(words), usage)?;
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.buffer);
    // SAFETY: the buffer was made for it.
    let address = unsafe { gpu.device.get_buffer_device_address(&info) };
    Ok((buffer, address))
}

fn feedback_buffer(gpu: &Gpu) -> Result<(Buffer, u64)> {
    let usage = Usage::SHADER_DEVICE_ADDRESS | Usage::TRANSFORM_FEEDBACK_BUFFER_EXT;
    with_usage(gpu, &vec![FILL; CAPTURE as usize / 4], usage)
}

/// The request with the bound ranges.
fn bound(request: &Request, captures: &[(Buffer, u64); 2], case: &Case) -> Request {
    let [a, b] = captures.each_ref().map(|(_, address)| *address);
    Request { buffers: [a, b, 0, 0], sizes: [case.sizes[0], case.sizes[1], 0, 0], ..*request }
}
