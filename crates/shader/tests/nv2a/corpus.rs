//! The shaders, and what they read.

use super::pixel::scene::{Holds, Scene};
use super::{pixel, recorded, transform};
use afterimage_interp::{Environment, SampleArgs};
use afterimage_ir::{BankDecl, BankSource, InputAt, InputDecl, TextureDecl};
use afterimage_nv2a_types::Registers;
use afterimage_shader::{Language, Shader};
use afterimage_shader_nv2a::banks::Bank;
use afterimage_shader_nv2a::tables::{Ilu, Mac};
use afterimage_shader_nv2a::{Program, assemble, fixed, generate, io, pixel as pixels};
use bytemuck::Zeroable;
use std::path::Path;

/// Random programs.
const PROGRAMS: u64 = 40;
/// Random registers of fixed-function transform, and of pixel shaders.
const TRANSFORMS: u64 = 100;
const PIXELS: u64 = 160;
/// Keys of any bytes, of either.
const KEYS: u64 = 30;
/// Vertices or pixels, in fours, that a shader is run with.
const WORLDS: u64 = 3;

/// A shader.
pub struct Entry {
    pub name: String,
    /// As streams have it.
    pub language: Language,
    pub code: Vec<u8>,
    pub shader: Shader,
    pub worlds: Vec<Box<dyn Environment>>,
}

impl Entry {
    fn new(name: String, language: Language, code: &[u8], worlds: Vec<Box<dyn Environment>>) -> Self {
        let shader = Shader::new(language, code).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name, language, code: code.to_vec(), shader, worlds }
    }
}

/// Vertices of a register file, and the constants of all that the vertex engine has.
struct Vertices {
    transform: Vec<[u32; 4]>,
    fixed: Vec<[u32; 4]>,
    screen: Vec<[u32; 4]>,
    /// By lane and attribute.
    inputs: [[[f32; 4]; 16]; 4],
}

impl Vertices {
    fn of(registers: &Registers, random: &mut transform::random::Random) -> Self {
        Self {
            transform: registers.constants().to_vec(),
            fixed: fixed::constants(registers).to_vec(),
            screen: io::screen_constants(registers, 640.0, 480.0).to_vec(),
            inputs: std::array::from_fn(|_| random.inputs()),
        }
    }

    /// Constants of programs, with numbers that special rules are for among them.
    fn with_constants(mut self, random: &mut transform::random::Random) -> Self {
        const SPECIAL: [f32; 8] =
            [0.0, -0.0, f32::INFINITY, f32::NAN, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 127.0];
        self.transform = (0..192)
            .map(|slot| {
                let numbers = random.inputs()[slot % 16];
                let special = slot % 5 == 0;
                std::array::from_fn(|n| if special { SPECIAL[(slot + n) % 8] } else { numbers[n] }.to_bits())
            })
            .collect();
        self
    }
}

impl Environment for Vertices {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(location) => self.inputs[lane][usize::from(location)].map(f32::to_bits),
            at => panic!("a vertex has no {at:?}"),
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        let file = match bank.id {
            // Sizes of points: what they are, and between what.
            _ if bank.source == BankSource::System => return [4.0, 1.0, 64.0, 0.0].map(f32::to_bits),
            id if id == Bank::Transform as u8 => &self.transform,
            id if id == Bank::Fixed as u8 => &self.fixed,
            id if id == Bank::Screen as u8 => &self.screen,
            id => panic!("bank {id}"),
        };
        file[index as usize]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        panic!("the vertex engine has no textures")
    }
}

/// Pixels of a register file. The scene borrows its pixel, so it is made for each question.
struct Pixels {
    registers: Registers,
    pixel: pixel::scene::Pixel,
    holds: [Holds; 4],
}

impl Pixels {
    fn scene(&self) -> Scene<'_> {
        Scene::new(&self.registers, &self.pixel, self.holds)
    }
}

impl Environment for Pixels {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        self.scene().input(decl, lane)
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        self.scene().constant(bank, index)
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        self.scene().sample(texture, args)
    }

    fn gather(&self, texture: &TextureDecl, place: [f32; 3]) -> [f32; 4] {
        self.scene().gather(texture, place)
    }
}

pub fn all() -> Vec<Entry> {
    let mut entries = of_ours();
    let recorded = recorded::programs().unwrap_or_default().into_keys().enumerate();
    entries.extend(recorded.map(|(at, words)| {
        program(format!("recorded program {at}"), &Program::parse(&words, 0).expect("was recorded"))
    }));
    entries
}

/// Those that nobody else has made.
pub fn of_ours() -> Vec<Entry> {
    let mut entries = programs();
    entries.extend(transforms());
    entries.extend(pixel_shaders());
    entries
}

fn programs() -> Vec<Entry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/shader-nv2a/tests/microcode/programs");
    let mut sources: Vec<(String, Program)> = Vec::new();
    for file in std::fs::read_dir(&folder).expect("the programs are there") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        sources.push((name, assemble(text.split("; ---").next().unwrap_or_default()).expect("assembles")));
    }
    assert!(sources.len() >= 4, "{} has lost its files", folder.display());
    sources.sort_by(|a, b| a.0.cmp(&b.0));
    for mac in Mac::ALL.iter().filter(|mac| !matches!(mac, Mac::Nop | Mac::Arl)) {
        let operands = ["v2", "c[5].wzyx", "c[5]"][..mac.sources().len()].join(", ");
        let name = mac.name();
        sources.push((
            name.to_owned(),
            assemble(&format!("{name} oPos, {operands}\n{name} oD0, {operands}\n")).expect(name),
        ));
    }
    for ilu in Ilu::ALL.iter().filter(|ilu| !matches!(ilu, Ilu::Nop)) {
        let name = ilu.name();
        sources.push((name.to_owned(), assemble(&format!("{name} oPos, v3\n{name} oD0, c[10]\n")).expect(name)));
    }
    for seed in 0..PROGRAMS {
        let mut random = pixel::random::Random(seed);
        let bytes: Vec<u8> = (0..16 * (1 + seed as usize % 24)).map(|_| random.word() as u8).collect();
        sources.push((format!("random program {seed}"), generate(&bytes)));
    }
    sources.into_iter().map(|(name, source)| program(name, &source)).collect()
}

fn program(name: String, program: &Program) -> Entry {
    let world = |seed| {
        let mut random = transform::random::Random(seed);
        let registers = random.registers();
        Box::new(Vertices::of(&registers, &mut random).with_constants(&mut random)) as Box<dyn Environment>
    };
    Entry::new(name, Language::Nv2aProgram, &program.to_bytes(), (0..WORLDS).map(world).collect())
}

fn transforms() -> Vec<Entry> {
    let entry = |seed: u64| {
        let mut random = transform::random::Random(seed);
        let registers = random.registers();
        let mut key = fixed::Key::of(&registers, seed.is_multiple_of(2));
        let name = if seed < TRANSFORMS { "transform" } else { "any transform" };
        if seed >= TRANSFORMS {
            let mut bytes = pixel::random::Random(seed);
            bytemuck::bytes_of_mut(&mut key).fill_with(|| bytes.word() as u8);
        }
        let worlds = (0..WORLDS).map(|_| Box::new(Vertices::of(&registers, &mut random)) as _).collect();
        Entry::new(format!("{name} {seed}"), Language::Nv2aFixed, bytemuck::bytes_of(&key), worlds)
    };
    (0..TRANSFORMS + KEYS).map(entry).collect()
}

fn pixel_shaders() -> Vec<Entry> {
    let entry = |seed: u64| {
        let mut random = pixel::random::Random(seed);
        let (registers, drawn) = (random.registers(), random.drawn());
        let mut key = pixels::Key::of(&registers, drawn);
        let name = if seed < PIXELS { "pixel shader" } else { "any pixel shader" };
        if seed >= PIXELS {
            key = pixels::Key::zeroed();
            bytemuck::bytes_of_mut(&mut key).fill_with(|| random.word() as u8);
        }
        let world = |_| {
            let pixel = random.pixel();
            let holds = [Holds::Colors(0), Holds::Depths, Holds::Colors(15), Holds::Colors(5)];
            let turned = std::array::from_fn(|slot| holds[(slot + seed as usize) % 4]);
            Box::new(Pixels { registers: registers.clone(), pixel, holds: turned }) as Box<dyn Environment>
        };
        let worlds = (0..WORLDS).map(world).collect();
        Entry::new(format!("{name} {seed}"), Language::Nv2aPixel, bytemuck::bytes_of(&key), worlds)
    };
    (0..PIXELS + KEYS).map(entry).collect()
}
