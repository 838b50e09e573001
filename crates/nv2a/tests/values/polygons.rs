//! Polygon modes, culling and winding: every combination, also of polygons without area.

use super::{COLOR, draw, rig::Rig, source};
use afterimage_nv2a::machine::{Attributes, PrimitiveKind};
use afterimage_nv2a::memory::GuestMemory;
use afterimage_nv2a_types::method;

const SIZE: u32 = 64;
const MODES: [u32; 3] = [POINT, LINE, FILL];
const POINT: u32 = 0x1B00;
const LINE: u32 = 0x1B01;
const FILL: u32 = 0x1B02;
const CULL_FRONT: u32 = 0x404;
const CULL_BACK: u32 = 0x405;
const CULL_BOTH: u32 = 0x408;
const CLOCKWISE: u32 = 0x900;
const COUNTER_CLOCKWISE: u32 = 0x901;

/// Corners in the middle of pixels; pixels at a corner, on an edge, inside.
struct Triangle {
    corners: [[u32; 2]; 3],
    counter_clockwise: bool,
    edge: [u32; 2],
    inside: Option<[u32; 2]>,
}

const TRIANGLES: [Triangle; 3] = [
    Triangle { corners: [[8, 8], [56, 8], [8, 56]], counter_clockwise: false, edge: [8, 30], inside: Some([16, 16]) },
    Triangle { corners: [[8, 8], [8, 56], [56, 8]], counter_clockwise: true, edge: [8, 30], inside: Some([16, 16]) },
    // Without area: as if it were counter-clockwise.
    Triangle { corners: [[8, 8], [32, 32], [56, 56]], counter_clockwise: true, edge: [20, 20], inside: None },
];

/// Whether a corner, an edge, and the inside are seen.
fn seen(mode: Option<u32>, has_area: bool) -> [bool; 3] {
    match mode {
        Some(POINT) => [true, false, false],
        Some(LINE) => [true, true, false],
        Some(_) => [has_area; 3],
        None => [false; 3],
    }
}

#[test]
fn every_mode_of_every_face_that_is_not_culled() {
    let mut rig = Rig::on_screen(SIZE, source::DIFFUSE);
    rig.set(method::SET_LINE_WIDTH, 8);
    rig.set(method::SET_POINT_SIZE, 8);
    rig.set(method::SET_EDGE_FLAG, 1);
    let modes = MODES.into_iter().flat_map(|front| MODES.map(|back| [front, back]));
    let culls = [None, Some(CULL_FRONT), Some(CULL_BACK), Some(CULL_BOTH)];
    for ([front, back], cull) in modes.flat_map(|modes| culls.map(|cull| (modes, cull))) {
        rig.set(method::SET_FRONT_POLYGON_MODE, front);
        rig.set(method::SET_BACK_POLYGON_MODE, back);
        rig.set(method::SET_CULL_FACE_ENABLE, cull.is_some().into());
        rig.set(method::SET_CULL_FACE, cull.unwrap_or(CULL_BACK));
        for (winding, triangle) in
            [CLOCKWISE, COUNTER_CLOCKWISE].into_iter().flat_map(|winding| TRIANGLES.iter().map(move |t| (winding, t)))
        {
            rig.set(method::SET_FRONT_FACE, winding);
            rig.clear(0xF0, 0, 0, [0, 0, SIZE, SIZE]);
            let vertices = triangle.corners.map(|corner| {
                let mut attributes: Attributes = [[0.0, 0.0, 0.0, 1.0]; 16];
                let [x, y] = corner.map(|at| at as f32 + 0.5);
                (attributes[0], attributes[3]) = ([x, y, 0.0, 1.0], [1.0; 4]);
                attributes
            });
            draw(&mut rig, PrimitiveKind::Triangles, vertices.to_vec());
            rig.graphics.write_back(&mut rig.memory, COLOR, SIZE * SIZE * 4);
            let is_drawn = |[x, y]: [u32; 2]| rig.memory.word(COLOR + 4 * (y * SIZE + x)).expect("inside") != 0;
            let is_front = triangle.counter_clockwise == (winding == COUNTER_CLOCKWISE);
            let is_culled = match cull {
                None => false,
                Some(CULL_FRONT) => is_front,
                Some(CULL_BACK) => !is_front,
                Some(_) => true,
            };
            let mode = (!is_culled).then_some(if is_front { front } else { back });
            let inside = triangle.inside.is_some_and(is_drawn);
            // Whether ends of lines and corners of what is filled belong to a pixel is another rule.
            let shown = [is_drawn(triangle.corners[0]), is_drawn(triangle.edge), inside];
            let expected = seen(mode, triangle.inside.is_some());
            let what = format!("modes {front:#x}, {back:#x}, culled {cull:x?}, front {winding:#x}");
            assert_eq!(shown[1..], expected[1..], "{what}, {:?}", triangle.corners);
            if mode.is_none_or(|mode| mode == POINT) {
                assert_eq!(shown[0], expected[0], "{what}, {:?}", triangle.corners);
            }
        }
    }
    rig.finish();
}
