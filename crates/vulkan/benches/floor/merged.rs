//! The cases with runs of draws in one command: what differs between them is in a record that the shader finds by the draw's number.

use ash::vk;

use super::cases::Case;
use super::frames::{COMMAND, Slot};
use super::gpu::{Gpu, Multi};
use super::scene::{SMALL, Scene, Triangle};
use super::shaders::{RECORD, Record};

impl Case {
    /// Records its draws in as few commands as the device takes.
    ///
    /// # Safety
    /// As [`Case::record`].
    pub(crate) unsafe fn record_merged(
        self,
        gpu: &Gpu,
        multi: &Multi,
        scene: &Scene,
        slot: &mut Slot,
        triangle: &Triangle,
        draws: u32,
    ) {
        let corners = bytemuck::bytes_of(&triangle.corners);
        let mut constants = [0f32; 4];
        slot.draws.clear();
        // SAFETY: the caller vouches for the slot.
        unsafe {
            match self {
                Self::Lock | Self::UserPointer => {
                    gpu.device.cmd_bind_vertex_buffers(slot.c, 0, &[slot.vertices.buffer.raw], &[0]);
                    for _ in 0..draws {
                        let at = slot.vertices.put(corners);
                        slot.add(multi, Self::vertex_at(at));
                    }
                    slot.flush(gpu, multi, scene, draws, None);
                }
                Self::Constant | Self::Texture => {
                    let Some(pipeline) = scene.recorded else { return };
                    gpu.device.cmd_bind_pipeline(slot.c, vk::PipelineBindPoint::GRAPHICS, pipeline);
                    let records = slot.records.buffer.address + slot.records.next() as u64;
                    for index in 0..draws {
                        let record = if self == Self::Texture {
                            Record { constants: scene.zeros(), texture: index % SMALL, pad: 0 }
                        } else {
                            constants[0] = index as f32;
                            let address = slot.constants.put_for_address(bytemuck::bytes_of(&constants));
                            Record { constants: address, texture: 0, pad: 0 }
                        };
                        slot.records.put(bytemuck::bytes_of(&record));
                        slot.add(multi, triangle.first);
                    }
                    slot.flush(gpu, multi, scene, draws, Some(records));
                }
                Self::Same | Self::States | Self::Heavy => {
                    (0..draws).for_each(|_| slot.add(multi, triangle.first));
                    slot.flush(gpu, multi, scene, draws, None);
                }
            }
        }
    }
}

impl Slot {
    /// Appends a draw of three vertices to the run.
    #[inline]
    fn add(&mut self, multi: &Multi, first_vertex: u32) {
        match multi {
            Multi::Direct(..) => self.draws.push(vk::MultiDrawInfoEXT { first_vertex, vertex_count: 3 }),
            Multi::Indirect(_) => drop(self.commands.put(bytemuck::bytes_of(&[3, 1, first_vertex, 0]))),
        }
    }

    /// Records the run. A command counts its draws from 0, so each gets the address of its own first record.
    ///
    /// # Safety
    /// As [`Case::record`].
    unsafe fn flush(&mut self, gpu: &Gpu, multi: &Multi, scene: &Scene, draws: u32, records: Option<u64>) {
        let (Multi::Direct(_, most) | Multi::Indirect(most)) = multi;
        for first in (0..draws).step_by(*most as usize) {
            let count = (draws - first).min(*most);
            // SAFETY: the caller vouches for the slot; the draws, or their commands, and the records are there.
            unsafe {
                if let Some(records) = records {
                    scene.push_address(gpu, self.c, records + u64::from(first) * u64::from(RECORD));
                }
                match multi {
                    Multi::Direct(device, _) => {
                        let draws = &self.draws[first as usize..(first + count) as usize];
                        let stride = size_of::<vk::MultiDrawInfoEXT>() as u32;
                        (device.fp().cmd_draw_multi_ext)(self.c, count, draws.as_ptr(), 1, 0, stride);
                    }
                    Multi::Indirect(_) => {
                        let at = u64::from(first) * COMMAND as u64;
                        gpu.device.cmd_draw_indirect(self.c, self.commands.buffer.raw, at, count, COMMAND as u32);
                    }
                }
            }
        }
    }
}
