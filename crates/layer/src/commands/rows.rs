//! Every command that can stand in a render pass, a row each. What becomes of the rows is up to the macro that they are given to.
//!
//! * `plain` commands are passed on, or kept; what stands behind the arrow is done before. A parameter is a value, in parentheses, or an array
//!   with its length.
//! * `own` commands have a function, which is at the end of the row.
//!
//! Source: the Vulkan registry, commands whose `renderpass` is `inside` or `both`. Names of fields and parameters are the registry's.

/// Gives the rows to a macro.
macro_rules! rows {
    ($then:ident) => {
        $then! {
            plain {
                bind_pipeline: c"vkCmdBindPipeline" (
                    pipeline_bind_point: (vk::PipelineBindPoint), pipeline: (vk::Pipeline)
                )
                    => |r| r.bind_pipeline(pipeline_bind_point, pipeline);
                set_primitive_restart_index_ext: c"vkCmdSetPrimitiveRestartIndexEXT" (primitive_restart_index: (u32));
                set_attachment_feedback_loop_enable_ext: c"vkCmdSetAttachmentFeedbackLoopEnableEXT" (
                    aspect_mask: (vk::ImageAspectFlags)
                );
                set_viewport: c"vkCmdSetViewport" (
                    first_viewport: (u32), viewport_count: (u32), viewports: [vk::Viewport; viewport_count]
                );
                set_scissor: c"vkCmdSetScissor" (
                    first_scissor: (u32), scissor_count: (u32), scissors: [vk::Rect2D; scissor_count]
                );
                set_line_width: c"vkCmdSetLineWidth" (line_width: (f32));
                set_depth_bias: c"vkCmdSetDepthBias" (
                    depth_bias_constant_factor: (f32), depth_bias_clamp: (f32), depth_bias_slope_factor: (f32)
                );
                set_blend_constants: c"vkCmdSetBlendConstants" (blend_constants: [f32; 4]);
                set_depth_bounds: c"vkCmdSetDepthBounds" (min_depth_bounds: (f32), max_depth_bounds: (f32));
                set_stencil_compare_mask: c"vkCmdSetStencilCompareMask" (
                    face_mask: (vk::StencilFaceFlags), compare_mask: (u32)
                );
                set_stencil_write_mask: c"vkCmdSetStencilWriteMask" (
                    face_mask: (vk::StencilFaceFlags), write_mask: (u32)
                );
                set_stencil_reference: c"vkCmdSetStencilReference" (
                    face_mask: (vk::StencilFaceFlags), reference: (u32)
                );
                bind_descriptor_sets: c"vkCmdBindDescriptorSets" (
                    pipeline_bind_point: (vk::PipelineBindPoint), layout: (vk::PipelineLayout), first_set: (u32),
                    descriptor_set_count: (u32), descriptor_sets: [vk::DescriptorSet; descriptor_set_count],
                    dynamic_offset_count: (u32), dynamic_offsets: [u32; dynamic_offset_count]
                )
                    => |r| r.bind_sets(pipeline_bind_point, layout, first_set, list(descriptor_sets, descriptor_set_count), list(dynamic_offsets, dynamic_offset_count));
                bind_index_buffer: c"vkCmdBindIndexBuffer" (
                    buffer: (vk::Buffer), offset: (u64), index_type: (vk::IndexType)
                )
                    => |r| r.state.bind_indices(buffer, offset, vk::WHOLE_SIZE, index_type);
                bind_vertex_buffers: c"vkCmdBindVertexBuffers" (
                    first_binding: (u32), binding_count: (u32), buffers: [vk::Buffer; binding_count],
                    offsets: [u64; binding_count]
                )
                    => |r| r.state.bind_vertices(first_binding, list(buffers, binding_count), list(offsets, binding_count), &[], &[]);
                write_buffer_marker_amd: c"vkCmdWriteBufferMarkerAMD" (
                    stage: (vk::PipelineStageFlags), buffer: (vk::Buffer), offset: (u64), marker: (u32)
                );
                write_buffer_marker2_amd: c"vkCmdWriteBufferMarker2AMD" (
                    stage: (vk::PipelineStageFlags2), buffer: (vk::Buffer), offset: (u64), marker: (u32)
                );
                draw: c"vkCmdDraw" (
                    vertex_count: (u32), instance_count: (u32), first_vertex: (u32), first_instance: (u32)
                )
                    => |r| r.draw(Numbers::Direct { first: first_vertex, count: vertex_count, vertex_offset: 0, instances: instance_count, first_instance }, false);
                draw_indexed: c"vkCmdDrawIndexed" (
                    index_count: (u32), instance_count: (u32), first_index: (u32), vertex_offset: (i32),
                    first_instance: (u32)
                )
                    => |r| r.draw(Numbers::Direct { first: first_index, count: index_count, vertex_offset: vertex_offset as u32, instances: instance_count, first_instance }, true);
                draw_indirect: c"vkCmdDrawIndirect" (
                    buffer: (vk::Buffer), offset: (u64), draw_count: (u32), stride: (u32)
                )
                    => |r| r.draw(Numbers::Indirect { buffer, offset, count: draw_count, stride }, false);
                draw_indexed_indirect: c"vkCmdDrawIndexedIndirect" (
                    buffer: (vk::Buffer), offset: (u64), draw_count: (u32), stride: (u32)
                )
                    => |r| r.draw(Numbers::Indirect { buffer, offset, count: draw_count, stride }, true);
                clear_attachments: c"vkCmdClearAttachments" (
                    attachment_count: (u32), attachments: [vk::ClearAttachment; attachment_count], rect_count: (u32),
                    rects: [vk::ClearRect; rect_count]
                );
                end_conditional_rendering_ext: c"vkCmdEndConditionalRenderingEXT" () => |r| r.condition = None;
                push_constants: c"vkCmdPushConstants" (
                    layout: (vk::PipelineLayout), stage_flags: (vk::ShaderStageFlags), offset: (u32), size: (u32),
                    values: [u8; size]
                )
                    => |r| r.push_constants(layout, stage_flags, offset, list(values, size));
                debug_marker_end_ext: c"vkCmdDebugMarkerEndEXT" ();
                set_device_mask: c"vkCmdSetDeviceMask" | c"vkCmdSetDeviceMaskKHR" (device_mask: (u32));
                set_viewport_w_scaling_nv: c"vkCmdSetViewportWScalingNV" (
                    first_viewport: (u32), viewport_count: (u32),
                    viewport_wscalings: [vk::ViewportWScalingNV; viewport_count]
                );
                set_discard_rectangle_ext: c"vkCmdSetDiscardRectangleEXT" (
                    first_discard_rectangle: (u32), discard_rectangle_count: (u32),
                    discard_rectangles: [vk::Rect2D; discard_rectangle_count]
                );
                set_discard_rectangle_enable_ext: c"vkCmdSetDiscardRectangleEnableEXT" (
                    discard_rectangle_enable: (vk::Bool32)
                );
                set_discard_rectangle_mode_ext: c"vkCmdSetDiscardRectangleModeEXT" (
                    discard_rectangle_mode: (vk::DiscardRectangleModeEXT)
                );
                end_debug_utils_label_ext: c"vkCmdEndDebugUtilsLabelEXT" ();
                draw_indirect_count: c"vkCmdDrawIndirectCount" | c"vkCmdDrawIndirectCountKHR" | c"vkCmdDrawIndirectCountAMD" (
                    buffer: (vk::Buffer), offset: (u64), count_buffer: (vk::Buffer), count_buffer_offset: (u64),
                    max_draw_count: (u32), stride: (u32)
                )
                    => |r| r.draw(Numbers::Counted { buffer, offset, counts: count_buffer, at: count_buffer_offset, most: max_draw_count, stride }, false);
                draw_indexed_indirect_count: c"vkCmdDrawIndexedIndirectCount" | c"vkCmdDrawIndexedIndirectCountKHR" | c"vkCmdDrawIndexedIndirectCountAMD" (
                    buffer: (vk::Buffer), offset: (u64), count_buffer: (vk::Buffer), count_buffer_offset: (u64),
                    max_draw_count: (u32), stride: (u32)
                )
                    => |r| r.draw(Numbers::Counted { buffer, offset, counts: count_buffer, at: count_buffer_offset, most: max_draw_count, stride }, true);
                set_exclusive_scissor_nv: c"vkCmdSetExclusiveScissorNV" (
                    first_exclusive_scissor: (u32), exclusive_scissor_count: (u32),
                    exclusive_scissors: [vk::Rect2D; exclusive_scissor_count]
                );
                set_exclusive_scissor_enable_nv: c"vkCmdSetExclusiveScissorEnableNV" (
                    first_exclusive_scissor: (u32), exclusive_scissor_count: (u32),
                    exclusive_scissor_enables: [vk::Bool32; exclusive_scissor_count]
                );
                bind_shading_rate_image_nv: c"vkCmdBindShadingRateImageNV" (
                    image_view: (vk::ImageView), image_layout: (vk::ImageLayout)
                );
                draw_mesh_tasks_nv: c"vkCmdDrawMeshTasksNV" (task_count: (u32), first_task: (u32));
                draw_mesh_tasks_indirect_nv: c"vkCmdDrawMeshTasksIndirectNV" (
                    buffer: (vk::Buffer), offset: (u64), draw_count: (u32), stride: (u32)
                );
                draw_mesh_tasks_indirect_count_nv: c"vkCmdDrawMeshTasksIndirectCountNV" (
                    buffer: (vk::Buffer), offset: (u64), count_buffer: (vk::Buffer), count_buffer_offset: (u64),
                    max_draw_count: (u32), stride: (u32)
                );
                draw_mesh_tasks_ext: c"vkCmdDrawMeshTasksEXT" (
                    group_count_x: (u32), group_count_y: (u32), group_count_z: (u32)
                );
                draw_mesh_tasks_indirect_ext: c"vkCmdDrawMeshTasksIndirectEXT" (
                    buffer: (vk::Buffer), offset: (u64), draw_count: (u32), stride: (u32)
                );
                draw_mesh_tasks_indirect_count_ext: c"vkCmdDrawMeshTasksIndirectCountEXT" (
                    buffer: (vk::Buffer), offset: (u64), count_buffer: (vk::Buffer), count_buffer_offset: (u64),
                    max_draw_count: (u32), stride: (u32)
                );
                set_line_stipple: c"vkCmdSetLineStipple" | c"vkCmdSetLineStippleKHR" | c"vkCmdSetLineStippleEXT" (
                    line_stipple_factor: (u32), line_stipple_pattern: (u16)
                );
                set_cull_mode: c"vkCmdSetCullMode" | c"vkCmdSetCullModeEXT" (cull_mode: (vk::CullModeFlags));
                set_front_face: c"vkCmdSetFrontFace" | c"vkCmdSetFrontFaceEXT" (front_face: (vk::FrontFace));
                set_primitive_topology: c"vkCmdSetPrimitiveTopology" | c"vkCmdSetPrimitiveTopologyEXT" (
                    primitive_topology: (vk::PrimitiveTopology)
                )
                    => |r| r.state.topology = primitive_topology;
                set_viewport_with_count: c"vkCmdSetViewportWithCount" | c"vkCmdSetViewportWithCountEXT" (
                    viewport_count: (u32), viewports: [vk::Viewport; viewport_count]
                );
                set_scissor_with_count: c"vkCmdSetScissorWithCount" | c"vkCmdSetScissorWithCountEXT" (
                    scissor_count: (u32), scissors: [vk::Rect2D; scissor_count]
                );
                bind_index_buffer2: c"vkCmdBindIndexBuffer2" | c"vkCmdBindIndexBuffer2KHR" (
                    buffer: (vk::Buffer), offset: (u64), size: (u64), index_type: (vk::IndexType)
                )
                    => |r| r.state.bind_indices(buffer, offset, size, index_type);
                bind_vertex_buffers2: c"vkCmdBindVertexBuffers2" | c"vkCmdBindVertexBuffers2EXT" (
                    first_binding: (u32), binding_count: (u32), buffers: [vk::Buffer; binding_count],
                    offsets: [u64; binding_count], sizes: [u64; binding_count], strides: [u64; binding_count]
                )
                    => |r| r.state.bind_vertices(first_binding, list(buffers, binding_count), list(offsets, binding_count), list(sizes, binding_count), list(strides, binding_count));
                set_depth_test_enable: c"vkCmdSetDepthTestEnable" | c"vkCmdSetDepthTestEnableEXT" (
                    depth_test_enable: (vk::Bool32)
                );
                set_depth_write_enable: c"vkCmdSetDepthWriteEnable" | c"vkCmdSetDepthWriteEnableEXT" (
                    depth_write_enable: (vk::Bool32)
                );
                set_depth_compare_op: c"vkCmdSetDepthCompareOp" | c"vkCmdSetDepthCompareOpEXT" (
                    depth_compare_op: (vk::CompareOp)
                );
                set_depth_bounds_test_enable: c"vkCmdSetDepthBoundsTestEnable" | c"vkCmdSetDepthBoundsTestEnableEXT" (
                    depth_bounds_test_enable: (vk::Bool32)
                );
                set_stencil_test_enable: c"vkCmdSetStencilTestEnable" | c"vkCmdSetStencilTestEnableEXT" (
                    stencil_test_enable: (vk::Bool32)
                );
                set_stencil_op: c"vkCmdSetStencilOp" | c"vkCmdSetStencilOpEXT" (
                    face_mask: (vk::StencilFaceFlags), fail_op: (vk::StencilOp), pass_op: (vk::StencilOp),
                    depth_fail_op: (vk::StencilOp), compare_op: (vk::CompareOp)
                );
                set_patch_control_points_ext: c"vkCmdSetPatchControlPointsEXT" (patch_control_points: (u32));
                set_rasterizer_discard_enable: c"vkCmdSetRasterizerDiscardEnable" | c"vkCmdSetRasterizerDiscardEnableEXT" (
                    rasterizer_discard_enable: (vk::Bool32)
                );
                set_sample_mask_ext: c"vkCmdSetSampleMaskEXT" (
                    samples: (vk::SampleCountFlags), sample_mask: [u32; samples.as_raw().div_ceil(32)]
                );
                set_line_rasterization_mode_ext: c"vkCmdSetLineRasterizationModeEXT" (
                    line_rasterization_mode: (vk::LineRasterizationModeEXT)
                );
                set_fragment_shading_rate_khr: c"vkCmdSetFragmentShadingRateKHR" (
                    fragment_size: [vk::Extent2D; 1], combiner_ops: [vk::FragmentShadingRateCombinerOpKHR; 2]
                );
                set_vertex_input_ext: c"vkCmdSetVertexInputEXT" (
                    vertex_binding_description_count: (u32),
                    vertex_binding_descriptions: [vk::VertexInputBindingDescription2EXT<'static>; vertex_binding_description_count],
                    vertex_attribute_description_count: (u32),
                    vertex_attribute_descriptions: [vk::VertexInputAttributeDescription2EXT<'static>; vertex_attribute_description_count]
                )
                    => |r| r.state.set_input(list(vertex_binding_descriptions, vertex_binding_description_count), list(vertex_attribute_descriptions, vertex_attribute_description_count));
                set_depth_bias_enable: c"vkCmdSetDepthBiasEnable" | c"vkCmdSetDepthBiasEnableEXT" (
                    depth_bias_enable: (vk::Bool32)
                );
                set_logic_op_ext: c"vkCmdSetLogicOpEXT" (logic_op: (vk::LogicOp));
                set_primitive_restart_enable: c"vkCmdSetPrimitiveRestartEnable" | c"vkCmdSetPrimitiveRestartEnableEXT" (
                    primitive_restart_enable: (vk::Bool32)
                )
                    => |r| r.state.restart = primitive_restart_enable == vk::TRUE;
                set_tessellation_domain_origin_ext: c"vkCmdSetTessellationDomainOriginEXT" (
                    domain_origin: (vk::TessellationDomainOrigin)
                );
                set_depth_clamp_enable_ext: c"vkCmdSetDepthClampEnableEXT" (depth_clamp_enable: (vk::Bool32));
                set_polygon_mode_ext: c"vkCmdSetPolygonModeEXT" (polygon_mode: (vk::PolygonMode));
                set_rasterization_samples_ext: c"vkCmdSetRasterizationSamplesEXT" (
                    rasterization_samples: (vk::SampleCountFlags)
                );
                set_alpha_to_coverage_enable_ext: c"vkCmdSetAlphaToCoverageEnableEXT" (
                    alpha_to_coverage_enable: (vk::Bool32)
                );
                set_alpha_to_one_enable_ext: c"vkCmdSetAlphaToOneEnableEXT" (alpha_to_one_enable: (vk::Bool32));
                set_logic_op_enable_ext: c"vkCmdSetLogicOpEnableEXT" (logic_op_enable: (vk::Bool32));
                set_color_blend_enable_ext: c"vkCmdSetColorBlendEnableEXT" (
                    first_attachment: (u32), attachment_count: (u32),
                    color_blend_enables: [vk::Bool32; attachment_count]
                );
                set_color_blend_equation_ext: c"vkCmdSetColorBlendEquationEXT" (
                    first_attachment: (u32), attachment_count: (u32),
                    color_blend_equations: [vk::ColorBlendEquationEXT; attachment_count]
                );
                set_color_write_mask_ext: c"vkCmdSetColorWriteMaskEXT" (
                    first_attachment: (u32), attachment_count: (u32),
                    color_write_masks: [vk::ColorComponentFlags; attachment_count]
                );
                set_conservative_rasterization_mode_ext: c"vkCmdSetConservativeRasterizationModeEXT" (
                    conservative_rasterization_mode: (vk::ConservativeRasterizationModeEXT)
                );
                set_extra_primitive_overestimation_size_ext: c"vkCmdSetExtraPrimitiveOverestimationSizeEXT" (
                    extra_primitive_overestimation_size: (f32)
                );
                set_depth_clip_enable_ext: c"vkCmdSetDepthClipEnableEXT" (depth_clip_enable: (vk::Bool32));
                set_sample_locations_enable_ext: c"vkCmdSetSampleLocationsEnableEXT" (
                    sample_locations_enable: (vk::Bool32)
                );
                set_color_blend_advanced_ext: c"vkCmdSetColorBlendAdvancedEXT" (
                    first_attachment: (u32), attachment_count: (u32),
                    color_blend_advanced: [vk::ColorBlendAdvancedEXT; attachment_count]
                );
                set_provoking_vertex_mode_ext: c"vkCmdSetProvokingVertexModeEXT" (
                    provoking_vertex_mode: (vk::ProvokingVertexModeEXT)
                )
                    => |r| r.state.provoking = provoking_vertex_mode;
                set_line_stipple_enable_ext: c"vkCmdSetLineStippleEnableEXT" (stippled_line_enable: (vk::Bool32));
                set_depth_clip_negative_one_to_one_ext: c"vkCmdSetDepthClipNegativeOneToOneEXT" (
                    negative_one_to_one: (vk::Bool32)
                );
                set_viewport_w_scaling_enable_nv: c"vkCmdSetViewportWScalingEnableNV" (
                    viewport_wscaling_enable: (vk::Bool32)
                );
                set_viewport_swizzle_nv: c"vkCmdSetViewportSwizzleNV" (
                    first_viewport: (u32), viewport_count: (u32),
                    viewport_swizzles: [vk::ViewportSwizzleNV; viewport_count]
                );
                set_coverage_to_color_enable_nv: c"vkCmdSetCoverageToColorEnableNV" (
                    coverage_to_color_enable: (vk::Bool32)
                );
                set_coverage_to_color_location_nv: c"vkCmdSetCoverageToColorLocationNV" (
                    coverage_to_color_location: (u32)
                );
                set_coverage_modulation_mode_nv: c"vkCmdSetCoverageModulationModeNV" (
                    coverage_modulation_mode: (vk::CoverageModulationModeNV)
                );
                set_coverage_modulation_table_enable_nv: c"vkCmdSetCoverageModulationTableEnableNV" (
                    coverage_modulation_table_enable: (vk::Bool32)
                );
                set_coverage_modulation_table_nv: c"vkCmdSetCoverageModulationTableNV" (
                    coverage_modulation_table_count: (u32),
                    coverage_modulation_table: [f32; coverage_modulation_table_count]
                );
                set_shading_rate_image_enable_nv: c"vkCmdSetShadingRateImageEnableNV" (
                    shading_rate_image_enable: (vk::Bool32)
                );
                set_coverage_reduction_mode_nv: c"vkCmdSetCoverageReductionModeNV" (
                    coverage_reduction_mode: (vk::CoverageReductionModeNV)
                );
                set_representative_fragment_test_enable_nv: c"vkCmdSetRepresentativeFragmentTestEnableNV" (
                    representative_fragment_test_enable: (vk::Bool32)
                );
                set_fragment_shading_rate_enum_nv: c"vkCmdSetFragmentShadingRateEnumNV" (
                    shading_rate: (vk::FragmentShadingRateNV), combiner_ops: [vk::FragmentShadingRateCombinerOpKHR; 2]
                );
                set_color_write_enable_ext: c"vkCmdSetColorWriteEnableEXT" (
                    attachment_count: (u32), color_write_enables: [vk::Bool32; attachment_count]
                );
                set_descriptor_buffer_offsets_ext: c"vkCmdSetDescriptorBufferOffsetsEXT" (
                    pipeline_bind_point: (vk::PipelineBindPoint), layout: (vk::PipelineLayout), first_set: (u32),
                    set_count: (u32), buffer_indices: [u32; set_count], offsets: [u64; set_count]
                )
                    => |r| r.set_offsets(pipeline_bind_point, layout, first_set, list(buffer_indices, set_count), list(offsets, set_count));
                bind_descriptor_buffer_embedded_samplers_ext: c"vkCmdBindDescriptorBufferEmbeddedSamplersEXT" (
                    pipeline_bind_point: (vk::PipelineBindPoint), layout: (vk::PipelineLayout), set: (u32)
                )
                    => |r| r.embed_samplers(pipeline_bind_point, layout, set);
                bind_shaders_ext: c"vkCmdBindShadersEXT" (
                    stage_count: (u32), stages: [vk::ShaderStageFlags; stage_count],
                    shaders: [vk::ShaderEXT; stage_count]
                )
                    => |r| r.unknown = Some(c"vkCmdBindShadersEXT");
            }
            own {
                begin_render_pass: c"vkCmdBeginRenderPass" (a: *const vk::RenderPassBeginInfo<'_>, b: vk::SubpassContents) = passes::begin_render_pass;
                begin_render_pass2: c"vkCmdBeginRenderPass2" | c"vkCmdBeginRenderPass2KHR" (a: *const vk::RenderPassBeginInfo<'_>, b: *const vk::SubpassBeginInfo<'_>) = passes::begin_render_pass2;
                begin_rendering: c"vkCmdBeginRendering" | c"vkCmdBeginRenderingKHR" (a: *const vk::RenderingInfo<'_>) = passes::begin_rendering;
                next_subpass: c"vkCmdNextSubpass" (a: vk::SubpassContents) = passes::next_subpass;
                next_subpass2: c"vkCmdNextSubpass2" | c"vkCmdNextSubpass2KHR" (a: *const vk::SubpassBeginInfo<'_>, b: *const vk::SubpassEndInfo<'_>) = passes::next_subpass2;
                end_render_pass: c"vkCmdEndRenderPass" () = passes::end_render_pass;
                end_render_pass2: c"vkCmdEndRenderPass2" | c"vkCmdEndRenderPass2KHR" (a: *const vk::SubpassEndInfo<'_>) = passes::end_render_pass2;
                end_rendering: c"vkCmdEndRendering" | c"vkCmdEndRenderingKHR" () = passes::end_rendering;
                execute_commands: c"vkCmdExecuteCommands" (a: u32, b: *const vk::CommandBuffer) = passes::execute_commands;
                bind_transform_feedback_buffers: c"vkCmdBindTransformFeedbackBuffersEXT" (a: u32, b: u32, c: *const vk::Buffer, d: *const u64, e: *const u64) = feedback::bind_buffers;
                begin_transform_feedback: c"vkCmdBeginTransformFeedbackEXT" (a: u32, b: u32, c: *const vk::Buffer, d: *const u64) = feedback::begin;
                end_transform_feedback: c"vkCmdEndTransformFeedbackEXT" (a: u32, b: u32, c: *const vk::Buffer, d: *const u64) = feedback::end;
                end_rendering2: c"vkCmdEndRendering2KHR" | c"vkCmdEndRendering2EXT" (a: *const c_void) = passes::end_rendering2;
                draw_indirect_byte_count: c"vkCmdDrawIndirectByteCountEXT" (a: u32, b: u32, c: vk::Buffer, d: u64, e: u32, f: u32) = feedback::draw_byte_count;
                begin_query_indexed: c"vkCmdBeginQueryIndexedEXT" (a: vk::QueryPool, b: u32, c: vk::QueryControlFlags, d: u32) = queries::begin_query_indexed;
                end_query_indexed: c"vkCmdEndQueryIndexedEXT" (a: vk::QueryPool, b: u32, c: u32) = queries::end_query_indexed;
                begin_query: c"vkCmdBeginQuery" (a: vk::QueryPool, b: u32, c: vk::QueryControlFlags) = queries::begin_query;
                end_query: c"vkCmdEndQuery" (a: vk::QueryPool, b: u32) = queries::end_query;
                write_timestamp: c"vkCmdWriteTimestamp" (a: vk::PipelineStageFlags, b: vk::QueryPool, c: u32) = queries::write_timestamp;
                write_timestamp2: c"vkCmdWriteTimestamp2" | c"vkCmdWriteTimestamp2KHR" (a: vk::PipelineStageFlags2, b: vk::QueryPool, c: u32) = queries::write_timestamp2;
                begin_conditional_rendering: c"vkCmdBeginConditionalRenderingEXT" (a: *const vk::ConditionalRenderingBeginInfoEXT<'_>) = draws::begin_condition;
                draw_multi: c"vkCmdDrawMultiEXT" (a: u32, b: *const vk::MultiDrawInfoEXT, c: u32, d: u32, e: u32) = draws::draw_multi;
                draw_multi_indexed: c"vkCmdDrawMultiIndexedEXT" (a: u32, b: *const vk::MultiDrawIndexedInfoEXT, c: u32, d: u32, e: u32, f: *const i32) = draws::draw_multi_indexed;
                begin_label: c"vkCmdBeginDebugUtilsLabelEXT" (a: *const vk::DebugUtilsLabelEXT<'_>) = draws::begin_label;
                insert_label: c"vkCmdInsertDebugUtilsLabelEXT" (a: *const vk::DebugUtilsLabelEXT<'_>) = draws::insert_label;
                set_depth_bias2: c"vkCmdSetDepthBias2EXT" (a: *const vk::DepthBiasInfoEXT<'_>) = draws::set_depth_bias2;
                set_attachment_locations: c"vkCmdSetRenderingAttachmentLocations" | c"vkCmdSetRenderingAttachmentLocationsKHR" (a: *const vk::RenderingAttachmentLocationInfoKHR<'_>) = draws::set_attachment_locations;
                push_descriptor_set: c"vkCmdPushDescriptorSet" | c"vkCmdPushDescriptorSetKHR" (a: vk::PipelineBindPoint, b: vk::PipelineLayout, c: u32, d: u32, e: *const vk::WriteDescriptorSet<'_>) = sets::push_descriptor_set;
                push_descriptor_set_with_template: c"vkCmdPushDescriptorSetWithTemplate" | c"vkCmdPushDescriptorSetWithTemplateKHR" (a: vk::DescriptorUpdateTemplate, b: vk::PipelineLayout, c: u32, d: *const c_void) = sets::push_descriptor_set_with_template;
                push_descriptor_set2: c"vkCmdPushDescriptorSet2" | c"vkCmdPushDescriptorSet2KHR" (a: *const vk::PushDescriptorSetInfoKHR<'_>) = sets::push_descriptor_set2;
                push_descriptor_set_with_template2: c"vkCmdPushDescriptorSetWithTemplate2" | c"vkCmdPushDescriptorSetWithTemplate2KHR" (a: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>) = sets::push_descriptor_set_with_template2;
                bind_embedded_samplers2: c"vkCmdBindDescriptorBufferEmbeddedSamplers2EXT" (a: *const vk::BindDescriptorBufferEmbeddedSamplersInfoEXT<'_>) = sets::bind_embedded_samplers2;
                bind_descriptor_sets2: c"vkCmdBindDescriptorSets2" | c"vkCmdBindDescriptorSets2KHR" (a: *const vk::BindDescriptorSetsInfoKHR<'_>) = sets::bind_descriptor_sets2;
                push_constants2: c"vkCmdPushConstants2" | c"vkCmdPushConstants2KHR" (a: *const vk::PushConstantsInfoKHR<'_>) = sets::push_constants2;
                bind_descriptor_buffers: c"vkCmdBindDescriptorBuffersEXT" (a: u32, b: *const vk::DescriptorBufferBindingInfoEXT<'_>) = sets::bind_descriptor_buffers;
                set_descriptor_buffer_offsets2: c"vkCmdSetDescriptorBufferOffsets2EXT" (a: *const vk::SetDescriptorBufferOffsetsInfoEXT<'_>) = sets::set_descriptor_buffer_offsets2;
                pipeline_barrier: c"vkCmdPipelineBarrier" (a: vk::PipelineStageFlags, b: vk::PipelineStageFlags, c: vk::DependencyFlags, d: u32, e: *const vk::MemoryBarrier<'_>, f: u32, g: *const vk::BufferMemoryBarrier<'_>, h: u32, i: *const vk::ImageMemoryBarrier<'_>) = own::pipeline_barrier;
                pipeline_barrier2: c"vkCmdPipelineBarrier2" | c"vkCmdPipelineBarrier2KHR" (a: *const vk::DependencyInfo<'_>) = own::pipeline_barrier2;
            }
        }
    };
}

pub(crate) use rows;
