//! Transform and lighting in 64-bit floats, straight from the register file. The formulas are those of the sources that
//! `src/fixed/mod.rs` names; nothing here knows of keys or banks.

use crate::scene::SURFACE;
use afterimage_nv2a_types::{LIGHTS, Registers, STAGES, method};

type Vec3 = [f64; 3];
type Vec4 = [f64; 4];

/// Vertices nearer than this to a step of a function are not compared.
const EDGE: f64 = 1e-3;

/// What the vertex stage hands on.
#[derive(Debug, Default)]
pub struct Vertex {
    /// In clip space.
    pub position: Vec4,
    /// Front and back.
    pub diffuse: [Vec4; 2],
    pub specular: [Vec4; 2],
    pub fog: f64,
    pub texture: [Vec4; STAGES],
    pub point_size: f64,
    /// Whether a rounding error could show.
    pub doubtful: bool,
}

fn dot<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    (0..N).map(|i| a[i] * b[i]).sum()
}

fn add(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] + b[i])
}

fn scale(a: Vec3, by: f64) -> Vec3 {
    a.map(|c| c * by)
}

fn length(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

fn norm(a: Vec3) -> Vec3 {
    scale(a, 1.0 / length(a))
}

fn xyz([x, y, z, _]: Vec4) -> Vec3 {
    [x, y, z]
}

struct File<'a>(&'a Registers);

impl File<'_> {
    fn floats<const N: usize>(&self, method: u16) -> [f64; N] {
        self.0.floats::<N>(method).map(f64::from)
    }

    /// A row of a matrix or a plane.
    fn row(&self, method: u16, row: u16) -> Vec4 {
        self.floats(method + row * 16)
    }

    fn times(&self, vector: Vec4, method: u16) -> Vec4 {
        std::array::from_fn(|row| dot(vector, self.row(method, row as u16)))
    }

    fn on(&self, method: u16) -> bool {
        self.0.is_set(method)
    }
}

pub fn vertex(registers: &Registers, inputs: &[[f32; 4]; 16]) -> Vertex {
    let file = File(registers);
    let input = |number: usize| inputs[number].map(f64::from);
    let mut out = Vertex::default();

    let object = input(0);
    let weights = weights(registers.get(method::SET_SKIN_MODE), input(1));
    let (mut eye, mut normal) = ([0.0; 4], [0.0; 3]);
    let [nx, ny, nz, _] = input(2);
    for (matrix, weight) in weights.iter().enumerate() {
        let step = matrix as u16 * 0x40;
        let place = file.times(object, method::SET_MODEL_VIEW_MATRIX + step);
        let direction = file.times([nx, ny, nz, 0.0], method::SET_INVERSE_MODEL_VIEW_MATRIX + step);
        (0..4).for_each(|i| eye[i] += place[i] * weight);
        (0..3).for_each(|i| normal[i] += direction[i] * weight);
    }
    if file.on(method::SET_NORMALIZATION_ENABLE) {
        normal = norm(normal);
    }
    out.doubtful |= eye[3].abs() < 0.2;
    let place = scale(xyz(eye), 1.0 / eye[3]);
    let way = add(xyz(file.floats(method::SET_EYE_POSITION)), scale(place, -1.0));
    out.doubtful |= length(way) < 0.1;

    position(&file, if weights.len() == 1 { object } else { eye }, &mut out);
    colors(&file, place, norm(way), normal, [input(3), input(4)], &mut out);
    let [plane_x, plane_y, plane_z, plane_w] = file.floats(method::SET_FOG_PLANE);
    let planar = dot(place, [plane_x, plane_y, plane_z]) + plane_w;
    out.fog = match registers.get(method::SET_FOG_GEN_MODE) {
        1 => length(way),
        2 => planar,
        3 => planar.abs(),
        6 => input(5)[0],
        _ => input(4)[3],
    };
    for stage in 0..STAGES {
        let sources = Coordinates { object, eye, to_eye: norm(way), normal, own: input(9 + stage) };
        out.texture[stage] = coordinates(&file, stage as u16, &sources, &mut out.doubtful);
    }
    let size = f64::from(registers.bits(method::SET_POINT_SIZE, 0, 9)) / 8.0;
    let [a, b, c, range, _, _, bias, least] = file.floats(method::SET_POINT_PARAMS);
    let d = length(way);
    let factor = coarse_root(a + b * d + c * d * d, &mut out.doubtful) + bias;
    let scaled = factor.clamp(0.0, 1.0) * range + least;
    let size = if file.on(method::SET_POINT_PARAMS_ENABLE) { scaled } else { size } * 8.0;
    out.doubtful |= file.on(method::SET_POINT_PARAMS_ENABLE) && (size - size.round()).abs() < 0.01;
    let size = (size.floor() / 8.0).clamp(1.0, 63.875);
    let exact = size.log2().fract() == 0.0;
    out.point_size = if exact { size } else { size + 1.0 / 16.0 };
    out
}

/// The inverse root by envytools' table `xf_rsq_lut_v2`, as a formula.
fn coarse_root(x: f64, doubtful: &mut bool) -> f64 {
    let exponent = (x.log2() / 2.0).floor() as i32 * 2;
    let scaled = x / 2f64.powi(exponent);
    let bits = if scaled < 2.0 { 64.0 } else { 32.0 };
    *doubtful |= (scaled * bits - (scaled * bits).round()).abs() < EDGE;
    let middle = ((scaled * bits).floor() + 0.5) / bits;
    (128.0 / middle.sqrt()).round().min(127.0) / 128.0 / 2f64.powi(exponent / 2)
}

fn weights(mode: u32, [x, y, z, w]: Vec4) -> Vec<f64> {
    match mode {
        1 => vec![x, 1.0 - x],
        2 => vec![x, y],
        3 => vec![x, y, 1.0 - x - y],
        4 => vec![x, y, z],
        5 => vec![x, y, z, 1.0 - x - y - z],
        6 => vec![x, y, z, w],
        _ => vec![1.0],
    }
}

fn position(file: &File<'_>, from: Vec4, out: &mut Vertex) {
    let [x, y, z, w] = file.times(from, method::SET_COMPOSITE_MATRIX);
    out.doubtful |= w.abs() < 0.2;
    let [offset_x, offset_y, offset_z, _] = file.floats(method::SET_VIEWPORT_OFFSET);
    let cut = |value: f64| (value * 16.0).trunc() / 16.0;
    let (x, y, z) = (x / w + offset_x, y / w + offset_y, z / w + offset_z);
    out.doubtful |= [x, y].iter().any(|c| (c * 16.0 - (c * 16.0).round()).abs() < 0.01);
    let fixed_24 = file.0.get(method::SET_SURFACE_FORMAT) >> 4 & 15 == 2;
    let range = if fixed_24 { 60000.0 / 16_777_215.0 } else { 60000.0 / 65535.0 };
    let largest = if fixed_24 { 16_777_215.0 } else { 65535.0 };
    let [width, height] = SURFACE.map(f64::from);
    let clip = [cut(x) * 2.0 / width - 1.0, 1.0 - cut(y) * 2.0 / height, z / (largest * range), 1.0];
    out.position = clip.map(|c| c * w);
}

fn colors(file: &File<'_>, place: Vec3, to_eye: Vec3, normal: Vec3, own: [Vec4; 2], out: &mut Vertex) {
    let black = [0.0, 0.0, 0.0, 1.0];
    let control = file.0.get(method::SET_LIGHT_CONTROL);
    let specular_enable = file.on(method::SET_SPECULAR_ENABLE);
    if file.on(method::SET_LIGHTING_ENABLE) {
        let two_sided = file.on(method::SET_LIGHT_TWO_SIDE_ENABLE);
        for back in [false, true] {
            let side = usize::from(back);
            (out.diffuse[side], out.specular[side]) = (black, black);
            if back && !two_sided {
                continue;
            }
            let turned = if back { scale(normal, -1.0) } else { normal };
            let (diffuse, specular) = face(file, place, to_eye, turned, own, back, &mut out.doubtful);
            (out.diffuse[side], out.specular[side]) = (diffuse, specular);
        }
        if control & 1 == 0 || !specular_enable {
            for side in [0, 1].into_iter().take(1 + usize::from(two_sided)) {
                (0..3).for_each(|i| out.diffuse[side][i] += out.specular[side][i]);
            }
            out.specular = [own[1]; 2];
        }
    } else {
        out.diffuse = [own[0], black];
        out.specular = [own[1], black];
    }
    for side in 0..2 {
        if control & 0x2_0000 == 0 {
            out.specular[side][3] = 1.0;
        }
        if !specular_enable {
            out.specular[side] = black;
        }
        for color in [&mut out.diffuse[side], &mut out.specular[side]] {
            *color = color.map(|c| c.clamp(0.0, 1.0));
        }
    }
}

fn face(
    file: &File<'_>,
    place: Vec3,
    to_eye: Vec3,
    normal: Vec3,
    own: [Vec4; 2],
    back: bool,
    doubtful: &mut bool,
) -> (Vec4, Vec4) {
    let register = |front: u16, of_back: u16| if back { of_back } else { front };
    let scene: Vec3 = file.floats(register(method::SET_SCENE_AMBIENT_COLOR, method::SET_BACK_SCENE_AMBIENT_COLOR));
    let factor: Vec3 = file.floats(register(method::SET_MATERIAL_EMISSION, method::SET_BACK_MATERIAL_EMISSION));
    let [material_alpha] = file.floats(register(method::SET_MATERIAL_ALPHA, method::SET_BACK_MATERIAL_ALPHA));
    let sources = file.0.get(method::SET_COLOR_MATERIAL) >> if back { 8 } else { 0 };
    let source = |at: u32| match sources >> at & 3 {
        1 => Some(own[0]),
        2 => Some(own[1]),
        _ => None,
    };
    let [emission, ambient, diffuse, specular] = [0, 2, 4, 6].map(source);
    let constant = match (emission, ambient) {
        (Some(emission), Some(_)) => xyz(emission),
        _ => scene,
    };
    let scaled = ambient.or(emission).map_or([0.0; 3], xyz);
    let mut sum: Vec3 = std::array::from_fn(|i| constant[i] + scaled[i] * factor[i]);
    let mut shine = [0.0; 3];
    for light in 0..LIGHTS as u16 {
        let kind = file.0.get(method::SET_LIGHT_ENABLE_MASK) >> (light * 2) & 3;
        if kind == 0 {
            continue;
        }
        let of = |method: u16| method + light * 0x80;
        let color =
            |front: u16, of_back: u16| -> Vec3 { file.floats(register(front + light * 0x80, of_back + light * 0x40)) };
        let (direction, strength) = match kind {
            1 => (file.floats::<3>(of(method::SET_LIGHT_INFINITE_DIRECTION)), 1.0),
            _ => {
                let way = add(file.floats(of(method::SET_LIGHT_LOCAL_POSITION)), scale(place, -1.0));
                let d = length(way);
                let [range] = file.floats(of(method::SET_LIGHT_LOCAL_RANGE));
                *doubtful |= (d - range).abs() < EDGE || d < 0.1;
                if d > range {
                    continue;
                }
                let [c0, c1, c2] = file.floats(of(method::SET_LIGHT_LOCAL_ATTENUATION));
                let direction = norm(way);
                let attenuation = 1.0 / (c0 + c1 * d + c2 * d * d);
                (direction, if kind == 3 { attenuation * cone(file, light, direction, doubtful) } else { attenuation })
            }
        };
        let give = |to: &mut Vec3, color: Vec3, by: f64, own: Option<Vec4>| {
            let own = own.map_or([1.0; 3], xyz);
            (0..3).for_each(|i| to[i] += color[i] * strength * by * own[i]);
        };
        give(&mut sum, color(method::SET_LIGHT_AMBIENT_COLOR, method::SET_BACK_LIGHT_AMBIENT_COLOR), 1.0, ambient);
        let cosine = dot(normal, direction);
        *doubtful |= cosine.abs() < EDGE;
        if cosine < 0.0 {
            continue;
        }
        give(&mut sum, color(method::SET_LIGHT_DIFFUSE_COLOR, method::SET_BACK_LIGHT_DIFFUSE_COLOR), cosine, diffuse);
        let local_eye = file.0.get(method::SET_LIGHT_CONTROL) & 0x1_0000 != 0;
        let parameters = register(method::SET_SPECULAR_PARAMS, method::SET_SPECULAR_PARAMS_BACK);
        let factor = if kind == 1 && !local_eye {
            let cosine = dot(normal, file.floats(of(method::SET_LIGHT_INFINITE_HALF_VECTOR)));
            curve(cosine, file.floats(parameters), doubtful)
        } else {
            let to_eye = if local_eye { to_eye } else { file.floats(method::SET_EYE_DIRECTION) };
            let half = norm(add(to_eye, direction));
            let cosine = dot(normal, half);
            *doubtful |= cosine.abs() < EDGE;
            if cosine < 0.0 { 0.0 } else { curve(cosine * cosine, file.floats(parameters + 12), doubtful) }
        };
        give(
            &mut shine,
            color(method::SET_LIGHT_SPECULAR_COLOR, method::SET_BACK_LIGHT_SPECULAR_COLOR),
            factor,
            specular,
        );
    }
    let alpha = diffuse.map_or(material_alpha, |own| own[3]);
    let ([r, g, b], [shine_r, shine_g, shine_b]) = (sum, shine);
    ([r, g, b, alpha], [shine_r, shine_g, shine_b, own[1][3]])
}

fn cone(file: &File<'_>, light: u16, direction: Vec3, doubtful: &mut bool) -> f64 {
    let [x, y, z, shift] = file.floats(method::SET_LIGHT_SPOT_DIRECTION + light * 0x80);
    let place = dot([x, y, z], direction) + shift;
    curve(place.min(1.0), file.floats(method::SET_LIGHT_SPOT_FALLOFF + light * 0x80), doubtful)
}

fn curve(x: f64, [k0, k1, k2]: Vec3, doubtful: &mut bool) -> f64 {
    let (above, below) = (x + k0, x * k1 + k2);
    *doubtful |= above.abs() < EDGE || below.abs() < 0.2;
    if above < 0.0 { 0.0 } else { above / below }
}

struct Coordinates {
    object: Vec4,
    eye: Vec4,
    to_eye: Vec3,
    normal: Vec3,
    own: Vec4,
}

fn coordinates(file: &File<'_>, stage: u16, from: &Coordinates, doubtful: &mut bool) -> Vec4 {
    let infinite = file.on(method::SET_TEXGEN_VIEW_MODEL);
    let to_eye = if infinite { file.floats(method::SET_EYE_DIRECTION) } else { from.to_eye };
    let reflection = add(scale(from.normal, 2.0 * dot(to_eye, from.normal)), scale(to_eye, -1.0));
    let halfway = add(reflection, [0.0, 0.0, 1.0]);
    let generated: Vec4 = std::array::from_fn(|i| {
        let plane = file.row(method::SET_TEXGEN_PLANE_S + stage * 0x40, i as u16);
        match file.0.get(method::SET_TEXGEN_S + stage * 0x10 + i as u16 * 4) {
            0x2400 => dot(plane, from.eye),
            0x2401 => dot(plane, from.object),
            0x2402 if i < 2 => {
                *doubtful |= length(halfway) < 0.1;
                norm(halfway)[i] / 2.0 + 0.5
            }
            0x8511 if i < 3 => from.normal[i],
            0x8512 if i < 3 => reflection[i],
            _ => from.own[i],
        }
    });
    if file.on(method::SET_TEXTURE_MATRIX_ENABLE + stage * 4) {
        file.times(generated, method::SET_TEXTURE_MATRIX + stage * 0x40)
    } else {
        generated
    }
}
