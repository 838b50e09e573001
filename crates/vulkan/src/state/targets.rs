//! The bound targets, and what a pass begins with.

use crate::pipeline::key::TargetFormats;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::Rect;
use ash::vk;

/// A target that is bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Attachment {
    pub(crate) texture: ObjectId,
    pub(crate) view: vk::ImageView,
    pub(crate) layout: vk::ImageLayout,
    pub(crate) extent: vk::Extent2D,
}

/// The current targets and whether a pass is open on them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Targets {
    pub(crate) open: bool,
    pub(crate) colors: [Option<Attachment>; 8],
    pub(crate) depth: Option<Attachment>,
    /// A depth-stencil target that is smaller than a colour target, with its format, while nothing is tested against it: draws
    /// may go beyond it then.
    pub(crate) aside: Option<(Attachment, vk::Format)>,
    pub(crate) formats: TargetFormats,
    /// What texels of the colour targets are: [`crate::resources::texture::Texture::kind`].
    pub(crate) kinds: [u8; 8],
    /// Part that every target has.
    pub(crate) extent: vk::Extent2D,
    /// Layers that every target has.
    pub(crate) layers: u32,
    /// Bit per colour target that can be blended with; the others are written as if blending were off.
    pub(crate) blendable: u8,
    /// Bit per colour target that shaders encode to sRGB.
    pub(crate) srgb_write: u8,
    /// Number of bits of the depth format, or 0 for a float format: scales depth bias.
    pub(crate) depth_bits: u32,
}

impl Targets {
    pub(crate) fn all(&self) -> impl Iterator<Item = &Attachment> {
        self.colors.iter().chain(std::iter::once(&self.depth)).flatten()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.extent.width == 0
    }

    /// Whether others are the same targets, whether a pass is open or not.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let Self { open: _, colors, depth, aside, formats, kinds, extent, layers, blendable, srgb_write, depth_bits } =
            self;
        (colors, depth, aside, formats, kinds)
            == (&other.colors, &other.depth, &other.aside, &other.formats, &other.kinds)
            && (extent, layers, blendable) == (&other.extent, &other.layers, &other.blendable)
            && (srgb_write, depth_bits) == (&other.srgb_write, &other.depth_bits)
    }

    /// A texture is destroyed: none of these is it any more.
    pub(crate) fn forget(&mut self, id: ObjectId) {
        let aside = self.aside.iter_mut().map(|(attachment, _)| attachment);
        for attachment in self.colors.iter_mut().flatten().chain(&mut self.depth).chain(aside) {
            if attachment.texture == id {
                attachment.texture = ObjectId::NONE;
            }
        }
    }
}

/// Values that a pass begins with.
#[derive(Clone, Copy, Default)]
pub(crate) struct Load {
    /// Bits of [`Clear`]: all channels of a colour, or none.
    pub(crate) flags: u32,
    pub(crate) color: [f32; 4],
    pub(crate) depth: f32,
    pub(crate) stencil: u32,
}

impl Load {
    /// The colour as texels of a kind want it: integers get the nearest to zero.
    pub(crate) fn color_of(self, kind: u8) -> vk::ClearColorValue {
        match kind {
            0 => vk::ClearColorValue { float32: self.color },
            1 => vk::ClearColorValue { uint32: self.color.map(|channel| channel as u32) },
            _ => vk::ClearColorValue { int32: self.color.map(|channel| channel as i32) },
        }
    }

    pub(crate) fn op(self, flag: u32) -> vk::AttachmentLoadOp {
        if self.flags & flag != 0 { vk::AttachmentLoadOp::CLEAR } else { vk::AttachmentLoadOp::LOAD }
    }
}

/// The part of a rectangle inside of an extent, if there is any.
pub(crate) fn clip(rect: &Rect, extent: vk::Extent2D) -> Option<vk::Rect2D> {
    let edge = |at: i32, len: u32, limit: u32| {
        let first = i64::from(at).clamp(0, limit.into());
        let last = (i64::from(at) + i64::from(len)).clamp(0, limit.into());
        (last > first).then_some((first as i32, (last - first) as u32))
    };
    let (x, width) = edge(rect.x, rect.width, extent.width)?;
    let (y, height) = edge(rect.y, rect.height, extent.height)?;
    Some(vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } })
}
