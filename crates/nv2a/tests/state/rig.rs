//! Streams of register writes and draws, and somebody who draws them.

use afterimage_nv2a::machine::{Attributes, Graphics, Kelvin, Part, Primitive, PrimitiveKind};
use afterimage_nv2a::memory::{DmaClass, DmaObject, DmaTarget, Ram};
use afterimage_nv2a::translate::Translator;
use afterimage_nv2a_types::enumerations::ENUMERATIONS;
use afterimage_nv2a_types::methods::METHODS;
use afterimage_nv2a_types::{Format, Method, What, method};
use afterimage_shader_nv2a::Program;
use afterimage_state::State;
use afterimage_stream::{DeviceInfo, Effective, observer};
use proptest::prelude::*;
#[cfg(debug_assertions)]
use proptest::{
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use std::sync::{Arc, Mutex};

/// A step of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// A write to a method.
    Set(u16, u32),
    /// A word of program memory of its first slots.
    Program(usize, u32),
    /// A constant.
    Constant(usize, u32),
    /// Another DMA object for textures: A or B, and its size in MiB; none for 0.
    Object(bool, u32),
    /// A primitive of so many vertices, by its number.
    Draw(u8),
}

pub(crate) struct Rig {
    pub(crate) kelvin: Kelvin,
    memory: Ram,
    graphics: Translator,
    draws: Arc<Mutex<Vec<Effective>>>,
}

fn object(mib: u32) -> Option<DmaObject> {
    let limit = (mib << 20).checked_sub(1)?;
    Some(DmaObject { class: DmaClass::ReadWrite, target: DmaTarget::Nvm, address: 0, limit })
}

/// What every stream begins with: surfaces and a program.
const START: &[(u16, u32)] = &[
    (method::SET_COLOR_MASK, 0x0101_0101),
    (method::SET_SURFACE_FORMAT, 0x128),
    (method::SET_SURFACE_CLIP_HORIZONTAL, 64 << 16),
    (method::SET_SURFACE_CLIP_VERTICAL, 64 << 16),
    (method::SET_SURFACE_PITCH, 256 << 16 | 256),
    (method::SET_SURFACE_ZETA_OFFSET, 0x10_0000),
    (method::SET_FRONT_POLYGON_MODE, 0x1B02),
    (method::SET_BACK_POLYGON_MODE, 0x1B02),
    (method::SET_CLIP_MAX, 0x4B7F_FFFF),
    (method::SET_SHADE_MODEL, 0x1D01),
];

impl Rig {
    pub(crate) fn new() -> Self {
        let (link, draws) = observer(DeviceInfo::default());
        let mut kelvin = Kelvin::default();
        (kelvin.dma.color, kelvin.dma.zeta) = (object(4), object(4));
        (kelvin.dma.a, kelvin.dma.b) = (object(4), object(4));
        for (slot, words) in Program::pass_through().words().enumerate() {
            (0..4).for_each(|word| kelvin.registers.set_program(slot, word, words[word]));
        }
        START.iter().for_each(|(method, value)| kelvin.registers.set(*method, *value));
        Self { kelvin, memory: Ram::new(4 << 20), graphics: Translator::new(link, "state"), draws }
    }

    /// Does what a stream says, and returns what each draw was drawn with. `all`: with everything dirty at each.
    pub(crate) fn run(&mut self, ops: &[Op], all: bool) -> Vec<Effective> {
        for op in ops {
            let registers = &mut self.kelvin.registers;
            match *op {
                Op::Set(method, value) => registers.set(method, value),
                Op::Program(word, value) => registers.set_program(word / 4, word % 4, value),
                Op::Constant(word, value) => registers.set_constant(word / 4, word % 4, value),
                Op::Object(b, mib) => self.bind(b, mib),
                Op::Draw(kind) => {
                    if all {
                        registers.tracker.mark_all();
                    }
                    self.draw(kind);
                }
            }
        }
        self.graphics.flush();
        std::mem::take(&mut *self.draws.lock().expect("no panic elsewhere"))
    }

    /// As the machine does it.
    fn bind(&mut self, b: bool, mib: u32) {
        let (place, method) = match b {
            false => (&mut self.kelvin.dma.a, method::SET_CONTEXT_DMA_A),
            true => (&mut self.kelvin.dma.b, method::SET_CONTEXT_DMA_B),
        };
        self.kelvin.registers.tracker.write(State::of(u32::from(method / 4)), place, object(mib));
    }

    fn draw(&mut self, kind: u8) {
        let kind = [
            PrimitiveKind::Points,
            PrimitiveKind::Lines,
            PrimitiveKind::LineLoop,
            PrimitiveKind::LineStrip,
            PrimitiveKind::Triangles,
            PrimitiveKind::TriangleStrip,
            PrimitiveKind::TriangleFan,
            PrimitiveKind::Quads,
            PrimitiveKind::QuadStrip,
            PrimitiveKind::Polygon,
        ][usize::from(kind) % 10];
        let corner = |x: f32, y: f32| {
            let mut attributes = Attributes::default();
            attributes[0] = [x, y, 0.5, 1.0];
            attributes
        };
        let corners = vec![corner(4.0, 4.0), corner(40.0, 8.0), corner(44.0, 50.0), corner(6.0, 44.0)];
        let primitive = Primitive { kind, parts: vec![Part::Immediate(corners)] };
        self.graphics.draw(&mut self.kelvin, &mut self.memory, &primitive);
    }
}

/// Words that a method's argument may be: what the hardware takes, and now and then anything.
fn argument(row: &'static Method) -> BoxedStrategy<u32> {
    let known: Vec<u32> = match row.offset {
        method::SET_SURFACE_FORMAT => vec![0x128, 0x123, 0x1128, 0x2128, 0x118, 0x129],
        method::SET_TEXTURE_FORMAT => {
            vec![0x0552_0629, 0x0552_0129, 0x0662_0629, 0x0552_0B2A, 0x0552_122D, 0x0011_2429, 0x0001_2E29, 0x0001_3029]
        }
        method::SET_TEXTURE_CONTROL0 => vec![0x4003_FFC0, 0x4003_FFC5, 0x4003_FFC6, 0x4003_FFF0, 0],
        method::SET_TEXTURE_IMAGE_RECT => vec![0x0020_0020, 0x0010_0040],
        method::SET_TEXTURE_CONTROL1 => vec![0x0080_0000, 0x0100_0000],
        method::SET_TEXTURE_OFFSET => vec![0x20_0000, 0x28_0000],
        method::SET_TEXTURE_PALETTE => vec![0x30_0000, 0x30_0001],
        method::SET_TEXTURE_ADDRESS => vec![0x0001_0101, 0x0003_0303, 0x0004_0404],
        method::SET_TRANSFORM_EXECUTION_MODE => vec![4, 6],
        method::SET_TRANSFORM_PROGRAM_START => vec![0, 1],
        method::SET_SHADER_STAGE_PROGRAM => vec![0x21, 0x0841, 0x1_8C63, 0x3_18C7, 0x19, 0x021],
        method::SET_COMBINER_CONTROL => vec![1, 2, 8, 0x1101],
        method::SET_CONTROL0 => vec![0x0010_0001, 0x0011_0001, 0x1010_0000, 0x0010_1001],
        method::SET_COLOR_MASK => vec![0x0101_0101, 0x0001_0100],
        method::SET_LINE_WIDTH | method::SET_POINT_SIZE => vec![8, 40],
        method::SET_LIGHT_ENABLE_MASK => vec![0, 1, 2, 3, 0xFFFF],
        method::SET_TEXGEN_S | method::SET_TEXGEN_T | method::SET_TEXGEN_R => {
            vec![0, 0x2400, 0x2401, 0x2402, 0x8511, 0x8512]
        }
        method::SET_FOG_MODE => vec![0x2601, 0x800, 0x801, 0x802, 0x803, 0x804],
        method::SET_ANTI_ALIASING_CONTROL => vec![0, 1, 0xFFFF_0000],
        _ => {
            let table = ENUMERATIONS.iter().find(|table| table.methods.contains(&row.offset));
            match (table, row.format) {
                (Some(table), _) => table.values.iter().map(|(value, _)| *value).collect(),
                (None, Format::Bool) => vec![0, 1],
                (None, Format::Float) => [0.0f32, 0.25, 1.0, 7.5, -2.0].map(f32::to_bits).to_vec(),
                (None, _) => vec![],
            }
        }
    };
    if known.is_empty() {
        prop_oneof![3 => 0..4u32, 1 => any::<u32>()].boxed()
    } else {
        prop_oneof![9 => proptest::sample::select(known), 1 => any::<u32>()].boxed()
    }
}

/// A write to a state.
fn write() -> impl Strategy<Value = Op> {
    let rows: Vec<&'static Method> = METHODS
        .iter()
        .filter(|row| matches!(row.what, What::State(_)) && row.offset >= 0x200)
        .chain(METHODS.iter().filter(|row| row.offset == method::SET_SURFACE_FORMAT))
        .collect();
    proptest::sample::select(rows).prop_flat_map(|row| {
        let place = (0..row.count, 0..row.words);
        (place, argument(row))
            .prop_map(|((instance, word), value)| Op::Set(row.offset + instance * row.stride + word * 4, value))
    })
}

/// Streams that are likely to draw something.
pub(crate) fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        24 => write(),
        1 => (0..16usize, any::<u32>()).prop_map(|(word, value)| Op::Program(word, value)),
        1 => (0..768usize, any::<u32>()).prop_map(|(word, value)| Op::Constant(word, value)),
        1 => (any::<bool>(), 0..5u32).prop_map(|(b, mib)| Op::Object(b, mib)),
        6 => (0..10u8).prop_map(Op::Draw),
    ];
    proptest::collection::vec(op, 1..120)
}

/// A fixed set of streams with long beginnings, in which every state is read by whatever reads it.
#[cfg(debug_assertions)]
pub(crate) fn streams() -> Vec<Vec<Op>> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let beginning = proptest::collection::vec(write(), 900);
    (0..160)
        .map(|_| {
            let mut stream = beginning.new_tree(&mut runner).expect("a stream").current();
            stream.extend([Op::Draw(5), Op::Draw(0), Op::Draw(1)]);
            stream.extend(ops().new_tree(&mut runner).expect("a stream").current());
            stream
        })
        .collect()
}
