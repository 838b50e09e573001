//! What a shader reads, as plain numbers, and what the interpreter makes of it.

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Module, OutputAt, SpecDecl, TextureDecl, verify};
use afterimage_nv2a_types::Registers;
use afterimage_shader_nv2a::banks::Bank;
use afterimage_shader_nv2a::{fixed, io};

/// Size of the surface that scenes are drawn on, in pixels.
pub const SURFACE: [f32; 2] = [640.0, 480.0];

/// Constants and inputs of one vertex.
#[derive(Clone, Debug)]
pub struct Scene {
    transform: Vec<[u32; 4]>,
    fixed: Vec<[u32; 4]>,
    screen: Vec<[u32; 4]>,
    /// By attribute.
    pub inputs: [[f32; 4]; 16],
}

/// What a shader computed.
#[derive(Debug)]
pub struct Outputs(Vec<(OutputAt, [f32; 4])>);

impl Outputs {
    pub fn at(&self, at: OutputAt) -> [f32; 4] {
        self.0.iter().find(|(other, _)| *other == at).expect("the output exists").1
    }

    pub fn location(&self, location: u8) -> [f32; 4] {
        self.at(OutputAt::Location(location))
    }
}

impl Environment for Scene {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(location) => self.inputs[usize::from(location)].map(f32::to_bits),
            at => panic!("a vertex has no {at:?}"),
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        let file = match bank.id {
            id if id == Bank::Transform as u8 => &self.transform,
            id if id == Bank::Fixed as u8 => &self.fixed,
            id if id == Bank::Screen as u8 => &self.screen,
            id => panic!("bank {id}"),
        };
        file[index as usize]
    }

    fn sample(&self, texture: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        panic!("texture {}", texture.slot)
    }

    fn gather(&self, texture: &TextureDecl, _: [f32; 3]) -> [f32; 4] {
        panic!("texture {}", texture.slot)
    }

    fn spec(&self, decl: &SpecDecl) -> u32 {
        decl.default
    }
}

impl Scene {
    /// All constants of a register file, and attributes at zero.
    pub fn of(registers: &Registers) -> Self {
        let [width, height] = SURFACE;
        Self {
            transform: registers.constants().to_vec(),
            fixed: fixed::constants(registers).to_vec(),
            screen: io::screen_constants(registers, width, height).to_vec(),
            inputs: [[0.0; 4]; 16],
        }
    }

    pub fn run(&self, module: &Module) -> Outputs {
        assert_eq!(verify(module), Ok(()), "{module}");
        let outcome = Interpreter::new(module).expect("verified").run(self).expect("ends");
        let values = module.outputs.iter().zip(&outcome.outputs);
        Outputs(values.map(|(decl, lanes)| (decl.at, lanes[0].map(f32::from_bits))).collect())
    }
}
