//! Commands that can stand in a render pass, and of which the layer neither keeps nor notes anything: where one stands, the render pass begins,
//! and nothing is captured in the rest of it. So what is drawn is drawn in its order, and what is not captured is said.
//!
//! * `state` commands bind or set something that a capture would have to know: nothing is captured behind them in the command buffer.
//! * `order` commands do not.
//!
//! Source: the Vulkan registry, as for [the other rows](crate::commands::rows). Parameters are those that a call has in registers: pointers, and
//! numbers of 32 and 64 bits.

use crate::devices::Device;
use crate::record::Recording;
use ash::vk::{self, Handle as _};
use std::ffi::{CStr, c_void};

macro_rules! through {
    ($( $kind:ident $field:ident: $($symbol:literal)|+ ($($name:ident: $ty:ty),*); )*) => {
        $(
            #[allow(clippy::too_many_arguments, reason = "as Vulkan has them")]
            unsafe extern "system" fn $field(buffer: vk::CommandBuffer, $($name: $ty),*) {
                // SAFETY: the program's arguments are as the specification of the command has them, and handed on.
                unsafe {
                    if let Some(recording) = Recording::of(buffer) {
                        through!($kind recording, [$($symbol),+][0]);
                    }
                    let find = |name: &CStr| Device::next_of(buffer.as_raw(), name);
                    if let Some(found) = [$($symbol),+].into_iter().rev().find_map(find) {
                        let command = std::mem::transmute::<
                            unsafe extern "system" fn(),
                            unsafe extern "system" fn(vk::CommandBuffer, $($ty),*),
                        >(found);
                        command(buffer, $($name),*);
                    }
                }
            }
        )*

        /// The layer's functions.
        pub(super) const ANSWERS: &[super::Answer] = &[$( $( ($symbol, $field as *const ()), )+ )*];
    };
    (order $recording:ident, $symbol:expr) => {
        $recording.interrupt($symbol)
    };
    (state $recording:ident, $symbol:expr) => {
        $recording.lose($symbol)
    };
}

through! {
    order subpass_shading_huawei: c"vkCmdSubpassShadingHUAWEI" ();
    order draw_cluster_huawei: c"vkCmdDrawClusterHUAWEI" (a: u32, b: u32, c: u32);
    order draw_cluster_indirect_huawei: c"vkCmdDrawClusterIndirectHUAWEI" (a: u64, b: u64);
    order begin_custom_resolve_ext: c"vkCmdBeginCustomResolveEXT" (a: *const c_void);
    order debug_marker_begin_ext: c"vkCmdDebugMarkerBeginEXT" (a: *const c_void);
    order debug_marker_insert_ext: c"vkCmdDebugMarkerInsertEXT" (a: *const c_void);
    state execute_generated_commands_nv: c"vkCmdExecuteGeneratedCommandsNV" (a: u32, b: *const c_void);
    state bind_pipeline_shader_group_nv: c"vkCmdBindPipelineShaderGroupNV" (a: u32, b: u64, c: u32);
    state execute_generated_commands_ext: c"vkCmdExecuteGeneratedCommandsEXT" (a: u32, b: *const c_void);
    order set_sample_locations_ext: c"vkCmdSetSampleLocationsEXT" (a: *const c_void);
    order set_checkpoint_nv: c"vkCmdSetCheckpointNV" (a: *const c_void);
    order set_viewport_shading_rate_palette_nv: c"vkCmdSetViewportShadingRatePaletteNV"
        (a: u32, b: u32, c: *const c_void);
    order set_coarse_sample_order_nv: c"vkCmdSetCoarseSampleOrderNV" (a: u32, b: u32, c: *const c_void);
    order set_performance_marker_intel: c"vkCmdSetPerformanceMarkerINTEL" (a: *const c_void);
    order set_performance_stream_marker_intel: c"vkCmdSetPerformanceStreamMarkerINTEL" (a: *const c_void);
    order set_performance_override_intel: c"vkCmdSetPerformanceOverrideINTEL" (a: *const c_void);
    order cu_launch_kernel_nvx: c"vkCmdCuLaunchKernelNVX" (a: *const c_void);
    order cuda_launch_kernel_nv: c"vkCmdCudaLaunchKernelNV" (a: *const c_void);
    order initialize_graph_scratch_memory_amdx: c"vkCmdInitializeGraphScratchMemoryAMDX" (a: u64, b: u64, c: u64);
    order dispatch_graph_amdx: c"vkCmdDispatchGraphAMDX" (a: u64, b: u64, c: *const c_void);
    order dispatch_graph_indirect_amdx: c"vkCmdDispatchGraphIndirectAMDX" (a: u64, b: u64, c: *const c_void);
    order dispatch_graph_indirect_count_amdx: c"vkCmdDispatchGraphIndirectCountAMDX" (a: u64, b: u64, c: u64);
    order begin_gpa_session_amd: c"vkCmdBeginGpaSessionAMD" (a: u64);
    order end_gpa_session_amd: c"vkCmdEndGpaSessionAMD" (a: u64);
    order begin_gpa_sample_amd: c"vkCmdBeginGpaSampleAMD" (a: u64, b: *const c_void, c: *const c_void);
    order end_gpa_sample_amd: c"vkCmdEndGpaSampleAMD" (a: u64, b: u32);
    order copy_gpa_session_results_amd: c"vkCmdCopyGpaSessionResultsAMD" (a: u64);
    order set_rendering_input_attachment_indices: c"vkCmdSetRenderingInputAttachmentIndices" | c"vkCmdSetRenderingInputAttachmentIndicesKHR"
        (a: *const c_void);
    order set_depth_clamp_range_ext: c"vkCmdSetDepthClampRangeEXT" (a: u32, b: *const c_void);
    order dispatch_tile_qcom: c"vkCmdDispatchTileQCOM" (a: *const c_void);
    order begin_per_tile_execution_qcom: c"vkCmdBeginPerTileExecutionQCOM" (a: *const c_void);
    order end_per_tile_execution_qcom: c"vkCmdEndPerTileExecutionQCOM" (a: *const c_void);
    order begin_shader_instrumentation_arm: c"vkCmdBeginShaderInstrumentationARM" (a: u64);
    order end_shader_instrumentation_arm: c"vkCmdEndShaderInstrumentationARM" ();
    order set_compute_occupancy_priority_nv: c"vkCmdSetComputeOccupancyPriorityNV" (a: *const c_void);
    state bind_sampler_heap_ext: c"vkCmdBindSamplerHeapEXT" (a: *const c_void);
    state bind_resource_heap_ext: c"vkCmdBindResourceHeapEXT" (a: *const c_void);
    state push_data_ext: c"vkCmdPushDataEXT" (a: *const c_void);
    state begin_conditional_rendering2_ext: c"vkCmdBeginConditionalRendering2EXT" (a: *const c_void);
    state bind_transform_feedback_buffers2_ext: c"vkCmdBindTransformFeedbackBuffers2EXT"
        (a: u32, b: u32, c: *const c_void);
    state begin_transform_feedback2_ext: c"vkCmdBeginTransformFeedback2EXT" (a: u32, b: u32, c: *const c_void);
    state end_transform_feedback2_ext: c"vkCmdEndTransformFeedback2EXT" (a: u32, b: u32, c: *const c_void);
    state draw_indirect_byte_count2_ext: c"vkCmdDrawIndirectByteCount2EXT"
        (a: u32, b: u32, c: *const c_void, d: u32, e: u32);
    order write_marker_to_memory_amd: c"vkCmdWriteMarkerToMemoryAMD" (a: *const c_void);
    state bind_index_buffer3_khr: c"vkCmdBindIndexBuffer3KHR" (a: *const c_void);
    state bind_vertex_buffers3_khr: c"vkCmdBindVertexBuffers3KHR" (a: u32, b: u32, c: *const c_void);
    order draw_indirect2_khr: c"vkCmdDrawIndirect2KHR" (a: *const c_void);
    order draw_indexed_indirect2_khr: c"vkCmdDrawIndexedIndirect2KHR" (a: *const c_void);
    order draw_indirect_count2_khr: c"vkCmdDrawIndirectCount2KHR" (a: *const c_void);
    order draw_indexed_indirect_count2_khr: c"vkCmdDrawIndexedIndirectCount2KHR" (a: *const c_void);
    order draw_mesh_tasks_indirect2_ext: c"vkCmdDrawMeshTasksIndirect2EXT" (a: *const c_void);
    order draw_mesh_tasks_indirect_count2_ext: c"vkCmdDrawMeshTasksIndirectCount2EXT" (a: *const c_void);
}
