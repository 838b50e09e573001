//! Assembles `samples/shaders/*.asm` into one C++ header. `cargo xtask bless` runs it.
//!
//! Usage: assemble FOLDER. Writes FOLDER/shaders.h.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: assemble FOLDER");
        return ExitCode::FAILURE;
    };
    match header(Path::new(&folder)) {
        Ok(text) => match std::fs::write(Path::new(&folder).join("shaders.h"), text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&format!("{folder}/shaders.h: {error}")),
        },
        Err(message) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}

fn header(folder: &Path) -> Result<String, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "asm"));
    files.sort();
    let mut out = String::from(
        "// Generated from the .asm files beside it by `cargo xtask bless`. Do not edit.\n#pragma once\n\n\
         #include <d3d9.h>\n\nnamespace shaders {\n",
    );
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().replace('.', "_");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let tokens = afterimage_shader_d3d9::asm::assemble(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        let _ = write!(out, "\ninline const DWORD {name}[] = {{");
        for (index, token) in tokens.iter().enumerate() {
            let _ = write!(out, "{}0x{token:08x},", if index % 8 == 0 { "\n    " } else { " " });
        }
        out.push_str("\n};\n");
    }
    out.push_str("\n} // namespace shaders\n");
    Ok(out)
}
