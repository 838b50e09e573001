//! `Clear`.

use super::Device;
use crate::error::{Error, Result};
use crate::format::color;
use crate::machine::Group;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::{Clear, Rect};
use smallvec::SmallVec;

/// Rectangles of one packet; more are sent in several.
const MAX_RECTS: usize = 1024;

fn intersect(area: Rect, rect: &D3DRECT) -> Rect {
    let left = area.x.max(rect.x1);
    let top = area.y.max(rect.y1);
    let right = area.x.saturating_add_unsigned(area.width).min(rect.x2);
    let bottom = area.y.saturating_add_unsigned(area.height).min(rect.y2);
    let length = |first: i32, end: i32| end.saturating_sub(first).max(0) as u32;
    Rect { x: left, y: top, width: length(left, right), height: length(top, bottom) }
}

impl Device {
    /// `Clear`. No rectangles means the viewport. Viewport and scissor clip.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for flags without a surface to clear.
    pub fn clear(
        &mut self,
        rects: &[D3DRECT],
        flags: u32,
        clear_color: D3DCOLOR,
        depth: f32,
        stencil: u32,
    ) -> Result<()> {
        let bound = self.registers.depth.and_then(|surface| self.objects.images.get(surface.image));
        let has_stencil = bound.is_some_and(|image| image.row.has_stencil());
        let wrong_depth = flags & (D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL) != 0 && bound.is_none();
        let wrong_stencil = flags & D3DCLEAR_STENCIL != 0 && !has_stencil;
        if flags == 0 || flags & !(D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL) != 0 {
            return Err(Error::InvalidCall);
        }
        if wrong_depth || wrong_stencil {
            return Err(Error::InvalidCall);
        }
        self.apply_level(Group::CLEAR)?;
        let mut packet = Clear {
            flags: 0,
            count: 0,
            color: color(clear_color),
            depth: if depth.is_finite() { depth.clamp(0.0, 1.0) } else { 1.0 },
            stencil: stencil as u8,
            stencil_keep: 0,
            pad: [0; 2],
        };
        for (theirs, ours) in
            [(D3DCLEAR_TARGET, Clear::COLOR), (D3DCLEAR_ZBUFFER, Clear::DEPTH), (D3DCLEAR_STENCIL, Clear::STENCIL)]
        {
            packet.flags |= if flags & theirs != 0 { ours } else { 0 };
        }
        let area = self.drawable();
        let whole = self.clears_whole(self.clip_area());
        if rects.is_empty() && whole {
            self.port.push_tail(&packet, &[]);
            self.port.flush_if_due();
            return Ok(());
        }
        let mut clipped: SmallVec<[Rect; 8]> = SmallVec::new();
        if rects.is_empty() {
            clipped.push(area);
        } else {
            clipped.extend(rects.iter().map(|rect| intersect(area, rect)));
        }
        clipped.retain(|rect| !rect.is_empty());
        for part in clipped.chunks(MAX_RECTS) {
            packet.count = part.len() as u32;
            self.port.push_tail(&packet, part);
        }
        self.port.flush_if_due();
        Ok(())
    }

    /// Whether an area is all of every bound target.
    fn clears_whole(&self, area: Rect) -> bool {
        let targets = self.registers.targets.iter().copied().chain([*self.registers.depth]).flatten();
        targets.filter(|target| self.has_memory(*target)).all(|target| {
            let sub = self.objects.images.get(target.image).and_then(|image| image.sub_of(target));
            sub.is_some_and(|sub| {
                (area.x, area.y) == (0, 0) && area.width >= sub.extent[0] && area.height >= sub.extent[1]
            })
        })
    }
}
