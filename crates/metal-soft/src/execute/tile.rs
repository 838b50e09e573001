//! Attachments while a pass lasts: a copy of their own, as a GPU by Apple has it in its tiles. So what a shader reads of an attachment
//! through its table is what was there before the pass.

use afterimage_metal_calls::{DepthResolve, LoadAction, PixelFormat, StoreAction, TextureType};

use crate::command::{Attachment, Pass, Target};
use crate::memory::Turn;
use crate::texel::{self, Kind, Rounding};
use crate::texture::{Place, SoftTexture};

/// What is where nobody cares: fuchsia, as Metal's debug layer has it.
const UGLY: [f32; 4] = [1.0, 0.0, 1.0, 1.0];
const UGLY_INTEGER: [u32; 4] = [0x7d, 0x0b, 0xad, 0x7d];
/// Depth and stencil where nobody cares.
const UGLY_DEPTH: f32 = 0.375;
const UGLY_STENCIL: u8 = 0xad;

/// Texels of an attachment.
#[derive(Debug)]
pub(crate) struct Tile {
    pub(crate) format: PixelFormat,
    size: [u32; 2],
    samples: u32,
    bytes: Vec<u8>,
}

/// Where a sample of a pass is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) layer: u32,
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) sample: u32,
}

fn ugly(format: PixelFormat) -> [u32; 4] {
    if matches!(texel::fields(format).0, Kind::Uint | Kind::Sint) { UGLY_INTEGER } else { UGLY.map(f32::to_bits) }
}

/// The value that clears a format.
fn clear_words(format: PixelFormat, color: [f64; 4]) -> [u32; 4] {
    match texel::fields(format).0 {
        Kind::Uint => color.map(|c| c as u32),
        Kind::Sint => color.map(|c| c as i32 as u32),
        _ => color.map(|c| (c as f32).to_bits()),
    }
}

impl Tile {
    fn range(&self, at: Spot) -> std::ops::Range<usize> {
        let bytes = self.format.bytes() as usize;
        let row = at.layer as usize * self.size[1] as usize + at.y as usize;
        let index = (row * self.size[0] as usize + at.x as usize) * self.samples as usize + at.sample as usize;
        index * bytes..(index + 1) * bytes
    }

    /// The bytes of a sample, which is inside of the pass.
    pub(crate) fn at(&self, at: Spot) -> &[u8] {
        &self.bytes[self.range(at)]
    }

    pub(crate) fn at_mut(&mut self, at: Spot) -> &mut [u8] {
        let range = self.range(at);
        &mut self.bytes[range]
    }

    fn new(texture: &SoftTexture, size: [u32; 2], layers: u32) -> Self {
        let (format, samples) = (texture.format(), texture.samples());
        let count = size[0] as usize * size[1] as usize * (layers * samples) as usize;
        Self { format, size, samples, bytes: vec![0; count * format.bytes() as usize] }
    }

    /// Every sample, in order.
    fn each(&self, layers: u32) -> impl Iterator<Item = Spot> + use<> {
        let (size, samples) = (self.size, self.samples);
        (0..layers).flat_map(move |layer| {
            (0..size[1]).flat_map(move |y| {
                (0..size[0]).flat_map(move |x| (0..samples).map(move |sample| Spot { layer, x, y, sample }))
            })
        })
    }
}

/// Where a sample of an attachment is in its texture.
fn place(target: &Target, at: Spot) -> Place {
    let is_3d = target.texture.view.ty == TextureType::D3;
    let (slice, plane) = if is_3d { (target.slice, target.plane + at.layer) } else { (target.slice + at.layer, 0) };
    Place { level: target.level, slice, at: [at.x, at.y, plane], sample: at.sample }
}

/// What a pass draws into.
#[derive(Debug)]
pub(crate) struct Tiles {
    pub(crate) colors: Vec<Option<Tile>>,
    /// One of both where depth and stencil are one texture.
    pub(crate) depth: Option<Tile>,
    pub(crate) stencil: Option<Tile>,
}

/// Reads what is in a texture, all bits of it.
fn load(turn: &Turn, target: &Target, size: [u32; 2], layers: u32) -> Tile {
    let mut tile = Tile::new(&target.texture, size, layers);
    for at in tile.each(layers) {
        let mut bytes = [0; 16];
        if target.texture.bytes(turn, place(target, at), &mut bytes).is_some() {
            let to = tile.at_mut(at);
            let count = to.len();
            to.copy_from_slice(&bytes[..count]);
        }
    }
    tile
}

impl Tiles {
    /// Loads or clears what a pass has.
    pub(crate) fn load(turn: &Turn, pass: &Pass) -> Self {
        let (size, layers) = (pass.extent.size, pass.extent.layers);
        let color = |a: &Attachment<[f64; 4]>| {
            let mut tile = load(turn, &a.target, size, layers);
            let words = match a.load {
                LoadAction::Load => return tile,
                LoadAction::Clear(color) => clear_words(tile.format, color),
                LoadAction::DontCare => ugly(tile.format),
            };
            for at in tile.each(layers) {
                let format = tile.format;
                texel::encode(format, words, Rounding::Up, tile.at_mut(at));
            }
            tile
        };
        let depth = |a: &Attachment<f64>| {
            let mut tile = load(turn, &a.target, size, layers);
            let value = match a.load {
                LoadAction::Load => return tile,
                LoadAction::Clear(depth) => depth as f32,
                LoadAction::DontCare => UGLY_DEPTH,
            };
            for at in tile.each(layers) {
                let format = tile.format;
                texel::encode(format, [value.to_bits(); 4], Rounding::Up, tile.at_mut(at));
            }
            tile
        };
        let stencil = |a: &Attachment<u32>| {
            let mut tile = load(turn, &a.target, size, layers);
            let value = match a.load {
                LoadAction::Load => return tile,
                LoadAction::Clear(stencil) => stencil as u8,
                LoadAction::DontCare => UGLY_STENCIL,
            };
            for at in tile.each(layers) {
                let format = tile.format;
                texel::set_stencil(format, tile.at_mut(at), value);
            }
            tile
        };
        Self {
            colors: pass.colors.iter().map(|c| c.as_ref().map(color)).collect(),
            depth: pass.depth.as_ref().map(depth),
            stencil: pass.stencil.as_ref().map(stencil),
        }
    }

    /// Stores, resolves or loses what was drawn.
    pub(crate) fn store(&mut self, turn: &Turn, pass: &Pass) {
        let layers = pass.extent.layers;
        for (tile, of) in self.colors.iter_mut().zip(&pass.colors) {
            let (Some(tile), Some(of)) = (tile, of) else { continue };
            if resolves(of.store)
                && let Some((to, _)) = &of.resolve
            {
                resolve_color(turn, tile, to, layers);
            }
            if !stores(of.store) {
                for at in tile.each(layers) {
                    let format = tile.format;
                    texel::encode(format, ugly(format), Rounding::Up, tile.at_mut(at));
                }
            }
            for at in tile.each(layers) {
                put(turn, &of.target, at, tile.at(at), |_, _| {});
            }
        }
        if let (Some(tile), Some(of)) = (&mut self.depth, &pass.depth) {
            if resolves(of.store)
                && let Some((to, how)) = &of.resolve
            {
                resolve_depth(turn, tile, to, *how, layers);
            }
            for at in tile.each(layers) {
                if !stores(of.store) {
                    let format = tile.format;
                    texel::encode(format, [UGLY_DEPTH.to_bits(); 4], Rounding::Up, tile.at_mut(at));
                }
                // The stencil is the texture's, or the other tile's.
                let keep =
                    |old: &[u8], new: &mut [u8]| texel::set_stencil(tile.format, new, texel::stencil(tile.format, old));
                put(turn, &of.target, at, tile.at(at), keep);
            }
        }
        if let (Some(tile), Some(of)) = (&self.stencil, &pass.stencil) {
            for at in tile.each(layers) {
                let value = if stores(of.store) { texel::stencil(tile.format, tile.at(at)) } else { UGLY_STENCIL };
                let set = |old: &[u8], new: &mut [u8]| {
                    new.copy_from_slice(old);
                    texel::set_stencil(tile.format, new, value);
                };
                put(turn, &of.target, at, tile.at(at), set);
            }
        }
    }
}

const fn stores(action: StoreAction) -> bool {
    matches!(action, StoreAction::Store | StoreAction::StoreAndMultisampleResolve)
}

const fn resolves(action: StoreAction) -> bool {
    matches!(action, StoreAction::MultisampleResolve | StoreAction::StoreAndMultisampleResolve)
}

/// Writes the bytes of a sample, after they were changed by what is there.
fn put(turn: &Turn, target: &Target, at: Spot, bytes: &[u8], with: impl Fn(&[u8], &mut [u8])) {
    let mut old = [0; 16];
    if let Some(offset) = target.texture.bytes(turn, place(target, at), &mut old) {
        let mut new = [0; 16];
        new[..bytes.len()].copy_from_slice(bytes);
        with(&old[..bytes.len()], &mut new[..bytes.len()]);
        target.texture.texels.memory.write(turn, offset, &new[..bytes.len()]);
    }
}

/// The average of the samples, of sRGB in light.
fn resolve_color(turn: &Turn, tile: &Tile, to: &Target, layers: u32) {
    for at in tile.each(layers).filter(|at| at.sample == 0) {
        let mut sum = [0.0f64; 4];
        for sample in 0..tile.samples {
            let words = texel::decode(tile.format, tile.at(Spot { sample, ..at }));
            sum.iter_mut().zip(words).for_each(|(s, w)| *s += f64::from(f32::from_bits(w)));
        }
        let words = sum.map(|s| ((s / f64::from(tile.samples)) as f32).to_bits());
        let mut bytes = [0; 16];
        let count = tile.format.bytes() as usize;
        texel::encode(tile.format, words, Rounding::Up, &mut bytes[..count]);
        put(turn, to, at, &bytes[..count], |_, _| {});
    }
}

fn resolve_depth(turn: &Turn, tile: &Tile, to: &Target, how: DepthResolve, layers: u32) {
    for at in tile.each(layers).filter(|at| at.sample == 0) {
        let depth = |sample| f32::from_bits(texel::decode(tile.format, tile.at(Spot { sample, ..at }))[0]);
        let all = (0..tile.samples).map(depth);
        let value = match how {
            DepthResolve::Sample0 => depth(0),
            DepthResolve::Min => all.fold(f32::INFINITY, f32::min),
            DepthResolve::Max => all.fold(f32::NEG_INFINITY, f32::max),
        };
        let set = |old: &[u8], new: &mut [u8]| {
            new.copy_from_slice(old);
            texel::encode(tile.format, [value.to_bits(); 4], Rounding::Up, new);
        };
        put(turn, to, at, tile.at(at), set);
    }
}
