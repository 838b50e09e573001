//! Which shaders a draw runs: the program's own, or those of the fixed stages.

use crate::driver::Device;
use crate::error::{Error, Result};
use crate::handle::{PixelShaderId, VertexShaderId};
use crate::machine::{Group, Program};
use afterimage_stream::ObjectKind;
use afterimage_stream::packets::{CreateShader, SetShaders};

/// What a stage runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The program's vertex shader.
    VertexProgram(VertexShaderId),
    /// The program's pixel shader.
    PixelProgram(PixelShaderId),
    /// A fixed stage: index into the device's list of them.
    Fixed(usize),
}

impl Device {
    /// Gives a program its object in the stream.
    pub(crate) fn create_shader_object(&mut self, program: &mut Program) -> Result<()> {
        program.id = self.port.allocate(ObjectKind::Shader)?;
        self.send_shader(program);
        Ok(())
    }

    /// Sends a program's code. Trouble with the upload means a lost link: the code follows when it is back.
    pub(crate) fn send_shader(&mut self, program: &Program) {
        let Ok(code) = self.port.upload_bytes(bytemuck::cast_slice(&program.code)) else { return };
        let packet = CreateShader {
            id: program.id,
            stage: program.stage as u32,
            language: program.language as u32,
            pad: 0,
            code,
        };
        self.port.push(&packet);
    }

    fn fixed(&mut self, mut program: Program) -> Result<usize> {
        self.create_shader_object(&mut program)?;
        self.objects.fixed.push(program);
        Ok(self.objects.fixed.len() - 1)
    }

    pub(crate) fn apply_vertex_shader(&mut self) -> Result<()> {
        let declaration = self.registers.declaration.and_then(|id| self.objects.declarations.get(id));
        let transformed = declaration.is_some_and(|declaration| declaration.transformed);
        let program = self.registers.vertex_shader.filter(|_| !transformed);
        let needs_software =
            program.and_then(|id| self.objects.vertex_shaders.get(id)).is_some_and(|p| p.needs_software);
        // In hardware the first draw with such a shader fails, and those after it are the fixed stage's, as on Windows.
        let fails = needs_software && !self.software_processing;
        if fails && !std::mem::replace(&mut self.vertex_shader_failed, true) {
            return Err(Error::InvalidCall);
        }
        let source = match program {
            Some(id) if !fails => Source::VertexProgram(id),
            _ => {
                let key = self.fixed_vertex_key();
                match self.host.fixed_vertex.get(&key) {
                    Some(&index) => Source::Fixed(index),
                    None => {
                        let index = self.fixed(Program::fixed_vertex(&key))?;
                        self.host.fixed_vertex.insert(key, index);
                        Source::Fixed(index)
                    }
                }
            }
        };
        if self.host.vertex.source == Some(source) {
            return Ok(());
        }
        let program = match source {
            Source::VertexProgram(id) if self.software_processing => self.software_program(id)?,
            Source::VertexProgram(id) => self.objects.vertex_shaders.get(id),
            Source::Fixed(index) => self.objects.fixed.get(index),
            Source::PixelProgram(_) => None,
        };
        let info = super::StageInfo::of(source, program);
        self.registers.dirty_textures |= (info.other_wants(&self.host.vertex) & 15) << 16;
        self.host.vertex = info;
        self.mark(&[Group::Shaders, Group::VertexInput, Group::Textures, Group::ClipPlanes]);
        let constants = match source {
            Source::Fixed(_) => Group::FixedVertexConstants,
            _ => Group::VertexConstants,
        };
        self.registers.dirty.mark(constants);
        Ok(())
    }

    /// What a vertex shader is in software.
    fn software_program(&mut self, id: VertexShaderId) -> Result<Option<&Program>> {
        let program = self.objects.vertex_shaders.get(id);
        if let Some(program) = program.filter(|program| program.reaches_further && program.in_software.is_none()) {
            let mut program = program.for_software()?;
            self.create_shader_object(&mut program)?;
            if let Some(own) = self.objects.vertex_shaders.get_mut(id) {
                own.in_software = Some(Box::new(program));
            }
        }
        let program = self.objects.vertex_shaders.get(id);
        Ok(program.map(|program| program.in_software.as_deref().unwrap_or(program)))
    }

    pub(crate) fn apply_pixel_shader(&mut self) -> Result<()> {
        let source = match self.registers.pixel_shader {
            Some(id) => Source::PixelProgram(id),
            None => {
                let key = self.fixed_pixel_key();
                match self.host.fixed_pixel.get(&key) {
                    Some(&index) => Source::Fixed(index),
                    None => {
                        let index = self.fixed(Program::fixed_pixel(&key))?;
                        self.host.fixed_pixel.insert(key, index);
                        Source::Fixed(index)
                    }
                }
            }
        };
        if self.host.pixel.source == Some(source) {
            return Ok(());
        }
        let program = match source {
            Source::PixelProgram(id) => self.objects.pixel_shaders.get(id),
            Source::Fixed(index) => self.objects.fixed.get(index),
            Source::VertexProgram(_) => None,
        };
        let info = super::StageInfo::of(source, program);
        self.registers.dirty_textures |= info.other_wants(&self.host.pixel);
        self.host.pixel = info;
        self.mark(&[Group::Shaders, Group::Textures, Group::PixelOps]);
        let constants = match source {
            Source::Fixed(_) => Group::FixedPixelConstants,
            _ => Group::PixelConstants,
        };
        self.registers.dirty.mark(constants);
        if self.host.pixel.model == 1 {
            self.registers.dirty.mark(Group::FixedPixelConstants);
        }
        Ok(())
    }

    pub(crate) fn apply_shaders(&mut self) {
        let packet = SetShaders { vertex: self.host.vertex.id, pixel: self.host.pixel.id };
        self.port.put(&mut self.host.sent.shaders, packet);
    }
}

impl super::StageInfo {
    fn of(source: Source, program: Option<&Program>) -> Self {
        match program {
            Some(program) => Self {
                source: Some(source),
                id: program.id,
                reads: program.reads,
                samplers: program.samplers,
                wants: program.wants,
                model: program.model,
            },
            None => Self::default(),
        }
    }

    /// Bit per sampler that wants another kind of texture than under `before`: what is bound there has to be looked at
    /// again.
    fn other_wants(&self, before: &Self) -> u32 {
        if self.wants == before.wants {
            return 0;
        }
        let pairs = self.wants.iter().zip(&before.wants).enumerate();
        pairs.filter(|(_, (new, old))| new != old).map(|(slot, _)| 1 << slot).sum()
    }
}
