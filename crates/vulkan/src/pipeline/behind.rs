//! What the renderer puts behind what shaders declare: the table of [`afterimage_shader::declared`], filled for a device.

use crate::device::profile::Profile;
use afterimage_ir::{MAX_ARRAY, MAX_VARS};
use afterimage_shader::Stage;
use afterimage_shader::declared::{BankBehind, Behind, Has};
use afterimage_stream::{BANKS, Bank, Host, STORAGE_IMAGES, gcn_bank, packets};

/// Locations of vertex attributes in the stream.
const ATTRIBUTES: u32 = 32;

/// Colour targets in the stream.
const TARGETS: u32 = 8;

/// Components of the position, which devices count among those that stages pass on.
const POSITION: u32 = 4;

/// What there is on a device. Banks of addresses are there for shaders of tests that may have addresses of their own.
pub(crate) fn of(profile: &Profile, raw_addresses: bool) -> Behind {
    let (limits, shaders) = (&profile.limits, &profile.shaders);
    let passed = |components: u32| components.saturating_sub(POSITION) / 4;
    let varyings = passed(limits.max_vertex_output_components);
    Behind {
        banks: BANKS.iter().zip(0..).map(|(bank, number)| behind_bank(bank, number, raw_addresses)).collect(),
        system: SYSTEM_REGISTERS as u32,
        vertex_inputs: limits.max_vertex_input_attributes.min(ATTRIBUTES),
        varyings: if profile.adjacency {
            let geometry = limits.max_geometry_input_components.min(limits.max_geometry_output_components);
            varyings.min(passed(geometry))
        } else {
            varyings
        },
        pixel_inputs: passed(limits.max_fragment_input_components),
        targets: limits.max_color_attachments.min(limits.max_fragment_output_attachments).min(TARGETS),
        pixel_resources: limits.max_fragment_combined_output_resources,
        distances: [
            if profile.clip_distance { limits.max_clip_distances } else { 0 },
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
        capture: profile.transform_feedback.map(|feedback| feedback.vertex_bytes),
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
            without_format: [shaders.read_without_format, shaders.write_without_format],
            stores: [shaders.vertex_stores, shaders.pixel_stores],
        },
    }
}

/// A bank of the stream.
fn behind_bank(bank: &Bank, number: u16, raw_addresses: bool) -> BankBehind {
    let addresses = packets::Stage::WITH_BINDINGS.iter().any(|stage| gcn_bank(*stage, 1) == number);
    let stages: &[Stage] = if Host::VERTEX_BANK.contains(bank.state) {
        &[Stage::Vertex, Stage::Geometry]
    } else if Host::PIXEL_BANK.contains(bank.state) {
        &[Stage::Pixel]
    } else if Host::COMPUTE_BANK.contains(bank.state) {
        &[Stage::Compute]
    } else {
        // The system block is laid out by the renderer.
        &[]
    };
    BankBehind { registers: if addresses && !raw_addresses { 0 } else { bank.registers.into() }, stages }
}

/// Registers of the system block.
pub(crate) const SYSTEM_REGISTERS: usize = 30;
