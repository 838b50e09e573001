//! Viewports and scissors.

use afterimage_gnm_types::{View, reg};
use afterimage_shader_gcn::io::position;
use afterimage_stream::packets::*;
use afterimage_stream::{Once, VIEWPORTS};
use smallvec::{SmallVec, smallvec};

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

/// Bytes from the registers of one viewport to those of the next: of the transform, and of scissors and depths.
const STRIDE: u32 = 0x18;
const SCISSOR_STRIDE: u32 = 8;

/// Viewports beside the first that the vertex stage may choose of.
pub(super) fn further(registers: &View) -> std::ops::Range<u32> {
    use reg::PA_CL_VS_OUT_CNTL as V;
    let control = registers.get(reg::PA_CL_VS_OUT_CNTL);
    let chooses = V::USE_VTX_VIEWPORT_INDX.is_set(control) && V::VS_OUT_MISC_VEC_ENA.is_set(control);
    1..if chooses { VIEWPORTS as u32 } else { 1 }
}

/// Pixels that every scissor lets pass: screen, window, generic, and that of a viewport where it is on.
pub(super) fn scissor(registers: &View, viewport: u32) -> Rect {
    let offset = registers.get(reg::PA_SC_WINDOW_OFFSET);
    let offset = [i32::from(offset as u16 as i16), i32::from((offset >> 16) as u16 as i16)];
    let rect = |top_left: u32, bottom_right: u32, moves: bool| {
        let (tl, br) = (top_left, bottom_right);
        // Bit 31 of the window's kinds says that its offset does not apply.
        let [dx, dy] = if moves && tl >> 31 == 0 { offset } else { [0; 2] };
        let corner = |word: u32, bits: u32| [(word & bits) as i32 + dx, (word >> 16 & bits) as i32 + dy];
        let (from, to) =
            if moves { (corner(tl, 0x7FFF), corner(br, 0x7FFF)) } else { (corner(tl, 0xFFFF), corner(br, 0xFFFF)) };
        let [x, y] = from.map(|edge| edge.clamp(0, LARGEST));
        let [right, bottom] = to.map(|edge| edge.clamp(0, LARGEST));
        Rect { x, y, width: (right - x).max(0) as u32, height: (bottom - y).max(0) as u32 }
    };
    let get = |register| registers.get(register);
    let screen = rect(get(reg::PA_SC_SCREEN_SCISSOR_TL), get(reg::PA_SC_SCREEN_SCISSOR_BR), false);
    let window = rect(get(reg::PA_SC_WINDOW_SCISSOR_TL), get(reg::PA_SC_WINDOW_SCISSOR_BR), true);
    let generic = rect(get(reg::PA_SC_GENERIC_SCISSOR_TL), get(reg::PA_SC_GENERIC_SCISSOR_BR), true);
    let mut all = intersection(intersection(screen, window), generic);
    if registers.is_set(reg::PA_SC_MODE_CNTL_0::VPORT_SCISSOR_ENABLE) {
        let of = |register| registers.get_nth(register, viewport, SCISSOR_STRIDE);
        all = intersection(all, rect(of(reg::PA_SC_VPORT_SCISSOR_0_TL), of(reg::PA_SC_VPORT_SCISSOR_0_BR), true));
    }
    all
}

/// How positions become pixels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Transform {
    pub(super) viewport: SetViewport,
    /// Those behind the first, where the vertex stage chooses.
    pub(super) further: Vec<SetViewport>,
    /// [`position`]'s bits.
    pub(super) position: u32,
    /// Register 1 of the draw's bank.
    pub(super) pixels: [f32; 4],
    /// Viewports that are mirrored where the first is not, or are not where it is: bit n that of viewport n from left to right, bit
    /// 16 + n from top to bottom.
    pub(super) mirrors: u32,
}

/// The viewports, for targets of this size. `several`: the device has more than one.
pub(super) fn transform(registers: &View, size: [u32; 2], several: bool, once: &mut Once) -> Transform {
    let mut first = viewport(registers, 0, size, once);
    let further = further(registers);
    if !further.is_empty() && !several {
        once.warn(
            "PA_CL_VS_OUT_CNTL.USE_VTX_VIEWPORT_INDX on a device of which vertex shaders choose no viewport \
             (shaderOutputViewportIndex, shaderOutputLayer): all is drawn in the first",
        );
        return first;
    }
    const WAYS: u32 = position::X_LEFT | position::Y_DOWN;
    for n in further {
        let Transform { viewport, position: bits, .. } = viewport(registers, n, size, once);
        let other = (bits ^ first.position) & WAYS;
        first.mirrors |= u32::from(other & position::X_LEFT != 0) << n;
        first.mirrors |= u32::from(other & position::Y_DOWN != 0) << (VIEWPORTS as u32 + n);
        first.further.push(viewport);
    }
    if first.mirrors != 0 {
        first.position |= position::MIRRORS;
    }
    first
}

/// One viewport by itself, for targets of this size.
fn viewport(registers: &View, n: u32, size: [u32; 2], once: &mut Once) -> Transform {
    let float = |register| f32::from_bits(registers.get_nth(register, n, STRIDE));
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
    let [least, most] = [reg::PA_SC_VPORT_ZMIN_0, reg::PA_SC_VPORT_ZMAX_0]
        .map(|register| f32::from_bits(registers.get_nth(register, n, SCISSOR_STRIDE)));
    if least < most && (least > min_depth.min(max_depth) || most < max_depth.max(min_depth)) {
        once.warn(format!(
            "PA_SC_VPORT_ZMIN_{n} and ZMAX lie within the depths of the viewport, which is not supported: depths beyond them are not \
             clamped to them"
        ));
    }
    // Pixels are counted from their centres where they are not counted from their corners.
    let half = if registers.is_set(reg::PA_SU_VTX_CNTL::PIX_CENTER) { 0.0 } else { 0.5 };
    if !scales {
        let [width, height] = size.map(|edge| edge.max(1) as f32);
        let viewport = SetViewport { x: half, y: half, width, height, min_depth, max_depth };
        let pixels = [2.0 / width, 2.0 / height, 0.0, 0.0];
        let position = bits | position::IN_PIXELS | position::Y_DOWN;
        return Transform { viewport, further: Vec::new(), position, pixels, mirrors: 0 };
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
    Transform { viewport, further: Vec::new(), position: bits, pixels: [0.0; 4], mirrors: 0 }
}

/// The part of targets that scissors and clip rectangles let pass: a scissor for each viewport, of each of which pixels are seen in these
/// regions, which do not overlap. A draw is drawn once for each region.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Visible {
    scissors: SmallVec<[Rect; 1]>,
    regions: SmallVec<[Rect; 1]>,
}

impl Visible {
    /// How often a draw is drawn.
    pub(super) fn passes(&self) -> usize {
        self.regions.len()
    }

    /// The scissor of the first viewport in a pass.
    pub(super) fn first(&self, pass: usize) -> Rect {
        intersection(self.scissors[0], self.regions[pass])
    }

    /// Those of all others.
    pub(super) fn further(&self, pass: usize) -> impl Iterator<Item = Rect> {
        self.scissors[1..].iter().map(move |scissor| intersection(*scissor, self.regions[pass]))
    }

    /// What of the targets is seen through the first viewport.
    pub(super) fn rects(&self) -> impl Iterator<Item = Rect> {
        (0..self.passes()).map(|pass| self.first(pass)).filter(|rect| !rect.is_empty())
    }
}

/// The part of targets of this size that scissors and clip rectangles let pass.
pub(super) fn visible(registers: &View, [width, height]: [u32; 2]) -> Visible {
    let whole = Rect { x: 0, y: 0, width, height };
    let viewports = std::iter::once(0).chain(further(registers));
    let scissors: SmallVec<[Rect; 1]> = viewports.map(|n| intersection(scissor(registers, n), whole)).collect();
    let mut regions = clipped(registers, whole);
    regions.retain(|region| scissors.iter().any(|scissor| !intersection(*scissor, *region).is_empty()));
    if regions.is_empty() {
        regions.push(Rect { width: 0, height: 0, ..whole });
    }
    Visible { scissors, regions }
}

/// What clip rectangles leave of a rectangle, as rectangles that do not overlap. Bit n of the rule says what becomes of pixels that lie
/// in those rectangles whose bits n has.
fn clipped(registers: &View, whole: Rect) -> SmallVec<[Rect; 1]> {
    let rule = registers.field(reg::PA_SC_CLIPRECT_RULE::CLIP_RULE);
    if rule == 0xFFFF || whole.is_empty() {
        return smallvec![whole];
    }
    let corner = |word: u32| [(word & 0x7FFF) as i32, (word >> 16 & 0x7FFF) as i32];
    let rects: [[[i32; 2]; 2]; 4] = std::array::from_fn(|n| {
        [reg::PA_SC_CLIPRECT_0_TL, reg::PA_SC_CLIPRECT_0_BR].map(|at| corner(registers.get_nth(at, n as u32, 8)))
    });
    let (first, end) = ([whole.x, whole.y], [whole.x + whole.width as i32, whole.y + whole.height as i32]);
    // Between neighbouring edges all pixels have the same fate.
    let edges = |axis: usize| {
        let all = rects.iter().flatten().map(|corner| corner[axis].clamp(first[axis], end[axis]));
        let mut edges: SmallVec<[i32; 10]> = all.chain([first[axis], end[axis]]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    };
    let (columns, rows) = (edges(0), edges(1));
    let mut left = SmallVec::<[Rect; 1]>::new();
    // Rectangles that end where the row begins, any of which may go on in it.
    let mut above = 0..0;
    for y in rows.windows(2) {
        let mut spans = SmallVec::<[[i32; 2]; 10]>::new();
        for x in columns.windows(2) {
            let is_in = |[from, to]: [[i32; 2]; 2]| x[0] >= from[0] && x[0] < to[0] && y[0] >= from[1] && y[0] < to[1];
            let inside = (0..4).filter(|n| is_in(rects[*n])).fold(0, |all, n| all | 1 << n);
            if rule >> inside & 1 != 0 {
                match spans.last_mut() {
                    Some(span) if span[1] == x[0] => span[1] = x[1],
                    _ => spans.push([x[0], x[1]]),
                }
            }
        }
        let span_of = |rect: &Rect| [rect.x, rect.x + rect.width as i32];
        let alike = spans.iter().eq(left[above.clone()].iter().map(span_of).collect::<SmallVec<[_; 10]>>().iter());
        if alike {
            left[above.clone()].iter_mut().for_each(|rect| rect.height += (y[1] - y[0]) as u32);
            continue;
        }
        let begin = left.len();
        left.extend(spans.iter().map(|[x, end]| Rect {
            x: *x,
            y: y[0],
            width: (end - x) as u32,
            height: (y[1] - y[0]) as u32,
        }));
        above = begin..left.len();
    }
    left
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
        assert_eq!(scissor(&registers, 0), Rect { x: 0, y: 0, width: 1280, height: 720 });
        registers.set(reg::PA_SC_WINDOW_OFFSET, 0xFFFF_0010);
        assert_eq!(scissor(&registers, 0), Rect { x: 16, y: 0, width: 1280, height: 719 });
        registers.set(reg::PA_SC_MODE_CNTL_0, reg::PA_SC_MODE_CNTL_0::VPORT_SCISSOR_ENABLE.bits(1));
        assert!(scissor(&registers, 0).is_empty());
        registers.set_run(reg::PA_SC_VPORT_SCISSOR_0_TL + 8 * 15, &[1 << 31 | 9 << 16 | 20, 19 << 16 | 30]);
        assert_eq!(scissor(&registers, 15), Rect { x: 20, y: 9, width: 10, height: 10 });
    }

    /// Whether a rule lets a pixel pass, as the registers say it.
    fn passes(registers: &Registers, x: u32, y: u32) -> bool {
        let is_in = |n: u32| {
            let corner = |at| registers.get_nth(at, n, 8);
            let (from, to) = (corner(reg::PA_SC_CLIPRECT_0_TL), corner(reg::PA_SC_CLIPRECT_0_BR));
            x >= from & 0x7FFF && x < to & 0x7FFF && y >= from >> 16 && y < to >> 16
        };
        let inside = (0..4).filter(|n| is_in(*n)).fold(0, |all, n| all | 1 << n);
        registers.get(reg::PA_SC_CLIPRECT_RULE) >> inside & 1 != 0
    }

    #[test]
    fn every_rule_of_clip_rectangles_leaves_its_pixels() {
        let mut registers = registers();
        let corner = |x: u32, y: u32| y << 16 | x;
        let all = [
            [corner(3, 2), corner(17, 9)],
            [corner(9, 5), corner(40, 12)],
            [corner(0, 0), corner(12, 20)],
            [corner(9, 9), corner(9, 15)],
        ];
        registers.set_run(reg::PA_SC_CLIPRECT_0_TL, all.as_flattened());
        let whole = Rect { x: 0, y: 0, width: 23, height: 14 };
        for rule in (0..=0xFFFF).step_by(7).chain([0xAAAA, 0x8888, 0x1111, 0x4444, 0xEEEE, 0xFFFF]) {
            registers.set(reg::PA_SC_CLIPRECT_RULE, rule);
            let rects = clipped(&registers, whole);
            for (x, y) in (0..23).flat_map(|x| (0..14).map(move |y| (x, y))) {
                let is_in = |rect: &&Rect| {
                    let inside = |at: u32, first: i32, size: u32| at as i32 >= first && at < first as u32 + size;
                    inside(x, rect.x, rect.width) && inside(y, rect.y, rect.height)
                };
                let times = rects.iter().filter(is_in).count();
                assert_eq!(times, usize::from(passes(&registers, x, y)), "rule {rule:#x}, {x} {y}: {rects:?}");
            }
        }
        // One rectangle is one; a frame takes four.
        registers.set(reg::PA_SC_CLIPRECT_RULE, 0xAAAA);
        assert_eq!(clipped(&registers, whole)[..], [Rect { x: 3, y: 2, width: 14, height: 7 }]);
        registers.set(reg::PA_SC_CLIPRECT_RULE, 0x5555);
        assert_eq!(clipped(&registers, whole).len(), 4);
        registers.set(reg::PA_SC_CLIPRECT_RULE, 0);
        assert_eq!(visible(&registers, [23, 14]).rects().count(), 0);
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
        let seen = transform(&registers, [1280, 720], true, &mut Once::default());
        let expected = SetViewport { x: 0.0, y: 0.0, width: 1280.0, height: 720.0, min_depth: 0.25, max_depth: 0.75 };
        assert_eq!((seen.viewport, seen.position), (expected, 0));
        registers.set(reg::PA_CL_VPORT_YSCALE, 360f32.to_bits());
        registers.set(reg::PA_CL_CLIP_CNTL, 0);
        let seen = transform(&registers, [1280, 720], true, &mut Once::default());
        assert_eq!((seen.viewport.min_depth, seen.viewport.max_depth), (0.0, 0.75));
        assert_eq!(seen.position, position::Y_DOWN | position::DEPTH_FROM_MINUS_W);
        registers.set(reg::PA_CL_VPORT_XSCALE, (-640f32).to_bits());
        let seen = transform(&registers, [1280, 720], true, &mut Once::default());
        assert_eq!((seen.viewport.x, seen.viewport.width), (0.0, 1280.0));
        assert_eq!(seen.position, position::X_LEFT | position::Y_DOWN | position::DEPTH_FROM_MINUS_W);
        registers.set(reg::PA_CL_VTE_CNTL, 0);
        let seen = transform(&registers, [64, 32], true, &mut Once::default());
        assert_eq!((seen.pixels, seen.viewport.width), ([2.0 / 64.0, 2.0 / 32.0, 0.0, 0.0], 64.0));
        assert_eq!(seen.position & position::IN_PIXELS, position::IN_PIXELS);
    }

    #[test]
    fn viewports_behind_the_first_have_their_own_ways() {
        let mut registers = registers();
        registers.set(reg::PA_CL_VTE_CNTL, 0x43F);
        registers.set(reg::PA_SU_VTX_CNTL, 1);
        registers.set(reg::PA_CL_CLIP_CNTL, reg::PA_CL_CLIP_CNTL::DX_CLIP_SPACE_DEF.bits(1));
        for n in 0..16u32 {
            let way = |mirrored: bool| if mirrored { -1.0 } else { 1.0 };
            let words = [8.0 * way(n == 3 || n == 15), 10.0 * n as f32, -4.0 * way(n == 15), 5.0, 0.5, 0.25];
            registers.set_run(reg::PA_CL_VPORT_XSCALE + STRIDE * n, &words.map(f32::to_bits));
        }
        let seen = transform(&registers, [64, 32], true, &mut Once::default());
        assert_eq!((seen.further.len(), seen.mirrors, seen.position), (0, 0, 0));
        use reg::PA_CL_VS_OUT_CNTL as V;
        registers.set(reg::PA_CL_VS_OUT_CNTL, V::USE_VTX_VIEWPORT_INDX.bits(1) | V::VS_OUT_MISC_VEC_ENA.bits(1));
        let seen = transform(&registers, [64, 32], true, &mut Once::default());
        assert_eq!((seen.further.len(), seen.position), (15, position::MIRRORS));
        assert_eq!(seen.mirrors, 1 << 3 | 1 << 15 | 1 << 31);
        let expected = SetViewport { x: 62.0, y: 1.0, width: 16.0, height: 8.0, min_depth: 0.25, max_depth: 0.75 };
        assert_eq!(seen.further[6], expected);
        let one = transform(&registers, [64, 32], false, &mut Once::default());
        assert_eq!((one.further.len(), one.mirrors), (0, 0));
    }
}
