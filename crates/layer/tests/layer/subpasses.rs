//! Render passes of several subpasses: what one of them stores or captures, and a later one reads.

use crate::client::{Buffer, Client};
use crate::parts::{self, Drawn, NUMBERS, SOURCES, Target, UNTOUCHED, bytes, untouched, words};
use ash::vk::{self, AccessFlags as Access, BufferUsageFlags as Usage, PipelineStageFlags as Stage};
use std::fmt::Write as _;

const VERTICES: u32 = 8;
/// Bytes of a capture buffer.
const CAPTURE: usize = 512;
/// Captures of a case.
const CAPTURES: usize = 3;

/// Something that is recorded.
#[derive(Clone, Copy)]
enum Step {
    /// A draw that is not captured, and stores what a captured draw adds.
    Store,
    /// Likewise, of as many vertices as the second capture has.
    StoreCounted,
    /// A captured draw, which adds what is always the same.
    Capture(usize),
    /// A captured draw, which adds what was stored.
    CaptureStored(usize),
    /// A captured draw of the second capture.
    CaptureSecond(usize),
    /// What was stored is visible to vertex shaders, of the same subpass.
    Barrier,
}

/// How the dependencies of a render pass are said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Generation {
    First,
    Second,
    /// In structures that hang on those of the second.
    Chained,
}

/// From subpass to subpass, stages and accesses.
type Dependency = ([u32; 2], [Stage; 2], [Access; 2]);

/// A render pass. What is recorded in a subpass is in groups: of secondary command buffers each has one.
struct Case {
    name: &'static str,
    generation: Generation,
    secondary: bool,
    dependencies: &'static [Dependency],
    subpasses: &'static [&'static [&'static [Step]]],
}

/// A fragment shader may read what was drawn.
const DRAWN: Dependency = (
    [0, 1],
    [Stage::COLOR_ATTACHMENT_OUTPUT, Stage::FRAGMENT_SHADER],
    [Access::COLOR_ATTACHMENT_WRITE, Access::INPUT_ATTACHMENT_READ],
);
/// What was captured may be drawn.
const CAPTURED: Dependency = (
    [1, 2],
    [Stage::TRANSFORM_FEEDBACK_EXT, Stage::from_raw(Stage::VERTEX_INPUT.as_raw() | Stage::DRAW_INDIRECT.as_raw())],
    [
        Access::from_raw(
            Access::TRANSFORM_FEEDBACK_WRITE_EXT.as_raw() | Access::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT.as_raw(),
        ),
        Access::from_raw(Access::VERTEX_ATTRIBUTE_READ.as_raw() | Access::INDIRECT_COMMAND_READ.as_raw()),
    ],
);
/// A vertex shader may read what another one stored: in the next subpass, and in the same.
const STORED: Dependency =
    ([0, 1], [Stage::VERTEX_SHADER, Stage::VERTEX_SHADER], [Access::SHADER_WRITE, Access::UNIFORM_READ]);
/// What was captured may be drawn in the next subpass.
const COUNTED_BEFORE: Dependency = ([0, 1], CAPTURED.1, CAPTURED.2);
const STORED_WITHIN: Dependency = ([0, 0], STORED.1, STORED.2);

/// Nothing that captured draws read was written in the render pass, but by captures.
const FINE: &[&[&[Step]]] = &[
    &[&[Step::Store], &[Step::Capture(0)]],
    &[&[Step::Capture(1)]],
    &[&[Step::Store, Step::CaptureSecond(2)], &[Step::Store]],
];
/// The second captured draw reads what was stored in the subpass before, the others do not.
const BEHIND: &[&[&[Step]]] =
    &[&[&[Step::Capture(0), Step::Store]], &[&[Step::CaptureStored(1)]], &[&[Step::Capture(2)]]];
/// Likewise in the same subpass.
const WITHIN: &[&[&[Step]]] =
    &[&[&[Step::Capture(0), Step::Store, Step::Barrier], &[Step::CaptureStored(1)]], &[&[Step::Capture(2)]]];
/// Of what was captured is drawn, where it might be something else that was stored.
const COUNTED: &[&[&[Step]]] = &[&[&[Step::Capture(1)]], &[&[Step::StoreCounted]]];

const fn case(
    name: &'static str,
    generation: Generation,
    dependencies: &'static [Dependency],
    subpasses: &'static [&'static [&'static [Step]]],
) -> Case {
    Case { name, generation, secondary: false, dependencies, subpasses }
}

const ALL_FINE: &[Case] = &[
    case("first", Generation::First, &[DRAWN, CAPTURED], FINE),
    case("second", Generation::Second, &[DRAWN, CAPTURED], FINE),
    case("chained", Generation::Chained, &[DRAWN, CAPTURED], FINE),
    Case { secondary: true, ..case("secondary", Generation::First, &[DRAWN, CAPTURED], FINE) },
];
const ALL_BEHIND: &[Case] = &[
    case("first", Generation::First, &[STORED], BEHIND),
    case("second", Generation::Second, &[STORED], BEHIND),
    case("chained", Generation::Chained, &[STORED], BEHIND),
    Case { secondary: true, ..case("secondary", Generation::First, &[STORED], BEHIND) },
    case("within", Generation::First, &[STORED_WITHIN], WITHIN),
    Case { secondary: true, ..case("secondary within", Generation::First, &[STORED_WITHIN], WITHIN) },
    case("counted", Generation::First, &[STORED, COUNTED_BEFORE], COUNTED),
];

struct Rig<'a> {
    client: &'a Client,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    /// One that adds what is always the same, and one that adds what was stored.
    sets: Vec<vk::DescriptorSet>,
    /// The one that is captured, and the one that stores.
    modules: [vk::ShaderModule; 2],
    vertices: Buffer,
    same: Buffer,
    stored: Buffer,
}

/// What a case has.
struct Made<'a> {
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    /// Of each subpass, by module.
    pipelines: Vec<[vk::Pipeline; 2]>,
    captures: &'a [Buffer],
    counter: &'a Buffer,
}

impl<'a> Rig<'a> {
    fn new(client: &'a Client) -> Self {
        let d = &client.device;
        let vertices = client.buffer(Usage::VERTEX_BUFFER, &bytes((0..4 * VERTICES).map(|n| n * 3 + 1)));
        let same = client.buffer(Usage::UNIFORM_BUFFER, &bytes([10, 20, 30, 40]));
        let stored = client.buffer(Usage::UNIFORM_BUFFER | Usage::STORAGE_BUFFER, &bytes([1; 4]));
        // SAFETY: as in the client, here and below.
        unsafe {
            let types = [vk::DescriptorType::UNIFORM_BUFFER, vk::DescriptorType::STORAGE_BUFFER];
            let bindings = [0, 1].map(|n| (n as u32, types[n], vk::ShaderStageFlags::VERTEX));
            let set_layout = parts::set_layout(d, vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
            let set_layout = set_layout.expect("a set layout");
            let layouts = [set_layout; 2];
            let layout = parts::layout(d, &layouts[..1]).expect("a layout");
            let sizes = types.map(|ty| vk::DescriptorPoolSize { ty, descriptor_count: 2 });
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(2).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None).expect("a pool");
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let sets = d.allocate_descriptor_sets(&info).expect("sets");
            for (set, adds) in sets.iter().zip([&same, &stored]) {
                for (n, buffer) in [adds, &stored].into_iter().enumerate() {
                    let info = [vk::DescriptorBufferInfo { buffer: buffer.handle, offset: 0, range: 16 }];
                    let write = vk::WriteDescriptorSet::default()
                        .dst_set(*set)
                        .dst_binding(n as u32)
                        .descriptor_type(types[n])
                        .buffer_info(&info);
                    d.update_descriptor_sets(&[write], &[]);
                }
            }
            let sources = [SOURCES[NUMBERS], include_bytes!("shaders/store.vert.spv")];
            let modules = sources.map(|source| parts::module(d, source).expect("a module"));
            Self { client, set_layout, layout, pool, sets, modules, vertices, same, stored }
        }
    }

    fn destroy(self) {
        let d = &self.client.device;
        // SAFETY: as above; the device is idle.
        unsafe {
            self.modules.iter().for_each(|module| d.destroy_shader_module(*module, None));
            d.destroy_descriptor_pool(self.pool, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
        }
        [self.vertices, self.same, self.stored].into_iter().for_each(|buffer| self.client.destroy(buffer));
    }

    fn pass(&self, case: &Case) -> vk::RenderPass {
        let d = &self.client.device;
        // SAFETY: as above.
        unsafe {
            if case.generation == Generation::First {
                let subpasses = vec![vk::SubpassDescription::default(); case.subpasses.len()];
                let dependency = |&(subpasses, stages, accesses): &Dependency| vk::SubpassDependency {
                    src_subpass: subpasses[0],
                    dst_subpass: subpasses[1],
                    src_stage_mask: stages[0],
                    dst_stage_mask: stages[1],
                    src_access_mask: accesses[0],
                    dst_access_mask: accesses[1],
                    ..Default::default()
                };
                let dependencies: Vec<_> = case.dependencies.iter().map(dependency).collect();
                let info = vk::RenderPassCreateInfo::default().subpasses(&subpasses).dependencies(&dependencies);
                return d.create_render_pass(&info, None).expect("a render pass");
            }
            let wide = |(_, stages, accesses): &Dependency| {
                let stage = |n: usize| vk::PipelineStageFlags2::from_raw(stages[n].as_raw().into());
                let access = |n: usize| vk::AccessFlags2::from_raw(accesses[n].as_raw().into());
                vk::MemoryBarrier2::default()
                    .src_stage_mask(stage(0))
                    .dst_stage_mask(stage(1))
                    .src_access_mask(access(0))
                    .dst_access_mask(access(1))
            };
            let mut barriers: Vec<_> = case.dependencies.iter().map(wide).collect();
            let dependency = |(d, barrier): (&Dependency, &'_ mut vk::MemoryBarrier2<'static>)| {
                let (subpasses, stages, accesses) = *d;
                let dependency = vk::SubpassDependency2::default().src_subpass(subpasses[0]).dst_subpass(subpasses[1]);
                let mut dependency = dependency.src_stage_mask(stages[0]).dst_stage_mask(stages[1]);
                if case.generation == Generation::Chained {
                    // What it says itself would count for nothing.
                    let nothing = Stage::empty();
                    dependency = dependency.src_stage_mask(nothing).dst_stage_mask(nothing);
                    dependency.p_next = std::ptr::from_mut(barrier).cast();
                    return dependency;
                }
                dependency.src_access_mask(accesses[0]).dst_access_mask(accesses[1])
            };
            let dependencies: Vec<_> = case.dependencies.iter().zip(&mut barriers).map(dependency).collect();
            let subpasses = vec![vk::SubpassDescription2::default(); case.subpasses.len()];
            let info = vk::RenderPassCreateInfo2::default().subpasses(&subpasses).dependencies(&dependencies);
            d.create_render_pass2(&info, None).expect("a render pass")
        }
    }

    /// A pipeline that draws nothing to be seen.
    fn pipeline(&self, module: vk::ShaderModule, pass: vk::RenderPass, subpass: u32) -> vk::Pipeline {
        let stages = [parts::stage(vk::ShaderStageFlags::VERTEX, module)];
        let target = Target::Subpass(pass, subpass);
        let drawn = Drawn { stride: 16, target, ..Drawn::points(self.layout, &stages) };
        drawn.pipeline(&self.client.device).expect("a pipeline")
    }

    fn record(&self, c: vk::CommandBuffer, made: &Made<'_>, subpass: usize, steps: &[Step]) {
        let (d, f) = (&self.client.device, &self.client.feedback);
        let pipelines = made.pipelines[subpass];
        let bind = |pipeline: vk::Pipeline, set: usize, vertices: &Buffer| {
            let point = vk::PipelineBindPoint::GRAPHICS;
            // SAFETY: as above.
            unsafe {
                d.cmd_bind_pipeline(c, point, pipeline);
                d.cmd_bind_descriptor_sets(c, point, self.layout, 0, &self.sets[set..=set], &[]);
                d.cmd_bind_vertex_buffers(c, 0, &[vertices.handle], &[0]);
            }
        };
        let counted = || {
            // SAFETY: as above.
            unsafe { (f.cmd_draw_indirect_byte_count_ext)(c, 1, 0, made.counter.handle, 0, 0, 16) };
        };
        let captured = |to: usize, draw: &dyn Fn()| {
            // Of the second capture it is counted how long it is.
            let counter = [made.counter.handle];
            let (count, offset) = (u32::from(to == 1), 0);
            // SAFETY: as above.
            unsafe {
                let size = CAPTURE as u64;
                (f.cmd_bind_transform_feedback_buffers_ext)(c, 0, 1, &made.captures[to].handle, &0, &size);
                (f.cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
                draw();
                (f.cmd_end_transform_feedback_ext)(c, 0, count, counter.as_ptr(), &offset);
            }
        };
        let plain = |count: u32| {
            // SAFETY: as above.
            move || unsafe { d.cmd_draw(c, count, 1, 1, 0) }
        };
        for step in steps {
            match *step {
                Step::Store => {
                    bind(pipelines[1], 0, &self.vertices);
                    plain(1)();
                }
                Step::StoreCounted => {
                    bind(pipelines[1], 0, &self.vertices);
                    counted();
                }
                Step::Capture(to) => {
                    bind(pipelines[0], 0, &self.vertices);
                    captured(to, &plain(4 + to as u32));
                }
                Step::CaptureStored(to) => {
                    bind(pipelines[0], 1, &self.vertices);
                    captured(to, &plain(3));
                }
                Step::CaptureSecond(to) => {
                    bind(pipelines[0], 0, &made.captures[1]);
                    captured(to, &counted);
                }
                Step::Barrier => {
                    let (_, stages, accesses) = STORED;
                    let barrier =
                        [vk::MemoryBarrier::default().src_access_mask(accesses[0]).dst_access_mask(accesses[1])];
                    let none = vk::DependencyFlags::empty();
                    // SAFETY: as above.
                    unsafe { d.cmd_pipeline_barrier(c, stages[0], stages[1], none, &barrier, &[], &[]) };
                }
            }
        }
    }

    /// Runs a case: the captures, how long the second is, and what was stored.
    fn run(&self, case: &Case) -> Vec<Vec<u8>> {
        let (client, d) = (self.client, &self.client.device);
        let filled = untouched(CAPTURE);
        let captures: [Buffer; CAPTURES] =
            [0; CAPTURES].map(|_| client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT | Usage::VERTEX_BUFFER, &filled));
        let usage = Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::INDIRECT_BUFFER;
        let counter = client.buffer(usage, &bytes([0]));
        self.stored.fill(&bytes([1; 4]));
        let pass = self.pass(case);
        // SAFETY: as above.
        unsafe {
            let info = vk::FramebufferCreateInfo::default().render_pass(pass).width(4).height(4).layers(1);
            let framebuffer = d.create_framebuffer(&info, None).expect("a framebuffer");
            let pipelines = (0..case.subpasses.len() as u32)
                .map(|subpass| self.modules.map(|module| self.pipeline(module, pass, subpass)))
                .collect();
            let made = Made { pass, framebuffer, pipelines, captures: &captures, counter: &counter };
            let secondaries: Vec<Vec<_>> = (0..)
                .zip(case.subpasses)
                .map(|(subpass, groups)| {
                    groups
                        .iter()
                        .filter(|_| case.secondary)
                        .map(|group| self.secondary(&made, subpass, group))
                        .collect()
                })
                .collect();
            client.submit(1, |c| {
                let area = vk::Rect2D { extent: vk::Extent2D { width: 4, height: 4 }, ..Default::default() };
                let info = vk::RenderPassBeginInfo::default()
                    .render_pass(made.pass)
                    .framebuffer(made.framebuffer)
                    .render_area(area);
                let contents = if case.secondary {
                    vk::SubpassContents::SECONDARY_COMMAND_BUFFERS
                } else {
                    vk::SubpassContents::INLINE
                };
                let second = case.generation != Generation::First;
                let begin = vk::SubpassBeginInfo::default().contents(contents);
                for (subpass, groups) in case.subpasses.iter().enumerate() {
                    match (subpass, second) {
                        (0, false) => d.cmd_begin_render_pass(c, &info, contents),
                        (0, true) => d.cmd_begin_render_pass2(c, &info, &begin),
                        (_, false) => d.cmd_next_subpass(c, contents),
                        (_, true) => d.cmd_next_subpass2(c, &begin, &vk::SubpassEndInfo::default()),
                    }
                    if case.secondary {
                        d.cmd_execute_commands(c, &secondaries[subpass]);
                    } else {
                        groups.iter().for_each(|group| self.record(c, &made, subpass, group));
                    }
                }
                d.cmd_end_render_pass(c);
                let barrier = [vk::MemoryBarrier::default()
                    .src_access_mask(Access::MEMORY_WRITE)
                    .dst_access_mask(Access::HOST_READ)];
                let none = vk::DependencyFlags::empty();
                d.cmd_pipeline_barrier(c, Stage::ALL_COMMANDS, Stage::HOST, none, &barrier, &[], &[]);
            });
            let used: Vec<_> = secondaries.into_iter().flatten().collect();
            if !used.is_empty() {
                d.free_command_buffers(client.pool, &used);
            }
            made.pipelines.iter().flatten().for_each(|pipeline| d.destroy_pipeline(*pipeline, None));
            d.destroy_framebuffer(framebuffer, None);
            d.destroy_render_pass(pass, None);
        }
        let left = captures.iter().chain([&counter, &self.stored]).map(Buffer::bytes).collect();
        captures.into_iter().chain([counter]).for_each(|buffer| client.destroy(buffer));
        left
    }

    fn secondary(&self, made: &Made<'_>, subpass: u32, steps: &[Step]) -> vk::CommandBuffer {
        let d = &self.client.device;
        let c = self.client.command_buffer(vk::CommandBufferLevel::SECONDARY);
        let inherited = vk::CommandBufferInheritanceInfo::default()
            .render_pass(made.pass)
            .subpass(subpass)
            .framebuffer(made.framebuffer);
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(&inherited);
        // SAFETY: as above.
        unsafe {
            d.begin_command_buffer(c, &info).expect("begun");
            self.record(c, made, subpass as usize, steps);
            d.end_command_buffer(c).expect("ended");
        }
        c
    }
}

/// Captures behind what other subpasses have drawn and captured: what they leave.
pub(crate) fn fine(client: &Client) -> Vec<u8> {
    let rig = Rig::new(client);
    let all = ALL_FINE.iter().flat_map(|case| rig.run(case)).flatten().collect();
    rig.destroy();
    all
}

/// Captures behind what a vertex shader has stored: which of them there are, and whether anything was stored.
pub(crate) fn behind(client: &Client) -> Vec<u8> {
    let rig = Rig::new(client);
    let mut said = String::new();
    for case in ALL_BEHIND {
        let left = rig.run(case);
        let captured = |bytes: &Vec<u8>| words(bytes)[0] != UNTOUCHED;
        let captured: Vec<_> = left[..CAPTURES].iter().map(captured).collect();
        let stored = words(&left[CAPTURES + 1])[0] == 7000;
        writeln!(said, "{}: {captured:?}, {stored}", case.name).expect("a string");
    }
    rig.destroy();
    said.into_bytes()
}
