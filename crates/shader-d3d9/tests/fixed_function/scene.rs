//! What a shader reads, as plain numbers, and what the interpreter makes of it.

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Module, OutputAt, SpecDecl, TextureDecl, verify};
use afterimage_shader_d3d9::{Bank, FixedPixelRegister, FixedVertexRegister, SystemRegister};

/// Registers and inputs of one vertex or pixel.
#[derive(Clone, Debug)]
pub struct Scene {
    pub vertex: Vec<[f32; 4]>,
    pub pixel: Vec<[f32; 4]>,
    pub system: Vec<[f32; 4]>,
    /// By location, of the stage that is run.
    pub inputs: [[f32; 4]; 32],
    pub frag_coord: [f32; 4],
    /// Specialisation constants by id, where they are set.
    pub specs: [Option<u32>; 2],
}

impl Default for Scene {
    fn default() -> Self {
        let zeros = |count: u16| vec![[0.0; 4]; usize::from(count)];
        Self {
            vertex: zeros(FixedVertexRegister::COUNT),
            pixel: zeros(FixedPixelRegister::COUNT),
            system: zeros(SystemRegister::COUNT),
            inputs: [[0.0; 4]; 32],
            frag_coord: [0.5, 0.5, 0.5, 1.0],
            specs: [None; 2],
        }
    }
}

/// What a shader computed.
#[derive(Debug)]
pub struct Outputs {
    values: Vec<(OutputAt, [f32; 4])>,
    pub demoted: bool,
}

impl Outputs {
    pub fn at(&self, at: OutputAt) -> [f32; 4] {
        self.values.iter().find(|(other, _)| *other == at).expect("the output exists").1
    }

    /// A varying or a colour, as what reads it finds it: the first colour is one where it is not written, the rest zero.
    pub fn location(&self, location: u8) -> [f32; 4] {
        let missing = if location == 0 { 1.0 } else { 0.0 };
        let written = self.values.iter().find(|(at, _)| *at == OutputAt::Location(location));
        written.map_or([missing; 4], |(_, value)| *value)
    }
}

/// A texture's colour at a place: smooth, and different for each slot and channel.
pub fn texel(slot: usize, [x, y, z]: [f64; 3]) -> [f64; 4] {
    let wave = |shift: f64| 0.5 + 0.5 * (x * 1.3 + y * 0.7 - z * 0.9 + shift + slot as f64 * 0.37).sin();
    [wave(0.0), wave(1.1), wave(2.3), wave(3.9)]
}

/// The four texels around a place.
pub fn gather(slot: usize, at: [f64; 3]) -> [f64; 4] {
    texel(slot + 20, at)
}

/// The result of a comparison with a reference value.
pub fn compare(slot: usize, reference: f64) -> f64 {
    texel(slot + 40, [reference, 0.0, 0.0])[0]
}

impl Environment for Scene {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(location) => self.inputs[usize::from(location)].map(f32::to_bits),
            InputAt::FragCoord => self.frag_coord.map(f32::to_bits),
            _ => [0; 4],
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        let file = match bank.id {
            id if id == Bank::FixedVertex as u8 => &self.vertex,
            id if id == Bank::FixedPixel as u8 => &self.pixel,
            _ => &self.system,
        };
        file[index as usize].map(f32::to_bits)
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        let slot = usize::from(texture.slot);
        match args.reference {
            Some(reference) => [compare(slot, reference.into()) as f32; 4],
            None => texel(slot, args.coord.map(f64::from)).map(|c| c as f32),
        }
    }

    fn gather(&self, texture: &TextureDecl, coord: [f32; 3]) -> [f32; 4] {
        gather(texture.slot.into(), coord.map(f64::from)).map(|c| c as f32)
    }

    fn spec(&self, decl: &SpecDecl) -> u32 {
        self.specs[decl.id as usize].unwrap_or(decl.default)
    }
}

impl Scene {
    /// Sets consecutive registers of the fixed vertex stage.
    pub fn set(mut self, register: u16, rows: &[[f32; 4]]) -> Self {
        self.vertex[usize::from(register)..][..rows.len()].copy_from_slice(rows);
        self
    }

    /// Sets a register of the fixed pixel stage.
    pub fn set_pixel(mut self, register: FixedPixelRegister, row: [f32; 4]) -> Self {
        self.pixel[usize::from(register.register())] = row;
        self
    }

    /// Sets a register of the system block.
    pub fn set_system(mut self, register: u16, row: [f32; 4]) -> Self {
        self.system[usize::from(register)] = row;
        self
    }

    pub fn input(mut self, location: u8, value: [f32; 4]) -> Self {
        self.inputs[usize::from(location)] = value;
        self
    }

    pub fn run(&self, module: &Module) -> Outputs {
        assert_eq!(verify(module), Ok(()), "{module}");
        let outcome = Interpreter::new(module).expect("verified").run(self).expect("ends");
        let values = module.outputs.iter().zip(&outcome.outputs);
        let values = values.map(|(decl, lanes)| (decl.at, lanes[0].map(f32::from_bits))).collect();
        Outputs { values, demoted: outcome.demoted[0] }
    }
}
