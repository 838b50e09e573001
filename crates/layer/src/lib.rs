//! `VK_LAYER_AFTERIMAGE_transform_feedback`: a Vulkan layer that gives programs `VK_EXT_transform_feedback` on devices that have none.
//!
//! * `loader`: what the loader and the layer say to each other.
//! * `handles`, `chain`, `functions`: objects by handle, chains of structures, functions of the next layer.
//! * `offer`: which devices are given the extension, and what they say of it.
//! * `instance`, `create`: what is intercepted of instances, and how devices are created. A device whose program does not ask for the
//!   extension has the driver's own functions.
//! * `active`, `objects`: what is kept of a device whose program does.
//! * `intercept`: what is intercepted of it.
//! * `record`: command buffers, and how what they capture is done.
//!
//! docs/layer.md says how it is switched on and what it can do.

mod active;
mod barriers;
mod below;
mod chain;
mod commands;
mod create;
mod devices;
mod functions;
mod handles;
mod instance;
mod intercept;
mod loader;
mod log;
mod map;
mod objects;
mod offer;
mod record;
mod scratch;
mod spirv;

use ash::vk;
use loader::{NegotiateLayerInterface, Own};
use std::ffi::CStr;

/// The layer's name.
pub const NAME: &CStr = c"VK_LAYER_AFTERIMAGE_transform_feedback";

/// The layer's manifest, for a library at a path.
pub fn manifest(library: &str) -> String {
    let text = include_str!("../manifest/VkLayer_afterimage_transform_feedback.json");
    text.replace("../../../lib/afterimage/libafterimage_layer.so", library)
}

/// What the loader calls first: which version of the interface is spoken, and where the layer's functions are.
///
/// # Safety
/// The loader calls it, with a structure of its own.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut NegotiateLayerInterface,
) -> vk::Result {
    let own = Own {
        instance: instance::get_instance_proc_addr,
        device: create::get_device_proc_addr,
        physical: instance::get_physical_device_proc_addr,
    };
    // SAFETY: as the caller says.
    unsafe { loader::negotiate(interface, &own) }
}
