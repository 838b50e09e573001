//! Shaders that move samples between images and memory. There the samples lie in words, one sample of all pixels after the
//! other, in rows from the top.

use crate::pipeline::spirv_words::{Words, number, op, put, text};
use crate::transfer::samples::{Part, Push};
use number::*;

/// Pixels of a work group, in both directions.
pub(crate) const GROUP: u32 = 8;

/// Members of [`Push`], by number.
const WORDS: u32 = 0;

const WIDTH: u32 = 1;

const HEIGHT: u32 = 2;

const BIT: u32 = 3;

/// A module with the types that all of them have.
struct Module {
    m: Words,
    main: u32,
    bool_type: u32,
    uint: u32,
    float: u32,
    vec4: u32,
    uvec2: u32,
    uvec3: u32,
    uvec4: u32,
    /// Pointer to an array of words.
    words: u32,
    push: u32,
    interface: Vec<u32>,
}

impl Module {
    fn new() -> Self {
        let mut m = Words::default();
        let main = m.id();
        let bool_type = m.ty(op::TYPE_BOOL, &[]);
        let uint = m.ty(op::TYPE_INT, &[32, 0]);
        let float = m.ty(op::TYPE_FLOAT, &[32]);
        let vec4 = m.ty(op::TYPE_VECTOR, &[float, 4]);
        let [uvec2, uvec3, uvec4] = [2, 3, 4].map(|lanes| m.ty(op::TYPE_VECTOR, &[uint, lanes]));
        let words = m.array_address(uint, 4);
        let block = m.block(&[words, uint, uint, uint], &Push::OFFSETS);
        let push = m.variable(block, CLASS_PUSH_CONSTANT, &[]);
        put(&mut m.head, op::CAPABILITY, &[CAPABILITY_SHADER]);
        put(&mut m.head, op::CAPABILITY, &[CAPABILITY_PHYSICAL_STORAGE]);
        let interface = Vec::new();
        Self { m, main, bool_type, uint, float, vec4, uvec2, uvec3, uvec4, words, push, interface }
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

    /// Pointers to the words of a sample.
    fn places(&mut self, [x, y, sample]: [u32; 3], part: Part) -> Vec<u32> {
        let (width, height) = (self.pushed(self.uint, WIDTH), self.pushed(self.uint, HEIGHT));
        let row = self.multiply_add(sample, height, y);
        let texel = self.multiply_add(row, width, x);
        let array = self.pushed(self.words, WORDS);
        let pointer_type = self.m.ty(op::TYPE_POINTER, &[CLASS_PHYSICAL_STORAGE, self.uint]);
        let (zero, count) = (self.number(0), self.number(part.words()));
        let lanes = 0..part.words();
        lanes
            .map(|lane| {
                let lane = self.number(lane);
                let index = self.multiply_add(texel, count, lane);
                self.m.value(op::ACCESS_CHAIN, pointer_type, &[array, zero, index])
            })
            .collect()
    }

    /// `a * b + c` of words.
    fn multiply_add(&mut self, a: u32, b: u32, c: u32) -> u32 {
        self.m.multiply_add(self.uint, [a, b, c])
    }

    fn finish(mut self, model: u32, modes: &[&[u32]]) -> Vec<u32> {
        put(&mut self.m.code, op::RETURN, &[]);
        put(&mut self.m.code, op::FUNCTION_END, &[]);
        put(&mut self.m.head, op::EXTENSION, &text("SPV_KHR_physical_storage_buffer"));
        put(&mut self.m.head, op::MEMORY_MODEL, &[ADDRESSING_PHYSICAL_STORAGE, 1]);
        let entry = [&[model, self.main], text("main").as_slice(), &self.interface].concat();
        put(&mut self.m.head, op::ENTRY_POINT, &entry);
        for mode in modes {
            put(&mut self.m.head, op::EXECUTION_MODE, &[&[self.main], *mode].concat());
        }
        self.m.finish()
    }
}

/// A compute shader that writes the samples of an image to memory: its third coordinate is the sample.
pub(crate) fn read(part: Part) -> Vec<u32> {
    let mut m = Module::new();
    let (uint, float, uvec2, uvec3, bool_type) = (m.uint, m.float, m.uvec2, m.uvec3, m.bool_type);
    let (ty, texel) = if part == Part::Depth { (float, m.vec4) } else { (uint, m.uvec4) };
    let image_type = m.m.ty(op::TYPE_IMAGE, &[ty, DIM_2D, 0, 0, 1, 1, 0]);
    let image = m.m.variable(image_type, CLASS_UNIFORM_CONSTANT, &[DECORATION_BINDING, 0]);
    put(&mut m.m.decorations, op::DECORATE, &[image, DECORATION_DESCRIPTOR_SET, 0]);
    let id = m.variable(uvec3, CLASS_INPUT, &[DECORATION_BUILT_IN, BUILT_IN_GLOBAL_INVOCATION_ID]);
    m.begin();
    let id = m.m.value(op::LOAD, uvec3, &[id]);
    let [x, y, sample] = [0, 1, 2].map(|lane| m.m.value(op::COMPOSITE_EXTRACT, uint, &[id, lane]));
    let (width, height) = (m.pushed(uint, WIDTH), m.pushed(uint, HEIGHT));
    let beyond =
        [(x, width), (y, height)].map(|(at, edge)| m.m.value(op::U_GREATER_THAN_EQUAL, bool_type, &[at, edge]));
    let beyond = m.m.value(op::LOGICAL_OR, bool_type, &beyond);
    let (inside, end) = (m.m.id(), m.m.id());
    put(&mut m.m.code, op::SELECTION_MERGE, &[end, 0]);
    put(&mut m.m.code, op::BRANCH_CONDITIONAL, &[beyond, end, inside]);
    put(&mut m.m.code, op::LABEL, &[inside]);
    let at = m.m.value(op::COMPOSITE_CONSTRUCT, uvec2, &[x, y]);
    let image = m.m.value(op::LOAD, image_type, &[image]);
    let texel = m.m.value(op::IMAGE_FETCH, texel, &[image, at, OPERAND_SAMPLE, sample]);
    for (lane, place) in (0..).zip(m.places([x, y, sample], part)) {
        let mut word = m.m.value(op::COMPOSITE_EXTRACT, ty, &[texel, lane]);
        if part == Part::Depth {
            word = m.m.value(op::BITCAST, uint, &[word]);
        }
        put(&mut m.m.code, op::STORE, &[place, word, ACCESS_ALIGNED, 4]);
    }
    put(&mut m.m.code, op::BRANCH, &[end]);
    put(&mut m.m.code, op::LABEL, &[end]);
    m.finish(MODEL_COMPUTE, &[&[MODE_LOCAL_SIZE, GROUP, GROUP, 1]])
}

/// A vertex shader of a triangle over everything.
pub(crate) fn vertex() -> Vec<u32> {
    let mut m = Module::new();
    let (uint, float, vec4) = (m.uint, m.float, m.vec4);
    let vertex = m.variable(uint, CLASS_INPUT, &[DECORATION_BUILT_IN, BUILT_IN_VERTEX_INDEX]);
    let position = m.variable(vec4, CLASS_OUTPUT, &[DECORATION_BUILT_IN, BUILT_IN_POSITION]);
    let [zero, one, four] = [0.0f32, 1.0, 4.0].map(|value| m.m.constant(float, value.to_bits()));
    let [first, second] = [0, 1].map(|bit| m.number(bit));
    m.begin();
    let vertex = m.m.value(op::LOAD, uint, &[vertex]);
    let [x, y] = [first, second].map(|bit| {
        let side = m.m.value(op::SHIFT_RIGHT, uint, &[vertex, bit]);
        let side = m.m.value(op::BITWISE_AND, uint, &[side, second]);
        let side = m.m.value(op::CONVERT_U_TO_F, float, &[side]);
        let side = m.m.value(op::F_MUL, float, &[side, four]);
        m.m.value(op::F_SUB, float, &[side, one])
    });
    let clip = m.m.value(op::COMPOSITE_CONSTRUCT, vec4, &[x, y, zero, one]);
    put(&mut m.m.code, op::STORE, &[position, clip]);
    m.finish(MODEL_VERTEX, &[])
}

/// A pixel shader that runs for each sample, and gives what memory has for it. For stencil it says only which samples have the
/// bit that is being written.
pub(crate) fn write(part: Part) -> Vec<u32> {
    let mut m = Module::new();
    put(&mut m.m.head, op::CAPABILITY, &[CAPABILITY_SAMPLE_RATE_SHADING]);
    let (uint, float, vec4, uvec4, bool_type) = (m.uint, m.float, m.vec4, m.uvec4, m.bool_type);
    let pixel = m.variable(vec4, CLASS_INPUT, &[DECORATION_BUILT_IN, BUILT_IN_FRAG_COORD]);
    let sample = m.variable(uint, CLASS_INPUT, &[DECORATION_BUILT_IN, BUILT_IN_SAMPLE_ID]);
    put(&mut m.m.decorations, op::DECORATE, &[sample, DECORATION_FLAT]);
    let out = match part {
        Part::Color(_) => m.variable(uvec4, CLASS_OUTPUT, &[DECORATION_LOCATION, 0]),
        Part::Depth => m.variable(float, CLASS_OUTPUT, &[DECORATION_BUILT_IN, BUILT_IN_FRAG_DEPTH]),
        Part::Stencil => 0,
    };
    m.begin();
    let pixel = m.m.value(op::LOAD, vec4, &[pixel]);
    let [x, y] = [0, 1].map(|lane| {
        let at = m.m.value(op::COMPOSITE_EXTRACT, float, &[pixel, lane]);
        m.m.value(op::CONVERT_F_TO_U, uint, &[at])
    });
    let sample = m.m.value(op::LOAD, uint, &[sample]);
    let places = m.places([x, y, sample], part);
    let mut words: Vec<u32> =
        places.into_iter().map(|place| m.m.value(op::LOAD, uint, &[place, ACCESS_ALIGNED, 4])).collect();
    match part {
        Part::Color(_) => {
            let zero = m.number(0);
            words.resize(4, zero);
            let color = m.m.value(op::COMPOSITE_CONSTRUCT, uvec4, &words);
            put(&mut m.m.code, op::STORE, &[out, color]);
            m.finish(MODEL_FRAGMENT, &[&[MODE_ORIGIN_UPPER_LEFT]])
        }
        Part::Depth => {
            let depth = m.m.value(op::BITCAST, float, &[words[0]]);
            put(&mut m.m.code, op::STORE, &[out, depth]);
            m.finish(MODEL_FRAGMENT, &[&[MODE_ORIGIN_UPPER_LEFT], &[MODE_DEPTH_REPLACING]])
        }
        Part::Stencil => {
            let (bit, zero) = (m.pushed(uint, BIT), m.number(0));
            let bit = m.m.value(op::BITWISE_AND, uint, &[words[0], bit]);
            let set = m.m.value(op::I_NOT_EQUAL, bool_type, &[bit, zero]);
            let (kill, end) = (m.m.id(), m.m.id());
            put(&mut m.m.code, op::SELECTION_MERGE, &[end, 0]);
            put(&mut m.m.code, op::BRANCH_CONDITIONAL, &[set, end, kill]);
            put(&mut m.m.code, op::LABEL, &[kill]);
            put(&mut m.m.code, op::KILL, &[]);
            put(&mut m.m.code, op::LABEL, &[end]);
            m.finish(MODEL_FRAGMENT, &[&[MODE_ORIGIN_UPPER_LEFT]])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_valid() {
        crate::judges::judge(&vertex()).unwrap();
        for part in [Part::Color(1), Part::Color(2), Part::Color(4), Part::Depth, Part::Stencil] {
            crate::judges::judge(&read(part)).unwrap();
            crate::judges::judge(&write(part)).unwrap();
        }
    }
}
