//! Shaders of the two stages: keys become objects of the receiver, which are kept for the next draw with the same key.

use super::Translator;
use super::vertices::slots;
use afterimage_ir::{BuildError, Module};
use afterimage_nv2a_types::{Group, KelvinStates, Registers, method};
use afterimage_shader_nv2a::parse::flags;
use afterimage_shader_nv2a::pixel::{self, Drawn};
use afterimage_shader_nv2a::{Program, fixed, io, lift};
use afterimage_state::{Tracker, trace};
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, ObjectKind, Port, PortError, VertexFormat};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Shaders that are kept. A console's games have a few hundred.
const MOST_SHADERS: usize = 4096;
/// Vertex layouts that are kept.
const MOST_LAYOUTS: usize = 1024;

/// Vertex buffer of what differs from vertex to vertex.
pub(super) const VARYING_BUFFER: u8 = 0;
/// Vertex buffer of the one vertex with everything else.
pub(super) const CURRENT_BUFFER: u8 = 1;

/// What the vertex engine does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum VertexCode {
    /// A program.
    Program(Program),
    /// Fixed-function transform and lighting.
    Fixed(fixed::Key),
}

/// A vertex shader.
#[derive(Clone, Debug)]
pub(super) struct VertexStage {
    /// The shader.
    pub(super) id: ObjectId,
    /// Attributes that it reads.
    pub(super) inputs: u16,
    /// What it was made of.
    pub(super) code: VertexCode,
}

impl VertexStage {
    /// The shader as IR, to run here.
    pub(super) fn lift(&self) -> Result<Module, BuildError> {
        match &self.code {
            VertexCode::Program(program) => lift(program),
            VertexCode::Fixed(key) => fixed::lift(key),
        }
    }
}

/// Shaders and vertex layouts that the receiver has.
#[derive(Debug, Default)]
pub(super) struct Shaders {
    /// By language and code.
    ids: FxHashMap<(Language, Box<[u8]>), ObjectId>,
    /// By the attributes that a shader reads, and those that differ from vertex to vertex.
    layouts: FxHashMap<(u16, u16), ObjectId>,
    /// The vertex shader that the registers ask for, if it can be had.
    pub(super) vertex: Option<Arc<VertexStage>>,
    /// The same for pixels.
    pub(super) pixel: Option<(pixel::Key, ObjectId)>,
    /// Whether the vertex shader is for points.
    points: bool,
    /// What the pixel shader is for, and flags of its key that are not the registers'; none before the first draw.
    drawn: Option<(Drawn, u32)>,
}

impl Shaders {
    /// The receiver is gone, and with it every object.
    pub(super) fn forget(&mut self, port: &mut Port) {
        let ids = self.ids.drain().map(|(_, id)| id).chain(self.layouts.drain().map(|(_, id)| id));
        ids.for_each(|id| port.recycle(id));
        (self.vertex, self.pixel) = (None, None);
    }

    /// The shader with this code, created unless the receiver has it.
    pub(super) fn shader(
        &mut self,
        port: &mut Port,
        stage: Stage,
        language: Language,
        code: &[u8],
    ) -> Result<ObjectId, PortError> {
        let key = (language, Box::from(code));
        if let Some(id) = self.ids.get(&key) {
            return Ok(*id);
        }
        let id = port.allocate(ObjectKind::Shader)?;
        let code = port.upload_bytes(code).inspect_err(|_| port.recycle(id))?;
        port.push(&CreateShader { id, stage: stage as u32, language: language as u32, pad: 0, code });
        self.ids.insert(key, id);
        Ok(id)
    }

    /// The layout for a shader that reads `inputs`, of which `varying` are in the varying buffer, packed, and the others in
    /// the current one.
    pub(super) fn layout(&mut self, port: &mut Port, inputs: u16, varying: u16) -> Result<ObjectId, PortError> {
        if let Some(id) = self.layouts.get(&(inputs, varying)) {
            return Ok(*id);
        }
        let mut offsets = [0; 2];
        let attributes: Vec<_> = slots(inputs)
            .map(|location| {
                let slot = if varying >> location & 1 != 0 { VARYING_BUFFER } else { CURRENT_BUFFER };
                let offset = &mut offsets[usize::from(slot)];
                *offset += 16;
                let format = VertexFormat::R32G32B32A32_SFLOAT as u8;
                VertexAttribute { location, slot, format, per_instance: 0, offset: *offset - 16, divisor: 0 }
            })
            .collect();
        self.insert_layout(port, (inputs, varying), &attributes)
    }

    /// The layout kept under a key, created unless the receiver has it.
    fn insert_layout(
        &mut self,
        port: &mut Port,
        key: (u16, u16),
        attributes: &[VertexAttribute],
    ) -> Result<ObjectId, PortError> {
        let id = port.allocate(ObjectKind::VertexInput)?;
        port.push_tail(&CreateVertexInput { id, count: attributes.len() as u32 }, attributes);
        self.layouts.insert(key, id);
        Ok(id)
    }

    /// A layout that is not one of attributes of the guest. `key` says which.
    pub(super) fn own_layout(
        &mut self,
        port: &mut Port,
        key: u16,
        attributes: &[VertexAttribute],
    ) -> Result<ObjectId, PortError> {
        // No draw has varying attributes that its shader does not read.
        let key = (0, key | 1);
        match self.layouts.get(&key) {
            Some(id) => Ok(*id),
            None => self.insert_layout(port, key, attributes),
        }
    }
}

impl Translator {
    /// Where too many shaders or layouts are kept, drops them all; those in use are made again. To be called between draws.
    pub(super) fn bound_shaders(&mut self, tracker: &mut Tracker<KelvinStates>) {
        if self.shaders.ids.len() >= MOST_SHADERS {
            tracing::warn!("{MOST_SHADERS} shaders: all are made again");
            self.port.put(&mut self.sent.shaders, SetShaders::default());
            self.shaders.ids.drain().for_each(|(_, id)| self.port.destroy(id));
            (self.shaders.vertex, self.shaders.pixel) = (None, None);
            tracker.mark(Group::Vertex);
            tracker.mark(Group::Pixel);
        }
        if self.shaders.layouts.len() >= MOST_LAYOUTS {
            self.port.put(&mut self.sent.vertex_input, SetVertexInput::default());
            self.shaders.layouts.drain().for_each(|(_, id)| self.port.destroy(id));
        }
    }

    /// Says whether the vertex shader is for points.
    pub(super) fn set_points(&mut self, points: bool, tracker: &mut Tracker<KelvinStates>) {
        tracker.write(KelvinStates::POINTS, &mut self.shaders.points, points);
    }

    /// Says what the pixel shader is for, with more flags of its key.
    pub(super) fn set_drawn(&mut self, drawn: Drawn, flags: u32, tracker: &mut Tracker<KelvinStates>) {
        tracker.write(KelvinStates::DRAWN, &mut self.shaders.drawn, Some((drawn, flags)));
    }

    /// What the vertex shader is made of. None if there is no such shader; then that has been said.
    pub(super) fn vertex_code(&mut self, registers: &Registers) -> Option<VertexCode> {
        trace::read(KelvinStates::POINTS);
        let points = self.shaders.points;
        let runs_program = registers.bits(method::SET_TRANSFORM_EXECUTION_MODE, 0, 2) == 2;
        if !runs_program {
            return Some(VertexCode::Fixed(fixed::Key::of(registers, points)));
        }
        if registers.is_set(method::SET_LIGHTING_ENABLE) {
            self.once.warn("SET_LIGHTING_ENABLE with a vertex program is not supported: colours are the program's");
        }
        let start = registers.get(method::SET_TRANSFORM_PROGRAM_START) as usize;
        match Program::parse(registers.program().as_slice(), start) {
            Ok(program) => {
                let radial = registers.get(method::SET_FOG_GEN_MODE) == io::RADIAL_FOG;
                let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
                let flags = flag(points, flags::POINTS) | flag(radial, flags::RADIAL_FOG);
                Some(VertexCode::Program(program.with_flags(flags)))
            }
            Err(error) => {
                self.once.warn(format!("vertex program: {error}; what it is for is not drawn"));
                None
            }
        }
    }

    /// Makes the vertex shader that the registers ask for the current one. True if it was another.
    pub(super) fn apply_vertex(&mut self, registers: &Registers) -> bool {
        let code = self.vertex_code(registers);
        if code.as_ref() == self.shaders.vertex.as_ref().map(|stage| &stage.code) {
            return false;
        }
        self.shaders.vertex = code.and_then(|code| self.stage_of(code)).map(Arc::new);
        true
    }

    /// The vertex shader of some code.
    pub(super) fn stage_of(&mut self, code: VertexCode) -> Option<VertexStage> {
        let (shaders, port) = (&mut self.shaders, &mut self.port);
        let (id, inputs) = match &code {
            VertexCode::Program(program) => {
                (shaders.shader(port, Stage::Vertex, Language::Nv2aProgram, &program.to_bytes()), program.inputs())
            }
            VertexCode::Fixed(key) => {
                (shaders.shader(port, Stage::Vertex, Language::Nv2aFixed, bytemuck::bytes_of(key)), key.inputs())
            }
        };
        match id {
            Ok(id) => Some(VertexStage { id, inputs, code }),
            Err(error) => {
                self.once.warn(format!("vertex shader: {error}"));
                None
            }
        }
    }

    /// What the pixel shader is made of.
    pub(super) fn pixel_key(&self, registers: &Registers) -> pixel::Key {
        trace::read(KelvinStates::DRAWN);
        let (drawn, flags) = self.shaders.drawn.unwrap_or((Drawn::Triangles, 0));
        let mut key = pixel::Key::of(registers, drawn);
        key.flags |= flags;
        key
    }

    /// Makes the pixel shader that the registers ask for the current one. True if it was another.
    pub(super) fn apply_pixel(&mut self, registers: &Registers) -> bool {
        let key = self.pixel_key(registers);
        if self.shaders.pixel.as_ref().is_some_and(|(held, _)| *held == key) {
            return false;
        }
        let id = self.shaders.shader(&mut self.port, Stage::Pixel, Language::Nv2aPixel, bytemuck::bytes_of(&key));
        let id = id.inspect_err(|error| self.once.warn(format!("pixel shader: {error}")));
        self.shaders.pixel = id.ok().map(|id| (key, id));
        true
    }
}
