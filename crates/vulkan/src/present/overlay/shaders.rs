//! Shaders of what is drawn over pictures: rectangles of one colour or with a glyph in them, and the picture itself with
//! gamma. They read everything through addresses in the push constants, so that they need no descriptors.

use crate::pipeline::spirv_words::{Words, number, op, put, text};
use crate::present::overlay::Push;
use afterimage_render::hud::font::{GLYPHS, HEIGHT, WIDTH};
use number::*;

/// Locations between the stages.
const PLACE: u32 = 0;

const GLYPH: u32 = 1;

const COLOR: u32 = 2;

/// Members of [`Push`], by number.
const RECTANGLES: u32 = 0;

const DATA: u32 = 1;

const GAMMA: u32 = 2;

const SCALE: u32 = 3;

const ORIGIN: u32 = 4;

const PITCH: u32 = 5;

/// A module with the types and constants that all three have.
struct Module {
    m: Words,
    main: u32,
    glsl: u32,
    bool_type: u32,
    uint: u32,
    float: u32,
    vec2: u32,
    vec4: u32,
    uvec2: u32,
    uvec4: u32,
    /// Pointers to arrays of rectangles and of words.
    rectangles: u32,
    words: u32,
    push: u32,
    interface: Vec<u32>,
}

impl Module {
    fn new() -> Self {
        let mut m = Words::default();
        let (main, glsl) = (m.id(), m.id());
        let bool_type = m.ty(op::TYPE_BOOL, &[]);
        let uint = m.ty(op::TYPE_INT, &[32, 0]);
        let float = m.ty(op::TYPE_FLOAT, &[32]);
        let [vec2, vec4] = [2, 4].map(|lanes| m.ty(op::TYPE_VECTOR, &[float, lanes]));
        let [uvec2, uvec4] = [2, 4].map(|lanes| m.ty(op::TYPE_VECTOR, &[uint, lanes]));
        let [rectangles, words] = [(uvec4, 16), (uint, 4)].map(|(element, stride)| m.array_address(element, stride));
        let block = m.block(&[rectangles, words, words, vec2, uvec2, uint], &Push::OFFSETS);
        let push = m.variable(block, CLASS_PUSH_CONSTANT, &[]);
        put(&mut m.head, op::CAPABILITY, &[CAPABILITY_SHADER]);
        put(&mut m.head, op::CAPABILITY, &[CAPABILITY_PHYSICAL_STORAGE]);
        put(&mut m.head, op::EXTENSION, &text("SPV_KHR_physical_storage_buffer"));
        put(&mut m.head, op::EXT_INST_IMPORT, &[&[glsl], text("GLSL.std.450").as_slice()].concat());
        put(&mut m.head, op::MEMORY_MODEL, &[ADDRESSING_PHYSICAL_STORAGE, 1]);
        let interface = Vec::new();
        Self { m, main, glsl, bool_type, uint, float, vec2, vec4, uvec2, uvec4, rectangles, words, push, interface }
    }

    /// An input or output.
    fn variable(&mut self, ty: u32, class: u32, decoration: &[u32]) -> u32 {
        let variable = self.m.variable(ty, class, decoration);
        self.interface.push(variable);
        variable
    }

    fn number(&mut self, value: u32) -> u32 {
        self.m.constant(self.uint, value)
    }

    fn begin(&mut self) {
        self.m.begin(self.main);
    }

    /// A member of the push constants.
    fn pushed(&mut self, ty: u32, member: u32) -> u32 {
        let member = self.number(member);
        self.m.pushed(self.push, ty, member)
    }

    /// An element of the array that a member of the push constants points to.
    fn element(&mut self, (ty, bytes): (u32, u32), member: u32, index: u32) -> u32 {
        let array_type = if member == RECTANGLES { self.rectangles } else { self.words };
        let array = self.pushed(array_type, member);
        let pointer_type = self.m.ty(op::TYPE_POINTER, &[CLASS_PHYSICAL_STORAGE, ty]);
        let zero = self.number(0);
        let pointer = self.m.value(op::ACCESS_CHAIN, pointer_type, &[array, zero, index]);
        self.m.value(op::LOAD, ty, &[pointer, ACCESS_ALIGNED, bytes])
    }

    /// Bits of a word.
    fn bits(&mut self, word: u32, shift: u32, mask: u32) -> u32 {
        let (shift, mask) = (self.number(shift), self.number(mask));
        let shifted = self.m.value(op::SHIFT_RIGHT, self.uint, &[word, shift]);
        self.m.value(op::BITWISE_AND, self.uint, &[shifted, mask])
    }

    /// `a * b + c` of words.
    fn multiply_add(&mut self, a: u32, b: u32, c: u32) -> u32 {
        self.m.multiply_add(self.uint, [a, b, c])
    }

    fn least(&mut self, value: u32, most: u32) -> u32 {
        let most = self.number(most);
        self.m.value(op::EXT_INST, self.uint, &[self.glsl, GLSL_U_MIN, value, most])
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

/// Four corners of a rectangle per instance: two words with x and y, width and height in 16 bits each, the glyph, and the
/// colour, red in the lowest byte.
pub(crate) fn vertex() -> Vec<u32> {
    let mut m = Module::new();
    let (uint, float, vec2, vec4, uvec4) = (m.uint, m.float, m.vec2, m.vec4, m.uvec4);
    let vertex = m.variable(uint, CLASS_INPUT, &[DECORATION_BUILT_IN, BUILT_IN_VERTEX_INDEX]);
    let instance = m.variable(uint, CLASS_INPUT, &[DECORATION_BUILT_IN, BUILT_IN_INSTANCE_INDEX]);
    let position = m.variable(vec4, CLASS_OUTPUT, &[DECORATION_BUILT_IN, BUILT_IN_POSITION]);
    let place = m.variable(vec2, CLASS_OUTPUT, &[DECORATION_LOCATION, PLACE]);
    let glyph = m.variable(uint, CLASS_OUTPUT, &[DECORATION_LOCATION, GLYPH]);
    let color = m.variable(vec4, CLASS_OUTPUT, &[DECORATION_LOCATION, COLOR]);
    let [zero, one] = [0.0f32, 1.0].map(|value| m.m.constant(float, value.to_bits()));
    let size = [WIDTH, HEIGHT].map(|edge| m.m.constant(float, (edge as f32).to_bits()));
    m.begin();
    let vertex = m.m.value(op::LOAD, uint, &[vertex]);
    let instance = m.m.value(op::LOAD, uint, &[instance]);
    let rectangle = m.element((uvec4, 16), RECTANGLES, instance);
    let [first, extent, letter, bytes] =
        [0, 1, 2, 3].map(|lane| m.m.value(op::COMPOSITE_EXTRACT, uint, &[rectangle, lane]));
    let corner = [m.bits(vertex, 0, 1), m.bits(vertex, 1, 1)];
    let mut pixels = [0; 2];
    let mut places = [0; 2];
    for (axis, shift) in [0, 16].into_iter().enumerate() {
        let (first, extent) = (m.bits(first, shift, 0xffff), m.bits(extent, shift, 0xffff));
        let at = m.multiply_add(corner[axis], extent, first);
        pixels[axis] = m.m.value(op::CONVERT_U_TO_F, float, &[at]);
        let side = m.m.value(op::CONVERT_U_TO_F, float, &[corner[axis]]);
        places[axis] = m.m.value(op::F_MUL, float, &[side, size[axis]]);
    }
    let pixels = m.m.value(op::COMPOSITE_CONSTRUCT, vec2, &pixels);
    let scale = m.pushed(vec2, SCALE);
    let scaled = m.m.value(op::F_MUL, vec2, &[pixels, scale]);
    let ones = m.m.value(op::COMPOSITE_CONSTRUCT, vec2, &[one, one]);
    let xy = m.m.value(op::F_SUB, vec2, &[scaled, ones]);
    let clip = m.m.value(op::COMPOSITE_CONSTRUCT, vec4, &[xy, zero, one]);
    put(&mut m.m.code, op::STORE, &[position, clip]);
    let places = m.m.value(op::COMPOSITE_CONSTRUCT, vec2, &places);
    put(&mut m.m.code, op::STORE, &[place, places]);
    put(&mut m.m.code, op::STORE, &[glyph, letter]);
    let unpacked = m.m.value(op::EXT_INST, vec4, &[m.glsl, GLSL_UNPACK_UNORM_4X8, bytes]);
    put(&mut m.m.code, op::STORE, &[color, unpacked]);
    m.finish(MODEL_VERTEX)
}

/// The instance's colour, where its glyph has a bit; everywhere where it is no glyph's number.
pub(crate) fn glyph() -> Vec<u32> {
    let mut m = Module::new();
    let (uint, float, vec2, vec4, bool_type) = (m.uint, m.float, m.vec2, m.vec4, m.bool_type);
    let place = m.variable(vec2, CLASS_INPUT, &[DECORATION_LOCATION, PLACE]);
    let glyph = m.variable(uint, CLASS_INPUT, &[DECORATION_LOCATION, GLYPH]);
    put(&mut m.m.decorations, op::DECORATE, &[glyph, DECORATION_FLAT]);
    let color = m.variable(vec4, CLASS_INPUT, &[DECORATION_LOCATION, COLOR]);
    let out = m.variable(vec4, CLASS_OUTPUT, &[DECORATION_LOCATION, 0]);
    let clear = m.m.constant(float, 0);
    let (none, count) = (m.number(0), m.number(GLYPHS));
    let (width, cell) = (m.number(WIDTH), m.number(WIDTH * HEIGHT));
    m.begin();
    let place = m.m.value(op::LOAD, vec2, &[place]);
    let glyph = m.m.value(op::LOAD, uint, &[glyph]);
    let color = m.m.value(op::LOAD, vec4, &[color]);
    let [x, y] = [(0, WIDTH), (1, HEIGHT)].map(|(lane, edge)| {
        let at = m.m.value(op::COMPOSITE_EXTRACT, float, &[place, lane]);
        let at = m.m.value(op::CONVERT_F_TO_U, uint, &[at]);
        m.least(at, edge - 1)
    });
    let known = m.least(glyph, GLYPHS - 1);
    let row = m.multiply_add(y, width, x);
    let bit = m.multiply_add(known, cell, row);
    let index = m.bits(bit, 5, u32::MAX);
    let word = m.element((uint, 4), DATA, index);
    let shift = m.bits(bit, 0, 31);
    let word = m.m.value(op::SHIFT_RIGHT, uint, &[word, shift]);
    let bit = m.bits(word, 0, 1);
    let set = m.m.value(op::I_NOT_EQUAL, bool_type, &[bit, none]);
    let whole = m.m.value(op::U_GREATER_THAN_EQUAL, bool_type, &[glyph, count]);
    let visible = m.m.value(op::LOGICAL_OR, bool_type, &[set, whole]);
    let [red, green, blue, alpha] = [0, 1, 2, 3].map(|lane| m.m.value(op::COMPOSITE_EXTRACT, float, &[color, lane]));
    let alpha = m.m.value(op::SELECT, float, &[visible, alpha, clear]);
    let color = m.m.value(op::COMPOSITE_CONSTRUCT, vec4, &[red, green, blue, alpha]);
    put(&mut m.m.code, op::STORE, &[out, color]);
    m.finish(MODEL_FRAGMENT)
}

/// The texel of the picture at this pixel, through the gamma of each channel.
pub(crate) fn gamma() -> Vec<u32> {
    let mut m = Module::new();
    let (uint, float, vec2, uvec2, vec4) = (m.uint, m.float, m.vec2, m.uvec2, m.vec4);
    let pixel = m.variable(vec4, CLASS_INPUT, &[DECORATION_BUILT_IN, BUILT_IN_FRAG_COORD]);
    let out = m.variable(vec4, CLASS_OUTPUT, &[DECORATION_LOCATION, 0]);
    let one = m.m.constant(float, 1f32.to_bits());
    m.begin();
    let pixel = m.m.value(op::LOAD, vec4, &[pixel]);
    let pixel = m.m.value(op::VECTOR_SHUFFLE, vec2, &[pixel, pixel, 0, 1]);
    let pixel = m.m.value(op::CONVERT_F_TO_U, uvec2, &[pixel]);
    let origin = m.pushed(uvec2, ORIGIN);
    let at = m.m.value(op::I_SUB, uvec2, &[pixel, origin]);
    let [x, y] = [0, 1].map(|lane| m.m.value(op::COMPOSITE_EXTRACT, uint, &[at, lane]));
    let pitch = m.pushed(uint, PITCH);
    let index = m.multiply_add(y, pitch, x);
    let texel = m.element((uint, 4), DATA, index);
    let [red, green, blue] = [0, 1, 2].map(|channel| {
        let step = m.bits(texel, channel * 8, 0xff);
        let first = m.number(channel * 256);
        let index = m.m.value(op::I_ADD, uint, &[step, first]);
        let value = m.element((uint, 4), GAMMA, index);
        m.m.value(op::BITCAST, float, &[value])
    });
    let color = m.m.value(op::COMPOSITE_CONSTRUCT, vec4, &[red, green, blue, one]);
    put(&mut m.m.code, op::STORE, &[out, color]);
    m.finish(MODEL_FRAGMENT)
}

#[cfg(test)]
mod tests {
    #[test]
    fn modules_are_valid() {
        for module in [super::vertex(), super::glyph(), super::gamma()] {
            crate::judges::judge(&module).unwrap();
        }
    }
}
