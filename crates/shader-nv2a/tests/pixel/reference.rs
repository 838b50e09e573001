//! The pixel pipeline in 64-bit floats, straight from the registers and the facts; it knows nothing of keys.
//!
//! Where a result hangs on which side of an edge a number is (a byte's rounding, a comparison, a face of a cube), and the number is
//! at the edge, single and double precision may differ; then the pixel is unsure, and says so.

use crate::scene::{Holds, Outcome, Pixel, depth, depths, texel};
use afterimage_nv2a_types::{Registers, method as m};
use afterimage_shader_nv2a::pixel::Drawn;
use afterimage_texture::nv2a::depth::{self as formats, Depth};
use afterimage_texture::nv2a::{Decode, Layout, TextureFormat};

pub type Vector = [f64; 4];

pub struct Reference<'a> {
    pub registers: &'a Registers,
    pub pixel: &'a Pixel,
    pub drawn: Drawn,
    /// A number was at an edge.
    pub unsure: bool,
    pub thrown_away: bool,
    pub shaded_depth: Option<f64>,
    pub results: [Vector; 4],
    dots: [f64; 4],
}

/// What the texture of a stage is.
struct Texture {
    exists: bool,
    linear: bool,
    cube: bool,
    volume: bool,
    border: bool,
    depth: Option<Depth>,
    wide: bool,
    signs: u8,
    filter: u32,
    control0: u32,
}

pub fn holds(registers: &Registers) -> [Holds; 4] {
    std::array::from_fn(|stage| {
        let texture = Texture::of(registers, stage);
        if texture.depth.is_some() { Holds::Depths } else { Holds::Colors(texture.signs) }
    })
}

impl Texture {
    /// The depth of its format below `reference`, and how far that is from there to the next, in parts of one.
    fn kept(&self, reference: f64) -> (f64, f64) {
        let part = |kept: f64, next: f64| (kept, if next > kept { (reference - kept) / (next - kept) } else { 0.5 });
        let floats =
            |bits: u32, value: fn(u32) -> f32, last: u32| part(value(bits).into(), value((bits + 1).min(last)).into());
        match self.depth {
            None => (reference, 0.5),
            Some(Depth::Y16Fixed | Depth::Y24Fixed) => {
                let largest = if self.depth == Some(Depth::Y16Fixed) { 65535.0 } else { 16_777_215.0 };
                let kept = reference.max(0.0).min(largest).floor();
                part(kept, kept + 1.0)
            }
            Some(Depth::Y16Float) => floats(formats::to_float_16(reference as f32), formats::float_16, 0xFFFF),
            Some(Depth::Y24Float) => floats(formats::to_float_24(reference as f32), formats::float_24, 0xFE_FFFF),
        }
    }

    fn of(registers: &Registers, stage: usize) -> Self {
        let at = |method: u16| registers.get(method + 0x40 * stage as u16);
        let format = at(m::SET_TEXTURE_FORMAT);
        let info = TextureFormat::from_code(format >> 8 & 0xFF).map(TextureFormat::info);
        let decodes = |test: fn(&Decode) -> bool| info.is_some_and(|info| test(&info.decode));
        let linear = info.is_some_and(|info| info.layout == Layout::Linear);
        Self {
            exists: info.is_some(),
            linear,
            cube: format & 4 != 0 && !linear,
            volume: format >> 4 & 15 == 3 && !linear,
            border: format & 8 == 0,
            depth: info.and_then(|info| if let Decode::Depth(depth) = info.decode { Some(depth) } else { None }),
            wide: decodes(|decode| matches!(decode, Decode::Wide(_)))
                && (format >> 4 & 15 != 3 || format & 4 != 0 || linear),
            signs: (at(m::SET_TEXTURE_FILTER) >> 28) as u8,
            filter: at(m::SET_TEXTURE_FILTER),
            control0: at(m::SET_TEXTURE_CONTROL0),
        }
    }
}

impl<'a> Reference<'a> {
    pub fn new(registers: &'a Registers, pixel: &'a Pixel, drawn: Drawn) -> Self {
        Self {
            registers,
            pixel,
            drawn,
            unsure: false,
            thrown_away: false,
            shaded_depth: None,
            results: [[0.0, 0.0, 0.0, 1.0]; 4],
            dots: [0.0; 4],
        }
    }

    pub fn run(&mut self) -> Outcome {
        self.window_clip();
        self.stipple();
        for stage in 0..4 {
            self.results[stage] = self.stage(stage);
        }
        let color = self.combine();
        self.alpha_test(color[3]);
        let depth = self.depth();
        Outcome { thrown_away: self.thrown_away, color, depth }
    }

    // Numbers at edges.

    pub fn round(&mut self, value: f64) -> f64 {
        self.edge(value - value.floor() - 0.5);
        (value + 0.5).floor()
    }

    fn floor(&mut self, byte: f64) -> f64 {
        if byte != 0.0 && byte != 255.0 {
            self.edge(byte - byte.round());
        }
        byte.floor()
    }

    /// `value` decides something by its sign.
    pub fn edge(&mut self, value: f64) {
        self.unsure |= value.is_nan() || value.abs() < 2e-3;
    }

    pub fn throw_if(&mut self, condition: bool) {
        self.thrown_away |= condition;
    }

    // Places.

    fn window_clip(&mut self) {
        let (across, down) = match self.registers.bits(m::SET_SURFACE_FORMAT, 12, 4) {
            1 => (2, 1),
            2 => (2, 2),
            _ => (1, 1),
        };
        let inside = (0..8).any(|n| {
            let within = |method: u16, place: f32, scale: u32| {
                let word = self.registers.get(method + 4 * n);
                (word & 0xFFF..=word >> 16 & 0xFFF).contains(&(place as u32 / scale))
            };
            within(m::SET_WINDOW_CLIP_HORIZONTAL, self.pixel.x, across)
                && within(m::SET_WINDOW_CLIP_VERTICAL, self.pixel.y, down)
        });
        self.throw_if(inside == (self.registers.get(m::SET_WINDOW_CLIP_TYPE) != 0));
    }

    fn stipple(&mut self) {
        if self.drawn == Drawn::Triangles && self.registers.get(m::SET_STIPPLE_ENABLE) != 0 {
            let (x, y) = (self.pixel.x as u32, self.pixel.y as u16);
            let row = self.registers.get(m::SET_STIPPLE_PATERN_0 + 4 * (y % 32));
            let bytes = row.to_le_bytes();
            self.throw_if(bytes[(x / 8 % 4) as usize] >> (7 - x % 8) & 1 == 0);
        }
    }

    // Texture shader.

    fn coordinates(&self, stage: usize) -> Vector {
        let sprite = self.drawn == Drawn::Points && self.registers.get(m::SET_POINT_SMOOTH_ENABLE) != 0;
        if stage == 3 && sprite {
            let [s, t] = self.pixel.sprite.map(f64::from);
            return [s, t, 1.0, 1.0];
        }
        self.pixel.coordinates[stage].map(f64::from)
    }

    fn mode(&self, stage: usize) -> u32 {
        let mode = self.registers.get(m::SET_SHADER_STAGE_PROGRAM) >> (5 * stage) & 31;
        let enabled = self.registers.get(m::SET_TEXTURE_CONTROL0 + 0x40 * stage as u16) >> 30 & 1 != 0;
        let fits = match mode {
            0..=5 => true,
            0x06 | 0x07 | 0x0F | 0x10 => stage >= 1,
            0x08..=0x0A => stage >= 2,
            0x0B => stage == 2,
            0x0C..=0x0E | 0x12 => stage == 3,
            0x11 => stage == 1 || stage == 2,
            _ => false,
        };
        if enabled && fits { mode } else { 0 }
    }

    fn samples(&self, stage: usize) -> bool {
        !matches!(self.mode(stage), 0 | 4 | 5 | 0x0A | 0x11)
    }

    fn stage(&mut self, n: usize) -> Vector {
        let mode = self.mode(n);
        let [s, t, r, q] = self.coordinates(n);
        if matches!(mode, 0x09..=0x0E | 0x11 | 0x12) {
            self.dots[n] = self.dot(n);
        }
        let d = self.dots;
        match mode {
            0x02 if Texture::of(self.registers, n).depth.is_some() => self.shadow(n, [s / q, t / q, 0.0], 2, r / q),
            0x01 => self.lookup(n, [s / q, t / q, 0.0], 2),
            0x02 => self.lookup(n, [s / q, t / q, r / q], 3),
            0x03 => self.lookup(n, [s, t, r], 6),
            0x04 => [s, t, r, q].map(|c| c.clamp(0.0, 1.0)),
            0x05 => {
                let modes = self.registers.get(m::SET_SHADER_CLIP_PLANE_MODE) >> (4 * n);
                for (lane, c) in [s, t, r, q].into_iter().enumerate() {
                    self.edge(c);
                    self.throw_if((c < 0.0) != (modes >> lane & 1 != 0));
                }
                [0.0; 4]
            }
            0x06 | 0x07 => self.bump(n, mode == 7),
            0x08 => {
                let (eye, light) = (self.results[n - 2], self.results[n - 1]);
                self.lookup(n, [eye[0], light[0], light[2] - eye[2]], 3)
            }
            0x09 => self.lookup(n, [d[n - 1], d[n], 0.0], 2),
            0x0A => {
                self.edge(d[n]);
                self.shaded_depth = Some(d[n - 1] / d[n]);
                [0.0; 4]
            }
            0x0B => {
                let third = self.dot(3);
                self.lookup(n, [d[1], d[2], third], 6)
            }
            0x0C => {
                let eye = [1, 2, 3].map(|stage| self.coordinates(stage)[3]);
                self.reflect(n, eye)
            }
            0x0D => self.lookup(n, [d[1], d[2], d[3]], 3),
            0x0E => self.lookup(n, [d[1], d[2], d[3]], 6),
            0x0F | 0x10 => {
                let bytes = self.bytes(self.other(n));
                let place = if mode == 0x0F { [bytes[3], bytes[0]] } else { [bytes[1], bytes[2]] };
                self.lookup(n, [place[0] / 255.0, place[1] / 255.0, 0.0], 2)
            }
            0x11 => [0.0; 4],
            0x12 => {
                let eye: [f32; 3] = self.registers.floats(m::SET_EYE_VECTOR);
                self.reflect(n, eye.map(f64::from))
            }
            _ => [0.0, 0.0, 0.0, 1.0],
        }
    }

    fn other(&self, n: usize) -> usize {
        let word = self.registers.get(m::SET_SHADER_OTHER_STAGE_INPUT);
        let chosen = match n {
            2 => word >> 16 & 15,
            3 => word >> 20 & 15,
            _ => 0,
        };
        (chosen as usize).min(n - 1)
    }

    /// A stage's result as four bytes, red first.
    fn bytes(&mut self, stage: usize) -> Vector {
        let result = self.results[stage];
        let texture = Texture::of(self.registers, stage);
        if !self.samples(stage) {
            return result.map(|c| self.floor(c.clamp(0.0, 1.0) * 255.0));
        }
        if texture.wide {
            let [red, blue] = [(0, 1), (2, 3)].map(|(lane, bit)| {
                if texture.signs >> bit & 1 != 0 {
                    self.round(result[lane] * 32767.0).rem_euclid(65536.0)
                } else {
                    self.round(result[lane].clamp(0.0, 1.0) * 65535.0)
                }
            });
            return [red % 256.0, (blue / 256.0).floor(), blue % 256.0, (red / 256.0).floor()];
        }
        let mut bytes = [0.0; 4];
        for (lane, bit) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
            bytes[lane] = if texture.signs >> bit & 1 != 0 {
                let byte = self.round(result[lane] * 127.5);
                if byte < 0.0 { byte + 256.0 } else { byte }
            } else {
                self.round(result[lane].clamp(0.0, 1.0) * 255.0)
            };
        }
        bytes
    }

    fn dot(&mut self, n: usize) -> f64 {
        let signed = |byte: f64| if byte >= 128.0 { byte - 256.0 } else { byte };
        let [r, g, b, a] = self.bytes(self.other(n));
        let mapping = self.registers.get(m::SET_DOT_RGBMAPPING) >> (4 * (n - 1)) & 7;
        let vector = match mapping {
            0 => [r, g, b].map(|c| c / 255.0),
            1 => [r, g, b].map(|c| (c - 128.0) / 127.0),
            2 => [r, g, b].map(|c| (signed(c) + 0.5) / 127.5),
            3 => [r, g, b].map(|c| signed(c) / 127.0),
            _ => {
                let words = [a * 256.0 + r, g * 256.0 + b];
                let signed = |word: f64| if word >= 32768.0 { word - 65536.0 } else { word };
                let [x, y] = match mapping {
                    4 => words.map(|w| w / 65535.0),
                    5 => words.map(|w| (w - 32768.0) / 32767.0),
                    6 => words.map(|w| (signed(w) + 0.5) / 32767.5),
                    _ => words.map(|w| signed(w) / 32767.0),
                };
                let left = 1.0 - x * x - y * y;
                if mapping != 4 {
                    self.edge(left);
                }
                [x, y, if mapping == 4 { 1.0 } else { left.max(0.0).sqrt() }]
            }
        };
        let [s, t, r, _] = self.coordinates(n);
        s * vector[0] + t * vector[1] + r * vector[2]
    }

    fn bump(&mut self, n: usize, luminance: bool) -> Vector {
        let bytes = self.bytes(self.other(n));
        let signed = |byte: f64| if byte >= 128.0 { byte - 256.0 } else { byte } / 128.0;
        let (du, dv) = (signed(bytes[2]), signed(bytes[1]));
        let stage = 0x40 * n as u16;
        let matrix: [f32; 4] = self.registers.floats(m::SET_TEXTURE_SET_BUMP_ENV_MAT + stage);
        let [a, b, d, c] = matrix.map(f64::from);
        let [s, t, r, _] = self.coordinates(n);
        let volume = Texture::of(self.registers, n);
        let dimensions = if volume.volume && !volume.cube { 3 } else { 2 };
        let texel = self.lookup(n, [s + a * du + c * dv, t + b * du + d * dv, r], dimensions);
        if !luminance {
            return texel;
        }
        let [scale, offset]: [f32; 2] = self.registers.floats(m::SET_TEXTURE_SET_BUMP_ENV_SCALE + stage);
        let factor = (bytes[0] / 255.0 * f64::from(scale) + f64::from(offset)).max(0.0);
        let [r, g, b, alpha] = texel;
        let [r, g, b] = [r, g, b].map(|c| self.floor((c * factor).min(1.0) * 255.0 + 1.0 / 256.0) / 255.0);
        [r, g, b, alpha]
    }

    fn reflect(&mut self, n: usize, eye: [f64; 3]) -> Vector {
        let normal = [self.dots[1], self.dots[2], self.dots[3]];
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let factor = 2.0 * dot(normal, eye) / dot(normal, normal);
        self.unsure |= dot(normal, normal) < 1e-3;
        self.lookup(n, std::array::from_fn(|lane| normal[lane] * factor - eye[lane]), 6)
    }

    /// A lookup by 2 or 3 coordinates, or 6 faces.
    fn lookup(&mut self, n: usize, [s, t, r]: [f64; 3], wanted: u32) -> Vector {
        let texture = Texture::of(self.registers, n);
        if !texture.exists {
            return [0.0, 0.0, 0.0, 1.0];
        }
        if texture.depth.is_some() {
            return self.shadow(n, [s, t, r], wanted, 0.0);
        }
        let place = self.as_shape(n, &texture, [s, t, r], wanted);
        let place = self.on_image(n, &texture, place);
        let filters = matches!(texture.filter >> 16 & 0xFF, 2 | 4 | 6) && texture.filter >> 24 & 15 == 2;
        let read = self.is_read(n) && filters && !texture.cube && !texture.volume;
        let place = if read { self.on_weights(n, &texture, place) } else { place };
        let convolved = texture.filter >> 16 & 0xFF == 7 && !texture.cube && !texture.volume;
        let texel = if convolved { self.convolve(n, &texture, place) } else { texel(n, place, texture.signs) };
        let signed = [1, 2, 3, 0].map(|bit| texture.signs >> bit & 1 != 0);
        // Of 128 in the texture, of 255 halves behind it; or of 65536 from its half.
        let behind = |c: f64| if texture.wide { (c * 65535.0 - 32768.0) / 32767.0 } else { c * 256.0 / 255.0 };
        let texel = std::array::from_fn(|i| if signed[i] { behind(texel[i]).max(-1.0) } else { texel[i] });
        if texture.control0 & 4 != 0 {
            self.throw_if(texel[3] == 0.0);
        }
        texel
    }

    fn as_shape(&mut self, n: usize, texture: &Texture, [s, t, r]: [f64; 3], wanted: u32) -> [f64; 3] {
        let slice = 0.5 * self.texel_size(n, texture)[2];
        match (wanted, texture.cube, texture.volume) {
            (6, true, _) => [s, t, r],
            (_, true, _) => [1.0, t, -s],
            (6, false, volume) => {
                let [s, t] = self.on_face([s, t, r]);
                [s, t, if volume { slice } else { 0.0 }]
            }
            (3, false, true) => [s, t, r],
            (_, false, true) => [s, t, slice],
            (_, false, false) => [s, t, 0.0],
        }
    }

    fn is_read(&self, stage: usize) -> bool {
        (stage + 1..4).any(|n| {
            let reads = matches!(self.mode(n), 0x06 | 0x07 | 0x09..=0x12) || n == 3 && self.mode(2) == 0x0B;
            reads && self.other(n) == stage
        })
    }

    /// Places in 256ths of a texel.
    fn on_weights(&mut self, n: usize, texture: &Texture, [s, t, r]: [f64; 3]) -> [f64; 3] {
        let size = self.texel_size(n, texture);
        let [s, t] = [(s, size[0]), (t, size[1])]
            .map(|(place, size)| self.floor(place / size * 256.0 + 1.0 / 32.0) / 256.0 * size);
        [s, t, r]
    }

    fn convolve(&self, n: usize, texture: &Texture, [s, t, r]: [f64; 3]) -> Vector {
        let size = self.texel_size(n, texture);
        let mut sum = [0.0; 4];
        for (y, row) in [(-1.0, 1.0), (0.0, 2.0), (1.0, 1.0)] {
            for (x, column) in [(-1.0, 1.0), (0.0, 2.0), (1.0, 1.0)] {
                let texel = texel(n, [s + x * size[0], t + y * size[1], r], texture.signs);
                sum = std::array::from_fn(|lane| sum[lane] + texel[lane] * row * column / 16.0);
            }
        }
        sum
    }

    fn on_face(&mut self, [x, y, z]: [f64; 3]) -> [f64; 2] {
        let [ax, ay, az] = [x, y, z].map(f64::abs);
        let scale = ax.max(ay).max(az);
        for difference in [ax - ay, ay - az, ax - az] {
            self.edge(difference / scale);
        }
        let (s, t) = if ax >= ay && ax >= az {
            (if x < 0.0 { z } else { -z }, y)
        } else if ay >= az {
            (x, if y < 0.0 { z } else { -z })
        } else {
            (if z < 0.0 { -x } else { x }, y)
        };
        [s / scale, t / scale]
    }

    fn size(&self, n: usize, texture: &Texture) -> [f64; 3] {
        let rect = self.registers.get(m::SET_TEXTURE_IMAGE_RECT + 0x40 * n as u16);
        let format = self.registers.get(m::SET_TEXTURE_FORMAT + 0x40 * n as u16);
        if texture.linear {
            [f64::from((rect >> 16).max(1)), f64::from((rect & 0xFFFF).max(1)), 1.0]
        } else {
            [20, 24, 28].map(|shift| f64::from(1u32 << (format >> shift & 15)))
        }
    }

    fn texel_size(&self, n: usize, texture: &Texture) -> [f64; 3] {
        let size = self.size(n, texture);
        let stored = |size: f64| if texture.border && !texture.linear { (size * 2.0).max(16.0) } else { size };
        size.map(|size| 1.0 / stored(size))
    }

    fn on_image(&self, n: usize, texture: &Texture, place: [f64; 3]) -> [f64; 3] {
        let (size, step) = (self.size(n, texture), self.texel_size(n, texture));
        if texture.linear {
            [place[0] / size[0], place[1] / size[1], 0.0]
        } else if texture.border && !texture.cube {
            let mut place: [f64; 3] = std::array::from_fn(|lane| (place[lane] * size[lane] + 4.0) * step[lane]);
            if !texture.volume {
                place[2] = 0.0;
            }
            place
        } else {
            place
        }
    }

    fn shadow(&mut self, n: usize, place: [f64; 3], wanted: u32, reference: f64) -> Vector {
        let texture = Texture::of(self.registers, n);
        let place = self.as_shape(n, &texture, place, wanted);
        let place = self.on_image(n, &texture, place);
        let (kept, over) = texture.kept(reference);
        if reference != 0.0 {
            self.edge(over - over.round());
        }
        let reference = kept;
        let passes = |this: &mut Self, depth: f64| {
            this.edge((depth - reference) / 100.0);
            let passes = match this.registers.get(m::SET_SHADOW_COMPARE_FUNC) & 7 {
                0 => false,
                1 => reference > depth,
                2 => reference == depth,
                3 => reference >= depth,
                4 => reference < depth,
                5 => reference != depth,
                6 => reference <= depth,
                _ => true,
            };
            f64::from(u8::from(passes))
        };
        let filtered = texture.filter >> 24 & 15 != 1 && !texture.cube && !texture.volume;
        if !filtered {
            return [passes(self, depth(n, place)); 4];
        }
        let size = self.texel_size(n, &texture);
        let [x, y] = [0, 1].map(|lane| place[lane] / size[lane] - 0.5);
        self.edge(x - x.round());
        self.edge(y - y.round());
        let (x, y) = (x - x.floor(), y - y.floor());
        let [lower_left, lower_right, upper_right, upper_left] = depths(n, place).map(|depth| passes(self, depth));
        let upper = upper_left * (1.0 - x) + upper_right * x;
        let lower = lower_left * (1.0 - x) + lower_right * x;
        [upper * (1.0 - y) + lower * y; 4]
    }
}
