//! Instances, and what their physical devices say.

use crate::functions::{InstanceFunctions, erased, key};
use crate::handles::Handles;
use crate::loader::{GetPhysicalDeviceProcAddr, below_instance};
use crate::offer::{self, Offer};
use crate::{NAME, create, devices, intercept, log, record};
use afterimage_config::{Feedback, Settings, Surroundings};
use ash::vk::{self, Handle as _};
use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::{Mutex, PoisonError};

static INSTANCES: Handles<Instance> = Handles::new();

pub(crate) struct Instance {
    handle: vk::Instance,
    next: vk::PFN_vkGetInstanceProcAddr,
    next_physical: Option<GetPhysicalDeviceProcAddr>,
    /// Asked for when the instance was created: later the loader's answer is the first layer's function.
    destroy: vk::PFN_vkVoidFunction,
    extensions: vk::PFN_vkVoidFunction,
    /// None where the driver is too old for anything to be done.
    functions: Option<InstanceFunctions>,
    mode: Feedback,
    offers: Mutex<HashMap<vk::PhysicalDevice, Offer>>,
}

impl Instance {
    /// The instance of a handle of an instance or a physical device.
    ///
    /// # Safety
    /// The handle is valid, and stays so as long as the reference is used.
    pub(crate) unsafe fn of<'a>(handle: u64) -> Option<&'a Self> {
        // SAFETY: as the caller says.
        unsafe { INSTANCES.get(key(handle)) }
    }

    fn next(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the instance is alive as long as it is known.
        unsafe { (self.next)(self.handle, name.as_ptr()) }
    }

    /// What the layer makes of a physical device, if it does anything.
    ///
    /// # Safety
    /// The device is one of this instance's.
    pub(crate) unsafe fn offer(&self, physical: vk::PhysicalDevice) -> Option<Offer> {
        let functions = self.functions.as_ref()?;
        let mut offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as the caller says.
        let offer = offers.entry(physical).or_insert_with(|| unsafe { Offer::of(functions, physical, self.mode) });
        offer.acts.then_some(*offer)
    }
}

/// Whether devices may be the layer's.
fn acts(mode: Feedback) -> bool {
    matches!(mode, Feedback::Auto | Feedback::Force)
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    // Of this instance alone, since what a library keeps for good stays behind when it is unloaded.
    let settings = Settings::load(&Surroundings::of_process());
    log::start(&settings);
    // SAFETY: the loader's and the program's arguments are as the specification of vkCreateInstance has them.
    unsafe {
        let Some((link, create)) = below_instance(info) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let next = link.get_instance_proc_addr;
        let mode = settings.xfb;
        // Lowered shaders are of Vulkan 1.3, whatever the program is of.
        let mut application = (*info).p_application_info.as_ref().copied().unwrap_or_default();
        application.api_version = application.api_version.max(vk::API_VERSION_1_3);
        let raised = vk::InstanceCreateInfo { p_application_info: &application, ..*info };
        let result = create(if acts(mode) { &raised } else { info }, allocator, instance);
        if result != vk::Result::SUCCESS {
            return result;
        }
        let handle = *instance;
        let find = |name: &CStr| next(handle, name.as_ptr());
        let functions = InstanceFunctions::load(&find);
        INSTANCES.insert(
            key(handle.as_raw()),
            Instance {
                handle,
                next,
                next_physical: link.get_physical_device_proc_addr,
                destroy: find(c"vkDestroyInstance"),
                extensions: find(c"vkEnumerateDeviceExtensionProperties"),
                functions,
                mode,
                offers: Mutex::default(),
            },
        );
        result
    }
}

unsafe extern "system" fn destroy_instance(instance: vk::Instance, allocator: *const vk::AllocationCallbacks<'_>) {
    if instance.is_null() {
        return;
    }
    // SAFETY: the handle is valid, and the program uses it no more.
    unsafe {
        let Some(known) = INSTANCES.remove(key(instance.as_raw())) else { return };
        if let Some(destroy) = known.destroy {
            let destroy = std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkDestroyInstance>(destroy);
            destroy(instance, allocator);
        }
    }
    // With the last instance all other handles are gone, and the library may be unloaded next.
    INSTANCES.release(|| {
        devices::release();
        record::release();
    });
}

/// Gives a list as Vulkan's enumerations do.
///
/// # Safety
/// `count` is valid, and `to` is null or has room for as many.
unsafe fn give<T: Copy>(list: &[T], count: *mut u32, to: *mut T) -> vk::Result {
    // SAFETY: as the caller says.
    unsafe {
        if to.is_null() {
            *count = list.len() as u32;
            return vk::Result::SUCCESS;
        }
        let given = list.len().min(*count as usize);
        std::ptr::copy_nonoverlapping(list.as_ptr(), to, given);
        *count = given as u32;
        if given < list.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// Whether a layer's name is this one's.
///
/// # Safety
/// `layer` is null or a string.
unsafe fn is_ours(layer: *const c_char) -> bool {
    // SAFETY: as the caller says.
    !layer.is_null() && unsafe { CStr::from_ptr(layer) } == NAME
}

fn layer() -> vk::LayerProperties {
    let mut layer =
        vk::LayerProperties { spec_version: vk::API_VERSION_1_3, implementation_version: 1, ..Default::default() };
    let put = |to: &mut [c_char], from: &CStr| {
        to.iter_mut().zip(from.to_bytes()).for_each(|(to, from)| *to = *from as c_char);
    };
    put(&mut layer.layer_name, NAME);
    put(&mut layer.description, c"VK_EXT_transform_feedback on devices without it");
    layer
}

unsafe extern "system" fn enumerate_instance_layer_properties(
    count: *mut u32,
    to: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: as the specification of the function has it.
    unsafe { give(&[layer()], count, to) }
}

unsafe extern "system" fn enumerate_device_layer_properties(
    _: vk::PhysicalDevice,
    count: *mut u32,
    to: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: as above.
    unsafe { give(&[layer()], count, to) }
}

unsafe extern "system" fn enumerate_instance_extension_properties(
    name: *const c_char,
    count: *mut u32,
    to: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: as above.
    unsafe { if is_ours(name) { give(&[], count, to) } else { vk::Result::ERROR_LAYER_NOT_PRESENT } }
}

unsafe extern "system" fn enumerate_device_extension_properties(
    physical: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    to: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        if is_ours(layer) {
            // What the layer adds depends on the device, and is among the device's own.
            return give(&[], count, to);
        }
        let Some(instance) = Instance::of(physical.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(functions) = &instance.functions else {
            let Some(list) = instance.extensions else {
                return vk::Result::ERROR_INITIALIZATION_FAILED;
            };
            let list =
                std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkEnumerateDeviceExtensionProperties>(list);
            return list(physical, layer, count, to);
        };
        let hidden: Option<fn(&CStr) -> bool> = match instance.mode {
            Feedback::Plain => Some(create::extends),
            Feedback::Hide => Some(create::is_hidden),
            Feedback::Auto | Feedback::Force | Feedback::Off => None,
        };
        if let Some(hidden) = hidden.filter(|_| layer.is_null()) {
            return match offer::extensions(functions, physical) {
                Ok(mut list) => {
                    list.retain(|extension| !hidden(offer::name(extension)));
                    give(&list, count, to)
                }
                Err(error) => error,
            };
        }
        if !layer.is_null() || instance.offer(physical).is_none() {
            return (functions.enumerate_device_extension_properties)(physical, layer, count, to);
        }
        match offer::extensions(functions, physical) {
            Ok(mut list) => {
                list.retain(|extension| !create::is_hidden(offer::name(extension)));
                list.push(Offer::extension());
                give(&list, count, to)
            }
            Err(error) => error,
        }
    }
}

unsafe extern "system" fn get_features2(physical: vk::PhysicalDevice, features: *mut vk::PhysicalDeviceFeatures2<'_>) {
    // SAFETY: as above; the chain is the program's, to be written.
    unsafe {
        let Some(instance) = Instance::of(physical.as_raw()) else { return };
        let Some(functions) = &instance.functions else { return };
        (functions.get_features2)(physical, features);
        if let Some(offer) = instance.offer(physical) {
            offer.features((*features).p_next);
        }
    }
}

unsafe extern "system" fn get_properties(physical: vk::PhysicalDevice, properties: *mut vk::PhysicalDeviceProperties) {
    // SAFETY: as above.
    unsafe {
        let Some(instance) = Instance::of(physical.as_raw()) else { return };
        let Some(functions) = &instance.functions else { return };
        (functions.get_properties)(physical, properties);
        if let Some(offer) = instance.offer(physical) {
            offer.limits(&mut (*properties).limits);
        }
    }
}

unsafe extern "system" fn get_properties2(
    physical: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties2<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(instance) = Instance::of(physical.as_raw()) else { return };
        let Some(functions) = &instance.functions else { return };
        (functions.get_properties2)(physical, properties);
        if let Some(offer) = instance.offer(physical) {
            offer.limits(&mut (*properties).properties.limits);
            offer.properties((*properties).p_next);
        }
    }
}

/// A function that the layer answers, and its name.
type Answer = (&'static CStr, *const ());

/// What needs no instance.
const GLOBAL: &[Answer] = &[
    (c"vkGetInstanceProcAddr", get_instance_proc_addr as *const ()),
    (c"vkCreateInstance", create_instance as *const ()),
    (c"vkEnumerateInstanceLayerProperties", enumerate_instance_layer_properties as *const ()),
    (c"vkEnumerateInstanceExtensionProperties", enumerate_instance_extension_properties as *const ()),
];

/// What is an instance's.
const OF_INSTANCE: &[Answer] = &[
    (c"vkDestroyInstance", destroy_instance as *const ()),
    (c"vk_layerGetPhysicalDeviceProcAddr", get_physical_device_proc_addr as *const ()),
];

/// What is a physical device's. All but the first two are there only where there are [`InstanceFunctions`].
const OF_PHYSICAL: &[Answer] = &[
    (c"vkCreateDevice", create::create_device as *const ()),
    (c"vkEnumerateDeviceExtensionProperties", enumerate_device_extension_properties as *const ()),
    (c"vkEnumerateDeviceLayerProperties", enumerate_device_layer_properties as *const ()),
    (c"vkGetPhysicalDeviceFeatures2", get_features2 as *const ()),
    (c"vkGetPhysicalDeviceFeatures2KHR", get_features2 as *const ()),
    (c"vkGetPhysicalDeviceProperties", get_properties as *const ()),
    (c"vkGetPhysicalDeviceProperties2", get_properties2 as *const ()),
    (c"vkGetPhysicalDeviceProperties2KHR", get_properties2 as *const ()),
];

fn answer(list: &[Answer], name: &CStr) -> Option<*const ()> {
    list.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// What the layer answers of a physical device, if it answers.
fn of_physical(instance: &Instance, name: &CStr) -> Option<*const ()> {
    let at = OF_PHYSICAL.iter().position(|row| row.0 == name)?;
    // Twins are there where the next layer has them.
    let there = at < 2 || instance.functions.is_some() && (at == 2 || instance.next(name).is_some());
    there.then_some(OF_PHYSICAL[at].1)
}

/// The layer's `vkGetInstanceProcAddr`.
pub(crate) unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the handle is null or valid, and the name is a string.
    unsafe {
        let name = CStr::from_ptr(name);
        if let Some(found) = answer(GLOBAL, name) {
            return erased(found);
        }
        if instance.is_null() {
            return None;
        }
        let known = Instance::of(instance.as_raw())?;
        if let Some(found) = answer(OF_INSTANCE, name).or_else(|| of_physical(known, name)) {
            return erased(found);
        }
        if let Some(found) = create::of_any(name) {
            return erased(found);
        }
        let next = known.next(name);
        if known.functions.is_none() || !acts(known.mode) {
            return next;
        }
        match intercept::answer_any(name) {
            Some(found) if next.is_some() || intercept::is_own(name) => erased(found),
            _ => next,
        }
    }
}

/// The layer's `vk_layerGetPhysicalDeviceProcAddr`: physical devices' functions alone.
pub(crate) unsafe extern "system" fn get_physical_device_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the handle is valid, and the name is a string.
    unsafe {
        let known = Instance::of(instance.as_raw())?;
        match of_physical(known, CStr::from_ptr(name)) {
            Some(found) => erased(found),
            None => (known.next_physical?)(instance, name),
        }
    }
}

/// What is to be known where a device is created.
pub(crate) struct Creates {
    pub(crate) instance: vk::Instance,
    /// What the layer makes of the physical device, and its memory, if it does anything.
    pub(crate) offer: Option<(Offer, vk::PhysicalDeviceMemoryProperties)>,
}

/// The instance of a physical device of which a device is created.
///
/// # Safety
/// The physical device is valid.
pub(crate) unsafe fn creates(physical: vk::PhysicalDevice) -> Option<Creates> {
    // SAFETY: as the caller says.
    unsafe {
        let instance = Instance::of(physical.as_raw())?;
        let offer = instance.offer(physical).zip(instance.functions.as_ref()).map(|(offer, functions)| {
            let mut memory = vk::PhysicalDeviceMemoryProperties::default();
            (functions.get_memory_properties)(physical, &mut memory);
            (offer, memory)
        });
        Some(Creates { instance: instance.handle, offer })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_given_as_far_as_there_is_room() {
        let (mut count, mut to) = (0, [0; 4]);
        // SAFETY: there is as much room as is said.
        unsafe {
            assert_eq!(give(&[1, 2, 3], &mut count, std::ptr::null_mut()), vk::Result::SUCCESS);
            assert_eq!(count, 3);
            count = 2;
            assert_eq!(give(&[1, 2, 3], &mut count, to.as_mut_ptr()), vk::Result::INCOMPLETE);
            assert_eq!((count, to), (2, [1, 2, 0, 0]));
            count = 4;
            assert_eq!(give(&[1, 2, 3], &mut count, to.as_mut_ptr()), vk::Result::SUCCESS);
            assert_eq!((count, to), (3, [1, 2, 3, 0]));
        }
    }
}
