//! Declares what the shader shares with the outside: function constants, structures of inputs and outputs, arguments.

use std::fmt::Write as _;

use afterimage_abi::metal;
use afterimage_ir::{
    BankSource, Component, Flags, ImageFormat, Imm, Input, InputAt, Interp, Kind, Module, Named, Op, Output, OutputAt,
    Reflection, Spec, Stage, Texture, Type, Uses,
};

use crate::bindings::{
    Attribute, Binding, Place, SAMPLERS, Source, check_bindings, check_threadgroup_memory, image_index, storage_index,
    texture_index,
};
use crate::expr::{literal, type_name};
use crate::names::Names;
use crate::texture_types::{image_type, texture_type};
use crate::{EmitError, Options};

/// Names of what the module declares, as the code writes them; empty where the code does not use it.
#[derive(Default)]
pub(crate) struct Interface {
    pub(crate) bindings: Vec<Binding>,
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
    /// Texture and sampler.
    pub(crate) textures: Vec<(String, String)>,
    /// What is made of their samplers besides.
    pub(crate) made: Vec<Made>,
    /// Storage images.
    pub(crate) images: Vec<String>,
    /// What is asked of the wave.
    lanes: Vec<(Lane, String)>,
    pub(crate) specs: Vec<String>,
    /// Storage buffers, by bank.
    pub(crate) storage: Vec<String>,
    /// The threadgroup's memory.
    pub(crate) shared: String,
    pub(crate) names: Names,
}

/// What is made of a sampler besides.
#[derive(Clone, Default)]
pub(crate) struct Made {
    /// The sampler with a white border, if the border is made.
    pub(crate) white: String,
    /// The first of its two registers.
    pub(crate) register: u32,
    /// Whether a bias is added.
    pub(crate) biased: bool,
    /// Whether red is every channel.
    pub(crate) spread: bool,
    /// Whether the least or greatest texel is taken.
    pub(crate) reduced: bool,
}

/// What a lane can know of its wave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lane {
    /// Its number.
    Index,
    /// How many there are.
    Count,
    /// Its number among four.
    InQuad,
}

impl Lane {
    /// All of them, with their attributes.
    const ALL: [(Lane, Attribute, &'static str); 3] = [
        (Lane::Index, Attribute::ThreadIndexInSimdgroup, "lane"),
        (Lane::Count, Attribute::ThreadsPerSimdgroup, "lanes"),
        (Lane::InQuad, Attribute::ThreadIndexInQuadgroup, "lane_in_quad"),
    ];

    /// What an instruction asks for.
    fn of(op: Op) -> Option<Lane> {
        match op {
            Op::LaneIndex => Some(Lane::Index),
            Op::WaveSize | Op::ReadLane | Op::WaveShuffle => Some(Lane::Count),
            Op::QuadSwizzle => Some(Lane::InQuad),
            _ => None,
        }
    }
}

impl Interface {
    /// The name of what a lane knows of its wave, if the code asks for it.
    pub(crate) fn lane(&self, lane: Lane) -> Option<&str> {
        self.lanes.iter().find(|(other, _)| *other == lane).map(|(_, name)| name.as_str())
    }

    /// Whether the function has a `[[stage_in]]` structure.
    fn has(&self, place: Place) -> bool {
        self.bindings.iter().any(|b| b.place == place)
    }

    /// Whether the function returns something.
    pub(crate) fn returns(&self) -> bool {
        self.has(Place::Output)
    }

    fn bind(&mut self, name: &str, place: Place, attribute: Attribute, lanes: u8, source: Source) {
        self.bindings.push(Binding { name: name.to_owned(), place, attribute, lanes, source });
    }
}

/// Names everything that the code uses, and checks that Metal has room for it.
pub(crate) fn declare(m: &Module, uses: &Uses, options: &Options) -> Result<Interface, EmitError> {
    let mut out = Interface { names: Names::function(&options.entry), ..Interface::default() };
    specs(&mut out, m, uses);
    inputs(&mut out, m, uses)?;
    outputs(&mut out, m, uses)?;
    arguments(&mut out, m, uses, options)?;
    shared(&mut out, m)?;
    check_bindings(&out.bindings)?;
    Ok(out)
}

fn specs(out: &mut Interface, m: &Module, uses: &Uses) {
    for (i, d) in m.specs.iter().enumerate() {
        let mut name = String::new();
        if uses.specs[i] {
            name = out.names.pick(&d.name, "spec");
            // What is set from outside; the code uses the name without the ending, which is that or the default.
            let set = out.names.pick(&format!("{name}_set"), "spec_set");
            out.bind(&set, Place::Program, Attribute::FunctionConstant(d.id), 0, Source::Spec(Spec::new(i)));
        }
        out.specs.push(name);
    }
}

/// Kernels take nothing from other stages, and give them nothing.
fn in_graphics(m: &Module) -> Result<(), EmitError> {
    if m.stage == Stage::Compute { Err(EmitError::Unsupported("location in a kernel")) } else { Ok(()) }
}

fn inputs(out: &mut Interface, m: &Module, uses: &Uses) -> Result<(), EmitError> {
    let mut members = Names::members();
    for (i, d) in m.inputs.iter().enumerate() {
        let source = Source::Input(Input::new(i));
        let mut name = String::new();
        if let InputAt::Location(n) = d.at
            && uses.inputs[i]
        {
            in_graphics(m)?;
            // Whole numbers have but one way.
            let way = |of: usize| interpolation(m.stage, m.inputs[of].interp, m.inputs[of].ty.kind);
            let mut others = (0..i).filter(|&other| uses.inputs[other] && m.inputs[other].at == d.at);
            let same = others.clone().find(|&other| way(other) == way(i) && m.inputs[other].ty == d.ty);
            if let Some(same) = same {
                out.inputs.push(out.inputs[same].clone());
                continue;
            }
            let attribute = match (m.stage, others.next()) {
                (Stage::Vertex, _) => Attribute::Attribute(n.into()),
                (_, None) => Attribute::User(n.into()),
                (_, Some(_)) => Attribute::UserAs(n.into(), d.interp),
            };
            let member = members.pick(&d.name, "in");
            out.bind(&member, Place::Input, attribute, d.ty.lanes, source);
            name = format!("in.{member}");
        }
        out.inputs.push(name);
    }
    Ok(())
}

fn outputs(out: &mut Interface, m: &Module, uses: &Uses) -> Result<(), EmitError> {
    let mut members = Names::members();
    let mut clip = None;
    let mut position = false;
    for (i, d) in m.outputs.iter().enumerate() {
        if !uses.outputs[i] {
            out.outputs.push(String::new());
            continue;
        }
        in_graphics(m)?;
        let attribute = match d.at {
            OutputAt::Location(n) if m.stage == Stage::Vertex => Attribute::User(n.into()),
            OutputAt::Location(n) => Attribute::Color(n.into()),
            OutputAt::Position => Attribute::Position,
            OutputAt::PointSize => Attribute::PointSize,
            OutputAt::FragDepth => Attribute::Depth,
            OutputAt::StencilRef => Attribute::Stencil,
            OutputAt::SampleMask => Attribute::SampleMask,
            OutputAt::SecondColor => Attribute::SecondColor,
            OutputAt::Layer => Attribute::RenderTargetArrayIndex,
            OutputAt::ViewportIndex => Attribute::ViewportArrayIndex,
            OutputAt::ClipDistance(_) => {
                let member = clip.get_or_insert_with(|| {
                    let member = members.pick("clip_distance", "");
                    let count = uses.reflection.clip_distances();
                    out.bind(
                        &member,
                        Place::Output,
                        Attribute::ClipDistance(count.into()),
                        count,
                        Source::ClipDistances,
                    );
                    member
                });
                out.outputs.push(format!("out.{member}"));
                continue;
            }
            OutputAt::CullDistance(_) => return Err(EmitError::Unsupported("cull_distance")),
            // Of the geometry stage alone.
            OutputAt::PrimitiveId => return Err(EmitError::Unsupported("primitive_id")),
        };
        position |= attribute == Attribute::Position;
        let member = members.pick(&d.name, "out");
        out.bind(&member, Place::Output, attribute, d.ty.lanes, Source::Output(Output::new(i)));
        out.outputs.push(format!("out.{member}"));
    }
    // Metal takes no vertex function that returns something but no position.
    if m.stage == Stage::Vertex && out.returns() && !position {
        let member = members.pick("position", "");
        out.bind(&member, Place::Output, Attribute::Position, 4, Source::NoPosition);
    }
    Ok(())
}

fn arguments(out: &mut Interface, m: &Module, uses: &Uses, options: &Options) -> Result<(), EmitError> {
    for (i, d) in m.inputs.iter().enumerate() {
        let (attribute, otherwise) = match d.at {
            InputAt::Location(_) => continue,
            InputAt::VertexIndex => (Attribute::VertexId, "vertex_id"),
            InputAt::InstanceIndex => (Attribute::InstanceId, "instance_id"),
            InputAt::FragCoord => (Attribute::Position, "position"),
            InputAt::FrontFacing => (Attribute::FrontFacing, "front_facing"),
            InputAt::PointCoord => (Attribute::PointCoord, "point_coord"),
            InputAt::SampleId => (Attribute::SampleId, "sample_id"),
            InputAt::SampleMask => (Attribute::SampleMask, "sample_mask"),
            InputAt::PrimitiveId => (Attribute::PrimitiveId, "primitive_id"),
            InputAt::Layer => (Attribute::RenderTargetArrayIndex, "layer"),
            InputAt::ViewportIndex => (Attribute::ViewportArrayIndex, "viewport_index"),
            InputAt::LocalId => (Attribute::ThreadPositionInThreadgroup, "local_id"),
            InputAt::LocalIndex => (Attribute::ThreadIndexInThreadgroup, "local_index"),
            InputAt::WorkgroupId => (Attribute::ThreadgroupPositionInGrid, "workgroup_id"),
            InputAt::WorkgroupCount => (Attribute::ThreadgroupsPerGrid, "workgroup_count"),
            _ if !uses.inputs[i] => continue,
            // Of the geometry stage alone.
            InputAt::Position
            | InputAt::PointSize
            | InputAt::ClipDistance(_)
            | InputAt::CullDistance(_)
            | InputAt::InvocationId => return Err(EmitError::Malformed("an input of the geometry stage")),
        };
        if uses.inputs[i] {
            let name = out.names.pick(&d.name, otherwise);
            out.bind(&name, Place::Argument, attribute, d.ty.lanes, Source::Input(Input::new(i)));
            out.inputs[i] = name;
        }
    }
    if uses.reflection.const_registers() > 0 {
        out.bind("constants", Place::Argument, Attribute::Buffer(metal::CONSTANTS), 0, Source::Constants);
    }
    if uses.reflection.system {
        out.bind("system", Place::Argument, Attribute::Buffer(metal::SYSTEM), 0, Source::System);
    }
    if uses.reflection.feedback {
        out.bind("feedback", Place::Argument, Attribute::Buffer(metal::FEEDBACK), 0, Source::Feedback);
    }
    storage(out, m);
    textures(out, m, uses, options);
    images(out, m, uses)?;
    waves(out, m)
}

/// Textures, with their samplers where something is looked up.
fn textures(out: &mut Interface, m: &Module, uses: &Uses, options: &Options) {
    let mut sampled = vec![false; m.textures.len()];
    m.for_each_inst(|_, data| {
        let looks_up = !matches!(data.op, Op::Fetch | Op::TextureSize | Op::TextureLevels);
        if let Some(texture) = data.imm.texture().filter(|_| looks_up) {
            sampled[texture.index()] = true;
        }
    });
    // Samplers that have no index of their own: kernels have more textures than samplers.
    let (mut extras, mut others) = (false, Vec::new());
    for (i, d) in m.textures.iter().enumerate() {
        // What looks one up in tables is refused where it does.
        if !uses.textures[i] || d.in_tables() {
            out.textures.push(Default::default());
            out.made.push(Made::default());
            continue;
        }
        // Two declarations that say the same are one argument. If they differ, the check finds them.
        if let Some(same) = (0..i).find(|&other| uses.textures[other] && m.textures[other] == *d) {
            out.textures.push(out.textures[same].clone());
            out.made.push(out.made[same].clone());
            continue;
        }
        let (texture, sampler) = (format!("t{}", d.slot), format!("s{}", d.slot));
        let (texture, sampler) = match m.texture_name(Texture::new(i)) {
            Some(decl) => {
                (out.names.pick(&decl.name, &texture), out.names.pick(&format!("{}_sampler", decl.name), &sampler))
            }
            None => (out.names.pick(&texture, ""), out.names.pick(&sampler, "")),
        };
        let index = texture_index(m.stage, d.slot);
        out.bind(&texture, Place::Argument, Attribute::Texture(index), 0, Source::Texture(d.slot));
        let has = |bits: u32| bits.checked_shr(index).unwrap_or(0) & 1 != 0;
        let spread = has(options.samplers.spread) && !d.shadow && d.component == Component::Float;
        let mut made = Made { register: 2 * index, spread, ..Made::default() };
        if (i..m.textures.len()).any(|other| uses.textures[other] && m.textures[other] == *d && sampled[other]) {
            if index < SAMPLERS.count {
                out.bind(&sampler, Place::Argument, Attribute::Sampler(index), 0, Source::Sampler(d.slot));
            } else {
                others.push((sampler.clone(), Source::Sampler(d.slot)));
            }
            made.biased = has(options.samplers.biased);
            if has(options.samplers.bordered) {
                made.white = out.names.pick(&format!("{sampler}_white"), "");
                others.push((made.white.clone(), Source::WhiteSampler(d.slot)));
            }
            // Cubes have no texels beside each other, and integers are not mixed.
            made.reduced =
                has(options.samplers.reduced) && !d.shadow && !d.dim.is_cube() && d.component == Component::Float;
            extras |= made.biased || made.reduced || !made.white.is_empty();
        }
        out.textures.push((texture, sampler));
        out.made.push(made);
    }
    for (name, source) in others {
        let taken = |index: u32| out.bindings.iter().any(|b| b.attribute == Attribute::Sampler(index));
        // Beyond the last one the check finds it.
        let index = (0..SAMPLERS.count).rev().find(|index| !taken(*index)).unwrap_or(SAMPLERS.count);
        out.bind(&name, Place::Argument, Attribute::Sampler(index), 0, source);
    }
    if extras {
        out.bind("samplers", Place::Argument, Attribute::Buffer(metal::SAMPLERS), 0, Source::Samplers);
    }
}

/// Storage images that are accessed.
fn images(out: &mut Interface, m: &Module, uses: &Uses) -> Result<(), EmitError> {
    for (d, [read, written]) in m.images.iter().zip(&uses.images) {
        let mut name = String::new();
        // One whose size alone is asked for is there, too.
        if *read || *written || uses.reflection.images.iter().any(|used| used.decl == *d) {
            if d.dim.is_multisampled() {
                return Err(EmitError::Unsupported("multisampled storage image"));
            }
            if d.format == ImageFormat::R64 {
                return Err(EmitError::Unsupported("image r64"));
            }
            name = out.names.pick(&format!("image{}", d.slot), "");
            let attribute = Attribute::Texture(image_index(d.slot));
            out.bind(&name, Place::Argument, attribute, 0, Source::Image(d.slot));
        }
        out.images.push(name);
    }
    Ok(())
}

/// What lanes ask of their wave.
fn waves(out: &mut Interface, m: &Module) -> Result<(), EmitError> {
    let (mut asked, mut waves) = (Vec::new(), None);
    m.for_each_inst(|_, data| {
        let lane = Lane::of(data.op);
        if lane.is_some() || data.op.has(Flags::WAVE) {
            waves = Some(data.op);
        }
        if let Some(lane) = lane.filter(|lane| !asked.contains(lane)) {
            asked.push(lane);
        }
    });
    if let Some(op) = waves.filter(|_| m.stage == Stage::Vertex) {
        // Vertex functions are told nothing of their simdgroup.
        return Err(EmitError::Unsupported(op.name()));
    }
    for (lane, attribute, name) in Lane::ALL.into_iter().filter(|(lane, ..)| asked.contains(lane)) {
        let name = out.names.pick(name, "");
        out.bind(&name, Place::Argument, attribute, 1, Source::Lane(lane));
        out.lanes.push((lane, name));
    }
    Ok(())
}

fn storage(out: &mut Interface, m: &Module) {
    let mut used = vec![false; m.banks.len()];
    if m.banks.iter().any(|d| d.source == BankSource::Storage) {
        m.for_each_inst(|_, data| {
            if let Imm::Bank(bank, _) = data.imm {
                used[bank.index()] = true;
            }
        });
    }
    for (d, used) in m.banks.iter().zip(used) {
        let mut name = String::new();
        if used && d.source == BankSource::Storage {
            name = out.names.pick(&d.name, "storage");
            out.bind(&name, Place::Argument, Attribute::Buffer(storage_index(d.id)), 0, Source::Storage(d.id));
        }
        out.storage.push(name);
    }
}

/// The memory of the threadgroup, if the code uses it.
fn shared(out: &mut Interface, m: &Module) -> Result<(), EmitError> {
    let mut used = false;
    m.for_each_inst(|_, data| used |= matches!(data.op, Op::LoadShared | Op::StoreShared | Op::AtomicShared));
    if used && m.shared > 0 {
        out.shared = out.names.pick("shared", "");
        check_threadgroup_memory(&out.shared, m.shared)?;
    }
    Ok(())
}

/// Writes text from outside so that it stays part of a comment.
pub(crate) fn comment(text: &mut String, outside: &str) {
    // A backslash at the end of the line, also written as a trigraph, would go on with the comment in the next.
    text.extend(outside.chars().map(|c| if c.is_control() || matches!(c, '\\' | '?') { ' ' } else { c }));
}

/// Says which registers lie where in the constants.
fn write_segments(text: &mut String, m: &Module, reflection: &Reflection) {
    let mut at = 0;
    for (i, segment) in reflection.segments.iter().enumerate() {
        text.push_str(if i == 0 { "\n// constants: " } else { ", " });
        let bank = m.banks.iter().find(|b| b.source == BankSource::Stage && b.id == segment.bank);
        comment(text, bank.map_or("", |b| &b.name));
        let _ = match segment.count {
            1 => write!(text, "[{}] at {at}", segment.first),
            count => write!(text, "[{}..{}] at {at}", segment.first, segment.first + count - 1),
        };
        at += segment.count;
    }
    text.push_str(if at > 0 { "\n" } else { "" });
    write_names(text, m, reflection);
}

/// Says what the source calls the constants.
fn write_names(text: &mut String, m: &Module, reflection: &Reflection) {
    for decl in &m.names {
        let Named::Registers { bank, first, count } = decl.of else { continue };
        let bank = &m.banks[bank.index()];
        let used =
            |register: &u32| bank.source == BankSource::Stage && reflection.const_offset(bank.id, *register).is_some();
        // Where some registers of the name are not read, the others keep their distance within a segment.
        let Some(register) = (first..first + count).find(used) else { continue };
        let at = reflection.const_offset(bank.id, register).unwrap_or_default();
        text.push_str("// ");
        comment(text, &format!("{} {}", decl.ty, decl.name));
        let _ = match register - first {
            0 => writeln!(text, " at {at}"),
            part => writeln!(text, "[{part}..] at {at}"),
        };
    }
}

/// What the attribute of a varying has behind it.
fn interpolation(stage: Stage, interp: Interp, kind: Kind) -> &'static str {
    match interp {
        _ if stage != Stage::Pixel => "",
        // Metal wants integers flat.
        _ if kind != Kind::Float => ", flat",
        Interp::Smooth => "",
        Interp::Centroid => ", centroid_perspective",
        Interp::Linear => ", center_no_perspective",
        Interp::Flat => ", flat",
        Interp::Sample => ", sample_perspective",
    }
}

impl Interface {
    /// Writes all that stands before the function's body.
    pub(crate) fn write(&self, text: &mut String, m: &Module, reflection: &Reflection, options: &Options) {
        let entry = &options.entry;
        self.write_specs(text, m);
        write_segments(text, m, reflection);
        self.write_struct(text, m, entry, Place::Input, "in");
        self.write_struct(text, m, entry, Place::Output, "out");
        let access = |slot| {
            let used = reflection.images.iter().find(|used| used.decl.slot == slot);
            used.map(|used| image_type(&used.decl, [used.read, used.written]))
        };
        let stage = match m.stage {
            Stage::Vertex => "vertex",
            Stage::Compute => "kernel",
            Stage::Pixel | Stage::Geometry => "fragment",
        };
        text.push('\n');
        if m.stage == Stage::Compute {
            let [x, y, z] = m.group;
            let _ = writeln!(text, "// Threads of a threadgroup: {x}, {y}, {z}.");
            let _ = writeln!(text, "[[max_total_threads_per_threadgroup({})]]", x.saturating_mul(y).saturating_mul(z));
        }
        let start = text.len();
        let _ = match self.returns() {
            true => write!(text, "{stage} {entry}_out {entry}("),
            false => write!(text, "{stage} void {entry}("),
        };
        let indent = text.len() - start;
        let mut first = true;
        let mut next = |text: &mut String| {
            if !std::mem::take(&mut first) {
                let _ = write!(text, ",\n{:indent$}", "");
            }
        };
        if self.has(Place::Input) {
            next(text);
            let _ = write!(text, "{entry}_in in [[stage_in]]");
        }
        for b in self.bindings.iter().filter(|b| b.place == Place::Argument) {
            let ty: String = match b.source {
                Source::Input(input) => type_name(m.inputs[input.index()].ty).into(),
                Source::Constants | Source::System | Source::Samplers => "constant float4*".into(),
                Source::Feedback => "constant uint4*".into(),
                Source::Storage(_) => "device const uint4*".into(),
                Source::Texture(slot) => match m.textures.iter().find(|d| d.slot == slot) {
                    Some(d) => texture_type(d),
                    None => continue,
                },
                Source::Image(slot) => match access(slot) {
                    Some(ty) => ty,
                    None => continue,
                },
                Source::Lane(_) => "uint".into(),
                Source::Sampler(_) | Source::WhiteSampler(_) => "sampler".into(),
                Source::Spec(_) | Source::Output(_) | Source::NoPosition | Source::ClipDistances => continue,
            };
            next(text);
            let _ = write!(text, "{ty} {} [[{}]]", b.name, b.attribute);
        }
        text.push_str(")\n");
    }

    fn write_specs(&self, text: &mut String, m: &Module) {
        for b in &self.bindings {
            let Source::Spec(spec) = b.source else { continue };
            let d = &m.specs[spec.index()];
            let (set, name) = (&b.name, &self.specs[spec.index()]);
            let ty = type_name(Type::new(d.kind, 1));
            let _ = writeln!(text, "\nconstant {ty} {set} [[{}]];", b.attribute);
            let _ = write!(text, "constant {ty} {name} = is_function_constant_defined({set}) ? {set} : ");
            literal(text, d.kind, d.default);
            text.push_str(";\n");
        }
    }

    fn write_struct(&self, text: &mut String, m: &Module, entry: &str, place: Place, ending: &str) {
        if !self.has(place) {
            return;
        }
        let _ = writeln!(text, "\nstruct {entry}_{ending}\n{{");
        for b in self.bindings.iter().filter(|b| b.place == place) {
            let (ty, more) = match b.source {
                Source::Input(input) => {
                    let d = &m.inputs[input.index()];
                    (type_name(d.ty), interpolation(m.stage, d.interp, d.ty.kind))
                }
                Source::Output(output) => (type_name(m.outputs[output.index()].ty), ""),
                Source::NoPosition => ("float4", ""),
                _ => ("float", ""),
            };
            // Programs draw the same geometry with different shaders and compare depths for equality.
            let more = if b.attribute == Attribute::Position { ", invariant" } else { more };
            let _ = write!(text, "    {ty} {} [[{}{more}]]", b.name, b.attribute);
            if let Attribute::ClipDistance(count) = b.attribute {
                let _ = write!(text, " [{count}]");
            }
            text.push_str(";\n");
        }
        text.push_str("};\n");
    }
}
