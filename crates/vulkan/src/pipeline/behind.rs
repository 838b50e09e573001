//! What the renderer puts behind what shaders declare: the table of [`afterimage_shader::declared`], filled for a device.

use crate::device::profile::Profile;
use afterimage_abi::slots::{COLOR_TARGETS, STORAGE_IMAGES, VERTEX_ATTRIBUTES};
use afterimage_abi::{Bank, SystemRegister};
use afterimage_ir::{MAX_ARRAY, MAX_VARS};
use afterimage_shader::Stage;
use afterimage_shader::declared::{BankBehind, Behind, Has};

/// Components of the position, which devices count among those that stages pass on.
const POSITION: u32 = 4;

/// What there is on a device. Banks of addresses are there for shaders of tests that may have addresses of their own.
pub(crate) fn of(profile: &Profile, raw_addresses: bool) -> Behind {
    let (limits, shaders) = (&profile.limits, &profile.shaders);
    let passed = |components: u32| components.saturating_sub(POSITION) / 4;
    let mut varyings = passed(limits.max_vertex_output_components);
    if let Some(first) = profile.clip_varyings() {
        varyings = varyings.min(first.into());
    }
    Behind {
        banks: Bank::ALL.into_iter().map(|bank| behind_bank(bank, raw_addresses)).collect(),
        system: SystemRegister::COUNT.into(),
        vertex_inputs: limits.max_vertex_input_attributes.min(VERTEX_ATTRIBUTES as u32),
        varyings: if profile.adjacency {
            let geometry = limits.max_geometry_input_components.min(limits.max_geometry_output_components);
            varyings.min(passed(geometry))
        } else {
            varyings
        },
        pixel_inputs: passed(limits.max_fragment_input_components),
        targets: limits.max_color_attachments.min(limits.max_fragment_output_attachments).min(COLOR_TARGETS as u32),
        pixel_resources: limits.max_fragment_combined_output_resources,
        distances: [
            profile.clip_distances(),
            if shaders.cull_distance { limits.max_cull_distances } else { 0 },
            limits.max_combined_clip_and_cull_distances,
        ],
        geometry: match profile.adjacency {
            true => [
                limits.max_geometry_output_vertices,
                limits.max_geometry_total_output_components,
                limits.max_geometry_shader_invocations,
            ],
            // Captures alone are made of those, by dispatches.
            false => [u32::MAX; 3],
        },
        feedback: profile.transform_feedback.map(|feedback| feedback.vertex_bytes),
        images: limits.max_per_stage_descriptor_storage_images.min(STORAGE_IMAGES as u32),
        group: limits.max_compute_work_group_size,
        lanes: limits.max_compute_work_group_invocations,
        shared: limits.max_compute_shared_memory_size,
        array: MAX_ARRAY,
        variables: MAX_VARS as u32,
        has: Has {
            geometry: profile.adjacency || profile.geometry_shader,
            sample_rate: shaders.sample_rate,
            second_color: profile.dual_source,
            vertex_layer: shaders.output_layer && shaders.output_viewport,
            viewports: shaders.output_viewport,
            cube_arrays: shaders.cube_arrays,
            storage_samples: profile.null_storage_samples() > 1,
            long_texels: shaders.image_int64_atomics,
            without_format: [shaders.read_without_format, shaders.write_without_format],
            stores: [shaders.vertex_stores, shaders.pixel_stores],
        },
    }
}

/// A bank of the stream.
fn behind_bank(bank: Bank, raw_addresses: bool) -> BankBehind {
    let stages: &[Stage] = match bank.reader() {
        Some(Stage::Vertex | Stage::Geometry) => &[Stage::Vertex, Stage::Geometry],
        Some(Stage::Pixel) => &[Stage::Pixel],
        Some(Stage::Compute) => &[Stage::Compute],
        // The system block is laid out by the renderer.
        None => &[],
    };
    BankBehind { registers: if bank.has_addresses() && !raw_addresses { 0 } else { bank.registers().into() }, stages }
}
