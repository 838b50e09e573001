//! What drivers do beyond Direct3D, switched on by render states that mean something else. After the vendors' published
//! notes: NVIDIA's `ATOC` (alpha to coverage), AMD's `A2M1` and `A2M0` (the same) and `RESZ` (depth resolve).

use super::Device;
use crate::machine::RenderStates as RS;
use crate::memory::ImageKind;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::{Blit, Filter, Rect, View};

/// `D3DRS_ADAPTIVETESS_Y` that turns NVIDIA's alpha to coverage on.
const ATOC: u32 = fourcc(*b"ATOC");
/// `D3DRS_POINTSIZE` that turns AMD's alpha to coverage on, and off.
const A2M1: u32 = fourcc(*b"A2M1");
const A2M0: u32 = fourcc(*b"A2M0");
/// `D3DRS_POINTSIZE` that resolves the bound depth buffer into the texture of sampler 0.
const RESZ_CODE: u32 = 0x7fa0_5000;

impl Device {
    /// A point size that may be an order to the driver.
    #[cold]
    pub(super) fn point_size_set(&mut self, value: u32) {
        match value {
            A2M1 | A2M0 => {
                self.registers.alpha_to_mask.set(value == A2M1, &mut self.registers.tracker);
            }
            RESZ_CODE => self.resolve_depth(),
            _ => {}
        }
    }

    /// Whether alpha says how many samples of a pixel are written. NVIDIA's drivers want the alpha test on, too.
    pub(crate) fn alpha_to_coverage(&self) -> bool {
        let render = &self.registers.render;
        let atoc = render.get(RS::D3DRS_ADAPTIVETESS_Y) == ATOC && render.get(RS::D3DRS_ALPHATESTENABLE) != 0;
        *self.registers.alpha_to_mask || atoc
    }

    /// Copies the bound depth buffer, with its first sample where it has several, into the depth texture of sampler 0.
    fn resolve_depth(&mut self) {
        let (Some(surface), Some(texture)) = (*self.registers.depth, self.registers.textures[0]) else { return };
        let (Some(depth), Some(image)) = (self.objects.images.get(surface.image), self.objects.images.get(texture))
        else {
            return;
        };
        let size = depth.sub_of(surface).map_or([0; 3], |sub| sub.extent);
        let fits = image.kind == ImageKind::Texture && image.row.is_depth() && image.is_target();
        if !fits || depth.host != image.host || size != image.extent || texture == surface.image {
            if self.logged.insert("RESZ") {
                tracing::warn!(
                    depth = depth.row.name,
                    texture = image.row.name,
                    "RESZ: only depth textures of the depth buffer's size and bits are resolved to"
                );
            }
            return;
        }
        let view = View { texture: depth.id, level: surface.level.into(), layer: surface.face.into() };
        let rect = Rect { x: 0, y: 0, width: size[0], height: size[1] };
        self.port.push(&Blit {
            src: view,
            dst: View { texture: image.id, level: 0, layer: 0 },
            src_rect: rect,
            dst_rect: rect,
            filter: Filter::Nearest as u32,
            pad: 0,
        });
        self.port.breathe();
    }
}
