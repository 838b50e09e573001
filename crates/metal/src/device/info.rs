//! What guests are told about the device.

use crate::device::format::features;
use afterimage_abi::slots;
use afterimage_metal_calls::{Device, Facts};
use afterimage_stream::{DeviceFeatures, DeviceInfo, Format};

/// Apple's number, as drivers for Vulkan on Macs give it.
const APPLE: u32 = 0x106b;

/// Lanes of a subgroup on every GPU by Apple; AMD's have as many or twice as many.
const LANES: u32 = 32;

/// What guests are told about a device, by what it says of itself and what this renderer does with it.
#[must_use]
pub fn device_info(facts: &Facts) -> DeviceInfo {
    let mut info = DeviceInfo::default();
    let name = facts.name.as_bytes();
    let len = name.len().min(info.name.len() - 1);
    info.name[..len].copy_from_slice(&name[..len]);
    info.vendor = APPLE;
    info.memory = facts.working_set;
    info.max_texture_2d = facts.limits.texture_edge;
    info.max_texture_cube = facts.limits.texture_edge;
    info.max_texture_3d = facts.limits.texture_edge_3d;
    info.max_anisotropy = facts.limits.sampler_anisotropy as f32;
    // Bit n of theirs is 2^n samples, bit n - 1 of ours n.
    info.sample_counts =
        (0..5).filter(|bit| facts.samples >> bit & 1 != 0).fold(0, |bits, bit| bits | 1 << ((1 << bit) - 1));
    // No shader writes to a texture of several.
    info.storage_sample_counts = 1;
    info.max_point_size = facts.limits.point_size as f32;
    info.max_color_targets = facts.limits.targets.min(slots::COLOR_TARGETS as u32);
    info.max_clip_planes = facts.limits.clip_distances.min(slots::CLIP_PLANES as u32);
    info.subgroup_size = LANES;
    info.features |= DeviceFeatures::RECT_LIST | DeviceFeatures::CUBE_ARRAYS | DeviceFeatures::MINIMUM_FILTER;
    if facts.limits.viewports > 1 {
        info.features |= DeviceFeatures::VIEWPORTS;
    }
    if facts.depth_bounds {
        info.features |= DeviceFeatures::DEPTH_BOUNDS;
    }
    // What the writer of shaders does not know yet is missing here, whatever the device can do.
    if facts.addresses {
        info.features |= DeviceFeatures::COMPUTE | DeviceFeatures::VERTEX_STORES | DeviceFeatures::PIXEL_STORES;
        info.features |= DeviceFeatures::FEEDBACK | DeviceFeatures::READ_WITHOUT_FORMAT;
    }
    for &format in Format::ALL {
        info.formats[format as usize] = features(facts, format);
    }
    info
}

/// What stands behind a device, for people.
pub(crate) fn driver<D: Device>(device: &D) -> String {
    format!("Metal's {:?}", device.facts().family)
}
