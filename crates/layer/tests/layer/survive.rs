//! Programs that live on: several devices of an instance, memory that is used up, devices that are lost, layers that are loaded again and again.

use crate::client::{Client, Shared, Wish};
use crate::parts::{self, Drawn, GIVEN, NUMBERS, SOURCES, STREAMS, bytes, rendering, untouched, wait_for_all, words};
use crate::{more, subpasses};
use ash::vk::{self, BufferUsageFlags as Usage, ShaderStageFlags as Stages};
use std::ffi::CStr;
use std::sync::Arc;

/// Bytes of a capture buffer.
const CAPTURE: u64 = 2 << 10;
/// Where the counter is.
static START: u64 = 0;
/// No call fails.
const NEVER: i64 = -1;

/// Devices of one instance, with the extension and without, at the same time and one behind the other: what they leave.
pub(crate) fn devices() -> Vec<u8> {
    let shared = Arc::new(Shared::new());
    let [plain, first, second] = [Wish::Plain, Wish::Feedback, Wish::Feedback].map(|wish| Client::on(&shared, wish));
    // What is not asked for is not there.
    assert!(plain.function(c"vkCmdBeginTransformFeedbackEXT").is_none());
    assert!(first.function(c"vkCmdBeginTransformFeedbackEXT").is_some());
    let mut all = Vec::new();
    for _ in 0..3 {
        std::thread::scope(|scope| {
            let threads = [
                scope.spawn(|| store(&plain)),
                scope.spawn(|| more::run(&first)),
                scope.spawn(|| subpasses::fine(&second)),
            ];
            threads.into_iter().for_each(|thread| all.extend(thread.join().expect("the thread's end")));
        });
    }
    first.finish();
    all.extend(store(&plain));
    all.extend(subpasses::fine(&second));
    plain.finish();
    all.extend(subpasses::fine(&second));
    let third = Client::on(&shared, Wish::Feedback);
    second.finish();
    all.extend(more::run(&third));
    drop(shared);
    third.finish();
    all
}

/// A draw without transform feedback, that stores.
fn store(client: &Client) -> Vec<u8> {
    let d = &client.device;
    let stored = client.buffer(Usage::STORAGE_BUFFER, &bytes([1; 4]));
    let vertices = client.buffer(Usage::VERTEX_BUFFER, &bytes([0; 2]));
    // SAFETY: as in the client, here and below.
    unsafe {
        let pushed = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
        let binding = (1, vk::DescriptorType::STORAGE_BUFFER, Stages::VERTEX);
        let sets = [parts::set_layout(d, pushed, &[binding]).expect("a set layout")];
        let layout = parts::layout(d, &sets).expect("a layout");
        let module = parts::module(d, include_bytes!("shaders/store.vert.spv")).expect("a module");
        let shader = [parts::stage(Stages::VERTEX, module)];
        let pipeline = Drawn::points(layout, &shader).pipeline(d).expect("a pipeline");
        // As a program asks that has no functions of its device.
        let draw = client.shared().function(c"vkCmdDraw").expect("a function");
        let draw = std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCmdDraw>(draw);
        client.submit(1, |c| {
            let info = [vk::DescriptorBufferInfo { buffer: stored.handle, offset: 0, range: 16 }];
            let write = [vk::WriteDescriptorSet::default()
                .dst_binding(1)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(&info)];
            let point = vk::PipelineBindPoint::GRAPHICS;
            d.cmd_bind_pipeline(c, point, pipeline);
            d.cmd_bind_vertex_buffers(c, 0, &[vertices.handle], &[0]);
            (client.push().cmd_push_descriptor_set_khr)(c, point, layout, 0, 1, write.as_ptr());
            rendering(d, c, || draw(c, 1, 1, 0, 0));
        });
        d.destroy_pipeline(pipeline, None);
        d.destroy_shader_module(module, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(sets[0], None);
    }
    let left = stored.bytes();
    assert_eq!(words(&left), [7000, 700, 70, 7]);
    client.destroy(stored);
    client.destroy(vertices);
    left
}

/// What the layer below is told by, if it is there.
#[derive(Clone, Copy)]
struct Faults {
    fail: unsafe extern "system" fn(i64, i32, u32),
    failed: unsafe extern "system" fn() -> u32,
    living: unsafe extern "system" fn() -> i64,
}

impl Faults {
    fn of(client: &Client) -> Option<Self> {
        let find = |name: &CStr| client.function(name);
        // SAFETY: functions of these names have these types.
        unsafe {
            Some(Self {
                fail: std::mem::transmute::<unsafe extern "system" fn(), unsafe extern "system" fn(i64, i32, u32)>(
                    find(c"vkAfterimageTestFail")?,
                ),
                failed: std::mem::transmute::<unsafe extern "system" fn(), unsafe extern "system" fn() -> u32>(find(
                    c"vkAfterimageTestFailed",
                )?),
                living: std::mem::transmute::<unsafe extern "system" fn(), unsafe extern "system" fn() -> i64>(find(
                    c"vkAfterimageTestLiving",
                )?),
            })
        }
    }

    fn set(&self, left: i64, error: vk::Result, forever: bool) {
        // SAFETY: it is the layer's function, and the layer is there as long as the instance.
        unsafe { (self.fail)(left, error.as_raw(), forever.into()) };
    }
}

/// A call that gave an error.
#[derive(Debug)]
struct Broken {
    call: &'static str,
    error: vk::Result,
}

/// Names a call whose error is handed on.
trait Of<T> {
    fn of(self, call: &'static str) -> Result<T, Broken>;
}

impl<T> Of<T> for Result<T, vk::Result> {
    fn of(self, call: &'static str) -> Result<T, Broken> {
        self.map_err(|error| Broken { call, error })
    }
}

impl Broken {
    /// Whether the specification of the call has the error.
    fn is_legal(&self) -> bool {
        use vk::Result as R;
        let waits = ["vkQueueSubmit", "vkQueueWaitIdle", "vkGetQueryPoolResults"].contains(&self.call);
        match self.error {
            R::ERROR_OUT_OF_HOST_MEMORY | R::ERROR_OUT_OF_DEVICE_MEMORY => true,
            R::ERROR_DEVICE_LOST => waits,
            R::ERROR_TOO_MANY_OBJECTS => self.call == "vkAllocateMemory",
            R::ERROR_MEMORY_MAP_FAILED => self.call == "vkMapMemory",
            _ => false,
        }
    }
}

/// Destroys an object.
type Destroy = Box<dyn FnOnce(&ash::Device)>;

/// What a program has made, to be destroyed in the end, however it ends.
struct Undo<'a> {
    client: &'a Client,
    all: Vec<Destroy>,
}

impl Undo<'_> {
    fn add(&mut self, destroy: impl FnOnce(&ash::Device) + 'static) {
        self.all.push(Box::new(destroy));
    }

    /// A buffer in memory that is mapped, and its bytes.
    fn buffer(&mut self, usage: Usage, bytes: &[u8]) -> Result<(vk::Buffer, *const u8), Broken> {
        let (d, memory) = (&self.client.device, self.client.memory());
        // SAFETY: as above.
        unsafe {
            let info = vk::BufferCreateInfo::default().size(bytes.len() as u64).usage(usage);
            let buffer = d.create_buffer(&info, None).of("vkCreateBuffer")?;
            self.add(move |d| d.destroy_buffer(buffer, None));
            let needs = d.get_buffer_memory_requirements(buffer);
            let host = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let fits = |n: &u32| {
                needs.memory_type_bits >> n & 1 == 1 && memory.memory_types[*n as usize].property_flags.contains(host)
            };
            let ty = (0..memory.memory_type_count).find(fits).expect("a type");
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(ty);
            let memory = d.allocate_memory(&info, None).of("vkAllocateMemory")?;
            self.add(move |d| d.free_memory(memory, None));
            d.bind_buffer_memory(buffer, memory, 0).of("vkBindBufferMemory")?;
            let mapped = d.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).of("vkMapMemory")?;
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped.cast(), bytes.len());
            Ok((buffer, mapped.cast()))
        }
    }
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        let d = &self.client.device;
        // SAFETY: as above. A device that is lost is idle, too.
        let _idle_or_lost = unsafe { d.device_wait_idle() };
        self.all.drain(..).rev().for_each(|destroy| destroy(d));
    }
}

const QUERIES: u32 = 2;

/// A program that uses most of what the layer makes objects for, and gives up at the first error, having destroyed everything: what it captures.
fn attempt(client: &Client) -> Result<Vec<u8>, Broken> {
    let (d, f) = (&client.device, &client.feedback);
    let mut undo = Undo { client, all: Vec::new() };
    // SAFETY: as above.
    unsafe {
        let pushed = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
        let binding = (0, vk::DescriptorType::UNIFORM_BUFFER, Stages::VERTEX);
        let sets = [parts::set_layout(d, pushed, &[binding]).of("vkCreateDescriptorSetLayout")?];
        undo.add(move |d| d.destroy_descriptor_set_layout(sets[0], None));
        let layout = parts::layout(d, &sets).of("vkCreatePipelineLayout")?;
        undo.add(move |d| d.destroy_pipeline_layout(layout, None));
        let mut modules = Vec::new();
        for source in &SOURCES[..=STREAMS] {
            let module = parts::module(d, source).of("vkCreateShaderModule")?;
            undo.add(move |d| d.destroy_shader_module(module, None));
            modules.push(module);
        }
        let mut pipelines = Vec::new();
        let kinds: [(&[usize], bool); 3] = [(&[NUMBERS], false), (&[NUMBERS], true), (&[GIVEN, STREAMS], false)];
        for (shaders, dynamic) in kinds {
            let stages: Vec<_> = shaders.iter().map(|n| parts::stage(parts::STAGES[*n], modules[*n])).collect();
            let made = Drawn { dynamic, ..Drawn::points(layout, &stages) }.pipeline(d);
            let made = made.of("vkCreateGraphicsPipelines")?;
            undo.add(move |d| d.destroy_pipeline(made, None));
            pipelines.push(made);
        }
        let (vertices, _) = undo.buffer(Usage::VERTEX_BUFFER, &bytes((0..64).map(|n| n * 3 + 1)))?;
        let (adds, _) = undo.buffer(Usage::UNIFORM_BUFFER, &bytes([5, 6, 7, 8]))?;
        let filled = untouched(CAPTURE as usize);
        let mut captures = Vec::new();
        for _ in 0..4 {
            captures.push(undo.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT | Usage::VERTEX_BUFFER, &filled)?);
        }
        let (arguments, _) = undo.buffer(Usage::INDIRECT_BUFFER, &bytes([3, 1, 1, 0, 4, 2, 0, 0, 1]))?;
        let usage = Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::INDIRECT_BUFFER | Usage::TRANSFER_DST;
        let counter = undo.buffer(usage, &bytes([0]))?;
        let copied = undo.buffer(Usage::TRANSFER_DST, &bytes([0; 12]))?;
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
            .query_count(QUERIES);
        let queries = d.create_query_pool(&info, None).of("vkCreateQueryPool")?;
        undo.add(move |d| d.destroy_query_pool(queries, None));
        let info = vk::CommandPoolCreateInfo::default().flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        let pool = d.create_command_pool(&info, None).of("vkCreateCommandPool")?;
        undo.add(move |d| d.destroy_command_pool(pool, None));
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let c = d.allocate_command_buffers(&info).of("vkAllocateCommandBuffers")?[0];
        d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default()).of("vkBeginCommandBuffer")?;
        d.cmd_reset_query_pool(c, queries, 0, QUERIES);
        let point = vk::PipelineBindPoint::GRAPHICS;
        let info = [vk::DescriptorBufferInfo { buffer: adds, offset: 0, range: 16 }];
        let write =
            [vk::WriteDescriptorSet::default().descriptor_type(vk::DescriptorType::UNIFORM_BUFFER).buffer_info(&info)];
        let begin = |pipeline: usize, to: &[usize], from: vk::Buffer| {
            d.cmd_bind_pipeline(c, point, pipelines[pipeline]);
            (client.push().cmd_push_descriptor_set_khr)(c, point, layout, 0, 1, write.as_ptr());
            d.cmd_bind_vertex_buffers(c, 0, &[from], &[0]);
            let targets: Vec<_> = to.iter().map(|n| captures[*n].0).collect();
            let (count, offsets, sizes) = (to.len() as u32, [0; 2], [CAPTURE; 2]);
            let (targets, offsets, sizes) = (targets.as_ptr(), offsets.as_ptr(), sizes.as_ptr());
            (f.cmd_bind_transform_feedback_buffers_ext)(c, 0, count, targets, offsets, sizes);
            (f.cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
        };
        let end = || (f.cmd_end_transform_feedback_ext)(c, 0, 1, &raw const counter.0, &raw const START);
        let none = vk::QueryControlFlags::empty();
        rendering(d, c, || {
            begin(0, &[0], vertices);
            (f.cmd_begin_query_indexed_ext)(c, queries, 0, none, 0);
            d.cmd_draw(c, 5, 1, 0, 0);
            d.cmd_draw_indirect_count(c, arguments, 0, arguments, 32, 2, 16);
            (f.cmd_end_query_indexed_ext)(c, queries, 0, 0);
            end();
        });
        wait_for_all(d, c);
        let bindings = [vk::VertexInputBindingDescription2EXT::default().stride(8).divisor(1)];
        let attributes = [vk::VertexInputAttributeDescription2EXT::default().format(vk::Format::R32G32_UINT)];
        (client.input().cmd_set_vertex_input_ext)(c, 1, bindings.as_ptr(), 1, attributes.as_ptr());
        rendering(d, c, || {
            begin(1, &[1], captures[0].0);
            (f.cmd_draw_indirect_byte_count_ext)(c, 1, 0, counter.0, 0, 0, 8);
            (f.cmd_end_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
        });
        wait_for_all(d, c);
        rendering(d, c, || {
            begin(2, &[2, 3], vertices);
            (f.cmd_begin_query_indexed_ext)(c, queries, 1, none, 1);
            d.cmd_draw(c, 9, 1, 3, 0);
            (f.cmd_end_query_indexed_ext)(c, queries, 1, 1);
            end();
        });
        wait_for_all(d, c);
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        let flags = flags | vk::QueryResultFlags::WAIT;
        d.cmd_copy_query_pool_results(c, queries, 0, QUERIES, copied.0, 0, 24, flags);
        wait_for_all(d, c);
        d.end_command_buffer(c).of("vkEndCommandBuffer")?;
        let buffers = [c];
        let info = vk::SubmitInfo::default().command_buffers(&buffers);
        d.queue_submit(client.queue, &[info], vk::Fence::null()).of("vkQueueSubmit")?;
        d.queue_wait_idle(client.queue).of("vkQueueWaitIdle")?;
        let mut answers = [[0u64; 2]; QUERIES as usize];
        let wait = vk::QueryResultFlags::WAIT | vk::QueryResultFlags::TYPE_64;
        d.get_query_pool_results(queries, 0, &mut answers, wait).of("vkGetQueryPoolResults")?;
        d.reset_command_buffer(c, vk::CommandBufferResetFlags::empty()).of("vkResetCommandBuffer")?;
        d.reset_command_pool(pool, vk::CommandPoolResetFlags::empty()).of("vkResetCommandPool")?;
        let read = |(_, mapped): &(vk::Buffer, *const u8), size: u64| {
            std::slice::from_raw_parts(*mapped, size as usize).to_vec()
        };
        let mut left: Vec<u8> = captures.iter().flat_map(|capture| read(capture, CAPTURE)).collect();
        left.extend(read(&counter, 4));
        left.extend(answers.iter().flatten().flat_map(|number| number.to_le_bytes()));
        let copied: [u64; 6] = bytemuck::pod_read_unaligned(&read(&copied, 48));
        // (That there is an answer is said by any number but 0.)
        let copied = [copied[0], copied[1], u64::from(copied[2] != 0), copied[3], copied[4], u64::from(copied[5] != 0)];
        left.extend(copied.iter().flat_map(|number| number.to_le_bytes()));
        Ok(left)
    }
}

/// Every call below the layer fails in its turn, for want of memory: the program hears of it as the specification allows, nothing is left over, and
/// what is tried again succeeds.
pub(crate) fn memory() -> Vec<u8> {
    let shared = Arc::new(Shared::new());
    let expected = {
        let client = Client::on(&shared, Wish::Feedback);
        let left = attempt(&client).expect("what nothing fails of");
        client.finish();
        left
    };
    use vk::Result as R;
    for error in [R::ERROR_OUT_OF_HOST_MEMORY, R::ERROR_OUT_OF_DEVICE_MEMORY, R::ERROR_TOO_MANY_OBJECTS] {
        for left in 0.. {
            let client = Client::on(&shared, Wish::Feedback);
            // (Without the layer that fails, there is nothing to be seen.)
            let Some(faults) = Faults::of(&client) else {
                client.finish();
                break;
            };
            faults.set(left, error, false);
            let first = attempt(&client);
            // SAFETY: as above.
            let failed = unsafe { (faults.failed)() };
            faults.set(NEVER, R::SUCCESS, false);
            match &first {
                Ok(bytes) => {
                    assert!(failed == 0 || *bytes == expected, "{left}, {error}: wrong after {failed} that failed");
                }
                Err(broken) => {
                    assert!(failed == 1, "{left}, {error}: {broken:?} of nothing");
                    assert!(broken.is_legal(), "{left}, {error}: {broken:?}");
                }
            }
            let again = attempt(&client);
            assert!(again.as_ref().is_ok_and(|bytes| *bytes == expected), "{left}, {error}: after {first:?}");
            client.finish();
            // SAFETY: as above.
            assert_eq!(unsafe { (faults.living)() }, 0, "{left}, {error}: objects left, after {first:?}");
            if failed == 0 {
                assert!(left > 60, "{left} calls are too few");
                println!("{error}: {left} calls failed, each in its turn");
                break;
            }
        }
    }
    expected
}

/// The device is lost, at every call that can say so in its turn: the program hears of it, and whatever it made it can destroy.
pub(crate) fn lost() -> Vec<u8> {
    let shared = Arc::new(Shared::new());
    let lost = vk::Result::ERROR_DEVICE_LOST;
    if std::env::var_os("AFTERIMAGE_TEST_LOSE_DEVICE").is_some() {
        assert_eq!(shared.device(Wish::Feedback).err(), Some(lost));
    }
    let mut expected = Vec::new();
    for left in 0.. {
        let client = Client::on(&shared, Wish::Feedback);
        let faults = Faults::of(&client);
        if let Some(faults) = &faults {
            faults.set(left, lost, true);
        }
        let first = attempt(&client);
        // SAFETY: as above.
        let failed = faults.is_some_and(|faults| unsafe { (faults.failed)() } > 0);
        if failed && let Err(broken) = &first {
            assert!(broken.error == lost && broken.is_legal(), "{left}: {broken:?}");
            // It stays lost.
            let again = attempt(&client);
            assert!(again.as_ref().is_err_and(|broken| broken.error == lost && broken.is_legal()), "{again:?}");
        }
        client.finish();
        // SAFETY: as above.
        assert_eq!(faults.map_or(0, |faults| unsafe { (faults.living)() }), 0, "{left}: objects left");
        if let Ok(bytes) = first {
            expected = bytes;
        }
        if !failed {
            assert!(faults.is_none() || left > 3, "{left} calls are too few");
            println!("lost at {left} calls, each in its turn");
            break;
        }
    }
    // Another device knows nothing of it.
    let client = Client::on(&shared, Wish::Feedback);
    if let Some(faults) = Faults::of(&client) {
        faults.set(NEVER, vk::Result::SUCCESS, false);
    }
    assert!(attempt(&client).is_ok_and(|bytes| bytes == expected));
    client.finish();
    expected
}

/// How often a layer is loaded; `AFTERIMAGE_LAYER_TEST_TIMES=N` for more, to see what memory grows.
const TIMES: usize = 40;

/// Bytes that are allocated by the process.
#[cfg(target_env = "gnu")]
fn allocated() -> usize {
    #[repr(C)]
    struct Mallinfo2([usize; 10]);
    unsafe extern "C" {
        fn mallinfo2() -> Mallinfo2;
    }
    // SAFETY: the C library's function and structure, of which the fifth is what is mapped by itself and the eighth what is in use.
    let Mallinfo2(all) = unsafe { mallinfo2() };
    all[4] + all[7]
}

#[cfg(not(target_env = "gnu"))]
fn allocated() -> usize {
    0
}

/// Instances and devices that come and go, one behind the other: nothing of the layer is left in between.
pub(crate) fn again() -> Vec<u8> {
    let entries = |folder: &str| std::fs::read_dir(folder).expect("a folder").count();
    let maps = || std::fs::read_to_string("/proc/self/maps").expect("a file");
    let mut all = Vec::new();
    let mut before = None;
    let wished = std::env::var("AFTERIMAGE_LAYER_TEST_TIMES").ok().and_then(|number| number.parse().ok());
    let times = wished.unwrap_or(TIMES);
    let mut half = 0;
    for n in 0..times {
        if n == times / 2 {
            half = allocated();
        }
        let client = Client::new();
        let (there, wanted) = (maps().contains("libafterimage_layer"), std::env::var_os("AFTERIMAGE_XFB").is_some());
        assert_eq!(there, wanted, "{n}: the layer is there");
        let left = attempt(&client).expect("what nothing fails of");
        assert!(n == 0 || all == left, "{n}: it captures the same each time");
        all = left;
        client.finish();
        assert!(!maps().contains("libafterimage_layer"), "{n}: it is still there");
        // The first time, the driver may have started what stays.
        let now = [entries("/proc/self/task"), entries("/proc/self/fd")];
        assert!(n < 2 || before == Some(now), "{n}: threads and files, {before:?} and {now:?}");
        before = Some(now);
    }
    println!("{}{}", crate::BEHIND, allocated().saturating_sub(half) / (times - times / 2));
    all
}
