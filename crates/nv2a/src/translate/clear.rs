//! `CLEAR_SURFACE`.

use super::surfaces::Uses;
use super::{Translator, surfaces};
use crate::machine::Kelvin;
use crate::memory::GuestMemory;
use afterimage_nv2a_types::method;
use afterimage_stream::packets::*;
use afterimage_texture::nv2a::{ColorFormat, ZetaFormat};

/// Bits of the argument of `CLEAR_SURFACE`.
mod bits {
    pub(super) const DEPTH: u32 = 1;
    pub(super) const STENCIL: u32 = 2;
    /// Red to alpha are four bits from here on.
    pub(super) const RED: u32 = 1 << 4;
}

/// A colour of `SET_COLOR_CLEAR_VALUE`, red to alpha: the value is in the surface's own format. Alpha may mark what was drawn.
fn color(format: ColorFormat, value: u32, marked: bool) -> [f32; 4] {
    let color = format.decode(value) & if marked { 0x00FF_FFFF } else { u32::MAX };
    [16, 8, 0, 24].map(|at| (color >> at & 0xFF) as f32 / 255.0)
}

/// Depth (0 to 1) and stencil of `SET_ZSTENCIL_CLEAR_VALUE`.
fn depth_stencil(format: ZetaFormat, value: u32) -> (f32, u8) {
    let (depth, stencil) = format.split(value);
    let max = (1u64 << format.depth_bits()) - 1;
    ((f64::from(depth) / max as f64) as f32, stencil)
}

/// What both rectangles have in common.
fn intersection(a: Rect, b: Rect) -> Rect {
    let span = |a: i32, a_size: u32, b: i32, b_size: u32| {
        let first = a.max(b);
        let end = (i64::from(a) + i64::from(a_size)).min(i64::from(b) + i64::from(b_size));
        (first, (end - i64::from(first)).max(0) as u32)
    };
    let ((x, width), (y, height)) = (span(a.x, a.width, b.x, b.width), span(a.y, a.height, b.y, b.height));
    Rect { x, y, width, height }
}

impl Translator {
    /// Clears what `flags` name, inside of the clear rectangle and the surface clip.
    pub(super) fn clear_surface(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory, flags: u32) {
        let uses = Uses { color: flags >> 4 & 15 != 0, zeta: flags & (bits::DEPTH | bits::STENCIL) != 0 };
        self.recover(kelvin);
        if !(uses.color || uses.zeta) || !self.apply_surfaces(kelvin, memory, uses) {
            return;
        }
        let registers = &kelvin.registers;
        let span = |method| {
            let word = registers.get(method);
            let (first, last) = (word & 0xFFFF, word >> 16);
            (first as i32, (last + 1).saturating_sub(first))
        };
        let (x, width) = span(method::SET_CLEAR_RECT_HORIZONTAL);
        let (y, height) = span(method::SET_CLEAR_RECT_VERTICAL);
        let clip =
            surfaces::Target { clip: intersection(Rect { x, y, width, height }, self.target.clip), ..self.target };
        let rect = clip.samples();
        if rect.is_empty() {
            return;
        }
        let mut packet = Clear { count: 1, ..bytemuck::Zeroable::zeroed() };
        if let Some(format) = self.target.color.filter(|_| uses.color) {
            packet.color = color(format, registers.get(method::SET_COLOR_CLEAR_VALUE), self.target.marked);
            let marked = if self.target.marked { 8 } else { 0 };
            packet.flags |= ((flags / bits::RED) & 15 | marked) * Clear::RED;
        }
        if let Some(format) = self.target.zeta {
            (packet.depth, packet.stencil) = depth_stencil(format, registers.get(method::SET_ZSTENCIL_CLEAR_VALUE));
            if flags & bits::DEPTH != 0 {
                packet.flags |= Clear::DEPTH;
            }
            if flags & bits::STENCIL != 0 && format == ZetaFormat::Z24S8 {
                packet.flags |= Clear::STENCIL;
            }
        }
        if packet.flags != 0 {
            self.port.push_tail(&packet, &[rect]);
            self.mark_drawn(uses, rect);
        }
    }
}
