//! What a renderer with a process of its own notes for its [`Watchdog`]: packets, draws, and what each submission draws with.

use crate::device::gpu::Gpu;
use crate::error::{Error, Result};
use afterimage_ipc::{Journal, SUSPECTS, Suspect, Work};
use afterimage_render::loops::Loops;
use afterimage_render::own_process::OwnProcess;
use afterimage_render::watchdog::Watchdog;
use afterimage_stream::packets::{CallKind, Kind};
use ash::vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// A draw by its frame and its number there.
type Place = (u64, u32);

pub(crate) struct Watch {
    journal: Arc<Journal>,
    /// None where nobody looks.
    watchdog: Option<Watchdog>,
    /// The last draw or dispatch.
    last: Place,
    /// Whether it is what is being executed.
    drawing: bool,
    /// The packet that is being executed.
    packet: Option<(Kind, u32)>,
    /// What is being recorded: its first draw, and the shaders of its draws with the most loops; those first.
    first: Option<Place>,
    suspects: SmallVec<[(Loops, Suspect); SUSPECTS]>,
}

impl Watch {
    /// Begins to watch what a semaphore counts. To be dropped before the semaphore is.
    pub(crate) fn new(gpu: &Arc<Gpu>, timeline: vk::Semaphore, own: &OwnProcess) -> Result<Self> {
        // One that another renderer writes would have the numbers of both.
        let given = own.journal.clone().filter(|journal| journal.take());
        let journal = given.unwrap_or_else(|| Arc::new(Journal::local()));
        let mut watch = Self {
            journal: Arc::clone(&journal),
            watchdog: None,
            last: (0, 0),
            drawing: false,
            packet: None,
            first: None,
            suspects: SmallVec::new(),
        };
        let limit = own.timeout_on(gpu.profile.kind == vk::PhysicalDeviceType::CPU);
        if !limit.is_zero() {
            let gpu = Arc::clone(gpu);
            let completed = move || {
                // SAFETY: a timeline of this device, which is not destroyed before this thread has ended.
                unsafe { gpu.raw.get_semaphore_counter_value(timeline) }.ok()
            };
            let watchdog = Watchdog::new(journal, limit, Arc::clone(&own.on_hang), completed);
            watch.watchdog = Some(watchdog.map_err(Error::Watchdog)?);
        }
        Ok(watch)
    }

    pub(crate) fn journal(&self) -> &Arc<Journal> {
        &self.journal
    }

    /// A packet, which has been checked, begins to be executed; one that begins a frame says which. Answers which draw or dispatch of
    /// the frame it is, if it is one. Not inlined, as it made what draws take a fifth longer also where nobody watches.
    #[inline(never)]
    pub(crate) fn begin(&mut self, kind: Kind, frame: Option<u64>, sequence: u32) -> Option<u32> {
        self.packet = Some((kind, sequence));
        self.journal.begin_packet(kind, sequence);
        self.drawing = matches!(kind.call(), Some(CallKind::Draw | CallKind::Dispatch));
        if self.drawing {
            self.last.1 = self.last.1.saturating_add(1);
            self.first.get_or_insert(self.last);
            self.journal.begin_draw(self.last.1);
        } else if let Some(frame) = frame {
            self.last = (frame, 0);
            self.journal.begin_frame(frame);
        }
        self.drawing.then_some(self.last.1)
    }

    /// Calls of other draws have been played: what is being executed is again what it was.
    pub(crate) fn resume(&mut self) {
        if let Some((kind, sequence)) = self.packet {
            self.journal.begin_packet(kind, sequence);
            self.journal.begin_draw(self.last.1);
        }
    }

    /// The batch has been executed.
    pub(crate) fn idle(&mut self) {
        self.drawing = false;
        self.packet = None;
        self.journal.end_packet();
    }

    /// What was recorded is about to be submitted.
    pub(crate) fn submit(&mut self, number: u64) {
        let first = self.first.take();
        // A draw may have begun and come with the next submission.
        self.first = self.drawing.then_some(self.last);
        let (first, last) = first.map_or(((self.last.0, 0), (self.last.0, 0)), |first| (first, self.last));
        // Where nothing has loops, what has the most code.
        let all = self.suspects.drain(..).enumerate();
        let named = all.filter(|(index, (_, suspect))| *index == 0 || suspect.loops > 0);
        let suspects = named.map(|(_, (_, suspect))| suspect).collect();
        self.journal.submit(number, &Work { frames: [first.0, last.0], draws: [first.1, last.1], suspects });
    }

    /// What was about to be submitted was not.
    pub(crate) fn withdraw(&mut self, number: u64) {
        self.journal.withdraw(number);
    }

    /// The GPU has completed all up to this.
    pub(crate) fn completed(&mut self, number: u64) {
        self.journal.complete(number);
    }

    /// The device is lost: it will complete nothing more.
    pub(crate) fn lost(&mut self) {
        match self.journal.read().in_flight.first() {
            Some(work) => tracing::error!("the device was lost at {work}"),
            None => tracing::error!("the device was lost with nothing to do"),
        }
        self.journal.complete(u64::MAX);
    }

    /// What is being recorded draws with a shader.
    pub(crate) fn note(&mut self, loops: Loops, suspect: impl FnOnce() -> Option<Suspect>) {
        if self.suspects.len() == SUSPECTS && self.suspects.last().is_some_and(|(least, _)| *least >= loops) {
            return;
        }
        let Some(suspect) = suspect() else { return };
        if self.suspects.iter().any(|(_, other)| *other == suspect) {
            return;
        }
        self.suspects.truncate(SUSPECTS - 1);
        let at = self.suspects.iter().position(|(other, _)| *other < loops).unwrap_or(self.suspects.len());
        self.suspects.insert(at, (loops, suspect));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It reads the journal, which is another renderer's from here on.
        self.watchdog = None;
        self.journal.release();
    }
}
