//! The C++ program that a batch of shaders becomes.

use std::collections::HashMap;
use std::fmt::Write as _;

use afterimage_ir::*;
use afterimage_msl::{Attribute, Place, Source};

use super::Unit;

/// The name of a shader as that of the file that clang believes it to be in.
pub(super) fn file_name(name: &str) -> String {
    name.replace(|c: char| c.is_control() || matches!(c, '"' | '\\'), "_")
}

/// Metal's scalar types are C++'s here, its vectors those of the shim.
fn cpp_type(ty: Type) -> String {
    let scalar = match ty.kind {
        Kind::Float => "float",
        Kind::Int | Kind::Bits => "uint",
        Kind::Bool => "bool",
    };
    match ty.lanes {
        1 if ty.kind != Kind::Int && ty.kind != Kind::Bits => scalar.to_owned(),
        1 => format!("metal::{scalar}"),
        lanes => format!("metal::{scalar}{lanes}"),
    }
}

/// The program for a batch: each shader in a namespace, a function that calls it with what the run has, a table of those.
pub(super) fn program(units: &[Unit]) -> String {
    let mut text = "#include <metal_stdlib>\n\nconst std::vector<judge::Spec> judge::specs = {\n".to_owned();
    let mut table = String::new();
    for (n, unit) in units.iter().enumerate() {
        for (id, bits) in &unit.specs {
            let _ = writeln!(text, "    {{{n}, {id}, {bits}u}},");
        }
    }
    text.push_str("};\n");
    for (n, unit) in units.iter().enumerate() {
        let _ = writeln!(text, "\nnamespace s{n} {{\nstatic const int begin = judge::begin_shader({n});");
        let _ = writeln!(text, "#line 1 \"{}\"\n{}\n}}\n", file_name(&unit.name), source(unit));
        let _ = writeln!(text, "#line 1 \"caller of {}\"", file_name(&unit.name));
        call(&mut text, n, unit);
        let quad = unit.module.insts.iter().any(|inst| inst.op.has(Flags::QUAD));
        let (inputs, outputs) = (unit.module.inputs.len(), unit.module.outputs.len());
        let [x, y, z] = if unit.module.stage == Stage::Compute { unit.module.group } else { [0; 3] };
        let _ = writeln!(table, "    {{run{n}, {inputs}, {outputs}, {quad}, {{{x}, {y}, {z}}}}},");
    }
    let _ = writeln!(text, "\nstatic const judge::Shader shaders[] = {{\n{table}}};");
    text.push_str("\nint main(int argc, char **argv)\n{\n    return judge::serve(argc, argv, shaders);\n}\n");
    text
}

/// The source. What a threadgroup shares is one variable for all of its lanes, so static in C++.
fn source(unit: &Unit) -> String {
    unit.artifact.source.replace("\n    threadgroup uint ", "\n    static uint ")
}

/// The value of an input that is no member of the structure.
fn argument(decl: &InputDecl, index: usize) -> String {
    let array = |name: &str| format!("metal::uint3{{judge::{name}[0], judge::{name}[1], judge::{name}[2]}}");
    match decl.at {
        InputAt::LocalId => array("local_id"),
        InputAt::LocalIndex => "metal::uint(judge::lane)".to_owned(),
        InputAt::WorkgroupId => array("group_id"),
        InputAt::WorkgroupCount => array("group_count"),
        _ => format!("judge::input<{}>({index})", cpp_type(decl.ty)),
    }
}

fn call(text: &mut String, n: usize, unit: &Unit) {
    let (m, bindings) = (&unit.module, &unit.artifact.bindings);
    let entry = "main0";
    let _ = writeln!(text, "static void run{n}()\n{{");
    let mut arguments: Vec<String> = Vec::new();
    if bindings.iter().any(|b| b.place == Place::Input) {
        let _ = writeln!(text, "    s{n}::{entry}_in in;");
        arguments.push("in".to_owned());
    }
    let mut storage = 0;
    let mut slots: HashMap<u8, &TextureDecl> = HashMap::new();
    m.textures.iter().for_each(|d| {
        slots.entry(d.slot).or_insert(d);
    });
    for b in bindings {
        let value = match b.source {
            Source::Input(input) => argument(&m.inputs[input.index()], input.index()),
            Source::Constants => "(metal::float4 *)judge::run.blocks[0]".to_owned(),
            Source::System => "(metal::float4 *)judge::run.blocks[1]".to_owned(),
            Source::Feedback => "(metal::uint4 *)judge::run.blocks[2]".to_owned(),
            Source::Storage(_) => {
                storage += 1;
                format!("(metal::uint4 *)judge::run.blocks[{}]", 2 + storage)
            }
            Source::Texture(slot) => {
                let ty = match (slots[&slot].dim, slots[&slot].shadow) {
                    (Dim::D2, false) => "texture2d",
                    (Dim::D2, true) => "depth2d",
                    (Dim::Cube, false) => "texturecube",
                    (Dim::Cube, true) => "depthcube",
                    _ => "texture3d",
                };
                format!("metal::{ty}<float>{{{{{slot}}}}}")
            }
            Source::Sampler(_) => "metal::sampler()".to_owned(),
            Source::WhiteSampler(_) | Source::Samplers | Source::Image(_) | Source::Lane(_) => {
                panic!("{}: the judge has no {:?}", unit.name, b.source)
            }
            Source::Spec(_) | Source::Output(_) | Source::NoPosition | Source::ClipDistances => continue,
        };
        match b.place {
            Place::Input => {
                let _ = writeln!(text, "    in.{} = {value};", b.name);
            }
            _ => arguments.push(value),
        }
    }
    let returns = bindings.iter().any(|b| b.place == Place::Output);
    let result = if returns { "auto out = " } else { "" };
    let _ = writeln!(text, "    {result}s{n}::{entry}({});", arguments.join(", "));
    for b in bindings {
        match b.source {
            Source::Output(output) => {
                let ty = cpp_type(m.outputs[output.index()].ty);
                let _ = writeln!(text, "    judge::output<{ty}>({}, out.{});", output.index(), b.name);
            }
            Source::ClipDistances => {
                for (i, d) in m.outputs.iter().enumerate() {
                    let OutputAt::ClipDistance(first) = d.at else { continue };
                    // Those that are declared but not written are not in the array.
                    let Attribute::ClipDistance(count) = b.attribute else { continue };
                    for lane in (0..d.ty.lanes).filter(|lane| u32::from(first + lane) < count) {
                        let at = first + lane;
                        let _ = writeln!(text, "    judge::output_component({i}, {lane}, out.{}[{at}]);", b.name);
                    }
                }
            }
            _ => {}
        }
    }
    text.push_str("}\n");
}
