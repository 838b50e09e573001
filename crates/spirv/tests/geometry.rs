//! Geometry shaders on the device: what the driver captures, and what the lowered shader stores there, is what the interpreter says.

#[path = "gpu/mod.rs"]
mod gpu;
#[path = "../../passes/tests/primitives/mod.rs"]
mod primitives;

use afterimage_ir::{Module, OutputPrimitive, Stage};
use afterimage_passes::feedback::block::{Counters, Draw, Request, VertexBuffer};
use afterimage_passes::feedback::table::{Provoking, TABLE};
use afterimage_passes::feedback::{lower_geometry, plan, strides};
use afterimage_passes::{FloatRules, optimize};
use afterimage_spirv::{Artifact, emit};
use ash::vk;
use gpu::{Buffer, Gpu};
use primitives::{Captured, Case, FILL, all_vertices, attribute, attributes, case, expected, strips, vertex};

/// Vertices in the vertex buffer, and the bytes of one.
const VERTICES: u32 = 200;
const STRIDE: u32 = 12;

fn vertices() -> Vec<u32> {
    (0..VERTICES).flat_map(|vertex| [7, attribute(vertex)[0], attribute(vertex)[1]]).collect()
}

/// The registers that the model's environment has.
fn constants(artifact: &Artifact) -> Vec<[u32; 4]> {
    let segments = artifact.reflection.segments.iter();
    segments.flat_map(|s| (s.first..s.first + s.count).map(|index| [index, s.bank.into(), 7, 9])).collect()
}

fn write(gpu: &Gpu, module: &Module) -> Artifact {
    let mut best = module.clone();
    optimize(&mut best, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    emit(&best, &gpu.options).unwrap_or_else(|error| panic!("{error}\n{best}"))
}

/// A buffer for everything, with its address.
fn buffer(gpu: &Gpu, bytes: &[u8]) -> gpu::Result<(Buffer, u64)> {
    let feedback = if gpu.feedback.is_some() {
        vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT
            | vk::BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT
    } else {
        vk::BufferUsageFlags::empty()
    };
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::VERTEX_BUFFER | feedback;
    let buffer = gpu.filled(bytes, usage)?;
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.buffer);
    // SAFETY: the buffer was made for it.
    let address = unsafe { gpu.device.get_buffer_device_address(&info) };
    Ok((buffer, address))
}

/// The buffers of feedback, filled.
fn targets(gpu: &Gpu, case: &Case) -> gpu::Result<Vec<(Buffer, u64)>> {
    case.sizes.iter().map(|&size| buffer(gpu, bytemuck::cast_slice(&vec![FILL; size as usize / 4]))).collect()
}

fn read(gpu: &Gpu, targets: &[(Buffer, u64)], case: &Case) -> gpu::Result<[Vec<u32>; 4]> {
    let mut all: [Vec<u32>; 4] = Default::default();
    for (n, (buffer, _)) in targets.iter().enumerate() {
        all[n] = gpu.read(buffer)?;
        all[n].truncate(case.sizes[n] as usize / 4);
    }
    Ok(all)
}

/// The draw through the driver's transform feedback.
fn native(gpu: &Gpu, geometry: &Module, case: &Case) -> gpu::Result<Captured> {
    let (d, feedback) = (&gpu.device, gpu.feedback.as_ref().expect("asked for").fp());
    let (first, second) = (write(gpu, &vertex()), write(gpu, geometry));
    let (constants_1, address_1) = gpu.registers(&constants(&first))?;
    let (constants_2, address_2) = gpu.registers(&constants(&second))?;
    let targets = targets(gpu, case)?;
    let (attributes, _) = buffer(gpu, bytemuck::cast_slice(&vertices()))?;
    let (counters, _) = buffer(gpu, bytemuck::cast_slice(&case.used))?;
    let strides = strides(geometry);
    let mut push = [0u64; 16];
    (push[0], push[3]) = (address_1, address_2);
    // SAFETY: what is made is valid and used as Vulkan asks for, the modules keep to the buffers, and all is destroyed after the
    // submission is done.
    unsafe {
        let both = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::GEOMETRY;
        let range = [vk::PushConstantRange { stage_flags: both, offset: 0, size: 128 }];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&range);
        let layout = d.create_pipeline_layout(&info, None)?;
        let module = |words| d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None);
        let modules = [module(&first.words)?, module(&second.words)?];
        let stage =
            |module, stage| vk::PipelineShaderStageCreateInfo::default().module(module).stage(stage).name(c"main");
        let stages =
            [stage(modules[0], vk::ShaderStageFlags::VERTEX), stage(modules[1], vk::ShaderStageFlags::GEOMETRY)];
        let binding = [vk::VertexInputBindingDescription::default().stride(STRIDE)];
        let attribute =
            [vk::VertexInputAttributeDescription::default().location(5).format(vk::Format::R32G32_UINT).offset(4)];
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&binding)
            .vertex_attribute_descriptions(&attribute);
        let topology = vk::PrimitiveTopology::from_raw(case.topology as i32);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let raster =
            vk::PipelineRasterizationStateCreateInfo::default().rasterizer_discard_enable(true).line_width(1.0);
        let mode = match case.provoking {
            Provoking::First => vk::ProvokingVertexModeEXT::FIRST_VERTEX,
            Provoking::Last => vk::ProvokingVertexModeEXT::LAST_VERTEX,
        };
        let mut order =
            vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default().provoking_vertex_mode(mode);
        let raster = if gpu.provoking_last { raster.push_next(&mut order) } else { raster };
        let mut rendering = vk::PipelineRenderingCreateInfo::default();
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .rasterization_state(&raster)
            .layout(layout)
            .push_next(&mut rendering);
        let made = d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        let pipeline = made.map_err(|(_, error)| error)?[0];
        let info =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT).query_count(4);
        let queries = d.create_query_pool(&info, None)?;
        gpu.submit(|c| {
            d.cmd_reset_query_pool(c, queries, 0, 4);
            let extent = vk::Extent2D { width: 1, height: 1 };
            let area = vk::Rect2D { extent, ..Default::default() };
            d.cmd_begin_rendering(c, &vk::RenderingInfo::default().render_area(area).layer_count(1));
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
            d.cmd_push_constants(c, layout, both, 0, bytemuck::cast_slice(&push));
            d.cmd_bind_vertex_buffers(c, 0, &[attributes.buffer], &[0]);
            for n in (0..4).filter(|&n| strides[n] != 0) {
                let sizes = [u64::from(case.sizes[n])];
                let (target, zero) = (targets[n].0.buffer, 0);
                (feedback.cmd_bind_transform_feedback_buffers_ext)(c, n as u32, 1, &target, &zero, sizes.as_ptr());
            }
            for stream in 0..4 {
                let none = vk::QueryControlFlags::empty();
                (feedback.cmd_begin_query_indexed_ext)(c, queries, stream, none, stream);
            }
            let of = |stride: u32| if stride == 0 { vk::Buffer::null() } else { counters.buffer };
            let (buffers, offsets) = (strides.map(of), [0, 4, 8, 12]);
            (feedback.cmd_begin_transform_feedback_ext)(c, 0, 4, buffers.as_ptr(), offsets.as_ptr());
            let run = &case.runs[0];
            let first = run.first().copied().unwrap_or(0);
            d.cmd_draw(c, run.len() as u32, case.instances, first, case.first_instance);
            (feedback.cmd_end_transform_feedback_ext)(c, 0, 4, buffers.as_ptr(), offsets.as_ptr());
            for stream in 0..4 {
                (feedback.cmd_end_query_indexed_ext)(c, queries, stream, stream);
            }
            d.cmd_end_rendering(c);
            gpu.barrier(c);
        })?;
        let mut counted = [[0u64; 2]; 4];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        d.get_query_pool_results(queries, 0, &mut counted, flags)?;
        let bytes = gpu.read(&counters)?;
        let out = Captured {
            buffers: read(gpu, &targets, case)?,
            bytes: std::array::from_fn(|n| if strides[n] == 0 { case.used[n] } else { bytes[n] }),
            needed: counted.map(|pair| pair[1]),
            written: counted.map(|pair| pair[0]),
        };
        d.destroy_query_pool(queries, None);
        d.destroy_pipeline(pipeline, None);
        modules.into_iter().for_each(|module| d.destroy_shader_module(module, None));
        d.destroy_pipeline_layout(layout, None);
        let buffers = targets.into_iter().map(|target| target.0);
        buffers.chain([attributes, counters, constants_1, constants_2]).for_each(|buffer| gpu.free(buffer));
        Ok(out)
    }
}

/// The draw by the lowered shader.
fn lowered(gpu: &Gpu, geometry: &Module, case: &Case) -> gpu::Result<Captured> {
    let d = &gpu.device;
    let module = lower_geometry(&vertex(), geometry, &attributes(), case.provoking).expect("it can be lowered");
    assert_eq!(module.stage, Stage::Compute);
    let shader = emit(&module, &gpu.options).expect("valid");
    let (registers, constants_at) = gpu.registers(&constants(&shader))?;
    let targets = targets(gpu, case)?;
    let (attributes, attributes_at) = buffer(gpu, bytemuck::cast_slice(&vertices()))?;
    let start = Counters { bytes: case.used, ..Counters::default() };
    let (counters, counters_at) = buffer(gpu, bytemuck::bytes_of(&start))?;
    let mut buffers = [0; 4];
    (0..4).for_each(|n| buffers[n] = targets[n].1);
    let request =
        Request { counters: counters_at, buffers, sizes: case.sizes, strides: strides(geometry), ..Request::default() };
    let (request_of_it, request_at) = buffer(gpu, bytemuck::bytes_of(&request))?;
    let run = &case.runs[0];
    let drawn = Request {
        row: TABLE[case.topology as usize].words(case.provoking),
        first: run.first().copied().unwrap_or(0),
        count: run.len() as u32,
        instances: case.instances,
        first_instance: case.first_instance,
        ..Request::default()
    };
    let mut draw = Draw { request: request_at, ..plan(&drawn, &Counters::default()).expect("direct").draw };
    draw.vertex_buffers[3] = VertexBuffer { address: attributes_at, stride: STRIDE, bytes: STRIDE * VERTICES };
    let (draw, draw_at) = buffer(gpu, bytemuck::bytes_of(&draw))?;
    let mut push = [0u64; 16];
    (push[0], push[1]) = (draw_at, constants_at);
    // SAFETY: as in `native`.
    unsafe {
        let stages = vk::ShaderStageFlags::COMPUTE;
        let range = [vk::PushConstantRange { stage_flags: stages, offset: 0, size: 128 }];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&range);
        let layout = d.create_pipeline_layout(&info, None)?;
        let module = d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&shader.words), None)?;
        let stage = vk::PipelineShaderStageCreateInfo::default().stage(stages).module(module).name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let made = d.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        let pipeline = made.map_err(|(_, error)| error)?[0];
        gpu.submit(|c| {
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline);
            d.cmd_push_constants(c, layout, stages, 0, bytemuck::cast_slice(&push));
            d.cmd_dispatch(c, 1, 1, 1);
            gpu.barrier(c);
        })?;
        d.destroy_pipeline(pipeline, None);
        d.destroy_shader_module(module, None);
        d.destroy_pipeline_layout(layout, None);
    }
    let counted: Counters =
        bytemuck::pod_read_unaligned(&bytemuck::cast_slice::<u32, u8>(&gpu.read(&counters)?)[..size_of::<Counters>()]);
    let (needed, written) = (counted.needed, counted.written);
    let out = Captured { buffers: read(gpu, &targets, case)?, bytes: counted.bytes, needed, written };
    let buffers = targets.into_iter().map(|target| target.0);
    buffers.chain([attributes, counters, request_of_it, draw, registers]).for_each(|buffer| gpu.free(buffer));
    Ok(out)
}

/// As devices take it that have several streams of points alone: what goes into the third is left out.
fn in_one_stream(mut geometry: Module) -> Module {
    if geometry.geometry.is_some_and(|decl| decl.output != OutputPrimitive::Points) {
        geometry.feedback.retain(|capture| capture.stream == 0);
        let of_others = |module: &Module, inst: &afterimage_ir::Inst| matches!(module.inst(*inst).imm, afterimage_ir::Imm::Stream(stream) if stream != 0);
        for region in 0..geometry.regions.len() {
            let insts = geometry.regions[region].insts.clone();
            geometry.regions[region].insts = insts.into_iter().filter(|inst| !of_others(&geometry, inst)).collect();
        }
    }
    geometry
}

#[test]
fn captures_of_geometry_shaders_are_the_interpreters() {
    let gpu = Gpu::new();
    if !gpu.options.features.geometry {
        eprintln!("{} has no geometry shaders", gpu.name);
        return;
    }
    let shaders = [
        (all_vertices("points", 1), &[0][..]),
        (all_vertices("lines", 2), &[1, 2]),
        (all_vertices("triangles", 3), &[3, 4, 5]),
        (all_vertices("lines_adjacency", 4), &[6, 7]),
        (all_vertices("triangles_adjacency", 6), &[8, 9]),
        (strips("points", "points", 14, 1), &[0]),
        (strips("points", "line_strip", 7, 3), &[0]),
        (strips("points", "triangle_strip", 7, 2), &[0]),
        (strips("triangles", "triangle_strip", 7, 2), &[3, 4, 5]),
    ];
    eprintln!("{}: natively {}, last vertex {}", gpu.name, gpu.feedback.is_some(), gpu.provoking_last);
    let orders = if gpu.provoking_last { &[Provoking::First, Provoking::Last][..] } else { &[Provoking::First] };
    for (geometry, topologies) in shaders {
        let geometry = in_one_stream(geometry);
        for (&topology, provoking) in topologies.iter().flat_map(|topology| orders.iter().map(move |o| (topology, *o)))
        {
            let plain = case(topology, provoking, 40);
            let mut cases: Vec<Case> =
                [0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12].map(|n| case(topology, provoking, n)).to_vec();
            cases.push(Case { instances: 3, first_instance: 2, ..plain.clone() });
            cases.push(Case { sizes: [480, 640, 0, 4096], used: [48, 24, 0, 36], ..plain.clone() });
            cases.push(Case { sizes: [4096, 16, 0, 124], ..plain });
            for case in &cases {
                let wanted = expected(&vertex(), &geometry, case);
                assert_eq!(lowered(&gpu, &geometry, case).unwrap(), wanted, "lowered, on {}: {case:?}", gpu.name);
                if gpu.feedback.is_some() {
                    assert_eq!(native(&gpu, &geometry, case).unwrap(), wanted, "on {}: {case:?}", gpu.name);
                }
            }
        }
    }
}
