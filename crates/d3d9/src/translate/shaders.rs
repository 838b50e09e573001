//! Which shaders a draw runs: the program's own, or those of the fixed stages.

use crate::driver::Device;
use crate::error::{Error, Result};
use crate::handle::{PixelShaderId, VertexShaderId};
use crate::machine::Program;
use crate::translate::stages::StageInfo;
use afterimage_shader_d3d9::{FixedPixelKey, FixedVertexKey};
use afterimage_state::Effect;
use afterimage_stream::packets::{CreateShader, SetShaders};
use afterimage_stream::{ObjectId, ObjectKind, Port};

/// What a stage runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The program's vertex shader.
    VertexProgram(VertexShaderId),
    /// The program's pixel shader.
    PixelProgram(PixelShaderId),
    /// A fixed stage: index into the device's list of them.
    Fixed(usize),
    /// What `ProcessVertices` runs: number of the processing.
    Processing {
        number: usize,
        /// It is made of a fixed stage.
        fixed: bool,
    },
}

/// What the vertex stage should run.
enum VertexStage {
    Own(VertexShaderId),
    Fixed(FixedVertexKey),
    /// A shader that hardware does not take, for the first time: nothing is drawn.
    Refused,
    /// One that is ready.
    Ready(Source),
}

/// What the pixel stage should run.
enum PixelStage {
    Own(PixelShaderId),
    Fixed(FixedPixelKey),
}

/// Sends a program's code. Trouble with the upload means a lost link: the code follows when it is back.
fn send_shader(port: &mut Port, program: &Program) {
    let Ok(code) = port.upload_bytes(bytemuck::cast_slice(&program.code)) else { return };
    let packet =
        CreateShader { id: program.id, stage: program.stage as u32, language: program.language as u32, pad: 0, code };
    port.push(&packet);
}

impl Device {
    /// Gives a program its object in the stream.
    pub(crate) fn create_shader_object(&mut self, program: &mut Program) -> Result<()> {
        program.id = self.port.allocate(ObjectKind::Shader)?;
        send_shader(&mut self.port, program);
        Ok(())
    }

    /// Gives a processing its object in the stream, if it has none.
    pub(crate) fn create_processing_object(&mut self, number: usize) -> Result<()> {
        let processing = self.objects.processings.get_mut(number).ok_or(Error::Internal)?;
        if processing.program.id.is_none() {
            processing.program.id = self.port.allocate(ObjectKind::Shader)?;
            send_shader(&mut self.port, &processing.program);
        }
        Ok(())
    }

    fn fixed(&mut self, mut program: Program) -> Result<usize> {
        self.create_shader_object(&mut program)?;
        self.objects.fixed.push(program);
        Ok(self.objects.fixed.len() - 1)
    }

    fn vertex_stage(&self) -> VertexStage {
        if let Some(number) = self.processing {
            let fixed = self.objects.processings.get(number).is_some_and(|processing| processing.fixed);
            return VertexStage::Ready(Source::Processing { number, fixed });
        }
        let program = self.registers.vertex_shader.filter(|_| !self.transformed());
        let found = program.and_then(|id| self.objects.vertex_shaders.get(id));
        // In hardware the first draw with such a shader fails, and those after it are the fixed stage's, as on Windows.
        let fails = found.is_some_and(|program| program.needs_software) && !*self.registers.software_processing;
        match program {
            Some(id) if !fails => VertexStage::Own(id),
            _ if fails && !*self.registers.vertex_shader_failed => VertexStage::Refused,
            _ => VertexStage::Fixed(self.fixed_vertex_key()),
        }
    }

    fn pixel_stage(&self) -> PixelStage {
        match *self.registers.pixel_shader {
            Some(id) => PixelStage::Own(id),
            None => PixelStage::Fixed(self.fixed_pixel_key()),
        }
    }

    /// The program of a source, if it has been made.
    fn program(&self, source: Source) -> Option<&Program> {
        match source {
            Source::VertexProgram(id) => {
                let program = self.objects.vertex_shaders.get(id)?;
                let software = program.in_software.as_deref().filter(|_| *self.registers.software_processing);
                Some(software.unwrap_or(program))
            }
            Source::PixelProgram(id) => self.objects.pixel_shaders.get(id),
            Source::Fixed(index) => self.objects.fixed.get(index),
            Source::Processing { number, .. } => Some(&self.objects.processings.get(number)?.program),
        }
    }

    #[inline(never)]
    pub(super) fn apply_vertex_shader(&mut self) -> Result<Effect> {
        let source = match self.vertex_stage() {
            VertexStage::Own(id) => {
                self.make_software_program(id)?;
                Source::VertexProgram(id)
            }
            VertexStage::Fixed(key) => Source::Fixed(match self.host.fixed_vertex.get(&key) {
                Some(&index) => index,
                None => {
                    let index = self.fixed(Program::fixed_vertex(&key))?;
                    self.host.fixed_vertex.insert(key, index);
                    index
                }
            }),
            VertexStage::Refused => {
                self.registers.vertex_shader_failed.set(true, &mut self.registers.tracker);
                return Err(Error::InvalidCall);
            }
            VertexStage::Ready(source) => source,
        };
        let info = self.program(source).map_or_else(StageInfo::default, |program| StageInfo::of(source, program));
        if self.host.stages.vertex().is(&info) {
            return Ok(Effect::Same);
        }
        self.host.stages.set_vertex(info);
        self.registers.tracker.wake(self.host.stages.fixed_groups());
        Ok(Effect::Changed)
    }

    /// What the vertex stage should run instead of what it does.
    pub(super) fn stale_vertex_shader(&self) -> Option<String> {
        let source = match self.vertex_stage() {
            VertexStage::Own(id) => Some(Source::VertexProgram(id)),
            VertexStage::Fixed(key) => self.host.fixed_vertex.get(&key).copied().map(Source::Fixed),
            VertexStage::Refused => None,
            VertexStage::Ready(source) => Some(source),
        };
        self.stale_stage(source, self.host.stages.vertex())
    }

    fn stale_stage(&self, source: Option<Source>, bound: &StageInfo) -> Option<String> {
        let wanted = (source, source.and_then(|source| self.program(source)).map(|program| program.id));
        let bound = (bound.source, Some(bound.id));
        (wanted != bound).then(|| format!("{wanted:?} instead of {bound:?}"))
    }

    /// Makes the program that a vertex shader is in software, for one that is another there.
    fn make_software_program(&mut self, id: VertexShaderId) -> Result<()> {
        let program = self.objects.vertex_shaders.get(id).filter(|_| *self.registers.software_processing);
        if let Some(program) = program.filter(|program| program.reaches_further && program.in_software.is_none()) {
            let mut program = program.for_software()?;
            self.create_shader_object(&mut program)?;
            if let Some(own) = self.objects.vertex_shaders.get_mut(id) {
                own.in_software = Some(Box::new(program));
            }
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn apply_pixel_shader(&mut self) -> Result<Effect> {
        let source = match self.pixel_stage() {
            PixelStage::Own(id) => Source::PixelProgram(id),
            PixelStage::Fixed(key) => Source::Fixed(match self.host.fixed_pixel.get(&key) {
                Some(&index) => index,
                None => {
                    let index = self.fixed(Program::fixed_pixel(&key))?;
                    self.host.fixed_pixel.insert(key, index);
                    index
                }
            }),
        };
        let info = self.program(source).map_or_else(StageInfo::default, |program| StageInfo::of(source, program));
        if self.host.stages.pixel().is(&info) {
            return Ok(Effect::Same);
        }
        self.host.stages.set_pixel(info);
        Ok(Effect::Changed)
    }

    /// What the pixel stage should run instead of what it does.
    pub(super) fn stale_pixel_shader(&self) -> Option<String> {
        let source = match self.pixel_stage() {
            PixelStage::Own(id) => Some(Source::PixelProgram(id)),
            PixelStage::Fixed(key) => self.host.fixed_pixel.get(&key).copied().map(Source::Fixed),
        };
        self.stale_stage(source, self.host.stages.pixel())
    }

    pub(super) fn shaders(&self) -> SetShaders {
        let vertex = self.host.stages.vertex().id;
        // What only processes vertices has no pixels.
        let pixel = if self.processing.is_some() { ObjectId::NONE } else { self.host.stages.pixel().id };
        SetShaders { vertex, pixel, ..SetShaders::default() }
    }
}
