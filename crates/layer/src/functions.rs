//! Functions of whatever stands below: the next layer, or the driver.

use ash::vk;
use std::ffi::CStr;

/// Declares a table of functions, all of which must be there. A row is a field, the type of `ash`, and the name.
macro_rules! functions {
    ($(#[$doc:meta])* $name:ident { $( $field:ident: $ty:ident = $symbol:literal; )* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name {
            $( pub(crate) $field: vk::$ty, )*
        }

        impl $name {
            /// Asks for each function. `None` if one is missing.
            ///
            /// # Safety
            /// What is found under a name is a function of that name.
            pub(crate) unsafe fn load(find: &dyn Fn(&CStr) -> vk::PFN_vkVoidFunction) -> Option<Self> {
                Some(Self { $( $field: {
                    // SAFETY: functions of a name have its type.
                    unsafe { std::mem::transmute::<unsafe extern "system" fn(), vk::$ty>(find($symbol)?) }
                }, )* })
            }
        }
    };
}

functions! {
    /// Of an instance of Vulkan 1.1 or later.
    InstanceFunctions {
        enumerate_device_extension_properties: PFN_vkEnumerateDeviceExtensionProperties = c"vkEnumerateDeviceExtensionProperties";
        get_properties: PFN_vkGetPhysicalDeviceProperties = c"vkGetPhysicalDeviceProperties";
        get_features2: PFN_vkGetPhysicalDeviceFeatures2 = c"vkGetPhysicalDeviceFeatures2";
        get_properties2: PFN_vkGetPhysicalDeviceProperties2 = c"vkGetPhysicalDeviceProperties2";
        get_memory_properties: PFN_vkGetPhysicalDeviceMemoryProperties = c"vkGetPhysicalDeviceMemoryProperties";
    }
}

functions! {
    /// Of a device of Vulkan 1.3.
    DeviceFunctions {
        create_buffer: PFN_vkCreateBuffer = c"vkCreateBuffer";
        destroy_buffer: PFN_vkDestroyBuffer = c"vkDestroyBuffer";
        get_buffer_memory_requirements: PFN_vkGetBufferMemoryRequirements = c"vkGetBufferMemoryRequirements";
        allocate_memory: PFN_vkAllocateMemory = c"vkAllocateMemory";
        free_memory: PFN_vkFreeMemory = c"vkFreeMemory";
        bind_buffer_memory: PFN_vkBindBufferMemory = c"vkBindBufferMemory";
        map_memory: PFN_vkMapMemory = c"vkMapMemory";
        get_buffer_device_address: PFN_vkGetBufferDeviceAddress = c"vkGetBufferDeviceAddress";
        create_shader_module: PFN_vkCreateShaderModule = c"vkCreateShaderModule";
        destroy_shader_module: PFN_vkDestroyShaderModule = c"vkDestroyShaderModule";
        create_descriptor_set_layout: PFN_vkCreateDescriptorSetLayout = c"vkCreateDescriptorSetLayout";
        destroy_descriptor_set_layout: PFN_vkDestroyDescriptorSetLayout = c"vkDestroyDescriptorSetLayout";
        get_descriptor_set_layout_support: PFN_vkGetDescriptorSetLayoutSupport = c"vkGetDescriptorSetLayoutSupport";
        create_pipeline_layout: PFN_vkCreatePipelineLayout = c"vkCreatePipelineLayout";
        destroy_pipeline_layout: PFN_vkDestroyPipelineLayout = c"vkDestroyPipelineLayout";
        create_graphics_pipelines: PFN_vkCreateGraphicsPipelines = c"vkCreateGraphicsPipelines";
        create_compute_pipelines: PFN_vkCreateComputePipelines = c"vkCreateComputePipelines";
        destroy_pipeline: PFN_vkDestroyPipeline = c"vkDestroyPipeline";
        destroy_command_pool: PFN_vkDestroyCommandPool = c"vkDestroyCommandPool";
        reset_command_pool: PFN_vkResetCommandPool = c"vkResetCommandPool";
        allocate_command_buffers: PFN_vkAllocateCommandBuffers = c"vkAllocateCommandBuffers";
        free_command_buffers: PFN_vkFreeCommandBuffers = c"vkFreeCommandBuffers";
        begin_command_buffer: PFN_vkBeginCommandBuffer = c"vkBeginCommandBuffer";
        end_command_buffer: PFN_vkEndCommandBuffer = c"vkEndCommandBuffer";
        reset_command_buffer: PFN_vkResetCommandBuffer = c"vkResetCommandBuffer";
        cmd_dispatch: PFN_vkCmdDispatch = c"vkCmdDispatch";
        cmd_dispatch_indirect: PFN_vkCmdDispatchIndirect = c"vkCmdDispatchIndirect";
        cmd_fill_buffer: PFN_vkCmdFillBuffer = c"vkCmdFillBuffer";
        cmd_copy_buffer: PFN_vkCmdCopyBuffer = c"vkCmdCopyBuffer";
    }
}

/// A function of the layer's, as it is handed out.
///
/// # Safety
/// `function` is a pointer to a function.
pub(crate) unsafe fn erased(function: *const ()) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller says so; who asked for it by name knows its type.
    Some(unsafe { std::mem::transmute::<*const (), unsafe extern "system" fn()>(function) })
}

/// The word by which handles of one instance or device are known: the loader's table, whose address every one of them begins with.
///
/// # Safety
/// `handle` is a dispatchable handle.
pub(crate) unsafe fn key(handle: u64) -> u64 {
    // SAFETY: the loader's interface says that dispatchable handles are pointers to such a word.
    unsafe { *(handle as usize as *const usize) as u64 }
}
