//! Buffers, textures and samplers of a guest, and the end of every object.

use crate::error::Result;
use crate::renderer::Renderer;
use crate::resources::buffer::Buffer;
use crate::resources::sampler::{Sampler, lost};
use crate::resources::texture::Texture;
use afterimage_metal_calls::Device;
use afterimage_stream::packets::{CreateBuffer, CreateSampler, CreateTexture, CreateView, View};
use afterimage_stream::{ObjectId, ObjectKind};

impl<D: Device> Renderer<D> {
    /// [`CreateBuffer`].
    pub(crate) fn create_buffer(&mut self, body: &CreateBuffer) -> Result {
        let version = self.next_version();
        let buffer = Buffer::new(&self.device, body, version)?;
        self.resources.buffers.insert(body.id, buffer);
        Ok(())
    }

    /// [`CreateTexture`].
    pub(crate) fn create_texture(&mut self, body: &CreateTexture) -> Result {
        self.forget_textures();
        let texture = Texture::new(&self.device, body)?;
        self.resources.made_samplers |= texture.is_spread();
        self.resources.textures.insert(body.id, texture);
        Ok(())
    }

    /// [`CreateView`].
    pub(crate) fn create_view(&mut self, body: &CreateView) -> Result {
        self.forget_textures();
        let Some(source) = self.resources.textures.get(body.source) else { return Ok(()) };
        let texture = Texture::of_view(&self.device, body, &body.texture(&source.desc), source)?;
        self.resources.made_samplers |= texture.is_spread();
        self.resources.textures.insert(body.id, texture);
        Ok(())
    }

    /// [`CreateSampler`].
    pub(crate) fn create_sampler(&mut self, body: &CreateSampler) -> Result {
        self.forget_textures();
        if let Some(what) = lost(body) {
            self.warn_once(what);
        }
        let sampler = Sampler::new(&self.device, body)?;
        self.resources.made_samplers |= sampler.biased || sampler.white.is_some() || sampler.reduced;
        self.resources.samplers.insert(body.id, sampler);
        Ok(())
    }

    /// The encoder has textures and samplers of ids that may be others' now.
    pub(crate) fn forget_textures(&mut self) {
        (self.bound.recorded.textures, self.bound.recorded.plain) = (Default::default(), None);
    }

    /// The texture that has the texels of one: itself, or of a view the one that it shows.
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

    /// [`Destroy`](afterimage_stream::packets::Destroy): what the GPU still uses is kept by whoever executes.
    pub(crate) fn destroy(&mut self, id: ObjectId) {
        match id.kind() {
            Some(ObjectKind::Buffer) => drop(self.resources.buffers.remove(id)),
            Some(ObjectKind::Texture) => {
                self.bound.targets.forget(id);
                self.forget_textures();
                drop(self.resources.textures.remove(id));
            }
            Some(ObjectKind::Sampler) => {
                self.forget_textures();
                drop(self.resources.samplers.remove(id));
            }
            Some(ObjectKind::Shader) => drop(self.shaders.remove(id)),
            Some(ObjectKind::Query) => self.destroy_query(id),
            Some(ObjectKind::Target) => {
                if let Some(windows) = &mut self.presenter.windows {
                    windows.forget(id);
                }
            }
            Some(ObjectKind::VertexInput | ObjectKind::Table | ObjectKind::Upload) | None => {}
        }
    }

    /// [`Name`](afterimage_stream::packets::Name).
    pub(crate) fn name_object(&mut self, id: ObjectId, name: &str) {
        let label = format!("{id} {name}");
        match id.kind() {
            Some(ObjectKind::Buffer) => {
                if let Some(buffer) = self.resources.buffers.get(id) {
                    self.device.label_buffer(&buffer.raw, &label);
                }
            }
            Some(ObjectKind::Texture) => {
                if let Some(texture) = self.resources.textures.get(id).filter(|texture| texture.source.is_none()) {
                    self.device.label_texture(&texture.raw, &label);
                }
            }
            _ => {}
        }
    }
}
