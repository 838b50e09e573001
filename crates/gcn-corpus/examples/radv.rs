//! `radv FOLDER OUT [--unlisted] NAME...`: compiles programs of the corpus with RADV's device without hardware, and writes what comes
//! out; `--unlisted`: without the names of instructions, which foreign programs need not have.
//!
//! FOLDER has the GLSL files with their headers and, in `spirv/`, their SPIR-V. `RADV_FORCE_FAMILY=bonaire` must be set;
//! `RADV_DEBUG=llvm` chooses LLVM. `cargo xtask gnm shaders` does all of it.
//!
//! The code, the register words and the table of user SGPRs are in the pipeline cache's data, the listings in the executable
//! properties. The offsets in `entry` are those of Mesa 25.0.7 on x86-64 (radv_shader.h, radv_shader_info.h, ac_binary.h), so
//! another version is refused.

#[path = "radv/entry.rs"]
mod entry;
#[path = "radv/listing.rs"]
mod listing;
#[path = "radv/pipeline.rs"]
mod pipeline;

use std::path::Path;
use std::process::ExitCode;

use afterimage_gcn_corpus::reflect::reflect;
use afterimage_gcn_corpus::{Compiled, Compiler, Program, Stage, programs_in};

/// The exit code when there is no such device here.
const NO_DEVICE: u8 = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, out, names @ ..] = &arguments[..] else {
        eprintln!("usage: radv FOLDER OUT [--unlisted] NAME...");
        return ExitCode::from(2);
    };
    let device = match pipeline::Device::open() {
        Ok(device) => device,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(NO_DEVICE);
        }
    };
    let llvm = std::env::var("RADV_DEBUG").is_ok_and(|debug| debug.split(',').any(|word| word == "llvm"));
    let compiler = if llvm { Compiler::Llvm } else { Compiler::Aco };
    let programs = match programs_in(Path::new(folder)) {
        Ok(programs) => programs,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let listed = !names.iter().any(|name| name == "--unlisted");
    let mut failures = 0;
    for program in programs.iter().filter(|program| names.contains(&program.name)) {
        // Said before, so that a crash of the compiler has a name.
        println!("{}", program.name);
        let path = Path::new(out).join(format!("{}.{compiler}.txt", program.name));
        let written = compile(&device, program, compiler, listed)
            .and_then(|compiled| std::fs::write(&path, compiled.to_string()).map_err(|why| why.to_string()));
        if let Err(why) = written {
            eprintln!("{}: {why}", program.name);
            failures += 1;
        }
    }
    // The device without hardware is left as it is: taking it down crashes.
    std::process::exit(i32::from(failures != 0));
}

/// Compiles a program and puts together what the cache and the listings say.
fn compile(device: &pipeline::Device, program: &Program, compiler: Compiler, listed: bool) -> Result<Compiled, String> {
    let pipeline = device.pipeline(program, listed)?;
    let entries = entry::entries(&pipeline.cache)?;
    // Which parameter a varying is, is known by the last stage before rasterisation.
    let last = entries.iter().find(|entry| entry.shader().is_ok_and(|shader| shader.stage == "vs"));
    let mut shaders = Vec::new();
    for entry in &entries {
        let mut shader = entry.shader()?;
        if shader.stage == "cs" {
            shader.threads = reflect(&program.spirv(Stage::Comp).map_err(|why| why.to_string())?)?.threads;
        }
        if let (Some(last), "ps") = (last, shader.stage.as_str()) {
            shader.registers.extend(entry.inputs(last.parameters()));
        }
        let (code, data) = entry.code();
        shader.data = data;
        if !listed {
            shader.listing = listing::unlisted(&code)?;
            shaders.push((Stage::ALL.iter().position(|stage| stage.extension() == shader.from), shader));
            continue;
        }
        let name = executable(&shader.from);
        let text = pipeline.listings.iter().find(|(listed, _)| listed == name);
        let names = || pipeline.listings.iter().map(|(listed, _)| listed.as_str()).collect::<Vec<_>>().join(", ");
        let (_, text) = text.ok_or_else(|| format!("there is no listing `{name}`, only {}", names()))?;
        let listing = match compiler {
            Compiler::Aco => listing::of_aco(text, &code),
            Compiler::Llvm => listing::of_llvm(text, &code),
        };
        shader.listing = listing.map_err(|why| format!("{name}: {why}\n{text}"))?;
        shaders.push((Stage::ALL.iter().position(|stage| stage.extension() == shader.from), shader));
    }
    shaders.sort_by_key(|(order, _)| order.unwrap_or(usize::MAX));
    Ok(Compiled { shaders: shaders.into_iter().map(|(_, shader)| shader).collect() })
}

/// What the driver calls the executable of a stage.
fn executable(from: &str) -> &str {
    match from {
        "vert" => "vertex",
        "tesc" => "tessellation control",
        "tese" => "tessellation evaluation",
        "geom" => "geometry",
        "frag" => "fragment",
        "comp" => "compute",
        "copy" => "geometry copy",
        other => other,
    }
}
