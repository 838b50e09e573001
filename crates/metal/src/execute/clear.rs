//! Clears: in the load actions of the pass that comes, or by a draw where only a part goes.

use crate::error::Result;
use crate::execute::state::ALL_DEPTHS;
use crate::pipeline::own::Own;
use crate::renderer::Renderer;
use crate::state::bound::Recorded;
use crate::state::targets::{Load, Targets, clip};
use afterimage_metal_calls::{
    CompareFunction, CullMode, DepthClipMode, DepthStencilDescriptor, Device, DrawCount, FillMode, PrimitiveType,
    Queue, ScissorRect, Stage, StencilDescriptor, StencilOperation, StencilReferences, Viewport, VisibilityMode,
};
use afterimage_stream::packets::{Clear, Rect};
use smallvec::SmallVec;

/// What a draw clears.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    /// Channels of colour targets, a bit each.
    channels: u8,
    color: [f32; 4],
    depth: Option<f32>,
    stencil: u8,
    /// Stencil bits; 0 for none.
    stencil_bits: u8,
}

impl<D: Device> Renderer<D> {
    /// [`Clear`].
    pub(crate) fn clear(&mut self, body: &Clear, rects: &[Rect]) -> Result {
        self.apply_targets()?;
        if self.bound.targets.is_empty() && self.bound.targets.aside.is_none() {
            return Ok(());
        }
        if let Some(aside) = self.bound.targets.aside.clone() {
            // It is cleared alone, and the others without it.
            let others = self.leave_targets();
            let format = self.resources.textures.get(aside.root).map(|texture| texture.choice.pixel);
            let mut alone = Targets { extent: aside.size, layers: others.layers, ..Targets::default() };
            (alone.formats.depth, alone.formats.samples) = (format, others.formats.samples);
            alone.depth = Some(aside);
            self.bound.targets = alone;
            let result = self.clear_targets(body, rects);
            self.end_pass();
            self.bound.targets = others;
            result?;
        }
        let extent = self.bound.targets.extent;
        if rects.is_empty() && self.bound.targets.all().any(|attachment| attachment.size != extent) {
            return self.clear_one_by_one(body);
        }
        self.clear_targets(body, rects)
    }

    /// Closes the pass and takes the targets.
    fn leave_targets(&mut self) -> Targets<D> {
        self.end_pass();
        std::mem::take(&mut self.bound.targets)
    }

    /// Clears targets of different sizes, each in a pass of its own.
    fn clear_one_by_one(&mut self, body: &Clear) -> Result {
        let all = self.leave_targets();
        let mut result = Ok(());
        for index in 0..=8 {
            let Some(attachment) = all.colors.get(index).unwrap_or(&all.depth).clone() else { continue };
            let mut alone = Targets { extent: attachment.size, layers: all.layers, ..Targets::default() };
            alone.formats.samples = all.formats.samples;
            if index < 8 {
                alone.formats.colors[0] = all.formats.colors[index];
                alone.colors[0] = Some(attachment);
            } else {
                alone.formats.depth = all.formats.depth;
                alone.depth = Some(attachment);
            }
            self.bound.targets = alone;
            result = result.and(self.clear_targets(body, &[]));
            self.end_pass();
        }
        self.bound.targets = all;
        result
    }

    /// Clears the bound targets.
    fn clear_targets(&mut self, body: &Clear, rects: &[Rect]) -> Result {
        let targets = &self.bound.targets;
        let extent = targets.extent;
        let has_color = targets.colors.iter().any(Option::is_some);
        let has_stencil = targets.formats.stencil().is_some();
        let flag = |flag: u32| body.flags & flag != 0;
        let depth = (flag(Clear::DEPTH) && targets.depth.is_some()).then_some(body.depth.clamp(0.0, 1.0));
        let channels = if has_color { body.channels() } else { 0 };
        let stencil_bits = if flag(Clear::STENCIL) && has_stencil { !body.stencil_keep } else { 0 };
        let everything = ScissorRect { origin: [0; 2], size: extent };
        let cleared: SmallVec<[ScissorRect; 8]> = match rects {
            [] => SmallVec::from_slice(&[everything]),
            _ => rects.iter().filter_map(|rect| clip(rect, extent)).collect(),
        };
        let whole = cleared.contains(&everything) && targets.all().all(|attachment| attachment.size == extent);
        let mut part = Part { channels, color: body.color, depth, stencil: body.stencil, stencil_bits };
        if whole {
            let load = Load {
                color: (channels == 15).then_some(body.color),
                depth,
                stencil: (stencil_bits == 0xff).then_some(body.stencil),
            };
            // Where all goes, what was drawn before need not be loaded again.
            let all = (load.color.is_some() || !has_color)
                && (load.depth.is_some() || targets.depth.is_none())
                && (load.stencil.is_some() || !has_stencil);
            if all && targets.open {
                self.end_pass();
            }
            if !self.bound.targets.open {
                self.bound.load.merge(load);
                part.channels = if load.color.is_some() { 0 } else { channels };
                part.depth = None;
                part.stencil_bits = if load.stencil.is_some() { 0 } else { stencil_bits };
            }
        }
        if part.channels == 0 && part.depth.is_none() && part.stencil_bits == 0 {
            return Ok(());
        }
        self.clear_part(part, &cleared)
    }

    /// Draws over the rectangles.
    fn clear_part(&mut self, part: Part, rects: &[ScissorRect]) -> Result {
        let targets = &self.bound.targets;
        if targets.layers > 1 {
            return Err(self.unsupported("a clear of a part of several layers"));
        }
        let mut kinds = [3; 8];
        for (kind, attachment) in kinds.iter_mut().zip(&targets.colors) {
            if let Some(attachment) = attachment.as_ref().filter(|_| part.channels != 0) {
                *kind = attachment.kind;
            }
        }
        let (formats, extent) = (targets.formats, targets.extent);
        let write = [0, 1, 2, 3].map(|channel| part.channels >> channel & 1 != 0);
        let pipeline = self.pipelines.own(&self.device, Own::Clear(kinds), &formats, write)?;
        let face = (part.stencil_bits != 0).then_some(StencilDescriptor {
            compare: CompareFunction::Always,
            fail: StencilOperation::Replace,
            depth_fail: StencilOperation::Replace,
            pass: StencilOperation::Replace,
            read_mask: 0xff,
            write_mask: part.stencil_bits.into(),
        });
        let tests = DepthStencilDescriptor {
            compare: CompareFunction::Always,
            write: part.depth.is_some(),
            front: face,
            back: face,
        };
        let tests = self.pipelines.depth_stencil(&self.device, &tests)?;
        self.open_pass()?;
        let data = [part.color, [part.depth.unwrap_or(0.0), 0.0, 0.0, 0.0]];
        let queue = &mut self.commands.queue;
        queue.set_render_pipeline(&pipeline);
        queue.set_depth_stencil(&tests);
        let reference = part.stencil.into();
        queue.set_stencil_references(StencilReferences { front: reference, back: reference });
        queue.set_viewport(Viewport { origin: [0.0; 2], size: extent.map(f64::from), depth: [0.0, 1.0] });
        queue.set_cull_mode(CullMode::None);
        queue.set_fill_mode(FillMode::Fill);
        queue.set_depth_clip(DepthClipMode::Clip);
        queue.set_depth_bias(0.0, 0.0, 0.0);
        if self.bound.recorded.depth_bounds.is_some() {
            queue.set_depth_bounds(ALL_DEPTHS);
        }
        if self.bound.recorded.counts == Some(true) {
            // What a clear touches is not counted.
            queue.set_visibility(VisibilityMode::Disabled, 0);
        }
        let bytes = bytemuck::bytes_of(&data);
        queue.set_bytes(Stage::Vertex, 0, bytes);
        if kinds != [3; 8] {
            queue.set_bytes(Stage::Fragment, 0, bytes);
        }
        for rect in rects {
            queue.set_scissor(*rect);
            queue.draw(PrimitiveType::Triangle, DrawCount { first: 0, count: 3, instances: 1, base_instance: 0 });
        }
        // The next draw has other ideas of all this.
        self.bound.recorded = Recorded::default();
        Ok(())
    }
}
