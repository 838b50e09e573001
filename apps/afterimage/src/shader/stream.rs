//! Shader files as the stream carries them.

use super::convert;
use super::error::Why;
use super::gcn;
use super::io::{self, Content};
use super::kind::From;
use crate::Failure;
use afterimage_shader::Language;
use std::path::Path;

/// A shader file's language, by extension or else by content, and the bytes that a `CreateShader` packet has of it.
pub(crate) fn code(path: &Path) -> Result<(Language, Vec<u8>), Failure> {
    let told = |why: Why| Failure::new(format!("{}: {why}", path.display()));
    let bytes = io::read(path).map_err(told)?;
    let from = match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ir")) {
        true => From::Ir,
        false => From::of_path(path).map_or_else(|| From::of_content(&bytes), Ok).map_err(told)?,
    };
    let code = match from {
        From::Spirv => Ok((Language::Spirv, bytes)),
        From::Ir => Ok((Language::Ir, bytes)),
        From::D3d9 | From::Asm => {
            convert::tokens(from, &bytes).map(|tokens| (Language::D3d9, Content::words(&tokens).bytes().to_vec()))
        }
        From::Nv2a => convert::microcode(&bytes).map(|program| (Language::Nv2aProgram, program.to_bytes())),
        From::Gcn => gcn::source(&bytes, None).map(|source| (Language::Gcn, source.to_bytes())),
    };
    code.map_err(told)
}
