//! The Direct3D 9 guest: device state, resources, and their translation to the command stream. Safe code only; the
//! crate `afterimage-d3d9-com` puts COM objects over it.
//!
//! Rooms, the same as in every guest:
//! * `driver`: the calls of the API. Validates, stores into the machine, or writes packets (draws, clears, copies).
//! * `machine`: the register file: every state a program can set, in tables, with the groups that a change marks.
//! * `translate`: dirty groups to packets, one function per group.
//! * `memory`: resources, their copies in this process, locks and dirty ranges, and how they get to the receiver.
//!
//! Beside them [`Adapter`] answers what can be asked before there is a device.
#![forbid(unsafe_code)]

mod adapter;
mod driver;
mod error;
mod format;
mod handle;
mod machine;
mod memory;
mod texel;
mod translate;

pub use adapter::{Adapter, FormatQuery, claims};
pub use driver::{Device, QueryData, Window, check_parameters};
pub use error::{Error, Result};
pub use format::{FormatKind, FormatRow, format_row};
pub use handle::{
    BufferId, DeclarationId, Handle, ImageId, PixelShaderId, QueryId, StateBlockId, Surface, SwapChainId,
    VertexShaderId,
};
pub use machine::{DeviceState, DeviceTracker, Group};
pub use memory::Locked;
