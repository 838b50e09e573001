//! The fixed-function pipeline in 64-bit floats, written from the Direct3D 9 documentation and without a look at the
//! shaders: "Mathematics of Lighting", "Geometry Blending", "Using Vertex Tweening", "Texture Coordinate Processing",
//! "Fog Formulas", "Point Sprites", "Texture Blending", "Bump Mapping Formulas".
//!
//! It reads the same keys and registers as the shaders. Results near a step (the range of a light, the edge of a cone, a
//! comparison) are marked, since 32 and 64 bits may fall on different sides of it.

use afterimage_shader_d3d9::ffp::{LIGHTS, STAGES};
use afterimage_shader_d3d9::io::bound;
use afterimage_shader_d3d9::{
    FixedInput, FixedPixelKey, FixedPixelRegister as P, FixedStage, FixedVertexKey, FixedVertexRegister as V,
    TexCoordKey,
};

pub type Vector = [f64; 4];
type Matrix = [Vector; 4];

/// How near a step counts as on it.
const EDGE: f64 = 1e-3;

fn dot3(a: &[f64], b: &[f64]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(v: &[f64]) -> f64 {
    dot3(v, v).sqrt()
}

fn norm(v: [f64; 3]) -> [f64; 3] {
    let length = length(&v);
    if length == 0.0 { v } else { v.map(|c| c / length) }
}

fn times(v: Vector, m: &Matrix) -> Vector {
    std::array::from_fn(|column| (0..4).map(|row| v[row] * m[row][column]).sum())
}

fn clamp(v: Vector) -> Vector {
    v.map(|c| c.clamp(0.0, 1.0))
}

fn xyz(v: Vector) -> [f64; 3] {
    [v[0], v[1], v[2]]
}

fn scale(v: [f64; 3], by: f64) -> [f64; 3] {
    v.map(|c| c * by)
}

fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] + b[i])
}

/// What a vertex becomes.
#[derive(Debug, Default)]
pub struct Vertex {
    pub position: Vector,
    pub diffuse: Vector,
    pub specular: Vector,
    pub fog: f64,
    pub coordinates: [Option<Vector>; STAGES],
    pub point_size: f64,
    /// It is too near a step to be compared.
    pub doubtful: bool,
}

/// The fixed-function vertex stage.
pub fn vertex(key: &FixedVertexKey, registers: &[[f32; 4]], inputs: &[[f32; 4]]) -> Vertex {
    let register = |at: u16| registers[usize::from(at)].map(f64::from);
    let matrix = |first: u16| -> Matrix { std::array::from_fn(|row| register(first + row as u16)) };
    let input = |at: u8| key.has_input(at).then(|| inputs[usize::from(at)].map(f64::from));
    let mut out = Vertex::default();

    let transformed = key.has(FixedVertexKey::PRETRANSFORMED);
    let tween = register(V::Tween.register())[0];
    let tweened = |first: FixedInput, second: FixedInput| {
        let from = input(first as u8)?;
        Some(match input(second as u8) {
            Some(to) if key.has(FixedVertexKey::TWEENING) => {
                std::array::from_fn(|i| from[i] * (1.0 - tween) + to[i] * tween)
            }
            _ => from,
        })
    };
    let (mut view, mut normal) = ([0.0; 4], None);
    if transformed {
        let place = input(FixedInput::Position as u8).unwrap_or_default();
        let (by, plus) = (register(V::ViewportScale.register()), register(V::ViewportOffset.register()));
        let w = if place[3] == 0.0 { 1.0 } else { 1.0 / place[3] };
        out.position = std::array::from_fn(|i| if i == 3 { w } else { (place[i] * by[i] + plus[i]) * w });
    } else {
        let place = tweened(FixedInput::Position, FixedInput::Position1).unwrap_or_default();
        let direction = tweened(FixedInput::Normal, FixedInput::Normal1);
        let indices = input(FixedInput::BlendIndices as u8).filter(|_| key.has(FixedVertexKey::INDEXED_BLEND));
        let count = usize::from(key.blend_weights.min(3));
        let weights = input(FixedInput::BlendWeight as u8).filter(|_| count > 0);
        let mut matrices: Vec<(Matrix, f64)> = Vec::new();
        if indices.is_some() || weights.is_some() {
            let count = if weights.is_some() { count } else { 0 };
            for i in 0..=count {
                let weight = match weights {
                    Some(weights) if i < count => weights[i],
                    Some(weights) => 1.0 - weights[..count].iter().sum::<f64>(),
                    None => 1.0,
                };
                let first = match indices {
                    Some(indices) => V::IndexedWorldView.element(indices[i] as u16),
                    None if i == 0 => V::WorldView.register(),
                    None => V::BlendWorldView.element(i as u16 - 1),
                };
                matrices.push((matrix(first), weight));
            }
        }
        if matrices.is_empty() {
            view = times(place, &matrix(V::WorldView.register()));
            out.position = times(place, &matrix(V::WorldViewProjection.register()));
            let rows: [Vector; 3] = std::array::from_fn(|row| register(V::Normal.register() + row as u16));
            normal =
                direction.map(|n| std::array::from_fn(|column| (0..3).map(|row| n[row] * rows[row][column]).sum()));
        } else {
            let blended = |v: Vector| {
                let mut sum = [0.0; 4];
                for (m, weight) in &matrices {
                    let part = times(v, m);
                    (0..4).for_each(|i| sum[i] += weight * part[i]);
                }
                sum
            };
            view = blended(place);
            out.position = times(view, &matrix(V::Projection.register()));
            normal = direction.map(|n| xyz(blended([n[0], n[1], n[2], 0.0])));
        }
        if key.has(FixedVertexKey::NORMALIZE_NORMALS) {
            out.doubtful |= normal.is_some_and(|n| length(&n) < EDGE);
            normal = normal.map(norm);
        }
    }

    light(key, &register, &input, view, normal, &mut out);

    let distance = if key.has(FixedVertexKey::RANGE_FOG) { length(&view) } else { view[2].abs() };
    let [_, end, per_unit, density] = register(V::Fog.register());
    out.fog = match key.fog_mode {
        1 if !transformed => (-distance * density).exp(),
        2 if !transformed => (-(distance * density).powi(2)).exp(),
        3 if !transformed => (end - distance) * per_unit,
        _ => input(FixedInput::Specular as u8).map_or(1.0, |specular| specular[3]),
    }
    .clamp(0.0, 1.0);

    for (stage, coordinates) in key.tex_coords.iter().enumerate().filter(|(_, c)| c.used != 0) {
        let camera = (!transformed).then_some((view, normal));
        let own = input(FixedInput::tex_coord(coordinates.set));
        let to = matrix(V::TextureMatrix.element(stage as u16));
        out.coordinates[stage] = Some(texture_coordinates(coordinates, camera, own, &to, &mut out.doubtful));
    }

    let mut size = input(FixedInput::PointSize as u8).unwrap_or(register(V::PointSize.register()))[0];
    if key.has(FixedVertexKey::POINT_SCALE) && !transformed {
        let [a, b, c, height] = register(V::PointScale.register());
        let d = length(&view);
        size = height * size * (1.0 / (a + b * d + c * d * d)).sqrt();
    }
    out.point_size = size;
    out
}

/// "Mathematics of Lighting". All is in camera space.
fn light(
    key: &FixedVertexKey,
    register: &dyn Fn(u16) -> Vector,
    input: &dyn Fn(u8) -> Option<Vector>,
    view: Vector,
    normal: Option<[f64; 3]>,
    out: &mut Vertex,
) {
    let colors = [FixedInput::Diffuse, FixedInput::Specular].map(|color| input(color as u8));
    if !key.has(FixedVertexKey::LIGHTING) || key.has(FixedVertexKey::PRETRANSFORMED) {
        out.diffuse = clamp(colors[0].unwrap_or([1.0; 4]));
        out.specular = clamp(colors[1].unwrap_or([0.0; 4]));
        return;
    }
    let material = |source: u8, own: V| {
        match source {
            1 => colors[0],
            2 => colors[1],
            _ => None,
        }
        .unwrap_or(register(own.register()))
    };
    let [diffuse, ambient, specular, emissive] = [
        material(key.diffuse_source, V::MaterialDiffuse),
        material(key.ambient_source, V::MaterialAmbient),
        material(key.specular_source, V::MaterialSpecular),
        material(key.emissive_source, V::MaterialEmissive),
    ];
    let power = register(V::MaterialPower.register())[0];
    let place = xyz(view);
    let mut sums = [register(V::GlobalAmbient.register()), [0.0; 4], [0.0; 4]];
    for (index, kind) in (0u16..LIGHTS as u16).zip(key.lights) {
        if !(1..=3).contains(&kind) {
            break;
        }
        let of = |register: V| register.element(index);
        let [axis_x, axis_y, axis_z, falloff] = register(of(V::LightDirection));
        let axis = [axis_x, axis_y, axis_z];
        let (to_light, mut strength) = if kind == 3 {
            (scale(axis, -1.0), 1.0)
        } else {
            let [x, y, z, range] = register(of(V::LightPosition));
            let way = add([x, y, z], scale(place, -1.0));
            let d = length(&way);
            out.doubtful |= (d - range).abs() < EDGE || d < EDGE;
            let [a0, a1, a2, _] = register(of(V::LightAttenuation));
            (norm(way), if d > range { 0.0 } else { 1.0 / (a0 + a1 * d + a2 * d * d) })
        };
        if kind == 2 {
            let [inner, outer, _, _] = register(of(V::LightSpot));
            let rho = dot3(&scale(to_light, -1.0), &axis);
            out.doubtful |= (rho - inner).abs() < EDGE || (rho - outer).abs() < EDGE;
            strength *= if rho > inner {
                1.0
            } else if rho <= outer {
                0.0
            } else {
                ((rho - outer) / (inner - outer)).powf(falloff)
            };
        }
        let mut give = |sum: usize, color: V, by: f64| {
            let color = register(of(color));
            (0..4).for_each(|i| sums[sum][i] += color[i] * strength * by);
        };
        give(0, V::LightAmbient, 1.0);
        let Some(n) = normal else { continue };
        let cosine = dot3(&n, &to_light);
        give(1, V::LightDiffuse, cosine.clamp(0.0, 1.0));
        if key.has(FixedVertexKey::SPECULAR) {
            let to_viewer =
                if key.has(FixedVertexKey::LOCAL_VIEWER) { norm(scale(place, -1.0)) } else { [0.0, 0.0, -1.0] };
            let half = norm(add(to_viewer, to_light));
            let shine = dot3(&n, &half);
            out.doubtful |= cosine.abs() < EDGE || shine.abs() < EDGE;
            if cosine > 0.0 && shine > 0.0 {
                give(2, V::LightSpecular, shine.min(1.0).powf(power));
            }
        }
    }
    out.diffuse = std::array::from_fn(|i| match i {
        3 => diffuse[3],
        _ => emissive[i] + ambient[i] * sums[0][i] + diffuse[i] * sums[1][i],
    });
    out.diffuse = clamp(out.diffuse);
    out.specular = clamp(std::array::from_fn(|i| specular[i] * sums[2][i]));
}

fn texture_coordinates(
    key: &TexCoordKey,
    camera: Option<(Vector, Option<[f64; 3]>)>,
    own: Option<Vector>,
    matrix: &Matrix,
    doubtful: &mut bool,
) -> Vector {
    let flags = key.transform & 0x7F;
    let counts = (2..=4).contains(&flags);
    let generated = camera.filter(|_| (1..=4).contains(&key.generation)).map(|(view, normal)| {
        let (view, normal) = (xyz(view), normal.unwrap_or_default());
        let incoming = norm(view);
        let reflected = add(incoming, scale(normal, -2.0 * dot3(&incoming, &normal)));
        match key.generation {
            1 => normal,
            2 => view,
            3 => reflected,
            _ => {
                let m = 2.0 * length(&add(reflected, [0.0, 0.0, -1.0]));
                *doubtful |= m < 0.1;
                [reflected[0] / m + 0.5, reflected[1] / m + 0.5, 0.0]
            }
        }
    });
    let components = usize::from(if own.is_some() { key.components.min(4) } else { 0 });
    let transforms = counts && camera.is_some();
    let (mut vector, mut count) = match generated {
        Some([x, y, z]) => ([x, y, z, 1.0], 3),
        None => {
            let mut vector = [0.0; 4];
            vector[..components].copy_from_slice(&own.unwrap_or_default()[..components]);
            if transforms && (1..4).contains(&components) {
                vector[components] = 1.0;
            }
            (vector, usize::from(key.components.min(4)))
        }
    };
    if counts {
        count = usize::from(flags);
    }
    if transforms {
        vector = times(vector, matrix);
    }
    let divisor = match generated {
        Some(_) if !counts => None,
        _ => count.checked_sub(1).map(|last| vector[last]),
    };
    vector[count.min(4)..].fill(0.0);
    if key.transform & TexCoordKey::PROJECTED != 0 {
        vector[3] = divisor.unwrap_or(1.0);
    }
    vector
}

/// What a pixel reads besides its registers.
pub struct Pixel<'a> {
    pub diffuse: Vector,
    pub specular: Vector,
    pub coordinates: [Vector; STAGES],
    /// What is bound to the stages ([`bound`]).
    pub textures: [u8; STAGES],
    /// A texel of a stage's texture.
    pub texel: &'a dyn Fn(usize, [f64; 3]) -> Vector,
    /// The four texels around a place, in Vulkan's order.
    pub gather: &'a dyn Fn(usize, [f64; 3]) -> Vector,
    /// A comparison.
    pub compare: &'a dyn Fn(usize, f64) -> f64,
}

/// The fixed-function pixel stage, before alpha test and fog.
pub fn pixel(key: &FixedPixelKey, registers: &[[f32; 4]], pixel: &Pixel<'_>) -> Vector {
    let register = |at: u16| registers[usize::from(at)].map(f64::from);
    let (mut current, mut temp) = (pixel.diffuse, [0.0; 4]);
    let mut shift = [0.0; 2];
    let mut brightness = 1.0;
    let mut premodulate = [false; 2];
    for (index, stage) in key.stages.iter().enumerate() {
        if stage.color_op <= 1 {
            break;
        }
        let texel = if stage.texture == 0 {
            [0.0, 0.0, 0.0, 1.0]
        } else {
            lookup(stage, index, pixel, shift).map(|c| c * brightness)
        };
        (shift, brightness) = ([0.0; 2], 1.0);
        if stage.texture != 0 {
            for i in (0..4).filter(|i| premodulate[usize::from(*i == 3)]) {
                current[i] *= texel[i];
            }
        }
        if stage.texture != 0 && matches!(stage.color_op, 22 | 23) {
            let [m00, m01, m10, m11] = register(P::BumpMatrix.element(index as u16));
            let [du, dv, l, _] = texel;
            shift = [m00 * du + m10 * dv, m01 * du + m11 * dv];
            if stage.color_op == 23 {
                let [by, plus, _, _] = register(P::BumpLuminance.element(index as u16));
                brightness = (l * by + plus).clamp(0.0, 1.0);
            }
        }
        // A bump map stage hands on what it gets.
        if matches!(stage.color_op, 22 | 23) {
            premodulate = [false; 2];
            continue;
        }
        let before = if stage.result_temp != 0 { temp } else { current };
        let arguments = |args: [u8; 3]| {
            args.map(|arg| {
                let mut value = match arg & 15 {
                    0 => pixel.diffuse,
                    1 => current,
                    2 => texel,
                    3 => register(P::TextureFactor.register()),
                    4 => pixel.specular,
                    5 => temp,
                    _ => register(P::StageConstant.element(index as u16)),
                };
                if arg & 0x10 != 0 {
                    value = value.map(|c| 1.0 - c);
                }
                if arg & 0x20 != 0 { [value[3]; 4] } else { value }
            })
        };
        let alphas = [pixel.diffuse[3], texel[3], register(P::TextureFactor.register())[3], current[3]];
        let run = |op: u8, args: [u8; 3]| {
            // An operation on a texture that is not there hands on what it gets.
            let used: &[usize] = match op {
                2 | 17 => &[1],
                3 => &[2],
                4..=16 | 18..=21 | 24 => &[1, 2],
                25 | 26 => &[0, 1, 2],
                _ => &[],
            };
            if stage.texture == 0 && used.iter().any(|i| args[*i] & 15 == 2) {
                return current;
            }
            operation(op, arguments(args), alphas).unwrap_or(before)
        };
        let mut value = run(stage.color_op, stage.color_args);
        if stage.color_op != 24 {
            value[3] = run(stage.alpha_op, stage.alpha_args)[3];
        }
        if stage.result_temp != 0 {
            temp = value;
        } else {
            current = value;
        }
        premodulate = [stage.color_op == 17, stage.alpha_op == 17];
    }
    if key.flags & FixedPixelKey::SPECULAR != 0 {
        (0..3).for_each(|i| current[i] = (current[i] + pixel.specular[i]).clamp(0.0, 1.0));
    }
    current
}

fn lookup(stage: &FixedStage, index: usize, pixel: &Pixel<'_>, shift: [f64; 2]) -> Vector {
    let mut at = pixel.coordinates[index];
    if stage.projected != 0 {
        at = at.map(|c| c / at[3]);
    }
    at[0] += shift[0];
    at[1] += shift[1];
    let flat = !(2..=3).contains(&stage.texture);
    let bound = if flat { pixel.textures[index] } else { 0 };
    let third = if flat { 0.0 } else { at[2] };
    if bound & bound::SHADOW != 0 {
        return [(pixel.compare)(index, at[2]); 4];
    }
    if bound & bound::FETCH4 != 0 {
        let [below_left, below_right, above_right, above_left] = (pixel.gather)(index, [at[0], at[1], third]);
        return [above_right, below_left, below_right, above_left];
    }
    (pixel.texel)(index, [at[0], at[1], third])
}

/// A `D3DTEXTUREOP`, clamped to 0..1; none where the destination stays. `alphas` are those of diffuse, texture, factor and
/// current.
fn operation(op: u8, [a0, a1, a2]: [Vector; 3], alphas: [f64; 4]) -> Option<Vector> {
    let each = |f: &dyn Fn(usize) -> f64| -> Vector { std::array::from_fn(f) };
    let blend = |alpha: f64| each(&|i| a1[i] * alpha + a2[i] * (1.0 - alpha));
    let value = match op {
        2 | 17 => return Some(a1),
        3 => return Some(a2),
        4 => each(&|i| a1[i] * a2[i]),
        5 => each(&|i| a1[i] * a2[i] * 2.0),
        6 => each(&|i| a1[i] * a2[i] * 4.0),
        7 => each(&|i| a1[i] + a2[i]),
        8 => each(&|i| a1[i] + a2[i] - 0.5),
        9 => each(&|i| (a1[i] + a2[i] - 0.5) * 2.0),
        10 => each(&|i| a1[i] - a2[i]),
        11 => each(&|i| a1[i] + a2[i] - a1[i] * a2[i]),
        12..=14 => blend(alphas[usize::from(op - 12)]),
        15 => each(&|i| a1[i] + a2[i] * (1.0 - alphas[1])),
        16 => blend(alphas[3]),
        18 => each(&|i| a1[i] + a1[3] * a2[i]),
        19 => each(&|i| a1[i] * a2[i] + a1[3]),
        20 => each(&|i| (1.0 - a1[3]) * a2[i] + a1[i]),
        21 => each(&|i| (1.0 - a1[i]) * a2[i] + a1[3]),
        24 => [4.0 * (0..3).map(|i| (a1[i] - 0.5) * (a2[i] - 0.5)).sum::<f64>(); 4],
        25 => each(&|i| a0[i] + a1[i] * a2[i]),
        26 => each(&|i| a0[i] * a1[i] + (1.0 - a0[i]) * a2[i]),
        _ => return None,
    };
    Some(clamp(value))
}

/// What render state adds to any pixel shader.
#[derive(Clone, Copy, Debug)]
pub struct Ops {
    /// `D3DCMPFUNC` less one.
    pub alpha_compare: u8,
    pub reference: f64,
    /// `FogMode` of the front end.
    pub fog: u8,
    pub fog_color: Vector,
    /// Start, or density of the exponential modes.
    pub fog_start: f64,
    pub fog_end: f64,
    /// The vertex stage's factor.
    pub vertex_fog: f64,
    pub depth: f64,
    pub w: f64,
    pub srgb: bool,
}

/// Whether the pixel stays, and its colour.
pub fn finish(color: Vector, ops: &Ops) -> (bool, Vector) {
    let (alpha, reference) = (color[3], ops.reference);
    let stays = match ops.alpha_compare {
        0 => false,
        1 => alpha < reference,
        2 => alpha == reference,
        3 => alpha <= reference,
        4 => alpha > reference,
        5 => alpha != reference,
        6 => alpha >= reference,
        _ => true,
    };
    let d = if ops.fog > 4 { ops.w } else { ops.depth };
    let factor = match ops.fog {
        1 | 5 => (-d * ops.fog_start).exp(),
        2 | 6 => (-(d * ops.fog_start).powi(2)).exp(),
        3 | 7 => (ops.fog_end - d) / (ops.fog_end - ops.fog_start),
        4 => ops.vertex_fog,
        _ => 1.0,
    }
    .clamp(0.0, 1.0);
    let fogged: Vector = std::array::from_fn(|i| match i {
        3 => color[3],
        _ => factor * color[i] + (1.0 - factor) * ops.fog_color[i],
    });
    let encode = |c: f64| {
        let c = c.clamp(0.0, 1.0);
        if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
    };
    let color =
        if ops.srgb { std::array::from_fn(|i| if i == 3 { fogged[3] } else { encode(fogged[i]) }) } else { fogged };
    (stays, color)
}
