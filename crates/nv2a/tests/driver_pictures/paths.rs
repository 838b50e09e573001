//! The ways to submit vertices draw the same pixels.

use super::*;
use crate::shapes::*;
use afterimage_nv2a::driver::transform::{IDENTITY, Light, LightKind, Transform};
use afterimage_nv2a::driver::*;
use afterimage_nv2a::machine::PrimitiveKind;
use std::rc::Rc;

const SIZE: [u32; 2] = [160, 120];
const PITCH: u32 = 640;
/// What lies before the vertices of indexed draws, for an index base to skip.
const BASE: u32 = 5;

/// A way to have triangles drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Vertices,
    VerticesUp,
    Indexed,
    IndexedUp,
    Immediate,
    Recorded,
}

/// Draws a mesh.
fn submit(path: Path, mesh: &Mesh, console: &mut Console, device: &mut Device) -> Result<(), DriverError> {
    let kind = PrimitiveKind::Triangles;
    // The same triangles without indices.
    let flat: Vec<Vertex> = mesh.indices.iter().map(|index| mesh.vertices[usize::from(*index)]).collect();
    let flat_bytes: &[u8] = bytemuck::cast_slice(&flat);
    let stride = Vertex::STRIDE;
    match path {
        Path::Vertices => {
            let address = console.store(flat_bytes)?;
            device.set_stream_source(0, StreamSource { address, stride })?;
            device.draw_vertices(kind, 0, flat.len() as u32)
        }
        Path::VerticesUp => device.draw_vertices_up(kind, flat.len() as u32, flat_bytes, stride),
        Path::Indexed => {
            let address = console.store(&[&[0xFF; (BASE * Vertex::STRIDE) as usize], mesh.bytes()].concat())?;
            device.set_stream_source(0, StreamSource { address, stride })?;
            device.set_indices(0, BASE);
            device.draw_indexed_vertices(kind, &mesh.indices)
        }
        Path::IndexedUp => device.draw_indexed_vertices_up(kind, &mesh.indices, mesh.bytes(), stride),
        Path::Immediate => {
            device.begin_immediate(kind)?;
            for Vertex { position: [x, y, z], normal: [nx, ny, nz], color, uv } in flat {
                device.set_vertex_data_4f(2, [nx, ny, nz, 1.0])?;
                device.set_vertex_data_color(3, color)?;
                device.set_vertex_data_2f(9, uv)?;
                device.set_vertex_data_4f(VERTEX, [x, y, z, 1.0])?;
            }
            device.end_immediate()
        }
        Path::Recorded => {
            const BYTES: u32 = 256 * 1024;
            let mut buffer = PushBuffer::new(console.allocate(BYTES)?, BYTES)?;
            device.begin_push_buffer()?;
            submit(Path::IndexedUp, mesh, console, device)?;
            device.end_push_buffer(&mut buffer)?;
            device.run_push_buffer(&mut buffer, &Fixup::new(), console)
        }
    }
}

/// A lit, textured, transparent torus through a program or the fixed function.
fn picture(path: Path, program: bool) -> Picture {
    on_console(|console, device| -> Result<_, Box<dyn std::error::Error>> {
        let mut mesh = torus(1.2, 0.5, [24, 12]);
        for (index, vertex) in mesh.vertices.iter_mut().enumerate() {
            vertex.color = 0x8000_0000 | (index as u32).wrapping_mul(0x3C_5A17) & 0xFF_FFFF;
        }
        let [width, height] = SIZE;
        let color = console.allocate(PITCH * height)?;
        let depth = Some(console.allocate(PITCH * height)?);
        let format = SurfaceFormat::A8R8G8B8;
        device.set_render_target(Target { color, depth, format, width, height, pitch: PITCH })?;
        device.clear(Some(ClearColor { value: 0xFF20_3040, channels: 0xF }), Some(1.0), Some(0));
        let log2 = TEXTURE_SIDE.ilog2() as u8;
        let shape = Shape::Swizzled { log2: [log2, log2, 0], levels: 1, cube: false };
        let address = console.store(&swizzled(checker(0xFFFF_FFFF, 0xFF40_8060)))?;
        device.set_texture(0, Some(Texture { address, format: 6, shape }))?;
        device.set_sampler(0, Sampler { min: 2, mag: 2, ..Sampler::default() })?;
        let view = then(&rotation(1, 2, 0.7), &translation([0.0, 0.0, 4.0]));
        let projection = perspective(1.7, 4.0 / 3.0, 1.0, 10.0);
        let declaration = Rc::new(Declaration::new(&Vertex::elements())?);
        if program {
            let code = "dp4 R0.x, v0, c[96]\ndp4 R0.y, v0, c[97]\ndp4 R0.z, v0, c[98]\ndp4 R0.w, v0, c[99]\n\
                        mul R0.xyz, R0, c[58] + rcc R1.x, R0.w\nmad oPos.xyz, R0, R1.x, c[59]\nmov oPos.w, R0\n\
                        mov oD0, v3\nmad oD1, v2, c[100].x, c[100].x\nmov oT0, v9";
            let code: Vec<_> = afterimage_shader_nv2a::assemble(code)?.words().collect();
            device.set_vertex_shader(&VertexShader::new(declaration, Some(&code))?);
            let [a, b, c, d] = transposed(&then(&view, &projection));
            device.set_vertex_shader_constant(96, &[a, b, c, d, [0.25; 4]])?;
            device.set_render_state(RenderState::SpecularEnable, 1);
        } else {
            device.set_vertex_shader(&VertexShader::new(declaration, None)?);
            device.set_transform(Transform::World(0), IDENTITY)?;
            device.set_transform(Transform::View, view)?;
            device.set_transform(Transform::Projection, projection)?;
            let kind = LightKind::Directional { direction: [0.5, -0.7, 0.6] };
            let light = Light { kind, diffuse: [1.0, 0.9, 0.7], specular: [0.0; 3], ambient: [0.2; 3] };
            device.set_light(0, Some(light))?;
            device.set_render_state(RenderState::Lighting, 1);
        }
        device.set_render_state(RenderState::AlphaBlendEnable, 1);
        device.set_render_state(RenderState::SrcBlend, 0x302);
        device.set_render_state(RenderState::DestBlend, 0x303);
        submit(path, &mesh, console, device)?;
        device.kick(console)?;
        Ok(console.picture(color, SIZE, PITCH)?)
    })
    .expect("a picture")
}

fn the_same(program: bool) {
    let first = picture(Path::Vertices, program);
    let background = [0x20, 0x30, 0x40];
    let drawn = first.rgba.chunks_exact(4).filter(|pixel| pixel[..3] != background).count();
    assert!(drawn > 3000, "only {drawn} pixels show something");
    for path in [Path::VerticesUp, Path::Indexed, Path::IndexedUp, Path::Immediate, Path::Recorded] {
        let other = picture(path, program);
        assert_eq!(differing(&first, &other, 0), 0, "{path:?} against {:?}", Path::Vertices);
    }
}

#[test]
fn every_path_through_the_fixed_function_draws_the_same_pixels() {
    the_same(false);
}

#[test]
fn every_path_through_a_program_draws_the_same_pixels() {
    the_same(true);
}
