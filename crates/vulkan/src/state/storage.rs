//! Addresses of bound buffers, and what stands in for images that are not bound.

use crate::device::gpu::Gpu;
use crate::error::Result;
use crate::memory::buffer::GuestBuffer;
use crate::pipeline::shaders::Variant;
use crate::resources::texture_tables::TextureTables;
use afterimage_render::table::Table as Objects;
use afterimage_stream::packets::{CreateBuffer, Stage};
use afterimage_stream::{FIRST_TABLE, State};
use std::sync::Arc;

/// Puts the addresses of a stage's storage buffers where its constants are.
pub(crate) fn write_addresses(
    state: &State,
    buffers: &mut Objects<GuestBuffer>,
    current: u64,
    stage: Stage,
    variant: &Variant,
    block: &mut [u8],
) {
    for &(first, count, at) in &variant.buffers {
        let bindings = state.storage(stage)[..FIRST_TABLE].iter().skip(first as usize).take(count as usize);
        for (binding, register) in bindings.zip(block[at..].as_chunks_mut::<16>().0) {
            let mut words = [0, 0, 0, binding.word];
            let buffer = if binding.buffer.is_none() { None } else { buffers.get_mut(binding.buffer) };
            if let Some(buffer) = buffer
                && let Some(own) = buffer.own.as_ref().filter(|_| buffer.desc.usage & CreateBuffer::STORAGE != 0)
                && let Some(rest) = buffer.desc.size.checked_sub(binding.offset)
            {
                let size = if binding.size == 0 { rest } else { binding.size.min(rest) };
                let (address, size) = (own.address + binding.offset, u32::try_from(size).unwrap_or(u32::MAX));
                words[..3].copy_from_slice(&[address as u32, (address >> 32) as u32, size]);
                buffer.last_used = current;
            }
            register.copy_from_slice(bytemuck::bytes_of(&words));
        }
    }
}

/// Puts where a stage's tables are behind that.
///
/// # Errors
/// Where memory for a table runs out.
pub(crate) fn write_tables(
    state: &State,
    tables: &mut TextureTables,
    gpu: &Arc<Gpu>,
    (current, completed): (u64, u64),
    stage: Stage,
    variant: &Variant,
    block: &mut [u8],
) -> Result {
    if variant.in_tables == 0 {
        return Ok(());
    }
    for &(first, count, at) in &variant.buffers {
        let registers = block[at..].as_chunks_mut::<16>().0.iter_mut();
        for (number, register) in (first as usize..(first + count) as usize).zip(registers) {
            let Some(binding) = state.storage(stage).get(number).filter(|_| number >= FIRST_TABLE) else { continue };
            let mut words = [0, 0, 0, binding.word];
            if !binding.buffer.is_none()
                && let Some((address, bytes)) = tables.address(gpu, binding.buffer, current, completed)?
            {
                words[..3].copy_from_slice(&[address as u32, (address >> 32) as u32, bytes]);
            }
            register.copy_from_slice(bytemuck::bytes_of(&words));
        }
    }
    Ok(())
}
