//! Textures and samplers of a guest, and the end of every object.

use crate::error::{Error, Result};
use crate::renderer::Renderer;
use crate::resources::layouts::Table;
use crate::resources::objects::GuestSampler;
use crate::resources::sampler::Sampler;
use crate::resources::texture::Texture;
use crate::resources::texture_tables::InTables;
use crate::resources::trash::Trash;
use afterimage_stream::packets::{CreateSampler, CreateTexture, CreateView, View};
use afterimage_stream::{ObjectId, ObjectKind};
use ash::vk;

impl Renderer {
    /// [`CreateTexture`].
    pub(crate) fn create_texture(&mut self, body: &CreateTexture) -> Result {
        if body.shared != 0 {
            return self.create_shared(body);
        }
        let texture = Texture::new(&self.gpu, body)?;
        self.add_texture(body.id, texture)
    }

    /// [`CreateView`].
    pub(crate) fn create_view(&mut self, body: &CreateView) -> Result {
        let Some(source) = self.resources.textures.get(body.source) else { return Ok(()) };
        let texture = Texture::of_view(&self.gpu, body, &body.texture(&source.desc), source)?;
        self.add_texture(body.id, texture)
    }

    /// The texture that has the texels of one: itself, or of a view the one that it shows.
    #[inline]
    pub(crate) fn root(&self, id: ObjectId) -> ObjectId {
        self.resources.textures.get(id).and_then(|texture| texture.source).unwrap_or(id)
    }

    /// A subresource as one of the texture that has the texels.
    pub(crate) fn rooted(&self, view: View) -> View {
        let Some(texture) = self.resources.textures.get(view.texture) else { return view };
        let Some(source) = texture.source else { return view };
        let (level, layer) = texture.place(view.level, view.layer);
        View { texture: source, level, layer }
    }

    /// Gives a texture its places in the descriptor tables.
    pub(crate) fn add_texture(&mut self, id: ObjectId, mut texture: Texture) -> Result {
        let table = texture.table();
        let completed = self.recorder.submissions.completed;
        let layout = texture.home;
        let full =
            |kind: &str| Error::Unsupported { device: "the descriptor table".into(), what: format!("more {kind}") };
        if let Some(view) = &texture.view {
            let index = self.resources.descriptors.add_view(table, view.raw, layout, completed);
            texture.index = index.ok_or_else(|| full("textures"))?;
            texture.srgb_index = texture.index;
        }
        if let Some(view) = &texture.srgb_view {
            let index = self.resources.descriptors.add_view(table, view.raw, layout, completed);
            texture.srgb_index = index.ok_or_else(|| full("textures"))?;
        }
        self.resources.textures.insert(id, texture);
        Ok(())
    }

    /// [`CreateSampler`].
    pub(crate) fn create_sampler(&mut self, body: &CreateSampler) -> Result {
        let sampler = Sampler::new(&self.gpu, body)?;
        let completed = self.recorder.submissions.completed;
        let index = self.resources.descriptors.add_sampler(sampler.raw, completed).unwrap_or_else(|| {
            tracing::error!("{}: more samplers than the device's table holds; a plain one is used", body.id);
            0
        });
        let in_tables = InTables::default();
        let sampler = GuestSampler { desc: *body, index, sampler: Some(sampler), in_tables };
        self.resources.samplers.insert(body.id, sampler);
        Ok(())
    }

    /// [`Destroy`](afterimage_stream::packets::Destroy): what the GPU still uses goes when it is done.
    pub(crate) fn destroy(&mut self, id: ObjectId) {
        let current = self.recorder.submissions.current;
        if let Some(ObjectKind::Texture | ObjectKind::Sampler) = id.kind() {
            self.forget_in_tables(id);
        }
        match id.kind() {
            Some(ObjectKind::Buffer) => {
                if let Some(mut buffer) = self.resources.buffers.remove(id) {
                    match buffer.own.take() {
                        Some(own) => self.recorder.submissions.discard(Trash::Buffer(own)),
                        None => self.memory.dynamic.give(buffer.desc.size, current, buffer.backing),
                    }
                }
            }
            Some(ObjectKind::Texture) => {
                if let Some(texture) = self.resources.textures.remove(id) {
                    if texture.desc.shared != 0 {
                        self.resources.shared.retain(|shared| *shared != id);
                    }
                    self.bound.targets.forget(id);
                    let kind = texture.table();
                    for other in &texture.others {
                        self.resources.descriptors.remove(other.table, other.index, current);
                    }
                    self.resources.descriptors.remove(kind, texture.index, current);
                    if texture.srgb_index != texture.index {
                        self.resources.descriptors.remove(kind, texture.srgb_index, current);
                    }
                    if texture.uploading == current {
                        self.resources.uploading.retain(|&uploading| uploading != id);
                        // Draws of this submission may read it, behind its uploads.
                        match self.recorder.submissions.before() {
                            Ok(cmd) => {
                                let transfer = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
                                texture.transition(&self.gpu, cmd, transfer, texture.home);
                            }
                            Err(error) => self.fail(error),
                        }
                    }
                    texture.into_trash(|trash| self.recorder.submissions.discard(trash));
                }
            }
            Some(ObjectKind::Sampler) => {
                if let Some(mut sampler) = self.resources.samplers.remove(id) {
                    self.resources.descriptors.remove(Table::Sampler, sampler.index, current);
                    if let Some(raw) = sampler.sampler.take() {
                        self.recorder.submissions.discard(Trash::Sampler(raw));
                    }
                }
            }
            Some(ObjectKind::Shader) => {
                self.programs.shaders.remove(id);
                self.programs.partners.is_known(id);
                self.compute_shader_changed(id);
            }
            Some(ObjectKind::Query) => self.destroy_query(id),
            Some(ObjectKind::Target) => self.remove_target(id),
            Some(ObjectKind::Table) => self.destroy_table(id),
            Some(ObjectKind::VertexInput | ObjectKind::Upload) | None => {}
        }
    }
}
