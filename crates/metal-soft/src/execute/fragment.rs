//! What a quad of pixels becomes: the fragment function, tests, blending.

use afterimage_metal_calls::{
    CompareFunction, DepthStencilDescriptor, PixelFormat, StencilDescriptor, StencilOperation, VisibilityMode,
};

use super::Stopper;
use super::blend;
use super::raster::positions;
use super::setup::Setup;
use super::tile::{Spot, Tiles};
use super::vertex::Vertex;
use crate::call::{Bound, Lane, Lanes};
use crate::command::Draw;
use crate::memory::Turn;
use crate::sampler::compare;
use crate::texel::{self, Kind, Rounding};
use crate::text::{At, Interface, Interpolation};

/// A primitive, or a piece of one.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub(crate) setup: &'a Setup,
    /// The vertex whose values are those of the whole primitive where they are flat.
    pub(crate) first: &'a Vertex,
    pub(crate) front: bool,
    pub(crate) bias: f32,
    pub(crate) layer: u32,
    pub(crate) viewport: u32,
    pub(crate) number: u32,
}

/// Draws quads.
pub(crate) struct Painter<'a, 'b> {
    pub(crate) turn: &'a Turn,
    pub(crate) draw: &'a Draw,
    pub(crate) bound: &'a Bound,
    pub(crate) tiles: &'a mut Tiles,
    pub(crate) stopper: &'a mut Stopper<'b>,
    pub(crate) samples: u32,
    /// Samples that passed.
    pub(crate) passed: u64,
    pub(crate) lanes: [Lane; 4],
}

const ALWAYS: StencilDescriptor = StencilDescriptor {
    compare: CompareFunction::Always,
    fail: StencilOperation::Keep,
    depth_fail: StencilOperation::Keep,
    pass: StencilOperation::Keep,
    read_mask: 0xff,
    write_mask: 0xff,
};

const NO_TESTS: DepthStencilDescriptor =
    DepthStencilDescriptor { compare: CompareFunction::Always, write: false, front: None, back: None };

fn operate(operation: StencilOperation, value: u8, reference: u8) -> u8 {
    match operation {
        StencilOperation::Keep => value,
        StencilOperation::Zero => 0,
        StencilOperation::Replace => reference,
        StencilOperation::IncrementClamp => value.saturating_add(1),
        StencilOperation::DecrementClamp => value.saturating_sub(1),
        StencilOperation::Invert => !value,
        StencilOperation::IncrementWrap => value.wrapping_add(1),
        StencilOperation::DecrementWrap => value.wrapping_sub(1),
    }
}

/// Depth as a format keeps it, which compares as numbers do.
fn quantized(format: PixelFormat, z: f32) -> f64 {
    let (kind, fields) = texel::fields(format);
    match kind {
        Kind::Unorm => (f64::from(z).clamp(0.0, 1.0) * f64::from(u32::MAX >> (32 - fields[0].1))).round(),
        _ => f64::from(z),
    }
}

impl Painter<'_, '_> {
    fn fragment(&self) -> Option<&Interface> {
        self.draw.pipeline.0.fragment.as_ref().map(|f| &f.compiled.interface)
    }

    /// A quad of a piece, and which of its samples are covered.
    pub(crate) fn quad(&mut self, piece: &Piece<'_>, x: i64, y: i64, masks: [u32; 4]) {
        if self.stopper.ended() {
            return;
        }
        let per_sample =
            self.fragment().is_some_and(|f| f.per_sample || !f.color_inputs.is_empty()) && self.samples > 1;
        if per_sample {
            for sample in 0..self.samples {
                let of_sample = masks.map(|m| m & 1 << sample);
                if of_sample != [0; 4] {
                    self.shade(piece, x, y, of_sample, (masks, Some(sample)));
                }
            }
        } else {
            self.shade(piece, x, y, masks, (masks, None));
        }
    }

    /// Does what the covered samples of `masks` need, for one sample if it is named: `of` has those of all.
    fn shade(&mut self, piece: &Piece<'_>, x: i64, y: i64, mut masks: [u32; 4], of: ([u32; 4], Option<u32>)) {
        let state = &self.draw.pipeline.0;
        let (early, coverage, to_one) = match self.fragment() {
            None => (true, false, false),
            Some(f) => {
                let late =
                    f.discards || f.depth || f.stencil || f.sample_mask || f.side_effects || state.alpha_to_coverage;
                (f.early_tests || !late, state.alpha_to_coverage, state.alpha_to_one)
            }
        };
        if early {
            self.test_all(piece, x, y, &mut masks, None);
            if masks == [0; 4] {
                return;
            }
        }
        if state.fragment.is_some() {
            self.run(piece, x, y, masks, of);
            for (n, mask) in masks.iter_mut().enumerate() {
                let lane = &self.lanes[n];
                let alpha = f32::from_bits(lane.output[0][3]);
                if lane.helper != 0 {
                    *mask = 0;
                }
                if self.fragment().is_some_and(|f| f.sample_mask) {
                    *mask &= lane.sample_mask;
                }
                if coverage {
                    let count = (alpha.clamp(0.0, 1.0) * self.samples as f32).round() as u32;
                    *mask &= (1u32 << count) - 1;
                }
                if to_one {
                    self.lanes[n].output[0][3] = 1f32.to_bits();
                }
            }
        }
        if !early {
            self.test_all(piece, x, y, &mut masks, Some(()));
        }
        if self.draw.state.visibility.0 != VisibilityMode::Disabled {
            self.passed += masks.iter().map(|m| u64::from(m.count_ones())).sum::<u64>();
        }
        self.color(piece, x, y, masks);
    }

    fn color(&mut self, piece: &Piece<'_>, x: i64, y: i64, masks: [u32; 4]) {
        let state = &self.draw.pipeline.0;
        let Some(fragment) = state.fragment.as_ref().map(|f| &f.compiled.interface) else { return };
        for (n, mask) in masks.iter().enumerate() {
            for sample in (0..self.samples).filter(|s| mask >> s & 1 == 1) {
                let spot = spot(piece, x, y, n, sample);
                for output in fragment.colors.iter().filter(|c| !c.second) {
                    let target = output.target as usize;
                    let (Some(Some(of)), Some(Some(tile))) =
                        (state.colors.get(target), self.tiles.colors.get_mut(target))
                    else {
                        continue;
                    };
                    let lane = &self.lanes[n];
                    let bytes = tile.at_mut(spot);
                    blend::write(of, lane.output[target], lane.output[8], self.draw.state.blend_color, bytes);
                }
            }
        }
    }

    /// Depth and stencil tests of every sample; `written` if the function may have given depth or stencil.
    fn test_all(&mut self, piece: &Piece<'_>, x: i64, y: i64, masks: &mut [u32; 4], written: Option<()>) {
        let state = &self.draw.state;
        let bounds = state.depth_bounds != [0.0, 1.0];
        let of = match &state.depth_stencil {
            Some(of) => *of.0,
            // What an encoder begins with.
            None if bounds => NO_TESTS,
            None => return,
        };
        for (n, mask) in masks.iter_mut().enumerate() {
            for sample in 0..self.samples {
                if *mask >> sample & 1 == 1 && !self.test(&of, piece, x, y, n, sample, written.is_some()) {
                    *mask &= !(1 << sample);
                }
            }
        }
    }

    fn depth_of(&self, piece: &Piece<'_>, at: [f32; 2]) -> f32 {
        // With clipping there is nothing outside but for the bias and the last bit.
        self.in_range(piece, piece.setup.z(at) + piece.bias)
    }

    /// The nearest depth of the viewport.
    fn in_range(&self, piece: &Piece<'_>, z: f32) -> f32 {
        let [near, far] = self.draw.state.viewports[piece.viewport as usize].depth;
        z.clamp(near.min(far) as f32, near.max(far) as f32)
    }

    #[expect(clippy::too_many_arguments, reason = "where a sample is")]
    fn test(
        &mut self,
        of: &DepthStencilDescriptor,
        piece: &Piece<'_>,
        x: i64,
        y: i64,
        n: usize,
        sample: u32,
        written: bool,
    ) -> bool {
        let spot = spot(piece, x, y, n, sample);
        let stored = self.tiles.depth.as_ref().map(|tile| f32::from_bits(texel::decode(tile.format, tile.at(spot))[0]));
        let [least, most] = self.draw.state.depth_bounds;
        if [least, most] != [0.0, 1.0] && stored.is_some_and(|stored| !(least..=most).contains(&stored)) {
            return false;
        }
        let (gives_depth, gives_stencil) = match self.fragment() {
            Some(f) if written => (f.depth, f.stencil),
            _ => (false, false),
        };
        let lane = &self.lanes[n];
        let (given_depth, given_stencil) = (lane.depth, lane.stencil);
        let face = if piece.front { of.front } else { of.back };
        let references = self.draw.state.references;
        let reference = if piece.front { references.front } else { references.back };
        let reference = if gives_stencil { given_stencil } else { reference } as u8;
        let stencil = self.tiles.stencil.as_ref().map(|t| texel::stencil(t.format, t.at(spot)));
        let rule = face.unwrap_or(ALWAYS);
        let stencil_passes = match stencil {
            Some(value) if face.is_some() => {
                let mask = rule.read_mask as u8;
                compare(rule.compare, reference & mask, value & mask)
            }
            _ => true,
        };
        let mut depth_passes = true;
        let mut z = 0.0;
        if let (Some(tile), Some(there)) = (&self.tiles.depth, stored) {
            z = if gives_depth {
                self.in_range(piece, given_depth)
            } else {
                let pixel = [i64::from(spot.x), i64::from(spot.y)];
                self.depth_of(piece, piece.setup.place(pixel, positions(self.samples)[sample as usize]))
            };
            depth_passes = compare(of.compare, quantized(tile.format, z), quantized(tile.format, there));
        }
        if let (Some(value), Some(tile), Some(_)) = (stencil, &mut self.tiles.stencil, face) {
            let operation = match (stencil_passes, depth_passes) {
                (false, _) => rule.fail,
                (true, false) => rule.depth_fail,
                (true, true) => rule.pass,
            };
            let mask = rule.write_mask as u8;
            let new = value & !mask | operate(operation, value, reference) & mask;
            let format = tile.format;
            texel::set_stencil(format, tile.at_mut(spot), new);
        }
        let passes = stencil_passes && depth_passes;
        if passes
            && of.write
            && let Some(tile) = &mut self.tiles.depth
        {
            let format = tile.format;
            texel::encode(format, [z.to_bits(); 4], Rounding::Up, tile.at_mut(spot));
        }
        passes
    }

    /// Runs the fragment function.
    fn run(&mut self, piece: &Piece<'_>, x: i64, y: i64, masks: [u32; 4], (all, sample): ([u32; 4], Option<u32>)) {
        let draw = self.draw;
        let Some(function) = &draw.pipeline.0.fragment else { return };
        let interface = &function.compiled.interface;
        let full = if self.samples >= 32 { u32::MAX } else { (1 << self.samples) - 1 };
        for (n, covered) in masks.into_iter().enumerate() {
            let pixel = [x + (n as i64 & 1), y + (n as i64 >> 1)];
            let middle = [128, 128];
            let at_sample = sample.map_or(middle, |sample| positions(self.samples)[sample as usize]);
            // The middle, if it is covered or nothing is; else the first sample that is.
            let centroid = match all[n] {
                0 => middle,
                mask if mask == full => middle,
                mask => positions(self.samples)[mask.trailing_zeros() as usize],
            };
            let here = piece.setup.place(pixel, at_sample);
            let [center, beside] = [middle, centroid].map(|place| piece.setup.place(pixel, place));
            let depth = self.depth_of(piece, here);
            let lane = &mut self.lanes[n];
            lane.helper = u32::from(covered == 0);
            lane.killed = 0;
            let at = [0, 1].map(|i| pixel[i] as f32 + at_sample[i] as f32 / 256.0);
            lane.position = [at[0], at[1], depth, piece.setup.over_w(here)];
            lane.front_facing = u32::from(piece.front);
            lane.primitive_id = piece.number;
            (lane.layer, lane.viewport) = (piece.layer, piece.viewport);
            lane.sample_id = sample.unwrap_or(0);
            lane.sample_mask_in = covered;
            lane.sample_mask = !0;
            lane.depth = depth;
            lane.stencil = 0;
            lane.output = [[0; 4]; crate::call::OUT];
            lane.point_coord = piece.setup.in_point(here);
            for (slot, input) in interface.inputs.iter().enumerate() {
                let place = |at: At| match at {
                    At::Center => center,
                    At::Centroid => beside,
                    At::Sample => here,
                };
                lane.input[slot] = match input.interpolation {
                    Interpolation::Flat => piece.first.varyings[slot],
                    Interpolation::Perspective { at } => piece.setup.value(slot, true, place(at)),
                    Interpolation::Linear { at } => piece.setup.value(slot, false, place(at)),
                };
            }
            for target in &interface.color_inputs {
                if let Some(Some(tile)) = self.tiles.colors.get(*target as usize)
                    && covered != 0
                {
                    let spot = spot(piece, x, y, n, sample.unwrap_or(0));
                    lane.color_in[*target as usize & 7] = texel::decode(tile.format, tile.at(spot));
                }
            }
        }
        let table = &draw.state.fragment;
        self.stopper.run(function, self.turn, self.bound, table, Default::default(), &mut self.lanes, Lanes::Quad);
    }
}

fn spot(piece: &Piece<'_>, x: i64, y: i64, n: usize, sample: u32) -> Spot {
    Spot { layer: piece.layer, x: (x + (n as i64 & 1)) as u32, y: (y + (n as i64 >> 1)) as u32, sample }
}
