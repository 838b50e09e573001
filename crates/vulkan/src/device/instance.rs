//! The Vulkan instance: loader, layers, surface extensions, messages of the validation layer.

use crate::error::{Checked, Error, Result};
use crate::options::Options;
use ash::{ext, khr, vk};
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Surface extensions of every platform; those that the loader has are enabled.
const SURFACES: &[&CStr] = &[
    c"VK_KHR_xlib_surface",
    c"VK_KHR_xcb_surface",
    c"VK_KHR_wayland_surface",
    c"VK_KHR_win32_surface",
    c"VK_EXT_metal_surface",
];

/// Messages of the validation layer that are wrong or say nothing about us: name and reason.
const IGNORED: &[(&str, &str)] = &[
    (
        "UNASSIGNED-CoreValidation-Shader-OutputNotConsumed",
        "guests pair shaders freely; a performance hint that newer layers no longer give",
    ),
    (
        "Undefined-Value-ShaderOutputNotConsumed-DynamicRendering",
        "likewise with targets: a colour without one is dropped",
    ),
];

/// Whether an instance has been made. As long as there is one, the loader keeps drivers and layers in memory: a thread that has
/// used NVIDIA's driver runs code of it at its own end, and crashes where that has been unloaded (580.159, H100).
static FIRST_IS_THERE: AtomicBool = AtomicBool::new(false);

/// A Vulkan instance.
pub struct Instance {
    /// The loader.
    pub entry: ash::Entry,
    /// Functions of the instance.
    pub raw: ash::Instance,
    /// Whether VK_KHR_surface is enabled.
    pub surfaces: bool,
    /// Vulkan version that the validation layer was written for, where it is on.
    pub(crate) layer: Option<u32>,
    /// Whether objects can be named.
    pub(crate) debug_names: bool,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    messages: Box<AtomicU64>,
    /// Whether it is never destroyed: the first of a process is not.
    kept: bool,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").field("handle", &self.raw.handle()).finish_non_exhaustive()
    }
}

impl Instance {
    /// Loads Vulkan.
    ///
    /// # Errors
    /// Where there is no loader, it is too old, or the validation layer is asked for and not there.
    pub fn new(options: &Options) -> Result<Self> {
        // SAFETY: the loader library is the system's; its initialisers are as safe as those of any library we link.
        let entry = unsafe { ash::Entry::load() }?;
        // SAFETY: no preconditions.
        let version = unsafe { entry.try_enumerate_instance_version() }
            .checked("vkEnumerateInstanceVersion")?
            .unwrap_or(vk::API_VERSION_1_0);
        if version < vk::API_VERSION_1_3 {
            return Err(Error::OldLoader(version));
        }
        // SAFETY: no preconditions.
        let available = unsafe { entry.enumerate_instance_extension_properties(None) }
            .checked("vkEnumerateInstanceExtensionProperties")?;
        let has = |name: &CStr| available.iter().any(|found| found.extension_name_as_c_str() == Ok(name));
        let mut extensions = Vec::new();
        let surfaces = has(khr::surface::NAME);
        if surfaces {
            extensions.push(khr::surface::NAME.as_ptr());
            extensions.extend(SURFACES.iter().filter(|name| has(name)).map(|name| name.as_ptr()));
        }
        let portability = has(khr::portability_enumeration::NAME);
        if portability {
            extensions.push(khr::portability_enumeration::NAME.as_ptr());
        }
        let (mut layers, mut layer) = (Vec::new(), None);
        if options.validate || options.validate_if_there {
            // SAFETY: no preconditions.
            let found =
                unsafe { entry.enumerate_instance_layer_properties() }.checked("vkEnumerateInstanceLayerProperties")?;
            let name = c"VK_LAYER_KHRONOS_validation";
            match found.iter().find(|layer| layer.layer_name_as_c_str() == Ok(name)) {
                Some(validation) => {
                    layer = Some(validation.spec_version);
                    layers.push(name.as_ptr());
                }
                None if options.validate => return Err(Error::NoValidationLayer),
                None => {}
            }
        }
        layers.extend(options.layers.iter().map(|layer| layer.as_ptr()));
        // Capturing tools such as RenderDoc supply debug utils themselves, so names are given wherever it is there.
        let debug_names = has(ext::debug_utils::NAME) || layer.is_some();
        if debug_names {
            extensions.push(ext::debug_utils::NAME.as_ptr());
        }
        let application = vk::ApplicationInfo::default()
            .application_name(c"Afterimage")
            .engine_name(c"Afterimage")
            .api_version(vk::API_VERSION_1_3);
        let mut info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&extensions)
            .enabled_layer_names(&layers);
        if portability {
            info = info.flags(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR);
        }
        let messages = Box::new(AtomicU64::new(0));
        // SAFETY: every pointer in `info` lives until the end of this function.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(|result| match result {
            // So says the loader where no driver can be loaded, and Wine's where it finds no loader.
            vk::Result::ERROR_INCOMPATIBLE_DRIVER | vk::Result::ERROR_INITIALIZATION_FAILED => Error::NoDriver,
            result => Error::Vulkan { call: "vkCreateInstance", result },
        })?;
        let kept = !FIRST_IS_THERE.swap(true, Ordering::Relaxed);
        let mut instance = Self { entry, raw, surfaces, layer, debug_names, messenger: None, messages, kept };
        if layer.is_some() {
            instance.listen()?;
        }
        Ok(instance)
    }

    fn listen(&mut self) -> Result {
        use vk::DebugUtilsMessageSeverityFlagsEXT as Severity;
        use vk::DebugUtilsMessageTypeFlagsEXT as Type;
        let utils = ext::debug_utils::Instance::new(&self.entry, &self.raw);
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(Severity::WARNING | Severity::ERROR)
            .message_type(Type::VALIDATION | Type::PERFORMANCE | Type::GENERAL)
            .pfn_user_callback(Some(on_message))
            .user_data(std::ptr::from_ref::<AtomicU64>(&self.messages).cast_mut().cast());
        // SAFETY: the counter is boxed and outlives the messenger, which is destroyed in `drop`.
        let messenger =
            unsafe { utils.create_debug_utils_messenger(&info, None) }.checked("vkCreateDebugUtilsMessengerEXT")?;
        self.messenger = Some((utils, messenger));
        Ok(())
    }

    /// Warnings and errors that the validation layer has reported so far.
    #[must_use]
    pub fn validation_messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: every device made from this instance holds an `Arc` of it, so none is left.
        unsafe {
            if let Some((utils, messenger)) = self.messenger.take() {
                utils.destroy_debug_utils_messenger(messenger, None);
            }
            if self.kept {
                std::mem::forget(self.entry.clone());
            } else {
                self.raw.destroy_instance(None);
            }
        }
    }
}

unsafe extern "system" fn on_message(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes valid data for the time of the call, and `user` is the counter given in `listen`.
    let (data, count) = unsafe { (&*data, &*user.cast::<AtomicU64>()) };
    // SAFETY: both are null or zero-terminated strings that live for the time of the call.
    let (name, text) = unsafe { (data.message_id_name_as_c_str(), data.message_as_c_str()) };
    let name = name.unwrap_or(c"").to_string_lossy();
    let text = text.unwrap_or(c"").to_string_lossy();
    // The loader's own remarks (a driver of another width, a missing manifest) are of the type GENERAL.
    if kind == vk::DebugUtilsMessageTypeFlagsEXT::GENERAL && !name.contains("VUID") {
        tracing::debug!("Vulkan loader: {text}");
        return vk::FALSE;
    }
    if IGNORED.iter().any(|(ignored, _)| name == *ignored) {
        return vk::FALSE;
    }
    count.fetch_add(1, Ordering::Relaxed);
    tracing::error!("Vulkan validation ({severity:?} {kind:?}): {text}");
    vk::FALSE
}
