//! What a device says of itself.

use afterimage_metal_calls::{Error, Facts, Family, Limits, Result};
use objc2::rc::Retained;
use objc2::runtime::{NSObjectProtocol as _, ProtocolObject};
use objc2::{available, sel};
use objc2_metal::{MTLArgumentBuffersTier, MTLBuffer as _, MTLDevice, MTLGPUFamily, MTLResourceOptions};

/// Families from the highest down.
const FAMILIES: [(MTLGPUFamily, Family); 4] = [
    (MTLGPUFamily::Apple9, Family::Apple9),
    (MTLGPUFamily::Apple8, Family::Apple8),
    (MTLGPUFamily::Apple7, Family::Apple7),
    (MTLGPUFamily::Mac2, Family::Mac2),
];

/// Asks a device. Refuses one of a family that is older than all that the renderer knows.
pub(crate) fn ask(raw: &ProtocolObject<dyn MTLDevice>) -> Result<Facts> {
    let name = raw.name().to_string();
    let mut families = FAMILIES.into_iter();
    let Some((_, family)) = families.find(|(family, _)| raw.supportsFamily(*family)) else {
        let faults = vec![format!("{name} is of none of the families Mac2, Apple7 and later")];
        return Err(Error::Refused { what: "supportsFamily", faults });
    };
    let least = |table: u32, asked: usize| table.min(u32::try_from(asked).unwrap_or(u32::MAX));
    let table = family.limits();
    let limits = Limits {
        threads: least(table.threads, raw.maxThreadsPerThreadgroup().width),
        threadgroup_memory: least(table.threadgroup_memory, raw.maxThreadgroupMemoryLength()),
        ..table
    };
    Ok(Facts {
        name,
        family,
        limits,
        max_buffer: raw.maxBufferLength() as u64,
        working_set: raw.recommendedMaxWorkingSetSize(),
        unified_memory: raw.hasUnifiedMemory(),
        samples: (0..6)
            .map(|power| 1_u32 << power)
            .filter(|count| raw.supportsTextureSampleCount(*count as usize))
            .sum(),
        float32_filtering: raw.supports32BitFloatFiltering(),
        msaa32: raw.supports32BitMSAA(),
        bc: raw.supportsBCTextureCompression(),
        depth24: raw.isDepth24Stencil8PixelFormatSupported(),
        // The call is there from macOS 26 on.
        depth_bounds: raw.supportsFamily(MTLGPUFamily::Apple10) && available!(macos = 26.0),
        addresses: raw.supportsFamily(MTLGPUFamily::Metal3)
            && raw.argumentBuffersSupport() == MTLArgumentBuffersTier::Tier2
            && has_addresses(raw),
        language: crate::pipelines::version(),
    })
}

/// Whether buffers have `gpuAddress`, which is there from macOS 13 on.
fn has_addresses(raw: &ProtocolObject<dyn MTLDevice>) -> bool {
    let buffer: Option<Retained<_>> = raw.newBufferWithLength_options(16, MTLResourceOptions::StorageModePrivate);
    buffer.is_some_and(|buffer| buffer.respondsToSelector(sel!(gpuAddress)) && buffer.gpuAddress() != 0)
}
