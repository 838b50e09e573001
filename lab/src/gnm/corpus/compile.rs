//! From a shader's text to a program of a corpus: SPIR-V, a header, the stages that it needs beside it, and RADV's code of all of them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use afterimage_gcn_corpus::reflect::reflect;
use afterimage_gcn_corpus::{Compiler, expected, foreign};
use xtask::step::{Context, Result};

use super::sources::{Foreign, Language};

/// What glslang is told, until it takes the shader: as it is, with what only OpenGL has, and of a later version.
const GLSLANG: [&[&str]; 3] = [
    &["-V", "--amb", "--aml", "--target-env", "vulkan1.2"],
    &["-V", "--amb", "--aml", "-R", "--target-env", "vulkan1.2"],
    &["-V", "--amb", "--aml", "--target-env", "vulkan1.3"],
];
/// The same for `spirv-as`.
const ASSEMBLER: [&[&str]; 2] = [&["--target-env", "vulkan1.1"], &["--target-env", "vulkan1.2"]];
/// What is said to `spirv-val` of SPIR-V as it comes.
const VALIDATOR: [&str; 4] = ["--target-env", "vulkan1.3", "--scalar-block-layout", "-"];

/// The folders of a corpus.
#[derive(Clone, Debug)]
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn spirv(&self, name: &str, stage: &str) -> PathBuf {
        self.0.join("spirv").join(format!("{name}.{stage}.spv"))
    }

    pub(super) fn code(&self, name: &str, compiler: Compiler) -> PathBuf {
        self.0.join("gcn").join(format!("{name}.{compiler}.txt"))
    }

    /// The source of a stage, with the header.
    pub(super) fn source(&self, name: &str, stage: &str) -> PathBuf {
        self.0.join(format!("{name}.{stage}"))
    }

    pub(super) fn recordings(&self) -> PathBuf {
        self.0.join("recordings")
    }
}

fn output(command: &mut Command, input: Option<&[u8]>) -> std::io::Result<(bool, Vec<u8>)> {
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        // A program that ends early has not read all of it.
        let _ = stdin.write_all(input);
    }
    let output = child.wait_with_output()?;
    Ok((output.status.success(), output.stdout))
}

/// Compiles GLSL or assembles a text; whether that was possible.
fn to_spirv(shader: &Foreign, folder: &Folder) -> Result<bool> {
    let out = folder.spirv(&shader.name, shader.stage);
    let (program, attempts) = match shader.language {
        Language::Glsl => ("glslangValidator", &GLSLANG[..]),
        Language::Assembly => ("spirv-as", &ASSEMBLER[..]),
    };
    for arguments in attempts {
        let mut command = Command::new(program);
        command.args(*arguments).arg("-o").arg(&out).current_dir(shader.file.parent().unwrap_or(Path::new(".")));
        match (&shader.text, shader.language) {
            (Some(_), _) => command.args(["--stdin", "-S", shader.stage]),
            (None, Language::Glsl) => command.args(["-S", shader.stage]).arg(&shader.file),
            (None, Language::Assembly) => command.arg(&shader.file),
        };
        let (done, _) = output(&mut command, shader.text.as_deref().map(str::as_bytes))
            .doing(format!("starting {program}"))
            .map_err(|failure| failure.advise("install it: apt-get install glslang-tools spirv-tools"))?;
        if done && out.is_file() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn words(file: &Path) -> Result<Vec<u32>> {
    let bytes = std::fs::read(file).doing(format!("reading {}", file.display()))?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// Makes a program of a shader. What keeps it from being one is said in a few words.
///
/// # Errors
/// When a tool cannot be started or a file cannot be written.
pub(super) fn program(shader: &Foreign, folder: &Folder) -> Result<std::result::Result<(), String>> {
    let Foreign { name, stage, .. } = shader;
    if !to_spirv(shader, folder)? {
        return Ok(Err("no SPIR-V for Vulkan".to_owned()));
    }
    let words = words(&folder.spirv(name, stage))?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut validator = Command::new("spirv-val");
    let (valid, _) = output(validator.args(VALIDATOR), Some(&bytes)).doing("starting spirv-val")?;
    if !valid {
        return Ok(Err("SPIR-V that is not valid as it comes".to_owned()));
    }
    let made = reflect(&words).and_then(|interface| {
        let mut header = foreign::header(&interface, name)?;
        let test = shader.test.as_deref().and_then(expected::parse);
        header += &test.and_then(|test| test.header(&interface)).unwrap_or_default();
        let (stages, lines) = foreign::companions(&interface)?;
        Ok((header + &lines, stages))
    });
    let (header, stages) = match made {
        Ok(made) => made,
        Err(why) => return Ok(Err(why)),
    };
    for (stage, text) in &stages {
        let (ending, source) = (stage.extension(), folder.source(name, stage.extension()));
        std::fs::write(&source, text).doing(format!("writing {}", source.display()))?;
        let mut command = Command::new("glslangValidator");
        command.args(GLSLANG[0]).args(["-S", ending]).arg("-o").arg(folder.spirv(name, ending)).arg(&source);
        let (done, text) = output(&mut command, None).doing("starting glslangValidator")?;
        if !done {
            let text = String::from_utf8_lossy(&text);
            let line = text.lines().find(|line| line.contains("ERROR")).unwrap_or_default();
            let line = line.rsplit_once(": ").map_or(line, |(_, line)| line);
            return Ok(Err(format!("no {ending} shader goes with it: {line}")));
        }
    }
    let source = folder.source(name, stage);
    std::fs::write(&source, header).doing(format!("writing {}", source.display())).map(Ok)
}
