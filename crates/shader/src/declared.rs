//! What stands behind each thing that a shader declares, and the check that none asks for more.
//!
//! A guest's code is translated by us, and its translation declares what the receiver has. IR text and SPIR-V come as they are, from
//! captures and from strangers over shared memory: what they declare is checked against what is there, one [row](ROWS) for each kind of
//! declaration, which `docs/ir.md` repeats. The suite `crates/vulkan/tests/strangers.rs` tries each row at its bound and past it.

use afterimage_abi::slots;
use afterimage_ir::{
    BankDecl, BankSource, Component, Dim, IMAGE_SLOTS, ImageFormat, InputAt, Kind, Module, OutputAt, Stage,
    TEXTURE_SLOTS,
};
use std::fmt;

/// A constant bank of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankBehind {
    /// Registers of 16 bytes.
    pub registers: u32,
    /// Stages whose constants are copied when it changes. A geometry shader's are those of the vertex stage.
    pub stages: &'static [Stage],
}

/// What a receiver has behind declarations: numbers of its own and of its device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// Constant banks, by number. Banks that hold addresses have no registers here: they are a guest's translation's alone.
    pub banks: Vec<BankBehind>,
    /// Registers of the system block of draws.
    pub system: u32,
    /// Locations of vertex attributes.
    pub vertex_inputs: u32,
    /// Locations of four components each that the stage before the pixel stage may write.
    pub varyings: u32,
    /// Likewise, of what the pixel stage may read.
    pub pixel_inputs: u32,
    /// Colour targets.
    pub targets: u32,
    /// Colour targets and storage images of a pixel shader together.
    pub pixel_resources: u32,
    /// Clip distances, cull distances, and both together.
    pub distances: [u32; 3],
    /// Vertices that an invocation of a geometry shader emits; components of all of them together; invocations.
    pub geometry: [u32; 3],
    /// Bytes of a captured vertex in a buffer, and in all buffers of a stream; none where feedback is dispatches.
    pub feedback: Option<[u32; 2]>,
    /// Storage images of a stage.
    pub images: u32,
    /// Lanes of a work group in each direction.
    pub group: [u32; 3],
    /// Lanes of a work group.
    pub lanes: u32,
    /// Bytes of a work group's memory.
    pub shared: u32,
    /// Registers of all local arrays of an invocation together.
    pub array: u32,
    /// Registers of all variables of an invocation together, but for arrays.
    pub variables: u32,
    /// What there is or is not.
    pub has: Has,
}

/// Abilities that a declaration may rest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Has {
    /// Geometry shaders.
    pub geometry: bool,
    /// Pixel shaders that run for each sample.
    pub sample_rate: bool,
    /// The second colour that blending uses.
    pub second_color: bool,
    /// Layers and viewports that the vertex stage chooses.
    pub vertex_layer: bool,
    /// More viewports than one.
    pub viewports: bool,
    /// Arrays of cubes.
    pub cube_arrays: bool,
    /// Storage images of several samples.
    pub storage_samples: bool,
    /// Storage images of 64-bit numbers.
    pub long_texels: bool,
    /// Storage images read, and written, whose format the shader does not say.
    pub without_format: [bool; 2],
    /// Vertex (and geometry) shaders, and pixel shaders, that store.
    pub stores: [bool; 2],
}

/// A declaration that asks for more than there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{declaration}: {asked} {unit} asked for, {bound} are there")]
pub struct Excess {
    /// What declares it, as the IR's text names it.
    pub declaration: String,
    /// What is counted.
    pub unit: &'static str,
    /// What it asks for.
    pub asked: u64,
    /// What stands behind it.
    pub bound: u64,
}

/// A kind of declaration.
pub struct Row {
    /// What is declared.
    pub declaration: &'static str,
    /// What stands behind it, in words.
    pub behind: &'static str,
    check: fn(&mut Asked<'_>),
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("declaration", &self.declaration).finish_non_exhaustive()
    }
}

/// Every kind of declaration, in the order of the IR's text.
pub const ROWS: &[Row] = &[
    row("input at a location, vertex stage", "an attribute, which is of floats", vertex_inputs),
    row("input at a location, pixel stage", "what the stage before it may write", pixel_inputs),
    row("input at a location, geometry stage", "what the vertex stage may write", geometry_inputs),
    row("builtin input", "the device's ability", builtin_inputs),
    row("output at a location, vertex and geometry stage", "the device's locations", varyings),
    row("output at a location, pixel stage", "a colour target", targets),
    row("builtin output", "the device's ability", builtin_outputs),
    row("clip and cull distances", "the device's planes", distances),
    row("geometry: vertices, invocations", "the device's most", geometry),
    row("feedback", "the device's bytes of a vertex; any where transform feedback is dispatches", captured_outputs),
    row(
        "bank `stage`",
        "the bank of that number, in the stream's table, if it is of the stage and holds no addresses",
        banks,
    ),
    row("bank `system`", "the system block of draws; none of dispatches", system),
    row("bank `feedback`", "nothing: the renderer's own dispatches alone have it", feedback),
    row("bank `storage`", "nothing: there is no descriptor for it", storage),
    row(
        "texture",
        "a slot of the stage: 0 to 15 of pixels, 16 to 19 of vertices, 20 to 39 of dispatches; one shape in each",
        textures,
    ),
    row("image", "a descriptor of the slot, with the shapes and accesses that the device has", images),
    row("work group", "the device's lanes", group),
    row("shared memory", "the device's bytes", shared),
    row("specialisation constant", "0 and 1 are the renderer's, integers; the others keep their defaults", specs),
    row("local array", "private memory of an invocation", arrays),
    row("variable", "private memory of an invocation", variables),
];

const fn row(declaration: &'static str, behind: &'static str, check: fn(&mut Asked<'_>)) -> Row {
    Row { declaration, behind, check }
}

/// Checks what a module declares against what is there.
///
/// # Errors
/// The first declaration that asks for more.
pub fn check(module: &Module, behind: &Behind) -> Result<(), Excess> {
    let mut asked = Asked { m: module, b: behind, excess: None };
    for row in ROWS {
        (row.check)(&mut asked);
        if let Some(excess) = asked.excess {
            return Err(excess);
        }
    }
    Ok(())
}

/// A module that is being checked.
struct Asked<'a> {
    m: &'a Module,
    b: &'a Behind,
    excess: Option<Excess>,
}

impl Asked<'_> {
    /// A declaration asks for so much, and so much is there.
    fn of(&mut self, declaration: impl fmt::Display, unit: &'static str, asked: impl Into<u64>, bound: impl Into<u64>) {
        let (asked, bound) = (asked.into(), bound.into());
        if asked > bound && self.excess.is_none() {
            self.excess = Some(Excess { declaration: declaration.to_string(), unit, asked, bound });
        }
    }

    /// A declaration needs an ability.
    fn needs(&mut self, declaration: impl fmt::Display, ability: &'static str, there: bool) {
        self.of(declaration, ability, 1u32, u32::from(there));
    }

    fn inputs(&mut self, stage: Stage, each: impl Fn(&mut Self, String, u8, Kind)) {
        let m = self.m;
        for (i, d) in m.inputs.iter().enumerate().filter(|_| m.stage == stage) {
            if let InputAt::Location(location) = d.at {
                each(self, format!("input in{i}"), location, d.ty.kind);
            }
        }
    }
}

/// Locations up to and with one.
fn locations(location: u8) -> u32 {
    u32::from(location) + 1
}

fn vertex_inputs(a: &mut Asked<'_>) {
    let most = a.b.vertex_inputs;
    a.inputs(Stage::Vertex, |a, name, location, kind| {
        a.of(&name, "locations", locations(location), most);
        a.needs(&name, "attributes of integers", kind == Kind::Float);
    });
}

fn pixel_inputs(a: &mut Asked<'_>) {
    let most = a.b.pixel_inputs.min(a.b.varyings);
    a.inputs(Stage::Pixel, |a, name, location, _| a.of(name, "locations", locations(location), most));
}

fn geometry_inputs(a: &mut Asked<'_>) {
    let most = a.b.varyings;
    a.inputs(Stage::Geometry, |a, name, location, _| a.of(name, "locations", locations(location), most));
}

fn builtin_inputs(a: &mut Asked<'_>) {
    let (m, has) = (a.m, a.b.has);
    for (i, d) in m.inputs.iter().enumerate() {
        let (ability, there) = match d.at {
            InputAt::SampleId => ("samples with numbers", has.sample_rate),
            InputAt::Layer => ("layers", has.vertex_layer || has.geometry),
            InputAt::ViewportIndex => ("viewports", has.vertex_layer || has.viewports),
            InputAt::PrimitiveId => ("primitives with numbers", has.geometry || m.stage == Stage::Geometry),
            InputAt::Location(_)
            | InputAt::VertexIndex
            | InputAt::InstanceIndex
            | InputAt::FragCoord
            | InputAt::FrontFacing
            | InputAt::PointCoord
            | InputAt::Position
            | InputAt::PointSize
            | InputAt::ClipDistance(_)
            | InputAt::CullDistance(_)
            | InputAt::InvocationId
            | InputAt::SampleMask
            | InputAt::LocalId
            | InputAt::LocalIndex
            | InputAt::WorkgroupId
            | InputAt::WorkgroupCount => continue,
        };
        a.needs(format_args!("input in{i}"), ability, there);
    }
    for (i, d) in m.inputs.iter().enumerate().filter(|_| m.stage == Stage::Pixel) {
        // What is interpolated in several ways is interpolated by instructions.
        let again = m.inputs[..i].iter().any(|other| other.at == d.at);
        if matches!(d.at, InputAt::Location(_)) && (again || d.interp == afterimage_ir::Interp::Sample) {
            a.needs(format_args!("input in{i}"), "inputs by sample", has.sample_rate);
        }
    }
}

fn varyings(a: &mut Asked<'_>) {
    let (m, most) = (a.m, a.b.varyings);
    for (i, d) in m.outputs.iter().enumerate().filter(|_| matches!(m.stage, Stage::Vertex | Stage::Geometry)) {
        if let OutputAt::Location(location) = d.at {
            a.of(format_args!("output out{i}"), "locations", locations(location), most);
        }
    }
}

fn targets(a: &mut Asked<'_>) {
    let (m, most, resources) = (a.m, a.b.targets, a.b.pixel_resources);
    let mut count = m.images.len() as u32;
    for (i, d) in m.outputs.iter().enumerate().filter(|_| m.stage == Stage::Pixel) {
        if let OutputAt::Location(location) = d.at {
            count += 1;
            a.of(format_args!("output out{i}"), "colour targets", locations(location), most);
        }
    }
    if m.stage == Stage::Pixel {
        a.of("outputs and images", "outputs and storage images together", count, resources);
    }
}

fn builtin_outputs(a: &mut Asked<'_>) {
    let (m, has) = (a.m, a.b.has);
    for (i, d) in m.outputs.iter().enumerate() {
        let (ability, there) = match d.at {
            OutputAt::SecondColor => ("second colours", has.second_color),
            OutputAt::Layer => ("layers", has.vertex_layer || m.stage == Stage::Geometry),
            OutputAt::ViewportIndex if m.stage == Stage::Geometry => ("viewports", has.viewports),
            OutputAt::ViewportIndex => ("viewports", has.vertex_layer),
            OutputAt::Location(_)
            | OutputAt::Position
            | OutputAt::PointSize
            | OutputAt::ClipDistance(_)
            | OutputAt::CullDistance(_)
            | OutputAt::FragDepth
            | OutputAt::SampleMask
            | OutputAt::StencilRef
            | OutputAt::PrimitiveId => continue,
        };
        a.needs(format_args!("output out{i}"), ability, there);
    }
}

fn distances(a: &mut Asked<'_>) {
    let (m, [clip, cull, both]) = (a.m, a.b.distances);
    let outputs = m.outputs.iter().map(|d| match d.at {
        OutputAt::ClipDistance(n) => [n + d.ty.lanes, 0],
        OutputAt::CullDistance(n) => [0, n + d.ty.lanes],
        _ => [0; 2],
    });
    let inputs = m.inputs.iter().map(|d| match d.at {
        InputAt::ClipDistance(n) => [n + d.ty.lanes, 0],
        InputAt::CullDistance(n) => [0, n + d.ty.lanes],
        _ => [0; 2],
    });
    let most =
        |of: &mut dyn Iterator<Item = [u8; 2]>| of.fold([0u32; 2], |[a, b], [c, d]| [a.max(c.into()), b.max(d.into())]);
    for (name, [clips, culls]) in
        [("outputs", most(&mut outputs.into_iter())), ("inputs", most(&mut inputs.into_iter()))]
    {
        a.of(name, "clip distances", clips, clip);
        a.of(name, "cull distances", culls, cull);
        a.of(name, "clip and cull distances", clips + culls, both);
    }
}

fn geometry(a: &mut Asked<'_>) {
    let Some(decl) = a.m.geometry else { return };
    let [vertices, components, invocations] = a.b.geometry;
    a.of("geometry", "vertices", decl.vertices, vertices);
    a.of("geometry", "invocations", decl.invocations, invocations);
    let each: u32 = a.m.outputs.iter().map(|d| u32::from(d.ty.lanes)).sum();
    a.of("geometry", "components of all vertices", decl.vertices.saturating_mul(each), components);
}

fn captured_outputs(a: &mut Asked<'_>) {
    let (m, Some([buffer, stream])) = (a.m, a.b.feedback) else { return };
    for c in &m.feedback {
        a.of(format_args!("feedback of {}", c.output), "bytes of a vertex in a buffer", c.stride, buffer);
        let others = m.feedback.iter().filter(|other| other.stream == c.stream);
        let bytes: u32 = others.map(|other| 4 * u32::from(other.lanes)).sum();
        a.of(format_args!("feedback of {}", c.output), "bytes of a vertex in a stream", bytes, stream);
    }
}

fn banks_of(a: &mut Asked<'_>, source: BankSource, each: impl Fn(&mut Asked<'_>, String, &BankDecl)) {
    let m = a.m;
    for (i, d) in m.banks.iter().enumerate().filter(|(_, d)| d.source == source) {
        each(a, format!("{} bank c{i} (number {})", source.name(), d.id), d);
    }
}

fn banks(a: &mut Asked<'_>) {
    banks_of(a, BankSource::Stage, |a, name, d| {
        let behind = a.b.banks.get(usize::from(d.id)).filter(|bank| bank.stages.contains(&a.m.stage));
        let registers = behind.map_or(0, |bank| bank.registers);
        a.of(name, "registers", d.size, registers);
    });
}

fn system(a: &mut Asked<'_>) {
    banks_of(a, BankSource::System, |a, name, d| {
        let registers = if matches!(a.m.stage, Stage::Vertex | Stage::Pixel) { a.b.system } else { 0 };
        a.of(name, "registers", d.size, registers);
    });
}

fn feedback(a: &mut Asked<'_>) {
    banks_of(a, BankSource::Feedback, |a, name, d| a.of(name, "registers", d.size, 0u32));
}

fn storage(a: &mut Asked<'_>) {
    banks_of(a, BankSource::Storage, |a, name, d| a.of(name, "registers", d.size, 0u32));
}

/// Texture slots of the vertex stage, which are behind those of the pixel stage.
const VERTEX_TEXTURES: std::ops::Range<u8> = slots::FIRST_VERTEX_TEXTURE as u8..TEXTURE_SLOTS;

fn textures(a: &mut Asked<'_>) {
    let m = a.m;
    for (i, d) in m.textures.iter().enumerate() {
        let name = format!("texture t{i} (slot {})", d.slot);
        let own = match m.stage {
            Stage::Pixel => d.slot < VERTEX_TEXTURES.start,
            Stage::Vertex => VERTEX_TEXTURES.contains(&d.slot),
            // What has no push constants for them is not drawn with; feedback of it may be made.
            Stage::Geometry => d.slot < TEXTURE_SLOTS,
            Stage::Compute => d.slot >= TEXTURE_SLOTS,
        };
        a.needs(&name, "slots of the stage", own && !d.in_tables());
        let alike = |other: &afterimage_ir::TextureDecl| {
            (other.dim, other.component, other.shadow) == (d.dim, d.component, d.shadow)
        };
        let others = m.textures[..i].iter().filter(|other| other.slot == d.slot && !alike(other)).count();
        a.of(&name, "shapes in the slot", others as u64 + 1, 1u32);
        if d.dim == Dim::CubeArray {
            a.needs(&name, "arrays of cubes", a.b.has.cube_arrays);
        }
    }
}

fn images(a: &mut Asked<'_>) {
    let (m, has) = (a.m, a.b.has);
    let most = a.b.images.min(u32::from(IMAGE_SLOTS));
    let uses = afterimage_ir::uses(m);
    for (i, d) in m.images.iter().enumerate() {
        let name = format!("image i{i} (slot {})", d.slot);
        a.of(&name, "descriptors", u32::from(d.slot) + 1, most);
        a.needs(&name, "storage images with several samples", has.storage_samples || !d.dim.is_multisampled());
        let [read, written] = uses.images[i];
        match d.format {
            ImageFormat::Any => {
                a.needs(&name, "reads without a format", has.without_format[0] || !read);
                a.needs(&name, "writes without a format", has.without_format[1] || !written);
            }
            ImageFormat::R32 => {}
            ImageFormat::R64 => a.needs(&name, "texels of 64 bits", has.long_texels),
        }
        let stores = match m.stage {
            Stage::Vertex | Stage::Geometry => has.stores[0],
            Stage::Pixel => has.stores[1],
            Stage::Compute => true,
        };
        a.needs(&name, "stores of the stage", stores || !written);
        debug_assert!(matches!(d.component, Component::Float | Component::Uint | Component::Sint));
    }
}

fn group(a: &mut Asked<'_>) {
    if a.m.stage != Stage::Compute {
        return;
    }
    let ([x, y, z], most) = (a.m.group, a.b.group);
    for (name, lanes, most) in [("x", x, most[0]), ("y", y, most[1]), ("z", z, most[2])] {
        a.of(format_args!("work group along {name}"), "lanes", lanes, most);
    }
    a.of("work group", "lanes", x.saturating_mul(y).saturating_mul(z), a.b.lanes);
}

fn shared(a: &mut Asked<'_>) {
    // The back end adds a word, into which everything beyond the end goes.
    let bytes = if a.m.shared == 0 { 0 } else { a.m.shared.saturating_add(4) };
    a.of("shared memory", "bytes, with a word of ours,", bytes, a.b.shared);
}

fn specs(a: &mut Asked<'_>) {
    let m = a.m;
    for d in m.specs.iter().filter(|d| d.id < 2) {
        let name = format!("specialisation constant {}", d.id);
        a.needs(name, "values of the kind", d.kind == Kind::Int);
    }
}

fn arrays(a: &mut Asked<'_>) {
    let elements: u64 = a.m.vars.iter().filter_map(|d| d.array).map(u64::from).sum();
    a.of("local arrays", "elements", elements, a.b.array);
}

fn variables(a: &mut Asked<'_>) {
    let count = a.m.vars.iter().filter(|d| d.array.is_none()).count();
    a.of("variables", "of them", count as u64, a.b.variables);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_every_row() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ir.md");
        let text = std::fs::read_to_string(path).expect("docs/ir.md is there");
        let table = text.split("## What a stranger's shader may declare").nth(1).expect("the section is there");
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
        let wanted: Vec<String> = ROWS.iter().map(|row| format!("| {} | {} |", row.declaration, row.behind)).collect();
        assert_eq!(rows, wanted, "docs/ir.md repeats the table of crates/shader/src/declared.rs");
    }

    /// A declaration of a module that no row looks at would be new here.
    #[test]
    fn every_part_of_a_module_is_looked_at() {
        let Module {
            stage: _,
            name: _,
            inputs: _,
            outputs: _,
            geometry: _,
            feedback: _,
            banks: _,
            textures: _,
            images: _,
            group: _,
            shared: _,
            // Lanes of a wave go through shared memory, whose size the pass that adds it keeps within the device's.
            guest_waves: _,
            // Compared with the target when a pipeline is made.
            signed_outputs: _,
            // For people.
            names: _,
            specs: _,
            vars: _,
            // Code, whose size is a budget.
            insts: _,
            regions: _,
            values: _,
            body: _,
        } = Module::new(Stage::Pixel);
    }
}
