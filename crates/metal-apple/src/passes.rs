//! Descriptors of render passes.

use crate::check::{self, Attached, Attachment, Target};
use crate::convert::ToMetal as _;
use crate::objects::Device;
use afterimage_metal_calls::{
    ColorAttachment, DepthAttachment, Device as _, LoadAction, RenderPass, Result, StencilAttachment, StoreAction,
    Subresource,
};
use objc2::rc::Retained;
use objc2_metal::{MTLClearColor, MTLLoadAction, MTLRenderPassAttachmentDescriptor, MTLRenderPassDescriptor};

fn target(part: &Subresource<'_, Device>) -> Target {
    Target { texture: part.texture.0.is, level: part.level, slice: part.slice, plane: part.depth_plane }
}

const fn load<T>(action: &LoadAction<T>) -> MTLLoadAction {
    match action {
        LoadAction::DontCare => MTLLoadAction::DontCare,
        LoadAction::Load => MTLLoadAction::Load,
        LoadAction::Clear(_) => MTLLoadAction::Clear,
    }
}

fn color(color: &ColorAttachment<'_, Device>) -> Attachment {
    Attachment {
        what: Attached::Color,
        target: target(&color.target),
        resolve: color.resolve.as_ref().map(target),
        loads: matches!(color.load, LoadAction::Load),
        store: color.store,
    }
}

fn depth(depth: &DepthAttachment<'_, Device>) -> Attachment {
    Attachment {
        what: Attached::Depth,
        target: target(&depth.target),
        resolve: depth.resolve.as_ref().map(|(part, _)| target(part)),
        loads: matches!(depth.load, LoadAction::Load),
        store: depth.store,
    }
}

fn stencil(stencil: &StencilAttachment<'_, Device>) -> Attachment {
    Attachment {
        what: Attached::Stencil,
        target: target(&stencil.target),
        resolve: None,
        loads: matches!(stencil.load, LoadAction::Load),
        store: stencil.store,
    }
}

/// What a pass is, if Metal takes it.
pub(crate) fn check(device: &Device, pass: &RenderPass<'_, Device>) -> Result<check::Pass> {
    let colors = pass.colors.iter().enumerate().filter_map(|(number, each)| Some((number, color(each.as_ref()?))));
    let others = [pass.depth.as_ref().map(depth), pass.stencil.as_ref().map(stencil)];
    let attachments: Vec<_> = colors.chain(others.into_iter().flatten().map(|each| (0, each))).collect();
    let visibility = pass.visibility.map_or(0, |buffer| buffer.0.length);
    check::pass(&attachments, pass.layers, pass.without_attachments, visibility, device.facts())
}

/// What an attachment of any kind has.
fn attach(metal: &MTLRenderPassAttachmentDescriptor, part: &Subresource<'_, Device>, attachment: &Attachment) {
    metal.setTexture(Some(&part.texture.0.raw));
    metal.setLevel(part.level as usize);
    metal.setSlice(part.slice as usize);
    metal.setDepthPlane(part.depth_plane as usize);
    metal.setStoreAction(attachment.store.metal());
}

const fn resolves(store: StoreAction) -> bool {
    matches!(store, StoreAction::MultisampleResolve | StoreAction::StoreAndMultisampleResolve)
}

fn resolve(metal: &MTLRenderPassAttachmentDescriptor, part: &Subresource<'_, Device>) {
    metal.setResolveTexture(Some(&part.texture.0.raw));
    metal.setResolveLevel(part.level as usize);
    metal.setResolveSlice(part.slice as usize);
    metal.setResolveDepthPlane(part.depth_plane as usize);
}

/// Metal's descriptor of a pass that [`check()`] found good. It gives autoreleased objects back.
pub(crate) fn descriptor(pass: &RenderPass<'_, Device>) -> Retained<MTLRenderPassDescriptor> {
    let metal = MTLRenderPassDescriptor::renderPassDescriptor();
    let colors = metal.colorAttachments();
    for (number, each) in pass.colors.iter().enumerate() {
        let Some(each) = each else { continue };
        // SAFETY: less than eight: `check` refuses more.
        let to = unsafe { colors.objectAtIndexedSubscript(number) };
        attach(&to, &each.target, &color(each));
        to.setLoadAction(load(&each.load));
        if let LoadAction::Clear([red, green, blue, alpha]) = each.load {
            to.setClearColor(MTLClearColor { red, green, blue, alpha });
        }
        if let Some(part) = each.resolve.as_ref().filter(|_| resolves(each.store)) {
            resolve(&to, part);
        }
    }
    if let Some(each) = &pass.depth {
        let to = metal.depthAttachment();
        attach(&to, &each.target, &depth(each));
        to.setLoadAction(load(&each.load));
        if let LoadAction::Clear(value) = each.load {
            to.setClearDepth(value);
        }
        if let Some((part, filter)) = each.resolve.as_ref().filter(|_| resolves(each.store)) {
            resolve(&to, part);
            to.setDepthResolveFilter(filter.metal());
        }
    }
    if let Some(each) = &pass.stencil {
        let to = metal.stencilAttachment();
        attach(&to, &each.target, &stencil(each));
        to.setLoadAction(load(&each.load));
        if let LoadAction::Clear(value) = each.load {
            to.setClearStencil(value);
        }
    }
    if pass.layers > 0 {
        metal.setRenderTargetArrayLength(pass.layers as usize);
    }
    let attached = pass.colors.iter().any(Option::is_some) || pass.depth.is_some() || pass.stencil.is_some();
    if let Some([width, height, samples]) = pass.without_attachments.filter(|_| !attached) {
        metal.setRenderTargetWidth(width as usize);
        metal.setRenderTargetHeight(height as usize);
        metal.setDefaultRasterSampleCount(samples as usize);
    }
    metal.setVisibilityResultBuffer(pass.visibility.map(|buffer| &*buffer.0.raw));
    metal
}
