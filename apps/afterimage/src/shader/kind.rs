//! What shaders are written in: by option, by extension, by content.

use super::error::Why;
use super::gcn;
use afterimage_shader_nv2a::{Program, disasm, parse};
use clap::ValueEnum;
use std::path::Path;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum From {
    /// Direct3D 9 shader tokens (.o .cso .vso .pso; .bin by what is in it).
    D3d9,
    /// Direct3D 9 assembler text (.asm .txt).
    Asm,
    /// SPIR-V (.spv).
    Spirv,
    /// IR text (.air).
    Ir,
    /// NV2A (Xbox) transform microcode: words (.xvu .nv2a) or assembler text (.vsh).
    Nv2a,
    /// GCN (PlayStation 4) shaders: shader files (.sb), what Afterimage sends to its renderer (.gcn), raw code (.bin by what is in it),
    /// which needs --stage if it has no footer, or assembler text (.gcnasm).
    Gcn,
}

impl From {
    /// Every extension that says what a file is. `.txt` says it too, but is no reason to read one found in a folder.
    const EXTENSIONS: &[(&str, Self)] = &[
        ("asm", Self::Asm),
        ("txt", Self::Asm),
        ("o", Self::D3d9),
        ("cso", Self::D3d9),
        ("vso", Self::D3d9),
        ("pso", Self::D3d9),
        ("spv", Self::Spirv),
        ("air", Self::Ir),
        ("xvu", Self::Nv2a),
        ("nv2a", Self::Nv2a),
        ("vsh", Self::Nv2a),
        ("gcn", Self::Gcn),
        ("sb", Self::Gcn),
        ("gcnasm", Self::Gcn),
    ];

    /// The extension of shaders of which only their content says what they are.
    const ANY: &str = "bin";

    /// By the file's extension.
    pub(super) fn of_path(path: &Path) -> Option<Self> {
        of_extension(Self::EXTENSIONS, path)
    }

    /// The extensions of files that are read where they are found in a folder.
    pub(super) fn extensions() -> String {
        let names = Self::EXTENSIONS.iter().map(|(name, _)| *name).filter(|name| *name != "txt").chain([Self::ANY]);
        names.map(|name| format!(".{name}")).collect::<Vec<_>>().join(" ")
    }

    /// Whether a file that is found in a folder is a shader.
    pub(super) fn is_shader(path: &Path) -> bool {
        let extension = extension(path);
        let known = extension.eq_ignore_ascii_case(Self::ANY) || Self::of_path(path).is_some();
        known && !extension.eq_ignore_ascii_case("txt")
    }

    /// By what is in it.
    pub(super) fn of_content(bytes: &[u8]) -> Result<Self, Why> {
        match bytes.first_chunk().map(|word| u32::from_le_bytes(*word)) {
            // The version of a vertex or pixel shader. No instruction of GCN begins so, so that what lacks its end token is no code either.
            Some(0xFFFE_0000..) => return Ok(Self::D3d9),
            // Either byte order.
            Some(0x0723_0203 | 0x0302_2307) => return Ok(Self::Spirv),
            _ if gcn::is_shader(bytes) => return Ok(Self::Gcn),
            _ if is_microcode(bytes) => return Ok(Self::Nv2a),
            _ if gcn::is_code(bytes) => return Ok(Self::Gcn),
            _ => {}
        }
        let text = std::str::from_utf8(bytes).map_err(|_| Why::Unknown)?;
        let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with([';', '/']));
        match first {
            Some(line) if line.starts_with("vs_") || line.starts_with("ps_") => Ok(Self::Asm),
            Some(line) if line.replace('.', "_").eq_ignore_ascii_case(disasm::VERSION) => Ok(Self::Nv2a),
            Some(line) if line.starts_with("vertex") || line.starts_with("pixel") => Ok(Self::Ir),
            _ => Err(Why::Unknown),
        }
    }
}

/// Whether bytes can be nothing else but transform microcode: one program from the first word to the last.
fn is_microcode(bytes: &[u8]) -> bool {
    let memory = parse::memory_from_bytes(bytes).unwrap_or_default();
    let unused = memory.iter().all(|words| words[0] == 0);
    unused && Program::parse(&memory, 0).is_ok_and(|program| program.instructions.len() == memory.len())
}

/// What an output is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum To {
    /// SPIR-V for Vulkan 1.3 (.spv).
    #[default]
    Spirv,
    /// SPIR-V as text (.spvasm).
    SpirvAsm,
    /// Metal Shading Language 2.4 (.metal).
    Msl,
    /// The IR after all passes (.air).
    Ir,
    /// The input in its own assembler text (.asm .txt .vsh .gcnasm).
    Disasm,
}

impl To {
    /// Every extension that says what an output is.
    pub(super) const EXTENSIONS: [(&str, Self); 8] = [
        ("spv", Self::Spirv),
        ("spvasm", Self::SpirvAsm),
        ("metal", Self::Msl),
        ("air", Self::Ir),
        ("asm", Self::Disasm),
        ("txt", Self::Disasm),
        ("vsh", Self::Disasm),
        ("gcnasm", Self::Disasm),
    ];

    /// By the output's extension.
    pub(super) fn of_path(path: &Path) -> Option<Self> {
        of_extension(&Self::EXTENSIONS, path)
    }

    pub(super) fn is_binary(self) -> bool {
        self == Self::Spirv
    }

    /// The extension of its files.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Spirv => "spv",
            Self::SpirvAsm => "spvasm",
            Self::Msl => "metal",
            Self::Ir => "air",
            Self::Disasm => "asm",
        }
    }

    /// What begins a comment in it, up to the end of the line; nothing binary has comments.
    pub(super) fn comment(self) -> &'static str {
        if self == Self::Msl { "//" } else { ";" }
    }

    /// Its name in the summary.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Spirv => "SPIR-V",
            Self::SpirvAsm => "SPIR-V text",
            Self::Msl => "Metal",
            Self::Ir => "IR",
            Self::Disasm => "assembler text",
        }
    }
}

/// What a file's extension says.
pub(super) fn of_extension<T: Copy>(table: &[(&str, T)], path: &Path) -> Option<T> {
    let extension = extension(path);
    table.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known)).map(|(_, what)| *what)
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::feedback::Written;
    use super::{From, To};
    use crate::outputs::{CAPTURING, TEXTS, TOKENS, TRANSLATED};

    #[test]
    fn what_may_be_written_is_what_extensions_mean() {
        assert_eq!(To::EXTENSIONS.map(|(name, _)| name), TRANSLATED);
        assert_eq!(Written::EXTENSIONS.map(|(name, _)| name), CAPTURING);
        // Text and words of each language that has an assembler.
        for (name, from) in From::EXTENSIONS {
            let written = TEXTS.contains(name) || TOKENS.contains(name);
            assert_eq!(written, !matches!(from, From::Spirv | From::Ir) && *name != "sb", "{name}");
        }
    }

    #[test]
    fn content_says_what_a_shader_is() {
        let of = |words: &[u32]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            From::of_content(&bytes).ok()
        };
        assert_eq!(of(&[0xFFFE_0200, 0x0000_FFFF]), Some(From::D3d9));
        assert_eq!(of(&[0xFFFF_0300]), Some(From::D3d9), "and its end is missing");
        // s_mov_b32, s_endpgm; a branch that goes nowhere; code that does not end.
        assert_eq!(of(&[0xBE80_0301, 0xBF81_0000]), Some(From::Gcn));
        assert_eq!(of(&[0xBF82_0100, 0xBF81_0000]), None);
        assert_eq!(of(&[0xBE80_0301]), None);
        for kind in 0xFFFE..=0xFFFF_u32 {
            let starts = (0..=0xFFFF).filter(|low| {
                afterimage_shader_gcn::code_length(|at| [kind << 16 | low, 0, 0xBF81_0000].get(at).copied()).is_ok()
            });
            assert_eq!(starts.count(), 0, "no instruction begins as Direct3D's versions do");
        }
    }
}
