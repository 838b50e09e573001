//! The device, opened with what it has of what the cases use.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use ash::{ext, khr, vk};

use super::{Arguments, Result, Window};

/// What the validation layer has said.
static MESSAGES: AtomicU64 = AtomicU64::new(0);

/// How several draws become one command.
pub(crate) enum Multi {
    /// `vkCmdDrawMultiEXT`, of so many draws at most.
    Direct(ext::multi_draw::Device, u32),
    /// `vkCmdDrawIndirect`, likewise.
    Indirect(u32),
}

/// An open device. The end of the process closes it.
pub(crate) struct Gpu {
    pub(crate) entry: ash::Entry,
    pub(crate) instance: ash::Instance,
    pub(crate) physical: vk::PhysicalDevice,
    pub(crate) device: ash::Device,
    pub(crate) queue: vk::Queue,
    pub(crate) family: u32,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) depth_format: vk::Format,
    pub(crate) name: String,
    /// Dynamic blending, if the device has it.
    pub(crate) blending: Option<ext::extended_dynamic_state3::Device>,
    /// Runs of draws; without `--merged` nothing.
    pub(crate) multi: Option<Multi>,
    validated: bool,
}

impl Gpu {
    /// Opens the device that `AFTERIMAGE_DEVICE` names, or the most capable one.
    ///
    /// # Errors
    /// Where there is none, or it lacks what every case needs.
    pub(crate) fn open(arguments: &Arguments, window: Option<&Window>) -> Result<Self> {
        // SAFETY: the loader library is the system's.
        let entry = unsafe { ash::Entry::load() }?;
        let (mut extensions, mut layers) = (Vec::new(), Vec::new());
        if let Some(window) = window {
            extensions.extend(window.extensions()?);
        }
        if arguments.validate {
            layers.push(c"VK_LAYER_KHRONOS_validation".as_ptr());
            extensions.push(ext::debug_utils::NAME.as_ptr());
        }
        let application = vk::ApplicationInfo::default().application_name(c"floor").api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&extensions)
            .enabled_layer_names(&layers);
        // SAFETY: every pointer in `info` lives through the call.
        let instance = unsafe { entry.create_instance(&info, None) }?;
        if arguments.validate {
            listen(&entry, &instance)?;
        }
        let physical = choose(&instance)?;
        Self::open_on(entry, instance, physical, arguments)
    }

    fn open_on(
        entry: ash::Entry,
        instance: ash::Instance,
        physical: vk::PhysicalDevice,
        arguments: &Arguments,
    ) -> Result<Self> {
        // SAFETY: the device is of this instance, here and below.
        let properties = unsafe { instance.get_physical_device_properties(physical) };
        let name = properties.device_name_as_c_str()?.to_string_lossy().into_owned();
        // SAFETY: as above.
        let found = unsafe { instance.enumerate_device_extension_properties(physical) }?;
        let has = |name: &CStr| found.iter().any(|found| found.extension_name_as_c_str() == Ok(name));

        let mut vulkan11 = vk::PhysicalDeviceVulkan11Features::default();
        let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut states = vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT::default();
        let mut multi = vk::PhysicalDeviceMultiDrawFeaturesEXT::default();
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut vulkan11)
            .push_next(&mut vulkan12)
            .push_next(&mut vulkan13);
        if has(ext::extended_dynamic_state3::NAME) {
            features = features.push_next(&mut states);
        }
        if has(ext::multi_draw::NAME) {
            features = features.push_next(&mut multi);
        }
        // SAFETY: as above; the chain's structures live through the call.
        unsafe { instance.get_physical_device_features2(physical, &mut features) };
        let core = features.features;

        for (there, what) in [
            (vulkan12.buffer_device_address, "bufferDeviceAddress"),
            (vulkan13.dynamic_rendering, "dynamicRendering"),
            (vulkan13.synchronization2, "synchronization2"),
            (core.shader_sampled_image_array_dynamic_indexing, "shaderSampledImageArrayDynamicIndexing"),
        ] {
            if there == vk::FALSE {
                return Err(format!("{name} has no {what}, which every case needs").into());
            }
        }
        let blending =
            states.extended_dynamic_state3_color_blend_enable & states.extended_dynamic_state3_color_blend_equation;
        let runs = arguments.merged;
        if runs {
            let (draw, index) =
                (vulkan11.shader_draw_parameters, vulkan12.shader_sampled_image_array_non_uniform_indexing);
            if draw & index == vk::FALSE || multi.multi_draw | core.multi_draw_indirect == vk::FALSE {
                return Err(format!(
                    "{name} cannot merge draws: that takes multiDraw or multiDrawIndirect, shaderDrawParameters and \
                     shaderSampledImageArrayNonUniformIndexing"
                )
                .into());
            }
        }
        let direct =
            runs && multi.multi_draw == vk::TRUE && !(arguments.indirect && core.multi_draw_indirect == vk::TRUE);

        let mut extensions = Vec::new();
        if blending == vk::TRUE {
            extensions.push(ext::extended_dynamic_state3::NAME.as_ptr());
        }
        if direct {
            extensions.push(ext::multi_draw::NAME.as_ptr());
        }
        if arguments.window {
            extensions.push(khr::swapchain::NAME.as_ptr());
        }
        let core = vk::PhysicalDeviceFeatures {
            shader_sampled_image_array_dynamic_indexing: vk::TRUE,
            multi_draw_indirect: if runs && !direct { vk::TRUE } else { vk::FALSE },
            ..Default::default()
        };
        let mut vulkan11 = vk::PhysicalDeviceVulkan11Features::default().shader_draw_parameters(runs);
        let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default()
            .buffer_device_address(true)
            .shader_sampled_image_array_non_uniform_indexing(runs);
        let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true).synchronization2(true);
        let mut states = vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT::default()
            .extended_dynamic_state3_color_blend_enable(true)
            .extended_dynamic_state3_color_blend_equation(true);
        let mut multi = vk::PhysicalDeviceMultiDrawFeaturesEXT::default().multi_draw(true);
        let family = graphics_family(&instance, physical).ok_or("no queue draws")?;
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
        let mut info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .enabled_features(&core)
            .push_next(&mut vulkan11)
            .push_next(&mut vulkan12)
            .push_next(&mut vulkan13);
        if blending == vk::TRUE {
            info = info.push_next(&mut states);
        }
        if direct {
            info = info.push_next(&mut multi);
        }
        // SAFETY: what is enabled is there, and every pointer in `info` lives through the call.
        let device = unsafe { instance.create_device(physical, &info, None) }?;
        // SAFETY: the family's first queue was asked for; the device is of this instance.
        let (queue, memory) =
            unsafe { (device.get_device_queue(family, 0), instance.get_physical_device_memory_properties(physical)) };
        let multi = runs.then(|| match direct {
            true => Multi::Direct(ext::multi_draw::Device::new(&instance, &device), most_draws(&instance, physical)),
            false => Multi::Indirect(properties.limits.max_draw_indirect_count),
        });
        let blending = (blending == vk::TRUE).then(|| ext::extended_dynamic_state3::Device::new(&instance, &device));
        let depth_format = depth_format(&instance, physical).ok_or("no format has depth and stencil")?;
        let validated = arguments.validate;
        Ok(Self {
            entry,
            instance,
            physical,
            device,
            queue,
            family,
            memory,
            depth_format,
            name,
            blending,
            multi,
            validated,
        })
    }

    /// Fails where the validation layer has said something.
    ///
    /// # Errors
    /// Then.
    pub(crate) fn said_nothing(&self) -> Result {
        // SAFETY: no other thread uses the queue.
        unsafe { self.device.device_wait_idle() }?;
        match MESSAGES.load(Ordering::Relaxed) {
            0 if self.validated => println!("the validation layer says nothing"),
            0 => {}
            count => return Err(format!("{count} messages of the validation layer").into()),
        }
        Ok(())
    }

    /// A type of memory among `bits` with these properties.
    pub(crate) fn memory_type(&self, bits: u32, properties: vk::MemoryPropertyFlags) -> Option<u32> {
        let types = self.memory.memory_types_as_slice();
        let fits = |at: &u32| bits >> at & 1 == 1 && types[*at as usize].property_flags.contains(properties);
        (0..self.memory.memory_type_count).find(fits)
    }
}

/// The device that `AFTERIMAGE_DEVICE` names by its number or a part of its name, else a discrete one before others.
fn choose(instance: &ash::Instance) -> Result<vk::PhysicalDevice> {
    let wanted = std::env::var("AFTERIMAGE_DEVICE").ok().map(|name| name.to_lowercase());
    // SAFETY: no preconditions.
    let devices = unsafe { instance.enumerate_physical_devices() }?;
    let mut usable = Vec::new();
    for (number, device) in devices.into_iter().enumerate() {
        // SAFETY: the device is of this instance.
        let properties = unsafe { instance.get_physical_device_properties(device) };
        let name = properties.device_name_as_c_str()?.to_string_lossy().to_lowercase();
        let named = |wanted: &String| wanted.parse() == Ok(number) || name.contains(wanted.as_str());
        let rank = match properties.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => 0,
            vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
            vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
            _ => 3,
        };
        if properties.api_version >= vk::API_VERSION_1_3 && wanted.as_ref().is_none_or(named) {
            usable.push((rank, device));
        }
    }
    let best = usable.into_iter().min_by_key(|(rank, _)| *rank);
    best.map(|(_, device)| device).ok_or_else(|| "no device has Vulkan 1.3 and the name that is asked for".into())
}

fn graphics_family(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Option<u32> {
    // SAFETY: the device is of this instance.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let draws = |family: &vk::QueueFamilyProperties| family.queue_flags.contains(vk::QueueFlags::GRAPHICS);
    families.iter().position(draws).map(|at| at as u32)
}

/// How many draws a `vkCmdDrawMultiEXT` may have.
fn most_draws(instance: &ash::Instance, physical: vk::PhysicalDevice) -> u32 {
    let mut multi = vk::PhysicalDeviceMultiDrawPropertiesEXT::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut multi);
    // SAFETY: the device is of this instance and has the extension.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    multi.max_multi_draw_count
}

/// What a program's `D3DFMT_D24S8` becomes.
fn depth_format(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Option<vk::Format> {
    [vk::Format::D24_UNORM_S8_UINT, vk::Format::D32_SFLOAT_S8_UINT].into_iter().find(|format| {
        // SAFETY: the device is of this instance.
        let features = unsafe { instance.get_physical_device_format_properties(physical, *format) };
        features.optimal_tiling_features.contains(vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT)
    })
}

/// Has the validation layer's messages printed and counted.
fn listen(entry: &ash::Entry, instance: &ash::Instance) -> Result {
    let messenger = ext::debug_utils::Instance::new(entry, instance);
    let severe = vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING;
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(severe)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(heard));
    // SAFETY: the callback needs nothing that could be gone.
    unsafe { messenger.create_debug_utils_messenger(&info, None) }?;
    Ok(())
}

/// Called with each message.
unsafe extern "system" fn heard(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    message: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    MESSAGES.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the layer passes a message with a text.
    let text = unsafe { CStr::from_ptr((*message).p_message) };
    eprintln!("validation: {}", text.to_string_lossy());
    vk::FALSE
}
