//! Draws in which the depth unit gives the colour.

use crate::draws::triangle_state;
use crate::rig::{Encoding, LINEAR, Scene};
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm_types::{reg, value::*};
use afterimage_texture::gnm::{Description, Layout};

const SIDE: u32 = 64;

/// What is copied, and how: samples of the depth target, `DB_RENDER_CONTROL`, format and numbers of the colour target.
#[derive(Clone, Copy, Debug)]
struct Case {
    samples: u32,
    control: u32,
    format: u32,
    number: u32,
    /// Bytes of a texel, and those of a component.
    bytes: [usize; 2],
}

/// What a component of a target holds for a depth or a stencil.
fn component(case: &Case, number: f32, integer: u8) -> Vec<u8> {
    match (case.number, case.bytes[1]) {
        (NUMBER_FLOAT, _) => number.to_le_bytes().to_vec(),
        (NUMBER_UINT, 1) => vec![integer],
        (NUMBER_UINT, 2) => u16::from(integer).to_le_bytes().to_vec(),
        (_, 1) => vec![(number * 255.0).round() as u8],
        _ => ((number * 65535.0).round() as u16).to_le_bytes().to_vec(),
    }
}

#[test]
fn depth_and_stencil_are_copied_into_colours() {
    use reg::DB_RENDER_CONTROL as R;
    let (depth, stencil) = (R::DEPTH_COPY.bits(1), R::STENCIL_COPY.bits(1));
    let sample = |n: u32| R::COPY_SAMPLE.bits(n) | R::COPY_CENTROID.bits(1);
    let case = |samples, control, format, number, bytes| Case { samples, control, format, number, bytes };
    let cases = [
        case(1, depth | stencil, COLOR_32_32, NUMBER_FLOAT, [8, 4]),
        case(1, depth, COLOR_32, NUMBER_FLOAT, [4, 4]),
        case(1, depth | stencil, COLOR_16_16, NUMBER_UNORM, [4, 2]),
        case(1, stencil, COLOR_8_8, NUMBER_UINT, [2, 1]),
        case(4, depth | stencil | sample(0), COLOR_32_32, NUMBER_FLOAT, [8, 4]),
        case(4, depth | stencil | sample(2), COLOR_32_32, NUMBER_FLOAT, [8, 4]),
        case(4, stencil | sample(1), COLOR_16_16, NUMBER_UINT, [4, 2]),
        case(4, depth | sample(3), COLOR_32, NUMBER_FLOAT, [4, 4]),
        // There are fewer.
        case(4, depth | sample(9), COLOR_32, NUMBER_FLOAT, [4, 4]),
    ];
    for (encoding, case) in
        [Encoding::Standard, Encoding::Private].into_iter().flat_map(|encoding| cases.map(|case| (encoding, case)))
    {
        copy(encoding, case);
    }
}

fn copy(encoding: Encoding, case: Case) {
    let Case { samples, control, format, number, bytes: [texel, _] } = case;
    let layout =
        |bits| Layout::new(&Description { samples, layers: 3, ..Description::flat(2, bits, 256, 256) }).unwrap();
    let (depths_of, stencils_of) = (layout(32), layout(8));
    let mut state = 0x1234_5678u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let depths: Vec<u8> = (0..depths_of.bytes / 4).flat_map(|_| (f32::from(next()) / 255.0).to_le_bytes()).collect();
    let stencils: Vec<u8> = (0..stencils_of.bytes).map(|_| next()).collect();
    let mut scene = Scene::new(encoding);
    let target = scene.target(SIDE, SIDE);
    triangle_state(&mut scene, &target);
    // The triangle is around everything.
    let scale = 5.0 * SIDE as f32;
    scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[scale, 32.0, -scale, 32.0, 1.0, 0.0]);
    let [depth, stencil] = [(depths_of.bytes, &depths), (stencils_of.bytes, &stencils)].map(|(size, bytes)| {
        let at = scene.alloc(size, 64 << 10);
        scene.memory.write(at, bytes).unwrap();
        at
    });
    use reg::{DB_STENCIL_INFO as S, DB_Z_INFO as Z};
    let tiles = Z::TILE_MODE_INDEX.bits(2);
    let z = Z::FORMAT.bits(Z_32_FLOAT) | tiles | Z::NUM_SAMPLES.bits(samples.ilog2());
    scene.set(reg::DB_Z_INFO, &[z, S::FORMAT.bits(1) | S::TILE_MODE_INDEX.bits(2)]);
    let [at, stencil_at] = [depth, stencil].map(|at| (at >> 8) as u32);
    scene.set(reg::DB_Z_READ_BASE, &[at, stencil_at, at, stencil_at]);
    let level = &depths_of.levels()[0];
    let (pitch, lines) = (level.pitch, level.lines);
    scene.set(reg::DB_DEPTH_SIZE, &[(pitch / 8 - 1) | (lines / 8 - 1) << 11, pitch * lines / 64 - 1]);
    let slice = reg::DB_DEPTH_VIEW::SLICE_START.bits(1) | reg::DB_DEPTH_VIEW::SLICE_MAX.bits(1);
    scene.set(reg::DB_DEPTH_VIEW, &[slice]);
    // Two slices of colour, of which the second is drawn to, and a part of it.
    let plane = (SIDE * SIDE) as usize * texel;
    let colors = scene.alloc(2 * plane as u64, 64 << 10);
    scene.memory.write(colors, &vec![0xA5; 2 * plane]).unwrap();
    use reg::CB_COLOR0_INFO as I;
    let view = reg::CB_COLOR0_VIEW::SLICE_START.bits(1) | reg::CB_COLOR0_VIEW::SLICE_MAX.bits(1);
    let info = I::FORMAT.bits(format) | I::NUMBER_TYPE.bits(number);
    let words = [(colors >> 8) as u32, SIDE / 8 - 1, SIDE * SIDE / 64 - 1, view, info, LINEAR];
    scene.set(reg::CB_COLOR0_BASE, &words);
    scene.set(reg::PA_SC_GENERIC_SCISSOR_TL, &[1 << 31 | 3 << 16 | 5, 60 << 16 | 61]);
    scene.set(reg::DB_RENDER_CONTROL, &[control]);
    scene.draw(DI_PT_TRILIST, 3);
    let mut ran = scene.run();
    let after = ran.read(colors, 2 * plane);
    let unchanged = [ran.read(depth, depths.len()), ran.read(stencil, stencils.len())];
    ran.finish();
    assert!(unchanged == [depths.clone(), stencils.clone()], "{case:?}");
    assert!(after[..plane].iter().all(|byte| *byte == 0xA5), "{case:?}");
    use reg::DB_RENDER_CONTROL as R;
    let sample = R::COPY_SAMPLE.of(control).min(samples - 1);
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let at = plane + (y * SIDE + x) as usize * texel;
        let color = &after[at..at + texel];
        if !(5..61).contains(&x) || !(3..60).contains(&y) {
            assert!(color.iter().all(|byte| *byte == 0xA5), "{case:?} {x} {y}");
            continue;
        }
        let depth_at = depths_of.offset_of(0, [x, y, 1], sample).unwrap() as usize;
        let depth = f32::from_le_bytes(depths[depth_at..depth_at + 4].try_into().unwrap());
        let stencil = stencils[stencils_of.offset_of(0, [x, y, 1], sample).unwrap() as usize];
        let depth = if R::DEPTH_COPY.is_set(control) { depth } else { 0.0 };
        let stencil = if R::STENCIL_COPY.is_set(control) { stencil } else { 0 };
        let mut expected = component(&case, depth, 0);
        expected.extend(component(&case, f32::from(stencil) * (1.0 / 255.0), stencil));
        expected.truncate(texel);
        assert_eq!(color, expected, "{case:?} {x} {y}: {depth} {stencil}");
    }
}
