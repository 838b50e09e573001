//! What the tests share: a device, and short ways to its calls.

// Not every test uses all of it.
#![allow(dead_code, unreachable_pub)]

use afterimage_metal_calls::*;
use afterimage_metal_soft::*;

pub type Texture = SoftTexture;
pub type Pipeline = SoftRenderPipeline;

/// Whether there is clang. Without it a test says so, and fails if `CI` is set.
pub fn there_is_clang() -> bool {
    match compiler() {
        Ok(()) => true,
        Err(message) => {
            assert!(std::env::var_os("CI").is_none(), "{message}");
            eprintln!("{message}: nothing is tested");
            false
        }
    }
}

pub struct Kit {
    pub device: SoftDevice,
    pub queue: SoftQueue,
}

/// A triangle that covers everything, at a depth, in a colour; `uv` goes from the top left to the bottom right.
pub const PLAIN: &str = r#"
#include <metal_stdlib>
using namespace metal;

struct Params { float4 color; float depth; };
struct Out { float4 position [[position]]; float2 uv; };

vertex Out everything(uint id [[vertex_id]], constant Params& params [[buffer(0)]])
{
    Out out;
    out.uv = float2(id & 1 ? 2.0f : 0.0f, id & 2 ? 2.0f : 0.0f);
    out.position = float4(out.uv.x * 2.0f - 1.0f, 1.0f - out.uv.y * 2.0f, params.depth, 1.0f);
    return out;
}

fragment float4 plain(Out in [[stage_in]], constant Params& params [[buffer(0)]])
{
    return params.color;
}

struct Vertex { float4 position; float4 color; };
struct Colored { float4 position [[position]]; float4 color; };

vertex Colored corners(uint id [[vertex_id]], device const Vertex* vertices [[buffer(0)]])
{
    Colored out;
    out.position = vertices[id].position;
    out.color = vertices[id].color;
    return out;
}

fragment float4 color(Colored in [[stage_in]])
{
    return in.color;
}
"#;

/// `MTLRenderPipelineDescriptor` with what tests change.
pub struct PipelineOf<'a> {
    pub source: &'a str,
    pub vertex: &'a str,
    pub fragment: Option<&'a str>,
    pub colors: Vec<Option<ColorTarget>>,
    pub depth: Option<PixelFormat>,
    pub stencil: Option<PixelFormat>,
    pub samples: u32,
    pub input: VertexDescriptor,
    pub alpha_to_coverage: bool,
    pub alpha_to_one: bool,
    pub rasterization: bool,
    pub topology: TopologyClass,
}

pub fn plain_target(format: PixelFormat) -> ColorTarget {
    ColorTarget { format, blending: None, write: [true; 4] }
}

impl<'a> PipelineOf<'a> {
    pub fn new(source: &'a str, vertex: &'a str, fragment: &'a str, format: PixelFormat) -> Self {
        Self {
            source,
            vertex,
            fragment: Some(fragment),
            colors: vec![Some(plain_target(format))],
            depth: None,
            stencil: None,
            samples: 1,
            input: VertexDescriptor::default(),
            alpha_to_coverage: false,
            alpha_to_one: false,
            rasterization: true,
            topology: TopologyClass::Unspecified,
        }
    }
}

pub const USAGE: TextureUsage = TextureUsage { read: true, write: false, atomic: false, target: true, views: false };

impl Kit {
    pub fn new() -> Self {
        Self::of(Family::Apple7)
    }

    pub fn of(family: Family) -> Self {
        let device = SoftDevice::new(family);
        let queue = device.new_queue("test").unwrap();
        Self { device, queue }
    }

    pub fn function(&self, source: &str, name: &str) -> SoftFunction {
        self.device.new_function(&FunctionDescriptor { source, name, constants: &[], label: name }).unwrap()
    }

    pub fn try_pipeline(&self, of: &PipelineOf<'_>) -> Result<Pipeline> {
        let vertex = self.function(of.source, of.vertex);
        let fragment = of.fragment.map(|name| self.function(of.source, name));
        self.device.new_render_pipeline(&RenderPipelineDescriptor {
            label: "pipeline",
            vertex: &vertex,
            fragment: fragment.as_ref(),
            input: &of.input,
            colors: &of.colors,
            depth: of.depth,
            stencil: of.stencil,
            samples: of.samples,
            alpha_to_coverage: of.alpha_to_coverage,
            alpha_to_one: of.alpha_to_one,
            rasterization: of.rasterization,
            topology: of.topology,
        })
    }

    pub fn pipeline(&self, of: &PipelineOf<'_>) -> Pipeline {
        self.try_pipeline(of).unwrap()
    }

    pub fn buffer(&self, bytes: &[u8]) -> SoftBuffer {
        let length = bytes.len() as u64;
        let buffer = self.empty(length);
        self.device.write(&buffer, 0, bytes).unwrap();
        buffer
    }

    pub fn floats(&self, values: &[f32]) -> SoftBuffer {
        self.buffer(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
    }

    pub fn words(&self, values: &[u32]) -> SoftBuffer {
        self.buffer(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
    }

    pub fn empty(&self, length: u64) -> SoftBuffer {
        let descriptor = BufferDescriptor { length, storage: StorageMode::Shared, label: "buffer".into() };
        self.device.new_buffer(&descriptor).unwrap()
    }

    pub fn bytes_of(&self, buffer: &SoftBuffer, offset: u64, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.device.read(buffer, offset, &mut bytes).unwrap();
        bytes
    }

    pub fn words_of(&self, buffer: &SoftBuffer, count: usize) -> Vec<u32> {
        let bytes = self.bytes_of(buffer, 0, count * 4);
        bytes.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w)).collect()
    }

    pub fn target(&self, format: PixelFormat, size: [u32; 2]) -> Texture {
        self.texture(format, size, |_| {})
    }

    pub fn texture(&self, format: PixelFormat, size: [u32; 2], change: impl FnOnce(&mut TextureDescriptor)) -> Texture {
        let mut descriptor = TextureDescriptor {
            ty: TextureType::D2,
            format,
            size: [size[0], size[1], 1],
            levels: 1,
            samples: 1,
            layers: 1,
            usage: USAGE,
            storage: StorageMode::Private,
            label: format.name().to_owned(),
        };
        change(&mut descriptor);
        self.device.new_texture(&descriptor).unwrap()
    }

    /// Writes texels of a level and slice.
    pub fn fill(&mut self, texture: &Texture, level: u32, slice: u32, size: [u32; 3], row: u64, bytes: &[u8]) {
        let buffer = self.buffer(bytes);
        let image = bytes.len() as u64 / u64::from(size[2]);
        let layout = BufferLayout { offset: 0, bytes_per_row: row, bytes_per_image: image };
        self.queue.begin_blit("fill");
        let region = Region { slice, level, origin: [0; 3], size };
        self.queue.copy_buffer_to_texture(&buffer, layout, texture, region, Aspect::All);
        self.queue.end_encoding();
        self.queue.commit();
        self.fine();
    }

    /// Bytes of a level and slice of a 2D texture.
    pub fn texels(&mut self, texture: &Texture, size: [u32; 2], texel: u64, aspect: Aspect) -> Vec<u8> {
        self.texels_of(texture, 0, 0, [size[0], size[1], 1], texel, aspect)
    }

    pub fn texels_of(
        &mut self,
        texture: &Texture,
        level: u32,
        slice: u32,
        size: [u32; 3],
        texel: u64,
        aspect: Aspect,
    ) -> Vec<u8> {
        let row = u64::from(size[0]) * texel;
        let image = row * u64::from(size[1]);
        let buffer = self.empty(image * u64::from(size[2]));
        self.queue.begin_blit("read");
        let region = Region { slice, level, origin: [0; 3], size };
        let layout = BufferLayout { offset: 0, bytes_per_row: row, bytes_per_image: image };
        self.queue.copy_texture_to_buffer(texture, region, aspect, &buffer, layout);
        self.queue.end_encoding();
        self.queue.commit();
        self.fine();
        self.bytes_of(&buffer, 0, (image * u64::from(size[2])) as usize)
    }

    /// Texels of four bytes.
    pub fn pixels(&mut self, texture: &Texture, size: [u32; 2]) -> Vec<[u8; 4]> {
        self.texels(texture, size, 4, Aspect::All).as_chunks().0.to_vec()
    }

    /// Nothing was wrong.
    pub fn fine(&mut self) {
        let faults = self.queue.faults();
        assert!(faults.is_empty(), "{faults:#?}");
    }

    /// What was wrong, as text.
    pub fn wrong(&mut self) -> String {
        self.queue.faults().iter().map(|f| f.to_string()).collect::<Vec<_>>().join("\n")
    }

    /// Begins a pass with one colour attachment, cleared to nothing.
    pub fn begin(&mut self, target: &Texture) {
        self.begin_with(&[target], None, None, None);
    }

    /// Begins a pass: colours cleared to nothing, depth to 1, stencil to 0.
    pub fn begin_with(
        &mut self,
        colors: &[&Texture],
        depth: Option<&Texture>,
        stencil: Option<&Texture>,
        visibility: Option<&SoftBuffer>,
    ) {
        let at = |texture| Subresource { texture, level: 0, slice: 0, depth_plane: 0 };
        let colors: Vec<_> = colors
            .iter()
            .map(|texture| {
                Some(ColorAttachment {
                    target: at(*texture),
                    resolve: None,
                    load: LoadAction::Clear([0.0; 4]),
                    store: StoreAction::Store,
                })
            })
            .collect();
        let store = StoreAction::Store;
        self.queue.begin_render(&RenderPass {
            label: "pass",
            colors: &colors,
            depth: depth.map(|t| DepthAttachment { target: at(t), resolve: None, load: LoadAction::Clear(1.0), store }),
            stencil: stencil.map(|t| StencilAttachment { target: at(t), load: LoadAction::Clear(0), store }),
            layers: 0,
            without_attachments: None,
            visibility,
        });
    }

    pub fn end(&mut self) {
        self.queue.end_encoding();
        self.queue.commit();
    }

    /// Draws vertices, once.
    pub fn draw(&mut self, primitive: PrimitiveType, count: u32) {
        self.queue.draw(primitive, DrawCount { first: 0, count, instances: 1, base_instance: 0 });
    }

    /// Everything in a colour, at a depth, with [`PLAIN`].
    pub fn everything(&mut self, color: [f32; 4], depth: f32) {
        let params = [color[0], color[1], color[2], color[3], depth, 0.0, 0.0, 0.0];
        let bytes: Vec<u8> = params.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.queue.set_bytes(Stage::Vertex, 0, &bytes);
        self.queue.set_bytes(Stage::Fragment, 0, &bytes);
        self.draw(PrimitiveType::Triangle, 3);
    }
}

/// Corners of [`PLAIN`]'s `corners`, in pixels of a target of a size, all in one colour.
pub fn at_pixels(size: [f32; 2], corners: &[[f32; 2]], color: [f32; 4]) -> Vec<f32> {
    corners
        .iter()
        .flat_map(|[x, y]| {
            let [r, g, b, a] = color;
            [x / size[0] * 2.0 - 1.0, 1.0 - y / size[1] * 2.0, 0.5, 1.0, r, g, b, a]
        })
        .collect()
}

/// A picture of characters: `#` where there is something in a channel.
pub fn picture(pixels: &[[u8; 4]], width: usize, channel: usize) -> Vec<String> {
    let row = |row: &[[u8; 4]]| row.iter().map(|p| if p[channel] > 0 { '#' } else { '.' }).collect();
    pixels.chunks(width).map(row).collect()
}
