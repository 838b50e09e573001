//! The slope of a W buffer's polygons, for their offset.
//!
//! w is not linear on the screen, so that its slope is another one in every pixel. The console takes one for the whole triangle:
//! that in the middle of the first two by two pixels that it visits and that are not clipped. It goes down from the topmost vertex,
//! in tiles of four by four pixels, of which it visits the lower half first.
//!
//! Source: the pictures of a console (suite W buffering), where triangles below and beside a clip rectangle's corner have the
//! slopes at these places to a thousandth of a pixel. That a vertex beside the rectangle has the tile nearest to it is a guess.

use super::transformed::Transformed;
use afterimage_nv2a_types::{Registers, method};

/// Sides of a tile and of what has one slope, in pixels.
const TILE: i32 = 4;
const QUAD: i32 = 2;

/// Pixels, right and bottom outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rectangle {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Rectangle {
    /// What two have in common, if anything.
    fn and(self, other: Self) -> Option<Self> {
        let both = Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        (both.left < both.right && both.top < both.bottom).then_some(both)
    }
}

/// Where pixels are drawn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Visible {
    rectangles: [Option<Rectangle>; 8],
}

/// A corner of a triangle: where it is on the screen, and one over w.
type Corner = [f64; 3];

impl Visible {
    /// The parts of the surface clip that the window clip rectangles leave. Rectangles that shut pixels out leave all of it.
    pub(super) fn of(registers: &Registers) -> Self {
        let span = |word: u32| ((word & 0xFFFF) as i32, (word >> 16) as i32);
        let (x, width) = span(registers.get(method::SET_SURFACE_CLIP_HORIZONTAL));
        let (y, height) = span(registers.get(method::SET_SURFACE_CLIP_VERTICAL));
        let surface = Rectangle { left: x, top: y, right: x + width, bottom: y + height };
        let outside = registers.is_set(method::SET_WINDOW_CLIP_TYPE);
        let rectangles = std::array::from_fn(|n| {
            let get = |method: u16| registers.get(method + 4 * n as u16);
            let (first, end) = (|word: u32| (word & 0xFFF) as i32, |word: u32| (word >> 16 & 0xFFF) as i32 + 1);
            let (x, y) = (get(method::SET_WINDOW_CLIP_HORIZONTAL), get(method::SET_WINDOW_CLIP_VERTICAL));
            let window = Rectangle { left: first(x), top: first(y), right: end(x), bottom: end(y) };
            surface.and(if outside { surface } else { window })
        });
        Self { rectangles }
    }

    /// How steep w is where the slope of this triangle is taken, in w per pixel; 0 where nothing of it is seen, or a part is behind
    /// the eye. `place` is where a vertex is on the screen.
    pub(super) fn slope(&self, triangle: &[Transformed; 3], place: impl Fn(&Transformed) -> [f32; 2]) -> f32 {
        let corners = triangle.each_ref().map(|vertex| {
            let [x, y] = place(vertex).map(f64::from);
            [x, y, 1.0 / f64::from(vertex.position[3])]
        });
        let fits = |corner: &Corner| corner.iter().all(|value| value.is_finite()) && corner[2] > 0.0;
        if !corners.iter().all(fits) {
            return 0.0;
        }
        let [a, b, c] = corners;
        let double_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if double_area == 0.0 {
            return 0.0;
        }
        let across = ((b[2] - a[2]) * (c[1] - a[1]) - (c[2] - a[2]) * (b[1] - a[1])) / double_area;
        let down = ((c[2] - a[2]) * (b[0] - a[0]) - (b[2] - a[2]) * (c[0] - a[0])) / double_area;
        let firsts = self.rectangles.iter().flatten().filter_map(|rectangle| first_quad(&corners, rectangle));
        let Some([x, y]) = firsts.min_by_key(|[x, y]| (*y, *x)) else { return 0.0 };
        let middle = |first: i32| f64::from(first + QUAD / 2);
        let over_w = a[2] + across * (middle(x) - a[0]) + down * (middle(y) - a[1]);
        let slope = across.abs().max(down.abs()) / (over_w * over_w);
        if slope.is_finite() { slope as f32 } else { 0.0 }
    }
}

/// The first pixels of a triangle that are visited inside of a rectangle: their upper left one.
fn first_quad(corners: &[Corner; 3], rectangle: &Rectangle) -> Option<[i32; 2]> {
    let top = corners.iter().min_by(|a, b| a[1].total_cmp(&b[1]).then(a[0].total_cmp(&b[0])))?;
    let lowest = corners.iter().fold(f64::MIN, |lowest, corner| lowest.max(corner[1]));
    // Casts end at the largest integers.
    let first = (top[1].floor() as i32).max(rectangle.top);
    let end = (lowest.ceil() as i32).min(rectangle.bottom);
    let mut tile = first.div_euclid(TILE) * TILE;
    while tile < end {
        let lines: [_; TILE as usize] = std::array::from_fn(|line| pixels(corners, tile + line as i32, rectangle));
        let seen = lines.iter().flatten();
        if let Some([left, right]) = seen.copied().reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]) {
            let start = (top[0].floor() as i32).clamp(left, right) / TILE * TILE;
            let columns = [start, start + QUAD];
            let covers = |x: i32, span: &Option<[i32; 2]>| span.is_some_and(|[l, r]| l < x + QUAD && x <= r);
            for line in [QUAD, 0] {
                let pair = &lines[line as usize..][..QUAD as usize];
                if let Some(x) = columns.into_iter().find(|x| pair.iter().any(|span| covers(*x, span))) {
                    return Some([x, tile + line]);
                }
            }
        }
        tile += TILE;
    }
    None
}

/// First and last pixel of a line whose centres are inside of a triangle and a rectangle.
fn pixels(corners: &[Corner; 3], line: i32, rectangle: &Rectangle) -> Option<[i32; 2]> {
    if !(rectangle.top..rectangle.bottom).contains(&line) {
        return None;
    }
    let y = f64::from(line) + 0.5;
    let (mut left, mut right) = (f64::MAX, f64::MIN);
    for (a, b) in [(0, 1), (1, 2), (2, 0)] {
        let ([ax, ay, _], [bx, by, _]) = (corners[a], corners[b]);
        if (ay <= y) != (by <= y) {
            let x = ax + (bx - ax) * (y - ay) / (by - ay);
            (left, right) = (left.min(x), right.max(x));
        }
    }
    let first = ((left - 0.5).ceil() as i32).max(rectangle.left);
    let last = ((right - 0.5).ceil() as i32).min(rectangle.right).checked_sub(1)?;
    (first <= last).then_some([first, last])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vertex whose place on the screen is what its position says.
    fn vertex(x: f32, y: f32, w: f32) -> Transformed {
        Transformed { position: [x, y, 0.0, w], ..Transformed::default() }
    }

    fn slope(triangle: [Transformed; 3], clip: (u32, u32)) -> f32 {
        let mut registers = Registers::new();
        registers.set(method::SET_SURFACE_CLIP_HORIZONTAL, 640 << 16);
        registers.set(method::SET_SURFACE_CLIP_VERTICAL, 480 << 16);
        registers.set(method::SET_WINDOW_CLIP_HORIZONTAL, 639 << 16 | clip.0);
        registers.set(method::SET_WINDOW_CLIP_VERTICAL, 479 << 16 | clip.1);
        Visible::of(&registers).slope(&triangle, |vertex| [vertex.position[0], vertex.position[1]])
    }

    /// The slope of w between two places where it is known, at a third one.
    fn at(place: f64, [a, aw]: [f64; 2], [b, bw]: [f64; 2]) -> f64 {
        let step = (1.0 / bw - 1.0 / aw) / (b - a);
        step.abs() / (1.0 / aw + step * (place - a)).powi(2)
    }

    #[test]
    fn the_first_pixels_below_and_beside_the_clip_have_the_slope() {
        const FAR: f32 = 325.805_8;
        const NEAR: f32 = 58.379_993;
        let ends = |a: f32, b: f32| ([a.into(), FAR.into()], [b.into(), NEAR.into()]);
        let is = |found: f32, wanted: f64| assert!((f64::from(found) / wanted - 1.0).abs() < 1e-5, "{found} {wanted}");
        // A floor that becomes a line to the right and left: suite W buffering, ClipF-150-224.
        let floor = [vertex(53.1875, -34.3125, FAR), vertex(1808.6875, 453.0, NEAR), vertex(-1168.6875, 453.0, NEAR)];
        let (far, near) = ends(-34.3125, 453.0);
        is(slope(floor, (150, 224)), at(227.0, far, near));
        is(slope(floor, (150, 0)), at(3.0, far, near));
        // A wall, WallQuad: one triangle begins at its left edge, one at its right edge.
        let (far, near) = ends(637.3125, 150.0);
        let [a, b] = [vertex(637.3125, -26.8125, FAR), vertex(637.3125, 506.75, FAR)];
        let [c, d] = [vertex(150.0, 1728.6875, NEAR), vertex(150.0, -1248.6875, NEAR)];
        is(slope([a, c, d], (150, 0)), at(151.0, far, near));
        is(slope([a, b, c], (150, 0)), at(637.0, far, near));
    }

    #[test]
    fn what_is_not_seen_or_no_triangle_has_no_slope() {
        let corner = |x, y, w| vertex(x, y, w);
        let seen = [corner(10.0, 10.0, 1.0), corner(90.0, 10.0, 2.0), corner(10.0, 90.0, 4.0)];
        assert!(slope(seen, (0, 0)) > 0.0);
        assert_eq!(slope(seen, (100, 0)), 0.0, "clipped");
        assert_eq!(slope([seen[0], seen[1], seen[1]], (0, 0)), 0.0, "a line");
        assert_eq!(slope([seen[0], seen[1], corner(10.0, 90.0, -4.0)], (0, 0)), 0.0, "behind the eye");
        assert_eq!(slope([seen[0], seen[1], corner(f32::NAN, 90.0, 4.0)], (0, 0)), 0.0);
        let wide = [corner(-1e30, -1e30, 1.0), corner(1e30, -1e30, 2.0), corner(0.0, 1e30, 4.0)];
        assert!(slope(wide, (0, 0)).is_finite());
    }
}
