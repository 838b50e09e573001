//! What a saved state has of the translator, which is little: memory is the truth, and what was made of it is made again.

use super::prepared::Prepared;
use super::{Display, Translator};
use crate::machine::{Graphics, kept};
use crate::memory::GuestMemory;

/// What neither memory nor the machine knows.
#[derive(Debug, Default)]
pub(crate) struct Saved {
    /// Samples that passed since the machine began.
    passed: u64,
    /// How many bytes of each buffer stream-out has filled.
    stream_out: [u32; 4],
    /// Buffers of the display by handle and index.
    displays: Vec<((u32, u32), Display)>,
    /// What was shown last.
    shown: Option<Display>,
}

kept!(Saved { passed, stream_out, displays, shown });
kept!(Display { address, width, height, pitch, format, blue_first, tile_mode });

impl Translator {
    /// What goes into a saved state. Whatever was drawn or stored is in memory, and `gds` has what shaders left there, when this returns.
    pub(crate) fn saved(&mut self, memory: &mut dyn GuestMemory, gds: &mut [u8]) -> Saved {
        self.recover();
        self.before_cpu_reads(memory, 0, u64::MAX);
        self.before_gds_read(gds);
        let mut displays: Vec<_> = self.screen.buffers.iter().map(|(place, display)| (*place, *display)).collect();
        displays.sort_unstable_by_key(|(place, _)| *place);
        let passed = self.passed.total(&mut self.port);
        Saved { passed, stream_out: self.stream_out, displays, shown: self.screen.shown }
    }

    /// Goes on with a saved state: nothing of memory and `gds` is what it was.
    pub(crate) fn restore(&mut self, saved: Saved, gds: &[u8]) {
        self.recover();
        self.anew = true;
        self.prepared = Prepared::default();
        self.computes.clear();
        self.begin();
        self.memory_changed(&(0..u64::MAX), true);
        self.gds_written(gds, 0..gds.len());
        self.global_share.mark_known();
        self.passed.set(&mut self.port, saved.passed);
        self.stream_out = saved.stream_out;
        self.screen.buffers = saved.displays.into_iter().collect();
        self.screen.shown = saved.shown;
    }
}
