//! Nanoseconds that recording a draw takes: without the layer, with it in a program that does not use transform feedback, and in one that
//! does, while nothing is captured; and those that captures take, per vertex of the draw, from submission to end. Ways take turns, each in
//! a process of its own, since layers are an instance's.
//!
//! `cargo bench -p afterimage-layer`

use ash::vk;
use std::process::Command;
use std::time::Instant;

/// Draws of a command buffer.
const DRAWS: u32 = 100_000;
/// Command buffers that a process records; the quickest counts.
const BUFFERS: u32 = 20;
/// Turns of each way; the quickest counts.
const TURNS: u32 = 5;
/// What a process is asked for: whether it uses the extension.
const ASKED: &str = "AFTERIMAGE_LAYER_BENCH";

/// Vertices of a draw that is captured.
const VERTICES: u32 = 100_000;

/// A way: its name, whether the layer is there, and what the program does.
const WAYS: [(&str, bool, &str); 8] = [
    ("no layer", false, "no"),
    ("layer, extension not used", true, "no"),
    ("no layer, extension used", false, "yes"),
    ("layer, extension used", true, "yes"),
    ("no layer, list captured", false, "list"),
    ("layer, list captured", true, "list"),
    ("no layer, strip captured", false, "strip"),
    ("layer, strip captured", true, "strip"),
];

fn main() {
    if let Ok(asked) = std::env::var(ASKED) {
        println!("{}", measure(&asked));
        return;
    }
    // `cargo test` runs benchmarks to see that they do.
    let turns = if std::env::args().any(|argument| argument == "--bench") { TURNS } else { 1 };
    let folder = tempfile::tempdir().expect("a folder");
    let this = std::env::current_exe().expect("a path");
    let library = format!("{}afterimage_layer{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let manifest = afterimage_layer::manifest(&this.with_file_name(library).display().to_string());
    std::fs::write(folder.path().join("VkLayer_afterimage_transform_feedback.json"), manifest).expect("a file");
    let mut best = [f64::INFINITY; WAYS.len()];
    for _ in 0..turns {
        for (best, (name, layer, asked)) in best.iter_mut().zip(WAYS) {
            let mut child = Command::new(&this);
            child.env(ASKED, asked).env("VK_ADD_LAYER_PATH", folder.path()).env("AFTERIMAGE_XFB", "force");
            child.env("VK_INSTANCE_LAYERS", if layer { "VK_LAYER_AFTERIMAGE_transform_feedback" } else { "" });
            let output = child.output().expect("this program");
            let said = String::from_utf8_lossy(&output.stdout);
            let took: f64 = said.trim().parse().unwrap_or_else(|_| panic!("{name}: {said}{}", output.status));
            *best = best.min(took);
        }
    }
    for (best, (name, ..)) in best.iter().zip(WAYS) {
        println!("{name:>26}: {best:.1} ns");
    }
}

/// Nanoseconds of a draw, or of a vertex that is captured.
fn measure(asked: &str) -> f64 {
    let (extension, captures) = (asked != "no", matches!(asked, "list" | "strip"));
    // SAFETY: everything is used as Vulkan has it; the process ends behind it.
    unsafe {
        let entry = ash::Entry::load().expect("a loader");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let instance = entry.create_instance(&info, None).expect("an instance");
        let physical = instance.enumerate_physical_devices().expect("devices")[0];
        let queue = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let mut feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default().transform_feedback(true);
        let mut features = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
        let extensions = [ash::ext::transform_feedback::NAME.as_ptr()];
        let mut info = vk::DeviceCreateInfo::default().queue_create_infos(&queue).push_next(&mut features);
        if extension {
            info = info.enabled_extension_names(&extensions).push_next(&mut feedback);
        }
        let device = instance.create_device(physical, &info, None).expect("a device");
        let bytes = include_bytes!("../../feedback/tests/shaders/place.vert.spv");
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let module =
            device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None).expect("a module");
        let stages = [vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::VERTEX)
            .module(module)
            .name(c"main")];
        let layout = device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None).expect("a layout");
        let bindings = [vk::VertexInputBindingDescription { stride: 8, ..Default::default() }];
        let attributes =
            [vk::VertexInputAttributeDescription { format: vk::Format::R32G32_SFLOAT, ..Default::default() }];
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let strip = asked == "strip";
        let topology = if strip { vk::PrimitiveTopology::TRIANGLE_STRIP } else { vk::PrimitiveTopology::TRIANGLE_LIST };
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let raster =
            vk::PipelineRasterizationStateCreateInfo::default().rasterizer_discard_enable(true).line_width(1.0);
        let mut rendering = vk::PipelineRenderingCreateInfo::default();
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .rasterization_state(&raster)
            .layout(layout)
            .push_next(&mut rendering);
        let pipeline =
            device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None).expect("a pipeline")[0];
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).expect("a pool");
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let buffer = device.allocate_command_buffers(&info).expect("a command buffer")[0];
        let area = vk::Rect2D { extent: vk::Extent2D { width: 1, height: 1 }, ..Default::default() };
        let mut best = f64::INFINITY;
        if captures {
            let memory = instance.get_physical_device_memory_properties(physical);
            let make = |usage, size: u64| {
                let info = vk::BufferCreateInfo::default().usage(usage).size(size);
                let buffer = device.create_buffer(&info, None).expect("a buffer");
                let needs = device.get_buffer_memory_requirements(buffer);
                let near = |n: &u32| {
                    let flags = memory.memory_types[*n as usize].property_flags;
                    needs.memory_type_bits >> n & 1 == 1 && flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
                };
                let ty = (0..memory.memory_type_count).find(near);
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(needs.size)
                    .memory_type_index(ty.expect("a type"));
                let memory = device.allocate_memory(&info, None).expect("memory");
                device.bind_buffer_memory(buffer, memory, 0).expect("bound");
                buffer
            };
            let vertices = make(vk::BufferUsageFlags::VERTEX_BUFFER, 8 * u64::from(VERTICES));
            let size = 16 * 3 * u64::from(VERTICES);
            let target = make(vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT, size);
            let f = ash::ext::transform_feedback::Device::new(&instance, &device);
            let (f, none, nowhere) = (f.fp(), std::ptr::null(), std::ptr::null());
            device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()).expect("begun");
            device.cmd_begin_rendering(buffer, &vk::RenderingInfo::default().render_area(area).layer_count(1));
            device.cmd_bind_pipeline(buffer, vk::PipelineBindPoint::GRAPHICS, pipeline);
            device.cmd_bind_vertex_buffers(buffer, 0, &[vertices], &[0]);
            (f.cmd_bind_transform_feedback_buffers_ext)(buffer, 0, 1, &target, &0, &size);
            (f.cmd_begin_transform_feedback_ext)(buffer, 0, 0, none, nowhere);
            device.cmd_draw(buffer, VERTICES, 1, 0, 0);
            (f.cmd_end_transform_feedback_ext)(buffer, 0, 0, none, nowhere);
            device.cmd_end_rendering(buffer);
            device.end_command_buffer(buffer).expect("ended");
            let (queue, buffers) = (device.get_device_queue(0, 0), [buffer]);
            for _ in 0..BUFFERS {
                let start = Instant::now();
                let info = vk::SubmitInfo::default().command_buffers(&buffers);
                device.queue_submit(queue, &[info], vk::Fence::null()).expect("submitted");
                device.queue_wait_idle(queue).expect("done");
                best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(VERTICES));
            }
            return best;
        }
        for _ in 0..BUFFERS {
            device.reset_command_pool(pool, vk::CommandPoolResetFlags::empty()).expect("reset");
            device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()).expect("begun");
            let start = Instant::now();
            device.cmd_begin_rendering(buffer, &vk::RenderingInfo::default().render_area(area).layer_count(1));
            device.cmd_bind_pipeline(buffer, vk::PipelineBindPoint::GRAPHICS, pipeline);
            for _ in 0..DRAWS {
                device.cmd_draw(buffer, 0, 1, 0, 0);
            }
            device.cmd_end_rendering(buffer);
            best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(DRAWS));
            device.end_command_buffer(buffer).expect("ended");
        }
        best
    }
}
