//! Sizes of points and widths of lines: every value that their registers take, at places between pixels.

use super::{COLOR, draw, picture, rig::Rig, source};
use afterimage_nv2a::machine::{Attributes, PrimitiveKind};
use afterimage_nv2a_types::method;

const SIZE: u32 = 80;
/// Sizes have three bits behind the point.
const STEPS: f32 = 8.0;

fn vertex(x: f32, y: f32) -> Attributes {
    let mut attributes: Attributes = [[0.0, 0.0, 0.0, 1.0]; 16];
    (attributes[0], attributes[3]) = ([x, y, 0.0, 1.0], [1.0; 4]);
    attributes
}

/// First and last pixel drawn across and down; all within must be drawn, nothing else.
fn extent(rig: &mut Rig, what: &str) -> Option<[[u32; 2]; 2]> {
    let picture = picture(rig, SIZE);
    let drawn = (0..).zip(&picture).filter(|(_, pixel)| **pixel != 0).map(|(i, _)| [i % SIZE, i / SIZE]);
    let bounds = drawn.clone().fold(None, |bounds: Option<[[u32; 2]; 2]>, [x, y]| {
        let [[left, right], [top, bottom]] = bounds.unwrap_or([[x, x], [y, y]]);
        Some([[left.min(x), right.max(x)], [top.min(y), bottom.max(y)]])
    })?;
    let [[left, right], [top, bottom]] = bounds;
    assert_eq!(drawn.count() as u32, (right - left + 1) * (bottom - top + 1), "{what}: a rectangle");
    Some(bounds)
}

/// Pixels whose centres are from `low` to `high`; which of both ends belong to it is said.
fn between(low: f32, high: f32, [low_too, high_too]: [bool; 2]) -> Option<[u32; 2]> {
    let inside = |at: &u32| {
        let center = *at as f32 + 0.5;
        (low < center || low_too && low == center) && (center < high || high_too && center == high)
    };
    let mut pixels = (0..SIZE).filter(inside);
    let first = pixels.next()?;
    Some([first, pixels.next_back().unwrap_or(first)])
}

#[test]
fn every_size_of_points() {
    let mut rig = Rig::on_screen(SIZE, source::DIFFUSE);
    for (size, places) in (0..512)
        .map(|size| (size, if size % 8 < 4 { [[40.0, 40.5], [40.25, 39.75]] } else { [[40.5, 40.5], [39.8125, 40.0]] }))
    {
        rig.set(method::SET_POINT_SIZE, size);
        for [x, y] in places {
            rig.clear(0xF0, 0, 0, [0, 0, SIZE, SIZE]);
            draw(&mut rig, PrimitiveKind::Points, vec![vertex(x, y)]);
            // At least a pixel; both edges belong to it, but where the size is a power of two.
            let pixels = (size as f32 / STEPS).max(1.0);
            let both = pixels.log2().fract() != 0.0;
            let what = format!("size {size} at {x}, {y}");
            let expected = [x, y].map(|at| between(at - pixels / 2.0, at + pixels / 2.0, [true, both]));
            assert_eq!(extent(&mut rig, &what).map(|extent| extent.map(Some)), Some(expected), "{what}");
        }
    }
    rig.finish();
}

#[test]
fn every_width_of_lines() {
    let mut rig = Rig::on_screen(SIZE, source::DIFFUSE);
    for width in 0..512 {
        rig.set(method::SET_LINE_WIDTH, width);
        for (is_down, at) in [(false, 40.0), (true, 40.0), (false, 40.5), (true, 40.5), (false, 39.8125)] {
            rig.clear(0xF0, 0, 0, [0, 0, SIZE, SIZE]);
            let ends =
                if is_down { [vertex(at, 10.0), vertex(at, 20.0)] } else { [vertex(10.0, at), vertex(20.0, at)] };
            draw(&mut rig, PrimitiveKind::Lines, ends.to_vec());
            let half = width as f32 / STEPS / 2.0;
            let what = format!("width {width}, down {is_down} at {at}");
            // To the right an edge belongs to it, to the left not; above it does, below not.
            let across = between(at - half, at + half, if is_down { [false, true] } else { [true, false] });
            let expected = across.map(|across| if is_down { [across, [10, 19]] } else { [[10, 19], across] });
            assert_eq!(extent(&mut rig, &what), expected, "{what}");
        }
    }
    assert_eq!(rig.pixel(COLOR, 4), 0);
    rig.finish();
}
