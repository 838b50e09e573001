//! What shaders are written in: by option, by extension, by content.

use super::error::Why;
use afterimage_shader_nv2a::{Program, disasm, parse};
use clap::ValueEnum;
use std::path::Path;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum From {
    /// Direct3D 9 shader tokens (.o .cso .bin .vso .pso).
    D3d9,
    /// Direct3D 9 assembler text (.asm .txt).
    Asm,
    /// SPIR-V (.spv).
    Spirv,
    /// IR text (.air).
    Ir,
    /// NV2A (Xbox) transform microcode: words (.xvu .nv2a) or assembler text (.vsh).
    Nv2a,
    /// GCN (PlayStation 4) shaders: what Afterimage sends to its renderer (.gcn), raw code with --stage, or assembler text
    /// (.gcnasm).
    Gcn,
}

impl From {
    /// Every extension that says what a file is. `.txt` says it too, but is no reason to read one found in a folder.
    const EXTENSIONS: &[(&str, Self)] = &[
        ("asm", Self::Asm),
        ("txt", Self::Asm),
        ("o", Self::D3d9),
        ("cso", Self::D3d9),
        ("bin", Self::D3d9),
        ("vso", Self::D3d9),
        ("pso", Self::D3d9),
        ("spv", Self::Spirv),
        ("air", Self::Ir),
        ("xvu", Self::Nv2a),
        ("nv2a", Self::Nv2a),
        ("vsh", Self::Nv2a),
        ("gcn", Self::Gcn),
        ("gcnasm", Self::Gcn),
    ];

    /// By the file's extension.
    pub(super) fn of_path(path: &Path) -> Option<Self> {
        let extension = extension(path).to_ascii_lowercase();
        Self::EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, from)| *from)
    }

    /// The extensions of files that are read where they are found in a folder.
    pub(super) fn extensions() -> String {
        let names = Self::EXTENSIONS.iter().filter(|(name, _)| *name != "txt").map(|(name, _)| format!(".{name}"));
        names.collect::<Vec<_>>().join(" ")
    }

    /// Whether a file that is found in a folder is a shader.
    pub(super) fn is_shader(path: &Path) -> bool {
        !extension(path).eq_ignore_ascii_case("txt") && Self::of_path(path).is_some()
    }

    /// By what is in it.
    pub(super) fn of_content(bytes: &[u8]) -> Result<Self, Why> {
        match bytes.first_chunk().map(|word| u32::from_le_bytes(*word)) {
            Some(0xFFFE_0000..) => return Ok(Self::D3d9),
            // Either byte order.
            Some(0x0723_0203 | 0x0302_2307) => return Ok(Self::Spirv),
            Some(word) if word.to_le_bytes() == *b"GCN1" => return Ok(Self::Gcn),
            _ if is_microcode(bytes) => return Ok(Self::Nv2a),
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
    /// The input in its own assembler text (.asm .txt).
    Disasm,
}

impl To {
    /// By the output's extension; the default if that says nothing.
    pub(super) fn of_path(path: &Path) -> Self {
        match extension(path).to_ascii_lowercase().as_str() {
            "spvasm" => Self::SpirvAsm,
            "metal" => Self::Msl,
            "air" => Self::Ir,
            "asm" | "txt" => Self::Disasm,
            _ => Self::default(),
        }
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

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}
