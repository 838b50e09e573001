//! Current targets and the pass on them. A pass stays open across draws until something needs it closed; clears wait for its begin.

use crate::device::commands::Encoder;
use crate::device::format::encoded_by_shader;
use crate::error::Result;
use crate::renderer::Renderer;
use crate::state::bound::Recorded;
use crate::state::targets::{Attachment, Load, Targets, color_load};
use afterimage_metal_calls::{
    ColorAttachment, DepthAttachment, Device, LoadAction, PixelFormat, Queue, RenderPass, StencilAttachment,
    StorageMode, StoreAction, Subresource, TextureDescriptor, TextureType, TextureUsage,
};
use afterimage_stream::packets::{CreateTexture, View};
use afterimage_stream::{FormatFeatures, ObjectId};
use smallvec::SmallVec;

impl<D: Device> Renderer<D> {
    /// Whether a texture may be drawn into.
    pub(crate) fn can_be_target(&self, id: ObjectId) -> bool {
        self.resources.textures.get(id).is_some_and(|texture| texture.desc.usage & CreateTexture::TARGET != 0)
    }

    /// Makes the targets that the state asks for current. What does not fit is said.
    pub(crate) fn apply_targets(&mut self) -> Result {
        let targets = self.wanted_targets()?;
        if targets.is_like(&self.bound.targets) {
            return Ok(());
        }
        self.end_pass();
        self.bound.targets = targets;
        Ok(())
    }

    fn wanted_targets(&mut self) -> Result<Targets<D>> {
        let wanted = *self.state.render_targets;
        let mut targets = Targets::default();
        let mut extent = [u32::MAX; 2];
        for (index, view) in wanted.color.into_iter().enumerate() {
            let srgb = wanted.srgb >> index & 1 != 0;
            let Some((attachment, pixel, samples)) = self.attach(view, srgb, &targets)? else { continue };
            if srgb && encoded_by_shader(pixel) {
                targets.srgb_write |= 1 << index;
            }
            targets.formats.colors[index] = Some(pixel);
            targets.formats.samples = samples;
            targets.blendable |= u8::from(pixel.caps(self.device.facts()).blend) << index;
            extent = [0, 1].map(|axis| extent[axis].min(attachment.size[axis]));
            targets.colors[index] = Some(attachment);
        }
        if let Some((attachment, pixel, samples)) = self.attach(wanted.depth, false, &targets)? {
            let tests = &self.state.depth_stencil;
            let small = targets
                .colors
                .iter()
                .flatten()
                .any(|color| color.size[0] > attachment.size[0] || color.size[1] > attachment.size[1]);
            targets.small_depth = small;
            if small && tests.depth_test == 0 && tests.stencil_test == 0 {
                // Draws may go beyond it then.
                targets.aside = Some(attachment);
            } else {
                extent = [0, 1].map(|axis| extent[axis].min(attachment.size[axis]));
                targets.formats.depth = Some(pixel);
                targets.formats.samples = samples;
                targets.depth = Some(attachment);
            }
        }
        if targets.all().next().is_some() {
            targets.extent = extent;
        }
        targets.layers = wanted.layers.max(1);
        Ok(targets)
    }

    fn attach(
        &mut self,
        view: View,
        srgb: bool,
        targets: &Targets<D>,
    ) -> Result<Option<(Attachment<D>, PixelFormat, u8)>> {
        if view.texture.is_none() {
            return Ok(None);
        }
        let rooted = self.rooted(view);
        let Some(texture) = self.resources.textures.get(view.texture) else { return Ok(None) };
        let samples = texture.desc.samples;
        if targets.formats.samples != 0 && targets.formats.samples != samples {
            tracing::error!(
                "{} has {samples} samples, the targets before it {}: it is not drawn to",
                view.texture,
                targets.formats.samples
            );
            return Ok(None);
        }
        if texture.desc.usage & CreateTexture::TARGET == 0 {
            return Ok(None);
        }
        let [width, height, _] = texture.extent(view.level.into());
        let (kind, is_3d, pixel) = (texture.kind(), texture.is_3d(), texture.pixel(self.device.facts(), srgb));
        let features = crate::device::format::features(self.device.facts(), texture.format);
        if features & (FormatFeatures::TARGET | FormatFeatures::DEPTH) == 0 {
            return Ok(None);
        }
        let Some(root) = self.resources.textures.get_mut(rooted.texture) else { return Ok(None) };
        let texture = root.target(&self.device, pixel)?;
        let attachment = Attachment {
            root: rooted.texture,
            texture,
            level: rooted.level.into(),
            layer: rooted.layer.into(),
            is_3d,
            size: [width, height],
            kind,
        };
        Ok(Some((attachment, pixel, samples)))
    }

    /// Attaches something for depth that shaders write, where there is no target for it: Metal makes no pipeline without.
    pub(crate) fn stand_in_for_depth(&mut self) -> Result {
        let targets = &self.bound.targets;
        if targets.depth.is_some() || targets.stand_in.is_some() || targets.is_empty() {
            return Ok(());
        }
        let samples = u32::from(targets.formats.samples.max(1));
        let format = PixelFormat::Depth32Float;
        let texture = self.device.new_texture(&TextureDescriptor {
            ty: if samples > 1 { TextureType::D2Multisample } else { TextureType::D2 },
            format,
            size: [targets.extent[0], targets.extent[1], 1],
            levels: 1,
            samples,
            layers: 1,
            usage: TextureUsage { target: true, ..TextureUsage::default() },
            storage: if self.device.facts().family.is_apple() { StorageMode::Memoryless } else { StorageMode::Private },
            label: "depth of nobody".to_owned(),
        })?;
        self.end_pass();
        (self.bound.targets.stand_in, self.bound.targets.formats.depth) = (Some(texture), Some(format));
        Ok(())
    }

    /// Opens the pass on the current targets if it is closed, with what waits to be cleared.
    pub(crate) fn open_pass(&mut self) -> Result {
        if self.bound.targets.open {
            return Ok(());
        }
        self.begin_pass()
    }

    fn begin_pass(&mut self) -> Result {
        let load = std::mem::take(&mut self.bound.load);
        // Parts without texels begin with zeros; with several layers, or planes of volumes that share a level, before the pass.
        let all: SmallVec<[_; 9]> = self.bound.targets.all().map(|a| (a.root, a.level, a.layer, a.is_3d)).collect();
        for &(root, level, layer, is_3d) in &all {
            let layers = if is_3d { layer..layer + 1 } else { layer..layer + self.bound.targets.layers };
            if is_3d || layers.len() > 1 {
                for layer in layers {
                    self.make_part_live(root, level, layer)?;
                }
            }
        }
        self.commands.end();
        let Self { commands, bound, resources, queries, device, .. } = self;
        let targets = &bound.targets;
        let blank = |attachment: &Attachment<D>| {
            let texture = resources.textures.get(attachment.root);
            texture.is_some_and(|texture| texture.is_blank(attachment.level, attachment.layer))
        };
        let count = targets.formats.color_count();
        let colors: SmallVec<[_; 8]> = targets.colors[..count]
            .iter()
            .map(|attachment| {
                attachment.as_ref().map(|attachment| ColorAttachment {
                    target: attachment.subresource(),
                    resolve: None,
                    load: color_load(&load, attachment.kind, blank(attachment)),
                    store: StoreAction::Store,
                })
            })
            .collect();
        let depth = targets.depth.as_ref().map(|attachment| DepthAttachment {
            target: attachment.subresource(),
            resolve: None,
            load: match load.depth {
                Some(depth) => LoadAction::Clear(depth.into()),
                None if blank(attachment) => LoadAction::Clear(0.0),
                None => LoadAction::Load,
            },
            store: StoreAction::Store,
        });
        let depth = depth.or_else(|| {
            targets.stand_in.as_ref().map(|texture| DepthAttachment {
                target: Subresource { texture, level: 0, slice: 0, depth_plane: 0 },
                resolve: None,
                load: LoadAction::DontCare,
                store: StoreAction::DontCare,
            })
        });
        let stencil = targets.depth.as_ref().filter(|_| targets.formats.stencil().is_some());
        let stencil = stencil.map(|attachment| StencilAttachment {
            target: attachment.subresource(),
            load: match load.stencil {
                Some(stencil) => LoadAction::Clear(stencil.into()),
                None if blank(attachment) => LoadAction::Clear(0),
                None => LoadAction::Load,
            },
            store: StoreAction::Store,
        });
        let current = commands.current();
        let visibility = queries.begin_pass(device, current)?;
        let none = targets.is_empty();
        commands.queue.begin_render(&RenderPass {
            label: "draws",
            colors: &colors,
            depth,
            stencil,
            layers: if targets.layers > 1 { targets.layers } else { 0 },
            without_attachments: none.then_some([1, 1, 1]),
            visibility,
        });
        commands.begun_render();
        drop(colors);
        for (root, level, layer, _) in all {
            if let Some(texture) = resources.textures.get_mut(root) {
                texture.filled(level, layer);
                texture.last_used = current;
            }
        }
        bound.targets.open = true;
        bound.recorded = Recorded::default();
        Ok(())
    }

    /// Closes the pass if it is open; what waits to be cleared is.
    pub(crate) fn end_pass(&mut self) {
        if !self.bound.targets.open {
            if self.bound.load.is_empty() {
                return;
            }
            if let Err(error) = self.begin_pass() {
                tracing::error!("Clear: {error}");
                self.bound.load = Load::default();
                return;
            }
        }
        self.bound.targets.open = false;
        self.bound.recorded = Recorded::default();
        self.queries.end_pass(self.commands.current());
        if self.commands.open == Encoder::Render {
            self.commands.end();
        }
    }

    /// Clears a level and layer of a target to zeros, by a pass of its own.
    pub(crate) fn clear_by_pass(&mut self, id: ObjectId, level: u32, layer: u32) -> Result {
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        let [width, height, depth] = texture.extent(level);
        let (format, is_3d) = (texture.choice.pixel, texture.is_3d());
        let planes = if is_3d { depth } else { 1 };
        let attachment = |plane: u32| Attachment::<D> {
            root: id,
            texture: texture.raw.clone(),
            level,
            layer: if is_3d { plane } else { layer },
            is_3d,
            size: [width, height],
            kind: texture.kind(),
        };
        self.commands.end();
        for plane in 0..planes {
            let attachment = attachment(plane);
            let target = || attachment.subresource();
            let color = [Some(ColorAttachment {
                target: target(),
                resolve: None,
                load: LoadAction::Clear([0.0; 4]),
                store: StoreAction::Store,
            })];
            let depth = DepthAttachment {
                target: target(),
                resolve: None,
                load: LoadAction::Clear(0.0),
                store: StoreAction::Store,
            };
            let stencil = format.has_stencil().then(|| StencilAttachment {
                target: target(),
                load: LoadAction::Clear(0),
                store: StoreAction::Store,
            });
            let is_depth = format.has_depth();
            self.commands.queue.begin_render(&RenderPass {
                label: "zeros",
                colors: if is_depth { &[] } else { &color },
                depth: is_depth.then_some(depth),
                stencil: stencil.filter(|_| is_depth),
                layers: 0,
                without_attachments: None,
                visibility: None,
            });
            self.commands.begun_render();
            self.commands.end();
        }
        Ok(())
    }
}
