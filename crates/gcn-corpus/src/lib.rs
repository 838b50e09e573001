//! Test material for the GCN front end: shaders of our own, and what Mesa's RADV makes of them for gfx7.
//!
//! The files are in `crates/shader-gcn/tests/radv`, whose README says what is in them; `cargo xtask gnm shaders` writes them. A
//! [`Program`] is the GLSL files of one name with their SPIR-V and the header that says what they read and write; [`Compiled`] is
//! what one compiler made of it; [`World`] is memory with descriptors and contents, as the code expects to find it.
#![forbid(unsafe_code)]

pub mod compiled;
pub mod expected;
pub mod foreign;
mod format;
pub mod header;
pub mod limits;
mod pattern;
pub mod reflect;
mod world;

use std::path::{Path, PathBuf};

pub use compiled::{Compiled, Compiler, Shader};
pub use format::{Channel, FORMATS, Format};
pub use header::{Compare, Header, Kind, Resource};
pub use pattern::Pattern;
pub use world::{Place, Shift, World, layout};

/// Why something in the corpus cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line of a file is wrong.
    #[error("{path}:{line}: {why}")]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line, counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

/// Stages of GLSL in the order of the pipeline, by the extensions of their files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Vertex.
    Vert,
    /// Tessellation control.
    Tesc,
    /// Tessellation evaluation.
    Tese,
    /// Geometry.
    Geom,
    /// Fragment.
    Frag,
    /// Compute.
    Comp,
}

impl Stage {
    /// Every stage.
    pub const ALL: [Stage; 6] = [Stage::Vert, Stage::Tesc, Stage::Tese, Stage::Geom, Stage::Frag, Stage::Comp];

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        ["vert", "tesc", "tese", "geom", "frag", "comp"][self as usize]
    }
}

/// GLSL files of one name: a compute shader, or the stages of a graphics pipeline.
#[derive(Clone, Debug)]
pub struct Program {
    /// The files' name without extension.
    pub name: String,
    /// Its stages, in order.
    pub stages: Vec<Stage>,
    /// What the headers of all its files say.
    pub header: Header,
    folder: PathBuf,
}

impl Program {
    /// The GLSL file of a stage.
    pub fn source(&self, stage: Stage) -> PathBuf {
        self.folder.join(format!("{}.{}", self.name, stage.extension()))
    }

    /// The SPIR-V file of a stage.
    pub fn spirv_file(&self, stage: Stage) -> PathBuf {
        self.folder.join("spirv").join(format!("{}.{}.spv", self.name, stage.extension()))
    }

    /// The words of a stage's SPIR-V.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn spirv(&self, stage: Stage) -> Result<Vec<u32>, Error> {
        let path = self.spirv_file(stage);
        let bytes = std::fs::read(&path).map_err(|source| Error::File { path, source })?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// The file of what a compiler made of it.
    pub fn compiled_file(&self, compiler: Compiler) -> PathBuf {
        self.folder.join("gcn").join(format!("{}.{compiler}.txt", self.name))
    }

    /// What a compiler made of it.
    ///
    /// # Errors
    /// When the file cannot be read or is malformed.
    pub fn compiled(&self, compiler: Compiler) -> Result<Compiled, Error> {
        let path = self.compiled_file(compiler);
        let text = read(&path)?;
        Compiled::parse(&text).map_err(|(line, why)| Error::Line { path, line, why })
    }

    /// The compilers whose code there is.
    pub fn compilers(&self) -> &'static [Compiler] {
        if self.header.no_llvm { &[Compiler::Aco] } else { &Compiler::ALL }
    }

    /// Whether it is a compute shader.
    pub fn is_compute(&self) -> bool {
        self.stages == [Stage::Comp]
    }
}

/// Where the corpus lies in this tree.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shader-gcn/tests/radv")
}

/// All programs of the corpus by name.
///
/// # Errors
/// When a file cannot be read or a header is malformed.
pub fn programs() -> Result<Vec<Program>, Error> {
    programs_in(&folder())
}

/// All programs of a folder of GLSL files by name.
///
/// # Errors
/// When a file cannot be read or a header is malformed.
pub fn programs_in(folder: &Path) -> Result<Vec<Program>, Error> {
    let failed = |source| Error::File { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let text = |part: Option<&std::ffi::OsStr>| part.and_then(|part| part.to_str()).map(str::to_owned);
        let (Some(name), Some(extension)) = (text(path.file_stem()), text(path.extension())) else { continue };
        if let Some(stage) = Stage::ALL.into_iter().find(|stage| stage.extension() == extension) {
            files.push((name, stage, path));
        }
    }
    files.sort();
    let mut programs: Vec<Program> = Vec::new();
    for (name, stage, path) in files {
        if programs.last().is_none_or(|program| program.name != name) {
            let header = Header::default();
            programs.push(Program { name, stages: Vec::new(), header, folder: folder.to_owned() });
        }
        let Some(program) = programs.last_mut() else { continue };
        program.stages.push(stage);
        let text = read(&path)?;
        program.header.add(&text).map_err(|(line, why)| Error::Line { path, line, why })?;
    }
    Ok(programs)
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })
}
