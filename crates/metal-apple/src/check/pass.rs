//! Render passes.

use super::resource::has_samples;
use super::{Faults, Formats, Texture};
use afterimage_metal_calls::{Facts, Family, PixelFormat, Result, StorageMode, StoreAction, TextureType};

/// Part of a texture that is drawn into or resolved to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) texture: Texture,
    pub(crate) level: u32,
    pub(crate) slice: u32,
    pub(crate) plane: u32,
}

/// What an attachment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attached {
    Color,
    Depth,
    Stencil,
}

/// An attachment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attachment {
    pub(crate) what: Attached,
    pub(crate) target: Target,
    pub(crate) resolve: Option<Target>,
    /// Whether what was there is loaded.
    pub(crate) loads: bool,
    pub(crate) store: StoreAction,
}

/// What calls in a pass are checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    /// Width and height, in texels.
    pub(crate) size: [u32; 2],
    pub(crate) formats: Formats,
    /// Bytes of the buffer of visibility results; 0 where there is none.
    pub(crate) visibility: u64,
}

impl Target {
    fn check(&self, faults: &mut Faults, name: &str) {
        let texture = &self.texture;
        let (level, slice, plane) = (self.level, self.slice, self.plane);
        faults.unless(texture.usage.target, || format!("{name} is not made for a target"));
        faults.unless(!texture.swizzled, || format!("{name} is a view with a swizzle"));
        faults.unless(level < texture.levels, || format!("{name}: level {level} of {}", texture.levels));
        faults.unless(slice < texture.slices, || format!("{name}: slice {slice} of {}", texture.slices));
        let planes = texture.level(level)[2];
        faults.unless(plane < planes, || format!("{name}: plane {plane} of {planes}"));
    }

    /// What of a texture's memory it is.
    fn place(&self) -> (usize, u32, u32, u32) {
        let [level, slice] = self.texture.base;
        let add = u32::saturating_add;
        (self.texture.root, add(level, self.level), add(slice, self.slice), self.plane)
    }
}

impl Attachment {
    fn check(&self, faults: &mut Faults, name: &str, facts: &Facts) {
        self.target.check(faults, name);
        let texture = &self.target.texture;
        let (format, caps) = (texture.format, texture.format.caps(facts));
        let fits = match self.what {
            Attached::Color => !format.has_depth() && !format.has_stencil(),
            Attached::Depth => format.has_depth(),
            Attached::Stencil => format.has_stencil(),
        };
        faults.unless(fits && caps.render, || format!("{name} of {}", format.name()));
        let (stores, resolves) = match self.store {
            StoreAction::DontCare => (false, false),
            StoreAction::Store => (true, false),
            StoreAction::MultisampleResolve => (false, true),
            StoreAction::StoreAndMultisampleResolve => (true, true),
        };
        let memoryless = texture.storage == StorageMode::Memoryless;
        faults.unless(!memoryless || !(self.loads || stores), || format!("{name} is memoryless, loaded or stored"));
        // What is not resolved needs no texture for it, and that is not looked at.
        if !resolves {
            return;
        }
        let Some(resolve) = &self.resolve else {
            return faults.unless(false, || format!("{name}: {:?} without a texture for it", self.store));
        };
        resolve.check(faults, &format!("what {name} is resolved to"));
        let to = &resolve.texture;
        let size = |target: &Target| target.texture.level(target.level);
        faults.unless(texture.samples > 1 && to.samples == 1, || {
            format!("{name}: {} samples resolved to {}", texture.samples, to.samples)
        });
        faults.unless(to.format == format && size(resolve)[..2] == size(&self.target)[..2], || {
            format!("{name} is resolved to another format or size")
        });
        faults.unless(caps.resolve, || format!("{name}: {} cannot be resolved", format.name()));
    }
}

/// `renderCommandEncoderWithDescriptor:`. Depth and stencil are attachments without a number of their own.
pub(crate) fn pass(
    attachments: &[(usize, Attachment)],
    layers: u32,
    without: Option<[u32; 3]>,
    visibility: u64,
    facts: &Facts,
) -> Result<Pass> {
    const WHAT: &str = "renderCommandEncoderWithDescriptor";
    let limits = &facts.limits;
    let mut faults = Faults::default();
    let mut formats = Formats::default();
    let mut size = [limits.texture_edge; 2];
    let mut samples = None;
    for (number, attachment) in attachments {
        let name = match attachment.what {
            Attached::Color => format!("color attachment {number}"),
            Attached::Depth => "depth attachment".into(),
            Attached::Stencil => "stencil attachment".into(),
        };
        attachment.check(&mut faults, &name, facts);
        let texture = &attachment.target.texture;
        let format = Some(texture.format);
        match attachment.what {
            Attached::Color => match formats.colors.get_mut(*number) {
                Some(color) => *color = format,
                None => faults.unless(false, || format!("{name} of {}", limits.targets)),
            },
            Attached::Depth => formats.depth = format,
            Attached::Stencil => formats.stencil = format,
        }
        let [width, height, depth] = texture.level(attachment.target.level);
        size = [size[0].min(width), size[1].min(height)];
        let first = *samples.get_or_insert(texture.samples);
        faults.unless(first == texture.samples, || format!("{name} has {} samples, not {first}", texture.samples));
        let (slice, plane) = (attachment.target.slice, attachment.target.plane);
        let left = if depth > 1 { depth.saturating_sub(plane) } else { texture.slices.saturating_sub(slice) };
        faults.unless(layers <= left, || format!("{name} has {left} layers, not {layers}"));
    }
    overlaps(attachments, &mut faults);
    let mut volumes = attachments.iter().map(|(_, attachment)| attachment.target.texture.ty == TextureType::D3);
    let first = volumes.next();
    faults.unless(layers == 0 || volumes.all(|volume| Some(volume) == first), || "layers of 2D and of 3D".into());
    if facts.family == Family::Mac2 && formats.depth.is_some() && formats.stencil.is_some() {
        let mut both = attachments.iter().filter(|(_, attachment)| attachment.what != Attached::Color);
        let places = [both.next(), both.next()].map(|each| each.map(|(_, attachment)| attachment.target.place()));
        faults.unless(places[0] == places[1], || "depth and stencil are not one texture".into());
    }
    if attachments.is_empty() {
        let [width, height, count] = without.unwrap_or_default();
        let edges = 1..=limits.texture_edge;
        faults.unless(edges.contains(&width) && edges.contains(&height), || {
            format!("nothing is attached, and {width} by {height} is no size")
        });
        faults.unless(has_samples(facts, count), || format!("the device has no {count} samples"));
        (size, samples) = ([width, height], Some(count));
    }
    formats.samples = samples.unwrap_or(1);
    faults.done(WHAT)?;
    Ok(Pass { size, formats, visibility })
}

/// No two attachments are the same memory, but for depth and stencil.
fn overlaps(attachments: &[(usize, Attachment)], faults: &mut Faults) {
    for (at, (_, one)) in attachments.iter().enumerate() {
        for (_, other) in attachments.iter().take(at) {
            let both = one.what != Attached::Color && other.what != Attached::Color;
            faults.unless(both || one.target.place() != other.target.place(), || {
                "two attachments are the same part of a texture".into()
            });
        }
    }
}

/// Whether shaders see it as depth or stencil.
pub(super) fn is_depth_stencil(format: PixelFormat) -> bool {
    format.has_depth() || format.has_stencil()
}
