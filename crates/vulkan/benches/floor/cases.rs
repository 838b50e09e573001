//! The cases: what each does before a draw, in the way that costs a driver least.

use ash::vk;

use super::frames::Slot;
use super::gpu::Gpu;
use super::scene::{SMALL, STRIDE, Scene, Triangle, equation};

/// A case of draws, by what changes from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Nothing.
    Same,
    /// A vertex shader's constant.
    Constant,
    /// The texture.
    Texture,
    /// Blending and the depth test.
    States,
    /// Much of what can change.
    Heavy,
    /// The vertices, in a buffer of the program's.
    Lock,
    /// The vertices, handed over with the draw.
    UserPointer,
}

impl Case {
    /// All of them, in the order of `bench_d3d9`.
    pub(crate) const ALL: [Self; 7] =
        [Self::Same, Self::Constant, Self::Texture, Self::States, Self::Heavy, Self::Lock, Self::UserPointer];

    /// What `bench_d3d9` calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Same => "same state",
            Self::Constant => "vertex constant",
            Self::Texture => "texture",
            Self::States => "blend and depth state",
            Self::Heavy => "texture, 8 constants, 4 states",
            Self::Lock => "dynamic buffer lock",
            Self::UserPointer => "DrawPrimitiveUP",
        }
    }

    /// What it takes that the device has not.
    pub(crate) fn lacks(self, gpu: &Gpu) -> Option<&'static str> {
        let blends = matches!(self, Self::States | Self::Heavy);
        (blends && gpu.blending.is_none())
            .then_some("the device has no dynamic blending (VK_EXT_extended_dynamic_state3)")
    }

    /// Whether its draws can be one command: states differ from one draw to the next in those that cannot.
    pub(crate) fn merges(self) -> bool {
        !matches!(self, Self::States | Self::Heavy)
    }

    /// Records its draws, each with a command.
    ///
    /// # Safety
    /// The slot is being recorded, in the scene's rendering, with rings for so many draws.
    pub(crate) unsafe fn record(self, gpu: &Gpu, scene: &Scene, slot: &mut Slot, triangle: &Triangle, draws: u32) {
        let (d, c, first) = (&gpu.device, slot.c, triangle.first);
        let corners = bytemuck::bytes_of(&triangle.corners);
        let mut constants = [0f32; 32];
        // SAFETY: the caller vouches for the slot.
        unsafe {
            let draw = || d.cmd_draw(c, 3, 1, first, 0);
            match self {
                Self::Same => (0..draws).for_each(|_| draw()),
                Self::Constant => {
                    for index in 0..draws {
                        constants[0] = index as f32;
                        let address = slot.constants.put_for_address(bytemuck::cast_slice(&constants[..4]));
                        scene.push_address(gpu, c, address);
                        draw();
                    }
                }
                Self::Texture => {
                    for index in 0..draws {
                        scene.push_texture(gpu, c, index % SMALL);
                        draw();
                    }
                }
                Self::States => {
                    let Some(blending) = &gpu.blending else { return };
                    for index in 0..draws {
                        blending.cmd_set_color_blend_enable(c, 0, &[index & 1]);
                        d.cmd_set_depth_compare_op(c, vk::CompareOp::from_raw((index & 7) as i32));
                        draw();
                    }
                }
                Self::Heavy => {
                    let Some(blending) = &gpu.blending else { return };
                    // Who sets what is set already pays for nothing: two of the four states do not change with every draw.
                    let (mut source, mut writes) = (vk::BlendFactor::ONE, true);
                    for index in 0..draws {
                        constants[0] = index as f32;
                        let address = slot.constants.put_for_address(bytemuck::cast_slice(&constants));
                        scene.push_address(gpu, c, address);
                        scene.push_texture(gpu, c, index % SMALL);
                        blending.cmd_set_color_blend_enable(c, 0, &[index & 1]);
                        let wanted = if index & 2 == 0 { vk::BlendFactor::ONE } else { vk::BlendFactor::SRC_ALPHA };
                        if std::mem::replace(&mut source, wanted) != wanted {
                            blending.cmd_set_color_blend_equation(c, 0, &[equation(wanted)]);
                        }
                        d.cmd_set_cull_mode(c, CULLED[index as usize % CULLED.len()]);
                        let wanted = index >> 2 & 1 == 1;
                        if std::mem::replace(&mut writes, wanted) != wanted {
                            d.cmd_set_depth_write_enable(c, wanted);
                        }
                        draw();
                    }
                }
                Self::Lock | Self::UserPointer => {
                    for _ in 0..draws {
                        let at = slot.vertices.put(corners);
                        d.cmd_bind_vertex_buffers(c, 0, &[slot.vertices.buffer.raw], &[at as u64]);
                        d.cmd_draw(c, 3, 1, 0, 0);
                    }
                }
            }
        }
    }

    /// The vertex that a draw of vertices in the slot's ring begins with.
    pub(super) fn vertex_at(offset: usize) -> u32 {
        (offset / STRIDE) as u32
    }
}

/// What `D3DRS_CULLMODE` goes through.
const CULLED: [vk::CullModeFlags; 3] = [vk::CullModeFlags::NONE, vk::CullModeFlags::BACK, vk::CullModeFlags::FRONT];
