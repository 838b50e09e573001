//! Assembles `samples/shaders/*.asm` into one C++ header, and each into a file of tokens as a fuzz target's first input.
//! `cargo xtask bless` runs it.
//!
//! Usage: assemble FOLDER SEEDS. Writes FOLDER/shaders.h and SEEDS/NAME.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (Some(folder), Some(seeds)) = (words.next(), words.next()) else {
        return fail("usage: assemble FOLDER SEEDS");
    };
    let (folder, seeds) = (Path::new(&folder), Path::new(&seeds));
    let written = shaders(folder).and_then(|shaders| {
        write(&folder.join("shaders.h"), header(&shaders).as_bytes())?;
        for (name, tokens) in &shaders {
            let bytes: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
            write(&seeds.join(name), &bytes)?;
        }
        Ok(())
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder.and_then(|()| std::fs::write(path, bytes)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Every shader's name and tokens, by name.
fn shaders(folder: &Path) -> Result<Vec<(String, Vec<u32>)>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "asm"));
    files.sort();
    let assemble = |file: &Path| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().replace('.', "_");
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let tokens = afterimage_shader_d3d9::assemble(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok((name, tokens))
    };
    files.iter().map(|file| assemble(file)).collect()
}

fn header(shaders: &[(String, Vec<u32>)]) -> String {
    let mut out = String::from(
        "// Generated from the .asm files beside it by `cargo xtask bless`. Do not edit.\n#pragma once\n\n\
         #include <d3d9.h>\n\nnamespace shaders {\n",
    );
    for (name, tokens) in shaders {
        let _ = write!(out, "\ninline const DWORD {name}[] = {{");
        for (index, token) in tokens.iter().enumerate() {
            let _ = write!(out, "{}0x{token:08x},", if index % 8 == 0 { "\n    " } else { " " });
        }
        out.push_str("\n};\n");
    }
    out.push_str("\n} // namespace shaders\n");
    out
}
