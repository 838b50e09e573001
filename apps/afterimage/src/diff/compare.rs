//! Two pictures, pixel by pixel.

use super::picture::Picture;
use std::collections::HashMap;

/// How pictures are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// By how much red, green and blue may differ.
    pub(super) tolerance: u8,
    /// By what differences are multiplied to be seen.
    pub(super) amplify: u8,
}

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

/// What was counted in an area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) pixels: u64,
    /// Pixels whose red, green and blue differ by no more than the tolerance.
    pub(super) within: u64,
    /// Pixels whose red, green and blue are equal.
    pub(super) exact: u64,
    /// Pixels whose alpha is equal.
    pub(super) alpha: u64,
    /// The largest difference of red, green or blue.
    pub(super) largest: u8,
}

/// How much two pictures differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) all: Counts,
    /// What is drawn, and what was counted there; nothing if nothing is drawn.
    pub(super) drawn: Option<(Area, Counts)>,
}

impl Counts {
    /// Whether so many percent of the pixels are within the tolerance.
    pub(super) fn reaches(&self, percent: f64) -> bool {
        self.within as f64 * 100.0 >= percent * self.pixels as f64
    }

    /// Whether red, green and blue are equal everywhere.
    pub(super) const fn is_exact(&self) -> bool {
        self.exact == self.pixels
    }

    fn count(&mut self, golden: [u8; 4], picture: [u8; 4], tolerance: u8) {
        let difference = difference(golden, picture);
        self.pixels += 1;
        self.within += u64::from(difference <= tolerance);
        self.exact += u64::from(difference == 0);
        self.alpha += u64::from(golden[3] == picture[3]);
        self.largest = self.largest.max(difference);
    }
}

/// Compares two pictures. Those of different sizes cannot be; the error says so.
pub(super) fn compare(golden: &Picture, picture: &Picture, settings: Settings) -> Result<Comparison, String> {
    let (width, height) = (golden.width, golden.height);
    if (picture.width, picture.height) != (width, height) {
        return Err(format!("{} x {} pixels instead of {width} x {height}", picture.width, picture.height));
    }
    let count = |area: Area| {
        let mut counts = Counts::default();
        for y in area.y..area.y + area.height {
            let row = (y as usize * width as usize + area.x as usize)..;
            let pixels = golden.pixels[row.clone()].iter().zip(&picture.pixels[row]);
            for (&golden, &picture) in pixels.take(area.width as usize) {
                counts.count(golden, picture, settings.tolerance);
            }
        }
        counts
    };
    let all = count(Area { x: 0, y: 0, width, height });
    Ok(Comparison { width, height, all, drawn: drawn(golden).map(|area| (area, count(area))) })
}

/// The largest difference of red, green and blue.
fn difference(a: [u8; 4], b: [u8; 4]) -> u8 {
    (0..3).map(|i| a[i].abs_diff(b[i])).max().unwrap_or(0)
}

/// The smallest rectangle around everything that is drawn: pixels whose colour is not [`background`]. White pixels of alpha
/// 0 are text of pbkit and do not count.
pub(super) fn drawn(picture: &Picture) -> Option<Area> {
    let background = background(picture)?;
    let is_drawn = |&[r, g, b, a]: &[u8; 4]| [r, g, b] != background && [r, g, b, a] != [255, 255, 255, 0];
    let mut area: Option<[usize; 4]> = None;
    for (y, row) in picture.pixels.chunks(picture.width as usize).enumerate() {
        let Some(first) = row.iter().position(is_drawn) else { continue };
        let last = row.iter().rposition(is_drawn).unwrap_or(first);
        let [left, top, right, _] = area.unwrap_or([first, y, last, y]);
        area = Some([left.min(first), top, right.max(last), y]);
    }
    area.map(|[left, top, right, bottom]| Area {
        x: left as u32,
        y: top as u32,
        width: (right - left + 1) as u32,
        height: (bottom - top + 1) as u32,
    })
}

/// The colour that most pixels of the outermost rows and columns have; of several the darkest.
fn background(picture: &Picture) -> Option<[u8; 3]> {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let mut colors: HashMap<[u8; 3], u32> = HashMap::new();
    for (y, row) in picture.pixels.chunks(width.max(1)).enumerate() {
        let inner = y > 0 && y + 1 < height;
        let step = if inner { width.saturating_sub(1).max(1) } else { 1 };
        for &[r, g, b, _] in row.iter().step_by(step) {
            *colors.entry([r, g, b]).or_default() += 1;
        }
    }
    colors
        .into_iter()
        .max_by_key(|&(color, count)| (count, color.map(|component| 255 - component)))
        .map(|(color, _)| color)
}

/// The differences of two pictures of one size, made brighter; alpha's is not shown.
pub(super) fn amplified(golden: &Picture, picture: &Picture, settings: Settings) -> Picture {
    let pixels = golden.pixels.iter().zip(&picture.pixels);
    let bright = |a: u8, b: u8| a.abs_diff(b).saturating_mul(settings.amplify);
    let pixels = pixels.map(|(a, b)| [bright(a[0], b[0]), bright(a[1], b[1]), bright(a[2], b[2]), 255]).collect();
    Picture { width: golden.width, height: golden.height, pixels }
}

#[cfg(test)]
mod tests {
    use super::{Area, Counts, Settings, amplified, compare, drawn};
    use crate::diff::picture::Picture;

    const GREY: [u8; 4] = [32, 32, 32, 254];
    const SETTINGS: Settings = Settings { tolerance: 3, amplify: 16 };

    /// A grey picture with these pixels set.
    fn picture(width: u32, height: u32, set: &[(u32, u32, [u8; 4])]) -> Picture {
        let mut pixels = vec![GREY; (width * height) as usize];
        for &(x, y, pixel) in set {
            pixels[(y * width + x) as usize] = pixel;
        }
        Picture { width, height, pixels }
    }

    #[test]
    fn the_largest_of_three_components_decides() {
        let golden = picture(4, 2, &[]);
        let other = picture(
            4,
            2,
            &[(0, 0, [35, 29, 32, 254]), (1, 0, [36, 32, 32, 254]), (2, 1, [32, 32, 32, 0]), (3, 1, [32, 32, 22, 255])],
        );
        let all = compare(&golden, &other, SETTINGS).expect("one size").all;
        assert_eq!(all, Counts { pixels: 8, within: 6, exact: 5, alpha: 6, largest: 10 });
        assert!(all.reaches(75.0) && !all.reaches(75.1) && !all.is_exact());
    }

    #[test]
    fn the_box_holds_what_is_drawn() {
        let red = [255, 0, 0, 255];
        let text = [255, 255, 255, 0];
        let golden = picture(8, 6, &[(2, 1, red), (5, 3, red), (0, 0, text), (7, 5, text)]);
        assert_eq!(drawn(&golden), Some(Area { x: 2, y: 1, width: 4, height: 3 }));
        let other = picture(8, 6, &[(2, 1, red), (0, 0, text), (7, 5, red)]);
        let comparison = compare(&golden, &other, SETTINGS).expect("one size");
        assert_eq!(comparison.all, Counts { pixels: 48, within: 46, exact: 46, alpha: 46, largest: 255 });
        let (_, counts) = comparison.drawn.expect("something is drawn");
        assert_eq!(counts, Counts { pixels: 12, within: 11, exact: 11, alpha: 11, largest: 223 });
    }

    #[test]
    fn the_background_is_what_the_rim_has_most() {
        let mut golden = picture(5, 5, &[]);
        let blue = [0, 0, 200, 255];
        for (i, pixel) in golden.pixels.iter_mut().enumerate() {
            if (1..4).contains(&(i % 5)) && (1..4).contains(&(i / 5)) {
                *pixel = blue;
            }
        }
        assert_eq!(drawn(&golden), Some(Area { x: 1, y: 1, width: 3, height: 3 }));
        assert_eq!(drawn(&picture(5, 5, &[])), None);
        assert_eq!(drawn(&picture(1, 1, &[])), None);
        assert_eq!(drawn(&picture(0, 0, &[])), None);
    }

    #[test]
    fn sizes_must_agree() {
        let error = compare(&picture(4, 2, &[]), &picture(2, 4, &[]), SETTINGS).expect_err("other sizes");
        assert_eq!(error, "2 x 4 pixels instead of 4 x 2");
    }

    #[test]
    fn small_differences_can_be_seen() {
        let shown = amplified(&picture(1, 1, &[]), &picture(1, 1, &[(0, 0, [31, 32, 132, 0])]), SETTINGS);
        assert_eq!(shown.pixels, [[16, 0, 255, 255]]);
    }
}
