//! What Direct3D 9's float rules cost, the strict ones with and without `SignedZeroInfNanPreserve`: full screens of a
//! normal-mapped surface under four point lights, about a hundred instructions a pixel; and vertices with four bones and four
//! lights, all clipped. A processor as device draws less.

#[path = "../tests/common/mod.rs"]
mod common;

use afterimage_bench::Bench;
use afterimage_shader::FloatRules;
use afterimage_stream::Format;
use afterimage_stream::packets::*;
use afterimage_vulkan::{Options, Renderer, Without};
use ash::vk::PhysicalDeviceType;
use common::*;
use std::fmt::Write;

const VERTEX_CODE: &str = "vs_3_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\n\
    dcl_position o0\ndcl_texcoord0 o1\ndcl_texcoord1 o2\nmov o0, v0\nmov o1, v2\nmov o2, v1\n";

/// Light n has its position in c(4 + 3n), its colour and the exponent of its highlights in the next, its attenuation in the third.
fn pixel_code() -> String {
    let mut text =
        "ps_3_0\ndcl_texcoord0 v0.xy\ndcl_texcoord1 v1.xyz\ndcl_2d s0\ndcl_2d s1\ndef c30, 2.0, -1.0, 0.5, 1.0\n\
        texld r0, v0, s0\ntexld r1, v0, s1\nmad r1.xyz, r1, c30.x, c30.y\nnrm r2.xyz, r1\n\
        add r3.xyz, c0, -v1\nnrm r4.xyz, r3\nmul r10.xyz, r0, c1\n"
            .to_owned();
    for light in 0..4 {
        let (position, color, fade) = (4 + 3 * light, 5 + 3 * light, 6 + 3 * light);
        let _ = write!(
            text,
            "add r5.xyz, c{position}, -v1\ndp3 r5.w, r5, r5\nrsq r6.w, r5.w\nmul r6.xyz, r5, r6.w\nadd r7.xyz, r6, r4\n\
             nrm r8.xyz, r7\ndp3_sat r9.x, r2, r6\ndp3_sat r9.y, r2, r8\npow r9.y, r9.y, c{color}.w\n\
             mad r9.z, r5.w, c{fade}.x, c{fade}.y\nrcp r9.z, r9.z\nmul r9.xy, r9, r9.z\nmul r11.xyz, r0, c{color}\n\
             mad r10.xyz, r11, r9.x, r10\nmul r11.xyz, c{color}, r0.w\nmad r10.xyz, r11, r9.y, r10\n"
        );
    }
    text.push_str("mov r10.w, c30.w\nmov oC0, r10\n");
    text
}

/// Four bones of three registers each from c16 on by number, four directional lights, the projection in c0 to c3.
fn skinning_code() -> String {
    let mut text =
        "vs_3_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\ndcl_position o0\ndcl_texcoord0 o1\ndcl_texcoord1 o2\n\
        def c250, 0.0, 1.0, 3.0, 0.25\nmov r0, c250.x\nmul r4, v1, c250.z\nmova a0, r4\n"
            .to_owned();
    for bone in "xyzw".chars() {
        for (row, axis) in "xyz".chars().enumerate() {
            let _ = writeln!(text, "mul r{}, c[a0.{bone} + {}], v1.{bone}", 1 + row, 16 + row);
            let _ = writeln!(text, "dp4 r5.{axis}, r{}, v0\ndp3 r6.{axis}, r{}, v0", 1 + row, 1 + row);
        }
        text.push_str("add r0.xyz, r0, r5\nadd r7.xyz, r6, v0\n");
    }
    text.push_str("mov r0.w, c250.y\nm4x4 o0, r0, c0\nnrm r8.xyz, r7\nmov r9, c4\n");
    for light in 0..4 {
        let _ = writeln!(
            text,
            "dp3 r10.x, r8, c{}\nmax r10.x, r10.x, c250.x\nmad r9, c{}, r10.x, r9",
            5 + light,
            9 + light
        );
    }
    text.push_str("mov o1, v2\nmov o2, r9\n");
    text
}

/// A scene to draw, and what it takes to draw it once.
struct Scene {
    guest: Guest,
    vertices: u32,
}

/// Triangles far outside, so that only vertices count.
fn vertices(options: &Options, count: u32) -> Scene {
    let mut guest = Guest::over(Renderer::new(options.clone()).expect("a Vulkan device: run `cargo xtask setup`"));
    guest.target(Format::B8G8R8A8_UNORM, 64, 64);
    let vertex = guest.d3d9_shader(Stage::Vertex, &skinning_code());
    let pixel = guest.d3d9_shader(Stage::Pixel, "ps_3_0\ndcl_texcoord1 v0\nmov oC0, v0\n");
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.layout();
    let corner = |n: u32| vertex_at(n as f32 * 1e-4);
    guest.vertices(&(0..count).map(corner).collect::<Vec<_>>());
    let rows: Vec<_> = (0..40u16).map(|n| [2.0, f32::from(n), 1.0, 5.0].map(f32::to_bits)).collect();
    guest.encoder.push_tail(&SetConstants { bank: 0, first: 0, count: rows.len() as u32 }, &rows);
    guest.pixels();
    Scene { guest, vertices: count }
}

fn vertex_at(x: f32) -> Vertex {
    Vertex { position: [x + 2.0, x * 0.5 + 2.0, 0.5, 1.0], color: [0.4, 0.3, 0.2, 0.1], texcoord: [x, 1.0] }
}

/// A renderer's guest with the scene set up.
fn pixels(options: &Options, [width, height]: [u32; 2]) -> Scene {
    let mut guest = Guest::over(Renderer::new(options.clone()).expect("a Vulkan device: run `cargo xtask setup`"));
    guest.target(Format::B8G8R8A8_UNORM, width, height);
    let vertex = guest.d3d9_shader(Stage::Vertex, VERTEX_CODE);
    let pixel = guest.d3d9_shader(Stage::Pixel, &pixel_code());
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.layout();
    let mut corners = full(0.5, RED);
    for corner in &mut corners {
        let [x, y, ..] = corner.position;
        corner.color = [x * 8.0, y * 5.0, 0.0, 1.0];
    }
    guest.vertices(&corners);
    let sampler = guest.sampler(sampling(Filter::Linear));
    for (slot, texel) in [[180, 150, 120, 200], [255, 140, 110, 255]].into_iter().enumerate() {
        let texture = guest.texture(Format::B8G8R8A8_UNORM, 64, 64, 1, 0);
        let texels: Vec<u8> =
            (0..64 * 64).flat_map(|n: u32| texel.map(|t: u8| t.wrapping_sub((n % 29) as u8))).collect();
        guest.update_texture(texture, 0, 0, [64, 64], 256, &texels);
        guest.bind_texture(slot as u32, texture, sampler);
    }
    guest.pixel_constant(0, [0.0, 0.0, 10.0, 1.0]);
    guest.pixel_constant(1, [0.1, 0.1, 0.12, 1.0]);
    for light in 0..4 {
        let side = f32::from(light) - 1.5;
        guest.pixel_constant(4 + 3 * light, [side * 4.0, side * side, 2.0, 1.0]);
        guest.pixel_constant(5 + 3 * light, [0.8, 0.6 + 0.1 * side, 0.5, 24.0]);
        guest.pixel_constant(6 + 3 * light, [0.05, 1.0, 0.0, 0.0]);
    }
    guest.draw(Topology::TriangleList, 0, 6);
    let pixels = guest.pixels();
    assert!(pixels.at(width / 2, height / 2) != [0; 4], "nothing is drawn");
    Scene { guest, vertices: 6 }
}

fn main() {
    let options = Options { cache_dir: None, ..Options::from_env() };
    let renderer = Renderer::new(options.clone()).expect("a Vulkan device: run `cargo xtask setup`");
    let profile = renderer.gpu().profile.clone();
    drop(renderer);
    println!("{profile}");
    let (times, size, count) = match profile.kind {
        PhysicalDeviceType::CPU => (1, [960, 540], 30_000),
        _ => (16, [3840, 2160], 900_000),
    };
    println!("{times} times {} x {} pixels, or {count} vertices, a frame; figures are of one time", size[0], size[1]);
    let mut bench = Bench::new("float_rules");
    for pixel_bound in [true, false] {
        bench.new_baseline();
        // Only strict shaders ask drivers to keep what is special.
        for (name, rules, float_controls) in [
            ("relaxed", FloatRules::Relaxed, true),
            ("strict", FloatRules::Strict, true),
            ("strict, specials preserved", FloatRules::Strict, false),
        ] {
            let without = Without { float_controls, ..options.without };
            let options = Options { float_rules: Some(rules), without, ..options.clone() };
            let Scene { mut guest, vertices } =
                if pixel_bound { pixels(&options, size) } else { vertices(&options, count) };
            let what = if pixel_bound { "pixels" } else { "vertices" };
            bench.case(&format!("{what}, {name}"), times, || {
                for _ in 0..times {
                    guest.draw(Topology::TriangleList, 0, vertices);
                }
                guest.run();
                guest.renderer.finish(&mut |_| {}).expect("the device");
            });
            assert_eq!(guest.renderer.skipped_draws(), 0, "every draw must be drawn");
        }
    }
    bench.finish().expect("the file for the figures");
}
