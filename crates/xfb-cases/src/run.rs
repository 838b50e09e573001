//! Running cases on a path, and comparing paths.

use std::time::{Duration, Instant};

use afterimage_passes::feedback::Form;
use afterimage_vulkan::{Options, Without};

use crate::case::{Case, Ran};
use crate::gpu::{Device, GpuError};
use crate::interp::Interp;
use crate::model;

/// Our Vulkan layer. Where its manifest lies is in `VK_ADD_LAYER_PATH`, and that it answers in `AFTERIMAGE_XFB`.
const LAYER: &std::ffi::CStr = c"VK_LAYER_AFTERIMAGE_transform_feedback";

/// A way to run a case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, clap::ValueEnum)]
pub enum Path {
    /// Lowered to a shader that stores, on the device: what devices without VK_EXT_transform_feedback get.
    Lowered,
    /// Likewise in the scattering form, where a draw can have it.
    LoweredScatter,
    /// The device's own VK_EXT_transform_feedback.
    Native,
    /// As `native`, where the extension is our Vulkan layer's: `cargo xtask xfb-cases` builds it, and says where it is.
    Layer,
    /// Lowered, and run by the reference interpreter: needs no Vulkan.
    Interp,
    /// Likewise in the scattering form, a vertex shader.
    InterpScatter,
    /// Plain Rust, without any shader.
    Model,
}

impl Path {
    /// Every path.
    pub const ALL: [Self; 7] = [
        Self::Model,
        Self::Interp,
        Self::InterpScatter,
        Self::Native,
        Self::Lowered,
        Self::LoweredScatter,
        Self::Layer,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lowered => "lowered",
            Self::LoweredScatter => "lowered-scatter",
            Self::Native => "native",
            Self::Layer => "layer",
            Self::Interp => "interp",
            Self::InterpScatter => "interp-scatter",
            Self::Model => "model",
        }
    }
}

/// How cases are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Cases of a submission.
    pub batch: usize,
    /// How long the device may take for it.
    pub limit: Duration,
    /// Whether the validation layer watches.
    pub validate: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { batch: 256, limit: Duration::from_secs(60), validate: false }
    }
}

/// Why a path gives no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The device.
    #[error("{path}: {error}")]
    Gpu {
        /// The path.
        path: &'static str,
        /// What it says.
        error: GpuError,
    },
    /// A case that a path cannot run.
    #[error("{path}, case {id}: {why}")]
    Case {
        /// The path.
        path: &'static str,
        /// The case's `id`.
        id: String,
        /// Why.
        why: String,
    },
}

/// What runs the cases of a path.
pub struct Runner {
    path: Path,
    how: How,
    /// Time that it took.
    pub took: Duration,
}

enum How {
    Model,
    Interp(Vec<Interp>),
    Device(Box<Device>),
}

impl Runner {
    /// Gets a path ready.
    ///
    /// # Errors
    /// [`RunError::Gpu`] where there is no device for it.
    pub fn open(path: Path, settings: &Settings) -> Result<Self, RunError> {
        let interps = |form| {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            How::Interp((0..threads).map(|_| Interp::new(form)).collect())
        };
        let device = |transform_feedback, feedback_form| {
            let options = Options::from_env();
            let without = Without { transform_feedback, ..options.without };
            let validate = options.validate || settings.validate;
            let layers = if path == Path::Layer { vec![LAYER] } else { Vec::new() };
            let options = Options { cache_dir: None, without, validate, feedback_form, layers, ..options };
            let device = Device::open(options, settings.batch, settings.limit);
            device
                .map_err(|error| RunError::Gpu { path: path.name(), error })
                .map(|device| How::Device(Box::new(device)))
        };
        let how = match path {
            Path::Model => How::Model,
            Path::Interp => interps(Form::Gather),
            Path::InterpScatter => interps(Form::Scatter),
            Path::Native | Path::Layer => device(false, Form::Gather)?,
            Path::Lowered => device(true, Form::Gather)?,
            Path::LoweredScatter => device(true, Form::Scatter)?,
        };
        Ok(Self { path, how, took: Duration::ZERO })
    }

    /// The path.
    pub fn path(&self) -> Path {
        self.path
    }

    /// What runs it, in words.
    pub fn name(&self) -> String {
        match &self.how {
            How::Device(device) => format!("{} ({})", self.path.name(), device.name()),
            _ => self.path.name().to_owned(),
        }
    }

    /// Runs cases; `progress` hears how many are done.
    ///
    /// # Errors
    /// That of the first case that has one.
    pub fn run(&mut self, cases: &[Case], progress: &mut dyn FnMut(usize)) -> Result<Vec<Ran>, RunError> {
        let start = Instant::now();
        let path = self.path.name();
        let ran = match &mut self.how {
            How::Model => Ok(cases.iter().map(model::run).collect()),
            How::Interp(interps) => interpret(interps, path, cases, progress),
            How::Device(device) => device.run(cases, progress).map_err(|error| RunError::Gpu { path, error }),
        };
        self.took += start.elapsed();
        ran
    }

    /// Closes the device, if it has one.
    ///
    /// # Errors
    /// When the validation layer had something to say.
    pub fn close(self) -> Result<(), RunError> {
        match self.how {
            How::Device(device) => device.close().map_err(|error| RunError::Gpu { path: self.path.name(), error }),
            How::Model | How::Interp(_) => Ok(()),
        }
    }
}

/// All threads take cases in pieces.
fn interpret(
    interps: &mut [Interp],
    path: &'static str,
    cases: &[Case],
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<Ran>, RunError> {
    const PIECE: usize = 16;
    let mut all = Vec::with_capacity(cases.len());
    for round in cases.chunks(PIECE * interps.len()) {
        let share = |(interp, share): (&mut Interp, &[Case])| -> Result<Vec<Ran>, RunError> {
            let run = |case: &Case| {
                let wrong = |why| RunError::Case { path, id: case.id.to_string(), why };
                interp.run(case).map_err(wrong)
            };
            share.iter().map(run).collect()
        };
        let shares = interps.iter_mut().zip(round.chunks(PIECE));
        let done: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = shares.map(|work| scope.spawn(move || share(work))).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        for ran in done {
            all.extend(ran?);
        }
        progress(all.len());
    }
    Ok(all)
}

/// Cases in pieces of as many as can be kept with all their memory, and of one at least.
pub fn pieces(cases: &[Case]) -> impl Iterator<Item = &[Case]> {
    const CASES: usize = 512;
    const BYTES: u64 = 256 << 20;
    let mut rest = cases;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = rest.iter().take(CASES).take_while(|case| {
            bytes += case.memory();
            bytes <= BYTES
        });
        let (piece, behind) = rest.split_at(fits.count().max(1).min(rest.len()));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Two paths that do not agree.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The first case in which they differ, which can be a file of its own.
    pub case: Case,
    /// In which way.
    pub how: String,
}

/// Runs cases on all paths, and compares everything that they leave behind with what the first of them does.
///
/// # Errors
/// Those of [`Runner::run`].
pub fn compare(
    runners: &mut [Runner],
    cases: &[Case],
    progress: &mut dyn FnMut(usize),
) -> Result<Option<Difference>, RunError> {
    let Some((first, others)) = runners.split_first_mut() else { return Ok(None) };
    let mut done = 0;
    for piece in pieces(cases) {
        let wanted = first.run(piece, &mut |_| {})?;
        for runner in &mut *others {
            let names = [first.path.name(), runner.path.name()];
            let ran = runner.run(piece, &mut |_| {})?;
            for ((case, wanted), ran) in piece.iter().zip(&wanted).zip(&ran) {
                if let Some(how) = wanted.difference(ran, names) {
                    return Ok(Some(Difference { case: case.clone(), how }));
                }
            }
        }
        done += piece.len();
        progress(done);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_all_the_cases_and_little_memory() {
        let mut cases = vec![Case::new(3, false, 9, 1); 1200];
        for case in &mut cases[600..640] {
            case.ranges[0].bytes = 64 << 20;
        }
        cases[700].ranges[0].offset = 300 << 20;
        let all: Vec<&[Case]> = pieces(&cases).collect();
        assert_eq!(all.concat(), cases);
        let memory = |piece: &[Case]| piece.iter().map(Case::memory).sum::<u64>();
        assert!(all.iter().all(|piece| piece.len() <= 512 && (piece.len() == 1 || memory(piece) <= 256 << 20)));
        assert!(all.len() < 30 && pieces(&[]).next().is_none());
    }
}
