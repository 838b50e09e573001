//! A stream with something of nearly everything.

use super::recorder::Recorder;
use super::*;
use afterimage_metal_calls::Family;
use afterimage_stream::{Format, ObjectId, ObjectKind};

/// Gives points as they are.
const GEOMETRY: &str = "geometry {
  geometry points points vertices 1 invocations 1
  input in0 : f32x4 position smooth
  input in1 : f32x4 location 0 smooth
  output out0 : f32x4 position
  output out1 : f32x4 location 0
  v0: i32 = const 0
  v1: f32x4 = load_vertex_input in0, v0
  v2: f32x4 = load_vertex_input in1, v0
  store_output out0, v1
  store_output out1, v2
  emit_vertex 0
  return
}";

/// A guest whose stream has something of nearly everything.
pub fn everything() -> GuestOn<Recorder> {
    let mut guest = GuestOn::on(Recorder::silent(Family::Apple7));
    let color = guest.target(Format::B8G8R8A8_UNORM, 16, 16);
    let depth = guest.texture(Format::D24_UNORM_S8_UINT, 16, 16, 1, CreateTexture::TARGET);
    guest.bind(color, depth);
    guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, RED, 1.0, 3);
    guest.clear_rects(Clear::RED | Clear::DEPTH, GREEN, 0.5, &[Rect { x: 1, y: 2, width: 3, height: 4 }]);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    guest.vertices(&full(0.5, BLUE));
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 8, 8, 4, 0);
    guest.update_texture(texture, 1, 0, [4, 4], 16, &[9; 64]);
    let sampler = guest.sampler(sampling(Filter::Linear));
    guest.bind_texture(0, texture, sampler);
    guest.draw(Topology::TriangleList, 0, 6);
    guest.encoder.push(&SetRaster { depth_clip: 1, sample_mask: u32::MAX, ..SetRaster::default() });
    guest.encoder.push(&SetDepthStencil { depth_test: 1, depth_write: 1, depth_compare: 3, ..Default::default() });
    let blend = SetBlend { enable: 1, src_color: 1, write_masks: [15; 8], ..SetBlend::default() };
    guest.encoder.push_tail(&blend, &[]);
    guest.draw_indices(Topology::TriangleFan, &[0, 1, 2, 3, 5], 2, 1);
    guest.draw_indices(Topology::TriangleStrip, &[0, 1, 2, 3, 5], 1, 0);
    guest.draw_now(&full(0.25, RED));
    let query = guest.id(ObjectKind::Query);
    guest.encoder.push(&CreateQuery { id: query, kind: QueryKind::Occlusion as u32 });
    guest.encoder.push(&BeginQuery { id: query, pad: 0 });
    guest.pixel_constant(0, GREEN);
    guest.draw(Topology::PointList, 0, 6);
    guest.encoder.push(&EndQuery { id: query, pad: 0, token: 7 });
    guest.encoder.push(&GenerateMips { id: texture, filter: Filter::Linear as u32 });
    let view = |texture| View { texture, level: 0, layer: 0 };
    let whole = Rect { x: 0, y: 0, width: 8, height: 8 };
    let half = Rect { x: 4, y: 4, width: 4, height: 4 };
    let filter = Filter::Linear as u32;
    guest.encoder.push(&Blit { src: view(texture), dst: view(color), src_rect: whole, dst_rect: half, filter, pad: 0 });
    let (one, two) = (guest.words(&[1; 64]), guest.words(&[2; 64]));
    guest.encoder.push(&CopyBuffer { src: one, dst: two, src_offset: 0, dst_offset: 64, size: 128 });
    guest.encoder.push(&FillBuffer { id: one, value: 0x01020304, offset: 16, size: 64 });
    let copy = TextureCopy { texture, buffer: one, width: 2, height: 2, depth: 1, row_pitch: 8, ..Zeroable::zeroed() };
    guest.encoder.push(&CopyToTexture { copy });
    guest.encoder.push(&CopyFromTexture { copy });
    let indirect = guest.words(&[6, 1, 0, 0, 3, 1, 0, 0]);
    let (topology, buffer) = (Topology::TriangleList as u32, indirect);
    guest.encoder.push(&DrawIndirect { topology, indexed: 0, buffer, count: 2, offset: 0, stride: 16, pad: 0 });
    let cube = CreateTexture { dimension: Dimension::Cube as u8, layers: 6, ..plain(Format::BC1_RGBA_UNORM, 8, 8, 2) };
    let cube = guest.texture_with(cube);
    guest.bind_texture(1, cube, sampler);
    let data = guest.upload(&[0; 1024]);
    let rect = Rect { x: 0, y: 0, width: 16, height: 16 };
    guest.encoder.push(&ReadBack { src: view(color), rect, row_pitch: 64, pad: 0, token: 1, data });
    guest.encoder.push(&Destroy { id: texture, pad: 0 });
    guest.draw(Topology::LineStrip, 0, 6);
    let [vertex, pixel] = [guest.shader(Stage::Vertex, VERTEX), guest.shader(Stage::Pixel, COLOR)];
    let geometry = guest.shader(Stage::Geometry, GEOMETRY);
    guest.encoder.push(&SetShaders { vertex, pixel, geometry, ..SetShaders::default() });
    guest.draw(Topology::PointList, 0, 6);
    guest.present(color);
    guest.present(ObjectId::NONE);
    guest
}
