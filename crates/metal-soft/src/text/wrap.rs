//! The C++ around a text: what is set before it, and what calls its function behind it.

use std::fmt::Write as _;

use afterimage_metal_calls::Constant;

use super::interface::{Interface, Stage, Type, built_in};
use super::parse::{Declared, Function, Program};

/// The program for a function of a text.
///
/// # Errors
/// What is wrong with the text, or with its constants.
pub(crate) fn wrap(
    program: &Program,
    interface: &Interface,
    function: &Function,
    constants: &[(u32, Constant)],
) -> Result<String, String> {
    let mut text = "#include <metal_stdlib>\n".to_owned();
    set(&mut text, program, constants)?;
    let _ = writeln!(text, "#line 1 \"program_source\"\n{}\n#line 1 \"caller\"", program.plain);
    call(&mut text, program, interface, function)?;
    sizes(&mut text, interface);
    Ok(text)
}

/// Function constants.
fn set(text: &mut String, program: &Program, constants: &[(u32, Constant)]) -> Result<(), String> {
    text.push_str(
        "#undef is_function_constant_defined\n#define is_function_constant_defined(name) soft::is_set_##name\n",
    );
    text.push_str("namespace soft {\n");
    let mut done = Vec::new();
    for constant in &program.constants {
        let given = constants.iter().find(|(id, _)| *id == constant.id).map(|(_, value)| *value);
        let _ = writeln!(text, "constexpr bool is_set_{} = {};", constant.name, given.is_some());
        let (ty, value) = match given {
            None => {
                let asks =
                    program.words.windows(2).any(|w| w[0] == "is_function_constant_defined" && w[1] == constant.name);
                if !asks {
                    return Err(format!("function constant `{}` ({}) is not given", constant.name, constant.id));
                }
                (constant.ty.as_str(), "{}".to_owned())
            }
            Some(Constant::Bool(v)) => ("bool", format!("{v}")),
            Some(Constant::Int(v)) => ("int", format!("int({v}ll)")),
            Some(Constant::UInt(v)) => ("uint", format!("{v}u")),
            Some(Constant::Float(bits)) => ("float", format!("__builtin_bit_cast(float, {bits}u)")),
        };
        if ty != constant.ty {
            return Err(format!("function constant `{}` is a {}, not a {ty}", constant.name, constant.ty));
        }
        if !done.contains(&constant.id) {
            done.push(constant.id);
            let ty = if ty == "uint" { "unsigned int" } else { ty };
            let _ = writeln!(text, "static const {ty} constant_{} = {value};", constant.id);
        }
    }
    text.push_str("}\n");
    Ok(())
}

/// Where a built-in value is in a lane.
fn value(of: &Declared) -> Option<String> {
    let name = built_in(of)?;
    let array = |name: &str| format!("soft::Words{{{name}}}");
    Some(match name {
        "position" => "soft::Words{reinterpret_cast<const uint32_t *>(l.position)}".to_owned(),
        "point_coord" => "soft::Words{reinterpret_cast<const uint32_t *>(l.point_coord)}".to_owned(),
        "vertex_id" => "l.vertex_id".to_owned(),
        "instance_id" => "l.instance_id".to_owned(),
        "base_vertex" => "l.base_vertex".to_owned(),
        "base_instance" => "l.base_instance".to_owned(),
        "front_facing" => "(l.front_facing != 0)".to_owned(),
        "primitive_id" => "l.primitive_id".to_owned(),
        "sample_id" => "l.sample_id".to_owned(),
        "sample_mask" => "l.sample_mask_in".to_owned(),
        "render_target_array_index" => "l.layer".to_owned(),
        "viewport_array_index" => "l.viewport".to_owned(),
        "color" => array(&format!("l.color_in[{}]", of.attribute("color")?.number()?)),
        "thread_position_in_threadgroup" => array("l.local"),
        "thread_index_in_threadgroup" => "soft::lane".to_owned(),
        "threadgroup_position_in_grid" => array("r.group_id"),
        "threadgroups_per_grid" => array("r.group_count"),
        "threads_per_threadgroup" | "dispatch_threads_per_threadgroup" => array("r.group_size"),
        "thread_position_in_grid" => array("grid"),
        "threads_per_grid" => array("whole"),
        "thread_index_in_simdgroup" => "(soft::lane % soft::simd)".to_owned(),
        "thread_index_in_quadgroup" => "(soft::lane % 4)".to_owned(),
        "simdgroup_index_in_threadgroup" => "(soft::lane / soft::simd)".to_owned(),
        "threads_per_simdgroup" | "thread_execution_width" => "soft::simd".to_owned(),
        _ => return None,
    })
}

fn call(text: &mut String, program: &Program, interface: &Interface, function: &Function) -> Result<(), String> {
    text.push_str(
        "SOFT_RAW void soft::entry()\n{\n    soft::Run &r = *soft::run;\n    soft::Lane &l = r.lanes[soft::lane];\n",
    );
    if interface.stage == Stage::Kernel {
        text.push_str("    uint32_t grid[3], whole[3];\n    for (int i = 0; i < 3; i++) {\n");
        text.push_str("        grid[i] = r.group_id[i] * r.group_size[i] + l.local[i];\n");
        text.push_str("        whole[i] = r.group_count[i] * r.group_size[i];\n    }\n");
    }
    let mut slot = 0;
    let mut arguments = Vec::new();
    for of in &function.arguments {
        let number = |name: &str| of.attribute(name).and_then(|a| a.number());
        arguments.push(if of.attribute("stage_in").is_some() {
            let _ = writeln!(text, "    ::{} in{{}};", of.ty);
            let members = program.structs.iter().find(|s| s.name == of.ty).map(|s| &s.members);
            for member in members.into_iter().flatten() {
                match (value(member), built_in(member)) {
                    (Some(value), _) => {
                        let _ = writeln!(text, "    soft::assign(in.{}, {value});", member.name);
                    }
                    (None, Some(_)) => {}
                    (None, None) => {
                        let _ = writeln!(text, "    soft::get(l.in[{slot}], in.{});", member.name);
                        slot += 1;
                    }
                }
            }
            "in".to_owned()
        } else if let Some(n) = number("buffer") {
            let kind = if of.full.contains('&') { "Reference" } else { "Pointer" };
            format!("soft::{kind}{{r.buffers[{n}]}}")
        } else if let Some(n) = number("texture") {
            format!("soft::Texture{{{n}}}")
        } else if let Some(n) = number("sampler") {
            format!("soft::Sampler{{{n}}}")
        } else if let Some(value) = value(of) {
            value
        } else if built_in(of).is_none() {
            slot += 1;
            format!("soft::Words{{l.in[{}]}}", slot - 1)
        } else {
            return Err(format!("`{}` cannot be an argument", of.name));
        });
    }
    let result = if interface.returns { "auto out = " } else { "" };
    let _ = writeln!(text, "    {result}::{}({});", function.name, arguments.join(", "));
    if interface.returns {
        results(text, program, interface, function);
    }
    text.push_str("}\n");
    Ok(())
}

fn results(text: &mut String, program: &Program, interface: &Interface, function: &Function) {
    let found = program.structs.iter().find(|s| s.name == function.returns);
    let alone = Declared { attributes: function.attributes.clone(), ..Declared::default() };
    let members: Vec<(&Declared, String)> = match found {
        Some(found) => found.members.iter().map(|m| (m, format!("out.{}", m.name))).collect(),
        None => vec![(&alone, "out".to_owned())],
    };
    let mut slot = 0;
    for (of, name) in members {
        let _ = match built_in(of) {
            Some("position") => writeln!(text, "    soft::put_floats(l.position, {name});"),
            Some("point_size") => writeln!(text, "    l.point_size = {name};"),
            Some("clip_distance") => match Type::of(&of.ty) {
                Some(ty) if of.array.is_none() && ty.lanes > 1 => {
                    writeln!(text, "    soft::put_floats(l.clip, {name});")
                }
                _ if of.array.is_none() => writeln!(text, "    l.clip[0] = {name};"),
                _ => writeln!(
                    text,
                    "    for (int i = 0; i < {}; i++) {{\n        l.clip[i] = {name}[i];\n    }}",
                    interface.clip_distances
                ),
            },
            Some("render_target_array_index") => writeln!(text, "    l.layer = {name};"),
            Some("viewport_array_index") => writeln!(text, "    l.viewport = {name};"),
            Some("depth") => writeln!(text, "    l.depth = {name};"),
            Some("stencil") => writeln!(text, "    l.stencil = {name};"),
            Some("sample_mask") => writeln!(text, "    l.sample_mask = {name};"),
            Some("color") => {
                let target = of.attribute("color").and_then(|a| a.number()).unwrap_or(0);
                let second = of.attribute("index").and_then(|a| a.number()) == Some(1);
                writeln!(text, "    soft::put(l.out[{}], {name});", if second { 8 } else { target })
            }
            Some(_) => Ok(()),
            None if found.is_none() && interface.stage == Stage::Vertex => {
                writeln!(text, "    soft::put_floats(l.position, {name});")
            }
            None if found.is_none() => writeln!(text, "    soft::put(l.out[0], {name});"),
            None => {
                slot += 1;
                writeln!(text, "    soft::put(l.out[{}], {name});", slot - 1)
            }
        };
    }
}

/// Bytes and alignment of what the buffers are, for checks.
fn sizes(text: &mut String, interface: &Interface) {
    text.push_str("extern \"C\" __attribute__((used, visibility(\"default\"))) const uint32_t soft_sizes[] = {");
    for buffer in &interface.buffers {
        let _ = write!(text, "soft::Pointee<{0}>::size, soft::Pointee<{0}>::align, ", buffer.full);
    }
    text.push_str("sizeof(soft::Lane), sizeof(soft::Run)};\n");
}
