//! From registers to packets of the stream: [`Translator`] draws for the machine.
//!
//! * `draws`, `primitives`, `dispatch`: draws and dispatches; `geometry`: what runs in front of a draw for a geometry shader,
//!   and `emitted`, which makes indices of that on the GPU; `tessellation`: for patches, with `tessellate`, the tessellator; `front`: what both leave; `stream_out`: what a draw captures.
//! * `plan`: what is known of a draw before anything is done for it; `levels`: the groups that it needs.
//! * `targets` with `metadata`, `viewport`, `states`, `stencils`, `queries`, `samplers`: registers and descriptors as state of the host; `apply`: groups of
//!   it that are dirty. What the receiver has already is not sent.
//! * `shaders`, `resources`: programs, what they read and write, and the bindings for that; `tables`: descriptors among which programs
//!   choose.
//! * `buffers`, `surfaces`, `texels`, `formats`, `convert`: host buffers and images for guest memory. Memory is the truth wherever two views
//!   of it differ; what is newer in host memory comes back when somebody asks for it. `copies` moves what is newer there.
//! * `samples`: every sample of an image from memory and back into it; `depth_copies`: draws that copy depth to a colour.
//! * `own`: buffers that stand for no guest memory; `global_share` is one of them.
//! * `screen`, `queries`: what is done besides draws; `saved`: what a saved state has of all this.

mod apply;
mod buffers;
mod convert;
mod copies;
mod depth_copies;
mod dispatch;
mod draws;
mod emitted;
mod formats;
mod front;
mod geometry;
mod global_share;
mod levels;
mod masks;
mod metadata;
mod on_chip;
mod own;
mod plan;
mod prepared;
mod primitives;
mod queries;
mod ranges;
mod resources;
mod samplers;
mod samples;
mod saved;
mod screen;
mod shaders;
mod states;
mod stencils;
mod stream_out;
mod surfaces;
mod tables;
mod targets;
mod tessellate;
mod tessellation;
mod texels;
mod viewport;

pub use screen::{Display, Picture, PictureError};

use crate::machine::{self, Graphics, Queue};
use crate::memory::{GuestMemory, Unmapped};
use afterimage_gnm_types::Registers;
use afterimage_state::Figures;
use afterimage_stream::packets::*;
use afterimage_stream::{Link, ObjectId, Once, Port, SampleCount, Sent};
use apply::Applied;
use buffers::Buffers;
use depth_copies::DepthCopies;
use global_share::GlobalShare;
use own::Owned;
use prepared::{Compute, Prepared};
use resources::Bindings;
use rustc_hash::FxHashMap;
use samplers::Samplers;
use samples::SampleMoves;
use screen::Screen;
use shaders::Shaders;
use std::ops::Range;
use std::path::Path;
use surfaces::Surfaces;
use tables::Tables;
use targets::Targets;
use tessellation::Tessellation;

/// Draws what the machine hands over, through a link of the stream.
pub struct Translator {
    port: Port,
    sent: Sent,
    /// What was made of the registers last.
    applied: Applied,
    /// What the last draw was made of.
    prepared: Prepared,
    /// What each queue's last dispatch was made of.
    computes: FxHashMap<Queue, Compute>,
    /// What state tracking came to since the last picture.
    figures: Figures,
    /// A receiver has come that no draw was sent to: nothing of the registers was.
    anew: bool,
    /// Goes up where objects of the receiver that a draw may have bound are gone.
    moved: u64,
    /// What is said once.
    once: Once,
    /// Goes up when memory may have been written by somebody else; what was looked at in this epoch is current.
    epoch: u64,
    buffers: Buffers,
    surfaces: Surfaces,
    targets: Targets,
    samplers: Samplers,
    tables: Tables,
    sample_moves: SampleMoves,
    depth_copies: DepthCopies,
    emitted: emitted::Shaders,
    shaders: Shaders,
    bindings: Bindings,
    passed: SampleCount,
    owned: Owned,
    global_share: GlobalShare,
    /// How many bytes of each buffer stream-out has filled.
    stream_out: [u32; 4],
    tessellation: Tessellation,
    screen: Screen,
    /// Room for bytes on their way.
    bytes: Vec<u8>,
}

impl Translator {
    /// Asks the receiver for a capture: [`Link::capture_frames`].
    pub fn capture_frames(&mut self, path: &Path, frames: u64) -> bool {
        self.port.capture_frames(path, frames)
    }

    /// A translator at the guest's end of a link. `name` is the program's, for logs and captures.
    #[must_use]
    pub fn new(link: Box<dyn Link>, name: &str) -> Self {
        Self {
            port: Port::new(link, Init::GNM, name),
            sent: Sent::default(),
            applied: Applied::default(),
            prepared: Prepared::default(),
            computes: FxHashMap::default(),
            figures: Figures::default(),
            anew: false,
            moved: 0,
            once: Once::default(),
            epoch: 1,
            buffers: Buffers::default(),
            surfaces: Surfaces::default(),
            targets: Targets::default(),
            samplers: Samplers::default(),
            tables: Tables::default(),
            sample_moves: SampleMoves::default(),
            depth_copies: DepthCopies::default(),
            emitted: emitted::Shaders::default(),
            shaders: Shaders::default(),
            bindings: Bindings::default(),
            passed: SampleCount::default(),
            owned: Owned::default(),
            global_share: GlobalShare::default(),
            stream_out: [0; 4],
            tessellation: Tessellation::default(),
            screen: Screen::default(),
            bytes: Vec::new(),
        }
    }

    /// The processor may have written any memory: everything is compared with it before it is next used.
    pub fn begin(&mut self) {
        self.recover();
        self.epoch += 1;
    }

    /// Writes what shaders stored into buffers back to memory. After this, the processor may write next to it.
    pub fn store_everything(&mut self, memory: &mut dyn GuestMemory) {
        for range in self.buffers.written() {
            self.store_buffers(memory, &range);
        }
    }

    /// Notes that memory was written; `over`: by somebody who did not know of what shaders stored there.
    fn memory_changed(&mut self, range: &Range<u64>, over: bool) {
        self.buffers.memory_changed(range, over);
        self.surfaces.memory_changed(range);
    }

    /// Where a new receiver has taken the place of a lost one: it knows nothing, so everything is made again from memory
    /// when a draw next needs it. What only the lost one had is gone.
    fn recover(&mut self) {
        if !self.port.returned() {
            return;
        }
        self.anew = true;
        self.prepared = Prepared::default();
        self.computes.clear();
        self.sent = Sent::default();
        self.applied = Applied::default();
        self.moved += 1;
        self.buffers.forget(&mut self.port);
        self.surfaces.forget(&mut self.port);
        self.targets.forget();
        self.samplers.forget(&mut self.port);
        self.tables.forget(&mut self.port);
        self.sample_moves.forget(&mut self.port);
        self.depth_copies.forget(&mut self.port);
        self.emitted.forget(&mut self.port);
        self.shaders.forget(&mut self.port);
        self.passed.forget(&mut self.port);
        self.owned.forget(&mut self.port);
        self.global_share.forget();
        self.screen.forget(&mut self.port);
        self.bindings = Bindings::default();
    }

    /// Takes a texture out of every binding, then destroys it.
    fn destroy_texture(&mut self, id: ObjectId) {
        self.moved += 1;
        self.bindings.forget_texture(&mut self.port, id);
        self.tables.forget_texture(id);
        if let Some(mut targets) = self.sent.targets {
            let views = targets.color.iter_mut().chain([&mut targets.depth]);
            views.filter(|view| view.texture == id).for_each(|view| *view = View::default());
            self.port.put(&mut self.sent.targets, targets);
        }
        self.port.destroy(id);
    }
}

impl Graphics for Translator {
    fn draw(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory, draw: &machine::Draw) {
        self.recover();
        if std::mem::take(&mut self.anew) {
            registers.tracker.mark_all();
        }
        registers.tracker.drawn();
        self.draw_vertices(registers, memory, draw);
        self.figures.add(&registers.tracker.take_figures());
        self.port.flush_if_due();
    }

    fn dispatch(
        &mut self,
        queue: Queue,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        dispatch: &machine::Dispatch,
    ) {
        self.recover();
        registers.tracker.drawn();
        self.dispatch_groups(queue, registers, memory, dispatch);
        self.figures.add(&registers.tracker.take_figures());
        self.port.flush_if_due();
    }

    fn before_cpu_reads(&mut self, memory: &mut dyn GuestMemory, address: u64, size: u64) {
        let range = address..address.saturating_add(size);
        self.store_buffers(memory, &range);
        self.store_surfaces(memory, &range, None);
    }

    fn cpu_wrote(&mut self, address: u64, size: u64) {
        self.memory_changed(&(address..address.saturating_add(size)), true);
    }

    fn copy(&mut self, memory: &mut dyn GuestMemory, from: u64, to: u64, size: u64) -> bool {
        self.recover();
        self.copy_buffers(memory, from..from.saturating_add(size), to..to.saturating_add(size))
    }

    fn fill(&mut self, memory: &mut dyn GuestMemory, to: u64, size: u64, word: u32) -> bool {
        self.recover();
        self.fill_buffers(memory, to..to.saturating_add(size), word)
    }

    fn passed_samples(&mut self) -> u64 {
        self.passed.total(&mut self.port)
    }

    fn stream_out_offset(&mut self, buffer: u32) -> u32 {
        self.stream_out.get(buffer as usize).copied().unwrap_or(0)
    }

    fn set_stream_out_offset(&mut self, buffer: u32, offset: u32) {
        if let Some(filled) = self.stream_out.get_mut(buffer as usize) {
            *filled = offset;
        }
    }

    fn before_gds_read(&mut self, gds: &mut [u8]) {
        self.store_global_share(gds);
    }

    fn gds_written(&mut self, gds: &[u8], written: Range<usize>) {
        self.global_share_changed(gds, written);
    }

    fn flip(&mut self, memory: &mut dyn GuestMemory, flip: &machine::Flip) {
        self.show_flip(memory, flip.handle, flip.buffer);
    }

    fn marker(&mut self, marker: &machine::Marker) {
        let (action, text) = match marker {
            machine::Marker::Push(text) => (Marker::BEGIN, text.as_str()),
            machine::Marker::Pop => (Marker::END, ""),
            machine::Marker::Set(text) => (Marker::MARK, text.as_str()),
        };
        let text = &text.as_bytes()[..text.floor_char_boundary(1024)];
        self.port.push_tail(&Marker { action, count: text.len() as u32, color: 0, pad: 0 }, text);
    }

    fn submit(&mut self) {
        self.port.flush();
    }
}

/// Copies what is mapped of a range; the rest of `out` stays as it is. Whether all of it was there.
fn read_mapped(memory: &dyn GuestMemory, address: u64, out: &mut [u8]) -> bool {
    if memory.read(address, out).is_ok() {
        return true;
    }
    for part in memory.parts(address..address.saturating_add(out.len() as u64)) {
        let _mapped = memory.read(part.start, &mut out[(part.start - address) as usize..(part.end - address) as usize]);
    }
    false
}

/// Writes what is mapped of a range.
///
/// # Errors
/// If something was to go where nothing is mapped: zeros are there already, for all that anybody can tell.
fn write_mapped(memory: &mut dyn GuestMemory, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
    if memory.write(address, bytes).is_ok() {
        return Ok(());
    }
    let end = address.saturating_add(bytes.len() as u64);
    let between = |from: u64, to: u64| &bytes[(from - address) as usize..(to - address) as usize];
    let lost = |from: u64, to: u64| match between(from, to).iter().all(|byte| *byte == 0) {
        true => Ok(()),
        false => Err(Unmapped { address: from, size: to - from }),
    };
    let (mut behind, mut written) = (address, Ok(()));
    for part in memory.parts(address..end) {
        let stored = memory.write(part.start, between(part.start, part.end));
        written = written.and(lost(behind, part.start)).and(stored);
        behind = part.end;
    }
    written.and(lost(behind, end))
}
