//! Random registers and pixels: everything that the pixel pipeline can be told.

use super::scene::Pixel;
use afterimage_nv2a_types::{Registers, method as m};
use afterimage_shader_nv2a::{io, pixel::Drawn};
use afterimage_texture::nv2a::TextureFormat;

/// Numbers out of a seed (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) as u32
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        self.word() % limit
    }

    pub fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    pub fn float(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * (self.word() >> 8) as f32 / (1u32 << 24) as f32
    }

    fn vector(&mut self, from: f32, to: f32) -> [f32; 4] {
        std::array::from_fn(|_| self.float(from, to))
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    pub fn drawn(&mut self) -> Drawn {
        self.pick(&[Drawn::Points, Drawn::Lines, Drawn::Triangles, Drawn::Triangles])
    }

    pub fn pixel(&mut self) -> Pixel {
        Pixel {
            colors: std::array::from_fn(|_| self.vector(0.0, 1.0)),
            coordinates: std::array::from_fn(|_| {
                let [s, t, r, _] = self.vector(-1.5, 1.5);
                [s, t, r, self.float(0.5, 2.0)]
            }),
            fog: match self.below(8) {
                0 => io::FOG_INFINITE,
                1 => io::FOG_NO_NUMBER,
                2 => io::FOG_FARTHEST,
                _ => self.float(-2.0, 2.0),
            },
            depth: self.float(0.0, 90000.0),
            x: self.below(700) as f32 + 0.5,
            y: self.below(500) as f32 + 0.5,
            rcp_w: self.float(0.01, 2.0),
            front: self.one_in(2),
            sprite: [self.float(0.0, 1.0), self.float(0.0, 1.0)],
            t_slope: 0.0,
        }
    }

    /// Registers in which everything that a pixel shader looks at is something.
    pub fn registers(&mut self) -> Registers {
        let mut r = Registers::new();
        let run = |r: &mut Registers, method: u16, count: u16, this: &mut Self| {
            for n in 0..count {
                r.set(method + 4 * n, this.word());
            }
        };
        for method in [
            m::SET_COMBINER_COLOR_ICW,
            m::SET_COMBINER_COLOR_OCW,
            m::SET_COMBINER_ALPHA_ICW,
            m::SET_COMBINER_ALPHA_OCW,
            m::SET_COMBINER_FACTOR0,
            m::SET_COMBINER_FACTOR1,
        ] {
            run(&mut r, method, 8, self);
        }
        run(&mut r, m::SET_SPECULAR_FOG_FACTOR, 2, self);
        run(&mut r, m::SET_STIPPLE_PATERN_0, 32, self);
        let count = self.below(10);
        let flags = self.word() & 0x1_1100;
        r.set(m::SET_COMBINER_CONTROL, count | flags);
        if !self.one_in(8) {
            run(&mut r, m::SET_COMBINER_SPECULAR_FOG_CW0, 2, self);
        }
        for method in [m::SET_FOG_ENABLE, m::SET_LIGHT_TWO_SIDE_ENABLE, m::SET_POINT_SMOOTH_ENABLE] {
            let on = self.below(2);
            r.set(method, on);
        }
        for method in [m::SET_ALPHA_TEST_ENABLE, m::SET_STIPPLE_ENABLE] {
            let on = u32::from(self.one_in(4));
            r.set(method, on);
        }
        let fog = self.pick(&[0x2601, 0x800, 0x801, 0x802, 0x803, 0x804]);
        r.set(m::SET_FOG_MODE, fog);
        run(&mut r, m::SET_FOG_COLOR, 1, self);
        let (bias, multiplier) = (self.float(0.5, 2.5), if self.one_in(4) { 0.0 } else { self.float(-0.5, 0.5) });
        r.set(m::SET_FOG_PARAMS, bias.to_bits());
        r.set(m::SET_FOG_PARAMS + 4, multiplier.to_bits());
        let (function, reference) = (0x200 | self.below(8), self.below(256));
        r.set(m::SET_ALPHA_FUNC, function);
        r.set(m::SET_ALPHA_REF, reference);
        self.places(&mut r);
        self.texture_stages(&mut r);
        r
    }

    fn places(&mut self, r: &mut Registers) {
        let surface = self.pick(&[0x0118, 0x0128, 0x1118, 0x2128]);
        r.set(m::SET_SURFACE_FORMAT, surface);
        r.set(m::SET_SURFACE_CLIP_HORIZONTAL, 640 << 16);
        r.set(m::SET_SURFACE_CLIP_VERTICAL, 480 << 16);
        let control0 = self.word() & 0x11_1000;
        r.set(m::SET_CONTROL0, control0);
        let depth = self.below(2);
        r.set(m::SET_DEPTH_TEST_ENABLE, depth);
        let (offset, bias) = (self.below(2), self.float(-5000.0, 5000.0));
        r.set(m::SET_POLY_OFFSET_FILL_ENABLE, offset);
        r.set(m::SET_POLYGON_OFFSET_BIAS, bias.to_bits());
        r.set(m::SET_POLYGON_OFFSET_SCALE_FACTOR, 2.0f32.to_bits());
        let outside = u32::from(self.one_in(3));
        r.set(m::SET_WINDOW_CLIP_TYPE, outside);
        for n in 0..8 {
            for method in [m::SET_WINDOW_CLIP_HORIZONTAL, m::SET_WINDOW_CLIP_VERTICAL] {
                let (first, last) = (self.below(300), self.below(900));
                r.set(method + 4 * n, last << 16 | first);
            }
        }
        if outside == 0 && self.one_in(2) {
            r.set(m::SET_WINDOW_CLIP_HORIZONTAL + 4, 4095 << 16);
            r.set(m::SET_WINDOW_CLIP_VERTICAL + 4, 4095 << 16);
        }
    }

    fn texture_stages(&mut self, r: &mut Registers) {
        let program = (0..4).fold(0, |program, stage| {
            let mode = if self.one_in(3) { self.below(32) } else { 1 + self.below(18) };
            program | mode << (5 * stage)
        });
        r.set(m::SET_SHADER_STAGE_PROGRAM, program);
        for method in [m::SET_DOT_RGBMAPPING, m::SET_SHADER_OTHER_STAGE_INPUT, m::SET_SHADER_CLIP_PLANE_MODE] {
            let word = self.word();
            r.set(method, word);
        }
        let shadow = self.below(8);
        r.set(m::SET_SHADOW_COMPARE_FUNC, shadow);
        for n in 0..3 {
            let eye = self.float(-1.0, 1.0);
            r.set(m::SET_EYE_VECTOR + 4 * n, eye.to_bits());
        }
        for stage in 0..4 {
            let offset = 0x40 * stage;
            let code = if self.one_in(20) { self.below(256) } else { self.pick(TextureFormat::ALL) as u32 };
            let dimensions = self.pick(&[0x24, 0x28, 0x20, 0x30, 0x38]);
            let size = self.below(6) << 20 | self.below(6) << 24 | self.below(6) << 28;
            r.set(m::SET_TEXTURE_FORMAT + offset, size | code << 8 | dimensions | 1);
            let mut control0 = self.word() & 4;
            if !self.one_in(8) {
                control0 |= 1 << 30;
            }
            r.set(m::SET_TEXTURE_CONTROL0 + offset, control0);
            let min = self.pick(&[1, 2, 2, 6, 7]);
            let filter = self.word() & 0xF000_0000 | self.pick(&[1, 2]) << 24 | min << 16;
            r.set(m::SET_TEXTURE_FILTER + offset, if self.one_in(2) { filter & 0x0FFF_FFFF } else { filter });
            let rectangle = (1 + self.below(640)) << 16 | (1 + self.below(480));
            r.set(m::SET_TEXTURE_IMAGE_RECT + offset, rectangle);
            for n in 0..6 {
                let value = self.float(-1.0, 1.0);
                r.set(m::SET_TEXTURE_SET_BUMP_ENV_MAT + offset + 4 * n, value.to_bits());
            }
        }
    }
}
