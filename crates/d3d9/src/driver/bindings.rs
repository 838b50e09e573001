//! What is bound: textures, streams, indices, declarations, shaders.

use super::Device;
use super::state_block::Setting;
use crate::error::{Error, Result};
use crate::handle::*;
use crate::machine::*;
use crate::translate::texture_kind;
use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::Constants;
use afterimage_stream::packets;

/// Largest stride that the stream takes.
const MAX_STRIDE: u32 = 2048;

impl Device {
    /// `SetTexture`; stages as in [`Device::set_sampler_state`].
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a stage that does not exist or an image that is no texture.
    #[inline]
    pub fn set_texture(&mut self, stage: u32, texture: Option<ImageId>) -> Result<()> {
        let slot = sampler_slot(stage).ok_or(Error::InvalidCall)?;
        let old = self.registers.textures[slot];
        if old == texture && self.recording.is_none() {
            return Ok(());
        }
        let mut kind = None;
        if let Some(id) = texture {
            let image = self.objects.images.get(id).ok_or(Error::InvalidCall)?;
            if !image.is_texture() {
                return Err(Error::InvalidCall);
            }
            kind = Some(image.kind);
            if image.id.is_none() {
                self.realise(id)?;
            }
        }
        if self.record(|| Setting::Texture(stage, texture)) {
            return Ok(());
        }
        if stage == D3DDMAPSAMPLER && texture.is_some() && self.logged.insert("D3DDMAPSAMPLER") {
            tracing::warn!("displacement maps are not supported (nor a capability): nothing is displaced by one");
        }
        self.objects.images.bind(texture);
        let registers = &mut self.registers;
        registers.textures.set(slot, texture, &mut registers.tracker);
        // The fixed stages are other code for other kinds of textures.
        if slot < registers.stages.len() {
            registers.texture_kinds.set(slot, texture_kind(kind), &mut registers.tracker);
        }
        if self.objects.images.unbind(old)
            && let Some(old) = old
        {
            self.bury(Handle::Image(old));
        }
        Ok(())
    }

    /// `GetTexture`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a stage that does not exist.
    pub fn texture(&self, stage: u32) -> Result<Option<ImageId>> {
        sampler_slot(stage).map(|slot| self.registers.textures[slot]).ok_or(Error::InvalidCall)
    }

    /// `SetStreamSource`. Without a buffer, offset and stride are kept as Direct3D keeps them.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a stream past 15, a stride past 2048, or a buffer of indices.
    #[inline]
    pub fn set_stream_source(&mut self, stream: u32, buffer: Option<BufferId>, offset: u32, stride: u32) -> Result<()> {
        if stream as usize >= STREAMS {
            return Err(Error::InvalidCall);
        }
        let old = self.registers.streams[stream as usize];
        let new = match buffer {
            Some(_) => Stream { buffer, offset, stride },
            None => Stream { buffer: None, ..old },
        };
        if old == new && self.recording.is_none() {
            return Ok(());
        }
        if let Some(id) = buffer {
            let found = self.objects.buffers.get(id).ok_or(Error::InvalidCall)?;
            if found.is_index() || stride > MAX_STRIDE {
                return Err(Error::InvalidCall);
            }
        }
        if self.record(|| Setting::Stream(stream, buffer, offset, stride)) {
            return Ok(());
        }
        self.registers.streams.set(stream as usize, new, &mut self.registers.tracker);
        if old.buffer != buffer {
            self.objects.buffers.bind(buffer);
            self.unbind_buffer(old.buffer);
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn unbind_buffer(&mut self, buffer: Option<BufferId>) {
        if self.objects.buffers.unbind(buffer)
            && let Some(buffer) = buffer
        {
            self.bury(Handle::Buffer(buffer));
        }
    }

    /// `GetStreamSource`: buffer, offset, stride.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a stream past 15.
    pub fn stream_source(&self, stream: u32) -> Result<(Option<BufferId>, u32, u32)> {
        let stream = self.registers.streams.all().get(stream as usize).ok_or(Error::InvalidCall)?;
        Ok((stream.buffer, stream.offset, stream.stride))
    }

    /// `SetStreamSourceFreq`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for combinations that Direct3D does not allow.
    pub fn set_stream_source_freq(&mut self, stream: u32, setting: u32) -> Result<()> {
        let both = D3DSTREAMSOURCE_INDEXEDDATA | D3DSTREAMSOURCE_INSTANCEDATA;
        let instanced_zero = stream == 0 && setting & D3DSTREAMSOURCE_INSTANCEDATA != 0;
        if stream as usize >= STREAMS || setting == 0 || setting & both == both || instanced_zero {
            return Err(Error::InvalidCall);
        }
        if self.record(|| Setting::StreamFrequency(stream, setting)) {
            return Ok(());
        }
        self.registers.frequencies.set(stream as usize, setting, &mut self.registers.tracker);
        Ok(())
    }

    /// `GetStreamSourceFreq`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a stream past 15.
    pub fn stream_source_freq(&self, stream: u32) -> Result<u32> {
        self.registers.frequencies.all().get(stream as usize).copied().ok_or(Error::InvalidCall)
    }

    /// `SetIndices`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a buffer that holds no indices.
    #[inline]
    pub fn set_indices(&mut self, buffer: Option<BufferId>) -> Result<()> {
        let old = *self.registers.indices;
        if old == buffer && self.recording.is_none() {
            return Ok(());
        }
        if let Some(id) = buffer
            && !self.objects.buffers.get(id).is_some_and(|buffer| buffer.is_index())
        {
            return Err(Error::InvalidCall);
        }
        if self.record(|| Setting::Indices(buffer)) {
            return Ok(());
        }
        self.registers.indices.set(buffer, &mut self.registers.tracker);
        self.objects.buffers.bind(buffer);
        self.unbind_buffer(old);
        Ok(())
    }

    /// `GetIndices`.
    #[must_use]
    pub fn indices(&self) -> Option<BufferId> {
        *self.registers.indices
    }

    /// `CreateVertexDeclaration`; the slice ends with the element before `D3DDECL_END`, or with it.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for elements that repeat a usage or are out of range, [`Error::Fail`] for types that do not
    /// exist and offsets that are no multiple of four.
    pub fn create_declaration(&mut self, elements: &[D3DVERTEXELEMENT9]) -> Result<DeclarationId> {
        let declaration = Declaration::new(elements, fvf_of(elements))?;
        Ok(self.objects.declarations.insert(declaration, true))
    }

    /// The elements of a declaration, `D3DDECL_END` included.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    pub fn declaration_elements(&self, declaration: DeclarationId) -> Result<&[D3DVERTEXELEMENT9]> {
        self.objects.declarations.get(declaration).map(|d| &*d.elements).ok_or(Error::InvalidCall)
    }

    /// `SetVertexDeclaration`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    #[inline]
    pub fn set_vertex_declaration(&mut self, declaration: Option<DeclarationId>) -> Result<()> {
        let fvf = match declaration {
            Some(id) => self.objects.declarations.get(id).ok_or(Error::InvalidCall)?.fvf,
            None => 0,
        };
        if self.record(|| Setting::Declaration(declaration)) {
            return Ok(());
        }
        self.registers.fvf = fvf;
        let old = *self.registers.declaration;
        if old == declaration {
            return Ok(());
        }
        self.registers.declaration.set(declaration, &mut self.registers.tracker);
        self.objects.declarations.bind(declaration);
        if self.objects.declarations.unbind(old)
            && let Some(old) = old
        {
            self.bury(Handle::Declaration(old));
        }
        Ok(())
    }

    /// `GetVertexDeclaration`; after [`Device::set_fvf`] that FVF's declaration.
    #[must_use]
    pub fn vertex_declaration(&self) -> Option<DeclarationId> {
        *self.registers.declaration
    }

    /// `SetFVF`. Code 0 changes nothing.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a code that is none.
    pub fn set_fvf(&mut self, fvf: u32) -> Result<()> {
        if fvf == 0 {
            return Ok(());
        }
        let declaration = match self.fvf_declarations.get(&fvf) {
            Some(&id) => id,
            None => {
                let declaration = Declaration::new(&fvf_elements(fvf)?, fvf)?;
                let id = self.objects.declarations.insert(declaration, false);
                // The device keeps it for the next time.
                self.objects.declarations.bind(Some(id));
                self.fvf_declarations.insert(fvf, id);
                id
            }
        };
        self.set_vertex_declaration(Some(declaration))
    }

    /// `GetFVF`; 0 where the declaration came from elsewhere.
    #[must_use]
    pub fn fvf(&self) -> u32 {
        self.registers.fvf
    }

    /// `CreateVertexShader`; the tokens up to the end token (`afterimage_shader_d3d9::token_length` finds it).
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for tokens that are no vertex shader; the log says why.
    pub fn create_vertex_shader(&mut self, tokens: &[u32]) -> Result<VertexShaderId> {
        self.overrides.check_shader(tokens)?;
        let software = D3DCREATE_SOFTWARE_VERTEXPROCESSING | D3DCREATE_MIXED_VERTEXPROCESSING;
        let in_software = self.creation.BehaviorFlags & software != 0;
        let constants = if in_software { Constants::OfSoftware } else { Constants::OfModel };
        let mut program = Program::new(tokens, packets::Stage::Vertex, constants)?;
        self.create_shader_object(&mut program)?;
        self.port.flush_if_due();
        Ok(self.objects.vertex_shaders.insert(program, true))
    }

    /// `CreatePixelShader`.
    ///
    /// # Errors
    /// As [`Device::create_vertex_shader`].
    pub fn create_pixel_shader(&mut self, tokens: &[u32]) -> Result<PixelShaderId> {
        self.overrides.check_shader(tokens)?;
        let mut program = Program::new(tokens, packets::Stage::Pixel, Constants::OfModel)?;
        self.create_shader_object(&mut program)?;
        self.port.flush_if_due();
        Ok(self.objects.pixel_shaders.insert(program, true))
    }

    /// `GetFunction` of a vertex shader: its tokens.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    pub fn vertex_shader_code(&self, shader: VertexShaderId) -> Result<&[u32]> {
        self.objects.vertex_shaders.get(shader).map(|program| &*program.code).ok_or(Error::InvalidCall)
    }

    /// `GetFunction` of a pixel shader: its tokens.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    pub fn pixel_shader_code(&self, shader: PixelShaderId) -> Result<&[u32]> {
        self.objects.pixel_shaders.get(shader).map(|program| &*program.code).ok_or(Error::InvalidCall)
    }

    /// `SetVertexShader`; none is the fixed-function pipeline.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    #[inline]
    pub fn set_vertex_shader(&mut self, shader: Option<VertexShaderId>) -> Result<()> {
        let old = *self.registers.vertex_shader;
        if old == shader && self.recording.is_none() {
            return Ok(());
        }
        if let Some(id) = shader {
            self.objects.vertex_shaders.get(id).ok_or(Error::InvalidCall)?;
        }
        if self.record(|| Setting::VertexShader(shader)) {
            return Ok(());
        }
        let registers = &mut self.registers;
        registers.vertex_shader.set(shader, &mut registers.tracker);
        registers.vertex_shader_failed.set(false, &mut registers.tracker);
        self.objects.vertex_shaders.bind(shader);
        if self.objects.vertex_shaders.unbind(old)
            && let Some(old) = old
        {
            self.bury(Handle::VertexShader(old));
        }
        Ok(())
    }

    /// `GetVertexShader`.
    #[must_use]
    pub fn vertex_shader(&self) -> Option<VertexShaderId> {
        *self.registers.vertex_shader
    }

    /// `SetPixelShader`; none is the fixed-function pipeline.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    #[inline]
    pub fn set_pixel_shader(&mut self, shader: Option<PixelShaderId>) -> Result<()> {
        let old = *self.registers.pixel_shader;
        if old == shader && self.recording.is_none() {
            return Ok(());
        }
        if let Some(id) = shader {
            self.objects.pixel_shaders.get(id).ok_or(Error::InvalidCall)?;
        }
        if self.record(|| Setting::PixelShader(shader)) {
            return Ok(());
        }
        let registers = &mut self.registers;
        registers.pixel_shader.set(shader, &mut registers.tracker);
        // Which coordinates the fixed vertex stage writes depends on who reads them.
        registers.has_pixel_shader.set(shader.is_some(), &mut registers.tracker);
        self.objects.pixel_shaders.bind(shader);
        if self.objects.pixel_shaders.unbind(old)
            && let Some(old) = old
        {
            self.bury(Handle::PixelShader(old));
        }
        Ok(())
    }

    /// `GetPixelShader`.
    #[must_use]
    pub fn pixel_shader(&self) -> Option<PixelShaderId> {
        *self.registers.pixel_shader
    }
}
