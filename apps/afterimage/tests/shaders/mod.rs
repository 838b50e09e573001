//! Captures of our corpora's shaders: each is created under its name, and drawn or dispatched with nothing, so that whoever replays them
//! makes its pipeline and runs no shader. Of Direct3D 9's corpus, the NV2A's, and what RADV compiled of ours for GCN.
#![allow(dead_code, unreachable_pub, reason = "modules of other tests, of which this one uses a part")]

#[path = "../../../../crates/shader/tests/corpus/mod.rs"]
mod d3d9;
#[path = "../../../../crates/shader-nv2a/tests"]
mod nv2a {
    #[path = "microcode/recorded.rs"]
    mod recorded;
    #[path = "fixed_function"]
    mod transform {
        pub mod random;
    }
    #[path = "pixel"]
    mod pixel {
        pub mod random;
        pub mod scene;
    }
    #[path = "../../shader/tests/nv2a/corpus.rs"]
    pub mod corpus;
}
#[path = "../../../../crates/shader-gcn/tests/rig/source.rs"]
mod gcn;

use afterimage_capture::{Info, MemoryArena, Writer};
use afterimage_gcn_corpus::World;
use afterimage_ir::{InputAt, Kind, OutputAt};
use afterimage_shader::{Language, Profile, RuntimeInfo, Shader};
use afterimage_shader_d3d9::io::RuntimeInfo as D3d9State;
use afterimage_shader_d3d9::tables::{RegisterType, Version};
use afterimage_shader_d3d9::{Program, Signature, assemble};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Format, ObjectId, ObjectKind};
use bytemuck::Zeroable;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;

/// Edge of the targets.
const EDGE: u32 = 8;
/// Colour targets that a shader may have.
const TARGETS: usize = 8;
/// What the memory comes from that GCN programs are read in.
const SEED: u32 = 1;

/// A shader as a stream has it.
pub struct Entry {
    pub name: String,
    pub language: Language,
    pub code: Vec<u8>,
}

/// A corpus: its name, whose API it is of, and its shaders.
pub struct Corpus {
    pub name: &'static str,
    pub guest: u32,
    pub entries: Vec<Entry>,
}

/// All corpora.
pub fn all() -> Vec<Corpus> {
    vec![
        Corpus { name: "shaders-d3d9", guest: Init::D3D9, entries: of_d3d9() },
        Corpus { name: "shaders-nv2a", guest: Init::NV2A, entries: of_nv2a() },
        Corpus { name: "shaders-gnm", guest: Init::GNM, entries: of_gnm() },
    ]
}

/// Direct3D 9's tokens, each once; what is another shader only in another state stands for itself.
fn of_d3d9() -> Vec<Entry> {
    let mut seen = HashSet::new();
    let plain = d3d9::all().into_iter().filter(|entry| entry.runtime == D3d9State::default());
    let each = plain.filter(|entry| seen.insert(entry.tokens.clone()));
    each.map(|entry| Entry {
        name: entry.name,
        language: Language::D3d9,
        code: entry.tokens.iter().flat_map(|token| token.to_le_bytes()).collect(),
    })
    .collect()
}

fn of_nv2a() -> Vec<Entry> {
    let entry = |entry: nv2a::corpus::Entry| Entry { name: entry.name, language: entry.language, code: entry.code };
    nv2a::corpus::of_ours().into_iter().map(entry).collect()
}

/// Vertex, pixel and compute shaders. What stands before and behind geometry shaders, and in tessellation, no draw has by itself.
fn of_gnm() -> Vec<Entry> {
    let mut entries = Vec::new();
    for program in afterimage_gcn_corpus::programs().expect("the corpus") {
        let world = World::new(&program.name, &program.header, SEED);
        for &compiler in program.compilers() {
            let compiled = program.compiled(compiler).expect("a compiled program");
            let alone = |stage: &str| {
                compiled.shaders.iter().all(|shader| !["es", "gs", "ls", "hs"].contains(&&*shader.stage))
                    || stage == "ps"
            };
            for shader in compiled.shaders.iter().filter(|shader| alone(&shader.stage)) {
                let name = format!("{}.{compiler}.{}", program.name, shader.stage);
                let world = world.with_code(shader);
                let (source, ..) = gcn::source(&program, shader, &world).unwrap_or_else(|why| panic!("{name}: {why}"));
                entries.push(Entry { name, language: Language::Gcn, code: source.to_bytes() });
            }
        }
    }
    entries
}

/// A vertex shader that writes what a pixel shader reads; none if it reads more than one can write.
fn partner(entry: &Entry, module: &afterimage_ir::Module) -> Option<(Language, Vec<u8>)> {
    if entry.language == Language::D3d9 {
        let tokens: Vec<u32> = entry.code.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let signature = Signature::of(&Program::parse(&tokens).expect("it has been parsed"));
        let mut text = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oD0, v0\nmov oD1, v0\nmov oFog, v0.x\n".to_owned();
        for n in 0..8 {
            let _ = writeln!(text, "mov oT{n}, v0");
        }
        if signature.version.major == 3 {
            text = "vs_3_0\ndcl_position v0\ndcl_position o0\n".to_owned();
            let read = &signature.inputs;
            if read.len() >= usize::from(RegisterType::Output.info().most(Version::vs(3, 0))) {
                return None;
            }
            for (n, element) in (1..).zip(read) {
                let _ = writeln!(text, "dcl_{}{} o{n}\nmov o{n}, v0", element.usage.text(), element.index);
            }
            text.push_str("mov o0, v0\n");
        }
        let tokens = assemble(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", entry.name));
        return Some((Language::D3d9, tokens.iter().flat_map(|token| token.to_le_bytes()).collect()));
    }
    let mut text = "vertex \"partner\" {\n  output out0 : f32x4 position\n".to_owned();
    let mut code = "  v0: f32x4 = const 0.0, 0.0, 0.0, 1.0\n  store_output out0, v0\n".to_owned();
    // Inputs that are interpolated at several places have a location in common.
    let locations: BTreeMap<_, _> = module
        .inputs
        .iter()
        .filter_map(|input| match input.at {
            InputAt::Location(location) => Some((location, input.ty)),
            _ => None,
        })
        .collect();
    for (n, (location, ty)) in (1..).zip(locations) {
        let zero = if ty.kind == Kind::Int { "0" } else { "0.0" };
        let zeros = vec![zero; ty.lanes.into()].join(", ");
        let _ = writeln!(text, "  output out{n} : {ty} location {location}");
        let _ = writeln!(code, "  v{n}: {ty} = const {zeros}\n  store_output out{n}, v{n}");
    }
    Some((Language::Ir, (text + &code + "  return\n}").into_bytes()))
}

/// What is being written.
struct Stream {
    stream: Encoder,
    arena: MemoryArena,
    serial: u32,
}

impl Stream {
    fn shader(&mut self, stage: Stage, language: Language, code: &[u8], name: &str) -> ObjectId {
        self.serial += 1;
        let id = ObjectId::new(ObjectKind::Shader, self.serial);
        let code = self.arena.push(code);
        self.stream.push(&CreateShader { id, stage: stage as u32, language: language as u32, pad: 0, code });
        self.stream.push_tail(&Name { id, count: name.len() as u32 }, name.as_bytes());
        id
    }

    /// Draws nothing with shaders, into as many targets as the pixel shader writes, integers or not.
    fn draw(&mut self, vertex: ObjectId, pixel: ObjectId, outputs: &[(usize, bool)]) {
        self.stream.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        let mut targets = SetRenderTargets::default();
        targets.depth.texture = texture(0);
        for (location, integers) in outputs {
            targets.color[*location].texture = texture(1 + 2 * *location as u32 + u32::from(*integers));
        }
        self.stream.push(&targets);
        let topology = Topology::TriangleList as u32;
        self.stream.push(&Draw { topology, instances: 1, ..Draw::zeroed() });
    }

    fn entry(&mut self, entry: &Entry) {
        let shader = Shader::from_stream(entry.language as u32, &entry.code);
        let shader = shader.unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        let module = shader.module(&Profile::default(), &RuntimeInfo { link: shader.link(), ..RuntimeInfo::default() });
        let module = module.unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        match shader.stage() {
            Stage::Vertex => {
                let vertex = self.shader(Stage::Vertex, entry.language, &entry.code, &entry.name);
                self.draw(vertex, ObjectId::NONE, &[]);
            }
            Stage::Pixel => {
                let Some((language, code)) = partner(entry, &module) else {
                    eprintln!("{}: no vertex shader writes as much as it reads; it is left out", entry.name);
                    return;
                };
                let vertex = self.shader(Stage::Vertex, language, &code, "");
                let pixel = self.shader(Stage::Pixel, entry.language, &entry.code, &entry.name);
                let written = module.outputs.iter().filter_map(|output| match output.at {
                    OutputAt::Location(location) => Some((usize::from(location), output.ty.kind == Kind::Int)),
                    OutputAt::SecondColor => Some((0, false)),
                    _ => None,
                });
                let written: Vec<_> = written.filter(|(location, _)| *location < TARGETS).collect();
                self.draw(vertex, pixel, &written);
            }
            Stage::Compute => {
                let shader = self.shader(Stage::Compute, entry.language, &entry.code, &entry.name);
                self.stream.push(&Dispatch { shader, groups: [0; 3] });
            }
            Stage::Geometry => panic!("{}: no draw has it by itself", entry.name),
        }
    }
}

fn texture(number: u32) -> ObjectId {
    ObjectId::new(ObjectKind::Texture, number + 1)
}

/// Writes a corpus, or a part of it, as a capture of one frame, which presents one of its targets.
pub fn write(path: &Path, corpus: &Corpus, wanted: impl Fn(usize, &Entry) -> bool) {
    let target = ObjectId::new(ObjectKind::Target, 1);
    let mut out = Stream { stream: Encoder::new(), arena: MemoryArena::default(), serial: 0 };
    let (name, guest) = (corpus.name.as_bytes(), corpus.guest);
    let count = name.len() as u32;
    out.stream.push_tail(&Init { version: Init::VERSION, count, process: 1, guest }, name);
    out.stream.push(&PresentTarget { id: target, width: EDGE, height: EDGE, window_kind: 0, window: 0 });
    let usage = CreateTexture::TARGET;
    let create = |id, format| CreateTexture { usage, ..CreateTexture::plain(id, format, [EDGE; 2]) };
    out.stream.push(&create(texture(0), Format::D32_SFLOAT));
    for number in 1..=2 * TARGETS as u32 {
        let format = if number % 2 == 1 { Format::R8G8B8A8_UNORM } else { Format::R32G32B32A32_UINT };
        out.stream.push(&create(texture(number), format));
    }
    let info = Info { program: corpus.name.into(), ..Info::default() };
    let mut writer = Writer::create(path, &info).expect("a file");
    writer.keyframe(out.stream.batch(), &out.arena).expect("written");
    out.stream.batch().clear();
    out.stream.push(&BeginFrame { frame: 1 });
    let edge = EDGE as f32;
    out.stream.push(&SetViewport { x: 0.0, y: 0.0, width: edge, height: edge, min_depth: 0.0, max_depth: 1.0 });
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = texture(1);
    out.stream.push(&targets);
    let color = [0.0, 0.5, 0.0, 1.0];
    out.stream.push_tail(&Clear { flags: Clear::COLOR, color, depth: 1.0, ..Clear::zeroed() }, &[]);
    for (at, entry) in corpus.entries.iter().enumerate() {
        if wanted(at, entry) {
            out.entry(entry);
        }
    }
    out.stream.push(&Present { frame: 1, target, texture: texture(1), ..Present::zeroed() });
    writer.batch(out.stream.batch(), &out.arena).expect("written");
    writer.finish().expect("a whole file");
}
