//! The same scene through the Xbox's Direct3D and through Direct3D 9: lights, a texture, depth, blending.
//!
//! What may differ. The NV2A cuts positions to sixteenths of a pixel, to which the driver adds half of one. So pixels on edges
//! may belong to another triangle, and a texture lies up to a sixteenth of a pixel elsewhere, which shows where its colours
//! change: at most one pixel in 1000 differs by more than 16 levels. All others are within 16, and all but 3 in 100 within the 3
//! levels that are left for rounding, which the NV2A does for vertices' colours and after each combiner.

use super::*;
use crate::shapes::*;
use afterimage_d3d9::Window;
use afterimage_d3d9_types::*;
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_nv2a::driver::transform::{IDENTITY, Light, LightKind, Material, Matrix, Transform};
use afterimage_nv2a::driver::{
    ClearColor, Declaration, RenderState, Sampler, Shape, StreamSource, SurfaceFormat, Target, Texture, VertexShader,
};
use afterimage_nv2a::machine::PrimitiveKind;
use afterimage_stream::packets::WindowKind;
use std::rc::Rc;
use std::sync::Mutex;

const SIZE: [u32; 2] = [320, 240];
const LIGHT: u32 = 0xFFFF_F0D0;
const DARK: u32 = 0xFF30_5070;
const BACKGROUND: u32 = 0xFF18_2028;
const SUN: [f32; 3] = [0.5, -0.8, 0.6];
const LAMP: [f32; 3] = [1.5, 1.0, -1.0];

/// What both draw.
struct Content {
    torus: Mesh,
    floor: [Vertex; 4],
    pane: [Vertex; 4],
    world: Matrix,
    view: Matrix,
    projection: Matrix,
}

fn content() -> Content {
    let pane = [[-1.0, 1.0], [0.6, 1.0], [-1.0, -0.6], [0.6, -0.6]];
    Content {
        torus: torus(1.2, 0.45, [40, 20]),
        floor: floor(4.0, -1.2, 4.0),
        pane: pane.map(|[x, y]| Vertex {
            position: [x, y, -1.7],
            normal: [0.0, 0.0, -1.0],
            color: 0x80FF_4020,
            uv: [0.0; 2],
        }),
        world: then(&rotation(1, 2, 1.0), &rotation(2, 0, 0.6)),
        view: then(&rotation(1, 2, -0.4), &translation([0.0, 0.0, 5.0])),
        projection: perspective(1.7, 4.0 / 3.0, 1.0, 20.0),
    }
}

/// Through the Xbox's driver.
fn on_xbox() -> Picture {
    on_console(|console, device| -> Result<_, Box<dyn std::error::Error>> {
        let content = content();
        let ([width, height], pitch) = (SIZE, 4 * SIZE[0]);
        let (color, depth) = (console.allocate(pitch * height)?, Some(console.allocate(pitch * height)?));
        device.set_render_target(Target { color, depth, format: SurfaceFormat::A8R8G8B8, width, height, pitch })?;
        device.clear(Some(ClearColor { value: BACKGROUND, channels: 0xF }), Some(1.0), Some(0));
        device.set_vertex_shader(&VertexShader::new(Rc::new(Declaration::new(&Vertex::elements())?), None)?);
        device.set_transform(Transform::View, content.view)?;
        device.set_transform(Transform::Projection, content.projection)?;
        let (none, ambient) = ([0.0; 3], [0.2; 3]);
        let sun = LightKind::Directional { direction: SUN };
        device.set_light(0, Some(Light { kind: sun, diffuse: [0.8, 0.7, 0.6], specular: none, ambient }))?;
        let lamp = LightKind::Point { position: LAMP, range: 8.0, attenuation: [0.5, 0.2, 0.1] };
        device.set_light(1, Some(Light { kind: lamp, diffuse: [0.1, 0.4, 0.9], specular: none, ambient: none }))?;
        device.set_material(Material { ambient: [0.5; 3], ..Material::default() });
        device.set_render_state(RenderState::Lighting, 1);
        let log2 = TEXTURE_SIDE.ilog2() as u8;
        let shape = Shape::Swizzled { log2: [log2, log2, 0], levels: 1, cube: false };
        let texture = Texture { address: console.store(&swizzled(checker(LIGHT, DARK)))?, format: 6, shape };
        device.set_texture(0, Some(texture))?;
        device.set_sampler(0, Sampler { min: 2, mag: 2, ..Sampler::default() })?;
        let stride = Vertex::STRIDE;
        device.set_transform(Transform::World(0), IDENTITY)?;
        device.draw_vertices_up(PrimitiveKind::TriangleStrip, 4, bytemuck::cast_slice(&content.floor), stride)?;
        device.set_transform(Transform::World(0), content.world)?;
        let address = console.store(content.torus.bytes())?;
        device.set_stream_source(0, StreamSource { address, stride })?;
        device.draw_indexed_vertices(PrimitiveKind::Triangles, &content.torus.indices)?;
        device.set_transform(Transform::World(0), IDENTITY)?;
        device.set_texture(0, None)?;
        device.set_render_state(RenderState::Lighting, 0);
        device.set_render_state(RenderState::AlphaBlendEnable, 1);
        device.set_render_state(RenderState::SrcBlend, 0x302);
        device.set_render_state(RenderState::DestBlend, 0x303);
        device.draw_vertices_up(PrimitiveKind::TriangleStrip, 4, bytemuck::cast_slice(&content.pane), stride)?;
        device.kick(console)?;
        Ok(console.picture(color, SIZE, pitch)?)
    })
    .expect("a picture")
}

fn matrix(m: Matrix) -> D3DMATRIX {
    D3DMATRIX { m }
}

fn color([r, g, b]: [f32; 3]) -> D3DCOLORVALUE {
    D3DCOLORVALUE { r, g, b, a: 1.0 }
}

fn vector([x, y, z]: [f32; 3]) -> D3DVECTOR {
    D3DVECTOR { x, y, z }
}

/// Draws by the calls of Direct3D 9.
fn draw(device: &mut afterimage_d3d9::Device) -> afterimage_d3d9::Result<()> {
    let content = content();
    // A render target's texels can be set without pointers.
    let side = TEXTURE_SIDE;
    let texture = device.create_texture(side, side, 1, D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT)?;
    let surface = afterimage_d3d9::Surface { image: texture, face: 0, level: 0 };
    for at in 0..64 {
        let [x, y] = [at % 8 * 8, at / 8 * 8];
        let rect = RECT { left: x, top: y, right: x + 8, bottom: y + 8 };
        let texel = checker(LIGHT, DARK)(x as u32, y as u32);
        device.color_fill(surface, Some(&rect), texel)?;
    }
    device.clear(&[], D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL, BACKGROUND, 1.0, 0)?;
    device.begin_scene()?;
    device.set_fvf(D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_DIFFUSE | D3DFVF_TEX1)?;
    device.set_transform(D3DTS_VIEW, &matrix(content.view))?;
    device.set_transform(D3DTS_PROJECTION, &matrix(content.projection))?;
    let black = color([0.0; 3]);
    let sun = D3DLIGHT9 {
        Type: D3DLIGHT_DIRECTIONAL,
        Diffuse: color([0.8, 0.7, 0.6]),
        Ambient: color([0.2; 3]),
        Direction: vector(SUN),
        ..D3DLIGHT9::default()
    };
    let lamp = D3DLIGHT9 {
        Type: D3DLIGHT_POINT,
        Diffuse: color([0.1, 0.4, 0.9]),
        Position: vector(LAMP),
        Range: 8.0,
        Attenuation0: 0.5,
        Attenuation1: 0.2,
        Attenuation2: 0.1,
        ..D3DLIGHT9::default()
    };
    for (index, light) in [sun, lamp].iter().enumerate() {
        device.set_light(index as u32, light)?;
        device.enable_light(index as u32, true)?;
    }
    let (diffuse, ambient) = (color([1.0; 3]), color([0.5; 3]));
    let material = D3DMATERIAL9 { Diffuse: diffuse, Ambient: ambient, Specular: black, Emissive: black, Power: 0.0 };
    device.set_material(&material)?;
    device.set_render_state(D3DRS_COLORVERTEX, 0)?;
    device.set_texture(0, Some(texture))?;
    for filter in [D3DSAMP_MINFILTER, D3DSAMP_MAGFILTER] {
        device.set_sampler_state(0, filter, D3DTEXF_LINEAR)?;
    }
    device.set_transform(D3DTS_WORLD, &matrix(IDENTITY))?;
    device.draw_primitive_up(D3DPT_TRIANGLESTRIP, 2, bytemuck::cast_slice(&content.floor), Vertex::STRIDE)?;
    device.set_transform(D3DTS_WORLD, &matrix(content.world))?;
    let Mesh { vertices, indices } = &content.torus;
    device.draw_indexed_primitive_up(
        D3DPT_TRIANGLELIST,
        0,
        vertices.len() as u32,
        indices.len() as u32 / 3,
        bytemuck::cast_slice(indices),
        D3DFMT_INDEX16,
        content.torus.bytes(),
        Vertex::STRIDE,
    )?;
    device.set_transform(D3DTS_WORLD, &matrix(IDENTITY))?;
    device.set_texture(0, None)?;
    device.set_render_state(D3DRS_LIGHTING, 0)?;
    device.set_render_state(D3DRS_ALPHABLENDENABLE, 1)?;
    device.set_render_state(D3DRS_SRCBLEND, D3DBLEND_SRCALPHA)?;
    device.set_render_state(D3DRS_DESTBLEND, D3DBLEND_INVSRCALPHA)?;
    // Without a texture the Xbox's first stage passes the vertices' alpha, too.
    device.set_texture_stage_state(0, D3DTSS_ALPHAARG1, D3DTA_DIFFUSE)?;
    device.draw_primitive_up(D3DPT_TRIANGLESTRIP, 2, bytemuck::cast_slice(&content.pane), Vertex::STRIDE)?;
    device.end_scene()?;
    let chain = device.swap_chain(0)?;
    device.present(chain, None, None, None, 0)
}

/// Through Direct3D 9.
fn on_windows() -> Picture {
    let [width, height] = SIZE;
    let shown = Arc::new(Mutex::new(None));
    let mut renderer = renderer();
    let sink = Arc::clone(&shown);
    renderer.set_picture_sink(Some(Box::new(move |picture| {
        let rgba = picture.rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect();
        *sink.lock().unwrap() = Some(Picture { width: picture.width, height: picture.height, rgba });
    })));
    let slots = Box::new(renderer.slot_factory());
    let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
    let rendering = std::thread::spawn(move || in_process::serve(&mut receiver, &mut renderer));
    let creation = D3DDEVICE_CREATION_PARAMETERS {
        DeviceType: D3DDEVTYPE_HAL,
        BehaviorFlags: D3DCREATE_HARDWARE_VERTEXPROCESSING,
        ..D3DDEVICE_CREATION_PARAMETERS::default()
    };
    let mut parameters = D3DPRESENT_PARAMETERS {
        SwapEffect: D3DSWAPEFFECT_DISCARD,
        Windowed: TRUE,
        EnableAutoDepthStencil: TRUE,
        AutoDepthStencilFormat: D3DFMT_D24S8,
        ..D3DPRESENT_PARAMETERS::default()
    };
    let window = Window { kind: WindowKind::Headless, handle: 0, width, height };
    let mut device =
        afterimage_d3d9::Device::new(Box::new(link), creation, &mut parameters, window, false, "same").unwrap();
    draw(&mut device).expect("calls that are allowed");
    drop(device);
    rendering.join().expect("the render thread");
    assert_eq!(gpu().instance.validation_messages(), 0, "the validation layer reported something: see the log");
    shown.lock().unwrap().take().expect("a picture was presented")
}

#[test]
fn direct3d_9_draws_the_same_picture() {
    let (xbox, windows) = (on_xbox(), on_windows());
    let pixels = (SIZE[0] * SIZE[1]) as usize;
    let drawn = xbox.rgba.chunks_exact(4).filter(|pixel| pixel[..3] != [0x18, 0x20, 0x28]).count();
    assert!(drawn > pixels / 4, "only {drawn} pixels show something");
    for (levels, share) in [(3, 3e-2), (16, 1e-3)] {
        let different = differing(&xbox, &windows, levels);
        let allowed = (pixels as f64 * share) as usize;
        assert!(different <= allowed, "{different} of {pixels} pixels differ by more than {levels} levels");
    }
}
