//! Draws a triangle with Metal and says what came of it: the first thing to run on a Mac.
//!
//! `cargo run -p afterimage-metal-apple --example triangle [NAME OR REGISTRY ID OF A DEVICE]`. With `MTL_DEBUG_LAYER=1` in the environment
//! Apple's validation layer looks on.

fn main() -> std::process::ExitCode {
    match triangle() {
        Ok(text) => {
            println!("{text}");
            std::process::ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "macos"))]
fn triangle() -> Result<String, String> {
    Err("there is Metal on macOS alone".into())
}

#[cfg(target_os = "macos")]
fn triangle() -> Result<String, String> {
    let choice = std::env::args().nth(1);
    afterimage_metal_apple::pool(|| drawn::picture(choice.as_deref())).map_err(|error| error.to_string())
}

#[cfg(target_os = "macos")]
mod drawn {
    use afterimage_metal_calls::{
        Aspect, BufferDescriptor, BufferLayout, ColorAttachment, ColorTarget, Constant, Device as _, DrawCount, Error,
        FunctionDescriptor, LoadAction, PixelFormat, PrimitiveType, Queue as _, Region, RenderPass,
        RenderPipelineDescriptor, Result, Stage, StorageMode, StoreAction, Subresource, TextureDescriptor, TextureType,
        TextureUsage, TopologyClass, VertexDescriptor,
    };
    use std::time::Duration;

    const SOURCE: &str = "
        #include <metal_stdlib>
        using namespace metal;
        constant float blue [[function_constant(0)]];
        struct Vertex { float4 position [[position, invariant]]; };
        vertex Vertex corners(uint id [[vertex_id]], constant float2* at [[buffer(0)]]) {
            return { float4(at[id], 0.0, 1.0) };
        }
        fragment float4 colour() { return float4(1.0, 0.5, blue, 1.0); }
    ";
    const EDGE: u32 = 64;
    const ROW: u64 = 256;

    /// Draws, and says what the device is and what is in the middle and in a corner of the picture.
    pub(crate) fn picture(choice: Option<&str>) -> Result<String> {
        let device = afterimage_metal_apple::Device::choose(choice)?;
        let function =
            |name, constants| device.new_function(&FunctionDescriptor { source: SOURCE, name, constants, label: name });
        let vertex = function("corners", &[])?;
        let fragment = function("colour", &[(0, Constant::Float(0.25_f32.to_bits()))])?;
        let color = ColorTarget { format: PixelFormat::BGRA8Unorm, blending: None, write: [true; 4] };
        let pipeline = device.new_render_pipeline(&RenderPipelineDescriptor {
            label: "triangle",
            vertex: &vertex,
            fragment: Some(&fragment),
            input: &VertexDescriptor::default(),
            colors: &[Some(color)],
            depth: None,
            stencil: None,
            samples: 1,
            alpha_to_coverage: false,
            alpha_to_one: false,
            rasterization: true,
            topology: TopologyClass::Triangle,
        })?;
        let texture = device.new_texture(&TextureDescriptor {
            ty: TextureType::D2,
            format: PixelFormat::BGRA8Unorm,
            size: [EDGE, EDGE, 1],
            levels: 1,
            samples: 1,
            layers: 1,
            usage: TextureUsage { target: true, ..TextureUsage::default() },
            storage: StorageMode::Private,
            label: "picture".into(),
        })?;
        let buffer = |length, label: &str| {
            device.new_buffer(&BufferDescriptor { length, storage: StorageMode::Shared, label: label.into() })
        };
        let (corners, texels) = (buffer(24, "corners")?, buffer(ROW * u64::from(EDGE), "texels")?);
        let places = [-1.0_f32, -1.0, 0.0, 1.0, 1.0, -1.0];
        device.write(&corners, 0, &places.map(f32::to_le_bytes).concat())?;

        let mut queue = device.new_queue("triangle")?;
        let target = Subresource { texture: &texture, level: 0, slice: 0, depth_plane: 0 };
        let load = LoadAction::Clear([0.0, 0.0, 1.0, 1.0]);
        let color = ColorAttachment { target, resolve: None, load, store: StoreAction::Store };
        queue.begin_render(&RenderPass {
            label: "triangle",
            colors: &[Some(color)],
            depth: None,
            stencil: None,
            layers: 0,
            without_attachments: None,
            visibility: None,
        });
        queue.set_render_pipeline(&pipeline);
        queue.set_buffer(Stage::Vertex, 0, &corners, 0);
        queue.draw(PrimitiveType::Triangle, DrawCount { first: 0, count: 3, instances: 1, base_instance: 0 });
        queue.end_encoding();
        queue.begin_blit("picture");
        let region = Region { slice: 0, level: 0, origin: [0; 3], size: [EDGE, EDGE, 1] };
        let layout = BufferLayout { offset: 0, bytes_per_row: ROW, bytes_per_image: 0 };
        queue.copy_texture_to_buffer(&texture, region, Aspect::All, &texels, layout);
        queue.end_encoding();
        let serial = queue.commit();
        let in_time = queue.wait(serial, Duration::from_secs(10));
        let faults: Vec<String> = queue.faults().iter().map(ToString::to_string).collect();
        if !in_time || !faults.is_empty() {
            return Err(Error::Refused { what: "triangle", faults });
        }
        let texel = |x: u64, y: u64| {
            let mut texel = [0; 4];
            device.read(&texels, y * ROW + x * 4, &mut texel).map(|()| texel)
        };
        Ok(format!(
            "{:#?}\nmiddle {:?} (64, 128, 255, 255 is right), corner {:?} (255, 0, 0, 255), times {:?}",
            device.facts(),
            texel(32, 40)?,
            texel(0, 0)?,
            queue.times(serial)
        ))
    }
}
