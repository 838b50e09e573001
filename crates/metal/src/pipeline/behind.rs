//! What the renderer puts behind what shaders declare: the table of [`afterimage_shader::declared`], filled for a device.

use afterimage_abi::slots::{STORAGE_IMAGES, VERTEX_ATTRIBUTES};
use afterimage_abi::{Bank, SystemRegister};
use afterimage_ir::{MAX_ARRAY, MAX_VARS};
use afterimage_metal_calls::Facts;
use afterimage_shader::Stage;
use afterimage_shader::declared::{BankBehind, Behind, Has};

/// Locations between the stages. They are names in Metal; how much is behind them all the writer of shaders counts.
const LOCATIONS: u32 = 31;

/// What there is on a device. Banks of addresses are there for shaders of tests that may have addresses of their own.
pub(crate) fn of(facts: &Facts, raw_addresses: bool) -> Behind {
    let limits = &facts.limits;
    Behind {
        banks: Bank::ALL.into_iter().map(|bank| behind_bank(bank, raw_addresses)).collect(),
        system: SystemRegister::COUNT.into(),
        vertex_inputs: limits.vertex_attributes.min(VERTEX_ATTRIBUTES as u32),
        varyings: LOCATIONS,
        pixel_inputs: LOCATIONS,
        targets: limits.targets,
        pixel_resources: limits.targets,
        distances: [limits.clip_distances, 0, limits.clip_distances],
        // They are kernels.
        geometry: [u32::MAX; 3],
        feedback: None,
        images: STORAGE_IMAGES as u32,
        group: [limits.threads; 3],
        lanes: limits.threads,
        shared: limits.threadgroup_memory,
        array: MAX_ARRAY,
        variables: MAX_VARS as u32,
        has: Has {
            // By kernels.
            geometry: facts.addresses,
            sample_rate: true,
            second_color: true,
            vertex_layer: true,
            viewports: limits.viewports > 1,
            cube_arrays: true,
            // Metal's shaders write to no texture of several samples.
            storage_samples: false,
            // Its operations on texels of 64 bits are least and greatest alone.
            long_texels: false,
            without_format: [true; 2],
            stores: [facts.addresses; 2],
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
