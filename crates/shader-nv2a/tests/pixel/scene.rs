//! A pixel with everything around it, and what the interpreter makes of it.

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, Dim, InputAt, InputDecl, Interp, Module, OutputAt, TextureDecl, verify};
use afterimage_nv2a_types::{Registers, method};
use afterimage_shader_nv2a::{io, pixel};
use std::cell::RefCell;

/// What comes from the rasteriser.
#[derive(Clone, Copy, Debug)]
pub struct Pixel {
    /// Front diffuse, front specular, back diffuse, back specular.
    pub colors: [[f32; 4]; 4],
    pub coordinates: [[f32; 4]; 4],
    pub fog: f32,
    /// z times w.
    pub depth: f32,
    pub x: f32,
    pub y: f32,
    pub rcp_w: f32,
    pub front: bool,
    pub sprite: [f32; 2],
    /// What t of all stages grows by in the row below.
    pub t_slope: f32,
}

/// What a slot's texture holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Components, of which those with a bit (alpha, red, green, blue) are signed.
    Colors(u8),
    Depths,
}

/// What a shader made of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    pub thrown_away: bool,
    pub color: [f64; 4],
    pub depth: Option<f64>,
}

/// A texture's colour at a place: smooth, and different for each slot and channel.
pub fn texel(slot: usize, [x, y, z]: [f64; 3], signs: u8) -> [f64; 4] {
    let wave = |shift: f64, bit: u8| {
        let wave = (x * 1.3 + y * 0.7 - z * 0.9 + shift + slot as f64 * 0.37).sin();
        if signs >> bit & 1 != 0 { wave } else { 0.5 + 0.5 * wave }
    };
    [wave(0.0, 1), wave(1.1, 2), wave(2.3, 3), wave(3.9, 0)]
}

/// A depth texture's depth at a place.
pub fn depth(slot: usize, place: [f64; 3]) -> f64 {
    texel(slot, place, 0)[0] * 65535.0
}

/// Four depths around a place: lower left, lower right, upper right, upper left.
pub fn depths(slot: usize, [x, y, _]: [f64; 3]) -> [f64; 4] {
    [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]].map(|[dx, dy]| depth(slot, [x + dx, y + dy, 0.0]))
}

/// Everything around a pixel.
pub struct Scene<'a> {
    pixel: &'a Pixel,
    constants: Vec<[u32; 4]>,
    affine: bool,
    holds: [Holds; 4],
    /// Where each lookup was.
    sampled: RefCell<Vec<[f32; 3]>>,
}

impl Environment for Scene<'_> {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        let p = self.pixel;
        // Without perspective what is interpolated comes times w.
        let weigh = |value: f32| if self.affine { value / p.rcp_w } else { value };
        match decl.at {
            InputAt::Location(io::FOG) => [weigh(p.fog).to_bits(), 0, 0, 0],
            InputAt::Location(io::DEPTH) => [p.depth.to_bits(), 0, 0, 0],
            // No slope of w.
            InputAt::Location(edge) if edge >= io::EDGES => [0; 4],
            InputAt::Location(color) if color < io::TEXTURE_0 => {
                let color = p.colors[usize::from(color)];
                let color = if decl.interp == Interp::Flat { color } else { color.map(weigh) };
                color.map(f32::to_bits)
            }
            InputAt::Location(texture) => {
                let [s, t, r, q] = p.coordinates[usize::from(texture - io::TEXTURE_0)];
                let t = if lane >= 2 { t + p.t_slope } else { t };
                [s, t, r, q].map(|place| weigh(place).to_bits())
            }
            InputAt::FragCoord => [p.x, p.y, 0.5, p.rcp_w].map(f32::to_bits),
            InputAt::FrontFacing => [p.front.into(), 0, 0, 0],
            InputAt::PointCoord => [p.sprite[0].to_bits(), p.sprite[1].to_bits(), 0, 0],
            _ => panic!("no input of the NV2A's pixels"),
        }
    }

    fn constant(&self, _: &BankDecl, index: u32) -> [u32; 4] {
        self.constants[index as usize]
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        self.sampled.borrow_mut().push(args.coord);
        let mut place = args.coord.map(f64::from);
        if texture.dim == Dim::D2 {
            place[2] = 0.0;
        }
        let slot = usize::from(texture.slot);
        let texel = match self.holds[slot] {
            Holds::Depths => [depth(slot, place), 0.0, 0.0, 1.0],
            Holds::Colors(signs) => texel(slot, place, signs),
        };
        texel.map(|c| c as f32)
    }

    fn gather(&self, texture: &TextureDecl, place: [f32; 3]) -> [f32; 4] {
        depths(texture.slot.into(), place.map(f64::from)).map(|depth| depth as f32)
    }
}

impl<'a> Scene<'a> {
    pub fn new(registers: &Registers, pixel: &'a Pixel, holds: [Holds; 4]) -> Self {
        let affine = registers.bits(method::SET_CONTROL0, 20, 1) == 0;
        Self { pixel, constants: pixel::constants(registers).to_vec(), affine, holds, sampled: RefCell::default() }
    }
}

/// Where a shader with one lookup samples in the first pixel of the quad.
pub fn sampled(module: &Module, registers: &Registers, pixel: &Pixel) -> [f32; 3] {
    let scene = Scene::new(registers, pixel, [Holds::Colors(0); 4]);
    Interpreter::new(module).expect("verified").run(&scene).expect("ends");
    scene.sampled.take()[0]
}

/// Runs a shader.
pub fn run(module: &Module, registers: &Registers, pixel: &Pixel, holds: [Holds; 4]) -> Outcome {
    assert_eq!(verify(module), Ok(()), "{module}");
    let scene = Scene::new(registers, pixel, holds);
    let outcome = Interpreter::new(module).expect("verified").run(&scene).expect("ends");
    let output = |at: OutputAt| {
        let index = module.outputs.iter().position(|decl| decl.at == at)?;
        Some(outcome.outputs[index][0].map(|bits| f64::from(f32::from_bits(bits))))
    };
    Outcome {
        thrown_away: outcome.demoted[0],
        color: output(OutputAt::Location(0)).expect("a colour is always stored"),
        depth: output(OutputAt::FragDepth).map(|depth| depth[0]),
    }
}
