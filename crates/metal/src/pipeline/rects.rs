//! Lists of rectangles: a vertex function around the guest's, which finds the fourth corner.
//!
//! Of three corners each the guest's function is asked; the fourth is second + third - first, in position and in every output of floats.
//! Vertices have numbers of their own here, four for each rectangle; where the guest's begin is in the buffer at
//! [`NO_VERTICES`](afterimage_abi::metal::NO_VERTICES). A function that reads attributes can be asked for no other vertex than Metal's: there
//! is none around it.

use crate::pipeline::around::Around;
use afterimage_abi::metal::NO_VERTICES;
use afterimage_shader::msl::{Attribute, Binding, Place};
use std::fmt::Write;

/// Indices of so many rectangles: two triangles each.
pub(crate) fn indices(count: u32) -> Vec<u32> {
    (0..count).flat_map(|rect| [0, 1, 2, 2, 1, 3].map(|corner| rect * 4 + corner)).collect()
}

/// The source of a vertex function with the function for rectangles in its place; `None` where there cannot be one.
pub(crate) fn source(source: &str, bindings: &[Binding], entry: &str) -> Option<String> {
    if bindings.iter().any(|binding| binding.place == Place::Input) {
        return None;
    }
    let around = Around::of(source, "vertex", entry)?;
    let number = bindings.iter().find(|binding| binding.attribute == Attribute::VertexId).map(|binding| &binding.name);
    let mut text = around.text;
    let mut taken: Vec<String> =
        around.arguments.iter().filter(|argument| !argument.contains("[[vertex_id]]")).cloned().collect();
    taken.insert(0, "uint rect_number [[vertex_id]]".to_owned());
    taken.push(format!("constant uint* rect_first [[buffer({NO_VERTICES})]]"));
    let passed: Vec<String> = around
        .names
        .into_iter()
        .map(|name| if Some(&name) == number { "first + corner".to_owned() } else { name })
        .collect();
    let call = |corner: &str| format!("{entry}_of({})", passed.join(", ").replace("corner", corner));
    let _ = write!(
        text,
        "\nvertex {entry}_out {entry}({})\n{{\n    uint corner = rect_number % 4u;\n    uint first = rect_first[0] + rect_number / 4u * 3u;\n    \
         if (corner < 3u)\n    {{\n        return {};\n    }}\n    {entry}_out out = {};\n    {entry}_out second = {};\n    {entry}_out third = {};\n",
        taken.join(",\n    "),
        call("corner"),
        call("0u"),
        call("1u"),
        call("2u"),
    );
    for output in bindings.iter().filter(|binding| binding.place == Place::Output) {
        let name = &output.name;
        match output.attribute {
            Attribute::ClipDistance(count) => {
                for at in 0..count {
                    let _ = writeln!(
                        text,
                        "    out.{name}[{at}] = second.{name}[{at}] + third.{name}[{at}] - out.{name}[{at}];"
                    );
                }
            }
            Attribute::Position | Attribute::User(_) => {
                let _ = writeln!(text, "    out.{name} = second.{name} + third.{name} - out.{name};");
            }
            _ => {}
        }
    }
    text.push_str("    return out;\n}\n");
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_shader::{Language, Profile, RuntimeInfo, Shader};

    #[test]
    fn the_fourth_corner_is_made_of_the_others() {
        let text = "vertex \"v\" {\n  input in0 : i32 vertex_index smooth\n  output out0 : f32x4 position\n  output out1 : f32x2 location 3\n  bank c0 stage 0 [4]\n  v0: i32 = load_input in0\n  v1: f32 = i2f v0\n  v2: f32x4 = load_const c0[1]\n  v3: f32x4 = construct v1, v1, v1, v1\n  v4: f32x4 = fadd v2, v3\n  v5: f32x2 = swizzle v4.xy\n  store_output out0, v4\n  store_output out1, v5\n  return\n}";
        let shader = Shader::new(Language::Ir, text.as_bytes()).unwrap();
        let artifact = shader.compile_msl(&Profile::default(), &RuntimeInfo::default()).unwrap();
        let made = source(&artifact.source, &artifact.bindings, "main0").unwrap();
        let (_, made) = made.split_once("static main0_out").unwrap();
        assert!(made.starts_with(" main0_of(uint vertex_id, constant float4* constants)\n{"), "{made}");
        for line in [
            "vertex main0_out main0(uint rect_number [[vertex_id]],",
            "constant float4* constants [[buffer(0)]]",
            "constant uint* rect_first [[buffer(14)]])",
            "return main0_of(first + corner, constants);",
            "main0_out third = main0_of(first + 2u, constants);",
        ] {
            assert!(made.contains(line), "{line}\n{made}");
        }
        assert_eq!(indices(2), [0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7]);
    }
}
