//! Constants as shaders find them: the block of a stage, and the system block.

use afterimage_abi::{Bank, SystemRegister as R};
use afterimage_shader::Segment;
use afterimage_stream::State;
use afterimage_stream::host::RasterStates;
use std::ops::Range;

/// The system block.
pub type SystemBlock = [[u32; 4]; R::COUNT as usize];

/// Lays the constants of a stage out one segment after the other, and over them what the shader defines: the byte where each register
/// lies in the block, and its value. Segments must lie inside of their banks, and the block hold all of them.
#[inline]
pub fn write(state: &State, segments: &[Segment], defs: &[(usize, [u32; 4])], block: &mut [u8]) {
    let mut bytes = &mut *block;
    for segment in segments {
        let registers = &state.bank(usize::from(segment.bank))[segment.first as usize..][..segment.count as usize];
        let (part, rest) = bytes.split_at_mut(size_of_val(registers));
        // No call: they are mostly a few.
        for (place, register) in part.as_chunks_mut::<16>().0.iter_mut().zip(registers) {
            *place = bytemuck::cast(*register);
        }
        bytes = rest;
    }
    for (offset, value) in defs {
        block[*offset..*offset + 16].copy_from_slice(bytemuck::bytes_of(value));
    }
}

/// Alpha reference, fog, point size, clip planes, sizes of texels. `halves`: half a texel of each pixel slot whose lookups give four;
/// `points`: the smallest and largest point that the device has, in pixels.
#[must_use]
pub fn system_block(state: &State, halves: &[[f32; 2]], points: [f32; 2]) -> SystemBlock {
    const ALPHA_REFERENCE: usize = R::AlphaReference.register() as usize;
    const FOG_COLOR: usize = R::FogColor.register() as usize;
    const FOG: usize = R::Fog.register() as usize;
    const POINT_SIZE: usize = R::PointSize.register() as usize;
    const PIXEL_OPS: usize = R::PixelOps.register() as usize;
    const PLANES: Range<usize> = R::ClipPlane.range();
    const HALVES: Range<usize> = R::HalfTexel.range();
    let ops = &state.pixel_ops;
    let mut block = [[0f32; 4]; R::COUNT as usize];
    block[ALPHA_REFERENCE][0] = ops.alpha_ref;
    block[FOG_COLOR] = ops.fog_color;
    let range = ops.fog_end - ops.fog_start;
    // Fog that ends where it starts is a step: none before that place, all of it from there on.
    let per_unit = if range == 0.0 { f32::MAX } else { 1.0 / range };
    block[FOG] = [ops.fog_start, ops.fog_end, per_unit, 0.0];
    let raster = state.raster.part(RasterStates::POINTS);
    let [device_min, device_max] = points;
    let smallest = raster.point_size_min.max(device_min);
    let largest = if raster.point_size_max > 0.0 { raster.point_size_max.min(device_max) } else { device_max };
    block[POINT_SIZE] = [raster.point_size, smallest, largest.max(device_min), raster.point_size_min];
    block[PIXEL_OPS] = [f32::from_bits(ops.alpha_compare.into()), f32::from_bits(ops.fog.into()), 0.0, 0.0];
    let planes: &[[f32; 4]] = bytemuck::cast_slice(&state.bank(Bank::System as usize)[PLANES]);
    block[PLANES].copy_from_slice(planes);
    for (register, half) in block[HALVES].iter_mut().zip(halves) {
        *register = [half[0], half[1], 0.0, 0.0];
    }
    bytemuck::cast(block)
}
