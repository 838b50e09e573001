//! What is drawn: captures of every kind.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build::{Profile, Tree};
use xtask::setup::Machine;
use xtask::step::{self, Context, Result};
use xtask::workspace::Workspace;

use crate::conformance;
use crate::gnm::scenes;
use crate::matrix;
use crate::nv2a;
use crate::wine::Wine;

/// Where captures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// The sample programs, teapots among them.
    Samples,
    /// Recordings of an Xbox, beside the tree.
    Nv2a,
    /// Scenes of the PlayStation 4 that the tests of `afterimage-gnm` draw.
    Gnm,
    /// What Wine's visual tests of Direct3D 9 draw.
    Wine,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Nv2a => "nv2a",
            Self::Gnm => "gnm",
            Self::Wine => "wine",
        }
    }
}

/// Of each kind what is quick, and has something of everything.
const QUICK_RECORDINGS: &[&str] = &["Clear/", "Texture_format/", "Alpha_func/", "Combiner/"];
const QUICK_SCENES: &[&str] = &["a_triangle", "cube", "torus", "blending_adds", "stencils_of_both"];
const QUICK_SUBTESTS: &[&str] =
    &["visual.lighting_test", "visual.test_blend", "visual.test_shademode", "visual.stretchrect_test"];

/// A capture.
#[derive(Debug, Clone)]
pub(crate) struct Material {
    /// As lists name it: `wine/visual.test_blend`.
    pub(crate) name: String,
    pub(crate) capture: PathBuf,
}

/// What makes captures.
pub(crate) struct Source<'a> {
    pub(crate) ws: &'a Workspace,
    pub(crate) machine: &'a Machine,
    pub(crate) tree: &'a Tree,
    pub(crate) profile: Profile,
    /// Only what is quick.
    pub(crate) quick: bool,
    /// Where captures go.
    pub(crate) out: &'a Path,
}

impl Source<'_> {
    /// The captures of a kind, made anew. None where they cannot be made, which is said.
    ///
    /// # Errors
    /// When one cannot be made that could.
    pub(crate) fn captures(&self, kind: Kind) -> Result<Vec<Material>> {
        let folder = self.out.join(kind.name());
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
        match kind {
            Kind::Samples => {
                let wine = Wine::start(self.ws, self.machine, self.tree)?;
                let captures = matrix::captured(self.ws, self.tree, &wine, &folder)?;
                let material = |(name, capture): (&str, PathBuf)| Material { name: format!("sample/{name}"), capture };
                Ok(captures.into_iter().map(material).collect())
            }
            Kind::Nv2a => self.recordings(&folder),
            Kind::Gnm => {
                let filters = if self.quick { QUICK_SCENES } else { &[] };
                let recordings = scenes::record(self.ws, self.profile, &folder, filters)?;
                let files = files(&recordings.join("standard"), ".gcap");
                self.of_recordings(kind, &folder, &files, stem)
            }
            Kind::Wine => {
                let patterns = if self.quick { QUICK_SUBTESTS } else { &[] };
                let ran = conformance::captured(self.ws, self.machine, self.tree, patterns, &folder)?;
                let files = files(&folder, ".aftercap");
                if let Some(ran) = ran {
                    println!("{ran} sub-tests, {} of which draw", files.len());
                }
                let material = |capture: PathBuf| Material { name: format!("wine/{}", stem(&capture)), capture };
                Ok(files.into_iter().map(material).collect())
            }
        }
    }

    fn recordings(&self, folder: &Path) -> Result<Vec<Material>> {
        let beside = nv2a::beside(self.ws);
        let named = |path: &Path| {
            let suite = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
            format!("{suite}/{}", stem(path))
        };
        let wanted = |path: &PathBuf| !self.quick || QUICK_RECORDINGS.iter().any(|name| named(path).starts_with(name));
        let files: Vec<PathBuf> = nv2a::recordings(&beside).into_iter().filter(wanted).collect();
        if files.is_empty() {
            println!("skipped: {}", nv2a::absent(&beside).summary());
        }
        self.of_recordings(Kind::Nv2a, folder, &files, named)
    }

    /// Captures of what recordings draw.
    fn of_recordings(
        &self,
        kind: Kind,
        folder: &Path,
        files: &[PathBuf],
        named: impl Fn(&Path) -> String + Sync,
    ) -> Result<Vec<Material>> {
        let one = |file: &PathBuf| -> Result<Material> {
            let name = named(file);
            let capture = folder.join(format!("{name}.aftercap"));
            if let Some(parent) = capture.parent() {
                std::fs::create_dir_all(parent).doing(format!("creating {}", parent.display()))?;
            }
            let mut replay = Command::new(self.tree.afterimage());
            replay.arg("replay").arg(file).arg("--capture").arg(&capture).env("AFTERIMAGE_VALIDATE", "0");
            step::output(&mut replay, "making a capture of a recording")?;
            Ok(Material { name: format!("{}/{name}", kind.name()), capture })
        };
        step::side_by_side(files, one).into_iter().collect()
    }
}

/// A file's name up to its ending.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let endings = [".kcap.gz", ".kcap", ".gcap", ".aftercap"];
    endings.iter().find_map(|ending| name.strip_suffix(ending)).map_or(name.clone(), str::to_owned)
}

/// Files of a folder with such an ending, by name.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    files
}
