//! Vertices that are transformed here, by running the IR of their shader, because what becomes of them depends on where they
//! are on the screen: lines, outlines of polygons, quads in one colour.

use super::constants::Constants;
use super::vertices::Vertices;
use crate::machine::Attributes;
use afterimage_interp::{Environment, Interpreter, LANES, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Module, OutputAt, TextureDecl};
use afterimage_nv2a_types::ATTRIBUTES;
use afterimage_shader_nv2a::banks::Bank;
use afterimage_shader_nv2a::io;
use afterimage_stream::VertexFormat;
use afterimage_stream::packets::VertexAttribute;
use bytemuck::{Pod, Zeroable};

/// What a vertex shader put out, and what [`SHADER`] passes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Transformed {
    /// In clip space.
    pub(super) position: [f32; 4],
    /// Front diffuse and specular, back diffuse and specular.
    pub(super) colors: [[f32; 4]; 4],
    pub(super) texture: [[f32; 4]; 4],
    /// Distances to the planes of the depth range.
    pub(super) clip: [f32; 4],
    pub(super) fog: f32,
    /// Screen space z times w.
    pub(super) depth: f32,
    /// Size of a point in pixels; zero where no points are drawn.
    pub(super) point_size: f32,
    /// Zero.
    pub(super) pad: f32,
    /// Edges of the primitive, where it is smoothed ([`io::EDGES`]).
    pub(super) edges: [[f32; 4]; 4],
}

/// Floats of a vertex.
const FLOATS: usize = size_of::<Transformed>() / 4;

impl Transformed {
    /// The sum of three vertices by weights.
    pub(super) fn blend(vertices: &[Self; 3], weights: [f32; 3]) -> Self {
        let [a, b, c]: [[f32; FLOATS]; 3] = vertices.map(bytemuck::cast);
        let [x, y, z] = weights;
        bytemuck::cast::<[f32; FLOATS], Self>(std::array::from_fn(|i| a[i] * x + b[i] * y + c[i] * z))
    }

    /// What is between two vertices in clip space.
    pub(super) fn between(&self, other: &Self, amount: f32) -> Self {
        let (a, b): ([f32; FLOATS], [f32; FLOATS]) = (bytemuck::cast(*self), bytemuck::cast(*other));
        bytemuck::cast::<[f32; FLOATS], Self>(std::array::from_fn(|i| a[i] + (b[i] - a[i]) * amount))
    }
}

/// A vertex shader that puts out a [`Transformed`] as it is.
pub(super) const SHADER: &str = include_str!("transformed.air");

/// Where the inputs of [`SHADER`] lie in a [`Transformed`].
pub(super) fn attributes(slot: u8) -> Vec<VertexAttribute> {
    let four = VertexFormat::R32G32B32A32_SFLOAT;
    let vectors = (0..9).map(|i| (i, four, 16 * u16::from(i)));
    let rest = [
        (9, VertexFormat::R32_SFLOAT, 160),
        (10, VertexFormat::R32_SFLOAT, 164),
        (11, four, 144),
        (12, four, 176),
        (13, four, 192),
        (14, four, 208),
        (15, four, 224),
    ];
    vectors
        .chain(rest)
        .map(|(location, format, offset)| VertexAttribute {
            location,
            slot,
            format: format as u8,
            per_instance: 0,
            offset,
            divisor: 0,
        })
        .collect()
}

/// What the shader reads, for four vertices.
struct Quad<'a> {
    vertices: &'a Vertices,
    /// What the others have in common.
    current: &'a Attributes,
    constants: &'a Constants,
    first: u32,
}

impl Environment for Quad<'_> {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        let InputAt::Location(slot) = decl.at else { return [0; 4] };
        let slot = usize::from(slot) % ATTRIBUTES;
        let value = self.vertices.get(self.first + lane as u32, slot).unwrap_or(self.current[slot]);
        value.map(f32::to_bits)
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        let bank = match bank.id {
            id if id == Bank::Transform as u8 => Bank::Transform,
            id if id == Bank::Fixed as u8 => Bank::Fixed,
            id if id == Bank::Screen as u8 => Bank::Screen,
            _ => return [0; 4],
        };
        self.constants.held(bank).get(index as usize).copied().unwrap_or([0; 4])
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
}

/// Runs `module` for every vertex of the sequence.
///
/// # Errors
/// What is wrong with the module, in words.
pub(super) fn transform(
    module: &Module,
    vertices: &Vertices,
    current: &Attributes,
    constants: &Constants,
    out: &mut Vec<Transformed>,
) -> Result<(), String> {
    out.clear();
    let interpreter = Interpreter::new(module).map_err(|error| error.to_string())?;
    let count = vertices.len();
    out.reserve(count as usize);
    for first in (0..count).step_by(LANES) {
        let environment = Quad { vertices, current, constants, first };
        let outcome = interpreter.run(&environment).map_err(|error| error.to_string())?;
        for lane in 0..LANES.min((count - first) as usize) {
            let mut vertex = Transformed::default();
            for (decl, bits) in module.outputs.iter().zip(&outcome.outputs) {
                let value = bits[lane].map(f32::from_bits);
                match decl.at {
                    OutputAt::Position => vertex.position = value,
                    OutputAt::PointSize => vertex.point_size = value[0],
                    OutputAt::ClipDistance(_) => vertex.clip = value,
                    OutputAt::Location(io::FOG) => vertex.fog = value[0],
                    OutputAt::Location(io::DEPTH) => vertex.depth = value[0],
                    OutputAt::Location(at @ 0..4) => vertex.colors[usize::from(at)] = value,
                    OutputAt::Location(at @ io::TEXTURE_0..io::FOG) => {
                        vertex.texture[usize::from(at - io::TEXTURE_0)] = value;
                    }
                    // What no vertex shader of this guest puts out.
                    _ => {}
                }
            }
            out.push(vertex);
        }
    }
    Ok(())
}
