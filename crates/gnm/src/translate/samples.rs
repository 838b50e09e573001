//! Multisampled images: texels of every sample to and from memory, which no copy of the host moves.
//!
//! They go by way of an image of one sample, in which the samples of a line follow one another as lines: line `y` of sample `s`
//! is line `y * samples + s`. A draw over everything moves them from there into the samples, or from the samples to there. Colours
//! are moved as the bits that they are. What draws of the guest's have set is sent again afterwards.
//!
//! No shader reads stencils. Those of samples become colours by eight draws that add up what passes the test of a bit each; into samples
//! they go with their depths by an update, which the receiver has ways for.

use super::Translator;
use super::surfaces::{SurfaceError, ViewDesc};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, Port, PortError};
use rustc_hash::FxHashMap;

/// A triangle over everything: corners (-1, -1), (3, -1), (-1, 3).
const EVERYWHERE: &str = r#"vertex "everywhere" {
  input in0 : i32 vertex_index smooth
  output out0 : f32x4 position
  v0: i32 = load_input in0
  v1: i32 = const 1
  v2: i32 = iand v0, v1
  v3: i32 = ushr v0, v1
  v4: f32 = i2f v2
  v5: f32 = i2f v3
  v6: f32 = const 4.0
  v7: f32 = fmul v4, v6
  v8: f32 = fmul v5, v6
  v9: f32 = const -1.0
  v10: f32 = fadd v7, v9
  v11: f32 = fadd v8, v9
  v12: f32x2 = const 0.0, 1.0
  v13: f32x4 = construct v10, v11, v12
  store_output out0, v13
  return
}"#;

/// What a draw moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Move {
    /// Out of the samples, else into them.
    out: bool,
    is_depth: bool,
    samples: u32,
}

impl Move {
    /// The pixel shader.
    fn text(self) -> String {
        let Self { out, is_depth, samples } = self;
        let (texel, kind) = if is_depth { ("f32x4", "") } else { ("i32x4", " uint") };
        let (bits, mask) = (samples.ilog2(), samples - 1);
        if out {
            return format!(
                r#"pixel "out of samples" {{
  input in0 : f32x4 frag_coord smooth
  output out0 : {texel} location 0
  texture t0 slot 0 2dms{kind}
  v0: f32x4 = load_input in0
  v1: f32x2 = swizzle v0.xy
  v2: i32x2 = f2i v1
  v3: i32 = swizzle v2.x
  v4: i32 = swizzle v2.y
  v5: i32 = const {bits}
  v6: i32 = ushr v4, v5
  v7: i32 = const {mask}
  v8: i32 = iand v4, v7
  v9: i32x2 = construct v3, v6
  v10: {texel} = fetch t0, v9, v8
  store_output out0, v10
  return
}}"#
            );
        }
        let (output, last) = if is_depth {
            ("f32 frag_depth", "  v11: f32 = swizzle v10.x\n  store_output out0, v11\n")
        } else {
            ("i32x4 location 0", "  store_output out0, v10\n")
        };
        format!(
            r#"pixel "into samples" {{
  input in0 : f32x4 frag_coord smooth
  input in1 : i32 sample_id flat
  output out0 : {output}
  texture t0 slot 0 2d{kind}
  v0: f32x4 = load_input in0
  v1: i32 = load_input in1
  v2: f32x2 = swizzle v0.xy
  v3: i32x2 = f2i v2
  v4: i32 = swizzle v3.x
  v5: i32 = swizzle v3.y
  v6: i32 = const {bits}
  v7: i32 = ishl v5, v6
  v8: i32 = iadd v7, v1
  v9: i32x2 = construct v4, v8
  v12: i32 = const 0
  v10: {texel} = fetch t0, v9, v12
{last}  return
}}"#
        )
    }
}

/// White everywhere.
const WHITE: &str = r#"pixel "white" {
  output out0 : f32x4 location 0
  v0: f32x4 = const 1.0, 1.0, 1.0, 1.0
  store_output out0, v0
  return
}"#;

/// The shaders, and a sampler, which every binding has.
#[derive(Debug, Default)]
pub(super) struct SampleMoves {
    sampler: ObjectId,
    vertex: ObjectId,
    white: ObjectId,
    pixels: FxHashMap<Move, ObjectId>,
}

impl SampleMoves {
    /// The receiver is gone.
    pub(super) fn forget(&mut self, port: &mut Port) {
        let Self { sampler, vertex, white, pixels } = std::mem::take(self);
        pixels.into_values().chain([vertex, white, sampler]).filter(|id| !id.is_none()).for_each(|id| port.recycle(id));
    }
}

/// The format whose texels are a format's bits, or its depths.
fn moved_as(format: Format) -> Option<Format> {
    if format.is_depth() {
        return Some(Format::R32_SFLOAT);
    }
    Some(match format.info().bytes {
        1 => Format::R8_UINT,
        2 => Format::R16_UINT,
        4 => Format::R32_UINT,
        8 => Format::R32G32_UINT,
        16 => Format::R32G32B32A32_UINT,
        _ => return None,
    })
}

/// Lines of so many bytes that are uploaded or read back at once.
fn band(line: usize) -> usize {
    ((16 << 20) / line.max(1)).max(1)
}

/// Depths of texels of a depth format.
fn to_depths(format: Format, texels: Vec<u8>) -> Vec<u8> {
    match format {
        Format::D16_UNORM => {
            let depth = |texel: &[u8; 2]| (f32::from(u16::from_le_bytes(*texel)) / 65535.0).to_le_bytes();
            texels.as_chunks().0.iter().flat_map(depth).collect()
        }
        Format::D32_SFLOAT_S8_UINT => {
            texels.as_chunks::<8>().0.iter().flat_map(|[a, b, c, d, ..]| [*a, *b, *c, *d]).collect()
        }
        _ => texels,
    }
}

/// Texels of a depth format, which have no stencil.
fn of_depths(format: Format, depths: Vec<u8>) -> Vec<u8> {
    let words = depths.as_chunks::<4>().0;
    match format {
        Format::D16_UNORM => words
            .iter()
            .flat_map(|word| ((f32::from_le_bytes(*word).clamp(0.0, 1.0) * 65535.0).round() as u16).to_le_bytes())
            .collect(),
        Format::D32_SFLOAT_S8_UINT => words.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *d, 0, 0, 0, 0]).collect(),
        _ => depths,
    }
}

/// An image and how its samples are moved.
struct Moved {
    /// The image, or a view of one layer of it.
    image: ObjectId,
    /// As a target.
    target: View,
    what: Move,
    /// Columns and lines.
    size: [u32; 2],
    format: Format,
    staging: Format,
}

impl Translator {
    /// Writes texels into a layer of a multisampled image, a vector for each sample.
    pub(super) fn load_samples(&mut self, id: ObjectId, layer: u32, texels: Vec<Vec<u8>>) -> Result<(), SurfaceError> {
        let moved = self.moved(id, layer, false)?;
        if moved.format == Format::D32_SFLOAT_S8_UINT {
            return Ok(self.update_samples(id, layer, &moved, &texels)?);
        }
        let texels: Vec<_> = texels
            .into_iter()
            .map(|texels| if moved.what.is_depth { to_depths(moved.format, texels) } else { texels })
            .collect();
        let [width, height] = moved.size;
        let line = moved.staging.row_bytes(width) as usize;
        let mut lines = Vec::with_capacity(texels.iter().map(Vec::len).sum());
        for y in 0..height as usize {
            texels.iter().for_each(|texels| lines.extend(&texels[y * line..(y + 1) * line]));
        }
        let staging = self.staging(&moved, 0)?;
        let band = band(line);
        for (number, part) in lines.chunks(band * line).enumerate() {
            let data = self.port.upload_bytes(part)?;
            self.port.push(&UpdateTexture {
                id: staging,
                level: 0,
                layer: 0,
                x: 0,
                y: (number * band) as u32,
                z: 0,
                width,
                height: (part.len() / line) as u32,
                depth: 1,
                row_pitch: line as u32,
                slice_pitch: part.len() as u32,
                data,
            });
        }
        let mut targets = SetRenderTargets::default();
        if moved.what.is_depth {
            targets.depth = moved.target;
        } else {
            targets.color[0] = moved.target;
        }
        self.move_samples(&moved, targets, staging, moved.size)?;
        self.port.destroy(staging);
        Ok(())
    }

    /// Updates every sample of a layer at once.
    fn update_samples(&mut self, id: ObjectId, layer: u32, moved: &Moved, texels: &[Vec<u8>]) -> Result<(), PortError> {
        let [width, height] = moved.size;
        let line = moved.format.row_bytes(width) as usize;
        let band = band(line * texels.len());
        for y in (0..height as usize).step_by(band) {
            let lines = band.min(height as usize - y);
            let part: Vec<u8> =
                texels.iter().flat_map(|texels| &texels[y * line..(y + lines) * line]).copied().collect();
            let data = self.port.upload_bytes(&part)?;
            self.port.push(&UpdateTexture {
                id,
                level: 0,
                layer: layer as u16,
                x: 0,
                y: y as u32,
                z: 0,
                width,
                height: lines as u32,
                depth: texels.len() as u32,
                row_pitch: line as u32,
                slice_pitch: (lines * line) as u32,
                data,
            });
        }
        Ok(())
    }

    /// The texels of a layer of a multisampled image, a vector for each sample.
    pub(super) fn read_samples(&mut self, id: ObjectId, layer: u32) -> Result<Vec<Vec<u8>>, SurfaceError> {
        let moved = self.moved(id, layer, true)?;
        let mut samples = self.read_moved(&moved)?;
        if moved.format == Format::D32_SFLOAT_S8_UINT {
            let stencils = self.read_stencils(&moved)?;
            for (texels, stencils) in samples.iter_mut().zip(stencils) {
                let texels = texels.as_chunks_mut::<8>().0;
                texels.iter_mut().zip(stencils).for_each(|(texel, stencil)| texel[4] = stencil);
            }
        }
        Ok(samples)
    }

    /// The stencils of a layer of a multisampled image, a vector for each sample.
    fn read_stencils(&mut self, moved: &Moved) -> Result<Vec<Vec<u8>>, SurfaceError> {
        let id = self.port.allocate(ObjectKind::Texture)?;
        let usage = CreateTexture::TARGET | CreateTexture::SAMPLED | CreateTexture::VIEWS;
        let samples = moved.what.samples as u8;
        self.port.push(&CreateTexture { usage, samples, ..CreateTexture::plain(id, Format::R8_UNORM, moved.size) });
        let image = self.port.allocate(ObjectKind::Texture)?;
        self.port.push(&CreateView {
            id: image,
            source: id,
            format: Format::R8_UINT as u32,
            level: 0,
            levels: 1,
            layer: 0,
            layers: 1,
            dimension: Dimension::D2 as u8,
            pad: [0; 3],
            swizzle: CreateTexture::IDENTITY,
            pad2: 0,
        });
        let mut targets = SetRenderTargets { depth: moved.target, ..SetRenderTargets::default() };
        targets.color[0] = View { texture: id, level: 0, layer: 0 };
        let shaders =
            SetShaders { vertex: self.move_shader(None)?, pixel: self.white_shader()?, ..SetShaders::default() };
        self.begin_own(&targets, moved.size, &shaders);
        let face = StencilFace { compare: Compare::Equal as u8, ..StencilFace::default() };
        for bit in (0..8).map(|bit| 1u8 << bit) {
            self.port.push(&SetDepthStencil {
                stencil_test: 1,
                front: face,
                back: face,
                reference: bit,
                read_mask: bit,
                ..SetDepthStencil::default()
            });
            // What is there, and the bit.
            let (constant, one) = (BlendFactor::ConstantColor as u8, BlendFactor::One as u8);
            let blend = SetBlend {
                enable: 1,
                src_color: constant,
                dst_color: one,
                src_alpha: constant,
                dst_alpha: one,
                write_masks: [1, 0, 0, 0, 0, 0, 0, 0],
                constant: [f32::from(bit) / 255.0; 4],
                ..SetBlend::default()
            };
            self.port.push_tail(&blend, &[]);
            self.draw_everywhere();
        }
        self.say_again();
        let what = Move { out: true, is_depth: false, samples: moved.what.samples };
        let target = View { texture: image, level: 0, layer: 0 };
        let size = moved.size;
        let colors = Moved { image, target, what, size, format: Format::R8_UNORM, staging: Format::R8_UINT };
        let read = self.read_moved(&colors);
        self.port.destroy(image);
        self.port.destroy(id);
        read
    }

    /// What is moved out of samples, a vector for each. Of depth targets it is without stencil.
    fn read_moved(&mut self, moved: &Moved) -> Result<Vec<Vec<u8>>, SurfaceError> {
        let staging = self.staging(moved, CreateTexture::TARGET)?;
        let mut targets = SetRenderTargets::default();
        targets.color[0] = View { texture: staging, level: 0, layer: 0 };
        let [width, height] = moved.size;
        let samples = moved.what.samples;
        let size = [width, height * samples];
        self.move_samples(moved, targets, moved.image, size)?;
        let line = moved.staging.row_bytes(width) as usize;
        let mut read = Vec::with_capacity(line * size[1] as usize);
        let bands = (0..size[1]).step_by(band(line));
        let done = bands.into_iter().try_for_each(|y| {
            let rect = Rect { x: 0, y: y as i32, width, height: (size[1] - y).min(band(line) as u32) };
            let view = View { texture: staging, level: 0, layer: 0 };
            read.extend(self.read_texels(view, moved.staging, rect)?);
            Ok::<_, PortError>(())
        });
        self.port.destroy(staging);
        done?;
        let lines = read.chunks_exact(line);
        let sample = |sample: u32| {
            let texels = lines.clone().skip(sample as usize).step_by(samples as usize).flatten().copied().collect();
            if moved.what.is_depth { of_depths(moved.format, texels) } else { texels }
        };
        Ok((0..samples).map(sample).collect())
    }

    /// What is moved of a layer of a surface.
    fn moved(&mut self, id: ObjectId, layer: u32, out: bool) -> Result<Moved, SurfaceError> {
        let Some(surface) = self.surfaces.get(id) else { return Err(SurfaceError::NotMapped) };
        let (format, samples, shape) = (surface.format(), surface.samples(), *surface.shape());
        let staging = moved_as(format).ok_or(SurfaceError::Samples(samples, format))?;
        let most = self.port.device().max_texture_2d;
        if shape.height * samples > most {
            return Err(SurfaceError::Extent(shape.width, shape.height * samples, 1));
        }
        let is_depth = format.is_depth();
        let desc = ViewDesc {
            format: if is_depth { format } else { staging },
            dimension: Dimension::D2,
            swizzle: CreateTexture::IDENTITY,
            levels: [0, 1],
            layers: [layer as u16, 1],
        };
        let image = self.view_of(id, &desc)?;
        let target = if is_depth {
            View { texture: id, level: 0, layer: layer as u16 }
        } else {
            View { texture: image, level: 0, layer: 0 }
        };
        let what = Move { out, is_depth, samples };
        Ok(Moved { image, target, what, size: [shape.width, shape.height], format, staging })
    }

    /// An image of one sample for the lines of all.
    fn staging(&mut self, moved: &Moved, usage: u8) -> Result<ObjectId, PortError> {
        let id = self.port.allocate(ObjectKind::Texture)?;
        self.port.push(&CreateTexture {
            usage,
            ..CreateTexture::plain(id, moved.staging, [moved.size[0], moved.size[1] * moved.what.samples])
        });
        Ok(id)
    }

    /// Draws over all of the targets with what moves samples, then says again what draws had said.
    fn move_samples(
        &mut self,
        moved: &Moved,
        targets: SetRenderTargets,
        texture: ObjectId,
        size: [u32; 2],
    ) -> Result<(), PortError> {
        let shaders = SetShaders {
            vertex: self.move_shader(None)?,
            pixel: self.move_shader(Some(moved.what))?,
            ..SetShaders::default()
        };
        let sampler = self.move_sampler()?;
        let writes_depth = u8::from(moved.what.is_depth && !moved.what.out);
        self.begin_own(&targets, size, &shaders);
        let port = &mut self.port;
        port.push(&SetDepthStencil {
            depth_test: writes_depth,
            depth_write: writes_depth,
            depth_compare: Compare::Always as u8,
            ..SetDepthStencil::default()
        });
        port.push_tail(&SetBlend { write_masks: [15; 8], ..SetBlend::default() }, &[]);
        port.push_tail(&SetTextures { first: 0, count: 1 }, &[TextureBinding { texture, sampler }]);
        self.draw_everywhere();
        self.say_again();
        Ok(())
    }

    /// Begins draws that are none of the guest's. Tests and blending are not said yet, and [`Translator::say_again`] ends them.
    fn begin_own(&mut self, targets: &SetRenderTargets, [width, height]: [u32; 2], shaders: &SetShaders) {
        let port = &mut self.port;
        self.passed.count(port, false);
        port.push(targets);
        let (wide, high) = (width as f32, height as f32);
        port.push(&SetViewport { x: 0.0, y: 0.0, width: wide, height: high, min_depth: 0.0, max_depth: 1.0 });
        port.push(&SetScissor { rect: Rect { x: 0, y: 0, width, height } });
        port.push(&SetRaster { sample_mask: u32::MAX, ..SetRaster::default() });
        if self.sent.depth_bounds.is_some_and(|bounds| bounds.enable != 0) {
            port.push(&SetDepthBounds::default());
        }
        port.push(shaders);
        port.push(&SetVertexInput::default());
    }

    fn draw_everywhere(&mut self) {
        self.port.push(&Draw {
            topology: Topology::TriangleList as u32,
            first: 0,
            count: 3,
            instances: 1,
            first_instance: 0,
            pad: 0,
        });
    }

    /// A sampler, which every binding has.
    pub(super) fn move_sampler(&mut self) -> Result<ObjectId, PortError> {
        if self.sample_moves.sampler.is_none() {
            let id = self.port.allocate(ObjectKind::Sampler)?;
            self.port.push(&CreateSampler { id, max_anisotropy: 1.0, ..bytemuck::Zeroable::zeroed() });
            self.sample_moves.sampler = id;
        }
        Ok(self.sample_moves.sampler)
    }

    fn white_shader(&mut self) -> Result<ObjectId, PortError> {
        if self.sample_moves.white.is_none() {
            let id = self.port.allocate(ObjectKind::Shader)?;
            let code = self.port.upload_bytes(WHITE.as_bytes())?;
            let (stage, language) = (Stage::Pixel as u32, Language::Ir as u32);
            self.port.push(&CreateShader { id, stage, language, pad: 0, code });
            self.sample_moves.white = id;
        }
        Ok(self.sample_moves.white)
    }

    fn move_shader(&mut self, what: Option<Move>) -> Result<ObjectId, PortError> {
        let moves = &mut self.sample_moves;
        let place = match what {
            Some(what) => moves.pixels.entry(what).or_default(),
            None => &mut moves.vertex,
        };
        if place.is_none() {
            let text = what.map_or_else(|| EVERYWHERE.to_owned(), Move::text);
            let stage = if what.is_some() { Stage::Pixel } else { Stage::Vertex };
            let id = self.port.allocate(ObjectKind::Shader)?;
            let code = self.port.upload_bytes(text.as_bytes())?;
            self.port.push(&CreateShader { id, stage: stage as u32, language: Language::Ir as u32, pad: 0, code });
            *place = id;
        }
        Ok(*place)
    }

    /// Sends the state of the guest's last draw once more.
    fn say_again(&mut self) {
        let Self { port, sent, applied, bindings, passed, .. } = self;
        let binding = bindings.texture(0);
        port.push_tail(&SetTextures { first: 0, count: 1 }, &[binding]);
        sent.targets.iter().for_each(|packet| port.push(packet));
        sent.viewport.iter().for_each(|packet| port.push(packet));
        sent.scissor.iter().for_each(|packet| port.push(packet));
        sent.raster.iter().for_each(|packet| port.push(packet));
        sent.depth_stencil.iter().for_each(|packet| port.push(packet));
        sent.depth_bounds.iter().for_each(|packet| port.push(packet));
        applied.blend.iter().for_each(|blend| blend.push(port));
        sent.shaders.iter().for_each(|packet| port.push(packet));
        sent.vertex_input.iter().for_each(|packet| port.push(packet));
        passed.count(port, applied.counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_floats_on_their_way() {
        let texels: Vec<u8> = [0u16, 1, 0x8000, 0xFFFF].iter().flat_map(|depth| depth.to_le_bytes()).collect();
        let depths = to_depths(Format::D16_UNORM, texels.clone());
        assert_eq!(depths[12..], 1f32.to_le_bytes());
        assert_eq!(of_depths(Format::D16_UNORM, depths), texels);
        let texel = [0, 0, 0x80, 0x3F, 9, 0, 0, 0];
        assert_eq!(to_depths(Format::D32_SFLOAT_S8_UINT, texel.to_vec()), texel[..4]);
        assert_eq!(of_depths(Format::D32_SFLOAT_S8_UINT, texel[..4].to_vec()), [0, 0, 0x80, 0x3F, 0, 0, 0, 0]);
    }
}
