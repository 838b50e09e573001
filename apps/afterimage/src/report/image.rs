//! Pictures, and how the page stores them: only the pixels that are not those of an earlier picture, exact to the bit.
//!
//! `picture.js` reads what is written here. A stored picture is `WIDTH HEIGHT LEFT TOP ACROSS DOWN`, an earlier picture of the same size
//! or none, and bytes (deflated):
//! * with an earlier picture, a bit for each pixel of the rectangle, row by row, lowest bit first: whether it changed;
//! * of each changed pixel, what the pixels left of it and above did not let expect: first green of all of them, then red less green, then
//!   blue less green, then alpha.

use std::ops::Range;

/// Pixels that thumbnails have at most, across and down.
const THUMBNAIL: (u32, u32) = (144, 80);

/// A picture: rows from the top, red, green, blue and alpha in a byte each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) rgba: Vec<u8>,
}

/// Pixels that are not those of another picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    /// Columns and rows that hold all of them.
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
    /// How many there are.
    pub(super) count: usize,
}

impl Image {
    /// What it is known by on the page.
    pub(super) fn id(&self) -> String {
        let size = u64::from(self.width) << 32 | u64::from(self.height);
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64_with_seed(&self.rgba, size))
    }

    fn pixels(&self) -> &[[u8; 4]] {
        self.rgba.as_chunks().0
    }

    fn size(&self) -> (usize, usize) {
        (self.width as usize, self.height as usize)
    }

    /// Where it is another than an earlier picture; nothing where their sizes differ.
    pub(super) fn changed(&self, before: &Self) -> Option<Changed> {
        if self.size() != before.size() {
            return None;
        }
        let (width, height) = self.size();
        let mut changed = Changed { columns: width..0, rows: height..0, count: 0 };
        let lines = self.rgba.chunks(width * 4).zip(before.rgba.chunks(width * 4));
        for (row, (new, old)) in lines.enumerate().filter(|(_, (new, old))| new != old) {
            changed.rows = changed.rows.start.min(row)..row + 1;
            let pixels = new.as_chunks::<4>().0.iter().zip(old.as_chunks::<4>().0);
            for (column, _) in pixels.enumerate().filter(|(_, (new, old))| new != old) {
                changed.columns = changed.columns.start.min(column)..changed.columns.end.max(column + 1);
                changed.count += 1;
            }
        }
        if changed.count == 0 {
            (changed.columns, changed.rows) = (0..0, 0..0);
        }
        Some(changed)
    }

    /// The rectangle that is stored: of an earlier picture what changed, else everything.
    pub(super) fn rectangle(&self, changed: Option<&Changed>) -> (Range<usize>, Range<usize>) {
        match changed {
            Some(changed) => (changed.columns.clone(), changed.rows.clone()),
            None => (0..self.size().0, 0..self.size().1),
        }
    }

    /// The bytes that are stored, not deflated yet.
    pub(super) fn coded(&self, before: Option<(&Self, &Changed)>) -> Vec<u8> {
        let (width, _) = self.size();
        let (columns, rows) = self.rectangle(before.map(|(_, changed)| changed));
        let area = columns.len() * rows.len();
        let count = before.map_or(area, |(_, changed)| changed.count);
        let mask = if before.is_some() { area.div_ceil(8) } else { 0 };
        let mut out = vec![0; mask + 4 * count];
        let (bits, planes) = out.split_at_mut(mask);
        let (greens, planes) = planes.split_at_mut(count);
        let (reds, planes) = planes.split_at_mut(count);
        let (blues, alphas) = planes.split_at_mut(count);
        let pixels = self.pixels();
        let (mut at, mut bit) = (0, 0);
        for row in rows {
            for place in row * width + columns.start..row * width + columns.end {
                let pixel = pixels[place];
                if let Some((before, _)) = before {
                    if before.pixels()[place] == pixel {
                        bit += 1;
                        continue;
                    }
                    bits[bit / 8] |= 1 << (bit % 8);
                    bit += 1;
                }
                let left = if place > row * width { pixels[place - 1] } else { [0; 4] };
                let (above, corner) = match place.checked_sub(width) {
                    Some(above) if place > row * width => (pixels[above], pixels[above - 1]),
                    Some(above) => (pixels[above], [0; 4]),
                    None => ([0; 4], [0; 4]),
                };
                let rest = |channel: usize| {
                    pixel[channel].wrapping_sub(expected(left[channel], above[channel], corner[channel]))
                };
                let green = rest(1);
                greens[at] = green;
                reds[at] = rest(0).wrapping_sub(green);
                blues[at] = rest(2).wrapping_sub(green);
                alphas[at] = rest(3);
                at += 1;
            }
        }
        out
    }

    /// The same picture, no larger than thumbnails are: means of the pixels that fall together, without alpha.
    pub(super) fn thumbnail(&self) -> Self {
        let scale =
            (f64::from(self.width) / f64::from(THUMBNAIL.0)).max(f64::from(self.height) / f64::from(THUMBNAIL.1));
        let size = |pixels: u32| if scale > 1.0 { (f64::from(pixels) / scale).round().max(1.0) as u32 } else { pixels };
        let (width, height) = (size(self.width), size(self.height));
        let span = |at: u32, of: u32, from: u32| {
            let edge = |at: u32| (u64::from(at) * u64::from(from) / u64::from(of)) as usize;
            edge(at)..edge(at + 1).max(edge(at) + 1)
        };
        let pixels = self.pixels();
        let columns: Vec<_> = (0..width).map(|x| span(x, width, self.width)).collect();
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        for y in 0..height {
            let rows = span(y, height, self.height);
            for columns in &columns {
                let mut sums = [0u32; 3];
                for row in rows.clone() {
                    let line = &pixels[row * self.width as usize..];
                    for [red, green, blue, _] in &line[columns.clone()] {
                        sums[0] += u32::from(*red);
                        sums[1] += u32::from(*green);
                        sums[2] += u32::from(*blue);
                    }
                }
                let count = (rows.len() * columns.len()) as u32;
                let [red, green, blue] = sums.map(|sum| (sum / count) as u8);
                rgba.extend_from_slice(&[red, green, blue, 255]);
            }
        }
        Self { width, height, rgba }
    }
}

/// What a channel is expected to be: on from its neighbours, but not beyond them.
fn expected(left: u8, above: u8, corner: u8) -> u8 {
    let (low, high) = if left < above { (left, above) } else { (above, left) };
    if corner >= high {
        low
    } else if corner <= low {
        high
    } else {
        left.wrapping_add(above).wrapping_sub(corner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Changed, Image, expected};

    fn plain(width: u32, height: u32, color: [u8; 4]) -> Image {
        Image { width, height, rgba: color.repeat((width * height) as usize) }
    }

    fn noise(width: u32, height: u32, seed: u32) -> Image {
        let mut word = seed;
        let bytes = std::iter::repeat_with(|| {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (word >> 24) as u8
        });
        Image { width, height, rgba: bytes.take((width * height * 4) as usize).collect() }
    }

    /// What `picture.js` does.
    fn decoded(width: u32, height: u32, before: Option<(&Image, &Changed)>, bytes: &[u8]) -> Image {
        let blank = plain(width, height, [0; 4]);
        let (columns, rows) = blank.rectangle(before.map(|(_, changed)| changed));
        let mut image = before.map_or(blank, |(before, _)| before.clone());
        let area = columns.len() * rows.len();
        let (mask, rest) = bytes.split_at(if before.is_some() { area.div_ceil(8) } else { 0 });
        let count = rest.len() / 4;
        let (mut at, mut bit) = (0, 0);
        for y in rows {
            for x in columns.clone() {
                let is = mask.is_empty() || mask[bit / 8] >> (bit % 8) & 1 != 0;
                bit += 1;
                if !is {
                    continue;
                }
                let pixel = |x: Option<usize>, y: Option<usize>, channel: usize| match (x, y) {
                    (Some(x), Some(y)) => image.rgba[(y * width as usize + x) * 4 + channel],
                    _ => 0,
                };
                let expect = |channel| {
                    let (left, above) = (x.checked_sub(1), y.checked_sub(1));
                    expected(pixel(left, Some(y), channel), pixel(Some(x), above, channel), pixel(left, above, channel))
                };
                let green = rest[at];
                let parts = [
                    rest[count + at].wrapping_add(green),
                    green,
                    rest[2 * count + at].wrapping_add(green),
                    rest[3 * count + at],
                ];
                let values: Vec<u8> = (0..4).map(|channel| parts[channel].wrapping_add(expect(channel))).collect();
                image.rgba[(y * width as usize + x) * 4..][..4].copy_from_slice(&values);
                at += 1;
            }
        }
        assert_eq!(at, count, "nothing is left over");
        image
    }

    #[test]
    fn pictures_are_stored_exactly() {
        for (width, height) in [(1, 1), (1, 9), (9, 1), (7, 5), (64, 48)] {
            for image in [plain(width, height, [1, 2, 3, 0]), noise(width, height, 5)] {
                assert_eq!(decoded(width, height, None, &image.coded(None)), image);
            }
        }
    }

    #[test]
    fn what_changed_is_stored_exactly() {
        let before = noise(33, 20, 7);
        let mut after = before.clone();
        for (x, y) in [(3, 4), (32, 4), (3, 19), (17, 11)] {
            after.rgba[(y * 33 + x) * 4 + 3] ^= 0x55;
        }
        let changed = after.changed(&before).expect("equal sizes");
        assert_eq!(changed, Changed { columns: 3..33, rows: 4..20, count: 4 });
        let bytes = after.coded(Some((&before, &changed)));
        assert_eq!(bytes.len(), (30usize * 16).div_ceil(8) + 16);
        assert_eq!(decoded(33, 20, Some((&before, &changed)), &bytes), after);

        for other in [noise(33, 20, 8), plain(33, 20, [9; 4]), before.clone()] {
            let changed = other.changed(&before).expect("equal sizes");
            assert_eq!(decoded(33, 20, Some((&before, &changed)), &other.coded(Some((&before, &changed)))), other);
        }
        assert_eq!(noise(20, 33, 7).changed(&before), None, "another shape");
    }

    #[test]
    fn sizes_count_in_names() {
        assert_ne!(plain(4, 1, [255; 4]).id(), plain(2, 2, [255; 4]).id());
    }

    #[test]
    fn thumbnails_are_small_and_keep_the_shape() {
        let small = plain(1000, 10, [40, 80, 120, 0]).thumbnail();
        assert_eq!((small.width, small.height), (144, 1));
        assert!(small.rgba.chunks(4).all(|pixel| pixel == [40, 80, 120, 255]));
        let same = plain(3, 70, [1, 2, 3, 255]);
        assert_eq!(same.thumbnail(), same);
        assert_eq!(plain(1, 4000, [1; 4]).thumbnail().height, 80);
    }
}
