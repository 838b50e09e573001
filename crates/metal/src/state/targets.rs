//! The bound targets, and what a pass begins with.

use crate::pipeline::key::TargetFormats;
use afterimage_metal_calls::{Device, LoadAction, ScissorRect, Subresource};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::Rect;

/// A target that is bound.
#[derive(Clone, Debug)]
pub(crate) struct Attachment<D: Device> {
    /// The texture that has the texels; none once that was destroyed.
    pub(crate) root: ObjectId,
    pub(crate) texture: D::Texture,
    pub(crate) level: u32,
    /// Layer or face, or plane of a volume.
    pub(crate) layer: u32,
    pub(crate) is_3d: bool,
    pub(crate) size: [u32; 2],
    /// What its texels are to shaders.
    pub(crate) kind: u8,
}

impl<D: Device> Attachment<D> {
    /// As a pass has it.
    pub(crate) fn subresource(&self) -> Subresource<'_, D> {
        let (slice, depth_plane) = if self.is_3d { (0, self.layer) } else { (self.layer, 0) };
        Subresource { texture: &self.texture, level: self.level, slice, depth_plane }
    }

    fn place(&self) -> (ObjectId, u32, u32, [u32; 2]) {
        (self.root, self.level, self.layer, self.size)
    }
}

/// The current targets, and whether a pass is open on them.
#[derive(Clone, Debug)]
pub(crate) struct Targets<D: Device> {
    pub(crate) open: bool,
    pub(crate) colors: [Option<Attachment<D>>; 8],
    pub(crate) depth: Option<Attachment<D>>,
    /// Whether the depth-stencil target is put aside: it is smaller than a colour target, and nothing is tested against it.
    pub(crate) aside: Option<Attachment<D>>,
    /// Whether it is smaller, put aside or not.
    pub(crate) small_depth: bool,
    /// What is attached where shaders write depth and there is no target for it.
    pub(crate) stand_in: Option<D::Texture>,
    /// Of the attachments, the stand-in too.
    pub(crate) formats: TargetFormats,
    /// Part that every target has.
    pub(crate) extent: [u32; 2],
    pub(crate) layers: u32,
    /// Bit per colour target that can be blended with.
    pub(crate) blendable: u8,
    /// Bit per colour target that shaders encode to sRGB.
    pub(crate) srgb_write: u8,
}

impl<D: Device> Default for Targets<D> {
    fn default() -> Self {
        Self {
            open: false,
            colors: [const { None }; 8],
            depth: None,
            aside: None,
            small_depth: false,
            stand_in: None,
            formats: TargetFormats::default(),
            extent: [0; 2],
            layers: 1,
            blendable: 0,
            srgb_write: 0,
        }
    }
}

impl<D: Device> Targets<D> {
    /// Those that a pass has.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Attachment<D>> {
        self.colors.iter().chain(std::iter::once(&self.depth)).flatten()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.extent[0] == 0
    }

    /// Whether others are the same, whether a pass is open or not.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let place = |attachment: &Option<Attachment<D>>| attachment.as_ref().map(Attachment::place);
        self.colors.iter().zip(&other.colors).all(|(one, two)| place(one) == place(two))
            && (place(&self.depth), place(&self.aside)) == (place(&other.depth), place(&other.aside))
            && (self.formats.colors, self.formats.samples) == (other.formats.colors, other.formats.samples)
            && (self.layers, self.srgb_write) == (other.layers, other.srgb_write)
    }

    /// A texture is destroyed: none of these is it any more.
    pub(crate) fn forget(&mut self, id: ObjectId) {
        let all = self.colors.iter_mut().flatten().chain(&mut self.depth).chain(&mut self.aside);
        all.filter(|attachment| attachment.root == id).for_each(|attachment| attachment.root = ObjectId::NONE);
    }
}

/// Values that the next pass begins with, where something is cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Load {
    pub(crate) color: Option<[f32; 4]>,
    pub(crate) depth: Option<f32>,
    pub(crate) stencil: Option<u8>,
}

impl Load {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What another clear leaves of this and adds.
    pub(crate) fn merge(&mut self, other: Self) {
        self.color = other.color.or(self.color);
        self.depth = other.depth.or(self.depth);
        self.stencil = other.stencil.or(self.stencil);
    }
}

/// The load action of a colour target of a kind. `blank`: it has no texels, which are zero then.
pub(crate) fn color_load(load: &Load, kind: u8, blank: bool) -> LoadAction<[f64; 4]> {
    match load.color {
        // Integers get the nearest to zero.
        Some(color) if kind == 1 => LoadAction::Clear(color.map(|channel| f64::from(channel as u32))),
        Some(color) if kind == 2 => LoadAction::Clear(color.map(|channel| f64::from(channel as i32))),
        Some(color) => LoadAction::Clear(color.map(f64::from)),
        None if blank => LoadAction::Clear([0.0; 4]),
        None => LoadAction::Load,
    }
}

/// The part of a rectangle inside of an extent, if there is any.
pub(crate) fn clip(rect: &Rect, extent: [u32; 2]) -> Option<ScissorRect> {
    let edge = |at: i32, len: u32, limit: u32| {
        let first = i64::from(at).clamp(0, limit.into());
        let last = (i64::from(at) + i64::from(len)).clamp(0, limit.into());
        (last > first).then_some((first as u32, (last - first) as u32))
    };
    let (x, width) = edge(rect.x, rect.width, extent[0])?;
    let (y, height) = edge(rect.y, rect.height, extent[1])?;
    Some(ScissorRect { origin: [x, y], size: [width, height] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_are_cut_to_the_extent() {
        let rect = |x, y, width, height| clip(&Rect { x, y, width, height }, [16, 8]);
        assert_eq!(rect(-5, 6, 100, 100), Some(ScissorRect { origin: [0, 6], size: [16, 2] }));
        assert_eq!(rect(40, 0, 3, 3), None);
        assert_eq!(rect(i32::MIN, 0, u32::MAX, 3), Some(ScissorRect { origin: [0, 0], size: [16, 3] }));
        assert_eq!(rect(3, 3, 0, 3), None);
    }

    #[test]
    fn a_clear_is_in_the_load_actions() {
        let mut load = Load::default();
        assert_eq!(
            (color_load(&load, 0, false), color_load(&load, 0, true)),
            (LoadAction::Load, LoadAction::Clear([0.0; 4]))
        );
        load.merge(Load { color: Some([1.5, -2.5, 0.0, 300.0]), ..Load::default() });
        load.merge(Load { depth: Some(0.5), ..Load::default() });
        assert_eq!(color_load(&load, 1, true), LoadAction::Clear([1.0, 0.0, 0.0, 300.0]));
        assert_eq!(color_load(&load, 2, true), LoadAction::Clear([1.0, -2.0, 0.0, 300.0]));
        assert_eq!((load.depth, load.stencil), (Some(0.5), None));
    }
}
