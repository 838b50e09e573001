//! Cylinder wrapping: texture coordinates that go the shorter way around.
//!
//! `SET_TEXTURE_ADDRESS` has a bit for each coordinate. Where two vertices of a triangle or line are more than half a turn apart, the
//! second comes nearer by whole turns. A turn is after what an image comes again: one where it repeats, two where it is mirrored.
//!
//! Source: the pictures of a console (suite TextureWrapMode); Direct3D's wrapping, of which this is the hardware. Textures by pitch,
//! whose coordinates are in texels, are left alone.

use super::transformed::Transformed;
use afterimage_nv2a_types::{Registers, STAGES, method};
use afterimage_texture::nv2a::{Layout, TextureFormat};

/// Bit of `SET_TEXTURE_CONTROL0` that enables a stage.
const ENABLE: u32 = 1 << 30;
/// `SET_TEXTURE_ADDRESS` of a coordinate: mirrored.
const MIRROR: u32 = 2;

/// Which coordinates wrap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cylinder {
    /// A turn of each stage's s, t, r; zero for those that do not wrap.
    turns: [[f32; 3]; STAGES],
    /// Coordinates come times w.
    affine: bool,
}

impl Cylinder {
    /// What the registers ask for, if any coordinate wraps.
    pub(super) fn of(registers: &Registers) -> Option<Self> {
        let turns = std::array::from_fn(|stage| {
            let get = |method: u16| registers.get(method + 0x40 * stage as u16);
            let format = TextureFormat::from_code(get(method::SET_TEXTURE_FORMAT) >> 8 & 0xFF);
            let by_pitch = format.is_none_or(|format| format.info().layout == Layout::Linear);
            let is_used = get(method::SET_TEXTURE_CONTROL0) & ENABLE != 0 && !by_pitch;
            [0, 8, 16].map(|at| match get(method::SET_TEXTURE_ADDRESS) >> at & 0x1F {
                address if !is_used || address & 0x10 == 0 => 0.0,
                address if address & 0xF == MIRROR => 2.0,
                _ => 1.0,
            })
        });
        let affine = registers.bits(method::SET_CONTROL0, 20, 1) == 0;
        (turns != [[0.0; 3]; STAGES]).then_some(Self { turns, affine })
    }

    /// Moves coordinates of the vertices of a triangle or line nearer to those of the first.
    pub(super) fn wrap(&self, vertices: &mut [Transformed]) {
        let Some((first, others)) = vertices.split_first_mut() else { return };
        let unit = |vertex: &Transformed| if self.affine { vertex.position[3] } else { 1.0 };
        for vertex in others {
            let units = [unit(first), unit(vertex)];
            for (stage, turns) in self.turns.iter().enumerate() {
                for (i, turn) in turns.iter().enumerate().filter(|(_, turn)| **turn > 0.0) {
                    let apart = (vertex.texture[stage][i] / units[1] - first.texture[stage][i] / units[0]) / turn;
                    if apart.is_finite() && apart.abs() > 0.5 {
                        vertex.texture[stage][i] -= apart.round() * turn * units[1];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(s: f32, t: f32, w: f32) -> Transformed {
        Transformed { position: [0.0, 0.0, 0.0, w], texture: [[s, t, 0.0, 1.0]; 4], ..Transformed::default() }
    }

    #[test]
    fn only_enabled_coordinates_wrap_by_their_turns() {
        let mut registers = Registers::new();
        registers.set(method::SET_CONTROL0, 1 << 20);
        registers.set(method::SET_TEXTURE_FORMAT, 0x0621);
        registers.set(method::SET_TEXTURE_ADDRESS, 0x01_0211);
        assert_eq!(Cylinder::of(&registers), None, "the stage is off");
        registers.set(method::SET_TEXTURE_CONTROL0, ENABLE);
        let moved = |registers: &Registers, w: f32| {
            let mut vertices = [vertex(0.9, 0.9, 1.0), vertex(0.1 * w, 2.1 * w, w), vertex(1.2, 1.8, 1.0)];
            if let Some(cylinder) = Cylinder::of(registers) {
                cylinder.wrap(&mut vertices);
            }
            vertices.map(|vertex| [vertex.texture[0][0], vertex.texture[0][1]].map(|at| (at * 100.0).round()))
        };
        assert_eq!(moved(&registers, 1.0), [[90.0, 90.0], [110.0, 210.0], [120.0, 180.0]], "s alone");
        registers.set(method::SET_TEXTURE_ADDRESS, 0x01_1211);
        assert_eq!(moved(&registers, 1.0), [[90.0, 90.0], [110.0, 10.0], [120.0, 180.0]], "mirrored by two");
        registers.set(method::SET_CONTROL0, 0);
        assert_eq!(moved(&registers, 2.0)[1], [220.0, 20.0], "times w");
        registers.set(method::SET_TEXTURE_FORMAT, 0x1221);
        assert_eq!(Cylinder::of(&registers), None, "coordinates in texels");
    }
}
