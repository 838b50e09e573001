//! The methods that each call of the driver emits, as the wiki of Cxbx-Reloaded lists them (`docs/sources/nv2a.md#direct3d-calls`),
//! and the words they carry.

use afterimage_nv2a::driver::patch::{Basis, Order, RectPatch};
use afterimage_nv2a::driver::*;
use afterimage_nv2a::machine::PrimitiveKind;
use afterimage_nv2a::memory::{GuestMemory, Ram};
use afterimage_nv2a_types::{method, methods};
use std::rc::Rc;

const RING: u32 = 0x10_0000;
const VERTICES: u32 = 0x20_0000;
const RECORDED: u32 = 0x30_0000;

/// Follows the ring as the pusher does, and keeps packets as method and arguments.
struct Pusher {
    ram: Ram,
    get: u32,
    back: Option<u32>,
    packets: Vec<(u16, bool, Vec<u32>)>,
}

impl Channel for Pusher {
    fn memory(&mut self) -> &mut dyn GuestMemory {
        &mut self.ram
    }

    fn kick(&mut self, put: u32) -> Result<(), DriverError> {
        let take = |get: &mut u32| {
            *get += 4;
            self.ram.word(*get - 4).expect("inside of memory")
        };
        while self.get != put {
            let word = take(&mut self.get);
            match word & 3 {
                1 => self.get = word & !3,
                2 => (self.back, self.get) = (Some(self.get), word & !3),
                _ if word == 0x0002_0000 => self.get = self.back.take().expect("a call before"),
                _ => {
                    let count = word >> 18 & 0x7FF;
                    let arguments = (0..count).map(|_| take(&mut self.get)).collect();
                    self.packets.push(((word & 0x1FFC) as u16, word & 0x4000_0000 != 0, arguments));
                }
            }
        }
        Ok(())
    }
}

fn start() -> (Device, Pusher) {
    let mut device = Device::new(RING, 64 * 1024).unwrap();
    let mut pusher = Pusher { ram: Ram::new(Ram::XBOX), get: device.ring_start(), back: None, packets: Vec::new() };
    let position = Element { attribute: 0, stream: 0, offset: 0, ty: ElementType::Float3 };
    let color = Element { attribute: 3, stream: 0, offset: 12, ty: ElementType::Color };
    let declaration = Rc::new(Declaration::new(&[color, position]).unwrap());
    device.set_vertex_shader(&VertexShader::new(declaration, None).unwrap());
    device.set_stream_source(0, StreamSource { address: VERTICES, stride: 16 }).unwrap();
    // The deferred states go with the first draw.
    device.draw_vertices(PrimitiveKind::Points, 0, 1).unwrap();
    device.set_stream_source(0, StreamSource { address: VERTICES + 16, stride: 16 }).unwrap();
    device.kick(&mut pusher).unwrap();
    pusher.packets.clear();
    (device, pusher)
}

/// What a call emits, by name.
fn emitted(device: &mut Device, pusher: &mut Pusher) -> Vec<(&'static str, Vec<u32>)> {
    device.kick(pusher).unwrap();
    let name = |offset| methods::row_of(offset).map_or("?", |row| row.name);
    pusher.packets.drain(..).map(|(offset, _, arguments)| (name(offset), arguments)).collect()
}

fn names(packets: &[(&'static str, Vec<u32>)]) -> Vec<&'static str> {
    packets.iter().map(|(name, _)| *name).collect()
}

/// Two vertices: position and colour.
fn user_vertices() -> Vec<u8> {
    let vertex = |x: f32, color: u32| [x.to_bits(), 0, 0, color].map(u32::to_le_bytes).concat();
    [vertex(1.0, 0xFF11_2233), vertex(2.0, 0xFF44_5566)].concat()
}

#[test]
fn draw_vertices_sends_arrays_and_ranges() {
    let (mut device, mut pusher) = start();
    device.draw_vertices(PrimitiveKind::Triangles, 10, 600).unwrap();
    let packets = emitted(&mut device, &mut pusher);
    assert_eq!(
        names(&packets),
        [
            "SET_VERTEX_DATA_ARRAY_FORMAT",
            "SET_VERTEX_DATA_ARRAY_OFFSET",
            "SET_BEGIN_END",
            "DRAW_ARRAYS",
            "SET_BEGIN_END"
        ]
    );
    assert_eq!((packets[0].1[0], packets[0].1[3], packets[0].1[1]), (16 << 8 | 0x32, 16 << 8 | 0x40, 0x02));
    assert_eq!((packets[1].1[0], packets[1].1[3]), (VERTICES + 16, VERTICES + 28));
    assert_eq!(packets[3].1, [255 << 24 | 10, 255 << 24 | 266, 87 << 24 | 522]);
    device.draw_vertices(PrimitiveKind::Triangles, 0, 3).unwrap();
    let again = emitted(&mut device, &mut pusher);
    assert_eq!(names(&again), ["SET_BEGIN_END", "DRAW_ARRAYS", "SET_BEGIN_END"], "equal arrays are not sent again");
}

#[test]
fn draw_vertices_up_sends_formats_and_vertices() {
    let (mut device, mut pusher) = start();
    device.draw_vertices_up(PrimitiveKind::Lines, 2, &user_vertices(), 16).unwrap();
    let packets = emitted(&mut device, &mut pusher);
    assert_eq!(names(&packets), ["SET_VERTEX_DATA_ARRAY_FORMAT", "SET_BEGIN_END", "INLINE_ARRAY", "SET_BEGIN_END"]);
    assert_eq!(packets[2].1, [0x3F80_0000, 0, 0, 0xFF11_2233, 0x4000_0000, 0, 0, 0xFF44_5566]);
    let short = device.draw_vertices_up(PrimitiveKind::Lines, 3, &user_vertices(), 16);
    assert_eq!(short, Err(DriverError::UserData { vertex: 2, bytes: 32 }));
    let endless = device.draw_vertices_up(PrimitiveKind::Points, u32::MAX, &user_vertices(), 0);
    assert_eq!(endless, Err(DriverError::TooMany { count: u32::MAX }));
    let wide = device.draw_vertices_up(PrimitiveKind::Points, 1, &user_vertices(), 1 << 24);
    assert_eq!(wide, Err(DriverError::Stream { stream: 0, stride: 1 << 24 }));
}

#[test]
fn draw_indexed_vertices_sends_pairs_and_an_odd_one() {
    let (mut device, mut pusher) = start();
    device.set_indices(0, 5);
    device.draw_indexed_vertices(PrimitiveKind::Triangles, &[0, 1, 2]).unwrap();
    let packets = emitted(&mut device, &mut pusher);
    assert_eq!(
        names(&packets),
        [
            "SET_VERTEX_DATA_ARRAY_FORMAT",
            "SET_VERTEX_DATA_ARRAY_OFFSET",
            "SET_BEGIN_END",
            "ARRAY_ELEMENT16",
            "ARRAY_ELEMENT32",
            "SET_BEGIN_END"
        ]
    );
    assert_eq!(packets[1].1[0], VERTICES + 16 + 5 * 16, "the index base moves the arrays");
    assert_eq!((&packets[3].1[..], &packets[4].1[..]), (&[0x0001_0000][..], &[2][..]));
    device.draw_vertices(PrimitiveKind::Points, 0, 1).unwrap();
    let plain = emitted(&mut device, &mut pusher);
    assert_eq!(plain[1].1[0], VERTICES + 16, "and only those of indexed draws");
}

#[test]
fn draw_indexed_vertices_up_gathers() {
    let (mut device, mut pusher) = start();
    device.set_indices(0, 5);
    device.draw_indexed_vertices_up(PrimitiveKind::Lines, &[1, 0], &user_vertices(), 16).unwrap();
    let packets = emitted(&mut device, &mut pusher);
    assert_eq!(names(&packets), ["SET_VERTEX_DATA_ARRAY_FORMAT", "SET_BEGIN_END", "INLINE_ARRAY", "SET_BEGIN_END"]);
    assert_eq!(packets[2].1[..4], [0x4000_0000, 0, 0, 0xFF44_5566]);
}

#[test]
fn the_compatibility_forms_read_indices_from_memory() {
    let (mut device, mut pusher) = start();
    pusher.ram.write(0x40_0000, &[9, 0, 1, 0, 2, 0, 3, 0]).unwrap();
    device.set_indices(0x40_0000, 0);
    device.draw_indexed_primitive(PrimitiveKind::Triangles, 1, 1, &mut pusher).unwrap();
    let packets = emitted(&mut device, &mut pusher);
    assert_eq!((&packets[3].1[..], &packets[4].1[..]), (&[0x0002_0001][..], &[3][..]));
    device.set_indices(u32::MAX - 8, 0);
    assert!(device.draw_indexed_primitive(PrimitiveKind::Points, 0, 64, &mut pusher).is_err());
}

#[test]
fn draw_indexed_primitive_up_takes_as_many_indices_as_its_primitives_have() {
    let (mut device, mut pusher) = start();
    device.draw_indexed_primitive_up(PrimitiveKind::Lines, 1, &[1, 0, 7], &user_vertices(), 16).unwrap();
    let packets = emitted(&mut device, &mut pusher);
    assert_eq!(names(&packets), ["SET_VERTEX_DATA_ARRAY_FORMAT", "SET_BEGIN_END", "INLINE_ARRAY", "SET_BEGIN_END"]);
    assert_eq!((packets[2].1.len(), packets[2].1[0]), (8, 0x4000_0000), "two vertices of four words");
    let few = device.draw_indexed_primitive_up(PrimitiveKind::Lines, 2, &[1, 0, 1], &user_vertices(), 16);
    assert!(few.is_err(), "an index is missing");
    assert!(device.draw_indexed_primitive_up(PrimitiveKind::Lines, u32::MAX, &[1], &user_vertices(), 16).is_err());
}

#[test]
fn immediate_vertices_are_data_between_begin_and_end() {
    let (mut device, mut pusher) = start();
    device.begin_immediate(PrimitiveKind::Points).unwrap();
    device.set_vertex_data_color(3, 0xFF11_2233).unwrap();
    device.set_vertex_data_2s(9, [1, -1]).unwrap();
    device.set_vertex_data_4s(10, [1, 2, 3, 4]).unwrap();
    device.set_vertex_data_2f(11, [0.5, 1.0]).unwrap();
    device.set_vertex_data_4f(VERTEX, [1.0, 2.0, 3.0, 1.0]).unwrap();
    assert_eq!(device.draw_vertices(PrimitiveKind::Points, 0, 1), Err(DriverError::Immediate { begun: true }));
    device.end_immediate().unwrap();
    let packets = emitted(&mut device, &mut pusher);
    assert_eq!(
        names(&packets),
        [
            "SET_BEGIN_END",
            "SET_VERTEX_DATA4UB",
            "SET_VERTEX_DATA2S",
            "SET_VERTEX_DATA4S_M",
            "SET_VERTEX_DATA2F_M",
            "SET_VERTEX_DATA4F_M",
            "SET_BEGIN_END"
        ]
    );
    assert_eq!(packets[1].1, [0xFF33_2211], "red is the lowest byte");
    assert_eq!(packets[2].1, [0xFFFF_0001]);
    assert_eq!(packets[3].1, [0x0002_0001, 0x0004_0003]);
    assert_eq!(device.set_vertex_data_2f(16, [0.0; 2]), Err(DriverError::Register { register: 16 }));
    assert_eq!(device.end_immediate(), Err(DriverError::Immediate { begun: false }));
}

#[test]
fn patches_are_strips_and_are_kept_by_handle() {
    let (mut device, mut pusher) = start();
    for index in 0..4u32 {
        let place = [(index % 2) as f32, (index / 2) as f32, 0.0].map(f32::to_le_bytes).concat();
        pusher.ram.write(VERTICES + 16 + index * 16, &[&place[..], &[0; 4]].concat()).unwrap();
    }
    let patch = RectPatch {
        first_column: 0,
        first_row: 0,
        width: 2,
        height: 2,
        stride: 2,
        basis: Basis::Bezier,
        order: Order::Linear,
    };
    device.draw_rect_patch(7, [2.0, 1.0, 2.0, 1.0], Some(&patch), &mut pusher).unwrap();
    let first = emitted(&mut device, &mut pusher);
    assert_eq!(names(&first), ["SET_VERTEX_DATA_ARRAY_FORMAT", "SET_BEGIN_END", "INLINE_ARRAY", "SET_BEGIN_END"]);
    // Two segments: three columns of two vertices of two attributes of four floats; the third column is at (1, 0).
    assert_eq!(first[2].1.len(), 6 * 8);
    assert_eq!(f32::from_bits(first[2].1[4 * 8]), 1.0);
    assert_eq!(f32::from_bits(first[2].1[2 * 8]), 0.5);
    device.draw_rect_patch(7, [1.0; 4], None, &mut pusher).unwrap();
    assert_eq!(emitted(&mut device, &mut pusher), first, "the handle draws what was kept");
    device.delete_patch(7);
    assert!(matches!(device.draw_rect_patch(7, [1.0; 4], None, &mut pusher), Err(DriverError::Patch(_))));
    let ragged = RectPatch { width: 3, order: Order::Cubic, ..patch };
    assert!(matches!(device.draw_rect_patch(0, [1.0; 4], Some(&ragged), &mut pusher), Err(DriverError::Patch(_))));
    let no_number = device.draw_rect_patch(0, [f32::NAN, 1.0, f32::NAN, 1.0], Some(&patch), &mut pusher);
    assert_eq!(no_number, Ok(()), "what is no number is one segment");
    let large = RectPatch { width: 33, height: 33, ..patch };
    assert!(matches!(device.draw_rect_patch(0, [256.0; 4], Some(&large), &mut pusher), Err(DriverError::Patch(_))));
}

#[test]
fn a_recording_runs_with_its_fixups() {
    let (mut device, mut pusher) = start();
    let mut buffer = PushBuffer::new(RECORDED, 4096).unwrap();
    device.begin_push_buffer().unwrap();
    let offset = device.push_buffer_offset().unwrap();
    device.set_render_state(RenderState::AlphaRef, 0x10);
    device.draw_vertices_up(PrimitiveKind::Points, 1, &user_vertices(), 16).unwrap();
    device.end_push_buffer(&mut buffer).unwrap();
    assert!(emitted(&mut device, &mut pusher).is_empty(), "recording runs nothing");

    let run = |device: &mut Device, pusher: &mut Pusher, buffer: &mut PushBuffer, fixup: &Fixup| {
        device.run_push_buffer(buffer, fixup, pusher).unwrap();
        let packets = emitted(device, pusher);
        packets.iter().find(|(name, _)| *name == "SET_ALPHA_REF").map(|(_, words)| words[0])
    };
    assert_eq!(run(&mut device, &mut pusher, &mut buffer, &Fixup::new()), Some(0x10));
    let mut fixup = Fixup::new();
    fixup.arguments(offset, 0, &[0x77]);
    assert_eq!(run(&mut device, &mut pusher, &mut buffer, &fixup), Some(0x77));
    assert_eq!(run(&mut device, &mut pusher, &mut buffer, &Fixup::new()), Some(0x10), "a fixup is for one run");
    let mut header = Fixup::new();
    header.arguments(offset, 1, &[0]);
    let refused = device.run_push_buffer(&mut buffer, &header, &mut pusher);
    assert_eq!(refused, Err(DriverError::Fixup { offset: offset + 2 }), "headers are not replaced");
}

#[test]
fn a_push_buffer_without_a_recording_runs_nothing() {
    let (mut device, mut pusher) = start();
    let mut buffer = PushBuffer::new(RECORDED, 0).unwrap();
    device.run_push_buffer(&mut buffer, &Fixup::new(), &mut pusher).unwrap();
    assert!(emitted(&mut device, &mut pusher).is_empty());
}

#[test]
fn a_viewport_clips_and_a_missing_depth_buffer_is_not_tested() {
    let (mut device, mut pusher) = start();
    let mut target =
        Target { color: 0x50_0000, depth: None, format: SurfaceFormat::A8R8G8B8, width: 64, height: 32, pitch: 256 };
    let last = |packets: &[(&str, Vec<u32>)], method: &str| {
        packets.iter().rev().find(|(name, _)| *name == method).map(|(_, arguments)| arguments[0])
    };
    device.set_render_target(target).unwrap();
    device.set_viewport(Viewport { x: 8.0, y: 4.0, width: 16.0, height: 64.0, min_z: 0.0, max_z: 1.0 });
    device.draw_vertices(PrimitiveKind::Points, 0, 1).unwrap();
    let packets = emitted(&mut device, &mut pusher);
    assert_eq!(last(&packets, "SET_DEPTH_TEST_ENABLE"), Some(0));
    assert_eq!(last(&packets, "SET_WINDOW_CLIP_HORIZONTAL"), Some(23 << 16 | 8));
    assert_eq!(last(&packets, "SET_WINDOW_CLIP_VERTICAL"), Some(31 << 16 | 4));
    target.depth = Some(0x60_0000);
    device.set_render_target(target).unwrap();
    device.draw_vertices(PrimitiveKind::Points, 0, 1).unwrap();
    let packets = emitted(&mut device, &mut pusher);
    assert_eq!(last(&packets, "SET_DEPTH_TEST_ENABLE"), Some(1));
    assert_eq!(last(&packets, "SET_WINDOW_CLIP_HORIZONTAL"), Some(63 << 16));
}

#[test]
fn lights_shine_only_where_specular_is_enabled() {
    use afterimage_nv2a::driver::transform::{Light, LightKind, Material};
    let (mut device, mut pusher) = start();
    let kind = LightKind::Directional { direction: [0.0, 0.0, 1.0] };
    let light = Light { kind, diffuse: [1.0; 3], specular: [0.5; 3], ambient: [0.0; 3] };
    device.set_light(2, Some(light)).unwrap();
    device.set_material(Material { specular: [1.0; 3], ..Material::default() });
    let mut shine = |enabled: u32| {
        device.set_render_state(RenderState::SpecularEnable, enabled);
        device.draw_vertices(PrimitiveKind::Points, 0, 1).unwrap();
        let packets = emitted(&mut device, &mut pusher);
        let control = packets.iter().find(|(name, _)| *name == "SET_LIGHT_CONTROL").map(|(_, words)| words[0]);
        let colors = packets.iter().filter(|(name, _)| *name == "SET_LIGHT_SPECULAR_COLOR");
        (control, colors.map(|(_, words)| f32::from_bits(words[0])).collect::<Vec<_>>())
    };
    assert_eq!(shine(0), (None, vec![0.0]), "lights would be added to the diffuse colour");
    assert_eq!(shine(1), (Some(1), vec![0.5]));
}

#[test]
fn a_program_that_writes_constants_may() {
    let (mut device, mut pusher) = start();
    let mut enabled = |code: &str| {
        let code: Vec<_> = afterimage_shader_nv2a::assemble(code).unwrap().words().collect();
        device.set_vertex_shader(&VertexShader::new(Rc::default(), Some(&code)).unwrap());
        device.draw_vertices(PrimitiveKind::Points, 0, 1).unwrap();
        let packets = emitted(&mut device, &mut pusher);
        let write = packets.iter().find(|(name, _)| *name == "SET_TRANSFORM_PROGRAM_CXT_WRITE_EN");
        let viewport = packets.iter().any(|(name, _)| *name == "SET_VIEWPORT_SCALE");
        (write.map(|(_, words)| words[0]), viewport)
    };
    assert_eq!(enabled("mov oPos, v0"), (Some(0), false));
    assert_eq!(enabled("mov oPos, v0\nmov c[58], v0"), (Some(1), false));
    assert_eq!(enabled("mov oPos, v0"), (Some(0), true), "what it may have overwritten is sent again");
}

#[test]
fn palettes_and_samplers_are_checked() {
    let (mut device, mut pusher) = start();
    device.set_palette(1, 0x1040, 64).unwrap();
    assert_eq!(emitted(&mut device, &mut pusher), [("SET_TEXTURE_PALETTE", vec![0x1040 | 2 << 2])]);
    for (address, entries) in [(0x1020, 64), (0x1040, 63)] {
        let refused = device.set_palette(0, address, entries);
        assert_eq!(refused, Err(DriverError::Palette { address, entries }));
    }
    let sampler = Sampler { min: 8, ..Sampler::default() };
    assert!(matches!(device.set_sampler(0, sampler), Err(DriverError::Range { value: 8, most: 7, .. })));
}

#[test]
fn raw_words_must_be_packets() {
    let (mut device, mut pusher) = start();
    assert!(device.begin_push().unwrap().is_empty());
    device.end_push(&[1 << 18 | u32::from(method::SET_ALPHA_REF), 3]).unwrap();
    assert_eq!(emitted(&mut device, &mut pusher), [("SET_ALPHA_REF", vec![3])]);
    device.set_render_state(RenderState::AlphaRef, 0);
    assert_eq!(emitted(&mut device, &mut pusher), [("SET_ALPHA_REF", vec![0])], "raw words had changed it");
    for words in [&[0x0000_1001][..], &[2 << 18 | 0x340, 1], &[0x2000_0000], &[0x0002_0000]] {
        assert!(matches!(device.end_push(words), Err(DriverError::Packet { at: 0, .. })), "{words:x?}");
    }
}

#[test]
fn equal_states_are_sent_once() {
    let (mut device, mut pusher) = start();
    device.set_render_state(RenderState::ZFunc, 0x201);
    device.set_render_state(RenderState::ZFunc, 0x201);
    device.set_render_state_float(RenderState::LineWidth, 2.5);
    device.set_render_state(RenderState::CullMode, 0x900);
    let packets = emitted(&mut device, &mut pusher);
    assert_eq!(
        packets,
        [("SET_DEPTH_FUNC", vec![0x201]), ("SET_LINE_WIDTH", vec![20]), ("SET_CULL_FACE", vec![0x404])]
    );
}
