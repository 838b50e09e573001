//! What the loader and a layer say to each other: the structures of `vk_layer.h`, which `ash` does not have.
//!
//! Source: "Vulkan Loader - Layer Interface" of the Vulkan-Loader's documentation, layer interface version 2.

use ash::vk;
use std::ffi::{c_char, c_void};

/// The version of the interface that this layer speaks, and the least that it needs: the loader of Vulkan 1.0.61 and later.
const INTERFACE: u32 = 2;

/// `PFN_GetPhysicalDeviceProcAddr`.
pub(crate) type GetPhysicalDeviceProcAddr =
    unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
#[derive(Debug)]
pub struct NegotiateLayerInterface {
    /// `LAYER_NEGOTIATE_INTERFACE_STRUCT`.
    pub s_type: u32,
    /// Null.
    pub next: *mut c_void,
    /// In: the newest that the loader speaks. Out: the one that is spoken.
    pub version: u32,
    /// The layer's `vkGetInstanceProcAddr`.
    pub get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    /// The layer's `vkGetDeviceProcAddr`.
    pub get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    /// The layer's `vk_layerGetPhysicalDeviceProcAddr`.
    pub get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

/// `LAYER_NEGOTIATE_INTERFACE_STRUCT`.
const NEGOTIATE: u32 = 1;

/// `VK_LAYER_LINK_INFO`, of `VkLayerFunction`.
const LINK_INFO: u32 = 0;

/// `VkLayerInstanceLink`.
#[repr(C)]
pub(crate) struct InstanceLink {
    next: *mut Self,
    pub(crate) get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub(crate) get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

/// `VkLayerDeviceLink`.
#[repr(C)]
pub(crate) struct DeviceLink {
    next: *mut Self,
    pub(crate) get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub(crate) get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
}

/// `VkLayerInstanceCreateInfo` and `VkLayerDeviceCreateInfo`, as far as they are a `VK_LAYER_LINK_INFO`.
#[repr(C)]
struct LayerCreateInfo<Link> {
    s_type: vk::StructureType,
    next: *const c_void,
    function: u32,
    link: *mut Link,
}

/// A link of the chain of layers: what stands behind itself.
trait Link: Sized {
    const TYPE: vk::StructureType;
    fn behind(&self) -> *mut Self;
}

impl Link for InstanceLink {
    const TYPE: vk::StructureType = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
    fn behind(&self) -> *mut Self {
        self.next
    }
}

impl Link for DeviceLink {
    const TYPE: vk::StructureType = vk::StructureType::LOADER_DEVICE_CREATE_INFO;
    fn behind(&self) -> *mut Self {
        self.next
    }
}

/// The functions of a layer that the loader asks others of.
pub(crate) struct Own {
    pub(crate) instance: vk::PFN_vkGetInstanceProcAddr,
    pub(crate) device: vk::PFN_vkGetDeviceProcAddr,
    pub(crate) physical: GetPhysicalDeviceProcAddr,
}

/// `vkNegotiateLoaderLayerInterfaceVersion`, of a layer.
///
/// # Safety
/// `interface` is the loader's.
pub(crate) unsafe fn negotiate(interface: *mut NegotiateLayerInterface, own: &Own) -> vk::Result {
    // SAFETY: the loader's structure, which nobody else uses now.
    let Some(interface) = (unsafe { interface.as_mut() }) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    if interface.s_type != NEGOTIATE || interface.version < INTERFACE {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    interface.version = INTERFACE;
    interface.get_instance_proc_addr = Some(own.instance);
    interface.get_device_proc_addr = Some(own.device);
    interface.get_physical_device_proc_addr = Some(own.physical);
    vk::Result::SUCCESS
}

/// What stands below when an instance is created: its functions, and its `vkCreateInstance`.
///
/// # Safety
/// `info` is what the loader gave to this layer's; what comes back is valid for that call.
pub(crate) unsafe fn below_instance<'a>(
    info: *const vk::InstanceCreateInfo<'_>,
) -> Option<(&'a InstanceLink, vk::PFN_vkCreateInstance)> {
    // SAFETY: as the caller says, and a function of this name has this type.
    unsafe {
        let link = take_link::<InstanceLink>((*info).p_next)?;
        let create = (link.get_instance_proc_addr)(vk::Instance::null(), c"vkCreateInstance".as_ptr())?;
        Some((link, std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateInstance>(create)))
    }
}

/// Likewise for a device of an instance.
///
/// # Safety
/// As above, and the instance is alive.
pub(crate) unsafe fn below_device<'a>(
    instance: vk::Instance,
    info: *const vk::DeviceCreateInfo<'_>,
) -> Option<(&'a DeviceLink, vk::PFN_vkCreateDevice)> {
    // SAFETY: as above.
    unsafe {
        let link = take_link::<DeviceLink>((*info).p_next)?;
        let create = (link.get_instance_proc_addr)(instance, c"vkCreateDevice".as_ptr())?;
        Some((link, std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateDevice>(create)))
    }
}

/// Takes this layer's link out of a create info's chain, so that the next layer finds its own.
///
/// # Safety
/// `chain` is the `pNext` that the loader gave to `vkCreateInstance` or `vkCreateDevice`; what comes back is valid for that call.
unsafe fn take_link<'a, L: Link>(chain: *const c_void) -> Option<&'a L> {
    let mut at = chain.cast_mut().cast::<LayerCreateInfo<L>>();
    // SAFETY: every structure of a chain begins with a type and a pointer to the next; those of this type are the loader's own, which it
    // lets layers write to, and a link info has a link.
    unsafe {
        while !at.is_null() {
            if (*at).s_type == L::TYPE && (*at).function == LINK_INFO {
                let link = (*at).link.as_ref()?;
                (*at).link = link.behind();
                return Some(link);
            }
            at = (*at).next.cast_mut().cast();
        }
    }
    None
}
