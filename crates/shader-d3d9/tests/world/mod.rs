//! The outside of a shader in the interpreter, and shaders from text.

use crate::cases::{BOOLS, FLOATS, INTS};
use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, Dim, InputAt, InputDecl, Module, OutputAt, TextureDecl, verify};
use afterimage_shader_d3d9::{Bank, RuntimeInfo, assemble, io, lift, signature};
use std::collections::HashMap;

/// Constants by bank and register, inputs by location; textures give their coordinates and slot.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) constants: HashMap<(u8, u32), [u32; 4]>,
    pub(crate) inputs: HashMap<u8, [f32; 4]>,
    pub(crate) frag_coord: [f32; 4],
    pub(crate) front: bool,
}

impl World {
    pub(crate) fn float(mut self, bank: Bank, register: u16, value: [f32; 4]) -> Self {
        self.constants.insert((bank as u8, register.into()), value.map(f32::to_bits));
        self
    }

    pub(crate) fn int(mut self, bank: Bank, register: u16, value: [i32; 4]) -> Self {
        self.constants.insert((bank as u8, register.into()), value.map(i32::cast_unsigned));
        self
    }

    pub(crate) fn input(mut self, location: u8, value: [f32; 4]) -> Self {
        self.inputs.insert(location, value);
        self
    }

    pub(crate) fn run(&self, module: &Module) -> Results {
        assert_eq!(verify(module), Ok(()), "{module}");
        let outcome = Interpreter::new(module).expect("verified").run(self).expect("ends");
        let values = module.outputs.iter().zip(&outcome.outputs);
        let values = values.map(|(decl, lanes)| (decl.at, lanes[0].map(f32::from_bits))).collect();
        Results { values, demoted: outcome.demoted[0] }
    }
}

/// What a shader computed.
pub(crate) struct Results {
    values: Vec<(OutputAt, [f32; 4])>,
    pub(crate) demoted: bool,
}

impl Results {
    pub(crate) fn at(&self, at: OutputAt) -> [f32; 4] {
        self.values.iter().find(|(other, _)| *other == at).expect("the output exists").1
    }

    pub(crate) fn location(&self, location: u8) -> [f32; 4] {
        self.at(OutputAt::Location(location))
    }
}

impl Environment for World {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(location) => self.inputs.get(&location).copied().unwrap_or([0.0; 4]).map(f32::to_bits),
            InputAt::FragCoord => self.frag_coord.map(f32::to_bits),
            InputAt::FrontFacing => [u32::from(self.front), 0, 0, 0],
            _ => [0; 4],
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        self.constants.get(&(bank.id, index)).copied().unwrap_or([0; 4])
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        let third = if texture.dim == Dim::D2 { f32::from(texture.slot) } else { args.coord[2] };
        [args.coord[0], args.coord[1], third, args.reference.unwrap_or(1.0)]
    }

    /// Below left, below right, above right, above left.
    fn gather(&self, _: &TextureDecl, _: [f32; 3]) -> [f32; 4] {
        [1.0, 2.0, 3.0, 4.0]
    }
}

/// The IR of assembler text.
pub(crate) fn lifted(text: &str, runtime: &RuntimeInfo) -> Module {
    let tokens = assemble(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    lift(&tokens, runtime).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Runs a pixel shader and gives oC0. Inputs and constants as for vertex shaders.
pub(crate) fn pixel(text: &str, mut runtime: RuntimeInfo, world: World) -> Results {
    let tokens = assemble(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    runtime.link = io::link_of_pixel_shader(&signature(&tokens).expect("assembled"));
    world.run(&lift(&tokens, &runtime).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

/// Constants and inputs of the pixel shader tests.
pub(crate) fn pixel_world() -> World {
    World::default()
        .float(Bank::PixelFloat, 0, [1.0, 2.0, 3.0, 4.0])
        .float(Bank::PixelFloat, 1, [0.25, 0.75, -1.0, 0.5])
        .input(0, [0.1, 0.2, 0.3, 0.4])
        .input(2, [0.5, 0.25, 2.0, 4.0])
        .input(3, [-0.5, 0.125, 0.0, 1.0])
        .input(4, [1.0, 2.0, 3.0, 4.0])
        .input(5, [1.0, 0.0, 0.0, 1.0])
        .float(Bank::PixelFloat, 2, [0.0, 1.0, 0.0, 0.0])
}

/// The constants of the cases, for both stages.
pub(crate) fn constants() -> World {
    let mut world = World::default();
    for (register, value) in (0..).zip(FLOATS) {
        world = world.float(Bank::VertexFloat, register, value).float(Bank::PixelFloat, register, value);
    }
    for (register, value) in (0..).zip(INTS) {
        world = world.int(Bank::VertexInt, register, value).int(Bank::PixelInt, register, value);
    }
    for (register, value) in (0..).zip(BOOLS) {
        let value = [value.into(), 0, 0, 0];
        world = world.int(Bank::VertexBool, register, value).int(Bank::PixelBool, register, value);
    }
    world
}
