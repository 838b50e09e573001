//! A small program: a device with the extension, buffers, an image, submissions that are waited for.

use ash::vk;
use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Messages of the validation layer.
static MESSAGES: AtomicU32 = AtomicU32::new(0);

unsafe extern "system" fn message(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer gives a string, and maybe a name.
    let (text, name) = unsafe {
        let name = (*data).p_message_id_name;
        (CStr::from_ptr((*data).p_message), if name.is_null() { c"" } else { CStr::from_ptr(name) })
    };
    eprintln!("{}", text.to_string_lossy());
    if std::env::var(crate::SCENE).as_deref() != Ok(crate::KNOWN.0) || name != crate::KNOWN.1 {
        MESSAGES.fetch_add(1, Ordering::Relaxed);
    }
    vk::FALSE
}

/// A mapped buffer.
pub(crate) struct Buffer {
    pub(crate) handle: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: *mut u8,
    size: usize,
}

impl Buffer {
    /// Writes to it, from the first byte on.
    pub(crate) fn fill(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.size, "it has room");
        // SAFETY: it is mapped as long as it is there, and the device is idle.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.mapped, bytes.len()) };
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        // SAFETY: it is mapped as long as it is there, and the device is idle.
        unsafe { std::slice::from_raw_parts(self.mapped, self.size) }.to_vec()
    }
}

/// Keeps the libraries of a driver in memory that does not bear to be unloaded and loaded again as often as scenes do it.
///
/// NVIDIA's 580.159 can be loaded 30 times in a process, each of which takes room for variables of threads (`cannot allocate memory in static TLS block`);
/// and a thread that ends while another destroys the last instance crashes, in or behind libEGL's function for the end of threads. A program in C that
/// creates and destroys instances and devices, without any layer, does both.
#[cfg(unix)]
pub(crate) fn keep_driver() {
    unsafe extern "C" {
        fn dlopen(name: *const std::ffi::c_char, flags: std::ffi::c_int) -> *mut c_void;
    }
    const NOW: std::ffi::c_int = 2;
    // SAFETY: the C library's function. What it gives is never given back.
    unsafe {
        if !dlopen(c"libGLX_nvidia.so.0".as_ptr(), NOW).is_null() {
            dlopen(c"libEGL.so.1".as_ptr(), NOW);
        }
    }
}

#[cfg(not(unix))]
pub(crate) fn keep_driver() {}

/// An instance, which may have several devices.
pub(crate) struct Shared {
    entry: ash::Entry,
    pub(crate) instance: ash::Instance,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    physical: vk::PhysicalDevice,
    memory: vk::PhysicalDeviceMemoryProperties,
}

/// What a device is created with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Without transform feedback.
    Plain,
    Feedback,
    /// With descriptor buffers, too.
    DescriptorBuffers,
    /// With the commands of `VK_KHR_maintenance6`, too.
    Maintenance6,
    /// With both.
    Both,
    /// With shader objects.
    Objects,
    /// With modules that are named by identifiers.
    Identifiers,
    /// With what is outside of buffers, and buffers that are not there, read as zeros.
    Robust,
}

impl Wish {
    /// Extensions that not every device has.
    pub(crate) fn names(self) -> &'static [&'static CStr] {
        match self {
            Self::Plain | Self::Feedback => &[],
            Self::DescriptorBuffers => &[ash::ext::descriptor_buffer::NAME],
            Self::Maintenance6 => &[ash::khr::maintenance6::NAME],
            Self::Objects => &[ash::ext::shader_object::NAME],
            Self::Identifiers => &[ash::ext::shader_module_identifier::NAME],
            Self::Robust => &[ash::ext::robustness2::NAME],
            Self::Both => &[ash::ext::descriptor_buffer::NAME, ash::khr::maintenance6::NAME],
        }
    }
}

pub(crate) struct Client {
    shared: Arc<Shared>,
    pub(crate) physical: vk::PhysicalDevice,
    pub(crate) device: ash::Device,
    pub(crate) queue: vk::Queue,
    pub(crate) pool: vk::CommandPool,
    /// The extension's functions; those of a device without it are not to be called.
    pub(crate) feedback: ash::ext::transform_feedback::DeviceFn,
}

impl Shared {
    /// With the layers that the process is told of.
    pub(crate) fn new() -> Self {
        Self::with(&std::env::var(crate::LAYERS).unwrap_or_default())
    }

    /// With layers, whose names stand between colons.
    pub(crate) fn with(layers: &str) -> Self {
        // SAFETY: everything is used as Vulkan has it, here and below: the validation layer watches.
        unsafe {
            let entry = ash::Entry::load().expect("a loader");
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let there = entry.enumerate_instance_extension_properties(None).expect("extensions");
            let debug = there.iter().any(|e| e.extension_name_as_c_str() == Ok(ash::ext::debug_utils::NAME));
            let twins = ash::khr::get_physical_device_properties2::NAME;
            let extensions = [twins, ash::ext::debug_utils::NAME].map(CStr::as_ptr);
            let layers = layers.split(':').filter(|name| !name.is_empty());
            let names: Vec<_> = layers.map(|name| CString::new(name).expect("a name")).collect();
            let layers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
            let info = vk::InstanceCreateInfo::default()
                .application_info(&application)
                .enabled_layer_names(&layers)
                .enabled_extension_names(&extensions[..1 + usize::from(debug)]);
            let instance = entry.create_instance(&info, None).expect("an instance");
            let messenger = debug.then(|| {
                use vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Kind};
                let utils = ash::ext::debug_utils::Instance::new(&entry, &instance);
                let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
                    .message_severity(Severity::ERROR | Severity::WARNING)
                    .message_type(Kind::VALIDATION)
                    .pfn_user_callback(Some(message));
                let messenger = utils.create_debug_utils_messenger(&info, None).expect("a messenger");
                (utils, messenger)
            });
            let physical = instance.enumerate_physical_devices().expect("devices")[0];
            let memory = instance.get_physical_device_memory_properties(physical);
            let known = instance.get_physical_device_properties(physical);
            eprintln!("{}{:?}", crate::DEVICE, known.device_type);
            Self { entry, instance, messenger, physical, memory }
        }
    }

    /// Whether the device has an extension.
    pub(crate) fn has(&self, name: &CStr) -> bool {
        // SAFETY: as above.
        let all = unsafe { self.instance.enumerate_device_extension_properties(self.physical) }.expect("extensions");
        all.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
    }

    /// A device, if there is one to be had.
    pub(crate) fn device(&self, wish: Wish) -> Result<ash::Device, vk::Result> {
        // SAFETY: as above.
        unsafe {
            let queue = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let mut feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default()
                .transform_feedback(true)
                .geometry_streams(true);
            let wishes = |name: &CStr| wish.names().contains(&name);
            let addresses = wishes(ash::ext::descriptor_buffer::NAME);
            let mut views = vk::PhysicalDeviceVulkan11Features::default().multiview(true);
            let mut counts = vk::PhysicalDeviceVulkan12Features::default()
                .draw_indirect_count(true)
                .buffer_device_address(addresses);
            let mut libraries =
                vk::PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT::default().graphics_pipeline_library(true);
            let mut input =
                vk::PhysicalDeviceVertexInputDynamicStateFeaturesEXT::default().vertex_input_dynamic_state(true);
            let mut multi = vk::PhysicalDeviceMultiDrawFeaturesEXT::default().multi_draw(true);
            let mut condition =
                vk::PhysicalDeviceConditionalRenderingFeaturesEXT::default().conditional_rendering(true);
            let mut buffers = vk::PhysicalDeviceDescriptorBufferFeaturesEXT::default().descriptor_buffer(true);
            let mut sixth = vk::PhysicalDeviceMaintenance6FeaturesKHR::default().maintenance6(true);
            let robust = wishes(ash::ext::robustness2::NAME);
            let mut second =
                vk::PhysicalDeviceRobustness2FeaturesEXT::default().robust_buffer_access2(true).null_descriptor(true);
            let named = wishes(ash::ext::shader_module_identifier::NAME);
            let mut shaders = vk::PhysicalDeviceShaderObjectFeaturesEXT::default().shader_object(true);
            let mut identifiers =
                vk::PhysicalDeviceShaderModuleIdentifierFeaturesEXT::default().shader_module_identifier(true);
            let core = vk::PhysicalDeviceFeatures::default()
                .robust_buffer_access(robust)
                .draw_indirect_first_instance(true)
                .multi_draw_indirect(true)
                .vertex_pipeline_stores_and_atomics(true)
                .geometry_shader(true)
                .tessellation_shader(true);
            let mut features = vk::PhysicalDeviceVulkan13Features::default()
                .dynamic_rendering(true)
                .synchronization2(true)
                .pipeline_creation_cache_control(named);
            let mut extensions = vec![
                ash::khr::pipeline_library::NAME,
                ash::ext::graphics_pipeline_library::NAME,
                ash::khr::push_descriptor::NAME,
                ash::ext::vertex_input_dynamic_state::NAME,
                ash::ext::multi_draw::NAME,
                ash::ext::conditional_rendering::NAME,
            ];
            let mut info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queue)
                .enabled_features(&core)
                .push_next(&mut features)
                .push_next(&mut views)
                .push_next(&mut counts)
                .push_next(&mut libraries)
                .push_next(&mut input)
                .push_next(&mut multi)
                .push_next(&mut condition);
            if wish != Wish::Plain {
                extensions.push(ash::ext::transform_feedback::NAME);
                info = info.push_next(&mut feedback);
            }
            extensions.extend(wish.names());
            if addresses {
                info = info.push_next(&mut buffers);
            }
            if wishes(ash::ext::shader_object::NAME) {
                info = info.push_next(&mut shaders);
            }
            if named {
                info = info.push_next(&mut identifiers);
            }
            if robust {
                info = info.push_next(&mut second);
            }
            if wishes(ash::khr::maintenance6::NAME) {
                info = info.push_next(&mut sixth);
            }
            let extensions: Vec<_> = extensions.into_iter().map(CStr::as_ptr).collect();
            self.instance.create_device(self.physical, &info.enabled_extension_names(&extensions), None)
        }
    }

    /// A function of an instance, whose type the caller knows.
    pub(crate) fn function(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: as above.
        unsafe { self.entry.get_instance_proc_addr(self.instance.handle(), name.as_ptr()) }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: as above; its devices are gone.
        unsafe {
            if let Some((utils, messenger)) = &self.messenger {
                utils.destroy_debug_utils_messenger(*messenger, None);
            }
            self.instance.destroy_instance(None);
        }
    }
}

impl Client {
    pub(crate) fn new() -> Self {
        Self::on(&Arc::new(Shared::new()), Wish::Feedback)
    }

    /// With a device of an instance that others may have devices of, too.
    pub(crate) fn on(shared: &Arc<Shared>, wish: Wish) -> Self {
        let device = shared.device(wish).expect("a device");
        // SAFETY: as above.
        unsafe {
            let feedback = ash::ext::transform_feedback::Device::new(&shared.instance, &device).fp().clone();
            let queue = device.get_device_queue(0, 0);
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).expect("a pool");
            Self { shared: Arc::clone(shared), physical: shared.physical, device, queue, pool, feedback }
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn is_of_the_processor(&self) -> bool {
        // SAFETY: as above.
        let known = unsafe { self.shared.instance.get_physical_device_properties(self.physical) };
        known.device_type == vk::PhysicalDeviceType::CPU
    }

    /// A function of the device, whose type the caller knows.
    pub(crate) fn function(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: as above.
        unsafe { self.shared.instance.get_device_proc_addr(self.device.handle(), name.as_ptr()) }
    }

    pub(crate) fn memory(&self) -> &vk::PhysicalDeviceMemoryProperties {
        &self.shared.memory
    }

    pub(crate) fn push(&self) -> ash::khr::push_descriptor::DeviceFn {
        ash::khr::push_descriptor::Device::new(&self.shared.instance, &self.device).fp().clone()
    }

    pub(crate) fn multi(&self) -> ash::ext::multi_draw::DeviceFn {
        ash::ext::multi_draw::Device::new(&self.shared.instance, &self.device).fp().clone()
    }

    pub(crate) fn input(&self) -> ash::ext::vertex_input_dynamic_state::DeviceFn {
        ash::ext::vertex_input_dynamic_state::Device::new(&self.shared.instance, &self.device).fp().clone()
    }

    pub(crate) fn condition(&self) -> ash::ext::conditional_rendering::DeviceFn {
        ash::ext::conditional_rendering::Device::new(&self.shared.instance, &self.device).fp().clone()
    }

    /// Who gives the extension, whichever function is asked.
    pub(crate) fn report(&self) -> String {
        let instance = &self.shared.instance;
        let twins = ash::khr::get_physical_device_properties2::Instance::new(&self.shared.entry, instance);
        // Those of Vulkan 1.1, and of the extension that was before it.
        let (first, second) = (instance.fp_v1_1(), twins.fp());
        let asked = [
            (first.get_physical_device_features2, first.get_physical_device_properties2),
            (second.get_physical_device_features2_khr, second.get_physical_device_properties2_khr),
        ];
        // SAFETY: as above.
        unsafe {
            let plain = instance.get_physical_device_properties(self.physical).limits.max_push_constants_size;
            for (features_of, properties_of) in asked {
                let mut features = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default();
                let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut features);
                features_of(self.physical, &mut all);
                let mut own = vk::PhysicalDeviceTransformFeedbackPropertiesEXT::default();
                let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut own);
                properties_of(self.physical, &mut properties);
                let limit = properties.properties.limits.max_push_constants_size;
                assert_eq!((features.transform_feedback, features.geometry_streams), (vk::TRUE, vk::TRUE));
                assert_eq!((own.max_transform_feedback_buffers, limit), (4, plain));
                assert_eq!((own.transform_feedback_draw, own.transform_feedback_queries), (vk::TRUE, vk::TRUE));
            }
        }
        // SAFETY: as above.
        let list = unsafe { instance.enumerate_device_extension_properties(self.physical) }.expect("extensions");
        let named = |name| list.iter().filter(|e| e.extension_name_as_c_str() == Ok(name)).count();
        assert_eq!(named(ash::ext::transform_feedback::NAME), 1);
        let hidden = named(vk::EXT_PRIMITIVES_GENERATED_QUERY_NAME) == 0;
        if hidden { "the layer's".to_owned() } else { "the driver's".to_owned() }
    }

    pub(crate) fn buffer(&self, usage: vk::BufferUsageFlags, bytes: &[u8]) -> Buffer {
        // SAFETY: as above.
        unsafe {
            let d = &self.device;
            let info = vk::BufferCreateInfo::default().size(bytes.len() as u64).usage(usage);
            let handle = d.create_buffer(&info, None).expect("a buffer");
            let needs = d.get_buffer_memory_requirements(handle);
            let host = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let ty = (0..self.shared.memory.memory_type_count).find(|&n| {
                needs.memory_type_bits >> n & 1 == 1
                    && self.shared.memory.memory_types[n as usize].property_flags.contains(host)
            });
            let mut info =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(ty.expect("a type"));
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            if usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS) {
                info = info.push_next(&mut flags);
            }
            let memory = d.allocate_memory(&info, None).expect("memory");
            d.bind_buffer_memory(handle, memory, 0).expect("bound");
            let mapped =
                d.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).expect("mapped").cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped, bytes.len());
            Buffer { handle, memory, mapped, size: bytes.len() }
        }
    }

    pub(crate) fn destroy(&self, buffer: Buffer) {
        // SAFETY: as above; the device is idle.
        unsafe {
            self.device.destroy_buffer(buffer.handle, None);
            self.device.free_memory(buffer.memory, None);
        }
    }

    /// An image to draw to.
    pub(crate) fn image(&self, side: u32) -> (vk::Image, vk::DeviceMemory, vk::ImageView) {
        self.image_for(side, vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC)
    }

    /// An image to be sampled.
    pub(crate) fn texture(&self, side: u32) -> (vk::Image, vk::DeviceMemory, vk::ImageView) {
        self.image_for(side, vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST)
    }

    fn image_for(&self, side: u32, usage: vk::ImageUsageFlags) -> (vk::Image, vk::DeviceMemory, vk::ImageView) {
        // SAFETY: as above.
        unsafe {
            let d = &self.device;
            let format = vk::Format::R8G8B8A8_UNORM;
            let info = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(format)
                .extent(vk::Extent3D { width: side, height: side, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(usage);
            let image = d.create_image(&info, None).expect("an image");
            let needs = d.get_image_memory_requirements(image);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(needs.memory_type_bits.trailing_zeros());
            let memory = d.allocate_memory(&info, None).expect("memory");
            d.bind_image_memory(image, memory, 0).expect("bound");
            let range = vk::ImageSubresourceRange::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .level_count(1)
                .layer_count(1);
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(format)
                .subresource_range(range);
            (image, memory, d.create_image_view(&info, None).expect("a view"))
        }
    }

    pub(crate) fn command_buffer(&self, level: vk::CommandBufferLevel) -> vk::CommandBuffer {
        let info =
            vk::CommandBufferAllocateInfo::default().command_pool(self.pool).level(level).command_buffer_count(1);
        // SAFETY: as above.
        unsafe { self.device.allocate_command_buffers(&info).expect("a command buffer")[0] }
    }

    /// Records a command buffer, and waits until it is executed: twice, so that nothing of the first time is left.
    pub(crate) fn submit(&self, times: u32, record: impl FnOnce(vk::CommandBuffer)) {
        // SAFETY: as above.
        unsafe {
            let buffer = self.command_buffer(vk::CommandBufferLevel::PRIMARY);
            self.device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()).expect("begun");
            record(buffer);
            self.device.end_command_buffer(buffer).expect("ended");
            let buffers = [buffer];
            let info = vk::SubmitInfo::default().command_buffers(&buffers);
            for _ in 0..times {
                self.device.queue_submit(self.queue, &[info], vk::Fence::null()).expect("submitted");
                self.device.queue_wait_idle(self.queue).expect("done");
            }
            self.device.free_command_buffers(self.pool, &buffers);
        }
    }

    /// Ends: nobody may have complained.
    pub(crate) fn finish(self) {
        // SAFETY: as above; what was made was destroyed.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
        }
        drop(self);
        assert_eq!(MESSAGES.load(Ordering::Relaxed), 0, "messages of the validation layer");
    }
}
