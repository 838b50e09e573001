//! What the lighting unit's memory holds, from the register file.

use crate::banks::FixedRegister as R;
use afterimage_nv2a_types::{LIGHTS, Registers, method};

/// Registers of the bank.
const COUNT: usize = R::COUNT as usize;

/// What [`crate::banks::Bank::Fixed`] holds, from register 0. Depends on
/// [`afterimage_nv2a_types::Group::FixedConstants`].
#[must_use]
pub fn constants(registers: &Registers) -> [[u32; 4]; COUNT] {
    let mut out = [[0; 4]; COUNT];
    let mut set = |register: u16, method: u16, words: usize| {
        for (i, word) in out[usize::from(register)].iter_mut().take(words).enumerate() {
            *word = to_lighting(registers.get(method + 4 * i as u16));
        }
    };
    for (side, ambient, emission) in [
        (0, method::SET_SCENE_AMBIENT_COLOR, method::SET_MATERIAL_EMISSION),
        (1, method::SET_BACK_SCENE_AMBIENT_COLOR, method::SET_BACK_MATERIAL_EMISSION),
    ] {
        set(R::SceneAmbient.element(side), ambient, 3);
        set(R::MaterialEmission.element(side), emission, 3);
    }
    for (side, params) in [(0, method::SET_SPECULAR_PARAMS), (1, method::SET_SPECULAR_PARAMS_BACK)] {
        set(R::SpecularParams.element(side * 2), params, 3);
        set(R::SpecularParams.element(side * 2 + 1), params + 12, 3);
    }
    set(R::EyeDirection.register(), method::SET_EYE_DIRECTION, 3);
    for light in 0..LIGHTS as u16 {
        let (front, back) = (light * 0x80, light * 0x40);
        set(R::LightAmbient.element(light * 2), method::SET_LIGHT_AMBIENT_COLOR + front, 3);
        set(R::LightDiffuse.element(light * 2), method::SET_LIGHT_DIFFUSE_COLOR + front, 3);
        set(R::LightSpecular.element(light * 2), method::SET_LIGHT_SPECULAR_COLOR + front, 3);
        set(R::LightAmbient.element(light * 2 + 1), method::SET_BACK_LIGHT_AMBIENT_COLOR + back, 3);
        set(R::LightDiffuse.element(light * 2 + 1), method::SET_BACK_LIGHT_DIFFUSE_COLOR + back, 3);
        set(R::LightSpecular.element(light * 2 + 1), method::SET_BACK_LIGHT_SPECULAR_COLOR + back, 3);
        set(R::LightHalfVector.element(light), method::SET_LIGHT_INFINITE_HALF_VECTOR + front, 3);
        set(R::LightDirection.element(light), method::SET_LIGHT_INFINITE_DIRECTION + front, 3);
        set(R::LightAttenuation.element(light), method::SET_LIGHT_LOCAL_ATTENUATION + front, 3);
        set(R::LightSpotFalloff.element(light), method::SET_LIGHT_SPOT_FALLOFF + front, 3);
    }
    // These belong to the transform unit, which has all bits.
    for light in 0..LIGHTS as u16 {
        let front = light * 0x80;
        let spot: [f32; 4] = registers.floats(method::SET_LIGHT_SPOT_DIRECTION + front);
        out[usize::from(R::LightSpotDirection.element(light))] = spot.map(f32::to_bits);
        let [x, y, z]: [f32; 3] = registers.floats(method::SET_LIGHT_LOCAL_POSITION + front);
        let range = registers.float(method::SET_LIGHT_LOCAL_RANGE + front);
        out[usize::from(R::LightPosition.element(light))] = [x, y, z, range].map(f32::to_bits);
    }
    for (side, alpha) in [(0, method::SET_MATERIAL_ALPHA), (1, method::SET_BACK_MATERIAL_ALPHA)] {
        out[usize::from(R::SceneAmbient.element(side))][3] = registers.get(alpha);
    }
    out
}

/// A float as the lighting unit takes it: with 13 bits of fraction, halves away from zero, except that eight ones behind the last bit
/// that counts are cut instead of carried.
fn to_lighting(bits: u32) -> u32 {
    let rounded = if bits >> 10 & 0xFF == 0xFF { bits } else { bits.wrapping_add(0x200) };
    rounded & !0x3FF
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_thirteen_bits_of_fraction() {
        let cases = [(0.7f32, 0x3F33_3400), (1.0, 0x3F80_0000), (0.0, 0), (1e30, 0x7149_F400), (-0.1, 0xBDCC_CC00)];
        for (value, bits) in cases {
            assert_eq!(to_lighting(value.to_bits()), bits, "{value}");
        }
        assert_eq!(to_lighting(f32::INFINITY.to_bits()), f32::INFINITY.to_bits());
        assert_eq!(to_lighting(0x3F83_FE00), 0x3F83_FC00);
    }
}
