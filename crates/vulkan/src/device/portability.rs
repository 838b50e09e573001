//! What drivers on top of Metal offer, so that any device can be held to it (option `without`): a Mac's picture, but for its driver's own
//! rounding and faults, can be drawn and compared where no Mac is.
//!
//! Source of the columns: MoltenVK 1.4.3 at 1484e7f8 on Apple's processors without private calls, and Mesa's KosmicKrisp (kk_physical_device.c
//! 0104b3df), as read from what they report.

use super::profile::Profile;
use crate::options::Without;
use ash::vk;

/// An ability: what Vulkan calls it, whether MoltenVK and KosmicKrisp have it, and how a profile is without it.
struct Row {
    name: &'static str,
    has: [bool; 2],
    without: fn(&mut Profile),
}

const fn row(name: &'static str, has: [bool; 2], without: fn(&mut Profile)) -> Row {
    Row { name, has, without }
}

const YES_NO: [bool; 2] = [true, false];
const NO_YES: [bool; 2] = [false, true];
const NEITHER: [bool; 2] = [false, false];

/// What one of them lacks at least.
const ROWS: &[Row] = &[
    row("VK_EXT_custom_border_color", NEITHER, |p| p.custom_border_color = false),
    row("samplerFilterMinmax", NEITHER, |p| p.minimum_filter = false),
    row("extendedDynamicState3ColorBlend*, ColorWriteMask", NEITHER, |p| p.dynamic_state3.blend = false),
    row("extendedDynamicState3SampleMask", NEITHER, |p| p.dynamic_state3.sample_mask = false),
    row("extendedDynamicState3PolygonMode", YES_NO, |p| p.dynamic_state3.polygon_mode = false),
    row("extendedDynamicState3DepthClampEnable", YES_NO, |p| p.dynamic_state3.depth_clamp = false),
    row("extendedDynamicState2LogicOp", NEITHER, |p| p.dynamic_logic_op = false),
    row("VK_EXT_multi_draw", YES_NO, |p| p.multi_draw = 0),
    // SPIRV-Cross has no form for the number of a draw, whatever MoltenVK says of shaderDrawParameters.
    row("DrawIndex", NEITHER, |p| p.draw_records = false),
    row("fillModeNonSolid", YES_NO, |p| p.fill_modes = false),
    row("logicOp", NO_YES, |p| p.logic_op = false),
    row("wideLines", NEITHER, |p| p.line_widths = [1.0; 2]),
    row("rectangularLines", NEITHER, |p| p.rectangular_lines = false),
    row("smoothLines", NEITHER, |p| p.smooth_lines = false),
    row("VK_EXT_transform_feedback", NEITHER, |p| p.transform_feedback = None),
    row("geometryShader", NEITHER, |p| {
        p.geometry_shader = false;
        p.adjacency = false;
    }),
    row("indexTypeUint8", YES_NO, |p| p.small_indices = false),
    row("primitiveTopologyListRestart", NEITHER, |p| p.list_restart = false),
    row("provokingVertexLast", NEITHER, |p| p.provoking_last = false),
    row("depthClipEnable", NEITHER, |p| p.depth_clip = false),
    row("depthBounds", NEITHER, |p| p.depth_bounds = false),
    row("depthBiasControl", NEITHER, |p| p.depth_bias_control = false),
    row("occlusionQueryPrecise", YES_NO, |p| p.precise_occlusion = false),
    row("shaderClipDistance", YES_NO, |p| p.clip_distance = false),
    row("shaderCullDistance", NEITHER, |p| p.shaders.cull_distance = false),
    row("largePoints", YES_NO, |p| p.large_points = false),
    // MoltenVK draws them, but as a driver of the portability subset it may not.
    row("triangleFans without the portability subset", NO_YES, |p| p.triangle_fans = false),
    row("timestampValidBits", YES_NO, |p| p.timestamp_bits = 0),
    row("pipelineStatisticsQuery", NEITHER, |p| p.pipeline_statistics = false),
    row("formatA4R4G4B4", YES_NO, |p| p.format_4444 = false),
    row("VK_EXT_graphics_pipeline_library", NEITHER, |p| p.pipeline_libraries = false),
    row("nullDescriptor", NEITHER, |p| p.null_descriptor = false),
    row("VK_EXT_memory_budget", YES_NO, |p| p.memory_budget = false),
    row("vertexPipelineStoresAndAtomics", YES_NO, |p| p.shaders.vertex_stores = false),
    row("fragmentStoresAndAtomics", YES_NO, |p| p.shaders.pixel_stores = false),
    row("shaderFloat64", NEITHER, |p| p.shaders.float64 = false),
    row("shaderBufferInt64Atomics", NEITHER, |p| p.shaders.int64_atomics = false),
    row("shaderSharedInt64Atomics", NEITHER, |p| p.shaders.shared_int64_atomics = false),
    row("shaderImageInt64Atomics", NEITHER, |p| p.shaders.image_int64_atomics = false),
    row("shaderImageGatherExtended", YES_NO, |p| p.shaders.gather_extended = false),
    // No shader of Metal writes to a texture of several samples.
    row("shaderStorageImageMultisample", NEITHER, |p| p.shaders.storage_samples = false),
    row("sampleRateShading", YES_NO, |p| p.shaders.sample_rate = false),
    row("fragmentShaderPixelInterlock", YES_NO, |p| p.shaders.interlock = false),
    row("subgroupSupportedStages: vertex", NEITHER, |p| p.shaders.subgroups[2] = false),
    row("shaderSignedZeroInfNanPreserveFloat32", YES_NO, |p| p.float_controls = false),
    row("pointSizeRange", YES_NO, |p| p.limits.point_size_range = [1.0; 2]),
];

/// Formats that neither has: Apple's processors have no depth of 24 bits.
const FORMATS: [vk::Format; 2] = [vk::Format::D24_UNORM_S8_UINT, vk::Format::X8_D24_UNORM_PACK32];

/// Which of the columns count.
fn columns(without: &Without) -> [bool; 2] {
    [without.beyond_moltenvk, without.beyond_kosmickrisp]
}

/// Takes from a profile what the drivers lack that it is to be held to.
pub(crate) fn hold(profile: &mut Profile, without: &Without) {
    let columns = columns(without);
    let lacking = |row: &&Row| columns.iter().zip(row.has).any(|(counts, has)| *counts && !has);
    for row in ROWS.iter().filter(lacking) {
        tracing::debug!("held to drivers on Metal: without {}", row.name);
        (row.without)(profile);
    }
}

/// Formats that a device is to do without.
pub(crate) fn formats(without: &Without) -> &'static [vk::Format] {
    if columns(without).contains(&true) { &FORMATS } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::ROWS;

    #[test]
    fn every_row_takes_something_from_one_of_them() {
        for row in ROWS {
            assert!(row.has.contains(&false), "{}", row.name);
            assert_eq!(ROWS.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
        }
    }
}
