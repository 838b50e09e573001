//! The vertex stage as `ProcessVertices` runs it: what a draw would run, and behind it what makes the elements of a vertex out of its
//! results, which the module says are captured.
//!
//! Rules are those of the published documentation of `IDirect3DDevice9::ProcessVertices`, `D3DPV_DONOTCOPYDATA` and
//! `D3DCLIPSTATUS9`. The reference interpreter and the receiver run the same module.

use super::pack::{Words, integers, words};
use crate::driver::Device;
use crate::error::{Error, Result};
use crate::handle::VertexShaderId;
use crate::machine::{CLIP_PLANES, Program, RenderStates as RS, StageStates as TSS, decl_type};
use crate::translate::{attributes, texture_kind};
use afterimage_d3d9_types::*;
use afterimage_ir::{
    BankDecl, BankSource, Builder, FeedbackDecl, Imm, InputAt, InputDecl, Interp, Kind, Module, Op, OutputAt,
    OutputDecl, Semantic, Type, Value,
};
use afterimage_shader_d3d9::ffp::{STAGES, lift_fixed_vertex};
use afterimage_shader_d3d9::io::bound;
use afterimage_shader_d3d9::lift::lift_program;
use afterimage_shader_d3d9::{
    Bank, Constants, FixedVertexKey, FixedVertexRegister, Program as Parsed, RuntimeInfo, Signature, TexCoordKey,
};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::VertexAttribute;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The capture buffer that vertices go into.
pub(crate) const VERTICES: u8 = 0;
/// The capture buffer that their clip codes go into, a word each.
pub(crate) const CODES: u8 = 1;
/// Vectors that every device has outputs for, with the points' size.
const MOST_OUTPUTS: usize = 16;
/// Locations that every device has inputs for, as Direct3D's.
const MOST_INPUTS: usize = 16;

/// What the code of a processing depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ProcessKey {
    pub(crate) stage: ProcessStage,
    /// Bit per clip plane that positions are held against besides the frustum; none without clip codes.
    clip: Option<u8>,
    /// A factor of fog goes into the second colour's alpha.
    fog: bool,
    /// [`bound`] of the vertex stage's textures.
    textures: [u8; 4],
    /// Elements of the source, and those to write.
    from: Elements,
    to: Elements,
    /// Bytes of a vertex that is written.
    stride: u32,
}

/// What vertices are processed by.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ProcessStage {
    /// The program's own shader.
    Own(VertexShaderId),
    Fixed(FixedVertexKey),
}

type Elements = SmallVec<[Element; 8]>;

/// A vertex element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Element {
    stream: u16,
    offset: u16,
    ty: u8,
    usage: u8,
    index: u8,
}

impl From<&D3DVERTEXELEMENT9> for Element {
    fn from(e: &D3DVERTEXELEMENT9) -> Self {
        Self { stream: e.Stream, offset: e.Offset, ty: e.Type, usage: e.Usage, index: e.UsageIndex }
    }
}

/// A vertex stage that vertices are processed by.
#[derive(Debug)]
pub(crate) struct Processing {
    /// Whether it is a fixed stage.
    pub(crate) fixed: bool,
    /// With a capture for each run of words that it writes.
    pub(crate) module: Module,
    pub(crate) inputs: SmallVec<[VertexAttribute; 16]>,
    /// The stage as a shader of the stream, which has its id with the first draw that runs there.
    pub(crate) program: Program,
    /// The layout of its vertices in the stream, likewise.
    pub(crate) layout: ObjectId,
    /// Whether every device has the inputs and outputs.
    pub(crate) fits: bool,
}

impl Processing {
    /// Whether it makes clip codes.
    pub(crate) fn has_codes(&self) -> bool {
        self.module.feedback.iter().any(|capture| capture.buffer == CODES)
    }
}

/// Whether vertex processing changes an element, so that it is written whatever the flags say.
fn changes(device: &Device, key: &FixedVertexKey, element: &D3DVERTEXELEMENT9) -> bool {
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

/// The processings that a device has met. They stay for as long as the shaders that they are made of.
#[derive(Debug, Default)]
pub(crate) struct Processings {
    known: FxHashMap<ProcessKey, usize>,
    list: Vec<Option<Processing>>,
}

impl Processings {
    /// One more than the last number.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Processing> {
        self.list.get(index)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Processing> {
        self.list.get_mut(index)?.as_mut()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Processing> {
        self.list.iter_mut().flatten()
    }

    /// Takes out those of a shader that is gone.
    pub(crate) fn forget(&mut self, shader: VertexShaderId) -> Vec<Processing> {
        let mut gone = Vec::new();
        self.known.retain(|key, index| {
            let keep = key.stage != ProcessStage::Own(shader);
            if !keep {
                gone.extend(self.list[*index].take());
            }
            keep
        });
        gone
    }
}

impl Device {
    /// The processing of the state, which makes these elements of vertices of a stride: made, if there was none.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] without a vertex declaration, or for a shader that cannot be translated.
    pub(crate) fn processing(&mut self, elements: &[D3DVERTEXELEMENT9], stride: u32, flags: u32) -> Result<usize> {
        let key = self.process_key(elements, stride, flags)?;
        if let Some(&known) = self.objects.processings.known.get(&key) {
            return Ok(known);
        }
        let made = self.make_processing(&key)?;
        let processings = &mut self.objects.processings;
        let index = processings.list.iter().position(Option::is_none).unwrap_or(processings.list.len());
        if index == processings.list.len() {
            processings.list.push(None);
        }
        processings.list[index] = Some(made);
        processings.known.insert(key, index);
        Ok(index)
    }

    fn process_key(&self, elements: &[D3DVERTEXELEMENT9], stride: u32, flags: u32) -> Result<ProcessKey> {
        let declaration = self.registers.declaration.and_then(|id| self.objects.declarations.get(id));
        let declaration = declaration.ok_or(Error::InvalidCall)?;
        let own = self.registers.vertex_shader.filter(|_| !declaration.transformed);
        let own = own.and_then(|id| Some((id, self.objects.vertex_shaders.get(id)?)));
        let stage = match own {
            Some((id, _)) => ProcessStage::Own(id),
            None => {
                let mut key = self.fixed_vertex_key_of(STAGES);
                for coordinates in &mut key.tex_coords {
                    // Who draws the result divides.
                    coordinates.transform &= !TexCoordKey::PROJECTED;
                }
                ProcessStage::Fixed(key)
            }
        };
        let written = |element: &&D3DVERTEXELEMENT9| match &stage {
            ProcessStage::Fixed(key) if flags & D3DPV_DONOTCOPYDATA != 0 => changes(self, key, element),
            _ => true,
        };
        let mut textures = [bound::NONE; 4];
        for (slot, texture) in textures.iter_mut().enumerate() {
            let read = own.is_some_and(|(_, program)| program.samplers >> slot & 1 != 0);
            let image = self.registers.textures[16 + slot].and_then(|id| self.objects.images.get(id));
            if let Some(image) = image.filter(|_| read) {
                let kind =
                    [bound::NONE, bound::D2, bound::CUBE, bound::D3][usize::from(texture_kind(Some(image.kind)))];
                *texture = kind | if image.compares() { bound::SHADOW } else { 0 };
            }
        }
        let render = &self.registers.render;
        let clipping = render.get(RS::D3DRS_CLIPPING) != 0 && !declaration.transformed;
        let planes = render.get(RS::D3DRS_CLIPPLANEENABLE) & ((1 << CLIP_PLANES) - 1);
        Ok(ProcessKey {
            to: elements.iter().filter(written).map(Element::from).collect(),
            from: declaration.used().iter().map(Element::from).collect(),
            stage,
            clip: clipping.then_some(planes as u8),
            fog: render.get(RS::D3DRS_FOGENABLE) != 0,
            textures,
            stride,
        })
    }

    fn make_processing(&self, key: &ProcessKey) -> Result<Processing> {
        let declaration = self.registers.declaration.and_then(|id| self.objects.declarations.get(id));
        let declaration = declaration.ok_or(Error::InvalidCall)?;
        let broken = |error: &dyn std::fmt::Display| {
            tracing::warn!(%error, "ProcessVertices: the vertex stage cannot be translated");
            Error::InvalidCall
        };
        let mut runtime = RuntimeInfo::default();
        runtime.vertex_ops.clip_planes = key.clip.unwrap_or(0);
        runtime.textures[16..].copy_from_slice(&key.textures);
        let (further, own_of_key);
        let (stage, program) = match &key.stage {
            ProcessStage::Own(id) => {
                let mut program = self.objects.vertex_shaders.get(*id).ok_or(Error::InvalidCall)?;
                if program.reaches_further {
                    // An index into the constants reaches all that there are, as in draws in software.
                    further = program.for_software()?;
                    program = &further;
                }
                let parsed =
                    Parsed::parse_with(&program.code, Constants::OfSoftware).map_err(|error| broken(&error))?;
                let lifted =
                    lift_program(&parsed, &Signature::of(&parsed), &runtime).map_err(|error| broken(&error))?;
                (lifted, program)
            }
            ProcessStage::Fixed(key) => {
                own_of_key = Program::fixed_vertex(key);
                (lift_fixed_vertex(key, &runtime).map_err(|error| broken(&error))?, &own_of_key)
            }
        };
        let inputs = attributes(declaration, program, None);
        let mut epilogue = Epilogue::of(stage, key, declaration.transformed, inputs);
        epilogue.run();
        let Epilogue { b, inputs, .. } = epilogue;
        let module = b.finish().map_err(|error| broken(&error))?;
        let fits = inputs.len() <= MOST_INPUTS && module.outputs.len() <= MOST_OUTPUTS;
        let program = program.with_text(module.to_string());
        let fixed = matches!(key.stage, ProcessStage::Fixed(_));
        Ok(Processing { fixed, module, inputs, program, layout: ObjectId::NONE, fits })
    }
}

/// What comes behind a vertex stage.
struct Epilogue<'a> {
    b: Builder,
    key: &'a ProcessKey,
    /// The stage is given vertices in window coordinates.
    transformed: bool,
    inputs: SmallVec<[VertexAttribute; 16]>,
    /// What the stage would store.
    results: Vec<(OutputDecl, Value)>,
    /// Registers that stand for the viewport.
    window: Option<[Value; 2]>,
}

impl<'a> Epilogue<'a> {
    /// Behind `stage`, which stores its outputs at its end, each once: they are taken out.
    fn of(mut stage: Module, key: &'a ProcessKey, transformed: bool, inputs: SmallVec<[VertexAttribute; 16]>) -> Self {
        let mut results = Vec::new();
        let mut body = std::mem::take(&mut stage.regions[stage.body.index()].insts);
        body.retain(|inst| match stage.inst(*inst) {
            data if data.op == Op::StoreOutput => {
                if let (Imm::Output(output), Some(value)) = (data.imm, data.args.first()) {
                    results.push((stage.outputs[output.index()].clone(), *value));
                }
                false
            }
            _ => true,
        });
        stage.regions[stage.body.index()].insts = body;
        stage.outputs.clear();
        Self { b: Builder::resume(stage), key, transformed, inputs, results, window: None }
    }

    fn run(&mut self) {
        // By place in the vertex, so that the last element of overlapping ones counts.
        let mut vertex: BTreeMap<u32, Value> = BTreeMap::new();
        for element in &self.key.to {
            let Some(value) = self.element(element) else { continue };
            let made: Words = words(&mut self.b, element.ty, value);
            vertex.extend((0..).map(|at| u32::from(element.offset) + 4 * at).zip(made));
        }
        let mut run: SmallVec<[Value; 4]> = SmallVec::new();
        let mut next = 0;
        for (offset, word) in vertex {
            if !run.is_empty() && (run.len() == 4 || offset != next) {
                self.capture(VERTICES, self.key.stride, next - 4 * run.len() as u32, &run);
                run.clear();
            }
            run.push(word);
            next = offset + 4;
        }
        if !run.is_empty() {
            self.capture(VERTICES, self.key.stride, next - 4 * run.len() as u32, &run);
        }
        if let Some(planes) = self.key.clip {
            let code = self.clip_code(planes);
            self.capture(CODES, 4, 0, &[code]);
        }
        // Points without a size are none that a device takes, even where none is drawn.
        let decl = OutputDecl { name: "size".to_owned(), ty: Type::F32, at: OutputAt::PointSize, semantic: None };
        let (output, size) = (self.b.output(decl), self.b.f32(1.0));
        self.b.store_output(output, size);
    }

    /// Has up to four words of a vertex captured.
    fn capture(&mut self, buffer: u8, stride: u32, offset: u32, words: &[Value]) {
        let lanes = words.len() as u8;
        let value = self.b.construct(words);
        let number = self.b.module().outputs.len() as u8;
        let output = self.b.output(OutputDecl {
            name: format!("word{number}"),
            ty: integers(lanes),
            at: OutputAt::Location(number),
            semantic: None,
        });
        self.b.store_output(output, value);
        self.b.feedback(FeedbackDecl { output, component: 0, lanes, buffer, stream: 0, stride, offset });
    }

    /// What the stage would store at a place.
    fn at(&self, at: OutputAt) -> Option<Value> {
        self.results.iter().find(|(output, _)| output.at == at).map(|(_, value)| *value)
    }

    /// What it would store for the rasteriser under a name.
    fn varying(&self, usage: u32, index: u8) -> Option<Value> {
        let wanted = Some(Semantic { usage: usage as u8, index });
        let is = |output: &OutputDecl| matches!(output.at, OutputAt::Location(_)) && output.semantic == wanted;
        self.results.iter().find(|(output, _)| is(output)).map(|(_, value)| *value)
    }

    fn position(&mut self) -> Value {
        self.at(OutputAt::Position).unwrap_or_else(|| self.b.f32x4([0.0; 4]))
    }

    /// The value of an element of a processed vertex; none if neither the stage nor the source has it.
    fn element(&mut self, element: &Element) -> Option<Value> {
        let (usage, index) = (u32::from(element.usage), element.index);
        match (usage, index) {
            (D3DDECLUSAGE_POSITIONT, 0) if self.transformed => self.source(usage, index),
            (D3DDECLUSAGE_POSITIONT, 0) => Some(self.in_window()),
            (D3DDECLUSAGE_POSITION, 0) => Some(self.position()),
            (D3DDECLUSAGE_PSIZE, 0) => {
                let own = self.at(OutputAt::PointSize).or_else(|| self.source(usage, index));
                let size = own.unwrap_or_else(|| {
                    let [scale, _] = self.window();
                    self.b.extract(scale, 3)
                });
                let size = self.b.extract(size, 0);
                Some(self.b.resize(size, 4))
            }
            // The fog of a vertex in window coordinates is its specular alpha.
            (D3DDECLUSAGE_COLOR, 1) if self.key.fog => {
                let color = self.varying(usage, index).unwrap_or_else(|| self.b.f32x4([0.0; 4]));
                let Some(fog) = self.varying(D3DDECLUSAGE_FOG, 0) else { return Some(color) };
                let (color, fog) = (self.b.resize(color, 3), self.b.extract(fog, 0));
                Some(self.b.construct(&[color, fog]))
            }
            (D3DDECLUSAGE_COLOR, 0) => {
                let own = self.varying(usage, index).or_else(|| self.source(usage, index));
                Some(own.unwrap_or_else(|| self.b.f32x4([1.0; 4])))
            }
            (D3DDECLUSAGE_COLOR, 1) => {
                let own = self.varying(usage, index).or_else(|| self.source(usage, index));
                Some(own.unwrap_or_else(|| self.b.f32x4([0.0; 4])))
            }
            _ => self.varying(usage, index).or_else(|| self.source(usage, index)),
        }
    }

    /// An element of the source vertex as it is.
    fn source(&mut self, usage: u32, index: u8) -> Option<Value> {
        let element = self.key.from.iter().find(|e| (u32::from(e.usage), e.index) == (usage, index))?;
        let (format, _) = decl_type(element.ty)?;
        let attribute = VertexAttribute {
            location: 0,
            slot: element.stream as u8,
            format: format as u8,
            per_instance: 0,
            offset: element.offset,
            divisor: 1,
        };
        let known = self.inputs.iter().find(|input| VertexAttribute { location: 0, ..**input } == attribute);
        let location = known.map(|input| input.location).or_else(|| {
            let free = (0..32).find(|location| self.inputs.iter().all(|input| input.location != *location))?;
            self.inputs.push(VertexAttribute { location: free, ..attribute });
            Some(free)
        })?;
        let at = InputAt::Location(location);
        let decl = || InputDecl {
            name: format!("source{location}"),
            ty: Type::F32X4,
            at,
            interp: Interp::Smooth,
            semantic: None,
        };
        let value = self.b.input_at(at, decl);
        Some(self.b.cast(value, Kind::Float))
    }

    /// [`FixedVertexRegister::WindowScale`] and [`FixedVertexRegister::WindowOffset`].
    fn window(&mut self) -> [Value; 2] {
        if let Some(window) = self.window {
            return window;
        }
        let b = &mut self.b;
        let known = b.module().banks.iter().position(|bank| bank.id == Bank::FixedVertex as u8);
        let bank = known.map(afterimage_ir::Bank::new).unwrap_or_else(|| {
            b.bank(BankDecl {
                name: "window".to_owned(),
                source: BankSource::Stage,
                id: Bank::FixedVertex as u8,
                size: u32::from(FixedVertexRegister::WindowOffset.register()) + 1,
                defs: Vec::new(),
            })
        });
        let registers = [FixedVertexRegister::WindowScale, FixedVertexRegister::WindowOffset];
        let window = registers.map(|register| b.load_const_as(Kind::Float, bank, register.register().into()));
        *self.window.insert(window)
    }

    /// The position in window coordinates, and the reciprocal of w.
    fn in_window(&mut self) -> Value {
        let position = self.position();
        let [scale, offset] = self.window();
        let b = &mut self.b;
        let [x, y, z, w] = [0, 1, 2, 3].map(|lane| b.extract(position, lane));
        let one = b.f32(1.0);
        let rhw = b.fdiv(one, w);
        let [x, y, z] = [x, y, z].map(|value| b.fmul(value, rhw));
        let (x, y) = (b.fadd(one, x), b.fsub(one, y));
        let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
        for (lane, value) in (0..).zip([x, y, z]) {
            let (scale, offset) = (b.extract(scale, lane), b.extract(offset, lane));
            let scaled = b.fmul(value, scale);
            parts.push(b.fadd(offset, scaled));
        }
        parts.push(rhw);
        b.construct(&parts)
    }

    /// `D3DCS_*` of a vertex.
    fn clip_code(&mut self, planes: u8) -> Value {
        let position = self.position();
        let distances: Vec<Value> =
            [0, 4].into_iter().filter_map(|first| self.at(OutputAt::ClipDistance(first))).collect();
        let b = &mut self.b;
        let [x, y, z, w] = [0, 1, 2, 3].map(|lane| b.extract(position, lane));
        let (zero, minus_w) = (b.f32(0.0), b.fneg(w));
        let mut outside = vec![
            (b.flt(x, minus_w), D3DCS_LEFT),
            (b.flt(w, x), D3DCS_RIGHT),
            (b.flt(w, y), D3DCS_TOP),
            (b.flt(y, minus_w), D3DCS_BOTTOM),
            (b.flt(z, zero), D3DCS_FRONT),
            (b.flt(w, z), D3DCS_BACK),
        ];
        for (at, plane) in (0..CLIP_PLANES as u32).filter(|plane| planes >> plane & 1 != 0).enumerate() {
            if let Some(distances) = distances.get(at / 4) {
                let distance = b.extract(*distances, at as u8 % 4);
                outside.push((b.flt(distance, zero), D3DCS_PLANE0 << plane));
            }
        }
        let none = b.i32(0);
        outside.into_iter().fold(none, |codes, (outside, code)| {
            let code = b.i32(code as i32);
            let code = b.select(outside, code, none);
            b.ior(codes, code)
        })
    }
}
