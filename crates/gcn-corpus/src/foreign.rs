//! Shaders of others as programs of a corpus: the header that says what one reads and writes, and the stages that it needs beside it.

use crate::Stage;
use crate::pattern::{Pattern, mixed};
use crate::reflect::{Bound, Descriptor, Interface, Scalar, Texels, Varying, Word, Words};
use std::fmt::Write as _;

/// Descriptors of an array without a length.
const RUNTIME: u32 = 4;
/// Descriptors of an array at most.
const MOST_DESCRIPTORS: u32 = 64;
/// Elements of a runtime array, and its bytes at most.
const ELEMENTS: usize = 1024;
const MOST_BYTES: usize = 64 << 10;
/// Texels of a buffer.
const TEXELS: u32 = 256;
/// Bytes of push constants that every device has room for.
const PUSH: usize = 256;

/// Capabilities of shaders that write what depends on the size of waves: `GroupNonUniform` and those of its kind, the older ones of
/// extensions, derivatives in compute shaders.
const WAVES: [u32; 14] = [61, 62, 63, 64, 65, 66, 67, 68, 4423, 4431, 5288, 5297, 5350, 6026];

/// Storage image formats by their number in SPIR-V.
const FORMATS: [&str; 40] = [
    "",
    "rgba32f",
    "rgba16f",
    "r32f",
    "rgba8",
    "rgba8snorm",
    "rg32f",
    "rg16f",
    "r11g11b10f",
    "r16f",
    "rgba16",
    "rgb10a2",
    "rg16",
    "rg8",
    "r16",
    "r8",
    "rgba16snorm",
    "rg16snorm",
    "rg8snorm",
    "r16snorm",
    "r8snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "r32i",
    "rg32i",
    "rg16i",
    "rg8i",
    "r16i",
    "r8i",
    "rgba32ui",
    "rgba16ui",
    "rgba8ui",
    "r32ui",
    "rgb10a2ui",
    "rg32ui",
    "rg16ui",
    "rg8ui",
    "r16ui",
    "r8ui",
];

/// `ExecutionModel`s in the order of [`Stage`], which is SPIR-V's.
pub fn stage(interface: &Interface) -> Option<Stage> {
    Stage::ALL.get(interface.model as usize).copied()
}

/// The words `typed ...` of a header.
fn typed(words: &Words) -> String {
    let mask = |words: &[Word]| {
        let integers = words.iter().take(64).enumerate().filter(|(_, word)| **word == Word::Integer);
        integers.fold(0u64, |mask, (at, _)| mask | 1 << at)
    };
    let all = || words.fixed.iter().chain(&words.repeated);
    if all().any(|word| *word == Word::Double) {
        return "double".to_owned();
    }
    if all().any(|word| *word == Word::Halves) && !all().any(|word| *word == Word::Integer) {
        return "halves".to_owned();
    }
    let (fixed, period) = (words.fixed.len(), words.repeated.len().max(1));
    format!("typed {fixed} {:#x} {period} {:#x}", mask(&words.fixed), mask(&words.repeated))
}

fn bytes(words: &Words) -> usize {
    let repeated = words.repeated.len() * 4;
    let elements = MOST_BYTES.checked_div(repeated).map_or(0, |room| room.clamp(4, ELEMENTS));
    (words.fixed.len() * 4 + elements * repeated).max(4)
}

fn image_format(texels: &Texels) -> Result<&'static str, String> {
    let plain = match texels.scalar {
        Scalar::Int => "rgba32i",
        Scalar::Uint => "rgba32ui",
        Scalar::Float if texels.storage => "rgba32f",
        Scalar::Float if texels.depth => "d32",
        Scalar::Float => "rgba8",
        Scalar::Double => return Err("images of doubles".to_owned()),
    };
    match texels.format {
        0 => Ok(plain),
        format => FORMATS.get(format as usize).copied().ok_or_else(|| format!("storage images of format {format}")),
    }
}

fn contents(format: &str) -> &'static str {
    match format {
        "r32f" | "rg32f" | "rgba32f" => "float",
        "r16f" | "rg16f" | "rgba16f" => "halves",
        "d32" => "unit",
        name if name.ends_with("32ui") || name.ends_with("32i") => "below 200",
        _ => "random",
    }
}

fn descriptor(interface: &Interface, descriptor: &Descriptor) -> Result<(String, String), String> {
    let sampler = if interface.compares { "nearest repeat compare" } else { "nearest repeat" };
    Ok(match &descriptor.of {
        Bound::Buffer(words) => ("buffer".to_owned(), format!("{} {}", bytes(words), typed(words))),
        Bound::Uniform(words) => ("uniform".to_owned(), format!("{} {}", bytes(words).min(MOST_BYTES), typed(words))),
        Bound::Sampler => ("sampler".to_owned(), sampler.to_owned()),
        Bound::Other => return Err("descriptors of something that GCN does not have".to_owned()),
        Bound::Image(texels) => {
            let format = image_format(texels)?;
            let pattern = contents(format);
            if texels.dim == 5 {
                let kind = if texels.storage { "texel_image" } else { "texels" };
                let format = if format == "rgba8" && !texels.storage { "rgba32f" } else { format };
                return Ok((kind.to_owned(), format!("{format} {TEXELS} {}", contents(format))));
            }
            let (shape, size, layers) = match (texels.dim, texels.arrayed, texels.multisampled) {
                (0, false, _) => ("1d", "64", 1),
                (0, true, _) => ("1darray", "64", 4),
                (1 | 4 | 6, false, false) => ("2d", "32x32", 1),
                (1 | 6, true, false) => ("2darray", "32x32", 4),
                (1 | 6, false, true) => ("2dsamples", "32x32", 1),
                (1 | 6, true, true) => ("2dsamplesarray", "32x32", 4),
                (2, ..) => ("3d", "8x8x8", 1),
                (3, arrayed, _) => ("cube", "16x16", if arrayed { 12 } else { 6 }),
                (dim, ..) => return Err(format!("images of dimension {dim}")),
            };
            let image = format!("{shape} {format} {size} {layers}");
            let levels = if texels.storage || texels.multisampled || texels.dim == 6 { 1 } else { 2 };
            match (texels.storage, texels.combined, texels.dim) {
                (_, _, 6) => ("input".to_owned(), format!("1 {image} {pattern}")),
                (true, ..) => ("image".to_owned(), format!("{image} {pattern}")),
                (_, false, _) => ("sampled".to_owned(), format!("{levels} {image} {pattern}")),
                (_, true, _) => {
                    let compare = if texels.depth && interface.compares { " compare" } else { "" };
                    ("texture".to_owned(), format!("{levels} {image} nearest repeat{compare} {pattern}"))
                }
            }
        }
    })
}

/// The lines of a program's header, without what vertices are drawn.
///
/// # Errors
/// What no header can say.
pub fn header(interface: &Interface, name: &str) -> Result<String, String> {
    let mut out = format!("//! about Somebody else's: {name}.\n");
    if stage(interface) == Some(Stage::Comp) {
        let [x, y, z] = interface.threads.map(|threads| if threads > 1 { 2 } else { 1 });
        let x = if interface.threads == [1; 3] { 4 } else { x };
        let waves = interface.capabilities.iter().any(|capability| WAVES.contains(capability));
        let compare = if waves { "translated" } else { "near 1e-4" };
        let _ = writeln!(out, "//! groups {x} {y} {z}\n//! compare {compare}");
    }
    for bound in &interface.descriptors {
        let (kind, rest) = descriptor(interface, bound)?;
        let count = if bound.count == 0 { RUNTIME } else { bound.count };
        if count > MOST_DESCRIPTORS {
            return Err(format!("an array of {count} descriptors"));
        }
        let (set, binding) = (bound.set, bound.binding);
        for element in 0..count {
            let _ = writeln!(out, "//! {kind} {set}.{binding}[{element}] {rest}");
        }
    }
    let push = Words { fixed: interface.push.iter().copied().take(PUSH / 4).collect(), repeated: Vec::new() };
    if !push.fixed.is_empty() {
        let words = (0..push.fixed.len() as u32).map(|at| {
            let integer = push.fixed[at as usize] == Word::Integer;
            let pattern = Pattern::Typed { fixed: 0, integers: 0, period: 1, repeated: integer.into() };
            format!(" {:#x}", pattern.word(mixed(1), at))
        });
        let _ = writeln!(out, "//! push{}", words.collect::<String>());
    }
    Ok(out)
}

fn glsl(varying: &Varying) -> String {
    let (scalar, vector) = match varying.scalar {
        Scalar::Float => ("float", "vec"),
        Scalar::Int => ("int", "ivec"),
        Scalar::Uint => ("uint", "uvec"),
        Scalar::Double => ("double", "dvec"),
    };
    if varying.count == 1 { scalar.to_owned() } else { format!("{vector}{}", varying.count) }
}

/// The declaration of a varying; `array` stands behind its name.
fn declared(varying: &Varying, way: &str, name: &str, array: &str) -> String {
    let flat = varying.scalar != Scalar::Float || varying.flat;
    let flat = if flat && !varying.patch && name != "attribute" { "flat " } else { "" };
    let patch = if varying.patch { "patch " } else { "" };
    let array = if varying.patch { "" } else { array };
    let Varying { location, component, .. } = *varying;
    let component = if component == 0 { String::new() } else { format!(", component = {component}") };
    let kind = glsl(varying);
    let (number, part) = (location, varying.component);
    format!(
        "layout(location = {location}{component}) {patch}{flat}{way} {kind} {name}{number}_{part}{p}{array};\n",
        p = if varying.patch { "p" } else { "" }
    )
}

fn name(varying: &Varying) -> String {
    format!("v{}_{}{}", varying.location, varying.component, if varying.patch { "p" } else { "" })
}

const HEAD: &str = "#version 460\n";

/// A vertex shader that writes what the next stage reads.
fn vertex(wanted: &[Varying]) -> String {
    let outputs: String = wanted.iter().map(|varying| declared(varying, "out", "v", "")).collect();
    let mut body = "    int n = gl_VertexIndex;\n    gl_Position = vec4(float(n & 1) * 4.0 - 1.0, float(n >> 1 & 1) * 4.0 - 1.0, 0.5, 1.0);\n    gl_PointSize = 1.0;\n".to_owned();
    for varying in wanted {
        let _ = writeln!(body, "    {} = {}(n + {});", name(varying), glsl(varying), varying.location);
    }
    format!("{HEAD}{outputs}void main() {{\n{body}}}\n")
}

/// A fragment shader that reads what the last stage writes.
fn fragment(written: &[Varying]) -> String {
    let inputs: String = written.iter().map(|varying| declared(varying, "in", "v", "")).collect();
    let mut body = "    vec4 sum = vec4(0.0);\n".to_owned();
    for varying in written {
        let name = name(varying);
        let scalar = if varying.count == 1 { name } else { format!("{name}.x + {name}.y") };
        let _ = writeln!(body, "    sum += vec4(float({scalar}));");
    }
    format!("{HEAD}{inputs}layout(location = 0) out vec4 color;\nvoid main() {{\n{body}    color = sum;\n}}\n")
}

fn control(wanted: &[Varying], corners: u32) -> String {
    let outputs: String = wanted.iter().map(|varying| declared(varying, "out", "v", "[]")).collect();
    let mut body = "    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n    gl_TessLevelOuter = float[4](2.0, 2.0, 2.0, 2.0);\n    gl_TessLevelInner = float[2](2.0, 2.0);\n".to_owned();
    for varying in wanted {
        let (name, kind) = (name(varying), glsl(varying));
        let index = if varying.patch { "" } else { "[gl_InvocationID]" };
        let _ = writeln!(body, "    {name}{index} = {kind}(gl_InvocationID + {});", varying.location);
    }
    format!("{HEAD}layout(vertices = {corners}) out;\n{outputs}void main() {{\n{body}}}\n")
}

fn evaluation(written: &[Varying]) -> String {
    let inputs: String = written.iter().map(|varying| declared(varying, "in", "v", "[]")).collect();
    let mut body =
        "    vec4 sum = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y;\n".to_owned();
    for varying in written {
        let name = if varying.patch { name(varying) } else { format!("{}[0]", name(varying)) };
        let scalar = if varying.count == 1 { name } else { format!("{name}.x + {name}.y") };
        let _ = writeln!(body, "    sum += vec4(float({scalar}));");
    }
    format!("{HEAD}layout(triangles) in;\n{inputs}void main() {{\n{body}    gl_Position = sum;\n}}\n")
}

/// The corners of a patch, as a control shader says, or three.
fn corners(interface: &Interface) -> u32 {
    const OUTPUT_VERTICES: u32 = 26;
    let mode = interface.modes.iter().find(|(mode, _)| *mode == OUTPUT_VERTICES);
    mode.and_then(|(_, operands)| operands.first().copied()).unwrap_or(3).clamp(1, 32)
}

/// The other stages that a stage is drawn with, as GLSL, and the lines of the header about the draw.
///
/// # Errors
/// What no vertex or target can be.
pub fn companions(interface: &Interface) -> Result<(Vec<(Stage, String)>, String), String> {
    let Interface { inputs, outputs, modes, .. } = interface;
    let mode = |wanted: u32| modes.iter().any(|(mode, _)| *mode == wanted);
    let mut lines = format!("//! draw 3 1\n//! tested {}\n", stage(interface).map_or("", Stage::extension));
    let color = "//! target rgba8\n";
    let stages = match stage(interface) {
        Some(Stage::Vert) => {
            let mut offset = 0;
            for varying in inputs {
                let format = match varying.scalar {
                    Scalar::Float => "rgba32f",
                    Scalar::Int => "rgba32i",
                    Scalar::Uint => "rgba32ui",
                    Scalar::Double => return Err("vertex attributes of doubles".to_owned()),
                };
                let _ = writeln!(lines, "//! attribute {} {format} 0 {offset}", varying.location);
                offset += 16;
            }
            if offset > 0 {
                let _ = writeln!(lines, "//! vertices 0 {offset} vertex 3 float");
            }
            lines += color;
            vec![(Stage::Frag, fragment(outputs))]
        }
        Some(Stage::Tesc) => {
            let _ = writeln!(lines, "{color}//! patch {}", corners(interface));
            vec![(Stage::Vert, vertex(inputs)), (Stage::Tese, evaluation(outputs)), (Stage::Frag, fragment(&[]))]
        }
        Some(Stage::Tese) => {
            let _ = writeln!(lines, "{color}//! patch 3");
            vec![(Stage::Vert, vertex(&[])), (Stage::Tesc, control(inputs, 3)), (Stage::Frag, fragment(outputs))]
        }
        Some(Stage::Geom) => {
            // InputPoints, InputLines, InputLinesAdjacency, InputTrianglesAdjacency.
            let topologies = [(19, "points"), (20, "lines"), (21, "lines_adjacency"), (23, "triangles_adjacency")];
            let topology = topologies.iter().find(|row| mode(row.0)).map_or("triangles", |row| row.1);
            let _ = writeln!(lines, "{color}//! topology {topology}");
            vec![(Stage::Vert, vertex(inputs)), (Stage::Frag, fragment(outputs))]
        }
        Some(Stage::Frag) => {
            let count = outputs.iter().filter(|output| !output.second).map(|output| output.location + 1).max();
            for location in 0..count.unwrap_or(0).min(8) {
                let output = outputs.iter().find(|output| output.location == location);
                let format = match output.map(|output| output.scalar) {
                    Some(Scalar::Int) => "rgba32i",
                    Some(Scalar::Uint) => "rgba32ui",
                    _ => "rgba16f",
                };
                let _ = writeln!(lines, "//! target {format}");
            }
            if outputs.iter().any(|output| output.second) {
                lines += "//! dual_source\n";
            }
            if interface.depth {
                lines += "//! depth\n";
            }
            vec![(Stage::Vert, vertex(inputs))]
        }
        Some(Stage::Comp) => return Ok((Vec::new(), String::new())),
        None => return Err(format!("execution model {}", interface.model)),
    };
    Ok((stages, lines))
}
