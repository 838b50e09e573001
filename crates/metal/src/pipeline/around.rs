//! Functions around a guest's, which becomes a plain function: of lists of rectangles, and of pixels whose outputs have no target.

use afterimage_shader::msl::{Attribute, Binding, Place};
use std::fmt::Write;

/// A source whose entry is a plain function, `ENTRY_of`.
#[derive(Debug)]
pub(crate) struct Around {
    /// The source up to its end.
    pub(crate) text: String,
    /// Arguments of the entry, with their attributes.
    pub(crate) arguments: Vec<String>,
    /// Their names.
    pub(crate) names: Vec<String>,
}

impl Around {
    /// Of a `vertex` or `fragment` function that returns something.
    pub(crate) fn of(source: &str, stage: &str, entry: &str) -> Option<Self> {
        let (before, rest) = source.split_once(&format!("{stage} {entry}_out {entry}("))?;
        let (arguments, body) = rest.split_once(")\n{")?;
        // Each argument is on a line of its own.
        let arguments = arguments.split(",\n").map(str::trim).filter(|argument| !argument.is_empty());
        let arguments: Vec<String> = arguments.map(str::to_owned).collect();
        let plain: Vec<&str> =
            arguments.iter().map(|argument| argument.split(" [[").next().unwrap_or_default()).collect();
        let name = |argument: &&str| argument.rsplit([' ', '*', '&']).next().unwrap_or_default().to_owned();
        let names = plain.iter().map(name).collect();
        let text = format!("{before}static {entry}_out {entry}_of({})\n{{{body}\n", plain.join(", "));
        Some(Self { text, arguments, names })
    }

    /// A call of the function.
    pub(crate) fn call(&self, entry: &str) -> String {
        format!("{entry}_of({})", self.names.join(", "))
    }
}

/// The source of a fragment function that gives only those colours (a bit each) that have a target: Metal takes no others.
pub(crate) fn with_outputs(source: &str, bindings: &[Binding], entry: &str, kept: u32) -> Option<String> {
    let around = Around::of(source, "fragment", entry)?;
    let outputs = bindings.iter().filter(|binding| binding.place == Place::Output);
    let is_kept = |binding: &&Binding| match binding.attribute {
        Attribute::Color(index) => kept >> index & 1 != 0,
        _ => true,
    };
    let outputs: Vec<&Binding> = outputs.filter(is_kept).collect();
    let (mut text, call) = (around.text.clone(), around.call(entry));
    let arguments = around.arguments.join(",\n    ");
    if outputs.is_empty() {
        let _ = write!(text, "\nfragment void {entry}({arguments})\n{{\n    (void){call};\n}}\n");
        return Some(text);
    }
    // As the whole structure has them.
    let member = |output: &&Binding| {
        let attribute = format!("{} [[{}", output.name, output.attribute);
        source.lines().map(str::trim).find(|line| line.contains(&attribute)).map(str::to_owned)
    };
    let members: Vec<String> = outputs.iter().map(member).collect::<Option<_>>()?;
    let _ = write!(text, "\nstruct {entry}_kept\n{{\n    {}\n}};\n", members.join("\n    "));
    let _ = write!(
        text,
        "\nfragment {entry}_kept {entry}({arguments})\n{{\n    {entry}_out all = {call};\n    {entry}_kept out = {{}};\n"
    );
    for output in outputs {
        let _ = writeln!(text, "    out.{0} = all.{0};", output.name);
    }
    text.push_str("    return out;\n}\n");
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_shader::{Language, Profile, RuntimeInfo, Shader};

    #[test]
    fn colours_without_a_target_are_left_out() {
        let text = "pixel \"p\" {\n  input in0 : f32x4 location 0 smooth\n  output out0 : f32x4 location 0\n  output out1 : f32x4 location 1\n  output out2 : f32 frag_depth\n  v0: f32x4 = load_input in0\n  v1: f32 = swizzle v0.x\n  store_output out0, v0\n  store_output out1, v0\n  store_output out2, v1\n  return\n}";
        let shader = Shader::new(Language::Ir, text.as_bytes()).unwrap();
        let artifact = shader.compile_msl(&Profile::default(), &RuntimeInfo::default()).unwrap();
        let made = with_outputs(&artifact.source, &artifact.bindings, "main0", 0b10).unwrap();
        let (_, kept) = made.split_once("struct main0_kept").unwrap();
        assert_eq!((kept.matches("[[color(1)]]").count(), kept.matches("[[color(0)]]").count()), (1, 0), "{made}");
        assert!(kept.contains("[[depth(any)]]") && kept.contains("= main0_of(in);"), "{made}");
        assert!(made.contains("static main0_out main0_of(main0_in in)"), "{made}");
    }
}
