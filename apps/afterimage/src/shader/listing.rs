//! SPIR-V as text, in the manner of `spirv-dis`: one instruction a line, ids by their names.
//!
//! `rspirv` knows the grammar; what is added here are names, and constants that read back as they are.

use super::error::Why;
use rspirv::binary::{Consumer, Disassemble, ParseAction, parse_words};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::spirv::{GlslStd450Op, Op};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// Column of the equal sign, as far as the results' names are short enough.
const INDENT: usize = 16;

/// Lists a module.
pub(super) fn list(words: &[u32]) -> Result<String, Why> {
    let mut module = Module::default();
    parse_words(words, &mut module).map_err(|error| Why::Listing(error.to_string()))?;
    let names = Names::of(&module.instructions);
    let mut text = String::from("; SPIR-V\n");
    if let Some(header) = &module.header {
        let (major, minor) = header.version();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "; Version: {major}.{minor}\n; Bound: {}", header.bound);
    }
    for instruction in &module.instructions {
        names.line(instruction, &mut text);
    }
    Ok(text)
}

#[derive(Default)]
struct Module {
    header: Option<ModuleHeader>,
    instructions: Vec<Instruction>,
}

impl Consumer for Module {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.header = Some(header);
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        self.instructions.push(instruction);
        ParseAction::Continue
    }
}

/// What is known of ids when they are printed.
#[derive(Default)]
struct Names {
    names: HashMap<u32, String>,
    taken: HashSet<String>,
    /// Types of 32-bit floats.
    floats: HashSet<u32>,
    /// Instruction sets that are GLSL's.
    glsl: HashSet<u32>,
}

impl Names {
    fn of(instructions: &[Instruction]) -> Self {
        let mut names = Self::default();
        for instruction in instructions {
            if let (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) =
                (instruction.class.opcode, instruction.operands.as_slice())
            {
                names.add(*id, name);
            }
        }
        // Types that have no name of their own are called as `spirv-dis` calls them.
        for instruction in instructions {
            let Some(id) = instruction.result_id else { continue };
            let name = match (instruction.class.opcode, instruction.operands.as_slice()) {
                (Op::TypeVoid, _) => "void".to_owned(),
                (Op::TypeBool, _) => "bool".to_owned(),
                (Op::TypeInt, [Operand::LiteralBit32(32), Operand::LiteralBit32(sign)]) => {
                    if *sign == 0 { "uint" } else { "int" }.to_owned()
                }
                (Op::TypeFloat, [Operand::LiteralBit32(32), ..]) => {
                    names.floats.insert(id);
                    "float".to_owned()
                }
                (Op::TypeVector, [Operand::IdRef(of), Operand::LiteralBit32(lanes)]) => {
                    format!("v{lanes}{}", names.id(*of).trim_start_matches('%'))
                }
                (Op::TypePointer, [class, Operand::IdRef(to)]) => {
                    format!("_ptr_{class}_{}", names.id(*to).trim_start_matches('%'))
                }
                (Op::ExtInstImport, [Operand::LiteralString(set)]) if set == "GLSL.std.450" => {
                    names.glsl.insert(id);
                    continue;
                }
                _ => continue,
            };
            if !names.names.contains_key(&id) {
                names.add(id, &name);
            }
        }
        names
    }

    /// Names an id. Names may be anything, in any number, so they are made words, and different.
    fn add(&mut self, id: u32, name: &str) {
        let word: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        // A number would be an id.
        let word = if word.bytes().all(|byte| byte.is_ascii_digit()) { format!("_{word}") } else { word };
        let mut free = word.clone();
        let mut number = 0;
        while !self.taken.insert(free.clone()) {
            free = format!("{word}_{number}");
            number += 1;
        }
        self.names.insert(id, free);
    }

    fn id(&self, id: u32) -> String {
        self.names.get(&id).map_or_else(|| format!("%{id}"), |name| format!("%{name}"))
    }

    fn line(&self, instruction: &Instruction, text: &mut String) {
        let result = instruction.result_id.map_or(String::new(), |id| format!("{} = ", self.id(id)));
        let _ = write!(text, "{result:>width$}Op{}", instruction.class.opname, width = INDENT + 3);
        if let Some(ty) = instruction.result_type {
            let _ = write!(text, " {}", self.id(ty));
        }
        let constant = matches!(instruction.class.opcode, Op::Constant | Op::SpecConstant);
        let float = constant && instruction.result_type.is_some_and(|ty| self.floats.contains(&ty));
        let set = instruction.operands.first().and_then(Operand::id_ref_any);
        let glsl = set.is_some_and(|set| self.glsl.contains(&set));
        for operand in &instruction.operands {
            text.push(' ');
            match operand {
                Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => {
                    text.push_str(&self.id(*id));
                }
                Operand::LiteralString(string) => {
                    let _ = write!(text, "\"{}\"", string.replace('\\', "\\\\").replace('"', "\\\""));
                }
                Operand::LiteralBit32(bits) if float => text.push_str(&float_literal(*bits)),
                Operand::LiteralExtInstInteger(number) if glsl => match GlslStd450Op::from_u32(*number) {
                    Some(op) => {
                        let _ = write!(text, "{op:?}");
                    }
                    None => {
                        let _ = write!(text, "{number}");
                    }
                },
                operand => text.push_str(&operand.disassemble()),
            }
        }
        text.push('\n');
    }
}

/// A float that assembles to the same bits: decimal, or hexadecimal as `spirv-as` wants infinity, NaN and denormals.
fn float_literal(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_normal() || value == 0.0 {
        return format!("{value:?}").trim_end_matches(".0").to_owned();
    }
    let sign = if bits >> 31 != 0 { "-" } else { "" };
    // The fraction's 23 bits as six digits, and the exponent that all bits set, or none, stand for.
    let fraction = (bits & 0x7F_FFFF) << 1;
    if bits >> 23 & 0xFF == 0xFF {
        format!("{sign}0x1.{fraction:06x}p+128")
    } else {
        format!("{sign}0x0.{fraction:06x}p-126")
    }
}

#[cfg(test)]
mod tests {
    use super::{float_literal, list};
    use afterimage_shader::{Language, Profile, RuntimeInfo, Shader};
    use std::io::Write;
    use std::path::Path;
    use std::process::{Command, Stdio};

    /// Assembles text by `spirv-as`, ids that are numbers keeping them.
    fn assemble(text: &str) -> Option<Vec<u32>> {
        let file = tempfile::NamedTempFile::new().expect("temporary file");
        let child = Command::new("spirv-as")
            .args(["--target-env", "vulkan1.3", "--preserve-numeric-ids", "-", "-o"])
            .arg(file.path())
            .stdin(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            assert!(std::env::var_os("CI").is_none(), "spirv-as is not installed: run cargo xtask setup");
            eprintln!("spirv-as is not installed (run cargo xtask setup): the listings are not assembled");
            return None;
        };
        child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("spirv-as reads");
        assert!(child.wait().expect("it ends").success(), "{text}");
        let bytes = std::fs::read(file.path()).expect("written");
        Some(bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect())
    }

    #[test]
    fn listings_assemble_to_what_they_list() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/shader-d3d9/tests/filetests");
        let mut listed = 0;
        for entry in std::fs::read_dir(folder).expect("folder") {
            let text = std::fs::read_to_string(entry.expect("entry").path()).expect("text");
            let tokens = afterimage_shader_d3d9::assemble(&text).expect("assembles");
            let bytes: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
            let shader = Shader::new(Language::D3d9, &bytes).expect("tokens");
            let runtime = RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() };
            let profile = Profile { debug_names: true, ..Profile::default() };
            let listing = list(&shader.compile(&profile, &runtime).expect("compiles").words).expect("lists");
            let Some(words) = assemble(&listing) else { return };
            // Names take the place of numbers, and the highest number may change with them.
            let same =
                |listing: String| listing.lines().filter(|line| !line.contains("Bound")).collect::<Vec<_>>().join("\n");
            assert_eq!(same(list(&words).expect("lists")), same(listing));
            listed += 1;
        }
        assert!(listed >= 7);
    }

    #[test]
    fn floats_keep_their_bits() {
        for (bits, text) in [
            (0x3F80_0000, "1"),
            (0x8000_0000, "-0"),
            (0x3DCC_CCCD, "0.1"),
            (0x7F80_0000, "0x1.000000p+128"),
            (0xFFC0_0000, "-0x1.800000p+128"),
            (0x0000_0001, "0x0.000002p-126"),
            (0x7F7F_FFFF, "3.4028235e38"),
        ] {
            assert_eq!(float_literal(bits), text);
        }
    }

    #[test]
    fn what_is_no_spirv_is_an_error() {
        for words in [&[][..], &[0x0723_0203], &[0x0723_0203, 0x0001_0600, 0, 9, 0, 0x0002_FFFF, 1]] {
            assert!(list(words).is_err(), "{words:x?}");
        }
    }
}
