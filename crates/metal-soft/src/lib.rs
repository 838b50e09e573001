//! A software Metal, for tests: it answers the calls of `afterimage-metal-calls` on any system with clang, and refuses what Apple's
//! validation layer refuses.
//!
//! [`SoftDevice::new`] is a device of a family. It is slow, and means to be right:
//!
//! * Functions are Metal's text, as a Mac gets it: `text` finds what they take and give, clang compiles them against a `metal_stdlib` of our
//!   own (`cpp/`), and they run in this process. The four pixels of a quad, and the threads of a threadgroup, run together, each on a stack
//!   of its own, so derivatives, levels of detail and barriers are what they are on a GPU.
//! * Accesses of shaders to memory are looked at one by one: what is outside of a buffer that is bound or resident ends the invocation, and
//!   is a fault of the command buffer. What helper lanes write is taken back. Shaders that do not end are ended.
//! * `execute` has the rasteriser, by Metal's rules as far as they are written down, and by those that its drivers for Vulkan report. What
//!   neither says (which pixels lines have, what is rounded between vertices and pixels) is as lavapipe does it, so that its pictures and
//!   ours can be compared.
//! * `checks` has what is refused: descriptors by [`afterimage_metal_calls::Error::Refused`], with every fault, and calls that encode by
//!   [`afterimage_metal_calls::Fault`]; a call with a fault does nothing.
//! * Command buffers are executed when they are committed. Attachments are in tiles while a pass lasts, as on Apple's GPUs: a shader that
//!   reads what is being drawn finds what was there before. What a pass does not load, or does not store, is fuchsia.
//! * [`Mishaps`] are what goes wrong on purpose: no memory, a GPU that hangs, a device that goes.
//!
//! What it does not do: threadgroup arguments, argument buffers, more than one viewport.

mod archive;
mod bc;
mod bptc;
mod call;
mod checks;
mod command;
mod compile;
mod device;
mod execute;
mod layer;
mod memory;
mod mishaps;
mod objects;
mod queue;
mod sampler;
mod texel;
mod text;
mod texture;

#[cfg(test)]
mod tests;

pub use archive::SoftArchive;
pub use compile::compiler;
pub use device::SoftDevice;
pub use layer::SoftLayer;
pub use mishaps::Mishaps;
pub use objects::{SoftBuffer, SoftComputePipeline, SoftDepthStencil, SoftFunction, SoftRenderPipeline, SoftSampler};
pub use queue::{SoftDrawable, SoftQueue};
pub use texture::SoftTexture;
