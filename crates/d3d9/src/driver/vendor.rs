//! What drivers do beyond Direct3D, switched on by render states that mean something else. After the vendors' published
//! notes: NVIDIA's `ATOC` (alpha to coverage), AMD's `A2M1` and `A2M0` (the same) and `RESZ` (depth resolve). Other orders, such
//! as AMD's `R2VB` (render to a vertex buffer) and NVIDIA's `NVDB` (depth bounds), are named in the log: programs ask for the
//! format of that name first, which is not there.

use super::Device;
use crate::machine::{RenderStates, RenderStates as RS};
use crate::memory::ImageKind;
use afterimage_d3d9_types::*;
use afterimage_state::Table;
use afterimage_stream::packets::{Blit, Filter, Rect, View};

/// `D3DRS_ADAPTIVETESS_Y` that turns NVIDIA's alpha to coverage on.
const ATOC: u32 = fourcc(*b"ATOC");
/// `D3DRS_POINTSIZE` that turns AMD's alpha to coverage on, and off.
const A2M1: u32 = fourcc(*b"A2M1");
const A2M0: u32 = fourcc(*b"A2M0");
/// `D3DRS_POINTSIZE` that lets AMD's drivers draw instances with shaders of model 2, and that renders to vertex buffers.
const INST: u32 = fourcc(*b"INST");
const R2VB: u32 = fourcc(*b"R2VB");
/// `D3DRS_POINTSIZE` that resolves the bound depth buffer into the texture of sampler 0.
const RESZ_CODE: u32 = 0x7fa0_5000;

/// Whether a number is four letters or digits.
fn is_name(value: u32) -> bool {
    value.to_le_bytes().iter().all(u8::is_ascii_alphanumeric)
}

/// Whether a value is none that the state could have for itself: no point is that large, and no tessellation that fine.
fn is_order(state: D3DRENDERSTATETYPE, value: u32) -> bool {
    let number = f32::from_bits(value);
    match state {
        D3DRS_POINTSIZE => value == R2VB || number.is_nan() || number.abs() > 1e6,
        _ => is_name(value),
    }
}

impl Device {
    /// A state by which drivers are given orders has a value, which may be one.
    #[cold]
    pub(super) fn order_to_driver(&mut self, state: D3DRENDERSTATETYPE, value: u32) {
        match (state, value) {
            (D3DRS_POINTSIZE, A2M1 | A2M0) => {
                self.registers.alpha_to_mask.set(value == A2M1, &mut self.registers.tracker);
            }
            (D3DRS_POINTSIZE, RESZ_CODE) => self.resolve_depth(),
            // Instances are drawn without being asked for.
            (D3DRS_POINTSIZE, INST) | (D3DRS_ADAPTIVETESS_Y, ATOC) => {}
            _ if is_order(state, value) && self.logged.insert("driver orders") => {
                let name = if is_name(value) {
                    String::from_utf8_lossy(&value.to_le_bytes()).into_owned()
                } else {
                    String::new()
                };
                let state = RenderStates::row(state).map_or("", |row| row.name);
                tracing::warn!(
                    state,
                    value = format!("{value:#x}"),
                    name,
                    "an order to another driver is not supported, nor others like it"
                );
            }
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
        self.port.flush_if_due();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_no_values_of_their_state() {
        for value in [R2VB, RESZ_CODE, 0x70ff_0000, INST] {
            assert!(is_order(D3DRS_POINTSIZE, value), "{value:#x}");
        }
        for size in [0f32, 1.0, 53.0, 8192.0] {
            assert!(!is_order(D3DRS_POINTSIZE, size.to_bits()), "{size}");
        }
        assert!(is_order(D3DRS_ADAPTIVETESS_X, fourcc(*b"NVDB")));
        assert!(!is_order(D3DRS_ADAPTIVETESS_Y, 0) && !is_order(D3DRS_ADAPTIVETESS_Y, 1f32.to_bits()));
    }
}
