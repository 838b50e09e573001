//! `ProcessVertices`: the vertex stage on the processor, into a buffer.
//!
//! The stage is the module that the GPU would run, in the reference interpreter, so that both mean the same. Rules are
//! those of the published documentation of `IDirect3DDevice9::ProcessVertices`, `D3DPV_DONOTCOPYDATA` and
//! `D3DCLIPSTATUS9`.

use super::Device;
use crate::error::{Error, Result};
use crate::handle::{BufferId, DeclarationId};
use crate::machine::*;
use crate::machine::{RenderStates as RS, StageStates as TSS};
use crate::translate::{attributes, depth_range};
use afterimage_d3d9_types::*;
use afterimage_interp::{Environment, Interpreter, LANES, Lanes, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Module, OutputAt, Semantic, TextureDecl};
use afterimage_shader_d3d9::ffp::{STAGES, lift_fixed_vertex};
use afterimage_shader_d3d9::lift::lift_program;
use afterimage_shader_d3d9::{
    Bank, Constants as Limits, FixedVertexKey, Program as Parsed, RuntimeInfo, Signature, SystemRegister, TexCoordKey,
};
use afterimage_stream::VertexFormat;
use afterimage_stream::packets::VertexAttribute;
use smallvec::SmallVec;

/// Bytes of a vertex as elements lay it out.
fn vertex_size(elements: &[D3DVERTEXELEMENT9]) -> u32 {
    let end = |e: &D3DVERTEXELEMENT9| u32::from(e.Offset) + decl_type(e.Type).map_or(0, |(_, size)| size);
    elements.iter().map(end).max().unwrap_or(0)
}

/// A vertex stage, ready to be run here.
struct Stage {
    module: Module,
    inputs: SmallVec<[VertexAttribute; 16]>,
    /// The key of the fixed stage; none for the program's own shader.
    key: Option<FixedVertexKey>,
}

/// What the stage reads: a group of vertices, and registers.
struct Vertices<'a> {
    sources: [VertexSource<'a>; STREAMS],
    inputs: &'a [VertexAttribute],
    registers: &'a Registers,
    fixed: &'a Constants,
    clip_planes: [[f32; 4]; CLIP_PLANES],
    first: u64,
}

impl Environment for Vertices<'_> {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        let InputAt::Location(location) = decl.at else { return [0; 4] };
        let input = self.inputs.iter().find(|input| input.location == location);
        let source = input.and_then(|input| {
            let format = VertexFormat::from_bits(input.format)?;
            Some((input, self.sources.get(usize::from(input.slot))?, format))
        });
        match source {
            // Instances have no meaning here: their streams stay at the first.
            Some((input, source, format)) => {
                let vertex = if input.per_instance == 0 { self.first + lane as u64 } else { 0 };
                source.read(vertex, input.offset, format)
            }
            None => [0.0, 0.0, 0.0, 1.0],
        }
        .map(f32::to_bits)
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        let of = |constants: &Constants| constants.all().get(index as usize).copied().unwrap_or_default();
        let own = &self.registers.vertex_constants;
        match bank.id {
            id if id == Bank::VertexFloat as u8 => of(own.file(File::Floats)),
            id if id == Bank::VertexInt as u8 => of(own.file(File::Ints)),
            id if id == Bank::VertexBool as u8 => of(own.file(File::Bools)),
            id if id == Bank::FixedVertex as u8 => of(self.fixed),
            // Of the system's registers the vertex stage is only asked for clip planes here.
            _ => {
                let plane = index.checked_sub(SystemRegister::ClipPlane.register().into());
                plane.and_then(|plane| self.clip_planes.get(plane as usize)).map_or([0; 4], |p| p.map(f32::to_bits))
            }
        }
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0, 0.0, 0.0, 1.0]
    }
}

/// What the stage made of a group of vertices.
struct Results<'a> {
    module: &'a Module,
    outputs: &'a [Lanes],
}

impl Results<'_> {
    fn at(&self, wanted: impl Fn(OutputAt, Option<Semantic>) -> bool, lane: usize) -> Option<[f32; 4]> {
        let place = self.module.outputs.iter().position(|output| wanted(output.at, output.semantic))?;
        Some(self.outputs[place][lane].map(f32::from_bits))
    }

    fn position(&self, lane: usize) -> [f32; 4] {
        self.at(|at, _| at == OutputAt::Position, lane).unwrap_or_default()
    }

    fn semantic(&self, usage: u32, index: u8, lane: usize) -> Option<[f32; 4]> {
        let wanted = Semantic { usage: usage as u8, index };
        self.at(|at, semantic| matches!(at, OutputAt::Location(_)) && semantic == Some(wanted), lane)
    }

    fn point_size(&self, lane: usize) -> Option<[f32; 4]> {
        self.at(|at, _| at == OutputAt::PointSize, lane)
    }

    /// `D3DCS_*` of a vertex.
    fn clip_codes(&self, planes: u32, lane: usize) -> u32 {
        let [x, y, z, w] = self.position(lane);
        let frustum = [
            (x < -w, D3DCS_LEFT),
            (x > w, D3DCS_RIGHT),
            (y > w, D3DCS_TOP),
            (y < -w, D3DCS_BOTTOM),
            (z < 0.0, D3DCS_FRONT),
            (z > w, D3DCS_BACK),
        ];
        let mut codes = frustum.into_iter().filter(|(outside, _)| *outside).fold(0, |codes, (_, code)| codes | code);
        let enabled = (0..CLIP_PLANES as u32).filter(|plane| planes >> plane & 1 != 0);
        for (at, plane) in enabled.enumerate() {
            let distances = self.at(|output, _| output == OutputAt::ClipDistance(at as u8 / 4 * 4), lane);
            if distances.is_some_and(|distances| distances[at % 4] < 0.0) {
                codes |= D3DCS_PLANE0 << plane;
            }
        }
        codes
    }
}

impl Stage {
    /// Whether vertex processing changes an element, so that it is written whatever the flags say.
    fn changes(&self, device: &Device, element: &D3DVERTEXELEMENT9) -> bool {
        let Some(key) = &self.key else { return true };
        match (u32::from(element.Usage), element.UsageIndex) {
            (D3DDECLUSAGE_POSITION | D3DDECLUSAGE_POSITIONT, 0) => !key.has(FixedVertexKey::PRETRANSFORMED),
            (D3DDECLUSAGE_COLOR, 0) => key.has(FixedVertexKey::LIGHTING),
            (D3DDECLUSAGE_COLOR, 1) => key.has(FixedVertexKey::LIGHTING) || key.fog_mode != 0,
            (D3DDECLUSAGE_TEXCOORD, stage) => device.registers.stages.get(usize::from(stage)).is_some_and(|states| {
                states.get(TSS::D3DTSS_TEXCOORDINDEX) >> 16 != 0
                    || states.get(TSS::D3DTSS_TEXTURETRANSFORMFLAGS) & 0xff != D3DTTFF_DISABLE
            }),
            _ => false,
        }
    }
}

impl Device {
    /// `ProcessVertices`: runs the vertex stage for `count` vertices from `first` on of the bound streams, and writes
    /// the results into `target`, from its vertex `target_first` on. They are laid out as `declaration` says, or else by
    /// the FVF code of the buffer. Positions are written in window coordinates where the layout has `POSITIONT`, and in
    /// clip space where it has `POSITION`. Vertices past the end of a stream read as zero.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] without a vertex declaration, for an unknown flag, a buffer of indices or one without a
    /// layout, a layout of other streams than the first, and where the buffer has no room; [`Error::Fail`] for a shader
    /// that does not end.
    pub fn process_vertices(
        &mut self,
        first: u32,
        target_first: u32,
        count: u32,
        target: BufferId,
        declaration: Option<DeclarationId>,
        flags: u32,
    ) -> Result<()> {
        let buffer = self.objects.buffers.get(target).filter(|buffer| !buffer.is_index()).ok_or(Error::InvalidCall)?;
        let elements = match declaration {
            Some(id) => self.objects.declarations.get(id).ok_or(Error::InvalidCall)?.used().to_vec(),
            None => fvf_elements(buffer.fvf)?,
        };
        let stride = vertex_size(&elements);
        let start = u64::from(target_first) * u64::from(stride);
        let end = start + u64::from(count) * u64::from(stride);
        let wrong = flags & !D3DPV_DONOTCOPYDATA != 0 || elements.iter().any(|element| element.Stream != 0);
        if stride == 0 || wrong || end > u64::from(buffer.size()) {
            return Err(Error::InvalidCall);
        }
        if count == 0 {
            return Ok(());
        }
        let stage = self.stage_here()?;
        let range = start as usize..end as usize;
        let buffer = self.objects.buffers.get(target).ok_or(Error::InvalidCall)?;
        let bytes = buffer.bytes.read().ok_or(Error::OutOfMemory)?;
        let mut written = bytes.get(range.clone()).ok_or(Error::InvalidCall)?.to_vec();
        drop(bytes);
        let status = self.run_stage(&stage, first, &elements, (&mut written, stride as usize), flags)?;
        if let Some((union, intersection)) = status {
            self.clip_status.ClipUnion |= union;
            self.clip_status.ClipIntersection &= intersection;
        }
        let buffer = self.objects.buffers.get_mut(target).ok_or(Error::InvalidCall)?;
        let mut bytes = buffer.bytes.write().ok_or(Error::OutOfMemory)?;
        bytes.get_mut(range).ok_or(Error::InvalidCall)?.copy_from_slice(&written);
        drop(bytes);
        buffer.filled = true;
        self.send_buffer(target, start as u32..end as u32, 0);
        Ok(())
    }

    /// The vertex stage that the next draw would run, and what feeds it.
    fn stage_here(&mut self) -> Result<Stage> {
        let declaration = self.registers.declaration.and_then(|id| self.objects.declarations.get(id));
        let declaration = declaration.ok_or(Error::InvalidCall)?;
        let mut runtime = RuntimeInfo::default();
        runtime.vertex_ops.clip_planes = self.clip_planes_here() as u8;
        let program = self.registers.vertex_shader.filter(|_| !declaration.transformed);
        let program = program.and_then(|id| self.objects.vertex_shaders.get(id));
        let broken = |error: &dyn std::fmt::Display| {
            tracing::warn!(%error, "ProcessVertices: the vertex stage cannot be translated");
            Error::InvalidCall
        };
        if let Some(program) = program {
            // An index into the constants reaches all that there are, as in draws in software.
            let further = if program.reaches_further { Some(program.for_software()?) } else { None };
            let code = further.as_ref().map_or(&program.code, |program| &program.code);
            let parsed = Parsed::parse_with(code, Limits::OfSoftware).map_err(|error| broken(&error))?;
            let lifted = lift_program(&parsed, &Signature::of(&parsed), &runtime);
            let module = lifted.map_err(|error| broken(&error))?;
            let stage = Stage { module, inputs: attributes(declaration, program, None), key: None };
            if !stage.module.textures.is_empty() && self.logged.insert("ProcessVertices with vertex textures") {
                tracing::warn!("ProcessVertices: vertex textures are not supported there; they read as black");
            }
            return Ok(stage);
        }
        let mut key = self.fixed_vertex_key_of(STAGES);
        for coordinates in &mut key.tex_coords {
            // Who draws the result divides.
            coordinates.transform &= !TexCoordKey::PROJECTED;
        }
        let module = lift_fixed_vertex(&key, &runtime).map_err(|error| broken(&error))?;
        let inputs = attributes(declaration, &Program::fixed_vertex(&key), None);
        self.refresh_fixed_vertex(key.has(FixedVertexKey::INDEXED_BLEND));
        Ok(Stage { module, inputs, key: Some(key) })
    }

    /// Bit per clip plane that vertices are held against here: none where the program turned clipping off.
    fn clip_planes_here(&self) -> u32 {
        let render = &self.registers.render;
        if render.get(RS::D3DRS_CLIPPING) == 0 {
            return 0;
        }
        render.get(RS::D3DRS_CLIPPLANEENABLE) & ((1 << CLIP_PLANES) - 1)
    }

    /// Runs the stage over the vertices from `first` on, and writes `elements` into vertices of a stride. Gives union and
    /// intersection of their clip codes where clipping is on.
    fn run_stage(
        &self,
        stage: &Stage,
        first: u32,
        elements: &[D3DVERTEXELEMENT9],
        (out, stride): (&mut [u8], usize),
        flags: u32,
    ) -> Result<Option<(u32, u32)>> {
        let transformed = stage.key.is_some_and(|key| key.has(FixedVertexKey::PRETRANSFORMED));
        let elements: SmallVec<[&D3DVERTEXELEMENT9; 16]> =
            elements.iter().filter(|e| flags & D3DPV_DONOTCOPYDATA == 0 || stage.changes(self, e)).collect();
        let bytes = self.registers.streams.map(|stream| self.objects.buffers.get(stream.buffer?)?.bytes.read());
        let sources = std::array::from_fn(|index| {
            let stream = &self.registers.streams[index];
            let (offset, stride) = (stream.offset.into(), stream.stride.into());
            bytes[index].as_deref().map_or(VertexSource::default(), |bytes| VertexSource { bytes, offset, stride })
        });
        let mut vertices = Vertices {
            sources,
            inputs: &stage.inputs,
            registers: &self.registers,
            fixed: &self.host.fixed_vertex_constants,
            clip_planes: self.registers.clip_planes_for(stage.key.is_some()),
            first: first.into(),
        };
        let interpreter = Interpreter::new(&stage.module).map_err(|error| {
            tracing::error!(%error, "ProcessVertices: a module that is none");
            Error::Internal
        })?;
        let planes = self.clip_planes_here();
        let (mut union, mut intersection) = (0, u32::MAX);
        for group in out.chunks_mut(LANES * stride) {
            let outcome = interpreter.run(&vertices).map_err(|error| {
                tracing::warn!(%error, "ProcessVertices");
                Error::Fail
            })?;
            let results = Results { module: &stage.module, outputs: &outcome.outputs };
            for (lane, vertex) in group.chunks_mut(stride).enumerate() {
                if !transformed {
                    let codes = results.clip_codes(planes, lane);
                    union |= codes;
                    intersection &= codes;
                }
                for element in &elements {
                    let value = self.processed(&vertices, &results, element, transformed, lane);
                    let bytes = value.and_then(|value| encode(element.Type, value)).unwrap_or_default();
                    let start = usize::from(element.Offset);
                    if let Some(to) = vertex.get_mut(start..start + bytes.len()) {
                        to.copy_from_slice(&bytes);
                    }
                }
            }
            vertices.first += LANES as u64;
        }
        let clipping = self.registers.render.get(RS::D3DRS_CLIPPING) != 0 && !transformed;
        Ok(clipping.then_some((union, intersection)))
    }

    /// The value of an element of a processed vertex; none if neither the stage nor the source has it.
    fn processed(
        &self,
        vertices: &Vertices<'_>,
        results: &Results<'_>,
        element: &D3DVERTEXELEMENT9,
        transformed: bool,
        lane: usize,
    ) -> Option<[f32; 4]> {
        let (usage, index) = (u32::from(element.Usage), element.UsageIndex);
        let fog = self.registers.render.get(RS::D3DRS_FOGENABLE) != 0;
        match (usage, index) {
            (D3DDECLUSAGE_POSITIONT, 0) if transformed => self.source_element(vertices, usage, index, lane),
            (D3DDECLUSAGE_POSITIONT, 0) => Some(self.in_window(results.position(lane))),
            (D3DDECLUSAGE_POSITION, 0) => Some(results.position(lane)),
            (D3DDECLUSAGE_PSIZE, 0) => {
                let given = results.point_size(lane).or_else(|| self.source_element(vertices, usage, index, lane));
                Some(given.unwrap_or([self.registers.render.get_f32(RS::D3DRS_POINTSIZE); 4]))
            }
            // The fog of a vertex in window coordinates is its specular alpha.
            (D3DDECLUSAGE_COLOR, 1) if fog => {
                let [r, g, b, a] = results.semantic(usage, index, lane).unwrap_or_default();
                let fog = results.semantic(D3DDECLUSAGE_FOG, 0, lane);
                Some([r, g, b, fog.map_or(a, |fog| fog[0])])
            }
            (D3DDECLUSAGE_COLOR, 0) => {
                let own = results.semantic(usage, index, lane);
                Some(own.or_else(|| self.source_element(vertices, usage, index, lane)).unwrap_or([1.0; 4]))
            }
            _ => {
                let own = results.semantic(usage, index, lane);
                own.or_else(|| self.source_element(vertices, usage, index, lane))
            }
        }
    }

    /// An element of a source vertex as it is.
    fn source_element(&self, vertices: &Vertices<'_>, usage: u32, index: u8, lane: usize) -> Option<[f32; 4]> {
        let declaration = self.objects.declarations.get((*self.registers.declaration)?)?;
        let element = declaration.used().iter().find(|e| (u32::from(e.Usage), e.UsageIndex) == (usage, index))?;
        let (format, _) = decl_type(element.Type)?;
        let source = vertices.sources.get(usize::from(element.Stream))?;
        Some(source.read(vertices.first + lane as u64, element.Offset, format))
    }

    /// Clip space to window coordinates and the reciprocal of w.
    fn in_window(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let viewport = &self.registers.viewport;
        let [near, far] = depth_range(viewport);
        let rhw = 1.0 / w;
        let half = |edge: u32| edge as f32 / 2.0;
        [
            viewport.X as f32 + (1.0 + x * rhw) * half(viewport.Width),
            viewport.Y as f32 + (1.0 - y * rhw) * half(viewport.Height),
            near + z * rhw * (far - near),
            rhw,
        ]
    }
}
