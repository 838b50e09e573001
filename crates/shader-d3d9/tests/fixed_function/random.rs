//! Random keys, registers, vertices and pixels: everything that a key can say.

use crate::scene::Scene;
use afterimage_shader_d3d9::ffp::{FixedInput, STAGES};
use afterimage_shader_d3d9::io::bound;
use afterimage_shader_d3d9::{FixedPixelKey, FixedStage, FixedVertexKey, FixedVertexRegister as V, TexCoordKey};

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

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub fn float(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub fn vector(&mut self, from: f32, to: f32) -> [f32; 4] {
        std::array::from_fn(|_| self.float(from, to))
    }

    fn pick<const N: usize>(&mut self, from: [u8; N]) -> u8 {
        from[self.below(N as u64) as usize]
    }

    pub fn vertex_key(&mut self) -> FixedVertexKey {
        let mut key = FixedVertexKey {
            flags: self.below(512) as u32,
            inputs: self.below(1 << 17) as u32 | 1,
            diffuse_source: self.below(4) as u8,
            ambient_source: self.below(4) as u8,
            specular_source: self.below(4) as u8,
            emissive_source: self.below(4) as u8,
            fog_mode: self.below(4) as u8,
            blend_weights: self.pick([0, 0, 0, 1, 2, 3, 4]),
            ..FixedVertexKey::default()
        };
        if self.one_in(2) {
            key.inputs |= 1 << FixedInput::Normal as u8;
        }
        if !self.one_in(6) {
            key.flags &= !FixedVertexKey::PRETRANSFORMED;
        }
        for light in key.lights.iter_mut().take(self.next() as usize % 9) {
            *light = self.pick([1, 1, 2, 2, 3, 3, 3, 4]);
        }
        for stage in &mut key.tex_coords {
            *stage = TexCoordKey {
                used: self.below(2) as u8,
                set: self.below(8) as u8,
                generation: self.below(6) as u8,
                transform: self.below(6) as u8 | if self.one_in(2) { TexCoordKey::PROJECTED } else { 0 },
                components: self.below(5) as u8,
                pad: [0; 3],
            };
        }
        key
    }

    /// Registers and inputs of a vertex, with values that a program could have.
    pub fn vertex_scene(&mut self) -> Scene {
        let mut scene = Scene::default();
        for register in &mut scene.vertex {
            *register = self.vector(-1.0, 1.0);
        }
        let mut set = |register: u16, value: [f32; 4]| scene.vertex[usize::from(register)] = value;
        for color in [V::MaterialDiffuse, V::MaterialAmbient, V::MaterialSpecular, V::MaterialEmissive] {
            set(color.register(), self.vector(0.0, 1.0));
        }
        set(V::GlobalAmbient.register(), self.vector(0.0, 0.5));
        set(V::MaterialPower.register(), [self.float(0.0, 40.0), 0.0, 0.0, 0.0]);
        let (start, end) = (self.float(0.0, 1.0), self.float(1.5, 6.0));
        set(V::Fog.register(), [start, end, 1.0 / (end - start), self.float(0.05, 1.0)]);
        set(V::PointSize.register(), [self.float(0.5, 20.0), 0.0, 0.0, 0.0]);
        set(V::PointScale.register(), [self.float(0.1, 1.0), self.float(0.0, 1.0), self.float(0.0, 1.0), 480.0]);
        set(V::Tween.register(), [self.float(0.0, 1.0), 0.0, 0.0, 0.0]);
        for light in 0..8 {
            for color in [V::LightDiffuse, V::LightSpecular, V::LightAmbient] {
                set(color.element(light), self.vector(0.0, 1.0));
            }
            let [x, y, z, _] = self.vector(-4.0, 4.0);
            set(V::LightPosition.element(light), [x, y, z, self.float(1.0, 12.0)]);
            let direction: [f32; 4] = self.vector(-1.0, 1.0);
            let length = (0..3).map(|i| direction[i] * direction[i]).sum::<f32>().sqrt().max(0.1);
            let [x, y, z, _] = direction.map(|c| c / length);
            set(V::LightDirection.element(light), [x, y, z, self.float(0.0, 4.0)]);
            set(
                V::LightAttenuation.element(light),
                [self.float(0.2, 1.0), self.float(0.0, 1.0), self.float(0.0, 1.0), 0.0],
            );
            let (inner, outer) = (self.float(0.3, 1.0), self.float(-1.0, 0.2));
            set(V::LightSpot.element(light), [inner, outer, 1.0 / (inner - outer), 0.0]);
        }
        for input in &mut scene.inputs {
            *input = self.vector(-2.0, 2.0);
        }
        let at = |input: FixedInput| input as usize;
        scene.inputs[at(FixedInput::Position)][3] = if self.one_in(8) { 0.0 } else { self.float(0.2, 2.0) };
        scene.inputs[at(FixedInput::BlendWeight)] = self.vector(0.0, 0.4);
        scene.inputs[at(FixedInput::BlendIndices)] = std::array::from_fn(|_| self.below(256) as f32);
        scene.inputs[at(FixedInput::PointSize)][0] = self.float(0.5, 20.0);
        for color in [FixedInput::Diffuse, FixedInput::Specular] {
            scene.inputs[at(color)] = self.vector(0.0, 1.0);
        }
        scene
    }

    pub fn pixel_key(&mut self) -> FixedPixelKey {
        let mut key = FixedPixelKey { flags: self.below(2) as u32, ..FixedPixelKey::default() };
        let stages = self.below(STAGES as u64 + 1) as usize;
        for stage in key.stages.iter_mut().take(stages) {
            let mut args = || std::array::from_fn(|_| self.below(7) as u8 | (self.below(4) as u8) << 4);
            let (color_args, alpha_args) = (args(), args());
            *stage = FixedStage {
                color_op: 2 + self.below(26) as u8,
                color_args,
                alpha_op: 1 + self.below(27) as u8,
                alpha_args,
                result_temp: u8::from(self.one_in(4)),
                texture: self.pick([0, 1, 1, 1, 2, 3]),
                projected: u8::from(self.one_in(4)),
                pad: 0,
            };
        }
        key
    }

    pub fn textures(&mut self) -> [u8; STAGES] {
        std::array::from_fn(|_| self.pick([0, 0, 0, bound::SHADOW, bound::FETCH4, bound::PROJECTED]))
    }

    /// Registers and inputs of a pixel.
    pub fn pixel_scene(&mut self) -> Scene {
        let mut scene = Scene::default();
        for register in &mut scene.pixel {
            *register = self.vector(0.0, 1.0);
        }
        for color in 0..2 {
            scene.inputs[color] = self.vector(0.0, 1.0);
        }
        for coordinates in &mut scene.inputs[2..10] {
            *coordinates = self.vector(-2.0, 2.0);
            coordinates[3] = self.float(0.5, 2.0);
        }
        scene.inputs[10] = self.vector(-0.5, 1.5);
        scene
    }
}
