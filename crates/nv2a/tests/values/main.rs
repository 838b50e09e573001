//! Every value of every field that changes pixels, drawn by the renderer and held against what a console does with it, written down
//! a second time as plain arithmetic.

mod depth;
mod fog;
mod output;
mod patches;
mod polygons;
mod registers;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../surfaces/rig.rs"]
mod rig;
mod shadow;
mod sizes;
mod stipple;
mod surfaces;
mod texels;
mod textures;

use afterimage_nv2a::machine::{Attributes, Part, Primitive, PrimitiveKind};
use afterimage_nv2a::memory::GuestMemory;
use rig::Rig;

const COLOR: u32 = 0x10_0000;
const ZETA: u32 = 0x20_0000;
const TEXTURE: u32 = 0x30_0000;

/// Combiners' sources.
mod source {
    pub(super) const FOG: u32 = 0x03;
    pub(super) const DIFFUSE: u32 = 0x04;
    pub(super) const TEXTURE_0: u32 = 0x08;
}

/// A rectangle (left, top, right, bottom), whose vertices `fill` completes; what it leaves are zeros and a w of one.
fn rectangle(rig: &mut Rig, [left, top, right, bottom]: [f32; 4], fill: impl Fn(&mut Attributes)) {
    let corners = [[left, top], [right, top], [right, bottom], [left, bottom]].map(|[x, y]| {
        let mut attributes: Attributes = [[0.0, 0.0, 0.0, 1.0]; 16];
        attributes[0] = [x, y, 0.0, 1.0];
        fill(&mut attributes);
        attributes
    });
    draw(rig, PrimitiveKind::Quads, corners.to_vec());
}

fn draw(rig: &mut Rig, kind: PrimitiveKind, vertices: Vec<Attributes>) {
    let primitive = Primitive { kind, parts: vec![Part::Immediate(vertices)] };
    rig.graphics.draw(&mut rig.kelvin, &mut rig.memory, &primitive);
}

/// The words of a surface of `size` by `size` pixels, once they are in memory.
fn picture(rig: &mut Rig, size: u32) -> Vec<u32> {
    rig.graphics.write_back(&mut rig.memory, COLOR, size * size * 4);
    (0..size * size).map(|i| rig.memory.word(COLOR + 4 * i).expect("inside of memory")).collect()
}
