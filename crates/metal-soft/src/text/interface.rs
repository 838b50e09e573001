//! What a function takes and gives.

use super::parse::{Declared, Function, Program};
use crate::call::{IN, OUT};

/// A component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    /// `float` or `half`.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    UInt,
    /// `bool`.
    Bool,
}

/// A scalar or vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Type {
    pub(crate) scalar: Scalar,
    pub(crate) lanes: u8,
}

impl Type {
    /// By its name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let name = name.strip_prefix("packed_").unwrap_or(name);
        let (base, lanes) = match name.as_bytes().last()? {
            digit @ b'2'..=b'4' => (&name[..name.len() - 1], digit - b'0'),
            _ => (name, 1),
        };
        let scalar = match base {
            "float" | "half" => Scalar::Float,
            "int" | "short" | "char" => Scalar::Int,
            "uint" | "ushort" | "uchar" | "uint8_t" | "uint16_t" | "uint32_t" => Scalar::UInt,
            "bool" => Scalar::Bool,
            _ => return None,
        };
        Some(Self { scalar, lanes })
    }
}

/// What pipelines call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    Vertex,
    Fragment,
    Kernel,
}

/// `[[attribute(n)]]`, in the order of the words.
#[derive(Clone, Debug)]
pub(crate) struct VertexAttribute {
    pub(crate) location: u32,
    pub(crate) ty: Type,
    pub(crate) name: String,
}

/// How an input of fragments comes of the vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Interpolation {
    Flat,
    Linear { at: At },
    Perspective { at: At },
}

/// Where in a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum At {
    Center,
    Centroid,
    Sample,
}

/// What fragments take of vertices.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// `user(...)`, or the member's name.
    pub(crate) key: String,
    pub(crate) ty: Type,
    pub(crate) interpolation: Interpolation,
}

/// What vertices give to fragments.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) key: String,
    pub(crate) ty: Type,
}

/// `[[color(n)]]` that is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ColorOutput {
    pub(crate) target: u32,
    /// `index(1)`: the second source of blending.
    pub(crate) second: bool,
    pub(crate) ty: Type,
}

/// A buffer argument.
#[derive(Clone, Debug)]
pub(crate) struct BufferArgument {
    pub(crate) index: u32,
    pub(crate) name: String,
    /// In the constant address space.
    pub(crate) constant: bool,
    /// The function can write it.
    pub(crate) writable: bool,
    /// The body has its name.
    pub(crate) used: bool,
    /// The argument's type, for C++.
    pub(crate) full: String,
}

/// The shape of a texture argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    D1,
    D2,
    D2Array,
    D2Multisample,
    D2MultisampleArray,
    Cube,
    CubeArray,
    D3,
}

/// What is done with a texture argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    Sample,
    Read,
    Write,
    ReadWrite,
}

/// A texture argument.
#[derive(Clone, Debug)]
pub(crate) struct TextureArgument {
    pub(crate) index: u32,
    pub(crate) count: u32,
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) scalar: Scalar,
    pub(crate) depth: bool,
    pub(crate) access: Access,
    pub(crate) used: bool,
}

/// What a function takes and gives.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    pub(crate) stage: Stage,
    pub(crate) name: String,
    pub(crate) buffers: Vec<BufferArgument>,
    pub(crate) textures: Vec<TextureArgument>,
    /// Index, name, and whether the body has it.
    pub(crate) samplers: Vec<(u32, String, bool)>,
    pub(crate) attributes: Vec<VertexAttribute>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) position: bool,
    pub(crate) point_size: bool,
    pub(crate) clip_distances: u32,
    pub(crate) layer: bool,
    /// It gives the viewport.
    pub(crate) viewport: bool,
    pub(crate) colors: Vec<ColorOutput>,
    /// What the function reads of targets.
    pub(crate) color_inputs: Vec<u32>,
    /// `[[depth(...)]]` is returned.
    pub(crate) depth: bool,
    pub(crate) stencil: bool,
    pub(crate) sample_mask: bool,
    /// Runs for each sample.
    pub(crate) per_sample: bool,
    /// `[[early_fragment_tests]]`.
    pub(crate) early_tests: bool,
    pub(crate) discards: bool,
    /// What it does can be seen elsewhere than in targets.
    pub(crate) side_effects: bool,
    /// `[[max_total_threads_per_threadgroup(n)]]`.
    pub(crate) max_threads: Option<u32>,
    /// Something that is returned at all.
    pub(crate) returns: bool,
}

/// What is wrong with a text.
pub(super) type Problem = String;

fn interpolation(of: &Declared, ty: Type) -> Interpolation {
    let has = |name: &str| of.attribute(name).is_some();
    if has("flat") || ty.scalar != Scalar::Float {
        Interpolation::Flat
    } else if has("center_no_perspective") {
        Interpolation::Linear { at: At::Center }
    } else if has("centroid_no_perspective") {
        Interpolation::Linear { at: At::Centroid }
    } else if has("sample_no_perspective") {
        Interpolation::Linear { at: At::Sample }
    } else if has("centroid_perspective") {
        Interpolation::Perspective { at: At::Centroid }
    } else if has("sample_perspective") {
        Interpolation::Perspective { at: At::Sample }
    } else {
        Interpolation::Perspective { at: At::Center }
    }
}

fn texture(of: &Declared, index: u32, used: bool) -> Result<TextureArgument, Problem> {
    let mut ty = of.ty.as_str();
    let mut count = 1;
    if let Some(inside) = ty.strip_prefix("array<").and_then(|t| t.strip_suffix('>')) {
        let (inner, number) = inside.rsplit_once(',').ok_or("an array of textures has a number")?;
        count = number.parse().map_err(|_| format!("`{number}` is no number of textures"))?;
        ty = inner;
    }
    let problem = || format!("`{}` is no texture that the software Metal knows", of.ty);
    let (name, arguments) = ty.split_once('<').ok_or_else(problem)?;
    let arguments = arguments.trim_end_matches('>');
    let (scalar, access) = arguments.split_once(',').unwrap_or((arguments, ""));
    let depth = name.starts_with("depth");
    let (shape, access_unless_said) = match name.trim_start_matches("texture").trim_start_matches("depth") {
        "1d" => (Shape::D1, Access::Sample),
        "2d" => (Shape::D2, Access::Sample),
        "2d_array" => (Shape::D2Array, Access::Sample),
        "2d_ms" => (Shape::D2Multisample, Access::Read),
        "2d_ms_array" => (Shape::D2MultisampleArray, Access::Read),
        "cube" => (Shape::Cube, Access::Sample),
        "cube_array" => (Shape::CubeArray, Access::Sample),
        "3d" => (Shape::D3, Access::Sample),
        _ => return Err(problem()),
    };
    let access = match access.trim_start_matches("access") {
        "" => access_unless_said,
        "sample" => Access::Sample,
        "read" => Access::Read,
        "write" => Access::Write,
        "read_write" => Access::ReadWrite,
        _ => return Err(problem()),
    };
    let scalar = Type::of(scalar).ok_or_else(problem)?.scalar;
    Ok(TextureArgument { index, count, name: of.name.clone(), shape, scalar, depth, access, used })
}

impl Interface {
    /// Of a function of a program.
    pub(crate) fn of<'a>(program: &'a Program, name: &str) -> Result<(Self, &'a Function), Problem> {
        let function = program.functions.iter().find(|f| f.name == name);
        let function = function.ok_or_else(|| format!("there is no function `{name}`"))?;
        let stage = match function.stage.as_str() {
            "vertex" => Stage::Vertex,
            "fragment" => Stage::Fragment,
            _ => Stage::Kernel,
        };
        let calls = |word: &str| program.words.iter().any(|w| w == word);
        let attribute = |name: &str| function.attributes.iter().find(|a| a.name == name);
        let mut out = Self {
            stage,
            name: name.to_owned(),
            buffers: Vec::new(),
            textures: Vec::new(),
            samplers: Vec::new(),
            attributes: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            position: false,
            point_size: false,
            clip_distances: 0,
            layer: false,
            viewport: false,
            colors: Vec::new(),
            color_inputs: Vec::new(),
            depth: false,
            stencil: false,
            sample_mask: false,
            per_sample: false,
            early_tests: attribute("early_fragment_tests").is_some(),
            discards: calls("discard_fragment"),
            // What is reached by address comes of a number.
            side_effects: calls("reinterpret_cast"),
            max_threads: attribute("max_total_threads_per_threadgroup").and_then(|a| a.number()),
            returns: function.returns != "void",
        };
        for argument in &function.arguments {
            out.argument(program, function, argument)?;
        }
        out.results(program, function)?;
        Ok((out, function))
    }

    fn argument(&mut self, program: &Program, function: &Function, of: &Declared) -> Result<(), Problem> {
        let used = function.body.contains(&of.name);
        if of.attribute("stage_in").is_some() {
            let members = program.structs.iter().find(|s| s.name == of.ty);
            let members = members.ok_or_else(|| format!("`{}` is no structure of the text", of.ty))?;
            for member in &members.members {
                self.input(member)?;
            }
            return Ok(());
        }
        let number = |name: &str| {
            of.attribute(name).map(|a| a.number().ok_or_else(|| format!("`{}` has no number in [[{name}]]", of.name)))
        };
        if let Some(index) = number("buffer") {
            let constant = of.full.split(' ').any(|w| w == "constant");
            let writable = !constant && !of.full.split(' ').any(|w| w == "const");
            self.side_effects |= writable;
            let (name, full) = (of.name.clone(), of.full.clone());
            let full = if of.array.is_some() { full.replace('&', "*") } else { full };
            self.buffers.push(BufferArgument { index: index?, name, constant, writable, used, full });
        } else if let Some(index) = number("texture") {
            let texture = texture(of, index?, used)?;
            self.side_effects |= matches!(texture.access, Access::Write | Access::ReadWrite);
            self.textures.push(texture);
        } else if let Some(index) = number("sampler") {
            self.samplers.push((index?, of.name.clone(), used));
        } else if of.attribute("threadgroup").is_some() {
            return Err(format!("`{}`: the software Metal has no threadgroup arguments", of.name));
        } else if !of.attributes.is_empty() {
            self.input(of)?;
        } else {
            return Err(format!("`{}` has no attribute", of.name));
        }
        Ok(())
    }

    /// A member of `stage_in`, or an argument that is as good as one.
    fn input(&mut self, of: &Declared) -> Result<(), Problem> {
        match built_in(of) {
            Some("color") => {
                let number = of.attribute("color").and_then(|a| a.number()).unwrap_or(0);
                self.color_inputs.push(number);
                return Ok(());
            }
            Some("sample_id") => self.per_sample = true,
            None => {
                let problem = || format!("`{}` of type `{}` is no scalar or vector", of.name, of.ty);
                let ty = Type::of(&of.ty).filter(|_| of.array.is_none()).ok_or_else(problem)?;
                match (self.stage, of.attribute("attribute")) {
                    (Stage::Vertex, Some(attribute)) => {
                        let location = attribute.number().ok_or("[[attribute]] has a number")?;
                        self.attributes.push(VertexAttribute { location, ty, name: of.name.clone() });
                    }
                    (Stage::Fragment, _) => {
                        let interpolation = interpolation(of, ty);
                        self.per_sample |= matches!(
                            interpolation,
                            Interpolation::Linear { at: At::Sample } | Interpolation::Perspective { at: At::Sample }
                        );
                        self.inputs.push(Input { key: key(of), ty, interpolation });
                    }
                    _ => return Err(format!("`{}` is no input of this stage", of.name)),
                }
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn results(&mut self, program: &Program, function: &Function) -> Result<(), Problem> {
        if !self.returns {
            return Ok(());
        }
        let members = match program.structs.iter().find(|s| s.name == function.returns) {
            Some(found) => found.members.clone(),
            None => vec![Declared {
                ty: function.returns.clone(),
                name: function.name.clone(),
                attributes: function.attributes.clone(),
                ..Declared::default()
            }],
        };
        let alone = !program.structs.iter().any(|s| s.name == function.returns);
        for of in &members {
            self.result(of, alone)?;
        }
        Ok(())
    }

    fn result(&mut self, of: &Declared, alone: bool) -> Result<(), Problem> {
        let problem = || format!("`{}` of type `{}` cannot be returned", of.name, of.ty);
        let ty = Type::of(&of.ty).ok_or_else(problem)?;
        match (self.stage, built_in(of)) {
            (Stage::Vertex, Some("position")) => self.position = true,
            (Stage::Vertex, Some("point_size")) => self.point_size = true,
            (Stage::Vertex, Some("clip_distance")) => {
                let count = of.array.as_deref().map_or(Ok(u32::from(ty.lanes)), str::parse);
                self.clip_distances = count.map_err(|_| problem())?;
            }
            (Stage::Vertex, Some("render_target_array_index")) => self.layer = true,
            (Stage::Vertex, Some("viewport_array_index")) => self.viewport = true,
            (Stage::Vertex, None) if alone => self.position = true,
            (Stage::Vertex, None) if of.array.is_none() => self.outputs.push(Output { key: key(of), ty }),
            (Stage::Fragment, Some("depth")) => self.depth = true,
            (Stage::Fragment, Some("stencil")) => self.stencil = true,
            (Stage::Fragment, Some("sample_mask")) => self.sample_mask = true,
            (Stage::Fragment, Some("color")) => {
                let target = of.attribute("color").and_then(|a| a.number()).ok_or("[[color]] has a number")?;
                let second = of.attribute("index").and_then(|a| a.number()) == Some(1);
                self.colors.push(ColorOutput { target, second, ty });
            }
            (Stage::Fragment, None) if alone => self.colors.push(ColorOutput { target: 0, second: false, ty }),
            _ => return Err(problem()),
        }
        if self.colors.iter().any(|c| c.target > 7) || self.outputs.len() > OUT || self.inputs.len() > IN {
            return Err(format!("`{}`: too many", of.name));
        }
        Ok(())
    }
}

/// What vertex and fragment functions know an input by.
fn key(of: &Declared) -> String {
    of.attribute("user").and_then(|a| a.arguments.first()).unwrap_or(&of.name).clone()
}

/// The attribute of something that is no member's own.
pub(super) fn built_in(of: &Declared) -> Option<&str> {
    const NAMES: [&str; 30] = [
        "position",
        "point_size",
        "clip_distance",
        "render_target_array_index",
        "viewport_array_index",
        "vertex_id",
        "instance_id",
        "base_vertex",
        "base_instance",
        "front_facing",
        "point_coord",
        "primitive_id",
        "sample_id",
        "sample_mask",
        "color",
        "depth",
        "stencil",
        "thread_position_in_grid",
        "thread_position_in_threadgroup",
        "thread_index_in_threadgroup",
        "threadgroup_position_in_grid",
        "threadgroups_per_grid",
        "threads_per_threadgroup",
        "threads_per_grid",
        "thread_index_in_simdgroup",
        "simdgroup_index_in_threadgroup",
        "threads_per_simdgroup",
        "thread_execution_width",
        "dispatch_threads_per_threadgroup",
        "thread_index_in_quadgroup",
    ];
    of.attributes.iter().map(|a| a.name.as_str()).find(|name| NAMES.contains(name))
}
