//! Colour and depth targets: which surfaces the registers name, and what clears of CMASK and HTILE do to them.

use super::Translator;
use super::formats::{self, HostFormat};
use super::surfaces::{Look, SurfaceError, Wanted};
use super::texels::{Place, Shape};
use crate::memory::GuestMemory;
use afterimage_gnm_types::{Registers, reg, value::*};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId};

/// Bytes between the registers of one colour target and the next.
const STRIDE: u32 = 0x3C;
/// Places of metadata that are remembered.
const MOST_METADATA: usize = 4096;
/// Number of the tile mode of plain lines.
const LINEAR_GENERAL: u32 = 31;

/// A target that is bound.
#[derive(Clone, Copy, Debug)]
struct Bound {
    wanted: Wanted,
    surface: ObjectId,
    /// First layer and count.
    layers: [u16; 2],
}

/// A colour target as the registers describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Color {
    pub(super) wanted: Wanted,
    pub(super) format: HostFormat,
    /// `COMP_SWAP`, as far as the host's format does not do it.
    pub(super) swap: u32,
    /// First layer and count.
    pub(super) layers: [u16; 2],
}

/// What is drawn to.
#[derive(Debug, Default)]
pub(super) struct Targets {
    colors: [Option<Bound>; 8],
    depth: Option<Bound>,
    /// Generations of metadata that were looked at, by its address.
    metadata: rustc_hash::FxHashMap<u64, u64>,
    /// Columns and lines that every target has.
    pub(super) size: [u32; 2],
    /// Whether the depth target has depth, and stencil.
    pub(super) has: [bool; 2],
    /// Whether other targets are bound than for the last draw: states depend on what they are.
    pub(super) changed: bool,
}

impl Targets {
    /// Whether a surface is drawn to.
    pub(super) fn has(&self, id: ObjectId) -> bool {
        self.colors.iter().flatten().chain(&self.depth).any(|bound| bound.surface == id)
    }

    /// The receiver is gone.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Channels that target `n` has written.
pub(super) fn write_mask(registers: &Registers, n: u32) -> u8 {
    let mask = registers.get(reg::CB_TARGET_MASK) & registers.get(reg::CB_SHADER_MASK);
    (mask >> (4 * n) & 15) as u8
}

/// How far the scissors let anything be drawn: what a target whose extent nobody says has at least.
fn extent(registers: &Registers, pitch: u32, lines: u32) -> [u32; 2] {
    let scissor = super::viewport::scissor(registers);
    let edge = |origin: i32, size: u32| (i64::from(origin) + i64::from(size)).clamp(1, 16384) as u32;
    [edge(scissor.x, scissor.width).min(pitch), edge(scissor.y, scissor.height).min(lines)]
}

/// Colour target `n`, if there is one.
pub(super) fn color(registers: &Registers, n: u32) -> Result<Option<Color>, String> {
    let get = |register| registers.get_nth(register, n, STRIDE);
    let info = get(reg::CB_COLOR0_INFO);
    let (format, number) = (reg::CB_COLOR0_INFO::FORMAT.of(info), reg::CB_COLOR0_INFO::NUMBER_TYPE.of(info));
    if format == COLOR_INVALID {
        return Ok(None);
    }
    let plain = formats::color(format, number);
    let plain = plain
        .ok_or_else(|| format!("CB_COLOR{n}_INFO has format {format} with numbers {number}, which the host lacks"))?;
    let swap = reg::CB_COLOR0_INFO::COMP_SWAP.of(info);
    let exchanged = plain.exchanged().filter(|_| swap == SWAP_ALT);
    let host = exchanged.unwrap_or(plain);
    let attributes = get(reg::CB_COLOR0_ATTRIB);
    let linear = reg::CB_COLOR0_INFO::LINEAR_GENERAL.is_set(info);
    let pitch = (reg::CB_COLOR0_PITCH::TILE_MAX.of(get(reg::CB_COLOR0_PITCH)) + 1) * 8;
    let slice = (reg::CB_COLOR0_SLICE::TILE_MAX.of(get(reg::CB_COLOR0_SLICE)) + 1) * 64;
    let view = get(reg::CB_COLOR0_VIEW);
    let first = reg::CB_COLOR0_VIEW::SLICE_START.of(view);
    let last = reg::CB_COLOR0_VIEW::SLICE_MAX.of(view).max(first);
    let [width, height] = extent(registers, pitch, (slice / pitch).max(1));
    let place = Place {
        address: u64::from(get(reg::CB_COLOR0_BASE)) << 8,
        element: host.format.info().bytes,
        block: 1,
        tile_mode: if linear { LINEAR_GENERAL } else { reg::CB_COLOR0_ATTRIB::TILE_MODE_INDEX.of(attributes) },
        pitch,
        samples: 1 << reg::CB_COLOR0_ATTRIB::NUM_FRAGMENTS.of(attributes),
        pow2_pad: false,
    };
    let shape = Shape { dimension: Dimension::D2, width, height, depth: 1, layers: last + 1, levels: 1 };
    let (usage, format) = (CreateTexture::TARGET, host.format);
    Ok(Some(Color {
        wanted: Wanted { place, stencil: None, shape, exact: false, format, usage },
        format: host,
        swap: if exchanged.is_some() { SWAP_STD } else { swap },
        layers: [first as u16, (last - first + 1) as u16],
    }))
}

/// The depth target, its first layer and their count, and whether it has depth and stencil.
fn depth(registers: &Registers) -> Option<(Wanted, [u16; 2], [bool; 2])> {
    let z = registers.get(reg::DB_Z_INFO);
    let stencil_info = registers.get(reg::DB_STENCIL_INFO);
    let format = reg::DB_Z_INFO::FORMAT.of(z);
    let has_stencil = reg::DB_STENCIL_INFO::FORMAT.of(stencil_info) == STENCIL_8;
    if format == Z_INVALID && !has_stencil {
        return None;
    }
    let host = match (format, has_stencil) {
        (Z_16, false) => Format::D16_UNORM,
        (_, false) => Format::D32_SFLOAT,
        (_, true) => Format::D32_SFLOAT_S8_UINT,
    };
    let size = registers.get(reg::DB_DEPTH_SIZE);
    let pitch = (reg::DB_DEPTH_SIZE::PITCH_TILE_MAX.of(size) + 1) * 8;
    let lines = (reg::DB_DEPTH_SIZE::HEIGHT_TILE_MAX.of(size) + 1) * 8;
    let view = registers.get(reg::DB_DEPTH_VIEW);
    let first = reg::DB_DEPTH_VIEW::SLICE_START.of(view);
    let last = reg::DB_DEPTH_VIEW::SLICE_MAX.of(view).max(first);
    let [width, height] = extent(registers, pitch, lines);
    let address = |register| u64::from(registers.get(register)) << 8;
    let place = Place {
        address: address(reg::DB_Z_READ_BASE),
        element: if format == Z_16 { 2 } else { 4 },
        block: 1,
        tile_mode: reg::DB_Z_INFO::TILE_MODE_INDEX.of(z),
        pitch,
        samples: 1 << reg::DB_Z_INFO::NUM_SAMPLES.of(z),
        pow2_pad: false,
    };
    let stencil_mode = reg::DB_STENCIL_INFO::TILE_MODE_INDEX.of(stencil_info);
    let stencil = has_stencil.then(|| (address(reg::DB_STENCIL_READ_BASE), stencil_mode));
    let shape = Shape { dimension: Dimension::D2, width, height, depth: 1, layers: last + 1, levels: 1 };
    let wanted = Wanted { place, stencil, shape, exact: false, format: host, usage: CreateTexture::TARGET };
    Some((wanted, [first as u16, (last - first + 1) as u16], [format != Z_INVALID, has_stencil]))
}

impl Translator {
    /// Binds what the registers name, with what is newest in it. False if nothing can be drawn to.
    pub(super) fn apply_targets(&mut self, registers: &Registers, memory: &mut dyn GuestMemory) -> bool {
        let mut colors = [None; 8];
        let mut packet = SetRenderTargets::default();
        let mut size = [u32::MAX; 2];
        let mut srgb = Vec::new();
        for n in 0..8 {
            if write_mask(registers, n) == 0 {
                continue;
            }
            let color = match color(registers, n) {
                Ok(Some(color)) => color,
                Ok(None) => continue,
                Err(error) => {
                    self.once.warn(format!("{error}: it is not drawn to"));
                    continue;
                }
            };
            let look = |layers: u32| Look {
                format: color.format.format,
                dimension: Dimension::D2,
                swizzle: CreateTexture::IDENTITY,
                levels: [0, 1],
                layers: [0, layers as u16],
            };
            let bound = self.surface(memory, &color.wanted).and_then(|surface| {
                let shape = *self.surfaces.get(surface).map_or(&color.wanted.shape, |surface| surface.shape());
                size = [size[0].min(shape.width), size[1].min(shape.height)];
                let whole = shape.levels == 1;
                let levels = [0, 1];
                let look = Look { levels, ..look(shape.layers) };
                let image = if whole || color.format.format != self.format_of(surface) {
                    self.look(surface, &look)?
                } else {
                    surface
                };
                Ok((surface, image))
            });
            match bound {
                Ok((surface, image)) => {
                    srgb.push(color.format.srgb);
                    packet.color[n as usize] = View { texture: image, level: 0, layer: color.layers[0] };
                    colors[n as usize] = Some(Bound { wanted: color.wanted, surface, layers: color.layers });
                }
                Err(error) => self.warn_of_target(&format!("CB_COLOR{n}"), &color.wanted, &error),
            }
        }
        let mut has = [false; 2];
        let mut bound_depth = None;
        if let Some((wanted, layers, parts)) = depth(registers)
            && super::states::uses_depth(registers)
        {
            match self.surface(memory, &wanted) {
                Ok(surface) => {
                    let shape = *self.surfaces.get(surface).map_or(&wanted.shape, |surface| surface.shape());
                    size = [size[0].min(shape.width), size[1].min(shape.height)];
                    packet.depth = View { texture: surface, level: 0, layer: layers[0] };
                    bound_depth = Some(Bound { wanted, surface, layers });
                    has = parts;
                }
                Err(error) => self.warn_of_target("DB_Z", &wanted, &error),
            }
        }
        if srgb.iter().any(|srgb| *srgb) {
            packet.srgb = 1;
            if !srgb.iter().all(|srgb| *srgb) {
                self.once.warn("targets with and without sRGB at once are not supported: all are encoded");
            }
        }
        let counts = colors.iter().flatten().chain(&bound_depth).map(|bound| bound.layers[1]);
        packet.layers = counts.min().unwrap_or(0).into();
        (self.targets.colors, self.targets.depth) = (colors, bound_depth);
        self.targets.changed |= self.targets.has != has || self.sent.targets != Some(packet);
        self.targets.has = has;
        let any = colors.iter().any(Option::is_some) || bound_depth.is_some();
        self.targets.size = if any { size } else { [0; 2] };
        self.port.put(&mut self.sent.targets, packet);
        self.clear_by_metadata(registers, memory);
        any
    }

    fn format_of(&self, surface: ObjectId) -> Format {
        self.surfaces.get(surface).map_or(Format::R8G8B8A8_UNORM, |surface| surface.format())
    }

    fn warn_of_target(&mut self, name: &str, wanted: &Wanted, error: &SurfaceError) {
        self.once.warn(format!("{name} at {:#x}: {error}; it is not drawn to", wanted.place.address));
    }

    /// Notes that what is bound may have changed, by a draw that writes colours, depth or stencil.
    pub(super) fn mark_drawn(&mut self, registers: &Registers) {
        let depth = self.targets.depth.filter(|_| super::states::writes_depth(registers));
        for bound in self.targets.colors.into_iter().flatten().chain(depth) {
            let [first, count] = bound.layers;
            self.surfaces.mark_drawn(bound.surface, 0, first..first + count);
        }
    }

    /// Clears targets whose metadata says that they are clear, once for each time that it is written.
    fn clear_by_metadata(&mut self, registers: &Registers, memory: &mut dyn GuestMemory) {
        for n in 0..8 {
            let info = registers.get_nth(reg::CB_COLOR0_INFO, n, STRIDE);
            let Some(bound) = self.targets.colors[n as usize].filter(|_| reg::CB_COLOR0_INFO::FAST_CLEAR.is_set(info))
            else {
                continue;
            };
            let address = u64::from(registers.get_nth(reg::CB_COLOR0_CMASK, n, STRIDE)) << 8;
            let slice = registers.get_nth(reg::CB_COLOR0_CMASK_SLICE, n, STRIDE);
            // A word is 8 tiles of 4 bits; the register counts tiles of 128 x 128 texels, 256 nibbles each.
            let bytes = (u64::from(reg::CB_COLOR0_CMASK_SLICE::TILE_MAX.of(slice)) + 1) * 128;
            let Some(words) = self.metadata(memory, address, bytes) else { continue };
            if words.iter().all(|word| *word == 0) {
                let word = |register| registers.get_nth(register, n, STRIDE);
                let value = [word(reg::CB_COLOR0_CLEAR_WORD0), word(reg::CB_COLOR0_CLEAR_WORD1)];
                self.clear_color(registers, n, &bound, value);
            } else if words.contains(&0) {
                self.once.warn("CMASK that clears a part of a target is not supported: the target stays as it is");
            }
        }
        let z = registers.get(reg::DB_Z_INFO);
        if let Some(bound) = self.targets.depth.filter(|_| reg::DB_Z_INFO::TILE_SURFACE_ENABLE.is_set(z)) {
            let address = u64::from(registers.get(reg::DB_HTILE_DATA_BASE)) << 8;
            let shape = bound.wanted.shape;
            let tiles = u64::from(bound.wanted.place.pitch.div_ceil(8)) * u64::from(shape.height.div_ceil(8));
            let Some(words) = self.metadata(memory, address, tiles * 4) else { return };
            let Some(first) = words.first().copied() else { return };
            // The low four bits say what the tile's depths are: 0 is all of them clear.
            if words.iter().all(|word| *word == first) && first & 15 == 0 {
                // With stencil, bits 8 and 9 say the same of it.
                let stencil_apart = self.targets.has[1] && registers.is_set(reg::DB_STENCIL_INFO::TILE_STENCIL_DISABLE);
                let clear_stencil = self.targets.has[1] && !stencil_apart && first >> 8 & 3 == 0;
                let flags = Clear::DEPTH | if clear_stencil { Clear::STENCIL } else { 0 };
                self.clear_depth(registers, flags);
            }
        }
    }

    /// Words of metadata, if they were written since the last look.
    fn metadata(&mut self, memory: &mut dyn GuestMemory, address: u64, bytes: u64) -> Option<Vec<u32>> {
        let range = address..address.checked_add(bytes)?;
        if address == 0 {
            return None;
        }
        if self.buffers.is_newer(&range) {
            self.store_buffers(memory, &range);
        }
        if self.targets.metadata.len() > MOST_METADATA {
            self.targets.metadata.clear();
        }
        let generation = memory.generation(address, bytes);
        if self.targets.metadata.insert(address, generation) == Some(generation) {
            return None;
        }
        let mut read = vec![0; bytes as usize];
        memory.read(address, &mut read).ok()?;
        Some(read.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    fn clear_color(&mut self, registers: &Registers, n: u32, bound: &Bound, value: [u32; 2]) {
        let Ok(Some(color)) = color(registers, n) else { return };
        let Some(rgba) = clear_value(color.format.format, value) else {
            return self
                .once
                .warn(format!("CMASK's clear of CB_COLOR{n}, {:?}, is not supported", color.format.format));
        };
        // The packet clears every bound target, so only this one is.
        let packet = self.sent.targets;
        if let Some(all) = packet {
            let mut only = SetRenderTargets { srgb: 0, layers: all.layers, ..SetRenderTargets::default() };
            only.color[0] = all.color[n as usize];
            self.port.put(&mut self.sent.targets, only);
            let clear = Clear { flags: Clear::COLOR, color: rgba, ..bytemuck::Zeroable::zeroed() };
            self.port.push_tail(&clear, &[]);
            self.port.put(&mut self.sent.targets, all);
            self.surfaces.mark_drawn(bound.surface, 0, bound.layers[0]..bound.layers[0] + bound.layers[1]);
        }
    }

    /// Clears the depth target to the values in the registers.
    pub(super) fn clear_depth(&mut self, registers: &Registers, flags: u32) {
        let Some(bound) = self.targets.depth else { return };
        let depth = f32::from_bits(registers.get(reg::DB_DEPTH_CLEAR));
        let clear = Clear {
            flags,
            depth: if depth.is_nan() { 0.0 } else { depth.clamp(0.0, 1.0) },
            stencil: registers.field(reg::DB_STENCIL_CLEAR::CLEAR) as u8,
            ..bytemuck::Zeroable::zeroed()
        };
        self.port.push_tail(&clear, &[]);
        self.surfaces.mark_drawn(bound.surface, 0, bound.layers[0]..bound.layers[0] + bound.layers[1]);
    }
}

/// Red to alpha of the clear words, which are a texel of the target.
fn clear_value(format: Format, [low, high]: [u32; 2]) -> Option<[f32; 4]> {
    let byte = |at: u32| ((low >> at & 0xFF) as f32) / 255.0;
    let half = |word: u32, at: u32| half_to_f32((word >> at & 0xFFFF) as u16);
    let memory = match format {
        Format::R8G8B8A8_UNORM => [byte(0), byte(8), byte(16), byte(24)],
        Format::B8G8R8A8_UNORM => [byte(16), byte(8), byte(0), byte(24)],
        Format::R8_UNORM => [byte(0), 0.0, 0.0, 1.0],
        Format::R8G8_UNORM => [byte(0), byte(8), 0.0, 1.0],
        Format::A2B10G10R10_UNORM => {
            let ten = |at: u32| ((low >> at & 0x3FF) as f32) / 1023.0;
            [ten(0), ten(10), ten(20), (low >> 30) as f32 / 3.0]
        }
        Format::R16_SFLOAT => [half(low, 0), 0.0, 0.0, 1.0],
        Format::R16G16_SFLOAT => [half(low, 0), half(low, 16), 0.0, 1.0],
        Format::R16G16B16A16_SFLOAT => [half(low, 0), half(low, 16), half(high, 0), half(high, 16)],
        Format::R32_SFLOAT => [f32::from_bits(low), 0.0, 0.0, 1.0],
        Format::R32G32_SFLOAT => [f32::from_bits(low), f32::from_bits(high), 0.0, 1.0],
        _ => return None,
    };
    memory.iter().all(|channel| channel.is_finite()).then_some(memory)
}

/// A half float.
fn half_to_f32(bits: u16) -> f32 {
    let (sign, exponent, mantissa) = (u32::from(bits >> 15), i32::from(bits >> 10 & 31), f32::from(bits & 0x3FF));
    let magnitude = match exponent {
        0 => mantissa * 2f32.powi(-24),
        31 => return f32::from_bits(sign << 31 | 0x7F80_0000 | u32::from(bits & 0x3FF) << 13),
        _ => (1.0 + mantissa / 1024.0) * 2f32.powi(exponent - 15),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_words_are_texels() {
        assert_eq!(clear_value(Format::R8G8B8A8_UNORM, [0xFF00_00FF, 0]), Some([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(clear_value(Format::B8G8R8A8_UNORM, [0x0000_00FF, 0]), Some([0.0, 0.0, 1.0, 0.0]));
        let halves = clear_value(Format::R16G16B16A16_SFLOAT, [0x3C00_0000, 0xB800_0001]);
        assert_eq!(halves, Some([0.0, 1.0, 2f32.powi(-24), -0.5]));
        assert_eq!(clear_value(Format::R32_SFLOAT, [0x7FC0_0000, 0]), None);
    }
}
