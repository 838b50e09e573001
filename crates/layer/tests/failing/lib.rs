//! A layer for tests, between ours and the driver: the call that it is told to fails, and it counts what there is.
//!
//! A program tells it by functions that it gets of `vkGetDeviceProcAddr`: [`fail`], [`failed`], [`living`]. With `AFTERIMAGE_TEST_LOSE_DEVICE` in the
//! environment, the first device is lost while it is created.

#[path = "../../src/loader.rs"]
mod loader;

use ash::vk::{self, Handle as _};
use loader::{GetPhysicalDeviceProcAddr, NegotiateLayerInterface, Own, below_device, below_instance};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Calls until one fails; negative where none does.
static LEFT: AtomicI64 = AtomicI64::new(-1);
/// With what, and whether all behind it fail, too.
static CODE: AtomicI64 = AtomicI64::new(0);
static FOREVER: AtomicU32 = AtomicU32::new(0);
/// How many have failed.
static FAILED: AtomicU32 = AtomicU32::new(0);
/// Objects that were created and not destroyed.
static LIVING: AtomicI64 = AtomicI64::new(0);

static INSTANCES: Mutex<Option<HashMap<u64, Instance>>> = Mutex::new(None);
static DEVICES: Mutex<Option<HashMap<u64, Device>>> = Mutex::new(None);

#[derive(Clone, Copy)]
struct Instance {
    handle: vk::Instance,
    next: vk::PFN_vkGetInstanceProcAddr,
    next_physical: Option<GetPhysicalDeviceProcAddr>,
    /// Asked for when the instance was created: later the loader's answer is the first layer's function.
    destroy: vk::PFN_vkVoidFunction,
}

#[derive(Clone, Copy)]
struct Device {
    handle: vk::Device,
    next: vk::PFN_vkGetDeviceProcAddr,
}

/// What a map has of a dispatchable handle.
fn known<T: Copy>(all: &Mutex<Option<HashMap<u64, T>>>, handle: u64) -> Option<T> {
    // SAFETY: dispatchable handles are pointers to a word that those of one instance or device share.
    let key = unsafe { *(handle as usize as *const u64) };
    all.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(&key).copied()
}

fn keep<T>(all: &Mutex<Option<HashMap<u64, T>>>, handle: u64, value: T) {
    // SAFETY: as above.
    let key = unsafe { *(handle as usize as *const u64) };
    all.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(key, value);
}

fn forget<T>(all: &Mutex<Option<HashMap<u64, T>>>, handle: u64) -> Option<T> {
    // SAFETY: as above.
    let key = unsafe { *(handle as usize as *const u64) };
    all.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.remove(&key)
}

/// The function of a name that stands below a device's handle.
fn below(handle: u64, name: &CStr) -> unsafe extern "system" fn() {
    let device = known(&DEVICES, handle).expect("a device of this layer");
    // SAFETY: the device is alive.
    unsafe { (device.next)(device.handle, name.as_ptr()) }.expect("it was asked for by its name")
}

/// The errors that calls of a function fail with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fails {
    /// Those of memory.
    Memory,
    /// Those, and that the device is lost.
    Both,
}

/// The error of a call, if it fails. Where memory is asked for or mapped there is an error of its own.
fn error(fails: Fails, own: vk::Result) -> Option<vk::Result> {
    let code = vk::Result::from_raw(CODE.load(Ordering::SeqCst) as i32);
    if code == vk::Result::ERROR_DEVICE_LOST && fails == Fails::Memory {
        return None;
    }
    let left = LEFT.load(Ordering::SeqCst);
    if left < 0 {
        return None;
    }
    if left > 0 {
        LEFT.store(left - 1, Ordering::SeqCst);
        return None;
    }
    if FOREVER.load(Ordering::SeqCst) == 0 {
        LEFT.store(-1, Ordering::SeqCst);
    }
    FAILED.fetch_add(1, Ordering::SeqCst);
    // Of what only memory has, others say that the host's is used up.
    let peculiar = code == vk::Result::ERROR_TOO_MANY_OBJECTS;
    Some(if peculiar { own } else { code })
}

/// From now on, so many calls succeed, and the next fails: it alone, or all behind it, too.
unsafe extern "system" fn fail(left: i64, code: i32, forever: u32) {
    CODE.store(code.into(), Ordering::SeqCst);
    FOREVER.store(forever, Ordering::SeqCst);
    FAILED.store(0, Ordering::SeqCst);
    LEFT.store(left, Ordering::SeqCst);
}

/// Calls that have failed since.
unsafe extern "system" fn failed() -> u32 {
    FAILED.load(Ordering::SeqCst)
}

/// Objects that were created and not destroyed.
unsafe extern "system" fn living() -> i64 {
    LIVING.load(Ordering::SeqCst)
}

const HOST: vk::Result = vk::Result::ERROR_OUT_OF_HOST_MEMORY;

/// Functions by how their parameters are. What is created by a function counts as living, and what is taken away does not.
macro_rules! functions {
    (
        create { $( $create:ident: $create_name:literal, $own:expr; )* }
        destroy { $( $destroy:ident: $destroy_name:literal; )* }
        wait { $( $wait:ident: $wait_name:literal; )* }
        pipelines { $( $pipelines:ident: $pipelines_name:literal; )* }
        other { $( $other:ident: $other_name:literal $fails:ident ($($argument:ident: $of:ty),*); )* }
    ) => {
        $(
            unsafe extern "system" fn $create(
                device: vk::Device,
                info: *const c_void,
                allocator: *const c_void,
                made: *mut u64,
            ) -> vk::Result {
                // SAFETY: a function of the name, with the arguments that it was given, here and below.
                unsafe {
                    if let Some(error) = error(Fails::Memory, $own) {
                        *made = 0;
                        return error;
                    }
                    let next = std::mem::transmute::<
                        unsafe extern "system" fn(),
                        unsafe extern "system" fn(vk::Device, *const c_void, *const c_void, *mut u64) -> vk::Result,
                    >(below(device.as_raw(), $create_name));
                    let result = next(device, info, allocator, made);
                    LIVING.fetch_add(i64::from(result == vk::Result::SUCCESS), Ordering::SeqCst);
                    result
                }
            }
        )*
        $(
            unsafe extern "system" fn $destroy(device: vk::Device, gone: u64, allocator: *const c_void) {
                LIVING.fetch_sub(i64::from(gone != 0), Ordering::SeqCst);
                // SAFETY: as above.
                unsafe {
                    let next = std::mem::transmute::<
                        unsafe extern "system" fn(),
                        unsafe extern "system" fn(vk::Device, u64, *const c_void),
                    >(below(device.as_raw(), $destroy_name));
                    next(device, gone, allocator);
                }
            }
        )*
        $(
            unsafe extern "system" fn $pipelines(
                device: vk::Device,
                cache: u64,
                count: u32,
                infos: *const c_void,
                allocator: *const c_void,
                made: *mut u64,
            ) -> vk::Result {
                // SAFETY: as above; there is room for so many.
                unsafe {
                    let all = std::slice::from_raw_parts_mut(made, count as usize);
                    // If it fails, none of them is made.
                    if let Some(error) = error(Fails::Memory, HOST) {
                        all.fill(0);
                        return error;
                    }
                    let next = std::mem::transmute::<
                        unsafe extern "system" fn(),
                        unsafe extern "system" fn(
                            vk::Device, u64, u32, *const c_void, *const c_void, *mut u64
                        ) -> vk::Result,
                    >(below(device.as_raw(), $pipelines_name));
                    let result = next(device, cache, count, infos, allocator, made);
                    LIVING.fetch_add(all.iter().filter(|pipeline| **pipeline != 0).count() as i64, Ordering::SeqCst);
                    result
                }
            }
        )*
        $(
            unsafe extern "system" fn $other(handle: u64 $(, $argument: $of)*) -> vk::Result {
                if let Some(error) = error(Fails::$fails, HOST) {
                    return error;
                }
                // SAFETY: as above.
                unsafe {
                    let next = std::mem::transmute::<
                        unsafe extern "system" fn(),
                        unsafe extern "system" fn(u64 $(, $of)*) -> vk::Result,
                    >(below(handle, $other_name));
                    next(handle $(, $argument)*)
                }
            }
        )*

        $(
            unsafe extern "system" fn $wait(handle: u64) -> vk::Result {
                // SAFETY: as above.
                unsafe {
                    let next = std::mem::transmute::<
                        unsafe extern "system" fn(),
                        unsafe extern "system" fn(u64) -> vk::Result,
                    >(below(handle, $wait_name));
                    // It has waited in any case: what is lost is done with, too.
                    let result = next(handle);
                    error(Fails::Both, HOST).unwrap_or(result)
                }
            }
        )*

        const FUNCTIONS: &[(&CStr, *const ())] = &[
            $( ($create_name, $create as *const ()), )*
            $( ($destroy_name, $destroy as *const ()), )*
            $( ($wait_name, $wait as *const ()), )*
            $( ($pipelines_name, $pipelines as *const ()), )*
            $( ($other_name, $other as *const ()), )*
            (c"vkMapMemory", map_memory as *const ()),
            (c"vkDestroyDevice", destroy_device as *const ()),
            (c"vkGetDeviceProcAddr", get_device_proc_addr as *const ()),
            (c"vkAfterimageTestFail", fail as *const ()),
            (c"vkAfterimageTestFailed", failed as *const ()),
            (c"vkAfterimageTestLiving", living as *const ()),
        ];
    };
}

functions! {
    create {
        create_buffer: c"vkCreateBuffer", HOST;
        allocate_memory: c"vkAllocateMemory", vk::Result::ERROR_TOO_MANY_OBJECTS;
        create_shader_module: c"vkCreateShaderModule", HOST;
        create_set_layout: c"vkCreateDescriptorSetLayout", HOST;
        create_pipeline_layout: c"vkCreatePipelineLayout", HOST;
        create_query_pool: c"vkCreateQueryPool", HOST;
        create_command_pool: c"vkCreateCommandPool", HOST;
        create_render_pass: c"vkCreateRenderPass", HOST;
        create_template: c"vkCreateDescriptorUpdateTemplate", HOST;
    }
    destroy {
        destroy_buffer: c"vkDestroyBuffer";
        free_memory: c"vkFreeMemory";
        destroy_shader_module: c"vkDestroyShaderModule";
        destroy_set_layout: c"vkDestroyDescriptorSetLayout";
        destroy_pipeline_layout: c"vkDestroyPipelineLayout";
        destroy_query_pool: c"vkDestroyQueryPool";
        destroy_command_pool: c"vkDestroyCommandPool";
        destroy_render_pass: c"vkDestroyRenderPass";
        destroy_template: c"vkDestroyDescriptorUpdateTemplate";
        destroy_pipeline: c"vkDestroyPipeline";
    }
    wait {
        queue_wait_idle: c"vkQueueWaitIdle";
        device_wait_idle: c"vkDeviceWaitIdle";
    }
    pipelines {
        create_graphics_pipelines: c"vkCreateGraphicsPipelines";
        create_compute_pipelines: c"vkCreateComputePipelines";
    }
    other {
        bind_buffer_memory: c"vkBindBufferMemory" Memory (buffer: u64, memory: u64, offset: u64);
        allocate_command_buffers: c"vkAllocateCommandBuffers" Memory (info: *const c_void, made: *mut u64);
        begin_command_buffer: c"vkBeginCommandBuffer" Memory (info: *const c_void);
        end_command_buffer: c"vkEndCommandBuffer" Memory ();
        reset_command_buffer: c"vkResetCommandBuffer" Memory (flags: u32);
        reset_command_pool: c"vkResetCommandPool" Memory (pool: u64, flags: u32);
        queue_submit: c"vkQueueSubmit" Both (count: u32, submits: *const c_void, fence: u64);
        queue_submit2: c"vkQueueSubmit2" Both (count: u32, submits: *const c_void, fence: u64);
        get_query_pool_results: c"vkGetQueryPoolResults" Both (
            pool: u64, first: u32, count: u32, bytes: usize, data: *mut c_void, stride: u64, flags: u32
        );
    }
}

unsafe extern "system" fn map_memory(
    device: vk::Device,
    memory: vk::DeviceMemory,
    offset: u64,
    size: u64,
    flags: vk::MemoryMapFlags,
    data: *mut *mut c_void,
) -> vk::Result {
    if let Some(error) = error(Fails::Memory, vk::Result::ERROR_MEMORY_MAP_FAILED) {
        return error;
    }
    // SAFETY: as above.
    unsafe {
        let next = below(device.as_raw(), c"vkMapMemory");
        let next = std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkMapMemory>(next);
        next(device, memory, offset, size, flags, data)
    }
}

unsafe extern "system" fn destroy_device(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    if device.is_null() {
        return;
    }
    // SAFETY: as above.
    unsafe {
        let next = below(device.as_raw(), c"vkDestroyDevice");
        forget(&DEVICES, device.as_raw());
        std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkDestroyDevice>(next)(device, allocator);
    }
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    static LOST: AtomicU32 = AtomicU32::new(0);
    if std::env::var_os("AFTERIMAGE_TEST_LOSE_DEVICE").is_some() && LOST.fetch_add(1, Ordering::SeqCst) == 0 {
        return vk::Result::ERROR_DEVICE_LOST;
    }
    // SAFETY: the loader's arguments are as its interface has them.
    unsafe {
        let Some(instance) = known(&INSTANCES, physical.as_raw()) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let Some((link, create)) = below_device(instance.handle, info) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let next = link.get_device_proc_addr;
        let result = create(physical, info, allocator, device);
        if result == vk::Result::SUCCESS {
            keep(&DEVICES, (*device).as_raw(), Device { handle: *device, next });
        }
        result
    }
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let Some((link, create)) = below_instance(info) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let (next, next_physical) = (link.get_instance_proc_addr, link.get_physical_device_proc_addr);
        let result = create(info, allocator, instance);
        if result == vk::Result::SUCCESS {
            let handle = *instance;
            let destroy = next(handle, c"vkDestroyInstance".as_ptr());
            keep(&INSTANCES, handle.as_raw(), Instance { handle, next, next_physical, destroy });
        }
        result
    }
}

unsafe extern "system" fn destroy_instance(instance: vk::Instance, allocator: *const vk::AllocationCallbacks<'_>) {
    if instance.is_null() {
        return;
    }
    // SAFETY: as above.
    unsafe {
        let Some(known) = forget(&INSTANCES, instance.as_raw()) else { return };
        if let Some(destroy) = known.destroy {
            std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkDestroyInstance>(destroy)(instance, allocator);
        }
    }
}

/// A function of the layer's, as it is handed out.
unsafe fn erased(function: *const ()) -> vk::PFN_vkVoidFunction {
    // SAFETY: it is a pointer to a function, whose type who asks for it by name knows.
    Some(unsafe { std::mem::transmute::<*const (), unsafe extern "system" fn()>(function) })
}

fn of_device(name: &CStr) -> Option<*const ()> {
    FUNCTIONS.iter().find(|row| row.0 == name).map(|row| row.1)
}

unsafe extern "system" fn get_device_proc_addr(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    unsafe {
        let next = known(&DEVICES, device.as_raw())?.next;
        match of_device(CStr::from_ptr(name)) {
            Some(found) => erased(found),
            None => next(device, name),
        }
    }
}

unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    const OWN: &[(&CStr, *const ())] = &[
        (c"vkGetInstanceProcAddr", get_instance_proc_addr as *const ()),
        (c"vkCreateInstance", create_instance as *const ()),
        (c"vkDestroyInstance", destroy_instance as *const ()),
        (c"vkCreateDevice", create_device as *const ()),
    ];
    // SAFETY: as above.
    unsafe {
        let asked = CStr::from_ptr(name);
        if let Some(found) = OWN.iter().find(|row| row.0 == asked).map(|row| row.1).or_else(|| of_device(asked)) {
            return erased(found);
        }
        if instance.is_null() {
            return None;
        }
        (known(&INSTANCES, instance.as_raw())?.next)(instance, name)
    }
}

unsafe extern "system" fn get_physical_device_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    unsafe { (known(&INSTANCES, instance.as_raw())?.next_physical?)(instance, name) }
}

/// What the loader calls first.
///
/// # Safety
/// The loader calls it, with a structure of its own.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut NegotiateLayerInterface,
) -> vk::Result {
    let own =
        Own { instance: get_instance_proc_addr, device: get_device_proc_addr, physical: get_physical_device_proc_addr };
    // SAFETY: as the caller says.
    unsafe { loader::negotiate(interface, &own) }
}
