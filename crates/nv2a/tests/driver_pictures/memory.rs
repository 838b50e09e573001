//! What a program reads back: reports, semaphores, depth, and depth as a texture. These are the recordings' cases whose
//! processor reads memory, which a recording cannot hold.

use super::*;
use afterimage_nv2a::driver::combine::{Operation, Source, Stage, TextureOp};
use afterimage_nv2a::driver::*;
use afterimage_nv2a::machine::PrimitiveKind;
use afterimage_nv2a_types::method;
use std::rc::Rc;

/// Pixels across and down.
pub(super) const SIDE: u32 = 64;
pub(super) const PITCH: u32 = 256;
/// Surface formats: A8R8G8B8, linear; with the depth format in bits 4 to 7.
const LINEAR_A8R8G8B8: u32 = 8 | 1 << 8;
const Z16: u32 = 1 << 4;
const Z24S8: u32 = 2 << 4;
/// `SET_CONTROL0`.
const STENCIL_WRITE: u32 = 1;
const FLOAT: u32 = 1 << 12;
const W_BUFFER: u32 = 1 << 16;

pub(super) type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Surfaces, and a program that takes positions as they are: pixels, depth units, w.
pub(super) struct Rig {
    pub(super) color: u32,
    depth: u32,
}

impl Rig {
    /// A cleared target of 64 x 64 pixels.
    pub(super) fn new(console: &mut Console, device: &mut Device) -> Result<Self, Box<dyn std::error::Error>> {
        let rig = Self { color: console.allocate(PITCH * SIDE)?, depth: console.allocate(PITCH * SIDE)? };
        device.set_render_target(Target {
            color: rig.color,
            depth: Some(rig.depth),
            format: SurfaceFormat::A8R8G8B8,
            width: SIDE,
            height: SIDE,
            pitch: PITCH,
        })?;
        let element = |attribute, offset, ty| Element { attribute, stream: 0, offset, ty };
        let declaration = Declaration::new(&[element(0, 0, ElementType::Float4), element(3, 16, ElementType::Color)])?;
        let code: Vec<_> = afterimage_shader_nv2a::assemble("mov oPos, v0\nmov oD0, v3")?.words().collect();
        device.set_vertex_shader(&VertexShader::new(Rc::new(declaration), Some(&code))?);
        device.set_render_state(RenderState::CullMode, 0);
        device.clear(Some(ClearColor { value: 0xFF00_0000, channels: 0xF }), Some(1.0), Some(0x55));
        Ok(rig)
    }

    /// A rectangle: left, top, right, bottom in pixels, with a depth and w for its left and its right edge.
    fn rectangle(
        &self,
        device: &mut Device,
        [left, top, right, bottom]: [f32; 4],
        [[z0, w0], [z1, w1]]: [[f32; 2]; 2],
    ) -> Result<(), DriverError> {
        let corner = |x: f32, y: f32, z: f32, w: f32| [x, y, z, w, f32::from_bits(0xFF40_80C0)];
        let corners = [
            corner(left, top, z0, w0),
            corner(right, top, z1, w1),
            corner(right, bottom, z1, w1),
            corner(left, bottom, z0, w0),
        ];
        device.draw_vertices_up(PrimitiveKind::Quads, 4, bytemuck::cast_slice(&corners), 20)
    }

    /// Depth surface of another kind, cleared to its largest value. What a pixel of it says is found by [`Rig::depth_at`].
    fn depth_format(&self, device: &mut Device, format: u32, control: u32, largest: u32) -> Result<(), DriverError> {
        raw(device, method::SET_SURFACE_FORMAT, &[LINEAR_A8R8G8B8 | format])?;
        raw(device, method::SET_CONTROL0, &[1 << 20 | control])?;
        raw(device, method::SET_ZSTENCIL_CLEAR_VALUE, &[largest])?;
        // No depth is cut off.
        raw(device, method::SET_CLIP_MIN, &[0, f32::MAX.to_bits()])?;
        raw(device, method::CLEAR_SURFACE, &[0x3])
    }

    fn depth_at(&self, console: &mut Console, x: u32, y: u32, bytes: u32) -> u32 {
        let word = word(console, (self.depth + y * PITCH + x * bytes) & !3);
        if bytes == 2 { word >> (16 * (x & 1)) & 0xFFFF } else { word }
    }
}

/// Runs a test on a console of its own that has a [`Rig`].
pub(super) fn on_surfaces(test: impl FnOnce(&Rig, &mut Console, &mut Device) -> Outcome) {
    on_console(|console, device| test(&Rig::new(console, device)?, console, device)).unwrap();
}

#[test]
fn reports_count_the_pixels_that_pass() {
    on_surfaces(|rig, console, device| {
        let report = console.allocate(64)?;
        write(console, report, &[0xEE; 64]);
        let count = |device: &mut Device, offset: u32| raw(device, method::GET_REPORT, &[1 << 24 | (report + offset)]);
        raw(device, method::SET_ZPASS_PIXEL_COUNT_ENABLE, &[1])?;
        raw(device, method::CLEAR_REPORT_VALUE, &[1])?;
        let near = [[1000.0, 1.0]; 2];
        rig.rectangle(device, [8.0, 8.0, 24.0, 18.0], near)?;
        count(device, 0)?;
        // Half of it lies behind the first one.
        rig.rectangle(device, [16.0, 8.0, 32.0, 18.0], [[2000.0, 1.0]; 2])?;
        count(device, 16)?;
        raw(device, method::SET_ZPASS_PIXEL_COUNT_ENABLE, &[0])?;
        rig.rectangle(device, [40.0, 40.0, 50.0, 50.0], near)?;
        count(device, 32)?;
        raw(device, method::CLEAR_REPORT_VALUE, &[1])?;
        count(device, 48)?;
        device.kick(console)?;
        let counts: Vec<u32> = (0..4).map(|at| word(console, report + 16 * at + 8)).collect();
        assert_eq!(counts, [160, 240, 240, 0]);
        assert!((0..4).all(|at| word(console, report + 16 * at + 12) == 0), "the status");
        Ok(())
    });
}

#[test]
fn semaphores_are_released_in_order() {
    on_surfaces(|rig, console, device| {
        let semaphore = console.allocate(64)?;
        write(console, semaphore, &[0xEE; 64]);
        raw(device, method::SET_SEMAPHORE_OFFSET, &[semaphore])?;
        raw(device, method::BACK_END_WRITE_SEMAPHORE_RELEASE, &[0x1234_5678])?;
        rig.rectangle(device, [0.0, 0.0, 64.0, 64.0], [[0.0, 1.0]; 2])?;
        raw(device, method::SET_SEMAPHORE_OFFSET, &[semaphore + 8])?;
        raw(device, method::BACK_END_WRITE_SEMAPHORE_RELEASE, &[0x9ABC_DEF0])?;
        device.kick(console)?;
        let words: Vec<u32> = (0..4).map(|at| word(console, semaphore + 4 * at)).collect();
        assert_eq!(words, [0x1234_5678, 0xEEEE_EEEE, 0x9ABC_DEF0, 0xEEEE_EEEE]);
        assert_eq!(word(console, rig.color + 32 * PITCH + 128), 0xFF40_80C0, "and the draw between them is in memory");
        Ok(())
    });
}

#[test]
fn depth_and_stencil_of_24_and_8_bits() {
    on_surfaces(|rig, console, device| {
        device.set_render_state(RenderState::StencilEnable, 1);
        device.set_render_state(RenderState::StencilPass, 0x1E01);
        device.set_render_state(RenderState::StencilRef, 0xA7);
        raw(device, method::SET_CONTROL0, &[1 << 20 | STENCIL_WRITE])?;
        rig.rectangle(device, [0.0, 0.0, 32.0, 64.0], [[0x12_3456 as f32, 1.0]; 2])?;
        device.kick(console)?;
        assert_eq!(rig.depth_at(console, 5, 40, 4), 0x1234_56A7);
        assert_eq!(rig.depth_at(console, 40, 5, 4), 0xFFFF_FF55, "what the clear left");
        Ok(())
    });
}

#[test]
fn depth_of_16_bits() {
    on_surfaces(|rig, console, device| {
        rig.depth_format(device, Z16, 0, 0xFFFF)?;
        rig.rectangle(device, [0.0, 0.0, 32.0, 64.0], [[f32::from(0x1234u16), 1.0]; 2])?;
        device.kick(console)?;
        assert_eq!(rig.depth_at(console, 5, 40, 2), 0x1234);
        assert_eq!(rig.depth_at(console, 40, 5, 2), 0xFFFF, "what the clear left");
        Ok(())
    });
}

#[test]
fn depth_as_floats() {
    on_surfaces(|rig, console, device| {
        rig.depth_format(device, Z24S8, FLOAT, 0xFFFF_FF00)?;
        // The high 24 bits of a positive float that has 16 bits of fraction.
        let z = 1234.5_f32;
        rig.rectangle(device, [0.0, 0.0, 32.0, 64.0], [[z, 1.0]; 2])?;
        device.kick(console)?;
        assert_eq!(rig.depth_at(console, 5, 40, 4) >> 8, z.to_bits() << 1 >> 8, "{z}");
        Ok(())
    });
}

#[test]
fn depth_from_w() {
    on_surfaces(|rig, console, device| {
        rig.depth_format(device, Z24S8, W_BUFFER, 0xFFFF_FF00)?;
        let w = 40_000.0;
        rig.rectangle(device, [0.0, 0.0, 32.0, 64.0], [[5.0, w]; 2])?;
        device.kick(console)?;
        assert_eq!(rig.depth_at(console, 5, 40, 4) >> 8, w as u32);
        // Between two edges w is what perspective makes of it, and not z.
        rig.depth_format(device, Z24S8, W_BUFFER, 0xFFFF_FF00)?;
        rig.rectangle(device, [0.0, 0.0, 64.0, 64.0], [[7.0, 10_000.0], [7.0, 30_000.0]])?;
        device.kick(console)?;
        let middle = rig.depth_at(console, 32, 32, 4) >> 8;
        let (part, near, far) = (32.5 / 64.0, 1.0 / 10_000.0, 1.0 / 30_000.0);
        let expected = 1.0 / (near + (far - near) * part);
        assert!((f64::from(middle) - expected).abs() < 30.0, "{middle} against {expected}");
        Ok(())
    });
}

#[test]
fn a_depth_buffer_is_read_as_a_colour_texture() {
    on_surfaces(|rig, console, device| {
        rig.rectangle(device, [0.0, 0.0, 32.0, 64.0], [[0x12_3456 as f32, 1.0]; 2])?;
        // The same memory as linear A8R8G8B8: depth is in red, green and alpha, stencil in blue.
        const LINEAR_A8R8G8B8: u8 = 0x12;
        let copy = console.allocate(PITCH * SIDE)?;
        device.set_render_target(Target {
            color: copy,
            depth: None,
            format: SurfaceFormat::A8R8G8B8,
            width: SIDE,
            height: SIDE,
            pitch: PITCH,
        })?;
        let element = |attribute, offset, ty| Element { attribute, stream: 0, offset, ty };
        let declaration = Declaration::new(&[element(0, 0, ElementType::Float4), element(9, 16, ElementType::Float2)])?;
        let code: Vec<_> = afterimage_shader_nv2a::assemble("mov oPos, v0\nmov oT0, v9")?.words().collect();
        device.set_vertex_shader(&VertexShader::new(Rc::new(declaration), Some(&code))?);
        let shape = Shape::Linear { width: SIDE, height: SIDE, pitch: PITCH };
        device.set_texture(0, Some(Texture { address: rig.depth, format: LINEAR_A8R8G8B8, shape }))?;
        device.set_sampler(0, Sampler { address: [3; 3], ..Sampler::default() })?;
        let texel = Operation::new(TextureOp::SelectArg1, Source::Texture, Source::Texture);
        device.set_texture_stage(0, Stage { color: texel, alpha: texel })?;
        let side = SIDE as f32;
        let corner = |x: f32, y: f32| [x, y, 0.0, 1.0, x, y];
        let corners = [corner(0.0, 0.0), corner(side, 0.0), corner(side, side), corner(0.0, side)];
        device.draw_vertices_up(PrimitiveKind::Quads, 4, bytemuck::cast_slice(&corners), 24)?;
        device.kick(console)?;
        assert_eq!(word(console, copy + 40 * PITCH + 4 * 5), 0x1234_5655);
        assert_eq!(word(console, copy + 5 * PITCH + 4 * 40), 0xFFFF_FF55);
        Ok(())
    });
}
