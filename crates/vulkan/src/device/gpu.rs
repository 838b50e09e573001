//! The device: selection, creation, memory, naming. Shared by everything that owns a Vulkan object.

use crate::device::instance::Instance;
use crate::device::profile::{Profile, optional_extensions};
use crate::device::shared::SharedImages;
use crate::error::{Checked, Error, Result};
use crate::options::Options;
use ash::{ext, khr, vk};
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc};
use std::ffi::CString;
use std::mem::ManuallyDrop;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An open device.
pub struct Gpu {
    /// The instance.
    pub instance: Arc<Instance>,
    /// Its physical device.
    pub physical: vk::PhysicalDevice,
    /// Functions of the device.
    pub raw: ash::Device,
    /// The queue that everything is submitted to. Renderers of one device may live on different threads.
    queue: Mutex<vk::Queue>,
    /// What the device can do.
    pub profile: Profile,
    /// Functions of VK_EXT_extended_dynamic_state3, where the profile uses it.
    pub(crate) dynamic3: Option<ext::extended_dynamic_state3::Device>,
    /// Functions of VK_EXT_extended_dynamic_state2, where the profile uses it.
    pub(crate) dynamic2: Option<ext::extended_dynamic_state2::Device>,
    /// Functions of VK_EXT_multi_draw, where the profile uses it.
    pub(crate) multi_draw: Option<ext::multi_draw::Device>,
    /// Functions of VK_EXT_external_memory_host, likewise.
    pub(crate) host_memory: Option<ext::external_memory_host::Device>,
    /// Functions of VK_EXT_transform_feedback, likewise.
    pub(crate) feedback: Option<ext::transform_feedback::Device>,
    /// Functions of VK_EXT_depth_bias_control, where the profile uses it.
    pub(crate) depth_bias: Option<ext::depth_bias_control::Device>,
    /// Functions of VK_KHR_swapchain.
    pub(crate) swapchain: Option<khr::swapchain::Device>,
    /// Images that renderers of this device share.
    pub(crate) shared: SharedImages,
    /// A renderer has found the device lost.
    pub(crate) lost: AtomicBool,
    /// Whether a tool that shows labels of commands is attached.
    pub(crate) shows_labels: bool,
    debug: Option<ext::debug_utils::Device>,
    allocator: ManuallyDrop<Mutex<Allocator>>,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("device", &self.profile.name).finish_non_exhaustive()
    }
}

/// Whether a tool that shows labels of commands is attached.
fn shows_labels(instance: &Instance, physical: vk::PhysicalDevice) -> bool {
    // SAFETY: the physical device is the instance's.
    let count = unsafe { instance.raw.get_physical_device_tool_properties_len(physical) };
    let mut tools = vec![vk::PhysicalDeviceToolProperties::default(); count.unwrap_or(0)];
    // SAFETY: as above.
    let got = unsafe { instance.raw.get_physical_device_tool_properties(physical, &mut tools) };
    got.is_ok() && tools.iter().any(|tool| tool.purposes.contains(vk::ToolPurposeFlags::DEBUG_MARKERS_EXT))
}

/// Memory of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heap {
    /// Bytes that this process has.
    pub(crate) used: u64,
    /// Bytes that it may have.
    pub(crate) budget: u64,
}

/// Every device of an instance with its profile, in the order of `AFTERIMAGE_DEVICE`'s numbers.
///
/// # Errors
/// Where Vulkan does not answer.
pub fn devices(instance: &Instance, options: &Options) -> Result<Vec<(vk::PhysicalDevice, Profile)>> {
    // SAFETY: no preconditions.
    let handles = unsafe { instance.raw.enumerate_physical_devices() }.checked("vkEnumeratePhysicalDevices")?;
    handles.into_iter().map(|handle| Ok((handle, Profile::new(instance, handle, options)?))).collect()
}

/// The device that the user asked for, or else the most capable one.
fn select(instance: &Instance, options: &Options) -> Result<(vk::PhysicalDevice, Profile)> {
    let rank = |profile: &Profile| match profile.kind {
        vk::PhysicalDeviceType::DISCRETE_GPU => 0,
        vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
        vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
        _ => 3,
    };
    let (mut usable, mut unusable, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (handle, profile)) in devices(instance, options)?.into_iter().enumerate() {
        let matches = options.device.as_ref().is_none_or(|wanted| {
            wanted.parse() == Ok(number) || profile.name.to_lowercase().contains(&wanted.to_lowercase())
        });
        if !matches {
            others.push(profile.name);
        } else if profile.missing.is_empty() {
            usable.push((handle, profile));
        } else {
            unusable.push(profile.lacks());
        }
    }
    let best = usable.into_iter().min_by_key(|(_, profile)| rank(profile));
    best.ok_or_else(|| match &options.device {
        _ if !unusable.is_empty() => Error::Unusable(unusable),
        Some(wanted) if !others.is_empty() => Error::OtherDevice { wanted: wanted.clone(), found: others },
        _ => Error::NoDriver,
    })
}

impl Gpu {
    /// Opens the device that the options ask for.
    ///
    /// # Errors
    /// Where no device fits, or it cannot be opened.
    pub fn open(options: &Options) -> Result<Arc<Self>> {
        Self::open_on(Arc::new(Instance::new(options)?), options)
    }

    /// Opens a device of an instance.
    ///
    /// # Errors
    /// Where no device fits, or it cannot be opened.
    pub fn open_on(instance: Arc<Instance>, options: &Options) -> Result<Arc<Self>> {
        let (physical, profile) = select(&instance, options)?;
        let extensions = optional_extensions(&instance, physical)?;
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(profile.queue_family)
            .queue_priorities(&priorities)];
        let raw = profile.features().chained(&extensions, |features| {
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .push_next(features);
            // SAFETY: the physical device is the instance's, and every pointer lives until the call returns.
            unsafe { instance.raw.create_device(physical, &info, None) }
        });
        let raw = raw.checked("vkCreateDevice")?;
        // SAFETY: the family and index are those of the device's creation.
        let queue = unsafe { raw.get_device_queue(profile.queue_family, 0) };
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: raw.clone(),
            physical_device: physical,
            debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
            buffer_device_address: true,
            // Small blocks first: a test or a small game must not take a quarter of a gigabyte at once.
            allocation_sizes: gpu_allocator::AllocationSizes::new(16 << 20, 8 << 20)
                .with_max_device_memblock_size(256 << 20)
                .with_max_host_memblock_size(64 << 20),
        })
        .map_err(|cause| Error::Memory { what: "the allocator".into(), bytes: 0, cause })?;
        let dynamic3 = profile.dynamic_state3 != Default::default();
        tracing::info!("rendering with {} ({})", profile.name, profile.driver);
        if let Some(opened) = options.own_process.as_ref().and_then(|own| own.opened.as_ref()) {
            opened();
        }
        Ok(Arc::new(Self {
            dynamic3: dynamic3.then(|| ext::extended_dynamic_state3::Device::new(&instance.raw, &raw)),
            dynamic2: profile.dynamic_logic_op.then(|| ext::extended_dynamic_state2::Device::new(&instance.raw, &raw)),
            feedback: profile.transform_feedback.map(|_| ext::transform_feedback::Device::new(&instance.raw, &raw)),
            multi_draw: (profile.multi_draw > 0).then(|| ext::multi_draw::Device::new(&instance.raw, &raw)),
            host_memory: (profile.host_import > 0).then(|| ext::external_memory_host::Device::new(&instance.raw, &raw)),
            depth_bias: profile.depth_bias_control.then(|| ext::depth_bias_control::Device::new(&instance.raw, &raw)),
            swapchain: profile.swapchain.then(|| khr::swapchain::Device::new(&instance.raw, &raw)),
            debug: instance.debug_names.then(|| ext::debug_utils::Device::new(&instance.raw, &raw)),
            shows_labels: shows_labels(&instance, physical),
            shared: SharedImages::default(),
            lost: AtomicBool::new(false),
            instance,
            physical,
            raw,
            queue: Mutex::new(queue),
            profile,
            allocator: ManuallyDrop::new(Mutex::new(allocator)),
        }))
    }

    fn allocator(&self) -> MutexGuard<'_, Allocator> {
        self.allocator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives an object a name for graphics debuggers.
    pub(crate) fn name<H: vk::Handle>(&self, object: H, name: &str) {
        let Some(debug) = &self.debug else { return };
        let Ok(name) = CString::new(name.replace('\0', " ")) else { return };
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(object).object_name(&name);
        // SAFETY: the object is one of this device's and is used by this thread alone at this time.
        if let Err(error) = unsafe { debug.set_debug_utils_object_name(&info) } {
            tracing::debug!("cannot name {name:?}: {error}");
        }
    }

    /// Begins a labelled group of commands, or, where `begin` is false, puts a label between commands.
    pub(crate) fn label(&self, cmd: vk::CommandBuffer, begin: bool, name: &str, color: [f32; 4]) {
        let Some(debug) = &self.debug else { return };
        let name = CString::new(name.replace('\0', " ")).unwrap_or_default();
        let info = vk::DebugUtilsLabelEXT::default().label_name(&name).color(color);
        // SAFETY: the command buffer is being recorded.
        unsafe {
            match begin {
                true => debug.cmd_begin_debug_utils_label(cmd, &info),
                false => debug.cmd_insert_debug_utils_label(cmd, &info),
            }
        }
    }

    /// Ends the group that was begun last; the caller knows that one is open.
    pub(crate) fn end_label(&self, cmd: vk::CommandBuffer) {
        let Some(debug) = &self.debug else { return };
        // SAFETY: the command buffer is being recorded, and a group is open.
        unsafe { debug.cmd_end_debug_utils_label(cmd) };
    }

    pub(crate) fn allocate(
        &self,
        name: &str,
        requirements: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<Allocation> {
        let mut allocator = self.allocator();
        let mut describe = |location| {
            allocator.allocate(&AllocationCreateDesc {
                name,
                requirements,
                location,
                linear,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            })
        };
        let result = match describe(location) {
            // Device memory is full: the system's memory is slower but there.
            Err(gpu_allocator::AllocationError::OutOfMemory) if location == MemoryLocation::GpuOnly => {
                describe(MemoryLocation::Unknown)
            }
            other => other,
        };
        result.map_err(|cause| Error::Memory { what: name.to_owned(), bytes: requirements.size, cause })
    }

    pub(crate) fn free(&self, allocation: Allocation) {
        if let Err(error) = self.allocator().free(allocation) {
            tracing::warn!("memory could not be freed: {error}");
        }
    }

    /// Bytes of device memory and of memory for uploads that objects have now.
    #[must_use]
    pub fn allocated_bytes(&self) -> u64 {
        self.allocator().generate_report().total_allocated_bytes
    }

    /// Bytes of all heaps.
    pub(crate) fn memory_bytes(&self) -> u64 {
        // SAFETY: the physical device is the one opened.
        let properties = unsafe { self.instance.raw.get_physical_device_memory_properties(self.physical) };
        properties.memory_heaps_as_slice().iter().fold(0, |sum, heap| sum.saturating_add(heap.size))
    }

    /// What this process has of the device's heaps and of the host's, and how much that may be. `None` without
    /// VK_EXT_memory_budget, or where the driver's figures are none.
    pub(crate) fn memory_budget(&self) -> Option<[Heap; 2]> {
        if !self.profile.memory_budget {
            return None;
        }
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
        // SAFETY: the physical device is the one opened, and the chain is valid.
        unsafe { self.instance.raw.get_physical_device_memory_properties2(self.physical, &mut properties) };
        let heaps = properties.memory_properties;
        in_heaps(heaps.memory_heaps_as_slice(), &budget.heap_usage, &budget.heap_budget)
    }

    /// The queue, for as long as the guard lives.
    pub(crate) fn queue(&self) -> MutexGuard<'_, vk::Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the device has nothing left to do.
    pub(crate) fn wait_idle(&self) {
        let _queue = self.queue();
        // SAFETY: nobody else uses the queue while the guard lives.
        if let Err(error) = unsafe { self.raw.device_wait_idle() } {
            tracing::warn!("vkDeviceWaitIdle: {error}");
        }
    }
}

/// Memory of the device's heaps and of the host's. `None` where more is used than a heap has: lavapipe of 32 bit takes the system's free
/// memory from the part of it that it can use, which gives less than nothing.
fn in_heaps(heaps: &[vk::MemoryHeap], used: &[u64], budget: &[u64]) -> Option<[Heap; 2]> {
    let mut sums = [Heap::default(); 2];
    for ((heap, used), budget) in heaps.iter().zip(used).zip(budget) {
        if *used > heap.size {
            return None;
        }
        let sum = &mut sums[usize::from(!heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))];
        sum.used = sum.used.saturating_add(*used);
        sum.budget = sum.budget.saturating_add(*budget);
    }
    Some(sums)
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: the allocator is taken once, here, before the device that it frees memory of; every object of the
        // device holds an `Arc` of `self`, so none is left.
        unsafe {
            ManuallyDrop::drop(&mut self.allocator);
            self.raw.destroy_device(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_than_nothing_is_no_figure() {
        let heap = |size, flags| vk::MemoryHeap { size, flags };
        let heaps = [heap(3 << 30, vk::MemoryHeapFlags::DEVICE_LOCAL), heap(8 << 30, vk::MemoryHeapFlags::empty())];
        let sums = in_heaps(&heaps, &[5, 7, 9], &[1 << 30, u64::MAX]).unwrap();
        assert_eq!(sums, [Heap { used: 5, budget: 1 << 30 }, Heap { used: 7, budget: u64::MAX }]);
        // A heap of 3 GiB, of which 21 are free.
        assert_eq!(in_heaps(&heaps, &[(3u64 << 30).wrapping_sub(21 << 30), 0], &[3 << 30, 0]), None);
        let twice = [heaps[0], heaps[0]];
        assert_eq!(in_heaps(&twice, &[1, 1], &[u64::MAX, 1]).unwrap()[0], Heap { used: 2, budget: u64::MAX });
    }
}
