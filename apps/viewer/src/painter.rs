//! Draws egui's triangles: a small guest of our own, whose stream a renderer of its own executes.

use crate::graphics::{Device, Draws};
use crate::source::unwritten;
use afterimage_capture::MemoryArena;
use afterimage_stream::packets::{
    Address, BeginFrame, BlendFactor, Clear, CreateSampler, CreateShader, CreateTexture, CreateVertexInput, Destroy,
    DrawIndexed, Filter, Init, Language, Present, PresentTarget, Rect, SetBlend, SetIndexBuffer, SetRenderTargets,
    SetScissor, SetShaders, SetTextures, SetVertexBuffers, SetVertexInput, SetViewport, Stage, TextureBinding,
    Topology, UpdateTexture, VertexAttribute, VertexBuffer,
};
use afterimage_stream::{Encoder, Format, IdAllocator, ObjectId, ObjectKind, VertexFormat};
use afterimage_vulkan::Options;
use afterimage_window::Handles;
use bytemuck::Zeroable;
use egui::epaint::{ClippedPrimitive, ImageData, ImageDelta, Primitive, Vertex};
use egui::{TextureFilter, TextureId, TexturesDelta};
use std::collections::HashMap;

/// Positions come in clip space; colours are premultiplied and, like the target, encoded as sRGB.
const VERTEX: &str = r#"vertex "gui" {
  input in0 "position" : f32x4 location 0 smooth
  input in1 "color" : f32x4 location 1 smooth
  input in2 "texcoord" : f32x4 location 2 smooth
  output out0 : f32x4 position
  output out1 : f32x4 location 0
  output out2 : f32x4 location 2
  v0: f32x4 = load_input in0
  v1: f32x4 = load_input in1
  v2: f32x4 = load_input in2
  store_output out0, v0
  store_output out1, v1
  store_output out2, v2
  return
}"#;
const PIXEL: &str = r#"pixel "gui" {
  input in0 : f32x4 location 0 smooth
  input in1 : f32x4 location 2 smooth
  output out0 : f32x4 location 0
  texture t0 slot 0 2d
  v0: f32x4 = load_input in0
  v1: f32x4 = load_input in1
  v2: f32x2 = swizzle v1.xy
  v3: f32x4 = sample t0, v2
  v4: f32x4 = fmul v0, v3
  store_output out0, v4
  return
}"#;

/// A texture of egui's.
struct Texture {
    id: ObjectId,
    size: [u32; 2],
    smooth: bool,
}

/// Draws one window.
pub(crate) struct Painter {
    device: Device,
    renderer: Box<dyn Draws>,
    stream: Encoder,
    arena: MemoryArena,
    ids: IdAllocator,
    frame: u64,
    window: ObjectId,
    /// What is drawn to, and its size.
    target: ObjectId,
    size: [u32; 2],
    samplers: [ObjectId; 2],
    textures: HashMap<TextureId, Texture>,
}

impl Painter {
    /// A painter of a window, with the programs' device. The window must live until the painter is gone.
    pub(crate) fn new(options: &Options, handles: Handles) -> Result<Self, String> {
        let (device, renderer) = Device::of_window(&unwritten(options), handles)?;
        let mut ids = IdAllocator::default();
        let mut id = |kind| ids.allocate(kind).ok_or("no ids of objects are left");
        let window = id(ObjectKind::Target)?;
        let samplers = [id(ObjectKind::Sampler)?, id(ObjectKind::Sampler)?];
        let shaders = [id(ObjectKind::Shader)?, id(ObjectKind::Shader)?];
        let input = id(ObjectKind::VertexInput)?;
        let mut painter = Self {
            device,
            renderer,
            stream: Encoder::new(),
            arena: MemoryArena::default(),
            ids,
            frame: 0,
            window,
            target: ObjectId::NONE,
            size: [0; 2],
            samplers,
            textures: HashMap::new(),
        };
        painter.create(shaders, input);
        Ok(painter)
    }

    /// What never changes.
    fn create(&mut self, shaders: [ObjectId; 2], input: ObjectId) {
        let name = b"afterimage-viewer";
        let count = name.len() as u32;
        let init = Init { version: Init::VERSION, count, process: std::process::id(), guest: 0 };
        self.stream.push_tail(&init, name);
        for (id, filter) in self.samplers.into_iter().zip([Filter::Nearest, Filter::Linear]) {
            let (filter, address) = (filter as u8, [Address::ClampToEdge as u8; 3]);
            self.stream.push(&CreateSampler { id, mag: filter, min: filter, address, ..CreateSampler::zeroed() });
        }
        for (id, stage, text) in [(shaders[0], Stage::Vertex, VERTEX), (shaders[1], Stage::Pixel, PIXEL)] {
            let code = self.arena.push(text.as_bytes());
            self.stream.push(&CreateShader { id, stage: stage as u32, language: Language::Ir as u32, pad: 0, code });
        }
        let attribute = |location, format, offset| VertexAttribute::per_vertex(location, 0, format, offset);
        let attributes = [
            attribute(0, VertexFormat::R32G32_SFLOAT, std::mem::offset_of!(Vertex, pos) as u16),
            attribute(1, VertexFormat::R8G8B8A8_UNORM, std::mem::offset_of!(Vertex, color) as u16),
            attribute(2, VertexFormat::R32G32_SFLOAT, std::mem::offset_of!(Vertex, uv) as u16),
        ];
        self.stream.push_tail(&CreateVertexInput { id: input, count: 3 }, &attributes);
        self.stream.push(&SetVertexInput { id: input, pad: 0 });
        self.stream.push(&SetShaders { vertex: shaders[0], pixel: shaders[1], ..SetShaders::default() });
        let (one, rest) = (BlendFactor::One as u8, BlendFactor::OneMinusSrcAlpha as u8);
        self.stream.push_tail(
            &SetBlend {
                enable: 1,
                src_color: one,
                dst_color: rest,
                src_alpha: one,
                dst_alpha: rest,
                write_masks: [15; 8],
                ..SetBlend::default()
            },
            &[],
        );
    }

    fn id(&mut self, kind: ObjectKind) -> Result<ObjectId, String> {
        self.ids.allocate(kind).ok_or_else(|| "no ids of objects are left".into())
    }

    fn create_texture(&mut self, [width, height]: [u32; 2], usage: u8) -> Result<ObjectId, String> {
        let id = self.id(ObjectKind::Texture)?;
        self.stream.push(&CreateTexture { usage, ..CreateTexture::plain(id, Format::R8G8B8A8_UNORM, [width, height]) });
        Ok(id)
    }

    fn destroy(&mut self, id: ObjectId) {
        self.stream.push(&Destroy { id, pad: 0 });
    }

    fn resize(&mut self, size: [u32; 2]) -> Result<(), String> {
        let [width, height] = size;
        self.stream.push(&PresentTarget { id: self.window, width, height, window_kind: 0, window: 0 });
        if !self.target.is_none() {
            self.stream.push(&SetRenderTargets::default());
            self.destroy(self.target);
        }
        self.target = self.create_texture(size, CreateTexture::TARGET)?;
        self.size = size;
        let mut targets = SetRenderTargets::default();
        targets.color[0].texture = self.target;
        self.stream.push(&targets);
        let (width, height) = (width as f32, height as f32);
        self.stream.push(&SetViewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 });
        Ok(())
    }

    fn update(&mut self, id: TextureId, delta: &ImageDelta) -> Result<(), String> {
        let ImageData::Color(image) = &delta.image;
        let size = image.size.map(|edge| u32::try_from(edge).unwrap_or(u32::MAX));
        if size.contains(&0) {
            return Ok(());
        }
        if delta.pos.is_none() && self.textures.get(&id).is_none_or(|texture| texture.size != size) {
            if let Some(old) = self.textures.remove(&id) {
                self.destroy(old.id);
            }
            let smooth = delta.options.magnification == TextureFilter::Linear;
            let new = self.create_texture(size, 0)?;
            self.textures.insert(id, Texture { id: new, size, smooth });
        }
        let Some(texture) = self.textures.get(&id) else { return Ok(()) };
        let [x, y] = delta.pos.unwrap_or_default().map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        let data = self.arena.push(bytemuck::cast_slice(&image.pixels));
        let (id, [width, height]) = (texture.id, size);
        let zero = UpdateTexture::zeroed();
        self.stream.push(&UpdateTexture { id, x, y, width, height, depth: 1, row_pitch: width * 4, data, ..zero });
        Ok(())
    }

    fn draw(&mut self, clipped: &ClippedPrimitive, points: f32) {
        let Primitive::Mesh(mesh) = &clipped.primitive else { return };
        let Some(texture) = self.textures.get(&mesh.texture_id).filter(|_| !mesh.indices.is_empty()) else { return };
        let edge = |at: f32, last: u32| (at * points).round().clamp(0.0, last as f32) as u32;
        let [width, height] = self.size;
        let clip = clipped.clip_rect;
        let (x, y) = (edge(clip.min.x, width), edge(clip.min.y, height));
        let (right, bottom) = (edge(clip.max.x, width), edge(clip.max.y, height));
        if right <= x || bottom <= y {
            return;
        }
        let binding = TextureBinding { texture: texture.id, sampler: self.samplers[usize::from(texture.smooth)] };
        let rect = Rect { x: x as i32, y: y as i32, width: right - x, height: bottom - y };
        self.stream.push(&SetScissor { rect });
        self.stream.push_tail(&SetTextures { first: 0, count: 1 }, &[binding]);
        let mut vertices = mesh.vertices.clone();
        for vertex in &mut vertices {
            vertex.pos.x = vertex.pos.x * points * 2.0 / width as f32 - 1.0;
            vertex.pos.y = 1.0 - vertex.pos.y * points * 2.0 / height as f32;
        }
        let upload = |slot| ObjectId::new(ObjectKind::Upload, slot);
        let data = self.arena.push(bytemuck::cast_slice(&vertices));
        let (source, stride) = (upload(data.slot), size_of::<Vertex>() as u32);
        let buffer = VertexBuffer { source, stride, offset: data.offset, size: data.size.into() };
        self.stream.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[buffer]);
        let data = self.arena.push(bytemuck::cast_slice(&mesh.indices));
        let (source, offset, size) = (upload(data.slot), data.offset, data.size.into());
        self.stream.push(&SetIndexBuffer { source, index_bytes: 4, restart: 0, offset, size });
        self.stream.push(&DrawIndexed {
            topology: Topology::TriangleList as u32,
            first: 0,
            count: mesh.indices.len() as u32,
            instances: 1,
            base_vertex: 0,
            first_instance: 0,
        });
    }

    /// Draws a picture and shows it. The size has no zero; `points` are pixels of a point.
    ///
    /// # Errors
    /// Where the device is lost, or a packet is refused, in words.
    pub(crate) fn paint(
        &mut self,
        size: [u32; 2],
        primitives: &[ClippedPrimitive],
        delta: &TexturesDelta,
        points: f32,
    ) -> Result<(), String> {
        self.frame += 1;
        let frame = self.frame;
        self.stream.push(&BeginFrame { frame });
        if size != self.size {
            self.resize(size)?;
        }
        for (id, deltas) in &delta.set {
            for delta in deltas {
                self.update(*id, delta)?;
            }
        }
        let whole = Rect { x: 0, y: 0, width: size[0], height: size[1] };
        self.stream.push(&SetScissor { rect: whole });
        let color = [0.0, 0.0, 0.0, 1.0];
        self.stream.push_tail(&Clear { flags: Clear::COLOR, color, depth: 1.0, ..Clear::zeroed() }, &[]);
        for primitive in primitives {
            self.draw(primitive, points);
        }
        self.stream.push_tail(&SetTextures { first: 0, count: 1 }, &[TextureBinding::default()]);
        for id in &delta.free {
            if let Some(old) = self.textures.remove(id) {
                self.destroy(old.id);
            }
        }
        let (target, texture) = (self.window, self.target);
        self.stream.push(&Present { frame, target, texture, ..Present::zeroed() });
        let batch = std::mem::take(self.stream.batch());
        let (renderer, arena) = (&mut self.renderer, &self.arena);
        let done = self.device.around(|| {
            let done = renderer.execute(&batch, arena, &mut |_| {});
            renderer.poll(&mut |_| {});
            done
        });
        self.arena.clear();
        if let Some(lost) = self.renderer.loss() {
            return Err(lost);
        }
        done.map_err(|error| error.to_string())
    }
}
