//! Pipelines that are linked of stages: the picture is that of pipelines made whole, in whatever order shaders are created.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId};
use afterimage_vulkan::Without;

/// Shaders of each stage.
const COUNT: usize = 4;

const DECLARED: &str = "vs_2_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\nmov oPos, v0\nmov oT0, v2\n";

/// Passes the colour, with a little more of red.
fn vertex_code(number: usize) -> String {
    format!("{DECLARED}def c0, {}, 0.0, 0.0, 0.0\nadd oD0, v1, c0", number as f32 / 8.0)
}

/// A texture with a colour and a little more of green.
fn pixel_code(number: usize) -> String {
    let green = number as f32 / 8.0;
    format!(
        "ps_2_0\ndcl v0\ndcl t0.xy\ndcl_2d s0\ndef c0, 0.0, {green}, 0.0, 0.0\ntexld r0, t0, s0\nmad r0, r0, v0, c0\nmov oC0, r0"
    )
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Pairs,
    Vertices,
    Pixels,
}

/// Shaders, by stage.
struct Scene {
    vertices: Vec<ObjectId>,
    pixels: Vec<ObjectId>,
    target: ObjectId,
}

impl Scene {
    fn new(guest: &mut Guest, order: Order) -> Self {
        let target = guest.target(Format::R8G8B8A8_UNORM, 32, 32);
        let depth = guest.texture(Format::D24_UNORM_S8_UINT, 32, 32, 1, CreateTexture::TARGET);
        guest.bind(target, depth);
        guest.layout();
        let texture = guest.texture(Format::R8G8B8A8_UNORM, 4, 4, 1, 0);
        let texels: Vec<u8> = (0..64).map(|n| 255 - n * 2).collect();
        guest.update_texture(texture, 0, 0, [4, 4], 16, &texels);
        let sampler = guest.sampler(sampling(Filter::Linear));
        guest.bind_texture(0, texture, sampler);
        let (mut vertices, mut pixels) = (Vec::new(), Vec::new());
        let mut vertex = |guest: &mut Guest, n| vertices.push(guest.d3d9_shader(Stage::Vertex, &vertex_code(n)));
        let mut pixel = |guest: &mut Guest, n| pixels.push(guest.d3d9_shader(Stage::Pixel, &pixel_code(n)));
        match order {
            Order::Pairs => (0..COUNT).for_each(|n| {
                vertex(guest, n);
                pixel(guest, n);
            }),
            Order::Vertices => {
                (0..COUNT).for_each(|n| vertex(guest, n));
                (0..COUNT).for_each(|n| pixel(guest, n));
            }
            Order::Pixels => {
                (0..COUNT).for_each(|n| pixel(guest, n));
                (0..COUNT).for_each(|n| vertex(guest, n));
            }
        }
        Self { vertices, pixels, target }
    }

    /// Each shader of one stage with each of the other, in the states that are part of pipelines here or there.
    fn draw(&self, guest: &mut Guest) -> Vec<[u8; 4]> {
        guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, [0.1, 0.2, 0.3, 1.0], 1.0, 0);
        for (v, &vertex) in self.vertices.iter().enumerate() {
            for (p, &pixel) in self.pixels.iter().enumerate() {
                let n = v * COUNT + p;
                // Depth alone, now and then.
                let pixel = if n == 6 { ObjectId::NONE } else { pixel };
                guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
                guest.encoder.push(&ops(n));
                guest.encoder.push(&SetRaster {
                    depth_clip: (!n.is_multiple_of(5)).into(),
                    sample_mask: u32::MAX,
                    point_size: 1.0,
                    fill: if n % 4 == 1 { Fill::Line } else { Fill::Solid } as u8,
                    ..Default::default()
                });
                guest.encoder.push_tail(&blend(n), &[]);
                guest.encoder.push(&SetDepthStencil {
                    depth_test: 1,
                    depth_write: 1,
                    depth_compare: Compare::LessEqual as u8,
                    ..Default::default()
                });
                let (x, y) = (v as f32 / 2.0 - 1.0, p as f32 / 2.0 - 1.0);
                let alpha = if n.is_multiple_of(2) { 0.4 } else { 0.9 };
                guest.draw_now(&quad([x, x + 0.6], [y, y + 0.6], n as f32 / 32.0, [0.5, 0.25, 0.5, alpha]));
            }
        }
        guest.present(self.target);
        let pixels = guest.pixels().pixels;
        guest.arena.rewind();
        pixels
    }
}

fn ops(n: usize) -> SetPixelOps {
    let mut ops =
        SetPixelOps { alpha_compare: Compare::Always as u8, fog_end: 1.0, alpha_ref: 0.5, ..Default::default() };
    match n % 8 {
        3 => ops.alpha_compare = Compare::Greater as u8,
        5 => ops.fog = FogMode::Linear as u8,
        7 => ops.flat = 1,
        _ => {}
    }
    ops
}

fn blend(n: usize) -> SetBlend {
    SetBlend {
        enable: n.is_multiple_of(3).into(),
        src_color: BlendFactor::SrcAlpha as u8,
        dst_color: BlendFactor::OneMinusSrcAlpha as u8,
        src_alpha: BlendFactor::One as u8,
        write_masks: [if n % 7 == 2 { 11 } else { 15 }; 8],
        ..Default::default()
    }
}

fn linked(guest: &Guest) -> u32 {
    guest.figure("pipelines_linked") as u32
}

#[test]
fn linked_pipelines_draw_what_whole_ones_do() {
    let without = [
        Without::default(),
        Without { dynamic_state3: true, ..Without::default() },
        Without { bindless: true, ..Without::default() },
    ];
    for without in without {
        let mut guest = Guest::with_libraries(false, without);
        let scene = Scene::new(&mut guest, Order::Pairs);
        let whole = scene.draw(&mut guest);
        assert_eq!(linked(&guest), 0);
        guest.finish();
        let colors: std::collections::HashSet<_> = whole.iter().collect();
        assert!(colors.len() > 50, "{} colours", colors.len());

        for order in [Order::Pairs, Order::Vertices, Order::Pixels] {
            let mut guest = Guest::with_libraries(true, without);
            if !guest.renderer.gpu().profile.pipeline_libraries {
                eprintln!("nothing is tested: {} has no pipeline libraries", guest.renderer.gpu().profile.name);
                return;
            }
            let scene = Scene::new(&mut guest, order);
            assert!(scene.draw(&mut guest) == whole, "{order:?}, {without:?}: other pixels");
            let first = linked(&guest);
            assert!(first as usize >= COUNT * COUNT, "{first} were linked");
            guest.renderer.finish_workers();
            // Whole ones have taken their place, of which specialised ones are made for alpha test and fog.
            let near = |a: &[u8; 4], b: &[u8; 4]| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1);
            let again = scene.draw(&mut guest);
            assert!(again.iter().zip(&whole).all(|(a, b)| near(a, b)), "{order:?}, {without:?}: other pixels again");
            assert_eq!(linked(&guest), first, "nothing is linked twice");
            guest.finish();
        }
    }
}

#[test]
fn stages_are_there_before_they_are_drawn_with() {
    for order in [Order::Pairs, Order::Vertices, Order::Pixels] {
        let mut guest = Guest::with_libraries(true, Without::default());
        if !guest.renderer.gpu().profile.pipeline_libraries {
            eprintln!("nothing is tested: {} has no pipeline libraries", guest.renderer.gpu().profile.name);
            return;
        }
        let scene = Scene::new(&mut guest, order);
        guest.run();
        guest.renderer.finish_workers();
        // Pairs that nobody can guess.
        for (n, &vertex) in scene.vertices.iter().enumerate() {
            guest.encoder.push(&SetShaders {
                vertex,
                pixel: scene.pixels[(n * 3 + 2) % COUNT],
                ..SetShaders::default()
            });
            guest.draw_now(&full(0.5, RED));
        }
        guest.run();
        assert_eq!(guest.figure("pipelines_waited_for"), 0.0, "{order:?}");
        guest.finish();
    }
}
