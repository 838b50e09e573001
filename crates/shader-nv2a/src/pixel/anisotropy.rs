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
use super::lift::Lift;
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
