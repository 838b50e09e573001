//! Surfaces: a host image for each layout in which memory was drawn to.
//!
//! Memory is the truth between layouts: before one is used, whatever others have drawn into its memory goes there, and what
//! is newer in memory comes from there. Within one layout nothing moves.

mod layout;
mod texels;
mod transfer;

pub(super) use layout::{Arrangement, Layout, Samples};

use super::Translator;
use crate::machine::Kelvin;
use crate::memory::GuestMemory;
use afterimage_nv2a_types::{KelvinStates, method};
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, Port};
use afterimage_texture::nv2a::{ColorFormat, ZetaFormat};
use layout::{Asked, Wanted};

/// What is drawn to, for whoever builds packets that depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    /// Samples per pixel, across and down: 1 or 2.
    pub(super) scale: [u32; 2],
    /// Format of the colour surface, where one is bound.
    pub(super) color: Option<ColorFormat>,
    /// Format of the zeta surface, where one is bound.
    pub(super) zeta: Option<ZetaFormat>,
    /// Whether draws and clears say by an alpha of zero which pixels they were ([`Surface::stray`]).
    pub(super) marked: bool,
    /// Pixels that may be drawn to, before scaling by samples: the surface clip, inside of the surfaces.
    pub(super) clip: Rect,
}

impl Target {
    /// Pixels of clip space in each direction, whatever is bound: screen space from 0 to here is what the vertex stage's
    /// epilogue makes -1 to 1 of. A power of two, so that screen coordinates survive it exactly.
    pub(super) const SIZE: u32 = 4096;

    /// The surface clip, in samples.
    pub(super) fn samples(&self) -> Rect {
        let [x, y] = self.scale;
        let Rect { x: left, y: top, width, height } = self.clip;
        Rect { x: left * x as i32, y: top * y as i32, width: width * x, height: height * y }
    }
}

/// A host image of memory.
#[derive(Debug)]
pub(super) struct Surface {
    pub(super) layout: Layout,
    /// Samples.
    pub(super) size: [u32; 2],
    pub(super) id: ObjectId,
    /// Generation of its memory that it has.
    generation: u64,
    /// Samples that memory does not have.
    drawn: Option<Rect>,
    /// Whether memory has bits that are no component ([`ColorFormat::rest`]) as draws do not leave them, so that it matters which
    /// pixels were drawn. Then, of formats without alpha, the image's is 0 where that is so, and 255 where pixels are as they came.
    pub(super) stray: bool,
    /// Number of the last change to the image.
    pub(super) change: u64,
    /// When it was last used.
    used: u64,
}

impl Surface {
    fn bytes(&self) -> u32 {
        self.layout.bytes(self.size)
    }

    /// Whether nothing in memory is newer.
    pub(super) fn is_newest(&self, memory: &dyn GuestMemory) -> bool {
        texels::generation(memory, self.layout.address, self.bytes()) <= self.generation
    }

    fn overlaps(&self, address: u32, size: u32) -> bool {
        let (start, end) = (u64::from(self.layout.address), u64::from(self.layout.address) + u64::from(self.bytes()));
        start < u64::from(address) + u64::from(size) && u64::from(address) < end
    }
}

/// Every surface that lives.
#[derive(Debug, Default)]
pub(super) struct Surfaces {
    all: Vec<Surface>,
    /// Those that are bound.
    color: Option<ObjectId>,
    zeta: Option<ObjectId>,
    clock: u64,
}

impl Surfaces {
    /// The receiver is gone, and with it every image.
    pub(super) fn forget(&mut self, port: &mut Port) {
        for surface in self.all.drain(..) {
            port.recycle(surface.id);
        }
        (self.color, self.zeta) = (None, None);
    }

    fn find(&mut self, layout: &Layout) -> Option<&mut Surface> {
        self.all.iter_mut().find(|surface| surface.layout == *layout)
    }

    fn by_id(&mut self, id: ObjectId) -> Option<&mut Surface> {
        self.all.iter_mut().find(|surface| surface.id == id)
    }

    /// Every surface.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Surface> {
        self.all.iter()
    }

    /// Whether a surface is drawn to.
    pub(super) fn is_bound(&self, id: ObjectId) -> bool {
        self.color == Some(id) || self.zeta == Some(id)
    }

    /// The colour surface that is drawn to.
    pub(super) fn bound_color(&self) -> Option<&Surface> {
        self.all.iter().find(|surface| Some(surface.id) == self.color)
    }

    fn has(&self, (layout, size): &Wanted) -> bool {
        self.all.iter().any(|s| s.layout == *layout && s.size[0] >= size[0] && s.size[1] >= size[1])
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
}

/// Which surfaces are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Uses {
    pub(super) color: bool,
    pub(super) zeta: bool,
}

impl Uses {
    /// What a draw reads or writes.
    pub(super) fn of_draw(kelvin: &Kelvin) -> Self {
        let registers = &kelvin.registers;
        Self {
            color: registers.is_set(method::SET_COLOR_MASK),
            zeta: registers.is_set(method::SET_DEPTH_TEST_ENABLE) || registers.is_set(method::SET_STENCIL_TEST_ENABLE),
        }
    }
}

impl Translator {
    /// Binds the surfaces that the registers name, with what is newest in them. False if there is nothing to draw to.
    pub(super) fn apply_surfaces(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory, uses: Uses) -> bool {
        let asked = Asked::of(kelvin, memory.size());
        let mut wanted = |used: bool, what: Result<Wanted, &'static str>| match what {
            Ok(wanted) => Some(wanted),
            Err(error) => {
                if used {
                    self.once.warn(format!("{error}: what is drawn there goes nowhere"));
                }
                None
            }
        };
        let mut color = wanted(uses.color, asked.color);
        let mut zeta = wanted(uses.zeta, asked.zeta);
        // A surface that is not needed stays bound if that costs nothing, since changing targets does.
        let apart = |a: Option<Wanted>, b: Wanted| a.is_none_or(|a| !layout::overlap(a, b));
        if !uses.zeta {
            zeta = zeta.filter(|zeta| apart(color, *zeta) && self.surfaces.has(zeta));
        }
        if !uses.color {
            color = color.filter(|color| apart(zeta, *color) && self.surfaces.has(color));
        }
        let color_size = color.and_then(|wanted| self.acquire(memory, wanted));
        let zeta_size = zeta.and_then(|wanted| self.acquire(memory, wanted));
        let color = color.filter(|_| color_size.is_some());
        let zeta = zeta.filter(|_| zeta_size.is_some());
        self.surfaces.color = color.and_then(|(layout, _)| self.surfaces.find(&layout)).map(|surface| surface.id);
        self.surfaces.zeta = zeta.and_then(|(layout, _)| self.surfaces.find(&layout)).map(|surface| surface.id);
        if self.surfaces.color.is_none() && self.surfaces.zeta.is_none() {
            return false;
        }
        let edge = |axis: usize| {
            let limit = |size: Option<[u32; 2]>| size.map_or(u32::MAX, |size| size[axis] / asked.scale[axis]);
            let end = (asked.origin[axis] + asked.size[axis]).min(limit(color_size)).min(limit(zeta_size));
            let first = asked.origin[axis].min(end);
            (first, end - first)
        };
        let ((x, width), (y, height)) = (edge(0), edge(1));
        let color_format = color.and_then(|(layout, _)| layout.samples.color());
        let target = Target {
            scale: asked.scale,
            marked: self.surfaces.bound_color().is_some_and(|surface| surface.stray)
                && color_format.is_some_and(|format| !texels::has_alpha(format)),
            color: color_format,
            zeta: zeta.and_then(|(layout, _)| layout.samples.zeta()),
            clip: Rect { x: x as i32, y: y as i32, width, height },
        };
        kelvin.registers.tracker.write(KelvinStates::TARGET, &mut self.target, target);
        self.put_target();
        true
    }

    fn put_target(&mut self) {
        let view = |id: Option<ObjectId>| View { texture: id.unwrap_or_default(), ..View::default() };
        let mut targets = SetRenderTargets { depth: view(self.surfaces.zeta), ..SetRenderTargets::default() };
        targets.color[0] = view(self.surfaces.color);
        self.port.put(&mut self.sent.targets, targets);
        self.port.put(&mut self.sent.scissor, SetScissor { rect: self.target.samples() });
    }

    /// Notes that a draw or clear changed what is bound.
    pub(super) fn mark_drawn(&mut self, written: Uses, rect: Rect) {
        let change = self.surfaces.tick();
        let ids = [self.surfaces.color.filter(|_| written.color), self.surfaces.zeta.filter(|_| written.zeta)];
        for surface in self.surfaces.all.iter_mut().filter(|surface| ids.contains(&Some(surface.id))) {
            surface.drawn = Some(union(surface.drawn, rect));
            surface.change = change;
        }
    }
}

/// The smallest rectangle around both.
fn union(a: Option<Rect>, b: Rect) -> Rect {
    let Some(a) = a.filter(|a| !a.is_empty()) else { return b };
    if b.is_empty() {
        return a;
    }
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    let right = (a.x + a.width as i32).max(b.x + b.width as i32);
    let bottom = (a.y + a.height as i32).max(b.y + b.height as i32);
    Rect { x, y, width: (right - x) as u32, height: (bottom - y) as u32 }
}
