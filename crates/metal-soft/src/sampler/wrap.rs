//! From a coordinate to texels along one axis.
//!
//! Metal's documents say which texels are meant, and not how products and sums are rounded on the way, so that points between two texels may
//! take either. Here floats are rounded where lavapipe rounds them. Facts: Mesa 25.0, `lp_bld_sample_soa.c`.

use afterimage_metal_calls::AddressMode;

/// An axis of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) mode: AddressMode,
    pub(super) size: u32,
    /// Whether the largest level's size is one.
    pub(super) power_of_two: bool,
    /// Coordinates are texels.
    pub(super) pixels: bool,
    pub(super) offset: i32,
}

/// Two texels, and how much of the second there is. Those of borders are outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) texels: [i64; 2],
    pub(super) weight: f32,
}

impl Pair {
    /// Of texels whose middles are whole numbers.
    pub(super) fn beside(at: f32) -> Self {
        let first = whole(at.floor());
        Self { texels: [first, first + 1], weight: at - at.floor() }
    }

    fn limited(self, least: i64, most: i64) -> Self {
        let [first, second] = self.texels;
        Self { texels: [first.max(least), second.min(most)], ..self }
    }
}

/// Cut to an integer of 32 bits; what has none is the least, as processors by Intel and AMD have it.
fn whole(value: f32) -> i64 {
    const END: f32 = 2_147_483_648.0;
    if (-END..END).contains(&value) { value as i64 } else { i64::from(i32::MIN) }
}

/// What is behind the point, always less than 1.
fn fraction(value: f32) -> f32 {
    const MOST: f32 = 1.0 - 1.0 / 16_777_216.0;
    let fraction = value - value.floor();
    // Of what is no number, too.
    if fraction < MOST { fraction } else { MOST }
}

/// Folded to 0 to 1.
fn mirrored(coord: f32) -> f32 {
    let half = coord * 0.5;
    let odd = half - half.round_ties_even();
    // `max`: what is no number is 0.
    (odd + odd).abs().max(0.0)
}

impl Axis {
    fn size(&self) -> f32 {
        self.size as f32
    }

    /// In texels, with the offset.
    fn texels(&self, coord: f32) -> f32 {
        let at = if self.pixels { coord } else { coord * self.size() };
        if self.offset == 0 { at } else { at + self.offset as f32 }
    }

    /// As a part of the axis, with the offset.
    fn part(&self, coord: f32) -> f32 {
        if self.offset == 0 { coord } else { coord + self.offset as f32 / self.size() }
    }

    /// The texel that a coordinate lies in.
    pub(super) fn nearest(&self, coord: f32) -> i64 {
        let last = i64::from(self.size) - 1;
        match self.mode {
            AddressMode::Repeat if self.power_of_two => {
                (whole((coord * self.size()).floor()) + i64::from(self.offset)) & last
            }
            AddressMode::Repeat => whole(fraction(self.part(coord)) * self.size()).min(last),
            AddressMode::MirrorRepeat => whole(mirrored(self.part(coord)) * self.size()).min(last),
            AddressMode::ClampToEdge => whole(self.texels(coord)).clamp(0, last),
            AddressMode::MirrorClampToEdge => {
                let at = whole(self.texels(coord).abs());
                if at < 0 { last } else { at.min(last) }
            }
            AddressMode::ClampToZero | AddressMode::ClampToBorderColor => {
                let at = if self.pixels { coord } else { coord * self.size() };
                whole(at.floor()) + i64::from(self.offset)
            }
        }
    }

    /// The texels on both sides of a coordinate.
    pub(super) fn linear(&self, coord: f32) -> Pair {
        let (size, last) = (self.size(), i64::from(self.size) - 1);
        match self.mode {
            AddressMode::Repeat if self.power_of_two => {
                let at = coord * size - 0.5;
                let pair = Pair::beside(if self.offset == 0 { at } else { at + self.offset as f32 });
                Pair { texels: pair.texels.map(|at| at & last), ..pair }
            }
            AddressMode::Repeat => {
                let coord = self.part(coord);
                let at = (coord - coord.floor()) * size - 0.5;
                let pair = Pair::beside(at);
                // Before the first, and of what is no number.
                let first = if at >= 0.0 { pair.texels[0] } else { last };
                let second = if first == last { 0 } else { first + 1 };
                Pair { texels: [first, second], ..pair }
            }
            AddressMode::MirrorRepeat => Pair::beside(mirrored(self.part(coord)) * size - 0.5).limited(0, last),
            // `min`: what is no number is the other.
            AddressMode::ClampToEdge => Pair::beside((self.texels(coord).min(size) - 0.5).max(0.0)).limited(0, last),
            AddressMode::MirrorClampToEdge => {
                Pair::beside((self.texels(coord).abs().min(size) - 0.5).max(0.0)).limited(0, last)
            }
            AddressMode::ClampToZero | AddressMode::ClampToBorderColor => Pair::beside(self.texels(coord) - 0.5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [AddressMode; 6] = [
        AddressMode::ClampToEdge,
        AddressMode::MirrorClampToEdge,
        AddressMode::Repeat,
        AddressMode::MirrorRepeat,
        AddressMode::ClampToZero,
        AddressMode::ClampToBorderColor,
    ];

    fn axis(mode: AddressMode, size: u32) -> Axis {
        Axis { mode, size, power_of_two: size.is_power_of_two(), pixels: false, offset: 0 }
    }

    /// The same by the definition of each mode, for texels whose middle is looked up.
    fn expected(mode: AddressMode, at: i64, size: i64) -> i64 {
        match mode {
            AddressMode::ClampToEdge => at.clamp(0, size - 1),
            AddressMode::MirrorClampToEdge => (if at < 0 { -1 - at } else { at }).min(size - 1),
            AddressMode::Repeat => at.rem_euclid(size),
            AddressMode::MirrorRepeat => {
                let at = at.rem_euclid(2 * size);
                if at < size { at } else { 2 * size - 1 - at }
            }
            AddressMode::ClampToZero | AddressMode::ClampToBorderColor => at,
        }
    }

    #[test]
    fn middles_of_texels_are_theirs() {
        for mode in MODES {
            for size in [1u32, 2, 3, 8, 15, 100] {
                let texels = i64::from(size);
                for at in -3 * texels..4 * texels {
                    let coord = (at as f32 + 0.5) / size as f32;
                    let found = axis(mode, size).nearest(coord);
                    assert_eq!(found, expected(mode, at, texels), "{mode:?} {size} {at}");
                    // A quarter of a texel further.
                    let pair = axis(mode, size).linear((at as f32 + 0.75) / size as f32);
                    let mut both = [at, at + 1].map(|at| expected(mode, at, texels));
                    let mut found = pair.texels;
                    both.sort_unstable();
                    found.sort_unstable();
                    // Where both are the same texel the weight does not matter, and the second may be the next one without weight.
                    if both[0] != both[1] {
                        assert_eq!(found, both, "{mode:?} {size} {at}");
                        let of_first = if pair.texels[0] == expected(mode, at, texels) { 0.25 } else { 0.75 };
                        assert!((pair.weight - of_first).abs() < 1e-3, "{mode:?} {size} {at}: {pair:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_is_somewhere() {
        let offsets = [-8, 0, 7];
        for mode in MODES {
            let has_border = matches!(mode, AddressMode::ClampToZero | AddressMode::ClampToBorderColor);
            for size in [1, 4, 5, 16384] {
                for coord in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1e30, -1e-30, 1e9, -0.0] {
                    for offset in offsets {
                        let axis = Axis { offset, ..axis(mode, size) };
                        let (nearest, pair) = (axis.nearest(coord), axis.linear(coord));
                        let inside = |at: i64| has_border || (0..i64::from(size)).contains(&at);
                        assert!(inside(nearest), "{axis:?} {coord}: {nearest}");
                        assert!(pair.texels.into_iter().all(inside), "{axis:?} {coord}: {pair:?}");
                    }
                }
            }
        }
    }
}
