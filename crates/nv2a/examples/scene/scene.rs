//! The scene: everything that the driver can do, once. An Xbox program would look like this.

use crate::console::Console;
use crate::shapes::*;
use afterimage_nv2a::driver::combine::{Operation, Source, Stage, TextureOp};
use afterimage_nv2a::driver::patch::{Basis, Order, RectPatch};
use afterimage_nv2a::driver::transform::{IDENTITY, Light, LightKind, Material, Matrix, Transform};
use afterimage_nv2a::driver::*;
use afterimage_nv2a::machine::PrimitiveKind;
use afterimage_nv2a_types::method;
use std::rc::Rc;

/// Pixels of the picture.
pub(crate) const SIZE: [u32; 2] = [640, 480];
/// Bytes of a line of it.
pub(crate) const PITCH: u32 = 4 * SIZE[0];

/// First constant of our programs, c0 of Direct3D.
const C0: usize = 96;
/// `c102` and `c103`: place and colour of a gem, which fixups change.
const GEM: usize = 102;

/// Transform to the screen, diffuse light from one direction, a place and a colour.
const PROGRAM: &str = "xvs_1_1
    add R3, v0, c[102]
    dp4 R0.x, R3, c[96]
    dp4 R0.y, R3, c[97]
    dp4 R0.z, R3, c[98]
    dp4 R0.w, R3, c[99]
    mul R0.xyz, R0, c[58] + rcc R1.x, R0.w
    mad oPos.xyz, R0, R1.x, c[59]
    mov oPos.w, R0
    dp3 R2.x, v2, c[100]
    max R2.x, R2.x, c[101].x
    mul oD0, R2.x, c[103]
    mov oD1, c[101].y
    mov oT0, v9
    mov oT1, v9";

/// Combiner input: a source, mapped. A in the highest byte.
const fn inputs([a, b, c, d]: [u32; 4]) -> u32 {
    a << 24 | b << 16 | c << 8 | d
}

/// Texture 1 where its alpha is, texture 0 elsewhere, by the colour of the vertices; the gold is added where both meet.
fn inlay() -> PixelShader {
    const ALPHA: u32 = 0x10;
    const INVERT: u32 = 0x20;
    const FACTOR0: u32 = 1;
    const DIFFUSE: u32 = 4;
    const TEXTURE0: u32 = 8;
    const TEXTURE1: u32 = 9;
    const R0: u32 = 0xC;
    const AB: u32 = 4;
    const SUM: u32 = 8;
    let mut shader =
        PixelShader { control: 2, texture_modes: 1 | 1 << 5, factor0: [0xFFFF_C040; 8], ..Default::default() };
    // R0 = factor * t1.a + t0 * (1 - t1.a), then R0 * v0.
    shader.rgb_inputs[0] = inputs([FACTOR0, TEXTURE1 | ALPHA, TEXTURE0, TEXTURE1 | ALPHA | INVERT]);
    shader.rgb_outputs[0] = R0 << SUM;
    shader.rgb_inputs[1] = inputs([R0, DIFFUSE, 0, 0]);
    shader.rgb_outputs[1] = R0 << AB;
    // Final: D alone is R0; G is one.
    shader.final_inputs = [inputs([0, 0, 0, R0]), inputs([0, 0, INVERT, 0])];
    shader
}

/// Resources of the scene.
pub(crate) struct Scene {
    buffers: [u32; 2],
    depth: u32,
    program: VertexShader,
    fixed: VertexShader,
    torus: (Mesh, u32),
    cube: Mesh,
    floor: u32,
    gem: (Mesh, u32),
    patch: u32,
    stone: Texture,
    dots: Texture,
    recorded: Option<(PushBuffer, usize)>,
}

impl Scene {
    /// Makes the resources and sets what stays as it is.
    pub(crate) fn new(console: &mut Console, device: &mut Device) -> Result<Self, Box<dyn std::error::Error>> {
        let surface = PITCH * SIZE[1];
        let (torus, gem) = (torus(1.4, 0.5, [48, 20]), torus(0.25, 0.15, [8, 4]));
        let log2 = TEXTURE_SIDE.ilog2() as u8;
        let shape = Shape::Swizzled { log2: [log2, log2, 0], levels: 1, cube: false };
        const SWIZZLED_A8R8G8B8: u8 = 0x06;
        let texture = |console: &mut Console, image: Vec<u8>| -> Result<_, DriverError> {
            Ok(Texture { address: console.store(&image)?, format: SWIZZLED_A8R8G8B8, shape })
        };
        let circle = |x: u32, y: u32| {
            let [x, y] = [x, y].map(|c| (c % 32) as i32 - 16);
            if x * x + y * y < 100 { 0xFFFF_FFFF } else { 0 }
        };
        let declaration = Rc::new(Declaration::new(&Vertex::elements())?);
        let code: Vec<_> = afterimage_shader_nv2a::assemble(PROGRAM)?.words().collect();
        let scene = Self {
            buffers: [console.allocate(surface)?, console.allocate(surface)?],
            depth: console.allocate(surface)?,
            program: VertexShader::new(declaration.clone(), Some(&code))?,
            fixed: VertexShader::new(declaration, None)?,
            floor: console.store(bytemuck::cast_slice(&floor(8.0, -1.6, 6.0)))?,
            torus: (torus.clone(), console.store(torus.bytes())?),
            gem: (gem.clone(), console.store(gem.bytes())?),
            patch: console.allocate(16 * Vertex::STRIDE)?,
            stone: texture(console, swizzled(checker(0xFFE8_E0D0, 0xFF60_5850)))?,
            dots: texture(console, swizzled(circle))?,
            cube: cube(),
            recorded: None,
        };
        // Two buffers take turns: raw words, as the API has no call for it.
        device.begin_push()?;
        device.end_push(&[1 << 18 | u32::from(method::SET_FLIP_MODULO), 2])?;
        device.set_material(Material { ambient: [0.3; 3], ..Material::default() });
        Ok(scene)
    }

    /// The memory that shows a frame.
    pub(crate) fn buffer(&self, frame: u32) -> u32 {
        self.buffers[frame as usize % 2]
    }

    /// Draws a frame and ends it.
    pub(crate) fn draw(&mut self, console: &mut Console, device: &mut Device, frame: u32) -> Result<(), DriverError> {
        let [width, height] = SIZE;
        let (color, depth) = (self.buffer(frame), Some(self.depth));
        device.set_render_target(Target {
            color,
            depth,
            format: SurfaceFormat::A8R8G8B8,
            width,
            height,
            pitch: PITCH,
        })?;
        device.clear(Some(ClearColor { value: 0xFF00_0000, channels: 0xF }), Some(1.0), Some(0));
        let turn = frame as f32 / 40.0;
        let view = then(&rotation(1, 2, -0.45), &translation([0.0, 0.3, 6.0]));
        let projection = perspective(1.7, width as f32 / height as f32, 1.0, 30.0);
        self.backdrop(device)?;
        device.set_transform(Transform::View, view)?;
        device.set_transform(Transform::Projection, projection)?;
        self.lit(device, turn)?;
        self.flag(console, device, turn)?;
        self.programs(console, device, turn, &then(&view, &projection))?;
        self.glass(device, turn)?;
        device.swap();
        device.kick(console)
    }

    /// Immediate vertices: a sky of four colours behind everything.
    fn backdrop(&self, device: &mut Device) -> Result<(), DriverError> {
        device.set_vertex_shader(&self.fixed);
        for which in [Transform::View, Transform::Projection, Transform::World(0)] {
            device.set_transform(which, IDENTITY)?;
        }
        device.set_texture(0, None)?;
        device.set_pixel_shader(None);
        device.set_render_state(RenderState::Lighting, 0);
        device.set_render_state(RenderState::ZEnable, 0);
        device.begin_immediate(PrimitiveKind::Quads)?;
        for (x, y, color) in
            [(-1.0, 1.0, 0xFF10_2048), (1.0, 1.0, 0xFF20_1040), (1.0, -1.0, 0xFFB0_6040), (-1.0, -1.0, 0xFFD0_9060)]
        {
            device.set_vertex_data_color(3, color)?;
            device.set_vertex_data_4f(VERTEX, [x, y, 0.5, 1.0])?;
        }
        device.end_immediate()?;
        device.set_render_state(RenderState::ZEnable, 1);
        Ok(())
    }

    /// The fixed function: two lights, a texture; a floor from a stream, a torus by indices.
    fn lit(&self, device: &mut Device, turn: f32) -> Result<(), DriverError> {
        let (diffuse, none) = ([0.9, 0.85, 0.8], [0.0; 3]);
        let sun = LightKind::Directional { direction: [0.4, -1.0, 0.6] };
        device.set_light(0, Some(Light { kind: sun, diffuse, specular: none, ambient: [0.5; 3] }))?;
        let position = [2.5 * turn.cos(), 0.8, 2.5 * turn.sin()];
        let lamp = LightKind::Point { position, range: 6.0, attenuation: [0.2, 0.3, 0.1] };
        device.set_light(1, Some(Light { kind: lamp, diffuse: [0.2, 0.4, 1.0], specular: none, ambient: none }))?;
        device.set_render_state(RenderState::Lighting, 1);
        device.set_texture(0, Some(self.stone))?;
        device.set_sampler(0, Sampler { min: 2, mag: 2, ..Sampler::default() })?;
        device.set_transform(Transform::World(0), IDENTITY)?;
        device.set_stream_source(0, StreamSource { address: self.floor, stride: Vertex::STRIDE })?;
        device.draw_vertices(PrimitiveKind::TriangleStrip, 0, 4)?;
        let tilt = then(&rotation(1, 2, 1.1), &rotation(2, 0, turn));
        device.set_transform(Transform::World(0), tilt)?;
        device.set_stream_source(0, StreamSource { address: self.torus.1, stride: Vertex::STRIDE })?;
        device.draw_indexed_vertices(PrimitiveKind::Triangles, &self.torus.0.indices)
    }

    /// A rectangular patch whose control points move: a flag.
    fn flag(&self, console: &mut Console, device: &mut Device, turn: f32) -> Result<(), DriverError> {
        let points: [Vertex; 16] = std::array::from_fn(|at| {
            let [u, v] = [at % 4, at / 4].map(|c| c as f32 / 3.0);
            let wave = 0.8 * u * (4.0 * turn + 5.0 * u).sin();
            let uv = [u * 2.0, v * 2.0];
            Vertex { position: [1.6 + 2.0 * u, 1.6 - 1.3 * v, wave + 1.0], normal: [0.0, 0.0, -1.0], color: !0, uv }
        });
        console.memory().write(self.patch, bytemuck::cast_slice(&points))?;
        device.set_transform(Transform::World(0), IDENTITY)?;
        device.set_texture(0, Some(self.dots))?;
        // The texture's alpha chooses between its colour and a constant.
        device.set_render_state(RenderState::TextureFactor, 0xFFC0_2030);
        let color = Operation::new(TextureOp::BlendTextureAlpha, Source::Texture, Source::Factor);
        let alpha = Operation::new(TextureOp::SelectArg1, Source::Diffuse, Source::Diffuse);
        device.set_texture_stage(0, Stage { color, alpha })?;
        device.set_render_state(RenderState::CullMode, 0);
        device.set_stream_source(0, StreamSource { address: self.patch, stride: Vertex::STRIDE })?;
        let patch = RectPatch {
            first_column: 0,
            first_row: 0,
            width: 4,
            height: 4,
            stride: 4,
            basis: Basis::Bezier,
            order: Order::Cubic,
        };
        device.draw_rect_patch(0, [12.0; 4], Some(&patch), console)?;
        device.set_render_state(RenderState::CullMode, 0x901);
        let modulate = Operation::new(TextureOp::Modulate, Source::Texture, Source::Current);
        device.set_texture_stage(0, Stage { color: modulate, alpha })
    }

    /// A program of our own: a cube from user memory through combiners of our own, and gems from a recording whose place and
    /// colour are changed for every run.
    fn programs(
        &mut self,
        console: &mut Console,
        device: &mut Device,
        turn: f32,
        to_clip: &Matrix,
    ) -> Result<(), DriverError> {
        let spin = then(&rotation(2, 0, -1.5 * turn), &translation([-2.9, 0.1, 0.5]));
        // Rotations are undone by their transpose: the light as the cube sees it.
        let sun = [-0.4f32, 0.8, -0.5];
        let light: [f32; 3] = std::array::from_fn(|row| (0..3).map(|k| spin[row][k] * sun[k]).sum());
        let constants = |world: &Matrix, [x, y, z]: [f32; 3]| {
            let [a, b, c, d] = transposed(&then(world, to_clip));
            [a, b, c, d, [x, y, z, 0.0], [0.25, 0.0, 0.0, 0.0], [0.0; 4], [1.0; 4]]
        };
        device.set_vertex_shader(&self.program);
        device.set_pixel_shader(Some(&inlay()));
        device.set_texture(0, Some(self.stone))?;
        device.set_texture(1, Some(self.dots))?;
        device.set_sampler(1, Sampler { min: 2, mag: 2, ..Sampler::default() })?;
        device.set_vertex_shader_constant(C0, &constants(&spin, light))?;
        let kind = PrimitiveKind::Triangles;
        device.draw_indexed_vertices_up(kind, &self.cube.indices, self.cube.bytes(), Vertex::STRIDE)?;

        device.set_pixel_shader(None);
        device.set_texture(0, None)?;
        device.set_texture(1, None)?;
        device.set_vertex_shader_constant(C0, &constants(&IDENTITY, sun))?;
        let (mut buffer, place) = match self.recorded.take() {
            Some(recorded) => recorded,
            None => self.record(console, device)?,
        };
        for index in 0..8 {
            let (sin, cos) = (turn + index as f32 * std::f32::consts::TAU / 8.0).sin_cos();
            let colour = |phase: f32| 0.6 + 0.4 * (index as f32 + phase).sin();
            let words = [2.8 * cos, -1.2, 2.8 * sin, 0.0, colour(0.0), colour(2.0), colour(4.0), 1.0].map(f32::to_bits);
            device.run_push_buffer(&mut buffer, Fixup::new().arguments(place, 0, &words), console)?;
        }
        self.recorded = Some((buffer, place));
        Ok(())
    }

    /// Records the draw of a gem: the buffer, and where the packet with its two constants is.
    fn record(&self, console: &mut Console, device: &mut Device) -> Result<(PushBuffer, usize), DriverError> {
        const BYTES: u32 = 64 * 1024;
        let mut buffer = PushBuffer::new(console.allocate(BYTES)?, BYTES)?;
        device.begin_push_buffer()?;
        // A packet of one argument says which constant follows.
        let place = device.push_buffer_offset()? + 2;
        device.set_vertex_shader_constant(GEM, &[[0.0; 4], [1.0; 4]])?;
        device.set_stream_source(0, StreamSource { address: self.gem.1, stride: Vertex::STRIDE })?;
        device.draw_indexed_vertices(PrimitiveKind::Triangles, &self.gem.0.indices)?;
        device.end_push_buffer(&mut buffer)?;
        Ok((buffer, place))
    }

    /// Blending: panes of coloured glass, from user memory, which test depth and do not write it.
    fn glass(&self, device: &mut Device, turn: f32) -> Result<(), DriverError> {
        device.set_vertex_shader(&self.fixed);
        device.set_transform(Transform::World(0), rotation(2, 0, 0.7 * turn))?;
        device.set_render_state(RenderState::Lighting, 0);
        device.set_render_state(RenderState::AlphaBlendEnable, 1);
        device.set_render_state(RenderState::SrcBlend, 0x302);
        device.set_render_state(RenderState::DestBlend, 0x303);
        device.set_render_state(RenderState::ZWriteEnable, 0);
        device.set_render_state(RenderState::CullMode, 0);
        let panes: Vec<Vertex> = [(0.0, 0x6040_C0FF), (1.1, 0x60FF_8040), (2.2, 0x6080_FF60)]
            .into_iter()
            .flat_map(|(height, color)| {
                let corner = move |x: f32, y: f32| Vertex {
                    position: [x, y + height - 1.4, -2.0],
                    normal: [0.0, 0.0, -1.0],
                    color,
                    uv: [0.0; 2],
                };
                [corner(-0.6, 1.0), corner(0.6, 1.0), corner(0.6, 0.0), corner(-0.6, 0.0)]
            })
            .collect();
        let (count, bytes) = (panes.len() as u32, bytemuck::cast_slice(&panes));
        device.draw_vertices_up(PrimitiveKind::Quads, count, bytes, Vertex::STRIDE)?;
        device.set_render_state(RenderState::AlphaBlendEnable, 0);
        device.set_render_state(RenderState::ZWriteEnable, 1);
        device.set_render_state(RenderState::CullMode, 0x901);
        Ok(())
    }
}
