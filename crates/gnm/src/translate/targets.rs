//! Colour and depth targets: which surfaces the registers name.

use super::Translator;
use super::formats::{self, HostFormat, Use};
use super::levels::TARGETS;
use super::masks::{Cmask, Htile, Metadata};
use super::surfaces::{SurfaceError, ViewDesc, Wanted};
use super::texels::{Place, Shape};
use super::viewport;
use crate::memory::GuestMemory;
use afterimage_gnm_types::{Group, Registers, View as RegisterView, reg, value::*};
use afterimage_stream::packets::*;
use afterimage_stream::{DeviceInfo, Format, ObjectId, Once};
use afterimage_texture::gnm::{Description, Layout, TileMask};

/// Bytes between the registers of one colour target and the next.
const STRIDE: u32 = 0x3C;
/// Number of the tile mode of plain lines.
const LINEAR_GENERAL: u32 = 31;

/// A target that is bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) surface: ObjectId,
    /// First layer and count.
    pub(super) layers: [u16; 2],
}

/// A colour target as the registers describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Color {
    pub(super) wanted: Wanted,
    pub(super) format: HostFormat,
    /// First layer and count.
    pub(super) layers: [u16; 2],
    pub(super) cmask: Option<Cmask>,
}

impl Color {
    /// It in a format that the device draws to.
    pub(super) fn on(self, device: &DeviceInfo) -> Self {
        let host = self.format.on(device, Use::Target);
        let HostFormat { format, convert, .. } = host;
        Self { wanted: Wanted { format, convert, ..self.wanted }, format: host, ..self }
    }
}

/// The depth target as the registers describe it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Depth {
    pub(super) wanted: Wanted,
    /// First layer and count.
    pub(super) layers: [u16; 2],
    /// Whether it has depth, and stencil.
    pub(super) has: [bool; 2],
    clear: ClearDepth,
    pub(super) htile: Option<Htile>,
}

/// To what depth and stencil are cleared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClearDepth {
    pub(super) depth: f32,
    pub(super) stencil: u8,
}

/// All targets as the registers describe them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Described {
    /// Those that are written.
    pub(super) colors: [Option<Color>; 8],
    /// The depth target, if a test or a clear uses it.
    pub(super) depth: Option<Depth>,
    /// Whether draws may change the depth target.
    writes_depth: bool,
}

/// What is drawn to.
#[derive(Debug, Default)]
pub(super) struct Targets {
    pub(super) colors: [Option<Bound>; 8],
    pub(super) depth: Option<Bound>,
    pub(super) metadata: Metadata,
    /// Columns and lines that every target has.
    pub(super) size: [u32; 2],
    /// Whether the depth target has depth, and stencil.
    pub(super) has: [bool; 2],
    /// Whether there is a target.
    pub(super) any: bool,
    writes_depth: bool,
    pub(super) clear: Option<ClearDepth>,
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
pub(super) fn write_mask(registers: &RegisterView, n: u32) -> u8 {
    let mask = registers.get(reg::CB_TARGET_MASK) & registers.get(reg::CB_SHADER_MASK);
    (mask >> (4 * n) & 15) as u8
}

/// How far the scissors let anything be drawn: what a target whose extent nobody says has at least.
fn extent(registers: &RegisterView, pitch: u32, lines: u32) -> [u32; 2] {
    let edge = |origin: i32, size: u32| (i64::from(origin) + i64::from(size)).clamp(1, 16384) as u32;
    let viewports = std::iter::once(0).chain(viewport::further(registers));
    viewports.map(|n| viewport::scissor(registers, n)).fold([1; 2], |[width, height], scissor| {
        let [right, bottom] = [edge(scissor.x, scissor.width).min(pitch), edge(scissor.y, scissor.height).min(lines)];
        [width.max(right), height.max(bottom)]
    })
}

/// Lines of a target of which there are several slices: as many as the registers say, where slices would follow one another otherwise.
fn sliced(place: &Place, [width, height]: [u32; 2], lines: u32, slices: u32) -> [u32; 2] {
    let slice = |height| {
        let Place { tile_mode, element, pitch, samples, .. } = *place;
        let flat = Description::flat(tile_mode, 8 * element, width, height);
        let layout = Layout::new(&Description { layers: slices, samples, pitch, ..flat });
        layout.ok().and_then(|layout| Some(layout.levels().first()?.slice_bytes))
    };
    [width, if slices > 1 && slice(height) != slice(lines) { lines } else { height }]
}

/// The format of colour target `n`, if there is one.
pub(super) fn color_format(registers: &RegisterView, n: u32) -> Result<Option<HostFormat>, String> {
    let info = registers.get_nth(reg::CB_COLOR0_INFO, n, STRIDE);
    let (format, number) = (reg::CB_COLOR0_INFO::FORMAT.of(info), reg::CB_COLOR0_INFO::NUMBER_TYPE.of(info));
    if format == COLOR_INVALID {
        return Ok(None);
    }
    let host = formats::color(format, number, reg::CB_COLOR0_INFO::COMP_SWAP.of(info));
    host.map(Some).map_err(|why| format!("CB_COLOR{n}_INFO: {why}"))
}

/// Colour target `n`, if there is one.
pub(super) fn color(registers: &RegisterView, n: u32) -> Result<Option<Color>, String> {
    let Some(host) = color_format(registers, n)? else { return Ok(None) };
    let get = |register| registers.get_nth(register, n, STRIDE);
    let info = get(reg::CB_COLOR0_INFO);
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
        element: host.element,
        block: 1,
        tile_mode: if linear { LINEAR_GENERAL } else { reg::CB_COLOR0_ATTRIB::TILE_MODE_INDEX.of(attributes) },
        pitch,
        samples: 1 << reg::CB_COLOR0_ATTRIB::NUM_FRAGMENTS.of(attributes),
        pow2_pad: false,
    };
    let [width, height] = sliced(&place, [width, height], (slice / pitch).max(1), last + 1);
    let shape = Shape { dimension: Dimension::D2, width, height, depth: 1, layers: last + 1, levels: 1 };
    let HostFormat { format, convert, .. } = host;
    // The register counts parts of 128 x 128 texels, 256 times four bits each.
    let is_linear = reg::CB_COLOR0_INFO::CMASK_IS_LINEAR.is_set(info);
    let cmask = reg::CB_COLOR0_INFO::FAST_CLEAR.is_set(info).then(|| Cmask {
        address: u64::from(get(reg::CB_COLOR0_CMASK)) << 8,
        slice: (u64::from(reg::CB_COLOR0_CMASK_SLICE::TILE_MAX.of(get(reg::CB_COLOR0_CMASK_SLICE))) + 1) * 128,
        mask: TileMask::cmask(place.tile_mode, is_linear, pitch, (slice / pitch).max(1)),
        value: [get(reg::CB_COLOR0_CLEAR_WORD0), get(reg::CB_COLOR0_CLEAR_WORD1)],
    });
    Ok(Some(Color {
        wanted: Wanted { place, stencil: None, shape, exact: false, format, convert, usage: CreateTexture::TARGET },
        format: host,
        layers: [first as u16, (last - first + 1) as u16],
        cmask,
    }))
}

/// The depth target.
pub(super) fn depth(registers: &RegisterView) -> Option<Depth> {
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
    let [width, height] = sliced(&place, [width, height], lines, last + 1);
    let stencil_mode = reg::DB_STENCIL_INFO::TILE_MODE_INDEX.of(stencil_info);
    let stencil = has_stencil.then(|| (address(reg::DB_STENCIL_READ_BASE), stencil_mode));
    let shape = Shape { dimension: Dimension::D2, width, height, depth: 1, layers: last + 1, levels: 1 };
    let wanted =
        Wanted { place, stencil, shape, exact: false, format: host, convert: None, usage: CreateTexture::TARGET };
    let clear = f32::from_bits(registers.get(reg::DB_DEPTH_CLEAR));
    let is_linear = registers.is_set(reg::DB_HTILE_SURFACE::LINEAR);
    let htile = reg::DB_Z_INFO::TILE_SURFACE_ENABLE.is_set(z).then(|| Htile {
        address: address(reg::DB_HTILE_DATA_BASE),
        mask: TileMask::htile(place.tile_mode, is_linear, pitch, lines),
        stencil_apart: reg::DB_STENCIL_INFO::TILE_STENCIL_DISABLE.is_set(stencil_info),
    });
    Some(Depth {
        wanted,
        layers: [first as u16, (last - first + 1) as u16],
        has: [format != Z_INVALID, has_stencil],
        clear: ClearDepth {
            depth: if clear.is_nan() { 0.0 } else { clear.clamp(0.0, 1.0) },
            stencil: registers.field(reg::DB_STENCIL_CLEAR::CLEAR) as u8,
        },
        htile,
    })
}

/// All targets.
pub(super) fn describe(registers: &RegisterView, once: &mut Once) -> Described {
    let mut color = |n: u32| {
        if write_mask(registers, n) == 0 {
            return None;
        }
        color(registers, n).unwrap_or_else(|error| {
            once.warn(format!("{error}: it is not drawn to"));
            None
        })
    };
    Described {
        colors: std::array::from_fn(|n| color(n as u32)),
        depth: if super::states::uses_depth(registers) { depth(registers) } else { None },
        writes_depth: super::states::writes_depth(registers),
    }
}

impl Translator {
    /// Describes and binds the targets, for what is no draw.
    pub(super) fn apply_targets(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory) {
        registers.tracker.mark(Group::Surfaces);
        let ready = self.apply(registers, memory, TARGETS);
        debug_assert!(ready.is_ok(), "only programs can be missing");
    }

    /// Binds the targets that were described, with what is newest in them.
    pub(super) fn bind_targets(&mut self, memory: &mut dyn GuestMemory) {
        let Some(mut described) = self.applied.targets().cloned() else { return };
        described.colors = described.colors.map(|color| Some(color?.on(self.port.device())));
        let mut colors = [None; 8];
        let mut packet = SetRenderTargets::default();
        let mut size = [u32::MAX; 2];
        for (n, color) in described.colors.iter().enumerate() {
            let Some(color) = color else { continue };
            let desc = |layers: u32| ViewDesc {
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
                let desc = ViewDesc { levels, ..desc(shape.layers) };
                let image = if whole || color.format.format != self.format_of(surface) {
                    self.view_of(surface, &desc)?
                } else {
                    surface
                };
                Ok((surface, image))
            });
            match bound {
                Ok((surface, image)) => {
                    packet.srgb |= u32::from(color.format.srgb) << n;
                    packet.color[n] = View { texture: image, level: 0, layer: color.layers[0] };
                    colors[n] = Some(Bound { surface, layers: color.layers });
                }
                Err(error) => self.warn_of_target(&format!("CB_COLOR{n}"), &color.wanted, &error),
            }
        }
        let mut has = [false; 2];
        let mut bound_depth = None;
        if let Some(Depth { wanted, layers, has: parts, .. }) = described.depth {
            match self.surface(memory, &wanted) {
                Ok(surface) => {
                    let shape = *self.surfaces.get(surface).map_or(&wanted.shape, |surface| surface.shape());
                    size = [size[0].min(shape.width), size[1].min(shape.height)];
                    packet.depth = View { texture: surface, level: 0, layer: layers[0] };
                    bound_depth = Some(Bound { surface, layers });
                    has = parts;
                }
                Err(error) => self.warn_of_target("DB_Z", &wanted, &error),
            }
        }
        let counts = colors.iter().flatten().chain(&bound_depth).map(|bound| bound.layers[1]);
        packet.layers = counts.min().unwrap_or(0).into();
        (self.targets.colors, self.targets.depth) = (colors, bound_depth);
        self.targets.has = has;
        self.targets.writes_depth = described.writes_depth;
        self.targets.clear = described.depth.map(|depth| depth.clear);
        let any = colors.iter().any(Option::is_some) || bound_depth.is_some();
        self.targets.size = if any { size } else { [0; 2] };
        self.port.put(&mut self.sent.targets, packet);
        self.targets.any = any;
        self.clear_by_metadata(&described, memory);
    }

    fn format_of(&self, surface: ObjectId) -> Format {
        self.surfaces.get(surface).map_or(Format::R8G8B8A8_UNORM, |surface| surface.format())
    }

    fn warn_of_target(&mut self, name: &str, wanted: &Wanted, error: &SurfaceError) {
        self.once.warn(format!("{name} at {:#x}: {error}; it is not drawn to", wanted.place.address));
    }

    /// Notes that what is bound may have changed, by a draw that writes colours, depth or stencil.
    pub(super) fn mark_drawn(&mut self) {
        let depth = self.targets.depth.filter(|_| self.targets.writes_depth);
        for bound in self.targets.colors.into_iter().flatten().chain(depth) {
            let [first, count] = bound.layers;
            self.surfaces.mark_drawn(bound.surface, 0, first..first + count);
        }
    }

    /// Clears a part of the depth target to the values in the registers, or all of it.
    pub(super) fn clear_depth(&mut self, flags: u32, rects: &[Rect]) {
        let (Some(bound), Some(ClearDepth { depth, stencil })) = (self.targets.depth, self.targets.clear) else {
            return;
        };
        let count = rects.len() as u32;
        let clear = Clear { flags, count, depth, stencil, ..bytemuck::Zeroable::zeroed() };
        self.port.push_tail(&clear, rects);
        self.surfaces.mark_drawn(bound.surface, 0, bound.layers[0]..bound.layers[0] + bound.layers[1]);
    }
}
