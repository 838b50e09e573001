//! A picture that was drawn, and the one that is stored.

use crate::diff::picture::Picture;
use serde::Serialize;

/// Levels by which red, green and blue may differ in a pixel that is the same for all that: what rounding makes.
const SAME: u8 = 1;
/// Levels by which a pixel differs that is another one: an edge that lies elsewhere, or what is drawn wrong.
const OTHER: u8 = 32;
/// What differences are multiplied by to be seen.
const AMPLIFY: u8 = 16;
/// Percents of the pixels that are the same at least, and that are others at most, where a device draws as it should: filtering and edges
/// are each device's own.
const BAR: [f64; 2] = [90.0, 2.0];

/// How much two pictures differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    pub(super) pixels: u64,
    /// Red, green and blue are equal.
    pub(super) exact: u64,
    /// They differ by one level of 255 at most.
    pub(super) same: u64,
    /// One of them differs by more than 32.
    pub(super) other: u64,
    /// The largest difference.
    pub(super) largest: u8,
}

impl Counts {
    /// Of two pictures, which have one size.
    pub(super) fn of(stored: &Picture, drawn: &Picture) -> Result<Self, String> {
        let [size, wanted] = [drawn, stored].map(|picture| (picture.width, picture.height));
        if size != wanted {
            return Err(format!("has {} x {} pixels instead of {} x {}", size.0, size.1, wanted.0, wanted.1));
        }
        let mut counts = Self::default();
        for (a, b) in stored.pixels.iter().zip(&drawn.pixels) {
            let difference = (0..3).map(|at| a[at].abs_diff(b[at])).max().unwrap_or(0);
            counts.pixels += 1;
            counts.exact += u64::from(difference == 0);
            counts.same += u64::from(difference <= SAME);
            counts.other += u64::from(difference > OTHER);
            counts.largest = counts.largest.max(difference);
        }
        Ok(counts)
    }

    /// Whether no pixel differs.
    pub(super) fn is_exact(&self) -> bool {
        self.exact == self.pixels
    }

    /// Whether this is what devices make of the same commands.
    pub(super) fn is_right(&self) -> bool {
        self.share(self.same) >= BAR[0] && self.share(self.other) <= BAR[1]
    }

    /// So many of the pixels, in percent.
    fn share(&self, part: u64) -> f64 {
        part as f64 * 100.0 / self.pixels.max(1) as f64
    }

    /// The same in words.
    pub(super) fn words(&self) -> String {
        if self.is_exact() {
            return "every pixel is the stored one".into();
        }
        format!(
            "{} % of the pixels are the stored ones within a level, {} % are equal, {} % differ by more than {OTHER}; the largest \
             difference is {} of 255",
            percent(self.same, self.pixels),
            percent(self.exact, self.pixels),
            percent(self.other, self.pixels),
            self.largest
        )
    }
}

/// Percents of which 100 and 0 mean all and nothing.
pub(super) fn percent(part: u64, all: u64) -> String {
    if part == all {
        return "100".into();
    }
    let hundredths =
        (part as f64 * 10_000.0 / all.max(1) as f64).round().clamp(if part == 0 { 0.0 } else { 1.0 }, 9999.0);
    if part == 0 { "0".into() } else { format!("{:.2}", hundredths / 100.0) }
}

/// What differs, made brighter.
pub(super) fn difference(stored: &Picture, drawn: &Picture) -> Picture {
    let bright = |a: u8, b: u8| a.abs_diff(b).saturating_mul(AMPLIFY);
    let pixels = stored.pixels.iter().zip(&drawn.pixels);
    let pixels = pixels.map(|(a, b)| [bright(a[0], b[0]), bright(a[1], b[1]), bright(a[2], b[2]), 255]).collect();
    Picture { width: stored.width, height: stored.height, pixels }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(pixels: &[[u8; 4]]) -> Picture {
        Picture { width: pixels.len() as u32, height: 1, pixels: pixels.to_vec() }
    }

    #[test]
    fn pixels_are_counted() {
        let stored = picture(&[[10, 20, 30, 255]; 5]);
        let drawn =
            picture(&[[10, 20, 30, 0], [11, 19, 30, 255], [10, 22, 30, 255], [43, 20, 30, 255], [42, 20, 30, 255]]);
        let counts = Counts::of(&stored, &drawn).unwrap();
        assert_eq!(counts, Counts { pixels: 5, exact: 1, same: 2, other: 1, largest: 33 });
        assert!(!counts.is_exact() && !counts.is_right());
        assert!(counts.words().starts_with("40.00 % of the pixels"), "{}", counts.words());
        assert_eq!(difference(&stored, &drawn).pixels[1..3], [[16, 16, 0, 255], [0, 32, 0, 255]]);
        let wide = Counts::of(&stored, &picture(&[[0; 4]])).unwrap_err();
        assert_eq!(wide, "has 1 x 1 pixels instead of 5 x 1");
    }

    #[test]
    fn devices_may_differ_by_so_much() {
        let of = |same, other| Counts { pixels: 1000, exact: 0, same, other, largest: 255 }.is_right();
        assert_eq!([of(900, 20), of(899, 0), of(900, 21), of(1000, 0)], [true, false, false, true]);
    }

    #[test]
    fn all_and_nothing_are_exact() {
        let said = [(0, 9), (9, 9), (1, 1_000_000), (999_999, 1_000_000), (1, 4)].map(|(part, all)| percent(part, all));
        assert_eq!(said, ["0", "100", "0.01", "99.99", "25.00"]);
    }
}
