//! Pipelines before their draws: what the last run knew, what the rest of a batch will draw with, and guesses.
//!
//! None of this changes a picture. It tells workers what to make; a draw that was not foreseen waits as if this was not
//! there.

use crate::pipeline::history::History;
use crate::pipeline::key::{Blend, Key, TargetFormats};
use crate::pipeline::prediction::{Followers, Foreseen, Rest, Scene};
use crate::pipeline::raster::Raster;
use crate::pipeline::{key, raster};
use crate::renderer::Renderer;
use crate::state::bindings::shape_of;
use crate::state::variants::set_pixel_ops;
use crate::state::vertices::layout_of;
use afterimage_render::partners::Tries;
use afterimage_render::workers::Urgency;
use afterimage_shader::{Shader, Stage};
use afterimage_state::trace;
use afterimage_stream::packets::{Compare, CreateShader, SetRenderTargets, SetShaders, Topology, VertexAttribute};
use afterimage_stream::{Arena, Created, Host, ObjectId, ObjectKind, Packet, Reader, TEXTURE_SLOTS};
use ash::vk;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// States that one look ahead may find: more would take longer than what it saves.
const MOST_SCENES: usize = 256;

/// Code larger than this is not looked at before the validator has passed it, in bytes.
const MOST_CODE: u32 = 1 << 20;

/// Guesses that may wait for their shaders' translation, and how many are looked at in a frame.
const MOST_GUESSES: usize = 4096;

const GUESSES_PER_FRAME: usize = 256;

/// Frames that a guess waits for what the program has yet to create.
const PATIENCE: u16 = 600;

/// Scenes that wait for their followers to be looked at.
const MOST_SCENES_FOLLOWED: usize = 64;

/// Shaders that are created further on in the batch.
type Coming = FxHashMap<ObjectId, Arc<Shader>>;

impl Renderer {
    /// Takes what is known of the program from its last runs, and lets workers make it.
    pub(crate) fn recall(&mut self) {
        // A replay knows the program before its stream says so.
        if self.programs.history.is_some() {
            return;
        }
        let Some(dir) = self.options.cache_dir.clone().filter(|_| self.options.remember) else { return };
        let history = History::load(&self.gpu, &dir, &self.stats.program);
        if !history.pipelines.is_empty() {
            tracing::info!("{} pipelines are known from earlier runs", history.pipelines.len());
        }
        self.prepare_known(&history, 0..history.pipelines.len() as u32);
        self.programs.history = Some(history);
    }

    fn prepare_known(&mut self, history: &History, numbers: impl Iterator<Item = u32>) {
        for known in numbers.filter_map(|number| history.pipelines.get(number as usize)) {
            let key = Key {
                vertex: self.programs.library.reserve(known.vertex),
                pixel: known.pixel.map_or(Key::NONE, |pixel| self.programs.library.reserve(pixel)),
                geometry: Key::NONE,
                input: self.programs.pipelines.inputs.number(&known.fixed.layout),
                targets: self.programs.pipelines.targets.number(&known.fixed.targets),
                blend: if self.gpu.profile.dynamic_state3.blend {
                    0
                } else {
                    self.programs.pipelines.blends.number(&known.fixed.blend)
                },
                sample_mask: known.fixed.sample_mask,
                raster: known.fixed.raster,
                spec: known.fixed.spec,
            };
            self.programs.pipelines.prepare(&key, &self.programs.library, Urgency::Known);
        }
    }

    /// [`CreateShader`]: translation begins, and what the shader is drawn with is made ahead.
    pub(crate) fn create_shader(&mut self, body: &CreateShader, arena: &dyn Arena) {
        let runtime = self.bound.shading.runtime;
        let code = code(body, arena);
        let replaced = self.programs.replace_shader.as_mut().and_then(|replace| replace(body, &code));
        let mut guest = match replaced {
            Some((language, other)) => {
                let mut guest = self.programs.library.create(body.id, language, other, &runtime);
                // A capture keeps what the guest has.
                guest.code = code.into();
                guest
            }
            None => self.programs.library.create(body.id, body.language, code, &runtime),
        };
        let declared = Stage::of(body.stage as u8);
        if let Some(shader) = guest.shader.take_if(|shader| shader.stage() != declared) {
            let stage = shader.stage();
            tracing::error!("{} is a {stage:?} shader, not a {declared:?} shader; its draws are skipped", body.id);
        }
        let shader = guest.shader.clone();
        self.programs.shaders.insert(body.id, guest);
        let Some(shader) = shader else { return };
        match shader.stage() {
            Stage::Compute => return self.prepare_compute(body.id),
            // Those are compiled by now, and not foreseen.
            Stage::Geometry => return,
            Stage::Vertex | Stage::Pixel => {}
        }
        self.programs.partners.created(body.id, shader.stage());
        if let Some(history) = self.programs.history.take() {
            // With the code at hand, what the disk cache has lost can be made too.
            for runtime in history.states.get(&shader.hash()).into_iter().flatten() {
                self.programs.library.find(&shader, body.id, runtime);
            }
            let users = history.users.get(&shader.hash());
            self.prepare_known(&history, users.into_iter().flatten().copied());
            let known = users.is_some();
            self.programs.history = Some(history);
            if known {
                self.prepare_stages(body.id, &shader, true);
                self.programs.partners.is_known(body.id);
                return;
            }
        }
        self.prepare_stages(body.id, &shader, false);
        self.guess(body.id, shader.stage());
    }

    /// Pipelines of a shader that nothing is known of, with those that it may belong to ([`partners`]), in the present state.
    fn guess(&mut self, created: ObjectId, stage: Stage) {
        let scene = self.scene(raster::class(Topology::TriangleList));
        if stage == Stage::Vertex {
            for pixel in self.programs.partners.pixels() {
                self.guess_pair(&scene, created, pixel, Urgency::Guess);
            }
            return;
        }
        let mut left = self.tries().at_creation;
        for vertex in self.programs.partners.vertices(scene.shaders.vertex) {
            if left > 0 && self.guess_pair(&scene, vertex, created, Urgency::Guess) {
                left -= 1;
            }
        }
    }

    fn tries(&self) -> Tries {
        if self.gpu.profile.pipeline_libraries { Tries::FEW } else { Tries::MANY }
    }

    /// A scene with these shaders; false where they do not fit, or the pixel shader was tried often enough.
    fn guess_pair(&mut self, scene: &Scene, vertex: ObjectId, pixel: ObjectId, urgency: Urgency) -> bool {
        let shader = |id, stage| {
            let shader = self.programs.shaders.get(id).and_then(|guest| guest.shader.as_ref());
            shader.filter(|shader| shader.stage() == stage)
        };
        let fits = match (shader(vertex, Stage::Vertex), shader(pixel, Stage::Pixel)) {
            (Some(vertex), Some(pixel)) => pixel.is_fed_by(&vertex.link()),
            _ => false,
        };
        if !fits || !self.programs.partners.try_one(pixel, self.tries()) {
            return false;
        }
        let mut scene = scene.clone();
        scene.shaders = SetShaders { vertex, pixel, ..scene.shaders };
        let other = self.programs.generic_seen.then(|| self.other_kind(scene.clone()));
        self.push_guess(scene, urgency);
        other.into_iter().for_each(|other| self.push_guess(other, urgency));
        true
    }

    /// A draw has a new pipeline. Where it is the second with this scene and another pixel shader, those that nothing was drawn
    /// with yet may follow.
    pub(crate) fn guess_followers(&mut self, key: &Key) {
        // What is guessed from decides nothing about this draw.
        trace::record::<Host, _>(|| {
            let pixels = self.programs.partners.drawn(self.state.shaders.pixel, key.without_pixel_shader());
            if !pixels.is_empty() && self.programs.followers.len() < MOST_SCENES_FOLLOWED {
                let scene = self.scene(key.raster.class());
                self.programs.followers.push_back(Followers { scene, pixels: pixels.into_iter() });
            }
        });
    }

    /// A draw has a new pipeline. In a program that uses alpha test or fog, the next may have the same shaders with them, or
    /// without.
    pub(crate) fn guess_generic(&mut self) {
        if self.programs.generic_seen {
            // What is guessed from decides nothing about this draw.
            trace::record::<Host, _>(|| {
                let scene = self.scene(self.bound.key.raster.class());
                let other = self.other_kind(scene);
                self.push_guess(other, Urgency::Guess);
            });
        }
    }

    /// A scene with alpha test where there was neither that nor fog, and with none where there was one.
    fn other_kind(&self, mut scene: Scene) -> Scene {
        let (none, some) = (Compare::Always as u8, Compare::Greater as u8);
        let plain = scene.ops.alpha_compare == none && scene.ops.fog == 0;
        (scene.ops.alpha_compare, scene.ops.fog) = (if plain { some } else { none }, 0);
        scene
    }

    fn push_guess(&mut self, scene: Scene, urgency: Urgency) {
        if self.programs.guesses.len() < MOST_GUESSES
            && let Some((vertex, pixel)) = self.variants_of(&scene, &Coming::default())
            && pixel != Key::NONE
        {
            self.programs.guesses.push_back(Foreseen { scene, vertex, pixel, urgency, patience: PATIENCE });
        }
    }

    /// Hands over guesses whose shaders are translated by now.
    pub(crate) fn follow_guesses(&mut self) {
        self.prepare_generic_stages();
        let (mut left, mut followers) = (GUESSES_PER_FRAME, std::mem::take(&mut self.programs.followers));
        while let Some(next) = followers.front_mut().filter(|_| left > 0) {
            match next.pixels.next() {
                Some(pixel) => _ = self.guess_pair(&next.scene, next.scene.shaders.vertex, pixel, Urgency::Likely),
                None => _ = followers.pop_front(),
            }
            left -= 1;
        }
        self.programs.followers = followers;
        for _ in 0..self.programs.guesses.len().min(GUESSES_PER_FRAME) {
            let Some(mut guess) = self.programs.guesses.pop_front() else { return };
            if !self.programs.library.is_ready(guess.vertex) || !self.programs.library.is_ready(guess.pixel) {
                self.programs.guesses.push_back(guess);
                continue;
            }
            let Some(inputs) = self.programs.library.variant(guess.vertex).map(|variant| variant.inputs) else {
                continue;
            };
            let feeds = |created: &Created| match created {
                Created::VertexInput(attributes) => layout_of(attributes, inputs).0.reads_buffers_only(),
                _ => false,
            };
            let (objects, scene) = (&self.state.objects, &mut guess.scene);
            if !objects.get(scene.vertex_input).is_some_and(feeds) {
                let all = objects.iter(ObjectKind::VertexInput);
                let last = all.filter(|(_, created)| feeds(created)).last();
                scene.vertex_input = last.map_or(ObjectId::NONE, |(id, _)| id);
            }
            if scene.targets == TargetFormats::default() {
                scene.targets = self.bound.targets.formats;
            }
            if scene.vertex_input.is_none() && inputs != 0 || scene.targets == TargetFormats::default() {
                if let Some(patience) = guess.patience.checked_sub(1) {
                    self.programs.guesses.push_back(Foreseen { patience, ..guess });
                }
                continue;
            }
            self.foresee(&guess);
        }
    }

    /// Finds what the rest of the batch draws with and lets workers make it, all at once: a draw is about to wait, and the
    /// next ones need not. Once per batch.
    #[cold]
    pub(crate) fn look_ahead(&mut self, rest: Rest<'_>) {
        if !std::mem::replace(&mut self.programs.looked_ahead, true) {
            // What is drawn later decides nothing about this draw.
            trace::record::<Host, _>(|| self.look_at(rest));
        }
    }

    fn look_at(&mut self, rest: Rest<'_>) {
        let (mut scene, mut coming) = (self.scene(u32::MAX), Coming::default());
        let (mut scenes, mut changed) = (Vec::new(), true);
        let arena = rest.batch.arena;
        for located in Reader::new(rest.batch.words.get(rest.at..).unwrap_or_default()).skip(1) {
            // What does not pass the validator is skipped when its turn comes.
            let Ok(located) = located else { continue };
            match located.packet {
                Packet::SetShaders(body) => scene.shaders = *body,
                Packet::SetVertexInput(body) => scene.vertex_input = body.id,
                Packet::SetRenderTargets(body) => scene.targets = self.formats_of(body),
                Packet::SetPixelOps(body) => scene.ops = *body,
                Packet::SetRaster(body) => scene.raster = *body,
                Packet::SetBlend(body, targets) => {
                    scene.blend = *body;
                    scene.blend_targets.clear();
                    scene.blend_targets.extend_from_slice(targets);
                    changed |= !self.gpu.profile.dynamic_state3.blend || body.logic_op != 0;
                    continue;
                }
                Packet::SetTextures(body, bindings) => {
                    for (slot, binding) in (body.first as usize..TEXTURE_SLOTS).zip(bindings) {
                        let (texture, sampler) = (
                            self.resources.textures.get(binding.texture),
                            self.resources.samplers.get(binding.sampler),
                        );
                        let seen = &mut scene.runtime.textures[slot];
                        let shape = shape_of(texture, sampler, *seen);
                        changed |= std::mem::replace(seen, shape) != shape;
                    }
                    continue;
                }
                Packet::CreateShader(body) => {
                    let end = body.code.offset.checked_add(body.code.size.into());
                    let inside = arena.slot_size(body.code.slot).is_some_and(|size| end.is_some_and(|end| end <= size));
                    if !inside || body.code.size > MOST_CODE {
                        continue;
                    }
                    if let Ok(shader) = self.programs.library.parse(body.language, &code(body, arena)) {
                        coming.insert(body.id, shader);
                    }
                    continue;
                }
                Packet::Draw(body) => {
                    self.note(&mut scenes, &mut scene, &mut changed, body.topology, &coming);
                    continue;
                }
                Packet::DrawIndexed(body) => {
                    self.note(&mut scenes, &mut scene, &mut changed, body.topology, &coming);
                    continue;
                }
                // Draws of counts that the GPU has go without, and so does what pipelines do not depend on.
                Packet::Init(..)
                | Packet::BeginFrame(_)
                | Packet::Present(_)
                | Packet::Name(..)
                | Packet::Marker(..)
                | Packet::PresentTarget(_)
                | Packet::Overlay(_)
                | Packet::SetGamma(..)
                | Packet::StateFigures(_)
                | Packet::CreateBuffer(_)
                | Packet::CreateTexture(_)
                | Packet::CreateSampler(_)
                | Packet::CreateVertexInput(..)
                | Packet::CreateQuery(_)
                | Packet::CreateTable(_)
                | Packet::UpdateTable(..)
                | Packet::CreateView(_)
                | Packet::Destroy(_)
                | Packet::UpdateBuffer(_)
                | Packet::UpdateTexture(_)
                | Packet::GenerateMips(_)
                | Packet::SetViewport(_)
                | Packet::SetScissor(_)
                | Packet::SetViewports(..)
                | Packet::SetDepthBounds(_)
                | Packet::SetDepthStencil(_)
                | Packet::SetVertexBuffers(..)
                | Packet::SetIndexBuffer(_)
                | Packet::SetStorage(..)
                | Packet::SetStorageImages(..)
                | Packet::SetFeedbackBuffers(..)
                | Packet::Clear(..)
                | Packet::Dispatch(_)
                | Packet::BeginFeedback(_)
                | Packet::EndFeedback(_)
                | Packet::DrawIndirect(_)
                | Packet::DrawByteCount(_)
                | Packet::Blit(_)
                | Packet::BeginQuery(_)
                | Packet::EndQuery(_)
                | Packet::ReadBack(_)
                | Packet::CopyBuffer(_)
                | Packet::FillBuffer(_)
                | Packet::ReadBuffer(_)
                | Packet::CopyToTexture(_)
                | Packet::CopyFromTexture(_)
                | Packet::SetConstants(..) => continue,
            }
            changed = true;
        }
        for scene in scenes {
            self.foresee(&scene);
        }
    }

    /// A draw ahead: its shaders' translation begins at once, so that it is done when all draws have been found.
    fn note(
        &mut self,
        scenes: &mut Vec<Foreseen>,
        scene: &mut Scene,
        changed: &mut bool,
        topology: u32,
        coming: &Coming,
    ) {
        if topology as usize >= Topology::ALL.len() {
            return;
        }
        let topology = Topology::of(topology as u8);
        let (class, rects) = (raster::class(topology), topology == Topology::RectList);
        if scenes.len() < MOST_SCENES && (std::mem::take(changed) || class != scene.class || rects != scene.rects) {
            (scene.class, scene.rects) = (class, rects);
            if let Some((vertex, pixel)) = self.variants_of(scene, coming) {
                scenes.push(Foreseen { scene: scene.clone(), vertex, pixel, urgency: Urgency::Soon, patience: 0 });
            }
        }
    }

    /// The present state, without what draws say themselves.
    fn scene(&self, class: u32) -> Scene {
        Scene {
            shaders: *self.state.shaders,
            vertex_input: self.state.vertex_input.id,
            targets: self.formats_of(&self.state.render_targets),
            ops: *self.state.pixel_ops,
            raster: *self.state.raster,
            blend: *self.state.blend,
            blend_targets: self.state.blend_targets.to_vec(),
            runtime: self.bound.shading.runtime,
            class,
            rects: self.bound.key.raster.rects(),
        }
    }

    fn shader_of(&self, id: ObjectId, stage: Stage, coming: &Coming) -> Option<Arc<Shader>> {
        let there = || self.programs.shaders.get(id).and_then(|guest| guest.shader.as_ref());
        coming.get(&id).or_else(there).filter(|shader| shader.stage() == stage).cloned()
    }

    /// Numbers of a scene's variants; `None` where it cannot be drawn.
    fn variants_of(&mut self, scene: &Scene, coming: &Coming) -> Option<(u32, u32)> {
        let SetShaders { vertex, pixel, geometry, .. } = scene.shaders;
        if !geometry.is_none() {
            return None;
        }
        let shader = self.shader_of(vertex, Stage::Vertex, coming)?;
        let mut runtime = scene.runtime;
        runtime.link = shader.link();
        runtime.vertex_ops.point_size = u8::from(scene.class == raster::class(Topology::PointList));
        runtime.vertex_ops.rectangles = u8::from(scene.rects && !self.gpu.profile.geometry_shader);
        set_pixel_ops(&mut runtime, &self.gpu.profile, &scene.ops);
        self.programs.library.hand_on_clip_distances(&shader, &mut runtime);
        let vertex = self.programs.library.find(&shader, vertex, &runtime);
        if pixel.is_none() {
            return Some((vertex, Key::NONE));
        }
        let shader = self.shader_of(pixel, Stage::Pixel, coming)?;
        runtime.pixel_ops.generic = shader.wants_generic(scene.ops.alpha_compare, scene.ops.fog).into();
        Some((vertex, self.programs.library.find(&shader, pixel, &runtime)))
    }

    /// Lets workers make a scene's pipeline.
    fn foresee(&mut self, foreseen: &Foreseen) {
        let &Foreseen { ref scene, vertex, pixel, urgency, .. } = foreseen;
        if scene.targets == TargetFormats::default() {
            return;
        }
        // The layout is what the shader reads, so it must have been translated.
        let Some(inputs) = self.programs.library.variant(vertex).map(|variant| variant.inputs) else { return };
        let attributes: &[VertexAttribute] = match self.state.objects.get(scene.vertex_input) {
            Some(Created::VertexInput(attributes)) => attributes,
            _ if inputs == 0 => &[],
            _ => return,
        };
        let input = self.programs.pipelines.inputs.number(&layout_of(attributes, inputs).0);
        let blend = if self.gpu.profile.dynamic_state3.blend {
            0
        } else {
            let outputs =
                if pixel == Key::NONE { 0 } else { self.programs.library.variant(pixel).map_or(0, |v| v.outputs) };
            let masks = key::write_masks(&self.gpu.profile, &scene.blend, outputs);
            let blend = Blend::new(&scene.blend, masks).with(&self.gpu.profile, &scene.blend_targets, outputs);
            self.programs.pipelines.blends.number(&blend)
        };
        let targets = self.programs.pipelines.targets.number(&scene.targets);
        let raster = Raster::new(&self.gpu.profile, &scene.raster, scene.blend.logic_op, scene.class);
        let raster = if scene.rects { raster.of(&self.gpu.profile, Topology::RectList) } else { raster };
        let sample_mask = Key::sample_mask(&self.gpu.profile, &scene.raster);
        let key = Key {
            vertex,
            pixel,
            geometry: Key::NONE,
            input,
            targets,
            blend,
            sample_mask,
            raster,
            spec: Default::default(),
        };
        self.programs.pipelines.prepare(&key, &self.programs.library, urgency);
    }

    /// Formats of targets, as far as they exist yet.
    fn formats_of(&self, body: &SetRenderTargets) -> TargetFormats {
        let mut formats = TargetFormats::default();
        let mut add = |texture: ObjectId, srgb| {
            let texture = self.resources.textures.get(texture).filter(|_| !texture.is_none());
            texture.map_or(vk::Format::UNDEFINED, |texture| {
                let samples = u32::from(texture.desc.samples);
                if formats.samples != 0 && formats.samples != samples {
                    return vk::Format::UNDEFINED;
                }
                formats.samples = samples;
                texture.target_format(&self.gpu, srgb)
            })
        };
        let colors = std::array::from_fn(|index| add(body.color[index].texture, body.srgb >> index & 1 != 0));
        let depth = add(body.depth.texture, false);
        TargetFormats { colors, depth, ..formats }
    }
}

/// The code of a shader's packet.
fn code(body: &CreateShader, arena: &dyn Arena) -> Vec<u8> {
    let mut code = vec![0; body.code.size as usize];
    let _inside = arena.copy_out(&body.code, 0, &mut code);
    code
}
