//! What a renderer may ask for that has a process for itself, and what it is told when something takes too long.

use afterimage_config::Settings;
use afterimage_ipc::{Doing, Journal, Work};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long a GPU may take for a submission.
pub const OF_GPUS: Duration = Duration::from_secs(10);

/// The same for a device that is the CPU, which may compile shaders when it first draws with them.
pub const OF_CPUS: Duration = Duration::from_secs(60);

/// For a renderer that has its process for itself, so that it may be ended.
#[derive(Clone)]
pub struct OwnProcess {
    /// Where is noted what is being done. Renderers that live at the same time need one each: what the second one does with the same
    /// is not noted for others.
    pub journal: Option<Arc<Journal>>,
    /// How long the GPU may take for a submission; a packet may take ten times that. [`Duration::ZERO`]: nobody looks;
    /// [`OwnProcess::AUTOMATIC`]: as suits the device.
    pub gpu_timeout: Duration,
    /// Called when a device is open, before anything is drawn: what only its opening needed can be given up.
    pub opened: Option<Arc<dyn Fn() + Send + Sync>>,
    /// Called once, from a thread of its own, when something has taken too long. Nothing that Vulkan is asked for can be relied on
    /// then: it should end the process, without running destructors.
    pub on_hang: Arc<dyn Fn(&Hang) + Send + Sync>,
}

impl OwnProcess {
    /// A timeout of 10 s on GPUs, of 60 s on devices that are the CPU.
    pub const AUTOMATIC: Duration = Duration::MAX;

    /// The timeout that the configuration asks for (option `gpu_timeout_s`).
    #[must_use]
    pub fn timeout_of(settings: &Settings) -> Duration {
        match settings.gpu_timeout_s {
            0 => Self::AUTOMATIC,
            seconds => Duration::from_secs(seconds.into()),
        }
    }

    /// The timeout on a device that is the CPU, or on one that is none; zero where nobody looks.
    pub fn timeout_on(&self, is_cpu: bool) -> Duration {
        match self.gpu_timeout {
            Self::AUTOMATIC if is_cpu => OF_CPUS,
            Self::AUTOMATIC => OF_GPUS,
            other => other,
        }
    }
}

impl fmt::Debug for OwnProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnProcess").field("gpu_timeout", &self.gpu_timeout).finish_non_exhaustive()
    }
}

/// What took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The GPU, with a submission.
    Submission,
    /// The renderer, or the driver's compiler, with a packet.
    Packet,
}

/// Something took too long, and what it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Hang {
    /// What took too long.
    pub cause: Cause,
    /// What it might have taken.
    pub limit: Duration,
    /// The submission, where it is known.
    pub work: Option<Work>,
    /// What the renderer was doing meanwhile.
    pub doing: Doing,
}

impl fmt::Display for Hang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.limit.as_secs_f64();
        match (self.cause, &self.work) {
            (Cause::Submission, Some(work)) => {
                write!(f, "the GPU did not finish a submission within {seconds} s: {work}")
            }
            (Cause::Submission, None) => {
                write!(f, "the GPU did not finish a submission within {seconds} s, behind {}", self.doing)
            }
            (Cause::Packet, _) => write!(f, "a packet took longer than {seconds} s: {}", self.doing),
        }
    }
}
