//! Viewports and scissors.

use afterimage_gnm_types::{View, reg};
use afterimage_shader_gcn::io::position;
use afterimage_stream::Once;
use afterimage_stream::packets::*;

/// Columns and lines of the largest target.
const LARGEST: i32 = 16384;

/// What two rectangles have in common.
fn intersection(a: Rect, b: Rect) -> Rect {
    let span = |a: i32, a_size: u32, b: i32, b_size: u32| {
        let first = a.max(b);
        let end = (i64::from(a) + i64::from(a_size)).min(i64::from(b) + i64::from(b_size));
        (first, (end - i64::from(first)).max(0) as u32)
    };
    let ((x, width), (y, height)) = (span(a.x, a.width, b.x, b.width), span(a.y, a.height, b.y, b.height));
    Rect { x, y, width, height }
}

/// Pixels that every scissor lets pass: screen, window, generic, and that of the first viewport where it is on.
pub(super) fn scissor(registers: &View) -> Rect {
    let offset = registers.get(reg::PA_SC_WINDOW_OFFSET);
    let offset = [i32::from(offset as u16 as i16), i32::from((offset >> 16) as u16 as i16)];
    let rect = |top_left: u32, bottom_right: u32, moves: bool| {
        let (tl, br) = (registers.get(top_left), registers.get(bottom_right));
        // Bit 31 of the window's kinds says that its offset does not apply.
        let [dx, dy] = if moves && tl >> 31 == 0 { offset } else { [0; 2] };
        let corner = |word: u32, bits: u32| [(word & bits) as i32 + dx, (word >> 16 & bits) as i32 + dy];
        let (from, to) =
            if moves { (corner(tl, 0x7FFF), corner(br, 0x7FFF)) } else { (corner(tl, 0xFFFF), corner(br, 0xFFFF)) };
        let [x, y] = from.map(|edge| edge.clamp(0, LARGEST));
        let [right, bottom] = to.map(|edge| edge.clamp(0, LARGEST));
        Rect { x, y, width: (right - x).max(0) as u32, height: (bottom - y).max(0) as u32 }
    };
    let screen = rect(reg::PA_SC_SCREEN_SCISSOR_TL, reg::PA_SC_SCREEN_SCISSOR_BR, false);
    let window = rect(reg::PA_SC_WINDOW_SCISSOR_TL, reg::PA_SC_WINDOW_SCISSOR_BR, true);
    let generic = rect(reg::PA_SC_GENERIC_SCISSOR_TL, reg::PA_SC_GENERIC_SCISSOR_BR, true);
    let mut all = intersection(intersection(screen, window), generic);
    if registers.is_set(reg::PA_SC_MODE_CNTL_0::VPORT_SCISSOR_ENABLE) {
        all = intersection(all, rect(reg::PA_SC_VPORT_SCISSOR_0_TL, reg::PA_SC_VPORT_SCISSOR_0_BR, true));
    }
    all
}

/// How positions become pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Transform {
    pub(super) viewport: SetViewport,
    /// [`position`]'s bits.
    pub(super) position: u32,
    /// Register 1 of the draw's bank.
    pub(super) pixels: [f32; 4],
}

/// The first viewport, for targets of this size.
pub(super) fn transform(registers: &View, size: [u32; 2]) -> Transform {
    let float = |register| f32::from_bits(registers.get(register));
    let scales = registers.is_set(reg::PA_CL_VTE_CNTL::VPORT_X_SCALE_ENA);
    let depth = |near: f32, far: f32| {
        let clamp = |depth: f32| if depth.is_nan() { 0.0 } else { depth.clamp(0.0, 1.0) };
        (clamp(near), clamp(far))
    };
    let mut bits = 0;
    let to_one = registers.is_set(reg::PA_CL_CLIP_CNTL::DX_CLIP_SPACE_DEF);
    let (min_depth, max_depth) = if registers.is_set(reg::PA_CL_VTE_CNTL::VPORT_Z_SCALE_ENA) {
        let (scale, offset) = (float(reg::PA_CL_VPORT_ZSCALE), float(reg::PA_CL_VPORT_ZOFFSET));
        if to_one { depth(offset, offset + scale) } else { depth(offset - scale, offset + scale) }
    } else {
        (0.0, 1.0)
    };
    if !to_one {
        bits |= position::DEPTH_FROM_MINUS_W;
    }
    // Pixels are counted from their centres where they are not counted from their corners.
    let half = if registers.is_set(reg::PA_SU_VTX_CNTL::PIX_CENTER) { 0.0 } else { 0.5 };
    if !scales {
        let [width, height] = size.map(|edge| edge.max(1) as f32);
        let viewport = SetViewport { x: half, y: half, width, height, min_depth, max_depth };
        let pixels = [2.0 / width, 2.0 / height, 0.0, 0.0];
        return Transform { viewport, position: bits | position::IN_PIXELS | position::Y_DOWN, pixels };
    }
    let finite = |value: f32| if value.is_finite() { value.clamp(-65536.0, 65536.0) } else { 0.0 };
    let [x_scale, y_scale] = [reg::PA_CL_VPORT_XSCALE, reg::PA_CL_VPORT_YSCALE].map(|register| finite(float(register)));
    let [x, y] = [reg::PA_CL_VPORT_XOFFSET, reg::PA_CL_VPORT_YOFFSET].map(|register| finite(float(register)));
    if x_scale < 0.0 {
        bits |= position::X_LEFT;
    }
    if y_scale > 0.0 {
        bits |= position::Y_DOWN;
    }
    let viewport = SetViewport {
        x: x - x_scale.abs() + half,
        y: y - y_scale.abs() + half,
        width: 2.0 * x_scale.abs(),
        height: 2.0 * y_scale.abs(),
        min_depth,
        max_depth,
    };
    Transform { viewport, position: bits, pixels: [0.0; 4] }
}

/// The part of targets of this size that scissors and clip rectangles let pass.
pub(super) fn visible(registers: &View, [width, height]: [u32; 2], once: &mut Once) -> Rect {
    let rect = intersection(scissor(registers), Rect { x: 0, y: 0, width, height });
    clipped(registers, rect).unwrap_or_else(|| {
        once.warn(
            "PA_SC_CLIPRECT_RULE leaves what is no rectangle, which is not supported: clip rectangles do not apply",
        );
        rect
    })
}

/// What clip rectangles leave of a rectangle, if that is one. Bit n of the rule says what becomes of pixels that lie in those
/// rectangles whose bits n has.
fn clipped(registers: &View, whole: Rect) -> Option<Rect> {
    let rule = registers.field(reg::PA_SC_CLIPRECT_RULE::CLIP_RULE);
    if rule == 0xFFFF || whole.is_empty() {
        return Some(whole);
    }
    let corner = |word: u32| [(word & 0x7FFF) as i32, (word >> 16 & 0x7FFF) as i32];
    let rects: [[[i32; 2]; 2]; 4] = std::array::from_fn(|n| {
        [reg::PA_SC_CLIPRECT_0_TL, reg::PA_SC_CLIPRECT_0_BR].map(|at| corner(registers.get_nth(at, n as u32, 8)))
    });
    let (first, end) = ([whole.x, whole.y], [whole.x + whole.width as i32, whole.y + whole.height as i32]);
    // Between neighbouring edges all pixels have the same fate.
    let edges = |axis: usize| {
        let all = rects.iter().flatten().map(|corner| corner[axis].clamp(first[axis], end[axis]));
        let mut edges: Vec<i32> = all.chain([first[axis], end[axis]]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    };
    let (mut left, mut area) = (None::<[i32; 4]>, 0);
    let (columns, rows) = (edges(0), edges(1));
    for (x, y) in columns.windows(2).flat_map(|x| rows.windows(2).map(move |y| (x, y))) {
        let is_in = |[from, to]: [[i32; 2]; 2]| x[0] >= from[0] && x[0] < to[0] && y[0] >= from[1] && y[0] < to[1];
        let inside = (0..4).filter(|n| is_in(rects[*n])).fold(0, |all, n| all | 1 << n);
        if rule >> inside & 1 != 0 {
            let [x0, y0, x1, y1] = left.unwrap_or([x[0], y[0], x[1], y[1]]);
            left = Some([x0.min(x[0]), y0.min(y[0]), x1.max(x[1]), y1.max(y[1])]);
            area += i64::from(x[1] - x[0]) * i64::from(y[1] - y[0]);
        }
    }
    let Some([x, y, right, bottom]) = left else { return Some(Rect { width: 0, height: 0, ..whole }) };
    let is_whole = i64::from(right - x) * i64::from(bottom - y) == area;
    is_whole.then_some(Rect { x, y, width: (right - x) as u32, height: (bottom - y) as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_gnm_types::Registers;

    fn registers() -> Registers {
        let mut registers = Registers::new();
        registers.set(reg::PA_SC_CLIPRECT_RULE, 0xFFFF);
        registers.set(reg::PA_SC_SCREEN_SCISSOR_BR, 16384 << 16 | 16384);
        registers.set(reg::PA_SC_WINDOW_SCISSOR_TL, 1 << 31);
        registers.set(reg::PA_SC_WINDOW_SCISSOR_BR, 16384 << 16 | 16384);
        registers.set(reg::PA_SC_GENERIC_SCISSOR_BR, 720 << 16 | 1280);
        registers
    }

    #[test]
    fn scissors_are_cut_and_moved() {
        let mut registers = registers();
        assert_eq!(scissor(&registers), Rect { x: 0, y: 0, width: 1280, height: 720 });
        registers.set(reg::PA_SC_WINDOW_OFFSET, 0xFFFF_0010);
        assert_eq!(scissor(&registers), Rect { x: 16, y: 0, width: 1280, height: 719 });
        registers.set(reg::PA_SC_MODE_CNTL_0, reg::PA_SC_MODE_CNTL_0::VPORT_SCISSOR_ENABLE.bits(1));
        assert!(scissor(&registers).is_empty());
    }

    #[test]
    fn clip_rectangles_leave_a_rectangle_or_nobody_knows_what() {
        let mut registers = registers();
        let whole = Rect { x: 0, y: 0, width: 100, height: 80 };
        let rect = |x, y, width, height| Some(Rect { x, y, width, height });
        let corner = |x: u32, y: u32| y << 16 | x;
        registers.set_run(reg::PA_SC_CLIPRECT_0_TL, &[corner(10, 20), corner(50, 60), corner(30, 0), corner(200, 40)]);
        let mut left = |rule| {
            registers.set(reg::PA_SC_CLIPRECT_RULE, rule);
            clipped(&registers, whole)
        };
        assert_eq!(left(0xFFFF), Some(whole));
        // In the first; in both; in neither; in the second but not in the first; in none at all.
        assert_eq!(left(0xAAAA), rect(10, 20, 40, 40));
        assert_eq!(left(0x8888), rect(30, 20, 20, 20));
        assert_eq!(left(0x1111), None);
        assert_eq!(left(0x4444), None);
        assert_eq!(left(0), rect(0, 0, 0, 0));
        // A second rectangle beside the first, and either of them.
        registers.set_run(reg::PA_SC_CLIPRECT_1_TL, &[corner(50, 20), corner(90, 60)]);
        registers.set(reg::PA_SC_CLIPRECT_RULE, 0xEEEE);
        assert_eq!(clipped(&registers, whole), rect(10, 20, 80, 40));
    }

    #[test]
    fn viewports_say_which_way_up_is_and_where_depth_begins() {
        let mut registers = registers();
        registers.set(reg::PA_CL_VTE_CNTL, 0x43F);
        registers.set(reg::PA_SU_VTX_CNTL, 1);
        registers.set(reg::PA_CL_CLIP_CNTL, reg::PA_CL_CLIP_CNTL::DX_CLIP_SPACE_DEF.bits(1));
        for (register, value) in [
            (reg::PA_CL_VPORT_XSCALE, 640.0f32),
            (reg::PA_CL_VPORT_XOFFSET, 640.0),
            (reg::PA_CL_VPORT_YSCALE, -360.0),
            (reg::PA_CL_VPORT_YOFFSET, 360.0),
            (reg::PA_CL_VPORT_ZSCALE, 0.5),
            (reg::PA_CL_VPORT_ZOFFSET, 0.25),
        ] {
            registers.set(register, value.to_bits());
        }
        let seen = transform(&registers, [1280, 720]);
        let expected = SetViewport { x: 0.0, y: 0.0, width: 1280.0, height: 720.0, min_depth: 0.25, max_depth: 0.75 };
        assert_eq!((seen.viewport, seen.position), (expected, 0));
        registers.set(reg::PA_CL_VPORT_YSCALE, 360f32.to_bits());
        registers.set(reg::PA_CL_CLIP_CNTL, 0);
        let seen = transform(&registers, [1280, 720]);
        assert_eq!((seen.viewport.min_depth, seen.viewport.max_depth), (0.0, 0.75));
        assert_eq!(seen.position, position::Y_DOWN | position::DEPTH_FROM_MINUS_W);
        registers.set(reg::PA_CL_VPORT_XSCALE, (-640f32).to_bits());
        let seen = transform(&registers, [1280, 720]);
        assert_eq!((seen.viewport.x, seen.viewport.width), (0.0, 1280.0));
        assert_eq!(seen.position, position::X_LEFT | position::Y_DOWN | position::DEPTH_FROM_MINUS_W);
        registers.set(reg::PA_CL_VTE_CNTL, 0);
        let seen = transform(&registers, [64, 32]);
        assert_eq!((seen.pixels, seen.viewport.width), ([2.0 / 64.0, 2.0 / 32.0, 0.0, 0.0], 64.0));
        assert_eq!(seen.position & position::IN_PIXELS, position::IN_PIXELS);
    }
}
