//! Draws in which the depth unit gives the colour: `DB_RENDER_CONTROL` copies what is stored of depth and stencil to colour target 0.
//!
//! The depth goes to the first component, the stencil to the second (Mesa's radeonsi copies a stencil to the second one of `X24S8`):
//! to a target of integers as it is, else as a part of 255. No pixel shader of the guest's runs. Here the depth target is a texture in
//! such a draw, and what is drawn is drawn with a shader that fetches it; so nothing is tested.

use super::Translator;
use super::resources::Image;
use super::states::Copies;
use super::surfaces::Wanted;
use super::targets;
use crate::memory::GuestMemory;
use afterimage_gnm_types::{Registers, reg};
use afterimage_shader_gcn::io::TargetKind;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, Port, PortError};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A shader that copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    copies: Copies,
    /// The sample that is copied, where there are several.
    sample: Option<u32>,
    is_layered: bool,
    /// Whether the target is of integers.
    integer: bool,
}

impl Key {
    /// The pixel shader: depth in slot 0, stencil in slot 1.
    fn text(self) -> String {
        let Self { copies, sample, is_layered, integer } = self;
        let dim = match (sample.is_some(), is_layered) {
            (false, false) => "2d",
            (false, true) => "2darray",
            (true, false) => "2dms",
            (true, true) => "2dmsarray",
        };
        let texel = if integer { "i32x4" } else { "f32x4" };
        let mut text = "pixel \"depth to colour\" {\n  input in0 : f32x4 frag_coord smooth\n".to_owned();
        let mut line = |line: std::fmt::Arguments<'_>| _ = writeln!(text, "  {line}");
        if is_layered {
            line(format_args!("input in1 : i32 layer flat"));
        }
        line(format_args!("output out0 : {texel} location 0"));
        let mut textures = 0;
        if copies.depth {
            line(format_args!("texture t0 slot 0 {dim}"));
            textures += 1;
        }
        if copies.stencil {
            line(format_args!("texture t{textures} slot 1 {dim} uint"));
        }
        line(format_args!("v0: f32x4 = load_input in0"));
        line(format_args!("v1: f32x2 = swizzle v0.xy"));
        line(format_args!("v2: i32x2 = f2i v1"));
        let place = if is_layered {
            line(format_args!("v3: i32 = load_input in1"));
            line(format_args!("v4: i32x3 = construct v2, v3"));
            "v4"
        } else {
            "v2"
        };
        line(format_args!("v5: i32 = const {}", sample.unwrap_or(0)));
        let zero = if integer { "0" } else { "0.0" };
        let kind = if integer { "i32" } else { "f32" };
        line(format_args!("v6: {kind} = const {zero}"));
        let mut parts = ["v6", "v6"];
        if copies.depth && !integer {
            line(format_args!("v7: f32x4 = fetch t0, {place}, v5"));
            line(format_args!("v8: f32 = swizzle v7.x"));
            parts[0] = "v8";
        }
        if copies.stencil {
            line(format_args!("v9: i32x4 = fetch t{textures}, {place}, v5"));
            line(format_args!("v10: i32 = swizzle v9.x"));
            parts[1] = "v10";
            if !integer {
                line(format_args!("v11: f32 = u2f v10"));
                line(format_args!("v12: f32 = const {:?}", 1.0f32 / 255.0));
                line(format_args!("v13: f32 = fmul v11, v12"));
                parts[1] = "v13";
            }
        }
        let [x, y] = parts;
        line(format_args!("v14: {texel} = construct {x}, {y}, v6, v6"));
        line(format_args!("store_output out0, v14"));
        line(format_args!("return"));
        text + "}"
    }
}

/// What a draw needs to copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copied {
    key: Key,
    /// Depth, and stencil.
    images: [Option<Image>; 2],
}

/// The shaders.
#[derive(Debug, Default)]
pub(super) struct DepthCopies(FxHashMap<Key, ObjectId>);

impl DepthCopies {
    /// The receiver is gone.
    pub(super) fn forget(&mut self, port: &mut Port) {
        std::mem::take(self).0.into_values().filter(|id| !id.is_none()).for_each(|id| port.recycle(id));
    }
}

impl Translator {
    /// What a draw copies from and to. None, with a warning, if it cannot be done.
    pub(super) fn copied(&mut self, registers: &Registers, copies: Copies) -> Option<Copied> {
        let color = targets::color_format(registers, 0).ok().flatten();
        let (Some(color), Some(depth)) = (color, targets::depth(registers)) else {
            self.once.warn("DB_RENDER_CONTROL copies depth or stencil without a depth target or colour target 0");
            return None;
        };
        let integer = color.kind != TargetKind::Float;
        let [has_depth, has_stencil] = depth.has;
        let copies = Copies { depth: copies.depth && has_depth, stencil: copies.stencil && has_stencil };
        if copies.depth && integer {
            self.once
                .warn("DB_RENDER_CONTROL.DEPTH_COPY into a target of integers, which is not supported: 0 is written");
        }
        use reg::DB_DEPTH_CONTROL as D;
        if [D::Z_ENABLE, D::STENCIL_ENABLE, D::DEPTH_BOUNDS_ENABLE].into_iter().any(|test| registers.is_set(test)) {
            self.once.warn(
                "DB_DEPTH_CONTROL tests in a draw that copies depth or stencil, which is not supported: all passes",
            );
        }
        use reg::DB_RENDER_CONTROL as R;
        let samples = depth.wanted.place.samples;
        let sample = (samples > 1).then(|| registers.field(R::COPY_SAMPLE).min(samples - 1));
        let [first, count] = depth.layers;
        let image = |wanted| Image::plain(wanted, [first, count]);
        let stencil = depth.wanted.stencil.map(|(address, tile_mode)| {
            let mut wanted = Wanted { stencil: None, format: Format::R8_UINT, usage: 0, ..depth.wanted };
            (wanted.place.address, wanted.place.tile_mode, wanted.place.element) = (address, tile_mode, 1);
            image(wanted)
        });
        let images = [copies.depth.then(|| image(depth.wanted)), stencil.filter(|_| copies.stencil)];
        Some(Copied { key: Key { copies, sample, is_layered: count > 1, integer }, images })
    }

    /// Makes surfaces for what is copied, with what is newest in them.
    pub(super) fn ready_copied(&mut self, copied: &Copied, memory: &mut dyn GuestMemory) {
        for image in copied.images.iter().flatten() {
            if let Err(error) = self.surface(memory, &image.wanted) {
                let address = image.wanted.place.address;
                self.once.warn(format!("DB_RENDER_CONTROL copies from {address:#x}: {error}; it reads as 0"));
            }
        }
    }

    /// Binds what is copied, which is ready, and gives the shader.
    pub(super) fn bind_copied(&mut self, copied: &Copied, memory: &mut dyn GuestMemory) -> Result<ObjectId, PortError> {
        for (slot, image) in copied.images.iter().enumerate() {
            let Some(image) = image else { continue };
            let binding = TextureBinding { texture: self.texture(image, memory)?, sampler: self.move_sampler()? };
            self.bind_texture(slot, binding);
        }
        let Self { depth_copies: DepthCopies(shaders), port, .. } = self;
        let place = shaders.entry(copied.key).or_default();
        if place.is_none() {
            let id = port.allocate(ObjectKind::Shader)?;
            let code = port.upload_bytes(copied.key.text().as_bytes())?;
            port.push(&CreateShader { id, stage: Stage::Pixel as u32, language: Language::Ir as u32, pad: 0, code });
            *place = id;
        }
        Ok(*place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shader_is_one() {
        for n in 0..64u32 {
            let bit = |at: u32| n >> at & 1 != 0;
            let key = Key {
                copies: Copies { depth: bit(0), stencil: bit(1) },
                sample: bit(2).then_some(n >> 4 & 3),
                is_layered: bit(3),
                integer: bit(4) && !bit(5),
            };
            let text = key.text();
            let module = afterimage_ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            afterimage_ir::verify(&module).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        }
    }
}
