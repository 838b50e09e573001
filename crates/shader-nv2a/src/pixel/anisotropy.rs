//! Anisotropic lookups that take the nearest texel: hosts average along a pixel's longer axis only where they filter linearly.
//!
//! A pixel covers as many units of its longer axis in the texture as that is longer than the shorter one, up to what
//! `SET_TEXTURE_CONTROL0` allows; a shorter axis counts as a texel at least. Each unit has a lookup in its middle, in pairs to
//! both sides of the pixel's own place, and the outermost pair counts for what is left of the length. A pair alone is as far
//! apart as its units fit into the length.
//!
//! Source: the pictures of a console (suite Texture anisotropy), which have these weights to the level, and these places but for
//! some hundredths of a texel, by which they are nearer.

use super::constants::PixelRegister as R;
use super::shared::Lift;
use afterimage_ir::{Texture, Value};

/// How much nearer to the pixel's place the lookups are than the middles of their units, in units.
const NEARER: f32 = 1.0 / 64.0;

/// What the texture of `stage` holds around `place`, from up to `most` lookups (2, 4 or 8).
pub(super) fn average(lift: &mut Lift<'_>, stage: usize, texture: Texture, place: Value, most: u8) -> Value {
    let place = lift.b.resize(place, 2);
    let texel = lift.constant(R::TexelSize, stage as u16);
    let texel = lift.b.resize(texel, 2);
    let axes = [lift.b.ddx(place), lift.b.ddy(place)];
    let [across, down] = axes.map(|axis| {
        let texels = lift.b.fdiv(axis, texel);
        lift.b.fdot(texels, texels)
    });
    let one = lift.b.f32(1.0);
    let (longer, shorter) = (lift.b.fmax(across, down), lift.b.fmin(across, down));
    let shorter = lift.b.fmax(shorter, one);
    let units = lift.b.fdiv(longer, shorter);
    let units = lift.b.fsqrt(units);
    let units = lift.clamp(units, 1.0, f32::from(most));
    let is_across = lift.b.flt(down, across);
    let axis = lift.b.select(is_across, axes[0], axes[1]);
    let rcp = lift.b.frcp(units);
    let step = lift.b.fmul(axis, rcp);
    // Levels are chosen by the length of a unit.
    let bias = lift.b.flog2(rcp);

    let mut sum: Option<Value> = None;
    for pair in 0..most / 2 {
        let (inner, half) = (lift.b.f32(-f32::from(pair)), lift.b.f32(0.5));
        let weight = lift.b.fmad(units, half, inner);
        let weight = lift.b.fsat(weight);
        let weight = lift.b.fmul(weight, rcp);
        let mut distance = lift.b.f32(f32::from(pair) + 0.5 - NEARER);
        if pair == 0 {
            let least = lift.b.f32(-0.5 - NEARER);
            let alone = lift.b.fmad(units, half, least);
            distance = lift.b.fmin(distance, alone);
        }
        for side in [distance, lift.b.fneg(distance)] {
            let place = lift.b.fmad(step, side, place);
            let texel = lift.b.sample_bias(texture, place, bias, None);
            sum = Some(match sum {
                Some(sum) => lift.b.fmad(texel, weight, sum),
                None => lift.b.fmul(texel, weight),
            });
        }
    }
    sum.unwrap_or_else(|| lift.b.sample(texture, place, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io;
    use crate::pixel::tables::Mode;
    use crate::pixel::{Key, Shape, StageKey, lift};
    use afterimage_interp::{Environment, Interpreter, SampleArgs};
    use afterimage_ir::{BankDecl, InputAt, InputDecl, TextureDecl};

    const SIDE: f32 = 64.0;

    /// Four pixels that step so many texels of a texture of 64 by 64 across and down, along s and t. It holds the square of the
    /// distance in s, in texels, from the middle: red, a sixteenth of it.
    struct Pixels([f32; 2]);

    impl Environment for Pixels {
        fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
            let [across, down] = self.0.map(|texels| texels / SIDE);
            let value = match decl.at {
                InputAt::Location(io::TEXTURE_0) => {
                    [0.5 + across * (lane % 2) as f32, 0.5 + down * (lane / 2) as f32, 0.0, 1.0]
                }
                _ => [1.0; 4],
            };
            value.map(f32::to_bits)
        }

        fn constant(&self, _: &BankDecl, index: u32) -> [u32; 4] {
            let texel = R::TexelSize.element(0);
            [if index == u32::from(texel) { 1.0f32 / SIDE } else { 0.0 }; 4].map(f32::to_bits)
        }

        fn sample(&self, _: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
            let distance = (args.coord[0] - 0.5) * SIDE;
            [distance * distance / 16.0; 4]
        }
    }

    #[test]
    fn a_pixel_is_averaged_along_its_longer_axis() {
        let stage = StageKey { mode: Mode::Project2d as u8, shape: Shape::D2 as u8, taps: 4, ..StageKey::default() };
        // The final combiner: the colour is that of texture 0.
        let mut key = Key { last: [8, 0x1C80], ..Key::default() };
        key.stages[0] = stage;
        let module = lift(&key).expect("a shader");
        let spread = |across: f32, down: f32| {
            let outcome = Interpreter::new(&module).expect("a module").run(&Pixels([across, down])).expect("an end");
            16.0 * f32::from_bits(outcome.outputs[0][0][0])
        };
        let square = |distance: f32| (distance - NEARER) * (distance - NEARER);
        let is = |spread: f32, expected: f32| assert!((spread - expected).abs() < 1e-3, "{spread}, not {expected}");
        is(spread(0.25, 0.5), 0.0);
        is(spread(1.5, 1.0), square(0.25));
        is(spread(2.0, 0.1), square(0.5));
        is(spread(3.0, 0.1), (square(0.5) * 2.0 + square(1.5)) / 3.0);
        is(spread(4.0, 2.0), 4.0 * square(0.5));
        is(spread(6.0, 0.0), 2.25 * (square(0.5) + square(1.5)) / 2.0);
        is(spread(1.0, 3.0), 0.0);
    }
}
