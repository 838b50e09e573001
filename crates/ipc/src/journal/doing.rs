//! What a renderer may be doing, and how that is said.

use afterimage_stream::ObjectId;
use afterimage_stream::packets::{Kind, Stage};
use smallvec::SmallVec;
use std::fmt;
use std::time::Duration;

/// Shaders that a piece of work names.
pub const SUSPECTS: usize = 4;

/// Something that may take long and is not the GPU's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A shader's code becomes a module.
    Translate,
    /// The driver makes a pipeline.
    Pipeline,
}

impl Task {
    pub(super) const ALL: [(Self, &'static str); 2] =
        [(Self::Translate, "translating"), (Self::Pipeline, "making a pipeline with")];
}

/// A shader that may be why the GPU takes long, or ends its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its id.
    pub id: ObjectId,
    /// Stage.
    pub stage: Stage,
    /// The first 16 of the 32 hexadecimal digits of its code's hash, by which `afterimage` knows shaders.
    pub hash: u64,
    /// Its loops, after translation.
    pub loops: u32,
    /// How many of them are inside of each other.
    pub depth: u32,
}

impl fmt::Display for Suspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} shader {} {:016x}", self.stage.name(), self.id, self.hash)?;
        match self.loops {
            0 => Ok(()),
            1 => f.write_str(" (1 loop)"),
            loops if self.depth > 1 => write!(f, " ({loops} loops, {} deep)", self.depth),
            loops => write!(f, " ({loops} loops)"),
        }
    }
}

/// What a submission draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The frames of its first and last draw.
    pub frames: [u64; 2],
    /// Numbers in their frames of its first and last draw or dispatch, from 1; 0 where it has none.
    pub draws: [u32; 2],
    /// The shaders that it draws with which have the most loops.
    pub suspects: SmallVec<[Suspect; SUSPECTS]>,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([first, last], [from, to]) = (self.frames, self.draws);
        match (first == last, from == to) {
            (_, true) if to == 0 => write!(f, "frame {last}, no draws")?,
            (true, true) => write!(f, "frame {first}, draw {from}")?,
            (true, false) => write!(f, "frame {first}, draw {from} to {to}")?,
            (false, _) => write!(f, "frame {first}, draw {from}, to frame {last}, draw {to}")?,
        }
        for (index, suspect) in self.suspects.iter().enumerate() {
            write!(f, "{}{suspect}", if index == 0 { ", " } else { " or " })?;
        }
        Ok(())
    }
}

/// What a renderer is doing, or was when it died.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doing {
    /// The frame.
    pub frame: Option<u64>,
    /// Its draws and dispatches so far; the one that is being executed counts.
    pub draw: u32,
    /// The packet that is being executed: its kind and sequence number.
    pub packet: Option<(Kind, u32)>,
    /// How long it has taken, as far as a watchdog has seen.
    pub busy: Duration,
    /// What threads are making, with shaders' [`Suspect::hash`].
    pub tasks: Vec<(Task, u64)>,
    /// Submissions that the GPU has not completed, as far as is known; the oldest first.
    pub in_flight: Vec<Work>,
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.frame.map(|frame| format!("frame {frame}")));
        parts.extend((self.draw > 0).then(|| format!("draw {}", self.draw)));
        if let Some((kind, sequence)) = self.packet {
            parts.push(format!("packet {} (sequence {sequence})", kind.name()));
        }
        for (task, hash) in &self.tasks {
            let does = Task::ALL.iter().find(|(other, _)| other == task).map_or("", |(_, name)| name);
            parts.push(format!("{does} shader {hash:016x}"));
        }
        match &self.in_flight[..] {
            [] => {}
            [work] => parts.push(format!("the GPU at {work}")),
            [work, rest @ ..] => parts.push(format!("the GPU at {work}, and {} submissions behind it", rest.len())),
        }
        match parts.is_empty() {
            true => f.write_str("nothing"),
            false => f.write_str(&parts.join(", ")),
        }
    }
}
