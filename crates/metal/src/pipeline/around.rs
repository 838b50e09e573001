//! Functions around a guest's, which becomes a plain function: of pixels whose outputs have no target, or that end as Metal lets none.

use afterimage_ir::Interp;
use afterimage_metal_calls::{Class, PixelFormat};
use afterimage_shader::msl::{self, Attribute, Binding, Place};
use afterimage_stream::packets::LogicOp;
use std::fmt::Write;

/// A source whose entry is a plain function, `ENTRY_of`.
#[derive(Debug)]
struct Around {
    /// The source up to its end.
    text: String,
    /// Arguments of the entry, with their attributes.
    arguments: Vec<String>,
    /// Their names.
    names: Vec<String>,
    /// Whether the function returns something.
    returns: bool,
}

impl Around {
    /// Of a function of a stage: `vertex` or `fragment`.
    fn of(source: &str, stage: &str, entry: &str) -> Option<Self> {
        let returns = source.contains(&format!("{stage} {entry}_out {entry}("));
        let result = if returns { format!("{entry}_out") } else { "void".to_owned() };
        let (before, rest) = source.split_once(&format!("{stage} {result} {entry}("))?;
        let (arguments, body) = rest.split_once(")\n{")?;
        // Each argument is on a line of its own.
        let arguments = arguments.split(",\n").map(str::trim).filter(|argument| !argument.is_empty());
        let arguments: Vec<String> = arguments.map(str::to_owned).collect();
        let plain: Vec<&str> =
            arguments.iter().map(|argument| argument.split(" [[").next().unwrap_or_default()).collect();
        let name = |argument: &&str| argument.rsplit([' ', '*', '&']).next().unwrap_or_default().to_owned();
        let names = plain.iter().map(name).collect();
        let text = format!("{before}static {result} {entry}_of({})\n{{{body}\n", plain.join(", "));
        Some(Self { text, arguments, names, returns })
    }

    /// A call of the function.
    fn call(&self, entry: &str) -> String {
        format!("{entry}_of({})", self.names.join(", "))
    }
}

/// Varyings that pixel functions read interpolated in a further way: a bit for each location, by [`Interp`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ways([u32; Interp::ALL.len()]);

impl Ways {
    /// Those of a pixel function.
    pub(crate) fn of(bindings: &[Binding]) -> Self {
        let mut ways = Self::default();
        for binding in bindings {
            if let Attribute::UserAs(location, interp) = binding.attribute {
                ways.0[interp as usize] |= 1u32.checked_shl(location).unwrap_or(0);
            }
        }
        ways
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Location and way of each.
    fn each(&self) -> impl Iterator<Item = (u32, Interp)> + '_ {
        Interp::ALL.iter().zip(self.0).flat_map(|(interp, bits)| {
            (0..32).filter(move |location| bits >> location & 1 != 0).map(|location| (location, *interp))
        })
    }
}

/// The source of a vertex function that gives varyings by further names, too.
pub(crate) fn with_ways(source: &str, bindings: &[Binding], entry: &str, ways: &Ways) -> Option<String> {
    let around = Around::of(source, "vertex", entry)?;
    let mut text = around.text.clone();
    let (mut members, mut results) = (Vec::new(), String::new());
    for output in bindings.iter().filter(|binding| binding.place == Place::Output) {
        members.push(member(source, output)?);
        let name = &output.name;
        let _ = match output.attribute {
            // No array is assigned as a whole.
            Attribute::ClipDistance(count) => {
                (0..count).try_for_each(|at| writeln!(results, "    out.{name}[{at}] = all.{name}[{at}];"))
            }
            _ => writeln!(results, "    out.{name} = all.{name};"),
        };
    }
    for (location, interp) in ways.each() {
        let given = bindings.iter().find(|binding| binding.attribute == Attribute::User(location))?;
        let (way, name) = (msl::user_as(location, interp), &given.name);
        let own = member(source, given)?;
        let (ty, _) = own.split_once(' ')?;
        members.push(format!("{ty} {way} [[user({way})]];"));
        let _ = writeln!(results, "    out.{way} = all.{name};");
    }
    let _ = write!(
        text,
        "\nstruct {entry}_ways\n{{\n    {}\n}};\n\nvertex {entry}_ways {entry}({})\n{{\n    {entry}_out all = {};\n    \
         {entry}_ways out = {{}};\n{results}    return out;\n}}\n",
        members.join("\n    "),
        around.arguments.join(",\n    "),
        around.call(entry),
    );
    Some(text)
}

/// A member of the structure that a function returns, as its source has it.
fn member(source: &str, output: &Binding) -> Option<String> {
    let attribute = format!("{} [[{}", output.name, output.attribute);
    source.lines().map(str::trim).find(|line| line.contains(&attribute)).map(str::to_owned)
}

/// What is done to the pixels of a guest's function that Metal does not do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The samples that are drawn to, if not all.
    pub(crate) samples: Option<u32>,
    /// A logical operation with what is in the targets, by their formats: Apple's GPUs read those.
    pub(crate) logic: Option<(LogicOp, [Option<PixelFormat>; 8])>,
}

/// The function for draws without pixel shaders to some samples of pixels.
pub(crate) fn only_samples(entry: &str, samples: u32) -> String {
    format!(
        "#include <metal_stdlib>\nusing namespace metal;\n\nstruct {entry}_kept\n{{\n    uint samples [[sample_mask]];\n}};\n\n\
         fragment {entry}_kept {entry}()\n{{\n    {entry}_kept out = {{}};\n    out.samples = {samples}u;\n    return out;\n}}\n"
    )
}

/// A logical operation on `s` and `d`.
fn logic(op: LogicOp) -> &'static str {
    match op {
        LogicOp::Off | LogicOp::Copy => "s",
        LogicOp::Clear => "s & ~s",
        LogicOp::And => "s & d",
        LogicOp::AndReverse => "s & ~d",
        LogicOp::AndInverted => "~s & d",
        LogicOp::NoOp => "d",
        LogicOp::Xor => "s ^ d",
        LogicOp::Or => "s | d",
        LogicOp::Nor => "~(s | d)",
        LogicOp::Equivalent => "~(s ^ d)",
        LogicOp::Invert => "~d",
        LogicOp::OrReverse => "s | ~d",
        LogicOp::CopyInverted => "~s",
        LogicOp::OrInverted => "~s | d",
        LogicOp::Nand => "~(s & d)",
        LogicOp::Set => "s | ~s",
    }
}

/// The greatest number in each channel of a format whose bits logical operations are of; none of others, to which there are none.
fn most(format: PixelFormat) -> Option<[u32; 4]> {
    use PixelFormat as P;
    Some(match format {
        P::A8Unorm | P::R8Unorm | P::RG8Unorm | P::RGBA8Unorm | P::BGRA8Unorm => [0xff; 4],
        P::R8Uint | P::RG8Uint | P::RGBA8Uint => [0xff; 4],
        P::R16Unorm | P::RG16Unorm | P::RGBA16Unorm | P::R16Uint | P::RG16Uint | P::RGBA16Uint => [0xffff; 4],
        P::R32Uint | P::RG32Uint | P::RGBA32Uint => [u32::MAX; 4],
        P::B5G6R5Unorm => [31, 63, 31, 1],
        P::BGR5A1Unorm | P::A1BGR5Unorm => [31, 31, 31, 1],
        P::ABGR4Unorm => [15; 4],
        P::RGB10A2Unorm | P::BGR10A2Unorm | P::RGB10A2Uint => [1023, 1023, 1023, 3],
        _ => return None,
    })
}

/// The source of a fragment function that gives only those colours (a bit each) that have a target, since Metal takes no others, and ends as
/// it says.
pub(crate) fn with_outputs(
    source: &str,
    bindings: &[Binding],
    entry: &str,
    kept: u32,
    ending: &Ending,
) -> Option<String> {
    let mut around = Around::of(source, "fragment", entry)?;
    let outputs = bindings.iter().filter(|binding| binding.place == Place::Output);
    let is_kept = |binding: &&Binding| match binding.attribute {
        Attribute::Color(index) => kept >> index & 1 != 0,
        Attribute::SecondColor => kept & 1 != 0,
        _ => true,
    };
    let outputs: Vec<&Binding> = outputs.filter(is_kept).collect();
    let (mut text, call) = (around.text.clone(), around.call(entry));
    let mut results = String::new();
    for output in &outputs {
        let name = &output.name;
        let _ = match (output.attribute, ending.samples) {
            (Attribute::SampleMask, Some(samples)) => writeln!(results, "    out.{name} = all.{name} & {samples}u;"),
            _ => writeln!(results, "    out.{name} = all.{name};"),
        };
        let (Attribute::Color(index), Some((op, formats))) = (output.attribute, &ending.logic) else { continue };
        let Some(format) = formats.get(index as usize).copied().flatten() else { continue };
        let Some(most) = most(format) else { continue };
        let float = format.class() == Class::Float;
        let ty = if float { "float" } else { "uint" };
        around.arguments.push(format!("{ty}4 there{index} [[color({index})]]"));
        let zeros = ", 0".repeat(4 - usize::from(output.lanes.clamp(1, 4)));
        let bits = most.map(|most| format!("{most}u")).join(", ");
        let lanes = ["x", "xy", "xyz", "xyzw"][usize::from(output.lanes.clamp(1, 4)) - 1];
        let _ = writeln!(
            results,
            "    {{\n        uint4 most = uint4({bits});\n        {ty}4 drawn = {ty}4(out.{name}{zeros});"
        );
        let operands = [("s", "drawn".to_owned()), ("d", format!("there{index}"))];
        for (name, of) in operands {
            let _ = match float {
                true => writeln!(results, "        uint4 {name} = uint4(rint(saturate({of}) * float4(most)));"),
                false => writeln!(results, "        uint4 {name} = {of};"),
            };
        }
        let result = format!("({}) & most", logic(*op));
        let _ = match float {
            true => writeln!(results, "        out.{name} = (float4({result}) / float4(most)).{lanes};\n    }}"),
            false => writeln!(results, "        out.{name} = ({result}).{lanes};\n    }}"),
        };
    }
    // The function may have a mask of its own.
    let masked = outputs.iter().any(|output| output.attribute == Attribute::SampleMask);
    let samples = ending.samples.filter(|_| !masked);
    if let Some(samples) = samples {
        let _ = writeln!(results, "    out.samples_drawn = {samples}u;");
    }
    let arguments = around.arguments.join(",\n    ");
    if outputs.is_empty() && samples.is_none() {
        let _ = write!(text, "\nfragment void {entry}({arguments})\n{{\n    (void){call};\n}}\n");
        return Some(text);
    }
    // As the whole structure has them.
    let mut members: Vec<String> = outputs.iter().map(|output| member(source, output)).collect::<Option<_>>()?;
    members.extend(samples.map(|_| "uint samples_drawn [[sample_mask]];".to_owned()));
    let _ = write!(text, "\nstruct {entry}_kept\n{{\n    {}\n}};\n", members.join("\n    "));
    let _ = write!(
        text,
        "\nfragment {entry}_kept {entry}({arguments})\n{{\n    {}{call};\n    {entry}_kept out = {{}};\n",
        if around.returns { format!("{entry}_out all = ") } else { String::new() }
    );
    text.push_str(&results);
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
        let made = with_outputs(&artifact.source, &artifact.bindings, "main0", 0b10, &Ending::default()).unwrap();
        let (_, kept) = made.split_once("struct main0_kept").unwrap();
        assert_eq!((kept.matches("[[color(1)]]").count(), kept.matches("[[color(0)]]").count()), (1, 0), "{made}");
        assert!(kept.contains("[[depth(any)]]") && kept.contains("= main0_of(in);"), "{made}");
        assert!(made.contains("static main0_out main0_of(main0_in in)"), "{made}");
    }
}
