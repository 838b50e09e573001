//! What is being recorded, and how far it has come.

use crate::commands::list::{Call, List};
use crate::commands::player::Player;
use crate::commands::submit::Submissions;
use crate::device::gpu::Gpu;
use crate::error::Result;
use afterimage_render::order::Order;
use afterimage_render::own_process::OwnProcess;
use afterimage_stream::packets::Kind;
use ash::vk;
use std::sync::Arc;

/// Draws that a GPU with nothing to do gets at once. A submission and the state anew take the CPU 8 us, the time of 70 draws.
const EARLY_DRAWS: u64 = 1000;

/// Calls that are worth handing over, and that lie in the nearest caches together.
const MANY_CALLS: usize = 256;

/// Cores of which a program, the renderer and the driver leave one for recording.
const MANY_CORES: usize = 4;

/// Bytes of uploads that count as a draw: 4 MiB are as much as [`EARLY_DRAWS`].
const BYTES_OF_DRAW: u64 = 4096;

/// Command buffers, the order of what is in them, and counts of draws.
pub(crate) struct Recorder {
    gpu: Arc<Gpu>,
    /// Calls of draws that are not in the command buffer yet.
    list: List,
    /// Who plays them, if not this thread.
    player: Option<Player>,
    pub(crate) submissions: Submissions,
    pub(crate) order: Order,
    /// Groups of markers that are open.
    pub(crate) groups: u32,
    pub(crate) draws: u64,
    /// Draws wait that nothing may be recorded before.
    pub(crate) draws_wait: bool,
    /// What `draws` was at the last submission.
    pub(crate) draws_submitted: u64,
    /// Bytes of uploads since then.
    pub(crate) uploaded: u64,
    /// See [`crate::Renderer::submit_early`].
    pub(crate) early_draws: u64,
    /// Times of calls are being taken: nothing is submitted early.
    pub(crate) timed: bool,
    pub(crate) skipped_draws: u64,
    /// Draws that were recorded in calls with others that have other push constants.
    pub(crate) merged_draws: u64,
}

impl Recorder {
    /// Nothing is recorded yet.
    ///
    /// # Errors
    /// Where Vulkan refuses something basic.
    pub(crate) fn new(gpu: &Arc<Gpu>, own_process: Option<&OwnProcess>, record_thread: Option<bool>) -> Result<Self> {
        let discrete = gpu.profile.kind == vk::PhysicalDeviceType::DISCRETE_GPU;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let pays = cores >= MANY_CORES && gpu.profile.kind != vk::PhysicalDeviceType::CPU;
        // Where somebody watches, the thread that does everything else says what calls are played for.
        let may = own_process.is_none();
        if record_thread == Some(true) && !may {
            tracing::warn!(
                "record_thread = on: not in a renderer with a process of its own, which tells what it does by one thread"
            );
        }
        let player = (may && record_thread.unwrap_or(pays)).then(|| Player::new(gpu)).flatten();
        Ok(Self {
            gpu: Arc::clone(gpu),
            list: List::default(),
            player,
            submissions: Submissions::new(gpu, own_process)?,
            order: Order::default(),
            groups: 0,
            draws: 0,
            draws_wait: false,
            draws_submitted: 0,
            uploaded: 0,
            early_draws: if discrete { EARLY_DRAWS } else { u64::MAX },
            timed: false,
            skipped_draws: 0,
            merged_draws: 0,
        })
    }

    /// Whether so much was recorded that a GPU with nothing to do should get it.
    pub(crate) fn has_much(&self) -> bool {
        !self.timed
            && (self.draws - self.draws_submitted).saturating_add(self.uploaded / BYTES_OF_DRAW) >= self.early_draws
    }

    /// The command buffer that is recorded in order, with everything in it that was listed. Where more is listed before a call is
    /// recorded, ask again.
    pub(crate) fn main(&mut self) -> vk::CommandBuffer {
        debug_assert!(!self.draws_wait, "draws before this command are not recorded");
        self.submissions.main_used = true;
        self.play();
        self.submissions.main
    }

    /// Records a call of draws, some time before [`Recorder::main`] returns next.
    #[inline(always)]
    pub(crate) fn call(&mut self, call: Call) {
        self.list.push(call);
    }

    /// Stores words that a call has: where they are.
    #[inline]
    pub(crate) fn store(&mut self, words: impl IntoIterator<Item = u32>) -> u32 {
        self.list.store(words)
    }

    /// A packet begins to be executed, as [`Watch::begin`](crate::commands::watch::Watch::begin) has it: where somebody watches, that is
    /// noted, and that of a draw again when its calls are played.
    #[inline(always)]
    pub(crate) fn note(&mut self, kind: Kind, frame: Option<u64>, sequence: u32) {
        if let Some(watch) = &mut self.submissions.watch
            && let Some(draw) = watch.begin(kind, frame, sequence)
        {
            self.list.push(Call::Blame { kind, sequence, draw });
        }
    }

    /// Behind draws: what is listed is handed over if it is much, or played.
    #[inline]
    pub(crate) fn draws_are_listed(&mut self) {
        self.submissions.main_used = true;
        if self.list.len() >= MANY_CALLS {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        match &mut self.player {
            // SAFETY: the command buffer is being recorded, and nobody else does that before `play` has waited.
            Some(player) => unsafe { player.send(self.submissions.main, &mut self.list) },
            None => self.play(),
        }
    }

    /// Sees to it that the command buffer has everything that was listed.
    pub(crate) fn play(&mut self) {
        if let Some(player) = &self.player {
            player.finish();
        }
        if !self.list.is_empty() {
            let Submissions { main, watch, .. } = &mut self.submissions;
            let journal = watch.as_ref().map(|watch| &**watch.journal());
            // SAFETY: the command buffer is being recorded, by this thread alone now; what draws need was listed before them.
            unsafe { self.list.play(&self.gpu, *main, journal) };
            if let Some(watch) = watch {
                watch.resume();
            }
        }
    }
}
