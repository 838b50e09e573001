//! Random register files and vertices: every mode, with values that a program could have.

use afterimage_nv2a_types::{LIGHTS, Registers, STAGES, method};

/// Numbers out of a seed (splitmix64).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: u32) -> u32 {
        (self.next() % u64::from(limit)) as u32
    }

    fn float(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    fn pick<const N: usize>(&mut self, from: [u32; N]) -> u32 {
        from[self.below(N as u32) as usize]
    }

    /// Attributes of a vertex.
    pub fn inputs(&mut self) -> [[f32; 4]; 16] {
        let mut inputs = [[0.0; 4]; 16];
        for (number, input) in inputs.iter_mut().enumerate() {
            let (from, to) = match number {
                // Weights and colours.
                1 | 3 | 4 | 7 | 8 => (0.0, 1.0),
                _ => (-2.0, 2.0),
            };
            *input = std::array::from_fn(|_| self.float(from, to));
        }
        inputs[0][3] = 1.0;
        inputs
    }

    /// A register file of fixed-function transform and lighting.
    pub fn registers(&mut self) -> Registers {
        let mut r = Registers::new();
        for enable in [
            method::SET_LIGHTING_ENABLE,
            method::SET_NORMALIZATION_ENABLE,
            method::SET_LIGHT_TWO_SIDE_ENABLE,
            method::SET_SPECULAR_ENABLE,
            method::SET_POINT_PARAMS_ENABLE,
            method::SET_TEXGEN_VIEW_MODEL,
        ] {
            r.set(enable, self.below(2));
        }
        r.set(method::SET_LIGHT_ENABLE_MASK, self.below(1 << 16) & self.below(1 << 16));
        r.set(method::SET_COLOR_MATERIAL, self.below(1 << 16));
        let control = self.pick([0, 1]) | self.pick([0, 0x1_0000]) | self.pick([0, 0x2_0000]);
        r.set(method::SET_LIGHT_CONTROL, control);
        r.set(method::SET_SKIN_MODE, self.pick([0, 0, 0, 1, 2, 3, 4, 5, 6]));
        r.set(method::SET_FOG_GEN_MODE, self.pick([0, 1, 2, 3, 6]));
        r.set(method::SET_POINT_SIZE, self.below(512));
        r.set(method::SET_CONTROL0, self.pick([0, 1 << 20]));
        r.set(method::SET_SURFACE_FORMAT, self.pick([0x118, 0x128]));
        r.set(method::SET_ZMIN_MAX_CONTROL, self.pick([0, 1, 0x10, 0x11]));
        r.set(method::SET_CLIP_MAX, 60000f32.to_bits());
        for stage in 0..STAGES as u16 {
            r.set(method::SET_TEXTURE_MATRIX_ENABLE + stage * 4, self.below(2));
            for coordinate in 0..4 {
                let mode = self.pick([0, 0, 0x2400, 0x2401, 0x2402, 0x8511, 0x8512]);
                r.set(method::SET_TEXGEN_S + stage * 0x10 + coordinate * 4, mode);
            }
        }
        let mut floats = |method: u16, count: u16, from: f32, to: f32| {
            for i in 0..count {
                r.set(method + i * 4, self.float(from, to).to_bits());
            }
        };
        for matrix in 0..4 {
            floats(method::SET_MODEL_VIEW_MATRIX + matrix * 0x40, 16, -1.0, 1.0);
            // The last row makes w: near one, as in any scene.
            floats(method::SET_MODEL_VIEW_MATRIX + matrix * 0x40 + 48, 3, -0.05, 0.05);
            floats(method::SET_MODEL_VIEW_MATRIX + matrix * 0x40 + 60, 1, 0.9, 1.1);
            floats(method::SET_INVERSE_MODEL_VIEW_MATRIX + matrix * 0x40, 16, -1.0, 1.0);
            floats(method::SET_TEXTURE_MATRIX + matrix * 0x40, 16, -1.0, 1.0);
            floats(method::SET_TEXGEN_PLANE_S + matrix * 0x40, 16, -1.0, 1.0);
        }
        floats(method::SET_COMPOSITE_MATRIX, 8, -300.0, 300.0);
        floats(method::SET_COMPOSITE_MATRIX + 32, 4, -10000.0, 10000.0);
        floats(method::SET_COMPOSITE_MATRIX + 48, 3, -0.5, 0.5);
        floats(method::SET_COMPOSITE_MATRIX + 60, 1, 2.0, 5.0);
        floats(method::SET_VIEWPORT_OFFSET, 4, 0.0, 300.0);
        floats(method::SET_EYE_POSITION, 3, -3.0, 3.0);
        floats(method::SET_FOG_PLANE, 4, -1.0, 1.0);
        floats(method::SET_EYE_DIRECTION, 3, -1.0, 1.0);
        floats(method::SET_SCENE_AMBIENT_COLOR, 3, 0.0, 0.4);
        floats(method::SET_BACK_SCENE_AMBIENT_COLOR, 3, 0.0, 0.4);
        floats(method::SET_MATERIAL_EMISSION, 3, 0.0, 0.4);
        floats(method::SET_BACK_MATERIAL_EMISSION, 3, 0.0, 0.4);
        floats(method::SET_MATERIAL_ALPHA, 1, 0.0, 1.0);
        floats(method::SET_BACK_MATERIAL_ALPHA, 1, 0.0, 1.0);
        for params in [method::SET_SPECULAR_PARAMS, method::SET_SPECULAR_PARAMS_BACK] {
            for triple in [0, 12] {
                floats(params + triple, 1, -0.9, 0.0);
                floats(params + triple + 4, 1, -0.8, 0.0);
                floats(params + triple + 8, 1, 2.0, 3.0);
            }
        }
        for light in 0..LIGHTS as u16 {
            let front = light * 0x80;
            floats(method::SET_LIGHT_AMBIENT_COLOR + front, 9, 0.0, 0.4);
            floats(method::SET_BACK_LIGHT_AMBIENT_COLOR + light * 0x40, 9, 0.0, 0.4);
            floats(method::SET_LIGHT_LOCAL_RANGE + front, 1, 1.0, 6.0);
            floats(method::SET_LIGHT_INFINITE_HALF_VECTOR + front, 6, -0.6, 0.6);
            floats(method::SET_LIGHT_SPOT_FALLOFF + front, 1, -0.4, 0.0);
            floats(method::SET_LIGHT_SPOT_FALLOFF + front + 4, 1, -0.5, 0.5);
            floats(method::SET_LIGHT_SPOT_FALLOFF + front + 8, 1, 1.0, 2.0);
            floats(method::SET_LIGHT_SPOT_DIRECTION + front, 4, -1.0, 1.0);
            floats(method::SET_LIGHT_LOCAL_POSITION + front, 3, -3.0, 3.0);
            floats(method::SET_LIGHT_LOCAL_ATTENUATION + front, 3, 0.1, 1.0);
        }
        floats(method::SET_POINT_PARAMS, 3, 0.1, 1.0);
        floats(method::SET_POINT_PARAMS_SIZE_RANGE, 1, 1.0, 60.0);
        floats(method::SET_POINT_PARAMS_SCALE_BIAS, 1, -0.2, 0.2);
        floats(method::SET_POINT_PARAMS_MIN_SIZE, 1, 1.0, 20.0);
        r
    }
}
