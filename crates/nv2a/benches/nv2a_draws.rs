//! What the translation of draws costs, with a receiver that takes batches and does nothing; then what draws cost complete, with a
//! renderer on a thread of its own, until the device has drawn them and the picture is in the console's memory.

use afterimage_bench::Bench;
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_nv2a::machine::{Attributes, Graphics, Kelvin, Part, Primitive, PrimitiveKind};
use afterimage_nv2a::memory::{DmaClass, DmaObject, DmaTarget, GuestMemory, Ram};
use afterimage_nv2a::translate::Translator;
use afterimage_nv2a_types::method;
use afterimage_shader_nv2a::Program;
use afterimage_stream::{DeviceInfo, Link, NullLink};
use afterimage_vulkan::{Options, Renderer};

const VERTICES: u32 = 0x20_0000;
/// Bytes of a vertex: position of three floats, normal of three, diffuse in Direct3D's order, two texture coordinates.
const STRIDE: u32 = 36;
/// Vertices of the large draws.
const MANY: u32 = 100_000;
/// Small draws of one sample.
const DRAWS: usize = 1000;
/// Where is drawn to.
const COLOR: u32 = 0x80_0000;
/// Width and height of it where draws are complete: what is read back of it costs nothing.
const SMALL: u32 = 64;

/// A console that draws, its vertices being these bytes.
fn console(link: Box<dyn Link>, [width, height]: [u32; 2], vertices: &[u8]) -> (Translator, Ram, Kelvin) {
    let graphics = Translator::new(link, "bench");
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
        (method::SET_SURFACE_COLOR_OFFSET, COLOR),
        (method::SET_SURFACE_CLIP_HORIZONTAL, width << 16),
        (method::SET_SURFACE_CLIP_VERTICAL, height << 16),
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
    memory.write(VERTICES, vertices).expect("inside of memory");
    (graphics, memory, kelvin)
}

/// Small draws, without changes and with new constants.
fn small_draws(
    bench: &mut Bench,
    kind: &str,
    mut run: impl FnMut(&mut dyn FnMut(&mut Translator, &mut Ram, &mut Kelvin)),
) {
    let small = Primitive { kind: PrimitiveKind::Quads, parts: vec![Part::Arrays { first: 0, count: 4 }] };
    bench.case(&format!("draws of four vertices{kind}"), DRAWS, || {
        run(&mut |graphics, memory, kelvin| (0..DRAWS).for_each(|_| graphics.draw(kelvin, memory, &small)));
    });
    bench.case(&format!("draws with a new constant and combiner factor{kind}"), DRAWS, || {
        run(&mut |graphics, memory, kelvin| {
            for i in 0..DRAWS as u32 {
                kelvin.registers.set_constant(100, 0, i);
                kelvin.registers.set(method::SET_COMBINER_FACTOR0, i);
                graphics.draw(kelvin, memory, &small);
            }
        });
    });
}

/// The same until the picture is in memory.
fn complete(bench: &mut Bench) {
    let mut renderer = match Renderer::new(Options { remember: false, ..Options::from_env() }) {
        Ok(renderer) => renderer,
        Err(error) => return println!("skipped: complete draws: {error}"),
    };
    println!("complete draws: {}", renderer.device_info().name());
    let slots = Box::new(renderer.slot_factory());
    let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
    let rendering = std::thread::spawn(move || in_process::serve(&mut receiver, &mut renderer));
    let (mut graphics, mut memory, mut kelvin) = console(Box::new(link), [SMALL; 2], &[0; 4 * STRIDE as usize]);
    bench.new_baseline();
    small_draws(bench, ", complete", |draws| {
        draws(&mut graphics, &mut memory, &mut kelvin);
        graphics.write_back(&mut memory, COLOR, 4);
    });
    drop(graphics);
    rendering.join().expect("the render thread ends well");
}

fn main() {
    let bytes: Vec<u8> = (0..MANY * STRIDE).map(|i| (i % 251) as u8).collect();
    let link = NullLink::new(DeviceInfo::default());
    let (mut graphics, mut memory, mut kelvin) = console(Box::new(link), [640, 480], &bytes);
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

    small_draws(&mut bench, "", |draws| draws(&mut graphics, &mut memory, &mut kelvin));
    complete(&mut bench);
    bench.finish().expect("the file of figures");
}
