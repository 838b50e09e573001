//! Shaders of the floor, which do what those of `bench_d3d9` do: a vertex is moved by the first constant, a pixel is texture times
//! colour times a number.

#[allow(dead_code, reason = "shared with the renderer's own modules, which need the rest")]
#[path = "../../src/pipeline/spirv_words.rs"]
mod spirv_words;

use spirv_words::number::*;
use spirv_words::{Words, op, put, text};

// More numbers of the SPIR-V specification, which the renderer does not need.
const TYPE_SAMPLED_IMAGE: u32 = 27;
const IMAGE_SAMPLE_IMPLICIT_LOD: u32 = 87;
const CAPABILITY_DRAW_PARAMETERS: u32 = 4427;
const CAPABILITY_SHADER_NON_UNIFORM: u32 = 5301;
const CAPABILITY_SAMPLED_IMAGE_NON_UNIFORM: u32 = 5307;
const BUILT_IN_DRAW_INDEX: u32 = 4426;
const DECORATION_NON_UNIFORM: u32 = 5300;

/// Textures that pixel shaders choose from.
pub(crate) const TEXTURES: u32 = 32;
/// Bytes of a [`Record`].
pub(crate) const RECORD: u32 = size_of::<Record>() as u32;
/// Where in the push constants the number of the texture is, behind the address.
pub(crate) const PUSHED_TEXTURE: u32 = 8;

/// What a draw of a run has for itself.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Record {
    /// Address of its constants.
    pub(crate) constants: u64,
    /// Number of its texture.
    pub(crate) texture: u32,
    /// Nothing.
    pub(crate) pad: u32,
}

/// Locations between the stages.
const COLOR: u32 = 0;
const PLACE: u32 = 1;
const TEXTURE: u32 = 2;

/// A module with the types that all have.
struct Module {
    m: Words,
    main: u32,
    uint: u32,
    float: u32,
    vec2: u32,
    vec4: u32,
    zero: u32,
    interface: Vec<u32>,
}

impl Module {
    fn new(capabilities: &[u32], extensions: &[&str]) -> Self {
        let mut m = Words::default();
        let main = m.id();
        for capability in [CAPABILITY_SHADER].iter().chain(capabilities) {
            put(&mut m.head, op::CAPABILITY, &[*capability]);
        }
        for extension in extensions {
            put(&mut m.head, op::EXTENSION, &text(extension));
        }
        let physical = capabilities.contains(&CAPABILITY_PHYSICAL_STORAGE);
        put(&mut m.head, op::MEMORY_MODEL, &[if physical { ADDRESSING_PHYSICAL_STORAGE } else { 0 }, 1]);
        let uint = m.ty(op::TYPE_INT, &[32, 0]);
        let float = m.ty(op::TYPE_FLOAT, &[32]);
        let [vec2, vec4] = [2, 4].map(|lanes| m.ty(op::TYPE_VECTOR, &[float, lanes]));
        let zero = m.constant(uint, 0);
        Self { m, main, uint, float, vec2, vec4, zero, interface: Vec::new() }
    }

    /// An input or output.
    fn variable(&mut self, ty: u32, class: u32, decoration: &[u32]) -> u32 {
        let variable = self.m.variable(ty, class, decoration);
        self.interface.push(variable);
        variable
    }

    /// A value behind an address.
    fn at(&mut self, ty: u32, bytes: u32, address: u32, path: &[u32]) -> u32 {
        let pointer = self.m.ty(op::TYPE_POINTER, &[CLASS_PHYSICAL_STORAGE, ty]);
        let pointer = self.m.value(op::ACCESS_CHAIN, pointer, &[&[address], path].concat());
        self.m.value(op::LOAD, ty, &[pointer, ACCESS_ALIGNED, bytes])
    }

    fn load(&mut self, ty: u32, variable: u32) -> u32 {
        self.m.value(op::LOAD, ty, &[variable])
    }

    fn store(&mut self, variable: u32, value: u32) {
        put(&mut self.m.code, op::STORE, &[variable, value]);
    }

    fn finish(mut self, model: u32) -> Vec<u32> {
        put(&mut self.m.code, op::RETURN, &[]);
        put(&mut self.m.code, op::FUNCTION_END, &[]);
        let entry = [&[model, self.main], text("main").as_slice(), &self.interface].concat();
        put(&mut self.m.head, op::ENTRY_POINT, &entry);
        if model == MODEL_FRAGMENT {
            put(&mut self.m.head, op::EXECUTION_MODE, &[self.main, MODE_ORIGIN_UPPER_LEFT]);
        }
        self.m.finish()
    }
}

/// The vertex shader. Pushed is the address of the constants or, of `merged` draws, that of the records of a run, from which it
/// passes on the number of the texture.
pub(crate) fn vertex(merged: bool) -> Vec<u32> {
    let (mut capabilities, extension) = (vec![CAPABILITY_PHYSICAL_STORAGE], "SPV_KHR_physical_storage_buffer");
    if merged {
        capabilities.push(CAPABILITY_DRAW_PARAMETERS);
    }
    let mut m = Module::new(&capabilities, &[extension]);
    let (uint, vec2, vec4, zero) = (m.uint, m.vec2, m.vec4, m.zero);
    let one = m.m.constant(uint, 1);
    let constants = m.m.array_address(vec4, 16);
    let record = m.m.ty(op::TYPE_STRUCT, &[constants, uint, uint]);
    for (member, offset) in [(0, 0), (1, 8), (2, 12)] {
        put(&mut m.m.decorations, op::MEMBER_DECORATE, &[record, member, DECORATION_OFFSET, offset]);
    }
    let records = m.m.array_address(record, RECORD);
    let pushed = if merged { records } else { constants };
    let block = m.m.block(&[pushed], &[0]);
    let push = m.m.variable(block, CLASS_PUSH_CONSTANT, &[]);
    let pass = [(vec4, COLOR, 1), (vec2, PLACE, 2)].map(|(ty, to, from)| {
        let input = m.variable(ty, CLASS_INPUT, &[DECORATION_LOCATION, from]);
        (ty, input, m.variable(ty, CLASS_OUTPUT, &[DECORATION_LOCATION, to]))
    });
    let place = m.variable(vec4, CLASS_INPUT, &[DECORATION_LOCATION, 0]);
    let position = m.variable(vec4, CLASS_OUTPUT, &[DECORATION_BUILT_IN, BUILT_IN_POSITION]);
    let chosen = merged.then(|| {
        let index = m.variable(uint, CLASS_INPUT, &[DECORATION_BUILT_IN, BUILT_IN_DRAW_INDEX]);
        let texture = m.variable(uint, CLASS_OUTPUT, &[DECORATION_LOCATION, TEXTURE]);
        put(&mut m.m.decorations, op::DECORATE, &[texture, DECORATION_FLAT]);
        (index, texture)
    });
    m.m.begin(m.main);
    let mut address = m.m.pushed(push, pushed, zero);
    if let Some((index, texture)) = chosen {
        let (records, index) = (address, m.load(uint, index));
        address = m.at(constants, 8, records, &[zero, index, zero]);
        let number = m.at(uint, 4, records, &[zero, index, one]);
        m.store(texture, number);
    }
    let shift = m.at(vec4, 16, address, &[zero, zero]);
    let place = m.load(vec4, place);
    let moved = m.m.value(op::F_ADD, vec4, &[place, shift]);
    m.store(position, moved);
    for (ty, from, to) in pass {
        let value = m.load(ty, from);
        m.store(to, value);
    }
    m.finish(MODEL_VERTEX)
}

/// The pixel shader, which multiplies by `factor`. The number of the texture is pushed or, of `merged` draws, the vertex shader's.
pub(crate) fn pixel(merged: bool, factor: f32) -> Vec<u32> {
    let capabilities = [CAPABILITY_SHADER_NON_UNIFORM, CAPABILITY_SAMPLED_IMAGE_NON_UNIFORM];
    let mut m = match merged {
        true => Module::new(&capabilities, &["SPV_EXT_descriptor_indexing"]),
        false => Module::new(&[], &[]),
    };
    let (uint, float, vec2, vec4) = (m.uint, m.float, m.vec2, m.vec4);
    let factors = [factor, 0.5, 0.25, 1.0].map(|value| m.m.constant(float, value.to_bits()));
    let count = m.m.constant(uint, TEXTURES);
    let image = m.m.ty(op::TYPE_IMAGE, &[float, DIM_2D, 0, 0, 0, 1, 0]);
    let sampled = m.m.ty(TYPE_SAMPLED_IMAGE, &[image]);
    let all = m.m.ty(op::TYPE_ARRAY, &[sampled, count]);
    let textures = m.m.variable(all, CLASS_UNIFORM_CONSTANT, &[DECORATION_BINDING, 0]);
    put(&mut m.m.decorations, op::DECORATE, &[textures, DECORATION_DESCRIPTOR_SET, 0]);
    let [color, place] =
        [(vec4, COLOR), (vec2, PLACE)].map(|(ty, from)| m.variable(ty, CLASS_INPUT, &[DECORATION_LOCATION, from]));
    let out = m.variable(vec4, CLASS_OUTPUT, &[DECORATION_LOCATION, 0]);
    let texture = if merged {
        let texture = m.variable(uint, CLASS_INPUT, &[DECORATION_LOCATION, TEXTURE]);
        put(&mut m.m.decorations, op::DECORATE, &[texture, DECORATION_FLAT]);
        texture
    } else {
        let block = m.m.block(&[uint], &[PUSHED_TEXTURE]);
        m.m.variable(block, CLASS_PUSH_CONSTANT, &[])
    };
    let pointer = m.m.ty(op::TYPE_POINTER, &[CLASS_UNIFORM_CONSTANT, sampled]);
    m.m.begin(m.main);
    let texture = if merged { m.load(uint, texture) } else { m.m.pushed(texture, uint, m.zero) };
    let pointer = m.m.value(op::ACCESS_CHAIN, pointer, &[textures, texture]);
    let bound = m.load(sampled, pointer);
    if merged {
        for id in [texture, pointer, bound] {
            put(&mut m.m.decorations, op::DECORATE, &[id, DECORATION_NON_UNIFORM]);
        }
    }
    let (color, place) = (m.load(vec4, color), m.load(vec2, place));
    let texel = m.m.value(IMAGE_SAMPLE_IMPLICIT_LOD, vec4, &[bound, place]);
    let product = m.m.value(op::F_MUL, vec4, &[texel, color]);
    let factors = m.m.value(op::COMPOSITE_CONSTRUCT, vec4, &factors);
    let product = m.m.value(op::F_MUL, vec4, &[product, factors]);
    m.store(out, product);
    m.finish(MODEL_FRAGMENT)
}
