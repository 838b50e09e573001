//! The reference's colours: fog, combiners, final combiner; and alpha test and depth.

use crate::reference::{Reference, Vector};
use afterimage_nv2a_types::method as m;
use afterimage_shader_nv2a::io;
use afterimage_shader_nv2a::pixel::Drawn;

/// What a combiner reads and writes, by the numbers in its words.
type File = [Vector; 16];

impl Reference<'_> {
    pub fn combine(&mut self) -> Vector {
        let control = self.registers.get(m::SET_COMBINER_CONTROL);
        let mut file = [[0.0; 4]; 16];
        let fog = self.factor(m::SET_FOG_COLOR);
        file[3] = [fog[2], fog[1], fog[0], self.fog()];
        let back = self.drawn == Drawn::Triangles
            && self.registers.get(m::SET_LIGHT_TWO_SIDE_ENABLE) != 0
            && !self.pixel.front;
        for n in 0..2 {
            file[4 + n] = self.pixel.colors[n + if back { 2 } else { 0 }].map(f64::from);
        }
        file[8..12].copy_from_slice(&self.results);
        file[12][3] = self.results[0][3];
        for n in 0..(control & 0xFF).min(8) as u16 {
            let own = |bit: u32| if control >> bit & 1 != 0 { 4 * n } else { 0 };
            file[1] = self.factor(m::SET_COMBINER_FACTOR0 + own(12));
            file[2] = self.factor(m::SET_COMBINER_FACTOR1 + own(16));
            file = self.combiner(&file, n, control >> 8 & 1 != 0);
        }
        self.final_combiner(&mut file).map(|c| c.clamp(0.0, 1.0))
    }

    /// A word 0xAARRGGBB.
    fn factor(&self, method: u16) -> Vector {
        [16, 8, 0, 24].map(|shift| f64::from(self.registers.get(method) >> shift & 0xFF) / 255.0)
    }

    fn fog(&mut self) -> f64 {
        if self.registers.get(m::SET_FOG_ENABLE) == 0 {
            return 1.0;
        }
        let mode = self.registers.get(m::SET_FOG_MODE);
        let [bias, multiplier, _]: [f32; 3] = self.registers.floats(m::SET_FOG_PARAMS);
        let fog = self.pixel.fog;
        let along = if mode == 0x804 { fog.abs() } else { fog };
        let x = if multiplier == 0.0 { bias } else { bias + along * multiplier };
        let is_straight = matches!(mode, 0x804 | 0x2601);
        if fog == io::FOG_NO_NUMBER || fog == io::FOG_INFINITE && (multiplier != 0.0 || is_straight) {
            return if matches!(mode, 0x801..=0x803) { 0.0 } else { 1.0 };
        }
        let abs = matches!(mode, 0x801..=0x803);
        let clear = if matches!(mode, 0x800..=0x803) { 1.5 } else { 2.0 };
        let d = clear - f64::from(x);
        let d = if abs { d.abs() } else { d.max(0.0) };
        match mode {
            0x800 | 0x802 => (-16.0 * d).exp2(),
            0x801 | 0x803 => (-32.0 * d * d).exp2(),
            _ => (1.0 - d).max(0.0),
        }
    }

    fn combiner(&mut self, file: &File, n: u16, msb: bool) -> File {
        let word = |method: u16| self.registers.get(method + 4 * n);
        let (color_in, color_out) = (word(m::SET_COMBINER_COLOR_ICW), word(m::SET_COMBINER_COLOR_OCW));
        let (alpha_in, alpha_out) = (word(m::SET_COMBINER_ALPHA_ICW), word(m::SET_COMBINER_ALPHA_OCW));
        let mut out = *file;
        let takes_cd = self.mux(file[12][3], msb, (color_out | alpha_out) >> 14 & 1 != 0);

        let [a, b, c, d] = [24, 16, 8, 0].map(|shift| color_operand(file, color_in >> shift));
        let product = |a: [f64; 3], b: [f64; 3], dot: bool| {
            let products: [f64; 3] = std::array::from_fn(|lane| a[lane] * b[lane]);
            if dot { [products.iter().sum(); 3] } else { products }
        };
        let ab = product(a, b, color_out >> 13 & 1 != 0);
        let cd = product(c, d, color_out >> 12 & 1 != 0);
        let sum: [f64; 3] = std::array::from_fn(|lane| third(ab[lane], cd[lane], color_out, takes_cd));
        for (value, shift, blue) in [(ab, 4, 19), (cd, 0, 18), (sum, 8, 32)] {
            if let Some(to) = destination(color_out >> shift) {
                let value = value.map(|c| scaled(c, color_out));
                out[to][..3].copy_from_slice(&value);
                if blue < 32 && color_out >> blue & 1 != 0 {
                    out[to][3] = value[2];
                }
            }
        }

        let [a, b, c, d] = [24, 16, 8, 0].map(|shift| alpha_operand(file, alpha_in >> shift));
        let sum = third(a * b, c * d, alpha_out, takes_cd);
        for (value, shift) in [(a * b, 4), (c * d, 0), (sum, 8)] {
            if let Some(to) = destination(alpha_out >> shift) {
                out[to][3] = scaled(value, alpha_out);
            }
        }
        out
    }

    fn mux(&mut self, alpha: f64, msb: bool, matters: bool) -> bool {
        let unsure = self.unsure;
        let takes_cd = if msb {
            self.edge(alpha - 0.5);
            alpha >= 0.5
        } else {
            self.round(alpha.clamp(0.0, 1.0) * 255.0) % 2.0 == 1.0
        };
        self.unsure = if matters { self.unsure } else { unsure };
        takes_cd
    }

    fn final_combiner(&mut self, file: &mut File) -> Vector {
        let low = self.registers.get(m::SET_COMBINER_SPECULAR_FOG_CW0);
        let high = self.registers.get(m::SET_COMBINER_SPECULAR_FOG_CW1);
        if low == 0 && high == 0 {
            return file[12];
        }
        file[1] = self.factor(m::SET_SPECULAR_FOG_FACTOR);
        file[2] = self.factor(m::SET_SPECULAR_FOG_FACTOR + 4);
        let positive = |value: f64, invert: bool| if invert { 1.0 - value.clamp(0.0, 1.0) } else { value.max(0.0) };
        let sum = |lane: usize| {
            let sum = positive(file[5][lane], high & 0x40 != 0) + positive(file[12][lane], high & 0x20 != 0);
            if high & 0x80 != 0 { sum.min(1.0) } else { sum }
        };
        file[14] = [sum(0), sum(1), sum(2), 0.0];
        let operand = |file: &File, byte: u32| color_operand(file, byte & 0x3F);
        let (e, f) = (operand(file, high >> 24), operand(file, high >> 16));
        file[15][..3].copy_from_slice(&[e[0] * f[0], e[1] * f[1], e[2] * f[2]]);
        let [a, b, c, d] = [24, 16, 8, 0].map(|shift| operand(file, low >> shift));
        let rgb: [f64; 3] = std::array::from_fn(|n| a[n] * b[n] + (1.0 - a[n]) * c[n] + d[n]);
        let alpha = alpha_operand(file, high >> 8 & 0x3F);
        [rgb[0], rgb[1], rgb[2], alpha]
    }

    pub fn alpha_test(&mut self, alpha: f64) {
        if self.registers.get(m::SET_ALPHA_TEST_ENABLE) == 0 {
            return;
        }
        let function = self.registers.get(m::SET_ALPHA_FUNC) & 7;
        let unsure = self.unsure;
        let alpha = self.round(alpha * 255.0);
        if function == 0 || function == 7 {
            self.unsure = unsure;
        }
        let reference = f64::from(self.registers.get(m::SET_ALPHA_REF) & 0xFF);
        let bits =
            u32::from(alpha < reference) | u32::from(alpha == reference) << 1 | u32::from(alpha > reference) << 2;
        self.throw_if(function & bits == 0);
    }

    /// What the depth buffer gets, as a fraction of the largest integer.
    pub fn depth(&mut self) -> Option<f64> {
        if self.registers.get(m::SET_DEPTH_TEST_ENABLE) == 0 {
            return None;
        }
        let control = self.registers.get(m::SET_CONTROL0);
        let (rcp_w, z_times_w) = (f64::from(self.pixel.rcp_w), f64::from(self.pixel.depth));
        let rasterised = if control >> 16 & 1 != 0 { 1.0 / rcp_w } else { z_times_w * rcp_w };
        // All pixels of a quad are the same one here: nothing slopes.
        let offset = self.drawn == Drawn::Triangles && self.registers.get(m::SET_POLY_OFFSET_FILL_ENABLE) != 0;
        let bias = if offset { f64::from(self.registers.float(m::SET_POLYGON_OFFSET_BIAS)) } else { 0.0 };
        let depth = self.shaded_depth.unwrap_or(rasterised + bias);
        let (largest, value) = match (self.registers.bits(m::SET_SURFACE_FORMAT, 4, 4), control >> 12 & 1) {
            (1, 0) => (65535.0, clamped(depth, 65535.0)),
            (2, 0) => (16_777_215.0, clamped(depth, 16_777_215.0)),
            (1, _) => (65535.0, f64::from(afterimage_texture::nv2a::depth::to_float_16(depth as f32))),
            (2, _) => (16_777_215.0, f64::from(afterimage_texture::nv2a::depth::to_float_24(depth as f32))),
            _ => return None,
        };
        Some(value / largest)
    }
}

/// 0 to `largest`; NaN is 0.
fn clamped(depth: f64, largest: f64) -> f64 {
    if depth > 0.0 { depth.min(largest) } else { 0.0 }
}

fn destination(bits: u32) -> Option<usize> {
    let register = (bits & 15) as usize;
    matches!(register, 4 | 5 | 8..=13).then_some(register)
}

fn third(ab: f64, cd: f64, word: u32, takes_cd: bool) -> f64 {
    match (word >> 14 & 1 != 0, takes_cd) {
        (false, _) => ab + cd,
        (true, true) => cd,
        (true, false) => ab,
    }
}

fn scaled(value: f64, word: u32) -> f64 {
    let value = match word >> 15 & 7 {
        1 => value - 0.5,
        2 => value * 2.0,
        3 => (value - 0.5) * 2.0,
        4 => value * 4.0,
        6 => value / 2.0,
        _ => value,
    };
    value.clamp(-1.0, 1.0)
}

fn mapped(value: f64, byte: u32) -> f64 {
    match byte >> 5 & 7 {
        0 => value.max(0.0),
        1 => 1.0 - value.clamp(0.0, 1.0),
        2 => 2.0 * value.max(0.0) - 1.0,
        3 => 1.0 - 2.0 * value.max(0.0),
        4 => value.max(0.0) - 0.5,
        5 => 0.5 - value.max(0.0),
        6 => value,
        _ => -value,
    }
}

/// Registers 6 and 7 do not exist, and those of the final combiner are zero before it.
fn register(file: &File, byte: u32) -> Vector {
    file[(byte & 15) as usize]
}

fn color_operand(file: &File, byte: u32) -> [f64; 3] {
    let [r, g, b, a] = register(file, byte);
    let value = if byte & 0x10 != 0 { [a; 3] } else { [r, g, b] };
    value.map(|c| mapped(c, byte))
}

fn alpha_operand(file: &File, byte: u32) -> f64 {
    let [_, _, b, a] = register(file, byte);
    mapped(if byte & 0x10 != 0 { a } else { b }, byte)
}
