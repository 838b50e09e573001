//! What the application's thread pays per draw, with a receiver that takes batches and does nothing.

use afterimage_bench::Bench;
use afterimage_d3d9::*;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::WindowKind;
use afterimage_stream::{DeviceFeatures, DeviceInfo, Format, FormatFeatures, NullLink};

/// Draws of one sample.
const DRAWS: usize = 1000;

fn device(features: u32) -> Result<Device> {
    let mut info = DeviceInfo {
        features,
        max_texture_2d: 8192,
        max_anisotropy: 16.0,
        sample_counts: 1,
        max_color_targets: 4,
        ..DeviceInfo::default()
    };
    let all = FormatFeatures::SAMPLED | FormatFeatures::LINEAR | FormatFeatures::TARGET | FormatFeatures::DEPTH;
    Format::ALL.iter().for_each(|format| info.formats[*format as usize] = all);
    let link = Box::new(NullLink::new(info));
    let mut parameters = D3DPRESENT_PARAMETERS {
        SwapEffect: D3DSWAPEFFECT_DISCARD,
        Windowed: TRUE,
        EnableAutoDepthStencil: TRUE,
        AutoDepthStencilFormat: D3DFMT_D24S8,
        ..D3DPRESENT_PARAMETERS::default()
    };
    let window = Window { kind: WindowKind::Headless, handle: 0, width: 64, height: 64 };
    Device::new(link, D3DDEVICE_CREATION_PARAMETERS::default(), &mut parameters, window, false, "bench")
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut d = device(0)?;
    let assemble = |text: &str| afterimage_shader_d3d9::assemble(text);
    let vs = assemble("vs_2_0\ndcl_position v0\nm4x4 oPos, v0, c0\nadd r0, c4, c5\nadd r0, r0, c6\nadd oT0, r0, c7\n")?;
    let ps = assemble("ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0")?;
    let vs = d.create_vertex_shader(&vs)?;
    let ps = d.create_pixel_shader(&ps)?;
    let buffer = d.create_vertex_buffer(3 * 32, 0, 0, D3DPOOL_DEFAULT)?;
    let dynamic = d.create_vertex_buffer(1 << 20, D3DUSAGE_DYNAMIC | D3DUSAGE_WRITEONLY, 0, D3DPOOL_DEFAULT)?;
    let textures: Vec<_> =
        (0..16).map(|_| d.create_texture(4, 4, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED)).collect::<Result<_>>()?;
    let large = d.create_texture(512, 512, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED)?;
    d.set_fvf(D3DFVF_XYZ | D3DFVF_TEX1)?;
    d.set_stream_source(0, Some(buffer), 0, 32)?;
    d.set_vertex_shader(Some(vs))?;
    d.set_pixel_shader(Some(ps))?;
    d.set_texture(0, Some(textures[0]))?;
    let draw = |d: &mut Device| d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1);
    let chain = d.swap_chain(0)?;
    let mut bench = Bench::new("d3d9_guest");
    let mut turn = 0u32;
    let mut case = |name: &str, d: &mut Device, call: &mut dyn FnMut(&mut Device, u32) -> Result<()>| {
        let mut frame = || -> Result<()> {
            for _ in 0..DRAWS {
                turn = turn.wrapping_add(1);
                call(d, turn)?;
                draw(d)?;
            }
            d.present(chain, None, None, None, 0)
        };
        bench.case(name, DRAWS, || frame().unwrap_or_else(|error| panic!("{name}: {error}")));
    };
    case("same state", &mut d, &mut |_, _| Ok(()));
    case("a vertex constant per draw", &mut d, &mut |d, n| d.set_vertex_shader_constant_f(0, &[[n as f32; 4]]));
    case("a texture per draw", &mut d, &mut |d, n| d.set_texture(0, Some(textures[n as usize & 15])));
    case("blend and depth state per draw", &mut d, &mut |d, n| {
        d.set_render_state(D3DRS_ALPHABLENDENABLE, n & 1)?;
        d.set_render_state(D3DRS_ZWRITEENABLE, n & 1)
    });
    case("texture, 8 constants, 4 states per draw", &mut d, &mut |d, n| {
        d.set_texture(0, Some(textures[n as usize & 15]))?;
        d.set_vertex_shader_constant_f(0, &[[n as f32; 4]; 8])?;
        d.set_render_state(D3DRS_ALPHABLENDENABLE, n & 1)?;
        d.set_render_state(D3DRS_ZWRITEENABLE, n & 1)?;
        d.set_render_state(D3DRS_CULLMODE, 1 + (n & 1))?;
        d.set_render_state(D3DRS_ZFUNC, 4 + (n & 1))
    });
    case("a sampler state per draw", &mut d, &mut |d, n| d.set_sampler_state(0, D3DSAMP_MINFILTER, 1 + (n & 1)));
    case("switch of fixed-function stages per draw", &mut d, &mut |d, n| {
        d.set_vertex_shader(if n & 1 == 0 { Some(vs) } else { None })
    });
    d.set_vertex_shader(Some(vs))?;
    case("dynamic lock of 96 bytes per draw", &mut d, &mut |d, n| {
        let at = n % 10_000 * 96;
        d.lock_buffer(dynamic, at, 96, if at == 0 { D3DLOCK_DISCARD } else { D3DLOCK_NOOVERWRITE })?;
        d.unlock_buffer(dynamic)
    });
    let vertices = [0u8; 96];
    case("DrawPrimitiveUP and a draw", &mut d, &mut |d, _| {
        d.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &vertices, 32)?;
        d.set_stream_source(0, Some(buffer), 0, 32)
    });
    bench.case("DrawPrimitiveUP alone", DRAWS, || -> Result<()> {
        for _ in 0..DRAWS {
            d.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &vertices, 32)?;
        }
        d.present(chain, None, None, None, 0)
    });
    d.set_texture(0, Some(large))?;
    bench.case("lock a 512x512 managed texture and draw", 1, || -> Result<()> {
        d.lock_surface(Surface::of(large), None, 0)?;
        d.unlock_surface(Surface::of(large))?;
        draw(&mut d)?;
        d.present(chain, None, None, None, 0)
    });
    d.set_vertex_shader(None)?;
    process(&mut bench, "a lit vertex of ProcessVertices", DRAWS, &mut d)?;
    process(&mut bench, "ProcessVertices that the GPU does", 1, &mut device(DeviceFeatures::FEEDBACK)?)?;
    let patch = D3DRECTPATCH_INFO {
        Width: 4,
        Height: 4,
        Stride: 4,
        Basis: D3DBASIS_BEZIER,
        Degree: D3DDEGREE_CUBIC,
        ..D3DRECTPATCH_INFO::default()
    };
    bench.case("a cubic patch of 16x16 segments", 1, || -> Result<()> {
        d.draw_rect_patch(0, Some([16.0; 4]), Some(&patch))?;
        d.present(chain, None, None, None, 0)
    });
    bench.finish()?;
    Ok(())
}

/// Times `ProcessVertices` of [`DRAWS`] lit vertices.
fn process(bench: &mut Bench, name: &str, each: usize, d: &mut Device) -> Result<()> {
    d.set_fvf(D3DFVF_XYZ | D3DFVF_NORMAL)?;
    d.enable_light(0, true)?;
    let source = d.create_vertex_buffer(24 * DRAWS as u32, 0, 0, D3DPOOL_SYSTEMMEM)?;
    let processed = D3DFVF_XYZRHW | D3DFVF_DIFFUSE;
    let target = d.create_vertex_buffer(20 * DRAWS as u32, 0, processed, D3DPOOL_SYSTEMMEM)?;
    d.set_stream_source(0, Some(source), 0, 24)?;
    let chain = d.swap_chain(0)?;
    bench.case(name, each, || -> Result<()> {
        d.process_vertices(0, 0, DRAWS as u32, target, None, 0)?;
        d.present(chain, None, None, None, 0)
    });
    Ok(())
}
