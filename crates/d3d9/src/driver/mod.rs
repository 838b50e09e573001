//! The calls of the API, in files by subject. Each call checks its arguments, then stores into the machine or writes
//! packets.

mod bindings;
mod buffers;
mod clear;
mod copy;
mod create;
mod describe;
mod device;
mod draw;
mod fixed;
mod front;
mod lock;
mod objects;
mod overrides;
mod palettes;
mod patches;
mod plain;
mod present;
mod process;
mod query;
mod shader_constants;
mod share;
mod shown;
mod state;
mod state_block;
mod targets;
mod tessellate;
mod vendor;

pub(crate) use objects::Objects;
pub use present::{Window, check_parameters};
pub use query::QueryData;

use crate::machine::Registers;
use crate::translate::Host;
use afterimage_d3d9_types::*;
use afterimage_stream::Port;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A Direct3D 9 device. One thread at a time; the layer above locks where the program asked for it.
///
/// **Ownership.** `create_*` returns a handle that the program holds. When the program's last reference goes, call
/// [`Device::release`]: it says whether the object is gone. One that is still bound or recorded lives on, may be handed
/// out again by a getter (then call [`Device::retain`]), and is reported by [`Device::take_dead`] once it is gone.
/// Implicit objects (back buffers, the automatic depth buffer, the declaration behind an FVF) come out of getters
/// with [`Device::user`] 0 until the layer above sets it, and are not held until it calls [`Device::retain`].
///
/// **Batches.** Packets are collected and handed over at about 24 KiB, at present, and where a reply is waited for.
///
/// **Loss.** While there is no receiver, drawing is dropped and [`Device::present`] and
/// [`Device::test_cooperative_level`] say so; resources go on working. When there is one again, everything that lives
/// is sent to it by itself.
pub struct Device {
    pub(crate) port: Port,
    pub(crate) registers: Registers,
    pub(crate) objects: Objects,
    pub(crate) host: Host,
    /// Clean groups are computed again at each draw ([`afterimage_state::checking`]).
    pub(crate) checks: bool,
    creation: D3DDEVICE_CREATION_PARAMETERS,
    /// Made by `CreateDeviceEx`: resources of the default pool survive a reset.
    extended: bool,
    in_scene: bool,
    /// What the program has asked for with `SetMaximumFrameLatency`.
    frame_latency: Option<u32>,
    /// The state block that is being recorded.
    recording: Option<Vec<state_block::Setting>>,
    /// Objects that were released while bound, and are gone now.
    dead: Vec<(crate::handle::Handle, usize)>,
    targets: Vec<present::Target>,
    /// See [`Device::set_overlay`].
    overlay: afterimage_stream::packets::Overlay,
    /// The automatic depth buffer, which stays for as long as the parameters ask for it.
    auto_depth: Option<crate::handle::ImageId>,
    /// Declarations that were made for an FVF code.
    fvf_declarations: FxHashMap<u32, crate::handle::DeclarationId>,
    pub(crate) palettes: palettes::Palettes,
    clip_status: D3DCLIPSTATUS9,
    clip_codes: process::ClipCodes,
    /// The processing whose vertex stage is applied.
    pub(crate) processing: Option<usize>,
    /// Buffers that are locked.
    locked_buffers: SmallVec<[crate::handle::BufferId; 4]>,
    /// Something did not fit into the upload arena: see [`Device::catch_up`].
    pub(crate) late: bool,
    late_buffers: Vec<crate::handle::BufferId>,
    patches: patches::Patches,
    pub(crate) overrides: overrides::Overrides,
    /// The draw that is being prepared has its vertices in the program's memory.
    pub(crate) from_memory: bool,
    /// Names of things that are not supported and were logged.
    pub(crate) logged: FxHashSet<&'static str>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("frame", &self.port.frame()).field("lost", &self.port.is_lost()).finish()
    }
}
