//! What the translation of draws costs, with a receiver that takes batches and does nothing.

use afterimage_bench::Bench;
use afterimage_nv2a::machine::{Attributes, Graphics, Kelvin, Part, Primitive, PrimitiveKind};
use afterimage_nv2a::memory::{DmaClass, DmaObject, DmaTarget, GuestMemory, Ram};
use afterimage_nv2a::translate::Translator;
use afterimage_nv2a_types::method;
use afterimage_shader_nv2a::Program;
use afterimage_stream::{DeviceInfo, NullLink};

const VERTICES: u32 = 0x20_0000;
/// Bytes of a vertex: position of three floats, normal of three, diffuse in Direct3D's order, two texture coordinates.
const STRIDE: u32 = 36;
/// Vertices of the large draws.
const MANY: u32 = 100_000;
/// Small draws of one sample.
const DRAWS: usize = 1000;

fn main() {
    let link = NullLink::new(DeviceInfo::default());
    let mut graphics = Translator::new(Box::new(link), "bench");
    let mut memory = Ram::new(16 << 20);
    let mut kelvin = Kelvin::default();
    let limit = memory.size() - 1;
    let all = DmaObject { class: DmaClass::ReadWrite, target: DmaTarget::Nvm, address: 0, limit };
    (kelvin.dma.color, kelvin.dma.zeta, kelvin.dma.vertex_a) = (Some(all), Some(all), Some(all));
    for (slot, words) in Program::pass_through().words().enumerate() {
        (0..4).for_each(|word| kelvin.registers.set_program(slot, word, words[word]));
    }
    for (at, value) in [
        (method::SET_TRANSFORM_EXECUTION_MODE, 6),
        (method::SET_COLOR_MASK, 0x0101_0101),
        (method::SET_SURFACE_FORMAT, 0x128),
        (method::SET_SURFACE_CLIP_HORIZONTAL, 640 << 16),
        (method::SET_SURFACE_CLIP_VERTICAL, 480 << 16),
        (method::SET_SURFACE_PITCH, 2560 << 16 | 2560),
        (method::SET_FRONT_POLYGON_MODE, 0x1B02),
        (method::SET_BACK_POLYGON_MODE, 0x1B02),
    ] {
        kelvin.registers.set(at, value);
    }
    for (slot, offset, format) in [(0, 0, 3 << 4 | 2), (2, 12, 3 << 4 | 2), (3, 24, 4 << 4), (9, 28, 2 << 4 | 2)] {
        kelvin.registers.set(method::SET_VERTEX_DATA_ARRAY_OFFSET + 4 * slot, VERTICES + offset);
        kelvin.registers.set(method::SET_VERTEX_DATA_ARRAY_FORMAT + 4 * slot, STRIDE << 8 | format);
    }
    let bytes: Vec<u8> = (0..MANY * STRIDE).map(|i| (i % 251) as u8).collect();
    memory.write(VERTICES, &bytes).expect("inside of memory");

    let mut bench = Bench::new("nv2a_draws");
    let mut copy = vec![0; bytes.len()];
    bench.case("vertices copied", MANY as usize, || copy.copy_from_slice(&bytes));
    let mut large = |name: &str, kind, part| {
        let primitive = Primitive { kind, parts: vec![part] };
        bench.case(name, MANY as usize, || graphics.draw(&mut kelvin, &mut memory, &primitive));
    };
    let elements = (0..MANY).map(|i| i ^ 1).collect();
    large("vertices of arrays", PrimitiveKind::TriangleStrip, Part::Arrays { first: 0, count: MANY });
    large("vertices by elements", PrimitiveKind::Triangles, Part::Elements(elements));
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    large("vertices inline", PrimitiveKind::Quads, Part::Inline(words));
    let immediate = vec![Attributes::default(); MANY as usize];
    large("vertices immediate", PrimitiveKind::Triangles, Part::Immediate(immediate));

    let small = Primitive { kind: PrimitiveKind::Quads, parts: vec![Part::Arrays { first: 0, count: 4 }] };
    bench.case("draws of four vertices", DRAWS, || {
        for _ in 0..DRAWS {
            graphics.draw(&mut kelvin, &mut memory, &small);
        }
    });
    bench.case("draws with a new constant and combiner factor", DRAWS, || {
        for i in 0..DRAWS as u32 {
            kelvin.registers.set_constant(100, 0, i);
            kelvin.registers.set(method::SET_COMBINER_FACTOR0, i);
            graphics.draw(&mut kelvin, &mut memory, &small);
        }
    });
    bench.finish().expect("the file of figures");
}
