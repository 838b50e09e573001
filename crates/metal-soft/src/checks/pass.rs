//! Render passes.

use afterimage_metal_calls::{
    Facts, LoadAction, PixelFormat, RenderPass, StorageMode, StoreAction, Subresource, Swizzle, TextureType,
};

use super::Faults;
use crate::command::{Extent, Pass};
use crate::device::SoftDevice;
use crate::objects::RenderState;
use crate::texture::SoftTexture;

type Target<'a> = Subresource<'a, SoftDevice>;

/// What attachments overlap by.
fn key(of: &Target<'_>) -> (usize, u32, u32, u32) {
    let texture = of.texture;
    let at = std::sync::Arc::as_ptr(&texture.texels) as usize;
    (at, texture.view.levels[0] + of.level, texture.view.slices[0] + of.slice, of.depth_plane)
}

fn inside(faults: &mut Faults, name: &str, of: &Target<'_>) {
    let texture = of.texture;
    faults.must(of.level < texture.view.levels[1], || format!("{name}: level {} is outside of the texture", of.level));
    faults.must(of.slice < texture.view.slices[1], || format!("{name}: slice {} is outside of the texture", of.slice));
    let depth = texture.size(of.level)[2].max(1);
    faults.must(of.depth_plane < depth, || format!("{name}: depth plane {} is outside of the texture", of.depth_plane));
}

fn target(faults: &mut Faults, facts: &Facts, name: &str, of: &Target<'_>) {
    let (texture, descriptor) = (of.texture, &of.texture.texels.descriptor);
    faults.must(descriptor.usage.target, || {
        format!(
            "{name}: texture `{}` has a usage which doesn't specify MTLTextureUsageRenderTarget",
            texture.texels.label()
        )
    });
    faults.must(texture.view.swizzle == Swizzle::IDENTITY, || {
        format!("{name}: a swizzled texture cannot be rendered to")
    });
    let format = texture.format();
    faults.must(format.caps(facts).render, || format!("{name}: {} is not renderable", format.name()));
    inside(faults, name, of);
}

fn actions<T>(faults: &mut Faults, name: &str, texture: &SoftTexture, load: &LoadAction<T>, store: StoreAction) {
    if texture.texels.descriptor.storage == StorageMode::Memoryless {
        faults.must(!matches!(load, LoadAction::Load), || format!("{name}: a memoryless texture cannot be loaded"));
        let stores = matches!(store, StoreAction::Store | StoreAction::StoreAndMultisampleResolve);
        faults.must(!stores, || format!("{name}: a memoryless texture cannot be stored"));
    }
}

fn resolve(
    faults: &mut Faults,
    facts: &Facts,
    name: &str,
    of: &Target<'_>,
    to: Option<&Target<'_>>,
    store: StoreAction,
) {
    let resolves = matches!(store, StoreAction::MultisampleResolve | StoreAction::StoreAndMultisampleResolve);
    if !resolves {
        return;
    }
    let Some(to) = to else {
        faults.0.push(format!("{name}: the store action resolves, but there is no resolve texture"));
        return;
    };
    faults.must(of.texture.samples() > 1, || format!("{name}: what is resolved has one sample"));
    faults.must(to.texture.samples() == 1, || format!("{name}: the resolve texture has samples"));
    faults
        .must(to.texture.format() == of.texture.format(), || format!("{name}: the resolve texture has another format"));
    inside(faults, &format!("{name}, resolve texture"), to);
    let sizes = [of, to].map(|t| t.texture.size(t.level));
    faults.must(sizes[0][..2] == sizes[1][..2], || format!("{name}: the resolve texture has another size"));
    let format = of.texture.format();
    faults.must(format.caps(facts).resolve, || format!("{name}: {} cannot be resolved", format.name()));
    faults.must(to.texture.view.swizzle == Swizzle::IDENTITY, || format!("{name}: the resolve texture is swizzled"));
    faults
        .must(to.texture.texels.descriptor.usage.target, || format!("{name}: the resolve texture is no render target"));
}

/// The faults of a pass, and what it draws with.
pub(crate) fn pass(facts: &Facts, of: &RenderPass<'_, SoftDevice>) -> (Extent, Vec<String>) {
    let mut faults = Faults::default();
    let most = facts.limits.targets as usize;
    faults.must(of.colors.len() <= most, || format!("{} colour attachments are more than {most}", of.colors.len()));
    let mut all: Vec<(String, &Target<'_>)> = Vec::new();
    for (n, color) in of.colors.iter().enumerate().filter_map(|(n, c)| Some((n, c.as_ref()?))) {
        let name = format!("colorAttachments[{n}]");
        target(&mut faults, facts, &name, &color.target);
        let format = color.target.texture.format();
        faults.must(!format.has_depth() && !format.has_stencil(), || format!("{name}: {} is no colour", format.name()));
        actions(&mut faults, &name, color.target.texture, &color.load, color.store);
        resolve(&mut faults, facts, &name, &color.target, color.resolve.as_ref(), color.store);
        all.push((name, &color.target));
    }
    if let Some(depth) = &of.depth {
        let name = "depthAttachment".to_owned();
        target(&mut faults, facts, &name, &depth.target);
        let format = depth.target.texture.format();
        faults.must(format.has_depth(), || format!("{name}: {} has no depth", format.name()));
        actions(&mut faults, &name, depth.target.texture, &depth.load, depth.store);
        let to = depth.resolve.as_ref().map(|(to, _)| to);
        resolve(&mut faults, facts, &name, &depth.target, to, depth.store);
        all.push((name, &depth.target));
    }
    if let Some(stencil) = &of.stencil {
        let name = "stencilAttachment".to_owned();
        target(&mut faults, facts, &name, &stencil.target);
        let format = stencil.target.texture.format();
        faults.must(format.has_stencil(), || format!("{name}: {} has no stencil", format.name()));
        actions(&mut faults, &name, stencil.target.texture, &stencil.load, stencil.store);
        let resolves =
            matches!(stencil.store, StoreAction::MultisampleResolve | StoreAction::StoreAndMultisampleResolve);
        faults.must(!resolves, || format!("{name}: stencil is not resolved"));
        all.push((name, &stencil.target));
    }
    depth_with_stencil(&mut faults, facts, of);
    overlaps(&mut faults, of, &all);
    let extent = extent(&mut faults, facts, of, &all);
    if let Some(buffer) = of.visibility {
        faults.must(buffer.length() >= 8, || "the visibility buffer has no room for a result".to_owned());
    }
    (extent, faults.0)
}

fn depth_with_stencil(faults: &mut Faults, facts: &Facts, of: &RenderPass<'_, SoftDevice>) {
    let packed = |f: PixelFormat| f.has_depth() && f.has_stencil();
    let depth = of.depth.as_ref().map(|d| &d.target);
    let stencil = of.stencil.as_ref().map(|s| &s.target);
    if let (Some(depth), Some(stencil)) = (depth, stencil) {
        let same = key(depth) == key(stencil);
        let both = packed(depth.texture.format()) || packed(stencil.texture.format());
        faults.must(same || !both && facts.family.is_apple(), || {
            "depth and stencil of a packed format, or on this device, are one texture".to_owned()
        });
    }
}

fn overlaps(faults: &mut Faults, of: &RenderPass<'_, SoftDevice>, all: &[(String, &Target<'_>)]) {
    let mut keys: Vec<(String, (usize, u32, u32, u32))> = all.iter().map(|(name, t)| (name.clone(), key(t))).collect();
    for (n, color) in of.colors.iter().enumerate() {
        if let Some(to) = color.as_ref().and_then(|c| c.resolve.as_ref()) {
            keys.push((format!("the resolve texture of colorAttachments[{n}]"), key(to)));
        }
    }
    for (n, (name, at)) in keys.iter().enumerate() {
        let twice = keys[..n]
            .iter()
            .find(|(other, there)| there == at && !(other == "depthAttachment" && name == "stencilAttachment"));
        if let Some((other, _)) = twice {
            faults.0.push(format!("{name} overlaps with {other}"));
        }
    }
}

fn extent(
    faults: &mut Faults,
    facts: &Facts,
    of: &RenderPass<'_, SoftDevice>,
    all: &[(String, &Target<'_>)],
) -> Extent {
    let mut extent = Extent::default();
    let layers = of.layers.max(1);
    match (all.first(), of.without_attachments) {
        (None, Some([width, height, samples])) => {
            faults.must(width > 0 && height > 0 && samples > 0, || {
                "no sampleCount for color and raster available".to_owned()
            });
            let most = facts.limits.texture_edge;
            faults.must(width <= most && height <= most, || {
                format!("renderTargetWidth ({width}) or Height ({height}) is greater than {most}")
            });
            let known = samples.is_power_of_two() && facts.samples >> samples.trailing_zeros().min(31) & 1 == 1;
            faults.must(samples == 0 || known, || {
                format!("defaultRasterSampleCount ({samples}) is not supported by this device")
            });
            extent = Extent { size: [width, height], samples, layers };
        }
        (None, None) => {
            faults.0.push("no attachments, and no renderTargetWidth, Height and defaultRasterSampleCount".to_owned());
        }
        (Some((_, first)), _) => {
            let samples = first.texture.samples();
            // The least of all, by Metal's rule.
            let sizes = all.iter().map(|(_, t)| t.texture.size(t.level));
            let size = sizes.fold([u32::MAX; 2], |least, s| [least[0].min(s[0]), least[1].min(s[1])]);
            extent = Extent { size, samples, layers };
            for (name, t) in all {
                faults.must(t.texture.samples() == samples, || {
                    format!("{name} has {} samples, where the first attachment has {samples}", t.texture.samples())
                });
                let there = match t.texture.view.ty {
                    TextureType::D3 => t.texture.size(t.level)[2].saturating_sub(t.depth_plane),
                    _ => t.texture.view.slices[1].saturating_sub(t.slice),
                };
                faults.must(layers <= there.max(1), || {
                    format!("{name} has {there} layers of renderTargetArrayLength {layers}")
                });
                let is_3d = |t: &Target<'_>| t.texture.view.ty == TextureType::D3;
                faults.must(of.layers == 0 || is_3d(t) == is_3d(first), || format!("{name}: 2D and 3D textures mixed"));
            }
        }
    }
    extent
}

/// Whether a pipeline is made for a pass.
pub(crate) fn pipeline_in_pass(pipeline: &RenderState, pass: &Pass) -> Vec<String> {
    let mut faults = Faults::default();
    let name = |f: Option<PixelFormat>| f.map_or("MTLPixelFormatInvalid", PixelFormat::name);
    let mut equal = |what: String, pipeline: Option<PixelFormat>, pass: Option<PixelFormat>| {
        faults.must(pipeline == pass, || {
            format!(
                "For {what}, the texture's pixelFormat ({}) does not match the render pipeline's pixelFormat ({})",
                name(pass),
                name(pipeline)
            )
        });
    };
    for n in 0..pipeline.colors.len().max(pass.colors.len()) {
        let of_pipeline = pipeline.colors.get(n).copied().flatten().map(|c| c.format);
        let of_pass = pass.colors.get(n).and_then(|c| c.as_ref()).map(|c| c.target.texture.format());
        equal(format!("color attachment {n}"), of_pipeline, of_pass);
    }
    equal("depth attachment".to_owned(), pipeline.depth, pass.depth.as_ref().map(|d| d.target.texture.format()));
    equal("stencil attachment".to_owned(), pipeline.stencil, pass.stencil.as_ref().map(|s| s.target.texture.format()));
    faults.must(pipeline.samples == pass.extent.samples, || {
        format!(
            "the pass has {} samples, but the render pipeline's rasterSampleCount is {}",
            pass.extent.samples, pipeline.samples
        )
    });
    faults.0
}
