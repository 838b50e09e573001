//! Runs of draws that are recorded in one call give the pixels that they give one by one.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, VertexFormat};
use afterimage_vulkan::Without;

/// Moves and colours vertices by constants.
const MOVED: &str = "vs_2_0
dcl_position v0
dcl_color v1
dcl_texcoord v2
mul r0, v0, c0
add oPos, r0, c1
mul oD0, v1, c2
mov oT0, v2";

/// Mixes two textures.
const MIXED: &str = "ps_2_0
dcl v0
dcl t0.xy
dcl_2d s0
dcl_2d s1
texld r0, t0, s0
texld r1, t0, s1
mul r0, r0, v0
mad r0, r1, c0, r0
mov oC0, r0";

struct Scene {
    textures: Vec<ObjectId>,
    samplers: [ObjectId; 2],
    vertices: ObjectId,
}

const SIZE: u32 = 48;

fn texels(seed: u32) -> Vec<u8> {
    (0..8 * 8 * 4u32).map(|i| (i.wrapping_mul(37).wrapping_add(seed * 91) % 251) as u8).collect()
}

fn new_texture(guest: &mut Guest, seed: u32) -> ObjectId {
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 8, 8, 1, 0);
    guest.update_texture(texture, 0, 0, [8, 8], 32, &texels(seed));
    texture
}

fn set_up(guest: &mut Guest) -> Scene {
    guest.target(Format::B8G8R8A8_UNORM, SIZE, SIZE);
    let vertex = guest.d3d9_shader(Stage::Vertex, MOVED);
    let pixel = guest.d3d9_shader(Stage::Pixel, MIXED);
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.layout();
    let textures = (0..5).map(|seed| new_texture(guest, seed)).collect();
    let samplers = [Filter::Nearest, Filter::Linear].map(|filter| guest.sampler(sampling(filter)));
    let corners = [quad([-1.0, 1.0], [-1.0, 1.0], 0.5, RED), quad([-0.6, 0.9], [-1.0, 0.4], 0.5, GREEN)].concat();
    let vertices = guest.vertices(&corners);
    let indices: Vec<u16> = [(0..6).rev().collect::<Vec<_>>(), (0..6).collect()].concat();
    let indices = guest.buffer(CreateBuffer::INDEX, bytemuck::cast_slice(&indices));
    guest.encoder.push(&SetIndexBuffer { source: indices, index_bytes: 2, restart: 0, offset: 0, size: 0 });
    guest.encoder.push(&SetRaster { depth_clip: 1, sample_mask: u32::MAX, point_size: 1.0, ..Default::default() });
    Scene { textures, samplers, vertices }
}

fn blend(guest: &mut Guest, dst_color: BlendFactor) {
    let (src_color, src_alpha) = (BlendFactor::SrcAlpha as u8, BlendFactor::One as u8);
    let dst_color = dst_color as u8;
    guest.encoder.push_tail(
        &SetBlend { enable: 1, src_color, dst_color, src_alpha, write_masks: [15; 8], ..Default::default() },
        &[],
    );
}

fn constant(guest: &mut Guest, bank: u16, first: u16, value: [f32; 4]) {
    guest.encoder.push_tail(&SetConstants { bank, first, count: 1 }, &[value.map(f32::to_bits)]);
}

/// Draws over one another, in an order that blending tells, among all that ends a run.
fn frame(guest: &mut Guest, scene: &mut Scene) {
    guest.clear(Clear::COLOR, [0.1, 0.2, 0.3, 1.0], 1.0, 0);
    blend(guest, BlendFactor::OneMinusSrcAlpha);
    for n in 0..700u32 {
        let part = |step: u32, of: u32| (n * step % of) as f32 / of as f32;
        if n % 5 != 4 {
            let scale = 0.1 + 0.3 * part(7, 11);
            constant(guest, 0, 0, [scale, scale, 1.0, 1.0]);
            constant(guest, 0, 1, [part(13, 31) * 1.6 - 0.8, part(17, 29) * 1.6 - 0.8, 0.0, 0.0]);
        }
        if n % 3 == 0 {
            constant(guest, 0, 2, [part(3, 7), part(5, 9), part(2, 5), 0.3 + 0.6 * part(1, 4)]);
        }
        if n % 97 == 0 {
            constant(guest, 3, 0, [part(1, 3), 0.2, part(1, 7), 0.1]);
        }
        if n % 2 == 0 {
            let texture = scene.textures[(n * 7 % 5) as usize];
            guest.bind_texture(n % 4 / 2, texture, scene.samplers[(n / 8 % 2) as usize]);
        }
        match n {
            // A new texture in the place of one that draws of this frame have.
            150 | 450 => {
                guest.encoder.push(&Destroy { id: scene.textures[2], pad: 0 });
                scene.textures[2] = new_texture(guest, n);
                guest.bind_texture(0, scene.textures[2], scene.samplers[0]);
                guest.bind_texture(1, scene.textures[1], scene.samplers[1]);
            }
            // Other texels for the draws to come.
            200 | 330 | 331 => guest.update_texture(scene.textures[1], 0, 0, [8, 8], 32, &texels(n)),
            250 => blend(guest, BlendFactor::One),
            300 => blend(guest, BlendFactor::OneMinusSrcAlpha),
            400 => guest.encoder.push(&SetScissor { rect: Rect { x: 5, y: 3, width: 30, height: 40 } }),
            500 => guest.encoder.push(&SetScissor { rect: Rect { x: 0, y: 0, width: 48, height: 48 } }),
            // A texture that shaders take for none.
            // The buffer at another vertex, and back.
            20 | 120 | 640 => guest.bind_vertices(scene.vertices, 3 * size_of::<Vertex>() as u64, 0),
            60 | 160 | 680 => guest.bind_vertices(scene.vertices, 0, 0),
            // At its end: what lies behind is none of it.
            90 => guest.bind_vertices(scene.vertices, 9 * size_of::<Vertex>() as u64, 0),
            95 => guest.bind_vertices(scene.vertices, 0, 0),
            550 => guest.bind_texture(1, ObjectId::NONE, ObjectId::NONE),
            560 => guest.bind_texture(1, scene.textures[0], scene.samplers[0]),
            _ => {}
        }
        // A few hundred of each kind, with and without another first vertex; some with instances.
        let topology = Topology::TriangleList as u32;
        let instances = if n == 620 { 2 } else { 1 };
        if n / 100 % 2 == 0 {
            guest.encoder.push(&Draw { topology, first: n % 2 * 6, count: 6, instances, first_instance: 0, pad: 0 });
        } else {
            guest.encoder.push(&DrawIndexed {
                topology,
                first: n / 3 % 2 * 6,
                count: 6,
                base_vertex: (n % 2 * 6) as i32,
                instances,
                first_instance: 0,
            });
        }
        if n == 600 {
            guest.clear(Clear::COLOR, [0.5, 0.2, 0.1, 1.0], 1.0, 0);
        }
    }
    let screen = guest.pixels_target();
    guest.present(screen);
}

/// The picture of the third frame, and how many draws were recorded in one call with others.
fn drawn(mut guest: Guest) -> (Vec<[u8; 4]>, f64) {
    let mut scene = set_up(&mut guest);
    for _ in 0..3 {
        frame(&mut guest, &mut scene);
        guest.run();
        guest.renderer.finish_workers();
    }
    let (pixels, merged) = (guest.pixels().pixels, guest.figure("merged_draws"));
    assert_eq!(guest.figure("skipped_draws"), 0.0);
    guest.finish();
    (pixels, merged)
}

#[test]
fn runs_in_one_call_draw_the_same() {
    let (reference, merged) = drawn(Guest::with_merged_draws(false, Without::default()));
    assert_eq!(merged, 0.0);
    let colors: std::collections::HashSet<_> = reference.iter().collect();
    assert!(colors.len() > 300, "the draws must have something to compare: {} colours", colors.len());
    let guest = Guest::with_merged_draws(true, Without::default());
    if !guest.renderer.gpu().profile.draw_records {
        eprintln!("skipped: {} has no draws by number", guest.renderer.gpu().profile.name);
        return;
    }
    let (pixels, merged) = drawn(guest);
    // Nearly all of the second and the third frame.
    assert!(merged > 1200.0, "{merged} draws were merged");
    let other = pixels.iter().zip(&reference).filter(|(one, two)| one != two).count();
    assert!(other == 0, "{other} other pixels");
}

#[test]
fn where_draws_cannot_be_merged_they_are_drawn_one_by_one() {
    let (reference, _) = drawn(Guest::with_merged_draws(false, Without::default()));
    for without in
        [Without { multi_draw: true, ..Without::default() }, Without { bindless: true, ..Without::default() }]
    {
        let (pixels, merged) = drawn(Guest::with_merged_draws(true, without));
        assert_eq!(merged, 0.0, "{without:?}");
        assert!(pixels == reference, "{without:?}: other pixels");
    }
}

/// Colours two points by a buffer that has a point for each instance, bound at one and then at the other.
#[test]
fn a_buffer_of_instances_is_bound_where_it_is() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 4, 1);
    guest.shaders(VERTEX, COLOR);
    let id = guest.id(ObjectKind::VertexInput);
    let attribute = |location, format: VertexFormat, offset| VertexAttribute {
        per_instance: 1,
        divisor: 1,
        ..VertexAttribute::per_vertex(location, 0, format, offset)
    };
    let attributes = [
        attribute(0, VertexFormat::R32G32B32A32_SFLOAT, 0),
        attribute(1, VertexFormat::R32G32B32A32_SFLOAT, 16),
        attribute(2, VertexFormat::R32G32_SFLOAT, 32),
    ];
    guest.encoder.push_tail(&CreateVertexInput { id, count: 3 }, &attributes);
    guest.encoder.push(&SetVertexInput { id, pad: 0 });
    let vertices = guest.vertices(&[vertex(-0.25, 0.0, 0.5, RED), vertex(0.75, 0.0, 0.5, GREEN)]);
    guest.encoder.push(&SetRaster { depth_clip: 1, sample_mask: u32::MAX, point_size: 1.0, ..Default::default() });
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    for n in 0..2 {
        guest.bind_vertices(vertices, n * size_of::<Vertex>() as u64, 0);
        guest.draw(Topology::PointList, 0, 1);
    }
    let [red, green, black] = [RED, GREEN, BLACK].map(|color| color.map(|part| (part * 255.0) as u8));
    assert_eq!(guest.pixels().pixels, [black, red, black, green]);
    guest.finish();
}
